//! A carry that is handed on as it came is no carry: `while t: x = x` ⇒ `x` of before the loop, inside and after it.
//!
//! Leaves the carry itself to `dce`.

use gw_ir::{Graph, NodeId, Op};

use crate::facts::stands_for;
use crate::walk::{Visit, Walk};

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Carries);
}

struct Carries;

impl Visit for Carries {
    fn before(&mut self, walk: &mut Walk, id: NodeId) {
        let node = &walk.graph.nodes[id];
        if node.op != Op::While {
            return;
        }
        let (init, results) = (node.args.clone(), node.results.clone());
        let [test, body] =
            [node.regions[0], node.regions[1]].map(|region| walk.graph.regions[region].clone());
        for (at, &init) in init.iter().enumerate() {
            let next = walk.resolve(body.results[at]);
            let same = next == body.params[at] || next == init;
            let wanted = [test.params[at], body.params[at], results[at]];
            let shape = |value| &walk.graph.ty(value).shape;
            if same && wanted.iter().all(|&value| stands_for(shape(init), shape(value))) {
                wanted.into_iter().for_each(|value| walk.replace(value, init));
            }
        }
    }

    fn node(&mut self, _walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        out.push(id);
    }
}
