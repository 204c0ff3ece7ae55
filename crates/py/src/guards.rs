//! What of the world outside of its arguments a graph was made with: globals, variables of closures and attributes. Each
//! call looks whether they are what they were; if not, the function is traced anew.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString, PyTuple, PyType};

use crate::current::Tracing;
use crate::host::same_number;
use crate::tensor::Tensor;
use crate::traces::Held;
use crate::{array, fingerprint};

/// One thing that a graph was made with.
#[derive(Debug)]
pub struct Guard {
    place: Place,
    was: Was,
    /// As the user writes it: `self.rate`.
    path: String,
}

/// Where it is.
#[derive(Debug)]
pub enum Place {
    /// A global of this name.
    Global(Py<PyDict>, Py<PyString>),
    /// A variable that functions share.
    Cell(Py<PyAny>),
    /// An attribute of an object, its own or its class's; whether `getattr` finds it without running code of the user's.
    Attribute(Held, Py<PyString>, bool),
    /// What a dict, list or tuple holds under a key.
    Item(Held, Py<PyAny>),
    /// All that a list, dict, set or deque holds.
    Contents(Held),
}

/// What it was.
#[derive(Debug)]
pub enum Was {
    /// A number, a string or `None`, which counts by type and value.
    Value(Py<PyAny>),
    /// Any other object, which counts by identity.
    Object(Held),
    /// The items of what is there; of a dict, each key and then what it holds.
    Items(usize, Vec<Was>),
    /// What a NumPy array holds, by its checksum.
    Elements(u64),
    /// Nothing.
    Absent,
    /// What the graph takes, whatever it is.
    Taken,
}

/// The guards of a graph while it is built.
#[derive(Debug, Default)]
pub struct Recorder {
    guards: Vec<Guard>,
    /// The functions, and the attributes by object and name, that were looked at.
    known: HashSet<(usize, usize)>,
    /// The objects that were there before the graph, as far as it reaches them.
    world: HashSet<usize>,
    /// The functions among the arguments: what their closures hold is part of the trace type.
    keyed: HashSet<usize>,
    /// The NumPy arrays whose elements were read, by their addresses: each with whether it was there before the graph.
    arrays: HashMap<usize, (Held, bool)>,
    /// The objects that were looked at: their addresses stay theirs until the graph is built.
    alive: Vec<Py<PyAny>>,
}

impl Guard {
    /// What is there now; `holder` is the object whose attribute it is.
    fn now<'py>(&self, py: Python<'py>, holder: Option<&Bound<'py, PyAny>>) -> Option<Bound<'py, PyAny>> {
        match &self.place {
            Place::Global(globals, name) => globals.bind(py).get_item(name).ok().flatten(),
            Place::Cell(cell) => cell.bind(py).getattr(intern!(py, "cell_contents")).ok(),
            Place::Attribute(_, name, true) => holder?.getattr_opt(name).ok().flatten(),
            Place::Attribute(_, name, false) => stored(holder?, name.bind(py)),
            Place::Item(_, key) => item(holder?, key.bind(py)),
            Place::Contents(_) => holder.cloned(),
        }
    }

    /// What it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.place {
            Place::Global(globals, _) => visit.call(globals)?,
            Place::Cell(cell) => visit.call(cell)?,
            Place::Attribute(object, ..) | Place::Item(object, _) | Place::Contents(object) => {
                object.visit(visit)?;
            }
        }
        self.was.visit(visit)
    }

    fn holder(&self) -> Option<&Held> {
        match &self.place {
            Place::Attribute(held, ..) | Place::Item(held, _) | Place::Contents(held) => Some(held),
            Place::Global(..) | Place::Cell(_) => None,
        }
    }

    /// What is there now, if it is not what it was.
    fn changed<'py>(&self, py: Python<'py>) -> Option<Option<Bound<'py, PyAny>>> {
        let holder = self.holder().and_then(|held| held.get(py));
        let now = self.now(py, holder.as_ref());
        (!self.was.is(now.as_ref())).then_some(now)
    }

    /// What differs, and what to do about it; `None` if nothing does.
    pub fn reason(&self, py: Python<'_>) -> Option<String> {
        let now = self.changed(py)?;
        if let (Was::Elements(_), Some(_)) = (&self.was, &now) {
            return Some(format!(
                "`{}` holds other numbers than before: pass it as an argument, keep it in a `gw.Variable`, or make it \
                 read-only by `flags.writeable = False`",
                self.path
            ));
        }
        let remedy = "keep it, or hold what changes in a `gw.Variable` or pass it as an argument";
        let (path, now, before) = match (&self.was, &now) {
            (Was::Items(count, was), Some(container)) => self.item_that_differs(*count, was, container),
            (was, now) => (self.path.clone(), word(now.as_ref()), was.word(py)),
        };
        Some(format!("`{path}` is {now}, before {before}: {remedy}"))
    }

    /// The path of the first item that is another one, what it is, and what it was.
    fn item_that_differs(
        &self,
        count: usize,
        was: &[Was],
        now: &Bound<'_, PyAny>,
    ) -> (String, String, String) {
        let (found, values) = items(now);
        let is_dict = now.is_instance_of::<PyDict>();
        let differs = was.iter().zip(&values).position(|(was, now)| !was.is(Some(now)));
        let Some(at) = differs.filter(|at| found == count && !(is_dict && at % 2 == 0)) else {
            let each = if is_dict { 2 } else { 1 };
            let words = |n: usize| format!("a `{}` of {}", kind(now), n / each);
            return (self.path.clone(), words(found), words(count));
        };
        let step = if is_dict {
            values[at - 1].repr().map_or_else(|_| "…".to_owned(), |r| r.to_string())
        } else {
            at.to_string()
        };
        (format!("{}[{step}]", self.path), word(values.get(at)), was[at].word(now.py()))
    }
}

/// What is there in the user's words.
fn word(value: Option<&Bound<'_, PyAny>>) -> String {
    match value {
        None => "gone".to_owned(),
        Some(value) if is_literal(value) => value.repr().map_or_else(|_| "…".to_owned(), |r| r.to_string()),
        Some(value) => format!("another `{}`", kind(value)),
    }
}

fn kind(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "object".to_owned(), |name| name.to_string())
}

impl Was {
    /// What is there.
    pub fn of(value: Option<&Bound<'_, PyAny>>) -> Self {
        match value {
            None => Was::Absent,
            Some(value) if is_literal(value) => Was::Value(value.clone().unbind()),
            Some(value) => Was::Object(Held::of(value)),
        }
    }

    /// The items of a container.
    pub fn items(container: &Bound<'_, PyAny>) -> Self {
        let (count, values) = items(container);
        let item =
            |value: &Bound<'_, PyAny>| if is_staged(value) { Was::Taken } else { Was::of(Some(value)) };
        Was::Items(count, values.iter().map(item).collect())
    }

    fn word(&self, py: Python<'_>) -> String {
        match self {
            Was::Value(value) => word(Some(value.bind(py))),
            Was::Object(held) => held.get(py).map_or_else(|| "gone".to_owned(), |o| word(Some(&o))),
            Was::Items(..) => "other items".to_owned(),
            Was::Elements(_) => "other numbers".to_owned(),
            Was::Absent => "absent".to_owned(),
            Was::Taken => "what the graph takes".to_owned(),
        }
    }

    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Was::Object(held) => held.visit(visit),
            Was::Items(_, items) => items.iter().try_for_each(|item| item.visit(visit)),
            Was::Value(_) | Was::Absent | Was::Taken | Was::Elements(_) => Ok(()),
        }
    }

    fn is(&self, now: Option<&Bound<'_, PyAny>>) -> bool {
        match (self, now) {
            (Was::Absent, now) => now.is_none(),
            (Was::Taken, now) => now.is_some(),
            (Was::Value(_) | Was::Object(_) | Was::Items(..) | Was::Elements(_), None) => false,
            (Was::Elements(sum), Some(now)) => fingerprint::of(now).is_ok_and(|now| now == *sum),
            (Was::Items(count, items), Some(now)) => same_items(*count, items, now),
            (Was::Value(value), Some(now)) => is_same(value.bind(now.py()), now),
            (Was::Object(held), Some(now)) => held.is(now),
        }
    }
}

/// So many items of a container are looked at; of larger ones the rest may change unseen.
const MOST_ITEMS: usize = 1000;

/// Whether an object is one whose items can change and are looked at without running code of the user's.
pub fn is_container(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyDict>()
        || object.is_instance_of::<PySet>()
        || object.get_type().fully_qualified_name().is_ok_and(|name| name == "collections.deque")
}

/// How many items a container has, and the first of them; of a dict, each key and then what it holds.
pub fn items<'py>(container: &Bound<'py, PyAny>) -> (usize, Vec<Bound<'py, PyAny>>) {
    if let Ok(list) = container.cast::<PyList>() {
        return (list.len(), list.iter().take(MOST_ITEMS).collect());
    }
    if let Ok(dict) = container.cast::<PyDict>() {
        return (
            dict.len() * 2,
            dict.iter().take(MOST_ITEMS).flat_map(|(key, value)| [key, value]).collect(),
        );
    }
    let count = container.len().unwrap_or(0);
    let found = container.try_iter().map(|all| all.take(MOST_ITEMS).filter_map(Result::ok).collect());
    (count, found.unwrap_or_default())
}

/// Whether a container holds what it held: looked at one by one, since most calls find nothing else.
fn same_items(count: usize, was: &[Was], now: &Bound<'_, PyAny>) -> bool {
    if let Ok(list) = now.cast::<PyList>() {
        return list.len() == count && was.iter().zip(list.iter()).all(|(was, now)| was.is(Some(&now)));
    }
    if let Ok(dict) = now.cast::<PyDict>() {
        let pair = |(was, (key, value)): (&[Was], (Bound<'_, PyAny>, Bound<'_, PyAny>))| {
            was[0].is(Some(&key)) && was[1].is(Some(&value))
        };
        return dict.len() * 2 == count && was.chunks_exact(2).zip(dict.iter()).all(pair);
    }
    let (found, values) = items(now);
    found == count && was.iter().zip(&values).all(|(was, now)| was.is(Some(now)))
}

/// What a list, tuple or dict holds under a key.
pub fn item<'py>(container: &Bound<'py, PyAny>, key: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    if let Ok(dict) = container.cast::<PyDict>() {
        return dict.get_item(key).ok().flatten();
    }
    let at: isize = key.extract().ok()?;
    let place = |count: usize| usize::try_from(if at < 0 { at + count as isize } else { at }).ok();
    if let Ok(list) = container.cast::<PyList>() {
        return list.get_item(place(list.len())?).ok();
    }
    let tuple = container.cast::<PyTuple>().ok()?;
    tuple.get_item(place(tuple.len())?).ok()
}

/// Whether two numbers, strings or `None`s are of one type and value.
pub fn is_same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    a.is(b) || same_number(a, b) || same_text(a, b)
}

/// Whether `getattr` finds an attribute without running code of the user's: what `stored` gives.
pub fn is_plain(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let py = object.py();
    let class = object.get_type();
    let reads = intern!(py, "__getattribute__");
    if object.is_instance_of::<PyType>()
        || !class.getattr(reads)?.is(&py.get_type::<PyAny>().getattr(reads)?)
        || class.hasattr(intern!(py, "__getattr__"))?
    {
        return Ok(false);
    }
    for base in class.mro() {
        if let Ok(value) = base.getattr(intern!(py, "__dict__")).and_then(|names| names.get_item(name)) {
            return Ok(is_slot(&value) || !value.hasattr("__get__")?);
        }
    }
    Ok(true)
}

fn is_slot(value: &Bound<'_, PyAny>) -> bool {
    value.get_type().name().is_ok_and(|name| name == "member_descriptor")
}

/// Whether it is a value of a graph.
pub fn is_staged(value: &Bound<'_, PyAny>) -> bool {
    value.cast::<Tensor>().is_ok_and(|tensor| tensor.get().is_staged())
}

/// Whether it is a number, a string or `None`.
pub fn is_literal(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || matches!(array::number(value), Ok(Some(_)) | Err(_))
}

fn same_text(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> bool {
    let text = |v: &Bound<'_, PyAny>| v.is_exact_instance_of::<PyString>();
    text(a) && text(b) && a.eq(b).unwrap_or(false)
}

/// What an object holds under a name, its own or its class's, without running code of the user's; `None` for properties,
/// methods and what is not there.
pub fn stored<'py>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
    let py = object.py();
    let own = object.getattr_opt(intern!(py, "__dict__")).ok().flatten();
    if let Some(own) = own.as_ref().and_then(|own| own.cast::<PyDict>().ok())
        && let Ok(Some(value)) = own.get_item(name)
    {
        return Some(value);
    }
    let class = match object.cast::<PyType>() {
        Ok(class) => class.clone(),
        Err(_) => object.get_type(),
    };
    for base in class.mro() {
        let Ok(value) = base.getattr(intern!(py, "__dict__")).and_then(|names| names.get_item(name)) else {
            continue;
        };
        return if is_slot(&value) {
            object.getattr(name).ok()
        } else {
            (!value.hasattr("__get__").unwrap_or(true)).then_some(value)
        };
    }
    None
}

impl Tracing {
    /// The guards so far.
    pub fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the guards out. What a container holds does not count if the function itself puts something into it.
    pub fn take_guards(&self, py: Python<'_>) -> Vec<Guard> {
        let mut recorder = self.recorder();
        let own = |guard: &Guard| matches!(guard.was, Was::Items(..)) && guard.changed(py).is_some();
        recorder.guards.retain(|guard| !own(guard));
        recorder.known.clear();
        recorder.world.clear();
        recorder.keyed.clear();
        recorder.alive.clear();
        recorder.arrays.clear();
        // Arrays that the function made itself are no more.
        let lives = |guard: &Guard| guard.holder().is_none_or(|held| held.get(py).is_some());
        recorder.guards.retain(|guard| !matches!(guard.was, Was::Elements(_)) || lives(guard));
        std::mem::take(&mut recorder.guards)
    }
}

impl Recorder {
    /// Adds what the graph is made with.
    pub fn add(&mut self, place: Place, was: Was, path: String) {
        self.guards.push(Guard { place, was, path });
    }

    /// Guards the numbers in an array, by the array that owns its memory; `is_outside` says that it was there before the
    /// graph. Arrays that nothing can change need no guard.
    pub fn read_elements(&mut self, array: &Bound<'_, PyAny>, path: &str, is_outside: bool) -> PyResult<()> {
        let Some(owner) = fingerprint::owner(array)? else { return Ok(()) };
        let address = owner.as_ptr() as usize;
        if self.arrays.get(&address).is_some_and(|(held, _)| held.is(&owner)) {
            return Ok(());
        }
        let sum = Was::Elements(fingerprint::of(&owner)?);
        self.arrays.insert(address, (Held::of(&owner), is_outside));
        self.add(Place::Contents(Held::of(&owner)), sum, path.to_owned());
        Ok(())
    }

    /// An array from outside that the function changed while it was traced.
    pub fn changed_array(&self, py: Python<'_>) -> Option<&str> {
        let is_outside = |object: &Bound<'_, PyAny>| {
            self.arrays.get(&(object.as_ptr() as usize)).is_some_and(|(_, is_outside)| *is_outside)
        };
        let changed = |guard: &&Guard| {
            let object = guard.holder().and_then(|held| held.get(py));
            matches!(guard.was, Was::Elements(_))
                && object.is_some_and(|object| is_outside(&object) && !guard.was.is(Some(&object)))
        };
        self.guards.iter().find(changed).map(|guard| guard.path.as_str())
    }

    /// Says which functions, known by their addresses, are among the arguments of the call.
    pub fn know_functions(&mut self, functions: &[usize]) {
        self.keyed.extend(functions);
    }

    /// Whether a function is among the arguments of the call.
    pub fn is_keyed(&self, function: &Bound<'_, PyAny>) -> bool {
        self.keyed.contains(&(function.as_ptr() as usize))
    }

    /// Whether an object was there before the graph.
    pub fn is_of_the_world(&self, object: &Bound<'_, PyAny>) -> bool {
        self.world.contains(&(object.as_ptr() as usize))
    }

    /// Says that an object was there before the graph.
    pub fn hold(&mut self, object: &Bound<'_, PyAny>) {
        if self.world.insert(object.as_ptr() as usize) {
            self.alive.push(object.clone().unbind());
        }
    }

    /// Whether this object and name are looked at for the first time.
    pub fn first(&mut self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> bool {
        let first = self.known.insert((object.as_ptr() as usize, name.as_ptr() as usize));
        if first {
            self.alive.push(object.clone().unbind());
            self.alive.push(name.clone().unbind());
        }
        first
    }
}

/// Whether all that the guards look at is what it was.
pub fn all_hold(py: Python<'_>, guards: &[Guard]) -> bool {
    // Attributes of one object stand together: it is looked for once.
    let mut last: Option<(&Held, Option<Bound<'_, PyAny>>)> = None;
    guards.iter().all(|guard| {
        if let Some(held) = guard.holder()
            && !last.as_ref().is_some_and(|(known, _)| known.same(held))
        {
            last = Some((held, held.get(py)));
        }
        let holder = last.as_ref().and_then(|(_, object)| object.as_ref());
        guard.was.is(guard.now(py, holder).as_ref())
    })
}

/// A guard that fails says why; used where a graph of the same trace type does not do.
pub fn reason(py: Python<'_>, guards: &[Guard]) -> Option<String> {
    guards.iter().find_map(|guard| guard.reason(py))
}
