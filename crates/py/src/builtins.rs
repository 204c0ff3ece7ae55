//! What is called in place of a callable: converted Python functions, and Python's own functions for tensors.

use gw_ir::Op;
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCFunction, PyDict, PyFunction, PyString, PyTuple, PyType};
use std::collections::HashMap;

use crate::function::Function;
use crate::operators::{self, Decides, decides, registry};
use crate::{convert, errors, guards, log, pack, python_print};

/// Python's functions that mean something else for tensors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// One elementwise op.
    Unary(Op),
    /// One elementwise op on two operands.
    Binary(Op),
    /// Another element type.
    Cast(DType),
    Len,
    Range,
    Sum,
    Reduce(Op),
    Extreme(Op),
}

/// Module, name, meaning.
const MEANINGS: &[(&str, &str, Meaning)] = &[
    ("builtins", "len", Meaning::Len),
    ("builtins", "range", Meaning::Range),
    ("builtins", "sum", Meaning::Sum),
    ("builtins", "all", Meaning::Reduce(Op::ReduceAll)),
    ("builtins", "any", Meaning::Reduce(Op::ReduceAny)),
    ("builtins", "min", Meaning::Extreme(Op::Min)),
    ("builtins", "max", Meaning::Extreme(Op::Max)),
    ("builtins", "int", Meaning::Cast(DType::I64)),
    ("builtins", "float", Meaning::Cast(DType::F64)),
    ("builtins", "bool", Meaning::Cast(DType::Bool)),
    ("math", "sqrt", Meaning::Unary(Op::Sqrt)),
    ("math", "exp", Meaning::Unary(Op::Exp)),
    ("math", "expm1", Meaning::Unary(Op::Expm1)),
    ("math", "log", Meaning::Unary(Op::Log)),
    ("math", "log1p", Meaning::Unary(Op::Log1p)),
    ("math", "sin", Meaning::Unary(Op::Sin)),
    ("math", "cos", Meaning::Unary(Op::Cos)),
    ("math", "tan", Meaning::Unary(Op::Tan)),
    ("math", "atan", Meaning::Unary(Op::Atan)),
    ("math", "tanh", Meaning::Unary(Op::Tanh)),
    ("math", "erf", Meaning::Unary(Op::Erf)),
    ("math", "fabs", Meaning::Unary(Op::Abs)),
    ("math", "floor", Meaning::Unary(Op::Floor)),
    ("math", "ceil", Meaning::Unary(Op::Ceil)),
    ("math", "isnan", Meaning::Unary(Op::IsNan)),
    ("math", "isfinite", Meaning::Unary(Op::IsFinite)),
    ("math", "pow", Meaning::Binary(Op::Pow)),
    ("math", "atan2", Meaning::Binary(Op::Atan2)),
];

/// A function of Python's own with its meaning for tensors.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Overload {
    original: Py<PyAny>,
    meaning: Meaning,
}

#[pymethods]
impl Overload {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for arg in args.iter() {
            match decides(&arg)? {
                Decides::Python => {}
                Decides::Graph(..) => {
                    let args: Vec<_> = args.iter().collect();
                    return self.meaning.of(py, &args);
                }
                Decides::Backend(backend) => return backend.call(self.original.bind(py), args, kwargs),
            }
        }
        self.original.bind(py).call(args, kwargs)
    }
}

impl Meaning {
    fn of<'py>(self, py: Python<'py>, args: &[Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
        match (self, args) {
            (Meaning::Unary(Op::Floor | Op::Ceil), [x]) if pack::operand(x)?.dtype().is_int() => {
                Ok(x.clone())
            }
            (Meaning::Unary(op @ (Op::Floor | Op::Ceil)), [x]) => {
                let whole = pack::call(py, &Call::Unary(op), &[x])?;
                pack::call(py, &Call::Cast(DType::I64), &[&whole])
            }
            (Meaning::Unary(op), [x]) => pack::call(py, &Call::Unary(op), &[x]),
            (Meaning::Unary(Op::Log), [x, base]) => {
                let [x, base] = [x, base].map(|v| pack::call(py, &Call::Unary(Op::Log), &[v]));
                pack::call(py, &Call::TrueDiv, &[&x?, &base?])
            }
            (Meaning::Binary(op), [x, y]) => pack::call(py, &Call::Binary(op), &[x, y]),
            (Meaning::Cast(dtype), [x]) => cast(x, dtype),
            (Meaning::Len, [x]) => length(x),
            (Meaning::Range, [stop]) => range(py, [&int(py, 0)?, stop, &int(py, 1)?]),
            (Meaning::Range, [start, stop]) => range(py, [start, stop, &int(py, 1)?]),
            (Meaning::Range, [start, stop, step]) => range(py, [start, stop, step]),
            (Meaning::Sum, [x]) => sum(x, &int(py, 0)?),
            (Meaning::Sum, [x, start]) => sum(x, start),
            (Meaning::Reduce(op), [x]) => pack::call(py, &Call::Reduce { op, axes: None, keep: false }, &[x]),
            (Meaning::Extreme(op), [x]) => {
                let op = if op == Op::Max { Op::ReduceMax } else { Op::ReduceMin };
                pack::call(py, &Call::Reduce { op, axes: Some(vec![0]), keep: false }, &[x])
            }
            (Meaning::Extreme(op), [first, rest @ ..]) => {
                rest.iter().try_fold(first.clone(), |best, x| pack::call(py, &Call::Binary(op), &[&best, x]))
            }
            (
                Meaning::Unary(_)
                | Meaning::Binary(_)
                | Meaning::Cast(_)
                | Meaning::Len
                | Meaning::Range
                | Meaning::Sum
                | Meaning::Reduce(_)
                | Meaning::Extreme(_),
                _,
            ) => Err(PyTypeError::new_err(
                "these arguments do not fit when one of them is a tensor of the graph",
            )),
        }
    }
}

fn int(py: Python<'_>, i: i64) -> PyResult<Bound<'_, PyAny>> {
    Ok(i.into_pyobject(py)?.into_any())
}

/// `int(x)`, `float(x)`, `bool(x)`: types that are of the kind already stay.
fn cast<'py>(x: &Bound<'py, PyAny>, dtype: DType) -> PyResult<Bound<'py, PyAny>> {
    if pack::operand(x)?.dtype().kind() == dtype.kind() {
        return Ok(x.clone());
    }
    pack::call(x.py(), &Call::Cast(dtype), &[x])
}

/// `len(x)`: a Python number where the length is known, a value of the graph where it is not.
fn length<'py>(x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match pack::operand(x)?.lengths().first() {
        Some(None) => pack::call(x.py(), &Call::DimOf(0, DType::I32), &[x]),
        Some(Some(n)) => int(x.py(), *n as i64),
        None => Err(PyTypeError::new_err("a tensor without axes has no length")),
    }
}

fn range<'py>(py: Python<'py>, bounds: [&Bound<'py, PyAny>; 3]) -> PyResult<Bound<'py, PyAny>> {
    pack::call(py, &Call::Range(None), &bounds)
}

fn sum<'py>(x: &Bound<'py, PyAny>, start: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let total = Call::Reduce { op: Op::ReduceSum, axes: Some(vec![0]), keep: false };
    let total = pack::call(x.py(), &total, &[x])?;
    pack::call(x.py(), &Call::Binary(Op::Add), &[&total, start])
}

/// Overloads by the address of the function that they stand for.
fn overloads(py: Python<'_>) -> PyResult<&HashMap<usize, Py<Overload>>> {
    static ALL: PyOnceLock<HashMap<usize, Py<Overload>>> = PyOnceLock::new();
    ALL.get_or_try_init(py, || {
        let one = |&(module, name, meaning): &(&str, &str, Meaning)| {
            let original = py.import(module)?.getattr(name)?;
            let key = original.as_ptr() as usize;
            Ok((key, Py::new(py, Overload { original: original.unbind(), meaning })?))
        };
        MEANINGS.iter().map(one).collect()
    })
}

/// What to call in place of `function`.
pub fn conv<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    if let Some(print) = python_print::staged(function)? {
        return Ok(print);
    }
    if let Some(overload) = overloads(py)?.get(&(function.as_ptr() as usize)) {
        return Ok(overload.bind(py).clone().into_any());
    }
    if let Ok(plain) = function.cast::<PyFunction>() {
        return converted(plain);
    }
    if function.is_instance_of::<PyCFunction>()
        || function.is_exact_instance_of::<PyType>()
        || function.is_instance_of::<Function>()
    {
        return Ok(function.clone());
    }
    of_callable(function)
}

/// Bound methods, partial functions and objects with a `__call__` of their own.
fn of_callable<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let method_type = py.import("types")?.getattr("MethodType")?;
    if function.is_instance(&method_type)? {
        let inner = conv(&function.getattr("__func__")?)?;
        guards::met_method(&function.getattr("__func__")?, &function.getattr("__self__")?)?;
        return method_type.call1((inner, function.getattr("__self__")?));
    }
    let partial = py.import("functools")?.getattr("partial")?;
    if function.get_type().is(&partial) {
        let mut args = vec![conv(&function.getattr("func")?)?];
        args.extend(function.getattr("args")?.cast::<PyTuple>()?.iter());
        let keywords = function.getattr("keywords")?;
        return partial.call(PyTuple::new(py, args)?, Some(keywords.cast::<PyDict>()?));
    }
    match function.get_type().getattr("__call__") {
        Ok(call) if call.is_instance_of::<PyFunction>() => {
            guards::met_method(&call, function)?;
            method_type.call1((converted(call.cast::<PyFunction>()?)?, function))
        }
        Ok(_) | Err(_) => Ok(function.clone()),
    }
}

/// The function converted, or itself where it is not to be: the library's and the standard library's own, those marked
/// with `do_not_convert`, and those whose source cannot be found (their errors then say that they are not converted).
fn converted<'py>(function: &Bound<'py, PyFunction>) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    if convert::is_converted(&function.getattr("__code__")?)? || stays(function)? {
        return Ok(function.as_any().clone());
    }
    match convert::convert(function, operators::the(py)?.as_any()) {
        Ok(converted) => Ok(converted.into_any()),
        Err(error) if error.is_instance_of::<errors::ConversionError>(py) => {
            let name = function.getattr("__qualname__")?;
            log::say(py, log::STEPS, || Ok(format!("`{name}` stays as it is: {}", error.value(py))))?;
            Ok(function.as_any().clone())
        }
        Err(error) => Err(error),
    }
}

/// The name under which `do_not_convert` marks a function.
const MARK: &str = "__graphwright_do_not_convert__";

fn stays(function: &Bound<'_, PyFunction>) -> PyResult<bool> {
    let py = function.py();
    if function.hasattr(pyo3::intern!(py, MARK))? {
        return Ok(true);
    }
    let module = function.getattr(pyo3::intern!(py, "__module__"))?;
    let Ok(module) = module.cast::<PyString>() else { return Ok(false) };
    let module = module.to_string_lossy();
    let root = module.split('.').next().unwrap_or_default();
    if root == "graphwright" {
        return Ok(!module.starts_with("graphwright.demo"));
    }
    if matches!(root, "numpy" | "__main__") || registry::is_library(py, root) {
        return Ok(root != "__main__");
    }
    py.import("sys")?.getattr("stdlib_module_names")?.contains(root)
}
