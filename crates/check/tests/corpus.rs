//! The programs of the repository: nothing is found in the pages of `docs/python/` or in `examples/`.

use std::path::{Path, PathBuf};

use gw_base::Source;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let mut waiting = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{folder} has files");
    found
}

/// The Python blocks of a page, each on the lines that it has there.
fn blocks(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for (i, line) in page.lines().enumerate() {
        match &mut open {
            None if line.starts_with("```py") => open = Some("\n".repeat(i + 1)),
            Some(_) if line == "```" => found.extend(open.take()),
            Some(block) => *block += &format!("{line}\n"),
            None => {}
        }
    }
    found
}

#[track_caller]
fn check_nothing_is_found(path: &Path, text: &str) {
    let source = Source::new(path.display().to_string(), text);
    let found = gw_check::check(&source);
    let said: Vec<String> = found
        .iter()
        .map(|finding| format!("{}: {} {}", finding.labels[0].at, finding.rule, finding.message))
        .collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}

#[test]
fn pages_of_pythons_semantics() {
    for path in files("docs/python", "md") {
        let page = std::fs::read_to_string(&path).expect("a page");
        for block in blocks(&page) {
            check_nothing_is_found(&path, &format!("import graphwright as gw{block}"));
        }
    }
}

#[test]
fn examples() {
    for path in files("examples", "py") {
        check_nothing_is_found(&path, &std::fs::read_to_string(&path).expect("a file"));
    }
}
