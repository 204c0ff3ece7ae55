//! Runs the toy language on its host: what a value of the graph decides is staged, all else happens now.

use std::cell::RefCell;
use std::sync::Arc;

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{BinaryOp, CompareOp, Op, ValueId};
use gw_trace::calls::{Call as OpCall, emit};
use gw_trace::{
    Argument, CallOf, CalledFunction, FunctionCall, FunctionKey, Functions, Growing, Host, Seen, Staged,
    Told, go_on, if_, try_, while_,
};
use gw_types::Scalar;

use crate::attempt::Attempted;
use crate::host::{Failure, Frame, Toy, Value};
use crate::syntax::{Expr, Function, RETURNED, Statement, is_global};

/// A call of a function of the program.
pub struct Call<'t, 'a> {
    pub toy: &'t Toy<'a>,
    pub function: usize,
    pub arguments: Vec<Value>,
}

impl<'a> Call<'_, 'a> {
    pub fn key(&self) -> FunctionKey {
        FunctionKey(self.function)
    }

    fn definition(&self) -> &'a Function {
        &self.toy.program.functions[self.function]
    }

    /// Runs the function's body.
    pub fn traced(&self) -> Result<Value, Failure> {
        let toy = self.toy;
        toy.bodies.set(toy.bodies.get() + 1);
        let definition = self.definition();
        let mut variables = self.arguments.clone();
        variables.resize(definition.variables.len(), Value::Unbound);
        toy.frames.borrow_mut().push(Frame { function: self.function, variables });
        let run = toy.block(&definition.body).and_then(|()| toy.read(RETURNED));
        toy.frames.borrow_mut().pop();
        run
    }

    /// The call with the leaves of its arguments.
    pub fn bind(&self) -> Result<(CallOf<Toy<'a>>, Vec<Value>), Failure> {
        let (mut skeleton, mut leaves, mut growing) = (Vec::new(), Vec::new(), Growing::default());
        for (at, argument) in self.arguments.iter().enumerate() {
            let (shape, own) = self.toy.flatten(argument)?;
            skeleton.extend(shape);
            match argument {
                Value::List(items) => growing.containers.push((at, items.as_ptr() as usize)),
                Value::Number(_) | Value::Staged(_) | Value::Maybe(..) | Value::Unbound => {
                    growing.others.push(Argument::of(self.toy, argument)?);
                }
            }
            leaves.extend(own);
        }
        let arguments: Vec<_> =
            leaves.iter().map(|leaf| Argument::of(self.toy, leaf)).collect::<Result<_, _>>()?;
        let call = FunctionCall::new(self.key(), (skeleton, Arc::from(arguments)), growing, ());
        Ok((call, leaves))
    }
}

impl<'a> CalledFunction<Toy<'a>> for Call<'_, 'a> {
    fn name(&self, _: &Toy<'a>) -> Result<String, Failure> {
        Ok(self.definition().name.clone())
    }
    fn parameter(&self, _: &Toy<'a>, at: usize) -> Result<Option<String>, Failure> {
        Ok(self.definition().variables.get(at).cloned())
    }
    fn inline(&self) -> Result<Value, Failure> {
        self.traced()
    }
    fn run(&self, toy: &Toy<'a>, call: &CallOf<Toy<'a>>, given: Vec<Value>) -> Result<Told<Value>, Failure> {
        let mut given = given.into_iter();
        let leaves = call.arguments.iter().map(|argument| match argument {
            Argument::Value(_) => given.next().expect("a value for each parameter"),
            Argument::Number(leaf, _) | Argument::Object(leaf) => leaf.clone(),
        });
        let mut leaves = leaves.collect::<Vec<_>>().into_iter();
        let arguments = call.skeleton.iter().map(|items| {
            let own = leaves.by_ref().take(items.unwrap_or(1)).collect();
            toy.rebuild(&vec![*items], own)
        });
        let arguments = arguments.collect::<Result<_, _>>()?;
        Ok((Call { toy, function: self.function, arguments }.traced()?, Vec::new()))
    }
    fn reach(&self, _: &Toy<'a>, _: &[Value]) -> Result<(), Failure> {
        Ok(())
    }
    fn watched(
        &self,
        toy: &Toy<'a>,
        inline: &dyn Fn() -> Result<Value, Failure>,
    ) -> Result<(Value, bool), Failure> {
        let lengths = || -> Vec<usize> {
            let lists = self.arguments.iter().filter_map(|argument| match argument {
                Value::List(items) => Some(items.borrow().len()),
                Value::Number(_) | Value::Staged(_) | Value::Maybe(..) | Value::Unbound => None,
            });
            lists.collect()
        };
        let before = (lengths(), toy.stores());
        let result = inline()?;
        Ok((result, before == (lengths(), toy.stores())))
    }
}

impl Toy<'_> {
    /// Runs statements.
    pub fn block(&self, block: &[Statement]) -> Result<(), Failure> {
        block.iter().try_for_each(|statement| match statement {
            Statement::Pass => Ok(()),
            Statement::Do(expr) => self.value(expr).map(drop),
            Statement::Set(name, expr) => {
                let value = self.value(expr)?;
                self.write(name, value);
                Ok(())
            }
            Statement::If(test, then, orelse) => match decided(&self.value(test)?) {
                Err(test) => {
                    let branches: [&dyn Fn() -> Result<(), Failure>; 2] =
                        [&|| self.block(then), &|| self.block(orelse)];
                    // Each statement has its address for a line.
                    let line = (std::ptr::from_ref(statement).addr() >> 3) as u32;
                    let around = self.place.replace(Some(Loc::of_line("toy", line)));
                    let staged = if_(self, test, &self.slots(), self, branches);
                    self.place.replace(around);
                    staged
                }
                Ok(is_true) => self.block(if is_true { then } else { orelse }),
            },
            Statement::Raise(class) => Err(Failure::Raised(class.clone())),
            Statement::Try(parts) => {
                let attempt = Attempted { toy: self, parts, exits: RefCell::default() };
                try_(self, &self.slots(), self, &attempt)
            }
            Statement::While(test, body) => {
                let answer =
                    || Ok(go_on(&self.trace, self.see(&self.value(test)?)?).expect("a test is a bool"));
                match decided(&self.value(test)?) {
                    Err(go) => while_(self, go, &self.slots(), self, &answer, &|| self.block(body)),
                    Ok(mut goes_on) => {
                        while goes_on {
                            self.block(body)?;
                            goes_on = decided(&self.value(test)?).expect("the host knows the test");
                        }
                        Ok(())
                    }
                }
            }
        })
    }

    /// Gives a variable a value.
    fn write(&self, name: &str, value: Value) {
        if is_global(name) {
            // Variables of the whole program are values of the graph: functions of the graph take and give them.
            let value = Value::Staged(Staged::strong(self.staged(&value).value));
            let mut globals = self.globals.borrow_mut();
            let known =
                globals.iter_mut().find(|(known, _)| known == name).expect("a variable of the program");
            known.1 = value;
            return;
        }
        let mut frames = self.frames.borrow_mut();
        let frame = frames.last_mut().expect("a function runs");
        let at = self.program.functions[frame.function].variables.iter().position(|known| known == name);
        frame.variables[at.expect("a variable of the function")] = value;
    }

    /// The value of a variable.
    fn read(&self, name: &str) -> Result<Value, Failure> {
        if is_global(name) {
            let globals = self.globals.borrow();
            return Ok(globals.iter().find(|(known, _)| known == name).expect("a variable").1.clone());
        }
        let frames = self.frames.borrow();
        let frame = frames.last().expect("a function runs");
        let at = self.program.functions[frame.function].variables.iter().position(|known| known == name);
        let variable = &frame.variables[at.expect("a variable of the function")];
        match variable {
            Value::Unbound => Err(if self.calls.waits() {
                self.interrupt(gw_trace::Interrupt::UnknownCallee)
            } else {
                Diagnostic::new(Code::UnboundName, format!("`{name}` has no value")).into()
            }),
            Value::Maybe(staged, ..) => Ok(Value::Staged(*staged)),
            Value::Number(_) | Value::Staged(_) | Value::List(_) => Ok(variable.clone()),
        }
    }

    fn value(&self, expr: &Expr) -> Result<Value, Failure> {
        match expr {
            Expr::Int(number) => Ok(int(*number)),
            Expr::Name(name) => self.read(name),
            Expr::List => Ok(Value::List(Default::default())),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                Ok(self.binary(op, &a, &b))
            }
            Expr::Call(name, arguments) => {
                let arguments: Vec<Value> =
                    arguments.iter().map(|argument| self.value(argument)).collect::<Result<_, _>>()?;
                match self.program.find(name) {
                    Some(function) => self.call(function, arguments),
                    None => Ok(self.builtin(name, &arguments)),
                }
            }
        }
    }

    /// A value in the graph, in the region open now.
    fn staged(&self, value: &Value) -> Staged {
        match self.see(value) {
            Ok(Seen::Staged(staged) | Seen::Maybe(staged, ..)) => staged,
            Ok(Seen::Number(number)) => self.trace.number(number),
            seen => panic!("{seen:?} is no operand"),
        }
    }

    fn binary(&self, op: &str, a: &Value, b: &Value) -> Value {
        if let (Value::Number(a), Value::Number(b)) = (a, b) {
            let (a, b) = (a.to_i64(), b.to_i64());
            return match op {
                "+" => int(a + b),
                "-" => int(a - b),
                "*" => int(a * b),
                "//" => int(a.div_euclid(b)),
                "%" => int(a.rem_euclid(b)),
                "==" => bool(a == b),
                "!=" => bool(a != b),
                "<" => bool(a < b),
                "<=" => bool(a <= b),
                ">" => bool(a > b),
                _ => bool(a >= b),
            };
        }
        let op = match op {
            "+" => Op::Binary(BinaryOp::Add),
            "-" => Op::Binary(BinaryOp::Sub),
            "*" => Op::Binary(BinaryOp::Mul),
            "//" => Op::Binary(BinaryOp::FloorDiv),
            "%" => Op::Binary(BinaryOp::Mod),
            "==" => Op::Compare(CompareOp::Eq),
            "!=" => Op::Compare(CompareOp::Ne),
            "<" => Op::Compare(CompareOp::Lt),
            "<=" => Op::Compare(CompareOp::Le),
            ">" => Op::Compare(CompareOp::Gt),
            _ => Op::Compare(CompareOp::Ge),
        };
        let operands = [self.staged(a), self.staged(b)];
        let made = self.trace.build(|builder| emit(&OpCall::Binary(op), builder, &operands));
        Value::Staged(made.expect("integers fit"))
    }

    fn builtin(&self, name: &str, arguments: &[Value]) -> Value {
        match (name, arguments) {
            ("push", [Value::List(items), item]) => {
                items.borrow_mut().push(item.clone());
                int(0)
            }
            ("len", [Value::List(items)]) => int(items.borrow().len() as i64),
            ("large", [x]) => (0..crate::LARGE).fold(x.clone(), |x, _| self.binary("+", &x, &int(1))),
            _ => panic!("`{name}` is no function of the toy"),
        }
    }
}

fn int(number: i64) -> Value {
    Value::Number(Scalar::Int(number))
}

fn bool(is_true: bool) -> Value {
    Value::Number(Scalar::Bool(is_true))
}

/// The answer of a test that the host knows, or the value of the graph that gives it.
fn decided(test: &Value) -> Result<bool, ValueId> {
    match test {
        Value::Number(number) => Ok(number.to_bool()),
        Value::Staged(staged) => Err(staged.value),
        Value::Maybe(..) | Value::Unbound | Value::List(_) => panic!("{test:?} is no test"),
    }
}

/// The value of the graph that a program returns.
pub fn result(toy: &Toy<'_>, value: &Value) -> ValueId {
    toy.staged(value).value
}
