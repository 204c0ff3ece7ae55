//! The lists around a function that flow through its graph with what it raises: each exit of the function sees what they hold
//! there.

use std::sync::Arc;

use gw_trace::{Slot, State};
use pyo3::prelude::*;

use crate::errors::Failed;
use crate::host::PyHost;
use crate::lists::{self, Lists};
use crate::surroundings::Flowing;

type Value = Arc<Py<PyAny>>;

/// Stages a function over a state of these variables.
type Staging<'a, 'py> = &'a dyn Fn(&[Slot], &dyn State<PyHost<'py>>) -> Result<(), Failed>;

/// Stages a function over `state` and these lists around it.
pub fn with_lists<'py>(
    host: &PyHost<'py>,
    flowing: &[Flowing],
    slots: &[Slot],
    state: &dyn State<PyHost<'py>>,
    stage: Staging<'_, 'py>,
) -> PyResult<()> {
    let (py, tracing) = (host.py(), host.tracing());
    if flowing.is_empty() {
        return Ok(stage(slots, state)?);
    }
    flowing.iter().for_each(|known| tracing.lists.note(known.list.bind(py), known.grows));
    let named = flowing.iter().map(|known| (known.list.bind(py).clone(), known.path.clone()));
    let _open = lists::open(std::iter::empty(), named, std::iter::empty());
    let by_value = Default::default();
    let lists = Lists::enter(py, tracing, &by_value)?;
    let own = lists.slots();
    let slots: Vec<_> = own.iter().chain(slots).cloned().collect();
    stage(&slots, &Behind { count: own.len(), lists: &lists, state })?;
    Ok(lists.end()?)
}

/// What the lists hold, and behind that the state of the function.
struct Behind<'a, 'py> {
    count: usize,
    lists: &'a Lists<'a, 'py>,
    state: &'a dyn State<PyHost<'py>>,
}

impl<'py> State<PyHost<'py>> for Behind<'_, 'py> {
    fn get(&self) -> Result<Vec<Value>, Failed> {
        let mut values = self.lists.values()?;
        values.extend(self.state.get()?);
        Ok(values)
    }

    fn set(&self, values: &[Value]) -> Result<(), Failed> {
        let (lists, values) = values.split_at(self.count);
        self.lists.set(lists)?;
        self.state.set(values)
    }
}
