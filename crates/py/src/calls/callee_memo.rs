//! Functions of the graph that were made because they call themselves, for the calls that come after that.
//!
//! A function is made in rounds, and so is each function that is made inside it, in each of those rounds. What one of
//! them was found to be is kept: it is called as long as tracing would make the same of it, and where it is to be made
//! anew, since a function around it is in its next round, it begins with what it was. So each is traced about as often as
//! there are rounds, and not as often as there are ways to come to it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_trace::{Callee, Host};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;

use crate::calls::call_node::called;
use crate::calls::outlining::Made;
use crate::calls::recursion::{Call, Leaves, MOST_ROUNDS, RecursionProbe};
use crate::exceptions::errors::{Failed, InternalError};
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;

type Value = Arc<Py<PyAny>>;
type Function = Callee<Value, Skeleton>;

/// What the functions of one tracing were found to be.
#[derive(Debug, Default)]
pub struct Settled(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    records: Vec<Record>,
    /// The number of those ever made.
    count: usize,
}

/// A function that was made.
#[derive(Debug, Clone)]
pub struct Record {
    /// What it was to take when it was called.
    asked: Leaves,
    /// What it takes.
    call: Call,
    /// Holds the function, so that its address stays its own.
    _own: Arc<Py<PyAny>>,
    made: Arc<Made>,
    /// The number of records before it.
    at: usize,
    /// True if no function around it is in another round by now.
    fresh: bool,
}

impl Settled {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets all that is known go.
    pub fn forget(&self) {
        let known = std::mem::take(&mut *self.lock());
        drop(known);
    }

    /// The function for just such arguments.
    pub fn find(&self, host: &PyHost<'_>, call: &Call) -> Option<Record> {
        let records = self.lock().records.clone();
        records.into_iter().rev().find(|known| {
            let asked = Call { arguments: known.asked.clone(), ..known.call.clone() };
            asked.is_for_the_same(host, call) || known.call.is_for_the_same(host, call)
        })
    }

    /// The number of all records.
    pub fn now(&self) -> usize {
        self.lock().count
    }

    /// A function around those that were made since then is in its next round.
    pub fn renew(&self, since: usize) {
        for record in self.lock().records.iter_mut().filter(|record| record.at >= since) {
            record.fresh = false;
        }
    }

    fn keep(&self, host: &PyHost<'_>, mut record: Record) {
        let records = self.lock().records.clone();
        let same = |known: &Record| {
            let asked = Call { arguments: known.asked.clone(), ..known.call.clone() };
            let call = Call { arguments: record.asked.clone(), ..record.call.clone() };
            asked.is_for_the_same(host, &call)
        };
        let before = records.iter().position(same);
        let mut known = self.lock();
        record.at = known.count;
        known.count += 1;
        if let Some(before) = before {
            known.records.remove(before);
        }
        known.records.push(record);
    }
}

impl Call {
    /// True if both are calls of one function with arguments of the same kinds.
    fn is_for_the_same(&self, host: &PyHost<'_>, other: &Self) -> bool {
        self.covers(host, other) && other.covers(host, self)
    }
}

impl RecursionProbe {
    /// Calls a function that was made before, or makes it anew with what was known of it then.
    pub fn again<'py>(
        &self,
        host: &PyHost<'py>,
        call: &Call,
        known: Record,
        leaves: &[Value],
    ) -> PyResult<Bound<'py, PyAny>> {
        let Record { call: kind, made, fresh, .. } = known;
        let same = self.reaches_the_same(host, &kind, &made)?;
        if same && fresh && made.is_readable(host) && made.is_for_all_calls(host) {
            return called(host, &kind, &made.callee, leaves);
        }
        let start = same.then(|| made.callee.anew(host));
        self.make(host, &call.arguments, kind, start, leaves)
    }

    /// Makes the function one of the graph for a call, which `asked` for some arguments at first, and calls it; `start` is
    /// what is known of it.
    pub fn make<'py>(
        &self,
        host: &PyHost<'py>,
        asked: &Leaves,
        mut call: Call,
        start: Option<Function>,
        leaves: &[Value],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, tracing) = (host.py(), host.tracing());
        let name: String = self.own.bind(py).getattr("__name__")?.extract()?;
        let before = tracing.calls().before();
        let mut callee = match start {
            Some(start) => start,
            None => Callee::new(host, &name, &call.arguments)?,
        };
        for _ in 0..MOST_ROUNDS {
            let open = call.of(callee.clone());
            tracing.regions().enter_call(tracing, true);
            let hands_back = call.hands_back.load(Ordering::Relaxed);
            let round = || callee.round(host, &|given| self.traced(host, &open, given));
            let (next, again) = tracing.calls().within(open.clone(), round);
            tracing.regions().leave_call(true);
            if let Some(arguments) = again {
                tracing.calls().next_round(&before);
                call.arguments = arguments;
                callee = Callee::new(host, &name, &call.arguments)?;
                continue;
            }
            let next = match next {
                Err(error) if host.is_unknown(&error) => {
                    if !tracing.calls().waits() {
                        return Err(without_end(&name));
                    }
                    self.keep(host, asked, &call, callee)?;
                    return Err(error.into());
                }
                next => next?,
            };
            if next.is_settled(&callee, host) && hands_back == call.hands_back.load(Ordering::Relaxed) {
                self.keep(host, asked, &call, callee.clone())?;
                return called(host, &call, &callee, leaves);
            }
            tracing.calls().next_round(&before);
            callee = next;
        }
        Err(InternalError::new_err("what a function returns does not settle"))
    }

    fn keep(&self, host: &PyHost<'_>, asked: &Leaves, call: &Call, callee: Function) -> Result<(), Failed> {
        let made = Arc::new(self.made(host, call, callee)?);
        let own = Arc::new(self.own.clone_ref(host.py()));
        let (asked, call) = (asked.clone(), call.clone());
        let record = Record { asked, call, _own: own, made, at: 0, fresh: true };
        host.tracing().calls().settled.keep(host, record);
        Ok(())
    }
}

/// A function none of whose paths returns without calling it again.
fn without_end(name: &str) -> PyErr {
    PyRecursionError::new_err(format!(
        "maximum recursion depth exceeded: `{name}` calls itself on every path"
    ))
}
