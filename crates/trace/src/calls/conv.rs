//! Convolutions: the padding that `SAME` stands for.

use gw_base::Code;
use gw_ir::{Attr, Builder, Op, Unfit, Windows};
use gw_types::Dim;

use super::meeting::meet;
use super::steps::bad;
use crate::Staged;

/// Part of a window that may lie beyond the edges of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Padding {
    /// Nothing.
    Valid,
    /// So much that there are as many windows as steps on the axis; of an odd number of places the last is behind it.
    Same,
    /// So many places before and behind each axis.
    Explicit([[usize; 2]; 2]),
}

pub(super) fn conv2d(
    b: &mut Builder,
    operands: [Staged; 2],
    strides: [usize; 2],
    padding: Padding,
    dilations: [usize; 2],
) -> Result<Staged, Unfit> {
    let (x, filter, _) = meet(b, Op::Conv2d, operands[0], operands[1])?;
    let mut windows = Windows { strides, padding: [[0; 2]; 2], dilations };
    let [images, filters] = [x, filter].map(|operand| b.ty(operand).shape.0.clone());
    if images.len() == 4 && filters.len() == 4 {
        has_windows(&images[1..3], &filters[..2], padding, dilations)?;
    }
    match padding {
        Padding::Valid => {}
        Padding::Explicit(places) => windows.padding = places,
        Padding::Same if images.len() == 4 && filters.len() == 4 && windows.are_sound() => {
            for axis in [0, 1] {
                windows.padding[axis] =
                    same(images[axis + 1], filters[axis], strides[axis], dilations[axis])?;
            }
        }
        // The op says what it takes.
        Padding::Same => {}
    }
    b.op(Op::Conv2d, Attr::Windows(windows), &[x, filter]).map(Staged::strong)
}

/// A filter has elements, and one that may not lie beyond the edges is no longer than an axis, as far as lengths are known.
fn has_windows(
    images: &[Dim],
    filters: &[Dim],
    padding: Padding,
    dilations: [usize; 2],
) -> Result<(), Unfit> {
    for (axis, (length, size)) in images.iter().zip(filters).enumerate() {
        let Some(size) = size.fixed() else { continue };
        let Some(last) = size.checked_sub(1) else {
            return Err(wrong(
                "a filter of a convolution has no elements: one of its lengths is 0".to_owned(),
            ));
        };
        let reach = last.saturating_mul(dilations[axis]).saturating_add(1);
        if let Some(length) = length.fixed().filter(|&length| padding == Padding::Valid && length < reach) {
            let message =
                format!("a window of a convolution has {reach} places, and the axis under it {length}");
            return Err(wrong(message));
        }
    }
    Ok(())
}

fn wrong(message: String) -> Unfit {
    Unfit { clause: "call.conv2d", code: Code::WrongShape, message }
}

/// The places before and behind an axis so that there is a window for each step on it.
fn same(length: Dim, size: Dim, stride: usize, dilation: usize) -> Result<[usize; 2], Unfit> {
    let reach = size.fixed().map(|size| (size.max(1) - 1).saturating_mul(dilation).saturating_add(1));
    let places = match (length.fixed(), reach) {
        (_, Some(reach)) if stride == 1 => reach - 1,
        (Some(length), Some(reach)) => {
            let steps = length.div_ceil(stride);
            (steps.saturating_sub(1) * stride).saturating_add(reach).saturating_sub(length)
        }
        (Some(_) | None, _) => {
            let message = "how much `SAME` pads depends on lengths that are known only when the graph runs; \
                           write the padding as numbers, `[[0, 0], [top, bottom], [left, right], [0, 0]]`";
            return Err(bad("call.conv2d", message.to_owned()));
        }
    };
    Ok([places / 2, places - places / 2])
}
