//! Names that may have no value, or one that elements are stored into; what a function returns, and what an `except` catches.

use std::collections::HashSet;

use gw_base::Code;
use gw_ir::{CheckKind, Piece};
use gw_trace::{Interrupt, Lack};

use pyo3::exceptions::{PyAttributeError, PyBaseException, PyLookupError, PyNameError, PyUnboundLocalError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyList, PyString, PyTuple, PyType};

use crate::containers::array_items::ArrayItems;
use crate::containers::{lists, tables};
use crate::effects::alias;
use crate::effects::attributes::{in_class, own};
use crate::effects::location::Location;
use crate::exceptions::{errors, traceback};
use crate::host::checks::check;
use crate::host::lengths;
use crate::host::lent;
use crate::host::operands::LeafKind;
use crate::host::skeleton::Skeleton;
use crate::iteration::{collected, progress};
use crate::operators::backend::check_not_caught;
use crate::operators::compare::parts::Compared;
use crate::operators::object::Operators;
use crate::operators::special_methods;
use crate::optional::maybe::{Maybe, Unbound, unbound};
use crate::optional::possible::Possible;
use crate::optional::used::Used;
use crate::optional::{self, leaves, maybe_structure_uses, poison};
use crate::session::{self, interrupts};
use crate::values::tensor::Tensor;

#[pymethods]
impl Operators {
    /// The value of a name that may have none; `thunk` reads it.
    fn ld<'py>(&self, thunk: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        loaded(thunk, &Named { name, home: Home::Own })
    }

    /// The same of a name of the module, or of a function around.
    fn outer<'py>(
        &self,
        thunk: &Bound<'py, PyAny>,
        name: &str,
        is_global: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        loaded(thunk, &Named { name, home: if is_global { Home::Module } else { Home::Around } })
    }

    /// The value that `thunk` reads, or the mark of a name without one.
    fn peek<'py>(&self, thunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = thunk.py();
        thunk.call0().or_else(|error| {
            let lacks = error.is_instance_of::<PyNameError>(py)
                || error.is_instance_of::<PyAttributeError>(py)
                || error.is_instance_of::<PyLookupError>(py);
            if lacks { unbound(py) } else { Err(error) }
        })
    }

    /// The object that holds an attribute as a place of its own: anything whose class does not run code of its own for it.
    fn fields<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if value.is_instance_of::<Tensor>() || is_asked(value) {
            return Err(PyAttributeError::new_err(
                "an attribute of a tensor, or of what is a place, is none of its own",
            ));
        }
        let own = ["__getattribute__", "__getattr__", "__setattr__", "__delattr__"];
        if runs_code(value, &own)? || is_computed(value, name)? {
            return Err(PyAttributeError::new_err("what is stored by this name is the class's own affair"));
        }
        if is_method(value, name)? {
            return Err(PyAttributeError::new_err("the object holds nothing of its own by this name"));
        }
        if let Some(tracing) = session::current() {
            if tracing.made_objects().lacks(value, name)? {
                return Err(PyAttributeError::new_err("the class holds it for the object"));
            }
            tracing.may_own(value, name)?;
            tracing.hidden().flows(Location::of_attribute(value, name), value.py())?;
        }
        Ok(value.clone())
    }

    /// The object that holds items as places of their own: anything but a tensor.
    fn holder<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if value.is_instance_of::<Tensor>() || value.is_instance_of::<Maybe>() || is_asked(value) {
            return Err(PyLookupError::new_err(
                "an item of a tensor, or of what is a place, is none of its own",
            ));
        }
        if runs_code(value, &["__getitem__", "__setitem__", "__delitem__"])? {
            return Err(PyLookupError::new_err("what is stored under a key is the class's own affair"));
        }
        tables::Items::of(&lists::Items::of(value, true)?, true)
    }

    /// The holder of an item that a block may have added and that goes again; no list, which gets back all that it held.
    fn keyed<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if value.is_exact_instance_of::<PyList>() {
            return Err(PyLookupError::new_err("a list is held as a whole"));
        }
        self.holder(value)
    }

    /// Owner of an attribute `shape`: a value itself, or what stands for a tensor with lengths that only the run knows.
    fn shaped<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        lengths::shaped(value)
    }

    /// Reader and writer of the items of a value: the value itself, or a stand-in for a container while a graph is built.
    fn items<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let value = lists::TupleItems::of(&ArrayItems::of(value)?)?;
        special_methods::Items::of(&tables::Items::of(&lists::Items::of(&value, false)?, false)?)
    }

    /// The iterable that Python takes the items from one by one: itself, or the elements of a list in the graph, if their number is known.
    fn each<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let value = collected::all_items(value)?;
        progress::advances(&value)?;
        lists::each(&value)
    }

    /// The value from which Python takes all items in `[*xs, y]`: itself.
    fn all_of<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let value = collected::all_items(value)?;
        progress::advances(&value).map(|()| value)
    }

    /// Left side of `==`: the value itself, or a stand-in for a container while a graph is built.
    fn whole<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        tables::Whole::of(&Compared::of(value)?)
    }

    /// Left side of `<` and its kin: the value itself, or a stand-in that is compared part by part.
    fn ordered<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Compared::of(value)
    }

    /// `{a, b}`
    fn set_of<'py>(&self, items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        tables::set_of(items)
    }

    /// `{key: value}`
    fn dict_of<'py>(&self, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        tables::dict_of(pairs)
    }

    /// The classes of what may not reach the handlers of a `try`: of every exception if a refusal is being handled.
    fn refusals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let passing = errors::is_refusal_handled(py)?.then(|| py.get_type::<PyBaseException>());
        PyTuple::new(py, passing)
    }

    /// Begins an `except`.
    fn caught(&self, py: Python<'_>) -> PyResult<()> {
        check_not_caught(py)?;
        traceback::trim_caught(py)
    }

    /// True if a value of `get_state` is one, rather than the mark of a name without one.
    fn bound(&self, value: &Bound<'_, PyAny>) -> bool {
        !value.is_instance_of::<Unbound>()
    }

    /// The result of a function, some of whose paths reach its end.
    fn retval<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        returns(value)?;
        if value.is_instance_of::<Unbound>() {
            return Ok(py.None().into_bound(py));
        }
        if let Some(maybe) = Maybe::unbound(value) {
            return optional::make(py, maybe.get());
        }
        if value.is_instance_of::<Possible>() {
            let message = "a value is returned on some paths, and nothing on the others";
            let help = "which path is taken is known only when the graph runs: return a value at the end too";
            return Err(errors::here(py, Code::MissingReturn, message, help));
        }
        // Only a graph makes values that may be missing.
        if session::is_tracing()
            && let Some(structure) = maybe_structure_uses::returned(value)?
        {
            return Ok(structure);
        }
        Ok(value.clone())
    }

    /// The result of a function, all of whose paths return: a value that may be missing is there.
    fn returned<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        returns(value)?;
        if let Ok(possible) = value.cast::<Possible>() {
            return Ok(possible.get().value.bind(value.py()).clone());
        }
        if value.is_instance_of::<Unbound>() {
            return Ok(value.py().None().into_bound(value.py()));
        }
        let Some(maybe) = Maybe::unbound(value).map(|maybe| maybe.get()) else { return Ok(value.clone()) };
        Ok(Bound::new(value.py(), maybe.there(maybe.staged))?.into_any())
    }

    /// The mark of a function that has not returned yet.
    #[getter]
    fn no_return<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        unbound(py)
    }

    /// Value of a name into whose value the function stores elements. Python's own array serves as long as what is stored is known
    /// while the function is traced.
    fn filled<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Some(tracing) = session::current().filter(|_| lent::is_alone(value)) else {
            return Ok(value.clone());
        };
        if tracing.arrays().fills() {
            return value.py().import("graphwright._meanings.arrays")?.call_method1("of_graph", (value,));
        }
        tracing.arrays().could_fill();
        Ok(value.clone())
    }
}

/// Says that a function returns a value.
fn returns(value: &Bound<'_, PyAny>) -> PyResult<()> {
    alias::returned(value)?;
    match session::current() {
        Some(tracing) if tracing.arrays().are_on_some_paths() => {
            leaves::maybes(value)?.iter().for_each(|maybe| maybe.get().has_returned());
            Ok(())
        }
        Some(_) | None => Ok(()),
    }
}

/// True if the class of an object has one of these methods, written in Python.
fn runs_code(object: &Bound<'_, PyAny>, methods: &[&str]) -> PyResult<bool> {
    let class = object.get_type();
    for method in methods {
        if class.getattr_opt(*method)?.is_some_and(|method| method.is_instance_of::<PyFunction>()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// True if an attribute of an object is a property, or another descriptor written in Python.
fn is_computed(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let property = object.py().import("builtins")?.getattr("property")?;
    for base in object.get_type().mro() {
        if let Ok(found) = base.getattr(intern!(base.py(), "__dict__")).and_then(|own| own.get_item(name)) {
            return Ok(found.is_instance(&property)? || runs_code(&found, &["__get__", "__set__"])?);
        }
    }
    Ok(false)
}

/// True if an object finds a method of its class by a name, and holds nothing of its own there.
fn is_method(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    let Some((_, found)) = in_class(object, name) else { return Ok(false) };
    let is_function =
        found.is_instance_of::<PyFunction>() || found.get_type().hasattr(intern!(object.py(), "__func__"))?;
    let holds = || own(object).map_or(Ok(false), |own| own.contains(name));
    Ok(is_function && !object.is_instance_of::<PyType>() && !holds()?)
}

/// A name that is read.
struct Named<'a> {
    name: &'a str,
    home: Home,
}

/// Scope of a name.
#[derive(Clone, Copy)]
enum Home {
    /// In the function that reads it.
    Own,
    /// In one around it.
    Around,
    /// In the module.
    Module,
}

/// The value of a name that may have none; `thunk` reads it.
fn loaded<'py>(thunk: &Bound<'py, PyAny>, named: &Named<'_>) -> PyResult<Bound<'py, PyAny>> {
    let (py, name) = (thunk.py(), named.name);
    let value = match thunk.call0() {
        Err(error) if error.is_instance_of::<PyNameError>(py) => return Err(named.unbound()),
        other => other?,
    };
    if value.is_instance_of::<Unbound>() {
        return Err(named.unbound());
    }
    if value.is_instance_of::<Possible>() {
        let message = format!("`{name}` is read, but it has a value on some paths only");
        let help = format!("which path is taken is not known yet: give `{name}` a value on every path");
        return Err(errors::here(py, Code::UnboundName, message, &help));
    }
    poison::refuse(&value)?;
    match value.cast::<Maybe>() {
        Ok(maybe) if maybe.get().lack != Lack::Nothing => read_named(py, maybe, named.kind(), &named.text()),
        Ok(_) => Ok(value),
        Err(_) => check_parts(&value, named).map(|()| value),
    }
}

/// The value of a name that has one only if a bool of the graph is true: it is checked when the graph runs.
pub fn read<'py>(py: Python<'py>, maybe: &Bound<'py, Maybe>) -> PyResult<Bound<'py, PyAny>> {
    read_named(
        py,
        maybe,
        CheckKind::UnboundLocal,
        "a local variable is read where it is not associated with a value",
    )
}

/// GW103 if a function that is called may read a global that has a value on some paths only: its own text does not say so, and it
/// reads what stands for that as it stands for a name of the function that made it.
pub fn check_globals(function: &Bound<'_, PyFunction>) -> PyResult<()> {
    let py = function.py();
    let globals = function.getattr(intern!(py, "__globals__"))?.cast_into::<PyDict>()?;
    let code = function.getattr(intern!(py, "__code__"))?;
    for name in code.getattr(intern!(py, "co_names"))?.try_iter()? {
        let name = name?;
        let Some(value) = globals.get_item(&name)? else { continue };
        let is_in_doubt = Maybe::unbound(&value).is_some() || value.is_instance_of::<Possible>();
        if is_in_doubt && reads_global(&code, &name)? {
            let called = function.getattr(intern!(py, "__name__"))?;
            let message = format!(
                "`{name}` has a value on some paths only, and `{called}`, which is called here, reads it"
            );
            let help =
                "give it a value on every path before the call, or pass it to the function as an argument";
            return Err(errors::here(py, Code::BranchesDisagree, message, help));
        }
    }
    Ok(())
}

/// True if code reads a global of this name.
fn reads_global(code: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
    for instruction in code.py().import("dis")?.call_method1("get_instructions", (code,))?.try_iter()? {
        let instruction = instruction?;
        let reads = instruction.getattr("opname")?.eq("LOAD_GLOBAL")?;
        if reads && instruction.getattr("argval")?.eq(name)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn read_named<'py>(
    py: Python<'py>,
    maybe: &Bound<'py, Maybe>,
    unbound: CheckKind,
    text: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if Maybe::optional(maybe.as_any()).is_some() {
        return optional::value(maybe, Used::Somehow);
    }
    let maybe = maybe.get();
    let (kind, message) = match maybe.lack {
        Lack::Unbound | Lack::Nothing => (unbound, format!("{}: {text}", Code::UnboundName)),
        Lack::OtherRank => (CheckKind::Type, format!("{}: {OTHER_RANK}", Code::LoopChangesType)),
    };
    let bound = maybe.tracing.trace.lift(maybe.bound).unwrap_or(maybe.bound);
    let check = if maybe.lack == Lack::OtherRank { super::check_limit } else { check };
    check(py, &maybe.tracing, &[bound], kind, vec![Piece::Text(message)])?;
    let value = maybe.tensor(maybe.staged);
    value.check_fresh(py)?;
    Ok(Bound::new(py, value)?.into_any())
}

/// Checks when the graph runs that a name has its list, tuple or dict: where it may be without it, so may be all its parts.
fn check_parts(value: &Bound<'_, PyAny>, named: &Named<'_>) -> PyResult<()> {
    if !session::is_tracing() {
        return Ok(());
    }
    let (py, mut parts) = (value.py(), Vec::new());
    Skeleton::of(value, &mut parts)?;
    if !parts.iter().all(|part| Maybe::unbound(part.bind(py)).is_some()) {
        return Ok(());
    }
    let mut checked = HashSet::new();
    for part in &parts {
        let Some(maybe) = Maybe::unbound(part.bind(py)) else { continue };
        if checked.insert(maybe.get().bound) {
            read_named(py, maybe, named.kind(), &named.text())?;
        }
    }
    Ok(())
}

/// The diagnostic of a name whose rank the first iteration of a loop changes, where the loop has not run.
const OTHER_RANK: &str = "a loop changes the rank of this in its first iteration, and it has not run: start it with the \
                          shape that the body computes, e.g. with `gw.zeros`";

impl Named<'_> {
    /// Python's error where it has no value.
    fn kind(&self) -> CheckKind {
        match self.home {
            Home::Own => CheckKind::UnboundLocal,
            Home::Around | Home::Module => CheckKind::Name,
        }
    }

    /// The text of Python's error where it has no value.
    fn text(&self) -> String {
        let name = self.name;
        match self.home {
            Home::Own => {
                format!("cannot access local variable '{name}' where it is not associated with a value")
            }
            Home::Around => format!(
                "cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
            ),
            Home::Module => format!("name '{name}' is not defined"),
        }
    }

    /// The error of reading it without a value. Where it is not yet known what a function of the graph returns, what calls it
    /// is passed over, and may be what gives the name a value.
    fn unbound(&self) -> PyErr {
        match (session::current(), self.home) {
            (Some(tracing), _) if tracing.calls().waits() => interrupts::error(Interrupt::UnknownCallee),
            (Some(_) | None, Home::Own) => PyUnboundLocalError::new_err(self.text()),
            (Some(_) | None, Home::Around | Home::Module) => PyNameError::new_err(self.text()),
        }
    }
}

/// Names that have a value on some paths only, as operands: they are read.
pub const LEAF_KIND: LeafKind = LeafKind {
    read: |object| object.cast::<Maybe>().ok().map(|maybe| read(object.py(), maybe)).transpose(),
    ..LeafKind::NONE
};

/// True of an object that a statement whose variables are asked holds in a place that it changes without naming it.
fn is_asked(value: &Bound<'_, PyAny>) -> bool {
    session::current().is_some_and(|tracing| tracing.hidden().holds(value))
}
