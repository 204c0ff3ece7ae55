//! Scopes of the backward pass: one per region that is gone through backwards.

use std::collections::{HashMap, HashSet};

use gw_ir::{Graph, NodeId, RegionId, ValueId};

/// One region of the forward pass, and what of it is known in the backward pass.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// The values that the region defines itself.
    own: HashSet<ValueId>,
    /// Values of this region and of those around it that are here again.
    locals: HashMap<ValueId, ValueId>,
    /// Cotangents of values so far, the region's own and those from around it. A value of `same` is never a
    /// key: each look-up asks for the value that it stands for.
    cotangents: HashMap<ValueId, ValueId>,
    /// Parameters that are the same value from around in every iteration, to which flows back what flows back to
    /// them.
    pub same: HashMap<ValueId, ValueId>,
    /// The loop whose iteration this is, if it is one.
    pub turn: Option<Turn>,
}

/// One iteration of a loop, in the backward pass.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// The loop of the forward pass.
    pub node: NodeId,
    /// The loop that collects what this iteration needs: the same, or a copy of it.
    pub keeper: NodeId,
    /// The region in which that one stands.
    pub home: RegionId,
    /// Iteration number of the forward pass, an i64, counted from 0.
    pub number: ValueId,
    /// The residuals, with their rows.
    kept: HashMap<Kept, ValueId>,
    /// The products that are computed behind the loop.
    pub deferred: Vec<DeferredProduct>,
}

/// One product that waits for the end of its block.
#[derive(Debug, Clone)]
pub(crate) struct DeferredProduct {
    /// To which it flows.
    pub to: ValueId,
    /// The rows that the forward pass keeps of the one operand.
    pub rows: ValueId,
    /// The other operand in each iteration.
    pub g: ValueId,
    /// True if `gᵀ·x` is wanted.
    pub turned: bool,
}

/// A residual that a loop keeps of each iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kept {
    /// A value.
    Value(ValueId),
    /// The length of one of its axes, where the value itself has other lengths in each iteration.
    Length(ValueId, usize),
    /// Of such a value all elements in a row, those of one iteration behind those of the one before.
    Elements(ValueId),
    /// End of the iteration's elements in that row.
    End(ValueId),
}

impl Kept {
    /// The value of which it is.
    pub fn value(self) -> ValueId {
        match self {
            Kept::Value(value) | Kept::Length(value, _) | Kept::Elements(value) | Kept::End(value) => value,
        }
    }
}

impl Turn {
    pub fn new(node: NodeId, keeper: NodeId, home: RegionId, number: ValueId) -> Self {
        Self { node, keeper, home, number, kept: HashMap::new(), deferred: Vec::new() }
    }

    /// The rows of what is kept.
    pub fn kept(&self, what: Kept) -> Option<ValueId> {
        self.kept.get(&what).copied()
    }

    /// True if a value is kept.
    pub fn keeps(&self, value: ValueId) -> bool {
        self.kept.contains_key(&Kept::Value(value))
    }

    /// From now on it is.
    pub fn keep(&mut self, what: Kept, rows: ValueId) {
        self.kept.insert(what, rows);
    }
}

impl Scope {
    /// For a region.
    pub fn of(graph: &Graph, region: RegionId) -> Self {
        let region = &graph.regions[region];
        let made = region.nodes.iter().flat_map(|&node| &graph.nodes[node].results);
        Self { own: region.params.iter().chain(made).copied().collect(), ..Self::default() }
    }

    /// The value that is meant by another one.
    pub fn meant(&self, value: ValueId) -> ValueId {
        self.same.get(&value).copied().unwrap_or(value)
    }

    /// True if the region defines this value.
    pub fn owns(&self, value: ValueId) -> bool {
        self.own.contains(&value)
    }

    /// The local copy of a value.
    pub fn local(&self, value: ValueId) -> Option<ValueId> {
        self.locals.get(&value).copied()
    }

    /// Says it.
    pub fn set_local(&mut self, value: ValueId, here: ValueId) {
        self.locals.insert(value, here);
    }

    /// The cotangent of a value so far.
    pub fn cotangent(&self, value: ValueId) -> Option<ValueId> {
        self.cotangents.get(&self.meant(value)).copied()
    }

    /// Says it.
    pub fn set_cotangent(&mut self, value: ValueId, cotangent: ValueId) {
        self.cotangents.insert(self.meant(value), cotangent);
    }

    /// Takes it away.
    pub fn take_cotangent(&mut self, value: ValueId) -> Option<ValueId> {
        self.cotangents.remove(&self.meant(value))
    }
}
