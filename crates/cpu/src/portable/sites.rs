//! The places where code prints or fails, as bytes.

use gw_base::Loc;
use gw_runtime::{Report, Site, Stream, Template, TemplatePiece, TextFailure};
use gw_types::Arithmetic;

use super::words::{Reader, Writer};
use super::{read_dtype, write_dtype};

pub(super) fn write(to: &mut Writer, site: &Site, place: &dyn Fn(&Loc) -> Option<usize>) -> Option<()> {
    match &site.place {
        Some(loc) => to.maybe(Some(place(loc)?)),
        None => to.maybe(None),
    }
    to.byte(number(&site.report));
    match &site.report {
        Report::IndexOutOfRange { axis } => to.number(*axis),
        Report::Overflow { step, from, to: result } => {
            to.number(Arithmetic::ALL.iter().position(|other| other == step)?);
            write_dtype(to, *from);
            write_dtype(to, *result);
        }
        Report::Text { raises, template, operands } => {
            to.maybe(raises.and_then(|raises| FAILURES.iter().position(|&other| other == raises)));
            write_template(to, template);
            to.list(operands, |to, &(dtype, rank)| {
                write_dtype(to, dtype);
                to.number(rank);
            });
        }
        Report::Host { function, args, gives } => {
            to.number(*function);
            to.list(args, |to, &(dtype, rank)| {
                write_dtype(to, dtype);
                to.number(rank);
            });
            to.list(gives, |to, (dtype, lengths)| {
                write_dtype(to, *dtype);
                to.list(lengths, |to, &length| to.maybe(length));
            });
        }
        Report::ZeroDivision
        | Report::ZeroRemainder
        | Report::Unbroadcastable
        | Report::WrongLength
        | Report::Unreshapable
        | Report::NegativePower
        | Report::NegativeShift
        | Report::ZeroStep
        | Report::RangeTooLong
        | Report::EmptyAxis
        | Report::TooFew
        | Report::NegativeLength
        | Report::TooDeep
        | Report::OutOfMemory
        | Report::Stopped => {}
    }
    Some(())
}

pub(super) fn read(from: &mut Reader, places: &[Loc]) -> Option<Site> {
    let place = match from.maybe()? {
        Some(at) => Some(places.get(at)?.clone()),
        None => None,
    };
    Some(Site { report: read_report(from)?, place })
}

/// The number of a report's kind; [`read_report`] knows the same.
fn number(report: &Report) -> u8 {
    match report {
        Report::ZeroDivision => 0,
        Report::IndexOutOfRange { .. } => 1,
        Report::Unbroadcastable => 2,
        Report::WrongLength => 3,
        Report::Unreshapable => 4,
        Report::NegativePower => 5,
        Report::NegativeShift => 6,
        Report::ZeroStep => 7,
        Report::RangeTooLong => 8,
        Report::EmptyAxis => 9,
        Report::TooFew => 10,
        Report::NegativeLength => 11,
        Report::TooDeep => 12,
        Report::OutOfMemory => 13,
        Report::Stopped => 14,
        Report::Text { .. } => 15,
        Report::Host { .. } => 16,
        Report::Overflow { .. } => 17,
        Report::ZeroRemainder => 18,
    }
}

fn read_report(from: &mut Reader) -> Option<Report> {
    Some(match from.byte()? {
        0 => Report::ZeroDivision,
        1 => Report::IndexOutOfRange { axis: from.number()? },
        2 => Report::Unbroadcastable,
        3 => Report::WrongLength,
        4 => Report::Unreshapable,
        5 => Report::NegativePower,
        6 => Report::NegativeShift,
        7 => Report::ZeroStep,
        8 => Report::RangeTooLong,
        9 => Report::EmptyAxis,
        10 => Report::TooFew,
        11 => Report::NegativeLength,
        12 => Report::TooDeep,
        13 => Report::OutOfMemory,
        14 => Report::Stopped,
        15 => Report::Text {
            raises: match from.maybe()? {
                Some(at) => Some(*FAILURES.get(at)?),
                None => None,
            },
            template: read_template(from)?,
            operands: from.list(|from| Some((read_dtype(from)?, from.number()?)))?,
        },
        16 => Report::Host {
            function: from.number()?,
            args: from.list(|from| Some((read_dtype(from)?, from.number()?)))?,
            gives: from.list(|from| Some((read_dtype(from)?, from.list(Reader::maybe)?)))?,
        },
        17 => Report::Overflow {
            step: *Arithmetic::ALL.get(from.number()?)?,
            from: read_dtype(from)?,
            to: read_dtype(from)?,
        },
        18 => Report::ZeroRemainder,
        _ => return None,
    })
}

/// Failures that a check may raise; the place of each here is its number.
const FAILURES: [TextFailure; 12] = [
    TextFailure::Assertion,
    TextFailure::UnboundLocal,
    TextFailure::Index,
    TextFailure::ZeroDivision,
    TextFailure::Value,
    TextFailure::Overflow,
    TextFailure::Type,
    TextFailure::Recursion,
    TextFailure::Key,
    TextFailure::Runtime,
    TextFailure::Argument,
    TextFailure::Name,
];

fn write_template(to: &mut Writer, template: &Template) {
    to.list(&template.pieces, |to, piece| match piece {
        TemplatePiece::Text(text) => {
            to.byte(0);
            to.bytes(text.as_bytes());
        }
        TemplatePiece::Operand(at) => {
            to.byte(1);
            to.number(*at);
        }
        TemplatePiece::Python(at) => {
            to.byte(2);
            to.number(*at);
        }
    });
    to.byte(match template.stream {
        Stream::Stderr => 0,
        Stream::Stdout => 1,
    });
    to.maybe(template.summarize);
}

fn read_template(from: &mut Reader) -> Option<Template> {
    let pieces = from.list(|from| match from.byte()? {
        0 => from.text().map(|text| TemplatePiece::Text(text.to_owned())),
        1 => from.number().map(TemplatePiece::Operand),
        2 => from.number().map(TemplatePiece::Python),
        _ => None,
    })?;
    let stream = match from.byte()? {
        0 => Stream::Stderr,
        1 => Stream::Stdout,
        _ => return None,
    };
    Some(Template { pieces, stream, summarize: from.maybe()? })
}
