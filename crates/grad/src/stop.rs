//! The reasons why there is no derivative.

use gw_base::{Code, Loc};
use gw_ir::Unfit;

/// Reason for which there is no derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The program is such that we have none.
    Refused(Refused),
    /// A rule of ours made what is not legal.
    Broken(Unfit),
}

/// Something in the program that no derivative goes through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Code of the diagnostic.
    pub code: Code,
    /// A description in the user's words.
    pub what: &'static str,
    /// Place in the user's text.
    pub at: Option<Loc>,
}

impl From<Unfit> for Stop {
    fn from(unfit: Unfit) -> Self {
        Stop::Broken(unfit)
    }
}

pub(crate) type Made<T> = Result<T, Stop>;
