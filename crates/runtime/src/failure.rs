//! Failures of runs: the exception, its message, its place in the user's text.

use std::any::Any;
use std::fmt;

use gw_base::Loc;
use gw_types::{Arithmetic, DType, Scalar};

use crate::Template;

/// Message of `x // 0` of integers.
pub const NO_QUOTIENT: &str = "integer division or modulo by zero";

/// Message of `x % 0` of integers.
pub const NO_REMAINDER: &str = "integer modulo by zero";

/// Exception of the host; it travels through the run unopened.
pub type HostError = Box<dyn Any + Send>;

/// Exception type that a failed run is raised as.
#[derive(Debug)]
pub enum Failure {
    /// `ZeroDivisionError`
    ZeroDivision,
    /// `IndexError`
    IndexOutOfRange,
    /// Lengths that do not fit, found at run time; `ValueError`.
    ShapeMismatch,
    /// `UnboundLocalError`
    UnboundLocal,
    /// `NameError`
    Name,
    /// `AssertionError`
    Assertion,
    /// `ValueError`
    Value,
    /// `OverflowError`
    Overflow,
    /// `TypeError`
    Type,
    /// `RecursionError`
    Recursion,
    /// `KeyError`; the text is the key as Python writes it.
    Key,
    /// `RuntimeError`
    Runtime,
    /// The host's `InvalidArgumentError`
    Argument,
    /// `MemoryError`
    OutOfMemory,
    /// The user wanted the run to end.
    Interrupted,
    /// The host raised while it served the run.
    Host(HostError),
}

/// Error that ends a run without results.
#[derive(Debug)]
pub struct RunError {
    /// Exception type.
    pub failure: Failure,
    /// Message.
    pub message: String,
    /// Place in the user's text.
    pub place: Option<Loc>,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

/// A place in the machine code that may print or fail.
#[derive(Debug, Clone)]
pub struct Site {
    /// Report made there.
    pub report: Report,
    /// Place in the user's text.
    pub place: Option<Loc>,
}

/// Report of a site. Its numbers are the words that the code left in the scratch area.
#[derive(Debug, Clone)]
pub enum Report {
    /// An integer zero divisor.
    ZeroDivision,
    /// The same, where the remainder is asked for.
    ZeroRemainder,
    /// An integer that leaves its type. Words: the operands, as elements of their type.
    Overflow {
        /// By which step.
        step: Arithmetic,
        /// The type of the operands.
        from: DType,
        /// The type of the result.
        to: DType,
    },
    /// Words: index, length.
    IndexOutOfRange {
        /// The axis that is indexed.
        axis: usize,
    },
    /// Two lengths that do not broadcast. Words: both.
    Unbroadcastable,
    /// A length that is not what the graph says. Words: found, wanted.
    WrongLength,
    /// As many elements as cannot be reshaped. Words: found, wanted.
    Unreshapable,
    /// A negative exponent of an integer.
    NegativePower,
    /// A shift by less than nothing.
    NegativeShift,
    /// A range with a step of zero.
    ZeroStep,
    /// A range of more elements than there can be.
    RangeTooLong,
    /// An empty axis, which has no greatest element.
    EmptyAxis,
    /// An axis with fewer elements than are chosen from it. Words: found, wanted.
    TooFew,
    /// A negative length. Words: the length.
    NegativeLength,
    /// Calls that nest deeper than there is room.
    TooDeep,
    /// No memory is left.
    OutOfMemory,
    /// The user wanted the run to end, or the host raised.
    Stopped,
    /// A call of the host. The words describe its arguments as those of a text, then its results: a scalar has a word, an
    /// array the address of its slot and a word for each axis; the answer is written there, an array's address in place
    /// of its slot's.
    Host {
        /// Number of the function.
        function: usize,
        /// Element type and rank of each argument.
        args: Vec<(DType, usize)>,
        /// Promised results: element types and the lengths that are known before the call.
        gives: Vec<(DType, Vec<Option<usize>>)>,
    },
    /// A text with operands; the words describe them one after the other: a scalar by its bits, an array by its
    /// address and its lengths.
    Text {
        /// Exception that is raised; `None` only prints.
        raises: Option<TextFailure>,
        /// Template of the message.
        template: Template,
        /// Element type and rank of each operand.
        operands: Vec<(DType, usize)>,
    },
}

/// Exception type that a failing check raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextFailure {
    /// `AssertionError`
    Assertion,
    /// `UnboundLocalError`
    UnboundLocal,
    /// `NameError`
    Name,
    /// `IndexError`
    Index,
    /// `ZeroDivisionError`
    ZeroDivision,
    /// `ValueError`
    Value,
    /// `OverflowError`
    Overflow,
    /// `TypeError`
    Type,
    /// `RecursionError`
    Recursion,
    /// `KeyError`; the text is the key as Python writes it.
    Key,
    /// `RuntimeError`
    Runtime,
    /// The host's `InvalidArgumentError`
    Argument,
}

impl From<TextFailure> for Failure {
    fn from(failure: TextFailure) -> Failure {
        match failure {
            TextFailure::Assertion => Failure::Assertion,
            TextFailure::UnboundLocal => Failure::UnboundLocal,
            TextFailure::Name => Failure::Name,
            TextFailure::Index => Failure::IndexOutOfRange,
            TextFailure::ZeroDivision => Failure::ZeroDivision,
            TextFailure::Value => Failure::Value,
            TextFailure::Overflow => Failure::Overflow,
            TextFailure::Type => Failure::Type,
            TextFailure::Recursion => Failure::Recursion,
            TextFailure::Key => Failure::Key,
            TextFailure::Runtime => Failure::Runtime,
            TextFailure::Argument => Failure::Argument,
        }
    }
}

impl Report {
    /// Exception type and message; `words` are the scratch area, `text` the rendered template if there is
    /// one.
    pub(crate) fn explain(&self, words: &[i64], text: String) -> (Failure, String) {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        let [first, second] = [word(0), word(1)];
        let says = |failure: Failure, message: &str| (failure, message.to_owned());
        match self {
            Report::ZeroDivision => says(Failure::ZeroDivision, NO_QUOTIENT),
            Report::ZeroRemainder => says(Failure::ZeroDivision, NO_REMAINDER),
            Report::Overflow { step, from, to } => {
                let operands = [first, second].map(|word| Scalar::read(*from, &word.to_le_bytes()));
                (Failure::Overflow, step.message(*to, &operands))
            }
            Report::IndexOutOfRange { axis } => {
                let message = format!("index {first} is out of bounds for axis {axis} with size {second}");
                (Failure::IndexOutOfRange, message)
            }
            Report::Unbroadcastable => {
                (Failure::ShapeMismatch, format!("lengths {first} and {second} do not broadcast"))
            }
            Report::WrongLength => {
                (Failure::ShapeMismatch, format!("an axis of length {first} where {second} is wanted"))
            }
            Report::Unreshapable => {
                (Failure::ShapeMismatch, format!("cannot reshape {first} elements into {second}"))
            }
            Report::NegativePower => {
                says(Failure::Value, "integers to negative integer powers are not allowed")
            }
            Report::NegativeShift => says(Failure::Value, "negative shift count"),
            Report::ZeroStep => says(Failure::Value, "the step of a range must not be zero"),
            Report::RangeTooLong => says(Failure::Value, "a range is too long"),
            Report::EmptyAxis => says(Failure::Value, "an empty axis has no greatest or least element"),
            Report::TooFew => (
                Failure::ShapeMismatch,
                format!("an axis of length {first} has no {second} greatest elements"),
            ),
            Report::NegativeLength => {
                (Failure::ShapeMismatch, format!("a length cannot be negative: {first}"))
            }
            Report::TooDeep => says(Failure::Recursion, "maximum recursion depth exceeded"),
            Report::OutOfMemory => says(Failure::OutOfMemory, "cannot allocate the memory of an array"),
            Report::Stopped => says(Failure::Interrupted, "interrupted"),
            Report::Host { .. } => (Failure::Type, text),
            Report::Text { raises, .. } => (raises.map_or(Failure::Value, Failure::from), text),
        }
    }
}
