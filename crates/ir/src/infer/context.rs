//! The op that is judged, with its operands, and what every rule says of them.

use gw_base::Code;
use gw_types::{DType, Dim, DimVar, Shape, TensorType};

use crate::{Arity, Attr, Op, Takes};

/// Operands or attributes that an op does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// `mul.c1`: the clause of the op's page that does not hold.
    pub clause: &'static str,
    /// Code of the diagnostic that the user sees.
    pub code: Code,
    /// Findings, without op names.
    pub message: String,
}

/// The subject of one call of `infer`.
pub(super) struct Ctx<'a> {
    pub(super) op: Op,
    pub(super) args: &'a [TensorType],
    pub(super) fresh: &'a mut dyn FnMut() -> DimVar,
}

impl Ctx<'_> {
    pub(super) fn unfit(&self, clause: usize, code: Code, message: impl Into<String>) -> Unfit {
        debug_assert!(clause <= self.op.clauses(), "a clause without a row in `Op::clauses`");
        Unfit { clause: self.op.clause(clause), code, message: message.into() }
    }

    pub(super) fn fresh(&mut self) -> Dim {
        Dim::Var((self.fresh)())
    }

    pub(super) fn judge_arity(&self) -> Result<(), Unfit> {
        let (fits, wanted) = match self.op.arity() {
            Arity::Exactly(n) => (self.args.len() == n, format!("{n}")),
            Arity::AtLeast(n) => (self.args.len() >= n, format!("at least {n}")),
        };
        let found = self.args.len();
        if fits { Ok(()) } else { Err(self.bad(0, format!("takes {wanted} operands, not {found}"))) }
    }

    pub(super) fn bad(&self, clause: usize, message: impl Into<String>) -> Unfit {
        self.unfit(clause, Code::BadArgument, message)
    }

    pub(super) fn wrong_shape(&self, clause: usize, message: impl Into<String>) -> Unfit {
        self.unfit(clause, Code::WrongShape, message)
    }

    /// The attribute's kind is not the op's.
    pub(super) fn wrong_attr(&self) -> Unfit {
        self.bad(0, format!("cannot {} with such an attribute", self.op.row().verb))
    }

    pub(super) fn judge_plain(&self, attr: &Attr) -> Result<(), Unfit> {
        if *attr == Attr::None { Ok(()) } else { Err(self.wrong_attr()) }
    }

    /// No attribute; or a check of overflow, of an op on integer scalars that has one.
    pub(super) fn judge_arithmetic(&self, attr: &Attr) -> Result<(), Unfit> {
        let checks = self.op.arithmetic().is_some()
            && self.args.iter().all(|arg| arg.dtype.is_checked() && arg.is_scalar());
        if *attr == Attr::Checked && checks { Ok(()) } else { self.judge_plain(attr) }
    }

    pub(super) fn judge_dtype(&self, clause: usize, dtype: DType, takes: Takes) -> Result<(), Unfit> {
        if takes.holds(dtype) {
            return Ok(());
        }
        let (verb, found) = (self.op.row().verb, dtype.python_name());
        Err(self.unfit(clause, Code::WrongDType, format!("cannot {verb} {found}; it takes {}", takes.text())))
    }

    pub(super) fn judge_same_dtype(
        &self,
        clause: usize,
        x: &TensorType,
        y: &TensorType,
    ) -> Result<(), Unfit> {
        if x.dtype == y.dtype {
            return Ok(());
        }
        let (x, y) = (x.dtype.python_name(), y.dtype.python_name());
        Err(self.unfit(clause, Code::DTypesDiffer, format!("cannot {} {x} and {y}", self.op.row().verb)))
    }

    pub(super) fn judge_axis(&self, clause: usize, axis: usize, x: &TensorType) -> Result<(), Unfit> {
        if axis < x.rank() {
            return Ok(());
        }
        Err(self.wrong_shape(clause, format!("axis {axis} of shape {} does not exist", x.shape)))
    }

    pub(super) fn judge_length_operand(&self, clause: usize, at: usize) -> Result<(), Unfit> {
        let fits = at > 0 && self.args.get(at).is_some_and(|ty| *ty == TensorType::scalar(DType::I64));
        if fits { Ok(()) } else { Err(self.bad(clause, "a length or position must be an int64 scalar")) }
    }

    pub(super) fn broadcast(&mut self, clause: usize, x: &Shape, y: &Shape) -> Result<Shape, Unfit> {
        let failed = self.wrong_shape(clause, format!("shapes {x} and {y} do not broadcast"));
        gw_types::broadcast(x, y, &mut *self.fresh).map_err(|_| failed)
    }
}

pub(super) fn one(dtype: DType, shape: Shape) -> Result<Vec<TensorType>, Unfit> {
    Ok(vec![TensorType::new(dtype, shape)])
}
