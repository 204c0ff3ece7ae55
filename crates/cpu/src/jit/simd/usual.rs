//! Iterations for usual numbers alone: a function that has its limits and its subnormal numbers elsewhere needs half as many steps. An
//! iteration that meets another number is computed by the steps for all, which also compute the elements that are left in the end.

use gw_kernels::Precision;

use super::instruction::Instruction;
use super::program::{Program, Step, Value};
use crate::jit::lanes::Lanes;
use crate::loops::{Arm, Func, Ty, Var};

/// The kinds of numbers that are not positive and normal, as the instruction names them.
const OTHER_KINDS: u8 = 0xff;
/// The immediate of a comparison that holds where the first number is not less than the second, or either is NaN.
const NOT_LESS: u8 = 0x15;

impl Program {
    /// The same with an iteration for usual numbers, if that has less to do and no pairs are read whole. Both read the same streams, words and constants.
    pub(super) fn with_usual(self, func: &Func, lanes: &Lanes, iv: Var, body: &Arm) -> Program {
        if !self.vectors.has_masks() || !lanes.calls() || self.steps.iter().any(Step::is_of_rows) {
            return self;
        }
        match self.usual_of(func, lanes, iv, body) {
            Some(mut usual) => {
                usual.general = Some(Box::new(self));
                usual
            }
            None => self,
        }
    }

    fn usual_of(&self, func: &Func, lanes: &Lanes, iv: Var, body: &Arm) -> Option<Program> {
        let mut usual = Self::new(self.vectors, self.ty);
        usual.pool.clone_from(&self.pool);
        usual.tables.clone_from(&self.tables);
        usual.streams.clone_from(&self.streams);
        usual.given.clone_from(&self.given);
        usual.quick = true;
        usual.count_along(iv);
        usual.body(func, lanes, body)?;
        let asks = usual.steps.iter().any(|step| matches!(step, Step::Unusual(_)));
        let same = usual.streams == self.streams && usual.given == self.given;
        (asks && same && usual.leaves_before_it_stores()).then_some(usual)
    }

    pub(super) fn ask_usual<R: Precision>(&mut self, x: Value, bounds: [R; 2]) {
        if self.quick {
            let mask = self.unusual(x, bounds);
            self.steps.push(Step::Unusual(mask));
        }
    }

    /// The mask of the numbers that are less than the first of the bounds, not less than the second, or none.
    fn unusual<R: Precision>(&mut self, x: Value, bounds: [R; 2]) -> Value {
        let [zero, _, infinity] = R::ENDS.map(Precision::pattern);
        let least = 1 << R::FRACTION;
        let [low, high] = bounds.map(Precision::pattern);
        let bits = |of: i64| if R::DOUBLE { of as u64 } else { u64::from(of as u32) };
        if [low, high] == [least, infinity] {
            return self.push(Step::Kinds(x, OTHER_KINDS));
        }
        if low == zero {
            let (x, most) = (self.in_register(x), self.constant(bits(high)));
            return self.push(Step::Compare(self.floats(0xc2), x, most, Some(NOT_LESS)));
        }
        // As integers without signs: NaN and negative numbers are greater than the second of the bounds.
        let (low, range) = (self.constant(bits(low)), self.constant(bits(high - low)));
        let above = self.two(self.subtract(), x, low);
        let wide = self.ty == Ty::F64;
        let compare = Instruction { map: 3, prefix: 1, wide, number: 0x1e };
        self.push(Step::Compare(compare, above, range, Some(5)))
    }
}
