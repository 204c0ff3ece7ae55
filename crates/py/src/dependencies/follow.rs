//! Follows reads through the world: attributes, items, results of calls.

use gw_lower::Step;
use gw_syntax::Name;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyList, PyModule, PyString, PyTuple, PyType};

use crate::dependencies::classes::class_of;
use crate::dependencies::guards::{Place, Was, is_container, is_literal, is_staged, item, items};
use crate::dependencies::library::{self, is_stream};
use crate::dependencies::{Way, behind, is_ours, is_structure, values};
use crate::effects::attributes::{in_class, is_plain, is_slot, own, stored};
use crate::function::held::Held;
use crate::session::{Tracing, libraries};
use crate::values::array;

/// The methods of containers that add to what is there without looking at it.
const ADDS: &[&str] = &["append", "appendleft", "extend", "extendleft"];

/// So many steps into containers are named.
const MOST_STEPS: usize = 8;

impl Tracing {
    /// Guards what is read of an object step by step.
    pub(super) fn follow(&self, way: Way<'_>, steps: &[Step]) -> PyResult<()> {
        if libraries::changes_out_of_sight(&way.object)? {
            self.recorder().loses_sight(&way.object, way.path);
            return Ok(());
        }
        self.follow_in_sight(way, steps)
    }

    fn follow_in_sight(&self, way: Way<'_>, steps: &[Step]) -> PyResult<()> {
        self.reads_natively(&way, steps)?;
        if let Some(held) = library::environment(&way.object)? {
            return self.step_in_environment(&held, steps.first());
        }
        if let Some(inside) = library::proxied(&way.object) {
            return self.follow(way.to(inside, way.path.clone()), steps);
        }
        if let Some(behind) = behind::of(&way.object)? {
            return self.follow_behind(&way, behind, steps);
        }
        if let Some(held) = behind::held(&way.object)? {
            self.contents_of(held.clone(), way.path.clone())?;
            return self.items_escape(&way.to(held, way.path.clone()));
        }
        let (step, rest) = match steps {
            [] => {
                self.reads_items(&way);
                self.whole(&way)?;
                return self.items_escape(&way);
            }
            [Step::Given] => return self.whole(&way),
            [Step::Kept] => return self.items_escape(&way),
            [step, rest @ ..] => (step, rest),
        };
        if is_container(&way.object) || way.object.is_instance_of::<PyTuple>() {
            self.implicit_methods_of(&way)?;
            return self.step_in_container(&way, step, rest);
        }
        if let Ok(module) = way.object.cast::<PyModule>() {
            return self.step_in_module(&way, module, step, rest);
        }
        if let Step::Result = step {
            return self.step_in_call(&way, rest);
        }
        if let Some(part) = behind::part(&way.object, step)? {
            return self.follow(way.to(part, way.path.clone()), rest);
        }
        if is_ours(&way.object) && !way.object.is_instance_of::<PyFunction>() {
            return Ok(());
        }
        match step {
            Step::Attribute(name) => self.step_in_object(&way, name, rest),
            Step::Get(_) => self.step_in_object(&way, "get", &[]),
            Step::Any => {
                self.names_in_class(&way)?;
                self.follow(way, &[&[Step::Each], rest].concat())
            }
            Step::Each => {
                self.operators_of(&way)?;
                let Some(own) = own(&way.object) else { return Ok(()) };
                self.step_in_container(&way.to(own.into_any(), way.path.clone()), step, rest)
            }
            Step::Store(name) => self.step_in_setter(&way, name),
            Step::Text(_) | Step::Number(_) | Step::Result | Step::Given | Step::Kept => {
                self.operators_of(&way)
            }
        }
    }

    /// Says that what a container holds is read, not only handed on.
    fn reads_items(&self, way: &Way<'_>) {
        if !way.keyed && is_container(&way.object) {
            self.recorder().reads(&way.object);
        }
    }

    /// Guards what the use of a whole object may read.
    fn whole(&self, way: &Way<'_>) -> PyResult<()> {
        self.contents(way)?;
        if is_structure(&way.object) {
            return self.implicit_methods_of(way);
        }
        if way.object.is_instance_of::<PyModule>() { Ok(()) } else { self.operators_of(way) }
    }

    fn step_in_container(&self, way: &Way<'_>, step: &Step, rest: &[Step]) -> PyResult<()> {
        let py = way.object.py();
        let has_places = way.object.is_instance_of::<PyDict>()
            || way.object.is_instance_of::<PyList>()
            || way.object.is_instance_of::<PyTuple>();
        let key = match step {
            Step::Text(_) | Step::Number(_) | Step::Get(_) if !has_places => {
                self.contents(way)?;
                return self.items_escape(way);
            }
            Step::Text(text) | Step::Get(text) => PyString::intern(py, text).into_any(),
            Step::Number(number) => number.into_pyobject(py)?.into_any(),
            Step::Attribute(name) if ADDS.contains(&&**name) => {
                self.recorder().fills(&way.object);
                return Ok(());
            }
            Step::Attribute(name) if way.object.is_instance_of::<PyTuple>() => {
                return self.step_in_tuple(way, name, rest);
            }
            Step::Store(name) => return self.step_in_setter(way, name),
            Step::Attribute(name) => {
                self.reads_items(way);
                self.contents(way)?;
                self.items_escape(way)?;
                let is_users = libraries::is_users(way.object.get_type().as_any())?;
                return if is_users { self.step_in_object(way, name, rest) } else { Ok(()) };
            }
            Step::Result | Step::Given | Step::Kept | Step::Any => {
                self.reads_items(way);
                self.contents(way)?;
                return self.items_escape(way);
            }
            Step::Each => {
                self.reads_items(way);
                self.contents(way)?;
                let (_, values) = items(&way.object);
                let each = if way.object.is_instance_of::<PyDict>() { 2 } else { 1 };
                return values.into_iter().skip(each - 1).step_by(each).try_for_each(|object| {
                    let path = format!("{}[…]", way.path);
                    self.follow(Way { keyed: way.keyed, ..way.to(object, path) }, rest)
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
        value.map_or(Ok(()), |object| self.follow(Way { keyed: way.keyed, ..way.to(object, path) }, rest))
    }

    /// A field of a named tuple, or a method of a class of tuples.
    fn step_in_tuple(&self, way: &Way<'_>, name: &str, rest: &[Step]) -> PyResult<()> {
        let py = way.object.py();
        self.contents(way)?;
        let fields = way.object.get_type().getattr_opt(intern!(py, "_fields"))?;
        let at = fields.and_then(|fields| fields.call_method1("index", (name,)).ok());
        match at {
            Some(at) => self.follow(way.to(way.object.get_item(at)?, format!("{}.{name}", way.path)), rest),
            None => self.step_in_class(way, &PyString::intern(py, name), rest),
        }
    }

    /// Of a library's module, only what stands there is guarded.
    fn step_in_module(
        &self,
        way: &Way<'_>,
        module: &Bound<'_, PyModule>,
        step: &Step,
        rest: &[Step],
    ) -> PyResult<()> {
        let name = match step {
            Step::Attribute(name) => PyString::intern(module.py(), name),
            Step::Any => return self.names_in_module(way, module, rest),
            Step::Text(_) | Step::Number(_) | Step::Each | Step::Get(_) => return Ok(()),
            Step::Result | Step::Store(_) | Step::Given | Step::Kept => return Ok(()),
        };
        let names = module.dict();
        let path = format!("{}.{name}", way.path);
        let place = Place::Global(names.clone().unbind(), name.clone().unbind());
        let Some(object) = names.get_item(&name)? else {
            // A module that says itself what it gives may hold it later.
            if !names.contains(intern!(module.py(), "__getattr__"))? {
                self.recorder().add(place, Was::Absent, path);
            }
            return Ok(());
        };
        let own = module.name()?.to_string();
        if is_stream(&own, &name) {
            return Ok(());
        }
        self.guard(&names, name.as_any(), place, &object, path.clone())?;
        self.reads_natively(&way.to(object.clone(), path.clone()), rest)?;
        let further = object.is_instance_of::<PyModule>()
            || libraries::is_users_module(module.py(), &own)?
            || library::environment(&object)?.is_some();
        if further { self.follow(way.to(object, path), rest) } else { Ok(()) }
    }

    /// Of a module of the user's, any name may be read.
    fn names_in_module(&self, way: &Way<'_>, module: &Bound<'_, PyModule>, rest: &[Step]) -> PyResult<()> {
        if !libraries::is_users_module(module.py(), &module.name()?.to_string())? {
            return Ok(());
        }
        for name in module.dict().keys() {
            let name = name.to_string();
            if !name.starts_with("__") {
                self.step_in_module(way, module, &Step::Attribute(Name::from(&*name)), rest)?;
            }
        }
        Ok(())
    }

    pub(super) fn step_in_object(&self, way: &Way<'_>, name: &str, rest: &[Step]) -> PyResult<()> {
        let (py, object) = (way.object.py(), &way.object);
        if let Ok(function) = object.cast::<PyFunction>()
            && matches!(name, "__defaults__" | "__kwdefaults__" | "__code__")
        {
            return self.guard_made(function);
        }
        if name.starts_with("__") && !name.ends_with("__") {
            return self.step_in_private(way, name, rest);
        }
        let name = PyString::intern(py, name);
        let path = format!("{}.{name}", way.path);
        self.met_reader(object, intern!(py, "__getattribute__"))?;
        let plain = is_plain(object, &name)?;
        let place = || Place::Attribute(Held::of(object), name.clone().unbind(), plain);
        if name == "__class__" {
            let class = object.get_type().into_any();
            let place = Place::Attribute(Held::of(object), name.clone().unbind(), true);
            self.guard(object, name.as_any(), place, &class, path.clone())?;
            return self.follow(way.to(class, path), rest);
        }
        if name == "__dict__" {
            let Some(own) = own(object) else { return Ok(()) };
            return self.follow(way.to(own.into_any(), path), rest);
        }
        match stored(object, &name) {
            Some(value) => {
                self.guard(object, name.as_any(), place(), &value, path.clone())?;
                self.follow(way.to(value, path), rest)
            }
            None if self.lacks(object, &name) => {
                self.recorder().add(place(), Was::Absent, path);
                self.met_reader(object, intern!(py, "__getattr__"))
            }
            None => self.step_in_class(way, &name, rest),
        }
    }

    /// True if an object, or a class, has nothing under a name, a slot that is empty among them.
    fn lacks(&self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> bool {
        match in_class(object, name) {
            Some((_, value)) => is_slot(&value),
            None => {
                !object.is_instance_of::<PyType>() || in_class(object.get_type().as_any(), name).is_none()
            }
        }
    }

    /// Guards all that the classes of the user's hold that a class consists of.
    pub(super) fn names_in_class(&self, way: &Way<'_>) -> PyResult<()> {
        for base in class_of(&way.object).mro() {
            if !libraries::is_users(&base)? {
                continue;
            }
            if let Some(names) = library::proxied(&base.getattr(intern!(base.py(), "__dict__"))?) {
                self.contents_of(names, way.path.clone())?;
            }
        }
        Ok(())
    }

    /// `self.__name` in a class is `self._Class__name`: each class of the object may have it.
    fn step_in_private(&self, way: &Way<'_>, name: &str, rest: &[Step]) -> PyResult<()> {
        for class in way.object.get_type().mro() {
            let class = class.getattr(intern!(class.py(), "__name__"))?.to_string();
            let whole = format!("_{}{name}", class.trim_start_matches('_'));
            let found = PyString::intern(way.object.py(), &whole);
            if stored(&way.object, &found).is_some() || in_class(&way.object, &found).is_some() {
                self.step_in_object(way, &whole, rest)?;
            }
        }
        Ok(())
    }

    /// Guards what a container holds; a tuple's items stay.
    pub(super) fn contents_of(&self, object: Bound<'_, PyAny>, path: String) -> PyResult<()> {
        self.contents(&Way { object, path, keyed: false, native: false, calls: 0 })
    }

    /// Guards what a container holds, and what the containers in it hold, however deep they nest.
    pub(super) fn contents(&self, way: &Way<'_>) -> PyResult<()> {
        if way.keyed || !is_structure(&way.object) {
            return Ok(());
        }
        let mut waiting = vec![(way.object.clone(), way.path.clone(), 0)];
        while let Some((object, path, depth)) = waiting.pop() {
            let inside = if depth < MOST_STEPS { format!("{path}[…]") } else { path.clone() };
            let structures = self.contents_of_one(&object, path)?;
            let next = structures.into_iter().map(|object| (object, inside.clone(), depth + 1));
            waiting.extend(next.rev());
        }
        Ok(())
    }

    /// Guards what a container holds; gives the containers in it.
    fn contents_of_one<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        path: String,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if !self.recorder().first(object, object) {
            return Ok(Vec::new());
        }
        let values = values(object);
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
}
