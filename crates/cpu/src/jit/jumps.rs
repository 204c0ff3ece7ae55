//! Choices as jumps. A loop goes on by jumps: a test that was put together of several is as many jumps, each of which the
//! machine foresees.

use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use gw_base::Id;

use super::context::{Emit, Logic, clif};
use crate::loops::{Arm, Binary, Expr, Ty, Unary, Var};

/// Tests are taken apart so often: what was put together again and again would become more jumps than there is room for.
const DEEPEST: usize = 4;

/// A block with what it takes.
pub(super) type Target<'t> = (Block, &'t [BlockArg]);

impl Emit<'_> {
    /// Notes how a value of this type was made.
    pub(super) fn note_logic(&mut self, ty: Ty, expr: &Expr, made: Value) {
        let logic = match *expr {
            Expr::Unary(Unary::Not, x) if ty == Ty::Bool => Logic::Not(self.value(x)),
            Expr::Binary(Binary::And, x, y) if ty == Ty::Bool => Logic::Both(self.value(x), self.value(y)),
            Expr::Unary(..) | Expr::Binary(..) | Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) => return,
            Expr::Field(_)
            | Expr::Overflows(..)
            | Expr::Compare(..)
            | Expr::Select(..)
            | Expr::Convert(_) => return,
            Expr::Load(..) | Expr::Offset(..) | Expr::Call(..) | Expr::Room => return,
        };
        self.logic.insert(made, logic);
    }

    /// Ends a block by a jump to one of two.
    pub(super) fn jump(&mut self, test: Value, holds: Target, fails: Target) {
        self.jump_by_parts(test, holds, fails, DEEPEST);
    }

    fn jump_by_parts(&mut self, test: Value, holds: Target, fails: Target, levels: usize) {
        match self.logic.get(&test).copied() {
            Some(Logic::Not(x)) if levels > 0 => self.jump_by_parts(x, fails, holds, levels - 1),
            Some(Logic::Both(x, y)) if levels > 0 => {
                let next = self.block();
                self.jump_by_parts(x, (next, &[]), fails, levels - 1);
                self.b.switch_to_block(next);
                self.jump_by_parts(y, holds, fails, levels - 1);
            }
            Some(_) | None => {
                self.b.ins().brif(test, holds.0, holds.1, fails.0, fails.1);
            }
        }
    }

    /// A choice by a slow test is a jump: what follows begins with the likely value instead of waiting for the test.
    pub(super) fn jump_select(&mut self, test: Var, x: Var, y: Var) -> Value {
        let after = self.block();
        let value = self.b.append_block_param(after, clif(self.ty(x)));
        let [test, x, y] = [test, x, y].map(|var| self.value(var));
        self.b.ins().brif(test, after, &[x.into()], after, &[y.into()]);
        self.b.switch_to_block(after);
        value
    }

    /// A choice by a test that hardly ever chooses anything but this one: what follows begins with that.
    pub(super) fn record(&mut self, test: Var, [x, y]: [Var; 2], likely: Var) -> Value {
        let (after, beyond) = (self.block(), self.block());
        let value = self.b.append_block_param(after, clif(self.ty(x)));
        let stays = [self.value(likely).into()];
        let test = self.value(test);
        let other = if x == likely {
            self.b.ins().brif(test, after, &stays, beyond, &[]);
            y
        } else {
            self.b.ins().brif(test, beyond, &[], after, &stays);
            x
        };
        self.b.set_cold_block(beyond);
        self.b.switch_to_block(beyond);
        let other = self.value(other).into();
        self.b.ins().jump(after, &[other]);
        self.b.switch_to_block(after);
        value
    }

    pub(super) fn if_(&mut self, test: Var, cold: bool, arms: [&Arm; 2], outs: &[Var]) {
        let outside = self.cold;
        let [otherwise, after] = [self.block(), self.block_for(outs)];
        self.cold |= cold;
        let then = self.block();
        let test = self.value(test);
        match self.logic.get(&test) {
            Some(&Logic::Not(test)) => self.b.ins().brif(test, otherwise, &[], then, &[]),
            Some(Logic::Both(..)) | None => self.b.ins().brif(test, then, &[], otherwise, &[]),
        };
        for (block, arm) in [then, otherwise].into_iter().zip(arms) {
            self.b.switch_to_block(block);
            self.stmts(&arm.block);
            let args = self.args(arm.results.iter().copied());
            self.b.ins().jump(after, &args);
            for (out, result) in outs.iter().zip(&arm.results) {
                self.slow[out.index()] |= self.slow[result.index()];
            }
            self.cold = outside;
        }
        self.enter(after, outs);
    }
}
