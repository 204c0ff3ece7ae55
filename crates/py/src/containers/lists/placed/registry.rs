//! Objects that stand for elements, and the lists that hold those, as one tracing knows them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::place::{Held, Place};
use crate::containers::list_object::ListObject;
use crate::containers::lists::rows::Rows;
use crate::effects::alias;
use crate::session::{self, Tracing};

/// The objects of one tracing that stand for elements.
#[derive(Debug, Default)]
pub struct Placed(Mutex<Places>);

/// Facts about them that a tracing knows.
#[derive(Debug, Default)]
pub struct Places {
    pub(super) all: Vec<Place>,
    /// The number of all that there were.
    count: usize,
    /// Objects that entered lists, or were made of elements.
    pub(super) known: Vec<Py<PyAny>>,
    /// True if an object entered a list that is, or may be, in one already.
    pub(super) is_shared: bool,
    /// True if several lists may hold the same elements.
    pub(super) are_copied: bool,
    /// True while nothing is carried back.
    pub(super) is_quiet: bool,
    /// The lists that were read.
    homes: Vec<Home>,
    /// Objects that stand for the elements over which loops run.
    pub(super) walked: Vec<Py<PyAny>>,
    /// The number of objects that were known when each comprehension began that is being evaluated.
    pub(super) comprehensions: Vec<usize>,
    /// Lists that statements changed without reaching them, with what they held: those statements, counted from the outermost,
    /// are traced again.
    unreached: Vec<(usize, Py<PyList>, Vec<Py<PyAny>>)>,
    /// The object into which the program stores now.
    pub(super) stored: Option<Py<PyAny>>,
}

/// A list that was read.
#[derive(Debug)]
struct Home {
    list: Py<PyList>,
    /// The least number of statements that were open then.
    depth: usize,
    /// The number of times that it got more or fewer elements.
    resizes: usize,
    /// The number of times that an element was changed.
    writes: usize,
}

/// The extent of [`Placed`] at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark {
    places: usize,
    pub(super) known: usize,
}

impl Places {
    fn home(&mut self, list: &Bound<'_, PyList>, depth: usize) -> &mut Home {
        let known = self.homes.iter().position(|home| home.list.is(list));
        let at = known.unwrap_or_else(|| {
            self.homes.push(Home { list: list.clone().unbind(), depth, resizes: 0, writes: 0 });
            self.homes.len() - 1
        });
        &mut self.homes[at]
    }
}

impl Placed {
    pub fn lock(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another object stands for an element.
    pub fn push(&self, mut place: Place) {
        let mut places = self.lock();
        place.number = places.count;
        places.count += 1;
        places.all.push(place);
    }

    /// The extent now.
    pub fn mark(&self) -> Mark {
        let places = self.lock();
        Mark { places: places.count, known: places.known.len() }
    }

    /// Forgets what came since.
    pub fn rewind(&self, mark: Mark) {
        let mut places = self.lock();
        let known = mark.known.min(places.known.len());
        let since: Vec<_> = places.all.extract_if(.., |place| place.number >= mark.places).collect();
        let gone = (since, places.known.split_off(known));
        drop(places);
        drop(gone);
    }

    /// True of an item of a list of Python's, whose changes are carried to those that stand for it, and which no list of the graph
    /// holds.
    pub fn keeps(&self, object: &Py<PyAny>) -> bool {
        let places = self.lock();
        let is_item = |place: &Place| !place.is_lost && place.items().iter().any(|item| item.is(object));
        let is_in_rows =
            places.is_shared || places.are_copied || places.known.iter().any(|known| known.is(object));
        places.all.iter().any(is_item) && !is_in_rows
    }

    /// True of an object that stands for an element.
    pub fn has(&self, object: &Bound<'_, PyAny>) -> bool {
        self.lock().all.iter().any(|place| place.object.is(object))
    }

    /// Lets go of everything, at the end of a function.
    pub fn forget(&self) {
        let gone = std::mem::take(&mut *self.lock());
        drop(gone);
    }

    /// Takes down anew what all hold, after a statement or one of its parts gave them that.
    pub fn look(&self, boxes: &alias::Registry, py: Python<'_>) -> PyResult<()> {
        self.with(|all| {
            let mut valid = all.iter_mut().filter(|place| !place.is_lost);
            valid.try_for_each(|place| place.look(boxes, py))
        })
    }

    /// A statement that comes again puts objects into lists once more: one that was there before it enters twice.
    pub fn repeats(&self, mark: Mark, was_there: impl Fn(&Py<PyAny>) -> bool) {
        let mut places = self.lock();
        places.is_shared |= places.known.iter().skip(mark.known).any(was_there);
    }

    /// Gives lists what they held before the innermost statement, one of so many, changed them without reaching them.
    pub fn undo(&self, statements: usize, py: Python<'_>) -> PyResult<()> {
        let all = std::mem::take(&mut self.lock().unreached);
        let (own, others): (Vec<_>, _) = all.into_iter().partition(|(at, ..)| at + 1 >= statements);
        self.lock().unreached = others;
        own.into_iter().try_for_each(|(_, list, held)| {
            let list = list.bind(py);
            list.set_slice(0, list.len(), PyList::new(py, held)?.as_any())
        })
    }

    /// The program stores into an object.
    pub fn stores(&self, object: &Bound<'_, PyAny>) {
        let mut places = self.lock();
        if !places.all.is_empty() {
            places.stored = Some(object.clone().unbind());
        }
    }

    /// The program has stored.
    pub fn stored(&self) {
        let object = self.lock().stored.take();
        drop(object);
    }

    /// Does something with the objects that stand for elements; those that come meanwhile are behind them.
    pub fn with<T>(&self, run: impl FnOnce(&mut Vec<Place>) -> T) -> T {
        let mut all = std::mem::take(&mut self.lock().all);
        let done = run(&mut all);
        let mut places = self.lock();
        all.append(&mut places.all);
        places.all = all;
        done
    }

    /// Takes down that a list is read while so many statements are open.
    pub fn see(&self, list: &Bound<'_, PyList>, depth: usize) {
        let mut places = self.lock();
        let home = places.home(list, depth);
        home.depth = depth.min(home.depth);
    }

    /// A list gets more or fewer elements.
    pub fn resize(&self, list: &Bound<'_, PyList>) {
        self.lock().home(list, usize::MAX).resizes += 1;
    }

    /// A list that held these rows has others now, which begin with the same elements: what stands for one of them still does.
    pub fn lengthen(&self, list: &Bound<'_, PyList>, rows: &Bound<'_, PyAny>) -> PyResult<()> {
        let was_there = |place: &&mut Place| {
            !place.is_lost && place.list.is(list) && matches!(&place.held, Held::Rows(held) if held.is(rows))
        };
        self.with(|all| {
            for place in all.iter_mut().filter(was_there) {
                match Held::of(list)? {
                    Some(held) => place.held = held,
                    None => place.is_lost = true,
                }
            }
            Ok(())
        })
    }

    /// An element of a list is changed.
    pub fn write(&self, list: &Bound<'_, PyList>) {
        self.lock().home(list, usize::MAX).writes += 1;
    }

    /// The number of times that an element of a list was changed.
    pub fn writes(&self, list: &Bound<'_, PyList>) -> usize {
        self.lock().home(list, usize::MAX).writes
    }

    /// The number of times that a list of rows of objects got more or fewer elements; nothing for another list.
    pub fn resizes(&self, list: &Bound<'_, PyList>) -> Option<usize> {
        let is_single = list.len() == 1 && Rows::are_of_objects(&list.get_item(0).ok()?);
        is_single.then(|| self.lock().home(list, usize::MAX).resizes)
    }

    /// The number of open statements around a list.
    pub fn depth_of(&self, list: &Bound<'_, PyList>) -> usize {
        let places = self.lock();
        places.homes.iter().find(|home| home.list.is(list)).map_or(0, |home| home.depth)
    }

    /// True if the open statements reach a list, but those around it.
    pub fn is_reached(&self, tracing: &Tracing, list: &Bound<'_, PyList>) -> bool {
        tracing.lists().all.is_reached_from(self.depth_of(list), &ListObject::new(list))
    }

    /// The open statements, but those around the list, reach it from now on: those that did not are traced again.
    pub fn reach(&self, tracing: &Tracing, list: &Bound<'_, PyList>) {
        let home = self.depth_of(list);
        let lacking = tracing.lists().all.reach_from(home, &ListObject::new(list), "a list");
        let now = |at: &usize| (*at, list.clone().unbind(), list.iter().map(Bound::unbind).collect());
        self.lock().unreached.extend(lacking.iter().map(now));
        if !lacking.is_empty() {
            tracing.lists().note(list, false);
        }
    }
}

/// Until this is dropped nothing is carried back: a statement gives names what they hold in one of its parts, or a change is
/// being carried back.
pub struct Quiet(Option<(Arc<Tracing>, bool)>);

impl Quiet {
    /// From now on.
    pub fn begin() -> Self {
        Self(session::current().map(|tracing| {
            let was_quiet = std::mem::replace(&mut tracing.lists().placed.lock().is_quiet, true);
            (tracing, was_quiet)
        }))
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        if let Some((tracing, was_quiet)) = &self.0 {
            tracing.lists().placed.lock().is_quiet = *was_quiet;
        }
    }
}
