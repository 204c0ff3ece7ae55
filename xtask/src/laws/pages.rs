//! Each row of an open table has its page, each page its row; each invariant its test, each law its invariant.

use super::LAWS;
use crate::figures;
use crate::house::{House, RustFile};
use crate::stubs;

/// Every op of the table in `ir` has a page in `docs/ops`, and no page is left over.
pub fn every_op_has_a_page(house: &House) -> Vec<String> {
    let table = house.rust.iter().find(|file| file.path == "crates/ir/src/ops/mod.rs");
    let names = table.map(op_names).unwrap_or_default();
    if table.is_some() && names.is_empty() {
        return vec!["crates/ir/src/ops/mod.rs: no row `Name = \"name\"` is found".to_owned()];
    }
    rows_and_pages(house, "docs/ops/", &names)
}

/// The stub of the elementwise functions says what their tables say.
pub fn stubs_follow_tables(house: &House) -> Vec<String> {
    let Some(wanted) = stubs::stub(house) else { return Vec::new() };
    let found = house.python.iter().find(|file| file.path == stubs::STUB);
    let same = found.is_some_and(|file| file.text == wanted);
    let complaint = || format!("{}: is not what the tables say; run `cargo xtask stubs`", stubs::STUB);
    if same { Vec::new() } else { vec![complaint()] }
}

/// The page of the figures shows about those that are counted.
pub fn figures_follow_sources(house: &House) -> Vec<String> {
    figures::outdated(house)
}

/// Every diagnostic of the table in `base` has a page in `docs/diagnostics`, and no page is left over.
pub fn every_diagnostic_has_a_page(house: &House) -> Vec<String> {
    let table = house.rust.iter().find(|file| file.path == "crates/base/src/diagnostic.rs");
    let codes: Vec<String> = table.map_or_else(Vec::new, |file| {
        let literals = file.words.iter().map(|word| word.text.trim_matches('"').to_owned());
        literals.filter(|text| is_code(text)).collect()
    });
    if codes.is_empty() {
        return vec!["crates/base/src/diagnostic.rs: no code `GWnnn` is found".to_owned()];
    }
    rows_and_pages(house, "docs/diagnostics/", &codes)
}

/// Every rule of the checker has its page, beside that of the diagnostic whose code it has or in `docs/check`.
pub fn every_rule_has_a_page(house: &House) -> Vec<String> {
    let Some(table) = house.rust.iter().find(|file| file.path == "crates/check/src/rule.rs") else {
        return Vec::new();
    };
    // A row is `"GW505" Name Severity Folder "title"`.
    let rows = table.words.windows(4).filter(|words| is_code(words[0].text.trim_matches('"')));
    let (own, shared): (Vec<_>, Vec<_>) = rows
        .map(|words| (words[0].text.trim_matches('"').to_owned(), &words[3].text))
        .partition(|row| row.1 == "Check");
    let own: Vec<String> = own.into_iter().map(|(code, _)| code).collect();
    let mut complaints = rows_and_pages(house, "docs/check/", &own);
    for (code, _) in &shared {
        let path = format!("docs/diagnostics/{code}.md");
        if !house.pages.iter().any(|page| page.path == path) {
            complaints.push(format!("{path}: a rule of the checker has this code, the page is missing"));
        }
    }
    complaints
}

fn is_code(text: &str) -> bool {
    text.len() == 5 && text.starts_with("GW") && text[2..].bytes().all(|b| b.is_ascii_digit())
}

/// The literals of `Name = "name"`, which is how a row begins.
fn op_names(table: &RustFile) -> Vec<String> {
    let rows = table.live.windows(3).filter(|words| {
        words[0].text.starts_with(|c: char| c.is_uppercase())
            && words[1].text == "="
            && words[2].text.starts_with('"')
    });
    rows.map(|words| words[2].text.trim_matches('"').to_owned()).collect()
}

fn rows_and_pages(house: &House, folder: &str, rows: &[String]) -> Vec<String> {
    let pages: Vec<&str> = house
        .pages
        .iter()
        .filter_map(|page| page.path.strip_prefix(folder)?.strip_suffix(".md"))
        .filter(|name| *name != "README")
        .collect();
    let without = rows.iter().filter(|row| !pages.contains(&row.as_str()));
    let mut complaints: Vec<String> =
        without.map(|row| format!("{folder}{row}.md: the table has this row, the page is missing")).collect();
    let left = pages.iter().filter(|page| !rows.iter().any(|row| row == *page));
    complaints.extend(left.map(|page| format!("{folder}{page}.md: no row of the table has this name")));
    complaints
}

/// Every operator that lowered code calls is a method of the operators' object in `py`.
pub fn every_operator_is_provided(house: &House) -> Vec<String> {
    let file = |path: &str| house.rust.iter().find(|file| file.path == path);
    let Some(table) = file("crates/lower/src/operators.rs") else { return Vec::new() };
    let names = operator_names(table);
    if names.is_empty() {
        return vec![format!("{}: no row of `operators!` is found", table.path)];
    }
    let doors: Vec<_> =
        house.rust.iter().filter(|file| file.path.starts_with("crates/py/src/operators")).collect();
    let Some(door) = doors.first() else { return Vec::new() };
    let methods: Vec<_> = doors.iter().flat_map(|door| &door.functions).collect();
    let is_missing = |name: &&str| !methods.iter().any(|function| function.name == **name);
    names.into_iter().filter(is_missing).map(|name| format!("{}: `{name}` is missing", door.path)).collect()
}

/// The first word of each row of `operators! { name(parameters); … }`, whose documentation is an attribute.
fn operator_names(table: &RustFile) -> Vec<&str> {
    let words: Vec<&str> = table.live.iter().map(|word| word.text.as_str()).collect();
    let Some(begin) = words.windows(3).position(|w| w == ["operators", "!", "{"]) else { return Vec::new() };
    let (mut depth, mut is_first, mut names) = (0, true, Vec::new());
    for word in &words[begin + 3..] {
        match *word {
            "(" | "[" | "{" => depth += 1,
            "]" | ")" => depth -= 1,
            "}" => break,
            ";" if depth == 0 => is_first = true,
            "#" => {}
            name if depth == 0 && is_first => {
                names.push(name);
                is_first = false;
            }
            _ => {}
        }
    }
    names
}

/// The page of the invariants.
const INVARIANTS: &str = "docs/design/invariants.md";

/// The `[labels]` of the invariants, as names of tests.
fn invariants(house: &House) -> Vec<String> {
    let lines = house.page(INVARIANTS).lines();
    let labels =
        lines.flat_map(|line| line.split('[').skip(1).filter_map(|part| Some(part.split_once(']')?.0)));
    labels.filter(|label| is_label(label)).map(|label| label.replace('-', "_")).collect()
}

fn is_label(text: &str) -> bool {
    text.contains('-') && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// Each promise of the page is tested by a test of that name, here or in the room that it is about.
pub fn every_invariant_has_a_test(house: &House) -> Vec<String> {
    let is_tested = |name: &str| {
        LAWS.iter().any(|law| law.name == name)
            || house.rust.iter().any(|file| has_test(file, name))
            || house.python.iter().any(|file| file.text.contains(&format!("def test_{name}(")))
    };
    let untested = invariants(house).into_iter().filter(|name| !is_tested(name));
    untested.map(|name| format!("{INVARIANTS}: no test is named `{name}`")).collect()
}

/// A function of that name under `#[test]`, written as such or inside `proptest!`.
fn has_test(file: &RustFile, name: &str) -> bool {
    let is_named = |at: &usize| file.words[*at].text == "fn" && file.words[at + 1].text == name;
    let found = (0..file.words.len().saturating_sub(1)).filter(is_named);
    found.into_iter().any(|at| file.words[at.saturating_sub(4)..at].iter().any(|word| word.text == "test"))
}

/// Each law is explained on the page of the invariants.
pub fn every_law_is_an_invariant(house: &House) -> Vec<String> {
    let written = invariants(house);
    let missing = LAWS.iter().filter(|law| !written.iter().any(|name| name == law.name));
    missing.map(|law| format!("{INVARIANTS}: **Invariant** [{}] is missing", law.label())).collect()
}
