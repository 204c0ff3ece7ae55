//! Refusals: the sentence, and the user's tokens that it stands under.

use expect_test::{Expect, expect};
use proc_macro2::{LineColumn, TokenStream};

use crate::function;

/// The text of a program between two places.
fn between(text: &str, start: LineColumn, end: LineColumn) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let line = lines.get(start.line.saturating_sub(1)).copied().unwrap_or_default();
    let end = if start.line == end.line { end.column } else { line.chars().count() };
    line.chars().skip(start.column).take(end.saturating_sub(start.column)).collect()
}

/// Shows where and why each of these functions is refused.
#[track_caller]
fn check(functions: &[&str], expected: Expect) {
    let mut shown = String::new();
    for text in functions {
        let tokens: TokenStream = text.parse().expect("the function is made of tokens");
        let told = match function::module(TokenStream::new(), tokens) {
            Ok(_) => "is taken".to_owned(),
            Err(error) => {
                let span = error.span();
                format!("{}: {error}", between(text, span.start(), span.end()))
            }
        };
        shown.push_str(&told);
        shown.push('\n');
    }
    expected.assert_eq(&shown);
}

/// Functions whose bodies begin with these texts.
#[track_caller]
fn check_bodies(bodies: &[&str], expected: Expect) {
    let functions: Vec<String> = bodies
        .iter()
        .map(|body| format!("fn f(n: i64, v: Vec<i64>) -> i64 {{\n    let mut x = n;\n    {body}\n    x\n}}"))
        .collect();
    check(&functions.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn control_flow_that_the_toy_does_not_take() {
    check_bodies(
        &[
            "for i in 0..n { x += i; }",
            "loop { x += 1; }",
            "while x < 3 { if x == 2 { break; } x += 1; }",
            "while x < 3 { continue; }",
            "'outer: while x < 3 { x += 1; }",
            "match n { 0 => x = 1, _ => x = 2 }",
            "if let Some(y) = g(n) { x = y; }",
            "let y = v.first() else { return 0; };",
            "return x;",
            "let y = if n > 0 { 1 };",
        ],
        expect![[r#"
            for: the toy takes no `for`: write a `while` that counts
            loop: the toy takes no `loop`: write a `while` with a test
            break: the toy takes no `break`: put it into the test of the `while`
            continue: the toy takes no `continue`: write an `if`
            'outer:: the toy takes no labels
            match: the toy takes no `match`: write `if` and `else`
            let: the toy takes no `if let` or `while let`
            else: the toy takes no `let … else`
            return: the toy takes no `return`: end the function with its value, or leave it with `ensure(…)?`
            if n > 0 { 1 }: an `if` with a value has an `else`
        "#]],
    );
}

#[test]
fn expressions_that_the_toy_does_not_take() {
    check_bodies(
        &[
            "let f = |y| y + 1;",
            "let (a, b) = (1, 2);",
            "let y = (1, 2);",
            "let y = [1, 2];",
            "let y = n as i32;",
            "let y = 1u8;",
            "let y = \"text\";",
            "let y = n << 1;",
            "let y = &mut x;",
            "let y = *n;",
            "let y = v[0..2];",
            "let y = n.pow(2);",
            "let y = std::cmp::max(n, 1);",
            "let y = f(n - 1, v);",
            "let y = unsafe { n };",
            "let y = g(n).await;",
            "println!(\"{}\", n);",
            "let y = format!(\"{}\", n);",
            "outside += 1;",
            "let y = x.field;",
            "n + 1;",
            "let y = n > 0 && { x = 1; true };",
            "let y = g({ x = 1; 2 }).unwrap_or(3);",
        ],
        expect![[r#"
            |y| y + 1: the toy takes no closures: write a function with the attribute
            (a, b): the toy takes no patterns: bind one name
            (1, 2): the toy takes no tuples
            [1, 2]: the toy takes no arrays: write `vec![…]`
            i32: the toy casts to `i64`, `f64` and `usize`
            1u8: the toy takes numbers that are `i64` or `f64`, and bools
            "text": the toy takes numbers that are `i64` or `f64`, and bools
            <<: the toy does not take this operator
            mut: the toy takes no `&mut`: return the new value
            *: the toy takes no dereferences
            0..2: the toy takes no ranges
            pow: the toy takes the methods `len`, `is_empty`, `push`, `clone`, `abs`, `sqrt` and `unwrap_or`
            std::cmp::max: the toy takes names without `::`
            f: the toy takes no recursion: write a `while`
            unsafe: a graph has no addresses, so it takes no `unsafe`
            await: a graph does not wait, so it takes no `.await`
            println: the toy takes no macro but `vec!`
            format: the toy takes no macro but `vec!`
            outside: the toy knows no variable `outside`: it takes parameters and what `let` binds
            field: the toy takes no fields
            n + 1: the value of this expression is dropped
            { x = 1; true }: the toy takes no assignment to a variable from around this
            g({ x = 1; 2 }): the toy takes no assignment to a variable from around this
        "#]],
    );
}

#[test]
fn failures_that_the_toy_does_not_take() {
    check_bodies(
        &[
            "ensure(n > 0, \"a text\");",
            "ensure(n > 0, text)?;",
            "Err(\"a text\")?;",
            "v.first()?;",
            "let y = v.first().unwrap_or(n);",
        ],
        expect![[r#"
            ensure(n > 0, "a text"): write `?` behind `ensure(…)`
            text: the text of a failure is written as it is, `"…"`
            Err("a text"): the toy takes no `Err(…)`: write `ensure(test, "…")?`
            v.first(): the toy takes a `Result` that `Ok`, `ensure` or a staged function gives
            v.first(): the toy takes a `Result` that `Ok`, `ensure` or a staged function gives
        "#]],
    );
}

#[test]
fn signatures_that_the_toy_does_not_take() {
    check(
        &[
            "async fn f(n: i64) -> i64 { n }",
            "const fn f(n: i64) -> i64 { n }",
            "unsafe fn f(n: i64) -> i64 { n }",
            "extern \"C\" fn f(n: i64) -> i64 { n }",
            "fn f<T>(n: T) -> T { n }",
            "fn f(&self) -> i64 { 1 }",
            "fn f((a, b): (i64, i64)) -> i64 { a }",
            "fn f(n: i32) -> i64 { 1 }",
            "fn f(v: &mut Vec<i64>) -> i64 { 1 }",
            "fn f(v: Vec<Vec<i64>>) -> i64 { 1 }",
            "fn f(n: i64) { }",
            "fn f(n: i64) -> i64 { let x = n; }",
            "fn f(v: &[f64]) -> Result<bool, String> { Ok(true) }",
            "struct S;",
        ],
        expect![[r#"
            async: a graph does not wait, so it takes no `async`
            const: a graph is made when the program runs, so that it takes no `const fn`
            unsafe: a graph has no addresses, so it takes no `unsafe`
            extern "C": a function of the graph has no address, so that it takes no `extern`
            <T>: the toy takes no generic functions
            &self: the toy takes functions, no methods
            (a, b): the toy takes no patterns: bind one name
            i32: the toy takes `i64`, `f64`, `bool` and `Vec`s of them
            &mut Vec<i64>: the toy takes `i64`, `f64`, `bool` and `Vec`s of them
            Vec<Vec<i64>>: the toy takes `i64`, `f64`, `bool` and `Vec`s of them
            : a function of the graph returns a value
            { let x = n; }: this block has no value at its end
            is taken
            struct: expected `fn`
        "#]],
    );
}

#[test]
fn a_refused_function_stays_and_the_error_stands_beside_it() {
    let function: TokenStream = "fn f(n: i64) -> i64 { loop {} }".parse().expect("tokens");
    let shown = function::expanded(TokenStream::new(), function).to_string();
    assert!(shown.starts_with("fn f (n : i64)"), "{shown}");
    assert!(shown.contains("compile_error ! { \"the toy takes no `loop`"), "{shown}");
}

#[test]
fn options_are_refused() {
    let refused = function::module("host_code = 1".parse().expect("tokens"), TokenStream::new());
    expect!["the toy takes no options"].assert_eq(&refused.expect_err("no options").to_string());
}

/// Pseudo-random tokens never end the macro.
#[test]
fn the_macro_refuses_or_takes_all_that_is_written() {
    const WORDS: &[&str] = &[
        "x",
        "n",
        "v",
        "=",
        "+=",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ";",
        "if",
        "else",
        "while",
        "?",
        "ensure",
        "1",
        "2.5",
        "+",
        "<",
        "let",
        "mut",
        ".",
        "push",
        "unwrap_or",
        "vec!",
        ",",
        "as",
        "f64",
        "&",
        "&&",
        "!",
        "\"t\"",
        "Ok",
    ];
    let mut state = 7_u64;
    let mut next = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let mut parsed = 0;
    for _ in 0..20_000 {
        let count = 1 + next(12);
        let body: Vec<&str> = (0..count).map(|_| WORDS[next(WORDS.len())]).collect();
        let text = format!("fn f(n: i64, v: Vec<i64>) -> i64 {{ let mut x = n; {} ; x }}", body.join(" "));
        let Ok(tokens) = text.parse::<TokenStream>() else { continue };
        parsed += usize::from(syn::parse2::<syn::ItemFn>(tokens.clone()).is_ok());
        function::expanded(TokenStream::new(), tokens);
    }
    assert!(parsed > 100, "{parsed} functions were read");
}
