//! Tensor values in memory: immutable, shared, contiguous.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use gw_types::{DType, Scalar, Texts, count};

use crate::lengths::Lengths;
use crate::memory::Block;

/// An immutable tensor value: element type, lengths of the axes, row-major bytes. A clone shares the bytes.
#[derive(Clone)]
pub struct Buffer(Arc<Inner>);

struct Inner {
    dtype: DType,
    lengths: Lengths,
    size: usize,
    memory: Memory,
    /// Keeps the strings among the elements.
    texts: Texts,
}

enum Memory {
    /// At most [`INLINE`] bytes: one allocation holds a small tensor.
    Inline([u64; INLINE / 8]),
    Owned(Block),
    Foreign(Foreign),
    Lent(Lent),
    Given(Block),
}

/// Memory of the host's for one call.
struct Lent {
    start: *const u8,
    /// True if a run may store into it.
    changes: bool,
}

// SAFETY: the host, which lends the memory for a call, keeps it alive meanwhile; it is numbers, all of whose bytes are values.
unsafe impl Send for Lent {}
// SAFETY: likewise.
unsafe impl Sync for Lent {}

/// So many bytes lie in the buffer itself.
const INLINE: usize = 64;

struct Foreign {
    start: *const u8,
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the owner, which is Send and Sync, keeps the bytes alive and unchanged.
unsafe impl Send for Foreign {}
// SAFETY: likewise.
unsafe impl Sync for Foreign {}

impl Buffer {
    /// A copy of `bytes`; somebody keeps the strings among the elements until now.
    ///
    /// # Panics
    /// If there are not as many bytes as the type says, or not so much memory.
    pub fn from_bytes(dtype: DType, lengths: &[usize], bytes: &[u8]) -> Buffer {
        Self::copied(dtype, lengths.into(), bytes)
    }

    /// As [`from_bytes`](Self::from_bytes); `None` if there is not so much memory.
    ///
    /// # Panics
    /// If there are not as many bytes as the type says.
    pub fn try_from_bytes(dtype: DType, lengths: &[usize], bytes: &[u8]) -> Option<Buffer> {
        Self::try_copied(dtype, lengths.into(), bytes)
    }

    pub(crate) fn copied(dtype: DType, lengths: Lengths, bytes: &[u8]) -> Buffer {
        Self::try_copied(dtype, lengths, bytes).expect("memory for a buffer")
    }

    fn try_copied(dtype: DType, lengths: Lengths, bytes: &[u8]) -> Option<Buffer> {
        let size = byte_size(dtype, &lengths);
        assert_eq!(bytes.len(), size, "bytes of a buffer");
        if size <= INLINE {
            return Some(Self::written(dtype, lengths, |out| out.copy_from_slice(bytes)));
        }
        let block = Block::new(size)?;
        Some(Self::new(dtype, lengths, size, Memory::Owned(block.filled(bytes))))
    }

    /// A single element, cast to `dtype`.
    pub fn scalar(dtype: DType, value: Scalar) -> Buffer {
        let mut bytes = Vec::with_capacity(8);
        value.write(dtype, &mut bytes);
        Self::from_bytes(dtype, &[], &bytes)
    }

    /// A tensor that `write` fills; its bytes begin as zeros.
    ///
    /// # Panics
    /// If there is not so much memory.
    pub fn with_writer(dtype: DType, lengths: &[usize], write: impl FnOnce(&mut [u8])) -> Buffer {
        Self::written(dtype, lengths.into(), write)
    }

    fn written(dtype: DType, lengths: Lengths, write: impl FnOnce(&mut [u8])) -> Buffer {
        let size = byte_size(dtype, &lengths);
        if size <= INLINE {
            let mut words = [0u64; INLINE / 8];
            // SAFETY: the words are at least `size` initialised bytes, and any bytes are words.
            write(unsafe { std::slice::from_raw_parts_mut(words.as_mut_ptr().cast(), size) });
            return Self::new(dtype, lengths, size, Memory::Inline(words));
        }
        let mut block = Block::zeroed(size).expect("memory for a buffer");
        // SAFETY: the block holds `size` initialised bytes and is not shared yet.
        write(unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr(), size) });
        Self::new(dtype, lengths, size, Memory::Owned(block))
    }

    /// A tensor in new memory that `write` is given; `None` if there is not so much.
    ///
    /// # Safety
    /// `write` writes as many bytes as the type says.
    pub unsafe fn with_memory(
        dtype: DType,
        lengths: &[usize],
        write: impl FnOnce(*mut u8),
    ) -> Option<Buffer> {
        let mut block = Block::new(lengths.iter().try_fold(dtype.size(), |size, &n| size.checked_mul(n))?)?;
        write(block.as_mut_ptr());
        Some(Self::from_block(dtype, lengths.into(), block))
    }

    /// A single element, given by the low bytes of a word.
    pub(crate) fn from_word(dtype: DType, word: u64) -> Buffer {
        let mut words = [0; INLINE / 8];
        words[0] = word;
        Self::new(dtype, Lengths::default(), dtype.size(), Memory::Inline(words))
    }

    /// A tensor whose elements are already in `block`.
    pub(crate) fn from_block(dtype: DType, lengths: Lengths, block: Block) -> Buffer {
        let size = byte_size(dtype, &lengths);
        Self::new(dtype, lengths, size, Memory::Owned(block))
    }

    /// The number of tensors that share the memory.
    pub fn owners(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// A tensor of these elements; a small one is copied, a greater one keeps the memory.
    ///
    /// # Panics
    /// If there are not as many elements as the lengths say.
    pub fn from_elements<T: Element>(lengths: &[usize], elements: Vec<T>) -> Buffer {
        assert_eq!(elements.len(), count(lengths), "elements of a buffer");
        let start = elements.as_ptr().cast::<u8>();
        let size = size_of_val(elements.as_slice());
        if size <= INLINE {
            // SAFETY: the elements are numbers, whose bytes are all initialised.
            let bytes = if size == 0 { &[] } else { unsafe { std::slice::from_raw_parts(start, size) } };
            return Self::from_bytes(T::DTYPE, lengths, bytes);
        }
        // SAFETY: the vector is moved into the owner, which leaves its elements where they are.
        unsafe { Self::from_foreign(T::DTYPE, lengths, start, Box::new(elements)) }
    }

    /// A tensor of a copy of these elements, which begins with a line of the cache: registers that are read from it cross none. `None`
    /// if there is not so much memory.
    ///
    /// # Panics
    /// If there are not as many elements as the lengths say.
    pub fn copy_of<T: Element>(lengths: &[usize], elements: &[T]) -> Option<Buffer> {
        let (start, size) = (elements.as_ptr().cast(), size_of_val(elements));
        // SAFETY: the elements are numbers, whose bytes are all initialised.
        Self::try_from_bytes(T::DTYPE, lengths, unsafe { std::slice::from_raw_parts(start, size) })
    }

    /// The elements, if they are of this type.
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        let count = self.0.size / size_of::<T>();
        let start =
            if count == 0 { std::ptr::NonNull::<T>::dangling().as_ptr() } else { self.as_ptr().cast() };
        // SAFETY: every kind of memory holds `size` initialised bytes, aligned for elements, as long as `self` lives.
        (self.dtype() == T::DTYPE).then(|| unsafe { std::slice::from_raw_parts(start, count) })
    }

    /// A tensor in memory that somebody else owns; `owner` is dropped with the last clone.
    ///
    /// # Safety
    /// As long as `owner` lives, `start` points to as many initialised bytes as the type says, which nobody changes,
    /// aligned to the element's size; the bytes of bools are 0 or 1.
    pub unsafe fn from_foreign(
        dtype: DType,
        lengths: &[usize],
        start: *const u8,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Buffer {
        let memory = Memory::Foreign(Foreign { start, _owner: owner });
        Self::new(dtype, lengths.into(), byte_size(dtype, lengths), memory)
    }

    /// A tensor in memory that the host lends for one call: what outlives the call is made of [`kept`](Self::kept) ones.
    ///
    /// # Safety
    /// Until the last clone is dropped, `start` points to as many initialised bytes as the type says, aligned to the element's
    /// size; the bytes of bools are 0 or 1. Nobody relies on their staying the same.
    pub unsafe fn lent(dtype: DType, lengths: &[usize], start: *const u8) -> Buffer {
        let memory = Memory::Lent(Lent { start, changes: false });
        Self::new(dtype, lengths.into(), byte_size(dtype, lengths), memory)
    }

    /// True if the host lends the memory.
    #[inline]
    pub fn is_lent(&self) -> bool {
        matches!(self.0.memory, Memory::Lent(_))
    }

    /// Lets a run store into lent memory, in place of a copy.
    ///
    /// # Safety
    /// The host may write to the memory, and no other tensor of the run lies there.
    pub unsafe fn let_change(&mut self) {
        if let Some(Inner { memory: Memory::Lent(lent), .. }) = Arc::get_mut(&mut self.0) {
            lent.changes = true;
        }
    }

    /// A copy for one run, which may store into it; `None` if there is not so much memory.
    pub fn given_up(&self) -> Option<Buffer> {
        let block = Block::new(self.0.size)?.filled(self.bytes());
        Some(Self::new(self.dtype(), self.lengths().into(), self.0.size, Memory::Given(block)))
    }

    /// The same memory as so many elements of another type.
    ///
    /// # Panics
    /// If these are not as many bytes.
    #[must_use]
    pub fn retyped(self, dtype: DType, lengths: &[usize]) -> Buffer {
        assert_eq!(byte_size(dtype, lengths), self.0.size, "bytes of a buffer");
        match Arc::try_unwrap(self.0) {
            Ok(inner) => Self::new(dtype, lengths.into(), inner.size, inner.memory),
            Err(shared) => Self::from_bytes(dtype, lengths, shared.bytes()),
        }
    }

    /// True if a run may store into the memory.
    pub fn may_change(&self) -> bool {
        matches!(self.0.memory, Memory::Lent(Lent { changes: true, .. }) | Memory::Given(_))
    }

    /// The same tensor in memory that stays as it is: a copy, if the memory is lent.
    #[must_use]
    pub fn kept(self) -> Buffer {
        if self.is_lent() { Self::from_bytes(self.dtype(), self.lengths(), self.bytes()) } else { self }
    }

    fn new(dtype: DType, lengths: Lengths, size: usize, memory: Memory) -> Buffer {
        let mut inner = Inner { dtype, lengths, size, memory, texts: Texts::default() };
        if !dtype.is_number() {
            inner.texts = Texts::of_bytes(dtype, inner.bytes());
        }
        Buffer(Arc::new(inner))
    }

    /// The memory of a tensor that nobody else holds, if it is a block of its own.
    pub(crate) fn into_block(self) -> Option<Block> {
        match Arc::into_inner(self.0)?.memory {
            Memory::Owned(block) => Some(block),
            Memory::Inline(_) | Memory::Foreign(_) | Memory::Lent(_) | Memory::Given(_) => None,
        }
    }

    /// The same, or the tensor itself where somebody else holds it or its memory is no block.
    pub(crate) fn try_into_block(self) -> Result<Block, Buffer> {
        let inner = Arc::try_unwrap(self.0).map_err(Buffer)?;
        match inner.memory {
            Memory::Owned(block) => Ok(block),
            memory @ (Memory::Inline(_) | Memory::Foreign(_) | Memory::Lent(_) | Memory::Given(_)) => {
                Err(Buffer(Arc::new(Inner { memory, ..inner })))
            }
        }
    }

    /// Element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Lengths of the axes.
    #[inline]
    pub fn lengths(&self) -> &[usize] {
        &self.0.lengths
    }

    /// Address of the elements; valid as long as this buffer or a clone lives.
    pub fn as_ptr(&self) -> *const u8 {
        self.0.start()
    }

    /// The elements' bytes, little-endian, row-major.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        self.0.bytes()
    }

    /// The elements, in order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.bytes().chunks_exact(self.dtype().size()).map(|b| Scalar::read(self.dtype(), b))
    }
}

impl Inner {
    fn start(&self) -> *const u8 {
        match &self.memory {
            Memory::Inline(words) => words.as_ptr().cast(),
            Memory::Owned(block) | Memory::Given(block) => block.as_ptr(),
            Memory::Foreign(foreign) => foreign.start,
            Memory::Lent(lent) => lent.start,
        }
    }

    fn bytes(&self) -> &[u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: every kind of memory holds `size` initialised bytes as long as `self` lives.
        unsafe { std::slice::from_raw_parts(self.start(), self.size) }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?} ", self.dtype(), self.lengths())?;
        f.debug_list().entries(self.scalars()).finish()
    }
}

/// A Rust number that is an element as it stands in memory.
pub trait Element: sealed::Number {
    /// The element type.
    const DTYPE: DType;
}

mod sealed {
    /// Numbers all of whose bit patterns are values.
    pub trait Number: Copy + Send + Sync + 'static {}
}

macro_rules! elements {
    ($($ty:ty = $dtype:ident),*) => {$(
        impl sealed::Number for $ty {}
        impl Element for $ty {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
elements!(
    i8 = I8,
    i16 = I16,
    i32 = I32,
    i64 = I64,
    u8 = U8,
    u16 = U16,
    u32 = U32,
    u64 = U64,
    f32 = F32,
    f64 = F64
);

fn byte_size(dtype: DType, lengths: &[usize]) -> usize {
    lengths.iter().fold(dtype.size(), |size, &n| size.saturating_mul(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_read_back() {
        let bytes: Vec<u8> = [1i32, -2, 3, 4].iter().flat_map(|x| x.to_le_bytes()).collect();
        let buffer = Buffer::from_bytes(DType::I32, &[2, 2], &bytes);
        assert_eq!(buffer.bytes(), bytes);
        assert_eq!(buffer.elements::<i32>(), Some(&[1, -2, 3, 4][..]));
        assert_eq!(buffer.elements::<f32>(), None);
        assert_eq!(buffer.scalars().nth(1), Some(Scalar::Int(-2)));
        assert_eq!(Buffer::scalar(DType::F32, Scalar::Float(0.5)).bytes(), 0.5f32.to_le_bytes());
        assert_eq!(Buffer::from_bytes(DType::F64, &[0, 3], &[]).bytes(), []);
    }

    #[test]
    fn copies_begin_with_a_line_of_the_cache() {
        for count in [0, 1, 3, 9, 1000, 300_000] {
            let elements: Vec<f64> = (0..count).map(f64::from).collect();
            let buffer = Buffer::copy_of(&[elements.len()], &elements).expect("memory");
            assert_eq!(buffer.elements::<f64>(), Some(&elements[..]));
            let is_in_block = buffer.bytes().len() > INLINE;
            assert!(!is_in_block || buffer.bytes().as_ptr().addr().is_multiple_of(64), "{count} elements");
        }
    }

    #[test]
    fn strings_stay_with_their_buffer() {
        let long = [b'x'; 40];
        let made = |lengths: &[usize], count| {
            let mut texts = Texts::default();
            let mut bytes = Vec::new();
            (0..count).for_each(|_| Scalar::Text(texts.make(&long)).write(DType::Str, &mut bytes));
            Buffer::from_bytes(DType::Str, lengths, &bytes)
        };
        for buffer in [made(&[], 1), made(&[3], 3), made(&[100], 100)] {
            let all_long = |text: Scalar| text.to_text().with(|bytes| bytes == long);
            assert!(buffer.scalars().all(all_long));
        }
    }

    #[test]
    fn great_and_small_tensors_are_made_of_elements() {
        for count in [0, 1, 8, 9, 100] {
            let numbers: Vec<f64> = (0..count).map(f64::from).collect();
            let lengths = [1, numbers.len(), 1, 1];
            let buffer = Buffer::from_elements(&lengths, numbers.clone());
            assert_eq!((buffer.elements(), buffer.lengths()), (Some(&numbers[..]), &lengths[..]));
        }
    }

    #[test]
    fn foreign_memory_is_released_with_the_last_clone() {
        let owner = Arc::new(vec![1u8, 0, 1]);
        let start = owner.as_ptr();
        // SAFETY: the vector lives as long as its owner and is not changed.
        let buffer = unsafe { Buffer::from_foreign(DType::Bool, &[3], start, Box::new(owner.clone())) };
        let clone = buffer.clone();
        drop(buffer);
        assert_eq!((clone.bytes(), Arc::strong_count(&owner)), (&[1, 0, 1][..], 2));
        drop(clone);
        assert_eq!(Arc::strong_count(&owner), 1);
    }
}
