//! Loops in lanes: several registers at a time, then one at a time, the last of them under a mask.

use gw_base::Id;

use super::expr::Kind;
use super::steps::Register;
use super::text::{Likely, Text, name, stored};
use crate::jit::lanes::{self, Lanes};
use crate::loops::{Arm, Expr, Stmt, Ty, Var};

/// Bits of the registers; what has narrower ones takes several for one.
const REGISTER: usize = 512;

/// Bits of the registers that [`Lanes`] counts by.
const COMMON_REGISTER: usize = 128;

/// So many registers at a time, if an iteration is short: what is computed of them does not wait for each other.
const REGISTERS: usize = 4;

/// An iteration of more statements keeps to one register at a time.
const LONG_TURN: usize = 24;

/// A loop in lanes, or a part of it.
pub(super) struct Turn<'l> {
    lanes: &'l Lanes,
    /// The number of elements per iteration.
    pub(super) count: usize,
    /// Start addresses of the streams.
    streams: &'l [((Var, Var), String)],
    /// The first element of the iteration.
    at: String,
    /// Mask of the active lanes, if not all are.
    pub(super) mask: Option<String>,
    /// The values of variables in this iteration.
    values: Vec<(Var, String)>,
}

/// A value that a loop carries from one iteration to the next.
pub(super) struct Carried {
    pub(super) kind: Kind,
    pub(super) value: String,
}

impl Text<'_> {
    /// Gives the number of elements done: all, unless one leaves the loop.
    pub(super) fn in_lanes(&mut self, lanes: &Lanes, iv: Var, stop: Var, body: &Arm) -> String {
        let (run, after) = (self.label(), self.label());
        let stop_value = self.value(stop);
        let any = self.give(&format!("icmp sgt i64 {stop_value}, 0"));
        self.left = vec![(self.block.clone(), "0".to_owned())];
        self.left_at.clone_from(&after);
        self.branch(&any, &run, &after, Likely::Either);
        self.enter(run);
        let streams = self.begin_lanes(lanes, iv, body);
        let short = body.block.len() <= LONG_TURN && !lanes.calls();
        let one = lanes_in_register(lanes);
        let mut carried = Vec::new();
        let turn = |text: &mut Self, turn: &mut Turn, _: &mut Vec<Carried>| text.turn(turn, body);
        let start = if short && self.known[stop.index()].is_none_or(|stop| stop >= (one * REGISTERS) as i64) {
            let count = one * REGISTERS;
            self.turns(lanes, &streams, ("0", &stop_value), count, &mut carried, turn)
        } else {
            "0".to_owned()
        };
        let start = self.turns(lanes, &streams, (&start, &stop_value), one, &mut carried, turn);
        self.last_turn(lanes, &streams, (&start, &stop_value), one, &mut carried, turn);
        self.left.push((self.block.clone(), stop_value));
        self.jump(&after);
        self.enter(after);
        let left = std::mem::take(&mut self.left);
        let edges: Vec<String> = left.iter().map(|(block, done)| format!("[ {done}, %{block} ]")).collect();
        self.give(&format!("phi i64 {}", edges.join(", ")))
    }

    /// Ends a loop in lanes before an iteration with an element for which a check does not hold.
    fn leave_lanes(&mut self, turn: &mut Turn, ok: Var) {
        let (count, ok, fine) = (turn.count, self.lane(turn, ok), self.label());
        let of = format!("<{count} x i1>");
        let function = self.declare("i1", &format!("llvm.vector.reduce.and.v{count}i1"), &of);
        let all = self.give(&format!("call i1 {function}({of} {ok})"));
        self.left.push((self.block.clone(), turn.at.clone()));
        let after = self.left_at.clone();
        self.branch(&all, &fine, &after, Likely::Either);
        self.enter(fine);
    }

    /// Computes the values that all iterations share; gives the starts of streams.
    pub(super) fn begin_lanes(&mut self, lanes: &Lanes, iv: Var, body: &Arm) -> Vec<((Var, Var), String)> {
        self.set(iv, "0".to_owned());
        let mut streams: Vec<((Var, Var), String)> = Vec::new();
        for stmt in &body.block {
            let (ptr, index, of) = match stmt {
                Stmt::Let(var, expr) if is_shared(lanes, *var) => {
                    self.define(*var, expr);
                    continue;
                }
                Stmt::Let(var, Expr::Load(ptr, index)) => (*ptr, *index, self.ty(*var)),
                Stmt::Store { ptr, index, value } => (*ptr, *index, self.ty(*value)),
                Stmt::Let(..) | Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::If { .. } => {
                    continue;
                }
                Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => continue,
                Stmt::Try { .. } | Stmt::Leave { .. } | Stmt::Share(_) | Stmt::Mark(_) => continue,
            };
            if !streams.iter().any(|(stream, _)| *stream == (ptr, index)) {
                let start = self.address(ptr, index, of);
                streams.push(((ptr, index), start));
            }
        }
        streams
    }

    /// Whole iterations from `start` on as long as there are so many elements; gives where they end.
    pub(super) fn turns(
        &mut self,
        lanes: &Lanes,
        streams: &[((Var, Var), String)],
        (start, stop): (&str, &str),
        count: usize,
        carried: &mut Vec<Carried>,
        one: impl Fn(&mut Self, &mut Turn, &mut Vec<Carried>),
    ) -> String {
        let [head, inside, after] = [(); 3].map(|()| self.label());
        let last = self.give(&format!("sub i64 {stop}, {count}"));
        let before = self.block.clone();
        self.jump(&head);
        self.enter(head.clone());
        let (at, at_place) = (self.fresh(), self.hold());
        let inits: Vec<String> = carried.iter().map(|c| c.value.clone()).collect();
        let places: Vec<usize> = carried.iter().map(|_| self.hold()).collect();
        let heads: Vec<String> = carried.iter().map(|_| self.fresh()).collect();
        carried.iter_mut().zip(&heads).for_each(|(c, head)| c.value.clone_from(head));
        let more = self.give(&format!("icmp sle i64 {at}, {last}"));
        self.branch(&more, &inside, &after, Likely::Either);
        self.enter(inside);
        let mut turn = Turn { lanes, count, streams, at: at.clone(), mask: None, values: Vec::new() };
        one(self, &mut turn, carried);
        let next = self.give(&format!("add nuw nsw i64 {at}, {count}"));
        let end = self.block.clone();
        self.jump(&head);
        self.fill(at_place, format!("{at} = phi i64 [ {start}, %{before} ], [ {next}, %{end} ]"));
        for (i, c) in carried.iter_mut().enumerate() {
            let (head, of) = (&heads[i], c.kind.name());
            self.fill(
                places[i],
                format!("{head} = phi {of} [ {}, %{before} ], [ {}, %{end} ]", inits[i], c.value),
            );
            c.value.clone_from(head);
        }
        self.enter(after);
        at
    }

    /// An iteration of the elements that are left, if any are.
    pub(super) fn last_turn(
        &mut self,
        lanes: &Lanes,
        streams: &[((Var, Var), String)],
        (start, stop): (&str, &str),
        count: usize,
        carried: &mut Vec<Carried>,
        one: impl Fn(&mut Self, &mut Turn, &mut Vec<Carried>),
    ) {
        let (inside, after) = (self.label(), self.label());
        let any = self.give(&format!("icmp slt i64 {start}, {stop}"));
        let before = self.block.clone();
        let inits: Vec<String> = carried.iter().map(|c| c.value.clone()).collect();
        self.branch(&any, &inside, &after, Likely::Either);
        self.enter(inside);
        let mask = format!("llvm.get.active.lane.mask.v{count}i1.i64");
        let mask = self.declare(&format!("<{count} x i1>"), &mask, "i64, i64");
        let mask = self.give(&format!("call <{count} x i1> {mask}(i64 {start}, i64 {stop})"));
        let mut turn =
            Turn { lanes, count, streams, at: start.to_owned(), mask: Some(mask), values: Vec::new() };
        one(self, &mut turn, carried);
        let end = self.block.clone();
        self.jump(&after);
        self.enter(after);
        for (init, c) in inits.iter().zip(carried) {
            c.value =
                self.give(&format!("phi {} [ {init}, %{before} ], [ {}, %{end} ]", c.kind.name(), c.value));
        }
    }

    /// The statements of an iteration.
    pub(super) fn turn(&mut self, turn: &mut Turn, body: &Arm) {
        for stmt in &body.block {
            match stmt {
                Stmt::Let(var, _) if is_shared(turn.lanes, *var) => {}
                Stmt::Let(var, expr) => {
                    let value = self.lane_expr(turn, self.ty(*var), expr);
                    turn.values.push((*var, value));
                }
                Stmt::Store { ptr, index, value } => {
                    let ty = self.ty(*value);
                    let (to, value) = (self.stream(turn, (*ptr, *index), ty), self.lane(turn, *value));
                    self.store_lanes(turn, ty, &value, &to);
                }
                Stmt::Leave { ok, .. } => self.leave_lanes(turn, *ok),
                Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::If { .. } => {}
                Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => {}
                Stmt::Try { .. } | Stmt::Share(_) | Stmt::Mark(_) => {}
            }
        }
    }

    /// Address of a stream in this iteration.
    fn stream(&mut self, turn: &Turn, stream: (Var, Var), ty: Ty) -> String {
        let start =
            turn.streams.iter().find(|(known, _)| *known == stream).map_or("poison", |(_, start)| start);
        self.give(&format!("getelementptr {}, ptr {start}, i64 {}", stored(ty), turn.at))
    }

    /// The elements of a stream; bools have a byte each.
    fn load_lanes(&mut self, turn: &Turn, ty: Ty, from: &str) -> String {
        if ty == Ty::Bool {
            let (bytes, count) = (self.load_lanes(turn, Ty::U8, from), turn.count);
            return self.give(&format!("trunc <{count} x i8> {bytes} to <{count} x i1>"));
        }
        let kind = Kind { ty, count: turn.count };
        let (of, size) = (kind.name(), ty.size());
        let Some(mask) = &turn.mask else {
            return self.give(&format!("load {of}, ptr {from}, align {size}"));
        };
        let (count, function) = (turn.count, format!("llvm.masked.load.{}.p0", kind.suffix()));
        let load = self.declare(&of, &function, &format!("ptr, i32 immarg, <{count} x i1>, {of}"));
        self.give(&format!(
            "call {of} {load}(ptr {from}, i32 {size}, <{count} x i1> {mask}, {of} zeroinitializer)"
        ))
    }

    fn store_lanes(&mut self, turn: &Turn, ty: Ty, value: &str, to: &str) {
        if ty == Ty::Bool {
            let count = turn.count;
            let bytes = self.give(&format!("zext <{count} x i1> {value} to <{count} x i8>"));
            return self.store_lanes(turn, Ty::U8, &bytes, to);
        }
        let kind = Kind { ty, count: turn.count };
        let (of, size) = (kind.name(), ty.size());
        let Some(mask) = &turn.mask else {
            self.line(format!("store {of} {value}, ptr {to}, align {size}"));
            return;
        };
        let (count, function) = (turn.count, format!("llvm.masked.store.{}.p0", kind.suffix()));
        let store = self.declare("void", &function, &format!("{of}, ptr, i32 immarg, <{count} x i1>"));
        self.line(format!("call void {store}({of} {value}, ptr {to}, i32 {size}, <{count} x i1> {mask})"));
    }

    /// The vector of a variable; what all iterations share is spread.
    pub(super) fn lane(&mut self, turn: &mut Turn, var: Var) -> String {
        if let Some((_, value)) = turn.values.iter().find(|(known, _)| *known == var) {
            return value.clone();
        }
        let (kind, value) = (Kind { ty: self.ty(var), count: turn.count }, self.value(var));
        let spread = if value.starts_with('%') { self.spread(kind, &value) } else { kind.constant(&value) };
        turn.values.push((var, spread.clone()));
        spread
    }

    fn spread(&mut self, kind: Kind, value: &str) -> String {
        let (of, one) = (kind.name(), name(kind.ty));
        let first = self.give(&format!("insertelement {of} poison, {one} {value}, i64 0"));
        self.give(&format!("shufflevector {of} {first}, {of} poison, <{} x i32> zeroinitializer", kind.count))
    }

    fn lane_expr(&mut self, turn: &mut Turn, ty: Ty, expr: &Expr) -> String {
        let kind = Kind { ty, count: turn.count };
        match expr {
            Expr::Load(ptr, index) => {
                let from = self.stream(turn, (*ptr, *index), ty);
                self.load_lanes(turn, ty, &from)
            }
            Expr::Unary(unary, x) => {
                let x = self.lane(turn, *x);
                self.unary(*unary, kind, &x)
            }
            Expr::Binary(binary, x, y) => {
                let [x, y] = [*x, *y].map(|var| self.lane(turn, var));
                self.binary(*binary, kind, &x, &y)
            }
            Expr::Compare(compare, x, y) => {
                let of = Kind { ty: self.ty(*x), ..kind };
                let [x, y] = [*x, *y].map(|var| self.lane(turn, var));
                self.compare(*compare, of, &x, &y)
            }
            Expr::Select(test, x, y) => {
                let [test, x, y] = [*test, *x, *y].map(|var| self.lane(turn, var));
                let of = kind.name();
                self.give(&format!("select <{} x i1> {test}, {of} {x}, {of} {y}", turn.count))
            }
            Expr::Convert(x) => {
                let from = Kind { ty: self.ty(*x), ..kind };
                let x = self.lane(turn, *x);
                self.convert(from, ty, &x)
            }
            Expr::Call(_, args) if lanes::formula(expr).is_some() => {
                let args: Vec<_> = args.iter().map(|&arg| self.lane(turn, arg)).collect();
                let mut register = Register { text: self, count: turn.count, names: Vec::new() };
                lanes::formula(expr).map(|formula| register.apply(formula, args)).unwrap_or_default()
            }
            // Values that all iterations share are computed before them.
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) => "poison".to_owned(),
            Expr::Offset(..) | Expr::Overflows(..) | Expr::Room | Expr::Call(..) => "poison".to_owned(),
        }
    }
}

/// True if a variable is no vector.
fn is_shared(lanes: &Lanes, var: Var) -> bool {
    matches!(lanes.kind(var), lanes::Kind::Uniform | lanes::Kind::Linear)
}

/// The number of elements that a register holds.
pub(super) fn lanes_in_register(lanes: &Lanes) -> usize {
    lanes.count() as usize * REGISTER / COMMON_REGISTER
}
