//! Elements as text, exactly: floats in the shortest form that reads back, NaNs with their bits, long literals as bytes.

use std::fmt::Write;

use gw_types::{DType, Scalar, Texts};

use super::LONGEST_LIST;
use super::error::ParseError;
use super::lexer::{Lexer, Token};
use super::reads::Reads;
use crate::Literal;

/// `1.5`, `[[1, 2], [3, 4]]`, or `0x…` for the bytes of long ones.
pub fn write(literal: &Literal) -> String {
    let size = literal.dtype().size();
    if literal.bytes().len() / size > LONGEST_LIST && literal.dtype().is_number() {
        return literal.bytes().iter().fold("0x".to_owned(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("strings take text");
            text
        });
    }
    let elements: Vec<String> =
        literal.bytes().chunks_exact(size).map(|bytes| write_element(literal.dtype(), bytes)).collect();
    nest(&elements, literal.lengths())
}

fn nest(elements: &[String], lengths: &[usize]) -> String {
    match lengths.split_first() {
        None => elements.concat(),
        Some((&count, rest)) => {
            let each = elements.len().checked_div(count).unwrap_or(0);
            let parts: Vec<String> =
                (0..count).map(|i| nest(&elements[i * each..(i + 1) * each], rest)).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

fn write_element(dtype: DType, bytes: &[u8]) -> String {
    match dtype {
        DType::Bool => (bytes[0] != 0).to_string(),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => {
            Scalar::read(dtype, bytes).to_integer().to_string()
        }
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            Scalar::read(dtype, bytes).to_integer().to_string()
        }
        DType::F16 | DType::BF16 => {
            let x = Scalar::read(dtype, bytes).to_f64();
            let usual = if dtype == DType::F16 { 0x7e00 } else { 0x7fc0 };
            if x.is_nan() {
                write_nan(u16::from_le_bytes(first(bytes)).into(), usual)
            } else {
                format!("{x:?}")
            }
        }
        DType::F32 => {
            let x = f32::from_le_bytes(first(bytes));
            if x.is_nan() {
                write_nan(u64::from(x.to_bits()), f32::NAN.to_bits().into())
            } else {
                format!("{x:?}")
            }
        }
        DType::C64 | DType::C128 => {
            let (re, im) = bytes.split_at(dtype.size() / 2);
            format!("({}, {})", write_element(dtype.part(), re), write_element(dtype.part(), im))
        }
        DType::F64 => {
            let x = f64::from_le_bytes(first(bytes));
            if x.is_nan() { write_nan(x.to_bits(), f64::NAN.to_bits()) } else { format!("{x:?}") }
        }
        DType::Str => Scalar::read(dtype, bytes).to_text().with(write_text),
    }
}

/// Bytes between quotes, those that are no signs of ASCII by their numbers.
fn write_text(bytes: &[u8]) -> String {
    let sign = |&byte: &u8| match byte {
        b'"' => "\\\"".to_owned(),
        b'\\' => "\\\\".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"", bytes.iter().map(sign).collect::<String>())
}

/// The bytes of a text whose signs are numbers of bytes.
fn read_text(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|sign| u8::try_from(sign).ok()).collect()
}

fn write_nan(bits: u64, usual: u64) -> String {
    if bits == usual { "nan".to_owned() } else { format!("nan_{bits:x}") }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("as many bytes as the element has")
}

/// Lists are read by recursion.
const DEEPEST: usize = 64;

/// True if a literal comes next.
pub(super) fn comes(lexer: &Lexer) -> bool {
    match lexer.peek() {
        Token::Sign('[' | '(') | Token::Text(_) => true,
        Token::Word(word) => {
            word.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                || matches!(*word, "true" | "false" | "inf")
                || word.starts_with("nan")
        }
        Token::Value(_) | Token::At(_) | Token::Sign(_) | Token::End => false,
    }
}

/// `[[1, 2], [3, 4]] : i32[2,2]`; the lengths can be left out.
pub(super) fn read(lexer: &mut Lexer) -> Result<Literal, ParseError> {
    let mut words = Vec::new();
    let mut lengths = Vec::new();
    elements(lexer, 0, &mut words, &mut lengths)?;
    lexer.sign(':')?;
    let dtype = lexer.dtype()?;
    if lexer.eat('[')? {
        lengths = lexer.list(']', |p| p.number("a length"))?;
    }
    let (mut bytes, mut texts) = (Vec::new(), Texts::default());
    match words[..] {
        [Element::Word(dump)] if dump.starts_with("0x") && dtype.is_number() => {
            bytes = read_bytes(dump).ok_or_else(|| lexer.error("bytes are wanted after `0x`"))?;
        }
        _ => words.iter().try_for_each(|element| match element {
            Element::Word(word) => {
                let wrong = || lexer.error(format!("`{word}` is not a {dtype}"));
                read_element(dtype, word, &mut bytes).ok_or_else(wrong)
            }
            Element::Parts(parts) => parts.iter().try_for_each(|word| {
                let wrong = || lexer.error(format!("`{word}` is no part of a {dtype}"));
                if !dtype.is_complex() {
                    return Err(wrong());
                }
                read_element(dtype.part(), word, &mut bytes).ok_or_else(wrong)
            }),
            Element::Text(text) => {
                let wrong = || lexer.error(format!("\"{text}\" is not a {dtype}"));
                let read = read_text(text).filter(|_| dtype == DType::Str).ok_or_else(wrong)?;
                Scalar::Text(texts.make(&read)).write(dtype, &mut bytes);
                Ok(())
            }
        })?,
    }
    let wanted = lengths.iter().try_fold(dtype.size(), |size, &n: &usize| size.checked_mul(n));
    if wanted != Some(bytes.len()) {
        return Err(lexer.error(format!("a literal has not as many elements as {lengths:?} wants")));
    }
    Ok(Literal::new(dtype, lengths, bytes))
}

/// An element as it is written.
enum Element<'a> {
    Word(&'a str),
    /// The real and the imaginary part of a complex number.
    Parts([&'a str; 2]),
    /// In quotes.
    Text(String),
}

/// Collects elements and the length of each axis; a ragged list is found out by the count.
fn elements<'a>(
    lexer: &mut Lexer<'a>,
    depth: usize,
    words: &mut Vec<Element<'a>>,
    lengths: &mut Vec<usize>,
) -> Result<(), ParseError> {
    if lexer.eat('(')? {
        let re = lexer.word("a real part")?;
        lexer.sign(',')?;
        let im = lexer.word("an imaginary part")?;
        lexer.sign(')')?;
        words.push(Element::Parts([re, im]));
        return Ok(());
    }
    if !lexer.eat('[')? {
        words.push(match lexer.peek() {
            Token::Text(_) => Element::Text(lexer.quoted()?),
            Token::Word(_) | Token::Value(_) | Token::At(_) | Token::Sign(_) | Token::End => {
                Element::Word(lexer.word("an element")?)
            }
        });
        return Ok(());
    }
    if depth == DEEPEST {
        return Err(lexer.error("a literal has too many axes"));
    }
    if lengths.len() == depth {
        lengths.push(0);
    }
    let parts = lexer.list(']', |p| elements(p, depth + 1, words, lengths))?;
    lengths[depth] = parts.len();
    Ok(())
}

/// Appends the bytes of one element, `None` if the text is not one of `dtype`.
fn read_element(dtype: DType, text: &str, out: &mut Vec<u8>) -> Option<()> {
    match dtype {
        DType::Bool => out.push(u8::from(text.parse::<bool>().ok()?)),
        DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => {
            let number = text.parse().ok().filter(|&number| dtype.holds(number))?;
            Scalar::wrapped(dtype, number).write(dtype, out);
        }
        DType::F16 | DType::BF16 => match text.strip_prefix("nan_") {
            Some(bits) => out.extend(u16::from_str_radix(bits, 16).ok()?.to_le_bytes()),
            None => Scalar::Float(text.parse().ok()?).write(dtype, out),
        },
        DType::F32 => match text.strip_prefix("nan_") {
            Some(bits) => out.extend(u32::from_str_radix(bits, 16).ok()?.to_le_bytes()),
            None => out.extend(text.parse::<f32>().ok()?.to_le_bytes()),
        },
        DType::F64 => match text.strip_prefix("nan_") {
            Some(bits) => out.extend(u64::from_str_radix(bits, 16).ok()?.to_le_bytes()),
            None => out.extend(text.parse::<f64>().ok()?.to_le_bytes()),
        },
        DType::Str | DType::C64 | DType::C128 => return None,
    }
    Some(())
}

/// The bytes behind `0x…`.
fn read_bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x")?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}
