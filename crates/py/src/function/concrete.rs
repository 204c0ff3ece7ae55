//! One graph of a function with its native code: when a call can run it, and how it runs.

use std::collections::HashSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};

use graphwright::{Optimized, Way, profile};
use gw_base::{Code, Diagnostic};
use gw_runtime::{Buffer, Executable, Failure, RunError};
use gw_types::Promotion;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use crate::dependencies::guards::{self, Guard};
use crate::effects::captured_location::Taken;
use crate::effects::kept::Made;
use crate::effects::tracked::Capture;
use crate::effects::{self, Effect, write_back};
use crate::exceptions::tries::Raises;
use crate::exceptions::{errors, run_errors};
use crate::function::bind_parameters::Written;
use crate::function::fast_match::{Pattern, Positional};
use crate::function::held::Held;
use crate::function::output::Output;
use crate::function::structured::Structured;
use crate::function::trace_type::{Arguments, Inputs, Part};
use crate::host_calls::process_state::{Answers, Elsewhere, HostCalls, PythonHost};
use crate::host_calls::replay::Record;
use crate::host_calls::{self, Crossings, Served, Serving};
use crate::tape::{self, recording};
use crate::values::semantics::ArrayFlags;
use crate::values::tensor::{Payload, Tensor};
use crate::values::turn;
use crate::values::variable_cell::Cell;

/// A graph of a function for arguments of one trace type.
#[derive(Debug)]
pub struct CompiledTrace {
    /// Number of the graph among the function's graphs, in the order in which they were made.
    pub number: usize,
    /// Time of the last use, by the clock of the function's calls.
    pub used: AtomicU64,
    /// The trace type.
    pub parts: Vec<Part>,
    /// The same to compare arguments with, if it is plain.
    pub pattern: Option<Pattern>,
    /// Objects that count by identity: the graph is of use only while they live.
    pub objects: Vec<Held>,
    /// The arguments, with specs in place of tensors.
    pub arguments: Structured,
    /// The graph after `opt`.
    pub graph: Optimized,
    /// Its native code.
    pub executable: Executable,
    /// The same for the profiler, with the number by which that knows it, once it was on during a call.
    pub marked: OnceLock<Option<(u32, Executable)>>,
    /// The same graph for tapes, once one has met it.
    pub way: OnceLock<Arc<Way>>,
    /// The same for runs in which nothing was raised, of a graph with `raises`.
    pub ended: OnceLock<Arc<Way>>,
    /// True if it runs for so short a time that other threads need not be let in.
    pub is_brief: bool,
    /// Captures of the function; they follow the tensors among the arguments.
    pub captured: Vec<Capture>,
    /// Destinations of the results that follow the returned ones.
    pub assigned: Vec<Capture>,
    /// Arguments that must be these very variables, since the function reaches them by another way too.
    pub pinned: Vec<(usize, Arc<Cell>)>,
    /// Variables of any number of axes, with how many the graph is for.
    pub ranks: Vec<(Arc<Cell>, usize)>,
    /// Arguments that are NumPy arrays, where tensors in their place would make another graph.
    pub arrays: Option<ArrayFlags>,
    /// Arguments that it stores into; what they hold afterwards follows the results.
    pub written: Vec<Written>,
    /// Exceptions that are raised in its place: the last results tell if one is.
    pub raises: Option<Raises>,
    /// Tensors from outside that the function read, with what they held: the graph is good as long as they do.
    pub outside: Vec<(Py<Tensor>, Buffer)>,
    /// Facts about the world outside that it was made with.
    pub guards: Vec<Guard>,
    /// True if integer scalars are checked for overflow, if the process's setting decided that.
    pub overflow: Option<bool>,
    /// Values that it stores into places around the function; its results for those follow the ones written to
    /// arguments.
    pub effects: Vec<Effect>,
    /// The functions of the host's that it calls.
    pub served: Vec<Served>,
    /// True if plain Python may do a run again: nothing but its results is left of it.
    pub is_done_again: bool,
    /// The names that the program reads besides, if there are some.
    pub names: HashSet<String>,
    /// The transfers between it and these.
    pub crossings: Crossings,
    /// Promotion rule for tensors of different element types.
    pub promotion: Promotion,
    /// Structure of the returned value.
    pub output: Output,
}

/// About how many bytes a node of a graph and its machine code take.
const BYTES_PER_NODE: usize = 512;

impl CompiledTrace {
    /// Visits the Python objects that it holds and that may be part of a cycle, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.objects.iter().try_for_each(|held| held.visit(visit))?;
        self.outside.iter().try_for_each(|(tensor, _)| visit.call(tensor))?;
        self.guards.iter().try_for_each(|guard| guard.visit(visit))?;
        self.effects.iter().try_for_each(|effect| effect.visit(visit))?;
        self.taken().try_for_each(|taken| taken.visit(visit))?;
        self.pattern.iter().try_for_each(|pattern| pattern.visit(visit))?;
        self.served.iter().try_for_each(|served| served.visit(visit))?;
        self.arguments.visit(visit)
    }

    /// True if every object that the trace type knows by its address lives.
    pub fn lives(&self, py: Python<'_>) -> bool {
        self.objects.iter().all(|held| held.get(py).is_some())
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let bytes = |capture: &Capture| match capture {
            Capture::Tensor(buffer) => buffer.bytes().len(),
            Capture::Variable(_) | Capture::Argument(_) | Capture::Location(_) => 0,
        };
        let captured: usize = self.captured.iter().map(bytes).sum();
        self.graph.node_count() * BYTES_PER_NODE + captured
    }

    /// True if a call with arguments of its trace type can run it.
    pub fn admits(&self, py: Python<'_>, arguments: &Arguments) -> bool {
        self.lives(py) && self.holds(py, &arguments.inputs)
    }

    /// The tensors and variables among the arguments of a call, if it can run the graph: objects that are compared by
    /// identity live.
    pub fn take(&self, py: Python<'_>, given: Positional<'_, '_>) -> Option<Inputs> {
        self.pattern.as_ref()?.take(given, self.captured.len()).filter(|inputs| self.holds(py, inputs))
    }

    /// True if all that the graph was made with besides its arguments is as it was.
    fn holds(&self, py: Python<'_>, inputs: &Inputs) -> bool {
        self.is_fresh()
            && self.promotion == graphwright::promotion::said()
            && self.arrays.as_ref().is_none_or(|arrays| *arrays == inputs.arrays)
            && self.ranks.iter().all(|(cell, rank)| cell.rank() == *rank)
            && self.takes_variables(&inputs.variables)
            && self.overflow.is_none_or(|checked| checked == graphwright::overflow::is_checked())
            && guards::all_hold(py, &self.guards)
            && self.taken().all(|taken| taken.now(py).is_some())
    }

    /// A change of a setting after which the graph is of no use.
    pub fn setting_that_differs(&self) -> Option<String> {
        let differs = self.overflow.is_some_and(|checked| checked != graphwright::overflow::is_checked());
        let text =
            "`gw.config.set_integer_overflow` was called in between: call it once, before the first call";
        differs.then(|| text.to_owned())
    }

    /// Places around the function that it reads.
    fn taken(&self) -> impl Iterator<Item = &Taken> {
        self.captured.iter().filter_map(|capture| match capture {
            Capture::Location(taken) => Some(taken),
            Capture::Tensor(_) | Capture::Variable(_) | Capture::Argument(_) => None,
        })
    }

    /// True if the tensors from outside hold what they held when the function was traced.
    pub fn is_fresh(&self) -> bool {
        let same = |(tensor, buffer): &(Py<Tensor>, Buffer)| match tensor.get().content() {
            Payload::Eager(now) => now.as_ptr() == buffer.as_ptr(),
            Payload::Staged(..) => false,
        };
        self.outside.iter().all(same)
    }

    /// True if the variables among a call's arguments can be those of this graph: none of them is one that the graph
    /// also knows as itself, unless it was so when the graph was made.
    fn takes_variables(&self, variables: &[Arc<Cell>]) -> bool {
        let is_own = |cell: &Arc<Cell>| {
            self.captured.iter().any(|c| matches!(c, Capture::Variable(own) if Arc::ptr_eq(own, cell)))
        };
        let takes = |(at, cell): (usize, &Arc<Cell>)| match self.pinned.iter().find(|(p, _)| *p == at) {
            Some((_, wanted)) => Arc::ptr_eq(wanted, cell),
            None => !is_own(cell),
        };
        variables.iter().enumerate().all(takes)
    }

    /// Its graph, to ask a derivative of a run that gave these results.
    fn way(&self, results: &[Buffer]) -> &Arc<Way> {
        if let Some(raises) = &self.raises {
            let number = results.len() - raises.count();
            if !Raises::has_raised(&results[number]) {
                return self.ended.get_or_init(|| Arc::new(Way::of_ended_runs(self.graph.clone(), number)));
            }
        }
        self.way.get_or_init(|| Arc::new(Way::of(self.graph.clone())))
    }

    /// Shows the tapes the variables that the graph reads.
    fn show_variables(&self, variables: &[Arc<Cell>], captured: &[Buffer]) {
        for (capture, value) in self.captured.iter().zip(captured) {
            match capture {
                Capture::Variable(cell) => recording::met(cell, value),
                Capture::Argument(at) => recording::met(&variables[*at], value),
                Capture::Tensor(_) | Capture::Location(_) => {}
            }
        }
    }

    /// This thread's turns at the variables that the graph assigns to. A graph that calls the host takes those of variables
    /// that change together alone: the host may wait for a thread that wants its turn at another one.
    fn turns<'a>(&'a self, py: Python<'_>, variables: &'a [Arc<Cell>]) -> PyResult<Option<turn::Taken<'a>>> {
        if self.assigned.is_empty() {
            return Ok(None);
        }
        let cell = |home: &'a Capture| match home {
            Capture::Variable(cell) => Some(cell),
            Capture::Argument(at) => Some(&variables[*at]),
            Capture::Tensor(_) | Capture::Location(_) => None,
        };
        let alone = self.served.is_empty();
        let cells = self.assigned.iter().filter_map(cell);
        turn::take(py, cells.map(|cell| &cell.turn).filter(|turn| alone || turn.is_shared())).map(Some)
    }

    /// Adds the present values of what it captured.
    fn add_captured(
        &self,
        py: Python<'_>,
        variables: &[Arc<Cell>],
        inputs: &mut Vec<Buffer>,
    ) -> PyResult<()> {
        for capture in &self.captured {
            inputs.push(match capture {
                Capture::Tensor(buffer) => buffer.clone(),
                Capture::Variable(cell) => cell.value(),
                Capture::Argument(at) => variables[*at].value(),
                Capture::Location(taken) => taken.now(py).ok_or_else(|| effects::another(py))?,
            });
        }
        Ok(())
    }

    /// True if a run may read and store in the caller's arrays: nobody sees them meanwhile, and plain Python does not do it again.
    fn works_in_place(&self) -> bool {
        self.served.is_empty() && !self.is_done_again
    }

    /// The inputs of a run: those that the caller lends, which the run may change where it stores, or copies of them.
    fn lent(&self, inputs: Vec<Buffer>, in_place: bool, targets: &[Bound<'_, PyAny>]) -> Vec<Buffer> {
        if !in_place {
            return inputs.into_iter().map(Buffer::kept).collect();
        }
        let mut inputs = inputs;
        for (written, target) in self.written.iter().zip(targets) {
            write_back::let_change(&mut inputs[written.at], target);
        }
        inputs
    }

    /// The results with those copied that lie in the caller's arrays, but for what an array that is stored into holds itself.
    fn kept(&self, results: Vec<Buffer>, inputs: &[Buffer]) -> Vec<Buffer> {
        let stored = self.effects.iter().map(Effect::results).sum::<usize>() + self.written.len();
        let behind = self.assigned.len() + self.raises.as_ref().map_or(0, Raises::count);
        let first = results.len() - stored - behind;
        let one = |(at, result): (usize, Buffer)| {
            let written = at.checked_sub(first).and_then(|at| self.written.get(at));
            let stays = written.is_some_and(|w| inputs[w.at].as_ptr() == result.as_ptr());
            if stays { result } else { result.kept() }
        };
        results.into_iter().enumerate().map(one).collect()
    }

    /// Puts the last results into places around the function.
    fn apply_effects(&self, py: Python<'_>, results: &mut Vec<Buffer>) -> PyResult<()> {
        if self.effects.is_empty() {
            return Ok(());
        }
        let stored: usize = self.effects.iter().map(Effect::results).sum();
        let mut stored = results.split_off(results.len() - stored).into_iter();
        // In this order: new keys of a dict come one behind the other.
        let mut made = Made::default();
        for effect in &self.effects {
            effect.apply(py, stored.by_ref().take(effect.results()).collect(), &mut made)?;
        }
        Ok(())
    }

    /// The results of native code, and the answers of the host.
    fn run_natively(
        &self,
        py: Python<'_>,
        inputs: &[Buffer],
        mut serving: Option<Serving<'_>>,
    ) -> PyResult<(Vec<Buffer>, Answers)> {
        let mut host = PythonHost::serving(serving.as_mut().map(|serving| serving as &mut dyn HostCalls));
        let results = self.execute(py, inputs, &mut host);
        let interrupt = host.interrupt;
        let answers = serving.as_mut().map(Serving::answers).unwrap_or_default();
        let record =
            serving.as_mut().map_or_else(|| self.is_done_again.then(Record::default), Serving::record);
        let failed = |error: RunError| {
            // Plain Python raises no code of ours, and its integers have room.
            let is_ours = error.message.starts_with("GW") || matches!(error.failure, Failure::Overflow);
            let again = if is_ours { record } else { None };
            let error = run_errors::run_failed(py, error, interrupt);
            if let Some(record) = again {
                record.end(error.clone_ref(py));
            }
            error
        };
        Ok((results.map_err(failed)?, answers))
    }

    fn execute(
        &self,
        py: Python<'_>,
        inputs: &[Buffer],
        host: &mut PythonHost<'_>,
    ) -> Result<Vec<Buffer>, RunError> {
        let marked = if profile::is_on() { self.marked() } else { None };
        match marked {
            Some((number, code)) => py.detach(|| profile::call(*number, || code.run(inputs, host))),
            None if self.is_brief => self.executable.run(inputs, host),
            None => py.detach(|| self.executable.run(inputs, host)),
        }
    }

    /// True if nothing but its results is left of a run, whatever the arguments.
    fn leaves_results_only(&self) -> bool {
        self.written.is_empty()
            && self.assigned.is_empty()
            && self.effects.is_empty()
            && self.served.is_empty()
            && self.raises.is_none()
            && !self.is_done_again
    }

    /// Runs a graph that leaves its results only.
    fn run_for_results<'py>(&self, py: Python<'py>, inputs: &[Buffer]) -> PyResult<Bound<'py, PyAny>> {
        let mut host = PythonHost::default();
        let results = self.execute(py, inputs, &mut host);
        let mut results =
            results.map_err(|error| run_errors::run_failed(py, error, host.interrupt.take()))?;
        if results.iter().any(Buffer::is_lent) {
            results = results.into_iter().map(Buffer::kept).collect();
        }
        self.output.tensors(py, results)
    }

    /// The code for the profiler; none if a rule of ours is broken on the way to it.
    fn marked(&self) -> Option<&(u32, Executable)> {
        let denormals = self.executable.denormals();
        let made = || profile::compile(self.graph.graph()).ok();
        let code = |(number, code): (u32, Executable)| (number, code.with_denormals(denormals));
        self.marked.get_or_init(|| made().map(code)).as_ref()
    }

    /// GW126 if host code has changed what the graph was made with, which it may have read before.
    fn check_state(&self, py: Python<'_>) -> PyResult<()> {
        if self.served.is_empty() {
            return Ok(());
        }
        let Some(path) = guards::changed(py, &self.guards, &self.names) else { return Ok(()) };
        let message =
            format!("host code changed `{path}` while the graph ran, which may have read it before that");
        let help = "return it from the host function, give it as an argument, or hold what changes in a `gw.Variable`";
        Err(errors::at_call(py, Diagnostic::new(Code::HostCallRefused, message).help(help)))
    }

    /// Runs the graph on the arguments of a call, and writes what it stores into them and assigns to variables; `tensors`
    /// gives the tensors among the arguments, if it stores into some.
    pub fn run<'py>(
        &self,
        py: Python<'py>,
        inputs: Inputs,
        tensors: &dyn Fn() -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.run_by(py, inputs, tensors, None)
    }

    /// The same, by something else than its native code if there is such a thing.
    pub fn run_by<'py>(
        &self,
        py: Python<'py>,
        inputs: Inputs,
        tensors: &dyn Fn() -> PyResult<Vec<Bound<'py, PyAny>>>,
        elsewhere: Option<Elsewhere<'_>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let recorded = recording::is_recording();
        let Inputs { buffers: mut inputs, variables, .. } = inputs;
        if !recorded && elsewhere.is_none() && self.leaves_results_only() {
            self.add_captured(py, &variables, &mut inputs)?;
            return self.run_for_results(py, &inputs);
        }
        let targets = write_back::targets(py, &self.written, tensors, &self.outside)?;
        let in_place = !recorded && elsewhere.is_none() && self.works_in_place();
        inputs = self.lent(inputs, in_place, &targets);
        let turns = self.turns(py, &variables)?;
        // A result may be among them.
        let _keeps = host_calls::keeps(&self.served);
        let given = inputs.len();
        self.add_captured(py, &variables, &mut inputs)?;
        if recorded {
            self.show_variables(&variables, &inputs[given..]);
        }
        let serves = || Serving::new(&self.served, &self.captured, &variables, recorded);
        let (mut results, answers) = match elsewhere {
            Some(elsewhere) => (elsewhere(&inputs)?, Answers::default()),
            None => self.run_natively(py, &inputs, (!self.served.is_empty()).then(serves))?,
        };
        results = self.kept(results, &inputs);
        self.check_state(py)?;
        if recorded {
            results = tape::took(self.way(&results).clone(), inputs.clone(), results, answers);
        }
        let raised =
            self.raises.as_ref().map(|raises| (raises, results.split_off(results.len() - raises.count())));
        let news = results.split_off(results.len() - self.assigned.len());
        drop(inputs);
        for (home, value) in self.assigned.iter().zip(news) {
            let before = match home {
                Capture::Variable(cell) => cell.replace(value),
                Capture::Argument(at) => variables[*at].replace(value),
                Capture::Tensor(_) | Capture::Location(_) => continue,
            };
            self.executable.reuse(before);
        }
        drop(turns);
        self.apply_effects(py, &mut results)?;
        if !targets.is_empty() {
            let elements = results.split_off(results.len() - targets.len());
            write_back::write(py, &targets, elements)?;
        }
        if let Some((raises, results)) = raised
            && let Some(error) = raises.raised(py, results)?
        {
            return Err(error);
        }
        self.output.tensors(py, results)
    }
}
