//! Types: interning, texts, comparisons, refusals.

use expect_test::{Expect, expect};
use gw_federated::types::{Field, Interns, Type};
use gw_federated::{DType, Placement};

use super::toy::{Toy, Ty, allowed, refused, ty};

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&format!("{:?}\n{}", ty(text), ty(text).formatted()));
}

#[test]
fn the_language_knows_no_host() {
    let manifest = include_str!("../../Cargo.toml");
    assert!(!manifest.lines().any(|line| line.starts_with("gw_") || line.starts_with("pyo3")));
}

#[test]
fn a_federated_type_is_one_object() {
    assert!(ty("<int32,b=bool>") == ty("<int32,b=bool>"));
    assert!(ty("<int32,b=bool>") != ty("<int32,bool>"));
    assert!(std::ptr::eq(ty("{int32}@CLIENTS").kind(), ty("{int32}@CLIENTS").kind()));
    let list = allowed(Ty::structure(vec![Field::unnamed(ty("int32"))], Some("list")));
    assert!(list != ty("<int32>"));
    assert_eq!(format!("{list:?}"), "StructType([TensorType(np.int32)]) as list");
}

#[test]
fn texts_round_trip() {
    for text in [
        "int32",
        "float32[3,?]",
        "'int32'(shape=None)",
        "str",
        "<>",
        "<int32,b=bool>",
        "int32*",
        "( -> int32)",
        "(<a=int32,b=(T -> U)> -> int32)",
        "T",
        "placement",
        "{int32}@CLIENTS",
        "int32@CLIENTS",
        "int32@SERVER",
        "<a=<b=<c=int32>>>*",
        "{<a=int32,bool>}@SERVER",
        "bfloat16[0]",
        "complex64[-1]",
    ] {
        assert_eq!(ty(text).compact(), text);
        assert!(ty(text) == ty(&ty(text).compact()));
    }
}

#[test]
fn formatted_texts_indent_structs() {
    check(
        "(<int32,b=<bool,c=<>>> -> {<x=float32[2]>}@CLIENTS)",
        expect![[r#"
            FunctionType(StructType([TensorType(np.int32), ('b', StructType([TensorType(np.bool), ('c', StructType([]))]))]), FederatedType(StructType([('x', TensorType(np.float32, (2,)))]), PlacementLiteral('clients'), False))
            (<
              int32,
              b=<
                bool,
                c=<>
              >
            > -> {<
              x=float32[2]
            >}@CLIENTS)"#]],
    );
}

#[test]
fn damaged_texts_are_refused() {
    for text in
        ["", "<int32", "int32]", "{int32}@NOWHERE", "(int32)", "int32[x]", "<a=>", "'what'(shape=None)"]
    {
        assert!(refused(Ty::parse(text)).starts_with("ValueError"), "{text}");
    }
}

#[track_caller]
fn assignable(target: &str, source: &str) -> bool {
    allowed(ty(target).is_assignable_from(&ty(source)))
}

#[test]
fn tensors_are_assigned_where_dimensions_are_open() {
    assert!(assignable("int32[?,3]", "int32[2,3]"));
    assert!(assignable("'int32'(shape=None)", "int32[2]"));
    assert!(!assignable("int32[2]", "'int32'(shape=None)"));
    assert!(!assignable("int32[2]", "int32[?]"));
    assert!(!assignable("int32", "int64"));
    assert!(!assignable("int32[2]", "int32[2,2]"));
}

#[test]
fn structs_take_unnamed_elements() {
    assert!(assignable("<a=int32,b=bool>", "<int32,bool>"));
    assert!(!assignable("<int32,bool>", "<a=int32,bool>"));
    assert!(!assignable("<a=int32>", "<b=int32>"));
    assert!(!assignable("<int32>", "<int32,int32>"));
    assert!(!assignable("<int32>", "int32"));
}

#[test]
fn functions_are_contravariant_in_their_parameters() {
    assert!(assignable("(int32[2] -> int32[?])", "(int32[?] -> int32[2])"));
    assert!(!assignable("(int32[?] -> int32)", "(int32[2] -> int32)"));
    assert!(!assignable("( -> int32)", "(int32 -> int32)"));
    assert!(assignable("( -> <a=int32>)", "( -> <int32>)"));
}

#[test]
fn equal_values_fit_where_values_may_differ() {
    assert!(assignable("{int32}@CLIENTS", "int32@CLIENTS"));
    assert!(!assignable("int32@CLIENTS", "{int32}@CLIENTS"));
    assert!(!assignable("int32@SERVER", "int32@CLIENTS"));
    assert!(assignable("<int32>*", "<int32>*"));
}

#[test]
fn type_variables_are_not_compared() {
    expect!["TypeError: Abstract types are not comparable."]
        .assert_eq(&refused(ty("T").is_assignable_from(&ty("T"))));
    expect!["TypeNotAssignableError: Expected bool to be assignable to int32."]
        .assert_eq(&refused(ty("int32").check_assignable_from(&ty("bool"))));
    expect!["TypesNotEquivalentError: Expected <a=int32> to be equivalent to <int32>."]
        .assert_eq(&refused(ty("<a=int32>").check_equivalent_to(&ty("<int32>"))));
}

#[test]
fn constructors_refuse_what_has_no_meaning() {
    let at_clients = ty("{int32}@CLIENTS");
    expect!["ValueError: Expected a `FederatedType` to not contain `FederatedType`s or `FunctionType`s, found <{int32}@CLIENTS>@SERVER."]
        .assert_eq(&refused(Ty::at_server(Ty::tuple([at_clients.clone()]))));
    expect!["ValueError: Expected a `SequenceType` to not contain `FederatedType`s, `FunctionType`s, or `SequenceType`s, found int32**."]
        .assert_eq(&refused(Ty::sequence_of(ty("int32*"))));
    expect!["ValueError: Expected named elements to not match any reserved names, found ['items']."]
        .assert_eq(&refused(Ty::parse("<items=int32>")));
    expect!["ValueError: A struct does not support duplicated names, found ['a', 'a']."]
        .assert_eq(&refused(Ty::parse("<a=int32,a=bool>")));
    assert!(Ty::federated_of(ty("int32*"), Placement::Clients, None).is_ok());
}

#[test]
fn lists_in_sequences_become_tuples() {
    let list = |element: Ty| allowed(Ty::structure(vec![Field::named("a", element)], Some("list")));
    let sequence = allowed(Ty::sequence_of(list(list(ty("int32")))));
    expect!["SequenceType(StructType([('a', StructType([('a', TensorType(np.int32))]) as tuple)]) as tuple)"]
        .assert_eq(&format!("{sequence:?}"));
}

#[test]
fn deep_types_are_refused_before_they_exhaust_the_stack() {
    let mut nested = Ok(ty("int32"));
    for _ in 0..1500 {
        nested = nested.and_then(|inner| Ty::structure(vec![Field::unnamed(inner)], None));
    }
    expect!["RecursionError: types and blocks are nested at most 1000 levels deep"]
        .assert_eq(&refused(nested));
}

#[test]
fn the_table_of_types_is_swept() {
    for _ in 0..20 {
        for size in 0..2000 {
            let _ = Ty::tensor(DType::Int32, Some([Some(size)].into()));
        }
    }
    assert!(Toy::interner().entries() < 8000);
}

#[test]
fn aggregations_ask_for_kinds_of_tensors() {
    assert!(ty("<a=int32,{uint8}@CLIENTS>").is_structure_of_integers());
    assert!(!ty("<int32,float32>").is_structure_of_integers());
    assert!(ty("<float32,complex64>").is_average_compatible());
    assert!(!ty("bfloat16").is_average_compatible());
    assert!(ty("<int32,float32>").is_min_max_compatible());
    assert!(!ty("complex64").is_min_max_compatible());
    assert!(ty("bfloat16").check_sum_compatible().is_ok());
    expect![[r#"
        TypeError: Expected a type which is compatible with the sum operator, found
        <int32,a=bool>
        which contains
        bool
        which is not sum-compatible because bool is not numeric."#]]
    .assert_eq(&refused(ty("<int32,a=bool>").check_sum_compatible()));
    assert!(
        refused(ty("int32[?]").check_sum_compatible()).ends_with("because (None,) is not fully defined.")
    );
    assert!(refused(Type::check_sum_compatible(&ty("int32*"))).contains("may be summed"));
}
