//! The matrix product and the convolution.

use gw_ir::Attr;
use gw_types::{DType, Scalar};

use crate::EvalError;
use crate::array::{Array, broadcast};
use crate::fault::misused;

/// `out[…, i, j] = Σ x[…, i, k] · y[…, k, j]`; floats are added in double precision and rounded once.
pub(crate) fn matmul(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let &Attr::Matmul { transpose_x, transpose_y } = attr else { return Err(misused(attr)) };
    let [x, y] = [args[0], args[1]];
    let (x_batch, [rows, inner]) = matrix(x, transpose_x);
    let (y_batch, [same, columns]) = matrix(y, transpose_y);
    if inner != same {
        return Err(EvalError::shapes(format!("cannot multiply {inner} columns with {same} rows")));
    }
    let mut lengths = broadcast(x_batch, y_batch)?;
    lengths.extend([rows, columns]);
    let pick = |array: &Array, batch: &[usize], i: usize, j: usize, turned: bool| {
        let at = if turned { [j, i] } else { [i, j] };
        element(array, batch, at)
    };
    Ok(Array::build(x.dtype, lengths, |index| {
        let (batch, &[i, j]) = index.split_last_chunk::<2>().expect("a matrix has two axes");
        let pairs =
            (0..inner).map(|k| (pick(x, batch, i, k, transpose_x), pick(y, batch, k, j, transpose_y)));
        match x.dtype.is_float() {
            true => Scalar::Float(pairs.map(|(a, b)| a.to_f64() * b.to_f64()).sum()),
            false => Scalar::Int(
                pairs.fold(0i64, |sum, (a, b)| sum.wrapping_add(a.to_i64().wrapping_mul(b.to_i64()))),
            ),
        }
    }))
}

/// The same of complex numbers: products and sums of their parts.
pub(crate) fn matmul_of_complex(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let part = |x: &Array, at: usize| {
        let parts = x.elements.iter().map(|z| Scalar::Float(z.parts()[at]));
        Array::new(DType::F64, x.lengths.clone(), parts)
    };
    let product = |a: usize, b: usize| matmul(attr, &[&part(args[0], a), &part(args[1], b)]);
    let [[aa, bb], [ab, ba]] = [[product(0, 0)?, product(1, 1)?], [product(0, 1)?, product(1, 0)?]];
    let parts = aa.elements.iter().zip(&bb.elements).zip(ab.elements.iter().zip(&ba.elements));
    let elements = parts.map(|((aa, bb), (ab, ba))| {
        // Sums begin with zero, not with -0.
        let [aa, bb, ab, ba] = [aa, bb, ab, ba].map(|sum| sum.to_f64() + 0.0);
        Scalar::Complex(aa - bb, ab + ba)
    });
    Ok(Array::new(args[0].dtype, aa.lengths.clone(), elements))
}

/// `out[n, i, j, o] = Σ x[n, i + a, j + b, c] · filter[a, b, c, o]` over the elements of x that a window has; added in double
/// precision and rounded once.
pub(crate) fn conv2d(attr: &Attr, args: &[&Array]) -> Result<Array, EvalError> {
    let (Attr::Windows(windows), [x, filter]) = (attr, [args[0], args[1]]) else { return Err(misused(attr)) };
    let (&[images, height, width, channels], &[rows, columns, taken, made]) =
        (&x.lengths[..], &filter.lengths[..])
    else {
        return Err(misused(attr));
    };
    if channels != taken {
        return Err(EvalError::shapes(format!("images of {channels} channels meet filters of {taken}")));
    }
    let lengths = vec![images, windows.count(0, height, rows), windows.count(1, width, columns), made];
    Ok(Array::build(x.dtype, lengths, |index| {
        let [image, i, j, o] = <[usize; 4]>::try_from(index).expect("images have four axes");
        let mut sum = 0.0;
        for (a, b) in (0..rows).flat_map(|a| (0..columns).map(move |b| (a, b))) {
            let places = (windows.place(0, i, a, height), windows.place(1, j, b, width));
            let (Some(row), Some(column)) = places else { continue };
            let pairs = (0..channels).map(|c| (x.at(&[image, row, column, c]), filter.at(&[a, b, c, o])));
            sum += pairs.map(|(x, y)| x.to_f64() * y.to_f64()).sum::<f64>();
        }
        Scalar::Float(sum)
    }))
}

fn matrix(x: &Array, transpose: bool) -> (&[usize], [usize; 2]) {
    let (batch, &[rows, columns]) = x.lengths.split_last_chunk::<2>().expect("a matrix has two axes");
    (batch, if transpose { [columns, rows] } else { [rows, columns] })
}

/// The element of a matrix of a stretched batch.
fn element(x: &Array, batch: &[usize], [i, j]: [usize; 2]) -> Scalar {
    let own = x.lengths.len() - 2;
    let batch = batch[batch.len() - own..].iter().zip(&x.lengths);
    let mut index: Vec<usize> = batch.map(|(&at, &n)| if n == 1 { 0 } else { at }).collect();
    index.extend([i, j]);
    x.at(&index)
}
