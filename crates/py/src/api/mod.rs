//! The public functions, with TensorFlow's names and parameters where it has the thing.

mod arguments;
mod compositions;
mod conv;
mod create;
mod custom_op;
mod elementwise;
mod files;
mod holds;
mod interchange;
mod linalg;
mod networks;
mod patterns;
mod random;
mod reduce;
pub mod scatter;
mod shape;
mod strings;
mod wrapping;

use pyo3::prelude::*;

use crate::host::operands;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    compositions::register(module)?;
    conv::register(module)?;
    create::register(module)?;
    custom_op::register(module)?;
    elementwise::register(module)?;
    files::register(module)?;
    holds::register(module)?;
    interchange::register(module)?;
    linalg::register(module)?;
    networks::register(module)?;
    patterns::register(module)?;
    random::register(module)?;
    reduce::register(module)?;
    scatter::register(module)?;
    shape::register(module)?;
    strings::register(module)?;
    wrapping::register(module)?;
    module.add_function(wrap_pyfunction!(operands::check_results, module)?)?;
    module.add_function(wrap_pyfunction!(crate::operators::print::print_, module)?)
}
