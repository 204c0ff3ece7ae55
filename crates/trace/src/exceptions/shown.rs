//! Values that the exception of a failing operation shows, and its text for shapes that do not fit.

use gw_ir::{Attr, Builder, Class, DimArg, Literal, Node, NodeId, Op, Piece, Place, ValueId};
use gw_types::{DType, Scalar};

use super::fits;
use super::holds::{self, Fails};
use crate::Trace;

/// The values that the text of what an operation raises shows, in the order of its holes.
pub fn shown(trace: &Trace, node: NodeId, fails: Fails) -> Vec<ValueId> {
    let indices = indices(trace, node);
    trace.build(|b| {
        let node = b.graph().nodes[node].clone();
        if node.op == Op::Check {
            node.args[1..].to_vec()
        } else if fails == Fails::Lengths {
            lengths_shown(b, &node)
        } else {
            first_outside(b, node.args.first().copied(), &indices).unwrap_or_default()
        }
    })
}

/// The text for an index that is out of range, as NumPy writes it, with a hole for each of the values that are shown; none for what takes
/// no index, and for arrays of indices.
pub fn outside(trace: &Trace, node: NodeId) -> Option<Vec<Piece>> {
    let text = |text: &str| Piece::Text(text.to_owned());
    let axis = match indices(trace, node)[..] {
        [] => return None,
        [ref only] => text(&only.named.to_string()),
        [..] => Piece::Python(3),
    };
    let of = [text(" is out of bounds for axis "), axis, text(" with size "), Piece::Python(2)];
    Some([text("index "), Piece::Python(1)].into_iter().chain(of).collect())
}

/// A single index that may be out of range.
struct At {
    index: ValueId,
    axis: usize,
    /// The axis as the program counts it.
    named: usize,
}

/// The single indices that an operation takes, but for those that are known to be inside; none if it takes others.
fn indices(trace: &Trace, id: NodeId) -> Vec<At> {
    let (node, named) = trace.build(|b| {
        let node = b.graph().nodes[id].clone();
        let named = if let Attr::Axis(axis) = node.attr { b.graph().written_axis(id, axis) } else { 0 };
        (node, named)
    });
    let mut found: Vec<At> = match (node.op, &node.attr) {
        (Op::Index, &Attr::Axis(axis)) => return vec![At { index: node.args[1], axis, named }],
        (Op::Put, Attr::Places { places, .. }) => {
            let at = |(axis, place): (usize, &Place)| match place {
                Place::At(at) => Some(At { index: node.args[*at], axis, named: axis }),
                Place::Slice(_) => None,
            };
            places.iter().enumerate().filter_map(at).collect()
        }
        _ => return Vec::new(),
    };
    if found.iter().any(|at| !trace.ty(at.index).is_scalar()) {
        return Vec::new();
    }
    let shape = trace.ty(node.args[0]).shape;
    found.retain(|at| !trace.is_inside(at.index, shape.0[at.axis]));
    found
}

/// The first index that is out of range and the length of its axis, and where there are several, the axis.
fn first_outside(b: &mut Builder, of: Option<ValueId>, indices: &[At]) -> Option<Vec<ValueId>> {
    let (of, several) = (of?, indices.len() > 1);
    let mut found: Option<Vec<ValueId>> = None;
    for at in indices.iter().rev() {
        let mut own = vec![at.index, b.op(Op::Dim, Attr::Axis(at.axis), &[of]).ok()?];
        if several {
            own[0] = b.op(Op::Cast, Attr::To(DType::I64), &[at.index]).ok()?;
            own.push(b.constant(Literal::scalar(DType::I64, Scalar::Int(at.named as i64))));
        }
        let Some(others) = found else {
            found = Some(own);
            continue;
        };
        let is_inside = holds::inside(b, of, at.axis, at.index)?;
        let chosen = others.into_iter().zip(own);
        let chosen = chosen.map(|(other, own)| b.op(Op::Select, Attr::None, &[is_inside, other, own]).ok());
        found = Some(chosen.collect::<Option<_>>()?);
    }
    found
}

/// The text for shapes that do not fit, as NumPy writes it, with a hole for each length.
pub fn misfit(trace: &Trace, node: &Node) -> Vec<Piece> {
    let rank = |&value: &ValueId| trace.ty(value).rank();
    if let Attr::Places { places, .. } = &node.attr {
        let group = places.iter().find_map(|place| match place {
            Place::At(at) => Some(rank(&node.args[*at])).filter(|&rank| rank > 0),
            Place::Slice(_) => None,
        });
        let slices = places.iter().filter(|place| matches!(place, Place::Slice(_))).count();
        let texts = match group {
            None => ["could not broadcast input array from shape ", " into shape ", ""],
            Some(_) => [
                "shape mismatch: value array of shape ",
                " could not be broadcast to indexing result of shape ",
                "",
            ],
        };
        return shapes(&texts, &[rank(&node.args[1]), group.unwrap_or(0) + slices]);
    }
    if let (Op::Reshape, Attr::Dims(dims)) = (node.op, &node.attr) {
        return reshaped(dims);
    }
    if node.op == Op::Broadcast && trace.ty(node.args[0]).is_scalar() {
        return vec![Piece::Text("negative dimensions are not allowed".to_owned())];
    }
    if node.op.class() != Class::Elementwise {
        return vec![Piece::Text("the shapes of the operands do not fit".to_owned())];
    }
    let ranks: Vec<usize> = node.args.iter().map(rank).collect();
    let mut texts = vec![" "; ranks.len() + 1];
    texts[0] = "operands could not be broadcast together with shapes ";
    shapes(&texts, &ranks)
}

/// The text for an array that does not have as many elements as a shape.
fn reshaped(dims: &[DimArg]) -> Vec<Piece> {
    let text = |text: &str| Piece::Text(text.to_owned());
    let mut shown = 1;
    let mut pieces = vec![text("cannot reshape array of size "), Piece::Python(shown), text(" into shape (")];
    for (at, dim) in dims.iter().enumerate() {
        pieces.push(match dim {
            DimArg::Fixed(length) => Piece::Text(length.to_string()),
            DimArg::Arg(_) => {
                shown += 1;
                Piece::Python(shown)
            }
            DimArg::Rest => text("newaxis"),
        });
        pieces.push(text(if at + 1 < dims.len() || at == 0 { "," } else { "" }));
    }
    pieces.push(text(")"));
    pieces
}

/// Shapes of so many axes between texts, with a hole for each length.
fn shapes(texts: &[&str], ranks: &[usize]) -> Vec<Piece> {
    let (mut pieces, mut text, mut shown) = (Vec::new(), texts[0].to_owned(), 0);
    for (&rank, next) in ranks.iter().zip(&texts[1..]) {
        text.push('(');
        for axis in 0..rank {
            shown += 1;
            pieces.extend([Piece::Text(std::mem::take(&mut text)), Piece::Python(shown)]);
            text.push_str(if axis + 1 < rank || rank == 1 { "," } else { "" });
        }
        text.push(')');
        text.push_str(next);
    }
    pieces.push(Piece::Text(text));
    pieces
}

/// The lengths that the text for shapes that do not fit shows.
fn lengths_shown(b: &mut Builder, node: &Node) -> Vec<ValueId> {
    if let Attr::Places { places, .. } = &node.attr {
        let to = fits::picked(b, node, places).unwrap_or_default();
        return lengths(b, &node.args[1..2]).into_iter().chain(to).collect();
    }
    let (Op::Reshape, Attr::Dims(dims)) = (node.op, &node.attr) else { return lengths(b, &node.args) };
    let given = dims.iter().filter_map(|dim| match dim {
        DimArg::Arg(at) => node.args.get(*at).copied(),
        DimArg::Fixed(_) | DimArg::Rest => None,
    });
    fits::size(b, node.args[0]).into_iter().chain(given).collect()
}

/// The lengths of all axes of these values.
fn lengths(b: &mut Builder, values: &[ValueId]) -> Vec<ValueId> {
    let axes = |&value: &ValueId| (0..b.ty(value).rank()).map(move |axis| (value, axis)).collect::<Vec<_>>();
    let axes: Vec<_> = values.iter().flat_map(axes).collect();
    let length = |(value, axis)| b.op(Op::Dim, Attr::Axis(axis), &[value]).expect("an axis has a length");
    axes.into_iter().map(length).collect()
}
