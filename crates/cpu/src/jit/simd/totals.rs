//! Reductions in SIMD registers: the totals that every iteration adds its elements to.

use super::code::{Code, LEFT, PINNED};
use super::instruction::{Instruction, Lanes, Place};
use super::program::{Program, Value, place_in};
use super::vectors::{Encoding, Vectors};
use crate::jit::lanes::{self, Kind};
use crate::jit::sums::{Sums, Taken};
use crate::loops::{Arm, Func, Lanewise, Ty, Var};

/// So many of the last registers belong to the totals, and no step gets one.
const RESERVED: u8 = 4;
/// The lanes that have met NaN, and those that meet it now, where masks have registers of their own.
const NANS: [u8; 2] = [6, 5];

/// The reduction of a loop.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduction {
    pub(super) how: Lanewise,
    pub(super) element: Value,
    /// The place in the pool of the total of no elements.
    pub(super) identity: usize,
}

/// Integers that are taken together.
#[derive(Debug)]
pub(super) struct Sum {
    pub(super) together: Instruction,
    pub(super) element: Value,
    /// The place in the pool of the total of no elements.
    pub(super) identity: usize,
    /// True if the totals are of 64 bits, and the elements of 32.
    pub(super) widens: bool,
}

impl Program {
    /// A loop that takes the elements together that its body gives.
    pub(super) fn reducing(
        vectors: &'static Vectors,
        func: &Func,
        lanes: &lanes::Lanes,
        (iv, body): (Var, &Arm),
        how: Lanewise,
    ) -> Option<Program> {
        let [element] = body.results[..] else { return None };
        let mut program = Self::of(vectors, func, lanes, iv, body)?;
        if lanes.kind(element) != Kind::Varying {
            return None;
        }
        let identity = how.identity();
        let bits =
            if program.ty == Ty::F64 { identity.to_bits() } else { u64::from((identity as f32).to_bits()) };
        let (element, identity) = (program.operand(element), place_in(&mut program.pool, bits));
        program.reduction = Some(Reduction { how, element, identity });
        Some(program)
    }

    /// A loop that takes integers together.
    pub(super) fn summing(
        vectors: &'static Vectors,
        func: &Func,
        lanes: &lanes::Lanes,
        iv: Var,
        sums: &Sums,
    ) -> Option<Program> {
        let mut program = Self::of(vectors, func, lanes, iv, &sums.body).filter(|_| vectors.has_masks())?;
        for &Taken { how, element, widens } in &sums.taken {
            let varies = matches!(lanes.kind(element), Kind::Varying | Kind::Linear);
            if !varies || func.vars[element].size() != program.ty.size() {
                return None;
            }
            let element = program.operand(element);
            let element = program.in_register(element);
            let (together, identity) = program.together(how, widens)?;
            let identity = place_in(&mut program.pool, identity);
            program.sums.push(Sum { together, element, identity, widens });
        }
        Some(program)
    }
}

/// The registers and the masks that the steps of a program may have.
pub(super) fn free(program: &Program) -> (Vec<u8>, Vec<u8>) {
    let count = program.vectors.count;
    match program.reduction {
        None => {
            let taken = if program.sums.is_empty() { 0 } else { RESERVED };
            ((0..count - taken).rev().collect(), (1..LEFT).rev().collect())
        }
        Some(_) => ((0..count - RESERVED).rev().collect(), (1..NANS[1]).rev().collect()),
    }
}

/// The register of a total.
fn total(program: &Program, number: usize) -> u8 {
    program.vectors.count - 1 - number as u8
}

/// The register with the lanes that have met NaN, where masks fill registers.
fn nans(program: &Program, part: usize) -> u8 {
    total(program, program.totals() + part)
}

fn of_doubles(map: u8, number: u8) -> Instruction {
    Instruction { map, prefix: 1, wide: true, number }
}

fn of_elements(program: &Program, number: u8) -> Instruction {
    let wide = program.ty == Ty::F64;
    Instruction { map: 1, prefix: u8::from(wide), wide, number }
}

/// `by ^ from`
fn differ(program: &Program) -> Instruction {
    Instruction { map: 1, prefix: 1, wide: program.ty == Ty::F64, number: 0xef }
}

/// The instruction that brings a constant into each lane, of 64 bits if these are `wide`.
fn spread(program: &Program, wide: bool) -> Instruction {
    match program.vectors.encoding {
        Encoding::Vex => of_elements(program, 0x10),
        Encoding::Evex => Instruction { map: 2, prefix: 1, wide, number: if wide { 0x19 } else { 0x18 } },
    }
}

/// Every total begins as the identity.
pub(super) fn begin(program: &Program, code: &mut Code) {
    for (number, sum) in program.sums.iter().enumerate() {
        let (spread, identity) = (spread(program, sum.together.wide), Place::Pool(sum.identity));
        code.vector(spread, Lanes::All, [total(program, number), 0], identity, None);
    }
    let Some(reduction) = program.reduction else { return };
    let spread = spread(program, program.ty == Ty::F64);
    for number in 0..program.totals() {
        let identity = Place::Pool(reduction.identity);
        code.vector(spread, Lanes::All, [total(program, number), 0], identity, None);
    }
    match (reduction.how, program.vectors.encoding) {
        (Lanewise::Sum, _) => {}
        (Lanewise::Greatest | Lanewise::Least, Encoding::Evex) => code.mask(0x47, [NANS[0]; 3]),
        (Lanewise::Greatest | Lanewise::Least, Encoding::Vex) => {
            for none in (0..program.turn()).map(|part| nans(program, part)) {
                code.vector(differ(program), Lanes::All, [none; 2], Place::Register(none), None);
            }
        }
    }
}

/// Elements so many bytes ahead are prefetched.
const AHEAD: u32 = 2048;

/// Prefetches elements of later iterations: a reduction does little else than wait for them, and the processor by itself looks no further
/// than to the end of a page.
pub(super) fn prefetch(program: &Program, code: &mut Code) {
    let pinned = program.streams.len().min(PINNED.len());
    let whole = (0..pinned).filter(|&stream| program.element(stream) == program.ty);
    if program.reduction.is_some() {
        whole.for_each(|stream| code.prefetch(stream, AHEAD));
    }
}

/// One of the registers of elements that an iteration takes.
pub(super) struct Part<'a> {
    pub(super) program: &'a Program,
    pub(super) code: &'a mut Code,
    /// Index of the part.
    pub(super) part: usize,
    /// Registers for what lies between.
    pub(super) between: [u8; 2],
}

impl Part<'_> {
    /// Takes the elements, in the last iteration those that are left.
    pub(super) fn add(&mut self, element: u8, rest: bool) {
        match self.program.reduction.map(|reduction| reduction.how) {
            None => {}
            Some(Lanewise::Sum) => self.sum(element, rest),
            Some(Lanewise::Greatest) => self.extreme(element, rest, 0x5f),
            Some(Lanewise::Least) => self.extreme(element, rest, 0x5d),
        }
    }

    /// Takes integers, in the last iteration those that are left.
    pub(super) fn take(&mut self, sum: &Sum, element: u8, rest: bool) {
        let total = total(self.program, self.part);
        if !sum.widens {
            let lanes = if rest { Lanes::Merging(LEFT) } else { Lanes::All };
            return self.code.vector(sum.together, lanes, [total; 2], Place::Register(element), None);
        }
        let [half, left] = self.between;
        let element = if rest {
            self.left(left, element);
            left
        } else {
            element
        };
        // vpmovsxdq, vextracti64x4
        let (widen, upper) = (Instruction { wide: false, ..of_doubles(2, 0x25) }, of_doubles(3, 0x3b));
        self.plain(widen, [half, 0], Place::Register(element));
        self.plain(sum.together, [total; 2], Place::Register(half));
        self.code.vector(upper, Lanes::All, [element, 0], Place::Register(half), Some(1));
        self.plain(widen, [half, 0], Place::Register(half));
        self.plain(sum.together, [total; 2], Place::Register(half));
    }

    fn plain(&mut self, instruction: Instruction, registers: [u8; 2], from: Place) {
        self.code.vector(instruction, Lanes::All, registers, from, None);
    }

    /// Clears the lanes behind the last element.
    fn left(&mut self, to: u8, element: u8) {
        match self.program.vectors.encoding {
            Encoding::Vex => self.plain(of_elements(self.program, 0x54), [to, element], Place::Left),
            Encoding::Evex => {
                let (moving, from) = (of_elements(self.program, 0x28), Place::Register(element));
                self.code.vector(moving, Lanes::Zeroing(LEFT), [to, 0], from, None);
            }
        }
    }

    /// The lanes behind the last element add a zero, which changes no total: none is -0.
    fn sum(&mut self, element: u8, rest: bool) {
        let (program, [lower, upper]) = (self.program, self.between);
        let add = of_doubles(1, 0x58);
        let element = if rest {
            self.left(upper, element);
            upper
        } else {
            element
        };
        if program.ty == Ty::F64 {
            let total = total(program, self.part);
            return self.plain(add, [total; 2], Place::Register(element));
        }
        let [first, second] = [0, 1].map(|half| total(program, 2 * self.part + half));
        let widen = Instruction { map: 1, prefix: 0, wide: false, number: 0x5a };
        let upper_half = match program.vectors.encoding {
            Encoding::Vex => Instruction { map: 3, prefix: 1, wide: false, number: 0x19 },
            Encoding::Evex => of_doubles(3, 0x1b),
        };
        self.plain(widen, [lower, 0], Place::Register(element));
        self.code.vector(upper_half, Lanes::All, [element, 0], Place::Register(upper), Some(1));
        self.plain(add, [first; 2], Place::Register(lower));
        self.plain(widen, [upper, 0], Place::Register(upper));
        self.plain(add, [second; 2], Place::Register(upper));
    }

    /// A total stays unless the element is better, by an instruction that keeps the second of two that do not compare so; which
    /// lanes have met NaN is noted beside, so that an iteration waits for one instruction of the iteration before.
    fn extreme(&mut self, element: u8, rest: bool, better: u8) {
        let (program, total) = (self.program, total(self.program, self.part));
        let (compare, better) = (of_elements(program, 0xc2), of_elements(program, better));
        match program.vectors.encoding {
            Encoding::Evex => {
                let lanes = if rest { Lanes::Merging(LEFT) } else { Lanes::All };
                let (element_in, total_in) = (Place::Register(element), Place::Register(total));
                self.code.vector(compare, lanes, [NANS[1], element], element_in, Some(4));
                self.code.vector(better, lanes, [total, element], total_in, None);
                self.code.mask(0x45, [NANS[0], NANS[0], NANS[1]]);
            }
            Encoding::Vex => {
                let ([found, left], nans) = (self.between, nans(program, self.part));
                let element_in = Place::Register(element);
                self.code.vector(compare, Lanes::All, [found, element], element_in, Some(4));
                if rest {
                    self.left(found, found);
                }
                self.plain(of_elements(program, 0x56), [nans; 2], Place::Register(found));
                if !rest {
                    return self.plain(better, [total, element], Place::Register(total));
                }
                self.plain(better, [found, element], Place::Register(total));
                self.plain(of_elements(program, 0x10), [left, 0], Place::Left);
                self.code.blend(program.ty == Ty::F64, left, [total; 2], Place::Register(found));
            }
        }
    }
}

/// Totals of lanes that have met NaN become such: all their bits are set.
fn settle(program: &Program, code: &mut Code) {
    match program.vectors.encoding {
        Encoding::Evex => {
            let wide = program.ty == Ty::F64;
            let all_bits = Instruction { map: 3, prefix: 1, wide, number: 0x25 };
            let total = total(program, 0);
            let lanes = Lanes::Merging(NANS[0]);
            code.vector(all_bits, lanes, [total, total], Place::Register(total), Some(0xff));
        }
        Encoding::Vex => {
            for part in 0..program.turn() {
                let (total, nans) = (total(program, part), Place::Register(nans(program, part)));
                code.vector(of_elements(program, 0x56), Lanes::All, [total; 2], nans, None);
            }
        }
    }
}

/// Leaves the totals where the last words say.
pub(super) fn end(program: &Program, code: &mut Code) {
    if program.reduction.is_some_and(|reduction| reduction.how != Lanewise::Sum) {
        settle(program, code);
    }
    code.restart();
    for number in 0..program.totals() {
        let to = code.pointed(program.word(program.streams.len() + number));
        code.vector(of_doubles(1, 0x11), Lanes::All, [total(program, number), 0], to, None);
    }
}
