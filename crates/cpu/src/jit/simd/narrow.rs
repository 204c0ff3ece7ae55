//! Elements of one and two bytes, and of four without a sign, in lanes of numbers: they are widened where they are loaded, cut where
//! they are stored, and computed with in between as numbers of their register. Only registers of 512 bits have the instructions.
//!
//! A narrow number that was not loaded has any bits above its own, until it becomes a number of its register.

use gw_kernels::Half;

use super::instruction::Instruction;
use super::integers::{LEFT, RIGHT, RIGHT_UNSIGNED};
use super::program::{Program, Step, Value};
use crate::loops::Ty;

const fn moving(prefix: u8, number: u8) -> Instruction {
    Instruction { map: 2, prefix, wide: false, number }
}

/// Single precision of the halves in the lower half of a register, and the nearest halves, ties to even.
const SINGLE: Instruction = moving(1, 0x13);
const HALF: Instruction = Instruction { map: 3, prefix: 1, wide: false, number: 0x1d };
const NEAREST: u8 = 0;
/// The immediate of a comparison that holds where one of both is NaN.
const UNORDERED: u8 = 3;

/// The instruction that loads elements of a narrow type as numbers of its register.
pub(super) fn load(ty: Ty) -> Option<Instruction> {
    let number = match ty {
        Ty::U8 => 0x31,
        Ty::U16 => 0x33,
        Ty::U32 => 0x35,
        Ty::I8 => 0x21,
        Ty::I16 => 0x23,
        Ty::F32 | Ty::F64 | Ty::I32 | Ty::I64 | Ty::Bool | Ty::Ptr => return None,
    };
    Some(moving(1, number))
}

/// The instruction that stores the lowest bits of numbers as elements of a narrow type.
pub(super) fn store(ty: Ty) -> Option<Instruction> {
    let number = match ty {
        Ty::U8 | Ty::I8 => 0x31,
        Ty::U16 | Ty::I16 => 0x33,
        Ty::U32 => 0x35,
        Ty::F32 | Ty::F64 | Ty::I32 | Ty::I64 | Ty::Bool | Ty::Ptr => return None,
    };
    Some(moving(2, number))
}

impl Program {
    /// A narrow number as one of its register, or one of a register as a narrow one.
    pub(super) fn moved(&mut self, from: Ty, to: Ty, x: Value) -> Value {
        if from.register() != to || from == to || self.is_loaded(x, from) {
            return x;
        }
        match from {
            Ty::U8 => self.lowest(0xff, x),
            Ty::U16 => self.lowest(0xffff, x),
            Ty::U32 => self.lowest(0xffff_ffff, x),
            Ty::I8 => self.signed(24, x),
            Ty::I16 => self.signed(16, x),
            Ty::F32 | Ty::F64 | Ty::I32 | Ty::I64 | Ty::Bool | Ty::Ptr => x,
        }
    }

    /// True if a value is what a stream of this type holds.
    fn is_loaded(&self, x: Value, ty: Ty) -> bool {
        let Value::Step(step) = x else { return false };
        matches!(self.steps[step], Step::Load(stream) if self.element(stream) == ty)
    }

    fn lowest(&mut self, bits: u64, x: Value) -> Value {
        let bits = self.constant(bits);
        self.commuting(self.sized(1, 1, 0xdb), x, bits)
    }

    /// The number without its highest bits, so many, whose sign is in the next one.
    fn signed(&mut self, bits: u8, x: Value) -> Value {
        let x = self.shifted(LEFT, x, bits);
        self.shifted(RIGHT, x, bits)
    }

    /// Numbers of half precision, as integers, in single precision.
    pub(super) fn single(&mut self, half: Half, x: Value) -> Value {
        let x = self.in_register(x);
        match half {
            Half::F16 => {
                let halves = self.push(Step::Halves(moving(2, 0x33), x, None));
                self.push(Step::One(SINGLE, halves, None))
            }
            Half::BF16 => {
                let number = self.shifted(LEFT, x, 16);
                self.quiet(number)
            }
        }
    }

    /// The nearest numbers of half precision, ties to even, as integers.
    pub(super) fn half(&mut self, half: Half, x: Value) -> Value {
        let x = self.in_register(x);
        match half {
            Half::F16 => {
                let halves = self.push(Step::Halves(HALF, x, Some(NEAREST)));
                self.push(Step::One(moving(1, 0x33), halves, None))
            }
            Half::BF16 => self.rounded_to_brain(x),
        }
    }

    /// A half more than what is cut off is carried into what stays; of two that are as near, the even one stays.
    fn rounded_to_brain(&mut self, x: Value) -> Value {
        let cut = self.shifted(RIGHT_UNSIGNED, x, 16);
        let odd = self.lowest(1, cut);
        let (more, add) = (self.constant(0x7fff), self.add());
        let sum = self.commuting(add, x, more);
        let sum = self.commuting(add, sum, odd);
        let rounded = self.shifted(RIGHT_UNSIGNED, sum, 16);
        let quiet = self.constant(0x40);
        let nan = self.commuting(self.sized(1, 1, 0xeb), cut, quiet);
        let test = self.push(Step::Compare(self.floats(0xc2), x, x, Some(UNORDERED)));
        self.blend(test, nan, rounded)
    }

    /// A number in single precision; a NaN is one that does not signal.
    fn quiet(&mut self, x: Value) -> Value {
        let quiet = self.constant(0x40_0000);
        let nan = self.commuting(self.sized(1, 1, 0xeb), x, quiet);
        let test = self.push(Step::Compare(self.floats(0xc2), x, x, Some(UNORDERED)));
        self.blend(test, nan, x)
    }
}
