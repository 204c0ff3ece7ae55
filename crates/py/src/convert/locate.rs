//! From a function object to its place in a source text.
//!
//! The text comes from `linecache`, which knows files, notebooks, doctests and what `exec` left there. The place is found
//! by the first line; among lambdas of one line, and against text that changed after it was run, the untransformed
//! function is compiled and compared with the code that runs.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use gw_base::{Code, Diagnostic, Loc, Source, Span};
use gw_syntax::{Body, Expr, ExprId, Name, Stmt, StmtId, Tree};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFrozenSet, PyFunction, PyList, PyString, PyTuple};

use crate::convert::compile::compile;
use crate::convert::depth;
use crate::convert::finish::is_converted;
use crate::convert::verify::{Definition, is_text_of};
use crate::errors::raise;

/// Where a function stands.
pub struct Place {
    /// The text of its file.
    pub source: Source,
    /// The function alone: a `def`, or a lambda as an expression.
    pub tree: Tree,
    /// The innermost class around it.
    pub class: Option<Name>,
    /// The names that its module imports: the compiler treats calls of their attributes in its own way.
    pub imports: Arc<BTreeSet<Name>>,
}

/// A file that was read.
struct File {
    lines: Py<PyAny>,
    source: Source,
    tree: Tree,
    errors: Vec<Diagnostic>,
    by_line: HashMap<u32, Vec<Candidate>>,
    imports: Arc<BTreeSet<Name>>,
}

#[derive(Clone)]
struct Candidate {
    node: CandidateNode,
    span: Span,
    class: Option<Name>,
}

#[derive(Clone, Copy)]
enum CandidateNode {
    Def(StmtId),
    Lambda(ExprId),
}

/// Files by the name that `co_filename` says; the one read longest ago is dropped when there are many.
static FILES: Mutex<Vec<(String, Arc<File>)>> = Mutex::new(Vec::new());
const FILES_KEPT: usize = 64;

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

/// Texts that the user gave, by the name that `co_filename` says; the last ones given.
static GIVEN: Mutex<Vec<Arc<File>>> = Mutex::new(Vec::new());

/// The texts given for a file name, the last one first.
fn given(filename: &str) -> Vec<Arc<File>> {
    let Ok(files) = GIVEN.lock() else { return Vec::new() };
    files.iter().rev().filter(|file| *file.source.name == *filename).cloned().collect()
}

/// The text that was given last for a file name.
pub fn given_text(filename: &str) -> Option<Source> {
    given(filename).first().map(|file| file.source.clone())
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
    if let Ok(mut files) = GIVEN.lock() {
        files.retain(|known| known.source != file.source);
        if files.len() == FILES_KEPT {
            files.remove(0);
        }
        files.push(file);
    }
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
        if candidate.is_text_of(function, file)? {
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

/// The parsed file of a function; `linecache` hands out the same list as long as it holds the same text.
fn file(function: &Bound<'_, PyFunction>, filename: &str) -> PyResult<Option<Arc<File>>> {
    let lines = lines(filename, &get!(function, "__globals__")?)?;
    if lines.len()? == 0 {
        return Ok(None);
    }
    if let Ok(files) = FILES.lock()
        && let Some((_, file)) = files.iter().find(|(name, _)| name == filename)
        && file.lines.is(&lines)
    {
        return Ok(Some(file.clone()));
    }
    let file = Arc::new(File::read(filename, &lines)?);
    if let Ok(mut files) = FILES.lock() {
        files.retain(|(name, _)| name != filename);
        if files.len() == FILES_KEPT {
            files.remove(0);
        }
        files.push((filename.to_owned(), file.clone()));
    }
    Ok(Some(file))
}

/// The lines of a file as `linecache` has them, a list; it is empty if there is no such file.
fn lines<'py>(filename: &str, globals: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = globals.py();
    static LINES: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let linecache = LINES.get_or_try_init(py, || py.import("linecache").map(Bound::unbind))?.bind(py);
    let text = globals.cast::<PyDict>()?.get_item("__file__")?;
    let is_frozen = filename.starts_with("<frozen ");
    if let Some(text) = text.filter(|text| is_frozen || !is_named_alike(filename, text)) {
        return lines_apart(linecache, filename, &text, is_frozen);
    }
    get!(linecache, "getlines")?.call1((filename, globals))
}

/// True if a file name of code may be that of the module that defines it.
fn is_named_alike(filename: &str, module: &Bound<'_, PyAny>) -> bool {
    let stem = |name: &str| Path::new(name).file_stem().map(OsStr::to_owned);
    module.extract::<String>().is_ok_and(|module| stem(filename) == stem(&module))
}

/// The lines of code with another file name than its module `text`: `linecache` may have taken the module's own text for them. The
/// interpreter carries the code of `os` and its like, whose text the module's is.
fn lines_apart<'py>(
    linecache: &Bound<'py, PyModule>,
    filename: &str,
    text: &Bound<'py, PyAny>,
    is_frozen: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let lines = get!(linecache, "getlines")?.call1((filename,))?;
    let of_module = || get!(linecache, "getlines")?.call1((text,));
    match lines.len()? {
        0 if is_frozen => of_module(),
        0 => Ok(lines),
        _ if lines.eq(of_module()?)? && !Path::new(filename).exists() => {
            Ok(PyList::empty(lines.py()).into_any())
        }
        _ => Ok(lines),
    }
}

impl File {
    fn read(filename: &str, lines: &Bound<'_, PyAny>) -> PyResult<File> {
        let text: Vec<String> = lines.extract()?;
        let source = Source::new(filename, text.concat());
        let parsed = graphwright::parse(&source);
        let tree = parsed.value;
        let mut search = Search { tree: &tree, source: &source, by_line: HashMap::new() };
        let mut imports = BTreeSet::new();
        graphwright::with_room(tree.node_count(), || {
            search.body(&tree.body, None);
            module_imports(&tree, &tree.body, &mut imports);
        });
        let by_line = search.by_line;
        let errors = parsed.diagnostics;
        let lines = lines.clone().unbind();
        Ok(File { lines, source: source.clone(), tree, errors, by_line, imports: Arc::new(imports) })
    }

    /// What could not be read inside a function; errors elsewhere in the file do not matter to it.
    fn error_inside(&self, span: Span) -> Option<&Diagnostic> {
        let inside = self.source.loc(span);
        self.errors.iter().find(|error| {
            error.labels.iter().any(|label| label.at.line >= inside.line && label.at.line <= inside.end_line)
        })
    }
}

impl Candidate {
    fn is_named(&self, tree: &Tree, name: &str) -> bool {
        match self.node {
            CandidateNode::Def(id) => matches!(&tree[id], Stmt::FunctionDef(f) if &*f.name == name),
            CandidateNode::Lambda(_) => name == "<lambda>",
        }
    }

    fn is_text_of(&self, function: &Bound<'_, PyFunction>, file: &File) -> PyResult<bool> {
        let CandidateNode::Def(id) = self.node else { return Ok(false) };
        let Stmt::FunctionDef(definition) = &file.tree[id] else { return Ok(false) };
        let first = definition.decorators.iter().map(|&decorator| file.tree.expr_span(decorator).start).min();
        let span =
            Span { start: first.map_or(self.span.start, |first| first.min(self.span.start)), ..self.span };
        let (class, imports) = (self.class.as_ref(), &*file.imports);
        is_text_of(function, &Definition { source: &file.source, span, class, imports })
    }

    fn place(&self, file: &File) -> Place {
        let tree = match self.node {
            CandidateNode::Def(id) => file.tree.extract(id),
            CandidateNode::Lambda(id) => file.tree.extract_expr(id),
        };
        Place { source: file.source.clone(), tree, class: self.class.clone(), imports: file.imports.clone() }
    }
}

fn module_imports(tree: &Tree, body: &Body, found: &mut BTreeSet<Name>) {
    for &id in body {
        if let Stmt::Import(names) | Stmt::ImportFrom { names, .. } = &tree[id] {
            found.extend(names.iter().filter_map(gw_syntax::Alias::binds));
        } else if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| module_imports(tree, body, found));
        }
    }
}

/// Finds every function of a file, by the line where its code begins.
struct Search<'a> {
    tree: &'a Tree,
    source: &'a Source,
    by_line: HashMap<u32, Vec<Candidate>>,
}

impl Search<'_> {
    fn add(&mut self, start: u32, candidate: Candidate) {
        let (line, _) = self.source.line_column(start);
        self.by_line.entry(line).or_default().push(candidate);
    }

    fn body(&mut self, body: &Body, class: Option<&Name>) {
        for &id in body {
            let stmt = &self.tree[id];
            let span = self.tree.stmt_span(id);
            let mut inner = class;
            if let Stmt::FunctionDef(function) = stmt {
                let first = function.decorators.first();
                let start = first.map_or(span.start, |&first| self.tree.expr_span(first).start);
                let node = CandidateNode::Def(id);
                self.add(start, Candidate { node, span, class: class.cloned() });
            } else if let Stmt::ClassDef(definition) = stmt {
                inner = Some(&definition.name);
            }
            stmt.each_expr(&mut |&expr| self.expr(expr, class));
            stmt.each_body(&mut |body| self.body(body, inner));
        }
    }

    fn expr(&mut self, id: ExprId, class: Option<&Name>) {
        if let Expr::Lambda { .. } = self.tree[id] {
            let span = self.tree.expr_span(id);
            let node = CandidateNode::Lambda(id);
            self.add(span.start, Candidate { node, span, class: class.cloned() });
        }
        self.tree[id].each_expr(&mut |&child| self.expr(child, class));
    }
}

/// Whether two code objects do the same: bytecode, names and constants, inner code included.
///
/// Code that a test runner rewrote to explain its assertions is taken for the same.
pub fn same_code(running: &Bound<'_, PyAny>, compiled: &Bound<'_, PyAny>) -> PyResult<bool> {
    for names in [get!(running, "co_names")?, get!(running, "co_varnames")?] {
        for name in names.cast::<PyTuple>()? {
            if name.cast::<PyString>()?.to_str()?.starts_with("@py") {
                return Ok(true);
            }
        }
    }
    let py = running.py();
    let attributes = [
        pyo3::intern!(py, "co_code"),
        pyo3::intern!(py, "co_names"),
        pyo3::intern!(py, "co_varnames"),
        pyo3::intern!(py, "co_freevars"),
        pyo3::intern!(py, "co_cellvars"),
        pyo3::intern!(py, "co_argcount"),
    ];
    for attribute in attributes {
        if !running.getattr(attribute)?.eq(compiled.getattr(attribute)?)? {
            return Ok(false);
        }
    }
    let (ours, theirs) = (get!(compiled, "co_consts")?, get!(running, "co_consts")?);
    let (ours, theirs) = (ours.cast::<PyTuple>()?, theirs.cast::<PyTuple>()?);
    if ours.len() != theirs.len() {
        return Ok(false);
    }
    let code = running.get_type();
    for (our, their) in ours.iter().zip(theirs) {
        if their.is_instance(&code)? {
            if !our.is_instance(&code)? || !same_code(&their, &our)? {
                return Ok(false);
            }
        } else if !same_constant(&our, &their)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Python 3.12 cuts the text of f-strings into pieces of its own, so that bytecode with them cannot be compared.
fn same_names(running: &Bound<'_, PyAny>, compiled: &Bound<'_, PyAny>) -> PyResult<bool> {
    for attribute in ["co_names", "co_varnames", "co_freevars", "co_argcount"] {
        if !running.getattr(attribute)?.eq(compiled.getattr(attribute)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Equal and of one type; code that the interpreter carries has tuples for sets. Before CPython 3.11 the qualified names
/// of inner code are constants: what stands around the function differs in them.
fn same_constant(our: &Bound<'_, PyAny>, their: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let (Ok(our), Ok(their)) = (our.cast::<PyFrozenSet>(), their.cast::<PyTuple>()) {
        return our.eq(PyFrozenSet::new(their.py(), their)?);
    }
    if !our.get_type().is(their.get_type()) {
        return Ok(false);
    }
    if our.eq(their)? {
        return Ok(true);
    }
    let (ours, theirs) = (our.repr()?.to_string(), their.repr()?.to_string());
    let inner = ours.trim_start_matches('\'').trim_start_matches("<factory>.<locals>.");
    Ok(ours == theirs || (inner.contains(".<locals>.") && theirs.ends_with(inner)))
}

/// Whether two code objects stand at the same columns, as far as this Python knows columns.
fn same_columns(running: &Bound<'_, PyAny>, compiled: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(positions) = get!(running, "co_positions") else { return Ok(true) };
    let list = running.py().get_type::<pyo3::types::PyList>();
    let ours = list.call1((compiled.call_method0("co_positions")?,))?;
    list.call1((positions.call0()?,))?.eq(ours)
}
