//! The command `check`: arguments in, a text and an exit status out.

mod files;
mod options;
mod settings;

use std::path::Path;

use gw_base::Source;

use crate::finding::{Checked, Finding};
use crate::rule::Severity;

use options::{Asked, FailOn, Options};
pub use settings::Settings;

/// Nothing is found that fails the command.
const FINE: u8 = 0;
/// Something is found that does.
const FOUND: u8 = 1;
/// The command cannot be carried out.
const UNUSABLE: u8 = 2;

/// The answer of the command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The findings, or the help, for the standard output.
    pub output: String,
    /// Files that cannot be read and the like, for the standard error.
    pub complaint: String,
    /// 0: nothing fails it; 1: findings do; 2: it cannot be carried out.
    pub status: u8,
}

/// Carries out the command with these arguments; `input` gives the standard input, which is read where `-` asks for it.
pub fn command(arguments: &[String], input: &mut dyn FnMut() -> String) -> Answer {
    let options = match options::read(arguments) {
        Ok(Asked::Check(options)) => options,
        Ok(Asked::Help) => {
            return Answer { output: options::HELP.to_owned(), complaint: String::new(), status: FINE };
        }
        Err(message) => return unusable(&message),
    };
    match settings::near(&options) {
        Ok(settings) => run(&options, &settings, input),
        Err(message) => unusable(&message),
    }
}

fn unusable(message: &str) -> Answer {
    Answer { output: String::new(), complaint: format!("graphwright check: {message}\n"), status: UNUSABLE }
}

fn run(options: &Options, settings: &Settings, input: &mut dyn FnMut() -> String) -> Answer {
    let mut complaints = String::new();
    let mut sources = Vec::new();
    for path in &options.paths {
        if path == "-" {
            let name = options.stdin_filename.clone().unwrap_or_else(|| "<stdin>".to_owned());
            sources.push(Source::new(name, input()));
            continue;
        }
        for found in files::below(Path::new(path), &settings.exclude) {
            match found.and_then(|file| files::read(&file)) {
                Ok(source) => sources.push(source),
                Err(message) => complaints.push_str(&format!("graphwright check: {message}\n")),
            }
        }
    }
    let checked: Vec<Checked> = sources.into_iter().map(|source| selected(source, settings)).collect();
    let status = if complaints.is_empty() { status(&checked, settings.fail_on) } else { UNUSABLE };
    Answer { output: settings.format.write(&checked), complaint: complaints, status }
}

/// A file with the findings that its settings ask for.
pub fn selected(source: Source, settings: &Settings) -> Checked {
    let mut findings = crate::check(&source);
    findings.retain(|finding| settings.wants(finding.rule.code()));
    Checked { source, findings }
}

fn status(checked: &[Checked], fail_on: FailOn) -> u8 {
    let fails = |finding: &Finding| match fail_on {
        FailOn::Error => finding.severity == Severity::Error,
        FailOn::Warning => true,
        FailOn::Never => false,
    };
    if checked.iter().flat_map(|file| &file.findings).any(fails) { FOUND } else { FINE }
}
