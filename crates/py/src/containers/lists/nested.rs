//! One of several lists, chosen by an index of the graph: `graph[v]` for `graph = [[1, 2], [0], []]`. The chosen list is a list
//! of its own that holds what that one holds. What changes it changes the one that it stands for, whichever that is, and
//! what changes one of those changes it ([`changing`]); a change that is not seen where it happens is an error.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::RegionId;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::access::{Index, index_of};
use super::elements::{at, counted, elements, has_rows, list};
use super::references;
use crate::containers::heap::heap;
use crate::exceptions::errors;
use crate::host::operands;
use crate::session::conv::conv;
use crate::session::{self, Tracing, frames};

/// Among so many lists at most a change is carried on: each of them takes a branch.
const MOST: usize = 256;

/// The lists of one tracing that were chosen, and what they were chosen from.
#[derive(Debug, Default)]
pub struct Chosen(Mutex<Choices>);

/// The number of choices at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark(usize);

#[derive(Debug, Default)]
struct Choices {
    all: Vec<Choice>,
    /// True if a change is being carried on to the other lists.
    is_busy: bool,
}

impl Choices {
    /// What is known of a list.
    fn of(&mut self, list: &Bound<'_, PyList>) -> impl Iterator<Item = &mut Kept> {
        let all =
            self.all.iter_mut().flat_map(|choice| std::iter::once(&mut choice.list).chain(&mut choice.from));
        all.filter(move |kept| kept.list.is(list))
    }
}

/// A list that was chosen.
#[derive(Debug)]
struct Choice {
    list: Kept,
    from: Vec<Kept>,
    /// Which of these it stands for, counted from the start.
    index: Py<PyAny>,
    /// Where it was chosen: a change is carried on there, and in what is inside.
    region: RegionId,
    place: Option<Loc>,
}

/// A list, with what it held when it was last looked at.
#[derive(Debug)]
struct Kept {
    list: Py<PyList>,
    held: Vec<Py<PyAny>>,
}

impl Kept {
    fn new(list: &Bound<'_, PyList>) -> Self {
        Self { list: list.clone().unbind(), held: list.iter().map(Bound::unbind).collect() }
    }

    fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.list.bind(py).clone().into_any()
    }

    fn is_same(&self, py: Python<'_>) -> bool {
        let list = self.list.bind(py);
        list.len() == self.held.len() && list.iter().zip(&self.held).all(|(now, was)| now.is(was))
    }
}

impl Choice {
    fn lists(&self) -> impl Iterator<Item = &Kept> {
        std::iter::once(&self.list).chain(&self.from)
    }

    fn stands_for(&self, list: &Bound<'_, PyList>) -> bool {
        self.from.iter().any(|kept| kept.list.is(list))
    }

    /// True if its lists hold what they held.
    fn is_same(&self, py: Python<'_>) -> bool {
        self.lists().all(|kept| kept.is_same(py))
    }

    /// True if nobody has the chosen list any more.
    fn is_over(&self, py: Python<'_>) -> bool {
        references(self.list.list.bind(py)).is_ok_and(|others| others == 0)
    }

    /// Looks at its lists again.
    fn look(&mut self, py: Python<'_>) {
        for kept in std::iter::once(&mut self.list).chain(&mut self.from) {
            *kept = Kept::new(kept.list.bind(py));
        }
    }

    /// True if a change can be carried on here.
    fn reaches_here(&self, tracing: &Tracing) -> bool {
        self.from.len() <= MOST && tracing.trace.build(|b| b.open_regions().contains(&self.region))
    }

    /// The diagnostic where a change of its lists is not carried on.
    fn unclear(&self) -> PyErr {
        let message = "an index of the graph chooses one of several lists here, and a list is changed";
        let help = "change it in the statement that chooses it, by a method or an item, `xs[i].append(v)`; for rows of \
                    numbers use a tensor, `gw.zeros((n, m))` and `x[i, j] = v`";
        let found = Diagnostic::new(Code::ListInGraph, message).help(help);
        errors::raise(&match &self.place {
            Some(place) => found.at(place.clone(), "chosen here"),
            None => found,
        })
    }
}

impl Chosen {
    fn lock(&self) -> MutexGuard<'_, Choices> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if no list was chosen.
    pub fn is_empty(&self) -> bool {
        self.lock().all.is_empty()
    }

    /// The choices that there are.
    pub fn mark(&self) -> Mark {
        Mark(self.lock().all.len())
    }

    /// Forgets the choices that were made since.
    pub fn rewind(&self, mark: Mark) {
        let mut choices = self.lock();
        let first = mark.0.min(choices.all.len());
        let gone = choices.all.split_off(first);
        drop(choices);
        drop(gone);
    }

    /// Looks at all lists again, after a statement gave them what it left in them.
    pub fn look(&self, py: Python<'_>) {
        let mut choices = self.lock();
        if !choices.is_busy {
            choices.all.iter_mut().for_each(|choice| choice.look(py));
        }
    }

    /// Gives a list what it holds in another form.
    pub fn reshaping(
        &self,
        list: &Bound<'_, PyList>,
        reshape: impl FnOnce() -> PyResult<()>,
    ) -> PyResult<()> {
        let was_same: Vec<bool> = self.lock().of(list).map(|kept| kept.is_same(list.py())).collect();
        reshape()?;
        let mut choices = self.lock();
        for (kept, _) in choices.of(list).zip(was_same).filter(|(_, was_same)| *was_same) {
            *kept = Kept::new(list);
        }
        Ok(())
    }

    /// The lists that a chosen one may be; none for other objects.
    pub fn sources<'py>(&self, object: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
        let choices = self.lock();
        let choice = choices.all.iter().find(|choice| choice.list.list.is(object));
        choice
            .into_iter()
            .flat_map(|choice| choice.from.iter().map(|kept| kept.object(object.py())))
            .collect()
    }

    /// The lists that change with this one.
    pub fn partners<'py>(&self, object: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
        let choices = self.lock();
        let with = choices.all.iter().filter(|choice| choice.lists().any(|kept| kept.list.is(object)));
        with.flat_map(|choice| choice.lists().map(|kept| kept.object(object.py()))).collect()
    }

    /// Forgets the chosen lists that nobody has any more. An error if a list was changed that somebody has.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_empty() || self.lock().is_busy {
            return Ok(());
        }
        let mut choices = self.lock();
        if let Some(choice) = choices.all.iter().find(|choice| !choice.is_same(py)) {
            return Err(choice.unclear());
        }
        let (mut kept, mut over) = (Vec::new(), Vec::new());
        for choice in std::mem::take(&mut choices.all) {
            if choice.is_over(py) { &mut over } else { &mut kept }.push(choice);
        }
        choices.all = kept;
        drop(choices);
        drop(over);
        Ok(())
    }

    /// [`check`](Self::check) where the function ends, which forgets them all.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let checked = self.check(py);
        self.rewind(Mark::default());
        checked
    }

    /// Carries the change of a list on to those that stand for it, or that it stands for.
    fn changed(&self, tracing: &Tracing, list: &Bound<'_, PyList>) -> PyResult<()> {
        let py = list.py();
        let mut all = std::mem::take(&mut self.lock().all);
        let carried = carry(py, tracing, &mut all, list);
        let mut choices = self.lock();
        all.append(&mut choices.all);
        choices.all = all;
        drop(choices);
        carried
    }
}

fn carry(py: Python<'_>, tracing: &Tracing, all: &mut [Choice], list: &Bound<'_, PyList>) -> PyResult<()> {
    let mut changed = vec![list.clone()];
    if let Some(choice) = all.iter().find(|choice| choice.list.list.is(list)) {
        if !choice.reaches_here(tracing) {
            return Err(choice.unclear());
        }
        changed = choice.from.iter().map(|kept| kept.list.bind(py).clone()).collect();
        written("put", (PyList::new(py, &changed)?, choice.index.bind(py), list), py)?;
    }
    for choice in all.iter_mut() {
        let is_met = choice.list.list.is(list) || changed.iter().any(|list| choice.stands_for(list));
        if !is_met {
            continue;
        }
        if !choice.reaches_here(tracing) {
            return Err(choice.unclear());
        }
        if !choice.list.list.is(list) {
            let from: Vec<_> = choice.from.iter().map(|kept| kept.list.bind(py).clone()).collect();
            let now = contents(&from, &index_of(choice.index.bind(py))?)?;
            let own = choice.list.list.bind(py);
            own.set_slice(0, own.len(), now.as_any())?;
        }
        choice.look(py);
    }
    Ok(())
}

/// What a function of `graphwright._meanings.written_nested` gives.
fn written<'py>(
    name: &str,
    args: impl pyo3::call::PyCallArgs<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("graphwright._meanings.written_nested")?.getattr(name)?;
    conv(&function)?.call1(args)
}

/// Does what may change a list, and carries the change on to other lists.
pub fn changing<T>(list: &Bound<'_, PyList>, change: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    let Some(tracing) = session::current() else { return change() };
    let chosen = &tracing.lists().chosen;
    if chosen.is_empty() || chosen.lock().is_busy {
        return change();
    }
    chosen.check(list.py())?;
    let done = change()?;
    chosen.lock().is_busy = true;
    let carried = chosen.changed(&tracing, list);
    chosen.lock().is_busy = false;
    carried.map(|()| done)
}

/// The items of a list if all of them are lists of Python's.
pub fn lists_in<'py>(of: &Bound<'py, PyList>) -> Option<Vec<Bound<'py, PyList>>> {
    if has_rows(of) {
        return None;
    }
    let inner = |item: Bound<'py, PyAny>| item.cast_into_exact::<PyList>().ok();
    let found: Option<Vec<_>> = of.iter().map(inner).collect();
    found.filter(|lists| !lists.is_empty())
}

/// The list at an index.
pub fn chosen<'py>(lists: &[Bound<'py, PyList>], index: &Index) -> PyResult<Bound<'py, PyAny>> {
    let py = lists[0].py();
    let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
    tracing.lists().chosen.check(py)?;
    if let Index::Known(at) = *index {
        let at = if at < 0 { at + lists.len() as i64 } else { at };
        let found = usize::try_from(at).ok().and_then(|at| lists.get(at));
        let found =
            found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("list index out of range"))?;
        return Ok(found.clone().into_any());
    }
    let positions = elements(&PyList::new(py, 0..lists.len())?)?
        .ok_or_else(|| errors::InternalError::new_err("there are lists"))?;
    positions.judge(&heap(py)?, index, "list index out of range")?;
    let index = at(py, &positions, index)?;
    let list = contents(lists, &index_of(&index)?)?;
    let choice = Choice {
        list: Kept::new(&list),
        from: lists.iter().map(Kept::new).collect(),
        index: index.unbind(),
        region: tracing.trace.region(),
        place: frames::place(py),
    };
    tracing.lists().chosen.lock().all.push(choice);
    Ok(list.into_any())
}

/// A list of what the list at an index holds; there is one.
fn contents<'py>(lists: &[Bound<'py, PyList>], index: &Index) -> PyResult<Bound<'py, PyList>> {
    let py = lists[0].py();
    let (flat, ends) = (PyList::empty(py), PyList::empty(py));
    let mut end = 0i64.into_pyobject(py)?.into_any();
    for list in lists {
        let start = end;
        end = start.add(counted(list)?)?;
        list.iter().try_for_each(|item| flat.append(item))?;
        ends.append((start, &end))?;
    }
    let Some(held) = elements(&flat)? else { return Ok(flat) };
    let ends = elements(&ends)?.ok_or_else(|| errors::InternalError::new_err("there are lists"))?;
    let ends = at(py, &ends, index)?;
    let host = heap(py)?;
    let end = |at: usize| {
        let end = operands::operand(&ends.get_item(at)?)?;
        Ok::<_, PyErr>(operands::stage(host.tracing(), &end).value)
    };
    list(py, &held.cut(&host, Some(end(0)?), Some(end(1)?))?)
}
