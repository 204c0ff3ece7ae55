//! Matrices taken apart and solved with give natively what they give in the reference interpreter.

use gw_eval::Array;
use gw_ir::{Attr, MatrixOp, Op};
use gw_types::{DType, Scalar};

use crate::ops::{Case, check};

/// Numbers below one that are all different, and greater ones on the diagonal.
fn matrix(dtype: DType, lengths: &[usize], seed: usize) -> Array {
    let &[rows, columns] = lengths.last_chunk::<2>().expect("matrices");
    let count: usize = lengths.iter().product();
    let element = |at: usize| {
        let (i, j) = (at / columns % rows, at % columns);
        let spread = ((at + seed) as f64 * 0.618_033_988_7 + 0.1).fract() - 0.3;
        Scalar::Float(spread + if i == j { 2.0 + i as f64 } else { 0.0 })
    };
    Array::new(dtype, lengths.to_vec(), (0..count).map(element))
}

#[test]
fn of_one_operand() {
    let shapes: &[&[usize]] =
        &[&[3, 3], &[1, 1], &[0, 0], &[2, 1, 4, 4], &[0, 2, 2], &[4, 2], &[2, 5], &[3, 0], &[0, 3]];
    let ops = [
        (Op::Matrix(MatrixOp::Cholesky), Attr::None),
        (Op::Matrix(MatrixOp::Det), Attr::None),
        (Op::Matrix(MatrixOp::Eigh), Attr::None),
        (Op::Matrix(MatrixOp::Svd), Attr::None),
        (Op::Matrix(MatrixOp::Fft), Attr::Adjoint(false)),
        (Op::Matrix(MatrixOp::Fft), Attr::Adjoint(true)),
        (Op::Matrix(MatrixOp::Qr), Attr::Full(false)),
        (Op::Matrix(MatrixOp::Qr), Attr::Full(true)),
    ];
    for dtype in [DType::F32, DType::F64] {
        for (op, attr) in &ops {
            let ran: usize = shapes
                .iter()
                .map(|lengths| {
                    check(&Case { op: *op, attr: attr.clone(), operands: vec![matrix(dtype, lengths, 3)] })
                })
                .sum();
            assert!(ran > 0, "{} was never run", op.text());
        }
    }
}

#[test]
fn of_two_operands() {
    let shapes: &[[&[usize]; 2]] = &[
        [&[3, 3], &[3, 2]],
        [&[1, 1], &[1, 1]],
        [&[0, 0], &[0, 2]],
        [&[2, 2], &[2, 0]],
        [&[2, 1, 2, 2], &[3, 2, 4]],
        [&[3, 3], &[2, 2]],
    ];
    let triangle =
        |lower, adjoint| (Op::Matrix(MatrixOp::TriangularSolve), Attr::Triangle { lower, adjoint });
    let ops = [
        (Op::Matrix(MatrixOp::Solve), Attr::Adjoint(false)),
        (Op::Matrix(MatrixOp::Solve), Attr::Adjoint(true)),
        triangle(false, false),
        triangle(false, true),
        triangle(true, false),
        triangle(true, true),
    ];
    for dtype in [DType::F32, DType::F64] {
        for (op, attr) in &ops {
            for [a, b] in shapes {
                let operands = vec![matrix(dtype, a, 3), matrix(dtype, b, 5)];
                check(&Case { op: *op, attr: attr.clone(), operands });
            }
        }
    }
}
