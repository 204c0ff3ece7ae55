//! Guards of the world outside of its arguments that a graph was made with: globals, variables of closures and attributes. Each
//! call looks whether they are what they were; if not, the function is traced anew.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::effects::attributes::{own, stored};
use crate::function::held::Held;

mod function_parts;
mod readable;
mod recorder;
mod was;

pub use readable::Readable;
pub use was::{Was, is_container, is_literal, is_same, is_staged, item, items};
use was::{kind, word};

/// So many results of calls are followed through as many others: methods that call one another give results without end.
const MOST_RESULTS: usize = 1000;

/// One thing that a graph was made with.
#[derive(Debug)]
pub struct Guard {
    place: Place,
    was: Was,
    /// As the user writes it: `self.rate`.
    path: String,
}

/// Place of the guarded value.
#[derive(Debug)]
pub enum Place {
    /// A global of this name.
    Global(Py<PyDict>, Py<PyString>),
    /// A variable that functions share.
    Cell(Py<PyAny>),
    /// An attribute of an object, its own or its class's; whether `getattr` finds it without running code of the user's.
    Attribute(Held, Py<PyString>, bool),
    /// Item of a dict, list or tuple under a key.
    Item(Held, Py<PyAny>),
    /// All that a list, dict, set or deque holds.
    Contents(Held),
    /// An entry of an object's own `__dict__`.
    Own(Held, Py<PyString>),
    /// An attribute of the class of an object, or of a class, its own or inherited.
    Method(Held, Py<PyString>),
    /// A part of a function: its code, its defaults.
    Made(Held, &'static str),
    /// An answer of a function of this package, such as the state of a file.
    Answer(Py<PyAny>),
}

impl Guard {
    /// The value that is there now; `of` is the object whose attribute it is.
    fn now<'py>(&self, py: Python<'py>, of: &Holder<'py>) -> Option<Bound<'py, PyAny>> {
        let holder = of.object.as_ref();
        match &self.place {
            Place::Global(globals, name) => globals.bind(py).get_item(name).ok().flatten(),
            Place::Cell(cell) => cell.bind(py).getattr(intern!(py, "cell_contents")).ok(),
            Place::Attribute(_, name, true) => holder?.getattr_opt(name).ok().flatten(),
            Place::Attribute(_, name, false) => stored(holder?, name.bind(py)),
            Place::Item(_, key) => item(holder?, key.bind(py)),
            Place::Contents(_) => holder.cloned(),
            Place::Own(_, name) => of.own()?.get_item(name).ok().flatten(),
            Place::Method(_, name) => match holder?.cast::<PyType>() {
                Ok(class) => class.getattr_opt(name).ok().flatten(),
                Err(_) => holder?.get_type().getattr_opt(name).ok().flatten(),
            },
            Place::Made(_, part) => function_parts::part(holder?, part),
            Place::Answer(asked) => asked.bind(py).call0().ok(),
        }
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match (&self.place, self.holder()) {
            (_, Some(holder)) => holder.visit(visit)?,
            (Place::Global(globals, _), None) => visit.call(globals)?,
            (Place::Cell(object) | Place::Answer(object), None) => visit.call(object)?,
            (_, None) => {}
        }
        self.was.visit(visit)
    }

    /// The address of the container whose items it compares.
    fn address(&self, py: Python<'_>) -> Option<usize> {
        let Place::Contents(held) = &self.place else { return None };
        held.get(py).map(|object| object.as_ptr() as usize)
    }

    /// True if the container whose items it compares has others than so many, by its address.
    fn is_fuller(&self, py: Python<'_>, counts: &HashMap<usize, usize>) -> bool {
        let Place::Contents(held) = &self.place else { return false };
        let Some(object) = held.get(py) else { return false };
        let before = counts.get(&(object.as_ptr() as usize));
        before.is_some_and(|before| object.len().is_ok_and(|now| now != *before))
    }

    fn holder(&self) -> Option<&Held> {
        match &self.place {
            Place::Attribute(held, ..) | Place::Item(held, _) | Place::Contents(held) => Some(held),
            Place::Own(held, _) | Place::Method(held, _) | Place::Made(held, _) => Some(held),
            Place::Global(..) | Place::Cell(_) | Place::Answer(_) => None,
        }
    }

    /// True if it speaks of an object that is gone and that nobody can reach again: functions, classes and objects that the
    /// tracing made.
    fn is_of_the_past(&self, py: Python<'_>) -> bool {
        let is_array = matches!(self.was, Was::Elements(_));
        match &self.place {
            Place::Contents(held) if is_array => held.get(py).is_none(),
            Place::Own(held, _) | Place::Method(held, _) | Place::Made(held, _) => held.get(py).is_none(),
            Place::Global(..)
            | Place::Cell(_)
            | Place::Attribute(..)
            | Place::Item(..)
            | Place::Contents(_)
            | Place::Answer(_) => false,
        }
    }

    /// The value that is there now, if it is not what it was.
    fn changed<'py>(&self, py: Python<'py>) -> Option<Option<Bound<'py, PyAny>>> {
        let now = self.now(py, &Holder::of(py, self.holder()));
        (!self.was.is(now.as_ref()) && !self.is_of_the_past(py)).then_some(now)
    }

    /// Difference, and its remedy; `None` if there is none.
    pub fn reason(&self, py: Python<'_>) -> Option<String> {
        let now = self.changed(py)?;
        if let (Was::Elements(_), Some(_)) = (&self.was, &now) {
            return Some(format!(
                "`{}` holds other numbers than before: pass it as an argument, keep it in a `gw.Variable`, or make it \
                 read-only by `flags.writeable = False`",
                self.path
            ));
        }
        if let Some(reason) = self.was.reason_alone(&self.path) {
            return Some(reason);
        }
        let remedy = "keep it, or hold what changes in a `gw.Variable` or pass it as an argument";
        let (path, now, before) = match (&self.was, &now) {
            (Was::Items(count, was), Some(container)) => self.item_that_differs(*count, was, container),
            (was, now) => (self.path.clone(), word(now.as_ref()), was.word(py)),
        };
        Some(format!("`{path}` is {now}, before {before}: {remedy}"))
    }

    /// The path of the first item that is another one, what it is, and what it was.
    fn item_that_differs(
        &self,
        count: usize,
        was: &[Was],
        now: &Bound<'_, PyAny>,
    ) -> (String, String, String) {
        let (found, values) = items(now);
        let is_dict = now.is_instance_of::<PyDict>();
        let differs = was.iter().zip(&values).position(|(was, now)| !was.is(Some(now)));
        let Some(at) = differs.filter(|at| found == count && !(is_dict && at % 2 == 0)) else {
            let each = if is_dict { 2 } else { 1 };
            let words = |n: usize| format!("a `{}` of {}", kind(now), n / each);
            return (self.path.clone(), words(found), words(count));
        };
        let step = if is_dict {
            values[at - 1].repr().map_or_else(|_| "…".to_owned(), |r| r.to_string())
        } else {
            at.to_string()
        };
        (format!("{}[{step}]", self.path), word(values.get(at)), was[at].word(now.py()))
    }
}

/// True if all that the guards look at is what it was.
pub fn all_hold(py: Python<'_>, guards: &[Guard]) -> bool {
    // Attributes of one object stand together: it is looked for once.
    let none = Holder::of(py, None);
    let mut last: Option<(&Held, Holder<'_>)> = None;
    guards.iter().all(|guard| {
        let Some(held) = guard.holder() else { return guard.was.is(guard.now(py, &none).as_ref()) };
        if !last.as_ref().is_some_and(|(known, _)| known.same(held)) {
            last = Some((held, Holder::of(py, Some(held))));
        }
        let holder = last.as_ref().map_or(&none, |(_, holder)| holder);
        guard.was.is(guard.now(py, holder).as_ref()) || guard.is_of_the_past(py)
    })
}

/// The object that guards look at, and what holds its attributes once one of them asked.
struct Holder<'py> {
    object: Option<Bound<'py, PyAny>>,
    own: OnceCell<Option<Bound<'py, PyDict>>>,
}

impl<'py> Holder<'py> {
    fn of(py: Python<'py>, held: Option<&Held>) -> Self {
        Self { object: held.and_then(|held| held.get(py)), own: OnceCell::new() }
    }

    fn own(&self) -> Option<&Bound<'py, PyDict>> {
        self.own.get_or_init(|| own(self.object.as_ref()?)).as_ref()
    }
}

/// The path of what was changed after the graph had read it: of what these names stand for.
pub fn changed<'a>(py: Python<'_>, guards: &'a [Guard], names: &HashSet<String>) -> Option<&'a str> {
    let is_compared = |guard: &Guard| {
        let last = guard.path.rsplit('.').next().unwrap_or_default();
        let is_read = names.contains(last.split('[').next().unwrap_or_default());
        is_read
            && !matches!(
                guard.was,
                Was::Changed | Was::Differing | Was::Unwatched | Was::OutOfSight | Was::Taken
            )
    };
    let found = guards.iter().find(|guard| is_compared(guard) && guard.changed(py).is_some());
    found.map(|guard| guard.path.as_str())
}

/// A guard that fails says why; used where a graph of the same trace type does not do.
pub fn reason(py: Python<'_>, guards: &[Guard]) -> Option<String> {
    guards.iter().find_map(|guard| guard.reason(py))
}
