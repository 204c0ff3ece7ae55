//! The search for the Python objects that a region of the graph can reach: what its functions name, and what that holds.

use std::collections::{HashMap, HashSet, VecDeque};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyByteArray, PyDict, PyFunction, PyInt, PyList, PyModule, PySet, PyString, PyTuple, PyType,
};

use crate::containers::tables::entries;
use crate::effects::attributes::slots;
use crate::effects::location;
use crate::effects::watched_container::{Holder, Step};
use crate::exceptions::errors;
use crate::session::libraries::is_users;
use crate::session::{self, backends, frames, stand_ins};
use crate::values::tensor::Tensor;

mod libraries;
mod modules;
mod stores;

pub use stores::loaded_globals;

/// The number of objects that are looked at, those nearest to the region first.
const MOST_OBJECTS: usize = 20_000;

/// The attribute of the objects of classes of this package that change while graphs are built.
const CARRIED: &str = "_carried";

/// An object that is watched.
pub struct Watched<'py> {
    /// Object that holds others.
    pub holder: Holder<'py>,
    /// As the user would write it.
    pub path: String,
    /// True if Python's own methods change it, so that it cannot flow through the graph.
    pub native: bool,
}

/// Finds the objects that functions and these objects can reach, and the contents of each.
pub fn walk<'py>(
    functions: &[&Bound<'py, PyAny>],
    named: Vec<(Bound<'py, PyAny>, String)>,
) -> PyResult<(Vec<Watched<'py>>, Held<'py>)> {
    let mut walk = Walk { next: named.into(), ..Walk::default() };
    for function in functions {
        match function.cast::<PyFunction>() {
            Ok(function) => walk.function(function)?,
            Err(_) => walk.later((*function).clone(), owner(function)?),
        }
    }
    walk.run();
    walk.tell(functions.first().map(|function| function.py()))?;
    Ok((walk.watched, walk.held))
}

/// The number of variables, attributes and items that hold each object that these reach, by its address; of the variables that
/// functions share, those in `shared` are among them. The globals that the code of `running` functions names count as well, and what
/// lists hold over which loops run, which need no name.
pub fn names<'py>(
    own: Variables<'py>,
    running: &[Running<'py>],
    shared: &Shared,
    walked: Vec<Bound<'py, PyAny>>,
) -> Named<'py> {
    let mut walk = Walk { names: Some(HashMap::new()), shared: shared.clone(), ..Walk::default() };
    own.into_iter().for_each(|(object, path)| walk.later(object, path));
    for (code, globals) in running {
        // A module that cannot be looked into, such as one that makes its names when asked, is not counted.
        let _ = walk.globals(code, globals);
    }
    walk.run();
    for list in walked {
        if !walk.known.contains(&Known::Object(list.as_ptr() as usize)) {
            walk.later(list, "a list".to_owned());
            walk.run();
        }
    }
    let list = |watched: Watched<'py>| {
        let Holder::Items(list) = watched.holder else { return None };
        list.cast_into::<PyList>().ok()
    };
    let lists = walk.watched.into_iter().filter_map(list).collect();
    (walk.names.unwrap_or_default(), lists)
}

/// The lists that change with a list.
fn partners<'py>(list: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
    session::current().map_or_else(Vec::new, |tracing| tracing.lists().chosen.partners(list))
}

/// Name that diagnostics give to objects that a method or callable object reaches: the name of its class.
fn owner(callable: &Bound<'_, PyAny>) -> PyResult<String> {
    let owner = callable.getattr_opt("__self__")?.unwrap_or_else(|| callable.clone());
    Ok(owner.get_type().name()?.to_string())
}

/// The number of names of each object, by its address, and the lists among the objects.
pub type Named<'py> = (HashMap<usize, usize>, Vec<Bound<'py, PyList>>);

/// Visited item: an object or a global, by addresses that stay theirs while the search holds the objects that it
/// watches.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Known {
    Object(usize),
    /// The dict of a module and the interned name.
    Global(usize, usize),
    /// The dict of a module and the code whose names are looked up there.
    Code(usize, usize),
}

/// The search for what can be reached.
#[derive(Default)]
struct Walk<'py> {
    watched: Vec<Watched<'py>>,
    held: Held<'py>,
    next: VecDeque<(Bound<'py, PyAny>, String)>,
    known: HashSet<Known>,
    /// The first object that was left out, as the user would write it.
    left_out: Option<String>,
    /// The number of names of each object, where they are counted.
    names: Option<HashMap<usize, usize>>,
    /// The variables that functions share and that are counted already.
    shared: Shared,
}

impl<'py> Walk<'py> {
    fn run(&mut self) {
        for _ in 0..MOST_OBJECTS {
            let Some((object, path)) = self.next.pop_front() else { break };
            // An object that cannot be looked into, such as a proxy without a target, is not watched.
            let _ = self.visit(&object, &path);
        }
        if let Some((_, path)) = self.next.pop_front() {
            self.leave_out(path);
        }
    }

    fn leave_out(&mut self, path: String) {
        self.left_out.get_or_insert(path);
    }

    /// Warns once for a graph that not all objects are watched.
    fn tell(&self, py: Option<Python<'py>>) -> PyResult<()> {
        let (Some(py), Some(path), Some(tracing)) = (py, &self.left_out, session::current()) else {
            return Ok(());
        };
        let Some(at) = frames::place(py).filter(|_| tracing.hidden().warns_of_unwatched()) else {
            return Ok(());
        };
        let shown: String = path.chars().take(60).collect();
        let path = if shown.len() < path.len() { format!("{shown}…") } else { shown };
        let message = format!(
            "this statement of the graph of `{}` reaches more than {MOST_OBJECTS} Python objects, and what it changes in place \
             from `{path}` on is not noticed: move what it needs into arguments or local names",
            tracing.trace.name()
        );
        let kind = py.get_type::<errors::UnwatchedObjectsWarning>();
        py.import("warnings")?.call_method1("warn_explicit", (message, kind, &*at.file, at.line)).map(drop)
    }

    fn watch(&mut self, holder: Holder<'py>, path: String) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let held = holder.held()?;
        self.watched.push(Watched { holder, path, native: false });
        self.held.push(held.clone());
        Ok(held)
    }

    /// The attributes of an object whose methods stay Python's, as `queue.Queue`, and what the containers among them hold.
    fn natively(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        let (first, waiting) = (self.watched.len(), std::mem::take(&mut self.next));
        self.fields(object, path)?;
        for (part, path) in std::mem::replace(&mut self.next, waiting) {
            self.visit(&part, &path)?;
        }
        self.watched[first..].iter_mut().for_each(|watched| watched.native = true);
        Ok(())
    }

    fn later(&mut self, object: Bound<'py, PyAny>, path: String) {
        if let Some(names) = &mut self.names {
            *names.entry(object.as_ptr() as usize).or_default() += 1;
        }
        self.next.push_back((object, path));
    }

    /// The variables and globals that a function names, and its own attributes.
    fn function(&mut self, function: &Bound<'py, PyFunction>) -> PyResult<()> {
        let py = function.py();
        let attributes =
            function.getattr(intern!(py, "__dict__"))?.cast_into::<PyDict>().map_err(PyErr::from)?;
        let name = function.getattr(intern!(py, "__name__"))?.to_string();
        self.pairs(&attributes, &name, Step::Attribute)?;
        let code = function.getattr(intern!(py, "__code__"))?;
        let names: Vec<String> = code.getattr(intern!(py, "co_freevars"))?.extract()?;
        let closure = function.getattr(intern!(py, "__closure__"))?;
        if !closure.is_none() {
            for (name, cell) in names.into_iter().zip(closure.try_iter()?) {
                let cell = cell?;
                self.module_in(&cell, &code, &name)?;
                if self.known.insert(Known::Object(cell.as_ptr() as usize)) {
                    self.variable(Holder::Cell(cell), name)?;
                }
            }
        }
        let globals =
            function.getattr(intern!(py, "__globals__"))?.cast_into::<PyDict>().map_err(PyErr::from)?;
        self.globals(&code, &globals)?;
        for name in [intern!(py, "__defaults__"), intern!(py, "__kwdefaults__")] {
            let defaults = function.getattr(name)?;
            self.later(defaults, "a default value".to_owned());
        }
        Ok(())
    }

    fn variable(&mut self, holder: Holder<'py>, path: String) -> PyResult<()> {
        let is_cell = matches!(holder, Holder::Cell(_));
        for value in self.watch(holder, path.clone())? {
            let is_counted = is_cell && self.shared.contains(&(path.clone(), value.as_ptr() as usize));
            if !is_counted {
                self.later(value, path.clone());
            }
        }
        Ok(())
    }

    /// The globals that code names, and of the user's modules among them what it names too.
    fn globals(&mut self, code: &Bound<'py, PyAny>, globals: &Bound<'py, PyDict>) -> PyResult<()> {
        let py = code.py();
        if !self.known.insert(Known::Code(globals.as_ptr() as usize, code.as_ptr() as usize)) {
            return Ok(());
        }
        let names = code.getattr(intern!(py, "co_names"))?.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        self.names(&names, globals, "")?;
        self.imported(code, &names)?;
        let is_open =
            |name: &Bound<'py, PyAny>| name.extract().is_ok_and(|name| stores::OPEN_GLOBALS.contains(&name));
        if names.iter().any(is_open) && self.known.insert(Known::Object(globals.as_ptr() as usize)) {
            self.all_globals(globals)?;
        }
        for name in stores::stored_globals(code)? {
            let name = &names[name];
            let key = Known::Global(globals.as_ptr() as usize, name.as_ptr() as usize);
            if globals.get_item(name)?.is_none() && self.known.insert(key) {
                self.variable(Holder::Global(globals.clone(), name.clone()), name.to_string())?;
            }
        }
        for inner in code.getattr(intern!(py, "co_consts"))?.try_iter()? {
            let inner = inner?;
            if inner.get_type().is(code.get_type()) {
                self.globals(&inner, globals)?;
            }
        }
        Ok(())
    }

    fn visit(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        if object.is_none()
            || is_plain(object)
            || backends::is_foreign(object)
            || !self.known.insert(Known::Object(object.as_ptr() as usize))
        {
            return Ok(());
        }
        if let Ok(Some(inside)) = entries::list_of(object) {
            self.later(inside.into_any(), path.to_owned());
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            self.items(tuple.iter(), path);
            self.of_users(object, path)?;
        } else if object.is_instance_of::<PyList>() {
            let items = self.watch(Holder::Items(object.clone()), path.to_owned())?;
            self.items(items.into_iter(), path);
            partners(object).into_iter().for_each(|list| self.later(list, path.to_owned()));
            self.of_users(object, path)?;
        } else if let Ok(dict) = object.cast::<PyDict>() {
            self.pairs(dict, path, Step::Key)?;
            self.of_users(object, path)?;
        } else if entries::kind(object).is_some() {
            self.watch(Holder::Items(object.clone()), path.to_owned())?;
        } else if let Ok(function) = object.cast::<PyFunction>() {
            if is_users(function.as_any())? {
                self.function(function)?;
            }
        } else if let Some((held, name)) = stand_ins::held(object) {
            held.into_iter().for_each(|part| self.later(part, name.unwrap_or(path).to_owned()));
        } else if let Ok(class) = object.cast::<PyType>() {
            self.class(class, path)?;
        } else {
            self.instance(object, path)?;
        }
        Ok(())
    }

    /// Tells the items that matter: where names are counted, tensors too.
    fn asked(&self) -> impl Fn(&Bound<'py, PyAny>) -> bool + use<'py> {
        let counts = self.names.is_some();
        move |item| !is_plain(item) || (counts && item.is_exact_instance_of::<Tensor>())
    }

    fn items(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>, path: &str) {
        let is_asked = self.asked();
        for (count, (index, item)) in items.enumerate().filter(|(_, item)| is_asked(item)).enumerate() {
            if count == MOST_OBJECTS {
                return self.leave_out(format!("{path}[{index}]"));
            }
            self.later(item, format!("{path}[{index}]"));
        }
    }

    fn pairs(&mut self, dict: &Bound<'py, PyDict>, path: &str, step: Step) -> PyResult<()> {
        self.watch(Holder::Pairs(dict.clone(), step), path.to_owned())?;
        let is_asked = self.asked();
        for (count, (key, value)) in dict.iter().filter(|(_, value)| is_asked(value)).enumerate() {
            if count == MOST_OBJECTS {
                self.leave_out(format!("{path}{}", step.text(&key)));
                break;
            }
            self.later(value, format!("{path}{}", step.text(&key)));
        }
        Ok(())
    }

    /// The attributes of a class and the functions in it.
    fn class(&mut self, class: &Bound<'py, PyType>, path: &str) -> PyResult<()> {
        if !is_users(class.as_any())? {
            return Ok(());
        }
        let attributes = self.watch(Holder::Class(class.clone()), path.to_owned())?;
        for pair in attributes.chunks_exact(2) {
            let value = match pair[1].get_type().hasattr("__func__")? {
                true => pair[1].getattr("__func__")?,
                false => pair[1].clone(),
            };
            self.later(value, format!("{path}.{}", pair[0]));
        }
        self.later(class.get_type().into_any(), path.to_owned());
        for base in class.mro().iter().skip(1) {
            let name = base.getattr(intern!(base.py(), "__name__"))?.to_string();
            self.later(base, name);
        }
        Ok(())
    }

    fn instance(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        let class = object.get_type();
        let module: String = class.getattr("__module__")?.extract().unwrap_or_default();
        let name = class.name()?.to_string();
        if let Some(parts) = libraries::parts(object, &module, &name)? {
            parts.into_iter().for_each(|part| self.later(part, path.to_owned()));
            return Ok(());
        }
        match (module.as_str(), name.as_str()) {
            ("numpy", "ndarray") | ("array", "array") => {
                return self.watch(Holder::Bytes(object.clone()), path.to_owned()).map(drop);
            }
            ("builtins", "generator") => {
                let frame = object.getattr("gi_frame")?;
                if self.names.is_some() && !frame.is_none() {
                    for value in frame.getattr("f_locals")?.call_method0("values")?.try_iter()? {
                        self.later(value?, path.to_owned());
                    }
                }
                return self.watch(Holder::Progress(object.clone(), "gi_frame"), path.to_owned()).map(drop);
            }
            ("_queue", "SimpleQueue") => {
                return self.watch(Holder::Progress(object.clone(), "qsize"), path.to_owned()).map(drop);
            }
            (_, name) if name.ends_with("iterator") && class.hasattr("__length_hint__")? => {
                return self
                    .watch(Holder::Progress(object.clone(), "__length_hint__"), path.to_owned())
                    .map(drop);
            }
            _ => {}
        }
        if object.is_instance_of::<PyByteArray>() {
            self.watch(Holder::Bytes(object.clone()), path.to_owned())?;
        } else if object.is_instance_of::<PySet>() || is_deque(object)? {
            let items = self.watch(Holder::Items(object.clone()), path.to_owned())?;
            self.items(items.into_iter(), path);
        }
        if is_users(class.as_any())? {
            self.of_users(object, path)?;
        } else if libraries::is_namespace(&module) {
            self.fields(object, path)?;
        } else if libraries::is_container(&module) {
            self.natively(object, path)?;
        } else if module.starts_with("graphwright.") && object.hasattr(intern!(object.py(), CARRIED))? {
            self.fields(object, path)?;
        }
        Ok(())
    }

    /// The attributes of an object of a class of the user's, and the functions in that.
    fn of_users(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        let class = object.get_type();
        if is_users(class.as_any())? {
            self.fields(object, path)?;
            let name = class.name()?.to_string();
            self.later(class.into_any(), name);
        }
        Ok(())
    }

    /// The attributes of an object of the user's.
    fn fields(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        if let Some(fields) = object.getattr_opt("__dict__")?
            && let Ok(fields) = fields.cast::<PyDict>()
        {
            self.pairs(fields, path, Step::Attribute)?;
        }
        for name in slots(object)? {
            let path = format!("{path}.{name}");
            self.variable(Holder::Slot(object.clone(), name), path)?;
        }
        Ok(())
    }
}

fn is_deque(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    object.is_instance(location::deque(object.py())?)
}

/// Numbers, texts, modules: nothing in them can change in place.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<pyo3::types::PyFloat>()
        || object.is_exact_instance_of::<pyo3::types::PyComplex>()
        || object.is_exact_instance_of::<PyModule>()
        || object.is_exact_instance_of::<Tensor>()
}

/// The variables that functions share, by their names and the addresses of what they hold.
pub type Shared = HashSet<(String, usize)>;

/// The code of a function that runs, and the names of its module.
pub type Running<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// Variables, and what they are called.
pub type Variables<'py> = Vec<(Bound<'py, PyAny>, String)>;

/// The contents of each object that is watched.
pub type Held<'py> = Vec<Vec<Bound<'py, PyAny>>>;
