//! The door of the federated language: Python objects become types, blocks and values of `gw_federated`, and back.

mod block_classes;
mod blocks;
mod computation_classes;
mod constants;
mod containers;
mod contexts;
mod decorators;
mod definitions;
mod intrinsics;
mod operators;
mod packed;
mod py_containers;
mod python;
mod raised;
mod secure_intrinsics;
mod serialized;
mod signatures;
mod structure;
mod to_value;
mod tracing;
mod transforms;
mod types;
mod values;

use pyo3::prelude::*;

/// Fills `graphwright._federated`, which is imported when `graphwright.federated` is: the classes take milliseconds to make.
#[pyfunction]
fn register_federated(module: &Bound<'_, PyModule>) -> PyResult<()> {
    raised::register(module)?;
    types::register(module)?;
    types::questions::register(module)?;
    types::placements::register(module)?;
    structure::register(module)?;
    block_classes::register(module)?;
    definitions::register(module)?;
    contexts::register(module)?;
    packed::register(module)?;
    decorators::register(module)?;
    intrinsics::register(module)?;
    secure_intrinsics::register(module)?;
    transforms::register(module)?;
    serialized::register(module)?;
    module.add_function(wrap_pyfunction!(to_value::to_value_object, module)?)?;
    module.delattr("__all__")
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(register_federated, module)?)
}
