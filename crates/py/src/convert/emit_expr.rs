//! Expressions of our tree as CPython's nodes.

use gw_base::Span;
use gw_syntax::{Clause, CmpOp, CompKind, Constant, Expr, ExprId, FPart, Params};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyComplex, PyTuple};

use crate::convert::emit::{Context, Emit, Node, OPERATORS};
use crate::convert::nodes::text;

impl<'py> Emit<'_, 'py> {
    /// An expression that is read.
    pub fn load(&self, id: ExprId) -> PyResult<Node<'py>> {
        self.expr(id, Context::Load)
    }

    /// An expression that is read, or `None`.
    pub fn optional(&self, id: Option<ExprId>) -> PyResult<Node<'py>> {
        id.map_or_else(|| Ok(self.none()), |id| self.load(id))
    }

    /// Expressions that are read.
    pub fn exprs(&self, ids: &[ExprId]) -> PyResult<Node<'py>> {
        self.list(ids.iter().map(|&id| self.load(id)))
    }

    /// An expression or a place.
    pub fn expr(&self, id: ExprId, context: Context) -> PyResult<Node<'py>> {
        let span = self.tree.expr_span(id);
        let ctx = || Ok::<_, PyErr>(("ctx", self.nodes.shared(self.py, context.class())?));
        match &self.tree[id] {
            Expr::Name(name) if self.is_operators(name) => {
                let value = f64::from_bits(OPERATORS).into_pyobject(self.py)?.into_any();
                self.node("Constant", span, &[("value", value)])
            }
            Expr::Name(name) => self.node("Name", span, &[("id", self.text(name)), ctx()?]),
            Expr::Attribute { value, attr } => self.node(
                "Attribute",
                span,
                &[("value", self.load(*value)?), ("attr", self.text(attr)), ctx()?],
            ),
            Expr::Subscript { value, index } => self.node(
                "Subscript",
                span,
                &[("value", self.load(*value)?), ("slice", self.load(*index)?), ctx()?],
            ),
            Expr::Starred(value) => {
                self.node("Starred", span, &[("value", self.expr(*value, context)?), ctx()?])
            }
            Expr::List(items) => self.node("List", span, &[("elts", self.places(items, context)?), ctx()?]),
            Expr::Tuple(items) if context == Context::Load && self.are_constant(items) => {
                let value = items.iter().map(|&item| self.constant_at(item)).collect::<PyResult<Vec<_>>>()?;
                self.node("Constant", span, &[("value", PyTuple::new(self.py, value)?.into_any())])
            }
            Expr::Tuple(items) => self.node("Tuple", span, &[("elts", self.places(items, context)?), ctx()?]),
            Expr::Constant(constant) => self.node("Constant", span, &[("value", self.constant(constant)?)]),
            expr @ Expr::Call { .. } => self.call(span, expr),
            Expr::BoolOp { op, values } => {
                let op = self.nodes.shared(self.py, op.class())?;
                self.node("BoolOp", span, &[("op", op), ("values", self.exprs(values)?)])
            }
            Expr::Named { target, value } => {
                let target = self.expr(*target, Context::Store)?;
                self.node("NamedExpr", span, &[("target", target), ("value", self.load(*value)?)])
            }
            expr @ Expr::BinOp { .. } => self.bin_op(span, expr),
            Expr::UnaryOp { op, operand } => {
                let op = self.nodes.shared(self.py, op.class())?;
                self.node("UnaryOp", span, &[("op", op), ("operand", self.load(*operand)?)])
            }
            Expr::Lambda { params, body, generated } => self.lambda(span, params, *body, *generated),
            expr @ Expr::IfExp { .. } => self.if_exp(span, expr),
            Expr::Dict(items) => self.dict(span, items),
            Expr::Set(items) => self.node("Set", span, &[("elts", self.exprs(items)?)]),
            expr @ Expr::Comp { .. } => self.comp(span, expr),
            expr @ Expr::DictComp { .. } => self.dict_comp(span, expr),
            Expr::Await(value) => self.node("Await", span, &[("value", self.load(*value)?)]),
            Expr::Yield(value) => self.node("Yield", span, &[("value", self.optional(*value)?)]),
            Expr::YieldFrom(value) => self.node("YieldFrom", span, &[("value", self.load(*value)?)]),
            Expr::Compare { left, rest } => self.compare(span, *left, rest),
            Expr::FString(parts) => self.node("JoinedStr", span, &[("values", self.parts(parts, span)?)]),
            expr @ Expr::Slice { .. } => self.slice(span, expr),
        }
    }

    /// True if a tuple of these is a constant, as the compiler finds out too, with more nodes to look at.
    fn are_constant(&self, items: &[ExprId]) -> bool {
        !items.is_empty() && items.iter().all(|&item| matches!(self.tree[item], Expr::Constant(_)))
    }

    fn constant_at(&self, id: ExprId) -> PyResult<Node<'py>> {
        let Expr::Constant(constant) = &self.tree[id] else { return Ok(self.none()) };
        self.constant(constant)
    }

    fn call(&self, span: Span, expr: &Expr) -> PyResult<Node<'py>> {
        let Expr::Call { func, args, keywords } = expr else { return Ok(self.none()) };
        let fields = [
            ("func", self.load(*func)?),
            ("args", self.exprs(args)?),
            ("keywords", self.keywords(keywords)?),
        ];
        self.node("Call", span, &fields)
    }

    fn if_exp(&self, span: Span, expr: &Expr) -> PyResult<Node<'py>> {
        let Expr::IfExp { test, body, orelse } = expr else { return Ok(self.none()) };
        let fields =
            [("test", self.load(*test)?), ("body", self.load(*body)?), ("orelse", self.load(*orelse)?)];
        self.node("IfExp", span, &fields)
    }

    fn comp(&self, span: Span, expr: &Expr) -> PyResult<Node<'py>> {
        let Expr::Comp { kind, element, clauses } = expr else { return Ok(self.none()) };
        let class = match kind {
            CompKind::List => "ListComp",
            CompKind::Set => "SetComp",
            CompKind::Generator => "GeneratorExp",
        };
        self.node(class, span, &[("elt", self.load(*element)?), ("generators", self.clauses(clauses)?)])
    }

    fn dict_comp(&self, span: Span, expr: &Expr) -> PyResult<Node<'py>> {
        let Expr::DictComp { key, value, clauses } = expr else { return Ok(self.none()) };
        let fields = [
            ("key", self.load(*key)?),
            ("value", self.load(*value)?),
            ("generators", self.clauses(clauses)?),
        ];
        self.node("DictComp", span, &fields)
    }

    fn slice(&self, span: Span, expr: &Expr) -> PyResult<Node<'py>> {
        let Expr::Slice { lower, upper, step } = expr else { return Ok(self.none()) };
        let fields = [
            ("lower", self.optional(*lower)?),
            ("upper", self.optional(*upper)?),
            ("step", self.optional(*step)?),
        ];
        self.node("Slice", span, &fields)
    }

    fn bin_op(&self, span: Span, expr: &Expr) -> PyResult<Node<'py>> {
        let Expr::BinOp { left, op, right } = expr else { return Ok(self.none()) };
        let (left, right) = (self.load(*left)?, self.load(*right)?);
        let op = self.nodes.shared(self.py, op.class())?;
        self.node("BinOp", span, &[("left", left), ("op", op), ("right", right)])
    }

    /// A lambda with these parameters.
    pub fn lambda(&self, span: Span, params: &Params, body: ExprId, generated: bool) -> PyResult<Node<'py>> {
        let params = if generated { self.thunk_params(params, span)? } else { self.params(params)? };
        self.node("Lambda", span, &[("args", params), ("body", self.load(body)?)])
    }

    fn dict(&self, span: Span, items: &[(Option<ExprId>, ExprId)]) -> PyResult<Node<'py>> {
        let keys = self.list(items.iter().map(|(key, _)| self.optional(*key)))?;
        let values = self.list(items.iter().map(|(_, value)| self.load(*value)))?;
        self.node("Dict", span, &[("keys", keys), ("values", values)])
    }

    fn places(&self, items: &[ExprId], context: Context) -> PyResult<Node<'py>> {
        self.list(items.iter().map(|&item| self.expr(item, context)))
    }

    fn compare(&self, span: Span, left: ExprId, rest: &[(CmpOp, ExprId)]) -> PyResult<Node<'py>> {
        let fields = [
            ("left", self.load(left)?),
            ("ops", self.list(rest.iter().map(|(op, _)| self.nodes.shared(self.py, op.class())))?),
            ("comparators", self.list(rest.iter().map(|(_, right)| self.load(*right)))?),
        ];
        self.node("Compare", span, &fields)
    }

    fn clauses(&self, clauses: &[Clause]) -> PyResult<Node<'py>> {
        self.list(clauses.iter().map(|clause| {
            let fields = [
                ("target", self.expr(clause.target, Context::Store)?),
                ("iter", self.load(clause.iter)?),
                ("ifs", self.exprs(&clause.ifs)?),
                ("is_async", u32::from(clause.is_async).into_pyobject(self.py)?.into_any()),
            ];
            self.placeless("comprehension", &fields)
        }))
    }

    fn parts(&self, parts: &[FPart], span: Span) -> PyResult<Node<'py>> {
        self.list(parts.iter().map(|part| match part {
            FPart::Literal(literal) => self.node("Constant", span, &[("value", text(self.py, literal))]),
            FPart::Field { span, value, conversion, format } => {
                let conversion = conversion.map_or(-1, |c| c as i32).into_pyobject(self.py)?.into_any();
                let format = match format {
                    Some(parts) => self.node("JoinedStr", *span, &[("values", self.parts(parts, *span)?)])?,
                    None => self.none(),
                };
                let value = self.load(*value)?;
                let fields = [("value", value), ("conversion", conversion), ("format_spec", format)];
                self.node("FormattedValue", *span, &fields)
            }
        }))
    }

    /// A constant as a Python object.
    pub fn constant(&self, constant: &Constant) -> PyResult<Node<'py>> {
        let py = self.py;
        Ok(match constant {
            Constant::None => self.none(),
            Constant::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
            Constant::Ellipsis => py.Ellipsis().into_bound(py),
            Constant::Int(digits) => match digits.parse::<i64>() {
                Ok(value) => value.into_pyobject(py)?.into_any(),
                Err(_) => py.get_type::<pyo3::types::PyInt>().call1((digits, 0))?,
            },
            Constant::Float(value) => value.into_pyobject(py)?.into_any(),
            Constant::Complex { real, imag } => PyComplex::from_doubles(py, *real, *imag).into_any(),
            Constant::Str(value) => text(py, value),
            Constant::Written(text) => {
                py.import("ast")?.call_method1("literal_eval", (format!("({text})"),))?
            }
            Constant::Bytes(value) => PyBytes::new(py, value).into_any(),
        })
    }
}
