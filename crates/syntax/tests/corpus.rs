//! Real Python, written and read again, is the same Python: over the standard library of the Python at hand, if any.

use std::path::{Path, PathBuf};
use std::process::Command;

use gw_base::Source;
use gw_syntax::{parse, to_source};

fn standard_library() -> Option<PathBuf> {
    let found =
        Command::new("python3").args(["-c", "import os; print(os.path.dirname(os.__file__))"]).output();
    let path = String::from_utf8(found.ok()?.stdout).ok()?;
    Some(PathBuf::from(path.trim())).filter(|path| path.is_dir())
}

fn python_files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    files
}

#[test]
fn what_is_written_reads_back() {
    let Some(root) = standard_library() else { return };
    let folders = [root.clone(), root.join("asyncio"), root.join("test")];
    let files: Vec<PathBuf> =
        folders.iter().flat_map(|folder| python_files(folder).into_iter().take(250)).collect();
    let mut read = 0;
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let first = parse(&Source::new("first", text));
        if !first.diagnostics.is_empty() {
            continue; // samples of bad syntax, or of grammar older than the parser's
        }
        let written = to_source(&first.value);
        let second = parse(&Source::new("second", written.clone()));
        assert!(second.diagnostics.is_empty(), "{}: {:?}", file.display(), second.diagnostics);
        assert_eq!(to_source(&second.value), written, "{}", file.display());
        read += 1;
    }
    assert!(read > 0, "no file of the standard library could be read");
}
