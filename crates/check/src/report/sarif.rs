//! Findings as SARIF 2.1.0, with the rules that occur.

use serde::Serialize;

use super::json::pretty;
use crate::finding::{Checked, Finding};
use crate::rule::Rule;

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'a str,
    version: &'a str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool<'a>,
    column_kind: &'a str,
    results: Vec<Found<'a>>,
}

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'a str,
    version: &'a str,
    rules: Vec<Row<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row<'a> {
    id: &'a str,
    short_description: Text<'a>,
    default_configuration: Configuration<'a>,
}

#[derive(Serialize)]
struct Configuration<'a> {
    level: &'a str,
}

#[derive(Serialize)]
struct Text<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'a str,
    message: Message,
    locations: [Location; 1],
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

/// One run with the findings of all files.
pub fn sarif(checked: &[Checked]) -> String {
    let found = || checked.iter().flat_map(|file| file.findings.iter().map(move |finding| (file, finding)));
    let mut rules: Vec<Rule> = found().map(|(_, finding)| finding.rule).collect();
    rules.sort_unstable();
    rules.dedup();
    let results = found().map(|(file, finding)| result(file, finding, &rules)).collect();
    let row = |rule: &Rule| Row {
        id: rule.code(),
        short_description: Text { text: rule.title() },
        default_configuration: Configuration { level: rule.severity().text() },
    };
    let rules = rules.iter().map(row).collect();
    let driver = Driver { name: "graphwright", version: env!("CARGO_PKG_VERSION"), rules };
    pretty(&Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [Run { tool: Tool { driver }, column_kind: "unicodeCodePoints", results }],
    })
}

fn result<'a>(file: &Checked, finding: &'a Finding, rules: &[Rule]) -> Found<'a> {
    let range = file.range_of(finding);
    let region = Region {
        start_line: range.line,
        start_column: range.column,
        end_line: range.end_line,
        end_column: range.end_column,
    };
    let artifact_location = Artifact { uri: uri(file.path()) };
    Found {
        rule_id: finding.rule.code(),
        rule_index: rules.binary_search(&finding.rule).unwrap_or(0),
        level: finding.severity.text(),
        message: Message { text: format!("{}. {}", finding.message, finding.help) },
        locations: [Location { physical_location: Physical { artifact_location, region } }],
    }
}

/// A path as a relative or absolute reference: what URIs reserve is written as `%XX`.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-._~".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_references() {
        assert_eq!(uri("src/model.py"), "src/model.py");
        assert_eq!(uri("my models/é.py"), "my%20models/%C3%A9.py");
    }
}
