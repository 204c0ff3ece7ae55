//! The methods of lists, for elements in the graph. `append`, `clear` and `copy` are Python's own, which never look at an
//! element, and so is `extend` with a list; where lists were chosen from others, what a method changes is carried on to those.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use gw_trace::{Staged, objects};

use super::access::{self, Index};
use super::elements::{elements, has_rows, len, may_fill, only, refused, staged};
use super::{nested, order, placed};
use crate::containers::heap::heap;
use crate::containers::list_object::ListObject;
use crate::containers::tables;
use crate::effects::alias;
use crate::host::checks::is_staged_index;
use crate::host::messages::Message;
use crate::host::operands;
use crate::host_calls::as_it_is::reaches_graph;
use crate::iteration::collected;
use crate::operators::builtin_table::{is_staged, rows};
use crate::session;
use crate::values::tensor::{Payload, Tensor};

/// A method that has to know the elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Pop,
    Insert,
    Remove,
    Index,
    Count,
    Reverse,
    Sort,
    Extend,
    Append,
    Clear,
}

const NAMES: &[(&str, Name)] = &[
    ("pop", Name::Pop),
    ("insert", Name::Insert),
    ("remove", Name::Remove),
    ("index", Name::Index),
    ("count", Name::Count),
    ("reverse", Name::Reverse),
    ("sort", Name::Sort),
    ("extend", Name::Extend),
    ("append", Name::Append),
    ("clear", Name::Clear),
];

impl Name {
    /// True if Python's own method never looks at an element.
    fn is_pythons(self) -> bool {
        matches!(self, Name::Append | Name::Clear)
    }

    fn changes(self) -> bool {
        !matches!(self, Name::Index | Name::Count)
    }
}

/// A method of a list while a graph is built.
#[pyclass(frozen, name = "ListMethod", module = "graphwright")]
#[derive(Debug)]
struct Method {
    list: Py<PyList>,
    name: Name,
    original: Py<PyAny>,
}

/// Callable for use in place of `original`, the method of this name of `owner`, while a graph is being built.
pub fn method<'py>(
    owner: &Bound<'py, PyAny>,
    name: &str,
    original: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(list) = owner.cast_exact::<PyList>() else { return Ok(None) };
    let Some(&(_, name)) = NAMES.iter().find(|(text, _)| *text == name) else { return Ok(None) };
    if name.is_pythons() && session::current().is_none_or(|tracing| tracing.lists().chosen.is_empty()) {
        return Ok(None);
    }
    let method = Method { list: list.clone().unbind(), name, original: original.clone().unbind() };
    Ok(Some(Bound::new(owner.py(), method)?.into_any()))
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
        let list = self.list.bind(py);
        let args = &if self.name == Name::Extend { collected::all_items_of(args)? } else { args.clone() };
        let call = || self.call(list, args, kwargs);
        if self.name.changes() { nested::changing(list, call) } else { call() }
    }
}

impl Method {
    fn call<'py>(
        &self,
        list: &Bound<'py, PyList>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = list.py();
        if matches!(self.name, Name::Remove | Name::Index | Name::Count) {
            args.iter().try_for_each(|arg| alias::check_identity(&arg))?;
        }
        if self.name == Name::Sort
            && staged(list).is_none()
            && reaches_graph(list.as_any())
            && (kwargs.is_some() || !self.is_staged(list, args)?)
        {
            let sorted = py.import("graphwright._meanings.iterables")?.getattr("sorted")?;
            list.set_slice(0, list.len(), &sorted.call((list,), kwargs)?)?;
            return Ok(py.None().into_bound(py));
        }
        if !self.is_staged(list, args)? {
            return self.original.bind(py).call(args, kwargs);
        }
        let none = py.None().into_bound(py);
        let arg = |at: usize| args.get_item(at);
        Ok(match (self.name, args.len()) {
            (Name::Pop, 0) => access::remove_at(list, &Index::Known(-1), "pop from empty list")?,
            (Name::Pop, 1) => {
                access::remove_at(list, &access::index_of(&arg(0)?)?, "pop index out of range")?
            }
            (Name::Insert, 2) => {
                access::insert(list, &access::index_of(&arg(0)?)?, &arg(1)?)?;
                none
            }
            (Name::Remove, 1) => {
                let text = "list.remove(x): x not in list";
                let at = access::find(list, &arg(0)?, text.into_pyobject(py)?.as_any())?;
                access::remove_at(list, &at, text)?;
                none
            }
            (Name::Index, 1) => access::shown(py, access::find(list, &arg(0)?, &not_in_list(&arg(0)?)?)?)?,
            (Name::Count, 1) => access::count(list, &arg(0)?)?,
            (Name::Reverse, 0) => {
                objects::reverse(&heap(py)?, &ListObject::new(list))?;
                none
            }
            (Name::Sort, 0) => {
                order::sort(list, kwargs)?;
                none
            }
            (Name::Extend, 1) => {
                order::extend(list, &arg(0)?)?;
                none
            }
            (Name::Index, 2 | 3) => return Err(refused(py, "a part of a list in the graph is searched")),
            _ => return Err(PyValueError::new_err("a method of a list is called with wrong arguments")),
        })
    }

    /// True if the graph has to do it.
    fn is_staged(&self, list: &Bound<'_, PyList>, args: &Bound<'_, PyTuple>) -> PyResult<bool> {
        if self.name.is_pythons() {
            return Ok(false);
        }
        if staged(list).is_some() {
            // Elements that Python's own `extend` takes from another list are its rows.
            return Ok(self.name != Name::Extend || !args.iter().all(|arg| arg.is_instance_of::<PyList>()));
        }
        let any = |items: &mut dyn Iterator<Item = Bound<'_, PyAny>>| {
            for item in items {
                if is_staged(&item)? {
                    return Ok(true);
                }
            }
            Ok::<_, PyErr>(false)
        };
        match self.name {
            Name::Pop if may_fill(list) => Ok(true),
            Name::Pop | Name::Insert => Ok(args.iter().next().is_some_and(|at| is_staged_index(&at))),
            Name::Remove | Name::Index | Name::Count => Ok(any(&mut args.iter())? || any(&mut list.iter())?),
            Name::Sort => any(&mut list.iter()),
            Name::Reverse | Name::Append | Name::Clear => Ok(false),
            Name::Extend => any(&mut args.iter().filter(|arg| !arg.is_instance_of::<PyList>())),
        }
    }
}

/// Error of `list.index` for a value that is not there: Python shows the value or does not, as its version is.
fn not_in_list<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let text = match PyList::empty(py).call_method1("index", (0,)) {
        Ok(_) => String::new(),
        Err(error) => error.value(py).to_string(),
    };
    let Some(behind) = text.strip_prefix('0') else { return Ok(text.into_pyobject(py)?.into_any()) };
    let parts = PyTuple::new(py, [value.clone(), behind.into_pyobject(py)?.into_any()])?;
    Ok(Bound::new(py, Message::new(&parts)?)?.into_any())
}

/// Result of a function of Python's own for a list in the graph; nothing if it takes the elements as
/// [`argument`]s.
pub fn answer<'py>(
    name: &str,
    args: &Bound<'py, PyTuple>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(first) = args.iter().next() else { return Ok(None) };
    let py = first.py();
    let Some(list) = tables::staged(&first, name)? else { return Ok(None) };
    if name == "list" && args.len() == 1 {
        return Ok(Some(PyList::new(py, list.iter())?.into_any()));
    }
    if !has_rows(&list) && name == "len" {
        return Ok(Some(list.len().into_pyobject(py)?.into_any()));
    }
    if !has_rows(&list) && matches!(name, "bool" | "truth") {
        return Ok(Some((!list.is_empty()).into_pyobject(py)?.to_owned().into_any()));
    }
    if !has_rows(&list) {
        return Ok(None);
    }
    let Some(held) = elements(&list)? else { return Ok(None) };
    Ok(match name {
        "len" => Some(len(py, &held)?),
        "bool" | "truth" => {
            let tracing = heap(py)?.tracing().clone();
            let any = held.is_some(&tracing.trace);
            Some(Bound::new(py, Tensor::staged(tracing, Staged::strong(any)))?.into_any())
        }
        "sorted" => Some(order::sorted(&list, options)?),
        "max" | "min" if args.len() == 1 && options.is_none() && only(&held).is_none() => {
            Some(order::extreme(&list, name)?)
        }
        _ => None,
    })
}

/// The functions that run over a list later, change it, or ask for no element: they are given the list itself.
const LATER: [&str; 21] = [
    "type",
    "iter",
    "isinstance",
    "enumerate",
    "zip",
    "reversed",
    "map",
    "filter",
    "heapify",
    "heappop",
    "heappush",
    "heappushpop",
    "heapreplace",
    "accumulate",
    "chain",
    "dropwhile",
    "filterfalse",
    "islice",
    "pairwise",
    "starmap",
    "takewhile",
];

/// A list in the graph as what this function of Python's is given: a tensor, or an iterator over tuples.
pub fn argument<'py>(function: &str, arg: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if LATER.contains(&function) {
        return Ok(arg);
    }
    let Some(list) = tables::staged(&arg, function)? else { return Ok(arg) };
    if !has_rows(&list) {
        return Ok(list.into_any());
    }
    if matches!(function, "max" | "min") && placed::is_of_objects(list.as_any())? {
        // The one that is found is an element, which the program may change.
        return Ok(arg);
    }
    match elements(&list)?.as_ref().and_then(only) {
        Some(_) => operands::tensor(arg.py(), operands::operand(list.as_any())?),
        None => Ok(rows(list.as_any())?.unwrap_or(list.into_any())),
    }
}

/// Says of what a function gives for a list in the graph, `sum` for example, that it is a number of Python's if the items
/// are.
pub fn folded(args: &Bound<'_, PyTuple>, function: &str, given: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(Payload::Staged(tracing, staged)) = given.cast::<Tensor>().ok().map(|t| t.get().content())
    else {
        return Ok(());
    };
    for arg in args.iter().filter(|arg| arg.is_exact_instance_of::<PyList>()) {
        let held = tables::staged(&arg, function)?.map(|list| elements(&list)).transpose()?.flatten();
        if let Some(rows) = held.as_ref().and_then(only) {
            gw_trace::taken(&tracing.trace, rows.value, staged.value);
        }
    }
    Ok(())
}
