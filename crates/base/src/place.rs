//! Places in the user's text.

use std::fmt;
use std::sync::Arc;

/// A half-open range of byte offsets in one [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The text of one file (or notebook cell, or `exec` string) and the name Python knows it by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// File name, as in `co_filename`.
    pub name: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Arc<[u32]>,
}

/// A range in the user's file in the terms that CPython uses: lines from 1, columns in UTF-8 bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loc {
    /// File name, as in `co_filename`.
    pub file: Arc<str>,
    /// First line, from 1.
    pub line: u32,
    /// First column, from 0, in UTF-8 bytes.
    pub column: u32,
    /// Last line, from 1.
    pub end_line: u32,
    /// One past the last column.
    pub end_column: u32,
    /// The function that it stands in, for what fails when the graph runs; unknown for places in a text alone.
    pub within: Option<Arc<Within>>,
}

/// A function of the user's, and the call of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Within {
    /// The function's name.
    pub function: Arc<str>,
    /// Place of the call; nothing for the function whose graph it is.
    pub caller: Option<Loc>,
}

impl Loc {
    /// A whole line (from 1), where columns are not known.
    pub fn of_line(file: impl Into<Arc<str>>, line: u32) -> Self {
        Self { file: file.into(), line, column: 0, end_line: line, end_column: 0, within: None }
    }
}

impl Source {
    /// A source of this name and text.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let after_newline = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(after_newline).collect();
        Self { name: name.into(), text, line_starts }
    }

    /// Line (from 1) and column (from 0, in bytes) of a byte offset.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        (line as u32, offset - self.line_starts[line - 1])
    }

    /// The byte offset at which a line (from 1) begins; the end of the text for a line past the last.
    pub fn line_start(&self, line: u32) -> u32 {
        self.line_starts.get(line as usize - 1).copied().unwrap_or(self.text.len() as u32)
    }

    /// The text of a line (from 1), without its newline.
    pub fn line(&self, line: u32) -> &str {
        let rest = &self.text[self.line_start(line) as usize..];
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }

    /// The span in CPython's terms.
    pub fn loc(&self, span: Span) -> Loc {
        let (line, column) = self.line_column(span.start);
        let (end_line, end_column) = self.line_column(span.end);
        Loc { file: self.name.clone(), line, column, end_line, end_column, within: None }
    }
}

impl fmt::Display for Loc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_columns() {
        let source = Source::new("f.py", "a\nbé\nc");
        assert_eq!(source.line_column(0), (1, 0));
        assert_eq!(source.line_column(2), (2, 0));
        assert_eq!(source.line_column(6), (3, 0));
        assert_eq!(source.line(2), "bé");
        assert_eq!(source.loc(Span { start: 2, end: 5 }).to_string(), "f.py:2:1");
    }
}
