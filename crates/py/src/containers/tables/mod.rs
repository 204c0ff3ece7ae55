//! Python dicts and sets in the graph. The object stays what it is, so every name of it stays one dict; once a value of the
//! graph is a key, it holds one object, its *entries*, and these hold a list of the graph: of the pairs of a dict in the
//! order in which they came, of the elements of a set. What a statement changes of that list flows as any list's contents
//! do.
//!
//! The methods of dicts and sets are written in Python over these lists, in `graphwright._meanings.written_tables`.

mod carried;
pub mod entries;
mod items;
mod lookup;
pub mod loops;
pub mod making;
mod methods;
mod mixed_keys;
mod refill;
mod registry;
mod sets;
mod undisturbed;
mod view;

use gw_types::DType;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::containers::tables::entries::{Kind, refused};
use crate::effects::alias;
use crate::host::checks::is_staged_index;
use crate::optional::maybe::Maybe;
use crate::session::conv::conv;
use crate::values::tensor::Tensor;

pub use carried::Tables;
pub use items::{Items, Whole};
pub use lookup::{contains, register};
pub use methods::{constructor, dict_of, method, set_of};
pub use refill::{dict_class, keys_of, refill_dict, refill_set};
pub use undisturbed::{Undisturbed, iterated_table};
pub use view::{View, iterated, staged};

/// True if a value of the graph is a key, or in one; an error if that is a string, which would come back as other than
/// Python's.
pub fn is_staged_key(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(parts) = key.cast_exact::<PyTuple>() {
        return parts.iter().try_fold(false, |any, part| Ok(is_staged_key(&part)? || any));
    }
    let dtype = match (key.cast::<Tensor>(), key.cast::<Maybe>()) {
        (Ok(tensor), _) => Some(tensor.get().element()),
        (Err(_), Ok(maybe)) => Some(maybe.get().tracing.trace.ty(maybe.get().staged.value).dtype),
        (Err(_), Err(_)) => None,
    };
    let staged = is_staged_index(key);
    if dtype.is_none() {
        alias::check_identity(key)?;
    }
    if staged && dtype == Some(DType::Str) {
        return Err(refused(key.py(), "a string of the graph is the key of a dict or set"));
    }
    Ok(staged)
}

/// True if the graph decides which key is looked for, by a value or by a member of an enumeration that it chooses.
pub fn is_sought_by_graph(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(mixed_keys::has_member(key) || is_staged_key(key)?)
}

/// The result of a function of `graphwright._meanings.written_tables`.
pub fn written<'py>(
    name: &str,
    args: impl pyo3::call::PyCallArgs<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("graphwright._meanings.written_tables")?.getattr(name)?;
    conv(&function)?.call1(args)
}
