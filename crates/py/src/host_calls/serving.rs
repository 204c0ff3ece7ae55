//! One run of a graph that calls the host: its functions, the variables that they see, what they gave, and what they raised that a
//! handler of the graph meets.

use std::sync::Arc;

use gw_runtime::Buffer;
use gw_types::{DType, Scalar};
use pyo3::exceptions::{PyRuntimeError, PySystemError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::answer_types::{self, Promises};
use super::observed::RaisedAs;
use super::replay::Record;
use super::{Seen, Served, answering, cell_of};
use crate::effects::tracked::Capture;
use crate::exceptions::traceback;
use crate::exceptions::tries::Heard;
use crate::host_calls::process_state::{Answers, HostCalls};
use crate::session;
use crate::tape::recording;
use crate::values::variable_cell::{Cell, assigning};

/// The functions that one run calls.
#[derive(Debug)]
pub struct Serving<'a> {
    functions: &'a [Served],
    /// Inputs of the graph besides its arguments.
    captured: &'a [Capture],
    /// The variables among the arguments.
    variables: &'a [Arc<Cell>],
    /// Answers given so far, for a tape.
    answers: Option<Vec<Vec<Buffer>>>,
    /// The calls and texts of the run, if plain Python may do it again.
    record: Option<Record>,
}

/// The exceptions of a call that handlers of the graph meet.
#[derive(Debug)]
pub struct Met {
    /// Those that plain Python has observed, each with a number from 1.
    pub exits: Vec<Exit>,
    /// All that the handlers meet.
    heard: Heard,
}

/// An exception that a call may raise.
#[derive(Debug)]
pub struct Exit {
    /// Its class.
    pub class: Py<PyType>,
    /// The types of its arguments.
    pub args: Arc<Promises>,
}

impl Exit {
    /// The same exit.
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { class: self.class.clone_ref(py), args: self.args.clone() }
    }

    /// The exception with these arguments, made as the function has made it and not by its constructor.
    pub fn error<'py>(&self, py: Python<'py>, args: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let class = self.class.bind(py);
        let error = class.call_method1("__new__", (class,))?;
        if !self.args.is_empty() {
            error.setattr("args", args)?;
        }
        in_context(&error)?;
        Ok(error)
    }
}

impl HostCalls for Serving<'_> {
    fn call(&mut self, py: Python<'_>, number: usize, mut args: Vec<Buffer>) -> PyResult<Vec<Buffer>> {
        let unknown = || PySystemError::new_err("a graph calls a function that it does not have");
        let served = self.functions.get(number).ok_or_else(unknown)?;
        let news = args.split_off(args.len().saturating_sub(served.assigned.len()));
        for (home, value) in served.assigned.iter().zip(news) {
            if let Some(cell) = cell_of(home, self.variables) {
                drop(cell.replace(value));
            }
        }
        let call = || match answering::now(py) {
            Some(answering) => served.answer(answering.bind(py), number, &args),
            None => match served.call(py, args, self.variables)? {
                Ok(returned) => self.taken(served, returned),
                Err(error) => self.raised(py, served, error),
            },
        };
        let (given, assigned) = assigning(|| apart(py, call));
        let given = given.map_err(|error| traceback::trim(py, error))?;
        self.judge_assigned(served, &assigned)?;
        if let Some(answers) = &mut self.answers {
            answers.push(given.clone());
        }
        Ok(given)
    }

    fn printed(&mut self) {
        self.record = self.record.take().and_then(Record::printed);
    }
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

    /// Takes the answers given so far.
    pub fn answers(&mut self) -> Answers {
        self.answers.take().unwrap_or_default().into()
    }

    /// All that the run did on the host, if plain Python may do it again.
    pub fn record(&mut self) -> Option<Record> {
        self.record.take()
    }

    /// Takes what a function raised, if a handler of the graph meets that; one that no call has observed ends the run.
    fn raised(&mut self, py: Python<'_>, served: &Served, error: PyErr) -> PyResult<Vec<Buffer>> {
        let (Some(met), Seen::At(place)) = (&served.met, &served.seen) else { return Err(error) };
        let taken = met.take(py, &error, &served.promises)?;
        if taken.is_none() && !met.heard.hears(error.get_type(py).as_any()) {
            return Err(error);
        }
        self.record = self.record.take().and_then(|record| record.raised(place, error.clone_ref(py)));
        if let Some(taken) = taken {
            return Ok(taken);
        }
        match self.record.take() {
            Some(record) => record.end(error.clone_ref(py)),
            None => return Err(met.unknown(py, &served.name, &error)),
        }
        Err(error)
    }

    /// Takes what a function returned, and keeps it for plain Python.
    fn taken(&mut self, served: &Served, returned: Bound<'_, PyAny>) -> PyResult<Vec<Buffer>> {
        let taken = served.promises.take(&returned).map(|taken| match &served.met {
            Some(met) => met.returned(taken),
            None => taken,
        });
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

/// Says that an exception is raised where another one is handled, as Python's `raise` does.
pub fn in_context(error: &Bound<'_, PyAny>) -> PyResult<()> {
    let handled = error.py().import("sys")?.call_method0("exc_info")?.get_item(1)?;
    if handled.is_none() || handled.is(error) {
        return Ok(());
    }
    error.setattr("__context__", handled)
}

/// The types of what an exception holds, if a graph can: it is its class and arguments.
pub fn held_of<'py>(error: &PyErr, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let pure = py.import("graphwright._meanings.pure")?;
    if !pure.call_method1("is_plain_exception", (error.value(py),))?.extract::<bool>()? {
        return Ok(None);
    }
    let args = error.value(py).getattr("args")?.cast_into::<PyTuple>()?;
    if args.is_empty() {
        return Ok(Some(args));
    }
    Ok(answer_types::said(args.as_any())?.map(Bound::cast_into).transpose()?)
}

impl Met {
    /// Those that were raised at a place, of the classes that handlers meet.
    pub fn new(py: Python<'_>, name: &str, raised: Vec<RaisedAs>, heard: Heard) -> PyResult<Self> {
        let met = raised.into_iter().filter(|(class, _)| heard.hears(class.bind(py).as_any()));
        let one = |(class, types): RaisedAs| {
            let args = Arc::new(Promises::of(name, types.bind(py).as_any())?.exact());
            Ok(Exit { class, args })
        };
        Ok(Self { exits: met.map(one).collect::<PyResult<_>>()?, heard })
    }

    /// The results of a call that raised nothing: none of the exits, and nothing in the places of what they hold.
    fn returned(&self, taken: Vec<Buffer>) -> Vec<Buffer> {
        let held = self.exits.iter().flat_map(|exit| exit.args.nothing_given());
        number(0).into_iter().chain(taken).chain(held).collect()
    }

    /// The results of a call that raised an exception of one of the exits.
    fn take(&self, py: Python<'_>, error: &PyErr, promises: &Promises) -> PyResult<Option<Vec<Buffer>>> {
        let Some(held) = held_of(error, py)? else { return Ok(None) };
        let args = error.value(py).getattr("args")?;
        let class = error.get_type(py);
        let is_of = |exit: &Exit| exit.class.is(&class) && exit.args.is_empty() == held.is_empty();
        let mut taken = None;
        for (at, exit) in self.exits.iter().enumerate().filter(|(_, exit)| is_of(exit)) {
            let buffers = if exit.args.is_empty() { Ok(Vec::new()) } else { exit.args.take(&args) };
            taken = taken.or(buffers.ok().map(|buffers| (at, buffers)));
        }
        Ok(taken.map(|(at, buffers)| {
            let mut all =
                number(at as i64 + 1).into_iter().chain(promises.nothing_given()).collect::<Vec<_>>();
            for (other, exit) in self.exits.iter().enumerate() {
                all.extend(if other == at { buffers.clone() } else { exit.args.nothing_given() });
            }
            all
        }))
    }

    /// Says that a handler would meet an exception that plain Python cannot be given.
    fn unknown(&self, py: Python<'_>, name: &str, error: &PyErr) -> PyErr {
        let class =
            error.get_type(py).name().map_or_else(|_| "exception".to_owned(), |name| name.to_string());
        let made = PyTypeError::new_err(format!(
            "`{name}` raises a `{class}`, which it has not raised before, under a handler of the graph"
        ));
        made.set_cause(py, Some(error.clone_ref(py)));
        made
    }
}

fn number(number: i64) -> [Buffer; 1] {
    [Buffer::scalar(DType::I64, Scalar::Int(number))]
}

/// Runs what belongs neither to a graph that is being built nor to the tapes around.
fn apart<T>(py: Python<'_>, run: impl FnOnce() -> T) -> T {
    recording::apart(|| if session::is_tracing() { session::outside(py, run) } else { run() })
}
