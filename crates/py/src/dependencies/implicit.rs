//! Methods that Python calls by itself: those of statements and operators, setters, descriptors, constructors, and those of
//! classes of classes. They are followed in their text, since nobody meets their calls.

use gw_lower::Step;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyString, PyType};

use crate::dependencies::Way;
use crate::dependencies::classes::class_of;
use crate::dependencies::guards::{Place, Was};
use crate::effects::attributes::{in_class, own};
use crate::function::held::Held;
use crate::session::{Tracing, libraries};

/// Methods that Python calls of a class, or while it makes an object of it.
const OF_CLASSES: &[&str] =
    &["__new__", "__init__", "__post_init__", "__init_subclass__", "__class_getitem__", "_missing_"];

/// Methods that are followed where a text is made of an object, and those that copy and measure it: here they are only guarded.
const ONLY_GUARDED: &[&str] = &[
    "__str__",
    "__repr__",
    "__format__",
    "__sizeof__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__getnewargs__",
];

/// The methods of a property.
const ACCESSORS: &[&str] = &["fget", "fset", "fdel"];

/// The methods of a descriptor.
const OF_DESCRIPTORS: &[&str] = &["__get__", "__set__", "__delete__"];

/// Methods of a class that may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    /// Of its objects.
    Instances,
    /// Of the class itself.
    Class,
    /// Of an object that the function makes: those of both, properties and descriptors too.
    Made,
}

impl Which {
    fn has(self, name: &str) -> bool {
        let is_special = name.starts_with("__") && name.ends_with("__");
        match self {
            Which::Class => OF_CLASSES.contains(&name),
            Which::Instances => is_special && !OF_CLASSES.contains(&name),
            Which::Made => is_special,
        }
    }
}

impl Tracing {
    /// Guards what operators may read of an object, what making one of a class reads, and what a function reads that Python
    /// runs as it is.
    pub(super) fn operators_of(&self, way: &Way<'_>) -> PyResult<()> {
        let object = &way.object;
        if let Ok(function) = object.cast::<PyFunction>() {
            return if way.native { self.run_on(function, &[]) } else { Ok(()) };
        }
        let is_class = object.is_instance_of::<PyType>();
        let module = class_of(object).getattr(intern!(object.py(), "__module__"))?;
        if !is_class && !way.keyed && module.to_string() == "collections" {
            // `UserDict` and the like hold what they hold in containers of their own.
            return own(object).map_or(Ok(()), |own| self.contents_of(own.into_any(), way.path.clone()));
        }
        let every = intern!(object.py(), "every method of a class");
        if is_class && way.native && libraries::is_users(object)? && self.recorder().first(object, every) {
            self.all_in_class(way)?;
        }
        self.implicit_methods_of(way)
    }

    /// Guards the methods that Python calls by itself of an object or of a class. An argument that counts by what it holds stands
    /// for its class.
    pub(super) fn implicit_methods_of(&self, way: &Way<'_>) -> PyResult<()> {
        let object = &way.object;
        let class = class_of(object);
        if !libraries::is_users(class.as_any())? {
            return Ok(());
        }
        if !object.is_instance_of::<PyType>() {
            let holder = if way.keyed { class.as_any() } else { object };
            return self.methods_of(way, holder, Which::Instances);
        }
        self.guard_registered(object)?;
        self.methods_of(way, object, Which::Class)?;
        let metaclass = object.get_type().into_any();
        self.methods_of(way, &metaclass, Which::Instances)
    }

    /// Guards which classes an abstract class counts as its own: `isinstance` asks that of a class which any text may hand on.
    fn guard_registered(&self, class: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = class.py();
        let is_abstract = class.is_instance(&py.import("abc")?.getattr("ABCMeta")?)?;
        if !is_abstract || !self.recorder().first(class, intern!(py, "register")) {
            return Ok(());
        }
        py.import("graphwright._meanings.classes")?.call_method1("registered", (class,)).map(drop)
    }

    /// Guards the methods that Python may call of an object that the function makes of a class.
    pub(super) fn one_made_of(&self, way: &Way<'_>) -> PyResult<()> {
        self.operators_of(way)?;
        if !libraries::is_users(class_of(&way.object).as_any())? {
            return Ok(());
        }
        self.factories_of(way)?;
        self.methods_of(way, &way.object, Which::Made)
    }

    /// Guards what the functions read that make the defaults of a dataclass. Its `__init__` has no text, and calls them.
    fn factories_of(&self, way: &Way<'_>) -> PyResult<()> {
        let class = &way.object;
        let Some(fields) = class.getattr_opt(intern!(class.py(), "__dataclass_fields__"))? else {
            return Ok(());
        };
        for field in fields.call_method0("values")?.try_iter()? {
            let factory = field?.getattr("default_factory")?;
            if let Ok(factory) = factory.cast::<PyFunction>() {
                self.met_run(factory, &[])?;
            } else if let Ok(init) = class.getattr(intern!(class.py(), "__init__"))?.cast::<PyFunction>() {
                let way = Way { native: true, ..way.to(factory, format!("{}()", way.path)) };
                self.follow_natively(init, || self.reads_natively(&way, &[Step::Result]))?;
            }
        }
        Ok(())
    }

    /// Guards such methods as the class of an object, or a class, finds them, and follows them.
    fn methods_of(&self, way: &Way<'_>, holder: &Bound<'_, PyAny>, which: Which) -> PyResult<()> {
        let (py, class) = (holder.py(), class_of(holder));
        let mark = match which {
            Which::Instances => intern!(py, "methods of objects"),
            Which::Class => intern!(py, "methods of a class"),
            Which::Made => intern!(py, "methods of one made"),
        };
        // Each class of a class of classes has something else that the methods read.
        let of = if way.object.is_instance_of::<PyType>() { &way.object } else { holder };
        if !self.recorder().first(of, mark) {
            return Ok(());
        }
        for base in class.mro() {
            if !libraries::is_users(&base)? {
                continue;
            }
            self.guard_special_names(base.cast::<PyType>()?)?;
            let names = base.getattr(intern!(py, "__dict__"))?.call_method0("items")?;
            for pair in names.try_iter()?.collect::<PyResult<Vec<_>>>()? {
                let (name, raw): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
                let Ok(name) = name.cast_into::<PyString>() else { continue };
                let name = PyString::intern(py, &name.to_string_lossy());
                if which.has(&name.to_string_lossy()) {
                    self.implicit_method(way, holder, &name, raw)?;
                } else if which == Which::Made {
                    self.computed(way, &base, &name, &raw)?;
                }
            }
        }
        Ok(())
    }

    fn implicit_method(
        &self,
        way: &Way<'_>,
        holder: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        raw: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let raw = raw.getattr_opt(intern!(raw.py(), "__func__"))?.unwrap_or(raw);
        let Ok(function) = raw.cast_into::<PyFunction>() else { return Ok(()) };
        let known = name.to_string_lossy();
        self.guard_method(holder, name, true, format!("{}.{known}", way.path))?;
        // A call by a converted text follows it, and one of the host's reads what is there when the graph runs.
        let is_call = known == "__call__" && !way.native;
        if is_call || ONLY_GUARDED.contains(&&*known) {
            let is_new = self.recorder().first(function.as_any(), intern!(function.py(), "__code__"));
            return if is_new { self.guard_made(&function) } else { Ok(()) };
        }
        // The methods of a class of classes are called of a class.
        let is_class = way.object.is_instance_of::<PyType>() && way.object.get_type().is(holder);
        let object = if is_class { &way.object } else { holder };
        let is_object = (is_class || !holder.is_instance_of::<PyType>()) && !OF_CLASSES.contains(&&*known);
        self.run_on(&function, if is_object { std::slice::from_ref(&object) } else { &[] })
    }

    /// A property or a descriptor of the user's in a class of which the function makes an object.
    fn computed(
        &self,
        way: &Way<'_>,
        base: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        raw: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = raw.py();
        if raw.get_type().name()? == "cached_property" {
            return self.accessor(raw, "func", &[]);
        }
        if raw.get_type().name()? == "property" {
            self.guard_method(base, name, true, format!("{}.{name}", way.path))?;
            return ACCESSORS.iter().try_for_each(|part| self.accessor(raw, part, &[]));
        }
        if !raw.hasattr(intern!(py, "__get__"))? && !raw.is_instance_of::<PyType>() {
            return self.datum(way, name);
        }
        if raw.is_instance_of::<PyFunction>() || !libraries::is_users(&raw.get_type())? {
            return Ok(());
        }
        let has = |method: &&str| in_class(raw, &PyString::intern(py, method)).is_some();
        if OF_DESCRIPTORS.iter().any(has) {
            self.described(way, base, name, raw, OF_DESCRIPTORS)
        } else {
            Ok(())
        }
    }

    /// Guards a descriptor of the user's, and follows these methods of it.
    fn described(
        &self,
        way: &Way<'_>,
        base: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        raw: &Bound<'_, PyAny>,
        methods: &[&str],
    ) -> PyResult<()> {
        self.descriptor(way, base, name, raw)?;
        let mut methods = methods.iter().map(|method| PyString::intern(raw.py(), method));
        methods.try_for_each(|method| self.descriptor_method(way, name, raw, &method))
    }

    /// An attribute that a class holds for those of its objects that have none of their own; the fields of a dataclass do.
    fn datum(&self, way: &Way<'_>, name: &Bound<'_, PyString>) -> PyResult<()> {
        let fields = way.object.getattr_opt(intern!(name.py(), "__dataclass_fields__"))?;
        let is_field = fields.map_or(Ok(false), |fields| fields.contains(name))?;
        let name = name.to_string_lossy();
        if is_field || name.starts_with("__") { Ok(()) } else { self.step_in_object(way, &name, &[]) }
    }

    /// Follows a store to an attribute, or its deletion: `__setattr__`, a setter, `__set__` of a descriptor.
    pub(super) fn step_in_setter(&self, way: &Way<'_>, name: &str) -> PyResult<()> {
        let object = &way.object;
        self.implicit_methods_of(way)?;
        if !libraries::is_users(class_of(object).as_any())? {
            return Ok(());
        }
        if name.is_empty() {
            let class = way.to(class_of(object).into_any(), way.path.clone());
            return self.methods_of(&class, &class.object, Which::Made);
        }
        let name = &PyString::intern(object.py(), name);
        let owner =
            if object.is_instance_of::<PyType>() { object.get_type().into_any() } else { object.clone() };
        let Some((base, raw)) = in_class(&owner, name) else { return Ok(()) };
        if raw.get_type().name()? == "property" {
            self.guard_method(&owner, name, true, format!("{}.{name}", way.path))?;
            return ACCESSORS[1..].iter().try_for_each(|part| self.accessor(&raw, part, &[object]));
        }
        if raw.is_instance_of::<PyFunction>() || !libraries::is_users(&raw.get_type())? {
            return Ok(());
        }
        self.described(way, &base, name, &raw, &OF_DESCRIPTORS[1..])
    }

    fn accessor(&self, property: &Bound<'_, PyAny>, part: &str, given: &[&Bound<'_, PyAny>]) -> PyResult<()> {
        match property.getattr(part)?.cast::<PyFunction>() {
            Ok(accessor) => self.run_on(accessor, given),
            Err(_) => Ok(()),
        }
    }

    /// Guards an object of the user's in a class that says itself what it gives and takes.
    pub(super) fn descriptor(
        &self,
        way: &Way<'_>,
        base: &Bound<'_, PyAny>,
        name: &Bound<'_, PyString>,
        raw: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = raw.py();
        let names = base.getattr(intern!(py, "__dict__"))?;
        // The dict behind the proxy: a look at the class would ask the descriptor.
        let names = py.import("gc")?.call_method1("get_referents", (names,))?.get_item(0)?;
        if let Ok(names) = names.cast_into::<PyDict>() {
            let place = Place::Global(names.clone().unbind(), name.clone().unbind());
            self.guard(&names, name.as_any(), place, raw, format!("{}.{name}", way.path))?;
        }
        let is_object = !way.object.is_instance_of::<PyType>();
        if is_object && !way.keyed && own(&way.object).is_some() && !takes_stores(raw) {
            let place = Place::Own(Held::of(&way.object), name.clone().unbind());
            self.recorder().add(place, Was::Absent, format!("{}.{name}", way.path));
        }
        Ok(())
    }

    /// Follows a method of a descriptor.
    pub(super) fn descriptor_method(
        &self,
        way: &Way<'_>,
        name: &Bound<'_, PyString>,
        raw: &Bound<'_, PyAny>,
        method: &Bound<'_, PyString>,
    ) -> PyResult<()> {
        let Some((_, function)) = in_class(raw, method) else { return Ok(()) };
        let Ok(function) = function.cast_into::<PyFunction>() else { return Ok(()) };
        self.guard_method(raw, method, true, format!("{}.{name}.{method}", way.path))?;
        self.run_on(&function, &[raw, &way.object])
    }

    /// Guards that a class gets no special method that it did not have.
    fn guard_special_names(&self, class: &Bound<'_, PyType>) -> PyResult<()> {
        let names = intern!(class.py(), "__dict__");
        if !self.recorder().first(class.as_any(), names) {
            return Ok(());
        }
        let was = Was::special_methods(&class.getattr(names)?);
        let place = Place::Method(Held::of(class.as_any()), names.clone().unbind());
        self.recorder().add(place, was, class.name()?.to_string());
        Ok(())
    }
}

/// True if a descriptor stands before what an object holds itself.
fn takes_stores(descriptor: &Bound<'_, PyAny>) -> bool {
    let has = |name: &str| in_class(descriptor, &PyString::intern(descriptor.py(), name)).is_some();
    has("__set__") || has("__delete__")
}
