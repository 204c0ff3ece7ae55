//! Messages about the work itself, to the logger `graphwright`: nothing unless it was asked for, and never what tensors
//! hold.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use pyo3::prelude::*;

fn level() -> &'static AtomicU8 {
    static LEVEL: OnceLock<AtomicU8> = OnceLock::new();
    LEVEL.get_or_init(|| AtomicU8::new(graphwright::config::config().verbosity))
}

/// The functions that are converted and traced, and those that stay as they are.
pub const STEPS: u8 = 1;
/// The lowered Python too.
pub const CODE: u8 = 3;

/// True if nothing is said at all.
pub fn is_silent() -> bool {
    level().load(Ordering::Relaxed) == 0
}

/// Says something at a level.
pub fn say(py: Python<'_>, least: u8, text: impl FnOnce() -> PyResult<String>) -> PyResult<()> {
    if level().load(Ordering::Relaxed) < least {
        return Ok(());
    }
    let logger = py.import("logging")?.call_method1("getLogger", ("graphwright",))?;
    logger.call_method1("info", ("%s", text()?)).map(drop)
}

/// The level of messages: 0 for nothing, 1 for functions, 3 for their lowered Python.
#[pyfunction]
pub fn verbosity() -> u8 {
    level().load(Ordering::Relaxed)
}

/// Says how much is to be said.
#[pyfunction]
pub fn set_verbosity(to: u8) {
    level().store(to, Ordering::Relaxed);
}
