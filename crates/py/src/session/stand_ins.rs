//! Objects of this package that stand for objects of the program, which they hold. Their classes are made above those who look
//! at what is held, so the table is made when the module is.

use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// Gives what an object holds of the program's.
type Held = Box<dyn for<'py> Fn(&Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> + Send + Sync>;

/// A class of such objects.
pub struct StandIn {
    class: Py<PyType>,
    /// As a diagnostic names what is held; the path of the object itself if there is none.
    name: Option<&'static str>,
    held: Held,
}

static ALL: PyOnceLock<Vec<StandIn>> = PyOnceLock::new();

impl StandIn {
    /// A class whose objects hold what `held` gives.
    pub fn new<T: PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync>(
        py: Python<'_>,
        name: Option<&'static str>,
        held: for<'py> fn(&T, Python<'py>) -> Vec<Bound<'py, PyAny>>,
    ) -> Self {
        let held: Held = Box::new(move |object| match object.cast::<T>() {
            Ok(object) => held(object.get(), object.py()),
            Err(_) => Vec::new(),
        });
        Self { class: T::type_object(py).unbind(), name, held }
    }
}

/// Makes the classes known.
pub fn register(py: Python<'_>, all: Vec<StandIn>) {
    ALL.get_or_init(py, || all);
}

/// The objects of the program that an object stands for, and their name if they have one; none of an object of the program.
pub fn held<'py>(object: &Bound<'py, PyAny>) -> Option<(Vec<Bound<'py, PyAny>>, Option<&'static str>)> {
    let class = object.get_type();
    let known = ALL.get(object.py())?.iter().find(|known| class.is(&known.class))?;
    Some(((known.held)(object), known.name))
}

/// True if an object stands for objects of the program.
pub fn is_one(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    ALL.get(object.py()).is_some_and(|all| all.iter().any(|known| class.is(&known.class)))
}
