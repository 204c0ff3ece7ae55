//! Elementwise functions.

use gw_ir::Op;
use gw_trace::calls::Call;
use pyo3::prelude::*;

use crate::host::operands;
use crate::values::dtype;

macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident $call:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, name=None))]
            fn $name<'py>(x: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
                let _ = name;
                operands::call(x.py(), &$call, &[x])
            }
        )*

        fn register_unary(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

macro_rules! binary {
    ($($(#[$doc:meta])* $name:ident $call:expr;)*) => {
        $(
            $(#[$doc])*
            #[pyfunction]
            #[pyo3(signature = (x, y, name=None))]
            fn $name<'py>(
                x: &Bound<'py, PyAny>,
                y: &Bound<'py, PyAny>,
                name: Option<&str>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let _ = name;
                operands::call(x.py(), &$call, &[x, y])
            }
        )*

        fn register_binary(module: &Bound<'_, PyModule>) -> PyResult<()> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

unary! {
    /// `-x`
    negative Call::Unary(Op::Neg);
    /// `x`, which no derivative goes through.
    stop_gradient Call::Unary(Op::Stop);
    /// `|x|`
    abs Call::Unary(Op::Abs);
    /// -1, 0 or 1
    sign Call::Unary(Op::Sign);
    /// `e ** x`
    exp Call::Unary(Op::Exp);
    /// `e ** x - 1`, exact near zero
    expm1 Call::Unary(Op::Expm1);
    /// Natural logarithm.
    log Call::Unary(Op::Log);
    /// `log(1 + x)`, exact near zero
    log1p Call::Unary(Op::Log1p);
    /// Square root.
    sqrt Call::Unary(Op::Sqrt);
    /// `1 / sqrt(x)`
    rsqrt Call::Unary(Op::Rsqrt);
    /// Sine of radians.
    sin Call::Unary(Op::Sin);
    /// Cosine of radians.
    cos Call::Unary(Op::Cos);
    /// Tangent of radians.
    tan Call::Unary(Op::Tan);
    /// Inverse tangent, in radians.
    atan Call::Unary(Op::Atan);
    /// Hyperbolic tangent.
    tanh Call::Unary(Op::Tanh);
    /// Gauss error function.
    erf Call::Unary(Op::Erf);
    /// The greatest integer not above.
    floor Call::Unary(Op::Floor);
    /// The least integer not below.
    ceil Call::Unary(Op::Ceil);
    /// The nearest integer, ties to even.
    round Call::Unary(Op::Round);
    /// Logical not.
    logical_not Call::Logical(Op::Not);
    /// Bitwise not.
    invert Call::Unary(Op::Not);
    /// True if each element is NaN.
    is_nan Call::Unary(Op::IsNan);
    /// True if each element is neither NaN nor infinite.
    is_finite Call::Unary(Op::IsFinite);
    /// `x * x`
    square Call::Square;
    /// `1 / (1 + e ** -x)`
    sigmoid Call::Sigmoid;
    /// `max(x, 0)`
    relu Call::Relu;
}

binary! {
    /// `x + y`
    add Call::Binary(Op::Add);
    /// `x - y`
    subtract Call::Binary(Op::Sub);
    /// `x * y`
    multiply Call::Binary(Op::Mul);
    /// `x / y`; integers divide in `float64`.
    divide Call::TrueDiv;
    /// `x // y`, rounded down.
    floordiv Call::Binary(Op::FloorDiv);
    /// `x % y`, with the sign of `y`.
    floormod Call::Binary(Op::Mod);
    /// `x ** y`
    pow Call::Binary(Op::Pow);
    /// The greater; NaN if either is.
    maximum Call::Binary(Op::Max);
    /// The lesser; NaN if either is.
    minimum Call::Binary(Op::Min);
    /// `x and y`, elementwise.
    logical_and Call::Logical(Op::And);
    /// `x or y`, elementwise.
    logical_or Call::Logical(Op::Or);
    /// Exclusive or, elementwise.
    logical_xor Call::Logical(Op::Xor);
    /// Bitwise and.
    bitwise_and Call::Binary(Op::And);
    /// Bitwise or.
    bitwise_or Call::Binary(Op::Or);
    /// Bitwise exclusive or.
    bitwise_xor Call::Binary(Op::Xor);
    /// `x << y`
    left_shift Call::Binary(Op::Shl);
    /// `x >> y`, arithmetic.
    right_shift Call::Binary(Op::Shr);
    /// `x == y`
    equal Call::Binary(Op::Eq);
    /// `x != y`
    not_equal Call::Binary(Op::Ne);
    /// `x < y`
    less Call::Binary(Op::Lt);
    /// `x <= y`
    less_equal Call::Binary(Op::Le);
    /// `x > y`
    greater Call::Binary(Op::Gt);
    /// `x >= y`
    greater_equal Call::Binary(Op::Ge);
}

/// The angle of the point `(x, y)`, in radians.
#[pyfunction]
#[pyo3(signature = (y, x, name=None))]
fn atan2<'py>(
    y: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(x.py(), &Call::Binary(Op::Atan2), &[y, x])
}

/// `x` where `condition` is true, else `y`.
#[pyfunction(name = "where")]
#[pyo3(signature = (condition, x, y, name=None))]
fn where_<'py>(
    condition: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(x.py(), &Call::Select, &[condition, x, y])
}

/// The elements in another type: floats are cut toward zero and saturate, integers wrap.
#[pyfunction]
#[pyo3(signature = (x, dtype, name=None))]
fn cast<'py>(
    x: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(x.py(), &Call::Cast(dtype::parse(dtype)?), &[x])
}

/// The elements, kept between two bounds.
#[pyfunction]
#[pyo3(signature = (t, clip_value_min, clip_value_max, name=None))]
fn clip_by_value<'py>(
    t: &Bound<'py, PyAny>,
    clip_value_min: &Bound<'py, PyAny>,
    clip_value_max: &Bound<'py, PyAny>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    operands::call(t.py(), &Call::Clip, &[t, clip_value_min, clip_value_max])
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    register_unary(module)?;
    register_binary(module)?;
    module.add_function(wrap_pyfunction!(atan2, module)?)?;
    module.add_function(wrap_pyfunction!(where_, module)?)?;
    module.add_function(wrap_pyfunction!(cast, module)?)?;
    module.add_function(wrap_pyfunction!(clip_by_value, module)?)
}
