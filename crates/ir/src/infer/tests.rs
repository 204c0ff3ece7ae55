//! One line per rule: operands in, type or clause out.

use gw_types::DType;

use super::*;
use crate::{
    ArgOp, AxisSlice, BinaryOp, Bound, CheckKind, CompareOp, DimArg, Literal, Piece, PrintFormat, ReduceOp,
    Stream, TestOp, UnaryOp, Windows,
};

#[track_caller]
fn check(op: Op, attr: Attr, args: &[&str], expected: &str) {
    let args: Vec<TensorType> = args.iter().map(|text| text.parse().expect("a type")).collect();
    let mut next = 90;
    let mut fresh = || {
        next += 1;
        DimVar(next - 1)
    };
    let found = match infer(op, &attr, &args, &mut fresh) {
        Ok(types) => types.iter().map(TensorType::to_string).collect::<Vec<_>>().join(" "),
        Err(unfit) => format!("{}: {}", unfit.clause, unfit.message),
    };
    assert_eq!(found, expected);
}

fn axes(axes: &[usize], keep: bool) -> Attr {
    Attr::Axes { axes: axes.to_vec(), keep }
}

fn bounds(start: Bound, stop: Bound, step: i64) -> AxisSlice {
    AxisSlice { start, stop, step }
}

#[test]
fn elementwise_ops_broadcast_and_do_not_promote() {
    check(Op::Binary(BinaryOp::Add), Attr::None, &["f32[2,1]", "f32[3]"], "f32[2,3]");
    check(Op::Binary(BinaryOp::Add), Attr::None, &["f32[]", "i32[]"], "add.c1: cannot add float32 and int32");
    check(
        Op::Binary(BinaryOp::Add),
        Attr::None,
        &["f32[2,3]", "f32[4]"],
        "add.c2: shapes [2,3] and [4] do not broadcast",
    );
    let message = "add.c3: cannot add bool; it takes an integer, floating or complex type";
    check(Op::Binary(BinaryOp::Add), Attr::None, &["bool[]", "bool[]"], message);
    check(Op::Binary(BinaryOp::Add), Attr::None, &["f32[?0]", "f32[?1]"], "f32[?90]");
    check(Op::Compare(CompareOp::Lt), Attr::None, &["i64[?0]", "i64[]"], "bool[?0]");
    let message = "exp.c1: cannot take the exponential of int32; it takes a floating or complex type";
    check(Op::Unary(UnaryOp::Exp), Attr::None, &["i32[]"], message);
    check(Op::Test(TestOp::IsNan), Attr::None, &["f64[3]"], "bool[3]");
    check(Op::Unary(UnaryOp::Not), Attr::None, &["bool[3]"], "bool[3]");
    check(Op::Cast, Attr::To(DType::I64), &["f64[3]"], "i64[3]");
    check(Op::Unary(UnaryOp::Neg), Attr::None, &["f32[]", "f32[]"], "neg.c0: takes 1 operands, not 2");
    check(Op::Unary(UnaryOp::Neg), Attr::Axis(0), &["f32[]"], "neg.c0: cannot negate with such an attribute");
}

#[test]
fn select_takes_a_condition_and_two_alike() {
    check(Op::Select, Attr::None, &["bool[2,1]", "f32[3]", "f32[]"], "f32[2,3]");
    let message = "select.c1: a condition must be bool, not int32";
    check(Op::Select, Attr::None, &["i32[]", "f32[]", "f32[]"], message);
    let message = "select.c2: cannot choose between float32 and int32";
    check(Op::Select, Attr::None, &["bool[]", "f32[]", "i32[]"], message);
    let message = "select.c3: shapes [2] and [3] do not broadcast";
    check(Op::Select, Attr::None, &["bool[2]", "f32[3]", "f32[]"], message);
}

#[test]
fn reductions_drop_or_keep_axes() {
    check(Op::Reduce(ReduceOp::Sum), axes(&[0, 2], false), &["f32[2,?0,4]"], "f32[?0]");
    check(Op::Reduce(ReduceOp::Sum), axes(&[0, 2], true), &["f32[2,?0,4]"], "f32[1,?0,1]");
    let message = "reduce_sum.c1: axis 1 of shape [2] does not exist";
    check(Op::Reduce(ReduceOp::Sum), axes(&[1], false), &["f32[2]"], message);
    let message = "reduce_max.c1: an axis is named twice, or axes are out of order";
    check(Op::Reduce(ReduceOp::Max), axes(&[1, 1], false), &["f32[2,2]"], message);
    check(Op::Reduce(ReduceOp::All), axes(&[0], false), &["bool[2]"], "bool[]");
    let message = "reduce_any.c2: cannot take the truth of int32; it takes bool";
    check(Op::Reduce(ReduceOp::Any), axes(&[0], false), &["i32[2]"], message);
    check(Op::Arg(ArgOp::Max), Attr::Axis(0), &["f32[2,3]"], "i64[3]");
    let message = "arg_min.c3: axis 0 of shape [0] has no elements to choose from";
    check(Op::Arg(ArgOp::Min), Attr::Axis(0), &["f32[0]"], message);
}

#[test]
fn reshape_finds_the_length_left_over() {
    use DimArg::{Arg, Fixed, Rest};
    let to = |dims: &[DimArg]| Attr::Dims(dims.to_vec());
    check(Op::Reshape, to(&[Fixed(3), Rest]), &["f32[2,6]"], "f32[3,4]");
    check(Op::Reshape, to(&[Rest, Fixed(3)]), &["f32[?0,3]"], "f32[?0,3]");
    check(Op::Reshape, to(&[Rest]), &["f32[?0,3]"], "f32[?90]");
    check(Op::Reshape, to(&[Arg(1), Fixed(2)]), &["f32[4]", "i64[]"], "f32[?90,2]");
    check(Op::Reshape, to(&[]), &["f32[1,1]"], "f32[]");
    check(Op::Reshape, to(&[Fixed(5)]), &["f32[2,6]"], "reshape.c2: cannot reshape [2,6] to [5]");
    check(Op::Reshape, to(&[Fixed(5), Rest]), &["f32[2,6]"], "reshape.c2: cannot reshape [2,6] to [5,-1]");
    let message = "reshape.c1: a length or position must be an int64 scalar";
    check(Op::Reshape, to(&[Arg(1)]), &["f32[2]", "i32[]"], message);
    let message = "reshape.c1: only one length can be left to be found out (-1)";
    check(Op::Reshape, to(&[Rest, Rest]), &["f32[2]"], message);
    let huge = Fixed(usize::MAX);
    let message = format!("reshape.c2: cannot reshape [2] to [{0},{0}]", usize::MAX);
    check(Op::Reshape, to(&[huge, huge]), &["f32[2]"], &message);
}

#[test]
fn broadcast_stretches_ones_and_adds_axes() {
    use DimArg::{Arg, Fixed};
    let to = |dims: &[DimArg]| Attr::Dims(dims.to_vec());
    check(Op::Broadcast, to(&[Fixed(4), Fixed(2)]), &["f32[2]"], "f32[4,2]");
    check(Op::Broadcast, to(&[Arg(1), Arg(1)]), &["f32[2]", "i64[]"], "f32[?90,2]");
    check(Op::Broadcast, to(&[Fixed(3)]), &["f32[2]"], "broadcast.c2: cannot broadcast [2] to [3]");
    check(Op::Broadcast, to(&[]), &["f32[2]"], "broadcast.c2: cannot broadcast [2] to []");
}

#[test]
fn slices_of_known_bounds_have_known_lengths() {
    use Bound::{Arg, Fixed, Open};
    let by = |slices: &[AxisSlice]| Attr::Slices(slices.to_vec());
    let each = [bounds(Fixed(1), Fixed(-1), 2), AxisSlice::ALL];
    check(Op::Slice, by(&each), &["f32[8,?0]"], "f32[3,?0]");
    check(Op::Slice, by(&[bounds(Open, Open, -1)]), &["f32[?0]"], "f32[?0]");
    check(Op::Slice, by(&[bounds(Open, Arg(1), 1)]), &["f32[4]", "i64[]"], "f32[?90]");
    check(Op::Slice, by(&[]), &["f32[4]"], "slice.c1: 0 slices for shape [4]");
    check(
        Op::Slice,
        by(&[bounds(Open, Open, 0)]),
        &["f32[4]"],
        "slice.c2: the step of a slice cannot be zero",
    );
}

#[test]
fn spans_are_those_of_python() {
    let span = |start, stop, step| AxisSlice::span(5, start, stop, step);
    assert_eq!(span(None, None, 1), (0, 5));
    assert_eq!(span(None, None, -1), (4, 5));
    assert_eq!(span(Some(-2), None, 1), (3, 2));
    assert_eq!(span(Some(10), None, -2), (4, 3));
    assert_eq!(span(Some(3), Some(1), 1).1, 0);
    assert_eq!(span(Some(i64::MIN), Some(i64::MAX), i64::MAX), (0, 1));
    assert_eq!(span(Some(i64::MAX), Some(i64::MIN), i64::MIN), (4, 1));
}

#[test]
fn moves_keep_known_lengths() {
    check(Op::Transpose, Attr::Perm(vec![1, 0]), &["f32[2,?0]"], "f32[?0,2]");
    let message = "transpose.c1: [0, 0] is not an order of the axes of shape [2,3]";
    check(Op::Transpose, Attr::Perm(vec![0, 0]), &["f32[2,3]"], message);
    check(Op::Index, Attr::Axis(1), &["f32[2,3]", "i32[]"], "f32[2]");
    let message = "index.c2: an index must be a scalar of an integer type, not float32 of shape []";
    check(Op::Index, Attr::Axis(1), &["f32[2,3]", "f32[]"], message);
    check(Op::Gather, Attr::Axis(1), &["f32[2,3]", "i64[4,5]"], "f32[2,4,5]");
    check(Op::Concat, Attr::Axis(0), &["f32[2,3]", "f32[4,3]"], "f32[6,3]");
    check(Op::Concat, Attr::Axis(0), &["f32[?0,?1]", "f32[4,3]"], "f32[?90,3]");
    let message = "concat.c3: cannot join shapes [2,3] and [2,4] along axis 0";
    check(Op::Concat, Attr::Axis(0), &["f32[2,3]", "f32[2,4]"], message);
    check(Op::Concat, Attr::Axis(0), &["f32[2]", "i32[2]"], "concat.c2: cannot join float32 and int32");
}

#[test]
fn matrices_multiply() {
    let plain = Attr::Matmul { transpose_x: false, transpose_y: false };
    let turned = Attr::Matmul { transpose_x: true, transpose_y: false };
    check(Op::Matmul, plain.clone(), &["f32[2,3]", "f32[3,4]"], "f32[2,4]");
    check(Op::Matmul, turned, &["f32[3,2]", "f32[3,4]"], "f32[2,4]");
    check(Op::Matmul, plain.clone(), &["f32[5,1,2,?0]", "f32[7,3,4]"], "f32[5,7,2,4]");
    let message = "matmul.c4: cannot multiply shapes [2,3] and [4,5]: 3 columns, but 4 rows";
    check(Op::Matmul, plain.clone(), &["f32[2,3]", "f32[4,5]"], message);
    let message = "matmul.c3: matrices need two axes or more, not shapes [3] and [3,4]";
    check(Op::Matmul, plain.clone(), &["f32[3]", "f32[3,4]"], message);
    check(Op::Matmul, plain, &["f32[2,1,1]", "f32[3,1,1]"], "matmul.c5: shapes [2] and [3] do not broadcast");
}

#[test]
fn windows_meet_filters() {
    let attr = |strides| Attr::Windows(Windows { strides, padding: [[1, 1], [0, 0]], dilations: [1, 2] });
    check(Op::Conv2d, attr([1, 1]), &["f32[?0,4,5,2]", "f32[3,3,2,7]"], "f32[?0,4,1,7]");
    check(Op::Conv2d, attr([2, 1]), &["f64[1,?0,5,2]", "f64[3,?1,2,7]"], "f64[1,?90,?91,7]");
    let message = "conv2d.c3: images and filters have four axes, not shapes [4,5,2] and [3,3,2,7]";
    check(Op::Conv2d, attr([1, 1]), &["f32[4,5,2]", "f32[3,3,2,7]"], message);
    let message =
        "conv2d.c4: images of shape [1,4,5,2] have 2 channels, but filters of shape [3,3,1,7] take 1";
    check(Op::Conv2d, attr([1, 1]), &["f32[1,4,5,2]", "f32[3,3,1,7]"], message);
    let message = "conv2d.c5: strides and dilations are 1 or more, and no number is above 2147483647";
    check(Op::Conv2d, attr([0, 1]), &["f32[1,4,5,2]", "f32[3,3,2,7]"], message);
}

#[test]
fn the_greatest_are_chosen_along_the_last_axis() {
    check(Op::Arg(ArgOp::Top), Attr::Count(2), &["f32[?0,?1]"], "i64[?0,2]");
    let message = "arg_top.c3: the last axis of shape [4,2] has no 3 greatest elements";
    check(Op::Arg(ArgOp::Top), Attr::Count(3), &["i32[4,2]"], message);
}

#[test]
fn sources_and_effects() {
    let literal = Literal::scalar(DType::I32, gw_types::Scalar::Int(3));
    check(Op::Const, Attr::Literal(literal), &[], "i32[]");
    check(Op::Range, Attr::None, &["i32[]", "i32[]", "i32[]"], "i32[?90]");
    check(Op::Range, Attr::None, &["i32[]", "i32[]", "i64[]"], "range.c1: cannot count in int32 and int64");
    let message = "range.c2: the ends of a range must be scalars, not shape [2]";
    check(Op::Range, Attr::None, &["i32[]", "i32[2]", "i32[]"], message);
    check(Op::Dim, Attr::Axis(0), &["f32[?0]"], "i64[]");
    check(Op::Cond, Attr::None, &["bool[]"], "cond.c0: regions are not judged by their operands");
    let format = PrintFormat { pieces: vec![Piece::Operand(1)], stream: Stream::Stdout, summarize: None };
    check(Op::Print, Attr::Print(format.clone()), &["f32[]", "f32[]"], "");
    let message = "print.c1: the text shows operand 1, which does not exist";
    check(Op::Print, Attr::Print(format.clone()), &["f32[]"], message);
    let attr = Attr::Check { kind: CheckKind::Assertion, message: format, limit: false };
    let message = "check.c1: a condition must be a bool scalar, not int32 of shape []";
    check(Op::Check, attr, &["i32[]"], message);
}
