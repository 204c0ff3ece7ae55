//! Places that a statement in the graph changes without naming them: attributes, items, globals and variables that the functions
//! and methods store into which it calls. Nobody knows before it is traced, so it is found while tracing: such a place
//! becomes one more variable of the statement, and it is traced again.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use gw_trace::{Slot, State};
use pyo3::prelude::*;

use crate::effects::alias::Reached;
use crate::effects::location::Location;
use crate::effects::walk::Held;
use crate::effects::watch::{Found, Watch};
use crate::effects::watched_container::same;
use crate::exceptions::errors::Failed;
use crate::host::PyHost;
use crate::session::{Feature, FeatureSlot, Tracing};

/// The places that the statements of one tracing change without naming them.
#[derive(Debug, Default)]
pub struct Registry {
    known: Mutex<Vec<Known>>,
    /// The places whose values statements took, with these values: those of the paths on which a statement stores nothing.
    flowing: Mutex<Vec<(Location, Py<PyAny>)>>,
    /// The places of the statement whose variables are being read or given values.
    asked: Mutex<Vec<Arc<Location>>>,
    /// True if it was said that not all objects are watched.
    is_unwatched_told: AtomicBool,
}

impl Feature for Registry {
    fn slot() -> FeatureSlot {
        FeatureSlot::ImplicitState
    }

    fn forget(&self) {
        let known = std::mem::take(&mut *self.lock());
        let flowing = std::mem::take(&mut *self.flowing.lock().unwrap_or_else(PoisonError::into_inner));
        drop((known, flowing));
    }
}

impl Tracing {
    /// The places that statements change without naming them.
    pub fn hidden(&self) -> &Registry {
        self.feature()
    }
}

/// A place that a statement changes without naming it.
#[derive(Debug)]
struct Known {
    /// The statement.
    statement: Option<Loc>,
    spot: Arc<Location>,
    /// Expression that the user would write for it.
    path: String,
}

/// The places that were asked before, which are again when this is dropped, even where a panic passes.
struct Asking<'a> {
    registry: &'a Registry,
    before: Vec<Arc<Location>>,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        *self.registry.asked() = std::mem::take(&mut self.before);
    }
}

impl Registry {
    fn lock(&self) -> MutexGuard<'_, Vec<Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if it is still to be said that not all objects are watched.
    pub fn warns_of_unwatched(&self) -> bool {
        !self.is_unwatched_told.swap(true, Ordering::Relaxed)
    }

    /// True if a statement is known to change a place.
    pub fn knows(&self, statement: Option<&Loc>, spot: &Location, py: Python<'_>) -> bool {
        self.lock().iter().any(|known| known.statement.as_ref() == statement && known.spot.is(spot, py))
    }

    /// Notes that a statement takes the value of a place.
    pub fn flows(&self, spot: Location, py: Python<'_>) -> PyResult<()> {
        let value = spot.get(py)?.unbind();
        let mut flowing = self.flowing.lock().unwrap_or_else(PoisonError::into_inner);
        if !flowing.iter().any(|(known, held)| held.is(&value) && known.is(&spot, py)) {
            flowing.push((spot, value));
        }
        Ok(())
    }

    /// True if a statement took this value of a place.
    pub fn flowed(&self, spot: &Location, value: &Bound<'_, PyAny>) -> bool {
        let flowing = self.flowing.lock().unwrap_or_else(PoisonError::into_inner);
        flowing.iter().any(|(known, held)| held.is(value) && known.is(spot, value.py()))
    }

    /// True if a place of the statement whose variables are asked holds an object: what is stored into that object, `p.x[0]` where
    /// the statement changes `p.x`, is no variable of its own.
    pub fn holds(&self, object: &Bound<'_, PyAny>) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone();
        asked.iter().any(|spot| spot.get(object.py()).is_ok_and(|held| held.is(object)))
    }

    fn while_asked<T>(&self, spots: &[(Arc<Location>, String)], ask: impl FnOnce() -> T) -> T {
        let spots = spots.iter().map(|(spot, _)| spot.clone()).collect();
        let before = std::mem::replace(&mut *self.asked(), spots);
        let _restored = Asking { registry: self, before };
        ask()
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Arc<Location>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All places that a statement changes.
    pub fn all(&self) -> Vec<Arc<Location>> {
        self.lock().iter().map(|known| known.spot.clone()).collect()
    }

    /// The places that a statement changes among those that `reached` tells.
    pub fn of(
        &self,
        statement: Option<&Loc>,
        reached: &dyn Fn(&Location) -> bool,
    ) -> Vec<(Arc<Location>, String)> {
        let known = self.lock();
        let here = known.iter().filter(|known| known.statement.as_ref() == statement && reached(&known.spot));
        here.map(|known| (known.spot.clone(), known.path.clone())).collect()
    }
}

/// The variables of a statement, and behind them the places that it changes without naming them.
pub struct ImplicitState<'a, 'py> {
    py: Python<'py>,
    tracing: &'a Tracing,
    watch: &'a Watch<'py>,
    state: &'a dyn State<PyHost<'py>>,
    /// The number of variables that have names.
    named: usize,
    spots: Vec<(Arc<Location>, String)>,
    /// Contents, before the statement, of all that it reaches.
    held: Rc<Held<'py>>,
    /// Variables as they were when the statement began.
    first: RefCell<Option<Vec<Arc<Py<PyAny>>>>>,
    /// The path of the first container that a block changed in place and that cannot flow.
    taken_back: RefCell<Option<String>>,
}

impl<'a, 'py> ImplicitState<'a, 'py> {
    /// Those of a statement that begins now.
    pub fn enter(
        host: &'a PyHost<'py>,
        watch: &'a Watch<'py>,
        state: &'a dyn State<PyHost<'py>>,
        named: usize,
    ) -> Self {
        let (py, tracing) = (host.py(), &**host.tracing());
        let spots = tracing.hidden().of(watch.statement(), &|spot| watch.reaches(spot));
        let (first, taken_back) = (RefCell::default(), RefCell::default());
        Self { py, tracing, watch, state, named, spots, held: watch.enter(), first, taken_back }
    }

    /// Contents, before the statement, of all that it reaches.
    pub fn held(&self) -> Rc<Held<'py>> {
        self.held.clone()
    }

    /// The places as variables of the statement.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.spots.iter().map(|(_, path)| Slot::of(path.clone()))
    }

    /// Tells the watch which container a block changed in place, once the statement is not traced again.
    pub fn tell(&self) {
        self.watch.note_taken_back(self.taken_back.take());
    }

    /// Looks for places that the statement changed and that do not flow through it yet. A container that cannot flow gets
    /// back what it held: the next block begins with that.
    pub fn look(&self) -> Result<bool, Failed> {
        let (found, others) = self.watch.looked(&self.held);
        let is_new = |found: &Found<'py>| !self.spots.iter().any(|(spot, _)| spot.is(&found.spot, self.py));
        let suspects: Vec<_> = found.into_iter().filter(is_new).collect();
        if others {
            let path = self.at_first(|| Ok(self.watch.take_back(&self.held)?))?.flatten();
            let mut taken_back = self.taken_back.borrow_mut();
            *taken_back = taken_back.take().or(path);
        }
        if suspects.is_empty() {
            return Ok(false);
        }
        let any = self.at_first(|| {
            let mut any = false;
            for Found { spot, path, now, .. } in suspects {
                if same(&[now], &[spot.get(self.py)?]) {
                    let (statement, spot) = (self.watch.statement().cloned(), Arc::new(spot));
                    self.tracing.hidden().lock().push(Known { statement, spot, path });
                    any = true;
                }
            }
            Ok(any)
        })?;
        Ok(any == Some(true))
    }

    /// Runs `look` while the variables are as they were when the statement began: locations that change with them
    /// are theirs, since `self.n` may be one of them, or one that a property stores.
    pub fn at_first<T>(&self, look: impl FnOnce() -> Result<T, Failed>) -> Result<Option<T>, Failed> {
        let Some(first) = self.first.borrow().clone() else { return Ok(None) };
        let now = self.get()?;
        self.set(&first)?;
        let found = look()?;
        self.set(&now)?;
        Ok(Some(found))
    }

    /// Gives all places what they held before the statement, and its variables too: one that holds the mark of a name
    /// without a value is not a cell that holds nothing.
    pub fn undo(&self) -> Result<(), Failed> {
        self.watch.undo(&self.held)?;
        let first = self.first.borrow().clone();
        first.map_or(Ok(()), |first| self.set(&first))
    }
}

impl<'py> State<PyHost<'py>> for ImplicitState<'_, 'py> {
    fn get(&self) -> Result<Vec<Arc<Py<PyAny>>>, Failed> {
        let mut values = self.tracing.hidden().while_asked(&self.spots, || self.state.get())?;
        for (spot, _) in &self.spots {
            self.tracing.hidden().flows(spot.copy(self.py), self.py)?;
            values.push(Arc::new(self.tracing.in_place(spot, self.py)?.unbind()));
        }
        self.first.borrow_mut().get_or_insert_with(|| values.clone());
        Ok(values)
    }

    fn set(&self, values: &[Arc<Py<PyAny>>]) -> Result<(), Failed> {
        let (named, hidden) = values.split_at(self.named);
        self.tracing.hidden().while_asked(&self.spots, || self.state.set(named))?;
        for ((spot, _), value) in self.spots.iter().zip(hidden) {
            spot.set(value.bind(self.py))?;
        }
        Ok(())
    }
}
