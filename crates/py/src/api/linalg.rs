//! Functions that `graphwright.linalg` is written with: matrices taken apart into one array, and solved with.

use gw_ir::{Attr, MatrixOp};
use gw_trace::calls::Call;
use pyo3::prelude::*;

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

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fourier, module)?)?;
    module.add_function(wrap_pyfunction!(cholesky, module)?)?;
    module.add_function(wrap_pyfunction!(triangular_solve, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)?;
    module.add_function(wrap_pyfunction!(determinants, module)?)?;
    module.add_function(wrap_pyfunction!(r_and_q, module)?)?;
    module.add_function(wrap_pyfunction!(eigenvalues_over_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(singular_values_over_vectors, module)?)
}
