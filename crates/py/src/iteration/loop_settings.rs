//! Python loops while a graph is built: `for i in range(n)` ⇒ a loop of the graph where the function asks for it; where it
//! does not, a notice of loops that fill the graph; and the options that a loop's body may set.

use std::sync::Arc;

use gw_base::Code;
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::Number;
use pyo3::prelude::*;
use pyo3::types::PyRange;

use crate::exceptions::errors;
use crate::host::operands;
use crate::session::{self, Tracing, depth, frames, loop_options};
use crate::values::tensor::Tensor;

/// An unrolled loop is noticed when it has put so many operations into the graph.
const MANY_OPERATIONS: usize = 5_000;

/// A loop that puts more operations into the graph is refused.
const MOST_OPERATIONS: usize = 100_000;

/// In blocks that a tensor decides, Python loops that add nothing to the graph are refused after so many turns.
const MOST_IDLE: usize = 1 << 17;

/// The same behind operations of the graph, any of which may raise before Python gets to the loop.
const MOST_IDLE_BEHIND: usize = 1 << 20;

/// In the same blocks, those that make a list longer than this: one that doubles each turn fills memory in 40 turns.
const MOST_ELEMENTS: usize = 1 << 20;

/// After so many turns a list that doubles would be longer.
const DOUBLING_TURNS: usize = 1 << 10;

/// After how many iterations that each added to the graph a `while` is taken for one that Python does not end.
const ENDLESS: usize = 5_000;

/// A Python `range` as a value of the graph, in a function that was made with `roll=True`.
pub fn rolled(iterable: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    let Some(tracing) = session::current().filter(|t| t.rolling().is_always()) else { return Ok(None) };
    if !iterable.is_exact_instance_of::<PyRange>() {
        return Ok(None);
    }
    let numbers = numbers(&tracing, iterable)?;
    Ok(Some((tracing, numbers)))
}

/// The numbers of a Python `range` in the graph. They are Python's: they take the width of the tensor that they meet.
pub fn numbers(tracing: &Arc<Tracing>, range: &Bound<'_, PyAny>) -> PyResult<Staged> {
    let [start, stop, step] = ["start", "stop", "step"].map(|name| range.getattr(name));
    counted(tracing, [&start?, &stop?, &step?])
}

/// `range(start, stop, step)` of Python's numbers some of which are in the graph, in the same way.
#[pyfunction]
pub fn range_of_numbers<'py>(
    start: &Bound<'py, PyAny>,
    stop: &Bound<'py, PyAny>,
    step: &Bound<'py, PyAny>,
) -> PyResult<Tensor> {
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    let staged = counted(&tracing, [start, stop, step])?;
    Ok(Tensor::staged(tracing, staged))
}

fn counted(tracing: &Arc<Tracing>, [start, stop, step]: [&Bound<'_, PyAny>; 3]) -> PyResult<Staged> {
    let call = Call::Range(Some(Number::Int.own_dtype()));
    let made = operands::call(start.py(), &call, &[start, stop, step])?;
    let staged = operands::stage(tracing, &operands::operand(&made)?);
    Ok(Staged { weak: Some(Number::Int), ..staged })
}

/// Counts the iterations of a Python loop that add to the graph.
pub struct Watch {
    tracing: Option<Arc<Tracing>>,
    /// The size of the graph when the loop began.
    first: usize,
    nodes: usize,
    /// Number of nodes that the last iteration added.
    last: usize,
    iterations: usize,
    noticed: bool,
}

impl Watch {
    /// Begins with a loop.
    pub fn begin() -> Self {
        let tracing = session::current();
        let nodes = tracing.as_ref().map_or(0, |tracing| nodes(tracing));
        Self { tracing, first: nodes, nodes, last: 0, iterations: 0, noticed: false }
    }

    /// The operations that the last iteration added.
    pub fn last(&self) -> usize {
        self.last
    }

    /// The iterations that added operations.
    pub fn turns(&self) -> usize {
        self.iterations
    }

    /// Ends an iteration; says once where the loop stands that fills the graph, and refuses one that fills it without end.
    pub fn iterated(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(tracing) = &self.tracing else { return Ok(()) };
        let now = nodes(tracing);
        self.last = now.saturating_sub(self.nodes);
        if self.last == 0 {
            return match depth::is_decided() {
                true => idle(py, tracing, MOST_IDLE),
                false if now > 0 => idle(py, tracing, MOST_IDLE_BEHIND),
                false => Ok(()),
            };
        }
        self.nodes = now;
        self.iterations += 1;
        let added = now.saturating_sub(self.first);
        if added >= MOST_OPERATIONS {
            let turns = match self.iterations {
                1 => "1 iteration".to_owned(),
                turns => format!("{turns} iterations"),
            };
            let message = format!(
                "{turns} of this loop put {added} operations into the graph, which makes it too large"
            );
            let help = "loop over `gw.range`, so that the loop is one of the graph; or put a part of its body into a function";
            return Err(errors::here(py, Code::EndlessLoop, message, help));
        }
        if added >= MANY_OPERATIONS && !self.noticed {
            self.noticed = true;
            return notice(py, tracing, self.iterations, added);
        }
        Ok(())
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

/// The remedy for a Python loop that does not end behind what the graph decides.
const GO_AHEAD: &str = "loop over `gw.range`, or test a tensor in the `while`, so that the loop is one of the graph; or run the \
                        loop before the statement that the tensor decides";

/// A turn that added nothing to the graph, in a block that a tensor decides or behind what may raise: Python may never run it.
fn idle(py: Python<'_>, tracing: &Tracing, most: usize) -> PyResult<()> {
    let turns = tracing.rolling().count_idle();
    if turns < DOUBLING_TURNS && tracing.lists().longest(py) > MOST_ELEMENTS {
        let message = format!(
            "a Python loop made a list longer than {MOST_ELEMENTS} elements behind what the graph decides or may raise while it was built"
        );
        return Err(errors::here(py, Code::EndlessLoop, message, GO_AHEAD));
    }
    if turns < most {
        return Ok(());
    }
    let message = format!(
        "Python loops ran {most} times behind what the graph decides or may raise while it was built, and this one did not end"
    );
    Err(errors::here(py, Code::EndlessLoop, message, GO_AHEAD))
}

fn nodes(tracing: &Tracing) -> usize {
    tracing.trace.build(|b| b.graph().nodes.len())
}

fn notice(py: Python<'_>, tracing: &Tracing, iterations: usize, added: usize) -> PyResult<()> {
    let Some(at) = frames::place(py) else { return Ok(()) };
    let message = format!(
        "this loop ran {iterations} times while the graph of `{}` was built, and added {added} operations to it: \
         to keep the loop in the graph, loop over `gw.range`",
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
            loop_options::change_loop_options(|options| options.most = Some(most));
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
    loop_options::change_loop_options(|options| options.segments = segments);
    Ok(())
}
