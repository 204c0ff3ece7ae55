//! `graphwright.Variable`: a tensor that can be replaced by another of its type, by eager code and by graphs.
//!
//! A graph takes the values of the variables that it reads as parameters and gives new ones as results; the caller writes
//! them back. While a graph is built the value of a variable is a value of the graph, and each region carries it.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::Op;
use gw_runtime::Buffer;
use gw_trace::Staged;
use gw_trace::calls::Call;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefMethods;

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::session;
use crate::tape::recording;
use crate::values::tensor::Tensor;
use crate::values::turn::{self, Taken};
use crate::values::variable_cell::Cell;

/// Holds a tensor that can be replaced.
///
/// Example:
///   >>> v = gw.Variable([1.0, 2.0])
///   >>> v.assign_add([1.0, 1.0]).numpy().tolist()
///   [2.0, 3.0]
#[pyclass(frozen, weakref, subclass, dict, name = "Variable", module = "graphwright")]
#[derive(Debug)]
pub struct Variable {
    /// The value that it holds.
    pub cell: Arc<Cell>,
}

impl Variable {
    /// A variable for what another one holds while a graph is built.
    pub fn standing_in(&self) -> Self {
        Self { cell: Arc::new(self.cell.stand_in()) }
    }

    /// The user's variable that this is the cell of; another one with the same cell if that is gone.
    pub fn of_cell<'py>(py: Python<'py>, cell: &Arc<Cell>) -> PyResult<Bound<'py, PyAny>> {
        match cell.object.get().and_then(|object| object.bind(py).upgrade()) {
            Some(object) => Ok(object),
            None => Ok(Bound::new(py, Self { cell: cell.clone() })?.into_any()),
        }
    }

    /// Its value, a tensor.
    pub fn read<'py>(py: Python<'py>, variable: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        operands::tensor(py, variable.get().operand())
    }

    /// Its value: in the innermost graph of this thread, or now if there is none.
    pub fn operand(&self) -> Operand {
        match session::current() {
            Some(tracing) => {
                let staged = tracing.variable(&self.cell);
                let here = tracing.trace.lift(staged.value).unwrap_or(staged.value);
                let staged = Staged { value: here, ..staged };
                recording::met_in_graph(&self.cell, &tracing, staged);
                Operand::Staged(tracing, staged)
            }
            None => {
                let value = self.cell.value();
                recording::met(&self.cell, &value);
                Operand::Tensor(value)
            }
        }
    }

    /// The new value as one of the variable's type; GW206 if it is none.
    fn fitting<'py>(&self, py: Python<'py>, value: &Bound<'py, PyAny>) -> PyResult<Operand> {
        let operand = operands::operand(value)?;
        let weak = match &operand {
            Operand::Number(_) => true,
            Operand::Staged(_, staged) => staged.weak.is_some(),
            Operand::Tensor(_) => !value.is_instance_of::<Tensor>(),
        };
        let found = operand.dtype();
        let takes = found == self.cell.dtype || (weak && found.kind().is_in(self.cell.dtype.kind()));
        if !takes || !self.cell.takes(&operand.lengths()) {
            let message = format!(
                "`{}` is `{}` of shape {}, but is assigned {}",
                self.cell.name,
                self.cell.dtype.python_name(),
                self.cell.shape_text(),
                operands::describe_type(&operand)
            );
            let help = "cast or reshape the value, or make the variable with `shape=` and `None` for lengths that change";
            return Err(errors::here(py, Code::VariableType, message, help));
        }
        match operand {
            Operand::Tensor(buffer) if buffer.dtype() == self.cell.dtype => Ok(Operand::Tensor(buffer)),
            Operand::Tensor(buffer) => operands::held(py, &buffer, self.cell.dtype).map(Operand::Tensor),
            Operand::Number(n) => {
                let number = Buffer::scalar(n.wide_dtype(), n);
                operands::held(py, &number, self.cell.dtype).map(Operand::Tensor)
            }
            staged @ Operand::Staged(..) => operands::apply(py, &Call::Cast(self.cell.dtype), vec![staged]),
        }
    }

    /// Gives it a value of its type.
    pub fn put(&self, value: Operand) -> PyResult<()> {
        match (session::current(), value) {
            (Some(tracing), value) => tracing.set_variable(&self.cell, operands::stage(&tracing, &value)),
            (None, Operand::Tensor(buffer)) => drop(self.cell.replace(buffer)),
            (None, Operand::Number(_) | Operand::Staged(..)) => {
                return Err(errors::InternalError::new_err("a variable was given a value of no graph"));
            }
        }
        Ok(())
    }

    /// Gives it another value, or what an op makes of its own and the other one.
    pub fn change(&self, py: Python<'_>, op: Option<Op>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        let Some(op) = op else {
            let value = self.fitting(py, other)?;
            let _turn = self.turn(py)?;
            return self.put(value);
        };
        let other = operands::operand(other)?;
        let _turn = self.turn(py)?;
        let value = operands::apply(py, &Call::Binary(op), vec![self.operand(), other])?;
        self.put(self.fitting(py, &operands::tensor(py, value)?)?)
    }

    /// This thread's turn to read it and give it another value; in a graph, calls of the graph take it.
    pub fn turn(&self, py: Python<'_>) -> PyResult<Option<Taken<'_>>> {
        if session::is_tracing() {
            return Ok(None);
        }
        turn::take(py, std::iter::once(&self.cell.turn)).map(Some)
    }
}
