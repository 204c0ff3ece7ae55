//! What of the world outside of its arguments a tracing reaches: found in the text of the functions that it runs, and
//! guarded.
//!
//! The text is followed from names that the world gives: globals, variables of closures, arguments that count by identity.
//! Nothing of the user's runs: attributes are looked up in instance and class dicts, items in lists and dicts.

use std::collections::HashMap;

use gw_lower::{Chain, Parameter, Passed, Reads, Step};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyModule, PyString, PyTuple, PyType};

use crate::current::{self, Tracing};
use crate::function::Function;
use crate::guards::{Place, Was, is_container, is_literal, is_plain, is_staged, item, items, stored};
use crate::key::callable_classes;
use crate::own_type::TraceType;
use crate::traces::Held;
use crate::{array, builtins, convert, structure, walk};

/// The methods of containers that add to what is there without looking at it.
const ADDS: &[&str] = &["append", "appendleft", "extend", "extendleft"];

/// The objects that a function's names stand for.
type Roots<'py> = HashMap<String, Bound<'py, PyAny>>;

/// A way from a name to an object.
struct Way<'py> {
    object: Bound<'py, PyAny>,
    /// As the user writes it.
    path: String,
    /// Whether the object is a structure among the arguments: what it holds is part of the trace type.
    keyed: bool,
}

impl Tracing {
    /// Says which functions, known by their addresses, are among the arguments of the call.
    pub fn know_functions(&self, functions: &[usize]) {
        self.recorder().know_functions(functions);
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
        let roots = self.names(function)?;
        self.walk(&roots, &roots, reads)
    }

    /// Guards what a function reads of its arguments: of objects of the world that count by identity.
    pub fn met_arguments<'py>(
        &self,
        function: &Bound<'py, PyFunction>,
        reads: &Reads,
        arguments: &[(String, Bound<'py, PyAny>)],
    ) -> PyResult<()> {
        let mut given = Roots::new();
        for (name, object) in arguments {
            let own = is_ours(object) && !is_structure(object);
            if own || is_literal(object) || TraceType::of(object)?.is_some() {
                continue;
            }
            if is_structure(object) || structure::open(object)?.is_none() {
                self.recorder().hold(object);
                given.insert(name.clone(), object.clone());
            }
        }
        if given.is_empty() {
            return Ok(());
        }
        let mut all = self.names(function)?;
        all.extend(given.iter().map(|(name, object)| (name.clone(), object.clone())));
        self.walk(&given, &all, reads)
    }

    /// Follows what is read of `roots`; functions that are called are found among `all`.
    fn walk<'py>(&self, roots: &Roots<'py>, all: &Roots<'py>, reads: &Reads) -> PyResult<()> {
        for chain in &reads.chains {
            if let Some(object) = roots.get(&*chain.root) {
                let given = !std::ptr::eq(roots, all);
                let keyed = given && is_structure(object) && structure::open(object)?.is_some();
                let way = Way { object: object.clone(), path: chain.root.to_string(), keyed };
                self.follow(way, &chain.steps)?;
            }
        }
        let of_these = |passed: &&Passed| roots.contains_key(&*passed.given.root);
        reads.passed.iter().filter(of_these).try_for_each(|passed| self.pass(all, passed))
    }

    /// Guards what a function that is called reads of an object that it is given.
    fn pass<'py>(&self, roots: &Roots<'py>, passed: &Passed) -> PyResult<()> {
        let Some(given) = find(roots, &passed.given) else { return Ok(()) };
        if (is_ours(&given) && !is_structure(&given)) || is_literal(&given) || given.is_callable() {
            return Ok(());
        }
        let Some((function, first)) = called(roots, &passed.callee)? else { return Ok(()) };
        if !self.recorder().first(function.as_any(), &given) {
            return Ok(());
        }
        let names = function.getattr(intern!(function.py(), "__code__"))?.getattr("co_varnames")?;
        let name = match &passed.to {
            Parameter::At(at) => names.get_item(at + first).map(|name| name.to_string()),
            Parameter::Named(name) => Ok(name.to_string()),
        };
        let (Ok(name), Ok(reads)) = (name, convert::reads(&function)) else { return Ok(()) };
        self.met_arguments(&function, &reads, &[(name, given)])
    }

    /// The globals and variables that a function names, each guarded.
    fn names<'py>(&self, function: &Bound<'py, PyFunction>) -> PyResult<Roots<'py>> {
        let py = function.py();
        let code = function.getattr(intern!(py, "__code__"))?;
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>().map_err(PyErr::from)?;
        let mut found = Roots::new();
        let mut codes = vec![code.clone()];
        while let Some(code) = codes.pop() {
            for name in code.getattr("co_names")?.try_iter()? {
                let name = name?.cast_into::<PyString>().map_err(PyErr::from)?;
                if let Some(value) = globals.get_item(&name)? {
                    let place = Place::Global(globals.clone().unbind(), name.clone().unbind());
                    self.guard(&globals, name.as_any(), place, &value, name.to_string())?;
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
        self.variables_of_the_closure(function, &code, &mut found)?;
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
            let Ok(value) = cell.getattr(intern!(py, "cell_contents")) else { continue };
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

    fn follow(&self, way: Way<'_>, steps: &[Step]) -> PyResult<()> {
        let Some((step, rest)) = steps.split_first() else { return self.contents(&way) };
        if is_container(&way.object) || way.object.is_instance_of::<PyTuple>() {
            return self.step_in_container(&way, step, rest);
        }
        if let Ok(module) = way.object.cast::<PyModule>() {
            return self.step_in_module(module, &way.path, step, rest);
        }
        if is_ours(&way.object) {
            return Ok(());
        }
        match step {
            Step::Attribute(name) => self.step_in_object(&way, name, rest),
            Step::Each => {
                let own = way.object.getattr_opt(intern!(way.object.py(), "__dict__"))?;
                let Some(own) = own.filter(|own| own.is_instance_of::<PyDict>()) else { return Ok(()) };
                self.step_in_container(&Way { object: own, keyed: false, ..way }, step, rest)
            }
            Step::Text(_) | Step::Number(_) => Ok(()),
        }
    }

    fn step_in_container(&self, way: &Way<'_>, step: &Step, rest: &[Step]) -> PyResult<()> {
        let py = way.object.py();
        let key = match step {
            Step::Text(text) => PyString::intern(py, text).into_any(),
            Step::Number(number) => number.into_pyobject(py)?.into_any(),
            Step::Attribute(name) if ADDS.contains(&&**name) => return Ok(()),
            Step::Attribute(_) => return self.contents(way),
            Step::Each => {
                self.contents(way)?;
                let (_, values) = items(&way.object);
                let each = if way.object.is_instance_of::<PyDict>() { 2 } else { 1 };
                return values.into_iter().skip(each - 1).step_by(each).try_for_each(|object| {
                    self.follow(Way { object, path: format!("{}[…]", way.path), keyed: way.keyed }, rest)
                });
            }
        };
        let path = format!("{}[{}]", way.path, key.repr()?);
        let value = item(&way.object, &key);
        if !way.keyed && !way.object.is_instance_of::<PyTuple>() {
            let place = Place::Item(Held::of(&way.object), key.clone().unbind());
            match &value {
                Some(value) => self.guard(&way.object, &key, place, value, path.clone())?,
                None => self.recorder().add(place, Was::Absent, path.clone()),
            }
        }
        if let Some(array) = value.as_ref().filter(|value| array::is_array(value)) {
            self.recorder().read_elements(array, &path, true)?;
        }
        value.map_or(Ok(()), |object| self.follow(Way { object, path, keyed: way.keyed }, rest))
    }

    fn step_in_module(
        &self,
        module: &Bound<'_, PyModule>,
        path: &str,
        step: &Step,
        rest: &[Step],
    ) -> PyResult<()> {
        let Step::Attribute(name) = step else { return Ok(()) };
        if !walk::is_users_module(module.py(), &module.name()?.to_string_lossy())? {
            return Ok(());
        }
        let name = PyString::intern(module.py(), name);
        let names = module.dict();
        let Some(object) = names.get_item(&name)? else { return Ok(()) };
        let path = format!("{path}.{name}");
        let place = Place::Global(names.clone().unbind(), name.clone().unbind());
        self.guard(&names, name.as_any(), place, &object, path.clone())?;
        self.follow(Way { object, path, keyed: false }, rest)
    }

    fn step_in_object(&self, way: &Way<'_>, name: &str, rest: &[Step]) -> PyResult<()> {
        let (py, object) = (way.object.py(), &way.object);
        let name = PyString::intern(py, name);
        let path = format!("{}.{name}", way.path);
        let plain = is_plain(object, &name)?;
        let place = || Place::Attribute(Held::of(object), name.clone().unbind(), plain);
        match stored(object, &name) {
            Some(value) => {
                self.guard(object, name.as_any(), place(), &value, path.clone())?;
                self.follow(Way { object: value, path, keyed: false }, rest)
            }
            None if object.hasattr(intern!(py, "__dict__"))? && !object.get_type().hasattr(&name)? => {
                self.recorder().add(place(), Was::Absent, path);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Guards what a container holds, and what the containers in it hold, however deep they nest.
    fn contents(&self, way: &Way<'_>) -> PyResult<()> {
        if way.keyed || !is_structure(&way.object) {
            return Ok(());
        }
        let mut waiting = vec![(way.object.clone(), way.path.clone(), 0)];
        while let Some((object, path, depth)) = waiting.pop() {
            let inside = if depth < MOST_STEPS { format!("{path}[…]") } else { path.clone() };
            let structures = self.contents_of(&object, path)?;
            let next = structures.into_iter().map(|object| (object, inside.clone(), depth + 1));
            waiting.extend(next.rev());
        }
        Ok(())
    }

    /// Guards what a container holds; gives the containers in it.
    fn contents_of<'py>(&self, object: &Bound<'py, PyAny>, path: String) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if !self.recorder().first(object, object) {
            return Ok(Vec::new());
        }
        let values: Vec<_> = match object.cast::<PyTuple>() {
            Ok(tuple) => tuple.iter().collect(),
            Err(_) => items(object).1,
        };
        if values.iter().any(is_staged) && !self.takes_from(object) {
            return Ok(Vec::new());
        }
        let inside = format!("{path}[…]");
        if is_container(object) {
            self.recorder().add(Place::Contents(Held::of(object)), Was::items(object), path);
        }
        let (structures, others): (Vec<_>, Vec<_>) = values.into_iter().partition(is_structure);
        for value in &others {
            if array::is_array(value) {
                self.recorder().read_elements(value, &inside, true)?;
            }
            if !is_literal(value) {
                self.recorder().hold(value);
            }
        }
        Ok(structures)
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

/// So many steps into containers are named.
const MOST_STEPS: usize = 8;

/// Lists, dicts and the like, which are followed into.
fn is_structure(object: &Bound<'_, PyAny>) -> bool {
    is_container(object) || object.is_instance_of::<PyTuple>()
}

/// Tensors and the like hold nothing of the user's.
fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    let module = object.get_type().getattr("__module__").and_then(|m| m.extract::<String>());
    module.is_ok_and(|m| m == "graphwright" || m == "builtins" || m == "numpy")
        && !object.is_instance_of::<PyType>()
}

/// What stands at the end of a chain now.
fn find<'py>(roots: &Roots<'py>, chain: &Chain) -> Option<Bound<'py, PyAny>> {
    let root = roots.get(&*chain.root)?.clone();
    chain.steps.iter().try_fold(root, |object, step| match step {
        Step::Attribute(name) if object.is_instance_of::<PyModule>() => object.getattr(&**name).ok(),
        Step::Attribute(name) => stored(&object, &PyString::intern(object.py(), name)),
        Step::Text(text) => item(&object, PyString::intern(object.py(), text).as_any()),
        Step::Number(number) => item(&object, number.into_pyobject(object.py()).ok()?.as_any()),
        Step::Each => None,
    })
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
    let callee = match callee.cast::<Function>() {
        Ok(function) => function.get().python_function(callee.py()),
        Err(_) => callee,
    };
    let Ok(function) = callee.cast_into::<PyFunction>() else { return Ok(None) };
    let stays = builtins::stays(&function)? || convert::is_converted(&function.getattr("__code__")?)?;
    Ok((!stays).then_some((function, first)))
}

/// Guards what a method reads of its object, if the object was there before the graph that is built.
pub fn met_method(function: &Bound<'_, PyAny>, owner: &Bound<'_, PyAny>) -> PyResult<()> {
    let (Some(tracing), Ok(function)) = (current::current(), function.cast::<PyFunction>()) else {
        return Ok(());
    };
    if !tracing.recorder().is_of_the_world(owner) || convert::is_converted(&function.getattr("__code__")?)? {
        return Ok(());
    }
    let names = function.getattr("__code__")?.getattr("co_varnames")?;
    let (Ok(reads), Ok(first)) = (convert::reads(function), names.get_item(0)) else { return Ok(()) };
    if !tracing.recorder().first(function.as_any(), owner) {
        return Ok(());
    }
    tracing.met_arguments(function, &reads, &[(first.to_string(), owner.clone())])
}
