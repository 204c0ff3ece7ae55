//! `federated_computation` and `graph_computation`: functions become computations.

use std::sync::{Arc, Mutex, PoisonError};

use gw_federated::packing::Declared;
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::federated::computation_classes::{self, PolymorphicComputation, Traced, Way};
use crate::federated::packed::Arguments;
use crate::federated::python::Ty;
use crate::federated::types::{infer, to_type};
use crate::federated::{raised, signatures, structure, tracing};

/// A polymorphic computation keeps at most so many traced ones.
const MOST_TRACED: usize = 128;

/// A decorator that knows the types of the parameters.
#[pyclass(frozen, module = "graphwright.federated")]
pub struct Decorator {
    way: Way,
    types: Declaration,
}

/// The types given to a decorator.
#[derive(Clone)]
enum Declaration {
    /// `None`: there is no parameter.
    NoParameter,
    /// Types, or nothing.
    Types(Vec<Ty>),
}

#[pymethods]
impl Decorator {
    fn __call__<'py>(&self, function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        wrap(self.way, function, &self.types)
    }
}

/// Makes a federated computation of a function, whose body uses intrinsics on values.
///
/// Args:
///   args: the function and the types of its parameters; types alone give a decorator.
///
/// Returns:
///   Computation.
///
/// Raises:
///   TypeError: a type is none, or the body returns no value.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
///   ... def mean(x):
///   ...     return tff.federated_mean(x)
///   >>> float(mean([1.0, 2.0, 6.0]))
///   3.0
#[pyfunction]
#[pyo3(signature = (*args))]
fn federated_computation<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    decorate(Way::Federated, args)
}

/// Makes a graph of a function, whose body uses tensors with native control flow.
///
/// Args:
///   args: the function and the types of its parameters; types alone give a decorator.
///
/// Returns:
///   Computation.
///
/// Raises:
///   TypeError: a type is none, or the function returns an object that no computation returns.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.graph_computation(np.int32)
///   ... def halvings(n):
///   ...     count = 0
///   ...     while n > 1:
///   ...         n, count = n // 2, count + 1
///   ...     return count
///   >>> int(halvings(40))
///   5
#[pyfunction]
#[pyo3(signature = (*args))]
fn graph_computation<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    decorate(Way::Graph, args)
}

fn decorate<'py>(way: Way, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let first = args.iter().next().filter(is_function);
    let types = declaration(args.iter().skip(usize::from(first.is_some())).collect())?;
    match first {
        Some(function) => wrap(way, &function, &types),
        None => Ok(Bound::new(args.py(), Decorator { way, types })?.into_any()),
    }
}

fn is_function(object: &Bound<'_, PyAny>) -> bool {
    object.is_callable() && !object.is_instance_of::<PyType>()
}

/// Reads the types given to a decorator; several pairs of names and types are one struct.
fn declaration(given: Vec<Bound<'_, PyAny>>) -> PyResult<Declaration> {
    if let [only] = given.as_slice()
        && only.is_none()
    {
        return Ok(Declaration::NoParameter);
    }
    let is_pair = |object: &Bound<'_, PyAny>| {
        object.cast::<PyTuple>().is_ok_and(|pair| {
            pair.len() == 2 && pair.get_item(0).is_ok_and(|name| name.is_instance_of::<PyString>())
        })
    };
    if given.len() > 1 && given.iter().all(is_pair) {
        let pairs =
            given.iter().map(|pair| Ok(structure::pair(pair)?.unwrap_or_else(|| (None, pair.clone()))));
        let struct_type = to_type::structure_of(pairs.collect::<PyResult<_>>()?, None)?;
        return Ok(Declaration::Types(vec![struct_type]));
    }
    given.iter().map(to_type::to_type).collect::<PyResult<_>>().map(Declaration::Types)
}

fn wrap<'py>(way: Way, function: &Bound<'py, PyAny>, types: &Declaration) -> PyResult<Bound<'py, PyAny>> {
    if !is_function(function) {
        let found = function.repr()?;
        return Err(PyTypeError::new_err(format!("Expected a function to decorate, found {found}.")));
    }
    let signature = Arc::new(signatures::read(function)?);
    signature.check().map_err(raised::error)?;
    let declared = match types {
        Declaration::NoParameter => Declared::Nothing,
        Declaration::Types(types) => signature.declared(types).map_err(raised::error)?,
    };
    match declared {
        Declared::Nothing => tracing::trace(way, function, &signature, None, None),
        Declared::Typed(ty) => tracing::trace(way, function, &signature, Some(ty), None),
        Declared::Polymorphic => {
            let function_object = function.clone().unbind();
            let traced = Mutex::new(Vec::new());
            let made = PolymorphicComputation { way, function: function_object, signature, traced };
            let made = Bound::new(function.py(), made)?.into_any();
            tracing::describe(&made, function)?;
            Ok(made)
        }
    }
}

impl PolymorphicComputation {
    fn concrete<'py>(
        &self,
        py: Python<'py>,
        parameter: Ty,
        unpack: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = |traced: &&Traced| traced.parameter == parameter && traced.unpack == unpack;
        let traced = self.traced.lock().unwrap_or_else(PoisonError::into_inner);
        let found = traced.iter().find(wanted).map(|traced| traced.computation.bind(py).clone());
        drop(traced);
        if let Some(found) = found {
            return Ok(found);
        }
        let made = tracing::trace(
            self.way,
            self.function.bind(py),
            &self.signature,
            Some(parameter.clone()),
            unpack,
        )?;
        let entry = Traced { parameter, unpack, computation: made.clone().unbind() };
        let mut traced = self.traced.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = if traced.len() >= MOST_TRACED { Some(traced.remove(0)) } else { None };
        traced.push(entry);
        drop(traced);
        drop(oldest);
        Ok(made)
    }
}

#[pymethods]
impl PolymorphicComputation {
    /// Returns the computation for one type of the parameter.
    ///
    /// Args:
    ///   arg_type: type of the parameter.
    ///   unpack: `True` if a struct becomes several arguments, `False` if it stays one; `None` decides by the function.
    ///
    /// Returns:
    ///   `ConcreteComputation`.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> double = tff.graph_computation(lambda x: x + x)
    ///   >>> str(double.fn_for_argument_type(np.int32).type_signature)
    ///   '(int32 -> int32)'
    #[pyo3(signature = (arg_type, unpack=None))]
    fn fn_for_argument_type<'py>(
        &self,
        arg_type: &Bound<'py, PyAny>,
        unpack: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.concrete(arg_type.py(), to_type::to_type(arg_type)?, unpack)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        let packed = Arguments::new(args.clone(), kwargs)?.all(py)?.into_any();
        let parameter = infer::infer(&packed)?;
        self.concrete(py, parameter, Some(true))?.call1((packed,))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        let Ok(traced) = self.traced.try_lock() else { return Ok(()) };
        traced.iter().try_for_each(|traced| visit.call(&traced.computation))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<PolymorphicComputation of {}>", self.function.bind(py).repr()?))
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    computation_classes::register(module)?;
    module.add_class::<Decorator>()?;
    module.add_function(wrap_pyfunction!(federated_computation, module)?)?;
    module.add_function(wrap_pyfunction!(graph_computation, module)?)
}
