//! Every kind of node of the grammar stands on the page `docs/python/grammar.md`, over a program that has it.

use std::collections::BTreeSet;
use std::path::Path;

use gw_syntax::{KINDS, kinds_in};

/// Constructs that no Python file holds.
const NOT_IN_FILES: &[&str] = &[
    "ModExpression",        // the text of `eval`
    "StmtIpyEscapeCommand", // `%time`, `!ls`: IPython makes Python of them before we see it
    "ExprIpyEscapeCommand",
];

/// The programs of the page, each with the kinds that its heading names.
fn programs() -> Vec<(Vec<String>, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/python/grammar.md");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let mut programs = Vec::new();
    for section in text.split("\n## ").skip(1) {
        let (heading, rest) = section.split_once('\n').expect("a heading ends");
        let kinds: Vec<String> = heading.split(", ").map(str::to_owned).collect();
        let program: String = rest.split("```").skip(1).step_by(2).map(body).collect();
        programs.push((kinds, program));
    }
    programs
}

/// A block without the line that opens it.
fn body(block: &str) -> &str {
    block.split_once('\n').map_or("", |(_, body)| body)
}

#[test]
fn every_kind_has_its_program() {
    let headings: Vec<String> = programs().into_iter().flat_map(|(kinds, _)| kinds).collect();
    let named: BTreeSet<&str> = headings.iter().map(String::as_str).collect();
    assert_eq!(named.len(), headings.len(), "a kind stands over two programs");
    let wanted: BTreeSet<&str> = KINDS.iter().copied().filter(|kind| !NOT_IN_FILES.contains(kind)).collect();
    assert_eq!(named, wanted);
}

#[test]
fn every_program_has_its_kinds() {
    for (kinds, program) in programs() {
        let found = kinds_in(&program);
        for kind in kinds {
            assert!(found.contains(kind.as_str()), "{kind} is not in\n{program}");
        }
    }
}

#[test]
fn a_kind_is_found_where_it_is() {
    assert!(kinds_in("del x").contains("StmtDelete"));
    assert!(!kinds_in("x = 1").contains("StmtDelete"));
}
