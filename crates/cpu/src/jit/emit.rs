//! Statements of the loop IR as Cranelift blocks: loops test at their end, failures leave through cold blocks.

use std::collections::HashMap;
use std::mem::offset_of;

use cranelift_codegen::ir::{
    self, AbiParam, BlockArg, ExtFuncData, FuncRef, InstBuilder, MemFlagsData, Signature, StackSlot, Type,
    Value, types,
};
use cranelift_codegen::isa::{CallConv, TargetFrontendConfig};
use cranelift_frontend::FunctionBuilder;
use gw_base::{Broken, Id};
use gw_runtime::Context;

use super::jumps::Logic;
use super::lanes::Lanes;
use super::object::{Piece, Pieces, Symbol};
use super::rare::Rare;
use super::reads::reads;
use super::wide::{Done, Vectors};
use crate::loops::{Arm, Binary, Callee, Carry, Expr, Func, Stmt, Ty, Var};

/// A test of at most so many cheap steps is written twice, so that a loop has one jump per iteration.
const ROTATED_TEST: usize = 24;

pub(super) struct Emit<'a> {
    pub(super) func: &'a Func,
    /// The functions of the program.
    functions: Vec<FuncRef>,
    pub(super) b: FunctionBuilder<'a>,
    pub(super) values: Vec<Option<Value>>,
    /// Integers that variables are known to be, for addresses.
    pub(super) known: Vec<Option<i64>>,
    /// How bools were made of others.
    pub(super) logic: HashMap<Value, Logic>,
    /// Whether what is emitted hardly ever runs.
    pub(super) cold: bool,
    /// Variables that wait for a division.
    pub(super) slow: Vec<bool>,
    /// Variables that something reads.
    read: Vec<bool>,
    /// Where each `Try` around ends, the innermost last.
    tries: Vec<ir::Block>,
    pub(super) context: Value,
    pub(super) call_conv: CallConv,
    /// What the functions of loops in lanes are put into.
    pub(super) pieces: &'a mut Pieces,
    /// What works off runs of shared loops.
    pub(super) shared: &'a [Piece],
    /// Where loops are described to the runtime.
    pub(super) told: Option<StackSlot>,
    /// The registers for loops in lanes, if they are wider than those of every machine.
    pub(super) vectors: Option<&'static Vectors>,
    /// What is called outside, and how this function names it.
    called: Vec<(Callee, FuncRef)>,
    /// What keeps every register.
    pub(super) rare: Vec<(Rare, FuncRef)>,
    /// What went wrong.
    pub(super) broken: Option<Broken>,
}

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

/// What a function is made among.
pub(super) struct Among<'a> {
    /// The functions that the program consists of.
    pub(super) functions: Vec<FuncRef>,
    /// What works off runs of shared loops.
    pub(super) shared: &'a [Piece],
    /// Whether it is one of those itself.
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
    let (values, known, logic) = (vec![None; vars], vec![None; vars], HashMap::new());
    let call_conv = config.default_call_conv;
    let (slow, read) = (vec![false; vars], reads(func));
    let mut emit = Emit {
        func,
        functions: among.functions,
        b,
        values,
        known,
        logic,
        cold: false,
        slow,
        read,
        tries: Vec::new(),
        context,
        call_conv,
        pieces,
        shared: among.shared,
        told: None,
        vectors: among.vectors,
        called: Vec::new(),
        rare: Vec::new(),
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
            given.push(match self.ty(result) {
                Ty::F32 => self.b.ins().f32const(0.0),
                Ty::F64 => self.b.ins().f64const(0.0),
                ty @ (Ty::I32 | Ty::I64 | Ty::Bool | Ty::Ptr) => self.b.ins().iconst(clif(ty), 0),
            });
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
        }
    }

    pub(super) fn define(&mut self, var: Var, expr: &Expr) {
        if let Expr::Int(value) = expr {
            self.known[var.index()] = Some(*value);
        }
        self.slow[var.index()] = self.is_slow(expr);
        let value = match expr {
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
        self.set(var, value);
    }

    /// Whether a value waits for a division of integers, and is no choice.
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

    /// A word of the context that does not change while the code runs.
    pub(super) fn context_word(&mut self, offset: usize) -> Value {
        let flags = MemFlagsData::trusted().with_readonly().with_can_move();
        self.b.ins().load(types::I64, flags, self.context, offset as i32)
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
        let (fine, ok) = (self.block(), self.value(ok));
        let args = self.args(given.iter().copied());
        self.b.ins().brif(ok, fine, &[], after, &args);
        self.b.switch_to_block(fine);
    }

    fn for_(&mut self, iv: Var, stop: Var, carries: &[Carry], body: &Arm) {
        let (params, outs) = params_and_outs(carries);
        let vars: Vec<Var> = [iv].into_iter().chain(params).collect();
        let lanes = if carries.is_empty() { Lanes::of(self.func, iv, body) } else { None };
        let wide = lanes.as_ref().map_or(Done::Nothing, |lanes| self.in_wide_lanes(lanes, iv, stop, body));
        if matches!(wide, Done::All) {
            return;
        }
        let (again, after) = (self.block_for(&vars), self.block_for(&outs));
        let stop = self.value(stop);
        let start = match (wide, lanes) {
            (Done::Some(start), _) => start,
            (_, Some(lanes)) => self.in_lanes(lanes, iv, stop, body),
            (_, None) => self.b.ins().iconst(types::I64, 0),
        };
        let inits = self.args(carries.iter().map(|c| c.init));
        let first = counted(start, &inits);
        let any = self.b.ins().icmp(ir::condcodes::IntCC::SignedLessThan, start, stop);
        self.b.ins().brif(any, again, &first, after, &inits);
        self.enter(again, &vars);
        self.stmts(&body.block);
        let counter = self.value(iv);
        let one = self.b.ins().iconst(types::I64, 1);
        let counter = self.b.ins().iadd(counter, one);
        let next = self.args(body.results.iter().copied());
        let more = self.b.ins().icmp(ir::condcodes::IntCC::SignedLessThan, counter, stop);
        self.b.ins().brif(more, again, &counted(counter, &next), after, &next);
        self.enter(after, &outs);
    }

    fn while_(&mut self, carries: &[Carry], test: &Arm, body: &Arm) {
        let inits: Vec<Value> = carries.iter().map(|c| self.value(c.init)).collect();
        let after = self.block_for(&self.wanted(carries, |c| c.out));
        if is_cheap(test) {
            self.rotated(carries, inits, after, test, body);
        } else {
            let params = self.wanted(carries, |c| c.param);
            let (head, inside) = (self.block_for(&params), self.block());
            self.bind(carries, inits);
            let first = self.args(params.iter().copied());
            self.b.ins().jump(head, &first);
            self.enter(head, &params);
            self.branch(carries, test, (inside, &[]), after);
            self.b.switch_to_block(inside);
            self.turn(carries, body);
            let next = self.args(params.iter().copied());
            self.b.ins().jump(head, &next);
        }
        self.enter(after, &self.wanted(carries, |c| c.out));
    }

    /// One variable of each carry, if it is read.
    fn wanted(&self, carries: &[Carry], which: impl Fn(&Carry) -> Var) -> Vec<Var> {
        carries.iter().map(which).filter(|var| self.read[var.index()]).collect()
    }

    /// `if test: do: body while test`
    fn rotated(&mut self, carries: &[Carry], inits: Vec<Value>, after: ir::Block, test: &Arm, body: &Arm) {
        let params = self.wanted(carries, |c| c.param);
        let again = self.block_for(&params);
        self.bind(carries, inits);
        self.branch(carries, test, (again, &params), after);
        self.enter(again, &params);
        self.turn(carries, body);
        self.branch(carries, test, (again, &params), after);
    }

    /// One iteration; afterwards the carries are the next ones.
    fn turn(&mut self, carries: &[Carry], body: &Arm) {
        self.stmts(&body.block);
        let next = body.results.iter().map(|&var| self.value(var)).collect();
        self.bind(carries, next);
    }

    fn bind(&mut self, carries: &[Carry], values: Vec<Value>) {
        carries.iter().zip(values).for_each(|(carry, value)| self.set(carry.param, value));
    }

    /// Runs a test and goes to one of two blocks, with the variables that it takes or with the carries that are read
    /// after the loop.
    fn branch(&mut self, carries: &[Carry], test: &Arm, again: (ir::Block, &[Var]), after: ir::Block) {
        self.stmts(&test.block);
        let read_after = carries.iter().filter(|c| self.read[c.out.index()]).map(|c| c.param);
        let read_after: Vec<Var> = read_after.collect();
        let outside = self.args(read_after);
        let inside = self.args(again.1.iter().copied());
        if let [holds] = test.results[..] {
            let holds = self.value(holds);
            self.jump(holds, (again.0, &inside), (after, &outside));
        }
    }
    pub(super) fn call(&mut self, callee: &Callee, args: &[Var]) -> Option<Value> {
        if *callee == Callee::Poll {
            return Some(self.poll());
        }
        let args: Vec<Value> = args.iter().map(|&v| self.value(v)).collect();
        match (callee, &args[..]) {
            (Callee::Grow, _) if self.cold => return Some(self.rarely_given(Rare::Grow, &args)),
            (Callee::Extend, _) if self.cold => return Some(self.rarely_given(Rare::Extend, &args)),
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

fn counted(counter: Value, carries: &[BlockArg]) -> Vec<BlockArg> {
    [BlockArg::Value(counter)].into_iter().chain(carries.iter().copied()).collect()
}

fn params_and_outs(carries: &[Carry]) -> (Vec<Var>, Vec<Var>) {
    carries.iter().map(|c| (c.param, c.out)).unzip()
}

/// Whether a test may be written twice.
pub(super) fn is_cheap(test: &Arm) -> bool {
    let cheap = |stmt: &Stmt| matches!(stmt, Stmt::Let(_, expr) if expr.is_cheap());
    test.block.len() <= ROTATED_TEST && test.block.iter().all(cheap)
}

/// Cranelift's name of a type.
pub(super) fn clif(ty: Ty) -> Type {
    match ty {
        Ty::F32 => types::F32,
        Ty::F64 => types::F64,
        Ty::I32 => types::I32,
        Ty::I64 | Ty::Ptr => types::I64,
        Ty::Bool => types::I8,
    }
}
