//! How loops ask the host whether to go on: by a call that keeps every register, so that what a loop carries stays in
//! registers although the call stands inside it.

use std::mem::offset_of;
use std::sync::LazyLock;

use cranelift_codegen::Context as Codegen;
use cranelift_codegen::ir::{AbiParam, InstBuilder, MemFlagsData, Signature, types};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use gw_base::Broken;
use gw_runtime::{Context, services};

/// Where the answer is put: the count of iterations begins anew with each question.
pub(super) const ANSWER: i32 = offset_of!(Context, ticks) as i32;

/// The address of the caller of `services::poll`; it is made once and stays.
static ADDRESS: LazyLock<Result<usize, Broken>> = LazyLock::new(make);

/// The address of a function with this [`signature`], which puts the answer at [`ANSWER`].
pub(super) fn address() -> Result<usize, Broken> {
    ADDRESS.clone()
}

/// Takes the context, gives nothing, keeps all registers.
pub(super) fn signature() -> Signature {
    let mut signature = Signature::new(CallConv::PreserveAll);
    signature.params.push(AbiParam::new(types::I64));
    signature
}

fn make() -> Result<usize, Broken> {
    let broken = |what: String| Broken::new("jit", what);
    let isa = super::ISA.as_ref().map_err(|e| broken(e.clone()))?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), default_libcall_names()));
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
    let asked = b.import_signature(asked);
    let host = b.ins().iconst(types::I64, services::poll as *const () as i64);
    let call = b.ins().call_indirect(asked, host, &[context]);
    let answer = b.inst_results(call)[0];
    b.ins().store(MemFlagsData::trusted(), answer, context, ANSWER);
    b.ins().return_(&[]);
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
    let signature = codegen.func.signature.clone();
    let id =
        module.declare_function("poll", Linkage::Export, &signature).map_err(|e| broken(e.to_string()))?;
    module.define_function(id, &mut codegen).map_err(|e| broken(format!("{e:?}")))?;
    module.finalize_definitions().map_err(|e| broken(e.to_string()))?;
    Ok(module.get_finalized_function(id).expose_provenance())
}
