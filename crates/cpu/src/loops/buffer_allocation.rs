//! Buffer allocation: slots whose values are never needed at the same time become one, so that a function has as much memory as
//! it needs at once.
//!
//! A slot is *needed* from where its address is first read to where something that is made of this address is read last. A loop
//! that reads older contents needs the slot to its end, and what it carries from one iteration to the next it needs all the time.
//! An address that is written to memory, or that the function gives, is needed to the function's end.

use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::{Arm, Block, Carry, Expr, Field, Func, Share, Stmt, Ty, Var};

/// Makes few slots of a function's many. `base` is where they begin, if not where the context says; of each size 0 says
/// that it grows.
pub(crate) fn allocate_buffers(func: &mut Func, base: Option<Var>, sizes: &mut Vec<usize>) {
    let mut survey = Survey {
        vars: &func.vars,
        bases: base.into_iter().collect(),
        words: FxHashMap::default(),
        named: FxHashMap::default(),
        of: FxHashMap::default(),
        needs: vec![None; sizes.len()],
        now: 0,
        loops: Vec::new(),
        left: Vec::new(),
    };
    survey.block(&func.body);
    let given = survey.all(&func.results);
    survey.escape(&given);
    let (places, merged) = places(&survey.needs, sizes);
    let words = survey.named.iter().map(|(&word, &slot)| (word, 2 * places[slot] as i64)).collect();
    rename(&mut func.body, &words);
    *sizes = merged;
}

/// While a slot is needed.
#[derive(Debug, Clone, Copy)]
struct Need {
    first: usize,
    last: usize,
}

impl Need {
    const END: usize = usize::MAX;
}

/// A loop around.
struct Loop {
    start: usize,
    /// The slots that it reads.
    reads: Vec<usize>,
}

struct Survey<'f> {
    vars: &'f gw_base::Table<Var, Ty>,
    /// Addresses of the first slot.
    bases: FxHashSet<Var>,
    /// Integers that are known.
    words: FxHashMap<Var, i64>,
    /// The integers that say which slot.
    named: FxHashMap<Var, usize>,
    /// The slots that an address is made of.
    of: FxHashMap<Var, Vec<usize>>,
    needs: Vec<Option<Need>>,
    /// The number of statements so far.
    now: usize,
    loops: Vec<Loop>,
    /// The variables that leave the `try`s around.
    left: Vec<Vec<usize>>,
}

impl Survey<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in block {
            self.now += 1;
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(var, expr) => self.define(*var, expr),
            Stmt::Store { ptr, value, index } => {
                self.all(&[*ptr, *index]);
                let written = self.all(&[*value]);
                self.escape(&written);
            }
            Stmt::Do(_, args) | Stmt::Guard { words: args, .. } => drop(self.all(args)),
            Stmt::Invoke { args, outs, .. } => {
                let taken = self.all(args);
                outs.iter().for_each(|&out| self.made(out, &taken));
            }
            Stmt::If { then, otherwise, outs, .. } => {
                let mut given = self.arm(then);
                given.extend(self.arm(otherwise));
                outs.iter().for_each(|&out| self.made(out, &given));
            }
            Stmt::Try { body, outs } => {
                self.left.push(Vec::new());
                let mut given = self.arm(body);
                given.extend(self.left.pop().unwrap_or_default());
                outs.iter().for_each(|&out| self.made(out, &given));
            }
            Stmt::Leave { given, .. } => {
                let given = self.all(given);
                self.left.iter_mut().for_each(|left| left.extend(&given));
            }
            Stmt::For { carries, body, .. } => self.repeated(carries, &[body]),
            Stmt::While { carries, test, body } => self.repeated(carries, &[test, body]),
            Stmt::Reduce { body, .. } => self.repeated(&[], &[body]),
            Stmt::Share(share) => self.shared(share),
            Stmt::Mark(_) => {}
        }
    }

    fn define(&mut self, var: Var, expr: &Expr) {
        if let Expr::Int(value) = expr {
            self.words.insert(var, *value);
        } else if *expr == Expr::Field(Field::Slots) {
            self.bases.insert(var);
        } else if let Some((word, slot)) = self.slot_of(expr) {
            self.named.insert(word, slot);
            self.of.insert(var, vec![slot]);
        } else {
            let read = self.all(&expr.operands());
            self.made(var, &read);
        }
    }

    /// The slot that an expression is the address of, and the integer that says so.
    fn slot_of(&self, expr: &Expr) -> Option<(Var, usize)> {
        let &Expr::Offset(base, word, Ty::Ptr) = expr else { return None };
        let number = self.words.get(&word).filter(|_| self.bases.contains(&base))?;
        Some((word, *number as usize / 2))
    }

    /// The slots that these are made of, which are needed here.
    fn all(&mut self, vars: &[Var]) -> Vec<usize> {
        let mut slots: Vec<usize> =
            vars.iter().filter_map(|var| self.of.get(var)).flatten().copied().collect();
        // The values of a loop depend on all of its carries: without this, work would be cubic in their
        // number.
        slots.sort_unstable();
        slots.dedup();
        for &slot in &slots {
            let need = self.needs[slot].get_or_insert(Need { first: self.now, last: self.now });
            need.last = need.last.max(self.now);
        }
        if let Some(around) = self.loops.last_mut() {
            around.reads.extend(&slots);
        }
        slots
    }

    /// Something is made of slots; only an address leads back to them.
    fn made(&mut self, var: Var, slots: &[usize]) {
        if self.vars[var] == Ty::Ptr && !slots.is_empty() {
            let mut slots = slots.to_vec();
            slots.sort_unstable();
            slots.dedup();
            self.of.insert(var, slots);
        }
    }

    /// Addresses are where nobody sees who reads them.
    fn escape(&mut self, slots: &[usize]) {
        let from = self.loops.first().map_or(self.now, |outermost| outermost.start);
        for &slot in slots {
            let first = self.needs[slot].map_or(from, |need| need.first.min(from));
            self.needs[slot] = Some(Need { first, last: Need::END });
        }
    }

    fn arm(&mut self, arm: &Arm) -> Vec<usize> {
        self.block(&arm.block);
        self.now += 1;
        self.all(&arm.results)
    }

    fn repeated(&mut self, carries: &[Carry], arms: &[&Arm]) {
        let inits: Vec<Var> = carries.iter().map(|carry| carry.init).collect();
        let mut carried = self.all(&inits);
        carries.iter().for_each(|carry| self.made(carry.param, &carried));
        self.loops.push(Loop { start: self.now, reads: Vec::new() });
        for arm in arms {
            carried.extend(self.arm(arm));
        }
        carried.sort_unstable();
        carried.dedup();
        self.end_loop(&carried);
        carries.iter().for_each(|carry| self.made(carry.out, &carried));
    }

    fn shared(&mut self, share: &Share) {
        if let Some(own) = share.own {
            let here = self.all(&[own.here]);
            self.made(own.start, &here);
        }
        self.loops.push(Loop { start: self.now, reads: Vec::new() });
        self.block(&share.body);
        self.end_loop(&[]);
    }

    fn end_loop(&mut self, carried: &[usize]) {
        self.now += 1;
        let Some(ended) = self.loops.pop() else { return };
        for &slot in carried {
            self.needs[slot].iter_mut().for_each(|need| need.first = need.first.min(ended.start));
        }
        for &slot in carried.iter().chain(&ended.reads) {
            let before = |need: &&mut Need| need.first <= ended.start;
            self.needs[slot].iter_mut().filter(before).for_each(|need| need.last = need.last.max(self.now));
        }
        if let Some(around) = self.loops.last_mut() {
            around.reads.extend(ended.reads);
        }
    }
}

/// The place of each slot among fewer, and the sizes of these. What leaves the function has a place of just its size, which nothing
/// needs after it; others have one that is as large at least, and what grows one that grows.
fn places(needs: &[Option<Need>], sizes: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<(usize, Need)> =
        needs.iter().enumerate().filter_map(|(slot, need)| need.map(|need| (slot, need))).collect();
    order.sort_by_key(|(_, need)| need.first);
    let (mut places, mut merged) = (vec![0; sizes.len()], Vec::new());
    let mut busy: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::new();
    let mut free: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (slot, need) in order {
        while let Some(&Reverse((last, place))) = busy.peek()
            && last < need.first
        {
            busy.pop();
            free.entry(merged[place]).or_default().push(place);
        }
        let size = sizes[slot];
        let leaves = need.last == Need::END;
        let found = match size {
            0 if leaves => None,
            0 => free.get_mut(&0),
            size if leaves => free.get_mut(&size),
            size => free.range_mut(size..).map(|(_, places)| places).find(|places| !places.is_empty()),
        };
        let place = found.and_then(Vec::pop).unwrap_or_else(|| {
            merged.push(size);
            merged.len() - 1
        });
        places[slot] = place;
        busy.push(Reverse((need.last, place)));
    }
    (places, merged)
}

/// Gives integers other values.
fn rename(block: &mut Block, words: &FxHashMap<Var, i64>) {
    for stmt in block {
        if let Stmt::Let(var, Expr::Int(value)) = stmt
            && let Some(&other) = words.get(var)
        {
            *value = other;
        }
        stmt.blocks_mut().into_iter().for_each(|inner| rename(inner, words));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Build, Callee};
    use super::*;

    /// Start address of a slot, as the lowering says it.
    fn slot(b: &mut Build, number: i64) -> Var {
        let (slots, word, zero) = (b.field(Field::Slots), b.slot_word(2 * number), b.word(0));
        let address = b.let_(Ty::Ptr, Expr::Offset(slots, word, Ty::Ptr));
        b.load(Ty::Ptr, address, zero)
    }

    fn copy(b: &mut Build, to: Var, from: Var) {
        let bytes = b.word(8);
        b.push(Stmt::Do(Callee::Copy, vec![to, from, bytes]));
    }

    fn merged(b: Build, mut sizes: Vec<usize>) -> Vec<usize> {
        let mut func = b.finish("f");
        allocate_buffers(&mut func, None, &mut sizes);
        assert_eq!(super::super::verify(&func), Ok(()));
        sizes
    }

    #[test]
    fn each_copy_goes_where_the_one_before_the_last_was() {
        let mut b = Build::new();
        let mut last = slot(&mut b, 0);
        for number in 1..6 {
            let next = slot(&mut b, number);
            copy(&mut b, next, last);
            last = next;
        }
        assert_eq!(merged(b, vec![100, 80, 60, 80, 100, 60]), [100, 80]);
    }

    #[test]
    fn what_leaves_is_nobody_elses_after_it_and_has_its_own_size() {
        let mut b = Build::new();
        let [first, second] = [0, 1].map(|number| slot(&mut b, number));
        copy(&mut b, second, first);
        let (outs, zero, one) = (b.field(Field::Outs), b.word(0), b.word(1));
        let third = slot(&mut b, 2);
        b.store(outs, zero, third);
        let fourth = slot(&mut b, 3);
        b.store(outs, one, fourth);
        assert_eq!(merged(b, vec![100, 80, 80, 80]), [100, 80, 80]);
    }

    #[test]
    fn a_loop_needs_what_was_there_before_it_in_every_turn() {
        for inside in [false, true] {
            let mut b = Build::new();
            let (before, stop) = (slot(&mut b, 0), b.word(3));
            let one = slot(&mut b, 1);
            b.for_(stop, &[], |b, _, _| {
                copy(b, one, if inside { before } else { one });
                let here = slot(b, 2);
                copy(b, here, here);
                Vec::new()
            });
            assert_eq!(merged(b, vec![8; 3]).len(), if inside { 3 } else { 2 });
        }
    }

    #[test]
    fn what_a_loop_carries_is_needed_all_the_time() {
        let mut b = Build::new();
        let (first, stop) = (slot(&mut b, 0), b.word(3));
        let outs = b.for_(stop, &[first], |b, _, carries| {
            let read = slot(b, 1);
            copy(b, read, carries[0]);
            let next = slot(b, 2);
            copy(b, next, read);
            vec![next]
        });
        let behind = slot(&mut b, 3);
        copy(&mut b, behind, outs[0]);
        assert_eq!(merged(b, vec![8; 4]).len(), 3);
    }
}
