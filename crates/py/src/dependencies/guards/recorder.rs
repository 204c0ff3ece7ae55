//! The guards of a graph while it is built, and what its function was seen to read and change.

use crate::dependencies::guards::{Guard, MOST_RESULTS, Place, Readable, Was};
use crate::function::fingerprint::{self, Elements};
use crate::function::held::Held;
use crate::session::{Feature, FeatureSlot, Tracing};
use gw_lower::Step;
use pyo3::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The guards of a graph while it is built.
#[derive(Debug, Default)]
pub struct Recorder {
    pub(super) guards: Vec<Guard>,
    /// The functions, and the attributes by object and name, that were looked at.
    known: HashSet<(usize, usize)>,
    /// True if the graph is made anew by the next call, whatever the guards say.
    for_one_call: bool,
    /// The functions that Python runs as they are, by function and first argument, that were followed.
    runs: HashSet<(usize, usize)>,
    /// Reads of results, by function, its object and the steps, with the fewest results of calls before them.
    results: HashMap<(usize, usize, Box<[Step]>), usize>,
    /// The number of results that are followed, by the number of results of calls before them.
    followed: HashMap<usize, usize>,
    /// The objects that were there before the graph, as far as it reaches them.
    world: HashSet<usize>,
    /// The functions among the arguments: what their closures hold is part of the trace type.
    keyed: HashSet<usize>,
    /// The NumPy arrays whose elements were read, by their addresses.
    arrays: HashMap<usize, Elements>,
    /// The containers whose items or number of items the function reads, by their addresses.
    read: HashSet<usize>,
    /// The containers into which the function puts something, and how many items they had before.
    filled: HashMap<usize, usize>,
    /// The names by which the functions that were met can read.
    pub readable: Readable,
    /// The objects that were looked at: their addresses stay theirs until the graph is built.
    alive: Vec<Py<PyAny>>,
}

impl Feature for Mutex<Recorder> {
    fn slot() -> FeatureSlot {
        FeatureSlot::Recorder
    }

    fn forget(&self) {
        let recorder = std::mem::take(&mut *self.lock().unwrap_or_else(PoisonError::into_inner));
        drop(recorder);
    }
}

impl Tracing {
    /// The guards so far.
    pub fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.feature::<Mutex<Recorder>>().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the guards out. That a container grew counts for nothing if the function itself puts something into it and does
    /// not read it; a graph of a function that changes something else in place is good for one call.
    pub fn take_guards(&self, py: Python<'_>) -> Vec<Guard> {
        let mut recorder = self.recorder();
        let (read, filled) = (std::mem::take(&mut recorder.read), std::mem::take(&mut recorder.filled));
        let is_read = |guard: &Guard| guard.address(py).is_some_and(|address| read.contains(&address));
        recorder.guards.retain(|guard| {
            guard.changed(py).is_none_or(|now| !guard.was.grew_to(now.as_ref()) || is_read(guard))
        });
        for guard in &mut recorder.guards {
            let stays =
                matches!(guard.was, Was::Elements(_) | Was::Differing | Was::Unwatched | Was::OutOfSight);
            let is_other = || guard.changed(py).is_some() || (is_read(guard) && guard.is_fuller(py, &filled));
            if !stays && is_other() {
                guard.was = Was::Changed;
            }
        }
        recorder.known.clear();
        recorder.world.clear();
        recorder.keyed.clear();
        recorder.runs.clear();
        recorder.results.clear();
        recorder.followed.clear();
        recorder.arrays.clear();
        let (alive, mut guards) = (std::mem::take(&mut recorder.alive), std::mem::take(&mut recorder.guards));
        drop(recorder);
        // Objects that go may run code of the user's.
        drop(alive);
        guards.retain(|guard| !guard.is_of_the_past(py));
        guards
    }
}

impl Recorder {
    /// Adds what the graph is made with.
    pub fn add(&mut self, place: Place, was: Was, path: String) {
        self.for_one_call |= matches!(was, Was::Differing | Was::Unwatched | Was::OutOfSight);
        self.guards.push(Guard { place, was, path });
    }

    /// Guards the numbers in an array, by the array that owns its memory; `is_outside` says that it was there before the
    /// graph. Arrays that nothing can change need no guard.
    pub fn read_elements(&mut self, array: &Bound<'_, PyAny>, path: &str, is_outside: bool) -> PyResult<()> {
        let Some(owner) = fingerprint::owner(array)? else { return Ok(()) };
        let address = owner.as_ptr() as usize;
        if self.arrays.get(&address).is_some_and(|known| known.array.is(&owner)) {
            return Ok(());
        }
        let sum = fingerprint::of(&owner)?;
        self.arrays.insert(address, Elements::of(&owner, sum, is_outside)?);
        self.add(Place::Contents(Held::of(&owner)), Was::Elements(sum), path.to_owned());
        Ok(())
    }

    /// An array from outside that the function changed while it was traced.
    pub fn changed_array(&self, py: Python<'_>) -> Option<&str> {
        let is_outside = |object: &Bound<'_, PyAny>| {
            self.arrays.get(&(object.as_ptr() as usize)).is_some_and(|known| known.is_outside)
        };
        let changed = |guard: &&Guard| {
            let object = guard.holder().and_then(|held| held.get(py));
            matches!(guard.was, Was::Elements(_))
                && object.is_some_and(|object| is_outside(&object) && !guard.was.is(Some(&object)))
        };
        self.guards.iter().find(changed).map(|guard| guard.path.as_str())
    }

    /// Puts back what the arrays held that were there before the graph.
    pub fn restore_arrays(&self, py: Python<'_>) -> PyResult<()> {
        self.arrays.values().try_for_each(|known| known.restore(py))
    }

    /// Says which functions, known by their addresses, are among the arguments of the call.
    pub fn know_functions(&mut self, functions: &[usize]) {
        self.keyed.extend(functions);
    }

    /// True if a function is among the arguments of the call.
    pub fn is_keyed(&self, function: &Bound<'_, PyAny>) -> bool {
        self.keyed.contains(&(function.as_ptr() as usize))
    }

    /// True if the next call makes another graph, whatever the guards say.
    pub fn is_for_one_call(&self) -> bool {
        self.for_one_call
    }

    /// True if an object was there before the graph.
    pub fn is_of_the_world(&self, object: &Bound<'_, PyAny>) -> bool {
        self.world.contains(&(object.as_ptr() as usize))
    }

    /// Says that an object was there before the graph.
    pub fn hold(&mut self, object: &Bound<'_, PyAny>) {
        if self.world.insert(object.as_ptr() as usize) {
            self.alive.push(object.clone().unbind());
        }
    }

    /// The number of functions that Python runs as they are and that were followed.
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Says that a function can reach more than the graph watches.
    pub fn stop_watching(&mut self, function: &Bound<'_, PyAny>, name: String) {
        if !self.for_one_call {
            self.add(Place::Contents(Held::of(function)), Was::Unwatched, name);
        }
    }

    /// Says that an object may change where the graph does not see it.
    pub fn loses_sight(&mut self, object: &Bound<'_, PyAny>, name: String) {
        if !self.for_one_call {
            self.add(Place::Contents(Held::of(object)), Was::OutOfSight, name);
        }
    }

    /// True if a function that Python runs as it is, on this object, is followed for the first time.
    pub fn first_run(&mut self, function: &Bound<'_, PyAny>, object: &Bound<'_, PyAny>) -> bool {
        let first = self.runs.insert((function.as_ptr() as usize, object.as_ptr() as usize));
        if first {
            self.alive.extend([function.clone().unbind(), object.clone().unbind()]);
        }
        first
    }

    /// True if what a function gives is followed along these steps, through so many results of calls before: for the first
    /// time, and through few results, or among the first [`MOST_RESULTS`] through as many.
    pub fn first_result(
        &mut self,
        function: [Option<&Bound<'_, PyAny>>; 2],
        steps: &[Step],
        calls: usize,
    ) -> bool {
        let [name, owner] = function.map(|object| object.map_or(0, |object| object.as_ptr() as usize));
        let key = (name, owner, steps.into());
        let fewest = self.results.get(&key).copied();
        let followed = self.followed.entry(calls).or_default();
        if *followed >= MOST_RESULTS || fewest.is_some_and(|fewest| fewest <= calls) {
            return false;
        }
        *followed += 1;
        self.alive.extend(function.into_iter().flatten().map(|object| object.clone().unbind()));
        self.results.insert(key, calls);
        true
    }

    /// Says that the function reads the items of a container, or their number.
    pub fn reads(&mut self, container: &Bound<'_, PyAny>) {
        if self.read.insert(container.as_ptr() as usize) {
            self.alive.push(container.clone().unbind());
        }
    }

    /// Says that the function puts something into a container, as it is before that.
    pub fn fills(&mut self, container: &Bound<'_, PyAny>) {
        let address = container.as_ptr() as usize;
        if !self.filled.contains_key(&address)
            && let Ok(count) = container.len()
        {
            self.filled.insert(address, count);
            self.alive.push(container.clone().unbind());
        }
    }

    /// True if this object and name were looked at.
    pub fn knows(&self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> bool {
        self.known.contains(&(object.as_ptr() as usize, name.as_ptr() as usize))
    }

    /// True if this object and name are looked at for the first time.
    pub fn first(&mut self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> bool {
        let first = self.known.insert((object.as_ptr() as usize, name.as_ptr() as usize));
        if first {
            self.alive.push(object.clone().unbind());
            self.alive.push(name.clone().unbind());
        }
        first
    }
}
