//! Large functions that are called again and again beside each other.

use crate::check;

/// A program that calls `f` so many times in a row.
fn calls(f: &str, count: usize) -> String {
    let line = |k: usize| format!("    x = f(x + {k})\n");
    let lines: String = (0..count).map(line).collect();
    format!("{f}def main(n):\n    x = n\n{lines}    return x\n")
}

#[test]
fn a_small_function_is_traced_where_it_is_called() {
    let text = calls("def f(x):\n    return x * 3 + 1\n", 6);
    let staged = check(&text, 0, &[&[0], &[5]]);
    assert_eq!(staged.bodies, 7);
}

#[test]
fn a_large_function_becomes_one_of_the_graph() {
    // The first call measures it, the second one watches it, the third one makes the function.
    let text = calls("def f(x):\n    return large(x * 3)\n", 8);
    let staged = check(&text, 1, &[&[0], &[5]]);
    assert!(staged.bodies < 8, "{} bodies are traced for 8 calls", staged.bodies);
}

#[test]
fn more_calls_trace_no_more_bodies() {
    let f = "def f(x):\n    return large(x * 3)\n";
    let [few, many] = [calls(f, 8), calls(f, 40)].map(|text| check(&text, 1, &[&[2]]).bodies);
    assert_eq!(few, many);
}

#[test]
fn two_calls_of_a_large_function_need_none() {
    check(&calls("def f(x):\n    return large(x)\n", 2), 0, &[&[4]]);
}

#[test]
fn a_large_function_with_a_branch() {
    let f = "def f(x):\n    if x % 2 == 0:\n        return large(x)\n    else:\n        return x - 1\n";
    check(&calls(f, 6), 1, &[&[0], &[5]]);
}

#[test]
fn a_large_function_with_a_loop() {
    let f = "def f(x):\n    i = 0\n    y = large(x)\n    while i < 3:\n        y = y + x\n        i = i + 1\n    return y\n";
    check(&calls(f, 6), 1, &[&[0], &[5]]);
}

#[test]
fn a_function_that_may_fail_is_traced_where_it_is_called() {
    let f = "def f(x):\n    return large(x) // (x * x + 1)\n";
    let staged = check(&calls(f, 6), 0, &[&[0], &[5]]);
    assert!(staged.bodies >= 7, "{} bodies", staged.bodies);
}

#[test]
fn a_function_that_fills_a_list_is_traced_where_it_is_called() {
    let text = "
def f(x, xs):
    push(xs, x)
    return large(x)
def main(n):
    xs = []
    a = f(n, xs)
    b = f(n, xs)
    c = f(n, xs)
    d = f(n, xs)
    return a + b + c + d + len(xs)
";
    check(text, 0, &[&[3]]);
}

#[test]
fn a_large_function_that_changes_a_variable_of_the_program() {
    let f = "def f(x):\n    TOTAL = TOTAL + x\n    return large(x)\n";
    let text = calls(f, 6).replace("    return x\n", "    return TOTAL + x\n");
    check(&text, 1, &[&[0], &[5]]);
}

#[test]
fn each_kind_of_arguments_has_a_function_of_its_own() {
    let text = "
def f(x, k):
    return large(x) * k
def main(n):
    a = f(n, 2) + f(n, 2) + f(n, 2) + f(n, 2)
    return a + f(n, 3) + f(n, 3) + f(n, 3) + f(n, 3)
";
    check(text, 2, &[&[1], &[9]]);
}

#[test]
fn a_large_function_that_calls_a_large_one() {
    let f = "def g(x):\n    return large(x)\ndef f(x):\n    return g(x) + large(g(x + 1)) + g(x + 2)\n";
    let staged = check(&calls(f, 10), 2, &[&[0], &[5]]);
    assert!(staged.bodies < 20, "{} bodies are traced for 40 calls", staged.bodies);
}

#[test]
fn a_large_function_is_called_in_a_loop() {
    let text = "
def f(x):
    return large(x)
def main(n):
    i = 0
    s = f(n) + f(n) + f(n)
    while i < n:
        s = s + f(i)
        i = i + 1
    return s
";
    check(text, 1, &[&[0], &[3]]);
}

#[test]
fn a_small_function_that_calls_itself_twice_for_each_number_is_kept() {
    // Traced one in the other, its calls would be as many as two to the power of 14.
    let text = "
def f(x, k):
    if k == 0:
        return x + 1
    else:
        if x > 1000000:
            return x
        else:
            return f(x, k - 1) + f(x + 1, k - 1)
def main(n):
    return f(n, 14) % 1000003
";
    let staged = crate::stage(text).expect("the program is staged");
    assert!(staged.bodies < 5000, "{} bodies are traced", staged.bodies);
}
