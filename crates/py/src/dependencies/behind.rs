//! Objects of Python's own that stand for others: weak references, views of dicts and of memory, methods of containers, partial
//! functions, and the functions of `operator` that read attributes and items. What a function reads of them is read of what
//! stands behind them.

use std::cell::Cell;

use gw_lower::{Chain, Parameter, Passed, Step};
use gw_syntax::Name;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyWeakrefMethods, PyWeakrefProxy, PyWeakrefReference};

use crate::dependencies::guards::{Place, Was, is_container};
use crate::dependencies::{Roots, Text, Way, called, find, library};
use crate::function::held::Held;
use crate::function::trace_type::callable_classes;
use crate::session::Tracing;

/// The classes that show what a container holds, and the attribute that gives the container.
const SHOWS: &[(&str, &str)] = &[
    ("dict_keys", "mapping"),
    ("dict_values", "mapping"),
    ("dict_items", "mapping"),
    ("odict_keys", "mapping"),
    ("odict_values", "mapping"),
    ("odict_items", "mapping"),
    ("memoryview", "obj"),
    ("builtin_function_or_method", "__self__"),
    ("method-wrapper", "__self__"),
];

/// Through so many calls, one the argument of the other, what is read of a result is followed, and to so many arguments in all: calls
/// that are given results of one another have ever more.
const MOST_CALLS: usize = 4;
const MOST_GIVEN: usize = 128;

/// The way in which an object stands for another.
pub(super) enum Behind<'py> {
    /// A call of it gives the other.
    Called(Bound<'py, PyAny>),
    /// A read of it is a read of the other.
    Same(Bound<'py, PyAny>),
    /// It shows what a container holds.
    Shows(Bound<'py, PyAny>),
    /// A call of it calls another with what it holds.
    Partial(Bound<'py, PyAny>),
}

/// The object behind one of Python's own that stands for it.
pub(super) fn of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Behind<'py>>> {
    if let Ok(reference) = object.cast::<PyWeakrefReference>() {
        return Ok(reference.upgrade().map(Behind::Called));
    }
    if let Ok(proxy) = object.cast::<PyWeakrefProxy>() {
        return Ok(proxy.upgrade().map(Behind::Same));
    }
    let class = object.get_type();
    let [_, partial] = callable_classes(object.py())?;
    if class.is(partial) {
        return Ok(Some(Behind::Partial(object.clone())));
    }
    let name = class.name()?;
    let Some((_, part)) = SHOWS.iter().find(|(shows, _)| name == *shows) else { return Ok(None) };
    let Some(shown) = object.getattr_opt(*part)? else { return Ok(None) };
    let shown = library::proxied(&shown).unwrap_or(shown);
    Ok(is_container(&shown).then_some(Behind::Shows(shown)))
}

/// A container that stands for all that a context variable, or a container of weak references, holds: any of it may be read.
pub(super) fn held<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = object.get_type();
    let module = class.getattr(intern!(class.py(), "__module__"))?.to_string();
    Ok(match (&*module, &*class.name()?.to_string()) {
        ("_contextvars" | "contextvars", "ContextVar") => object
            .call_method1("get", (object.py().None(),))
            .ok()
            .and_then(|now| PyTuple::new(now.py(), [now]).ok())
            .map(Bound::into_any),
        ("weakref" | "_weakrefset", _) => object.getattr_opt(intern!(class.py(), "data"))?,
        _ => None,
    })
}

/// The steps that a function of `operator` reads of its argument, way by way.
fn getter(function: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<Step>>> {
    let class = function.get_type();
    let name = class.name()?.to_string();
    if !matches!(&*name, "attrgetter" | "itemgetter" | "methodcaller")
        || class.getattr(intern!(class.py(), "__module__"))?.to_string() != "operator"
    {
        return Ok(Vec::new());
    }
    let made = function.call_method0(intern!(class.py(), "__reduce__"))?;
    let [maker, args] = [made.get_item(0)?, made.get_item(1)?];
    // A method that is called with keywords is made by a partial function.
    let args = if maker.is(&class) { args } else { maker.getattr(intern!(class.py(), "args"))? };
    let args: Vec<Bound<'_, PyAny>> = args.extract()?;
    let attributes = |path: &Bound<'_, PyAny>| -> Vec<Step> {
        path.to_string().split('.').map(|name| Step::Attribute(Name::from(name))).collect()
    };
    Ok(match &*name {
        "attrgetter" => args.iter().map(attributes).collect(),
        "itemgetter" => args.iter().map(|key| vec![key_of(key)]).collect(),
        _ => args.iter().take(1).map(|name| [attributes(name), vec![Step::Result]].concat()).collect(),
    })
}

/// The object or the function that a bound method has as an attribute.
pub(super) fn part<'py>(method: &Bound<'py, PyAny>, step: &Step) -> PyResult<Option<Bound<'py, PyAny>>> {
    let [class, _] = callable_classes(method.py())?;
    match step {
        Step::Attribute(name)
            if matches!(&**name, "__self__" | "__func__") && method.get_type().is(class) =>
        {
            method.getattr(&**name).map(Some)
        }
        Step::Attribute(_) | Step::Text(_) | Step::Number(_) | Step::Each | Step::Any => Ok(None),
        Step::Get(_) | Step::Result | Step::Store(_) | Step::Given | Step::Kept => Ok(None),
    }
}

fn key_of(key: &Bound<'_, PyAny>) -> Step {
    if let Ok(text) = key.cast_exact::<PyString>() {
        return Step::Text(Name::from(&*text.to_string_lossy()));
    }
    key.extract().map_or(Step::Each, Step::Number)
}

impl Tracing {
    /// Guards what a function of `operator` reads of the object of the world that it is called with.
    pub fn met_getter(&self, function: &Bound<'_, PyAny>, args: &Bound<'_, PyTuple>) -> PyResult<()> {
        let Ok(object) = args.get_item(0) else { return Ok(()) };
        if !self.recorder().is_of_the_world(&object) {
            return Ok(());
        }
        for steps in getter(function)? {
            let (path, object) = ("an argument".to_owned(), object.clone());
            self.follow(Way { object, path, keyed: false, native: true, calls: 0 }, &steps)?;
        }
        Ok(())
    }

    /// Follows what is read of an object that stands for another.
    pub(super) fn follow_behind<'py>(
        &self,
        way: &Way<'py>,
        behind: Behind<'py>,
        steps: &[Step],
    ) -> PyResult<()> {
        match behind {
            Behind::Called(object) => {
                let [Step::Result, rest @ ..] = steps else { return Ok(()) };
                self.lives(way, &object);
                self.follow(way.to(object, format!("{}()", way.path)), rest)
            }
            Behind::Same(object) => {
                self.lives(way, &object);
                self.follow(way.to(object, way.path.clone()), steps)
            }
            Behind::Shows(container) => self.shown(way, container, steps),
            Behind::Partial(partial) => self.partial(way, &partial, steps),
        }
    }

    /// Guards that an object is still there.
    fn lives(&self, way: &Way<'_>, object: &Bound<'_, PyAny>) {
        let mut recorder = self.recorder();
        recorder.hold(object);
        if recorder.first(&way.object, object) {
            let was = Was::Object(Held::of(object));
            recorder.add(Place::Contents(Held::of(object)), was, way.path.clone());
        }
    }

    fn shown<'py>(&self, way: &Way<'py>, container: Bound<'py, PyAny>, steps: &[Step]) -> PyResult<()> {
        let name = way.object.getattr_opt(intern!(way.object.py(), "__name__"))?;
        if name.is_some_and(|name| name.eq("append").unwrap_or(false)) {
            self.recorder().fills(&container);
            return Ok(());
        }
        self.recorder().reads(&container);
        self.contents_of(container.clone(), way.path.clone())?;
        let inside = way.to(container, way.path.clone());
        match steps {
            // The items of a dict are pairs: one step more.
            [Step::Each, Step::Each, rest @ ..] => {
                self.follow(way.to(inside.object.clone(), way.path.clone()), &steps[1..])?;
                self.follow(inside, &[&[Step::Each], rest].concat())
            }
            [Step::Each, ..] => self.follow(inside, steps),
            [..] => Ok(()),
        }
    }

    fn partial<'py>(&self, way: &Way<'py>, partial: &Bound<'py, PyAny>, steps: &[Step]) -> PyResult<()> {
        let py = partial.py();
        let mark = if way.native { intern!(py, "what it runs") } else { intern!(py, "what it holds") };
        if !self.recorder().first(partial, mark.as_any()) {
            return Ok(());
        }
        let function = partial.getattr(intern!(py, "func"))?;
        let mut given: Vec<(Parameter, Bound<'py, PyAny>)> = Vec::new();
        let args = partial.getattr(intern!(py, "args"))?.cast_into::<PyTuple>()?;
        given.extend(args.iter().enumerate().map(|(at, arg)| (Parameter::At(at), arg)));
        let keywords = partial.getattr(intern!(py, "keywords"))?.cast_into::<PyDict>()?;
        given.extend(
            keywords.iter().map(|(name, arg)| (Parameter::Named(Name::from(&*name.to_string())), arg)),
        );
        self.contents_of(keywords.into_any(), format!("{}.keywords", way.path))?;
        let chain = |root: &str| Chain { root: Name::from(root), steps: Vec::new() };
        for (to, arg) in given {
            self.recorder().hold(&arg);
            self.contents_of(arg.clone(), way.path.clone())?;
            let roots = Roots::from([("callee".to_owned(), function.clone()), ("given".to_owned(), arg)]);
            let passed = Passed { callee: chain("callee"), to, given: chain("given") };
            self.pass(&roots, &passed, way.native)?;
        }
        let steps = if let [Step::Result, ..] = steps { steps } else { &[Step::Result] };
        self.follow(way.to(function, format!("{}.func", way.path)), steps)
    }

    /// Follows what is read of the result of a call whose callee is none of the user's functions, `max(items, key=…).rate`: it may
    /// be one of its arguments, or an item of one.
    pub(super) fn pass_through(&self, roots: &Roots<'_>, text: Text<'_>) -> PyResult<()> {
        for chain in &text.reads.chains {
            let Some(at) = chain.steps.iter().position(|step| *step == Step::Result) else { continue };
            let (before, rest) = (&chain.steps[..at], &chain.steps[at + 1..]);
            if matches!(rest, [] | [Step::Given | Step::Kept]) {
                continue;
            }
            let callee = Chain { root: chain.root.clone(), steps: before.to_vec() };
            self.read_of_given(roots, text, &callee, rest, (MOST_CALLS, &Cell::new(MOST_GIVEN)))?;
        }
        Ok(())
    }

    /// Follows these steps through what a call is given; through what another call is given, `next(iter(items))`, too.
    fn read_of_given(
        &self,
        roots: &Roots<'_>,
        text: Text<'_>,
        callee: &Chain,
        steps: &[Step],
        (most, left): (usize, &Cell<usize>),
    ) -> PyResult<()> {
        for Passed { given, .. } in text.reads.passed.iter().filter(|passed| passed.callee == *callee) {
            // A graph that is good for one call asks for no guards.
            let is_done = most == 0 || left.get() == 0 || self.recorder().is_for_one_call();
            if is_done || called(roots, callee)?.is_some() {
                break;
            }
            left.set(left.get() - 1);
            self.read_by(roots, given, steps, text.native)?;
            self.read_by(roots, given, &[&[Step::Each], steps].concat(), text.native)?;
            if let Some(at) = given.steps.iter().position(|step| *step == Step::Result) {
                let inner = Chain { root: given.root.clone(), steps: given.steps[..at].to_vec() };
                let steps = [&given.steps[at + 1..], steps].concat();
                self.read_of_given(roots, text, &inner, &steps, (most - 1, left))?;
            }
        }
        Ok(())
    }

    /// Guards what a function of `operator` reads of what it is given; true if it is one.
    pub(super) fn pass_to_getter(&self, roots: &Roots<'_>, passed: &Passed) -> PyResult<bool> {
        let Some(callee) = find(roots, &passed.callee) else { return Ok(false) };
        let read = getter(&callee)?;
        read.iter().try_for_each(|steps| self.read_by(roots, &passed.given, steps, true))?;
        Ok(!read.is_empty())
    }

    /// The same of the items among which a call looks for some by the key that such a function gives: `sorted(items, key=…)`.
    pub(super) fn pass_to_key(&self, roots: &Roots<'_>, text: Text<'_>) -> PyResult<()> {
        let is_key = |to: &Parameter| matches!(to, Parameter::Named(name) if &**name == "key");
        for key in text.reads.passed.iter().filter(|passed| is_key(&passed.to)) {
            let Some(function) = find(roots, &key.given) else { continue };
            let read = getter(&function)?;
            let of_call = |passed: &&Passed| passed.callee == key.callee && !is_key(&passed.to);
            for passed in text.reads.passed.iter().filter(of_call) {
                for steps in &read {
                    self.read_by(roots, &passed.given, &[&[Step::Each], &**steps].concat(), true)?;
                }
            }
        }
        Ok(())
    }

    fn read_by(&self, roots: &Roots<'_>, given: &Chain, steps: &[Step], native: bool) -> PyResult<()> {
        let Some(object) = roots.get(&*given.root) else { return Ok(()) };
        let (path, object) = (given.root.to_string(), object.clone());
        let way = Way { object, path, keyed: false, native, calls: 0 };
        self.follow(way, &[&given.steps, steps].concat())
    }
}
