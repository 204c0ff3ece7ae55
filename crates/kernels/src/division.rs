//! Python's division of floats, exact for any two numbers.

/// `divmod(x, y)` as Python computes it, but a zero divisor gives what IEEE division and NaN give.
pub(crate) fn floor_div_mod(x: f64, y: f64) -> (f64, f64) {
    if y == 0.0 {
        return (x / y, f64::NAN);
    }
    let remainder = x % y;
    let wrong_sign = remainder != 0.0 && (remainder < 0.0) != (y < 0.0);
    let modulo = match (wrong_sign, remainder == 0.0) {
        (true, _) => remainder + y,
        (false, true) => 0f64.copysign(y),
        (false, false) => remainder,
    };
    let quotient = (x - remainder) / y - f64::from(u8::from(wrong_sign));
    if quotient == 0.0 {
        return (0f64.copysign(x / y), modulo);
    }
    let floor = quotient.floor();
    (if quotient - floor > 0.5 { floor + 1.0 } else { floor }, modulo)
}
