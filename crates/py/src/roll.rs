//! Python loops while a graph is built: `for i in range(n)` ⇒ a loop of the graph where the function asks for it; where it
//! does not, a notice of loops that fill the graph; and the options that a loop's body may set.

use std::sync::Arc;

use gw_base::Code;
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::Number;
use pyo3::prelude::*;
use pyo3::types::PyRange;

use crate::current::{self, Tracing};
use crate::operators::staged_value;
use crate::{errors, pack};

/// After how many iterations that each added to the graph a Python loop is noticed.
const MANY: usize = 1000;

/// After how many of them a `while` is taken for one that Python does not end.
const ENDLESS: usize = 5 * MANY;

/// A Python `range` as a value of the graph, in a function that was made with `roll=True`.
pub fn rolled(iterable: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    if !iterable.is_exact_instance_of::<PyRange>() || !current::current().is_some_and(|t| t.roll) {
        return Ok(None);
    }
    let [start, stop, step] = ["start", "stop", "step"].map(|name| iterable.getattr(name));
    let call = Call::Range(Some(Number::Int.own_dtype()));
    let range = pack::call(iterable.py(), &call, &[&start?, &stop?, &step?])?;
    let staged = staged_value(&range)?;
    // The numbers of a Python range are Python's: they take the width of the tensor that they meet.
    Ok(staged.map(|(tracing, staged)| (tracing, Staged { weak: Some(Number::Int), ..staged })))
}

/// Counts the iterations of a Python loop that add to the graph.
pub struct Watch {
    tracing: Option<Arc<Tracing>>,
    nodes: usize,
    iterations: usize,
}

impl Watch {
    /// Begins with a loop.
    pub fn begin() -> Self {
        let tracing = current::current();
        let nodes = tracing.as_ref().map_or(0, |tracing| nodes(tracing));
        Self { tracing, nodes, iterations: 0 }
    }

    /// Ends an iteration; says once where the loop stands that fills the graph.
    pub fn iterated(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(tracing) = &self.tracing else { return Ok(()) };
        let now = nodes(tracing);
        if now == self.nodes {
            return Ok(());
        }
        self.nodes = now;
        self.iterations += 1;
        if self.iterations == MANY { notice(py, tracing) } else { Ok(()) }
    }

    /// Ends an iteration of a `while`, which has to end while the graph is built: the exception that would end it when the
    /// graph runs is not raised before that.
    pub fn goes_on(&mut self, py: Python<'_>) -> PyResult<()> {
        self.iterated(py)?;
        if self.iterations < ENDLESS {
            return Ok(());
        }
        let message = format!("this `while` ran {ENDLESS} times while the graph was built, and did not end");
        let help = "test in the loop what ends it, with a tensor: an exception ends it when the graph runs alone; \
                    or loop over `gw.range`";
        Err(errors::here(py, Code::EndlessLoop, message, help))
    }
}

fn nodes(tracing: &Tracing) -> usize {
    tracing.trace.build(|b| b.graph().nodes.len())
}

fn notice(py: Python<'_>, tracing: &Tracing) -> PyResult<()> {
    let Some(at) = current::place(py) else { return Ok(()) };
    let message = format!(
        "this loop ran {MANY} times while the graph of `{}` was built, and each iteration added operations to it: \
         to keep the loop in the graph, loop over `gw.range` or write `@gw.function(roll=True)`",
        tracing.trace.name()
    );
    let kind = py.get_type::<errors::UnrolledLoopWarning>();
    py.import("warnings")?.call_method1("warn_explicit", (message, kind, &*at.file, at.line)).map(drop)
}

/// The loop whose body calls this, if it runs in the graph, ends after this many iterations.
#[pyfunction]
pub fn set_maximum_iterations(most: &Bound<'_, PyAny>) -> PyResult<()> {
    match most.extract::<i64>() {
        Ok(most) if most > 0 => {
            current::change_loop_options(|options| options.most = Some(most));
            Ok(())
        }
        Ok(_) | Err(_) => {
            let message = "`maximum_iterations` is a Python number from 1 on";
            let help = "to stop a loop at a number of the graph, say so in its test";
            Err(errors::here(most.py(), Code::BadArgument, message, help))
        }
    }
}

/// One more level of segments would keep 82 rows instead of 89 of 10,000 turns, and run each turn once more.
const MOST_LEVELS: usize = 3;

/// The way back through the loop whose body calls this keeps what it needs of every turn, "all", or what segments of it
/// begin with, "sqrt", or what segments of segments of segments begin with, "log".
#[pyfunction]
pub fn set_checkpoint(py: Python<'_>, kind: &str) -> PyResult<()> {
    let segments = match kind {
        "all" => 0,
        "sqrt" => 1,
        "log" => MOST_LEVELS,
        _ => {
            let message = format!("`checkpoint` is \"all\", \"sqrt\" or \"log\", not \"{kind}\"");
            return Err(errors::here(
                py,
                Code::BadArgument,
                message,
                "leave it out to keep what every turn needs",
            ));
        }
    };
    current::change_loop_options(|options| options.segments = segments);
    Ok(())
}
