//! A page: text that is written from left to right, compact or with line breaks and indentation.

/// A text in the making.
pub(crate) struct Page {
    text: String,
    line: usize,
    depth: usize,
    formatted: bool,
}

impl Page {
    pub(crate) fn new(formatted: bool) -> Page {
        Page { text: String::new(), line: 0, depth: 0, formatted }
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Begins a line, if lines are broken at all.
    fn begin_line(&mut self) {
        if self.formatted {
            self.trim();
            self.text.push('\n');
            self.line = self.text.len();
            self.text.extend(std::iter::repeat_n("  ", self.depth));
        }
    }

    /// Begins an indented line.
    pub(crate) fn indent(&mut self) {
        self.depth += 1;
        self.begin_line();
    }

    /// Begins a line after the indented ones.
    pub(crate) fn outdent(&mut self) {
        self.depth -= 1;
        self.begin_line();
    }

    /// Writes a comma and begins a line.
    pub(crate) fn comma(&mut self) {
        self.push(",");
        self.begin_line();
    }

    /// Writes `a=` before a named element.
    pub(crate) fn label(&mut self, name: Option<&str>) {
        if let Some(name) = name {
            self.push(name);
            self.push("=");
        }
    }

    fn trim(&mut self) {
        let end = self.line + self.text[self.line..].trim_end().len();
        self.text.truncate(end);
    }

    pub(crate) fn finish(mut self) -> String {
        self.trim();
        self.text
    }
}
