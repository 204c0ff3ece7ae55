//! The methods of dicts and sets that have to know what the graph holds, and what makes dicts, sets and lists of it.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyTuple, PyType};

use super::entries::{Kind, kind, list_of, refused, set_class};
use super::lookup::comparable;
use super::making::{contents, make, settled};
use super::view::{Part, View, iterated};
use super::{is_sought_by_graph, is_staged_key, written};
use crate::containers::lists;
use crate::iteration::collected;
use crate::operators::builtin_table::is_staged;
use crate::operators::library_calls;
use crate::session;

/// A method of a dict or set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Get,
    SetDefault,
    Pop,
    PopItem,
    Update,
    Keys,
    Values,
    Items,
    Clear,
    Copy,
    Add,
    Remove,
    Discard,
    PopAny,
    Union,
    Intersection,
    Difference,
    IsSubset,
    IsSuperset,
    IsDisjoint,
    SymmetricDifference,
}

impl Name {
    /// True if it takes the items of its arguments.
    fn takes_items(self) -> bool {
        match self {
            Name::Update
            | Name::Union
            | Name::Intersection
            | Name::Difference
            | Name::SymmetricDifference
            | Name::IsSubset
            | Name::IsSuperset
            | Name::IsDisjoint => true,
            Name::Get
            | Name::SetDefault
            | Name::Pop
            | Name::PopItem
            | Name::Keys
            | Name::Values
            | Name::Items
            | Name::Clear
            | Name::Copy
            | Name::Add
            | Name::Remove
            | Name::Discard
            | Name::PopAny => false,
        }
    }
}

const OF_DICTS: &[(&str, Name)] = &[
    ("get", Name::Get),
    ("setdefault", Name::SetDefault),
    ("pop", Name::Pop),
    ("popitem", Name::PopItem),
    ("update", Name::Update),
    ("keys", Name::Keys),
    ("values", Name::Values),
    ("items", Name::Items),
    ("clear", Name::Clear),
    ("copy", Name::Copy),
];

const OF_SETS: &[(&str, Name)] = &[
    ("add", Name::Add),
    ("remove", Name::Remove),
    ("discard", Name::Discard),
    ("pop", Name::PopAny),
    ("update", Name::Update),
    ("union", Name::Union),
    ("intersection", Name::Intersection),
    ("difference", Name::Difference),
    ("issubset", Name::IsSubset),
    ("issuperset", Name::IsSuperset),
    ("isdisjoint", Name::IsDisjoint),
    ("symmetric_difference", Name::SymmetricDifference),
    ("clear", Name::Clear),
    ("copy", Name::Copy),
];

/// A method of a dict or set while a graph is built.
#[pyclass(frozen, name = "DictMethod", module = "graphwright")]
#[derive(Debug)]
struct Method {
    table: Py<PyAny>,
    name: Name,
    original: Py<PyAny>,
}

/// Callable for use in place of `original`, the method of this name of `table`, while a graph is being built.
pub fn method<'py>(
    table: &Bound<'py, PyAny>,
    name: &str,
    original: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = table.py();
    let names = match kind(table) {
        Some(Kind::Dict) => OF_DICTS,
        Some(Kind::Set) => OF_SETS,
        None => return Ok(None),
    };
    let Some(&(_, name)) = names.iter().find(|(text, _)| *text == name) else {
        return if list_of(table)?.is_some() {
            Err(refused(py, &format!("`{name}` of a dict or set in the graph is called")))
        } else {
            Ok(None)
        };
    };
    let method = Method { table: table.clone().unbind(), name, original: original.clone().unbind() };
    Ok(Some(Bound::new(py, method)?.into_any()))
}

#[pymethods]
impl Method {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let table = self.table.bind(py);
        let args = &if self.name.takes_items() { collected::all_items_of(args)? } else { args.clone() };
        if !self.is_staged(table, args)? {
            return self.original.bind(py).call(args, kwargs);
        }
        if kwargs.is_some_and(|kwargs| !kwargs.is_empty()) {
            return Err(refused(py, "a method of a dict or set in the graph is given names"));
        }
        let args: Vec<_> = args.iter().collect();
        let given = match kind(table) {
            Some(Kind::Dict) => self.of_dict(table, &args)?,
            Some(Kind::Set) | None => self.of_set(table, &args)?,
        };
        let wrong = "a method of a dict or set is called with a wrong number of arguments";
        given.ok_or_else(|| PyTypeError::new_err(wrong))
    }
}

impl Method {
    /// True if the graph has to do it.
    fn is_staged(&self, table: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<bool> {
        if list_of(table)?.is_some() {
            return Ok(true);
        }
        let Some(first) = args.iter().next() else { return Ok(false) };
        Ok(match self.name {
            Name::Get => is_sought_by_graph(&first)?,
            Name::SetDefault | Name::Pop | Name::Add | Name::Remove | Name::Discard => is_staged_key(&first)?,
            Name::Update
            | Name::Union
            | Name::Intersection
            | Name::Difference
            | Name::SymmetricDifference
            | Name::IsSubset
            | Name::IsSuperset
            | Name::IsDisjoint => has_staged_keys(&first)?,
            Name::PopItem
            | Name::PopAny
            | Name::Keys
            | Name::Values
            | Name::Items
            | Name::Clear
            | Name::Copy => false,
        })
    }

    /// Result of a method of a dict; nothing for a wrong number of arguments.
    fn of_dict<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        args: &[Bound<'py, PyAny>],
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = table.py();
        let inside = || settled(table);
        let view = |part| {
            let pairs = inside()?.unbind();
            Ok::<_, PyErr>(Bound::new(py, View { pairs, part })?.into_any())
        };
        Ok(Some(match (self.name, args) {
            (Name::Get, [key]) => written("get", self.read(table, key)?, py)?,
            (Name::Get, [key, default]) => {
                let (pairs, key) = self.read(table, key)?;
                written("get", (pairs, key, default), py)?
            }
            (Name::SetDefault, [key]) => written("set_default", (inside()?, key), py)?,
            (Name::SetDefault, [key, default]) => written("set_default", (inside()?, key, default), py)?,
            (Name::Pop, [key]) => written("pop", (inside()?, key), py)?,
            (Name::Pop, [key, default]) => written("pop_or", (inside()?, key, default), py)?,
            (Name::PopItem, []) => lists::popped(&inside()?, "popitem(): dictionary is empty")?,
            (Name::Update, [others]) => written("update", (inside()?, pairs_of(others)?), py)?,
            (Name::Keys, []) => view(Part::Keys)?,
            (Name::Values, []) => view(Part::Values)?,
            (Name::Items, []) => view(Part::Items)?,
            (Name::Clear, []) => cleared(&inside()?)?,
            (Name::Copy, []) => make(Kind::Dict, &PyList::new(py, inside()?.iter())?)?,
            _ => return Ok(None),
        }))
    }

    /// Result of a method of a set; nothing for a wrong number of arguments.
    fn of_set<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        args: &[Bound<'py, PyAny>],
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = table.py();
        let inside = || settled(table);
        let new = |list: Bound<'py, PyAny>| make(Kind::Set, list.cast()?);
        Ok(Some(match (self.name, args) {
            (Name::Add, [item]) => written("add", (inside()?, item), py)?,
            (Name::Remove, [item]) => written("remove", (inside()?, item), py)?,
            (Name::Discard, [item]) => written("discard", (inside()?, item), py)?,
            (Name::PopAny, []) => {
                return Err(refused(py, "which element a set in the graph gives is Python's own choice"));
            }
            (Name::Update, [others]) => written("add_all", (inside()?, once(others)?), py)?,
            (Name::Union, [others]) => new(written("union", (taken(table)?, once(others)?), py)?)?,
            (Name::Intersection, [others]) => {
                new(written("intersection", (taken(table)?, taken(others)?), py)?)?
            }
            (Name::Difference, [others]) => new(written("difference", (taken(table)?, taken(others)?), py)?)?,
            (Name::SymmetricDifference, [others]) => {
                new(written("symmetric_difference", (taken(table)?, taken(others)?), py)?)?
            }
            (Name::IsSubset, [others]) => written("is_subset", (taken(table)?, taken(others)?), py)?,
            (Name::IsSuperset, [others]) => written("is_subset", (taken(others)?, taken(table)?), py)?,
            (Name::IsDisjoint, [others]) => written("is_disjoint", (taken(table)?, taken(others)?), py)?,
            (Name::Clear, []) => cleared(&inside()?)?,
            (Name::Copy, []) => make(Kind::Set, &PyList::new(py, inside()?.iter())?)?,
            _ => return Ok(None),
        }))
    }

    /// The pairs in which a key is looked for, and what is looked for.
    fn read<'py>(
        &self,
        table: &Bound<'py, PyAny>,
        key: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyAny>)> {
        list_of(table)?.map_or_else(|| comparable(table, key), |pairs| Ok((pairs, key.clone())))
    }
}

/// `d.clear()`
fn cleared<'py>(list: &Bound<'py, PyList>) -> PyResult<Bound<'py, PyAny>> {
    list.del_slice(0, list.len())?;
    Ok(list.py().None().into_bound(list.py()))
}

/// True if a value of the graph is among the keys of what is iterated.
fn has_staged_keys(items: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_staged(items)? {
        return Ok(true);
    }
    let simple = items.is_exact_instance_of::<PyList>() || items.is_exact_instance_of::<PyTuple>();
    if !simple {
        return Ok(false);
    }
    for item in items.try_iter()? {
        if is_staged_key(&item?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The items of an argument as a list.
pub fn taken<'py>(items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let py = items.py();
    if let Some(found) = iterated(items, false)? {
        return Ok(found.items);
    }
    if let Ok(list) = items.cast_exact::<PyList>() {
        return Ok(list.clone());
    }
    if kind(items).is_some() {
        return match kind(items) {
            Some(Kind::Set) => contents(items),
            Some(Kind::Dict) | None => PyList::new(py, items.try_iter()?.collect::<PyResult<Vec<_>>>()?),
        };
    }
    if items.is_exact_instance_of::<PyTuple>() || items.is_exact_instance_of::<PyFrozenSet>() {
        return PyList::new(py, items.try_iter()?.collect::<PyResult<Vec<_>>>()?);
    }
    let list = PyList::empty(py);
    lists::extend(&list, items)?;
    Ok(list)
}

/// The items of an argument that are taken once, in their order.
fn once<'py>(items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    Ok(iterated(items, false)?.map_or_else(|| items.clone(), |found| found.items.into_any()))
}

/// The pairs that a dict is updated with.
fn pairs_of<'py>(others: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match kind(others) {
        Some(Kind::Dict) => Ok(list_of(others)?.map_or_else(|| contents(others), Ok)?.into_any()),
        Some(Kind::Set) | None => once(others),
    }
}

/// A set of these items: `set(items)`, or a display.
pub fn set_of<'py>(items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = items.py();
    if !session::is_tracing() {
        return py.get_type::<PySet>().call1((items,));
    }
    if list_of(items)?.is_none() && !has_staged_keys(items)? {
        return set_class(py)?.call1((items,));
    }
    let set = make(Kind::Set, &PyList::empty(py))?;
    written("add_all", (settled(&set)?, once(items)?), py)?;
    Ok(set)
}

/// A dict of these pairs, those of a display; a dict that Python made of others, if none of them is the graph's.
pub fn dict_of<'py>(pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = pairs.py();
    if pairs.is_exact_instance_of::<PyDict>() {
        return list_of(pairs).map(|_| pairs.clone());
    }
    let mut staged = false;
    if session::is_tracing() {
        for pair in pairs.cast::<PyTuple>()?.iter() {
            staged |= is_staged_key(&pair.get_item(0)?)?;
        }
    }
    if !staged {
        return py.get_type::<PyDict>().call1((pairs,));
    }
    let dict = make(Kind::Dict, &PyList::empty(py))?;
    written("update", (settled(&dict)?, pairs), py)?;
    Ok(dict)
}

/// Callable for use in place of `set` or `dict` while a graph is built.
pub fn constructor<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    let Ok(class) = function.cast_exact::<PyType>() else { return Ok(None) };
    let of_ours = class.is(py.get_type::<PySet>()) || class.is(py.get_type::<PyDict>());
    if !of_ours || !session::is_tracing() {
        return Ok(None);
    }
    Ok(Some(Bound::new(py, Constructor(class.clone().unbind()))?.into_any()))
}

/// `set` or `dict` while a graph is built.
#[pyclass(frozen, name = "ContainerClass", module = "graphwright")]
#[derive(Debug)]
struct Constructor(Py<PyType>);

#[pymethods]
impl Constructor {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = self.0.bind(py);
        let args = &collected::all_items_of(args)?;
        library_calls::looked_after(class.as_any(), args, kwargs, || Self::make(class, args, kwargs))
    }
}

impl Constructor {
    fn make<'py>(
        class: &Bound<'py, PyType>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = class.py();
        let is_set = class.is(py.get_type::<PySet>());
        if is_set && args.is_empty() && kwargs.is_none_or(|kwargs| kwargs.is_empty()) {
            return set_of(args.as_any());
        }
        let items = args.iter().next().filter(|_| args.len() == 1 && kwargs.is_none_or(|k| k.is_empty()));
        let Some(items) = items else { return class.call(args, kwargs) };
        if is_set {
            return set_of(&items);
        }
        if class.is(py.get_type::<PyDict>()) && (is_staged(&items)? || list_of(&items)?.is_some()) {
            let dict = make(Kind::Dict, &PyList::empty(py))?;
            written("update", (settled(&dict)?, pairs_of(&items)?), py)?;
            return Ok(dict);
        }
        class.call1((items,))
    }
}
