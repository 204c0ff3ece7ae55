//! `graphwright.Function`: a Python function, and the graphs that its calls needed so far.

pub mod any_rank;
pub mod bind_parameters;
pub mod bound;
pub mod concrete;
pub mod concrete_function;
pub mod eagerly;
pub mod fast_match;
pub mod fingerprint;
pub mod forwards;
pub mod held;
pub mod kept;
pub mod output;
pub mod own_type;
pub mod parameters;
pub mod signature;
pub mod structured;
pub mod target;
pub mod trace_type;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::{Code, Diagnostic};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::calls::by_vector::{self, Callable, Entry};
use crate::calls::recursion;
use crate::convert::{self, conversion, converted};
use crate::dependencies;
use crate::effects::UnstableInputs;
use crate::exceptions::{errors, traceback};
use crate::function::any_rank::AnyRank;
use crate::function::bound::{Bindings, BoundFunction};
use crate::function::concrete::CompiledTrace;
use crate::function::concrete_function::ConcreteFunction;
use crate::function::kept::{Asked, Traces};
use crate::function::options::{Observations, Options};
use crate::function::parameters::{Call, Given, Parameters};
use crate::function::signature::Signature;
use crate::function::trace_type::Arguments;
use crate::iteration::loop_rolling::Roll;
use crate::operators::object;
use crate::operators::python_print::{self, Printed};
use crate::session::conv::conv;
use crate::settings::{denormals, overflow};

mod call;
mod copies;
mod numbers;
mod options;
mod trace;

use copies::HostCode;
use numbers::{Decided, Numbers};

/// A Python function that runs as a graph.
///
/// `gw.function` makes it; each new trace type of the arguments gets a graph of its own.
///
/// Example:
///   >>> @gw.function
///   ... def double(x):
///   ...     return x * 2.0
///   >>> float(double(gw.constant(3.0)))
///   6.0
///   >>> double
///   <gw.Function double>
#[pyclass(frozen, dict, weakref, generic, name = "Function", module = "graphwright")]
#[derive(Debug)]
pub struct Function {
    /// The way by which the interpreter calls it.
    entry: Entry,
    python_function: Py<PyAny>,
    /// State that every copy of the function shares.
    shared: Arc<Shared>,
    /// True if the first argument is the object that the function is a method of.
    bound: bool,
    traces: Traces,
    bindings: Bindings,
    restless: UnstableInputs,
    /// Decision about the function's Python numbers.
    decided: Decided,
    observations: Observations,
}

/// A Python function and its options.
#[derive(Debug)]
pub struct Shared {
    name: String,
    options: Options,
    parameters: Mutex<Arc<Parameters>>,
    /// True if it was found to have no text.
    is_unread: AtomicBool,
}

#[pymethods]
impl Function {
    #[new]
    #[pyo3(signature = (python_function, input_signature=None, autograph=true, source=None, roll=None, reduce_retracing=false, follow_type_hints=false, integer_overflow=None, python_numbers="static", host_code="auto", implicit_copies=None, denormals=None))]
    #[allow(clippy::too_many_arguments, reason = "the options of `gw.function`")]
    fn new(
        python_function: &Bound<'_, PyAny>,
        input_signature: Option<&Bound<'_, PyAny>>,
        autograph: bool,
        source: Option<&str>,
        roll: Option<&Bound<'_, PyAny>>,
        reduce_retracing: bool,
        follow_type_hints: bool,
        integer_overflow: Option<&str>,
        python_numbers: &str,
        host_code: &str,
        implicit_copies: Option<&str>,
        denormals: Option<&str>,
    ) -> PyResult<Self> {
        if !python_function.is_callable() {
            return Err(PyTypeError::new_err("gw.function takes a callable"));
        }
        conversion::give_source(python_function, source)?;
        let name = match python_function.getattr("__name__") {
            Ok(name) => name.extract()?,
            Err(_) => python_function.get_type().name()?.to_string(),
        };
        let signature = input_signature.map(Signature::of).transpose()?;
        let overflow = integer_overflow.map(overflow::checks).transpose()?;
        let numbers = Numbers::of(python_numbers)?;
        let host_code = HostCode::of(host_code)?;
        let implicit_copies = implicit_copies.map(copies::implicit_copies).transpose()?;
        let denormals = denormals.map(denormals::read).transpose()?;
        let roll = roll.map_or(Ok(Roll::Auto), Roll::read)?;
        let options = Options {
            signature,
            autograph,
            roll,
            reduce_retracing,
            follow_type_hints,
            overflow,
            numbers,
            host_code,
            implicit_copies,
            denormals,
        };
        let parameters = Mutex::new(Arc::new(Parameters::of(python_function, &name)?));
        let shared = Arc::new(Shared { name, options, parameters, is_unread: AtomicBool::new(false) });
        Ok(Self::made_of(python_function.clone().unbind(), shared, false))
    }

    #[pyo3(signature = (*args, **kwargs))]
    pub fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        by_vector::tell(slf);
        slf.get().call(slf.py(), Given { owner: None, positional: args.as_slice(), keyword: kwargs })
    }

    /// The graph for arguments of these types: tensors, or TensorSpecs in their place.
    ///
    /// Args:
    ///   args: arguments by position, tensors or `gw.TensorSpec`s in their place.
    ///   kwargs: arguments by name.
    ///
    /// Returns:
    ///   `ConcreteFunction`.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> double.get_concrete_function(gw.TensorSpec([3], gw.float32)).outputs
    ///   [TensorSpec(shape=(3,), dtype=float32, name=None)]
    #[pyo3(signature = (*args, **kwargs))]
    pub fn get_concrete_function(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ConcreteFunction> {
        let py = slf.py();
        let this = slf.get();
        let parameters = this.parameters(py)?;
        let call = match &this.shared.options.signature {
            Some(signature)
                if args.len() == usize::from(this.bound) && kwargs.is_none_or(|k| k.is_empty()) =>
            {
                Call { positional: args.iter().chain(signature.specs(py)).collect(), keyword: None }
            }
            Some(_) | None => parameters.bind(args, kwargs)?,
        };
        match AnyRank::of(slf, &call, &parameters)? {
            Some(open) => ConcreteFunction::of_any_rank(py, open, parameters),
            None => this.concrete_function(py, &call),
        }
    }

    /// The `gw.Partition` of its graph for arguments of these types; nothing runs.
    ///
    /// Args:
    ///   args: arguments by position, tensors or `gw.TensorSpec`s in their place.
    ///   kwargs: arguments by name.
    ///
    /// Returns:
    ///   `gw.Partition`.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> double.partition(gw.TensorSpec([3], gw.float32)).transfers
    ///   ()
    #[pyo3(signature = (*args, **kwargs))]
    pub fn partition<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let concrete = Self::get_concrete_function(slf, args, kwargs)?;
        let function = slf.get().python_function.clone_ref(slf.py());
        slf.py().import("graphwright._partition")?.getattr("Partition")?.call1((function, concrete))
    }

    /// The `gw.Report` of its graph for these arguments, or for arguments of these types.
    ///
    /// Args:
    ///   args: arguments by position, tensors or `gw.TensorSpec`s in their place.
    ///   kwargs: arguments by name.
    ///
    /// Returns:
    ///   `gw.Report`; it shows times if no argument is a mere type.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> double.report(gw.TensorSpec([3], gw.float32))
    ///   <Report of double: 4 operations>
    #[pyo3(signature = (*args, **kwargs))]
    pub fn report<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("graphwright._report")?.getattr("report")?.call1((slf, args, kwargs))
    }

    /// The number of graphs made.
    ///
    /// Returns:
    ///   int.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> _ = double(gw.constant(1.0)), double(gw.constant([1.0]))
    ///   >>> double.experimental_get_tracing_count()
    ///   2
    pub fn experimental_get_tracing_count(&self) -> usize {
        self.traces.count()
    }

    /// The trace types that there are graphs for, one to a paragraph, as text.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> _ = double(gw.constant(1.0))
    ///   >>> print(double.pretty_printed_concrete_signatures())
    ///   Input Parameters:
    ///     x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=float32, name='x')
    ///   Output Type:
    ///     TensorSpec(shape=(), dtype=float32, name=None)
    ///   Captures:
    ///     None
    pub fn pretty_printed_concrete_signatures(&self, py: Python<'_>) -> PyResult<String> {
        let parameters = self.parameters(py)?;
        let one = |c: Arc<CompiledTrace>| ConcreteFunction::new(c, parameters.clone()).signature(py);
        Ok(self.traces.all().into_iter().map(one).collect::<PyResult<Vec<_>>>()?.join("\n\n"))
    }

    /// `(hits, misses, currsize, bytes)`: calls that found their graph, calls that made one, graphs kept, and about how
    /// many bytes they take.
    ///
    /// Returns:
    ///   Named tuple of four ints.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> _ = double(gw.constant(1.0)), double(gw.constant(2.0))
    ///   >>> double.cache_info().hits, double.cache_info().misses
    ///   (1, 1)
    pub fn cache_info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let counts = self.traces.counts();
        let class = py.import("graphwright._function")?.getattr("CacheInfo")?;
        class.call1((counts.hits, counts.misses, counts.kept, counts.bytes))
    }

    /// Forgets the graphs; the next call traces anew.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> _ = double(gw.constant(1.0))
    ///   >>> double.cache_clear()
    ///   >>> double.cache_info().currsize
    ///   0
    pub fn cache_clear(&self) {
        self.traces.clear();
    }

    /// Why calls had to make a graph, one line for each after the first: the difference, and the remedy.
    ///
    /// Returns:
    ///   List of str.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> _ = double(gw.constant(1.0)), double(gw.constant([1.0]))
    ///   >>> print(double.explain_retraces()[0])
    ///   `x` is float32 of shape (1,), before float32 of shape (): cast or reshape it to one type before the call
    pub fn explain_retraces(&self) -> Vec<String> {
        self.traces.reasons()
    }

    /// The plain function.
    #[getter]
    pub fn python_function<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.python_function.bind(py).clone()
    }

    /// The signature given, or `None`.
    #[getter]
    pub fn input_signature<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.shared.options.signature.as_ref().map(|signature| signature.given(py)).transpose()
    }

    /// Functions are pickled by reference: as the name under which their module knows them.
    fn __reduce__(&self, py: Python<'_>) -> PyResult<String> {
        self.python_function.bind(py).getattr("__qualname__")?.extract()
    }

    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        owner: &Bound<'py, PyAny>,
        owner_type: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = owner_type;
        if owner.is_none() {
            return Ok(slf.as_any().clone());
        }
        let this = slf.get();
        let make = || Self::made_of(this.python_function.clone_ref(slf.py()), this.shared.clone(), true);
        let own = this.bindings.of(owner, make)?;
        let bound = BoundFunction::new(own.unwrap_or_else(|| slf.clone().unbind()), owner);
        Ok(Bound::new(slf.py(), bound)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<gw.Function {}>", self.shared.name)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.python_function)?;
        self.traces.visit(|concrete| concrete.visit(&visit))?;
        self.restless.visit(&visit)?;
        self.bindings.visit(&visit)
    }

    fn __clear__(&self) {
        self.traces.clear();
        self.bindings.clear();
    }
}

impl Callable for Function {
    fn entry(&self) -> &Entry {
        &self.entry
    }

    fn call_short<'py>(
        &self,
        py: Python<'py>,
        positional: &[Bound<'py, PyAny>],
        keyword: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(py, Given { owner: None, positional, keyword })
    }
}

impl Function {
    /// The graph for the arguments of a call, made if there is none; one that is asked for is no retrace.
    pub fn concrete_function(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<ConcreteFunction> {
        let arguments = self.arguments(py, call)?;
        let concrete = match self.traces.find_exact(&Asked(py, &arguments)) {
            Some(concrete) => concrete,
            None => self.make_kept(py, call, &arguments).map_err(|e| traceback::trim(py, e))?,
        };
        Ok(ConcreteFunction::new(concrete, self.parameters(py)?))
    }

    /// The function's parameters, as its code and its defaults say them now.
    fn parameters(&self, py: Python<'_>) -> PyResult<Arc<Parameters>> {
        let known = || self.shared.parameters.lock().unwrap_or_else(PoisonError::into_inner);
        let parameters = known().clone();
        let Some(now) = parameters.anew(self.python_function.bind(py))? else { return Ok(parameters) };
        let now = Arc::new(now);
        let before = std::mem::replace(&mut *known(), now.clone());
        // Objects of Python's go too, and without the lock.
        drop(before);
        Ok(now)
    }

    fn made_of(python_function: Py<PyAny>, shared: Arc<Shared>, bound: bool) -> Self {
        let (traces, bindings, restless) = (kept::none(), Bindings::default(), UnstableInputs::default());
        let (decided, observations, entry) =
            (Decided::default(), Observations::default(), Entry::of::<Self>());
        Self { entry, python_function, shared, bound, traces, bindings, restless, decided, observations }
    }

    /// The converted function, which is called while a graph is built.
    fn callee<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let plain = self.python_function.bind(py);
        if !self.shared.options.autograph {
            return Ok(plain.clone());
        }
        match plain.cast::<PyFunction>() {
            Ok(function) if !convert::is_converted(&function.getattr("__code__")?)? => {
                let operators = object::the(py)?.into_any();
                match errors::trying(|| converted::convert(function, &operators)) {
                    Ok(converted) => recursion::entered(converted.into_any(), plain),
                    Err(error) if convert::is_without_source(py, &error) => self.as_it_stands(function),
                    Err(error) => Err(error),
                }
            }
            Ok(_) | Err(_) => conv(plain),
        }
    }

    /// A function without a text, of which its user is told once.
    fn as_it_stands<'py>(&self, function: &Bound<'py, PyFunction>) -> PyResult<Bound<'py, PyAny>> {
        if !self.shared.is_unread.swap(true, Ordering::Relaxed) {
            convert::warn(function)?;
        }
        dependencies::met_without_text(function)
    }

    /// A function that makes a variable is traced once more: from then on the variable is there. One that makes it each
    /// time is refused (GW305).
    fn make_now(&self, py: Python<'_>, call: &Call<'_>, arguments: &Arguments) -> PyResult<CompiledTrace> {
        let printed: Arc<Printed> = Arc::default();
        if self.restless.is_taken() {
            printed.hold_back();
        }
        let traced = self.trace_once(py, call, arguments, &printed);
        let texts = printed.let_go();
        let (first, made) = if traced.is_err() && self.restless.give_up() {
            self.trace_once(py, call, arguments, &printed)?
        } else {
            python_print::later(py, texts)?;
            traced?
        };
        if made.is_none() {
            return Ok(first);
        }
        let (second, made) = self.trace_once(py, call, arguments, &printed)?;
        let Some(place) = made else { return Ok(second) };
        let message = format!("`{}` makes a variable each time it is called", self.shared.name);
        let help =
            "make the variable before the call, or only if it is not there yet: `if self.v is None: …`";
        let found = Diagnostic::new(Code::VariableMadeAgain, message).help(help);
        Err(errors::raise(&match place {
            Some(place) => found.at(place, "made here"),
            None => found,
        }))
    }
}
