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
pub mod graph_cache;
pub mod held;
pub mod output;
pub mod own_type;
pub mod parameters;
pub mod retrace;
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

use crate::calls::recursion;
use crate::convert::{self, conversion, converted};
use crate::dependencies::{self, guards};
use crate::effects::UnstableInputs;
use crate::exceptions::{errors, traceback};
use crate::function::any_rank::AnyRank;
use crate::function::bound::{Bindings, BoundFunction};
use crate::function::concrete::CompiledTrace;
use crate::function::concrete_function::ConcreteFunction;
use crate::function::fast_match::Pattern;
use crate::function::graph_cache::Traces;
use crate::function::options::{Observations, Options};
use crate::function::parameters::{Call, Parameters};
use crate::function::signature::Signature;
use crate::function::trace_type::Arguments;
use crate::iteration::loop_rolling::Roll;
use crate::operators::object;
use crate::operators::python_print::{self, Printed};
use crate::session::conv::conv;
use crate::session::libraries;
use crate::settings::{denormals, overflow};

mod call;
mod copies;
mod numbers;
mod options;
mod trace;

use copies::HostCode;
use numbers::{Decided, Numbers};

/// A Python function that runs as a graph.
#[pyclass(frozen, dict, weakref, generic, name = "Function", module = "graphwright")]
#[derive(Debug)]
pub struct Function {
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
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.call(py, None, args, kwargs)
    }

    /// The graph for arguments of these types: tensors, or TensorSpecs in their place.
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
    #[pyo3(signature = (*args, **kwargs))]
    pub fn report<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("graphwright._report")?.getattr("report")?.call1((slf, args, kwargs))
    }

    /// The number of graphs made.
    pub fn experimental_get_tracing_count(&self) -> usize {
        self.traces.count()
    }

    /// The trace types that there are graphs for, one to a paragraph, as text.
    pub fn pretty_printed_concrete_signatures(&self, py: Python<'_>) -> PyResult<String> {
        let parameters = self.parameters(py)?;
        let one = |c: Arc<CompiledTrace>| ConcreteFunction::new(c, parameters.clone()).signature(py);
        Ok(self.traces.all().into_iter().map(one).collect::<PyResult<Vec<_>>>()?.join("\n\n"))
    }

    /// `(hits, misses, currsize, bytes)`: calls that found their graph, calls that made one, graphs kept, and about how
    /// many bytes they take.
    pub fn cache_info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let counts = self.traces.counts();
        let class = py.import("graphwright._function")?.getattr("CacheInfo")?;
        class.call1((counts.hits, counts.misses, counts.kept, counts.bytes))
    }

    /// Forgets the graphs; the next call traces anew.
    pub fn cache_clear(&self) {
        self.traces.clear();
    }

    /// Why calls had to make a graph, one line for each after the first: what differed, and what to do about it.
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
        self.traces.visit(&visit)?;
        self.restless.visit(&visit)?;
        self.bindings.visit(&visit)
    }

    fn __clear__(&self) {
        self.traces.clear();
        self.bindings.clear();
    }
}

impl Function {
    /// The graph for the arguments of a call, made if there is none; one that is asked for is no retrace.
    pub fn concrete_function(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<ConcreteFunction> {
        let arguments = self.arguments(py, call)?;
        let concrete = match self.traces.find_exact(py, &arguments) {
            Some(concrete) => concrete,
            None => {
                let make = || self.make_now(py, call, &arguments);
                self.traces.make(py, &arguments, make).map_err(|e| traceback::trim(py, e))?
            }
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
        let (traces, bindings, restless) =
            (Traces::default(), Bindings::default(), UnstableInputs::default());
        let (decided, observations) = (Decided::default(), Observations::default());
        Self { python_function, shared, bound, traces, bindings, restless, decided, observations }
    }

    /// Pattern that arguments are compared with; `None` where they are looked at one by one.
    fn pattern(&self, py: Python<'_>, call: &Call<'_>, arguments: &Arguments) -> PyResult<Option<Pattern>> {
        let options = &self.shared.options;
        let signed = options.signature.as_ref().map(|s| s.len() + usize::from(self.bound));
        if options.follow_type_hints
            || !arguments.numbers.is_empty()
            || signed.is_some_and(|signed| signed != call.positional.len())
        {
            return Ok(None);
        }
        let is_signed = |at| self.spec(at).is_some();
        Pattern::of(call, &arguments.parts, &*self.parameters(py)?, is_signed)
    }

    /// The tensors among the arguments of a call, in the order of the graph's parameters.
    fn tensors<'py>(&self, call: &Call<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut found = Vec::new();
        for (at, object) in call.positional.iter().enumerate() {
            match self.spec(at) {
                Some((signature, at)) => signature.tensors(at, object, &mut found)?,
                None if self.is_hinted(at, object)? => found.push(object.clone()),
                None if self.staged_number(at, object)?.is_some() => found.push(object.clone()),
                None => found.extend(bind_parameters::tensors(std::iter::once(object.clone()))?),
            }
        }
        found.extend(bind_parameters::tensors(call.keyword.iter().map(|k| k.as_any().clone()))?);
        Ok(found)
    }

    fn arguments(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<Arguments> {
        let mut arguments = Arguments::default();
        for (at, object) in call.positional.iter().enumerate() {
            if let Some(number) = self.staged_number(at, object)? {
                arguments.take_number(at, number);
                continue;
            }
            match self.spec(at) {
                Some((signature, at)) => signature.take(at, object, &mut arguments)?,
                None if self.is_hinted(at, object)? => arguments.take_as_tensor(object)?,
                None => arguments.take(object)?,
            }
        }
        self.check_count(py, call)?;
        if let Some(keyword) = &call.keyword {
            arguments.take(keyword)?;
        }
        Ok(arguments)
    }

    /// The input signature, if it speaks of the argument at a position, and where in it.
    fn spec(&self, at: usize) -> Option<(&Signature, usize)> {
        let signature = self.shared.options.signature.as_ref()?;
        let at = at.checked_sub(usize::from(self.bound))?;
        (at < signature.len()).then_some((signature, at))
    }

    /// Arguments that the input signature does not speak of keep their defaults.
    fn check_count(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<()> {
        let Some(signature) = &self.shared.options.signature else { return Ok(()) };
        let first = usize::from(self.bound);
        let (wanted, found) = (signature.len() + first, call.positional.len());
        let rest = call.positional.iter().enumerate().skip(wanted);
        let parameters = self.parameters(py)?;
        let defaults = rest.into_iter().all(|(at, value)| parameters.is_default(at, value));
        if found >= wanted && defaults {
            return Ok(());
        }
        let message = format!(
            "the input signature of `{}` takes {} arguments, the call gives {}",
            self.shared.name,
            wanted - first,
            found - first.min(found)
        );
        Err(errors::here(py, Code::SignatureMismatch, message, "call with one argument per `gw.TensorSpec`"))
    }

    /// True if an argument is a number whose annotation asks for a tensor.
    fn is_hinted(&self, at: usize, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let follow = self.shared.options.follow_type_hints && !object.is_none();
        Ok(follow && self.parameters(object.py())?.wants_tensor(object.py(), at)?)
    }

    /// With `reduce_retracing`, the arguments of a trace type that earlier ones fit too.
    fn wider(&self, mut arguments: Arguments) -> PyResult<Arguments> {
        if self.shared.options.reduce_retracing
            && let Some(parts) = self.traces.relaxed(&arguments.parts)
        {
            arguments.parts = parts;
        }
        Ok(arguments)
    }

    /// Function that is called while a graph is built: the converted one.
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

    /// Traces and compiles. Nothing is kept unless all of it succeeds.
    fn make(&self, py: Python<'_>, call: &Call<'_>, arguments: &Arguments) -> PyResult<Arc<CompiledTrace>> {
        let before = self.traces.nearest(&arguments.parts);
        // Tracing may change what the guards look at.
        let same = before.as_ref().filter(|before| before.parts == arguments.parts);
        let reason = |before: &Arc<CompiledTrace>| {
            before.setting_that_differs().or_else(|| guards::reason(py, &before.guards))
        };
        let guard = same.and_then(reason);
        let concrete = self.traces.make(py, arguments, || self.make_now(py, call, arguments))?;
        if let Some(before) = before.filter(|before| !Arc::ptr_eq(before, &concrete)) {
            let parameters = self.parameters(py)?;
            let names = |at| parameters.name(at);
            let reason = guard.unwrap_or_else(|| retrace::reason(&before.parts, &concrete.parts, &names));
            // Functions of this package run for many users' programs, each with graphs of its own.
            let aloud = libraries::is_users(self.python_function.bind(py))?;
            self.traces.note(py, &self.shared.name, reason, aloud)?;
        }
        Ok(concrete)
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
