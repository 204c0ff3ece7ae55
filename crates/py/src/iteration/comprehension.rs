//! Items of a comprehension that its tests keep: Python decides one after the other, until a tensor decides. Those behind that one
//! are what a generator of the graph gives ([`Comprehension::rest`]), so that whoever takes all items goes on with a loop over it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyIterator, PyList, PySlice, PyString, PyTuple};

use crate::calls::callable::callable;
use crate::containers::lists;
use crate::exceptions::errors;
use crate::host::checks::staged_test;
use crate::iteration::generators::{Generator, asked_last, generator};
use crate::iteration::iterable::Iterable;
use crate::iteration::progress;
use crate::iteration::python_for::containers_under;
use crate::operators::logic;
use crate::session::recursion_limit;
use crate::values::tensor::Tensor;

/// The items that tests keep, in the order in which Python finds them.
#[pyclass(frozen, name = "generator", module = "graphwright")]
#[derive(Debug)]
pub struct Comprehension {
    /// The iterable that it runs over.
    source: Py<PyAny>,
    /// Python's iterator over that; none if the graph alone iterates it.
    items: Option<Py<PyIterator>>,
    /// Gives test and element thunk of one item.
    parts: Py<PyAny>,
    /// True if an element is an iterable, whose items are meant.
    flat: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of items that have been taken of the source.
    taken: usize,
    /// True if there are no more.
    ended: bool,
    /// True if the graph takes the others.
    left: bool,
    /// The iterable whose items are given now.
    inner: Option<Py<PyAny>>,
    /// The test that a tensor decides, and the thunk of the element that it keeps.
    decided: Option<[Py<PyAny>; 2]>,
}

/// Who asks for the items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker {
    /// Python, which cannot go on where a tensor decides.
    Python,
    /// One that goes on with the rest.
    All,
    /// `any` (or `all`), for which a test is a part of the item.
    Truth(bool),
}

#[pymethods]
impl Comprehension {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.next(py, Asker::Python).map_err(|error| out_of_generator(py, error))
    }

    /// Gives nothing any more, as a generator that was closed.
    fn close(&self) {
        *self.lock() = State { ended: true, ..State::default() };
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // A source that the graph alone iterates is hidden from those who look for lists that Python would iterate.
        if self.items.is_some() {
            visit.call(&self.source)?;
        }
        visit.call(&self.items)?;
        visit.call(&self.parts)?;
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        visit.call(&state.inner)?;
        state.decided.iter().flatten().try_for_each(|part| visit.call(part))
    }

    /// The items up to the first that a tensor decides: [`Comprehension::rest`] has that and the others.
    fn until_decided(slf: &Bound<'_, Self>) -> PyResult<Asked> {
        Self::asked(slf, Asker::All)
    }

    /// True if a test keeps many items, so that it is no part of one.
    #[getter]
    fn is_flat(&self) -> bool {
        self.flat
    }

    /// Says that the graph decides how many items of the source are gone.
    fn leave(&self, py: Python<'_>) -> PyResult<()> {
        progress::leave(self.source.bind(py))
    }

    /// The items that are left, as a generator of the graph; none if Python has found the end.
    pub fn rest<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, Generator>>> {
        self.check_not_left(py)?;
        let left = State { left: true, ..State::default() };
        let state = std::mem::replace(&mut *self.lock(), left);
        if state.ended {
            return Ok(None);
        }
        if state.inner.is_some() {
            return Err(left_by_tensor(py));
        }
        let ([items, watched], parts) = (self.behind(py, state.taken)?, self.parts.bind(py).clone());
        let suffix = if self.flat { "_flat" } else { "" };
        let first = state.decided.map(|parts| parts.map(|part| part.into_bound(py)));
        let none = || Ok([PyBool::new(py, false).to_owned().into_any(), py.None().into_bound(py)]);
        let left = if first.is_none() && state.taken == 0 {
            generator(&format!("generated{suffix}"), &PyTuple::new(py, [items, parts])?)
        } else {
            let [test, element] = first.map_or_else(none, Ok::<_, PyErr>)?;
            let arguments = PyTuple::new(py, [test, element, items, parts, watched])?;
            generator(&format!("kept{suffix}"), &arguments)
        };
        asked_last(&left?)
    }
}

/// The items as somebody else than Python asks for them.
#[pyclass(frozen, name = "generator", module = "graphwright")]
#[derive(Debug)]
pub struct Asked {
    kept: Py<Comprehension>,
    asker: Asker,
}

#[pymethods]
impl Asked {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.kept.get().next(py, self.asker).map_err(|error| out_of_generator(py, error))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.kept)
    }
}

impl Asked {
    /// The iterable behind the items, and the function that tests them and makes elements of them.
    pub fn origin<'a, 'py>(&'a self, py: Python<'py>) -> [&'a Bound<'py, PyAny>; 2] {
        let kept = self.kept.get();
        [kept.source.bind(py), kept.parts.bind(py)]
    }
}

/// An exception as it leaves a generator: no `StopIteration` does.
pub fn out_of_generator(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyStopIteration>(py) {
        return error;
    }
    let raised = PyRuntimeError::new_err("generator raised StopIteration");
    raised.set_cause(py, Some(error));
    raised
}

/// The refusal of items that nobody knows.
fn left_by_tensor(py: Python<'_>) -> PyErr {
    let message = "a tensor decided how many items of this generator were taken, so what it has still to give is not known";
    errors::here(py, Code::TensorIterated, message, "make a new generator")
}

impl Comprehension {
    /// The items of `source` that pass, of which `parts((item,))` gives test and element thunk.
    pub fn new(source: &Bound<'_, PyAny>, parts: &Bound<'_, PyAny>, flat: bool) -> PyResult<Self> {
        progress::advances(source)?;
        let source = lists::each(source)?;
        let items = source.try_iter()?;
        progress::made(items.clone().into_any(), std::slice::from_ref(&source));
        Ok(Self { items: Some(items.unbind()), ..Self::of_graph(&source, parts, flat) })
    }

    /// The same where the graph alone iterates `source`.
    pub fn of_graph(source: &Bound<'_, PyAny>, parts: &Bound<'_, PyAny>, flat: bool) -> Self {
        let (source, parts) = (source.clone().unbind(), parts.clone().unbind());
        Self { source, items: None, parts, flat, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The items for one who asks like that.
    pub fn asked(slf: &Bound<'_, Self>, asker: Asker) -> PyResult<Asked> {
        progress::advances(slf)?;
        Ok(Asked { kept: slf.clone().unbind(), asker })
    }

    /// The next item that passes; none at the end, and where a tensor decides.
    pub fn next<'py>(&self, py: Python<'py>, asker: Asker) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check_not_left(py)?;
        let Some(items) = &self.items else { return ended_by_graph(py, asker) };
        loop {
            if self.lock().ended {
                return Ok(None);
            }
            if let Some(item) = self.next_inner(py, asker)? {
                return Ok(Some(item));
            }
            if self.lock().decided.is_some() {
                return Ok(None);
            }
            let Some([test, element]) = self.next_parts(items.bind(py), asker)? else {
                if self.source_kept(py).is_some_and(|source| source.get().is_graphs(py)) {
                    return ended_by_graph(py, asker);
                }
                self.lock().ended = true;
                return Ok(None);
            };
            if staged_test(&test)?.is_some() {
                return self.decided_by(&test, &element, asker);
            }
            if test.is_truthy()? {
                let made = recursion_limit::call(&element, ())?;
                if !self.flat {
                    return Ok(Some(made));
                }
                self.open(&made, asker)?;
            }
        }
    }

    /// The comprehension whose items it runs over, if it is one.
    fn source_kept<'a, 'py>(&'a self, py: Python<'py>) -> Option<&'a Bound<'py, Self>> {
        self.source.bind(py).cast().ok()
    }

    /// True if only the graph knows the items that are left.
    pub fn is_graphs(&self, py: Python<'_>) -> bool {
        self.items.is_none()
            || self.lock().decided.is_some()
            || self.source_kept(py).is_some_and(|source| source.get().is_graphs(py))
    }

    fn check_not_left(&self, py: Python<'_>) -> PyResult<()> {
        if self.lock().left { Err(left_by_tensor(py)) } else { Ok(()) }
    }

    /// Test and element thunk of the next item of the source.
    fn next_parts<'py>(
        &self,
        items: &Bound<'py, PyIterator>,
        asker: Asker,
    ) -> PyResult<Option<[Bound<'py, PyAny>; 2]>> {
        let py = items.py();
        progress::check_asked(items)?;
        let next = match (self.source_kept(py), asker) {
            (Some(source), Asker::All) => source.get().next(py, asker).transpose(),
            (Some(_), Asker::Python | Asker::Truth(_)) | (None, _) => items.clone().next(),
        };
        let Some(item) = next else { return Ok(None) };
        self.lock().taken += 1;
        let parts = recursion_limit::call(self.parts.bind(py), ((lists::known(item?)?,),))?;
        Ok(Some([parts.get_item(0)?, parts.get_item(1)?]))
    }

    /// The answer where a tensor decides.
    fn decided_by<'py>(
        &self,
        test: &Bound<'py, PyAny>,
        element: &Bound<'py, PyAny>,
        asker: Asker,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match asker {
            Asker::Truth(true) => logic::and(test, element).map(Some),
            Asker::Truth(false) => logic::or(&logic::not(test)?, element).map(Some),
            Asker::Python => Err(undecided(test.py())),
            Asker::All => {
                self.lock().decided = Some([test.clone().unbind(), element.clone().unbind()]);
                Ok(None)
            }
        }
    }

    /// Takes items of an element from now on, unless only the graph can.
    fn open(&self, element: &Bound<'_, PyAny>, asker: Asker) -> PyResult<()> {
        if element.is_instance_of::<Iterable>() || element.is_instance_of::<Generator>() {
            return self.decided_behind(element, asker);
        }
        self.lock().inner = Some(element.try_iter()?.into_any().unbind());
        Ok(())
    }

    /// The next item of the element that is open.
    fn next_inner<'py>(&self, py: Python<'py>, asker: Asker) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(inner) = self.lock().inner.as_ref().map(|inner| inner.clone_ref(py)) else {
            return Ok(None);
        };
        let inner = inner.into_bound(py);
        let kept = inner.cast::<Self>().ok();
        let next = match kept {
            Some(kept) => kept.get().next(py, asker)?,
            None => inner.cast::<PyIterator>()?.clone().next().transpose()?,
        };
        if next.is_none() {
            self.lock().inner = None;
            if kept.is_some_and(|kept| kept.get().is_graphs(py)) {
                self.decided_behind(&inner, asker)?;
            }
        }
        Ok(next)
    }

    /// Says that the graph goes on with the items of an element that passed.
    fn decided_behind(&self, element: &Bound<'_, PyAny>, asker: Asker) -> PyResult<()> {
        let py = element.py();
        if asker != Asker::All {
            return Err(undecided(py));
        }
        let held = element.clone().unbind();
        let thunk = callable(py, move |py| Ok(held.clone_ref(py)))?;
        let passes = PyBool::new(py, true).to_owned().into_any();
        self.lock().decided = Some([passes.unbind(), thunk.unbind()]);
        Ok(())
    }

    /// The items of the source behind so many, and what must not change while the graph takes them: of an array the rows, which
    /// may be a loop of the graph; of containers of Python's what stands there now.
    fn behind<'py>(&self, py: Python<'py>, taken: usize) -> PyResult<[Bound<'py, PyAny>; 2]> {
        let source = self.source.bind(py);
        let mut containers = Vec::new();
        let of_kept = self.source_kept(py).map_or(Ok(None), |kept| kept.get().rest(py))?;
        let items = match &self.items {
            _ if let Some(rest) = of_kept => rest.into_any(),
            None => source.clone(),
            // A list as Python's own loop runs over it: by places, until there are no more.
            Some(_) if taken == 0 && source.is_exact_instance_of::<PyList>() => source.clone(),
            Some(_) if source.is_instance_of::<Tensor>() => {
                source.get_item(PySlice::new(py, taken as isize, isize::MAX, 1))?
            }
            Some(items) if containers_under(source, &mut containers)? => {
                PyList::new(py, items.bind(py).clone().collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            Some(items) => items.bind(py).clone().into_any(),
        };
        let watched: Vec<_> =
            containers.into_iter().map(|one| Ok((one.clone(), contents(&one)?))).collect::<PyResult<_>>()?;
        Ok([items, PyList::new(py, watched)?.into_any()])
    }
}

/// Containers of Python's own that come to hold other objects, and views of such.
const CHANGING: &[&str] = &["list", "set", "dict", "dict_keys", "dict_values", "dict_items"];

/// The objects that a container holds now, if it may come to hold other ones.
fn contents<'py>(container: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    let class = container.get_type().name()?.to_string();
    let mut held = Vec::new();
    if CHANGING.contains(&class.as_str()) {
        for item in container.try_iter()? {
            let item = item?;
            match item.cast_exact::<PyTuple>() {
                // The view makes a tuple for each pair that it gives.
                Ok(pair) if class == "dict_items" => held.extend(pair.iter()),
                Ok(_) | Err(_) => held.push(item),
            }
        }
    }
    PyList::new(container.py(), held)
}

/// Refuses to go on where one of the containers that a comprehension runs over holds other objects than it did: Python's own
/// iterator would see them.
#[pyfunction]
pub fn check_walked(watched: Vec<(Bound<'_, PyAny>, Bound<'_, PyList>)>) -> PyResult<()> {
    for (container, before) in watched {
        let now = contents(&container)?;
        if now.len() != before.len() || now.iter().zip(before.iter()).any(|(now, before)| !now.is(&before)) {
            let class = container.get_type().name()?;
            let message = format!(
                "this comprehension changes the {class} that it runs over, and a tensor decides which items it keeps"
            );
            let help = "run over a copy of it";
            return Err(errors::here(container.py(), Code::LoopChangesObject, message, help));
        }
    }
    Ok(())
}

/// The answer where only the graph iterates what is left.
fn ended_by_graph(py: Python<'_>, asker: Asker) -> PyResult<Option<Bound<'_, PyAny>>> {
    if asker == Asker::Python { Err(undecided(py)) } else { Ok(None) }
}

/// Refuses a text as a key that a tensor may leave out: of the graph's dicts and sets, keys are numbers.
#[pyfunction]
pub fn check_key(key: &Bound<'_, PyAny>) -> PyResult<()> {
    if !key.is_instance_of::<PyString>() {
        return Ok(());
    }
    let message = format!("a tensor decides whether this dict or set has the key {}", key.repr()?);
    let help = "keep the keys, and let the tensor decide their values: `{k: v if test else 0 for …}`";
    Err(errors::here(key.py(), Code::TensorAsBool, message, help))
}

/// The refusal where Python must know at once whether an item is kept.
pub fn undecided(py: Python<'_>) -> PyErr {
    let message = "a tensor decides which items this comprehension keeps, so its length is not known";
    let help = "write `gw.where(test, element, 0)`, or a `for` loop with an `if`";
    errors::here(py, Code::TensorAsBool, message, help)
}
