//! Prints and checks: operands are described in the scratch area, the runtime makes the text.

use gw_ir::{Attr, CheckKind, Node, Piece, PrintFormat, Stream};
use gw_runtime::{Report, Template, TemplatePiece, TextFailure};

use super::{Held, Lower, Lowers, broken};
use crate::loops::{Arm, Callee, Field, Stmt, Ty, Unary};

impl Lower<'_> {
    pub(super) fn print(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Print(format) = &node.attr else { return Err(broken("a print without a text")) };
        let site = self.describe(node, format, None)?;
        let (context, site) = (self.b.field(Field::Context), self.b.word(site as i64));
        let ok = self.b.call(Ty::Bool, Callee::Speak, vec![context, site]);
        self.guard(ok, Report::Stopped, Vec::new());
        Ok(())
    }

    pub(super) fn check(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Check { kind, message } = &node.attr else { return Err(broken("a check without a text")) };
        let ok = self.scalar(node.args[0])?;
        if self.b.known(ok) == Some(1) {
            return Ok(());
        }
        let failed = self.b.unary(Unary::Not, ok);
        self.b.open();
        let site = self.describe(node, message, Some(raised(*kind)))?;
        let (context, number) = (self.b.field(Field::Context), self.b.word(site as i64));
        self.b.push(Stmt::Do(Callee::Speak, vec![context, number]));
        let never = self.b.int(Ty::Bool, 0);
        self.b.guard(never, site, Vec::new());
        let then = self.b.close(Vec::new());
        self.b.push(Stmt::If { test: failed, cold: true, then, otherwise: Arm::default(), outs: Vec::new() });
        Ok(())
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
        let mut words = Vec::new();
        let mut operands = Vec::new();
        for at in shown {
            let value = node.args[at];
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
        self.scratch = self.scratch.max(words.len());
        let scratch = self.b.field(Field::Scratch);
        for (at, word) in words.into_iter().enumerate() {
            let (at, zero) = (self.b.word(at as i64), self.b.word(0));
            let to = self.b.offset(scratch, at, Ty::I64);
            self.b.store(to, zero, word);
        }
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
        CheckKind::Index => TextFailure::Index,
        CheckKind::ZeroDivision => TextFailure::ZeroDivision,
        CheckKind::Value => TextFailure::Value,
        CheckKind::Overflow => TextFailure::Overflow,
        CheckKind::Type => TextFailure::Type,
        CheckKind::Recursion => TextFailure::Recursion,
        CheckKind::Key => TextFailure::Key,
        CheckKind::Runtime => TextFailure::Runtime,
    }
}
