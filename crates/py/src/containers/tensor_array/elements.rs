//! Elements of a tensor array: a tensor with a row for each element, and which of them were read, each in a cell as the
//! contents of tensors are (decision 009). Before the first element is known there are no rows; a branch or loop of the
//! graph that finds out what an element is like is traced again with rows of zeros before it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use gw_ir::{CheckKind, CompareOp, Piece, ReduceOp, RegionId, UnaryOp};
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::{Call, Item, Length};
use gw_types::{DType, Dim, Scalar};
use pyo3::prelude::*;

use super::numbers::{check, given, index, known, number};
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::session::{self, Tracing};
use crate::values::cell::{self, Cell};
use crate::values::shapes::plain_shape;
use crate::values::store;
use crate::values::tensor::{Payload, Tensor};

/// The elements of one array.
#[derive(Debug)]
pub struct Elements {
    /// Their type.
    pub dtype: DType,
    /// The graph that the array was made in.
    home: Option<Arc<Tracing>>,
    /// The region of it.
    region: Option<RegionId>,
    /// The number of them before anything is written.
    count: Operand,
    /// The lengths of the axes of an element, as far as they are known.
    axes: Mutex<Option<Vec<Option<Dim>>>>,
    rows: Arc<Cell>,
    /// Flags for the elements that were read and cleared; nothing if none was.
    taken: Arc<Cell>,
    /// True if any ever was.
    takes: AtomicBool,
}

/// Content of a cell without elements so far: no rows, since it has no axis.
fn nothing() -> Arc<Cell> {
    let nothing = Buffer::scalar(DType::Bool, Scalar::Bool(false));
    Arc::new(Cell::new(cell::now(), Payload::Eager(nothing)))
}

impl Elements {
    /// So many elements, of this shape if it is known.
    pub fn new(
        py: Python<'_>,
        dtype: DType,
        count: Operand,
        shape: Option<Vec<Option<usize>>>,
    ) -> PyResult<Arc<Self>> {
        let axes = shape.map(|lengths| lengths.into_iter().map(|n| n.map(Dim::Fixed)).collect());
        let (home, axes) = (session::current(), Mutex::new(axes));
        let region = home.as_ref().map(|home| home.trace.region());
        let (rows, taken, takes) = (nothing(), nothing(), AtomicBool::new(false));
        let elements = Arc::new(Self { dtype, home, region, count, axes, rows, taken, takes });
        if let Some(home) = &elements.home {
            home.regions().know(&elements);
        }
        elements.fill(py)?;
        Ok(elements)
    }

    /// The lengths of the axes of an element, as far as they are known.
    pub fn shape(&self) -> Option<Vec<Option<usize>>> {
        self.axes().as_ref().map(|axes| axes.iter().map(|axis| axis.and_then(Dim::fixed)).collect())
    }

    /// The array is no more.
    pub fn leave(&self) {
        self.rows.leave();
        self.taken.leave();
    }

    /// Makes rows of zeros if there are none although it is known what an element is like.
    pub fn fill(&self, py: Python<'_>) -> PyResult<()> {
        let axes = self.axes().clone().and_then(|axes| axes.into_iter().collect::<Option<Vec<Dim>>>());
        if content(&self.rows).is_none()
            && let Some(axes) = axes
            && let Some(rows) = self.zeros(py, &axes)?
        {
            self.rows.replace(payload(rows));
        }
        if self.takes.load(Ordering::Relaxed)
            && content(&self.taken).is_none()
            && content(&self.rows).is_some()
        {
            self.taken.replace(payload(self.none_taken(py)?));
        }
        Ok(())
    }

    /// As many elements of zeros as there are at first; nothing if an axis is as long as only a branch or loop knows.
    fn zeros(&self, py: Python<'_>, axes: &[Dim]) -> PyResult<Option<Operand>> {
        let mut operands = vec![Operand::Tensor(Buffer::scalar(self.dtype, Scalar::Int(0)))];
        let mut lengths = vec![given(self.size(py)?, &mut operands)];
        for axis in axes {
            lengths.push(match axis {
                Dim::Fixed(n) => Length::Known(*n as i64),
                Dim::Var(of) => {
                    let Some(home) = &self.home else { return Ok(None) };
                    let Some(length) = self.region.and_then(|region| home.trace.length(*of, region)) else {
                        return Ok(None);
                    };
                    let length = Staged::strong(home.trace.compute(&length));
                    given(Operand::Staged(home.clone(), length), &mut operands)
                }
            });
        }
        operands::apply(py, &Call::BroadcastTo(lengths), operands).map(Some)
    }

    fn none_taken(&self, py: Python<'_>) -> PyResult<Operand> {
        let mut operands = vec![Operand::Tensor(Buffer::scalar(DType::Bool, Scalar::Bool(false)))];
        let count = given(self.size(py)?, &mut operands);
        operands::apply(py, &Call::BroadcastTo(vec![count]), operands)
    }

    /// An error unless the array belongs to what runs now.
    pub fn judge(&self, py: Python<'_>) -> PyResult<()> {
        match (&self.home, session::current()) {
            (None, None) => Ok(()),
            (Some(home), Some(now)) if Arc::ptr_eq(home, &now) => Ok(()),
            (None, Some(_)) => {
                let message = "a TensorArray from outside the function is used in its graph";
                let help = "make it in the function, and pass tensors: `ta.stack()`";
                Err(errors::here(py, Code::OutsideStored, message, help))
            }
            (Some(home), _) => {
                let message = format!(
                    "a TensorArray of the graph of `{}` is used outside the function that made it",
                    home.trace.name()
                );
                Err(errors::here(py, Code::LeakedTensor, message, "return `ta.stack()` instead"))
            }
        }
    }

    /// The same where it is written to.
    pub fn judge_write(&self, py: Python<'_>) -> PyResult<()> {
        self.judge(py)?;
        match &self.home {
            Some(home) if home.regions().is_beyond_call(&self.rows) => {
                let message =
                    "a function that calls itself in the graph changes a TensorArray that is not its own";
                let help = "write in a loop, or pass and return tensors; reading an element clears it, unless the \
                            array is made with `clear_after_read=False`";
                Err(errors::here(py, Code::OutsideStored, message, help))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// A value in the type of the elements; GW201 if it is of another one.
    pub fn fitting(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Operand> {
        let found = operands::operand(value)?;
        let weak = match &found {
            Operand::Number(_) => true,
            Operand::Staged(_, staged) => staged.weak.is_some(),
            Operand::Tensor(_) => !value.is_instance_of::<Tensor>(),
        };
        if found.dtype() != self.dtype && !(weak && found.dtype().kind().is_in(self.dtype.kind())) {
            let found = operands::describe_type(&found);
            let message = format!("a TensorArray of `{}` is given {found}", self.dtype.python_name());
            return Err(errors::here(
                py,
                Code::WrongDType,
                message,
                "use `gw.cast`, or make the array of this dtype",
            ));
        }
        match store::stored(value, self.dtype)? {
            Operand::Number(n) => Ok(Operand::Tensor(Buffer::scalar(self.dtype, n))),
            Operand::Tensor(buffer) => Ok(Operand::Tensor(operands::convert(&buffer, self.dtype))),
            staged @ Operand::Staged(..) => operands::apply(py, &Call::Cast(self.dtype), vec![staged]),
        }
    }

    /// Learns from a value what an element is like; `first` is how many axes of it are none of an element. GW202 if
    /// elements are of another shape.
    pub fn learn(&self, py: Python<'_>, value: &Operand, first: usize) -> PyResult<()> {
        let found = dims(value);
        let found = found.get(first..).unwrap_or_default().to_vec();
        let own = self.axes().clone();
        let met = match &own {
            None => Some(found.iter().copied().map(Some).collect()),
            Some(own) if own.len() == found.len() => {
                own.iter().zip(&found).map(|(&own, &found)| met(own, found)).collect()
            }
            Some(_) => None,
        };
        let Some(met) = met else {
            let found: Vec<_> = found.iter().map(|axis| axis.fixed()).collect();
            let (own, found) = (plain_shape(&self.shape().unwrap_or_default()), plain_shape(&found));
            let message =
                format!("the elements of this TensorArray have shape {own}, but it is given one of {found}");
            let help = "all elements have one shape: pad them to one length";
            return Err(errors::here(py, Code::WrongShape, message, help));
        };
        *self.axes() = Some(met);
        if content(&self.rows).is_none() {
            self.judge_lengths(py)?;
            let before = self.rows.content();
            let rows = self.zeros_like(py, value, first)?;
            self.set(&self.rows, rows, &before);
        }
        Ok(())
    }

    /// An error in a branch or loop that alone knows how long an axis of the elements is: there can be no rows before it.
    fn judge_lengths(&self, py: Python<'_>) -> PyResult<()> {
        let Some(home) = &self.home else { return Ok(()) };
        let known = |axis: &Option<Dim>| match axis {
            Some(Dim::Var(of)) => self.region.and_then(|region| home.trace.length(*of, region)).is_some(),
            Some(Dim::Fixed(_)) | None => true,
        };
        if !home.regions().is_around(&self.rows) || self.axes().iter().flatten().all(known) {
            return Ok(());
        }
        let message = "how long the elements of this TensorArray are is known only in this branch or loop";
        let help = "write the first element before it";
        Err(errors::here(py, Code::WrongShape, message, help))
    }

    /// Zeros for elements like those of a value that is there.
    fn zeros_like(&self, py: Python<'_>, value: &Operand, first: usize) -> PyResult<Operand> {
        let mut operands = vec![Operand::Tensor(Buffer::scalar(self.dtype, Scalar::Int(0)))];
        let mut lengths = vec![given(self.size(py)?, &mut operands)];
        for axis in first..value.lengths().len() {
            lengths.push(given(self.length_of(py, value, axis)?, &mut operands));
        }
        operands::apply(py, &Call::BroadcastTo(lengths), operands)
    }

    /// The rows; GW204 if it is not known what an element is like.
    pub fn rows(&self, py: Python<'_>) -> PyResult<Operand> {
        if content(&self.rows).is_none() && known(&self.count) == Some(0) {
            let zero = Operand::Tensor(Buffer::scalar(self.dtype, Scalar::Int(0)));
            return operands::apply(py, &Call::BroadcastTo(vec![Length::Known(0)]), vec![zero]);
        }
        let missing = || {
            let message = "an element of a TensorArray is read before it is known what elements are like";
            let help = "write an element first, or give `element_shape=` where the array is made";
            errors::here(py, Code::BadArgument, message, help)
        };
        self.operand(py, &self.rows)?.ok_or_else(missing)
    }

    fn operand(&self, py: Python<'_>, cell: &Arc<Cell>) -> PyResult<Option<Operand>> {
        Ok(match content(cell) {
            None => None,
            Some(Payload::Eager(buffer)) => Some(Operand::Tensor(buffer)),
            Some(Payload::Staged(tracing, staged)) => {
                let staged = operands::visible(py, &tracing, staged)?;
                Some(Operand::Staged(tracing, staged))
            }
        })
    }

    /// The number of elements, 64 bits wide; a number of Python's where it is known.
    pub fn size(&self, py: Python<'_>) -> PyResult<Operand> {
        match self.operand(py, &self.rows)? {
            Some(rows) => self.length_of(py, &rows, 0),
            None => match &self.count {
                Operand::Staged(tracing, staged) => {
                    Ok(Operand::Staged(tracing.clone(), operands::visible(py, tracing, *staged)?))
                }
                known @ (Operand::Number(_) | Operand::Tensor(_)) => Ok(known.clone()),
            },
        }
    }

    /// The length of an axis of a value.
    pub fn length_of(&self, py: Python<'_>, value: &Operand, axis: usize) -> PyResult<Operand> {
        match value.lengths()[axis] {
            Some(n) => Ok(number(n as i64)),
            None => operands::apply(py, &Call::DimOf(axis as i64, DType::I64), vec![value.clone()]),
        }
    }

    /// Puts values at numbers, which there are.
    pub fn put(&self, py: Python<'_>, at: &Operand, value: Operand) -> PyResult<()> {
        let store = |cell: &Arc<Cell>, value: Operand| -> PyResult<()> {
            let Some(old) = self.operand(py, cell)? else { return Ok(()) };
            let new = operands::apply(py, &Call::Store(vec![Item::Given]), vec![old, value, index(at)])?;
            self.set(cell, new, &cell.content());
            Ok(())
        };
        self.judge_fit(py, &value)?;
        store(&self.rows, value)?;
        store(&self.taken, Operand::Number(Scalar::Bool(false)))
    }

    /// A check fails unless elements are as long as those that are there: what is of length 1 is not repeated.
    fn judge_fit(&self, py: Python<'_>, value: &Operand) -> PyResult<()> {
        let rows = self.rows(py)?;
        let (own, found) = (dims(&rows), dims(value));
        let ahead = own.len() - found.len();
        for axis in 1..own.len() {
            if own[axis] == found[axis - ahead] {
                continue;
            }
            let lengths = [self.length_of(py, value, axis - ahead)?, self.length_of(py, &rows, axis)?];
            let ok = operands::apply(py, &Call::binary(CompareOp::Eq), lengths.to_vec())?;
            let text = |text: &str| Piece::Text(text.to_owned());
            let pieces = vec![
                text("an element of length "),
                Piece::Operand(1),
                text(" for a TensorArray of elements of length "),
                Piece::Operand(2),
            ];
            check(py, ok, CheckKind::Value, pieces, &lengths)?;
        }
        Ok(())
    }

    /// Other elements altogether.
    pub fn replace(&self, py: Python<'_>, rows: Operand) -> PyResult<()> {
        self.set(&self.rows, rows, &self.rows.content());
        if content(&self.taken).is_some() {
            self.set(&self.taken, self.none_taken(py)?, &self.taken.content());
        }
        Ok(())
    }

    /// Reads an element for the only time; a check fails if that was done before.
    pub fn take(&self, py: Python<'_>, at: &Operand) -> PyResult<()> {
        self.takes.store(true, Ordering::Relaxed);
        let before = self.taken.content();
        let old = match self.operand(py, &self.taken)? {
            None => self.none_taken(py)?,
            Some(taken) => {
                let was =
                    operands::apply(py, &Call::Subscript(vec![Item::Given]), vec![taken.clone(), index(at)])?;
                let pieces = ["Could not read index ", TWICE].map(|text| Piece::Text(text.to_owned()));
                let [first, last] = pieces;
                let ok = operands::apply(py, &Call::unary(UnaryOp::Not), vec![was])?;
                check(
                    py,
                    ok,
                    CheckKind::Value,
                    vec![first, Piece::Operand(1), last],
                    std::slice::from_ref(at),
                )?;
                taken
            }
        };
        let yes = Operand::Number(Scalar::Bool(true));
        let new = operands::apply(py, &Call::Store(vec![Item::Given]), vec![old, yes, index(at)])?;
        self.set(&self.taken, new, &before);
        Ok(())
    }

    /// A check fails if any element, or one of these, was read and cleared.
    pub fn untaken(&self, py: Python<'_>, indices: Option<&Operand>) -> PyResult<()> {
        let Some(mut taken) = self.operand(py, &self.taken)? else { return Ok(()) };
        if let Some(indices) = indices {
            taken = operands::apply(py, &Call::Gather { axis: 0 }, vec![taken, indices.clone()])?;
        }
        let any = Call::Reduce { op: ReduceOp::Any, axes: None, keep: false };
        let any = operands::apply(py, &any, vec![taken])?;
        let ok = operands::apply(py, &Call::unary(UnaryOp::Not), vec![any])?;
        let text = Piece::Text(format!("Could not read an element{TWICE}"));
        check(py, ok, CheckKind::Value, vec![text], &[])
    }

    /// So many elements more, zeros.
    pub fn extend(&self, py: Python<'_>, more: &Operand) -> PyResult<()> {
        for cell in [&self.rows, &self.taken] {
            let Some(old) = self.operand(py, cell)? else { continue };
            let mut operands = vec![Operand::Tensor(Buffer::scalar(old.dtype(), Scalar::Int(0)))];
            let mut lengths = vec![given(more.clone(), &mut operands)];
            for axis in 1..old.lengths().len() {
                lengths.push(given(self.length_of(py, &old, axis)?, &mut operands));
            }
            let zeros = operands::apply(py, &Call::BroadcastTo(lengths), operands)?;
            let new = operands::apply(py, &Call::Concat { axis: 0 }, vec![old, zeros])?;
            self.set(cell, new, &cell.content());
        }
        Ok(())
    }

    fn set(&self, cell: &Arc<Cell>, new: Operand, before: &Payload) {
        cell.replace(payload(new));
        if let Some(home) = &self.home {
            home.regions().note(cell, before);
        }
    }

    fn axes(&self) -> MutexGuard<'_, Option<Vec<Option<Dim>>>> {
        self.axes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const TWICE: &str =
    " twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?)";

/// The length of an axis that is `own` as far as that is known, and `found` in an element.
fn met(own: Option<Dim>, found: Dim) -> Option<Option<Dim>> {
    match (own, found) {
        (Some(Dim::Fixed(own)), Dim::Fixed(found)) if own != found => None,
        (None, found) => Some(Some(found)),
        (own @ Some(Dim::Fixed(_) | Dim::Var(_)), _) => Some(own),
    }
}

/// The lengths of a value's axes.
fn dims(value: &Operand) -> Vec<Dim> {
    match value {
        Operand::Staged(tracing, staged) => tracing.trace.ty(staged.value).shape.0,
        Operand::Tensor(_) | Operand::Number(_) => {
            value.lengths().into_iter().flatten().map(Dim::Fixed).collect()
        }
    }
}

/// Content of a cell, unless it is nothing.
fn content(cell: &Cell) -> Option<Payload> {
    match cell.content() {
        Payload::Eager(buffer) if buffer.lengths().is_empty() => None,
        content @ (Payload::Eager(_) | Payload::Staged(..)) => Some(content),
    }
}

/// Payload of a cell that holds this operand: in a graph a value of it.
fn payload(operand: Operand) -> Payload {
    match session::current() {
        Some(tracing) => {
            let staged = operands::stage(&tracing, &operand);
            Payload::Staged(tracing, staged)
        }
        None => operands::payload(operand),
    }
}
