//! Positions in the text of the instructions of a code object, read from its table of locations.
//!
//! `co_positions()` says the same and makes a tuple for each instruction, which takes most of the time of a short trace.
//! The table is CPython's own affair, so it is read only where it is known to be what is expected here: entries of a byte
//! that says the form and how many code units it is about, then what the form has.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// `lineno`, `end_lineno`, `col_offset` and `end_col_offset`, as far as they are known.
pub type Position = (Option<u32>, Option<u32>, Option<u32>, Option<u32>);

/// The versions of Python whose table this is.
const KNOWN: std::ops::RangeInclusive<(u8, u8)> = (3, 11)..=(3, 13);

/// The position of each code unit; none before CPython 3.11.
pub fn positions(code: &Bound<'_, PyAny>) -> Vec<Position> {
    let version = code.py().version_info();
    let table = if KNOWN.contains(&(version.major, version.minor)) { from_table(code) } else { None };
    table.or_else(|| from_python(code)).unwrap_or_default()
}

fn from_python(code: &Bound<'_, PyAny>) -> Option<Vec<Position>> {
    let all = code.call_method0(intern!(code.py(), "co_positions")).ok()?;
    let read = |entry: PyResult<Bound<'_, PyAny>>| entry.ok()?.cast::<PyTuple>().ok()?.extract().ok();
    Some(all.try_iter().ok()?.map(|entry| read(entry).unwrap_or_default()).collect())
}

fn from_table(code: &Bound<'_, PyAny>) -> Option<Vec<Position>> {
    let py = code.py();
    let table = code.getattr(intern!(py, "co_linetable")).ok()?.cast_into::<PyBytes>().ok()?;
    let line = code.getattr(intern!(py, "co_firstlineno")).ok()?.extract().ok()?;
    Table { bytes: table.as_bytes(), line }.all()
}

/// Rest of a table, and the line of the entry before.
struct Table<'a> {
    bytes: &'a [u8],
    line: i64,
}

impl Table<'_> {
    /// All positions; nothing if an entry is not as expected.
    fn all(mut self) -> Option<Vec<Position>> {
        let mut found = Vec::with_capacity(2 * self.bytes.len());
        while let Some((&head, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            if head & 0x80 == 0 {
                return None;
            }
            let position = self.entry((head >> 3) & 15)?;
            found.extend(std::iter::repeat_n(position, usize::from(head & 7) + 1));
        }
        Some(found)
    }

    fn entry(&mut self, form: u8) -> Option<Position> {
        Some(match form {
            0..=9 => {
                let byte = self.byte()?;
                let column = u32::from(form) * 8 + u32::from((byte >> 4) & 7);
                self.on_line(Some(column), Some(column + u32::from(byte & 15)))?
            }
            10..=12 => {
                self.line += i64::from(form - 10);
                let (column, end) = (self.byte()?, self.byte()?);
                self.on_line(Some(column.into()), Some(end.into()))?
            }
            13 => {
                self.line += self.signed()?;
                self.on_line(None, None)?
            }
            14 => {
                self.line += self.signed()?;
                let end_line = self.line + i64::from(self.number()?);
                let (column, end) = (self.number()?.checked_sub(1), self.number()?.checked_sub(1));
                (Some(u32::try_from(self.line).ok()?), Some(u32::try_from(end_line).ok()?), column, end)
            }
            _ => Position::default(),
        })
    }

    /// A position that begins and ends on the same line.
    fn on_line(&self, column: Option<u32>, end: Option<u32>) -> Option<Position> {
        let line = u32::try_from(self.line).ok()?;
        Some((Some(line), Some(line), column, end))
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    /// Six bits in each byte, the lowest first; the seventh says that there are more.
    fn number(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in (0..32).step_by(6) {
            let byte = self.byte()?;
            number |= u32::from(byte & 63) << shift;
            if byte & 64 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The lowest bit says that it is negative.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        let size = i64::from(number >> 1);
        Some(if number & 1 == 1 { -size } else { size })
    }
}
