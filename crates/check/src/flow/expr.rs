//! Expressions and their values.

use gw_analysis::NameSet;
use gw_syntax::{BoolOp, CmpOp, Constant, Expr, ExprId, FPart, UnaryOp};
use gw_types::{Dim, Shape};

use super::Walk;
use crate::marks;
use crate::rule::{Rule, Severity};
use crate::state::{Bound, meet};
use crate::value::{Tensor, Value};

impl Walk<'_, '_> {
    /// The value of an expression that is executed here.
    pub(super) fn expr(&mut self, id: ExprId) -> Value {
        if !self.spend() || self.state.is_none() {
            return Value::Unknown;
        }
        match &self.module().tree[id] {
            Expr::Constant(constant) => literal(constant),
            Expr::Name(name) => self.read(name, id),
            Expr::Attribute { value, attr } => self.attribute(*value, attr),
            Expr::Subscript { value, index } => self.subscript(*value, *index, id),
            Expr::Call { func, args, keywords } => self.call(id, *func, args, keywords),
            Expr::BinOp { left, op, right } => {
                let (a, b) = (self.expr(*left), self.expr(*right));
                self.binary(*op, &a, &b, *left, *right, id)
            }
            Expr::UnaryOp { op, operand } => self.unary(*op, *operand),
            Expr::Compare { left, rest } => self.compare(*left, rest, id),
            Expr::BoolOp { op, values } => self.bool_op(*op, values),
            Expr::IfExp { test, body, orelse } => self.if_exp(*test, *body, *orelse),
            Expr::Named { target, value } => {
                let found = self.expr(*value);
                self.assign(*target, found.clone(), Some(*value));
                found
            }
            Expr::Tuple(items) => {
                self.items(items).map_or(Value::Unknown, |items| Value::Tuple(items.into()))
            }
            Expr::List(items) => self.items(items).map_or(Value::Unknown, |items| Value::List(items.into())),
            Expr::Comp { kind, element, clauses } => self.comprehension(*kind, &[*element], clauses),
            Expr::DictComp { key, value, clauses } => {
                self.comprehension(gw_syntax::CompKind::Set, &[*key, *value], clauses)
            }
            Expr::FString(parts) => self.texts(parts),
            Expr::Lambda { params, .. } => {
                params.each_expr(&mut |&expr| drop(self.expr(expr)));
                Value::Unknown
            }
            Expr::Set(_)
            | Expr::Dict(_)
            | Expr::Await(_)
            | Expr::Yield(_)
            | Expr::YieldFrom(_)
            | Expr::Starred(_)
            | Expr::Slice { .. } => {
                self.module().tree[id].each_expr(&mut |&child| drop(self.expr(child)));
                Value::Unknown
            }
        }
    }

    /// The values of a display; nothing if one of them stands for several.
    fn items(&mut self, items: &[ExprId]) -> Option<Vec<Value>> {
        let values: Vec<Value> = items.iter().map(|&item| self.expr(item)).collect();
        let is_plain = items.iter().all(|&item| !matches!(self.module().tree[item], Expr::Starred(_)));
        is_plain.then_some(values)
    }

    fn texts(&mut self, parts: &[FPart]) -> Value {
        parts.iter().for_each(|part| part.each_expr(&mut |&expr| drop(self.expr(expr))));
        Value::Unknown
    }

    fn attribute(&mut self, base: ExprId, name: &str) -> Value {
        let value = self.expr(base);
        if let Value::Import(path) = &value {
            return marks::attribute(path, name);
        }
        let Value::Tensor(tensor) = &value else {
            return if value == Value::Unknown {
                Value::Unknown
            } else {
                Value::Method(value.into(), name.into())
            };
        };
        match name {
            "shape" => shape_of(tensor),
            "ndim" => Value::Int(tensor.rank().and_then(|rank| i64::try_from(rank).ok())),
            "dtype" => tensor.dtype.map_or(Value::Unknown, Value::DType),
            "T" => Value::Unknown,
            _ => Value::Method(value.clone().into(), name.into()),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId) -> Value {
        let value = self.expr(operand);
        if let Value::Tensor(tensor) = &value {
            self.checker.operations += 1;
            let dtype = if op == UnaryOp::Not { Some(gw_types::DType::Bool) } else { tensor.dtype };
            return Value::Tensor(Tensor { dtype, ..tensor.clone() });
        }
        match op {
            UnaryOp::Not if value == Value::Unknown => Value::Unknown,
            UnaryOp::Not => Value::Bool(value.truth().map(|truth| !truth)),
            UnaryOp::USub if value == Value::Float => Value::Float,
            UnaryOp::USub if matches!(value, Value::Int(_)) => {
                Value::Int(value.integer().and_then(i64::checked_neg))
            }
            UnaryOp::USub | UnaryOp::UAdd | UnaryOp::Invert => Value::Unknown,
        }
    }

    fn bool_op(&mut self, op: BoolOp, values: &[ExprId]) -> Value {
        let mut found: Option<Value> = None;
        let mut ends = None;
        let mut read = NameSet::new();
        for (i, &value) in values.iter().enumerate() {
            let next = self.expr(value);
            let truth = next.truth();
            found = Some(match found {
                // Tensors give a tensor of bools, and Python's own values one of them.
                Some(before) if before == next => before,
                Some(_) => Value::Unknown,
                None => next,
            });
            if i + 1 < values.len() {
                read.extend(self.read_by(value));
                let (yes, no) = self.told_apart(value, truth);
                let (goes_on, stops) = if op == BoolOp::And { (yes, no) } else { (no, yes) };
                ends = meet(ends, stops, &self.locals, &read);
                self.state = goes_on;
            }
        }
        self.state = meet(self.state.take(), ends, &self.locals, &read);
        let is_decided = matches!(found, Some(Value::Bool(Some(_))));
        found.filter(|_| is_decided || values.len() == 1).unwrap_or_default()
    }

    fn if_exp(&mut self, test: ExprId, body: ExprId, orelse: ExprId) -> Value {
        let found = self.expr(test);
        let staged = u32::from(self.is_staged(&found));
        let read = self.read_by(test);
        let (yes, no) = self.told_apart(test, found.truth());
        let is_open = yes.is_some() && no.is_some();
        self.depth += staged;
        self.state = yes;
        let first = self.state.is_some().then(|| self.expr(body));
        let after = std::mem::replace(&mut self.state, no);
        let second = self.state.is_some().then(|| self.expr(orelse));
        self.depth -= staged;
        self.state = meet(after, self.state.take(), &self.locals, &read);
        match (first, second) {
            (Some(a), Some(b)) if is_open => a.join(&b),
            (Some(one), _) | (None, Some(one)) => one,
            (None, None) => Value::Unknown,
        }
    }

    fn compare(&mut self, left: ExprId, rest: &[(CmpOp, ExprId)], at: ExprId) -> Value {
        let mut before = self.expr(left);
        let mut found = Value::Unknown;
        let mut from = left;
        for &(op, right) in rest {
            let value = self.expr(right);
            found = self.compared(op, &before, &value, from, right, at);
            (before, from) = (value, right);
        }
        if rest.len() == 1 { found } else { Value::Unknown }
    }

    /// Says that a name is read where it has no value.
    pub(super) fn unbound(&mut self, name: &str, at: ExprId, bound: Bound) {
        let (message, severity) = if bound == Bound::No {
            (format!("`{name}` is read before it has a value"), Severity::Error)
        } else {
            (format!("`{name}` has no value on some of the paths that lead here"), Severity::Warning)
        };
        let help = format!("give `{name}` a value on every path, before the branch or loop that does");
        let span = self.module().tree.expr_span(at);
        self.say(Rule::UnboundName, span, message, help, severity);
    }
}

fn literal(constant: &Constant) -> Value {
    match constant {
        Constant::None => Value::None,
        Constant::Bool(value) => Value::Bool(Some(*value)),
        Constant::Int(digits) => Value::Int(digits.replace('_', "").parse().ok()),
        Constant::Float(_) => Value::Float,
        Constant::Str(text) => Value::Str(text.as_str().into()),
        Constant::Ellipsis | Constant::Complex { .. } | Constant::Written(_) | Constant::Bytes(_) => {
            Value::Unknown
        }
    }
}

/// Value of `x.shape`: a tuple of the lengths, of which `None` stands for the unknown ones.
fn shape_of(tensor: &Tensor) -> Value {
    let Some(Shape(dims)) = &tensor.shape else { return Value::Unknown };
    let length = |dim: &Dim| match dim {
        Dim::Fixed(n) => Value::Int(i64::try_from(*n).ok()),
        Dim::Var(_) => Value::Unknown,
    };
    Value::Tuple(dims.iter().map(length).collect())
}
