//! Loops over positions that are independent of each other: what is worth it may be cut into runs for several threads.

use super::context::{Lower, Lowers, OwnRoom};
use crate::loops::{Binary, Block, Cut, Expr, Own, Share, Stmt, Ty, Unary, Var, is_apart};

/// A run has at least so much to do, in picoseconds: to wake a thread takes about as long.
pub(crate) const GRAIN: i64 = 20_000_000;

/// About so many picoseconds do a multiplication and an addition take of a product of matrices.
pub(super) const PRODUCT: i64 = 20;

/// More than this no body is taken to cost for each of its elements; what is known to be less than two runs even then is not
/// considered.
const DEAREST: i64 = 30_000;

/// So many elements a loop is taken to have whose lengths are not known.
const UNKNOWN: i64 = 1 << 12;

/// Memory of a run begins at multiples of this, and so does each array in it.
const ALIGNMENT: usize = 64;

/// Work at each position of a loop.
pub(super) struct Work {
    /// Elements, or whatever is counted.
    pub(super) each: Var,
    /// Picoseconds for one of them, if the body does not tell.
    pub(super) cost: Option<i64>,
    /// True if arrays of the body lie in memory that each run has for itself.
    pub(super) own: bool,
}

/// Cut of runs: by the amount of work, at this cost, and not into fewer counts.
pub(super) struct Amount {
    pub(super) work: Var,
    pub(super) cost: i64,
    pub(super) fewest: Var,
}

impl Lower<'_> {
    /// The work of a loop that has an element at each position.
    pub(super) fn elementary(&mut self) -> Work {
        Work { each: self.b.word(1), cost: None, own: false }
    }

    /// Runs `body` at each position of axes of these lengths. No position reads what another writes, so several threads may
    /// share the first axis.
    pub(super) fn spread(
        &mut self,
        dims: &[Var],
        work: Work,
        body: impl FnOnce(&mut Self, &[Var]) -> Lowers<()>,
    ) -> Lowers<()> {
        let axis = dims.iter().position(|&dim| self.b.known(dim) != Some(1));
        let all = self.work_of(dims, &work);
        let Some(axis) = axis.filter(|_| self.is_worth_runs(all, &work)) else {
            return self.nest(dims, body);
        };
        let inner = &dims[axis + 1..];
        self.in_runs(dims[axis], all, work, |lower, [first, count]| {
            let (carries, iv) = lower.b.begin_for(&[]);
            let mut at: Vec<Var> = dims[..axis].iter().map(|_| lower.b.word(0)).collect();
            at.push(lower.b.add(first, iv));
            let (index, open) = lower.open_nest(inner, &[]);
            body(lower, &[at, index].concat())?;
            lower.close_nest(open, Vec::new());
            lower.b.end_for(count, iv, carries, Vec::new());
            Ok(())
        })
    }

    /// As [`Lower::spread`] of one axis, for a body that gets the first of its positions and their number.
    pub(super) fn spread_runs(
        &mut self,
        stop: Var,
        work: Work,
        body: impl FnOnce(&mut Self, [Var; 2]) -> Lowers<()>,
    ) -> Lowers<()> {
        let all = self.work_of(&[stop], &work);
        if self.b.known(stop) == Some(1) || !self.is_worth_runs(all, &work) {
            let first = self.b.word(0);
            return body(self, [first, stop]);
        }
        self.in_runs(stop, all, work, body)
    }

    /// The work at all positions.
    fn work_of(&mut self, dims: &[Var], work: &Work) -> Var {
        let positions = self.count(dims);
        let all = self.b.binary(Binary::MulSaturating, positions, work.each);
        self.elements = self.elements.saturating_add(self.b.known(all).unwrap_or(UNKNOWN));
        all
    }

    /// True unless so much is known to be less than two runs, or is part of a run.
    fn is_worth_runs(&self, all: Var, work: &Work) -> bool {
        let dearest = work.cost.unwrap_or(DEAREST);
        let is_little = self.b.known(all).is_some_and(|all| all.saturating_mul(dearest) < 2 * self.grain);
        !self.spreading && !is_little
    }

    /// Cuts positions into runs, with a body for each.
    fn in_runs(
        &mut self,
        stop: Var,
        all: Var,
        work: Work,
        body: impl FnOnce(&mut Self, [Var; 2]) -> Lowers<()>,
    ) -> Lowers<()> {
        let before = self.addressed;
        self.spreading = true;
        let (first, count, start) = (self.b.fresh(Ty::I64), self.b.fresh(Ty::I64), self.b.fresh(Ty::Ptr));
        self.own = work.own.then_some(OwnRoom { start, used: 0 });
        self.b.open();
        body(self, [first, count])?;
        let body = self.b.close(Vec::new()).block;
        let used = self.own.take().map_or(0, |own| own.used);
        self.spreading = false;
        let cost = work.cost.unwrap_or_else(|| cost_of(&body));
        let amount = Amount { work: all, cost, fewest: self.b.word(1) };
        let own = (used > 0).then(|| {
            let slot = self.slot(used);
            Own { start, here: self.slot_start(slot), size: used }
        });
        let may = self.addressed == before + usize::from(own.is_some()) && is_apart(&body);
        self.share((stop, first, count), own, body, &amount, may);
        Ok(())
    }

    /// A loop in runs, which is not cut if that is not allowed, or known not to be worth it.
    pub(super) fn share(
        &mut self,
        (stop, first, count): (Var, Var, Var),
        own: Option<Own>,
        mut body: Block,
        amount: &Amount,
        may: bool,
    ) {
        let least = (self.grain / amount.cost.max(1)).max(1);
        if may && self.b.known(amount.work).is_none_or(|work| work >= 2 * least) {
            let Amount { work, fewest, .. } = *amount;
            let cut = Cut { work, least, fewest, piece: 0, given: Vec::new() };
            return self.b.push(Stmt::Share(Share { stop, first, count, own, body, cut }));
        }
        let zero = self.b.word(0);
        self.b.push(Stmt::Let(first, Expr::Int(0)));
        self.b.push(Stmt::Let(count, Expr::Binary(Binary::Add, stop, zero)));
        if let Some(own) = own {
            self.b.push(Stmt::Let(own.start, Expr::Offset(own.here, zero, Ty::Bool)));
        }
        if let [.., Stmt::For { stop: counted, .. }] = &mut body[..]
            && *counted == count
        {
            *counted = stop;
        }
        self.b.splice(body);
    }

    /// Memory for an array of a run, if runs have some for themselves.
    pub(super) fn own_room(&mut self, size: usize) -> Option<Var> {
        let OwnRoom { start, used } = self.own?;
        self.own = Some(OwnRoom { start, used: used + size.next_multiple_of(ALIGNMENT) });
        let at = self.b.word(used as i64);
        Some(self.b.offset(start, at, Ty::Bool))
    }
}

/// About how many picoseconds a block takes for each of its elements, where it runs in lanes; loops in it count once.
fn cost_of(block: &[Stmt]) -> i64 {
    block.iter().map(cost).sum()
}

fn cost(stmt: &Stmt) -> i64 {
    match stmt {
        Stmt::Let(_, expr) => match expr {
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Room => 0,
            Expr::Load(..) => 60,
            Expr::Unary(Unary::Sqrt, _) => 200,
            Expr::Binary(Binary::Div | Binary::ShortDiv | Binary::ShortRest, ..) => 200,
            Expr::Unary(..) | Expr::Binary(..) | Expr::Compare(..) | Expr::Select(..) => 30,
            Expr::Convert(_) | Expr::Offset(..) | Expr::Overflows(..) => 30,
            Expr::Call(..) if crate::jit::is_in_lanes(expr) => 300,
            Expr::Call(..) => 6_000,
        },
        Stmt::Store { .. } => 80,
        Stmt::Mark(_) => 0,
        Stmt::Do(..) => 6_000,
        Stmt::If { then, otherwise, .. } => cost_of(&then.block).max(cost_of(&otherwise.block)),
        Stmt::Try { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => cost_of(&body.block),
        Stmt::While { body, .. } => cost_of(&body.block),
        Stmt::Share(share) => cost_of(&share.body),
        Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::Leave { .. } => 30,
    }
}
