//! Findings: a rule, the place, one line that says it, and what to write instead.

use std::sync::Arc;

use gw_base::{Label, Source, Span};

use crate::rule::{Rule, Severity};

/// Something found in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Its weight here.
    pub severity: Severity,
    /// One line that names the user's own variables.
    pub message: String,
    /// The places, the main one first.
    pub labels: Vec<Label>,
    /// The remedy.
    pub help: String,
}

impl Finding {
    /// A finding at a place of a text.
    pub fn new(rule: Rule, source: &Source, span: Span, message: String, help: String) -> Self {
        let labels = vec![Label { at: source.loc(span), text: "here".to_owned() }];
        Self { rule, severity: rule.severity(), message, labels, help }
    }

    /// With another place that belongs to it.
    #[must_use]
    pub fn also(mut self, source: &Source, span: Span, text: &str) -> Self {
        self.labels.push(Label { at: source.loc(span), text: text.to_owned() });
        self
    }

    /// With this weight.
    #[must_use]
    pub fn weighing(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// The line and column at which it begins and ends, in characters and from 1.
    pub fn range(&self, source: &Source) -> Range {
        let at = &self.labels[0].at;
        Range {
            line: at.line,
            column: column(source, at.line, at.column),
            end_line: at.end_line,
            end_column: column(source, at.end_line, at.end_column),
        }
    }
}

/// A range in characters; lines and columns count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Range {
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
}

fn column(source: &Source, line: u32, bytes: u32) -> u32 {
    let text = source.line(line);
    let before = text.get(..bytes as usize).unwrap_or(text);
    before.chars().count() as u32 + 1
}

/// A file and what was found in it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// Its name and text.
    pub source: Source,
    /// Findings, in the order of the text.
    pub findings: Vec<Finding>,
}

impl Checked {
    /// The range of one of its findings.
    pub fn range_of(&self, finding: &Finding) -> Range {
        finding.range(&self.source)
    }

    /// The name of the file.
    pub fn path(&self) -> &Arc<str> {
        &self.source.name
    }
}
