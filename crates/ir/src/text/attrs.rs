//! Attributes of ops as text.

use super::error::ParseError;
use super::lexer::{Lexer, Token};
use super::literal;
use super::reads::Reads;
use crate::{
    ArgOp, Attr, AxisSlice, Bound, CheckKind, DimArg, ForeignCall, HostCall, HostType, Keep, MatrixOp, Op,
    Piece, Place, PrintFormat, Stream, Windows,
};

/// The attribute as it follows the operands.
pub(super) fn write(attr: &Attr) -> String {
    match attr {
        // `call` names its function before its operands.
        Attr::None | Attr::Function(_) => String::new(),
        Attr::Literal(value) => literal::write(value),
        Attr::To(dtype) => format!("to={dtype}"),
        Attr::Checked => "checked".to_owned(),
        Attr::ToChecked(dtype) => format!("to={dtype} checked"),
        Attr::Axis(axis) => format!("axis={axis}"),
        Attr::Count(count) => format!("count={count}"),
        Attr::Windows(windows) => write_windows(windows),
        Attr::Axes { axes, keep } => {
            format!("axes={}{}", list(axes, usize::to_string), if *keep { " keep" } else { "" })
        }
        Attr::Perm(perm) => format!("perm={}", list(perm, usize::to_string)),
        Attr::Dims(dims) => format!("dims={}", list(dims, write_dim)),
        Attr::Slices(slices) => format!("at={}", list(slices, write_slice)),
        Attr::Places { places, keep: Keep::Last } => format!("at={}", list(places, write_place)),
        Attr::Places { places, keep } => format!("at={} keep={}", list(places, write_place), keep.text()),
        Attr::Matmul { transpose_x, transpose_y } => {
            let words = [(*transpose_x, "transpose_x"), (*transpose_y, "transpose_y")];
            words.into_iter().filter(|(said, _)| *said).map(|(_, word)| word).collect::<Vec<_>>().join(" ")
        }
        Attr::Triangle { lower, adjoint } => {
            format!("{}{}", if *lower { "lower" } else { "upper" }, if *adjoint { " adjoint" } else { "" })
        }
        Attr::Adjoint(said) => if *said { "adjoint" } else { "" }.to_owned(),
        Attr::Full(said) => if *said { "full" } else { "" }.to_owned(),
        Attr::Print(format) => write_format(format),
        Attr::Host(call) => write_host(call),
        Attr::Foreign(call) => write_foreign(call),
        Attr::Check { kind, message, limit } => {
            format!("kind={} {}{}", kind.text(), if *limit { "limit " } else { "" }, write_format(message))
        }
    }
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(","))
}

fn write_windows(windows: &Windows) -> String {
    let numbers = |of: &[usize]| list(of, usize::to_string);
    let (strides, dilations) = (numbers(&windows.strides), numbers(&windows.dilations));
    format!("strides={strides} padding={} dilations={dilations}", numbers(windows.padding.as_flattened()))
}

fn write_dim(dim: &DimArg) -> String {
    match dim {
        DimArg::Fixed(n) => n.to_string(),
        DimArg::Arg(at) => format!("@{at}"),
        DimArg::Rest => "-1".to_owned(),
    }
}

fn write_slice(slice: &AxisSlice) -> String {
    let step = if slice.step == 1 { String::new() } else { format!(":{}", slice.step) };
    format!("{}:{}{step}", write_bound(slice.start), write_bound(slice.stop))
}

fn write_place(place: &Place) -> String {
    match place {
        Place::At(at) => format!("@{at}"),
        Place::Slice(slice) => write_slice(slice),
    }
}

fn write_bound(bound: Bound) -> String {
    match bound {
        Bound::Open => String::new(),
        Bound::Fixed(at) => at.to_string(),
        Bound::Arg(at) => format!("@{at}"),
    }
}

fn write_format(format: &PrintFormat) -> String {
    let pieces = format.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.replace('{', "{{").replace('}', "}}"),
        Piece::Operand(at) => format!("{{{at}}}"),
        Piece::Python(at) => format!("{{{at}!r}}"),
    });
    let text = quote(&pieces.collect::<String>());
    let summarize = format.summarize.map_or(String::new(), |n| format!(" summarize={n}"));
    format!("text={text} to={}{summarize}", format.stream.text())
}

fn write_host(call: &HostCall) -> String {
    let length = |length: &Option<usize>| length.map_or_else(|| "?".to_owned(), |n| n.to_string());
    let gives = list(&call.gives, |one| format!("{}{}", one.dtype, list(&one.lengths, length)));
    format!("name={} number={} gives={gives}", quote(&call.name), call.number)
}

fn write_foreign(call: &ForeignCall) -> String {
    let takes = list(&call.takes, |dtype| dtype.to_string());
    format!("name={} number={} takes={takes} gives={}", quote(&call.name), call.number, call.gives)
}

/// The attribute that `op` takes.
pub(super) fn read(lexer: &mut Lexer, op: Op) -> Result<Attr, ParseError> {
    match op {
        Op::Cast => {
            let dtype = lexer.after("to", Lexer::dtype)?;
            Ok(if lexer.said("checked")? { Attr::ToChecked(dtype) } else { Attr::To(dtype) })
        }
        Op::Unary(_) | Op::Binary(_) if op.arithmetic().is_some() => {
            Ok(if lexer.said("checked")? { Attr::Checked } else { Attr::None })
        }
        Op::Arg(ArgOp::Max | ArgOp::Min) | Op::Index | Op::Gather | Op::Concat | Op::Dim => {
            Ok(Attr::Axis(lexer.after("axis", |p| p.number("an axis"))?))
        }
        Op::Reduce(_) => {
            let axes = lexer.after("axes", Lexer::numbers)?;
            Ok(Attr::Axes { axes, keep: lexer.said("keep")? })
        }
        Op::Transpose => Ok(Attr::Perm(lexer.after("perm", Lexer::numbers)?)),
        Op::Reshape | Op::Broadcast => Ok(Attr::Dims(lexer.after("dims", |p| p.bracketed(dim_arg))?)),
        Op::Slice => Ok(Attr::Slices(lexer.after("at", |p| p.bracketed(axis_slice))?)),
        Op::Put => {
            let places = lexer.after("at", |p| p.bracketed(place))?;
            let said = *lexer.peek() == Token::Word("keep");
            let keep = if said { lexer.after("keep", keep)? } else { Keep::Last };
            Ok(Attr::Places { places, keep })
        }
        Op::Arg(ArgOp::Top) => Ok(Attr::Count(lexer.after("count", |p| p.number("a count"))?)),
        Op::Conv2d => Ok(Attr::Windows(windows(lexer)?)),
        Op::Matmul => {
            let transpose_x = lexer.said("transpose_x")?;
            Ok(Attr::Matmul { transpose_x, transpose_y: lexer.said("transpose_y")? })
        }
        Op::Matrix(MatrixOp::TriangularSolve) => triangle(lexer),
        Op::Matrix(MatrixOp::Solve | MatrixOp::Fft) => Ok(Attr::Adjoint(lexer.said("adjoint")?)),
        Op::Matrix(MatrixOp::Qr) => Ok(Attr::Full(lexer.said("full")?)),
        Op::Print => Ok(Attr::Print(format(lexer)?)),
        Op::Check => check(lexer),
        Op::Host => Ok(Attr::Host(host(lexer)?)),
        Op::Foreign => Ok(Attr::Foreign(foreign(lexer)?)),
        Op::Part(_) | Op::Complex => Ok(Attr::None),
        Op::Unary(_) | Op::Test(_) | Op::Binary(_) | Op::Compare(_) | Op::String(_) => Ok(Attr::None),
        Op::Select | Op::Sort | Op::Arg(ArgOp::Sort) | Op::Const | Op::Range | Op::Cond | Op::While => {
            Ok(Attr::None)
        }
        Op::Matrix(MatrixOp::Cholesky | MatrixOp::Det | MatrixOp::Eigh | MatrixOp::Svd) => Ok(Attr::None),
        Op::Call | Op::Try | Op::Leave => Ok(Attr::None),
    }
}

fn triangle(lexer: &mut Lexer) -> Result<Attr, ParseError> {
    let lower = lexer.said("lower")?;
    if !lower && !lexer.said("upper")? {
        return Err(lexer.error("`lower` or `upper` says which triangle is read"));
    }
    Ok(Attr::Triangle { lower, adjoint: lexer.said("adjoint")? })
}

fn check(lexer: &mut Lexer) -> Result<Attr, ParseError> {
    let word = lexer.after("kind", |p| p.word("the name of an exception"))?;
    let unknown = || lexer.error(format!("`{word}` is not raised by a check"));
    let kind = CheckKind::from_text(word).ok_or_else(unknown)?;
    let limit = lexer.said("limit")?;
    Ok(Attr::Check { kind, message: format(lexer)?, limit })
}

fn format(lexer: &mut Lexer) -> Result<PrintFormat, ParseError> {
    let text = lexer.after("text", Lexer::quoted)?;
    let pieces = read_pieces(&text).ok_or_else(|| lexer.error("a brace of the text is not closed"))?;
    let word = lexer.after("to", |p| p.word("a stream"))?;
    let stream = Stream::from_text(word).ok_or_else(|| lexer.error(format!("`{word}` is no stream")))?;
    let short = *lexer.peek() == Token::Word("summarize");
    let summarize = if short { Some(lexer.after("summarize", |p| p.number("a count"))?) } else { None };
    Ok(PrintFormat { pieces, stream, summarize })
}

fn host(lexer: &mut Lexer) -> Result<HostCall, ParseError> {
    let name = lexer.after("name", Lexer::quoted)?;
    let number = lexer.after("number", |p| p.number("the number of a function"))?;
    Ok(HostCall { number, name, gives: lexer.after("gives", |p| p.bracketed(host_type))? })
}

fn foreign(lexer: &mut Lexer) -> Result<ForeignCall, ParseError> {
    let name = lexer.after("name", Lexer::quoted)?;
    let number = lexer.after("number", |p| p.number("the number of a function"))?;
    let takes = lexer.after("takes", |p| p.bracketed(Lexer::dtype))?;
    Ok(ForeignCall { number, name, takes, gives: lexer.after("gives", Lexer::dtype)? })
}

/// `f32[2,?]`
fn host_type(lexer: &mut Lexer) -> Result<HostType, ParseError> {
    let dtype = lexer.dtype()?;
    let length = |p: &mut Lexer| if p.eat('?')? { Ok(None) } else { p.number("a length").map(Some) };
    Ok(HostType { dtype, lengths: lexer.bracketed(length)? })
}

fn windows(lexer: &mut Lexer) -> Result<Windows, ParseError> {
    let strides = as_many(lexer, "strides")?;
    let [top, bottom, left, right] = as_many(lexer, "padding")?;
    let padding = [[top, bottom], [left, right]];
    Ok(Windows { strides, padding, dilations: as_many(lexer, "dilations")? })
}

/// `key=[…]` with so many numbers.
fn as_many<const COUNT: usize>(lexer: &mut Lexer, key: &str) -> Result<[usize; COUNT], ParseError> {
    let numbers = lexer.after(key, Lexer::numbers)?;
    numbers.try_into().map_err(|_| lexer.error(format!("`{key}` has {COUNT} numbers")))
}

fn dim_arg(lexer: &mut Lexer) -> Result<DimArg, ParseError> {
    if matches!(lexer.peek(), Token::At(_)) {
        return Ok(DimArg::Arg(lexer.position()?));
    }
    if lexer.said("-1")? { Ok(DimArg::Rest) } else { Ok(DimArg::Fixed(lexer.number("a length")?)) }
}

fn keep(lexer: &mut Lexer) -> Result<Keep, ParseError> {
    let word = lexer.word("which element is kept")?;
    Keep::from_text(word).ok_or_else(|| lexer.error(format!("`{word}` does not say which element is kept")))
}

fn place(lexer: &mut Lexer) -> Result<Place, ParseError> {
    match bound(lexer)? {
        Bound::Arg(at) if *lexer.peek() != Token::Sign(':') => Ok(Place::At(at)),
        start @ (Bound::Open | Bound::Fixed(_) | Bound::Arg(_)) => slice_from(lexer, start).map(Place::Slice),
    }
}

fn axis_slice(lexer: &mut Lexer) -> Result<AxisSlice, ParseError> {
    let start = bound(lexer)?;
    slice_from(lexer, start)
}

fn slice_from(lexer: &mut Lexer, start: Bound) -> Result<AxisSlice, ParseError> {
    lexer.sign(':')?;
    let stop = bound(lexer)?;
    let step = if lexer.eat(':')? { lexer.number("a step")? } else { 1 };
    Ok(AxisSlice { start, stop, step })
}

fn bound(lexer: &mut Lexer) -> Result<Bound, ParseError> {
    match lexer.peek() {
        Token::At(_) => Ok(Bound::Arg(lexer.position()?)),
        Token::Word(_) => Ok(Bound::Fixed(lexer.number("a bound")?)),
        Token::Value(_) | Token::Text(_) | Token::Sign(_) | Token::End => Ok(Bound::Open),
    }
}

/// The pieces behind `text="…"`; `None` if a brace is left open.
fn read_pieces(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' if chars.peek() == Some(&c) => plain.extend(chars.next()),
            '{' => {
                let inside: String = chars.by_ref().take_while(|&c| c != '}').collect();
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(match inside.strip_suffix("!r") {
                    Some(at) => Piece::Python(at.parse().ok()?),
                    None => Piece::Operand(inside.parse().ok()?),
                });
            }
            '}' => return None,
            c => plain.push(c),
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Some(pieces)
}

/// A text in double quotes.
pub(super) fn quote(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\r', "\\r");
    format!("\"{escaped}\"")
}

impl Stream {
    /// The name in the graph's text form.
    pub fn text(self) -> &'static str {
        match self {
            Stream::Stderr => "stderr",
            Stream::Stdout => "stdout",
        }
    }

    /// The stream of this name.
    pub fn from_text(text: &str) -> Option<Stream> {
        [Stream::Stderr, Stream::Stdout].into_iter().find(|stream| stream.text() == text)
    }
}

impl CheckKind {
    /// Every kind.
    pub const ALL: &[CheckKind] = &[
        CheckKind::Assertion,
        CheckKind::UnboundLocal,
        CheckKind::Index,
        CheckKind::ZeroDivision,
        CheckKind::Value,
        CheckKind::Overflow,
        CheckKind::Type,
        CheckKind::Recursion,
        CheckKind::Key,
        CheckKind::Runtime,
        CheckKind::Argument,
        CheckKind::Name,
    ];

    /// The name in the graph's text form: that of the exception.
    pub fn text(self) -> &'static str {
        match self {
            CheckKind::Assertion => "AssertionError",
            CheckKind::UnboundLocal => "UnboundLocalError",
            CheckKind::Index => "IndexError",
            CheckKind::ZeroDivision => "ZeroDivisionError",
            CheckKind::Value => "ValueError",
            CheckKind::Overflow => "OverflowError",
            CheckKind::Type => "TypeError",
            CheckKind::Recursion => "RecursionError",
            CheckKind::Key => "KeyError",
            CheckKind::Runtime => "RuntimeError",
            CheckKind::Argument => "InvalidArgumentError",
            CheckKind::Name => "NameError",
        }
    }

    /// The kind of this name.
    pub fn from_text(text: &str) -> Option<CheckKind> {
        CheckKind::ALL.iter().copied().find(|kind| kind.text() == text)
    }
}
