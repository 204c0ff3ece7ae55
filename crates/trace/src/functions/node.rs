//! The call of a function of the graph: its arguments, what it stores into them, what it raises and returns.

use super::callee::Argument;
use super::host::{CallOf, CalleeOf, Functions};

/// Calls a function of the graph, which is known for `call`, with these leaves.
pub(super) fn call_node<H: Functions>(
    host: &H,
    call: &CallOf<H>,
    callee: &CalleeOf<H>,
    leaves: &[H::Value],
) -> Result<H::Value, H::Error> {
    let values =
        call.arguments.iter().zip(leaves).filter(|(argument, _)| matches!(argument, Argument::Value(_)));
    let values: Vec<H::Value> = values.map(|(_, leaf)| leaf.clone()).collect();
    host.check_stores(callee, &values)?;
    let mut given = callee.call(host, &values)?;
    let result = given.remove(0);
    host.raise_told(call, callee.function(), &result, &given)?;
    if call.hands_back() {
        host.link(&result, &values)?;
    }
    Ok(result)
}
