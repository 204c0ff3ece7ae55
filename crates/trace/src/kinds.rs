//! The policy for tensors of different kinds of numbers that meet where branches or iterations do, and facts about single numbers that
//! meet there: one of the host's own and one of its library of arrays are no longer told from each other.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use gw_ir::ValueId;

/// Flag for tensors that keep their kinds: an integer then meets no float.
#[derive(Debug, Default)]
pub(crate) struct Kinds(AtomicBool);

impl Kinds {
    pub(crate) fn keep(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn are_kept(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Facts about a single number.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Marks {
    /// It may be one of the library of arrays, which keeps its type.
    pub is_library: bool,
    /// It is an integer of the host's own on some paths, and one of the library's on others.
    pub is_mixed: bool,
    /// It may be a bool.
    pub may_be_bool: bool,
    /// It is a float that is an integer on some paths.
    pub may_be_int: bool,
    /// It is a float that is an integer of the library's on some paths, of a type that wraps where the host's own does not.
    pub may_wrap: bool,
}

impl Marks {
    /// Those of what is one of two numbers.
    pub fn or(self, other: Self) -> Self {
        Self {
            is_library: self.is_library || other.is_library,
            is_mixed: self.is_mixed || other.is_mixed,
            may_be_bool: self.may_be_bool || other.may_be_bool,
            may_be_int: self.may_be_int || other.may_be_int,
            may_wrap: self.may_wrap || other.may_wrap,
        }
    }
}

/// The marks of a graph's values.
#[derive(Debug, Default)]
pub(crate) struct Marked {
    values: Mutex<BTreeMap<ValueId, Marks>>,
    /// True if there are arrays of the library.
    pub has_library: AtomicBool,
    /// True if the graph depends on that.
    pub asks: AtomicBool,
}

impl Marked {
    /// The marks that were kept of a value.
    pub fn get(&self, value: ValueId) -> Marks {
        let values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.get(&value).copied().unwrap_or_default()
    }

    /// Keeps the marks of a value.
    pub fn keep(&self, value: ValueId, marks: Marks) {
        if marks != Marks::default() {
            self.values.lock().unwrap_or_else(PoisonError::into_inner).insert(value, marks);
        }
    }
}
