//! Functions without a text, which Python runs as they stand. Nobody meets what they call: all that their code can reach by its
//! names, and what containers and objects hold there, is looked for when they are called.

use std::collections::{HashSet, VecDeque};

use gw_base::Code;
use gw_lower::Step;
use gw_syntax::Name;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyModule, PyString, PyTuple, PyType};

use crate::convert;
use crate::dependencies::classes::class_of;
use crate::dependencies::guards::{Place, Was, is_container, is_literal, is_staged};
use crate::dependencies::{Way, is_of_this_package, is_structure, values};
use crate::effects::attributes::{in_class, own, stored};
use crate::exceptions::errors;
use crate::function::held::Held;
use crate::function::trace_type::callable_classes;
use crate::host_calls::opaque;
use crate::operators::python_print;
use crate::session::{self, Tracing, libraries, own_files};

/// So many objects are looked at, those nearest to the function first.
const MOST_OBJECTS: usize = 5000;

/// So deep are containers among the arguments looked into.
const MOST_STEPS: usize = 8;

/// Guards what a function reads that is called as it is since it has no text. Gives what to call in its place, which looks at what
/// the function is given too.
pub fn met_without_text<'py>(function: &Bound<'py, PyFunction>) -> PyResult<Bound<'py, PyAny>> {
    let Some(tracing) = session::current() else { return Ok(function.as_any().clone()) };
    tracing.met_run(function, &[])?;
    let code = function.getattr(intern!(function.py(), "__code__"))?;
    let (file, name): (String, String) =
        (code.getattr("co_filename")?.extract()?, code.getattr("co_name")?.extract()?);
    if own_files::is_made(&file, &name) {
        return Ok(function.as_any().clone());
    }
    tracing.tries().unread.met(&tracing);
    search(&tracing, function, None, true)?;
    Ok(Bound::new(function.py(), Unread(function.clone().unbind()))?.into_any())
}

/// The names of Python's functions that look at the frame which calls them, or run a text in it.
const LOOKS_AT_FRAME: [&str; 5] = ["locals", "vars", "dir", "eval", "exec"];

/// True if code, or code inside it, may look at its frame: it runs as it is written.
fn looks_at_frame(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = code.py();
    let names: Vec<String> = code.getattr(intern!(py, "co_names"))?.extract()?;
    if names.iter().any(|name| LOOKS_AT_FRAME.contains(&&**name)) {
        return Ok(true);
    }
    for constant in code.getattr(intern!(py, "co_consts"))?.try_iter()? {
        let constant = constant?;
        if constant.get_type().is(code.get_type()) && looks_at_frame(&constant)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Guards what a function can reach that looks at its own frame, of an object that it is given too: Python runs it as it is written,
/// and nobody meets what it calls.
pub(super) fn met_looking(
    tracing: &Tracing,
    function: &Bound<'_, PyFunction>,
    given: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let py = function.py();
    if !looks_at_frame(&function.getattr(intern!(py, "__code__"))?)? || is_of_this_package(function) {
        return Ok(());
    }
    let bytecode = py.import("graphwright._bytecode")?;
    if bytecode.call_method1("evaluated", (function,))?.is_none() {
        return Ok(());
    }
    search(tracing, function, given, false)
}

/// Looks once for what a function can reach, of an object of the world that it is given too.
fn search(
    tracing: &Tracing,
    function: &Bound<'_, PyFunction>,
    given: Option<&Bound<'_, PyAny>>,
    unread: bool,
) -> PyResult<()> {
    let mark = intern!(function.py(), "what it reaches").as_any();
    if !tracing.recorder().first(function.as_any(), given.unwrap_or(mark)) {
        return Ok(());
    }
    let mut search = Search {
        tracing,
        looks: true,
        unread,
        seen: HashSet::new(),
        names: Vec::new(),
        objects: Vec::new(),
        differing: None,
    };
    search.run([function.as_any()].into_iter())?;
    if let Some(name) = &search.differing {
        tracing.recorder().add(Place::Made(Held::of(function), "__code__"), Was::Differing, name.clone());
        tracing.tries().unread.differs(function, name.clone());
    }
    let Some(given) = given else { return Ok(()) };
    search.looks = tracing.recorder().is_of_the_world(given);
    search.run([given].into_iter())
}

/// A function without a text, while a graph is built.
#[pyclass(frozen, name = "UnreadFunction", module = "graphwright")]
#[derive(Debug)]
struct Unread(Py<PyFunction>);

#[pymethods]
impl Unread {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = self.0.bind(py);
        if let Some(tracing) = session::current() {
            if tracing.trace.in_region()
                && let Some(name) = tracing.tries().unread.differing(function)
            {
                return Err(differs_in_region(py, &name));
            }
            let named = kwargs.map(|kwargs| kwargs.values().iter().collect::<Vec<_>>()).unwrap_or_default();
            let mut given = Vec::new();
            args.iter().chain(named).for_each(|object| leaves(&tracing, object, 0, &mut given));
            given.iter().try_for_each(|object| search(&tracing, function, Some(object), true))?;
            return python_print::printing(function, &tracing)?.call(args, kwargs);
        }
        function.call(args, kwargs)
    }
}

/// The refusal of such a function in a branch or loop of the graph, where it would be called once.
fn differs_in_region(py: Python<'_>, name: &str) -> PyErr {
    let message = format!(
        "a function whose source cannot be found asks `{name}`, which answers differently each time, in a branch or loop of \
         the graph: it would be asked once, while the graph is built"
    );
    errors::here(py, Code::FrozenCall, message, convert::REMEDY)
}

/// The objects in an argument. Containers that are made for the graph are not kept: that would count as a name of theirs.
fn leaves<'py>(
    tracing: &Tracing,
    object: Bound<'py, PyAny>,
    depth: usize,
    found: &mut Vec<Bound<'py, PyAny>>,
) {
    if is_literal(&object) || is_staged(&object) || depth > MOST_STEPS {
        return;
    }
    if !is_structure(&object) || tracing.recorder().is_of_the_world(&object) {
        return found.push(object);
    }
    values(&object).into_iter().for_each(|item| leaves(tracing, item, depth + 1, found));
}

/// The search for what such a function can reach.
struct Search<'a, 'py> {
    tracing: &'a Tracing,
    /// True if what objects hold is guarded: what an argument holds that counts by that is part of the trace type, and what is
    /// made for the graph goes with it.
    looks: bool,
    /// True for what functions without a text reach: those compare no tensor by identity.
    unread: bool,
    /// The objects that were looked at, by their addresses: what holds them does not let them go meanwhile.
    seen: HashSet<usize>,
    /// Names in the code of the functions found so far.
    names: Vec<String>,
    /// The objects, classes and modules of the user's, and how many of the names were looked up in each.
    objects: Vec<(Bound<'py, PyAny>, String, usize)>,
    /// Name of an object that answers differently each time, if one was found.
    differing: Option<String>,
}

type Waiting<'py> = VecDeque<(Bound<'py, PyAny>, String)>;

impl<'py> Search<'_, 'py> {
    fn run<'a>(&mut self, roots: impl Iterator<Item = &'a Bound<'py, PyAny>>) -> PyResult<()>
    where
        'py: 'a,
    {
        let mut waiting: Waiting<'py> =
            roots.map(|object| (object.clone(), "an argument".to_owned())).collect();
        loop {
            if self.seen.len() >= MOST_OBJECTS {
                let Some((object, path)) = waiting.pop_front() else { break };
                self.tracing.recorder().stop_watching(&object, path);
                break;
            }
            match waiting.pop_front() {
                Some((object, path)) => self.visit(object, path, &mut waiting)?,
                None => match self.objects.iter().position(|(_, _, looked)| *looked < self.names.len()) {
                    Some(at) => self.attributes(at, &mut waiting)?,
                    None => break,
                },
            }
        }
        Ok(())
    }

    fn visit(&mut self, object: Bound<'py, PyAny>, path: String, waiting: &mut Waiting<'py>) -> PyResult<()> {
        let py = object.py();
        if is_literal(&object) || is_staged(&object) || !self.seen.insert(object.as_ptr() as usize) {
            return Ok(());
        }
        if let Ok(function) = object.cast::<PyFunction>() {
            return self.function(function, waiting);
        }
        if is_structure(&object) {
            if self.looks && is_container(&object) {
                self.tracing.contents_of(object.clone(), path.clone())?;
            }
            waiting.extend(values(&object).into_iter().map(|item| (item, format!("{path}[…]"))));
            return Ok(());
        }
        if self.differing.is_none() && opaque::is_random(&object)? {
            self.differing = Some(path.clone());
        }
        if libraries::changes_out_of_sight(&object)? {
            self.tracing.recorder().loses_sight(&object, path);
            return Ok(());
        }
        let [method, partial] = callable_classes(py)?;
        let class = object.get_type();
        let parts: &[&str] = match () {
            () if class.is(method) => &["__self__", "__func__"],
            () if class.is(partial) => &["func", "args", "keywords"],
            () => &[],
        };
        for part in parts {
            waiting.push_back((object.getattr(*part)?, path.clone()));
        }
        let is_users = match object.cast::<PyModule>() {
            Ok(module) => libraries::is_users_module(py, &module.name()?.to_string_lossy())?,
            Err(_) => libraries::is_users(object.cast::<PyType>().unwrap_or(&class).as_any())?,
        };
        if parts.is_empty() && is_users {
            self.objects.push((object, path, 0));
        }
        Ok(())
    }

    /// Guards the parts that a function is made of, and finds the objects that its code names.
    fn function(&mut self, function: &Bound<'py, PyFunction>, waiting: &mut Waiting<'py>) -> PyResult<()> {
        let py = function.py();
        let code = function.getattr(intern!(py, "__code__"))?;
        if libraries::stays(function)? || convert::is_converted(&code)? {
            return Ok(());
        }
        self.tracing.run_on(function, &[])?;
        if self.unread {
            convert::check_identity(function)?;
        }
        self.evaluated(function, waiting)?;
        let globals = function.getattr("__globals__")?.cast_into::<PyDict>()?;
        let mut codes = vec![code.clone()];
        while let Some(inner) = codes.pop() {
            for name in inner.getattr("co_names")?.extract::<Vec<String>>()? {
                waiting.extend(globals.get_item(&name)?.map(|value| (value, name.clone())));
                if !self.names.contains(&name) {
                    self.names.push(name);
                }
            }
            for constant in inner.getattr("co_consts")?.try_iter()? {
                let constant = constant?;
                codes.extend(constant.get_type().is(code.get_type()).then_some(constant));
            }
        }
        if self.differing.is_none() {
            let known = py.import("graphwright._meanings.differing")?;
            self.differing = known.call_method1("differing", (function,))?.extract()?;
        }
        let names: Vec<String> = code.getattr("co_freevars")?.extract()?;
        for (at, name) in names.into_iter().enumerate() {
            let cell = function.getattr("__closure__")?.get_item(at)?;
            waiting.extend(cell.getattr("cell_contents").ok().map(|value| (value, name)));
        }
        for part in ["__defaults__", "__kwdefaults__"] {
            waiting.push_back((function.getattr(part)?, part.to_owned()));
        }
        Ok(())
    }

    /// The names in the texts that a function evaluates. A text that is not written in it may read anything.
    fn evaluated(&mut self, function: &Bound<'py, PyFunction>, waiting: &mut Waiting<'py>) -> PyResult<()> {
        let py = function.py();
        if !looks_at_frame(&function.getattr(intern!(py, "__code__"))?)? {
            return Ok(());
        }
        let bytecode = py.import("graphwright._bytecode")?;
        let found: Option<(Vec<String>, Option<String>)> =
            bytecode.call_method1("evaluated", (function,))?.extract()?;
        let Some((names, unknown)) = found else { return Ok(()) };
        self.differing = self.differing.take().or(unknown);
        let globals = function.getattr(intern!(py, "__globals__"))?.cast_into::<PyDict>()?;
        for name in names {
            let text = PyString::intern(py, &name);
            match globals.get_item(&text)? {
                Some(value) => {
                    let place = Place::Global(globals.clone().unbind(), text.clone().unbind());
                    self.tracing.guard(&globals, text.as_any(), place, &value, name.clone())?;
                    waiting.push_back((value, name.clone()));
                }
                None => self.tracing.guard_builtin(function, &globals, &text)?,
            }
            if !self.names.contains(&name) {
                self.names.push(name);
            }
        }
        Ok(())
    }

    /// Finds the named attributes of an object that were not looked up there yet, and the special methods of its
    /// class.
    fn attributes(&mut self, at: usize, waiting: &mut Waiting<'py>) -> PyResult<()> {
        let (object, path, looked) = self.objects[at].clone();
        self.objects[at].2 = self.names.len();
        let py = object.py();
        if let Ok(module) = object.cast::<PyModule>() {
            for name in &self.names[looked..] {
                self.tracing.follow(self.way(&object, &path), &[Step::Attribute(Name::from(&**name))])?;
                waiting.extend(module.dict().get_item(name)?.map(|value| (value, format!("{path}.{name}"))));
            }
            return Ok(());
        }
        if looked == 0 && self.looks {
            self.tracing.operators_of(&self.way(&object, &path))?;
        }
        if looked == 0 {
            self.special_methods(&object, &path, waiting)?;
        }
        if self.looks
            && self.names[looked..].iter().any(|name| matches!(&**name, "vars" | "dir" | "__dict__"))
            && let Some(own) = own(&object)
        {
            self.tracing.contents_of(own.into_any(), path.clone())?;
            self.tracing.names_in_class(&self.way(&object, &path))?;
        }
        for name in &self.names[looked..] {
            let found = PyString::intern(py, name);
            let (value, raw) = (stored(&object, &found), in_class(&object, &found).map(|(_, raw)| raw));
            if value.is_none() && raw.is_none() {
                continue;
            }
            let path = format!("{path}.{name}");
            let holder = if self.looks { object.clone() } else { class_of(&object).into_any() };
            if self.looks || raw.is_some() {
                self.tracing.follow(self.way(&holder, &path), &[Step::Attribute(Name::from(&**name))])?;
            }
            waiting.extend(value.map(|value| (value, path.clone())));
            raw.map_or(Ok(()), |raw| functions_of(raw, &path, waiting))?;
        }
        Ok(())
    }

    /// The special methods of the class of an object, or of a class.
    fn special_methods(
        &self,
        object: &Bound<'py, PyAny>,
        path: &str,
        waiting: &mut Waiting<'py>,
    ) -> PyResult<()> {
        for base in class_of(object).mro() {
            if !libraries::is_users(&base)? {
                continue;
            }
            let pairs = base.getattr("__dict__")?.call_method0("items")?.try_iter()?;
            for pair in pairs.collect::<PyResult<Vec<_>>>()? {
                let (name, raw): (String, Bound<'py, PyAny>) = pair.extract()?;
                if name.starts_with("__") && name.ends_with("__") {
                    functions_of(raw, &format!("{path}.{name}"), waiting)?;
                }
            }
        }
        Ok(())
    }

    fn way(&self, object: &Bound<'py, PyAny>, path: &str) -> Way<'py> {
        Way { object: object.clone(), path: path.to_owned(), keyed: false, native: true, calls: 0 }
    }
}

/// The functions in what a class holds: a method, a property.
fn functions_of<'py>(raw: Bound<'py, PyAny>, path: &str, waiting: &mut Waiting<'py>) -> PyResult<()> {
    for part in ["fget", "fset", "fdel", "__func__"] {
        waiting.extend(raw.getattr_opt(part)?.map(|function| (function, path.to_owned())));
    }
    if raw.is_instance_of::<PyFunction>() {
        waiting.push_back((raw, path.to_owned()));
    }
    Ok(())
}
