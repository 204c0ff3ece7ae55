//! Comparisons that Python makes part by part and turns into a `bool` at once: of tuples, of its own lists, of the fields of dataclasses,
//! and `!=` of objects that only say when they are equal. Where a part is of the graph, so is the answer.

use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyList, PyString, PyTuple, PyType};

use crate::containers::lists::{self, elements, placed};
use crate::convert::converted;
use crate::effects::alias;
use crate::effects::attributes::in_class;
use crate::host_calls::as_it_is::reaches_graph;
use crate::operators::compare::members;
use crate::operators::logic::not;
use crate::operators::object;
use crate::session::conv::conv;
use crate::session::{self, libraries, own_files};

/// A value that is compared.
#[pyclass(frozen, name = "Compared", module = "graphwright")]
#[derive(Debug)]
pub struct Compared(Py<PyAny>);

impl Compared {
    /// Stand-in for a value that is compared part by part; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if !session::is_tracing() || !has_parts(value)? {
            return Ok(value.clone());
        }
        Ok(Bound::new(value.py(), Compared(value.clone().unbind()))?.into_any())
    }
}

#[pymethods]
impl Compared {
    fn __richcmp__<'py>(&self, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Bound<'py, PyAny>> {
        compare(self.0.bind(other.py()), other, op)
    }
}

/// `left op right`
pub fn compare<'py>(
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
    op: CompareOp,
) -> PyResult<Bound<'py, PyAny>> {
    match of_graph(left, right, op)? {
        Some(answer) => Ok(answer),
        None => left.rich_compare(right, op),
    }
}

/// `a == b` as containers ask it.
pub fn same_or_equal<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match if a.is(b) { None } else { of_graph(a, b, CompareOp::Eq)? } {
        Some(answer) => Ok(answer),
        None => lists::same_or_equal(a, b),
    }
}

/// The answer where a part of one is of the graph; nothing where Python itself compares them.
fn of_graph<'py>(
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
    op: CompareOp,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let (Ok(a), Ok(b)) = (left.cast_exact::<PyList>(), right.cast_exact::<PyList>())
        && (elements::staged(left).is_some() || elements::staged(right).is_some())
    {
        return match op {
            CompareOp::Eq => lists::equal(a, b).map(Some),
            CompareOp::Ne => not(&lists::equal(a, b)?).map(Some),
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => Ok(None),
        };
    }
    if ["==", "!="].contains(&text(op))
        && let Some(answer) = members::equal(left, right)?
    {
        return if matches!(op, CompareOp::Ne) { not(&answer).map(Some) } else { Ok(Some(answer)) };
    }
    if ["==", "!="].contains(&text(op)) && is_known_by_identity(left)? && is_known_by_identity(right)? {
        if let Some(answer) = placed::is_one(left, right)? {
            return if matches!(op, CompareOp::Ne) { not(&answer).map(Some) } else { Ok(Some(answer)) };
        }
        // Where the graph decides which object one of them is, nobody knows.
        alias::is(left, right)?;
    }
    if !session::is_tracing() || !(has_parts(left)? && (reaches_graph(left) || reaches_graph(right))) {
        return Ok(None);
    }
    if matches!(op, CompareOp::Ne) && says_only_equal(left)? {
        let equal = left.rich_compare(right, CompareOp::Eq)?;
        let is_known = !equal.is(left.py().NotImplemented());
        return if is_known { not(&equal).map(Some) } else { Ok(None) };
    }
    if let Some(derived) = derived(left, op)? {
        let operators = object::the(left.py())?.into_any();
        return converted::convert(&derived, &operators)?.call1((left, right)).map(Some);
    }
    let Some([left, right]) = sequences(left, right, op)? else { return Ok(None) };
    let written = left.py().import("graphwright._meanings.written")?;
    conv(&written.getattr("compared")?)?.call1((left, right, text(op))).map(Some)
}

/// The method that `functools.total_ordering` derived from others for a comparison, if it did.
fn derived<'py>(value: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Option<Bound<'py, PyFunction>>> {
    let py = value.py();
    let Some((_, method)) = in_class(value, &PyString::intern(py, method(op))) else { return Ok(None) };
    let Ok(method) = method.cast_into::<PyFunction>() else { return Ok(None) };
    let module: String = method.getattr(intern!(py, "__module__"))?.extract().unwrap_or_default();
    Ok((module == "functools").then_some(method))
}

/// The parts of two values that Python compares in order.
fn sequences<'py>(
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
    op: CompareOp,
) -> PyResult<Option<[Bound<'py, PyAny>; 2]>> {
    let are_tuples = is_tuple(left)? && is_tuple(right)?;
    let are_lists = left.is_exact_instance_of::<PyList>() && right.is_exact_instance_of::<PyList>();
    if are_tuples || are_lists {
        return Ok(Some([left.clone(), right.clone()]));
    }
    if !right.get_type().is(left.get_type()) || !is_made_for_fields(left, op)? {
        return Ok(None);
    }
    let fields = |object: &Bound<'py, PyAny>| {
        let fields = object.getattr(intern!(object.py(), "__dataclass_fields__"))?.call_method0("values")?;
        let mut parts = Vec::new();
        for field in fields.try_iter()? {
            let field = field?;
            if field.getattr("compare")?.is_truthy()? {
                parts.push(object.getattr(field.getattr("name")?.cast::<PyString>()?)?);
            }
        }
        Ok::<_, PyErr>(PyTuple::new(object.py(), parts)?.into_any())
    };
    Ok(Some([fields(left)?, fields(right)?]))
}

/// True of a value whose comparisons may be part by part.
fn has_parts(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_exact_instance_of::<PyList>()
        || is_tuple(value)?
        || is_made_for_fields(value, CompareOp::Eq)?
        || is_derived(value)?
        || says_only_equal(value)?
        || is_known_by_identity(value)?)
}

/// True of a tuple whose class says nothing of its own about comparisons.
fn is_tuple(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (py, class) = (value.py(), value.get_type());
    if !value.is_instance_of::<PyTuple>() || class.is(py.get_type::<PyTuple>()) {
        return Ok(value.is_instance_of::<PyTuple>());
    }
    let tuple = py.get_type::<PyTuple>();
    let names = ["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"];
    for name in names {
        if !class.getattr(name)?.is(&tuple.getattr(name)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True if `dataclass` made the method of an object's class for this comparison.
fn is_made_for_fields(value: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<bool> {
    let py = value.py();
    if value.is_instance_of::<PyType>() || !value.get_type().hasattr(intern!(py, "__dataclass_fields__"))? {
        return Ok(false);
    }
    // `!=` asks `==`.
    let name = if matches!(op, CompareOp::Ne) { "__eq__" } else { method(op) };
    let Some((_, method)) = in_class(value, &PyString::intern(py, name)) else { return Ok(false) };
    let Some(code) = method.getattr_opt(intern!(py, "__code__"))? else { return Ok(false) };
    let file: String = code.getattr(intern!(py, "co_filename"))?.extract()?;
    Ok(own_files::is_made(&file, name) || file.ends_with("dataclasses.py"))
}

/// True if some comparison of an object is derived from another one.
fn is_derived(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    for op in [CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge] {
        if derived(value, op)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True of an object of the user's whose class says nothing about equality.
fn is_known_by_identity(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (py, class) = (value.py(), value.get_type());
    let name = intern!(py, "__eq__");
    let is_silent = class.getattr(name)?.is(&py.get_type::<PyAny>().getattr(name)?);
    Ok(is_silent && session::is_tracing() && libraries::is_users(class.as_any())?)
}

/// True of an object of the user's whose class says when two are equal, and nothing about `!=`.
fn says_only_equal(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (py, class) = (value.py(), value.get_type());
    let name = intern!(py, "__ne__");
    if !libraries::is_users(class.as_any())? || value.is_instance_of::<PyType>() {
        return Ok(false);
    }
    let is_silent = class.getattr(name)?.is(&py.get_type::<PyAny>().getattr(name)?);
    let equal = in_class(value, intern!(py, "__eq__"));
    Ok(is_silent && equal.is_some_and(|(_, method)| method.is_instance_of::<PyFunction>()))
}

fn method(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "__eq__",
        CompareOp::Ne => "__ne__",
        CompareOp::Lt => "__lt__",
        CompareOp::Le => "__le__",
        CompareOp::Gt => "__gt__",
        CompareOp::Ge => "__ge__",
    }
}

/// True if a value of the graph is an object, or in it.
#[pyfunction]
#[pyo3(name = "reaches_graph")]
pub fn is_of_graph(object: &Bound<'_, PyAny>) -> bool {
    reaches_graph(object)
}

fn text(op: CompareOp) -> &'static str {
    match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    }
}
