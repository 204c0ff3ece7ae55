//! Random bits of many counters under one key, which kernels make, and the numbers of single precision of their upper bits.

use gw_base::Id;
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

/// Counters under one key, whose bits a kernel makes.
struct Row {
    key: Var,
    counters: ValueId,
    /// Where they begin, if they are in memory.
    from: Option<Var>,
    count: Var,
}

/// Piece of a row: the number of its first counter, how many there are, and how many there are at most.
#[derive(Clone, Copy)]
struct Piece {
    start: Var,
    count: Var,
    most: Var,
}

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
        let to = self.room(Some(bits), Ty::I64, &dims);
        let to = self.dense(to, Ty::I64, dims);
        self.draw(id, RANDOM_ROW, &to)?;
        self.define(bits, Held::View(to))?;
        Ok(true)
    }

    /// Lowers a cast that makes numbers of the upper random bits of counters; whether it is one of those. They are made piece by piece
    /// in the loop that reads them, if there is one, else now.
    pub(super) fn random_singles(&mut self, id: NodeId, cast: &Node) -> Lowers<bool> {
        let result = cast.results[0];
        let Some(bits) = self.waiting_bits(cast)? else { return Ok(false) };
        let dims = self.dims(cast.args[0])?;
        if self.plan.only_loop(result).is_some_and(|reader| is_filled(self.graph.nodes[reader].op)) {
            let delayed = Delayed { rule: Rule::Elementwise(id), ty: Ty::F32, dims };
            self.define(result, Held::Delayed(delayed))?;
            return Ok(true);
        }
        let to = self.room(Some(result), Ty::F32, &dims);
        let to = self.dense(to, Ty::F32, dims);
        self.draw(bits, RANDOM_SINGLES, &to)?;
        self.define(result, Held::View(to))?;
        Ok(true)
    }

    /// The numbers of upper random bits that go into an element of a value and are not made yet, each with the node of its bits.
    pub(super) fn drawn(&mut self, value: ValueId) -> Lowers<Vec<(ValueId, NodeId)>> {
        let graph = self.graph;
        let (mut found, mut seen, mut open) = (Vec::new(), vec![value], vec![value]);
        while let Some(value) = open.pop() {
            let Held::Delayed(Delayed { rule: Rule::Elementwise(id), .. }) = self.held(value)? else {
                continue;
            };
            let node = &graph.nodes[id];
            if let Some(bits) = self.waiting_bits(node)? {
                found.push((value, bits));
                continue;
            }
            for &arg in node.args.iter().filter(|arg| !graph.ty(**arg).is_scalar()) {
                if !seen.contains(&arg) {
                    seen.push(arg);
                    open.push(arg);
                }
            }
        }
        Ok(found)
    }

    /// Computes elements of which drawn numbers are a part into memory, as `fill` does: piece by piece, so that the numbers stay in the
    /// nearest cache, if all is read in order.
    pub(super) fn fill_with_drawn(
        &mut self,
        to: &View,
        value: ValueId,
        drawn: &[(ValueId, NodeId)],
    ) -> Lowers<()> {
        if to.dense
            && let &[(number, bits)] = drawn
            && number == value
        {
            return self.draw(bits, RANDOM_SINGLES, to);
        }
        if to.dense && self.reads_in_order(value, &to.dims)? {
            return self.fill_by_pieces(to, value, drawn);
        }
        let mut before = Vec::new();
        for &(number, bits) in drawn {
            let dims = self.dims(number)?;
            let room = self.room(None, Ty::F32, &dims);
            let made = self.dense(room, Ty::F32, dims);
            self.draw(bits, RANDOM_SINGLES, &made)?;
            before.push(self.held[number.index()].replace(Held::View(made)));
        }
        self.fill(to, value)?;
        self.restore(drawn, before);
        Ok(())
    }

    fn fill_by_pieces(&mut self, to: &View, value: ValueId, drawn: &[(ValueId, NodeId)]) -> Lowers<()> {
        let mut rows = Vec::new();
        for &(_, bits) in drawn {
            rows.push(self.row_of(bits)?);
        }
        let count = self.count(&to.dims);
        self.in_pieces(count, COST_OF_BITS * drawn.len() as i64, |lower, piece| {
            let mut before = Vec::new();
            for (&(number, _), row) in drawn.iter().zip(&rows) {
                let room = lower.room(None, Ty::F32, &[piece.most]);
                lower.draw_piece(row, RANDOM_SINGLES, room, piece)?;
                let rule = Rule::Piece(room, piece.start);
                let here = Held::Delayed(Delayed { rule, ty: Ty::F32, dims: to.dims.clone() });
                before.push(lower.held[number.index()].replace(here));
            }
            lower.each_of(piece, |lower, _, number| {
                let element = lower.element(value, At::Flat(number))?;
                lower.b.store(to.ptr, number, element);
                Ok(())
            })?;
            lower.restore(drawn, before);
            Ok(())
        })
    }

    /// Holds drawn numbers as they were held before.
    fn restore(&mut self, drawn: &[(ValueId, NodeId)], before: Vec<Option<Held>>) {
        for (&(number, _), held) in drawn.iter().zip(before) {
            self.held[number.index()] = held;
        }
    }

    /// The node of the random bits that a cast makes numbers of and that have waited for it.
    fn waiting_bits(&mut self, cast: &Node) -> Lowers<Option<NodeId>> {
        let Some(bits) = self.upper_bits_of(cast) else { return Ok(None) };
        let waits = matches!(self.held(bits)?, Held::Delayed(_));
        let Some(definer) = self.graph.definer(bits).filter(|_| waits) else { return Ok(None) };
        Ok(self.many_counters(&self.graph.nodes[definer])?.map(|_| definer))
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

    /// The counters of a node that makes random bits.
    fn row_of(&mut self, bits: NodeId) -> Lowers<Row> {
        let args = &self.graph.nodes[bits].args;
        let (key, counters) = (self.scalar(args[0])?, args[1]);
        let dims = self.dims(counters)?;
        let count = self.count(&dims);
        let is_put_off = matches!(self.held(counters)?, Held::Delayed(_));
        let from = if is_put_off && self.reads_in_order(counters, &dims)? {
            None
        } else {
            Some(self.materialise_dense(counters)?.ptr)
        };
        Ok(Row { key, counters, from, count })
    }

    /// Has a kernel write an element for the random bits of each counter of a node.
    fn draw(&mut self, bits: NodeId, kernel: Function, to: &View) -> Lowers<()> {
        let row = self.row_of(bits)?;
        self.in_pieces(row.count, COST_OF_BITS, |lower, piece| {
            let to = lower.b.offset(to.ptr, piece.start, to.ty);
            lower.draw_piece(&row, kernel, to, piece)
        })
    }

    /// Runs `body` for each piece of so many elements, of which each takes so many picoseconds.
    fn in_pieces(
        &mut self,
        count: Var,
        cost: i64,
        body: impl FnOnce(&mut Self, Piece) -> Lowers<()>,
    ) -> Lowers<()> {
        let (most, rounding) = (self.b.word(COUNTERS), self.b.word(COUNTERS - 1));
        let (rounded, bits) = (self.b.add(count, rounding), self.b.word(COUNTERS.ilog2().into()));
        let pieces = self.b.binary(Binary::Sar, rounded, bits);
        self.spread(&[pieces], Work { each: most, cost: Some(cost), own: true }, |lower, index| {
            let start = lower.b.mul(index[0], most);
            let left = lower.b.binary(Binary::Sub, count, start);
            let is_whole = lower.b.compare(Compare::Lt, most, left);
            let count = lower.b.select(is_whole, most, left);
            body(lower, Piece { start, count, most })
        })
    }

    fn draw_piece(&mut self, row: &Row, kernel: Function, to: Var, piece: Piece) -> Lowers<()> {
        let from = match row.from {
            Some(from) => self.b.offset(from, piece.start, Ty::I64),
            None => self.counters(row.counters, piece)?,
        };
        self.b.push(Stmt::Do(Callee::Kernel(kernel), vec![row.key, piece.count, to, from]));
        Ok(())
    }

    /// The counters of a piece that are put off, in memory.
    fn counters(&mut self, counters: ValueId, piece: Piece) -> Lowers<Var> {
        let room = self.room(None, Ty::I64, &[piece.most]);
        self.each_of(piece, |lower, at, number| {
            let counter = lower.element(counters, At::Flat(number))?;
            lower.b.store(room, at, counter);
            Ok(())
        })?;
        Ok(room)
    }

    /// Runs `body` for each element of a piece: at which place of the piece it is, and its number.
    fn each_of(&mut self, piece: Piece, body: impl FnOnce(&mut Self, Var, Var) -> Lowers<()>) -> Lowers<()> {
        let (carries, at) = self.b.begin_for(&[]);
        self.memo.clear();
        let number = self.b.add(piece.start, at);
        body(self, at, number)?;
        self.memo.clear();
        self.b.end_for(piece.count, at, carries, Vec::new());
        Ok(())
    }
}

/// True if elements of an op's result are computed one by one into memory.
fn is_filled(op: Op) -> bool {
    match op {
        Op::Unary(_) | Op::Test(_) | Op::Binary(_) | Op::Compare(_) | Op::Select | Op::Cast => true,
        Op::String(_) | Op::Foreign | Op::Part(_) | Op::Complex | Op::Reduce(_) | Op::Arg(_) => false,
        Op::Reshape | Op::Broadcast | Op::Sort | Op::Transpose | Op::Slice | Op::Index | Op::Gather => false,
        Op::Concat | Op::Put | Op::Matmul | Op::Conv2d | Op::Matrix(_) | Op::Const | Op::Range => false,
        Op::Dim | Op::Cond | Op::While | Op::Call | Op::Try | Op::Leave | Op::Print | Op::Host => false,
        Op::Check => false,
    }
}
