//! The tail is bounded: no long file, no long function, and each file begins with its purpose.

use std::collections::BTreeMap;

use crate::house::House;

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 60;
const FOLDER_FILES: usize = 25;

/// The folders that have more files, with how many they may have. A figure may only shrink.
const LARGE_FOLDERS: &[(&str, usize)] = &[
    ("crates/cpu/src/lower", 30),
    ("crates/lower/src", 48),
    ("crates/stablehlo/src", 33),
    ("crates/trace/src", 28),
];

/// Items that may be long, as a file or as `file::function`, and the reason. The list may only shrink.
const LONG: &[(&str, &str)] = &[];

/// A file has at most 500 lines, its tests among them.
pub fn no_file_is_long(house: &House) -> Vec<String> {
    let rust = house.rust.iter().map(|file| (&file.path, &file.text));
    let python = house.python.iter().map(|file| (&file.path, &file.text));
    let lengths = rust.chain(python).map(|(path, text)| (path.clone(), text.lines().count()));
    over(lengths, FILE_LINES, |entry| !entry.contains("::"))
}

/// A function has at most 60 lines; a test may have more, because a table of cases is not made clearer by cutting it.
pub fn no_function_is_long(house: &House) -> Vec<String> {
    let functions = house.rust.iter().flat_map(|file| {
        let own = file.functions.iter().filter(|function| !function.is_test);
        own.map(|function| (format!("{}::{}", file.path, function.name), function.lines))
    });
    over(functions, FUNCTION_LINES, |entry| entry.contains("::"))
}

/// Items longer than `limit` and not listed, and items listed in vain.
fn over(
    lengths: impl Iterator<Item = (String, usize)>,
    limit: usize,
    is_ours: impl Fn(&str) -> bool,
) -> Vec<String> {
    let long: Vec<_> = lengths.filter(|(_, lines)| *lines > limit).collect();
    let listed = |name: &str| LONG.iter().any(|(entry, _)| *entry == name);
    let unlisted = long.iter().filter(|(name, _)| !listed(name));
    let mut complaints: Vec<String> =
        unlisted.map(|(name, lines)| format!("{name}: {lines} lines, {limit} are allowed")).collect();
    for (entry, reason) in LONG.iter().filter(|(entry, _)| is_ours(entry)) {
        if !long.iter().any(|(name, _)| name == entry) {
            complaints.push(format!("{entry}: no longer long ({reason}); take it off the list"));
        }
    }
    complaints
}

/// A folder of sources has few files: one subject, which a list of its names tells.
pub fn folders_are_small(house: &House) -> Vec<String> {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    let sources = house.rust.iter().filter(|file| file.path.contains("/src/"));
    for (folder, _) in sources.filter_map(|file| file.path.rsplit_once('/')) {
        *files.entry(folder).or_default() += 1;
    }
    let listed =
        |folder: &str| LARGE_FOLDERS.iter().find(|(entry, _)| *entry == folder).map(|(_, files)| *files);
    let large = files.into_iter().filter(|(folder, files)| *files > listed(folder).unwrap_or(FOLDER_FILES));
    large.map(|(folder, files)| format!("{folder}: {files} files, {FOLDER_FILES} are allowed")).collect()
}

/// A Rust file begins with a `//!` sentence, a module of the package with a docstring.
pub fn every_file_says_its_purpose(house: &House) -> Vec<String> {
    let rust = house.rust.iter().filter(|file| !file.text.starts_with("//! "));
    let mut complaints: Vec<String> =
        rust.map(|file| format!("{}: begins without `//!`", file.path)).collect();
    for file in
        house.python.iter().filter(|file| file.path.starts_with("python/") && file.path.ends_with(".py"))
    {
        if !file.text.starts_with("\"\"\"") {
            complaints.push(format!("{}: begins without a docstring", file.path));
        }
    }
    complaints
}
