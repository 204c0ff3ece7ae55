//! Ownership of attributes and the end of objects, where the graph leaves them open: `del a.x`, `a.__dict__`, functions that look at what an object holds,
//! stores into its class. Refused (GW103) where a statement of the graph leaves that open.

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_trace::Slot;
use pyo3::exceptions::PyBaseException;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyString, PyTuple, PyType};

use crate::containers::lists::placed;
use crate::effects::arguments;
use crate::effects::attributes::in_class;
use crate::effects::inherited::Doubt;
use crate::effects::location::Location;
use crate::effects::watched_container::Change;
use crate::exceptions::errors;
use crate::operators::object::Operators;
use crate::optional::maybe::Unbound;
use crate::session::{self, Tracing, frames, libraries};
use crate::values::tensor::Tensor;

/// Functions and methods that look at what an object holds itself.
const LOOK: &[&str] = &[
    "__delattr__",
    "__getstate__",
    "__reduce__",
    "__reduce_ex__",
    "copy",
    "deepcopy",
    "delattr",
    "dir",
    "dumps",
    "vars",
];

#[pymethods]
impl Operators {
    /// A value of which an attribute is taken away, or all that it holds itself is looked at.
    fn owner<'py>(&self, value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(tracing) = session::current() {
            tracing.check_class(value, name)?;
            refuse(tracing.inherited().of(value, Some(name).filter(|name| *name != "__dict__")))?;
        }
        Ok(value.clone())
    }

    /// Follows a store of an attribute: an object that stands for an element of a list changes the list.
    fn stored(&self, py: Python<'_>) -> PyResult<()> {
        placed::carry_back(py, true)?;
        if let Some(tracing) = session::current() {
            tracing.lists().placed.stored();
        }
        Ok(())
    }

    /// A value into which an attribute is stored; those stored before by the same statement are in their lists.
    fn stores<'py>(&self, value: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(tracing) = session::current() {
            placed::carry_back(value.py(), true)?;
            tracing.lists().placed.stores(value);
            arguments::changing(value.py(), value);
            tracing.check_class(value, name)?;
            if tracing.trace.in_region() && is_librarys(value, name)? {
                let class = value.get_type().name()?;
                let message = format!(
                    "this stores `{name}` of a `{class}` in a branch or loop of the graph: it would be stored once, while the \
                     graph is built"
                );
                let help = "store it outside of the branch or loop";
                return Err(errors::here(value.py(), Code::FrozenCall, message, help));
            }
        }
        Ok(value.clone())
    }
}

/// True of an attribute that a class of Python's or a library's keeps out of sight, such as the precision of a decimal context.
fn is_librarys(object: &Bound<'_, PyAny>, name: &str) -> PyResult<bool> {
    if object.is_instance_of::<PyBaseException>() || object.is_instance_of::<PyFunction>() {
        return Ok(false);
    }
    // The graph stores into the parts of complex numbers.
    if object.is_instance_of::<Tensor>() {
        return Ok(false);
    }
    let Some((_, raw)) = in_class(object, &PyString::new(object.py(), name)) else { return Ok(false) };
    Ok(raw.get_type().name()? == "getset_descriptor" && !libraries::is_users(object.get_type().as_any())?)
}

impl Tracing {
    /// Notes that a statement may give an object that the function made an attribute of its own, where its class holds one by that
    /// name.
    pub fn may_own(&self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<()> {
        self.check_class(object, &name.to_string())?;
        if let Some(held) = self.made_objects().inherits(object, name)? {
            self.inherited().note(object, &name.to_string(), held, frames::place(object.py()));
        }
        Ok(())
    }

    /// The value of a place: an attribute that the class of an object has in its place, where the function made the object.
    pub fn in_place<'py>(&self, spot: &Location, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let held = spot.get(py)?;
        let Location::Entry(names, name) = spot else { return Ok(held) };
        let (Some(object), Ok(name)) =
            (self.made_objects().with(names.bind(py))?, name.bind(py).cast::<PyString>())
        else {
            return Ok(held);
        };
        let Some(inherited) = self.made_objects().inherits(&object, name)? else { return Ok(held) };
        if !held.is_instance_of::<Unbound>() {
            return Ok(held);
        }
        if inherited.get_type().hasattr(intern!(py, "__set_name__"))? {
            return Err(computed(&object, name));
        }
        self.may_own(&object, name)?;
        Ok(object.getattr_opt(name)?.unwrap_or(held))
    }

    /// Refuses a call of a function that looks at what an object holds itself.
    pub fn check_owners(
        &self,
        function: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        if self.inherited().is_empty() {
            return Ok(());
        }
        let name = function.getattr_opt(intern!(function.py(), "__name__"))?;
        let name = name.and_then(|name| name.extract::<String>().ok()).unwrap_or_default();
        if let ("setattr", [class, attribute, ..]) = (&*name, args.as_slice()) {
            return self.check_class(class, &attribute.extract::<String>()?);
        }
        if !LOOK.contains(&&*name) {
            return Ok(());
        }
        let owner = function.getattr_opt(intern!(function.py(), "__self__"))?;
        let named = kwargs.into_iter().flat_map(|kwargs| kwargs.values());
        let mut given = args.iter().chain(named).chain(owner);
        given.try_for_each(|object| self.check_outlives(&object))
    }

    /// True if a change gave objects of the function's own attributes that are those of their classes: what a statement found there
    /// before it stored anything.
    pub fn is_left(&self, change: &Change<'_>) -> bool {
        let is_left = |spot: &Location, now: &Bound<'_, PyAny>| match spot {
            Location::Entry(names, name) => {
                self.inherited().is_left(names.bind(now.py()), name.bind(now.py()), now)
            }
            Location::Cell(_) | Location::Slot(..) | Location::Tail(..) | Location::Items(_) => false,
        };
        matches!(change, Change::Spots(spots) if spots.iter().all(|(spot, (_, now))| is_left(spot, now)))
    }

    /// The first variable whose object says what happens when it is dropped, with its class.
    pub fn finalized(
        &self,
        py: Python<'_>,
        slots: &[Slot],
        values: &[Arc<Py<PyAny>>],
    ) -> PyResult<Option<(String, String)>> {
        for (slot, value) in slots.iter().zip(values) {
            let class = value.bind(py).get_type();
            if class.hasattr(intern!(py, "__del__"))? && libraries::is_users(class.as_any())? {
                return Ok(Some((slot.text().to_owned(), class.name()?.to_string())));
            }
        }
        Ok(None)
    }

    /// Refuses a store into a class by a name that objects may have from it.
    fn check_class(&self, class: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        class.cast::<PyType>().map_or(Ok(()), |class| refuse(self.inherited().of_class(class, name)))
    }

    /// Refuses an object that outlives the function: what is stored into its class later may be its attribute.
    pub fn check_outlives(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        refuse(self.inherited().of(object, None))
    }

    /// Refuses what was stored into a class behind a statement that some of its objects may have that attribute from.
    pub fn check_classes<'py>(&self, py: Python<'py>) -> PyResult<()> {
        let held =
            |object: &Bound<'py, PyAny>, name: &str| Some(in_class(object, &PyString::new(py, name))?.1);
        refuse(self.inherited().changed(py, &held))
    }
}

/// A cached property, which the first read computes, is read on some paths only.
fn computed(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyErr {
    let class = object.get_type().name().map(|class| class.to_string()).unwrap_or_default();
    let message = format!(
        "the property `{name}` of a `{class}` is computed where it is read first, in a branch or loop of the graph that may \
         not run"
    );
    let help = format!("read it before the branch or loop, `x.{name}`, or make it a `property`");
    errors::here(object.py(), Code::BranchesDisagree, message, &help)
}

fn refuse(doubt: Option<Doubt>) -> PyResult<()> {
    let Some((name, statement)) = doubt else { return Ok(()) };
    let message = format!(
        "this may store the attribute `{name}` of an object or leave it to its class, and it matters later which"
    );
    let help =
        format!("give the object its `{name}` where it is made: in `__init__`, or by a store before this");
    let found = Diagnostic::new(Code::BranchesDisagree, message).help(help);
    Err(errors::raise(&statement.into_iter().fold(found, |found, at| found.at(at, "on some paths"))))
}
