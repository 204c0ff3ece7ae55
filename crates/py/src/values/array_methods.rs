//! `x.reshape(2, 3)`, `x.T` and the like: what NumPy's arrays have as methods and attributes, tensors have as well. Each asks
//! NumPy's function of that name, which asks the tensor what it means.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::values::tensor::Tensor;

/// The module of the methods that are no functions of NumPy's.
const METHODS: &str = "graphwright._numpy.methods";

#[pymethods]
impl Tensor {
    /// The array with its axes backwards.
    #[getter(T)]
    fn transposed<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "transpose", (slf,), None)
    }

    /// The matrices in the last two axes, rows and columns changed for one another.
    #[getter(mT)]
    fn transposed_matrices<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "swapaxes", (slf, -1, -2), None)
    }

    /// The number of elements.
    #[getter]
    fn size<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "size", (slf,), None)
    }

    /// The bytes of one element.
    #[getter]
    fn itemsize(&self) -> usize {
        self.element().size()
    }

    /// The bytes of all elements.
    #[getter]
    fn nbytes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::size(slf)?.mul(slf.get().itemsize())
    }

    /// The same elements in other axes; -1 is what is left over.
    #[pyo3(signature = (*shape, **options))]
    fn reshape<'py>(
        slf: &Bound<'py, Self>,
        shape: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "reshape", (slf, one_or_all(shape)?), options)
    }

    /// The axes in this order; backwards if none is given.
    #[pyo3(signature = (*axes))]
    fn transpose<'py>(slf: &Bound<'py, Self>, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        match axes.is_empty() {
            true => Self::transposed(slf),
            false => numpy(slf, "transpose", (slf, one_or_all(axes)?), None),
        }
    }

    /// Two axes changed for one another.
    fn swapaxes<'py>(
        slf: &Bound<'py, Self>,
        axis1: &Bound<'py, PyAny>,
        axis2: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "swapaxes", (slf, axis1, axis2), None)
    }

    /// A copy with all elements along one axis.
    #[pyo3(signature = (*args, **options))]
    fn flatten<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "flatten", with(slf, args)?, options)
    }

    /// A copy with another dtype.
    #[pyo3(signature = (*args, **options))]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "astype", with(slf, args)?, options)
    }

    /// Puts the elements in order, in their place.
    #[pyo3(signature = (*args, **options))]
    fn sort<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "sort", with(slf, args)?, options)
    }

    /// Gives all elements one value.
    fn fill<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "fill", (slf, value), None)
    }
}

/// Methods that are called as NumPy's function of their name is.
macro_rules! as_functions {
    ($($(#[$doc:meta])* $name:ident)*) => {
        #[pymethods]
        impl Tensor {
            $(
                $(#[$doc])*
                #[pyo3(signature = (*args, **options))]
                fn $name<'py>(
                    slf: &Bound<'py, Self>,
                    args: &Bound<'py, PyTuple>,
                    options: Option<&Bound<'py, PyDict>>,
                ) -> PyResult<Bound<'py, PyAny>> {
                    numpy(slf, stringify!($name), with(slf, args)?, options)
                }
            )*
        }
    };
}

as_functions! {
    /// All elements along one axis.
    ravel
    /// Without axes of length 1.
    squeeze
    /// The variance of the elements.
    var
    /// The standard deviation of the elements.
    std
    /// The place of the greatest element.
    argmax
    /// The place of the least element.
    argmin
    /// The places of the elements in order.
    argsort
    /// The running sum.
    cumsum
    /// The running product.
    cumprod
    /// The product over the last axis and the last but one of the other array.
    dot
    /// The elements within bounds.
    clip
    /// The nearest numbers with so many decimals.
    round
    /// Each element so many times in a row.
    repeat
    /// Elements by their numbers.
    take
    /// The elements at equal places of two axes.
    diagonal
    /// The sum of the diagonal.
    trace
    /// The conjugate, which of real numbers is the same.
    conjugate
}

/// NumPy's function of this name.
fn numpy<'py>(
    tensor: &Bound<'py, Tensor>,
    name: &str,
    args: impl PyCallArgs<'py>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    py.import("numpy")?.getattr(name)?.call(args, options)
}

/// A function of what NumPy has as a method alone.
fn method<'py>(
    tensor: &Bound<'py, Tensor>,
    name: &str,
    args: impl PyCallArgs<'py>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = tensor.py();
    py.import(METHODS)?.getattr(name)?.call(args, options)
}

/// The tensor in front of the arguments of its method.
fn with<'py>(tensor: &Bound<'py, Tensor>, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    let all: Vec<_> = std::iter::once(tensor.as_any().clone()).chain(args.iter()).collect();
    PyTuple::new(tensor.py(), all)
}

/// The only argument, or all of them as one.
fn one_or_all<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    match args.len() {
        1 => args.get_item(0),
        _ => Ok(args.clone().into_any()),
    }
}
