//! The precedence of each expression, so that parentheses stand where they are needed and nowhere else.

use crate::node::{BoolOp, Expr, Operator, UnaryOp};

/// From loosest to tightest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// `x := …`, `yield`: bare hardly anywhere.
    Any,
    /// A tuple, `*x`, a slice: bare at the end of a line.
    Tuple,
    /// `lambda`, `a if b else c`.
    Test,
    Or,
    And,
    Not,
    Compare,
    BitOr,
    BitXor,
    BitAnd,
    Shift,
    Sum,
    Product,
    Factor,
    Power,
    Await,
    Atom,
}

impl Level {
    /// The next tighter level.
    pub(crate) fn above(self) -> Level {
        use Level::*;
        const ALL: [Level; 17] = [
            Any, Tuple, Test, Or, And, Not, Compare, BitOr, BitXor, BitAnd, Shift, Sum, Product, Factor,
            Power, Await, Atom,
        ];
        ALL[(self as usize + 1).min(ALL.len() - 1)]
    }
}

pub(crate) fn level(expr: &Expr) -> Level {
    match expr {
        Expr::Named { .. } | Expr::Yield(_) | Expr::YieldFrom(_) => Level::Any,
        Expr::Tuple(items) if items.is_empty() => Level::Atom,
        Expr::Tuple(_) | Expr::Starred(_) | Expr::Slice { .. } => Level::Tuple,
        Expr::Lambda { .. } | Expr::IfExp { .. } => Level::Test,
        Expr::BoolOp { op: BoolOp::Or, .. } => Level::Or,
        Expr::BoolOp { op: BoolOp::And, .. } => Level::And,
        Expr::UnaryOp { op: UnaryOp::Not, .. } => Level::Not,
        Expr::Compare { .. } => Level::Compare,
        Expr::BinOp { op, .. } => operator(*op),
        Expr::UnaryOp { .. } => Level::Factor,
        Expr::Await(_) => Level::Await,
        Expr::Constant(_) => Level::Atom,
        Expr::Dict(_)
        | Expr::Set(_)
        | Expr::Comp { .. }
        | Expr::DictComp { .. }
        | Expr::Call { .. }
        | Expr::FString(_)
        | Expr::Attribute { .. }
        | Expr::Subscript { .. }
        | Expr::Name(_)
        | Expr::List(_) => Level::Atom,
    }
}

pub(crate) fn operator(op: Operator) -> Level {
    match op {
        Operator::BitOr => Level::BitOr,
        Operator::BitXor => Level::BitXor,
        Operator::BitAnd => Level::BitAnd,
        Operator::LShift | Operator::RShift => Level::Shift,
        Operator::Add | Operator::Sub => Level::Sum,
        Operator::Mult | Operator::MatMult | Operator::Div | Operator::Mod | Operator::FloorDiv => {
            Level::Product
        }
        Operator::Pow => Level::Power,
    }
}
