//! Services of the native half for the package's table of Python's own functions, `graphwright._meanings`.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::Literal;
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::{DType, Number, Scalar};
use pyo3::exceptions::PySystemError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyRange, PyTuple};

use crate::containers::lists::{self, elements};
use crate::containers::tables::{self, entries};
use crate::exceptions::errors;
use crate::host::checks::{staged_test, staged_value};
use crate::host::lengths::length_of;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::shown_checks::put_check;
use crate::iteration::any_all;
use crate::iteration::comprehension::{self, Comprehension};
use crate::iteration::generators::{Generator, asked_last, generator};
use crate::iteration::iterable::{Iterable, Node};
use crate::iteration::staged_for::fold;
use crate::operators::compare::parts;
use crate::session::{self, Tracing};
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;

/// Adds the functions.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_tracing, module)?)?;
    module.add_function(wrap_pyfunction!(is_staged, module)?)?;
    module.add_function(wrap_pyfunction!(is_same_object, module)?)?;
    module.add_function(wrap_pyfunction!(parts::is_of_graph, module)?)?;
    module.add_function(wrap_pyfunction!(lists::take_last, module)?)?;
    module.add_function(wrap_pyfunction!(lists::order::in_order_of, module)?)?;
    module.add_function(wrap_pyfunction!(lists::placed::is_of_objects, module)?)?;
    module.add_function(wrap_pyfunction!(truth, module)?)?;
    module.add_function(wrap_pyfunction!(diagnosed, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(check_limit, module)?)?;
    module.add_function(wrap_pyfunction!(length, module)?)?;
    module.add_function(wrap_pyfunction!(any_all::any_of, module)?)?;
    module.add_function(wrap_pyfunction!(any_all::all_of, module)?)?;
    module.add_function(wrap_pyfunction!(fold, module)?)?;
    module.add("Comprehension", module.py().get_type::<Comprehension>())?;
    module.add_function(wrap_pyfunction!(comprehension::check_walked, module)?)?;
    module.add_function(wrap_pyfunction!(comprehension::check_key, module)?)?;
    module.add_function(wrap_pyfunction!(asked_last, module)?)?;
    module.add_function(wrap_pyfunction!(rows, module)?)?;
    module.add_function(wrap_pyfunction!(counted, module)?)?;
    module.add_function(wrap_pyfunction!(zipped, module)?)?;
    module.add_function(wrap_pyfunction!(backwards, module)?)?;
    module.add_function(wrap_pyfunction!(mapped, module)?)?;
    module.add_function(wrap_pyfunction!(filtered, module)?)
}

/// True if a graph is being built.
#[pyfunction]
fn is_tracing() -> bool {
    session::is_tracing()
}

/// True if two names have one object, as Python asks before it compares parts of tuples.
#[pyfunction]
fn is_same_object(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    a.is(b)
}

/// True if an object is a list, dict or set in the graph, or a view of one.
pub fn in_graph(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_view = object.is_instance_of::<tables::View>();
    Ok(is_view || elements::staged(object).is_some() || entries::list_of(object)?.is_some())
}

/// True if an object is a tensor while a graph is built, or an iterator over values of the graph.
#[pyfunction]
pub fn is_staged(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let iterated = object.is_instance_of::<Iterable>() || in_graph(object)?;
    Ok(iterated || staged_value(object)?.is_some())
}

/// The truth of an object: a bool of the graph or of Python.
#[pyfunction]
fn truth<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    match staged_test(object)? {
        Some((tracing, test)) => tensor(py, tracing, Staged::strong(test)),
        None => Ok(object.is_truthy()?.into_pyobject(py)?.to_owned().into_any()),
    }
}

fn tensor(py: Python<'_>, tracing: Arc<Tracing>, staged: Staged) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(py, Tensor::staged(tracing, staged))?.into_any())
}

/// The exception for a diagnostic at the user's line.
#[pyfunction]
fn diagnosed(py: Python<'_>, code: &str, message: &str, help: &str) -> PyErr {
    match Code::ALL.iter().find(|c| c.text() == code) {
        Some(&code) => errors::here(py, code, message, help),
        None => PySystemError::new_err(format!("`{code}` is not a diagnostic")),
    }
}

/// Fails as the exception `kind` when the graph runs, unless `ok`; the message may hold tensors.
#[pyfunction]
#[pyo3(signature = (ok, kind, *parts))]
fn check(py: Python<'_>, ok: &Bound<'_, PyAny>, kind: &str, parts: &Bound<'_, PyTuple>) -> PyResult<()> {
    put_check(py, ok, kind, parts, false)
}

/// The same for a limit of the graph, where Python raises nothing: no handler of the program catches it.
#[pyfunction]
#[pyo3(signature = (ok, kind, *parts))]
fn check_limit(
    py: Python<'_>,
    ok: &Bound<'_, PyAny>,
    kind: &str,
    parts: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    put_check(py, ok, kind, parts, true)
}

/// `len(x)`: a Python number where the length is known, a value of the graph where it is not.
#[pyfunction]
fn length<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if matches!(operands::operand(x)?, Operand::Staged(..))
        && operands::operand(x)?.lengths().first() == Some(&None)
    {
        return length_of(x, 0);
    }
    Ok(x.len()?.into_pyobject(x.py())?.into_any())
}

/// An iterator over the rows of a tensor; `None` for what the graph does not iterate.
#[pyfunction]
pub fn rows<'py>(items: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    one(items, |inner| inner)
}

/// `enumerate(items, start)` in the graph; `None` for what the graph does not iterate.
#[pyfunction]
fn counted<'py>(items: &Bound<'py, PyAny>, start: Py<PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let start = Arc::new(start);
    one(items, |inner| Node::Counted(start, Box::new(inner)))
}

/// `reversed(items)` in the graph; `None` for what the graph does not iterate.
#[pyfunction]
fn backwards<'py>(items: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if items.is_instance_of::<Iterable>() {
        return Ok(None);
    }
    one(items, |inner| Node::Backwards(Box::new(inner)))
}

/// `filter(test, items)` in the graph; `None` for what the graph does not iterate.
#[pyfunction]
fn filtered<'py>(test: Py<PyAny>, items: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let test = Arc::new(test);
    one(items, |inner| Node::Filtered(test, Box::new(inner)))
}

/// `(element for target in items if test)` in the graph: `parts((item,))` gives test and element thunk.
pub fn generated<'py>(
    items: &Bound<'py, PyAny>,
    parts: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if items.is_instance_of::<Generator>() {
        return generator("generated", &PyTuple::new(items.py(), [items, parts])?).map(Some);
    }
    let parts = Arc::new(parts.clone().unbind());
    one(items, |inner| Node::Generated(parts, Box::new(inner)))
}

/// `zip(*items)` in the graph; `None` if the graph does not iterate all of them.
#[pyfunction]
#[pyo3(signature = (*items))]
fn zipped<'py>(items: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    several(items, Node::Zipped)
}

/// `map(function, *items)` in the graph; `None` if the graph does not iterate all of them.
#[pyfunction]
#[pyo3(signature = (function, *items))]
fn mapped<'py>(function: Py<PyAny>, items: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let function = Arc::new(function);
    several(items, |nodes| Node::Mapped(function, nodes))
}

fn one<'py>(
    items: &Bound<'py, PyAny>,
    wrap: impl FnOnce(Node) -> Node,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = items.py();
    let Some(tracing) = session::current().filter(|_| is_staged(items).unwrap_or(true)) else {
        return Ok(None);
    };
    let Some(node) = node(&tracing, items)? else { return Ok(None) };
    let node = wrap(node);
    if let Node::Counted(_, inner) | Node::Backwards(inner) = &node
        && inner.tests()
    {
        return Err(uncountable(py));
    }
    Iterable::make(py, node).map(Some)
}

fn several<'py>(
    items: &Bound<'py, PyTuple>,
    join: impl FnOnce(Vec<Node>) -> Node,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = items.py();
    let Some(tracing) = session::current() else { return Ok(None) };
    let live = items.iter().map(|i| is_staged(&i)).collect::<PyResult<Vec<_>>>()?;
    if !live.contains(&true)
        || !items.iter().map(|i| fits(&i)).collect::<PyResult<Vec<_>>>()?.iter().all(|&f| f)
    {
        return Ok(None);
    }
    let Some(nodes) = items.iter().map(|i| node(&tracing, &i)).collect::<PyResult<Option<Vec<_>>>>()? else {
        return Ok(None);
    };
    if nodes.len() > 1 {
        check_in_step(py, &tracing, &nodes)?;
    }
    Iterable::make(py, join(nodes)).map(Some)
}

/// Iterators side by side are fetched from as long as each has an item, which matters where fetching runs code.
fn check_in_step(py: Python<'_>, tracing: &Tracing, nodes: &[Node]) -> PyResult<()> {
    if nodes.iter().any(Node::tests) {
        return Err(uncountable(py));
    }
    let dims = nodes.iter().map(|n| n.dim(py, tracing)).collect::<PyResult<Vec<_>>>()?;
    let same = dims[0].is_some() && dims.iter().all(|d| *d == dims[0]);
    if same || !nodes.iter().any(Node::runs_code) {
        return Ok(());
    }
    let message = "these iterators may end at different times, and fetching from one of them runs a function";
    let help = "call the function in the body of the loop";
    Err(errors::here(py, Code::TensorIterated, message, help))
}

fn uncountable(py: Python<'_>) -> PyErr {
    let message = "items that pass a test are counted or paired here, but how many pass is known only when the graph runs";
    let help = "loop over all items, and test and count in the body of the loop";
    errors::here(py, Code::TensorIterated, message, help)
}

/// True if [`node`] gives something, without consequences.
fn fits(items: &Bound<'_, PyAny>) -> PyResult<bool> {
    let iterated = items.is_instance_of::<Iterable>() || in_graph(items)?;
    if iterated || items.is_exact_instance_of::<PyRange>() {
        return Ok(true);
    }
    if items.is_exact_instance_of::<PyList>() || items.is_exact_instance_of::<PyTuple>() {
        return Ok(alike(items)?.is_some());
    }
    Ok(operands::plain_operand(items)?.is_some_and(|operand| !operand.lengths().is_empty()))
}

/// Node that the graph iterates for an object. A list may not change until the iteration ends.
fn node(tracing: &Arc<Tracing>, items: &Bound<'_, PyAny>) -> PyResult<Option<Node>> {
    if let Some(found) = tables::iterated(items, true)? {
        let node = node_of(tracing, found.items.as_any())?;
        let inside = lists::Followed::new(&found.inside);
        return Ok(node.map(|node| Node::Followed(Arc::new(inside), Box::new(node))));
    }
    let node = node_of(tracing, items)?;
    let Ok(list) = items.cast_exact::<PyList>() else { return Ok(node) };
    Ok(node.map(|node| Node::Followed(Arc::new(lists::Followed::new(list)), Box::new(node))))
}

fn node_of(tracing: &Arc<Tracing>, items: &Bound<'_, PyAny>) -> PyResult<Option<Node>> {
    let py = items.py();
    if let Ok(iterable) = items.cast::<Iterable>() {
        return iterable.get().take(py);
    }
    if let Some(node) = lists::followed(items)? {
        return Ok(Some(node));
    }
    if let Ok(range) = items.cast_exact::<PyRange>() {
        let bound = |name: &str| range.getattr(name)?.extract::<i64>();
        return Ok(Some(Node::Range(bound("start")?, bound("step")?, range.len()?)));
    }
    let rows = if let Some(array) = array(items) {
        if array.get().semantics() != Semantics::Value {
            array.get().cell().hold();
        }
        items.clone()
    } else if items.is_exact_instance_of::<PyList>() || items.is_exact_instance_of::<PyTuple>() {
        match alike(items)? {
            Some(alike) => {
                // Its arrays are copied here: what is stored into them later would not be seen.
                items.try_iter()?.try_for_each(|item| lists::part_with_arrays(&item?))?;
                stacked(py, tracing, alike)?
            }
            None => return Ok(None),
        }
    } else {
        match operands::plain_operand(items)? {
            Some(operand) if !operand.lengths().is_empty() => operands::tensor(py, operand)?,
            Some(_) | None => return Ok(None),
        }
    };
    Ok(Some(Node::Rows(Arc::new(rows.unbind()))))
}

/// A tensor of the graph, whose rows are read one by one.
fn array<'a, 'py>(items: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, Tensor>> {
    let tensor = items.cast::<Tensor>().ok()?;
    (tensor.get().is_staged() && !tensor.get().is_number()).then_some(tensor)
}

/// Items of one type and shape.
enum Alike {
    Numbers(DType, Number, Vec<Scalar>),
    Tensors(Vec<Operand>),
}

/// The items of a list, if a tensor can hold them as they are.
fn alike(items: &Bound<'_, PyAny>) -> PyResult<Option<Alike>> {
    let mut numbers = Vec::new();
    let mut tensors: Vec<Operand> = Vec::new();
    for item in items.try_iter()? {
        match operands::plain_operand(&item?)? {
            Some(Operand::Number(n)) => numbers.push(n),
            Some(Operand::Staged(_, staged)) if staged.weak.is_some() => return Ok(None),
            Some(tensor) => tensors.push(tensor),
            None => return Ok(None),
        }
    }
    if let (Some(first), true) = (numbers.first(), tensors.is_empty()) {
        let Some(kind) = Number::of(*first) else { return Ok(None) };
        let same = numbers.iter().all(|n| n.kind() == first.kind());
        return Ok(same.then(|| Alike::Numbers(kind.own_dtype(), kind, numbers)));
    }
    let same = |a: &Operand, b: &Operand| {
        a.dtype() == b.dtype() && a.lengths() == b.lengths() && !a.lengths().contains(&None)
    };
    let same = numbers.is_empty() && !tensors.is_empty() && tensors.iter().all(|t| same(t, &tensors[0]));
    Ok(same.then_some(Alike::Tensors(tensors)))
}

fn stacked<'py>(py: Python<'py>, tracing: &Arc<Tracing>, items: Alike) -> PyResult<Bound<'py, PyAny>> {
    match items {
        Alike::Numbers(dtype, kind, numbers) => {
            let literal = Literal::from_scalars(dtype, vec![numbers.len()], &numbers);
            let value = tracing.trace.constant(literal).value;
            tensor(py, tracing.clone(), Staged { value, weak: Some(kind) })
        }
        Alike::Tensors(tensors) => {
            operands::tensor(py, operands::apply(py, &Call::Stack { axis: 0 }, tensors)?)
        }
    }
}
