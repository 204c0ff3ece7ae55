//! The static checker: findings about Python files, from their text alone.
//!
//! It follows the functions that `gw.function` marks and what they call in the same file, with values of which only
//! what the text proves is known: element types, shapes, numbers, names without a value. A finding is true of every
//! execution of its line; where nothing is proved, nothing is said.

mod args;
mod chain;
mod command;
mod finding;
mod flow;
mod hosts;
mod ignore;
mod impure;
mod marks;
mod module;
mod ops;
mod pages;
mod python;
mod report;
mod rule;
mod server;
mod spec;
mod state;
mod value;

use gw_base::{Label, Loc, Source};

pub use command::{Answer, command};
pub use finding::{Checked, Finding, Range};
pub use pages::{PAGES, page};
pub use rule::{Folder, Rule, Severity};
pub use server::serve;

use module::Module;

/// The bytes of the stack on which a file is followed: trees nest, and calls are followed inside calls.
const ROOM: usize = 256 << 20;

/// Everything that is found in a text, in its order; what its comments ignore is left out.
pub fn check(source: &Source) -> Vec<Finding> {
    let mut found = stacker::grow(ROOM, || followed(source));
    found.retain(|finding| !ignore::is_ignored(source, finding));
    found.sort_by_key(|finding| (finding.range(source), finding.rule));
    found
}

fn followed(source: &Source) -> Vec<Finding> {
    if let Some(line) = chain::too_long(&source.text) {
        return vec![too_deep(source, line)];
    }
    let parsed = gw_syntax::parse(source);
    if parsed.diagnostics.is_empty() {
        return flow::findings(&Module::new(source, parsed.value));
    }
    // A text with a newer construct is Python all the same; nothing else is known of it.
    let wrong =
        parsed.diagnostics.into_iter().filter(|found| found.message.starts_with(gw_syntax::NOT_PARSED));
    // Errors after the first one mostly follow from it.
    wrong.take(1).map(unread).collect()
}

/// The finding for an expression that no parser of Python takes, since its tree nests too deep.
fn too_deep(source: &Source, line: u32) -> Finding {
    let at = Loc::of_line(source.name.clone(), line);
    Finding {
        rule: Rule::SyntaxNotRead,
        severity: Rule::SyntaxNotRead.severity(),
        message: format!("the expression that stands here has more than {} parts", chain::LONGEST),
        labels: vec![Label { at, text: String::new() }],
        help: "take it apart into several statements, or a list".to_owned(),
    }
}

/// The finding for a place that the parser does not take.
fn unread(diagnostic: gw_base::Diagnostic) -> Finding {
    Finding {
        rule: Rule::SyntaxNotRead,
        severity: Rule::SyntaxNotRead.severity(),
        message: diagnostic.message,
        labels: diagnostic.labels,
        help: "write what Python's grammar takes here".to_owned(),
    }
}
