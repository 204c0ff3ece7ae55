//! Machine code from loop IR, by Cranelift: the only room that names it.
#![allow(unsafe_code, reason = "hands out the address of the code that it makes")]

mod emit;
mod expr;
mod jumps;
mod lanes;
mod poll;
mod reads;
mod reduce;
mod steps;
mod wide;

use std::any::Any;
use std::sync::{Arc, LazyLock, Mutex};

use cranelift_codegen::Context;
use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{ArenaMemoryProvider, JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use gw_base::Broken;
use gw_runtime::{Buffer, Entry, Executable, Program};

use crate::loops::Func;
use emit::Links;

/// Machine code with what keeps it in memory.
pub(crate) struct Code {
    pub(crate) entry: Entry,
    pub(crate) owner: Box<dyn Any + Send + Sync>,
}

/// The code's memory; it is released when nobody can call the code any more.
struct Owner(Mutex<Option<JITModule>>);

// SAFETY: the module is touched again only to release its memory, by the one who drops it.
unsafe impl Send for Owner {}
// SAFETY: likewise; the mutex keeps others out.
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        let module = self.0.get_mut().ok().and_then(Option::take);
        if let Some(module) = module {
            // SAFETY: the executable that holds this owner is gone, and with it every use of the entry.
            unsafe { module.free_memory() };
        }
    }
}

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

/// So much of the address space is one graph's. Nothing of it is memory until code is there; code and its constants find
/// each other by distances of 32 bits, which pieces that the system puts anywhere may exceed.
const ROOM: usize = 1 << 26;

/// Code and constants in one piece, unless the system has no such piece.
fn builder(isa: Arc<dyn TargetIsa>) -> JITBuilder {
    let mut builder = JITBuilder::with_isa(isa, default_libcall_names());
    if let Ok(memory) = ArenaMemoryProvider::new_with_size(ROOM) {
        builder.memory_provider(Box::new(memory));
    }
    builder
}

/// Compiles verified functions, the graph itself and those that it calls; `literals` are the tensors that they read by
/// address. Loops in lanes use the widest registers that the machine has, or only those that every machine has.
///
/// # Errors
/// If the code generator refuses, which is a bug of ours.
pub(crate) fn compile(
    func: &Func,
    functions: &[Func],
    literals: &[Buffer],
    wide: bool,
) -> Result<Code, Broken> {
    let broken = |what: String| Broken::new("jit", what);
    let isa = ISA.as_ref().map_err(|e| broken(e.clone()))?;
    let mut module = JITModule::new(builder(isa.clone()));
    let links = Links { literals, poll: poll::address()?, wide: wide && wide::here() };
    let mut ids = Vec::new();
    for (at, func) in std::iter::once(func).chain(functions).enumerate() {
        let (name, linkage) = if at == 0 {
            ("graph".to_owned(), Linkage::Export)
        } else {
            (format!("function{at}"), Linkage::Local)
        };
        let signature = emit::signature(func, isa.default_call_conv());
        let id = module.declare_function(&name, linkage, &signature).map_err(|e| broken(e.to_string()))?;
        ids.push((id, signature));
    }
    let mut scratch = FunctionBuilderContext::new();
    for (func, (id, signature)) in std::iter::once(func).chain(functions).zip(&ids) {
        let mut context = Context::new();
        context.func.signature = signature.clone();
        let called = ids[1..].iter().map(|(id, _)| module.declare_func_in_func(*id, &mut context.func));
        let called = called.collect();
        let builder = FunctionBuilder::new(&mut context.func, &mut scratch);
        emit::function(func, &links, called, builder, &mut module);
        module.define_function(*id, &mut context).map_err(|e| broken(format!("{e:?}")))?;
    }
    module.finalize_definitions().map_err(|e| broken(e.to_string()))?;
    let address = module.get_finalized_function(ids[0].0);
    // SAFETY: the code at this address has just been made with the signature of `Entry`.
    let entry = unsafe { std::mem::transmute::<*const u8, Entry>(address) };
    Ok(Code { entry, owner: Box::new(Owner(Mutex::new(Some(module)))) })
}

/// A function that can be run.
pub(crate) fn executable(program: Program) -> Executable {
    // SAFETY: the code comes from `compile` and from loop IR that was lowered together with the program's other parts.
    unsafe { Executable::new(program) }
}
