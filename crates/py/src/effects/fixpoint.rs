//! Statements of the graph, traced again until all that they change is part of their state.

use crate::containers::lists::{Lists, placed};
use crate::containers::tables::Tables;
use crate::effects::alias::{Aliases, Reached};
use crate::effects::carried_arrays::{CarriedArrays, Learnt, Pinned};
use crate::effects::implicit_state::ImplicitState;
use crate::effects::regions::ByValues;
use crate::effects::watch::Watch;
use crate::exceptions::errors::{self, Failed, InternalError};
use crate::exceptions::raised;
use crate::host::PyHost;
use crate::optional::leaves::tensors;
use crate::session::Tracing;
use crate::values::cell::{self, Cell, Origin};
use crate::values::roots;
use crate::values::tensor::Tensor;
use gw_base::{Code, Diagnostic};
use gw_trace::fixpoint::{Carried, Staging, Statement, traced_once};
use gw_trace::{Host, Slot, Staged, State};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::cell::{Cell as Flag, RefCell};
use std::sync::Arc;

/// Stages a statement over `state`, what it changes without naming it of what it can reach, which `watch` tells, and the
/// contents of the tensors that it stores into.
pub fn staged<'py, T>(
    host: &PyHost<'py>,
    watch: &Watch<'py>,
    state: &dyn State<PyHost<'py>>,
    slots: &[Slot],
    stage: Staging<'_, PyHost<'py>, T>,
) -> Result<T, Failed> {
    let (py, tracing) = (host.py(), host.tracing());
    let (statement, expected) = expected(host, slots);
    let is_expected = Flag::new(expected.is_some());
    let (by_value, boxes_by_value) = expected.unwrap_or_default();
    let (by_value, boxes_by_value, learnt) =
        (RefCell::new(by_value), RefCell::new(boxes_by_value), Learnt::default());
    loop {
        let tables = Tables::enter(py, tracing)?;
        let hidden = ImplicitState::enter(host, watch, state, slots.len());
        let slots = &slots.iter().cloned().chain(hidden.slots()).collect::<Vec<_>>()[..];
        let lists = Lists::enter(host, &by_value)?;
        tracing.regions().fill(py)?;
        let cells = tracing.regions().enter(tracing);
        let mut all = slots.to_vec();
        all.extend(lists.slots());
        let flowing = all.len();
        all.extend(cells.iter().map(|_| Slot::Contents));
        let met: Vec<_> = tracing.tracked().iter().map(|variable| variable.value).collect();
        all.extend(met.iter().map(|_| Slot::Variable));
        let (held, again) = (hidden.held(), Flag::new(false));
        let boxes = Aliases::enter(py, tracing, watch, slots, &boxes_by_value, &held);
        let arrays = &CarriedArrays::enter(py, tracing, slots, &learnt, watch.repeats());
        let (boxes, lists, tables, again, state) = (&boxes, &lists, &tables, &again, &hidden);
        let (is_expected, was_expected) = (&is_expected, is_expected.get());
        let whole = CarriedState {
            is_expected,
            py,
            host,
            tracing,
            state,
            cells,
            met,
            boxes,
            outside: placed::Outside::enter(py, tracing, |object| watch.holds(object))?,
            watch,
            lists,
            tables,
            flowing,
            again,
            arrays,
            slots,
            stopped: tracing.stopped(),
        };
        if let Some(outcome) = traced_once(host, &whole, &all, stage)? {
            let found = (by_value.take(), boxes_by_value.take());
            tracing.regions().findings.found(statement, found);
            return Ok(outcome);
        }
        if was_expected && !is_expected.get() {
            drop((by_value.take(), boxes_by_value.take()));
        }
    }
}

/// A statement in another one, and the variables that flow by what they hold as its traces have always found. A statement outside of
/// all others is not traced again by one around it.
fn expected(host: &PyHost<'_>, slots: &[Slot]) -> (Option<Statement>, Option<ByValues>) {
    let tracing = host.tracing();
    let statement = tracing.trace.in_region().then(|| (host.place(), slots.to_vec()));
    let expected = statement.as_ref().and_then(|statement| tracing.regions().findings.expected(statement));
    (statement, expected)
}

impl<'py> Carried<PyHost<'py>> for CarriedState<'_, 'py> {
    fn is_outgrown(&self) -> bool {
        self.again.get()
    }

    fn finds_more(&self) -> Result<bool, Failed> {
        Ok(self.is_expected.replace(false)
            || self.arrays.can_pin()
            || self.found()?
            || self.lists.can_learn())
    }

    fn is_final(&self, error: &Failed) -> bool {
        raised::ends_tracing(error, self.py)
    }

    fn leave(&self, again: bool) {
        self.tracing.regions().leave(again);
    }

    fn end(&self, failed: Option<&Failed>) -> Result<(), Failed> {
        let passes = |error: &Failed| match error {
            Failed::Python(error) => self.tracing.tries().is_passing(error.value(self.py).as_any()),
            Failed::Diagnosed(_) => false,
        };
        // Exceptions raised on every path leave the changes made before them.
        match failed.filter(|error| !passes(error)) {
            None => self.boxes.end()?,
            Some(_) => self.state.undo()?,
        }
        let quiet = placed::Quiet::begin();
        self.lists.end()?;
        drop(quiet);
        self.boxes.forget_chosen();
        self.tracing.lists().chosen.look(self.py);
        if self.watch.repeats() {
            self.outside.repeats(|object| self.watch.holds(object.bind(self.py)));
        }
        self.outside.end()?;
        self.tracing.lists().placed.look(self.tracing.boxes(), self.py)?;
        self.state.tell();
        Ok(())
    }

    /// Forgets what a trace made of a statement that is traced again, too: what it prints would be printed again.
    fn undo(&self) -> Result<(), Failed> {
        self.tracing.go_on(self.stopped.clone());
        self.tracing.watch_again(self.py)?;
        self.boxes.rewind();
        self.outside.undo()?;
        self.lists.undo()?;
        // Before the places: an item that is one would be put into what the trace made of its dict.
        self.tables.undo()?;
        self.state.undo()?;
        self.tracing.restore(&self.met);
        self.tracing.lists().chosen.look(self.py);
        Ok(self.tracing.lists().placed.look(self.tracing.boxes(), self.py)?)
    }
}

/// The names of a statement, and behind them what it changes without naming it: places, lists, the contents of tensors,
/// variables that the graph has met.
struct CarriedState<'a, 'py> {
    /// True if the state is what earlier traces of the statement found, until it fails with that.
    is_expected: &'a Flag<bool>,
    py: Python<'py>,
    host: &'a PyHost<'py>,
    tracing: &'a Arc<Tracing>,
    state: &'a ImplicitState<'a, 'py>,
    cells: Vec<Arc<Cell>>,
    /// The values, when it began, of the variables that the graph had met.
    met: Vec<Staged>,
    /// The objects that its variables hold.
    boxes: &'a Aliases<'a, 'py>,
    /// The objects that stand for elements of lists and that it does not reach.
    outside: placed::Outside<'py>,
    watch: &'a Watch<'py>,
    /// The lists that it changes.
    lists: &'a Lists<'a, 'py>,
    /// The dicts and sets that come into the graph in it.
    tables: &'a Tables<'a, 'py>,
    /// The number of names and lists.
    flowing: usize,
    /// The statement stores into more tensors than those in `cells`.
    again: &'a Flag<bool>,
    /// The arrays that its variables hold.
    arrays: &'a CarriedArrays<'a, 'py>,
    slots: &'a [Slot],
    /// The reason for which the graph was not the program's before.
    stopped: Option<Diagnostic>,
}

impl<'py> State<PyHost<'py>> for CarriedState<'_, 'py> {
    fn get(&self) -> Result<Vec<Arc<Py<PyAny>>>, Failed> {
        if self.tracing.regions().found_something() || self.tracing.tracked().len() != self.met.len() {
            return Err(self.once_more());
        }
        placed::carry_back(self.py, false)?;
        let mut values = self.state.get()?;
        if !self.boxes.kept(&mut values)? {
            return Err(self.once_more());
        }
        if self.found()? || self.arrays.share_anew(&values)? || self.tables.lacks_after(self.slots, &values) {
            return Err(self.once_more());
        }
        self.arrays.begin_state();
        for (at, value) in values.iter_mut().enumerate() {
            let held = value.bind(self.py).clone();
            match self.arrays.pinned(at, &held)? {
                Pinned::No => {}
                Pinned::As(itself) => {
                    *value = itself;
                    continue;
                }
                Pinned::Another => return Err(self.once_more()),
            }
            if self.arrays.see(at, &held)? {
                return Err(self.once_more());
            }
            if let Some(kept) = self.as_it_is_now(at, &held)? {
                *value = Arc::new(kept);
            }
            if self.arrays.is_stale(&held)? {
                // Uses of it by the next state would count as reads now.
                *value = self.host.unclear(&self.slots[at], cell::stale())?;
            }
        }
        self.lists.variables(&mut values, self.slots)?;
        if self.lists.again() {
            return Err(self.once_more());
        }
        self.boxes.take_down(&mut values)?;
        values.extend(self.lists.values()?);
        for (at, _, list) in self.lists.of_items() {
            let list = list.bind(self.py);
            self.arrays.see_items(at, list)?;
            self.boxes.see_items(at, list)?;
        }
        for cell in &self.cells {
            let content = Tensor::of(cell.content()).with(Origin::Content);
            values.push(Arc::new(Py::new(self.py, content)?.into_any()));
        }
        values.extend(self.host.own_state()?);
        Ok(values)
    }

    fn set(&self, values: &[Arc<Py<PyAny>>]) -> Result<(), Failed> {
        self.outside.restore()?;
        let (flowing, contents) = values.split_at(self.flowing);
        let (contents, variables) = contents.split_at(self.cells.len());
        let (names, lists) = flowing.split_at(self.slots.len());
        if self.tables.lacks_before(self.slots, names) {
            return Err(self.once_more());
        }
        let names = self.lists.restored(&self.boxes.restored(names)?)?;
        self.arrays.link(&names)?;
        let mut originals = Vec::with_capacity(names.len());
        for value in &names {
            let value = value.bind(self.py);
            let original = value.cast::<Tensor>().ok().and_then(|t| t.get().original());
            originals
                .push(original.map_or_else(|| value.clone().unbind(), |o| o.clone_ref(self.py).into_any()));
        }
        let originals: Vec<_> = originals.into_iter().map(Arc::new).collect();
        self.state.set(&originals)?;
        self.lists.set(lists)?;
        for (at, name, list) in self.lists.of_items() {
            let list = list.bind(self.py);
            self.arrays.link_items(at, list)?;
            self.boxes.link_items(at, list, name)?;
        }
        self.tracing.lists().chosen.look(self.py);
        for (cell, content) in self.cells.iter().zip(contents) {
            if let Ok(content) = content.bind(self.py).cast::<Tensor>() {
                cell.replace(content.get().content());
            }
        }
        self.host.set_own_state(variables)?;
        self.tracing.lists().placed.look(self.tracing.boxes(), self.py)?;
        Ok(self.boxes.link(&originals)?)
    }
}

impl<'py> CarriedState<'_, 'py> {
    /// Looks for dicts, sets, lists and other places that the statement changes and that do not flow through it yet.
    fn found(&self) -> Result<bool, Failed> {
        Ok(self.tables.look(self.state)? || self.lists.look(self.state)? || self.state.look()?)
    }

    /// Failure that ends a tracing that found state that it did not know of.
    fn once_more(&self) -> Failed {
        self.again.set(true);
        Failed::Python(InternalError::new_err("a statement is to be traced again"))
    }

    /// A tensor, or a tuple of tensors that the function returns, with what it holds now, if it may hold something else when it is looked at.
    fn as_it_is_now(&self, at: usize, value: &Bound<'py, PyAny>) -> PyResult<Option<Py<PyAny>>> {
        let stored = |tensor: &Tensor| {
            let cell = roots::root(tensor).cell_if_any();
            cell.is_some_and(|cell| self.cells.iter().any(|other| Arc::ptr_eq(other, cell)))
        };
        if let Ok(tensor) = value.cast::<Tensor>() {
            let now = stored(tensor.get()).then(|| Tensor::snapshot(tensor));
            return now.map(|now| Ok(Py::new(self.py, now)?.into_any())).transpose();
        }
        if self.cells.is_empty() {
            return Ok(None);
        }
        let kept = match value.cast_exact::<PyTuple>() {
            // Nothing stores into it any more.
            Ok(tuple) if self.slots[at] == Slot::Returned => {
                Some(tuple_now(tuple, &stored, &mut Vec::new())?.into_any())
            }
            Ok(_) | Err(_) => None,
        };
        if tensors(kept.as_ref().unwrap_or(value))?.iter().any(|t| stored(t.get())) {
            let message = format!("{} holds a tensor that is stored into here", self.slots[at]);
            let help = "store into the tensor by a name of its own, and put it into the container afterwards";
            return Err(errors::here(self.py, Code::StoreUnclear, message, help));
        }
        Ok(kept.map(Bound::unbind))
    }
}

/// A tuple with what its tensors hold now, of those that are stored into; one that is there twice stays one.
fn tuple_now<'py>(
    tuple: &Bound<'py, PyTuple>,
    stored: &dyn Fn(&Tensor) -> bool,
    met: &mut Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut items = Vec::with_capacity(tuple.len());
    for item in tuple {
        let known = met.iter().find(|(original, _)| original.is(&item)).map(|(_, now)| now.clone());
        let now = match (known, item.cast::<Tensor>(), item.cast_exact::<PyTuple>()) {
            (Some(now), _, _) => now,
            (None, Ok(tensor), _) if stored(tensor.get()) => {
                let now = Tensor::of(tensor.get().content());
                now.know(tensor.get().semantics());
                Bound::new(item.py(), now)?.into_any()
            }
            (None, _, Ok(inner)) => tuple_now(inner, stored, met)?.into_any(),
            (None, _, Err(_)) => item.clone(),
        };
        met.push((item, now.clone()));
        items.push(now);
    }
    PyTuple::new(tuple.py(), items)
}

/// One value that a branch gives, as the only variable of a statement.
pub struct Held(RefCell<Arc<Py<PyAny>>>);

impl Held {
    /// With no value yet.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        Ok(Self(RefCell::new(Arc::new(crate::optional::maybe::unbound(py)?.unbind()))))
    }

    /// Puts a value there.
    pub fn put(&self, value: Bound<'_, PyAny>) {
        self.0.replace(Arc::new(value.unbind()));
    }

    /// The value.
    pub fn take(&self) -> Arc<Py<PyAny>> {
        self.0.borrow().clone()
    }
}

impl<'py> State<PyHost<'py>> for Held {
    fn get(&self) -> Result<Vec<Arc<Py<PyAny>>>, Failed> {
        Ok(vec![self.take()])
    }

    fn set(&self, values: &[Arc<Py<PyAny>>]) -> Result<(), Failed> {
        self.0.replace(values[0].clone());
        Ok(())
    }
}
