//! Texts as the host works on them: regular expressions in RE2's language and fingerprints, by the crates `regex` and `farmhash`.

use std::borrow::Cow;

use pyo3::prelude::*;
use regex::bytes::{Captures, Regex};

use crate::exceptions::errors;

/// A regular expression. A search takes time in proportion to the text, whatever the expression.
#[pyclass(frozen, module = "graphwright._native")]
pub struct Pattern {
    anywhere: Regex,
    whole: Regex,
}

#[pymethods]
impl Pattern {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        let plain = as_re2(text);
        let made = |text: &str| Regex::new(text);
        match (made(&plain), made(&format!(r"\A(?:{plain})\z"))) {
            (Ok(anywhere), Ok(whole)) => Ok(Self { anywhere, whole }),
            (Err(error), _) | (Ok(_), Err(error)) => Err(refused(text, &error)),
        }
    }

    /// True if the expression matches all of a text.
    fn is_whole(&self, text: &[u8]) -> bool {
        self.whole.is_match(text)
    }

    /// The text with another in the place of the first match or of all.
    fn replaced<'a>(&self, text: &'a [u8], rewrite: &[u8], everywhere: bool) -> Cow<'a, [u8]> {
        let most = usize::from(!everywhere);
        self.anywhere.replacen(text, most, |found: &Captures<'_>| rewritten(found, rewrite))
    }

    /// Refuses a rewrite that names a group which the expression does not have, or nothing, behind a backslash.
    fn check_rewrite(&self, rewrite: &[u8]) -> PyResult<()> {
        let mut bytes = rewrite.iter();
        while let Some(byte) = bytes.next() {
            if *byte != b'\\' {
                continue;
            }
            match bytes.next() {
                Some(b'\\') => {}
                Some(digit @ b'0'..=b'9') if usize::from(digit - b'0') < self.anywhere.captures_len() => {}
                Some(_) | None => {
                    let text = String::from_utf8_lossy(rewrite);
                    let message =
                        format!("`rewrite` is {text:?}: behind a backslash stands a group's number");
                    return Err(errors::invalid_argument(message));
                }
            }
        }
        Ok(())
    }
}

/// A rewrite with its groups: `\0` is the whole match, `\1` the first group, `\\` a backslash.
fn rewritten(found: &Captures<'_>, rewrite: &[u8]) -> Vec<u8> {
    let (mut made, mut at) = (Vec::new(), 0);
    while let Some(&byte) = rewrite.get(at) {
        match (byte, rewrite.get(at + 1)) {
            (b'\\', Some(digit @ b'0'..=b'9')) => {
                made.extend(found.get(usize::from(digit - b'0')).map_or(&b""[..], |group| group.as_bytes()));
                at += 1;
            }
            (b'\\', Some(other)) => {
                made.push(*other);
                at += 1;
            }
            (other, _) => made.push(other),
        }
        at += 1;
    }
    made
}

/// An expression of RE2's in the language of the crate: classes of letters are ASCII's, and `[`, `&` and `~` are themselves
/// within brackets.
fn as_re2(text: &str) -> String {
    let (mut made, mut rest, mut class) = (String::new(), text, None);
    while let Some(first) = rest.chars().next() {
        let (taken, written) = match (first, class) {
            ('\\', _) => escaped(rest, class.is_some()),
            ('[', Some(_)) if rest.starts_with("[:") => (2, "[:".to_owned()),
            ('[' | '&' | '~', Some(_)) => (1, format!("\\{first}")),
            (']', Some(n)) if n > 0 => {
                class = None;
                (1, "]".to_owned())
            }
            ('[', None) => {
                let taken = if rest.starts_with("[^") { 2 } else { 1 };
                class = Some(0);
                made.push_str(&rest[..taken]);
                rest = &rest[taken..];
                continue;
            }
            (other, _) => (other.len_utf8(), other.to_string()),
        };
        let is_named = written == "[:";
        made.push_str(&written);
        rest = &rest[taken..];
        if is_named && let Some(end) = rest.find(":]") {
            made.push_str(&rest[..end + 2]);
            rest = &rest[end + 2..];
        }
        class = class.map(|n: usize| n + 1);
    }
    made
}

/// The length of an escape, and the escape in the language of the crate.
fn escaped(rest: &str, in_class: bool) -> (usize, String) {
    let Some(letter) = rest.chars().nth(1) else { return (1, "\\".to_owned()) };
    let written = match letter {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        's' => r"[\t\n\f\r ]",
        'S' => r"[^\t\n\f\r ]",
        'b' if !in_class => r"(?-u:\b)",
        'B' if !in_class => r"(?-u:\B)",
        _ => return (1 + letter.len_utf8(), format!("\\{letter}")),
    };
    (2, written.to_owned())
}

fn refused(text: &str, error: &regex::Error) -> PyErr {
    let reason = error.to_string();
    let reason = reason.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let reason = reason.trim().trim_start_matches("error: ");
    errors::invalid_argument(format!("`pattern` is {text:?}, no regular expression: {reason}"))
}

/// FarmHash's fingerprint of 64 bits.
#[pyfunction]
fn fingerprint(text: &[u8]) -> u64 {
    farmhash::fingerprint64(text)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Pattern>()?;
    module.add_function(wrap_pyfunction!(fingerprint, module)?)
}
