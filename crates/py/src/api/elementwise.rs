//! Elementwise functions, each a row of a table. `cargo xtask stubs` writes their types for type checkers from here; the Python package
//! takes their names from the module.

use gw_ir::{BinaryOp, CompareOp, PartOp, Takes, TestOp, UnaryOp};
use gw_trace::calls::Call;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::host::operands;
use crate::values::dtype;

macro_rules! function {
    ($(#[$doc:meta])* $name:ident ($x:ident, $y:ident) $of:literal, $example:literal => $shown:literal, $call:expr) => {
        $(#[$doc])*
        #[doc = ""]
        #[doc = " Args:"]
        #[doc = concat!("  ", stringify!($x), ": tensor of any shape, ", $of, ".")]
        #[doc = concat!("  ", stringify!($y), ": tensor that broadcasts against `", stringify!($x), "`.")]
        #[doc = "   name: accepted as in TensorFlow; has no effect."]
        #[doc = ""]
        #[doc = " Returns:"]
        #[doc = "   Tensor of the broadcast shape."]
        #[doc = ""]
        #[doc = " Raises:"]
        #[doc = "   ValueError: the shapes do not broadcast (GW202)."]
        #[doc = ""]
        #[doc = " Example:"]
        #[doc = concat!("  >>> ", $example)]
        #[doc = concat!("  ", $shown)]
        #[pyfunction]
        #[pyo3(signature = ($x, $y, name=None))]
        fn $name<'py>(
            $x: &Bound<'py, PyAny>,
            $y: &Bound<'py, PyAny>,
            name: Option<&str>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let _ = name;
            operands::call($x.py(), &$call, &[$x, $y])
        }
    };
}

macro_rules! functions {
    ($table:ident (x) $($(#[$doc:meta])* $name:ident $call:expr, $of:literal, $example:literal => $shown:literal;)*) => {
        $(
            $(#[$doc])*
            #[doc = ""]
            #[doc = " Args:"]
            #[doc = concat!("  x: tensor of any shape, ", $of, ".")]
            #[doc = "   name: accepted as in TensorFlow; has no effect."]
            #[doc = ""]
            #[doc = " Returns:"]
            #[doc = "   Tensor of the same shape."]
            #[doc = ""]
            #[doc = " Example:"]
            #[doc = concat!("  >>> ", $example)]
            #[doc = concat!("  ", $shown)]
            #[pyfunction]
            #[pyo3(signature = (x, name=None))]
            fn $name<'py>(x: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
                let _ = name;
                operands::call(x.py(), &$call, &[x])
            }
        )*

        functions! { @registered $table $($name $call;)* }
    };
    ($table:ident ($x:ident, $y:ident) $($(#[$doc:meta])* $name:ident $call:expr, $of:literal, $example:literal => $shown:literal;)*) => {
        $(function! { $(#[$doc])* $name ($x, $y) $of, $example => $shown, $call })*

        functions! { @registered $table $($name $call;)* }
    };
    (@registered $table:ident $($name:ident $call:expr;)*) => {
        /// Adds the functions of the table to the module; gives their names and calls.
        fn $table(module: &Bound<'_, PyModule>) -> PyResult<Vec<(&'static str, Call)>> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(vec![$((stringify!($name), $call)),*])
        }
    };
}

functions! {
    math_of_one (x)
    /// Negates each element.
    negative Call::unary(UnaryOp::Neg), "numbers",
        "gw.negative(gw.constant([1, -2]))" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([-1,  2], dtype=int32)>";
    /// Computes absolute values.
    abs Call::unary(UnaryOp::Abs), "numbers",
        "gw.abs(gw.constant([1, -2]))" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>";
    /// Computes signs: -1, 0 or 1.
    sign Call::unary(UnaryOp::Sign), "numbers",
        "gw.sign(gw.constant([3, 0, -2]))" => "<gw.Tensor: shape=(3,), dtype=int32, numpy=array([ 1,  0, -1], dtype=int32)>";
    /// Computes `e ** x`.
    exp Call::unary(UnaryOp::Exp), "`float32` or `float64`",
        "gw.exp(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.       , 2.7182817], dtype=float32)>";
    /// Computes `e ** x - 1`, exactly near zero.
    expm1 Call::unary(UnaryOp::Expm1), "`float32` or `float64`",
        "gw.expm1(gw.constant([0.0, 1e-8]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.e+00, 1.e-08], dtype=float32)>";
    /// Computes natural logarithms.
    log Call::unary(UnaryOp::Log), "`float32` or `float64`",
        "gw.log(gw.constant([1.0, 2.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.6931472], dtype=float32)>";
    /// Computes logarithms to base 2, exactly of powers of two.
    log2 Call::unary(UnaryOp::Log2), "`float32` or `float64`",
        "gw.log2(gw.constant([8.0, 0.5]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([ 3., -1.], dtype=float32)>";
    /// Computes `log(1 + x)`, exactly near zero.
    log1p Call::unary(UnaryOp::Log1p), "`float32` or `float64`",
        "gw.log1p(gw.constant([0.0, 1e-8]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.e+00, 1.e-08], dtype=float32)>";
    /// Computes square roots.
    sqrt Call::unary(UnaryOp::Sqrt), "`float32` or `float64`",
        "gw.sqrt(gw.constant([4.0, 9.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>";
    /// Computes `1 / sqrt(x)`.
    rsqrt Call::unary(UnaryOp::Rsqrt), "`float32` or `float64`",
        "gw.rsqrt(gw.constant([4.0, 16.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.5 , 0.25], dtype=float32)>";
    /// Computes sines of radians.
    sin Call::unary(UnaryOp::Sin), "`float32` or `float64`",
        "gw.sin(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.      , 0.841471], dtype=float32)>";
    /// Computes cosines of radians.
    cos Call::unary(UnaryOp::Cos), "`float32` or `float64`",
        "gw.cos(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.       , 0.5403023], dtype=float32)>";
    /// Computes tangents of radians.
    tan Call::unary(UnaryOp::Tan), "`float32` or `float64`",
        "gw.tan(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.5574079], dtype=float32)>";
    /// Computes inverse tangents in radians.
    atan Call::unary(UnaryOp::Atan), "`float32` or `float64`",
        "gw.atan(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.7853982], dtype=float32)>";
    /// Computes inverse hyperbolic sines.
    asinh Call::unary(UnaryOp::Asinh), "`float32` or `float64`",
        "gw.asinh(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.8813736], dtype=float32)>";
    /// Computes hyperbolic tangents.
    tanh Call::unary(UnaryOp::Tanh), "`float32` or `float64`",
        "gw.tanh(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.7615942], dtype=float32)>";
    /// Computes the Gauss error function.
    erf Call::unary(UnaryOp::Erf), "`float32` or `float64`",
        "gw.erf(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 0.8427007], dtype=float32)>";
    /// Rounds down to whole numbers.
    floor Call::unary(UnaryOp::Floor), "`float32` or `float64`",
        "gw.floor(gw.constant([1.5, -1.5]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([ 1., -2.], dtype=float32)>";
    /// Rounds up to whole numbers.
    ceil Call::unary(UnaryOp::Ceil), "`float32` or `float64`",
        "gw.ceil(gw.constant([1.5, -1.5]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([ 2., -1.], dtype=float32)>";
    /// Rounds to the nearest whole numbers, ties to even.
    round Call::unary(UnaryOp::Round), "`float32` or `float64`",
        "gw.round(gw.constant([0.5, 1.5]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0., 2.], dtype=float32)>";
    /// Negates truth values.
    logical_not Call::logical(UnaryOp::Not), "`bool`",
        "gw.logical_not(gw.constant([True, False]))" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>";
    /// Tells which elements are NaN.
    is_nan Call::unary(TestOp::IsNan), "`float32` or `float64`",
        "gw.is_nan(gw.constant([1.0, float('nan')]))" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>";
    /// Tells which elements are neither NaN nor infinite.
    is_finite Call::unary(TestOp::IsFinite), "`float32` or `float64`",
        "gw.is_finite(gw.constant([1.0, float('inf')]))" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>";
    /// Computes `x * x`.
    square Call::Square, "numbers",
        "gw.square(gw.constant([2, -3]))" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([4, 9], dtype=int32)>";
    /// Computes `1 / (1 + e ** -x)`.
    sigmoid Call::Sigmoid, "`float32` or `float64`",
        "gw.sigmoid(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.5      , 0.7310586], dtype=float32)>";
}

functions! {
    math_of_two (x, y)
    /// Computes `x + y`.
    add Call::binary(BinaryOp::Add), "numbers or strings",
        "gw.add(gw.constant([1, 2]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([4, 5], dtype=int32)>";
    /// Computes `x - y`.
    subtract Call::binary(BinaryOp::Sub), "numbers",
        "gw.subtract(gw.constant([1, 2]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([-2, -1], dtype=int32)>";
    /// Computes `x * y`.
    multiply Call::binary(BinaryOp::Mul), "numbers",
        "gw.multiply(gw.constant([1, 2]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([3, 6], dtype=int32)>";
    /// Computes `x / y`; integers divide in `float64`.
    divide Call::TrueDiv, "numbers",
        "gw.divide(gw.constant([1.0, 2.0]), 4.0)" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.25, 0.5 ], dtype=float32)>";
    /// Computes `x // y`, rounded down.
    floordiv Call::binary(BinaryOp::FloorDiv), "numbers",
        "gw.floordiv(gw.constant([7, -7]), 2)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 3, -4], dtype=int32)>";
    /// Computes `x % y`, with the sign of `y`.
    floormod Call::binary(BinaryOp::Mod), "numbers",
        "gw.floormod(gw.constant([7, -7]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>";
    /// Computes `x ** y`.
    pow Call::binary(BinaryOp::Pow), "numbers",
        "gw.pow(gw.constant([2, 3]), 2)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([4, 9], dtype=int32)>";
    /// Returns the greater element, NaN if either is.
    maximum Call::binary(BinaryOp::Max), "numbers",
        "gw.maximum(gw.constant([1, 5]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([3, 5], dtype=int32)>";
    /// Returns the lesser element, NaN if either is.
    minimum Call::binary(BinaryOp::Min), "numbers",
        "gw.minimum(gw.constant([1, 5]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([1, 3], dtype=int32)>";
    /// Computes `x and y`, elementwise.
    logical_and Call::logical(BinaryOp::And), "`bool`",
        "gw.logical_and(gw.constant([True, False]), True)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>";
    /// Computes `x or y`, elementwise.
    logical_or Call::logical(BinaryOp::Or), "`bool`",
        "gw.logical_or(gw.constant([True, False]), False)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>";
    /// Computes the exclusive or, elementwise.
    logical_xor Call::logical(BinaryOp::Xor), "`bool`",
        "gw.logical_xor(gw.constant([True, False]), True)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>";
    /// Computes `x == y`.
    equal Call::binary(CompareOp::Eq), "any dtype",
        "gw.equal(gw.constant([1, 2]), 2)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>";
    /// Computes `x != y`.
    not_equal Call::binary(CompareOp::Ne), "any dtype",
        "gw.not_equal(gw.constant([1, 2]), 2)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>";
    /// Computes `x < y`.
    less Call::binary(CompareOp::Lt), "numbers or strings",
        "gw.less(gw.constant([1, 2]), 2)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([ True, False])>";
    /// Computes `x <= y`.
    less_equal Call::binary(CompareOp::Le), "numbers or strings",
        "gw.less_equal(gw.constant([1, 2]), 2)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([ True,  True])>";
    /// Computes `x > y`.
    greater Call::binary(CompareOp::Gt), "numbers or strings",
        "gw.greater(gw.constant([1, 2]), 2)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([False, False])>";
    /// Computes `x >= y`.
    greater_equal Call::binary(CompareOp::Ge), "numbers or strings",
        "gw.greater_equal(gw.constant([1, 2]), 2)" => "<gw.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>";
}

functions! {
    math_of_angles (y, x)
    /// Computes angles of the points `(x, y)` in radians, between -π and π.
    atan2 Call::binary(BinaryOp::Atan2), "floats",
        "gw.atan2(gw.constant(1.0), gw.constant(1.0))" => "<gw.Tensor: shape=(), dtype=float32, numpy=0.7853981852531433>";
}

functions! {
    parts (x)
    /// Returns the real parts; of real numbers themselves.
    real Call::Part(PartOp::Real), "numbers",
        "gw.math.real(gw.constant([1 + 2j, 3j]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.], dtype=float32)>";
    /// Returns the imaginary parts; of real numbers zeros.
    imag Call::Part(PartOp::Imag), "numbers",
        "gw.math.imag(gw.constant([1 + 2j, 3j]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([2., 3.], dtype=float32)>";
    /// Computes complex conjugates; of real numbers themselves.
    conj Call::Conj, "numbers",
        "gw.math.conj(gw.constant([1 + 2j, 3j]))" => "<gw.Tensor: shape=(2,), dtype=complex64, numpy=array([1.-2.j, 0.-3.j], dtype=complex64)>";
    /// Computes angles with the real axis in radians, between -π and π.
    angle Call::Angle, "numbers",
        "gw.math.angle(gw.constant([1j, 2.0 + 0j]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([1.5707964, 0.       ], dtype=float32)>";
}

functions! {
    of_parts (real, imag)
    /// Makes complex numbers of their real and imaginary parts.
    complex Call::Complex, "`float32` or `float64`",
        "gw.complex(gw.constant([1.0, 2.0]), 3.0)" => "<gw.Tensor: shape=(2,), dtype=complex64, numpy=array([1.+3.j, 2.+3.j], dtype=complex64)>";
}

functions! {
    bits_of_one (x)
    /// Inverts all bits.
    invert Call::unary(UnaryOp::Not), "integers or bools",
        "gw.invert(gw.constant([0, 5]))" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([-1, -6], dtype=int32)>";
}

functions! {
    bits_of_two (x, y)
    /// Computes the and of bits.
    bitwise_and Call::binary(BinaryOp::And), "integers or bools",
        "gw.bitwise_and(gw.constant([6, 5]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([2, 1], dtype=int32)>";
    /// Computes the or of bits.
    bitwise_or Call::binary(BinaryOp::Or), "integers or bools",
        "gw.bitwise_or(gw.constant([6, 5]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([7, 7], dtype=int32)>";
    /// Computes the exclusive or of bits.
    bitwise_xor Call::binary(BinaryOp::Xor), "integers or bools",
        "gw.bitwise_xor(gw.constant([6, 5]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([5, 6], dtype=int32)>";
    /// Computes `x << y`.
    left_shift Call::binary(BinaryOp::Shl), "integers",
        "gw.left_shift(gw.constant([1, 2]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 8, 16], dtype=int32)>";
    /// Computes `x >> y`, arithmetic.
    right_shift Call::binary(BinaryOp::Shr), "integers",
        "gw.right_shift(gw.constant([16, -16]), 3)" => "<gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 2, -2], dtype=int32)>";
}

functions! {
    others (x)
    /// Computes inverse sines of real numbers; those of complex ones are compositions.
    asin Call::unary(UnaryOp::Asin), "`float32` or `float64`",
        "gw.asin(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.5707964], dtype=float32)>";
    /// Computes inverse cosines of real numbers; those of complex ones are compositions.
    acos Call::unary(UnaryOp::Acos), "`float32` or `float64`",
        "gw.acos(gw.constant([1.0, 0.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.5707964], dtype=float32)>";
    /// Computes hyperbolic sines of real numbers; those of complex ones are compositions.
    sinh Call::unary(UnaryOp::Sinh), "`float32` or `float64`",
        "gw.sinh(gw.constant([0.0, 1.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.       , 1.1752012], dtype=float32)>";
    /// Returns the tensor, through which no derivative goes.
    stop_gradient Call::unary(UnaryOp::Stop), "any dtype",
        "gw.stop_gradient(gw.constant([1.0, 2.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>";
    /// Computes `max(x, 0)`.
    relu Call::Relu, "numbers",
        "gw.nn.relu(gw.constant([1.0, -2.0]))" => "<gw.Tensor: shape=(2,), dtype=float32, numpy=array([1., 0.], dtype=float32)>";
}

/// Chooses elements of `x` where a condition holds and of `y` elsewhere; without these, gives the positions where it holds.
///
/// Args:
///   condition: `bool` tensor; without `x` and `y` a tensor of numbers, of which those that are not zero count.
///   x: tensor that broadcasts against the condition.
///   y: tensor that broadcasts against both.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the broadcast shape; of positions an `int64` tensor `[count, axes]` with a row for each, in row-major order.
///
/// Raises:
///   ValueError: the shapes do not broadcast (GW202), or only one of `x` and `y` is given.
///
/// Example:
///   >>> gw.where(gw.constant([True, False]), 1, 2)
///   <gw.Tensor: shape=(2,), dtype=int64, numpy=array([1, 2])>
///   >>> gw.where(gw.constant([0, 3, 5])).numpy().tolist()
///   [[1], [2]]
#[pyfunction(name = "where")]
#[pyo3(signature = (condition, x=None, y=None, name=None))]
fn where_<'py>(
    condition: &Bound<'py, PyAny>,
    x: Option<&Bound<'py, PyAny>>,
    y: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    match (x, y) {
        (Some(x), Some(y)) => operands::call(x.py(), &Call::Select, &[condition, x, y]),
        (None, None) => operands::call(condition.py(), &Call::Nonzero, &[condition]),
        (Some(_), None) | (None, Some(_)) => {
            Err(PyValueError::new_err("`where` takes both `x` and `y`, or neither of them"))
        }
    }
}

/// Converts elements to another dtype.
///
/// Floats are cut toward zero and saturate; integers wrap.
///
/// Args:
///   x: tensor or array of any shape and dtype.
///   dtype: the dtype.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same shape.
///
/// Raises:
///   TypeError: one of both dtypes is `string` (GW201).
///
/// Example:
///   >>> gw.cast(gw.constant([1.7, -1.7]), gw.int32)
///   <gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -1], dtype=int32)>
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

/// Limits elements to an interval.
///
/// Args:
///   t: tensor of numbers, of any shape.
///   clip_value_min: lower bound.
///   clip_value_max: upper bound.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same dtype.
///
/// Example:
///   >>> gw.clip_by_value(gw.constant([1, 5, 9]), 2, 6)
///   <gw.Tensor: shape=(3,), dtype=int32, numpy=array([2, 5, 6], dtype=int32)>
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
    let mut math = math_of_one(module)?;
    math.extend(math_of_two(module)?);
    math.extend(math_of_angles(module)?);
    module.add("MATH", math.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    let reals = math.iter().filter(|(_, call)| takes_reals(call)).map(|(name, _)| *name);
    module.add("REALS", reals.collect::<Vec<_>>())?;
    parts(module)?;
    of_parts(module)?;
    bits_of_one(module)?;
    bits_of_two(module)?;
    others(module)?;
    module.add_function(wrap_pyfunction!(where_, module)?)?;
    module.add_function(wrap_pyfunction!(cast, module)?)?;
    module.add_function(wrap_pyfunction!(clip_by_value, module)?)
}

/// True of a function of one real number that is an op.
fn takes_reals(call: &Call) -> bool {
    if let Call::Unary(op) = call { [Takes::Reals, Takes::Analytic].contains(&op.takes()) } else { false }
}
