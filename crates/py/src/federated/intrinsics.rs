//! The intrinsics as functions of Python.

use gw_federated::intrinsics::calls::{self, Caller};
use pyo3::exceptions::PyDeprecationWarning;
use pyo3::prelude::*;

use crate::federated::computation_classes::{self, Value};
use crate::federated::contexts;
use crate::federated::python::{Block, PyHost, Ty};
use crate::federated::raised::Raised;
use crate::federated::to_value::{self, Expected};
use crate::federated::types::placements;

/// The arguments of a call.
struct Given<'a, 'py> {
    py: Python<'py>,
    arguments: &'a [&'a Bound<'py, PyAny>],
}

impl Caller<PyHost> for Given<'_, '_> {
    type Error = Raised;

    fn argument(&mut self, position: usize, hint: Option<&Ty>) -> Result<Block, Raised> {
        let expected = Expected { ty: None, parameter: hint, zip: false };
        Ok(to_value::to_value(self.arguments[position], expected)?)
    }

    fn bind(&mut self, block: Block) -> Result<Block, Raised> {
        Ok(contexts::bind(self.py, block, "an intrinsic")?)
    }
}

type Called<'py> = PyResult<Bound<'py, PyAny>>;

fn call<'a, 'py>(
    arguments: &'a [&'a Bound<'py, PyAny>],
    intrinsic: impl FnOnce(&mut Given<'a, 'py>) -> Result<Block, Raised>,
) -> Called<'py> {
    let py = arguments[0].py();
    computation_classes::value(py, intrinsic(&mut Given { py, arguments })?)
}

/// Aggregates the clients' values with a zero, an accumulator, a merge and a report.
///
/// `TypeError`: a parameter does not fit, by its name. Example: `federated_aggregate(v, 0, add, add, identity)`.
#[pyfunction]
fn federated_aggregate<'py>(
    value: &Bound<'py, PyAny>,
    zero: &Bound<'py, PyAny>,
    accumulate: &Bound<'py, PyAny>,
    merge: &Bound<'py, PyAny>,
    report: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[value, zero, accumulate, merge, report], calls::federated_aggregate)
}

/// Sends a value of the server to all clients.
///
/// `TypeError`: it is not at the server. Example: `federated_broadcast(model)`.
#[pyfunction]
fn federated_broadcast<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_broadcast)
}

/// Evaluates a function without parameters at each participant.
///
/// `ValueError`: the function has a parameter. Example: `federated_eval(draw, CLIENTS)`.
#[pyfunction]
fn federated_eval<'py>(r#fn: &Bound<'py, PyAny>, placement: &Bound<'py, PyAny>) -> Called<'py> {
    let placement = placements::read(placement, "placement")?;
    call(&[r#fn], |caller| calls::federated_eval(caller, placement))
}

/// Applies a function to the value of each participant; a struct of federated values is zipped first.
///
/// `TypeError`: the value is not federated or does not fit. Example: `federated_map(f, (x, y))`.
#[pyfunction]
fn federated_map<'py>(r#fn: &Bound<'py, PyAny>, arg: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[r#fn, arg], calls::federated_map)
}

/// Applies a function to a value that all clients share, which gives another one.
///
/// `TypeError`: the value is not at the clients or does not fit. Example: `federated_map_all_equal(f, x)`.
#[pyfunction]
fn federated_map_all_equal<'py>(r#fn: &Bound<'py, PyAny>, arg: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[r#fn, arg], calls::federated_map_all_equal)
}

/// Takes the greatest of the clients' values.
///
/// `TypeError`: it is not at the clients. `ValueError`: its type has no order. Example: `federated_max(x)`.
#[pyfunction]
fn federated_max<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_max)
}

/// Takes the mean of the clients' values, weighted by `weight`.
///
/// `TypeError`: the value has no mean, or the weight is no number. Example: `federated_mean(x, weight)`.
#[pyfunction]
#[pyo3(signature = (value, weight=None))]
fn federated_mean<'py>(value: &Bound<'py, PyAny>, weight: Option<&Bound<'py, PyAny>>) -> Called<'py> {
    let arguments: Vec<_> = [value].into_iter().chain(weight).collect();
    call(&arguments, |caller| calls::federated_mean(caller, weight.is_some()))
}

/// Takes the least of the clients' values.
///
/// `TypeError`: it is not at the clients. `ValueError`: its type has no order. Example: `federated_min(x)`.
#[pyfunction]
fn federated_min<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_min)
}

/// Selects slices of a value of the server by keys that the server does not learn.
///
/// `TypeError`: a parameter does not fit, by its name. Example: `federated_secure_select(keys, most, table, look_up)`.
#[pyfunction]
fn federated_secure_select<'py>(
    client_keys: &Bound<'py, PyAny>,
    max_key: &Bound<'py, PyAny>,
    server_val: &Bound<'py, PyAny>,
    select_fn: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[client_keys, max_key, server_val, select_fn], calls::federated_secure_select)
}

/// Adds up integers that the aggregator does not see, each at most `max_input`.
///
/// `TypeError`: the value is no integers, or the bound does not fit it. Example: `federated_secure_sum(x, 10)`.
#[pyfunction]
fn federated_secure_sum<'py>(value: &Bound<'py, PyAny>, max_input: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value, max_input], calls::federated_secure_sum)
}

/// Adds up integers that the aggregator does not see, each of at most `bitwidth` bits.
///
/// `TypeError`: the value is no integers, or the bound does not fit it. Example: `federated_secure_sum_bitwidth(x, 8)`.
#[pyfunction]
fn federated_secure_sum_bitwidth<'py>(
    value: &Bound<'py, PyAny>,
    bitwidth: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[value, bitwidth], calls::federated_secure_sum_bitwidth)
}

/// Selects slices of a value of the server by keys of the clients.
///
/// `TypeError`: a parameter does not fit, by its name. Example: `federated_select(keys, most, table, look_up)`.
#[pyfunction]
fn federated_select<'py>(
    client_keys: &Bound<'py, PyAny>,
    max_key: &Bound<'py, PyAny>,
    server_val: &Bound<'py, PyAny>,
    select_fn: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[client_keys, max_key, server_val, select_fn], calls::federated_select)
}

/// Adds up the clients' values.
///
/// `TypeError`: it is not at the clients, or cannot be added up. Example: `federated_sum(x)`.
#[pyfunction]
fn federated_sum<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_sum)
}

/// Places a constant.
///
/// `TypeError`: it has federated parts. Example: `federated_value(0, SERVER)`.
#[pyfunction]
fn federated_value<'py>(value: &Bound<'py, PyAny>, placement: &Bound<'py, PyAny>) -> Called<'py> {
    let placement = placements::read(placement, "placement")?;
    if value.is_instance_of::<Value>() {
        let category = value.py().get_type::<PyDeprecationWarning>();
        let message = c"`federated_value` of anything but a constant is deprecated; place the result of a \
                        `graph_computation` with `federated_eval`.";
        PyErr::warn(value.py(), &category, message, 1)?;
    }
    call(&[value], |caller| calls::federated_value(caller, placement))
}

/// Makes one federated value of a struct of federated values.
///
/// `ValueError`: it is no struct. `TypeError`: it has two placements. Example: `federated_zip((x, y))`.
#[pyfunction]
fn federated_zip<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_zip)
}

/// Applies a function to each element of a sequence, or of each sequence of a federated one.
///
/// `ValueError`: `fn` is no function. `TypeError`: it does not fit. Example: `sequence_map(f, s)`.
#[pyfunction]
fn sequence_map<'py>(r#fn: &Bound<'py, PyAny>, arg: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[r#fn, arg], calls::sequence_map)
}

/// Folds a sequence, or each sequence of a federated one.
///
/// `ValueError`: it is no sequence. `TypeError`: `zero` or `op` do not fit. Example: `sequence_reduce(s, 0, add)`.
#[pyfunction]
fn sequence_reduce<'py>(
    value: &Bound<'py, PyAny>,
    zero: &Bound<'py, PyAny>,
    op: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[value, zero, op], calls::sequence_reduce)
}

/// Adds up the elements of a sequence, or of each sequence of a federated one.
///
/// `ValueError`: it is no sequence. `TypeError`: its elements cannot be added up. Example: `sequence_sum(s)`.
#[pyfunction]
fn sequence_sum<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::sequence_sum)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(federated_aggregate, module)?)?;
    module.add_function(wrap_pyfunction!(federated_broadcast, module)?)?;
    module.add_function(wrap_pyfunction!(federated_eval, module)?)?;
    module.add_function(wrap_pyfunction!(federated_map, module)?)?;
    module.add_function(wrap_pyfunction!(federated_map_all_equal, module)?)?;
    module.add_function(wrap_pyfunction!(federated_max, module)?)?;
    module.add_function(wrap_pyfunction!(federated_mean, module)?)?;
    module.add_function(wrap_pyfunction!(federated_min, module)?)?;
    module.add_function(wrap_pyfunction!(federated_secure_select, module)?)?;
    module.add_function(wrap_pyfunction!(federated_secure_sum, module)?)?;
    module.add_function(wrap_pyfunction!(federated_secure_sum_bitwidth, module)?)?;
    module.add_function(wrap_pyfunction!(federated_select, module)?)?;
    module.add_function(wrap_pyfunction!(federated_sum, module)?)?;
    module.add_function(wrap_pyfunction!(federated_value, module)?)?;
    module.add_function(wrap_pyfunction!(federated_zip, module)?)?;
    module.add_function(wrap_pyfunction!(sequence_map, module)?)?;
    module.add_function(wrap_pyfunction!(sequence_reduce, module)?)?;
    module.add_function(wrap_pyfunction!(sequence_sum, module)?)
}
