//! Arrays and tables of other libraries among the arguments of a graph function.

use gw_base::Code;
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::session::libraries;
use crate::values::array;
use crate::values::tensor::Tensor;

/// Refuses an array or a table of another library as an argument, whose methods a graph does not have: `std` of torch divides by one
/// less than NumPy's.
///
/// Arrays of Arrow have elements that are taken, and no methods that compute.
pub fn refuse_other_methods(object: &Bound<'_, PyAny>, is_taken: bool) -> PyResult<()> {
    if object.is_instance_of::<Tensor>() || array::is_array(object) {
        return Ok(());
    }
    let class = object.get_type();
    let package = libraries::package_of_other_methods(&class)?;
    let Some(package) = package.filter(|package| !is_taken || *package != "pyarrow") else { return Ok(()) };
    let class = class.name()?;
    let message =
        format!("an argument is a `{class}` of {package}, and a graph takes tensors and NumPy arrays");
    let help = "give a tensor of its elements, `gw.constant(x)`, whose methods are NumPy's; of a table, column by column";
    Err(errors::here(object.py(), Code::NotATensor, message, help))
}
