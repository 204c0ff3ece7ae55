//! Options of a function that runs as graphs, and the observed types of its host code.

use super::copies::HostCode;
use super::numbers::Numbers;
use crate::function::signature::Signature;
use crate::function::trace_type::Part;
use crate::host_calls::observed::Observed;
use crate::iteration::loop_rolling::Roll;
use gw_runtime::Denormals;
use std::sync::{Arc, Mutex, PoisonError};

/// Options of the trace of a function.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) signature: Option<Signature>,
    pub(super) autograph: bool,
    /// The way in which loops over Python's numbers get into the graph.
    pub(super) roll: Roll,
    pub(super) reduce_retracing: bool,
    pub(super) follow_type_hints: bool,
    /// True if integer scalars are checked for overflow; where it is not said, the process's setting decides.
    pub(super) overflow: Option<bool>,
    /// The treatment of arguments that are Python numbers.
    pub(super) numbers: Numbers,
    /// The fate of calls of the host.
    pub(super) host_code: HostCode,
    /// The word for copies that nobody asked for; without one, the process's setting decides.
    pub(super) implicit_copies: Option<String>,
    /// The fate of subnormal numbers, if that is said.
    pub(super) denormals: Option<Denormals>,
}

/// The observed types of host code, for each trace type.
#[derive(Debug, Default)]
pub(super) struct Observations(Mutex<Vec<(Vec<Part>, Arc<Observed>)>>);

impl Observations {
    /// Those of a trace type, if there are some.
    pub(super) fn known(&self, parts: &[Part]) -> Option<Arc<Observed>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|(of, _)| of == parts).map(|(_, known)| Arc::clone(known))
    }

    /// Those of a trace type, which begin here if there are none.
    pub(super) fn of(&self, parts: &[Part]) -> Arc<Observed> {
        self.known(parts).unwrap_or_else(|| {
            let new = Arc::<Observed>::default();
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.push((parts.to_vec(), Arc::clone(&new)));
            new
        })
    }
}

impl Options {
    /// True if the integer scalars of a graph that is made now are checked for overflow.
    pub(super) fn checks_overflow(&self) -> bool {
        self.overflow.unwrap_or_else(graphwright::overflow::is_checked)
    }
}
