//! Exceptions by which a trace goes back to a call that comes again, through the frames of the program.

use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

pyo3::create_exception!(graphwright, Again, PyBaseException, "A call is to be made one of the graph.");

pyo3::create_exception!(graphwright, Unknown, PyBaseException, "Nothing is known yet of a function.");

/// Makes the classes of these exceptions: at the end of Python's stack there is no room for that.
pub fn prepare(py: Python<'_>) {
    drop((py.get_type::<Again>(), py.get_type::<Unknown>()));
}

/// True if it says of a call what is found out where the function began.
pub fn is_of_calls(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<Again>(py) || is_unknown(py, error)
}

/// The exception of a call of a function of which nothing is known yet.
pub fn unknown() -> PyErr {
    Unknown::new_err(())
}

/// True if it comes from a call of a function of which nothing is known yet.
pub fn is_unknown(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<Unknown>(py)
}
