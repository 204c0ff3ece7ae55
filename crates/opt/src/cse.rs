//! An op that was computed before on the same operands is not computed again: `a = x + y; b = x + y` ⇒ `b = a`.
//!
//! Values computed inside a region are known inside it only. An op that failed the first time is never
//! reached again.

use rustc_hash::FxHashMap;

use gw_ir::{Attr, Class, Graph, NodeId, Op, ValueId};
use gw_types::Shape;

use crate::facts::stands_for;
use crate::walk::{Visit, Walk};

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Cse { scopes: Vec::new() });
}

type Key = (Op, Attr, Vec<ValueId>);

struct Cse {
    /// Known values of each open region, the outermost first.
    scopes: Vec<FxHashMap<Key, ValueId>>,
}

impl Visit for Cse {
    fn enter(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    fn leave(&mut self) {
        self.scopes.pop();
    }

    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        let node = &walk.graph.nodes[id];
        let function = !matches!(node.op.class(), Class::Control | Class::Effect);
        let (true, &[result]) = (function, &node.results[..]) else {
            out.push(id);
            return;
        };
        let key = (node.op, node.attr.clone(), node.args.clone());
        let shape = |value| -> &Shape { &walk.graph.ty(value).shape };
        let known = self.scopes.iter().rev().find_map(|scope| scope.get(&key).copied());
        match known.filter(|&known| stands_for(shape(known), shape(result))) {
            Some(known) => walk.replace(result, known),
            None => {
                out.push(id);
                if let Some(scope) = self.scopes.last_mut() {
                    scope.insert(key, result);
                }
            }
        }
    }
}
