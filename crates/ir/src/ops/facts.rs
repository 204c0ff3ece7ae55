//! Facts about ops that several rooms ask, each an exhaustive list.

use super::{BinaryOp, Class, CompareOp, MatrixOp, Op};

impl BinaryOp {
    /// True if the operands can be exchanged without changing a bit; of two zeros `max` gives the first.
    pub fn commutes(self) -> bool {
        match self {
            Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor => true,
            Self::Sub | Self::Div | Self::FloorDiv | Self::Mod | Self::Pow | Self::Atan2 => false,
            Self::Max | Self::Min | Self::Shl | Self::Shr | Self::RandomBits => false,
        }
    }
}

/// Condition on a second operand that is an integer; the op fails if it does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Any,
    /// Another number than zero.
    NotZero,
    /// A number not below zero.
    NotNegative,
}

impl Needs {
    /// True if a number will do.
    pub fn holds(self, number: i64) -> bool {
        match self {
            Needs::Any => true,
            Needs::NotZero => number != 0,
            Needs::NotNegative => number >= 0,
        }
    }
}

impl BinaryOp {
    /// Condition on a second operand that is an integer.
    pub fn needs(self) -> Needs {
        match self {
            Self::FloorDiv | Self::Mod => Needs::NotZero,
            Self::Pow | Self::Shl | Self::Shr => Needs::NotNegative,
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Max | Self::Min => Needs::Any,
            Self::Atan2 | Self::And | Self::Or | Self::Xor | Self::RandomBits => Needs::Any,
        }
    }
}

impl CompareOp {
    /// The comparison that says the same of the operands in the other order.
    pub fn turned(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
        }
    }

    /// The comparison that holds where this one does not; of floats where neither is NaN.
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }

    /// True if it holds of equal operands.
    pub fn holds_of_equals(self) -> bool {
        match self {
            Self::Eq | Self::Le | Self::Ge => true,
            Self::Ne | Self::Lt | Self::Gt => false,
        }
    }

    /// True if it asks whether the operands are the same, not which one is greater.
    pub fn is_equality(self) -> bool {
        match self {
            Self::Eq | Self::Ne => true,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => false,
        }
    }
}

impl MatrixOp {
    /// True if the matrices that it takes first are square.
    pub fn takes_square(self) -> bool {
        match self {
            Self::Cholesky | Self::TriangularSolve | Self::Solve | Self::Det | Self::Eigh => true,
            Self::Qr | Self::Svd | Self::Fft => false,
        }
    }
}

impl Op {
    /// Condition on a second operand that is an integer.
    pub fn needs(self) -> Needs {
        if let Op::Binary(op) = self { op.needs() } else { Needs::Any }
    }

    /// True if the elements of its result are elements of its operand, where they are: it can be read without being made.
    pub fn is_view(self) -> bool {
        self.class() == Class::Move && !matches!(self, Op::Gather | Op::Sort | Op::Concat | Op::Put)
    }

    /// True if it goes between complex numbers and their parts, or their types.
    pub fn is_of_parts(self) -> bool {
        matches!(self, Op::Part(_) | Op::Complex | Op::Cast)
    }

    /// True if it takes positions along axes, of which one may be out of range.
    pub fn is_indexed(self) -> bool {
        matches!(self, Op::Index | Op::Gather | Op::Put)
    }

    /// True if the time it takes is not that of its operands' elements: it repeats, or runs a function of the graph.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Op::While | Op::Call)
    }

    /// True if it runs one of its regions, or one again and again, as a test says.
    pub fn branches(self) -> bool {
        matches!(self, Op::Cond | Op::While)
    }

    /// True if the host does it, in the order of the program: it prints, or it calls a function.
    pub fn is_of_host(self) -> bool {
        matches!(self, Op::Print | Op::Host)
    }
}
