//! Objects of plain classes that the function makes which is traced: structures of their attributes, so the graph may choose one of
//! two, and carry one through a loop.
//!
//! Nobody around the function knows such an object, so one that is put together again of the same attributes can stand for it. An
//! object from around the function stays the one that it is, and so does one that holds itself, such as a node that knows its parent.

use std::cell::Cell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::containers::references::references;
use crate::effects::attributes::{held_in_slots, own};
use crate::host::structure::{self, ClassKind, Kind};
use crate::session::{self, libraries};

thread_local! {
    /// True while what objects hold flows by itself.
    static ARE_LEAVES: Cell<bool> = const { Cell::new(false) };
}

/// Does something during which such objects are leaves: what they hold flows by itself.
pub fn as_leaves<T>(run: impl FnOnce() -> T) -> T {
    let _restored = Before(ARE_LEAVES.replace(true));
    run()
}

/// The answer before, which holds again when this is dropped, even where a panic passes.
struct Before(bool);

impl Drop for Before {
    fn drop(&mut self) {
        ARE_LEAVES.set(self.0);
    }
}

/// So many objects behind one are looked at; one with more behind it is a leaf.
const MOST: usize = 500;

/// In attributes and items so deep.
const DEEPEST: usize = 50;

/// Methods of a class that has a way of its own to make, read or change its objects.
const OWN_WAYS: &[&str] = &["__new__", "__getattribute__", "__setattr__", "__delattr__"];

/// True of a class of the user's whose objects are made of their attributes alone.
pub fn is_plain(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let (py, object) = (class.py(), class.py().get_type::<PyAny>());
    if !libraries::is_users(class.as_any())? || class.hasattr(intern!(py, "__del__"))? {
        return Ok(false);
    }
    for way in OWN_WAYS {
        if !class.getattr(*way)?.is(&object.getattr(*way)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The kind of an object that the function made and its attributes; nothing for any other.
pub fn open<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Kind, Vec<Bound<'py, PyAny>>)>> {
    if ARE_LEAVES.get()
        || !is_made(object)?
        || is_in_doubt(object)
        || !is_tree(object, &mut Vec::new(), &mut 0)?
    {
        return Ok(None);
    }
    let (names, items) = attributes(object)?.into_iter().map(|(name, item)| (name.unbind(), item)).unzip();
    Ok(Some((Kind::Fields(object.get_type().unbind(), names), items)))
}

/// Says that an object of a class was put together again while the function is traced.
pub fn note(class: &Bound<'_, PyType>, made: &Bound<'_, PyAny>) -> PyResult<()> {
    match (session::current(), structure::class_kind(class)?) {
        (Some(tracing), ClassKind::Plain) => tracing.made_objects().note(made),
        (Some(_) | None, _) => Ok(()),
    }
}

/// Says that what a new object holds, and nobody else, was made while the function is traced: `self.cells = [Cell(), Cell()]`.
pub fn note_inside(object: &Bound<'_, PyAny>, depth: usize) -> PyResult<()> {
    if depth == DEEPEST {
        return Ok(());
    }
    for part in parts(object)? {
        let class = part.get_type();
        let is_container = part.is_exact_instance_of::<PyList>()
            || part.is_exact_instance_of::<PyTuple>()
            || part.is_exact_instance_of::<PyDict>();
        if !is_container && (is_made(&part)? || !is_plain(&class)? || references(&part)? > 1) {
            continue;
        }
        if !is_container {
            note(&class, &part)?;
        }
        note_inside(&part, depth + 1)?;
    }
    Ok(())
}

/// True if the graph decides whether an attribute is the object's own or its class's.
fn is_in_doubt(object: &Bound<'_, PyAny>) -> bool {
    session::current().is_some_and(|tracing| tracing.inherited().of(object, None).is_some())
}

fn is_made(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    match structure::class_kind(&object.get_type())? {
        ClassKind::Plain => Ok(session::current().is_some_and(|tracing| tracing.made_objects().has(object))),
        ClassKind::Leaf | ClassKind::Mapping | ClassKind::Fields => Ok(false),
    }
}

fn attributes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
    let mut found = Vec::new();
    for (name, value) in own(object).iter().flatten() {
        found.push((name.cast_into()?, value));
    }
    found.extend(held_in_slots(object)?);
    Ok(found)
}

/// True unless an object holds itself, or more than is looked at.
fn is_tree<'py>(
    object: &Bound<'py, PyAny>,
    inside: &mut Vec<Bound<'py, PyAny>>,
    met: &mut usize,
) -> PyResult<bool> {
    let parts = parts(object)?;
    *met += parts.len();
    if *met > MOST || inside.len() > DEEPEST || inside.iter().any(|outer| outer.is(object)) {
        return Ok(false);
    }
    inside.push(object.clone());
    for part in parts {
        if !is_tree(&part, inside, met)? {
            return Ok(false);
        }
    }
    inside.pop();
    Ok(true)
}

/// The attributes of such an object, and the items of lists, tuples and dicts.
fn parts<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = object.cast_exact::<PyList>() {
        return Ok(list.iter().collect());
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return Ok(tuple.iter().collect());
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        return Ok(dict.values().iter().collect());
    }
    if !is_made(object)? {
        return Ok(Vec::new());
    }
    Ok(attributes(object)?.into_iter().map(|(_, value)| value).collect())
}
