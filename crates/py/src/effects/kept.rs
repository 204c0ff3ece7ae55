//! Objects that a call of a graph puts into the user's places: structures and objects of the user's classes are made anew, as Python
//! makes them, and hold the results of the graph.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec;

use gw_base::{Code, Diagnostic};
use gw_ir::ValueId;
use gw_runtime::Buffer;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyFunction, PyModule, PySet, PyString, PyType};
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use crate::containers::tables::making;
use crate::convert;
use crate::dependencies::guards::is_literal;
use crate::effects::alias;
use crate::effects::attributes::{held_in_slots, in_class, is_slot, own, slots};
use crate::effects::location::Location;
use crate::exceptions::errors;
use crate::function::output::{As, at_places, staged};
use crate::host::operand::Operand;
use crate::host::skeleton::Skeleton;
use crate::host::{nesting, structure};
use crate::host_calls::as_it_is::holds_graph;
use crate::optional::maybe::Maybe;
use crate::optional::poison;
use crate::session::{Feature, FeatureSlot, Tracing};
use crate::values::tensor::Tensor;
use crate::values::variable::Variable;

mod shared;

pub use shared::Shared;

/// The objects that a call made, by the ones of which they are made: a second place that holds one gets the same.
pub type Made = HashMap<usize, Py<PyAny>>;

/// The object that a place gets.
#[derive(Debug)]
pub struct Kept {
    form: Form,
    results: usize,
}

/// The names of attributes, with what they hold.
type Attributes = Vec<(Py<PyString>, Form)>;

/// A way to make one object.
#[derive(Debug)]
enum Form {
    /// The next of the graph's results.
    Result(As),
    /// The next of the graph's results, or `None` unless the one after that is true.
    Optional(As),
    /// The same object at each call.
    Constant(Py<PyAny>),
    /// A new set of the same numbers and texts.
    Set(Py<PySet>),
    /// A new structure.
    Structure(Skeleton, Vec<Form>),
    /// A new structure that is in more than one place.
    Shared(usize, Box<Form>),
    /// A new object of a class, with these attributes, and these in slots.
    Object(usize, Py<PyType>, Attributes, Attributes),
    /// An object that is made already.
    Again(usize),
}

impl Kept {
    /// The number of the graph's results that it takes.
    pub fn results(&self) -> usize {
        self.results
    }

    /// The object with these results in it.
    pub fn object<'py>(
        &self,
        py: Python<'py>,
        results: Vec<Buffer>,
        made: &mut Made,
    ) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.form.object(py, &mut results.into_iter(), made)?.into_bound(py))
    }

    /// Tells the collector of the objects that it keeps alive.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.form.visit(visit)
    }
}

impl Form {
    fn object(
        &self,
        py: Python<'_>,
        results: &mut vec::IntoIter<Buffer>,
        made: &mut Made,
    ) -> PyResult<Py<PyAny>> {
        let mut next = || results.next().expect("one result per leaf");
        match self {
            Form::Result(shown) => shown.object(py, next()),
            Form::Optional(shown) => {
                let (value, bound) = (next(), next());
                let is_there = bound.scalars().next().is_none_or(gw_types::Scalar::to_bool);
                if is_there { shown.object(py, value) } else { Ok(py.None()) }
            }
            Form::Constant(object) => Ok(object.clone_ref(py)),
            Form::Set(set) => Ok(set.bind(py).call_method0("copy")?.unbind()),
            Form::Structure(skeleton, parts) => {
                let parts = parts.iter().map(|part| part.object(py, results, made));
                let parts = parts.collect::<PyResult<Vec<_>>>()?;
                Ok(skeleton.rebuild(py, &mut parts.into_iter())?.unbind())
            }
            Form::Object(number, class, attributes, slots) => {
                let object = py.get_type::<PyAny>().call_method1(intern!(py, "__new__"), (class,))?;
                made.insert(*number, object.clone().unbind());
                for (name, part) in attributes {
                    let part = part.object(py, results, made)?;
                    own(&object).map_or(Ok(()), |names| names.set_item(name, part))?;
                }
                for (name, part) in slots {
                    let part = part.object(py, results, made)?;
                    Location::Slot(object.clone().unbind(), name.clone_ref(py)).set(part.bind(py))?;
                }
                Ok(object.unbind())
            }
            Form::Shared(number, form) => {
                let object = form.object(py, results, made)?;
                made.insert(*number, object.clone_ref(py));
                Ok(object)
            }
            Form::Again(number) => {
                Ok(made.get(number).map_or_else(|| py.None(), |object| object.clone_ref(py)))
            }
        }
    }

    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Form::Result(_) | Form::Optional(_) | Form::Again(_) => Ok(()),
            Form::Constant(object) => visit.call(object),
            Form::Set(set) => visit.call(set),
            Form::Structure(_, parts) => parts.iter().try_for_each(|part| part.visit(visit)),
            Form::Shared(_, form) => form.visit(visit),
            Form::Object(_, class, attributes, slots) => {
                visit.call(class)?;
                attributes.iter().chain(slots).try_for_each(|(_, part)| part.visit(visit))
            }
        }
    }
}

/// The objects of the user's classes that a function made while it was traced.
#[derive(Debug, Default)]
pub struct MadeObjects(Mutex<HashMap<usize, MadeObject>>);

impl Feature for MadeObjects {
    fn slot() -> FeatureSlot {
        FeatureSlot::MadeObjects
    }

    fn forget(&self) {
        let made = std::mem::take(&mut *self.lock());
        drop(made);
    }
}

impl Tracing {
    /// The objects of the user's classes that the function made.
    pub fn made_objects(&self) -> &MadeObjects {
        self.feature()
    }
}

/// One of them. What nobody can refer to weakly lives as long as the tracing, which nobody sees.
#[derive(Debug)]
enum MadeObject {
    Weak(Py<PyWeakrefReference>),
    Strong(Py<PyAny>),
}

impl MadeObject {
    fn alive<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        match self {
            MadeObject::Weak(weak) => weak.bind(py).upgrade(),
            MadeObject::Strong(object) => Some(object.bind(py).clone()),
        }
    }
}

impl MadeObjects {
    /// Notes what a call of a class gave: an object whose attributes are all that it is made of. GW503 for one whose class says what
    /// happens when it goes, since the graph does not know when that is.
    pub fn note(&self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = object.py();
        if object.get_type().hasattr(intern!(py, "__del__"))? {
            let class = object.get_type().name()?;
            let message =
                format!("this makes a `{class}`, and the graph does not know when its `__del__` runs");
            let help =
                "make the object outside of the function, or call a method of it in place of `__del__`";
            return Err(errors::here(py, Code::FrozenCall, message, help));
        }
        let (base, new) = (py.get_type::<PyAny>(), intern!(py, "__new__"));
        let is_plain = object.get_type().getattr(new)?.is(&base.getattr(new)?);
        if is_plain && (own(object).is_some() || !slots(object)?.is_empty()) {
            let made = match PyWeakrefReference::new(object) {
                Ok(weak) => MadeObject::Weak(weak.unbind()),
                Err(_) => MadeObject::Strong(object.clone().unbind()),
            };
            self.lock().insert(object.as_ptr() as usize, made);
        }
        Ok(())
    }

    /// True if an object from around the function has only what its class holds by a name, or a class what its bases and its own
    /// class hold: a branch that is not taken gives it nothing of its own.
    pub fn lacks(&self, object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
        if let Ok(class) = object.cast::<PyType>() {
            let is_own = class.getattr(intern!(object.py(), "__dict__"))?.contains(name)?;
            let is_around =
                || in_class(object, name).is_some() || in_class(object.get_type().as_any(), name).is_some();
            return Ok(!is_own && is_around());
        }
        Ok(!self.has(object) && from_class(object, name)?.is_some())
    }

    /// The value that the class of an object that the function made holds by a name, where the object holds nothing of its own there.
    pub fn inherits<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.has(object) { from_class(object, name) } else { Ok(None) }
    }

    /// The object that it made whose attributes these are.
    pub fn with<'py>(&self, names: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = names.py();
        let alive = self.lock().values().filter_map(|made| made.alive(py)).collect::<Vec<_>>();
        Ok(alive.into_iter().find(|object| own(object).is_some_and(|own| own.is(names))))
    }

    /// True of an object that it made.
    pub fn has(&self, object: &Bound<'_, PyAny>) -> bool {
        let known = self.lock();
        let made = known.get(&(object.as_ptr() as usize));
        made.and_then(|made| made.alive(object.py())).is_some_and(|known| known.is(object))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, MadeObject>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The value that the class of an object holds by a name, where the object holds nothing of its own there.
fn from_class<'py>(
    object: &Bound<'py, PyAny>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(names) = own(object).filter(|_| !object.is_instance_of::<PyType>()) else { return Ok(None) };
    let held = || in_class(object, name).map(|(_, raw)| raw).filter(|raw| !is_slot(raw));
    if names.contains(name)? { Ok(None) } else { Ok(held()) }
}

/// Takes the objects apart that places hold where a function ends; numbers stay numbers.
pub struct Taking<'a> {
    tracing: &'a Tracing,
    /// True for an object that was there before the function began.
    is_old: &'a dyn Fn(&Bound<'_, PyAny>) -> bool,
    /// The objects of the function's own that some place keeps as they are.
    staying: &'a HashSet<usize>,
    /// The structures that can be changed and are in more than one place.
    shared: &'a HashSet<usize>,
    /// The objects of the function's own that are taken apart already.
    met: HashSet<usize>,
    /// The shared structures that are being taken apart.
    open: Vec<usize>,
}

/// The parts of the object in one place.
pub struct Parts {
    /// The way to make it.
    pub kept: Kept,
    /// The values of the graph in it.
    pub values: Vec<ValueId>,
    /// The objects in it that stay the same at each call, besides numbers and texts.
    pub constants: Vec<Py<PyAny>>,
    /// The objects of the function's own in it, by their addresses.
    pub objects: Vec<usize>,
    /// True if a structure that can be changed is in it which was there before or is in another place too: each call puts it
    /// there.
    pub holds_known: bool,
    /// True if a call of Python's makes the same: nothing in it is an object of which only the one call knows.
    pub is_repeatable: bool,
}

impl<'a> Taking<'a> {
    /// From the places of a function that is traced.
    pub fn new(
        tracing: &'a Tracing,
        is_old: &'a dyn Fn(&Bound<'_, PyAny>) -> bool,
        staying: &'a HashSet<usize>,
        shared: &'a HashSet<usize>,
    ) -> Self {
        Self { tracing, is_old, staying, shared, met: HashSet::new(), open: Vec::new() }
    }

    /// The parts of the object in a place.
    pub fn take(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Parts> {
        let form = Form::Constant(object.clone().unbind());
        let kept = Kept { form, results: 0 };
        let mut parts = Parts {
            kept,
            values: Vec::new(),
            constants: Vec::new(),
            objects: Vec::new(),
            holds_known: false,
            is_repeatable: true,
        };
        parts.kept.form = self.form(object, &mut parts)?;
        parts.kept.results = parts.values.len();
        Ok(parts)
    }

    fn form(&mut self, object: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<Form> {
        if self.is_known(object) {
            parts.holds_known = true;
            parts.constants.push(object.clone().unbind());
            return Ok(Form::Constant(object.clone().unbind()));
        }
        if self.shared.contains(&(object.as_ptr() as usize)) {
            return self.shared(object, parts);
        }
        self.structure(object, parts)
    }

    fn structure(&mut self, object: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<Form> {
        if self.tracing.made_objects().has(object) {
            return self.leaf(object, parts);
        }
        if self.holds_itself(object)? {
            return self.one_by_one(object, parts);
        }
        let mut leaves = Vec::new();
        match Skeleton::of(object, &mut leaves)? {
            Skeleton::Leaf => self.leaf(object, parts),
            skeleton @ (Skeleton::Node(..) | Skeleton::Rows(_)) => {
                let leaves = leaves.iter().map(|leaf| self.leaf(leaf.bind(object.py()), parts));
                Ok(Form::Structure(skeleton, leaves.collect::<PyResult<_>>()?))
            }
        }
    }

    /// True for a structure that was there before and can be changed: it stays this one, and what becomes of it is an effect of
    /// its own.
    fn is_known(&self, object: &Bound<'_, PyAny>) -> bool {
        (self.is_old)(object) && alias::is_changeable(object)
    }

    /// True for a structure of the function's own that holds one which is not made anew with it.
    fn holds_itself(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Some((_, items)) = structure::open_by_class(object)? else { return Ok(false) };
        for item in &items {
            let is_shared = self.shared.contains(&(item.as_ptr() as usize));
            let is_made = self.tracing.made_objects().has(item);
            if is_shared || is_made || self.is_known(item) || self.holds_itself(item)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A structure of the function's own that is in more than one place.
    fn shared(&mut self, object: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<Form> {
        let number = object.as_ptr() as usize;
        parts.holds_known = true;
        parts.objects.push(number);
        if self.staying.contains(&number) {
            parts.constants.push(object.clone().unbind());
            parts.is_repeatable = false;
            return Ok(Form::Constant(object.clone().unbind()));
        }
        if self.open.contains(&number) {
            return Err(nesting::too_deep(object.py()));
        }
        if !self.met.insert(number) {
            return Ok(Form::Again(number));
        }
        self.open.push(number);
        let form = self.structure(object, parts);
        self.open.pop();
        Ok(Form::Shared(number, Box::new(form?)))
    }

    /// A structure whose items are taken apart each by itself.
    fn one_by_one(&mut self, object: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<Form> {
        let Some((kind, items)) = structure::open_by_class(object)? else { return self.leaf(object, parts) };
        let leaves = items.iter().map(|_| Skeleton::Leaf).collect();
        let forms = items.iter().map(|item| self.form(item, parts)).collect::<PyResult<_>>()?;
        Ok(Form::Structure(Skeleton::Node(kind, leaves), forms))
    }

    fn leaf(&mut self, leaf: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<Form> {
        poison::refuse(leaf)?;
        if let Some(maybe) = Maybe::optional(leaf) {
            let maybe = maybe.get();
            let here = |value| self.tracing.trace.lift(value).unwrap_or(value);
            parts.values.extend([here(maybe.staged.value), here(maybe.bound)]);
            return Ok(Form::Optional(As::of(self.tracing, maybe.staged)));
        }
        if let Some(Operand::Staged(_, staged)) = staged(leaf)? {
            parts.values.push(staged.value);
            let shown = As::of(self.tracing, staged);
            if matches!(shown, As::Tensor) && self.tracing.trace.ty(staged.value).is_scalar() {
                self.tracing.host_side().put_scalar();
            }
            return Ok(Form::Result(shown));
        }
        if let Some(set) = making::plain_set(leaf)? {
            return Ok(Form::Set(set.unbind()));
        }
        if self.tracing.made_objects().has(leaf) {
            return self.made(leaf, parts);
        }
        if !is_literal(leaf) {
            parts.constants.push(leaf.clone().unbind());
            parts.is_repeatable &= is_immutable(leaf)? || (self.is_old)(leaf);
        }
        Ok(Form::Constant(leaf.clone().unbind()))
    }

    /// An object of the function's own.
    fn made(&mut self, object: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<Form> {
        self.tracing.check_outlives(object)?;
        let number = object.as_ptr() as usize;
        parts.objects.push(number);
        if self.staying.contains(&number) {
            parts.constants.push(object.clone().unbind());
            parts.is_repeatable = false;
            return Ok(Form::Constant(object.clone().unbind()));
        }
        if !self.met.insert(number) {
            return Ok(Form::Again(number));
        }
        let mut attributes = Vec::new();
        for (name, value) in own(object).iter().flatten() {
            attributes.push((name.cast_into::<PyString>()?.unbind(), self.form(&value, parts)?));
        }
        let mut slots = Vec::new();
        for (name, value) in held_in_slots(object)? {
            slots.push((name.unbind(), self.form(&value, parts)?));
        }
        Ok(Form::Object(number, object.get_type().unbind(), attributes, slots))
    }
}

/// GW303 if an object that a call cannot make anew, in the place of this path, holds values of the graph; `function` stores it.
pub fn check(function: &Bound<'_, PyAny>, path: &str, constants: &[Py<PyAny>]) -> PyResult<()> {
    let py = function.py();
    let Some(lost) = constants.iter().find(|object| holds_graph(object.bind(py))) else { return Ok(()) };
    let kind = match lost.bind(py).is_instance_of::<Maybe>() {
        true => "structure on some paths only".to_owned(),
        false => format!("`{}`", lost.bind(py).get_type().name()?),
    };
    let message = format!(
        "`{path}` gets a {kind} that holds a value of the graph, which a call of the graph cannot make anew"
    );
    let help = "store tensors, numbers, lists, dicts or objects of plain classes there, or return the value and store it after \
                the call";
    let root = path.split(['.', '[']).next().unwrap_or(path);
    let found = Diagnostic::new(Code::ResultNotTensor, message).help(help);
    Err(at_places(py, found, convert::changes(function, root)))
}

/// True for an object that nobody can change, as far as its class tells: it is hashed by what it holds.
fn is_immutable(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = object.py();
    if object.is_instance_of::<Variable>() {
        return Ok(false);
    }
    if object.is_instance_of::<PyType>()
        || object.is_instance_of::<PyFunction>()
        || object.is_instance_of::<PyCFunction>()
        || object.is_instance_of::<PyModule>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<Tensor>()
    {
        return Ok(true);
    }
    let name = intern!(py, "__hash__");
    let hash = object.get_type().getattr(name)?;
    let of_graphwright = object.get_type().getattr(intern!(py, "__module__"))?.eq("graphwright")?;
    Ok(of_graphwright || !hash.is_none() && !hash.is(&py.get_type::<PyAny>().getattr(name)?))
}
