//! Values: elements, slices, implied zips, addition; constants and their types.

use expect_test::{Expect, expect};
use gw_federated::DType;
use gw_federated::literal::{self, Constant};
use gw_federated::values::{add, attribute, fit, item, slice};

use super::toy::{allowed, literal as five, reference, refused, structure, ty};

#[test]
fn elements_of_structs() {
    let value = reference("v", "<a=int32,bool>");
    assert_eq!(allowed(attribute(&value, "a")).compact(), "v.a");
    assert_eq!(allowed(item(&value, 1)).compact(), "v[1]");
    assert_eq!(allowed(slice(&value, &[1, 0])).compact(), "<v[1],v[0]>");
    expect!["AttributeError: There is no such attribute 'b' in this tuple. Valid attributes: (a)"]
        .assert_eq(&refused(attribute(&value, "b")));
    expect!["IndexError: The index of the selected element -1 is out of range."]
        .assert_eq(&refused(item(&value, -1)));
    expect!["IndexError: Attempted to slice 0 elements, which is not currently supported."]
        .assert_eq(&refused(slice(&value, &[])));
    expect!["AttributeError: `Value` of non-structural type int32 has no attribute a"]
        .assert_eq(&refused(attribute(&reference("x", "int32"), "a")));
    expect!["TypeError: Operator getitem() is only supported for (possibly federated) structure types, but the object on which it has been invoked is of type int32."].assert_eq(&refused(item(&reference("x", "int32"), 0)));
}

#[test]
fn elements_of_literal_structs_and_of_federated_ones() {
    let both = structure(vec![(Some("a"), five("5", "int32")), (None, five("6", "int32"))]);
    assert_eq!(allowed(attribute(&both, "a")).compact(), "5");
    assert_eq!(allowed(item(&both, 1)).compact(), "6");
    let clients = reference("v", "{<a=int32,b=bool>}@CLIENTS");
    expect!["federated_map(<(x -> x.b),v>)"].assert_eq(&allowed(attribute(&clients, "b")).compact());
    expect!["federated_map(<(x -> <b=x[1],a=x[0]>),v>)"]
        .assert_eq(&allowed(slice(&clients, &[1, 0])).compact());
    expect!["federated_map(<(x -> <>),v>)"].assert_eq(&allowed(slice(&clients, &[])).compact());
    let equal = reference("v", "<a=int32,b=bool>@CLIENTS");
    expect!["federated_map_all_equal(<(x -> x[0]),v>)"].assert_eq(&allowed(item(&equal, 0)).compact());
    let server = reference("v", "<a=int32,b=bool>@SERVER");
    expect!["federated_apply(<(x -> x[0]),v>)"].assert_eq(&allowed(item(&server, 0)).compact());
    expect![
        "AttributeError: There is no such attribute 'c' in this federated tuple. Valid attributes: (a, b)"
    ]
    .assert_eq(&refused(attribute(&server, "c")));
}

#[track_caller]
fn check_fit(source: &str, target: &str, expected: Expect) {
    let fitted = fit(reference("v", source), Some(&ty(target)), true);
    let text = match fitted {
        Ok(block) => format!("{block}: {}", block.ty()),
        Err(refusal) => refused::<()>(Err(refusal)),
    };
    expected.assert_eq(&text);
}

#[test]
fn structs_of_federated_values_are_zipped_where_they_must() {
    check_fit("int32", "int32", expect!["v: int32"]);
    check_fit(
        "<{int32}@CLIENTS,bool@CLIENTS>",
        "{<a=int32,b=bool>}@CLIENTS",
        expect!["federated_zip_at_clients(v): {<int32,bool>}@CLIENTS"],
    );
    check_fit(
        "<<{int32}@CLIENTS,{bool}@CLIENTS>,x=int32@SERVER>",
        "<{<int32,bool>}@CLIENTS,x=int32@SERVER>",
        expect![
            "(let _var1=v in <federated_zip_at_clients(_var1[0]),x=_var1[1]>): <{<int32,bool>}@CLIENTS,x=int32@SERVER>"
        ],
    );
    check_fit(
        "<{int32}@CLIENTS>",
        "<int32>@CLIENTS",
        expect!["TypeNotAssignableError: Expected <{int32}@CLIENTS> to be assignable to <int32>@CLIENTS."],
    );
    check_fit(
        "<{int32}@CLIENTS,int32@SERVER>",
        "{<int32,int32>}@CLIENTS",
        expect![
            "TypeNotAssignableError: Expected <{int32}@CLIENTS,int32@SERVER> to be assignable to {<int32,int32>}@CLIENTS."
        ],
    );
    assert!(fit(reference("v", "<{int32}@CLIENTS>"), Some(&ty("{<int32>}@CLIENTS")), false).is_err());
}

#[test]
fn sums_of_values() {
    let sum = |left: &str, right: &str| add(reference("x", left), reference("y", right));
    expect!["generic_plus(<x,y>)"].assert_eq(&allowed(sum("int32", "int32")).compact());
    expect!["federated_map(<generic_plus,federated_zip_at_clients(<x,y>)>)"]
        .assert_eq(&allowed(sum("{int32}@CLIENTS", "int32@CLIENTS")).compact());
    expect!["federated_apply(<generic_plus,federated_zip_at_server(<x,y>)>)"]
        .assert_eq(&allowed(sum("<a=int32>@SERVER", "<a=int32>@SERVER")).compact());
    expect!["TypeError: `+` adds two values of one type and placement, found int32 and int64; move other arithmetic into a `graph_computation`."].assert_eq(&refused(sum("int32", "int64")));
    assert!(refused(sum("{int32}@CLIENTS", "int32@SERVER")).contains("placement"));
    assert!(refused(sum("bool", "bool")).contains("bool is not numeric"));
}

#[test]
fn types_of_constants() {
    let infer = |constant: Constant| literal::infer(&constant, || "9".to_owned());
    assert_eq!(infer(Constant::Integer(Some(2_147_483_647))), Ok(DType::Int32));
    assert_eq!(infer(Constant::Integer(Some(2_147_483_648))), Ok(DType::Int64));
    assert_eq!(infer(Constant::Floating(1.0)), Ok(DType::Float32));
    assert_eq!(infer(Constant::Text), Ok(DType::Str));
    expect!["ValueError: Expected `obj` to be an `int` in the range [-9223372036854775808, 9223372036854775807], found: 9."]
        .assert_eq(&refused(infer(Constant::Integer(None))));
}

#[test]
fn constants_fit_types_of_their_class() {
    let fits =
        |constant: Constant, text: &str| literal::check(&constant, || "c".to_owned(), &ty(text)).is_ok();
    assert!(fits(Constant::Integer(Some(255)), "uint8"));
    assert!(!fits(Constant::Integer(Some(256)), "uint8"));
    assert!(!fits(Constant::Integer(Some(5)), "float32"));
    assert!(fits(Constant::Floating(1.0), "float16"));
    assert!(!fits(Constant::Floating(1e9), "float16"));
    assert!(fits(Constant::Floating(f64::INFINITY), "float16"));
    assert!(!fits(Constant::Bool, "int32"));
    assert!(fits(Constant::Array(DType::Int8, vec![2]), "int32[?]"));
    assert!(fits(Constant::Array(DType::UInt8, vec![]), "int16"));
    assert!(!fits(Constant::Array(DType::Int8, vec![]), "uint16"));
    assert!(!fits(Constant::Array(DType::Float64, vec![]), "float32"));
    assert!(!fits(Constant::Array(DType::Int32, vec![3]), "int32[2]"));
    assert!(!fits(Constant::Array(DType::Int32, vec![3]), "<int32>"));
}
