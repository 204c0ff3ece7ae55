//! Judges a whole graph: a graph is legal, or it does not leave the room that made it.

use std::fmt;

use gw_base::{Broken, Id};
use gw_types::{DType, Dim, DimVar, TensorType};

use crate::{Attr, Class, Function, FunctionId, Graph, Node, NodeId, Op, RegionId, ValueDef, ValueId, infer};

/// Judges `graph`; what does not hold is blamed on `blame`, the pass or room that made it last.
///
/// Values are defined once and before their uses, in a region that the user of the value sees; nodes have the operands,
/// attributes and result types that `infer` asks for, up to dimension variables; regions take and give what their
/// nodes do.
///
/// # Errors
/// The first rule that does not hold.
pub fn verify(graph: &Graph, blame: &'static str) -> Result<(), Broken> {
    let mut judge = Judge {
        graph,
        visible: vec![false; graph.values.len()],
        defined: vec![false; graph.values.len()],
        listed: vec![false; graph.nodes.len()],
        owned: vec![false; graph.regions.len()],
        tries: Vec::new(),
        at: None,
    };
    judge.whole().map_err(|rule| {
        let at = judge.at.and_then(|id| Some((id, graph.nodes.get(id)?.op.text())));
        Broken::new(blame, at.map_or(rule.clone(), |(id, op)| format!("{rule}, in `{op}` {id:?}")))
    })
}

/// True if a value of type `given` may stand where `wanted` is written: same dtype and rank, and each known
/// length of `wanted` is met by itself or by a length unknown so far.
pub fn fits(given: &TensorType, wanted: &TensorType) -> bool {
    let met = |(given, wanted): (&Dim, &Dim)| match (given, wanted) {
        (Dim::Fixed(m), Dim::Fixed(n)) => m == n,
        (Dim::Var(_), _) | (_, Dim::Var(_)) => true,
    };
    given.dtype == wanted.dtype
        && given.rank() == wanted.rank()
        && given.shape.0.iter().zip(&wanted.shape.0).all(met)
}

type Judged = Result<(), String>;

struct Judge<'a> {
    graph: &'a Graph,
    visible: Vec<bool>,
    defined: Vec<bool>,
    listed: Vec<bool>,
    owned: Vec<bool>,
    /// The results of each `try` around, the innermost last.
    tries: Vec<Vec<TensorType>>,
    /// The innermost node that breaks the rule.
    at: Option<NodeId>,
}

impl Judge<'_> {
    fn whole(&mut self) -> Judged {
        let (nodes, places) = (self.graph.nodes.len(), self.graph.places.len());
        require(nodes == places, || format!("{nodes} nodes have {places} places"))?;
        self.region(self.graph.body)?;
        self.at = None;
        let called = self.graph.called();
        called.into_iter().try_for_each(|function| {
            self.region(self.graph.functions[function].body)?;
            self.back(function)
        })
    }

    /// A backward pass takes cotangents of the results, and what follows the parameters to which it flows.
    fn back(&self, function: FunctionId) -> Judged {
        let Function { body, back, .. } = self.graph.functions[function];
        let Some(back) = back else { return Ok(()) };
        let types = |values: &[ValueId]| self.graph.types(values);
        let (own, back) = (&self.graph.regions[body], &self.graph.regions[self.graph.functions[back].body]);
        let (to, from) = (back.results.len(), own.results.len());
        require(to + from <= own.params.len(), || "a way back to more than there is".to_owned())?;
        let (sources, others) = own.params.split_at(to);
        let mut given = types(&own.results);
        given.extend(types(&others[..others.len() - from]));
        self.list(
            &types(&own.results),
            &types(&others[others.len() - from..]),
            "results that are handed on",
        )?;
        self.list(&types(&back.results), &types(sources), "results of a way back")?;
        self.list(&given, &types(&back.params), "arguments of a way back")
    }

    fn region(&mut self, id: RegionId) -> Judged {
        let region = self.graph.regions.get(id).ok_or_else(|| format!("{id:?} does not exist"))?;
        claim(&mut self.owned, id, "has two owners")?;
        for (at, &param) in region.params.iter().enumerate() {
            self.define(param, ValueDef::Param(id, at))?;
        }
        for &node in &region.nodes {
            self.node(node).inspect_err(|_| self.at = self.at.or(Some(node)))?;
        }
        region.results.iter().try_for_each(|&result| self.use_of(result))?;
        for &node in &region.nodes {
            self.graph.nodes[node].results.iter().for_each(|&v| self.visible[v.index()] = false);
        }
        region.params.iter().for_each(|&v| self.visible[v.index()] = false);
        Ok(())
    }

    fn node(&mut self, id: NodeId) -> Judged {
        let node = self.graph.nodes.get(id).ok_or_else(|| format!("{id:?} does not exist"))?;
        claim(&mut self.listed, id, "is listed twice")?;
        node.args.iter().try_for_each(|&arg| self.use_of(arg))?;
        self.tries.extend((node.op == Op::Try).then(|| self.graph.types(&node.results)));
        node.regions.iter().try_for_each(|&region| self.region(region))?;
        match node.op.class() {
            Class::Control if node.op == Op::Cond => self.cond(node)?,
            Class::Control if node.op == Op::Call => self.call(node)?,
            Class::Control if node.op == Op::Try => self.try_(node)?,
            Class::Control => self.while_(node)?,
            Class::Elementwise | Class::Reduce | Class::Move | Class::Contract | Class::Matrices => {
                self.plain(node)?;
            }
            Class::Effect if node.op == Op::Leave => self.leave(node)?,
            Class::Source | Class::Effect => self.plain(node)?,
        }
        for (at, &result) in node.results.iter().enumerate() {
            self.define(result, ValueDef::Result(id, at))?;
        }
        Ok(())
    }

    fn use_of(&self, value: ValueId) -> Judged {
        let seen = self.visible.get(value.index()).copied().unwrap_or(false);
        require(seen, || format!("{value:?} is not defined before it is used, or not seen from there"))
    }

    fn define(&mut self, value: ValueId, by: ValueDef) -> Judged {
        let row = self.graph.values.get(value).ok_or_else(|| format!("{value:?} does not exist"))?;
        claim(&mut self.defined, value, "is defined twice")?;
        require(row.def == by, || format!("{value:?} says it is {:?}, but is {by:?}", row.def))?;
        let known = |dim: &Dim| match dim {
            Dim::Var(DimVar(var)) => *var < self.graph.dim_vars,
            Dim::Fixed(_) => true,
        };
        require(row.ty.shape.0.iter().all(known), || format!("{} has a variable of another graph", row.ty))?;
        self.visible[value.index()] = true;
        Ok(())
    }

    fn plain(&self, node: &Node) -> Judged {
        require(node.regions.is_empty(), || "regions where none belong".to_owned())?;
        let mut next = self.graph.dim_vars;
        let mut fresh = || {
            next += 1;
            DimVar(next - 1)
        };
        let wanted = infer(node.op, &node.attr, &self.graph.types(&node.args), &mut fresh);
        let wanted = wanted.map_err(|unfit| format!("{}: {}", unfit.clause, unfit.message))?;
        self.list(&wanted, &self.graph.types(&node.results), "results")
    }

    fn cond(&self, node: &Node) -> Judged {
        let (&[test], &[then, other]) = (&node.args[..], &node.regions[..]) else {
            return Err("a test and two regions are wanted".to_owned());
        };
        require(node.attr == Attr::None, || "an attribute where none belongs".to_owned())?;
        self.test(test)?;
        for region in [then, other] {
            let region = &self.graph.regions[region];
            require(region.params.is_empty(), || "a branch has parameters".to_owned())?;
            let given = self.graph.types(&region.results);
            self.list(&given, &self.graph.types(&node.results), "results of a branch")?;
        }
        Ok(())
    }

    fn while_(&self, node: &Node) -> Judged {
        let &[test, body] = &node.regions[..] else { return Err("two regions are wanted".to_owned()) };
        require(node.attr == Attr::None, || "an attribute where none belongs".to_owned())?;
        let [test, body] = [test, body].map(|region| &self.graph.regions[region]);
        let &[again] = &test.results[..] else { return Err("a test gives one value".to_owned()) };
        self.test(again)?;
        let types = |values: &[ValueId]| self.graph.types(values);
        let given = [types(&node.args), types(&body.results)];
        for (given, what) in given.iter().zip(["first carries", "next carries"]) {
            self.list(given, &types(&test.params), what)?;
            self.list(given, &types(&body.params), what)?;
            self.list(given, &types(&node.results), what)?;
        }
        Ok(())
    }

    fn call(&self, node: &Node) -> Judged {
        let Attr::Function(function) = node.attr else { return Err("a function is wanted".to_owned()) };
        require(node.regions.is_empty(), || "regions where none belong".to_owned())?;
        let body = &self.graph.regions[self.graph.functions[function].body];
        self.list(&self.graph.types(&node.args), &self.graph.types(&body.params), "arguments")?;
        self.list(&self.graph.types(&body.results), &self.graph.types(&node.results), "results of a function")
    }

    fn try_(&mut self, node: &Node) -> Judged {
        let &[body] = &node.regions[..] else { return Err("one region is wanted".to_owned()) };
        require(node.attr == Attr::None, || "an attribute where none belongs".to_owned())?;
        require(node.args.is_empty(), || "operands where none belong".to_owned())?;
        let body = &self.graph.regions[body];
        require(body.params.is_empty(), || "the region has parameters".to_owned())?;
        let results = self.tries.pop().unwrap_or_default();
        self.list(&self.graph.types(&body.results), &results, "results of a region")
    }

    fn leave(&self, node: &Node) -> Judged {
        self.plain(node)?;
        let results = self.tries.last().ok_or("there is no `try` around it")?;
        self.list(&self.graph.types(&node.args[1..]), results, "values")
    }

    fn test(&self, test: ValueId) -> Judged {
        let ty = self.graph.ty(test);
        require(*ty == TensorType::scalar(DType::Bool), || format!("a test is {ty}, not a bool scalar"))
    }

    fn list(&self, given: &[TensorType], wanted: &[TensorType], what: &str) -> Judged {
        let (m, n) = (given.len(), wanted.len());
        require(m == n, || format!("{m} {what} where {n} are wanted"))?;
        let misfit = given.iter().zip(wanted).find(|(given, wanted)| !fits(given, wanted));
        misfit.map_or(Ok(()), |(given, wanted)| Err(format!("{what}: {given} where {wanted} is wanted")))
    }
}

fn require(holds: bool, rule: impl FnOnce() -> String) -> Judged {
    if holds { Ok(()) } else { Err(rule()) }
}

/// Marks a thing that must be met only once.
fn claim<I: Id + fmt::Debug>(met: &mut [bool], id: I, again: &str) -> Judged {
    require(!std::mem::replace(&mut met[id.index()], true), || format!("{id:?} {again}"))
}

#[cfg(test)]
mod tests {
    use crate::{BinaryOp, CompareOp};

    use super::*;
    use crate::Builder;
    use expect_test::{Expect, expect};

    /// Counts to the parameter, with one thing broken.
    #[track_caller]
    fn check(break_it: impl FnOnce(&mut Graph), expected: Expect) {
        let mut graph = counting();
        assert_eq!(verify(&graph, "test"), Ok(()));
        break_it(&mut graph);
        expected.assert_eq(&verify(&graph, "test").expect_err("broken").rule);
    }

    fn counting() -> Graph {
        let mut b = Builder::new("count");
        let i64_ = TensorType::scalar(DType::I64);
        let n = b.param(i64_.clone());
        let test = b.open();
        let i = b.param(i64_.clone());
        let more = b.op(CompareOp::Lt, Attr::None, &[i, n]).expect("fits");
        b.close(vec![more]);
        let body = b.open();
        let i = b.param(i64_.clone());
        let next = b.op(BinaryOp::Add, Attr::None, &[i, i]).expect("fits");
        b.close(vec![next]);
        let results = b.while_(&[n], [test, body], vec![i64_]);
        b.finish(results)
    }

    fn node_of(graph: &Graph, op: Op) -> NodeId {
        graph.nodes.iter().find(|(_, node)| node.op == op).expect("such a node").0
    }

    #[test]
    fn a_value_is_seen_only_inside_its_region() {
        let break_it = |g: &mut Graph| {
            let body = g.body;
            let inner = g.nodes[node_of(g, Op::Binary(BinaryOp::Add))].results[0];
            g.regions[body].results = vec![inner];
        };
        check(break_it, expect!["ValueId(4) is not defined before it is used, or not seen from there"]);
    }

    #[test]
    fn a_node_has_what_its_op_asks_for() {
        let break_it = |g: &mut Graph| {
            let add = node_of(g, Op::Binary(BinaryOp::Add));
            g.nodes[add].args.pop();
        };
        check(break_it, expect!["add.c0: takes 2 operands, not 1, in `add` NodeId(1)"]);
        let break_it = |g: &mut Graph| {
            let sum = g.nodes[node_of(g, Op::Binary(BinaryOp::Add))].results[0];
            g.values[sum].ty = TensorType::scalar(DType::F32);
        };
        check(break_it, expect!["results: i64[] where f32[] is wanted, in `add` NodeId(1)"]);
    }

    #[test]
    fn regions_take_and_give_what_the_loop_does() {
        let break_it = |g: &mut Graph| {
            let body = g.nodes[node_of(g, Op::While)].regions[1];
            g.regions[body].results.clear();
        };
        check(break_it, expect!["0 next carries where 1 are wanted, in `while` NodeId(2)"]);
        let break_it = |g: &mut Graph| {
            let node = node_of(g, Op::While);
            let body = g.nodes[node].regions[1];
            g.nodes[node].regions = vec![body, body];
        };
        check(break_it, expect!["RegionId(2) has two owners, in `while` NodeId(2)"]);
    }

    #[test]
    fn known_lengths_meet_themselves_or_variables() {
        let ty = |text: &str| text.parse::<TensorType>().expect("a type");
        assert!(fits(&ty("f32[2,?0]"), &ty("f32[?1,3]")));
        assert!(!fits(&ty("f32[2]"), &ty("f32[3]")));
        assert!(!fits(&ty("f32[2]"), &ty("f32[2,2]")));
    }
}
