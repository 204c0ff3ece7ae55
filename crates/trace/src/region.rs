//! Runs a piece of the host's program into a region of its own.

use gw_ir::{RegionId, ValueId};
use gw_types::TensorType;

use crate::{Host, Trace};

/// Runs `body` with a new region open; the region is closed again whatever happens, for now without results.
pub(crate) fn into_region<H: Host, T>(
    host: &H,
    body: impl FnOnce() -> Result<T, H::Error>,
) -> Result<(RegionId, T), H::Error> {
    host.trace().build(|b| b.open());
    let outcome = body();
    let region = host.trace().build(|b| b.close(Vec::new()));
    outcome.map(|value| (region, value))
}

/// Goes on at the end of a closed region.
pub(crate) fn at_end_of<T, E>(
    trace: &Trace,
    region: RegionId,
    step: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    trace.build(|b| b.reopen(region));
    let outcome = step();
    trace.build(|b| b.close(Vec::new()));
    outcome
}

/// Gives a closed region its results.
pub(crate) fn set_results(trace: &Trace, region: RegionId, results: Vec<ValueId>) {
    trace.build(|b| {
        b.reopen(region);
        b.close(results);
    });
}

/// Adds parameters to the open region; the variables among their lengths become the region's own.
pub(crate) fn params(trace: &Trace, types: &[TensorType]) -> Vec<ValueId> {
    trace.build(|b| types.iter().map(|ty| b.param(ty.clone())).collect())
}
