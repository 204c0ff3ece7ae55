//! Conversions that one process leaves on the disk for the next.
//!
//! The conversion of a function depends on the code that runs, on its text, on how it is lowered, and on the
//! interpreter. Two functions for which these are the same have the same conversion but for their operators,
//! their qualified names and the marks, which are objects of a process: `finish` gives them to the conversion
//! kept here.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphwright::disk::Page;
use gw_lower::Reads;
use gw_syntax::Name;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyFunction, PyTuple};

use crate::convert::flat_reads::{self, FlatReads};
use crate::convert::locate;

/// A conversion before it is finished.
pub struct Raw<'py> {
    pub code: Bound<'py, PyAny>,
    /// The names of generated functions.
    pub blocks: BTreeSet<Name>,
    /// The qualified name that the function has in its stub.
    pub in_stub: String,
    pub reads: Arc<Reads>,
}

/// Page on which the conversion of a function is kept, if it is one to keep: one whose text is in a file or its
/// like.
pub fn page(function: &Bound<'_, PyFunction>, lowering: &str) -> PyResult<Option<Page>> {
    Page::of(|| evidence(function, lowering))
}

/// The conversion that is kept.
pub fn take<'py>(py: Python<'py>, page: &Page) -> Option<Raw<'py>> {
    let bytes = PyBytes::new(py, &page.take()?);
    let kept = marshal(py).and_then(|marshal| get!(marshal, "loads")?.call1((bytes,))).ok()?;
    let (code, blocks, in_stub, reads): (_, Vec<String>, _, FlatReads) = kept.extract().ok()?;
    let blocks = blocks.iter().map(|name| Name::from(&**name)).collect();
    Some(Raw { code, blocks, in_stub, reads: flat_reads::raised(&reads)?.into() })
}

/// Keeps a conversion. What cannot be written is not kept.
pub fn put(page: &Page, raw: &Raw<'_>) {
    let py = raw.code.py();
    let blocks: Vec<&str> = raw.blocks.iter().map(|name| &**name).collect();
    let all = (&raw.code, blocks, &raw.in_stub, flat_reads::flat(&raw.reads));
    let written = marshal(py).and_then(|marshal| get!(marshal, "dumps")?.call1((all,)));
    if let Some(kept) = written.as_ref().ok().and_then(|kept| kept.cast::<PyBytes>().ok()) {
        page.put(kept.as_bytes());
    }
}

/// Python's module that writes code as bytes.
fn marshal(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(MODULE.get_or_try_init(py, || py.import("marshal").map(Bound::unbind))?.bind(py))
}

/// All that a conversion depends on; nothing for a function without a text.
fn evidence(function: &Bound<'_, PyFunction>, lowering: &str) -> PyResult<Option<Vec<u8>>> {
    let Some(text) = locate::lines_of(function)? else { return Ok(None) };
    let mut evidence = Vec::with_capacity(4096);
    add(&mut evidence, interpreter(function.py())?);
    add(&mut evidence, lowering);
    add(&mut evidence, &text);
    add_code(&mut evidence, &get!(function, "__code__")?)?;
    Ok(Some(evidence))
}

fn add(evidence: &mut Vec<u8>, part: &str) {
    evidence.extend((part.len() as u64).to_le_bytes());
    evidence.extend(part.as_bytes());
}

/// A code object and those inside it, as Python shows their parts: `marshal` shows how often an object is used as well.
fn add_code(evidence: &mut Vec<u8>, code: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = code.py();
    let constants = get!(code, "co_consts")?;
    let constants = constants.cast::<PyTuple>()?;
    for constant in constants {
        if constant.get_type().is(code.get_type()) {
            add_code(evidence, &constant)?;
        } else {
            add(evidence, constant.repr()?.to_str()?);
        }
    }
    let parts: Vec<_> = PARTS.iter().map(|part| code.getattr_opt(*part)).collect::<PyResult<_>>()?;
    add(evidence, PyTuple::new(py, parts)?.repr()?.to_str()?);
    Ok(())
}

/// Attributes of a code object; older interpreters do not have all of them.
const PARTS: [&str; 16] = [
    "co_name",
    "co_qualname",
    "co_filename",
    "co_firstlineno",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_code",
    "co_linetable",
    "co_exceptiontable",
    "co_stacksize",
];

/// Identity of an interpreter, which tells it from others that may compile a text to different code.
fn interpreter(py: Python<'_>) -> PyResult<&str> {
    static KNOWN: PyOnceLock<String> = PyOnceLock::new();
    let told = || {
        let sys = py.import("sys")?;
        let optimizes = get!(get!(sys, "flags")?, "optimize")?;
        Ok::<_, PyErr>(format!("{} {optimizes}", get!(sys, "version")?))
    };
    KNOWN.get_or_try_init(py, told).map(String::as_str)
}
