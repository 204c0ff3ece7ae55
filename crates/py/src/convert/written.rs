//! The user's own words in a diagnostic: the text of the expression that Python evaluates, and what to write instead of it.

use gw_base::{Code, Loc};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::exceptions::errors;
use crate::session::frames;
use crate::session::top_frame::top_frame;

/// The text of a place, and the line in which it begins; nothing where it is not known.
struct Written {
    text: String,
    line: String,
}

fn written(place: &Loc) -> Option<Written> {
    let source = errors::source_of(&place.file)?;
    let line = source.line(place.line).to_owned();
    let (first, last) = (place.column as usize, place.end_column as usize);
    let text = if place.end_line == place.line {
        line.get(first..last)?.to_owned()
    } else {
        let between = (place.line + 1..place.end_line).map(|number| source.line(number).to_owned());
        let end = source.line(place.end_line).get(..last)?.to_owned();
        let lines = std::iter::once(line.get(first..)?.to_owned()).chain(between).chain([end]);
        lines.collect::<Vec<_>>().join("\n")
    };
    (!text.is_empty()).then_some(Written { text, line })
}

/// Question that Python asks of a tensor of the graph.
#[derive(Debug, Clone, Copy)]
pub enum Asked<'a, 'py> {
    /// For its elements, as this.
    Value(&'a str),
    /// For its text.
    Text,
    /// True if it is true.
    Truth,
    /// For an item of this list or dict, which holds an object of this kind.
    Item(&'a Bound<'py, PyAny>, &'a str),
}

/// True if Python compares two objects now, rather than asks what a comparison gave.
fn compares(py: Python<'_>) -> Option<bool> {
    let frame = top_frame(py)?;
    let at: usize = frame.getattr("f_lasti").ok()?.extract().ok()?;
    let opcodes = frame.getattr("f_code").ok()?.getattr("co_code").ok()?;
    let compare: u8 =
        py.import("opcode").ok()?.getattr("opmap").ok()?.get_item("COMPARE_OP").ok()?.extract().ok()?;
    Some(opcodes.cast::<PyBytes>().ok()?.as_bytes().get(at) == Some(&compare))
}

/// The diagnostic for what the user wrote here; nothing where the general words are as good.
pub fn refusal(py: Python<'_>, asked: Asked<'_, '_>) -> Option<PyErr> {
    let place = frames::place(py)?;
    let Written { text, line } = written(&place)?;
    let remedies = py.import("graphwright._remedies").ok()?;
    let found = match asked {
        Asked::Value(wanted) => remedies.call_method1("value_wanted", (text, wanted, line)),
        Asked::Text => remedies.call_method1("into_text", (text,)),
        Asked::Truth if !compares(py)? => return None,
        Asked::Truth => remedies.call_method1("truth_wanted", (text,)),
        Asked::Item(held, kind) => remedies.call_method1("chosen", (text, held, kind)),
    };
    let (code, message, help): (String, String, String) = found.ok()?.extract().ok()?;
    let code = Code::ALL.iter().copied().find(|known| known.text() == code)?;
    Some(errors::here(py, code, message, &help))
}
