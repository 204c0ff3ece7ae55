//! Functions of numbers as steps of a loop in lanes.

use gw_kernels::{Angle, Limit, Precision, Steps};

use super::integers::{LEFT, LEFT_LONG, RIGHT, RIGHT_LONG};
use super::program::{CONVERT, CONVERT_LONG, Program, Step, Value};

/// Functions of numbers: the program's elements are of its type wherever one is computed.
impl<R: Precision> Steps<R> for Program {
    type Float = Value;
    type Bits = Value;
    type Test = Value;

    fn real(&mut self, value: R) -> Value {
        self.constant(value.pattern() as u64)
    }
    fn int(&mut self, value: i64) -> Value {
        self.constant(if R::DOUBLE { value as u64 } else { u64::from(value as u32) })
    }
    fn add(&mut self, x: Value, y: Value) -> Value {
        self.commuting(self.floats(0x58), x, y)
    }
    fn sub(&mut self, x: Value, y: Value) -> Value {
        self.two(self.floats(0x5c), x, y)
    }
    fn mul(&mut self, x: Value, y: Value) -> Value {
        self.commuting(self.floats(0x59), x, y)
    }
    fn div(&mut self, x: Value, y: Value) -> Value {
        self.two(self.floats(0x5e), x, y)
    }
    fn root(&mut self, x: Value) -> Value {
        self.one(self.floats(0x51), x)
    }
    fn fma(&mut self, x: Value, y: Value, z: Value) -> Value {
        let operands = self.fused(x, y, z);
        self.push(Step::Fma(operands))
    }
    fn is_quick(&self) -> bool {
        self.quick
    }
    fn usual(&mut self, x: Value, bounds: [R; 2]) {
        self.ask_usual(x, bounds);
    }
    fn fms(&mut self, x: Value, y: Value, z: Value) -> Value {
        let operands = self.fused(x, y, z);
        self.push(Step::Fms(operands))
    }
    fn below(&mut self, x: Value, y: Value) -> Value {
        let x = self.in_register(x);
        self.push(Step::Compare(self.floats(0xc2), x, y, Some(0x11)))
    }
    fn same(&mut self, x: Value, y: Value) -> Value {
        let x = self.in_register(x);
        self.push(Step::Compare(self.floats(0xc2), x, y, Some(0)))
    }
    fn odd(&mut self, x: Value) -> Value {
        if !self.vectors.has_masks() {
            return gw_kernels::odd::<R, _>(self, x);
        }
        let (x, last) = (self.in_register(x), self.constant(1));
        self.push(Step::Compare(self.sized(2, 1, 0x27), x, last, None))
    }
    fn nearest(&mut self, x: Value) -> Value {
        self.rounded(x, 8)
    }
    fn entry<const N: usize>(&mut self, table: &'static [R; N], at: Value) -> Value {
        self.entry_of(table, at)
    }
    fn limited(&mut self, limit: Limit, x: Value, found: Value) -> Value {
        if self.vectors.has_masks() {
            self.limited_by_kind(limit, x, found)
        } else {
            gw_kernels::limited::<R, _>(self, limit, x, found)
        }
    }
    fn select(&mut self, test: Value, x: Value, y: Value) -> Value {
        self.blend(test, x, y)
    }
    fn bits(&mut self, x: Value) -> Value {
        x
    }
    fn float(&mut self, x: Value) -> Value {
        x
    }
    fn number(&mut self, x: Value) -> Value {
        if !R::DOUBLE {
            self.one(CONVERT, x)
        } else if self.vectors.has_masks() {
            self.one(CONVERT_LONG, x)
        } else {
            gw_kernels::small_number::<R, _>(self, x)
        }
    }
    fn plus(&mut self, x: Value, y: Value) -> Value {
        self.commuting(self.sized(1, 1, if R::DOUBLE { 0xd4 } else { 0xfe }), x, y)
    }
    fn minus(&mut self, x: Value, y: Value) -> Value {
        self.two(self.subtract(), x, y)
    }
    fn both(&mut self, x: Value, y: Value) -> Value {
        self.commuting(self.sized(1, 1, 0xdb), x, y)
    }
    fn either(&mut self, x: Value, y: Value) -> Value {
        self.commuting(self.sized(1, 1, 0xeb), x, y)
    }
    fn differ(&mut self, x: Value, y: Value) -> Value {
        self.commuting(self.sized(1, 1, 0xef), x, y)
    }
    fn left(&mut self, x: Value, by: u8) -> Value {
        self.shifted(if R::DOUBLE { LEFT_LONG } else { LEFT }, x, by)
    }
    fn right(&mut self, x: Value, by: u8) -> Value {
        self.shifted(if R::DOUBLE { RIGHT_LONG } else { RIGHT }, x, by)
    }
    fn beyond(&mut self, far: Value, _: Angle, _: Value, found: Value) -> Value {
        // Code behind the iterations, or in their place, handles all angles.
        self.push(Step::Leave(far));
        found
    }
    fn beyond_rest(&mut self, far: Value, _: Value, _: Value, found: Value) -> Value {
        // Code behind the iterations, or in their place, handles all quotients.
        self.push(Step::Leave(far));
        found
    }
    fn least(&mut self, x: Value, y: Value) -> Value {
        self.two(self.floats(0x5d), x, y)
    }
    fn greatest(&mut self, x: Value, y: Value) -> Value {
        self.two(self.floats(0x5f), x, y)
    }
    fn scale(&mut self, x: Value, n: Value, rounded: Value) -> Value {
        if self.vectors.has_masks() {
            self.two(self.sized(2, 1, 0x2c), x, n)
        } else {
            gw_kernels::scaled::<R, _>(self, x, rounded, 0)
        }
    }
    fn scale_sixteenths(&mut self, x: Value, n: Value, rounded: Value) -> Value {
        if self.vectors.has_masks() {
            self.two(self.sized(2, 1, 0x2c), x, n)
        } else {
            gw_kernels::scaled::<R, _>(self, x, rounded, 4)
        }
    }
}
