//! The texts of `print` and `check`.

use gw_ir::{Piece, PrintFormat};
use gw_types::{DType, Scalar};

use crate::Array;

/// The text with its holes filled: `[[1 2]` newline ` [3 4]]`, floats in the fewest digits that tell them apart in their
/// dtype, without a trailing `.0`, bools as 1 and 0.
pub fn format(format: &PrintFormat, args: &[&Array]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Operand(at) => show(args[*at], format.summarize),
        Piece::Python(at) => python(args[*at], show(args[*at], format.summarize)),
    };
    format.pieces.iter().map(piece).collect()
}

fn show(x: &Array, summarize: Option<usize>) -> String {
    let shown = |&element: &Scalar| match (show_element(x.dtype, element), element) {
        (text, Scalar::Text(_)) if !x.lengths.is_empty() => format!("\"{text}\""),
        (text, _) => text,
    };
    let elements: Vec<String> = x.elements.iter().map(shown).collect();
    nest(&elements, &x.lengths, summarize, 1)
}

/// A scalar as Python writes it.
fn python(x: &Array, shown: String) -> String {
    match (&x.lengths[..], x.elements.first()) {
        ([], Some(Scalar::Bool(true))) => "True".to_owned(),
        ([], Some(Scalar::Bool(false))) => "False".to_owned(),
        ([], Some(Scalar::Float(_))) if !shown.contains(['.', 'e', 'n']) => shown + ".0",
        _ => shown,
    }
}

fn nest(elements: &[String], lengths: &[usize], summarize: Option<usize>, depth: usize) -> String {
    let Some((&count, rest)) = lengths.split_first() else { return elements.concat() };
    let each = elements.len().checked_div(count).unwrap_or(0);
    let part = |i: usize| nest(&elements[i * each..(i + 1) * each], rest, summarize, depth + 1);
    let parts: Vec<String> = match summarize {
        Some(edge) if count > 2 * edge => {
            let last = (count - edge..count).map(part);
            (0..edge).map(part).chain(["...".to_owned()]).chain(last).collect()
        }
        Some(_) | None => (0..count).map(part).collect(),
    };
    let between = match rest.len() {
        0 => " ".to_owned(),
        deeper => "\n".repeat(deeper) + &" ".repeat(depth),
    };
    format!("[{}]", parts.join(&between))
}

fn show_element(dtype: DType, element: Scalar) -> String {
    match element {
        Scalar::Bool(x) => u8::from(x).to_string(),
        Scalar::Int(_) | Scalar::Nat(_) => element.to_integer().to_string(),
        Scalar::Complex(re, im) => show_complex(dtype, re, im),
        Scalar::Text(x) => x.with(|bytes| String::from_utf8_lossy(bytes).into_owned()),
        Scalar::Float(x) if x.is_nan() => "nan".to_owned(),
        Scalar::Float(x) if x.is_infinite() => if x < 0.0 { "-inf" } else { "inf" }.to_owned(),
        Scalar::Float(x) if dtype == DType::F32 => show_float(x, &format!("{:e}", x as f32)),
        Scalar::Float(x) if dtype == DType::F64 => show_float(x, &format!("{x:e}")),
        Scalar::Float(x) => {
            let texts = (0..6).map(|digits| format!("{x:.digits$e}"));
            let found = texts.into_iter().find(|text| {
                text.parse().is_ok_and(|read: f64| Scalar::Float(read).cast(dtype) == Scalar::Float(x))
            });
            let found = found.unwrap_or_else(|| format!("{x:e}"));
            show_float(found.parse().unwrap_or(x), &found)
        }
    }
}

/// As Python writes it: `(1+2j)`, `1j`.
fn show_complex(dtype: DType, re: f64, im: f64) -> String {
    let [real, imaginary] = [re, im].map(|part| show_element(dtype.part(), Scalar::Float(part)));
    if re == 0.0 && re.is_sign_positive() {
        return format!("{imaginary}j");
    }
    let sign = if imaginary.starts_with('-') { "" } else { "+" };
    format!("({real}{sign}{imaginary}j)")
}

/// With an exponent where Python writes one: below 1e-4 and from 1e16 on.
fn show_float(x: f64, shortest: &str) -> String {
    let (digits, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..16).contains(&exponent) {
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len() as i32);
        return format!("{x:.*}", (decimals - exponent).max(0) as usize);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}
