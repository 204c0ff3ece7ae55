//! Special methods that functions of Python's own call of an object, and constructors: converted as any other function where
//! values of the graph are in reach. Python judges their results.

use gw_ir::{CheckKind, Op};
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyString, PyTuple, PyType};

use crate::convert;
use crate::effects::attributes::in_class;
use crate::effects::tracked::Capture;
use crate::host::shown_checks;
use crate::host_calls::as_it_is::reaches_graph;
use crate::host_calls::host_value::HostValue;
use crate::operators::logic;
use crate::session::conv::conv;
use crate::session::{self, libraries};
use crate::values::tensor::{Payload, Tensor};

/// Functions of Python's own, and the methods that they call; the first one that a class has.
const CALLS: &[(&str, &[&str])] = &[
    ("abs", &["__abs__"]),
    ("bool", &["__bool__", "__len__"]),
    ("float", &["__float__"]),
    ("int", &["__int__"]),
    ("len", &["__len__"]),
    ("round", &["__round__"]),
];

/// The answer of a function of Python's own for an object of the user's that holds values of the graph; nothing for any other.
pub fn answer<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(object) = args.iter().next().filter(|_| session::is_tracing()) else { return Ok(None) };
    let class = object.get_type();
    if object.is_instance_of::<PyType>() || !libraries::is_users(class.as_any())? {
        return Ok(None);
    }
    let Some(method) = called_by(function, &object)? else { return Ok(None) };
    let Some((base, raw)) = in_class(&object, &method) else { return Ok(None) };
    if !libraries::is_users(&base)? || !(reaches_graph(&object) || asks_what_differs(&raw)?) {
        return Ok(None);
    }
    let rest = args.get_slice(1, args.len());
    let result = conv(&object.getattr(&method)?)?.call1(&rest)?;
    let judged = judged(function, &class, &method, &stand_in(&result)?, &rest)?;
    if !result.is_instance_of::<Tensor>() {
        return Ok(Some(judged));
    }
    if method == "__len__" {
        check_length(&result)?;
    }
    Ok(Some(result))
}

/// True of a function that asks what answers differently each time: converted it does so in each call of the graph. So it reads what
/// the graph takes from places around the function.
fn asks_what_differs(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    match session::current().filter(|_| function.is_instance_of::<PyFunction>()) {
        Some(tracing) => {
            let takes_places =
                tracing.captured().iter().any(|capture| matches!(capture, Capture::Location(_)));
            Ok(takes_places || tracing.asks_what_differs(function)?)
        }
        None => Ok(false),
    }
}

/// The iterator of the graph's that a container of the user's gives for itself; nothing for any other object. One that is an iterator
/// itself goes on as Python's.
pub fn iterator<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, class) = (object.py(), object.get_type());
    if !session::is_tracing()
        || !libraries::is_users(class.as_any())?
        || class.hasattr(intern!(py, "__next__"))?
    {
        return Ok(None);
    }
    let name = intern!(py, "__iter__");
    let Some((_, method)) = in_class(object, name) else { return Ok(None) };
    let Ok(method) = method.cast_into::<PyFunction>() else { return Ok(None) };
    if object.is_instance_of::<PyType>()
        || convert::makes_generator(&method.getattr(intern!(py, "__code__"))?)?
        || !reaches_graph(object)
    {
        return Ok(None);
    }
    conv(&object.getattr(name)?)?.call0().map(Some)
}

/// `item in object` where the object is the user's and says itself what is in it; nothing where the graph has no part in it.
pub fn contains<'py>(
    item: &Bound<'py, PyAny>,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let name = intern!(object.py(), "__contains__");
    if !session::is_tracing() || !libraries::is_users(object.get_type().as_any())? {
        return Ok(None);
    }
    let Some((_, method)) = in_class(object, name) else { return Ok(None) };
    if !method.is_instance_of::<PyFunction>() || !(reaches_graph(object) || reaches_graph(item)) {
        return Ok(None);
    }
    let found = conv(&object.getattr(name)?)?.call1((item,))?;
    logic::not(&logic::not(&found)?).map(Some)
}

/// `bool(object)` of the user's, as [`answer`] gives it.
pub fn truth<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    if object.is_instance_of::<HostValue>() {
        return object.call_method0(intern!(py, "_is_true")).map(Some);
    }
    answer(&py.import("builtins")?.getattr("bool")?, &PyTuple::new(py, [object])?)
}

/// The method that a function of Python's own calls of an object.
fn called_by<'py>(
    function: &Bound<'py, PyAny>,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = object.py();
    let known = py.import("builtins")?;
    for (name, methods) in CALLS {
        if function.is(&known.getattr(*name)?) {
            let mut methods = methods.iter().map(|method| PyString::intern(py, method));
            return Ok(methods.find(|method| in_class(object, method).is_some()));
        }
    }
    Ok(None)
}

/// A number or text of Python's of the kind that a result is; any other result itself.
fn stand_in<'py>(result: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let Ok(tensor) = result.cast::<Tensor>() else { return Ok(result.clone()) };
    let tensor = tensor.get();
    if tensor.ndim() > 0 {
        return Ok(result.clone());
    }
    result.py().import("builtins")?.getattr(tensor.element().kind().class_name())?.call0()
}

/// The answer of Python's own function for an object whose method gives this result: Python says so where it is none.
fn judged<'py>(
    function: &Bound<'py, PyAny>,
    class: &Bound<'py, PyType>,
    method: &Bound<'py, PyString>,
    result: &Bound<'py, PyAny>,
    rest: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, result) = (function.py(), result.clone().unbind());
    let gives = PyCFunction::new_closure(py, None, None, move |args, _| result.clone_ref(args.py()))?;
    let methods = PyDict::new(py);
    methods.set_item(method, gives)?;
    let object = py.get_type::<PyType>().call1((class.name()?, PyTuple::empty(py), methods))?.call0()?;
    let given: Vec<_> = [object].into_iter().chain(rest.iter()).collect();
    function.call1(PyTuple::new(py, given)?)
}

/// Lets the graph raise what Python does for a negative length. The number of elements of a list is none.
fn check_length(length: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = length.py();
    let Payload::Staged(tracing, staged) = length.cast::<Tensor>()?.get().content() else { return Ok(()) };
    let is_dim = tracing.trace.build(|b| {
        let graph = b.graph();
        graph.definer(staged.value).is_some_and(|node| graph.nodes[node].op == Op::Dim)
    });
    if is_dim {
        return Ok(());
    }
    let text = PyTuple::new(py, ["__len__() should return >= 0"])?;
    shown_checks::put_check(
        py,
        &length.rich_compare(0, CompareOp::Ge)?,
        CheckKind::Value.text(),
        &text,
        false,
    )
}

/// The object that a class of the user's makes of values of the graph: its `__init__` is converted as any other function. Nothing
/// if it has a way of its own to make objects, or none of them is in reach.
pub fn made<'py>(
    class: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    let object = py.get_type::<PyAny>();
    let is_plain = class.get_type().is(py.get_type::<PyType>()) && session::is_tracing();
    if !is_plain || !class.getattr(intern!(py, "__new__"))?.is(&object.getattr(intern!(py, "__new__"))?) {
        return Ok(None);
    }
    let Some((base, init)) = in_class(class, intern!(py, "__init__")) else { return Ok(None) };
    let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
    let is_ours = init.is_instance_of::<PyFunction>() && libraries::is_users(&base)?;
    let reaches = || args.iter().chain(named).any(|arg| reaches_graph(&arg));
    if !is_ours || !(asks_what_differs(&init)? || reaches()) {
        return Ok(None);
    }
    let made = class.call_method1(intern!(py, "__new__"), (class,))?;
    let given = conv(&made.getattr(intern!(py, "__init__"))?)?.call(args, kwargs)?;
    if given.is_none() {
        return Ok(Some(made));
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!("__init__() should return None, not '{kind}'")))
}

/// An object of the user's whose class says what its items are. CPython 3.11 may run its `__getitem__` without a call.
#[pyclass(frozen, name = "ObjectItems", module = "graphwright")]
#[derive(Debug)]
pub struct Items(Py<PyAny>);

impl Items {
    /// Stand-in for such an object; any other value itself.
    pub fn of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if !session::is_tracing() || !libraries::is_users(value.get_type().as_any())? {
            return Ok(value.clone());
        }
        match in_class(value, intern!(value.py(), "__getitem__")) {
            Some((_, method)) if method.is_instance_of::<PyFunction>() => {
                Ok(Bound::new(value.py(), Items(value.clone().unbind()))?.into_any())
            }
            Some(_) | None => Ok(value.clone()),
        }
    }
}

#[pymethods]
impl Items {
    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.0.bind(key.py()).get_item(key)
    }

    fn __setitem__(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.bind(key.py()).set_item(key, value)
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        self.0.bind(key.py()).del_item(key)
    }
}
