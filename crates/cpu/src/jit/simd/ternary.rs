//! Operations on the bits of three numbers at once, which the registers of 512 bits have: two of them take the place of six steps where a sum is
//! checked for overflow.

use super::instruction::Instruction;
use super::places::{Turn, reads};
use super::program::{Program, Step, Value};

const AND: u8 = 0xdb;
const OR: u8 = 0xeb;
const XOR: u8 = 0xef;

/// `(x ^ y) & (x ^ z)`; bit `4 * x + 2 * y + z` is the result of such bits.
const BOTH_DIFFER: u8 = 0b0001_1000;
/// `x | y | z`
const ANY: u8 = 0b1111_1110;

impl Program {
    /// The same with operations on three numbers, and without the steps that nothing reads then.
    pub(super) fn with_ternaries(mut self) -> Program {
        if self.vectors.has_masks() && self.leaves() && self.totals() == 0 {
            (0..self.steps.len()).for_each(|at| self.join_three(at));
            self.drop_unread();
        }
        self
    }

    fn join_three(&mut self, at: usize) {
        let joined = self.operands(at, AND).and_then(|both| self.both_differ(both));
        if let Some(step) = joined.or_else(|| self.operands(at, OR).and_then(|both| self.any(both))) {
            self.steps[at] = step;
        }
    }

    /// The operands of a step that is this operation.
    fn operands(&self, at: usize, number: u8) -> Option<[Value; 2]> {
        match self.steps[at] {
            Step::Two(Instruction { map: 1, prefix: 1, number: is, .. }, x, y) if is == number => {
                Some([x, y])
            }
            Step::Two(..)
            | Step::Load(_)
            | Step::LoadPaired(_)
            | Step::Store(..)
            | Step::StorePaired(..)
            | Step::LoadRow(..)
            | Step::StoreRow(..)
            | Step::Join(..)
            | Step::Spread(_)
            | Step::One(..) => None,
            Step::Fms(_) | Step::Entry(..) | Step::Limited(..) => None,
            Step::Kinds(..) | Step::Unusual(_) => None,
            Step::Fma(_) | Step::Three(..) | Step::Shift(..) | Step::Compare(..) | Step::Blend(..) => None,
            Step::MaskTwo(..) | Step::MaskNot(_) | Step::Leave(_) => None,
            Step::LoadMask(_) | Step::StoreMask(..) | Step::Halves(..) | Step::Count => None,
        }
    }

    fn both_differ(&self, both: [Value; 2]) -> Option<Step> {
        let [Value::Step(one), Value::Step(other)] = both else { return None };
        let ([a, b], [c, d]) = (self.operands(one, XOR)?, self.operands(other, XOR)?);
        let (shared, y, z) = match () {
            () if a == c => (a, b, d),
            () if a == d => (a, b, c),
            () if b == c => (b, a, d),
            () if b == d => (b, a, c),
            () => return None,
        };
        Self::three(BOTH_DIFFER, shared, y, z)
    }

    fn any(&self, [x, y]: [Value; 2]) -> Option<Step> {
        let Value::Step(inner) = x else { return None };
        let [a, b] = self.operands(inner, OR)?;
        Self::three(ANY, y, a, b)
    }

    /// A step of three numbers, the first two of which are in registers.
    fn three(table: u8, x: Value, y: Value, z: Value) -> Option<Step> {
        let is_step = |value: Value| matches!(value, Value::Step(_));
        // The last two count alike in both tables.
        let (y, z) = if is_step(y) { (y, z) } else { (z, y) };
        (is_step(x) && is_step(y)).then_some(Step::Three(table, [x, y, z]))
    }

    /// Drops the steps that give something which nothing reads.
    fn drop_unread(&mut self) {
        let mut read = vec![false; self.steps.len()];
        for (at, step) in self.steps.iter().enumerate().rev() {
            if read[at] || step.stores() || matches!(step, Step::Leave(_)) {
                read[at] = true;
                for value in reads(step) {
                    if let Value::Step(of) = value {
                        read[of] = true;
                    }
                }
            }
        }
        let number = |at: usize| read[..at].iter().filter(|&&read| read).count();
        let renamed =
            |value: Value| if let Value::Step(at) = value { Value::Step(number(at)) } else { value };
        let kept = self.steps.iter().enumerate().filter(|(at, _)| read[*at]);
        self.steps = kept.map(|(_, step)| step.map(renamed)).collect();
        self.named.clear();
    }
}

impl Step {
    /// True if it writes to a stream.
    pub(super) fn stores(&self) -> bool {
        matches!(self, Step::Store(..) | Step::StorePaired(..) | Step::StoreMask(..) | Step::StoreRow(..))
    }

    /// The same of other values.
    pub(super) fn map(&self, to: impl Fn(Value) -> Value) -> Step {
        match *self {
            Step::Count => Step::Count,
            Step::Load(stream) => Step::Load(stream),
            Step::LoadPaired(stream) => Step::LoadPaired(stream),
            Step::LoadMask(stream) => Step::LoadMask(stream),
            Step::Store(stream, x) => Step::Store(stream, to(x)),
            Step::StorePaired(stream, x) => Step::StorePaired(stream, to(x)),
            Step::LoadRow(streams, row) => Step::LoadRow(streams, row),
            Step::StoreRow(streams, row, x) => Step::StoreRow(streams, row, to(x)),
            Step::Join(order, values) => Step::Join(order, values.map(to)),
            Step::StoreMask(stream, x) => Step::StoreMask(stream, to(x)),
            Step::Spread(x) => Step::Spread(to(x)),
            Step::One(instruction, x, how) => Step::One(instruction, to(x), how),
            Step::Two(instruction, x, y) => Step::Two(instruction, to(x), to(y)),
            Step::Fma(values) => Step::Fma(values.map(to)),
            Step::Fms(values) => Step::Fms(values.map(to)),
            Step::Entry(table, x, beyond) => Step::Entry(table, to(x), beyond.map(to)),
            Step::Limited(values, table) => Step::Limited(values.map(&to), to(table)),
            Step::Three(table, values) => Step::Three(table, values.map(to)),
            Step::Shift(instruction, field, x, by) => Step::Shift(instruction, field, to(x), by),
            Step::Compare(instruction, x, y, how) => Step::Compare(instruction, to(x), to(y), how),
            Step::Blend(test, x, y) => Step::Blend(to(test), to(x), to(y)),
            Step::MaskTwo(number, x, y) => Step::MaskTwo(number, to(x), to(y)),
            Step::MaskNot(x) => Step::MaskNot(to(x)),
            Step::Halves(instruction, x, how) => Step::Halves(instruction, to(x), how),
            Step::Leave(x) => Step::Leave(to(x)),
            Step::Kinds(x, kinds) => Step::Kinds(to(x), kinds),
            Step::Unusual(x) => Step::Unusual(to(x)),
        }
    }
}

impl Turn<'_> {
    /// The instruction writes over its first operand: over one that nobody reads any more, or over a copy.
    pub(super) fn three(&mut self, table: u8, values: [Value; 3]) -> Option<()> {
        let is_alone = |at: usize| (0..3).all(|other| other == at || values[other] != values[at]);
        let over = (0..3).find(|&at| self.dies(values[at]) && is_alone(at));
        let order = [[0, 1, 2], [1, 0, 2], [2, 1, 0]][over.unwrap_or(0)];
        let [x, y, z] = order.map(|at| values[at]);
        let (first, by, from) = (self.number(x)?, self.number(y)?, self.place(z)?);
        let to = match over {
            Some(_) => first,
            None => {
                let to = self.give()?;
                self.plain(self.moving(0x28), [to, 0], super::instruction::Place::Register(first), None);
                to
            }
        };
        self.plain(self.program.sized(3, 1, 0x25), [to, by], from, Some(permuted(table, order)));
        if over.is_some() {
            self.taken(x);
            self.release(&[y, z]);
            self.keep(to);
        } else {
            self.release(&values);
        }
        Some(())
    }
}

/// The table of the same operation on operands in another order.
fn permuted(table: u8, order: [usize; 3]) -> u8 {
    let bit = |index: usize| {
        let mut bits = [0; 3];
        order.iter().enumerate().for_each(|(place, &of)| bits[of] = index >> (2 - place) & 1);
        table >> (bits[0] << 2 | bits[1] << 1 | bits[2]) & 1
    };
    (0..8).map(|index| bit(index) << index).sum()
}
