//! Nested statements: how often each is traced, and how large the graph becomes, grows with the depth of nesting, not with a power
//! of two of it.

use std::fmt::Write;

use crate::check;

const ARGUMENTS: [&[i64]; 9] = [&[-7], &[0], &[1], &[2], &[3], &[5], &[8], &[12], &[40]];

/// The number of operations that were made for a program, those of branches that were traced again among them.
fn operations(text: &str) -> usize {
    check(text, 0, &ARGUMENTS).graph.nodes.len()
}

/// Checks that a program of twice the depth takes at most so many times the operations.
#[track_caller]
fn check_growth(text: &dyn Fn(usize) -> String, depth: usize, most: usize) {
    let [small, large] = [depth, 2 * depth].map(|depth| operations(&text(depth)));
    assert!(large <= most * small, "{small} operations for depth {depth}, {large} for twice that");
}

/// `main(n)` of these statements around `x = x + 1`.
fn nested(depth: usize, before: &dyn Fn(usize) -> String, after: &dyn Fn(usize) -> String) -> String {
    let mut text = "def main(n):\n    x = n\n".to_owned();
    let mut put = |level: usize, lines: String| {
        for line in lines.lines() {
            writeln!(text, "{}{line}", "    ".repeat(level + 1)).expect("a text takes all");
        }
    };
    (0..depth).for_each(|level| put(level, before(level)));
    put(depth, "x = x + 1".to_owned());
    (0..depth).rev().for_each(|level| put(level, after(level)));
    put(0, "return x".to_owned());
    text
}

#[test]
fn a_branch_before_one_that_raises_is_traced_twice_at_most() {
    let guards = |depth| {
        let before = |level| format!("if x > {level}:\n    x = x + 1");
        nested(depth, &before, &|_| "else:\n    raise A".to_owned())
    };
    check_growth(&guards, 8, 5);
}

#[test]
fn guards_in_a_try() {
    let guards = |depth| {
        let before =
            |level| format!("try:\n    if x > {level}:\n        x = x + 1\n    else:\n        raise A");
        nested(depth, &before, &|level| format!("except A:\n    x = x * 2 + {level}"))
    };
    check_growth(&guards, 4, 6);
}

#[test]
fn a_finally_follows_exceptions_of_several_classes() {
    let before = |level| format!("try:\n    if x == {level}:\n        raise C{level}");
    let program = |depth| nested(depth, &before, &|level| format!("finally:\n    x = x + {level}"));
    check_growth(&program, 5, 6);
}

#[test]
fn handlers_raise_what_outer_handlers_catch() {
    let before = |_| "try:\n    if x > 20:\n        raise A\n    if x > 7:\n        raise B".to_owned();
    let after = |level| {
        format!(
            "except A:\n    x = x - {level}\n    if x > 9:\n        raise B\n    if x > 5:\n        raise A\nexcept B:\n    x = x + 1\n    if x > 12:\n        raise A"
        )
    };
    check_growth(&|depth| nested(depth, &before, &after), 5, 6);
}

#[test]
fn a_body_of_many_exits_joins_those_of_one_class() {
    let mut lines = String::new();
    for at in 0..30 {
        let class = if at % 3 == 0 { "A" } else { "B" };
        write!(lines, "        if x == {at}:\n            raise {class}\n        x = x + n\n        y = x\n")
            .expect("a text takes all");
    }
    let text = format!(
        "def main(n):\n    x = n\n    y = n * 2\n    try:\n{lines}    except A:\n        x = x * 1000 + y\n    except B:\n        x = x * 100 - y\n    return x\n"
    );
    let graph = gw_ir::text::print(&check(&text, 0, &ARGUMENTS).graph);
    assert_eq!(graph.matches("const 1000 ").count(), 1, "{graph}");
}
