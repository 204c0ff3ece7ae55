//! Programs that cannot be a module.

use std::fmt;

use gw_base::Loc;
use gw_ir::Op;

/// A reason why something cannot be said in StableHLO.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The op's name; none where it is about the arguments.
    pub op: Option<&'static str>,
    /// Reason.
    pub reason: String,
    /// Place in the user's text.
    pub place: Option<Loc>,
}

/// A result, or why there is none.
pub(crate) type Made<T> = Result<T, Refused>;

impl Refused {
    /// For this reason; the op and its place are added where they are known.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { op: None, reason: reason.into(), place: None }
    }

    /// Of what is known only when the module runs.
    pub(crate) fn unknown(what: &str) -> Self {
        Self::new(format!("{what} is known only when the module runs"))
    }

    /// Names the op and its place, where none is named.
    pub(crate) fn at(mut self, op: Op, place: &Option<Loc>) -> Self {
        if self.op.is_none() {
            self.op = Some(op.text());
            self.place = place.clone();
        }
        self
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.op {
            Some(op) => write!(f, "`{op}`: {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Refused {}
