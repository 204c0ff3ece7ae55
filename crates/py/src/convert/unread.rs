//! Functions without a text: they are traced as they stand, so that no tensor can decide control flow in them.

use gw_base::{Code, Diagnostic, Loc};
use gw_lower::{Chain, Reads, Step};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction};

use crate::convert::marks::is_converted;
use crate::exceptions::errors;
use crate::session::{frames, libraries, own_files};

/// The remedy for what such a function cannot do.
pub const REMEDY: &str =
    "define the function in a file or a notebook cell, or give the text that was compiled as `source=`";

/// Names that a function reads, according to its bytecode.
pub fn reads(function: &Bound<'_, PyFunction>) -> PyResult<Reads> {
    let bytecode = function.py().import("graphwright._bytecode")?;
    let found: Vec<(String, Vec<String>)> = bytecode.call_method1("chains", (function,))?.extract()?;
    let chain = |(root, steps): (String, Vec<String>)| Chain {
        root: root.into(),
        steps: steps.into_iter().map(|name| Step::Attribute(name.into())).collect(),
    };
    Ok(Reads { chains: found.into_iter().map(chain).collect(), ..Reads::default() })
}

/// Says that a function is traced as it stands.
pub fn warn(function: &Bound<'_, PyFunction>) -> PyResult<()> {
    let code = get!(function, "__code__")?;
    let name: String = get!(function, "__name__")?.extract()?;
    let message = format!(
        "the source of `{name}` cannot be found, so it is traced as it stands: its `if`s and loops are Python's own"
    );
    let (file, line) = (get!(code, "co_filename")?, get!(code, "co_firstlineno")?);
    let kind = function.py().get_type::<PyUserWarning>();
    function.py().import("warnings")?.call_method1("warn_explicit", (message, kind, file, line)).map(drop)
}

/// The code that runs at a place.
fn asking<'py>(py: Python<'py>, place: &Loc) -> Option<Bound<'py, PyAny>> {
    let mut codes = frames::users_frames(py).into_iter().filter_map(|frame| frame.getattr("f_code").ok());
    let text = |code: &Bound<'py, PyAny>, name| code.getattr(name).ok()?.extract::<String>().ok();
    let is_it = |code: &Bound<'py, PyAny>| {
        let (file, name) = (text(code, "co_filename"), text(code, "co_name").unwrap_or_default());
        file.is_some_and(|file| *file == *place.file && !own_files::is_made(&file, &name))
    };
    codes.find(is_it)
}

/// The place of Python in a function without a text; nothing if it is in any other.
fn place(py: Python<'_>) -> Option<Loc> {
    let place = frames::place(py)?;
    // The text by this name is that of `python -c`, whose functions are converted.
    let may_be_read = &*place.file != "<string>" && has_text(py, &place.file).ok()?;
    let is_read = may_be_read || is_converted(&asking(py, &place)?).ok()?;
    (!is_read).then_some(place)
}

/// True if Python is in a function without a text.
pub fn is_unread(py: Python<'_>) -> bool {
    place(py).is_some()
}

/// The refusal where a tensor decides control flow in a function without a text (GW001); nothing in any other.
pub fn decided_by_tensor(py: Python<'_>) -> Option<PyErr> {
    let place = place(py)?;
    let name =
        place.within.as_ref().map_or_else(|| "function".to_owned(), |within| within.function.to_string());
    let message = format!(
        "a tensor decides control flow in `{name}`, whose source cannot be found: no text of `{}`",
        place.file
    );
    let found = Diagnostic::new(Code::NoSource, message).at(place, "decided here").help(REMEDY);
    // A handler of the function's own may take it: such a function is not converted.
    errors::refuse(&found);
    Some(errors::raise(&found))
}

/// True if the place where Python is stands under an `except` or `finally` of a function without a text, or of one that such a
/// function calls: these are not converted, and the handlers catch nothing of what fails when the graph runs.
pub fn is_caught(py: Python<'_>) -> PyResult<bool> {
    let bytecode = py.import("graphwright._bytecode")?;
    let mut unread = false;
    for frame in frames::users_frames(py).into_iter().rev() {
        let code = get!(frame, "f_code")?;
        let (file, name): (String, String) =
            (get!(code, "co_filename")?.extract()?, get!(code, "co_name")?.extract()?);
        if is_converted(&code)? || own_files::is_made(&file, &name) {
            continue;
        }
        let module = get!(frame, "f_globals")?.cast_into::<PyDict>()?.get_item("__name__")?;
        let module: Option<String> = module.map(|module| module.extract()).transpose()?;
        if module.map_or(Ok(false), |module| Ok::<_, PyErr>(!libraries::is_users_module(py, &module)?))? {
            continue;
        }
        unread = unread || !has_text(py, &file)?;
        if unread && bytecode.call_method1("is_caught", (code, get!(frame, "f_lasti")?))?.is_truthy()? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn has_text(py: Python<'_>, file: &str) -> PyResult<bool> {
    py.import("linecache")?.call_method1("getlines", (file,))?.is_truthy()
}

/// GW001 if a function that Python runs as it stands asks by `is` for `True` or `False`: a tensor is neither.
pub fn check_identity(function: &Bound<'_, PyFunction>) -> PyResult<()> {
    let py = function.py();
    let code = get!(function, "__code__")?;
    let found = py.import("graphwright._bytecode")?.call_method1("compared_with_truth", (&code,))?;
    let Some(line): Option<u32> = found.extract()? else { return Ok(()) };
    let (file, name): (String, String) =
        (get!(code, "co_filename")?.extract()?, get!(function, "__name__")?.extract()?);
    let message = format!(
        "`{name}` asks by `is` for `True` or `False`, which no tensor is, and runs as it stands: the source of it, or of what \
         calls it, cannot be found"
    );
    let found = Diagnostic::new(Code::NoSource, message).at(Loc::of_line(file, line), "asked here");
    Err(errors::raise(&found.help(REMEDY)))
}
