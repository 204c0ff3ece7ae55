//! Loops of the loop IR as Cranelift blocks: they test at their end, and those in lanes run a register at a time first.

use rustc_hash::FxHashMap;

use cranelift_codegen::ir::{self, BlockArg, InstBuilder, Value, types};
use gw_base::Id;

use super::context::Emit;
use super::reads::is_cheap;
use super::simd::Done;
use super::sums::Sums;
use crate::loops::{Arm, Carry, Expr, Func, Stmt, Var};

/// So many turns of a short loop are written one behind the other, and of one that is not as short.
const AT_ONCE: [i64; 2] = [4, 2];

/// In a loop of so many turns, a record is rare.
const LONG: i64 = 64;

/// Turns of at most so many steps are.
const SHORT_TURN: [usize; 2] = [16, 32];

impl Emit<'_> {
    pub(super) fn for_(&mut self, iv: Var, stop: Var, carries: &[Carry], body: &Arm) {
        let (params, outs) = params_and_outs(carries);
        let vars: Vec<Var> = [iv].into_iter().chain(params).collect();
        let lanes = if carries.is_empty() { self.lanes_of(iv, body) } else { None };
        let wide = lanes.as_ref().map_or(Done::Nothing, |lanes| self.in_wide_lanes(lanes, iv, stop, body));
        if matches!(wide, Done::All) {
            return;
        }
        let lanes = lanes.filter(|lanes| !lanes.is_for_wide());
        let (again, after) = (self.block_for(&vars), self.block_for(&outs));
        let sums = Sums::of(self.func, carries, body).and_then(|sums| {
            let inits: Vec<Value> = carries.iter().map(|carry| self.value(carry.init)).collect();
            self.sum_in_wide_lanes(&sums, &inits, (iv, stop))
        });
        let at_once = if lanes.is_none() && sums.is_none() && !self.cold {
            self.turns_at_once(stop, body)
        } else {
            None
        };
        let is_short = self.known[stop.index()].is_some_and(|count| count < LONG);
        let stop = self.value(stop);
        let start = match (wide, lanes) {
            (Done::Some(start), _) => start,
            (_, Some(lanes)) => self.in_lanes(lanes, iv, stop, body),
            (_, None) => self.b.ins().iconst(types::I64, 0),
        };
        let inits = self.args(carries.iter().map(|c| c.init));
        let (start, inits) = if let Some((start, totals)) = sums {
            (start, totals.into_iter().map(BlockArg::from).collect())
        } else if let Some(at_once) = at_once {
            self.records = if is_short { FxHashMap::default() } else { records(self.func, carries, body) };
            self.unrolled(at_once, &vars, (start, stop), (&inits, body))
        } else {
            (start, inits)
        };
        self.records.clear();
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

    /// Number of turns that are written one behind the other, if one is so short that counting costs as much.
    fn turns_at_once(&self, stop: Var, body: &Arm) -> Option<i64> {
        let is_plain = |stmt: &Stmt| matches!(stmt, Stmt::Let(..) | Stmt::Store { .. } | Stmt::Leave { .. });
        let is_constant = |stmt: &&Stmt| matches!(stmt, Stmt::Let(_, Expr::Int(_) | Expr::Real(_)));
        let steps = body.block.len() - body.block.iter().filter(is_constant).count();
        let at_once = AT_ONCE[SHORT_TURN.iter().position(|&most| steps <= most)?];
        let few = self.known[stop.index()].is_some_and(|count| count < 2 * at_once);
        (!few && body.block.iter().all(is_plain)).then_some(at_once)
    }

    /// Runs turns several at a time, as long as there are so many; gives the number of turns and what they carry.
    fn unrolled(
        &mut self,
        at_once: i64,
        vars: &[Var],
        (start, stop): (Value, Value),
        (inits, body): (&[BlockArg], &Arm),
    ) -> (Value, Vec<BlockArg>) {
        let mask = self.b.ins().iconst(types::I64, -at_once);
        let mut whole = self.b.ins().band(stop, mask);
        if !self.records.is_empty() {
            let [none, long] = [0, LONG].map(|count| self.b.ins().iconst(types::I64, count));
            let is_long = self.b.ins().icmp(ir::condcodes::IntCC::SignedGreaterThanOrEqual, stop, long);
            whole = self.b.ins().select(is_long, whole, none);
        }
        let (again, after) = (self.block_for(vars), self.block_for(vars));
        let first = counted(start, inits);
        let any = self.b.ins().icmp(ir::condcodes::IntCC::SignedLessThan, start, whole);
        self.b.ins().brif(any, again, &first, after, &first);
        self.enter(again, vars);
        let before = self.value(vars[0]);
        for turn in 1..=at_once {
            self.stmts(&body.block);
            let next: Vec<Value> = body.results.iter().map(|&var| self.value(var)).collect();
            vars[1..].iter().zip(next).for_each(|(&var, value)| self.set(var, value));
            let by = self.b.ins().iconst(types::I64, turn);
            let counter = self.b.ins().iadd(before, by);
            self.add_sum(counter, before, turn);
            self.set(vars[0], counter);
        }
        let next = self.args(vars.iter().copied());
        let counter = self.value(vars[0]);
        let more = self.b.ins().icmp(ir::condcodes::IntCC::SignedLessThan, counter, whole);
        self.b.ins().brif(more, again, &next, after, &next);
        self.enter(after, vars);
        let counter = self.value(vars[0]);
        (counter, self.args(vars[1..].iter().copied()))
    }

    pub(super) fn while_(&mut self, carries: &[Carry], test: &Arm, body: &Arm) {
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
}

/// The choices of a floating number that is carried or another one, whichever is beyond the other: as arithmetic, each would wait for
/// the one before. Each with the number that is carried.
fn records(func: &Func, carries: &[Carry], body: &Arm) -> FxHashMap<Var, Var> {
    let defined = |var: Var| {
        let is_it = |stmt: &&Stmt| matches!(stmt, Stmt::Let(of, _) if *of == var);
        body.block
            .iter()
            .find(is_it)
            .and_then(|stmt| if let Stmt::Let(_, expr) = stmt { Some(expr) } else { None })
    };
    let record = |(carry, &next): (&Carry, &Var)| {
        let &Expr::Select(test, x, y) = defined(next)? else { return None };
        let &Expr::Compare(_, a, b) = defined(test)? else { return None };
        let is_extreme = [[a, b], [b, a]].contains(&[x, y]) && [x, y].contains(&carry.param);
        (is_extreme && func.vars[next].is_float()).then_some((next, carry.param))
    };
    carries.iter().zip(&body.results).filter_map(record).collect()
}

fn counted(counter: Value, carries: &[BlockArg]) -> Vec<BlockArg> {
    [BlockArg::Value(counter)].into_iter().chain(carries.iter().copied()).collect()
}

fn params_and_outs(carries: &[Carry]) -> (Vec<Var>, Vec<Var>) {
    carries.iter().map(|c| (c.param, c.out)).unzip()
}
