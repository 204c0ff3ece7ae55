//! Python's slices on each axis.

use gw_ir::{Attr, AxisSlice, Bound, Node};

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::writer::numbers;

/// Start of a slice on an axis of this length, and its number of elements.
pub(crate) fn span(slice: &AxisSlice, length: usize, args: &[Item]) -> Made<(usize, usize)> {
    let bound = |bound: Bound| match bound {
        Bound::Open => Ok(None),
        Bound::Fixed(at) => Ok(Some(at)),
        Bound::Arg(at) => args[at].known.map(Some).ok_or_else(|| Refused::unknown("the length of a slice")),
    };
    Ok(AxisSlice::span(length, bound(slice.start)?, bound(slice.stop)?, slice.step))
}

/// `x[start:stop:step, …]`. StableHLO steps forward only: what steps back is cut out from its other end and turned round.
pub(crate) fn slice(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Item> {
    let (Attr::Slices(slices), x) = (&node.attr, &args[0]) else {
        return Err(Refused::new("it names no slices"));
    };
    let [mut starts, mut ends, mut strides, mut counts] = [const { Vec::new() }; 4];
    for (slice, &length) in slices.iter().zip(x.lengths()) {
        let (start, count) = span(slice, length, args)?;
        let stride = usize::try_from(slice.step.unsigned_abs()).unwrap_or(usize::MAX).min(length.max(1));
        let reach = stride * count.saturating_sub(1);
        let low = if slice.step < 0 { start - reach } else { start };
        let low = if count == 0 { 0 } else { low };
        starts.push(low);
        ends.push(if count == 0 { 0 } else { low + reach + 1 });
        strides.push(stride);
        counts.push(count);
    }
    let is_whole = counts == x.lengths();
    let cut = match is_whole {
        true => x.clone(),
        false => {
            let [limits, from, strides] = [numbers(&ends), numbers(&starts), numbers(&strides)];
            let attrs = format!("limit_indices = {limits}, start_indices = {from}, strides = {strides}");
            to.text.op("stablehlo.slice", &[x], &attrs, Ty::new(x.dtype(), counts))
        }
    };
    let back = slices.iter().enumerate().filter(|(_, slice)| slice.step < 0).map(|(axis, _)| axis);
    let back: Vec<usize> = back.collect();
    if back.is_empty() {
        return Ok(cut);
    }
    Ok(to.text.op("stablehlo.reverse", &[&cut], &format!("dimensions = {}", numbers(&back)), cut.ty.clone()))
}
