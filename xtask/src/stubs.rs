//! The stub of the elementwise functions, written from the tables that define them.

use crate::house::House;

/// The file of the tables.
const TABLES: &str = "crates/py/src/api/elementwise.rs";

/// The stub that is written from them.
pub const STUB: &str = "python/graphwright/_elementwise.pyi";

const HEAD: &str = "\"\"\"The elementwise functions; `cargo xtask stubs` writes this file from `crates/py/src/api/elementwise.rs`.\"\"\"

from ._native import Tensor, _TensorLike

";

/// The text of the stub, if the tables are there.
pub fn stub(house: &House) -> Option<String> {
    let tables = house.rust.iter().find(|file| file.path == TABLES)?;
    let mut functions = Vec::new();
    let mut parameters = None;
    for line in tables.text.lines() {
        if let Some(names) = begun(line) {
            parameters = Some(names);
        } else if line == "}" {
            parameters = None;
        } else if let (Some(names), Some(name)) = (&parameters, row(line)) {
            functions.push((name.to_owned(), names.clone()));
        }
    }
    Some(written(functions))
}

fn written(mut functions: Vec<(String, String)>) -> String {
    functions.sort();
    let names: String = functions.iter().map(|(name, _)| format!("    \"{name}\",\n")).collect();
    let typed =
        |names: &str| names.split(", ").map(|name| format!("{name}: _TensorLike, ")).collect::<String>();
    let line = |(name, names): &(String, String)| {
        format!("def {name}({}name: str | None = None) -> Tensor: ...\n", typed(names))
    };
    let lines: String = functions.iter().map(line).collect();
    format!("{HEAD}__all__ = [\n{names}]\n\n{lines}")
}

/// The parameters of a table of `gw.math` that begins with a line.
fn begun(line: &str) -> Option<String> {
    let (_, names) = line.trim().strip_prefix("math_of_")?.split_once(" (")?;
    Some(names.strip_suffix(')')?.to_owned())
}

/// The name of the function that a line of a table defines.
fn row(line: &str) -> Option<&str> {
    let (name, call) = line.trim().split_once(' ')?;
    call.starts_with("Call::").then_some(name)
}
