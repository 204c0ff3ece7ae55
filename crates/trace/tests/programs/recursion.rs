//! Functions that call themselves or each other where a value of the graph decides whether they do.

use crate::{check, refused, stage};

#[test]
fn a_function_that_calls_itself() {
    check(
        "
def f(n):
    if n <= 0:
        return 1
    else:
        return f(n - 1) * 2
def main(n):
    return f(n)
",
        1,
        &[&[0], &[1], &[7], &[-3]],
    );
}

#[test]
fn a_call_is_an_operand() {
    check(
        "
def f(n):
    if n <= 0:
        return 0
    else:
        return n + f(n - 1)
def main(n):
    return f(n) * 10 + f(n + 1)
",
        1,
        &[&[0], &[4], &[9]],
    );
}

#[test]
fn a_function_calls_itself_twice() {
    check(
        "
def fib(n):
    if n < 2:
        return n
    else:
        return fib(n - 1) + fib(n - 2)
def main(n):
    return fib(n)
",
        1,
        &[&[0], &[1], &[2], &[10]],
    );
}

#[test]
fn a_call_is_an_argument_of_a_call() {
    check(
        "
def mc(n):
    if n > 100:
        return n - 10
    else:
        return mc(mc(n + 11))
def main(n):
    return mc(n)
",
        1,
        &[&[101], &[100], &[87], &[50]],
    );
}

#[test]
fn a_function_of_two_calls_in_each_other() {
    // The two calls with `m - 1` that stand in the first one are traced there, and each of them makes a function of its own.
    check(
        "
def ack(m, n):
    if m == 0:
        return n + 1
    else:
        if n == 0:
            return ack(m - 1, 1)
        else:
            return ack(m - 1, ack(m, n - 1))
def main(m, n):
    return ack(m, n)
",
        3,
        &[&[0, 3], &[1, 2], &[2, 3]],
    );
}

#[test]
fn two_functions_call_each_other() {
    check(
        "
def even(n):
    if n == 0:
        return 1
    else:
        return odd(n - 1)
def odd(n):
    if n == 0:
        return 0
    else:
        return even(n - 1)
def main(n):
    return even(n)
",
        1,
        &[&[0], &[1], &[8], &[13]],
    );
}

#[test]
fn three_functions_call_each_other() {
    check(
        "
def a(n):
    if n <= 0:
        return 0
    else:
        return b(n - 1) + 1
def b(n):
    if n <= 0:
        return 10
    else:
        return c(n - 1) + 2
def c(n):
    if n <= 0:
        return 20
    else:
        return a(n - 1) + 3
def main(n):
    return a(n)
",
        1,
        &[&[0], &[1], &[2], &[3], &[10]],
    );
}

#[test]
fn a_function_that_calls_itself_calls_another_that_does() {
    check(
        "
def up(n):
    if n <= 0:
        return 0
    else:
        return up(n - 1) + 1
def tri(n):
    if n <= 0:
        return 0
    else:
        return up(n) + tri(n - 1)
def main(n):
    return tri(n)
",
        2,
        &[&[0], &[1], &[6]],
    );
}

#[test]
fn a_function_calls_itself_in_a_loop() {
    check(
        "
def f(n):
    s = 1
    if n > 0:
        i = 0
        while i < n:
            s = s + f(i)
            i = i + 1
    else:
        s = 1
    return s
def main(n):
    return f(n)
",
        1,
        &[&[0], &[1], &[5]],
    );
}

#[test]
fn a_loop_calls_a_function_that_calls_itself() {
    check(
        "
def f(n):
    if n <= 0:
        return 1
    else:
        return f(n - 1) * 2
def main(n):
    s = 0
    i = 0
    while i < n:
        s = s + f(i)
        i = i + 1
    return s
",
        1,
        &[&[0], &[1], &[6]],
    );
}

#[test]
fn a_function_is_made_once_for_all_its_calls() {
    check(
        "
def f(n):
    if n <= 0:
        return 1
    else:
        return f(n - 1) + 1
def main(n):
    a = f(n)
    b = f(n + 3)
    return a * b + f(2 * n)
",
        1,
        &[&[0], &[4]],
    );
}

#[test]
fn the_result_is_of_the_branch_that_ends() {
    check(
        "
def f(n):
    if n > 0:
        return f(n - 1)
    else:
        return 42
def main(n):
    return f(n)
",
        1,
        &[&[0], &[5]],
    );
}

#[test]
fn a_path_without_a_result_waits_for_the_others() {
    check(
        "
def f(n):
    if n > 10:
        return f(n - 5)
    else:
        if n > 5:
            return f(n - 1)
        else:
            return n
def main(n):
    return f(n)
",
        1,
        &[&[2], &[8], &[17]],
    );
}

#[test]
fn a_function_without_an_end_is_refused() {
    let text = "
def f(n):
    if n > 0:
        return f(n - 1)
    else:
        return f(n + 1)
def main(n):
    return f(n)
";
    assert_eq!(refused(text), "GW117: `f` calls itself on every path");
}

#[test]
fn two_functions_without_an_end_are_refused() {
    let text = "
def f(n):
    if n > 0:
        return g(n)
    else:
        return g(n - 1)
def g(n):
    return f(n + 1)
def main(n):
    return f(n)
";
    assert_eq!(refused(text), "GW117: `f` calls itself on every path");
}

#[test]
fn collatz_steps() {
    check(
        "
def steps(n):
    if n == 1:
        return 0
    else:
        if n % 2 == 0:
            return steps(n // 2) + 1
        else:
            return steps(3 * n + 1) + 1
def main(n):
    return steps(n)
",
        1,
        &[&[1], &[6], &[7], &[27]],
    );
}

#[test]
fn a_function_is_traced_in_few_rounds() {
    let staged = stage(
        "
def f(n):
    if n <= 0:
        return 1
    else:
        return f(n - 1) + f(n - 2)
def main(n):
    return f(n)
",
    );
    let bodies = staged.expect("the program is staged").bodies;
    assert_eq!(bodies, 5, "`main`, the call itself, and three rounds");
}

#[test]
fn functions_in_each_other_are_not_traced_once_for_each_way_to_them() {
    let chain = |length: usize| {
        let call = |k: usize| {
            format!(
                "def f{k}(n):\n    if n <= 0:\n        return 1\n    else:\n        return f{k}(n - 1) + f{}(n - 1)\n",
                k + 1
            )
        };
        let mut text: String = (0..length).map(call).collect();
        text += &format!("def f{length}(n):\n    return n\ndef main(n):\n    return f0(n)\n");
        stage(&text).expect("the program is staged").bodies
    };
    // A function in so many others is traced in the rounds of each: as often as the square of their number, and not as a power.
    let [short, long] = [chain(4), chain(8)];
    assert!(long <= 5 * short, "{short} bodies for 4 functions, {long} for 8");
}

#[test]
fn a_function_of_the_graph_calls_one_that_is_traced_where_it_stands() {
    check(
        "
def twice(x):
    return x + x
def f(n):
    if n <= 0:
        return 1
    else:
        return twice(f(n - 1)) + twice(n)
def main(n):
    return f(n)
",
        1,
        &[&[0], &[6]],
    );
}

#[test]
fn a_loop_in_a_function_that_calls_itself() {
    check(
        "
def f(n):
    i = 0
    s = 0
    while i < n:
        s = s + i
        i = i + 1
    if n <= 0:
        return s
    else:
        return s + f(n - 1)
def main(n):
    return f(n)
",
        1,
        &[&[0], &[1], &[6]],
    );
}

#[test]
fn the_order_of_functions_in_the_text_does_not_matter() {
    check(
        "
def main(n):
    return f(n)
def f(n):
    if n <= 0:
        return g(n)
    else:
        return f(n - 1) + g(n)
def g(n):
    return n * n
",
        1,
        &[&[0], &[5]],
    );
}
