//! Arrays that become elements of lists in the graph.

use pyo3::prelude::*;

use crate::host::skeleton::Skeleton;
use crate::values::cell::Cell;
use crate::values::roots;
use crate::values::semantics::Semantics;
use crate::values::tensor::Tensor;

/// The arrays in an element are copied into the list's rows, so that what is stored into them later is refused.
pub fn part_with(item: &Bound<'_, PyAny>) -> PyResult<()> {
    let mut leaves = Vec::new();
    Skeleton::of(item, &mut leaves)?;
    for leaf in leaves {
        if let Ok(tensor) = leaf.bind(item.py()).cast::<Tensor>()
            && !tensor.get().is_number()
        {
            for cell in roots::cells(tensor.get()) {
                Cell::link(&cell, &Cell::of_nobody());
            }
        }
    }
    Ok(())
}

/// The same, where what is stored into a tensor that is no array is not to be seen.
pub fn part_with_arrays(item: &Bound<'_, PyAny>) -> PyResult<()> {
    match item.cast::<Tensor>().map(|tensor| tensor.get().semantics()) {
        Ok(Semantics::Reference) => part_with(item),
        Ok(Semantics::Value | Semantics::Unknown) | Err(_) => Ok(()),
    }
}
