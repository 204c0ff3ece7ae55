//! The memory of one run: argument words, slots for materialised values, a scratch area. Frames are used again.

use crate::Buffer;
use crate::memory::{ALIGNMENT, Block};
use crate::services::Running;

/// A slot that grows and keeps what is in it takes at least so many bytes.
const LEAST_EXTENDED: usize = 256;

/// Results of at least so many bytes leave the frame with their memory; smaller ones are copied.
pub(crate) const COPY_BELOW: usize = 1 << 12;

/// Fixed slots up to this size lie in one arena, which no result leaves; greater ones, and growing ones, own a block each.
const ARENA_LIMIT: usize = COPY_BELOW - 1;

/// The memory of at least so many bytes is taken over; fewer are copied.
const WORTH_TAKING: usize = 1 << 12;

/// So many blocks wait for results at most.
const SPARE_BLOCKS: usize = 8;

/// Argument of the machine code. The order of the fields is known to the code generator.
#[repr(C)]
#[derive(Debug)]
pub struct Context {
    /// For each parameter its address, then its lengths.
    pub args: *const i64,
    /// For each result: a scalar's bits; an array's address, then its lengths. All words.
    pub outs: *mut i64,
    /// Slots of materialised values.
    pub slots: *mut Slot,
    /// Words that tell the runtime about operands.
    pub scratch: *mut i64,
    /// Iterations since the host was last asked whether to go on.
    pub ticks: i64,
    /// The site that failed.
    pub site: i64,
    /// Word in which profiled code notes the node that it executes.
    pub mark: *mut i64,
    /// The slots of the function that was entered last.
    pub activation: *mut Slot,
    /// Functions are not called where the stack has come down to here.
    pub stack_end: usize,
    /// The runtime's own state of this run.
    pub(crate) running: *mut Running<'static>,
}

/// The slots of the functions that are being run, and of some that have run.
#[derive(Debug, Default)]
pub(crate) struct Activations {
    /// The function and its slots, the innermost last.
    live: Vec<(usize, Box<[Slot]>)>,
    /// Slots that can be used again, by function; none until a function begins.
    idle: Vec<Vec<Box<[Slot]>>>,
}

impl Activations {
    /// Gives a function that begins its slots, of at least so many bytes for each function; `None` if there is not so much memory.
    pub(crate) fn enter(&mut self, functions: &[Vec<usize>], function: usize) -> Option<*mut Slot> {
        let sizes = functions.get(function)?;
        self.idle.resize_with(functions.len(), Vec::new);
        let mut slots =
            self.idle[function].pop().unwrap_or_else(|| sizes.iter().map(|_| Slot::empty()).collect());
        let fits = slots.iter_mut().zip(sizes).all(|(slot, &size)| size <= slot.capacity || slot.grow(size));
        let start = slots.as_mut_ptr();
        self.live.push((function, slots));
        fits.then_some(start)
    }

    /// The innermost function returns.
    pub(crate) fn leave(&mut self) {
        if let Some((function, slots)) = self.live.pop() {
            self.idle[function].push(slots);
        }
    }
}

impl Drop for Activations {
    fn drop(&mut self) {
        if self.idle.is_empty() {
            return;
        }
        let live = self.live.drain(..).map(|(_, slots)| slots);
        let idle = self.idle.drain(..).flatten();
        live.chain(idle).for_each(|mut slots| slots.iter_mut().for_each(|slot| drop(slot.take())));
    }
}

/// Memory for one value.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    /// Start address.
    pub start: *mut u8,
    /// Bytes.
    pub capacity: usize,
}

#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) args: Vec<i64>,
    pub(crate) outs: Vec<i64>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) scratch: Vec<i64>,
    in_arena: Vec<bool>,
    _arena: Block,
    /// Memory for results that lie in the arena and are copied out of it.
    spare: Vec<Block>,
}

// SAFETY: a frame owns the memory of its slots; one run has it at a time.
unsafe impl Send for Frame {}

impl Frame {
    /// Slots with at least these bytes; `None` if there is not so much memory.
    pub(crate) fn new(sizes: &[usize], scratch: usize) -> Option<Self> {
        let in_arena: Vec<bool> = sizes.iter().map(|&size| (1..=ARENA_LIMIT).contains(&size)).collect();
        let rounded = |size: usize| size.next_multiple_of(ALIGNMENT);
        let total =
            sizes.iter().zip(&in_arena).filter(|(_, inside)| **inside).map(|(&s, _)| rounded(s)).sum();
        let mut arena = Block::new(total)?;
        let (base, mut at) = (arena.as_mut_ptr(), 0);
        let slot = |(&size, &inside): (&usize, &bool)| {
            // SAFETY: the offsets of the slots inside add up to the size of the arena.
            let start =
                if inside { unsafe { base.add(at) } } else { std::ptr::without_provenance_mut(ALIGNMENT) };
            at += if inside { rounded(size) } else { 0 };
            Slot { start, capacity: if inside { size } else { 0 } }
        };
        let slots = sizes.iter().zip(&in_arena).map(slot).collect();
        let (args, outs, scratch) = (Vec::new(), Vec::new(), vec![0; scratch]);
        Some(Self { args, outs, slots, scratch, in_arena, _arena: arena, spare: Vec::new() })
    }

    /// Gives every slot its least size again; false if there is not so much memory.
    pub(crate) fn prepare(&mut self, sizes: &[usize]) -> bool {
        self.slots.iter_mut().zip(sizes).all(|(slot, &size)| size <= slot.capacity || slot.grow(size))
    }

    /// Takes the block out of the slot that begins at `start`, if one does and owns its memory.
    pub(crate) fn take(&mut self, start: *const u8) -> Option<Block> {
        let own =
            |(slot, inside): (&Slot, &bool)| slot.start.cast_const() == start && !inside && slot.capacity > 0;
        let at = self.slots.iter().zip(&self.in_arena).position(own)?;
        self.slots[at].take()
    }

    /// A block of just this size that was given back and that no slot wanted.
    pub(crate) fn spare(&mut self, size: usize) -> Option<Block> {
        let at = self.spare.iter().position(|block| block.size() == size)?;
        Some(self.spare.swap_remove(at))
    }

    /// Gives a block to a slot that was taken from and wants just so much, or one that grows; a small one is kept if there
    /// is none.
    pub(crate) fn put_back(&mut self, block: Block, sizes: &[usize]) {
        let takes = |(at, slot): (usize, &Slot)| {
            !self.in_arena[at] && slot.capacity == 0 && (sizes[at] == block.size() || sizes[at] == 0)
        };
        if let Some(at) = self.slots.iter().enumerate().position(takes) {
            let (start, capacity) = block.into_raw();
            self.slots[at] = Slot { start, capacity };
        } else if block.size() <= ARENA_LIMIT && self.spare.len() < SPARE_BLOCKS {
            self.spare.push(block);
        }
    }
}

impl Slot {
    /// Without memory.
    fn empty() -> Self {
        Self { start: std::ptr::without_provenance_mut(ALIGNMENT), capacity: 0 }
    }

    /// Makes room for `size` bytes; what was there is lost. False if there is not so much memory.
    pub(crate) fn grow(&mut self, size: usize) -> bool {
        drop(self.take());
        let Some(block) = Block::new(size) else { return false };
        (self.start, self.capacity) = block.into_raw();
        true
    }

    /// Makes room for `size` bytes, and as many again where there is so much memory; the first `used` stay.
    pub(crate) fn extend(&mut self, size: usize, used: usize) -> bool {
        let wide = size.max(LEAST_EXTENDED).saturating_mul(2);
        let kept = match self.take().map(|kept| kept.extended(wide)) {
            Some(Ok(block)) => {
                (self.start, self.capacity) = block.into_raw();
                return true;
            }
            Some(Err(kept)) => Some(kept),
            None => None,
        };
        let Some(mut block) = Block::new(wide).or_else(|| Block::new(size)) else { return false };
        if let Some(kept) = kept {
            let used = used.min(kept.size());
            // SAFETY: the block is at least as large as what is kept, and they are two blocks.
            unsafe { std::ptr::copy_nonoverlapping(kept.as_ptr(), block.as_mut_ptr(), used) };
        }
        (self.start, self.capacity) = block.into_raw();
        true
    }

    /// Holds the elements of a tensor from now on, in its memory if nobody else has it; false if there is not so much.
    pub(crate) fn hold(&mut self, value: Buffer) -> bool {
        let size = value.bytes().len();
        let value = match if size < WORTH_TAKING { Err(value) } else { value.try_into_block() } {
            Ok(block) => {
                drop(self.take());
                (self.start, self.capacity) = block.into_raw();
                return true;
            }
            Err(value) => value,
        };
        if size > self.capacity && !self.grow(size) {
            return false;
        }
        // SAFETY: the slot has room for as many bytes, in memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(value.bytes().as_ptr(), self.start, size) };
        true
    }

    /// Only slots outside the arena grow or are taken from.
    fn take(&mut self) -> Option<Block> {
        let (start, size) = (self.start, self.capacity);
        *self = Self::empty();
        // SAFETY: outside the arena a slot with a capacity holds a block that `grow` took apart.
        if size > 0 { unsafe { Block::from_raw(start, size) } } else { None }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        for (slot, inside) in self.slots.iter_mut().zip(&self.in_arena) {
            if !inside {
                drop(slot.take());
            }
        }
    }
}
