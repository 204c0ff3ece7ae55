//! Functions of the user's that Python itself calls while a graph is built (getters, operators, constructors) and that ask what
//! answers differently each time. Where one asks the graph is good for one call, in a branch or loop of the graph GW503.
//!
//! The text of such functions is followed before they run, so they are known; that one asks is seen by the profile function that
//! watches what Python runs as it is.

use std::collections::HashSet;

use gw_base::{Code, Diagnostic};
use gw_ir::Op;
use gw_lower::Step;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyFunction};

use crate::dependencies::Way;
use crate::dependencies::asking::{Asking, code_of, lock};
use crate::dependencies::guards::{Place, Was};
use crate::exceptions::errors;
use crate::function::held::Held;
use crate::host_calls::as_it_is;
use crate::host_calls::opaque::{is_file, is_random};
use crate::iteration::progress::is_iterator;
use crate::session::{Tracing, frames};

/// True for what answers differently each time, and for what gives such answers.
fn differs(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    if is_random(object)? || is_iterator(object) || is_file(object)? {
        return Ok(true);
    }
    if object.get_type().name()? == "method-wrapper" {
        return Ok(is_iterator(&object.getattr(intern!(py, "__self__"))?));
    }
    let may = object.is_instance_of::<PyCFunction>() || object.is_instance_of::<PyFunction>();
    if !may && object.get_type().name()? != "method" {
        return Ok(false);
    }
    py.import("graphwright._meanings.differing")?.call_method1("differs", (object,))?.extract()
}

impl Tracing {
    /// Follows the text of a function that Python runs as it is.
    pub(super) fn follow_natively<T>(
        &self,
        function: &Bound<'_, PyFunction>,
        follow: impl FnOnce() -> T,
    ) -> T {
        lock(&self.natively().followed).push(function.clone().unbind());
        let followed = follow();
        drop(lock(&self.natively().followed).pop());
        followed
    }

    /// The function whose text is being followed reads an object, and goes these steps from there.
    pub(super) fn reads_natively(&self, way: &Way<'_>, steps: &[Step]) -> PyResult<()> {
        let (py, object) = (way.object.py(), &way.object);
        if !way.native {
            return Ok(());
        }
        let followed: Vec<_> = lock(&self.natively().followed).iter().map(|one| one.clone_ref(py)).collect();
        let Some(function) = followed.last() else { return Ok(()) };
        if self.homes().is_traced() || !differs(object)? {
            return Ok(());
        }
        // A graph takes no items of an iterator from outside, so what asks one stays Python's.
        for function in followed.iter().filter(|_| !is_iterator(object)) {
            lock(&self.natively().leading).insert(code_of(function.bind(py))?.as_ptr() as usize);
        }
        let is_called = steps.first() == Some(&Step::Result);
        let (code, function) = (code_of(function.bind(py))?.unbind(), function.clone_ref(py));
        let address = code.as_ptr() as usize;
        self.natively().look_inside(code.bind(py), address)?;
        let (asks, calls) = (way.path.clone(), HashSet::new());
        let new = Asking { function, _code: code, asks, always: false, calls, has_asked: false };
        lock(&self.natively().known).entry(address).or_insert(new).learn(object, is_called)?;
        as_it_is::watch(py)?;
        if as_it_is::is_watching(py)? {
            return Ok(());
        }
        // Another profile function is set, so nobody sees it ask.
        self.asks(py, address)
    }

    /// True of a function that asks what answers differently each time, or calls one that does.
    pub fn asks_what_differs(&self, function: &Bound<'_, PyAny>) -> PyResult<bool> {
        let leading = lock(&self.natively().leading);
        Ok(!leading.is_empty() && leading.contains(&(code_of(function)?.as_ptr() as usize)))
    }

    /// A frame begins, or calls this function of Python's own.
    pub fn sees_call(&self, frame: &Bound<'_, PyAny>, called: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let py = frame.py();
        if !self.natively().is_used() {
            return Ok(());
        }
        let code = |frame: &Bound<'_, PyAny>| {
            let code = frame.getattr(intern!(py, "f_code"))?.as_ptr() as usize;
            Ok::<_, PyErr>(lock(&self.natively().inside).get(&code).copied().unwrap_or(code))
        };
        let own = code(frame)?;
        if let Some(called) = called {
            if lock(&self.natively().known).contains_key(&own) && differs(called)? {
                self.asks(py, own)?;
            }
            return Ok(());
        }
        if lock(&self.natively().known).get(&own).is_some_and(|asking| asking.always) {
            self.asks(py, own)?;
        }
        let back = frame.getattr(intern!(py, "f_back"))?;
        if !back.is_none() {
            let back = code(&back)?;
            if lock(&self.natively().known).get(&back).is_some_and(|asking| asking.calls.contains(&own)) {
                self.asks(py, back)?;
            }
        }
        Ok(())
    }

    /// A function that Python runs as it is is about to ask: an error keeps it from that.
    fn asks(&self, py: Python<'_>, code: usize) -> PyResult<()> {
        let mut known = lock(&self.natively().known);
        let Some(asking) = known.get_mut(&code) else { return Ok(()) };
        if let Some(late) = self.comes_late() {
            let found = refusal(py, asking, late);
            self.stop(found.clone());
            return Err(errors::raise(&found));
        }
        if !std::mem::replace(&mut asking.has_asked, true) {
            let place = Place::Made(Held::of(asking.function.bind(py).as_any()), "__code__");
            self.recorder().add(place, Was::Differing, asking.asks.clone());
        }
        Ok(())
    }

    /// Phase of the program, if a question asked now would be asked at another time than in Python.
    fn comes_late(&self) -> Option<&'static str> {
        let calls_host = || self.trace.build(|b| b.graph().nodes.iter().any(|(_, node)| node.op == Op::Host));
        if self.host_side().observed().is_some() {
            return Some("while the graph is built, which later calls would not do");
        }
        if self.trace.in_region() {
            return Some(
                "in a branch or loop of the graph: it would be asked once, while the graph is built",
            );
        }
        if calls_host() {
            return Some("behind a call of the host that the graph makes: it would be asked before that");
        }
        self.tries()
            .may_raise(self)
            .then_some("behind what may raise in the graph: it would be asked before that")
    }

    /// A function whose results `functools.cache` keeps is about to be called.
    pub fn asks_cache(&self, function: &Bound<'_, PyAny>) -> PyResult<()> {
        let computed = misses(function)?;
        lock(&self.natively().cached).push((function.clone().unbind(), computed));
        Ok(())
    }

    /// The number of such calls so far.
    pub fn cache_calls(&self) -> usize {
        lock(&self.natively().cached).len()
    }

    /// Clears the caches that computed results since: what the function did since is taken back, and computing them is part of that.
    pub fn empty_caches(&self, since: usize, py: Python<'_>) -> PyResult<()> {
        let called = lock(&self.natively().cached).split_off(since);
        for (function, before) in called {
            if misses(function.bind(py))? > before {
                function.call_method0(py, "cache_clear")?;
            }
        }
        Ok(())
    }

    /// The tracing ends.
    pub fn forget_asking(&self) {
        let known = std::mem::take(&mut *lock(&self.natively().known));
        drop(known);
        lock(&self.natively().leading).clear();
        lock(&self.natively().inside).clear();
        let cached = std::mem::take(&mut *lock(&self.natively().cached));
        drop(cached);
    }
}

fn misses(function: &Bound<'_, PyAny>) -> PyResult<usize> {
    function.call_method0("cache_info")?.getattr("misses")?.extract()
}

fn refusal(py: Python<'_>, asking: &Asking, late: &str) -> Diagnostic {
    let name = asking.function.bind(py).getattr(intern!(py, "__qualname__"));
    let name = name.map_or_else(|_| "a function".to_owned(), |name| format!("`{name}`"));
    let message = format!("{name}, which Python itself calls, asks `{}` {late}", asking.asks);
    let help = "ask in front of that, call a plain function in its place, or do it in a function that `gw.host` marks";
    let found = Diagnostic::new(Code::FrozenCall, message).help(help);
    frames::place(py).into_iter().fold(found, |found, at| found.at(at, ""))
}
