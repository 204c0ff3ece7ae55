//! Tensor values in memory: immutable, shared, contiguous.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use gw_types::{DType, Scalar};

use crate::memory::Block;

/// An immutable tensor value: element type, lengths of the axes, row-major bytes. A clone shares the bytes.
#[derive(Clone)]
pub struct Buffer(Arc<Inner>);

struct Inner {
    dtype: DType,
    lengths: Box<[usize]>,
    size: usize,
    memory: Memory,
}

enum Memory {
    /// At most eight bytes.
    Word([u64; 1]),
    Owned(Block),
    Foreign(Foreign),
}

struct Foreign {
    start: *const u8,
    _owner: Box<dyn Any + Send + Sync>,
}

// SAFETY: the owner, which is Send and Sync, keeps the bytes alive and unchanged.
unsafe impl Send for Foreign {}
// SAFETY: likewise.
unsafe impl Sync for Foreign {}

impl Buffer {
    /// A copy of `bytes`.
    ///
    /// # Panics
    /// If there are not as many bytes as the type says.
    pub fn from_bytes(dtype: DType, lengths: &[usize], bytes: &[u8]) -> Buffer {
        assert_eq!(bytes.len(), byte_size(dtype, lengths), "bytes of a buffer");
        Self::with_writer(dtype, lengths, |out| out.copy_from_slice(bytes))
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
        let size = byte_size(dtype, lengths);
        if size <= 8 {
            let mut word = [0u8; 8];
            write(&mut word[..size]);
            return Self::new(dtype, lengths, size, Memory::Word([u64::from_ne_bytes(word)]));
        }
        let mut block = Block::zeroed(size).expect("memory for a buffer");
        // SAFETY: the block holds `size` initialised bytes and is not shared yet.
        write(unsafe { std::slice::from_raw_parts_mut(block.as_mut_ptr(), size) });
        Self::new(dtype, lengths, size, Memory::Owned(block))
    }

    /// A single element, given by the low bytes of a word.
    pub(crate) fn from_word(dtype: DType, word: u64) -> Buffer {
        Self::new(dtype, &[], dtype.size(), Memory::Word([word]))
    }

    /// A tensor whose elements are already in `block`.
    pub(crate) fn from_block(dtype: DType, lengths: &[usize], block: Block) -> Buffer {
        Self::new(dtype, lengths, byte_size(dtype, lengths), Memory::Owned(block))
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
        Self::new(dtype, lengths, byte_size(dtype, lengths), memory)
    }

    fn new(dtype: DType, lengths: &[usize], size: usize, memory: Memory) -> Buffer {
        Buffer(Arc::new(Inner { dtype, lengths: lengths.into(), size, memory }))
    }

    /// The memory of a tensor that nobody else holds, if it is a block of its own.
    pub(crate) fn into_block(self) -> Option<Block> {
        match Arc::into_inner(self.0)?.memory {
            Memory::Owned(block) => Some(block),
            Memory::Word(_) | Memory::Foreign(_) => None,
        }
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Lengths of the axes.
    pub fn lengths(&self) -> &[usize] {
        &self.0.lengths
    }

    /// Where the elements begin; valid as long as this buffer or a clone lives.
    pub fn as_ptr(&self) -> *const u8 {
        match &self.0.memory {
            Memory::Word(word) => word.as_ptr().cast(),
            Memory::Owned(block) => block.as_ptr(),
            Memory::Foreign(foreign) => foreign.start,
        }
    }

    /// The elements' bytes, little-endian, row-major.
    pub fn bytes(&self) -> &[u8] {
        if self.0.size == 0 {
            return &[];
        }
        // SAFETY: every kind of memory holds `size` initialised bytes as long as `self` lives.
        unsafe { std::slice::from_raw_parts(self.as_ptr(), self.0.size) }
    }

    /// The elements, in order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.bytes().chunks_exact(self.dtype().size()).map(|b| Scalar::read(self.dtype(), b))
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?} ", self.dtype(), self.lengths())?;
        f.debug_list().entries(self.scalars().map(Scalar::to_f64)).finish()
    }
}

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
        assert_eq!(buffer.as_ptr().addr() % crate::memory::ALIGNMENT, 0);
        assert_eq!(buffer.scalars().nth(1), Some(Scalar::Int(-2)));
        assert_eq!(Buffer::scalar(DType::F32, Scalar::Float(0.5)).bytes(), 0.5f32.to_le_bytes());
        assert_eq!(Buffer::from_bytes(DType::F64, &[0, 3], &[]).bytes(), []);
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
