//! A large function that is called again and again beside itself: it becomes a function of the graph, which the further
//! calls with arguments of the same kinds call.
//!
//! A function that added at least [`LARGE`] operations to the graph is watched when it is called again; if it changed
//! nothing in place, the next call with such arguments is traced as a function of the graph. That is called as long as
//! nothing has changed that the function can reach. Whatever does not fit is traced where it is called, as ever: what may
//! fail, because its traceback is that of one call, and what returns objects or its own arguments. A function that was
//! traced [`MOST_INLINED`] times inside itself is kept though it is small, and though it may fail where nothing sees from
//! where it was called.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_ir::{Graph, NodeId, Op};
use gw_trace::{Argument, Callee, Host, failures_of, fails_by_itself};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::calls::call_node::called;
use crate::calls::recursion::{Call, MOST_ROUNDS, RecursionProbe};
use crate::effects::watch::Watch;
use crate::effects::watched_container::same;
use crate::exceptions::errors::Failed;
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;

/// The number of operations that make a function large.
const LARGE: usize = 100;

/// So many kinds of arguments are told apart; a function with more is traced where it is called.
const MOST_KINDS: usize = 64;

/// So many operations are made of a function inside itself for arguments of the same kinds, before it is kept however small
/// it is and although it may fail: one that calls itself twice for each number of Python's, in loops that are traced more
/// than once, would be traced as often as there are ways to come to the smallest number.
const MOST_INLINED: usize = 2000;

/// The functions that a tracing calls again and again.
#[derive(Debug, Default)]
pub struct Shared(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// How large functions are, by their addresses.
    sizes: HashMap<usize, usize>,
    /// The number of operations made of functions where they were called, inside themselves, by their addresses.
    inlined: HashMap<usize, Vec<Inlined>>,
    records: Vec<Record>,
}

/// What was called inside itself, and how many operations were made of it.
type Inlined = (Arc<Call>, usize);

/// What is known of functions at one time.
#[derive(Clone)]
pub struct Records(Vec<Record>);

/// A function with arguments of some kinds.
#[derive(Debug, Clone)]
struct Record {
    call: Call,
    /// Holds the function, so that its address stays its own.
    _own: Arc<Py<PyAny>>,
    kept: Kept,
}

/// What is known of it.
#[derive(Debug, Clone)]
enum Kept {
    /// It changes nothing in place.
    Quiet,
    /// It is traced where it is called.
    Never,
    /// The same, because it may fail.
    Fails,
    /// It is a function of the graph.
    Function(Arc<Made>),
}

/// A function of the graph.
type Function = Callee<Arc<Py<PyAny>>, Skeleton>;

/// A function of the graph that was made.
#[derive(Debug)]
pub struct Made {
    /// What it takes and gives.
    pub callee: Function,
    /// What the function could reach then.
    held: Vec<Vec<Py<PyAny>>>,
    /// The number of stores into tensors by then.
    stores: usize,
    /// True if it may fail.
    fails: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all that is known go.
    pub fn forget(&self) {
        let known = std::mem::take(&mut *self.lock());
        drop(known);
    }

    /// True if the function at this address was called before.
    pub fn is_called_again(&self, key: usize) -> bool {
        let mut called = true;
        self.lock().sizes.entry(key).or_insert_with(|| {
            called = false;
            0
        });
        called
    }

    /// True if it was found to be large.
    pub fn is_large(&self, key: usize) -> bool {
        self.lock().sizes.get(&key).is_some_and(|size| *size >= LARGE)
    }

    /// Traces a call inside another one of the same function, and counts what is made of it, also what is taken back.
    pub fn inlined<T>(&self, host: &PyHost<'_>, call: &Call, trace: impl FnOnce() -> T) -> T {
        let nodes = || host.trace().build(|b| b.graph().nodes.len());
        let before = nodes();
        let result = trace();
        let (at, made) = (self.made_of(host, call).map(|(at, _)| at), nodes() - before);
        let mut known = self.lock();
        let inlined = known.inlined.entry(call.function).or_default();
        match at.and_then(|at| inlined.get_mut(at)) {
            Some((_, count)) => *count += made,
            None => inlined.push((Arc::new(call.clone()), made)),
        }
        drop(known);
        result
    }

    /// True if that is too much.
    pub fn is_inlined_often(&self, host: &PyHost<'_>, call: &Call) -> bool {
        self.made_of(host, call).is_some_and(|(_, count)| count >= MOST_INLINED)
    }

    /// The number of operations made of it, and where that is known.
    fn made_of(&self, host: &PyHost<'_>, call: &Call) -> Option<(usize, usize)> {
        let known = self.lock().inlined.get(&call.function).cloned().unwrap_or_default();
        let at = known.iter().position(|(known, _)| known.covers(host, call))?;
        Some((at, known[at].1))
    }

    /// Traces a call where it stands, and measures what it adds to the graph.
    pub fn measured<T>(
        &self,
        host: &PyHost<'_>,
        key: usize,
        call: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        let mark = host.trace().build(|b| b.mark());
        let result = call()?;
        let added = host.trace().build(|b| {
            let graph = b.graph();
            graph.regions[b.region()].nodes.get(mark..).map_or(0, |nodes| count(graph, nodes))
        });
        let mut known = self.lock();
        let size = known.sizes.entry(key).or_default();
        *size = (*size).max(added);
        Ok(result)
    }

    /// What is known now.
    pub fn known(&self) -> Records {
        Records(self.lock().records.clone())
    }

    /// Forgets what became known since then: what was made while a function around it was not settled may call that as
    /// it no longer is.
    pub fn forget_since(&self, known: Records) {
        self.lock().records = known.0;
    }

    /// What is known of the function for such arguments, and the call that it is known for, which may take more kinds.
    fn find(&self, host: &PyHost<'_>, call: &Call) -> Option<(Call, Kept)> {
        let records = self.lock().records.clone();
        let found = records.into_iter().find(|record| record.call.covers(host, call))?;
        Some((found.call, found.kept))
    }

    fn keep(&self, host: &PyHost<'_>, call: &Call, own: &Py<PyAny>, kept: Kept) {
        let records = self.lock().records.clone();
        let at = records.iter().position(|record| record.call.covers(host, call));
        let of_function = records.iter().filter(|record| record.call.function == call.function).count();
        let mut known = self.lock();
        match at {
            Some(at) => known.records[at].kept = kept,
            None if of_function < MOST_KINDS => {
                let own = Arc::new(own.clone_ref(host.py()));
                known.records.push(Record { call: call.clone(), _own: own, kept });
            }
            None => {}
        }
    }
}

/// The number of operations, with those inside them; constants are none.
fn count(graph: &Graph, nodes: &[NodeId]) -> usize {
    let inside = |&id: &NodeId| -> usize {
        let node = &graph.nodes[id];
        let regions = node.regions.iter().map(|&region| count(graph, &graph.regions[region].nodes));
        usize::from(node.op != Op::Const) + regions.sum::<usize>()
    };
    nodes.iter().map(inside).sum()
}

impl Call {
    /// The objects among its arguments that are no values of the graph.
    fn objects<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let object = |argument: &Argument<Arc<Py<PyAny>>>| match argument {
            Argument::Object(leaf) => Some(leaf.bind(py).clone()),
            Argument::Value(_) | Argument::Number(..) => None,
        };
        self.arguments.iter().filter_map(object).collect()
    }

    /// The same call, while a function of the graph is made for it.
    pub fn of(&self, callee: Function) -> Self {
        Self { callee: Some(Arc::new(callee)), again: None, is_called: Arc::default(), ..self.clone() }
    }
}

impl RecursionProbe {
    /// Traces a call where it stands, and looks whether it changes anything in place.
    pub fn watched<'py>(
        &self,
        host: &PyHost<'py>,
        call: &Call,
        args: &Bound<'py, PyTuple>,
        inline: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shared = &host.tracing().calls().shared;
        if shared.find(host, call).is_some() {
            return inline();
        }
        let watch = self.reached(host, args.iter().collect())?;
        let result = inline()?;
        let kept = if watch.changed(&|| Ok(()))?.is_none() { Kept::Quiet } else { Kept::Never };
        shared.keep(host, call, &self.own, kept);
        Ok(result)
    }

    fn reached<'py>(&self, host: &PyHost<'py>, args: Vec<Bound<'py, PyAny>>) -> PyResult<Watch<'py>> {
        let named = args.into_iter().map(|arg| (arg, "an argument".to_owned())).collect();
        Watch::reached(host.py(), &[self.function.bind(host.py())], named)
    }

    /// Calls the function of the graph that this one is for such arguments, or makes it one; none if it is traced where
    /// it is called.
    pub fn shared<'py>(
        &self,
        host: &PyHost<'py>,
        call: &Call,
        leaves: &[Arc<Py<PyAny>>],
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let shared = &host.tracing().calls().shared;
        let Some((call, kept)) = shared.find(host, call) else { return Ok(None) };
        let may_fail =
            shared.is_inlined_often(host, &call) && !host.tracing().tries().sees_calls(host.tracing());
        let made = match kept {
            Kept::Never => return Ok(None),
            Kept::Fails if !may_fail => return Ok(None),
            Kept::Function(made)
                if made.is_readable(host) && self.reaches_the_same(host, &call, &made)? =>
            {
                made
            }
            Kept::Quiet | Kept::Fails | Kept::Function(_) => match self.make_shared(host, &call, may_fail)? {
                Ok(made) => made,
                Err(kept) => {
                    shared.keep(host, &call, &self.own, kept);
                    return Ok(None);
                }
            },
        };
        if made.fails
            && !(may_fail
                && host.tracing().tries().lets_pass(host.py(), host.tracing(), made.callee.function()))
        {
            return Ok(None);
        }
        let result = called(host, &call, &made.callee, leaves)?;
        shared.keep(host, &call, &self.own, Kept::Function(made));
        Ok(Some(result))
    }

    /// True if nothing has changed that the function can reach.
    pub fn reaches_the_same(&self, host: &PyHost<'_>, call: &Call, made: &Made) -> PyResult<bool> {
        let now = self.reached(host, call.objects(host.py()))?.enter();
        let is_same = |(was, now): (&Vec<Py<PyAny>>, &Vec<Bound<'_, PyAny>>)| {
            let was: Vec<_> = was.iter().map(|object| object.bind(host.py()).clone()).collect();
            same(&was, now)
        };
        Ok(made.held.len() == now.len() && made.held.iter().zip(now.iter()).all(is_same))
    }

    /// The function with what it can reach now.
    pub fn made(&self, host: &PyHost<'_>, call: &Call, callee: Function) -> PyResult<Made> {
        let held = self.reached(host, call.objects(host.py()))?.enter();
        let held = held.iter().map(|held| held.iter().map(|object| object.clone().unbind()).collect());
        let fails = host.trace().build(|b| !failures_of(b.graph(), callee.function()).is_empty());
        Ok(Made { callee, held: held.collect(), stores: host.tracing().regions().stores(), fails })
    }

    /// Traces the function until nothing about it changes: what it is where it calls itself is not known before. Where it does
    /// not, once is enough. None if it is to be another one.
    fn settled(&self, host: &PyHost<'_>, call: &Call, name: &str) -> Result<Option<Function>, Failed> {
        let calls = &host.tracing().calls();
        let (mut callee, before) = (Callee::new(host, name, &call.arguments)?, calls.before());
        for _ in 0..MOST_ROUNDS {
            let open = call.of(callee.clone());
            let round = || callee.round(host, &|given| self.traced(host, &open, given));
            let (next, asked) = calls.within(open.clone(), round);
            let (asked, is_called) = (asked.is_some(), open.is_called.load(Ordering::Relaxed));
            if let Ok(next) = &next
                && !asked
                && (next.is_settled(&callee, host) || !is_called && next.takes_the_same(&callee))
            {
                return Ok(Some(next.clone()));
            }
            calls.next_round(&before);
            if asked {
                return Ok(None);
            }
            callee = next?;
        }
        Ok(None)
    }

    /// Traces the function as one of the graph, or gives what is known of it if it is not to be one; only if it `may_fail`
    /// may it be one that fails.
    fn make_shared(
        &self,
        host: &PyHost<'_>,
        call: &Call,
        may_fail: bool,
    ) -> PyResult<Result<Arc<Made>, Kept>> {
        let (py, tracing) = (host.py(), host.tracing());
        let name: String = self.own.bind(py).getattr("__name__")?.extract()?;
        let (stopped, own, before) = (tracing.stopped(), host.own_state()?, tracing.calls().before());
        let (mark, nodes) = tracing.trace.build(|b| (b.mark(), b.graph().nodes.len()));
        let is_stopped = stopped.is_some();
        tracing.regions().enter_call(tracing, true);
        let next = self.settled(host, call, &name);
        tracing.regions().leave_call(true);
        let fails = !may_fail
            && tracing.trace.build(|b| {
                let graph = b.graph();
                graph.nodes.ids().skip(nodes).any(|id| fails_by_itself(graph, id))
            });
        let hands_back = call.hands_back.load(Ordering::Relaxed);
        let goes_on = is_stopped || tracing.stopped().is_none();
        match next {
            Ok(Some(callee)) if !fails && goes_on && !hands_back && returns_values(host, &callee) => {
                Ok(Ok(Arc::new(self.made(host, call, callee)?)))
            }
            Ok(_) | Err(_) => {
                tracing.trace.rewind(mark);
                tracing.calls().next_round(&before);
                host.set_own_state(&own)?;
                tracing.go_on(stopped);
                Ok(Err(if fails { Kept::Fails } else { Kept::Never }))
            }
        }
    }
}

impl Made {
    /// True if what it reads from around can be read here, and is what it was.
    pub fn is_readable(&self, host: &PyHost<'_>) -> bool {
        let reads = self.callee.reads();
        reads.iter().all(|&value| host.trace().lift(value).is_some())
            && (reads.is_empty() || self.stores == host.tracing().regions().stores())
    }

    /// True if all calls can be of this one: none has to have new objects.
    pub fn is_for_all_calls(&self, host: &PyHost<'_>) -> bool {
        returns_values(host, &self.callee)
    }
}

/// True if a function returns values of the graph, numbers and texts alone: other objects are new with each call.
fn returns_values(host: &PyHost<'_>, callee: &Function) -> bool {
    callee.kept().all(|leaf| {
        let object = leaf.bind(host.py());
        let is_number = crate::values::array::number(object).is_ok_and(|number| number.is_some());
        object.is_none() || is_number || object.is_exact_instance_of::<PyString>()
    })
}
