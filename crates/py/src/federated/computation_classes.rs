//! The classes of computations and values in Python.

use std::sync::{Arc, Mutex};

use gw_federated::packing::Signature;
use pyo3::prelude::*;

use crate::federated::python::{Block, Ty};

/// A value in a federated computation that is being traced.
///
/// Elements are attributes and items; a value of a functional type can be called.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(np.int32)
///   ... def same(x):
///   ...     print(isinstance(x, tff.Value))
///   ...     return x
///   True
///   >>> int(same(3))
///   3
#[pyclass(frozen, weakref, module = "graphwright.federated")]
pub struct Value(pub Block);

/// A computation: anything with a functional type that can be called.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.graph_computation(np.int32)
///   ... def add_one(x):
///   ...     return x + 1
///   >>> isinstance(add_one, tff.Computation), str(add_one.type_signature), int(add_one(4))
///   (True, '(int32 -> int32)', 5)
#[pyclass(frozen, subclass, weakref, dict, module = "graphwright.federated")]
pub struct Computation(pub Block);

/// A computation of one type.
///
/// A call packs its arguments and hands them to the current context.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> add = tff.graph_computation(lambda x, y: x + y, np.int32, np.int32)
///   >>> str(add.type_signature), int(add(1, y=2))
///   ('(<x=int32,y=int32> -> int32)', 3)
#[pyclass(frozen, extends = Computation, module = "graphwright.federated")]
pub struct ConcreteComputation;

/// The result of a decorator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A federated computation.
    Federated,
    /// A graph.
    Graph,
}

/// A function that becomes a computation for each type of its arguments.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> double = tff.graph_computation(lambda x: x + x)
///   >>> int(double(3)), float(double(1.5))
///   (6, 3.0)
#[pyclass(frozen, weakref, dict, module = "graphwright.federated")]
pub struct PolymorphicComputation {
    pub way: Way,
    pub function: Py<PyAny>,
    pub signature: Arc<Signature>,
    pub traced: Mutex<Vec<Traced>>,
}

/// A computation that a polymorphic one has become.
pub struct Traced {
    pub parameter: Ty,
    pub unpack: Option<bool>,
    pub computation: Py<PyAny>,
}

/// Makes a concrete computation of a block.
pub fn concrete<'py>(py: Python<'py>, block: Block) -> PyResult<Bound<'py, PyAny>> {
    let made = PyClassInitializer::from(Computation(block)).add_subclass(ConcreteComputation);
    Ok(Bound::new(py, made)?.into_any())
}

/// Makes a value of a block.
pub fn value(py: Python<'_>, block: Block) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(py, Value(block))?.into_any())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Value>()?;
    module.add_class::<Computation>()?;
    module.add_class::<ConcreteComputation>()?;
    module.add_class::<PolymorphicComputation>()
}
