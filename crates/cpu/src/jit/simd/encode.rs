//! Instructions on vector registers, as bytes, in both encodings: what they have in common is the operand in memory or in a
//! register that ends each of them.

use super::code::{Code, TURN};
use super::instruction::{Instruction, Lanes, Place};
use super::vectors::Encoding;

/// `not` the bit of a register's number.
fn bit(register: u8, at: u8) -> u8 {
    !register >> at & 1
}

impl Code {
    /// One instruction: `to = by op from`, for a store `from` being the place and `to` the register.
    pub(super) fn vector(
        &mut self,
        instruction: Instruction,
        lanes: Lanes,
        registers: [u8; 2],
        from: Place,
        immediate: Option<u8>,
    ) {
        match self.vectors.encoding {
            Encoding::Vex => self.vex(instruction, registers, from),
            Encoding::Evex => self.evex(instruction, lanes, registers, from),
        }
        self.bytes.push(instruction.number);
        let distance = self.operand(registers[0], from);
        self.bytes.extend(immediate);
        let end = self.bytes.len();
        self.distances.extend(distance.map(|(at, behind)| (at, end, behind)));
    }

    fn evex(&mut self, instruction: Instruction, lanes: Lanes, [to, by]: [u8; 2], from: Place) {
        let Instruction { map, prefix, wide, .. } = instruction;
        let (mask, of_register) = match lanes {
            Lanes::All => (0, 0x40),
            Lanes::Zeroing(mask) => (mask, 0xc0),
            Lanes::Merging(mask) => (mask, 0x40),
            Lanes::Lowest(bytes) => (0, bytes & 0x20),
        };
        let spread = if matches!(from, Place::Pool(_) | Place::Given(_)) && !is_spread(instruction) {
            0x10
        } else {
            0
        };
        let (high, higher) = match from {
            Place::Register(register) => (bit(register, 3), bit(register, 4)),
            Place::Stream(register) | Place::Narrow(register, _) => (bit(register, 3), 1),
            Place::Pool(_) | Place::Given(_) | Place::Memory(_) | Place::Left => (1, 1),
            Place::Lanes | Place::Order(_) | Place::Table(_) => (1, 1),
        };
        self.bytes.push(0x62);
        self.bytes.push(bit(to, 3) << 7 | higher << 6 | high << 5 | bit(to, 4) << 4 | map);
        self.bytes.push(u8::from(wide) << 7 | (!by & 15) << 3 | 4 | prefix);
        self.bytes.push(of_register | spread | bit(by, 4) << 3 | mask);
    }

    fn vex(&mut self, instruction: Instruction, [to, by]: [u8; 2], from: Place) {
        let Instruction { map, prefix, wide, .. } = instruction;
        let high = match from {
            Place::Register(register) | Place::Stream(register) => bit(register, 3),
            Place::Narrow(register, _) => bit(register, 3),
            Place::Pool(_) | Place::Given(_) | Place::Memory(_) | Place::Left => 1,
            Place::Lanes | Place::Order(_) | Place::Table(_) => 1,
        };
        self.bytes.push(0xc4);
        self.bytes.push(bit(to, 3) << 7 | 0x40 | high << 5 | map);
        self.bytes.push(u8::from(wide) << 7 | (!by & 15) << 3 | 4 | prefix);
    }

    /// `[rdi + at]`
    fn behind_words(&mut self, reg: u8, at: usize) {
        self.bytes.push(0x80 | reg | 7);
        self.bytes.extend((at as u32).to_le_bytes());
    }

    /// `[rip + …]`: where the distance stands, and how many bytes behind the code is what it leads to.
    fn behind_code(&mut self, reg: u8, bytes: usize) -> (usize, usize) {
        self.bytes.push(reg | 5);
        self.bytes.extend([0; 4]);
        (self.bytes.len() - 4, bytes)
    }

    /// The operand that may be in memory; of a constant where the distance to it stands, and what is to stand there.
    fn operand(&mut self, to: u8, from: Place) -> Option<(usize, usize)> {
        let reg = (to & 7) << 3;
        match from {
            Place::Register(register) => self.bytes.push(0xc0 | reg | register & 7),
            Place::Stream(register) => {
                let scale = self.width.trailing_zeros() as u8;
                self.bytes.extend([reg | 4, scale << 6 | register & 7]);
            }
            Place::Narrow(register, scale) => self.bytes.extend([reg | 4, scale << 6 | register & 7]),
            Place::Left => self.bytes.push(reg | 6),
            Place::Given(word) => self.behind_words(reg, self.vectors.given_bytes() * word),
            Place::Memory(at) => self.behind_words(reg, at),
            Place::Pool(constant) => return Some(self.behind_code(reg, self.constant(constant))),
            Place::Lanes => return Some(self.behind_code(reg, self.constant(self.constants()))),
            Place::Order(order) => {
                let at = self.constant(self.constants()) + TURN * (1 + order as usize);
                return Some(self.behind_code(reg, at));
            }
            Place::Table(at) => return Some(self.behind_code(reg, at)),
        }
        None
    }
}

/// True if the instruction itself spreads an element over the lanes.
fn is_spread(instruction: Instruction) -> bool {
    instruction.map == 2 && matches!(instruction.number, 0x18 | 0x19)
}
