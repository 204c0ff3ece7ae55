//! Machine code from loop IR, by Cranelift: the only room that names it.
#![allow(unsafe_code, reason = "hands out the address of the code that it makes")]

mod emit;
mod expr;
mod jumps;
mod lanes;
mod link;
pub(crate) mod llvm;
mod object;
mod poll;
mod reads;
mod reduce;
mod steps;
mod wide;

use std::sync::{Arc, LazyLock};

use cranelift_codegen::Context;
use cranelift_codegen::ir::Signature;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gw_base::Broken;
use gw_runtime::{Better, Buffer, Code, Executable, Program};

use crate::loops::Func;
use object::Pieces;
pub(crate) use object::{Machine, Object, Symbol, Want};

static ISA: LazyLock<Result<Arc<dyn TargetIsa>, String>> = LazyLock::new(|| {
    let mut flags = settings::builder();
    let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
    let values = [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("enable_verifier", verifier),
        ("unwind_info", "false"),
        ("enable_multi_ret_implicit_sret", "true"),
    ];
    for (name, value) in values {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    let isa = cranelift_native::builder()?;
    isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
});

/// Generates the code of verified functions, the graph itself and those that it calls. Loops in lanes use the widest
/// registers that the machine has, or only those that every machine has.
///
/// # Errors
/// If the code generator refuses, which is a bug of ours.
pub(crate) fn generate(func: &Func, functions: &[Func], wide: bool) -> Result<Object, Broken> {
    let isa = ISA.as_ref().map_err(|e| Broken::new("jit", e))?;
    let wide = wide && wide::here();
    let all = || std::iter::once(func).chain(functions);
    let mut pieces = Pieces::default();
    let declared: Vec<_> =
        all().map(|func| (pieces.declare(), emit::signature(func, isa.default_call_conv()))).collect();
    let mut scratch = FunctionBuilderContext::new();
    for (func, (piece, signature)) in all().zip(&declared) {
        let mut context = Context::new();
        context.func.signature = signature.clone();
        let call =
            |(piece, signature): &(_, Signature)| pieces.called(*piece, signature.clone(), &mut context.func);
        let called = declared[1..].iter().map(call).collect();
        let builder = FunctionBuilder::new(&mut context.func, &mut scratch);
        emit::function(func, wide, called, builder, &mut pieces, isa.frontend_config())?;
        pieces.define(*piece, &mut context)?;
    }
    pieces.finish(declared[0].0)
}

/// Puts the code of a program into memory; `literals` are the tensors that it reads by address.
///
/// # Errors
/// If there is no such memory.
pub(crate) fn load(object: &Object, literals: &[Buffer]) -> Result<Code, Broken> {
    link::link(object, literals)
}

/// The machine that code is generated for, as text: another text, another machine.
pub fn target() -> &'static str {
    static TARGET: LazyLock<String> = LazyLock::new(|| {
        let described = ISA.as_ref().map(|isa| {
            let flags = isa.isa_flags();
            let flags = flags.iter().map(|flag| format!("{}={}", flag.name, flag.value_string()));
            format!("{} {}{}", isa.triple(), isa.flags(), flags.collect::<Vec<_>>().join(" "))
        });
        format!("{} wide={}", described.unwrap_or_default(), wide::here())
    });
    &TARGET
}

/// A function that can be run.
pub(crate) fn executable(program: Program, code: Code, better: Option<Better>) -> Executable {
    // SAFETY: the code is that of loop IR which was lowered together with the program's other parts, and so is what comes of
    // `better`, which compares those parts.
    unsafe { Executable::new(program, code, better) }
}
