//! A tree compiled under the original file name, in a setting where each name means what it meant.
//!
//! A function with free variables stands in a factory that is never run and binds them: a bare annotation compiles to
//! nothing. The lexical class, if any, gives private names and `__class__`. The operators are a constant, for which
//! another stands until `finish` puts them there.

use std::collections::BTreeSet;

use gw_base::{Broken, Span};
use gw_syntax::{Expr, Name, Params, Stmt, Tree};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFunction, PyTuple};

use crate::convert::emit::{Context, Emit, Node};
use crate::convert::file::Place;
use crate::exceptions::errors;

/// `generator_stop`, `barry_as_FLUFL` and `annotations`: the futures that change what compiling does.
const FUTURES: u32 = 0x80_0000 | 0x40_0000 | 0x100_0000;
const FACTORY: &str = "<factory>";

/// The code object of the tree's only statement, compiled as if it stood where `function` was defined.
pub fn compile<'py>(
    function: &Bound<'py, PyFunction>,
    place: &Place,
    tree: &Tree,
    operators: Option<&Name>,
) -> PyResult<Node<'py>> {
    let py = function.py();
    let emit = Emit::new(py, tree, &place.source, operators)?;
    let code = get!(function, "__code__")?;
    let free = declared(function)?;
    let arguments =
        (module(&emit, place, &free)?, get!(code, "co_filename")?, "exec", futures(function)?, true);
    let mut code = compiler(py)?.call1(arguments)?;
    for _ in 0..1 + usize::from(place.class.is_some()) + usize::from(!free.is_empty()) {
        code = only_code(&code)?;
    }
    Ok(code)
}

/// The free variables that the factory has to bind; `__class__` comes with the class.
fn declared(function: &Bound<'_, PyFunction>) -> PyResult<Vec<String>> {
    let mut free: Vec<String> = get!(get!(function, "__code__")?, "co_freevars")?.extract()?;
    free.retain(|name| name != "__class__");
    Ok(free)
}

/// Python's `compile`.
pub fn compiler(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static COMPILER: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    COMPILER.import(py, "builtins", "compile")
}

/// The futures that a function was compiled with, as `compile` takes them.
pub fn futures(function: &Bound<'_, PyFunction>) -> PyResult<u32> {
    Ok(get!(get!(function, "__code__")?, "co_flags")?.extract::<u32>()? & FUTURES)
}

/// The qualified name that the compiler gives the function: `global` in the factory cuts it short.
pub fn name_in_stub(function: &Bound<'_, PyFunction>, place: &Place, tree: &Tree) -> PyResult<String> {
    let free = declared(function)?;
    let mut name = "<lambda>";
    if let Stmt::FunctionDef(function) = &tree[tree.body[0]] {
        name = &function.name;
    }
    let defined = name != "<lambda>";
    let outermost = place.class.as_deref().unwrap_or(name);
    let global = (defined || place.class.is_some()) && !free.iter().any(|free| free == outermost);
    let global = global || free.is_empty();
    let inner = if place.class.is_some() { format!("{outermost}.{name}") } else { name.to_owned() };
    Ok(if global { inner } else { format!("{FACTORY}.<locals>.{inner}") })
}

/// The first code object among the constants.
fn only_code<'py>(code: &Node<'py>) -> PyResult<Node<'py>> {
    for constant in get!(code, "co_consts")?.cast::<PyTuple>()? {
        if constant.is_instance(&code.get_type())? {
            return Ok(constant);
        }
    }
    Err(errors::broken(&Broken::new("convert", "the stub holds no code")))
}

/// The tree's only statement without what belongs to the function object: defaults, annotations and decorators. A
/// placeholder decorator stays, because the first line of the code is the decorator's.
fn bare<'py>(emit: &Emit<'_, 'py>) -> PyResult<Node<'py>> {
    let stmt = emit.tree.body[0];
    let span = emit.tree.stmt_span(stmt);
    if let Stmt::FunctionDef(function) = &emit.tree[stmt] {
        let mut function = function.clone();
        bare_params(&mut function.params);
        function.returns = None;
        function.type_params.clear();
        let decorators = function.decorators.iter().take(1);
        let placeholder = |&id| emit.node("Constant", emit.tree.expr_span(id), &[("value", emit.none())]);
        return emit.function(&function, emit.list(decorators.map(placeholder))?, span);
    }
    if let Stmt::Expr(value) = emit.tree[stmt]
        && let Expr::Lambda { params, body, generated } = &emit.tree[value]
    {
        let mut params = params.clone();
        bare_params(&mut params);
        let lambda = emit.lambda(emit.tree.expr_span(value), &params, *body, *generated)?;
        return emit.node("Expr", span, &[("value", lambda)]);
    }
    Err(errors::broken(&Broken::new("convert", "what is converted is neither `def` nor `lambda`")))
}

fn bare_params(params: &mut Params) {
    let Params { posonly, args, vararg, kwonly, kwarg } = params;
    for param in posonly.iter_mut().chain(args).chain(vararg).chain(kwonly).chain(kwarg) {
        param.default = None;
        param.annotation = None;
    }
}

/// The module that is compiled: it defines the function, or the factory around it.
fn module<'py>(emit: &Emit<'_, 'py>, place: &Place, free: &[String]) -> PyResult<Node<'py>> {
    let span = emit.tree.stmt_span(emit.tree.body[0]);
    let mut inner = bare(emit)?;
    if let Some(class) = &place.class {
        inner = class_around(emit, class, inner, span)?;
    }
    if !free.is_empty() {
        inner = factory(emit, place, free, inner)?;
    }
    let mut body = imports(emit, place, span)?;
    body.push(inner);
    let body = emit.list(body.into_iter().map(Ok))?;
    emit.placeless("Module", &[("body", body), ("type_ignores", emit.list([])?)])
}

/// A function around a definition that binds the free variables, and whose name is in no qualified name.
fn factory<'py>(
    emit: &Emit<'_, 'py>,
    place: &Place,
    free: &[String],
    inner: Node<'py>,
) -> PyResult<Node<'py>> {
    let stmt = emit.tree.body[0];
    let span = emit.tree.stmt_span(stmt);
    let mut outermost = place.class.as_ref();
    if let (None, Stmt::FunctionDef(function)) = (outermost, &emit.tree[stmt]) {
        outermost = Some(&function.name);
    }
    let mut body = declarations(emit, free, span)?;
    if let Some(name) = outermost.filter(|name| !free.iter().any(|free| **free == ***name)) {
        body.push(emit.node("Global", span, &[("names", emit.list([Ok(emit.text(name))])?)])?);
    }
    body.push(inner);
    let body = emit.list(body.into_iter().map(Ok))?;
    let fields = [
        ("name", emit.text(FACTORY)),
        ("args", emit.params(&Params::default())?),
        ("body", body),
        ("decorator_list", emit.list([])?),
        ("type_params", emit.list([])?),
    ];
    emit.node("FunctionDef", span, &fields)
}

/// `import name` for each imported name that the function uses.
fn imports<'py>(emit: &Emit<'_, 'py>, place: &Place, span: Span) -> PyResult<Vec<Node<'py>>> {
    let used: BTreeSet<&Name> = emit.tree.names().filter(|name| place.imports.contains(*name)).collect();
    let import = |name: &Name| {
        let alias = emit.node("alias", span, &[("name", emit.text(name))])?;
        emit.node("Import", span, &[("names", emit.list([Ok(alias)])?)])
    };
    used.into_iter().map(import).collect()
}

/// `name: None` for each free variable.
fn declarations<'py>(emit: &Emit<'_, 'py>, free: &[String], span: Span) -> PyResult<Vec<Node<'py>>> {
    let declare = |name: &String| {
        let context = emit.nodes.shared(emit.py, Context::Store.class())?;
        let target = emit.node("Name", span, &[("id", emit.text(name)), ("ctx", context)])?;
        let nothing = emit.node("Constant", span, &[("value", emit.none())])?;
        let simple = 1_u32.into_pyobject(emit.py)?.into_any();
        emit.node("AnnAssign", span, &[("target", target), ("annotation", nothing), ("simple", simple)])
    };
    free.iter().map(declare).collect()
}

fn class_around<'py>(emit: &Emit<'_, 'py>, name: &Name, inner: Node<'py>, span: Span) -> PyResult<Node<'py>> {
    let fields = [
        ("name", emit.text(name)),
        ("bases", emit.list([])?),
        ("keywords", emit.list([])?),
        ("body", emit.list([Ok(inner)])?),
        ("decorator_list", emit.list([])?),
        ("type_params", emit.list([])?),
    ];
    emit.node("ClassDef", span, &fields)
}
