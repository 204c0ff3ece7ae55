//! Objects that stand for a tensor: whatever Python does with one is done with the tensor.
//!
//! A name that may have no value is one of them, read where conversion puts no `ld`: in a nested function, a
//! comprehension, a helper that reads a global. A variable is another.
#![allow(
    unsafe_op_in_unsafe_fn,
    reason = "pyo3's own wrappers, where a macro of ours writes the block around them"
)]

use pyo3::basic::CompareOp;
use pyo3::prelude::*;

use crate::host::Maybe;
use crate::operators;
use crate::variable::Variable;

macro_rules! binary {
    ($class:ident $read:path; $($name:ident $reflected:ident $does:ident;)*) => {$(
        #[pymethods]
        impl $class {
            fn $name<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.$does(other)
            }

            fn $reflected<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                other.$does($read(slf.py(), slf)?)
            }
        }
    )*};
}

macro_rules! forwards {
    ($class:ident, $read:path) => {
        binary! {
            $class $read;
            __add__ __radd__ add;
            __sub__ __rsub__ sub;
            __mul__ __rmul__ mul;
            __truediv__ __rtruediv__ div;
            __floordiv__ __rfloordiv__ floor_div;
            __mod__ __rmod__ rem;
            __and__ __rand__ bitand;
            __or__ __ror__ bitor;
            __xor__ __rxor__ bitxor;
            __lshift__ __rlshift__ lshift;
            __rshift__ __rrshift__ rshift;
            __matmul__ __rmatmul__ matmul;
            __divmod__ __rdivmod__ divmod;
        }

        #[pymethods]
        impl $class {
            fn __pow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.pow(other, modulo)
            }

            fn __rpow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                other.pow($read(slf.py(), slf)?, modulo)
            }

            fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.neg()
            }

            fn __pos__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.pos()
            }

            fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.abs()
            }

            fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.bitnot()
            }

            fn __richcmp__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                operator: CompareOp,
            ) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.rich_compare(other, operator)
            }

            fn __bool__(slf: &Bound<'_, Self>) -> PyResult<bool> {
                $read(slf.py(), slf)?.is_truthy()
            }

            fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
                $read(slf.py(), slf)?.len()
            }

            fn __getitem__<'py>(
                slf: &Bound<'py, Self>,
                key: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $read(slf.py(), slf)?.get_item(key)
            }

            fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                Ok($read(slf.py(), slf)?.try_iter()?.into_any())
            }
        }
    };
}

forwards!(Maybe, operators::read);
forwards!(Variable, Variable::read);

#[pymethods]
impl Maybe {
    fn __setitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = (key, value);
        Err(crate::cell::doubtful(slf.py()))
    }

    fn __delitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::read(slf.py(), slf)?.del_item(key)
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        operators::read(slf.py(), slf)?.getattr(name)
    }
}
