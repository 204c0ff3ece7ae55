//! The value of a variable, and the values that it may get.

use crate::values::shapes;
use crate::values::turn::OfVariable;
use gw_runtime::Buffer;
use gw_types::DType;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use std::cell::RefCell;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The value of a variable, and the values that it may get.
#[derive(Debug)]
pub struct Cell {
    /// Element type.
    pub dtype: DType,
    /// Lengths of the axes; `None` where values may differ, or where even the number of axes may.
    pub(crate) lengths: Option<Vec<Option<usize>>>,
    /// The user's name for it, or one made of a number.
    pub name: String,
    /// True if a `GradientTape` watches it.
    pub trainable: bool,
    value: Mutex<Buffer>,
    /// Thread that reads it now to give it another value.
    pub turn: OfVariable,
    /// The user's object.
    pub(crate) object: OnceLock<Py<PyWeakrefReference>>,
}

impl Cell {
    /// For values with these lengths of axes, if they are known.
    pub fn new(name: String, value: Buffer, lengths: Option<Vec<Option<usize>>>, trainable: bool) -> Self {
        let (dtype, value, object) = (value.dtype(), Mutex::new(value), OnceLock::new());
        Self { dtype, lengths, name, trainable, value, turn: OfVariable::default(), object }
    }

    /// For values of this one's type.
    pub fn of(name: &str, value: Buffer) -> Self {
        let lengths = value.lengths().iter().map(|&n| Some(n)).collect();
        Self::new(name.to_owned(), value, Some(lengths), false)
    }

    /// The value now.
    pub fn value(&self) -> Buffer {
        self.value.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the value by one of the cell's type; gives the one that was there.
    pub fn replace(&self, value: Buffer) -> Buffer {
        note_assigned(self);
        std::mem::replace(&mut *self.value.lock().unwrap_or_else(PoisonError::into_inner), value)
    }

    /// A cell of the same type with the same value: what stands for an argument while a graph is built.
    pub fn stand_in(&self) -> Self {
        Self::new(self.name.clone(), self.value(), self.lengths.clone(), self.trainable)
    }

    /// A description of the value that it holds.
    pub fn text(&self) -> String {
        let shape = self.shape_text();
        format!("VariableSpec(shape={shape}, dtype={}, name='{}')", self.dtype.python_name(), self.name)
    }

    /// Lengths of the axes; `None` where values may differ. Where the number of axes may, it is that of the value.
    pub fn lengths(&self) -> Vec<Option<usize>> {
        self.lengths.clone().unwrap_or_else(|| vec![None; self.rank()])
    }

    /// True if these are the lengths of the axes.
    pub fn is_of(&self, lengths: &[Option<usize>]) -> bool {
        match &self.lengths {
            Some(own) => own == lengths,
            None => lengths.len() == self.rank() && lengths.iter().all(Option::is_none),
        }
    }

    /// True if values may have any number of axes.
    pub fn is_unranked(&self) -> bool {
        self.lengths.is_none()
    }

    /// The number of axes of the value now.
    pub fn rank(&self) -> usize {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        value.lengths().len()
    }

    pub(crate) fn takes(&self, lengths: &[Option<usize>]) -> bool {
        let Some(own) = &self.lengths else { return true };
        let same = |(w, f): (&Option<usize>, &Option<usize>)| w.is_none() || f.is_none() || w == f;
        own.len() == lengths.len() && own.iter().zip(lengths).all(same)
    }

    /// The shape as it is said in messages.
    pub(crate) fn shape_text(&self) -> String {
        self.lengths.as_ref().map_or_else(|| "<unknown>".to_owned(), |lengths| shapes::plain_shape(lengths))
    }
}

thread_local! {
    /// For each function of the host's that runs: the variables that were assigned to, by their addresses.
    static ASSIGNED: RefCell<Vec<Vec<usize>>> = const { RefCell::new(Vec::new()) };
}

/// Runs a function of the host's; gives the addresses of the variables that it assigns to, too.
pub fn assigning<T>(run: impl FnOnce() -> T) -> (T, Vec<usize>) {
    ASSIGNED.with_borrow_mut(|all| all.push(Vec::new()));
    let result = run();
    let assigned = ASSIGNED.with_borrow_mut(|all| {
        let innermost = all.pop().unwrap_or_default();
        all.last_mut().into_iter().for_each(|around| around.extend(&innermost));
        innermost
    });
    (result, assigned)
}

/// A variable has another value.
fn note_assigned(cell: &Cell) {
    ASSIGNED.with_borrow_mut(|all| {
        if let Some(innermost) = all.last_mut() {
            innermost.push(std::ptr::from_ref(cell) as usize);
        }
    });
}
