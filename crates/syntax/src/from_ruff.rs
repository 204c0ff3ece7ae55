//! From text to our tree. The only file of the house that names the foreign parser.

mod kinds;
mod strings;

use gw_base::{Code, Diagnosed, Diagnostic, Source, Span};
use ruff_python_ast as ruff;
use ruff_text_size::Ranged;

pub use kinds::{KINDS, kinds_in};

use crate::node::*;
use crate::tree::{Body, ExprId, Name, StmtId, Tree};

/// The beginning of what is said of a text that is not Python's grammar. A construct that is newer than the Pythons that
/// the house runs on is told in other words.
pub const NOT_PARSED: &str = "the source text cannot be parsed";

/// Reads a whole Python text. What cannot be read is said in the diagnostics (`GW003`); the rest is in the tree.
pub fn parse(source: &Source) -> Diagnosed<Tree> {
    let parsed = ruff_python_parser::parse_unchecked_source(&source.text, ruff::PySourceType::Python);
    let mut import = Import { source, tree: Tree::default(), diagnostics: Vec::new() };
    for error in parsed.errors() {
        import.complain(error.location, format!("{NOT_PARSED}: {}", error.error));
    }
    import.tree.body = import.body(parsed.suite());
    Diagnosed { value: import.tree, diagnostics: import.diagnostics }
}

struct Import<'s> {
    source: &'s Source,
    tree: Tree,
    diagnostics: Vec<Diagnostic>,
}

fn span(node: impl Ranged) -> Span {
    Span { start: node.start().to_u32(), end: node.end().to_u32() }
}

fn name(identifier: &ruff::Identifier) -> Name {
    identifier.id.as_str().into()
}

fn optional_name(identifier: Option<&ruff::Identifier>) -> Option<Name> {
    identifier.map(name)
}

impl Import<'_> {
    fn complain(&mut self, at: impl Ranged, message: String) {
        let loc = self.source.loc(span(at));
        self.diagnostics.push(Diagnostic::new(Code::SyntaxNotRead, message).at(loc, "here"));
    }

    /// A newer construct that no supported Python runs.
    fn refuse(&mut self, at: impl Ranged, what: &str) -> Expr {
        self.complain(at, format!("{what} cannot be read"));
        Expr::Constant(Constant::None)
    }

    fn body(&mut self, body: &[ruff::Stmt]) -> Body {
        body.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a ruff::Expr>) -> Vec<ExprId> {
        exprs.into_iter().map(|expr| self.expr(expr)).collect()
    }

    fn optional(&mut self, expr: Option<&ruff::Expr>) -> Option<ExprId> {
        expr.map(|expr| self.expr(expr))
    }

    fn stmt(&mut self, stmt: &ruff::Stmt) -> StmtId {
        let mut at = span(stmt);
        let made = match stmt {
            ruff::Stmt::FunctionDef(s) => {
                at.start = self.after_decorators(&s.decorator_list, at.start);
                self.function(s)
            }
            ruff::Stmt::ClassDef(s) => {
                at.start = self.after_decorators(&s.decorator_list, at.start);
                self.class(s)
            }
            ruff::Stmt::Return(s) => Stmt::Return(self.optional(s.value.as_deref())),
            ruff::Stmt::Delete(s) => Stmt::Delete(self.exprs(&s.targets)),
            ruff::Stmt::TypeAlias(s) => self.type_alias(s),
            ruff::Stmt::Assign(s) => {
                Stmt::Assign { targets: self.exprs(&s.targets), value: self.expr(&s.value) }
            }
            ruff::Stmt::AugAssign(s) => Stmt::AugAssign {
                target: self.expr(&s.target),
                op: operator(s.op),
                value: self.expr(&s.value),
            },
            ruff::Stmt::AnnAssign(s) => self.annotated(s),
            ruff::Stmt::For(s) => self.for_(s),
            ruff::Stmt::While(s) => Stmt::While {
                test: self.expr(&s.test),
                body: self.body(&s.body),
                orelse: self.body(&s.orelse),
            },
            ruff::Stmt::If(s) => {
                let (test, body) = (self.expr(&s.test), self.body(&s.body));
                Stmt::If { test, body, orelse: self.clauses(&s.elif_else_clauses, at.end) }
            }
            ruff::Stmt::With(s) => self.with(s),
            ruff::Stmt::Match(s) => self.match_(s),
            ruff::Stmt::Raise(s) => self.raise(s),
            ruff::Stmt::Try(s) => self.try_(s),
            ruff::Stmt::Assert(s) => {
                Stmt::Assert { test: self.expr(&s.test), msg: self.optional(s.msg.as_deref()) }
            }
            ruff::Stmt::Import(s) => Stmt::Import(aliases(&s.names)),
            ruff::Stmt::ImportFrom(s) => Stmt::ImportFrom {
                module: optional_name(s.module.as_ref()),
                names: aliases(&s.names),
                level: s.level,
            },
            ruff::Stmt::Global(s) => Stmt::Global(s.names.iter().map(name).collect()),
            ruff::Stmt::Nonlocal(s) => Stmt::Nonlocal(s.names.iter().map(name).collect()),
            ruff::Stmt::Expr(s) => Stmt::Expr(self.expr(&s.value)),
            ruff::Stmt::Pass(_) => Stmt::Pass,
            ruff::Stmt::Break(_) => Stmt::Break,
            ruff::Stmt::Continue(_) => Stmt::Continue,
            ruff::Stmt::IpyEscapeCommand(s) => {
                self.refuse(s, "an IPython command");
                Stmt::Pass
            }
        };
        self.tree.stmt(at, made)
    }

    /// Python's `def` and `class` begin after their decorators.
    fn after_decorators(&self, decorators: &[ruff::Decorator], start: u32) -> u32 {
        let Some(last) = decorators.last() else { return start };
        let text = &self.source.text;
        let mut at = span(last).end as usize;
        while let Some(c) = text[at..].chars().next() {
            match c {
                '#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
                c if c.is_alphabetic() => break,
                c => at += c.len_utf8(),
            }
        }
        at as u32
    }

    fn function(&mut self, s: &ruff::StmtFunctionDef) -> Stmt {
        Stmt::FunctionDef(Box::new(Function {
            is_async: s.is_async,
            decorators: s.decorator_list.iter().map(|d| self.expr(&d.expression)).collect(),
            name: name(&s.name),
            type_params: self.type_params(s.type_params.as_deref()),
            params: self.params(&s.parameters),
            returns: self.optional(s.returns.as_deref()),
            body: self.body(&s.body),
            generated: false,
        }))
    }

    fn class(&mut self, s: &ruff::StmtClassDef) -> Stmt {
        let decorators = s.decorator_list.iter().map(|d| self.expr(&d.expression)).collect();
        let type_params = self.type_params(s.type_params.as_deref());
        let (bases, keywords) = match s.arguments.as_deref() {
            Some(arguments) => self.arguments(arguments),
            None => (Vec::new(), Vec::new()),
        };
        let body = self.body(&s.body);
        Stmt::ClassDef(Box::new(Class {
            decorators,
            name: name(&s.name),
            type_params,
            bases,
            keywords,
            body,
        }))
    }

    /// `elif` and `else` as nested `If`s; each reaches to the end of the whole statement.
    fn clauses(&mut self, clauses: &[ruff::ElifElseClause], end: u32) -> Body {
        let Some((first, rest)) = clauses.split_first() else { return Vec::new() };
        let Some(test) = &first.test else { return self.body(&first.body) };
        let (test, body) = (self.expr(test), self.body(&first.body));
        let orelse = self.clauses(rest, end);
        vec![self.tree.stmt(Span { start: span(first).start, end }, Stmt::If { test, body, orelse })]
    }

    fn with(&mut self, s: &ruff::StmtWith) -> Stmt {
        let items = s.items.iter().map(|item| WithItem {
            context: self.expr(&item.context_expr),
            target: self.optional(item.optional_vars.as_deref()),
        });
        Stmt::With { is_async: s.is_async, items: items.collect(), body: self.body(&s.body) }
    }

    fn type_alias(&mut self, s: &ruff::StmtTypeAlias) -> Stmt {
        let type_params = self.type_params(s.type_params.as_deref());
        Stmt::TypeAlias { name: self.expr(&s.name), type_params, value: self.expr(&s.value) }
    }

    fn match_(&mut self, s: &ruff::StmtMatch) -> Stmt {
        let subject = self.expr(&s.subject);
        Stmt::Match { subject, cases: s.cases.iter().map(|case| self.case(case)).collect() }
    }

    fn for_(&mut self, s: &ruff::StmtFor) -> Stmt {
        Stmt::For {
            is_async: s.is_async,
            target: self.expr(&s.target),
            iter: self.expr(&s.iter),
            guard: None,
            body: self.body(&s.body),
            orelse: self.body(&s.orelse),
        }
    }

    fn annotated(&mut self, s: &ruff::StmtAnnAssign) -> Stmt {
        Stmt::AnnAssign {
            target: self.expr(&s.target),
            annotation: self.expr(&s.annotation),
            value: self.optional(s.value.as_deref()),
            simple: s.simple,
        }
    }

    fn raise(&mut self, s: &ruff::StmtRaise) -> Stmt {
        Stmt::Raise { exc: self.optional(s.exc.as_deref()), cause: self.optional(s.cause.as_deref()) }
    }

    fn try_(&mut self, s: &ruff::StmtTry) -> Stmt {
        let body = self.body(&s.body);
        let handlers = s.handlers.iter().map(|ruff::ExceptHandler::ExceptHandler(h)| Handler {
            span: span(h),
            kind: self.optional(h.type_.as_deref()),
            name: optional_name(h.name.as_ref()),
            body: self.body(&h.body),
        });
        let handlers = handlers.collect();
        let (orelse, finalbody) = (self.body(&s.orelse), self.body(&s.finalbody));
        Stmt::Try { body, handlers, orelse, finalbody, is_star: s.is_star }
    }

    fn case(&mut self, case: &ruff::MatchCase) -> Case {
        let pattern = self.pattern(&case.pattern);
        Case { pattern, guard: self.optional(case.guard.as_deref()), body: self.body(&case.body) }
    }

    fn patterns(&mut self, patterns: &[ruff::Pattern]) -> Vec<Pattern> {
        patterns.iter().map(|p| self.pattern(p)).collect()
    }

    fn pattern(&mut self, pattern: &ruff::Pattern) -> Pattern {
        let kind = match pattern {
            ruff::Pattern::MatchValue(p) => PatternKind::Value(self.expr(&p.value)),
            ruff::Pattern::MatchSingleton(p) => PatternKind::Singleton(match p.value {
                ruff::Singleton::None => Constant::None,
                ruff::Singleton::True => Constant::Bool(true),
                ruff::Singleton::False => Constant::Bool(false),
            }),
            ruff::Pattern::MatchSequence(p) => PatternKind::Sequence(self.patterns(&p.patterns)),
            ruff::Pattern::MatchMapping(p) => {
                let items = p.keys.iter().zip(&p.patterns).map(|(k, v)| (self.expr(k), self.pattern(v)));
                PatternKind::Mapping { items: items.collect(), rest: optional_name(p.rest.as_ref()) }
            }
            ruff::Pattern::MatchClass(p) => {
                let cls = self.expr(&p.cls);
                let args = self.patterns(&p.arguments.patterns);
                let keywords =
                    p.arguments.keywords.iter().map(|k| (name(&k.attr), self.pattern(&k.pattern))).collect();
                PatternKind::Class { cls, args, keywords }
            }
            ruff::Pattern::MatchStar(p) => PatternKind::Star(optional_name(p.name.as_ref())),
            ruff::Pattern::MatchAs(p) => PatternKind::As {
                pattern: p.pattern.as_deref().map(|p| Box::new(self.pattern(p))),
                name: optional_name(p.name.as_ref()),
            },
            ruff::Pattern::MatchOr(p) => PatternKind::Or(self.patterns(&p.patterns)),
        };
        Pattern { span: span(pattern), kind }
    }

    fn param(&mut self, param: &ruff::Parameter, default: Option<&ruff::Expr>) -> Param {
        Param {
            span: span(param),
            name: name(&param.name),
            annotation: self.optional(param.annotation.as_deref()),
            default: self.optional(default),
        }
    }

    fn params(&mut self, params: &ruff::Parameters) -> Params {
        let mut some = |list: &[ruff::ParameterWithDefault]| {
            list.iter().map(|p| self.param(&p.parameter, p.default.as_deref())).collect()
        };
        let (posonly, args, kwonly) =
            (some(&params.posonlyargs), some(&params.args), some(&params.kwonlyargs));
        let vararg = params.vararg.as_deref().map(|p| self.param(p, None));
        let kwarg = params.kwarg.as_deref().map(|p| self.param(p, None));
        Params { posonly, args, vararg, kwonly, kwarg }
    }

    fn type_params(&mut self, params: Option<&ruff::TypeParams>) -> Vec<TypeParam> {
        let Some(params) = params else { return Vec::new() };
        let one = |param: &ruff::TypeParam| match param {
            ruff::TypeParam::TypeVar(p) => TypeParam {
                span: span(p),
                kind: TypeParamKind::TypeVar,
                name: name(&p.name),
                bound: self.optional(p.bound.as_deref()),
                default: self.optional(p.default.as_deref()),
            },
            ruff::TypeParam::TypeVarTuple(p) => TypeParam {
                span: span(p),
                kind: TypeParamKind::TypeVarTuple,
                name: name(&p.name),
                bound: None,
                default: self.optional(p.default.as_deref()),
            },
            ruff::TypeParam::ParamSpec(p) => TypeParam {
                span: span(p),
                kind: TypeParamKind::ParamSpec,
                name: name(&p.name),
                bound: None,
                default: self.optional(p.default.as_deref()),
            },
        };
        params.type_params.iter().map(one).collect()
    }

    fn arguments(&mut self, arguments: &ruff::Arguments) -> (Vec<ExprId>, Vec<Keyword>) {
        let args = self.exprs(&arguments.args);
        let keywords = arguments.keywords.iter().map(|k| Keyword {
            span: span(k),
            name: optional_name(k.arg.as_ref()),
            value: self.expr(&k.value),
        });
        (args, keywords.collect())
    }

    fn comprehension(&mut self, generators: &[ruff::Comprehension]) -> Vec<Clause> {
        let one = |c: &ruff::Comprehension| Clause {
            is_async: c.is_async,
            target: self.expr(&c.target),
            iter: self.expr(&c.iter),
            ifs: self.exprs(&c.ifs),
        };
        generators.iter().map(one).collect()
    }

    fn expr(&mut self, expr: &ruff::Expr) -> ExprId {
        let made = match expr {
            ruff::Expr::BoolOp(e) => self.bool_op(e),
            ruff::Expr::Named(e) => Expr::Named { target: self.expr(&e.target), value: self.expr(&e.value) },
            ruff::Expr::BinOp(e) => {
                Expr::BinOp { left: self.expr(&e.left), op: operator(e.op), right: self.expr(&e.right) }
            }
            ruff::Expr::UnaryOp(e) => Expr::UnaryOp { op: unary(e.op), operand: self.expr(&e.operand) },
            ruff::Expr::Lambda(e) => self.lambda(e),
            ruff::Expr::If(e) => self.if_exp(e),
            ruff::Expr::Dict(e) => Expr::Dict(
                e.items
                    .iter()
                    .map(|item| (self.optional(item.key.as_ref()), self.expr(&item.value)))
                    .collect(),
            ),
            ruff::Expr::Set(e) => Expr::Set(self.exprs(&e.elts)),
            ruff::Expr::ListComp(e) => self.comp(CompKind::List, &e.elt, &e.generators),
            ruff::Expr::SetComp(e) => self.comp(CompKind::Set, &e.elt, &e.generators),
            ruff::Expr::Generator(e) => self.comp(CompKind::Generator, &e.elt, &e.generators),
            ruff::Expr::DictComp(e) => match &e.key {
                Some(key) => {
                    let clauses = self.comprehension(&e.generators);
                    Expr::DictComp { key: self.expr(key), value: self.expr(&e.value), clauses }
                }
                None => self.refuse(e, "`**` in a comprehension"),
            },
            ruff::Expr::Await(e) => Expr::Await(self.expr(&e.value)),
            ruff::Expr::Yield(e) => Expr::Yield(self.optional(e.value.as_deref())),
            ruff::Expr::YieldFrom(e) => Expr::YieldFrom(self.expr(&e.value)),
            ruff::Expr::Compare(e) => self.compare(e),
            ruff::Expr::Call(e) => self.call(e),
            ruff::Expr::FString(e) => Expr::FString(self.fstring(&e.value)),
            ruff::Expr::TString(e) => self.refuse(e, "a template string"),
            ruff::Expr::StringLiteral(e) => self.string(e),
            ruff::Expr::BytesLiteral(e) => Expr::Constant(Constant::Bytes(e.value.bytes().collect())),
            ruff::Expr::NumberLiteral(e) => number(e),
            ruff::Expr::BooleanLiteral(e) => Expr::Constant(Constant::Bool(e.value)),
            ruff::Expr::NoneLiteral(_) => Expr::Constant(Constant::None),
            ruff::Expr::EllipsisLiteral(_) => Expr::Constant(Constant::Ellipsis),
            ruff::Expr::Attribute(e) => Expr::Attribute { value: self.expr(&e.value), attr: name(&e.attr) },
            ruff::Expr::Subscript(e) => {
                Expr::Subscript { value: self.expr(&e.value), index: self.expr(&e.slice) }
            }
            ruff::Expr::Starred(e) => Expr::Starred(self.expr(&e.value)),
            ruff::Expr::Name(e) => Expr::Name(e.id.as_str().into()),
            ruff::Expr::List(e) => Expr::List(self.exprs(&e.elts)),
            ruff::Expr::Tuple(e) => Expr::Tuple(self.exprs(&e.elts)),
            ruff::Expr::Slice(e) => Expr::Slice {
                lower: self.optional(e.lower.as_deref()),
                upper: self.optional(e.upper.as_deref()),
                step: self.optional(e.step.as_deref()),
            },
            ruff::Expr::IpyEscapeCommand(e) => self.refuse(e, "an IPython command"),
        };
        self.tree.expr(span(expr), made)
    }

    fn lambda(&mut self, e: &ruff::ExprLambda) -> Expr {
        let params = e.parameters.as_deref().map(|p| self.params(p)).unwrap_or_default();
        Expr::Lambda { params: Box::new(params), body: self.expr(&e.body), generated: false }
    }

    fn compare(&mut self, e: &ruff::ExprCompare) -> Expr {
        let left = self.expr(&e.left);
        let rest = e.ops.iter().zip(&e.comparators).map(|(&op, right)| (comparison(op), self.expr(right)));
        Expr::Compare { left, rest: rest.collect() }
    }

    fn bool_op(&mut self, e: &ruff::ExprBoolOp) -> Expr {
        let op = match e.op {
            ruff::BoolOp::And => BoolOp::And,
            ruff::BoolOp::Or => BoolOp::Or,
        };
        Expr::BoolOp { op, values: self.exprs(&e.values) }
    }

    fn call(&mut self, e: &ruff::ExprCall) -> Expr {
        let func = self.expr(&e.func);
        let (args, keywords) = self.arguments(&e.arguments);
        Expr::Call { func, args, keywords }
    }

    fn if_exp(&mut self, e: &ruff::ExprIf) -> Expr {
        Expr::IfExp { test: self.expr(&e.test), body: self.expr(&e.body), orelse: self.expr(&e.orelse) }
    }

    fn comp(&mut self, kind: CompKind, element: &ruff::Expr, generators: &[ruff::Comprehension]) -> Expr {
        let clauses = self.comprehension(generators);
        Expr::Comp { kind, element: self.expr(element), clauses }
    }
}

fn aliases(names: &[ruff::Alias]) -> Vec<Alias> {
    let one = |alias: &ruff::Alias| Alias {
        span: span(alias),
        name: name(&alias.name),
        asname: optional_name(alias.asname.as_ref()),
    };
    names.iter().map(one).collect()
}

macro_rules! same_names {
    ($function:ident: $ours:ident { $($name:ident),* }) => {
        fn $function(op: ruff::$ours) -> $ours { match op { $(ruff::$ours::$name => $ours::$name),* } }
    };
}

same_names!(operator: Operator { Add, Sub, Mult, MatMult, Div, Mod, Pow, LShift, RShift, BitOr, BitXor, BitAnd, FloorDiv });
same_names!(unary: UnaryOp { Invert, Not, UAdd, USub });
same_names!(comparison: CmpOp { Eq, NotEq, Lt, LtE, Gt, GtE, Is, IsNot, In, NotIn });

fn number(e: &ruff::ExprNumberLiteral) -> Expr {
    Expr::Constant(match &e.value {
        ruff::Number::Int(i) => Constant::Int(i.to_string()),
        ruff::Number::Float(f) => Constant::Float(*f),
        ruff::Number::Complex { real, imag } => Constant::Complex { real: *real, imag: *imag },
    })
}
