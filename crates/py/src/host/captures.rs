//! Inputs of a graph besides the tensors among its arguments: tensors from outside, variables and places that hold values.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_runtime::Buffer;
use gw_trace::Staged;
use pyo3::prelude::*;

use crate::effects::tracked::Capture;
use crate::session::{Feature, FeatureSlot, Tracing, current};
use crate::values::tensor::Tensor;

/// Arrays up to this many bytes, and tensors of whole numbers, become constants of the graph; all others are inputs that the
/// caller adds.
const LARGEST_CONSTANT: usize = 1024;

/// Inputs that the caller of a graph adds.
#[derive(Debug, Default)]
struct Captures {
    /// Each with the parameter that it is.
    captured: Mutex<Vec<(Capture, Staged)>>,
    /// Tensors from outside that were read, with what they held.
    outside: Mutex<Vec<(Py<Tensor>, Buffer)>>,
}

impl Feature for Captures {
    fn slot() -> FeatureSlot {
        FeatureSlot::Captures
    }

    fn forget(&self) {
        let captured = std::mem::take(&mut *self.captured());
        let outside = std::mem::take(&mut *self.outside());
        drop((captured, outside));
    }
}

impl Captures {
    fn captured(&self) -> MutexGuard<'_, Vec<(Capture, Staged)>> {
        self.captured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outside(&self) -> MutexGuard<'_, Vec<(Py<Tensor>, Buffer)>> {
        self.outside.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tracing {
    fn captures(&self) -> &Captures {
        self.feature()
    }

    /// A tensor that holds values, as a value of this graph.
    pub fn bring(&self, buffer: &Buffer) -> Staged {
        if let Some(known) = self.captured_tensor(buffer) {
            return known;
        }
        if buffer.bytes().len() <= LARGEST_CONSTANT {
            let literal = gw_ir::Literal::new(buffer.dtype(), buffer.lengths().to_vec(), buffer.bytes());
            return self.trace.constant(literal);
        }
        self.capture_tensor(buffer)
    }

    /// The parameter that a tensor from outside is, if it is one.
    pub fn captured_tensor(&self, buffer: &Buffer) -> Option<Staged> {
        let captures = self.captures().captured();
        let same = |c: &Capture| matches!(c, Capture::Tensor(b) if b.as_ptr() == buffer.as_ptr());
        captures.iter().find(|(c, _)| same(c)).map(|(_, known)| *known)
    }

    /// A tensor that holds values, as a parameter of this graph: one value, however often it is used.
    pub fn capture_tensor(&self, buffer: &Buffer) -> Staged {
        if let Some(known) = self.captured_tensor(buffer) {
            return known;
        }
        let mut captures = self.captures().captured();
        let lengths: Vec<_> = buffer.lengths().iter().map(|&n| Some(n)).collect();
        let staged = self.trace.capture(buffer.dtype(), &lengths);
        captures.push((Capture::Tensor(buffer.clone()), staged));
        staged
    }

    /// The tensors from outside that were read, with what they held: the graph is the program's as long as they do.
    pub fn outside(&self) -> Vec<(Py<Tensor>, Buffer)> {
        std::mem::take(&mut self.captures().outside())
    }

    /// Adds what the caller adds, and the parameter that it is.
    pub fn add_capture(&self, capture: Capture, staged: Staged) {
        self.captures().captured().push((capture, staged));
    }

    /// Inputs that the caller adds, in the order of its parameters.
    pub fn captured(&self) -> Vec<Capture> {
        let captures = self.captures().captured();
        captures.iter().map(|(capture, _)| capture.clone()).collect()
    }
}

/// Takes down that the innermost tracing of this thread, if there is one, read a tensor from outside.
pub fn note_outside(tensor: &Bound<'_, Tensor>, buffer: &Buffer) {
    let Some(tracing) = current() else { return };
    let mut outside = tracing.captures().outside();
    if !outside.iter().any(|(known, _)| known.is(tensor)) {
        outside.push((tensor.clone().unbind(), buffer.clone()));
        drop(outside);
        if buffer.dtype().is_fractional() {
            // A tape may watch it, now or at a later call: its derivative needs it as a parameter.
            tracing.capture_tensor(buffer);
        }
    }
}
