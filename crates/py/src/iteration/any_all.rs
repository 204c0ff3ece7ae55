//! `any` and `all` over an iterator of Python's: one item is asked for after the other, and those behind one of the graph's in a
//! branch of it. An iterator gives each item once, so that a branch in which something changes cannot be traced again: what
//! asking for an item changes there is an error.

use gw_base::Code;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyTuple};

use crate::effects::watch::Watch;
use crate::exceptions::errors;
use crate::host::checks::staged_test;
use crate::iteration::comprehension::{Asked, Asker, Comprehension};
use crate::operators::logic::{Thunk, choose};

/// The depth of iterators to which it is looked for what they run over.
const DEEPEST: usize = 8;

/// True if any item is true; items are taken as long as none is.
#[pyfunction]
pub fn any_of<'py>(items: Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyAny>> {
    first(&asked_for_truth(items, true)?, true, None)
}

/// True if all items are true; items are taken as long as all are.
#[pyfunction]
pub fn all_of<'py>(items: Bound<'py, PyIterator>) -> PyResult<Bound<'py, PyAny>> {
    first(&asked_for_truth(items, false)?, false, None)
}

/// The same items, of a comprehension such as have its tests as parts.
fn asked_for_truth(items: Bound<'_, PyIterator>, any: bool) -> PyResult<Bound<'_, PyIterator>> {
    match items.cast::<Comprehension>() {
        Ok(kept) => Bound::new(items.py(), Comprehension::asked(kept, Asker::Truth(any))?)?.try_iter(),
        Err(_) => Ok(items),
    }
}

/// True if an item has this truth, or the opposite if none has; those behind the first are not taken.
fn first<'py>(
    items: &Bound<'py, PyIterator>,
    wanted: bool,
    watch: Option<&Watch<'py>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = items.py();
    let known = |truth: bool| Ok(truth.into_pyobject(py)?.to_owned().into_any());
    for item in items.clone() {
        check_unchanged(py, watch)?;
        let item = item?;
        let Some((tracing, test)) = staged_test(&item)? else {
            if item.is_truthy()? == wanted {
                return known(wanted);
            }
            continue;
        };
        let own = if watch.is_none() { Some(reached(items)?) } else { None };
        tracing.homes().leave(items)?;
        let watch = watch.or(own.as_ref());
        let [found, rest]: [Thunk<'_, 'py>; 2] = [&|| known(wanted), &|| first(items, wanted, watch)];
        return choose(py, tracing, test, if wanted { [found, rest] } else { [rest, found] }, &[]);
    }
    check_unchanged(py, watch)?;
    known(!wanted)
}

fn check_unchanged(py: Python<'_>, watch: Option<&Watch<'_>>) -> PyResult<()> {
    match watch.map_or(Ok(None), |watch| watch.changed(&|| Ok(())))? {
        Some(path) => Err(changed(py, &path)),
        None => Ok(()),
    }
}

fn changed(py: Python<'_>, path: &str) -> PyErr {
    let message = format!(
        "`{path}` is changed by what gives an item here, and a tensor decides whether that is asked for it"
    );
    let help = "write a `for` loop with an `if` and a `break`";
    errors::here(py, Code::BranchesDisagree, message, help)
}

/// The objects that an iterator runs over and the variables that generators assign to, as far as they say.
fn reached<'py>(items: &Bound<'py, PyIterator>) -> PyResult<Watch<'py>> {
    let mut seen = Seen::default();
    seen.look(items.as_any(), "the item", DEEPEST)?;
    let functions: Vec<_> = seen.functions.iter().collect();
    Watch::reached(items.py(), &functions, seen.named)
}

/// The objects and variables behind an iterator.
#[derive(Default)]
struct Seen<'py> {
    /// Objects, and how they are called.
    named: Vec<(Bound<'py, PyAny>, String)>,
    /// Functions that have the variables of generators.
    functions: Vec<Bound<'py, PyAny>>,
}

impl<'py> Seen<'py> {
    fn look(&mut self, object: &Bound<'py, PyAny>, path: &str, depth: usize) -> PyResult<()> {
        let py = object.py();
        if !object.is_instance_of::<PyIterator>() {
            self.named.push((object.clone(), path.to_owned()));
            return Ok(());
        }
        if depth == 0 {
            return Ok(());
        }
        if let Ok(asked) = object.cast::<Asked>() {
            let [source, parts] = asked.get().origin(py);
            self.functions.push(parts.clone());
            return self.look(source, path, depth - 1);
        }
        if let Some(frame) = object.getattr_opt(intern!(py, "gi_frame"))?.filter(|frame| !frame.is_none()) {
            self.functions.push(with_its_variables(object, &frame)?);
            let variables = PyDict::new(py);
            variables.update(frame.getattr(intern!(py, "f_locals"))?.cast()?)?;
            for (name, value) in variables {
                let name = name.to_string();
                self.look(&value, if name.starts_with('.') { path } else { &name }, depth - 1)?;
            }
        } else if object.get_type().module()? == "builtins"
            && let Ok(parts) = object.call_method0(intern!(py, "__reduce__"))
            && let Ok(parts) = parts.get_item(1)?.cast::<PyTuple>()
        {
            // An iterator over a list says so; one that can only be copied by taking its items does not.
            parts.iter().try_for_each(|part| self.look(&part, path, depth - 1))?;
        }
        Ok(())
    }
}

/// A function of a generator's code, with the variables around it to which the generator assigns.
fn with_its_variables<'py>(
    generator: &Bound<'py, PyAny>,
    frame: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (py, types) = (generator.py(), generator.py().import("types")?);
    let code = generator.getattr(intern!(py, "gi_code"))?;
    let count = code.getattr(intern!(py, "co_freevars"))?.len()?;
    let held = py.import("gc")?.call_method1("get_referents", (generator, frame))?;
    let class = types.getattr("CellType")?;
    let is_cell = |held: &Bound<'py, PyAny>| held.get_type().is(&class);
    let cells: Vec<_> = held.try_iter()?.filter_map(|held| held.ok().filter(is_cell)).collect();
    // Variables of the generator's own that inner functions have come first.
    let around = PyTuple::new(py, &cells[cells.len().saturating_sub(count)..])?;
    let globals = frame.getattr(intern!(py, "f_globals"))?;
    types.getattr("FunctionType")?.call1((code, globals, py.None(), py.None(), around))
}
