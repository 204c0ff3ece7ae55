//! Intrinsics: templates, calls, hints of types, refusals.

use expect_test::{Expect, expect};
use gw_federated::intrinsics::{Exposure, Intrinsic, calls, check_type};
use gw_federated::{Allowed, Placement};

use super::toy::{Calling, Toy, Toys, Ty, reference, refused, ty};

#[track_caller]
fn check(intrinsic: fn(&mut Calling) -> Allowed<Toys>, types: &[&str], expected: Expect) {
    let argument = |(index, text): (usize, &&str)| reference(&format!("x{index}"), text);
    let mut caller = Calling::with(types.iter().enumerate().map(argument).collect());
    let text = match intrinsic(&mut caller) {
        Ok(_) => caller.bound().join("\n"),
        Err(refusal) => refused::<()>(Err(refusal)),
    };
    expected.assert_eq(&text);
}

#[test]
fn the_table_has_27_intrinsics() {
    assert_eq!(Intrinsic::ALL.len(), 27);
    for intrinsic in Intrinsic::ALL {
        assert_eq!(Intrinsic::from_uri(intrinsic.uri()), Some(*intrinsic));
        assert!(!intrinsic.template::<Toy>().compact().is_empty());
        assert_eq!(intrinsic.name().to_lowercase(), intrinsic.uri());
    }
    let secure: Vec<&str> = Intrinsic::ALL
        .iter()
        .filter(|intrinsic| intrinsic.aggregation() == Some(Exposure::Secure))
        .map(|intrinsic| intrinsic.uri())
        .collect();
    assert_eq!(secure, ["federated_secure_sum", "federated_secure_sum_bitwidth"]);
}

#[test]
fn types_are_instances_of_templates() {
    let check = |uri: &str, text: &str| check_type(uri, &ty(text));
    assert!(check("federated_sum", "({int32}@CLIENTS -> int32@SERVER)").is_ok());
    assert!(check("anything_else", "int32").is_ok());
    expect!["TypeError: Expected concrete type (int32@CLIENTS -> int32@SERVER) to be a valid substitution for generic type ({T}@CLIENTS -> T@SERVER), but their structures do not match: int32@CLIENTS differs in all equal from {T}@CLIENTS."]
        .assert_eq(&refused(check("federated_sum", "(int32@CLIENTS -> int32@SERVER)")));
    expect!["TypeError: Expected concrete type ({int32}@CLIENTS -> bool@SERVER) to be a valid substitution for generic type ({T}@CLIENTS -> T@SERVER), but abstract type T was defined as int32, and later used as bool which cannot be assigned from the former."]
        .assert_eq(&refused(check("federated_sum", "({int32}@CLIENTS -> bool@SERVER)")));
    assert!(
        refused(check("generic_plus", "(<int32,bool> -> int32)")).contains("substitutions int32 and bool")
    );
    assert!(refused(check("federated_sum", "({T}@CLIENTS -> T@SERVER)")).contains("no abstract types"));
}

#[test]
fn maps_and_broadcasts() {
    check(
        calls::federated_map,
        &["(int32 -> bool)", "{int32}@CLIENTS"],
        expect!["federated_map(<x0,x1>): {bool}@CLIENTS"],
    );
    check(
        calls::federated_map,
        &["(int32 -> bool)", "int32@SERVER"],
        expect!["federated_apply(<x0,x1>): bool@SERVER"],
    );
    check(
        calls::federated_map,
        &["(<int32,b=bool> -> bool)", "<int32@CLIENTS,b={bool}@CLIENTS>"],
        expect!["federated_map(<x0,federated_zip_at_clients(x1)>): {bool}@CLIENTS"],
    );
    check(
        calls::federated_map,
        &["(int32 -> bool)", "int32"],
        expect![
            "TypeError: The value to be mapped must be a FederatedType or implicitly convertible to a FederatedType (got a int32)"
        ],
    );
    check(
        calls::federated_map,
        &["(bool -> bool)", "int32@SERVER"],
        expect![
            "TypeError: The mapping function expects a parameter of type bool, but member constituents of the mapped value are of incompatible type int32."
        ],
    );
    check(
        calls::federated_map,
        &["(<int32,int32> -> bool)", "<int32@SERVER,{int32}@CLIENTS>"],
        expect![
            "TypeError: The value to be mapped must be a FederatedType or implicitly convertible to a FederatedType (got a <int32@SERVER,{int32}@CLIENTS>): federated_zip requires all nested FederatedTypes to have the same placement, but values placed at SERVER, CLIENTS were found."
        ],
    );
    check(
        calls::federated_map_all_equal,
        &["(int32 -> bool)", "int32@CLIENTS"],
        expect!["federated_map_all_equal(<x0,x1>): bool@CLIENTS"],
    );
    check(calls::federated_broadcast, &["int32@SERVER"], expect!["federated_broadcast(x0): int32@CLIENTS"]);
    check(
        calls::federated_broadcast,
        &["{int32}@CLIENTS"],
        expect![
            "TypeError: The value to be broadcasted should be placed at SERVER, but it is placed at CLIENTS."
        ],
    );
    check(
        calls::federated_zip,
        &["<a={int32}@CLIENTS,<bool@CLIENTS>>"],
        expect!["federated_zip_at_clients(x0): {<a=int32,<bool>>}@CLIENTS"],
    );
    check(calls::federated_zip, &["int32"], expect!["ValueError: Expected a `StructType`, found int32."]);
    check(
        calls::federated_zip,
        &["<>"],
        expect![
            "TypeError: federated_zip is only supported on nested structures containing at least one FederatedType, but none were found."
        ],
    );
}

#[test]
fn aggregations() {
    check(
        calls::federated_sum,
        &["<a={int32}@CLIENTS>"],
        expect!["federated_sum(federated_zip_at_clients(x0)): <a=int32>@SERVER"],
    );
    check(
        calls::federated_sum,
        &["int32@SERVER"],
        expect!["TypeError: The value to be summed should be placed at CLIENTS, but it is placed at SERVER."],
    );
    check(
        calls::federated_min,
        &["{bool}@CLIENTS"],
        expect!["ValueError: The value type {bool}@CLIENTS is not compatible with the min operator."],
    );
    check(calls::federated_max, &["{int32}@CLIENTS"], expect!["federated_max(x0): int32@SERVER"]);
    check(
        |caller| calls::federated_mean(caller, false),
        &["{float32}@CLIENTS"],
        expect!["federated_mean(x0): float32@SERVER"],
    );
    check(
        |caller| calls::federated_mean(caller, true),
        &["{float32}@CLIENTS", "{int32}@CLIENTS"],
        expect!["federated_weighted_mean(<x0,x1>): float32@SERVER"],
    );
    check(
        |caller| calls::federated_mean(caller, true),
        &["{float32}@CLIENTS", "{int32[2]}@CLIENTS"],
        expect!["TypeError: The weight type {int32[2]}@CLIENTS is not a federated scalar."],
    );
    check(
        |caller| calls::federated_mean(caller, true),
        &["{float32}@CLIENTS", "{bool}@CLIENTS"],
        expect![
            "TypeError: The weight type {bool}@CLIENTS is not a federated integer or floating-point tensor."
        ],
    );
    check(
        |caller| calls::federated_mean(caller, false),
        &["{int32}@CLIENTS"],
        expect!["TypeError: The value type {int32}@CLIENTS is not compatible with the average operator."],
    );
    check(
        calls::federated_secure_sum,
        &["{<int32,<a=int32>>}@CLIENTS", "int32"],
        expect!["federated_secure_sum(<x0,<x1,<a=x1>>>): <int32,<a=int32>>@SERVER"],
    );
    check(
        calls::federated_secure_sum_bitwidth,
        &["{int32}@CLIENTS", "<int32>"],
        expect![
            "TypeError: Expected `federated_secure_sum_bitwidth` parameter `bitwidth` to match the structure of `value`, with one integer bitwidth per tensor in `value`. Found `value` of `int32` and `bitwidth` of `<int32>`."
        ],
    );
    check(
        calls::federated_secure_sum,
        &["{float32}@CLIENTS", "int32"],
        expect!["TypeError: Expected a type which is structure of integers, found {float32}@CLIENTS."],
    );
}

#[test]
fn aggregates_name_the_parameter_that_does_not_fit() {
    let types = [
        "{int32}@CLIENTS",
        "float32",
        "(<a=float32,b=int32> -> float32)",
        "(<float32,float32> -> float32)",
        "(float32 -> str)",
    ];
    check(
        calls::federated_aggregate,
        &types,
        expect!["federated_aggregate(<x0,x1,(a -> x2(a)),x3,x4>): str@SERVER"],
    );
    let mut caller = Calling::with(types.iter().map(|text| reference("x", text)).collect());
    assert!(calls::federated_aggregate(&mut caller).is_ok());
    assert_eq!(caller.hints, ["-", "-", "<float32,int32>", "<float32,float32>", "float32"]);
    let with = |index: usize, text: &'static str| {
        let mut types = types;
        types[index] = text;
        types
    };
    check(
        calls::federated_aggregate,
        &with(1, "bool"),
        expect![
            "TypeError: Expected `zero` to be assignable to type float32, but was of incompatible type bool."
        ],
    );
    check(
        calls::federated_aggregate,
        &with(2, "(<float32,bool> -> float32)"),
        expect![
            "TypeError: Expected parameter `accumulate` to be of type (<float32,int32> -> float32), but received (<float32,bool> -> float32) instead."
        ],
    );
    check(
        calls::federated_aggregate,
        &with(3, "(<float32,float32> -> bool)"),
        expect![
            "TypeError: Expected parameter `merge` to be of type (<float32,float32> -> float32), but received (<float32,float32> -> bool) instead."
        ],
    );
    check(
        calls::federated_aggregate,
        &with(4, "(bool -> str)"),
        expect![
            "TypeError: Expected parameter `report` to be of type (float32 -> str), but received (bool -> str) instead."
        ],
    );
    check(
        calls::federated_aggregate,
        &with(3, "float32"),
        expect!["ValueError: Expected `merge` to be a function, found a value of type float32."],
    );
    check(
        calls::federated_aggregate,
        &with(2, "( -> float32)"),
        expect!["TypeError: Expected a function of two parameters, found a function of type ( -> float32)."],
    );
}

#[test]
fn values_and_evaluations() {
    check(
        |caller| calls::federated_value(caller, Placement::Clients),
        &["int32"],
        expect!["federated_value_at_clients(x0): int32@CLIENTS"],
    );
    check(
        |caller| calls::federated_value(caller, Placement::Server),
        &["<int32@SERVER>"],
        expect![
            "TypeError: Cannot place value x0 containing federated types at another placement; requested to be placed at SERVER."
        ],
    );
    check(
        |caller| calls::federated_eval(caller, Placement::Clients),
        &["( -> int32)"],
        expect!["federated_eval_at_clients(x0): {int32}@CLIENTS"],
    );
    check(
        |caller| calls::federated_eval(caller, Placement::Server),
        &["( -> int32)"],
        expect!["federated_eval_at_server(x0): int32@SERVER"],
    );
    check(
        |caller| calls::federated_eval(caller, Placement::Server),
        &["(bool -> int32)"],
        expect!["ValueError: Expected `fn` to have no parameters, found bool."],
    );
}

#[test]
fn selections() {
    let types = ["{int32[3]}@CLIENTS", "int32@SERVER", "str@SERVER", "(<a=str,b=int32> -> bool)"];
    check(
        calls::federated_select,
        &types,
        expect!["federated_select(<x0,x1,x2,(a -> x3(a))>): {bool*}@CLIENTS"],
    );
    check(
        calls::federated_secure_select,
        &types,
        expect!["federated_secure_select(<x0,x1,x2,(a -> x3(a))>): {bool*}@CLIENTS"],
    );
    let with = |index: usize, text: &'static str| {
        let mut types = types;
        types[index] = text;
        types
    };
    check(
        calls::federated_select,
        &with(0, "int32@SERVER"),
        expect![
            "TypeError: Expected `federated_select` parameter `client_keys` to be a federated value placed at clients, found value of type int32@SERVER"
        ],
    );
    check(
        calls::federated_select,
        &with(0, "{int32[?]}@CLIENTS"),
        expect![
            "TypeError: Expected `federated_select` parameter `client_keys.type_signature.member` to be a rank-1 tensor with statically known shape and `np.int32` dtype, found value of type int32[?]"
        ],
    );
    check(
        calls::federated_select,
        &with(1, "int64@SERVER"),
        expect![
            "TypeError: Expected `federated_select` parameter `max_key` to be a 32-bit integer placed at server, int64@SERVER is not assignable to int32@SERVER."
        ],
    );
    check(
        calls::federated_select,
        &with(2, "{str}@CLIENTS"),
        expect![
            "TypeError: Expected `federated_select` parameter `server_val` to be a value placed at server, found a value of type {str}@CLIENTS."
        ],
    );
    check(
        calls::federated_secure_select,
        &with(3, "(str -> bool)"),
        expect![
            "TypeError: Expected `federated_secure_select` parameter `select_fn` to be a function from state and key to result, (str -> bool) is not assignable to (<str,int32> -> U)."
        ],
    );
}

#[test]
fn sequences() {
    check(calls::sequence_map, &["(int32 -> bool)", "int32*"], expect!["sequence_map(<x0,x1>): bool*"]);
    check(
        calls::sequence_map,
        &["(int32 -> bool)", "{int32*}@CLIENTS"],
        expect!["federated_map(<(arg -> sequence_map(<x0,arg>)),x1>): {bool*}@CLIENTS"],
    );
    check(
        calls::sequence_map,
        &["(int32 -> bool)", "int32"],
        expect!["TypeError: Cannot apply `sequence_map()` to a value of type int32."],
    );
    check(
        calls::sequence_reduce,
        &["int32*", "bool", "(<bool,int32> -> bool)"],
        expect!["sequence_reduce(<x0,x1,x2>): bool"],
    );
    check(
        calls::sequence_reduce,
        &["{int32*}@CLIENTS", "{bool}@CLIENTS", "(<bool,int32> -> bool)"],
        expect![
            "federated_map(<(arg -> sequence_reduce(<arg[0],arg[1],x2>)),federated_zip_at_clients(<x0,x1>)>): {bool}@CLIENTS"
        ],
    );
    check(calls::sequence_sum, &["<int32,a=float32>*"], expect!["sequence_sum(x0): <int32,a=float32>"]);
    check(
        calls::sequence_sum,
        &["{int32*}@CLIENTS"],
        expect!["federated_map(<sequence_sum,x0>): {int32}@CLIENTS"],
    );
    check(
        calls::sequence_sum,
        &["int32"],
        expect![
            "ValueError: Expected the value of `sequence_sum` to be a sequence or a federated sequence, found int32."
        ],
    );
    let _: Ty = ty("int32");
}
