//! Calls that hardly ever happen and keep every register, so that what a loop carries stays in registers although they stand
//! inside it: how loops ask the host whether to go on, and the runtime for memory, and the functions of angles for which the
//! steps that stand in their place do not hold.

use std::mem::offset_of;
use std::sync::LazyLock;

use cranelift_codegen::Context as Codegen;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, FuncRef, InstBuilder, MemFlagsData, Signature, StackSlotData, StackSlotKind,
    Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gw_base::Broken;
use gw_kernels::{Angle, MathFloat};
use gw_runtime::Context;

use super::context::{Emit, clif};
use super::isa::ISA;
use super::object::{Object, Pieces, Symbol};
use crate::loops::Callee;

/// Offset of the word for the host's answer: the count of iterations begins anew with each question.
const ANSWER: i32 = offset_of!(Context, ticks) as i32;

/// A callee. Its last argument is the address for its result; the host's answer is put into the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColdCall {
    Poll,
    Grow,
    Extend,
    /// Of double precision.
    Angle(Angle),
}

impl ColdCall {
    /// Gives nothing and keeps all registers.
    fn signature(self) -> Signature {
        let mut signature = Signature::new(CallConv::PreserveAll);
        signature.params.extend(self.callee().signature().0.into_iter().map(|ty| AbiParam::new(clif(ty))));
        if self != ColdCall::Poll {
            signature.params.push(AbiParam::new(types::I64));
        }
        signature
    }

    fn callee(self) -> Callee {
        match self {
            ColdCall::Poll => Callee::Poll,
            ColdCall::Grow => Callee::Grow,
            ColdCall::Extend => Callee::Extend,
            ColdCall::Angle(angle) => Callee::Kernel(angle.function(MathFloat::F64)),
        }
    }

    /// A function with this [`signature`](Self::signature).
    pub(super) fn object(self) -> Result<&'static Object, Broken> {
        static POLL: LazyLock<Result<Object, Broken>> = LazyLock::new(|| ColdCall::Poll.make());
        static GROW: LazyLock<Result<Object, Broken>> = LazyLock::new(|| ColdCall::Grow.make());
        static EXTEND: LazyLock<Result<Object, Broken>> = LazyLock::new(|| ColdCall::Extend.make());
        static SIN: LazyLock<Result<Object, Broken>> = LazyLock::new(|| ColdCall::Angle(Angle::Sin).make());
        static COS: LazyLock<Result<Object, Broken>> = LazyLock::new(|| ColdCall::Angle(Angle::Cos).make());
        static TAN: LazyLock<Result<Object, Broken>> = LazyLock::new(|| ColdCall::Angle(Angle::Tan).make());
        let made = match self {
            ColdCall::Poll => &POLL,
            ColdCall::Grow => &GROW,
            ColdCall::Extend => &EXTEND,
            ColdCall::Angle(Angle::Sin) => &SIN,
            ColdCall::Angle(Angle::Cos) => &COS,
            ColdCall::Angle(Angle::Tan) => &TAN,
        };
        made.as_ref().map_err(Clone::clone)
    }

    fn make(self) -> Result<Object, Broken> {
        let isa = ISA.as_ref().map_err(|e| Broken::new("jit", e))?;
        let mut pieces = Pieces::default();
        let piece = pieces.declare();
        let mut codegen = Codegen::new();
        codegen.func.signature = self.signature();
        let mut scratch = FunctionBuilderContext::new();
        let mut b = FunctionBuilder::new(&mut codegen.func, &mut scratch);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let given = b.block_params(entry).to_vec();
        let (mut outside, (params, result)) =
            (Signature::new(isa.default_call_conv()), self.callee().signature());
        let takes = params.len();
        outside.params.extend(params.into_iter().map(|ty| AbiParam::new(clif(ty))));
        outside.returns.extend(result.map(|ty| AbiParam::new(clif(ty))));
        let signature = b.import_signature(outside);
        let name = pieces.name(Symbol::Callee(self.callee()), b.func);
        let function = b.import_function(ExtFuncData { name, signature, colocated: false, patchable: false });
        let call = b.ins().call(function, &given[..takes]);
        let found = b.inst_results(call)[0];
        let at = if self == ColdCall::Poll { ANSWER } else { 0 };
        b.ins().store(MemFlagsData::trusted(), found, given[given.len() - 1], at);
        b.ins().return_(&[]);
        b.seal_all_blocks();
        b.finalize(isa.frontend_config());
        pieces.define(piece, &mut codegen)?;
        pieces.finish(piece)
    }
}

impl Emit<'_> {
    /// Asks the host whether to go on.
    pub(super) fn poll(&mut self) -> Value {
        let context = self.context;
        self.cold_call(ColdCall::Poll, &[context]);
        self.b.ins().load(types::I8, MemFlagsData::trusted(), context, ANSWER)
    }

    /// The result of a call that preserves every register.
    pub(super) fn call_cold(&mut self, callee: ColdCall, args: &[Value]) -> Value {
        let gives = callee.callee().signature().1.map_or(types::I64, clif);
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
        let slot = self.b.create_sized_stack_slot(data);
        let to = self.b.ins().stack_addr(types::I64, slot, 0);
        let given: Vec<Value> = args.iter().copied().chain([to]).collect();
        self.cold_call(callee, &given);
        self.b.ins().stack_load(types::I64, gives, slot, 0)
    }

    fn cold_call(&mut self, callee: ColdCall, given: &[Value]) {
        match self.cold_function(callee) {
            Ok(function) => drop(self.b.ins().call(function, given)),
            Err(broken) => self.broken = Some(broken),
        }
    }

    fn cold_function(&mut self, callee: ColdCall) -> Result<FuncRef, Broken> {
        let piece = self.pieces.embed(callee.object()?);
        if let Some((_, function)) = self.cold_calls.iter().find(|(other, _)| *other == piece) {
            return Ok(*function);
        }
        let function = self.pieces.called(piece, callee.signature(), self.b.func);
        self.cold_calls.push((piece, function));
        Ok(function)
    }
}
