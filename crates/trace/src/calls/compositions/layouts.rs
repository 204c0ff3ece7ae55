//! Calls that repeat, turn and frame elements: their arguments.

use gw_ir::{Builder, Unfit};

use super::{borders, copies};
use crate::Staged;
use crate::calls::steps::{Length, bad};

/// A call that lays the elements of its first operand out anew.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Layout {
    /// The elements side by side, a number of times along each axis; operands `x` and one scalar per `Length::Given`.
    Tile(Vec<Length>),
    /// Each element a number of times in a row; operands `x` and one scalar for `Length::Given`.
    Repeat {
        /// Along what.
        axis: i64,
        /// Number of copies.
        times: Length,
    },
    /// The last element first, along axes.
    Reverse(Vec<i64>),
    /// The elements shifted along axes: those that leave at one end come in at the other; operands `x` and one scalar
    /// per `Length::Given`.
    Roll {
        /// Along what.
        axes: Vec<i64>,
        /// By how many places along each of them, perhaps negative.
        places: Vec<Length>,
    },
    /// The elements with others around; operands `x`, the number of a constant border, and one scalar per `Length::Given`.
    Pad {
        /// Elements around.
        border: Border,
        /// Numbers of them before and behind each axis.
        places: Vec<[Length; 2]>,
    },
}

/// The elements around an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Border {
    /// One number everywhere.
    Constant,
    /// Those as far inside as they are outside, counted from the last one.
    Reflect,
    /// Those as far inside as they are outside, counted from the edge.
    Symmetric,
}

impl Layout {
    pub(super) fn check(&self, lengths: &[Vec<Option<usize>>]) -> Result<(), Unfit> {
        let rank = lengths.first().map_or(0, Vec::len);
        let fits = |what: &str, count: usize, of: &str, wanted: usize, things: &str| {
            if count == wanted {
                return Ok(());
            }
            Err(bad("call.layout", format!("`{what}` has {count} {of} for {wanted} {things}")))
        };
        match self {
            Self::Tile(times) => fits("multiples", times.len(), "numbers", rank, "axes"),
            Self::Roll { axes, places } => fits("shift", places.len(), "numbers", axes.len(), "axes"),
            Self::Pad { places, .. } => fits("paddings", places.len(), "rows", rank, "axes"),
            Self::Repeat { .. } | Self::Reverse(_) => Ok(()),
        }
    }
}

pub(super) fn layout(b: &mut Builder, layout: &Layout, args: &[Staged]) -> Result<Staged, Unfit> {
    let known: Vec<_> = args.iter().map(|arg| super::sizes::known_lengths(b, arg.value)).collect();
    layout.check(&known)?;
    let (x, mut given) = (args[0].value, args[1..].iter().copied());
    let made = match layout {
        Layout::Tile(times) => copies::tile(b, x, times, &mut given),
        Layout::Repeat { axis, times } => copies::repeat(b, x, *axis, *times, &mut given),
        Layout::Reverse(axes) => borders::reverse(b, x, axes),
        Layout::Roll { axes, places } => borders::roll(b, x, axes, places, &mut given),
        Layout::Pad { border, places } => borders::pad(b, args, *border, places),
    };
    made.map(Staged::strong)
}
