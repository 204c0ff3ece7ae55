//! The parts of an instruction on vector registers: which it is, where its operand is, which lanes it touches.

/// Location of a constant or a given word, or a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Register(u8),
    /// A table behind the code, so many bytes from the first.
    Table(usize),
    /// A constant behind the code, for each lane the same.
    Pool(usize),
    /// A word that the loop is given, for each lane the same.
    Given(usize),
    /// The element of this iteration in a stream, and those behind it; by the general register that has the
    /// stream's address.
    Stream(u8),
    /// Likewise of a stream whose elements have fewer bytes than numbers: two to the power of the second number.
    Narrow(u8, u8),
    /// The numbers of a register's lanes, in order.
    Lanes,
    /// One of the orders of the lanes of two registers.
    Order(Order),
    /// So many bytes behind the first word that the loop is given.
    Memory(usize),
    /// Mask of the lanes left in the last iteration, where lanes are named by all their bits.
    Left,
}

/// Orders of the lanes of two registers, by which one is made of both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Every other lane, beginning with the first.
    First,
    /// The lanes behind these.
    Second,
    /// Lanes of the first and the second register by turns, those of their lower halves.
    Lower,
    /// Those of their upper halves.
    Upper,
}

impl Order {
    pub(super) const ALL: [Order; 4] = [Order::First, Order::Second, Order::Lower, Order::Upper];

    /// The lane of both registers that becomes this one, of so many that a register has.
    pub(super) fn lane(self, lane: usize, count: usize) -> usize {
        match self {
            Order::First => 2 * lane,
            Order::Second => 2 * lane + 1,
            Order::Lower => lane / 2 + lane % 2 * count,
            Order::Upper => count / 2 + lane / 2 + lane % 2 * count,
        }
    }
}

/// The opcode of an instruction: its map and prefix, the width bit, its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Instruction {
    pub(super) map: u8,
    pub(super) prefix: u8,
    pub(super) wide: bool,
    pub(super) number: u8,
}

/// Lanes that an instruction touches; instructions on registers without masks touch all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lanes {
    All,
    /// Those that this register names; others become zero.
    Zeroing(u8),
    /// Those that this register names.
    Merging(u8),
    /// Those in so many of the lowest bytes, 16 or 32.
    Lowest(u8),
}
