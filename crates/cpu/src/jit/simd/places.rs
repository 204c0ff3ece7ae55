//! Register allocation of loops in lanes: values stay in registers until their last read. Where none is left, the value that is
//! read last of all is spilled to memory.

use super::code::Code;
use super::instruction::Place;
use super::program::{Program, Step, Value};

/// No loop keeps more values in memory at once.
const MOST_KEPT: usize = 64;

/// Location of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    Numbers(u8),
    /// A register of masks.
    Mask(u8),
    /// In memory only.
    Memory,
}

/// One register of elements in an iteration of the loop: all its lanes, or in the last iteration those that are left.
pub(super) struct Turn<'a> {
    pub(super) program: &'a Program,
    pub(super) readers: &'a [Vec<usize>],
    pub(super) code: &'a mut Code,
    /// Index among the iteration's registers.
    pub(super) part: usize,
    pub(super) rest: bool,
    /// The step that is being written.
    pub(super) at: usize,
    /// Location of each step's value.
    pub(super) homes: Vec<Option<Home>>,
    /// Place in memory that holds it, too.
    pub(super) kept: Vec<Option<usize>>,
    pub(super) free: Vec<u8>,
    pub(super) free_masks: Vec<u8>,
    /// The registers that this step reads.
    pub(super) wanted: Vec<u8>,
    /// The number of places in memory, and the free ones.
    pub(super) places: usize,
    pub(super) free_memory: Vec<usize>,
    /// The places that this step frees.
    pub(super) left_memory: Vec<usize>,
}

/// For each step those that read it, in order.
pub(super) fn readers(program: &Program) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); program.steps.len()];
    for (at, step) in program.steps.iter().enumerate() {
        for value in reads(step) {
            if let Value::Step(read) = value {
                readers[read].push(at);
            }
        }
    }
    let taken = program.reduction.map(|reduction| reduction.element);
    for element in taken.into_iter().chain(program.sums.iter().map(|sum| sum.element)) {
        if let Value::Step(element) = element {
            readers[element].push(program.steps.len());
        }
    }
    readers
}

/// The values that a step reads.
pub(super) fn reads(step: &Step) -> Vec<Value> {
    match *step {
        Step::Count | Step::Load(_) | Step::LoadPaired(_) | Step::LoadMask(_) => Vec::new(),
        Step::LoadRow(..) => Vec::new(),
        Step::StorePaired(_, x) => vec![x],
        Step::StoreRow(_, _, x) => vec![x],
        Step::Join(_, values) => values.to_vec(),
        Step::Store(_, x) | Step::Spread(x) | Step::One(_, x, _) | Step::Shift(_, _, x, _) => vec![x],
        Step::Halves(_, x, _) => vec![x],
        Step::MaskNot(x) | Step::Leave(x) | Step::Unusual(x) | Step::StoreMask(_, x) => vec![x],
        Step::Two(_, x, y) | Step::Compare(_, x, y, _) | Step::MaskTwo(_, x, y) => vec![x, y],
        Step::Fma(values) | Step::Fms(values) | Step::Three(_, values) => values.to_vec(),
        Step::Kinds(x, _) => vec![x],
        Step::Entry(_, x, beyond) => std::iter::once(x).chain(beyond).collect(),
        Step::Limited([x, found], table) => vec![x, found, table],
        Step::Blend(test, x, y) => vec![test, x, y],
    }
}

impl Turn<'_> {
    /// The register of numbers of a value, which is read from memory if it is there.
    pub(super) fn number(&mut self, value: Value) -> Option<u8> {
        let Value::Step(step) = value else { return None };
        let register = match self.homes[step]? {
            Home::Numbers(register) => register,
            Home::Mask(_) => return None,
            Home::Memory => {
                let (register, from) = (self.room()?, self.memory(step)?);
                self.plain(self.moving(0x10), [register, 0], from, None);
                self.homes[step] = Some(Home::Numbers(register));
                register
            }
        };
        self.wanted.push(register);
        Some(register)
    }

    /// Location of a number.
    pub(super) fn place(&mut self, value: Value) -> Option<Place> {
        match value {
            Value::Pool(constant) => Some(Place::Pool(constant)),
            Value::Given(word) => Some(Place::Given(word)),
            Value::Step(step) if self.homes[step] == Some(Home::Memory) => self.memory(step),
            Value::Step(_) => self.number(value).map(Place::Register),
        }
    }

    /// The register of a mask.
    pub(super) fn mask(&mut self, value: Value) -> Option<u8> {
        match value {
            Value::Step(step) => match self.homes[step]? {
                Home::Mask(register) => Some(register),
                Home::Numbers(_) | Home::Memory if self.program.vectors.has_masks() => None,
                Home::Numbers(_) | Home::Memory => self.number(value),
            },
            Value::Pool(_) | Value::Given(_) => None,
        }
    }

    fn memory(&self, step: usize) -> Option<Place> {
        Some(Place::Memory(self.program.kept(self.kept[step]?)))
    }

    /// True if a value is read for the last time.
    pub(super) fn dies(&self, value: Value) -> bool {
        matches!(value, Value::Step(step) if self.last(step) == self.at)
    }

    /// The last step that reads the value of a step, or that one itself.
    fn last(&self, step: usize) -> usize {
        self.readers[step].last().copied().unwrap_or(step)
    }

    /// Frees what holds values that are read here for the last time: registers at once, since an instruction reads before it
    /// writes, and memory behind this step, for room is made before its instruction.
    pub(super) fn release(&mut self, values: &[Value]) {
        for &value in values {
            if let Value::Step(step) = value
                && self.dies(value)
            {
                match self.homes[step].take() {
                    Some(Home::Numbers(register)) => self.free.push(register),
                    Some(Home::Mask(register)) => self.free_masks.push(register),
                    Some(Home::Memory) | None => {}
                }
                self.left_memory.extend(self.kept[step].take());
            }
        }
    }

    /// A register for what this step gives; it is free again at once if nobody reads it.
    pub(super) fn give(&mut self) -> Option<u8> {
        let register = self.room()?;
        self.keep(register);
        Some(register)
    }

    /// Puts the result of this step into this register.
    pub(super) fn keep(&mut self, register: u8) {
        if self.last(self.at) == self.at {
            self.free.push(register);
        } else {
            self.homes[self.at] = Some(Home::Numbers(register));
        }
    }

    /// The register of a value that this step writes over.
    pub(super) fn taken(&mut self, value: Value) {
        if let Value::Step(step) = value {
            self.homes[step] = None;
            self.left_memory.extend(self.kept[step].take());
        }
    }

    /// A register for the mask that this step gives.
    pub(super) fn give_mask(&mut self) -> Option<u8> {
        if !self.program.vectors.has_masks() {
            return self.give();
        }
        let register = self.free_masks.pop()?;
        if self.last(self.at) == self.at {
            self.free_masks.push(register);
        } else {
            self.homes[self.at] = Some(Home::Mask(register));
        }
        Some(register)
    }

    /// A register for what lies between two instructions of this step.
    pub(super) fn between(&mut self) -> Option<u8> {
        let register = self.room()?;
        self.free.push(register);
        Some(register)
    }

    /// A free register; a value that this step does not read may have to go to memory.
    fn room(&mut self) -> Option<u8> {
        if let Some(register) = self.free.pop() {
            return Some(register);
        }
        let next = |step: usize| {
            let readers = &self.readers[step];
            readers[readers.partition_point(|&reader| reader < self.at)..].first().copied()
        };
        let movable = |(step, home): (usize, &Option<Home>)| match home {
            Some(Home::Numbers(register)) if !self.wanted.contains(register) => {
                Some((next(step), step, *register))
            }
            Some(Home::Numbers(_) | Home::Mask(_) | Home::Memory) | None => None,
        };
        let (_, step, register) = self.homes.iter().enumerate().filter_map(movable).max()?;
        if self.kept[step].is_none() {
            self.kept[step] = Some(self.free_place()?);
            let to = self.memory(step)?;
            self.plain(self.moving(0x11), [register, 0], to, None);
        }
        self.homes[step] = Some(Home::Memory);
        Some(register)
    }

    /// A place in memory.
    fn free_place(&mut self) -> Option<usize> {
        if let Some(place) = self.free_memory.pop() {
            return Some(place);
        }
        self.places += 1;
        (self.places <= MOST_KEPT).then_some(self.places - 1)
    }
}
