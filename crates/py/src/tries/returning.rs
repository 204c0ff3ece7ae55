//! The arrays that a function may return while its `finally`, or the exit of a manager, still runs: a store there changes
//! what was returned already.

use gw_base::Code;
use gw_trace::Slot;
use pyo3::prelude::*;

use crate::errors;
use crate::places::Places;
use crate::regions::maybes;
use crate::view::Root;

/// The arrays that were returned on some paths when a `finally` began.
#[derive(Debug)]
pub struct Returning(Vec<Root>);

impl Returning {
    /// Those among the variables of a `try` or `with`.
    pub fn of(slots: &[Slot], places: &Places, py: Python<'_>) -> PyResult<Self> {
        let mut roots = Vec::new();
        if slots.contains(&Slot::Returned) {
            let values = places.get(py)?;
            for (_, value) in slots.iter().zip(values).filter(|(slot, _)| **slot == Slot::Returned) {
                maybes(&value)?.iter().for_each(|maybe| roots.extend(maybe.get().roots()));
            }
        }
        Ok(Self(roots))
    }

    /// GW122 if one of them was stored into since.
    pub fn check(&self, py: Python<'_>) -> PyResult<()> {
        if !self.0.iter().any(Root::is_stale) {
            return Ok(());
        }
        let message = "an array is stored into in a `finally`, or where a `with` is left, that a `return` in the body gives \
                       on some paths";
        let help = "return a copy, `return x.copy()`, or store before the `return`";
        Err(errors::here(py, Code::StoreUnclear, message, help))
    }
}
