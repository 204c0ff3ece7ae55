//! Facts that the code generator has of a function that it calls.

use crate::Formula;

/// A machine type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Word {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// An address.
    Ptr,
}

/// A function with the C calling convention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// As it is shown in dumps.
    pub name: &'static str,
    /// Parameters.
    pub params: &'static [Word],
    /// Result, if there is one.
    pub result: Option<Word>,
    /// Address.
    pub address: *const u8,
    /// Its steps, if it can be computed for a register of numbers at once.
    pub formula: Option<Formula>,
}

impl Function {
    /// One that reads and writes arrays, and gives nothing.
    pub(crate) const fn of_arrays(name: &'static str, params: &'static [Word], address: *const u8) -> Self {
        Self { name, params, result: None, address, formula: None }
    }
}

// SAFETY: the address is that of code, which never changes.
unsafe impl Sync for Function {}
// SAFETY: likewise.
unsafe impl Send for Function {}
