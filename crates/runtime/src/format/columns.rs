//! The width of an array's elements: as many characters before and behind the point as the longest of them has.

use gw_types::{DType, Scalar};

use super::{format_element, shortest};

/// The most digits behind the point.
const PRECISION: usize = 8;

/// Form in which the elements of an array are written.
pub(super) enum Columns {
    /// Integers of so many characters.
    Integers(usize),
    Bools,
    Floats(Floats),
    Complexes([Floats; 2]),
    /// Each by itself, of this type.
    Others(DType),
}

impl Columns {
    /// For elements that are shown.
    pub fn of(dtype: DType, elements: &[Scalar]) -> Self {
        let part = |at: usize| {
            let numbers: Vec<f64> = elements.iter().map(|element| element.parts()[at]).collect();
            Floats::of(dtype.part(), &numbers, at > 0)
        };
        let width = |element: &Scalar| element.to_integer().to_string().len();
        match dtype {
            DType::Bool => Self::Bools,
            DType::F64 | DType::F32 | DType::F16 => Self::Floats(part(0)),
            DType::C64 | DType::C128 => Self::Complexes([part(0), part(1)]),
            DType::BF16 | DType::Str => Self::Others(dtype),
            DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
                Self::Integers(elements.iter().map(width).max().unwrap_or(0))
            }
            DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
                Self::Integers(elements.iter().map(width).max().unwrap_or(0))
            }
        }
    }

    /// One of the elements.
    pub fn word(&self, element: Scalar) -> String {
        match self {
            Self::Integers(width) => format!("{:width$}", element.to_integer()),
            Self::Bools => format!("{:>5}", if element.to_integer() == 0 { "False" } else { "True" }),
            Self::Floats(floats) => floats.word(element.to_f64()),
            Self::Complexes([real, imaginary]) => {
                let [re, im] = element.parts();
                let part = imaginary.word(im);
                let digits = part.trim_end();
                format!("{}{digits}j{}", real.word(re), &part[digits.len()..])
            }
            Self::Others(dtype) => {
                let mut text = String::new();
                format_element(*dtype, element, "'", &mut text);
                text
            }
        }
    }
}

/// Form in which floats of one type are written.
pub(super) struct Floats {
    dtype: DType,
    /// Digits behind the point and of the exponent, of those that have one.
    scientific: Option<[usize; 2]>,
    /// Characters before the point and behind it.
    left: usize,
    right: usize,
    /// Positive numbers have a sign.
    plus: bool,
}

impl Floats {
    fn of(dtype: DType, numbers: &[f64], plus: bool) -> Self {
        let finite: Vec<f64> = numbers.iter().copied().filter(|number| number.is_finite()).collect();
        let mut floats = Self { dtype, scientific: None, left: 0, right: 0, plus };
        if needs_exponents(dtype, &finite) {
            floats.fit_exponents(&finite);
        } else {
            let parts = finite.iter().map(|&number| floats.positional(number));
            let sizes = parts.map(|(head, tail)| [head.len(), tail.len()]);
            [floats.left, floats.right] = sizes.fold([0, 0], |[a, b], [c, d]| [a.max(c), b.max(d)]);
        }
        if finite.len() < numbers.len() {
            let is_signed = plus || numbers.contains(&f64::NEG_INFINITY);
            let width = "inf".len() + usize::from(is_signed);
            floats.left = floats.left.max(width.saturating_sub(floats.right + 1));
        }
        floats
    }

    fn fit_exponents(&mut self, finite: &[f64]) {
        let parts: Vec<_> = finite.iter().map(|&number| rounded_digits(self.dtype, number)).collect();
        let digits = parts.iter().map(|(digits, _)| *digits).max().unwrap_or(0);
        let width = |exponent: i32| exponent.unsigned_abs().to_string().len().max(2);
        let exponent = parts.iter().map(|(_, exponent)| width(*exponent)).max().unwrap_or(2);
        let is_signed = self.plus || finite.iter().any(|number| number.is_sign_negative());
        self.scientific = Some([digits, exponent]);
        (self.left, self.right) = (1 + usize::from(is_signed), exponent + 2 + digits);
    }

    fn word(&self, number: f64) -> String {
        if !number.is_finite() {
            let word = if number.is_nan() { "nan" } else { "inf" };
            let sign = if number.is_nan() { self.sign(1.0) } else { self.sign(number) };
            return format!("{:>width$}", format!("{sign}{word}"), width = self.left + self.right + 1);
        }
        let Some([digits, width]) = self.scientific else {
            let (head, tail) = self.positional(number);
            return format!("{head:>left$}.{tail:right$}", left = self.left, right = self.right);
        };
        let text = format!("{:.digits$e}", number.abs());
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
        let point = if digits == 0 { "." } else { "" };
        let head = format!("{}{mantissa}{point}", self.sign(number));
        let left = self.left + 1 + digits;
        format!("{head:>left$}e{sign}{exponent:0>width$}")
    }

    /// The characters before and behind the point, without exponent: the digits that read back, at most [`PRECISION`] of them behind
    /// the point. Those before it are exact, since numbers with more of them have exponents.
    fn positional(&self, number: f64) -> (String, String) {
        let (digits, exponent) = digits(self.dtype, number);
        let behind = usize::try_from(digits as i64 - i64::from(exponent)).unwrap_or(0).min(PRECISION);
        let text = format!("{:.behind$}", number.abs());
        let (head, tail) = text.split_once('.').unwrap_or((&text, ""));
        (format!("{}{head}", self.sign(number)), tail.trim_end_matches('0').to_owned())
    }

    fn sign(&self, number: f64) -> &'static str {
        match (number.is_sign_negative(), self.plus) {
            (true, _) => "-",
            (false, true) => "+",
            (false, false) => "",
        }
    }
}

/// The number of digits behind the first one that read back as a number, and its exponent.
fn digits(dtype: DType, number: f64) -> (usize, i32) {
    split(&shortest(dtype, number.abs()))
}

/// The same with at most [`PRECISION`] digits, to which the number is rounded.
fn rounded_digits(dtype: DType, number: f64) -> (usize, i32) {
    match digits(dtype, number) {
        found @ (..=PRECISION, _) => found,
        _ => split(&format!("{:.PRECISION$e}", number.abs())),
    }
}

/// The number of digits behind the point of `1.250e3`, but for zeros at the end, and the exponent.
fn split(scientific: &str) -> (usize, i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let tail = mantissa.split_once('.').map_or("", |(_, tail)| tail);
    (tail.trim_end_matches('0').len(), exponent.parse().unwrap_or(0))
}

/// True if numbers are too large, too small, or too far apart to be written without exponents.
fn needs_exponents(dtype: DType, finite: &[f64]) -> bool {
    let sizes = finite.iter().map(|number| number.abs()).filter(|&size| size > 0.0);
    let (least, most) = sizes.fold((f64::INFINITY, 0.0_f64), |(a, b), size| (a.min(size), b.max(size)));
    // Numbers of this type whose digits are all significant.
    let end = [(DType::F32, 1e6), (DType::F16, 1e3)].into_iter().find(|(narrow, _)| *narrow == dtype);
    let end = end.map_or(1e8, |(_, end)| end);
    let rounded = |number: f64| Scalar::Float(number).cast(dtype).to_f64();
    most > 0.0 && (most >= end || least < rounded(1e-4) || rounded(most / least) > 1000.0)
}
