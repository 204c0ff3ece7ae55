//! The secure intrinsics as functions of Python: those whose values the server, or the aggregator, does not see.

use gw_federated::intrinsics::calls;
use pyo3::prelude::*;

use crate::federated::intrinsics::{Called, call};

/// Selects slices of a value of the server by keys that the server does not learn.
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
///   ...     return tff.federated_secure_select(keys, tff.federated_value(3, tff.SERVER), table, pick)
///   >>> [[float(x) for x in one] for one in picked([[0, 2]], [1.0, 2.0, 3.0])]
///   [[1.0, 3.0]]
#[pyfunction]
fn federated_secure_select<'py>(
    client_keys: &Bound<'py, PyAny>,
    max_key: &Bound<'py, PyAny>,
    server_val: &Bound<'py, PyAny>,
    select_fn: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[client_keys, max_key, server_val, select_fn], calls::federated_secure_select)
}

/// Adds up integers that the aggregator does not see.
///
/// Args:
///   value: value at the clients, with the type of a numeric tensor or a struct of such of integers.
///   max_input: greatest value of a client.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: the values are no integers at the clients.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def total(x):
///   ...     return tff.federated_secure_sum(x, max_input=10)
///   >>> int(total([1, 2, 3]))
///   6
#[pyfunction]
fn federated_secure_sum<'py>(value: &Bound<'py, PyAny>, max_input: &Bound<'py, PyAny>) -> Called<'py> {
    call(&[value, max_input], calls::federated_secure_sum)
}

/// Adds up integers of bounded width that the aggregator does not see.
///
/// Args:
///   value: value at the clients, with the type of a numeric tensor or a struct of such of integers.
///   bitwidth: greatest number of bits of a client's value.
///
/// Returns:
///   Value at the server.
///
/// Raises:
///   TypeError: the values are no integers at the clients.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> @tff.federated_computation(tff.FederatedType(np.int32, tff.CLIENTS))
///   ... def total(x):
///   ...     return tff.federated_secure_sum_bitwidth(x, 4)
///   >>> int(total([1, 2, 3]))
///   6
#[pyfunction]
fn federated_secure_sum_bitwidth<'py>(
    value: &Bound<'py, PyAny>,
    bitwidth: &Bound<'py, PyAny>,
) -> Called<'py> {
    call(&[value, bitwidth], calls::federated_secure_sum_bitwidth)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(federated_secure_select, module)?)?;
    module.add_function(wrap_pyfunction!(federated_secure_sum, module)?)?;
    module.add_function(wrap_pyfunction!(federated_secure_sum_bitwidth, module)?)
}
