//! Value numbering: a block computes each value once.

use rustc_hash::FxHashMap;

use super::{Binary, Compare, Expr, Field, Ty, Unary, Var};

/// Variables of one block by what they are defined as.
pub(super) type Numbering = FxHashMap<Key, Var>;

/// An expression that is the same wherever its operands are: it reads no memory and calls nothing.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) enum Definition {
    Int(i64),
    /// The bits of a floating number.
    Real(u64),
    Literal(usize),
    Field(Field),
    Unary(Unary, Var),
    Binary(Binary, Var, Var),
    Overflows(Binary, Var, Var),
    Compare(Compare, Var, Var),
    Select(Var, Var, Var),
    Convert(Var),
    Offset(Var, Var, Ty),
}

/// The type and the definition of a variable.
pub(super) type Key = (Ty, Definition);

/// The key of an expression; none if it reads memory or calls something.
pub(super) fn key(ty: Ty, expr: &Expr) -> Option<Key> {
    let definition = match *expr {
        Expr::Int(value) => Definition::Int(value),
        Expr::Real(value) => Definition::Real(value.to_bits()),
        Expr::Literal(at) => Definition::Literal(at),
        Expr::Field(field) => Definition::Field(field),
        Expr::Unary(unary, x) => Definition::Unary(unary, x),
        Expr::Binary(binary, x, y) => Definition::Binary(binary, x, y),
        Expr::Overflows(binary, x, y) => Definition::Overflows(binary, x, y),
        Expr::Compare(compare, x, y) => Definition::Compare(compare, x, y),
        Expr::Select(test, x, y) => Definition::Select(test, x, y),
        Expr::Convert(x) => Definition::Convert(x),
        Expr::Offset(base, by, ty) => Definition::Offset(base, by, ty),
        Expr::Load(..) | Expr::Call(..) | Expr::Room => return None,
    };
    Some((ty, definition))
}
