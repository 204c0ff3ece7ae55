//! The test that a checked node of integers does not overflow, as ops of the graph: a `try` around it asks before it runs.

use gw_ir::{Attr, Builder, Literal, Node, Op, ValueId};
use gw_types::{Arithmetic, DType, Scalar};

/// True if the exact result of a checked node fits its type, in the open region.
pub(crate) fn fits(b: &mut Builder, node: &Node) -> Option<ValueId> {
    let (step, to) = (node.checked()?, b.ty(node.results[0]).dtype);
    let x = node.args[0];
    let y = node.args.get(1).copied().unwrap_or(x);
    let mut ops = Ops { b, dtype: to };
    match step {
        Arithmetic::Neg | Arithmetic::Abs => {
            let least = ops.end(true);
            ops.op(Op::Ne, &[x, least])
        }
        Arithmetic::Add | Arithmetic::Sub => ops.sum_fits(step, x, y),
        Arithmetic::Mul => ops.product_fits(x, y),
        Arithmetic::FloorDiv => {
            let (least, minus) = (ops.end(true), ops.int(-1));
            let (x, y) = (ops.op(Op::Ne, &[x, least])?, ops.op(Op::Ne, &[y, minus])?);
            ops.op(Op::Or, &[x, y])
        }
        Arithmetic::Pow => ops.power_fits(x, y),
        Arithmetic::Shl => ops.shifted_fits(x, y),
        Arithmetic::Cast => ops.cast_fits(x),
    }
}

struct Ops<'b> {
    b: &'b mut Builder,
    /// The type of the result.
    dtype: DType,
}

impl Ops<'_> {
    /// Steps of the test never fail.
    fn op(&mut self, op: Op, args: &[ValueId]) -> Option<ValueId> {
        self.b.op(op, Attr::None, args).ok()
    }

    fn cast(&mut self, x: ValueId, to: DType) -> Option<ValueId> {
        if self.b.ty(x).dtype == to { Some(x) } else { self.b.op(Op::Cast, Attr::To(to), &[x]).ok() }
    }

    fn int(&mut self, number: i64) -> ValueId {
        self.b.constant(Literal::scalar(self.dtype, Scalar::Int(number)))
    }

    fn real(&mut self, number: f64) -> ValueId {
        self.b.constant(Literal::scalar(DType::F64, Scalar::Float(number)))
    }

    /// The least or the greatest integer.
    fn end(&mut self, least: bool) -> ValueId {
        let bits = 8 * self.dtype.size() - 1;
        self.int(if least { i64::MIN >> (63 - bits) } else { i64::MAX >> (63 - bits) })
    }

    /// The sign of a sum that does not fit is neither that of `x` nor that of `y`; of a difference not that of `x`, which
    /// is not that of `y`.
    fn sum_fits(&mut self, step: Arithmetic, x: ValueId, y: ValueId) -> Option<ValueId> {
        let (op, other) = if step == Arithmetic::Add { (Op::Add, None) } else { (Op::Sub, Some(x)) };
        let result = self.op(op, &[x, y])?;
        let from_x = self.op(Op::Xor, &[x, result])?;
        let from_y = self.op(Op::Xor, &[y, other.unwrap_or(result)])?;
        let signs = self.op(Op::And, &[from_x, from_y])?;
        let zero = self.int(0);
        self.op(Op::Ge, &[signs, zero])
    }

    /// A product that fits can be divided by `x` again; the least integer by -1 can, too, and does not fit.
    fn product_fits(&mut self, x: ValueId, y: ValueId) -> Option<ValueId> {
        let [zero, one, minus] = [0, 1, -1].map(|number| self.int(number));
        let is_zero = self.op(Op::Eq, &[x, zero])?;
        let divisor = self.op(Op::Select, &[is_zero, one, x])?;
        let product = self.op(Op::Mul, &[divisor, y])?;
        let quotient = self.op(Op::FloorDiv, &[product, divisor])?;
        let (same, least) = (self.op(Op::Eq, &[quotient, y])?, self.end(true));
        let (by, of) = (self.op(Op::Ne, &[x, minus])?, self.op(Op::Ne, &[y, least])?);
        let either = self.op(Op::Or, &[by, of])?;
        let fits = self.op(Op::And, &[same, either])?;
        self.op(Op::Or, &[is_zero, fits])
    }

    /// In double precision no power of integers is so near to the ends that its rounding matters, but for the least integer
    /// itself, which the power that wraps tells from the others.
    fn power_fits(&mut self, x: ValueId, y: ValueId) -> Option<ValueId> {
        let [wide, exponent] = [self.cast(x, DType::F64)?, self.cast(y, DType::F64)?];
        let size = self.op(Op::Abs, &[wide])?;
        let power = self.op(Op::Pow, &[size, exponent])?;
        let end = if self.dtype == DType::I32 { 2f64.powi(31) } else { 2f64.powi(63) };
        let [below, above] = [end * (1.0 - 1e-11), end * (1.0 + 1e-11)].map(|end| self.real(end));
        let is_below = self.op(Op::Lt, &[power, below])?;
        let near = self.op(Op::Lt, &[power, above])?;
        let [zero, one] = [0, 1].map(|number| self.int(number));
        let exponent = self.op(Op::Max, &[y, zero])?;
        let (wrapped, least) = (self.op(Op::Pow, &[x, exponent])?, self.end(true));
        let negative = self.op(Op::Lt, &[x, zero])?;
        let is_least = self.op(Op::Eq, &[wrapped, least])?;
        let is_least = self.op(Op::And, &[is_least, negative])?;
        let is_least = self.op(Op::And, &[is_least, near])?;
        let short = self.op(Op::Le, &[y, one])?;
        let fits = self.op(Op::Or, &[is_below, is_least])?;
        self.op(Op::Or, &[fits, short])
    }

    /// Shifted back it is the same.
    fn shifted_fits(&mut self, x: ValueId, y: ValueId) -> Option<ValueId> {
        let (zero, width) = (self.int(0), self.int(8 * self.dtype.size() as i64));
        let amount = self.op(Op::Max, &[y, zero])?;
        let shifted = self.op(Op::Shl, &[x, amount])?;
        let back = self.op(Op::Shr, &[shifted, amount])?;
        let (same, inside) = (self.op(Op::Eq, &[back, x])?, self.op(Op::Lt, &[y, width])?);
        let (fits, nothing) = (self.op(Op::And, &[same, inside])?, self.op(Op::Eq, &[x, zero])?);
        self.op(Op::Or, &[fits, nothing])
    }

    fn cast_fits(&mut self, x: ValueId) -> Option<ValueId> {
        let from = self.b.ty(x).dtype;
        if !from.is_float() {
            let wide = self.cast(x, DType::I64)?;
            let narrow = self.cast(x, self.dtype)?;
            let back = self.cast(narrow, DType::I64)?;
            return self.op(Op::Eq, &[back, wide]);
        }
        let wide = self.cast(x, DType::F64)?;
        let narrow = self.dtype == DType::I32;
        let end = if narrow { 2f64.powi(31) } else { 2f64.powi(63) };
        let most = self.real(end);
        let least = self.real(if narrow { -end - 1.0 } else { -end });
        let below = self.op(Op::Lt, &[wide, most])?;
        let above = self.op(if narrow { Op::Gt } else { Op::Ge }, &[wide, least])?;
        self.op(Op::And, &[below, above])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gw_eval::Array;
    use gw_types::TensorType;

    /// True if the test of a checked op on numbers says the same as the op itself.
    #[track_caller]
    fn check(op: Op, dtype: DType, numbers: &[i64]) {
        let mut b = Builder::new("f");
        let args: Vec<_> = numbers.iter().map(|_| b.param(TensorType::scalar(dtype))).collect();
        b.op(op, Attr::Checked, &args).expect("integers");
        let node = b.graph().nodes.iter().last().map(|(_, node)| node.clone()).expect("a node");
        b.rewind(0);
        let ok = fits(&mut b, &node).expect("a test");
        let graph = b.finish(vec![ok]);
        let inputs: Vec<Array> = numbers.iter().map(|&n| Array::scalar(dtype, Scalar::Int(n))).collect();
        let said = gw_eval::run(&graph, &inputs).map(|outcome| outcome.results[0].first().to_bool());
        let fine = gw_eval::apply(op, &Attr::Checked, &inputs.iter().collect::<Vec<_>>()).is_ok();
        assert_eq!(said, Ok(fine), "{op:?} of {numbers:?} in {dtype}");
    }

    #[test]
    fn tests_say_what_the_ops_do() {
        for dtype in [DType::I32, DType::I64] {
            let most = if dtype == DType::I32 { i64::from(i32::MAX) } else { i64::MAX };
            let root = (most as f64).sqrt() as i64;
            let ends = [
                0,
                1,
                -1,
                2,
                -2,
                3,
                7,
                root,
                root + 1,
                -root,
                most,
                most - 1,
                -most,
                -most - 1,
                most / 2 + 1,
            ];
            for x in ends {
                for op in [Op::Neg, Op::Abs] {
                    check(op, dtype, &[x]);
                }
                for y in ends {
                    for op in [Op::Add, Op::Sub, Op::Mul] {
                        check(op, dtype, &[x, y]);
                    }
                    if y != 0 {
                        check(Op::FloorDiv, dtype, &[x, y]);
                    }
                }
                for y in [0, 1, 2, 3, 5, 21, 31, 32, 62, 63, 64, most] {
                    for op in [Op::Pow, Op::Shl] {
                        check(op, dtype, &[x, y]);
                    }
                }
            }
        }
    }
}
