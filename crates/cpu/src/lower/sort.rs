//! Sorting: the kernels give the positions of each row in order.

use gw_ir::Node;
use gw_kernels::{ARG_SORT_F32, ARG_SORT_F64, ARG_SORT_I32, ARG_SORT_I64};

use super::{Held, Lower, Lowers, broken};
use crate::loops::{Callee, Stmt, Ty};

impl Lower<'_> {
    pub(super) fn arg_sort(&mut self, node: &Node) -> Lowers<()> {
        let result = node.results[0];
        let x = self.materialise(node.args[0])?;
        let (Some((&length, rows)), Some((&stride, row_strides))) =
            (x.dims.split_last(), x.strides.split_last())
        else {
            return Err(broken("a sort without an axis"));
        };
        let kernel = match x.ty {
            Ty::F32 => ARG_SORT_F32,
            Ty::F64 => ARG_SORT_F64,
            Ty::I32 => ARG_SORT_I32,
            Ty::I64 | Ty::Bool | Ty::Ptr => ARG_SORT_I64,
        };
        let ptr = self.room(Some(result), Ty::I64, &x.dims);
        let out = self.dense(ptr, Ty::I64, x.dims.clone());
        self.nest(rows, |lower, index| {
            let number = lower.number_of(index, &out.strides[..index.len()]);
            let to = lower.b.offset(out.ptr, number, Ty::I64);
            let number = lower.number_of(index, row_strides);
            let from = lower.b.offset(x.ptr, number, x.ty);
            lower.b.push(Stmt::Do(Callee::Kernel(kernel), vec![length, to, from, stride]));
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }
}
