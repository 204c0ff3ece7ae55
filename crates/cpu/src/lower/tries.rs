//! `try` and `leave`: a jump to the end of the `try`, with numbers in variables and arrays by their addresses.

use gw_base::Id;
use gw_ir::{Node, NodeId, ValueId};

use super::context::{Lower, Lowers, broken};
use super::place::Held;
use crate::loops::{Arm, Stmt, Ty, Unary, Var};

impl Lower<'_> {
    pub(super) fn try_(&mut self, node: &Node) -> Lowers<()> {
        let id = self.node;
        let places = self.places_of_results(node)?;
        self.tries.extend(id);
        self.b.open();
        self.memo.clear();
        self.region(node.regions[0])?;
        self.tries.pop();
        self.node = id;
        let given = self.handed(id, node, &self.graph.regions[node.regions[0]].results)?;
        let body = self.b.close(given.iter().flat_map(vars).collect());
        self.memo.clear();
        let mut outs = Vec::new();
        let mut fresh = |lower: &mut Self, like: Var| {
            outs.push(lower.b.fresh(lower.b.ty(like)));
            outs[outs.len() - 1]
        };
        let mut held = Vec::new();
        for given in &given {
            held.push(match given {
                Held::Scalar(var) => (None, fresh(self, *var), Vec::new()),
                Held::View(view) => {
                    let ptr = fresh(self, view.ptr);
                    (Some(view.ty), ptr, view.dims.iter().map(|&dim| fresh(self, dim)).collect())
                }
                Held::Delayed(_) => return Err(broken("a `try` gives what is not in memory")),
            });
        }
        self.b.push(Stmt::Try { body, outs });
        for ((&result, (ty, var, dims)), place) in node.results.iter().zip(held).zip(places) {
            let held = match ty {
                Some(ty) => Held::View(self.dense(place.unwrap_or(var), ty, dims)),
                None => Held::Scalar(var),
            };
            self.define(result, held)?;
        }
        Ok(())
    }

    pub(super) fn leave(&mut self, node: &Node) -> Lowers<()> {
        let ok = self.scalar(node.args[0])?;
        if self.b.known(ok) == Some(1) {
            return Ok(());
        }
        let id = *self.tries.last().ok_or_else(|| broken("a `leave` without a `try`"))?;
        let around = &self.graph.nodes[id];
        let left = self.b.unary(Unary::Not, ok);
        // Values computed here are there only if the `try` is left.
        let before: Vec<_> = node.args.iter().map(|&arg| (arg, self.held[arg.index()].clone())).collect();
        let (memo, elements) = (self.memo.clone(), self.elements);
        self.b.open();
        let given = self.handed(Some(id), around, &node.args[1..])?;
        let never = self.b.int(Ty::Bool, 0);
        self.b.push(Stmt::Leave { ok: never, given: given.iter().flat_map(vars).collect() });
        let then = self.b.close(Vec::new());
        self.b.push(Stmt::If { test: left, cold: true, then, otherwise: Arm::default(), outs: Vec::new() });
        (self.memo, self.elements) = (memo, elements);
        before.into_iter().for_each(|(arg, held)| self.held[arg.index()] = held);
        self.b.learn_true(ok);
        self.assume(node.args[0], true);
        Ok(())
    }

    /// Addresses of the results of a `try` that lie in memory from before, whichever way it ends.
    fn places_of_results(&mut self, node: &Node) -> Lowers<Vec<Option<Var>>> {
        let mut places = Vec::new();
        for at in 0..node.results.len() {
            places.push(self.place_of_result(self.node, at)?);
        }
        Ok(places)
    }

    fn place_of_result(&mut self, id: Option<NodeId>, at: usize) -> Lowers<Option<Var>> {
        let source = id.and_then(|id| self.reuse.lies_in(id, at));
        source.map(|source| Ok(self.materialise(source)?.ptr)).transpose()
    }

    /// Values as the results of a `try`.
    fn handed(&mut self, id: Option<NodeId>, around: &Node, values: &[ValueId]) -> Lowers<Vec<Held>> {
        let mut given = Vec::new();
        for (at, (&result, &value)) in around.results.iter().zip(values).enumerate() {
            let held = self.settled(value)?;
            let held = self.fitted(result, held);
            let place = self.place_of_result(id, at)?;
            let stays = match (&held, place) {
                (Held::View(view), Some(place)) => view.ptr == place,
                (Held::View(_) | Held::Scalar(_) | Held::Delayed(_), _) => place.is_none(),
            };
            if !stays {
                return Err(broken("a result of a `try` changes its place"));
            }
            given.push(held);
        }
        Ok(given)
    }
}

/// Variables that stand for a value: a number, or an address and its lengths.
fn vars(held: &Held) -> Vec<Var> {
    match held {
        Held::Scalar(var) => vec![*var],
        Held::View(view) => [vec![view.ptr], view.dims.clone()].concat(),
        Held::Delayed(_) => Vec::new(),
    }
}
