//! Numbers, texts and options as bytes.

use crate::refusal::{Allowed, Refusal};

/// Bytes in the making.
#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes a number, seven bits to the byte, low ones first.
    pub(super) fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub(super) fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Writes whether something is there, and that.
    pub(super) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Writer, T)) {
        self.byte(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }
}

/// Bytes that are being read.
pub(super) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes, at: 0 }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub(super) fn damaged(&self, what: &str) -> Refusal {
        Refusal::wrong_value(format!("the bytes are no serialised computation: {what} at byte {}", self.at))
    }

    pub(super) fn take(&mut self, count: usize) -> Allowed<&'b [u8]> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.damaged("they end too early")) };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Allowed<u8> {
        Ok(self.take(1)?[0])
    }

    pub(super) fn number(&mut self) -> Allowed<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.damaged("a number is too long"))
    }

    /// Reads a count of records, each of which has at least one byte.
    pub(super) fn count(&mut self) -> Allowed<usize> {
        let count = self.index()?;
        if count <= self.bytes.len() - self.at {
            Ok(count)
        } else {
            Err(self.damaged("a count is too large"))
        }
    }

    pub(super) fn index(&mut self) -> Allowed<usize> {
        let number = self.number()?;
        usize::try_from(number).map_err(|_| self.damaged("a number is too large"))
    }

    pub(super) fn text(&mut self) -> Allowed<&'b str> {
        let count = self.count()?;
        let bytes = self.take(count)?;
        std::str::from_utf8(bytes).map_err(|_| self.damaged("a text is no UTF-8"))
    }

    pub(super) fn flag(&mut self) -> Allowed<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.damaged("a truth value is neither 0 nor 1")),
        }
    }

    /// Reads whether something is there, and that.
    pub(super) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'b>) -> Allowed<T>,
    ) -> Allowed<Option<T>> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }
}
