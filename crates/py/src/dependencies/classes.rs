//! Attributes that functions find in classes: methods, properties, operators. A class may get another one, and an
//! object one of its own.

use gw_lower::Step;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyString, PyType};

use crate::dependencies::guards::{Place, Was};
use crate::dependencies::{Way, undecorated};
use crate::effects::attributes::{in_class, own};
use crate::function::held::Held;
use crate::session::{Tracing, libraries};

impl Tracing {
    /// Follows an attribute that an object finds in its class and that is more than stored there.
    pub(super) fn step_in_class(
        &self,
        way: &Way<'_>,
        name: &Bound<'_, PyString>,
        rest: &[Step],
    ) -> PyResult<()> {
        let object = &way.object;
        let Some((base, raw)) = in_class(object, name) else { return self.in_metaclass(way, name, rest) };
        if !libraries::is_users(&base)? {
            return Ok(());
        }
        if !raw.is_instance_of::<PyFunction>() && libraries::is_users(&raw.get_type())? {
            self.descriptor(way, &base, name, &raw)?;
            return self.descriptor_method(way, name, &raw, intern!(object.py(), "__get__"));
        }
        if raw.get_type().name()? == "cached_property" {
            return self.step_in_cached_property(way, name, &raw, rest);
        }
        let is_property = raw.get_type().name()? == "property";
        self.guard_method(object, name, is_property, format!("{}.{name}", way.path))?;
        if is_property {
            let getter = raw.getattr(intern!(object.py(), "fget"))?;
            let Ok(getter) = getter.cast::<PyFunction>() else { return Ok(()) };
            self.run_on(getter, &[object])?;
            return self.returned(way, getter, Some(object), rest);
        }
        let function = raw.getattr_opt(intern!(object.py(), "__func__"))?;
        let is_static = raw.get_type().name()? == "staticmethod";
        let is_of_class = function.is_some() && !is_static;
        let function = undecorated(function.unwrap_or(raw));
        let Ok(function) = function.cast_into::<PyFunction>() else { return Ok(()) };
        let class = class_of(object).into_any();
        if is_of_class {
            self.recorder().hold(&class);
        }
        let owner = match () {
            () if is_static || (object.is_instance_of::<PyType>() && !is_of_class) => None,
            () if is_of_class => Some(&class),
            () => Some(object),
        };
        match (owner, rest) {
            (Some(owner), [Step::Attribute(part), rest @ ..]) if &**part == "__self__" => {
                return self.follow(way.to(owner.clone(), format!("{}.{name}.__self__", way.path)), rest);
            }
            (..) => {}
        }
        // Calls by Python's own functions under such a name are met by nobody.
        let native = way.native || name.to_string_lossy().starts_with("__");
        self.called_on(&Way { native, ..way.to(object.clone(), way.path.clone()) }, &function, owner, rest)
    }

    /// A property whose value its object keeps once it is computed, until somebody deletes it there.
    fn step_in_cached_property(
        &self,
        way: &Way<'_>,
        name: &Bound<'_, PyString>,
        raw: &Bound<'_, PyAny>,
        rest: &[Step],
    ) -> PyResult<()> {
        let object = &way.object;
        let path = format!("{}.{name}", way.path);
        self.guard_method(object, name, true, path.clone())?;
        if !object.is_instance_of::<PyType>() && own(object).is_some() {
            self.recorder().add(Place::Own(Held::of(object), name.clone().unbind()), Was::Absent, path);
        }
        let Ok(getter) = raw.getattr("func")?.cast_into::<PyFunction>() else { return Ok(()) };
        self.run_on(&getter, &[object])?;
        self.returned(way, &getter, Some(object), rest)
    }

    /// A property or a method that the class of a class has.
    fn in_metaclass(&self, way: &Way<'_>, name: &Bound<'_, PyString>, rest: &[Step]) -> PyResult<()> {
        let class = &way.object;
        if !class.is_instance_of::<PyType>() {
            return Ok(());
        }
        let metaclass = class.get_type().into_any();
        let Some((base, raw)) = in_class(&metaclass, name) else { return Ok(()) };
        if !libraries::is_users(&base)? {
            return Ok(());
        }
        self.guard_method(&metaclass, name, true, format!("{}.{name}", way.path))?;
        if let Ok(method) = raw.cast::<PyFunction>() {
            self.run_on(method, &[class])?;
            return self.called_on(way, method, Some(class), rest);
        }
        let Some(getter) = raw.getattr_opt(intern!(class.py(), "fget"))? else { return Ok(()) };
        match getter.cast::<PyFunction>() {
            Ok(getter) => self.run_on(getter, &[class]),
            Err(_) => Ok(()),
        }
    }

    /// Follows what a call of a function gives, and what it reads where nobody meets it when it is called.
    pub(super) fn called_on(
        &self,
        way: &Way<'_>,
        function: &Bound<'_, PyFunction>,
        owner: Option<&Bound<'_, PyAny>>,
        rest: &[Step],
    ) -> PyResult<()> {
        if way.native {
            self.run_on(function, owner.as_slice())?;
        }
        self.met_wrapped(function, owner)?;
        match rest.split_first() {
            Some((Step::Result, rest)) => self.returned(way, function, owner, rest),
            Some(_) | None => Ok(()),
        }
    }

    /// Guards what an object, or a class, finds under a name in classes; and that an object has nothing of its own there,
    /// unless the class says what it gives all the same.
    pub(super) fn guard_method(
        &self,
        object: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        first: bool,
        path: String,
    ) -> PyResult<()> {
        let class = class_of(object);
        if !is_plain_class(&class)? || !self.recorder().first(object, name) {
            return Ok(());
        }
        let Some(found) = class.getattr_opt(name)? else { return Ok(()) };
        let name = || name.clone().unbind();
        self.recorder().add(Place::Method(Held::of(object), name()), Was::of_class(&found), path.clone());
        if !first && !object.is_instance_of::<PyType>() && own(object).is_some() {
            self.recorder().add(Place::Own(Held::of(object), name()), Was::Absent, path);
        }
        Ok(())
    }

    /// Guards that a method that is called is still what its object finds; behind `super()`, what each class between finds.
    pub(super) fn guard_lookup(
        &self,
        function: &Bound<'_, PyFunction>,
        owner: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = function.py();
        let class = class_of(owner);
        if !libraries::is_users(class.as_any())? {
            return Ok(());
        }
        let Some(name) = name_in(&class, function)? else { return Ok(()) };
        let mut between = Vec::new();
        for base in class.mro() {
            let found = held(&base, &name)?;
            between.push(base);
            match found {
                Some(found) if found.is(function) => break,
                Some(_) => between.clear(),
                None => {}
            }
        }
        let path = function.getattr(intern!(py, "__qualname__"))?.to_string();
        let first = between.first().is_some_and(|base| base.is(&class));
        if first && self.recorder().knows(owner, &name) {
            return Ok(());
        }
        if !first {
            return between.iter().try_for_each(|base| self.guard_method(base, &name, true, path.clone()));
        }
        self.guard_method(class.as_any(), &name, true, path.clone())?;
        // An object that the function makes goes with its graph: it is not kept here.
        let of_the_world = self.recorder().is_of_the_world(owner) && !owner.is_instance_of::<PyType>();
        if of_the_world && own(owner).is_some() && self.recorder().first(owner, &name) {
            let place = Place::Own(Held::of(owner), name.unbind());
            self.recorder().add(place, Was::Absent, path);
        }
        Ok(())
    }

    /// Guards all that the user's classes hold of whose objects Python itself makes one: nobody meets what is called of that.
    pub(super) fn all_in_class(&self, way: &Way<'_>) -> PyResult<()> {
        let class = class_of(&way.object);
        for base in class.mro() {
            if !libraries::is_users(&base)? {
                continue;
            }
            for name in names_in(&base)? {
                let name = name.cast_into::<PyString>()?;
                let Some((_, raw)) = in_class(&way.object, &name) else { continue };
                self.guard_method(&way.object, &name, true, format!("{}.{name}", way.path))?;
                let parts = ["fget", "fset", "__func__"].map(|part| raw.getattr_opt(part));
                for part in parts.into_iter().chain([Ok(Some(raw))]) {
                    if let Some(Ok(function)) = part?.map(Bound::cast_into::<PyFunction>) {
                        self.run_on(&function, &[])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Follows what a class of the user's says about attributes that are asked of its objects.
    pub(super) fn met_reader(&self, object: &Bound<'_, PyAny>, reader: &Bound<'_, PyString>) -> PyResult<()> {
        let class = object.get_type().into_any();
        let Some((base, raw)) = in_class(&class, reader) else { return Ok(()) };
        let Ok(function) = raw.cast_into::<PyFunction>() else { return Ok(()) };
        if !libraries::is_users(&base)? {
            return Ok(());
        }
        let holder = if object.is_instance_of::<PyType>() { &class } else { object };
        self.guard_method(holder, reader, true, format!("{}.{reader}", base.cast::<PyType>()?.name()?))?;
        self.run_on(&function, &[object])
    }
}

/// The class of an object; of a class, itself.
pub(super) fn class_of<'py>(object: &Bound<'py, PyAny>) -> Bound<'py, PyType> {
    object.cast::<PyType>().map_or_else(|_| object.get_type(), Clone::clone)
}

/// The function that a class holds under a name itself, in a class method too.
fn held<'py>(class: &Bound<'py, PyAny>, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = class.py();
    let names = class.getattr(intern!(py, "__dict__"))?;
    let Ok(raw) = names.get_item(name) else { return Ok(None) };
    let function = raw.getattr_opt(intern!(py, "__func__"))?.unwrap_or(raw);
    Ok(Some(undecorated(function)))
}

/// The name under which a class or one of its bases holds a function: its own, as a rule.
fn name_in<'py>(
    class: &Bound<'py, PyType>,
    function: &Bound<'py, PyFunction>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let py = class.py();
    let own = function.getattr(intern!(py, "__name__"))?.cast_into::<PyString>()?;
    for base in class.mro() {
        if held(&base, &own)?.is_some_and(|found| found.is(function)) {
            return Ok(Some(own));
        }
    }
    for base in class.mro() {
        for name in names_in(&base)? {
            let Ok(name) = name.cast_into::<PyString>() else { continue };
            if held(&base, &name)?.is_some_and(|found| found.is(function)) {
                return Ok(Some(name));
            }
        }
    }
    Ok(None)
}

/// The names in a class, all at once: to look at one of its attributes may run code that gives it others.
fn names_in<'py>(class: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    class.getattr(intern!(class.py(), "__dict__"))?.try_iter()?.collect()
}

/// True if a look at an attribute of a class runs no code of its metaclass.
fn is_plain_class(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let reads = intern!(py, "__getattribute__");
    Ok(class.get_type().getattr(reads)?.is(&py.get_type::<PyType>().getattr(reads)?))
}
