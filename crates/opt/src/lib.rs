//! Makes graphs smaller and faster without a change of meaning: same results, same failures, same effects in the same
//! order, to the last bit. Knows no backend.
//!
//! The passes run in the order of [`PASSES`]; no pass calls another. A pass that leaves an illegal graph is blamed by
//! name.

mod branches;
mod carries;
mod cse;
mod custom_gradients;
mod dce;
mod elements;
mod facts;
mod finite;
mod fold;
mod functions;
mod hoist;
mod inline;
mod kept;
mod leaves;
mod overlap;
pub mod partition;
mod patch;
mod rules;
mod tail_calls;
mod unroll;
mod walk;

use gw_base::Broken;
use gw_ir::{Graph, verify};

pub use custom_gradients::handed_on;
pub use facts::is_removable;
pub use overlap::overlap;

/// One pass over a whole graph.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// Name in dumps, timings and errors.
    pub name: &'static str,
    /// Changes the graph in place.
    pub run: fn(&mut Graph),
}

/// The passes, in their order. The first round opens ways for the second; `dce` leaves nothing dead behind.
pub const PASSES: &[Pass] = &[
    Pass { name: "fold", run: fold::run },
    Pass { name: "simplify", run: rules::run },
    Pass { name: "branches", run: branches::run },
    Pass { name: "carries", run: carries::run },
    Pass { name: "unroll", run: unroll::run },
    Pass { name: "cse", run: cse::run },
    Pass { name: "dce", run: dce::run },
    Pass { name: "functions", run: functions::run },
    Pass { name: "inline", run: inline::run },
    Pass { name: "tail-calls", run: tail_calls::run },
    Pass { name: "inline-again", run: inline::run },
    Pass { name: "fold-again", run: fold::run },
    Pass { name: "simplify-again", run: rules::run },
    Pass { name: "branches-again", run: branches::run },
    Pass { name: "carries-again", run: carries::run },
    Pass { name: "elements", run: elements::run },
    Pass { name: "hoist", run: hoist::run },
    Pass { name: "kept", run: kept::run },
    Pass { name: "cse-again", run: cse::run },
    Pass { name: "dce-again", run: dce::run },
];

/// The same graph after all passes, without dead things; judged before them, and after each pass in debug builds.
///
/// # Errors
/// A bug of ours: the pass that broke a rule, and the rule.
pub fn optimize(graph: Graph) -> Result<Graph, (&'static str, Broken)> {
    optimize_watched(graph, cfg!(debug_assertions), &mut |_, _| ())
}

/// The same, judged at first (on `trace`'s account: no pass can be run on what is illegal) and after each pass if `checked`;
/// `watch` is shown the name of each pass and the graph it left.
///
/// # Errors
/// A bug of ours: the pass that broke a rule, and the rule.
pub fn optimize_watched(
    mut graph: Graph,
    checked: bool,
    watch: &mut dyn FnMut(&'static str, &Graph),
) -> Result<Graph, (&'static str, Broken)> {
    verify(&graph, "trace").map_err(|broken| ("trace", broken))?;
    for pass in PASSES {
        (pass.run)(&mut graph);
        if checked {
            verify(&graph, pass.name).map_err(|broken| (pass.name, broken))?;
        }
        watch(pass.name, &graph);
    }
    Ok(graph.compact())
}

#[cfg(test)]
mod tests;
