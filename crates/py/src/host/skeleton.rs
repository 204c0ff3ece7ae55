//! The structure of a Python object: what is left of it without its leaves.

use crate::containers::lists::row_objects;
use crate::containers::lists::rows::Rows;
use crate::host::nesting;
use crate::host::structure::{self, Kind};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};
use std::sync::Arc;

/// The structure of a Python object.
#[derive(Debug)]
pub enum Skeleton {
    /// A leaf.
    Leaf,
    /// A structure and its items.
    Node(Kind, Vec<Skeleton>),
    /// Elements of a list in the graph, of this structure each: a leaf is a tensor of rows.
    Rows(Arc<Skeleton>),
}

impl Skeleton {
    /// Takes an object apart, leaves appended to `leaves`.
    pub fn of(object: &Bound<'_, PyAny>, leaves: &mut Vec<Py<PyAny>>) -> PyResult<Skeleton> {
        Self::at(object, leaves, 0, structure::open)
    }

    /// The same, where objects of plain classes are leaves.
    pub fn by_class(object: &Bound<'_, PyAny>, leaves: &mut Vec<Py<PyAny>>) -> PyResult<Skeleton> {
        Self::at(object, leaves, 0, structure::open_by_class)
    }

    fn at<'py>(
        object: &Bound<'py, PyAny>,
        leaves: &mut Vec<Py<PyAny>>,
        depth: usize,
        open: structure::Open<'py>,
    ) -> PyResult<Skeleton> {
        if object.is_instance_of::<Rows>() {
            return Err(row_objects::unknown(object.py()));
        }
        let Some((kind, items)) = open(object)? else {
            leaves.push(object.clone().unbind());
            return Ok(Skeleton::Leaf);
        };
        if depth == nesting::DEEPEST {
            return Err(nesting::too_deep(object.py()));
        }
        let part = |item: &Bound<'py, PyAny>| match item.cast::<Rows>() {
            Ok(rows) if matches!(kind, Kind::List) => {
                let Rows { tracing, held, .. } = rows.get();
                let tensors = row_objects::tensors(object.py(), tracing, held)?;
                leaves.extend(tensors.into_iter().map(Bound::unbind));
                Ok(Skeleton::Rows(held.element.clone()))
            }
            Ok(_) | Err(_) => Self::at(item, leaves, depth + 1, open),
        };
        let items = items.iter().map(part).collect::<PyResult<_>>()?;
        Ok(Skeleton::Node(kind, items))
    }

    /// Puts leaves back.
    pub fn rebuild<'py>(
        &self,
        py: Python<'py>,
        leaves: &mut impl Iterator<Item = Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Skeleton::Leaf => Ok(leaves.next().expect("one object per leaf").into_bound(py)),
            Skeleton::Node(kind, parts) => {
                let mut items = Vec::with_capacity(parts.len());
                for part in parts {
                    match part {
                        Skeleton::Rows(element) => items.extend(spread(py, element, leaves)?),
                        Skeleton::Leaf | Skeleton::Node(..) => items.push(part.rebuild(py, leaves)?),
                    }
                }
                kind.close(py, items)
            }
            Skeleton::Rows(element) => Ok(PyList::new(py, spread(py, element, leaves)?)?.into_any()),
        }
    }

    /// The same structure.
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Skeleton::Leaf => Skeleton::Leaf,
            Skeleton::Node(kind, parts) => {
                Skeleton::Node(kind.clone_ref(py), parts.iter().map(|part| part.clone_ref(py)).collect())
            }
            Skeleton::Rows(element) => Skeleton::Rows(element.clone()),
        }
    }

    /// True if two structures are the same; dicts whatever the order of their keys.
    pub fn same(&self, other: &Skeleton, py: Python<'_>) -> bool {
        match (self, other) {
            (Skeleton::Leaf, Skeleton::Leaf) => true,
            (Skeleton::Node(k, a), Skeleton::Node(l, b)) => {
                k.same(l, py) && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b, py))
            }
            (Skeleton::Rows(a), Skeleton::Rows(b)) => a.same(b, py),
            (Skeleton::Leaf | Skeleton::Node(..) | Skeleton::Rows(_), _) => false,
        }
    }

    /// True if this is an object, or has one in it, whose class is such a one.
    pub fn has_object_of(&self, is_one: &dyn Fn(&Py<PyType>) -> bool) -> bool {
        match self {
            Skeleton::Leaf => false,
            Skeleton::Node(kind, parts) => {
                matches!(kind, Kind::Fields(class, _) if is_one(class))
                    || parts.iter().any(|part| part.has_object_of(is_one))
            }
            Skeleton::Rows(element) => element.has_object_of(is_one),
        }
    }

    /// True if this is an object, or has one in it.
    pub fn has_objects(&self) -> bool {
        self.has_object_of(&|_| true)
    }

    /// The number of its leaves.
    pub fn count(&self) -> usize {
        match self {
            Skeleton::Leaf => 1,
            Skeleton::Node(_, parts) => parts.iter().map(Skeleton::count).sum(),
            Skeleton::Rows(element) => element.count(),
        }
    }
}

/// The items that elements of a list in the graph are, from the next leaves.
fn spread<'py>(
    py: Python<'py>,
    element: &Arc<Skeleton>,
    leaves: &mut impl Iterator<Item = Py<PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    row_objects::spread(py, element, leaves.take(element.count()).collect())
}
