//! `try` and `leave`: a region is not left, but what stands behind a `leave` in it counts no more.
//!
//! A `leave` keeps its values and gives the status one of its own, so that loops end and nothing behind it fails; the end of
//! the `try` takes the values that were kept.

use gw_ir::Node;
use gw_types::{DType, TensorType};

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::may_fail;
use crate::refused::{Made, Refused};
use crate::threads::LEFT;

/// The values of its region, or those that were kept.
pub(crate) fn attempt(to: &mut Lowering<'_>, node: &Node, _: &[Item]) -> Made<Vec<Item>> {
    let region = node.regions[0];
    if !may_fail::leaves(to.graph, region) {
        return to.region(region);
    }
    let start = to.status.clone();
    let types = node.results.iter().map(|&value| kept_type(to.graph.ty(value)));
    let types = types.collect::<Option<Vec<Ty>>>().unwrap_or_default();
    let empty = types.into_iter().map(|ty| Item { known: None, ..to.text.integer(0, ty) }).collect();
    let outer = std::mem::replace(&mut to.kept, empty);
    let given = to.region(region);
    let kept = std::mem::replace(&mut to.kept, outer);
    let given = given?;
    if to.status == start {
        return Ok(given);
    }
    let status = to.status();
    let left = to.text.integer(LEFT, Ty::scalar(DType::I64));
    let is_left = to.text.compare("EQ", &status, &left);
    let pairs = kept.iter().zip(&given);
    let results = pairs.map(|(kept, given)| match kept.ty == given.ty {
        true => Ok(to.text.select(&is_left, kept, given)),
        false => Err(misfit()),
    });
    let results = results.collect::<Made<Vec<Item>>>()?;
    to.status = match (start, may_fail::fails(to.graph, region)) {
        (None, false) => None,
        (None, true) => {
            let none = to.text.integer(0, Ty::scalar(DType::I64));
            Some(to.text.select(&is_left, &none, &status))
        }
        // A `try` that begins where something has failed, or an outer one has been left, changes nothing of that.
        (Some(start), _) => {
            let is_well = to.is_well(&start);
            let ends = to.text.select(&is_left, &start, &status);
            Some(to.text.select(&is_well, &ends, &start))
        }
    };
    Ok(results)
}

/// Lengths are told before the region is written, by the type of the result.
fn kept_type(ty: &TensorType) -> Option<Ty> {
    Some(Ty::new(ty.dtype, ty.shape.lengths()?))
}

fn misfit() -> Refused {
    Refused::new("it is left with arrays of other lengths than it gives at its end")
}

/// Keeps the values, unless the truth value is true or something has happened before.
pub(crate) fn leave(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Vec<Item>> {
    let (ok, values) = (&args[0], &args[1..]);
    if ok.known == Some(1) {
        return Ok(Vec::new());
    }
    let stays = match to.status.clone() {
        None => ok.clone(),
        Some(status) => {
            let is_well = to.is_well(&status);
            let is_over = to.text.same("stablehlo.not", &[&is_well]);
            to.text.same("stablehlo.or", &[ok, &is_over])
        }
    };
    if to.kept.len() != values.len() {
        return Err(Refused::new("the `try` around it gives arrays of lengths that are open"));
    }
    if !to.kept.iter().zip(values).all(|(kept, value)| kept.ty == value.ty) {
        return Err(misfit());
    }
    let before = std::mem::take(&mut to.kept);
    to.kept = before.iter().zip(values).map(|(kept, value)| to.text.select(&stays, kept, value)).collect();
    to.stop(ok, LEFT);
    Ok(Vec::new())
}
