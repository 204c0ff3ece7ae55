//! The arguments of the command line.

use lexopt::{Arg, Parser, ValueExt};

use crate::report::Format;
use crate::rule::Rule;

/// Text of `--help`.
pub const HELP: &str = "\
Finds mistakes in functions of the graph, without running or importing anything.

Usage: graphwright check [OPTIONS] FILES…

FILES are Python files, folders of them, or `-` for the standard input.

Options:
  --format FORMAT        text, json, sarif or github (default: text)
  --select CODES         only rules whose codes begin with one of these, as GW2,GW105
  --ignore CODES         no rules whose codes begin with one of these
  --fail-on SEVERITY     error, warning or never: what makes the exit status 1 (default: error)
  --stdin-filename NAME  the file that the standard input is the text of
  -h, --help             this text

A comment `# gw: ignore[GW202]` covers its line, `# gw: ignore` every rule. `[tool.graphwright.check]` in
pyproject.toml may say `format`, `select`, `ignore`, `fail-on` and `exclude`.

Exit status: 0 nothing is found that counts, 1 something is, 2 the arguments or a file cannot be read.
";

/// Findings that make the exit status 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    /// Errors.
    Error,
    /// Errors and warnings.
    Warning,
    /// None.
    Never,
}

impl FailOn {
    const NAMES: &[(&str, FailOn)] =
        &[("error", FailOn::Error), ("warning", FailOn::Warning), ("never", FailOn::Never)];
}

/// Options of the command line; nothing where one is left to `pyproject.toml`.
#[derive(Debug, Default)]
pub struct Options {
    /// Files, folders, `-`.
    pub paths: Vec<String>,
    /// `--format`
    pub format: Option<Format>,
    /// `--select`
    pub select: Option<Vec<String>>,
    /// `--ignore`
    pub ignore: Option<Vec<String>>,
    /// `--fail-on`
    pub fail_on: Option<FailOn>,
    /// `--stdin-filename`
    pub stdin_filename: Option<String>,
}

/// The request of a command line.
#[derive(Debug)]
pub enum Asked {
    /// A check.
    Check(Options),
    /// The text that explains the command.
    Help,
}

/// Reads the arguments. The error says what is wrong with them.
pub fn read(arguments: &[String]) -> Result<Asked, String> {
    let mut parser = Parser::from_args(arguments);
    let mut options = Options::default();
    while let Some(argument) = parser.next().map_err(words)? {
        let name = match argument {
            Arg::Long(name) => name.to_owned(),
            Arg::Short('h') => return Ok(Asked::Help),
            Arg::Value(path) => {
                options.paths.push(path.string().map_err(words)?);
                continue;
            }
            other @ Arg::Short(_) => return Err(other.unexpected().to_string()),
        };
        if name == "help" {
            return Ok(Asked::Help);
        }
        set(&mut options, &name, &mut parser)?;
    }
    if options.paths.is_empty() {
        return Err(
            "there is nothing to check; name files, folders, or `-` for the standard input".to_owned()
        );
    }
    Ok(Asked::Check(options))
}

/// Sets the option of a name to the value behind it.
fn set(options: &mut Options, name: &str, parser: &mut Parser) -> Result<(), String> {
    let mut value = || parser.value().and_then(ValueExt::string).map_err(words);
    match name {
        "format" => options.format = Some(format(&value()?)?),
        "select" => options.select = Some(codes(value()?.split(','))?),
        "ignore" => options.ignore = Some(codes(value()?.split(','))?),
        "fail-on" => options.fail_on = Some(fail_on(&value()?)?),
        "stdin-filename" => options.stdin_filename = Some(value()?),
        _ => return Err(format!("there is no option `--{name}`")),
    }
    Ok(())
}

fn words(error: lexopt::Error) -> String {
    error.to_string()
}

/// The format of a name.
pub fn format(name: &str) -> Result<Format, String> {
    named("a format", name, Format::NAMES)
}

/// The severity of a name.
pub fn fail_on(name: &str) -> Result<FailOn, String> {
    named("a severity to fail on", name, FailOn::NAMES)
}

fn named<T: Copy>(noun: &str, name: &str, names: &[(&str, T)]) -> Result<T, String> {
    let found = names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    found.ok_or_else(|| format!("`{name}` is not {noun}; there are {}", known.join(", ")))
}

/// Prefixes of codes, each of which is the prefix of one at least.
pub fn codes<'a>(prefixes: impl Iterator<Item = &'a str>) -> Result<Vec<String>, String> {
    let prefixes = prefixes.map(str::trim).filter(|prefix| !prefix.is_empty());
    prefixes
        .map(|prefix| {
            let is_known = Rule::ALL.iter().any(|rule| rule.code().starts_with(prefix));
            if is_known {
                Ok(prefix.to_owned())
            } else {
                Err(format!("no rule has a code that begins with `{prefix}`"))
            }
        })
        .collect()
}
