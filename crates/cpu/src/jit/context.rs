//! One function under construction: Cranelift's builder, the values of variables so far, and what it refers to.

use rustc_hash::FxHashMap;

use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, ExtFuncData, FuncRef, InstBuilder, MemFlagsData, Signature, StackSlot, Type,
    Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::FunctionBuilder;
use gw_base::{Broken, Id};

use super::object::{Piece, Pieces, Symbol};
use super::simd::Vectors;
use crate::loops::{Callee, Func, Ty, Var};

/// One function under construction.
pub(super) struct Emit<'a> {
    pub(super) func: &'a Func,
    /// The functions of the program.
    pub(super) functions: Vec<FuncRef>,
    pub(super) b: FunctionBuilder<'a>,
    pub(super) values: Vec<Option<Value>>,
    /// Integers that variables are known to be, for addresses.
    pub(super) known: Vec<Option<i64>>,
    /// Addresses that are others with a constant number of bytes added.
    pub(super) origins: FxHashMap<Var, (Var, i64)>,
    /// The operands of which bools were made.
    pub(super) logic: FxHashMap<Value, Logic>,
    /// Numbers that are others with a constant added, which addresses have room for.
    pub(super) sums: FxHashMap<Value, (Value, i64)>,
    /// True while code is emitted that hardly ever runs.
    pub(super) cold: bool,
    /// Variables that wait for a division.
    pub(super) slow: Vec<bool>,
    /// Choices of the number that is beyond all before it, each with that of the turn before: the more numbers there were, the likelier
    /// it stays.
    pub(super) records: FxHashMap<Var, Var>,
    /// Variables that something reads.
    pub(super) read: Vec<bool>,
    /// End block of each `Try` around, the innermost last.
    pub(super) tries: Vec<ir::Block>,
    pub(super) context: Value,
    pub(super) call_conv: CallConv,
    /// The program that the functions of loops in lanes are added to.
    pub(super) pieces: &'a mut Pieces,
    /// The functions that compute runs of shared loops.
    pub(super) shared: &'a [Piece],
    /// Stack slot in which loops are described to the runtime.
    pub(super) told: Option<StackSlot>,
    /// The registers for loops in lanes, if they are wider than those of every machine.
    pub(super) vectors: Option<&'static Vectors>,
    /// The callees outside, with their names in this function.
    pub(super) called: Vec<(Callee, FuncRef)>,
    /// The callees that preserve every register.
    pub(super) cold_calls: Vec<(Piece, FuncRef)>,
    /// The first error.
    pub(super) broken: Option<Broken>,
}

/// The operands of a bool.
#[derive(Debug, Clone, Copy)]
pub(super) enum Logic {
    Not(Value),
    Both(Value, Value),
}

impl Emit<'_> {
    /// The value of a variable. The IR was verified, so it has one; an unreachable variable reads as zero.
    pub(super) fn value(&mut self, var: Var) -> Value {
        match self.values[var.index()] {
            Some(value) => value,
            None => self.b.ins().iconst(types::I64, 0),
        }
    }

    pub(super) fn ty(&self, var: Var) -> Ty {
        self.func.vars[var]
    }

    pub(super) fn set(&mut self, var: Var, value: Value) {
        self.values[var.index()] = Some(value);
    }

    pub(super) fn args(&mut self, vars: impl IntoIterator<Item = Var>) -> Vec<BlockArg> {
        vars.into_iter().map(|v| BlockArg::Value(self.value(v))).collect()
    }

    /// A block, which stands apart with all that hardly ever runs.
    pub(super) fn block(&mut self) -> ir::Block {
        let block = self.b.create_block();
        if self.cold {
            self.b.set_cold_block(block);
        }
        block
    }

    /// A block whose parameters define these variables.
    pub(super) fn block_for(&mut self, vars: &[Var]) -> ir::Block {
        let block = self.block();
        for &var in vars {
            let ty = clif(self.ty(var));
            self.b.append_block_param(block, ty);
        }
        block
    }

    /// Goes on in `block`, whose parameters define these variables.
    pub(super) fn enter(&mut self, block: ir::Block, vars: &[Var]) {
        self.b.switch_to_block(block);
        let params = self.b.block_params(block).to_vec();
        vars.iter().zip(params).for_each(|(&var, value)| self.set(var, value));
    }

    /// A word of the context that does not change while the code runs.
    pub(super) fn context_word(&mut self, offset: usize) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.b.ins().load(types::I64, flags, self.context, offset as i32)
    }

    /// A function outside, as this function names it.
    pub(super) fn outside(&mut self, callee: &Callee) -> FuncRef {
        if let Some((_, function)) = self.called.iter().find(|(other, _)| other == callee) {
            return *function;
        }
        let (params, result) = callee.signature();
        let mut signature = Signature::new(self.call_conv);
        signature.params.extend(params.iter().map(|&ty| AbiParam::new(clif(ty))));
        signature.returns.extend(result.map(|ty| AbiParam::new(clif(ty))));
        let signature = self.b.import_signature(signature);
        let name = self.pieces.name(Symbol::Callee(*callee), self.b.func);
        let function = ExtFuncData { name, signature, colocated: false, patchable: false };
        let function = self.b.import_function(function);
        self.called.push((*callee, function));
        function
    }
}

/// Cranelift's name of a type.
pub(super) fn clif(ty: Ty) -> Type {
    match ty {
        Ty::F32 => types::F32,
        Ty::F64 => types::F64,
        Ty::I8 | Ty::U8 => types::I8,
        Ty::I16 | Ty::U16 => types::I16,
        Ty::I32 | Ty::U32 => types::I32,
        Ty::I64 | Ty::Ptr => types::I64,
        Ty::Bool => types::I8,
    }
}
