//! The lists of one trace that an index of the graph chose, and those from which it chose.

use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_base::{Code, Diagnostic, Loc};
use gw_ir::RegionId;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::containers::references::references;
use crate::exceptions::errors;
use crate::session::Tracing;

/// Among so many lists at most a change is carried on: each of them takes a branch.
const MOST: usize = 256;

/// The lists of one tracing that were chosen, and what they were chosen from.
#[derive(Debug, Default)]
pub struct Chosen(Mutex<Choices>);

/// The number of choices at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mark(usize);

/// The choices.
#[derive(Debug, Default)]
pub struct Choices {
    /// All of them.
    pub all: Vec<Choice>,
    /// True if a change is being carried on to the other lists.
    pub is_busy: bool,
}

impl Choices {
    /// Records of a list among the choices.
    fn of(&mut self, list: &Bound<'_, PyList>) -> impl Iterator<Item = &mut Kept> {
        let all =
            self.all.iter_mut().flat_map(|choice| std::iter::once(&mut choice.list).chain(&mut choice.from));
        all.filter(move |kept| kept.list.is(list))
    }
}

/// A list that was chosen.
#[derive(Debug)]
pub struct Choice {
    /// The list.
    pub list: Kept,
    /// Those that it may be.
    pub from: Vec<Kept>,
    /// Index of the list that it stands for among these, counted from the start.
    pub index: Py<PyAny>,
    /// Region in which it was chosen: a change is carried on there, and in regions inside.
    pub region: RegionId,
    pub place: Option<Loc>,
}

/// A list, with what it held when it was last looked at.
#[derive(Debug)]
pub struct Kept {
    /// The list.
    pub list: Py<PyList>,
    held: Vec<Py<PyAny>>,
}

impl Kept {
    /// A list as it is now.
    pub fn new(list: &Bound<'_, PyList>) -> Self {
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

    /// True if it may stand for a list.
    pub fn stands_for(&self, list: &Bound<'_, PyList>) -> bool {
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
    pub fn look(&mut self, py: Python<'_>) {
        for kept in std::iter::once(&mut self.list).chain(&mut self.from) {
            *kept = Kept::new(kept.list.bind(py));
        }
    }

    /// True if a change can be carried on here.
    pub fn reaches_here(&self, tracing: &Tracing) -> bool {
        self.from.len() <= MOST && tracing.trace.build(|b| b.open_regions().contains(&self.region))
    }

    /// The diagnostic where a change of its lists is not carried on.
    pub fn unclear(&self) -> PyErr {
        let message =
            "a value of the graph chooses one of these lists, and one of them is changed afterwards";
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
    /// Locks them.
    pub fn lock(&self) -> MutexGuard<'_, Choices> {
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
}
