//! The words in which `infer` speaks to the user.

use gw_types::{DType, Kind};

use crate::Op;

/// Which dtypes an op takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Bools,
    Ints,
    WideInts,
    Floats,
    Numbers,
    BoolsAndInts,
    Strings,
}

impl Takes {
    pub(super) fn holds(self, dtype: DType) -> bool {
        match self {
            Takes::Bools => dtype.kind() == Kind::Bool,
            Takes::Ints => dtype.is_int(),
            Takes::WideInts => dtype == DType::I64,
            Takes::Floats => dtype.is_float(),
            Takes::Numbers => dtype.is_int() || dtype.is_float(),
            Takes::BoolsAndInts => dtype.kind() == Kind::Bool || dtype.is_int(),
            Takes::Strings => dtype == DType::Str,
        }
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Takes::Bools => "bool",
            Takes::Ints => "int32 or int64",
            Takes::WideInts => "int64",
            Takes::Floats => "float32 or float64",
            Takes::Numbers => "int32, int64, float32 or float64",
            Takes::BoolsAndInts => "bool, int32 or int64",
            Takes::Strings => "string",
        }
    }
}

/// What is done to the operands: `cannot {verb} float32 and int32`.
pub(super) fn verb(op: Op) -> &'static str {
    match op {
        Op::Neg => "negate",
        Op::Stop => "stop the gradient of",
        Op::Abs => "take the absolute value of",
        Op::Sign => "take the sign of",
        Op::Exp | Op::Expm1 => "take the exponential of",
        Op::Log | Op::Log1p => "take the logarithm of",
        Op::Sqrt | Op::Rsqrt => "take the square root of",
        Op::Sin => "take the sine of",
        Op::Cos => "take the cosine of",
        Op::Tan => "take the tangent of",
        Op::Atan | Op::Atan2 => "take the inverse tangent of",
        Op::Tanh => "take the hyperbolic tangent of",
        Op::Erf => "take the error function of",
        Op::Floor | Op::Ceil | Op::Round => "round",
        Op::Not => "invert",
        Op::IsNan | Op::IsFinite => "look for NaN or infinity in",
        Op::Add => "add",
        Op::Append => "append",
        Op::Upper | Op::Lower => "change the letters of",
        Op::Sub => "subtract",
        Op::Mul => "multiply",
        Op::Div => "divide",
        Op::FloorDiv => "floor-divide",
        Op::Mod => "take the remainder of",
        Op::Pow => "take the power of",
        Op::Max => "take the maximum of",
        Op::Min => "take the minimum of",
        Op::And | Op::Or | Op::Xor => "combine the truth values or bits of",
        Op::Shl | Op::Shr => "shift",
        Op::RandomBits => "make random bits of",
        Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => "compare",
        Op::Select => "choose between",
        Op::Cast => "cast",
        Op::ReduceSum => "sum",
        Op::ReduceProd => "take the product of",
        Op::ReduceMax | Op::ArgMax | Op::ArgTop => "find the greatest of",
        Op::ReduceMin | Op::ArgMin => "find the least of",
        Op::ArgSort => "sort",
        Op::ReduceAll | Op::ReduceAny => "take the truth of",
        Op::Reshape => "reshape",
        Op::Broadcast => "broadcast",
        Op::Transpose => "transpose",
        Op::Slice => "slice",
        Op::Index | Op::Gather => "index",
        Op::Concat => "join",
        Op::Put => "store",
        Op::Matmul => "matrix-multiply",
        Op::Conv2d => "convolve",
        Op::Cholesky | Op::Det | Op::Qr | Op::Eigh | Op::Svd => "take apart",
        Op::TriangularSolve | Op::Solve => "solve with",
        Op::Const => "write",
        Op::Range => "count in",
        Op::Dim | Op::Length => "measure",
        Op::Cond => "branch on",
        Op::While => "loop on",
        Op::Call | Op::Print | Op::Host | Op::Check | Op::Try | Op::Leave | Op::Foreign => op.text(),
    }
}
