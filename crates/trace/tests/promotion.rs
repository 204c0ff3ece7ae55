//! Promotion of operands of different element types; results of host numbers stay weak.

use expect_test::{Expect, expect};
use gw_ir::{BinaryOp, CompareOp, Op};
use gw_trace::calls::{Call, emit};
use gw_trace::{Staged, Trace};
use gw_types::{DType, Number, Promotion, Scalar};

/// The graph of one call on parameters of these types, `n` axes of length 2, and numbers; with what the result is weak as.
#[track_caller]
fn check(call: &Call, operands: &[Operand], expected: Expect) {
    check_as(Promotion::Standard, call, operands, expected);
}

#[track_caller]
fn check_as(promotion: Promotion, call: &Call, operands: &[Operand], expected: Expect) {
    let trace = Trace::new("f");
    trace.set_promotion(promotion);
    let operands: Vec<Staged> = operands.iter().map(|operand| operand.stage(&trace)).collect();
    let shown = match trace.build(|b| emit(call, b, &operands)) {
        Err(unfit) => format!("{}\n", unfit.message),
        Ok(made) => {
            let graph = trace.finish(vec![made.value]);
            gw_ir::verify(&graph, "trace").expect("calls make legal graphs");
            format!("{}{:?}\n", gw_ir::text::print(&graph), made.weak)
        }
    };
    expected.assert_eq(&shown);
}

enum Operand {
    /// A tensor of so many axes.
    Tensor(DType, usize),
    /// Number that the graph computed of host numbers.
    Computed(Number),
    /// A number that is written in the program.
    Written(Scalar),
}

use Operand::{Computed, Tensor, Written};

impl Operand {
    fn stage(&self, trace: &Trace) -> Staged {
        match self {
            Tensor(dtype, axes) => trace.parameter(*dtype, &vec![Some(2); *axes], "x"),
            Computed(number) => {
                Staged { weak: Some(*number), ..trace.parameter(number.own_dtype(), &[], "i") }
            }
            Written(number) => trace.number(*number),
        }
    }
}

const ADD: Call = Call::Binary(Op::Binary(BinaryOp::Add));

#[test]
fn tensors_meet_in_the_greater_type() {
    check(
        &ADD,
        &[Tensor(DType::I64, 0), Tensor(DType::F32, 1)],
        expect![[r#"
        func @f(%x: i64[], %x.2: f32[2]) -> (f32[2]) {
          %1 = cast %x to=f32 : f32[]
          %2 = add %1, %x.2 : f32[2]
          return %2
        }
        None
    "#]],
    );
    let message = expect![[r#"
        one operand is `int64`, the other `float32` of shape [2]; convert one of them with `gw.cast`
    "#]];
    check_as(Promotion::Strict, &ADD, &[Tensor(DType::I64, 0), Tensor(DType::F32, 1)], message);
}

#[test]
fn single_bools_count_and_arrays_of_them_do_not() {
    check(
        &ADD,
        &[Tensor(DType::Bool, 0), Tensor(DType::Bool, 0)],
        expect![[r#"
            func @f(%x: bool[], %x.2: bool[]) -> (i64[]) {
              %1 = cast %x to=i64 : i64[]
              %2 = cast %x.2 to=i64 : i64[]
              %3 = add %1, %2 : i64[]
              return %3
            }
            None
        "#]],
    );
    check(
        &ADD,
        &[Tensor(DType::Bool, 1), Tensor(DType::Bool, 0)],
        expect![[r#"
        func @f(%x: bool[2], %x.2: bool[]) -> (bool[2]) {
          %1 = or %x, %x.2 : bool[2]
          return %1
        }
        None
    "#]],
    );
}

#[test]
fn a_computed_number_beside_bools_keeps_its_width() {
    check(
        &ADD,
        &[Tensor(DType::Bool, 0), Computed(Number::Int)],
        expect![[r#"
        func @f(%x: bool[], %i: i64[]) -> (i64[]) {
          %1 = cast %x to=i64 : i64[]
          %2 = add %1, %i : i64[]
          return %2
        }
        None
    "#]],
    );
    check(
        &ADD,
        &[Tensor(DType::Bool, 0), Written(Scalar::Int(1))],
        expect![[r#"
            func @f(%x: bool[]) -> (i64[]) {
              %1 = const 1 : i64[]
              %2 = cast %x to=i64 : i64[]
              %3 = add %2, %1 : i64[]
              return %3
            }
            None
        "#]],
    );
}

#[test]
fn an_integer_is_compared_with_a_float_exactly() {
    let less = Call::binary(CompareOp::Lt);
    check(
        &less,
        &[Computed(Number::Int), Tensor(DType::F32, 0)],
        expect![[r#"
        func @f(%i: i64[], %x: f32[]) -> (bool[]) {
          %1 = cast %x to=f64 : f64[]
          %2 = const 9.223372036854776e18 : f64[]
          %3 = const -9.223372036854776e18 : f64[]
          %4 = ceil %1 : f64[]
          %5 = cast %4 to=i64 : i64[]
          %6 = lt %i, %5 : bool[]
          %7 = ge %1, %3 : bool[]
          %8 = and %6, %7 : bool[]
          %9 = ge %1, %2 : bool[]
          %10 = or %8, %9 : bool[]
          return %10
        }
        None
    "#]],
    );
    check(
        &less,
        &[Tensor(DType::I32, 0), Tensor(DType::F32, 0)],
        expect![[r#"
        func @f(%x: i32[], %x.2: f32[]) -> (bool[]) {
          %1 = cast %x to=f64 : f64[]
          %2 = cast %x.2 to=f64 : f64[]
          %3 = lt %1, %2 : bool[]
          return %3
        }
        None
    "#]],
    );
    check(
        &less,
        &[Tensor(DType::I64, 0), Written(Scalar::Float(1.5))],
        expect![[r#"
        func @f(%x: i64[]) -> (bool[]) {
          %1 = const 1.5 : f64[]
          %2 = cast %x to=f64 : f64[]
          %3 = lt %2, %1 : bool[]
          return %3
        }
        None
    "#]],
    );
}

#[test]
fn numbers_stay_weak_in_arrays_of_numbers_alone() {
    let stack = Call::Stack { axis: 0 };
    check(
        &stack,
        &[Computed(Number::Int), Written(Scalar::Float(0.5))],
        expect![[r#"
        func @f(%i: i64[]) -> (f64[2]) {
          %1 = const 0.5 : f64[]
          %2 = cast %i to=f64 : f64[]
          %3 = reshape %2 dims=[1] : f64[1]
          %4 = reshape %1 dims=[1] : f64[1]
          %5 = concat %3, %4 axis=0 : f64[2]
          return %5
        }
        Some(IntOrFloat)
    "#]],
    );
    check(
        &stack,
        &[Computed(Number::Int), Tensor(DType::I32, 0)],
        expect![[r#"
        func @f(%i: i64[], %x: i32[]) -> (i32[2]) {
          %1 = cast %i to=i32 : i32[]
          %2 = reshape %1 dims=[1] : i32[1]
          %3 = reshape %x dims=[1] : i32[1]
          %4 = concat %2, %3 axis=0 : i32[2]
          return %4
        }
        None
    "#]],
    );
}

#[test]
fn a_written_negative_power_of_an_integer_is_a_float() {
    check(
        &Call::Power,
        &[Computed(Number::Int), Written(Scalar::Int(-1))],
        expect![[r#"
        func @f(%i: i64[]) -> (f64[]) {
          %1 = const -1 : i64[]
          %2 = const -1.0 : f64[]
          %3 = cast %i to=f64 : f64[]
          %4 = pow %3, %2 : f64[]
          %5 = is_finite %4 : bool[]
          %6 = is_finite %3 : bool[]
          %7 = not %6 : bool[]
          %8 = or %5, %7 : bool[]
          %9 = const 0.0 : f64[]
          %10 = ne %3, %9 : bool[]
          %11 = or %8, %10 : bool[]
          check %11 kind=ZeroDivisionError text="0.0 cannot be raised to a negative power" to=stderr
          check %8 kind=OverflowError text="(34, 'Numerical result out of range')" to=stderr
          return %4
        }
        Some(Float)
    "#]],
    );
}
