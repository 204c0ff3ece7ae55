//! Prints, calls of the host and checks: operands are described in the scratch area, the runtime makes the text.

use gw_ir::{Attr, CheckKind, Node, Piece, PrintFormat, Stream, ValueId};
use gw_runtime::{Report, Template, TemplatePiece, TextFailure};
use gw_types::DType;

use super::context::{Lower, Lowers, broken};
use super::counters::checked_count;
use super::place::Held;
use super::while_::POLL_EVERY;
use crate::loops::{Arm, Binary, Callee, Compare, Field, Stmt, Ty, Unary, Var};

impl Lower<'_> {
    pub(super) fn print(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Print(format) = &node.attr else { return Err(broken("a print without a text")) };
        let site = self.describe(node, format, None)?;
        let (context, site) = (self.b.field(Field::Context), self.b.word(site as i64));
        let ok = self.b.call(Ty::Bool, Callee::Speak, vec![context, site]);
        self.guard(ok, Report::Stopped, Vec::new());
        Ok(())
    }

    /// `results = host_call(args)`: each array that comes back has a slot of its own.
    pub(super) fn host_call(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Host(call) = &node.attr else {
            return Err(broken("a call of the host without a function"));
        };
        let mut words = Vec::new();
        let args = self.described(&node.args, &mut words)?;
        let first = words.len();
        let zero = self.b.word(0);
        for &result in &node.results {
            let (rank, in_word) = (self.graph.ty(result).rank(), self.is_in_word(result));
            let slot = if in_word { zero } else { self.growing_slot() };
            words.push(slot);
            words.extend(std::iter::repeat_n(zero, rank));
        }
        self.write_scratch(words);
        let gives = call.gives.iter().map(|given| (given.dtype, given.lengths.clone())).collect();
        let site = self.site(Report::Host { function: call.number, args, gives });
        let (context, number) = (self.b.field(Field::Context), self.b.word(site as i64));
        let ok = self.b.call(Ty::Bool, Callee::Ask, vec![context, number]);
        self.b.guard(ok, site, Vec::new());
        self.answers(node, first)
    }

    /// True of a number that is passed in a word.
    fn is_in_word(&self, value: ValueId) -> bool {
        self.graph.ty(value).is_scalar() && !self.graph.ty(value).dtype.is_complex()
    }

    fn growing_slot(&mut self) -> Var {
        let slot = self.slot(0);
        self.slot_address(slot)
    }

    /// Results of the host, which stand in the scratch area from the word `at` on.
    fn answers(&mut self, node: &Node, mut at: usize) -> Lowers<()> {
        let zero = self.b.word(0);
        for &result in &node.results {
            let (ty, rank) = (self.ty(result), self.graph.ty(result).rank());
            let word = self.in_scratch(at);
            at += 1 + rank;
            let held = if self.is_in_word(result) {
                Held::Scalar(self.b.load(ty, word, zero))
            } else {
                let ptr = self.b.load(Ty::Ptr, word, zero);
                let lengths = (at - rank..at).map(|at| {
                    let word = self.in_scratch(at);
                    self.b.load(Ty::I64, word, zero)
                });
                let dims = lengths.collect();
                let is_complex = self.graph.ty(result).dtype.is_complex();
                let view =
                    if is_complex { self.interleaved(ptr, ty, dims) } else { self.dense(ptr, ty, dims) };
                Held::View(view)
            };
            self.define(result, held)?;
        }
        Ok(())
    }

    pub(super) fn check(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Check { kind, message, limit: _ } = &node.attr else {
            return Err(broken("a check without a text"));
        };
        let ok = self.scalar(node.args[0])?;
        if self.b.known(ok) == Some(1) {
            return Ok(());
        }
        if let Some(calls) = self.calls.filter(|&calls| checked_count(self.graph, node) == Some(calls)) {
            let seldom = self.is_time_to_ask(calls)?;
            self.b.open();
            self.fail_unless(ok, node, message, raised(*kind))?;
            self.ask();
            let then = self.b.close(Vec::new());
            self.seldom(seldom, then);
            return Ok(());
        }
        self.fail_unless(ok, node, message, raised(*kind))?;
        self.b.learn_true(ok);
        self.assume(node.args[0], true);
        Ok(())
    }

    /// Fails with a text unless `ok`.
    fn fail_unless(
        &mut self,
        ok: Var,
        node: &Node,
        message: &PrintFormat,
        raises: TextFailure,
    ) -> Lowers<()> {
        let failed = self.b.unary(Unary::Not, ok);
        self.b.open();
        let site = self.describe(node, message, Some(raises))?;
        let (context, number) = (self.b.field(Field::Context), self.b.word(site as i64));
        self.b.push(Stmt::Do(Callee::Speak, vec![context, number]));
        let never = self.b.int(Ty::Bool, 0);
        self.b.guard(never, site, Vec::new());
        let then = self.b.close(Vec::new());
        self.seldom(failed, then);
        Ok(())
    }

    /// Runs an arm that hardly ever runs.
    fn seldom(&mut self, test: Var, then: Arm) {
        self.b.push(Stmt::If { test, cold: true, then, otherwise: Arm::default(), outs: Vec::new() });
    }

    /// True in the turns of a loop that counts calls in which it asks the host.
    fn is_time_to_ask(&mut self, calls: ValueId) -> Lowers<Var> {
        let every = 1 << (POLL_EVERY / self.worth_of_turn()).ilog2();
        let (next, mask, zero) = (self.one_more(calls)?, self.b.word(every - 1), self.b.word(0));
        let rest = self.b.binary(Binary::And, next, mask);
        Ok(self.b.compare(Compare::Eq, rest, zero))
    }

    /// The count of calls behind this turn.
    pub(super) fn one_more(&mut self, calls: ValueId) -> Lowers<Var> {
        let (calls, one) = (self.scalar(calls)?, self.b.word(1));
        Ok(self.b.add(calls, one))
    }

    /// The words that describe some values, and the element type and rank of each.
    fn described(&mut self, values: &[ValueId], words: &mut Vec<Var>) -> Lowers<Vec<(DType, usize)>> {
        let mut operands = Vec::with_capacity(values.len());
        for &value in values {
            let ty = self.graph.ty(value);
            operands.push((ty.dtype, ty.rank()));
            match self.held(value)? {
                Held::Scalar(var) => words.push(var),
                Held::View(_) | Held::Delayed(_) => {
                    let view = self.materialise_dense(value)?;
                    words.push(view.ptr);
                    words.extend(view.dims);
                }
            }
        }
        Ok(operands)
    }

    fn write_scratch(&mut self, words: Vec<Var>) {
        self.scratch = self.scratch.max(words.len());
        for (at, word) in words.into_iter().enumerate() {
            let (to, zero) = (self.in_scratch(at), self.b.word(0));
            self.b.store(to, zero, word);
        }
    }

    /// Address of a word of the scratch area.
    fn in_scratch(&mut self, at: usize) -> Var {
        let (scratch, at) = (self.b.field(Field::Scratch), self.b.word(at as i64));
        self.b.offset(scratch, at, Ty::I64)
    }

    /// Writes what the text shows to the scratch area; gives the site that has the text.
    fn describe(&mut self, node: &Node, format: &PrintFormat, raises: Option<TextFailure>) -> Lowers<usize> {
        let mut shown: Vec<usize> = Vec::new();
        let mut described = |at: usize| {
            shown.iter().position(|&s| s == at).unwrap_or_else(|| {
                shown.push(at);
                shown.len() - 1
            })
        };
        let pieces = format.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => TemplatePiece::Text(text.clone()),
            Piece::Operand(at) => TemplatePiece::Operand(described(*at)),
            Piece::Python(at) => TemplatePiece::Python(described(*at)),
        });
        let pieces = pieces.collect();
        let shown: Vec<ValueId> = shown.into_iter().map(|at| node.args[at]).collect();
        let mut words = Vec::new();
        let operands = self.described(&shown, &mut words)?;
        self.write_scratch(words);
        let stream = match format.stream {
            Stream::Stderr => gw_runtime::Stream::Stderr,
            Stream::Stdout => gw_runtime::Stream::Stdout,
        };
        let template = Template { pieces, stream, summarize: format.summarize };
        Ok(self.site(Report::Text { raises, template, operands }))
    }
}

fn raised(kind: CheckKind) -> TextFailure {
    match kind {
        CheckKind::Assertion => TextFailure::Assertion,
        CheckKind::UnboundLocal => TextFailure::UnboundLocal,
        CheckKind::Name => TextFailure::Name,
        CheckKind::Index => TextFailure::Index,
        CheckKind::ZeroDivision => TextFailure::ZeroDivision,
        CheckKind::Value => TextFailure::Value,
        CheckKind::Overflow => TextFailure::Overflow,
        CheckKind::Type => TextFailure::Type,
        CheckKind::Recursion => TextFailure::Recursion,
        CheckKind::Key => TextFailure::Key,
        CheckKind::Runtime => TextFailure::Runtime,
        CheckKind::Argument => TextFailure::Argument,
    }
}
