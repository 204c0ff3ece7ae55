//! Functions that `graphwright.linalg` is written with: matrices taken apart into one array, and solved with.

use gw_ir::{Attr, MatrixOp};
use gw_trace::calls::{Algebra, Call, Norm};
use pyo3::prelude::*;

use super::arguments::axes;
use crate::host::operands;

/// Cholesky's triangles of symmetric matrices.
#[pyfunction]
fn cholesky<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    operands::call(input.py(), &Call::Matrices(MatrixOp::Cholesky, Attr::None), &[input])
}

/// Solves systems of triangles, transposed perhaps.
#[pyfunction]
fn triangular_solve<'py>(
    matrix: &Bound<'py, PyAny>,
    rhs: &Bound<'py, PyAny>,
    lower: bool,
    adjoint: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let call = Call::Matrices(MatrixOp::TriangularSolve, Attr::Triangle { lower, adjoint });
    operands::call(matrix.py(), &call, &[matrix, rhs])
}

/// Solves systems of matrices, transposed perhaps.
#[pyfunction]
fn solve<'py>(
    matrix: &Bound<'py, PyAny>,
    rhs: &Bound<'py, PyAny>,
    adjoint: bool,
) -> PyResult<Bound<'py, PyAny>> {
    operands::call(matrix.py(), &Call::Matrices(MatrixOp::Solve, Attr::Adjoint(adjoint)), &[matrix, rhs])
}

/// Determinants, their signs, and the logarithms of their magnitudes.
#[pyfunction]
fn determinants<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    operands::call(input.py(), &Call::Matrices(MatrixOp::Det, Attr::None), &[input])
}

/// The rows of `r`, and beside them the columns of `q`.
#[pyfunction]
fn r_and_q<'py>(input: &Bound<'py, PyAny>, full: bool) -> PyResult<Bound<'py, PyAny>> {
    operands::call(input.py(), &Call::Matrices(MatrixOp::Qr, Attr::Full(full)), &[input])
}

/// Eigenvalues of symmetric matrices over eigenvectors.
#[pyfunction]
fn eigenvalues_over_vectors<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    operands::call(input.py(), &Call::Matrices(MatrixOp::Eigh, Attr::None), &[input])
}

/// Singular values over `u` over `v`.
#[pyfunction]
fn singular_values_over_vectors<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    operands::call(input.py(), &Call::Matrices(MatrixOp::Svd, Attr::None), &[input])
}

/// Computes Fourier transforms along the last axis, not divided by the number of elements.
#[pyfunction]
fn fourier<'py>(input: &Bound<'py, PyAny>, inverse: bool) -> PyResult<Bound<'py, PyAny>> {
    operands::call(input.py(), &Call::Fft { inverse }, &[input])
}

/// Solutions of linear systems by Cholesky's triangles.
#[pyfunction]
fn cholesky_solve<'py>(chol: &Bound<'py, PyAny>, rhs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::CholeskySolve, &[chol, rhs])
}

/// Inverses of matrices, transposed perhaps.
#[pyfunction]
fn inverse<'py>(input: &Bound<'py, PyAny>, adjoint: bool) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::Inverse { adjoint }, &[input])
}

/// Determinants.
#[pyfunction]
fn determinant<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::Determinant, &[input])
}

/// Logarithms of the determinants of symmetric, positive definite matrices.
#[pyfunction]
fn log_determinant<'py>(input: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::LogDeterminant, &[input])
}

/// The sums of diagonals.
#[pyfunction]
fn trace<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::Trace, &[x])
}

/// A band around the diagonal, and zeros elsewhere.
#[pyfunction]
fn band_part<'py>(
    input: &Bound<'py, PyAny>,
    num_lower: &Bound<'py, PyAny>,
    num_upper: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::Band, &[input, num_lower, num_upper])
}

/// Products of matrices and vectors.
#[pyfunction]
fn matvec<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    transpose_a: bool,
) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::MatVec { transpose: transpose_a }, &[a, b])
}

/// Cross products along the last axis.
#[pyfunction]
fn cross<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::Cross, &[a, b])
}

/// Sums of products over axes of both tensors.
#[pyfunction]
fn tensordot<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    ours: Vec<i64>,
    theirs: Vec<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::TensorDot { ours, theirs }, &[a, b])
}

/// The root of the sum of squares over axes.
#[pyfunction]
fn euclidean_norm<'py>(
    tensor: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    norm(Norm::Euclidean { axes: axes(axis)?, keep: keepdims }, &[tensor])
}

/// The greatest magnitude over axes.
#[pyfunction]
fn greatest_norm<'py>(
    tensor: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    norm(Norm::Greatest { axes: axes(axis)?, keep: keepdims }, &[tensor])
}

/// The root of the sum of powers over axes; `root` is one over the exponent.
#[pyfunction]
fn power_norm<'py>(
    tensor: &Bound<'py, PyAny>,
    ord: &Bound<'py, PyAny>,
    root: &Bound<'py, PyAny>,
    axis: Option<&Bound<'py, PyAny>>,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    norm(Norm::Power { axes: axes(axis)?, keep: keepdims }, &[tensor, ord, root])
}

/// The greatest of the sums of magnitudes along one of two axes.
#[pyfunction]
fn greatest_sum<'py>(
    tensor: &Bound<'py, PyAny>,
    summed: i64,
    greatest: i64,
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    norm(Norm::GreatestSum { summed, greatest, keep: keepdims }, &[tensor])
}

fn norm<'py>(norm: Norm, args: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    algebra(Algebra::Norm(norm), args)
}

fn algebra<'py>(algebra: Algebra, args: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    operands::call(args[0].py(), &Call::composed(algebra), args)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fourier, module)?)?;
    module.add_function(wrap_pyfunction!(cholesky, module)?)?;
    module.add_function(wrap_pyfunction!(cholesky_solve, module)?)?;
    module.add_function(wrap_pyfunction!(inverse, module)?)?;
    module.add_function(wrap_pyfunction!(determinant, module)?)?;
    module.add_function(wrap_pyfunction!(log_determinant, module)?)?;
    module.add_function(wrap_pyfunction!(trace, module)?)?;
    module.add_function(wrap_pyfunction!(band_part, module)?)?;
    module.add_function(wrap_pyfunction!(matvec, module)?)?;
    module.add_function(wrap_pyfunction!(cross, module)?)?;
    module.add_function(wrap_pyfunction!(tensordot, module)?)?;
    module.add_function(wrap_pyfunction!(euclidean_norm, module)?)?;
    module.add_function(wrap_pyfunction!(greatest_norm, module)?)?;
    module.add_function(wrap_pyfunction!(power_norm, module)?)?;
    module.add_function(wrap_pyfunction!(greatest_sum, module)?)?;
    module.add_function(wrap_pyfunction!(triangular_solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)?;
    module.add_function(wrap_pyfunction!(determinants, module)?)?;
    module.add_function(wrap_pyfunction!(r_and_q, module)?)?;
    module.add_function(wrap_pyfunction!(eigenvalues_over_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(singular_values_over_vectors, module)?)
}
