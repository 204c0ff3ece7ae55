//! What type an op gives for operands of given types, or which clause of its page they break.
//!
//! One file per class of ops. Clause 0 is common to all ops: as many operands, and the kind of attribute, as the table
//! says; it cannot be broken from Python.

mod conv;
mod effect;
mod elementwise;
mod matmul;
mod matrices;
mod moves;
mod put;
mod reduce;
mod slices;
mod source;
mod words;

use gw_base::Code;
use gw_types::{Arithmetic, DType, Dim, DimVar, Shape, TensorType};

use crate::{Arity, Attr, Node, Op};
use elementwise::{binary, cast, comparison, length, select, test_of, unary};
use words::Takes;

/// Operands or attributes that an op does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// `mul.c1`: the clause of the op's page that does not hold.
    pub clause: &'static str,
    /// Which diagnostic it is to the user.
    pub code: Code,
    /// What was found, without op names.
    pub message: String,
}

/// The types that `op` gives; `fresh` makes dimension variables.
///
/// # Errors
/// If the operands or attributes do not fit.
pub fn infer(
    op: Op,
    attr: &Attr,
    args: &[TensorType],
    fresh: &mut dyn FnMut() -> DimVar,
) -> Result<Vec<TensorType>, Unfit> {
    let mut ctx = Ctx { op, args, fresh };
    ctx.judge_arity()?;
    match op {
        Op::Neg | Op::Abs | Op::Sign | Op::Stop => unary(&ctx, attr, Takes::Numbers),
        Op::Exp | Op::Expm1 | Op::Log | Op::Log1p | Op::Sqrt | Op::Rsqrt => unary(&ctx, attr, Takes::Floats),
        Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh | Op::Erf => unary(&ctx, attr, Takes::Floats),
        Op::Floor | Op::Ceil | Op::Round => unary(&ctx, attr, Takes::Floats),
        Op::Not => unary(&ctx, attr, Takes::BoolsAndInts),
        Op::IsNan | Op::IsFinite => test_of(&ctx, attr, Takes::Floats),
        Op::Add | Op::Sub | Op::Mul | Op::FloorDiv | Op::Mod | Op::Pow | Op::Max | Op::Min => {
            binary(&mut ctx, attr, Takes::Numbers)
        }
        Op::Div | Op::Atan2 => binary(&mut ctx, attr, Takes::Floats),
        Op::And | Op::Or | Op::Xor => binary(&mut ctx, attr, Takes::BoolsAndInts),
        Op::Shl | Op::Shr => binary(&mut ctx, attr, Takes::Ints),
        Op::RandomBits => binary(&mut ctx, attr, Takes::WideInts),
        Op::Append => binary(&mut ctx, attr, Takes::Strings),
        Op::Length => length(&ctx, attr),
        Op::Upper | Op::Lower => unary(&ctx, attr, Takes::Strings),
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => comparison(&mut ctx, attr),
        Op::Select => select(&mut ctx, attr),
        Op::Cast => cast(&ctx, attr),
        Op::ReduceSum | Op::ReduceProd | Op::ReduceMax | Op::ReduceMin => {
            reduce::reduce(&ctx, attr, Takes::Numbers)
        }
        Op::ReduceAll | Op::ReduceAny => reduce::reduce(&ctx, attr, Takes::Bools),
        Op::ArgMax | Op::ArgMin => reduce::arg_reduce(&ctx, attr),
        Op::ArgSort => reduce::arg_sort(&ctx, attr),
        Op::ArgTop => reduce::arg_top(&ctx, attr),
        Op::Reshape => moves::reshape(&mut ctx, attr),
        Op::Broadcast => moves::broadcast_to(&mut ctx, attr),
        Op::Transpose => moves::transpose(&ctx, attr),
        Op::Slice => slices::slice(&mut ctx, attr),
        Op::Index => moves::index(&ctx, attr),
        Op::Gather => moves::gather(&ctx, attr),
        Op::Concat => moves::concat(&mut ctx, attr),
        Op::Put => put::put(&mut ctx, attr),
        Op::Matmul => matmul::matmul(&mut ctx, attr),
        Op::Conv2d => conv::conv2d(&mut ctx, attr),
        Op::Cholesky | Op::Det | Op::Eigh => matrices::of_square(&mut ctx, attr),
        Op::Qr | Op::Svd => matrices::factors(&mut ctx, attr),
        Op::TriangularSolve | Op::Solve => matrices::solve(&mut ctx, attr),
        Op::Const => source::constant(&ctx, attr),
        Op::Range => source::range(&mut ctx, attr),
        Op::Dim => source::dim(&ctx, attr),
        Op::Cond | Op::While | Op::Call | Op::Try => {
            Err(ctx.unfit(0, Code::BadArgument, "regions are not judged by their operands"))
        }
        Op::Print => effect::print(&ctx, attr),
        Op::Host => effect::host(&mut ctx, attr),
        Op::Check => effect::check(&ctx, attr),
        Op::Leave => effect::leave(&ctx, attr),
    }
}

impl Op {
    /// How many clauses its page has, besides clause 0: what `infer` may say of its operands and attribute.
    pub fn clauses(self) -> usize {
        match self {
            Op::Neg
            | Op::Abs
            | Op::Sign
            | Op::Exp
            | Op::Expm1
            | Op::Log
            | Op::Log1p
            | Op::Sqrt
            | Op::Rsqrt => 1,
            Op::Sin
            | Op::Cos
            | Op::Tan
            | Op::Atan
            | Op::Tanh
            | Op::Erf
            | Op::Floor
            | Op::Ceil
            | Op::Round => 1,
            Op::Not | Op::IsNan | Op::IsFinite | Op::Cast | Op::Stop | Op::Length | Op::Upper | Op::Lower => {
                1
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::FloorDiv | Op::Mod | Op::Pow | Op::Max | Op::Min => 3,
            Op::Atan2 | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::RandomBits | Op::Append => 3,
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => 2,
            Op::Select => 3,
            Op::Const | Op::Cond | Op::While | Op::Call | Op::Try | Op::Host => 0,
            Op::ReduceSum
            | Op::ReduceProd
            | Op::ReduceMax
            | Op::ReduceMin
            | Op::ReduceAll
            | Op::ReduceAny => 2,
            Op::ArgMax | Op::ArgMin => 3,
            Op::ArgSort => 2,
            Op::Reshape | Op::Broadcast | Op::Slice | Op::Index | Op::Gather | Op::Range | Op::Check => 2,
            Op::Transpose | Op::Dim | Op::Print | Op::Leave => 1,
            Op::Concat | Op::ArgTop | Op::Cholesky | Op::Det | Op::Eigh => 3,
            Op::Qr | Op::Svd => 2,
            Op::Matmul | Op::Put | Op::Conv2d | Op::TriangularSolve | Op::Solve => 5,
        }
    }
}

impl Attr {
    /// The step of arithmetic that an op with this attribute checks for overflow, if it does.
    pub fn checked(&self, op: Op) -> Option<Arithmetic> {
        if let Attr::ToChecked(_) = self {
            return Some(Arithmetic::Cast);
        }
        if *self == Attr::Checked { op.arithmetic() } else { None }
    }
}

impl Node {
    /// The step of arithmetic that fails where its result leaves the type of integers, if the node checks that.
    pub fn checked(&self) -> Option<Arithmetic> {
        self.attr.checked(self.op)
    }
}

impl Op {
    /// The step of arithmetic that may leave the type of integers, so that [`Attr::Checked`] may be said of it.
    pub fn arithmetic(self) -> Option<Arithmetic> {
        let steps = [
            (Op::Neg, Arithmetic::Neg),
            (Op::Abs, Arithmetic::Abs),
            (Op::Add, Arithmetic::Add),
            (Op::Sub, Arithmetic::Sub),
            (Op::Mul, Arithmetic::Mul),
            (Op::FloorDiv, Arithmetic::FloorDiv),
            (Op::Pow, Arithmetic::Pow),
            (Op::Shl, Arithmetic::Shl),
        ];
        steps.into_iter().find(|(op, _)| *op == self).map(|(_, step)| step)
    }
}

/// What one call of `infer` is about.
struct Ctx<'a> {
    op: Op,
    args: &'a [TensorType],
    fresh: &'a mut dyn FnMut() -> DimVar,
}

impl Ctx<'_> {
    fn unfit(&self, clause: usize, code: Code, message: impl Into<String>) -> Unfit {
        debug_assert!(clause <= self.op.clauses(), "a clause without a row in `Op::clauses`");
        Unfit { clause: self.op.clause(clause), code, message: message.into() }
    }

    fn fresh(&mut self) -> Dim {
        Dim::Var((self.fresh)())
    }

    fn judge_arity(&self) -> Result<(), Unfit> {
        let (fits, wanted) = match self.op.arity() {
            Arity::Exactly(n) => (self.args.len() == n, format!("{n}")),
            Arity::AtLeast(n) => (self.args.len() >= n, format!("at least {n}")),
        };
        let found = self.args.len();
        if fits { Ok(()) } else { Err(self.bad(0, format!("takes {wanted} operands, not {found}"))) }
    }

    fn bad(&self, clause: usize, message: impl Into<String>) -> Unfit {
        self.unfit(clause, Code::BadArgument, message)
    }

    fn wrong_shape(&self, clause: usize, message: impl Into<String>) -> Unfit {
        self.unfit(clause, Code::WrongShape, message)
    }

    /// The attribute's kind is not the op's.
    fn wrong_attr(&self) -> Unfit {
        self.bad(0, format!("cannot {} with such an attribute", words::verb(self.op)))
    }

    fn judge_plain(&self, attr: &Attr) -> Result<(), Unfit> {
        if *attr == Attr::None { Ok(()) } else { Err(self.wrong_attr()) }
    }

    /// No attribute; or a check of overflow, of an op on integer scalars that has one.
    fn judge_arithmetic(&self, attr: &Attr) -> Result<(), Unfit> {
        let checks = self.op.arithmetic().is_some()
            && self.args.iter().all(|arg| arg.dtype.is_int() && arg.is_scalar());
        if *attr == Attr::Checked && checks { Ok(()) } else { self.judge_plain(attr) }
    }

    fn judge_dtype(&self, clause: usize, dtype: DType, takes: Takes) -> Result<(), Unfit> {
        if takes.holds(dtype) {
            return Ok(());
        }
        let (verb, found) = (words::verb(self.op), dtype.python_name());
        Err(self.unfit(clause, Code::WrongDType, format!("cannot {verb} {found}; it takes {}", takes.text())))
    }

    fn judge_same_dtype(&self, clause: usize, x: &TensorType, y: &TensorType) -> Result<(), Unfit> {
        if x.dtype == y.dtype {
            return Ok(());
        }
        let (x, y) = (x.dtype.python_name(), y.dtype.python_name());
        Err(self.unfit(clause, Code::DTypesDiffer, format!("cannot {} {x} and {y}", words::verb(self.op))))
    }

    fn judge_axis(&self, clause: usize, axis: usize, x: &TensorType) -> Result<(), Unfit> {
        if axis < x.rank() {
            return Ok(());
        }
        Err(self.wrong_shape(clause, format!("axis {axis} of shape {} does not exist", x.shape)))
    }

    fn judge_length_operand(&self, clause: usize, at: usize) -> Result<(), Unfit> {
        let fits = at > 0 && self.args.get(at).is_some_and(|ty| *ty == TensorType::scalar(DType::I64));
        if fits { Ok(()) } else { Err(self.bad(clause, "a length or position must be an int64 scalar")) }
    }

    fn broadcast(&mut self, clause: usize, x: &Shape, y: &Shape) -> Result<Shape, Unfit> {
        let failed = self.wrong_shape(clause, format!("shapes {x} and {y} do not broadcast"));
        gw_types::broadcast(x, y, &mut *self.fresh).map_err(|_| failed)
    }
}

fn one(dtype: DType, shape: Shape) -> Result<Vec<TensorType>, Unfit> {
    Ok(vec![TensorType::new(dtype, shape)])
}

#[cfg(test)]
mod tests;
