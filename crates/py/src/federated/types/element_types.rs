//! NumPy's scalar classes and the element types of the federated language.

use gw_federated::DType;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The classes of NumPy's that element types stand for, and those that are read as one of them.
struct Classes {
    generic: Py<PyType>,
    dtype: Py<PyType>,
    known: Vec<(Py<PyAny>, DType)>,
    dtypes: Vec<Py<PyAny>>,
}

static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
static BRAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

fn classes(py: Python<'_>) -> PyResult<&Classes> {
    CLASSES.get_or_try_init(py, || {
        let numpy = py.import("numpy")?;
        let mut known = Vec::new();
        let mut dtypes = Vec::new();
        for dtype in DType::ALL.iter().filter(|dtype| **dtype != DType::BFloat16) {
            let class = numpy.getattr(if *dtype == DType::Bool { "bool_" } else { dtype.class_name() })?;
            dtypes.push(numpy.call_method1("dtype", (&class,))?.unbind());
            known.push((class.unbind(), *dtype));
        }
        known.push((numpy.getattr("bytes_")?.unbind(), DType::Str));
        let class = |name| Ok::<_, PyErr>(numpy.getattr(name)?.cast_into::<PyType>()?.unbind());
        Ok(Classes { generic: class("generic")?, dtype: class("dtype")?, known, dtypes })
    })
}

/// The class of `bfloat16`, which another package has.
fn brain(py: Python<'_>) -> PyResult<&Py<PyAny>> {
    BRAIN.get_or_try_init(py, || Ok(py.import("ml_dtypes")?.getattr("bfloat16")?.unbind()))
}

/// Returns the element type that a scalar class stands for, or an error if it is another one of NumPy's.
fn from_class(class: &Bound<'_, PyAny>) -> PyResult<DType> {
    let py = class.py();
    let known = classes(py)?.known.iter().find(|(other, _)| class.is(other));
    if let Some((_, dtype)) = known {
        return Ok(*dtype);
    }
    let is_brain = class.getattr("__name__")?.eq("bfloat16")? && class.is(brain(py)?);
    if is_brain {
        return Ok(DType::BFloat16);
    }
    Err(PyNotImplementedError::new_err(format!("Unexpected dtype found: {}.", class.repr()?)))
}

/// Returns the element type of a dtype or a scalar class of NumPy's; `None` for any other object.
pub fn of_numpy(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    let classes = classes(object.py())?;
    if let Ok(class) = object.cast::<PyType>() {
        let found = class.is_subclass(classes.generic.bind(object.py()))?;
        return if found { from_class(object).map(Some) } else { Ok(None) };
    }
    if object.is_instance(classes.dtype.bind(object.py()))? {
        return from_class(&object.getattr("type")?).map(Some);
    }
    Ok(None)
}

/// Returns the dtype object of an element type.
pub fn numpy_dtype(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    if dtype == DType::BFloat16 {
        return py.import("numpy")?.call_method1("dtype", (brain(py)?,));
    }
    let plain = DType::ALL.iter().filter(|other| **other != DType::BFloat16);
    let found = plain.zip(&classes(py)?.dtypes).find(|(other, _)| **other == dtype);
    let unknown = || PyNotImplementedError::new_err(format!("Unexpected dtype found: {}.", dtype.name()));
    found.map(|(_, object)| object.bind(py).clone()).ok_or_else(unknown)
}

/// Tells if an object is a scalar of NumPy's.
pub fn is_scalar(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.is_instance(classes(object.py())?.generic.bind(object.py()))
}
