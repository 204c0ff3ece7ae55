//! Value or reference semantics of a tensor object of a graph: plain Python holds a `gw.Tensor` there, which operators
//! never change, or a NumPy array, whose memory names and views share.
//!
//! NumPy arrays among the arguments have reference semantics, and so have the results of operators and of NumPy's
//! functions on them. What a function of `gw` gives has value semantics, as it has outside of a graph. Numbers have
//! neither: a name of a number is always bound anew.

use std::sync::atomic::{AtomicBool, Ordering};

use gw_base::Code;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::session::{Feature, FeatureSlot, Tracing};

/// Semantics of an object under operators that change it: its names see the change, or are bound anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Semantics {
    /// A `gw.Tensor`: `x += 1` binds the name anew, and `x[0]` is a copy.
    Value,
    /// A NumPy array: `x += 1` changes the array, and `x[0]` is a view.
    Reference,
    /// The graph decides which of them it is.
    Unknown,
}

/// Knowledge of a tracing about its arrays.
#[derive(Debug, Default)]
pub struct Arrays {
    present: AtomicBool,
    is_part_read: AtomicBool,
    is_stored: AtomicBool,
    is_asked: AtomicBool,
    are_on_some_paths: AtomicBool,
    fills: AtomicBool,
    could_fill: AtomicBool,
}

impl Feature for Arrays {
    fn slot() -> FeatureSlot {
        FeatureSlot::Arrays
    }
}

impl Tracing {
    /// Knowledge of the NumPy arrays in the graph.
    pub fn arrays(&self) -> &Arrays {
        self.feature()
    }
}

/// An argument that is a tensor of the graph, as the caller has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Argument {
    /// A `gw.Tensor`, or anything that becomes one.
    #[default]
    Tensor,
    /// A NumPy array.
    Array,
    /// A number of NumPy's, which meets arrays and other numbers in NumPy's types.
    Number,
}

/// The kinds of the tensors among the arguments of a call, in the order of the arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ArrayFlags {
    count: usize,
    /// Bits of those that are arrays, and of those that are numbers.
    first: [u64; 2],
    /// Those behind the first 64.
    rest: Vec<Argument>,
}

impl Semantics {
    /// That of what is one of two values.
    pub fn join(self, other: Self) -> Self {
        if self == other { self } else { Semantics::Unknown }
    }
}

impl Arrays {
    /// True if any tensor of the graph has reference semantics.
    pub fn are_present(&self) -> bool {
        self.present.load(Ordering::Relaxed)
    }

    /// Says that one has.
    pub fn met(&self) {
        self.present.store(true, Ordering::Relaxed);
    }

    /// A part of an array is read, which is a view or a copy.
    pub fn part_read(&self) {
        self.is_part_read.store(true, Ordering::Relaxed);
    }

    /// An array is stored into, which its views see.
    pub fn stored(&self) {
        self.is_stored.store(true, Ordering::Relaxed);
    }

    /// A name holds an array on some paths only.
    pub fn on_some_paths(&self) {
        self.are_on_some_paths.store(true, Ordering::Relaxed);
    }

    /// True if a name holds an array on some paths only.
    pub fn are_on_some_paths(&self) -> bool {
        self.are_on_some_paths.load(Ordering::Relaxed)
    }

    /// True if arrays that the function makes and stores into are ones of the graph.
    pub fn fills(&self) -> bool {
        self.fills.load(Ordering::Relaxed)
    }

    /// Says that they are.
    pub fn fill(&self) {
        self.fills.store(true, Ordering::Relaxed);
    }

    /// Says that the function makes and stores into one that is not of the graph.
    pub fn could_fill(&self) {
        self.could_fill.store(true, Ordering::Relaxed);
    }

    /// True if it does.
    pub fn leaves_some(&self) -> bool {
        self.could_fill.load(Ordering::Relaxed)
    }

    /// True if a refusal may come of such an array, so that it may help to let it be one of the graph.
    pub fn could_help(&self, py: Python<'_>, refused: &PyErr) -> bool {
        use Code::{BranchesDisagree, LoopChangesObject, StoreUnclear, TensorAsNumber};
        let code = errors::code_of(py, refused).filter(|_| self.leaves_some());
        matches!(code, Some(TensorAsNumber | BranchesDisagree | LoopChangesObject | StoreUnclear))
    }

    /// An operator in place asks for the semantics of its operand.
    pub(crate) fn asked(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
    }

    /// True if the graph would be another one if arrays among the arguments were tensors.
    pub fn matter(&self) -> bool {
        let both = self.is_part_read.load(Ordering::Relaxed) && self.is_stored.load(Ordering::Relaxed);
        both || self.is_asked.load(Ordering::Relaxed)
    }
}

impl ArrayFlags {
    /// Adds the next tensor.
    pub fn push(&mut self, given: Argument) {
        match self.count {
            at @ 0..64 => {
                self.first[0] |= u64::from(given == Argument::Array) << at;
                self.first[1] |= u64::from(given == Argument::Number) << at;
            }
            _ => self.rest.push(given),
        }
        self.count += 1;
    }

    /// The kind of the tensor at a position.
    pub fn get(&self, at: usize) -> Argument {
        match at {
            0..64 if self.first[0] >> at & 1 == 1 => Argument::Array,
            0..64 if self.first[1] >> at & 1 == 1 => Argument::Number,
            0..64 => Argument::Tensor,
            _ => self.rest.get(at - 64).copied().unwrap_or_default(),
        }
    }
}
