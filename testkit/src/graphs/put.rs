//! Stores in random programs: often into what a loop carries, often by a number that the loop counts.

use gw_ir::{Attr, AxisSlice, Bound, Keep, Op, Place, ValueId};
use gw_types::{DType, Scalar, TensorType};

use super::Maker;

impl Maker<'_> {
    pub(super) fn put(&mut self) {
        let Some(x) = self.any_that(|ty| ty.rank() > 0) else { return };
        let ty = self.b.ty(x).clone();
        let value = self.any_that(|seen| seen.dtype == ty.dtype && seen.rank() <= ty.rank());
        let value = value.unwrap_or_else(|| self.constant(ty.dtype, Scalar::Int(1)));
        let mut args = vec![x, value];
        let places = (0..ty.rank()).map(|_| self.place(&mut args)).collect();
        let keep = self.pick(&[Keep::Last, Keep::Last, Keep::Sum, Keep::Greatest, Keep::Least]);
        self.op(Op::Put, Attr::Places { places, keep }, &args);
    }

    fn place(&mut self, args: &mut Vec<ValueId>) -> Place {
        let number = |ty: &TensorType| *ty == TensorType::scalar(DType::I64);
        match self.choose(6) {
            0 => return Place::Slice(AxisSlice::ALL),
            1 => {
                let start = self.pick(&[Bound::Open, Bound::Fixed(1), Bound::Fixed(-1)]);
                let stop = self.pick(&[Bound::Open, Bound::Fixed(2), Bound::Fixed(-1)]);
                return Place::Slice(AxisSlice { start, stop, step: self.pick(&[1, -1, 2]) });
            }
            2 => {
                let at = self.pick(&[0, -1, 1]);
                args.push(self.constant(DType::I64, Scalar::Int(at)));
            }
            3 => match self.any_that(|ty| ty.dtype.is_int() && ty.rank() == 1) {
                Some(indices) => args.push(indices),
                None => return Place::Slice(AxisSlice::ALL),
            },
            _ => match self.any_that(number) {
                Some(index) => args.push(index),
                None => args.push(self.constant(DType::I64, Scalar::Int(0))),
            },
        }
        Place::At(args.len() - 1)
    }
}
