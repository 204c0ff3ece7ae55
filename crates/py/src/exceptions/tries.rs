//! `try` whose body may raise when the graph runs. The body is traced as it stands first; if nothing in it may raise what is
//! caught, that is all. Otherwise it is taken back and traced as a region that exceptions leave, and the rest of the
//! statement once for each way out: Python itself finds the handler for an exception that is thrown at it.

mod called;
mod catcher;
mod function_scope;
mod handled_types;
mod handlers;
mod raise_points;
mod raises;
pub mod raising;
mod unread;

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Code;
use gw_ir::NodeId;
use gw_trace::{Attempt, Choosing, Fails, Slot, State, try_};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::containers::lists::placed;
use crate::containers::tables::Tables;
use crate::effects::alias::Reached;
use crate::effects::carried_arrays::Returning;
use crate::effects::fixpoint;
use crate::effects::places::{Places, PyState};
use crate::effects::snapshot::{self, Objects, Snapshot};
use crate::effects::watch::{Watch, guarded};
use crate::exceptions::errors::{self, Failed};
use crate::exceptions::raised;
use crate::host::{PyHost, made_object};
use crate::iteration::consumers;
use crate::operators::python_print;
use crate::session::{Tracing, depth, interrupts};

pub use called::{Calling, Forms};
use catcher::{Catcher, Scope};
pub use function_scope::{World, of_function};
pub use handled_types::Heard;
use handled_types::Kinds;
use handlers::Caught;
pub use raise_points::Tries;
pub use raises::Raises;

type Value = Arc<Py<PyAny>>;

/// The outcome that stands for the body in the rest of a `try`.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
struct Outcome {
    /// Exception that it raises, taken out when read: its traceback holds the frame that holds this.
    raises: Mutex<Option<Py<PyAny>>>,
}

impl Outcome {
    fn of(raises: Option<Py<PyAny>>) -> Self {
        Self { raises: Mutex::new(raises) }
    }
}

#[pymethods]
impl Outcome {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        let raises = self.raises.lock().unwrap_or_else(PoisonError::into_inner).take();
        raises.map_or(Ok(()), |error| Err(PyErr::from_value(error.into_bound(py))))
    }
}

/// `try: body()`, of which `rest(outcome)` is all else, while a graph is built.
pub fn try_stmt(
    tracing: &Arc<Tracing>,
    blocks: [&Bound<'_, PyAny>; 2],
    kinds: Py<PyAny>,
    always: bool,
    state: &Bound<'_, PyTuple>,
) -> PyResult<()> {
    let ([body, rest], py) = (blocks, blocks[0].py());
    let state = PyState::new(state, &blocks);
    let places = Arc::new(state.shared()?);
    let catcher = |records| {
        let scope = Scope::Body { kinds: Kinds::new(kinds.clone_ref(py)), always };
        Catcher::new(tracing, scope, records, places.clone())
    };
    let code = body.getattr("__code__")?;
    if !tracing.tries().is_staged(&code) {
        let all = consumers::with_consumers(&blocks, py);
        let watch = Watch::over(py, &all.iter().collect::<Vec<_>>())?;
        let (held, _lists, tables) = (watch.enter(), watch.lists(), Tables::enter(py, tracing)?);
        let before = Snapshot::now(py, tracing, &places, Vec::new())?;
        let (mark, trial) = (tracing.trace.build(|b| b.mark()), placed::Trial::begin(py, tracing)?);
        let (cached, stopped, looks) = (tracing.cache_calls(), tracing.stopped(), catcher(false));
        tracing.regions().enter_call(tracing, false);
        let outcome = Tries::within(tracing, &looks, || body.call0());
        tracing.regions().leave_call(looks.is_needed());
        // Exceptions raised before a call of which nothing is known yet are caught all the same.
        let goes_on = |error: &PyErr| interrupts::is_unknown(py, error) && looks.is_needed();
        let passes = |error: &PyErr| raised::is_passing(py, error) && !goes_on(error);
        // A `finally` behind a refusal would read what the body did not come to assign.
        if outcome.as_ref().is_err_and(|error| errors::is_refusal(py, error) || passes(error)) {
            return outcome.map(drop);
        }
        if !looks.is_needed() {
            python_print::later(py, looks.printed())?;
            let raises = outcome.err().map(|error| error.into_value(py).into_any());
            return go_on(rest, raises, (&state.slots()?, &places));
        }
        trial.undo(|| {
            watch.undo(&held)?;
            before.restore(py, tracing, &places)?;
            tables.undo()
        })?;
        tracing.trace.rewind(mark);
        tracing.go_on(stopped);
        tracing.empty_caches(cached, py)?;
        tracing.tries().set_staged(&code);
    }
    let host = PyHost::new(py, tracing.clone()).with_blocks(&blocks);
    let slots = state.slots()?;
    let _try = depth::InTry::enter();
    guarded(py, Code::BranchesDisagree, Some((&state, &slots)), &blocks, |watch| {
        fixpoint::staged(&host, watch, &state, &slots, &|state, slots| {
            let (caught, made, places, make) =
                (Caught::new(py, tracing), RefCell::default(), &*places, &catcher);
            let attempt = Parts { blocks, host: &host, watch, made, slots, places, make, caught, always };
            try_(&host, slots, state, &attempt)
        })
    })
}

/// Runs the rest of a `try` with these variables behind its body, which raises this.
fn go_on(
    rest: &Bound<'_, PyAny>,
    raises: Option<Py<PyAny>>,
    (slots, places): (&[Slot], &Places),
) -> PyResult<()> {
    let returning = Returning::of(slots, places, rest.py())?;
    rest.call1((Outcome::of(raises),))?;
    returning.check(rest.py())
}

/// A `try` that is in the graph.
struct Parts<'a, 'py> {
    blocks: [&'a Bound<'py, PyAny>; 2],
    host: &'a PyHost<'py>,
    /// Objects that the statement reaches where it begins.
    watch: &'a Watch<'py>,
    /// The objects that were made in the body.
    made: RefCell<Vec<Bound<'py, PyAny>>>,
    slots: &'a [Slot],
    places: &'a Places,
    make: &'a dyn Fn(bool) -> Arc<Catcher>,
    caught: Caught<'py>,
    /// True if the statement has a `finally`, behind which an exception goes on as it was raised.
    always: bool,
}

/// Exits of so many are told apart by their places, behind which each has a way of its own.
const MOST_PLACES: usize = 16;

impl<'py> Attempt<PyHost<'py>> for Parts<'_, 'py> {
    fn body(&self) -> Result<bool, Failed> {
        let catcher = (self.make)(true);
        catcher.reaches(self.watch.surroundings(&self.watch.enter()));
        self.caught.begin(catcher.clone());
        let ended = Tries::within(&self.caught.tracing, &catcher, || {
            let Err(error) = self.blocks[0].call0() else { return Ok(true) };
            if errors::is_refusal(self.host.py(), &error) {
                return Err(error);
            }
            // An exception that may leave the body before comes first, so this leaves it in the graph too.
            let comes_behind = !catcher.exits().is_empty();
            if self.caught.raised(&error, comes_behind)? { Ok(false) } else { Err(error) }
        });
        Ok(ended?)
    }

    fn exits(&self) -> Vec<(NodeId, Fails)> {
        self.caught.nodes()
    }

    fn replay(&self, exit: usize) -> Result<(), Failed> {
        Ok(self.caught.replay(exit, self.places)?)
    }

    fn shown(&self, exit: usize) -> Result<Value, Failed> {
        Ok(Arc::new(self.caught.shown(exit)?.unbind()))
    }

    fn same(&self, exit: usize, other: usize) -> bool {
        let tells = self.always && self.caught.nodes().len() <= MOST_PLACES;
        self.caught.same(exit, other) && (!tells || self.caught.place(exit) == self.caught.place(other))
    }

    fn simplify(&self) {
        self.caught.simplify();
    }

    fn uncaught(&self, exit: usize) -> Failed {
        self.caught.uncaught(exit)
    }

    fn objects(&self) -> Result<Value, Failed> {
        let py = self.host.py();
        let is_new = |object: &Bound<'py, PyAny>| !self.watch.holds(object);
        let objects = Objects::of(&self.places.get(py)?, &is_new)?;
        self.made.borrow_mut().extend(objects.made());
        Ok(Arc::new(objects.taken()?.into_any().unbind()))
    }

    fn give(&self, objects: &Value) -> Result<(), Failed> {
        Ok(snapshot::give(objects.bind(self.host.py()))?)
    }

    fn choosing(
        &self,
        state: &dyn State<PyHost<'py>>,
        slots: &[Slot],
        choose: Choosing<'_, PyHost<'py>>,
    ) -> Result<(), Failed> {
        choosing(self.host, self.made.take(), (state, slots), choose)
    }

    fn go_on(&self, raised: Option<(usize, &Value)>) -> Result<(), Failed> {
        let py = self.blocks[0].py();
        let raises = match raised {
            Some((exit, shown)) => Some(self.caught.error(exit, shown.bind(py))?.0),
            None => None,
        };
        Ok(go_on(self.blocks[1], raises, (self.slots, self.places))?)
    }
}

/// Chooses among the ways out of a body, each of which leaves something else in the objects that the body made.
fn choosing<'py>(
    host: &PyHost<'py>,
    made: Vec<Bound<'py, PyAny>>,
    (state, slots): (&dyn State<PyHost<'py>>, &[Slot]),
    choose: Choosing<'_, PyHost<'py>>,
) -> Result<(), Failed> {
    if made.is_empty() {
        return choose(state, slots);
    }
    let watch = Watch::of_objects(host.py(), made)?;
    let _lists = watch.lists();
    made_object::as_leaves(|| fixpoint::staged(host, &watch, state, slots, choose))?;
    Ok(watch.check_taken_back(Code::BranchesDisagree)?)
}
