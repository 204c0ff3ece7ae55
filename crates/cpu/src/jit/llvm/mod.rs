//! Machine code from loop IR, by LLVM: the second tier, which is there if its library is. The only room that names it.
//!
//! Data's way: functions → `module` (their text) → `engine` (code). Multiplication and addition are fused, numbers added
//! and compared as in the other emitters, so every result has the same bits.

mod engine;
mod expr;
mod lanes;
mod library;
mod module;
mod reduce;
mod share;
mod steps;
mod stmts;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;
use std::sync::Arc;

use gw_runtime::{Buffer, Code};

use super::link::of_callee;
use crate::loops::Func;
use library::Library;
use text::Links;

/// An open library of LLVM's.
#[derive(Clone)]
pub struct Llvm(Arc<Library>);

impl Llvm {
    /// Opens the library that Python's package `llvmlite` brings.
    ///
    /// # Errors
    /// If there is no such file, or it is no such library, or one of another version.
    pub fn open(path: &Path) -> Result<Llvm, String> {
        Library::open(path).map(Llvm)
    }
}

impl std::fmt::Debug for Llvm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Llvm")
    }
}

/// Addresses of tensors that code reads by address.
pub(crate) fn addresses(literals: &[Buffer]) -> Vec<usize> {
    literals.iter().map(|literal| literal.as_ptr().expose_provenance()).collect()
}

/// Compiles verified functions, of which the first is the graph itself, and the pieces of their loops, as the first tier does.
///
/// # Errors
/// If the library refuses.
pub(crate) fn compile(
    llvm: &Llvm,
    functions: &[Func],
    pieces: &[Func],
    literals: Vec<usize>,
) -> Result<Code, String> {
    let text = module::module(functions, pieces, &Links { literals, callee: of_callee });
    engine::compile(&llvm.0, &text)
}
