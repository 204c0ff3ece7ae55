//! Python functions that are called again: the probe that stands for one where a graph is built, and what it runs. The rules by which
//! a call becomes a function of the graph are `gw_trace::call_function`'s.

use std::sync::Arc;

use gw_base::Code;
use gw_trace::{Argument, CalledFunction, FunctionCall, FunctionKey, Interrupt, Leaves, call_function};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::calls::arguments::{argument, growing};
use crate::calls::call_node::arrays;
use crate::calls::context::{Context, PyCall, Reach};
use crate::effects::watch::{self, Watch};
use crate::exceptions::errors::{self, Failed};
use crate::exceptions::tries::Calling;
use crate::function::bind_parameters::Given;
use crate::host::skeleton::Skeleton;
use crate::host::{PyHost, operands};
use crate::operators;
use crate::optional::maybe::Maybe;
use crate::session::interrupts;
use crate::session::top_frame::top_frame;
use crate::session::{self, Feature, FeatureSlot, Tracing};
use crate::values::cell::Cell;
use crate::values::roots;
use crate::values::tensor::{Payload, Tensor};

/// So many frames are searched for a function that runs already; a cycle of calls is shorter.
const FARTHEST: usize = 200;

/// Bytes of stack that a call from here needs at least.
const LEAST_STACK: usize = 1 << 18;

type Value = Arc<Py<PyAny>>;

/// The calls of a tracing that may come again.
#[derive(Debug, Default)]
pub struct OpenCalls(gw_trace::Calls<Value, Skeleton, Context, Reach>);

impl Feature for OpenCalls {
    fn slot() -> FeatureSlot {
        FeatureSlot::Calls
    }

    fn forget(&self) {
        self.0.forget();
    }
}

impl Tracing {
    /// The calls that may come again.
    pub fn calls(&self) -> &gw_trace::Calls<Value, Skeleton, Context, Reach> {
        &self.feature::<OpenCalls>().0
    }
}

/// Callable for use in place of a converted function: itself, or a wrapper that detects recursive calls.
pub fn entered<'py>(function: Bound<'py, PyAny>, own: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let Some(tracing) = session::current() else { return Ok(function) };
    let inside = (tracing.trace.in_region() || tracing.tries().will_stage()) && runs(&function)?;
    let key = FunctionKey(own.as_ptr() as usize);
    if !tracing.calls().is_called_again(key) && !inside {
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
    key: FunctionKey,
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
        host.tracing().ask_way_on(widened);
        let called = Called { probe: self, args, kwargs: &kwargs };
        let bind = || Ok(self.call_of(&host, args, &kwargs)?);
        let result = call_function(&host, &called, (self.key, self.inside), bind)?;
        Ok(result.bind(py).clone())
    }

    /// Description of a call, and the leaves of its arguments.
    fn call_of(
        &self,
        host: &PyHost<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<(PyCall, Vec<Value>)> {
        let all = PyTuple::new(host.py(), [args.as_any(), kwargs.as_any()])?;
        let mut leaves = Vec::new();
        let skeleton = Skeleton::of(all.as_any(), &mut leaves)?;
        let leaves: Vec<Value> = leaves.into_iter().map(Arc::new).collect();
        let arguments =
            leaves.iter().map(|leaf| argument(host, leaf)).collect::<PyResult<Leaves<Value>>>()?;
        let context = Context {
            heard: Arc::new(host.tracing().tries().heard(host.py())?),
            forms: Arc::default(),
            own: Arc::new(self.own.clone_ref(host.py())),
        };
        let growing = growing(host, args)?;
        let call = FunctionCall::new(self.key, (skeleton, arguments), growing, context);
        Ok((call, leaves))
    }
}

impl RecursionProbe {
    /// The names of the function's own parameters, the positional ones first.
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.function.bind(py).getattr("__code__")?.getattr("co_varnames")?.extract()
    }

    /// Runs the function on what it is given as a function of the graph.
    pub fn traced<'py>(
        &self,
        host: &PyHost<'py>,
        call: &PyCall,
        given: Vec<Value>,
    ) -> Result<(Value, Vec<Value>), Failed> {
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
        let calling = Calling { host, heard: &call.context.heard, forms: &call.context.forms };
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
            call.set_hands_back();
        }
        Ok((Arc::new(returned.unbind()), told))
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

/// A call of a probe with its arguments.
struct Called<'a, 'py> {
    probe: &'a RecursionProbe,
    args: &'a Bound<'py, PyTuple>,
    kwargs: &'a Bound<'py, PyDict>,
}

impl Called<'_, '_> {
    /// The objects that the function can reach, by itself and by these.
    fn reached<'py>(&self, host: &PyHost<'py>, objects: Vec<Bound<'py, PyAny>>) -> PyResult<Watch<'py>> {
        let named = objects.into_iter().map(|object| (object, "an argument".to_owned())).collect();
        Watch::reached(host.py(), &[self.probe.function.bind(host.py())], named)
    }
}

impl<'py> CalledFunction<PyHost<'py>> for Called<'_, 'py> {
    fn name(&self, host: &PyHost<'py>) -> Result<String, Failed> {
        Ok(self.probe.own.bind(host.py()).getattr("__name__")?.extract()?)
    }

    fn parameter(&self, host: &PyHost<'py>, at: usize) -> Result<Option<String>, Failed> {
        Ok(self.probe.names(host.py())?.into_iter().nth(at))
    }

    fn inline(&self) -> Result<Value, Failed> {
        let function = self.probe.function.bind(self.args.py());
        Ok(Arc::new(function.call(self.args, Some(self.kwargs))?.unbind()))
    }

    fn run(
        &self,
        host: &PyHost<'py>,
        call: &PyCall,
        given: Vec<Value>,
    ) -> Result<(Value, Vec<Value>), Failed> {
        self.probe.traced(host, call, given)
    }

    fn reach(&self, host: &PyHost<'py>, objects: &[Value]) -> Result<Reach, Failed> {
        let objects = objects.iter().map(|object| object.bind(host.py()).clone()).collect();
        let held = self.reached(host, objects)?.enter();
        let held = held.iter().map(|held| held.iter().map(|object| object.clone().unbind()).collect());
        Ok(held.collect())
    }

    fn watched(
        &self,
        host: &PyHost<'py>,
        inline: &dyn Fn() -> Result<Value, Failed>,
    ) -> Result<(Value, bool), Failed> {
        let watch = self.reached(host, self.args.iter().collect())?;
        let result = inline()?;
        Ok((result, watch.changed(&|| Ok(()))?.is_none()))
    }
}

/// Finds, where statements nest too deep, a call that recurs with other arguments, and goes back to it to make it
/// a function for all of them. None if there is no such call.
fn widened(py: Python<'_>) -> Option<PyErr> {
    let tracing = session::current()?;
    let host = PyHost::new(py, tracing.clone());
    gw_trace::widen(&host).then(|| interrupts::error(Interrupt::Recurses))
}
