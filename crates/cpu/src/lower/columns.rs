//! Reductions of all axes but the last and some before it: of columns. Strips of columns are worked off row by row, so that
//! memory is read in order, and each column gives what [`Lanewise`] says, where it says something.

use gw_ir::{Attr, Node, ValueId};
use gw_kernels::{ADD_ROWS_F32, ADD_ROWS_F64, ALL_ROWS, ANY_ROWS, Function};

use super::context::{Lower, Lowers, broken};
use super::place::{At, Held, View};
use super::reduce::{Fold, merged};
use super::spread::Work;
use crate::loops::{Binary, Callee, Compare, Lanewise, Stmt, Ty, Var};

/// So many columns have their totals, of all lanes, and a row in the nearest cache.
const STRIP: i64 = 128;

/// Fewer columns are reduced one by one: by a kernel's rows, and by loops over elements.
const FEWEST: [i64; 2] = [4, 16];

/// Columns of rows that are shorter are put behind each other, those of all axes that stay.
const SHORT_ROW: i64 = 64;

/// Picoseconds for an element.
const COST: i64 = 100;

/// A reduction of columns.
struct Columns<'a> {
    source: ValueId,
    /// The elements where they are in memory already, the columns next to each other.
    view: Option<View>,
    fold: Fold,
    ty: Ty,
    /// The axes that go.
    gone: &'a [usize],
    /// Their lengths.
    taken: Vec<Var>,
}

impl Columns<'_> {
    /// The type of the totals.
    fn total(&self) -> Ty {
        match self.fold {
            Fold::Sum | Fold::Product if self.ty.is_float() => Ty::F64,
            Fold::Sum | Fold::Product | Fold::Greatest | Fold::Least | Fold::All | Fold::Any => self.ty,
        }
    }

    /// The kernel that takes rows in, if there is one: a loop in lanes has no totals wider than its elements, and takes few bools at a time.
    fn kernel(&self) -> Option<Function> {
        match (self.fold, self.ty) {
            (Fold::Sum, Ty::F32) => Some(ADD_ROWS_F32),
            (Fold::Sum, Ty::F64) => Some(ADD_ROWS_F64),
            (Fold::Any, Ty::Bool) => Some(ANY_ROWS),
            (Fold::All, Ty::Bool) => Some(ALL_ROWS),
            (Fold::Sum | Fold::Product | Fold::Greatest | Fold::Least | Fold::All | Fold::Any, _) => None,
        }
    }
}

/// Totals of a strip.
#[derive(Clone, Copy)]
struct Totals {
    /// Total number.
    all: Var,
    /// Those of the lanes, and whether there are enough rows for them, unless there are known to be too few.
    lanes: Option<(Var, Var)>,
}

/// Part of a strip that is reduced: its start, the axes that go but for the last, the number of rows of that
/// one, and the number of columns.
#[derive(Clone, Copy)]
struct Part<'a> {
    place: &'a [Var],
    outer: &'a [Var],
    rows: Var,
    count: Var,
}

impl Lower<'_> {
    /// Reduces columns if it is columns that are to be reduced; false if not, and nothing has been done then.
    pub(super) fn columns(&mut self, node: &Node, fold: Fold) -> Lowers<bool> {
        let Attr::Axes { axes, keep } = &node.attr else { return Ok(false) };
        let (source, ty) = (node.args[0], self.ty(node.args[0]));
        let own = self.dims(source)?;
        let Some(&width) = own.last().filter(|_| !axes.is_empty() && !axes.contains(&(own.len() - 1))) else {
            return Ok(false);
        };
        if fold == Fold::Sum
            && ty.is_float()
            && let Some(view) = self.rows_of_all(source, axes, &own)?
        {
            let (joined, gone) = (view.dims.clone(), axes);
            let taken = own[..axes.len()].to_vec();
            let columns = Columns { source, view: Some(view), fold, ty, gone, taken };
            let flat = self.reduce_columns(node, &joined, &columns)?;
            let flat = self.dense(flat.ptr, ty, own[axes.len()..].to_vec());
            self.define_kept(node, axes, *keep, flat)?;
            return Ok(true);
        }
        let view = match self.held(source)? {
            Held::View(view) if view.strides.last().is_some_and(|&step| self.b.known(step) == Some(1)) => {
                Some(view)
            }
            Held::Delayed(_) => None,
            Held::View(_) | Held::Scalar(_) => return Ok(false),
        };
        let taken = axes.iter().map(|&axis| own[axis]).collect();
        let columns = Columns { source, view, fold, ty, gone: axes, taken };
        let fewest = FEWEST[usize::from(columns.kernel().is_none() || columns.view.is_none())];
        if self.b.known(width).is_some_and(|width| width < fewest) {
            return Ok(false);
        }
        let flat = self.reduce_columns(node, &own, &columns)?;
        self.define_kept(node, axes, *keep, flat)?;
        Ok(true)
    }

    /// The elements in memory with all axes that stay as one, if the first axes go and the last one is short: strips of it alone would
    /// be read from far apart.
    fn rows_of_all(&mut self, source: ValueId, axes: &[usize], own: &[Var]) -> Lowers<Option<View>> {
        let gone = axes.len();
        let in_front = axes.iter().copied().eq(0..gone);
        let lengths: Option<Vec<i64>> = own[gone..].iter().map(|&length| self.b.known(length)).collect();
        let Some(lengths) = lengths.filter(|_| in_front) else { return Ok(None) };
        let (Some(&last), width) = (lengths.last(), lengths.iter().product::<i64>()) else {
            return Ok(None);
        };
        if last >= SHORT_ROW || width <= last || width < FEWEST[1] {
            return Ok(None);
        }
        let view = self.materialise_dense(source)?;
        let dims = [&own[..gone], &[self.b.word(width)]].concat();
        let strides = [&view.strides[..gone], &[self.b.word(1)]].concat();
        Ok(Some(View { ptr: view.ptr, ty: view.ty, dims, strides, dense: true }))
    }

    /// Reduces the columns, strip by strip.
    fn reduce_columns(&mut self, node: &Node, own: &[Var], columns: &Columns) -> Lowers<View> {
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
            let all = lower.reduce_strip(columns, &place, count)?;
            let number = lower.number_of(&place, &flat.strides);
            let to = lower.b.offset(flat.ptr, number, ty);
            lower.copy_rounded(to, all, (columns, count));
            Ok(())
        })?;
        Ok(flat)
    }

    /// Number of strips.
    fn strips(&mut self, width: Var) -> Var {
        if let Some(width) = self.b.known(width) {
            return self.b.word((width + STRIP - 1) / STRIP);
        }
        let (rest, bits) = (self.b.word(STRIP - 1), self.b.word(i64::from(STRIP.trailing_zeros())));
        let filled = self.b.add(width, rest);
        self.b.binary(Binary::Sar, filled, bits)
    }

    /// The totals of the columns from `place` on, so many of them.
    fn reduce_strip(&mut self, columns: &Columns, place: &[Var], count: Var) -> Lowers<Var> {
        let [outer @ .., rows] = &columns.taken[..] else { return Err(broken("a reduction of no axis")) };
        let in_lanes = self.lanewise(columns.fold, columns.ty).is_some() && self.is_long(*rows);
        let number = Lanewise::lanes(columns.ty) as i64;
        let all = self.totals(columns, 1);
        let lanes = if in_lanes { Some((self.totals(columns, number), self.reaches(*rows))) } else { None };
        self.clear(columns, all, STRIP);
        let (at, open) = self.open_nest(outer, &[]);
        if let Some((lanes, _)) = lanes {
            self.clear(columns, lanes, number * STRIP);
        }
        let part = Part { place, outer: &at, rows: *rows, count };
        self.reduce_rows(columns, Totals { all, lanes }, part)?;
        if let Some((lanes, _)) = lanes {
            self.join(columns, all, lanes, number);
        }
        self.close_nest(open, Vec::new());
        Ok(all)
    }

    /// Room for the totals of so many lanes.
    fn totals(&mut self, columns: &Columns, lanes: i64) -> Var {
        let length = self.b.word(lanes * STRIP);
        self.room(None, columns.total(), &[length])
    }

    /// True if so many rows are taken in lanes.
    fn reaches(&mut self, rows: Var) -> Var {
        let long = self.b.word(Lanewise::LONG);
        self.b.compare(Compare::Ge, rows, long)
    }

    fn clear(&mut self, columns: &Columns, totals: Var, count: i64) {
        let (count, identity) = (self.b.word(count), self.identity(columns.fold, columns.ty));
        self.each_column(count, |lower, column| lower.b.store(totals, column, identity));
    }

    /// Takes in all rows of the last axis that goes.
    fn reduce_rows(&mut self, columns: &Columns, totals: Totals, part: Part) -> Lowers<()> {
        let (zero, bits) = (self.b.word(0), self.b.word(Lanewise::lanes(columns.ty) as i64 - 1));
        let (to, mask) = match totals.lanes {
            Some((lanes, long)) => (self.b.select(long, lanes, totals.all), self.b.select(long, bits, zero)),
            None => (totals.all, zero),
        };
        match (&columns.view, columns.kernel()) {
            (Some(view), Some(kernel)) => {
                let at = merged(part.place, columns.gone, &[part.outer, &[zero]].concat());
                let number = self.number_of(&at, &view.strides);
                let start = self.b.offset(view.ptr, number, columns.ty);
                let step = columns.gone.last().map_or(zero, |&axis| view.strides[axis]);
                self.take_by_kernel(kernel, (to, mask), (zero, part.rows), (start, step, part.count));
                Ok(())
            }
            (None, Some(kernel)) => self.take_computed_rows(columns, kernel, (to, mask), part),
            (Some(_) | None, None) => self.nest(&[part.rows], |lower, index| {
                let strip = lower.b.word(STRIP);
                let lane = lower.b.and(index[0], mask);
                let past = lower.b.mul(lane, strip);
                let to = lower.b.offset(to, past, columns.total());
                lower.each_element(columns, part, index, |lower, column, element| {
                    let total = lower.b.load(columns.total(), to, column);
                    let next = lower.combined(columns.fold, total, element);
                    lower.b.store(to, column, next);
                })
            }),
        }
    }

    /// Takes in rows that are computed one after the other.
    fn take_computed_rows(
        &mut self,
        columns: &Columns,
        kernel: Function,
        to: (Var, Var),
        part: Part,
    ) -> Lowers<()> {
        let (zero, one, strip) = (self.b.word(0), self.b.word(1), self.b.word(STRIP));
        let row = self.room(None, columns.ty, &[strip]);
        self.nest(&[part.rows], |lower, index| {
            lower.each_element(columns, part, index, |lower, column, element| {
                lower.b.store(row, column, element)
            })?;
            lower.take_by_kernel(kernel, to, (index[0], one), (row, zero, part.count));
            Ok(())
        })
    }

    /// Takes in so many rows from the first one on, which begin at `start`.
    fn take_by_kernel(
        &mut self,
        kernel: Function,
        (to, mask): (Var, Var),
        (first, rows): (Var, Var),
        (start, step, count): (Var, Var, Var),
    ) {
        let strip = self.b.word(STRIP);
        self.b.push(Stmt::Do(Callee::Kernel(kernel), vec![to, strip, mask, first, rows, start, step, count]));
    }

    /// Runs `body` for each column of a row, with its element.
    fn each_element(
        &mut self,
        columns: &Columns,
        part: Part,
        row: &[Var],
        body: impl FnOnce(&mut Self, Var, Var),
    ) -> Lowers<()> {
        let (carries, column) = self.b.begin_for(&[]);
        self.memo.clear();
        let mut place = part.place.to_vec();
        if let Some(last) = place.last_mut() {
            *last = self.b.add(*last, column);
        }
        let at = merged(&place, columns.gone, &[part.outer, row].concat());
        let element = self.element(columns.source, At::Index(&at))?;
        body(self, column, element);
        self.memo.clear();
        self.b.end_for(part.count, column, carries, Vec::new());
        Ok(())
    }

    /// Takes the lanes together, each with the one half of them behind it, and the last one behind what there is in all.
    fn join(&mut self, columns: &Columns, all: Var, lanes: Var, number: i64) {
        let mut half = number / 2;
        while half > 0 {
            self.take_columns(columns, (lanes, lanes), half * STRIP, half * STRIP);
            half /= 2;
        }
        self.take_columns(columns, (all, lanes), 0, STRIP);
    }

    /// Takes so many totals, from `past` on, behind others.
    fn take_columns(&mut self, columns: &Columns, (to, from): (Var, Var), past: i64, count: i64) {
        let ty = columns.total();
        let past = self.b.word(past);
        let from = self.b.offset(from, past, ty);
        let count = self.b.word(count);
        self.each_column(count, |lower, column| {
            let [total, more] = [to, from].map(|start| lower.b.load(ty, start, column));
            let total = lower.combined(columns.fold, total, more);
            lower.b.store(to, column, total);
        });
    }

    fn copy_rounded(&mut self, to: Var, from: Var, (columns, count): (&Columns, Var)) {
        self.each_column(count, |lower, column| {
            let total = lower.b.load(columns.total(), from, column);
            let rounded = lower.b.convert(columns.ty, total);
            lower.b.store(to, column, rounded);
        });
    }

    fn each_column(&mut self, count: Var, body: impl FnOnce(&mut Self, Var)) {
        let (carries, column) = self.b.begin_for(&[]);
        body(self, column);
        self.b.end_for(count, column, carries, Vec::new());
    }
}
