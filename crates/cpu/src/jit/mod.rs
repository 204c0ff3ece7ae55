//! Machine code from loop IR, by Cranelift: the only room that names it.
#![allow(unsafe_code, reason = "hands out the address of the code that it makes")]

mod cold_calls;
mod context;
mod emit;
mod expr;
mod isa;
mod iteration;
mod jumps;
mod lanes;
mod link;
pub(crate) mod llvm;
mod object;
mod overflow;
mod reads;
mod reduce;
mod share;
mod simd;
mod steps;
mod sums;

use cranelift_codegen::Context;
use cranelift_codegen::ir::Signature;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use gw_base::Broken;
use gw_runtime::{Better, Buffer, Code, Executable, Program};

use crate::loops::{Expr, Func};
use crate::registers::Registers;
use emit::Among;
use isa::ISA;
pub use isa::target;
pub(crate) use object::{Machine, Object, Symbol, Want};
use object::{Piece, Pieces};
use simd::Vectors;

/// True if a function that an expression calls is computed in lanes.
pub(crate) fn is_in_lanes(expr: &Expr) -> bool {
    lanes::formula(expr).is_some()
}

/// True if loops in lanes use registers wider than those of every machine.
pub(crate) fn has_wide_lanes(registers: Registers) -> bool {
    Vectors::here(registers).is_some()
}

/// The verified functions of a program.
pub(crate) struct Functions<'a> {
    /// The graph itself, and those that it calls.
    pub(crate) all: Vec<&'a Func>,
    /// The functions that compute runs of their shared loops.
    pub(crate) shared: &'a [Func],
}

/// Generates the code of a program, whose loops in lanes use these registers.
///
/// # Errors
/// If the code generator refuses, which is a bug of ours.
pub(crate) fn generate(functions: &Functions, registers: Registers) -> Result<Object, Broken> {
    let isa = ISA.as_ref().map_err(|e| Broken::new("jit", e))?;
    let vectors = Vectors::here(registers);
    let convention = isa.default_call_conv();
    let mut pieces = Pieces::default();
    let declared: Vec<_> =
        functions.all.iter().map(|func| (pieces.declare(), emit::signature(func, convention))).collect();
    let shared: Vec<Piece> = functions.shared.iter().map(|_| pieces.declare()).collect();
    let signatures = declared.iter().map(|(piece, signature)| (*piece, signature.clone()));
    let of_runs = shared.iter().map(|&piece| (piece, share::signature(convention)));
    let made = functions.all.iter().copied().chain(functions.shared).zip(signatures.chain(of_runs));
    let mut scratch = FunctionBuilderContext::new();
    for (at, (func, (piece, signature))) in made.enumerate() {
        let mut context = Context::new();
        context.func.signature = signature;
        let call =
            |(piece, signature): &(_, Signature)| pieces.called(*piece, signature.clone(), &mut context.func);
        let called = declared[1..].iter().map(call).collect();
        let builder = FunctionBuilder::new(&mut context.func, &mut scratch);
        let is_piece = at >= declared.len();
        let among = Among { functions: called, shared: &shared, is_piece, vectors };
        emit::function(func, among, builder, &mut pieces, isa.frontend_config())?;
        pieces.define(piece, &mut context)?;
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

/// A function that can be run.
pub(crate) fn executable(program: Program, code: Code, better: Option<Better>) -> Executable {
    // SAFETY: the code is that of loop IR which was lowered together with the program's other parts, and so is what comes of
    // `better`, which compares those parts.
    unsafe { Executable::new(program, code, better) }
}
