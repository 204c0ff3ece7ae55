//! Views: parts of an array of the graph that share its memory, as NumPy's do. A view reads its array as that is when it is
//! read, and what is stored into a view is stored into the array.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use gw_ir::ValueId;
use gw_trace::Staged;
use gw_trace::calls::{Call, Item};
use pyo3::prelude::*;

use crate::host::operand::Operand;
use crate::host::{integers, meeting, operands};
use crate::session::{self, Tracing};
use crate::values::cell::{self, Origin};
use crate::values::roots::{self, Root, cells};
use crate::values::semantics::Semantics;
use crate::values::sharing::View;
use crate::values::tensor::{Payload, Tensor};
use crate::values::{store, view};

/// The array that a tensor object is a part of.
#[derive(Debug)]
pub struct ArrayView {
    base: Py<Tensor>,
    part: Part,
    /// Value of the array when the view was made.
    held: ValueId,
}

/// Part of an array.
#[derive(Debug)]
enum Part {
    /// `array[…]` with these operands for what the graph knows.
    Items(Vec<Item>, Vec<Operand>),
    /// Function whose result is a view of the array.
    Function(Py<PyAny>),
    /// The same, and a function of the array and of what the view is to hold, whose result the array is to hold then.
    Stored(Py<PyAny>, Py<PyAny>),
}

impl ArrayView {
    /// `array[items]`; none unless the array has reference semantics, for parts are copies otherwise.
    pub fn of_items(array: &Bound<'_, Tensor>, items: Vec<Item>, operands: Vec<Operand>) -> Option<Self> {
        Self::of(array, || Part::Items(items, operands))
    }

    fn of(array: &Bound<'_, Tensor>, part: impl FnOnce() -> Part) -> Option<Self> {
        let Payload::Staged(_, held) = array.get().content() else { return None };
        match array.get().semantics() {
            Semantics::Value => return None,
            // The array that this is a part of is held for good.
            Semantics::Unknown => {
                array.get().cell().hold();
                return None;
            }
            Semantics::Reference => array.get().cell().hold(),
        }
        Some(Self { base: array.clone().unbind(), part: part(), held: held.value })
    }

    /// True if the array and the indices have values in the region that is open now.
    fn is_seen(&self, tracing: &Tracing, now: Staged) -> bool {
        let seen = |operand: &Operand| match operand {
            Operand::Staged(_, staged) => tracing.trace.lift(staged.value).is_some(),
            Operand::Tensor(_) | Operand::Number(_) => true,
        };
        let operands: &[Operand] = match &self.part {
            Part::Items(_, operands) => operands,
            Part::Function(_) | Part::Stored(..) => &[],
        };
        tracing.trace.lift(now.value).is_some() && operands.iter().all(seen)
    }

    fn read(&self, py: Python<'_>, tracing: &Arc<Tracing>, now: Staged) -> PyResult<Payload> {
        let array = lifted(tracing, now);
        match &self.part {
            Part::Items(items, operands) => {
                let operands = std::iter::once(array).chain(operands.iter().map(here)).collect();
                Ok(operands::payload(operands::apply(py, &Call::Subscript(items.clone()), operands)?))
            }
            Part::Function(function) | Part::Stored(function, _) => {
                let array = Bound::new(py, Tensor::of(operands::payload(array)))?;
                let part = function.bind(py).call1((array,))?;
                Ok(operands::payload(operands::operand(&part)?))
            }
        }
    }
}

impl Drop for ArrayView {
    fn drop(&mut self) {
        self.base.get().cell().release();
    }
}

impl View for ArrayView {
    fn base(&self) -> &Py<Tensor> {
        &self.base
    }

    fn content(&self, made: &Payload) -> Payload {
        let Payload::Staged(tracing, now) = self.base.get().content() else { return made.clone() };
        let innermost = session::current().is_some_and(|t| Arc::ptr_eq(&t, &tracing));
        if now.value == self.held || !innermost || !self.is_seen(&tracing, now) {
            return made.clone();
        }
        Python::attach(|py| self.read(py, &tracing, now)).unwrap_or_else(|_| made.clone())
    }

    fn write(&self, py: Python<'_>, after: Payload) -> PyResult<()> {
        let base = self.base.bind(py);
        let after = match after {
            Payload::Eager(buffer) => Operand::Tensor(buffer),
            Payload::Staged(tracing, staged) => lifted(&tracing, staged),
        };
        let array = operands::operand(base.as_any())?;
        let whole = match &self.part {
            Part::Items(items, operands) => {
                let operands = [array, after].into_iter().chain(operands.iter().map(here)).collect();
                operands::apply(py, &Call::Store(items.clone()), operands)?
            }
            Part::Stored(_, store) => {
                let parts = [array, after].map(|operand| Tensor::of(operands::payload(operand)));
                let [array, after] = parts.map(|tensor| Bound::new(py, tensor));
                operands::operand(&store.bind(py).call1((array?, after?))?)?
            }
            Part::Function(_) => return Err(cell::part(py)),
        };
        store::put(base, operands::payload(whole))
    }

    fn is_at(&self, array: &Bound<'_, Tensor>, items: &[Item], operands: &[Operand]) -> bool {
        let Part::Items(own, given) = &self.part else { return false };
        let same = |(a, b): (&Operand, &Operand)| match (a, b) {
            (Operand::Staged(_, a), Operand::Staged(_, b)) => a.value == b.value,
            (Operand::Number(a), Operand::Number(b)) => a.is(*b),
            (Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_), _) => false,
        };
        self.base.is(array)
            && own == items
            && given.len() == operands.len()
            && given.iter().zip(operands).all(same)
    }
}

/// Python's iterator over a tensor: each row is read when it is asked for.
#[pyclass(frozen, name = "array_iterator", module = "graphwright")]
#[derive(Debug)]
pub struct Rows {
    array: Py<Tensor>,
    count: i64,
    given: AtomicI64,
}

impl Rows {
    /// Over an array of so many rows.
    pub fn of<'py>(array: &Bound<'py, Tensor>, count: i64) -> PyResult<Bound<'py, PyAny>> {
        if array.get().is_staged() {
            array.get().cell().hold();
        }
        let rows = Self { array: array.clone().unbind(), count, given: AtomicI64::new(0) };
        Ok(Bound::new(array.py(), rows)?.into_any())
    }
}

#[pymethods]
impl Rows {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Tensor>>> {
        let at = self.given.load(Ordering::Relaxed);
        if at >= self.count {
            return Ok(None);
        }
        self.given.store(at + 1, Ordering::Relaxed);
        view::row(self.array.bind(py), at).map(Some)
    }

    fn __length_hint__(&self) -> i64 {
        self.count - self.given.load(Ordering::Relaxed)
    }
}

/// An operand as the region that is open now sees it.
fn here(operand: &Operand) -> Operand {
    match operand {
        Operand::Staged(tracing, staged) => lifted(tracing, *staged),
        other @ (Operand::Tensor(_) | Operand::Number(_)) => other.clone(),
    }
}

fn lifted(tracing: &Arc<Tracing>, staged: Staged) -> Operand {
    let value = tracing.trace.lift(staged.value).unwrap_or(staged.value);
    Operand::Staged(tracing.clone(), Staged { value, ..staged })
}

/// `part` as a view of `array` that `function` reads; a copy where the array has value semantics. With `store`, what is stored into
/// the view reaches the array, and what would be stored into the copy of a part of a tensor is refused.
#[pyfunction]
#[pyo3(signature = (part, array, function, store = None))]
pub fn as_view<'py>(
    part: &Bound<'py, Tensor>,
    array: &Bound<'py, Tensor>,
    function: &Bound<'py, PyAny>,
    store: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let read = function.clone().unbind();
    let view = ArrayView::of(array, || match store {
        Some(store) => Part::Stored(read, store.clone().unbind()),
        None => Part::Function(read),
    });
    let tensor = Tensor::of(part.get().content());
    Ok(Bound::new(
        part.py(),
        match view {
            Some(view) => tensor.viewing(view),
            None if store.is_some() => copy_of_part(array, tensor),
            None => tensor,
        },
    )?
    .into_any())
}

/// The result of NumPy's function for operands: an array, or a tensor where one is among them.
#[pyfunction]
#[pyo3(signature = (result, *operands))]
pub fn as_array<'py>(
    result: &Bound<'py, PyAny>,
    operands: &Bound<'py, pyo3::types::PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(tensor) = result.cast::<Tensor>().ok().filter(|tensor| tensor.get().is_staged()) else {
        return Ok(result.clone());
    };
    let operands: Vec<_> = operands.iter().collect();
    let semantics = match operands.is_empty() {
        true => Semantics::Reference,
        false => Semantics::of_result(&operands.iter().collect::<Vec<_>>()),
    };
    let array = Tensor::of(tensor.get().content());
    // Without axes it is one of NumPy's numbers, which nothing changes.
    if !(array.is_number() && semantics == Semantics::Reference && !operands.is_empty()) {
        array.know(semantics);
    }
    Ok(Bound::new(result.py(), array)?.into_any())
}

/// True of a tensor whose object is a NumPy array in plain Python, or may be one.
#[pyfunction]
pub fn is_shared_array(tensor: &Bound<'_, Tensor>) -> bool {
    tensor.get().semantics() != Semantics::Value
}

/// Says that each of these may be a part of any array of NumPy's of which those are parts.
#[pyfunction]
pub fn may_be_parts(parts: Vec<Bound<'_, Tensor>>, of: Vec<Bound<'_, Tensor>>) {
    let is_array = |tensor: &&Bound<'_, Tensor>| tensor.get().semantics() == Semantics::Reference;
    let cells: Vec<_> = of.iter().filter(is_array).flat_map(|tensor| cells(tensor.get())).collect();
    for part in parts {
        part.get().stem_from(cells.iter().cloned().map(Root::new).collect());
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    integers::register(module)?;
    meeting::register(module)?;
    module.add_function(wrap_pyfunction!(as_view, module)?)?;
    module.add_function(wrap_pyfunction!(may_be_parts, module)?)?;
    module.add_function(wrap_pyfunction!(is_shared_array, module)?)?;
    module.add_function(wrap_pyfunction!(as_array, module)?)
}

/// `array[at]`
pub fn row<'py>(array: &Bound<'py, Tensor>, at: i64) -> PyResult<Bound<'py, Tensor>> {
    let (py, items) = (array.py(), vec![Item::At(at)]);
    let operands = vec![operands::operand(array.as_any())?];
    let read = operands::payload(operands::apply(py, &Call::Subscript(items.clone()), operands)?);
    Bound::new(py, part(array, Tensor::of(read), items, Vec::new()))
}

/// The result of `array[items]`, which is `read` now: a view of an array, a copy of a part of a tensor, or a number.
pub fn part(array: &Bound<'_, Tensor>, read: Tensor, items: Vec<Item>, operands: Vec<Operand>) -> Tensor {
    if read.is_number() || !read.is_staged() {
        return read.with(Origin::Part);
    }
    if let Some(tracing) = session::current() {
        tracing.arrays().part_read();
    }
    match ArrayView::of_items(array, items, operands) {
        Some(view) => read.viewing(view),
        None => copy_of_part(array, read),
    }
}

/// A part of a tensor, which is no view of it for certain.
fn copy_of_part(array: &Bound<'_, Tensor>, part: Tensor) -> Tensor {
    let semantics = array.get().semantics();
    part.know(semantics);
    if semantics == Semantics::Unknown {
        part.stem_from(roots::cells(array.get()).into_iter().map(Root::new).collect());
    }
    part.with(Origin::Part)
}
