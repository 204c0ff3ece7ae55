//! Failures of nodes: which may end a run, by a value or by lengths that are not known to fit.

use gw_types::{Arithmetic, Dim, Scalar, Shape};

use crate::{
    ArgOp, Attr, AxisSlice, Bound, Class, DimArg, Graph, Literal, Needs, Node, NodeId, Op, Place, RegionId,
    ValueId,
};

/// True if running the node may end the run: by a value, by lengths that are not known to fit, or inside a region.
pub fn can_fail(graph: &Graph, id: NodeId) -> bool {
    lengths_may_misfit(graph, id) || may_overflow(graph, id) || values_may_fail(graph, id)
}

/// True if a result may leave the type of integers, where that is checked.
pub fn may_overflow(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    let known = |at: usize| literal(graph, *node.args.get(at)?)?.as_scalar().map(Scalar::to_i64);
    match node.checked() {
        None => false,
        Some(Arithmetic::Sub) if node.args[0] == node.args[1] => false,
        Some(Arithmetic::Add | Arithmetic::Sub) => known(1) != Some(0),
        Some(Arithmetic::Mul) => !matches!(known(1), Some(0 | 1)) && !matches!(known(0), Some(0 | 1)),
        Some(Arithmetic::FloorDiv) => known(1).is_none_or(|divisor| divisor == -1),
        Some(Arithmetic::Pow) => !matches!(known(1), Some(0 | 1)),
        Some(Arithmetic::Neg | Arithmetic::Abs | Arithmetic::Shl | Arithmetic::Cast) => true,
    }
}

/// True if lengths that become known when the graph runs may turn out not to fit.
pub fn lengths_may_misfit(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    match node.op.class() {
        Class::Elementwise => misfit(graph, node),
        Class::Contract => contract_may_fail(graph, node),
        Class::Matrices => matrices_may_misfit(graph, node),
        Class::Move => match &node.attr {
            Attr::Places { .. } => put_may_misfit(graph, node),
            Attr::Axis(_) if node.op == Op::Concat => concat_may_fail(graph, node),
            Attr::Dims(dims) if node.op == Op::Reshape => reshape_may_fail(graph, node, dims),
            Attr::Dims(dims) => broadcast_may_fail(graph, node, dims),
            Attr::None | Attr::Axis(_) | Attr::Axes { .. } | Attr::Perm(_) | Attr::Slices(_) => false,
            Attr::Count(_) | Attr::Windows(_) => false,
            Attr::Triangle { .. } | Attr::Adjoint(_) | Attr::Full(_) => false,
            Attr::Literal(_)
            | Attr::To(_)
            | Attr::Checked
            | Attr::ToChecked(_)
            | Attr::Matmul { .. }
            | Attr::Print(_) => false,
            Attr::Check { .. } | Attr::Function(_) | Attr::Host(_) | Attr::Foreign(_) => false,
        },
        Class::Reduce if node.op == Op::Arg(ArgOp::Top) => {
            graph.ty(node.args[0]).shape.0.last().is_none_or(|dim| dim.fixed().is_none())
        }
        Class::Reduce | Class::Source | Class::Control | Class::Effect => false,
    }
}

/// True if it may fail by a value, by what it is for, or by what is inside it.
pub fn values_may_fail(graph: &Graph, id: NodeId) -> bool {
    let node = &graph.nodes[id];
    match node.op {
        Op::Binary(_) => second_may_fail(graph, node),
        Op::Index | Op::Gather => index_may_fail(graph, node),
        Op::Put => put_may_fail(graph, node),
        Op::Arg(ArgOp::Max | ArgOp::Min) => {
            graph.ty(node.args[0]).shape.0.iter().any(|dim| dim.fixed().is_none())
        }
        Op::Range => !every(graph, node.args[2], |step| step.to_i64() != 0),
        Op::Foreign => false,
        Op::Print | Op::Host | Op::Check | Op::Leave | Op::Call => true,
        Op::Try => body_can_fail(graph, node.regions[0]),
        Op::Cond | Op::While => {
            let regions = node.regions.iter().map(|&region| &graph.regions[region]);
            regions.flat_map(|region| &region.nodes).any(|&inner| can_fail(graph, inner))
        }
        Op::Unary(_) | Op::Test(_) | Op::Compare(_) | Op::String(_) | Op::Reduce(_) | Op::Matrix(_) => false,
        Op::Part(_) | Op::Complex => false,
        Op::Cast | Op::Select | Op::Reshape | Op::Broadcast | Op::Transpose | Op::Slice | Op::Concat => false,
        Op::Matmul | Op::Conv2d | Op::Const | Op::Dim | Op::Sort | Op::Arg(ArgOp::Sort | ArgOp::Top) => false,
    }
}

/// True if an op of two integers may fail by the second one.
fn second_may_fail(graph: &Graph, node: &Node) -> bool {
    let needs = node.op.needs();
    needs != Needs::Any && is_int(graph, node) && !every(graph, node.args[1], |n| needs.holds(n.to_i64()))
}

/// True if running the body of a `try` may end the run: what leaves it does not.
fn body_can_fail(graph: &Graph, region: RegionId) -> bool {
    graph.regions[region].nodes.iter().any(|&id| {
        let node = &graph.nodes[id];
        match node.op.class() {
            Class::Effect => node.op != Op::Leave,
            Class::Control if node.op.branches() => {
                node.regions.iter().any(|&inner| body_can_fail(graph, inner))
            }
            Class::Control | Class::Elementwise | Class::Reduce => can_fail(graph, id),
            Class::Move | Class::Contract | Class::Matrices | Class::Source => can_fail(graph, id),
        }
    })
}

/// The literal behind a value.
pub fn literal(graph: &Graph, value: ValueId) -> Option<&Literal> {
    if let Attr::Literal(literal) = &graph.nodes[graph.definer(value)?].attr { Some(literal) } else { None }
}

/// True if a value is known, and something holds of each of its elements.
pub fn every(graph: &Graph, value: ValueId, holds: impl Fn(Scalar) -> bool) -> bool {
    literal(graph, value).is_some_and(|literal| literal.scalars().all(holds))
}

fn is_int(graph: &Graph, node: &Node) -> bool {
    graph.ty(node.args[0]).dtype.is_int()
}

/// True if the lengths of an elementwise op are not known to broadcast.
fn misfit(graph: &Graph, node: &Node) -> bool {
    let shapes: Vec<&Shape> = node.args.iter().map(|&arg| &graph.ty(arg).shape).collect();
    may_misfit(&shapes)
}

fn may_misfit(shapes: &[&Shape]) -> bool {
    let rank = shapes.iter().map(|shape| shape.rank()).max().unwrap_or(0);
    (0..rank).any(|from_end| {
        let dims = shapes.iter().filter_map(|shape| shape.0.iter().rev().nth(from_end));
        let mut long = dims.filter(|&&dim| dim != Dim::Fixed(1));
        let first = long.next();
        long.any(|dim| Some(dim) != first)
    })
}

fn reshape_may_fail(graph: &Graph, node: &Node, dims: &[DimArg]) -> bool {
    let x = &graph.ty(node.args[0]).shape;
    let size = |dims: &[Dim]| dims.iter().filter_map(|dim| dim.fixed()).fold(1, usize::saturating_mul);
    let open = |dims: &[Dim]| {
        let mut open: Vec<Dim> = dims.iter().copied().filter(|dim| dim.fixed().is_none()).collect();
        open.sort_unstable();
        open
    };
    let given: Option<Vec<Dim>> =
        dims.iter().filter(|dim| !matches!(dim, DimArg::Rest)).map(|dim| wanted(graph, node, dim)).collect();
    let Some(given) = given else { return true };
    let (own, fixed) = (size(&x.0), size(&given));
    if open(&x.0).is_empty() && open(&given).is_empty() {
        return false;
    }
    match dims.contains(&DimArg::Rest) {
        // The length that is left over is not known beside lengths that may be zero.
        true => !(open(&given).is_empty() && fixed != 0 && own.is_multiple_of(fixed)),
        false => open(&given) != open(&x.0) || own != fixed,
    }
}

fn broadcast_may_fail(graph: &Graph, node: &Node, dims: &[DimArg]) -> bool {
    let to: Option<Vec<Dim>> = dims.iter().map(|dim| wanted(graph, node, dim)).collect();
    let Some(to) = to else { return true };
    let own = &graph.ty(node.args[0]).shape.0;
    own.len() > to.len()
        || own.iter().rev().zip(to.iter().rev()).any(|(&own, &to)| own != Dim::Fixed(1) && own != to)
}

/// A length that a node asks for, where it is known or that of an axis.
fn wanted(graph: &Graph, node: &Node, dim: &DimArg) -> Option<Dim> {
    let at = match *dim {
        DimArg::Fixed(length) => return Some(Dim::Fixed(length)),
        DimArg::Arg(at) => at,
        DimArg::Rest => return None,
    };
    let made = &graph.nodes[graph.definer(*node.args.get(at)?)?];
    match (made.op, &made.attr) {
        (Op::Dim, Attr::Axis(axis)) => graph.ty(made.args[0]).shape.0.get(*axis).copied(),
        (_, Attr::Literal(literal)) => usize::try_from(literal.as_scalar()?.to_i64()).ok().map(Dim::Fixed),
        (_, _) => None,
    }
}

fn index_may_fail(graph: &Graph, node: &Node) -> bool {
    let Attr::Axis(axis) = node.attr else { return true };
    let Dim::Fixed(length) = graph.ty(node.args[0]).shape.0[axis] else { return true };
    !every(graph, node.args[1], |i| is_index(i, length))
}

/// True if a number is the place of an element on an axis so long, counted from either end.
fn is_index(number: Scalar, length: usize) -> bool {
    let length = length as i128;
    (-length..length).contains(&number.to_integer())
}

/// True if an index of a store may be past the end of its axis.
fn put_may_fail(graph: &Graph, node: &Node) -> bool {
    let Attr::Places { places, .. } = &node.attr else { return true };
    let x = &graph.ty(node.args[0]).shape;
    let inside = |(place, dim): (&Place, &Dim)| match (place, dim) {
        (Place::Slice(_), _) => true,
        (Place::At(at), Dim::Fixed(length)) => every(graph, node.args[*at], |i| is_index(i, *length)),
        (Place::At(_), Dim::Var(_)) => false,
    };
    !places.iter().zip(&x.0).all(inside)
}

/// True if the indices of a store may be of different lengths, or its value may not fit.
fn put_may_misfit(graph: &Graph, node: &Node) -> bool {
    let Attr::Places { places, .. } = &node.attr else { return true };
    let (x, value) = (&graph.ty(node.args[0]).shape, &graph.ty(node.args[1]).shape);
    let mut group: Option<&Shape> = None;
    let mut slices = Vec::new();
    for (place, &dim) in places.iter().zip(&x.0) {
        match place {
            Place::Slice(slice) => slices.push(taken(dim, slice)),
            Place::At(at) => {
                let index = &graph.ty(node.args[*at]).shape;
                if index.rank() > 0 && *group.get_or_insert(index) != index {
                    return true;
                }
            }
        }
    }
    let group = group.into_iter().flat_map(|shape| &shape.0).map(|&dim| Some(dim));
    let to: Vec<Option<Dim>> = group.chain(slices).collect();
    let fits = |(&own, to): (&Dim, &Option<Dim>)| own == Dim::Fixed(1) || *to == Some(own);
    value.rank() > to.len() || !value.0.iter().rev().zip(to.iter().rev()).all(fits)
}

/// The length of a slice of an axis, where it is known.
fn taken(dim: Dim, slice: &AxisSlice) -> Option<Dim> {
    let bound = |bound: Bound| match bound {
        Bound::Open => Some(None),
        Bound::Fixed(at) => Some(Some(at)),
        Bound::Arg(_) => None,
    };
    let (start, stop) = (bound(slice.start)?, bound(slice.stop)?);
    match (dim, start, stop) {
        (Dim::Fixed(length), start, stop) => {
            Some(Dim::Fixed(AxisSlice::span(length, start, stop, slice.step).1))
        }
        (Dim::Var(_), None, None) => (slice.step.unsigned_abs() == 1).then_some(dim),
        (Dim::Var(_), _, _) => None,
    }
}

fn concat_may_fail(graph: &Graph, node: &Node) -> bool {
    let Attr::Axis(axis) = node.attr else { return true };
    let mut shapes = node.args.iter().map(|&arg| {
        let mut dims = graph.ty(arg).shape.0.clone();
        dims.remove(axis);
        dims
    });
    let first = shapes.next();
    shapes.any(|dims| Some(dims) != first)
}

fn contract_may_fail(graph: &Graph, node: &Node) -> bool {
    let Attr::Matmul { transpose_x, transpose_y } = node.attr else { return conv_may_fail(graph, node) };
    let [x, y] = [0, 1].map(|at| &graph.ty(node.args[at]).shape);
    let (Some((x_batch, x_last)), Some((y_batch, y_last))) =
        (x.0.split_last_chunk::<2>(), y.0.split_last_chunk::<2>())
    else {
        return true;
    };
    let inner = x_last[usize::from(!transpose_x)] != y_last[usize::from(transpose_y)];
    inner || may_misfit(&[&Shape(x_batch.to_vec()), &Shape(y_batch.to_vec())])
}

/// True if matrices are not known to be square, or to have as many rows as what they are solved for.
fn matrices_may_misfit(graph: &Graph, node: &Node) -> bool {
    let matrix = |at: usize| graph.ty(node.args[at]).shape.0.split_last_chunk::<2>();
    let Some((batch, [rows, columns])) = matrix(0) else { return true };
    if matches!(node.op, Op::Matrix(op) if !op.takes_square()) {
        return false;
    }
    let fits = node.args.len() == 1
        || matrix(1).is_some_and(|(other, [held, _])| {
            held == rows && !may_misfit(&[&Shape(batch.to_vec()), &Shape(other.to_vec())])
        });
    rows != columns || !fits
}

/// True if the channels of images and of filters are not known to be as many.
fn conv_may_fail(graph: &Graph, node: &Node) -> bool {
    let [x, filter] = [0, 1].map(|at| &graph.ty(node.args[at]).shape.0);
    x.get(3).is_none_or(|channels| filter.get(2) != Some(channels))
}
