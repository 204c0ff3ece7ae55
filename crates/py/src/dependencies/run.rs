//! Functions that Python runs as they are while a graph is built, getters and operators of classes among them, and what calls
//! give: followed in their text, or in their code where there is none.

use gw_lower::{Chain, Reads, Step};
use gw_syntax::Name;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyString, PyTuple, PyType};

use crate::calls::by_python::convert_where_python_calls;
use crate::convert;
use crate::dependencies::guards::{Place, Was};
use crate::dependencies::{Text, Way, is_ours, library, undecorated};
use crate::effects::attributes::in_class;
use crate::function::held::Held;
use crate::function::trace_type::callable_classes;
use crate::session::own_functions::method_parts;
use crate::session::{Tracing, libraries};

/// Through so many results of calls a chain is followed.
const MOST_CALLS: usize = 8;

/// So many functions that Python runs as they are are followed: those behind the objects of a large library are more.
const MOST_RUNS: usize = 1000;

/// Least stack, in bytes, that is left where a function is followed.
const LEAST_STACK: usize = 2 << 20;

impl Tracing {
    /// Guards what a function is made of: its code, and its defaults if it has some.
    pub(super) fn guard_made(&self, function: &Bound<'_, PyFunction>) -> PyResult<()> {
        if self.recorder().is_keyed(function.as_any()) {
            return Ok(());
        }
        let py = function.py();
        let name = function.getattr(intern!(py, "__name__"))?;
        let guard = |part: &'static str, value: &Bound<'_, PyAny>| {
            let place = Place::Made(Held::of(function.as_any()), part);
            self.recorder().add(place, Was::of(Some(value)), format!("{name}.{part}"));
        };
        guard("__code__", &function.getattr(intern!(py, "__code__"))?);
        let defaults = function.getattr(intern!(py, "__defaults__"))?;
        if !defaults.is_none() {
            guard("__defaults__", &defaults);
        }
        let named = function.getattr(intern!(py, "__kwdefaults__"))?;
        if !named.is_none() {
            guard("__kwdefaults__", &named);
            self.contents_of(named, format!("{name}.__kwdefaults__"))?;
        }
        Ok(())
    }

    /// Guards what a function reads of the objects that are its defaults.
    pub(super) fn met_defaults(&self, function: &Bound<'_, PyFunction>, reads: &Reads) -> PyResult<()> {
        let py = function.py();
        let code = function.getattr(intern!(py, "__code__"))?;
        let names: Vec<String> = code.getattr(intern!(py, "co_varnames"))?.extract()?;
        let count: usize = code.getattr(intern!(py, "co_argcount"))?.extract()?;
        let mut given = Vec::new();
        if let Ok(defaults) = function.getattr(intern!(py, "__defaults__"))?.cast::<PyTuple>() {
            let first = count.saturating_sub(defaults.len());
            given.extend(names[first..count].iter().cloned().zip(defaults.iter()));
        }
        if let Ok(named) = function.getattr(intern!(py, "__kwdefaults__"))?.cast::<PyDict>() {
            given.extend(named.iter().map(|(name, value)| (name.to_string(), value)));
        }
        let given = self.given(&given)?;
        if given.is_empty() {
            return Ok(());
        }
        self.walk(&given, &given, Text { native: false, ..Text::of(function, reads, false) })
    }

    /// As [`Tracing::met_run`], of a function that is given these objects first.
    pub(super) fn run_on(
        &self,
        function: &Bound<'_, PyFunction>,
        given: &[&Bound<'_, PyAny>],
    ) -> PyResult<()> {
        let names = function.getattr("__code__")?.getattr("co_varnames")?;
        let named = given
            .iter()
            .enumerate()
            .filter_map(|(at, object)| Some((names.get_item(at).ok()?.to_string(), (*object).clone())));
        self.met_run(function, &named.collect::<Vec<_>>())
    }

    /// Guards what a function reads that Python runs as it is, of its names and of these arguments.
    pub(super) fn met_run<'py>(
        &self,
        function: &Bound<'py, PyFunction>,
        named: &[(String, Bound<'py, PyAny>)],
    ) -> PyResult<()> {
        if libraries::stays(function)? || convert::is_converted(&function.getattr("__code__")?)? {
            return Ok(());
        }
        convert_where_python_calls(function)?;
        let key = named.first().map_or(function.as_any(), |(_, object)| object);
        if !self.recorder().first_run(function.as_any(), key) {
            return Ok(());
        }
        let is_short = gw_runtime::remaining_stack().is_some_and(|left| left < LEAST_STACK);
        if is_short || self.recorder().runs() > MOST_RUNS {
            let name = function.getattr(intern!(function.py(), "__name__"))?.to_string();
            self.recorder().stop_watching(function.as_any(), name);
            return Ok(());
        }
        let reads = match convert::reads_alone(function) {
            Ok(reads) => reads,
            Err(_) => reads_of_code(function, named)?.into(),
        };
        self.met_function(function, &reads)?;
        let mut all = self.names(function, &reads)?;
        for (name, object) in named {
            self.recorder().hold(object);
            all.insert(name.clone(), object.clone());
        }
        self.follow_natively(function, || self.walk(&all, &all, Text::of(function, &reads, true)))
    }

    /// Follows the result of a call of an object.
    pub(super) fn step_in_call(&self, way: &Way<'_>, rest: &[Step]) -> PyResult<()> {
        let py = way.object.py();
        let object = undecorated(way.object.clone());
        let [method, _] = callable_classes(py)?;
        let (function, owner) = if let Some([function, owner]) = method_parts(&object)? {
            (function, Some(owner))
        } else if object.is_instance_of::<PyFunction>() {
            (object, None)
        } else if object.get_type().is(method) {
            (object.getattr(intern!(py, "__func__"))?, Some(object.getattr(intern!(py, "__self__"))?))
        } else if object.is_instance_of::<PyType>() {
            self.one_made_of(way)?;
            return self.of_one_made(way, &object, rest);
        } else if is_ours(&object) {
            return Ok(());
        } else {
            let Some(call) = object.get_type().getattr_opt(intern!(py, "__call__"))? else { return Ok(()) };
            (call, Some(object))
        };
        let Ok(function) = function.cast_into::<PyFunction>() else { return Ok(()) };
        if way.native {
            self.run_on(&function, owner.as_ref().as_slice())?;
        }
        self.met_wrapped(&function, owner.as_ref())?;
        // A wrapper that `contextlib.contextmanager` and the like put around a function of the user's gives what that gives.
        if let Some(inner) = function.getattr_opt(intern!(py, "__wrapped__"))?
            && let Ok(inner) = inner.cast::<PyFunction>()
        {
            self.returned(way, inner, owner.as_ref(), rest)?;
        }
        self.returned(way, &function, owner.as_ref(), rest)
    }

    /// Guards what a function reads that a library's wrapper calls: nobody meets what `contextlib.contextmanager` runs.
    pub(super) fn met_wrapped(
        &self,
        function: &Bound<'_, PyFunction>,
        owner: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = function.py();
        let Some(inner) = function.getattr_opt(intern!(py, "__wrapped__"))? else { return Ok(()) };
        if let Some(registry) = function.getattr_opt(intern!(py, "registry"))?
            && let Some(registry) = library::proxied(&registry)
        {
            self.contents_of(registry, "registry".to_owned())?;
        }
        let Ok(inner) = inner.cast::<PyFunction>() else { return Ok(()) };
        let globals = function.getattr(intern!(py, "__globals__"))?;
        let module =
            globals.get_item(intern!(py, "__name__")).map_or_else(|_| String::new(), |n| n.to_string());
        if libraries::is_librarys(py, &module)? { self.run_on(inner, owner.as_slice()) } else { Ok(()) }
    }

    /// Follows what a method gives of an object that is made of a class.
    fn of_one_made(&self, way: &Way<'_>, class: &Bound<'_, PyAny>, rest: &[Step]) -> PyResult<()> {
        let [Step::Attribute(name), Step::Result, rest @ ..] = rest else { return Ok(()) };
        let Some((_, raw)) = in_class(class, &PyString::intern(class.py(), name)) else { return Ok(()) };
        let Ok(function) = raw.cast::<PyFunction>() else { return Ok(()) };
        self.returned(way, function, None, rest)
    }

    /// Follows what a function returns further.
    pub(super) fn returned<'py>(
        &self,
        way: &Way<'py>,
        function: &Bound<'py, PyFunction>,
        owner: Option<&Bound<'py, PyAny>>,
        rest: &[Step],
    ) -> PyResult<()> {
        if matches!(rest, [] | [Step::Given | Step::Kept])
            || way.calls >= MOST_CALLS
            || libraries::stays(function)?
            || convert::is_converted(&function.getattr("__code__")?)?
            || !self.recorder().first_result([Some(function.as_any()), owner], rest, way.calls)
        {
            return Ok(());
        }
        let Ok(reads) = convert::reads_alone(function) else { return Ok(()) };
        let yielded = match rest {
            [Step::Each, rest @ ..] => Some(rest),
            [Step::Attribute(enter), Step::Result, rest @ ..] if &**enter == "__enter__" => Some(rest),
            [..] => None,
        };
        let (given, rest) = match yielded.filter(|_| !reads.yielded.is_empty()) {
            Some(rest) => (&reads.yielded, rest),
            None => (&reads.returned, rest),
        };
        if given.is_empty() {
            return Ok(());
        }
        let mut roots = self.names(function, &reads)?;
        if let Some(owner) = owner {
            let names = function.getattr("__code__")?.getattr("co_varnames")?;
            roots.extend(names.get_item(0).ok().map(|name| (name.to_string(), owner.clone())));
        }
        for chain in given {
            let Some(object) = roots.get(&*chain.root) else { continue };
            let steps: Vec<_> = chain.steps.iter().chain(rest).cloned().collect();
            let path = chain.root.to_string();
            self.follow(Way { calls: way.calls + 1, ..way.to(object.clone(), path) }, &steps)?;
        }
        Ok(())
    }
}

/// Reads of a function without a text, as its code names them: its globals, and of these and what it is given any attribute of
/// these names.
fn reads_of_code(function: &Bound<'_, PyFunction>, named: &[(String, Bound<'_, PyAny>)]) -> PyResult<Reads> {
    let names: Vec<String> = function.getattr("__code__")?.getattr("co_names")?.extract()?;
    let roots = named.iter().map(|(root, _)| root).chain(&names);
    let mut chains = Vec::new();
    for root in roots {
        let root = Name::from(&**root);
        let attribute = |name: &String| vec![Step::Attribute(Name::from(&**name))];
        let steps = names.iter().map(attribute).chain([Vec::new()]);
        chains.extend(steps.map(|steps| Chain { root: root.clone(), steps }));
    }
    Ok(Reads { chains, ..Reads::default() })
}
