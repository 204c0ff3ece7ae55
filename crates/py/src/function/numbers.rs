//! Python numbers as arguments: each value has a graph of its own, or the graph takes them as numbers that stay Python's.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use gw_types::Scalar;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

use super::Function;
use crate::function::concrete::CompiledTrace;
use crate::function::parameters::Call;
use crate::function::trace_type::Arguments;
use crate::values::array;

/// The treatment of arguments that are Python numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// They count by value.
    Static,
    /// They are values of the graph.
    Staged,
    /// They count by value until a second one comes, and are values of the graph from then on, if the body takes them.
    Auto,
}

impl Numbers {
    /// By what the option of `gw.function` says.
    pub fn of(word: &str) -> PyResult<Numbers> {
        match word {
            "static" => Ok(Numbers::Static),
            "staged" => Ok(Numbers::Staged),
            "auto" => Ok(Numbers::Auto),
            other => {
                let message = format!("python_numbers is \"static\", \"staged\" or \"auto\", not {other:?}");
                Err(PyValueError::new_err(message))
            }
        }
    }
}

/// Decision about a function of [`Numbers::Auto`].
#[derive(Debug, Default)]
pub struct Decided(AtomicU8);

const STAGED: u8 = 1;
const REFUSED: u8 = 2;

impl Decided {
    fn get(&self) -> u8 {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self, to: u8) {
        self.0.store(to, Ordering::Release);
    }
}

impl Function {
    /// True if results that are Python's numbers come back as such.
    pub(super) fn returns_numbers(&self) -> bool {
        self.shared.options.numbers != Numbers::Static
    }

    /// The argument at a position as a number that the graph takes, if it is one; what was left to its default counts by value.
    pub(super) fn staged_number(&self, at: usize, object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
        let takes = match self.shared.options.numbers {
            Numbers::Static => false,
            Numbers::Staged => true,
            Numbers::Auto => self.decided.get() == STAGED,
        };
        if !takes || self.spec(at).is_some() || self.parameters(object.py())?.is_default(at, object) {
            return Ok(None);
        }
        array::number(object)
    }

    /// The graph that takes the numbers of a call, if that differs from another call in nothing else and the body can be
    /// staged so; the reason, if it cannot, is told by `explain_retraces`.
    pub(super) fn staged_at_second(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<Option<(Arc<CompiledTrace>, Arguments)>> {
        let undecided = self.shared.options.numbers == Numbers::Auto && self.decided.get() == 0;
        if !undecided || !self.traces.differ_in_numbers(&arguments.parts) {
            return Ok(None);
        }
        self.decided.set(STAGED);
        let made = self.arguments(py, call).and_then(|staged| {
            let made = self.make_kept(py, call, &staged)?;
            Ok((made, staged))
        });
        match made {
            Err(error) if error.is_instance_of::<PyException>(py) => {
                self.decided.set(REFUSED);
                let text = error.value(py).to_string();
                let first = text.lines().next().unwrap_or_default();
                self.traces.remember(format!(
                    "the Python numbers among the arguments keep a graph for each value, since the body does not take \
                     them as values of the graph: {first}"
                ));
                Ok(None)
            }
            made => made.map(Some),
        }
    }
}
