//! Sorting: the kernels give the positions of each row in order, or of its greatest elements.

use gw_ir::{Attr, Node};
use gw_kernels::{ARG_SORT_F32, ARG_SORT_F64, ARG_SORT_I32, ARG_SORT_I64};
use gw_kernels::{ARG_TOP_F32, ARG_TOP_F64, ARG_TOP_I32, ARG_TOP_I64, Function};
use gw_runtime::Report;

use super::context::{Lower, Lowers, broken};
use super::place::{Held, View};
use super::spread::Work;
use crate::loops::{Callee, Compare, Stmt, Ty, Var};

impl Lower<'_> {
    pub(super) fn arg_sort(&mut self, node: &Node) -> Lowers<()> {
        let x = self.materialise(node.args[0])?;
        let kernel = match x.ty {
            Ty::F32 => ARG_SORT_F32,
            Ty::F64 => ARG_SORT_F64,
            Ty::I32 => ARG_SORT_I32,
            Ty::I64 | Ty::Bool | Ty::Ptr => ARG_SORT_I64,
            Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 => {
                return Err(broken("rows of narrow numbers are ordered in their register"));
            }
        };
        let length = last_axis(&x)?;
        self.by_rows(node, &x, length, (kernel, vec![length]))
    }

    pub(super) fn arg_top(&mut self, node: &Node) -> Lowers<()> {
        let &Attr::Count(count) = &node.attr else { return Err(broken("how many are wanted is not said")) };
        let x = self.materialise(node.args[0])?;
        let kernel = match x.ty {
            Ty::F32 => ARG_TOP_F32,
            Ty::F64 => ARG_TOP_F64,
            Ty::I32 => ARG_TOP_I32,
            Ty::I64 | Ty::Bool | Ty::Ptr => ARG_TOP_I64,
            Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 => {
                return Err(broken("rows of narrow numbers are ordered in their register"));
            }
        };
        let (length, count) = (last_axis(&x)?, self.b.word(count as i64));
        let enough = self.b.compare(Compare::Ge, length, count);
        self.guard(enough, Report::TooFew, vec![length, count]);
        self.by_rows(node, &x, count, (kernel, vec![length, count]))
    }

    /// `made` positions for each row, which a kernel writes; it takes these words first.
    fn by_rows(
        &mut self,
        node: &Node,
        x: &View,
        made: Var,
        (kernel, words): (Function, Vec<Var>),
    ) -> Lowers<()> {
        let result = node.results[0];
        let (Some((_, rows)), Some((&stride, row_strides))) = (x.dims.split_last(), x.strides.split_last())
        else {
            return Err(broken("a sort without an axis"));
        };
        let dims: Vec<Var> = rows.iter().copied().chain([made]).collect();
        let ptr = self.room(Some(result), Ty::I64, &dims);
        let out = self.dense(ptr, Ty::I64, dims);
        if self.is_empty(&out.dims) {
            return self.define(result, Held::View(out));
        }
        // About as many steps for each as a row of this length takes that is sorted.
        let work = Work { each: words[0], cost: Some(20_000), own: false };
        self.spread(rows, work, |lower, index| {
            let number = lower.number_of(index, &out.strides[..index.len()]);
            let to = lower.b.offset(out.ptr, number, Ty::I64);
            let number = lower.number_of(index, row_strides);
            let from = lower.b.offset(x.ptr, number, x.ty);
            let args = words.iter().copied().chain([to, from, stride]).collect();
            lower.b.push(Stmt::Do(Callee::Kernel(kernel), args));
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }
}

fn last_axis(x: &View) -> Lowers<Var> {
    x.dims.last().copied().ok_or_else(|| broken("a sort without an axis"))
}
