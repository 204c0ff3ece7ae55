//! Loops over generators that are being run, and `with` statements with such managers: the code that runs in a generator gives
//! what it yields to the innermost of them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_trace::Slot;
use pyo3::prelude::*;

use crate::effects::places::Places;
use crate::session::{self, Feature, FeatureSlot, Tracing};

/// One of them.
pub trait Consumer: std::fmt::Debug + Send + Sync {
    /// Its variables, as the user knows them, and where they are.
    fn variables(&self) -> (&[Slot], &Places);

    /// The blocks that it runs.
    fn blocks(&self) -> Vec<&Py<PyAny>>;

    /// The number of bodies with handlers around it, which are outside of the generator.
    fn bodies_around(&self) -> usize;

    /// Takes what the generator yields; says whether the loop stops then.
    ///
    /// # Errors
    /// Exceptions of its body.
    fn take<'py>(&self, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>>;
}

/// The loops over generators that are being run, and statements with such managers, the outermost first.
#[derive(Debug, Default)]
pub struct Consumers(Mutex<Vec<Arc<dyn Consumer>>>);

impl Feature for Consumers {
    fn slot() -> FeatureSlot {
        FeatureSlot::Consumers
    }
}

impl Tracing {
    /// The loops over generators that are being run.
    pub fn consumers(&self) -> &Consumers {
        self.feature()
    }
}

impl Consumers {
    /// All of them, to be changed.
    pub fn lock(&self) -> MutexGuard<'_, Vec<Arc<dyn Consumer>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of bodies with handlers that are outside of the generator whose code runs now; none where that of no generator does.
    pub fn bodies_around(&self) -> Option<usize> {
        self.lock().last().map(|consumer| consumer.bodies_around())
    }

    /// Runs a function that none of them belongs to: it yields nothing to the loops around the call, so nothing in it changes
    /// their variables.
    pub fn apart<T>(&self, run: impl FnOnce() -> T) -> T {
        let around = std::mem::take(&mut *self.lock());
        let result = run();
        *self.lock() = around;
        result
    }
}

/// The loops over generators around the code that runs now, the outermost first.
pub fn consumers() -> Vec<Arc<dyn Consumer>> {
    session::current().map_or_else(Vec::new, |tracing| tracing.consumers().lock().clone())
}

/// The blocks of a statement, and of the loops over generators around it, which it may run.
pub fn with_consumers<'py>(blocks: &[&Bound<'py, PyAny>], py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
    let all = consumers();
    let others = all.iter().flat_map(|consumer| consumer.blocks());
    blocks.iter().map(|block| (*block).clone()).chain(others.map(|block| block.bind(py).clone())).collect()
}
