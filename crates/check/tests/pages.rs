//! The pages of the rules: the example of each page has exactly its finding, the repaired example none.

use gw_base::Source;
use gw_check::{Folder, Rule};

/// The Python block under a heading.
fn block<'p>(page: &'p str, heading: &str) -> &'p str {
    let (_, rest) = page.split_once(&format!("## {heading}\n")).expect("the heading");
    let (_, rest) = rest.split_once("```py\n").expect("a block");
    rest.split_once("```").expect("the block ends").0
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let source = Source::new("page.py", format!("import graphwright as gw\n\n{text}"));
    let found: Vec<&str> = gw_check::check(&source).iter().map(|finding| finding.rule.code()).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn examples_of_the_checkers_own_pages() {
    for rule in Rule::ALL.iter().filter(|rule| rule.folder() == Folder::Check) {
        let path = format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), rule.url());
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        check(block(&page, "Example"), &[rule.code()]);
        check(block(&page, "Instead"), &[]);
    }
}

/// Pages of diagnostics whose example a text alone proves.
#[test]
fn examples_of_diagnostics() {
    let proved = ["GW105", "GW126", "GW503"];
    for code in proved {
        let path = format!("{}/../../docs/diagnostics/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        check(block(&page, "Example"), &[code]);
        check(block(&page, "Instead"), &[]);
    }
}
