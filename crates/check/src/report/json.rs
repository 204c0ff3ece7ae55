//! Findings for programs: a list of objects.

use serde::Serialize;

use crate::finding::Checked;

#[derive(Serialize)]
struct Item<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    help: &'a str,
    path: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    url: String,
}

/// A JSON list, one object per finding.
pub fn json(checked: &[Checked]) -> String {
    let mut items = Vec::new();
    for file in checked {
        for finding in &file.findings {
            let range = file.range_of(finding);
            items.push(Item {
                code: finding.rule.code(),
                severity: finding.severity.text(),
                message: &finding.message,
                help: &finding.help,
                path: file.path(),
                line: range.line,
                column: range.column,
                end_line: range.end_line,
                end_column: range.end_column,
                url: finding.rule.url(),
            });
        }
    }
    pretty(&items)
}

/// JSON with a newline at its end. Texts and numbers are always valid JSON.
pub(super) fn pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).map_or_else(|_| String::new(), |text| text + "\n")
}
