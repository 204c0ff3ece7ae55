//! From a list of steps to code: each step's value gets a register until it is read for the last time.

use super::code::{Code, LEFT, PINNED, When};
use super::instruction::{Instruction, Lanes, Place};
use super::narrow;
use super::places::{Turn, readers};
use super::program::{Program, Step, Value};
use super::totals;
use super::vectors::Encoding;
use crate::loops::Ty;

/// Bytes of a register that has masks.
const REGISTER: usize = 64;

/// Writes the upper half of a register of 512 bits to the lower half of another: `vextractf64x4`.
const UPPER_HALF: Instruction = Instruction { map: 3, prefix: 1, wide: true, number: 0x1b };

/// The code of a loop, and how many bytes it needs behind the words that it is given.
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    pub(super) kept: usize,
}

/// The code of a loop; `None` if its values do not fit the registers.
pub(super) fn code(program: &Program) -> Option<Written> {
    let (width, turn) = (program.ty.size(), program.turn());
    let mut code = Code::new(program.vectors, width, program.pool.clone());
    let counts = |step: &Step| matches!(step, Step::Count | Step::LoadPaired(_) | Step::StorePaired(..));
    code.tables.clone_from(&program.tables);
    code.orders = program.steps.iter().any(Step::is_of_rows);
    code.counts = code.orders || program.steps.iter().any(counts);
    for (stream, &register) in (0..program.streams.len()).zip(&PINNED) {
        code.load_word(register, program.word(stream));
    }
    let (of_usual, mut places) = (readers(program), 0);
    totals::begin(program, &mut code);
    code.begin(turn);
    let none = code.jump(When::Less);
    if program.general.is_some() {
        code.mask_all();
    }
    let again = code.here();
    let mut advancing = again;
    for part in 0..turn {
        totals::prefetch(program, &mut code);
        places = places.max(Turn::new(program, &of_usual, &mut code, part, false).steps()?);
        advancing = code.here();
        code.advance();
    }
    code.compare();
    let more = code.jump(When::NotGreater);
    code.land(more, again);
    let rest = code.here();
    code.land(none, rest);
    code.count_rest(turn);
    let mut done = vec![code.jump(When::Equal)];
    code.mask_rest();
    code.begin_aside();
    let whole = program.general.as_deref().unwrap_or(program);
    let of_whole = readers(whole);
    for part in 0..turn {
        if part > 0 {
            code.advance();
            done.push(code.mask_next());
        }
        places = places.max(Turn::new(whole, &of_whole, &mut code, part, true).steps()?);
    }
    if program.general.is_some() {
        code.back_if_all(advancing);
    }
    let end = code.here();
    done.into_iter().for_each(|done| code.land(done, end));
    if program.leaves() {
        code.left();
    }
    totals::end(program, &mut code);
    if program.leaves() {
        code.tell_left();
    }
    Some(Written { bytes: code.finish(), kept: program.vectors.bytes * places })
}

impl Program {
    /// Every other element of a stream.
    pub(super) fn paired(&mut self, stream: usize) -> Value {
        self.constant(self.lanes_of_register());
        self.push(Step::LoadPaired(stream))
    }

    /// The step that writes a number to every other element of a stream.
    pub(super) fn store_paired(&mut self, stream: usize, value: Value) -> Step {
        Step::StorePaired(stream, self.in_register(value))
    }

    /// Elements that are left have stored nothing, so computing them again reads the same operands.
    pub(super) fn leaves_before_it_stores(&self) -> bool {
        let stores = self.steps.iter().position(Step::stores);
        let leaves = self.steps.iter().rposition(|step| matches!(step, Step::Leave(_) | Step::Unusual(_)));
        stores.zip(leaves).is_none_or(|(stores, leaves)| leaves < stores)
    }

    fn lanes_of_register(&self) -> u64 {
        (self.vectors.bytes / self.ty.size()) as u64
    }
}

impl<'a> Turn<'a> {
    fn new(
        program: &'a Program,
        readers: &'a [Vec<usize>],
        code: &'a mut Code,
        part: usize,
        rest: bool,
    ) -> Self {
        let (count, (free, free_masks)) = (program.steps.len(), totals::free(program));
        let (homes, kept, wanted) = (vec![None; count], vec![None; count], Vec::new());
        let (at, places, free_memory) = (0, 0, Vec::new());
        Self {
            program,
            readers,
            code,
            part,
            rest,
            at,
            homes,
            kept,
            free,
            free_masks,
            wanted,
            places,
            free_memory,
            left_memory: Vec::new(),
        }
    }

    /// Writes all steps; gives how many places in memory they need.
    fn steps(mut self) -> Option<usize> {
        for step in &self.program.steps {
            self.step(step)?;
            self.at += 1;
            self.wanted.clear();
            self.free_memory.append(&mut self.left_memory);
        }
        for (number, sum) in self.program.sums.iter().enumerate() {
            let (element, &[.., one, other]) = (self.number(sum.element)?, &self.free[..]) else {
                return None;
            };
            totals::Part { program: self.program, code: self.code, part: number, between: [one, other] }
                .take(sum, element, self.rest);
        }
        if let Some(reduction) = self.program.reduction {
            let (element, &[.., one, other]) = (self.number(reduction.element)?, &self.free[..]) else {
                return None;
            };
            totals::Part { program: self.program, code: self.code, part: self.part, between: [one, other] }
                .add(element, self.rest);
        }
        Some(self.places)
    }

    pub(super) fn plain(
        &mut self,
        instruction: Instruction,
        registers: [u8; 2],
        from: Place,
        immediate: Option<u8>,
    ) {
        self.code.vector(instruction, Lanes::All, registers, from, immediate);
    }

    fn stream(&mut self, stream: usize) -> Place {
        let place = self.code.stream(stream, self.program.word(stream));
        let size = self.program.element(stream).size();
        match place {
            Place::Stream(register) if size < self.program.ty.size() => {
                Place::Narrow(register, size.trailing_zeros() as u8)
            }
            Place::Stream(_) | Place::Register(_) | Place::Pool(_) | Place::Given(_) => place,
            Place::Narrow(..) | Place::Memory(_) | Place::Left => place,
            Place::Lanes | Place::Order(_) | Place::Table(_) => place,
        }
    }

    /// An instruction between memory and a register of 512 bits, of all lanes or of those that are left.
    fn of_lanes(&mut self, instruction: Instruction, left: fn(u8) -> Lanes, register: u8, place: Place) {
        let lanes = if self.rest { left(LEFT) } else { Lanes::All };
        self.code.vector(instruction, lanes, [register, 0], place, None);
    }

    /// Stores numbers as elements of fewer bytes. The instruction that cuts them is slow where it writes to memory itself, as those that are
    /// left need it to.
    fn store_narrow(&mut self, cut: Instruction, value: u8, to: Place, size: usize) -> Option<()> {
        if self.rest {
            self.of_lanes(cut, Lanes::Merging, value, to);
            return Some(());
        }
        let narrow = self.between()?;
        self.plain(cut, [value, 0], Place::Register(narrow), None);
        let bytes = size * (REGISTER / self.program.ty.size());
        let half = Instruction { map: 1, prefix: 1, wide: true, number: 0xd6 };
        let store =
            if bytes == 8 { half } else { Instruction { map: 1, prefix: 0, wide: false, number: 0x11 } };
        self.code.vector(store, Lanes::Lowest(bytes as u8), [narrow, 0], to, None);
        Some(())
    }

    pub(super) fn moving(&self, number: u8) -> Instruction {
        let wide = self.program.ty == Ty::F64;
        Instruction { map: 1, prefix: u8::from(wide), wide, number }
    }

    /// The instruction that reads the same number for each lane.
    fn spreading(&self) -> Instruction {
        let wide = self.program.ty == Ty::F64;
        match self.program.vectors.encoding {
            Encoding::Vex => self.moving(0x10),
            Encoding::Evex => Instruction { map: 2, prefix: 1, wide, number: if wide { 0x19 } else { 0x18 } },
        }
    }

    fn load(&mut self, to: u8, from: Place) {
        match (self.rest, self.program.vectors.encoding) {
            (false, _) => self.plain(self.moving(0x10), [to, 0], from, None),
            (true, Encoding::Evex) => {
                self.code.vector(self.moving(0x10), Lanes::Zeroing(LEFT), [to, 0], from, None);
            }
            (true, Encoding::Vex) => {
                self.plain(self.moving(0x10), [to, 0], Place::Left, None);
                let load = if self.program.ty == Ty::F64 { 0x2d } else { 0x2c };
                self.plain(
                    Instruction { map: 2, prefix: 1, wide: false, number: load },
                    [to, to],
                    from,
                    None,
                );
            }
        }
    }

    fn store(&mut self, value: u8, to: Place) -> Option<()> {
        match (self.rest, self.program.vectors.encoding) {
            (false, _) => self.plain(self.moving(0x11), [value, 0], to, None),
            (true, Encoding::Evex) => {
                self.code.vector(self.moving(0x11), Lanes::Merging(LEFT), [value, 0], to, None);
            }
            (true, Encoding::Vex) => {
                let left = self.between()?;
                self.plain(self.moving(0x10), [left, 0], Place::Left, None);
                let store = if self.program.ty == Ty::F64 { 0x2f } else { 0x2e };
                let store = Instruction { map: 2, prefix: 1, wide: false, number: store };
                self.plain(store, [value, left], to, None);
            }
        }
        Some(())
    }

    fn step(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Count => self.count()?,
            Step::Load(stream) => {
                let (to, from) = (self.give()?, self.stream(stream));
                match narrow::load(self.program.element(stream)) {
                    Some(load) => self.of_lanes(load, Lanes::Zeroing, to, from),
                    None => self.load(to, from),
                }
            }
            Step::LoadPaired(stream) => self.load_paired(stream)?,
            Step::LoadRow(..) | Step::StoreRow(..) | Step::Join(..) => self.of_rows(step)?,
            Step::Store(stream, value) => {
                let (value_in, to) = (self.number(value)?, self.stream(stream));
                match narrow::store(self.program.element(stream)) {
                    Some(cut) => self.store_narrow(cut, value_in, to, self.program.element(stream).size())?,
                    None => self.store(value_in, to)?,
                }
                self.release(&[value]);
            }
            Step::StorePaired(stream, value) => self.store_paired(stream, value)?,
            Step::Spread(value) => {
                let (to, from) = (self.give()?, self.place(value)?);
                let spread = self.spreading();
                self.plain(spread, [to, 0], from, None);
            }
            Step::One(instruction, x, immediate) => self.one(instruction, x, immediate)?,
            Step::Two(instruction, x, y) => {
                let (by, from) = (self.number(x)?, self.place(y)?);
                self.release(&[x, y]);
                let to = self.give()?;
                self.plain(instruction, [to, by], from, None);
            }
            Step::Fma(values) => self.fma(values, 0)?,
            Step::Fms(values) => self.fma(values, 2)?,
            Step::Entry(table, at, beyond) => self.entry(table, at, beyond)?,
            Step::Limited(values, table) => self.limited(values, table)?,
            Step::Three(table, values) => self.three(table, values)?,
            Step::Shift(instruction, field, x, by) => {
                let from = Place::Register(self.number(x)?);
                self.release(&[x]);
                let to = self.give()?;
                self.plain(instruction, [field, to], from, Some(by));
            }
            Step::Halves(instruction, x, how) => {
                let from = self.number(x)?;
                self.release(&[x]);
                let to = self.give()?;
                self.plain(instruction, [from, 0], Place::Register(to), how);
            }
            Step::LoadMask(stream) => self.load_mask(stream)?,
            Step::StoreMask(stream, value) => self.store_mask(stream, value)?,
            Step::Compare(..) | Step::Blend(..) | Step::MaskTwo(..) | Step::MaskNot(_) => {
                self.masked(step)?
            }
            Step::Leave(_) | Step::Kinds(..) | Step::Unusual(_) => self.masked(step)?,
        }
        Some(())
    }

    fn one(&mut self, instruction: Instruction, x: Value, immediate: Option<u8>) -> Option<()> {
        let from = self.place(x)?;
        self.release(&[x]);
        let to = self.give()?;
        self.plain(instruction, [to, 0], from, immediate);
        Some(())
    }

    /// The number of the iteration's first element, which is in `rax`, and those behind it.
    fn count(&mut self) -> Option<()> {
        let (to, wide) = (self.give()?, self.program.ty == Ty::F64);
        let spread = Instruction { map: 2, prefix: 1, wide, number: 0x7c };
        self.plain(spread, [to, 0], Place::Register(0), None);
        self.plain(self.program.add(), [to, to], Place::Lanes, None);
        Some(())
    }

    /// Every other element of a stream, those at twice the numbers of the lanes; the last ones are gathered.
    pub(super) fn load_paired(&mut self, stream: usize) -> Option<()> {
        let (to, lanes, &mask) = (self.give()?, self.between()?, self.free_masks.last()?);
        if to == lanes {
            return None;
        }
        let numbers = if self.rest { lanes } else { to };
        self.plain(self.moving(0x10), [numbers, 0], Place::Lanes, None);
        self.plain(self.program.add(), [numbers, numbers], Place::Register(numbers), None);
        self.code.all_lanes(mask, self.rest);
        let from = self.program.word(stream);
        if self.rest {
            self.code.gather([to, lanes], mask, (stream, from));
        } else {
            let count = self.program.lanes_of_register();
            let count = self.program.pool.iter().position(|&constant| constant == count)?;
            self.plain(self.program.add(), [to, to], Place::Pool(count), None);
            self.code.every_other([to, lanes], mask, (stream, from));
        }
        Some(())
    }

    /// Writes to every other element of a stream, those at twice the numbers of the lanes; the last ones are scattered. Of all lanes
    /// each half is spread over a register, of which the mask has every other lane written.
    fn store_paired(&mut self, stream: usize, value: Value) -> Option<()> {
        if self.rest {
            self.scatter(stream, value)?;
        } else {
            let (from, between, &mask) = (self.number(value)?, self.between()?, self.free_masks.last()?);
            let to = (stream, self.program.word(stream));
            let wide = self.program.ty == Ty::F64;
            let spread = Instruction { map: 2, prefix: 1, wide, number: 0x88 };
            self.code.begin_every_other(mask, to);
            self.code.vector(spread, Lanes::Zeroing(mask), [between, 0], Place::Register(from), None);
            self.code.write_every_other(between, mask, 0);
            self.plain(UPPER_HALF, [from, 0], Place::Register(between), Some(1));
            self.code.vector(spread, Lanes::Zeroing(mask), [between, 0], Place::Register(between), None);
            self.code.write_every_other(between, mask, 1);
        }
        self.release(&[value]);
        Some(())
    }

    /// Writes the last elements to every other one of a stream.
    pub(super) fn scatter(&mut self, stream: usize, value: Value) -> Option<()> {
        let (from, between, &mask) = (self.number(value)?, self.between()?, self.free_masks.last()?);
        self.plain(self.moving(0x10), [between, 0], Place::Lanes, None);
        self.plain(self.program.add(), [between, between], Place::Register(between), None);
        self.code.all_lanes(mask, true);
        self.code.scatter([from, between], mask, (stream, self.program.word(stream)));
        Some(())
    }

    /// An instruction between bytes and elements: `vpmovzxb` or `vpmov…b`, by their prefix.
    fn of_bytes(&self, prefix: u8) -> Instruction {
        let number = if self.program.ty == Ty::F64 { 0x32 } else { 0x31 };
        Instruction { map: 2, prefix, wide: false, number }
    }

    /// `vpmovzxbq x, [bools]; vptestmq mask, x, x`
    fn load_mask(&mut self, stream: usize) -> Option<()> {
        let (one, from, to) = (self.between()?, self.stream(stream), self.give_mask()?);
        self.of_lanes(self.of_bytes(1), Lanes::Zeroing, one, from);
        let test = Instruction { map: 2, prefix: 1, wide: self.program.ty == Ty::F64, number: 0x27 };
        self.plain(test, [to, one], Place::Register(one), None);
        Some(())
    }

    /// `vbroadcastsd x {mask}{z}, [one]; vpmovqb x, x; vmovq [bools], x`
    fn store_mask(&mut self, stream: usize, value: Value) -> Option<()> {
        let (mask, one, to) = (self.mask(value)?, self.between()?, self.stream(stream));
        let pool = self.program.pool.iter().position(|&constant| constant == 1)?;
        self.code.vector(self.spreading(), Lanes::Zeroing(mask), [one, 0], Place::Pool(pool), None);
        self.store_narrow(self.of_bytes(2), one, to, 1)?;
        self.release(&[value]);
        Some(())
    }

    fn masked(&mut self, step: &Step) -> Option<()> {
        match *step {
            Step::Compare(instruction, x, y, how) => {
                let (by, from) = (self.number(x)?, self.place(y)?);
                self.release(&[x, y]);
                let to = self.give_mask()?;
                self.plain(instruction, [to, by], from, how);
            }
            Step::Blend(test, x, y) => {
                let (mask, from, by) = (self.mask(test)?, self.place(x)?, self.number(y)?);
                self.release(&[test, x, y]);
                let to = self.give()?;
                self.code.blend(self.program.ty == Ty::F64, mask, [to, by], from);
            }
            Step::MaskTwo(number, x, y) => {
                let (by, from) = (self.mask(x)?, self.mask(y)?);
                self.release(&[x, y]);
                let to = self.give_mask()?;
                self.code.mask(number, [to, by, from]);
            }
            Step::MaskNot(x) => {
                let from = self.mask(x)?;
                self.release(&[x]);
                let to = self.give_mask()?;
                self.code.mask_not(to, from);
            }
            Step::Leave(x) => {
                let mask = self.mask(x)?;
                self.release(&[x]);
                self.code.leave(mask);
            }
            Step::Kinds(x, kinds) => {
                let from = self.place(x)?;
                self.release(&[x]);
                let (to, instruction) = (self.give_mask()?, self.program.sized(3, 1, 0x66));
                self.plain(instruction, [to, 0], from, Some(kinds));
            }
            Step::Unusual(x) => {
                let mask = self.mask(x)?;
                self.release(&[x]);
                self.code.turn_aside(mask);
            }
            Step::Count | Step::Load(_) | Step::LoadPaired(_) => return None,
            Step::Store(..) | Step::StorePaired(..) => return None,
            Step::LoadRow(..) | Step::StoreRow(..) | Step::Join(..) => return None,
            Step::Spread(_) | Step::One(..) => return None,
            Step::Two(..) | Step::Fma(_) | Step::Three(..) | Step::Shift(..) => return None,
            Step::LoadMask(_) | Step::StoreMask(..) | Step::Halves(..) => return None,
            Step::Fms(_) | Step::Entry(..) | Step::Limited(..) => return None,
        }
        Some(())
    }

    /// The instruction, whose number is greater by `less` where it subtracts, writes over one of its operands: over one that nobody reads
    /// any more, or over a copy.
    fn fma(&mut self, [x, y, z]: [Value; 3], less: u8) -> Option<()> {
        let (x, y) = if self.dies(y) && !self.dies(x) { (y, x) } else { (x, y) };
        let (x, y) = if matches!(x, Value::Step(_)) { (x, y) } else { (y, x) };
        let [over_term, by_register, by_memory] =
            [0xb8, 0xa8, 0x98].map(|number| self.program.sized(2, 1, number + less));
        if self.dies(z) && ![x, y].contains(&z) {
            // z = x * y + z
            let (to, by, from) = (self.number(z)?, self.number(x)?, self.place(y)?);
            self.plain(over_term, [to, by], from, None);
            self.taken(z);
            self.release(&[x, y]);
            self.keep(to);
            return Some(());
        }
        // x = y * x + z, or x = x * y + z with y in memory
        let (over_factor, by, from) = match y {
            Value::Step(_) => (by_register, self.number(y)?, self.place(z)?),
            Value::Pool(_) | Value::Given(_) => (by_memory, self.number(z)?, self.place(y)?),
        };
        let factor = self.number(x)?;
        if self.dies(x) && ![y, z].contains(&x) {
            self.plain(over_factor, [factor, by], from, None);
            self.taken(x);
            self.release(&[y, z]);
            self.keep(factor);
            return Some(());
        }
        let to = self.give()?;
        self.plain(self.moving(0x28), [to, 0], Place::Register(factor), None);
        self.plain(over_factor, [to, by], from, None);
        self.release(&[x, y, z]);
        Some(())
    }
}
