//! Serialised types and computations in Python.
//!
//! Containers and payloads are pickled beside the structure. In a pickle of Python's they are left to the pickler.

use std::sync::Arc;

use gw_federated::serialize::{self, Serialized};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

use crate::federated::block_classes::{self, ComputationBuildingBlock};
use crate::federated::computation_classes::{self, Computation};
use crate::federated::python::{Block, Container, Object, PyHost};
use crate::federated::raised;
use crate::federated::types::classes::{self, Type};

type Classes<'py> = Vec<Bound<'py, PyType>>;
type Objects<'py> = Vec<Bound<'py, PyAny>>;
type Parts<'py> = (Bound<'py, PyBytes>, Classes<'py>, Objects<'py>);
type Reduced<'py> = (Bound<'py, PyAny>, Parts<'py>);

fn parts(py: Python<'_>, serialized: Serialized<PyHost>) -> Parts<'_> {
    let classes = serialized.containers.iter().map(|container| container.0.bind(py).clone()).collect();
    let objects = serialized.payloads.iter().map(|payload| payload.0.bind(py).clone()).collect();
    (PyBytes::new(py, &serialized.bytes), classes, objects)
}

fn block((bytes, classes, objects): Parts<'_>) -> PyResult<Block> {
    let containers: Vec<Container> = classes.into_iter().map(|class| Container(class.unbind())).collect();
    let payloads: Vec<Arc<Object>> =
        objects.into_iter().map(|object| Arc::new(Object(object.unbind()))).collect();
    serialize::read_block(bytes.as_bytes(), &containers, &payloads).map_err(raised::error)
}

fn native<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("graphwright._federated")?.getattr(name)
}

/// Reads a type of a pickle.
#[pyfunction]
fn _read_type<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyBytes>,
    containers: Classes<'py>,
    payloads: Objects<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = payloads;
    let containers: Vec<Container> = containers.into_iter().map(|class| Container(class.unbind())).collect();
    classes::handle(py, &serialize::read_type(data.as_bytes(), &containers).map_err(raised::error)?)
}

/// Reads a block of a pickle.
#[pyfunction]
fn _read_block<'py>(
    py: Python<'py>,
    data: Bound<'py, PyBytes>,
    containers: Classes<'py>,
    payloads: Objects<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    block_classes::handle(py, &block((data, containers, payloads))?)
}

/// Reads a computation of a pickle.
#[pyfunction]
fn _read_computation<'py>(
    py: Python<'py>,
    data: Bound<'py, PyBytes>,
    containers: Classes<'py>,
    payloads: Objects<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    computation_classes::concrete(py, block((data, containers, payloads))?)
}

#[pymethods]
impl Type {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        Ok((native(py, "_read_type")?, parts(py, serialize::write_type(&self.0))))
    }
}

#[pymethods]
impl ComputationBuildingBlock {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        Ok((native(py, "_read_block")?, parts(py, serialize::write_block(&self.0))))
    }
}

#[pymethods]
impl Computation {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        Ok((native(py, "_read_computation")?, parts(py, serialize::write_block(&self.0))))
    }
}

/// Converts a computation to bytes.
///
/// Args:
///   computation: computation.
///
/// Returns:
///   bytes.
///
/// Raises:
///   TypeError: no package that pickles functions is installed.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(np.int32)
///   ... def same(x):
///   ...     return x
///   >>> data = tff.framework.serialize_computation(same)
///   >>> int(tff.framework.deserialize_computation(data)(3))
///   3
#[pyfunction]
fn serialize_computation<'py>(computation: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let py = computation.py();
    let Ok(read) = computation.cast::<Computation>() else {
        let found = computation.get_type();
        return Err(PyTypeError::new_err(format!(
            "Expected `computation` to be a computation, found {found}."
        )));
    };
    let (bytes, classes, objects) = parts(py, serialize::write_block(&read.get().0));
    let beside = py.import("pickle")?.call_method1("dumps", ((classes, objects),))?.cast_into::<PyBytes>()?;
    let length = (bytes.as_bytes().len() as u64).to_le_bytes();
    Ok(PyBytes::new(py, &[&length, bytes.as_bytes(), beside.as_bytes()].concat()))
}

/// Reads the computation of bytes from `serialize_computation`.
///
/// Reading runs code: read bytes that you trust alone.
///
/// Args:
///   data: bytes.
///
/// Returns:
///   Computation.
///
/// Raises:
///   ValueError: the bytes are no computation.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(np.int32)
///   ... def same(x):
///   ...     return x
///   >>> data = tff.framework.serialize_computation(same)
///   >>> int(tff.framework.deserialize_computation(data)(3))
///   3
#[pyfunction]
fn deserialize_computation<'py>(data: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyAny>> {
    let py = data.py();
    let damaged = || PyValueError::new_err("the bytes are no serialised computation: they end too early");
    let (length, rest) = data.as_bytes().split_at_checked(8).ok_or_else(damaged)?;
    let length = u64::from_le_bytes(length.try_into().map_err(|_| damaged())?);
    let length = usize::try_from(length).map_err(|_| damaged())?;
    let (bytes, beside) = rest.split_at_checked(length).ok_or_else(damaged)?;
    if bytes.get(..4) != Some(serialize::MAGIC) {
        return Err(PyValueError::new_err(
            "the bytes are no serialised computation: they do not begin with `GWFC`",
        ));
    }
    let beside = py.import("pickle")?.call_method1("loads", (PyBytes::new(py, beside),))?;
    let (classes, objects): (Classes<'py>, Objects<'py>) = beside.extract()?;
    _read_computation(py, PyBytes::new(py, bytes), classes, objects)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_read_type, module)?)?;
    module.add_function(wrap_pyfunction!(_read_block, module)?)?;
    module.add_function(wrap_pyfunction!(_read_computation, module)?)?;
    module.add_function(wrap_pyfunction!(serialize_computation, module)?)?;
    module.add_function(wrap_pyfunction!(deserialize_computation, module)?)
}
