//! Refusals of the federated language as Python's exceptions.

use gw_federated::{Raises, Refusal};
use pyo3::create_exception;
use pyo3::exceptions::{
    PyAttributeError, PyIndexError, PyRecursionError, PyRuntimeError, PySyntaxError, PyTypeError,
    PyValueError,
};
use pyo3::prelude::*;

create_exception!(
    graphwright.federated,
    ContextError,
    PyRuntimeError,
    "The current context does not support the operation.\n\nExample:\n  >>> import graphwright.federated as tff\n  >>> stack = tff.framework.get_context_stack()\n  >>> with stack.install(tff.framework.RuntimeErrorContext()):\n  ...     tff.graph_computation(lambda: 7)()\n  Traceback (most recent call last):\n  ContextError: No default context installed."
);
create_exception!(
    graphwright.federated,
    TypeNotAssignableError,
    PyTypeError,
    "A value of one type does not fit where another type is expected.\n\nExample:\n  >>> import graphwright.federated as tff\n  >>> tff.to_type(np.int32).check_assignable_from(tff.to_type(np.bool_))\n  Traceback (most recent call last):\n  TypeNotAssignableError: …"
);
create_exception!(
    graphwright.federated,
    TypesNotEquivalentError,
    PyTypeError,
    "Two types cannot stand for each other.\n\nExample:\n  >>> import graphwright.federated as tff\n  >>> tff.to_type(np.int32).check_equivalent_to(tff.to_type(np.bool_))\n  Traceback (most recent call last):\n  TypesNotEquivalentError: …"
);
create_exception!(
    graphwright.federated,
    ComputationReturnedNoneError,
    PyValueError,
    "The function of a computation returned `None`.\n\nExample:\n  >>> import graphwright.federated as tff\n  >>> tff.federated_computation(lambda: None)\n  Traceback (most recent call last):\n  ComputationReturnedNoneError: …"
);

/// An exception, or a refusal that has become one.
pub struct Raised(pub PyErr);

impl From<Refusal> for Raised {
    fn from(refusal: Refusal) -> Raised {
        Raised(error(refusal))
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Raised {
        Raised(error)
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> PyErr {
        raised.0
    }
}

/// Turns a refusal into an exception.
pub fn error(refusal: Refusal) -> PyErr {
    let message = refusal.message;
    match refusal.raises {
        Raises::TypeError => PyTypeError::new_err(message),
        Raises::ValueError => PyValueError::new_err(message),
        Raises::IndexError => PyIndexError::new_err(message),
        Raises::AttributeError => PyAttributeError::new_err(message),
        Raises::SyntaxError => PySyntaxError::new_err(message),
        Raises::RecursionError => PyRecursionError::new_err(message),
        Raises::TypeNotAssignableError => TypeNotAssignableError::new_err(message),
        Raises::TypesNotEquivalentError => TypesNotEquivalentError::new_err(message),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("ContextError", py.get_type::<ContextError>())?;
    module.add("TypeNotAssignableError", py.get_type::<TypeNotAssignableError>())?;
    module.add("TypesNotEquivalentError", py.get_type::<TypesNotEquivalentError>())?;
    module.add("ComputationReturnedNoneError", py.get_type::<ComputationReturnedNoneError>())
}
