//! Values of host code that no graph holds, such as texts: they stay with the host, and the graph holds their numbers.
//!
//! A run keeps the objects in the order in which host code gave them. A graph carries the number of one through its branches and
//! loops, gives it to other host code, and returns it.

use std::cell::{Cell, RefCell};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyAttributeError, PySystemError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

thread_local! {
    /// True if a trace of this thread has met a value of host code.
    static HAS_ANY: Cell<bool> = const { Cell::new(false) };
    /// The objects that each run of this thread keeps, the innermost run last.
    static KEPT: RefCell<Vec<Vec<Py<PyAny>>>> = const { RefCell::new(Vec::new()) };
}

/// A run that keeps objects; dropped when what it returns is made.
#[derive(Debug)]
pub struct Keeps(());

impl Keeps {
    /// Begins with a run.
    pub fn begin() -> Self {
        KEPT.with_borrow_mut(|all| all.push(Vec::new()));
        Self(())
    }
}

impl Drop for Keeps {
    fn drop(&mut self) {
        let kept = KEPT.with_borrow_mut(Vec::pop);
        drop(kept);
    }
}

/// Keeps an object as long as the innermost run; gives its number.
pub fn keep(object: Py<PyAny>) -> PyResult<i64> {
    KEPT.with_borrow_mut(|all| {
        let kept =
            all.last_mut().ok_or_else(|| PySystemError::new_err("no run keeps objects of the host"))?;
        kept.push(object);
        Ok(i64::try_from(kept.len() - 1)?)
    })
}

/// The texts of programs that graphs hold: a text has the same number everywhere.
struct Texts {
    numbers: Py<PyDict>,
    /// In the order in which they came.
    all: Py<PyList>,
}

fn texts(py: Python<'_>) -> &Texts {
    static THE: PyOnceLock<Texts> = PyOnceLock::new();
    THE.get_or_init(py, || Texts { numbers: PyDict::new(py).unbind(), all: PyList::empty(py).unbind() })
}

/// More texts of programs have no number.
const MOST_TEXTS: usize = 1 << 16;

/// The number of a text of the program; it is below zero.
pub fn number_of(text: &Bound<'_, PyString>) -> PyResult<i64> {
    // Threads that trace at once give each text one number.
    static ADDING: Mutex<()> = Mutex::new(());
    let py = text.py();
    let _adding = ADDING.lock().unwrap_or_else(PoisonError::into_inner);
    let (numbers, all) = (texts(py).numbers.bind(py), texts(py).all.bind(py));
    if let Some(known) = numbers.get_item(text)? {
        return known.extract();
    }
    if all.len() == MOST_TEXTS {
        return Err(unknown());
    }
    let number = -1 - i64::try_from(all.len())?;
    all.append(text)?;
    numbers.set_item(text, number)?;
    Ok(number)
}

/// The object of a number.
pub fn kept(py: Python<'_>, number: i64) -> PyResult<Py<PyAny>> {
    if number < 0 {
        return Ok(texts(py).all.bind(py).get_item(usize::try_from(-1 - number)?)?.unbind());
    }
    KEPT.with_borrow(|all| {
        let known = all.last().zip(usize::try_from(number).ok()).and_then(|(kept, at)| kept.get(at));
        known.map(|object| object.clone_ref(py))
    })
    .ok_or_else(|| PySystemError::new_err("a graph asks for an object that its run does not keep"))
}

/// A value of host code while a graph is built. What Python itself asks of it, the run alone could answer.
#[pyclass(frozen, name = "HostValue", module = "graphwright")]
#[derive(Debug)]
pub struct HostValue {
    /// The class of the value in each run.
    pub class: Py<PyType>,
    /// Its number, in the graph.
    pub number: Py<PyAny>,
}

/// A method of a value of host code.
#[pyclass(frozen, name = "HostMethod", module = "graphwright")]
#[derive(Debug)]
pub struct HostMethod {
    /// The value.
    pub owner: Py<HostValue>,
    /// The function of its class.
    pub function: Py<PyAny>,
}

/// The class of a value that host code gives, as a promise says it.
#[pyclass(frozen, name = "OfHost", module = "graphwright")]
#[derive(Debug)]
pub struct OfHost {
    /// The class.
    pub class: Py<PyType>,
}

#[pymethods]
impl OfHost {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast_exact::<Self>().is_ok_and(|other| other.get().class.is(&self.class))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.class.bind(py).name()?.to_string())
    }
}

/// Says that no trace answers this.
pub fn unknown() -> PyErr {
    PyTypeError::new_err("a HostValue is known when the graph runs")
}

/// True of what Python, or this, says of a value of host code: a trace cannot go on there.
pub fn is_named(py: Python<'_>, error: &PyErr) -> bool {
    let first = || error.value(py).getattr(intern!(py, "args")).and_then(|args| args.get_item(0));
    let is_text = |said: &Bound<'_, PyAny>| {
        said.cast_exact::<PyString>().is_ok_and(|text| text.to_string_lossy().contains("HostValue"))
    };
    HAS_ANY.get() && first().is_ok_and(|said| is_text(&said))
}

impl HostValue {
    /// The value of a class with a number.
    pub fn new(class: Py<PyType>, number: Py<PyAny>) -> Self {
        HAS_ANY.set(true);
        Self { class, number }
    }
}

#[pymethods]
impl HostValue {
    #[getter(__class__)]
    fn class(&self) -> PyResult<Py<PyAny>> {
        Err(unknown())
    }

    fn __getattr__(slf: &Bound<'_, Self>, name: &Bound<'_, PyString>) -> PyResult<HostMethod> {
        if name.to_string_lossy().starts_with("__") {
            return Err(PyAttributeError::new_err(name.clone().unbind()));
        }
        let function = slf.get().class.bind(slf.py()).getattr(name).map_err(|_| unknown())?;
        // A class method and a property say what another object says.
        if function.get_type().name()? != "method_descriptor" {
            return Err(unknown());
        }
        Ok(HostMethod { owner: slf.clone().unbind(), function: function.unbind() })
    }

    fn __hash__(&self) -> PyResult<isize> {
        Err(unknown())
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(unknown())
    }

    fn __repr__(&self) -> PyResult<String> {
        Err(unknown())
    }

    #[pyo3(signature = (*_args))]
    fn __format__(&self, _args: &Bound<'_, PyTuple>) -> PyResult<String> {
        Err(unknown())
    }

    #[pyo3(signature = (*_args))]
    fn __reduce_ex__(&self, _args: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        Err(unknown())
    }
}

/// True of a text of host code.
pub fn is_text(object: &Bound<'_, PyAny>) -> bool {
    let value = object.cast::<HostValue>();
    value.is_ok_and(|value| value.get().class.is(object.py().get_type::<PyString>()))
}

/// True of a value of host code, or of a plain tuple with one in it.
pub fn is_in(object: &Bound<'_, PyAny>) -> bool {
    match object.cast_exact::<PyTuple>() {
        Ok(items) => items.iter().any(|item| is_in(&item)),
        Err(_) => object.is_instance_of::<HostValue>() || object.is_instance_of::<HostMethod>(),
    }
}
