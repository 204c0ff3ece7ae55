//! Arguments and variables of functions that call themselves: numbers that stay or vary, lists, variables of the whole program.

use crate::{check, refused};

#[test]
fn two_arguments_change() {
    check(
        "
def gcd(a, b):
    if b == 0:
        return a
    else:
        return gcd(b, a % b)
def main(a, b):
    return gcd(a, b)
",
        1,
        &[&[12, 18], &[7, 3], &[0, 5]],
    );
}

#[test]
fn an_argument_that_stays_a_number_is_none_of_the_graphs() {
    let staged = check(
        "
def f(n, k):
    if n <= 0:
        return k
    else:
        return f(n - 1, k) + k
def main(n):
    return f(n, 3)
",
        1,
        &[&[0], &[4]],
    );
    let text = gw_ir::text::print(&staged.graph);
    assert!(text.contains("func @f(%1: i64[]) ->"), "`k` is no parameter:\n{text}");
}

#[test]
fn each_number_has_a_function_of_its_own() {
    check(
        "
def f(n, k):
    if n <= 0:
        return k
    else:
        return f(n - 1, k) + k
def main(n):
    return f(n, 3) + f(n, 5)
",
        2,
        &[&[0], &[4]],
    );
}

#[test]
fn a_number_that_ends_the_recursion_needs_no_function() {
    check(
        "
def power(x, k):
    if k == 0:
        return 1
    else:
        return x * power(x, k - 1)
def main(x):
    return power(x, 5)
",
        0,
        &[&[2], &[-3]],
    );
}

#[test]
fn a_number_ends_the_recursion_in_a_branch_of_the_graph() {
    check(
        "
def f(x, k):
    if k == 0:
        return x
    else:
        if x > 10:
            return x
        else:
            return f(x + x, k - 1)
def main(x):
    return f(x, 3)
",
        0,
        &[&[1], &[20], &[-4], &[9]],
    );
}

#[test]
fn a_number_that_varies_becomes_a_value() {
    check(
        "
def f(n, depth):
    if n <= 0:
        return depth
    else:
        return f(n - 1, depth + 1)
def main(n):
    if n > 2:
        return g(n)
    else:
        return 0
def g(n):
    if n <= 0:
        return 0
    else:
        return f(n, 0) + g(n - 1)
",
        2,
        &[&[0], &[3], &[6]],
    );
}

#[test]
fn a_function_reads_a_value_from_around() {
    check(
        "
def f(n, k):
    if n <= 0:
        return k
    else:
        return f(n - 1, k) + k
def main(n):
    return f(n, n * n)
",
        1,
        &[&[0], &[4]],
    );
}

#[test]
fn a_variable_of_the_program_is_given_and_taken() {
    check(
        "
def f(n):
    if n <= 0:
        return 0
    else:
        TOTAL = TOTAL + n
        return f(n - 1)
def main(n):
    x = f(n)
    return TOTAL * 100 + x
",
        1,
        &[&[0], &[4]],
    );
}

#[test]
fn a_variable_of_the_program_that_is_only_read() {
    check(
        "
def f(n):
    if n <= 0:
        return BASE
    else:
        return f(n - 1) + BASE
def main(n):
    BASE = n + 7
    return f(n)
",
        1,
        &[&[0], &[4]],
    );
}

#[test]
fn two_variables_of_the_program_change_on_different_paths() {
    check(
        "
def f(n):
    if n <= 0:
        return 0
    else:
        if n % 2 == 0:
            EVEN = EVEN + n
        else:
            ODD = ODD + n
        return f(n - 1)
def main(n):
    x = f(n)
    return EVEN * 1000 + ODD + x
",
        1,
        &[&[0], &[1], &[9]],
    );
}

#[test]
fn a_failed_guess_leaves_no_store_behind() {
    check(
        "
def f(n):
    COUNT = COUNT + 1
    if n <= 0:
        return 0
    else:
        return f(n - 1)
def main(n):
    x = f(n)
    return COUNT + x
",
        1,
        &[&[0], &[4]],
    );
}

#[test]
fn a_list_of_values_is_an_argument() {
    check(
        "
def f(n, xs):
    if n <= 0:
        return len(xs)
    else:
        return f(n - 1, xs) + len(xs)
def main(n):
    xs = []
    push(xs, 4)
    push(xs, 5)
    return f(n, xs)
",
        1,
        &[&[0], &[4]],
    );
}

#[test]
fn a_list_that_grows_with_each_call_is_refused() {
    let text = "
def f(n, xs):
    if n <= 0:
        return len(xs)
    else:
        push(xs, 1)
        return f(n - 1, xs)
def main(n):
    return f(n, [])
";
    assert_eq!(
        refused(text),
        "GW103: `xs` is changed in place by a function that calls itself in the graph\nhelp: write a loop \
         that appends to the list, or give the function a tensor and return what is new"
    );
}

#[test]
fn a_number_that_only_grows_becomes_a_value() {
    // Each call is for another number, none of which comes again: the host asks where statements nest too deep.
    let text = "
def f(n, k):
    if n <= 0:
        return k
    else:
        return f(n - 1, k + 1)
def main(n):
    return f(n, 0)
";
    let staged = check(text, 1, &[&[0], &[5]]);
    assert!(staged.bodies < 2 * crate::MOST_DEPTH, "{} bodies are traced", staged.bodies);
}

#[test]
fn arguments_change_places() {
    check(
        "
def f(a, b, n):
    if n <= 0:
        return a * 100 + b
    else:
        return f(b, a, n - 1)
def main(a, n):
    return f(a, a + 1, n)
",
        1,
        &[&[3, 0], &[3, 1], &[3, 6]],
    );
}
