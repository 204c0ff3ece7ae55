//! What of the world outside of its arguments a graph was made with: globals, variables of closures and attributes. Each
//! call looks whether they are what they were; if not, the function is traced anew.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

use gw_lower::Step;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use crate::current::Tracing;
use crate::fingerprint::{self, Elements};
use crate::traces::Held;

mod function_parts;
mod readable;
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

/// Where it is.
#[derive(Debug)]
pub enum Place {
    /// A global of this name.
    Global(Py<PyDict>, Py<PyString>),
    /// A variable that functions share.
    Cell(Py<PyAny>),
    /// An attribute of an object, its own or its class's; whether `getattr` finds it without running code of the user's.
    Attribute(Held, Py<PyString>, bool),
    /// What a dict, list or tuple holds under a key.
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

/// The guards of a graph while it is built.
#[derive(Debug, Default)]
pub struct Recorder {
    guards: Vec<Guard>,
    /// The functions, and the attributes by object and name, that were looked at.
    known: HashSet<(usize, usize)>,
    /// True if the graph is made anew by the next call, whatever the guards say.
    for_one_call: bool,
    /// The functions that Python runs as they are, by function and first argument, that were followed.
    runs: HashSet<(usize, usize)>,
    /// Reads of results, by function, its object and the steps, with the fewest results of calls before them.
    results: HashMap<(usize, usize, Box<[Step]>), usize>,
    /// The number of results that are followed, by the number of results of calls before them.
    followed: HashMap<usize, usize>,
    /// The objects that were there before the graph, as far as it reaches them.
    world: HashSet<usize>,
    /// The functions among the arguments: what their closures hold is part of the trace type.
    keyed: HashSet<usize>,
    /// The NumPy arrays whose elements were read, by their addresses.
    arrays: HashMap<usize, Elements>,
    /// The containers whose items or number of items the function reads, by their addresses.
    read: HashSet<usize>,
    /// The containers into which the function puts something, and how many items they had before.
    filled: HashMap<usize, usize>,
    /// The names by which the functions that were met can read.
    pub readable: Readable,
    /// The objects that were looked at: their addresses stay theirs until the graph is built.
    alive: Vec<Py<PyAny>>,
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

    /// What it keeps alive, for the collector.
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

    /// What is there now, if it is not what it was.
    fn changed<'py>(&self, py: Python<'py>) -> Option<Option<Bound<'py, PyAny>>> {
        let now = self.now(py, &Holder::of(py, self.holder()));
        (!self.was.is(now.as_ref()) && !self.is_of_the_past(py)).then_some(now)
    }

    /// What differs, and what to do about it; `None` if nothing does.
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

/// The holder of an object's own attributes.
pub fn own<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyDict>> {
    let own = object.getattr_opt(intern!(object.py(), "__dict__")).ok().flatten()?;
    own.cast_into().ok()
}

/// Whether `getattr` finds an attribute without running code of the user's: what `stored` gives.
pub fn is_plain(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let py = object.py();
    let class = object.get_type();
    let reads = intern!(py, "__getattribute__");
    if object.is_instance_of::<PyType>()
        || !class.getattr(reads)?.is(&py.get_type::<PyAny>().getattr(reads)?)
        || class.hasattr(intern!(py, "__getattr__"))?
    {
        return Ok(false);
    }
    for base in class.mro() {
        if let Ok(value) = base.getattr(intern!(py, "__dict__")).and_then(|names| names.get_item(name)) {
            return Ok(is_slot(&value) || !value.hasattr("__get__")?);
        }
    }
    Ok(true)
}

/// True for what a class holds for an attribute in a slot.
pub fn is_slot(value: &Bound<'_, PyAny>) -> bool {
    value.get_type().name().is_ok_and(|name| name == "member_descriptor")
}

/// What an object holds under a name, its own or its class's, without running code of the user's; `None` for properties,
/// methods and what is not there.
pub fn stored<'py>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    let py = object.py();
    if let Some(own) = own(object)
        && let Ok(Some(value)) = own.get_item(name)
    {
        return Some(value);
    }
    let (_, value) = in_class(object, name)?;
    match is_slot(&value) {
        true => object.getattr(name).ok(),
        false => (!value.hasattr(intern!(py, "__get__")).unwrap_or(true)).then_some(value),
    }
}

/// An attribute of the class of an object, or of a class, as it stands in a class, and that class.
pub fn in_class<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let class = match object.cast::<PyType>() {
        Ok(class) => class.clone(),
        Err(_) => object.get_type(),
    };
    let names = intern!(object.py(), "__dict__");
    class.mro().iter().find_map(|base| {
        let value = base.getattr(names).and_then(|names| names.get_item(name)).ok()?;
        Some((base, value))
    })
}

impl Tracing {
    /// The guards so far.
    pub fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the guards out. That a container grew counts for nothing if the function itself puts something into it and does
    /// not read it; a graph of a function that changes something else in place is good for one call.
    pub fn take_guards(&self, py: Python<'_>) -> Vec<Guard> {
        let mut recorder = self.recorder();
        let (read, filled) = (std::mem::take(&mut recorder.read), std::mem::take(&mut recorder.filled));
        let is_read = |guard: &Guard| guard.address(py).is_some_and(|address| read.contains(&address));
        recorder.guards.retain(|guard| {
            guard.changed(py).is_none_or(|now| !guard.was.grew_to(now.as_ref()) || is_read(guard))
        });
        for guard in &mut recorder.guards {
            let stays = matches!(guard.was, Was::Elements(_) | Was::Differing | Was::Unwatched);
            let is_other = || guard.changed(py).is_some() || (is_read(guard) && guard.is_fuller(py, &filled));
            if !stays && is_other() {
                guard.was = Was::Changed;
            }
        }
        recorder.known.clear();
        recorder.world.clear();
        recorder.keyed.clear();
        recorder.runs.clear();
        recorder.results.clear();
        recorder.followed.clear();
        recorder.arrays.clear();
        let (alive, mut guards) = (std::mem::take(&mut recorder.alive), std::mem::take(&mut recorder.guards));
        drop(recorder);
        // Objects that go may run code of the user's.
        drop(alive);
        guards.retain(|guard| !guard.is_of_the_past(py));
        guards
    }
}

impl Recorder {
    /// Adds what the graph is made with.
    pub fn add(&mut self, place: Place, was: Was, path: String) {
        self.for_one_call |= matches!(was, Was::Differing | Was::Unwatched);
        self.guards.push(Guard { place, was, path });
    }

    /// Guards the numbers in an array, by the array that owns its memory; `is_outside` says that it was there before the
    /// graph. Arrays that nothing can change need no guard.
    pub fn read_elements(&mut self, array: &Bound<'_, PyAny>, path: &str, is_outside: bool) -> PyResult<()> {
        let Some(owner) = fingerprint::owner(array)? else { return Ok(()) };
        let address = owner.as_ptr() as usize;
        if self.arrays.get(&address).is_some_and(|known| known.array.is(&owner)) {
            return Ok(());
        }
        let sum = fingerprint::of(&owner)?;
        self.arrays.insert(address, Elements::of(&owner, sum, is_outside)?);
        self.add(Place::Contents(Held::of(&owner)), Was::Elements(sum), path.to_owned());
        Ok(())
    }

    /// An array from outside that the function changed while it was traced.
    pub fn changed_array(&self, py: Python<'_>) -> Option<&str> {
        let is_outside = |object: &Bound<'_, PyAny>| {
            self.arrays.get(&(object.as_ptr() as usize)).is_some_and(|known| known.is_outside)
        };
        let changed = |guard: &&Guard| {
            let object = guard.holder().and_then(|held| held.get(py));
            matches!(guard.was, Was::Elements(_))
                && object.is_some_and(|object| is_outside(&object) && !guard.was.is(Some(&object)))
        };
        self.guards.iter().find(changed).map(|guard| guard.path.as_str())
    }

    /// Puts back what the arrays held that were there before the graph.
    pub fn restore_arrays(&self, py: Python<'_>) -> PyResult<()> {
        self.arrays.values().try_for_each(|known| known.restore(py))
    }

    /// Says which functions, known by their addresses, are among the arguments of the call.
    pub fn know_functions(&mut self, functions: &[usize]) {
        self.keyed.extend(functions);
    }

    /// Whether a function is among the arguments of the call.
    pub fn is_keyed(&self, function: &Bound<'_, PyAny>) -> bool {
        self.keyed.contains(&(function.as_ptr() as usize))
    }

    /// True if the next call makes another graph, whatever the guards say.
    pub fn is_for_one_call(&self) -> bool {
        self.for_one_call
    }

    /// Whether an object was there before the graph.
    pub fn is_of_the_world(&self, object: &Bound<'_, PyAny>) -> bool {
        self.world.contains(&(object.as_ptr() as usize))
    }

    /// Says that an object was there before the graph.
    pub fn hold(&mut self, object: &Bound<'_, PyAny>) {
        if self.world.insert(object.as_ptr() as usize) {
            self.alive.push(object.clone().unbind());
        }
    }

    /// The number of functions that Python runs as they are and that were followed.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Says that a function can reach more than the graph watches.
    pub fn stop_watching(&mut self, function: &Bound<'_, PyAny>, name: String) {
        if !self.for_one_call {
            self.add(Place::Contents(Held::of(function)), Was::Unwatched, name);
        }
    }

    /// True if a function that Python runs as it is, on this object, is followed for the first time.
    pub fn first_run(&mut self, function: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> bool {
        let first = self.runs.insert((function.as_ptr() as usize, object.as_ptr() as usize));
        if first {
            self.alive.extend([function.clone().unbind(), object.clone().unbind()]);
        }
        first
    }

    /// True if what a function gives is followed along these steps, through so many results of calls before: for the first
    /// time, and through few results, or among the first [`MOST_RESULTS`] through as many.
    pub fn first_result(
        &mut self,
        function: [Option<&Bound<'_, PyAny>>; 2],
        steps: &[Step],
        calls: usize,
    ) -> bool {
        let [name, owner] = function.map(|object| object.map_or(0, |object| object.as_ptr() as usize));
        let key = (name, owner, steps.into());
        let fewest = self.results.get(&key).copied();
        let followed = self.followed.entry(calls).or_default();
        if *followed >= MOST_RESULTS || fewest.is_some_and(|fewest| fewest <= calls) {
            return false;
        }
        *followed += 1;
        self.alive.extend(function.into_iter().flatten().map(|object| object.clone().unbind()));
        self.results.insert(key, calls);
        true
    }

    /// Says that the function reads the items of a container, or their number.
    pub fn reads(&mut self, container: &Bound<'_, PyAny>) {
        if self.read.insert(container.as_ptr() as usize) {
            self.alive.push(container.clone().unbind());
        }
    }

    /// Says that the function puts something into a container, as it is before that.
    pub fn fills(&mut self, container: &Bound<'_, PyAny>) {
        let address = container.as_ptr() as usize;
        if !self.filled.contains_key(&address)
            && let Ok(count) = container.len()
        {
            self.filled.insert(address, count);
            self.alive.push(container.clone().unbind());
        }
    }

    /// True if this object and name were looked at.
    pub fn knows(&self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> bool {
        self.known.contains(&(object.as_ptr() as usize, name.as_ptr() as usize))
    }

    /// Whether this object and name are looked at for the first time.
    pub fn first(&mut self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> bool {
        let first = self.known.insert((object.as_ptr() as usize, name.as_ptr() as usize));
        if first {
            self.alive.push(object.clone().unbind());
            self.alive.push(name.clone().unbind());
        }
        first
    }
}

/// Whether all that the guards look at is what it was.
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
        is_read && !matches!(guard.was, Was::Changed | Was::Differing | Was::Unwatched | Was::Taken)
    };
    let found = guards.iter().find(|guard| is_compared(guard) && guard.changed(py).is_some());
    found.map(|guard| guard.path.as_str())
}

/// A guard that fails says why; used where a graph of the same trace type does not do.
pub fn reason(py: Python<'_>, guards: &[Guard]) -> Option<String> {
    guards.iter().find_map(|guard| guard.reason(py))
}
