//! Functions as LLVM's text.

use expect_test::{Expect, expect};
use gw_kernels::{Math, MathFloat};

use super::module::module;
use super::text::Links;
use crate::loops::{
    Binary, Build, Callee, Compare, Expr, Field, Func, Lanewise, Stmt, Ty, Unary, Var, verify,
};

/// The text of functions, without what all texts end with. Kernels are at 7, all else at 8, a literal at 16.
#[track_caller]
fn check_program(functions: &[Func], expected: &Expect) {
    functions.iter().for_each(|func| assert_eq!(verify(func), Ok(())));
    let callee = |callee: &Callee| if matches!(callee, Callee::Kernel(_)) { 7 } else { 8 };
    let text = module(functions, &[], &Links { literals: vec![16], callee });
    let (text, _) = text.split_once("attributes").expect("attributes");
    expected.assert_eq(text);
}

#[track_caller]
fn check(make: impl FnOnce(&mut Build), expected: &Expect) {
    let mut b = Build::new();
    make(&mut b);
    check_program(&[b.finish("f")], expected);
}

/// Defines what `inner` gives as the first result.
fn out(b: &mut Build, value: Var) {
    let (outs, zero) = (b.field(Field::Outs), b.word(0));
    b.store(outs, zero, value);
}

#[test]
fn loops_hand_on_what_they_carry() {
    let sum = |b: &mut Build| {
        let (ten, zero) = (b.word(10), b.word(0));
        let sum = b.for_(ten, &[zero], |b, i, sum| vec![b.add(sum[0], i)]);
        out(b, sum[0]);
    };
    check(
        sum,
        &expect![[r#"
        define i32 @graph(ptr noalias %context) #0 {
        entry:
          br label %b1
        b1:
          %x4 = phi i64 [ 0, %entry ], [ %x8, %b2 ]
          %x5 = phi i64 [ 0, %entry ], [ %x7, %b2 ]
          %x6 = icmp slt i64 %x4, 10
          br i1 %x6, label %b2, label %b3
        b2:
          %x7 = add i64 %x5, %x4
          %x8 = add nuw nsw i64 %x4, 1
          br label %b1
        b3:
          %x9 = getelementptr i8, ptr %context, i64 8
          %x10 = load ptr, ptr %x9, align 8, !invariant.load !0
          store i64 %x5, ptr %x10, align 8
          ret i32 0
        }
    "#]],
    );
}

#[test]
fn conditions_and_counts_are_tested_at_the_head() {
    let doubling = |b: &mut Build| {
        let (one, hundred) = (b.word(1), b.word(100));
        let carries = b.carries(&[one]);
        b.open();
        let less = b.compare(Compare::Lt, carries[0].param, hundred);
        let test = b.close(vec![less]);
        b.open();
        let twice = b.add(carries[0].param, carries[0].param);
        let body = b.close(vec![twice]);
        let after = carries[0].out;
        b.push(Stmt::While { carries, test, body });
        out(b, after);
    };
    check(
        doubling,
        &expect![[r#"
        define i32 @graph(ptr noalias %context) #0 {
        entry:
          br label %b1
        b1:
          %x4 = phi i64 [ 1, %entry ], [ %x6, %b2 ]
          %x5 = icmp slt i64 %x4, 100
          br i1 %x5, label %b2, label %b3
        b2:
          %x6 = add i64 %x4, %x4
          br label %b1
        b3:
          %x7 = getelementptr i8, ptr %context, i64 8
          %x8 = load ptr, ptr %x7, align 8, !invariant.load !0
          store i64 %x4, ptr %x8, align 8
          ret i32 0
        }
    "#]],
    );
}

#[test]
fn failures_leave_through_blocks_that_hardly_ever_run() {
    let mut b = Build::new();
    let (x, one) = (b.fresh(Ty::F64), b.real(Ty::F64, 1.0));
    let ok = b.compare(Compare::Lt, x, one);
    let word = b.word(3);
    b.guard(ok, 2, vec![word]);
    let given = b.call(Ty::F64, Callee::Kernel(Math::Exp.function(MathFloat::F64)), vec![x]);
    let mut called = b.finish("called");
    (called.params, called.results) = (vec![x], vec![given]);
    let mut b = Build::new();
    let (half, y) = (b.real(Ty::F64, 0.5), b.fresh(Ty::F64));
    b.push(Stmt::Invoke { function: 0, args: vec![half], outs: vec![y] });
    out(&mut b, y);
    check_program(
        &[b.finish("f"), called],
        &expect![[r#"
        define i32 @graph(ptr noalias %context) #0 {
        entry:
          %x1 = call { i32, double } @function1(ptr %context, double 0x3FE0000000000000)
          %x2 = extractvalue { i32, double } %x1, 0
          %x3 = icmp ne i32 %x2, 0
          br i1 %x3, label %b4, label %b5, !prof !2
        b4:
          ret i32 1
        b5:
          %x6 = extractvalue { i32, double } %x1, 1
          %x7 = getelementptr i8, ptr %context, i64 8
          %x8 = load ptr, ptr %x7, align 8, !invariant.load !0
          store double %x6, ptr %x8, align 8
          ret i32 0
        }
        define internal { i32, double } @function1(ptr noalias %context, double %x1) #0 {
        entry:
          %x2 = fcmp olt double %x1, 0x3FF0000000000000
          br i1 %x2, label %b3, label %b4, !prof !1
        b4:
          %x5 = getelementptr i8, ptr %context, i64 24
          %x6 = load ptr, ptr %x5, align 8, !invariant.load !0
          %x7 = getelementptr i8, ptr %x6, i64 0
          store i64 3, ptr %x7, align 8
          %x8 = getelementptr i8, ptr %context, i64 40
          store i64 2, ptr %x8, align 8
          ret { i32, double } { i32 1, double 0x0000000000000000 }
        b3:
          %x9 = call double inttoptr (i64 7 to ptr)(double %x1) #2
          %x10 = insertvalue { i32, double } zeroinitializer, double %x9, 1
          ret { i32, double } %x10
        }
    "#]],
    );
}

#[test]
fn what_ends_a_try_meets_behind_it() {
    let tries = |b: &mut Build| {
        let (context, one, two) = (b.field(Field::Context), b.word(1), b.word(2));
        b.open();
        let ok = b.call(Ty::Bool, Callee::Poll, vec![context]);
        b.push(Stmt::Leave { ok, given: vec![one] });
        let body = b.close(vec![two]);
        let given = b.fresh(Ty::I64);
        b.push(Stmt::Try { body, outs: vec![given] });
        let room = b.let_(Ty::Bool, Expr::Room);
        out(b, room);
        out(b, given);
    };
    check(
        tries,
        &expect![[r#"
            define i32 @graph(ptr noalias %context) #0 {
            entry:
              %x2 = call i8 inttoptr (i64 8 to ptr)(ptr %context) #3
              %x3 = trunc i8 %x2 to i1
              br i1 %x3, label %b4, label %b1
            b4:
              br label %b1
            b1:
              %x5 = phi i64 [ 1, %entry ], [ 2, %b4 ]
              %x6 = call ptr @llvm.frameaddress.p0(i32 0)
              %x7 = getelementptr i8, ptr %context, i64 64
              %x8 = load ptr, ptr %x7, align 8, !invariant.load !0
              %x9 = icmp ugt ptr %x6, %x8
              %x10 = getelementptr i8, ptr %context, i64 8
              %x11 = load ptr, ptr %x10, align 8, !invariant.load !0
              %x12 = zext i1 %x9 to i8
              store i8 %x12, ptr %x11, align 1
              store i64 %x5, ptr %x11, align 8
              ret i32 0
            }
            declare ptr @llvm.frameaddress.p0(i32)
        "#]],
    );
}

/// A loop over the elements of the first argument, each of which becomes what `element` gives.
fn elementwise(b: &mut Build, stop: Var, element: impl FnOnce(&mut Build, Var) -> Var) {
    let (args, zero) = (b.field(Field::Args), b.word(0));
    let from = b.load(Ty::Ptr, args, zero);
    let to = b.let_(Ty::Ptr, Expr::Literal(0));
    b.for_(stop, &[], |b, i, _| {
        let x = b.load(Ty::F32, from, i);
        let y = element(b, x);
        b.store(to, i, y);
        Vec::new()
    });
}

#[test]
fn loops_in_lanes_end_under_a_mask() {
    let relu = |b: &mut Build| {
        let (stop, zero) = (b.word(37), b.real(Ty::F32, 0.0));
        elementwise(b, stop, |b, x| {
            let above = b.compare(Compare::Gt, x, zero);
            b.select(above, x, zero)
        });
    };
    check(
        relu,
        &expect![[r#"
            define i32 @graph(ptr noalias %context) #0 {
            entry:
              %x1 = getelementptr i8, ptr %context, i64 0
              %x2 = load ptr, ptr %x1, align 8, !invariant.load !0
              %x3 = load ptr, ptr %x2, align 8
              %x6 = icmp sgt i64 37, 0
              br i1 %x6, label %b4, label %b5
            b4:
              %x7 = getelementptr float, ptr %x3, i64 0
              %x8 = getelementptr float, ptr inttoptr (i64 16 to ptr), i64 0
              %x12 = sub i64 37, 16
              br label %b9
            b9:
              %x13 = phi i64 [ 0, %b4 ], [ %x20, %b10 ]
              %x14 = icmp sle i64 %x13, %x12
              br i1 %x14, label %b10, label %b11
            b10:
              %x15 = getelementptr float, ptr %x7, i64 %x13
              %x16 = load <16 x float>, ptr %x15, align 4
              %x17 = fcmp ogt <16 x float> %x16, splat (float 0x0000000000000000)
              %x18 = select <16 x i1> %x17, <16 x float> %x16, <16 x float> splat (float 0x0000000000000000)
              %x19 = getelementptr float, ptr %x8, i64 %x13
              store <16 x float> %x18, ptr %x19, align 4
              %x20 = add nuw nsw i64 %x13, 16
              br label %b9
            b11:
              %x23 = icmp slt i64 %x13, 37
              br i1 %x23, label %b21, label %b22
            b21:
              %x24 = call <16 x i1> @llvm.get.active.lane.mask.v16i1.i64(i64 %x13, i64 37)
              %x25 = getelementptr float, ptr %x7, i64 %x13
              %x26 = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %x25, i32 4, <16 x i1> %x24, <16 x float> zeroinitializer)
              %x27 = fcmp ogt <16 x float> %x26, splat (float 0x0000000000000000)
              %x28 = select <16 x i1> %x27, <16 x float> %x26, <16 x float> splat (float 0x0000000000000000)
              %x29 = getelementptr float, ptr %x8, i64 %x13
              call void @llvm.masked.store.v16f32.p0(<16 x float> %x28, ptr %x29, i32 4, <16 x i1> %x24)
              br label %b22
            b22:
              br label %b5
            b5:
              %x30 = phi i64 [ 0, %entry ], [ 37, %b22 ]
              ret i32 0
            }
            declare <16 x float> @llvm.masked.load.v16f32.p0(ptr, i32 immarg, <16 x i1>, <16 x float>)
            declare <16 x i1> @llvm.get.active.lane.mask.v16i1.i64(i64, i64)
            declare void @llvm.masked.store.v16f32.p0(<16 x float>, ptr, i32 immarg, <16 x i1>)
        "#]],
    );
}

#[test]
fn totals_have_their_order() {
    let sum = |b: &mut Build| {
        let (args, zero, stop) = (b.field(Field::Args), b.word(0), b.word(100));
        let from = b.load(Ty::Ptr, args, zero);
        let init = b.real(Ty::F64, 0.0);
        b.open();
        let iv = b.fresh(Ty::I64);
        let element = b.load(Ty::F64, from, iv);
        let body = b.close(vec![element]);
        let total = b.fresh(Ty::F64);
        b.push(Stmt::Reduce { how: Lanewise::Sum, iv, stop, init, body, out: total });
        out(b, total);
    };
    check(
        sum,
        &expect![[r#"
        define i32 @graph(ptr noalias %context) #0 {
        entry:
          %x1 = getelementptr i8, ptr %context, i64 0
          %x2 = load ptr, ptr %x1, align 8, !invariant.load !0
          %x3 = load ptr, ptr %x2, align 8
          %x5 = getelementptr double, ptr %x3, i64 0
          %x9 = sub i64 100, 8
          br label %b6
        b6:
          %x10 = phi i64 [ 0, %entry ], [ %x16, %b7 ]
          %x11 = phi <8 x double> [ splat (double 0x0000000000000000), %entry ], [ %x15, %b7 ]
          %x12 = icmp sle i64 %x10, %x9
          br i1 %x12, label %b7, label %b8
        b7:
          %x13 = getelementptr double, ptr %x5, i64 %x10
          %x14 = load <8 x double>, ptr %x13, align 8
          %x15 = fadd <8 x double> %x11, %x14
          %x16 = add nuw nsw i64 %x10, 8
          br label %b6
        b8:
          %x19 = icmp slt i64 %x10, 100
          br i1 %x19, label %b17, label %b18
        b17:
          %x20 = call <8 x i1> @llvm.get.active.lane.mask.v8i1.i64(i64 %x10, i64 100)
          %x21 = getelementptr double, ptr %x5, i64 %x10
          %x22 = call <8 x double> @llvm.masked.load.v8f64.p0(ptr %x21, i32 8, <8 x i1> %x20, <8 x double> zeroinitializer)
          %x23 = fadd <8 x double> %x11, %x22
          %x24 = select <8 x i1> %x20, <8 x double> %x23, <8 x double> %x11
          br label %b18
        b18:
          %x25 = phi <8 x double> [ %x11, %b8 ], [ %x24, %b17 ]
          %x26 = shufflevector <8 x double> %x25, <8 x double> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
          %x27 = shufflevector <8 x double> %x25, <8 x double> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
          %x28 = fadd <4 x double> %x26, %x27
          %x29 = shufflevector <4 x double> %x28, <4 x double> poison, <2 x i32> <i32 0, i32 1>
          %x30 = shufflevector <4 x double> %x28, <4 x double> poison, <2 x i32> <i32 2, i32 3>
          %x31 = fadd <2 x double> %x29, %x30
          %x32 = shufflevector <2 x double> %x31, <2 x double> poison, <1 x i32> <i32 0>
          %x33 = shufflevector <2 x double> %x31, <2 x double> poison, <1 x i32> <i32 1>
          %x34 = fadd <1 x double> %x32, %x33
          %x35 = extractelement <1 x double> %x34, i64 0
          %x36 = fadd double 0x0000000000000000, %x35
          br label %b4
        b4:
          %x37 = phi double [ %x36, %b18 ]
          %x38 = getelementptr i8, ptr %context, i64 8
          %x39 = load ptr, ptr %x38, align 8, !invariant.load !0
          store double %x37, ptr %x39, align 8
          ret i32 0
        }
        declare <8 x double> @llvm.masked.load.v8f64.p0(ptr, i32 immarg, <8 x i1>, <8 x double>)
        declare <8 x i1> @llvm.get.active.lane.mask.v8i1.i64(i64, i64)
    "#]],
    );
}

#[test]
fn every_expression_is_one_that_llvm_has() {
    let all = |b: &mut Build| {
        let (args, zero, seven) = (b.field(Field::Args), b.word(0), b.word(7));
        let [x, y] = [Ty::I64, Ty::F64].map(|ty| b.load(ty, args, zero));
        let natural = b.binary(Binary::Shr, x, seven);
        for binary in [Binary::MulSaturating, Binary::MulHigh, Binary::ShortRest, Binary::Div, Binary::Sar] {
            let given = b.binary(binary, natural, seven);
            out(b, given);
        }
        for unary in [Unary::Neg, Unary::Abs, Unary::Nearest] {
            let given = b.unary(unary, y);
            out(b, given);
        }
        let holds = b.compare(Compare::Ne, y, y);
        let below = b.compare(Compare::Below, x, natural);
        let less = b.compare(Compare::Lt, holds, below);
        let not = b.unary(Unary::Not, less);
        for (ty, from) in
            [(Ty::I32, y), (Ty::F32, y), (Ty::Bool, y), (Ty::F64, not), (Ty::I32, x), (Ty::F32, x)]
        {
            let given = b.convert(ty, from);
            out(b, given);
        }
        let number = b.real(Ty::F32, 2.6);
        out(b, number);
    };
    check(
        all,
        &expect![[r#"
            define i32 @graph(ptr noalias %context) #0 {
            entry:
              %x1 = getelementptr i8, ptr %context, i64 0
              %x2 = load ptr, ptr %x1, align 8, !invariant.load !0
              %x3 = load i64, ptr %x2, align 8
              %x4 = load double, ptr %x2, align 8
              %x5 = lshr i64 %x3, 7
              %x6 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %x5, i64 7)
              %x7 = extractvalue { i64, i1 } %x6, 0
              %x8 = extractvalue { i64, i1 } %x6, 1
              %x9 = select i1 %x8, i64 9223372036854775807, i64 %x7
              %x10 = getelementptr i8, ptr %context, i64 8
              %x11 = load ptr, ptr %x10, align 8, !invariant.load !0
              store i64 %x9, ptr %x11, align 8
              %x12 = zext i64 %x5 to i128
              %x13 = zext i64 7 to i128
              %x14 = mul i128 %x12, %x13
              %x15 = lshr i128 %x14, 64
              %x16 = trunc i128 %x15 to i64
              store i64 %x16, ptr %x11, align 8
              %x17 = trunc i64 %x5 to i32
              %x18 = trunc i64 7 to i32
              %x19 = urem i32 %x17, %x18
              %x20 = zext i32 %x19 to i64
              store i64 %x20, ptr %x11, align 8
              %x21 = sdiv i64 %x5, 7
              store i64 %x21, ptr %x11, align 8
              %x22 = ashr i64 %x5, 7
              store i64 %x22, ptr %x11, align 8
              %x23 = fneg double %x4
              store double %x23, ptr %x11, align 8
              %x24 = call double @llvm.fabs.f64(double %x4)
              store double %x24, ptr %x11, align 8
              %x25 = call double @llvm.roundeven.f64(double %x4)
              store double %x25, ptr %x11, align 8
              %x26 = fcmp une double %x4, %x4
              %x27 = icmp ult i64 %x3, %x5
              %x28 = icmp ult i1 %x26, %x27
              %x29 = xor i1 %x28, true
              %x30 = call i32 @llvm.fptosi.sat.i32.f64(double %x4)
              store i32 %x30, ptr %x11, align 4
              %x31 = fptrunc double %x4 to float
              store float %x31, ptr %x11, align 4
              %x32 = fcmp une double %x4, 0x0000000000000000
              %x33 = zext i1 %x32 to i8
              store i8 %x33, ptr %x11, align 1
              %x34 = uitofp i1 %x29 to double
              store double %x34, ptr %x11, align 8
              %x35 = trunc i64 %x3 to i32
              store i32 %x35, ptr %x11, align 4
              %x36 = sitofp i64 %x3 to float
              store float %x36, ptr %x11, align 4
              store float 0x4004CCCCC0000000, ptr %x11, align 4
              ret i32 0
            }
            declare double @llvm.fabs.f64(double)
            declare double @llvm.roundeven.f64(double)
            declare i32 @llvm.fptosi.sat.i32.f64(double)
            declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
        "#]],
    );
}
