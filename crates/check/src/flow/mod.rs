//! Functions followed from their first statement to their last, with the values that the text proves.
//!
//! A call of a function of the same file is followed with its arguments. A loop is followed until nothing changes; only
//! then is anything said about its body.

mod call;
mod comprehension;
mod expr;
mod loops;
mod operators;
mod stmt;
mod subscript;
mod tries;

use std::rc::Rc;

use gw_analysis::NameSet;
use gw_base::Span;
use gw_syntax::{Expr, ExprId, Name, StmtId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Finding;
use crate::marks::{Mark, mark};
use crate::module::{FunctionId, Module};
use crate::ops::Misfit;
use crate::rule::{Rule, Severity};
use crate::state::{Flow, Locals, Slot, State};
use crate::value::Value;

/// Statements and expressions that are followed in one file at most; behind them nothing is known.
const BUDGET: u32 = 2_000_000;

/// Calls that are followed inside each other at most.
const DEPTH: usize = 24;

/// The findings of the functions of one file.
pub fn findings(module: &Module) -> Vec<Finding> {
    let mut checker = Checker::new(module);
    checker.graph_functions();
    checker.module_body();
    checker.plain_functions();
    checker.findings
}

/// Side on which a function runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    /// In the graph.
    Graph,
    /// In Python.
    Host,
}

/// A call that was followed: the function, its arguments, where it runs, how deep, and whether loops
/// are unrolled in it and it is followed quietly.
type Call = (FunctionId, Vec<Value>, Side, u32, bool, bool);

/// Context in which a function is followed: the side, the number of staged branches and loops around, and a
/// flag for loops that are unrolled.
type Place = (Side, u32, bool);

/// Facts shared by all functions that are followed in one file.
pub(crate) struct Checker<'m> {
    pub(crate) module: &'m Module<'m>,
    marks: Vec<Mark>,
    locals: FxHashMap<FunctionId, Rc<Locals>>,
    constants: FxHashMap<Name, Value>,
    findings: Vec<Finding>,
    said: FxHashSet<(Rule, Span)>,
    known: FxHashMap<Call, Option<Value>>,
    running: Vec<FunctionId>,
    budget: u32,
    /// Operations on tensors that were followed.
    operations: u64,
    /// The names of lengths in annotations.
    pub(crate) symbols: FxHashMap<(FunctionId, String), u32>,
    /// More than 0 where what fails is not wrong, or where it is looked at once more later.
    quiet: u32,
}

/// One function that is followed.
struct Walk<'c, 'm> {
    checker: &'c mut Checker<'m>,
    side: Side,
    /// The function; nothing for the module's own statements.
    function: Option<FunctionId>,
    locals: Rc<Locals>,
    state: Flow,
    /// Names of comprehensions, the innermost last.
    inner: Vec<(Name, Value)>,
    loops: Vec<Exits>,
    /// The result, joined over the paths; nothing if no path returns so far.
    returned: Option<Value>,
    /// Branches and loops around that a tensor surely decides.
    depth: u32,
    /// True if every loop of Python's is run iteration by iteration while the graph is built.
    unrolls: bool,
    /// Branches around.
    nested: u32,
    /// Loops of Python's around in which names change from one iteration to the next.
    turns: Vec<Turning>,
    /// The statement that is followed.
    statement: Option<StmtId>,
}

/// The ways out of the body of a loop.
#[derive(Default)]
struct Exits {
    breaks: Flow,
    continues: Flow,
}

/// A loop of Python's outside of graphs: which numbers of Python's differ from one iteration to the next.
struct Turning {
    at: Span,
    names: NameSet,
}

impl<'m> Checker<'m> {
    fn new(module: &'m Module<'m>) -> Self {
        Self {
            module,
            marks: module.functions.ids().map(|id| mark(module, id)).collect(),
            locals: FxHashMap::default(),
            constants: FxHashMap::default(),
            findings: Vec::new(),
            said: FxHashSet::default(),
            known: FxHashMap::default(),
            running: Vec::new(),
            budget: BUDGET,
            operations: 0,
            symbols: FxHashMap::default(),
            quiet: 0,
        }
    }

    pub(crate) fn mark(&self, id: FunctionId) -> &Mark {
        &self.marks[gw_base::Id::index(id)]
    }

    fn graph_functions(&mut self) {
        for id in self.module.functions.ids() {
            if matches!(self.mark(id), Mark::Graph(_)) {
                self.enter(id);
            }
        }
    }

    fn plain_functions(&mut self) {
        for id in self.module.functions.ids() {
            if *self.mark(id) == Mark::Plain && self.module.functions[id].around.is_none() {
                drop(self.follow(id, Vec::new(), (Side::Host, 0, false)));
            }
        }
    }

    /// Follows a function of the graph with what its signature says.
    fn enter(&mut self, id: FunctionId) {
        let given = self.declared(id);
        drop(self.follow(id, given, (Side::Graph, 0, false)));
    }

    fn module_body(&mut self) {
        let module = self.module;
        let loose: FxHashMap<&Name, bool> = module.globals().collect();
        let names: NameSet = loose.keys().copied().cloned().collect();
        let locals = Rc::new(Locals::new(names, |name| loose.get(name).copied().unwrap_or(true)));
        let state = Some(State::unbound(&locals));
        let mut walk = Walk::new(self, Side::Host, None, locals, state);
        walk.body(&module.tree.body);
    }

    /// Follows a function with these values of its parameters, the rest of which is unknown; gives what it returns, or
    /// nothing if it never does.
    fn follow(
        &mut self,
        id: FunctionId,
        mut given: Vec<Value>,
        (side, depth, unrolls): Place,
    ) -> Option<Value> {
        let function = self.module.function(id);
        let is_deep = self.running.len() >= DEPTH || self.running.contains(&id) || self.budget == 0;
        if is_deep || gw_analysis::is_generator(&self.module.tree, function) {
            return Some(Value::Unknown);
        }
        given.resize(function.params.all().count(), Value::Unknown);
        let unrolls =
            unrolls || matches!(self.mark(id), Mark::Graph(options) if options.are_known && options.unrolls);
        let call = (id, given, side, depth, unrolls, self.quiet > 0);
        if let Some(found) = self.known.get(&call) {
            return found.clone();
        }
        let locals = self.locals_of(id);
        let mut state = State::unbound(&locals);
        for (param, value) in function.params.all().zip(&call.1) {
            if let Some(number) = locals.number(&param.name) {
                state.set(&locals, number, Slot::of(value.clone()));
            }
        }
        self.running.push(id);
        let mut walk = Walk::new(self, side, Some(id), locals, Some(state));
        walk.depth = depth;
        walk.unrolls = unrolls;
        walk.body(&function.body);
        let ends = walk.state.is_some().then_some(Value::None);
        let returned = match (walk.returned.take(), ends) {
            (Some(a), Some(b)) => Some(a.join(&b)),
            (one, None) | (None, one) => one,
        };
        self.running.pop();
        if self.budget == 0 {
            return Some(Value::Unknown);
        }
        self.known.insert(call, returned.clone());
        returned
    }

    pub(crate) fn locals_of(&mut self, id: FunctionId) -> Rc<Locals> {
        if let Some(found) = self.locals.get(&id) {
            return found.clone();
        }
        let tree = &self.module.tree;
        let function = self.module.function(id);
        let scope = gw_analysis::scope(tree, function);
        let changed = written_inside(tree, &function.body);
        let all_loose = gw_analysis::inspects_frame(tree, function);
        let locals = Rc::new(Locals::new(scope.locals, |name| all_loose || changed.contains(name)));
        self.locals.insert(id, locals.clone());
        locals
    }

    fn say(&mut self, finding: Finding, span: Span) {
        if self.quiet == 0 && self.said.insert((finding.rule, span)) {
            self.findings.push(finding);
        }
    }

    /// The value of a global name that the module gives a value once.
    fn global(&mut self, name: &Name) -> Value {
        if let Some(value) = self.module.fixed.get(name) {
            return value.clone();
        }
        if let Some(value) = self.constants.get(name) {
            return value.clone();
        }
        let Some(&expr) = self.module.constants.get(name) else {
            let is_ours = self.module.is_bound(name);
            return if is_ours { Value::Unknown } else { Value::Import(format!("builtins.{name}").into()) };
        };
        // A constant that is made of itself is unknown.
        self.constants.insert(name.clone(), Value::Unknown);
        let value = self.default(expr).named();
        self.constants.insert(name.clone(), value.clone());
        value
    }

    /// The value of an expression at the top of the module: a constant, a default, a signature.
    pub(crate) fn default(&mut self, expr: ExprId) -> Value {
        let state = State::unbound(&Locals::default());
        self.quiet += 1;
        let value = Walk::new(self, Side::Host, None, Rc::default(), Some(state)).expr(expr);
        self.quiet -= 1;
        value
    }
}

impl<'c, 'm> Walk<'c, 'm> {
    fn new(
        checker: &'c mut Checker<'m>,
        side: Side,
        function: Option<FunctionId>,
        locals: Rc<Locals>,
        state: Flow,
    ) -> Self {
        Self {
            checker,
            side,
            function,
            locals,
            state,
            inner: Vec::new(),
            loops: Vec::new(),
            returned: None,
            depth: 0,
            unrolls: false,
            nested: 0,
            turns: Vec::new(),
            statement: None,
        }
    }

    fn module(&self) -> &'m Module<'m> {
        self.checker.module
    }

    /// Says that something fails here, if the graph comes here. The path ends then; once it has been said, what
    /// stands behind it is followed all the same.
    fn misfit(&mut self, misfit: Misfit, at: ExprId) -> Value {
        let span = self.module().tree.expr_span(at);
        if self.checker.quiet > 0 {
            self.state = None;
        }
        self.say(misfit.rule, span, misfit.message, misfit.help, misfit.rule.severity());
        misfit.value
    }

    fn say(&mut self, rule: Rule, span: Span, message: String, help: String, severity: Severity) {
        if self.side == Side::Host && rule != Rule::TracePerValue {
            return;
        }
        let finding = Finding::new(rule, self.module().source, span, message, help).weighing(severity);
        self.checker.say(finding, span);
    }

    /// Follows something twice or for its effects alone: nothing is said.
    fn quietly<R>(&mut self, follow: impl FnOnce(&mut Self) -> R) -> R {
        self.checker.quiet += 1;
        let result = follow(self);
        self.checker.quiet -= 1;
        result
    }

    /// The value of an expression that is not executed here.
    fn peek(&mut self, expr: ExprId) -> Value {
        let before = self.state.clone();
        let value = self.quietly(|walk| walk.expr(expr));
        self.state = before;
        value
    }

    fn spend(&mut self) -> bool {
        self.checker.budget = self.checker.budget.saturating_sub(1);
        self.checker.budget > 0
    }

    /// The user's words for an expression: its text, if it is short.
    fn words(&self, expr: ExprId) -> String {
        let span = self.module().tree.expr_span(expr);
        let text = &self.module().source.text[span.start as usize..span.end as usize];
        if text.len() > 40 || text.contains('\n') { "it".to_owned() } else { format!("`{text}`") }
    }

    /// The names that an expression reads.
    fn read_by(&self, expr: ExprId) -> NameSet {
        gw_analysis::of_expr(&self.module().tree, expr).reads
    }
}

/// Names that functions and classes inside may give a value.
fn written_inside(tree: &gw_syntax::Tree, body: &[gw_syntax::StmtId]) -> NameSet {
    let mut names = NameSet::new();
    for &stmt in body {
        if let gw_syntax::Stmt::FunctionDef(function) = &tree[stmt] {
            names.extend(gw_analysis::scope(tree, function).nonlocals);
        }
        tree[stmt].each_body(&mut |body| names.extend(written_inside(tree, body)));
    }
    names
}

/// True if an expression is a plain name.
fn name_of(tree: &gw_syntax::Tree, expr: ExprId) -> Option<&Name> {
    if let Expr::Name(name) = &tree[expr] { Some(name) } else { None }
}
