//! What the program holds at one moment of its tracing, to be given back to it later: variables, what is stored into
//! tensors, lists.

use std::sync::Arc;

use gw_trace::Staged;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::boxes;
use crate::cell::Cell;
use crate::current::Tracing;
use crate::places::Places;
use crate::regions;
use crate::spot::Spot;
use crate::tensor::Payload;

/// The program's state at one moment.
#[derive(Debug)]
pub struct Moment {
    values: Py<PyTuple>,
    /// Attributes, items and globals that statements change without naming them.
    spots: Vec<(Arc<Spot>, Py<PyAny>)>,
    cells: Vec<(Arc<Cell>, Payload)>,
    lists: Vec<(Py<PyList>, Py<PyList>)>,
    variables: Vec<Staged>,
}

impl Moment {
    /// What the program holds now; `places` are its variables, `cells` those of tensors that it may not have stored into yet.
    pub fn now(
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        places: &Places,
        mut cells: Vec<Arc<Cell>>,
    ) -> PyResult<Self> {
        let values = places.get(py)?;
        cells.extend(tracing.regions.seen(tracing));
        for value in values.iter() {
            let own = regions::tensors(&value)?;
            cells.extend(own.iter().filter(|t| !t.get().is_number()).map(|t| t.get().cell().clone()));
        }
        let copy =
            |list: Bound<'_, PyList>| Ok((list.clone().unbind(), PyList::new(py, list.iter())?.unbind()));
        // What was made since the statement began, no list and no place is known of.
        let inside = boxes::parts(values.iter())?;
        let spot = |spot: Arc<Spot>| {
            let held = spot.get(py)?.unbind();
            Ok((spot, held))
        };
        Ok(Self {
            spots: tracing
                .hidden
                .all()
                .into_iter()
                .chain(tracing.tries.spots())
                .chain(inside.spots.into_iter().map(Arc::new))
                .map(spot)
                .collect::<PyResult<_>>()?,
            values: values.unbind(),
            cells: cells.into_iter().map(|cell| (cell.clone(), cell.content())).collect(),
            lists: tracing
                .lists
                .all_reached(py)
                .into_iter()
                .chain(tracing.tables.lists(py))
                .chain(inside.lists)
                .map(copy)
                .collect::<PyResult<_>>()?,
            variables: tracing.tracked().into_iter().map(|tracked| tracked.value).collect(),
        })
    }

    /// Gives the program what it held.
    pub fn restore(&self, py: Python<'_>, tracing: &Tracing, places: &Places) -> PyResult<()> {
        for (cell, content) in &self.cells {
            cell.replace(content.clone());
        }
        for (list, held) in &self.lists {
            let list = list.bind(py);
            list.set_slice(0, list.len(), held.bind(py).as_any())?;
        }
        self.spots.iter().try_for_each(|(spot, held)| spot.set(held.bind(py)))?;
        tracing.restore(&self.variables);
        places.set(self.values.bind(py))
    }
}
