//! Numbers of elements and how they are judged: at once where they are known, when the graph runs where they are not.

use gw_base::Code;
use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, Piece, ReduceOp};
use gw_runtime::Buffer;
use gw_trace::calls::{Call, Length};
use gw_types::{DType, Scalar};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use super::elements::Elements;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::{checks, operands};
use crate::session;
use crate::values::array;

/// A number of Python's.
pub fn number(n: i64) -> Operand {
    Operand::Number(Scalar::Int(n))
}

/// The integer that an operand is, where it is known.
pub fn known(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Number(n) => Some(n.to_i64()),
        Operand::Tensor(buffer) => array::only(buffer).map(Scalar::to_i64),
        Operand::Staged(tracing, staged) => tracing.trace.known(staged.value).map(Scalar::to_i64),
    }
}

/// The number of an element; a number of Python's where it is known.
pub fn one(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    let operand = operands::operand(object)?;
    if !operand.dtype().is_int() || !operand.lengths().is_empty() {
        let message = "the number of an element must be one integer";
        let help = "give a Python `int` or an integer tensor without axes";
        return Err(errors::here(object.py(), Code::BadArgument, message, help));
    }
    match known(&operand) {
        Some(n) => Ok(number(n)),
        None => operands::apply(object.py(), &Call::Cast(DType::I64), vec![operand]),
    }
}

/// The numbers of elements, a vector.
pub fn several(object: &Bound<'_, PyAny>) -> PyResult<Operand> {
    let py = object.py();
    let operand = operands::operand(object)?.strong();
    let empty = operand.lengths() == [Some(0)];
    if !(operand.dtype().is_int() || empty) || operand.lengths().len() != 1 {
        let message = "the numbers of elements must be a vector of integers";
        return Err(errors::here(py, Code::BadArgument, message, "give a list of Python `int`s"));
    }
    operands::apply(py, &Call::Cast(DType::I64), vec![operand])
}

/// The number of elements that are asked for.
pub fn count(size: &Bound<'_, PyAny>) -> PyResult<Operand> {
    let count = one(size)?;
    if known(&count).is_some_and(|n| n < 0) {
        let message = "a TensorArray cannot have a negative number of elements";
        return Err(errors::here(size.py(), Code::BadArgument, message, "write a number from 0 on"));
    }
    Ok(count)
}

/// Fails unless a bool holds: now, or when the graph runs. The operands of `pieces` count from 1.
pub fn check(
    py: Python<'_>,
    ok: Operand,
    kind: CheckKind,
    pieces: Vec<Piece>,
    shown: &[Operand],
) -> PyResult<()> {
    if let Some(tracing) = session::current() {
        let values: Vec<_> =
            std::iter::once(&ok).chain(shown).map(|o| operands::stage(&tracing, o).value).collect();
        return checks::check(py, &tracing, &values, kind, pieces);
    }
    if known(&ok) != Some(0) {
        return Ok(());
    }
    let text = |piece: Piece| match piece {
        Piece::Text(text) => text,
        Piece::Operand(at) | Piece::Python(at) => known(&shown[at - 1]).unwrap_or_default().to_string(),
    };
    let text: String = pieces.into_iter().map(text).collect();
    Err(if kind == CheckKind::Index { PyIndexError::new_err(text) } else { PyValueError::new_err(text) })
}

/// The length of an axis as a call takes it; one that is not known becomes an operand.
pub fn given(length: Operand, operands: &mut Vec<Operand>) -> Length {
    match known(&length) {
        Some(n) => Length::Known(n),
        None => {
            operands.push(length);
            Length::Given
        }
    }
}

/// An index as a call takes it.
pub fn index(at: &Operand) -> Operand {
    match at {
        Operand::Number(n) => Operand::Tensor(Buffer::scalar(DType::I64, *n)),
        other @ (Operand::Staged(..) | Operand::Tensor(_)) => other.clone(),
    }
}

fn binary(py: Python<'_>, op: impl Into<Op>, x: &Operand, y: &Operand) -> PyResult<Operand> {
    operands::apply(py, &Call::wrapping(op), vec![x.clone(), y.clone()])
}

fn reduced(py: Python<'_>, op: ReduceOp, x: Operand) -> PyResult<Operand> {
    operands::apply(py, &Call::Reduce { op, axes: None, keep: false }, vec![x])
}

impl Elements {
    /// Fails unless there is an element of this number.
    pub fn within(&self, py: Python<'_>, at: &Operand, verb: &str) -> PyResult<()> {
        let size = self.size(py)?;
        let text = |text: &str| Piece::Text(text.to_owned());
        let pieces = vec![
            text(&format!("Tried to {verb} index ")),
            Piece::Operand(1),
            text(" but array size is: "),
            Piece::Operand(2),
        ];
        let ok = match (known(at), known(&size)) {
            (Some(at), Some(size)) if (0..size).contains(&at) => return Ok(()),
            _ => self.all_between(py, at, Some(&size))?,
        };
        check(py, ok, CheckKind::Index, pieces, &[at.clone(), size])
    }

    /// Fails unless there are elements of all these numbers.
    pub fn all_within(&self, py: Python<'_>, at: &Operand, verb: &str) -> PyResult<()> {
        let size = self.size(py)?;
        let ok = self.all_between(py, at, Some(&size))?;
        let text = format!("Tried to {verb} an index out of range; the array size is: ");
        check(py, ok, CheckKind::Index, vec![Piece::Text(text), Piece::Operand(1)], &[size])
    }

    fn all_between(&self, py: Python<'_>, at: &Operand, size: Option<&Operand>) -> PyResult<Operand> {
        let mut ok = binary(py, CompareOp::Ge, at, &number(0))?;
        if let Some(size) = size {
            ok = binary(py, BinaryOp::And, &ok, &binary(py, CompareOp::Lt, at, size)?)?;
        }
        if ok.lengths().is_empty() { Ok(ok) } else { reduced(py, ReduceOp::All, ok) }
    }

    /// Makes the array so long that there are elements of this number, or of all these.
    pub fn grow_for(&self, py: Python<'_>, at: &Operand) -> PyResult<()> {
        let size = self.size(py)?;
        if let (Some(at), Some(size)) = (known(at), known(&size))
            && at >= 0
        {
            return if at < size { Ok(()) } else { self.extend(py, &number(at + 1 - size)) };
        }
        let ok = self.all_between(py, at, None)?;
        let text = "Writing to negative indices is not allowed".to_owned();
        check(py, ok, CheckKind::Index, vec![Piece::Text(text)], &[])?;
        let last = match at.lengths()[..] {
            [] => at.clone(),
            [Some(0)] => return Ok(()),
            [..] => reduced(py, ReduceOp::Max, at.clone())?,
        };
        let wanted = binary(py, BinaryOp::Add, &last, &number(1))?;
        let more = binary(py, BinaryOp::Max, &binary(py, BinaryOp::Sub, &wanted, &size)?, &number(0))?;
        self.extend(py, &more)
    }

    /// Fails unless so many elements have room: at most as many as there are, or as many.
    pub fn has_room(&self, py: Python<'_>, count: &Operand, op: Op) -> PyResult<()> {
        let size = self.size(py)?;
        let ok = binary(py, op, count, &size)?;
        let text = |text: &str| Piece::Text(text.to_owned());
        let pieces =
            vec![Piece::Operand(1), text(" elements for a TensorArray of static size "), Piece::Operand(2)];
        check(py, ok, CheckKind::Value, pieces, &[count.clone(), size])
    }

    /// A tensor cut into parts of these lengths, all of which are one.
    pub fn parts(&self, py: Python<'_>, value: Operand, lengths: &Operand) -> PyResult<Operand> {
        if value.lengths().is_empty() {
            return Err(no_rows(py));
        }
        let (count, total) = (self.length_of(py, lengths, 0)?, self.length_of(py, &value, 0)?);
        let fits = binary(py, CompareOp::Eq, &binary(py, BinaryOp::Mul, lengths, &count)?, &total)?;
        let text = "the parts must have one length, and together that of the value".to_owned();
        check(py, reduced(py, ReduceOp::All, fits)?, CheckKind::Value, vec![Piece::Text(text)], &[])?;
        let mut operands = vec![value.clone()];
        let mut axes = vec![given(count, &mut operands), Length::Known(-1)];
        for axis in 1..value.lengths().len() {
            axes.push(given(self.length_of(py, &value, axis)?, &mut operands));
        }
        operands::apply(py, &Call::Reshape(axes), operands)
    }
}

/// The diagnostic of a tensor whose rows are wanted.
pub fn no_rows(py: Python<'_>) -> PyErr {
    let message = "a tensor without axes has no rows";
    errors::here(py, Code::WrongShape, message, "give a tensor with one axis at least")
}
