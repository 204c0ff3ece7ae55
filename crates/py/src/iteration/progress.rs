//! Objects of Python's that go on by themselves while a graph is built: iterators and generators of random numbers.
//!
//! Python code runs once while the graph is built. So one of them may be asked only in the region that made it: in an inner
//! region the graph decides how often that happens, and one from outside of the function goes on with each call of the graph.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use gw_ir::RegionId;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyIterator, PyList, PyTuple};

use crate::containers::lists::elements;
use crate::exceptions::errors;
use crate::host_calls::opaque::{is_opaque, is_random};
use crate::iteration::endless;
use crate::iteration::iterable::Iterable;
use crate::session::{self, Feature, FeatureSlot, Tracing, stand_ins};

/// The place where an object was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    /// A region of the graph that is built.
    Region(RegionId),
    /// Around the function.
    Outside,
    /// Nowhere: the graph decides how many of its items are taken.
    Left,
}

/// The homes of the objects that go on by themselves, by their addresses. An address that is taken again gets a new entry.
#[derive(Debug, Default)]
pub struct Homes {
    homes: Mutex<HashMap<usize, Home>>,
    /// The iterators that are left, so that their addresses stay theirs.
    left: Mutex<Vec<Py<PyAny>>>,
    /// True if all of them go on while the graph is built, and not when it runs.
    traced: AtomicBool,
}

impl Feature for Homes {
    fn slot() -> FeatureSlot {
        FeatureSlot::Homes
    }
}

impl Tracing {
    /// The places where iterators were made.
    pub fn homes(&self) -> &Homes {
        self.feature()
    }
}

/// The way in which an object can be asked here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The region that is open now made it.
    Own,
    /// It was made around the function.
    Outside,
    /// A region around the open one made it, or nobody knows where it comes from.
    Around,
    /// The graph decides how many of its items are taken.
    Left,
}

impl Homes {
    /// Lets what goes on by itself do so while the graph is built, as TensorFlow does.
    pub fn run_while_tracing(&self) {
        self.traced.store(true, Ordering::Relaxed);
    }

    pub fn is_traced(&self) -> bool {
        self.traced.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Home>> {
        self.homes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the graph decides how many items are taken of an iterator, and of those that it runs over.
    pub fn leave(&self, iterator: &Bound<'_, PyAny>) -> PyResult<()> {
        self.leave_all(run_over(iterator)?);
        Ok(())
    }

    /// The same of the iterators alone that the function made itself for another one to run over.
    fn leave_inner(&self, iterator: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut inner = run_over(iterator)?;
        inner.retain(|one| !one.is(iterator) && self.lock().contains_key(&(one.as_ptr() as usize)));
        self.leave_all(inner);
        Ok(())
    }

    fn leave_all(&self, iterators: Vec<Bound<'_, PyAny>>) {
        for one in iterators {
            self.lock().insert(one.as_ptr() as usize, Home::Left);
            self.left.lock().unwrap_or_else(PoisonError::into_inner).push(one.unbind());
        }
    }

    /// Says that these objects were there before the function ran; one that a function around it made goes on there alone.
    pub fn outside<'py>(&self, objects: impl IntoIterator<Item = Bound<'py, PyAny>>) -> PyResult<()> {
        let around = session::around();
        for object in objects {
            let address = object.as_ptr() as usize;
            if !is_iterator(&object) && !is_random(&object)? && !is_opaque(&object)? {
                continue;
            }
            let known = around.as_ref().and_then(|around| around.homes().lock().get(&address).copied());
            self.lock().insert(address, known.unwrap_or(Home::Outside));
        }
        Ok(())
    }

    /// Says that the open region made an object of others: it goes on only where all of them do.
    pub(crate) fn made(&self, tracing: &Tracing, object: &Bound<'_, PyAny>, of: &[Bound<'_, PyAny>]) {
        let here = Home::Region(tracing.trace.build(|b| b.region()));
        let mut all = self.lock();
        let mut homes = of.iter().map(|part| all.get(&(part.as_ptr() as usize)).copied());
        let foreign = homes.rfind(|home| *home != Some(here));
        match foreign.unwrap_or(Some(here)) {
            Some(home) => drop(all.insert(object.as_ptr() as usize, home)),
            None => drop(all.remove(&(object.as_ptr() as usize))),
        }
    }

    fn standing(&self, tracing: &Tracing, object: &Bound<'_, PyAny>) -> Standing {
        if self.is_traced() {
            return Standing::Own;
        }
        let here = tracing.trace.build(|b| b.region());
        match self.lock().get(&(object.as_ptr() as usize)) {
            Some(Home::Region(home)) if *home == here => Standing::Own,
            Some(Home::Outside) => Standing::Outside,
            Some(Home::Left) => Standing::Left,
            None if !tracing.trace.in_region() => Standing::Own,
            Some(Home::Region(_)) | None => Standing::Around,
        }
    }
}

/// True of an iterator whose steps no code of the user's shows. The graph has its own for its values.
pub fn is_iterator(object: &Bound<'_, PyAny>) -> bool {
    if stand_ins::is_one(object) || object.is_instance_of::<Iterable>() {
        return false;
    }
    if object.cast::<PyIterator>().is_err() {
        return false;
    }
    let class = object.get_type();
    let step = class.getattr_opt(intern!(object.py(), "__next__")).ok().flatten();
    step.is_some_and(|step| !step.is_instance_of::<PyFunction>())
}

/// Says that the open region made what the constructor of an object put into it.
pub fn made_inside(tracing: &Tracing, made: &Bound<'_, PyAny>) -> PyResult<()> {
    let fields = made.getattr_opt(intern!(made.py(), "__dict__"))?;
    let fields = fields.and_then(|fields| fields.cast_into_exact::<PyDict>().ok());
    for part in fields.iter().flat_map(|fields| fields.values()) {
        let is_known = tracing.homes().lock().contains_key(&(part.as_ptr() as usize));
        if !is_known && is_opaque(&part)? {
            tracing.homes().made(tracing, &part, &[]);
        }
    }
    Ok(())
}

/// Says that an iterator was made by the region that is open now.
pub fn made<'py>(iterator: Bound<'py, PyAny>, of: &[Bound<'py, PyAny>]) -> Bound<'py, PyAny> {
    if let Some(tracing) = session::current().filter(|_| is_iterator(&iterator)) {
        let parts: Vec<_> = of.iter().filter(|part| is_iterator(part)).cloned().collect();
        tracing.homes().made(&tracing, &iterator, &parts);
    }
    iterator
}

/// Refuses to ask an iterator for items where that would happen once, while the graph is built.
pub fn advances(iterator: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current().filter(|_| is_iterator(iterator)) else { return Ok(()) };
    check_source(&tracing, iterator)?;
    match tracing.homes().standing(&tracing, iterator) {
        Standing::Own => Ok(()),
        standing @ (Standing::Outside | Standing::Around | Standing::Left) => Err(frozen(iterator, standing)),
    }
}

/// Refuses code that may ask an iterator, or those that it runs over, for items where that would happen once.
pub fn may_advance(object: &Bound<'_, PyAny>) -> PyResult<()> {
    match is_iterator(object) {
        true => run_over(object)?.iter().try_for_each(advances),
        false => Ok(()),
    }
}

/// Says that the graph decides how many items are taken of an object, if it is an iterator.
pub fn leave(object: &Bound<'_, PyAny>) -> PyResult<()> {
    match session::current().filter(|_| is_iterator(object)) {
        Some(tracing) => tracing.homes().leave(object),
        None => Ok(()),
    }
}

/// Says that the graph decides how many items are taken of the iterators that one which nobody else holds runs over.
pub fn leave_inner(iterator: &Bound<'_, PyAny>) -> PyResult<()> {
    match session::current().filter(|_| is_iterator(iterator)) {
        Some(tracing) => tracing.homes().leave_inner(iterator),
        None => Ok(()),
    }
}

/// An iterator of Python's, and those that it runs over.
fn run_over<'py>(iterator: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut found: Vec<Bound<'py, PyAny>> = Vec::new();
    let mut waiting = vec![iterator.clone()];
    while let Some(object) = waiting.pop() {
        let is_known = found.iter().any(|known| known.is(&object));
        if is_known || !is_iterator(&object) && !endless::holds_iterators(&object) {
            continue;
        }
        let parts = iterator.py().import("gc")?.call_method1("get_referents", (&object,))?;
        waiting.extend(parts.try_iter()?.collect::<PyResult<Vec<_>>>()?);
        found.push(object);
    }
    Ok(found.into_iter().filter(is_iterator).collect())
}

/// Refuses to ask an iterator of Python's for its next item where that is one of a list whose elements the graph holds by now.
pub fn check_asked(iterator: &Bound<'_, PyAny>) -> PyResult<()> {
    match session::current() {
        Some(tracing) => check_source(&tracing, iterator),
        None => Ok(()),
    }
}

/// Refuses an iterator of Python's over a list whose elements the graph holds by now: it would find one object for all.
pub fn check_source(tracing: &Tracing, iterator: &Bound<'_, PyAny>) -> PyResult<()> {
    if !tracing.lists().is_used() {
        return Ok(());
    }
    for source in iterator.py().import("gc")?.call_method1("get_referents", (iterator,))?.try_iter()? {
        let source = source?;
        // A tuple holds the iterators that one runs over, or the items that it gave last.
        let is_run_over = !iterator.is_exact_instance_of::<PyTuple>();
        if is_run_over && source.cast_exact::<PyList>().is_ok_and(elements::has_rows) {
            return Err(elements::unknown(source.py()));
        }
        if is_iterator(&source) || source.is_exact_instance_of::<PyTuple>() {
            check_source(tracing, &source)?;
        }
    }
    Ok(())
}

/// The time at which `next` may ask an iterator: "now", or "later" where each call of the graph takes items from one that is outside.
#[pyfunction]
fn asked_for_next(iterator: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let Some(tracing) = session::current().filter(|_| is_iterator(iterator)) else { return Ok("now") };
    check_source(&tracing, iterator)?;
    match tracing.homes().standing(&tracing, iterator) {
        Standing::Own => Ok("now"),
        Standing::Outside => Ok("later"),
        standing @ (Standing::Around | Standing::Left) => Err(frozen(iterator, standing)),
    }
}

/// The time at which a method of an object that changes by itself is called: "later" where each call of the graph does so, and
/// nothing where it would happen once, while the graph is built.
#[pyfunction]
fn asked_for_change(object: &Bound<'_, PyAny>) -> Option<&'static str> {
    let Some(tracing) = session::current().filter(|tracing| !tracing.homes().is_traced()) else {
        return Some("now");
    };
    match tracing.homes().lock().get(&(object.as_ptr() as usize)) {
        Some(Home::Region(home)) if *home == tracing.trace.build(|b| b.region()) => Some("now"),
        Some(Home::Region(_) | Home::Left) => None,
        Some(Home::Outside) | None => Some("later"),
    }
}

/// True if what answers differently each time is asked while the graph is built.
#[pyfunction]
pub fn runs_while_tracing() -> bool {
    session::current().is_none_or(|tracing| tracing.homes().is_traced())
}

/// True in a branch or loop of the graph.
#[pyfunction]
fn is_in_region() -> bool {
    session::current().is_some_and(|tracing| tracing.trace.in_region())
}

/// The time at which a generator of random numbers is asked.
#[pyfunction]
fn asked_for_random(source: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let Some(tracing) = session::current().filter(|tracing| !tracing.homes().is_traced()) else {
        return Ok("now");
    };
    match tracing.homes().lock().get(&(source.as_ptr() as usize)) {
        Some(Home::Region(home)) if *home == tracing.trace.build(|b| b.region()) => Ok("now"),
        Some(Home::Region(_)) => {
            let class = source.get_type().name()?;
            let message = format!(
                "this asks a `{class}` that was made in front of a branch or loop of the graph, which would happen once, \
                 while the graph is built"
            );
            let help = "make it outside the function, where each call asks it, or use `gw.random`";
            Err(errors::here(source.py(), Code::FrozenCall, message, help))
        }
        Some(Home::Outside | Home::Left) | None => Ok("later"),
    }
}

fn frozen(iterator: &Bound<'_, PyAny>, standing: Standing) -> PyErr {
    let class = iterator.get_type().name().map_or_else(|_| "iterator".to_owned(), |name| name.to_string());
    refused(iterator.py(), &class, standing)
}

/// The same of a generator whose function is converted.
pub fn frozen_generator(py: Python<'_>) -> PyErr {
    refused(py, "generator", Standing::Around)
}

fn refused(py: Python<'_>, class: &str, standing: Standing) -> PyErr {
    let (place, help) = match standing {
        Standing::Outside => (
            "that was made outside the function: it would be advanced once, while the graph is built, and not by later calls",
            "pass a list or a tensor, or a `gw.data.Dataset`; or call a function that `gw.host` marks, which asks the iterator",
        ),
        Standing::Left => (
            "of which a tensor decides how many items are gone",
            "write a `for` loop with an `if` and a `break` over a list or a tensor, and count the items that are taken",
        ),
        Standing::Own | Standing::Around => (
            "in a branch or loop of the graph: it would be advanced once, while the graph is built",
            "loop over a list, a tensor or `gw.range`, index a tensor by a counter, or make the iterator in the loop",
        ),
    };
    errors::here(py, Code::FrozenCall, format!("this takes items from a `{class}` {place}"), help)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(asked_for_next, module)?)?;
    module.add_function(wrap_pyfunction!(asked_for_change, module)?)?;
    module.add_function(wrap_pyfunction!(is_in_region, module)?)?;
    module.add_function(wrap_pyfunction!(runs_while_tracing, module)?)?;
    module.add_function(wrap_pyfunction!(asked_for_random, module)?)
}
