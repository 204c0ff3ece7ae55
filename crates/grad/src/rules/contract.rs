//! Products of matrices, and convolutions.

use gw_ir::{Attr, AxisSlice, Bound, DimArg, Keep, Op, Place, ValueId, Windows};

use super::step::Step;
use crate::adjoint::Adjoint;
use crate::stop::Made;

pub(super) fn matmul(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Matmul { transpose_x, transpose_y } = r.graph().nodes[step.id].attr else {
        unreachable!("what is transposed")
    };
    let (x, y, g) = (step.args[0], step.args[1], step.g);
    if r.activity.reaches(x, step.id) {
        let y = r.primal(y)?;
        let y = r.conj(y)?;
        let flows = match transpose_x {
            false => product(r, [g, y], [false, !transpose_y])?,
            true => product(r, [y, g], [transpose_y, true])?,
        };
        let flows = r.unbroadcast(flows, x)?;
        r.add(x, flows)?;
    }
    if r.activity.reaches(y, step.id) {
        if !transpose_x && !r.ty(x).dtype.is_complex() && r.defer_product(y, x, g, transpose_y)? {
            return Ok(());
        }
        let x = r.primal(x)?;
        let x = r.conj(x)?;
        let flows = match transpose_y {
            false => product(r, [x, g], [!transpose_x, false])?,
            true => product(r, [g, x], [true, transpose_x])?,
        };
        let flows = r.unbroadcast(flows, y)?;
        r.add(y, flows)?;
    }
    Ok(())
}

pub(super) fn product(
    r: &mut Adjoint<'_, '_>,
    operands: [ValueId; 2],
    transposed: [bool; 2],
) -> Made<ValueId> {
    let [transpose_x, transpose_y] = transposed;
    r.with(Op::Matmul, Attr::Matmul { transpose_x, transpose_y }, &operands)
}

pub(super) fn conv2d(r: &mut Adjoint<'_, '_>, step: &Step) -> Made<()> {
    let Attr::Windows(windows) = r.graph().nodes[step.id].attr else { unreachable!("windows") };
    let known = step.args.iter().chain([&step.out]).map(|&v| r.ty(v).shape.lengths());
    let Some(shapes) = known.collect::<Option<Vec<_>>>() else {
        return r.refuse("a convolution of images whose size is not known", step.id);
    };
    let [x, filter] = [step.args[0], step.args[1]];
    if r.activity.reaches(x, step.id) {
        let filter = r.primal(filter)?;
        let flows = to_images(r, step.g, filter, &windows, &shapes)?;
        r.add(x, flows)?;
    }
    if r.activity.reaches(filter, step.id) {
        let x = r.primal(x)?;
        let flows = to_filter(r, step.g, x, &windows, &shapes)?;
        r.add(filter, flows)?;
    }
    Ok(())
}

/// The cotangent, spread as far apart as the windows were, meets the filter turned round: element `i` of an axis is in
/// window `w` at `a` where `i = w * stride + a * dilation - padding`.
fn to_images(
    r: &mut Adjoint<'_, '_>,
    g: ValueId,
    filter: ValueId,
    windows: &Windows,
    shapes: &[Vec<usize>],
) -> Made<ValueId> {
    let [images, filters, outs] = [&shapes[0], &shapes[1], &shapes[2]];
    let mut lengths = outs.clone();
    let mut places = vec![Place::Slice(AxisSlice::ALL); 4];
    let [mut fitting, mut behind] = [(); 2].map(|()| vec![AxisSlice::ALL; 4]);
    let mut padding = [[0, 0]; 2];
    for axis in 0..2 {
        let (at, stride) = (axis + 1, windows.strides[axis]);
        let reach = (filters[axis].max(1) - 1) * windows.dilations[axis];
        let front = windows.padding[axis][0];
        // Windows that lie in padding alone are in front of the first element, or behind the last.
        let (before, skipped) = (reach.saturating_sub(front), front.saturating_sub(reach));
        lengths[at] = skipped + images[at] + reach - before;
        let count = outs[at].min(lengths[at].div_ceil(stride));
        let stop = Bound::Fixed((count.max(1) * stride - stride + 1) as i64);
        places[at] = Place::Slice(AxisSlice { start: Bound::Fixed(0), stop, step: stride as i64 });
        fitting[at].stop = Bound::Fixed(count as i64);
        behind[at].start = Bound::Fixed(skipped as i64);
        padding[axis][0] = before;
    }
    let g = r.with(Op::Slice, Attr::Slices(fitting), &[g])?;
    let dtype = r.ty(g).dtype;
    let zero = r.number(dtype, 0.0);
    let dims = lengths.into_iter().map(DimArg::Fixed).collect();
    let zeros = r.with(Op::Broadcast, Attr::Dims(dims), &[zero])?;
    let spread = r.with(Op::Put, Attr::Places { places, keep: Keep::Last }, &[zeros, g])?;
    let spread = r.with(Op::Slice, Attr::Slices(behind), &[spread])?;
    let turned = turned(r, filter)?;
    let attr = Windows { strides: [1, 1], padding, dilations: windows.dilations };
    r.with(Op::Conv2d, Attr::Windows(attr), &[spread, turned])
}

/// A filter with its rows and columns in the opposite order, from what it makes to what it takes.
fn turned(r: &mut Adjoint<'_, '_>, filter: ValueId) -> Made<ValueId> {
    let back = AxisSlice { start: Bound::Open, stop: Bound::Open, step: -1 };
    let slices = vec![back, back, AxisSlice::ALL, AxisSlice::ALL];
    let flipped = r.with(Op::Slice, Attr::Slices(slices), &[filter])?;
    r.with(Op::Transpose, Attr::Perm(vec![0, 1, 3, 2]), &[flipped])
}

/// The images, channel by channel, meet the cotangent as if that were the filter; strides and dilations change places.
fn to_filter(
    r: &mut Adjoint<'_, '_>,
    g: ValueId,
    x: ValueId,
    windows: &Windows,
    shapes: &[Vec<usize>],
) -> Made<ValueId> {
    let filters = &shapes[1];
    let images = r.with(Op::Transpose, Attr::Perm(vec![3, 1, 2, 0]), &[x])?;
    let as_filter = r.with(Op::Transpose, Attr::Perm(vec![1, 2, 0, 3]), &[g])?;
    let attr = Windows { strides: windows.dilations, padding: windows.padding, dilations: windows.strides };
    let all = r.with(Op::Conv2d, Attr::Windows(attr), &[images, as_filter])?;
    let mut slices = vec![AxisSlice::ALL; 4];
    for axis in 0..2 {
        slices[axis + 1].stop = Bound::Fixed(filters[axis] as i64);
    }
    let own = r.with(Op::Slice, Attr::Slices(slices), &[all])?;
    r.with(Op::Transpose, Attr::Perm(vec![1, 2, 0, 3]), &[own])
}
