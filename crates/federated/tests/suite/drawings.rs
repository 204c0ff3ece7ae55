//! Drawings of blocks as trees.

use expect_test::{Expect, expect};
use gw_federated::blocks::{Block, Local};

use super::toy::{Toys, allowed, literal, reference, structure, ty};

#[track_caller]
fn check(block: &Toys, expected: Expect) {
    expected.assert_eq(&block.structural());
}

#[test]
fn leaves_are_labels() {
    check(&reference("x", "int32"), expect!["Ref(x)"]);
    check(&literal("5", "int32"), expect!["Lit(5)"]);
}

#[test]
fn a_child_hangs_under_its_parent() {
    let selection = allowed(Block::select_index(reference("s", "<int32>"), 0));
    check(
        &allowed(Block::lambda(Some(("s".into(), ty("<int32>"))), selection)),
        expect![[r#"
        Lambda(s)
        |
        Sel(0)
        |
        Ref(s)"#]],
    );
}

#[test]
fn calls_and_blocks_fork() {
    let f = || reference("f", "(int32 -> int32)");
    let call = |argument: Toys| allowed(Block::call(f(), Some(argument)));
    let twice = call(call(reference("x", "int32")));
    check(
        &twice,
        expect![[r#"
                   Call
                  /    \
            Ref(f)      Call
                       /    \
                 Ref(f)      Ref(x)"#]],
    );
    let locals =
        vec![Local { name: "a".into(), value: twice }, Local { name: "b".into(), value: structure(vec![]) }];
    check(
        &allowed(Block::with_locals(locals, reference("b", "<>"))),
        expect![[r#"
                                        Block
                                       /     \
                [a=Call,      b=Struct]       Ref(b)
                  /    \        |
            Ref(f)      Call    []
                       /    \
                 Ref(f)      Ref(x)"#]],
    );
}
