//! Instructions on registers of 512 bits, as bytes: the few that loops in lanes are made of.
//!
//! Of the general registers, `rdi` has the words that the loop is given, `rsi` how many elements are left, `rax` the
//! number of the first element of this turn; the streams' addresses are in [`PINNED`], or pass through `r11`.

/// Where a constant or a given word is, or a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Register(u8),
    /// A constant behind the code, for each lane the same.
    Pool(usize),
    /// A word that the loop is given, for each lane the same.
    Given(usize),
    /// The element of this turn in a stream, and those behind it; by the general register that has the stream's address.
    Stream(u8),
}

/// What distinguishes an instruction: its map and prefix, whether it is of the wide kind, its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) map: u8,
    pub(super) prefix: u8,
    pub(super) wide: bool,
    pub(super) number: u8,
}

/// Which lanes an instruction touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    All,
    /// Those that this register names; others become zero.
    Zeroing(u8),
    /// Those that this register names.
    Merging(u8),
}

/// The general registers that keep the addresses of the first streams.
pub(super) const PINNED: [u8; 5] = [1, 2, 8, 9, 10];
const PASSING: u8 = 11;

/// The mask of the lanes that are left in the last turn.
pub(super) const LEFT: u8 = 7;

/// Code under construction.
#[derive(Debug)]
pub(super) struct Code {
    bytes: Vec<u8>,
    /// Bytes of an element.
    width: usize,
    /// The constants behind the code.
    pool: Vec<u64>,
    /// Jumps out of the loop before the turn that they stand in.
    leaving: Vec<Jump>,
    /// Where the distance to a constant is to be written, from where it counts, and which constant.
    distances: Vec<(usize, usize, usize)>,
}

/// A jump whose end is not known yet.
#[must_use]
#[derive(Debug)]
pub(super) struct Jump(usize);

/// When to jump, after a comparison of signed numbers.
#[derive(Debug, Clone, Copy)]
pub(super) enum When {
    Equal = 0x84,
    Different = 0x85,
    Less = 0x8c,
    NotGreater = 0x8e,
}

impl Code {
    pub(super) fn new(width: usize, pool: Vec<u64>) -> Self {
        Self { bytes: Vec::new(), width, pool, leaving: Vec::new(), distances: Vec::new() }
    }

    /// The general register with the address of a stream, which is loaded if it is not pinned.
    pub(super) fn stream(&mut self, stream: usize, word: usize) -> Place {
        if let Some(&register) = PINNED.get(stream) {
            return Place::Stream(register);
        }
        self.load_word(PASSING, word);
        Place::Stream(PASSING)
    }

    /// `register = given[word]`
    pub(super) fn load_word(&mut self, register: u8, word: usize) {
        self.bytes.extend([0x48 | (register >> 3) << 2, 0x8b, 0x87 | (register & 7) << 3]);
        self.bytes.extend((8 * word as u32).to_le_bytes());
    }

    /// One instruction: `to = by op from`, for a store `from` being the place and `to` the register.
    pub(super) fn vector(
        &mut self,
        instruction: Instruction,
        lanes: Lanes,
        [to, by]: [u8; 2],
        from: Place,
        immediate: Option<u8>,
    ) {
        let Instruction { map, prefix, wide, number } = instruction;
        let (mask, zeroing) = match lanes {
            Lanes::All => (0, 0),
            Lanes::Zeroing(mask) => (mask, 0x80),
            Lanes::Merging(mask) => (mask, 0),
        };
        let spread = if matches!(from, Place::Pool(_) | Place::Given(_)) && !is_spread(instruction) {
            0x10
        } else {
            0
        };
        let bit = |register: u8, at: u8| !register >> at & 1;
        let (high, higher) = match from {
            Place::Register(register) => (bit(register, 3), bit(register, 4)),
            Place::Stream(register) => (bit(register, 3), 1),
            Place::Pool(_) | Place::Given(_) => (1, 1),
        };
        self.bytes.push(0x62);
        self.bytes.push(bit(to, 3) << 7 | higher << 6 | high << 5 | bit(to, 4) << 4 | map);
        self.bytes.push(u8::from(wide) << 7 | (!by & 15) << 3 | 4 | prefix);
        self.bytes.push(zeroing | 0x40 | spread | bit(by, 4) << 3 | mask);
        self.bytes.push(number);
        let reg = (to & 7) << 3;
        let mut distance = None;
        match from {
            Place::Register(register) => self.bytes.push(0xc0 | reg | register & 7),
            Place::Stream(register) => {
                let scale = self.width.trailing_zeros() as u8;
                self.bytes.extend([reg | 4, scale << 6 | register & 7]);
            }
            Place::Given(word) => {
                self.bytes.push(0x80 | reg | 7);
                self.bytes.extend((8 * word as u32).to_le_bytes());
            }
            Place::Pool(constant) => {
                self.bytes.push(reg | 5);
                distance = Some((self.bytes.len(), constant));
                self.bytes.extend([0; 4]);
            }
        }
        self.bytes.extend(immediate);
        let end = self.bytes.len();
        self.distances.extend(distance.map(|(at, constant)| (at, end, constant)));
    }

    /// `to = by op from`, of masks.
    pub(super) fn mask(&mut self, number: u8, [to, by, from]: [u8; 3]) {
        self.bytes.extend([0xc5, 0x84 | (!by & 15) << 3, number, 0xc0 | to << 3 | from]);
    }

    /// `to = not from`, of masks.
    pub(super) fn mask_not(&mut self, to: u8, from: u8) {
        self.bytes.extend([0xc5, 0xf8, 0x44, 0xc0 | to << 3 | from]);
    }

    /// Leaves the loop before this turn if a mask names a lane: `kortestw mask, mask; jne`.
    pub(super) fn leave(&mut self, mask: u8) {
        self.bytes.extend([0xc5, 0xf8, 0x98, 0xc0 | mask << 3 | mask]);
        let jump = self.jump(When::Different);
        self.leaving.push(jump);
    }

    /// Where a loop ends that may have been left: `rsi` is the number of elements that are done, or the greatest number if all
    /// are: `or rax, -1; shr rax, 1; mov rsi, rax`, the last of these where who leaves comes in.
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

    /// Begins with the first element; `rsi` is the number of the last element with which a whole turn may begin.
    pub(super) fn begin(&mut self) {
        self.restart();
        self.bytes.extend([0x48, 0x81, 0xee]);
        self.bytes.extend(self.lanes().to_le_bytes());
    }

    /// Goes on to the next turn, and compares whether it is a whole one.
    pub(super) fn advance(&mut self) {
        self.bytes.extend([0x48, 0x05]);
        self.bytes.extend(self.lanes().to_le_bytes());
        self.bytes.extend([0x48, 0x39, 0xf0]);
    }

    /// Counts what is left; equal if it is nothing.
    pub(super) fn count_rest(&mut self) {
        self.bytes.extend([0x48, 0x81, 0xc6]);
        self.bytes.extend(self.lanes().to_le_bytes());
        self.bytes.extend([0x48, 0x29, 0xc6]);
    }

    /// [`LEFT`] names the lanes that are left: `mov r11d, -1; bzhi r11d, r11d, esi; kmovw k7, r11d`.
    pub(super) fn mask_rest(&mut self) {
        self.bytes.extend([0x41, 0xbb, 0xff, 0xff, 0xff, 0xff]);
        self.bytes.extend([0xc4, 0x42, 0x48, 0xf5, 0xdb]);
        self.bytes.extend([0xc4, 0xc1, 0x78, 0x92, 0xfb]);
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
        let start = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(start, 0xcc);
        for &(at, end, constant) in &self.distances {
            let distance = (start + self.width * constant - end) as u32;
            self.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        }
        for constant in &self.pool {
            self.bytes.extend(&constant.to_le_bytes()[..self.width]);
        }
        self.bytes
    }

    fn lanes(&self) -> i32 {
        (64 / self.width) as i32
    }
}

/// Whether the instruction itself spreads an element over the lanes.
fn is_spread(instruction: Instruction) -> bool {
    instruction.map == 2 && matches!(instruction.number, 0x18 | 0x19)
}
