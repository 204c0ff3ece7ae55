//! A Python function that calls itself where a tensor decides whether it does: it becomes a function of the graph.
//!
//! While a branch or loop is traced, a function that runs already is called through [`RecursionProbe`], which takes the call
//! down. If it comes again for arguments of the same kinds, tracing would not end: it goes back to the first of these
//! calls ([`Again`]), and there the function is made one of the graph, see `gw_trace::Callee`. Arguments that Python
//! knows and that end the recursion stay what they are, and the calls are traced one in the other as any others.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use gw_trace::{Argument, Callee, Host};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::calls::call_node::{arrays, called};
use crate::calls::callee_memo::Settled;
use crate::calls::growing::{Growing, argument};
use crate::calls::outlining::{Records, Shared};
use crate::effects::watch;
use crate::exceptions::errors::{self, Failed};
use crate::exceptions::raised::is_passing;
use crate::exceptions::tries::{Calling, Forms, Heard};
use crate::function::bind_parameters::Given;
use crate::host::skeleton::Skeleton;
use crate::host::{PyHost, operands};
use crate::operators;
use crate::optional::maybe::Maybe;
use crate::session::interrupts::Again;
use crate::session::top_frame::top_frame;
use crate::session::{self, Feature, FeatureSlot, Tracing};
use crate::values::cell::Cell;
use crate::values::roots;
use crate::values::tensor::{Payload, Tensor};

/// A round more than any types need that only ever grow.
pub const MOST_ROUNDS: usize = 24;

/// So many calls that differ in lengths alone are traced one in the other.
const MOST_LENGTHS: usize = 32;

/// So many functions of the graph for different numbers are made one in the other.
const MOST_VARIANTS: usize = 4;

/// So many frames are searched for a function that runs already; a cycle of calls is shorter.
const FARTHEST: usize = 200;

/// Bytes of stack that a call from here needs at least.
const LEAST_STACK: usize = 1 << 18;

type Value = Arc<Py<PyAny>>;

/// What the leaves of the arguments of a call are. Calls that stand in each other are compared at each of them: a copy of what is
/// known of one must not cost more where its arguments are many.
pub type Leaves = Arc<[Argument<Value>]>;

/// The calls that a tracing is in, as far as they may come again, the outermost first.
#[derive(Debug, Default)]
pub struct Calls {
    open: Mutex<Vec<Call>>,
    /// The functions that are called again and again beside each other.
    pub shared: Shared,
    /// The functions that were made because they call themselves.
    pub settled: Settled,
}

impl Feature for Calls {
    fn slot() -> FeatureSlot {
        FeatureSlot::Calls
    }

    fn forget(&self) {
        let open = std::mem::take(&mut *self.lock());
        drop(open);
        self.shared.forget();
        self.settled.forget();
    }
}

impl Tracing {
    /// The calls that may come again.
    pub fn calls(&self) -> &Calls {
        self.feature()
    }
}

/// A call that is being traced.
#[derive(Debug, Clone)]
pub struct Call {
    /// The address of the function.
    pub function: usize,
    /// The structure of its arguments.
    pub skeleton: Arc<Skeleton>,
    /// What their leaves are.
    pub arguments: Leaves,
    /// What the function is to take when it is made one of the graph, once that is known to be necessary.
    pub again: Option<Leaves>,
    /// What is known of the function of the graph that it is being made.
    pub callee: Option<Arc<Callee<Value, Skeleton>>>,
    /// True if that may return an array that the caller knows already.
    pub hands_back: Arc<AtomicBool>,
    /// True if it was called while it was being made.
    pub is_called: Arc<AtomicBool>,
    /// What the `try` statements around meet: the function tells what of that it raises.
    pub heard: Arc<Heard>,
    /// What it raises of that.
    pub forms: Arc<Forms>,
    /// The lists that it is given.
    pub growing: Arc<Growing>,
}

impl Calls {
    fn lock(&self) -> MutexGuard<'_, Vec<Call>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Traces a function of the graph within a call; gives the arguments for which it was asked meanwhile, too.
    pub fn within<T>(&self, call: Call, trace: impl FnOnce() -> T) -> (T, Option<Leaves>) {
        self.lock().push(call);
        let traced = trace();
        let asked = self.lock().pop().and_then(|call| call.again);
        (traced, asked)
    }

    /// The next round begins of a function: what was found in the one before may be no longer so.
    pub fn next_round(&self, before: &Before) {
        self.shared.forget_since(before.shared.clone());
        self.settled.renew(before.settled);
    }

    /// What is known where a function begins to be made.
    pub fn before(&self) -> Before {
        Before { shared: self.shared.known(), settled: self.settled.now() }
    }
}

/// What was known when a function began to be made.
pub struct Before {
    shared: Records,
    settled: usize,
}

/// What to call in place of a converted function: itself, or what looks whether the call comes again.
pub fn entered<'py>(function: Bound<'py, PyAny>, own: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let Some(tracing) = session::current() else { return Ok(function) };
    let key = own.as_ptr() as usize;
    let inside = (tracing.trace.in_region() || tracing.tries().will_stage()) && runs(&function)?;
    if !tracing.calls().shared.is_called_again(key) && !inside {
        return Ok(function);
    }
    let entered = RecursionProbe { function: function.unbind(), own: own.clone().unbind(), key, inside };
    Ok(Bound::new(py, entered)?.into_any())
}

/// True if a function runs already, in one of the nearest frames.
fn runs(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(function) = function.cast::<PyFunction>() else { return Ok(false) };
    let code = function.getattr("__code__")?;
    let mut next = top_frame(function.py());
    for _ in 0..FARTHEST {
        let Some(frame) = next.filter(|frame| !frame.is_none()) else { return Ok(false) };
        if frame.getattr("f_code")?.is(&code) {
            return Ok(true);
        }
        next = Some(frame.getattr("f_back")?);
    }
    Ok(false)
}

/// A function that is called again.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct RecursionProbe {
    /// Converted.
    pub function: Py<PyAny>,
    /// As the user knows it.
    pub own: Py<PyAny>,
    key: usize,
    /// True if it is called while it runs, in a branch, in a loop, or in the body of a `try` that will be a region.
    inside: bool,
}

#[pymethods]
impl RecursionProbe {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match session::current() {
            Some(tracing) => operands::given(self.call(py, tracing, args, kwargs)?),
            None => self.function.bind(py).call(args, kwargs),
        }
    }
}

impl RecursionProbe {
    fn call<'py>(
        &self,
        py: Python<'py>,
        tracing: Arc<Tracing>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if gw_runtime::remaining_stack().is_some_and(|left| left < LEAST_STACK) {
            return Err(PyRecursionError::new_err("maximum recursion depth exceeded"));
        }
        if let Some(why) = tracing.stopped().filter(|why| why.code == Code::NotCaught) {
            return Err(errors::raise(&why));
        }
        let (kwargs, host) = (kwargs.cloned().unwrap_or_else(|| PyDict::new(py)), PyHost::new(py, tracing));
        let plain = || self.function.bind(py).call(args, Some(&kwargs));
        let shared = &host.tracing().calls().shared;
        if !self.inside && !shared.is_large(self.key) {
            return shared.measured(&host, self.key, plain);
        }
        let (call, leaves) = match self.call_of(&host, args, &kwargs) {
            Err(_) if !self.inside => return plain(),
            call => call?,
        };
        if let Some((known, callee)) = host.tracing().calls().known(&host, &call) {
            return called(&host, &known, &callee, &leaves);
        }
        let is_kept = shared.is_large(self.key) || shared.is_inlined_often(&host, &call);
        if is_kept && let Some(result) = self.shared(&host, &call, &leaves)? {
            return Ok(result);
        }
        if !self.inside {
            return self.watched(&host, &call, args, plain);
        }
        let calls = &host.tracing().calls();
        if let Some(known) = calls.settled.find(&host, &call) {
            return self.again(&host, &call, known, &leaves);
        }
        if calls.comes_again(&host, &call) || calls.stretches(&host, &call) || calls.varies(&host, &call) {
            return Err(Again::new_err(()));
        }
        call.growing.check(&calls.lock().clone(), &call, &host, &|| self.names(py))?;
        let inline = || self.enter(&host, call.clone(), &leaves, plain);
        if is_kept {
            self.watched(&host, &call, args, inline)
        } else {
            shared.measured(&host, self.key, inline)
        }
    }

    /// What a call is, and the leaves of its arguments.
    fn call_of(
        &self,
        host: &PyHost<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<(Call, Vec<Value>)> {
        let all = PyTuple::new(host.py(), [args.as_any(), kwargs.as_any()])?;
        let mut leaves = Vec::new();
        let skeleton = Arc::new(Skeleton::of(all.as_any(), &mut leaves)?);
        let leaves: Vec<Value> = leaves.into_iter().map(Arc::new).collect();
        let arguments = leaves.iter().map(|leaf| argument(host, leaf)).collect::<PyResult<Leaves>>()?;
        let call = Call {
            function: self.key,
            skeleton,
            arguments,
            again: None,
            callee: None,
            hands_back: Arc::default(),
            is_called: Arc::default(),
            heard: Arc::new(host.tracing().tries().heard(host.py())?),
            forms: Arc::default(),
            growing: Arc::new(Growing::of(host, args)?),
        };
        Ok((call, leaves))
    }
}

impl RecursionProbe {
    /// Traces the call, and makes the function one of the graph if it comes again meanwhile.
    fn enter<'py>(
        &self,
        host: &PyHost<'py>,
        call: Call,
        leaves: &[Value],
        run: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tracing = host.tracing();
        let stopped = tracing.stopped();
        let (mark, own) = (tracing.trace.build(|b| b.mark()), host.own_state()?);
        let objects = tracing.boxes().mark();
        let before = tracing.calls().before();
        tracing.regions().enter_call(tracing, false);
        let called = call.clone();
        tracing.calls().lock().push(call);
        tracing.ask_way_on(widened);
        let outcome = tracing.calls().shared.inlined(host, &called, run);
        let call = tracing.calls().lock().pop();
        let again = call.as_ref().and_then(|call| call.again.clone());
        tracing.regions().leave_call(again.is_some());
        let (Some(call), Some(arguments)) = (call.as_ref(), again) else {
            let failed = outcome.as_ref().is_err_and(|error| !is_passing(host.py(), error));
            if failed && call.is_some_and(|call| tracing.calls().counts(host, &call)) {
                tracing.go_on(stopped);
                return Err(Again::new_err(()));
            }
            return outcome;
        };
        tracing.trace.rewind(mark);
        tracing.boxes().rewind(objects);
        tracing.calls().next_round(&before);
        host.set_own_state(&own)?;
        let made = Call { arguments, again: None, ..call.clone() };
        self.make(host, &call.arguments, made, None, leaves)
    }

    /// The names of the function's own parameters, the positional ones first.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.function.bind(py).getattr("__code__")?.getattr("co_varnames")?.extract()
    }

    /// Runs the function on what it is given as a function of the graph.
    pub fn traced<'py>(
        &self,
        host: &PyHost<'py>,
        call: &Call,
        given: Vec<Value>,
    ) -> Result<Vec<Value>, Failed> {
        let py = host.py();
        let mut values = given.iter();
        let mut leaf = |argument: &Argument<Value>| match argument {
            Argument::Value(_) => values.next().expect("one value for each parameter").clone_ref(py),
            Argument::Number(leaf, _) | Argument::Object(leaf) => leaf.clone_ref(py),
        };
        let leaves: Vec<Py<PyAny>> = call.arguments.iter().map(&mut leaf).collect();
        let all = call.skeleton.rebuild(py, &mut leaves.into_iter())?;
        let (args, kwargs): (Bound<'py, PyTuple>, Bound<'py, PyDict>) = all.extract()?;
        let names = self.names(py)?;
        name(&args, &names);
        let before = args.iter().chain(kwargs.values().iter()).map(|a| Given::of(&a));
        let before = before.collect::<PyResult<Vec<_>>>()?;
        before.iter().try_for_each(|one| host.tracing().arguments().know(&one.object()))?;
        let named = args.iter().zip(names.iter().cloned()).collect();
        let function = self.function.bind(py);
        let calling = Calling { host, heard: &call.heard, forms: &call.forms };
        let mut told = Vec::new();
        let returned = watch::called(function, named, "a function that calls itself in the graph", || {
            let run = || calling.traced(&given, &|| function.call(&args, Some(&kwargs)));
            let (returned, raised) = host.tracing().consumers().apart(run)?;
            told = raised;
            Ok(returned)
        })?;
        for (at, given) in before.iter().enumerate() {
            given.check(host.tracing(), names.get(at).map_or("an argument", String::as_str))?;
        }
        let returned = match Maybe::unbound(&returned) {
            Some(maybe) => operators::read(py, maybe)?,
            None => returned,
        };
        let own =
            |leaf: &Value| leaf.bind(py).cast::<Tensor>().ok().map(|tensor| tensor.get().cell().clone());
        let given: Vec<_> = given.iter().filter_map(own).collect();
        let known = |tensor: &Bound<'_, Tensor>| {
            let cells = roots::cells(tensor.get());
            let is_known = |cell: &Arc<Cell>| {
                let is_given = given.iter().any(|other| Arc::ptr_eq(cell, other));
                is_given || cell.is_linked() || host.tracing().regions().is_beyond_call(cell)
            };
            cells.iter().any(is_known) || tensor.get().may_be_part()
        };
        if arrays(&returned)?.iter().any(known) {
            call.hands_back.store(true, Ordering::Relaxed);
        }
        Ok(std::iter::once(Arc::new(returned.unbind())).chain(told).collect())
    }
}

/// Gives the parameters of a function of the graph the names of those of the function.
fn name(args: &Bound<'_, PyTuple>, names: &[String]) {
    for (arg, name) in args.iter().zip(names) {
        if let Ok(tensor) = arg.cast::<Tensor>()
            && let Payload::Staged(tracing, staged) = tensor.get().content()
        {
            tracing.trace.build(|b| b.name(staged.value, name));
        }
    }
}

impl Calls {
    /// The innermost function that is being made one of the graph and takes the arguments of a call.
    fn known(&self, host: &PyHost<'_>, call: &Call) -> Option<(Call, Arc<Callee<Value, Skeleton>>)> {
        let open = self.lock().clone();
        let known =
            open.into_iter().rev().find(|known| known.callee.is_some() && known.covers(host, call))?;
        known.is_called.store(true, Ordering::Relaxed);
        let callee = known.callee.clone()?;
        Some((known, callee))
    }

    /// True if a call covers this one; then the outermost that does is asked to be made a function of the graph.
    fn comes_again(&self, host: &PyHost<'_>, call: &Call) -> bool {
        let open = self.lock().clone();
        let at = open.iter().position(|known| known.callee.is_none() && known.covers(host, call));
        if let Some(at) = at {
            let known = &mut self.lock()[at];
            known.again = Some(known.arguments.clone());
        }
        at.is_some()
    }

    /// True if it is not yet known what a function returns that is being made around.
    pub fn waits(&self) -> bool {
        let unknown = |call: &Call| call.callee.as_ref().is_some_and(|callee| !callee.is_known());
        self.lock().iter().any(unknown)
    }

    /// Asks for a function for all the arguments with which the calls of one function stand in each other, if there
    /// are such calls and such a function.
    fn widen(&self, host: &PyHost<'_>) -> bool {
        let open = self.lock().clone();
        open.iter().enumerate().filter(|(_, call)| call.callee.is_none()).any(|(at, first)| {
            let later = open[at + 1..].iter().filter(|call| call.callee.is_none() && call.is_of(first, host));
            self.ask(host, at, first, &later.collect::<Vec<_>>())
        })
    }

    /// True if a call is one of many that stand in each other and differ in lengths alone: then it asks for a function
    /// for all of them.
    fn stretches(&self, host: &PyHost<'_>, call: &Call) -> bool {
        let open = self.lock().clone();
        let like = |other: &Call| other.callee.is_none() && other.differs_in_lengths(call, host);
        let Some(at) = open.iter().position(like) else { return false };
        let mut later: Vec<&Call> = open[at + 1..].iter().filter(|other| like(other)).collect();
        later.push(call);
        later.len() >= MOST_LENGTHS && self.ask(host, at, &open[at], &later)
    }

    /// True if a call is one of several that stand in a function that is being made, for other numbers of Python's each:
    /// then that is asked to be made for all of them.
    fn varies(&self, host: &PyHost<'_>, call: &Call) -> bool {
        let open = self.lock().clone();
        let made = |other: &Call| other.callee.is_some() && other.is_of(call, host);
        let Some(at) = open.iter().position(made) else { return false };
        let mut later: Vec<&Call> = open[at + 1..].iter().filter(|other| other.is_of(call, host)).collect();
        later.push(call);
        later.len() >= MOST_VARIANTS && self.ask(host, at, &open[at], &later)
    }

    /// True if a call that failed is one of several that stand in each other for other numbers each: what failed for one
    /// of them alone, such as an index that is too large, may be right for all of them, as a value of the graph.
    fn counts(&self, host: &PyHost<'_>, call: &Call) -> bool {
        let open = self.lock().clone();
        let Some(at) = open.iter().position(|other| other.is_of(call, host)) else { return false };
        let mut later: Vec<&Call> = open[at + 1..].iter().filter(|other| other.is_of(call, host)).collect();
        later.push(call);
        let differ = open[at].arguments.iter().zip(&*call.arguments).any(|(a, b)| !a.covers(host, b));
        later.len() > 1 && differ && self.ask(host, at, &open[at], &later)
    }

    /// True if the innermost call stands in one of the same function for other arguments.
    pub fn count_up(&self, host: &PyHost<'_>) -> bool {
        let open = self.lock().clone();
        let Some((last, around)) = open.split_last() else { return false };
        around.iter().any(|call| call.is_of(last, host) && !call.covers(host, last))
    }

    /// Asks for a function that takes what `first`, the call number `at`, and the later ones take.
    fn ask(&self, host: &PyHost<'_>, at: usize, first: &Call, later: &[&Call]) -> bool {
        let joined = later.iter().try_fold(first.arguments.clone(), |known, call| {
            known.iter().zip(&*call.arguments).map(|(a, b)| a.join(host, b)).collect::<Option<Leaves>>()
        });
        let asked = !later.is_empty() && joined.is_some();
        if asked {
            self.lock()[at].again = joined;
        }
        asked
    }
}

/// Where statements nest too deep: goes back to a call that comes again and again with other arguments, to make it a
/// function for all of them. None if there is no such call.
fn widened(py: Python<'_>) -> Option<PyErr> {
    let tracing = session::current()?;
    let host = PyHost::new(py, tracing.clone());
    tracing.calls().widen(&host).then(|| Again::new_err(()))
}
