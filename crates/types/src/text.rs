//! Strings of bytes as elements: a word each, and equal words for equal strings.
//!
//! A string of at most seven bytes stands in the word itself. A longer one is a record in a table that all threads share,
//! and the word is its number; a record stays as long as a [`Texts`] keeps it. Whoever holds words keeps their records.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::{DType, Scalar};

/// Strings of more bytes are records.
const SHORT: usize = 7;

/// The upper byte of a word that is the number of a record; that of any other is a length.
const LONG: u64 = 0xff << 56;

/// A string of bytes, as the word that stands for it. The string is there as long as a [`Texts`] keeps it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(u64);

impl Text {
    /// The string without bytes: the word 0.
    pub const EMPTY: Text = Text(0);

    /// The string that a word stands for.
    pub fn from_word(word: u64) -> Self {
        Self(word)
    }

    /// The word.
    pub fn word(self) -> u64 {
        self.0
    }

    /// Reads the bytes.
    pub fn with<R>(self, read: impl FnOnce(&[u8]) -> R) -> R {
        if self.is_long() {
            let bytes = table().bytes(self.0);
            return read(&bytes);
        }
        let length = ((self.0 >> 56) as usize).min(SHORT);
        read(&self.0.to_le_bytes()[..length])
    }

    /// The bytes of its own.
    pub fn to_bytes(self) -> Vec<u8> {
        self.with(<[u8]>::to_vec)
    }

    /// True if the word alone says what the bytes are.
    pub fn is_short(self) -> bool {
        !self.is_long()
    }

    fn short(bytes: &[u8]) -> Option<Self> {
        let mut word = [0; 8];
        word[7] = bytes.len() as u8;
        (bytes.len() <= SHORT).then(|| word[..bytes.len()].copy_from_slice(bytes))?;
        Some(Self(u64::from_le_bytes(word)))
    }

    fn is_long(self) -> bool {
        self.0 & LONG == LONG
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with(|bytes| write!(f, "\"{}\"", bytes.escape_ascii()))
    }
}

/// Keeps the records of strings while it lives. Most tensors have none: a set is made for the first.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::box_collection, reason = "a tensor without strings takes and frees one word for it")]
pub struct Texts(Option<Box<BTreeSet<Text>>>);

impl Texts {
    /// Keeps these, which somebody else keeps already.
    pub fn of(texts: impl IntoIterator<Item = Text>) -> Self {
        let long: BTreeSet<Text> = texts.into_iter().filter(|text| text.is_long()).collect();
        let own = Self((!long.is_empty()).then(|| Box::new(long)));
        own.retain();
        own
    }

    /// Keeps the strings that stand in the bytes of a tensor of this element type.
    pub fn of_bytes(dtype: DType, bytes: &[u8]) -> Self {
        if dtype != DType::Str {
            return Self::default();
        }
        Self::of(bytes.chunks_exact(8).map(|word| Scalar::read(dtype, word).to_text()))
    }

    /// The string of these bytes, which is kept here.
    pub fn make(&mut self, bytes: &[u8]) -> Text {
        Text::short(bytes).unwrap_or_else(|| {
            let mut table = table();
            let text = Text(table.number(bytes));
            if self.0.get_or_insert_default().insert(text) {
                table.retain(text.0);
            }
            text
        })
    }

    /// Keeps one more, which somebody else keeps already.
    pub fn keep(&mut self, text: Text) {
        if text.is_long() && self.0.get_or_insert_default().insert(text) {
            table().retain(text.0);
        }
    }

    fn retain(&self) {
        if let Some(texts) = &self.0 {
            let mut table = table();
            texts.iter().for_each(|text| table.retain(text.0));
        }
    }
}

impl Clone for Texts {
    fn clone(&self) -> Self {
        let own = Self(self.0.clone());
        own.retain();
        own
    }
}

impl Drop for Texts {
    fn drop(&mut self) {
        if let Some(texts) = &self.0 {
            let mut table = table();
            texts.iter().for_each(|text| table.release(text.0));
        }
    }
}

/// Every long string that is kept, once.
#[derive(Default)]
struct Table {
    numbers: HashMap<Arc<[u8]>, u64>,
    records: Vec<Record>,
    /// Records that nobody keeps.
    free: Vec<u64>,
}

#[derive(Default)]
struct Record {
    bytes: Arc<[u8]>,
    keepers: usize,
}

impl Table {
    /// The word of a string, whose record is made if there is none; the caller keeps it.
    fn number(&mut self, bytes: &[u8]) -> u64 {
        if let Some(&word) = self.numbers.get(bytes) {
            return word;
        }
        let word = self.free.pop().unwrap_or_else(|| {
            self.records.push(Record::default());
            LONG | (self.records.len() as u64 - 1)
        });
        let bytes: Arc<[u8]> = bytes.into();
        self.numbers.insert(bytes.clone(), word);
        if let Some(record) = self.record(word) {
            record.bytes = bytes;
        }
        word
    }

    fn record(&mut self, word: u64) -> Option<&mut Record> {
        self.records.get_mut((word & !LONG) as usize)
    }

    fn bytes(&mut self, word: u64) -> Arc<[u8]> {
        let record = self.record(word).filter(|record| record.keepers > 0);
        debug_assert!(record.is_some(), "a string is read that nobody keeps");
        record.map(|record| record.bytes.clone()).unwrap_or_default()
    }

    fn retain(&mut self, word: u64) {
        if let Some(record) = self.record(word) {
            record.keepers += 1;
        }
    }

    fn release(&mut self, word: u64) {
        let Some(record) = self.record(word) else { return };
        record.keepers -= 1;
        if record.keepers == 0 {
            let bytes = std::mem::take(&mut record.bytes);
            self.numbers.remove(&bytes);
            self.free.push(word);
        }
    }
}

fn table() -> MutexGuard<'static, Table> {
    static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(Mutex::default);
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_known(bytes: &[u8]) -> bool {
        table().numbers.contains_key(bytes)
    }

    #[test]
    fn equal_strings_are_equal_words() {
        let (mut here, mut there) = (Texts::default(), Texts::default());
        for bytes in [&b""[..], b"a", b"\0", b"\0\0", b"seven b", b"eight by", &[b'x'; 1000]] {
            assert_eq!(here.make(bytes), there.make(bytes));
            assert_eq!(here.make(bytes).to_bytes(), bytes);
        }
        assert_eq!(here.make(b""), Text::EMPTY);
        assert_ne!(here.make(b"\0"), here.make(b"\0\0"));
        assert_ne!(here.make(b"eight by"), here.make(b"eight bz"));
    }

    #[test]
    fn a_record_stays_as_long_as_somebody_keeps_it() {
        let bytes = b"kept by three and then by none";
        let mut first = Texts::default();
        let text = first.make(bytes);
        let second = Texts::of([text, text]);
        let mut third = second.clone();
        third.keep(text);
        drop((first, second));
        assert_eq!(text.to_bytes(), bytes);
        drop(third);
        assert!(!is_known(bytes));
    }
}
