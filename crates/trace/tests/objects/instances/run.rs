//! Programs over two objects and a list of objects, staged on the toy host.

use gw_eval::Array;
use gw_ir::{BinaryOp, CompareOp, Op, ValueId};
use gw_trace::fixpoint::Staging;
use gw_trace::objects::{Heap, ReachedList, elements, staged};
use gw_trace::{Slot, Staged, for_, if_};
use gw_types::{DType, Scalar};

use crate::host::{Failed, Instance, List, Toy, Value};

pub type Done = Result<(), Failed>;

/// The variables of a program.
const NAMES: [&str; 3] = ["p", "q", "xs"];
pub const P: usize = 0;
pub const Q: usize = 1;

/// The parameters that each program runs for.
pub const PARAMETERS: [i64; 5] = [-1, 0, 2, 3, 5];

/// A program that is staged.
pub struct Run {
    pub toy: Toy,
    /// The parameter of the function.
    pub n: Value,
}

pub fn int(i: i64) -> Value {
    Value::Number(Scalar::Int(i))
}

pub fn point(x: Value, y: Value) -> Value {
    Value::Instance(Instance::new(&[("x", x), ("y", y)]))
}

pub fn instance(value: &Value) -> Instance {
    let Value::Instance(instance) = value else { panic!("{value:?} has no attributes") };
    instance.clone()
}

impl Run {
    /// `p = Point(1, 2); q = Point(3, 4); xs = []`
    pub fn new() -> Self {
        let toy = Toy::new(vec![point(int(1), int(2)), point(int(3), int(4)), Value::List(List::default())]);
        let n = Value::Staged(toy.trace.parameter(DType::I64, &[], "n"));
        Self { toy, n }
    }

    pub fn get(&self, at: usize) -> Value {
        self.toy.variables.borrow()[at].clone()
    }

    pub fn put(&self, at: usize, value: Value) {
        self.toy.variables.borrow_mut()[at] = value;
    }

    pub fn attribute(&self, at: usize, name: &str) -> Value {
        instance(&self.get(at)).get(name)
    }

    pub fn xs(&self) -> List {
        let Value::List(list) = self.get(2) else { panic!("{:?} is no list", self.get(2)) };
        list
    }

    /// `xs.append(…)`
    pub fn push(&self, value: Value) {
        self.xs().push(value);
    }

    pub fn add(&self, a: &Value, b: &Value) -> Value {
        self.toy.binary(Op::Binary(BinaryOp::Add), a, b)
    }

    /// `len(xs)`
    pub fn length(&self) -> Result<Value, Failed> {
        Ok(match elements(&self.toy, &self.xs())? {
            Some(held) if self.toy.holds_rows(&self.xs()) => {
                Value::Staged(Staged::strong(held.length(&self.toy.trace)))
            }
            Some(_) | None => int(self.xs().0.borrow().len() as i64),
        })
    }

    pub fn statement(&self, stage: Staging<'_, Toy, ()>) -> Done {
        let slots: Vec<_> = NAMES.iter().map(|name| Slot::of(*name)).collect();
        let reached = [ReachedList { list: self.xs(), path: "xs".to_owned(), names: 1 }];
        staged(&self.toy, &slots, &self.toy, &reached, stage)
    }

    /// `if a > b: … else: …`, where the graph knows the numbers.
    pub fn branch(&self, [a, b]: [&Value; 2], then: &dyn Fn() -> Done, orelse: &dyn Fn() -> Done) -> Done {
        let test = self.toy.staged(&self.toy.binary(Op::Compare(CompareOp::Gt), a, b));
        self.statement(&|state, slots| if_(&self.toy, test.value, slots, state, [then, orelse]))
    }

    /// `if n > 2: … else: …`
    pub fn if_n(&self, then: &dyn Fn() -> Done, orelse: &dyn Fn() -> Done) -> Done {
        self.branch([&self.n, &int(2)], then, orelse)
    }

    /// `for i in range(n): …`
    pub fn repeat(&self, body: &dyn Fn(Value) -> Done) -> Done {
        let count = self.toy.staged(&self.n).value;
        self.statement(&|state, slots| {
            let run = |k: ValueId| body(Value::Staged(Staged::strong(k)));
            for_(&self.toy, count, slots, state, None, &run)
        })
    }

    /// The numbers that the graph of these values gives, for each parameter.
    pub fn results(&self, values: &[Value]) -> Vec<Vec<i64>> {
        let values = values.iter().map(|value| self.toy.staged(value).value).collect();
        self.given(values).into_iter().map(|given| given.concat()).collect()
    }

    /// The elements of each value, for each parameter.
    pub fn given(&self, values: Vec<ValueId>) -> Vec<Vec<Vec<i64>>> {
        let graph = self.toy.trace.finish(values);
        gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
        let numbers = |array: &Array| array.elements.iter().map(|number| number.to_i64()).collect();
        let once = |&n: &i64| {
            let outcome = gw_eval::run(&graph, &[Array::scalar(DType::I64, Scalar::Int(n))]);
            outcome.expect("no program fails").results.iter().map(numbers).collect()
        };
        PARAMETERS.iter().map(once).collect()
    }
}
