//! A diagnostic as people read it: one line that says it, then the lines of their own text it is about.
//!
//! ```text
//! error[GW101]: `y` has a different type in the two branches
//!  --> model.py:5:9
//!  5 |         y = x
//!    |         ^ here it is float32[n]
//!  7 |         y = 0
//!    |         ^ here it is int32[]
//! help: give both a dtype
//! ```

use std::fmt::Write;

use crate::{Diagnostic, Label, Loc, Source};

/// Renders a diagnostic. `source` finds the text of a file by its name; labels in files that it does not know are named
/// by file and line alone.
pub fn render(diagnostic: &Diagnostic, source: &dyn Fn(&str) -> Option<Source>) -> String {
    let mut out = format!("error[{}]: {}\n", diagnostic.code, diagnostic.message);
    out.push_str(&quote(&diagnostic.labels, source));
    if let Some(help) = &diagnostic.help {
        line(&mut out, 0, format_args!("help: {help}"));
    }
    out
}

/// The lines that labels stand in, with carets; nothing for no labels.
pub fn quote(labels: &[Label], source: &dyn Fn(&str) -> Option<Source>) -> String {
    let mut out = String::new();
    let width = labels.iter().map(|label| label.at.line.to_string().len()).max().unwrap_or(1);
    let mut file: Option<&str> = None;
    for label in labels {
        if file != Some(&*label.at.file) {
            file = Some(&label.at.file);
            line(&mut out, width, format_args!("--> {}", shown(&label.at, source(&label.at.file).as_ref())));
        }
        snippet(&mut out, width, label, source(&label.at.file).as_ref());
    }
    out
}

/// A place as the user counts: columns from 1, in characters where the text is known.
fn shown(at: &Loc, source: Option<&Source>) -> String {
    let before = source.and_then(|source| source.line(at.line).get(..at.column as usize));
    let column = before.map_or(at.column as usize, |before| before.chars().count());
    format!("{}:{}:{}", at.file, at.line, column + 1)
}

fn line(out: &mut String, indent: usize, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{:indent$}{text}", "");
}

/// The line that a label stands in, and a caret below it.
fn snippet(out: &mut String, width: usize, label: &Label, source: Option<&Source>) {
    let Loc { line: number, column, .. } = label.at;
    let Some(source) = source else {
        return line(out, width, format_args!(" | line {number}: {}", label.text));
    };
    let text = source.line(number);
    let before = text.get(..column as usize).unwrap_or(text);
    let carets = "^".repeat(marked(&label.at, text).max(1));
    // Tabs stay tabs, so that the caret stands below its text at any tab width.
    let blank: String = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    line(out, 0, format_args!(" {number:>width$} | {text}"));
    let marks = format!("{blank}{carets} {}", label.text);
    line(out, 0, format_args!(" {:width$} | {}", "", marks.trim_end()));
}

/// Number of characters of the first line that a place covers.
fn marked(at: &Loc, text: &str) -> usize {
    let end = if at.end_line == at.line { at.end_column as usize } else { text.len() };
    text.get(at.column as usize..end).map_or(1, |covered| covered.chars().count())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{Code, Span};

    #[track_caller]
    fn check(text: &str, labels: &[(u32, u32, &str)], help: Option<&str>, expected: Expect) {
        let source = Source::new("model.py", text);
        let mut diagnostic = Diagnostic::new(Code::BranchTypesDiffer, "`y` differs");
        for &(start, end, text) in labels {
            diagnostic = diagnostic.at(source.loc(Span { start, end }), text);
        }
        diagnostic.help = help.map(str::to_owned);
        expected.assert_eq(&render(&diagnostic, &|name| (name == "model.py").then(|| source.clone())));
    }

    #[test]
    fn two_places_and_a_remedy() {
        check(
            "if c:\n\ty = é\nelse:\n    y = 0\n",
            &[(11, 13, "float32[n]"), (24, 29, "int32[]")],
            Some("give both a dtype"),
            expect![[r#"
                error[GW101]: `y` differs
                 --> model.py:2:6
                 2 | 	y = é
                   | 	    ^ float32[n]
                 4 |     y = 0
                   |     ^^^^^ int32[]
                help: give both a dtype
            "#]],
        );
    }

    #[test]
    fn a_place_over_several_lines() {
        check(
            "y = (1 +\n  2)\n",
            &[(4, 13, "here")],
            None,
            expect![[r#"
            error[GW101]: `y` differs
             --> model.py:1:5
             1 | y = (1 +
               |     ^^^^ here
        "#]],
        );
    }

    #[test]
    fn a_file_that_is_gone() {
        let at = Loc::of_line("gone.py", 12);
        let diagnostic = Diagnostic::new(Code::NoSource, "no source").at(at, "defined here");
        expect![[r#"
            error[GW001]: no source
              --> gone.py:12:1
               | line 12: defined here
        "#]]
        .assert_eq(&render(&diagnostic, &|_| None));
    }
}
