//! A call of a function of the host's that is being traced: what it is given, and what is known of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::callee::{Argument, Callee};

/// The identity of a function of the host's, such as its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunctionKey(pub usize);

/// The leaves of the arguments of a call. Calls that stand in each other are compared at each of them: a copy of what is known of
/// one must not cost more where its arguments are many.
pub type Leaves<V> = Arc<[Argument<V>]>;

/// A call that is being traced. `V` is a value of the host's, `S` the structure of one, `C` what the host knows of a call besides.
#[derive(Debug)]
pub struct FunctionCall<V, S, C> {
    /// The function.
    pub function: FunctionKey,
    /// The structure of its arguments.
    pub skeleton: Arc<S>,
    /// The leaves of its arguments.
    pub arguments: Leaves<V>,
    /// The containers that it is given.
    pub growing: Arc<Growing<V>>,
    /// Knowledge of the host about the call, besides its arguments.
    pub context: C,
    /// The arguments of the function that it is to be made one of the graph, once that is known to be necessary.
    pub(super) again: Option<Leaves<V>>,
    /// The function of the graph that it is being made.
    pub(super) callee: Option<Arc<Callee<V, S>>>,
    hands_back: Arc<AtomicBool>,
    is_called: Arc<AtomicBool>,
}

impl<V, S, C: Clone> Clone for FunctionCall<V, S, C> {
    fn clone(&self) -> Self {
        Self {
            function: self.function,
            skeleton: self.skeleton.clone(),
            arguments: self.arguments.clone(),
            growing: self.growing.clone(),
            context: self.context.clone(),
            again: self.again.clone(),
            callee: self.callee.clone(),
            hands_back: self.hands_back.clone(),
            is_called: self.is_called.clone(),
        }
    }
}

impl<V: Clone, S, C: Clone> FunctionCall<V, S, C> {
    /// A call with arguments of this structure, which have these leaves.
    pub fn new(
        function: FunctionKey,
        (skeleton, arguments): (S, Leaves<V>),
        growing: Growing<V>,
        context: C,
    ) -> Self {
        Self {
            function,
            skeleton: Arc::new(skeleton),
            arguments,
            growing: Arc::new(growing),
            context,
            again: None,
            callee: None,
            hands_back: Arc::default(),
            is_called: Arc::default(),
        }
    }

    /// The same call, while a function of the graph is made for it.
    pub(super) fn making(&self, callee: Callee<V, S>) -> Self {
        Self { callee: Some(Arc::new(callee)), again: None, is_called: Arc::default(), ..self.clone() }
    }

    /// The same call, with other arguments.
    pub(super) fn with(&self, arguments: Leaves<V>) -> Self {
        Self { arguments, again: None, ..self.clone() }
    }

    /// Says that the function may return an array that its caller knows already.
    pub fn set_hands_back(&self) {
        self.hands_back.store(true, Ordering::Relaxed);
    }

    /// True if it may.
    pub fn hands_back(&self) -> bool {
        self.hands_back.load(Ordering::Relaxed)
    }

    /// Says that the function was called while it was being made.
    pub(super) fn set_called(&self) {
        self.is_called.store(true, Ordering::Relaxed);
    }

    /// True if it was.
    pub(super) fn is_called(&self) -> bool {
        self.is_called.load(Ordering::Relaxed)
    }

    /// The objects among its arguments that are no values of the graph.
    pub fn objects(&self) -> Vec<V> {
        let object = |argument: &Argument<V>| match argument {
            Argument::Object(leaf) => Some(leaf.clone()),
            Argument::Value(_) | Argument::Number(..) => None,
        };
        self.arguments.iter().filter_map(object).collect()
    }
}

/// The containers among the arguments of a call that the function may change in place, and what else it is given. Calls that a
/// function makes of itself with one and the same list, which is longer each time, never come again: tracing would not end.
#[derive(Debug)]
pub struct Growing<V> {
    /// The positions of the containers and their identities: what keeps a container would count as a name of it.
    pub containers: Vec<(usize, usize)>,
    /// The other leaves.
    pub others: Vec<Argument<V>>,
}

impl<V> Default for Growing<V> {
    fn default() -> Self {
        Self { containers: Vec::new(), others: Vec::new() }
    }
}
