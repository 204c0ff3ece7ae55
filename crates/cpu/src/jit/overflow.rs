//! Sums, differences and products with the processor's flag of their overflow: both come of one instruction.

use cranelift_codegen::ir::{InstBuilder, Value};

use super::context::Emit;
use crate::loops::{Binary, Expr, Stmt, Var};

impl Emit<'_> {
    pub(super) fn stmts(&mut self, block: &[Stmt]) {
        let mut at = 0;
        while let Some(stmt) = block.get(at) {
            let both = checked(block, at).map(|(result, over, binary, x, y)| {
                let [value, flag] = self.with_overflow(binary, x, y);
                self.set(result, value);
                self.set(over, flag);
            });
            if both.is_none() {
                self.stmt(stmt);
            }
            at += if both.is_some() { 2 } else { 1 };
        }
    }

    /// A sum, difference or product of integers, and whether the exact one is another.
    pub(super) fn with_overflow(&mut self, binary: Binary, x: Var, y: Var) -> [Value; 2] {
        let [x, y] = [x, y].map(|var| self.value(var));
        let (value, over) = if binary == Binary::Add {
            self.b.ins().sadd_overflow(x, y)
        } else if binary == Binary::Sub {
            self.b.ins().ssub_overflow(x, y)
        } else {
            self.b.ins().smul_overflow(x, y)
        };
        [value, over]
    }
}

/// A result and the flag of its overflow that stand one after the other, and what they are of.
pub(super) fn checked(block: &[Stmt], at: usize) -> Option<(Var, Var, Binary, Var, Var)> {
    let [Stmt::Let(result, Expr::Binary(binary, x, y)), Stmt::Let(over, Expr::Overflows(of, a, b)), ..] =
        &block[at..]
    else {
        return None;
    };
    ((binary, x, y) == (of, a, b)).then_some((*result, *over, *binary, *x, *y))
}
