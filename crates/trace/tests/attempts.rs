//! `try` on a host whose variables hold lists that can be changed in place: a body of the graph that may fail, and what comes
//! behind it.

use std::cell::RefCell;
use std::rc::Rc;

use expect_test::{Expect, expect};
use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{Attr, CheckKind, CompareOp, NodeId, Op, PrintFormat, Stream, ValueId};
use gw_trace::calls::{Call, emit};
use gw_trace::{Attempt, Choosing, Fails, Host, Parts, Seen, Shown, Slot, Staged, State, Trace, taken, try_};
use gw_types::{DType, Promotion, Scalar};

/// A value of the toy language's variable.
#[derive(Debug, Clone)]
enum Value {
    Number(i64),
    Staged(Staged),
    Unbound,
    List(Rc<RefCell<Vec<Value>>>),
}

impl Value {
    fn list(items: &[i64]) -> Self {
        Self::List(Rc::new(RefCell::new(items.iter().map(|&item| Self::Number(item)).collect())))
    }

    /// Appends a number to a list in place.
    fn append(&self, number: i64) {
        if let Self::List(items) = self {
            items.borrow_mut().push(Self::Number(number));
        }
    }
}

/// The structure of a value: how many items a list has.
#[derive(Debug, PartialEq)]
struct Skeleton(Option<usize>);

struct Toy {
    trace: Trace,
    variable: RefCell<Value>,
    checks: RefCell<Vec<NodeId>>,
}

impl Host for Toy {
    type Value = Value;
    type Skeleton = Skeleton;
    type Error = Diagnostic;

    fn trace(&self) -> &Trace {
        &self.trace
    }
    fn place(&self) -> Option<Loc> {
        None
    }
    fn flatten(&self, value: &Value) -> Result<Parts<Self>, Diagnostic> {
        Ok(match value {
            Value::List(items) => (Skeleton(Some(items.borrow().len())), items.borrow().clone()),
            Value::Number(_) | Value::Staged(_) | Value::Unbound => (Skeleton(None), vec![value.clone()]),
        })
    }
    fn rebuild(&self, skeleton: &Skeleton, mut leaves: Vec<Value>) -> Result<Value, Diagnostic> {
        Ok(match skeleton.0 {
            Some(_) => Value::List(Rc::new(RefCell::new(leaves))),
            None => leaves.remove(0),
        })
    }
    fn same_skeleton(&self, a: &Skeleton, b: &Skeleton) -> bool {
        a == b
    }
    fn see(&self, leaf: &Value) -> Result<Seen, Diagnostic> {
        Ok(match leaf {
            Value::Number(n) => Seen::Number(Scalar::Int(*n)),
            Value::Staged(staged) => Seen::Staged(*staged),
            Value::Unbound => Seen::Unbound,
            Value::List(_) => Seen::Object,
        })
    }
    fn show(&self, shown: Shown) -> Result<Value, Diagnostic> {
        Ok(match shown {
            Shown::Staged(staged) | Shown::Maybe(staged, ..) => Value::Staged(staged),
            Shown::Number(n) => Value::Number(n.to_i64()),
            Shown::Nothing => Value::Unbound,
        })
    }
    fn same(&self, a: &Value, b: &Value) -> bool {
        format!("{a:?}") == format!("{b:?}")
    }
    fn word(&self, leaf: &Value) -> String {
        format!("{leaf:?}")
    }
    fn raises(&self, error: &Diagnostic) -> bool {
        error.message == RAISED
    }
}

impl State<Toy> for Toy {
    fn get(&self) -> Result<Vec<Value>, Diagnostic> {
        Ok(vec![self.variable.borrow().clone()])
    }
    fn set(&self, values: &[Value]) -> Result<(), Diagnostic> {
        self.variable.replace(values[0].clone());
        Ok(())
    }
}

/// The text of what the toy's programs raise.
const RAISED: &str = "raised by the program";

fn raised() -> Diagnostic {
    Diagnostic::new(Code::BadArgument, RAISED)
}

impl Toy {
    /// Fails when the graph runs unless `n` is greater than a number.
    fn check(&self, n: Staged, least: i64) {
        self.trace.build(|b| {
            let least = b.constant(gw_ir::Literal::scalar(DType::I32, Scalar::Int(least)));
            let ok = b.op(CompareOp::Gt, Attr::None, &[n.value, least]).expect("numbers compare");
            let message = PrintFormat { pieces: Vec::new(), stream: Stream::Stderr, summarize: None };
            let attr = Attr::Check { kind: CheckKind::Value, message, limit: false };
            b.effect(Op::Check, attr, &[ok]).expect("a bool is checked");
            let last = *b.graph().regions[b.region()].nodes.last().expect("the check");
            self.checks.borrow_mut().push(last);
        });
    }
}

type Body<'a> = &'a dyn Fn(&Toy);
type Rest<'a> = &'a dyn Fn(&Toy, bool) -> Result<(), Diagnostic>;

/// A body whose checks are its exits, each with the value of the variable there; the rest is told whether one was taken.
struct Program<'a> {
    toy: &'a Toy,
    body: Body<'a>,
    rest: Rest<'a>,
}

impl Attempt<Toy> for Program<'_> {
    fn body(&self) -> Result<bool, Diagnostic> {
        self.toy.checks.borrow_mut().clear();
        (self.body)(self.toy);
        Ok(true)
    }
    fn exits(&self) -> Vec<(NodeId, Fails)> {
        self.toy.checks.borrow().iter().map(|&node| (node, Fails::Value)).collect()
    }
    fn replay(&self, _exit: usize) -> Result<(), Diagnostic> {
        self.toy.variable.replace(Value::Unbound);
        Ok(())
    }
    fn shown(&self, exit: usize) -> Result<Value, Diagnostic> {
        Ok(Value::Number(exit as i64))
    }
    fn same(&self, exit: usize, other: usize) -> bool {
        exit == other
    }
    fn uncaught(&self, _exit: usize) -> Diagnostic {
        raised()
    }
    fn objects(&self) -> Result<Value, Diagnostic> {
        Ok(Value::list(&[]))
    }
    fn give(&self, _objects: &Value) -> Result<(), Diagnostic> {
        Ok(())
    }
    fn choosing(
        &self,
        state: &dyn State<Toy>,
        slots: &[Slot],
        choose: Choosing<'_, Toy>,
    ) -> Result<(), Diagnostic> {
        choose(state, slots)
    }
    fn go_on(&self, raised: Option<(usize, &Value)>) -> Result<(), Diagnostic> {
        (self.rest)(self.toy, raised.is_some())
    }
}

/// Stages a `try` over a parameter `n: i32[]`; shows what the variable holds then, and the graph without results.
fn check(body: &dyn Fn(&Toy, Staged), rest: Rest<'_>, expected: Expect) {
    let toy =
        Toy { trace: Trace::new("f"), variable: RefCell::new(Value::Unbound), checks: RefCell::default() };
    let n = toy.trace.parameter(DType::I32, &[], "n");
    let run = |toy: &Toy| body(toy, n);
    let program = Program { toy: &toy, body: &run, rest };
    let shown = match try_(&toy, &[Slot::of("a")], &toy, &program) {
        Err(diagnostic) => format!("{diagnostic}\n"),
        Ok(()) => {
            let left = toy.variable.borrow().clone();
            let graph = toy.trace.finish(Vec::new());
            gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
            format!("{}{left:?}\n", gw_ir::text::print(&graph))
        }
    };
    expected.assert_eq(&shown);
}

#[test]
fn what_follows_a_body_stores_once_where_every_exit_raises() {
    check(
        &|toy, n| {
            toy.check(n, 0);
            toy.variable.replace(Value::list(&[4]));
        },
        &|toy, has_raised| {
            toy.variable.borrow().append(5);
            if has_raised { Err(raised()) } else { Ok(()) }
        },
        expect![[r#"
            func @f(%n: i32[]) -> () {
              %1 = try : (i64[]) {
                %2 = const 0 : i32[]
                %3 = gt %n, %2 : bool[]
                %4 = const 1 : i64[]
                leave %3, %4
                %5 = const 0 : i64[]
                yield %5
              }
              %6 = const 0 : i64[]
              %7 = eq %1, %6 : bool[]
              cond %7 : () {
                yield
              } else {
                yield
              }
              return
            }
            List(RefCell { value: [Number(4), Number(5)] })
        "#]],
    );
}

#[test]
fn what_follows_a_handler_and_what_follows_the_end_are_merged() {
    check(
        &|toy, n| {
            toy.check(n, 0);
            toy.check(n, 3);
            toy.variable.replace(Value::Staged(n));
        },
        &|toy, has_raised| {
            if has_raised {
                toy.variable.replace(Value::Number(7));
            }
            Ok(())
        },
        expect![[r#"
            func @f(%n: i32[]) -> () {
              %1 = try : (i64[]) {
                %2 = const 0 : i32[]
                %3 = gt %n, %2 : bool[]
                %4 = const 1 : i64[]
                leave %3, %4
                %5 = const 3 : i32[]
                %6 = gt %n, %5 : bool[]
                %7 = const 2 : i64[]
                leave %6, %7
                %8 = const 0 : i64[]
                yield %8
              }
              %9 = const 0 : i64[]
              %10 = eq %1, %9 : bool[]
              %11 = cond %10 : (i32[]) {
                yield %n
              } else {
                %12 = const 1 : i64[]
                %13 = eq %1, %12 : bool[]
                cond %13 : () {
                  yield
                } else {
                  yield
                }
                %14 = const 7 : i32[]
                yield %14
              }
              return
            }
            Staged(Staged { value: ValueId(14), weak: None })
        "#]],
    );
}

#[test]
fn a_body_all_of_whose_ways_raise_raises() {
    check(
        &|toy, n| toy.check(n, 0),
        &|_, _| Err(raised()),
        expect![[r#"
        GW204: raised by the program
    "#]],
    );
}

/// True if an item that is taken out of rows counts as the host's number, whose powers are checked.
fn is_hosts(rows: impl FnOnce(&Trace) -> ValueId) -> bool {
    let trace = Trace::new("f");
    trace.set_promotion(Promotion::Standard);
    let rows = rows(&trace);
    let item = trace.build(|b| {
        let first = b.constant(gw_ir::Literal::scalar(DType::I64, Scalar::Int(0)));
        b.op(Op::Index, Attr::Axis(0), &[rows, first]).expect("rows have items")
    });
    taken(&trace, rows, item);
    let y = trace.parameter(DType::F64, &[], "y");
    trace.build(|b| emit(&Call::Power, b, &[Staged::strong(item), y])).expect("numbers have powers");
    trace.build(|b| b.graph().nodes.iter().any(|(_, node)| node.op == Op::Check))
}

/// A list of one element.
fn row(trace: &Trace, element: ValueId) -> ValueId {
    let staged = trace.build(|b| emit(&Call::ExpandDims(0), b, &[Staged::strong(element)]));
    staged.expect("an element is a row").value
}

#[test]
fn items_of_lists_are_the_hosts_numbers_unless_they_were_an_arrays() {
    assert!(is_hosts(|trace| row(trace, trace.parameter(DType::F64, &[], "x").value)));
    assert!(!is_hosts(|trace| trace.parameter(DType::F64, &[None], "v").value));
    assert!(!is_hosts(|trace| {
        let array = trace.parameter(DType::F64, &[None], "v").value;
        let element = trace.build(|b| {
            let first = b.constant(gw_ir::Literal::scalar(DType::I64, Scalar::Int(0)));
            b.op(Op::Index, Attr::Axis(0), &[array, first]).expect("an array has elements")
        });
        row(trace, element)
    }));
}
