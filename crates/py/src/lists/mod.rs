//! Python lists in the graph. The list object stays what it is, so every name of it stays one list; what changes is what it
//! holds. Once a branch or loop of the graph made it longer or shorter, or a value of the graph is its index, it holds
//! *rows*: one object that stands for as many elements as there are when the graph runs, the rows of tensors.
//!
//! Rows may stand between other elements: `xs.append(v)`, `xs + ys` and `[*xs, v]` are Python's own. What has to know the
//! elements asks [`elements`] for them.

pub mod access;
mod carried;
mod doubtful;
mod items;
mod loops;
mod methods;
pub mod nested;
mod order;
mod registry;
mod rows;

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::{Attr, Op, ValueId};
use gw_trace::{Lack, Misfit, Piece, Seen, Staged};
use gw_types::Number;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::cell::{Cell, Origin};
use crate::maybe::Maybe;
use crate::operand::Operand;
use crate::pack::{self, LeafKind};
use crate::semantics::Semantics;
use crate::session::{self, Feature as _, Tracing};
use crate::sharing::MaybeShared;
use crate::skeleton::Skeleton;
use crate::structure::Kind;
use crate::tensor::Tensor;
use crate::{array, errors, frames, roots, tables};

pub use access::contains;
pub use carried::{Lists, NoElements, is_list, same_list};
pub use items::{Items, Whole, same_or_equal};
pub use loops::{Followed, each_element, followed};
pub use methods::{answer, argument, folded, method};
pub use order::extend;
pub use registry::{Open, open, references};
pub use rows::{Rows, known};

/// So many elements at most are taken out of their tensors again where their number is known.
const MOST_TAKEN_OUT: usize = 32;

/// Elements of a list: how one is made of its leaves, and for each leaf a tensor with a row for each element.
#[derive(Debug, Clone)]
pub struct Elements {
    /// The graph that they belong to.
    pub tracing: Arc<Tracing>,
    /// The structure of an element: a leaf, or tuples.
    pub element: Arc<Skeleton>,
    /// The tensors; they have as many rows each.
    pub leaves: Vec<Staged>,
    /// Whether the name of the list has a value, where that is in doubt.
    pub bound: Option<(ValueId, Lack)>,
}

/// What is said where Python alone would look at the elements.
pub fn unknown(py: Python<'_>) -> PyErr {
    let message =
        "this list grows in the graph, so how many elements it has is known only when the graph runs";
    let help = "use its methods, an index, `len`, `in` or a `for` loop; `gw.stack` makes a tensor of it";
    errors::here(py, Code::ListInGraph, message, help)
}

/// What is said of a list that the graph cannot hold.
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

/// Whether a list has no elements in a branch or loop, which may give it some before it gets here.
pub fn may_fill(list: &Bound<'_, PyList>) -> bool {
    list.is_empty() && session::current().is_some_and(|tracing| tracing.trace.in_region())
}

/// Whether rows stand in a list.
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

fn differ(py: Python<'_>, Misfit(a, b): &Misfit) -> PyErr {
    refused(py, &format!("a list in the graph would hold {a} and {b}"))
}

/// The structure and the leaves of one item: an element, or rows.
fn parts(tracing: &Arc<Tracing>, item: &Bound<'_, PyAny>) -> PyResult<(Arc<Skeleton>, Vec<Piece>)> {
    let py = item.py();
    if let Ok(rows) = item.cast::<Rows>() {
        let Elements { element, leaves, bound, .. } = &rows.get().0;
        let visible = |&leaf: &Staged| pack::visible(py, &rows.get().0.tracing, leaf);
        let leaves = leaves.iter().map(visible).collect::<PyResult<Vec<_>>>()?;
        if let (Some(bound), Some(&staged)) = (bound, leaves.first()) {
            let (bound, lack) = *bound;
            let (tracing, shares) = (tracing.clone(), MaybeShared::default());
            let maybe = Maybe { tracing, staged, bound, lack, shares };
            pack::value_of(Bound::new(py, maybe)?.as_any())?;
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
        Ok(Piece::One(match pack::plain_operand(&leaf)? {
            Some(Operand::Number(number)) => Seen::Number(number),
            Some(operand) => Seen::Staged(pack::stage(tracing, &operand)),
            None => {
                let kind =
                    if leaf.is_none() { "None".to_owned() } else { leaf.get_type().name()?.to_string() };
                return Err(refused(py, &format!("a list in the graph would hold a `{kind}`")));
            }
        }))
    };
    Ok((Arc::new(skeleton), leaves.into_iter().map(piece).collect::<PyResult<_>>()?))
}

/// Whether a list of the graph can hold a value.
pub fn is_element(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let mut leaves = Vec::new();
    let skeleton = Skeleton::of(value, &mut leaves)?;
    for leaf in &leaves {
        if pack::plain_operand(leaf.bind(value.py()))?.is_none() {
            return Ok(false);
        }
    }
    Ok(is_value(&skeleton) && !leaves.is_empty())
}

/// Whether an element is made of tuples alone, which nobody changes in place.
fn is_value(skeleton: &Skeleton) -> bool {
    match skeleton {
        Skeleton::Leaf => true,
        Skeleton::Node(Kind::Tuple(_), parts) => parts.iter().all(is_value),
        Skeleton::Node(..) | Skeleton::Rows(_) => false,
    }
}

/// How many elements a list, dict or set in the graph has, which says whether it is true; nothing where Python knows.
pub fn length(object: &Bound<'_, PyAny>) -> PyResult<Option<(Arc<Tracing>, Staged)>> {
    let Some(list) = tables::staged(object, "len")? else { return Ok(None) };
    if !has_rows(&list) {
        // What stands for a dict or set has a length of its own, which is not that of the dict.
        let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
        let length = tracing.trace.number(gw_types::Scalar::Int(list.len() as i64));
        return Ok(Some((tracing, Staged::strong(length.value))));
    }
    let Some(held) = elements(&list)? else { return Ok(None) };
    let length = Staged::strong(held.length());
    Ok(Some((held.tracing, length)))
}

/// The elements of a list, which from now on stand in it as rows; nothing if it has none.
pub fn settled(list: &Bound<'_, PyList>) -> PyResult<Option<Elements>> {
    let Some(elements) = elements(list)? else { return Ok(None) };
    let done = list.len() == 1 && has_rows(list);
    if !done {
        for item in list.iter().filter(|item| !item.is_instance_of::<Rows>()) {
            part_with(&item)?;
        }
        elements.tracing.lists().chosen.reshaping(list, || put(list, &elements))?;
    }
    Ok(Some(elements))
}

/// The arrays in an element are copied into the list's rows, so that what is stored into them later is refused.
fn part_with(item: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut leaves = Vec::new();
    Skeleton::of(item, &mut leaves)?;
    for leaf in leaves {
        if let Ok(tensor) = leaf.bind(item.py()).cast::<Tensor>()
            && !tensor.get().is_number()
        {
            for cell in roots::cells(tensor.get()) {
                Cell::link(&cell, &Cell::of_nobody());
            }
        }
    }
    Ok(())
}

/// The same, where what is stored into a tensor that is no array is not to be seen.
pub fn part_with_arrays(item: &Bound<'_, PyAny>) -> PyResult<()> {
    match item.cast::<Tensor>().map(|tensor| tensor.get().semantics()) {
        Ok(Semantics::Reference) => part_with(item),
        Ok(Semantics::Value | Semantics::Unknown) | Err(_) => Ok(()),
    }
}

/// Says that a list without elements failed since nobody knows yet what its elements are.
pub fn missed(list: &Bound<'_, PyList>) {
    if let Some(tracing) = session::current() {
        tracing.lists().miss(list);
    }
}

/// Takes the last element out of a list; the run fails with `KeyError` if there is none.
pub fn popped<'py>(list: &Bound<'py, PyList>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    let Some(held) = settled(list)? else {
        missed(list);
        return Err(pyo3::exceptions::PyKeyError::new_err(text.to_owned()));
    };
    let some = held.arithmetic(Op::Gt, held.length(), held.number(0));
    let text_of_key = vec![gw_ir::Piece::Text(text.to_owned())];
    crate::checks::check(py, &held.tracing, &[some], gw_ir::CheckKind::Key, text_of_key)?;
    access::remove_at(list, &access::Index::Known(-1), text)
}

/// Takes the last element out of a list; what is said if there is none.
#[pyfunction]
pub fn take_last<'py>(list: &Bound<'py, PyList>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    access::remove_at(list, &access::Index::Known(-1), text)
}

/// Gives a list these elements.
pub fn put(list: &Bound<'_, PyList>, elements: &Elements) -> PyResult<()> {
    let rows = Bound::new(list.py(), Rows(elements.clone()))?;
    list.set_slice(0, list.len(), PyList::new(list.py(), [rows])?.as_any())
}

/// An error if the graph changes a list that is neither the function's own nor an argument nor returned; what such a list
/// held before the function ran, it holds again.
pub fn keep_inside(
    tracing: &Tracing,
    returned: &Bound<'_, PyAny>,
    given: &[Bound<'_, PyAny>],
) -> PyResult<()> {
    let py = returned.py();
    // These hold the objects that the function made, and the lists in them.
    tracing.hidden().forget();
    let inside = |object: &Bound<'_, PyAny>| {
        std::iter::once(returned).chain(given).map(|value| holds(value, object)).sum::<usize>()
    };
    let own = |list: &Bound<'_, PyList>| tracing.tables().is_inside(list);
    let list = tracing.lists().close(py, &own, &|list| inside(list.as_any()))?;
    let table = tracing.tables().close(py, &inside)?;
    let (path, place, kind) = match (list, table) {
        (None, None) => return Ok(()),
        (Some((path, place)), _) => (Some(path), place, "list"),
        (None, Some(outside)) => outside,
    };
    let subject = match path {
        Some(path) => format!("`{path}` is"),
        None => "this changes".to_owned(),
    };
    let message = format!(
        "{subject} a {kind} from outside the function, which its graph would change for one call only"
    );
    let help = "make it in the function and return it, or pass a tensor";
    let found = Diagnostic::new(Code::ListInGraph, message).help(help);
    Err(errors::raise(&match place {
        Some(place) => found.at(place, "changed here"),
        None => found,
    }))
}

/// How often a value and what it is made of hold a list, dict or set.
fn holds(value: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> usize {
    let own = usize::from(value.is(object));
    let inner = crate::structure::open(value).ok().flatten();
    own + inner.map_or(0, |(_, items)| items.iter().map(|item| holds(item, object)).sum())
}

/// What Python takes items from: the elements of a list, dict or set in the graph as objects, where their number is known.
pub fn each<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let found = match staged(value) {
        Some(list) => Some(list),
        None => tables::iterated(value, true)?.map(|found| found.items),
    };
    let Some(list) = found else { return Ok(value.clone()) };
    let py = value.py();
    if !has_rows(&list) {
        return Ok(list.into_any());
    }
    let Some(held) = elements(&list)? else { return Ok(value.clone()) };
    let count = held.count().ok_or_else(|| unknown(py))?;
    let item = |at: usize| held.at(py, &access::Index::Known(at as i64));
    Ok(PyList::new(py, (0..count).map(item).collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// How many elements a list has, as Python sees it.
fn counted<'py>(list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    match if has_rows(list) { elements(list)? } else { None } {
        Some(held) => held.len(py),
        None => Ok(list.len().into_pyobject(py)?.into_any()),
    }
}

/// A new list of these elements.
pub fn list<'py>(py: Python<'py>, elements: &Elements) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, [Bound::new(py, Rows(elements.clone()))?])
}

impl Elements {
    /// How many there are, if that is known while tracing.
    pub fn count(&self) -> Option<usize> {
        self.leaves.iter().find_map(|leaf| self.tracing.trace.ty(leaf.value).shape.0[0].fixed())
    }

    /// How many there are.
    pub fn length(&self) -> ValueId {
        let trace = &self.tracing.trace;
        match self.count() {
            Some(count) => trace.number(gw_types::Scalar::Int(count as i64)).value,
            None => trace
                .build(|b| b.op(Op::Dim, Attr::Axis(0), &[self.leaves[0].value]))
                .expect("rows have an axis"),
        }
    }

    /// How many there are, as Python sees it.
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
            Ok(crate::tensor::Payload::Staged(tracing, leaf)) => staged.push((tracing, leaf)),
            Ok(crate::tensor::Payload::Eager(buffer)) => columns.push(
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

/// Lists of the graph as operands: one of single values is one tensor.
pub const LEAF_KIND: LeafKind = LeafKind {
    length,
    operand: |object| {
        let Some(list) = staged(object) else { return Ok(None) };
        let Some(elements) = elements(&list)? else { return Ok(None) };
        let tuples = || refused(object.py(), "a list of tuples in the graph is used as one tensor");
        let rows = elements.only().ok_or_else(tuples)?;
        Ok(Some(Operand::Staged(elements.tracing, rows)))
    },
    refusal: |object| object.is_instance_of::<Rows>().then(|| unknown(object.py())),
    ..LeafKind::NONE
};
