//! Random loops in lanes with more values than registers, which are run and compared with each step done for one element alone.

use gw_base::Id;
use gw_kernels::Steps;
use memmap2::MmapMut;

use super::integers::{LEFT, LEFT_LONG, RIGHT, RIGHT_LONG};
use super::program::{Program, Step, Value};
use super::registers;
use super::vectors::Vectors;
use crate::Registers;
use crate::loops::{Compare, Ty, Var};

/// The number of streams that are read, and of those that are written.
const READ: usize = 3;
const WRITTEN: usize = 6;
/// The number of given numbers.
const GIVEN: usize = 2;

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
}

/// A value with its bits for each element.
type Known = (Value, Vec<u64>);

struct Loop {
    program: Program,
    random: Random,
    count: usize,
    /// Numbers that are not too large to be computed with.
    floats: Vec<Known>,
    /// All values that are no masks.
    all: Vec<Known>,
    mask: Option<Known>,
}

impl Loop {
    fn is_long(&self) -> bool {
        self.program.ty == Ty::F64
    }

    /// The last bits, as many as an element has.
    fn cut(&self, bits: u64) -> u64 {
        if self.is_long() { bits } else { u64::from(bits as u32) }
    }

    fn signed(&self, bits: u64) -> i64 {
        if self.is_long() { bits as i64 } else { i64::from(bits as i32) }
    }

    fn real(&self, bits: u64) -> f64 {
        if self.is_long() { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) }
    }

    fn any(&mut self) -> Known {
        let at = self.random.below(self.all.len());
        self.all[at].clone()
    }

    fn number(&mut self) -> Known {
        let at = self.random.below(self.floats.len());
        self.floats[at].clone()
    }

    fn each(&self, bits: impl Fn(usize) -> u64) -> Vec<u64> {
        (0..self.count).map(|i| self.cut(bits(i))).collect()
    }

    fn float(&mut self, value: Value, bits: Vec<u64>) {
        if bits.iter().all(|&bits| self.real(bits).abs() < 1e9) {
            self.floats.push((value, bits.clone()));
            self.all.push((value, bits));
        }
    }

    /// `x * y + z`, the one of two that is less, or a choice.
    fn of_numbers(&mut self) {
        let [(x, a), (y, b), (z, c)] = [(); 3].map(|()| self.number());
        let long = self.is_long();
        let fused = |i: usize| match long {
            true => f64::from_bits(a[i]).mul_add(f64::from_bits(b[i]), f64::from_bits(c[i])).to_bits(),
            false => {
                let [x, y, z] = [a[i], b[i], c[i]].map(|bits| f32::from_bits(bits as u32));
                u64::from(x.mul_add(y, z).to_bits())
            }
        };
        let less = |i: usize| self.real(a[i]) < self.real(b[i]);
        let least = self.each(|i| if less(i) { a[i] } else { b[i] });
        let chosen = self.each(|i| if less(i) { c[i] } else { a[i] });
        let (which, fused, p) = (self.random.below(3), self.each(fused), &mut self.program);
        let (value, bits) = match which {
            0 => (Steps::<f32>::fma(p, x, y, z), fused),
            1 => (Steps::<f32>::least(p, x, y), least),
            _ => {
                let test = Steps::<f32>::below(p, x, y);
                (Steps::<f32>::select(p, test, z, x), chosen)
            }
        };
        self.float(value, bits);
    }

    fn of_bits(&mut self) {
        let ((x, a), (y, b)) = (self.any(), self.any());
        let by = self.random.below(30) as u8 + 1;
        let long = self.is_long();
        let (left, right) = if long { (LEFT_LONG, RIGHT_LONG) } else { (LEFT, RIGHT) };
        let (which, p) = (self.random.below(6), &mut self.program);
        let known = match which {
            0 => (p.product(x, y), self.each(|i| a[i].wrapping_mul(b[i]))),
            1 => (p.two(p.subtract(), x, y), self.each(|i| a[i].wrapping_sub(b[i]))),
            2 => (p.inverted(x), self.each(|i| !a[i])),
            3 => (p.without_sign(x), self.each(|i| self.signed(a[i]).wrapping_abs() as u64)),
            4 => (p.shifted(left, x, by), self.each(|i| a[i] << by)),
            _ if long => (p.shifted(right, x, by), self.each(|i| a[i] >> by)),
            _ => (p.shifted(right, x, by), self.each(|i| (self.signed(a[i]) >> by) as u64)),
        };
        self.all.push(known);
    }

    /// Any operation on the bits of three numbers.
    fn of_three(&mut self) {
        let [(x, a), (y, b), (z, c)] = [(); 3].map(|()| self.any());
        let table = self.random.below(256) as u8;
        let bit = |of: u64, at: usize| of >> at & 1;
        let of = |i: usize, at: usize| table >> (bit(a[i], at) << 2 | bit(b[i], at) << 1 | bit(c[i], at)) & 1;
        let bits = self.each(|i| (0..64).map(|at| u64::from(of(i, at)) << at).sum());
        let [x, y] = [x, y].map(|value| self.program.in_register(value));
        let value = self.program.push(Step::Three(table, [x, y, z]));
        self.all.push((value, bits));
    }

    /// A number cut to a narrow type and widened again.
    fn of_narrow(&mut self) {
        let (x, bits) = self.any();
        let narrow = self.narrow();
        let p = &mut self.program;
        let cut = p.moved(narrow.register(), narrow, x);
        let value = p.moved(narrow, narrow.register(), cut);
        self.all.push((value, self.each(|i| widened(narrow, bits[i]))));
    }

    /// A narrow type of numbers as wide as the lanes.
    fn narrow(&mut self) -> Ty {
        let short = [Ty::U8, Ty::I8, Ty::U16, Ty::I16][self.random.below(4)];
        if self.is_long() { Ty::U32 } else { short }
    }

    /// A mask, or a choice by the one that there is.
    fn of_masks(&mut self) {
        let ((x, a), (y, b)) = (self.any(), self.any());
        if let Some((test, holds)) = self.mask.take() {
            let bits = self.each(|i| if holds[i] == 1 { a[i] } else { b[i] });
            let value = self.program.blend(test, x, y);
            return self.all.push((value, bits));
        }
        let all = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];
        let compare = all[self.random.below(6)];
        let holds = self.each(|i| {
            let (x, y) = (self.signed(a[i]), self.signed(b[i]));
            u64::from(match compare {
                Compare::Eq => x == y,
                Compare::Ne => x != y,
                Compare::Lt | Compare::Below => x < y,
                Compare::Le => x <= y,
                Compare::Gt => x > y,
                Compare::Ge => x >= y,
            })
        });
        self.mask = Some((self.program.integers(compare, x, y), holds));
    }

    /// So many steps over what is read and given.
    fn new(vectors: &'static Vectors, ty: Ty, count: usize, steps: usize, seed: usize) -> Loop {
        let (program, random) = (Program::new(vectors, ty), Random(seed as u64));
        let mut made = Loop { program, random, count, floats: Vec::new(), all: Vec::new(), mask: None };
        let mut element = |at: usize| {
            let is_narrow = vectors.has_masks() && (at == READ - 1 || at == READ);
            if is_narrow { made.narrow() } else { ty }
        };
        let elements: Vec<Ty> = (0..READ + WRITTEN).map(&mut element).collect();
        made.program.streams =
            elements.iter().enumerate().map(|(at, &ty)| (Var::new(at), Var::new(at), ty)).collect();
        made.program.given = (0..GIVEN).map(Var::new).collect();
        for at in 0..READ + GIVEN {
            let paired = at == 0 && vectors.has_masks() && made.random.below(2) == 0;
            let value = match () {
                () if at >= READ => Value::Given(at - READ),
                () if paired => made.program.paired(at),
                () => made.program.push(Step::Load(at)),
            };
            if let Some(&element) = elements[..READ].get(at).filter(|&&element| element != ty) {
                let bits = (0..count).map(|_| made.random.below(1 << 31) as u64 * 0x1_0001);
                let bits: Vec<u64> = bits.map(|bits| widened(element, bits)).collect();
                let bits = made.each(|i| bits[i]);
                made.all.push((value, bits));
                continue;
            }
            let mut one = || (made.random.below(2001) as f64 - 1000.0) / 800.0;
            let numbers: Vec<f64> =
                if at < READ { (0..count).map(|_| one()).collect() } else { vec![one(); count] };
            let bits = |x: f64| if ty == Ty::F64 { x.to_bits() } else { u64::from((x as f32).to_bits()) };
            made.float(value, numbers.into_iter().map(bits).collect());
        }
        if vectors.has_masks() {
            let count = made.program.push(Step::Count);
            made.all.push((count, (0..made.count as u64).collect()));
        }
        for _ in 0..steps {
            match made.random.below(5) {
                0..2 => made.of_numbers(),
                2 if vectors.has_masks() => made.of_three(),
                2..4 if vectors.has_masks() && made.random.below(4) == 0 => made.of_narrow(),
                2..4 => made.of_bits(),
                _ => made.of_masks(),
            }
        }
        made
    }

    /// Runs it; `None` if it has no code.
    fn check(mut self, what: &str) -> Option<usize> {
        let inputs: Vec<Vec<u64>> = self.all[..READ + GIVEN].iter().map(|(_, bits)| bits.clone()).collect();
        let mut wanted = Vec::new();
        for stream in READ..READ + WRITTEN {
            let (value, bits) = self.any();
            let value = self.program.in_register(value);
            let paired = stream > READ && self.program.vectors.has_masks() && self.random.below(3) == 0;
            let step =
                if paired { self.program.store_paired(stream, value) } else { Step::Store(stream, value) };
            self.program.push(step);
            wanted.push(bits);
        }
        let (written, width) = (registers::code(&self.program)?, self.program.ty.size());
        let size = |stream: usize| self.program.element(stream).size();
        let bytes = |elements: &Vec<u64>, size: usize| -> Vec<u8> {
            elements.iter().flat_map(|bits| bits.to_le_bytes()[..size].to_vec()).collect()
        };
        let in_memory = |(at, bits): (usize, &Vec<u64>)| {
            let paired = self.program.steps.contains(&Step::LoadPaired(at));
            let pairs = |&bits: &u64| [bits, !bits].into_iter().take(1 + usize::from(paired));
            bytes(&bits.iter().flat_map(pairs).collect(), size(at))
        };
        let read = inputs[..READ].iter().enumerate().map(in_memory);
        let apart = |at: usize| {
            let is_paired = |step: &Step| matches!(*step, Step::StorePaired(stream, _) if stream == at);
            1 + usize::from(self.program.steps.iter().any(is_paired))
        };
        let written_to = (READ..READ + WRITTEN).map(|at| vec![0xa5; (apart(at) * self.count + 1) * size(at)]);
        let mut streams: Vec<Vec<u8>> = read.chain(written_to).collect();
        let mut words: Vec<u8> = Vec::new();
        for number in &inputs[READ..] {
            let number = bytes(number, width)[..width].to_vec();
            words.extend(number.repeat(self.program.vectors.given_bytes() / width));
        }
        words.extend(streams.iter_mut().flat_map(|stream| (stream.as_mut_ptr() as usize).to_le_bytes()));
        words.resize(self.program.kept(0) + written.kept, 0);
        run(&written.bytes, &mut words, self.count);
        for (at, wanted) in (READ..).zip(&wanted) {
            let (found, behind) = streams[at].split_at(apart(at) * self.count * size(at));
            let elements: Vec<&[u8]> = found.chunks(size(at)).collect();
            let found: Vec<u8> = elements.iter().step_by(apart(at)).copied().flatten().copied().collect();
            let between =
                elements.iter().skip(1).step_by(2).take(if apart(at) == 2 { self.count } else { 0 });
            let mut behind = between.copied().flatten().chain(behind);
            assert!(found == bytes(wanted, size(at)), "{what}: {:?}", self.program);
            assert!(behind.all(|&byte| byte == 0xa5), "{what} wrote beside its elements");
        }
        Some(written.kept)
    }
}

/// The lowest bits, as many as a narrow type has, as a number of its register.
fn widened(narrow: Ty, bits: u64) -> u64 {
    match narrow {
        Ty::U8 => u64::from(bits as u8),
        Ty::I8 => bits as i8 as u64,
        Ty::U16 => u64::from(bits as u16),
        Ty::I16 => bits as i16 as u64,
        Ty::U32 => u64::from(bits as u32),
        Ty::F32 | Ty::F64 | Ty::I32 | Ty::I64 | Ty::Bool | Ty::Ptr => bits,
    }
}

pub(super) fn run(code: &[u8], words: &mut [u8], count: usize) {
    let mut memory = MmapMut::map_anon(code.len()).expect("memory");
    memory.copy_from_slice(code);
    let memory = memory.make_exec().expect("memory for code");
    // SAFETY: the code is that of a loop, which is a function of the words that it is given and a count.
    unsafe {
        let function = std::mem::transmute::<*const u8, extern "C" fn(*mut u8, usize)>(memory.as_ptr());
        function(words.as_mut_ptr(), count);
    }
}

#[test]
fn random_loops_give_what_their_steps_give() {
    let (mut ran, mut kept) = (0, 0);
    for registers in [Registers::UpTo256, Registers::UpTo512] {
        let Some(vectors) = Vectors::here(registers) else { continue };
        for seed in 0..400 {
            for ty in [Ty::F32, Ty::F64] {
                let (count, steps) = (1 + seed % 37, 10 + seed % 90);
                let made = Loop::new(vectors, ty, count, steps, seed);
                if let Some(bytes) = made.check(&format!("{registers:?} {ty:?} {seed}")) {
                    ran += 1;
                    kept += usize::from(bytes > 0);
                }
            }
        }
    }
    assert!(Vectors::here(Registers::UpTo256).is_none() || ran > 600 && kept > 100, "{ran} {kept}");
}
