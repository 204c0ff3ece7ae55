//! Chained comparisons and membership, each operand evaluated once.

use gw_base::Code;
use gw_ir::{Literal, ReduceOp};
use gw_trace::Staged;
use gw_trace::calls::{Call, is_among};
use gw_types::Scalar;
use pyo3::exceptions::{PySystemError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::calls::callable::callable;
use crate::containers::lists::{self, elements};
use crate::containers::tables;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host_calls::as_it_is::reaches_graph;
use crate::iteration::{collected, endless, loop_settings, progress};
use crate::operators::logic::{Later, and, not, or};
use crate::operators::{Decides, decides, registry, special_methods};
use crate::optional::{self, number_types};
use crate::session::recursion_limit;
use crate::values::tensor::Tensor;

pub mod members;
pub mod parts;

/// A link of a chain: the operator's text and a thunk for its right side.
pub type Link<'py> = (String, Bound<'py, PyAny>);

/// `left < a() < b()`: a link is evaluated only if those before it hold.
pub fn chain<'py>(left: Bound<'py, PyAny>, links: &[Link<'py>]) -> PyResult<Bound<'py, PyAny>> {
    let Some(((operator, right), rest)) = links.split_first() else { return Ok(left) };
    let right = recursion_limit::call(right, ())?;
    let holds = one(operator, &left, &right)?;
    if rest.is_empty() {
        return Ok(holds);
    }
    and(&holds, &Rest { left: right, links: rest })
}

/// The links of a chain after the first.
struct Rest<'a, 'py> {
    left: Bound<'py, PyAny>,
    links: &'a [Link<'py>],
}

impl<'py> Later<'py> for Rest<'_, 'py> {
    fn now(&self) -> PyResult<Bound<'py, PyAny>> {
        chain(self.left.clone(), self.links)
    }

    fn thunk(&self) -> PyResult<Bound<'py, PyAny>> {
        let left = self.left.clone().unbind();
        let own = |(symbol, operand): &Link<'py>| (symbol.clone(), operand.clone().unbind());
        let links: Vec<(String, Py<PyAny>)> = self.links.iter().map(own).collect();
        callable(self.left.py(), move |py| {
            let links: Vec<_> =
                links.iter().map(|(s, operand)| (s.clone(), operand.bind(py).clone())).collect();
            Ok(chain(left.bind(py).clone(), &links)?.unbind())
        })
    }

    fn blocks(&self) -> Vec<&Bound<'py, PyAny>> {
        self.links.iter().map(|(_, operand)| operand).collect()
    }
}

fn one<'py>(
    operator: &str,
    left: &Bound<'py, PyAny>,
    right: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    use pyo3::basic::CompareOp;
    let rich = match operator {
        "<" => CompareOp::Lt,
        "<=" => CompareOp::Le,
        ">" => CompareOp::Gt,
        ">=" => CompareOp::Ge,
        "==" => CompareOp::Eq,
        "!=" => CompareOp::Ne,
        "in" => return contains(left, right),
        "not in" => return not(&contains(left, right)?),
        "is" if right.is_none() => return optional::is_none(left),
        "is not" if right.is_none() => return not(&optional::is_none(left)?),
        "is" => return is(left, right),
        "is not" => {
            return match members::is_one(left, right)? {
                Some(answer) => not(&answer),
                None => number_types::is_not(left, right),
            };
        }
        other => return Err(PySystemError::new_err(format!("`{other}` does not compare"))),
    };
    parts::compare(left, right, rich)
}

/// `a is b`
pub fn is<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match members::is_one(a, b)? {
        Some(answer) => Ok(answer),
        None => number_types::is(a, b),
    }
}

fn truth(py: Python<'_>, value: bool) -> PyResult<Bound<'_, PyAny>> {
    Ok(value.into_pyobject(py)?.to_owned().into_any())
}

/// `item in container`: in a tensor, any element equal; in a list or tuple with a value that is not Python's on either
/// side, the items' comparisons joined by `or`; otherwise Python's own.
pub fn contains<'py>(item: &Bound<'py, PyAny>, container: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = item.py();
    if let Some(found) = collected::among(item, container)? {
        return Ok(found);
    }
    progress::advances(container)?;
    if let Some(list) = elements::staged(container) {
        return lists::contains(&list, item);
    }
    if let Some(found) = tables::contains(item, container)? {
        return Ok(found);
    }
    match decides(container)? {
        Decides::Python => {}
        Decides::Graph(..) => return holds(item, container),
        Decides::Backend(backend) => return backend.expression("contains", &[item, container], &[]),
    }
    if let Some(found) = special_methods::contains(item, container)? {
        return Ok(found);
    }
    if registry::may_decide_others() && is_sequence(container)? && any_staged(item, container)? {
        let items: Vec<_> = container.try_iter()?.collect::<PyResult<_>>()?;
        return any_equal(item, &items);
    }
    let is_iterator = progress::is_iterator(container);
    if is_iterator
        && endless::has_no_end(container, progress::is_iterator)?
        && matches!(decides(item)?, Decides::Python)
    {
        return among(item, container);
    }
    truth(py, container.contains(item)?)
}

/// True of lists and tuples, and of those of derived classes that look for an item as they do.
fn is_sequence(container: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (py, class) = (container.py(), container.get_type());
    let base = match () {
        () if container.is_instance_of::<PyTuple>() => py.get_type::<PyTuple>(),
        () if container.is_instance_of::<PyList>() => py.get_type::<PyList>(),
        () => return Ok(false),
    };
    let name = intern!(py, "__contains__");
    Ok(class.is(&base) || class.getattr(name)?.is(&base.getattr(name)?))
}

/// `item in iterator`, asked item by item as a loop does: Python may never come to it while a graph is built.
fn among<'py>(item: &Bound<'py, PyAny>, iterator: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let (py, mut watch) = (item.py(), loop_settings::Watch::begin());
    for one in iterator.try_iter()? {
        let one = one?;
        if one.is(item) || one.eq(item)? {
            return truth(py, true);
        }
        py.check_signals()?;
        watch.iterated(py)?;
    }
    truth(py, false)
}

/// True if any element of a tensor equals `item`.
pub fn holds<'py>(item: &Bound<'py, PyAny>, tensor: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let operand = operands::operand(tensor)?;
    if !operand.dtype().is_number() && operand.lengths().is_empty() {
        let message =
            "`in` looks for an element, but a single string has none; it does not look into the string";
        return Err(errors::here(
            item.py(),
            Code::BadArgument,
            message,
            "compare the strings, or look before they are tensors",
        ));
    }
    if operand.lengths().is_empty() {
        let kind = operand.dtype().kind().class_name();
        return Err(PyTypeError::new_err(format!("argument of type '{kind}' is not iterable")));
    }
    if let Some(answer) = is_in_range(&operand, item)? {
        return Ok(answer);
    }
    let plain = Bound::new(item.py(), Tensor::of(operands::payload(operand)))?;
    let equal = plain.rich_compare(item, pyo3::basic::CompareOp::Eq)?;
    operands::call(item.py(), &Call::Reduce { op: ReduceOp::Any, axes: None, keep: false }, &[&equal])
}

/// True if an integer is in a range of the graph, which is not looked through; nothing of any other tensor.
fn is_in_range<'py>(range: &Operand, item: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Operand::Staged(tracing, range) = range else { return Ok(None) };
    let dtype = tracing.trace.ty(range.value).dtype;
    let item_value = match operands::plain_operand(item)? {
        Some(Operand::Number(Scalar::Int(number))) if dtype.holds(number.into()) => {
            tracing.trace.constant(Literal::scalar(dtype, Scalar::Int(number))).value
        }
        Some(Operand::Number(_)) => return Ok(None),
        Some(operand) => operands::stage(tracing, &operand).value,
        None => return Ok(None),
    };
    let found = tracing.trace.build(|b| is_among(b, range.value, item_value));
    let found = found.map_err(|unfit| errors::unfit(item.py(), unfit))?;
    found
        .map(|value| operands::tensor(item.py(), Operand::Staged(tracing.clone(), Staged::strong(value))))
        .transpose()
}

/// True if `==` of an item and one of the container's may be an answer of the graph's.
fn any_staged(item: &Bound<'_, PyAny>, container: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_staged = |value: &Bound<'_, PyAny>| {
        Ok::<_, PyErr>(reaches_graph(value) || !matches!(decides(value)?, Decides::Python))
    };
    if is_staged(item)? {
        return Ok(true);
    }
    for other in container.try_iter()? {
        if is_staged(&other?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn any_equal<'py>(item: &Bound<'py, PyAny>, items: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    let Some((first, rest)) = items.split_first() else { return truth(item.py(), false) };
    let equal = parts::same_or_equal(first, item)?;
    if rest.is_empty() {
        return Ok(equal);
    }
    or(&equal, &Others { item, items: rest })
}

/// The items of a list that have not been compared yet.
struct Others<'a, 'py> {
    item: &'a Bound<'py, PyAny>,
    items: &'a [Bound<'py, PyAny>],
}

impl<'py> Later<'py> for Others<'_, 'py> {
    fn now(&self) -> PyResult<Bound<'py, PyAny>> {
        any_equal(self.item, self.items)
    }

    fn thunk(&self) -> PyResult<Bound<'py, PyAny>> {
        let item = self.item.clone().unbind();
        let items: Vec<Py<PyAny>> = self.items.iter().map(|item| item.clone().unbind()).collect();
        callable(self.item.py(), move |py| {
            let items: Vec<_> = items.iter().map(|item| item.bind(py).clone()).collect();
            Ok(any_equal(item.bind(py), &items)?.unbind())
        })
    }

    fn blocks(&self) -> Vec<&Bound<'py, PyAny>> {
        Vec::new()
    }
}
