//! What staging asks of the host language. A toy host of a few lines is enough to test every rule.

use gw_base::{Diagnostic, Loc};
use gw_ir::ValueId;
use gw_types::Scalar;

use crate::{Staged, Trace};

/// The host language: what its values are to the graph.
pub trait Host {
    /// What a variable holds.
    type Value: Clone;
    /// The structure of a value: what is left when its leaves are taken out.
    type Skeleton;
    /// The host's error; diagnostics become one.
    type Error: From<Diagnostic>;

    /// The graph that is being built.
    fn trace(&self) -> &Trace;
    /// Where in the user's text the host is now.
    fn place(&self) -> Option<Loc>;
    /// The most iterations that the loop being traced may take, once its body said so.
    fn limit(&self) -> Option<i64> {
        None
    }
    /// Takes a value apart: its structure and its leaves. A value without structure is its own leaf.
    fn flatten(&self, value: &Self::Value) -> Result<Parts<Self>, Self::Error>;
    /// Puts leaves back into a structure.
    fn rebuild(
        &self,
        skeleton: &Self::Skeleton,
        leaves: Vec<Self::Value>,
    ) -> Result<Self::Value, Self::Error>;
    /// Whether two structures are the same.
    fn same_skeleton(&self, a: &Self::Skeleton, b: &Self::Skeleton) -> bool;
    /// What a leaf is to the graph. Tensors that hold values are brought into the graph, in the region open now.
    fn see(&self, leaf: &Self::Value) -> Result<Seen, Self::Error>;
    /// The host value that stands for a value of the graph.
    fn show(&self, shown: Shown) -> Result<Self::Value, Self::Error>;
    /// Whether two leaves are one and the same: one object, or equal numbers of one type.
    fn same(&self, a: &Self::Value, b: &Self::Value) -> bool;
    /// What a leaf is, in the user's words, for diagnostics: "`None`", "a `str`".
    fn word(&self, leaf: &Self::Value) -> String;
}

/// A structure and its leaves.
pub type Parts<H> = (<H as Host>::Skeleton, Vec<<H as Host>::Value>);

/// The variables that flow through a statement.
pub trait State<H: Host> {
    /// The variables' values now.
    fn get(&self) -> Result<Vec<H::Value>, H::Error>;
    /// Gives the variables values.
    fn set(&self, values: &[H::Value]) -> Result<(), H::Error>;
}

/// What a leaf is to the graph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Seen {
    /// A value of the graph.
    Staged(Staged),
    /// A number of the host's own, which may become a value of the graph.
    Number(Scalar),
    /// A name without a value.
    Unbound,
    /// A value of the graph and a bool that says whether the name has it.
    Maybe(Staged, ValueId),
    /// Anything else; it cannot differ between branches or iterations.
    Object,
}

/// What the graph gives back to the host.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Shown {
    /// A value of the graph.
    Staged(Staged),
    /// A value of the graph and a bool that says whether the name has it.
    Maybe(Staged, ValueId),
    /// A number of the host's own.
    Number(Scalar),
}
