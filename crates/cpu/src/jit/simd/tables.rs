//! Entries of tables and limits of functions in lanes: a table of sixteen numbers fits one or two registers of 512 bits, whose instruction
//! also knows the kinds of numbers. Narrower registers gather entries from memory.

use gw_kernels::{Limit, Precision};

use super::instruction::{Instruction, Place};
use super::places::Turn;
use super::program::{Program, Step, Value};
use crate::loops::Ty;

/// Bytes of a register of 512 bits.
const WHOLE: usize = 64;
/// The last bits, which are the number of an entry.
const LAST: u64 = 15;

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

    pub(super) fn entry_of<R: Precision>(&mut self, table: &[R; 16], at: Value) -> Value {
        let width = self.ty.size();
        let bytes = table.iter().flat_map(|entry| entry.pattern().to_le_bytes().into_iter().take(width));
        let bytes: Vec<u8> = bytes.collect();
        let known = self.tables.chunks(bytes.len()).position(|known| *known == bytes);
        let begin = known.map_or(self.tables.len(), |known| known * bytes.len());
        if known.is_none() {
            self.tables.extend(bytes);
        }
        let at = if self.vectors.has_masks() {
            self.in_register(at)
        } else {
            let last = self.constant(LAST);
            self.commuting(self.sized(1, 1, 0xdb), at, last)
        };
        self.push(Step::Entry(begin, at))
    }

    pub(super) fn limited_by_kind(&mut self, limit: Limit, x: Value, found: Value) -> Value {
        let [x, found] = [x, found].map(|value| self.in_register(value));
        let kinds = self.constant(kinds(limit));
        self.push(Step::Limited([x, found], kinds))
    }
}

impl Turn<'_> {
    /// `vpermps to, at, [table]`, or `vmovupd to, [table]; vpermt2pd to, at, [table + 64]`, or a gather.
    pub(super) fn entry(&mut self, table: usize, at: Value) -> Option<()> {
        let (at_in, to) = (self.number(at)?, self.give()?);
        if !self.program.vectors.has_masks() {
            let mask = self.between().filter(|&mask| mask != to)?;
            self.code.gather_entries(table, [to, at_in, mask]);
        } else if self.program.ty == Ty::F64 {
            self.plain(self.moving(0x10), [to, 0], Place::Table(table), None);
            let permute = Instruction { map: 2, prefix: 1, wide: true, number: 0x7f };
            self.plain(permute, [to, at_in], Place::Table(table + WHOLE), None);
        } else {
            let permute = Instruction { map: 2, prefix: 1, wide: false, number: 0x16 };
            self.plain(permute, [to, at_in], Place::Table(table), None);
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
