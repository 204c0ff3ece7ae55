//! Our failings as Python's exceptions; the only place where one becomes the other.

use std::cell::Cell;

use gw_base::{Broken, Code, Diagnostic, Nature, Raises, Source, quote};
use gw_ir::{CheckKind, Unfit};
use pyo3::exceptions::{
    PyAttributeError, PyIndexError, PyRecursionError, PyRuntimeError, PyTypeError, PyUnboundLocalError,
    PyUserWarning, PyValueError,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::convert;
use crate::exceptions::outward;
use crate::host_calls::{host_value, observed};
use crate::session::top_frame::top_frame;
use crate::session::{self, frames, own_files};

pyo3::create_exception!(
    graphwright.errors,
    OperatorNotAllowedInGraphError,
    PyTypeError,
    "A tensor of the graph is used where Python needs a value now.\n\nExample:\n  >>> @gw.function\n  ... def first(x):\n  ...     return float(x)\n  >>> first(gw.constant([1.0, 2.0]))\n  Traceback (most recent call last):\n  OperatorNotAllowedInGraphError: GW120: `float` takes one number, but this tensor has shape (2,)"
);
pyo3::create_exception!(
    graphwright.errors,
    ConversionError,
    PyValueError,
    "A function cannot be converted.\n\nExample:\n  >>> f = gw.autograph.to_graph(eval(\"lambda x: x\"))\n  Traceback (most recent call last):\n  ConversionError: …"
);
pyo3::create_exception!(
    graphwright.errors,
    UnrolledLoopWarning,
    PyUserWarning,
    "A Python loop fills the graph with its iterations.\n\nExample:\n  >>> import warnings\n  >>> @gw.function(roll=False)\n  ... def long(x):\n  ...     for i in range(2500):\n  ...         x = gw.sin(x) * float(i) + x\n  ...     return x\n  >>> with warnings.catch_warnings(record=True) as caught:\n  ...     warnings.simplefilter(\"always\")\n  ...     _ = long(gw.constant(1.0))\n  >>> [warning.category.__name__ for warning in caught]\n  ['UnrolledLoopWarning']"
);
pyo3::create_exception!(
    graphwright.errors,
    UnwatchedObjectsWarning,
    PyUserWarning,
    "A statement of a graph reaches more Python objects than are watched for changes in place.\n\nExample:\n  >>> import warnings\n  >>> many = [[number] for number in range(30_000)]\n  >>> @gw.function\n  ... def counted(n):\n  ...     total = 0\n  ...     for _ in gw.range(n):\n  ...         total += len(many)\n  ...     return total\n  >>> with warnings.catch_warnings(record=True) as caught:\n  ...     warnings.simplefilter(\"always\")\n  ...     print(int(counted(gw.constant(2))), caught[0].category.__name__)\n  60000 UnwatchedObjectsWarning"
);
pyo3::create_exception!(
    graphwright.errors,
    ImplicitCopyError,
    PyTypeError,
    "A value crosses between the graph and the host where the function forbids it.\n\nExample:\n  >>> @gw.host\n  ... def note(x) -> None:\n  ...     print(x.shape)\n  >>> @gw.function(implicit_copies=\"error\")\n  ... def noted(x):\n  ...     note(x * 2.0)\n  ...     return x\n  >>> noted(gw.zeros([1000]))\n  Traceback (most recent call last):\n  ImplicitCopyError: …"
);
pyo3::create_exception!(
    graphwright.errors,
    InternalError,
    PyRuntimeError,
    "A bug in graphwright itself.\n\nExample:\n  >>> try:\n  ...     value = gw.function(lambda x: x + 1)(gw.constant(1))\n  ... except gw.errors.InternalError as bug:  # worth a report: its text names the place\n  ...     print(bug)\n  ... else:\n  ...     print(value.item())\n  2"
);

/// A class of exceptions that are of two of Python's kinds at once.
struct TwoKinds {
    name: &'static str,
    doc: &'static str,
    kinds: fn(Python<'_>) -> [Bound<'_, PyType>; 2],
    made: PyOnceLock<Py<PyType>>,
}

/// TensorFlow raises the one for operations, the other for methods that a value without elements does not have.
static LEAKED: TwoKinds = TwoKinds {
    name: "LeakedTensorError",
    doc: "A tensor of a graph is used outside the function, branch or loop that made it.\n\nExample:\n  >>> notes = []\n  >>> @gw.function\n  ... def remember(x):\n  ...     notes.append(iter([x + 1]))\n  ...     return x\n  >>> _ = remember(gw.constant(1))\n  >>> next(notes[0]).numpy()\n  Traceback (most recent call last):\n  LeakedTensorError: …",
    kinds: |py| [py.get_type::<PyTypeError>(), py.get_type::<PyAttributeError>()],
    made: PyOnceLock::new(),
};

/// TensorFlow raises the one or the other, as the argument does not fit the Python function or the graph.
static INVALID_ARGUMENT: TwoKinds = TwoKinds {
    name: "InvalidArgumentError",
    doc: "The arguments of a call do not fit the graph that is called.\n\nExample:\n  >>> doubled = gw.function(lambda x: x * 2).get_concrete_function(gw.TensorSpec([], gw.int32))\n  >>> doubled(gw.constant(1.5))\n  Traceback (most recent call last):\n  InvalidArgumentError: GW302: …",
    kinds: |py| [py.get_type::<PyTypeError>(), py.get_type::<PyValueError>()],
    made: PyOnceLock::new(),
};

impl TwoKinds {
    fn class<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyType>> {
        let make = || {
            let attributes = PyDict::new(py);
            attributes.set_item("__module__", "graphwright.errors")?;
            attributes.set_item("__doc__", self.doc)?;
            let kinds = PyTuple::new(py, (self.kinds)(py))?;
            let made = py.get_type::<PyType>().call1((self.name, kinds, attributes))?;
            Ok::<_, PyErr>(made.cast_into::<PyType>()?.unbind())
        };
        Ok(self.made.get_or_try_init(py, make)?.bind(py).clone())
    }

    fn raise(&self, text: String) -> PyErr {
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class, text),
            Err(error) => error,
        })
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("LeakedTensorError", LEAKED.class(py)?)?;
    module.add("InvalidArgumentError", INVALID_ARGUMENT.class(py)?)?;
    module.add("OperatorNotAllowedInGraphError", py.get_type::<OperatorNotAllowedInGraphError>())?;
    module.add("ConversionError", py.get_type::<ConversionError>())?;
    module.add("UnwatchedObjectsWarning", py.get_type::<UnwatchedObjectsWarning>())?;
    module.add("UnrolledLoopWarning", py.get_type::<UnrolledLoopWarning>())?;
    module.add("ImplicitCopyError", py.get_type::<ImplicitCopyError>())?;
    module.add("InternalError", py.get_type::<InternalError>())
}

/// Failure in this crate, before it becomes a Python exception.
#[derive(Debug)]
pub enum Failed {
    /// The user's program.
    Diagnosed(Box<Diagnostic>),
    /// Python's own exception, on its way through.
    Python(PyErr),
}

impl From<Diagnostic> for Failed {
    fn from(diagnostic: Diagnostic) -> Self {
        Failed::Diagnosed(Box::new(diagnostic))
    }
}

impl From<PyErr> for Failed {
    fn from(error: PyErr) -> Self {
        Failed::Python(error)
    }
}

impl From<Failed> for PyErr {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Python(error) => error,
            Failed::Diagnosed(diagnostic) => raise(&diagnostic),
        }
    }
}

/// The exception for a diagnostic, with the user's lines and carets in its message.
pub fn raise(diagnostic: &Diagnostic) -> PyErr {
    let diagnostic = &outward::at_users_lines(diagnostic);
    let code = diagnostic.code;
    let text = text(diagnostic);
    if OF_TENSORS.contains(&code) {
        refuse(diagnostic);
    }
    let error = match code.raises() {
        Raises::TypeError => PyTypeError::new_err(text),
        Raises::ValueError => PyValueError::new_err(text),
        Raises::OperatorNotAllowed => OperatorNotAllowedInGraphError::new_err(text),
        Raises::Conversion => ConversionError::new_err(text),
        Raises::UnboundLocal => PyUnboundLocalError::new_err(text),
        Raises::Index => PyIndexError::new_err(text),
        Raises::InvalidArgument => INVALID_ARGUMENT.raise(text),
        Raises::Leaked => LEAKED.raise(text),
        Raises::RecursionError => PyRecursionError::new_err(text),
        Raises::ImplicitCopy => ImplicitCopyError::new_err(text),
    };
    Python::attach(|py| mark(py, &error, code));
    error
}

/// The refusals of the special methods of tensors, which any code may call.
const OF_TENSORS: [Code; 4] =
    [Code::TensorAsBool, Code::TensorIterated, Code::TensorAsNumber, Code::TensorAsText];

thread_local! {
    /// The number of searches of ours for one of several ways that are under way.
    static TRYING: Cell<usize> = const { Cell::new(0) };
}

/// Runs a search of ours for one of several ways to take an object: what one of them raises is no refusal of the program.
pub fn trying<T>(search: impl FnOnce() -> T) -> T {
    TRYING.set(TRYING.get() + 1);
    let found = search();
    TRYING.set(TRYING.get() - 1);
    found
}

/// Remembers in the innermost tracing why its graph is not the program's: what is raised may be caught, or replaced by
/// another exception, by code that is not converted.
pub fn refuse(why: &Diagnostic) {
    let Some(tracing) = session::current().filter(|_| TRYING.get() == 0) else { return };
    if Python::attach(|py| top_frame(py).is_some_and(|frame| !is_of_ours(&frame))) {
        tracing.stop(why.clone());
    }
}

/// Code of this package runs in a frame: it may try one way and then another.
fn is_of_ours(frame: &Bound<'_, PyAny>) -> bool {
    let py = frame.py();
    let code = frame.getattr(intern!(py, "f_code"));
    let file = code.and_then(|code| code.getattr(intern!(py, "co_filename"))?.extract::<String>());
    file.is_ok_and(|file| own_files::is_ours(py, &file))
}

/// The attribute in which an exception of ours bears its code.
const MARK: &str = "__graphwright_code__";

/// Gives an exception its code, and a note that says where to read more: tracebacks show it from Python 3.11 on.
fn mark(py: Python<'_>, error: &PyErr, code: Code) {
    let value = error.value(py);
    let note = format!("more: graphwright explain {code}");
    // Without the mark or the note the error is still the user's to read.
    let _ = value.setattr(intern!(py, MARK), code.text());
    let _ = value.setattr(intern!(py, "__notes__"), [note]);
}

/// True of an exception with a note of another's than [`mark`].
pub fn is_noted(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    let own = usize::from(code_of(py, error).is_some());
    let notes = error.value(py).getattr_opt(intern!(py, "__notes__"))?;
    Ok(notes.map(|notes| notes.len()).transpose()?.is_some_and(|count| count > own))
}

/// The code of an exception that is a diagnostic; nothing of the user's is called to find out.
pub fn code_of(py: Python<'_>, error: &PyErr) -> Option<Code> {
    let attributes = error.value(py).getattr("__dict__").ok()?.cast_into::<PyDict>().ok()?;
    let text: String = attributes.get_item(MARK).ok()??.extract().ok()?;
    Code::ALL.iter().copied().find(|code| code.text() == text)
}

/// An exception that says what staging cannot do, which no handler of the program may catch.
pub fn is_refusal(py: Python<'_>, error: &PyErr) -> bool {
    let is_one = |code: Code| code.nature() == Nature::Refusal || is_of_graph(py, error).unwrap_or(false);
    code_of(py, error).is_some_and(is_one) || host_value::is_named(py, error)
}

/// The same where a graph is built. In plain Python an operation that refuses its operands raises as any other.
pub fn passes_handlers(py: Python<'_>, error: &PyErr) -> bool {
    is_refusal(py, error) && (session::is_tracing() || !observed::is_watched())
}

/// The same of the exception that is being handled now.
pub fn is_refusal_handled(py: Python<'_>) -> PyResult<bool> {
    let handled = py.import(intern!(py, "sys"))?.call_method0(intern!(py, "exc_info"))?.get_item(1)?;
    if handled.is_none() {
        return Ok(false);
    }
    let error = PyErr::from_value(handled);
    Ok(passes_handlers(py, &error) || session::is_tracing() && special_result(py, &error).is_some())
}

/// The complaint of Python about a special method that gives a value of the graph: `__index__ returned non-int (type …)`.
pub fn special_result(py: Python<'_>, error: &PyErr) -> Option<String> {
    if !error.get_type(py).is(py.get_type::<PyTypeError>()) || code_of(py, error).is_some() {
        return None;
    }
    let said = error.value(py).getattr(intern!(py, "args")).ok()?.get_item(0).ok()?;
    let text = said.cast_exact::<PyString>().ok()?.to_string();
    let names_tensor =
        text.ends_with("(type graphwright.Tensor)") || text.ends_with("not graphwright.Tensor");
    // Of `__hash__` Python does not say what it gives.
    (names_tensor || text == "__hash__ method should return an integer").then_some(text)
}

/// A diagnostic at the place where Python is now.
pub fn here(py: Python<'_>, code: Code, message: impl Into<String>, help: &str) -> PyErr {
    at_call(py, Diagnostic::new(code, message).help(help))
}

/// The same of what Python does: no handler of the program's takes it for an exception of the program.
pub fn here_for_all(py: Python<'_>, code: Code, message: impl Into<String>, help: &str) -> PyErr {
    let found = Diagnostic::new(code, message).help(help);
    let found = match frames::place(py) {
        Some(place) => found.at(place, ""),
        None => found,
    };
    refuse(&found);
    raise(&found)
}

/// A diagnostic without a place of its own, at the place where Python is now.
pub fn at_call(py: Python<'_>, diagnostic: Diagnostic) -> PyErr {
    raise(&match frames::place(py) {
        Some(place) => diagnostic.at(place, ""),
        None => diagnostic,
    })
}

/// A tensor of the graph lacks an attribute that a value of Python's or NumPy's has: no handler takes the answer for the program's.
pub fn lacking(py: Python<'_>, message: &str, help: &str) -> PyErr {
    let found = Diagnostic::new(Code::NoMeaning, message).help(help);
    let found = match frames::place(py) {
        Some(place) => found.at(place, ""),
        None => found,
    };
    refuse(&found);
    let error = PyAttributeError::new_err(text(&found));
    mark(py, &error, Code::NoMeaning);
    error
}

/// Operands that do not fit, at the place where Python is now.
pub fn unfit(py: Python<'_>, unfit: Unfit) -> PyErr {
    let message = unfit.message.clone();
    let error = raise(&gw_trace::Trace::diagnose(unfit, frames::place(py)));
    // Without the mark the error is still the user's to read.
    let _ = error.value(py).setattr(OPERATION, message);
    error
}

/// The same where plain Python gives an answer: a refusal, though in other programs it is a mistake.
pub fn unfit_in_graph(py: Python<'_>, found: Unfit) -> PyErr {
    let error = unfit(py, found);
    // Without the mark the error is still the user's to read.
    let _ = error.value(py).setattr(OF_GRAPH, true);
    error
}

/// The attribute that such an exception has.
const OF_GRAPH: &str = "__graphwright_refusal__";

fn is_of_graph(py: Python<'_>, error: &PyErr) -> PyResult<bool> {
    error.value(py).getattr("__dict__")?.cast_into::<PyDict>()?.contains(OF_GRAPH)
}

/// The attribute in which an exception of an operation on operands that do not fit bears its message alone.
const OPERATION: &str = "__graphwright_operation__";

/// Exception that an operation raises, wherever it runs, for shapes and indices that do not fit; none for any
/// other exception.
pub fn operation_of(py: Python<'_>, error: &PyErr) -> Option<(CheckKind, String)> {
    let kinds = [(Code::WrongShape, CheckKind::Value), (Code::IndexPastEnd, CheckKind::Index)];
    let code = code_of(py, error)?;
    let (_, kind) = kinds.into_iter().find(|(own, _)| *own == code)?;
    let attributes = error.value(py).getattr("__dict__").ok()?.cast_into::<PyDict>().ok()?;
    Some((kind, attributes.get_item(OPERATION).ok()??.extract().ok()?))
}

/// `InvalidArgumentError`, with just this text.
pub fn invalid_argument(text: String) -> PyErr {
    INVALID_ARGUMENT.raise(text)
}

/// The class of it.
pub fn invalid_argument_class(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    INVALID_ARGUMENT.class(py)
}

/// Our own bug, as a report.
pub fn broken(broken: &Broken) -> PyErr {
    InternalError::new_err(format!("{broken}; please report it with the function that shows it"))
}

/// Text for the user: the diagnostic, its lines, the remedy.
fn text(diagnostic: &Diagnostic) -> String {
    let mut text =
        format!("{}: {}\n{}", diagnostic.code, diagnostic.message, quote(&diagnostic.labels, &source_of));
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("help: {help}"));
    }
    text.trim_end().to_owned()
}

/// The text of a file, from Python's own cache of sources (files, notebook cells, doctests).
pub fn source_of(name: &str) -> Option<Source> {
    Python::attach(|py| {
        let lines = py.import("linecache").ok()?.call_method1("getlines", (name,)).ok()?;
        let lines: Vec<String> = lines.extract().ok()?;
        if lines.is_empty() { convert::given_text(name) } else { Some(Source::new(name, lines.concat())) }
    })
}
