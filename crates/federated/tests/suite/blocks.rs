//! Blocks: texts, equality, refusals, walks.

use expect_test::{Expect, expect};
use gw_federated::blocks::{Block, Local, names, transform};
use gw_federated::{Placement, Refusal};

use super::toy::{Text, Toys, allowed, literal, reference, refused, structure, ty};

fn program() -> Toys {
    let f = reference("f", "(int32 -> int32)");
    let call = allowed(Block::call(f, Some(reference("x", "int32"))));
    let pair = structure(vec![(None, reference("c", "int32")), (Some("d"), literal("5", "int32"))]);
    let body = allowed(Block::with_locals(vec![Local { name: "c".into(), value: call }], pair));
    allowed(Block::lambda(Some(("x".into(), ty("int32"))), body))
}

#[test]
fn texts() {
    let all = structure(vec![
        (None, Block::placement(Placement::Clients)),
        (Some("i"), Block::intrinsic("federated_sum", ty("({int32}@CLIENTS -> int32@SERVER)"))),
        (None, Block::data(Text("data"), ty("int32"))),
        (None, Block::compiled(Text("graph"), "abcdef01", ty("( -> int32)"))),
        (None, Block::reference("r", ty("int32"), Some(Text("ctx").into()))),
        (None, structure(vec![])),
        (None, allowed(Block::call(reference("g", "( -> int32)"), None))),
        (None, allowed(Block::lambda(None, literal("1", "int32")))),
    ]);
    expect!["<CLIENTS,i=federated_sum,7,comp#abcdef01,r@ctx,<>,g(),( -> 1)>"].assert_eq(&all.compact());
    expect!["(x -> (let c=f(x) in <c,d=5>))"].assert_eq(&program().compact());
    expect![[r#"
        (x -> (let
          c=f(x)
         in <
          c,
          d=5
        >))"#]]
    .assert_eq(&program().formatted());
    expect!["Lambda('x', TensorType(np.int32), Block([('c', Call(Reference('f', FunctionType(TensorType(np.int32), TensorType(np.int32))), Reference('x', TensorType(np.int32))))], Struct([(None, Reference('c', TensorType(np.int32))), ('d', Literal(5, TensorType(np.int32)))])))"]
        .assert_eq(&format!("{:?}", program()));
}

#[test]
fn references_are_equal_only_to_themselves() {
    let (one, other) = (reference("x", "int32"), reference("x", "int32"));
    assert!(one == one.clone());
    assert!(one != other);
    assert!(structure(vec![(None, one.clone())]) == structure(vec![(None, one)]));
    assert!(literal("5", "int32") == literal("5", "int32"));
    assert!(literal("5", "int32") != literal("5", "int64"));
    assert!(program() != program());
}

#[track_caller]
fn check_refused<T>(result: Result<T, Refusal>, expected: Expect) {
    expected.assert_eq(&refused(result));
}

#[test]
fn constructors_refuse_what_has_no_type() {
    let pair = || reference("s", "<a=int32,bool>");
    check_refused(
        Block::select_name(pair(), "b"),
        expect![
            "ValueError: Error selecting named field `b` from type `<a=int32,bool>`, whose only named fields are ['a']."
        ],
    );
    check_refused(
        Block::select_name(pair(), ""),
        expect!["ValueError: The name of the selected element cannot be empty."],
    );
    check_refused(
        Block::select_index(pair(), 2),
        expect!["ValueError: The index `2` does not fit into the valid range in the struct type: 0..2"],
    );
    check_refused(
        Block::select_index(pair(), -1),
        expect!["ValueError: The index `-1` does not fit into the valid range in the struct type: 0..2"],
    );
    check_refused(
        Block::select_index(reference("x", "int32"), 0),
        expect![
            "TypeError: Expected the source of selection to be a `StructType`, instead found it to be of type int32."
        ],
    );
    check_refused(
        Block::refuse_selection(&pair(), true),
        expect!["ValueError: Cannot simultaneously specify a name and an index, choose one."],
    );
    check_refused(
        Block::refuse_selection(&pair(), false),
        expect!["ValueError: Must define either a name or index, and neither was specified."],
    );
    check_refused(
        Block::call(pair(), None),
        expect!["TypeError: Expected `fn` to have a `FunctionType`, found <a=int32,bool>."],
    );
    let f = || reference("f", "(int32 -> int32)");
    check_refused(
        Block::call(f(), None),
        expect!["TypeError: Expected `arg` to be of type int32, found None."],
    );
    check_refused(
        Block::call(f(), Some(pair())),
        expect!["TypeError: Expected `arg` to be of type int32, found an incompatible type <a=int32,bool>."],
    );
    check_refused(
        Block::call(reference("g", "( -> int32)"), Some(pair())),
        expect!["TypeError: Expected `arg` to be None, found s."],
    );
    check_refused(
        Block::function(Some("x"), None, pair()),
        expect![
            "TypeError: A lambda expression must have either a valid parameter name and type or both parameter name and type must be `None`. `parameter_name` was x but `parameter_type` was None."
        ],
    );
    check_refused(
        Block::function(None, Some(ty("int32")), pair()),
        expect![
            "TypeError: A lambda expression must have either a valid parameter name and type or both parameter name and type must be `None`. `parameter_name` was None but `parameter_type` was int32."
        ],
    );
}

#[test]
fn walks_keep_what_they_do_not_replace() {
    let (left, right) =
        (structure(vec![(None, reference("x", "int32"))]), structure(vec![(None, literal("5", "int32"))]));
    let root = structure(vec![(None, left.clone()), (Some("b"), right)]);
    let six = |block: &Toys| {
        Ok::<_, Refusal>(if block.compact() == "5" { Some(literal("6", "int32")) } else { None })
    };
    let new = allowed(transform::postorder(&root, &mut { six })).unwrap_or_else(|| root.clone());
    expect!["<<x>,b=<6>>"].assert_eq(&new.compact());
    assert!(new.children()[0].is(&left));
    let nothing = allowed(transform::postorder(&root, &mut |_| Ok::<_, Refusal>(None)));
    assert!(nothing.is_none());
    let whole = allowed(transform::preorder(&root, &mut |_| Ok::<_, Refusal>(Some(literal("1", "int32")))));
    assert_eq!(whole.map(|block| block.compact()), Some("1".to_owned()));
}

#[test]
fn selections_by_name_become_selections_by_position() {
    let inner = allowed(Block::select_name(reference("s", "<int32,a=<b=bool>>"), "a"));
    let block = allowed(Block::select_name(inner, "b"));
    assert_eq!(block.compact(), "s.a.b");
    assert_eq!(allowed(transform::selections_by_index(&block)).compact(), "s[1][0]");
    let already = allowed(transform::selections_by_index(&program()));
    assert_eq!(already.compact(), program().compact());
}

#[test]
fn names_of_blocks() {
    let found: Vec<String> = names::unique_names(&program()).iter().map(|name| name.to_string()).collect();
    assert_eq!(found, ["c", "f", "x"]);
    let unbound: Vec<String> = names::unbound_names(&program()).iter().map(|name| name.to_string()).collect();
    assert_eq!(unbound, ["f"]);
    assert_eq!(names::unused_prefix(Some(&program()), "_var"), "_var");
    assert_eq!(names::unused_prefix(Some(&reference("_var7", "int32")), "_var"), "_var1_");
    assert_eq!(names::unused_prefix::<super::toy::Toy>(None, "x"), "x");
}

#[test]
fn locals_hide_names_in_what_follows_them() {
    let x = || reference("x", "int32");
    let locals = vec![Local { name: "x".into(), value: x() }, Local { name: "y".into(), value: x() }];
    let hidden = allowed(Block::with_locals(locals, x()));
    assert_eq!(names::unbound_names(&hidden).len(), 1);
    let own = vec![Local { name: "x".into(), value: literal("1", "int32") }];
    assert!(names::unbound_names(&allowed(Block::with_locals(own, x()))).is_empty());
}
