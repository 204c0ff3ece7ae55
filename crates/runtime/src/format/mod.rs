//! Tensors and numbers as text: as TensorFlow prints them, and as Python and NumPy do.

mod columns;
mod numpy;

use gw_types::{DType, Scalar};

use crate::Stream;

/// A text with holes for operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// In order.
    pub pieces: Vec<TemplatePiece>,
    /// Stream that the text goes to.
    pub stream: Stream,
    /// Number of elements shown at each end of an axis; `None` shows all.
    pub summarize: Option<usize>,
}

/// One piece of a text with holes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplatePiece {
    /// As it stands.
    Text(String),
    /// The operand at this position among those described.
    Operand(usize),
    /// The same as Python writes it, and NumPy.
    Python(usize),
}

/// A tensor that is looked at.
#[derive(Debug, Clone)]
pub struct TensorView<'a> {
    /// Element type.
    pub dtype: DType,
    /// Lengths of the axes.
    pub lengths: Vec<usize>,
    /// Elements, row-major.
    pub bytes: &'a [u8],
}

/// The text with its holes filled.
pub fn render(template: &Template, operands: &[TensorView]) -> String {
    let mut text = String::new();
    for piece in &template.pieces {
        match piece {
            TemplatePiece::Text(piece) => text.push_str(piece),
            TemplatePiece::Operand(at) => {
                if let Some(view) = operands.get(*at) {
                    format_tensor(view, template.summarize, &mut text);
                }
            }
            TemplatePiece::Python(at) => {
                if let Some(view) = operands.get(*at) {
                    format_python(view, template.summarize, &mut text);
                }
            }
        }
    }
    text
}

/// Appends a tensor: `3`, `[0 1 2 ... 7 8 9]`, `[[1 2]\n [3 4]]`. At most `summarize` elements are shown at each end of
/// an axis, if it is given.
pub fn format_tensor(view: &TensorView, summarize: Option<usize>, out: &mut String) {
    let stride = gw_types::count(view.lengths.get(1..).unwrap_or_default());
    let printer = Printer { view, summarize };
    printer.axis(0, 0, stride, out);
}

/// Appends a tensor; a scalar as Python writes it, `True`, `1.0`, and an array as NumPy does, `[1.  2.5]`.
pub fn format_python(view: &TensorView, summarize: Option<usize>, out: &mut String) {
    if !view.lengths.is_empty() {
        return numpy::format_array(view, out);
    }
    let mut shown = String::new();
    format_tensor(view, summarize, &mut shown);
    if view.dtype == DType::Bool {
        return out.push_str(if shown == "1" { "True" } else { "False" });
    }
    out.push_str(&shown);
    if view.dtype.is_float() && !shown.contains(['.', 'e', 'n']) {
        out.push_str(".0");
    }
}

struct Printer<'a> {
    view: &'a TensorView<'a>,
    summarize: Option<usize>,
}

impl Printer<'_> {
    /// Elements from `start` on; an element of `axis` is `stride` elements long.
    fn axis(&self, axis: usize, start: usize, stride: usize, out: &mut String) {
        let rank = self.view.lengths.len();
        let Some(&length) = self.view.lengths.get(axis) else { return self.element(start, out) };
        let inner = self.view.lengths.get(axis + 1).map_or(1, |&n| stride / n.max(1));
        let between = self.between(axis, rank);
        out.push('[');
        let mut first = true;
        for shown in self.shown(length) {
            if !std::mem::take(&mut first) {
                out.push_str(&between);
            }
            match shown {
                Some(i) => self.axis(axis + 1, start + i * stride, inner, out),
                None => out.push_str("..."),
            }
        }
        out.push(']');
    }

    /// Positions along an axis; `None` stands for the middle left out.
    fn shown(&self, length: usize) -> Vec<Option<usize>> {
        match self.summarize {
            Some(ends) if length > 2 * ends => {
                let head = (0..ends).map(Some);
                head.chain([None]).chain((length - ends..length).map(Some)).collect()
            }
            Some(_) | None => (0..length).map(Some).collect(),
        }
    }

    /// Elements of the last axis stand in a row; those of others on new lines, indented under their own bracket.
    fn between(&self, axis: usize, rank: usize) -> String {
        match rank - axis {
            1 => " ".to_owned(),
            below => "\n".repeat(below - 1) + &" ".repeat(axis + 1),
        }
    }

    fn element(&self, at: usize, out: &mut String) {
        let size = self.view.dtype.size();
        let bytes = &self.view.bytes[at * size..(at + 1) * size];
        let quote = if self.view.lengths.is_empty() { "" } else { "\"" };
        format_element(self.view.dtype, Scalar::read(self.view.dtype, bytes), quote, out);
    }
}

/// Appends an element of an array; texts in quotation marks.
fn format_element(dtype: DType, element: Scalar, quote: &str, out: &mut String) {
    match element {
        Scalar::Float(x) => format_float(&shortest(dtype, x), out),
        Scalar::Complex(re, im) => format_complex(dtype.part(), re, im, out),
        Scalar::Int(_) | Scalar::Nat(_) => out.push_str(&element.to_integer().to_string()),
        Scalar::Bool(b) => out.push(if b { '1' } else { '0' }),
        Scalar::Text(text) => text.with(|bytes| out.extend([quote, &String::from_utf8_lossy(bytes), quote])),
    }
}

/// A complex number as Python writes it: `(1+2j)`, `1j`.
fn format_complex(part: DType, re: f64, im: f64, out: &mut String) {
    let is_imaginary = re == 0.0 && re.is_sign_positive();
    if !is_imaginary {
        out.push('(');
        format_float(&shortest(part, re), out);
        let is_low = im.is_sign_negative() && !im.is_nan();
        out.push_str(if is_low { "" } else { "+" });
    }
    format_float(&shortest(part, im), out);
    out.push_str(if is_imaginary { "j" } else { "j)" });
}

/// The fewest digits that read back as the same number of a type: `1.25e-3`.
fn shortest(dtype: DType, number: f64) -> String {
    if dtype == DType::F64 || !number.is_finite() {
        return format!("{number:e}");
    }
    if dtype == DType::F32 {
        return format!("{:e}", number as f32);
    }
    let reads_back = |text: &String| {
        text.parse().is_ok_and(|read| Scalar::Float(read).cast(dtype).is(Scalar::Float(number)))
    };
    (0..5)
        .map(|digits| format!("{number:.digits$e}"))
        .find(reads_back)
        .unwrap_or_else(|| format!("{number:e}"))
}

/// A number as Python writes it, without `.0`: the shortest digits that read back, and an exponent below 1e-4 and from
/// 1e16 on. `scientific` is `-1.25e3`.
fn format_float(scientific: &str, out: &mut String) {
    let (sign, magnitude) = scientific.strip_prefix('-').map_or(("", scientific), |rest| ("-", rest));
    let parts =
        magnitude.split_once('e').and_then(|(m, e)| Some((m.replace('.', ""), e.parse::<i32>().ok()?)));
    let Some((digits, exponent)) = parts else {
        let word = if magnitude == "NaN" { "nan" } else { magnitude };
        return out.extend([sign, word]);
    };
    out.push_str(sign);
    if !(-4..16).contains(&exponent) {
        let (head, tail) = digits.split_at(1);
        let (point, exponent_sign) =
            (if tail.is_empty() { "" } else { "." }, if exponent < 0 { '-' } else { '+' });
        out.push_str(&format!("{head}{point}{tail}e{exponent_sign}{:02}", exponent.abs()));
    } else if exponent < 0 {
        let zeros = "0".repeat((-exponent - 1) as usize);
        out.extend(["0.", &zeros, &digits]);
    } else {
        let whole = exponent as usize + 1;
        let padded = format!("{digits:0<whole$}");
        let (head, tail) = padded.split_at(whole);
        out.push_str(head);
        if !tail.is_empty() {
            out.extend([".", tail]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Buffer;

    #[track_caller]
    fn check(dtype: DType, lengths: &[usize], elements: &[f64], summarize: Option<usize>, expected: &str) {
        let mut bytes = Vec::new();
        elements.iter().for_each(|&x| Scalar::Float(x).write(dtype, &mut bytes));
        let buffer = Buffer::from_bytes(dtype, lengths, &bytes);
        let view = TensorView { dtype, lengths: lengths.to_vec(), bytes: buffer.bytes() };
        let mut text = String::new();
        format_tensor(&view, summarize, &mut text);
        assert_eq!(text, expected);
    }

    #[test]
    fn scalars_as_python_writes_them() {
        let text = |dtype: DType, x: Scalar| {
            let mut bytes = Vec::new();
            x.write(dtype, &mut bytes);
            let mut text = String::new();
            format_python(&TensorView { dtype, lengths: vec![], bytes: &bytes }, None, &mut text);
            text
        };
        assert_eq!(text(DType::Bool, Scalar::Bool(true)), "True");
        assert_eq!(text(DType::I64, Scalar::Int(-3)), "-3");
        for (x, expected) in
            [(1.0, "1.0"), (-0.0, "-0.0"), (0.5, "0.5"), (1e22, "1e+22"), (f64::INFINITY, "inf")]
        {
            assert_eq!(text(DType::F64, Scalar::Float(x)), expected);
        }
    }

    #[test]
    fn numbers() {
        for (x, expected) in [(1.0, "1"), (0.5, "0.5"), (-0.0, "-0"), (1e10, "10000000000"), (1e-5, "1e-05")]
        {
            check(DType::F32, &[], &[x], None, expected);
        }
        check(DType::F32, &[], &[1.0 / 3.0], None, "0.33333334");
        check(DType::F64, &[], &[1.0 / 3.0], None, "0.3333333333333333");
        check(DType::F64, &[], &[123456.0], None, "123456");
        check(DType::F64, &[], &[1234567.0], None, "1234567");
        check(DType::F64, &[], &[1e6], None, "1000000");
        check(DType::F64, &[], &[1e16], None, "1e+16");
        check(DType::F64, &[], &[0.0001], None, "0.0001");
        check(DType::F64, &[], &[1.25e-7], None, "1.25e-07");
        check(DType::F64, &[3], &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY], None, "[nan inf -inf]");
        check(DType::I32, &[], &[-3.0], None, "-3");
        check(DType::Bool, &[2], &[1.0, 0.0], None, "[1 0]");
    }

    #[test]
    fn arrays() {
        check(DType::I32, &[2, 2], &[1.0, 2.0, 3.0, 4.0], None, "[[1 2]\n [3 4]]");
        let eight: Vec<f64> = (0..8).map(f64::from).collect();
        check(DType::I64, &[2, 2, 2], &eight, None, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
        let ten: Vec<f64> = (0..10).map(f64::from).collect();
        check(DType::I32, &[10], &ten, Some(3), "[0 1 2 ... 7 8 9]");
        check(DType::I32, &[5, 1], &ten[..5], Some(1), "[[0]\n ...\n [4]]");
        check(DType::F32, &[0], &[], Some(3), "[]");
        check(DType::F32, &[2, 0], &[], None, "[[]\n []]");
    }
}
