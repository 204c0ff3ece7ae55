//! Deferred products, computed for a block of iterations at once: the cotangent of weights that all iterations
//! share is `Σ xᵀ·g` over the iterations, which is one product of all rows of `x` and `g`. Only the rows of `g` of
//! one block are kept: the backward loop is one of blocks, with the iterations of a block inside.

use gw_ir::{Attr, AxisSlice, BinaryOp, Bound, CompareOp, DimArg, Keep, Op, Place, RegionId, ValueId};
use gw_types::{Dim, TensorType};

use crate::adjoint::Adjoint;
use crate::emit::rows_of;
use crate::scope::DeferredProduct;
use crate::stop::Made;

/// So many iterations make a block at most, and at least: the product of their rows is one, and what they keep of
/// `g` is little. Both are powers of two.
const TURNS: [usize; 2] = [256, 16];

/// The most bytes that a block keeps, if it can.
const BYTES: usize = 1 << 22;

/// The products that wait for the end of a block of iterations.
#[derive(Debug)]
pub(crate) struct Waiting {
    deferred: Vec<DeferredProduct>,
    /// The cotangents whose rows are kept, each once.
    kept: Vec<ValueId>,
    /// The types of their rows.
    rows: Vec<TensorType>,
    /// So many iterations make a block, but one.
    most: i64,
}

impl Adjoint<'_, '_> {
    /// Ends the body of a loop back, which keeps the rows of what waits: that of iteration `number` in its place
    /// of the block.
    pub fn keep_deferred(
        &mut self,
        deferred: Vec<DeferredProduct>,
        number: ValueId,
        results: &mut Vec<ValueId>,
    ) -> Made<Waiting> {
        let mut kept: Vec<ValueId> = Vec::new();
        for one in &deferred {
            kept.extend((!kept.contains(&one.g)).then_some(one.g));
        }
        let mut rows = Vec::with_capacity(kept.len());
        let most = turns_of_block(kept.iter().map(|&g| self.ty(g)));
        for &g in &kept {
            let last = self.integer(most);
            let place = self.op(BinaryOp::And, [number, last])?;
            let row = self.ty(g);
            let ty = rows_of(&row, Dim::Var(self.b.fresh_dim()));
            let param = self.b.param(ty.clone());
            let mut places = vec![Place::Slice(AxisSlice::ALL); ty.rank()];
            places[0] = Place::At(2);
            let attr = Attr::Places { places, keep: Keep::Last };
            results.push(self.with(Op::Put, attr, &[param, g, place])?);
            rows.push(ty);
        }
        Ok(Waiting { deferred, kept, rows, most })
    }

    /// The loop back, which begins with `init`: carries of types `inside`, and `behind` it. If products wait, it is a loop of
    /// blocks.
    pub fn go_back(
        &mut self,
        body: RegionId,
        init: &[ValueId],
        [inside, behind]: [&[TensorType]; 2],
        waiting: &Waiting,
    ) -> Made<Vec<ValueId>> {
        let none = self.integer(0);
        if waiting.deferred.is_empty() {
            let regions = [self.more(inside, none)?, body];
            return Ok(self.b.while_(init, regions, behind.to_vec()));
        }
        let sums: Vec<TensorType> = waiting.deferred.iter().map(|one| self.ty(one.to)).collect();
        let of_block = [self.of_any_length(inside), sums.clone()].concat();
        let after = [behind, &sums[..]].concat();
        let block = self.block(body, inside, &of_block, waiting)?;
        let mut init = init.to_vec();
        for ty in &sums {
            let zero = self.number(ty.dtype, 0.0);
            let dims = ty.shape.0.iter().filter_map(|dim| dim.fixed()).map(DimArg::Fixed).collect();
            init.push(self.with(Op::Broadcast, Attr::Dims(dims), &[zero])?);
        }
        let regions = [self.more(&of_block, none)?, block];
        Ok(self.b.while_(&init, regions, after))
    }

    /// The iterations of a block, from the last to the first, and then the products of their rows, which are added
    /// to the sums that are the last carries.
    fn block(
        &mut self,
        body: RegionId,
        inside: &[TensorType],
        of_block: &[TensorType],
        waiting: &Waiting,
    ) -> Made<RegionId> {
        self.b.open();
        let given: Vec<_> = of_block.iter().map(|ty| self.b.param(ty.clone())).collect();
        let (own, sums) = given.split_at(inside.len());
        let [one, most] = [self.integer(1), self.integer(waiting.most)];
        let last = self.op(BinaryOp::Sub, [own[0], one])?;
        let place = self.op(BinaryOp::And, [last, most])?;
        let count = self.op(BinaryOp::Add, [place, one])?;
        let first = self.op(BinaryOp::Sub, [own[0], count])?;
        let empty = self.empty_rows(&waiting.rows, count)?;
        let regions = [self.more(&[inside, &waiting.rows].concat(), first)?, body];
        let types = [self.of_any_length(inside), waiting.rows.clone()].concat();
        let results = self.b.while_(&[own, &empty].concat(), regions, types);
        let (next, rows) = results.split_at(inside.len());
        let mut next = next.to_vec();
        for (one, &sum) in waiting.deferred.iter().zip(sums) {
            let at = waiting.kept.iter().position(|&g| g == one.g).expect("it is kept");
            let mut slices = vec![AxisSlice::ALL; self.ty(one.rows).rank()];
            slices[0] = AxisSlice { start: Bound::Arg(1), stop: Bound::Arg(2), step: 1 };
            let x = self.with(Op::Slice, Attr::Slices(slices), &[one.rows, first, own[0]])?;
            let [x, g] = [self.flat_rows(x)?, self.flat_rows(rows[at])?];
            let operands = if one.turned { [g, x] } else { [x, g] };
            let attr = Attr::Matmul { transpose_x: true, transpose_y: false };
            let product = self.with(Op::Matmul, attr, &operands)?;
            next.push(self.op(BinaryOp::Add, [sum, product])?);
        }
        Ok(self.b.close(next))
    }

    /// The types with lengths of their own: what flows back to a list that grows is shorter behind each iteration.
    fn of_any_length(&mut self, types: &[TensorType]) -> Vec<TensorType> {
        let mut types = types.to_vec();
        for dim in types.iter_mut().flat_map(|ty| &mut ty.shape.0) {
            if let Dim::Var(_) = dim {
                *dim = Dim::Var(self.b.fresh_dim());
            }
        }
        types
    }

    /// Hands on the sums of the products that waited.
    pub fn add_deferred(&mut self, waiting: Waiting, sums: &[ValueId]) -> Made<()> {
        waiting.deferred.into_iter().zip(sums).try_for_each(|(one, &sum)| self.add(one.to, sum))
    }

    /// The rows before the first iteration of a block in the backward pass.
    fn empty_rows(&mut self, types: &[TensorType], turns: ValueId) -> Made<Vec<ValueId>> {
        let mut rows = Vec::with_capacity(types.len());
        for ty in types {
            let zero = self.number(ty.dtype, 0.0);
            let lengths = ty.shape.0[1..].iter().filter_map(|dim| dim.fixed()).map(DimArg::Fixed);
            let dims = std::iter::once(DimArg::Arg(1)).chain(lengths).collect();
            rows.push(self.b.op_as(Op::Broadcast, Attr::Dims(dims), &[zero, turns], ty)?);
        }
        Ok(rows)
    }

    /// The rows of all iterations, one after the other.
    fn flat_rows(&mut self, rows: ValueId) -> Made<ValueId> {
        let last = self.ty(rows).shape.0[2].fixed().expect("plain rows");
        let dims = vec![DimArg::Rest, DimArg::Fixed(last)];
        self.with(Op::Reshape, Attr::Dims(dims), &[rows])
    }

    /// The region that tells whether there are iterations to go until `first`, for carries of these types.
    fn more(&mut self, types: &[TensorType], first: ValueId) -> Made<RegionId> {
        self.b.open();
        let params: Vec<_> = types.iter().map(|ty| self.b.param(ty.clone())).collect();
        let more = self.op(CompareOp::Gt, [params[0], first])?;
        Ok(self.b.close(vec![more]))
    }
}

/// One less than the iterations of a block that keeps rows of these types, a power of two.
fn turns_of_block(rows: impl Iterator<Item = TensorType>) -> i64 {
    let bytes = rows.map(|row| {
        let count = row.shape.lengths().map_or(0, |lengths| lengths.iter().product::<usize>());
        count * row.dtype.size()
    });
    let mut turns = TURNS[0];
    let most = bytes.sum::<usize>();
    while turns > TURNS[1] && turns.saturating_mul(most) > BYTES {
        turns /= 2;
    }
    turns as i64 - 1
}
