//! Our own bug: a pass left something illegal behind.

use std::fmt;

/// An invariant of ours that does not hold, with the pass that broke it. A bug report, never the user's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The pass or room that is to blame, as it is named in `PASSES`.
    pub blame: &'static str,
    /// The rule that does not hold, with what was found.
    pub rule: String,
}

impl Broken {
    /// A broken rule, blamed on `blame`.
    pub fn new(blame: &'static str, rule: impl Into<String>) -> Self {
        Self { blame, rule: rule.into() }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bug in graphwright: `{}` broke a rule: {}", self.blame, self.rule)
    }
}

impl std::error::Error for Broken {}
