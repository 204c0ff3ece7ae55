//! `Vec` as rows of a tensor, whose first axis is as long as the vector.

use gw_base::Diagnostic;
use gw_ir::{Attr, CheckKind, CompareOp, Literal, Op};
use gw_trace::calls::{Call, Item, Length};
use gw_trace::{Host, Misfit, Piece, Staged, rows};
use gw_types::{DType, Scalar};

use super::host::{Rust, refusal};
use super::{Frame, Value, int};

impl Rust {
    /// A vector without elements.
    pub(super) fn no_elements(&self, dtype: DType) -> Staged {
        let literal = Literal::from_scalars(dtype, vec![0], &[]);
        Staged::strong(self.trace().build(|b| b.constant(literal)))
    }

    /// Fails where an index is below zero when the graph runs.
    pub(super) fn not_below_zero(&self, at: Staged) -> Result<(), Diagnostic> {
        let zero = self.constant(Scalar::Int(0));
        let ok = self.call(&Call::binary(CompareOp::Ge), &[at, zero])?;
        self.check(ok, CheckKind::Index, "index out of bounds");
        Ok(())
    }

    fn joined(&self, pieces: &[Piece]) -> Result<Value, Diagnostic> {
        let misfit = |Misfit(a, b)| refusal(&format!("a `Vec` has {a} and {b}"));
        let joined = rows(self.trace(), pieces).map_err(misfit)?;
        Ok(joined.map_or(Value::Empty, |joined| Value::Staged(Staged::strong(joined.value))))
    }
}

impl Frame<'_> {
    /// `vec![a, b, …]`
    ///
    /// # Errors
    /// If the elements have no type in common.
    pub fn vector(&self, items: &[Value]) -> Result<Value, Diagnostic> {
        let pieces: Result<Vec<_>, Diagnostic> =
            items.iter().map(|item| Ok(Piece::One(self.host.see(item)?))).collect();
        self.host.joined(&pieces?)
    }

    /// `vec![item; count]`
    ///
    /// # Errors
    /// Fails if the operands do not fit.
    pub fn repeated(&self, item: Value, count: Value) -> Result<Value, Diagnostic> {
        let [item, count] = [self.host.staged(item)?, self.host.staged(count)?];
        self.host.call(&Call::BroadcastTo(vec![Length::Given]), &[item, count]).map(Value::Staged)
    }

    /// `v.push(item)`
    ///
    /// # Errors
    /// If the item is of another type.
    pub fn push(&self, place: usize, item: Value) -> Result<(), Diagnostic> {
        let one = Piece::One(self.host.see(&item)?);
        let grown = match self.get(place) {
            Value::Empty => self.host.joined(&[one])?,
            vector @ (Value::Staged(_) | Value::Number(_) | Value::Unbound) => {
                self.host.joined(&[Piece::Rows(self.host.staged(vector)?), one])?
            }
        };
        self.set(place, grown);
        Ok(())
    }

    /// `v.len()`
    ///
    /// # Errors
    /// If it is no vector.
    pub fn len(&self, vector: Value) -> Result<Value, Diagnostic> {
        if vector == Value::Empty {
            return Ok(int(0));
        }
        let vector = self.host.staged(vector)?;
        let made = self.host.trace().build(|b| b.op(Op::Dim, Attr::Axis(0), &[vector.value]));
        made.map(|length| Value::Staged(Staged::strong(length)))
            .map_err(|unfit| Diagnostic::new(unfit.code, unfit.message))
    }

    /// `v.is_empty()`
    ///
    /// # Errors
    /// If it is no vector.
    pub fn is_empty(&self, vector: Value) -> Result<Value, Diagnostic> {
        self.eq(self.len(vector)?, int(0))
    }

    /// `v[at]`
    ///
    /// # Errors
    /// If it is no vector.
    pub fn index(&self, vector: Value, at: Value) -> Result<Value, Diagnostic> {
        let (vector, at) = (self.host.staged(vector)?, self.position(at)?);
        self.host.call(&Call::Subscript(vec![Item::Given]), &[vector, at]).map(Value::Staged)
    }

    /// `v[at] = item`
    ///
    /// # Errors
    /// If it is no vector, or the item of another type.
    pub fn store(&self, place: usize, at: Value, item: Value) -> Result<(), Diagnostic> {
        let (vector, item) = (self.host.staged(self.get(place))?, self.host.staged(item)?);
        let at = self.position(at)?;
        let stored = self.host.call(&Call::Store(vec![Item::Given]), &[vector, item, at])?;
        self.set(place, Value::Staged(stored));
        Ok(())
    }

    /// An index, which Rust takes from the front only: the graph's own indices below zero count from the end.
    fn position(&self, at: Value) -> Result<Staged, Diagnostic> {
        let staged = self.host.staged(at)?;
        if !matches!(at, Value::Number(_)) {
            self.host.not_below_zero(staged)?;
        }
        Ok(staged)
    }
}
