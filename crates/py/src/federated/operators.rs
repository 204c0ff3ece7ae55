//! Operators that values refuse: arithmetic other than `+` belongs in a graph.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::federated::computation_classes::Value;

type Refused = PyResult<bool>;

/// Returns the error of an operator that values do not have.
pub fn unsupported(operator: &str) -> PyErr {
    PyTypeError::new_err(format!(
        "`{operator}` is not defined for values of federated computations; move arithmetic and comparisons into a \
         `graph_computation`."
    ))
}

#[pymethods]
impl Value {
    fn __sub__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("-"))
    }

    fn __rsub__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("-"))
    }

    fn __mul__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("*"))
    }

    fn __rmul__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("*"))
    }

    fn __truediv__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("/"))
    }

    fn __rtruediv__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("/"))
    }

    fn __floordiv__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("//"))
    }

    fn __rfloordiv__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("//"))
    }

    fn __mod__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("%"))
    }

    fn __rmod__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("%"))
    }

    fn __matmul__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("@"))
    }

    fn __rmatmul__(&self, _other: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("@"))
    }

    fn __pow__(&self, _other: &Bound<'_, PyAny>, _modulus: &Bound<'_, PyAny>) -> Refused {
        Err(unsupported("**"))
    }

    fn __neg__(&self) -> Refused {
        Err(unsupported("-"))
    }
}
