//! The Python files that a path stands for, and their texts.

use std::path::{Path, PathBuf};

use gw_base::Source;
use walkdir::{DirEntry, WalkDir};

/// The files of a path: itself, or every `.py` file of a folder in the order of their names. Hidden folders, caches and
/// environments are left out, and so is what is excluded.
pub fn below(path: &Path, exclude: &[PathBuf]) -> Vec<Result<PathBuf, String>> {
    if !path.is_dir() {
        return vec![Ok(path.to_owned())];
    }
    let walk = WalkDir::new(path).sort_by_file_name().into_iter();
    let entries = walk.filter_entry(|entry| entry.depth() == 0 || is_wanted(entry, exclude));
    entries
        .filter_map(|entry| match entry {
            Ok(entry) => is_python(&entry).then(|| Ok(entry.into_path())),
            Err(error) => Some(Err(error.to_string())),
        })
        .collect()
}

fn is_wanted(entry: &DirEntry, exclude: &[PathBuf]) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_foreign =
        name.starts_with('.') || matches!(&*name, "__pycache__" | "node_modules" | "site-packages");
    let is_environment = entry.file_type().is_dir() && entry.path().join("pyvenv.cfg").exists();
    let whole = std::path::absolute(entry.path()).unwrap_or_else(|_| entry.path().to_owned());
    !is_foreign && !is_environment && !exclude.iter().any(|excluded| whole.starts_with(excluded))
}

fn is_python(entry: &DirEntry) -> bool {
    entry.file_type().is_file() && entry.path().extension().is_some_and(|extension| extension == "py")
}

/// The text of a file, which is UTF-8 with or without its mark.
pub fn read(path: &Path) -> Result<Source, String> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("`{shown}` is not UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(Source::new(shown.to_string(), text))
}
