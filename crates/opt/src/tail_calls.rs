//! A function that calls itself as the last thing it does becomes a loop over its arguments:
//! `f(n, s) = s if n == 0 else f(n - 1, s + n)` ⇒ `while again: again, n, s = (False, n, s) if n == 0 else (True, n - 1, s + n)`.
//!
//! A call stands last if nothing runs behind it in its region and the function returns what it gives, in the same order; the region
//! is the function's body, or a branch of a `cond` that stands last itself. Other calls of the function stay what they are.
//!
//! The calls are counted, so that recursion without end is still a `RecursionError` at the call, though no stack ends. Arguments
//! that every call hands on unchanged are carries at first, which `carries` takes out.

mod ends;
mod header;
mod kept;
mod tested;
mod turns;

use gw_ir::{Builder, FunctionId, Graph, Unfit};
use gw_types::{DType, TensorType};

use ends::Ends;
use tested::Moved;
use turns::{Constants, Plan, Turn, first_carries, opened};

pub(crate) fn run(graph: &mut Graph) {
    for function in graph.called() {
        let body = graph.functions[function].body;
        let ends = Ends::of(graph, function, body, &graph.regions[body].results);
        if graph.functions[function].back.is_some() || !ends.calls() {
            continue;
        }
        let mut b = Builder::resume(graph.clone());
        // Values that do not fit are in no graph of ours; the function stays as it is.
        if let Ok(moved) = looped(&mut b, function, &ends) {
            *graph = b.finish(graph.results().to_vec());
            moved.put(graph);
        }
    }
}

/// Makes the body of a function that of a loop.
fn looped(b: &mut Builder, function: FunctionId, ends: &Ends) -> Result<Moved, Unfit> {
    let body = b.graph().functions[function].body;
    let [params, returned] =
        [&b.graph().regions[body].params, &b.graph().regions[body].results].map(Vec::clone);
    if let Some((tests, rest)) = header::tests(b.graph(), body, ends) {
        let plan = Plan::new(b, params.clone(), &[], rest);
        if plan.varying.is_empty() {
            return tested::looped(b, function, &plan, (&tests, rest));
        }
    }
    let plan = Plan::new(b, params, &returned, ends);
    b.begin(function);
    let first = first_carries(b, &plan)?;
    let [number, flag] = [DType::I64, DType::Bool].map(TensorType::scalar);
    let types: Vec<TensorType> = plan.types.iter().cloned().chain([number, flag]).collect();
    let constants = Constants::new(b);
    let test = b.open();
    let again = types.iter().map(|ty| b.param(ty.clone())).last().expect("a flag");
    b.close(vec![again]);
    let others = types[plan.params.len()..].iter().map(|ty| b.param_of(body, ty.clone()));
    let carries = plan.params.iter().copied().chain(others).collect();
    b.reopen(body);
    let next = Turn { b, plan: &plan, carries, constants: &constants }.next(ends)?;
    b.close(next);
    let is_open = |at: usize, var| at >= plan.params.len() || plan.varying.contains(&var);
    let behind = types.into_iter().enumerate();
    let behind = behind.map(|(at, ty)| opened(b, ty, |var| is_open(at, var))).collect();
    let first = [&first[..], &[constants.none, constants.flags[1]]].concat();
    let results = b.while_(&first, [test, body], behind);
    b.end(plan.kept.iter().map(|&at| results[at]).collect());
    Ok(Moved::default())
}

#[cfg(test)]
mod tests;
