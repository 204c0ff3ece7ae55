//! Arguments that a function stores into: the caller's tensors and NumPy arrays take the new elements after the run.

use gw_base::{Code, Diagnostic};
use gw_runtime::Buffer;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::function::bind_parameters::Written;
use crate::host::lent;
use crate::session::frames;
use crate::values::array;
use crate::values::cell::{self, Origin};
use crate::values::tensor::{Payload, Tensor};

/// Work that NumPy does at most to tell whether two arrays share an element; those for which it is not enough are refused.
const MOST_WORK: usize = 10_000;

/// The objects of a call that take new elements, which are some of those that `tensors` gives; an error if one of them cannot, before
/// anything runs.
pub fn targets<'py>(
    py: Python<'py>,
    written: &[Written],
    tensors: &dyn Fn() -> PyResult<Vec<Bound<'py, PyAny>>>,
    outside: &[(Py<Tensor>, Buffer)],
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    if written.is_empty() {
        return Ok(Vec::new());
    }
    let tensors = tensors()?;
    let mut targets = Vec::with_capacity(written.len());
    for one in written {
        let Some(target) = tensors.get(one.at) else { return Err(not_stored(py, one, "no tensor")) };
        judge(target, one)?;
        let others = tensors.iter().enumerate().filter(|(other, _)| *other != one.at);
        for (_, other) in others {
            if overlaps(target, other)? {
                return Err(twice(py, one));
            }
        }
        if outside.iter().any(|(other, _)| other.is(target)) {
            return Err(twice(py, one));
        }
        targets.push(target.clone());
    }
    Ok(targets)
}

/// Lets a run store into the memory of an object, if its input lies there.
pub fn let_change(input: &mut Buffer, target: &Bound<'_, PyAny>) {
    if let Ok(array) = target.cast::<PyUntypedArray>() {
        lent::let_change(input, array);
    }
}

/// Puts the new elements into the objects.
pub fn write(py: Python<'_>, targets: &[Bound<'_, PyAny>], elements: Vec<Buffer>) -> PyResult<()> {
    for (target, buffer) in targets.iter().zip(elements) {
        match target.cast::<Tensor>() {
            Ok(tensor) => drop(tensor.get().cell().replace(Payload::Eager(buffer))),
            Err(_) if lent::put(target, &buffer) => {}
            Err(_) => {
                let array = array::to_numpy(py, &buffer)?;
                py.import("numpy")?.call_method1("copyto", (target, array))?;
            }
        }
    }
    Ok(())
}

fn judge(target: &Bound<'_, PyAny>, written: &Written) -> PyResult<()> {
    let py = target.py();
    if let Ok(tensor) = target.cast::<Tensor>() {
        let part = tensor.get().origin() == Origin::Part;
        return if part { Err(cell::part(py)) } else { Ok(()) };
    }
    if !array::is_array(target) {
        return Err(not_stored(py, written, &format!("a `{}`", target.get_type().name()?)));
    }
    if let Ok(array) = target.cast::<PyUntypedArray>() {
        if lent::overlaps_itself(array) {
            return Err(folded(py, written));
        }
        if matches!(array.dtype().kind(), b'S' | b'U') {
            return Err(of_fixed_texts(py, written, &array.dtype().str()?.to_string()));
        }
        if lent::is_writeable(array) {
            return Ok(());
        }
    }
    Err(read_only(py, written))
}

fn overlaps(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    if a.is(b) {
        return Ok(true);
    }
    let (Ok(x), Ok(y)) = (a.cast::<PyUntypedArray>(), b.cast::<PyUntypedArray>()) else { return Ok(false) };
    if let (Some(x), Some(y)) = (lent::extent(x), lent::extent(y)) {
        return Ok(!x.is_empty() && !y.is_empty() && x.start < y.end && y.start < x.end);
    }
    let numpy = a.py().import("numpy")?;
    // The bounds tell most arrays apart; those of others may still lie between each other's elements.
    let is_near = numpy.call_method1("may_share_memory", (a, b))?.is_truthy()?;
    if !is_near {
        return Ok(false);
    }
    match numpy.call_method1("shares_memory", (a, b, MOST_WORK)) {
        Ok(shared) => shared.is_truthy(),
        // NumPy gave up.
        Err(error) if error.is_instance_of::<PyRuntimeError>(a.py()) => Ok(true),
        Err(error) => Err(error),
    }
}

fn not_stored(py: Python<'_>, written: &Written, found: &str) -> PyErr {
    let message = format!("`{}` is stored into by the function, but the call gives {found}", written.name);
    let help = "give a tensor or a NumPy array, which takes the elements";
    at_store(py, written, Diagnostic::new(Code::ArgumentChanged, message).help(help))
}

fn of_fixed_texts(py: Python<'_>, written: &Written, dtype: &str) -> PyErr {
    let message = format!(
        "`{}` is stored into by the function, and the call gives an array of `{dtype}`, which cuts texts to one length",
        written.name
    );
    let help = "give an array of objects, `x.astype(object)`, or return a tensor";
    at_store(py, written, Diagnostic::new(Code::ArgumentChanged, message).help(help))
}

fn read_only(py: Python<'_>, written: &Written) -> PyErr {
    let message = format!(
        "assignment destination is read-only: `{}` may be stored into by the function, which is asked before it runs",
        written.name
    );
    let help = "give a copy, `x.copy()`, or an array that may be stored into";
    at_store(py, written, Diagnostic::new(Code::ArgumentChanged, message).help(help))
}

fn twice(py: Python<'_>, written: &Written) -> PyErr {
    let name = &written.name;
    let message =
        format!("`{name}` is stored into by the function, which gets or uses the same array once more");
    let help = "give a copy, `x.copy()`, for one of them";
    at_store(py, written, Diagnostic::new(Code::StoreUnclear, message).help(help))
}

fn folded(py: Python<'_>, written: &Written) -> PyErr {
    let message =
        format!("`{}` is stored into by the function, and elements of it share memory", written.name);
    let help = "give a copy, `x.copy()`, in which each element has its own";
    at_store(py, written, Diagnostic::new(Code::StoreUnclear, message).help(help))
}

/// The error at the line of the store, and behind it at the call.
fn at_store(py: Python<'_>, written: &Written, found: Diagnostic) -> PyErr {
    let stored = written.place.clone().map(|at| (at, "stored into here"));
    let called = frames::place(py).map(|at| (at, "called here"));
    let places = stored.into_iter().chain(called);
    errors::raise(&places.fold(found, |found, (at, text)| found.at(at, text)))
}
