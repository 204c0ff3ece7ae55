//! Functions of complex numbers, with the branch cuts, signed zeros and infinities of C99 (annex G).

use gw_types::DType;
use std::f64::consts::{FRAC_PI_2, LN_2};

use super::number::{Complex, rounded};

/// `√(re² + im²)` where parts have the precision of a type. Those whose squares leave the range of numbers are taken times a power
/// of two, and the root by its inverse.
pub(super) fn size(z: Complex, dtype: DType) -> f64 {
    let r = |x: f64| rounded(dtype, x);
    let (x, y) = (z.re.abs(), z.im.abs());
    if x.is_infinite() || y.is_infinite() {
        return f64::INFINITY;
    }
    let [high, low, down, up] = if dtype == DType::C64 { [60, -50, 70, 90] } else { [500, -450, 600, 600] };
    let most = x.max(y);
    let power = match most {
        _ if most >= 2f64.powi(high) => -down,
        _ if most < 2f64.powi(low) => up,
        _ => 0,
    };
    let (x, y) = (x * 2f64.powi(power), y * 2f64.powi(power));
    let root = r(r(r(x * x) + r(y * y)).sqrt());
    r(root * 2f64.powi(-power))
}

/// The size in double precision.
pub(super) fn abs(z: Complex) -> f64 {
    size(z, DType::C128)
}

pub(super) fn exp(z: Complex) -> Complex {
    let Complex { re: x, im: y } = z;
    let size = libm::exp(x);
    if y == 0.0 {
        return Complex::new(size, y);
    }
    if x.is_infinite() && !y.is_finite() {
        return if x < 0.0 { Complex::new(0.0, 0.0) } else { Complex::new(x, f64::NAN) };
    }
    let (cos, sin) = (libm::cos(y), libm::sin(y));
    if x > 700.0 && x.is_finite() {
        let half = libm::exp(x / 2.0);
        return Complex::new(half * (half * cos), half * (half * sin));
    }
    Complex::new(size * cos, size * sin)
}

/// `e^z - 1`, exact near 0.
pub(super) fn expm1(z: Complex) -> Complex {
    let half = libm::sin(z.im / 2.0);
    let whole = exp(z);
    let small = libm::expm1(z.re) * libm::cos(z.im) - 2.0 * half * half;
    if z.re.abs() < 1.0 { Complex::new(small, whole.im) } else { Complex::new(whole.re - 1.0, whole.im) }
}

/// The logarithm of the size, exact near 1, and the angle.
pub(super) fn log(z: Complex) -> Complex {
    let (x, y) = (z.re.abs(), z.im.abs());
    let (most, least) = if x >= y { (x, y) } else { (y, x) };
    let size = if most > 0.5 && most < 2.0 {
        libm::log1p((most - 1.0) * (most + 1.0) + least * least) / 2.0
    } else if most >= 4e307 {
        libm::log(abs(Complex::new(z.re * 0.25, z.im * 0.25))) + 2.0 * LN_2
    } else {
        libm::log(abs(z))
    };
    Complex::new(size, libm::atan2(z.im, z.re))
}

pub(super) fn log2(z: Complex) -> Complex {
    let found = log(z);
    Complex::new(found.re / LN_2, found.im / LN_2)
}

/// `ln (1 + z)`, exact near 0.
pub(super) fn log1p(z: Complex) -> Complex {
    let Complex { re: x, im: y } = z;
    let size = if x.abs() < 0.5 && y.abs() < 0.5 {
        libm::log1p(x * (2.0 + x) + y * y) / 2.0
    } else {
        log(Complex::new(1.0 + x, y)).re
    };
    Complex::new(size, libm::atan2(y, 1.0 + x))
}

/// The root on the right of the imaginary axis, with the sign of the imaginary part.
pub(super) fn sqrt(z: Complex) -> Complex {
    let Complex { re: x, im: y } = z;
    if x == 0.0 && y == 0.0 {
        return Complex::new(0.0, y);
    }
    if y.is_infinite() {
        return Complex::new(f64::INFINITY, y);
    }
    if x.is_infinite() {
        let none = if y.is_nan() { y } else { 0.0 };
        return if x > 0.0 {
            Complex::new(x, none.copysign(y))
        } else {
            Complex::new(none.abs(), (-x).copysign(y))
        };
    }
    // A quarter of a large number has half its root, and no size that overflows.
    // A small one is scaled up, so that its half is no zero.
    let most = x.abs().max(y.abs());
    let (up, down) = match most {
        _ if most >= 4e307 => (0.25, 2.0),
        _ if most < 1e-290 => (2f64.powi(108), 2f64.powi(-54)),
        _ => (1.0, 1.0),
    };
    let (u, v) = (x * up, y * up);
    let root = ((u.abs() + abs(Complex::new(u, v))) * 0.5).sqrt();
    let other = v.abs() / (2.0 * root);
    let (re, im) = if u >= 0.0 { (root, other) } else { (other, root) };
    Complex::new(re * down, (im * down).copysign(y))
}

/// `e^|x| / 2` times each, without what overflows on the way.
fn by_halves(x: f64, factors: [f64; 2]) -> [f64; 2] {
    let half = libm::exp(x.abs() / 2.0);
    factors.map(|factor| half * (half * 0.5 * factor))
}

pub(super) fn sinh(z: Complex) -> Complex {
    let Complex { re: x, im: y } = z;
    let (cos, sin) = (libm::cos(y), libm::sin(y));
    let [re, im] = if x.abs() > 700.0 && x.is_finite() {
        let [re, im] = by_halves(x, [cos, sin]);
        [re * x.signum(), im]
    } else {
        [libm::sinh(x) * cos, libm::cosh(x) * sin]
    };
    let re = if !y.is_finite() && (x == 0.0 || x.is_infinite()) { x } else { re };
    Complex::new(re, if y == 0.0 { y } else { im })
}

/// `cosh(i z)`
pub(super) fn cos(z: Complex) -> Complex {
    let Complex { re: x, im: y } = z;
    let (cos, sin) = (libm::cos(x), libm::sin(x));
    let [re, im] = if y.abs() > 700.0 && y.is_finite() {
        let [re, im] = by_halves(y, [cos, sin]);
        [re, im * y.signum()]
    } else {
        [cos * libm::cosh(y), sin * libm::sinh(y)]
    };
    let re = if y.is_infinite() && !x.is_finite() { f64::INFINITY } else { re };
    let im = match (x == 0.0, y == 0.0 && !x.is_finite()) {
        (true, _) => x * 1f64.copysign(y),
        (false, true) => y,
        (false, false) => im,
    };
    Complex::new(re, -im)
}

/// By Kahan's formula.
pub(super) fn tanh(z: Complex) -> Complex {
    let Complex { re: x, im: y } = z;
    if x.is_infinite() {
        let zero = if y.is_finite() { libm::sin(y) * libm::cos(y) } else { y };
        return Complex::new(x.signum(), 0f64.copysign(zero));
    }
    if y == 0.0 && x.is_nan() {
        return z;
    }
    if x == 0.0 && !y.is_finite() {
        return Complex::new(x, f64::NAN);
    }
    if x.abs() >= 22.0 && !y.is_finite() {
        return Complex::new(f64::NAN, f64::NAN);
    }
    if x.abs() >= 22.0 {
        let size = libm::exp(-x.abs());
        return Complex::new(x.signum(), 4.0 * libm::sin(y) * libm::cos(y) * size * size);
    }
    let t = libm::tan(y);
    let s = libm::sinh(x);
    let (beta, rho) = (1.0 + t * t, (1.0 + s * s).sqrt());
    let denominator = 1.0 + beta * s * s;
    Complex::new(beta * rho * s / denominator, t / denominator)
}

/// The direction of a part of a number that is infinite: of one that is finite none.
fn direction(part: f64) -> f64 {
    let size = if part.is_nan() { part } else { f64::from(u8::from(part.is_infinite())) };
    size.copysign(part)
}

/// By Kahan's formula.
pub(super) fn asin(z: Complex) -> Complex {
    if z.re.is_infinite() || z.im.is_infinite() {
        let angle = libm::atan2(direction(z.re), direction(z.im).abs());
        return Complex::new(angle, f64::INFINITY.copysign(z.im));
    }
    if z.re == 0.0 && z.im.is_nan() {
        return z;
    }
    let below = sqrt(Complex::new(1.0 - z.re, -z.im));
    let above = sqrt(Complex::new(1.0 + z.re, z.im));
    let product = below.times(above, DType::C128);
    let other = below.conj().times(above, DType::C128);
    Complex::new(libm::atan2(z.re, product.re), libm::asinh(other.im))
}

pub(super) fn atanh(z: Complex) -> Complex {
    let (x, y) = (z.re.abs(), z.im);
    if z.re.is_infinite() || z.im.is_infinite() {
        let angle = if y.is_nan() { y } else { FRAC_PI_2.copysign(y) };
        return Complex::new(0f64.copysign(z.re), angle);
    }
    if z.re == 0.0 && y.is_nan() {
        return z;
    }
    let size = abs(z);
    if size > 1e10 {
        return Complex::new((x / size / size).copysign(z.re), FRAC_PI_2.copysign(y));
    }
    let below = (1.0 - x) * (1.0 - x) + y * y;
    // Near 1 the square of the distance is no number that is more than zero, the distance is.
    let near = (LN_2 - libm::log(abs(Complex::new(1.0 - x, y)))) / 2.0;
    let re = if below < 1e-280 { near } else { libm::log1p(4.0 * x / below) / 4.0 };
    let im = libm::atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y) / 2.0;
    Complex::new(re.copysign(z.re), im)
}

/// Products for small whole exponents, as NumPy has it; else by the exponential.
pub(super) fn pow(x: Complex, y: Complex) -> Complex {
    if y.re == 0.0 && y.im == 0.0 {
        return Complex::new(1.0, 0.0);
    }
    if x.re == 0.0 && x.im == 0.0 {
        return if y.re > 0.0 { Complex::new(0.0, 0.0) } else { Complex::new(f64::NAN, f64::NAN) };
    }
    if y.im == 0.0 && y.re.fract() == 0.0 && y.re.abs() < 100.0 {
        let mut power = Complex::new(1.0, 0.0);
        (0..y.re.abs() as u32).for_each(|_| power = power.times(x, DType::C128));
        return if y.re < 0.0 { Complex::new(1.0, 0.0).over(power, DType::C128) } else { power };
    }
    exp(y.times(log(x), DType::C128))
}
