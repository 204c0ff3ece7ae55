//! Tensors that are written in the graph.

use gw_ir::Literal;
use gw_types::{DType, Scalar};

/// A float as MLIR reads it: digits that give just this number, or its bits.
pub(crate) fn float(dtype: DType, value: f64) -> String {
    if !value.is_finite() {
        let mut bytes = Vec::new();
        Scalar::Float(value).write(dtype, &mut bytes);
        let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02X}")).collect();
        return format!("0x{digits}");
    }
    let text = format!("{value:e}");
    if text.contains('.') { text } else { text.replacen('e', ".0e", 1) }
}

fn element(dtype: DType, value: Scalar) -> String {
    match value {
        Scalar::Bool(value) => value.to_string(),
        Scalar::Int(_) | Scalar::Nat(_) => value.to_integer().to_string(),
        Scalar::Float(value) => float(dtype, value),
        // Graphs with such are refused.
        Scalar::Complex(..) | Scalar::Text(_) => String::new(),
    }
}

/// The text in `dense<…>`.
pub(crate) fn dense(literal: &Literal) -> String {
    let mut elements = literal.scalars();
    let first = elements.next();
    match first {
        None => String::new(),
        Some(first) if elements.all(|other| other.is(first)) => element(literal.dtype(), first),
        Some(_) => {
            let elements: Vec<String> =
                literal.scalars().map(|value| element(literal.dtype(), value)).collect();
            nested(&elements, literal.lengths())
        }
    }
}

fn nested(elements: &[String], lengths: &[usize]) -> String {
    let Some((&count, rest)) = lengths.split_first() else { return elements.concat() };
    let each = elements.len() / count.max(1);
    let parts: Vec<String> = elements.chunks(each.max(1)).map(|part| nested(part, rest)).collect();
    format!("[{}]", parts.join(", "))
}
