//! From a function object to its place in a source text.
//!
//! The text comes from `linecache`, which knows files, notebooks, doctests and what `exec` left there. The place is found
//! by the first line; among lambdas of one line, and against text that changed after it was run, the untransformed
//! function is compiled and compared with the code that runs.

use std::sync::Arc;

use gw_base::{Code, Diagnostic, Loc, Source, Span};
use gw_syntax::Stmt;
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyList, PyTuple};

use crate::convert::compile::compile;
use crate::convert::depth;
use crate::convert::file::{Candidate, CandidateNode, File, Place, file, given, keep_given, lines};
use crate::convert::marks::is_converted;
use crate::convert::same_code::{same_code, same_columns, same_names};
use crate::convert::verify::{Definition, is_text_of};
use crate::exceptions::errors::raise;

/// Finds the place of a function.
///
/// # Errors
/// GW001, GW002 or GW003 as Python exceptions.
pub fn locate(function: &Bound<'_, PyFunction>) -> PyResult<Place> {
    match locate_once(function)? {
        Ok(place) => Ok(place),
        Err(_) => {
            let py = function.py();
            let name = get!(get!(function, "__code__")?, "co_filename")?;
            py.import("linecache")?.call_method1("checkcache", (name,))?;
            locate_once(function)?.map_err(|diagnostic| raise(&diagnostic))
        }
    }
}

type Found = Result<Place, Box<Diagnostic>>;

fn locate_once(function: &Bound<'_, PyFunction>) -> PyResult<Found> {
    let code = get!(function, "__code__")?;
    let filename: String = get!(code, "co_filename")?.extract()?;
    for file in given(&filename) {
        if let Ok(place) = search(function, &file)? {
            return Ok(Ok(place));
        }
    }
    match file(function, &filename)? {
        Some(file) => search(function, &file),
        None => {
            let name: String = get!(code, "co_name")?.extract()?;
            let line = get!(code, "co_firstlineno")?.extract()?;
            Ok(Err(Box::new(no_source(&name, &filename, line))))
        }
    }
}

/// Makes the text known that a function was compiled from.
///
/// # Errors
/// GW002 or GW003 if the function is not found in it.
pub fn give_source(function: &Bound<'_, PyFunction>, text: &str) -> PyResult<()> {
    let filename: String = get!(get!(function, "__code__")?, "co_filename")?.extract()?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let file = Arc::new(File::read(&filename, PyList::new(function.py(), lines)?.as_any())?);
    search(function, &file)?.map_err(|diagnostic| raise(&diagnostic))?;
    keep_given(file);
    Ok(())
}

/// Finds a function in a file.
fn search(function: &Bound<'_, PyFunction>, file: &File) -> PyResult<Found> {
    let code = get!(function, "__code__")?;
    let name: String = get!(code, "co_name")?.extract()?;
    let line: u32 = get!(code, "co_firstlineno")?.extract()?;
    let refuse = |diagnostic| Err(Box::new(diagnostic));
    let candidates = file.by_line.get(&line).map_or(&[][..], Vec::as_slice);
    let mut matching = None;
    let mut named = None;
    for candidate in candidates.iter().filter(|candidate| candidate.is_named(&file.tree, &name)) {
        named = Some(candidate);
        if let Some(error) = file.error_inside(candidate.span) {
            return Ok(refuse(error.clone()));
        }
        if is_text(candidate, function, file)? {
            return Ok(Ok(candidate.place(file)));
        }
        let place = candidate.place(file);
        if is_converted(&code)? {
            // The text of the function around it was found to be what runs.
            return Ok(Ok(place));
        }
        depth::check(function, &place, &place.tree)?;
        let Ok(compiled) = compile(function, &place, &place.tree, None) else { continue };
        if !same_code(&code, &compiled)? {
            if function.py().version_info() >= (3, 12)
                && place.tree.has_fstrings()
                && same_names(&code, &compiled)?
            {
                matching = matching.or(Some(place));
            }
            continue;
        }
        if same_columns(&code, &compiled)? {
            return Ok(Ok(place));
        }
        matching = matching.or(Some(place));
    }
    Ok(match (matching, named, file.errors.first()) {
        (Some(place), ..) => Ok(place),
        (None, None, Some(error)) => refuse(error.clone()),
        // Python keeps one text by this name, that of `python -c`, for whatever was given to `exec` without a name.
        (None, ..) if &*file.source.name == "<string>" => refuse(no_source(&name, "<string>", line)),
        (None, named, _) => refuse(stale(&name, &file.source, line, named.map(|found| found.span))),
    })
}

fn no_source(name: &str, filename: &str, line: u32) -> Diagnostic {
    let at = Loc::of_line(filename, line);
    Diagnostic::new(
        Code::NoSource,
        format!("the source of `{name}` cannot be found: no text of `{filename}`"),
    )
    .at(at, "defined here")
    .help("define the function in a file or a notebook cell, or give the text that was compiled as `source=`")
}

fn stale(name: &str, source: &Source, line: u32, span: Option<Span>) -> Diagnostic {
    let at = match span {
        Some(span) => source.loc(span),
        None => Loc::of_line(source.name.clone(), line),
    };
    Diagnostic::new(Code::StaleSource, format!("the text of `{name}` no longer matches the running function"))
        .at(at, "the text here is not what runs")
        .help("import the module again, or run the cell again")
}

/// The lines that the code of a function was compiled from; nothing if there is no file, or if the user gave the text.
pub fn lines_of(function: &Bound<'_, PyFunction>) -> PyResult<Option<String>> {
    let code = get!(function, "__code__")?;
    let filename: String = get!(code, "co_filename")?.extract()?;
    if !given(&filename).is_empty() {
        return Ok(None);
    }
    let first: usize = get!(code, "co_firstlineno")?.extract()?;
    let lines = lines(&filename, &get!(function, "__globals__")?)?;
    let own = lines.cast::<PyList>()?.get_slice(first.saturating_sub(1), last_line(&code)?);
    Ok(if own.is_empty() { None } else { Some(own.extract::<Vec<String>>()?.concat()) })
}

/// The last line that something in a code object stands on.
fn last_line(code: &Bound<'_, PyAny>) -> PyResult<usize> {
    let mut last: usize = get!(code, "co_firstlineno")?.extract()?;
    for range in get!(code, "co_lines")?.call0()?.try_iter()? {
        let (_, _, line): (usize, usize, Option<usize>) = range?.extract()?;
        last = last.max(line.unwrap_or(0));
    }
    for constant in get!(code, "co_consts")?.cast::<PyTuple>()? {
        if constant.get_type().is(code.get_type()) {
            last = last.max(last_line(&constant)?);
        }
    }
    Ok(last)
}

/// True if a function's code is what a candidate's text compiles to.
fn is_text(candidate: &Candidate, function: &Bound<'_, PyFunction>, file: &File) -> PyResult<bool> {
    let CandidateNode::Def(id) = candidate.node else { return Ok(false) };
    let Stmt::FunctionDef(definition) = &file.tree[id] else { return Ok(false) };
    let first = definition.decorators.iter().map(|&decorator| file.tree.expr_span(decorator).start).min();
    let span = Span {
        start: first.map_or(candidate.span.start, |first| first.min(candidate.span.start)),
        ..candidate.span
    };
    let (class, imports) = (candidate.class.as_ref(), &*file.imports);
    is_text_of(function, &Definition { source: &file.source, span, class, imports })
}
