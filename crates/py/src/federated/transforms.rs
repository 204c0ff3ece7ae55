//! Walks over blocks in Python.

use gw_federated::blocks::{names, transform};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::federated::block_classes;
use crate::federated::python::Block;
use crate::federated::raised::Raised;

fn block(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Block> {
    let refused = || {
        PyTypeError::new_err(format!(
            "Expected `{name}` to be a building block, found {}.",
            object.get_type()
        ))
    };
    block_classes::read(object).ok_or_else(refused)
}

/// Calls the user's function, which returns a block and a truth value that says if it is another one.
fn replaced(function: &Bound<'_, PyAny>, part: &Block) -> Result<Option<Block>, Raised> {
    let returned = function.call1((block_classes::handle(function.py(), part)?,))?;
    let pair: PyResult<(Bound<'_, PyAny>, bool)> = returned.extract();
    let Ok((new, modified)) = pair else {
        let found = returned.repr()?;
        let message = format!("Expected `transform` to return a pair of a block and a bool, found {found}.");
        return Err(PyTypeError::new_err(message).into());
    };
    let new = block(&new, "transform")?;
    Ok(if modified || !new.is(part) { Some(new) } else { None })
}

type Transformed<'py> = (Bound<'py, PyAny>, bool);

fn finished<'py>(
    comp: &Bound<'py, PyAny>,
    result: Result<Option<Block>, Raised>,
) -> PyResult<Transformed<'py>> {
    match result? {
        None => Ok((comp.clone(), false)),
        Some(new) => Ok((block_classes::handle(comp.py(), &new)?, true)),
    }
}

/// Replaces blocks from the leaves up; other blocks stay the same objects.
///
/// `transform` returns a block and a bool that says if it is another one.
///
/// Args:
///   comp: building block.
///   transform: function of a block that returns the new one and whether it is new.
///
/// Returns:
///   Pair of the block and whether anything was replaced.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> block = tff.framework.Literal(7, tff.TensorType(np.int32))
///   >>> tff.framework.transform_postorder(block, lambda b: (b, False))[1]
///   False
#[pyfunction]
fn transform_postorder<'py>(
    comp: &Bound<'py, PyAny>,
    transform: &Bound<'py, PyAny>,
) -> PyResult<Transformed<'py>> {
    let root = block(comp, "comp")?;
    finished(comp, transform::postorder(&root, &mut |part| replaced(transform, part)))
}

/// Replaces blocks from the root down, not going into replaced ones.
///
/// `transform` returns a block and a bool that says if it is another one.
///
/// Args:
///   comp: building block.
///   transform: function of a block that returns the new one and whether it is new.
///
/// Returns:
///   Pair of the block and whether anything was replaced.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> block = tff.framework.Literal(7, tff.TensorType(np.int32))
///   >>> tff.framework.transform_preorder(block, lambda b: (b, False))[1]
///   False
#[pyfunction]
fn transform_preorder<'py>(
    comp: &Bound<'py, PyAny>,
    transform: &Bound<'py, PyAny>,
) -> PyResult<Transformed<'py>> {
    let root = block(comp, "comp")?;
    finished(comp, transform::preorder(&root, &mut |part| replaced(transform, part)))
}

/// Names that a block does not have: a prefix and a number.
#[pyclass(module = "graphwright.federated")]
struct UniqueNames {
    prefix: String,
    next: u64,
}

#[pymethods]
impl UniqueNames {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> String {
        self.next += 1;
        format!("{}{}", self.prefix, self.next)
    }
}

/// Iterates over names that do not occur in a block.
///
/// Args:
///   comp: building block, or `None`.
///   prefix: beginning of the names.
///
/// Returns:
///   Iterator of names.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> names = tff.framework.unique_name_generator(None, "_x")
///   >>> next(names), next(names)
///   ('_x1', '_x2')
#[pyfunction]
#[pyo3(signature = (comp, prefix="_var"))]
fn unique_name_generator(comp: &Bound<'_, PyAny>, prefix: &str) -> PyResult<UniqueNames> {
    let root = if comp.is_none() { None } else { Some(block(comp, "comp")?) };
    Ok(UniqueNames { prefix: names::unused_prefix(root.as_ref(), prefix), next: 0 })
}

/// Returns the names that a block refers to and does not define.
///
/// Args:
///   comp: building block.
///
/// Returns:
///   Set of names.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> set(tff.framework.unbound_names(tff.framework.Reference("x", tff.TensorType(np.int32))))
///   {'x'}
#[pyfunction]
fn unbound_names(comp: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let root = block(comp, "comp")?;
    Ok(names::unbound_names(&root).iter().map(|name| name.to_string()).collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<UniqueNames>()?;
    module.add_function(wrap_pyfunction!(transform_postorder, module)?)?;
    module.add_function(wrap_pyfunction!(transform_preorder, module)?)?;
    module.add_function(wrap_pyfunction!(unique_name_generator, module)?)?;
    module.add_function(wrap_pyfunction!(unbound_names, module)?)
}
