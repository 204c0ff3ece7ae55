//! Exceptions by which a trace goes back to where it goes on, through the frames of the program: the one place where they are made and
//! recognised.

use gw_trace::Interrupt;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;

pyo3::create_exception!(graphwright, Again, PyBaseException, "A call is to be made one of the graph.");

pyo3::create_exception!(graphwright, Unknown, PyBaseException, "Nothing is known yet of a function.");

/// Makes the classes of these exceptions: at the end of Python's stack there is no room for that.
pub fn prepare(py: Python<'_>) {
    drop((py.get_type::<Again>(), py.get_type::<Unknown>()));
}

/// The exception that stops code of the program.
pub fn error(why: Interrupt) -> PyErr {
    match why {
        Interrupt::Recurses => Again::new_err(()),
        Interrupt::UnknownCallee => Unknown::new_err(()),
    }
}

/// The reason why code of the program was stopped, if an exception is that.
pub fn reason(py: Python<'_>, error: &PyErr) -> Option<Interrupt> {
    if error.is_instance_of::<Unknown>(py) {
        return Some(Interrupt::UnknownCallee);
    }
    error.is_instance_of::<Again>(py).then_some(Interrupt::Recurses)
}

/// True if an exception comes from a call of a function of which nothing is known yet.
pub fn is_unknown(py: Python<'_>, error: &PyErr) -> bool {
    reason(py, error) == Some(Interrupt::UnknownCallee)
}
