//! Findings as an editor takes them: lines and columns from 0, columns in UTF-16 units.

use std::path::PathBuf;

use gw_base::{Label, Loc, Source};
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Position, Range, Uri,
};

use crate::command::{Settings, selected};
use crate::finding::Finding;
use crate::rule::Severity;

/// The findings in a text that the editor knows by this name. The error says what is wrong with the settings near the file.
pub fn diagnostics(uri: &Uri, text: String) -> Result<Vec<Diagnostic>, String> {
    let path = path(uri);
    let settings = Settings::of_file(&path)?;
    if settings.exclude.iter().any(|excluded| path.starts_with(excluded)) {
        return Ok(Vec::new());
    }
    let checked = selected(Source::new(path.to_string_lossy(), text), &settings);
    Ok(checked.findings.iter().map(|finding| diagnostic(uri, &checked.source, finding)).collect())
}

/// The file of a name. A text that has no file yet is taken for one of the folder that the server runs in.
fn path(uri: &Uri) -> PathBuf {
    match uri.scheme().map(|scheme| scheme.as_str()) {
        Some("file") => uri.path().as_estr().decode().into_string_lossy().into_owned().into(),
        Some(_) | None => PathBuf::from("untitled.py"),
    }
}

fn diagnostic(uri: &Uri, source: &Source, finding: &Finding) -> Diagnostic {
    let (main, others) = finding.labels.split_first().expect("a finding has a place");
    let related = |label: &Label| DiagnosticRelatedInformation {
        location: Location::new(uri.clone(), range(source, &label.at)),
        message: label.text.clone(),
    };
    let related: Vec<_> = others.iter().map(related).collect();
    Diagnostic {
        range: range(source, &main.at),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(finding.rule.code().to_owned())),
        code_description: finding.rule.url().parse().ok().map(|href| CodeDescription { href }),
        source: Some("graphwright".to_owned()),
        message: format!("{}\nhelp: {}", finding.message, finding.help),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

fn range(source: &Source, at: &Loc) -> Range {
    Range::new(position(source, at.line, at.column), position(source, at.end_line, at.end_column))
}

fn position(source: &Source, line: u32, bytes: u32) -> Position {
    let text = source.line(line);
    let before = text.get(..bytes as usize).unwrap_or(text);
    Position::new(line.saturating_sub(1), before.encode_utf16().count() as u32)
}
