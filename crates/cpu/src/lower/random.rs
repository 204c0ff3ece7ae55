//! Random bits of many counters under one key, which kernels make, and the numbers of single precision of their upper bits.

use gw_ir::{Attr, BinaryOp, Node, NodeId, Op, ValueId};
use gw_kernels::{Function, RANDOM_ROW, RANDOM_SINGLES};
use gw_types::DType;

use super::context::{Lower, Lowers};
use super::place::{At, Delayed, Held, Rule, View};
use super::plan::literal_of;
use super::spread::Work;
use crate::loops::{Binary, Callee, Compare, Stmt, Ty, Var};

/// Of fewer counters a loop makes the bits as fast.
const FEW: i64 = 64;

/// About so many picoseconds take the random bits of a counter.
const COST_OF_BITS: i64 = 1_200;

/// So many counters are one piece of work: they and their bits lie in the nearest cache.
const COUNTERS: i64 = 1 << 10;

/// The bits that a number of single precision has, and those of a counter below them.
const DIGITS: u32 = 24;
const BELOW: i64 = 64 - DIGITS as i64;

impl Lower<'_> {
    /// Lets a kernel make random bits of counters under one key, if there are enough; whether it did. Bits of which only the upper
    /// ones are read, as numbers of single precision, wait for the cast.
    pub(super) fn random_in_memory(&mut self, id: NodeId, node: &Node) -> Lowers<bool> {
        let bits = node.results[0];
        let Some(dims) = self.many_counters(node)? else { return Ok(false) };
        if self.waits_for_cast(bits) {
            let delayed = Delayed { rule: Rule::Elementwise(id), ty: Ty::I64, dims };
            self.define(bits, Held::Delayed(delayed))?;
            return Ok(true);
        }
        let made = self.random_row(node, bits, (RANDOM_ROW, Ty::I64), dims)?;
        self.define(bits, Held::View(made))?;
        Ok(true)
    }

    /// Lets a kernel make the numbers that a cast makes of the upper random bits of counters, if it is one of those; whether it did.
    pub(super) fn random_singles(&mut self, cast: &Node) -> Lowers<bool> {
        let Some(bits) = self.upper_bits_of(cast) else { return Ok(false) };
        let graph = self.graph;
        let Some(node) = graph.definer(bits).map(|id| &graph.nodes[id]) else { return Ok(false) };
        if !matches!(self.held(bits)?, Held::Delayed(_)) {
            return Ok(false);
        }
        let Some(dims) = self.many_counters(node)? else { return Ok(false) };
        let made = self.random_row(node, cast.results[0], (RANDOM_SINGLES, Ty::F32), dims)?;
        self.define(cast.results[0], Held::View(made))?;
        Ok(true)
    }

    /// The lengths of an array of counters, if there are enough of them and they are under one key.
    fn many_counters(&mut self, node: &Node) -> Lowers<Option<Vec<Var>>> {
        let (key, counters) = (node.args[0], node.args[1]);
        if !self.graph.ty(key).is_scalar() || self.graph.ty(counters).is_scalar() {
            return Ok(None);
        }
        let dims = self.dims(counters)?;
        let count = self.count(&dims);
        let are_few = self.b.known(count).is_some_and(|count| count < FEW);
        Ok((!are_few).then_some(dims))
    }

    /// True if random bits are read by a chain to a cast, and by nobody else.
    fn waits_for_cast(&self, bits: ValueId) -> bool {
        let next = |value: ValueId| {
            let reader = self.plan.only_reader(value).filter(|_| self.plan.is_delayed(value))?;
            Some(&self.graph.nodes[reader])
        };
        let cast = next(bits)
            .and_then(|shift| next(*shift.results.first()?))
            .and_then(|mask| next(*mask.results.first()?));
        cast.is_some_and(|cast| self.upper_bits_of(cast) == Some(bits))
    }

    /// The random bits whose upper ones a cast makes numbers of single precision: `f32((bits >> 40) & (2^24 - 1))`.
    fn upper_bits_of(&self, cast: &Node) -> Option<ValueId> {
        if cast.op != Op::Cast || cast.attr != Attr::To(DType::F32) {
            return None;
        }
        let shifted = self.by_known(cast.args[0], BinaryOp::And, (1 << DIGITS) - 1)?;
        let bits = self.by_known(shifted, BinaryOp::Shr, BELOW)?;
        let definer = self.graph.definer(bits)?;
        (self.graph.nodes[definer].op == Op::Binary(BinaryOp::RandomBits)).then_some(bits)
    }

    /// The first operand of the op that defines a value, if that is this op by this number.
    fn by_known(&self, value: ValueId, op: BinaryOp, by: i64) -> Option<ValueId> {
        let node = &self.graph.nodes[self.graph.definer(value)?];
        let &[x, y] = &node.args[..] else { return None };
        let known = literal_of(self.graph, y).filter(|_| node.op == Op::Binary(op))?;
        known.as_scalar().is_some_and(|known| known.to_i64() == by).then_some(x)
    }

    /// Has a kernel write an element for the random bits of each counter, one piece after the other.
    fn random_row(
        &mut self,
        node: &Node,
        result: ValueId,
        (kernel, ty): (Function, Ty),
        dims: Vec<Var>,
    ) -> Lowers<View> {
        let counters = node.args[1];
        let (key, count) = (self.scalar(node.args[0])?, self.count(&dims));
        let is_put_off = matches!(self.held(counters)?, Held::Delayed(_));
        let from = if is_put_off && self.reads_in_order(counters, &dims)? {
            None
        } else {
            Some(self.materialise_dense(counters)?.ptr)
        };
        let to = self.room(Some(result), ty, &dims);
        let (block, rounding) = (self.b.word(COUNTERS), self.b.word(COUNTERS - 1));
        let (rounded, bits) = (self.b.add(count, rounding), self.b.word(COUNTERS.ilog2().into()));
        let blocks = self.b.binary(Binary::Sar, rounded, bits);
        let work = Work { each: block, cost: Some(COST_OF_BITS), own: from.is_none() };
        self.spread(&[blocks], work, |lower, index| {
            let start = lower.b.mul(index[0], block);
            let left = lower.b.binary(Binary::Sub, count, start);
            let is_whole = lower.b.compare(Compare::Lt, block, left);
            let count = lower.b.select(is_whole, block, left);
            let to = lower.b.offset(to, start, ty);
            let from = match from {
                Some(from) => lower.b.offset(from, start, Ty::I64),
                None => lower.counters(counters, start, (count, block))?,
            };
            lower.b.push(Stmt::Do(Callee::Kernel(kernel), vec![key, count, to, from]));
            Ok(())
        })?;
        Ok(self.dense(to, ty, dims))
    }

    /// So many counters that are put off, of a block at most, from the one with this number on.
    fn counters(&mut self, counters: ValueId, start: Var, (count, block): (Var, Var)) -> Lowers<Var> {
        let room = self.room(None, Ty::I64, &[block]);
        let (carries, at) = self.b.begin_for(&[]);
        self.memo.clear();
        let number = self.b.add(start, at);
        let counter = self.element(counters, At::Flat(number))?;
        self.b.store(room, at, counter);
        self.memo.clear();
        self.b.end_for(count, at, carries, Vec::new());
        Ok(room)
    }
}
