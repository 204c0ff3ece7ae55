//! Convolutions, with what TensorFlow's arguments may be.

use gw_base::Code;
use gw_trace::calls::{Call, Padding};
use pyo3::prelude::*;

use crate::exceptions::errors;
use crate::host::operands;

/// A convolution of images `[n, h, w, c]` with filters `[a, b, c, o]`: windows of the filters' size move by `strides` over the
/// two axes in the middle, padded as TensorFlow's `"SAME"` and `"VALID"` say or with numbers for each axis.
///
/// Args:
///   input: tensor `(n, h, w, c)`, `float32` or `float64`.
///   filters: tensor `(a, b, c, o)` of the same dtype.
///   strides: distance of the windows, an int or a list.
///   padding: `"VALID"` or `"SAME"`.
///   data_format: `"NHWC"`.
///   dilations: distance of the elements of a window, an int or a list.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor `(n, new h, new w, o)`.
///
/// Example:
///   >>> gw.nn.conv2d(gw.ones([1, 4, 4, 1]), gw.ones([3, 3, 1, 2]), 1, "VALID").shape
///   (1, 2, 2, 2)
#[pyfunction]
#[pyo3(signature = (input, filters, strides, padding, data_format="NHWC", dilations=None, name=None))]
fn conv2d<'py>(
    input: &Bound<'py, PyAny>,
    filters: &Bound<'py, PyAny>,
    strides: &Bound<'py, PyAny>,
    padding: &Bound<'py, PyAny>,
    data_format: &str,
    dilations: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let py = input.py();
    if data_format != "NHWC" {
        let message = format!("images with `data_format={data_format:?}` are not convolved");
        let help = "put the channels last, `gw.transpose(x, [0, 2, 3, 1])`, and back behind it, `gw.transpose(y, [0, 3, 1, 2])`";
        return Err(errors::here(py, Code::BadArgument, message, help));
    }
    let strides = steps(strides, "strides")?;
    let dilations = dilations.map_or(Ok([1, 1]), |given| steps(given, "dilations"))?;
    let call = Call::Conv2d { strides, padding: places(padding)?, dilations };
    operands::call(py, &call, &[input, filters])
}

/// `s`, `[s]`, `[s, t]` or `[1, s, t, 1]`.
fn steps(given: &Bound<'_, PyAny>, name: &str) -> PyResult<[usize; 2]> {
    let numbers = given.extract::<usize>().map(|step| vec![step]).or_else(|_| given.extract::<Vec<usize>>());
    match numbers.as_deref() {
        Ok(&[step]) => Ok([step, step]),
        Ok(&[down, across] | &[1, down, across, 1]) => Ok([down, across]),
        Ok(_) | Err(_) => {
            let message = format!("`{name}` is {}", given.repr()?);
            let help = "write one number, one for rows and one for columns, or `[1, rows, columns, 1]`";
            Err(errors::here(given.py(), Code::BadArgument, message, help))
        }
    }
}

/// `"SAME"`, `"VALID"` or `[[0, 0], [top, bottom], [left, right], [0, 0]]`.
fn places(given: &Bound<'_, PyAny>) -> PyResult<Padding> {
    match given.extract::<&str>() {
        Ok("SAME") => return Ok(Padding::Same),
        Ok("VALID") => return Ok(Padding::Valid),
        Ok(_) | Err(_) => {}
    }
    match given.extract::<Vec<[usize; 2]>>().as_deref() {
        Ok(&[[0, 0], rows, columns, [0, 0]]) => Ok(Padding::Explicit([rows, columns])),
        Ok(_) | Err(_) => {
            let message = format!("`padding` is {}", given.repr()?);
            let help = "write \"SAME\", \"VALID\" or `[[0, 0], [top, bottom], [left, right], [0, 0]]`";
            Err(errors::here(given.py(), Code::BadArgument, message, help))
        }
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(conv2d, module)?)
}
