//! `try`, `raise` and what follows them, where a value of the graph decides what is raised.

use std::fmt::Write;

use crate::host::Failure;
use crate::plain;
use crate::syntax::Program;
use crate::{check, stage};

/// Checks a `main(n)` of these lines, which sets `x`, for some numbers.
#[track_caller]
fn body(lines: &str) {
    let lines: String = lines.lines().map(|line| format!("    {line}\n")).collect();
    let text = format!("def main(n):\n    x = 0\n{lines}    return x\n");
    check(&text, 0, &[&[-7], &[-1], &[0], &[1], &[2], &[3], &[5], &[12]]);
}

#[test]
fn a_handler_follows_what_a_branch_raises() {
    body("try:\n    if n > 0:\n        raise A\n    x = 1\nexcept A:\n    x = 2");
}

#[test]
fn a_change_before_an_exit_is_seen_by_the_handler() {
    body("try:\n    x = n\n    if n > 0:\n        raise A\n    x = 1\nexcept A:\n    x = x + 2");
}

#[test]
fn a_change_after_an_exit_is_not() {
    body("try:\n    if n > 0:\n        raise A\n    x = n * n\nexcept A:\n    x = x + 2");
}

#[test]
fn each_class_has_its_handler() {
    body(
        "try:\n    if n > 2:\n        raise A\n    if n > 0:\n        raise B\n    x = 1\nexcept A:\n    x = 2\nexcept B:\n    x = 3",
    );
}

#[test]
fn two_exits_of_one_class_with_states_of_their_own() {
    body(
        "try:\n    x = n\n    if n > 2:\n        raise A\n    x = n * 3\n    if n > 0:\n        raise A\nexcept A:\n    x = x + 1",
    );
}

#[test]
fn both_branches_raise() {
    body(
        "try:\n    if n > 2:\n        raise A\n    else:\n        raise B\nexcept A:\n    x = 2\nexcept B:\n    x = 3",
    );
}

#[test]
fn else_follows_the_end_of_the_body_alone() {
    body("try:\n    if n > 0:\n        raise A\nexcept A:\n    x = 2\nelse:\n    x = n - 5");
}

#[test]
fn finally_follows_each_way() {
    body("try:\n    if n > 0:\n        raise A\n    x = 1\nexcept A:\n    x = 2\nfinally:\n    x = x * 10");
}

#[test]
fn finally_runs_before_an_exception_goes_on() {
    body(
        "try:\n    try:\n        if n > 0:\n            raise A\n    finally:\n        x = x + 7\nexcept A:\n    x = x * 2",
    );
}

#[test]
fn an_outer_handler_is_for_what_the_inner_one_is_not() {
    body(
        "try:\n    try:\n        if n > 2:\n            raise A\n        if n > 0:\n            raise B\n    except B:\n        x = 3\n    x = x + 1\nexcept A:\n    x = 20",
    );
}

#[test]
fn a_handler_raises() {
    body(
        "try:\n    try:\n        if n > 0:\n            raise A\n        x = 1\n    except A:\n        x = 5\n        raise B\nexcept B:\n    x = x + 100",
    );
}

#[test]
fn a_handler_raises_on_some_paths() {
    body(
        "try:\n    try:\n        if n > 0:\n            raise A\n    except A:\n        if n > 2:\n            raise B\n        x = 4\nexcept B:\n    x = 9",
    );
}

#[test]
fn finally_raises_in_place_of_what_was_raised() {
    body(
        "try:\n    try:\n        if n > 0:\n            raise A\n    finally:\n        if n > 2:\n            raise B\nexcept A:\n    x = 1\nexcept B:\n    x = 2",
    );
}

#[test]
fn a_loop_is_left_by_an_exception() {
    body(
        "i = 0\ntry:\n    while i < n:\n        if i == 3:\n            raise A\n        i = i + 1\n        x = x + i\nexcept A:\n    x = x * 100",
    );
}

#[test]
fn a_loop_goes_on_behind_a_handler() {
    body(
        "i = 0\nwhile i < n:\n    try:\n        if i % 2 == 0:\n            raise A\n        x = x + i\n    except A:\n        x = x + 100\n    i = i + 1",
    );
}

#[test]
fn a_loop_in_a_handler() {
    body(
        "i = 0\ntry:\n    if n > 2:\n        raise A\n    x = n\nexcept A:\n    while i < n:\n        x = x + i\n        i = i + 1",
    );
}

#[test]
fn an_exception_that_nothing_catches_leaves_the_graph() {
    body("if n > 2:\n    raise A\nx = n");
}

#[test]
fn an_exception_of_another_class_leaves_the_graph() {
    body("try:\n    if n > 2:\n        raise A\n    x = n\nexcept B:\n    x = 1");
}

#[test]
fn a_body_that_raises_whatever_the_graph_decides() {
    body("try:\n    x = n\n    raise A\nexcept A:\n    x = x + 1");
}

#[test]
fn a_body_that_raises_nothing() {
    body("try:\n    x = n * 2\nexcept A:\n    x = 9\nelse:\n    x = x + 1\nfinally:\n    x = x + 3");
}

#[test]
fn a_function_raises_where_it_is_called() {
    let text = "
def f(n):
    if n > 2:
        raise A
    return n * 2
def main(n):
    x = 0
    try:
        x = f(n)
        x = x + f(n - 1)
    except A:
        x = x - 1
    return x
";
    check(text, 0, &[&[0], &[2], &[3], &[4]]);
}

#[test]
fn a_variable_of_the_program_keeps_what_it_got_before_an_exit() {
    let text = "
def main(n):
    TOTAL = n
    try:
        TOTAL = TOTAL + 1
        if n > 0:
            raise A
        TOTAL = TOTAL + 10
    except A:
        TOTAL = TOTAL * 2
    return TOTAL
";
    check(text, 0, &[&[0], &[2]]);
}

#[test]
fn a_try_around_a_function_that_calls_itself() {
    let text = "
def f(n):
    if n <= 0:
        return 1
    else:
        return f(n - 1) + 2
def main(n):
    x = 0
    try:
        x = f(n)
        if x > 5:
            raise A
    except A:
        x = x * 100
    return x
";
    check(text, 1, &[&[0], &[2], &[6]]);
}

#[test]
fn a_try_in_a_function_that_calls_itself() {
    let text = "
def f(n):
    x = 0
    try:
        if n % 2 == 0:
            raise A
        x = 1
    except A:
        x = 10
    if n <= 0:
        return x
    else:
        return x + f(n - 1)
def main(n):
    return f(n)
";
    check(text, 1, &[&[0], &[1], &[6]]);
}

/// Numbers that look random, the same for each seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    /// Writes a few statements over `n`, `a` and `b`, in each other to a depth.
    fn block(&mut self, text: &mut String, indent: usize, depth: usize) {
        for _ in 0..1 + self.below(3) {
            self.statement(text, indent, depth);
        }
    }

    fn statement(&mut self, text: &mut String, indent: usize, depth: usize) {
        let pad = " ".repeat(indent);
        let (name, other) = if self.below(2) == 0 { ("a", "b") } else { ("b", "a") };
        let (number, class) = (self.below(5), ["A", "B", "C"][self.below(3) as usize]);
        let kind = if depth == 0 { self.below(3) } else { self.below(8) };
        let written = match kind {
            0 => writeln!(text, "{pad}{name} = {name} + {other} * {number}"),
            1 => writeln!(text, "{pad}{name} = ({other} - n) % 97"),
            2 => writeln!(text, "{pad}if {name} % 5 == {number}:\n{pad}  raise {class}"),
            3 | 4 => {
                writeln!(text, "{pad}if {name} % 3 > {}:", number % 3).expect("a text is written");
                self.block(text, indent + 2, depth - 1);
                writeln!(text, "{pad}else:").expect("a text is written");
                self.block(text, indent + 2, depth - 1);
                Ok(())
            }
            5 => {
                writeln!(
                    text,
                    "{pad}i{depth} = 0\n{pad}while i{depth} < n % 4:\n{pad}  i{depth} = i{depth} + 1"
                )
                .expect("a text is written");
                self.block(text, indent + 2, depth - 1);
                Ok(())
            }
            _ => self.attempt(text, indent, depth - 1, class),
        };
        written.expect("a text is written");
    }

    fn attempt(&mut self, text: &mut String, indent: usize, depth: usize, class: &str) -> std::fmt::Result {
        let pad = " ".repeat(indent);
        writeln!(text, "{pad}try:")?;
        self.block(text, indent + 2, depth);
        writeln!(text, "{pad}except {class}:")?;
        self.block(text, indent + 2, depth);
        if self.below(2) == 0 {
            writeln!(text, "{pad}else:")?;
            self.block(text, indent + 2, depth);
        }
        if self.below(2) == 0 {
            writeln!(text, "{pad}finally:")?;
            self.block(text, indent + 2, depth);
        }
        Ok(())
    }
}

#[test]
fn random_nests_of_statements_agree_with_plain_rust() {
    let (mut raised, mut returned) = (0, 0);
    for seed in 0..150 {
        let mut text = String::from("def main(n):\n  a = n\n  b = 3\n  i1 = 0\n  i2 = 0\n  i3 = 0\n");
        Random(seed).block(&mut text, 2, 3);
        text.push_str("  return a * 1000 + b\n");
        let program = Program::of(&text);
        let runs: Vec<[i64; 1]> = (-2..10).map(|n| [n]).collect();
        for run in &runs {
            match plain::run(&program, run) {
                Ok(_) => returned += 1,
                Err(_) => raised += 1,
            }
        }
        match stage(&text) {
            // Exceptions raised whatever the graph decides leave the function while it is traced.
            Err(Failure::Raised(_)) => {
                assert!(runs.iter().all(|run| plain::run(&program, run).is_err()), "{text}");
            }
            Err(failure @ (Failure::Diagnosed(_) | Failure::Interrupt(_))) => {
                panic!("{failure:?} in\n{text}")
            }
            Ok(_) => drop(check(&text, 0, &runs.iter().map(|run| &run[..]).collect::<Vec<_>>())),
        }
    }
    assert!(raised > 100 && returned > 500, "{raised} runs raise, {returned} return");
}
