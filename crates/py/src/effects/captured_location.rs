//! Values that a graph takes from places around its function.

use crate::effects::location::Location;
use crate::values::array;
use crate::values::tensor::{Payload, Tensor};
use gw_runtime::Buffer;
use gw_types::Number;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use std::sync::Arc;

/// A value that the graph takes from a place.
#[derive(Debug, Clone)]
pub struct Taken {
    /// Location that is captured.
    pub spot: Arc<Location>,
    /// The kind that it has to be of.
    pub is: Kind,
}

/// Kinds of values that a graph can take from a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number(Number),
    /// A tensor of this type.
    Tensor(gw_types::DType, Vec<usize>),
}

impl Taken {
    /// The value that is there now, if it is of the kind that the graph takes.
    pub fn now(&self, py: Python<'_>) -> Option<Buffer> {
        let (kind, buffer) = taken(&self.spot.get(py).ok()?)?;
        (kind == self.is).then_some(buffer)
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.spot.visit(visit)
    }
}

/// The kind and the elements that a graph can take from an object.
pub fn taken(object: &Bound<'_, PyAny>) -> Option<(Kind, Buffer)> {
    if let Ok(tensor) = object.cast::<Tensor>() {
        let Payload::Eager(buffer) = tensor.get().content() else { return None };
        return Some((Kind::Tensor(buffer.dtype(), buffer.lengths().to_vec()), buffer));
    }
    let number = array::narrow_number(object)?;
    let kind = Number::of(number)?;
    Some((Kind::Number(kind), Buffer::scalar(kind.own_dtype(), number)))
}
