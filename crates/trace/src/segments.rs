//! A loop in segments, the first of one turn and each of one turn more than that before it: to the way back through it the
//! segments are the turns, so that of N turns it keeps what √(2N) begin with, and runs one segment at a time again.

use gw_ir::{Attr, Builder, Literal, Op, RegionId, ValueId};
use gw_types::{DType, Scalar, TensorType};

/// `while` over two closed regions, in segments or in one. The types inside come before those behind the loop.
pub(crate) fn while_(
    b: &mut Builder,
    in_segments: bool,
    init: &[ValueId],
    regions: [RegionId; 2],
    types: [&[TensorType]; 2],
) -> Vec<ValueId> {
    match in_segments {
        true => while_in_segments(b, init, regions, types),
        false => b.while_(init, regions, types[1].to_vec()),
    }
}

/// The last carry tells whether to go on.
fn while_in_segments(
    b: &mut Builder,
    init: &[ValueId],
    regions: [RegionId; 2],
    types: [&[TensorType]; 2],
) -> Vec<ValueId> {
    let count = TensorType::scalar(DType::I64);
    let of_segment = [types[0], std::slice::from_ref(&count)].concat();
    let test = {
        b.open();
        let params: Vec<_> = of_segment.iter().map(|ty| b.param(ty.clone())).collect();
        b.close(vec![params[types[0].len() - 1]])
    };
    b.open();
    let params: Vec<_> = of_segment.iter().map(|ty| b.param(ty.clone())).collect();
    let (given, most) = params.split_at(types[0].len());
    let mut results = segment(b, given, most[0], regions, types[0]);
    let one = integer(b, 1);
    results.push(add(b, most[0], one));
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
    let within = b.op(Op::Lt, Attr::None, &[turn, most]).expect("integers compare");
    let go = b.op(Op::And, Attr::None, &[go, within]).expect("bools");
    b.close(vec![go]);
    results
}

fn integer(b: &mut Builder, number: i64) -> ValueId {
    b.constant(Literal::scalar(DType::I64, Scalar::Int(number)))
}

fn add(b: &mut Builder, x: ValueId, y: ValueId) -> ValueId {
    b.op(Op::Add, Attr::None, &[x, y]).expect("integers add")
}
