//! Folding of what is known before a loop: with constant bounds all conditions are, and the loop as it was is not needed.

use super::check::Before;
use crate::loops::build::{fold, holds};
use crate::loops::{Binary, Expr, Range, Ty, Unary, Var};

impl Before<'_> {
    /// The operand that an expression before the loop is.
    pub(super) fn simplified(&self, expr: &Expr) -> Option<Var> {
        let is = |var: Var, value: i64| self.known(var) == Some(value);
        match *expr {
            Expr::Binary(Binary::Add, x, y) if is(x, 0) => Some(y),
            Expr::Binary(Binary::Add | Binary::Sub, x, y) if is(y, 0) => Some(x),
            Expr::Binary(Binary::Mul, x, y) if is(x, 1) => Some(y),
            Expr::Binary(Binary::Mul, x, y) if is(y, 1) => Some(x),
            Expr::Binary(Binary::And, x, y) if self.vars[x] == Ty::Bool && is(x, 1) => Some(y),
            Expr::Binary(Binary::And, x, y) if self.vars[x] == Ty::Bool && is(y, 1) => Some(x),
            Expr::Select(test, x, y) => self.known(test).map(|test| if test == 0 { y } else { x }),
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Room => None,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Overflows(..) | Expr::Compare(..) => None,
            Expr::Convert(_) | Expr::Load(..) | Expr::Offset(..) | Expr::Call(..) => None,
        }
    }

    /// The integer that an expression before the loop is.
    pub(super) fn folded(&self, ty: Ty, expr: &Expr) -> Option<i64> {
        match *expr {
            Expr::Binary(Binary::Div, x, y) if ty.is_integer() => self.known(x)?.checked_div(self.known(y)?),
            Expr::Binary(binary, x, y) if ty.is_integer() => fold(binary, ty, self.known(x)?, self.known(y)?),
            Expr::Compare(compare, x, y) => Some(i64::from(holds(compare, self.known(x)?, self.known(y)?))),
            Expr::Unary(Unary::Not, x) if ty == Ty::Bool => Some(1 - self.known(x)?),
            Expr::Convert(x) if ty == Ty::I64 && self.vars[x].is_integer() => self.known(x),
            Expr::Overflows(binary, x, y) => {
                let [a, b] = [self.known(x)?, self.known(y)?].map(Range::one);
                Some(i64::from(!Range::always_fits(binary, self.vars[x], a, b)))
            }
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Room => None,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) | Expr::Convert(_) => None,
            Expr::Load(..) | Expr::Offset(..) | Expr::Call(..) => None,
        }
    }
}
