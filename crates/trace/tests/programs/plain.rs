//! The plain meaning of a program: Rust's own control flow over `i64`.

use std::collections::HashMap;

use crate::syntax::{Expr, Program, RETURNED, Statement, is_global};

/// An exception that leaves a statement, by its class.
pub type Raised = String;

/// Runs a program on numbers; its variables of the whole program begin with 0.
pub fn run(program: &Program, arguments: &[i64]) -> Result<i64, Raised> {
    let mut machine = Machine { program, globals: HashMap::new(), lists: Vec::new() };
    let main = program.find("main").expect("a program has a function `main`");
    machine.call(main, arguments.to_vec())
}

struct Machine<'a> {
    program: &'a Program,
    globals: HashMap<String, i64>,
    /// The lists, by the numbers that stand for them.
    lists: Vec<Vec<i64>>,
}

type Frame = HashMap<String, i64>;

impl Machine<'_> {
    fn call(&mut self, function: usize, arguments: Vec<i64>) -> Result<i64, Raised> {
        let function = &self.program.functions[function];
        let mut frame: Frame = function.variables.iter().cloned().zip(arguments).collect();
        self.block(&function.body, &mut frame)?;
        Ok(frame[RETURNED])
    }

    fn block(&mut self, block: &[Statement], frame: &mut Frame) -> Result<(), Raised> {
        for statement in block {
            match statement {
                Statement::Pass => {}
                Statement::Do(expr) => drop(self.value(expr, frame)?),
                Statement::Set(name, expr) => {
                    let value = self.value(expr, frame)?;
                    let variables = if is_global(name) { &mut self.globals } else { &mut *frame };
                    variables.insert(name.clone(), value);
                }
                Statement::If(test, then, orelse) => {
                    let branch = if self.value(test, frame)? != 0 { then } else { orelse };
                    self.block(branch, frame)?;
                }
                Statement::While(test, body) => {
                    while self.value(test, frame)? != 0 {
                        self.block(body, frame)?;
                    }
                }
                Statement::Raise(class) => return Err(class.clone()),
                Statement::Try(parts) => {
                    let raised = self.block(&parts.body, frame).err();
                    let left = match parts.next(raised.as_deref()) {
                        Some(block) => self.block(block, frame),
                        None => raised.map_or(Ok(()), Err),
                    };
                    self.block(&parts.always, frame)?;
                    left?;
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, expr: &Expr, frame: &mut Frame) -> Result<i64, Raised> {
        Ok(match expr {
            Expr::Int(number) => *number,
            Expr::Name(name) if is_global(name) => self.globals.get(name).copied().unwrap_or(0),
            Expr::Name(name) => frame[name],
            Expr::List => {
                self.lists.push(Vec::new());
                self.lists.len() as i64 - 1
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.value(a, frame)?, self.value(b, frame)?);
                match *op {
                    "+" => a.wrapping_add(b),
                    "-" => a.wrapping_sub(b),
                    "*" => a.wrapping_mul(b),
                    "//" => a.div_euclid(b),
                    "%" => a.rem_euclid(b),
                    "==" => i64::from(a == b),
                    "!=" => i64::from(a != b),
                    "<" => i64::from(a < b),
                    "<=" => i64::from(a <= b),
                    ">" => i64::from(a > b),
                    _ => i64::from(a >= b),
                }
            }
            Expr::Call(name, arguments) => {
                let arguments: Vec<i64> =
                    arguments.iter().map(|a| self.value(a, frame)).collect::<Result<_, _>>()?;
                match self.program.find(name) {
                    Some(function) => self.call(function, arguments)?,
                    None => self.builtin(name, &arguments),
                }
            }
        })
    }

    fn builtin(&mut self, name: &str, arguments: &[i64]) -> i64 {
        match name {
            "push" => {
                self.lists[arguments[0] as usize].push(arguments[1]);
                0
            }
            "len" => self.lists[arguments[0] as usize].len() as i64,
            "large" => arguments[0].wrapping_add(super::LARGE as i64),
            _ => panic!("`{name}` is no function of the toy"),
        }
    }
}
