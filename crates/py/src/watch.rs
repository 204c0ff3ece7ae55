//! Watches the Python objects that a region of the graph can reach. A region is traced once, whatever happens when the
//! graph runs, so what it does to a list, an attribute or a global in place would happen once: that is an error.

use std::collections::{HashSet, VecDeque};

use gw_base::{Code, Diagnostic, Loc};
use gw_trace::State;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyInt, PyList, PyString, PyTuple, PyType};

use crate::current::{self, Tracing};
use crate::depth::Deeper;
use crate::errors::{self, Failed};
use crate::function::Function;
use crate::holder::{Holder, Step, same};
use crate::host::Maybe;
use crate::lists;
use crate::operators::names::Possible;
use crate::operators::{Operators, registry};
use crate::places::PyState;
use crate::{raised, recursion};

/// How many objects are looked at, those nearest to the region first.
const MOST_OBJECTS: usize = 20_000;

/// Arrays up to this many bytes are watched.
const LARGEST_ARRAY: usize = 1 << 22;

struct Watched<'py> {
    holder: Holder<'py>,
    /// As the user would write it.
    path: String,
    held: Vec<Bound<'py, PyAny>>,
}

/// The objects that a region can reach, and what they hold before it.
struct Watch<'py> {
    watched: Vec<Watched<'py>>,
    /// Whether lists that change flow through what is traced.
    flows: bool,
}

/// Stages a statement or expression with the blocks `blocks`; what they change in place is an error of this code.
pub fn guarded<'py, T>(
    py: Python<'py>,
    code: Code,
    state: Option<(&PyState<'_, 'py>, &[String])>,
    blocks: &[&Bound<'py, PyAny>],
    stage: impl FnOnce() -> Result<T, Failed>,
) -> PyResult<T> {
    let _deeper = Deeper::enter(py)?;
    let place = current::place(py);
    let watch = Watch::over(blocks)?;
    let _lists = watch.lists();
    let before = state.map(|(s, _)| s.get()).transpose()?;
    let restore = || match (&before, state) {
        (Some(values), Some((s, _))) => Ok(s.set(values)?),
        (None, _) | (_, None) => Ok(()),
    };
    let check = || -> PyResult<()> {
        let Some(path) = watch.changed(&restore)? else { return Ok(()) };
        let help = "return what is new and assign it to a name in the statement itself; to collect values, store \
                    them into a tensor, `out[i] = v`, or join tensors with `gw.concat`";
        let message = format!("`{path}` is changed in place {}", where_(code));
        Err(raise(code, message, help, place.clone()))
    };
    let staged = stage().map_err(PyErr::from);
    if let Err(error) = staged {
        if recursion::is_passing(py, &error) {
            return Err(error);
        }
        if errors::code_of(py, &error) == Some(Code::LeakedTensor) {
            check()?;
        }
        if let Some(tracing) = current::current() {
            tracing.stop(raised::caught(&error, place.as_ref(), py)?);
        }
        return Err(raised::in_graph(error, place.as_ref(), py)?);
    }
    if let Some((s, names)) = state {
        let after = s.get()?;
        restore()?;
        check()?;
        if let Some(name) = half_set(py, names, &after) {
            let message = format!("`{name}` has a value {} only", one_way(code));
            let help = "give it a value before the statement: only names of the function may be without one";
            return Err(raise(code, message, help, place));
        }
        s.set(&after)?;
    } else {
        check()?;
    }
    staged
}

/// Traces a function of the graph, which is traced once for all of its calls: what it changes in place is an error.
/// `named` are its arguments with what they are called.
pub fn called<'py>(
    function: &Bound<'py, PyAny>,
    named: Vec<(Bound<'py, PyAny>, String)>,
    trace: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let place = current::place(py);
    let watch = Watch::reached(&[function], named)?;
    let traced = trace();
    let leaks = |error: &PyErr| errors::code_of(py, error) == Some(Code::LeakedTensor);
    if traced.as_ref().is_err_and(|error| !leaks(error)) {
        return traced;
    }
    let Some(path) = watch.changed(&|| Ok(()))? else { return traced };
    let message = format!("`{path}` is changed in place by a function that calls itself in the graph");
    let help = "give it to the function as an argument, and return what is new";
    Err(raise(Code::BranchesDisagree, message, help, place))
}

/// What made the graph another than the program, and was then caught.
pub fn check_not_caught(tracing: &Tracing) -> PyResult<()> {
    tracing.stopped().map_or(Ok(()), |why| Err(errors::raise(&why)))
}

fn raise(code: Code, message: String, help: &str, place: Option<Loc>) -> PyErr {
    let found = Diagnostic::new(code, message).help(help);
    errors::raise(&match place {
        Some(place) => found.at(place, "this is in the graph"),
        None => found,
    })
}

fn where_(code: Code) -> &'static str {
    if code == Code::LoopChangesObject {
        "by a loop that is in the graph, which would do it once instead of once per iteration"
    } else {
        "in a branch that a tensor decides, which would do it whether or not the branch is taken"
    }
}

fn one_way(code: Code) -> &'static str {
    if code == Code::LoopChangesObject { "after some iterations" } else { "after one branch" }
}

/// The first attribute or item that has a value on some paths only.
fn half_set<'a>(
    py: Python<'_>,
    names: &'a [String],
    values: &[std::sync::Arc<Py<PyAny>>],
) -> Option<&'a String> {
    let mut pairs = names.iter().zip(values);
    let in_doubt =
        |value: &Bound<'_, PyAny>| Maybe::unbound(value).is_some() || value.is_instance_of::<Possible>();
    let half = |name: &str, value: &Py<PyAny>| name.contains(['.', '[']) && in_doubt(value.bind(py));
    pairs.find(|(name, value)| half(name, value)).map(|(name, _)| name)
}

impl<'py> Watch<'py> {
    /// What the functions in `blocks` can reach.
    fn over(blocks: &[&Bound<'py, PyAny>]) -> PyResult<Self> {
        Ok(Self { flows: true, ..Self::reached(blocks, Vec::new())? })
    }

    /// What functions and these objects can reach.
    fn reached(blocks: &[&Bound<'py, PyAny>], named: Vec<(Bound<'py, PyAny>, String)>) -> PyResult<Self> {
        let mut walk = Walk { watched: Vec::new(), next: named.into(), known: HashSet::new() };
        for block in blocks {
            if let Ok(function) = block.cast::<PyFunction>() {
                walk.function(function)?;
            }
        }
        for _ in 0..MOST_OBJECTS {
            let Some((object, path)) = walk.next.pop_front() else { break };
            // An object that cannot be looked into, such as a proxy without a target, is not watched.
            let _ = walk.visit(&object, &path);
        }
        Ok(Self { watched: walk.watched, flows: false })
    }

    /// Tells the graph that is built which lists are reached, until what this gives is dropped.
    fn lists(&self) -> Option<lists::Open> {
        let list = |watched: &Watched<'py>| {
            let Holder::Items(items) = &watched.holder else { return None };
            Some((items.cast_exact::<PyList>().ok()?.clone(), watched.path.clone()))
        };
        lists::open(self.watched.iter().flat_map(|w| &w.held), self.watched.iter().filter_map(list))
    }

    /// The path of something that holds something else now. What changes by `restore` alone does not count: a property
    /// may compute what it stores.
    fn changed(&self, restore: &dyn Fn() -> PyResult<()>) -> PyResult<Option<String>> {
        for watched in &self.watched {
            let Ok(now) = watched.holder.held() else { continue };
            if (self.flows && watched.holder.flows()) || same(&watched.held, &now) {
                continue;
            }
            restore()?;
            if same(&now, &watched.holder.held()?) {
                return Ok(Some(watched.changed(&now)));
            }
        }
        Ok(None)
    }
}

impl<'py> Watched<'py> {
    /// The path of what changed: of an object, the first attribute that did.
    fn changed(&self, now: &[Bound<'py, PyAny>]) -> String {
        let Holder::Pairs(_, step @ Step::Attribute) = self.holder else { return self.path.clone() };
        let was = |pair: &&[Bound<'py, PyAny>]| !self.held.chunks(2).any(|old| same(old, pair));
        let Some([name, _]) = now.chunks(2).find(was) else { return self.path.clone() };
        format!("{}{}", self.path, step.text(name))
    }
}

/// The search for what can be reached.
struct Walk<'py> {
    watched: Vec<Watched<'py>>,
    next: VecDeque<(Bound<'py, PyAny>, String)>,
    known: HashSet<usize>,
}

impl<'py> Walk<'py> {
    fn watch(&mut self, holder: Holder<'py>, path: String) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let held = holder.held()?;
        self.watched.push(Watched { holder, path, held: held.clone() });
        Ok(held)
    }

    fn later(&mut self, object: Bound<'py, PyAny>, path: String) {
        self.next.push_back((object, path));
    }

    /// The variables and globals that a function names.
    fn function(&mut self, function: &Bound<'py, PyFunction>) -> PyResult<()> {
        let code = function.getattr("__code__")?;
        let names: Vec<String> = code.getattr("co_freevars")?.extract()?;
        let closure = function.getattr("__closure__")?;
        if !closure.is_none() {
            for (name, cell) in names.into_iter().zip(closure.try_iter()?) {
                let cell = cell?;
                if self.known.insert(cell.as_ptr() as usize) {
                    self.variable(Holder::Cell(cell), name)?;
                }
            }
        }
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>().map_err(PyErr::from)?;
        self.globals(&code, &globals)?;
        for name in ["__defaults__", "__kwdefaults__"] {
            let defaults = function.getattr(name)?;
            self.later(defaults, "a default value".to_owned());
        }
        Ok(())
    }

    fn variable(&mut self, holder: Holder<'py>, path: String) -> PyResult<()> {
        for value in self.watch(holder, path.clone())? {
            if !value.is_instance_of::<Operators>() {
                self.later(value, path.clone());
            }
        }
        Ok(())
    }

    fn globals(&mut self, code: &Bound<'py, PyAny>, globals: &Bound<'py, PyDict>) -> PyResult<()> {
        for name in code.getattr("co_names")?.try_iter()? {
            let name = name?;
            // Names are interned: a global is known by its dict and its name's address.
            let key = (globals.as_ptr() as usize).rotate_left(17) ^ name.as_ptr() as usize;
            if globals.contains(&name)? && self.known.insert(key) {
                let path = name.to_string();
                self.variable(Holder::Global(globals.clone(), name), path)?;
            }
        }
        for inner in code.getattr("co_consts")?.try_iter()? {
            let inner = inner?;
            if inner.hasattr("co_names")? {
                self.globals(&inner, globals)?;
            }
        }
        Ok(())
    }

    fn visit(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        if object.is_none()
            || is_plain(object)
            || registry::is_foreign(object)
            || !self.known.insert(object.as_ptr() as usize)
        {
            return Ok(());
        }
        if let Ok(tuple) = object.cast::<PyTuple>() {
            self.items(tuple.iter(), path);
        } else if object.is_instance_of::<PyList>() {
            let items = self.watch(Holder::Items(object.clone()), path.to_owned())?;
            self.items(items.into_iter(), path);
        } else if let Ok(dict) = object.cast::<PyDict>() {
            self.pairs(dict, path, Step::Key)?;
        } else if let Ok(function) = object.cast::<PyFunction>() {
            if is_users(function.as_any())? {
                self.function(function)?;
            }
        } else if let Ok(class) = object.cast::<PyType>() {
            self.class(class, path)?;
        } else if let Ok(function) = object.cast::<Function>() {
            self.later(function.getattr("python_function")?, path.to_owned());
        } else {
            self.instance(object, path)?;
        }
        Ok(())
    }

    fn items(&mut self, items: impl Iterator<Item = Bound<'py, PyAny>>, path: &str) {
        for (index, item) in items.enumerate() {
            self.later(item, format!("{path}[{index}]"));
        }
    }

    fn pairs(&mut self, dict: &Bound<'py, PyDict>, path: &str, step: Step) -> PyResult<()> {
        self.watch(Holder::Pairs(dict.clone(), step), path.to_owned())?;
        for (key, value) in dict.iter() {
            self.later(value, format!("{path}{}", step.text(&key)));
        }
        Ok(())
    }

    /// The attributes of a class and the functions in it.
    fn class(&mut self, class: &Bound<'py, PyType>, path: &str) -> PyResult<()> {
        if !is_users(class.as_any())? {
            return Ok(());
        }
        let attributes = class.getattr("__dict__")?.call_method0("items")?;
        for pair in attributes.try_iter()? {
            let (name, value): (String, Bound<'py, PyAny>) = pair?.extract()?;
            if !name.starts_with("__") || value.is_instance_of::<PyFunction>() {
                self.watch(Holder::Slot(class.clone().into_any(), name.clone()), format!("{path}.{name}"))?;
                let value = value.getattr_opt("__func__")?.unwrap_or(value);
                self.later(value, format!("{path}.{name}"));
            }
        }
        Ok(())
    }

    fn instance(&mut self, object: &Bound<'py, PyAny>, path: &str) -> PyResult<()> {
        let class = object.get_type();
        let module: String = class.getattr("__module__")?.extract().unwrap_or_default();
        let name = class.name()?.to_string();
        match (module.as_str(), name.as_str()) {
            ("numpy", "ndarray") => {
                if object.getattr("nbytes")?.extract::<usize>()? <= LARGEST_ARRAY {
                    self.watch(Holder::Bytes(object.clone()), path.to_owned())?;
                }
                return Ok(());
            }
            ("builtins", "bytearray") => {
                return self.watch(Holder::Bytes(object.clone()), path.to_owned()).map(drop);
            }
            ("builtins", "set") => {
                return self.watch(Holder::Items(object.clone()), path.to_owned()).map(drop);
            }
            ("builtins", "generator") => {
                return self.watch(Holder::Progress(object.clone(), "gi_frame"), path.to_owned()).map(drop);
            }
            ("collections", "deque") => {
                let items = self.watch(Holder::Items(object.clone()), path.to_owned())?;
                self.items(items.into_iter(), path);
                return Ok(());
            }
            ("builtins", "method") => {
                self.later(object.getattr("__self__")?, path.to_owned());
                self.later(object.getattr("__func__")?, path.to_owned());
                return Ok(());
            }
            ("functools", "partial") => {
                for part in ["func", "args", "keywords"] {
                    self.later(object.getattr(part)?, path.to_owned());
                }
                return Ok(());
            }
            (_, name) if name.ends_with("iterator") && class.hasattr("__length_hint__")? => {
                return self
                    .watch(Holder::Progress(object.clone(), "__length_hint__"), path.to_owned())
                    .map(drop);
            }
            _ => {}
        }
        if is_users(class.as_any())? {
            self.fields(object, path)?;
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
        for class in object.get_type().mro().iter() {
            let Some(slots) = class.getattr_opt("__slots__")? else { continue };
            let slots: Vec<String> = slots.extract().unwrap_or_default();
            for name in slots {
                let path = format!("{path}.{name}");
                self.variable(Holder::Slot(object.clone(), name), path)?;
            }
        }
        Ok(())
    }
}

/// Numbers, texts, modules: nothing in them can change in place.
fn is_plain(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyString>()
        || object.is_exact_instance_of::<PyInt>()
        || object.is_exact_instance_of::<pyo3::types::PyFloat>()
        || object.is_exact_instance_of::<pyo3::types::PyModule>()
        || object.is_exact_instance_of::<crate::tensor::Tensor>()
}

/// Whether a function or class is the user's: not this package's, NumPy's or the standard library's.
fn is_users(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module: String = object.getattr("__module__")?.extract().unwrap_or_default();
    is_users_module(object.py(), &module)
}

/// Whether a module is the user's.
pub fn is_users_module(py: Python<'_>, module: &str) -> PyResult<bool> {
    let root = module.split('.').next().unwrap_or_default();
    if root == "graphwright" {
        return Ok(module.starts_with("graphwright.demo"));
    }
    let standard = py.import("sys")?.getattr("stdlib_module_names")?;
    let library = root == "numpy" || registry::is_library(py, root);
    Ok(root == "__main__" || (!library && !standard.contains(root)?))
}
