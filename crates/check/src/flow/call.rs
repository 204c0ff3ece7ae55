//! Calls: of functions of the file, of the library, of Python's own.

use gw_analysis::NameSet;
use gw_syntax::{Constant, Expr, ExprId, Keyword, Operator};

use super::{Side, Walk};
use crate::args::Args;
use crate::hosts;
use crate::impure;
use crate::marks::{Mark, Options};
use crate::module::FunctionId;
use crate::ops;
use crate::python;
use crate::rule::{Rule, Severity};
use crate::value::{HostIterator, Value};

impl Walk<'_, '_> {
    pub(super) fn call(&mut self, at: ExprId, func: ExprId, args: &[ExprId], keywords: &[Keyword]) -> Value {
        let callee = self.expr(func);
        let args = self.arguments(args, keywords);
        if let Value::Function(id) = callee {
            return self.of_file(id, &args, at);
        }
        if let Value::Staged(id) = callee {
            return self.follow(id, &args, Side::Graph);
        }
        if let Value::Import(path) = &callee {
            return self.of_import(path, &args, at);
        }
        if let Value::Method(base, name) = &callee {
            return self.method(base, name, &args, at);
        }
        self.kept_by_method(func, &args);
        Value::Unknown
    }

    fn arguments(&mut self, args: &[ExprId], keywords: &[Keyword]) -> Args {
        let mut found = Args::default();
        for &arg in args {
            let value = self.expr(arg);
            if matches!(self.module().tree[arg], Expr::Starred(_)) {
                found.is_open = true;
            }
            found.positional.push((value, arg));
        }
        for keyword in keywords {
            let value = self.expr(keyword.value);
            match &keyword.name {
                Some(name) => found.keywords.push((name.clone(), value, keyword.value)),
                None => found.is_open = true,
            }
        }
        found
    }

    fn of_file(&mut self, id: FunctionId, args: &Args, at: ExprId) -> Value {
        match self.checker.mark(id).clone() {
            Mark::Plain => self.follow(id, args, self.side),
            Mark::Graph(options) => {
                if self.side == Side::Host {
                    self.trace_per_value(id, &options, args, at);
                }
                self.follow(id, args, Side::Graph)
            }
            Mark::Host(returns) => {
                self.host_function(id, returns, at);
                Value::Unknown
            }
            Mark::Other => Value::Unknown,
        }
    }

    /// Follows a function of the file with these arguments.
    fn follow(&mut self, id: FunctionId, args: &Args, side: Side) -> Value {
        let module = self.module();
        let declared = self.checker.declared(id);
        let Some(given) = args.bind(module.function(id), &declared, &mut |expr| self.checker.default(expr))
        else {
            return Value::Unknown;
        };
        let place = if side == self.side { (side, self.depth, self.unrolls) } else { (side, 0, false) };
        match self.checker.follow(id, given, place) {
            Some(value) => value,
            None => {
                self.state = None;
                Value::Unknown
            }
        }
    }

    /// A function of the host that does not say what it gives.
    fn host_function(&mut self, id: FunctionId, returns: Option<ExprId>, at: ExprId) {
        if self.side == Side::Host {
            return;
        }
        let function = self.module().function(id);
        let name = &function.name;
        let reason = match returns.or(function.returns) {
            None => Some("its annotation does not say what it gives".to_owned()),
            Some(expr) => hosts::unpromised(&self.checker.default(expr)),
        };
        if let Some(reason) = reason {
            let message = format!("`{name}` is called in a graph, and {reason}");
            let help =
                format!("write `def {name}(...) -> gw.TensorSpec(shape, dtype)`, `-> float` or `-> None`");
            self.say(Rule::HostFunction, self.module().tree.expr_span(at), message, help, Severity::Error);
        }
    }

    fn of_import(&mut self, path: &str, args: &Args, at: ExprId) -> Value {
        if path == "graphwright.function" {
            return self.staged_by_call(args);
        }
        if let Some(value) = self.made_iterator(path, args) {
            return value;
        }
        self.impure_call(path, args, at);
        if let Some(name) = path.strip_prefix("graphwright.") {
            let words = |expr: ExprId| self.words(expr);
            return match ops::call(name, args, &words) {
                Some(found) => self.judged(found, at),
                None => Value::Unknown,
            };
        }
        path.strip_prefix("builtins.").map_or(Value::Unknown, |name| python::call(name, args))
    }

    /// `gw.function(f)` with nothing else.
    fn staged_by_call(&mut self, args: &Args) -> Value {
        match (&args.positional[..], args.keywords.is_empty() && !args.is_open) {
            ([(Value::Function(id), _)], true) if *self.checker.mark(*id) == Mark::Plain => {
                self.checker.enter(*id);
                Value::Staged(*id)
            }
            _ => Value::Unknown,
        }
    }

    /// An iterator of Python's that is made here.
    fn made_iterator(&mut self, path: &str, args: &Args) -> Option<Value> {
        let name = path.strip_prefix("builtins.")?;
        if !python::makes_iterator(name) || args.is_open {
            return None;
        }
        let sources = if name == "map" || name == "filter" { 1 } else { 0 };
        let from = args.positional.iter().skip(sources);
        let holds_tensors = from.clone().any(|(value, _)| value.items().is_some() && value.holds_tensors());
        let is_made_of_python =
            from.clone().all(|(value, _)| value.items().is_some() || matches!(value, Value::Range(_)));
        if !is_made_of_python || from.count() == 0 {
            return Some(Value::Unknown);
        }
        let depth = self.function.is_some().then_some(self.depth);
        let can_be_copied = sources == 0;
        Some(Value::Iterator(HostIterator { holds_tensors, can_be_copied, depth }))
    }

    /// Says that a call cannot be one that the graph makes each time, or is made once.
    fn impure_call(&mut self, path: &str, args: &Args, at: ExprId) {
        if let Some((message, help)) = impure::refused(path, args) {
            self.frozen(at, message, help, Severity::Error);
        } else if let Some((message, help)) = impure::frozen(path, args) {
            self.frozen(at, message, help, Severity::Warning);
        }
        let takes = path.strip_prefix("builtins.").is_some_and(python::takes_items);
        if let Some((Value::Iterator(iterator), _)) = args.positional.first()
            && (takes || path == "builtins.next")
        {
            self.taken_from(*iterator, !takes, at);
        }
    }

    /// Says that items are taken from an iterator that the graph cannot advance: `is_next` if it is one item.
    pub(super) fn taken_from(&mut self, iterator: HostIterator, is_next: bool, at: ExprId) {
        if let Some((message, help)) = impure::advanced(iterator, is_next, self.depth) {
            self.frozen(at, message, help, Severity::Error);
        }
    }

    fn frozen(&mut self, at: ExprId, message: String, help: String, severity: Severity) {
        self.say(Rule::FrozenCall, self.module().tree.expr_span(at), message, help, severity);
    }

    fn method(&mut self, base: &Value, name: &str, args: &Args, at: ExprId) -> Value {
        let Value::Tensor(_) = base else { return python::method(base, name) };
        let words = |expr: ExprId| self.words(expr);
        match ops::method(base, name, args, &words) {
            Some(found) => self.judged(found, at),
            None => Value::Unknown,
        }
    }

    /// The path of what an expression calls.
    pub(super) fn called(&mut self, expr: ExprId) -> Option<String> {
        let Expr::Call { func, .. } = &self.module().tree[expr] else { return None };
        self.peek(*func).path().map(str::to_owned)
    }

    /// True if a call that is not known surely comes back: methods do, unless they are named after the opposite.
    pub(super) fn comes_back(&mut self, call: ExprId) -> bool {
        let Expr::Call { func, .. } = &self.module().tree[call] else { return true };
        if let Expr::Attribute { attr, .. } = &self.module().tree[*func] {
            return !python::ends(attr);
        }
        let callee = self.peek(*func);
        let is_builtin = callee.path().and_then(|path| path.strip_prefix("builtins."));
        is_builtin.map_or(matches!(callee, Value::Function(_)), |name| !python::ends(name))
    }

    /// Says that a graph function is traced for each number that a loop counts.
    fn trace_per_value(&mut self, id: FunctionId, options: &Options, args: &Args, at: ExprId) {
        let function = self.module().function(id);
        if !options.are_known || !options.numbers_are_static || options.signature.is_some() || args.is_open {
            return;
        }
        let Some(turning) = self.turns.last() else { return };
        let names = turning.names.clone();
        let given = args.positional.iter().map(|(value, expr)| (value, *expr));
        let named = args.keywords.iter().map(|(_, value, expr)| (value, *expr));
        let varying = given.chain(named).find(|(value, expr)| is_number(value) && self.varies(*expr, &names));
        let Some((_, expr)) = varying.filter(|_| !self.checker.has_specs(id)) else { return };
        let (name, words) = (&function.name, self.words(expr));
        self.say(
            Rule::TracePerValue,
            self.module().tree.expr_span(at),
            format!(
                "`{name}` is traced for each value of {words}, a Python number that changes in this loop"
            ),
            format!("pass `gw.constant(…)`, or write `@gw.function(python_numbers=\"staged\")` for `{name}`"),
            Severity::Warning,
        );
    }

    /// True if an expression has another value in each iteration of a loop that counts these names.
    fn varies(&self, expr: ExprId, names: &NameSet) -> bool {
        let tree = &self.module().tree;
        let is_fixed =
            |expr: ExprId| matches!(&tree[expr], Expr::Constant(Constant::Int(_) | Constant::Float(_)));
        if let Expr::Name(name) = &tree[expr] {
            return names.contains(name);
        }
        if let Expr::BinOp { left, op, right } = &tree[expr] {
            let (first, second) = (self.varies(*left, names), self.varies(*right, names));
            let is_steady = matches!(op, Operator::Add | Operator::Sub | Operator::Mult);
            return (first && is_fixed(*right) && (is_steady || *op == Operator::Div))
                || (second && is_fixed(*left) && is_steady);
        }
        let Expr::Call { func, args, keywords } = &tree[expr] else { return false };
        let is_float = matches!(&tree[*func], Expr::Name(name) if &**name == "float");
        is_float && keywords.is_empty() && args.len() == 1 && self.varies(args[0], names)
    }

    /// A method that keeps its argument: `outer.append(…)`.
    fn kept_by_method(&mut self, func: ExprId, args: &Args) {
        let tree = &self.module().tree;
        let Expr::Attribute { value, attr } = &tree[func] else { return };
        if !matches!(&**attr, "append" | "add" | "insert" | "appendleft") {
            return;
        }
        if let (Some(name), Some((kept, _))) = (super::name_of(tree, *value), args.positional.last()) {
            let kept = kept.clone();
            self.kept_outside(name, &kept);
        }
    }

    /// Says that an iterator over tensors of the graph is kept by an object or name from around the function.
    pub(super) fn kept_outside(&mut self, name: &str, value: &Value) {
        let is_own = self.locals.number(name).is_some() || self.function.is_none();
        let Value::Iterator(HostIterator { holds_tensors: true, .. }) = value else { return };
        if is_own || self.inner.iter().any(|(inner, _)| **inner == *name) {
            return;
        }
        let Some(function) = self.function else { return };
        let span =
            self.module().tree.stmt_span(self.statement.unwrap_or(self.module().functions[function].stmt));
        self.say(
            Rule::LeakedTensor,
            span,
            format!(
                "`{name}` keeps an iterator over tensors of the graph, which have no value outside of it"
            ),
            "keep the tensors themselves, or make the iterator of what the call returns".to_owned(),
            Severity::Warning,
        );
    }
}

fn is_number(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Float)
}
