//! Findings as the annotations that GitHub's actions read from their output.

use crate::finding::Checked;

/// `::error file=…,line=…,col=…,title=GW202::message`, one line each.
pub fn github(checked: &[Checked]) -> String {
    let mut out = String::new();
    for file in checked {
        for finding in &file.findings {
            let range = file.range_of(finding);
            let path = escaped(file.path(), true);
            let message = escaped(&format!("{}. {}", finding.message, finding.help), false);
            out.push_str(&format!(
                "::{} file={path},line={},col={},endLine={},endColumn={},title={}::{message}\n",
                finding.severity.text(),
                range.line,
                range.column,
                range.end_line,
                range.end_column,
                finding.rule.code(),
            ));
        }
    }
    out
}

/// Characters that the form itself uses are written as `%XX`.
fn escaped(text: &str, is_property: bool) -> String {
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    if is_property { text.replace(':', "%3A").replace(',', "%2C") } else { text }
}
