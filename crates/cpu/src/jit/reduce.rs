//! Reductions: as many totals as a register of 512 bits has lanes, each of every n-th element, put together by
//! halves at the end. The order is the same on every machine, and so is each digit.

use cranelift_codegen::ir::Block;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Value, types};
use gw_base::Id;

use super::context::{Emit, clif};
use super::simd::{Done, Totals};
use crate::loops::{Arm, Lanewise, Ty, Var};

impl Emit<'_> {
    /// `out` becomes the elements that `body` gives, taken together.
    pub(super) fn reduce(&mut self, how: Lanewise, (iv, stop): (Var, Var), init: Var, body: &Arm, out: Var) {
        let [element] = body.results[..] else { return };
        let ty = self.ty(out);
        let count = Lanewise::lanes(self.ty(element));
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, (count * ty.size()) as u32, 3);
        let totals = Totals { how, ty, count, slot: self.b.create_sized_stack_slot(data) };
        let after = self.b.create_block();
        let given = self.b.append_block_param(after, clif(ty));
        if self.known[stop.index()].is_none() {
            self.few(&totals, (iv, stop), init, body, after);
        }
        match self.reduce_in_wide_lanes(&totals, iv, stop, body) {
            Done::All => {}
            Done::Some(start) => self.one_by_one(&totals, start, (iv, stop), body),
            Done::Nothing => {
                self.clear(&totals);
                let zero = self.b.ins().iconst(types::I64, 0);
                self.one_by_one(&totals, zero, (iv, stop), body);
            }
        }
        let (before, total) = (self.value(init), self.halved(&totals));
        let total = self.combine(how, before, total);
        self.b.ins().jump(after, &[total.into()]);
        self.b.switch_to_block(after);
        self.values[out.index()] = Some(given);
    }

    /// The total of no elements.
    fn identity(&mut self, how: Lanewise, ty: Ty) -> Value {
        let value = how.identity();
        if ty == Ty::F32 { self.b.ins().f32const(value as f32) } else { self.b.ins().f64const(value) }
    }

    /// Goes on to `after` if there are few elements, which are taken in order.
    fn few(&mut self, totals: &Totals, (iv, stop): (Var, Var), init: Var, body: &Arm, after: Block) {
        let ty = clif(totals.ty);
        let [long, short, again] = [(); 3].map(|()| self.b.create_block());
        let (before, last) = (self.value(init), self.value(stop));
        let many = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, last, Lanewise::LONG);
        self.b.ins().brif(many, long, &[], short, &[]);
        self.b.switch_to_block(short);
        let zero = self.b.ins().iconst(types::I64, 0);
        let any = self.b.ins().icmp(IntCC::SignedLessThan, zero, last);
        self.b.ins().brif(any, again, &[zero.into(), before.into()], after, &[before.into()]);
        let (counter, total) =
            (self.b.append_block_param(again, types::I64), self.b.append_block_param(again, ty));
        self.b.switch_to_block(again);
        let element = self.element(totals, iv, counter, body);
        let total = self.combine(totals.how, total, element);
        let next = self.b.ins().iadd_imm_s(counter, 1);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, last);
        self.b.ins().brif(more, again, &[next.into(), total.into()], after, &[total.into()]);
        self.b.switch_to_block(long);
    }

    /// The element of this count, in the type of the totals.
    fn element(&mut self, totals: &Totals, iv: Var, counter: Value, body: &Arm) -> Value {
        self.values[iv.index()] = Some(counter);
        self.stmts(&body.block);
        let element = self.value(body.results[0]);
        let widens = self.ty(body.results[0]) == Ty::F32 && totals.ty == Ty::F64;
        if widens { self.b.ins().fpromote(types::F64, element) } else { element }
    }

    /// Every total begins as the identity.
    fn clear(&mut self, totals: &Totals) {
        let identity = self.identity(totals.how, totals.ty);
        for lane in 0..totals.count {
            let offset = (lane * totals.ty.size()) as i32;
            self.b.ins().stack_store(types::I64, identity, totals.slot, offset);
        }
    }

    /// Takes the elements from `start` on into the totals.
    fn one_by_one(&mut self, totals: &Totals, start: Value, (iv, stop): (Var, Var), body: &Arm) {
        let size = totals.ty.size();
        let (again, after) = (self.b.create_block(), self.b.create_block());
        let counter = self.b.append_block_param(again, types::I64);
        let last = self.value(stop);
        let any = self.b.ins().icmp(IntCC::SignedLessThan, start, last);
        self.b.ins().brif(any, again, &[start.into()], after, &[]);
        self.b.switch_to_block(again);
        let element = self.element(totals, iv, counter, body);
        let lane = self.b.ins().band_imm_s(counter, totals.count as i64 - 1);
        let offset = self.b.ins().imul_imm_s(lane, size as i64);
        let start = self.b.ins().stack_addr(types::I64, totals.slot, 0);
        let at = self.b.ins().iadd(start, offset);
        let total = self.b.ins().load(clif(totals.ty), MemFlagsData::trusted(), at, 0);
        let total = self.combine(totals.how, total, element);
        self.b.ins().store(MemFlagsData::trusted(), total, at, 0);
        let next = self.b.ins().iadd_imm_s(counter, 1);
        let more = self.b.ins().icmp(IntCC::SignedLessThan, next, last);
        self.b.ins().brif(more, again, &[next.into()], after, &[]);
        self.b.switch_to_block(after);
    }

    /// The totals together: the upper half of them is added to the lower, until one is left.
    fn halved(&mut self, totals: &Totals) -> Value {
        let (ty, size) = (clif(totals.ty), totals.ty.size());
        let lane = |lane: usize| (lane * size) as i32;
        let mut left: Vec<Value> = (0..totals.count)
            .map(|at| self.b.ins().stack_load(types::I64, ty, totals.slot, lane(at)))
            .collect();
        while left.len() > 1 {
            let upper = left.split_off(left.len() / 2);
            for (total, other) in left.iter_mut().zip(upper) {
                *total = self.combine(totals.how, *total, other);
            }
        }
        left[0]
    }

    /// A total and one more element.
    fn combine(&mut self, how: Lanewise, total: Value, element: Value) -> Value {
        let better = match how {
            Lanewise::Sum => return self.b.ins().fadd(total, element),
            Lanewise::Greatest => FloatCC::GreaterThanOrEqual,
            Lanewise::Least => FloatCC::LessThanOrEqual,
        };
        let stays = self.b.ins().fcmp(better, total, element);
        let nan = self.b.ins().fcmp(FloatCC::NotEqual, total, total);
        let stays = self.b.ins().bor(stays, nan);
        self.b.ins().select(stays, total, element)
    }
}
