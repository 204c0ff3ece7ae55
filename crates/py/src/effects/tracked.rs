//! Variables while a graph is built: each is a parameter when it is first met, a value of the graph from then on, and a
//! result if the function assigns to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use gw_runtime::Buffer;
use gw_trace::Staged;

use crate::effects::captured_location::Taken;
use crate::session::{Feature, FeatureSlot, Tracing};
use crate::values::variable_cell::Cell;

/// Input of a graph besides the tensors among its arguments.
#[derive(Debug, Clone)]
pub enum Capture {
    /// A tensor.
    Tensor(Buffer),
    /// The value of a variable.
    Variable(Arc<Cell>),
    /// The value of the variable that is the argument of this number.
    Argument(usize),
    /// Content of a place around the function.
    Location(Taken),
}

/// The variables that a tracing has met.
#[derive(Debug, Default)]
pub struct Variables {
    tracked: Vec<Tracked>,
    /// For each variable among the arguments, what stands for it in the function, and the variable itself.
    arguments: Vec<(Arc<Cell>, Arc<Cell>)>,
    /// Arguments that the function also reaches by another way: the graph is only for these very variables.
    pinned: Vec<usize>,
    /// Location at which the function made a variable.
    made: Option<Option<Loc>>,
}

/// A variable while a graph is built.
#[derive(Debug, Clone)]
pub struct Tracked {
    /// Cell of the variable.
    pub cell: Arc<Cell>,
    /// Origin of its value, which is also the destination.
    pub home: Capture,
    /// Its value when the graph begins.
    pub first: Staged,
    /// Its value now.
    pub value: Staged,
    /// True if the function assigns to it.
    pub assigned: bool,
}

impl Feature for Mutex<Variables> {
    fn slot() -> FeatureSlot {
        FeatureSlot::Variables
    }

    fn forget(&self) {
        let variables = std::mem::take(&mut *self.lock().unwrap_or_else(PoisonError::into_inner));
        drop(variables);
    }
}

impl Tracing {
    fn variables(&self) -> MutexGuard<'_, Variables> {
        self.feature::<Mutex<Variables>>().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that `stands_in` is what the function is given for the variable `cell`, its next argument that is one.
    pub fn argument_variable(&self, stands_in: Arc<Cell>, cell: Arc<Cell>) {
        self.variables().arguments.push((stands_in, cell));
    }

    /// The value that a variable has now.
    pub fn variable(&self, cell: &Arc<Cell>) -> Staged {
        let at = self.track(cell);
        self.variables().tracked[at].value
    }

    /// Gives a variable another value.
    pub fn set_variable(&self, cell: &Arc<Cell>, value: Staged) {
        let at = self.track(cell);
        let tracked = &mut self.variables().tracked[at];
        tracked.value = value;
        tracked.assigned = true;
    }

    /// The position of a variable among those that this tracing has met.
    fn track(&self, cell: &Arc<Cell>) -> usize {
        let mut variables = self.variables();
        let argument = variables
            .arguments
            .iter()
            .position(|(stands_in, own)| Arc::ptr_eq(stands_in, cell) || Arc::ptr_eq(own, cell));
        let cell = match argument {
            Some(at) => {
                let (stands_in, own) = variables.arguments[at].clone();
                if Arc::ptr_eq(&own, cell) && !variables.pinned.contains(&at) {
                    variables.pinned.push(at);
                }
                stands_in
            }
            None => cell.clone(),
        };
        if let Some(known) = variables.tracked.iter().position(|t| Arc::ptr_eq(&t.cell, &cell)) {
            return known;
        }
        let home = argument.map_or_else(|| Capture::Variable(cell.clone()), Capture::Argument);
        let value = self.trace.capture(cell.dtype, &cell.lengths());
        self.add_capture(home.clone(), value);
        variables.tracked.push(Tracked { cell, home, first: value, value, assigned: false });
        variables.tracked.len() - 1
    }

    /// Origin of a variable's value; the variable need not have been met.
    pub fn home(&self, cell: &Arc<Cell>) -> Capture {
        let arguments = &self.variables().arguments;
        let is_it = |(stands_in, own): &(Arc<Cell>, Arc<Cell>)| {
            Arc::ptr_eq(stands_in, cell) || Arc::ptr_eq(own, cell)
        };
        let argument = arguments.iter().position(is_it);
        argument.map_or_else(|| Capture::Variable(cell.clone()), Capture::Argument)
    }

    /// The variables met so far, with their values now.
    pub fn tracked(&self) -> Vec<Tracked> {
        self.variables().tracked.clone()
    }

    /// Gives the variables met first these values, what a region leaves or begins with, and the others those that they
    /// had when the graph began.
    pub fn restore(&self, values: &[Staged]) {
        let mut values = values.iter();
        for tracked in &mut self.variables().tracked {
            tracked.value = *values.next().unwrap_or(&tracked.first);
        }
    }

    /// The arguments that the graph takes only if they are these very variables.
    pub fn pinned(&self) -> Vec<(usize, Arc<Cell>)> {
        let variables = self.variables();
        variables.pinned.iter().map(|&at| (at, variables.arguments[at].1.clone())).collect()
    }

    /// The variables whose values may have any number of axes, with how many they had.
    pub fn ranks(&self) -> Vec<(Arc<Cell>, usize)> {
        let tracked = self.tracked().into_iter().filter(|t| t.cell.is_unranked());
        tracked.map(|t| (t.cell, self.trace.ty(t.first.value).rank())).collect()
    }

    /// Remembers that the function makes a variable, and where.
    pub fn note_variable_made(&self, place: Option<Loc>) {
        self.variables().made.get_or_insert(place);
    }

    /// Location at which the function made a variable, if it did.
    pub fn variable_made(&self) -> Option<Option<Loc>> {
        self.variables().made.clone()
    }
}
