//! Loops that several threads may share: the code writes down what the runtime cuts the loop by and calls it; where there is
//! little work it goes through the loop itself.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self, AbiParam, InstBuilder, MemFlagsData, Signature, StackSlot, StackSlotData, StackSlotKind, Value,
    types,
};
use cranelift_codegen::isa::CallConv;
use gw_base::Id;
use gw_runtime::Loop;

use super::context::{Emit, clif};
use crate::loops::{Callee, Share};

/// The native signature of a piece, that of [`gw_runtime::Run`].
pub(super) fn signature(call_conv: CallConv) -> Signature {
    let mut signature = Signature::new(call_conv);
    signature.params.extend([AbiParam::new(types::I64); 5]);
    signature
}

impl Emit<'_> {
    /// Defines the parameters of a piece: the first three come in registers, what it is given in memory.
    pub(super) fn take_run(&mut self, entry: ir::Block) {
        let func = self.func;
        let [_, given, first, count, own] = self.b.block_params(entry)[..] else { return };
        for (at, &param) in func.params.iter().enumerate() {
            let ty = clif(self.ty(param));
            let value = match at.checked_sub(3) {
                None => [first, count, own][at],
                Some(word) => self.b.ins().load(ty, MemFlagsData::trusted(), given, 8 * word as i32),
            };
            self.values[param.index()] = Some(value);
        }
    }

    pub(super) fn share(&mut self, share: &Share) {
        if share.body.is_empty() {
            return self.in_runs(share);
        }
        let (runs, one, after) = (self.block(), self.block(), self.block());
        let work = self.value(share.cut.work);
        let enough = self.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, work, share.cut.enough());
        self.b.ins().brif(enough, runs, &[], one, &[]);
        self.b.switch_to_block(runs);
        self.in_runs(share);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(one);
        self.in_one_run(share);
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
    }

    fn in_one_run(&mut self, share: &Share) {
        let (zero, stop) = (self.b.ins().iconst(types::I64, 0), self.value(share.stop));
        self.values[share.first.index()] = Some(zero);
        self.known[share.first.index()] = Some(0);
        self.values[share.count.index()] = Some(stop);
        self.known[share.count.index()] = self.known[share.stop.index()];
        if let Some(own) = share.own {
            self.values[own.start.index()] = Some(self.value(own.here));
        }
        self.stmts(&share.body);
    }

    /// Has the runtime cut the loop into runs.
    fn in_runs(&mut self, share: &Share) {
        let slot = self.words_of_loops(size_of::<Loop>() + 8 * share.cut.given.len());
        let nothing = self.b.ins().iconst(types::I64, 0);
        let [stop, work, fewest] = [share.stop, share.cut.work, share.cut.fewest].map(|var| self.value(var));
        let run = self.address_of_piece(share.cut.piece);
        let own = share.own.map_or(nothing, |own| self.value(own.here));
        let size = share.own.map_or(0, |own| own.size as i64);
        let [size, least] = [size, share.cut.least].map(|word| self.b.ins().iconst(types::I64, word));
        let fields: [(usize, Value); 7] = [
            (offset_of!(Loop, run), run),
            (offset_of!(Loop, own), own),
            (offset_of!(Loop, own_size), size),
            (offset_of!(Loop, stop), stop),
            (offset_of!(Loop, work), work),
            (offset_of!(Loop, least), least),
            (offset_of!(Loop, fewest), fewest),
        ];
        for (offset, value) in fields {
            self.b.ins().stack_store(types::I64, value, slot, offset as i32);
        }
        for (at, &var) in share.cut.given.iter().enumerate() {
            let value = self.value(var);
            self.b.ins().stack_store(types::I64, value, slot, (size_of::<Loop>() + 8 * at) as i32);
        }
        let told = self.b.ins().stack_addr(types::I64, slot, 0);
        let (function, context) = (self.outside(&Callee::Share), self.context);
        self.b.ins().call(function, &[context, told]);
    }

    /// Memory for so many bytes, which all shared loops of a function have in turn.
    fn words_of_loops(&mut self, size: usize) -> StackSlot {
        let size = size as u32;
        let slot = *self.told.get_or_insert_with(|| {
            let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 3);
            self.b.create_sized_stack_slot(data)
        });
        let data = &mut self.b.func.sized_stack_slots[slot];
        data.size = data.size.max(size);
        slot
    }

    fn address_of_piece(&mut self, piece: usize) -> Value {
        let function = self.pieces.pointed(self.shared[piece], signature(self.call_conv), self.b.func);
        self.b.ins().func_addr(types::I64, function)
    }
}
