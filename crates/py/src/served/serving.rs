//! One run of a graph that calls the host: its functions, the variables that they see, and what they gave.

use std::cell::RefCell;
use std::sync::Arc;

use gw_runtime::Buffer;
use pyo3::exceptions::{PyRuntimeError, PySystemError};
use pyo3::prelude::*;

use super::replay::Record;
use super::{Seen, Served, answering, cell_of};
use crate::tracked::Capture;
use crate::variable::Cell;
use crate::{current, tape, traceback};

thread_local! {
    /// For each function of the host's that runs: the variables that were assigned to, by their addresses.
    static ASSIGNED: RefCell<Vec<Vec<usize>>> = const { RefCell::new(Vec::new()) };
}

/// What the calls of one run gave, in their order.
pub type Answers = Arc<[Vec<Buffer>]>;

/// The functions that one run calls.
#[derive(Debug)]
pub struct Serving<'a> {
    functions: &'a [Served],
    /// What the graph takes besides its arguments.
    captured: &'a [Capture],
    /// The variables among the arguments.
    variables: &'a [Arc<Cell>],
    /// What was given, for a tape.
    answers: Option<Vec<Vec<Buffer>>>,
    /// The calls and texts of the run, if plain Python may do it again.
    record: Option<Record>,
}

/// A variable has another value.
pub fn note_assigned(cell: &Cell) {
    ASSIGNED.with_borrow_mut(|all| {
        if let Some(innermost) = all.last_mut() {
            innermost.push(std::ptr::from_ref(cell) as usize);
        }
    });
}

impl<'a> Serving<'a> {
    /// Those of a graph; `recorded`: what they give is kept.
    pub fn new(
        functions: &'a [Served],
        captured: &'a [Capture],
        variables: &'a [Arc<Cell>],
        recorded: bool,
    ) -> Self {
        let is_observed = functions.first().is_some_and(|served| served.seen != Seen::Nowhere);
        let has_variables = || captured.iter().any(|home| matches!(home, Capture::Variable(_)));
        // Plain Python would not find the values that variables held before the run.
        let is_repeated = is_observed && variables.is_empty() && !has_variables();
        let record = is_repeated.then(Record::default);
        Self { functions, captured, variables, answers: recorded.then(Vec::new), record }
    }

    /// What was given.
    pub fn answers(&mut self) -> Answers {
        self.answers.take().unwrap_or_default().into()
    }

    /// Calls one.
    pub fn call(&mut self, py: Python<'_>, number: usize, mut args: Vec<Buffer>) -> PyResult<Vec<Buffer>> {
        let unknown = || PySystemError::new_err("a graph calls a function that it does not have");
        let served = self.functions.get(number).ok_or_else(unknown)?;
        let news = args.split_off(args.len().saturating_sub(served.assigned.len()));
        for (home, value) in served.assigned.iter().zip(news) {
            if let Some(cell) = cell_of(home, self.variables) {
                drop(cell.replace(value));
            }
        }
        ASSIGNED.with_borrow_mut(|all| all.push(Vec::new()));
        let given = apart(py, || match answering::now(py) {
            Some(answering) => served.answer(answering.bind(py), number, &args),
            None => served.call(py, args, self.variables).and_then(|returned| self.taken(served, returned)),
        });
        let assigned = ASSIGNED.with_borrow_mut(|all| {
            let innermost = all.pop().unwrap_or_default();
            all.last_mut().into_iter().for_each(|around| around.extend(&innermost));
            innermost
        });
        let given = given.map_err(|error| traceback::trim(py, error))?;
        self.judge_assigned(served, &assigned)?;
        if let Some(answers) = &mut self.answers {
            answers.push(given.clone());
        }
        Ok(given)
    }

    /// Takes what a function returned, and keeps it for plain Python.
    fn taken(&mut self, served: &Served, returned: Bound<'_, PyAny>) -> PyResult<Vec<Buffer>> {
        let taken = served.promises.take(&returned);
        let place = match &served.seen {
            Seen::Again => return taken,
            Seen::At(place) => Some(place),
            Seen::Nowhere => None,
        };
        let (Some(record), Some(place)) = (self.record.take(), place) else { return taken };
        let py = returned.py();
        self.record = record.called(place, returned.unbind(), taken.as_deref().unwrap_or_default());
        if let Err(error) = &taken
            && let Some(record) = self.record.take()
        {
            record.end(error.clone_ref(py));
        }
        taken
    }

    /// Notes that the run has printed a text.
    pub fn printed(&mut self) {
        self.record = self.record.take().and_then(Record::printed);
    }

    /// The graph would go on with what its variables held before.
    fn judge_assigned(&self, served: &Served, assigned: &[usize]) -> PyResult<()> {
        let mut own = self.captured.iter().filter_map(|home| cell_of(home, self.variables));
        let Some(cell) = own.find(|cell| assigned.contains(&(Arc::as_ptr(cell) as usize))) else {
            return Ok(());
        };
        Err(PyRuntimeError::new_err(format!(
            "`{}` assigns to the variable `{}` while a graph runs that uses it; return the value, and assign it in the \
             function that calls `{0}`",
            served.name, cell.name
        )))
    }
}

/// Runs what belongs neither to a graph that is being built nor to the tapes around.
fn apart<T>(py: Python<'_>, run: impl FnOnce() -> T) -> T {
    tape::apart(|| if current::is_tracing() { current::outside(py, run) } else { run() })
}
