//! Arithmetic of integers that may leave their type: the exact result, and what is said where it does not fit.

use crate::{DType, Scalar};

/// A step of arithmetic whose result an integer type may have no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    /// `-x`
    Neg,
    /// `abs(x)`
    Abs,
    /// `x + y`
    Add,
    /// `x - y`
    Sub,
    /// `x * y`
    Mul,
    /// `x // y`
    FloorDiv,
    /// `x ** y`
    Pow,
    /// `x << y`
    Shl,
    /// `int(x)`
    Cast,
}

/// Larger than any element, and small enough to be multiplied by one.
const HUGE: i128 = 1 << 64;

impl Arithmetic {
    /// Every step; its position is its number in stored code.
    pub const ALL: [Arithmetic; 9] = [
        Arithmetic::Neg,
        Arithmetic::Abs,
        Arithmetic::Add,
        Arithmetic::Sub,
        Arithmetic::Mul,
        Arithmetic::FloorDiv,
        Arithmetic::Pow,
        Arithmetic::Shl,
        Arithmetic::Cast,
    ];

    /// The exact result of integers of 64 bits; what leaves these gives some number that does so too. Divisors are
    /// not zero, exponents and amounts not negative; steps of one operand do not read `y`.
    pub fn exact(self, wide: i128, other: i128) -> i128 {
        match self {
            Arithmetic::Neg => -wide,
            Arithmetic::Abs => wide.abs(),
            Arithmetic::Add => wide + other,
            Arithmetic::Sub => wide - other,
            Arithmetic::Mul => wide.saturating_mul(other),
            Arithmetic::FloorDiv => {
                let (quotient, rest) = (wide / other, wide % other);
                quotient - i128::from(rest != 0 && (rest < 0) != (other < 0))
            }
            Arithmetic::Pow if wide == -1 => 1 - 2 * (other & 1),
            Arithmetic::Pow => {
                (0..other).try_fold(1i128, |power, _| longer(power, wide)).unwrap_or_else(|end| end)
            }
            Arithmetic::Shl => {
                (0..other).try_fold(wide, |shifted, _| longer(shifted, 2)).unwrap_or_else(|end| end)
            }
            Arithmetic::Cast => wide,
        }
    }

    /// The text around the operands in the message of an overflow; the last two pieces belong together for one operand.
    pub fn pieces(self, to: DType) -> [String; 3] {
        let (before, between) = match self {
            Arithmetic::Neg => ("-(", ")"),
            Arithmetic::Abs => ("abs(", ")"),
            Arithmetic::Add => ("", " + "),
            Arithmetic::Sub => ("", " - "),
            Arithmetic::Mul => ("", " * "),
            Arithmetic::FloorDiv => ("", " // "),
            Arithmetic::Pow => ("", " ** "),
            Arithmetic::Shl => ("", " << "),
            Arithmetic::Cast => ("", ""),
        };
        let wider = if to == DType::I64 { "floats" } else { "`int64`" };
        let end = format!(
            " does not fit `{}`; compute in {wider}, or let integers wrap with `integer_overflow=\"wrap\"`",
            to.python_name()
        );
        [format!("integer overflow: {before}"), between.to_owned(), end]
    }

    /// The number of operands.
    pub fn operands(self) -> usize {
        if matches!(self, Arithmetic::Neg | Arithmetic::Abs | Arithmetic::Cast) { 1 } else { 2 }
    }

    /// The message of an overflow.
    pub fn message(self, to: DType, operands: &[Scalar]) -> String {
        let word = |at: usize| match operands.get(at).copied() {
            Some(Scalar::Float(x)) => format!("{x:?}"),
            Some(x) => x.to_integer().to_string(),
            None => String::new(),
        };
        let [before, between, end] = self.pieces(to);
        let second = if self.operands() == 2 { word(1) } else { String::new() };
        format!("{before}{}{between}{second}{end}", word(0))
    }
}

/// A product, or as an error one past which nothing gets smaller again.
fn longer(x: i128, by: i128) -> Result<i128, i128> {
    let product = x.checked_mul(by).ok_or(i128::MAX)?;
    if product == x || product.abs() > HUGE { Err(product) } else { Ok(product) }
}

impl DType {
    /// True if arithmetic of its scalars may be checked: words without a sign wrap, as hashes and generators of random numbers want it.
    pub fn is_checked(self) -> bool {
        self.is_int() && self != DType::U64
    }

    /// True if an integer type has room for a number.
    pub fn holds(self, number: i128) -> bool {
        self.ends().is_some_and(|(least, most)| least <= number && number <= most)
    }

    /// True if an integer type has room for a number that is cut toward zero.
    pub fn holds_cut(self, number: f64) -> bool {
        let number = number.trunc();
        self.cut_ends().is_some_and(|(least, end)| least <= number && number < end)
    }

    /// The least float that an integer type has room for, and the least above it that it has none for.
    pub fn cut_ends(self) -> Option<(f64, f64)> {
        self.ends().map(|(least, most)| (least as f64, (most / 2 + 1) as f64 * 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_exact() {
        for (step, x, y, exact) in [
            (Arithmetic::Neg, i64::MIN, 0i64, 1i128 << 63),
            (Arithmetic::Abs, i64::MIN, 0, 1 << 63),
            (Arithmetic::Mul, i64::MIN, i64::MIN, 1 << 126),
            (Arithmetic::FloorDiv, i64::MIN, -1, 1 << 63),
            (Arithmetic::FloorDiv, -7, 2, -4),
            (Arithmetic::Pow, -2, 63, -(1 << 63)),
            (Arithmetic::Pow, -1, i64::MAX, -1),
            (Arithmetic::Pow, 0, 0, 1),
            (Arithmetic::Pow, 0, i64::MAX, 0),
            (Arithmetic::Shl, -1, 63, -(1 << 63)),
            (Arithmetic::Shl, 0, i64::MAX, 0),
        ] {
            assert_eq!(step.exact(x.into(), y.into()), exact, "{step:?} of {x} and {y}");
        }
        assert!(!DType::I64.holds(Arithmetic::Pow.exact(3, i64::MAX.into())));
        assert!(!DType::I64.holds(Arithmetic::Shl.exact(1, 64)));
    }

    #[test]
    fn floats_fit_up_to_the_ends() {
        assert!(DType::I64.holds_cut(-(2f64.powi(63))));
        assert!(!DType::I64.holds_cut(2f64.powi(63)));
        assert!(DType::I32.holds_cut(2147483647.9));
        assert!(!DType::I32.holds_cut(f64::NAN));
        assert!(!DType::I64.holds_cut(f64::INFINITY));
    }

    #[test]
    fn messages_show_the_operands() {
        let message = Arithmetic::Mul.message(DType::I32, &[Scalar::Int(1 << 30), Scalar::Int(-3)]);
        assert!(message.starts_with("integer overflow: 1073741824 * -3 does not fit `int32`; "), "{message}");
    }
}
