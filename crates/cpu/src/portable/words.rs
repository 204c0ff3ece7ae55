//! Numbers and texts as bytes, and back.

/// Bytes that become more.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn number(&mut self, value: usize) {
        self.0.extend((value as u64).to_le_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len());
        self.0.extend(bytes);
    }

    /// Number of items, then each.
    pub(super) fn list<T>(&mut self, items: &[T], mut one: impl FnMut(&mut Self, &T)) {
        self.number(items.len());
        items.iter().for_each(|item| one(self, item));
    }

    /// As [`Writer::list`], of what may not be possible.
    pub(super) fn list_of<T>(
        &mut self,
        items: &[T],
        mut one: impl FnMut(&mut Self, &T) -> Option<()>,
    ) -> Option<()> {
        self.number(items.len());
        items.iter().try_for_each(|item| one(self, item))
    }

    /// Flag for an item, then the item.
    pub(super) fn maybe(&mut self, value: Option<usize>) {
        self.byte(u8::from(value.is_some()));
        self.number(value.unwrap_or(0));
    }
}

/// Bytes that are read one after the other. What is not as it was written reads as nothing.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(super) fn number(&mut self) -> Option<usize> {
        let bytes = self.take(8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(count)
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    /// A list, of which each item takes a byte at least.
    pub(super) fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number().filter(|&count| count <= self.0.len())?;
        (0..count).map(|_| one(self)).collect()
    }

    pub(super) fn maybe(&mut self) -> Option<Option<usize>> {
        let (is_there, value) = (self.byte()?, self.number()?);
        Some((is_there != 0).then_some(value))
    }
}
