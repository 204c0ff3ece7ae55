//! Locations in the user's text at which a name gets its value: in a block, or before the statement that is
//! staged. They are searched only when there is something to say about it.

use gw_base::Loc;
use gw_lower::RETURNED;
use gw_trace::Slot;
use pyo3::prelude::*;
use pyo3::types::PyFunction;

use crate::convert;

/// The last place in a block that gives the name a value.
pub fn in_block(block: &Bound<'_, PyAny>, slot: &Slot) -> Option<Loc> {
    let block = block.cast::<PyFunction>().ok()?;
    last(&block.getattr("__code__").ok()?, &Wanted::of(slot)?, None).ok().flatten()
}

/// The last place before the statement that Python is at, in the function or the blocks of it around the statement.
pub fn before(py: Python<'_>, slot: &Slot) -> Option<Loc> {
    let wanted = Wanted::of(slot)?;
    let mut frame = py.import("sys").ok()?.call_method0("_getframe").ok()?;
    loop {
        let code = frame.getattr("f_code").ok()?;
        let at: i64 = frame.getattr("f_lasti").ok()?.extract().ok()?;
        if let Some(found) = last(&code, &wanted, Some(at)).ok()? {
            return Some(found);
        }
        if !convert::is_block(&code).ok()? {
            return parameter(&code, wanted.name).ok().flatten();
        }
        frame = frame.getattr("f_back").ok().filter(|frame| !frame.is_none())?;
    }
}

/// The line of the `def`, for a parameter.
fn parameter(code: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Loc>> {
    let names: Vec<String> = code.getattr("co_varnames")?.extract()?;
    let positional: usize = code.getattr("co_argcount")?.extract()?;
    let keyword: usize = code.getattr("co_kwonlyargcount")?.extract()?;
    if !names.iter().take(positional + keyword).any(|parameter| parameter == name) {
        return Ok(None);
    }
    let file: String = code.getattr("co_filename")?.extract()?;
    Ok(Some(Loc::of_line(file, code.getattr("co_firstlineno")?.extract()?)))
}

/// The last instruction of a code object, before one of them, that stores into a name or attribute; the blocks in it too.
fn last(code: &Bound<'_, PyAny>, wanted: &Wanted<'_>, until: Option<i64>) -> PyResult<Option<Loc>> {
    if code.getattr("co_name")?.extract::<String>()?.starts_with("set_state") {
        return Ok(None);
    }
    let mut found: Option<Loc> = None;
    let mut line = 0;
    for instruction in code.py().import("dis")?.call_method1("get_instructions", (code,))?.try_iter()? {
        let instruction = instruction?;
        line = line_of(&instruction)?.unwrap_or(line);
        if until.is_some_and(|at| {
            instruction.getattr("offset").and_then(|o| o.extract()).is_ok_and(|o: i64| o >= at)
        }) {
            break;
        }
        let opname: String = instruction.getattr("opname")?.extract()?;
        if opname.starts_with(wanted.stored_by) && wanted.is(&opname, &instruction.getattr("argval")?) {
            found = Some(place(code, &instruction, line)?);
        }
    }
    if until.is_some() {
        return Ok(found);
    }
    for inner in code.getattr("co_consts")?.try_iter()? {
        let inner = inner?;
        if inner.hasattr("co_code")? && convert::is_block(&inner)? {
            found = found.into_iter().chain(last(&inner, wanted, None)?).max_by_key(|loc| loc.line);
        }
    }
    Ok(found)
}

/// The name that instructions give a value, and the instructions that do.
struct Wanted<'a> {
    stored_by: &'static str,
    name: &'a str,
    is_returned: bool,
}

impl<'a> Wanted<'a> {
    /// The one of a variable; none if no text names it.
    fn of(slot: &'a Slot) -> Option<Self> {
        let (stored_by, name) = match slot {
            Slot::Name(name) | Slot::Item(name) => ("STORE_", name.as_str()),
            Slot::Attribute(path) => {
                ("STORE_ATTR", path.rsplit_once('.').map_or(path.as_str(), |(_, own)| own))
            }
            Slot::Returned | Slot::ReturnedBefore => ("STORE_", RETURNED),
            Slot::Result | Slot::Exception | Slot::Contents | Slot::Variable => return None,
            Slot::Around | Slot::Unknown => return None,
        };
        Some(Self { stored_by, name, is_returned: slot.is_returned() })
    }

    /// True if it is an instruction's argument; conversion numbers the names of the returned value.
    fn is(&self, opname: &str, argument: &Bound<'_, PyAny>) -> bool {
        // From 3.13 on one instruction may store into two names, or store into its first name and load its second one.
        if let Ok((first, second)) = argument.extract::<(String, String)>() {
            return self.names(&first) || opname == "STORE_FAST_STORE_FAST" && self.names(&second);
        }
        argument.extract::<String>().is_ok_and(|argument| self.names(&argument))
    }

    fn names(&self, argument: &str) -> bool {
        if self.is_returned { argument.starts_with(RETURNED) } else { argument == self.name }
    }
}

/// The line at which an instruction begins; none if it goes on with the line before it.
fn line_of(instruction: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
    let newer = instruction.getattr_opt("line_number")?;
    let line = newer.map_or_else(|| instruction.getattr("starts_line"), Ok)?;
    Ok(line.extract().ok())
}

fn place(code: &Bound<'_, PyAny>, instruction: &Bound<'_, PyAny>, line: u32) -> PyResult<Loc> {
    let file: String = code.getattr("co_filename")?.extract()?;
    let known = instruction.getattr_opt("positions")?.and_then(|positions| positions.extract().ok());
    Ok(match known {
        Some((Some(line), Some(end_line), Some(column), Some(end_column))) => {
            Loc { column, end_line, end_column, ..Loc::of_line(file, line) }
        }
        Some((_, _, _, _)) | None => Loc::of_line(file, line),
    })
}
