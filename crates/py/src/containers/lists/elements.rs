//! Elements of lists in the graph, as the rows of tensors.

use super::rows::Rows;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host::structure::Kind;
use crate::optional::maybe::Maybe;
use crate::session::{self, Tracing, frames};
use crate::values::array;
use crate::values::cell::Origin;
use crate::values::sharing::MaybeShared;
use crate::values::tensor::Tensor;
use gw_base::Code;
use gw_ir::{Attr, Op, ValueId};
use gw_trace::{Lack, Misfit, Piece, Seen, Staged};
use gw_types::Number;
use pyo3::prelude::*;
use pyo3::types::PyList;
use std::sync::Arc;

/// Elements of a list: how one is made of its leaves, and for each leaf a tensor with a row for each element.
#[derive(Debug, Clone)]
pub struct Elements {
    /// The graph that they belong to.
    pub tracing: Arc<Tracing>,
    /// The structure of an element: a leaf, or tuples.
    pub element: Arc<Skeleton>,
    /// The tensors; they have as many rows each.
    pub leaves: Vec<Staged>,
    /// True if the name of the list has a value, where that is in doubt.
    pub bound: Option<(ValueId, Lack)>,
}

/// The diagnostic where Python alone would look at the elements.
pub fn unknown(py: Python<'_>) -> PyErr {
    let message =
        "this list grows in the graph, so how many elements it has is known only when the graph runs";
    let help = "use its methods, an index, `len`, `in` or a `for` loop; `gw.stack` makes a tensor of it";
    errors::here(py, Code::ListInGraph, message, help)
}

/// The diagnostic of a list that the graph cannot hold.
pub fn refused(py: Python<'_>, message: &str) -> PyErr {
    let help = "a list that a branch or loop of the graph changes holds tensors and numbers of one dtype and shape, or \
                tuples of them; for rows of numbers use a tensor, `gw.zeros((n, m))` and `x[i, j] = v`";
    errors::here(py, Code::ListInGraph, message, help)
}

/// The object as a list whose elements the graph holds, if it is one.
pub fn staged<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyList>> {
    let list = object.cast_exact::<PyList>().ok()?;
    let used = session::current().is_some_and(|tracing| tracing.lists().is_used());
    (used && has_rows(list)).then(|| list.clone())
}

/// True if a list has no elements in a branch or loop, which may give it some before it gets here.
pub fn may_fill(list: &Bound<'_, PyList>) -> bool {
    list.is_empty() && session::current().is_some_and(|tracing| tracing.trace.in_region())
}

/// True if rows stand in a list.
pub fn has_rows(list: &Bound<'_, PyList>) -> bool {
    list.iter().any(|item| item.is_exact_instance_of::<Rows>())
}

/// A list's elements; nothing if it has none, for then they have no type.
pub fn elements(list: &Bound<'_, PyList>) -> PyResult<Option<Elements>> {
    let py = list.py();
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    let mut known: Option<Arc<Skeleton>> = None;
    let mut columns: Vec<Vec<Piece>> = Vec::new();
    for item in list.iter() {
        let (skeleton, pieces) = parts(&tracing, &item)?;
        match &known {
            None => {
                columns = pieces.iter().map(|_| Vec::new()).collect();
                known = Some(skeleton);
            }
            Some(known) if known.same(&skeleton, py) => {}
            Some(_) => {
                return Err(refused(py, "the elements of a list in the graph differ in their structure"));
            }
        }
        columns.iter_mut().zip(pieces).for_each(|(column, piece)| column.push(piece));
    }
    let Some(element) = known else { return Ok(tracing.lists().nothing(&tracing, list)) };
    tracing.trace.set_place(frames::place(py));
    let leaf = |column: Vec<Piece>| match gw_trace::rows(&tracing.trace, &column) {
        Ok(rows) => Ok(rows.expect("a list with elements has rows")),
        Err(misfit) => Err(differ(py, &misfit)),
    };
    let leaves = columns.into_iter().map(leaf).collect::<PyResult<_>>()?;
    tracing.lists().use_(py)?;
    let elements = Elements { tracing, element, leaves, bound: None };
    elements.tracing.lists().learn(list, &elements);
    Ok(Some(elements))
}

pub(super) fn differ(py: Python<'_>, Misfit(a, b): &Misfit) -> PyErr {
    refused(py, &format!("a list in the graph would hold {a} and {b}"))
}

/// The structure and the leaves of one item: an element, or rows.
pub(super) fn parts(
    tracing: &Arc<Tracing>,
    item: &Bound<'_, PyAny>,
) -> PyResult<(Arc<Skeleton>, Vec<Piece>)> {
    let py = item.py();
    if let Ok(rows) = item.cast::<Rows>() {
        let Elements { element, leaves, bound, .. } = &rows.get().0;
        let visible = |&leaf: &Staged| operands::visible(py, &rows.get().0.tracing, leaf);
        let leaves = leaves.iter().map(visible).collect::<PyResult<Vec<_>>>()?;
        if let (Some(bound), Some(&staged)) = (bound, leaves.first()) {
            let (bound, lack) = *bound;
            let (tracing, shares) = (tracing.clone(), MaybeShared::default());
            let maybe = Maybe { tracing, staged, bound, lack, shares };
            operands::value_of(Bound::new(py, maybe)?.as_any())?;
        }
        return Ok((element.clone(), leaves.into_iter().map(Piece::Rows).collect()));
    }
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(item, &mut leaves)?;
    if !is_value(&skeleton) || leaves.is_empty() {
        let kind = item.get_type().name()?;
        return Err(refused(py, &format!("a list in the graph would hold a `{kind}`")));
    }
    let piece = |leaf: Py<PyAny>| {
        let leaf = leaf.into_bound(py);
        Ok(Piece::One(match operands::plain_operand(&leaf)? {
            Some(Operand::Number(number)) => Seen::Number(number),
            Some(operand) => Seen::Staged(operands::stage(tracing, &operand)),
            None => {
                let kind =
                    if leaf.is_none() { "None".to_owned() } else { leaf.get_type().name()?.to_string() };
                return Err(refused(py, &format!("a list in the graph would hold a `{kind}`")));
            }
        }))
    };
    Ok((Arc::new(skeleton), leaves.into_iter().map(piece).collect::<PyResult<_>>()?))
}

/// True if a list of the graph can hold a value.
pub fn is_element(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(value, &mut leaves)?;
    for leaf in &leaves {
        if operands::plain_operand(leaf.bind(value.py()))?.is_none() {
            return Ok(false);
        }
    }
    Ok(is_value(&skeleton) && !leaves.is_empty())
}

/// True if an element is made of tuples alone, which nobody changes in place.
fn is_value(skeleton: &Skeleton) -> bool {
    match skeleton {
        Skeleton::Leaf => true,
        Skeleton::Node(Kind::Tuple(_), parts) => parts.iter().all(is_value),
        Skeleton::Node(..) | Skeleton::Rows(_) => false,
    }
}

/// Gives a list these elements.
pub fn put(list: &Bound<'_, PyList>, elements: &Elements) -> PyResult<()> {
    let rows = Bound::new(list.py(), Rows(elements.clone()))?;
    list.set_slice(0, list.len(), PyList::new(list.py(), [rows])?.as_any())
}

/// A new list of these elements.
pub fn list<'py>(py: Python<'py>, elements: &Elements) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, [Bound::new(py, Rows(elements.clone()))?])
}

/// The number of elements of a list, as Python sees it.
pub(super) fn counted<'py>(list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    match if has_rows(list) { elements(list)? } else { None } {
        Some(held) => held.len(py),
        None => Ok(list.len().into_pyobject(py)?.into_any()),
    }
}

impl Elements {
    /// The number of them, if that is known while tracing.
    pub fn count(&self) -> Option<usize> {
        self.leaves.iter().find_map(|leaf| self.tracing.trace.ty(leaf.value).shape.0[0].fixed())
    }

    /// The number of them.
    pub fn length(&self) -> ValueId {
        let trace = &self.tracing.trace;
        match self.count() {
            Some(count) => trace.number(gw_types::Scalar::Int(count as i64)).value,
            None => trace
                .build(|b| b.op(Op::Dim, Attr::Axis(0), &[self.leaves[0].value]))
                .expect("rows have an axis"),
        }
    }

    /// The number of them, as Python sees it.
    pub fn len<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self.count() {
            Some(count) => Ok(count.into_pyobject(py)?.into_any()),
            None => {
                let staged = Staged { value: self.length(), weak: Some(Number::Int) };
                Ok(Bound::new(py, Tensor::staged(self.tracing.clone(), staged))?.into_any())
            }
        }
    }

    /// The rows of each leaf as a tensor object.
    pub fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let tensor = |&leaf: &Staged| {
            if let Some((bound, lack)) = self.bound {
                let (tracing, shares) = (self.tracing.clone(), MaybeShared::default());
                let maybe = Maybe { tracing, staged: leaf, bound, lack, shares };
                return Ok(Bound::new(py, maybe)?.into_any());
            }
            let tensor = Tensor::staged(self.tracing.clone(), leaf).with(Origin::Content);
            Ok(Bound::new(py, tensor)?.into_any())
        };
        self.leaves.iter().map(tensor).collect()
    }

    /// The only tensor, if an element is a single number or array.
    pub fn only(&self) -> Option<Staged> {
        match (&*self.element, &self.leaves[..]) {
            (Skeleton::Leaf, &[leaf]) => Some(leaf),
            (Skeleton::Leaf | Skeleton::Node(..) | Skeleton::Rows(_), _) => None,
        }
    }

    /// An element of these leaves.
    pub fn one<'py>(&self, py: Python<'py>, leaves: Vec<Staged>) -> PyResult<Bound<'py, PyAny>> {
        let object = |leaf: Staged| {
            let tensor = Tensor::staged(self.tracing.clone(), leaf);
            let tensor = if tensor.is_number() { tensor } else { tensor.with(Origin::Part) };
            Ok(Py::new(py, tensor)?.into_any())
        };
        let leaves = leaves.into_iter().map(object).collect::<PyResult<Vec<_>>>()?;
        self.element.rebuild(py, &mut leaves.into_iter())
    }
}

/// The elements that leaves stand for in a list: one object per row where the rows are there or their number is small
/// and known, otherwise rows.
pub fn spread<'py>(
    py: Python<'py>,
    element: &Arc<Skeleton>,
    leaves: Vec<Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut staged = Vec::new();
    let mut columns: Vec<Vec<Py<PyAny>>> = Vec::new();
    let mut bound = None;
    for leaf in &leaves {
        if let Ok(maybe) = leaf.bind(py).cast::<Maybe>() {
            let maybe = maybe.get();
            bound = Some((maybe.bound, maybe.lack));
            staged.push((maybe.tracing.clone(), maybe.staged));
            continue;
        }
        match leaf.bind(py).cast::<Tensor>().map(|tensor| tensor.get().content()) {
            Ok(crate::values::tensor::Payload::Staged(tracing, leaf)) => staged.push((tracing, leaf)),
            Ok(crate::values::tensor::Payload::Eager(buffer)) => columns.push(
                array::rows(&buffer)
                    .map(|row| Ok(Py::new(py, Tensor::eager(row))?.into_any()))
                    .collect::<PyResult<_>>()?,
            ),
            Err(_) => return Ok(leaves.into_iter().map(|leaf| leaf.into_bound(py)).collect()),
        }
    }
    if let Some((tracing, _)) = staged.first() {
        let tracing = tracing.clone();
        let leaves = staged.into_iter().map(|(_, leaf)| leaf).collect();
        let rows = Rows(Elements { tracing, element: element.clone(), leaves, bound });
        return Ok(vec![Bound::new(py, rows)?.into_any()]);
    }
    let count = columns.iter().map(Vec::len).min().unwrap_or(0);
    let row = |at: usize| {
        let leaves: Vec<_> = columns.iter().map(|column| column[at].clone_ref(py)).collect();
        element.rebuild(py, &mut leaves.into_iter())
    };
    (0..count).map(row).collect()
}
