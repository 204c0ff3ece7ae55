//! Functions of double precision, each written once over [`Steps`], as [`Single`](crate::Single)'s are.

use crate::angle::{self, Angle};
use crate::single::Single;
use crate::steps::Steps;

/// The functions that have a definition here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Double {
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
}

impl Double {
    /// The function of an angle that it is, if it is one.
    pub fn angle(self) -> Option<Angle> {
        match self {
            Double::Sin => Some(Angle::Sin),
            Double::Cos => Some(Angle::Cos),
        }
    }

    /// The function's steps.
    #[inline(always)]
    pub fn apply<S: Steps<f64>>(self, s: &mut S, x: S::Float) -> S::Float {
        match self {
            Double::Sin => angle::double(s, Angle::Sin, x),
            Double::Cos => angle::double(s, Angle::Cos, x),
        }
    }
}

/// A function in one of both precisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Formula {
    /// Of single precision.
    Single(Single),
    /// Of double precision.
    Double(Double),
}

impl Formula {
    /// The function's steps.
    pub fn apply<S, F>(self, s: &mut S, x: F) -> F
    where
        S: Steps<f32, Float = F> + Steps<f64, Float = F>,
    {
        match self {
            Formula::Single(single) => single.apply(s, x),
            Formula::Double(double) => double.apply(s, x),
        }
    }
}
