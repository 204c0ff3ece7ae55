//! Diagnostics about lines of Python's library, which the user does not write: they point at the call of the user's that led there.

use std::borrow::Cow;

use gw_base::{Diagnostic, Label, Loc};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The same diagnostic, where its places are the user's own; the line of the library stands behind them.
pub fn at_users_lines(found: &Diagnostic) -> Cow<'_, Diagnostic> {
    let mut all = found.clone();
    for label in &found.labels {
        let Some(caller) = of_user(&label.at) else { continue };
        let is_it = |other: &&mut Label| other.at == label.at;
        if let Some(own) = all.labels.iter_mut().find(is_it) {
            own.at = caller.clone();
        }
        let text = if label.text.is_empty() { "here, in Python's library" } else { &label.text };
        all.labels.push(Label { at: label.at.clone(), text: text.to_owned() });
    }
    if all.labels.len() == found.labels.len() { Cow::Borrowed(found) } else { Cow::Owned(all) }
}

/// The innermost call of the user's around a place in Python's library; nothing for a place of the user's.
fn of_user(at: &Loc) -> Option<&Loc> {
    let mut around = std::iter::successors(Some(at), |at| at.within.as_ref()?.caller.as_ref());
    around.find(|at| !is_of_library(&at.file)).filter(|own| *own != at)
}

/// True for the files of Python's own modules; packages that are installed beside them are the user's choice.
fn is_of_library(file: &str) -> bool {
    static FOLDERS: PyOnceLock<Vec<String>> = PyOnceLock::new();
    let find = |py: Python<'_>| {
        let paths = py.import("sysconfig")?.call_method0("get_paths")?;
        ["stdlib", "platstdlib"]
            .into_iter()
            .map(|name| paths.get_item(name)?.extract())
            .collect::<PyResult<_>>()
    };
    let is_installed = file.contains("site-packages") || file.contains("dist-packages");
    let is_in = |py: Python<'_>| {
        let folders: &Vec<String> = FOLDERS.get_or_try_init(py, || find(py)).ok()?;
        Some(folders.iter().any(|folder| std::path::Path::new(file).starts_with(folder)))
    };
    file.starts_with("<frozen ") || !is_installed && Python::attach(is_in).unwrap_or(false)
}
