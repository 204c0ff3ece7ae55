//! Objects that stand for elements of lists in the graph, which hold what the elements are made of: `p = ps[i]`, `for p in ps`.
//! A change of such an object, `p.x += 1`, goes back into the list ([`carry_back`]) and into other objects that may stand for the
//! same element.
//!
//! That is right as long as each element is in one place: an object that entered lists twice, or rows that another list holds
//! too, leave open which elements a change concerns (GW122, [`clear`]).

mod carry;
mod clear;
mod entering;
mod outside;
mod place;
mod registry;

use gw_ir::ValueId;
use gw_trace::objects;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::containers::list_object::ListObject;
use crate::containers::lists::row_objects;
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::host::structure::{self, Kind};
use crate::session;

pub use carry::{carry_back, is_read};
pub use clear::{is_moved, is_one};
pub use entering::{Branches, Comprehending, are_copied, enters, is_copied, is_walked};
pub use outside::{Outside, Trial};
use place::Place;
pub use registry::{Placed, Quiet};

/// True of a list in the graph whose elements are objects, which stand in it as rows from now on.
#[pyfunction]
pub fn is_of_objects(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let (Some(list), Some(tracing)) = (row_objects::staged(value), session::current()) else {
        return Ok(false);
    };
    let (host, list) = (PyHost::anywhere(value.py(), tracing), ListObject::new(&list));
    let held = objects::elements(&host, &list)?;
    let are_objects = held.is_some_and(|held| matches!(&*held.element, Skeleton::Node(Kind::Fields(..), _)));
    if are_objects {
        objects::settled(&host, &list)?;
    }
    Ok(are_objects)
}

/// An object stands for the element of a list at the position that `at` emits.
pub fn stands_for(
    object: &Bound<'_, PyAny>,
    list: &Bound<'_, PyList>,
    at: &dyn Fn() -> ValueId,
) -> PyResult<()> {
    let Some(tracing) = session::current() else { return Ok(()) };
    let is_object = matches!(structure::open(object)?, Some((Kind::Fields(..), _)));
    if !is_object || !tracing.lists().chosen.is_empty() {
        return Ok(());
    }
    let Some(place) = Place::new(object, list, at, &tracing)? else { return Ok(()) };
    tracing.lists().placed.push(place);
    Ok(())
}
