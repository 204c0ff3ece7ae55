//! Result types of the library's operations, and the operands that they refuse.
//!
//! Lengths that are not known fit everything. The rules are those of `gw_ir`'s type inference and of the public
//! operations in `gw_trace`, restated for types of which a part is unknown.

mod elementwise;
mod make;
mod matrices;
mod moves;
mod operand;
mod reduce;
mod table;

use gw_syntax::ExprId;
use gw_types::Shape;

pub use elementwise::{Arithmetic, elementwise, stored};
pub use matrices::matmul;
pub use operand::is_operand;

use crate::args::Args;
use crate::rule::Rule;
use crate::value::Value;

/// Something that an operation does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The rule.
    pub rule: Rule,
    /// One line that says it.
    pub message: String,
    /// The remedy.
    pub help: String,
    /// The value that the analysis goes on with.
    pub value: Value,
}

impl Misfit {
    /// A misfit behind which nothing is known.
    pub fn new(rule: Rule, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { rule, message: message.into(), help: help.into(), value: Value::Unknown }
    }
}

/// The value of an operation, or why there is none.
pub type Judged = Result<Value, Misfit>;

/// The user's words for expressions.
pub struct Words;

impl Words {
    /// `2 axes`
    pub fn axes(rank: usize) -> String {
        match rank {
            0 => "no axes".to_owned(),
            1 => "1 axis".to_owned(),
            n => format!("{n} axes"),
        }
    }

    /// `[2, ?]`
    pub fn shape(shape: &Shape) -> String {
        let length = |dim: &gw_types::Dim| dim.fixed().map_or_else(|| "?".to_owned(), |n| n.to_string());
        format!("[{}]", shape.0.iter().map(length).collect::<Vec<_>>().join(", "))
    }
}

/// A call of an operation: its arguments, and the user's words for their expressions.
pub struct Call<'a> {
    args: &'a Args,
    words: &'a dyn Fn(ExprId) -> String,
}

impl Call<'_> {
    fn value(&self, position: usize, name: &str) -> Value {
        self.args.get(position, name).cloned().unwrap_or_default()
    }

    /// An argument that is `None` where it is left out.
    fn optional(&self, position: usize, name: &str) -> Value {
        self.args.get(position, name).cloned().unwrap_or(Value::None)
    }

    fn named(&self, position: usize, name: &str) -> String {
        self.args.expr(position, name).map_or_else(|| format!("`{name}`"), self.words)
    }
}

/// A call of a function of the library by its path below it; nothing if the table has no row for it.
pub fn call(path: &str, args: &Args, words: &dyn Fn(ExprId) -> String) -> Option<Judged> {
    let operation = table::operation(path)?;
    Some(operation(&Call { args, words }))
}

/// A call of a method of a tensor; nothing if it is not known.
pub fn method(base: &Value, name: &str, args: &Args, words: &dyn Fn(ExprId) -> String) -> Option<Judged> {
    let call = Call { args, words };
    let fold = match name {
        "sum" | "prod" => reduce::Fold::Sum,
        "mean" => reduce::Fold::Mean,
        "max" | "min" => reduce::Fold::Least,
        "all" | "any" => reduce::Fold::Truth,
        "copy" => return Some(Ok(base.clone())),
        _ => return None,
    };
    Some(reduce::reduced(fold, base, "the tensor", &call.optional(0, "axis"), &call.optional(1, "keepdims")))
}
