//! Calls of intrinsics: each function makes the intrinsic of the type that its arguments ask for, and the call.

use super::table::{Intrinsic, check_type};
use crate::blocks::Block;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};
use crate::types::analysis::strip_placement;
use crate::types::{Federated, Field, Fields, Interns, Kind, Parts, Type};

/// Makes the call of an intrinsic of the result `result` with one argument of the type `parameter`.
fn call<H: Interns>(
    intrinsic: Intrinsic,
    parameter: Type<H>,
    result: Type<H>,
    argument: Block<H>,
) -> Allowed<Block<H>> {
    let ty = Type::function_of(Some(parameter), result)?;
    check_type(intrinsic.uri(), &ty)?;
    Block::call(Block::intrinsic(intrinsic.uri(), ty), Some(argument))
}

/// Returns the parts of a type that is known to be federated.
fn placed<H: Interns>(block: &Block<H>) -> Allowed<&Federated<H>> {
    let ty = block.ty();
    ty.federated().ok_or_else(|| Refusal::wrong_value(format!("Expected a `FederatedType`, found {ty}.")))
}

/// Returns the parameter and the result of a block that is known to be a function.
fn function_of<H: Interns>(block: &Block<H>) -> Allowed<(Option<&Type<H>>, &Type<H>)> {
    let ty = block.ty();
    ty.function().ok_or_else(|| Refusal::wrong_value(format!("Expected a `FunctionType`, found {ty}.")))
}

/// Returns the federated type of a block with values that may differ.
fn differing<H: Interns>(block: &Block<H>) -> Allowed<Type<H>> {
    let federated = placed(block)?;
    Type::federated_of(federated.member.clone(), federated.placement, Some(false))
}

/// Makes an aggregation of one value whose result has the value's type.
pub fn reduce<H: Interns>(intrinsic: Intrinsic, value: Block<H>) -> Allowed<Block<H>> {
    let result = Type::at_server(placed(&value)?.member.clone())?;
    call(intrinsic, differing(&value)?, result, value)
}

/// Makes an aggregation of a value and something beside it whose result has the value's type.
pub fn reduce_with<H: Interns>(intrinsic: Intrinsic, value: Block<H>, beside: Block<H>) -> Allowed<Block<H>> {
    let result = Type::at_server(placed(&value)?.member.clone())?;
    let beside_type =
        if beside.ty().federated().is_some() { differing(&beside)? } else { beside.ty().clone() };
    let parameter = Type::tuple([differing(&value)?, beside_type]);
    call(intrinsic, parameter, result, Block::tuple([value, beside])?)
}

/// The five arguments of an aggregation.
pub struct Aggregation<H: Interns> {
    /// The value at the clients.
    pub value: Block<H>,
    /// The accumulator before the first value.
    pub zero: Block<H>,
    /// Takes an accumulator and a value.
    pub accumulate: Block<H>,
    /// Takes two accumulators.
    pub merge: Block<H>,
    /// Takes the last accumulator.
    pub report: Block<H>,
}

/// Makes an aggregation.
pub fn aggregate<H: Interns>(given: Aggregation<H>) -> Allowed<Block<H>> {
    let member = placed(&given.value)?.member.clone();
    let accumulator = first_parameter(&given.accumulate)?;
    accumulator.check_assignable_from(given.zero.ty())?;
    let result = Type::at_server(function_of(&given.report)?.1.clone())?;
    let accumulate = unname_parameter(given.accumulate, Type::tuple([accumulator.clone(), member]))?;
    let merge = unname_parameter(given.merge, Type::tuple([accumulator.clone(), accumulator.clone()]))?;
    let functions = [accumulate.ty().clone(), merge.ty().clone(), given.report.ty().clone()];
    let parameter = Type::tuple([differing(&given.value)?, accumulator].into_iter().chain(functions));
    let arguments = Block::tuple([given.value, given.zero, accumulate, merge, given.report])?;
    call(Intrinsic::Aggregate, parameter, result, arguments)
}

/// Returns the type of the first element of the parameter of a function.
pub fn first_parameter<H: Interns>(function: &Block<H>) -> Allowed<Type<H>> {
    let fields = function_of(function)?.0.and_then(Type::fields);
    let first = fields.and_then(|fields| fields.elements.first());
    first.map(|field| field.ty.clone()).ok_or_else(|| {
        let found = function.ty();
        Refusal::wrong_type(format!(
            "Expected a function of two parameters, found a function of type {found}."
        ))
    })
}

/// Wraps a function whose parameter has named elements in one whose parameter has none.
fn unname_parameter<H: Interns>(function: Block<H>, unnamed: Type<H>) -> Allowed<Block<H>> {
    let fields = function_of(&function)?.0.and_then(Type::fields);
    if fields.is_none_or(|fields| fields.names().next().is_none()) {
        return Ok(function);
    }
    let argument = Block::reference("a", unnamed.clone(), None);
    Block::lambda(Some(("a".into(), unnamed)), Block::call(function, Some(argument))?)
}

/// Makes a broadcast.
pub fn broadcast<H: Interns>(value: Block<H>) -> Allowed<Block<H>> {
    let result = Type::federated_of(placed(&value)?.member.clone(), Placement::Clients, Some(true))?;
    call(Intrinsic::Broadcast, value.ty().clone(), result, value)
}

/// Makes the evaluation of a function without a parameter at each participant.
pub fn eval<H: Interns>(function: Block<H>, placement: Placement) -> Allowed<Block<H>> {
    let intrinsic = match placement {
        Placement::Clients => Intrinsic::EvalAtClients,
        Placement::Server => Intrinsic::EvalAtServer,
    };
    let result = Type::federated_of(function_of(&function)?.1.clone(), placement, None)?;
    call(intrinsic, function.ty().clone(), result, function)
}

/// Makes the application of a function to a value at the server.
pub fn apply<H: Interns>(function: Block<H>, value: Block<H>) -> Allowed<Block<H>> {
    let result = Type::at_server(function_of(&function)?.1.clone())?;
    let parameter = Type::tuple([function.ty().clone(), value.ty().clone()]);
    call(Intrinsic::Apply, parameter, result, Block::tuple([function, value])?)
}

/// Makes the application of a function to the value of each client.
pub fn map<H: Interns>(function: Block<H>, value: Block<H>) -> Allowed<Block<H>> {
    let result = Type::at_clients(function_of(&function)?.1.clone())?;
    let parameter = Type::tuple([function.ty().clone(), Type::at_clients(placed(&value)?.member.clone())?]);
    call(Intrinsic::Map, parameter, result, Block::tuple([function, value])?)
}

/// Makes the application of a function to a value that all clients share.
pub fn map_all_equal<H: Interns>(function: Block<H>, value: Block<H>) -> Allowed<Block<H>> {
    let equal = |member: &Type<H>| Type::federated_of(member.clone(), Placement::Clients, Some(true));
    let result = equal(function_of(&function)?.1)?;
    let parameter = Type::tuple([function.ty().clone(), equal(&placed(&value)?.member)?]);
    call(Intrinsic::MapAllEqual, parameter, result, Block::tuple([function, value])?)
}

/// Makes the application of a function where the value is.
pub fn map_or_apply<H: Interns>(function: Block<H>, value: Block<H>) -> Allowed<Block<H>> {
    let federated = placed(&value)?;
    match (federated.placement, federated.all_equal) {
        (Placement::Clients, true) => map_all_equal(function, value),
        (Placement::Clients, false) => map(function, value),
        (Placement::Server, _) => apply(function, value),
    }
}

/// Makes a constant that all participants share.
pub fn value<H: Interns>(constant: Block<H>, placement: Placement) -> Allowed<Block<H>> {
    let intrinsic = match placement {
        Placement::Clients => Intrinsic::ValueAtClients,
        Placement::Server => Intrinsic::ValueAtServer,
    };
    let result = Type::federated_of(constant.ty().clone(), placement, Some(true))?;
    call(intrinsic, constant.ty().clone(), result, constant)
}

/// Makes a selection of slices of a value of the server by keys of the clients.
pub fn select<H: Interns>(
    intrinsic: Intrinsic,
    keys: Block<H>,
    max_key: Block<H>,
    held: Block<H>,
    function: Block<H>,
) -> Allowed<Block<H>> {
    let parameter = Type::tuple([placed(&held)?.member.clone(), placed(&max_key)?.member.clone()]);
    let function = unname_parameter(function, parameter)?;
    let result = Type::at_clients(Type::sequence_of(function_of(&function)?.1.clone())?)?;
    let types = [differing(&keys)?, max_key.ty().clone(), held.ty().clone(), function.ty().clone()];
    call(intrinsic, Type::tuple(types), result, Block::tuple([keys, max_key, held, function])?)
}

/// Makes one federated value of a struct of federated values of one placement.
pub fn zip<H: Interns>(value: Block<H>) -> Allowed<Block<H>> {
    let ty = value.ty();
    if ty.fields().is_none() {
        return Err(Refusal::wrong_value(format!("Expected a `StructType`, found {ty}.")));
    }
    let placement = common_placement(ty)?;
    let intrinsic = match placement {
        Placement::Clients => Intrinsic::ZipAtClients,
        Placement::Server => Intrinsic::ZipAtServer,
    };
    let result = Type::federated_of(strip_placement(ty)?, placement, None)?;
    call(intrinsic, normalized(ty)?, result, value)
}

fn common_placement<H: Interns>(ty: &Type<H>) -> Allowed<Placement> {
    let mut found = Vec::new();
    placements_of(ty, &mut found)?;
    match *found.as_slice() {
        [placement] => Ok(placement),
        [] => Err(Refusal::wrong_type(
            "federated_zip is only supported on nested structures containing at least one FederatedType, but none \
             were found.",
        )),
        [..] => Err(Refusal::wrong_type(format!(
            "federated_zip requires all nested FederatedTypes to have the same placement, but values placed at {} \
             were found.",
            found.iter().map(|placement| placement.name()).collect::<Vec<&str>>().join(", ")
        ))),
    }
}

/// Collects the placements in a struct; refuses one that ends in other types than federated ones.
fn placements_of<H: Interns>(ty: &Type<H>, found: &mut Vec<Placement>) -> Allowed<()> {
    match ty.kind() {
        Kind::Federated(federated) => {
            if !found.contains(&federated.placement) {
                found.push(federated.placement);
            }
            Ok(())
        }
        Kind::Struct(fields) => fields.types().try_for_each(|ty| placements_of(ty, found)),
        Kind::Tensor(..) | Kind::Sequence(_) | Kind::Function(..) | Kind::Abstract(_) | Kind::Placement => {
            Err(Refusal::wrong_type(format!(
                "Expected type signatures consisting of structures of StructType bottoming out in FederatedType, \
                 found: \n{ty}"
            )))
        }
    }
}

/// Returns a struct type whose clients' values may all differ.
fn normalized<H: Interns>(ty: &Type<H>) -> Allowed<Type<H>> {
    match ty.kind() {
        Kind::Federated(federated) => Type::federated_of(federated.member.clone(), federated.placement, None),
        Kind::Struct(fields) => rebuilt(fields, normalized),
        Kind::Tensor(..) | Kind::Sequence(_) | Kind::Function(..) | Kind::Abstract(_) | Kind::Placement => {
            Ok(ty.clone())
        }
    }
}

fn rebuilt<H: Interns>(
    fields: &Fields<H>,
    replace: impl Fn(&Type<H>) -> Allowed<Type<H>>,
) -> Allowed<Type<H>> {
    let field = |field: &Field<H>| Ok(Field { name: field.name.clone(), ty: replace(&field.ty)? });
    Type::structure(fields.elements.iter().map(field).collect::<Allowed<_>>()?, fields.container.clone())
}

/// Makes the application of a function to each element of a sequence.
pub fn sequence_map<H: Interns>(function: Block<H>, sequence: Block<H>) -> Allowed<Block<H>> {
    let result = Type::sequence_of(function_of(&function)?.1.clone())?;
    let parameter = Type::tuple([function.ty().clone(), sequence.ty().clone()]);
    call(Intrinsic::SequenceMap, parameter, result, Block::tuple([function, sequence])?)
}

/// Makes the fold of a sequence.
pub fn sequence_reduce<H: Interns>(sequence: Block<H>, zero: Block<H>, op: Block<H>) -> Allowed<Block<H>> {
    let element = sequence.ty().sequence().ok_or_else(|| {
        Refusal::wrong_value(format!("Expected a `SequenceType`, found {}.", sequence.ty()))
    })?;
    let op = unname_parameter(op, Type::tuple([zero.ty().clone(), element.clone()]))?;
    let result = function_of(&op)?.1.clone();
    let parameter = Type::tuple([sequence.ty().clone(), zero.ty().clone(), op.ty().clone()]);
    call(Intrinsic::SequenceReduce, parameter, result, Block::tuple([sequence, zero, op])?)
}

/// Makes the sum of the elements of a sequence.
pub fn sequence_sum<H: Interns>(sequence: Block<H>, element: Type<H>) -> Allowed<Block<H>> {
    call(Intrinsic::SequenceSum, sequence.ty().clone(), element, sequence)
}

/// Tells if a type has federated parts.
pub fn is_placed<H: Interns>(ty: &Type<H>) -> bool {
    ty.parts().meets(Parts::FEDERATED)
}
