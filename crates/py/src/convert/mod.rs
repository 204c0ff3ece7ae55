//! From a Python function to its converted twin: locate the source, lower it, emit CPython's own tree, compile it under
//! the original file name, and give it the original globals, defaults and cells.

/// An attribute; its name is one Python string for good, which is found faster than a new one.
macro_rules! get {
    ($object:expr, $name:literal) => {{
        let object = &$object;
        object.getattr(pyo3::intern!(object.py(), $name))
    }};
}

mod cache;
mod compile;
pub mod conversion;
pub mod converted;
mod depth;
mod emit;
mod emit_expr;
mod file;
mod finish;
mod flat_reads;
mod kept;
mod locate;
mod marks;
mod nodes;
mod same_code;
mod unread;
mod verify;
pub mod written;

use std::sync::Arc;

use gw_base::{Broken, Code, Loc, Span};
use gw_lower::{Lowered, Pushed, Reads};
use gw_syntax::{Body, Expr, ExprId, Stmt, Tree, function_to_source, to_source};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFunction, PyString, PyTuple};

use crate::convert::cache::Converted;
use crate::convert::kept::Raw;
use crate::exceptions::errors;
use crate::operators::object;
use crate::session::log;

pub use marks::{is_block, is_converted, makes_generator};
pub use unread::{
    REMEDY, check_identity, decided_by_tensor, is_caught, is_unread, reads as reads_of_code, warn,
};

/// The converted twin of a function: same signature, globals and cells, calling `operators` for its control flow.
/// A function that is converted already is its own twin. Behind it what it reads of names, if it was not.
///
/// # Errors
/// GW001 without source, GW002 when the source changed, GW003 when it cannot be parsed; see [`error`].
pub fn convert<'py>(
    function: &Bound<'py, PyFunction>,
    operators: &Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyFunction>, Option<Arc<Reads>>)> {
    if is_converted(&get!(function, "__code__")?)? {
        return Ok((function.clone(), None));
    }
    let converted = cache::of_code(function, operators, || compiled(function, operators))?;
    Ok((cache::of_function(function, &converted)?, Some(converted.reads.clone())))
}

/// Alternative conversion of a generator (see [`Pushed`]); none if it is not one that can have it. The generator
/// itself may be converted, or not.
///
/// # Errors
/// As [`convert`].
pub fn pushed<'py>(
    function: &Bound<'py, PyFunction>,
    operators: &Bound<'py, PyAny>,
    pushed: Pushed,
) -> PyResult<Option<Bound<'py, PyFunction>>> {
    let lowering = match pushed {
        Pushed::Emitting => EMITTING,
        Pushed::Managing => MANAGING,
    };
    let converted =
        cache::of_pushed(function, operators, pushed, || compiled_by(function, operators, &lowering))?;
    converted.map(|converted| twin(function, &converted)).transpose()
}

pub use file::given_text;
pub use locate::give_source;

/// Names that a function reads.
///
/// # Errors
/// As [`convert`].
pub fn reads(function: &Bound<'_, PyFunction>) -> PyResult<Arc<Reads>> {
    let operators = object::the(function.py())?.into_any();
    Ok(cache::of_code(function, &operators, || compiled(function, &operators))?.reads.clone())
}

/// Names that a function reads, by its text or, if it has none, by its bytecode.
///
/// # Errors
/// As [`convert`], but for GW001.
pub fn reads_of_any(function: &Bound<'_, PyFunction>) -> PyResult<Arc<Reads>> {
    match errors::trying(|| reads(function)) {
        Err(error) if is_without_source(function.py(), &error) => unread::reads(function).map(Arc::new),
        found => found,
    }
}

/// True if a function cannot be converted since there is no text of it.
pub fn is_without_source(py: Python<'_>, error: &PyErr) -> bool {
    errors::code_of(py, error) == Some(Code::NoSource)
}

/// Reads of a function, which is not converted for that.
///
/// # Errors
/// As [`convert`].
pub fn reads_alone(function: &Bound<'_, PyFunction>) -> PyResult<Arc<Reads>> {
    let operators = object::the(function.py())?.into_any();
    cache::reads_of_code(function, &operators, || {
        let place = locate::locate(function)?;
        depth::check(function, &place, &place.tree)?;
        Ok(graphwright::with_room(place.tree.node_count(), || gw_lower::reads(&place.tree)))
    })
}

/// The lowered source of a function, as readable Python.
///
/// # Errors
/// As [`convert`].
pub fn to_code(function: &Bound<'_, PyFunction>) -> PyResult<String> {
    let place = locate::locate(function)?;
    let mut lowered = lower(place.tree)?;
    let first = lowered.tree.body[0];
    if let Stmt::FunctionDef(definition) = lowered.tree.stmt_mut(first) {
        definition.decorators.clear();
        return Ok(function_to_source(&lowered.tree, first));
    }
    Ok(to_source(&lowered.tree))
}

/// Location at which a function begins.
pub fn header(function: &Bound<'_, PyAny>) -> Option<Loc> {
    let place = locate::locate(function.cast::<PyFunction>().ok()?).ok()?;
    Some(place.source.loc(place.tree.stmt_span(place.tree.body[0])))
}

/// Locations at which a function returns; nothing where those cannot be read.
pub fn returns(function: &Bound<'_, PyAny>) -> Vec<Loc> {
    let Ok(function) = function.cast::<PyFunction>() else { return Vec::new() };
    let Ok(place) = locate::locate(function) else { return Vec::new() };
    let mut spans = Vec::new();
    if let Stmt::FunctionDef(definition) = &place.tree[place.tree.body[0]] {
        returns_in(&place.tree, &definition.body, &mut spans);
    } else {
        spans.push(place.tree.stmt_span(place.tree.body[0]));
    }
    spans.into_iter().map(|span| place.source.loc(span)).collect()
}

fn returns_in(tree: &Tree, body: &Body, found: &mut Vec<Span>) {
    for &id in body {
        if let Stmt::Return(Some(_)) = tree[id] {
            found.push(tree.stmt_span(id));
        } else if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| returns_in(tree, body, found));
        }
    }
}

/// The statements of a function that store into items of what a name reaches, or change it by an operator in place; the
/// function itself where there are none.
pub fn changes(function: &Bound<'_, PyAny>, name: &str) -> Vec<Loc> {
    let Ok(function) = function.cast::<PyFunction>() else { return Vec::new() };
    let Ok(place) = locate::locate(function) else { return Vec::new() };
    let first = place.tree.body[0];
    let mut spans = Vec::new();
    if let Stmt::FunctionDef(definition) = &place.tree[first] {
        changes_in(&place.tree, &definition.body, name, &mut spans);
    }
    if spans.is_empty() {
        spans.push(place.tree.stmt_span(first));
    }
    spans.into_iter().map(|span| place.source.loc(span)).collect()
}

fn changes_in(tree: &Tree, body: &Body, name: &str, found: &mut Vec<Span>) {
    let is_item = |&target: &ExprId| matches!(tree[target], Expr::Subscript { .. } | Expr::Attribute { .. });
    for &id in body {
        let changes = if let Stmt::Assign { targets, .. } = &tree[id] {
            targets.iter().any(is_item)
        } else {
            matches!(tree[id], Stmt::AugAssign { .. })
        };
        if changes && gw_lower::identifiers(tree, id).iter().any(|known| **known == *name) {
            found.push(tree.stmt_span(id));
        }
        tree[id].each_body(&mut |body| changes_in(tree, body, name, found));
    }
}

fn lower(tree: Tree) -> PyResult<Lowered> {
    graphwright::lower(tree).into_result().map_err(|diagnostic| errors::raise(&diagnostic))
}

/// No garbage is collected as long as this lives: nodes are many and hold no cycles, so looking for some is in vain.
struct Paused<'py>(Option<Bound<'py, PyAny>>);

impl<'py> Paused<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        static COLLECTOR: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let collector = COLLECTOR.get_or_try_init(py, || py.import("gc").map(Bound::unbind))?.bind(py);
        let runs = get!(collector, "isenabled")?.call0()?.is_truthy()?;
        if runs {
            get!(collector, "disable")?.call0()?;
        }
        Ok(Self(runs.then(|| collector.clone().into_any())))
    }
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if let Some(collector) = &self.0 {
            // It was found and called a moment ago, and `enable` cannot fail.
            let _enabled = get!(collector, "enable").and_then(|enable| enable.call0());
        }
    }
}

fn lower_pushed(tree: Tree, pushed: Pushed) -> PyResult<Option<Lowered>> {
    let Some(lowered) = graphwright::lower_pushed(tree, pushed) else { return Ok(None) };
    lowered.into_result().map(Some).map_err(|diagnostic| errors::raise(&diagnostic))
}

/// Lowering of a tree, if it can be lowered, and its name.
struct Lowering {
    name: &'static str,
    run: fn(Tree) -> PyResult<Option<Lowered>>,
}

const PLAIN: Lowering = Lowering { name: "plain", run: |tree| lower(tree).map(Some) };
const EMITTING: Lowering = Lowering { name: "emitting", run: |tree| lower_pushed(tree, Pushed::Emitting) };
const MANAGING: Lowering = Lowering { name: "managing", run: |tree| lower_pushed(tree, Pushed::Managing) };

fn compiled(function: &Bound<'_, PyFunction>, operators: &Bound<'_, PyAny>) -> PyResult<Converted> {
    let compiled = compiled_by(function, operators, &PLAIN)?;
    compiled.ok_or_else(|| errors::broken(&Broken::new("convert", "every function can be lowered")))
}

fn compiled_by(
    function: &Bound<'_, PyFunction>,
    operators: &Bound<'_, PyAny>,
    lowering: &Lowering,
) -> PyResult<Option<Converted>> {
    let Some(raw) = kept_or_made(function, lowering)? else { return Ok(None) };
    let names = finish::Names { blocks: &raw.blocks, in_stub: &raw.in_stub };
    let code = finish::finish(function, &raw.code, &names, operators)?;
    Ok(Some(Converted { code: code.unbind(), reads: raw.reads }))
}

/// A conversion from the disk, or made and put there. While conversions are spoken of, all are made.
fn kept_or_made<'py>(function: &Bound<'py, PyFunction>, lowering: &Lowering) -> PyResult<Option<Raw<'py>>> {
    let page = if log::is_silent() { kept::page(function, lowering.name)? } else { None };
    if let Some(raw) = page.as_ref().and_then(|page| kept::take(function.py(), page)) {
        return Ok(Some(raw));
    }
    let made = made(function, lowering)?;
    if let (Some(page), Some(raw)) = (&page, &made) {
        kept::put(page, raw);
    }
    Ok(made)
}

fn made<'py>(function: &Bound<'py, PyFunction>, lowering: &Lowering) -> PyResult<Option<Raw<'py>>> {
    let _paused = Paused::new(function.py())?;
    let mut place = locate::locate(function)?;
    depth::check(function, &place, &place.tree)?;
    let reads = graphwright::with_room(place.tree.node_count(), || gw_lower::reads(&place.tree)).into();
    let Some(lowered) = (lowering.run)(std::mem::take(&mut place.tree))? else { return Ok(None) };
    depth::check(function, &place, &lowered.tree)?;
    said(function, &lowered)?;
    let code = compile::compile(function, &place, &lowered.tree, Some(&lowered.operators))?;
    let in_stub = compile::name_in_stub(function, &place, &lowered.tree)?;
    Ok(Some(Raw { code, blocks: lowered.blocks, in_stub, reads }))
}

/// Says what was converted, if that was asked for.
fn said(function: &Bound<'_, PyFunction>, lowered: &Lowered) -> PyResult<()> {
    let py = function.py();
    let name = || Ok::<_, PyErr>(get!(function, "__qualname__")?.to_string());
    log::say(py, log::STEPS, || {
        let code = get!(function, "__code__")?;
        let (file, line) = (get!(code, "co_filename")?, get!(code, "co_firstlineno")?);
        Ok(format!("converted `{}` ({file}:{line})", name()?))
    })?;
    log::say(py, log::CODE, || Ok(format!("`{}` became:\n{}", name()?, to_source(&lowered.tree))))
}

/// A new function object that runs converted code in the place of this function's own.
fn twin<'py>(function: &Bound<'py, PyFunction>, converted: &Converted) -> PyResult<Bound<'py, PyFunction>> {
    let py = function.py();
    let code = converted.code.bind(py);
    let cells = cells(function, code)?;
    let [globals, name] = [get!(function, "__globals__")?, get!(function, "__name__")?];
    let made = function.get_type().call1((code, globals, name, get!(function, "__defaults__")?, cells))?;
    let carried = [
        pyo3::intern!(py, "__kwdefaults__"),
        annotations(function)?,
        pyo3::intern!(py, "__qualname__"),
        pyo3::intern!(py, "__module__"),
        pyo3::intern!(py, "__doc__"),
    ];
    for attribute in carried {
        made.setattr(attribute, function.getattr(attribute)?)?;
    }
    if py.version_info() >= (3, 12) {
        made.setattr(pyo3::intern!(py, "__type_params__"), get!(function, "__type_params__")?)?;
    }
    let attributes = get!(function, "__dict__")?;
    if attributes.len()? > 0 {
        get!(made, "__dict__")?.cast::<PyDict>()?.update(attributes.cast()?)?;
    }
    Ok(made.cast_into()?)
}

/// The attribute that holds a function's annotations. From 3.14 on it is a function that evaluates them, which is not called here:
/// their names may have no value.
fn annotations<'py>(function: &Bound<'py, PyFunction>) -> PyResult<&'py Bound<'py, PyString>> {
    let py = function.py();
    let later = pyo3::intern!(py, "__annotate__");
    let is_later = function.getattr_opt(later)?.is_some_and(|evaluates| !evaluates.is_none());
    Ok(if is_later { later } else { pyo3::intern!(py, "__annotations__") })
}

/// The function's cells that the converted code wants, in its order.
fn cells<'py>(
    function: &Bound<'py, PyFunction>,
    code: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyTuple>>> {
    let wanted = get!(code, "co_freevars")?;
    if wanted.len()? == 0 {
        return Ok(None);
    }
    let own_names: Vec<String> = get!(get!(function, "__code__")?, "co_freevars")?.extract()?;
    let closure = get!(function, "__closure__")?;
    let mut cells = Vec::new();
    for name in wanted.extract::<Vec<String>>()? {
        let Some(index) = own_names.iter().position(|own| *own == name) else {
            return Err(errors::broken(&Broken::new(
                "convert",
                format!("no cell for the free variable `{name}`"),
            )));
        };
        cells.push(closure.get_item(index)?);
    }
    PyTuple::new(function.py(), cells).map(Some)
}
