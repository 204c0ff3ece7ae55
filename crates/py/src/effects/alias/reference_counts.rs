//! The number of names that an object has: variables and globals of the functions that run, attributes and items that they reach.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::effects::walk::{self, Shared, Variables};
use crate::session::{self, frames};

/// The number of names of each object, by its address.
pub struct Names {
    counts: HashMap<usize, usize>,
    lists: Vec<Py<PyList>>,
}

impl Names {
    /// The names that there are where Python is now.
    pub fn now(py: Python<'_>) -> PyResult<Self> {
        let (mut own, mut free, mut shared) = (Variables::new(), Variables::new(), Shared::new());
        let mut running = Vec::new();
        for frame in frames::users_frames(py) {
            let code = frame.getattr("f_code")?;
            let outer: Vec<String> = code.getattr("co_freevars")?.extract()?;
            let inner: Vec<String> = code.getattr("co_cellvars")?.extract()?;
            let variables = PyDict::new(py);
            variables.update(frame.getattr("f_locals")?.cast()?)?;
            for (name, value) in variables {
                let name: String = name.extract()?;
                if outer.contains(&name) {
                    free.push((value, name));
                    continue;
                }
                if inner.contains(&name) {
                    shared.insert((name.clone(), value.as_ptr() as usize));
                }
                own.push((value, name));
            }
            running.push((code, frame.getattr("f_globals")?.cast_into()?));
        }
        // A variable of a function around is one with the variable that it is there.
        own.extend(
            free.into_iter().filter(|(value, name)| shared.insert((name.clone(), value.as_ptr() as usize))),
        );
        let walked = session::current().map_or_else(Vec::new, |tracing| tracing.lists().all_walked(py));
        let (counts, lists) = walk::names(own, &running, &shared, walked);
        Ok(Self { counts, lists: lists.into_iter().map(Bound::unbind).collect() })
    }

    /// The lists that have names.
    pub fn lists(&self) -> impl Iterator<Item = &Py<PyList>> {
        self.lists.iter()
    }

    /// The number of names of an object.
    pub fn of(&self, object: &Bound<'_, PyAny>) -> usize {
        self.of_address(object.as_ptr() as usize)
    }

    /// The same for the object at an address.
    pub fn of_address(&self, address: usize) -> usize {
        self.counts.get(&address).copied().unwrap_or(0)
    }
}
