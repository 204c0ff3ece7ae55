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

    /// The real parts; of real numbers themselves.
    #[getter]
    fn real<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "real", (slf,), None)
    }

    /// The imaginary parts; of real numbers zeros.
    #[getter]
    fn imag<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "imag", (slf,), None)
    }

    /// Computes complex conjugates; of real numbers themselves.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant(1 + 2j).conj().item()
    ///   (1-2j)
    fn conj<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        if slf.get().element().is_complex() {
            return numpy(slf, "conjugate", (slf,), None);
        }
        Ok(slf.as_any().clone())
    }

    /// Computes complex conjugates; of real numbers themselves.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1.0]).conjugate().tolist()
    ///   [1.0]
    fn conjugate<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::conj(slf)
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

    /// Arranges the elements in other axes.
    ///
    /// Args:
    ///   shape: lengths, of which one may be -1.
    ///   options: accepted as in NumPy.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Raises:
    ///   ValueError: the numbers of elements differ.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2, 3, 4]).reshape(2, -1).tolist()
    ///   [[1, 2], [3, 4]]
    #[pyo3(signature = (*shape, **options))]
    fn reshape<'py>(
        slf: &Bound<'py, Self>,
        shape: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "reshape", (slf, one_or_all(shape)?), options)
    }

    /// Permutes the axes.
    ///
    /// Args:
    ///   axes: the axes in their new order; reversed if there are none.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2]]).transpose().tolist()
    ///   [[1], [2]]
    #[pyo3(signature = (*axes))]
    fn transpose<'py>(slf: &Bound<'py, Self>, axes: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        match axes.is_empty() {
            true => Self::transposed(slf),
            false => numpy(slf, "transpose", (slf, one_or_all(axes)?), None),
        }
    }

    /// Exchanges two axes.
    ///
    /// Args:
    ///   axis1: axis.
    ///   axis2: axis.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2]]).swapaxes(0, 1).tolist()
    ///   [[1], [2]]
    fn swapaxes<'py>(
        slf: &Bound<'py, Self>,
        axis1: &Bound<'py, PyAny>,
        axis2: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        numpy(slf, "swapaxes", (slf, axis1, axis2), None)
    }

    /// Returns a copy with all elements along one axis.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Vector.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2], [3, 4]]).flatten().tolist()
    ///   [1, 2, 3, 4]
    #[pyo3(signature = (*args, **options))]
    fn flatten<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "flatten", with(slf, args)?, options)
    }

    /// Returns a copy with another dtype.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1.7]).astype("int32").tolist()
    ///   [1]
    #[pyo3(signature = (*args, **options))]
    fn astype<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "astype", with(slf, args)?, options)
    }

    /// Sorts the elements in their place.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> x = gw.constant([3, 1, 2])
    ///   >>> x.sort()
    ///   >>> x.tolist()
    ///   [1, 2, 3]
    #[pyo3(signature = (*args, **options))]
    fn sort<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        method(slf, "sort", with(slf, args)?, options)
    }

    /// Gives all elements one value.
    ///
    /// Args:
    ///   value: number.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> x = gw.zeros([2])
    ///   >>> x.fill(3.0)
    ///   >>> x.tolist()
    ///   [3.0, 3.0]
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
    /// Returns all elements along one axis.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Vector.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2], [3, 4]]).ravel().tolist()
    ///   [1, 2, 3, 4]
    ravel
    /// Removes axes of length 1.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2]]).squeeze().tolist()
    ///   [1, 2]
    squeeze
    /// Computes the variance.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1.0, 3.0]).var().item()
    ///   1.0
    var
    /// Computes the standard deviation.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1.0, 3.0]).std().item()
    ///   1.0
    std
    /// Returns the index of the greatest element.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 3, 2]).argmax().item()
    ///   1
    argmax
    /// Returns the index of the least element.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 3, 0]).argmin().item()
    ///   2
    argmin
    /// Returns the indices that would sort the elements.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([3, 1, 2]).argsort().tolist()
    ///   [1, 2, 0]
    argsort
    /// Computes running sums.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2, 3]).cumsum().tolist()
    ///   [1, 3, 6]
    cumsum
    /// Computes running products.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2, 3]).cumprod().tolist()
    ///   [1, 2, 6]
    cumprod
    /// Multiplies matrices or vectors.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2]).dot(gw.constant([3, 4])).item()
    ///   11
    dot
    /// Limits elements to an interval.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 5, 9]).clip(2, 6).tolist()
    ///   [2, 5, 6]
    clip
    /// Rounds to a number of decimals.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1.25]).round(1).tolist()
    ///   [1.2000000476837158]
    round
    /// Repeats each element.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([1, 2]).repeat(2).tolist()
    ///   [1, 1, 2, 2]
    repeat
    /// Gathers elements by number.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([10, 20]).take([1]).tolist()
    ///   [20]
    take
    /// Returns the diagonal of two axes.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2], [3, 4]]).diagonal().tolist()
    ///   [1, 4]
    diagonal
    /// Sums the diagonal.
    ///
    /// Args:
    ///   args: arguments of NumPy's method of this name.
    ///   options: its arguments by name.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.constant([[1, 2], [3, 4]]).trace().item()
    ///   5
    trace
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
