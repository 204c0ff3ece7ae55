//! Packing: parameters, arguments, and what a function gets.

use expect_test::{Expect, expect};
use gw_federated::packing::{Declared, Parameter, Passing, Unpacked, pack, pack_struct, unpack};

use super::toy::{Toy, Ty, allowed, refused, signature, ty};

#[track_caller]
fn declared(names: &[&str], types: &[&str], expected: Expect) {
    let types: Vec<Ty> = types.iter().map(|text| ty(text)).collect();
    let text = match signature(names).declared(&types) {
        Ok(Declared::Nothing) => "nothing".to_owned(),
        Ok(Declared::Polymorphic) => "polymorphic".to_owned(),
        Ok(Declared::Typed(ty)) => format!("{ty:?}"),
        Err(refusal) => refused::<()>(Err(refusal)),
    };
    expected.assert_eq(&text);
}

#[test]
fn parameters_of_computations() {
    declared(&[], &[], expect!["nothing"]);
    declared(&["x"], &[], expect!["polymorphic"]);
    declared(&["x"], &["int32"], expect!["TensorType(np.int32)"]);
    declared(&["x"], &["int32", "bool"], expect!["StructType([TensorType(np.int32), TensorType(np.bool)])"]);
    declared(
        &["x", "y"],
        &["int32", "bool"],
        expect!["StructType([('x', TensorType(np.int32)), ('y', TensorType(np.bool))]) as OrderedDict"],
    );
    declared(
        &["x", "y"],
        &["<int32,bool>"],
        expect!["StructType([('x', TensorType(np.int32)), ('y', TensorType(np.bool))]) as OrderedDict"],
    );
    declared(
        &["x", "y"],
        &["<y=int32,x=bool>"],
        expect!["StructType([('y', TensorType(np.int32)), ('x', TensorType(np.bool))])"],
    );
    declared(
        &["x", "y"],
        &["<a=int32,b=bool>"],
        expect![
            "TypeError: Function argument names must match field names of parameter type. Found argument names ['x', 'y'], which do not match ['a', 'b'], the top-level fields of the parameter type <a=int32,b=bool>."
        ],
    );
    declared(
        &["x", "y"],
        &["<int32,y=bool>"],
        expect![
            "TypeError: Types with both named and unnamed fields cannot be unpacked into argument lists. Found parameter type <int32,y=bool>."
        ],
    );
    declared(
        &["x", "y"],
        &["int32"],
        expect![
            "TypeError: Function with 2 parameters must have a parameter type with the same number of parameters. Found parameter type int32."
        ],
    );
    declared(
        &["x", "y"],
        &["int32", "int32", "int32"],
        expect![
            "TypeError: Function with 2 parameters is incompatible with provided argument types (int32, int32, int32)."
        ],
    );
}

#[test]
fn parameters_that_computations_do_not_have() {
    let check = |passing, default: Option<&str>, expected: Expect| {
        let mut odd = signature(&["x"]);
        odd.parameters.push(Parameter { name: "y".into(), passing, default: default.map(str::to_owned) });
        expected.assert_eq(&refused(odd.check()));
    };
    check(
        Passing::Either,
        Some("3"),
        expect!["TypeError: Default parameters are not supported. Found parameter `y` with default value 3"],
    );
    check(
        Passing::PositionalOnly,
        None,
        expect![
            "TypeError: Positional-only parameters are not supported. Found parameter `y` which appears before a `/` entry."
        ],
    );
    check(
        Passing::KeywordOnly,
        None,
        expect![
            "TypeError: Keyword-only arguments are not supported. Found parameter `y` which appears after a `*` or `*args` entry."
        ],
    );
    check(
        Passing::Variadic,
        None,
        expect!["TypeError: Parameter varargs are not supported. Found varargs parameter `y`."],
    );
}

#[track_caller]
fn packed(parameter: &str, positional: usize, keywords: &[&str], expected: Expect) {
    let keywords: Vec<_> = keywords.iter().map(|keyword| (*keyword).into()).collect();
    let text = match pack(Some(&ty(parameter)), positional, &keywords) {
        Ok(packed) => format!("{packed:?}"),
        Err(refusal) => refused::<()>(Err(refusal)),
    };
    expected.assert_eq(&text);
}

#[test]
fn arguments_of_calls() {
    packed("int32", 1, &[], expect!["Whole"]);
    packed("<a=int32,b=int32>", 1, &[], expect!["Whole"]);
    packed(
        "<int32,b=int32>",
        1,
        &["b"],
        expect![[r#"Struct([(None, Positional(0)), (Some("b"), Keyword(0))])"#]],
    );
    packed(
        "<a=int32,b=int32>",
        0,
        &["b", "a"],
        expect![[r#"Struct([(Some("a"), Keyword(1)), (Some("b"), Keyword(0))])"#]],
    );
    packed("<a=int32,b=int32>", 2, &["b"], expect!["TypeError: Argument `b` specified twice."]);
    packed("<a=int32,b=int32>", 0, &["a"], expect!["TypeError: Missing argument `b` of type int32."]);
    packed(
        "<int32,int32,c=int32>",
        1,
        &["c"],
        expect!["TypeError: Missing argument of type int32 at position 1."],
    );
    packed("<int32>", 2, &[], expect!["TypeError: Positional arguments at {1} not used."]);
    packed("<a=int32>", 1, &["z"], expect!["TypeError: Keyword arguments at ['z'] not used."]);
    packed(
        "int32",
        2,
        &[],
        expect![
            "TypeError: Parameter type int32 is compatible only with a single positional argument, but found 2 positional and 0 keyword arguments."
        ],
    );
    packed("int32", 0, &[], expect!["TypeError: Declared a parameter of type int32, but got no arguments."]);
    packed(
        "<a=int32,int32>",
        2,
        &[],
        expect![
            "TypeError: Parameter type <a=int32,int32> does not have a structure of an argument struct, and cannot be populated from multiple positional and keyword arguments; please construct a struct before the call."
        ],
    );
    expect!["TypeError: Was not expecting any arguments, found 1 positional and 0 keyword arguments."]
        .assert_eq(&refused(pack::<Toy>(None, 1, &[])));
    assert!(pack_struct(&ty("<int32>"), 1, &[]).is_ok());
}

#[track_caller]
fn given(names: &[&str], parameter: Option<&str>, force: Option<bool>) -> Unpacked {
    allowed(unpack(&signature(names), parameter.map(ty).as_ref(), force))
}

#[test]
fn functions_get_the_whole_argument_where_they_can() {
    assert_eq!(given(&[], None, None), Unpacked::Nothing);
    assert_eq!(given(&["x"], Some("<x=int32>"), None), Unpacked::Whole);
    assert_eq!(given(&["x"], Some("<x=int32>"), Some(true)), Unpacked::Elements);
    assert_eq!(given(&["x", "y"], Some("<int32,int32>"), None), Unpacked::Elements);
    assert_eq!(given(&["x", "y"], Some("<int32,y=int32>"), None), Unpacked::Elements);
    let refusal = refused(unpack(&signature(&["x", "y"]), Some(&ty("int32")), None));
    expect!["TypeError: The function `f` with parameters ['x', 'y'] cannot accept a value of type int32 as either a single argument or multiple positional and/or keyword arguments."].assert_eq(&refusal);
    let refusal = refused(unpack(&signature(&["x", "y"]), Some(&ty("<int32,int32>")), Some(false)));
    expect!["TypeError: The function `f` with parameters ['x', 'y'] cannot accept a value of type <int32,int32> as a single argument."].assert_eq(&refusal);
    let refusal = refused(unpack(&signature(&["x"]), Some(&ty("int32")), Some(true)));
    expect!["TypeError: The function `f` with parameters ['x'] cannot accept a value of type int32 as multiple positional and/or keyword arguments."].assert_eq(&refusal);
    let refusal = refused(unpack::<Toy>(&signature(&["x"]), None, None));
    expect!["TypeError: The function `f` with parameters ['x'] cannot be interpreted as a body of a no-parameter computation."].assert_eq(&refusal);
}
