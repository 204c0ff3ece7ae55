//! `?`: a check that fails when the graph runs.

use gw_base::Diagnostic;
use gw_ir::{Attr, CheckKind, NodeId, Op, PrintFormat, Stream};
use gw_trace::{Host, Staged};

use super::host::Rust;
use super::{Frame, Value, truth};

/// The value of a `Result`, which `?` or a handler takes; the graph has failed where it is an `Err`.
#[derive(Debug, Clone, Copy)]
#[must_use]
pub struct Fallible(pub Value);

impl Fallible {
    /// `self?`
    pub fn passed(self) -> Value {
        self.0
    }
}

/// The result of a call that stands for a value.
#[diagnostic::on_unimplemented(
    message = "the value of a `Result` is taken by `?` or `unwrap_or`",
    label = "this fails the graph where Rust goes on with an `Err`"
)]
pub trait Whole {
    /// The value.
    fn whole(self) -> Value;
}

impl Whole for Value {
    fn whole(self) -> Value {
        self
    }
}

/// The value of a call that gives one.
pub fn whole(given: impl Whole) -> Value {
    given.whole()
}

/// `Ok` if the test holds: in a plain function. In a graph it is a check.
///
/// # Errors
/// The text, if the test does not hold.
pub fn ensure(test: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if test { Ok(()) } else { Err(otherwise) }
}

impl Frame<'_> {
    /// `ensure(test, "…")`
    ///
    /// # Errors
    /// If the test is no bool.
    pub fn ensure(&self, test: Value, otherwise: &str) -> Result<Fallible, Diagnostic> {
        let node = self.host.check(self.host.staged(test)?, CheckKind::Value, otherwise);
        if let (Some(node), Some(exits)) = (node, self.host.attempts.borrow_mut().last_mut()) {
            exits.push(node);
        }
        Ok(Fallible(truth(true)))
    }
}

impl Rust {
    /// Fails with this text unless `ok`; gives the node.
    pub(super) fn check(&self, ok: Staged, kind: CheckKind, text: &str) -> Option<NodeId> {
        let pieces = vec![gw_ir::Piece::Text(text.to_owned())];
        let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
        let attr = Attr::Check { kind, message, limit: false };
        self.trace().build(|b| {
            b.effect(Op::Check, attr, &[ok.value]).ok()?;
            b.graph().regions[b.region()].nodes.last().copied()
        })
    }
}
