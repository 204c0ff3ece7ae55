//! Convolutions: a row of pixels of the result is a kernel's.

use gw_ir::{Attr, Node, Windows};
use gw_kernels::{CONV2D_F32, CONV2D_F64, Geometry};

use super::context::{Lower, Lowers, broken};
use super::place::Held;
use super::spread::{PRODUCT, Work};
use crate::loops::{Binary, Callee, Compare, Stmt, Ty, Var};

impl Lower<'_> {
    pub(super) fn conv2d(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Windows(windows) = &node.attr else { return Err(broken("a convolution without windows")) };
        let result = node.results[0];
        let (x, filter) = (self.materialise_dense(node.args[0])?, self.materialise_dense(node.args[1])?);
        let ([images, height, width, channels], [rows, columns, taken, made]) =
            (four(&x.dims)?, four(&filter.dims)?);
        self.guard_length(taken, channels);
        let down = self.window_count(windows, 0, height, rows);
        let across = self.window_count(windows, 1, width, columns);
        let dims = vec![images, down, across, made];
        let ptr = self.room(Some(result), x.ty, &dims);
        let out = self.dense(ptr, x.ty, dims);
        let word = |lower: &mut Self, number: usize| lower.b.word(number as i64);
        let stride = word(self, windows.strides[1]);
        let before = word(self, windows.padding[1][0]);
        let [row_step, column_step] = windows.dilations.map(|step| word(self, step));
        // As the fields of `Geometry` stand.
        let words: [Var; Geometry::WORDS] =
            [height, width, channels, rows, columns, made, across, stride, before, row_step, column_step];
        let geometry = self.words(&words);
        let kernel = if x.ty == Ty::F32 { CONV2D_F32 } else { CONV2D_F64 };
        let each = self.count(&[across, made, rows, columns, channels]);
        let work = Work { each, cost: Some(PRODUCT), own: false };
        self.spread(&[images, down], work, |lower, index| {
            let to = lower.number_of(index, &out.strides[..2]);
            let to = lower.b.offset(out.ptr, to, out.ty);
            let from = lower.number_of(&index[..1], &x.strides[..1]);
            let from = lower.b.offset(x.ptr, from, x.ty);
            let (stride, before) = (word(lower, windows.strides[0]), word(lower, windows.padding[0][0]));
            let row = lower.b.mul(index[1], stride);
            let row = lower.b.binary(Binary::Sub, row, before);
            lower.b.push(Stmt::Do(Callee::Kernel(kernel), vec![geometry, row, to, from, filter.ptr]));
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }

    /// Number of windows of `size` elements that lie on an axis of this length.
    fn window_count(&mut self, windows: &Windows, axis: usize, length: Var, size: Var) -> Var {
        if let (Some(length), Some(size)) = (self.b.known(length), self.b.known(size)) {
            return self.b.word(windows.count(axis, length as usize, size as usize) as i64);
        }
        let padding = windows.padding[axis].iter().sum::<usize>() as i64;
        let [zero, one, padding, dilation, stride] =
            [0, 1, padding, windows.dilations[axis] as i64, windows.strides[axis] as i64]
                .map(|n| self.b.word(n));
        let none = self.b.compare(Compare::Eq, size, zero);
        let size = self.b.select(none, one, size);
        let others = self.b.binary(Binary::Sub, size, one);
        let beyond = self.b.binary(Binary::MulSaturating, others, dilation);
        let places = self.b.add(length, padding);
        let last = self.b.binary(Binary::Sub, places, one);
        let left = self.b.binary(Binary::Sub, last, beyond);
        let fits = self.b.compare(Compare::Ge, left, zero);
        let left = self.b.select(fits, left, zero);
        let steps = self.b.binary(Binary::Div, left, stride);
        let count = self.b.add(steps, one);
        self.b.select(fits, count, zero)
    }

    /// The address of memory that holds these words.
    fn words(&mut self, words: &[Var]) -> Var {
        let count = self.b.word(words.len() as i64);
        let ptr = self.room(None, Ty::I64, &[count]);
        for (at, &word) in words.iter().enumerate() {
            let at = self.b.word(at as i64);
            self.b.store(ptr, at, word);
        }
        ptr
    }
}

fn four(vars: &[Var]) -> Lowers<[Var; 4]> {
    vars.try_into().map_err(|_| broken("images and filters have four axes"))
}
