//! Files that functions stand in: their texts as `linecache` and the user give them, parsed, with every function by the line where
//! its code begins.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use gw_base::{Diagnostic, Source, Span};
use gw_syntax::{Body, Expr, ExprId, Name, Stmt, StmtId, Tree};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFunction, PyList};

/// Position of a function in a file.
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
pub struct File {
    lines: Py<PyAny>,
    /// Its text.
    pub source: Source,
    /// Its tree.
    pub tree: Tree,
    /// Errors in it.
    pub errors: Vec<Diagnostic>,
    /// Its functions by the line where their code begins.
    pub by_line: HashMap<u32, Vec<Candidate>>,
    /// The names that it imports.
    pub imports: Arc<BTreeSet<Name>>,
}

/// A function in a file.
#[derive(Clone)]
pub struct Candidate {
    /// Its node.
    pub node: CandidateNode,
    /// Its place.
    pub span: Span,
    /// The innermost class around it.
    pub class: Option<Name>,
}

/// The node of a function in a file.
#[derive(Clone, Copy)]
pub enum CandidateNode {
    /// Of a `def`.
    Def(StmtId),
    /// Of a lambda.
    Lambda(ExprId),
}

/// Files by the name that `co_filename` says; the one read longest ago is dropped when there are many.
static FILES: Mutex<Vec<(String, Arc<File>)>> = Mutex::new(Vec::new());
const FILES_KEPT: usize = 64;

/// Texts that the user gave, by the name that `co_filename` says; the last ones given.
static GIVEN: Mutex<Vec<Arc<File>>> = Mutex::new(Vec::new());

/// The texts given for a file name, the last one first.
pub fn given(filename: &str) -> Vec<Arc<File>> {
    let Ok(files) = GIVEN.lock() else { return Vec::new() };
    files.iter().rev().filter(|file| *file.source.name == *filename).cloned().collect()
}

/// The text that was given last for a file name.
pub fn given_text(filename: &str) -> Option<Source> {
    given(filename).first().map(|file| file.source.clone())
}

/// Keeps a text that the user gave.
pub fn keep_given(file: Arc<File>) {
    if let Ok(mut files) = GIVEN.lock() {
        files.retain(|known| known.source != file.source);
        if files.len() == FILES_KEPT {
            files.remove(0);
        }
        files.push(file);
    }
}

/// The parsed file of a function; `linecache` hands out the same list as long as it holds the same text.
pub fn file(function: &Bound<'_, PyFunction>, filename: &str) -> PyResult<Option<Arc<File>>> {
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
pub fn lines<'py>(filename: &str, globals: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
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
    pub fn read(filename: &str, lines: &Bound<'_, PyAny>) -> PyResult<File> {
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

    /// An error of the parser inside a function; errors elsewhere in the file do not matter to it.
    pub fn error_inside(&self, span: Span) -> Option<&Diagnostic> {
        let inside = self.source.loc(span);
        self.errors.iter().find(|error| {
            error.labels.iter().any(|label| label.at.line >= inside.line && label.at.line <= inside.end_line)
        })
    }
}

impl Candidate {
    pub fn is_named(&self, tree: &Tree, name: &str) -> bool {
        match self.node {
            CandidateNode::Def(id) => matches!(&tree[id], Stmt::FunctionDef(f) if &*f.name == name),
            CandidateNode::Lambda(_) => name == "<lambda>",
        }
    }

    pub fn place(&self, file: &File) -> Place {
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
