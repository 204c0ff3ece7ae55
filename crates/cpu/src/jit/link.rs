//! Machine code in its place: names become addresses, and the memory becomes code.

use gw_base::Broken;
use gw_runtime::{Buffer, Code, Entry, services};
use memmap2::{Mmap, MmapMut};

use super::object::{Machine, Object, Symbol};
use crate::loops::Callee;

/// Puts code into memory of its own; `literals` are the tensors that it reads by address.
///
/// # Errors
/// If there is no such memory, or the code wants what is not there.
pub(super) fn link(object: &Object, literals: &[Buffer]) -> Result<Code, Broken> {
    let broken = |what: String| Broken::new("jit", what);
    let mut memory = MmapMut::map_anon(object.bytes.len()).map_err(|e| broken(e.to_string()))?;
    memory[..object.bytes.len()].copy_from_slice(&object.bytes);
    for want in &object.wants {
        let address = address_of(want.symbol, literals, &memory)
            .ok_or_else(|| broken(format!("{:?} has no address", want.symbol)))?;
        let field = memory.get_mut(want.at..want.at + 8);
        field
            .ok_or_else(|| broken("an address outside of the code".to_owned()))?
            .copy_from_slice(&(address as u64).to_le_bytes());
    }
    let memory = executable(memory).map_err(|e| broken(e.to_string()))?;
    let start = memory.get(object.entry..).map(<[u8]>::as_ptr);
    let start = start.ok_or_else(|| broken("an entry outside of the code".to_owned()))?;
    // SAFETY: the code that begins here was made with the signature of `Entry`.
    let entry = unsafe { std::mem::transmute::<*const u8, Entry>(start) };
    Ok(Code { entry, owner: Box::new(memory) })
}

/// The memory as code, which every processor sees.
fn executable(memory: MmapMut) -> std::io::Result<Mmap> {
    #[cfg(not(target_arch = "x86_64"))]
    {
        use wasmtime_internal_jit_icache_coherence as coherence;
        // SAFETY: the memory is there, and all of it is this mapping's.
        unsafe { coherence::clear_cache(memory.as_ptr().cast(), memory.len())? };
        let memory = memory.make_exec()?;
        coherence::pipeline_flush_mt()?;
        Ok(memory)
    }
    #[cfg(target_arch = "x86_64")]
    memory.make_exec()
}

/// `code` is where the program's code lies.
fn address_of(symbol: Symbol, literals: &[Buffer], code: &[u8]) -> Option<usize> {
    match symbol {
        Symbol::Callee(callee) => Some(of_callee(&callee)),
        Symbol::Literal(at) => literals.get(at).map(|literal| literal.as_ptr().expose_provenance()),
        Symbol::Machine(machine) => Some(of_machine(machine)),
        Symbol::Code(at) => code.get(at..).map(|code| code.as_ptr().expose_provenance()),
    }
}

/// Address of a function outside.
pub(super) fn of_callee(callee: &Callee) -> usize {
    extern "C" fn copy(to: *mut u8, from: *const u8, size: i64) {
        // SAFETY: the code copies a whole value between two buffers of its frame, which may be the same.
        unsafe { std::ptr::copy(from, to, size as usize) }
    }
    match callee {
        Callee::Kernel(function) => function.address as usize,
        Callee::Grow => services::grow as *const () as usize,
        Callee::Extend => services::extend as *const () as usize,
        Callee::Ask => services::ask as *const () as usize,
        Callee::Speak => services::speak as *const () as usize,
        Callee::Poll => services::poll as *const () as usize,
        Callee::Enter => services::enter as *const () as usize,
        Callee::Leave => services::leave as *const () as usize,
        Callee::Copy => copy as *const () as usize,
        Callee::Append => services::append as *const () as usize,
        Callee::Order => services::order as *const () as usize,
        Callee::Length => services::length as *const () as usize,
        Callee::Upper => services::upper as *const () as usize,
        Callee::Lower => services::lower as *const () as usize,
        Callee::Share => services::share as *const () as usize,
    }
}

/// The functions that machine code calls where the machine has no such instruction.
fn of_machine(machine: Machine) -> usize {
    extern "C" fn ceil_f32(x: f32) -> f32 {
        x.ceil()
    }
    extern "C" fn ceil_f64(x: f64) -> f64 {
        x.ceil()
    }
    extern "C" fn floor_f32(x: f32) -> f32 {
        x.floor()
    }
    extern "C" fn floor_f64(x: f64) -> f64 {
        x.floor()
    }
    extern "C" fn nearest_f32(x: f32) -> f32 {
        x.round_ties_even()
    }
    extern "C" fn nearest_f64(x: f64) -> f64 {
        x.round_ties_even()
    }
    extern "C" fn fma_f32(x: f32, y: f32, z: f32) -> f32 {
        x.mul_add(y, z)
    }
    extern "C" fn fma_f64(x: f64, y: f64, z: f64) -> f64 {
        x.mul_add(y, z)
    }
    match machine {
        Machine::CeilF32 => ceil_f32 as *const () as usize,
        Machine::CeilF64 => ceil_f64 as *const () as usize,
        Machine::FloorF32 => floor_f32 as *const () as usize,
        Machine::FloorF64 => floor_f64 as *const () as usize,
        Machine::NearestF32 => nearest_f32 as *const () as usize,
        Machine::NearestF64 => nearest_f64 as *const () as usize,
        Machine::FmaF32 => fma_f32 as *const () as usize,
        Machine::FmaF64 => fma_f64 as *const () as usize,
    }
}
