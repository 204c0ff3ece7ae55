//! `graphwright.Function`: a Python function, and the graphs that its calls needed so far.

use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Code;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::concrete::{Concrete, ConcreteFunction, Output};
use crate::current::{self, Tracing};
use crate::key::{self, Arguments, Part};
use crate::spec::PyTensorSpec;
use crate::stage::{self, Given, Stage, Written};
use crate::{builtins, conversion, convert, errors, log, operators, traceback, watch};

/// A Python function that runs as a graph.
#[pyclass(frozen, dict, weakref, name = "Function", module = "graphwright")]
#[derive(Debug)]
pub struct Function {
    python_function: Py<PyAny>,
    name: String,
    signature: Option<Vec<PyTensorSpec>>,
    autograph: bool,
    roll: bool,
    parameters: Parameters,
    made: Mutex<Vec<Arc<Concrete>>>,
}

/// What a call's arguments are bound to.
#[derive(Debug)]
struct Parameters {
    /// The function's name.
    function: String,
    /// `inspect.Signature`
    signature: Option<Py<PyAny>>,
    /// The names, in order.
    names: Vec<String>,
    /// Whether all are positional, so that a call that gives as many arguments is bound as it stands.
    plain: bool,
}

/// The arguments of a call, bound.
struct Call<'py> {
    positional: Vec<Bound<'py, PyAny>>,
    keyword: Option<Bound<'py, PyDict>>,
}

#[pymethods]
impl Function {
    #[new]
    #[pyo3(signature = (python_function, input_signature=None, autograph=true, source=None, roll=false))]
    fn new(
        python_function: &Bound<'_, PyAny>,
        input_signature: Option<&Bound<'_, PyAny>>,
        autograph: bool,
        source: Option<&str>,
        roll: bool,
    ) -> PyResult<Self> {
        if !python_function.is_callable() {
            return Err(PyTypeError::new_err("gw.function takes a callable"));
        }
        conversion::give_source(python_function, source)?;
        let name = match python_function.getattr("__name__") {
            Ok(name) => name.extract()?,
            Err(_) => python_function.get_type().name()?.to_string(),
        };
        let signature = input_signature.map(specs).transpose()?;
        let parameters = Parameters::of(python_function, &name)?;
        let python_function = python_function.clone().unbind();
        let made = Mutex::default();
        Ok(Self { python_function, name, signature, autograph, roll, parameters, made })
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if current::is_tracing() {
            return self.call_in_graph(py, args, kwargs);
        }
        let call = self.parameters.bind(args, kwargs)?;
        let arguments = self.arguments(py, &call)?;
        let concrete = match self.find(&arguments.parts) {
            Some(concrete) => concrete,
            None => self.make(py, &call, &arguments).map_err(|e| traceback::trim(py, e))?,
        };
        concrete.run(py, &arguments.buffers, &|| self.tensors(&call))
    }

    /// The graph for arguments of these types: tensors, or TensorSpecs in their place.
    #[pyo3(signature = (*args, **kwargs))]
    fn get_concrete_function(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<ConcreteFunction> {
        let call = match &self.signature {
            Some(specs) if args.is_empty() => Call {
                positional: specs
                    .iter()
                    .map(|s| Ok(Bound::new(py, s.clone())?.into_any()))
                    .collect::<PyResult<_>>()?,
                keyword: None,
            },
            Some(_) | None => self.parameters.bind(args, kwargs)?,
        };
        let arguments = self.arguments(py, &call)?;
        let found = self.find_exact(&arguments.parts);
        let concrete = found.map_or_else(|| self.make(py, &call, &arguments), Ok);
        Ok(ConcreteFunction(concrete.map_err(|e| traceback::trim(py, e))?))
    }

    /// How many graphs have been made.
    fn experimental_get_tracing_count(&self) -> usize {
        self.lock().len()
    }

    /// The plain function.
    #[getter]
    fn python_function<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.python_function.bind(py).clone()
    }

    /// The signature given, or `None`.
    #[getter]
    fn input_signature(&self) -> Option<Vec<PyTensorSpec>> {
        self.signature.clone()
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
        let bound = BoundFunction { function: slf.clone().unbind(), owner: owner.clone().unbind() };
        Ok(Bound::new(slf.py(), bound)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<gw.Function {}>", self.name)
    }
}

impl Function {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Concrete>>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph for a trace type: one made for just this, else the first that takes it. Graphs of tensors that were
    /// stored into since are forgotten.
    fn find(&self, parts: &[Part]) -> Option<Arc<Concrete>> {
        let mut made = self.lock();
        loop {
            let exact = made.iter().position(|c| c.parts == parts);
            let at = exact.or_else(|| made.iter().position(|c| key::fits(&c.parts, parts)))?;
            if made[at].is_fresh() {
                return Some(made[at].clone());
            }
            made.remove(at);
        }
    }

    fn find_exact(&self, parts: &[Part]) -> Option<Arc<Concrete>> {
        self.lock().iter().find(|c| c.parts == parts && c.is_fresh()).cloned()
    }

    /// The tensors among the arguments of a call, in the order of the graph's parameters.
    fn tensors<'py>(&self, call: &Call<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let keyword = call.keyword.iter().map(|k| k.as_any().clone());
        match self.signature {
            None => stage::tensors(call.positional.iter().cloned().chain(keyword)),
            Some(_) => {
                let mut found = call.positional.clone();
                found.extend(stage::tensors(keyword)?);
                Ok(found)
            }
        }
    }

    fn arguments(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<Arguments> {
        let mut arguments = Arguments::default();
        match &self.signature {
            None => call.positional.iter().try_for_each(|a| arguments.take(a))?,
            Some(specs) => {
                if specs.len() != call.positional.len() {
                    return Err(wrong_count(py, specs.len(), call.positional.len()));
                }
                let mut pairs = call.positional.iter().zip(specs);
                pairs.try_for_each(|(a, spec)| arguments.take_signed(a, spec))?;
            }
        }
        if let Some(keyword) = &call.keyword {
            arguments.take(keyword)?;
        }
        Ok(arguments)
    }

    /// A call while a graph is built: the converted function, with arguments as the signature wants them.
    fn call_in_graph<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let callee = self.callee(py)?;
        let Some(specs) = &self.signature else { return callee.call(args, kwargs) };
        let call = self.parameters.bind(args, kwargs)?;
        if specs.len() != call.positional.len() {
            return Err(wrong_count(py, specs.len(), call.positional.len()));
        }
        let pairs = call.positional.iter().zip(specs);
        let admitted = pairs.map(|(a, spec)| key::admit(a, spec)).collect::<PyResult<Vec<_>>>()?;
        callee.call(PyTuple::new(py, admitted)?, call.keyword.as_ref())
    }

    /// What is called while a graph is built: the converted function.
    fn callee<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let plain = self.python_function.bind(py);
        if !self.autograph {
            return Ok(plain.clone());
        }
        match plain.cast::<PyFunction>() {
            Ok(function) if !convert::is_converted(&function.getattr("__code__")?)? => {
                Ok(convert::convert(function, operators::the(py)?.as_any())?.into_any())
            }
            Ok(_) | Err(_) => builtins::conv(plain),
        }
    }

    /// Traces and compiles. Nothing is kept unless all of it succeeds.
    fn make(&self, py: Python<'_>, call: &Call<'_>, arguments: &Arguments) -> PyResult<Arc<Concrete>> {
        let callee = self.callee(py)?;
        log::say(py, log::STEPS, || Ok(format!("building a graph of `{}`", self.name)))?;
        let tracing = Tracing::new(&self.name, self.roll);
        let traced = current::within(py, &tracing, || self.trace(py, &tracing, &callee, call, arguments));
        let (output, written, results) = traced.inspect_err(|_| drop(tracing.trace.finish(Vec::new())))?;
        let graph = tracing.trace.finish(results);
        let compiled = py.detach(|| graphwright::compile(graph)).map_err(|b| errors::broken(&b))?;
        let concrete = Arc::new(Concrete {
            parts: arguments.parts.clone(),
            _objects: arguments.objects.iter().map(|o| o.clone_ref(py)).collect(),
            graph: compiled.graph,
            executable: compiled.executable,
            captured: tracing.captured(),
            written,
            outside: tracing.outside(),
            output,
        });
        let mut made = self.lock();
        if made.len() >= graphwright::config::config().traces {
            made.remove(0);
        }
        made.push(concrete.clone());
        Ok(concrete)
    }

    fn trace(
        &self,
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        callee: &Bound<'_, PyAny>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<(Output, Vec<Written>, Vec<gw_ir::ValueId>)> {
        let mut stage = Stage::new(tracing, &arguments.parts);
        let mut positional = Vec::with_capacity(call.positional.len());
        for (at, object) in call.positional.iter().enumerate() {
            let name = self.parameters.names.get(at).map_or("arg", String::as_str);
            positional.push(match self.signature {
                Some(_) => stage.tensor(py, name)?,
                None => stage.argument(object, name)?,
            });
        }
        let keyword = call.keyword.as_ref().map(|k| stage.argument(k.as_any(), "keyword")).transpose()?;
        let keyword = keyword.as_ref().map(|k| k.bind(py).cast::<PyDict>()).transpose()?;
        let values = keyword.map(|k| k.values().iter().collect::<Vec<_>>()).unwrap_or_default();
        let all = positional.iter().map(|p| p.bind(py).clone()).chain(values);
        let given = all.map(|a| Given::of(&a)).collect::<PyResult<Vec<_>>>()?;
        let returned = callee.call(PyTuple::new(py, positional)?, keyword)?;
        watch::check_not_caught(tracing)?;
        for (at, argument) in given.iter().enumerate() {
            argument.check(self.parameters.names.get(at).map_or("an argument", String::as_str))?;
        }
        let returns = || convert::returns(self.python_function.bind(py));
        let (output, mut results) = Output::of(py, tracing, &returned, &returns)?;
        let (written, values) = stage.written(py)?;
        results.extend(values);
        Ok((output, written, results))
    }
}

fn wrong_count(py: Python<'_>, wanted: usize, found: usize) -> PyErr {
    let message = format!("the input signature takes {wanted} arguments, the call gives {found}");
    errors::here(py, Code::SignatureMismatch, message, "call with one argument per `gw.TensorSpec`")
}

fn specs(signature: &Bound<'_, PyAny>) -> PyResult<Vec<PyTensorSpec>> {
    let spec = |s: PyResult<Bound<'_, PyAny>>| {
        let s = s?;
        let spec = s.cast::<PyTensorSpec>().map_err(|_| {
            let message = "an input signature is a sequence of `gw.TensorSpec`";
            errors::here(signature.py(), Code::SignatureMismatch, message, "write one per argument")
        })?;
        Ok(spec.get().clone())
    };
    signature.try_iter()?.map(spec).collect()
}

impl Parameters {
    fn of(function: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let py = function.py();
        let function_name = name.to_owned();
        let Ok(signature) = py.import("inspect")?.call_method1("signature", (function,)) else {
            return Ok(Self { function: function_name, signature: None, names: Vec::new(), plain: false });
        };
        let mut names = Vec::new();
        let mut plain = true;
        for parameter in signature.getattr("parameters")?.call_method0("values")?.try_iter()? {
            let parameter = parameter?;
            names.push(parameter.getattr("name")?.extract()?);
            // POSITIONAL_ONLY is 0, POSITIONAL_OR_KEYWORD is 1.
            plain &= parameter.getattr("kind")?.extract::<u8>()? <= 1;
        }
        Ok(Self { function: function_name, signature: Some(signature.unbind()), names, plain })
    }

    /// The error of arguments that do not fit, without what `inspect` did to find it.
    fn unbound(&self, py: Python<'_>, error: &PyErr) -> PyErr {
        PyTypeError::new_err(format!("{}() {}", self.function, error.value(py)))
    }

    fn bind<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Call<'py>> {
        let as_it_stands =
            kwargs.is_none_or(|k| k.is_empty()) && (self.plain && args.len() == self.names.len());
        let Some(signature) = self.signature.as_ref().filter(|_| !as_it_stands) else {
            let keyword = kwargs.filter(|k| !k.is_empty()).cloned();
            return Ok(Call { positional: args.iter().collect(), keyword });
        };
        let bound = signature.bind(args.py()).call_method("bind", args, kwargs);
        let bound = bound.map_err(|error| self.unbound(args.py(), &error))?;
        bound.call_method0("apply_defaults")?;
        let positional = bound.getattr("args")?.cast::<PyTuple>()?.iter().collect();
        let keyword = bound.getattr("kwargs")?.cast_into::<PyDict>()?;
        Ok(Call { positional, keyword: Some(keyword).filter(|k| !k.is_empty()) })
    }
}

/// A method that runs as a graph, with its object.
#[pyclass(frozen, name = "BoundFunction", module = "graphwright")]
#[derive(Debug)]
pub struct BoundFunction {
    function: Py<Function>,
    owner: Py<PyAny>,
}

impl BoundFunction {
    fn with_owner<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
        let mut all = vec![self.owner.bind(py).clone()];
        all.extend(args.iter());
        PyTuple::new(py, all)
    }
}

#[pymethods]
impl BoundFunction {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.function.get().__call__(py, &self.with_owner(py, args)?, kwargs)
    }

    /// The graph for arguments of these types: tensors, or TensorSpecs in their place.
    #[pyo3(signature = (*args, **kwargs))]
    fn get_concrete_function<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<ConcreteFunction> {
        self.function.get().get_concrete_function(py, &self.with_owner(py, args)?, kwargs)
    }

    /// How many graphs have been made, for all objects together.
    fn experimental_get_tracing_count(&self) -> usize {
        self.function.get().experimental_get_tracing_count()
    }

    /// The plain function.
    #[getter]
    fn python_function<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.function.get().python_function(py)
    }

    #[getter]
    fn __wrapped__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.function.get().python_function(py)
    }
}
