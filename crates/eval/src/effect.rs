//! What `print` and `check` say.

use gw_ir::{Piece, PrintFormat};
use gw_types::{DType, Scalar};

use crate::Array;

/// The text with its holes filled: `[[1 2]` newline ` [3 4]]`, floats in the fewest digits that tell them apart in their
/// dtype, without a trailing `.0`, bools as 1 and 0.
pub fn format(format: &PrintFormat, args: &[&Array]) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Operand(at) => show(args[*at], format.summarize),
    };
    format.pieces.iter().map(piece).collect()
}

fn show(x: &Array, summarize: Option<usize>) -> String {
    let elements: Vec<String> = x.elements.iter().map(|&element| show_element(x.dtype, element)).collect();
    nest(&elements, &x.lengths, summarize, 1)
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
        Scalar::Int(x) => x.to_string(),
        Scalar::Float(x) if x.is_nan() => "nan".to_owned(),
        Scalar::Float(x) if x.is_infinite() => if x < 0.0 { "-inf" } else { "inf" }.to_owned(),
        Scalar::Float(x) if dtype == DType::F32 => show_float(&format!("{:e}", x as f32), 9),
        Scalar::Float(x) => show_float(&format!("{x:e}"), 17),
    }
}

/// As C's `%g`, with the fewest digits that read back: an exponent below 1e-4, and from `10^precision` on. The precision
/// is 6, or `widest` for numbers that need more digits.
fn show_float(shortest: &str, widest: i32) -> String {
    let (digits, exponent) = shortest.split_once('e').unwrap_or((shortest, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let all: String = digits.chars().filter(char::is_ascii_digit).collect();
    let precision = if all.len() <= 6 { 6 } else { widest };
    if !(-4..precision).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let minus = if digits.starts_with('-') { "-" } else { "" };
    let before = (exponent + 1).max(0) as usize;
    let zeros = "0".repeat((-exponent - 1).max(0) as usize);
    match all.split_at_checked(before) {
        Some((whole, part)) => {
            let whole = if whole.is_empty() { "0" } else { whole };
            let point = if part.is_empty() { "" } else { "." };
            format!("{minus}{whole}{point}{zeros}{part}")
        }
        None => format!("{minus}{all:0<before$}"),
    }
}
