//! Matrices taken apart and solved with: each matrix of a batch is a call of a kernel, which is given room.

use gw_ir::{Attr, MatrixOp, Node};
use gw_kernels::{How, Matrices, fft_work};

use super::context::{Lower, Lowers, broken};
use super::place::Held;
use crate::loops::{Callee, Compare, Stmt, Ty, Var};

impl Lower<'_> {
    pub(super) fn matrices(&mut self, op: MatrixOp, node: &Node) -> Lowers<()> {
        let (which, how) = (kernel(op), how(&node.attr));
        let result = node.results[0];
        let a = self.materialise_dense(node.args[0])?;
        let b = node.args.get(1).map(|&b| self.materialise_dense(b)).transpose()?;
        let [m, n] = last_two(&a.dims)?;
        if !matches!(which, Matrices::Qr | Matrices::Svd | Matrices::Fft) {
            self.guard_length(m, n);
        }
        if which == Matrices::Fft {
            let parts = self.b.word(2);
            self.guard_length(m, parts);
        }
        let mut batch = a.dims[..a.dims.len() - 2].to_vec();
        let mut k = self.b.word(0);
        if let Some(b) = &b {
            let [held, right] = last_two(&b.dims)?;
            self.guard_length(held, n);
            k = right;
            batch = self.broadcast_dims(batch, b.dims[..b.dims.len() - 2].to_vec());
        }
        let made = self.lengths_made(which, how, [m, n, k]);
        let dims: Vec<Var> = batch.iter().copied().chain(made.iter().copied()).collect();
        let ptr = self.room(Some(result), a.ty, &dims);
        let out = self.dense(ptr, a.ty, dims);
        let size = self.room_for(which, [m, n, k], &made);
        let room = self.room(None, Ty::F64, &[size]);
        let function = which.function(a.ty == Ty::F64);
        let how = self.b.word(how.word());
        self.nest(&batch, |lower, index| {
            let number = lower.number_of(index, &out.strides[..index.len()]);
            let to = lower.b.offset(out.ptr, number, out.ty);
            let from = lower.matrix_start(&a, &batch, index);
            let by = b.as_ref().map_or(from, |b| lower.matrix_start(b, &batch, index));
            let args = vec![to, from, by, room, size, m, n, k, how];
            lower.b.push(Stmt::Do(Callee::Kernel(function), args));
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }

    /// The lengths of what is made of one matrix.
    fn lengths_made(&mut self, which: Matrices, how: How, [m, n, k]: [Var; 3]) -> Vec<Var> {
        let one = self.b.word(1);
        match which {
            Matrices::Cholesky => vec![n, n],
            Matrices::Fft => vec![m, n],
            Matrices::TriangularSolve | Matrices::Solve => vec![n, k],
            Matrices::Det => vec![self.b.word(3)],
            Matrices::Eigh => vec![self.b.add(n, one), n],
            Matrices::Qr | Matrices::Svd => {
                let fewer = self.b.compare(Compare::Lt, m, n);
                let least = if how.full { m } else { self.b.select(fewer, m, n) };
                let both = self.b.add(m, n);
                if which == Matrices::Qr { vec![least, both] } else { vec![self.b.add(both, one), least] }
            }
        }
    }

    /// Number of doubles that the kernel works with.
    fn room_for(&mut self, which: Matrices, [m, n, k]: [Var; 3], made: &[Var]) -> Var {
        let (own, right, square) = (self.b.mul(m, n), self.b.mul(n, k), self.b.mul(n, n));
        let result = self.count(made);
        if which == Matrices::Fft
            && let Some(length) = self.b.known(n)
        {
            let work = fft_work(usize::try_from(length).unwrap_or(0));
            let work = self.b.word(i64::try_from(work).unwrap_or(i64::MAX));
            return [result, work].into_iter().fold(own, |sum, part| self.b.add(sum, part));
        }
        let parts = [own, square, n].into_iter().zip(which.work());
        let parts: Vec<Var> = parts
            .map(|(part, times)| {
                let times = self.b.word(times);
                self.b.mul(part, times)
            })
            .collect();
        [right, result].into_iter().chain(parts).fold(own, |sum, part| self.b.add(sum, part))
    }
}

fn kernel(op: MatrixOp) -> Matrices {
    match op {
        MatrixOp::Cholesky => Matrices::Cholesky,
        MatrixOp::TriangularSolve => Matrices::TriangularSolve,
        MatrixOp::Solve => Matrices::Solve,
        MatrixOp::Det => Matrices::Det,
        MatrixOp::Qr => Matrices::Qr,
        MatrixOp::Eigh => Matrices::Eigh,
        MatrixOp::Svd => Matrices::Svd,
        MatrixOp::Fft => Matrices::Fft,
    }
}

fn how(attr: &Attr) -> How {
    let plain = How::default();
    if let &Attr::Triangle { lower, adjoint } = attr {
        How { lower, adjoint, ..plain }
    } else if let &Attr::Adjoint(adjoint) = attr {
        How { adjoint, ..plain }
    } else if let &Attr::Full(full) = attr {
        How { full, ..plain }
    } else {
        plain
    }
}

fn last_two(dims: &[Var]) -> Lowers<[Var; 2]> {
    dims.last_chunk::<2>().copied().ok_or_else(|| broken("a matrix has two axes"))
}
