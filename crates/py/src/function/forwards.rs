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

use crate::host::shown;
use crate::optional::maybe::Maybe;
use crate::optional::poison::{self, Unclear};
use crate::optional::used::Used;
use crate::values::variable::Variable;
use crate::{operators, optional};

macro_rules! binary {
    ($class:ident $read:path; $($name:ident $reflected:ident $does:ident $symbol:literal;)*) => {$(
        #[pymethods]
        impl $class {
            fn $name<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Left($symbol, other))?.$does(other)
            }

            fn $reflected<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
                other.$does($read(slf, Used::Right($symbol, other))?)
            }
        }
    )*};
}

macro_rules! forwards {
    ($class:ident, $read:path, $compare:path) => {
        binary! {
            $class $read;
            __add__ __radd__ add "+";
            __sub__ __rsub__ sub "-";
            __mul__ __rmul__ mul "*";
            __truediv__ __rtruediv__ div "/";
            __floordiv__ __rfloordiv__ floor_div "//";
            __mod__ __rmod__ rem "%";
            __and__ __rand__ bitand "&";
            __or__ __ror__ bitor "|";
            __xor__ __rxor__ bitxor "^";
            __lshift__ __rlshift__ lshift "<<";
            __rshift__ __rrshift__ rshift ">>";
            __matmul__ __rmatmul__ matmul "@";
            __divmod__ __rdivmod__ divmod "divmod()";
        }

        #[pymethods]
        impl $class {
            fn __pow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Left("** or pow()", other))?.pow(other, modulo)
            }

            fn __rpow__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                modulo: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                other.pow($read(slf, Used::Right("** or pow()", other))?, modulo)
            }

            fn __neg__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Alone("unary -"))?.neg()
            }

            fn __pos__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Alone("unary +"))?.pos()
            }

            fn __abs__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Alone("abs()"))?.abs()
            }

            fn __invert__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Alone("unary ~"))?.bitnot()
            }

            fn __richcmp__<'py>(
                slf: &Bound<'py, Self>,
                other: &Bound<'py, PyAny>,
                operator: CompareOp,
            ) -> PyResult<Bound<'py, PyAny>> {
                $compare(slf, other, operator)
            }

            fn __bool__(slf: &Bound<'_, Self>) -> PyResult<bool> {
                $read(slf, Used::Somehow)?.is_truthy()
            }

            fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
                $read(slf, Used::Measured)?.len()
            }

            fn __getitem__<'py>(
                slf: &Bound<'py, Self>,
                key: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $read(slf, Used::Indexed)?.get_item(key)
            }

            fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                Ok($read(slf, Used::Iterated)?.try_iter()?.into_any())
            }
        }
    };
}

forwards!(Maybe, optional::read, optional::compare);
forwards!(Unclear, poison::read, poison::compare);
forwards!(Variable, variable, compared);

fn variable<'py>(slf: &Bound<'py, Variable>, _: Used<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    Variable::read(slf.py(), slf)
}

fn compared<'py>(
    slf: &Bound<'py, Variable>,
    other: &Bound<'py, PyAny>,
    operator: CompareOp,
) -> PyResult<Bound<'py, PyAny>> {
    Variable::read(slf.py(), slf)?.rich_compare(other, operator)
}

#[pymethods]
impl Maybe {
    fn __setitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = (key, value);
        Err(crate::values::cell::doubtful(slf.py()))
    }

    fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
        match Self::optional(slf.as_any()) {
            Some(maybe) => Err(shown::no_text(maybe)),
            None => Ok(operators::read(slf.py(), slf)?.str()?.to_string()),
        }
    }

    fn __format__(slf: &Bound<'_, Self>, spec: &str) -> PyResult<String> {
        match Self::optional(slf.as_any()) {
            Some(maybe) => Err(shown::no_text(maybe)),
            None => operators::read(slf.py(), slf)?.call_method1("__format__", (spec,))?.extract(),
        }
    }

    fn __delitem__(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        operators::read(slf.py(), slf)?.del_item(key)
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        optional::attribute(slf, name)
    }
}
