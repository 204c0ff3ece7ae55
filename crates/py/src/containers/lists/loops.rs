//! `for` over a list in the graph: by position, as Python does it, so that what the body appends is reached too.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::ValueId;
use gw_trace::{Slot, State, counted, objects};
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyList};

use super::elements::tensors;
use super::{placed, settled};
use crate::containers::heap::{heap, value};
use crate::containers::list_object::ListObject;
use crate::effects::alias;
use crate::effects::fixpoint;
use crate::effects::places::PyState;
use crate::effects::watch::guarded;
use crate::exceptions::errors::{self, Failed};
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::host::structure::Kind;
use crate::iteration::iterable::Node;
use crate::operators::statements::answer;
use crate::session;

/// `for item in xs: body(item)` from the position `first` on, while `extra_test()`.
pub fn each_element<'py>(
    list: &Bound<'py, PyList>,
    first: usize,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let py = list.py();
    let host = PyHost::new(py, session::current().ok_or_else(no_graph)?).with_blocks(&[body]);
    let object = ListObject::new(list);
    let Some(walk) = objects::Walk::new(&host, &object, first)? else { return Ok(()) };
    let slots = state.slots()?;
    let blocks: Vec<_> = [Some(body), extra_test].into_iter().flatten().collect();
    let test = extra_test.map(|test| || answer(&host, test));
    let test = test.as_ref().map(|test| test as &dyn Fn() -> Result<ValueId, Failed>);
    let more = |k: ValueId| walk.more(k, test);
    let run = |k: ValueId| -> Result<(), Failed> {
        if let Some(item) = walk.item(k)? {
            body.call1((item.bind(py),))?;
        }
        Ok(())
    };
    guarded(py, Code::LoopChangesObject, Some((state, &slots)), &blocks, |watch| {
        let stage =
            &|state: &dyn State<PyHost<'py>>, slots: &[Slot]| counted(&host, slots, state, &more, &run);
        fixpoint::staged(&host, watch, state, &slots, stage)
    })
}

fn no_graph() -> PyErr {
    errors::InternalError::new_err("no graph is open")
}

/// Node that the graph iterates for a list in it, as its elements are now; nothing for another list.
pub fn followed(list: &Bound<'_, PyAny>) -> PyResult<Option<Node>> {
    let Some(list) = super::staged(list) else { return Ok(None) };
    let Some(held) = settled(&list)? else { return Ok(None) };
    let tracing = session::current().ok_or_else(no_graph)?;
    let mut tensors = tensors(list.py(), &tracing, &held)?.into_iter();
    if let (Skeleton::Node(Kind::Fields(..), _), Some(rows)) = (&*held.element, tensors.as_slice().first()) {
        return Ok(Some(Node::Elements(Arc::new(list.unbind()), Arc::new(rows.clone().unbind()))));
    }
    node(list.py(), &held.element, &mut tensors)
}

/// The element of a list at a position, which an iterator reached.
pub fn element<'py>(list: &Bound<'py, PyList>, at: ValueId) -> PyResult<Bound<'py, PyAny>> {
    let py = list.py();
    let host = PyHost::anywhere(py, session::current().ok_or_else(no_graph)?);
    let held = settled(list)?.ok_or_else(|| errors::InternalError::new_err("the list has elements"))?;
    let object = held.at(&host, &objects::Index::Given(gw_trace::Staged::strong(at)))?.bind(py).clone();
    placed::stands_for(&object, list, &|| at)?;
    placed::is_walked(&object)?;
    Ok(object)
}

fn node<'py>(
    py: Python<'py>,
    element: &Skeleton,
    tensors: &mut impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Option<Node>> {
    let mut each = |parts: &[Skeleton]| {
        let nodes = parts.iter().map(|part| node(py, part, tensors));
        nodes.collect::<PyResult<Option<Vec<_>>>>()
    };
    Ok(match element {
        Skeleton::Leaf => tensors.next().map(|rows| Node::Rows(Arc::new(rows.unbind()))),
        Skeleton::Node(Kind::Tuple(None), parts) => each(parts)?.map(Node::Zipped),
        Skeleton::Node(kind @ (Kind::Tuple(Some(_)) | Kind::Fields(..)), parts) => {
            let make = Arc::new(maker(kind.clone_ref(py), py)?);
            each(parts)?.map(|parts| Node::Mapped(make, parts))
        }
        Skeleton::Node(..) | Skeleton::Rows(_) => None,
    })
}

/// A function that makes an element of its parts.
fn maker(kind: Kind, py: Python<'_>) -> PyResult<Py<PyAny>> {
    let make = PyCFunction::new_closure(py, None, None, move |args, _| {
        let made = kind.close(args.py(), args.iter().collect())?;
        alias::listed(&made)?;
        placed::is_copied(&made)?;
        Ok::<_, PyErr>(made.unbind())
    })?;
    Ok(make.into_any().unbind())
}

/// A list that an iterator of the graph runs over as it was when the iterator was made; Python's would see what is changed.
#[derive(Debug)]
pub struct Followed {
    list: Py<PyList>,
    items: Vec<Py<PyAny>>,
    /// Of rows of objects: the number of times that the list got more or fewer elements.
    resizes: Option<usize>,
}

impl Followed {
    /// The list as it is now.
    pub fn new(list: &Bound<'_, PyList>) -> Self {
        let resizes = session::current().and_then(|tracing| tracing.lists().placed.resizes(list));
        Self { list: list.clone().unbind(), items: list.iter().map(Bound::unbind).collect(), resizes }
    }

    /// GW130 if the list was changed since.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        let list = self.list.bind(py);
        let resizes = session::current().and_then(|tracing| tracing.lists().placed.resizes(list));
        if resizes.is_some() && resizes == self.resizes {
            return Ok(());
        }
        let items: Vec<_> = self.items.iter().map(|item| value(item.bind(py))).collect();
        if objects::is_unchanged(&heap(py)?, &ListObject::new(list), &items) {
            return Ok(());
        }
        let message = "this list is changed while an iterator runs over it in the graph";
        let help = "write `for i in range(len(xs))` and `xs[i]`, or run over `xs.copy()`";
        Err(errors::here(py, Code::ListInGraph, message, help))
    }
}
