//! Arrays whose rows are columns of what they read: copied in tiles, and what is computed of them a block at a time, of which the
//! transposed operands are copied first.

use gw_base::Id;
use gw_ir::ValueId;
use gw_kernels::TRANSPOSE;

use super::context::{Lower, Lowers};
use super::place::{At, Held, Rule, View};
use super::spread::Work;
use crate::loops::{Binary, Callee, Compare, Stmt, Var};

/// Smaller matrices are transposed by a loop as fast.
const FEW: i64 = 256;

/// Of a smaller array, what is computed is computed by a loop as fast.
const FEW_COMPUTED: i64 = 4096;

/// So many rows of a transposed matrix are one piece of work.
const BAND: i64 = 256;

/// The rows and columns of a block whose operands are copied: it is near, and reads as much of each page as `BAND` does.
const BLOCK: [i64; 2] = [256, 128];

/// So many operands are copied at most.
const MOST: usize = 4;

/// About so many picoseconds takes an element.
const COST: i64 = 700;

impl Lower<'_> {
    /// Fills an array of which an operand lies in memory by columns; gives false if there is none, or too little of it.
    pub(super) fn fill_by_tiles(&mut self, to: &View, value: ValueId) -> Lowers<bool> {
        if let Held::View(from) = self.held(value)? {
            let Some(axis) = self.transposed(to, &from, FEW) else { return Ok(false) };
            self.copy_transposed(to, &from, axis)?;
            return Ok(true);
        }
        let mut operands = Vec::new();
        self.transposed_operands(to, value, &mut operands)?;
        let axes: Vec<usize> = operands.iter().map(|(_, _, axis)| *axis).collect();
        match axes[..] {
            [axis, ..] if axes.len() <= MOST && axes.iter().all(|other| *other == axis) => {
                self.compute_by_blocks(to, value, &operands, axis)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The axis whose elements are neighbours where they are read, while the last one's are where they are written.
    fn transposed(&self, to: &View, from: &View, few: i64) -> Option<usize> {
        let is_one = |stride: Var| self.b.known(stride) == Some(1);
        let (&last, &written) = (from.strides.last()?, to.strides.last()?);
        let inner = from.strides.len() - 1;
        let long = |axis: usize| self.b.known(to.dims[axis]).is_none_or(|length| length >= 4);
        let axis = (0..inner).find(|&axis| is_one(from.strides[axis]) && long(axis))?;
        let count = [axis, inner].map(|axis| self.b.known(to.dims[axis]));
        let is_little = matches!(count, [Some(rows), Some(columns)] if rows.saturating_mul(columns) < few);
        (is_one(written) && !is_one(last) && long(inner) && !is_little).then_some(axis)
    }

    /// The operands of what is computed element by element that lie in memory by columns, with that axis.
    fn transposed_operands(
        &self,
        to: &View,
        value: ValueId,
        found: &mut Vec<(ValueId, View, usize)>,
    ) -> Lowers<()> {
        match self.held(value)? {
            Held::View(from) if from.dims.len() == to.dims.len() => {
                let alike = from.dims.iter().zip(&to.dims).all(|(&own, &other)| self.b.same(own, other));
                let known = found.iter().any(|(other, _, _)| *other == value);
                let axis = self.transposed(to, &from, FEW_COMPUTED).filter(|_| alike && !known);
                found.extend(axis.map(|axis| (value, from, axis)));
            }
            Held::Delayed(delayed) => {
                if let Rule::Elementwise(node) = delayed.rule {
                    for &arg in &self.graph.nodes[node].args {
                        self.transposed_operands(to, arg, found)?;
                    }
                }
            }
            Held::View(_) | Held::Scalar(_) => {}
        }
        Ok(())
    }

    /// Copies an array a band of rows of `axis` at a time, for each position of the other axes.
    fn copy_transposed(&mut self, to: &View, from: &View, axis: usize) -> Lowers<()> {
        let inner = to.dims.len() - 1;
        let columns = to.dims[inner];
        let mut dims = to.dims[..inner].to_vec();
        dims[axis] = self.pieces(dims[axis], BAND);
        let band = self.b.word(BAND);
        let each = self.b.binary(Binary::MulSaturating, band, columns);
        let work = Work { each, cost: Some(COST), own: false };
        self.spread(&dims, work, |lower, index| {
            let mut at = [index, &[lower.b.word(0)]].concat();
            let (start, count) = lower.piece(index[axis], to.dims[axis], BAND);
            at[axis] = start;
            let number = lower.number_of(&at, &to.strides);
            let target = lower.b.offset(to.ptr, number, to.ty);
            lower.copy_block([count, columns], (target, to.strides[axis]), (from, &at));
            Ok(())
        })
    }

    /// Computes an array a block at a time, whose transposed operands are copied into memory that is near.
    fn compute_by_blocks(
        &mut self,
        to: &View,
        value: ValueId,
        operands: &[(ValueId, View, usize)],
        axis: usize,
    ) -> Lowers<()> {
        let (inner, [rows, columns]) = (to.dims.len() - 1, BLOCK);
        let mut dims = to.dims.clone();
        dims[axis] = self.pieces(dims[axis], rows);
        dims[inner] = self.pieces(dims[inner], columns);
        let each = self.b.word(rows * columns);
        let work = Work { each, cost: Some(COST), own: true };
        self.spread(&dims, work, |lower, index| {
            let mut at = index.to_vec();
            let (first_row, row_count) = lower.piece(index[axis], to.dims[axis], rows);
            let (first_column, column_count) = lower.piece(index[inner], to.dims[inner], columns);
            (at[axis], at[inner]) = (first_row, first_column);
            let mut around = Vec::new();
            for (operand, from, _) in operands {
                let near = lower.copied_near(from, &at, axis, [row_count, column_count]);
                around.push((*operand, lower.held[operand.index()].replace(Held::View(near))));
            }
            let (inside, open) = lower.open_nest(&[row_count, column_count], &[]);
            at[axis] = lower.b.add(first_row, inside[0]);
            at[inner] = lower.b.add(first_column, inside[1]);
            let element = lower.element(value, At::Index(&at))?;
            let number = lower.number_of(&at, &to.strides);
            lower.b.store(to.ptr, number, element);
            lower.close_nest(open, Vec::new());
            around.into_iter().for_each(|(operand, held)| lower.held[operand.index()] = held);
            Ok(())
        })
    }

    /// A copy of the block of an array that begins at a position, seen as the array: it is read where the block is alone.
    fn copied_near(&mut self, from: &View, at: &[Var], axis: usize, counts: [Var; 2]) -> View {
        let [rows, columns] = BLOCK;
        let (inner, step) = (at.len() - 1, self.b.word(columns));
        let size = self.b.word(rows * columns);
        let near = self.room(None, from.ty, &[size]);
        self.copy_block(counts, (near, step), (from, at));
        let mut strides = vec![self.b.word(0); at.len()];
        (strides[axis], strides[inner]) = (step, self.b.word(1));
        let (number, zero) = (self.number_of(at, &strides), self.b.word(0));
        let before = self.b.sub(zero, number);
        let ptr = self.b.offset(near, before, from.ty);
        View { ptr, ty: from.ty, dims: from.dims.clone(), strides, dense: false }
    }

    /// Copies so many rows and columns from a position of an array on to where they are rows.
    fn copy_block(
        &mut self,
        [rows, columns]: [Var; 2],
        (target, step): (Var, Var),
        (from, at): (&View, &[Var]),
    ) {
        let number = self.number_of(at, &from.strides);
        let source = self.b.offset(from.ptr, number, from.ty);
        let size = self.b.word(from.ty.size() as i64);
        let from_step = from.strides[at.len() - 1];
        let words = vec![size, rows, columns, target, step, source, from_step];
        self.b.push(Stmt::Do(Callee::Kernel(TRANSPOSE), words));
    }

    /// The number of pieces of a length.
    pub(super) fn pieces(&mut self, length: Var, of: i64) -> Var {
        let (rounding, bits) = (self.b.word(of - 1), self.b.word(of.ilog2().into()));
        let rounded = self.b.add(length, rounding);
        self.b.binary(Binary::Sar, rounded, bits)
    }

    /// The first position of a piece, and how many it has.
    pub(super) fn piece(&mut self, number: Var, length: Var, of: i64) -> (Var, Var) {
        let of = self.b.word(of);
        let start = self.b.mul(number, of);
        let left = self.b.sub(length, start);
        let is_whole = self.b.compare(Compare::Lt, of, left);
        (start, self.b.select(is_whole, of, left))
    }
}
