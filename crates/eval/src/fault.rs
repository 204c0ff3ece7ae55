//! Failures of running graphs.

use std::fmt;

use gw_base::Loc;
use gw_ir::{Attr, CheckKind};

/// Kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    /// An integer was divided by zero.
    ZeroDivision,
    /// An index is past the end of its axis.
    IndexOutOfRange,
    /// Lengths that were unknown before do not fit.
    ShapeMismatch,
    /// A name was read before it had a value.
    UnboundLocal,
    /// A name of what stands around a function was read before it had a value.
    Name,
    /// An `assert` of the user's.
    Assertion,
    /// An operand has a value that the op does not take.
    Value,
    /// A result is too large.
    Overflow,
    /// An operand is not what the program takes.
    Type,
    /// Calls nest deeper than there is room.
    Recursion,
    /// A key that is not there.
    Key,
    /// Something else that Python forbids, such as a dict that changes while it is iterated.
    Runtime,
    /// Error that the host's library reports for arguments.
    Argument,
}

impl From<CheckKind> for Failure {
    fn from(kind: CheckKind) -> Self {
        match kind {
            CheckKind::Assertion => Failure::Assertion,
            CheckKind::UnboundLocal => Failure::UnboundLocal,
            CheckKind::Name => Failure::Name,
            CheckKind::Index => Failure::IndexOutOfRange,
            CheckKind::ZeroDivision => Failure::ZeroDivision,
            CheckKind::Value => Failure::Value,
            CheckKind::Overflow => Failure::Overflow,
            CheckKind::Type => Failure::Type,
            CheckKind::Recursion => Failure::Recursion,
            CheckKind::Key => Failure::Key,
            CheckKind::Runtime => Failure::Runtime,
            CheckKind::Argument => Failure::Argument,
        }
    }
}

/// A failure while a graph ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalError {
    /// Kind of failure.
    pub kind: Failure,
    /// Message to the user.
    pub message: String,
    /// Place in the user's text.
    pub place: Option<Loc>,
}

impl EvalError {
    /// A failure; its place is added where it is found.
    pub fn new(kind: Failure, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), place: None }
    }

    pub(crate) fn shapes(message: impl Into<String>) -> Self {
        Self::new(Failure::ShapeMismatch, message)
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for EvalError {}

/// The failure of an op that is given the attribute of another op.
pub(crate) fn misused(attr: &Attr) -> EvalError {
    EvalError::new(Failure::Value, format!("an op that does not take {attr:?}"))
}
