//! `graphwright.GradientTape`: it records what runs in its `with`, so that derivatives can be asked for.
//!
//! Outside of graphs each call is taken down with its inputs and results. In a graph that is being built the graph itself
//! is the record: the tape knows from which node to which one it counts. A tape is one or the other, as it is entered.

pub mod custom_gradient;
mod eager;
pub mod recomputed;
pub mod recording;
mod staged;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graphwright::{EagerArg, NoDerivative, Way};
use gw_base::{Code, Diagnostic};
use gw_ir::ValueId;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::Call;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::exceptions::{errors, run_errors};
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host_calls::process_state::Answers;
use crate::session::{self, Tracing, frames};
use crate::tape::custom_gradient::OwnWay;
use crate::tape::recording::{Recorder, is_recording};
use crate::values::cell;
use crate::values::tensor::{Payload, Tensor};
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// Takes down what runs, for derivatives.
#[pyclass(frozen, subclass, name = "GradientTape", module = "graphwright")]
#[derive(Debug)]
pub struct GradientTape {
    persistent: bool,
    watches_variables: bool,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    record: Option<Record>,
    used: bool,
}

#[derive(Debug)]
enum Record {
    Eager(eager::Record),
    Staged(staged::Record),
}

/// The tapes that record what this thread runs, the innermost last.
fn recording(py: Python<'_>) -> Vec<Bound<'_, GradientTape>> {
    let tapes = recording::tapes(py).into_iter();
    tapes.filter_map(|tape| tape.into_bound(py).cast_into::<GradientTape>().ok()).collect()
}

/// The work of tapes, for those whose work is recorded.
pub const RECORDER: Recorder = Recorder { ran, met, met_in_graph };

fn met(cell: &Arc<Cell>, value: &Buffer) {
    each_eager(|record, watches| {
        if watches {
            record.watch_variable(cell, value);
        }
    });
}

fn met_in_graph(cell: &Arc<Cell>, tracing: &Arc<Tracing>, value: Staged) {
    Python::attach(|py| {
        for tape in recording(py) {
            let tape = tape.get();
            if let Some(Record::Staged(record)) = &mut tape.lock().record
                && tape.watches_variables
                && record.is_of(tracing)
            {
                record.watch_variable(cell, value.value);
            }
        }
    });
}

fn each_eager(mut visit: impl FnMut(&mut eager::Record, bool)) {
    Python::attach(|py| {
        for tape in recording(py) {
            let tape = tape.get();
            if let Some(Record::Eager(record)) = &mut tape.lock().record {
                visit(record, tape.watches_variables);
            }
        }
    });
}

/// True if a tape takes down what is made of a tensor.
fn is_watched(buffer: &Buffer) -> bool {
    let mut found = false;
    each_eager(|record, _| found |= record.watches(buffer));
    found
}

/// True if a tape takes down what is made of a tensor, outside of graphs.
#[pyfunction]
pub fn watched_by_tape(tensor: &Tensor) -> bool {
    match tensor.content() {
        Payload::Eager(buffer) => is_recording() && is_watched(&buffer),
        Payload::Staged(..) => false,
    }
}

/// An eager call has run; gives its result as one that nothing else is.
fn ran(py: Python<'_>, call: &Call, args: &[EagerArg], result: Buffer) -> PyResult<Buffer> {
    let inputs = args.iter().filter_map(|arg| match arg {
        EagerArg::Tensor(buffer) => Some(buffer),
        EagerArg::Number(_) => None,
    });
    if !inputs.clone().any(is_watched) {
        return Ok(result);
    }
    let (way, buffers) = crate::host_calls::process_state::eager()
        .way(call, args)
        .map_err(|error| run_errors::eager_failed(py, error, None))?;
    Ok(took(way, buffers, vec![result], Answers::default()).remove(0))
}

/// A graph has run on these inputs; gives its results as ones that nothing else is.
pub fn took(way: Arc<Way>, inputs: Vec<Buffer>, results: Vec<Buffer>, answers: Answers) -> Vec<Buffer> {
    let alone = |result: Buffer| match inputs.iter().any(|input| input.as_ptr() == result.as_ptr()) {
        true => Buffer::from_bytes(result.dtype(), result.lengths(), result.bytes()),
        false => result,
    };
    let results: Vec<Buffer> = results.into_iter().map(alone).collect();
    each_eager(|record, _| record.take(&way, &inputs, &results, &answers));
    results
}

/// A function with a way back of its own has run on these inputs, and gave these results, which nothing else is.
pub fn took_own(own: &Arc<OwnWay>, inputs: Vec<Option<Buffer>>, results: Vec<Buffer>) {
    let run = Arc::new(eager::OwnRun { own: own.clone(), inputs, results });
    each_eager(|record, _| record.take_own(&run));
}

/// Value that a value of a graph was before the branches and loops that give it and do not change it.
pub fn settled(tracing: &Tracing, value: Staged) -> Option<ValueId> {
    Some(tracing.trace.build(|b| staged::settled(b.graph(), value.value)))
}

impl GradientTape {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_recording(slf: &Bound<'_, Self>) -> bool {
        recording::records(slf)
    }

    fn begin(slf: &Bound<'_, Self>) -> PyResult<()> {
        if Self::is_recording(slf) {
            return Err(PyValueError::new_err("Tape is already recording."));
        }
        let current = session::current();
        let mut inner = slf.get().lock();
        let begun = match (&mut inner.record, current) {
            (Some(Record::Staged(record)), Some(tracing)) if record.is_of(&tracing) => {
                record.go_on();
                None
            }
            (Some(Record::Eager(_)), None) => None,
            (_, Some(tracing)) => Some(Record::Staged(staged::Record::new(tracing))),
            (_, None) => Some(Record::Eager(eager::Record::default())),
        };
        if let Some(record) = begun {
            inner.record = Some(record);
        }
        drop(inner);
        recording::begin(slf);
        Ok(())
    }

    fn end(slf: &Bound<'_, Self>) {
        let before = Self::is_recording(slf);
        recording::end(slf);
        if before && let Some(Record::Staged(record)) = &mut slf.get().lock().record {
            record.pause();
        }
    }

    /// The tape is asked: one that does not persist is asked once.
    fn use_up(slf: &Bound<'_, Self>) -> PyResult<()> {
        let tape = slf.get();
        if tape.lock().used {
            return Err(PyRuntimeError::new_err(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)",
            ));
        }
        if !tape.persistent {
            Self::end(slf);
            tape.lock().used = true;
        }
        Ok(())
    }

    fn flows(
        &self,
        py: Python<'_>,
        targets: &[Bound<'_, PyAny>],
        seeds: &[Option<Bound<'_, PyAny>>],
        sources: &[Bound<'_, PyAny>],
    ) -> PyResult<Vec<Option<Operand>>> {
        let found = match &self.lock().record {
            None => return Ok(vec![None; sources.len()]),
            Some(Record::Eager(record)) => Found::Eager(record.clone()),
            Some(Record::Staged(record)) => Found::Staged(record.clone()),
        };
        match found {
            Found::Eager(record) => eager::flows(py, &record, targets, seeds, sources),
            Found::Staged(record) => staged::flows(py, &record, targets, seeds, sources),
        }
    }
}

/// Record that a tape has made by the time when it is asked.
enum Found {
    Eager(eager::Record),
    Staged(staged::Record),
}

#[pymethods]
impl GradientTape {
    #[new]
    #[pyo3(signature = (persistent=false, watch_accessed_variables=true))]
    fn new(persistent: bool, watch_accessed_variables: bool) -> Self {
        Self { persistent, watches_variables: watch_accessed_variables, inner: Mutex::default() }
    }

    /// Begins to take down.
    fn __enter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        Self::begin(slf)?;
        Ok(slf.clone())
    }

    /// Ends it.
    fn __exit__(
        slf: &Bound<'_, Self>,
        _kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        Self::end(slf);
    }

    /// Takes down what is done with a tensor, or with those in a structure, from now on.
    fn watch(slf: &Bound<'_, Self>, tensor: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = slf.py();
        for leaf in leaves(tensor)?.1 {
            let leaf = leaf.bind(py);
            if let Ok(variable) = leaf.cast::<Variable>() {
                slf.get().watch_variable(variable)?;
                continue;
            }
            let operand = operands::operand(leaf)?;
            let object = leaf.cast::<Tensor>().ok().map(|tensor| tensor.get().cell());
            match &mut slf.get().lock().record {
                Some(Record::Eager(record)) => record.watch(py, &operand, object)?,
                Some(Record::Staged(record)) => record.watch(&operand, object),
                None => return Err(PyRuntimeError::new_err("watch a tensor inside the tape's `with`")),
            }
        }
        Ok(())
    }

    /// The variables that are watched, in the order in which they were read.
    fn watched_variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let cells = match &self.lock().record {
            Some(Record::Eager(record)) => record.cells(),
            Some(Record::Staged(record)) => record.cells(),
            None => Vec::new(),
        };
        let found = cells.iter().map(|cell| Variable::of_cell(py, cell)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, found)
    }

    /// Forgets all that was taken down; what is done from now on counts.
    fn reset(slf: &Bound<'_, Self>) -> PyResult<()> {
        let was_recording = Self::is_recording(slf);
        Self::end(slf);
        *slf.get().lock() = Inner::default();
        if was_recording { Self::begin(slf) } else { Ok(()) }
    }

    /// Takes nothing down until `_resume`.
    fn _pause(slf: &Bound<'_, Self>) -> PyResult<()> {
        if !Self::is_recording(slf) {
            return Err(PyRuntimeError::new_err("Tape is not recording."));
        }
        Self::end(slf);
        Ok(())
    }

    /// Goes on.
    fn _resume(slf: &Bound<'_, Self>) -> PyResult<()> {
        Self::begin(slf)
    }

    /// The derivatives of the target, or of the sum of the targets, by each of the sources, in the structure of these;
    /// `None`, or zeros if `unconnected_gradients="zero"`, by one on which no target depends.
    #[pyo3(signature = (target, sources, output_gradients=None, unconnected_gradients="none"))]
    fn gradient<'py>(
        slf: &Bound<'py, Self>,
        target: &Bound<'py, PyAny>,
        sources: &Bound<'py, PyAny>,
        output_gradients: Option<&Bound<'py, PyAny>>,
        unconnected_gradients: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let zeros = match unconnected_gradients {
            "none" => false,
            "zero" => true,
            other => {
                let message = format!("unconnected_gradients is 'none' or 'zero', not '{other}'");
                return Err(PyValueError::new_err(message));
            }
        };
        let bound = |found: Vec<Py<PyAny>>| found.into_iter().map(|leaf| leaf.into_bound(py));
        let (_, targets) = leaves(target)?;
        let targets: Vec<_> = bound(targets).collect();
        let seeds = match output_gradients {
            None => vec![None; targets.len()],
            Some(given) => {
                let (_, given) = leaves(given)?;
                if given.len() != targets.len() {
                    let message = "output_gradients has another structure than the target";
                    return Err(PyValueError::new_err(message));
                }
                bound(given).map(|seed| (!seed.is_none()).then_some(seed)).collect()
            }
        };
        let (skeleton, sources) = leaves(sources)?;
        let sources: Vec<_> = bound(sources).collect();
        for source in &sources {
            judge_source(source)?;
        }
        Self::use_up(slf)?;
        let flows = slf.get().flows(py, &targets, &seeds, &sources)?;
        let mut found = Vec::with_capacity(flows.len());
        for (flow, source) in flows.into_iter().zip(&sources) {
            found.push(match flow {
                Some(flow) => operands::tensor(py, operands::checked(py, flow, "a derivative")?)?.unbind(),
                None if zeros => py.import("graphwright")?.call_method1("zeros_like", (source,))?.unbind(),
                None => py.None(),
            });
        }
        skeleton.rebuild(py, &mut found.into_iter())
    }
}

impl GradientTape {
    fn watch_variable(&self, variable: &Bound<'_, Variable>) -> PyResult<()> {
        let cell = &variable.get().cell;
        match (&mut self.lock().record, session::current()) {
            (Some(Record::Eager(record)), _) => record.watch_variable(cell, &cell.value()),
            (Some(Record::Staged(record)), Some(tracing)) if record.is_of(&tracing) => {
                record.watch_variable(cell, tracing.variable(cell).value);
            }
            (Some(Record::Staged(_)) | None, _) => {
                return Err(PyRuntimeError::new_err("watch a variable inside the tape's `with`"));
            }
        }
        Ok(())
    }
}

/// Variables in the order in which they were read, each once.
fn each_once<'a>(read: impl Iterator<Item = &'a Arc<Cell>>) -> Vec<Arc<Cell>> {
    let mut cells: Vec<Arc<Cell>> = Vec::new();
    for cell in read {
        if !cells.iter().any(|known| Arc::ptr_eq(known, cell)) {
            cells.push(cell.clone());
        }
    }
    cells
}

/// Content of a source when it was watched first, if it is a tensor object that was.
fn first_watched<T: Copy>(source: &Bound<'_, PyAny>, objects: &[(Arc<cell::Cell>, T)]) -> Option<T> {
    let held = source.cast::<Tensor>().ok()?.get().cell_if_any()?;
    objects.iter().find(|(known, _)| Arc::ptr_eq(known, held)).map(|(_, first)| *first)
}

/// Remembers what a tensor object holds that is watched, unless it was watched before: a store gives it another value, and
/// the derivative is by that which it held first.
fn note_watched<T>(objects: &mut Vec<(Arc<cell::Cell>, T)>, object: Option<&Arc<cell::Cell>>, now: T) {
    if let Some(object) = object
        && !objects.iter().any(|(known, _)| Arc::ptr_eq(known, object))
    {
        objects.push((object.clone(), now));
    }
}

/// Something by which nothing can be derived.
fn judge_source(source: &Bound<'_, PyAny>) -> PyResult<()> {
    let is_tensor = source.is_instance_of::<Variable>() || source.is_instance_of::<Tensor>();
    if is_tensor || source.is_none() {
        return Ok(());
    }
    let kind = source.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!("a source is a tensor or a variable, not a value of type `{kind}`")))
}

fn leaves(object: &Bound<'_, PyAny>) -> PyResult<(Skeleton, Vec<Py<PyAny>>)> {
    let mut found = Vec::new();
    let skeleton = Skeleton::of(object, &mut found)?;
    Ok((skeleton, found))
}

/// The error for a graph that has no derivative.
fn no_derivative(py: Python<'_>, why: NoDerivative) -> PyErr {
    match why {
        NoDerivative::Broken(broken) => errors::broken(&broken),
        NoDerivative::Refused(refused) => {
            let message = format!("no derivative goes through {}", refused.what);
            let found = Diagnostic::new(refused.code, message);
            let found = match refused.at {
                Some(at) => found.at(at, "through this"),
                None => found,
            };
            let asked = match frames::place(py) {
                Some(here) => found.at(here, "asked for here"),
                None => found,
            };
            let help = if refused.code == Code::HostGradient {
                "say the derivative with `gw.custom_gradient`, or put `gw.stop_gradient` around what it gives"
            } else {
                "keep it out of what is derived, or put `gw.stop_gradient` around it"
            };
            errors::raise(&asked.help(help))
        }
    }
}
