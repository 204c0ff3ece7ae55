//! Products that a loop would add up turn by turn, computed behind it as one: of weights that all turns share, the
//! cotangent is `Σ xᵀ·g` over the turns, which is one product of all rows of `x` and `g`.

use gw_ir::{Attr, AxisSlice, DimArg, Keep, Op, Place, RegionId, ValueId};
use gw_types::{Dim, TensorType};

use crate::Made;
use crate::emit::rows_of;
use crate::reverse::Reverse;

/// One product that waits for the end of its loop.
#[derive(Debug, Clone)]
pub(crate) struct Later {
    /// To which it flows.
    to: ValueId,
    /// The rows that the way forth keeps of the one operand.
    rows: ValueId,
    /// What the other operand is in each turn.
    g: ValueId,
    /// Whether `gᵀ·x` is wanted.
    turned: bool,
}

impl Reverse<'_, '_> {
    /// Puts off `xᵀ·g`, or `gᵀ·x`, to behind the loop whose turn this is; false if that cannot be.
    pub fn put_off(&mut self, to: ValueId, x: ValueId, g: ValueId, turned: bool) -> Made<bool> {
        let Some(scope) = self.scopes.last() else { return Ok(false) };
        let to = scope.meant(to);
        let is_plain = |value: ValueId| {
            let shape = &self.graph().ty(value).shape;
            shape.rank() == 2 && shape.lengths().is_some()
        };
        let fits = scope.turn.is_some() && !scope.owns(to) && scope.owns(x) && self.can_keep(x);
        if !(fits && [to, x, g].into_iter().all(is_plain)) {
            return Ok(false);
        }
        let rows = self.rows(x)?;
        let turn = self.scope().turn.as_mut().expect("it is a turn");
        turn.later.push(Later { to, rows, g, turned });
        Ok(true)
    }

    /// Ends the body of a loop back, which keeps the rows of what waits; gives their types inside.
    pub fn keep_for_later(
        &mut self,
        later: &[Later],
        number: ValueId,
        results: &mut Vec<ValueId>,
    ) -> Made<Vec<TensorType>> {
        let mut types = Vec::with_capacity(later.len());
        for one in later {
            let row = self.ty(one.g);
            let ty = rows_of(&row, Dim::Var(self.b.fresh_dim()));
            let param = self.b.param(ty.clone());
            let mut places = vec![Place::Slice(AxisSlice::ALL); ty.rank()];
            places[0] = Place::At(2);
            let attr = Attr::Places { places, keep: Keep::Last };
            results.push(self.with(Op::Put, attr, &[param, one.g, number])?);
            types.push(ty);
        }
        Ok(types)
    }

    /// The rows before the first turn back.
    pub fn empty_rows(&mut self, types: &[TensorType], turns: ValueId) -> Made<Vec<ValueId>> {
        let mut rows = Vec::with_capacity(types.len());
        for ty in types {
            let zero = self.number(ty.dtype, 0.0);
            let lengths = ty.shape.0[1..].iter().filter_map(|dim| dim.fixed()).map(DimArg::Fixed);
            let dims = std::iter::once(DimArg::Arg(1)).chain(lengths).collect();
            rows.push(self.b.op_as(Op::Broadcast, Attr::Dims(dims), &[zero, turns], ty)?);
        }
        Ok(rows)
    }

    /// Does what waited, behind the loop.
    pub fn do_later(&mut self, later: Vec<Later>, rows: &[ValueId]) -> Made<()> {
        for (one, &g) in later.into_iter().zip(rows) {
            let [x, g] = [self.flat_rows(one.rows)?, self.flat_rows(g)?];
            let operands = if one.turned { [g, x] } else { [x, g] };
            let attr = Attr::Matmul { transpose_x: true, transpose_y: false };
            let product = self.with(Op::Matmul, attr, &operands)?;
            self.add(one.to, product)?;
        }
        Ok(())
    }

    /// The rows of all turns, one after the other.
    fn flat_rows(&mut self, rows: ValueId) -> Made<ValueId> {
        let last = self.ty(rows).shape.0[2].fixed().expect("plain rows");
        let dims = vec![DimArg::Rest, DimArg::Fixed(last)];
        self.with(Op::Reshape, Attr::Dims(dims), &[rows])
    }

    /// The region that tells whether there are turns to go, for carries of these types.
    pub fn more(&mut self, types: &[TensorType]) -> Made<RegionId> {
        self.b.open();
        let params: Vec<_> = types.iter().map(|ty| self.b.param(ty.clone())).collect();
        let none = self.integer(0);
        let more = self.op(Op::Gt, [params[0], none])?;
        Ok(self.b.close(vec![more]))
    }
}
