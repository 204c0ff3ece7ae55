//! Loops in lanes of 512 bits, for machines that have them: an emitter of our own, since Cranelift's registers have 128.
//!
//! A loop becomes a function of its own, of a block of words (the numbers that it is given, then the addresses of its
//! streams) and the count of elements. What is left behind the last whole register runs under a mask. A turn that meets a
//! number for which its steps do not hold is left before it has stored anything; from there on elements run one by one.

mod code;
mod program;
mod registers;
mod totals;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, FuncRef, InstBuilder, Signature, StackSlotData, StackSlotKind, Value, types,
};
use gw_base::Id;

use super::emit::Emit;
use super::lanes::{Kind, Lanes};
use super::reduce::Totals;
use crate::loops::{Arm, Stmt, Ty, Var};
use program::Program;

/// A known count of elements below this is done sooner without a call.
const FEW: i64 = 16;

/// Whether this machine has the registers.
pub(super) fn here() -> bool {
    #[cfg(all(target_arch = "x86_64", unix))]
    {
        use std::arch::is_x86_feature_detected as has;
        has!("avx512f") && has!("avx512dq") && has!("bmi2")
    }
    #[cfg(not(all(target_arch = "x86_64", unix)))]
    {
        false
    }
}

/// What lanes of 512 bits have done of a loop.
pub(super) enum Done {
    Nothing,
    All,
    /// So many elements, or all if it is more than there are; those behind are to be computed one by one.
    Some(Value),
}

impl Emit<'_> {
    /// Runs a loop if that is possible and worth it.
    pub(super) fn in_wide_lanes(&mut self, lanes: &Lanes, iv: Var, stop: Var, body: &Arm) -> Done {
        let few = self.known[stop.index()].is_some_and(|count| count < FEW);
        if !self.wide || few && !lanes.calls() {
            return Done::Nothing;
        }
        let Some(program) = Program::of(self.func, lanes, body) else { return Done::Nothing };
        let Some(code) = registers::code(&program) else { return Done::Nothing };
        let function = self.wide_function(&code, &program);
        let stop = self.value(stop);
        let (run, after) = (self.b.create_block(), self.b.create_block());
        let done = self.b.append_block_param(after, types::I64);
        let zero = self.b.ins().iconst(types::I64, 0);
        let any = self.b.ins().icmp(IntCC::SignedGreaterThan, stop, zero);
        self.b.ins().brif(any, run, &[], after, &[zero.into()]);
        self.b.switch_to_block(run);
        let block = self.wide_words(&program, lanes, iv, body, None);
        let call = self.b.ins().call(function, &[block, stop]);
        let left = self.b.inst_results(call).first().copied();
        self.b.ins().jump(after, &[left.unwrap_or(stop).into()]);
        self.b.switch_to_block(after);
        if left.is_some() { Done::Some(done) } else { Done::All }
    }

    /// Takes the elements of a loop that has some together, into the totals, if that is possible.
    pub(super) fn reduce_in_wide_lanes(&mut self, totals: &Totals, iv: Var, stop: Var, body: &Arm) -> Done {
        let lanes = if self.wide { Lanes::of(self.func, iv, body) } else { None };
        let Some(lanes) = lanes else { return Done::Nothing };
        let program = Program::reducing(self.func, &lanes, body, totals.how);
        let Some(program) = program else { return Done::Nothing };
        let Some(code) = registers::code(&program) else { return Done::Nothing };
        let function = self.wide_function(&code, &program);
        let (block, stop) = (self.wide_words(&program, &lanes, iv, body, Some(totals)), self.value(stop));
        let call = self.b.ins().call(function, &[block, stop]);
        self.b.inst_results(call).first().map_or(Done::All, |&left| Done::Some(left))
    }

    /// The function that these bytes are.
    fn wide_function(&mut self, code: &[u8], program: &Program) -> FuncRef {
        let mut signature = Signature::new(self.call_conv);
        signature.params.extend([AbiParam::new(types::I64); 2]);
        signature.returns.extend(program.leaves().then(|| AbiParam::new(types::I64)));
        let piece = self.pieces.of_bytes(code);
        self.pieces.called(piece, signature, self.b.func)
    }

    /// The words that the loop is given, computed as its first turn would.
    fn wide_words(
        &mut self,
        program: &Program,
        lanes: &Lanes,
        iv: Var,
        body: &Arm,
        totals: Option<&Totals>,
    ) -> Value {
        let words = (program.given.len() + program.streams.len() + program.totals()) as u32;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8 * words, 3);
        let slot = self.b.create_sized_stack_slot(data);
        let first = self.b.ins().iconst(types::I64, 0);
        self.values[iv.index()] = Some(first);
        for stmt in &body.block {
            if let Stmt::Let(var, expr) = stmt
                && matches!(lanes.kind(*var), Kind::Uniform | Kind::Linear)
            {
                self.define(*var, expr);
            }
        }
        let mut at = 0;
        for &var in &program.given {
            let value = self.value(var);
            let value =
                if self.ty(var) == Ty::Bool { self.b.ins().uextend(types::I64, value) } else { value };
            self.b.ins().stack_store(types::I64, value, slot, at);
            at += 8;
        }
        for &(ptr, index) in &program.streams {
            let (base, offset) = self.address(ptr, index, program.ty.size());
            let address = self.b.ins().iadd_imm_s(base, i64::from(offset));
            self.b.ins().stack_store(types::I64, address, slot, at);
            at += 8;
        }
        for register in 0..program.totals() {
            if let Some(totals) = totals {
                let address = self.b.ins().stack_addr(types::I64, totals.slot, 64 * register as i32);
                self.b.ins().stack_store(types::I64, address, slot, at);
                at += 8;
            }
        }
        self.b.ins().stack_addr(types::I64, slot, 0)
    }
}
