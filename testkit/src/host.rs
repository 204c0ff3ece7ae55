//! A host for graphs that call one: its functions are known by their numbers.

use gw_eval::{Array, EvalError, Failure, Outcome, run_with};
use gw_ir::{Graph, HostCall};

/// Results of a function.
type Given = Vec<Array>;

/// Results of function `number` for these arguments: 0 gives them back, 1 the first one twice as long along
/// its first axis (a scalar as it is), 2 nothing.
pub fn answer(number: usize, args: &[Array]) -> Option<Given> {
    match number {
        0 => Some(args.to_vec()),
        1 => args.first().map(|first| vec![twice(first)]),
        2 => Some(Vec::new()),
        _ => None,
    }
}

fn twice(array: &Array) -> Array {
    let mut lengths = array.lengths.clone();
    let Some(first) = lengths.first_mut() else { return array.clone() };
    *first *= 2;
    let elements = array.elements.iter().chain(&array.elements).copied();
    Array::new(array.dtype, lengths, elements)
}

/// Runs a graph with this host.
///
/// # Errors
/// Those of the interpreter.
pub fn run(graph: &Graph, inputs: &[Array]) -> Result<Outcome, EvalError> {
    let mut host = |call: &HostCall, args: &[&Array]| {
        let args: Vec<Array> = args.iter().copied().cloned().collect();
        let unknown = || EvalError::new(Failure::Runtime, format!("no function {}", call.number));
        answer(call.number, &args).ok_or_else(unknown)
    };
    run_with(graph, inputs, &mut host)
}
