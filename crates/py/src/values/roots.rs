//! Arrays of which tensor objects are parts, or may be.

use crate::function::fingerprint;
use crate::values::cell::Cell;
use crate::values::tensor::{Payload, Tensor};
use gw_ir::ValueId;
use pyo3::prelude::*;
use std::sync::Arc;

/// The arrays of which a tensor object is or may be a part.
pub fn arrays(tensor: &Tensor) -> Vec<Arc<Cell>> {
    let mut cells = Vec::new();
    let mut next = Some(tensor);
    while let Some(tensor) = next {
        cells.extend(tensor.roots().iter().map(|root| root.cell.clone()));
        next = tensor.view().map(|view| view.base().get());
        cells.extend(next.map(|base| base.cell().clone()));
    }
    cells
}

/// The arrays that a tensor object is, or of which it is or may be a part.
pub fn cells(tensor: &Tensor) -> Vec<Arc<Cell>> {
    let mut cells = arrays(tensor);
    cells.push(tensor.cell().clone());
    cells
}

/// An array of which something may be a part, as it was when that was bound.
#[derive(Debug, Clone)]
pub struct Root {
    cell: Arc<Cell>,
    stores: u64,
    held: Option<ValueId>,
    /// An array of Python's own, which no object of the graph stands for, and the checksum of what it held.
    host: Option<(Host, u64)>,
}

/// An array of Python's own.
pub type Host = Arc<Py<PyAny>>;

impl Root {
    /// As it is now.
    pub fn new(cell: Arc<Cell>) -> Self {
        Self { stores: cell.stores(), held: held(&cell), cell, host: None }
    }

    /// An array of Python's own as it is now.
    pub fn of_host(array: &Host, py: Python<'_>) -> PyResult<Self> {
        let host = Some((array.clone(), fingerprint::of(array.bind(py))?));
        Ok(Self { host, ..Self::new(Cell::of_nobody()) })
    }

    /// The same array, as it is now.
    pub fn renewed(&self) -> Self {
        let own = |(array, _): &(Host, u64)| Python::attach(|py| Self::of_host(array, py).ok());
        self.host.as_ref().and_then(own).unwrap_or_else(|| Self::new(self.cell.clone()))
    }

    /// The array.
    pub fn cell(&self) -> &Arc<Cell> {
        &self.cell
    }

    /// True if it is this array of Python's own.
    pub fn is_of(&self, object: &Bound<'_, PyAny>) -> bool {
        self.host.as_ref().is_some_and(|(array, _)| object.is(&**array))
    }

    /// True if the array is still there.
    pub fn is_here(&self) -> bool {
        self.cell.is_here()
    }

    /// True if it was stored into, and holds something else.
    pub fn is_stale(&self) -> bool {
        if let Some((array, was)) = &self.host {
            return Python::attach(|py| fingerprint::of(array.bind(py)).is_ok_and(|now| now != *was));
        }
        self.cell.stores() != self.stores && held(&self.cell) != self.held
    }
}

fn held(cell: &Cell) -> Option<ValueId> {
    match cell.content() {
        Payload::Staged(_, staged) => Some(staged.value),
        Payload::Eager(_) => None,
    }
}

/// The array itself that a tensor object is a view of; the object where it is no view.
pub fn root(tensor: &Tensor) -> &Tensor {
    match tensor.view() {
        Some(view) => root(view.base().get()),
        None => tensor,
    }
}
