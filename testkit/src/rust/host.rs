//! The host: the graph that is being built, where the program is, and the checks that a handler may catch.

use std::cell::{Cell, RefCell};

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::{Graph, Literal, NodeId, ValueId};
use gw_trace::calls::{Call, emit};
use gw_trace::{Host, Parts, Seen, Shown, Staged, Trace};
use gw_types::{DType, Promotion, Scalar};

use super::{Type, Value};

/// The depth to which calls of staged functions may nest: each one is traced where it stands.
const MOST_CALLS: usize = 64;

/// The host that stages Rust functions.
pub struct Rust {
    trace: Trace,
    place: RefCell<Option<Loc>>,
    /// The checks made by the bodies that are being attempted, the innermost last.
    pub(super) attempts: RefCell<Vec<Vec<NodeId>>>,
    /// The number of open calls.
    calls: Cell<usize>,
}

impl Host for Rust {
    type Value = Value;
    type Skeleton = ();
    type Error = Diagnostic;

    fn trace(&self) -> &Trace {
        &self.trace
    }
    fn place(&self) -> Option<Loc> {
        self.place.borrow().clone()
    }
    fn flatten(&self, value: &Value) -> Result<Parts<Self>, Diagnostic> {
        Ok(((), vec![*value]))
    }
    fn rebuild(&self, (): &(), leaves: Vec<Value>) -> Result<Value, Diagnostic> {
        Ok(leaves.first().copied().unwrap_or(Value::Unbound))
    }
    fn same_skeleton(&self, (): &(), (): &()) -> bool {
        true
    }
    fn see(&self, leaf: &Value) -> Result<Seen, Diagnostic> {
        Ok(match leaf {
            Value::Number(number) => Seen::Number(*number),
            Value::Staged(staged) => Seen::Staged(self.here(*staged)),
            Value::Empty => Seen::Empty,
            Value::Unbound => Seen::Unbound,
        })
    }
    fn show(&self, shown: Shown) -> Result<Value, Diagnostic> {
        Ok(match shown {
            // Rust reads no variable that may lack a value, so that the bit which says so is nobody's.
            Shown::Staged(staged) | Shown::Maybe(staged, ..) => Value::Staged(staged),
            Shown::Number(number) => Value::Number(number),
            Shown::Nothing => Value::Unbound,
        })
    }
    fn same(&self, a: &Value, b: &Value) -> bool {
        a == b
    }
    fn word(&self, leaf: &Value) -> String {
        match leaf {
            Value::Number(number) => format!("the number {}", number.to_f64()),
            Value::Staged(staged) => format!("a `{}` of the graph", self.trace.ty(staged.value).dtype.text()),
            Value::Empty => "an empty `Vec`".to_owned(),
            Value::Unbound => "a variable without a value".to_owned(),
        }
    }
}

impl Rust {
    fn new(name: &str) -> Self {
        let trace = Trace::new(name);
        // Rust converts no number by itself, and its overflow is an error.
        trace.set_promotion(Promotion::Strict);
        trace.build(|b| b.set_overflow_checks(true));
        Self { trace, place: RefCell::default(), attempts: RefCell::default(), calls: Cell::new(0) }
    }

    fn here(&self, staged: Staged) -> Staged {
        Staged { value: self.trace.lift(staged.value).unwrap_or(staged.value), ..staged }
    }

    /// Says where the program is now.
    pub(super) fn go_to(&self, place: Option<Loc>) {
        self.place.replace(place.clone());
        self.trace.set_place(place);
    }

    /// Begins a call.
    pub(super) fn enter(&self) -> Result<(), Diagnostic> {
        if self.calls.get() == MOST_CALLS {
            return Err(refusal("calls of staged functions nest too deep: the toy stages no recursion"));
        }
        self.calls.set(self.calls.get() + 1);
        Ok(())
    }

    /// Ends a call.
    pub(super) fn leave(&self) {
        self.calls.set(self.calls.get().saturating_sub(1));
    }

    /// A value as a value of the graph; numbers have the type that Rust gives them.
    pub(super) fn staged(&self, value: Value) -> Result<Staged, Diagnostic> {
        match value {
            Value::Staged(staged) => Ok(Staged::strong(self.here(staged).value)),
            Value::Number(number) => Ok(self.constant(number)),
            Value::Empty => Err(refusal("an empty `Vec` is read before it has an element type")
                .help("write its type: `let mut v: Vec<i64> = Vec::new();`")),
            Value::Unbound => Err(refusal("a variable is read that has no value")),
        }
    }

    /// A number of the program's text.
    pub(super) fn constant(&self, number: Scalar) -> Staged {
        let dtype = match number {
            Scalar::Bool(_) => DType::Bool,
            Scalar::Int(_) => DType::I64,
            Scalar::Nat(_) => DType::U64,
            Scalar::Complex(..) => DType::C128,
            Scalar::Float(_) => DType::F64,
            Scalar::Text(_) => DType::Str,
        };
        Staged::strong(self.trace.build(|b| b.constant(Literal::scalar(dtype, number))))
    }

    /// The result of an operation of `trace`.
    pub(super) fn call(&self, call: &Call, args: &[Staged]) -> Result<Staged, Diagnostic> {
        let made = self.trace.build(|b| emit(call, b, args));
        made.map(|made| Staged::strong(made.value))
            .map_err(|unfit| Diagnostic::new(unfit.code, unfit.message))
    }

    fn result(&self, value: Value, ty: Type) -> Result<ValueId, Diagnostic> {
        match value {
            Value::Empty => Ok(self.no_elements(ty.dtype()).value),
            Value::Number(_) | Value::Staged(_) | Value::Unbound => Ok(self.staged(value)?.value),
        }
    }
}

/// A refusal of the toy.
pub(super) fn refusal(message: &str) -> Diagnostic {
    Diagnostic::new(Code::BadArgument, message)
}

/// Traces a function of these parameters into a graph.
///
/// # Errors
/// Refusals of the toy.
pub fn traced(
    name: &str,
    parameters: &[(&str, Type)],
    gives: Type,
    stage: impl FnOnce(&Rust, Vec<Value>) -> Result<Value, Diagnostic>,
) -> Result<Graph, Diagnostic> {
    let host = Rust::new(name);
    let parameter = |&(name, ty): &(&str, Type)| {
        let lengths: &[Option<usize>] = if matches!(ty, Type::Many(_)) { &[None] } else { &[] };
        Value::Staged(host.trace.parameter(ty.dtype(), lengths, name))
    };
    let given = parameters.iter().map(parameter).collect();
    let result = host.result(stage(&host, given)?, gives)?;
    Ok(host.trace.finish(vec![result]))
}
