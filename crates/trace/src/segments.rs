//! A loop in segments, the first of one turn and each of one turn more than that before it: to the way back through it the
//! segments are the turns, so that of N turns it keeps what √(2N) begin with, and runs one segment at a time again.
//!
//! A segment may be a loop in segments itself, of as many as it had turns: with k levels of them the longest has as many turns
//! as the k-th root of k!·N, and the way back keeps k + 1 times so many.

use gw_ir::{Attr, BinaryOp, Builder, CompareOp, Literal, Op, RegionId, ValueId};
use gw_types::{DType, Scalar, TensorType};

/// `while` over two closed regions, in so many levels of segments. The types inside come before those behind the loop. If
/// there are segments, the last carry tells whether to go on.
pub(crate) fn while_(
    b: &mut Builder,
    levels: usize,
    init: &[ValueId],
    regions: [RegionId; 2],
    types: [&[TensorType]; 2],
) -> Vec<ValueId> {
    match levels {
        0 => b.while_(init, regions, types[1].to_vec()),
        _ => segments(b, levels, None, init, regions, types),
    }
}

/// A loop over segments, of which there are so many at most.
fn segments(
    b: &mut Builder,
    levels: usize,
    most: Option<ValueId>,
    init: &[ValueId],
    regions: [RegionId; 2],
    types: [&[TensorType]; 2],
) -> Vec<ValueId> {
    let count = TensorType::scalar(DType::I64);
    let of_segment = [types[0], std::slice::from_ref(&count)].concat();
    let test = {
        b.open();
        let params: Vec<_> = of_segment.iter().map(|ty| b.param(ty.clone())).collect();
        let go = params[types[0].len() - 1];
        let go =
            most.map_or(go, |most| both(b, go, Op::Compare(CompareOp::Le), [params[types[0].len()], most]));
        b.close(vec![go])
    };
    b.open();
    let params: Vec<_> = of_segment.iter().map(|ty| b.param(ty.clone())).collect();
    let (given, number) = params.split_at(types[0].len());
    let mut results = match levels {
        1 => segment(b, given, number[0], regions, types[0]),
        _ => segments(b, levels - 1, Some(number[0]), given, regions, [types[0]; 2]),
    };
    let one = integer(b, 1);
    results.push(add(b, number[0], one));
    let body = b.close(results);
    let first = integer(b, 1);
    let init = [init, &[first]].concat();
    let mut results = b.while_(&init, [test, body], [types[1], &[count]].concat());
    results.pop();
    results
}

/// The loop itself, of so many turns at most.
fn segment(
    b: &mut Builder,
    init: &[ValueId],
    most: ValueId,
    regions: [RegionId; 2],
    types: &[TensorType],
) -> Vec<ValueId> {
    let none = integer(b, 0);
    let results = b.while_(init, regions, types.to_vec());
    let node = b.graph().definer(results[0]).expect("a loop was added");
    let count = TensorType::scalar(DType::I64);
    let [turn, _] = b.add_carry(node, none, [&count, &count]);
    b.reopen(regions[1]);
    let one = integer(b, 1);
    let next = add(b, turn, one);
    b.reclose();
    b.hand_on(node, next);
    let (go, turn) = {
        let test = &b.graph().regions[regions[0]];
        (test.results[0], test.params[types.len()])
    };
    b.reopen(regions[0]);
    let go = both(b, go, Op::Compare(CompareOp::Lt), [turn, most]);
    b.close(vec![go]);
    results
}

/// A bool, and how two integers compare.
fn both(b: &mut Builder, go: ValueId, how: Op, sides: [ValueId; 2]) -> ValueId {
    let within = b.op(how, Attr::None, &sides).expect("integers compare");
    b.op(BinaryOp::And, Attr::None, &[go, within]).expect("bools")
}

fn integer(b: &mut Builder, number: i64) -> ValueId {
    b.constant(Literal::scalar(DType::I64, Scalar::Int(number)))
}

fn add(b: &mut Builder, x: ValueId, y: ValueId) -> ValueId {
    b.op(BinaryOp::Add, Attr::None, &[x, y]).expect("integers add")
}
