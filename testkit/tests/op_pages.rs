//! Every op has a page, every clause a line that breaks it, and every line is true.

use std::fs;
use std::path::PathBuf;

use gw_ir::Op;
use gw_testkit::host;
use gw_testkit::pages::{Expected, Page, check, read};

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/ops")
}

fn page(op: Op) -> Page {
    let path = directory().join(format!("{}.md", op.text()));
    let text = fs::read_to_string(&path).unwrap_or_else(|_| panic!("docs/ops/{}.md is missing", op.text()));
    read(&text).unwrap_or_else(|error| panic!("{}.md: {error}", op.text()))
}

#[test]
fn every_line_is_true() {
    let wrong: Vec<String> = Op::ALL.iter().flat_map(|&op| check(&page(op), &host::run)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_line_stays_true_when_optimized() {
    let optimized = |graph: &gw_ir::Graph, inputs: &[gw_eval::Array]| {
        host::run(&gw_opt::optimize(graph.clone()).expect("no bug"), inputs)
    };
    let wrong: Vec<String> = Op::ALL.iter().flat_map(|&op| check(&page(op), &optimized)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_clause_has_a_line_that_breaks_it() {
    for &op in Op::ALL {
        let page = page(op);
        assert_eq!(page.name, op.text());
        assert_eq!(page.clauses, (1..=op.clauses()).collect::<Vec<_>>(), "{}.md: clauses", op.text());
        for number in page.clauses {
            let clause = Expected::Refused(op.clause(number).to_owned());
            let shown = page.examples.iter().any(|example| example.expected == clause);
            assert!(shown, "{}.md: no line breaks clause {number}", op.text());
        }
        let runs = page.examples.iter().any(|example| !matches!(example.expected, Expected::Refused(_)));
        // A native function is the program's: no page has one.
        assert!(runs || op == Op::Foreign, "{}.md: no line runs", op.text());
    }
}

#[test]
fn every_page_is_an_ops() {
    for entry in fs::read_dir(directory()).expect("docs/ops").filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.trim_end_matches(".md");
        assert!(name == "README.md" || Op::from_text(stem).is_some(), "docs/ops/{name} is no op's page");
    }
}
