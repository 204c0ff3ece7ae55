//! Functions that can be computed for a register of numbers at once.

use crate::arc;
use crate::double::Double;
use crate::pow;
use crate::power_tables;
use crate::rest::rest;
use crate::single::Single;
use crate::steps::Steps;

/// Functions of two numbers of single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SinglePair {
    /// `x ^ y`
    Pow,
    /// The angle of `(y, x)`.
    Atan2,
    /// Python's `x % y`.
    Mod,
}

impl SinglePair {
    /// The function's steps.
    #[inline(always)]
    pub fn apply<S: Steps<f32>>(self, s: &mut S, x: S::Float, y: S::Float) -> S::Float {
        match self {
            SinglePair::Pow => pow::pow(s, &power_tables::SINGLE, x, y),
            SinglePair::Atan2 => arc::atan2(s, &arc::SINGLE, x, y),
            SinglePair::Mod => rest(s, x, y),
        }
    }
}

/// Functions of two numbers of double precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoublePair {
    /// `x ^ y`
    Pow,
    /// The angle of `(y, x)`.
    Atan2,
    /// Python's `x % y`.
    Mod,
}

impl DoublePair {
    /// The function's steps.
    #[inline(always)]
    pub fn apply<S: Steps<f64>>(self, s: &mut S, x: S::Float, y: S::Float) -> S::Float {
        match self {
            DoublePair::Pow => pow::pow(s, &power_tables::DOUBLE, x, y),
            DoublePair::Atan2 => arc::atan2(s, &arc::DOUBLE, x, y),
            DoublePair::Mod => rest(s, x, y),
        }
    }
}

/// A function in one of both precisions, of one number or two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Of single precision.
    Single(Single),
    /// Of double precision.
    Double(Double),
    /// Of two numbers of single precision.
    SinglePair(SinglePair),
    /// Of two numbers of double precision.
    DoublePair(DoublePair),
}

impl Formula {
    /// The function's steps, of as many numbers as it has parameters.
    pub fn apply<S, F: Copy>(self, s: &mut S, args: &[F]) -> F
    where
        S: Steps<f32, Float = F> + Steps<f64, Float = F>,
    {
        match self {
            Formula::Single(single) => single.apply(s, args[0]),
            Formula::Double(double) => double.apply(s, args[0]),
            Formula::SinglePair(pair) => pair.apply(s, args[0], args[1]),
            Formula::DoublePair(pair) => pair.apply(s, args[0], args[1]),
        }
    }
}
