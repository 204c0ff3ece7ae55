//! The ends of a function: what it does last, on each path.

use gw_ir::{Attr, FunctionId, Graph, NodeId, Op, RegionId, ValueId};

/// The ends of a function: what it does last.
pub(super) enum Ends {
    /// It returns these.
    Return(Vec<ValueId>),
    /// It returns what this call of itself gives.
    Call(NodeId),
    /// Those of the two branches of a `cond`.
    Branch(NodeId, Box<[Ends; 2]>),
}

impl Ends {
    /// The ends of a region behind which the function returns these, which the region gives.
    pub(super) fn of(graph: &Graph, function: FunctionId, region: RegionId, returned: &[ValueId]) -> Self {
        let last = graph.regions[region].nodes.last().copied();
        let found = last.and_then(|id| {
            let node = &graph.nodes[id];
            if node.attr == Attr::Function(function) {
                return (node.results == returned).then_some(Ends::Call(id));
            }
            let is_branch = node.op == Op::Cond;
            let place = |value| node.results.iter().position(|result| result == value);
            let places: Vec<usize> =
                returned.iter().map(place).collect::<Option<_>>().filter(|_| is_branch)?;
            let arms = [0, 1].map(|arm| {
                let given = &graph.regions[node.regions[arm]].results;
                let given: Vec<ValueId> = places.iter().map(|&at| given[at]).collect();
                Self::of(graph, function, node.regions[arm], &given)
            });
            arms.iter().any(Self::calls).then(|| Ends::Branch(id, Box::new(arms)))
        });
        found.unwrap_or_else(|| Ends::Return(returned.to_vec()))
    }

    /// True if one of them is a call.
    pub(super) fn calls(&self) -> bool {
        match self {
            Ends::Return(_) => false,
            Ends::Call(_) => true,
            Ends::Branch(_, arms) => arms.iter().any(Ends::calls),
        }
    }

    /// True if one of them is none.
    pub(super) fn returns(&self) -> bool {
        match self {
            Ends::Return(_) => true,
            Ends::Call(_) => false,
            Ends::Branch(_, arms) => arms.iter().any(Ends::returns),
        }
    }

    /// Arguments of each call, and what is returned where there is none.
    pub(super) fn each<'a>(
        &'a self,
        graph: &'a Graph,
        calls: &mut Vec<&'a [ValueId]>,
        returns: &mut Vec<&'a [ValueId]>,
    ) {
        match self {
            Ends::Return(values) => returns.push(values),
            Ends::Call(id) => calls.push(&graph.nodes[*id].args),
            Ends::Branch(_, arms) => arms.iter().for_each(|arm| arm.each(graph, calls, returns)),
        }
    }
}
