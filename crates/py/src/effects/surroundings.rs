//! The places around a function that it changes, and the objects around it, kept beside its tracing: where an exception leaves the
//! function, they are compared with what they held when it began.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use gw_trace::{Slot, State};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyType};

use crate::containers::lists::{self, Lists};
use crate::effects::location::Location;
use crate::effects::walk::Watched;
use crate::effects::watched_container::{Change, Holder, Step, same};
use crate::exceptions::errors::{self, Failed};
use crate::host::PyHost;
use crate::session::{self, frames};

/// So many objects around a function, those nearest to it first, are looked at where an exception leaves it: each look goes to all
/// of them.
const MOST_KEPT: usize = 1024;

/// So many places around a function are looked for again; more are new ones each time that it is traced.
pub const MOST_PLACES: usize = 64;

/// The places around a function that it changes.
#[derive(Debug, Default)]
pub struct Spots {
    known: Mutex<Vec<Arc<Location>>>,
    lists: Mutex<Vec<Flowing>>,
    surroundings: Mutex<Arc<Surroundings>>,
    exits: Mutex<Vec<Exit>>,
}

/// A list around the function that its graph changes: what it holds is part of the state of the whole function.
#[derive(Debug)]
pub struct Flowing {
    /// List that the graph changes.
    pub list: Py<PyList>,
    /// The text that the user would write for it.
    pub path: String,
    /// True if it becomes longer or shorter.
    pub grows: bool,
}

/// A place where an exception leaves the function, and what the containers hold then that are changed otherwise than in places.
#[derive(Debug)]
struct Exit {
    at: Option<Loc>,
    /// By the positions of the containers.
    contents: Vec<(usize, Vec<Py<PyAny>>)>,
}

/// The objects around a function that hold what it may store.
#[derive(Debug, Default)]
pub struct Surroundings(Vec<Kept>);

/// One of them, with what it held.
#[derive(Debug)]
pub struct Kept {
    holder: Unbound,
    path: String,
    held: Vec<Py<PyAny>>,
}

/// A holder whose changes are places, without the interpreter.
#[derive(Debug)]
enum Unbound {
    Cell(Py<PyAny>),
    Global(Py<PyDict>, Py<PyAny>),
    Items(Py<PyAny>),
    Pairs(Py<PyDict>, Step),
    Slot(Py<PyAny>, String),
    Class(Py<PyType>),
}

impl Spots {
    /// Says which objects are around the function.
    pub fn surround(&self, surroundings: Surroundings) {
        let before = std::mem::replace(&mut *lock(&self.surroundings), Arc::new(surroundings));
        drop(before);
    }

    /// All that are known.
    pub fn all(&self) -> Vec<Arc<Location>> {
        lock(&self.known).clone()
    }

    /// Makes more known.
    pub fn extend(&self, spots: Vec<Arc<Location>>) {
        Python::attach(|py| {
            for spot in spots {
                if !self.knows(&spot, py) {
                    lock(&self.known).push(spot);
                }
            }
        });
    }

    /// A place as a variable of a statement: by the text that the user would write for it, where there is one.
    pub fn slot(&self, spot: &Location, py: Python<'_>) -> Slot {
        let surroundings = lock(&self.surroundings).clone();
        let mut kept = surroundings.0.iter();
        let Some(Kept { holder, path, .. }) = kept.find(|kept| kept.holder.bind(py).has(spot)) else {
            return Slot::Around;
        };
        Slot::of(match (holder, spot) {
            (Unbound::Pairs(_, step), Location::Entry(_, key)) => {
                format!("{path}{}", step.text(key.bind(py)))
            }
            (Unbound::Class(_), Location::Slot(_, name)) => format!("{path}.{}", name.bind(py)),
            (Unbound::Cell(_) | Unbound::Global(..) | Unbound::Items(_) | Unbound::Slot(..), _)
            | (Unbound::Pairs(..) | Unbound::Class(_), _) => path.clone(),
        })
    }

    /// True if a place is one of them, or is of a list that flows.
    pub fn knows(&self, spot: &Location, py: Python<'_>) -> bool {
        self.flows(spot) || lock(&self.known).iter().any(|known| known.is(spot, py))
    }

    /// True for what a list holds that flows.
    pub fn flows(&self, spot: &Location) -> bool {
        match spot {
            Location::Tail(list, _) | Location::Items(list) => self.carries(list),
            Location::Cell(_) | Location::Entry(..) | Location::Slot(..) => false,
        }
    }

    fn carries(&self, list: &Py<PyAny>) -> bool {
        lock(&self.lists).iter().any(|flowing| flowing.list.is(list))
    }

    /// True if neither a place nor a list is known.
    pub fn is_empty(&self) -> bool {
        lock(&self.known).is_empty() && lock(&self.lists).is_empty()
    }

    /// The lists that flow.
    pub fn lists(&self, py: Python<'_>) -> Vec<Flowing> {
        lock(&self.lists).iter().map(|flowing| flowing.copy(py)).collect()
    }

    /// Lets these lists flow.
    pub fn carry(&self, lists: Vec<Flowing>) {
        lock(&self.lists).extend(lists);
    }

    /// True if branches or loops of the graph change more lists; from now on these flow.
    pub fn find_lists(&self, py: Python<'_>, is_one: &dyn Fn(&Kept) -> bool) -> bool {
        let surroundings = lock(&self.surroundings).clone();
        let found = surroundings.0.iter().filter(|kept| is_one(kept)).filter_map(|kept| kept.flowing(py));
        let mut found: Vec<_> = found.filter(|found| !self.carries(found.list.as_any())).collect();
        found.truncate(MOST_PLACES.saturating_sub(lock(&self.lists).len()));
        let any = !found.is_empty();
        self.carry(found);
        any
    }

    /// True if more places or lists hold something else now; from now on they are known.
    pub fn find(&self, py: Python<'_>) -> bool {
        let lists = self.find_lists(py, &|kept| !kept.is_untouched(py));
        let surroundings = lock(&self.surroundings).clone();
        let mut changed = surroundings.changed(py);
        changed.retain(|spot| spot.lasts(py) && !self.knows(spot, py));
        changed.truncate(MOST_PLACES.saturating_sub(lock(&self.known).len()));
        let any = !changed.is_empty();
        self.extend(changed);
        lists || any
    }

    /// Takes down what containers hold where an exception leaves the function.
    pub fn leave(&self, py: Python<'_>, at: Option<Loc>) {
        let surroundings = lock(&self.surroundings).clone();
        let contents: Vec<_> = surroundings.changed_otherwise(py).collect();
        lock(&self.exits).push(Exit { at, contents });
    }

    /// GW103 for a container that holds something else where an exception leaves the function than where the function ends: what the
    /// graph does not change is changed once, while tracing.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        let surroundings = lock(&self.surroundings).clone();
        let exits = std::mem::take(&mut *lock(&self.exits));
        let ends: HashMap<_, _> = surroundings.changed_otherwise(py).collect();
        for Exit { at, contents } in exits {
            let then: HashMap<_, _> = contents.into_iter().collect();
            let mut changed: Vec<_> = then.keys().chain(ends.keys()).copied().collect();
            changed.sort_unstable();
            for container in changed {
                let kept = &surroundings.0[container];
                let holds = |held: &HashMap<usize, Vec<Py<PyAny>>>| {
                    let held = held.get(&container).unwrap_or(&kept.held);
                    held.iter().map(|object| object.bind(py).clone()).collect::<Vec<_>>()
                };
                let flows = kept.holder.bind(py).flows() && ends.contains_key(&container);
                // A list of the graph that does not flow gets what it holds when the function ends.
                let is_lost = then.contains_key(&container)
                    && kept.flowing(py).is_some_and(|list| !self.carries(list.list.as_any()));
                if is_lost || !flows && !same(&holds(&then), &holds(&ends)) {
                    let found = differs(&kept.path);
                    let found = at.into_iter().fold(found, |found, at| found.at(at, "this may raise"));
                    return Err(errors::raise(&found));
                }
            }
        }
        Ok(())
    }

    /// GW103 for a list that branches or loops of the graph change and that does not flow, where what the function raises is a
    /// result of the graph: such a list does not come out of the graph with it.
    pub fn check_lists(&self, py: Python<'_>) -> PyResult<()> {
        let surroundings = lock(&self.surroundings).clone();
        let lost = |kept: &&Kept| kept.flowing(py).is_some_and(|list| !self.carries(list.list.as_any()));
        let Some(kept) = surroundings.0.iter().find(lost) else { return Ok(()) };
        let at = lock(&self.exits).iter().find_map(|exit| exit.at.clone());
        let found = differs(&kept.path);
        Err(match at {
            Some(at) => errors::raise(&found.at(at, "this may raise")),
            None => errors::at_call(py, found),
        })
    }

    /// Lets all objects go.
    pub fn forget(&self) {
        let known = (std::mem::take(&mut *lock(&self.known)), std::mem::take(&mut *lock(&self.lists)));
        let surroundings = std::mem::take(&mut *lock(&self.surroundings));
        let exits = std::mem::take(&mut *lock(&self.exits));
        drop((known, surroundings, exits));
    }
}

fn differs(path: &str) -> Diagnostic {
    let message = format!(
        "`{path}` is changed in place, and an exception of the graph may leave the function before or after that"
    );
    let help =
        "change it where no exception comes between, or return what is new and change it after the call";
    Diagnostic::new(Code::BranchesDisagree, message).help(help)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Surroundings {
    /// Those of these holders in which a change is one of places.
    pub fn of<'a, 'py: 'a>(
        watched: impl Iterator<Item = (&'a Watched<'py>, &'a Vec<Bound<'py, PyAny>>)>,
    ) -> Self {
        let kept = |(watched, held): (&Watched<'py>, &Vec<Bound<'py, PyAny>>)| {
            let held = held.iter().map(|object| object.clone().unbind()).collect();
            Some(Kept { holder: Unbound::of(&watched.holder)?, path: watched.path.clone(), held })
        };
        Self(watched.filter_map(kept).take(MOST_KEPT).collect())
    }

    /// GW103 for a container that was changed and does not flow through the graph, where what it holds matters now.
    pub fn lost(&self, py: Python<'_>) -> Option<Diagnostic> {
        let flows = |at: usize| self.0[at].holder.bind(py).flows();
        let (at, _) = self.changed_otherwise(py).find(|(at, _)| !flows(*at))?;
        let message = format!(
            "`{}` is changed in place in the body of a `try` that the graph may leave here",
            self.0[at].path
        );
        let help =
            "change it before or behind the `try`, or collect what is new in a list or dict of numbers";
        let found = Diagnostic::new(Code::BranchesDisagree, message).help(help);
        Some(frames::place(py).into_iter().fold(found, |found, at| found.at(at, "this may raise")))
    }

    /// Those that were changed otherwise than in places, by their positions, and what they hold now.
    fn changed_otherwise<'a>(&'a self, py: Python<'a>) -> impl Iterator<Item = (usize, Vec<Py<PyAny>>)> + 'a {
        let touched = self.0.iter().enumerate().filter(move |(_, kept)| !kept.is_untouched(py));
        touched.filter_map(move |(at, Kept { holder, held, .. })| {
            let held: Vec<_> = held.iter().map(|object| object.bind(py).clone()).collect();
            let holder = holder.bind(py);
            let is_other = matches!(holder.change_by_function(&held), Ok(Change::Other));
            let now = holder.held().ok().filter(|_| is_other)?;
            Some((at, now.into_iter().map(Bound::unbind).collect()))
        })
    }

    /// The places that hold something else now.
    pub fn changed(&self, py: Python<'_>) -> Vec<Arc<Location>> {
        let mut changed = Vec::new();
        for Kept { holder, held, .. } in self.0.iter().filter(|kept| !kept.is_untouched(py)) {
            let held: Vec<_> = held.iter().map(|object| object.bind(py).clone()).collect();
            // An object that cannot be read now is read again when the function has ended.
            if let Ok(Change::Spots(spots)) = holder.bind(py).change_by_function(&held) {
                changed.extend(spots.into_iter().map(|(spot, _)| Arc::new(spot)));
            }
        }
        changed
    }
}

impl Flowing {
    fn copy(&self, py: Python<'_>) -> Self {
        Self { list: self.list.clone_ref(py), path: self.path.clone(), grows: self.grows }
    }
}

impl Kept {
    /// It, if it is a list that branches or loops of the graph change.
    fn flowing(&self, py: Python<'_>) -> Option<Flowing> {
        let Unbound::Items(items) = &self.holder else { return None };
        let list = items.bind(py).cast_exact::<PyList>().ok()?;
        let grows = session::current()?.lists().grows(list)?;
        Some(Flowing { list: list.clone().unbind(), path: self.path.clone(), grows })
    }

    /// True if it holds the very same objects: most do, and to see that takes no memory.
    fn is_untouched(&self, py: Python<'_>) -> bool {
        let held = &self.held;
        match &self.holder {
            Unbound::Pairs(dict, _) if dict.bind(py).is_exact_instance_of::<PyDict>() => {
                let dict = dict.bind(py);
                let is_same = |((key, value), was): ((Bound<'_, _>, Bound<'_, _>), &[Py<PyAny>])| {
                    key.is(&was[0]) && value.is(&was[1])
                };
                2 * dict.len() == held.len() && dict.iter().zip(held.chunks(2)).all(is_same)
            }
            Unbound::Items(items) => items.bind(py).cast_exact::<PyList>().is_ok_and(|list| {
                list.len() == held.len() && list.iter().zip(held).all(|(item, was)| item.is(was))
            }),
            Unbound::Global(dict, name) => {
                let now = dict.bind(py).get_item(name).ok().flatten();
                now.is_some_and(|now| held.first().is_some_and(|was| now.is(was)))
            }
            Unbound::Cell(_) | Unbound::Slot(..) | Unbound::Class(_) => {
                let now = self.holder.bind(py).held().unwrap_or_default();
                now.len() == held.len() && now.iter().zip(held).all(|(now, was)| now.is(was))
            }
            Unbound::Pairs(..) => false,
        }
    }
}

impl Unbound {
    fn of(holder: &Holder<'_>) -> Option<Self> {
        Some(match holder {
            Holder::Cell(cell) => Self::Cell(cell.clone().unbind()),
            Holder::Global(dict, name) => Self::Global(dict.clone().unbind(), name.clone().unbind()),
            Holder::Items(items) => Self::Items(items.clone().unbind()),
            Holder::Pairs(dict, step) => Self::Pairs(dict.clone().unbind(), *step),
            Holder::Slot(object, name) => Self::Slot(object.clone().unbind(), name.clone()),
            Holder::Class(class) => Self::Class(class.clone().unbind()),
            Holder::Bytes(_) | Holder::Progress(..) => return None,
        })
    }

    fn bind<'py>(&self, py: Python<'py>) -> Holder<'py> {
        match self {
            Self::Cell(cell) => Holder::Cell(cell.bind(py).clone()),
            Self::Global(dict, name) => Holder::Global(dict.bind(py).clone(), name.bind(py).clone()),
            Self::Items(items) => Holder::Items(items.bind(py).clone()),
            Self::Pairs(dict, step) => Holder::Pairs(dict.bind(py).clone(), *step),
            Self::Slot(object, name) => Holder::Slot(object.bind(py).clone(), name.clone()),
            Self::Class(class) => Holder::Class(class.bind(py).clone()),
        }
    }
}

/// Stages a function over a state of these variables.
type Staging<'a, 'py> = &'a dyn Fn(&[Slot], &dyn State<PyHost<'py>>) -> Result<(), Failed>;

/// Stages a function over `state` and these lists around it: each exit of the function sees what they hold there.
pub fn with_lists<'py>(
    host: &PyHost<'py>,
    flowing: &[Flowing],
    slots: &[Slot],
    state: &dyn State<PyHost<'py>>,
    stage: Staging<'_, 'py>,
) -> PyResult<()> {
    let (py, tracing) = (host.py(), host.tracing());
    if flowing.is_empty() {
        return Ok(stage(slots, state)?);
    }
    flowing.iter().for_each(|known| tracing.lists().note(known.list.bind(py), known.grows));
    let named = flowing.iter().map(|known| (known.list.bind(py).clone(), known.path.clone()));
    let _open = lists::open(std::iter::empty(), named, std::iter::empty());
    let by_value = Default::default();
    let lists = Lists::enter(host, &by_value)?;
    let own = lists.slots();
    let slots: Vec<_> = own.iter().chain(slots).cloned().collect();
    stage(&slots, &Behind { count: own.len(), lists: &lists, state })?;
    Ok(lists.end()?)
}

/// The contents of the lists, and behind them the state of the function.
struct Behind<'a, 'py> {
    count: usize,
    lists: &'a Lists<'a, 'py>,
    state: &'a dyn State<PyHost<'py>>,
}

impl<'py> State<PyHost<'py>> for Behind<'_, 'py> {
    fn get(&self) -> Result<Vec<Arc<Py<PyAny>>>, Failed> {
        let mut values = self.lists.values()?;
        values.extend(self.state.get()?);
        Ok(values)
    }

    fn set(&self, values: &[Arc<Py<PyAny>>]) -> Result<(), Failed> {
        let (lists, values) = values.split_at(self.count);
        self.lists.set(lists)?;
        self.state.set(values)
    }
}
