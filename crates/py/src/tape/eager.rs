//! Records of a tape outside of graphs: each call, its inputs and its results. A tensor is known by where its elements
//! are, which the tape keeps there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use graphwright::Way;
use gw_ir::BinaryOp;
use gw_runtime::Buffer;
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};
use pyo3::prelude::*;

use super::no_derivative;
use crate::exceptions::{errors, run_errors};
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host_calls::process_state::{Answers, PythonHost};
use crate::tape::custom_gradient::OwnWay;
use crate::values::cell as tensor;
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// Exits that were recorded.
#[derive(Debug, Default, Clone)]
pub(super) struct Record {
    runs: Vec<Taken>,
    /// Tensors that are watched, or made of such.
    watched: HashSet<usize>,
    /// Watched buffers, kept alive so that their addresses stay theirs.
    kept: Vec<Buffer>,
    /// Buffer that each tensor object held when it was watched first.
    objects: Vec<(Arc<tensor::Cell>, usize)>,
    /// Buffer that each variable held when it was read.
    variables: Vec<(Arc<Cell>, usize)>,
}

/// Recorded run of a graph or a function.
#[derive(Debug, Clone)]
enum Taken {
    /// A graph.
    Graph(Arc<Run>),
    /// A function with a way back of its own.
    Own(Arc<OwnRun>),
}

/// One function with a way back of its own that has run.
#[derive(Debug)]
pub(super) struct OwnRun {
    pub own: Arc<OwnWay>,
    /// To which something may flow back.
    pub inputs: Vec<Option<Buffer>>,
    pub results: Vec<Buffer>,
}

/// One graph that has run.
#[derive(Debug)]
struct Run {
    way: Arc<Way>,
    inputs: Vec<Buffer>,
    results: Vec<Buffer>,
    /// Answers of the host when it was called.
    answers: Answers,
}

impl Taken {
    fn results(&self) -> &[Buffer] {
        match self {
            Taken::Graph(run) => &run.results,
            Taken::Own(run) => &run.results,
        }
    }
}

/// Key by which a tensor is known.
fn place(buffer: &Buffer) -> usize {
    buffer.as_ptr() as usize
}

impl Record {
    pub fn watches(&self, buffer: &Buffer) -> bool {
        self.watched.contains(&place(buffer))
    }

    /// Watches a tensor, that which `object` holds if it is one's; one of integers has no derivatives.
    pub fn watch(
        &mut self,
        py: Python<'_>,
        operand: &Operand,
        object: Option<&Arc<tensor::Cell>>,
    ) -> PyResult<()> {
        let Operand::Tensor(buffer) = operand else {
            return Err(errors::InternalError::new_err(
                "a tape outside of graphs watches a value of a graph",
            ));
        };
        if !buffer.dtype().is_fractional() {
            let warn = py.import("warnings")?;
            let message = format!(
                "a tape watches floats and complex numbers; this tensor is `{}`",
                buffer.dtype().python_name()
            );
            warn.call_method1("warn", (message,))?;
            return Ok(());
        }
        super::note_watched(&mut self.objects, object, place(buffer));
        if self.watched.insert(place(buffer)) {
            self.kept.push(buffer.clone());
        }
        Ok(())
    }

    pub fn watch_variable(&mut self, cell: &Arc<Cell>, value: &Buffer) {
        if !value.dtype().is_fractional() {
            return;
        }
        let at = place(value);
        let known = |(known, place): &(Arc<Cell>, usize)| Arc::ptr_eq(known, cell) && *place == at;
        if !self.variables.iter().any(known) {
            self.variables.push((cell.clone(), at));
        }
        if self.watched.insert(at) {
            self.kept.push(value.clone());
        }
    }

    /// Takes down that a graph has run, if something that is watched went in.
    pub fn take(&mut self, way: &Arc<Way>, inputs: &[Buffer], results: &[Buffer], answers: &Answers) {
        if !inputs.iter().any(|input| self.watches(input)) {
            return;
        }
        self.watched.extend(results.iter().filter(|result| result.dtype().is_fractional()).map(place));
        let (inputs, results, answers) = (inputs.to_vec(), results.to_vec(), answers.clone());
        self.runs.push(Taken::Graph(Arc::new(Run { way: way.clone(), inputs, results, answers })));
    }

    /// The same of a function with a way back of its own.
    pub fn take_own(&mut self, run: &Arc<OwnRun>) {
        if run.inputs.iter().flatten().any(|input| self.watches(input)) {
            self.watched.extend(run.results.iter().map(place));
            self.runs.push(Taken::Own(run.clone()));
        }
    }

    pub fn cells(&self) -> Vec<Arc<Cell>> {
        super::each_once(self.variables.iter().map(|(cell, _)| cell))
    }

    /// The tensor that a source stands for: of a variable that which was read first, of an object that is watched that which
    /// it held then.
    fn place(&self, source: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        if let Ok(variable) = source.cast::<Variable>() {
            let own = |(cell, _): &&(Arc<Cell>, usize)| Arc::ptr_eq(cell, &variable.get().cell);
            return Ok(self.variables.iter().find(own).map(|(_, place)| *place));
        }
        if let Some(watched) = super::first_watched(source, &self.objects) {
            return Ok(Some(watched));
        }
        Ok(match operands::operand(source)? {
            Operand::Tensor(buffer) => Some(place(&buffer)),
            Operand::Number(_) | Operand::Staged(..) => None,
        })
    }
}

/// The cotangents so far, by tensor.
struct Flows<'py> {
    py: Python<'py>,
    known: HashMap<usize, Buffer>,
}

impl Flows<'_> {
    fn add(&mut self, to: usize, flow: Buffer) -> PyResult<()> {
        let sum = match self.known.remove(&to) {
            None => flow,
            Some(known) => {
                let both = vec![Operand::Tensor(known), Operand::Tensor(flow)];
                elements(operands::apply(self.py, &Call::wrapping(BinaryOp::Add), both)?)
            }
        };
        self.known.insert(to, sum);
        Ok(())
    }

    /// Goes back through one run.
    fn back(&mut self, run: &Taken) -> PyResult<()> {
        if !run.results().iter().any(|result| self.known.contains_key(&place(result))) {
            return Ok(());
        }
        match run {
            Taken::Graph(run) => self.through_graph(run),
            Taken::Own(run) => self.through_own(run),
        }
    }

    /// Cotangent that has flowed back to a tensor.
    fn cotangent(&self, result: &Buffer) -> Buffer {
        self.known.get(&place(result)).cloned().unwrap_or_else(|| zeros(result))
    }

    fn through_own(&mut self, run: &OwnRun) -> PyResult<()> {
        let cotangents = run.results.iter().map(|result| self.cotangent(result)).collect();
        let flows = run.own.flows_now(self.py, &run.inputs, cotangents)?;
        for (input, flow) in run.inputs.iter().zip(flows) {
            if let (Some(input), Some(flow)) = (input, flow) {
                self.add(place(input), flow)?;
            }
        }
        Ok(())
    }

    fn through_graph(&mut self, run: &Run) -> PyResult<()> {
        let back = run.way.back().map_err(|why| no_derivative(self.py, why))?;
        let mut inputs = run.inputs.clone();
        for &at in &back.from {
            inputs.push(self.cotangent(&run.results[at]));
        }
        let mut host = PythonHost::again(run.answers.clone());
        let given = self.py.detach(|| back.executable.run(&inputs, &mut host));
        let given = given.map_err(|error| run_errors::run_failed(self.py, error, host.interrupt))?;
        let given = super::took(back.way.clone(), inputs, given, run.answers.clone());
        for (input, to) in run.inputs.iter().zip(&back.to) {
            if let Some(at) = to {
                self.add(place(input), given[*at].clone())?;
            }
        }
        Ok(())
    }
}

/// The cotangents of the sources.
pub(super) fn flows(
    py: Python<'_>,
    record: &Record,
    targets: &[Bound<'_, PyAny>],
    seeds: &[Option<Bound<'_, PyAny>>],
    sources: &[Bound<'_, PyAny>],
) -> PyResult<Vec<Option<Operand>>> {
    let mut flows = Flows { py, known: HashMap::new() };
    for (target, seed) in targets.iter().zip(seeds) {
        let target = elements(operands::operand(target)?);
        if !target.dtype().is_fractional() {
            continue;
        }
        let seed = match seed {
            None => filled(&target, 1.0),
            Some(seed) => elements(operands::operand(seed)?),
        };
        flows.add(place(&target), seed)?;
    }
    for run in record.runs.iter().rev() {
        flows.back(run)?;
    }
    let mut found = Vec::with_capacity(sources.len());
    for source in sources {
        let at = record.place(source)?.filter(|at| record.watched.contains(at));
        let flow = at.and_then(|at| flows.known.get(&at));
        found.push(flow.map(|flow| Operand::Tensor(flow.clone())));
    }
    Ok(found)
}

/// The elements of an operand outside of graphs.
fn elements(operand: Operand) -> Buffer {
    match operand {
        Operand::Tensor(buffer) => buffer,
        Operand::Number(number) => Buffer::scalar(DType::F32, number),
        Operand::Staged(..) => Buffer::scalar(DType::F32, Scalar::Float(0.0)),
    }
}

fn zeros(like: &Buffer) -> Buffer {
    Buffer::with_writer(like.dtype(), like.lengths(), |_| ())
}

fn filled(like: &Buffer, number: f64) -> Buffer {
    let count: usize = like.lengths().iter().product();
    let mut bytes = Vec::with_capacity(count * like.dtype().size());
    (0..count).for_each(|_| Scalar::Float(number).write(like.dtype(), &mut bytes));
    Buffer::from_bytes(like.dtype(), like.lengths(), &bytes)
}
