//! Members of enumerations: branches and loops of the graph join those of one class by their positions in it.
//!
//! ```python
//! state = State.IDLE
//! if x > 0: state = State.BUSY      # its position, a number of the graph
//! ```
//!
//! The members of a class are what they are for good, so a position says which one is meant. Members of a class that says itself when two
//! are equal, such as those that are numbers or texts too, have no positions here.

use pyo3::exceptions::PySystemError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyTuple, PyType};

use crate::optional::maybe::Maybe;
use crate::values::tensor::{Payload, Tensor};

/// A member of which the graph decides which one it is.
#[pyclass(frozen, name = "Member", module = "graphwright")]
#[derive(Debug)]
pub struct Member {
    /// The enumeration.
    pub class: Py<PyType>,
    /// The position, a number of the graph.
    pub position: Py<PyAny>,
}

/// The classes of Python's own for enumerations: of all, and of those whose members are joined by `|`.
fn enumerations(py: Python<'_>) -> PyResult<&[Py<PyAny>; 2]> {
    static CLASSES: PyOnceLock<[Py<PyAny>; 2]> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let module = py.import("enum")?;
        Ok([module.getattr("EnumMeta")?.unbind(), module.getattr("Flag")?.unbind()])
    })
}

/// True of an enumeration whose members are told apart by their identity alone.
fn has_positions(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let [kind, flag] = enumerations(py)?;
    if !class.as_any().is_instance(kind.bind(py))? || class.is_subclass(flag.bind(py))? {
        return Ok(false);
    }
    let equal = intern!(py, "__eq__");
    Ok(class.getattr(equal)?.is(&py.get_type::<PyAny>().getattr(equal)?))
}

/// The members of an enumeration, in order.
pub fn members<'py>(class: &Bound<'py, PyType>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = class.py();
    let all = class.getattr(intern!(py, "_member_map_"))?.cast_into::<PyDict>()?;
    let names = class.getattr(intern!(py, "_member_names_"))?;
    names.try_iter()?.map(|name| all.as_any().get_item(name?)).collect()
}

/// The position of a member in its class; nothing for any other object.
pub fn position(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let class = object.get_type();
    if class.get_type().is(object.py().get_type::<PyType>()) || !has_positions(&class)? {
        return Ok(None);
    }
    Ok(members(&class)?.iter().position(|member| member.is(object)))
}

/// The member at a position: itself where that is known, what stands for it where the graph decides.
pub fn at<'py>(class: &Bound<'py, PyType>, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let known = match position.cast::<Tensor>().map(|tensor| tensor.get().content()) {
        Ok(Payload::Eager(buffer)) => buffer.scalars().next().map(gw_types::Scalar::to_i64),
        Ok(Payload::Staged(..)) => None,
        Err(_) => match position.cast_exact::<PyInt>() {
            Ok(number) => Some(number.extract()?),
            // A description of the value, in its place; or a number in doubt, which is a value of the graph.
            Err(_) if position.is_instance_of::<Maybe>() => None,
            Err(_) => return Ok(position.clone()),
        },
    };
    let Some(known) = known else {
        let member = Member { class: class.clone().unbind(), position: position.clone().unbind() };
        return Ok(Bound::new(class.py(), member)?.into_any());
    };
    let member = usize::try_from(known).ok().and_then(|known| members(class).ok()?.into_iter().nth(known));
    member.ok_or_else(|| PySystemError::new_err("an enumeration lacks the member that a graph gives"))
}

/// `table[member]` of a dict, which is chosen among the items for the members that it has.
pub fn item<'py>(table: &Bound<'py, PyAny>, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(member) = key.cast::<Member>() else { return Ok(None) };
    let (py, this) = (key.py(), member.get());
    let all = PyTuple::new(py, members(this.class.bind(py))?)?;
    let meaning = py.import("graphwright._meanings.members")?.getattr("item")?;
    meaning.call1((table, all, &this.position)).map(Some)
}
