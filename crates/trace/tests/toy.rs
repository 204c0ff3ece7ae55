//! The staging rules on a host of a few lines: variables in a vector, statements as closures.

use std::cell::RefCell;

use expect_test::{Expect, expect};
use gw_base::{Diagnostic, Loc};
use gw_trace::calls::{Call, emit};
use gw_trace::{
    Argument, Callee, Host, Interrupt, Parts, Seen, Shown, Slot, Staged, State, Trace, for_, go_on, if_,
    items_of, while_,
};
use gw_types::{DType, Promotion, Scalar};

/// Value of a variable of the toy language.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(Scalar),
    Staged(Staged),
    Maybe(Staged, gw_ir::ValueId, gw_trace::Lack),
    Unbound,
    Word(&'static str),
}

struct Toy {
    trace: Trace,
    variables: RefCell<Vec<Value>>,
}

impl Host for Toy {
    type Value = Value;
    type Skeleton = ();
    type Error = Diagnostic;

    fn trace(&self) -> &Trace {
        &self.trace
    }
    fn place(&self) -> Option<Loc> {
        None
    }
    fn flatten(&self, value: &Value) -> Result<Parts<Self>, Diagnostic> {
        Ok(((), vec![value.clone()]))
    }
    fn rebuild(&self, (): &(), mut leaves: Vec<Value>) -> Result<Value, Diagnostic> {
        Ok(leaves.remove(0))
    }
    fn same_skeleton(&self, (): &(), (): &()) -> bool {
        true
    }
    fn see(&self, leaf: &Value) -> Result<Seen, Diagnostic> {
        Ok(match leaf {
            Value::Number(n) => Seen::Number(*n),
            Value::Staged(s) => Seen::Staged(self.here(*s)),
            Value::Maybe(s, bit, lack) => Seen::Maybe(*s, *bit, *lack),
            Value::Unbound => Seen::Unbound,
            Value::Word(_) => Seen::Object,
        })
    }
    fn show(&self, shown: Shown) -> Result<Value, Diagnostic> {
        Ok(match shown {
            Shown::Staged(s) => Value::Staged(s),
            Shown::Maybe(s, bit, lack) => Value::Maybe(s, bit, lack),
            Shown::Number(n) => Value::Number(n),
            Shown::Nothing => Value::Unbound,
        })
    }
    fn same(&self, a: &Value, b: &Value) -> bool {
        a == b
    }
    fn interrupt_of(&self, error: &Diagnostic) -> Option<Interrupt> {
        Interrupt::ALL.into_iter().find(|why| error.message == why.text())
    }
    fn word(&self, leaf: &Value) -> String {
        format!("{leaf:?}")
    }
}

impl State<Toy> for Toy {
    fn get(&self) -> Result<Vec<Value>, Diagnostic> {
        Ok(self.variables.borrow().clone())
    }
    fn set(&self, values: &[Value]) -> Result<(), Diagnostic> {
        *self.variables.borrow_mut() = values.to_vec();
        Ok(())
    }
}

impl Toy {
    fn get(&self, at: usize) -> Value {
        self.variables.borrow()[at].clone()
    }

    fn put(&self, at: usize, value: Value) -> Result<(), Diagnostic> {
        self.variables.borrow_mut()[at] = value;
        Ok(())
    }

    fn here(&self, staged: Staged) -> Staged {
        Staged { value: self.trace.lift(staged.value).unwrap_or(staged.value), ..staged }
    }

    fn call(&self, op: gw_ir::Op, x: &Value, y: &Value) -> Value {
        let [x, y] = [x, y].map(|v| match v {
            Value::Number(n) => self.trace.number(*n),
            Value::Staged(s) | Value::Maybe(s, ..) => self.here(*s),
            Value::Unbound | Value::Word(_) => panic!("the toy computes with numbers"),
        });
        let made = self.trace.build(|b| emit(&Call::Binary(op), b, &[x, y]));
        Value::Staged(made.expect("the toy's operands fit"))
    }
}

fn int(i: i64) -> Value {
    Value::Number(Scalar::Int(i))
}

fn of(value: &Value) -> gw_ir::ValueId {
    match value {
        Value::Staged(s) | Value::Maybe(s, ..) => s.value,
        Value::Number(_) | Value::Unbound | Value::Word(_) => panic!("{value:?} is not staged"),
    }
}

/// Stages a statement over a parameter `n: i32[]` and these variables; shows the graph that returns the staged ones.
#[track_caller]
fn check(
    variables: &[Value],
    statement: impl FnOnce(&Toy, Value) -> Result<(), Diagnostic>,
    expected: Expect,
) {
    let toy = Toy { trace: Trace::new("f"), variables: RefCell::new(variables.to_vec()) };
    let n = Value::Staged(toy.trace.parameter(DType::I32, &[], "n"));
    let shown = match statement(&toy, n) {
        Err(diagnostic) => format!("{diagnostic}\n"),
        Ok(()) => {
            let left = toy.variables.borrow().clone();
            let results = left.iter().filter(|v| matches!(v, Value::Staged(_) | Value::Maybe(..)));
            let graph = toy.trace.finish(results.map(of).collect());
            gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
            let host: Vec<_> = left.iter().filter(|v| !matches!(v, Value::Staged(_))).collect();
            format!("{}{host:?}\n", gw_ir::text::print(&graph))
        }
    };
    expected.assert_eq(&shown);
}

fn slots(count: usize) -> Vec<Slot> {
    ["a", "b", "c"][..count].iter().map(|name| Slot::of(*name)).collect()
}

type Act<'a> = &'a dyn Fn() -> Result<(), Diagnostic>;

fn stage_if(toy: &Toy, test: &Value, branches: [Act<'_>; 2]) -> Result<(), Diagnostic> {
    let count = toy.variables.borrow().len();
    if_(toy, of(test), &slots(count), toy, branches)
}

fn stage_while(toy: &Toy, test: &dyn Fn() -> Value, body: Act<'_>) -> Result<(), Diagnostic> {
    let count = toy.variables.borrow().len();
    let answer = || {
        let seen = toy.see(&test())?;
        Ok(go_on(&toy.trace, seen).expect("the toy's tests are bools"))
    };
    while_(toy, answer()?, &slots(count), toy, &answer, body)
}

#[test]
fn branches_join_what_they_change() {
    check(
        &[int(0), int(7)],
        |toy, n| {
            let test = toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Gt), &n, &int(0));
            stage_if(toy, &test, [&|| toy.put(0, n.clone()), &|| toy.put(0, int(1))])
        },
        expect![[r#"
            func @f(%n: i32[]) -> (i32[]) {
              %1 = const 0 : i64[]
              %2 = cast %1 to=i32 : i32[]
              %3 = gt %n, %2 : bool[]
              %4 = cond %3 : (i32[]) {
                yield %n
              } else {
                %5 = const 1 : i32[]
                yield %5
              }
              return %4
            }
            [Number(Int(7))]
        "#]],
    );
}

#[test]
fn equal_numbers_stay_the_hosts() {
    check(
        &[int(0)],
        |toy, n| {
            let test = toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Gt), &n, &int(0));
            stage_if(toy, &test, [&|| toy.put(0, int(1)), &|| toy.put(0, int(1))])
        },
        expect![[r#"
            func @f(%n: i32[]) -> () {
              %1 = const 0 : i64[]
              %2 = cast %1 to=i32 : i32[]
              %3 = gt %n, %2 : bool[]
              cond %3 : () {
                yield
              } else {
                yield
              }
              return
            }
            [Number(Int(1))]
        "#]],
    );
}

#[test]
fn a_name_bound_in_one_branch_carries_a_bit() {
    check(
        &[Value::Unbound],
        |toy, n| {
            let test = toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Gt), &n, &int(0));
            stage_if(toy, &test, [&|| toy.put(0, n.clone()), &|| Ok(())])
        },
        expect![[r#"
            func @f(%n: i32[]) -> (i32[]) {
              %1 = const 0 : i64[]
              %2 = cast %1 to=i32 : i32[]
              %3 = gt %n, %2 : bool[]
              %4, %5 = cond %3 : (bool[], i32[]) {
                %6 = const true : bool[]
                yield %6, %n
              } else {
                %7 = const false : bool[]
                %8 = const 0 : i32[]
                yield %7, %8
              }
              return %5
            }
            [Maybe(Staged { value: ValueId(8), weak: None }, ValueId(7), Unbound)]
        "#]],
    );
}

#[test]
fn other_objects_must_agree() {
    check(
        &[Value::Word("x")],
        |toy, n| {
            let test = toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Gt), &n, &int(0));
            stage_if(toy, &test, [&|| toy.put(0, Value::Word("y")), &|| Ok(())])
        },
        expect![[r#"
            GW103: `a` is Word("y") if the condition is true and Word("x") if it is false
            help: the condition is a tensor, so both branches must leave tensors or numbers of one structure; compute a number instead, or test a Python value
        "#]],
    );
}

#[test]
fn a_branch_knows_its_test() {
    check(
        &[int(0)],
        |toy, n| {
            let stop = toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Gt), &n, &int(0));
            toy.put(0, stop.clone())?;
            let going = toy.trace.build(|b| b.op(gw_ir::UnaryOp::Not, gw_ir::Attr::None, &[of(&stop)]));
            let going = Value::Staged(Staged::strong(going.expect("a bool has an opposite")));
            stage_if(toy, &going, [&|| toy.put(0, Value::Number(Scalar::Bool(true))), &|| Ok(())])
        },
        expect![[r#"
            func @f(%n: i32[]) -> () {
              %1 = const 0 : i64[]
              %2 = cast %1 to=i32 : i32[]
              %3 = gt %n, %2 : bool[]
              %4 = not %3 : bool[]
              cond %4 : () {
                yield
              } else {
                yield
              }
              return
            }
            [Number(Bool(true))]
        "#]],
    );
}

#[test]
fn carries_take_the_tensors_type() {
    check(
        &[int(0)],
        |toy, n| {
            let test = || toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Lt), &toy.get(0), &n);
            stage_while(toy, &test, &|| {
                toy.put(0, toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Add), &toy.get(0), &n))
            })
        },
        expect![[r#"
            func @f(%n: i32[]) -> (i32[]) {
              %1 = const 0 : i64[]
              %2 = cast %1 to=i32 : i32[]
              %3 = lt %2, %n : bool[]
              %4 = const 0 : i32[]
              %5, %6 = while (%7 = %4, %8 = %3) : (i32[], bool[]) {
                yield %8
              } do {
                %9 = add %7, %n : i32[]
                %10 = lt %9, %n : bool[]
                yield %9, %10
              }
              return %5
            }
            []
        "#]],
    );
}

#[test]
fn what_a_body_leaves_alone_stays_the_hosts() {
    check(
        &[int(0), int(3)],
        |toy, n| {
            let test = || toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Lt), &toy.get(0), &n);
            stage_while(toy, &test, &|| {
                toy.put(0, toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Add), &toy.get(0), &toy.get(1)))
            })
        },
        expect![[r#"
            func @f(%n: i32[]) -> (i64[]) {
              %1 = const 0 : i64[]
              %2 = cast %1 to=i32 : i32[]
              %3 = lt %2, %n : bool[]
              %4 = const 0 : i64[]
              %5 = const 3 : i64[]
              %6, %7, %8 = while (%9 = %4, %10 = %5, %11 = %3) : (i64[], i64[], bool[]) {
                yield %11
              } do {
                %12 = add %9, %10 : i64[]
                %13 = cast %n to=i64 : i64[]
                %14 = lt %12, %13 : bool[]
                yield %12, %10, %14
              }
              return %6
            }
            [Number(Int(3))]
        "#]],
    );
}

#[test]
fn two_types_of_their_own_clash_where_they_may_not_meet() {
    check(
        &[int(0)],
        |toy, n| {
            toy.trace.set_promotion(Promotion::Strict);
            toy.put(0, n.clone())?;
            let test = || toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Lt), &toy.get(0), &n);
            let half = Value::Number(Scalar::Float(0.5));
            stage_while(toy, &test, &|| {
                toy.put(0, toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Add), &n, &half))
            })
        },
        expect![[r#"
            GW102: `a` is `int32` before the loop and `float32` after an iteration
            help: start the loop with the dtype that the body computes, e.g. with `gw.cast`
        "#]],
    );
}

#[test]
fn a_range_is_counted_and_not_made() {
    check(
        &[int(0)],
        |toy, n| {
            let (zero, one) = (int(0), int(1));
            let args = [&zero, &n, &one].map(|v| match v {
                Value::Number(x) => toy.trace.number(*x),
                Value::Staged(_) | Value::Maybe(..) | Value::Unbound | Value::Word(_) => {
                    Staged::strong(of(v))
                }
            });
            let range =
                toy.trace.build(|b| emit(&Call::Range(None), b, &args)).expect("integers make a range");
            let items = items_of(&toy.trace, range).expect("a range has rows");
            let body = |k| {
                let item = Value::Staged(items.at(&toy.trace, k));
                toy.put(0, toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Add), &toy.get(0), &item))
            };
            for_(toy, items.count, &slots(1), toy, None, &body)
        },
        expect![[r#"
            func @f(%n: i32[]) -> (i32[]) {
              %1 = const 0 : i64[]
              %2 = const 1 : i64[]
              %3 = cast %1 to=i32 : i32[]
              %4 = cast %2 to=i32 : i32[]
              %5 = range %3, %n, %4 : i32[?0]
              %6 = dim %5 axis=0 : i64[]
              %7 = cast %3 to=i64 : i64[]
              %8 = cast %n to=i64 : i64[]
              %9 = cast %4 to=i64 : i64[]
              %10 = sub %7, %8 : i64[]
              %11 = floor_div %10, %9 : i64[]
              %12 = neg %11 : i64[]
              %13 = const 0 : i64[]
              %14 = max %12, %13 : i64[]
              %15 = const 0 : i64[]
              %16 = lt %15, %14 : bool[]
              %17 = const 0 : i32[]
              %18, %19, %20 = while (%21 = %15, %22 = %17, %23 = %16) : (i64[], i32[], bool[]) {
                yield %23
              } do {
                %24 = cast %21 to=i32 : i32[]
                %25 = mul %24, %4 : i32[]
                %26 = add %3, %25 : i32[]
                %27 = add %22, %26 : i32[]
                %28 = const 1 : i64[]
                %29 = add %21, %28 : i64[]
                %30 = lt %29, %14 : bool[]
                yield %29, %27, %30
              }
              return %19
            }
            []
        "#]],
    );
}

/// `f(n) = k if n == 0 else f(n - 1) + k`, where `k` is from around.
#[test]
fn a_function_that_calls_itself_is_traced_until_its_result_is_known() {
    check(
        &[int(0)],
        |toy, n| {
            let k = toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Add), &n, &n);
            let taken = [Argument::of(toy, &n)?];
            let mut callee = Callee::new(toy, "g", &taken)?;
            loop {
                let round = callee.round(toy, &|given| {
                    let test = toy.call(gw_ir::Op::Compare(gw_ir::CompareOp::Eq), &given[0], &int(0));
                    let less = toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Sub), &given[0], &int(1));
                    let base = || toy.put(0, k.clone());
                    let again = || {
                        let before = callee.call(toy, std::slice::from_ref(&less))?.remove(0);
                        toy.put(0, toy.call(gw_ir::Op::Binary(gw_ir::BinaryOp::Add), &before, &k))
                    };
                    stage_if(toy, &test, [&base, &again])?;
                    Ok(vec![toy.get(0)])
                })?;
                toy.put(0, int(0))?;
                let settled = round.is_settled(&callee, toy);
                callee = round;
                if settled {
                    break;
                }
            }
            toy.put(0, callee.call(toy, std::slice::from_ref(&n))?.remove(0))
        },
        expect![[r#"
            func @f(%n: i32[]) -> (i32[]) {
              %1 = add %n, %n : i32[]
              %2 = call @g %n, %1 : i32[]
              return %2
            }
            func @g(%1: i32[], %2: i32[]) -> (i32[]) {
              %3 = const 0 : i64[]
              %4 = cast %3 to=i32 : i32[]
              %5 = eq %1, %4 : bool[]
              %6 = const 1 : i64[]
              %7 = cast %6 to=i32 : i32[]
              %8 = sub %1, %7 : i32[]
              %9 = cond %5 : (i32[]) {
                yield %2
              } else {
                %10 = call @g %8, %2 : i32[]
                %11 = add %10, %2 : i32[]
                yield %11
              }
              return %9
            }
            []
        "#]],
    );
}
