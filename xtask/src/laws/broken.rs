//! Each law is broken once on purpose, in a house of a file or two: a law that cannot fail guards nothing.

use expect_test::{Expect, expect};

use super::LAWS;
use crate::house::House;

fn check(law: &str, files: &[(&str, &str)], complaints: Expect) {
    let files = files.iter().map(|(path, text)| Ok(((*path).to_owned(), (*text).to_owned())));
    let house = House::of(files).expect("the files can be read");
    let law = LAWS.iter().find(|known| known.name == law).expect("the law is in the list");
    complaints.assert_eq(&(law.find)(&house).join("\n"));
}

fn manifest(name: &str, uses: &str) -> String {
    format!("[package]\nname = \"{name}\"\n[dependencies]\n{uses} = {{ workspace = true }}\n")
}

#[test]
fn floors() {
    let runtime = ("crates/runtime/Cargo.toml", manifest("gw_runtime", "gw_ir"));
    let files = [(runtime.0, runtime.1.as_str())];
    check("nobody_looks_upstairs", &files, expect!["crates/runtime: `gw_runtime` looks upstairs at `gw_ir`"]);
    check(
        "rooms_inherit_the_workspace",
        &files,
        expect![[r#"
        crates/runtime/Cargo.toml: `version` is not the workspace's
        crates/runtime/Cargo.toml: `edition` is not the workspace's
        crates/runtime/Cargo.toml: `rust-version` is not the workspace's
        crates/runtime/Cargo.toml: `license` is not the workspace's
        crates/runtime/Cargo.toml: `publish` is not the workspace's
        crates/runtime/Cargo.toml: `lints` are not the workspace's"#]],
    );
    check(
        "no_room_for_odds_and_ends",
        &[("crates/ir/src/utils.rs", "")],
        expect!["crates/ir/src/utils.rs: name it after what it is about"],
    );
    check(
        "kernels_know_no_graph",
        &[("k/Cargo.toml", &manifest("gw_kernels", "gw_types"))],
        expect!["`gw_kernels` may not use `gw_types`"],
    );
    check(
        "lower_never_imports_ir",
        &[("l/Cargo.toml", &manifest("gw_lower", "gw_ir"))],
        expect!["`gw_lower` may not use `gw_ir`"],
    );
    check(
        "trace_knows_no_host_language",
        &[("t/Cargo.toml", &manifest("gw_trace", "pyo3"))],
        expect!["`gw_trace` may not use `pyo3`"],
    );
    check(
        "meaning_knows_no_backend",
        &[("o/Cargo.toml", &manifest("gw_opt", "gw_cpu"))],
        expect!["`gw_opt` may not use `gw_cpu`"],
    );
}

#[test]
fn walls() {
    check(
        "one_file_names_ruff",
        &[("crates/lower/src/lib.rs", "use ruff_python_ast::Stmt;")],
        expect!["crates/lower/src/lib.rs:1: `ruff_python_ast` outside crates/syntax/src/from_ruff"],
    );
    check(
        "py_alone_names_pyo3",
        &[("crates/trace/src/lib.rs", "\n// pyo3 in prose\nuse pyo3::prelude::*;")],
        expect!["crates/trace/src/lib.rs:3: `pyo3` outside crates/py/"],
    );
    check(
        "jit_alone_names_cranelift",
        &[("crates/cpu/src/lib.rs", "fn f() { cranelift_jit::go() }")],
        expect!["crates/cpu/src/lib.rs:1: `cranelift_jit` outside crates/cpu/src/jit"],
    );
    check(
        "one_folder_opens_libraries",
        &[("crates/cpu/src/jit/mod.rs", "use libloading::Library;")],
        expect!["crates/cpu/src/jit/mod.rs:1: `libloading` outside crates/cpu/src/jit/llvm"],
    );
}

#[test]
fn words() {
    let over_ops = "fn f(op: Op) { match op { Op::Add | Op::Mul => 1, _ => 2 } match 3 { 1 => 1, _ => 2 } }";
    check(
        "no_wildcard_over_ops",
        &[("crates/ir/src/a.rs", over_ops)],
        expect![[r#"
        crates/ir/src/a.rs:1: a catch-all arm over `Op`
        Cargo.toml: clippy's `wildcard_enum_match_arm` is not on"#]],
    );
    let listed = "fn f(op: Op) -> bool { matches!(op, Op::Binary(BinaryOp::Add | BinaryOp::Mul)) || matches!(op, Op::Put) }";
    check(
        "ir_alone_lists_ops",
        &[("crates/opt/src/a.rs", listed), ("crates/ir/src/a.rs", listed)],
        expect!["crates/opt/src/a.rs:1: `matches!` over several ops"],
    );
    let named = "fn f(op: Op) { match op { Op::Add => 1, other if other.odd() => 2, other => 3 } }";
    check(
        "no_wildcard_over_ops",
        &[("crates/ir/src/a.rs", named)],
        expect![[r#"
        crates/ir/src/a.rs:1: a catch-all arm over `Op`
        Cargo.toml: clippy's `wildcard_enum_match_arm` is not on"#]],
    );
    check(
        "unsafe_keeps_to_its_rooms",
        &[("crates/ir/src/a.rs", "fn f() { unsafe { g() } }")],
        expect!["crates/ir/src/a.rs:1: `unsafe`"],
    );
    let silent = "fn f() {\n  // SAFETY: g is ours\n  unsafe { g() }\n}\nfn h() {\n  unsafe { g() }\n}";
    check(
        "unsafe_says_why_it_is_safe",
        &[("crates/runtime/src/a.rs", silent)],
        expect!["crates/runtime/src/a.rs:6: `unsafe` without `// SAFETY:`"],
    );
    let prints = "fn f() { println!() }\n#[cfg(test)]\nmod tests { fn g() { println!() } }";
    check(
        "doors_alone_print",
        &[("crates/opt/src/a.rs", prints)],
        expect!["crates/opt/src/a.rs:1: `println!`"],
    );
    let knob = "fn f() { std::env::var(\"X\") }";
    check(
        "config_alone_reads_the_environment",
        &[("crates/opt/src/a.rs", knob)],
        expect!["crates/opt/src/a.rs:1: `env::var`"],
    );
    check(
        "config_alone_reads_the_environment",
        &[("python/a.py", "os.environ['X']")],
        expect!["python/a.py:1: reads the environment"],
    );
    check(
        "runtime_alone_spawns",
        &[("crates/opt/src/a.rs", "fn f() { std::thread::spawn(g) }")],
        expect!["crates/opt/src/a.rs:1: `thread::spawn`"],
    );
    check(
        "kernels_never_allocate",
        &[("crates/kernels/src/a.rs", "fn f() { x.to_vec() }")],
        expect!["crates/kernels/src/a.rs:1: `to_vec`"],
    );
    check(
        "analysis_never_edits",
        &[("crates/analysis/src/a.rs", "fn f(t: &mut Tree) {}")],
        expect!["crates/analysis/src/a.rs:1: `&mutTree`"],
    );
}

#[test]
fn sizes() {
    let long_file = format!("//! A.\n{}", "\n".repeat(500));
    check("no_file_is_long", &[("a.rs", &long_file)], expect!["a.rs: 501 lines, 500 are allowed"]);
    let long = format!("fn f() {{{}}}\n#[test]\nfn g() {{{}}}", "\n".repeat(60), "\n".repeat(99));
    check("no_function_is_long", &[("a.rs", &long)], expect!["a.rs::f: 61 lines, 60 are allowed"]);
    let paths: Vec<_> = (0..26).map(|at| format!("crates/a/src/b/c{at}.rs")).collect();
    let folder: Vec<_> = paths.iter().map(|path| (path.as_str(), "")).collect();
    check("folders_are_small", &folder, expect!["crates/a/src/b: 26 files, 25 are allowed"]);
    check(
        "every_file_says_its_purpose",
        &[("a.rs", "fn f() {}"), ("python/a.py", "x = 1")],
        expect![[r#"
        a.rs: begins without `//!`
        python/a.py: begins without a docstring"#]],
    );
}

#[test]
fn pages() {
    let ops = (
        "crates/ir/src/ops/mod.rs",
        "define_ops! { /// Adds.\n Add = \"add\" (x, y); Mul = \"mul\" (x, y); }",
    );
    check(
        "every_op_has_a_page",
        &[ops, ("docs/ops/add.md", ""), ("docs/ops/sub.md", "")],
        expect![[r#"
        docs/ops/mul.md: the table has this row, the page is missing
        docs/ops/sub.md: no row of the table has this name"#]],
    );
    let tables = (
        "crates/py/src/api/elementwise.rs",
        "functions! {\n    math_of_one (x)\n    /// Doubles.\n    double Call::Square;\n}\n",
    );
    let stub = "def double(x: _TensorLike, name: str | None = None) -> int: ...\n";
    check(
        "stubs_follow_tables",
        &[tables, ("python/graphwright/_elementwise.pyi", stub)],
        expect!["python/graphwright/_elementwise.pyi: is not what the tables say; run `cargo xtask stubs`"],
    );
    let codes = ("crates/base/src/diagnostic.rs", "diagnostics! { \"GW101\" A B \"c\" }");
    check(
        "every_diagnostic_has_a_page",
        &[codes],
        expect!["docs/diagnostics/GW101.md: the table has this row, the page is missing"],
    );
    let rules = (
        "crates/check/src/rule.rs",
        "rules! { \"GW101\" A Error Diagnostics \"c\" \"GW505\" B Error Check \"d\" }",
    );
    check(
        "every_rule_has_a_page",
        &[rules, ("docs/check/GW506.md", "")],
        expect![[r#"
        docs/check/GW505.md: the table has this row, the page is missing
        docs/check/GW506.md: no row of the table has this name
        docs/diagnostics/GW101.md: a rule of the checker has this code, the page is missing"#]],
    );
    let contract = "operators! { /// Runs.\n if_stmt(test, body); /// Mark.\n no_return; }";
    let door = "impl Operators { fn if_stmt(&self) {} }";
    let operators = [("crates/lower/src/operators.rs", contract), ("crates/py/src/operators/mod.rs", door)];
    check(
        "every_operator_is_provided",
        &operators,
        expect!["crates/py/src/operators/mod.rs: `no_return` is missing"],
    );
    check(
        "every_invariant_has_a_test",
        &[("docs/design/invariants.md", "**Invariant** [never-was-1]: x")],
        expect!["docs/design/invariants.md: no test is named `never_was_1`"],
    );
}
