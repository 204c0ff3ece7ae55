//! Watches the Python objects that a region of the graph can reach. A region is traced once, whatever happens when the
//! graph runs, so what it does to a list, an attribute or a global in place would happen once: that is an error.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;

use gw_base::{Code, Diagnostic, Loc};
use gw_trace::{Slot, State};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::containers::lists::{self, placed};
use crate::effects::alias::Reached;
use crate::effects::location::Location;
use crate::effects::places::PyState;
use crate::effects::surroundings::Surroundings;
use crate::effects::walk::{Held, Watched, walk};
use crate::effects::watched_container::{Change, Holder, Step, same};
use crate::exceptions::errors::{self, Failed};
use crate::exceptions::raised;
use crate::host::structure;
use crate::iteration::consumers;
use crate::optional::maybe::Maybe;
use crate::optional::poison::Unclear;
use crate::optional::possible::Possible;
use crate::session::depth::{self, Deeper};
use crate::session::{self, Tracing, frames};

mod words;

/// The objects that a region can reach, and what they hold before it.
pub struct Watch<'py> {
    py: Python<'py>,
    watched: Vec<Watched<'py>>,
    held: Rc<Held<'py>>,
    /// True if the statement has begun.
    begun: Cell<bool>,
    /// The statement.
    place: Option<Loc>,
    /// True if what changes flows through what is traced, where it can.
    flows: bool,
    /// True if the statement is a loop.
    repeats: bool,
    /// The path of a container that a block of the statement changed in place, and that got back what it held.
    taken_back: RefCell<Option<String>>,
}

/// A place that holds something else now.
pub struct Found<'py> {
    /// Location that changed.
    pub spot: Location,
    /// As the user would write it.
    pub path: String,
    /// Former content.
    pub was: Bound<'py, PyAny>,
    /// The value that it holds.
    pub now: Bound<'py, PyAny>,
}

/// Stages a statement or expression with the blocks `blocks`; what they change in place is an error of this code.
pub fn guarded<'py, T>(
    py: Python<'py>,
    code: Code,
    state: Option<(&PyState<'_, 'py>, &[Slot])>,
    blocks: &[&Bound<'py, PyAny>],
    stage: impl FnOnce(&Watch<'py>) -> Result<T, Failed>,
) -> PyResult<T> {
    let _deeper = Deeper::enter(py)?;
    placed::carry_back(py, false)?;
    let all = consumers::with_consumers(blocks, py);
    let repeats = code == Code::LoopChangesObject;
    let watch = Watch { repeats, ..Watch::over(py, &all.iter().collect::<Vec<_>>())? };
    let place = watch.place.clone();
    let _lists = watch.lists();
    let before = state.map(|(s, _)| s.get()).transpose()?;
    check_finalized(py, code, before.as_deref(), state.map(|(_, slots)| slots), &place)?;
    let after = RefCell::new(None);
    let restore = || match (&before, state) {
        (Some(values), Some((s, _))) => Ok(s.restore(values, after.borrow().as_deref())?),
        (None, _) | (_, None) => Ok(()),
    };
    let check = || -> PyResult<()> {
        watch.check_taken_back(code)?;
        let Some(path) = watch.changed(&restore)? else { return Ok(()) };
        Err(raise(words::changed_in_place(&path, code), place.clone()))
    };
    let staged = stage(&watch).map_err(|error| depth::instead(error.into(), py));
    if let Err(error) = staged {
        let passes = |tracing: Arc<Tracing>| tracing.tries().passes(error.value(py).as_any());
        if raised::is_passing(py, &error) || session::current().is_some_and(passes) {
            return Err(error);
        }
        if errors::code_of(py, &error) == Some(Code::LeakedTensor) {
            check()?;
        }
        if let Some(tracing) = session::current() {
            tracing.stop(raised::caught(&error, place.as_ref(), py)?);
        }
        return Err(raised::in_graph(error, place.as_ref(), py)?);
    }
    if let Some((s, slots)) = state {
        let values = s.get()?;
        after.replace(Some(values.clone()));
        let lists = watch.take_contents_of_lists()?;
        restore()?;
        check()?;
        if let Some(slot) = half_set(py, slots, &values) {
            return Err(raise(words::half(code, slot.text()), place));
        }
        s.set(&values)?;
        // Items that stood for themselves before the statement may be part of a list of the graph after it.
        lists.iter().try_for_each(|(list, items)| list.set_slice(0, list.len(), items.as_any()))?;
    } else {
        check()?;
    }
    match watch.half_set()? {
        Some(path) => Err(raise(words::half(code, &path), place)),
        None => staged,
    }
}

/// Refuses a statement that may drop an object whose class says what happens then.
fn check_finalized(
    py: Python<'_>,
    code: Code,
    values: Option<&[Arc<Py<PyAny>>]>,
    slots: Option<&[Slot]>,
    place: &Option<Loc>,
) -> PyResult<()> {
    let (Some(values), Some(slots), Some(tracing)) = (values, slots, session::current()) else {
        return Ok(());
    };
    match tracing.finalized(py, slots, values)? {
        Some((name, class)) => Err(raise(words::finalized(&name, &class, code), place.clone())),
        None => Ok(()),
    }
}

/// Traces a call of a function that may stand for several: what it changes in place is an error, of which `by` says the reason.
/// `named` are its arguments with what they are called.
pub fn called<'py>(
    function: &Bound<'py, PyAny>,
    named: Vec<(Bound<'py, PyAny>, String)>,
    by: &str,
    trace: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let place = frames::place(py);
    let watch = Watch::reached(py, &[function], named)?;
    let traced = trace();
    let leaks = |error: &PyErr| errors::code_of(py, error) == Some(Code::LeakedTensor);
    if traced.as_ref().is_err_and(|error| !leaks(error)) {
        return traced;
    }
    let Some(path) = watch.changed(&|| Ok(()))? else {
        return traced.map_err(|error| errors::raise(&words::not_given(&error, by, py)));
    };
    let message = format!("`{path}` is changed in place by {by}");
    let help = "give it to the function as an argument, and return what is new";
    Err(raise(Diagnostic::new(Code::BranchesDisagree, message).help(help), place))
}

/// Raises the reason why the graph is not the program's, if an exception was caught after that.
pub fn check_not_caught(tracing: &Tracing) -> PyResult<()> {
    tracing.stopped().map_or(Ok(()), |why| Err(errors::raise(&why)))
}

/// The refusal that came before an exception of the program, if there was one: Python's own functions put exceptions of
/// theirs in its place.
pub fn refused_before(tracing: &Tracing, error: PyErr, py: Python<'_>) -> PyErr {
    let is_programs = errors::code_of(py, &error).is_none() && error.is_instance_of::<PyException>(py);
    // Exceptions raised here were not caught, although a branch told that they might be, unless a handler raises
    // them in their place.
    let is_told = |why: &Diagnostic| why.code != Code::CaughtInGraph || is_in_place_of_branchs(&error, py);
    match tracing.stopped().filter(|why| is_programs && is_told(why)) {
        Some(why) => errors::raise(&why),
        None => error,
    }
}

/// True if an exception was raised while another one was handled that had stopped a branch or loop of the graph.
fn is_in_place_of_branchs(error: &PyErr, py: Python<'_>) -> bool {
    let context =
        |error: &PyErr| error.value(py).getattr("__context__").ok().filter(|other| !other.is_none());
    let mut handled = context(error);
    while let Some(other) = handled {
        let other = PyErr::from_value(other);
        let is_noted = other.value(py).hasattr("__notes__").unwrap_or(false);
        if is_noted || errors::code_of(py, &other).is_some() {
            return true;
        }
        handled = context(&other);
    }
    false
}

fn raise(found: Diagnostic, place: Option<Loc>) -> PyErr {
    errors::raise(&place.into_iter().fold(found, |found, place| found.at(place, "this is in the graph")))
}

/// The first attribute or item that has a value on some paths only.
fn half_set<'a>(py: Python<'_>, slots: &'a [Slot], values: &[Arc<Py<PyAny>>]) -> Option<&'a Slot> {
    let is_part = |slot: &Slot| matches!(slot, Slot::Attribute(_) | Slot::Item(_));
    let mut pairs = slots.iter().zip(values);
    pairs.find(|(slot, value)| is_part(slot) && is_in_doubt(value.bind(py))).map(|(slot, _)| slot)
}

/// True if there is a value, or a part of one, on some paths only.
fn is_in_doubt(value: &Bound<'_, PyAny>) -> bool {
    let is_half = Maybe::unbound(value).is_some();
    let parts = || structure::open(value).ok().flatten().map(|(_, parts)| parts).unwrap_or_default();
    is_half
        || value.is_instance_of::<Possible>()
        || value.is_instance_of::<Unclear>()
        || parts().iter().any(is_in_doubt)
}

impl<'py> Reached<'py> for Watch<'py> {
    fn holds(&self, object: &Bound<'py, PyAny>) -> bool {
        let fields = object.getattr_opt("__dict__").ok().flatten();
        self.watched.iter().any(|watched| watched.holder.is_of(object, fields.as_ref()))
    }

    fn statement(&self) -> Option<&Loc> {
        self.place.as_ref()
    }

    fn repeats(&self) -> bool {
        self.repeats
    }

    fn changed_objects(&self, held: &Held<'py>) -> HashSet<usize> {
        let all = self.watched.iter().zip(held);
        let now = |watched: &Watched<'py>| watched.holder.held().unwrap_or_default();
        let changed = all.filter(|(watched, held)| !same(held, &now(watched)));
        changed.filter_map(|(watched, _)| watched.holder.address()).collect()
    }
}

impl<'py> Watch<'py> {
    /// Watches the objects that the functions in `blocks` can reach.
    pub fn over(py: Python<'py>, blocks: &[&Bound<'py, PyAny>]) -> PyResult<Self> {
        let place = frames::place(py);
        Ok(Self { flows: true, place, ..Self::reached(py, blocks, Vec::new())? })
    }

    /// Watches the objects that these objects can reach, which a part of the statement at hand made.
    pub fn of_objects(py: Python<'py>, objects: Vec<Bound<'py, PyAny>>) -> PyResult<Self> {
        let named = objects.into_iter().map(|object| {
            let name = object.get_type().name()?.to_string();
            Ok((object, name))
        });
        Ok(Self {
            flows: true,
            place: frames::place(py),
            ..Self::reached(py, &[], named.collect::<PyResult<_>>()?)?
        })
    }

    /// Watches the objects that functions and these objects can reach.
    pub fn reached(
        py: Python<'py>,
        blocks: &[&Bound<'py, PyAny>],
        named: Vec<(Bound<'py, PyAny>, String)>,
    ) -> PyResult<Self> {
        let (watched, held) = walk(blocks, named)?;
        let (held, begun, taken_back) = (Rc::new(held), Cell::new(false), RefCell::default());
        Ok(Self { py, watched, held, begun, place: None, flows: false, repeats: false, taken_back })
    }

    /// Contents of all watched objects where the statement, or a part of it, begins.
    pub fn enter(&self) -> Rc<Held<'py>> {
        if !self.begun.replace(true) {
            return self.held.clone();
        }
        Rc::new(self.watched.iter().map(|watched| watched.holder.held().unwrap_or_default()).collect())
    }

    /// The objects that are watched, to be kept beside a tracing.
    pub fn surroundings(&self, held: &Held<'py>) -> Surroundings {
        Surroundings::of(self.watched.iter().zip(held))
    }

    /// True if a place is one of those that are watched.
    pub fn reaches(&self, spot: &Location) -> bool {
        self.watched.iter().any(|watched| watched.holder.has(spot))
    }

    pub fn changes<'a>(
        &'a self,
        held: &'a Held<'py>,
    ) -> impl Iterator<Item = (&'a Watched<'py>, Change<'py>)> {
        let change = |watched: &Watched<'py>, held: &[Bound<'py, PyAny>]| match self.flows {
            true => watched.change(held),
            false => watched.holder.change_by_function(held),
        };
        let all = self.watched.iter().zip(held);
        all.filter_map(move |(watched, held)| Some((watched, change(watched, held).ok()?)))
    }

    /// The places that hold something else than they `held`.
    pub fn found(&self, held: &Held<'py>) -> Vec<Found<'py>> {
        self.looked(held).0
    }

    /// The same, and whether containers that do not flow have changed besides.
    pub fn looked(&self, held: &Held<'py>) -> (Vec<Found<'py>>, bool) {
        let (mut found, mut others) = (Vec::new(), false);
        for (watched, change) in self.changes(held) {
            others |= matches!(change, Change::Other) && !watched.holder.flows();
            let Change::Spots(spots) = change else { continue };
            for (spot, (was, now)) in spots {
                // A global may be watched by its name and among all of its module.
                if found.iter().any(|known: &Found<'py>| known.spot.is(&spot, self.py)) {
                    continue;
                }
                found.push(Found { path: watched.path_of(&spot, self.py), spot, was, now });
            }
        }
        (found, others)
    }

    /// Gives the dicts what they `held` whose keys are in another order and that hold what `is_lost`; the path of the first.
    pub fn take_back_reordered(
        &self,
        held: &Held<'py>,
        is_lost: &dyn Fn(&Bound<'py, PyAny>) -> bool,
    ) -> PyResult<Option<String>> {
        let mut first = None;
        for (watched, held) in self.watched.iter().zip(held) {
            let is_other = matches!(watched.holder.change_by_function(held), Ok(Change::Other));
            let is_dict = matches!(watched.holder, Holder::Pairs(..)) && !watched.holder.flows();
            if is_dict && is_other && watched.holder.held()?.iter().any(is_lost) {
                first.get_or_insert_with(|| watched.path.clone());
                watched.holder.refill(held)?;
            }
        }
        Ok(first)
    }

    /// Gives the containers that do not flow what they `held`; the path of the first one that held something else.
    pub fn take_back(&self, held: &Held<'py>) -> PyResult<Option<String>> {
        let mut first = None;
        for (watched, held) in self.watched.iter().zip(held) {
            let Ok(Change::Other) = watched.change(held) else { continue };
            if !watched.holder.flows() {
                first.get_or_insert_with(|| watched.path.clone());
                watched.holder.refill(held)?;
            }
        }
        Ok(first)
    }

    /// Notes that a block of the statement changed a container in place, which holds again what it held.
    pub fn note_taken_back(&self, path: Option<String>) {
        self.taken_back.replace(path);
    }

    /// The error of this code if that was noted.
    pub fn check_taken_back(&self, code: Code) -> PyResult<()> {
        match &*self.taken_back.borrow() {
            Some(path) => Err(raise(words::changed_in_place(path, code), self.place.clone())),
            None => Ok(()),
        }
    }

    /// The lists that statements in the graph change, what they `held`, and what the user would write for them.
    pub fn lists_of_graph<'a>(
        &'a self,
        held: &'a Held<'py>,
    ) -> impl Iterator<Item = (&'a Bound<'py, PyAny>, &'a [Bound<'py, PyAny>], &'a str)> {
        let knows = |list: &Bound<'py, PyAny>| session::current().is_some_and(|t| t.lists().knows(list));
        self.watched.iter().zip(held).filter_map(move |(watched, held)| match &watched.holder {
            Holder::Items(list) if knows(list) => Some((list, held.as_slice(), watched.path.as_str())),
            Holder::Items(_) | Holder::Cell(_) | Holder::Global(..) | Holder::Pairs(..) => None,
            Holder::Slot(..) | Holder::Class(_) | Holder::Bytes(_) | Holder::Progress(..) => None,
        })
    }

    /// Contents of the lists that statements in the graph change. They get back what they held: an item that had a place of
    /// its own is put back into the list that it was one of.
    fn take_contents_of_lists(&self) -> PyResult<Vec<(Bound<'py, PyList>, Bound<'py, PyList>)>> {
        let lists: Vec<_> = self.lists_of_graph(&self.held).map(|(list, held, _)| (list, held)).collect();
        let taken = |(list, held): (&Bound<'py, PyAny>, &[Bound<'py, PyAny>])| {
            let list = list.cast_exact::<PyList>()?;
            let now = PyList::new(self.py, list.iter())?;
            list.set_slice(0, list.len(), PyList::new(self.py, held)?.as_any())?;
            Ok((list.clone(), now))
        };
        lists.into_iter().map(taken).collect()
    }

    /// Gives the places and the containers that do not flow what they `held`.
    pub fn undo(&self, held: &Held<'py>) -> PyResult<()> {
        for (_, change) in self.changes(held) {
            let Change::Spots(spots) = change else { continue };
            spots.iter().try_for_each(|(spot, (was, _))| spot.set(was))?;
        }
        self.take_back(held).map(drop)
    }

    /// The path of a place that the statement changes and that has a value on some paths only.
    fn half_set(&self) -> PyResult<Option<String>> {
        let Some(tracing) = session::current() else { return Ok(None) };
        for (spot, path) in tracing.hidden().of(self.statement(), &|spot| self.reaches(spot)) {
            if is_in_doubt(&spot.get(self.py)?) {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Tells the graph that is built which lists, dicts and sets are reached, until what this gives is dropped.
    pub fn lists(&self) -> Option<lists::Open> {
        let may_flow = || self.watched.iter().filter(|watched| !watched.native);
        let list = |watched: &Watched<'py>| {
            let Holder::Items(items) = &watched.holder else { return None };
            Some((items.cast_exact::<PyList>().ok()?.clone(), watched.path.clone()))
        };
        let table = |watched: &Watched<'py>| Some((watched.holder.table()?, watched.path.clone()));
        let (lists, tables) = (may_flow().filter_map(list), may_flow().filter_map(table));
        lists::open(self.held.iter().flatten(), lists, tables)
    }

    /// True if a change is one that flows.
    fn is_known(&self, watched: &Watched<'py>, change: &Change<'py>) -> bool {
        let Some(tracing) = session::current().filter(|_| self.flows) else { return false };
        match change {
            Change::Nothing => true,
            Change::Spots(spots) => {
                spots.iter().all(|(spot, _)| tracing.hidden().knows(self.statement(), spot, self.py))
            }
            Change::Other => watched.holder.flows(),
        }
    }

    /// True if a change gave objects what their classes hold.
    fn is_left(&self, change: &Change<'py>) -> bool {
        self.flows && session::current().is_some_and(|tracing| tracing.is_left(change))
    }

    /// The path of something that holds something else now. What changes by `restore` alone does not count: a property
    /// may compute what it stores.
    pub fn changed(&self, restore: &dyn Fn() -> PyResult<()>) -> PyResult<Option<String>> {
        for (watched, held) in self.watched.iter().zip(&*self.held) {
            let Ok(now) = watched.holder.held() else { continue };
            if same(held, &now) || self.is_known(watched, &watched.change(held)?) {
                continue;
            }
            restore()?;
            if same(&now, &watched.holder.held()?) && !self.is_left(&watched.holder.change(held)?) {
                return Ok(Some(watched.changed(held, &now)));
            }
        }
        Ok(None)
    }
}

impl<'py> Watched<'py> {
    /// The change since it held this; the items of a dict that Python's own methods read do not flow.
    fn change(&self, held: &[Bound<'py, PyAny>]) -> PyResult<Change<'py>> {
        let is_inner = self.native && matches!(self.holder, Holder::Pairs(_, Step::Key));
        match self.holder.change(held)? {
            Change::Spots(_) if is_inner => Ok(Change::Other),
            change @ (Change::Nothing | Change::Spots(_) | Change::Other) => Ok(change),
        }
    }

    /// The path of what changed: of an object, the first attribute that did.
    fn changed(&self, held: &[Bound<'py, PyAny>], now: &[Bound<'py, PyAny>]) -> String {
        let step = match self.holder {
            Holder::Pairs(_, step @ Step::Attribute) => step,
            Holder::Class(_) => Step::Attribute,
            Holder::Pairs(_, Step::Key) | Holder::Cell(_) | Holder::Global(..) => return self.path.clone(),
            Holder::Items(_) | Holder::Slot(..) | Holder::Bytes(_) | Holder::Progress(..) => {
                return self.path.clone();
            }
        };
        let was = |pair: &&[Bound<'py, PyAny>]| !held.chunks(2).any(|old| same(old, pair));
        let Some([name, _]) = now.chunks(2).find(was) else { return self.path.clone() };
        format!("{}{}", self.path, step.text(name))
    }

    /// The path of a place in it.
    fn path_of(&self, spot: &Location, py: Python<'py>) -> String {
        match (&self.holder, spot) {
            (Holder::Pairs(_, step), Location::Entry(_, key)) => {
                format!("{}{}", self.path, step.text(key.bind(py)))
            }
            (Holder::Class(_), Location::Slot(_, name)) => format!("{}.{}", self.path, name.bind(py)),
            (Holder::Pairs(..) | Holder::Class(_) | Holder::Cell(_) | Holder::Global(..), _)
            | (Holder::Items(_) | Holder::Slot(..) | Holder::Bytes(_) | Holder::Progress(..), _) => {
                self.path.clone()
            }
        }
    }
}
