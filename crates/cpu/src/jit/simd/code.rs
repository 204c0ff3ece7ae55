//! The code of a loop in lanes under construction: its general registers, its jumps, the constants behind it.
//!
//! Of the general registers, `rdi` has the words that the loop is given, `rsi` how many elements are left, `rax` the
//! number of the first element that is being computed; the streams' addresses are in [`PINNED`], or pass through `r11`.

use super::instruction::{Instruction, Lanes, Order, Place};
use super::vectors::{Encoding, Vectors};

/// The general registers that keep the addresses of the first streams.
pub(super) const PINNED: [u8; 5] = [1, 2, 8, 9, 10];
const PASSING: u8 = 11;

/// The mask of the lanes that are left in the last iteration.
pub(super) const LEFT: u8 = 7;

/// Tables and constants behind the code begin at a multiple of so many bytes.
const BOUNDARY: usize = 64;
/// Bytes of the elements of an iteration at most.
pub(super) const TURN: usize = 64;

/// Code under construction.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) vectors: &'static Vectors,
    pub(super) bytes: Vec<u8>,
    /// Bytes of an element.
    pub(super) width: usize,
    /// The constants behind the code, and the tables before them.
    pool: Vec<u64>,
    pub(super) tables: Vec<u8>,
    /// True if the numbers of a register's lanes stand behind them.
    pub(super) counts: bool,
    /// True if the orders of two registers stand behind these.
    pub(super) orders: bool,
    /// Jumps out of the loop before the iteration that they stand in.
    leaving: Vec<Jump>,
    /// Jumps to the steps for all numbers.
    aside: Vec<Jump>,
    /// Distances to be written: position of the field, position from which it counts, and number of bytes
    /// behind the code.
    pub(super) distances: Vec<(usize, usize, usize)>,
}

/// A jump whose end is not known yet.
#[must_use]
#[derive(Debug)]
pub(super) struct Jump(usize);

/// Condition of a jump, after a comparison of signed numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    Equal = 0x84,
    Different = 0x85,
    /// The carry is set.
    Carries = 0x82,
    Less = 0x8c,
    NotLess = 0x8d,
    NotGreater = 0x8e,
}

impl Code {
    pub(super) fn new(vectors: &'static Vectors, width: usize, pool: Vec<u64>) -> Self {
        let (bytes, tables, leaving, aside, distances) = Default::default();
        let (counts, orders) = (false, false);
        Self { vectors, bytes, width, pool, tables, counts, orders, leaving, aside, distances }
    }

    /// The general register with the address of a stream, which is loaded from `word` if it is not pinned.
    pub(super) fn stream(&mut self, stream: usize, word: usize) -> Place {
        if let Some(&register) = PINNED.get(stream) {
            return Place::Stream(register);
        }
        self.load_word(PASSING, word);
        Place::Stream(PASSING)
    }

    /// A mask becomes that of all lanes, or of those that are left: `kxnorw mask, mask, mask` or `kandw mask, left, left`.
    pub(super) fn all_lanes(&mut self, mask: u8, rest: bool) {
        if rest { self.mask(0x41, [mask, LEFT, LEFT]) } else { self.mask(0x46, [mask; 3]) }
    }

    /// Reads the elements of a stream at these numbers, counted from twice the number of the first element: `vgatherqpd` or `vgatherdps`,
    /// which leaves the mask empty.
    pub(super) fn gather(&mut self, registers: [u8; 2], mask: u8, stream: (usize, usize)) {
        self.by_numbers(0x92, registers, mask, stream);
    }

    /// Writes to the elements that [`Code::gather`] reads: `vscatterqpd` or `vscatterdps`.
    pub(super) fn scatter(&mut self, registers: [u8; 2], mask: u8, stream: (usize, usize)) {
        self.by_numbers(0xa2, registers, mask, stream);
    }

    fn by_numbers(&mut self, number: u8, [to, lanes]: [u8; 2], mask: u8, stream: (usize, usize)) {
        self.twice_along(stream);
        let wide = u8::from(self.width == 8);
        let high = |register: u8, bit: u8| !register >> bit & 1;
        // Inverted, as their prefix has them: the highest bits of both vector registers; that of the address is set.
        let first = high(to, 3) << 7 | high(lanes, 3) << 6 | high(to, 4) << 4 | 2;
        let third = 0x40 | high(lanes, 4) << 3 | mask;
        self.bytes.extend([0x62, first, wide << 7 | 0x7d, third, number | wide, (to & 7) << 3 | 4]);
        self.bytes.push((2 | wide) << 6 | (lanes & 7) << 3 | PASSING & 7);
    }

    /// As [`Code::gather`] of all lanes, whose numbers `to` has, each greater by as many as a register has. The second of both registers
    /// is read without its last lane, which may lie behind the array: `kshiftrw mask, mask, …; vmovupd second {mask}{z}, [r11 + 64];
    /// vpermi2pd to, second, [r11]`.
    pub(super) fn every_other(&mut self, [to, second]: [u8; 2], mask: u8, stream: (usize, usize)) {
        self.twice_along(stream);
        let wide = u8::from(self.width == 8);
        let without_last = 16 - (64 / self.width as u8 - 1);
        self.bytes.extend([0xc4, 0xe3, 0xf9, 0x30, 0xc0 | mask << 3 | mask, without_last]);
        self.behind(0x10, second, 0xc8 | mask, 1);
        let high = |register: u8, bit: u8| !register >> bit & 1;
        let first = high(to, 3) << 7 | 0x40 | high(to, 4) << 4 | 2;
        let other = wide << 7 | (!second & 15) << 3 | 5;
        self.bytes.extend([0x62, first, other, 0x40 | high(second, 4) << 3, 0x77]);
        self.bytes.push((to & 7) << 3 | PASSING & 7);
    }

    /// Reads a register of elements behind so many from twice the number of the first on, by its halves: a load of 512 bits that crosses a
    /// line of the cache takes longer than two of which one crosses it. `vmovupd to, [r11 + …]; vinsertf64x4 to, to, [r11 + … + 32], 1`.
    pub(super) fn read_row(&mut self, to: u8, stream: (usize, usize), behind: u8) {
        self.twice_along(stream);
        let high = |bit: u8| !to >> bit & 1;
        let (first, address) = (high(3) << 7 | 0x40 | high(4) << 4, 0x40 | (to & 7) << 3 | PASSING & 7);
        self.bytes.extend([0x62, first | 1, 0xfd, 0x28, 0x10, address, 2 * behind]);
        let over = (!to & 15) << 3 | 0x85;
        self.bytes.extend([0x62, first | 3, over, 0x40 | high(4) << 3, 0x1a, address, 2 * behind + 1, 1]);
    }

    /// Writes a register of elements behind so many from twice the number of the first on.
    pub(super) fn write_row(&mut self, from: u8, stream: (usize, usize), behind: u8) {
        self.twice_along(stream);
        self.behind(0x11, from, 0x48, behind);
    }

    /// `r11` becomes the address of the element at twice the number of the first, and the mask that of every other lane: `mov r11d, …;
    /// kmovw mask, r11d`.
    pub(super) fn begin_every_other(&mut self, mask: u8, stream: (usize, usize)) {
        self.bytes.extend([0x41, 0xbb, 0x55, 0x55, 0, 0]);
        self.bytes.extend([0xc4, 0xc1, 0x78, 0x92, 0xc3 | mask << 3]);
        self.twice_along(stream);
    }

    /// Writes the lanes of a mask to the memory behind so many registers from `r11` on: `vmovupd [r11 + …] {mask}, from`.
    pub(super) fn write_every_other(&mut self, from: u8, mask: u8, behind: u8) {
        self.behind(0x11, from, 0x48 | mask, behind);
    }

    /// A move between a register and the memory behind so many from `r11` on, by its number, of these lanes.
    fn behind(&mut self, number: u8, register: u8, lanes: u8, behind: u8) {
        let wide = u8::from(self.width == 8);
        let high = |register: u8, bit: u8| !register >> bit & 1;
        let first = high(register, 3) << 7 | 0x40 | high(register, 4) << 4 | 1;
        self.bytes.extend([0x62, first, wide << 7 | 0x7c | wide, lanes, number]);
        self.bytes.extend([0x40 | (register & 7) << 3 | PASSING & 7, behind]);
    }

    /// The address of the element of a stream at twice the number of the first element: `lea r11, [stream + 8 * rax]`, again for
    /// elements of eight bytes.
    fn twice_along(&mut self, (stream, word): (usize, usize)) {
        let mut base = PINNED.get(stream).copied().unwrap_or_else(|| {
            self.load_word(PASSING, word);
            PASSING
        });
        for _ in 0..self.width / 4 {
            self.bytes.extend([0x4c | base >> 3, 0x8d, 0x1c, 0xc0 | base & 7]);
            base = PASSING;
        }
    }

    /// A register becomes the word that is so many bytes behind the first one that is given.
    pub(super) fn load_word(&mut self, register: u8, word: usize) {
        self.bytes.extend([0x48 | (register >> 3) << 2, 0x8b, 0x87 | (register & 7) << 3]);
        self.bytes.extend((word as u32).to_le_bytes());
    }

    /// `to = from if mask else by`
    pub(super) fn blend(&mut self, wide: bool, mask: u8, registers: [u8; 2], from: Place) {
        match self.vectors.encoding {
            Encoding::Evex => {
                let blend = Instruction { map: 2, prefix: 1, wide, number: 0x65 };
                self.vector(blend, Lanes::Merging(mask), registers, from, None);
            }
            Encoding::Vex => {
                let blend =
                    Instruction { map: 3, prefix: 1, wide: false, number: if wide { 0x4b } else { 0x4a } };
                self.vector(blend, Lanes::All, registers, from, Some(mask << 4));
            }
        }
    }

    /// `to = by op from`, of masks.
    pub(super) fn mask(&mut self, number: u8, [to, by, from]: [u8; 3]) {
        self.bytes.extend([0xc5, 0x84 | (!by & 15) << 3, number, 0xc0 | to << 3 | from]);
    }

    /// `to = not from`, of masks.
    pub(super) fn mask_not(&mut self, to: u8, from: u8) {
        self.bytes.extend([0xc5, 0xf8, 0x44, 0xc0 | to << 3 | from]);
    }

    /// Leaves the loop before these elements if a mask names a lane: `kortestw mask, mask; jne` (`kortestb` of eight lanes), or
    /// `vptest mask, mask; jne`.
    pub(super) fn leave(&mut self, mask: u8) {
        match self.vectors.encoding {
            Encoding::Evex => {
                self.test_mask(mask);
            }
            Encoding::Vex => {
                let test = Instruction { map: 2, prefix: 1, wide: false, number: 0x17 };
                self.vector(test, Lanes::All, [mask, 0], Place::Register(mask), None);
            }
        }
        let jump = self.jump(When::Different);
        self.leaving.push(jump);
    }

    /// Has the steps for all numbers compute these elements if a mask names a lane: `kortestw mask, mask; jne`.
    pub(super) fn turn_aside(&mut self, mask: u8) {
        self.test_mask(mask);
        let jump = self.jump(When::Different);
        self.aside.push(jump);
    }

    /// Begins the steps for all numbers, of the lanes in [`LEFT`].
    pub(super) fn begin_aside(&mut self) {
        let here = self.here();
        for jump in std::mem::take(&mut self.aside) {
            self.land(jump, here);
        }
    }

    /// Names all lanes in [`LEFT`], as they are while the loop runs over whole registers.
    pub(super) fn mask_all(&mut self) {
        self.mask(0x46, [LEFT; 3]);
    }

    /// Goes on behind an iteration of a whole register, whose lanes were all computed: `kortestw left, left; jc`.
    pub(super) fn back_if_all(&mut self, to: usize) {
        self.test_mask(LEFT);
        let jump = self.jump(When::Carries);
        self.land(jump, to);
    }

    /// `kortestw mask, mask`, or `kortestb` of eight lanes.
    fn test_mask(&mut self, mask: u8) {
        let prefix = if self.width == 8 { 0xf9 } else { 0xf8 };
        self.bytes.extend([0xc5, prefix, 0x98, 0xc0 | mask << 3 | mask]);
    }

    /// Emits the end of a loop that may have been left: `rsi` is the number of elements that are done, or the
    /// greatest number if all are: `or rax, -1; shr rax, 1; mov rsi, rax`, the last of these at the target of
    /// jumps that leave the loop.
    pub(super) fn left(&mut self) {
        self.bytes.extend([0x48, 0x83, 0xc8, 0xff, 0x48, 0xd1, 0xe8]);
        let here = self.here();
        for jump in std::mem::take(&mut self.leaving) {
            self.land(jump, here);
        }
        self.bytes.extend([0x48, 0x89, 0xc6]);
    }

    /// Tells what [`left`](Self::left) has found: `mov rax, rsi`.
    pub(super) fn tell_left(&mut self) {
        self.bytes.extend([0x48, 0x89, 0xf0]);
    }

    /// Goes back to the first element.
    pub(super) fn restart(&mut self) {
        self.bytes.extend([0x31, 0xc0]);
    }

    /// The place that a word tells.
    pub(super) fn pointed(&mut self, word: usize) -> Place {
        self.load_word(PASSING, word);
        Place::Stream(PASSING)
    }

    /// Begins with the first element; `rsi` is the number of the last element with which a whole iteration of so
    /// many registers may begin.
    pub(super) fn begin(&mut self, turn: usize) {
        self.restart();
        self.bytes.extend([0x48, 0x81, 0xee]);
        self.bytes.extend(self.elements(turn).to_le_bytes());
    }

    /// Goes on by a register.
    pub(super) fn advance(&mut self) {
        self.bytes.extend([0x48, 0x05]);
        self.bytes.extend(self.elements(1).to_le_bytes());
    }

    /// Compares whether the next iteration is a whole one.
    pub(super) fn compare(&mut self) {
        self.bytes.extend([0x48, 0x39, 0xf0]);
    }

    /// Prefetches the line so many bytes ahead of the next elements of a pinned stream: `prefetcht0 [stream + size * rax + ahead]`.
    pub(super) fn prefetch(&mut self, stream: usize, ahead: u32) {
        let (register, scale) = (PINNED[stream], self.width.trailing_zeros() as u8);
        self.bytes.extend([0x40 | register >> 3, 0x0f, 0x18, 0x8c, scale << 6 | register & 7]);
        self.bytes.extend(ahead.to_le_bytes());
    }

    /// Counts what is left; equal if it is nothing.
    pub(super) fn count_rest(&mut self, turn: usize) {
        self.bytes.extend([0x48, 0x81, 0xc6]);
        self.bytes.extend(self.elements(turn).to_le_bytes());
        self.bytes.extend([0x48, 0x29, 0xc6]);
    }

    /// Names the lanes that are left: in [`LEFT`], or where `rsi` points from now on.
    pub(super) fn mask_rest(&mut self) {
        match self.vectors.encoding {
            Encoding::Evex => {
                // mov r11d, -1; bzhi r11d, r11d, esi; kmovw k7, r11d
                self.bytes.extend([0x41, 0xbb, 0xff, 0xff, 0xff, 0xff]);
                self.bytes.extend([0xc4, 0x42, 0x48, 0xf5, 0xdb]);
                self.bytes.extend([0xc4, 0xc1, 0x78, 0x92, 0xfb]);
            }
            Encoding::Vex => {
                // neg rsi; lea rsi, [r11 + width * rsi]
                self.middle();
                self.bytes.extend([0x48, 0xf7, 0xde]);
                let scale = self.width.trailing_zeros() as u8;
                self.bytes.extend([0x49, 0x8d, 0x34, scale << 6 | 0x33]);
            }
        }
    }

    /// Names the lanes that are left behind a register of them, and jumps if there are none: `add rsi, 32; cmp rsi, r11; jge`.
    pub(super) fn mask_next(&mut self) -> Jump {
        self.bytes.extend([0x48, 0x83, 0xc6, self.vectors.bytes as u8]);
        self.middle();
        self.bytes.extend([0x4c, 0x39, 0xde]);
        self.jump(When::NotLess)
    }

    /// `r11` becomes the address behind the constants of which all bits are set, and before those of which none is.
    fn middle(&mut self) {
        self.passing(self.constant(self.pool.len()) + TURN);
    }

    /// `r11` becomes the address of what is so many bytes behind the code: `lea r11, [rip + …]`.
    fn passing(&mut self, behind: usize) {
        self.bytes.extend([0x4c, 0x8d, 0x1d, 0, 0, 0, 0]);
        let end = self.bytes.len();
        self.distances.push((end - 4, end, behind));
    }

    /// Reads the entries of a table at these numbers, in registers of 256 bits: `lea r11, [rip + …]; vpcmpeqd mask, mask, mask; vgatherqpd to,
    /// [r11 + 8 * at], mask` or `vgatherdps`.
    pub(super) fn gather_entries(&mut self, table: usize, [to, at, mask]: [u8; 3]) {
        self.passing(table);
        let equal = Instruction { map: 1, prefix: 1, wide: false, number: 0x76 };
        self.vector(equal, Lanes::All, [mask, mask], Place::Register(mask), None);
        let wide = u8::from(self.width == 8);
        let first = (!to >> 3 & 1) << 7 | (!at >> 3 & 1) << 6 | 2;
        self.bytes.extend([0xc4, first, wide << 7 | (!mask & 15) << 3 | 5, 0x92 | wide]);
        self.bytes.extend([(to & 7) << 3 | 4, (2 | wide) << 6 | (at & 7) << 3 | PASSING & 7]);
    }

    /// The number of bytes between the code and a constant.
    pub(super) fn constant(&self, constant: usize) -> usize {
        self.tables.len() + self.vectors.constant_bytes(self.width) * constant
    }

    /// The number of constants.
    pub(super) fn constants(&self) -> usize {
        self.pool.len()
    }

    pub(super) fn here(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn jump(&mut self, when: When) -> Jump {
        self.bytes.extend([0x0f, when as u8, 0, 0, 0, 0]);
        Jump(self.bytes.len())
    }

    pub(super) fn land(&mut self, jump: Jump, at: usize) {
        let distance = (at as i64 - jump.0 as i64) as i32;
        self.bytes[jump.0 - 4..jump.0].copy_from_slice(&distance.to_le_bytes());
    }

    /// The finished code, with its constants.
    pub(super) fn finish(mut self) -> Vec<u8> {
        // vzeroupper; ret
        self.bytes.extend([0xc5, 0xf8, 0x77, 0xc3]);
        let start = self.bytes.len().next_multiple_of(BOUNDARY);
        self.bytes.resize(start, 0xcc);
        for &(at, end, behind) in &self.distances {
            let distance = (start + behind - end) as u32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        self.bytes.extend(&self.tables);
        let times = self.vectors.constant_bytes(self.width) / self.width;
        for constant in &self.pool {
            let constant = &constant.to_le_bytes()[..self.width];
            self.bytes.extend(constant.repeat(times));
        }
        if !self.vectors.has_masks() {
            self.bytes.extend([[u8::MAX; TURN], [0; TURN]].concat());
        } else if self.counts {
            let lane = |lane: usize| lane.to_le_bytes()[..self.width].to_vec();
            let lanes = TURN / self.width;
            self.bytes.extend((0..lanes).flat_map(lane));
            let orders = Order::ALL.iter().filter(|_| self.orders);
            let orders = orders.flat_map(|order| (0..lanes).flat_map(move |at| lane(order.lane(at, lanes))));
            self.bytes.extend(orders);
        }
        self.bytes
    }

    /// The number of elements that so many registers hold.
    fn elements(&self, registers: usize) -> i32 {
        (registers * self.vectors.bytes / self.width) as i32
    }
}
