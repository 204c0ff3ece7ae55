//! Functions that nest too deep are refused (GW004) before anything calls itself once per level.

use gw_base::{Code, Diagnostic, Loc};
use gw_syntax::Tree;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert::file::Place;
use crate::exceptions::errors::raise;

/// CPython's tree is made, and compiled, by code that calls itself at each level; CPython's own limit is not far above
/// this.
const DEEPEST: usize = 700;

/// Bytes of stack that this takes for each level, at most.
const LEVEL: usize = if cfg!(debug_assertions) { 16 << 10 } else { 5 << 10 };

/// Refuses a function whose tree, as it was written or as it is lowered, is too deep.
pub fn check(function: &Bound<'_, PyFunction>, place: &Place, tree: &Tree) -> PyResult<()> {
    let deepest = gw_runtime::remaining_stack().map_or(DEEPEST, |left| DEEPEST.min(left / LEVEL));
    if tree.node_count() <= deepest || gw_syntax::depth(tree) <= deepest {
        return Ok(());
    }
    let name = get!(function, "__name__")?;
    let line: u32 = get!(get!(function, "__code__")?, "co_firstlineno")?.extract()?;
    let file = place.source.name.clone();
    let at = Loc { file, line, column: 0, end_line: line, end_column: 0, within: None };
    let found = Diagnostic::new(Code::TooDeep, format!("`{name}` nests too deep to be converted"))
        .at(at, "defined here")
        .help("split it: a long chain of `elif` can be a dict or a `match`, a long sum a loop");
    Err(raise(&found))
}
