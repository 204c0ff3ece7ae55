//! Structures where branches and loops join them, on a host that has pairs, objects that it keeps and numbers stand for, and no value.

use std::cell::RefCell;

use gw_base::{Diagnostic, Loc};
use gw_ir::ValueId;
use gw_trace::calls::{Call, emit};
use gw_trace::{Host, Lack, Parts, Seen, Shown, Slot, Staged, State, Trace, go_on, if_, while_};
use gw_types::{DType, Scalar};

/// The value of a variable.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(Scalar),
    Staged(Staged),
    Maybe(Staged, ValueId, Lack),
    Unbound,
    Nothing,
    Pair(Box<[Value; 2]>),
    /// An object of a class that the host keeps, by its number.
    Kept(&'static str, Box<Value>),
    /// A bool that says if it is there, and the value that it has then.
    Optional(Box<[Value; 2]>),
}

/// The structure of a value.
#[derive(Debug, Clone, PartialEq)]
enum Skeleton {
    Leaf,
    Pair(Box<[Skeleton; 2]>),
    Kept(&'static str),
    Optional(Box<Skeleton>),
}

struct Toy {
    trace: Trace,
    variable: RefCell<Value>,
}

fn flat(value: &Value, leaves: &mut Vec<Value>) -> Skeleton {
    match value {
        Value::Pair(parts) => {
            let [a, b] = &**parts;
            Skeleton::Pair(Box::new([flat(a, leaves), flat(b, leaves)]))
        }
        Value::Kept(class, number) => {
            leaves.push((**number).clone());
            Skeleton::Kept(class)
        }
        Value::Optional(parts) => {
            leaves.push(parts[0].clone());
            Skeleton::Optional(Box::new(flat(&parts[1], leaves)))
        }
        Value::Number(_) | Value::Staged(_) | Value::Maybe(..) | Value::Unbound | Value::Nothing => {
            leaves.push(value.clone());
            Skeleton::Leaf
        }
    }
}

fn built(skeleton: &Skeleton, leaves: &mut impl Iterator<Item = Value>) -> Value {
    let mut next = |skeleton| built(skeleton, leaves);
    match skeleton {
        Skeleton::Leaf => leaves.next().expect("a leaf"),
        Skeleton::Pair(parts) => Value::Pair(Box::new([next(&parts[0]), next(&parts[1])])),
        Skeleton::Kept(class) => Value::Kept(class, Box::new(next(&Skeleton::Leaf))),
        Skeleton::Optional(part) => Value::Optional(Box::new([next(&Skeleton::Leaf), next(part)])),
    }
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
        let mut leaves = Vec::new();
        Ok((flat(value, &mut leaves), leaves))
    }
    fn rebuild(&self, skeleton: &Skeleton, leaves: Vec<Value>) -> Result<Value, Diagnostic> {
        Ok(built(skeleton, &mut leaves.into_iter()))
    }
    fn same_skeleton(&self, a: &Skeleton, b: &Skeleton) -> bool {
        a == b
    }
    fn optional(&self, skeleton: &Skeleton) -> Option<Skeleton> {
        match skeleton {
            Skeleton::Leaf => None,
            Skeleton::Optional(_) => Some(skeleton.clone()),
            Skeleton::Pair(_) | Skeleton::Kept(_) => Some(Skeleton::Optional(Box::new(skeleton.clone()))),
        }
    }
    fn see(&self, leaf: &Value) -> Result<Seen, Diagnostic> {
        let here = |staged: Staged| Staged {
            value: self.trace.lift(staged.value).unwrap_or(staged.value),
            ..staged
        };
        Ok(match leaf {
            Value::Number(n) => Seen::Number(*n),
            Value::Staged(staged) => Seen::Staged(here(*staged)),
            Value::Maybe(staged, bit, lack) => {
                Seen::Maybe(here(*staged), self.trace.lift(*bit).unwrap_or(*bit), *lack)
            }
            Value::Unbound => Seen::Unbound,
            Value::Nothing => Seen::Nothing,
            Value::Pair(_) | Value::Kept(..) | Value::Optional(_) => Seen::Object,
        })
    }
    fn show(&self, shown: Shown) -> Result<Value, Diagnostic> {
        Ok(match shown {
            Shown::Staged(staged) => Value::Staged(staged),
            Shown::Maybe(staged, bit, lack) => Value::Maybe(staged, bit, lack),
            Shown::Number(n) => Value::Number(n),
            Shown::Nothing => Value::Nothing,
        })
    }
    fn same(&self, a: &Value, b: &Value) -> bool {
        a == b
    }
    fn word(&self, leaf: &Value) -> String {
        shape(leaf)
    }
}

impl State<Toy> for Toy {
    fn get(&self) -> Result<Vec<Value>, Diagnostic> {
        Ok(vec![self.variable.borrow().clone()])
    }
    fn set(&self, values: &[Value]) -> Result<(), Diagnostic> {
        *self.variable.borrow_mut() = values[0].clone();
        Ok(())
    }
}

/// A value as its structure, with what each leaf is to the graph.
fn shape(value: &Value) -> String {
    match value {
        Value::Number(n) => match n {
            Scalar::Int(n) => n.to_string(),
            Scalar::Bool(_) | Scalar::Nat(_) | Scalar::Float(_) | Scalar::Complex(..) | Scalar::Text(_) => {
                format!("{n:?}")
            }
        },
        Value::Staged(_) => "?".to_owned(),
        Value::Maybe(_, _, Lack::Unbound) => "? or unbound".to_owned(),
        Value::Maybe(_, _, Lack::Nothing | Lack::OtherRank) => "? or nothing".to_owned(),
        Value::Unbound => "unbound".to_owned(),
        Value::Nothing => "nothing".to_owned(),
        Value::Pair(parts) => format!("({}, {})", shape(&parts[0]), shape(&parts[1])),
        Value::Kept(class, number) => format!("{class} {}", shape(number)),
        Value::Optional(parts) => format!("[{} ⇒ {}]", shape(&parts[0]), shape(&parts[1])),
    }
}

fn toy(begins: Value) -> (Toy, Staged) {
    let toy = Toy { trace: Trace::new("f"), variable: RefCell::new(begins) };
    let n = toy.trace.parameter(DType::I32, &[], "n");
    (toy, n)
}

/// The test of a number of the graph being above another one.
fn above(toy: &Toy, n: Staged, least: i64) -> Staged {
    let least = toy.trace.number(Scalar::Int(least));
    let n = Staged { value: toy.trace.lift(n.value).unwrap_or(n.value), ..n };
    toy.trace.build(|b| emit(&Call::binary(gw_ir::CompareOp::Gt), b, &[n, least])).expect("numbers")
}

/// The shape of the variable behind a statement, of which the graph is legal; or what is refused.
fn told(toy: Toy, ended: Result<(), Diagnostic>) -> String {
    if let Err(refused) = ended {
        return refused.message;
    }
    let left = shape(&toy.variable.borrow());
    gw_ir::verify(&toy.trace.finish(Vec::new()), "trace").expect("staging makes legal graphs");
    left
}

/// The shape that an `if` leaves in a variable whose branches give it these values.
fn branch(begins: Value, then: Value, orelse: Value) -> String {
    let (toy, n) = toy(begins);
    let test = above(&toy, n, 0).value;
    let put = |value: &Value| toy.set(std::slice::from_ref(value));
    let slots = [Slot::of("a")];
    let ended = if_(&toy, test, &slots, &toy, [&|| put(&then), &|| put(&orelse)]);
    told(toy, ended)
}

/// The shape that a loop leaves in a variable that has a value before it and gets another one in each turn.
fn turns(begins: Value, in_turn: Value) -> String {
    let (toy, n) = toy(begins);
    let slots = [Slot::of("a")];
    let answer = || {
        let seen = toy.see(&Value::Staged(above(&toy, n, 5)))?;
        Ok(go_on(&toy.trace, seen).expect("a bool"))
    };
    let first = answer().expect("a test");
    let body = || toy.set(std::slice::from_ref(&in_turn));
    let ended = while_(&toy, first, &slots, &toy, &answer, &body);
    told(toy, ended)
}

fn int(number: i64) -> Value {
    Value::Number(Scalar::Int(number))
}

fn text(number: i64) -> Value {
    Value::Kept("str", Box::new(int(number)))
}

fn date(number: i64) -> Value {
    Value::Kept("date", Box::new(int(number)))
}

fn pair(a: Value, b: Value) -> Value {
    Value::Pair(Box::new([a, b]))
}

#[test]
fn branches_choose_among_objects_of_one_class() {
    assert_eq!(branch(Value::Unbound, text(1), text(2)), "str ?");
    assert_eq!(branch(text(1), text(1), text(2)), "str ?");
    assert_eq!(branch(text(0), text(1), text(1)), "str 1");
}

#[test]
fn objects_of_other_classes_do_not_join() {
    assert_eq!(
        branch(Value::Unbound, text(1), date(1)),
        "`a` is str 1 if the condition is true and date 1 if it is false"
    );
    assert_eq!(
        branch(Value::Unbound, text(1), pair(text(1), text(2))),
        "`a` is str 1 if the condition is true and (str 1, str 2) if it is false"
    );
    assert_eq!(
        branch(Value::Unbound, text(1), int(1)),
        "`a` is str 1 if the condition is true and 1 if it is false"
    );
}

#[test]
fn an_object_may_be_nothing() {
    assert_eq!(branch(Value::Unbound, text(1), Value::Nothing), "[? ⇒ str ? or nothing]");
    assert_eq!(branch(Value::Nothing, text(1), Value::Nothing), "[? ⇒ str ? or nothing]");
    let there = Value::Optional(Box::new([Value::Number(Scalar::Bool(true)), text(1)]));
    assert_eq!(branch(Value::Unbound, there.clone(), text(2)), "[Bool(true) ⇒ str ?]");
    assert_eq!(branch(Value::Unbound, there, Value::Nothing), "[? ⇒ str ? or nothing]");
}

#[test]
fn an_object_may_be_unbound() {
    assert_eq!(branch(Value::Unbound, text(1), Value::Unbound), "str ? or unbound");
    assert_eq!(
        branch(Value::Unbound, pair(text(1), date(2)), Value::Unbound),
        "(str ? or unbound, date ? or unbound)"
    );
}

#[test]
fn loops_carry_objects() {
    assert_eq!(turns(text(1), text(2)), "str ?");
    assert_eq!(turns(text(1), text(1)), "str ?");
    assert_eq!(turns(Value::Unbound, text(2)), "str ? or unbound");
    assert_eq!(turns(Value::Nothing, text(2)), "[? ⇒ str ? or nothing]");
    assert_eq!(turns(text(1), Value::Nothing), "[? ⇒ str ? or nothing]");
    assert_eq!(turns(text(1), date(2)), "`a` is str ? before the loop and date 2 after an iteration");
}

#[test]
fn pairs_join_part_by_part() {
    assert_eq!(branch(Value::Unbound, pair(text(1), date(2)), pair(text(3), date(2))), "(str ?, date 2)");
    assert_eq!(turns(pair(text(1), int(2)), pair(text(3), int(2))), "(str ?, ?)");
    let other = "`a` is (str ?, date ?) before the loop and (date 3, date 2) after an iteration";
    assert_eq!(turns(pair(text(1), date(2)), pair(date(3), date(2))), other);
    let there = "[? ⇒ (str ? or nothing, ? or nothing)]";
    assert_eq!(branch(Value::Nothing, pair(text(1), int(2)), Value::Nothing), there);
}
