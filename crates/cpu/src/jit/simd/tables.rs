//! Entries of tables and limits of functions in lanes: a table of sixteen numbers fits one or two registers of 512 bits, whose instruction
//! also knows the kinds of numbers. Narrower registers gather entries from memory.

use gw_kernels::{Limit, Precision};

use super::instruction::{Instruction, Lanes, Place};
use super::places::Turn;
use super::program::{Program, Step, Value};
use crate::loops::Ty;

/// Bytes of a register of 512 bits.
const WHOLE: usize = 64;
/// The bit of the numbers of entries that two registers do not hold.
const SIXTEEN: u64 = 16;

/// The rule as the instruction reads it: for each kind of number four bits that say what it gives. From the lowest on the kinds are NaN
/// that is quiet, NaN that signals, 0, 1, -∞, ∞, negative and positive numbers; 0 keeps what was found, 1 gives the number itself, 2 the number
/// quiet, 3 none, 4 -∞, 5 ∞, and 10 one.
fn kinds(limit: Limit) -> u64 {
    match limit {
        Limit::Logarithm => 0x0353_0421,
        Limit::LogarithmOfSize => 0x0355_0421,
        Limit::OneAtZero => 0xa00,
        Limit::OneAtOne => 0xa000,
    }
}

impl Program {
    /// The operands of a fused instruction: at most one factor or the term may be in memory, the first factor never.
    pub(super) fn fused(&mut self, x: Value, y: Value, z: Value) -> [Value; 3] {
        let swap = !matches!(x, Value::Step(_));
        let (x, y) = if swap { (y, x) } else { (x, y) };
        let x = self.in_register(x);
        let y = if matches!(z, Value::Step(_)) { y } else { self.in_register(y) };
        [x, y, z]
    }

    pub(super) fn entry_of<R: Precision>(&mut self, table: &[R], at: Value) -> Value {
        let begin = self.table(table);
        let last = table.len() as u64 - 1;
        if !self.vectors.has_masks() {
            let last = self.constant(last);
            let at = self.commuting(self.sized(1, 1, 0xdb), at, last);
            return self.push(Step::Entry(begin, at, None));
        }
        let at = self.in_register(at);
        let beyond = (table.len() * self.ty.size() > 2 * WHOLE).then(|| self.has_bit(at, SIXTEEN));
        self.push(Step::Entry(begin, at, beyond))
    }

    /// The first byte of a table behind the code.
    fn table<R: Precision>(&mut self, table: &[R]) -> usize {
        let width = self.ty.size();
        let bytes = table.iter().flat_map(|entry| entry.pattern().to_le_bytes().into_iter().take(width));
        let bytes: Vec<u8> = bytes.collect();
        let known = (0..self.tables.len()).step_by(WHOLE).find(|&at| self.tables[at..].starts_with(&bytes));
        known.unwrap_or_else(|| {
            self.tables.extend(bytes);
            self.tables.len() - table.len() * width
        })
    }

    /// The mask of the integers that have this bit; it is made once.
    fn has_bit(&mut self, x: Value, bit: u64) -> Value {
        let bit = self.constant(bit);
        let test = Step::Compare(self.sized(2, 1, 0x27), x, bit, None);
        let known = self.steps.iter().position(|step| *step == test).map(Value::Step);
        known.unwrap_or_else(|| self.push(test))
    }

    pub(super) fn limited_by_kind(&mut self, limit: Limit, x: Value, found: Value) -> Value {
        let [x, found] = [x, found].map(|value| self.in_register(value));
        let kinds = self.constant(kinds(limit));
        self.push(Step::Limited([x, found], kinds))
    }
}

impl Turn<'_> {
    /// `vpermps to, at, [table]`; `vmovupd to, [table]; vpermt2pd to, at, [table + 64]` of what fills two registers, behind it `vpermpd to {mask}, at,
    /// [table + 128]` for the entries from the sixteenth on; or a gather.
    pub(super) fn entry(&mut self, table: usize, at: Value, beyond: Option<Value>) -> Option<()> {
        let (at_in, to) = (self.number(at)?, self.give()?);
        let wide = self.program.ty == Ty::F64;
        let permute = Instruction { map: 2, prefix: 1, wide, number: 0x16 };
        if !self.program.vectors.has_masks() {
            let mask = self.between().filter(|&mask| mask != to)?;
            self.code.gather_entries(table, [to, at_in, mask]);
        } else if wide {
            let of_two = Instruction { number: 0x7f, ..permute };
            self.plain(self.moving(0x10), [to, 0], Place::Table(table), None);
            self.plain(of_two, [to, at_in], Place::Table(table + WHOLE), None);
        } else {
            self.plain(permute, [to, at_in], Place::Table(table), None);
        }
        if let Some(beyond) = beyond {
            let mask = self.mask(beyond)?;
            self.code.vector(
                permute,
                Lanes::Merging(mask),
                [to, at_in],
                Place::Table(table + 2 * WHOLE),
                None,
            );
            self.release(&[beyond]);
        }
        self.release(&[at]);
        Some(())
    }

    /// `vfixupimmps found, x, [kinds]`, over a value that nobody reads any more, or over a copy.
    pub(super) fn limited(&mut self, [x, found]: [Value; 2], kinds: Value) -> Option<()> {
        let (by, over, table) = (self.number(x)?, self.number(found)?, self.place(kinds)?);
        let limit = self.program.sized(3, 1, 0x54);
        if self.dies(found) && x != found {
            self.plain(limit, [over, by], table, Some(0));
            self.taken(found);
            self.release(&[x]);
            self.keep(over);
        } else {
            let to = self.give()?;
            self.plain(self.moving(0x28), [to, 0], Place::Register(over), None);
            self.plain(limit, [to, by], table, Some(0));
            self.release(&[x, found]);
        }
        Some(())
    }
}
