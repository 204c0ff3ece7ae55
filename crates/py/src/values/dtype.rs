//! `graphwright.DType`: one object per element type.

use gw_base::Code;
use gw_types::{DType, Kind};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::exceptions::errors;

/// Represents the type of a tensor's elements: `gw.float32` and the like.
///
/// Example:
///   >>> gw.float32.name, gw.float32.size, gw.float32.is_floating
///   ('float32', 4, True)
#[pyclass(frozen, name = "DType", module = "graphwright", from_py_object)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PyDType(pub DType);

/// The attributes of NumPy's dtypes that ours have, too.
const NUMPYS: [&str; 7] = ["alignment", "byteorder", "char", "itemsize", "kind", "num", "type"];

#[pymethods]
impl PyDType {
    /// The name, as NumPy has it: `"float32"`.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.python_name()
    }

    /// Bytes per element; 8 of a string, however long it is.
    #[getter]
    fn size(&self) -> usize {
        self.0.size()
    }

    /// True if it is a floating type.
    #[getter]
    fn is_floating(&self) -> bool {
        self.0.is_float()
    }

    /// True if it is an integer type.
    #[getter]
    fn is_integer(&self) -> bool {
        self.0.is_int()
    }

    /// True if it is an integer type that holds no number below zero.
    #[getter]
    fn is_unsigned(&self) -> bool {
        self.0.is_unsigned()
    }

    /// True if it is a type of complex numbers.
    #[getter]
    fn is_complex(&self) -> bool {
        self.0.is_complex()
    }

    /// The type of the real part of a complex type; of others the type itself.
    #[getter]
    fn real_dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Self>> {
        object(py, self.0.part())
    }

    /// True if it is `bool`.
    #[getter]
    fn is_bool(&self) -> bool {
        self.0 == DType::Bool
    }

    /// The greatest number of the type, infinity apart.
    #[getter]
    fn max<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.end(py, |(_, most)| most, 1.0)
    }

    /// The least number of the type, infinity apart.
    #[getter]
    fn min<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.end(py, |(least, _)| least, -1.0)
    }

    /// The NumPy scalar type.
    #[getter]
    fn as_numpy_dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        numpy_type(py, self.0)
    }

    /// NumPy's own object for it, by which NumPy takes this one for a dtype.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("dtype", (self.as_numpy_dtype(py)?,))
    }

    /// The attributes of NumPy's dtypes: `kind`, `itemsize`, `type` and the like.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if !NUMPYS.contains(&name) {
            return Err(PyAttributeError::new_err(format!("a dtype has no attribute {name:?}")));
        }
        self.dtype(py)?.getattr(name)
    }

    /// True if another object stands for the same dtype: one of ours, or an object that NumPy takes for one.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        if let Ok(other) = other.cast::<Self>() {
            return Ok(self.0 == other.get().0);
        }
        if other.is_none() || self.0 == DType::Str {
            return Ok(false);
        }
        let given = other.py().import("numpy")?.call_method1("dtype", (other,));
        given.map_or(Ok(false), |given| self.dtype(other.py())?.eq(given))
    }

    fn __hash__(&self) -> u64 {
        self.0 as u64
    }

    fn __repr__(&self) -> String {
        format!("gw.{}", self.0.python_name())
    }

    fn __str__(&self) -> String {
        format!("<dtype: '{}'>", self.0.python_name())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (&'static str,))> {
        Ok((py.import("graphwright")?.getattr("as_dtype")?, (self.0.python_name(),)))
    }
}

impl PyDType {
    /// One of the ends of the type; of a float the greatest number with a sign.
    fn end<'py>(
        &self,
        py: Python<'py>,
        of: fn((i128, i128)) -> i128,
        sign: f64,
    ) -> PyResult<Bound<'py, PyAny>> {
        match (self.0.kind(), self.0.ends()) {
            (Kind::Int, Some(ends)) => Ok(of(ends).into_pyobject(py)?.into_any()),
            (Kind::Bool, _) => Ok((sign > 0.0).into_pyobject(py)?.to_owned().into_any()),
            (Kind::Float, _) => Ok((sign * self.0.greatest()).into_pyobject(py)?.into_any()),
            (Kind::Int | Kind::Complex | Kind::Text, _) => {
                let message = format!("{} has no greatest element", self.0.python_name());
                Err(PyTypeError::new_err(message))
            }
        }
    }
}

/// NumPy's name of its class of such elements.
pub fn numpy_name(dtype: DType) -> &'static str {
    match dtype.kind() {
        Kind::Bool => "bool_",
        Kind::Text => "object_",
        Kind::Int | Kind::Float | Kind::Complex => dtype.python_name(),
    }
}

/// NumPy's class of such elements; that of `bfloat16` is given by the package `ml_dtypes`.
pub fn numpy_type(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyAny>> {
    let module = if dtype == DType::BF16 { "ml_dtypes" } else { "numpy" };
    py.import(module)?.getattr(numpy_name(dtype))
}

/// The object for an element type.
pub fn object(py: Python<'_>, dtype: DType) -> PyResult<Bound<'_, PyDType>> {
    static OBJECTS: PyOnceLock<Vec<Py<PyDType>>> = PyOnceLock::new();
    let make = || DType::ALL.iter().map(|&d| Py::new(py, PyDType(d))).collect::<PyResult<Vec<_>>>();
    let objects = OBJECTS.get_or_try_init(py, make)?;
    let at = DType::ALL.iter().position(|&d| d == dtype).expect("every dtype is in ALL");
    Ok(objects[at].bind(py).clone())
}

/// The dtype that the user gave: ours, a name, a NumPy dtype, or Python's `int`, `float`, `complex`, `bool`, `str`, `bytes`.
pub fn parse(given: &Bound<'_, PyAny>) -> PyResult<DType> {
    if let Ok(ours) = given.cast::<PyDType>() {
        return Ok(ours.get().0);
    }
    if let Some(dtype) = of_builtin(given) {
        return Ok(dtype);
    }
    let name: String = match given.extract() {
        Ok(name) => name,
        Err(_) => {
            let dtype = given.py().import("numpy")?.call_method1("dtype", (given,))?;
            if ["U", "S", "O"].contains(&dtype.getattr("kind")?.extract::<String>()?.as_str()) {
                return Ok(DType::Str);
            }
            dtype.getattr("name")?.extract()?
        }
    };
    name.parse().map_err(|_| unsupported(given.py(), &name))
}

fn of_builtin(given: &Bound<'_, PyAny>) -> Option<DType> {
    let py = given.py();
    let known = [
        (py.get_type::<pyo3::types::PyBool>(), DType::Bool),
        (py.get_type::<pyo3::types::PyInt>(), DType::I32),
        (py.get_type::<pyo3::types::PyFloat>(), DType::F32),
        (py.get_type::<pyo3::types::PyComplex>(), DType::C64),
        (py.get_type::<pyo3::types::PyString>(), DType::Str),
        (py.get_type::<pyo3::types::PyBytes>(), DType::Str),
    ];
    known.into_iter().find(|(ty, _)| given.is(ty)).map(|(_, dtype)| dtype)
}

/// Error for an element type that we do not have.
pub fn unsupported(py: Python<'_>, name: &str) -> PyErr {
    let known: Vec<_> = DType::ALL.iter().map(|d| d.python_name()).collect();
    let message = format!("there are no tensors of `{name}`; there are {}", known.join(", "));
    errors::here(py, Code::NotATensor, message, "convert the values to one of these")
}

/// Converts a name or a dtype of NumPy's to a dtype.
///
/// Args:
///   type_value: `gw.DType`, name, NumPy dtype, or Python type.
///
/// Returns:
///   `gw.DType`.
///
/// Raises:
///   TypeError: there are no tensors of it (GW301).
///
/// Example:
///   >>> [gw.as_dtype(given).name for given in ("float32", np.int64, bool, gw.string)]
///   ['float32', 'int64', 'bool', 'string']
#[pyfunction]
fn as_dtype<'py>(py: Python<'py>, type_value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDType>> {
    object(py, parse(type_value)?)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    for &dtype in DType::ALL {
        module.add(dtype.python_name(), object(module.py(), dtype)?)?;
    }
    module.add_function(wrap_pyfunction!(as_dtype, module)?)
}
