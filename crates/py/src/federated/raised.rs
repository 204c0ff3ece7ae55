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
    "The current context does not support the operation."
);
create_exception!(
    graphwright.federated,
    TypeNotAssignableError,
    PyTypeError,
    "A value of one type does not fit where another type is expected."
);
create_exception!(
    graphwright.federated,
    TypesNotEquivalentError,
    PyTypeError,
    "Two types cannot stand for each other."
);
create_exception!(
    graphwright.federated,
    ComputationReturnedNoneError,
    PyValueError,
    "The function of a computation returned `None`."
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
