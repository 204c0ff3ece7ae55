//! Effects of a graph on the world around its function: the globals, attributes, items and variables of closures that the
//! function stores into hold after each call what they hold after a call of Python's.
//!
//! `self.count += x` ⇒ the graph gives the new count too, and the call puts it there. A number that each call changes
//! would be another guard each time; once two tracings changed it, it is what the graph takes: `Capture::Location`.

pub mod alias;
pub mod arguments;
pub mod attributes;
pub mod captured_location;
pub mod carried_arrays;
pub mod fixpoint;
pub mod implicit_state;
pub mod inherited;
pub mod kept;
pub mod location;
pub mod met_arrays;
pub mod places;
pub mod regions;
pub mod snapshot;
pub mod surroundings;
pub mod tracked;
pub mod updates;
pub mod walk;
pub mod watch;
pub mod watched_container;
pub mod write_back;

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic};
use gw_ir::ValueId;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_types::Scalar;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::containers::lists::row_objects;
use crate::convert;
use crate::dependencies::guards::{Place, Was};
use crate::effects::captured_location::{Kind, Taken, taken};
use crate::effects::kept::{Kept, Made, Parts, Shared, Taking};
use crate::effects::location::Location;
use crate::effects::tracked::Capture;
use crate::effects::walk::Held;
use crate::effects::watch::{Found, Watch};
use crate::effects::watched_container::Change;
use crate::exceptions::{errors, raised};
use crate::function::held;
use crate::function::output::at_places;
use crate::host_calls::as_it_is;
use crate::optional::maybe::{Maybe, unbound};
use crate::session::Tracing;
use crate::values::array;
use crate::values::tensor::Tensor;

/// After so many tracings that changed a place, the graph takes what is there.
const TRACINGS: i64 = 2;

/// As many as there never are: a graph that takes what is there cannot be made.
const NEVER: i64 = i64::MIN / 2;

/// A place around a function, and what its graph puts there.
#[derive(Debug)]
pub struct Effect {
    spot: Arc<Location>,
    kept: Kept,
    /// True if a last result says that there is something to put there.
    may_lack: bool,
    /// True if there was something: then nothing is there on another way out. A new place keeps what it got since.
    goes: bool,
}

impl Effect {
    /// The number of the graph's results that it takes.
    pub fn results(&self) -> usize {
        self.kept.results() + usize::from(self.may_lack)
    }

    /// Puts what the graph gives there.
    pub fn apply(&self, py: Python<'_>, mut results: Vec<Buffer>, made: &mut Made) -> PyResult<()> {
        let has = |bound: Buffer| bound.scalars().next().is_none_or(Scalar::to_bool);
        if self.may_lack && !results.pop().is_none_or(has) {
            return if self.goes { self.spot.set(&unbound(py)?) } else { Ok(()) };
        }
        self.spot.put(&self.kept.object(py, results, made)?)
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.spot.visit(visit)?;
        self.kept.visit(visit)
    }
}

impl Tracing {
    /// True if the graph takes some of what a container holds.
    pub fn takes_from(&self, container: &Bound<'_, PyAny>) -> bool {
        let from = |capture: &Capture| match capture {
            Capture::Location(Taken { spot, .. }) => {
                matches!(&**spot, Location::Entry(dict, _) if dict.is(container))
            }
            Capture::Tensor(_) | Capture::Variable(_) | Capture::Argument(_) => false,
        };
        self.captured().iter().any(from)
    }
}

/// The diagnostic where a graph is called by itself and a place holds what it cannot take.
pub fn another(py: Python<'_>) -> PyErr {
    let message = "an attribute or variable that the graph takes holds something of another type now";
    let help = "call the function itself, or ask it for another concrete function";
    errors::here(py, Code::OutsideStored, message, help)
}

/// The places that a function's tracings changed, with how many did. A graph that takes them may fail to be made, and the function
/// is traced once more: one that Python runs as it stands, or that differs each time, would do twice what it does.
#[derive(Debug, Default)]
pub struct UnstableInputs(Mutex<Vec<(Arc<Location>, i64)>>);

impl UnstableInputs {
    fn lock(&self) -> MutexGuard<'_, Vec<(Arc<Location>, i64)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a tracing changed a place.
    fn note(&self, spot: &Arc<Location>, py: Python<'_>) {
        let mut known = self.lock();
        match known.iter_mut().find(|(other, _)| other.is(spot, py)) {
            Some((_, tracings)) => *tracings += 1,
            None => known.push((Arc::new(spot.copy(py)), 1)),
        }
    }

    /// The places that the graph takes.
    fn all(&self) -> Vec<Arc<Location>> {
        self.lock()
            .iter()
            .filter(|(_, tracings)| *tracings >= TRACINGS)
            .map(|(spot, _)| spot.clone())
            .collect()
    }

    /// True if a graph takes anything of places, so that it may fail to be made where the function does not fail.
    pub fn is_taken(&self) -> bool {
        self.lock().iter().any(|(_, tracings)| *tracings >= TRACINGS)
    }

    /// After a graph could not be made: no graph takes anything of these places any more. Whether one did.
    pub fn give_up(&self) -> bool {
        let mut known = self.lock();
        let taken = known.iter_mut().filter(|(_, tracings)| *tracings >= TRACINGS);
        taken.map(|(_, tracings)| *tracings = NEVER).count() > 0
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(known) => known.iter().try_for_each(|(spot, _)| spot.visit(visit)),
            Err(_) => Ok(()),
        }
    }
}

/// The world around a function while its graph is built.
pub struct Around<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Arc<Tracing>,
    restless: &'a UnstableInputs,
    function: Bound<'py, PyAny>,
    pub(crate) watch: Watch<'py>,
    held: Rc<Held<'py>>,
    /// The places that the graph takes, with the parameters that stand there.
    taken: Vec<(Arc<Location>, ValueId)>,
}

impl<'a, 'py> Around<'a, 'py> {
    /// Before the function runs on `named` arguments.
    pub fn enter(
        tracing: &'a Arc<Tracing>,
        restless: &'a UnstableInputs,
        function: &Bound<'py, PyAny>,
        named: Vec<(Bound<'py, PyAny>, String)>,
    ) -> PyResult<Self> {
        let py = function.py();
        let watch = Watch::reached(py, &[function], named)?;
        let held = watch.enter();
        tracing.tries().spots.surround(watch.surroundings(&held));
        Ok(Self { py, tracing, restless, function: function.clone(), watch, held, taken: Vec::new() })
    }

    /// The objects that the function can reach.
    pub fn objects(&self) -> impl Iterator<Item = Bound<'py, PyAny>> {
        self.held.iter().flatten().cloned()
    }

    /// Puts the parameters for what the graph takes into the places, behind those for its arguments.
    pub fn take(&mut self) -> PyResult<()> {
        let mut spots = self.restless.all();
        spots.retain(|spot| self.watch.reaches(spot));
        spots.into_iter().try_for_each(|spot| self.take_one(spot))
    }

    fn take_one(&mut self, spot: Arc<Location>) -> PyResult<()> {
        let Some((is, buffer)) = taken(&spot.get(self.py)?) else { return Ok(()) };
        let lengths: Vec<_> = buffer.lengths().iter().map(|&n| Some(n)).collect();
        let weak = match is {
            Kind::Number(number) => Some(number),
            Kind::Tensor(..) => None,
        };
        let staged = Staged { weak, ..self.tracing.trace.capture(buffer.dtype(), &lengths) };
        spot.set(Bound::new(self.py, Tensor::staged(self.tracing.clone(), staged))?.as_any())?;
        let own = Arc::new(spot.copy(self.py));
        self.tracing.add_capture(Capture::Location(Taken { spot: own, is }), staged);
        self.taken.push((spot, staged.value));
        Ok(())
    }

    /// Lists that branches and loops of the graph change are made of what they held before: this is guarded, and what
    /// becomes of them is an effect.
    pub fn keep_lists(&self) -> PyResult<()> {
        for (list, held, path) in self.watch.lists_of_graph(&self.held) {
            let held = PyList::new(self.py, held)?.into_any();
            let place = Place::Contents(held::Held::of(list));
            self.tracing.recorder().add(place, Was::items(&held), path.to_owned());
            self.tracing.lists().forget(list);
            // The list gets its numbers back as tensors.
            self.tracing.host_side().put_scalar();
        }
        Ok(())
    }

    /// After the function ran: the objects that it put into the places that it changed, which hold again what they held. Items of
    /// Python's own behind a list stay there, as they were put there once, and so does an object that a call cannot make; so does
    /// all that Python made if the graph raises, for Python stores before it raises.
    pub fn leave(&self, values: &mut Vec<ValueId>) -> PyResult<Vec<Effect>> {
        if let Some(path) = self.take_back_reordered()? {
            return Err(self.reordered(&path));
        }
        let (mut effects, mut found) = (Vec::new(), Vec::new());
        for Found { spot, was, now, path } in self.watch.found(&self.held) {
            let (now, bound) = self.bound(now)?;
            if now.is(&unbound(self.py)?) {
                self.guard_changed(&spot, &path);
            } else {
                found.push((Found { spot, was, now, path }, bound));
            }
        }
        let taken_apart = self.taken_apart(&found)?;
        let mut constants = Vec::new();
        for ((Found { spot, was, path, .. }, bound), parts) in found.into_iter().zip(taken_apart) {
            let stays = self.stays(&spot, &parts);
            let is_done_once = is_done_once(&spot, &parts);
            if !parts.is_repeatable && !is_done_once {
                self.guard_changed(&spot, &path);
            }
            constants.push((path.clone(), parts.constants));
            if stays {
                continue;
            }
            if let Location::Items(list) = &spot {
                // Items that the call stores there stand for all contents of the list.
                let place = Place::Contents(held::Held::of(list.bind(self.py)));
                self.tracing.recorder().add(place, Was::items(&was), path.clone());
            }
            let (kept, mut results, spot) = (parts.kept, parts.values, Arc::new(spot));
            spot.set(&was)?;
            let taken = self.taken.iter().find(|(taken, _)| taken.is(&spot, self.py));
            if taken.is_some_and(|&(_, value)| results == [value]) {
                continue;
            }
            if !results.is_empty() {
                raised::with_effects(self.tracing)?;
            }
            if !self.tracing.tries().unread.is_met() && !self.tracing.recorder().is_for_one_call() {
                self.restless.note(&spot, self.py);
            }
            results.extend(bound);
            values.extend(results);
            let goes = !was.is(&unbound(self.py)?);
            effects.push(Effect { spot, kept, may_lack: bound.is_some(), goes });
        }
        // The places hold again what they held: what still holds values of the graph would keep them.
        constants.iter().try_for_each(|(path, met)| kept::check(&self.function, path, met))?;
        Ok(effects)
    }

    /// True of an object that was there before the function began.
    fn is_old(&self) -> impl Fn(&Bound<'_, PyAny>) -> bool {
        let old: HashSet<_> = self.held.iter().flatten().map(|object| object.as_ptr() as usize).collect();
        let tracing = self.tracing;
        move |object| old.contains(&(object.as_ptr() as usize)) || tracing.recorder().is_of_the_world(object)
    }

    /// GW122 if the places get one structure of the function's own more than once and the graph cannot keep it one: it decides which
    /// it is, or `may_raise`, so it decides what the places hold.
    pub fn check_one(&self, may_raise: bool) -> PyResult<()> {
        let is_old = self.is_old();
        let mut shared = Shared::new(self.tracing, &is_old);
        for Found { now, path, .. } in self.watch.found(&self.held) {
            shared.meet(&now)?;
            if may_raise && !shared.found().is_empty() {
                return Err(self.two(&path));
            }
        }
        self.tracing.boxes().check_places(&|object| is_old(object) || shared.has(object), self.py)
    }

    /// The diagnostic of a place that gets what another place gets too.
    fn two(&self, path: &str) -> PyErr {
        let message = format!(
            "`{path}` gets a structure that another place gets too, and an exception of the graph may leave the function: its call \
             would make two of it"
        );
        let help = "store a copy in one of the places, `xs.copy()`, or return it and store it after the call";
        let root = path.split(['.', '[']).next().unwrap_or(path);
        let found = Diagnostic::new(Code::StoreUnclear, message).help(help);
        at_places(self.py, found, convert::changes(&self.function, root))
    }

    /// The parts of what the places hold. An object in a place that stays as the trace left it is this object in all places.
    fn taken_apart(&self, found: &[(Found<'py>, Option<ValueId>)]) -> PyResult<Vec<Parts>> {
        let is_old = self.is_old();
        let mut shared = Shared::new(self.tracing, &is_old);
        found.iter().try_for_each(|(found, _)| shared.meet(&found.now))?;
        let mut staying = HashSet::new();
        loop {
            let mut taking = Taking::new(self.tracing, &is_old, &staying, shared.found());
            let parts: Vec<_> =
                found.iter().map(|(found, _)| taking.take(&found.now)).collect::<PyResult<_>>()?;
            let stay = found.iter().zip(&parts).filter(|((found, _), parts)| self.stays(&found.spot, parts));
            let stay: Vec<_> = stay.flat_map(|(_, parts)| parts.objects.iter().copied()).collect();
            let known = staying.len();
            staying.extend(stay);
            if staying.len() == known {
                return Ok(parts);
            }
        }
    }

    /// True if a place keeps what the trace put there: nothing of it is of the graph.
    fn stays(&self, spot: &Location, parts: &Parts) -> bool {
        let raises = self.tracing.raises().is_some() && !self.tracing.tries().catches_all();
        parts.values.is_empty() && (is_done_once(spot, parts) || raises || !parts.is_repeatable)
    }

    /// Guards a place that the graph does not change as the function did: it is good for one call.
    fn guard_changed(&self, spot: &Location, path: &str) {
        let place = self.place(spot).or_else(|| match spot {
            Location::Tail(list, _) | Location::Items(list) => {
                Some(Place::Contents(held::Held::of(list.bind(self.py))))
            }
            Location::Entry(..) | Location::Slot(..) | Location::Cell(_) => None,
        });
        if let Some(place) = place {
            self.tracing.recorder().add(place, Was::Changed, path.to_owned());
        }
    }

    /// Guards the places that the graph leaves as they were on some paths: what they held is a constant there.
    pub fn guard_held(&self) -> PyResult<()> {
        let nothing = unbound(self.py)?;
        for Found { spot, was, path, .. } in self.watch.found(&self.held) {
            let is_taken = self.taken.iter().any(|(taken, _)| taken.is(&spot, self.py));
            // An exception of the function leaves places as they are then.
            let is_left = self.tracing.hidden().flowed(&spot, &was) || self.tracing.tries().catches_all();
            if is_taken || !is_left {
                continue;
            }
            let Some(place) = self.place(&spot) else { continue };
            let mut recorder = self.tracing.recorder();
            if array::is_array(&was) {
                recorder.read_elements(&was, &path, true)?;
            }
            recorder.add(place, Was::of(Some(&was).filter(|was| !was.is(&nothing))), path);
        }
        Ok(())
    }

    /// The place at which a guard looks for one that holds one object.
    fn place(&self, spot: &Location) -> Option<Place> {
        let held = |object: &Bound<'py, PyAny>| held::Held::of(object);
        match spot {
            Location::Entry(dict, key) => Some(Place::Item(held(dict.bind(self.py)), key.clone_ref(self.py))),
            Location::Slot(object, name) => {
                let (held, name) = (held(object.bind(self.py)), name.clone_ref(self.py));
                let is_class = object.bind(self.py).is_instance_of::<PyType>();
                Some(if is_class { Place::Method(held, name) } else { Place::Attribute(held, name, false) })
            }
            Location::Cell(cell) => Some(Place::Cell(cell.clone_ref(self.py))),
            Location::Tail(..) | Location::Items(_) => None,
        }
    }

    /// The value of a place, and the bool that tells on which ways out of the function it has one.
    fn bound(&self, now: Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Option<ValueId>)> {
        let Some(maybe) = Maybe::unbound(&now).map(Bound::get) else { return Ok((now, None)) };
        let bound = self.tracing.trace.lift(maybe.bound).unwrap_or(maybe.bound);
        let value = Bound::new(self.py, Tensor::staged(maybe.tracing.clone(), maybe.staged))?;
        Ok((value.into_any(), Some(bound)))
    }

    /// True if a place that the function changed holds a value of the graph, or a list of the graph is changed.
    pub fn stores(&self) -> PyResult<bool> {
        let is_changed = |(list, held, _): (&Bound<'py, PyAny>, &[Bound<'py, PyAny>], &str)| {
            let list = list.cast_exact::<PyList>();
            list.is_ok_and(|list| list.len() != held.len() || !list.iter().zip(held).all(|(a, b)| a.is(b)))
        };
        if self.watch.lists_of_graph(&self.held).any(is_changed) {
            return Ok(true);
        }
        for Found { now, .. } in self.watch.found(&self.held) {
            let (now, _) = self.bound(now)?;
            if self.holds_values(&now)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The places that the function changed so far.
    pub fn changed(&self) -> Vec<Arc<Location>> {
        self.watch.found(&self.held).into_iter().map(|found| Arc::new(found.spot)).collect()
    }

    /// Before the function is traced once more, or after it was refused: all places hold again what they held.
    pub fn undo_all(&self) -> PyResult<()> {
        self.watch.undo(&self.held)
    }

    /// The path of what the function changed and its graph does not change again.
    pub fn left(&self) -> Option<String> {
        let left = self.watch.changes(&self.held).find(|(_, change)| !matches!(change, Change::Nothing));
        left.map(|(watched, _)| watched.path.clone())
    }

    /// Gives the dicts what they held whose keys are in another order by now and that hold values of the graph.
    fn take_back_reordered(&self) -> PyResult<Option<String>> {
        let is_lost = |object: &Bound<'py, PyAny>| self.holds_values(object).unwrap_or(true);
        self.watch.take_back_reordered(&self.held, &is_lost)
    }

    /// The refusal of such a dict.
    fn reordered(&self, path: &str) -> PyErr {
        let message = format!(
            "`{path}` gets a value of the graph in a call that also changes the order of its keys, which a call of the graph keeps"
        );
        let help = "store under a key that is there, or under a new one behind the others: a key that is taken out and stored \
                    anew goes behind them";
        let root = path.split(['.', '[']).next().unwrap_or(path);
        let found = Diagnostic::new(Code::ListInGraph, message).help(help);
        at_places(self.py, found, convert::changes(&self.function, root))
    }

    /// After the function failed: what holds values of the graph holds again what it held.
    pub fn undo(&self) -> PyResult<()> {
        self.take_back_reordered()?;
        for Found { spot, was, now, .. } in self.watch.found(&self.held) {
            if now.cast_exact::<PyList>().is_ok_and(row_objects::has_rows) {
                spot.set(&was)?;
                continue;
            }
            if self.holds_values(&now).unwrap_or(true) {
                spot.set(&was)?;
            }
        }
        Ok(())
    }

    /// True if an object that a place holds is one of the graph, or holds such.
    fn holds_values(&self, now: &Bound<'py, PyAny>) -> PyResult<bool> {
        let none = HashSet::new();
        let parts = Taking::new(self.tracing, &|_| false, &none, &none).take(now)?;
        let is_lost = |object: &Py<PyAny>| as_it_is::holds_graph(object.bind(self.py));
        Ok(!parts.values.is_empty() || parts.constants.iter().any(is_lost))
    }
}

/// True for items of a list which are Python's own and new: those are put behind it while tracing.
fn is_done_once(spot: &Location, parts: &Parts) -> bool {
    let is_new = parts.values.is_empty() && !parts.holds_known;
    match spot {
        Location::Tail(..) | Location::Items(_) => is_new,
        Location::Entry(..) | Location::Slot(..) | Location::Cell(_) => false,
    }
}
