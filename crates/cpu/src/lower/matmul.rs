//! Matrix products: small ones of known lengths as loops, others by the kernels. Strides make transposes free.

use gw_ir::{Attr, Node};
use gw_kernels::{MATMUL_F32, MATMUL_F64, MATMUL_I32, MATMUL_I64};

use super::context::{Lower, Lowers, broken};
use super::place::{Held, View};
use super::spread::{Amount, PRODUCT, Work};
use crate::loops::{Callee, Compare, Stmt, Ty, Var};

/// Products of at most so many multiplications are loops.
const SMALL: i64 = 512;

/// Products of floats of at least so many multiplications, by whether the columns of the second matrix are next to each other,
/// are a kernel's too, which keeps a row in a register; no length is greater than the last number.
const FEW: ([i64; 2], i64) = ([64, 32], 16);

/// A run of a product has at least so many rows; the second number where rows are shorter than [`SHORT`]. Of fewer the kernel
/// takes some for a small product, which it computes in another order.
const FEWEST: [i64; 2] = [72, 264];
const SHORT: i64 = 4;

/// A row times a matrix of at least so many columns, which are next to each other, is a kernel's: it takes them in lanes.
const LANES: i64 = 8;

impl Lower<'_> {
    pub(super) fn matmul(&mut self, node: &Node) -> Lowers<()> {
        let &Attr::Matmul { transpose_x, transpose_y } = &node.attr else {
            return Err(broken("a product without its attribute"));
        };
        let result = node.results[0];
        let x = turned(self.materialise(node.args[0])?, transpose_x);
        let y = turned(self.materialise(node.args[1])?, transpose_y);
        let ([m, k], [l, n]) = (last_two(&x.dims)?, last_two(&y.dims)?);
        self.guard_length(l, k);
        let batches = [&x, &y].map(|view| view.dims[..view.dims.len() - 2].to_vec());
        let [x_batch, y_batch] = batches.clone();
        let batch = self.broadcast_dims(x_batch, y_batch);
        let dims: Vec<Var> = batch.iter().copied().chain([m, n]).collect();
        let ptr = self.room(Some(result), x.ty, &dims);
        let out = self.dense(ptr, x.ty, dims);
        if self.is_empty(&out.dims) {
            return self.define(result, Held::View(out));
        }
        let alone = batch.iter().all(|&dim| self.b.known(dim) == Some(1));
        let each = self.count(&[m, n, k]);
        let work = Work { each: if alone { self.b.word(0) } else { each }, cost: Some(PRODUCT), own: false };
        self.spread(&batch, work, |lower, index| {
            let number = lower.number_of(index, &out.strides[..index.len()]);
            let to = lower.b.offset(out.ptr, number, out.ty);
            let from = lower.matrix_start(&x, &batch, index);
            let by = lower.matrix_start(&y, &batch, index);
            lower.product(to, [m, n, k], (from, last_two(&x.strides)?), (by, last_two(&y.strides)?), x.ty);
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }

    /// Start address of the matrix of a batch, the batch being stretched to `to`.
    pub(super) fn matrix_start(&mut self, view: &View, to: &[Var], index: &[Var]) -> Var {
        let own = view.dims.len() - 2;
        let added = to.len() - own;
        let mut at = Vec::new();
        for k in 0..own {
            at.push(self.stretched(index[added + k], to[added + k], view.dims[k]));
        }
        let number = self.number_of(&at, &view.strides[..own]);
        self.b.offset(view.ptr, number, view.ty)
    }

    fn product(
        &mut self,
        out: Var,
        [m, n, k]: [Var; 3],
        (x, [x_row, x_column]): (Var, [Var; 2]),
        (y, [y_row, y_column]): (Var, [Var; 2]),
        ty: Ty,
    ) {
        let lengths = [m, n, k].map(|length| self.b.known(length));
        let neighbours = self.b.known(y_column) == Some(1);
        let row =
            ty.is_float() && lengths[0] == Some(1) && lengths[1].is_some_and(|n| n >= LANES) && neighbours;
        let few = ty.is_float()
            && lengths[1] != Some(1)
            && lengths.iter().all(|length| length.is_some_and(|length| length <= FEW.1))
            && lengths.iter().flatten().product::<i64>() >= FEW.0[usize::from(neighbours)];
        if let [Some(m), Some(n), Some(k)] = lengths
            && m.saturating_mul(n).saturating_mul(k) <= SMALL
            && !(row || few)
        {
            return self.small_product(out, [m, n, k], (x, [x_row, x_column]), (y, [y_row, y_column]), ty);
        }
        let kernel = match ty {
            Ty::F32 => MATMUL_F32,
            Ty::F64 => MATMUL_F64,
            Ty::I32 => MATMUL_I32,
            Ty::I64 | Ty::Bool | Ty::Ptr | Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 | Ty::U32 => MATMUL_I64,
        };
        let work = self.count(&[m, n, k]);
        self.elements = self.elements.saturating_add(self.b.known(work).unwrap_or(0));
        if self.spreading || lengths[0].is_some_and(|m| m < 2 * FEWEST[0]) {
            let args = vec![m, n, k, out, x, x_row, x_column, y, y_row, y_column];
            self.b.push(Stmt::Do(Callee::Kernel(kernel), args));
            return;
        }
        let (first, count) = (self.b.fresh(Ty::I64), self.b.fresh(Ty::I64));
        self.b.open();
        let [to, from] = [(out, n), (x, x_row)].map(|(start, stride)| {
            let number = self.b.mul(first, stride);
            self.b.offset(start, number, ty)
        });
        let args = vec![count, n, k, to, from, x_row, x_column, y, y_row, y_column];
        self.b.push(Stmt::Do(Callee::Kernel(kernel), args));
        let body = self.b.close(Vec::new()).block;
        let amount = Amount { work, cost: PRODUCT, fewest: self.fewest_rows(n) };
        self.share((m, first, count), None, body, &amount, true);
    }

    /// Least number of rows of a product, whose rows have this length, in a run.
    fn fewest_rows(&mut self, length: Var) -> Var {
        let [few, many, short] = [FEWEST[0], FEWEST[1], SHORT].map(|number| self.b.word(number));
        let is_short = self.b.compare(Compare::Lt, length, short);
        self.b.select(is_short, many, few)
    }

    /// Each element is a loop over `k`; floats are added in double precision.
    fn small_product(
        &mut self,
        out: Var,
        [m, n, k]: [i64; 3],
        (x, [x_row, x_column]): (Var, [Var; 2]),
        (y, [y_row, y_column]): (Var, [Var; 2]),
        ty: Ty,
    ) {
        let wide = if ty.is_float() { Ty::F64 } else { ty };
        let [rows, columns, inner] = [m, n, k].map(|length| self.b.word(length));
        let b = &mut self.b;
        let zero = if ty.is_float() { b.real(wide, 0.0) } else { b.int(wide, 0) };
        b.for_(rows, &[], |b, i, _| {
            let row = b.mul(i, x_row);
            b.for_(columns, &[], |b, j, _| {
                let column = b.mul(j, y_column);
                let sum = b.for_(inner, &[zero], |b, l, sum| {
                    let (across, down) = (b.mul(l, x_column), b.mul(l, y_row));
                    let (at_x, at_y) = (b.add(row, across), b.add(column, down));
                    let [p, q] = [(x, at_x), (y, at_y)].map(|(ptr, at)| {
                        let element = b.load(ty, ptr, at);
                        b.convert(wide, element)
                    });
                    let product = b.mul(p, q);
                    vec![b.add(sum[0], product)]
                });
                let first = b.mul(i, columns);
                let at = b.add(first, j);
                let sum = b.convert(ty, sum[0]);
                b.store(out, at, sum);
                Vec::new()
            });
            Vec::new()
        });
    }
}

fn turned(mut view: View, transpose: bool) -> View {
    let rank = view.dims.len();
    if transpose && rank >= 2 {
        view.dims.swap(rank - 1, rank - 2);
        view.strides.swap(rank - 1, rank - 2);
        view.dense = false;
    }
    view
}

fn last_two(vars: &[Var]) -> Lowers<[Var; 2]> {
    vars.last_chunk::<2>().copied().ok_or_else(|| broken("a matrix has two axes"))
}
