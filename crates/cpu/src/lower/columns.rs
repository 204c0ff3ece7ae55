//! Sums over all axes but the last and some before it: sums of columns. Strips of columns are worked off row by row, so that
//! memory is read in order, and each column's sum is the one that [`Lanewise`] says.

use gw_ir::{Attr, Node, ValueId};
use gw_kernels::{ADD_ROWS_F32, ADD_ROWS_F64};

use super::arrays::{At, View};
use super::reduce::{Fold, merged};
use super::spread::Work;
use super::{Held, Lower, Lowers, broken};
use crate::loops::{Binary, Callee, Compare, Lanewise, Stmt, Ty, Var};

/// So many columns have their totals, of all lanes, and a row in the nearest cache.
const STRIP: i64 = 128;

/// Fewer columns are summed one by one: of an array in memory, and of one that is computed on the way.
const FEWEST: [i64; 2] = [4, 16];

/// Picoseconds for an element.
const COST: i64 = 100;

/// A reduction of columns.
struct Columns<'a> {
    source: ValueId,
    /// The elements where they are in memory already, the columns next to each other.
    view: Option<View>,
    ty: Ty,
    /// The axes that go.
    gone: &'a [usize],
    /// Their lengths.
    taken: Vec<Var>,
}

/// Totals of a strip.
#[derive(Clone, Copy)]
struct Totals {
    /// What there is in all.
    all: Var,
    /// Those of the lanes, and whether there are enough rows for them, unless there are known to be too few.
    lanes: Option<(Var, Var)>,
}

impl Lower<'_> {
    /// Sums columns if it is columns that are to be summed; false if not, and nothing has been done then.
    pub(super) fn columns(&mut self, node: &Node, fold: Fold) -> Lowers<bool> {
        let Attr::Axes { axes, keep } = &node.attr else { return Ok(false) };
        let (source, ty) = (node.args[0], self.ty(node.args[0]));
        let own = self.dims(source)?;
        let is_sum = fold == Fold::Sum && ty.is_float() && !axes.is_empty();
        let Some(&width) = own.last().filter(|_| is_sum && !axes.contains(&(own.len() - 1))) else {
            return Ok(false);
        };
        let view = self.in_columns(source)?;
        let fewest = FEWEST[usize::from(view.is_none())];
        if self.b.known(width).is_some_and(|width| width < fewest) {
            return Ok(false);
        }
        let taken = axes.iter().map(|&axis| own[axis]).collect();
        let flat = self.sum_columns(node, &own, &Columns { source, view, ty, gone: axes, taken })?;
        self.define_kept(node, axes, *keep, flat)?;
        Ok(true)
    }

    /// The sums, strip by strip.
    fn sum_columns(&mut self, node: &Node, own: &[Var], columns: &Columns) -> Lowers<View> {
        let ty = columns.ty;
        let mut kept: Vec<Var> =
            (0..own.len()).filter(|axis| !columns.gone.contains(axis)).map(|axis| own[axis]).collect();
        let ptr = self.room(Some(node.results[0]), ty, &kept);
        let flat = self.dense(ptr, ty, kept.clone());
        let (rows, strip) = (self.count(&columns.taken), self.b.word(STRIP));
        let each = self.b.binary(Binary::MulSaturating, rows, strip);
        let last = kept.len() - 1;
        let width = kept[last];
        kept[last] = self.strips(width);
        self.spread(&kept, Work { each, cost: Some(COST), own: true }, |lower, index| {
            let first = lower.b.mul(index[last], strip);
            let left = lower.b.sub(width, first);
            let is_whole = lower.b.compare(Compare::Lt, strip, left);
            let count = lower.b.select(is_whole, strip, left);
            let place = [&index[..last], &[first]].concat();
            let all = lower.sum_strip(columns, &place, count)?;
            let number = lower.number_of(&place, &flat.strides);
            let to = lower.b.offset(flat.ptr, number, ty);
            lower.copy_rounded(to, all, (ty, count));
            Ok(())
        })?;
        Ok(flat)
    }

    /// How many strips there are.
    fn strips(&mut self, width: Var) -> Var {
        if let Some(width) = self.b.known(width) {
            return self.b.word((width + STRIP - 1) / STRIP);
        }
        let (rest, bits) = (self.b.word(STRIP - 1), self.b.word(i64::from(STRIP.trailing_zeros())));
        let filled = self.b.add(width, rest);
        self.b.binary(Binary::Sar, filled, bits)
    }

    /// The array, if it is in memory with its columns next to each other.
    fn in_columns(&mut self, source: ValueId) -> Lowers<Option<View>> {
        let Held::View(view) = self.held(source)? else { return Ok(None) };
        let are_next = view.strides.last().is_some_and(|&step| self.b.known(step) == Some(1));
        Ok(Some(view).filter(|_| are_next))
    }

    /// The totals of the columns from `place` on, so many of them.
    fn sum_strip(&mut self, columns: &Columns, place: &[Var], count: Var) -> Lowers<Var> {
        let [outer @ .., rows] = &columns.taken[..] else { return Err(broken("a sum over no axis")) };
        let number = Lanewise::lanes(columns.ty) as i64;
        let all = self.totals(1);
        let lanes = if self.is_long(*rows) { Some((self.totals(number), self.reaches(*rows))) } else { None };
        self.clear(all, STRIP);
        let (at, open) = self.open_nest(outer, &[]);
        if let Some((lanes, _)) = lanes {
            self.clear(lanes, number * STRIP);
        }
        self.sum_rows(columns, Totals { all, lanes }, (place, &at, *rows, count))?;
        if let Some((lanes, _)) = lanes {
            self.join(all, lanes, number);
        }
        self.close_nest(open, Vec::new());
        Ok(all)
    }

    /// Room for the totals of so many lanes.
    fn totals(&mut self, lanes: i64) -> Var {
        let length = self.b.word(lanes * STRIP);
        self.room(None, Ty::F64, &[length])
    }

    /// Whether so many rows are taken in lanes.
    fn reaches(&mut self, rows: Var) -> Var {
        let long = self.b.word(Lanewise::LONG);
        self.b.compare(Compare::Ge, rows, long)
    }

    fn clear(&mut self, totals: Var, count: i64) {
        let (count, zero) = (self.b.word(count), self.b.real(Ty::F64, 0.0));
        self.each_column(count, |lower, column| lower.b.store(totals, column, zero));
    }

    /// Adds all rows of the last axis that goes.
    fn sum_rows(
        &mut self,
        columns: &Columns,
        totals: Totals,
        (place, outer, rows, count): (&[Var], &[Var], Var, Var),
    ) -> Lowers<()> {
        let (zero, bits) = (self.b.word(0), self.b.word(Lanewise::lanes(columns.ty) as i64 - 1));
        let (to, mask) = match totals.lanes {
            Some((lanes, long)) => (self.b.select(long, lanes, totals.all), self.b.select(long, bits, zero)),
            None => (totals.all, zero),
        };
        let kernel = Callee::Kernel(if columns.ty == Ty::F32 { ADD_ROWS_F32 } else { ADD_ROWS_F64 });
        let step = self.b.word(STRIP);
        if let Some(view) = &columns.view {
            let at = merged(place, columns.gone, &[outer, &[zero]].concat());
            let number = self.number_of(&at, &view.strides);
            let start = self.b.offset(view.ptr, number, columns.ty);
            let by = columns.gone.last().map_or(zero, |&axis| view.strides[axis]);
            self.b.push(Stmt::Do(kernel, vec![to, step, mask, zero, rows, start, by, count]));
            return Ok(());
        }
        let (one, row) = (self.b.word(1), self.room(None, columns.ty, &[step]));
        self.nest(&[rows], |lower, index| {
            let (carries, column) = lower.b.begin_for(&[]);
            lower.memo.clear();
            let mut place = place.to_vec();
            if let Some(last) = place.last_mut() {
                *last = lower.b.add(*last, column);
            }
            let at = merged(&place, columns.gone, &[outer, index].concat());
            let element = lower.element(columns.source, At::Index(&at))?;
            lower.b.store(row, column, element);
            lower.memo.clear();
            lower.b.end_for(count, column, carries, Vec::new());
            lower.b.push(Stmt::Do(kernel, vec![to, step, mask, index[0], one, row, zero, count]));
            Ok(())
        })
    }

    /// Takes the lanes together, each with the one half of them behind it, and the last one behind what there is in all.
    fn join(&mut self, all: Var, lanes: Var, number: i64) {
        let mut half = number / 2;
        while half > 0 {
            self.add_columns(lanes, lanes, half * STRIP, half * STRIP);
            half /= 2;
        }
        self.add_columns(all, lanes, 0, STRIP);
    }

    /// Adds so many numbers, from `past` on, to others.
    fn add_columns(&mut self, to: Var, from: Var, past: i64, count: i64) {
        let past = self.b.word(past);
        let from = self.b.offset(from, past, Ty::F64);
        let count = self.b.word(count);
        self.each_column(count, |lower, column| {
            let [sum, more] = [to, from].map(|start| lower.b.load(Ty::F64, start, column));
            let sum = lower.b.add(sum, more);
            lower.b.store(to, column, sum);
        });
    }

    fn copy_rounded(&mut self, to: Var, from: Var, (ty, count): (Ty, Var)) {
        self.each_column(count, |lower, column| {
            let total = lower.b.load(Ty::F64, from, column);
            let rounded = lower.b.convert(ty, total);
            lower.b.store(to, column, rounded);
        });
    }

    fn each_column(&mut self, count: Var, body: impl FnOnce(&mut Self, Var)) {
        let (carries, column) = self.b.begin_for(&[]);
        body(self, column);
        self.b.end_for(count, column, carries, Vec::new());
    }
}
