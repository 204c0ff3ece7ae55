//! The graph as data: regions of nodes in order, values with types. Facts about them live in tables beside it.
//!
//! SSA: each value is defined once, by a region's parameter or a node. A region sees the values of the regions around
//! it that are defined before the node that owns it. Order matters for effects: nodes run in the order of their region.

use gw_base::{Loc, Table};
use gw_types::{DimVar, TensorType};

use crate::ids::{FunctionId, NodeId, RegionId, ValueId};
use crate::{Attr, Op};

/// One staged function.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The user's name for it.
    pub name: String,
    /// Its outermost region: the parameters are the function's, the results what it returns.
    pub body: RegionId,
    /// The functions that were made to be called; those that nobody calls are dead.
    pub functions: Table<FunctionId, Function>,
    /// Every node that was made; those that no region lists are dead.
    pub nodes: Table<NodeId, Node>,
    /// Every value that was made.
    pub values: Table<ValueId, Value>,
    /// Every region that was made.
    pub regions: Table<RegionId, Region>,
    /// Place in the user's text that each node comes from.
    pub places: Table<NodeId, Option<Loc>>,
    /// Number of dimension variables, which is also the number of the next one.
    pub dim_vars: u32,
}

/// A function that `call` runs: it sees nothing but its parameters, and may call itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The user's name for it.
    pub name: String,
    /// The parameters are those of the function, the results what it returns.
    pub body: RegionId,
    /// Its own backward pass, where it is not that of what it does: a function from a cotangent of each result,
    /// and what else it needs, to cotangents of the first parameters. The function's parameters are these first,
    /// then what the backward pass needs, and at last its results.
    pub back: Option<FunctionId>,
}

/// One operation with what it takes and gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Op that the node executes.
    pub op: Op,
    /// Attribute: parameters of the op besides its operands.
    pub attr: Attr,
    /// Operands.
    pub args: Vec<ValueId>,
    /// `cond`: then, else. `while`: test, body. `try`: body. Otherwise none.
    pub regions: Vec<RegionId>,
    /// Results.
    pub results: Vec<ValueId>,
}

/// A sequence of nodes that takes parameters and gives results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Region {
    /// `while`: the carries, for test and body alike. The function's parameters for its body.
    pub params: Vec<ValueId>,
    /// In the order in which they run.
    pub nodes: Vec<NodeId>,
    /// Values that the region yields.
    pub results: Vec<ValueId>,
}

/// One value: its type and who defines it.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// Element type and shape.
    pub ty: TensorType,
    /// Definition of the value.
    pub def: ValueDef,
    /// The user's name for it, where it has one.
    pub name: Option<String>,
}

/// Definition of a value: its node or its region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueDef {
    /// The region's parameter at this position.
    Param(RegionId, usize),
    /// The node's result at this position.
    Result(NodeId, usize),
}

impl Graph {
    /// The function's parameters.
    pub fn params(&self) -> &[ValueId] {
        &self.regions[self.body].params
    }

    /// Results of the function.
    pub fn results(&self) -> &[ValueId] {
        &self.regions[self.body].results
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &TensorType {
        &self.values[value].ty
    }

    /// The types of values.
    pub fn types(&self, values: &[ValueId]) -> Vec<TensorType> {
        values.iter().map(|&v| self.ty(v).clone()).collect()
    }

    /// The node that gives this value, if a node does.
    pub fn definer(&self, value: ValueId) -> Option<NodeId> {
        match self.values[value].def {
            ValueDef::Result(node, _) => Some(node),
            ValueDef::Param(..) => None,
        }
    }

    /// The axis that an `index` takes as the program counts it: `x[0, n]` is an `index` for each number, and the second one takes an
    /// axis of what the first one leaves.
    pub fn written_axis(&self, index: NodeId, axis: usize) -> usize {
        let place = &self.places[index];
        let before = |node: NodeId| {
            let of = self.definer(*self.nodes[node].args.first()?)?;
            (self.nodes[of].op == Op::Index && self.places[of] == *place).then_some(of)
        };
        let (mut node, mut found) = (index, axis);
        while let (Some(of), true) = (before(node), place.is_some()) {
            let Attr::Axis(taken) = self.nodes[of].attr else { break };
            found += usize::from(taken <= found);
            node = of;
        }
        found
    }

    /// The functions that are called from the body, directly or not, in the order in which they are met; their own ways back
    /// are among them.
    pub fn called(&self) -> Vec<FunctionId> {
        let mut met = Vec::new();
        if !self.functions.is_empty() {
            self.meet(self.body, &mut met);
            let mut at = 0;
            while let Some(&function) = met.get(at) {
                let Function { body, back, .. } = self.functions[function];
                met.extend(back.filter(|back| !met.contains(back)));
                self.meet(body, &mut met);
                at += 1;
            }
        }
        met
    }

    /// The functions that are called with names of their own: the user's, numbered where another function has it.
    pub fn named(&self) -> Vec<(FunctionId, String)> {
        let mut named: Vec<(FunctionId, String)> = Vec::new();
        for id in self.called() {
            let own = &self.functions[id].name;
            let taken = |name: &String| *name == self.name || named.iter().any(|(_, other)| other == name);
            let copies = (2..).map(|copy| format!("{own}_{copy}"));
            let name = std::iter::once(own.clone()).chain(copies).find(|name| !taken(name));
            named.extend(name.map(|name| (id, name)));
        }
        named
    }

    fn meet(&self, region: RegionId, met: &mut Vec<FunctionId>) {
        for node in self.regions[region].nodes.iter().map(|&id| &self.nodes[id]) {
            if let Attr::Function(function) = node.attr
                && !met.contains(&function)
            {
                met.push(function);
            }
            node.regions.iter().for_each(|&inner| self.meet(inner, met));
        }
    }

    /// The outermost regions: the body, and those of the functions that are called.
    pub fn roots(&self) -> Vec<RegionId> {
        let called = self.called().into_iter().map(|function| self.functions[function].body);
        [self.body].into_iter().chain(called).collect()
    }

    /// A dimension variable that nothing else uses.
    pub fn fresh_dim(&mut self) -> DimVar {
        self.dim_vars += 1;
        DimVar(self.dim_vars - 1)
    }
}
