//! A graph without its dead things: nodes, values and regions are numbered anew, in the order of the text form.

use rustc_hash::FxHashMap;

use gw_base::{Id, Table};
use gw_types::{Dim, DimVar, TensorType};

use crate::{Attr, Function, FunctionId, Graph, Node, NodeId, Region, RegionId, Value, ValueDef, ValueId};

impl Graph {
    /// The same graph with only what its body reaches; equal graphs become equal tables, names and places apart.
    ///
    /// The graph must be legal.
    #[must_use]
    pub fn compact(&self) -> Graph {
        let mut copy = Copy {
            old: self,
            new: Graph {
                name: self.name.clone(),
                body: RegionId::new(0),
                functions: Table::new(),
                nodes: Table::new(),
                values: Table::new(),
                regions: Table::new(),
                places: Table::new(),
                dim_vars: 0,
            },
            values: vec![None; self.values.len()],
            dims: FxHashMap::default(),
            called: self.called(),
        };
        copy.region(self.body);
        for (function, name) in self.named() {
            let Function { body, back, .. } = self.functions[function];
            let back = back.map(|back| copy.renumbered(back));
            let body = copy.region(body);
            copy.new.functions.push(Function { name, body, back });
        }
        copy.new
    }
}

struct Copy<'a> {
    old: &'a Graph,
    new: Graph,
    values: Vec<Option<ValueId>>,
    dims: FxHashMap<DimVar, DimVar>,
    /// The functions that stay, in their new order.
    called: Vec<FunctionId>,
}

impl Copy<'_> {
    fn region(&mut self, id: RegionId) -> RegionId {
        let old = &self.old.regions[id];
        let region = self.new.regions.push(Region::default());
        let params = old.params.iter().enumerate();
        let params = params.map(|(at, &param)| self.define(param, ValueDef::Param(region, at))).collect();
        self.new.regions[region].params = params;
        for &node in &old.nodes {
            let node = self.node(node);
            self.new.regions[region].nodes.push(node);
        }
        self.new.regions[region].results = self.uses(&old.results);
        region
    }

    fn node(&mut self, id: NodeId) -> NodeId {
        let old = &self.old.nodes[id];
        let args = self.uses(&old.args);
        let regions = old.regions.iter().map(|&region| self.region(region)).collect();
        let node = self.new.nodes.next_id();
        let results = old.results.iter().enumerate();
        let results = results.map(|(at, &result)| self.define(result, ValueDef::Result(node, at))).collect();
        let mut attr = old.attr.clone();
        if let Attr::Function(function) = &mut attr {
            *function = self.renumbered(*function);
        }
        self.new.nodes.push(Node { op: old.op, attr, args, regions, results });
        self.new.places.push(self.old.places[id].clone())
    }

    fn renumbered(&self, function: FunctionId) -> FunctionId {
        let at = self.called.iter().position(|&called| called == function);
        FunctionId::new(at.expect("a function that is called stays"))
    }

    fn define(&mut self, value: ValueId, def: ValueDef) -> ValueId {
        let old = &self.old.values[value];
        let ty = self.ty(&old.ty);
        let new = self.new.values.push(Value { ty, def, name: old.name.clone() });
        self.values[value.index()] = Some(new);
        new
    }

    fn ty(&mut self, ty: &TensorType) -> TensorType {
        let mut ty = ty.clone();
        for dim in &mut ty.shape.0 {
            if let Dim::Var(var) = dim {
                let next = DimVar(self.new.dim_vars);
                let new = *self.dims.entry(*var).or_insert(next);
                self.new.dim_vars += u32::from(new == next);
                *dim = Dim::Var(new);
            }
        }
        ty
    }

    fn uses(&self, values: &[ValueId]) -> Vec<ValueId> {
        values.iter().map(|v| self.values[v.index()].expect("defined before it is used")).collect()
    }
}
