//! Reductions: the totals of all lanes in registers where elements come in lanes, else in memory; the order is that of
//! [`Lanewise`], so each digit is the one that every other emitter gives.

use gw_base::Id;

use super::expr::Kind;
use super::lanes::{Carried, Turn};
use super::text::{Join, Likely, Text, name, real};
use crate::jit::lanes::{self, Lanes};
use crate::loops::{Arm, Binary, Compare, Lanewise, Ty, Var};

/// Start addresses of streams.
type Streams = [((Var, Var), String)];

impl Text<'_> {
    /// `out` becomes the elements that `body` gives, taken together.
    pub(super) fn reduce(&mut self, how: Lanewise, (iv, stop): (Var, Var), init: Var, body: &Arm, out: Var) {
        let element = body.results[0];
        let count = Lanewise::lanes(self.ty(element));
        let totals = Kind { ty: self.ty(out), count };
        let mut after = Join { label: self.label(), edges: Vec::new() };
        if self.known[stop.index()].is_none() {
            self.few(how, (iv, stop), init, body, &mut after);
        }
        let lanes = Lanes::of(self.func, |_| None, iv, body).filter(|lanes| !lanes.is_for_widest());
        let total = match lanes.filter(|lanes| lanes.kind(element) == lanes::Kind::Varying) {
            Some(lanes) => self.reduce_in_lanes(how, totals, &lanes, (iv, stop), body),
            None => self.one_by_one(how, totals, (iv, stop), body),
        };
        let before = self.value(init);
        let total = self.combine(how, Kind::one(totals.ty), &before, &total);
        self.join(&mut after, vec![total]);
        self.enter_join(after, &[out]);
    }

    /// Goes on to `after` if there are few elements, which are taken in order.
    fn few(&mut self, how: Lanewise, (iv, stop): (Var, Var), init: Var, body: &Arm, after: &mut Join) {
        let [short, head, inside, done, long] = [(); 5].map(|()| self.label());
        let (ty, last, init) = (how.total(self.ty(body.results[0])), self.value(stop), self.value(init));
        let few = self.give(&format!("icmp slt i64 {last}, {}", Lanewise::LONG));
        self.branch(&few, &short, &long, Likely::Either);
        self.enter(short.clone());
        self.jump(&head);
        self.enter(head.clone());
        let (at, total, at_place, total_place) = (self.fresh(), self.fresh(), self.hold(), self.hold());
        let more = self.give(&format!("icmp slt i64 {at}, {last}"));
        self.branch(&more, &inside, &done, Likely::Either);
        self.enter(inside);
        let element = self.element(ty, iv, &at, body);
        let next_total = self.combine(how, Kind::one(ty), &total, &element);
        let next = self.give(&format!("add nuw nsw i64 {at}, 1"));
        self.jump(&head);
        let end = self.block.clone();
        self.fill(at_place, format!("{at} = phi i64 [ 0, %{short} ], [ {next}, %{end} ]"));
        let of = name(ty);
        self.fill(total_place, format!("{total} = phi {of} [ {init}, %{short} ], [ {next_total}, %{end} ]"));
        self.enter(done);
        self.join(after, vec![total]);
        self.enter(long);
    }

    /// The element of this count, in the type of the totals.
    fn element(&mut self, ty: Ty, iv: Var, at: &str, body: &Arm) -> String {
        self.set(iv, at.to_owned());
        self.stmts(&body.block);
        let element = body.results[0];
        let (from, value) = (Kind::one(self.ty(element)), self.value(element));
        self.convert(from, ty, &value)
    }

    fn reduce_in_lanes(
        &mut self,
        how: Lanewise,
        totals: Kind,
        lanes: &Lanes,
        (iv, stop): (Var, Var),
        body: &Arm,
    ) -> String {
        let element = body.results[0];
        let from = Kind { ty: self.ty(element), count: totals.count };
        let streams = self.begin_lanes(lanes, iv, body);
        let stop = self.value(stop);
        if how != Lanewise::Sum {
            return self.extreme_in_lanes(how, totals, lanes, (&streams, &stop), body);
        }
        let identity = totals.constant(&real(totals.ty, how.identity()));
        let mut carried = vec![Carried { kind: totals, value: identity }];
        let turn = |text: &mut Self, turn: &mut Turn, carried: &mut Vec<Carried>| {
            text.turn(turn, body);
            let element = text.lane(turn, element);
            let element = text.convert(from, totals.ty, &element);
            let total = carried[0].value.clone();
            let next = text.combine(how, totals, &total, &element);
            carried[0].value = match &turn.mask {
                // Totals of lanes that have no element any more stay.
                Some(mask) => {
                    let (count, of) = (totals.count, totals.name());
                    text.give(&format!("select <{count} x i1> {mask}, {of} {next}, {of} {total}"))
                }
                None => next,
            };
        };
        let start = self.turns(lanes, &streams, ("0", &stop), totals.count, &mut carried, turn);
        self.last_turn(lanes, &streams, (&start, &stop), totals.count, &mut carried, turn);
        let total = carried[0].value.clone();
        self.halved(how, totals, &total)
    }

    /// As in the first tier: what is better takes the place of a total, and which lanes have met NaN is noted beside.
    fn extreme_in_lanes(
        &mut self,
        how: Lanewise,
        totals: Kind,
        lanes: &Lanes,
        (streams, stop): (&Streams, &str),
        body: &Arm,
    ) -> String {
        let better = if how == Lanewise::Greatest { Compare::Gt } else { Compare::Lt };
        let nans = Kind { ty: Ty::Bool, ..totals };
        let identity = totals.constant(&real(totals.ty, how.identity()));
        let mut carried = vec![
            Carried { kind: totals, value: identity },
            Carried { kind: nans, value: nans.constant("false") },
        ];
        let turn = |text: &mut Self, turn: &mut Turn, carried: &mut Vec<Carried>| {
            text.turn(turn, body);
            let element = text.lane(turn, body.results[0]);
            let (total, met) = (carried[0].value.clone(), carried[1].value.clone());
            let (of, bools) = (totals.name(), nans.name());
            let is_better = text.compare(better, totals, &element, &total);
            let is_nan = text.compare(Compare::Ne, totals, &element, &element);
            let next = text.give(&format!("select {bools} {is_better}, {of} {element}, {of} {total}"));
            (carried[0].value, carried[1].value) = match &turn.mask {
                Some(mask) => {
                    let is_nan = text.binary(Binary::And, nans, mask, &is_nan);
                    let kept = text.give(&format!("select {bools} {mask}, {of} {next}, {of} {total}"));
                    (kept, text.binary(Binary::Or, nans, &met, &is_nan))
                }
                None => (next, text.binary(Binary::Or, nans, &met, &is_nan)),
            };
        };
        let start = self.turns(lanes, streams, ("0", stop), totals.count, &mut carried, turn);
        self.last_turn(lanes, streams, (&start, stop), totals.count, &mut carried, turn);
        let (of, nan) = (totals.name(), totals.constant(&real(totals.ty, f64::NAN)));
        let [total, met] = [0, 1].map(|at| carried[at].value.clone());
        let total = self.give(&format!("select {} {met}, {of} {nan}, {of} {total}", nans.name()));
        self.halved(how, totals, &total)
    }

    /// There are elements.
    fn one_by_one(&mut self, how: Lanewise, totals: Kind, (iv, stop): (Var, Var), body: &Arm) -> String {
        let [head, inside, after] = [(); 3].map(|()| self.label());
        let (all, one, size) = (totals.name(), name(totals.ty), totals.ty.size());
        let place = self.fresh();
        self.stack.push(format!("  {place} = alloca {all}, align 64"));
        let identity = totals.constant(&real(totals.ty, how.identity()));
        self.line(format!("store {all} {identity}, ptr {place}, align 64"));
        let (before, stop) = (self.block.clone(), self.value(stop));
        self.jump(&head);
        self.enter(head.clone());
        let (at, at_place) = (self.fresh(), self.hold());
        let more = self.give(&format!("icmp slt i64 {at}, {stop}"));
        self.branch(&more, &inside, &after, Likely::Either);
        self.enter(inside);
        let element = self.element(totals.ty, iv, &at, body);
        let lane = self.give(&format!("and i64 {at}, {}", totals.count - 1));
        let own = self.give(&format!("getelementptr {one}, ptr {place}, i64 {lane}"));
        let total = self.give(&format!("load {one}, ptr {own}, align {size}"));
        let total = self.combine(how, Kind::one(totals.ty), &total, &element);
        self.line(format!("store {one} {total}, ptr {own}, align {size}"));
        let next = self.give(&format!("add nuw nsw i64 {at}, 1"));
        let end = self.block.clone();
        self.jump(&head);
        self.fill(at_place, format!("{at} = phi i64 [ 0, %{before} ], [ {next}, %{end} ]"));
        self.enter(after);
        let total = self.give(&format!("load {all}, ptr {place}, align 64"));
        self.halved(how, totals, &total)
    }

    /// The totals together: the upper half of them is added to the lower, until one is left.
    fn halved(&mut self, how: Lanewise, totals: Kind, total: &str) -> String {
        let (mut total, mut kind) = (total.to_owned(), totals);
        while kind.count > 1 {
            let (of, half) = (kind.name(), Kind { ty: kind.ty, count: kind.count / 2 });
            let [lower, upper] = [0, half.count].map(|first| {
                let lanes: Vec<String> =
                    (first..first + half.count).map(|lane| format!("i32 {lane}")).collect();
                let lanes = format!("<{} x i32> <{}>", half.count, lanes.join(", "));
                self.give(&format!("shufflevector {of} {total}, {of} poison, {lanes}"))
            });
            total = self.combine(how, half, &lower, &upper);
            kind = half;
        }
        self.give(&format!("extractelement {} {total}, i64 0", kind.name()))
    }

    /// A total and one more element.
    fn combine(&mut self, how: Lanewise, kind: Kind, total: &str, element: &str) -> String {
        let better = match how {
            Lanewise::Sum => return self.binary(Binary::Add, kind, total, element),
            Lanewise::Greatest => Compare::Ge,
            Lanewise::Least => Compare::Le,
        };
        let better = self.compare(better, kind, total, element);
        let nan = self.compare(Compare::Ne, kind, total, total);
        let test = Kind { ty: Ty::Bool, ..kind };
        let stays = self.binary(Binary::Or, test, &better, &nan);
        let (test, of) = (test.name(), kind.name());
        self.give(&format!("select {test} {stays}, {of} {total}, {of} {element}"))
    }
}
