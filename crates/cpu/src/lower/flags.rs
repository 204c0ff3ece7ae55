//! Bools that lie in memory taken together by a kernel, which stops at the first one that decides.

use gw_ir::{Attr, Node};
use gw_kernels::FIND_FLAG;

use super::context::{Lower, Lowers};
use super::place::{Held, View};
use super::reduce::Fold;
use super::spread::Work;
use crate::loops::{Callee, Stmt, Ty};

/// Of fewer bools a loop finds the truth as fast.
const FEW: i64 = 64;

/// About so many picoseconds takes a bool.
const COST: i64 = 20;

impl Lower<'_> {
    /// Lets a kernel find the truth of all bools, or of the rows of the last axis, if they stand side by side; whether it did.
    pub(super) fn flags_in_memory(&mut self, node: &Node, fold: Fold) -> Lowers<bool> {
        let Attr::Axes { axes, keep } = &node.attr else { return Ok(false) };
        let wanted = match fold {
            Fold::Any => 1,
            Fold::All => 0,
            Fold::Sum | Fold::Product | Fold::Greatest | Fold::Least => return Ok(false),
        };
        let Held::View(x) = self.held(node.args[0])? else { return Ok(false) };
        let Some(kept) = self.side_by_side(&x, axes) else { return Ok(false) };
        let count = self.count(&x.dims[kept..]);
        if x.ty != Ty::Bool || self.b.known(count).is_some_and(|count| count < FEW) {
            return Ok(false);
        }
        let is_scalar = self.graph.ty(node.results[0]).is_scalar();
        let ptr = self.room(Some(node.results[0]).filter(|_| !is_scalar), Ty::Bool, &x.dims[..kept]);
        let out = self.dense(ptr, Ty::Bool, x.dims[..kept].to_vec());
        let wanted_flag = self.b.word(wanted);
        let work = Work { each: count, cost: Some(COST), own: false };
        self.spread(&x.dims[..kept], work, |lower, index| {
            let number = lower.number_of(index, &out.strides);
            let to = lower.b.offset(out.ptr, number, Ty::Bool);
            let number = lower.number_of(index, &x.strides[..kept]);
            let from = lower.b.offset(x.ptr, number, Ty::Bool);
            lower.b.push(Stmt::Do(Callee::Kernel(FIND_FLAG), vec![wanted_flag, count, to, from]));
            Ok(())
        })?;
        if is_scalar {
            let zero = self.b.word(0);
            let truth = self.b.load(Ty::Bool, ptr, zero);
            self.define(node.results[0], Held::Scalar(truth))?;
        } else {
            self.define_kept(node, axes, *keep, out)?;
        }
        Ok(true)
    }

    /// The number of axes that stay in front, if those that go are behind them and without gaps.
    fn side_by_side(&self, x: &View, axes: &[usize]) -> Option<usize> {
        let kept = x.dims.len() - axes.len();
        let behind = axes.iter().all(|&axis| axis >= kept);
        let is_row = axes.len() == 1 && x.strides.last().is_some_and(|&by| self.b.known(by) == Some(1));
        (behind && (x.dense || is_row)).then_some(kept)
    }
}
