//! Findings as texts: for people, for programs, for SARIF's readers, for GitHub.

mod github;
mod json;
mod sarif;
mod text;

use crate::finding::Checked;

/// The forms in which findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines with excerpts.
    Text,
    /// A list of objects.
    Json,
    /// SARIF 2.1.0.
    Sarif,
    /// GitHub's annotations.
    Github,
}

impl Format {
    /// The names on the command line.
    pub const NAMES: &[(&str, Format)] = &[
        ("text", Format::Text),
        ("json", Format::Json),
        ("sarif", Format::Sarif),
        ("github", Format::Github),
    ];

    /// The findings of all files in this form.
    pub fn write(self, checked: &[Checked]) -> String {
        match self {
            Format::Text => text::text(checked),
            Format::Json => json::json(checked),
            Format::Sarif => sarif::sarif(checked),
            Format::Github => github::github(checked),
        }
    }
}
