//! Conditions under which no check of any turn fails, computed before the loop.

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::Facts;
use super::shape::Shape;
use super::totals::Total;
use crate::loops::numbering::{self, Numbering};
use crate::loops::{Binary, Block, Carry, Compare, Expr, Stmt, Ty, Unary, Var};
use gw_base::Table;

/// Numbers are at most so far from zero, so that nothing that grows evenly wraps.
const FAR: i64 = 1 << 40;

/// So many turns at most: the host is not asked meanwhile whether to go on.
const MOST_TURNS: i64 = 1 << 24;

/// An even growth is by at most so much in a turn.
const STEEP: i64 = 1 << 20;

/// Variable of the loop's body, as it is from turn to turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The same in each turn, and computed of what is outside.
    Uniform,
    /// Grows evenly: by so many steps of the counter.
    Even(i64),
    /// Anything.
    Data,
}

/// A turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Turn {
    First,
    Last,
}

/// Statements before the loop, and what is known of the variables in its body.
pub(super) struct Before<'a> {
    pub(super) facts: &'a Facts,
    pub(super) vars: &'a mut Table<Var, Ty>,
    pub(super) block: Block,
    /// Values that the statements before the loop have computed.
    numbered: Numbering,
    /// The integers that they have made.
    words: FxHashMap<Var, i64>,
    pub(super) kinds: FxHashMap<Var, Kind>,
    /// Definitions in the body.
    pub(super) defined: FxHashMap<Var, Expr>,
    /// Copies of uniform variables before the loop.
    copies: FxHashMap<Var, Var>,
    /// Values of others in a turn.
    values: FxHashMap<(Var, Turn), Var>,
    /// Choices that are taken for their second side.
    second: FxHashMap<Var, Var>,
    /// Variables that a turn goes on with only if they are not negative.
    pub(super) naturals: FxHashSet<Var>,
    /// Results of branches that depend on the number of the turn.
    pub(super) counted: FxHashSet<Var>,
    /// True if what follows a check in a turn may rely on that for its places: nothing is computed before it.
    pub(super) is_ordered: bool,
    /// Numbers that are carried and added to.
    pub(super) totals: FxHashMap<Var, Total>,
    /// The number of turns.
    pub(super) count: Option<Var>,
    /// Checks of totals, each with the condition before the loop on which it holds in all turns.
    pub(super) sums: Vec<(Var, Var)>,
    /// Conditions, all of which have to hold.
    conditions: Vec<Var>,
    met: Vec<(Var, bool)>,
    counter: Var,
    /// The amount by which the counter changes in a turn, if it is known.
    step: Option<i64>,
    /// The same as a variable.
    by: Option<Var>,
}

impl<'a> Before<'a> {
    pub(super) fn new(
        facts: &'a Facts,
        vars: &'a mut Table<Var, Ty>,
        carries: &[Carry],
        shape: &Shape,
        totals: FxHashMap<Var, Total>,
    ) -> Self {
        let counter = carries[shape.counter].param;
        let mut kinds: FxHashMap<Var, Kind> = carries.iter().map(|carry| (carry.param, Kind::Data)).collect();
        kinds.insert(counter, Kind::Even(1));
        kinds.extend(shape.left_out.iter().map(|&var| (var, Kind::Data)));
        let (copies, values, second, defined) = Default::default();
        let (naturals, counted, conditions, met, block, numbered, words) = Default::default();
        let mut before = Self {
            facts,
            vars,
            block,
            numbered,
            words,
            kinds,
            defined,
            copies,
            values,
            second,
            naturals,
            counted,
            is_ordered: false,
            totals,
            count: None,
            sums: Vec::new(),
            conditions,
            met,
            counter,
            step: None,
            by: None,
        };
        shape.constants.iter().for_each(|(var, expr)| before.define(*var, expr));
        before
    }

    pub(super) fn kind(&self, var: Var) -> Kind {
        self.kinds.get(&var).copied().unwrap_or(Kind::Uniform)
    }

    /// The amount by which the counter changes in a turn, if it is known.
    pub(super) fn step(&self) -> Option<i64> {
        self.step
    }

    /// The integer that a variable is known to be.
    pub(super) fn known(&self, var: Var) -> Option<i64> {
        match self.defined.get(&var) {
            Some(Expr::Int(value)) => Some(*value),
            Some(_) => None,
            None => self.facts.known.get(&var).or_else(|| self.words.get(&var)).copied(),
        }
    }

    pub(super) fn let_(&mut self, ty: Ty, expr: Expr) -> Var {
        if let Some(var) = self.simplified(&expr) {
            return var;
        }
        let expr = self.folded(ty, &expr).map_or(expr, Expr::Int);
        let key = numbering::key(ty, &expr);
        if let Some(&var) = key.as_ref().and_then(|key| self.numbered.get(key)) {
            return var;
        }
        let var = self.vars.push(ty);
        if let Expr::Int(value) = expr {
            self.words.insert(var, value);
        }
        self.block.push(Stmt::Let(var, expr));
        self.numbered.extend(key.map(|key| (key, var)));
        var
    }

    pub(super) fn word(&mut self, value: i64) -> Var {
        self.let_(Ty::I64, Expr::Int(value))
    }

    pub(super) fn binary(&mut self, binary: Binary, x: Var, y: Var) -> Var {
        self.let_(self.vars[x], Expr::Binary(binary, x, y))
    }

    pub(super) fn compare(&mut self, compare: Compare, x: Var, y: Var) -> Var {
        self.let_(Ty::Bool, Expr::Compare(compare, x, y))
    }

    pub(super) fn demand(&mut self, condition: Var) {
        if self.known(condition) != Some(1) && !self.conditions.contains(&condition) {
            self.conditions.push(condition);
        }
    }

    /// True if a number is not farther from zero than `FAR`.
    fn is_near(&mut self, x: Var) -> Var {
        let (far, span) = (self.word(FAR), self.word(2 * FAR));
        let moved = self.binary(Binary::Add, x, far);
        self.compare(Compare::Below, moved, span)
    }

    /// The number of turns, once the flag holds; sets what the counter is in the first and the last.
    pub(super) fn turns(&mut self, carries: &[Carry], shape: &Shape) -> Option<Var> {
        let init = carries[shape.counter].init;
        if self.vars[init] != Ty::I64 {
            return None;
        }
        let (by, size) = self.growth(shape)?;
        let limit = self.copy(shape.limit)?;
        self.demand(carries[shape.on].init);
        for number in [init, limit] {
            let near = self.is_near(number);
            self.demand(near);
        }
        let one = self.word(1);
        let (from, to) = if shape.subtracts { (limit, init) } else { (init, limit) };
        let room = self.binary(Binary::Sub, to, from);
        let is_closed = matches!(shape.compare, Compare::Le | Compare::Ge);
        let room = if is_closed { self.binary(Binary::Add, room, one) } else { room };
        let count = if self.step.map(i64::abs) == Some(1) { room } else { self.rounded_up(room, size, one) };
        let some = self.compare(Compare::Gt, count, one);
        let mut count = self.let_(Ty::I64, Expr::Select(some, count, one));
        let most = self.word(MOST_TURNS);
        let few = self.compare(Compare::Le, count, most);
        self.demand(few);
        if !shape.ends.is_empty() {
            // The last one is a turn of the loop as it was.
            count = self.binary(Binary::Sub, count, one);
            self.demand(some);
        }
        let others = self.binary(Binary::Sub, count, one);
        let far = self.binary(Binary::Mul, others, by);
        let last = self.binary(Binary::Add, init, far);
        self.values.insert((self.counter, Turn::First), init);
        self.values.insert((self.counter, Turn::Last), last);
        self.count = Some(count);
        Some(count)
    }

    /// The amount by which the counter changes, and its size.
    fn growth(&mut self, shape: &Shape) -> Option<(Var, Var)> {
        let known = self.known(shape.step);
        if known.is_some_and(|step| !(1..=STEEP).contains(&step)) || (known.is_none() && shape.subtracts) {
            return None;
        }
        self.step = known.map(|step| if shape.subtracts { -step } else { step });
        let size = self.copy(shape.step)?;
        let by = if shape.subtracts { self.word(self.step?) } else { size };
        self.by = Some(by);
        Some((by, size))
    }

    /// The amount by which the counter changes in a turn, before the loop.
    pub(super) fn by(&self) -> Option<Var> {
        self.by
    }

    /// The quotient, rounded up, of a number by a step that has to be between 1 and `STEEP`.
    fn rounded_up(&mut self, room: Var, step: Var, one: Var) -> Var {
        let steep = self.word(STEEP);
        let less = self.binary(Binary::Sub, step, one);
        let fits = self.compare(Compare::Below, less, steep);
        self.demand(fits);
        let step = self.let_(Ty::I64, Expr::Select(fits, step, one));
        let less = self.binary(Binary::Sub, step, one);
        let more = self.binary(Binary::Add, room, less);
        self.binary(Binary::Div, more, step)
    }

    /// Takes a definition of the body down.
    pub(super) fn define(&mut self, var: Var, expr: &Expr) {
        let kind = self.judge(self.vars[var], expr);
        self.kinds.insert(var, kind);
        self.defined.insert(var, expr.clone());
        if matches!(kind, Kind::Even(_)) && self.vars[var] == Ty::I32 && self.fits_at_both_ends(var).is_none()
        {
            self.kinds.insert(var, Kind::Data);
        }
    }

    /// Demands that a number of 32 bits is the same as one of 64 would be, in the first turn and in the last.
    fn fits_at_both_ends(&mut self, var: Var) -> Option<()> {
        for turn in [Turn::First, Turn::Last] {
            let exact = self.value(var, turn)?;
            self.demand_narrow(exact);
        }
        Some(())
    }

    fn demand_narrow(&mut self, exact: Var) {
        let fits = self.is_short(exact);
        self.demand(fits);
    }

    /// True if a number is one of 32 bits.
    pub(super) fn is_short(&mut self, exact: Var) -> Var {
        let (least, span) = (self.word(1 << 31), self.word(1 << 32));
        let moved = self.binary(Binary::Add, exact, least);
        self.compare(Compare::Below, moved, span)
    }

    fn judge(&self, ty: Ty, expr: &Expr) -> Kind {
        let kinds: Vec<Kind> = expr.operands().iter().map(|&var| self.kind(var)).collect();
        if kinds.iter().all(|kind| *kind == Kind::Uniform) {
            return if expr.is_cheap() { Kind::Uniform } else { Kind::Data };
        }
        if !counts(ty) {
            return Kind::Data;
        }
        let &Expr::Binary(binary, x, y) = expr else {
            return match (expr, &kinds[..]) {
                (Expr::Unary(Unary::Neg, _), &[Kind::Even(by)]) => Kind::Even(-by),
                (Expr::Convert(from), &[Kind::Even(by)]) if counts(self.vars[*from]) => Kind::Even(by),
                _ => Kind::Data,
            };
        };
        let even = match (binary, kinds[0], kinds[1]) {
            (Binary::Add | Binary::Sub, Kind::Even(by), Kind::Uniform) => Some(by),
            (Binary::Add, Kind::Uniform, Kind::Even(by)) => Some(by),
            (Binary::Sub, Kind::Uniform, Kind::Even(by)) => Some(-by),
            (Binary::Mul, Kind::Even(by), Kind::Uniform) => self.known(y).and_then(|y| by.checked_mul(y)),
            (Binary::Mul, Kind::Uniform, Kind::Even(by)) => self.known(x).and_then(|x| by.checked_mul(x)),
            _ => None,
        };
        let fits = |by: &i64| match self.step {
            Some(step) => by.checked_mul(step).is_some_and(|by| by.unsigned_abs() <= STEEP as u64),
            None => by.unsigned_abs() <= 1,
        };
        even.filter(fits).map_or(Kind::Data, Kind::Even)
    }

    /// A uniform variable before the loop.
    pub(super) fn copy(&mut self, var: Var) -> Option<Var> {
        if self.kind(var) != Kind::Uniform {
            return None;
        }
        let Some(expr) = self.defined.get(&var).cloned() else { return Some(var) };
        if let Some(&copy) = self.copies.get(&var) {
            return Some(copy);
        }
        for operand in expr.operands() {
            self.copy(operand)?;
        }
        let expr = expr.map(|operand| self.copies.get(&operand).copied().unwrap_or(operand));
        let copy = self.let_(self.vars[var], expr);
        self.copies.insert(var, copy);
        Some(copy)
    }

    /// The value of a variable in a turn, as a number of 64 bits.
    pub(super) fn value(&mut self, var: Var, turn: Turn) -> Option<Var> {
        if let Some(&instead) = self.second.get(&var) {
            return self.value(instead, turn);
        }
        match self.kind(var) {
            Kind::Uniform => {
                let copy = self.copy(var)?;
                let is_wide = self.vars[copy] != Ty::I32;
                return Some(if is_wide { copy } else { self.let_(Ty::I64, Expr::Convert(copy)) });
            }
            Kind::Data => return None,
            Kind::Even(_) => {}
        }
        if let Some(&value) = self.values.get(&(var, turn)) {
            return Some(value);
        }
        let expr = self.defined.get(&var)?.clone();
        let mut values = FxHashMap::default();
        for operand in expr.operands() {
            values.insert(operand, self.value(operand, turn)?);
        }
        let value = if let Expr::Convert(of) = expr {
            values[&of]
        } else {
            self.let_(Ty::I64, expr.map(|operand| values[&operand]))
        };
        self.values.insert((var, turn), value);
        if turn == Turn::First {
            let near = self.is_near(value);
            self.demand(near);
        }
        Some(value)
    }

    /// Demands that a bool of the body is this in each turn; nothing where that cannot be said of the first and the last.
    pub(super) fn always(&mut self, var: Var, wanted: bool) -> Option<()> {
        if self.met.contains(&(var, wanted)) {
            return Some(());
        }
        if self.kind(var) == Kind::Uniform {
            let copy = self.copy(var)?;
            self.hold(copy, wanted);
        } else {
            self.always_of(&self.defined.get(&var)?.clone(), wanted)?;
        }
        self.met.push((var, wanted));
        Some(())
    }

    fn always_of(&mut self, expr: &Expr, wanted: bool) -> Option<()> {
        match (expr, wanted) {
            (Expr::Unary(Unary::Not, x), _) => self.always(*x, !wanted),
            (Expr::Binary(Binary::And, x, y), true) | (Expr::Binary(Binary::Or, x, y), false) => {
                [*x, *y].into_iter().try_for_each(|part| self.always(part, wanted))
            }
            (Expr::Compare(Compare::Eq | Compare::Ne, ..), _) => None,
            (Expr::Compare(Compare::Below, ..), false) => None,
            (Expr::Compare(Compare::Below, x, y), true) => {
                // Of the numbers between two that are not negative none is.
                let zero = self.word(0);
                self.at_both_ends(false, *x, zero, |x, zero| Expr::Compare(Compare::Lt, x, zero))?;
                self.at_both_ends(true, *x, *y, |x, y| Expr::Compare(Compare::Below, x, y))
            }
            (Expr::Compare(compare, x, y), _) => {
                self.at_both_ends(wanted, *x, *y, |x, y| Expr::Compare(*compare, x, y))
            }
            // A product of two that grow may be farthest from zero between both ends.
            (Expr::Overflows(Binary::Mul, x, y), false)
                if [x, y].into_iter().all(|&var| self.kind(var) != Kind::Uniform) =>
            {
                None
            }
            (Expr::Overflows(binary, x, y), false) if self.vars[*x] == Ty::I32 => {
                for turn in [Turn::First, Turn::Last] {
                    let (x, y) = (self.value(*x, turn)?, self.value(*y, turn)?);
                    let exact = self.binary(*binary, x, y);
                    self.demand_narrow(exact);
                }
                Some(())
            }
            (Expr::Overflows(binary, x, y), false) => {
                self.at_both_ends(false, *x, *y, |x, y| Expr::Overflows(*binary, x, y))
            }
            _ => None,
        }
    }

    fn hold(&mut self, var: Var, wanted: bool) {
        let holds = if wanted { var } else { self.let_(Ty::Bool, Expr::Unary(Unary::Not, var)) };
        self.demand(holds);
    }

    fn at_both_ends(&mut self, wanted: bool, x: Var, y: Var, test: impl Fn(Var, Var) -> Expr) -> Option<()> {
        let even = [x, y].into_iter().filter(|&var| self.kind(var) != Kind::Uniform).count();
        if even != 1 || !counts(self.vars[x]) {
            return None;
        }
        for turn in [Turn::First, Turn::Last] {
            let (x, y) = (self.value(x, turn)?, self.value(y, turn)?);
            let found = self.let_(Ty::Bool, test(x, y));
            self.hold(found, wanted);
        }
        Some(())
    }

    /// Takes a choice for its second side, if its test fails in each turn: an index that does not count from the end.
    pub(super) fn choose_second(&mut self, var: Var, test: Var, second: Var) {
        let Some(&Expr::Compare(Compare::Lt, number, zero)) = self.defined.get(&test) else { return };
        if self.known(zero) != Some(0) {
            return;
        }
        let kind = self.kind(second);
        let is_even = matches!(kind, Kind::Even(_));
        if (is_even && self.always(test, false).is_some()) || self.naturals.contains(&number) {
            self.kinds.insert(var, kind);
            self.second.insert(var, second);
        }
    }

    /// The variable that stands for a choice that is taken for one side.
    pub(super) fn chosen(&self, var: Var) -> Var {
        self.second.get(&var).map_or(var, |&second| self.chosen(second))
    }

    /// True if all conditions hold.
    pub(super) fn all(&mut self) -> Var {
        let conditions = std::mem::take(&mut self.conditions);
        self.all_of(conditions).unwrap_or_else(|| self.let_(Ty::Bool, Expr::Int(1)))
    }

    /// True if all of these hold; nothing if there are none.
    pub(super) fn all_of(&mut self, conditions: Vec<Var>) -> Option<Var> {
        conditions.into_iter().reduce(|all, one| self.binary(Binary::And, all, one))
    }
}

/// True for the types of numbers that may grow evenly.
fn counts(ty: Ty) -> bool {
    matches!(ty, Ty::I64 | Ty::I32)
}
