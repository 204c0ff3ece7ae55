//! From a list of steps to code: each step's value gets a register until it is read for the last time.

use super::code::{Code, Instruction, LEFT, Lanes, PINNED, Place, When};
use super::program::{Program, Step, Value};
use super::totals;
use crate::loops::Ty;

/// A register of numbers, or one of masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Register {
    Numbers(u8),
    Mask(u8),
}

/// The code of a loop; `None` if its values do not fit the registers.
pub(super) fn code(program: &Program) -> Option<Vec<u8>> {
    let width = program.ty.size();
    let mut code = Code::new(width, program.pool.clone());
    for (stream, &register) in (0..program.streams.len()).zip(&PINNED) {
        code.load_word(register, program.given.len() + stream);
    }
    let last = last_reads(program);
    totals::begin(program, &mut code);
    code.begin();
    let none = code.jump(When::Less);
    let again = code.here();
    Turn::new(program, &last, &mut code, false).steps()?;
    code.advance();
    let more = code.jump(When::NotGreater);
    code.land(more, again);
    let rest = code.here();
    code.land(none, rest);
    code.count_rest();
    let done = code.jump(When::Equal);
    code.mask_rest();
    Turn::new(program, &last, &mut code, true).steps()?;
    let end = code.here();
    code.land(done, end);
    if program.leaves() {
        code.left();
    }
    totals::end(program, &mut code);
    if program.leaves() {
        code.tell_left();
    }
    Some(code.finish())
}

/// For each step the last one that reads it.
fn last_reads(program: &Program) -> Vec<usize> {
    let mut last: Vec<usize> = (0..program.steps.len()).collect();
    for (at, step) in program.steps.iter().enumerate() {
        for value in reads(step) {
            if let Value::Step(read) = value {
                last[read] = at;
            }
        }
    }
    if let Some(Value::Step(element)) = program.together.map(|together| together.element) {
        last[element] = program.steps.len();
    }
    last
}

fn reads(step: &Step) -> Vec<Value> {
    match *step {
        Step::Load(_) => Vec::new(),
        Step::Store(_, x) | Step::Spread(x) | Step::One(_, x, _) | Step::Shift(_, x, _) => vec![x],
        Step::MaskNot(x) | Step::Leave(x) => vec![x],
        Step::Two(_, x, y) | Step::Compare(_, x, y, _) | Step::MaskTwo(_, x, y) => vec![x, y],
        Step::Fma(values) => values.to_vec(),
        Step::Blend(test, x, y) => vec![test, x, y],
    }
}

/// One turn of the loop: a whole one, or the last over the lanes that are left.
struct Turn<'a> {
    program: &'a Program,
    last: &'a [usize],
    code: &'a mut Code,
    rest: bool,
    /// The register of each step's value.
    held: Vec<Option<Register>>,
    free: Vec<u8>,
    free_masks: Vec<u8>,
}

impl<'a> Turn<'a> {
    fn new(program: &'a Program, last: &'a [usize], code: &'a mut Code, rest: bool) -> Self {
        let (held, (free, free_masks)) = (vec![None; program.steps.len()], totals::free(program));
        Self { program, last, code, rest, held, free, free_masks }
    }

    fn steps(&mut self) -> Option<()> {
        self.program.steps.iter().enumerate().try_for_each(|(at, step)| self.step(at, step))?;
        if let Some(together) = self.program.together {
            let element = self.number(together.element)?;
            totals::add(self.program, self.code, element, self.rest);
        }
        Some(())
    }

    fn number(&self, value: Value) -> Option<u8> {
        match self.place(value)? {
            Place::Register(register) => Some(register),
            Place::Pool(_) | Place::Given(_) | Place::Stream(_) => None,
        }
    }

    fn place(&self, value: Value) -> Option<Place> {
        match value {
            Value::Pool(constant) => Some(Place::Pool(constant)),
            Value::Given(word) => Some(Place::Given(word)),
            Value::Step(step) => match self.held[step]? {
                Register::Numbers(register) => Some(Place::Register(register)),
                Register::Mask(_) => None,
            },
        }
    }

    fn mask(&self, value: Value) -> Option<u8> {
        match value {
            Value::Step(step) => match self.held[step]? {
                Register::Mask(register) => Some(register),
                Register::Numbers(_) => None,
            },
            Value::Pool(_) | Value::Given(_) => None,
        }
    }

    fn dies(&self, at: usize, value: Value) -> bool {
        matches!(value, Value::Step(step) if self.last[step] == at)
    }

    /// Frees the registers of what is read here for the last time.
    fn release(&mut self, at: usize, values: &[Value]) {
        for (i, &value) in values.iter().enumerate() {
            if let Value::Step(step) = value
                && self.last[step] == at
                && !values[..i].contains(&value)
            {
                match self.held[step] {
                    Some(Register::Numbers(register)) => self.free.push(register),
                    Some(Register::Mask(register)) => self.free_masks.push(register),
                    None => {}
                }
            }
        }
    }

    /// A register for what this step gives; it is free again at once if nobody reads it.
    fn give(&mut self, at: usize) -> Option<u8> {
        let register = self.free.pop()?;
        self.keep(at, register);
        Some(register)
    }

    fn keep(&mut self, at: usize, register: u8) {
        self.held[at] = Some(Register::Numbers(register));
        if self.last[at] == at {
            self.free.push(register);
        }
    }

    fn give_mask(&mut self, at: usize) -> Option<u8> {
        let register = self.free_masks.pop()?;
        self.held[at] = Some(Register::Mask(register));
        if self.last[at] == at {
            self.free_masks.push(register);
        }
        Some(register)
    }

    fn plain(&mut self, instruction: Instruction, registers: [u8; 2], from: Place, immediate: Option<u8>) {
        self.code.vector(instruction, Lanes::All, registers, from, immediate);
    }

    fn stream(&mut self, stream: usize) -> Place {
        self.code.stream(stream, self.program.given.len() + stream)
    }

    fn moving(&self, number: u8) -> Instruction {
        let wide = self.program.ty == Ty::F64;
        Instruction { map: 1, prefix: u8::from(wide), wide, number }
    }

    fn step(&mut self, at: usize, step: &Step) -> Option<()> {
        match *step {
            Step::Load(stream) => {
                let (to, from) = (self.give(at)?, self.stream(stream));
                let lanes = if self.rest { Lanes::Zeroing(LEFT) } else { Lanes::All };
                self.code.vector(self.moving(0x10), lanes, [to, 0], from, None);
            }
            Step::Store(stream, value) => {
                let (value_in, to) = (self.number(value)?, self.stream(stream));
                let lanes = if self.rest { Lanes::Merging(LEFT) } else { Lanes::All };
                self.code.vector(self.moving(0x11), lanes, [value_in, 0], to, None);
                self.release(at, &[value]);
            }
            Step::Spread(value) => {
                let (to, from) = (self.give(at)?, self.place(value)?);
                let wide = self.program.ty == Ty::F64;
                let number = if wide { 0x19 } else { 0x18 };
                self.plain(Instruction { map: 2, prefix: 1, wide, number }, [to, 0], from, None);
            }
            Step::One(instruction, x, immediate) => {
                let from = self.place(x)?;
                self.release(at, &[x]);
                let to = self.give(at)?;
                self.plain(instruction, [to, 0], from, immediate);
            }
            Step::Two(instruction, x, y) => {
                let (by, from) = (self.number(x)?, self.place(y)?);
                self.release(at, &[x, y]);
                let to = self.give(at)?;
                self.plain(instruction, [to, by], from, None);
            }
            Step::Fma(values) => self.fma(at, values)?,
            Step::Shift(field, x, by) => {
                let from = self.place(x)?;
                self.release(at, &[x]);
                let to = self.give(at)?;
                let wide = self.program.ty == Ty::F64;
                let number = if wide && field == 6 { 0x73 } else { 0x72 };
                let shift = Instruction { map: 1, prefix: 1, wide, number };
                self.plain(shift, [field, to], from, Some(by));
            }
            Step::Compare(..) | Step::Blend(..) | Step::MaskTwo(..) | Step::MaskNot(_) | Step::Leave(_) => {
                self.masked(at, step)?;
            }
        }
        Some(())
    }

    fn masked(&mut self, at: usize, step: &Step) -> Option<()> {
        match *step {
            Step::Compare(instruction, x, y, how) => {
                let (by, from) = (self.number(x)?, self.place(y)?);
                self.release(at, &[x, y]);
                let to = self.give_mask(at)?;
                self.plain(instruction, [to, by], from, Some(how));
            }
            Step::Blend(test, x, y) => {
                let (mask, from, by) = (self.mask(test)?, self.place(x)?, self.number(y)?);
                self.release(at, &[test, x, y]);
                let to = self.give(at)?;
                let wide = self.program.ty == Ty::F64;
                let blend = Instruction { map: 2, prefix: 1, wide, number: 0x65 };
                self.code.vector(blend, Lanes::Merging(mask), [to, by], from, None);
            }
            Step::MaskTwo(number, x, y) => {
                let (by, from) = (self.mask(x)?, self.mask(y)?);
                self.release(at, &[x, y]);
                let to = self.give_mask(at)?;
                self.code.mask(number, [to, by, from]);
            }
            Step::MaskNot(x) => {
                let from = self.mask(x)?;
                self.release(at, &[x]);
                let to = self.give_mask(at)?;
                self.code.mask_not(to, from);
            }
            Step::Leave(x) => {
                let mask = self.mask(x)?;
                self.release(at, &[x]);
                self.code.leave(mask);
            }
            Step::Load(_) | Step::Store(..) | Step::Spread(_) | Step::One(..) => return None,
            Step::Two(..) | Step::Fma(_) | Step::Shift(..) => return None,
        }
        Some(())
    }

    /// The instruction writes over one of its operands: over one that nobody reads any more, or over a copy.
    fn fma(&mut self, at: usize, [x, y, z]: [Value; 3]) -> Option<()> {
        let (x, y) = if self.dies(at, y) && !self.dies(at, x) { (y, x) } else { (x, y) };
        let (x, y) = if matches!(x, Value::Step(_)) { (x, y) } else { (y, x) };
        let fused = |number: u8| Instruction { map: 2, prefix: 1, wide: self.program.ty == Ty::F64, number };
        let [over_term, by_register, by_memory] = [fused(0xb8), fused(0xa8), fused(0x98)];
        if self.dies(at, z) && ![x, y].contains(&z) {
            // z = x * y + z
            let (to, by, from) = (self.number(z)?, self.number(x)?, self.place(y)?);
            self.plain(over_term, [to, by], from, None);
            self.release(at, &[x, y]);
            self.keep(at, to);
            return Some(());
        }
        // x = y * x + z, or x = x * y + z with y in memory
        let (over_factor, by, from) = match y {
            Value::Step(_) => (by_register, self.number(y)?, self.place(z)?),
            Value::Pool(_) | Value::Given(_) => (by_memory, self.number(z)?, self.place(y)?),
        };
        let factor = self.number(x)?;
        if self.dies(at, x) && ![y, z].contains(&x) {
            self.plain(over_factor, [factor, by], from, None);
            self.release(at, &[y, z]);
            self.keep(at, factor);
            return Some(());
        }
        let to = self.give(at)?;
        self.plain(self.moving(0x28), [to, 0], Place::Register(factor), None);
        self.plain(over_factor, [to, by], from, None);
        self.release(at, &[x, y, z]);
        Some(())
    }
}
