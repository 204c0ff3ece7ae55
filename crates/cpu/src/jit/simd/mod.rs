//! Loops in SIMD registers of 512 or 256 bits, for machines that have them: an emitter of our own, since Cranelift's registers
//! have 128.
//!
//! A loop becomes a function of its own, of a block of words (the numbers that it is given, then the addresses of its
//! streams) and the count of elements. What is left behind the last whole iteration runs under a mask. An
//! iteration that meets a number for which its steps do not hold is left before it has stored anything; from there
//! on elements run one by one.

mod code;
mod encode;
mod formula;
mod instruction;
mod integers;
mod narrow;
mod pairs;
mod places;
mod program;
#[cfg(test)]
mod random;
mod registers;
mod tables;
mod ternary;
#[cfg(test)]
mod tests;
mod totals;
mod usual;
mod vectors;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, BlockArg, FuncRef, InstBuilder, Signature, StackSlot, StackSlotData, StackSlotKind, Type,
    Value, types,
};
use gw_base::Id;

use super::context::Emit;
use super::lanes::Lanes;
use super::sums::{Sums, Taken, Together};
use crate::loops::{Arm, Lanewise, Stmt, Ty, Var};
use program::Program;
pub(crate) use vectors::Vectors;

/// A known count of elements below this is done sooner without a call.
const FEW: i64 = 16;

/// The part of a loop that the wide registers have computed.
pub(super) enum Done {
    Nothing,
    All,
    /// So many elements, or all if it is more than there are; those behind are to be computed one by one.
    Some(Value),
}

/// The totals of a reduction, in memory.
#[derive(Clone, Copy)]
pub(super) struct Totals {
    pub(super) how: Lanewise,
    /// Their type.
    pub(super) ty: Ty,
    /// Their number.
    pub(super) count: usize,
    pub(super) slot: StackSlot,
}

impl Emit<'_> {
    /// Runs a loop if that is possible and worth it.
    pub(super) fn in_wide_lanes(&mut self, lanes: &Lanes, iv: Var, stop: Var, body: &Arm) -> Done {
        let few = self.known[stop.index()].is_some_and(|count| count < FEW);
        let Some(vectors) = self.vectors.filter(|_| !few || lanes.calls()) else { return Done::Nothing };
        let Some(program) = Program::of(vectors, self.func, lanes, iv, body) else { return Done::Nothing };
        let program = program.with_pairs(|stream| self.first_element(body, stream)).with_ternaries();
        let program = program.with_usual(self.func, lanes, iv, body);
        let of_all = || program.general.as_deref().and_then(registers::code);
        let Some(written) = registers::code(&program).or_else(of_all) else { return Done::Nothing };
        let function = self.wide_function(&written.bytes, &program);
        let stop = self.value(stop);
        let (run, after) = (self.b.create_block(), self.b.create_block());
        let done = self.b.append_block_param(after, types::I64);
        let zero = self.b.ins().iconst(types::I64, 0);
        let any = self.b.ins().icmp(IntCC::SignedGreaterThan, stop, zero);
        self.b.ins().brif(any, run, &[], after, &[zero.into()]);
        self.b.switch_to_block(run);
        let block = self.wide_words(&program, written.kept, lanes, (iv, body), None);
        let call = self.b.ins().call(function, &[block, stop]);
        let left = self.b.inst_results(call).first().copied();
        self.b.ins().jump(after, &[left.unwrap_or(stop).into()]);
        self.b.switch_to_block(after);
        if left.is_some() { Done::Some(done) } else { Done::All }
    }

    /// Takes the elements of a loop that has some together, into the totals, if that is possible.
    pub(super) fn reduce_in_wide_lanes(&mut self, totals: &Totals, iv: Var, stop: Var, body: &Arm) -> Done {
        let Some(vectors) = self.vectors else { return Done::Nothing };
        let Some(lanes) = self.lanes_of(iv, body) else { return Done::Nothing };
        let program = Program::reducing(vectors, self.func, &lanes, (iv, body), totals.how);
        let Some(program) = program else { return Done::Nothing };
        let program = program.with_pairs(|stream| self.first_element(body, stream));
        let Some(written) = registers::code(&program) else { return Done::Nothing };
        let function = self.wide_function(&written.bytes, &program);
        let block = self.wide_words(&program, written.kept, &lanes, (iv, body), Some(totals.slot));
        let stop = self.value(stop);
        let call = self.b.ins().call(function, &[block, stop]);
        self.b.inst_results(call).first().map_or(Done::All, |&left| Done::Some(left))
    }

    /// Takes the integers of a loop together, if that is possible and there are enough; gives the turn from which on they are taken one
    /// by one, and the totals until then.
    pub(super) fn sum_in_wide_lanes(
        &mut self,
        sums: &Sums,
        inits: &[Value],
        (iv, stop): (Var, Var),
    ) -> Option<(Value, Vec<Value>)> {
        let few = self.known[stop.index()].is_some_and(|count| count < FEW);
        let vectors = self.vectors.filter(|_| !few)?;
        let lanes = self.lanes_of(iv, &sums.body).filter(|lanes| !lanes.leaves())?;
        let program = Program::summing(vectors, self.func, &lanes, iv, sums)?;
        let written = registers::code(&program)?;
        let function = self.wide_function(&written.bytes, &program);
        let stop = self.value(stop);
        let (run, after) = (self.b.create_block(), self.b.create_block());
        let begin = self.b.append_block_param(after, types::I64);
        let types: Vec<_> = inits.iter().map(|&init| self.b.func.dfg.value_type(init)).collect();
        let totals = types.iter().map(|&ty| self.b.append_block_param(after, ty)).collect();
        let (zero, least) = (self.b.ins().iconst(types::I64, 0), FEW);
        let many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, stop, least);
        let as_args = |first: Value, totals: &[Value]| -> Vec<BlockArg> {
            std::iter::once(first).chain(totals.iter().copied()).map(Into::into).collect()
        };
        self.b.ins().brif(many, run, &[], after, &as_args(zero, inits));
        self.b.switch_to_block(run);
        let bytes = vectors.bytes * sums.taken.len();
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4);
        let slot = self.b.create_sized_stack_slot(data);
        let block = self.wide_words(&program, written.kept, &lanes, (iv, &sums.body), Some(slot));
        self.b.ins().call(function, &[block, stop]);
        let joined = inits.iter().zip(&sums.taken).enumerate();
        let joined = joined.map(|(at, (&init, &Taken { how, .. }))| {
            let total = self.folded(how, types[at], (slot, vectors.bytes * at));
            self.together(how, init, total)
        });
        let joined: Vec<Value> = joined.collect();
        self.b.ins().jump(after, &as_args(stop, &joined));
        self.b.switch_to_block(after);
        Some((begin, totals))
    }

    /// All lanes of a register in memory together.
    fn folded(&mut self, how: Together, ty: Type, (slot, at): (StackSlot, usize)) -> Value {
        let quarter = ty.by(16 / ty.bytes()).unwrap_or(ty);
        let quarters: Vec<Value> = (0..4)
            .map(|n| self.b.ins().stack_load(types::I64, quarter, slot, (at + 16 * n) as i32))
            .collect();
        let mut together = |x: Value, y: Value| self.together(how, x, y);
        let [one, other] = [[0, 1], [2, 3]].map(|[x, y]| together(quarters[x], quarters[y]));
        let lanes = together(one, other);
        let lanes: Vec<Value> =
            (0..16 / ty.bytes()).map(|lane| self.b.ins().extractlane(lanes, lane as u8)).collect();
        lanes[1..].iter().fold(lanes[0], |all, &lane| self.together(how, all, lane))
    }

    /// Two integers together, or those of each lane.
    fn together(&mut self, how: Together, x: Value, y: Value) -> Value {
        let better = match how {
            Together::Binary(binary) => return self.binary_on(binary, false, x, y),
            Together::Greatest => IntCC::SignedGreaterThan,
            Together::Least => IntCC::SignedLessThan,
        };
        let test = self.b.ins().icmp(better, x, y);
        let is_vector = self.b.func.dfg.value_type(x).is_vector();
        if is_vector { self.b.ins().bitselect(test, x, y) } else { self.b.ins().select(test, x, y) }
    }

    /// The function that these bytes are.
    fn wide_function(&mut self, code: &[u8], program: &Program) -> FuncRef {
        let mut signature = Signature::new(self.call_conv);
        signature.params.extend([AbiParam::new(types::I64); 2]);
        signature.returns.extend(program.leaves().then(|| AbiParam::new(types::I64)));
        let piece = self.pieces.of_bytes(code);
        self.pieces.called(piece, signature, self.b.func)
    }

    /// The words that the loop is given, computed as its first iteration would, and behind them so many bytes for
    /// what it keeps.
    fn wide_words(
        &mut self,
        program: &Program,
        kept: usize,
        lanes: &Lanes,
        (iv, body): (Var, &Arm),
        totals: Option<StackSlot>,
    ) -> Value {
        let bytes = (program.kept(0) + kept) as u32;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes, 4);
        let slot = self.b.create_sized_stack_slot(data);
        let first = self.b.ins().iconst(types::I64, 0);
        self.values[iv.index()] = Some(first);
        for stmt in &body.block {
            if let Stmt::Let(var, expr) = stmt
                && lanes.kind(*var).is_number()
            {
                self.define(*var, expr);
            }
        }
        let mut at = 0;
        for &var in &program.given {
            let value = self.given_word(program, var);
            let size = self.b.func.dfg.value_type(value).bytes() as usize;
            for part in 0..program.vectors.given_bytes().div_ceil(size.max(8)) {
                self.b.ins().stack_store(types::I64, value, slot, at + (size * part) as i32);
            }
            at += program.vectors.given_bytes() as i32;
        }
        for &(ptr, index, ty) in &program.streams {
            let (base, offset) = self.address(ptr, index, ty.size());
            let address = self.b.ins().iadd_imm_s(base, i64::from(offset));
            self.b.ins().stack_store(types::I64, address, slot, at);
            at += 8;
        }
        let size = program.vectors.bytes;
        for register in 0..program.totals() {
            if let Some(totals) = totals {
                let address = self.b.ins().stack_addr(types::I64, totals, (size * register) as i32);
                self.b.ins().stack_store(types::I64, address, slot, at);
                at += 8;
            }
        }
        self.b.ins().stack_addr(types::I64, slot, 0)
    }

    /// A number that the loop is given: as a word, or for each lane where who reads it does not spread it.
    fn given_word(&mut self, program: &Program, var: Var) -> Value {
        let (value, is_bool) = (self.value(var), self.ty(var) == Ty::Bool);
        if program.vectors.has_masks() {
            let is_short = self.b.func.dfg.value_type(value).bytes() < 4;
            return if is_short { self.b.ins().uextend(types::I64, value) } else { value };
        }
        let ty = if program.ty == Ty::F64 { types::I64 } else { types::I32 };
        let value = if is_bool { self.b.ins().uextend(ty, value) } else { value };
        let ty = self.b.func.dfg.value_type(value);
        let lanes = 16 / ty.bytes();
        match ty.by(lanes) {
            Some(ty) => self.b.ins().splat(ty, value),
            None => value,
        }
    }
}
