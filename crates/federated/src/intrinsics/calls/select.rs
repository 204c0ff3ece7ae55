//! Clients select slices of a value of the server by keys.

use super::caller::Caller;
use crate::blocks::Block;
use crate::dtype::DType;
use crate::intrinsics::make;
use crate::intrinsics::table::Intrinsic;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Interns, Kind, Type};
use crate::values::ensure_federated;

/// Selects slices; the server may learn the keys.
///
/// # Errors
///
/// A `TypeError` that names the parameter that does not fit.
pub fn federated_select<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    select(caller, Intrinsic::Select)
}

/// Selects slices; the server does not learn the keys.
///
/// # Errors
///
/// A `TypeError` that names the parameter that does not fit.
pub fn federated_secure_select<H: Interns, C: Caller<H>>(caller: &mut C) -> Result<Block<H>, C::Error> {
    select(caller, Intrinsic::SecureSelect)
}

fn select<H: Interns, C: Caller<H>>(caller: &mut C, intrinsic: Intrinsic) -> Result<Block<H>, C::Error> {
    let keys = caller.argument(0, None)?;
    check_keys(intrinsic, keys.ty())?;
    let max_key = caller.argument(1, None)?;
    let key = Type::scalar(DType::Int32);
    let expected = Type::at_server(key.clone())?;
    if !expected.is_assignable_from(max_key.ty())? {
        let reason = format!("{} is not assignable to {expected}.", max_key.ty());
        Err(mismatch(intrinsic, "max_key", "a 32-bit integer placed at server", &reason))?;
    }
    let held = ensure_federated(caller.argument(2, None)?, None, "server_val")?;
    if held.ty().federated().is_none_or(|federated| federated.placement != Placement::Server) {
        let reason = format!("found a value of type {}.", held.ty());
        Err(mismatch(intrinsic, "server_val", "a value placed at server", &reason))?;
    }
    let parameter = Type::tuple([held.ty().unplaced().clone(), key]);
    let function = caller.argument(3, Some(&parameter))?;
    check_function(intrinsic, &parameter, function.ty())?;
    caller.bind(make::select(intrinsic, keys, max_key, held, function)?)
}

fn check_keys<H: Interns>(intrinsic: Intrinsic, ty: &Type<H>) -> Allowed<()> {
    let at_clients = ty.federated().filter(|federated| federated.placement == Placement::Clients);
    let Some(federated) = at_clients else {
        let reason = format!("found value of type {ty}");
        return Err(mismatch(intrinsic, "client_keys", "a federated value placed at clients", &reason));
    };
    let found = matches!(federated.member.kind(), Kind::Tensor(DType::Int32, Some(sizes)) if matches!(**sizes, [Some(_)]));
    if found {
        return Ok(());
    }
    let wanted = "a rank-1 tensor with statically known shape and `np.int32` dtype";
    let reason = format!("found value of type {}", federated.member);
    Err(mismatch(intrinsic, "client_keys.type_signature.member", wanted, &reason))
}

fn check_function<H: Interns>(intrinsic: Intrinsic, parameter: &Type<H>, ty: &Type<H>) -> Allowed<()> {
    if let Some((Some(declared), _)) = ty.function()
        && declared.is_assignable_from(parameter)?
    {
        return Ok(());
    }
    let reason = format!("{ty} is not assignable to ({parameter} -> U).");
    Err(mismatch(intrinsic, "select_fn", "a function from state and key to result", &reason))
}

fn mismatch(intrinsic: Intrinsic, name: &str, wanted: &str, reason: &str) -> Refusal {
    Refusal::wrong_type(format!("Expected `{}` parameter `{name}` to be {wanted}, {reason}", intrinsic.uri()))
}
