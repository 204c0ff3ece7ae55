//! The matrix product.

use gw_ir::Attr;
use gw_types::Scalar;

use crate::EvalError;
use crate::array::{Array, broadcast};
use crate::rows::misused;

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
