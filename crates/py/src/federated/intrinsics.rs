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
pub struct Given<'a, 'py> {
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

pub type Called<'py> = PyResult<Bound<'py, PyAny>>;

pub fn call<'a, 'py>(
    arguments: &'a [&'a Bound<'py, PyAny>],
    intrinsic: impl FnOnce(&mut Given<'a, 'py>) -> Result<Block, Raised>,
) -> Called<'py> {
    let py = arguments[0].py();
    computation_classes::value(py, intrinsic(&mut Given { py, arguments })?)
}

/// Aggregates the clients' values by a zero, an accumulator, a merge and a report.
///
/// Args:
///   value: value at the clients.
///   zero: first accumulator.
///   accumulate: computation of an accumulator and a value that returns the next accumulator.
///   merge: computation of two accumulators that returns one.
///   report: computation of the last accumulator that returns the result.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: a computation does not fit.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> add = tff.graph_computation(lambda a, b: a + b, [np.int32, np.int32])
///   >>> report = tff.graph_computation(lambda a: a * 10, np.int32)
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def total(x):
///   ...     return tff.federated_aggregate(x, 0, add, add, report)
///   >>> total([1, 2, 3])
///   np.int32(60)
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
/// Args:
///   value: value at the server.
///
/// Returns:
///   Value that all clients have alike.
///
/// Raises:
///   TypeError: the value is not at the server.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.SERVER))
///   ... def sent(x):
///   ...     return tff.federated_broadcast(x)
///   >>> str(sent.type_signature)
///   '(int32@SERVER -> int32@CLIENTS)'
#[pyfunction]
fn federated_broadcast<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_broadcast)
}

/// Evaluates a function without parameters at each participant.
///
/// Args:
///   fn: computation without parameters.
///   placement: `tff.CLIENTS` or `tff.SERVER`.
///
/// Returns:
///   Value at the placement.
///
/// Raises:
///   TypeError: the function takes an argument.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> seven = tff.graph_computation(lambda: 7)
///   >>> int(tff.federated_computation(lambda: tff.federated_eval(seven, tff.SERVER))())
///   7
#[pyfunction]
fn federated_eval<'py>(r#fn: &Bound<'py, PyAny>, placement: &Bound<'py, PyAny>) -> Called<'py> {
    let placement = placements::read(placement, "placement")?;
    call(&[r#fn], |caller| calls::federated_eval(caller, placement))
}

/// Applies a function to the value of each participant; structs of federated values are zipped first.
///
/// Args:
///   fn: computation of one value.
///   arg: value at the clients or the server.
///
/// Returns:
///   Value at the same placement.
///
/// Raises:
///   TypeError: the function does not take such values.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> twice = tff.graph_computation(lambda x: x * 2, np.int32)
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def doubled(x):
///   ...     return tff.federated_map(twice, x)
///   >>> [int(x) for x in doubled([1, 2, 3])]
///   [2, 4, 6]
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

/// Returns the greatest of the clients' values.
///
/// Args:
///   value: value at the clients, with the type of a numeric tensor or a struct of such.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: the values are no numbers at the clients.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def greatest(x):
///   ...     return tff.federated_max(x)
///   >>> int(greatest([1, 5, 3]))
///   5
#[pyfunction]
fn federated_max<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_max)
}

/// Computes the mean of the clients' values.
///
/// Args:
///   value: value at the clients, with the type of a numeric tensor or a struct of such of floats.
///   weight: weights at the clients, or `None`.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: the values are no floats at the clients.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.float32, tff.CLIENTS))
///   ... def mean(x):
///   ...     return tff.federated_mean(x)
///   >>> float(mean([1.0, 2.0, 6.0]))
///   3.0
#[pyfunction]
#[pyo3(signature = (value, weight=None))]
fn federated_mean<'py>(value: &Bound<'py, PyAny>, weight: Option<&Bound<'py, PyAny>>) -> Called<'py> {
    let arguments: Vec<_> = [value].into_iter().chain(weight).collect();
    call(&arguments, |caller| calls::federated_mean(caller, weight.is_some()))
}

/// Returns the least of the clients' values.
///
/// Args:
///   value: value at the clients, with the type of a numeric tensor or a struct of such.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: the values are no numbers at the clients.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def least(x):
///   ...     return tff.federated_min(x)
///   >>> int(least([4, 1, 3]))
///   1
#[pyfunction]
fn federated_min<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_min)
}

/// Selects slices of a value of the server by keys of the clients.
///
/// Args:
///   client_keys: vectors of `int32` keys at the clients.
///   max_key: number of keys, at the server.
///   server_val: value at the server.
///   select_fn: computation of the value and a key that returns a slice.
///
/// Returns:
///   Sequences of slices at the clients.
///
/// Raises:
///   TypeError: an argument does not fit.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> table = tff.TensorType(np.float32, [3])
///   >>> pick = tff.graph_computation(lambda t, key: t[key], [table, np.int32])
///   >>> keys = tff.FederatedType(tff.TensorType(np.int32, [2]), tff.CLIENTS)
///   >>> @tff.federated_computation(keys, tff.FederatedType(table, tff.SERVER))
///   ... def picked(keys, table):
///   ...     return tff.federated_select(keys, tff.federated_value(3, tff.SERVER), table, pick)
///   >>> [[float(x) for x in one] for one in picked([[0, 2]], [1.0, 2.0, 3.0])]
///   [[1.0, 3.0]]
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
/// Args:
///   value: value at the clients, with the type of a numeric tensor or a struct of such.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: the values are not at the clients, or cannot be added up.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def total(x):
///   ...     return tff.federated_sum(x)
///   >>> int(total([1, 2, 3]))
///   6
#[pyfunction]
fn federated_sum<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_sum)
}

/// Places a constant.
///
/// Args:
///   value: number, array or value.
///   placement: `tff.CLIENTS` or `tff.SERVER`.
///
/// Returns:
///   Value at the placement.
///
/// Raises:
///   TypeError: the value cannot be placed.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> int(tff.federated_computation(lambda: tff.federated_value(3, tff.SERVER))())
///   3
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
/// Args:
///   value: struct of values at one placement.
///
/// Returns:
///   Federated value of a struct.
///
/// Raises:
///   TypeError: the values are at different placements.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> numbers = tff.FederatedType(np.int32, tff.CLIENTS)
///   >>> @tff.federated_computation(numbers, numbers)
///   ... def pairs(x, y):
///   ...     return tff.federated_zip((x, y))
///   >>> [tuple(map(int, pair)) for pair in pairs([1, 2], [3, 4])]
///   [(1, 3), (2, 4)]
#[pyfunction]
fn federated_zip<'py>(value: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value], calls::federated_zip)
}

/// Applies a function to each element of a sequence, or of each sequence of a federated one.
///
/// Args:
///   fn: computation of one element.
///   arg: sequence.
///
/// Returns:
///   Sequence.
///
/// Raises:
///   TypeError: the function does not take such elements.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> twice = tff.graph_computation(lambda x: x * 2, np.int32)
///   >>> @tff.federated_computation(tff.SequenceType(np.int32))
///   ... def doubled(x):
///   ...     return tff.sequence_map(twice, x)
///   >>> [int(x) for x in doubled([1, 2, 3])]
///   [2, 4, 6]
#[pyfunction]
fn sequence_map<'py>(r#fn: &Bound<'py, PyAny>, arg: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[r#fn, arg], calls::sequence_map)
}

/// Folds a sequence, or each sequence of a federated one.
///
/// Args:
///   value: sequence.
///   zero: first accumulator.
///   op: computation of an accumulator and an element that returns the next accumulator.
///
/// Returns:
///   The last accumulator.
///
/// Raises:
///   TypeError: the computation does not fit.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> add = tff.graph_computation(lambda a, b: a + b, [np.int32, np.int32])
///   >>> @tff.federated_computation(tff.SequenceType(np.int32))
///   ... def total(x):
///   ...     return tff.sequence_reduce(x, 0, add)
///   >>> int(total([1, 2, 3]))
///   6
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
/// Args:
///   value: sequence of numbers.
///
/// Returns:
///   Value of the elements' type.
///
/// Raises:
///   TypeError: the value is no sequence of numbers.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.SequenceType(np.int32))
///   ... def total(x):
///   ...     return tff.sequence_sum(x)
///   >>> int(total([1, 2, 3]))
///   6
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
    module.add_function(wrap_pyfunction!(federated_select, module)?)?;
    module.add_function(wrap_pyfunction!(federated_sum, module)?)?;
    module.add_function(wrap_pyfunction!(federated_value, module)?)?;
    module.add_function(wrap_pyfunction!(federated_zip, module)?)?;
    module.add_function(wrap_pyfunction!(sequence_map, module)?)?;
    module.add_function(wrap_pyfunction!(sequence_reduce, module)?)?;
    module.add_function(wrap_pyfunction!(sequence_sum, module)?)
}
