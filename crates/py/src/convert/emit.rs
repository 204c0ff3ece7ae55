//! Statements of our tree as CPython's nodes, each at its original place.

use std::cell::{OnceCell, RefCell};

use gw_base::{Source, Span};
use gw_syntax::{
    Alias, Body, Case, Class, ExprId, Function, Handler, Keyword, Name, Operator, Param, Params, Pattern,
    PatternKind, Stmt, StmtId, Tree, TypeParam, TypeParamKind, WithItem,
};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use rustc_hash::FxHashMap;

use crate::convert::nodes::{Nodes, Position, nodes};

/// A node or a list of nodes.
pub type Node<'py> = Bound<'py, PyAny>;

/// The name of the parameter by which a generated lambda is known; no user can write it.
pub const THUNK: &str = "<thunk>";

/// The constant that stands for the operators until they can be put there: a number that is none, in bits that no text
/// can give it.
pub const OPERATORS: u64 = 0x7ff8_6f70_6572_6174;

/// Turns parts of one tree into nodes.
pub struct Emit<'a, 'py> {
    /// The interpreter.
    pub py: Python<'py>,
    /// The node classes.
    pub nodes: &'a Nodes,
    /// The tree.
    pub tree: &'a Tree,
    /// The text that the spans point into.
    pub source: &'a Source,
    /// The name that stands for the operators.
    operators: Option<&'a Name>,
    /// The identifiers that were met.
    texts: RefCell<FxHashMap<Box<str>, Bound<'py, PyString>>>,
    /// The list without items, and the parameters of what has none: `compile` changes neither, so that one serves all.
    empty: Node<'py>,
    no_params: OnceCell<Node<'py>>,
    /// The parameters of a generated lambda.
    thunk: OnceCell<Node<'py>>,
}

/// Use of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// It is read.
    Load,
    /// It is given a value.
    Store,
    /// It is deleted.
    Del,
}

impl Context {
    /// As CPython names it.
    pub fn class(self) -> &'static str {
        match self {
            Context::Load => "Load",
            Context::Store => "Store",
            Context::Del => "Del",
        }
    }
}

/// A node that is made when it is first asked for.
fn once<'py>(made: &OnceCell<Node<'py>>, make: impl FnOnce() -> PyResult<Node<'py>>) -> PyResult<Node<'py>> {
    if let Some(made) = made.get() {
        return Ok(made.clone());
    }
    let node = make()?;
    Ok(made.get_or_init(|| node).clone())
}

impl<'a, 'py> Emit<'a, 'py> {
    /// For the parts of this tree, which was read from this text.
    pub fn new(
        py: Python<'py>,
        tree: &'a Tree,
        source: &'a Source,
        operators: Option<&'a Name>,
    ) -> PyResult<Self> {
        let (nodes, empty) = (nodes(py)?, PyList::empty(py).into_any());
        let (texts, no_params, thunk) = (RefCell::default(), OnceCell::new(), OnceCell::new());
        Ok(Self { py, nodes, tree, source, operators, texts, empty, no_params, thunk })
    }

    /// True if a name stands for the operators.
    pub fn is_operators(&self, name: &Name) -> bool {
        self.operators == Some(name)
    }

    /// Position of a span.
    pub fn position(&self, span: Span) -> Position {
        Position { start: self.source.line_column(span.start), end: self.source.line_column(span.end) }
    }

    /// A node at a span with these fields; those not given are `None`.
    pub fn node(&self, class: &str, span: Span, fields: &[(&str, Node<'py>)]) -> PyResult<Node<'py>> {
        self.nodes.make(self.py, class, Some(self.position(span)), fields)
    }

    /// A node without a place.
    pub fn placeless(&self, class: &str, fields: &[(&str, Node<'py>)]) -> PyResult<Node<'py>> {
        self.nodes.make(self.py, class, None, fields)
    }

    /// A list of nodes.
    pub fn list(&self, items: impl IntoIterator<Item = PyResult<Node<'py>>>) -> PyResult<Node<'py>> {
        let mut items = items.into_iter();
        let Some(first) = items.next() else { return Ok(self.empty.clone()) };
        let first = first?;
        let Some(second) = items.next() else { return Ok(PyList::new(self.py, [first])?.into_any()) };
        let items = [Ok(first), second].into_iter().chain(items).collect::<PyResult<Vec<_>>>()?;
        Ok(PyList::new(self.py, items)?.into_any())
    }

    /// Python's `None`.
    pub fn none(&self) -> Node<'py> {
        self.py.None().into_bound(self.py)
    }

    /// An identifier: one object for one name, which the compiler then finds at once.
    pub fn text(&self, name: &str) -> Node<'py> {
        let mut texts = self.texts.borrow_mut();
        if let Some(text) = texts.get(name) {
            return text.clone().into_any();
        }
        let text = PyString::intern(self.py, name);
        texts.insert(name.into(), text.clone());
        text.into_any()
    }

    fn optional_text(&self, name: Option<&Name>) -> Node<'py> {
        name.map_or_else(|| self.none(), |name| self.text(name))
    }

    fn names(&self, names: &[Name]) -> PyResult<Node<'py>> {
        self.list(names.iter().map(|name| Ok(self.text(name))))
    }

    fn int(&self, value: u32) -> PyResult<Node<'py>> {
        Ok(value.into_pyobject(self.py)?.into_any())
    }

    /// Statements; an empty body is `pass` where one is needed.
    pub fn body(&self, body: &Body, span: Span) -> PyResult<Node<'py>> {
        if body.is_empty() {
            return self.list([self.node("Pass", span, &[])]);
        }
        self.orelse(body)
    }

    fn orelse(&self, body: &Body) -> PyResult<Node<'py>> {
        self.list(body.iter().map(|&stmt| self.stmt(stmt)))
    }

    /// One statement.
    pub fn stmt(&self, id: StmtId) -> PyResult<Node<'py>> {
        let span = self.tree.stmt_span(id);
        match &self.tree[id] {
            Stmt::FunctionDef(function) => self.function(function, self.exprs(&function.decorators)?, span),
            Stmt::ClassDef(class) => self.class(class, span),
            Stmt::Return(value) => self.node("Return", span, &[("value", self.optional(*value)?)]),
            Stmt::Delete(targets) => {
                let targets = self.list(targets.iter().map(|&target| self.expr(target, Context::Del)))?;
                self.node("Delete", span, &[("targets", targets)])
            }
            Stmt::Assign { targets, value } => self.assign(span, targets, *value),
            Stmt::TypeAlias { name, type_params, value } => {
                let (name, value) = (self.expr(*name, Context::Store)?, self.load(*value)?);
                let params = self.type_params(type_params)?;
                self.node("TypeAlias", span, &[("name", name), ("value", value), ("type_params", params)])
            }
            Stmt::AugAssign { target, op, value } => self.augmented(span, *target, *op, *value),
            Stmt::AnnAssign { target, annotation, value, simple } => {
                self.annotated(span, [*target, *annotation], *value, *simple)
            }
            stmt @ Stmt::For { .. } => self.for_(span, stmt),
            Stmt::While { test, body, orelse } => self.tested("While", span, *test, body, orelse),
            Stmt::If { test, body, orelse } => self.tested("If", span, *test, body, orelse),
            Stmt::With { is_async, items, body } => self.with(span, *is_async, items, body),
            Stmt::Match { subject, cases } => {
                let cases = self.list(cases.iter().map(|case| self.case(case, span)))?;
                self.node("Match", span, &[("subject", self.load(*subject)?), ("cases", cases)])
            }
            Stmt::Raise { exc, cause } => {
                self.node("Raise", span, &[("exc", self.optional(*exc)?), ("cause", self.optional(*cause)?)])
            }
            stmt @ Stmt::Try { .. } => self.try_(span, stmt),
            Stmt::Assert { test, msg } => {
                self.node("Assert", span, &[("test", self.load(*test)?), ("msg", self.optional(*msg)?)])
            }
            Stmt::Import(names) => self.node("Import", span, &[("names", self.aliases(names)?)]),
            Stmt::ImportFrom { module, names, level } => {
                self.import_from(span, module.as_ref(), names, *level)
            }
            Stmt::Global(names) => self.node("Global", span, &[("names", self.names(names)?)]),
            Stmt::Nonlocal(names) => self.node("Nonlocal", span, &[("names", self.names(names)?)]),
            Stmt::Expr(value) => self.node("Expr", span, &[("value", self.load(*value)?)]),
            Stmt::Pass => self.node("Pass", span, &[]),
            Stmt::Break => self.node("Break", span, &[]),
            Stmt::Continue => self.node("Continue", span, &[]),
        }
    }

    fn class(&self, class: &Class, span: Span) -> PyResult<Node<'py>> {
        let fields = [
            ("name", self.text(&class.name)),
            ("bases", self.exprs(&class.bases)?),
            ("keywords", self.keywords(&class.keywords)?),
            ("body", self.body(&class.body, span)?),
            ("decorator_list", self.exprs(&class.decorators)?),
            ("type_params", self.type_params(&class.type_params)?),
        ];
        self.node("ClassDef", span, &fields)
    }

    fn annotated(
        &self,
        span: Span,
        [target, annotation]: [ExprId; 2],
        value: Option<ExprId>,
        simple: bool,
    ) -> PyResult<Node<'py>> {
        let fields = [
            ("target", self.expr(target, Context::Store)?),
            ("annotation", self.load(annotation)?),
            ("value", self.optional(value)?),
            ("simple", self.int(u32::from(simple))?),
        ];
        self.node("AnnAssign", span, &fields)
    }

    fn for_(&self, span: Span, stmt: &Stmt) -> PyResult<Node<'py>> {
        let Stmt::For { is_async, target, iter, body, orelse, .. } = stmt else { return Ok(self.none()) };
        let fields = [
            ("target", self.expr(*target, Context::Store)?),
            ("iter", self.load(*iter)?),
            ("body", self.body(body, span)?),
            ("orelse", self.orelse(orelse)?),
        ];
        self.node(if *is_async { "AsyncFor" } else { "For" }, span, &fields)
    }

    fn try_(&self, span: Span, stmt: &Stmt) -> PyResult<Node<'py>> {
        let Stmt::Try { body, handlers, orelse, finalbody, is_star } = stmt else { return Ok(self.none()) };
        let fields = [
            ("body", self.body(body, span)?),
            ("handlers", self.list(handlers.iter().map(|handler| self.handler(handler)))?),
            ("orelse", self.orelse(orelse)?),
            ("finalbody", self.orelse(finalbody)?),
        ];
        self.node(if *is_star { "TryStar" } else { "Try" }, span, &fields)
    }

    fn import_from(
        &self,
        span: Span,
        module: Option<&Name>,
        names: &[Alias],
        level: u32,
    ) -> PyResult<Node<'py>> {
        let fields = [
            ("module", self.optional_text(module)),
            ("names", self.aliases(names)?),
            ("level", self.int(level)?),
        ];
        self.node("ImportFrom", span, &fields)
    }

    fn with(&self, span: Span, is_async: bool, items: &[WithItem], body: &Body) -> PyResult<Node<'py>> {
        let items = self.list(items.iter().map(|item| self.with_item(item)))?;
        let fields = [("items", items), ("body", self.body(body, span)?)];
        self.node(if is_async { "AsyncWith" } else { "With" }, span, &fields)
    }

    fn assign(&self, span: Span, targets: &[ExprId], value: ExprId) -> PyResult<Node<'py>> {
        let targets = self.list(targets.iter().map(|&target| self.expr(target, Context::Store)))?;
        self.node("Assign", span, &[("targets", targets), ("value", self.load(value)?)])
    }

    fn augmented(&self, span: Span, target: ExprId, op: Operator, value: ExprId) -> PyResult<Node<'py>> {
        let (target, value) = (self.expr(target, Context::Store)?, self.load(value)?);
        let op = self.nodes.shared(self.py, op.class())?;
        self.node("AugAssign", span, &[("target", target), ("op", op), ("value", value)])
    }

    fn tested(
        &self,
        class: &str,
        span: Span,
        test: ExprId,
        body: &Body,
        orelse: &Body,
    ) -> PyResult<Node<'py>> {
        let body = self.body(body, span)?;
        self.node(
            class,
            span,
            &[("test", self.load(test)?), ("body", body), ("orelse", self.orelse(orelse)?)],
        )
    }

    /// A definition with these decorators.
    pub fn function(&self, function: &Function, decorators: Node<'py>, span: Span) -> PyResult<Node<'py>> {
        let fields = [
            ("name", self.text(&function.name)),
            ("args", self.params(&function.params)?),
            ("body", self.body(&function.body, span)?),
            ("decorator_list", decorators),
            ("returns", self.optional(function.returns)?),
            ("type_params", self.type_params(&function.type_params)?),
        ];
        self.node(if function.is_async { "AsyncFunctionDef" } else { "FunctionDef" }, span, &fields)
    }

    fn type_params(&self, params: &[TypeParam]) -> PyResult<Node<'py>> {
        let one = |param: &TypeParam| {
            let class = match param.kind {
                TypeParamKind::TypeVar => "TypeVar",
                TypeParamKind::TypeVarTuple => "TypeVarTuple",
                TypeParamKind::ParamSpec => "ParamSpec",
            };
            let fields = [
                ("name", self.text(&param.name)),
                ("bound", self.optional(param.bound)?),
                ("default_value", self.optional(param.default)?),
            ];
            self.node(class, param.span, &fields)
        };
        self.list(params.iter().map(one))
    }

    /// `arguments` of a definition or a lambda.
    pub fn params(&self, params: &Params) -> PyResult<Node<'py>> {
        if params.all().next().is_some() {
            return self.some_params(params, None);
        }
        once(&self.no_params, || self.some_params(params, None))
    }

    /// `arguments` of a generated lambda, with a `*` parameter by which it is known. No code says where that stands, so
    /// that lambdas without others share theirs.
    pub fn thunk_params(&self, params: &Params, span: Span) -> PyResult<Node<'py>> {
        let make = || self.some_params(params, Some((THUNK, span)));
        if params.all().next().is_some() { make() } else { once(&self.thunk, make) }
    }

    fn some_params(&self, params: &Params, vararg: Option<(&str, Span)>) -> PyResult<Node<'py>> {
        let many = |params: &[Param]| self.list(params.iter().map(|param| self.param(param)));
        let one =
            |param: &Option<Param>| param.as_ref().map_or_else(|| Ok(self.none()), |param| self.param(param));
        let defaults =
            params.positional().filter_map(|param| param.default).map(|default| self.load(default));
        let star = match vararg {
            Some((name, span)) => self.node("arg", span, &[("arg", self.text(name))])?,
            None => one(&params.vararg)?,
        };
        let fields = [
            ("posonlyargs", many(&params.posonly)?),
            ("args", many(&params.args)?),
            ("vararg", star),
            ("kwonlyargs", many(&params.kwonly)?),
            ("kw_defaults", self.list(params.kwonly.iter().map(|param| self.optional(param.default)))?),
            ("kwarg", one(&params.kwarg)?),
            ("defaults", self.list(defaults)?),
        ];
        self.placeless("arguments", &fields)
    }

    fn param(&self, param: &Param) -> PyResult<Node<'py>> {
        let fields = [("arg", self.text(&param.name)), ("annotation", self.optional(param.annotation)?)];
        self.node("arg", param.span, &fields)
    }

    fn with_item(&self, item: &WithItem) -> PyResult<Node<'py>> {
        let target = match item.target {
            Some(target) => self.expr(target, Context::Store)?,
            None => self.none(),
        };
        self.placeless("withitem", &[("context_expr", self.load(item.context)?), ("optional_vars", target)])
    }

    fn handler(&self, handler: &Handler) -> PyResult<Node<'py>> {
        let fields = [
            ("type", self.optional(handler.kind)?),
            ("name", self.optional_text(handler.name.as_ref())),
            ("body", self.body(&handler.body, handler.span)?),
        ];
        self.node("ExceptHandler", handler.span, &fields)
    }

    fn aliases(&self, names: &[Alias]) -> PyResult<Node<'py>> {
        self.list(names.iter().map(|alias| {
            let asname = self.optional_text(alias.asname.as_ref());
            self.node("alias", alias.span, &[("name", self.text(&alias.name)), ("asname", asname)])
        }))
    }

    /// Keyword arguments.
    pub fn keywords(&self, keywords: &[Keyword]) -> PyResult<Node<'py>> {
        self.list(keywords.iter().map(|keyword| {
            let name = self.optional_text(keyword.name.as_ref());
            self.node("keyword", keyword.span, &[("arg", name), ("value", self.load(keyword.value)?)])
        }))
    }

    fn case(&self, case: &Case, span: Span) -> PyResult<Node<'py>> {
        let fields = [
            ("pattern", self.pattern(&case.pattern)?),
            ("guard", self.optional(case.guard)?),
            ("body", self.body(&case.body, span)?),
        ];
        self.placeless("match_case", &fields)
    }

    fn patterns<'t>(&self, patterns: impl IntoIterator<Item = &'t Pattern>) -> PyResult<Node<'py>> {
        self.list(patterns.into_iter().map(|pattern| self.pattern(pattern)))
    }

    fn pattern(&self, pattern: &Pattern) -> PyResult<Node<'py>> {
        let span = pattern.span;
        match &pattern.kind {
            PatternKind::Value(value) => self.node("MatchValue", span, &[("value", self.load(*value)?)]),
            PatternKind::Singleton(constant) => {
                self.node("MatchSingleton", span, &[("value", self.constant(constant)?)])
            }
            PatternKind::Sequence(all) => {
                self.node("MatchSequence", span, &[("patterns", self.patterns(all)?)])
            }
            PatternKind::Mapping { items, rest } => {
                let fields = [
                    ("keys", self.list(items.iter().map(|(key, _)| self.load(*key)))?),
                    ("patterns", self.patterns(items.iter().map(|(_, value)| value))?),
                    ("rest", self.optional_text(rest.as_ref())),
                ];
                self.node("MatchMapping", span, &fields)
            }
            PatternKind::Class { cls, args, keywords } => {
                let fields = [
                    ("cls", self.load(*cls)?),
                    ("patterns", self.patterns(args)?),
                    ("kwd_attrs", self.list(keywords.iter().map(|(name, _)| Ok(self.text(name))))?),
                    ("kwd_patterns", self.patterns(keywords.iter().map(|(_, value)| value))?),
                ];
                self.node("MatchClass", span, &fields)
            }
            PatternKind::Star(name) => {
                self.node("MatchStar", span, &[("name", self.optional_text(name.as_ref()))])
            }
            PatternKind::As { pattern, name } => {
                let inner = match pattern {
                    Some(inner) => self.pattern(inner)?,
                    None => self.none(),
                };
                self.node("MatchAs", span, &[("pattern", inner), ("name", self.optional_text(name.as_ref()))])
            }
            PatternKind::Or(all) => self.node("MatchOr", span, &[("patterns", self.patterns(all)?)]),
        }
    }
}
