//! The toy language as a host: numbers of the host's, values of the graph, and lists; its functions become functions of the graph.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use gw_base::{Diagnostic, Loc};
use gw_ir::{Attr, CheckKind, NodeId, Op, PrintFormat, Stream};
use gw_trace::{
    CallsOf, Destination, ExitScope, Functions, Host, Interrupt, Lack, Parts, ScopeKind, Scopes, Seen, Shown,
    Slot, Staged, State, Trace, call_function, destination,
};
use gw_types::{DType, Scalar};

use crate::run::Call;
use crate::syntax::Program;

/// A value of a variable.
#[derive(Debug, Clone)]
pub enum Value {
    Number(Scalar),
    Staged(Staged),
    Maybe(Staged, gw_ir::ValueId, Lack),
    Unbound,
    List(Rc<RefCell<Vec<Value>>>),
}

/// An error of the toy's.
#[derive(Debug)]
pub enum Failure {
    Diagnosed(Diagnostic),
    Interrupt(Interrupt),
    /// An exception of the program, by its class.
    Raised(String),
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Diagnosed(diagnostic)
    }
}

/// A function that runs, with its variables.
pub struct Frame {
    pub function: usize,
    pub variables: Vec<Value>,
}

/// The body of a `try` that is being traced.
#[derive(Debug)]
pub struct Body {
    /// The number of frames around it.
    pub frames: usize,
    /// The number of functions of the graph that are being made around it.
    pub functions: usize,
    /// The classes that its handlers are for.
    pub heard: Vec<String>,
    /// True if it has a `finally`.
    pub always: bool,
    pub exits: RefCell<Vec<Exit>>,
}

impl Body {
    fn hears(&self, class: &str) -> bool {
        self.always || self.heard.iter().any(|heard| heard == class)
    }
}

impl ExitScope for Body {
    fn kind(&self) -> ScopeKind {
        ScopeKind::Body
    }
    fn functions(&self) -> usize {
        self.functions
    }
    fn records(&self) -> bool {
        true
    }
}

/// A node that raises an exception of a class, and the state of the `try` there.
#[derive(Debug, Clone)]
pub struct Exit {
    pub node: NodeId,
    pub class: String,
    pub state: Vec<Value>,
}

/// The host, while a program is staged.
pub struct Toy<'a> {
    pub trace: Trace,
    pub program: &'a Program,
    /// The innermost last.
    pub frames: RefCell<Vec<Frame>>,
    /// The variables of the whole program.
    pub globals: RefCell<Vec<(String, Value)>>,
    pub calls: CallsOf<Toy<'a>>,
    /// The bodies of `try` that are being traced, the innermost last.
    pub attempts: Scopes<Body>,
    /// The number of times that the body of a function was traced.
    pub bodies: Cell<usize>,
    /// The `if` that is being staged.
    pub place: RefCell<Option<Loc>>,
}

impl Host for Toy<'_> {
    type Value = Value;
    /// The number of items of a list; none for a leaf.
    type Skeleton = Vec<Option<usize>>;
    type Error = Failure;

    fn trace(&self) -> &Trace {
        &self.trace
    }
    fn place(&self) -> Option<Loc> {
        self.place.borrow().clone()
    }
    fn flatten(&self, value: &Value) -> Result<Parts<Self>, Failure> {
        Ok(match value {
            Value::List(items) => (vec![Some(items.borrow().len())], items.borrow().clone()),
            Value::Number(_) | Value::Staged(_) | Value::Maybe(..) | Value::Unbound => {
                (vec![None], vec![value.clone()])
            }
        })
    }
    fn rebuild(&self, skeleton: &Vec<Option<usize>>, mut leaves: Vec<Value>) -> Result<Value, Failure> {
        Ok(match skeleton[0] {
            Some(_) => Value::List(Rc::new(RefCell::new(leaves))),
            None => leaves.remove(0),
        })
    }
    fn same_skeleton(&self, a: &Vec<Option<usize>>, b: &Vec<Option<usize>>) -> bool {
        a == b
    }
    fn see(&self, leaf: &Value) -> Result<Seen, Failure> {
        let here = |value| self.trace.lift(value).unwrap_or(value);
        Ok(match leaf {
            Value::Number(n) => Seen::Number(*n),
            Value::Staged(s) => Seen::Staged(Staged { value: here(s.value), ..*s }),
            Value::Maybe(s, bit, lack) => {
                Seen::Maybe(Staged { value: here(s.value), ..*s }, here(*bit), *lack)
            }
            Value::Unbound => Seen::Unbound,
            Value::List(_) => Seen::Object,
        })
    }
    fn show(&self, shown: Shown) -> Result<Value, Failure> {
        Ok(match shown {
            Shown::Staged(s) => Value::Staged(s),
            Shown::Maybe(s, bit, lack) => Value::Maybe(s, bit, lack),
            Shown::Number(n) => Value::Number(n),
            Shown::Nothing => Value::Unbound,
        })
    }
    fn same(&self, a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a == b,
            (Value::Staged(a), Value::Staged(b)) => a == b,
            (Value::Unbound, Value::Unbound) => true,
            (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
            (Value::Number(_) | Value::Staged(_) | Value::Maybe(..), _)
            | (Value::Unbound | Value::List(_), _) => false,
        }
    }
    fn own_state(&self) -> Result<Vec<Value>, Failure> {
        Ok(self.globals.borrow().iter().map(|(_, value)| value.clone()).collect())
    }
    fn set_own_state(&self, values: &[Value]) -> Result<(), Failure> {
        for ((_, global), value) in self.globals.borrow_mut().iter_mut().zip(values) {
            *global = value.clone();
        }
        Ok(())
    }
    fn interrupt(&self, why: Interrupt) -> Failure {
        Failure::Interrupt(why)
    }
    fn interrupt_of(&self, error: &Failure) -> Option<Interrupt> {
        match error {
            Failure::Interrupt(why) => Some(*why),
            Failure::Diagnosed(_) | Failure::Raised(_) => None,
        }
    }
    fn raises(&self, error: &Failure) -> bool {
        match error {
            Failure::Raised(class) => self.raise(class),
            Failure::Diagnosed(_) | Failure::Interrupt(_) => false,
        }
    }
    fn can_raise(&self, error: &Failure) -> bool {
        matches!(error, Failure::Raised(_))
    }
    fn word(&self, leaf: &Value) -> String {
        match leaf {
            Value::Number(n) => format!("the number {}", n.to_i64()),
            Value::Staged(_) | Value::Maybe(..) => "a value of the graph".to_owned(),
            Value::Unbound => "without a value".to_owned(),
            Value::List(_) => "a list".to_owned(),
        }
    }
}

impl<'a> Functions for Toy<'a> {
    type Context = ();
    type Reach = ();

    fn calls(&self) -> &CallsOf<Toy<'a>> {
        &self.calls
    }
    fn same_context(&self, (): &(), (): &()) -> bool {
        true
    }
    fn same_reach(&self, (): &(), (): &()) -> bool {
        true
    }
}

/// The variables of the function that runs, and behind them those of the whole program, which are part of each statement's state.
impl State<Self> for Toy<'_> {
    fn get(&self) -> Result<Vec<Value>, Failure> {
        let mut values = self.frames.borrow().last().expect("a function runs").variables.clone();
        values.extend(self.own_state()?);
        Ok(values)
    }
    fn set(&self, values: &[Value]) -> Result<(), Failure> {
        let mut frames = self.frames.borrow_mut();
        let variables = &mut frames.last_mut().expect("a function runs").variables;
        let (own, globals) = values.split_at(variables.len());
        *variables = own.to_vec();
        drop(frames);
        self.set_own_state(globals)
    }
}

impl Toy<'_> {
    /// The variables of the state, by their names.
    pub fn slots(&self) -> Vec<Slot> {
        let function = self.frames.borrow().last().expect("a function runs").function;
        let mut slots: Vec<Slot> = self.program.functions[function].variables.iter().map(Slot::of).collect();
        slots.extend(self.globals.borrow().iter().map(|(name, _)| Slot::of(name.clone())));
        slots
    }

    /// True if a function runs already.
    fn runs(&self, function: usize) -> bool {
        self.frames.borrow().iter().any(|frame| frame.function == function)
    }

    /// Calls a function of the program: where it stands, or as a function of the graph.
    pub fn call(&self, function: usize, arguments: Vec<Value>) -> Result<Value, Failure> {
        let call = Call { toy: self, function, arguments };
        if self.frames.borrow().len() > crate::MOST_DEPTH && gw_trace::widen(self) {
            return Err(self.interrupt(Interrupt::Recurses));
        }
        let inside = self.trace.in_region() && self.runs(function);
        if !self.calls.is_called_again(call.key()) && !inside {
            return call.traced();
        }
        call_function(self, &call, (call.key(), inside), || call.bind())
    }

    fn around(&self) -> Vec<Arc<Body>> {
        self.attempts.around(self.trace.build(|b| b.waiting().len()))
    }

    /// True if the body of a `try` around sees exceptions of a class.
    pub fn is_seen(&self, class: &str) -> bool {
        self.around().iter().any(|body| body.hears(class))
    }

    /// Lets the graph raise an exception at the end of the region open now; the innermost body of a `try` takes its exit down.
    pub fn raise(&self, class: &str) -> bool {
        let node = self.trace.build(|b| {
            let never = b.constant(gw_ir::Literal::scalar(DType::Bool, Scalar::Bool(false)));
            let message = PrintFormat { pieces: Vec::new(), stream: Stream::Stderr, summarize: None };
            let attr = Attr::Check { kind: CheckKind::Assertion, message, limit: false };
            b.effect(Op::Check, attr, &[never]).expect("a bool is checked");
            *b.graph().regions[b.region()].nodes.last().expect("the check")
        });
        let around = self.around();
        if let Destination::Recorded(body) = destination(&around, |_| {}, |body| body.hears(class)) {
            let mut state = self.frames.borrow()[body.frames - 1].variables.clone();
            state.extend(self.globals.borrow().iter().map(|(_, value)| value.clone()));
            body.exits.borrow_mut().push(Exit { node, class: class.to_owned(), state });
        }
        true
    }

    /// The value that stands for a number in the graph, in a variable of the whole program.
    pub fn constant(&self, number: i64) -> Value {
        let number = gw_ir::Literal::scalar(DType::I64, Scalar::Int(number));
        Value::Staged(self.trace.constant(number))
    }
}
