//! How loops ask the host whether to go on: by a call that keeps every register, so that what a loop carries stays in
//! registers although the call stands inside it.

use std::mem::offset_of;

use cranelift_codegen::Context as Codegen;
use cranelift_codegen::ir::{
    AbiParam, ExtFuncData, FuncRef, InstBuilder, MemFlagsData, Signature, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gw_base::Broken;
use gw_runtime::Context;

use super::emit::Emit;
use super::object::{Object, Pieces, Symbol};
use crate::loops::Callee;

/// Where the answer is put: the count of iterations begins anew with each question.
pub(super) const ANSWER: i32 = offset_of!(Context, ticks) as i32;

/// Takes the context, gives nothing, keeps all registers.
pub(super) fn signature() -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.push(AbiParam::new(types::I64));
    signature
}

/// A function with this [`signature`], which puts the answer at [`ANSWER`].
pub(super) fn make() -> Result<Object, Broken> {
    let isa = super::ISA.as_ref().map_err(|e| Broken::new("jit", e))?;
    let mut pieces = Pieces::default();
    let piece = pieces.declare();
    let mut codegen = Codegen::new();
    codegen.func.signature = signature();
    let mut scratch = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut codegen.func, &mut scratch);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let context = b.block_params(entry)[0];
    let mut asked = Signature::new(isa.default_call_conv());
    asked.params.push(AbiParam::new(types::I64));
    asked.returns.push(AbiParam::new(types::I8));
    let signature = b.import_signature(asked);
    let name = pieces.name(Symbol::Callee(Callee::Poll), b.func);
    let host = b.import_function(ExtFuncData { name, signature, colocated: false, patchable: false });
    let call = b.ins().call(host, &[context]);
    let answer = b.inst_results(call)[0];
    b.ins().store(MemFlagsData::trusted(), answer, context, ANSWER);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
    pieces.define(piece, &mut codegen)?;
    pieces.finish(piece)
}

impl Emit<'_> {
    /// Whether to go on.
    pub(super) fn poll(&mut self) -> Value {
        let context = self.context;
        match self.poll_function() {
            Ok(function) => drop(self.b.ins().call(function, &[context])),
            Err(broken) => self.broken = Some(broken),
        }
        self.b.ins().load(types::I8, MemFlagsData::trusted(), context, ANSWER)
    }

    fn poll_function(&mut self) -> Result<FuncRef, Broken> {
        if let Some(function) = self.poll {
            return Ok(function);
        }
        let piece = self.pieces.poll()?;
        let function = self.pieces.called(piece, signature(), self.b.func);
        self.poll = Some(function);
        Ok(function)
    }
}
