//! Integers and masks in lanes: what the wider registers have an instruction for, and what stands in for it in the narrower.

use super::instruction::Instruction;
use super::program::{Program, Step, Value};
use crate::jit::sums::Together;
use crate::loops::{Binary, Compare, Ty};

const fn integers(map: u8, number: u8) -> Instruction {
    Instruction { map, prefix: 1, wide: false, number }
}

/// A shift: its instruction, and the number in its register field.
pub(super) type Shift = (Instruction, u8);

pub(super) const LEFT: Shift = (integers(1, 0x72), 6);
/// Keeps the sign.
pub(super) const RIGHT: Shift = (integers(1, 0x72), 4);
/// Of what has no sign.
pub(super) const RIGHT_UNSIGNED: Shift = (integers(1, 0x72), 2);
pub(super) const LEFT_LONG: Shift = (Instruction { wide: true, ..integers(1, 0x73) }, 6);
/// Of what has no sign.
pub(super) const RIGHT_LONG: Shift = (Instruction { wide: true, ..integers(1, 0x73) }, 2);

/// The product of the lower halves of long integers.
const HALVES: Instruction = Instruction { wide: true, ..integers(1, 0xf4) };

impl Program {
    /// The sum of integers.
    pub(super) fn add(&self) -> Instruction {
        self.sized(1, 1, if self.ty == Ty::F64 { 0xd4 } else { 0xfe })
    }

    pub(super) fn subtract(&self) -> Instruction {
        self.sized(1, 1, if self.ty == Ty::F64 { 0xfb } else { 0xfa })
    }

    fn is_long(&self) -> bool {
        self.ty == Ty::F64
    }

    pub(super) fn shifted(&mut self, (instruction, field): Shift, x: Value, by: u8) -> Value {
        let x = self.in_register(x);
        self.push(Step::Shift(instruction, field, x, by))
    }

    /// All bits of an integer, or of a mask that fills lanes, are the other ones.
    pub(super) fn inverted(&mut self, x: Value) -> Value {
        let all = self.constant(u64::MAX);
        self.commuting(self.sized(1, 1, 0xef), x, all)
    }

    /// An integer without its sign; the least one stays.
    pub(super) fn without_sign(&mut self, x: Value) -> Value {
        if !self.is_long() {
            return self.one(integers(2, 0x1e), x);
        }
        if self.vectors.has_masks() {
            return self.one(self.sized(2, 1, 0x1f), x);
        }
        // Of a negative number `x ^ -1` is `-x - 1`.
        let (x, zero) = (self.in_register(x), self.constant(0));
        let negative = self.integers(Compare::Lt, x, zero);
        let turned = self.two(self.sized(1, 1, 0xef), x, negative);
        self.two(self.subtract(), turned, negative)
    }

    /// The product of integers, wrapping.
    pub(super) fn product(&mut self, x: Value, y: Value) -> Value {
        if !self.is_long() || self.vectors.has_masks() {
            return self.commuting(self.sized(2, 1, 0x40), x, y);
        }
        let [x, y] = [x, y].map(|value| self.in_register(value));
        let add = self.sized(1, 1, 0xd4);
        let lower = self.two(HALVES, x, y);
        let crossed = [(x, y), (y, x)].map(|(one, other)| {
            let upper = self.shifted(RIGHT_LONG, one, 32);
            self.two(HALVES, upper, other)
        });
        let crossed = self.two(add, crossed[0], crossed[1]);
        let upper = self.shifted(LEFT_LONG, crossed, 32);
        self.two(add, lower, upper)
    }

    /// The upper halves of the products of halves without signs and a number that is the same in all lanes: of those at even places,
    /// and of the others.
    pub(super) fn high_product(&mut self, x: Value, y: Value) -> Value {
        let [x, y] = [x, y].map(|value| self.in_register(value));
        let even = self.two(HALVES, x, y);
        let even = self.shifted(RIGHT_LONG, even, 32);
        let odd = self.shifted(RIGHT_LONG, x, 32);
        let odd = self.two(HALVES, odd, y);
        let odd = self.shifted(RIGHT_LONG, odd, 32);
        let odd = self.shifted(LEFT_LONG, odd, 32);
        self.two(self.sized(1, 1, 0xeb), even, odd)
    }

    /// A mask: what holds of two integers with their signs, or without for `Below`, which only masks of registers of their own have:
    /// a loop that asks for it runs in 128 bits otherwise.
    pub(super) fn integers(&mut self, compare: Compare, x: Value, y: Value) -> Value {
        if self.vectors.has_masks() {
            let x = self.in_register(x);
            let number = if compare == Compare::Below { 0x1e } else { 0x1f };
            return self.push(Step::Compare(self.sized(3, 1, number), x, y, Some(numbered(compare))));
        }
        let equal = if self.is_long() { integers(2, 0x29) } else { integers(1, 0x76) };
        let greater = if self.is_long() { integers(2, 0x37) } else { integers(1, 0x66) };
        match compare {
            Compare::Eq => self.commuting(equal, x, y),
            Compare::Gt => self.two(greater, x, y),
            Compare::Lt | Compare::Below => self.two(greater, y, x),
            Compare::Ne | Compare::Le | Compare::Ge => {
                let other = self.integers(opposite(compare), x, y);
                self.inverted(other)
            }
        }
    }

    /// The instruction that takes integers together, long ones if they are widened, and the total of none.
    pub(super) fn together(&self, how: Together, widens: bool) -> Option<(Instruction, u64)> {
        let wide = widens || self.is_long();
        let integers = |map, number| Instruction { map, prefix: 1, wide, number };
        let least = if wide { i64::MIN as u64 } else { u64::from(i32::MIN as u32) };
        match how {
            Together::Greatest => Some((integers(2, 0x3d), least)),
            Together::Least if wide => Some((integers(2, 0x39), !least)),
            Together::Least => Some((integers(2, 0x39), u64::from(i32::MAX as u32))),
            Together::Binary(Binary::Add) => Some((integers(1, if wide { 0xd4 } else { 0xfe }), 0)),
            Together::Binary(Binary::Or) => Some((integers(1, 0xeb), 0)),
            Together::Binary(Binary::Xor) => Some((integers(1, 0xef), 0)),
            Together::Binary(
                Binary::Sub | Binary::Mul | Binary::Div | Binary::And | Binary::MulSaturating,
            ) => None,
            Together::Binary(Binary::MulHigh | Binary::Shl | Binary::Sar | Binary::Shr) => None,
            Together::Binary(Binary::ShortDiv | Binary::ShortRest) => None,
        }
    }

    /// The complement of a mask.
    pub(super) fn not_mask(&mut self, x: Value) -> Value {
        if self.vectors.has_masks() { self.push(Step::MaskNot(x)) } else { self.inverted(x) }
    }

    /// `x binary y`, of masks.
    pub(super) fn of_masks(&mut self, binary: Binary, x: Value, y: Value) -> Option<Value> {
        let (of_masks, of_lanes) = match binary {
            Binary::And => (0x41, 0xdb),
            Binary::Or => (0x45, 0xeb),
            Binary::Xor => (0x47, 0xef),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => return None,
            Binary::MulSaturating | Binary::MulHigh | Binary::Shl | Binary::Sar | Binary::Shr => return None,
            Binary::ShortDiv | Binary::ShortRest => return None,
        };
        Some(if self.vectors.has_masks() {
            self.push(Step::MaskTwo(of_masks, x, y))
        } else {
            self.two(self.sized(1, 1, of_lanes), x, y)
        })
    }
}

/// The immediate that names a comparison in instructions of 512 bits.
fn numbered(compare: Compare) -> u8 {
    match compare {
        Compare::Eq => 0,
        Compare::Lt | Compare::Below => 1,
        Compare::Le => 2,
        Compare::Ne => 4,
        Compare::Ge => 5,
        Compare::Gt => 6,
    }
}

/// The negation of a comparison of integers.
fn opposite(compare: Compare) -> Compare {
    match compare {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::Lt | Compare::Below => Compare::Ge,
        Compare::Le => Compare::Gt,
        Compare::Gt => Compare::Le,
        Compare::Ge => Compare::Lt,
    }
}
