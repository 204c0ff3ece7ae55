//! Loops over Python's numbers that put operations into the graph: after the first turns the rest becomes one loop of the
//! graph, if its body can be staged. Otherwise all is as it was before, and the loop is unrolled.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use gw_trace::{Seen, go_on};
use gw_types::Scalar;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyRange, PySlice, PyString};

use crate::containers::lists::placed;
use crate::effects::places::PyState;
use crate::effects::snapshot::Snapshot;
use crate::effects::watch;
use crate::exceptions::raised;
use crate::iteration::consumers;
use crate::iteration::loop_settings::{self, Watch};
use crate::iteration::staged_for::staged_for;
use crate::operators::builtin_table::rows;
use crate::operators::statements::graph_while;
use crate::session::{self, Feature, FeatureSlot, Tracing, depth};
use crate::values::tensor::Tensor;

/// A loop that would put fewer operations into the graph is unrolled.
const FEW_OPERATIONS: usize = 500;

/// A loop with fewer turns to come is unrolled.
const FEW_TURNS: usize = 4;

/// A `while` is tried after so many turns that each put operations into the graph.
const TURNS: usize = 8;

/// After so many turns that added nothing to the graph, in blocks that a tensor decides, loops there are tried too: Python may
/// never run them.
const MANY_IDLE: usize = 1 << 16;

/// The way in which a function's loops over Python's numbers get into its graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Roll {
    /// Turn by turn.
    Never,
    /// As loops where they are long and their bodies can be staged.
    #[default]
    Auto,
    /// Loops over a `range` as loops, others as with `Auto`.
    Always,
}

impl Roll {
    /// The option as it is written: `True`, `False` or "auto".
    pub fn read(said: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(said) = said.extract::<bool>() {
            return Ok(if said { Self::Always } else { Self::Never });
        }
        match said.cast::<PyString>().is_ok_and(|said| said.to_string_lossy() == "auto") {
            true => Ok(Self::Auto),
            false => {
                Err(PyValueError::new_err(format!("`roll` is True, False or \"auto\", not {}", said.repr()?)))
            }
        }
    }
}

/// The loops of one tracing that were tried.
#[derive(Debug, Default)]
pub struct Rolling {
    mode: Roll,
    /// By the address of the code of the body: true if it could be staged.
    tried: Mutex<HashMap<usize, bool>>,
    /// The turns of Python loops in blocks that a tensor decides that added nothing to the graph.
    idle: AtomicUsize,
}

impl Feature for Rolling {
    fn slot() -> FeatureSlot {
        FeatureSlot::Rolling
    }
}

impl Tracing {
    /// The loops over Python's numbers that were tried.
    pub fn rolling(&self) -> &Rolling {
        self.feature()
    }
}

impl Rolling {
    /// Of a tracing that has met no loop.
    pub fn new(mode: Roll) -> Self {
        Self { mode, ..Self::default() }
    }

    /// True if every loop over a `range` is one of the graph.
    pub fn is_always(&self) -> bool {
        self.mode == Roll::Always
    }

    /// Counts a turn that added nothing to the graph; gives the number of such turns.
    pub fn count_idle(&self) -> usize {
        self.idle.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// True if there were so many that a loop is tried as one of the graph even if it adds nothing to it.
    fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) >= MANY_IDLE && depth::is_decided()
    }

    fn known(&self, body: usize) -> Option<bool> {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).get(&body).copied()
    }

    fn learn(&self, body: usize, succeeded: bool) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).insert(body, succeeded);
    }
}

/// A loop that may become one of the graph.
pub struct Candidate<'a, 'py> {
    tracing: Arc<Tracing>,
    body: &'a Bound<'py, PyAny>,
    code: usize,
    state: &'a PyState<'a, 'py>,
    /// The numbers of a `for`.
    range: Option<&'a Bound<'py, PyRange>>,
}

impl<'a, 'py> Candidate<'a, 'py> {
    /// A `for` over a `range`; none for any other loop, and where a loop with this body was tried in vain.
    pub fn of_for(
        iterable: &'a Bound<'py, PyAny>,
        body: &'a Bound<'py, PyAny>,
        state: &'a PyState<'a, 'py>,
    ) -> PyResult<Option<Self>> {
        match iterable.cast_exact::<PyRange>() {
            Ok(range) => Self::of(body, state, Some(range)),
            Err(_) => Ok(None),
        }
    }

    /// A `while`.
    pub fn of_while(body: &'a Bound<'py, PyAny>, state: &'a PyState<'a, 'py>) -> PyResult<Option<Self>> {
        Self::of(body, state, None)
    }

    fn of(
        body: &'a Bound<'py, PyAny>,
        state: &'a PyState<'a, 'py>,
        range: Option<&'a Bound<'py, PyRange>>,
    ) -> PyResult<Option<Self>> {
        let Some(tracing) = session::current().filter(|t| t.rolling().mode != Roll::Never) else {
            return Ok(None);
        };
        let Some(code) = body.getattr_opt(intern!(body.py(), "__code__"))? else { return Ok(None) };
        let code = code.as_ptr() as usize;
        Ok((tracing.rolling().known(code) != Some(false)).then_some(Self {
            tracing,
            body,
            code,
            state,
            range,
        }))
    }

    fn is_known(&self) -> bool {
        self.tracing.rolling().known(self.code) == Some(true)
    }

    /// Makes the turns of a `for` from number `turn` on a loop of the graph, if that pays and is possible.
    pub fn rest_of_for(
        &self,
        turn: usize,
        watch: &Watch,
        extra_test: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<bool> {
        let Some(range) = self.range else { return Ok(false) };
        let left = range.len()?.saturating_sub(turn);
        let pays = self.is_known()
            || self.tracing.rolling().is_idle()
            || watch.last().saturating_mul(left) >= FEW_OPERATIONS;
        if left < FEW_TURNS || !pays {
            return Ok(false);
        }
        let rest = range.get_item(PySlice::new(range.py(), turn.cast_signed(), isize::MAX, 1))?;
        let blocks: Vec<_> = [Some(self.body), extra_test].into_iter().flatten().collect();
        self.attempt(&blocks, || {
            let staged = loop_settings::numbers(&self.tracing, &rest)?;
            let numbers = Bound::new(rest.py(), Tensor::staged(self.tracing.clone(), staged))?;
            match rows(numbers.as_any())? {
                Some(rows) => staged_for(rows.cast()?, extra_test, self.body, self.state).map(|()| true),
                None => Ok(false),
            }
        })
    }

    /// Makes what is left of a `while`, whose test has just been true, a loop of the graph, if that pays and is possible.
    pub fn rest_of_while(&self, watch: &Watch, test: &Bound<'py, PyAny>) -> PyResult<bool> {
        if !self.is_known() && watch.turns() < TURNS && !self.tracing.rolling().is_idle() {
            return Ok(false);
        }
        let blocks = [test, self.body];
        self.attempt(&blocks, || {
            let go = go_on(&self.tracing.trace, Seen::Number(Scalar::Bool(true)));
            let Some(go) = go else { return Ok(false) };
            graph_while(self.tracing.clone(), go, blocks, self.state, &blocks, true).map(|()| true)
        })
    }

    /// Stages a loop; if that fails, or is refused, all is as it was before.
    fn attempt(
        &self,
        blocks: &[&Bound<'py, PyAny>],
        stage: impl FnOnce() -> PyResult<bool>,
    ) -> PyResult<bool> {
        let (py, tracing) = (self.body.py(), &self.tracing);
        let places = Arc::new(self.state.shared()?);
        let all = consumers::with_consumers(blocks, py);
        let reached = watch::Watch::over(py, &all.iter().collect::<Vec<_>>())?;
        let (held, _lists) = (reached.enter(), reached.lists());
        let before = Snapshot::now(py, tracing, &places, Vec::new())?;
        let (mark, stopped) = (tracing.trace.build(|b| b.mark()), tracing.stopped());
        let trial = placed::Trial::begin(py, tracing)?;
        tracing.regions().enter_call(tracing, false);
        let staged = stage();
        let passes = staged.as_ref().is_err_and(|error| raised::is_passing(py, error));
        let refused = stopped.is_none() && tracing.stopped().is_some();
        let succeeded = matches!(staged, Ok(true)) && !refused;
        tracing.regions().leave_call(!succeeded);
        if succeeded || passes {
            self.tracing.rolling().learn(self.code, succeeded);
            return staged;
        }
        tracing.rolling().learn(self.code, false);
        trial.undo(|| {
            reached.undo(&held)?;
            before.restore(py, tracing, &places)
        })?;
        tracing.trace.rewind(mark);
        tracing.go_on(stopped);
        Ok(false)
    }
}
