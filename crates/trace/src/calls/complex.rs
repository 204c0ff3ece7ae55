//! Complex numbers of their parts, and parts of numbers: a real number is a complex one on the real axis.

use gw_base::Code;
use gw_ir::{
    Attr, AxisSlice, BinaryOp, Bound, Builder, CompareOp, DimArg, MatrixOp, Op, PartOp, UnaryOp, Unfit,
    ValueId,
};
use gw_types::{DType, Dim, Number, Scalar, true_division};

use super::meeting::meet;
use super::steps::{cast, scalar};
use crate::Staged;

/// The number with this real and this imaginary part.
pub(super) fn complex(b: &mut Builder, re: Staged, im: Staged) -> Result<Staged, Unfit> {
    let (re, im, weak) = meet(b, Op::Complex, re, im)?;
    let is_python = weak.is_some();
    let [re, im] = if is_python { [cast(b, re, DType::F64)?, cast(b, im, DType::F64)?] } else { [re, im] };
    let value = b.op(Op::Complex, Attr::None, &[re, im])?;
    Ok(Staged { value, weak: weak.map(|_| Number::Complex) })
}

/// The real or the imaginary part.
pub(super) fn part(b: &mut Builder, part: PartOp, z: Staged) -> Result<Staged, Unfit> {
    let dtype = b.ty(z.value).dtype;
    let value = match (part, dtype.is_complex()) {
        (_, true) => b.op(part, Attr::None, &[z.value])?,
        (PartOp::Real, false) => z.value,
        (PartOp::Imag, false) => {
            let [no, zero] = [(DType::Bool, Scalar::Bool(false)), (dtype, Scalar::Int(0))]
                .map(|(dtype, number)| scalar(b, dtype, number));
            b.op(Op::Select, Attr::None, &[no, z.value, zero])?
        }
    };
    let weak = if dtype.is_complex() { z.weak.map(|_| Number::Float) } else { z.weak };
    Ok(Staged { value, weak })
}

/// The number with the imaginary part turned round.
pub(super) fn conj(b: &mut Builder, z: Staged) -> Result<Staged, Unfit> {
    if !b.ty(z.value).dtype.is_complex() {
        return Ok(z);
    }
    let [re, im] = [PartOp::Real, PartOp::Imag].map(|part| b.op(part, Attr::None, &[z.value]));
    let im = b.op(UnaryOp::Neg, Attr::None, &[im?])?;
    let value = b.op(Op::Complex, Attr::None, &[re?, im])?;
    Ok(Staged { value, weak: z.weak })
}

/// One divided by a complex number, by Smith's method as NumPy's: signs of zeros are those of the ratio of both parts.
pub(super) fn reciprocal(b: &mut Builder, z: ValueId) -> Result<ValueId, Unfit> {
    let re = b.op(PartOp::Real, Attr::None, &[z])?;
    let im = b.op(PartOp::Imag, Attr::None, &[z])?;
    let one = scalar(b, b.ty(re).dtype, Scalar::Int(1));
    let two = |b: &mut Builder, op: BinaryOp, x, y| b.op(op, Attr::None, &[x, y]);
    let (size_re, size_im) = (b.op(UnaryOp::Abs, Attr::None, &[re])?, b.op(UnaryOp::Abs, Attr::None, &[im])?);
    let leads = b.op(CompareOp::Le, Attr::None, &[size_im, size_re])?;
    let greater = b.op(Op::Select, Attr::None, &[leads, re, im])?;
    let lesser = b.op(Op::Select, Attr::None, &[leads, im, re])?;
    let ratio = two(b, BinaryOp::Div, lesser, greater)?;
    let rest = two(b, BinaryOp::Mul, lesser, ratio)?;
    let whole = two(b, BinaryOp::Add, greater, rest)?;
    let [first, second] = [two(b, BinaryOp::Div, one, whole)?, two(b, BinaryOp::Div, ratio, whole)?];
    let [minus_first, minus_second] = [first, second].map(|part| b.op(UnaryOp::Neg, Attr::None, &[part]));
    let re = b.op(Op::Select, Attr::None, &[leads, first, second])?;
    let im = b.op(Op::Select, Attr::None, &[leads, minus_second?, minus_first?])?;
    b.op(Op::Complex, Attr::None, &[re, im])
}

/// The angle with the real axis, between -π and π.
pub(super) fn angle(b: &mut Builder, z: Staged) -> Result<Staged, Unfit> {
    let dtype = b.ty(z.value).dtype;
    let z =
        if dtype.is_complex() { z } else { Staged { value: cast(b, z.value, true_division(dtype))?, ..z } };
    let [re, im] = [part(b, PartOp::Real, z)?, part(b, PartOp::Imag, z)?];
    let value = b.op(BinaryOp::Atan2, Attr::None, &[im.value, re.value])?;
    Ok(Staged { value, weak: z.weak.map(|_| Number::Float) })
}

/// The product over axes, whose halves are multiplied with each other until one element is left of each.
pub(super) fn product(b: &mut Builder, x: ValueId, axes: &[usize], keep: bool) -> Result<ValueId, Unfit> {
    let mut found = x;
    for &axis in axes {
        let Dim::Fixed(mut length) = b.ty(x).shape.0[axis] else { return Err(unknown_length()) };
        if length == 0 {
            found = ones(b, found, axis)?;
        }
        while length > 1 {
            let half = length / 2;
            let parts = [(0, half), (half, 2 * half), (2 * half, length)];
            let [first, second, rest] = parts.map(|ends| part_of(b, found, axis, ends));
            found = b.op(BinaryOp::Mul, Attr::None, &[first?, second?])?;
            if length % 2 == 1 {
                found = b.op(Op::Concat, Attr::Axis(axis), &[found, rest?])?;
            }
            length -= half;
        }
    }
    if keep {
        return Ok(found);
    }
    // The axes have one element each.
    for &axis in axes.iter().rev() {
        let first = scalar(b, DType::I64, Scalar::Int(0));
        found = b.op(Op::Index, Attr::Axis(axis), &[found, first])?;
    }
    Ok(found)
}

fn part_of(
    b: &mut Builder,
    x: ValueId,
    axis: usize,
    (start, stop): (usize, usize),
) -> Result<ValueId, Unfit> {
    let mut slices = vec![AxisSlice::ALL; b.ty(x).rank()];
    let [start, stop] = [start, stop].map(|end| Bound::Fixed(end as i64));
    slices[axis] = AxisSlice { start, stop, step: 1 };
    b.op(Op::Slice, Attr::Slices(slices), &[x])
}

/// A one in place of the elements of an axis that has none.
fn ones(b: &mut Builder, x: ValueId, axis: usize) -> Result<ValueId, Unfit> {
    let ty = b.ty(x).clone();
    let mut args = vec![scalar(b, ty.dtype, Scalar::Int(1))];
    let mut dims = Vec::with_capacity(ty.rank());
    for (at, dim) in ty.shape.0.iter().enumerate() {
        dims.push(match dim {
            _ if at == axis => DimArg::Fixed(1),
            Dim::Fixed(n) => DimArg::Fixed(*n),
            Dim::Var(_) => {
                args.push(b.op(Op::Dim, Attr::Axis(at), &[x])?);
                DimArg::Arg(args.len() - 1)
            }
        });
    }
    b.op(Op::Broadcast, Attr::Dims(dims), &args)
}

fn unknown_length() -> Unfit {
    let message = "the product of complex numbers is taken over axes whose lengths are known, and this one is known only \
                   when the graph runs; multiply them in a loop";
    Unfit { clause: "call.product", code: Code::WrongShape, message: message.to_owned() }
}

/// The Fourier transform along the last axis; of numbers that are not complex in the complex type that holds them.
pub(super) fn fft(b: &mut Builder, z: ValueId, inverse: bool) -> Result<ValueId, Unfit> {
    let dtype = b.ty(z).dtype;
    let wanted = if dtype.is_number() { true_division(dtype).complex() } else { DType::C64 };
    let z = cast(b, z, wanted)?;
    let last = b.ty(z).rank().checked_sub(1).ok_or_else(|| {
        let message = "a single number has no axis along which it is transformed".to_owned();
        Unfit { clause: "call.fft", code: Code::WrongShape, message }
    })?;
    let mut rows = [z; 2];
    for (row, part) in rows.iter_mut().zip([PartOp::Real, PartOp::Imag]) {
        let part = b.op(part, Attr::None, &[z])?;
        *row = super::movement::expand_dims(b, part, last as i64)?.value;
    }
    let rows = b.op(Op::Concat, Attr::Axis(last), &rows)?;
    let rows = b.op(MatrixOp::Fft, Attr::Adjoint(inverse), &[rows])?;
    let [first, second] = [0, 1].map(|at| scalar(b, DType::I64, Scalar::Int(at)));
    let re = b.op(Op::Index, Attr::Axis(last), &[rows, first])?;
    let im = b.op(Op::Index, Attr::Axis(last), &[rows, second])?;
    b.op(Op::Complex, Attr::None, &[re, im])
}
