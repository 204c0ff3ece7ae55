//! `with` while a graph is built. What its body may raise when the graph runs is seen by managers whose exit can be traced
//! once for each way out of the body: those of the user's classes, `contextlib.suppress`, and the user's generators under
//! `contextlib.contextmanager`, which run the body where they yield.
//!
//! Managers that are Python's alone (files, locks, what the standard library and NumPy set for a while) are left once,
//! when the body has been traced, and hold no exception back: what the graph raises passes them. Of all others it is not
//! known, and what may fail in their bodies is GW115.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_lower::Pushed;
use pyo3::exceptions::PyBaseException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyString, PyTuple};

use crate::calls::callable::callable;
use crate::convert;
use crate::effects::places::PyState;
use crate::exceptions::errors::{self, InternalError};
use crate::exceptions::{traceback, tries};
use crate::iteration::generators;
use crate::operators::{Handled, logic, object};
use crate::session::conv::conv;
use crate::session::libraries::stays;
use crate::session::{self, Tracing, recursion_limit};

/// The manager of one `with`.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Manager {
    parts: Mutex<Option<Parts>>,
    /// True if what is called is converted.
    converts: bool,
}

#[derive(Debug)]
struct Parts {
    object: Py<PyAny>,
    enter: Py<PyAny>,
    exit: Py<PyAny>,
    /// Result of entering it.
    entered: Option<Py<PyAny>>,
    /// Object that looks at the graph when it is left.
    handled: Option<Handled>,
}

/// Treatment by a manager of an exception of its body.
enum Kind<'py> {
    /// Nothing: it lets it pass.
    Passes,
    /// It holds back those of these classes, and does nothing else.
    Holds(Bound<'py, PyAny>),
    /// Result of a function of the user's decides.
    Sees,
    /// Generator that it runs decides.
    Runs(Bound<'py, PyAny>),
    /// It is not known.
    Unknown,
}

impl Manager {
    /// Of a context manager.
    pub fn new(object: &Bound<'_, PyAny>, converts: bool) -> PyResult<Self> {
        let (Some(enter), Some(exit)) = (method(object, "__enter__")?, method(object, "__exit__")?) else {
            return Err(refused(object));
        };
        let (object, enter, exit) = (object.clone().unbind(), enter.unbind(), exit.unbind());
        let converts = converts && session::is_tracing();
        Ok(Self {
            parts: Mutex::new(Some(Parts { object, enter, exit, entered: None, handled: None })),
            converts,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Parts>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of<T>(&self, part: impl FnOnce(&Parts) -> T) -> PyResult<T> {
        let left = || InternalError::new_err("a manager was left already");
        self.lock().as_ref().map(part).ok_or_else(left)
    }

    /// Lets all objects go.
    pub fn forget(&self) {
        let parts = self.lock().take();
        drop(parts);
    }

    /// The manager itself and what entering it gave.
    pub fn parts<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let parts = |parts: &Parts| {
            let object = parts.object.bind(py).clone();
            let entered = parts.entered.as_ref().map(|entered| entered.bind(py).clone());
            [Some(object), entered].into_iter().flatten().collect()
        };
        self.of(parts).unwrap_or_default()
    }

    /// Enters it.
    pub fn enter(&self, py: Python<'_>) -> PyResult<()> {
        let enter = self.of(|parts| parts.enter.clone_ref(py))?.into_bound(py);
        let entered = self.called(&enter)?.call0()?;
        self.enters(&entered);
        Ok(())
    }

    /// Says what entering it gave.
    pub fn enters(&self, entered: &Bound<'_, PyAny>) {
        if let Some(parts) = self.lock().as_mut() {
            parts.entered = Some(entered.clone().unbind());
        }
    }

    /// Result of entering it.
    pub fn entered<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let entered = self.of(|parts| parts.entered.as_ref().map(|entered| entered.clone_ref(py)))?;
        entered.map(|e| e.into_bound(py)).ok_or_else(|| InternalError::new_err("a manager was not entered"))
    }

    /// Leaves it, with the exception that is handled now if `raised`; whether that goes on.
    pub fn leave<'py>(&self, py: Python<'py>, raised: bool) -> PyResult<Bound<'py, PyAny>> {
        let exit = self.called(self.of(|parts| parts.exit.clone_ref(py))?.bind(py))?;
        if raised {
            traceback::trim_caught(py)?;
            let error = py.import(intern!(py, "sys"))?.call_method0(intern!(py, "exc_info"))?;
            let held_back = exit.call1(error.cast::<PyTuple>()?)?;
            if errors::is_refusal_handled(py)? {
                return Ok(true.into_pyobject(py)?.to_owned().into_any());
            }
            return logic::not(&held_back);
        }
        let handled = self.of(|parts| parts.handled.as_ref().map(|handled| handled.check(py)))?;
        handled.transpose()?;
        exit.call1((py.None(), py.None(), py.None()))?;
        Ok(false.into_pyobject(py)?.to_owned().into_any())
    }

    fn called<'py>(&self, method: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if self.converts { conv(method) } else { Ok(method.clone()) }
    }

    /// Looks at the graph when it is left: whether something in its body may fail.
    fn looks(&self, py: Python<'_>) -> PyResult<()> {
        let handled = Handled::new(all_exceptions(py)?);
        if let Some(parts) = self.lock().as_mut() {
            parts.handled = Some(handled);
        }
        Ok(())
    }

    fn kind<'py>(&self, py: Python<'py>) -> PyResult<Kind<'py>> {
        let object = self.of(|parts| parts.object.clone_ref(py))?.into_bound(py);
        kind(&object)
    }
}

/// A manager in a `with` that stays Python's.
#[pymethods]
impl Manager {
    fn __enter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.enter(py)?;
        self.looks(py)?;
        self.entered(py)
    }

    fn __exit__<'py>(
        &self,
        kind: &Bound<'py, PyAny>,
        error: &Bound<'py, PyAny>,
        trace: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = kind.py();
        let exit = self.called(self.of(|parts| parts.exit.clone_ref(py))?.bind(py))?;
        if kind.is_none() {
            let handled = self.of(|parts| parts.handled.as_ref().map(|handled| handled.check(py)))?;
            handled.transpose()?;
        }
        let held_back = exit.call1((kind, error, trace));
        self.forget();
        if !error.is_none() && errors::passes_handlers(py, &PyErr::from_value(error.clone())) {
            return Ok(false.into_pyobject(py)?.to_owned().into_any());
        }
        held_back
    }
}

/// `with manager: body()` while a graph is built; `rest(outcome)` runs what stands for the body and leaves the manager.
pub fn staged<'py>(
    tracing: &Arc<Tracing>,
    manager: &Bound<'py, Manager>,
    [body, rest]: [&Bound<'py, PyAny>; 2],
    target: Option<&str>,
    state: &Bound<'py, PyTuple>,
) -> PyResult<()> {
    let (py, this) = (body.py(), manager.get());
    let kind = this.kind(py)?;
    let blocks = [body, rest];
    let variables = PyState::new(state, &blocks);
    if let Kind::Runs(generator) = kind {
        return generators::manage(tracing, manager, || generator.call0(), body, &variables);
    }
    this.enter(py)?;
    if let Some(target) = target {
        // Known before the body begins, an object is the same one on each way out of it.
        variables.assign(target, &this.entered(py)?)?;
    }
    match kind {
        Kind::Passes | Kind::Runs(_) => recursion_limit::call(rest, (body,)).map(drop),
        Kind::Unknown => {
            this.looks(py)?;
            recursion_limit::call(rest, (body,)).map(drop)
        }
        Kind::Sees => tries::try_stmt(tracing, [body, rest], all_exceptions(py)?, true, state),
        Kind::Holds(kinds) => {
            let kinds = kinds.unbind();
            let kinds = callable(py, move |py| Ok(kinds.clone_ref(py)))?.unbind();
            tries::try_stmt(tracing, [body, rest], kinds, false, state)
        }
    }
}

/// A context manager for a `with` that stays: itself, or what looks at the graph when it is left.
pub fn managed<'py>(object: &Bound<'py, PyAny>, converts: bool) -> PyResult<Bound<'py, PyAny>> {
    if !session::is_tracing() || method(object, "__exit__")?.is_none() {
        return Ok(object.clone());
    }
    match kind(object)? {
        Kind::Passes => Ok(object.clone()),
        Kind::Sees | Kind::Holds(_) | Kind::Runs(_) | Kind::Unknown => {
            Ok(Bound::new(object.py(), Manager::new(object, converts)?)?.into_any())
        }
    }
}

/// A thunk that gives what catches everything.
fn all_exceptions(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static THE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = || {
        let all = |py: Python<'_>| Ok(py.get_type::<PyBaseException>().into_any().unbind());
        Ok::<_, PyErr>(callable(py, all)?.unbind())
    };
    Ok(THE.get_or_try_init(py, make)?.clone_ref(py))
}

/// Attribute of this name of an object's class, before it is bound.
fn of_class<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    for class in object.get_type().mro().iter() {
        let own = class.getattr(intern!(object.py(), "__dict__"))?;
        if own.contains(name)? {
            return Ok(Some(own.get_item(name)?));
        }
    }
    Ok(None)
}

/// A method that Python itself calls: one of the class.
fn method<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(own) = of_class(object, name)? else { return Ok(None) };
    match own.get_type().getattr_opt(intern!(object.py(), "__get__"))? {
        Some(get) => get.call1((own, object, object.get_type())).map(Some),
        None => Ok(Some(own)),
    }
}

/// Error that Python raises for an object that is no context manager.
fn refused(object: &Bound<'_, PyAny>) -> PyErr {
    let names = PyDict::new(object.py());
    let said =
        names.set_item("it", object).and_then(|()| object.py().run(c"with it: pass", None, Some(&names)));
    match said {
        Err(error) => {
            error.set_traceback(object.py(), None);
            error
        }
        Ok(()) => InternalError::new_err("a context manager that is none"),
    }
}

/// Treatment of an exception by a manager.
fn kind<'py>(object: &Bound<'py, PyAny>) -> PyResult<Kind<'py>> {
    let py = object.py();
    let Some(exit) = of_class(object, "__exit__")? else { return Ok(Kind::Unknown) };
    let contextlib = py.import("contextlib")?;
    let is_of = |class: &str| Ok::<_, PyErr>(exit.is(&contextlib.getattr(class)?.getattr("__exit__")?));
    if is_of("suppress")? {
        return Ok(Kind::Holds(object.getattr("_exceptions")?));
    }
    if is_of("_GeneratorContextManager")? {
        return generator(object);
    }
    let Ok(function) = exit.cast::<PyFunction>() else {
        let is_native = exit.is_instance_of::<PyCFunction>() || is_descriptor(&exit)?;
        return Ok(if is_native { Kind::Passes } else { Kind::Unknown });
    };
    match constant(function)? {
        Some(false) => return Ok(Kind::Passes),
        Some(true) => return Ok(Kind::Holds(py.get_type::<PyBaseException>().into_any())),
        None => {}
    }
    if !stays(function)? {
        let is_read = convert::reads(function).is_ok();
        return Ok(if is_read { Kind::Sees } else { Kind::Unknown });
    }
    Ok(if is_pythons(function)? { Kind::Passes } else { Kind::Unknown })
}

/// Constant that a function returns that does nothing else, if that is `None` or a bool.
fn constant(function: &Bound<'_, PyFunction>) -> PyResult<Option<bool>> {
    let py = function.py();
    let code = function.getattr(intern!(py, "__code__"))?;
    let instructions = py.import("dis")?.call_method1("get_instructions", (code,))?;
    let mut returned = None;
    for instruction in instructions.try_iter()? {
        let instruction = instruction?;
        match instruction.getattr("opname")?.extract::<String>()?.as_str() {
            "RESUME" | "NOP" | "RETURN_VALUE" => {}
            "LOAD_CONST" | "RETURN_CONST" if returned.is_none() => {
                returned = Some(instruction.getattr("argval")?);
            }
            _ => return Ok(None),
        }
    }
    Ok(returned.and_then(|value| if value.is_none() { Some(false) } else { value.extract().ok() }))
}

/// True if a method is written in C.
fn is_descriptor(method: &Bound<'_, PyAny>) -> PyResult<bool> {
    let types = method.py().import("types")?;
    let is_of = |name: &str| method.is_instance(&types.getattr(name)?);
    Ok(is_of("MethodDescriptorType")? || is_of("WrapperDescriptorType")?)
}

/// True if a function that stays as it is is the exit of a manager that holds no exception back: of the standard
/// library, of NumPy, of this package.
fn is_pythons(function: &Bound<'_, PyFunction>) -> PyResult<bool> {
    let py = function.py();
    let module = function.getattr(intern!(py, "__module__"))?;
    let module = module.cast::<PyString>()?.to_string_lossy().into_owned();
    let name = function.getattr(intern!(py, "__qualname__"))?.to_string();
    let is_of = |root: &str| module.split('.').next() == Some(root);
    let may_hold = ["ExitStack.", "closing.", "_GeneratorContextManager."];
    let holds =
        is_of("unittest") || (is_of("contextlib") && may_hold.iter().any(|own| name.starts_with(own)));
    let standard = py.import("sys")?.getattr("stdlib_module_names")?;
    let root = module.split('.').next().unwrap_or_default();
    Ok(!holds && (is_of("numpy") || is_of("graphwright") || standard.contains(root)?))
}

/// The kind of a manager that `contextlib.contextmanager` made of a generator.
fn generator<'py>(object: &Bound<'py, PyAny>) -> PyResult<Kind<'py>> {
    let py = object.py();
    let Some(function) = object.getattr_opt("func")? else { return Ok(Kind::Unknown) };
    let Ok(function) = function.cast::<PyFunction>() else { return Ok(Kind::Unknown) };
    if stays(function)? {
        return Ok(if is_pythons(function)? { Kind::Passes } else { Kind::Unknown });
    }
    let pushed = convert::pushed(function, object::the(py)?.as_any(), Pushed::Managing);
    let Ok(Some(pushed)) = pushed else { return Ok(Kind::Unknown) };
    if let Some(tracing) = session::current() {
        tracing.met_function(function, &*convert::reads(function)?)?;
    }
    let (args, kwargs) = (object.getattr("args")?, object.getattr("kwds")?);
    let partial = py.import("functools")?.getattr("partial")?;
    let args = [pushed.into_any()].into_iter().chain(args.cast::<PyTuple>()?.iter()).collect::<Vec<_>>();
    Ok(Kind::Runs(partial.call(PyTuple::new(py, args)?, Some(kwargs.cast::<PyDict>()?))?))
}
