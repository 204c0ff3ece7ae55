//! Indices that are inside of their axis whatever the graph is given: counters of loops whose numbers of turns are known, and what is
//! computed of these and of numbers that are written. No handler sees such an index fail.

use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

use gw_ir::{Attr, BinaryOp, NodeId, Op, Place, UnaryOp, ValueId};
use gw_types::{DType, Dim, Shape};

use crate::Trace;

/// The most operations between a counter and an index.
const MOST_STEPS: usize = 12;

/// The greatest size of a number here: sums and products of such do not leave the types of indices.
const MOST: i64 = 1 << 30;

/// A step of two integers, of which the least and the greatest result are among those of the least and the greatest operands.
type Combine = fn(i64, i64) -> Option<i64>;

/// These steps; a quotient is one by a number that is greater than zero.
const COMBINED: [(BinaryOp, Combine); 6] = [
    (BinaryOp::Add, |x, y| Some(x + y)),
    (BinaryOp::Sub, |x, y| Some(x - y)),
    (BinaryOp::Mul, |x, y| Some(x * y)),
    (BinaryOp::Max, |x, y| Some(x.max(y))),
    (BinaryOp::Min, |x, y| Some(x.min(y))),
    (BinaryOp::FloorDiv, |x, y| (y > 0).then(|| x.div_euclid(y))),
];

/// The counters of loops, and their numbers of turns.
#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<FxHashMap<ValueId, ValueId>>);

impl Counters {
    /// Number of turns of the loop that a value counts.
    pub(crate) fn turns(&self, counter: ValueId) -> Option<ValueId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&counter).copied()
    }
}

impl Trace {
    /// Takes down that a value goes through the numbers from 0 to below `count`.
    pub(crate) fn counts(&self, counter: ValueId, count: ValueId) {
        self.counters.0.lock().unwrap_or_else(PoisonError::into_inner).insert(counter, count);
    }

    /// The least and the greatest number that an integer may be, in the steps of an index.
    pub(crate) fn ends(&self, value: ValueId) -> Option<[i64; 2]> {
        self.span(value, MOST_STEPS)
    }

    /// The least and the greatest number that an integer may be, where that is known.
    fn span(&self, value: ValueId, steps: usize) -> Option<[i64; 2]> {
        let found = match (self.known(value), self.counters.turns(value)) {
            (Some(known), _) => [known.to_i64(); 2],
            (None, Some(count)) => [0, self.span(count, steps.checked_sub(1)?)?[1] - 1],
            (None, None) => self.computed(value, steps.checked_sub(1)?)?,
        };
        (found[0] <= found[1] && found.iter().all(|end| end.abs() <= MOST)).then_some(found)
    }

    fn computed(&self, value: ValueId, steps: usize) -> Option<[i64; 2]> {
        let node = self.build(|b| b.graph().definer(value).map(|id| b.graph().nodes[id].clone()))?;
        if let (Op::Dim, Attr::Axis(axis)) = (node.op, &node.attr) {
            let length = self.ty(node.args[0]).shape.0[*axis].fixed()?;
            return i64::try_from(length).ok().map(|length| [length; 2]);
        }
        let is_wide = |value| [DType::I32, DType::I64].contains(&self.ty(value).dtype);
        if !is_wide(value) || !node.args.iter().all(|&arg| is_wide(arg)) {
            return None;
        }
        let span = |at: usize| self.span(node.args[at], steps);
        if node.op == Op::Cast {
            return span(0);
        }
        if node.op == UnaryOp::Neg.into() {
            return span(0).map(|[least, most]| [-most, -least]);
        }
        let (_, combine) = COMBINED.iter().find(|(op, _)| node.op == Op::Binary(*op))?;
        let (xs, ys) = (span(0)?, span(1)?);
        let ends: Option<Vec<i64>> = xs.iter().flat_map(|&x| ys.map(|y| combine(x, y))).collect();
        let ends = ends?;
        Some([*ends.iter().min()?, *ends.iter().max()?])
    }

    pub(super) fn is_inside(&self, index: ValueId, length: Dim) -> bool {
        let Some(length) = length.fixed().and_then(|length| i64::try_from(length).ok()) else { return false };
        self.span(index, MOST_STEPS).is_some_and(|[least, most]| -length <= least && most < length)
    }
}

/// True if a node reads or stores at indices that are known to be inside.
pub(super) fn is_inside(trace: &Trace, node: NodeId) -> bool {
    let (op, attr, args) = trace.build(|b| {
        let node = &b.graph().nodes[node];
        (node.op, node.attr.clone(), node.args.clone())
    });
    let shape: Shape = match args.first() {
        Some(&first) => trace.ty(first).shape,
        None => return false,
    };
    if op == Op::Index
        && let Attr::Axis(axis) = attr
    {
        return trace.is_inside(args[1], shape.0[axis]);
    }
    let Attr::Places { places, .. } = attr else { return false };
    places.iter().zip(&shape.0).all(|(place, &length)| match place {
        Place::At(at) => trace.ty(args[*at]).is_scalar() && trace.is_inside(args[*at], length),
        Place::Slice(_) => true,
    })
}
