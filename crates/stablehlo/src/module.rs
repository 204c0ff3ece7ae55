//! The module that a graph becomes.

use gw_base::Loc;

/// A graph as a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    /// The module, in MLIR's text form.
    pub text: String,
    /// The sites that may fail: if there is any, the last result of `@main` is the number of the one that failed first, from 1, or 0.
    pub sites: Vec<Site>,
}

/// An op that may fail when the module runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The op's name.
    pub op: &'static str,
    /// Place in the user's text.
    pub place: Option<Loc>,
}
