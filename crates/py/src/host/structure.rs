//! Python objects that are structures of other values: taken apart into items, and put together again.
//!
//! Tuples, named tuples, lists, dicts, other mappings, dataclasses and attrs classes are; this is the only list of them. So are the
//! objects of plain classes that the function makes which is traced ([`made_object`]).
//! The items of a mapping are walked in the order of its keys where those can be sorted, so that two dicts with the same
//! keys are one structure; what is put together has the order in which the keys were inserted.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use gw_types::Scalar;
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyInt, PyList, PyString, PyTuple, PyType, PyWeakrefReference};

use crate::containers::tables::{entries, making};
use crate::host::made_object;
use crate::host::members::{self, Member};
use crate::host_calls::host_value::{self, HostValue};
use crate::optional::maybe::Maybe;
use crate::optional::maybe_structure::MaybeStructure;
use crate::values::tensor::{Payload, Tensor};

/// Kind of object that is made of items.
#[derive(Debug)]
pub enum Kind {
    /// A tuple, or an instance of this subclass.
    Tuple(Option<Py<PyType>>),
    /// A list.
    List,
    /// A mapping.
    Mapping(Mapping),
    /// A dataclass or attrs class and the names of the attributes.
    Fields(Py<PyType>, Vec<Py<PyString>>),
    /// A structure that may be `None`: a bool that says whether it is there, and the structure.
    Optional,
    /// A dict or set of the graph: the list of its pairs or elements.
    Table(entries::Kind),
    /// A value of host code, of this class: its number.
    OfHost(Py<PyType>),
    /// A member of this enumeration: its position.
    Member(Py<PyType>),
}

/// Construction of a mapping from its items.
#[derive(Debug)]
pub struct Mapping {
    /// The class, unless it is `dict` itself.
    class: Option<Py<PyType>>,
    /// `defaultdict` is also made of what makes its missing items.
    factory: Option<Py<PyAny>>,
    /// In the order of the walk.
    keys: Vec<Py<PyAny>>,
    /// The positions in `keys`, in the order of insertion.
    inserted: Vec<usize>,
}

/// A way to take structures apart.
pub type Open<'py> = fn(&Bound<'py, PyAny>) -> PyResult<Option<(Kind, Vec<Bound<'py, PyAny>>)>>;

/// The kind of an object and its items; `None` for a leaf.
pub fn open<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Kind, Vec<Bound<'py, PyAny>>)>> {
    match open_by_class(object)? {
        Some(found) => Ok(Some(found)),
        None => made_object::open(object),
    }
}

/// The same, where objects of plain classes are leaves.
pub fn open_by_class<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Kind, Vec<Bound<'py, PyAny>>)>> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        let class = object.get_type();
        let own = !tuple.is_exact_instance_of::<PyTuple>();
        return Ok(Some((Kind::Tuple(own.then(|| class.unbind())), tuple.iter().collect())));
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        return Ok(Some((Kind::List, list.iter().collect())));
    }
    if let (Some(kind), Some(list)) = (entries::kind(object), entries::list_of(object)?) {
        return Ok(Some((Kind::Table(kind), vec![list.into_any()])));
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        return mapping(None, dict).map(Some);
    }
    if let Ok(maybe) = object.cast::<MaybeStructure>() {
        return Ok(Some((Kind::Optional, maybe.get().items(object.py()).into())));
    }
    if let Ok(value) = object.cast::<HostValue>() {
        let value = value.get();
        let number = value.number.bind(object.py()).clone();
        return Ok(Some((Kind::OfHost(value.class.clone_ref(object.py())), vec![number])));
    }
    if let Ok(member) = object.cast::<Member>() {
        let Member { class, position } = member.get();
        return Ok(Some((
            Kind::Member(class.clone_ref(object.py())),
            vec![position.bind(object.py()).clone()],
        )));
    }
    let class = object.get_type();
    match class_kind(&class)? {
        ClassKind::Leaf | ClassKind::Plain => Ok(None),
        ClassKind::Mapping => {
            let items = PyDict::new(object.py());
            items.call_method1("update", (object,))?;
            mapping(Some((object, class)), &items).map(Some)
        }
        ClassKind::Fields => fields(object, class).map(Some),
    }
}

fn mapping<'py>(
    class: Option<(&Bound<'py, PyAny>, Bound<'py, PyType>)>,
    dict: &Bound<'py, PyDict>,
) -> PyResult<(Kind, Vec<Bound<'py, PyAny>>)> {
    let mut pairs: Vec<(usize, Bound<'py, PyAny>, Bound<'py, PyAny>)> =
        dict.iter().enumerate().map(|(at, (key, item))| (at, key, item)).collect();
    sort(&mut pairs);
    let mut inserted = vec![0; pairs.len()];
    for (place, (at, ..)) in pairs.iter().enumerate() {
        inserted[*at] = place;
    }
    let factory = match &class {
        Some((object, _)) => object.getattr_opt("default_factory")?.map(Bound::unbind),
        None => None,
    };
    let class = class.map(|(_, class)| class.unbind());
    let (keys, items) = pairs.into_iter().map(|(_, key, item)| (key.unbind(), item)).unzip();
    Ok((Kind::Mapping(Mapping { class, factory, keys, inserted }), items))
}

/// By key, where all keys are strings or all are integers; others keep their order.
fn sort(pairs: &mut [(usize, Bound<'_, PyAny>, Bound<'_, PyAny>)]) {
    if pairs.iter().all(|(_, key, _)| key.is_exact_instance_of::<PyString>()) {
        pairs.sort_by_cached_key(|(_, key, _)| key.to_string());
    } else if pairs.iter().all(|(_, key, _)| key.is_exact_instance_of::<PyInt>()) {
        pairs.sort_by_cached_key(|(_, key, _)| key.extract::<i128>().unwrap_or(i128::MAX));
    }
}

/// The fields that have a value, and the attributes that the object has beside them.
fn fields<'py>(
    object: &Bound<'py, PyAny>,
    class: Bound<'py, PyType>,
) -> PyResult<(Kind, Vec<Bound<'py, PyAny>>)> {
    let py = object.py();
    let mut names: Vec<Bound<'py, PyString>> = Vec::new();
    if let Some(fields) = class.getattr_opt("__dataclass_fields__")? {
        for name in fields.try_iter()? {
            names.push(name?.cast_into()?);
        }
    } else {
        for attribute in class.getattr("__attrs_attrs__")?.try_iter()? {
            names.push(attribute?.getattr("name")?.cast_into()?);
        }
    }
    if let Some(others) = object.getattr_opt("__dict__")? {
        for name in others.try_iter()? {
            let name = name?.cast_into::<PyString>()?;
            if !names.iter().any(|n| n.as_any().eq(&name).unwrap_or(false)) {
                names.push(name);
            }
        }
    }
    let mut kept = Vec::with_capacity(names.len());
    let mut items = Vec::with_capacity(names.len());
    let getattribute = py.get_type::<PyAny>().getattr("__getattribute__")?;
    for name in names {
        if let Ok(item) = getattribute.call1((object, &name)) {
            kept.push(name.unbind());
            items.push(item);
        }
    }
    Ok((Kind::Fields(class.unbind(), kept), items))
}

/// Kind of a class's instances.
#[derive(Debug, Clone, Copy)]
pub enum ClassKind {
    /// Its instances are not taken apart.
    Leaf,
    /// Keys and items.
    Mapping,
    /// A dataclass or attrs class.
    Fields,
    /// A leaf, unless the function that is traced made it.
    Plain,
}

/// Known kinds of classes, by the addresses of the classes; a class that goes is forgotten.
static CLASSES: Mutex<BTreeMap<usize, (ClassKind, Py<PyWeakrefReference>)>> = Mutex::new(BTreeMap::new());

/// Classes are asked once.
pub fn class_kind(class: &Bound<'_, PyType>) -> PyResult<ClassKind> {
    let known = || CLASSES.lock().unwrap_or_else(PoisonError::into_inner);
    let address = class.as_ptr() as usize;
    if let Some((kind, _)) = known().get(&address) {
        return Ok(*kind);
    }
    let kind = ask(class)?;
    let forget = PyCFunction::new_closure(class.py(), None, None, move |_, _| {
        let gone = known().remove(&address);
        drop(gone);
    })?;
    let weak = PyWeakrefReference::new_with(class, forget)?;
    let before = known().insert(address, (kind, weak.unbind()));
    drop(before);
    Ok(kind)
}

/// A class that says itself what its objects count by is no structure.
fn ask(class: &Bound<'_, PyType>) -> PyResult<ClassKind> {
    if class.hasattr("__tf_tracing_type__")? {
        return Ok(ClassKind::Leaf);
    }
    if class.hasattr("__dataclass_fields__")? || class.hasattr("__attrs_attrs__")? {
        return Ok(ClassKind::Fields);
    }
    let mapping = class.py().import("collections.abc")?.getattr("Mapping")?;
    match class.is_subclass(&mapping)? {
        true => Ok(ClassKind::Mapping),
        false => Ok(if made_object::is_plain(class)? { ClassKind::Plain } else { ClassKind::Leaf }),
    }
}

impl Kind {
    /// An object of this kind with these items, in the order of the walk.
    pub fn close<'py>(&self, py: Python<'py>, items: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Kind::Tuple(None) => Ok(PyTuple::new(py, items)?.into_any()),
            Kind::Tuple(Some(class)) => of_class(class.bind(py), PyTuple::new(py, items)?),
            Kind::List => Ok(PyList::new(py, items)?.into_any()),
            Kind::Mapping(mapping) => mapping.close(py, &items),
            Kind::Fields(class, names) => {
                let object = py.get_type::<PyAny>();
                let made = object.call_method1("__new__", (class,))?;
                for (name, item) in names.iter().zip(items) {
                    object.call_method1("__setattr__", (&made, name, item))?;
                }
                made_object::note(class.bind(py), &made)?;
                Ok(made)
            }
            Kind::Optional => match items.as_slice() {
                [there, value] => MaybeStructure::make(there, value),
                [..] => Err(PySystemError::new_err("a bool and a structure make one that may be `None`")),
            },
            Kind::Table(kind) => match items.as_slice() {
                [list] => making::make(*kind, list.cast()?),
                [..] => Err(PySystemError::new_err("one list makes a dict or set of the graph")),
            },
            Kind::OfHost(class) => match items.as_slice() {
                [number] => of_host(class, number),
                [..] => Err(PySystemError::new_err("one number stands for a value of host code")),
            },
            Kind::Member(class) => match items.as_slice() {
                [position] => members::at(class.bind(py), position),
                [..] => Err(PySystemError::new_err("one position stands for a member of an enumeration")),
            },
        }
    }

    /// True if it is a list or a plain tuple.
    pub fn is_sequence(&self) -> bool {
        matches!(self, Kind::List | Kind::Tuple(None))
    }

    /// The same kind.
    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Kind::Tuple(class) => Kind::Tuple(class.as_ref().map(|class| class.clone_ref(py))),
            Kind::List => Kind::List,
            Kind::Mapping(mapping) => Kind::Mapping(Mapping {
                class: mapping.class.as_ref().map(|class| class.clone_ref(py)),
                factory: mapping.factory.as_ref().map(|factory| factory.clone_ref(py)),
                keys: mapping.keys.iter().map(|key| key.clone_ref(py)).collect(),
                inserted: mapping.inserted.clone(),
            }),
            Kind::Fields(class, names) => {
                Kind::Fields(class.clone_ref(py), names.iter().map(|name| name.clone_ref(py)).collect())
            }
            Kind::Optional => Kind::Optional,
            Kind::Table(kind) => Kind::Table(*kind),
            Kind::OfHost(class) => Kind::OfHost(class.clone_ref(py)),
            Kind::Member(class) => Kind::Member(class.clone_ref(py)),
        }
    }

    /// True if two kinds are the same; a mapping's keys were inserted in the same order, in which loops run over them.
    pub fn same(&self, other: &Kind, py: Python<'_>) -> bool {
        let class = |a: &Option<Py<PyType>>, b: &Option<Py<PyType>>| {
            a.as_ref().map(Py::as_ptr) == b.as_ref().map(Py::as_ptr)
        };
        match (self, other) {
            (Kind::List, Kind::List) | (Kind::Optional, Kind::Optional) => true,
            (Kind::Tuple(a), Kind::Tuple(b)) => class(a, b),
            (Kind::Mapping(a), Kind::Mapping(b)) => {
                class(&a.class, &b.class) && a.inserted == b.inserted && same_objects(py, &a.keys, &b.keys)
            }
            (Kind::Table(a), Kind::Table(b)) => a == b,
            (Kind::OfHost(a), Kind::OfHost(b)) | (Kind::Member(a), Kind::Member(b)) => a.is(b),
            (Kind::Fields(a, m), Kind::Fields(b, n)) => a.is(b) && same_names(py, m, n),
            (Kind::List | Kind::Tuple(_) | Kind::Mapping(_) | Kind::Fields(..), _) => false,
            (Kind::Optional | Kind::Table(_) | Kind::OfHost(_) | Kind::Member(_), _) => false,
        }
    }
}

/// The value of host code that a number stands for: in a run the object itself, while a graph is built what stands for it.
fn of_host<'py>(class: &Py<PyType>, number: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = number.py();
    let known = match number.cast::<Tensor>().map(|tensor| tensor.get().content()) {
        Ok(Payload::Eager(buffer)) => buffer.scalars().next().map(Scalar::to_i64),
        Ok(Payload::Staged(..)) => None,
        Err(_) if number.is_instance_of::<Maybe>() => None,
        Err(_) => match number.cast_exact::<PyInt>() {
            Ok(number) => Some(number.extract()?),
            // A description of the value, in its place.
            Err(_) => return Ok(number.clone()),
        },
    };
    match known {
        // A value that is not there has no number.
        Some(number) => Ok(host_value::kept(py, number).unwrap_or_else(|_| py.None()).into_bound(py)),
        None => {
            let value = HostValue::new(class.clone_ref(py), number.clone().unbind());
            Ok(Bound::new(py, value)?.into_any())
        }
    }
}

/// A tuple of a subclass; named tuples are made by `_make`, which does not ask a `__new__` of the user's.
fn of_class<'py>(class: &Bound<'py, PyType>, items: Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    match class.getattr_opt("_make")? {
        Some(make) => make.call1((items,)),
        None => class.py().get_type::<PyTuple>().call_method1("__new__", (class, items)),
    }
}

fn same_objects(py: Python<'_>, a: &[Py<PyAny>], b: &[Py<PyAny>]) -> bool {
    let same = |(a, b): (&Py<PyAny>, &Py<PyAny>)| a.is(b) || a.bind(py).eq(b).unwrap_or(false);
    a.len() == b.len() && a.iter().zip(b).all(same)
}

fn same_names(py: Python<'_>, a: &[Py<PyString>], b: &[Py<PyString>]) -> bool {
    let same = |(a, b): (&Py<PyString>, &Py<PyString>)| a.bind(py).as_any().eq(b).unwrap_or(false);
    a.len() == b.len() && a.iter().zip(b).all(same)
}

impl Mapping {
    /// The class, unless it is `dict` itself.
    pub fn class(&self) -> Option<&Py<PyType>> {
        self.class.as_ref()
    }

    /// The keys, in the order of the walk.
    pub fn keys(&self) -> &[Py<PyAny>] {
        &self.keys
    }

    /// The positions of the keys, in the order of insertion.
    pub fn order(&self) -> &[usize] {
        &self.inserted
    }

    fn close<'py>(&self, py: Python<'py>, items: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        let dict = PyDict::new(py);
        for &at in &self.inserted {
            dict.set_item(&self.keys[at], &items[at])?;
        }
        match (&self.class, &self.factory) {
            (None, _) => Ok(dict.into_any()),
            (Some(class), None) => class.bind(py).call1((dict,)),
            (Some(class), Some(factory)) => class.bind(py).call1((factory, dict)),
        }
    }
}
