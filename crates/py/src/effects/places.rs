//! The variables of a statement: those in the cells that its blocks share with the function around them, and those
//! without a cell (globals, attributes, items), behind two functions that conversion made for them.

use std::cell::OnceCell;
use std::sync::Arc;

use gw_lower::{RETURNED, RETURNED_BEFORE};
use gw_trace::{Slot, State};
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyTuple};

use crate::containers::lists::placed;
use crate::exceptions::errors::{Failed, InternalError};
use crate::host::PyHost;
use crate::iteration::consumers;
use crate::optional::maybe::{Unbound, unbound};

/// Places of the variables of a statement.
#[derive(Debug)]
pub enum Places {
    /// One cell each; an empty one is a name without a value.
    Cells(Vec<Py<PyAny>>),
    /// Function that gives the values as a tuple, and function that takes one.
    Functions {
        /// Gives the values.
        get: Py<PyAny>,
        /// Takes values.
        set: Py<PyAny>,
    },
    /// Those of several statements, one behind the other, with how many each has.
    Joined(Vec<(usize, Places)>),
}

impl Places {
    /// The values that the variables have now.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        match self {
            Places::Cells(cells) => {
                let values = cells.iter().map(|cell| content(cell.bind(py)));
                PyTuple::new(py, values.collect::<PyResult<Vec<_>>>()?)
            }
            Places::Functions { get, .. } => Ok(get.bind(py).call0()?.cast_into()?),
            Places::Joined(parts) => {
                let parts = parts.iter().map(|(_, part)| part.get(py)).collect::<PyResult<Vec<_>>>()?;
                PyTuple::new(py, parts.iter().flatten().collect::<Vec<_>>())
            }
        }
    }

    /// Gives the variables these values.
    pub fn set(&self, values: &Bound<'_, PyTuple>) -> PyResult<()> {
        let py = values.py();
        match self {
            Places::Cells(cells) => cells.iter().zip(values).try_for_each(|(cell, value)| {
                cell.bind(py).setattr(pyo3::intern!(py, "cell_contents"), value)
            }),
            Places::Functions { set, .. } => {
                let _quiet = placed::Quiet::begin();
                set.bind(py).call1((values,)).map(drop)
            }
            Places::Joined(parts) => {
                let mut from = 0;
                parts.iter().try_for_each(|(count, part)| {
                    let own = values.get_slice(from, from + count);
                    from += count;
                    part.set(&own)
                })
            }
        }
    }

    /// The same places.
    pub fn clone_ref(&self, py: Python<'_>) -> Places {
        match self {
            Places::Cells(cells) => Places::Cells(cells.iter().map(|cell| cell.clone_ref(py)).collect()),
            Places::Functions { get, set } => {
                Places::Functions { get: get.clone_ref(py), set: set.clone_ref(py) }
            }
            Places::Joined(parts) => {
                Places::Joined(parts.iter().map(|(count, part)| (*count, part.clone_ref(py))).collect())
            }
        }
    }
}

fn content<'py>(cell: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = cell.py();
    match cell.getattr(pyo3::intern!(py, "cell_contents")) {
        Err(empty) if empty.is_instance_of::<pyo3::exceptions::PyValueError>(py) => unbound(py),
        content => content,
    }
}

/// The variables of one statement, and of the loops that ask the generators around it; found when they are first asked
/// for: a statement that Python decides needs none.
pub struct PyState<'a, 'py> {
    given: &'a Bound<'py, PyTuple>,
    blocks: &'a [&'a Bound<'py, PyAny>],
    all: OnceCell<(Vec<Slot>, Places)>,
}

impl<'a, 'py> PyState<'a, 'py> {
    /// The variables that conversion names in `given`, of a statement with these blocks.
    pub fn new(given: &'a Bound<'py, PyTuple>, blocks: &'a [&'a Bound<'py, PyAny>]) -> Self {
        Self { given, blocks, all: OnceCell::new() }
    }

    /// The variables as the user knows them: what conversion calls the returned value has no name of the user's.
    pub fn slots(&self) -> PyResult<Vec<Slot>> {
        Ok(self.all()?.0.clone())
    }

    /// Places of the variables, for an owner that outlives the statement.
    pub fn shared(&self) -> PyResult<Places> {
        Ok(self.all()?.1.clone_ref(self.given.py()))
    }

    fn all(&self) -> PyResult<&(Vec<Slot>, Places)> {
        if let Some(all) = self.all.get() {
            return Ok(all);
        }
        let (slots, places) = self.own()?;
        let consumers = consumers::consumers();
        let all = if consumers.is_empty() {
            (slots, places)
        } else {
            let mut parts = vec![(slots.len(), places)];
            let mut slots = slots;
            for consumer in consumers {
                let (own, places) = consumer.variables();
                slots.extend(own.iter().cloned());
                parts.push((own.len(), places.clone_ref(self.given.py())));
            }
            (slots, Places::Joined(parts))
        };
        Ok(self.all.get_or_init(|| all))
    }

    /// The variables of the statement itself.
    pub fn own(&self) -> PyResult<(Vec<Slot>, Places)> {
        let slot = |name: String| match () {
            () if name.starts_with(RETURNED_BEFORE) => Slot::ReturnedBefore,
            () if name.starts_with(RETURNED) => Slot::Returned,
            () => Slot::of(name),
        };
        let (names, functions) = self.parts()?;
        let places = match functions {
            Some(functions) => functions,
            None => Places::Cells(self.cells(&names)?),
        };
        Ok((names.into_iter().map(slot).collect(), places))
    }

    /// Gives one of the statement's own variables a value, if it is in a cell.
    pub fn assign(&self, name: &str, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let (names, functions) = self.parts()?;
        let at = names.iter().position(|own| own == name);
        let (Some(at), None) = (at, functions) else { return Ok(()) };
        let cell = self.cells(&names[at..=at])?.remove(0);
        cell.bind(value.py()).setattr(pyo3::intern!(value.py(), "cell_contents"), value)
    }

    /// Gives the variables the values that they had before a statement, but none to places that are in the graph behind it: `p.x[0]`
    /// where `p.x` is another list by now, which the graph holds.
    pub fn restore(&self, before: &[Arc<Py<PyAny>>], after: Option<&[Arc<Py<PyAny>>]>) -> Result<(), Failed> {
        let (py, (slots, _)) = (self.given.py(), self.all()?);
        let value = |(at, value): (usize, &Arc<Py<PyAny>>)| {
            let is_place = matches!(slots.get(at), Some(Slot::Attribute(_) | Slot::Item(_)));
            let now =
                after.and_then(|after| after.get(at)).filter(|now| now.bind(py).is_instance_of::<Unbound>());
            now.filter(|_| is_place).unwrap_or(value).clone()
        };
        self.set(&before.iter().enumerate().map(value).collect::<Vec<_>>())
    }

    /// The names, and the two functions where there are some: `('x',)` or `(('self.y',), get_state, set_state)`.
    fn parts(&self) -> PyResult<(Vec<String>, Option<Places>)> {
        if let Ok((names, get, set)) = self.given.extract::<(Bound<'py, PyTuple>, Py<PyAny>, Py<PyAny>)>() {
            return Ok((names.extract()?, Some(Places::Functions { get, set })));
        }
        Ok((self.given.extract()?, None))
    }

    fn cells(&self, names: &[String]) -> PyResult<Vec<Py<PyAny>>> {
        let mut shared = Vec::new();
        for block in self.blocks {
            let Ok(block) = block.cast::<PyFunction>() else { continue };
            let free: Vec<String> = block.getattr("__code__")?.getattr("co_freevars")?.extract()?;
            if !free.is_empty() {
                shared.extend(free.into_iter().zip(block.getattr("__closure__")?.cast::<PyTuple>()?.iter()));
            }
        }
        let cell = |name: &String| {
            let found = shared.iter().find(|(free, _)| free == name || is_mangled(free, name));
            let found = found.map(|(_, cell)| cell.clone().unbind());
            found.ok_or_else(|| InternalError::new_err(format!("no block has a cell for `{name}`")))
        };
        names.iter().map(cell).collect()
    }
}

/// True if a variable is what a private name of a class is called by the compiler.
fn is_mangled(variable: &str, name: &str) -> bool {
    let private = name.starts_with("__") && !name.ends_with("__");
    private && variable.starts_with('_') && variable.strip_suffix(name).is_some_and(|class| !class.is_empty())
}

/// The values of variables, but of no items that are not there any more: who made their list shorter fills it again.
fn without_lost_items<'py>(
    slots: &[Slot],
    places: &Places,
    values: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = values.py();
    let now = places.get(py)?;
    let value = |((slot, value), now): ((&Slot, Bound<'py, PyAny>), Bound<'py, PyAny>)| {
        let is_lost = matches!(slot, Slot::Item(_)) && now.is_instance_of::<Unbound>();
        if is_lost { unbound(py) } else { Ok(value) }
    };
    let kept = slots.iter().zip(values).zip(now).map(value).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, kept)
}

impl<'py> State<PyHost<'py>> for PyState<'_, 'py> {
    fn get(&self) -> Result<Vec<Arc<Py<PyAny>>>, Failed> {
        let values = self.all()?.1.get(self.given.py())?;
        Ok(values.iter().map(|v| Arc::new(v.unbind())).collect())
    }

    fn set(&self, values: &[Arc<Py<PyAny>>]) -> Result<(), Failed> {
        let py = self.given.py();
        let (slots, places) = self.all()?;
        let values = PyTuple::new(py, values.iter().map(|v| v.bind(py)))?;
        match places.set(&values) {
            Err(error) if error.is_instance_of::<PyLookupError>(py) => {
                Ok(places.set(&without_lost_items(slots, places, &values)?)?)
            }
            set => Ok(set?),
        }
    }
}
