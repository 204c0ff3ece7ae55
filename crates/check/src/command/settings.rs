//! The settings of a check: those of the command line before those of `[tool.graphwright.check]` in `pyproject.toml`.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::options::{FailOn, Options, codes, fail_on, format};
use crate::report::Format;

/// Settings of a check.
#[derive(Debug)]
pub struct Settings {
    /// The format of findings.
    pub format: Format,
    /// Findings that make the exit status 1.
    pub fail_on: FailOn,
    /// Files and folders that are left out of folders.
    pub exclude: Vec<PathBuf>,
    select: Vec<String>,
    ignore: Vec<String>,
}

impl Settings {
    /// The settings of a file without a command line.
    pub fn of_file(path: &Path) -> Result<Self, String> {
        near(&Options { paths: vec![path.to_string_lossy().into_owned()], ..Options::default() })
    }

    /// True if findings of a code are asked for.
    pub fn wants(&self, code: &str) -> bool {
        let begins = |prefixes: &[String]| prefixes.iter().any(|prefix| code.starts_with(prefix.as_str()));
        (self.select.is_empty() || begins(&self.select)) && !begins(&self.ignore)
    }
}

/// `[tool.graphwright.check]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Section {
    format: Option<String>,
    select: Option<Vec<String>>,
    ignore: Option<Vec<String>>,
    fail_on: Option<String>,
    exclude: Vec<String>,
}

/// The settings near the first path, in whose folder or one above it `pyproject.toml` is looked for.
pub fn near(options: &Options) -> Result<Settings, String> {
    let first = options.paths.first().map_or(".", String::as_str);
    let start = if first == "-" { options.stdin_filename.as_deref().unwrap_or(".") } else { first };
    let (folder, section) = section(Path::new(start))?;
    let listed = |given: &Option<Vec<String>>, said: Option<Vec<String>>| match given {
        Some(given) => Ok(given.clone()),
        None => codes(said.unwrap_or_default().iter().map(String::as_str)),
    };
    let said_format = section.format.as_deref().map(format).transpose()?;
    let said_fail_on = section.fail_on.as_deref().map(fail_on).transpose()?;
    Ok(Settings {
        format: options.format.or(said_format).unwrap_or(Format::Text),
        fail_on: options.fail_on.or(said_fail_on).unwrap_or(FailOn::Error),
        exclude: section.exclude.iter().map(|path| folder.join(path)).collect(),
        select: listed(&options.select, section.select)?,
        ignore: listed(&options.ignore, section.ignore)?,
    })
}

/// The section of the nearest `pyproject.toml` that has one, and its folder.
fn section(start: &Path) -> Result<(PathBuf, Section), String> {
    let start = std::path::absolute(start).unwrap_or_else(|_| start.to_owned());
    for folder in start.ancestors() {
        let path = folder.join("pyproject.toml");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let shown = path.display();
        let whole: toml::Table =
            text.parse().map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
        let found =
            whole.get("tool").and_then(|tool| tool.get("graphwright")).and_then(|own| own.get("check"));
        let section = match found {
            Some(value) => value.clone().try_into().map_err(|error| {
                format!(
                    "`[tool.graphwright.check]` of `{shown}`: {}",
                    toml::de::Error::to_string(&error).trim()
                )
            })?,
            None => Section::default(),
        };
        return Ok((folder.to_owned(), section));
    }
    Ok((start, Section::default()))
}
