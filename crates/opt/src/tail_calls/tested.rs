//! A loop that goes on by the tests with which its function begins:
//! `f(n, s) = s if n == 0 else f(n - 1, s + n)` ⇒ `go = n != 0; while go: n, s = n - 1, s + n; go = n != 0`, and `s` behind it.

use rustc_hash::FxHashMap;

use gw_ir::{Attr, BinaryOp, Builder, FunctionId, Graph, Literal, NodeId, UnaryOp, Unfit, ValueId};
use gw_types::{DType, Scalar, TensorType};

use super::ends::Ends;
use super::header::Test;
use super::turns::{Constants, Plan, Turn, first_carries, opened};

type Values = FxHashMap<ValueId, ValueId>;

/// The results of a function stand behind its loop now: these values stand for others in them.
#[derive(Default)]
pub(super) struct Moved(Vec<(Vec<NodeId>, Values)>);

/// Makes the body of a function that of a loop; `rest` are the ends behind its tests.
pub(super) fn looped(
    b: &mut Builder,
    function: FunctionId,
    plan: &Plan,
    (tests, rest): (&[Test], &Ends),
) -> Result<Moved, Unfit> {
    let body = b.graph().functions[function].body;
    let returned = b.graph().types(&b.graph().regions[body].results);
    b.begin(function);
    let first = first_carries(b, plan)?;
    let constants = Constants::new(b);
    let goes_on = again(b, tests, &mut values(&plan.params, &first))?;
    let [number, flag] = [DType::I64, DType::Bool].map(TensorType::scalar);
    let types: Vec<TensorType> = plan.types.iter().cloned().chain([number, flag]).collect();
    let test = b.open();
    let on = types.iter().map(|ty| b.param(ty.clone())).last().expect("a flag");
    b.close(vec![on]);
    let others: Vec<ValueId> =
        types[plan.params.len()..].iter().map(|ty| b.param_of(body, ty.clone())).collect();
    for test in tests {
        b.move_before(test.goes_on, body, test.branch, true);
    }
    b.reopen(body);
    let carries = [&plan.params[..], &others].concat();
    let mut next = Turn { b, plan, carries, constants: &constants }.next(rest)?;
    next[types.len() - 1] = again(b, tests, &mut values(&plan.params, &next))?;
    b.close(next);
    let results = b.while_(&[&first[..], &[constants.none, goes_on]].concat(), [test, body], types);
    let mut moved = Moved::default();
    let given = moved.ended(b, tests, values(&plan.params, &results), &returned)?;
    b.end(given);
    Ok(moved)
}

fn values(from: &[ValueId], to: &[ValueId]) -> Values {
    from.iter().copied().zip(to.iter().copied()).collect()
}

fn now(values: &Values, value: ValueId) -> ValueId {
    values.get(&value).copied().unwrap_or(value)
}

/// Computes what comes before a test once more, of other arguments; gives the test.
fn tested(b: &mut Builder, test: &Test, values: &mut Values) -> ValueId {
    for &id in &test.nodes {
        let node = &b.graph().nodes[id];
        let args: Vec<ValueId> = node.args.iter().map(|&arg| now(values, arg)).collect();
        let results = node.results.clone();
        values.extend(results.into_iter().zip(b.again(id, &args, Vec::new())));
    }
    b.set_place(b.graph().places[test.branch].clone());
    now(values, test.test)
}

/// True if the function calls itself.
fn again(b: &mut Builder, tests: &[Test], values: &mut Values) -> Result<ValueId, Unfit> {
    let mut all: Option<ValueId> = None;
    for test in tests {
        let mut holds = tested(b, test, values);
        if test.returns_if {
            holds = b.op(UnaryOp::Not, Attr::None, &[holds])?;
        }
        all = Some(match all {
            Some(before) => b.op(BinaryOp::And, Attr::None, &[before, holds])?,
            None => holds,
        });
    }
    Ok(all.expect("a test"))
}

impl Moved {
    /// The results of the function behind the loop, of these arguments: one of the tests holds.
    fn ended(
        &mut self,
        b: &mut Builder,
        tests: &[Test],
        mut values: Values,
        types: &[TensorType],
    ) -> Result<Vec<ValueId>, Unfit> {
        let [test, others @ ..] = tests else { return Ok(Vec::new()) };
        let holds = tested(b, test, &mut values);
        let returned = test.returned.iter().map(|&value| now(&values, value)).collect();
        if others.is_empty() {
            let nodes = b.graph().regions[test.end].nodes.clone();
            let place = b.constant(Literal::scalar(DType::Bool, Scalar::Bool(false)));
            let place = b.graph().definer(place).expect("a node");
            b.move_before(test.end, b.region(), place, true);
            self.0.push((nodes, values));
            return Ok(returned);
        }
        b.reopen(test.end);
        b.close(returned);
        let nodes = b.graph().regions[test.end].nodes.clone();
        self.0.push((nodes, values.clone()));
        let other = b.open();
        let given = self.ended(b, others, values, types)?;
        b.close(given);
        let types = types.iter().map(|ty| opened(b, ty.clone(), |_| true)).collect();
        b.set_place(b.graph().places[test.branch].clone());
        let regions = if test.returns_if { [test.end, other] } else { [other, test.end] };
        Ok(b.cond(holds, regions, types))
    }

    /// Puts the values in.
    pub(super) fn put(self, graph: &mut Graph) {
        for (nodes, values) in self.0 {
            nodes.into_iter().for_each(|id| put(graph, id, &values));
        }
    }
}

fn put(graph: &mut Graph, id: NodeId, values: &Values) {
    graph.nodes[id].args.iter_mut().for_each(|arg| *arg = now(values, *arg));
    for region in graph.nodes[id].regions.clone() {
        graph.regions[region].results.iter_mut().for_each(|result| *result = now(values, *result));
        graph.regions[region].nodes.clone().into_iter().for_each(|inner| put(graph, inner, values));
    }
}

#[cfg(test)]
mod tests;
