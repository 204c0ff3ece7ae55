//! Native functions of numbers that the program gives, as operations on tensors.
#![allow(unsafe_code, reason = "the address of a function is the program's to name, as with ctypes")]

use gw_ir::ForeignCall;
use gw_kernels::Word;
use gw_runtime::{MOST_FLOATS, MOST_INTEGERS, declare};
use gw_trace::calls::Call;
use gw_types::DType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::host::operands;
use crate::values::dtype::PyDType;

/// A native function of numbers, on each element of its operands.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
struct NativeFunction(ForeignCall);

#[pymethods]
impl NativeFunction {
    /// For the function at an address, which stays there for as long as the process.
    #[new]
    fn new(name: String, takes: Vec<PyDType>, gives: PyDType, address: usize) -> PyResult<Self> {
        let takes: Vec<DType> = takes.into_iter().map(|dtype| dtype.0).collect();
        let words = takes.iter().map(|&dtype| word(&name, dtype)).collect::<PyResult<Vec<_>>>()?;
        let result = word(&name, gives.0)?;
        let floats = takes.iter().filter(|dtype| dtype.is_float()).count();
        if takes.is_empty() || floats > MOST_FLOATS || takes.len() - floats > MOST_INTEGERS || address == 0 {
            let message = format!(
                "`{name}` takes at least one number, and at most {MOST_FLOATS} floats and {MOST_INTEGERS} integers, and has \
                 an address"
            );
            return Err(PyValueError::new_err(message));
        }
        // SAFETY: the program says that a function of these types is there, which `custom_op` documents as its promise.
        let number = unsafe { declare(&name, &words, result, std::ptr::with_exposed_provenance(address)) };
        Ok(Self(ForeignCall { number, name, takes, gives: gives.0 }))
    }

    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, py: Python<'py>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let args: Vec<_> = args.iter().collect();
        operands::call(py, &Call::Foreign(self.0.clone()), &args.iter().collect::<Vec<_>>())
    }
}

fn word(name: &str, dtype: DType) -> PyResult<Word> {
    match dtype {
        DType::I32 => Ok(Word::I32),
        DType::I64 => Ok(Word::I64),
        DType::F32 => Ok(Word::F32),
        DType::F64 => Ok(Word::F64),
        DType::I8 | DType::I16 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            Err(of_another(name, dtype))
        }
        DType::C64 | DType::C128 => Err(of_another(name, dtype)),
        DType::Bool | DType::Str | DType::F16 | DType::BF16 => Err(of_another(name, dtype)),
    }
}

fn of_another(name: &str, dtype: DType) -> PyErr {
    let found = dtype.python_name();
    let message = format!("`{name}` takes and gives int32, int64, float32 or float64, not {found}");
    PyValueError::new_err(message)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<NativeFunction>()
}
