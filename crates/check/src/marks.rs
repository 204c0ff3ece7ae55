//! The decorators of a function: whether it is one of the graph, of the host, or plain.

use gw_syntax::{Constant, Expr, ExprId, Keyword};

use crate::module::{FunctionId, Module};
use crate::value::Value;

/// The kind of function that its decorators make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    Plain,
    /// A function of the graph.
    Graph(Options),
    /// A function that stays Python's, and what its `returns=` says.
    Host(Option<ExprId>),
    /// Something that is not known.
    Other,
}

/// The options of a function of the graph, as far as the text says them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// The `input_signature`.
    pub signature: Option<ExprId>,
    /// True if all options are known.
    pub are_known: bool,
    /// True if each value of a Python number has a trace of its own.
    pub numbers_are_static: bool,
    /// True if every loop of Python's is run iteration by iteration while the graph is built.
    pub unrolls: bool,
}

/// The kind of function that its decorators make.
pub fn mark(module: &Module, id: FunctionId) -> Mark {
    let decorators = &module.function(id).decorators;
    let mut mark = Mark::Plain;
    // The innermost comes first.
    for &decorator in decorators.iter().rev() {
        mark = match (one(module, decorator), mark) {
            (Some(Mark::Plain), mark) => mark,
            (Some(found), Mark::Plain) => found,
            (Some(_) | None, _) => return Mark::Other,
        };
    }
    mark
}

fn one(module: &Module, decorator: ExprId) -> Option<Mark> {
    let (callee, args, keywords) = if let Expr::Call { func, args, keywords } = &module.tree[decorator] {
        (*func, &args[..], &keywords[..])
    } else {
        (decorator, &[][..], &[][..])
    };
    let path = path(module, callee)?;
    match &*path {
        "graphwright.function" => Some(Mark::Graph(options(module, args, keywords))),
        "graphwright.host" => Some(Mark::Host(returns(keywords))),
        "builtins.staticmethod" | "builtins.classmethod" => Some(Mark::Plain),
        _ => None,
    }
}

fn returns(keywords: &[Keyword]) -> Option<ExprId> {
    keywords.iter().find(|keyword| keyword.name.as_deref() == Some("returns")).map(|keyword| keyword.value)
}

/// The options in the brackets of `@gw.function(…)`.
fn options(module: &Module, args: &[ExprId], keywords: &[Keyword]) -> Options {
    let mut options = Options { are_known: args.is_empty(), numbers_are_static: true, ..Options::default() };
    for keyword in keywords {
        let constant =
            if let Expr::Constant(constant) = &module.tree[keyword.value] { Some(constant) } else { None };
        match keyword.name.as_deref() {
            Some("input_signature") => {
                options.signature = Some(keyword.value).filter(|_| constant != Some(&Constant::None));
            }
            Some("roll") => options.unrolls = constant == Some(&Constant::Bool(false)),
            Some("python_numbers") => {
                options.numbers_are_static = constant == Some(&Constant::Str("static".to_owned()));
            }
            Some("autograph" | "jit_compile" | "reduce_retracing" | "integer_overflow") => {}
            Some(_) | None => options.are_known = false,
        }
    }
    options
}

/// The dotted path that an expression names, if it begins with an import or a name of Python's own.
pub fn path(module: &Module, expr: ExprId) -> Option<String> {
    if let Expr::Attribute { value, attr } = &module.tree[expr] {
        return Some(format!("{}.{attr}", path(module, *value)?));
    }
    let Expr::Name(name) = &module.tree[expr] else { return None };
    match module.fixed.get(name) {
        Some(value) => value.path().map(str::to_owned),
        None if module.is_bound(name) => None,
        None => Some(format!("builtins.{name}")),
    }
}

/// The value of an attribute of an import.
pub fn attribute(path: &str, name: &str) -> Value {
    let full = format!("{path}.{name}");
    let dtype = full.strip_prefix("graphwright.").and_then(|name| name.parse().ok());
    dtype.map_or_else(|| Value::Import(full.into()), Value::DType)
}
