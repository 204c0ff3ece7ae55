//! Reductions of all axes but the last and some before it: of columns. Strips of columns are worked off row by row, so that
//! memory is read in order, and each column gives what [`Lanewise`] says, where it says something.

use gw_ir::{Attr, Node, ValueId};
use gw_kernels::{ADD_ROWS_F32, ADD_ROWS_F64, ALL_ROWS, ANY_ROWS, Function};

use super::context::{Lower, Lowers, broken};
use super::place::{At, Held, View};
use super::reduce::{Fold, merged};
use super::spread::Work;
use crate::loops::{Binary, Callee, Compare, Lanewise, Stmt, Ty, Var};

/// Threads take strips of so many columns.
const STRIP: i64 = 128;

/// So many columns at most are reduced together, of strips beside each other: shorter pieces of rows end before the processor has
/// foreseen that more is read behind them, and come from memory half as fast.
const TOGETHER: i64 = 1024;

/// The totals of a lane begin a multiple of so many elements behind those of the one before: with a line of the cache.
const LINE: i64 = 16;

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
    /// The number of columns that a strip has room for, a multiple of [`LINE`].
    room: i64,
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

/// The number of columns that are reduced together at most. Products have no kernel: their totals, twice as wide as `f32`, have to stay
/// near.
fn together(fold: Fold) -> i64 {
    if fold == Fold::Product { STRIP } else { TOGETHER }
}

/// The number of columns that a strip has room for.
fn room_for(fold: Fold, width: Option<i64>) -> i64 {
    let most = width.map_or(together(fold), |width| width.clamp(1, together(fold)));
    (most + LINE - 1) / LINE * LINE
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
/// one, the number of columns, and that of totals from lane to lane.
#[derive(Clone, Copy)]
struct Part<'a> {
    place: &'a [Var],
    outer: &'a [Var],
    rows: Var,
    count: Var,
    step: Var,
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
            let room = room_for(fold, joined.last().and_then(|&width| self.b.known(width)));
            let columns = Columns { source, view: Some(view), fold, ty, gone, taken, room };
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
        let room = room_for(fold, self.b.known(width));
        let columns = Columns { source, view, fold, ty, gone: axes, taken, room };
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
        let rows = self.count(&columns.taken);
        let last = kept.len() - 1;
        let (width, outer) = (kept[last], kept[..last].to_vec());
        if outer.iter().any(|&length| self.b.known(length) != Some(1)) {
            let most = self.b.word(columns.room);
            let each = self.b.binary(Binary::MulSaturating, rows, most);
            kept[last] = self.pieces(width, together(columns.fold));
            self.spread(&kept, Work { each, cost: Some(COST), own: true }, |lower, index| {
                let begin = lower.b.word(0);
                lower.reduce_piece(columns, &flat, (&index[..last], index[last]), (begin, width))
            })?;
            return Ok(flat);
        }
        let strip = self.b.word(STRIP.min(columns.room));
        let each = self.b.binary(Binary::MulSaturating, rows, strip);
        let strips = self.pieces(width, STRIP);
        self.spread_runs(strips, Work { each, cost: Some(COST), own: true }, |lower, [first, count]| {
            let outer: Vec<Var> = outer.iter().map(|_| lower.b.word(0)).collect();
            let strip = lower.b.word(STRIP);
            let (begin, most) = (lower.b.mul(first, strip), lower.b.mul(count, strip));
            let left = lower.b.sub(width, begin);
            let is_whole = lower.b.compare(Compare::Lt, most, left);
            let length = lower.b.select(is_whole, most, left);
            let pieces = lower.pieces(length, together(columns.fold));
            lower.nest(&[pieces], |lower, index| {
                lower.reduce_piece(columns, &flat, (&outer, index[0]), (begin, length))
            })
        })?;
        Ok(flat)
    }

    /// Reduces the columns of a piece, by its number among those of so many columns from `begin` on.
    fn reduce_piece(
        &mut self,
        columns: &Columns,
        flat: &View,
        (outer, number): (&[Var], Var),
        (begin, length): (Var, Var),
    ) -> Lowers<()> {
        let (start, count) = self.piece(number, length, together(columns.fold));
        let first = self.b.add(begin, start);
        let place = [outer, &[first]].concat();
        let all = self.reduce_strip(columns, &place, count)?;
        let number = self.number_of(&place, &flat.strides);
        let to = self.b.offset(flat.ptr, number, columns.ty);
        self.copy_rounded(to, all, (columns, count));
        Ok(())
    }

    /// The totals of the columns from `place` on, so many of them.
    fn reduce_strip(&mut self, columns: &Columns, place: &[Var], count: Var) -> Lowers<Var> {
        let [outer @ .., rows] = &columns.taken[..] else { return Err(broken("a reduction of no axis")) };
        let in_lanes = self.lanewise(columns.fold, columns.ty).is_some() && self.is_long(*rows);
        let number = Lanewise::lanes(columns.ty) as i64;
        let step = self.filled(count);
        let all = self.totals(columns, 1);
        let lanes = if in_lanes { Some((self.totals(columns, number), self.reaches(*rows))) } else { None };
        self.clear(columns, all, count);
        let (at, open) = self.open_nest(outer, &[]);
        if let Some((lanes, _)) = lanes {
            let every = self.times(step, number);
            self.clear(columns, lanes, every);
        }
        let part = Part { place, outer: &at, rows: *rows, count, step };
        self.reduce_rows(columns, Totals { all, lanes }, part)?;
        if let Some((lanes, _)) = lanes {
            self.join(columns, (all, lanes), number, part);
        }
        self.close_nest(open, Vec::new());
        Ok(all)
    }

    /// The number of columns, or more, that is a multiple of [`LINE`].
    fn filled(&mut self, count: Var) -> Var {
        let (rest, lines) = (self.b.word(LINE - 1), self.b.word(-LINE));
        let more = self.b.add(count, rest);
        self.b.and(more, lines)
    }

    fn times(&mut self, count: Var, by: i64) -> Var {
        let by = self.b.word(by);
        self.b.mul(count, by)
    }

    /// Room for the totals of so many lanes.
    fn totals(&mut self, columns: &Columns, lanes: i64) -> Var {
        let length = self.b.word(lanes * columns.room);
        self.room(None, columns.total(), &[length])
    }

    /// True if so many rows are taken in lanes.
    fn reaches(&mut self, rows: Var) -> Var {
        let long = self.b.word(Lanewise::LONG);
        self.b.compare(Compare::Ge, rows, long)
    }

    fn clear(&mut self, columns: &Columns, totals: Var, count: Var) {
        let identity = self.identity(columns.fold, columns.ty);
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
                self.take_by_kernel(kernel, (to, mask), (zero, part.rows), (start, step), part);
                Ok(())
            }
            (None, Some(kernel)) => self.take_computed_rows(columns, kernel, (to, mask), part),
            (Some(_) | None, None) => self.nest(&[part.rows], |lower, index| {
                let lane = lower.b.and(index[0], mask);
                let past = lower.b.mul(lane, part.step);
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
        let (zero, one, room) = (self.b.word(0), self.b.word(1), self.b.word(columns.room));
        let row = self.room(None, columns.ty, &[room]);
        self.nest(&[part.rows], |lower, index| {
            lower.each_element(columns, part, index, |lower, column, element| {
                lower.b.store(row, column, element)
            })?;
            lower.take_by_kernel(kernel, to, (index[0], one), (row, zero), part);
            Ok(())
        })
    }

    /// Takes in so many rows from the first one on, which begin at `start`, each so many elements behind the one before.
    fn take_by_kernel(
        &mut self,
        kernel: Function,
        (to, mask): (Var, Var),
        (first, rows): (Var, Var),
        (start, behind): (Var, Var),
        part: Part,
    ) {
        let words = vec![to, part.step, mask, first, rows, start, behind, part.count];
        self.b.push(Stmt::Do(Callee::Kernel(kernel), words));
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
    fn join(&mut self, columns: &Columns, (all, lanes): (Var, Var), number: i64, part: Part) {
        let mut half = number / 2;
        while half > 0 {
            let past = self.times(part.step, half);
            self.take_columns(columns, (lanes, lanes), past, past);
            half /= 2;
        }
        let none = self.b.word(0);
        self.take_columns(columns, (all, lanes), none, part.count);
    }

    /// Takes so many totals, from `past` on, behind others.
    fn take_columns(&mut self, columns: &Columns, (to, from): (Var, Var), past: Var, count: Var) {
        let ty = columns.total();
        let from = self.b.offset(from, past, ty);
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
