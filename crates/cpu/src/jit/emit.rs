//! Statements of the loop IR as Cranelift blocks: failures leave through cold blocks.

use rustc_hash::FxHashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::{self, AbiParam, FuncRef, InstBuilder, MemFlagsData, Signature, Value, types};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::FunctionBuilder;
use gw_base::{Broken, Id};
use gw_runtime::Context;

use super::cold_calls::ColdCall;
use super::context::{Emit, Logic, clif};
use super::object::{Piece, Pieces};
use super::reads::reads;
use super::simd::Vectors;
use crate::loops::{Arm, Binary, Callee, Expr, Func, Stmt, Var};

/// The native signature of a function: it takes the context first, and gives first 0 if it did not fail.
pub(super) fn signature(func: &Func, call_conv: CallConv) -> Signature {
    let word = |&var: &Var| AbiParam::new(clif(func.vars[var]));
    let mut signature = Signature::new(call_conv);
    signature.params.push(AbiParam::new(types::I64));
    signature.params.extend(func.params.iter().map(word));
    signature.returns.push(AbiParam::new(types::I32));
    signature.returns.extend(func.results.iter().map(word));
    signature
}

/// The program around a function under construction.
pub(super) struct Among<'a> {
    /// The functions that the program consists of.
    pub(super) functions: Vec<FuncRef>,
    /// The functions that compute runs of shared loops.
    pub(super) shared: &'a [Piece],
    /// True if it is one of those itself.
    pub(super) is_piece: bool,
    /// The registers for loops in lanes, if they are wider than those of every machine.
    pub(super) vectors: Option<&'static Vectors>,
}

/// Fills the function that `b` builds.
pub(super) fn function(
    func: &Func,
    among: Among,
    mut b: FunctionBuilder,
    pieces: &mut Pieces,
    config: TargetFrontendConfig,
) -> Result<(), Broken> {
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let context = b.block_params(entry)[0];
    let vars = func.vars.len();
    let (values, known, logic) = (vec![None; vars], vec![None; vars], FxHashMap::default());
    let call_conv = config.default_call_conv;
    let (slow, read) = (vec![false; vars], reads(func));
    let mut emit = Emit {
        func,
        functions: among.functions,
        b,
        values,
        known,
        origins: FxHashMap::default(),
        logic,
        sums: FxHashMap::default(),
        cold: false,
        slow,
        records: FxHashMap::default(),
        read,
        tries: Vec::new(),
        context,
        call_conv,
        pieces,
        shared: among.shared,
        told: None,
        vectors: among.vectors,
        called: Vec::new(),
        cold_calls: Vec::new(),
        broken: None,
    };
    emit.take(entry, among.is_piece);
    emit.stmts(&func.body);
    emit.leave(among.is_piece);
    emit.b.seal_all_blocks();
    let broken = emit.broken.take();
    emit.b.finalize(config);
    broken.map_or(Ok(()), Err)
}

impl Emit<'_> {
    /// Defines the parameters.
    fn take(&mut self, entry: ir::Block, is_piece: bool) {
        if is_piece {
            return self.take_run(entry);
        }
        let (func, given) = (self.func, self.b.block_params(entry)[1..].to_vec());
        func.params.iter().zip(given).for_each(|(&param, value)| self.set(param, value));
    }

    /// Returns what the function gives; a piece gives nothing.
    fn leave(&mut self, is_piece: bool) {
        if is_piece {
            self.b.ins().return_(&[]);
            return;
        }
        let func = self.func;
        let mut given = vec![self.b.ins().iconst(types::I32, 0)];
        given.extend(func.results.iter().map(|&var| self.value(var)));
        self.b.ins().return_(&given);
    }

    /// Returns without anything: the context says what failed.
    fn fail(&mut self) {
        let func = self.func;
        let mut given = vec![self.b.ins().iconst(types::I32, 1)];
        for &result in &func.results {
            let ty = self.ty(result);
            let nothing = if ty.is_float() { Expr::Real(0.0) } else { Expr::Int(0) };
            given.push(self.expr(ty, &nothing));
        }
        self.b.ins().return_(&given);
    }

    /// Calls a function of the program, and fails if it fails.
    fn invoke(&mut self, function: usize, args: &[Var], outs: &[Var]) {
        let mut given = vec![self.context];
        given.extend(args.iter().map(|&arg| self.value(arg)));
        let call = self.b.ins().call(self.functions[function], &given);
        let results = self.b.inst_results(call).to_vec();
        let (fine, failed) = (self.block(), self.b.create_block());
        self.b.ins().brif(results[0], failed, &[], fine, &[]);
        self.b.set_cold_block(failed);
        self.b.switch_to_block(failed);
        self.fail();
        self.b.switch_to_block(fine);
        outs.iter().zip(&results[1..]).for_each(|(&out, &value)| self.set(out, value));
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(var, expr) => self.define(*var, expr),
            Stmt::Store { ptr, index, value } => {
                let size = self.ty(*value).size();
                let (base, offset) = self.address(*ptr, *index, size);
                let value = self.value(*value);
                self.b.ins().store(MemFlagsData::trusted(), value, base, offset);
            }
            Stmt::Do(callee, args) => {
                self.call(callee, args);
            }
            Stmt::Invoke { function, args, outs } => self.invoke(*function, args, outs),
            Stmt::Guard { ok, site, words } => self.guard(*ok, *site, words),
            Stmt::If { test, cold, then, otherwise, outs } => self.if_(*test, *cold, [then, otherwise], outs),
            Stmt::Try { body, outs } => self.try_(body, outs),
            Stmt::Leave { ok, given } => self.leave_try(*ok, given),
            Stmt::For { iv, stop, carries, body } => self.for_(*iv, *stop, carries, body),
            Stmt::Reduce { how, iv, stop, init, body, out } => {
                self.reduce(*how, (*iv, *stop), *init, body, *out);
            }
            Stmt::While { carries, test, body } => self.while_(carries, test, body),
            Stmt::Share(share) => self.share(share),
            Stmt::Mark(node) => {
                let (to, node) = (self.context_word(offset_of!(Context, mark)), *node);
                let node = self.b.ins().iconst(types::I64, node);
                self.b.ins().store(MemFlagsData::trusted(), node, to, 0);
            }
        }
    }

    pub(super) fn define(&mut self, var: Var, expr: &Expr) {
        if let Expr::Int(value) = expr {
            self.known[var.index()] = Some(*value);
        }
        if let Expr::Offset(ptr, index, ty) = expr
            && let Some(bytes) =
                self.known[index.index()].and_then(|index| index.checked_mul(ty.size() as i64))
        {
            let (origin, before) = self.origin(*ptr);
            self.origins.insert(var, (origin, before.wrapping_add(bytes)));
        }
        self.slow[var.index()] = self.is_slow(expr);
        let value = match expr {
            Expr::Select(test, x, y) if self.records.contains_key(&var) => {
                self.record(*test, [*x, *y], self.records[&var])
            }
            Expr::Select(test, x, y) if self.slow[test.index()] => self.jump_select(*test, *x, *y),
            Expr::Int(_)
            | Expr::Real(_)
            | Expr::Literal(_)
            | Expr::Field(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Overflows(..)
            | Expr::Compare(..)
            | Expr::Select(..)
            | Expr::Convert(_)
            | Expr::Load(..)
            | Expr::Offset(..)
            | Expr::Room
            | Expr::Call(..) => self.expr(self.ty(var), expr),
        };
        self.note_logic(self.ty(var), expr, value);
        self.note_sum(expr, value);
        self.set(var, value);
    }

    /// True if a value waits for a division of integers, and is no choice.
    fn is_slow(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Binary(Binary::Div | Binary::ShortDiv | Binary::ShortRest, x, _)
                if !self.ty(*x).is_float() =>
            {
                true
            }
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Overflows(..)
            | Expr::Compare(..)
            | Expr::Convert(_) => expr.operands().iter().any(|var| self.slow[var.index()]),
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Select(..) => false,
            Expr::Load(..) | Expr::Offset(..) | Expr::Call(..) | Expr::Room => false,
        }
    }

    fn guard(&mut self, ok: Var, site: usize, words: &[Var]) {
        let (fine, failed) = (self.block(), self.b.create_block());
        let ok = self.value(ok);
        match self.logic.get(&ok) {
            Some(&Logic::Not(over)) => self.b.ins().brif(over, failed, &[], fine, &[]),
            Some(Logic::Both(..)) | None => self.b.ins().brif(ok, fine, &[], failed, &[]),
        };
        self.b.set_cold_block(failed);
        self.b.switch_to_block(failed);
        if !words.is_empty() {
            let scratch = self.context_word(offset_of!(Context, scratch));
            for (at, &word) in words.iter().enumerate() {
                let word = self.value(word);
                self.b.ins().store(MemFlagsData::trusted(), word, scratch, 8 * at as i32);
            }
        }
        let site = self.b.ins().iconst(types::I64, site as i64);
        let at = offset_of!(Context, site) as i32;
        let context = self.context;
        self.b.ins().store(MemFlagsData::trusted(), site, context, at);
        self.fail();
        self.b.switch_to_block(fine);
    }

    fn try_(&mut self, body: &Arm, outs: &[Var]) {
        let after = self.block_for(outs);
        self.tries.push(after);
        self.stmts(&body.block);
        self.tries.pop();
        let args = self.args(body.results.iter().copied());
        self.b.ins().jump(after, &args);
        self.enter(after, outs);
    }

    /// Ends the innermost `Try` unless `ok`. The IR was verified, so there is one.
    fn leave_try(&mut self, ok: Var, given: &[Var]) {
        let Some(&after) = self.tries.last() else { return };
        let (fine, gone, ok) = (self.block(), self.b.create_block(), self.value(ok));
        match self.logic.get(&ok) {
            Some(&Logic::Not(fails)) => self.b.ins().brif(fails, gone, &[], fine, &[]),
            Some(Logic::Both(..)) | None => self.b.ins().brif(ok, fine, &[], gone, &[]),
        };
        // The path that goes on follows without a jump.
        self.b.set_cold_block(gone);
        self.b.switch_to_block(gone);
        let args = self.args(given.iter().copied());
        self.b.ins().jump(after, &args);
        self.b.switch_to_block(fine);
    }
    pub(super) fn call(&mut self, callee: &Callee, args: &[Var]) -> Option<Value> {
        if *callee == Callee::Poll {
            return Some(self.poll());
        }
        let args: Vec<Value> = args.iter().map(|&v| self.value(v)).collect();
        match (callee, &args[..]) {
            (Callee::Grow, _) if self.cold => return Some(self.call_cold(ColdCall::Grow, &args)),
            (Callee::Extend, _) if self.cold => return Some(self.call_cold(ColdCall::Extend, &args)),
            (Callee::Kernel(function), &[x]) => {
                if let Some(found) = self.in_place(function, x) {
                    return Some(found);
                }
            }
            (_, _) => {}
        }
        let function = self.outside(callee);
        let call = self.b.ins().call(function, &args);
        self.b.inst_results(call).first().copied()
    }
}
