//! What of the world outside of its arguments a graph was made with: globals, variables of closures and attributes. Each
//! call looks whether they are what they were; if not, the function is traced anew.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};

use gw_lower::Chain;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyModule, PyString, PyType};

use crate::current::{self, Tracing};
use crate::host::same_number;
use crate::own_type::TraceType;
use crate::tensor::{Payload, Tensor};
use crate::traces::Held;
use crate::{array, convert, structure};

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
enum Place {
    /// A global of this name.
    Global(Py<PyDict>, Py<PyString>),
    /// A variable that functions share.
    Cell(Py<PyAny>),
    /// An attribute of an object, its own or its class's.
    Attribute(Held, Py<PyString>),
}

/// What it was.
#[derive(Debug)]
enum Was {
    /// A number, a string or `None`, which counts by type and value.
    Value(Py<PyAny>),
    /// Any other object, which counts by identity.
    Object(Held),
    /// Nothing.
    Absent,
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
    /// The objects that were looked at: their addresses stay theirs until the graph is built.
    alive: Vec<Py<PyAny>>,
}

impl Guard {
    /// What is there now, if it is not what it was.
    fn changed<'py>(&self, py: Python<'py>) -> Option<Option<Bound<'py, PyAny>>> {
        let now = match &self.place {
            Place::Global(globals, name) => globals.bind(py).get_item(name).ok().flatten(),
            Place::Cell(cell) => cell.bind(py).getattr(intern!(py, "cell_contents")).ok(),
            Place::Attribute(object, name) => {
                object.get(py).and_then(|object| stored(&object, name.bind(py)))
            }
        };
        (!self.was.is(now.as_ref())).then_some(now)
    }

    /// What it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.place {
            Place::Global(globals, _) => visit.call(globals)?,
            Place::Cell(cell) => visit.call(cell)?,
            Place::Attribute(object, _) => object.visit(visit)?,
        }
        match &self.was {
            Was::Object(held) => held.visit(visit),
            Was::Value(_) | Was::Absent => Ok(()),
        }
    }

    /// Whether what it guards is what it was.
    pub fn holds(&self, py: Python<'_>) -> bool {
        self.changed(py).is_none()
    }

    /// What differs, and what to do about it; `None` if nothing does.
    pub fn reason(&self, py: Python<'_>) -> Option<String> {
        let now = self.changed(py)?;
        let word = |value: Option<&Bound<'_, PyAny>>| match value {
            None => "gone".to_owned(),
            Some(value) if is_literal(value) => {
                value.repr().map_or_else(|_| "…".to_owned(), |r| r.to_string())
            }
            Some(value) => {
                let kind = value.get_type().name().map_or_else(|_| "object".to_owned(), |n| n.to_string());
                format!("another `{kind}`")
            }
        };
        let before = match &self.was {
            Was::Value(value) => word(Some(value.bind(py))),
            Was::Object(held) => held.get(py).map_or_else(|| "gone".to_owned(), |o| word(Some(&o))),
            Was::Absent => "absent".to_owned(),
        };
        let remedy = "keep it, or hold what changes in a `gw.Variable` or pass it as an argument";
        Some(format!("`{}` is {}, before {before}: {remedy}", self.path, word(now.as_ref())))
    }
}

impl Was {
    fn of(value: Option<&Bound<'_, PyAny>>) -> Self {
        match value {
            None => Was::Absent,
            Some(value) if is_literal(value) => Was::Value(value.clone().unbind()),
            Some(value) => Was::Object(Held::of(value)),
        }
    }

    fn is(&self, now: Option<&Bound<'_, PyAny>>) -> bool {
        match (self, now) {
            (Was::Absent, now) => now.is_none(),
            (Was::Value(_) | Was::Object(_), None) => false,
            (Was::Value(value), Some(now)) => {
                let value = value.bind(now.py());
                value.is(now) || same_number(value, now) || same_text(value, now)
            }
            (Was::Object(held), Some(now)) => held.get(now.py()).is_some_and(|object| object.is(now)),
        }
    }
}

fn is_literal(value: &Bound<'_, PyAny>) -> bool {
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
fn stored<'py>(object: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> Option<Bound<'py, PyAny>> {
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
        let member = value.get_type().name().is_ok_and(|n| n == "member_descriptor");
        return if member {
            object.getattr(name).ok()
        } else {
            (!value.hasattr("__get__").unwrap_or(true)).then_some(value)
        };
    }
    None
}

impl Tracing {
    fn recorder(&self) -> MutexGuard<'_, Recorder> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the guards out.
    pub fn take_guards(&self) -> Vec<Guard> {
        let mut recorder = self.recorder();
        recorder.known.clear();
        recorder.world.clear();
        recorder.keyed.clear();
        recorder.alive.clear();
        std::mem::take(&mut recorder.guards)
    }

    /// Says which functions, known by their addresses, are among the arguments of the call.
    pub fn know_functions(&self, functions: &[usize]) {
        self.recorder().keyed.extend(functions);
    }

    /// Guards the globals and the variables of its closure that a function names, with the attributes that it reads of
    /// them.
    pub fn met_function(&self, function: &Bound<'_, PyFunction>, reads: &[Chain]) -> PyResult<()> {
        if !self.recorder().first(function.as_any(), function.as_any()) {
            return Ok(());
        }
        let roots = self.names(function)?;
        for chain in reads {
            if let Some(root) = roots.get(&*chain.root) {
                self.chain(root, chain)?;
            }
        }
        Ok(())
    }

    /// Guards the attributes that a function reads of an argument: of an object of the world that counts by identity.
    pub fn met_argument(&self, name: &str, object: &Bound<'_, PyAny>, reads: &[Chain]) -> PyResult<()> {
        let leaf = structure::open(object)?.is_none() && TraceType::of(object)?.is_none();
        if !leaf || is_ours(object) || is_literal(object) {
            return Ok(());
        }
        self.recorder().hold(object);
        reads.iter().filter(|chain| *chain.root == *name).try_for_each(|chain| self.chain(object, chain))
    }

    /// The globals and variables that a function names, each guarded.
    fn names<'py>(&self, function: &Bound<'py, PyFunction>) -> PyResult<HashMap<String, Bound<'py, PyAny>>> {
        let py = function.py();
        let code = function.getattr(intern!(py, "__code__"))?;
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>().map_err(PyErr::from)?;
        let mut found = HashMap::new();
        let mut codes = vec![code.clone()];
        while let Some(code) = codes.pop() {
            for name in code.getattr("co_names")?.try_iter()? {
                let name = name?.cast_into::<PyString>().map_err(PyErr::from)?;
                if let Some(value) = globals.get_item(&name)? {
                    let place = Place::Global(globals.clone().unbind(), name.clone().unbind());
                    self.guard(&globals, name.as_any(), place, &value, name.to_string());
                    found.insert(name.to_string(), value);
                }
            }
            for inner in code.getattr("co_consts")?.try_iter()? {
                let inner = inner?;
                if inner.hasattr("co_names")? {
                    codes.push(inner);
                }
            }
        }
        let closure = function.getattr("__closure__")?;
        let keyed = self.recorder().keyed.contains(&(function.as_ptr() as usize));
        let names: Vec<String> = code.getattr("co_freevars")?.extract()?;
        for (at, name) in names.into_iter().enumerate() {
            let cell = closure.get_item(at)?;
            if let Ok(value) = cell.getattr(intern!(py, "cell_contents")) {
                if keyed {
                    self.recorder().hold(&value);
                    found.insert(name, value);
                    continue;
                }
                self.guard(&cell, &cell, Place::Cell(cell.clone().unbind()), &value, name.clone());
                found.insert(name, value);
            }
        }
        Ok(found)
    }

    fn chain(&self, root: &Bound<'_, PyAny>, chain: &Chain) -> PyResult<()> {
        let py = root.py();
        let mut object = root.clone();
        let mut path = chain.root.to_string();
        for attribute in &chain.attributes {
            if object.is_instance_of::<PyModule>() || is_ours(&object) {
                return Ok(());
            }
            let name = PyString::intern(py, attribute);
            path = format!("{path}.{attribute}");
            let value = stored(&object, &name);
            let own = object.hasattr(intern!(py, "__dict__"))?;
            match value {
                Some(value) => {
                    let place = Place::Attribute(Held::of(&object), name.clone().unbind());
                    self.guard(&object, name.as_any(), place, &value, path.clone());
                    object = value;
                }
                None if own && !object.get_type().hasattr(&name)? => {
                    let place = Place::Attribute(Held::of(&object), name.unbind());
                    self.recorder().guards.push(Guard { place, was: Was::Absent, path });
                    return Ok(());
                }
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Guards what is at a place that is known by an object and a name; once. Modules stay what they are, and what belongs
    /// to a graph is no part of the world.
    fn guard(
        &self,
        holder: &Bound<'_, PyAny>,
        name: &Bound<'_, PyAny>,
        place: Place,
        value: &Bound<'_, PyAny>,
        path: String,
    ) {
        let staged = value.cast::<Tensor>().is_ok_and(|t| matches!(t.get().content(), Payload::Staged(..)));
        if value.is_instance_of::<PyModule>() || staged {
            return;
        }
        let mut recorder = self.recorder();
        recorder.hold(value);
        if recorder.first(holder, name) {
            recorder.guards.push(Guard { place, was: Was::of(Some(value)), path });
        }
    }
}

/// Tensors and the like hold nothing of the user's.
fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().getattr("__module__").and_then(|m| m.extract::<String>());
    module.is_ok_and(|m| m == "graphwright" || m == "builtins" || m == "numpy")
        && !object.is_instance_of::<PyType>()
}

/// Guards the attributes that a method reads of its object, if the object was there before the graph that is built.
pub fn met_method(function: &Bound<'_, PyAny>, owner: &Bound<'_, PyAny>) -> PyResult<()> {
    let (Some(tracing), Ok(function)) = (current::current(), function.cast::<PyFunction>()) else {
        return Ok(());
    };
    if !tracing.recorder().world.contains(&(owner.as_ptr() as usize))
        || convert::is_converted(&function.getattr("__code__")?)?
    {
        return Ok(());
    }
    let names = function.getattr("__code__")?.getattr("co_varnames")?;
    let (Ok(reads), Ok(first)) = (convert::reads(function), names.get_item(0)) else { return Ok(()) };
    tracing.met_argument(&first.to_string(), owner, &reads)
}

impl Recorder {
    /// Says that an object was there before the graph.
    fn hold(&mut self, object: &Bound<'_, PyAny>) {
        if self.world.insert(object.as_ptr() as usize) {
            self.alive.push(object.clone().unbind());
        }
    }

    /// Whether this object and name are looked at for the first time.
    fn first(&mut self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> bool {
        let first = self.known.insert((object.as_ptr() as usize, name.as_ptr() as usize));
        if first {
            self.alive.push(object.clone().unbind());
            self.alive.push(name.clone().unbind());
        }
        first
    }
}

/// A guard that fails says why; used where a graph of the same trace type does not do.
pub fn reason(py: Python<'_>, guards: &[Guard]) -> Option<String> {
    guards.iter().find_map(|guard| guard.reason(py))
}
