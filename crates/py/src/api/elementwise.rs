//! Elementwise functions, each a row of a table. `cargo xtask stubs` writes their types for type checkers from here; the Python package
//! takes their names from the module.

use gw_ir::{BinaryOp, CompareOp, Takes, TestOp, UnaryOp};
use gw_trace::calls::Call;
use pyo3::prelude::*;

use crate::host::operands;
use crate::values::dtype;

macro_rules! function {
    ($(#[$doc:meta])* $function:ident ($first:ident $(, $more:ident)*) $call:expr) => {
        $(#[$doc])*
        #[pyfunction]
        #[pyo3(signature = ($first, $($more,)* name=None))]
        fn $function<'py>(
            $first: &Bound<'py, PyAny>,
            $($more: &Bound<'py, PyAny>,)*
            name: Option<&str>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let _ = name;
            operands::call($first.py(), &$call, &[$first, $($more)*])
        }
    };
}

macro_rules! functions {
    ($table:ident $parameters:tt $($(#[$doc:meta])* $name:ident $call:expr;)*) => {
        $(function! { $(#[$doc])* $name $parameters $call })*

        /// Adds the functions of the table to the module; gives their names and calls.
        fn $table(module: &Bound<'_, PyModule>) -> PyResult<Vec<(&'static str, Call)>> {
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(vec![$((stringify!($name), $call)),*])
        }
    };
}

functions! {
    math_of_one (x)
    /// `-x`
    negative Call::unary(UnaryOp::Neg);
    /// `|x|`
    abs Call::unary(UnaryOp::Abs);
    /// -1, 0 or 1
    sign Call::unary(UnaryOp::Sign);
    /// `e ** x`
    exp Call::unary(UnaryOp::Exp);
    /// `e ** x - 1`, exact near zero
    expm1 Call::unary(UnaryOp::Expm1);
    /// Natural logarithm.
    log Call::unary(UnaryOp::Log);
    /// Logarithm to base 2, exact of powers of two.
    log2 Call::unary(UnaryOp::Log2);
    /// `log(1 + x)`, exact near zero
    log1p Call::unary(UnaryOp::Log1p);
    /// Square root.
    sqrt Call::unary(UnaryOp::Sqrt);
    /// `1 / sqrt(x)`
    rsqrt Call::unary(UnaryOp::Rsqrt);
    /// Sine of radians.
    sin Call::unary(UnaryOp::Sin);
    /// Cosine of radians.
    cos Call::unary(UnaryOp::Cos);
    /// Tangent of radians.
    tan Call::unary(UnaryOp::Tan);
    /// Inverse tangent, in radians.
    atan Call::unary(UnaryOp::Atan);
    /// Inverse hyperbolic sine.
    asinh Call::unary(UnaryOp::Asinh);
    /// Hyperbolic tangent.
    tanh Call::unary(UnaryOp::Tanh);
    /// Gauss error function.
    erf Call::unary(UnaryOp::Erf);
    /// The greatest integer not above.
    floor Call::unary(UnaryOp::Floor);
    /// The least integer not below.
    ceil Call::unary(UnaryOp::Ceil);
    /// The nearest integer, ties to even.
    round Call::unary(UnaryOp::Round);
    /// Logical not.
    logical_not Call::logical(UnaryOp::Not);
    /// True if each element is NaN.
    is_nan Call::unary(TestOp::IsNan);
    /// True if each element is neither NaN nor infinite.
    is_finite Call::unary(TestOp::IsFinite);
    /// `x * x`
    square Call::Square;
    /// `1 / (1 + e ** -x)`
    sigmoid Call::Sigmoid;
}

functions! {
    math_of_two (x, y)
    /// `x + y`
    add Call::binary(BinaryOp::Add);
    /// `x - y`
    subtract Call::binary(BinaryOp::Sub);
    /// `x * y`
    multiply Call::binary(BinaryOp::Mul);
    /// `x / y`; integers divide in `float64`.
    divide Call::TrueDiv;
    /// `x // y`, rounded down.
    floordiv Call::binary(BinaryOp::FloorDiv);
    /// `x % y`, with the sign of `y`.
    floormod Call::binary(BinaryOp::Mod);
    /// `x ** y`
    pow Call::binary(BinaryOp::Pow);
    /// The greater; NaN if either is.
    maximum Call::binary(BinaryOp::Max);
    /// The lesser; NaN if either is.
    minimum Call::binary(BinaryOp::Min);
    /// `x and y`, elementwise.
    logical_and Call::logical(BinaryOp::And);
    /// `x or y`, elementwise.
    logical_or Call::logical(BinaryOp::Or);
    /// Exclusive or, elementwise.
    logical_xor Call::logical(BinaryOp::Xor);
    /// `x == y`
    equal Call::binary(CompareOp::Eq);
    /// `x != y`
    not_equal Call::binary(CompareOp::Ne);
    /// `x < y`
    less Call::binary(CompareOp::Lt);
    /// `x <= y`
    less_equal Call::binary(CompareOp::Le);
    /// `x > y`
    greater Call::binary(CompareOp::Gt);
    /// `x >= y`
    greater_equal Call::binary(CompareOp::Ge);
}

functions! {
    math_of_angles (y, x)
    /// The angle of the point `(x, y)`, in radians.
    atan2 Call::binary(BinaryOp::Atan2);
}

functions! {
    bits_of_one (x)
    /// Bitwise not.
    invert Call::unary(UnaryOp::Not);
}

functions! {
    bits_of_two (x, y)
    /// Bitwise and.
    bitwise_and Call::binary(BinaryOp::And);
    /// Bitwise or.
    bitwise_or Call::binary(BinaryOp::Or);
    /// Bitwise exclusive or.
    bitwise_xor Call::binary(BinaryOp::Xor);
    /// `x << y`
    left_shift Call::binary(BinaryOp::Shl);
    /// `x >> y`, arithmetic.
    right_shift Call::binary(BinaryOp::Shr);
}

functions! {
    others (x)
    /// `x`, which no derivative goes through.
    stop_gradient Call::unary(UnaryOp::Stop);
    /// `max(x, 0)`
    relu Call::Relu;
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
    let mut math = math_of_one(module)?;
    math.extend(math_of_two(module)?);
    math.extend(math_of_angles(module)?);
    module.add("MATH", math.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    let reals = math.iter().filter(|(_, call)| takes_reals(call)).map(|(name, _)| *name);
    module.add("REALS", reals.collect::<Vec<_>>())?;
    bits_of_one(module)?;
    bits_of_two(module)?;
    others(module)?;
    module.add_function(wrap_pyfunction!(where_, module)?)?;
    module.add_function(wrap_pyfunction!(cast, module)?)?;
    module.add_function(wrap_pyfunction!(clip_by_value, module)?)
}

/// True of a function of one real number that is an op.
fn takes_reals(call: &Call) -> bool {
    if let Call::Unary(op) = call { op.takes() == Takes::Reals } else { false }
}
