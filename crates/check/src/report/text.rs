//! Findings for people: one line that says it, the lines of the text, what to write instead.

use std::fmt::Write;

use crate::finding::Checked;
use crate::rule::Severity;

/// `PATH:LINE:COL: CODE message`, the excerpt and the remedy of each finding, and how many there are.
pub fn text(checked: &[Checked]) -> String {
    let mut out = String::new();
    for file in checked {
        for finding in &file.findings {
            let range = file.range_of(finding);
            let (path, code) = (file.path(), finding.rule.code());
            let line = format!("{path}:{}:{}: {code} {}", range.line, range.column, finding.message);
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{line}");
            out.push_str(&gw_base::quote(&finding.labels, &|name| {
                (*name == **path).then(|| file.source.clone())
            }));
            let _ = writeln!(out, "help: {}\n", finding.help);
        }
    }
    let count = |severity: Severity| {
        let all = checked.iter().flat_map(|file| &file.findings);
        all.filter(|finding| finding.severity == severity).count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors + warnings > 0 {
        let _ = writeln!(out, "{}, {}", some(errors, "error"), some(warnings, "warning"));
    }
    out
}

fn some(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
