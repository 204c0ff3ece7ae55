//! Reads of Python itself and of libraries: builtins, the environment of the process, and what Python answers a function while it
//! is traced and may answer otherwise in a later call, such as the text of a file.

use gw_lower::Step;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFunction, PyString};

use crate::dependencies::guards::{Place, Was};
use crate::dependencies::is_of_this_package;
use crate::function::held::Held;
use crate::session::{self, Tracing};

/// `os.environ`, and the function that reads it.
struct Environment {
    environ: Py<PyAny>,
    getenv: Py<PyAny>,
}

/// The parts of `os.environ`, if this object is it or `os.getenv`.
pub(super) fn environment<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static KNOWN: PyOnceLock<Environment> = PyOnceLock::new();
    let py = object.py();
    let known = KNOWN.get_or_try_init(py, || {
        let os = py.import("os")?;
        let (environ, getenv) = (os.getattr("environ")?.unbind(), os.getattr("getenv")?.unbind());
        Ok::<_, PyErr>(Environment { environ, getenv })
    })?;
    let is_it = object.is(&known.environ) || object.is(&known.getenv);
    Ok(is_it.then(|| known.environ.bind(py).clone()))
}

/// A module that a function imports itself, if it is there already.
pub(super) fn imported<'py>(globals: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = globals.py();
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    if !name.starts_with('.') {
        return Ok(modules.get_item(name).ok());
    }
    let Some(package) = globals.get_item(intern!(py, "__package__"))? else { return Ok(None) };
    let full = py.import("importlib.util")?.call_method1("resolve_name", (name, package));
    Ok(full.ok().and_then(|full| modules.get_item(full).ok()))
}

/// The dict behind a proxy for one.
pub(super) fn proxied<'py>(proxy: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let is_proxy = proxy.get_type().name().is_ok_and(|name| name == "mappingproxy");
    let inside = || proxy.py().import("gc")?.call_method1("get_referents", (proxy,))?.get_item(0);
    is_proxy.then(inside)?.ok().filter(|inside| inside.is_instance_of::<PyDict>())
}

/// True if it is a stream that Python writes to: programs put another one there for the time of a call, and what a graph
/// prints goes to the one that is there then.
pub(super) fn is_stream(module: &str, name: &Bound<'_, PyString>) -> bool {
    module == "sys" && (name == "stdout" || name == "stderr" || name == "stdin")
}

impl Tracing {
    /// Guards a name that is no global: that it is none, and what it is among Python's own, or that it is nothing there.
    pub(super) fn guard_builtin(
        &self,
        function: &Bound<'_, PyFunction>,
        globals: &Bound<'_, PyDict>,
        name: &Bound<'_, PyString>,
    ) -> PyResult<()> {
        let builtins = function.getattr(intern!(function.py(), "__builtins__"))?;
        let Ok(builtins) = builtins.cast_into::<PyDict>() else { return Ok(()) };
        if is_of_this_package(function) {
            return Ok(());
        }
        let value = builtins.get_item(name)?;
        let mut recorder = self.recorder();
        if recorder.first(globals, name) {
            let place = Place::Global(globals.clone().unbind(), name.clone().unbind());
            recorder.add(place, Was::Absent, name.to_string());
        }
        if recorder.first(&builtins, name) {
            let place = Place::Global(builtins.unbind(), name.clone().unbind());
            recorder.add(place, Was::of(value.as_ref()), name.to_string());
        }
        Ok(())
    }

    /// Guards what is read of the environment: one variable, or all.
    pub(super) fn step_in_environment(
        &self,
        environ: &Bound<'_, PyAny>,
        step: Option<&Step>,
    ) -> PyResult<()> {
        let py = environ.py();
        let held = environ.getattr(intern!(py, "_data"))?;
        let Some(Step::Text(name) | Step::Get(name)) = step else {
            return self.contents_of(held, "os.environ".to_owned());
        };
        let key = environ.call_method1(intern!(py, "encodekey"), (&**name,))?;
        let now = held.cast::<PyDict>()?.get_item(&key)?;
        let place = Place::Item(Held::of(&held), key.unbind());
        self.recorder().add(place, Was::of(now.as_ref()), format!("os.environ['{name}']"));
        Ok(())
    }
}

/// Says that the function does while it is traced what each call does anew: the graph is good for one call.
#[pyfunction]
fn done_by_each_call(py: Python<'_>, name: &str) {
    let Some(tracing) = session::current() else { return };
    let world = py.None().into_bound(py);
    tracing.recorder().add(Place::Contents(Held::of(&world)), Was::Differing, name.to_owned());
}

/// True of a graph that calls all host code: what it does not call is refused.
#[pyfunction]
fn calls_all_host_code() -> bool {
    session::current().is_some_and(|tracing| tracing.host_side().observed().is_some())
}

/// Guards what a function of this package answers: the graph is good while that stays.
#[pyfunction]
fn guard_answer(asked: Bound<'_, PyAny>, name: &str) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let answer = asked.call0()?;
    tracing.recorder().add(Place::Answer(asked.unbind()), Was::of(Some(&answer)), name.to_owned());
    Ok(())
}

/// The functions that the meanings of Python's own call.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(done_by_each_call, module)?)?;
    module.add_function(wrap_pyfunction!(calls_all_host_code, module)?)?;
    module.add_function(wrap_pyfunction!(guard_answer, module)?)
}
