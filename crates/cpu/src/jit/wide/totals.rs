//! What a loop in lanes takes together: one or two registers that every turn adds its elements to.

use super::code::{Code, Instruction, LEFT, Lanes, Place};
use super::program::Program;
use crate::loops::{Lanewise, Ty};

/// The registers of the totals, which no step gets, and two for what lies between.
const TOTALS: [u8; 2] = [31, 30];
const BETWEEN: u8 = 29;
const LOWER: u8 = 28;
/// The lanes that have met NaN, and those that meet it now.
const NANS: [u8; 2] = [6, 5];

/// The registers and the masks that the steps of a program may have.
pub(super) fn free(program: &Program) -> (Vec<u8>, Vec<u8>) {
    match program.together {
        None => ((0..32).rev().collect(), (1..LEFT).rev().collect()),
        Some(_) => ((0..LOWER).rev().collect(), (1..NANS[1]).rev().collect()),
    }
}

fn of_doubles(map: u8, number: u8) -> Instruction {
    Instruction { map, prefix: 1, wide: true, number }
}

fn of_elements(program: &Program, number: u8) -> Instruction {
    let wide = program.ty == Ty::F64;
    Instruction { map: 1, prefix: u8::from(wide), wide, number }
}

/// Every total begins as nothing.
pub(super) fn begin(program: &Program, code: &mut Code) {
    let Some(together) = program.together else { return };
    let wide = program.ty == Ty::F64;
    let spread = Instruction { map: 2, prefix: 1, wide, number: if wide { 0x19 } else { 0x18 } };
    for &total in &TOTALS[..program.totals()] {
        code.vector(spread, Lanes::All, [total, 0], Place::Pool(together.nothing), None);
    }
    if together.how != Lanewise::Sum {
        code.mask(0x47, [NANS[0]; 3]);
    }
}

/// Takes the elements of a turn, in the last one those that are left.
pub(super) fn add(program: &Program, code: &mut Code, element: u8, rest: bool) {
    match program.together.map(|together| together.how) {
        None => {}
        Some(Lanewise::Sum) => sum(program, code, element, rest),
        Some(Lanewise::Greatest) => extreme(program, code, element, rest, 0x5f),
        Some(Lanewise::Least) => extreme(program, code, element, rest, 0x5d),
    }
}

/// What is not left adds a zero, which changes no total: none is -0.
fn sum(program: &Program, code: &mut Code, element: u8, rest: bool) {
    let moving = of_elements(program, 0x28);
    let element = if rest {
        code.vector(moving, Lanes::Zeroing(LEFT), [BETWEEN, 0], Place::Register(element), None);
        BETWEEN
    } else {
        element
    };
    let add = of_doubles(1, 0x58);
    if program.ty == Ty::F64 {
        code.vector(add, Lanes::All, [TOTALS[0]; 2], Place::Register(element), None);
        return;
    }
    let widen = Instruction { map: 1, prefix: 0, wide: false, number: 0x5a };
    let (upper_half, lower, upper) = (of_doubles(3, 0x1b), LOWER, BETWEEN);
    code.vector(widen, Lanes::All, [lower, 0], Place::Register(element), None);
    code.vector(upper_half, Lanes::All, [element, 0], Place::Register(upper), Some(1));
    code.vector(add, Lanes::All, [TOTALS[0]; 2], Place::Register(lower), None);
    code.vector(widen, Lanes::All, [upper, 0], Place::Register(upper), None);
    code.vector(add, Lanes::All, [TOTALS[1]; 2], Place::Register(upper), None);
}

/// A total stays unless the element is better, by an instruction that keeps the second of two that do not compare so; which
/// lanes have met NaN is noted beside, so that a turn waits for one instruction of the turn before.
fn extreme(program: &Program, code: &mut Code, element: u8, rest: bool, better: u8) {
    let (total, lanes) = (TOTALS[0], if rest { Lanes::Merging(LEFT) } else { Lanes::All });
    let (compare, better) = (of_elements(program, 0xc2), of_elements(program, better));
    code.vector(compare, lanes, [NANS[1], element], Place::Register(element), Some(4));
    code.vector(better, lanes, [total, element], Place::Register(total), None);
    code.mask(0x45, [NANS[0], NANS[0], NANS[1]]);
}

/// Totals of lanes that have met NaN become such: all their bits are set.
fn settle(program: &Program, code: &mut Code) {
    let wide = program.ty == Ty::F64;
    let all_bits = Instruction { map: 3, prefix: 1, wide, number: 0x25 };
    let total = TOTALS[0];
    code.vector(all_bits, Lanes::Merging(NANS[0]), [total, total], Place::Register(total), Some(0xff));
}

/// Leaves the totals where the last words say.
pub(super) fn end(program: &Program, code: &mut Code) {
    if program.together.is_some_and(|together| together.how != Lanewise::Sum) {
        settle(program, code);
    }
    code.restart();
    let first = program.given.len() + program.streams.len();
    for (at, &total) in TOTALS[..program.totals()].iter().enumerate() {
        let to = code.pointed(first + at);
        code.vector(of_doubles(1, 0x11), Lanes::All, [total, 0], to, None);
    }
}
