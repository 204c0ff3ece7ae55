//! Dependencies of a tracing on the world outside of its arguments: found in the text of the functions that it runs, and
//! guarded.
//!
//! The text is followed from names that the world gives: globals, variables of closures, arguments that count by identity.
//! Nothing of the user's runs: attributes are looked up in instance and class dicts, items in lists and dicts.

pub mod asking;
pub mod guards;

use std::collections::{HashMap, HashSet};

use gw_lower::{Chain, GLOBALS, IMPORTED, Parameter, Passed, Reads, Step};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyModule, PyString, PyTuple, PyType};

use crate::convert;
use crate::dependencies::guards::{Place, Was, is_container, is_literal, is_staged, item, items};
use crate::effects::attributes::stored;
use crate::effects::walk;
use crate::function::own_type::TraceType;
use crate::function::trace_type::callable_classes;
use crate::host::structure;
use crate::session::own_functions::{is_graph_method, undecorated};
use crate::session::{self, Tracing, libraries};
use crate::values::array;

mod behind;
mod classes;
mod escapes;
mod follow;
mod implicit;
mod library;
mod natively;
mod passed;
mod run;
mod unread;

pub use library::register;
pub use passed::{Given, given};
use passed::{is_code, is_given_to_us, leaves_items_alone, parameters};
pub use unread::met_without_text;

/// The objects that a function's names stand for.
type Roots<'py> = HashMap<String, Bound<'py, PyAny>>;

/// A way from a name to an object.
struct Way<'py> {
    object: Bound<'py, PyAny>,
    /// As the user writes it.
    path: String,
    /// True if the object is a structure among the arguments: what it holds is part of the trace type.
    keyed: bool,
    /// True if Python runs the text as it is: what that calls is not met when it is called.
    native: bool,
    /// Through how many results of calls it goes.
    calls: usize,
}

impl<'py> Way<'py> {
    /// One step further.
    fn to(&self, object: Bound<'py, PyAny>, path: String) -> Self {
        Self { object, path, keyed: false, native: self.native, calls: self.calls }
    }
}

/// The text of a function that is followed.
#[derive(Clone, Copy)]
struct Text<'a> {
    reads: &'a Reads,
    /// True if Python runs it as it is.
    native: bool,
    /// True if it is this package's: what that reads of libraries stays as it is.
    ours: bool,
}

impl<'a> Text<'a> {
    fn of(function: &Bound<'_, PyFunction>, reads: &'a Reads, native: bool) -> Self {
        Self { reads, native, ours: is_of_this_package(function) }
    }
}

impl Tracing {
    /// Says which functions, known by their addresses, are among the arguments of the call.
    pub fn know_functions(&self, functions: &[usize]) {
        self.recorder().know_functions(functions);
    }

    /// The functions of the program that the graph may run, as their authors wrote them.
    pub fn functions_met(&self, py: Python<'_>) -> Vec<Py<PyAny>> {
        let all = std::mem::take(&mut self.recorder().readable.all);
        all.into_iter().filter(|function| libraries::is_users(function.bind(py)).unwrap_or(false)).collect()
    }

    /// Says that what is traced, and what it is made of if it is a method or a partial function, was there before.
    pub fn met_callable(&self, callable: &Bound<'_, PyAny>) -> PyResult<()> {
        self.recorder().hold(callable);
        let [method, partial] = callable_classes(callable.py())?;
        let class = callable.get_type();
        let parts: &[&str] = match () {
            () if class.is(method) => &["__self__"],
            () if class.is(partial) => &["func"],
            () => &[],
        };
        parts.iter().try_for_each(|part| self.met_callable(&callable.getattr(*part)?))
    }

    /// Guards the globals and the variables of its closure that a function names, with what it reads of them.
    pub fn met_function(&self, function: &Bound<'_, PyFunction>, reads: &Reads) -> PyResult<()> {
        if !self.recorder().first(function.as_any(), function.as_any()) {
            return Ok(());
        }
        self.recorder().readable.meet(function.as_any());
        self.guard_made(function)?;
        self.met_wrapped(function, None)?;
        unread::met_looking(self, function, None)?;
        let roots = self.names(function, reads)?;
        self.walk(&roots, &roots, Text::of(function, reads, false))?;
        self.met_defaults(function, reads)
    }

    /// Guards what the function that is traced reads of its arguments: of those that count by identity.
    pub fn met_arguments<'py>(
        &self,
        function: &Bound<'py, PyFunction>,
        reads: &Reads,
        arguments: &[(String, Bound<'py, PyAny>)],
    ) -> PyResult<()> {
        let given = self.given(arguments)?;
        self.met_given(function, reads, given)
    }

    /// The same of an object of the world that a function is given by the one that calls it.
    fn met_object<'py>(
        &self,
        function: &Bound<'py, PyFunction>,
        reads: &Reads,
        name: String,
        object: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        self.recorder().hold(object);
        self.met_given(function, reads, Roots::from([(name, object.clone())]))
    }

    fn met_given<'py>(
        &self,
        function: &Bound<'py, PyFunction>,
        reads: &Reads,
        given: Roots<'py>,
    ) -> PyResult<()> {
        if given.is_empty() {
            return Ok(());
        }
        self.recorder().readable.meet(function.as_any());
        let mut all = self.names(function, reads)?;
        all.extend(given.iter().map(|(name, object)| (name.clone(), object.clone())));
        given.values().try_for_each(|object| unread::met_looking(self, function, Some(object)))?;
        self.walk(&given, &all, Text::of(function, reads, false))
    }

    /// Of what a function is given: the objects of the world that count by identity.
    fn given<'py>(&self, arguments: &[(String, Bound<'py, PyAny>)]) -> PyResult<Roots<'py>> {
        let mut given = Roots::new();
        for (name, object) in arguments {
            let own = is_ours(object) && !is_structure(object);
            let counts_by_elements = || array::of_another_library(object).map(|array| array.is_some());
            if own || is_literal(object) || TraceType::of(object)?.is_some() || counts_by_elements()? {
                continue;
            }
            if is_structure(object) || structure::open(object)?.is_none() {
                self.recorder().hold(object);
                given.insert(name.clone(), object.clone());
            }
        }
        Ok(given)
    }

    /// Follows what is read of `roots`; functions that are called are found among `all`.
    fn walk<'py>(&self, roots: &Roots<'py>, all: &Roots<'py>, text: Text<'_>) -> PyResult<()> {
        for chain in &text.reads.chains {
            let Some(object) = roots.get(&*chain.root) else { continue };
            if text.ours && object.is_instance_of::<PyModule>() {
                continue;
            }
            let given = !std::ptr::eq(roots, all);
            let keyed = given && !text.native && is_structure(object) && structure::open(object)?.is_some();
            let path = chain.root.strip_prefix(IMPORTED).unwrap_or(&chain.root).to_owned();
            let object = object.clone();
            let way = Way { object, path, keyed, native: text.native, calls: 0 };
            self.follow(way, &chain.steps)?;
        }
        self.pass_to_key(all, text)?;
        self.pass_through(all, text)?;
        let of_these = |passed: &&Passed| roots.contains_key(&*passed.given.root);
        text.reads.passed.iter().filter(of_these).try_for_each(|passed| self.pass(all, passed, text.native))
    }

    /// Guards what a function that is called reads of an object that it is given.
    fn pass<'py>(&self, roots: &Roots<'py>, passed: &Passed, native: bool) -> PyResult<()> {
        if self.pass_to_getter(roots, passed)? {
            return Ok(());
        }
        finds(roots, &passed.given)
            .into_iter()
            .try_for_each(|given| self.pass_one(roots, passed, given, native))
    }

    fn pass_one<'py>(
        &self,
        roots: &Roots<'py>,
        passed: &Passed,
        given: Bound<'py, PyAny>,
        native: bool,
    ) -> PyResult<()> {
        let is_value = (is_ours(&given) && !is_structure(&given)) || is_literal(&given);
        if is_value || is_code(&given) || given.is_callable() && is_given_to_us(roots, passed) {
            return self.called_back(roots, passed, &given);
        }
        let whole = |object| {
            let path = passed.given.root.to_string();
            Way { object, path, keyed: false, native, calls: 0 }
        };
        let Some((function, first)) = called(roots, &passed.callee)? else {
            if is_container(&given) {
                self.recorder().reads(&given);
            }
            let stays = is_structure(&given) && leaves_items_alone(roots, passed);
            return if stays { Ok(()) } else { self.items_escape(&whole(given)) };
        };
        if !native && !self.recorder().first(function.as_any(), &given) {
            return Ok(());
        }
        let [positional, named] = parameters(&function)?;
        let name = match &passed.to {
            Parameter::At(at) => positional.get(at + first).cloned(),
            Parameter::Named(name) => {
                positional.iter().chain(&named).find(|known| **known == **name).cloned()
            }
        };
        // A parameter with a star makes a tuple or dict of it.
        let Some(name) = name else { return self.items_escape(&whole(given)) };
        if native {
            return self.met_run(&function, &[(name, given)]);
        }
        let Ok(reads) = convert::reads(&function) else { return self.met_run(&function, &[(name, given)]) };
        self.met_object(&function, &reads, name, &given)
    }

    /// The globals and variables that a function names, each guarded.
    fn names<'py>(&self, function: &Bound<'py, PyFunction>, reads: &Reads) -> PyResult<Roots<'py>> {
        let py = function.py();
        let code = function.getattr(intern!(py, "__code__"))?;
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>().map_err(PyErr::from)?;
        let read: HashSet<&str> = reads.chains.iter().map(|chain| &*chain.root).collect();
        let mut found = Roots::new();
        let mut codes = vec![code.clone()];
        while let Some(code) = codes.pop() {
            let (own, loaded) = (local_names(&code)?, walk::loaded_globals(&code)?);
            for (at, name) in code.getattr("co_names")?.try_iter()?.enumerate() {
                if !loaded.contains(&at) {
                    continue;
                }
                let name = name?.cast_into::<PyString>().map_err(PyErr::from)?;
                if let Some(value) = globals.get_item(&name)? {
                    let place = Place::Global(globals.clone().unbind(), name.clone().unbind());
                    self.guard(&globals, name.as_any(), place, &value, name.to_string())?;
                    found.insert(name.to_string(), value);
                } else if read.contains(&*name.to_string_lossy()) && !own.contains(&*name.to_string_lossy()) {
                    self.guard_builtin(function, &globals, &name)?;
                }
            }
            for inner in code.getattr("co_consts")?.try_iter()? {
                let inner = inner?;
                if inner.hasattr("co_names")? {
                    codes.push(inner);
                }
            }
        }
        self.variables_of_the_closure(function, &code, &mut found)?;
        for root in read.iter().filter(|root| root.starts_with(IMPORTED)) {
            let module = library::imported(&globals, &root[IMPORTED.len()..])?;
            found.extend(module.map(|module| ((*root).to_owned(), module)));
        }
        found.insert(GLOBALS.to_owned(), globals.into_any());
        Ok(found)
    }

    fn variables_of_the_closure<'py>(
        &self,
        function: &Bound<'py, PyFunction>,
        code: &Bound<'py, PyAny>,
        found: &mut Roots<'py>,
    ) -> PyResult<()> {
        let py = function.py();
        let closure = function.getattr("__closure__")?;
        let keyed = self.recorder().is_keyed(function.as_any());
        let names: Vec<String> = code.getattr("co_freevars")?.extract()?;
        for (at, name) in names.into_iter().enumerate() {
            let cell = closure.get_item(at)?;
            let Ok(value) = cell.getattr(intern!(py, "cell_contents")) else {
                if !keyed {
                    self.recorder().add(Place::Cell(cell.unbind()), Was::Absent, name);
                }
                continue;
            };
            if !keyed {
                self.guard(&cell, &cell, Place::Cell(cell.clone().unbind()), &value, name.clone())?;
                found.insert(name, value);
                continue;
            }
            let mut recorder = self.recorder();
            recorder.hold(&value);
            if array::is_array(&value) {
                recorder.read_elements(&value, &name, true)?;
            }
            found.insert(name, value);
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
    ) -> PyResult<()> {
        if value.is_instance_of::<PyModule>() || is_staged(value) {
            return Ok(());
        }
        let mut recorder = self.recorder();
        recorder.hold(value);
        if recorder.first(holder, name) {
            if array::is_array(value) {
                recorder.read_elements(value, &path, true)?;
            }
            recorder.add(place, Was::of(Some(value)), path);
        }
        Ok(())
    }
}

/// Lists, dicts and the like, which are followed into.
fn is_structure(object: &Bound<'_, PyAny>) -> bool {
    is_container(object) || object.is_instance_of::<PyTuple>()
}

/// The items of a container or tuple; of a dict, each key and then its value.
fn values<'py>(structure: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
    match structure.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => items(structure).1,
    }
}

/// Tensors and the like hold nothing of the user's.
fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    let module = class.getattr("__module__").and_then(|m| m.extract::<String>()).unwrap_or_default();
    let is_ours = match &*module {
        "graphwright" | "numpy" => true,
        "builtins" => !libraries::is_users(class.as_any()).unwrap_or(false),
        _ => false,
    };
    is_ours && !object.is_instance_of::<PyType>()
}

/// The names that stand for variables in code: what it names beside them are globals and attributes.
fn local_names(code: &Bound<'_, PyAny>) -> PyResult<HashSet<String>> {
    let kinds = ["co_varnames", "co_cellvars", "co_freevars"];
    let names = kinds.map(|kind| code.getattr(kind)?.extract::<Vec<String>>());
    names.into_iter().try_fold(HashSet::new(), |mut all, names| {
        all.extend(names?);
        Ok(all)
    })
}

/// Object at the end of a chain now.
fn find<'py>(roots: &Roots<'py>, chain: &Chain) -> Option<Bound<'py, PyAny>> {
    let root = roots.get(&*chain.root)?.clone();
    chain.steps.iter().try_fold(root, |object, step| match step {
        Step::Attribute(name) if object.is_instance_of::<PyModule>() => object.getattr(&**name).ok(),
        Step::Attribute(name) if &**name == "__class__" => Some(object.get_type().into_any()),
        Step::Attribute(name) => stored(&object, &PyString::intern(object.py(), name)),
        Step::Text(text) | Step::Get(text) => item(&object, PyString::intern(object.py(), text).as_any()),
        Step::Number(number) => item(&object, number.into_pyobject(object.py()).ok()?.as_any()),
        Step::Each | Step::Any | Step::Result | Step::Store(_) | Step::Given | Step::Kept => None,
    })
}

/// All that may stand at the end of a chain: each item of a container that is gone through.
fn finds<'py>(roots: &Roots<'py>, chain: &Chain) -> Vec<Bound<'py, PyAny>> {
    let Some(at) = chain.steps.iter().position(|step| *step == Step::Each) else {
        return find(roots, chain).into_iter().collect();
    };
    let before = Chain { root: chain.root.clone(), steps: chain.steps[..at].to_vec() };
    let Some(container) = find(roots, &before).filter(is_structure) else { return Vec::new() };
    let rest = Chain { root: chain.root.clone(), steps: chain.steps[at + 1..].to_vec() };
    let of_item = |item| finds(&Roots::from([(chain.root.to_string(), item)]), &rest);
    values(&container).into_iter().filter(|item| !is_literal(item)).flat_map(of_item).collect()
}

/// The function that a call of what stands at the end of a chain runs, and how many arguments come before the given ones.
fn called<'py>(roots: &Roots<'py>, chain: &Chain) -> PyResult<Option<(Bound<'py, PyFunction>, usize)>> {
    let (callee, first) = match (chain.steps.split_last(), find(roots, chain)) {
        (_, Some(callee)) if callee.is_instance_of::<PyFunction>() => (callee, 0),
        (_, Some(callee)) => match callee.get_type().getattr_opt("__call__")? {
            Some(call) if !is_ours(&callee) => (call, 1),
            Some(_) | None => (callee, 0),
        },
        (Some((Step::Attribute(name), before)), None) => {
            let owner = find(roots, &Chain { root: chain.root.clone(), steps: before.to_vec() });
            let Some(owner) = owner.filter(|owner| !is_ours(owner)) else { return Ok(None) };
            let is_class = owner.is_instance_of::<PyType>();
            let class = if is_class { owner } else { owner.get_type().into_any() };
            let Some(method) = class.getattr_opt(&**name)? else { return Ok(None) };
            (method, usize::from(!is_class))
        }
        (_, None) => return Ok(None),
    };
    let Ok(function) = undecorated(callee).cast_into::<PyFunction>() else { return Ok(None) };
    let stays = libraries::stays(&function)? || convert::is_converted(&function.getattr("__code__")?)?;
    Ok((!stays).then_some((function, first)))
}

/// True if a function is this package's.
fn is_of_this_package(function: &Bound<'_, PyFunction>) -> bool {
    let module = function.getattr(intern!(function.py(), "__module__"));
    module.and_then(|m| m.extract::<String>()).is_ok_and(|m| m.split('.').next() == Some("graphwright"))
}

/// Guards what a method reads of its object, if the object was there before the graph that is built.
pub fn met_method(function: &Bound<'_, PyAny>, owner: &Bound<'_, PyAny>) -> PyResult<()> {
    let (Some(tracing), Ok(function)) = (session::current(), function.cast::<PyFunction>()) else {
        return Ok(());
    };
    if convert::is_converted(&function.getattr("__code__")?)? {
        return Ok(());
    }
    tracing.guard_lookup(function, owner)?;
    // Host code is called each time, and may read anything.
    let is_host_code = tracing.host_side().observed().is_some() && libraries::stays(function)?;
    if is_host_code || !tracing.recorder().is_of_the_world(owner) {
        return Ok(());
    }
    let names = function.getattr("__code__")?.getattr("co_varnames")?;
    let Ok(first) = names.get_item(0) else { return Ok(()) };
    // The code of a method without a text says what it reads.
    let Ok(reads) = convert::reads(function) else { return tracing.run_on(function, &[owner]) };
    if !tracing.recorder().first(function.as_any(), owner) {
        return Ok(());
    }
    tracing.met_object(function, &reads, first.to_string(), owner)?;
    tracing.met_wrapped(function, Some(owner))
}

/// Says of a method or partial function of the world that its parts are of the world too.
pub fn met_parts(callable: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    if !tracing.recorder().is_of_the_world(callable) {
        return Ok(());
    }
    let [method, partial] = callable_classes(callable.py())?;
    if callable.get_type().is(method) || is_graph_method(callable) {
        tracing.recorder().hold(&callable.getattr("__self__")?);
    } else if callable.get_type().is(partial) {
        let (func, keywords) = (callable.getattr("func")?, callable.getattr("keywords")?);
        tracing.recorder().hold(&func);
        callable.getattr("args")?.try_iter()?.try_for_each(|arg| {
            tracing.recorder().hold(&arg?);
            Ok::<_, PyErr>(())
        })?;
        tracing.contents_of(keywords, "keywords".to_owned())?;
    }
    Ok(())
}
