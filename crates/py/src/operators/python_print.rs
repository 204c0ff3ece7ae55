//! Python's `print` while a graph is built: a text with a tensor of the graph in it, and any text of a branch or loop of
//! the graph, is printed when the graph runs, each time, and only where it is reached. Any other text is known now and
//! printed now, which shows when a function is traced.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use gw_ir::Stream;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict, PyFunction, PyString, PyTuple};

use crate::exceptions::errors;
use crate::host::checks::staged_value;
use crate::host::messages::Message;
use crate::host::shown::{Text, has_no_text};
use crate::host_calls::as_it_is::reaches_graph;
use crate::host_calls::shown::{Field, Shown};
use crate::host_calls::{self, observed, replay};
use crate::optional;
use crate::session::{self, Feature, FeatureSlot, Tracing};

/// A text that is printed later, with the options of `print`.
pub type Later = (String, Py<PyDict>);

/// The texts that one call has printed while its graph was built. A tracing that is repeated prints none of them again.
#[derive(Debug, Default)]
pub struct Printed(Mutex<Texts>);

impl Feature for Arc<Printed> {
    fn slot() -> FeatureSlot {
        FeatureSlot::Printed
    }
}

impl Tracing {
    /// Texts printed while the graph was built.
    pub fn printed(&self) -> &Arc<Printed> {
        self.feature()
    }
}

#[derive(Debug, Default)]
struct Texts {
    all: Vec<String>,
    /// The number of them that this tracing has come to.
    count: usize,
    /// Texts that are printed once it is known that the function is not traced again.
    kept: Vec<Later>,
    /// The texts of a graph that may fail to be made although the function does not, in which case nothing of it counts.
    held_back: Option<Vec<Later>>,
}

impl Printed {
    fn lock(&self) -> MutexGuard<'_, Texts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a tracing begins.
    pub fn begin(&self) {
        let mut texts = self.lock();
        texts.count = 0;
        let kept = std::mem::take(&mut texts.kept);
        let held_back = texts.held_back.as_mut().map(std::mem::take);
        drop(texts);
        drop((kept, held_back));
    }

    /// Holds back what is printed from here on.
    pub fn hold_back(&self) {
        self.lock().held_back = Some(Vec::new());
    }

    /// Ends that; gives the texts.
    pub fn let_go(&self) -> Vec<Later> {
        self.lock().held_back.take().unwrap_or_default()
    }

    /// Takes a text that is held back; gives it where none is.
    fn take(&self, text: Later) -> Option<Later> {
        match &mut self.lock().held_back {
            Some(texts) => texts.push(text),
            None => return Some(text),
        }
        None
    }

    /// Keeps texts until it is known that the function is not traced again.
    pub fn keep(&self, texts: Vec<Later>) {
        self.lock().kept.extend(texts);
    }

    /// Prints them.
    pub fn print(&self, py: Python<'_>) -> PyResult<()> {
        let kept = std::mem::take(&mut self.lock().kept);
        later(py, kept)
    }

    /// True if a tracing before printed this text in the same place; if not, this one does.
    fn has(&self, text: &str) -> bool {
        let mut texts = self.lock();
        let at = texts.count;
        let known = texts.all.get(at).is_some_and(|known| known == text);
        if !known {
            texts.all.truncate(at);
            texts.all.push(text.to_owned());
        }
        texts.count += 1;
        known
    }
}

/// `print` of the graph that is being built.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct StagedPrint {
    /// None where plain Python runs in place of a graph, and shows tensors as a graph would.
    tracing: Option<Arc<Tracing>>,
}

/// Callable for use in place of `function`, if that is `print` and a graph is being built.
pub fn staged<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    match session::current() {
        tracing if (tracing.is_some() || observed::is_watched()) && function.is(print(py)?) => {
            Ok(Some(Bound::new(py, StagedPrint { tracing })?.into_any()))
        }
        Some(_) | None => Ok(None),
    }
}

fn print(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static PRINT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let find = || Ok::<_, PyErr>(py.import("builtins")?.getattr("print")?.unbind());
    Ok(PRINT.get_or_try_init(py, find)?.bind(py))
}

/// A function that Python runs as it stands while a graph is built, with `print` of the graph where it prints: in the names that
/// stand behind its globals, which CPython takes from them when a function is made.
pub fn printing<'py>(
    function: &Bound<'py, PyFunction>,
    tracing: &Arc<Tracing>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let code = function.getattr("__code__")?;
    let globals = function.getattr("__globals__")?.cast_into::<PyDict>()?;
    if !code.getattr("co_names")?.contains("print")? || globals.contains("print")? {
        return Ok(function.as_any().clone());
    }
    let behind = py.import("builtins")?.dict().copy()?;
    behind.set_item("print", Bound::new(py, StagedPrint { tracing: Some(Arc::clone(tracing)) })?)?;
    let before = globals.get_item("__builtins__")?;
    globals.set_item("__builtins__", behind)?;
    let [name, defaults, closure] =
        ["__name__", "__defaults__", "__closure__"].map(|part| function.getattr(part));
    let made = function.get_type().call1((code, &globals, name?, defaults?, closure?));
    match before {
        Some(before) => globals.set_item("__builtins__", before)?,
        None => globals.del_item("__builtins__")?,
    }
    let made = made?;
    for part in ["__kwdefaults__", "__qualname__", "__module__", "__dict__"] {
        made.setattr(part, function.getattr(part)?)?;
    }
    Ok(made)
}

#[pymethods]
impl StagedPrint {
    #[pyo3(signature = (*objects, sep=None, end=None, file=None, flush=None))]
    fn __call__(
        &self,
        objects: &Bound<'_, PyTuple>,
        sep: Option<&Bound<'_, PyAny>>,
        end: Option<&Bound<'_, PyAny>>,
        file: Option<&Bound<'_, PyAny>>,
        flush: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = objects.py();
        if let Some((at, maybe)) = optional::first(objects) {
            let print = |value| {
                let mut objects: Vec<_> = objects.iter().collect();
                objects[at] = value;
                self.__call__(&PyTuple::new(py, objects)?, sep, end, file, flush)?;
                Ok(py.None().into_bound(py))
            };
            return optional::either(&maybe, &print);
        }
        let (sep, end) = (between("sep", sep, " ")?, between("end", end, "\n")?);
        if self.tracing.is_none() && replay::has_printed(py)? {
            return Ok(());
        }
        if let (Some(tracing), true) = (&self.tracing, objects.iter().any(|object| has_fields(&object))) {
            // The standard output is what it is when the graph prints.
            let file = match stream(py, file)? {
                Stream::Stdout => None,
                Stream::Stderr => file,
            };
            let options = [
                ("sep", Some(sep.into_pyobject(py)?.into_any())),
                ("end", Some(end.into_pyobject(py)?.into_any())),
            ];
            let given = [("file", file.cloned()), ("flush", flush.cloned())];
            return by_host(tracing, objects, options.into_iter().chain(given));
        }
        let mut text = Text::python(py);
        for (i, object) in objects.iter().enumerate() {
            text.push(if i == 0 { "" } else { &sep });
            text.object(&object)?;
        }
        text.push(&end);
        // Behind what the graph may raise, it is not known whether this is reached.
        let waits = |tracing: &&Arc<Tracing>| {
            let runs = tracing.host_side().observed().is_some();
            runs || tracing.trace.in_region() || tracing.raises().is_some()
        };
        match (text.known_now(), &self.tracing) {
            (Some(known), tracing) if !tracing.as_ref().is_some_and(|tracing| waits(&tracing)) => {
                now(py, known, [("file", file), ("flush", flush)])
            }
            (_, Some(tracing)) => text.stage(tracing, stream(py, file)?, None),
            (_, None) => now(py, text.now(None), [("file", file), ("flush", flush)]),
        }
    }
}

/// True of a text with a field of a format, which the host makes when the graph runs.
fn has_fields(object: &Bound<'_, PyAny>) -> bool {
    let parts = object.cast::<Message>().ok().map(|text| text.get().parts(object.py()));
    parts.is_some_and(|parts| parts.iter().any(|part| part.is_instance_of::<Field>()))
}

/// The host prints it when the graph runs.
fn by_host<'py>(
    tracing: &Arc<Tracing>,
    objects: &Bound<'py, PyTuple>,
    options: impl Iterator<Item = (&'static str, Option<Bound<'py, PyAny>>)>,
) -> PyResult<()> {
    let py = objects.py();
    let given =
        options.filter_map(|(name, value)| Some((name, value?))).collect::<Vec<_>>().into_py_dict(py)?;
    let part = |part: Bound<'py, PyAny>| {
        if staged_value(&part)?.is_none() {
            let is_known = part.is_instance_of::<Field>() || !reaches_graph(&part);
            return if is_known { Ok(part) } else { Err(has_no_text(py)) };
        }
        let field = Field { value: part.unbind(), shown: Shown::by_elements() };
        Ok(Bound::new(py, field)?.into_any())
    };
    let text = |object: Bound<'py, PyAny>| {
        let parts = match object.cast::<Message>() {
            Ok(text) => text.get().parts(py),
            Err(_) if staged_value(&object)?.is_none() => return part(object),
            Err(_) => PyTuple::new(py, [object])?,
        };
        let parts = parts.iter().map(part).collect::<PyResult<Vec<_>>>()?;
        Ok(Bound::new(py, Message::new(&PyTuple::new(py, parts)?)?)?.into_any())
    };
    let objects = objects.iter().map(text).collect::<PyResult<Vec<_>>>()?;
    host_calls::printed(tracing, print(py)?, &PyTuple::new(py, objects)?, &given)
}

fn between(name: &str, given: Option<&Bound<'_, PyAny>>, usual: &str) -> PyResult<String> {
    let Some(given) = given else { return Ok(usual.to_owned()) };
    let Ok(text) = given.cast::<PyString>() else {
        let kind = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{name} must be None or a string, not {kind}")));
    };
    Ok(text.to_string_lossy().into_owned())
}

/// Prints what is known already.
fn now(py: Python<'_>, text: String, options: [(&str, Option<&Bound<'_, PyAny>>); 2]) -> PyResult<()> {
    let given = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let options = given.collect::<Vec<_>>().into_py_dict(py)?;
    options.set_item("end", "")?;
    if let Some(tracing) = session::current() {
        if let Some(looks) = tracing.tries().looking() {
            looks.print_later(text, options.unbind());
            return Ok(());
        }
        let Some((text, options)) = tracing.printed().take((text, options.unbind())) else { return Ok(()) };
        if tracing.printed().has(&text) {
            return Ok(());
        }
        return print(py)?.call((text,), Some(options.bind(py))).map(drop);
    }
    print(py)?.call((text,), Some(&options)).map(drop)
}

/// Prints what was kept back.
pub fn later(py: Python<'_>, texts: Vec<Later>) -> PyResult<()> {
    for (text, options) in texts {
        let options = options.bind(py);
        let [file, flush] = [options.get_item("file")?, options.get_item("flush")?];
        now(py, text, [("file", file.as_ref()), ("flush", flush.as_ref())])?;
    }
    Ok(())
}

fn stream(py: Python<'_>, file: Option<&Bound<'_, PyAny>>) -> PyResult<Stream> {
    let sys = py.import("sys")?;
    match file {
        None => Ok(Stream::Stdout),
        Some(file) if file.is(&sys.getattr("stdout")?) => Ok(Stream::Stdout),
        Some(file) if file.is(&sys.getattr("stderr")?) => Ok(Stream::Stderr),
        Some(_) => Err(errors::here(
            py,
            Code::BadArgument,
            "a graph prints to `sys.stdout` or `sys.stderr`, not to a file",
            "return what is to be written, and write it after the call",
        )),
    }
}
