//! Elements that lie beside each other and are both read, or both written, as the parts of complex numbers are: whole registers of
//! them move between memory and two registers, and no lane has to be masked.

use gw_base::Id;

use super::instruction::{Instruction, Order, Place};
use super::places::Turn;
use super::program::{Program, Step, Value};
use crate::jit::context::Emit;
use crate::loops::{Arm, Binary, Expr, Stmt, Ty, Var};

/// The first element of a stream that has every other one of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element {
    array: Var,
    /// The number of which twice is the index.
    twice: Var,
    /// Bytes from the start of the array to the element of the number zero.
    bytes: i64,
    ty: Ty,
}

impl Emit<'_> {
    /// The address of which this one is another with a constant number of bytes added, and that number.
    pub(in crate::jit) fn origin(&self, ptr: Var) -> (Var, i64) {
        self.origins.get(&ptr).copied().unwrap_or((ptr, 0))
    }

    /// The first element of a stream of a loop.
    pub(super) fn first_element(&self, body: &Arm, (ptr, index, ty): (Var, Var, Ty)) -> Option<Element> {
        let (array, start) = self.origin(ptr);
        let (twice, more) = self.twice(body, index)?;
        let bytes = more.checked_mul(ty.size() as i64)?.checked_add(start)?;
        Some(Element { array, twice, bytes, ty })
    }

    /// The number that is multiplied for an index, and what is added to the product.
    fn twice(&self, body: &Arm, index: Var) -> Option<(Var, i64)> {
        let Expr::Binary(binary, x, y) = defined(body, index)? else { return None };
        if *binary == Binary::Mul {
            return Some((*x, 0));
        }
        let (number, more) = self.twice(body, *x).filter(|_| *binary == Binary::Add)?;
        let known = match defined(body, *y) {
            Some(&Expr::Int(known)) => Some(known),
            Some(_) | None => self.known[y.index()],
        };
        Some((number, more.checked_add(known?)?))
    }
}

/// The expression of a variable of a loop's body.
fn defined(body: &Arm, var: Var) -> Option<&Expr> {
    body.block.iter().find_map(|stmt| {
        let Stmt::Let(defined, expr) = stmt else { return None };
        (*defined == var).then_some(expr)
    })
}

impl Program {
    /// The same with whole registers of the elements of two streams, of which each has those beside the other's.
    pub(super) fn with_pairs(mut self, first: impl Fn((Var, Var, Ty)) -> Option<Element>) -> Program {
        if !self.vectors.has_masks() {
            return self;
        }
        let elements: Vec<Option<Element>> = self.streams.iter().map(|&stream| first(stream)).collect();
        for (one, element) in elements.iter().enumerate() {
            let Some(element) = *element else { continue };
            let beside = Element { bytes: element.bytes.wrapping_add(element.ty.size() as i64), ..element };
            if let Some(other) = elements.iter().position(|element| *element == Some(beside)) {
                self.join([one, other]);
            }
        }
        self
    }

    /// Reads and writes both streams by whole registers, if nothing else is written in between, or read between two that are written.
    fn join(&mut self, streams: [usize; 2]) {
        let read = self.places(|step| streams.iter().any(|&stream| *step == Step::LoadPaired(stream)));
        let reads = streams.iter().all(|&stream| self.steps.contains(&Step::LoadPaired(stream)))
            && !self.between(&read).iter().any(Step::stores);
        let written = streams.map(|stream| {
            self.places(|step| matches!(step, Step::StorePaired(other, _) if *other == stream))
        });
        let writes = matches!(&written, [one, other] if one.len() == 1 && other.len() == 1)
            && written[0] < written[1]
            && !self.between(&written.concat()).iter().any(Step::moves);
        if reads || writes {
            Joined { streams, reads, writes, rows: None, first: None }.rewrite(self);
        }
    }

    fn places(&self, is_wanted: impl Fn(&Step) -> bool) -> Vec<usize> {
        (0..self.steps.len()).filter(|&at| is_wanted(&self.steps[at])).collect()
    }

    /// The steps behind the first of some and before the last.
    fn between(&self, places: &[usize]) -> &[Step] {
        match places {
            [first, .., last] => &self.steps[first + 1..*last],
            [] | [_] => &[],
        }
    }
}

/// Two streams that are read, or written, by whole registers.
struct Joined {
    streams: [usize; 2],
    reads: bool,
    writes: bool,
    /// The registers that are read.
    rows: Option<[Value; 2]>,
    /// The number that is to be written before another.
    first: Option<Value>,
}

impl Joined {
    fn rewrite(mut self, program: &mut Program) {
        let mut values: Vec<Value> = Vec::new();
        for step in std::mem::take(&mut program.steps) {
            let renamed = |value: Value| if let Value::Step(at) = value { values[at] } else { value };
            let value = self.step(program, step.map(renamed));
            values.push(value);
        }
        let renamed = |value: &mut Value| {
            if let Value::Step(at) = *value {
                *value = values[at];
            }
        };
        program.reduction.iter_mut().for_each(|reduction| renamed(&mut reduction.element));
        program.sums.iter_mut().for_each(|sum| renamed(&mut sum.element));
        program.named.iter_mut().for_each(|(_, value)| renamed(value));
    }

    /// Writes a step, or others in its place; gives the value.
    fn step(&mut self, program: &mut Program, step: Step) -> Value {
        let streams = self.streams;
        let which = |stream: usize| streams.iter().position(|&joined| joined == stream);
        if let Step::LoadPaired(stream) = step
            && let Some(which) = which(stream).filter(|_| self.reads)
        {
            let read = |row| program.push(Step::LoadRow(streams, row));
            let rows = *self.rows.get_or_insert_with(|| [0, 1].map(read));
            return program.push(Step::Join([Order::First, Order::Second][which], rows));
        }
        if let Step::StorePaired(stream, value) = step
            && let Some(which) = which(stream).filter(|_| self.writes)
        {
            return if which == 0 { *self.first.insert(value) } else { self.write(program, value) };
        }
        program.push(step)
    }

    fn write(&self, program: &mut Program, second: Value) -> Value {
        let values = [self.first.unwrap_or(second), second];
        let rows = [Order::Lower, Order::Upper].map(|order| program.push(Step::Join(order, values)));
        program.push(Step::StoreRow(self.streams, 0, rows[0]));
        program.push(Step::StoreRow(self.streams, 1, rows[1]))
    }
}

impl Step {
    /// True if it reads, joins or writes pairs by whole registers.
    pub(super) fn is_of_rows(&self) -> bool {
        matches!(self, Step::LoadRow(..) | Step::StoreRow(..) | Step::Join(..))
    }

    /// True if it reads or writes elements of a stream, or may end the loop.
    fn moves(&self) -> bool {
        let reads = matches!(
            self,
            Step::Load(_) | Step::LoadPaired(_) | Step::LoadMask(_) | Step::LoadRow(..) | Step::Leave(_)
        );
        reads || self.stores()
    }
}

/// In the last iteration, of lanes that are left, a row is the numbers of one of the streams, which are gathered and scattered.
impl Turn<'_> {
    pub(super) fn of_rows(&mut self, step: &Step) -> Option<()> {
        if let Step::LoadRow(streams, row) = *step {
            self.load_row(streams, row)
        } else if let Step::StoreRow(streams, row, value) = *step {
            self.store_row(streams, row, value)
        } else if let Step::Join(order, values) = *step {
            self.join(order, values)
        } else {
            None
        }
    }

    fn load_row(&mut self, streams: [usize; 2], row: usize) -> Option<()> {
        if self.rest {
            return self.load_paired(streams[row]);
        }
        let to = self.give()?;
        self.code.read_row(to, (streams[0], self.program.word(streams[0])), row as u8);
        Some(())
    }

    fn store_row(&mut self, streams: [usize; 2], row: usize, value: Value) -> Option<()> {
        if self.rest {
            self.scatter(streams[row], value)?;
        } else {
            let from = self.number(value)?;
            self.code.write_row(from, (streams[0], self.program.word(streams[0])), row as u8);
        }
        self.release(&[value]);
        Some(())
    }

    /// `vmovupd to, [order]; vpermi2pd to, x, y`
    fn join(&mut self, order: Order, values: [Value; 2]) -> Option<()> {
        let [x, y] = [self.number(values[0])?, self.number(values[1])?];
        let to = self.give()?;
        if self.rest {
            let from = if matches!(order, Order::First | Order::Lower) { x } else { y };
            self.plain(self.moving(0x28), [to, 0], Place::Register(from), None);
        } else {
            let join = Instruction { map: 2, prefix: 1, wide: self.program.ty == Ty::F64, number: 0x77 };
            self.plain(self.moving(0x10), [to, 0], Place::Order(order), None);
            self.plain(join, [to, x], Place::Register(y), None);
        }
        self.release(&values);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registers;
    use crate::jit::simd::random::run;
    use crate::jit::simd::registers;
    use crate::jit::simd::vectors::Vectors;

    /// Exchanges the numbers of pairs.
    fn exchange(vectors: &'static Vectors, ty: Ty) -> Program {
        let mut program = Program::new(vectors, ty);
        program.streams = (0..4).map(|at| (Var::new(at), Var::new(at), ty)).collect();
        let read = [program.paired(0), program.paired(1)];
        for (stream, value) in [(2, read[1]), (3, read[0])] {
            let store = program.store_paired(stream, value);
            program.push(store);
        }
        let first = |(ptr, _, ty): (Var, Var, Ty)| {
            let (array, number) = (Var::new(ptr.index() / 2), ptr.index() % 2);
            Some(Element { array, twice: Var::new(0), bytes: (number * ty.size()) as i64, ty })
        };
        program.with_pairs(first)
    }

    /// Runs the exchange of so many pairs, which begin so many bytes behind a line of the cache, as what is written does not.
    fn exchanged(program: &Program, count: usize, off_a_line: usize) {
        let (written, size) = (registers::code(program).expect("code"), program.ty.size());
        let mut read: Vec<u8> = (0..2 * count * size + 128).map(|i| (i * 7 % 251) as u8).collect();
        let from = read.as_ptr().align_offset(64) + off_a_line;
        let mut out = vec![0xa5; 2 * count * size + size];
        let starts = [read[from..].as_mut_ptr(), out.as_mut_ptr()].map(|start| start as usize);
        let words = starts.into_iter().flat_map(|start| [start, start + size]);
        let mut words: Vec<u8> = words.flat_map(usize::to_le_bytes).collect();
        words.resize(program.kept(0) + written.kept, 0);
        run(&written.bytes, &mut words, count);
        let pairs = read[from..from + 2 * count * size].chunks(2 * size);
        let wanted = pairs.flat_map(|pair| [&pair[size..], &pair[..size]].concat());
        let wanted: Vec<u8> = wanted.chain(vec![0xa5; size]).collect();
        assert_eq!(out, wanted, "{count} pairs of {:?}, {off_a_line} bytes behind a line", program.ty);
    }

    #[test]
    fn pairs_move_as_a_whole() {
        let Some(vectors) = Vectors::here(Registers::UpTo512).filter(|vectors| vectors.has_masks()) else {
            return;
        };
        for (ty, count) in [Ty::F32, Ty::F64].into_iter().flat_map(|ty| (1..70).map(move |count| (ty, count)))
        {
            let program = exchange(vectors, ty);
            let joined =
                |step: &Step| matches!(step, Step::LoadRow(..) | Step::StoreRow(..) | Step::Join(..));
            assert!(program.steps.len() == 8 && program.steps.iter().all(joined), "{:?}", program.steps);
            for off_a_line in [0, 8, 16, 48] {
                exchanged(&program, count, off_a_line);
            }
        }
    }
}
