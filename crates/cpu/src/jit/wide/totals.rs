//! What a loop in lanes takes together: one or two registers that every turn adds its elements to.

use super::code::{Code, Instruction, LEFT, Lanes, Place};
use super::program::Program;
use crate::loops::{Lanewise, Ty};

/// The registers of the totals, which no step gets, and two for what lies between.
const TOTALS: [u8; 2] = [31, 30];
const BETWEEN: u8 = 29;
const LOWER: u8 = 28;
const MASKS: [u8; 2] = [5, 6];

/// The registers and the masks that the steps of a program may have.
pub(super) fn free(program: &Program) -> (Vec<u8>, Vec<u8>) {
    match program.together {
        None => ((0..32).rev().collect(), (1..LEFT).rev().collect()),
        Some(_) => ((0..LOWER).rev().collect(), (1..MASKS[0]).rev().collect()),
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
}

/// Takes the elements of a turn, in the last one those that are left.
pub(super) fn add(program: &Program, code: &mut Code, element: u8, rest: bool) {
    match program.together.map(|together| together.how) {
        None => {}
        Some(Lanewise::Sum) => sum(program, code, element, rest),
        Some(Lanewise::Greatest) => extreme(program, code, element, rest, 0x1d),
        Some(Lanewise::Least) => extreme(program, code, element, rest, 0x12),
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

/// A total stays if it is better or NaN.
fn extreme(program: &Program, code: &mut Code, element: u8, rest: bool, better: u8) {
    let (total, compare) = (TOTALS[0], of_elements(program, 0xc2));
    code.vector(compare, Lanes::All, [MASKS[0], total], Place::Register(element), Some(better));
    code.vector(compare, Lanes::All, [MASKS[1], total], Place::Register(total), Some(4));
    code.mask(0x45, [MASKS[0], MASKS[0], MASKS[1]]);
    let wide = program.ty == Ty::F64;
    let blend = Instruction { map: 2, prefix: 1, wide, number: 0x65 };
    let to = if rest { BETWEEN } else { total };
    code.vector(blend, Lanes::Merging(MASKS[0]), [to, element], Place::Register(total), None);
    if rest {
        let moving = of_elements(program, 0x28);
        code.vector(moving, Lanes::Merging(LEFT), [total, 0], Place::Register(BETWEEN), None);
    }
}

/// Leaves the totals where the last words say.
pub(super) fn end(program: &Program, code: &mut Code) {
    code.restart();
    let first = program.given.len() + program.streams.len();
    for (at, &total) in TOTALS[..program.totals()].iter().enumerate() {
        let to = code.pointed(first + at);
        code.vector(of_doubles(1, 0x11), Lanes::All, [total, 0], to, None);
    }
}
