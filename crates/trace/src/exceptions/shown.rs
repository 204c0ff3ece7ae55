//! Values that the exception of a failing operation shows, and its text for shapes that do not fit.

use gw_ir::{Attr, Builder, Class, Node, NodeId, Op, Piece, ValueId};

use super::holds::Fails;
use crate::Trace;

/// The values that the text of what an operation raises shows, in the order of its holes.
pub fn shown(trace: &Trace, node: NodeId, fails: Fails) -> Vec<ValueId> {
    trace.build(|b| {
        let node = b.graph().nodes[node].clone();
        match (node.op, node.attr) {
            (Op::Check, _) => node.args[1..].to_vec(),
            _ if fails == Fails::Lengths => lengths(b, &node.args),
            (Op::Index, Attr::Axis(axis)) => {
                let length = b.op(Op::Dim, Attr::Axis(axis), &[node.args[0]]);
                vec![node.args[1], length.expect("an axis has a length")]
            }
            _ => Vec::new(),
        }
    })
}

/// The text for shapes that do not fit, as NumPy writes it, with a hole for each length.
pub fn misfit(trace: &Trace, node: &Node) -> Vec<Piece> {
    if node.op.class() != Class::Elementwise {
        return vec![Piece::Text("the shapes of the operands do not fit".to_owned())];
    }
    let mut pieces = vec![Piece::Text("operands could not be broadcast together with shapes (".to_owned())];
    let mut shown = 0;
    for &arg in &node.args {
        let rank = trace.ty(arg).rank();
        for axis in 0..rank {
            shown += 1;
            let comma = if axis + 1 < rank || rank == 1 { "," } else { "" };
            pieces.extend([Piece::Python(shown), Piece::Text(comma.to_owned())]);
        }
        pieces.push(Piece::Text(if Some(&arg) == node.args.last() { ") " } else { ") (" }.to_owned()));
    }
    pieces
}

/// The lengths of all axes of these values.
fn lengths(b: &mut Builder, values: &[ValueId]) -> Vec<ValueId> {
    let axes = |&value: &ValueId| (0..b.ty(value).rank()).map(move |axis| (value, axis)).collect::<Vec<_>>();
    let axes: Vec<_> = values.iter().flat_map(axes).collect();
    let length = |(value, axis)| b.op(Op::Dim, Attr::Axis(axis), &[value]).expect("an axis has a length");
    axes.into_iter().map(length).collect()
}
