//! Rows that kernels put in order, and what they find there: the positions of all elements, of the greatest few, of the greatest and of
//! the least, and whether a bool is set.

use gw_ir::{ArgOp, Attr, Node};
use gw_kernels::{ARG_COLUMNS_F32, ARG_COLUMNS_F64, ARG_COLUMNS_I32, ARG_COLUMNS_I64};
use gw_kernels::{ARG_ROW_F32, ARG_ROW_F64, ARG_ROW_I32, ARG_ROW_I64};
use gw_kernels::{ARG_SORT_F32, ARG_SORT_F64, ARG_SORT_I32, ARG_SORT_I64};
use gw_kernels::{ARG_TOP_F32, ARG_TOP_F64, ARG_TOP_I32, ARG_TOP_I64, FIND_FLAG, Function};
use gw_kernels::{SORT_F32, SORT_F64, SORT_I32, SORT_I64};
use gw_runtime::Report;

use super::context::{Lower, Lowers, broken};
use super::place::{Held, View};
use super::reduce::Fold;
use super::spread::Work;
use crate::loops::{Callee, Compare, Stmt, Ty, Var};

/// About so many picoseconds takes an element.
const COST: i64 = 200;

/// Of fewer elements a loop finds the place as fast.
const FEW: i64 = 64;

/// Of fewer bools a loop finds the truth as fast.
const FEW_FLAGS: i64 = 64;

/// About so many picoseconds takes a bool.
const COST_OF_FLAG: i64 = 20;

impl Lower<'_> {
    pub(super) fn arg_sort(&mut self, node: &Node) -> Lowers<()> {
        let x = self.materialise(node.args[0])?;
        let kernel = of_register(x.ty, [ARG_SORT_F32, ARG_SORT_F64, ARG_SORT_I32, ARG_SORT_I64])?;
        let length = last_axis(&x)?;
        let scratch = self.room(None, Ty::I64, &x.dims);
        self.by_rows(node, &x, (length, Ty::I64), (kernel, vec![length], Some(scratch)))
    }

    pub(super) fn sort(&mut self, node: &Node) -> Lowers<()> {
        let x = self.materialise(node.args[0])?;
        let kernel = of_register(x.ty, [SORT_F32, SORT_F64, SORT_I32, SORT_I64])?;
        let length = last_axis(&x)?;
        let scratch = self.room(None, x.ty, &x.dims);
        self.by_rows(node, &x, (length, x.ty), (kernel, vec![length], Some(scratch)))
    }

    pub(super) fn arg_top(&mut self, node: &Node) -> Lowers<()> {
        let &Attr::Count(count) = &node.attr else { return Err(broken("how many are wanted is not said")) };
        let x = self.materialise(node.args[0])?;
        let kernel = of_register(x.ty, [ARG_TOP_F32, ARG_TOP_F64, ARG_TOP_I32, ARG_TOP_I64])?;
        let (length, count) = (last_axis(&x)?, self.b.word(count as i64));
        let enough = self.b.compare(Compare::Ge, length, count);
        self.guard(enough, Report::TooFew, vec![length, count]);
        self.by_rows(node, &x, (count, Ty::I64), (kernel, vec![length, count], None))
    }

    /// `made` elements of a type for each row, which a kernel writes; it takes these words first, and after the room for the elements as
    /// much scratch, if it wants some.
    fn by_rows(
        &mut self,
        node: &Node,
        x: &View,
        (made, ty): (Var, Ty),
        (kernel, words, scratch): (Function, Vec<Var>, Option<Var>),
    ) -> Lowers<()> {
        let result = node.results[0];
        let (Some((_, rows)), Some((&stride, row_strides))) = (x.dims.split_last(), x.strides.split_last())
        else {
            return Err(broken("a sort without an axis"));
        };
        let dims: Vec<Var> = rows.iter().copied().chain([made]).collect();
        let ptr = self.room(Some(result), ty, &dims);
        let out = self.dense(ptr, ty, dims);
        if self.is_empty(&out.dims) {
            return self.define(result, Held::View(out));
        }
        // About as many steps for each as a row of this length takes that is sorted.
        let work = Work { each: words[0], cost: Some(20_000), own: false };
        self.spread(rows, work, |lower, index| {
            let number = lower.number_of(index, &out.strides[..index.len()]);
            let to = lower.b.offset(out.ptr, number, ty);
            let scratch = scratch.map(|start| lower.b.offset(start, number, ty));
            let number = lower.number_of(index, row_strides);
            let from = lower.b.offset(x.ptr, number, x.ty);
            let args = words.iter().copied().chain([to]).chain(scratch).chain([from, stride]).collect();
            lower.b.push(Stmt::Do(Callee::Kernel(kernel), args));
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }

    /// Lets kernels find the places along an axis, if that is worth it and the elements lie in memory; whether it did.
    pub(super) fn arg_in_memory(&mut self, node: &Node, axis: usize) -> Lowers<bool> {
        let Held::View(x) = self.held(node.args[0])? else { return Ok(false) };
        let Some([row, columns]) = kernels(x.ty) else { return Ok(false) };
        if self.b.known(x.dims[axis]).is_some_and(|length| length < FEW) {
            return Ok(false);
        }
        let least = self.b.word(i64::from(node.op == ArgOp::Min.into()));
        let last = x.dims.len() - 1;
        if axis < last && self.b.known(x.strides[last]) == Some(1) {
            let words = [least, x.dims[axis]];
            self.arg_kernel(node, &x, axis, (columns, words, Some(x.dims[last])))?;
        } else {
            self.arg_kernel(node, &x, axis, (row, [least, x.dims[axis]], None))?;
        }
        Ok(true)
    }

    /// Calls a kernel for each row along the axis, or for all columns of the last axis.
    fn arg_kernel(
        &mut self,
        node: &Node,
        x: &View,
        axis: usize,
        (kernel, words, width): (Function, [Var; 2], Option<Var>),
    ) -> Lowers<()> {
        let without =
            |of: &[Var]| of.iter().enumerate().filter(|(at, _)| *at != axis).map(|(_, &v)| v).collect();
        let (kept, strides): (Vec<Var>, Vec<Var>) = (without(&x.dims), without(&x.strides));
        let is_scalar = self.graph.ty(node.results[0]).is_scalar();
        let ptr = self.room(Some(node.results[0]).filter(|_| !is_scalar), Ty::I64, &kept);
        let out = self.dense(ptr, Ty::I64, kept.clone());
        let calls = &kept[..kept.len() - usize::from(width.is_some())];
        let each = width.map_or(words[1], |width| self.b.mul(width, words[1]));
        self.spread(calls, Work { each, cost: Some(COST), own: false }, |lower, index| {
            let number = lower.number_of(index, &out.strides[..index.len()]);
            let to = lower.b.offset(out.ptr, number, Ty::I64);
            let number = lower.number_of(index, &strides[..index.len()]);
            let from = lower.b.offset(x.ptr, number, x.ty);
            let args = words.into_iter().chain([to, from, x.strides[axis]]).chain(width).collect();
            lower.b.push(Stmt::Do(Callee::Kernel(kernel), args));
            Ok(())
        })?;
        if is_scalar {
            let zero = self.b.word(0);
            let place = self.b.load(Ty::I64, ptr, zero);
            return self.define(node.results[0], Held::Scalar(place));
        }
        self.define_kept(node, &[axis], false, out)
    }

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
        if x.ty != Ty::Bool || self.b.known(count).is_some_and(|count| count < FEW_FLAGS) {
            return Ok(false);
        }
        let is_scalar = self.graph.ty(node.results[0]).is_scalar();
        let ptr = self.room(Some(node.results[0]).filter(|_| !is_scalar), Ty::Bool, &x.dims[..kept]);
        let out = self.dense(ptr, Ty::Bool, x.dims[..kept].to_vec());
        let wanted_flag = self.b.word(wanted);
        let work = Work { each: count, cost: Some(COST_OF_FLAG), own: false };
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

/// The kernel for elements of this type, of those for `f32`, `f64`, `i32` and `i64`.
fn of_register(ty: Ty, [single, double, short, long]: [Function; 4]) -> Lowers<Function> {
    match ty {
        Ty::F32 => Ok(single),
        Ty::F64 => Ok(double),
        Ty::I32 => Ok(short),
        Ty::I64 | Ty::Bool | Ty::Ptr => Ok(long),
        Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 => {
            Err(broken("rows of narrow numbers are ordered in their register"))
        }
    }
}

fn last_axis(x: &View) -> Lowers<Var> {
    x.dims.last().copied().ok_or_else(|| broken("a sort without an axis"))
}

/// The kernels for a row and for columns of elements of this type.
fn kernels(ty: Ty) -> Option<[Function; 2]> {
    match ty {
        Ty::F32 => Some([ARG_ROW_F32, ARG_COLUMNS_F32]),
        Ty::F64 => Some([ARG_ROW_F64, ARG_COLUMNS_F64]),
        Ty::I32 => Some([ARG_ROW_I32, ARG_COLUMNS_I32]),
        Ty::I64 => Some([ARG_ROW_I64, ARG_COLUMNS_I64]),
        Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 | Ty::Bool | Ty::Ptr => None,
    }
}
