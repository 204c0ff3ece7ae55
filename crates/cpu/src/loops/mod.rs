//! The loop IR: structured SSA between the graph and machine code.
//!
//! A [`Func`] computes on numbers and addresses. Each [`Var`] is defined once; a block sees what is defined before it in
//! the blocks around it. Loops carry values explicitly. Nothing here traps: whoever makes a division guards it.

mod buffer_allocation;
mod build;
mod callee;
mod counted;
mod numbering;
mod ranges;
mod share;
mod text;
mod verify;

pub(crate) use buffer_allocation::allocate_buffers;
pub use build::Build;
pub use callee::Callee;
pub(crate) use counted::count_turns;
pub use ranges::{Range, SHORT};
pub use share::{Cut, Own, Share};
pub(crate) use share::{is_apart, outline};
pub use verify::verify;

use gw_base::{Table, ids};
use gw_types::DType;

ids! {
    /// One value of a function.
    Var;
}

/// The type of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ty {
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// 32-bit integer.
    I32,
    /// 64-bit integer.
    I64,
    /// 0 or 1, one byte in memory.
    Bool,
    /// 8-bit integer, which is [narrow](Ty::register).
    I8,
    /// 16-bit integer, which is narrow.
    I16,
    /// 8-bit integer without a sign, which is narrow.
    U8,
    /// 16-bit integer without a sign, which is narrow.
    U16,
    /// 32-bit integer without a sign, which is narrow.
    U32,
    /// An address.
    Ptr,
}

/// One native function.
#[derive(Debug, Clone)]
pub struct Func {
    /// The user's name for it.
    pub name: String,
    /// The parameters; none if it is the graph itself, which reads its arguments from the context.
    pub params: Vec<Var>,
    /// The results; none if it is the graph itself.
    pub results: Vec<Var>,
    /// The type of each variable.
    pub vars: Table<Var, Ty>,
    /// The statements.
    pub body: Block,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// Defines a variable.
    Let(Var, Expr),
    /// `ptr[index] = value`, the index counted in elements of the value's type.
    Store {
        /// Address of the elements.
        ptr: Var,
        /// Index of the element.
        index: Var,
        /// The value.
        value: Var,
    },
    /// Calls for the sake of what it does.
    Do(Callee, Vec<Var>),
    /// Calls another function of the program; if that fails, this one fails likewise.
    Invoke {
        /// Number of the function.
        function: usize,
        /// The arguments.
        args: Vec<Var>,
        /// The results.
        outs: Vec<Var>,
    },
    /// Leaves the function at a site unless `ok`; the words go to the scratch area first.
    Guard {
        /// True if to go on.
        ok: Var,
        /// Site that fails.
        site: usize,
        /// i64s that its message shows.
        words: Vec<Var>,
    },
    /// Runs one of two arms; the results of the arm become `outs`.
    If {
        /// Test.
        test: Var,
        /// True if the first arm hardly ever runs.
        cold: bool,
        /// If it holds.
        then: Arm,
        /// If it does not.
        otherwise: Arm,
        /// The results of the arms.
        outs: Vec<Var>,
    },
    /// Runs a block, which a `Leave` may end sooner.
    Try {
        /// The body; its results are given if nothing leaves.
        body: Arm,
        /// The results.
        outs: Vec<Var>,
    },
    /// Ends the innermost `Try`, which gives these, unless `ok`.
    Leave {
        /// True if to go on.
        ok: Var,
        /// The results of the `Try`.
        given: Vec<Var>,
    },
    /// Counts `iv` from 0 to `stop`.
    For {
        /// The counter, an i64.
        iv: Var,
        /// One past the last count.
        stop: Var,
        /// Values from one iteration to the next.
        carries: Vec<Carry>,
        /// One iteration, which gives the next carries.
        body: Arm,
    },
    /// Takes floating elements together, one for each count of `iv` from 0 to `stop`, behind what there is already.
    Reduce {
        /// The operation.
        how: Lanewise,
        /// The counter, an i64.
        iv: Var,
        /// One past the last count.
        stop: Var,
        /// The total before the loop.
        init: Var,
        /// Gives the element.
        body: Arm,
        /// All together; sums are double.
        out: Var,
    },
    /// Repeats while the test holds.
    While {
        /// Values from one iteration to the next; test and body see the same.
        carries: Vec<Carry>,
        /// Gives one bool.
        test: Arm,
        /// One iteration, which gives the next carries.
        body: Arm,
    },
    /// A loop that several threads may work off.
    Share(Share),
    /// Notes for the profiler which node of the graph is worked off from here on.
    Mark(i64),
}

/// A block with what it gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Arm {
    /// Its statements.
    pub block: Block,
    /// The results.
    pub results: Vec<Var>,
}

/// The order of a reduction of floats. Fewer than [`Lanewise::LONG`] are taken in order. With [`Lanewise::lanes`] lanes,
/// element `i` of more belongs to lane `i % lanes`; each lane begins with [`Lanewise::identity`] and takes its elements in
/// order; in the end lane `l` takes lane `l + lanes / 2`, and so on until one is left, which is taken behind what there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lanewise {
    /// Added, in double precision.
    Sum,
    /// The first of the greatest; NaN if there is one.
    Greatest,
    /// The first of the least; NaN if there is one.
    Least,
}

impl Lanewise {
    /// From so many elements on there are lanes.
    pub const LONG: i64 = 64;

    /// As many elements of this type as 512 bits hold.
    pub fn lanes(element: Ty) -> usize {
        64 / element.size()
    }

    /// The total of no elements.
    pub fn identity(self) -> f64 {
        match self {
            Lanewise::Sum => 0.0,
            Lanewise::Greatest => f64::NEG_INFINITY,
            Lanewise::Least => f64::INFINITY,
        }
    }

    /// The type of what elements give.
    pub fn total(self, element: Ty) -> Ty {
        match self {
            Lanewise::Sum => Ty::F64,
            Lanewise::Greatest | Lanewise::Least => element,
        }
    }
}

/// A value that a loop threads from one iteration to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carry {
    /// Before the first iteration.
    pub init: Var,
    /// During an iteration.
    pub param: Var,
    /// After the loop.
    pub out: Var,
}

/// The definition of a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// An integer or bool.
    Int(i64),
    /// A floating number.
    Real(f64),
    /// The address of a tensor written in the graph.
    Literal(usize),
    /// An address that the context holds or has.
    Field(Field),
    /// Of one operand.
    Unary(Unary, Var),
    /// Of two operands of one type.
    Binary(Binary, Var, Var),
    /// True if the exact sum, difference or product of two integers of one type does not fit that.
    Overflows(Binary, Var, Var),
    /// A bool of two operands of one type.
    Compare(Compare, Var, Var),
    /// The second if the first holds, else the third.
    Select(Var, Var, Var),
    /// The same number in the variable's type: integers wrap, floats saturate, bools are 0 and 1.
    Convert(Var),
    /// `ptr[index]`, counted in elements of the variable's type.
    Load(Var, Var),
    /// The address of `ptr[index]`, counted in elements of this type.
    Offset(Var, Var, Ty),
    /// The result of a function.
    Call(Callee, Vec<Var>),
    /// True if there is stack for another function.
    Room,
}

/// A word of the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// The context itself.
    Context,
    /// Address of the words of the arguments.
    Args,
    /// Address of the words of the results.
    Outs,
    /// Address of the slots.
    Slots,
    /// Address of the scratch area.
    Scratch,
    /// Address of the count of iterations.
    Ticks,
    /// Address of the word that holds the address of the slots of the function that was entered last.
    Activation,
}

/// Functions of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `-x`, wrapping
    Neg,
    /// `|x|`, wrapping
    Abs,
    /// Bitwise, logical for bools.
    Not,
    /// `√x`
    Sqrt,
    /// The greatest integer not above.
    Floor,
    /// The least integer not below.
    Ceil,
    /// The nearest integer, ties to even.
    Nearest,
}

/// Functions of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Wrapping.
    Add,
    /// Wrapping.
    Sub,
    /// Wrapping.
    Mul,
    /// Of i64s that are not negative; what does not fit becomes the greatest.
    MulSaturating,
    /// The upper half of the unsigned product of integers.
    MulHigh,
    /// Of floats; of integers cut toward zero, the divisor neither 0 nor -1.
    Div,
    /// The quotient of integers from 0 to 2^31 - 1, the divisor not zero.
    ShortDiv,
    /// The rest of such.
    ShortRest,
    /// Bitwise.
    And,
    /// Bitwise.
    Or,
    /// Bitwise.
    Xor,
    /// Amounts below the width.
    Shl,
    /// Arithmetic; amounts below the width.
    Sar,
    /// Logical; amounts below the width.
    Shr,
}

/// Comparisons; false with NaN but for `Ne`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// Unsigned `<`, of integers.
    Below,
}

impl Ty {
    /// The type in which elements are computed.
    pub fn of(dtype: DType) -> Ty {
        match dtype {
            DType::Bool => Ty::Bool,
            DType::I8 => Ty::I8,
            DType::I16 => Ty::I16,
            DType::U8 => Ty::U8,
            // The bits of a number of half precision.
            DType::U16 | DType::F16 | DType::BF16 => Ty::U16,
            DType::U32 => Ty::U32,
            DType::I32 => Ty::I32,
            // A string is the word that stands for it.
            DType::I64 | DType::U64 | DType::Str => Ty::I64,
            // A complex number is two of these.
            DType::F32 | DType::C64 => Ty::F32,
            DType::F64 | DType::C128 => Ty::F64,
        }
    }

    /// Bytes in memory.
    pub fn size(self) -> usize {
        match self {
            Ty::Bool | Ty::I8 | Ty::U8 => 1,
            Ty::I16 | Ty::U16 => 2,
            Ty::F32 | Ty::I32 | Ty::U32 => 4,
            Ty::F64 | Ty::I64 | Ty::Ptr => 8,
        }
    }

    /// Bits of a number.
    pub fn bits(self) -> i64 {
        8 * self.size() as i64
    }

    /// True if it has integers; a bool is 0 or 1.
    pub fn is_integer(self) -> bool {
        self == Ty::Bool || self == Ty::I32 || self == Ty::I64 || self.register() != self
    }

    /// The type in which its numbers are computed: that of a narrow integer is wider than itself. A narrow type is one of
    /// memory; its numbers are moved, chosen and converted from and to their register's type, and nothing else.
    pub fn register(self) -> Ty {
        match self {
            Ty::I8 | Ty::I16 | Ty::U8 | Ty::U16 => Ty::I32,
            Ty::U32 => Ty::I64,
            Ty::Bool | Ty::I32 | Ty::I64 | Ty::F32 | Ty::F64 | Ty::Ptr => self,
        }
    }

    /// True if it is a floating type.
    pub fn is_float(self) -> bool {
        matches!(self, Ty::F32 | Ty::F64)
    }
}

impl Stmt {
    /// The blocks inside.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Stmt::Let(..) | Stmt::Store { .. } | Stmt::Do(..) | Stmt::Invoke { .. } => Vec::new(),
            Stmt::Guard { .. } | Stmt::Leave { .. } | Stmt::Mark(_) => Vec::new(),
            Stmt::If { then, otherwise, .. } => vec![&mut then.block, &mut otherwise.block],
            Stmt::Try { body, .. } | Stmt::For { body, .. } | Stmt::Reduce { body, .. } => {
                vec![&mut body.block]
            }
            Stmt::While { test, body, .. } => vec![&mut test.block, &mut body.block],
            Stmt::Share(share) => vec![&mut share.body],
        }
    }
}

impl Expr {
    /// The variables that it reads.
    pub fn operands(&self) -> Vec<Var> {
        match self {
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Room => Vec::new(),
            Expr::Unary(_, x) | Expr::Convert(x) => vec![*x],
            Expr::Binary(_, x, y) | Expr::Overflows(_, x, y) | Expr::Compare(_, x, y) => vec![*x, *y],
            Expr::Load(x, y) | Expr::Offset(x, y, _) => vec![*x, *y],
            Expr::Select(c, x, y) => vec![*c, *x, *y],
            Expr::Call(_, args) => args.clone(),
        }
    }

    /// The same of other variables.
    pub fn map(&self, mut to: impl FnMut(Var) -> Var) -> Expr {
        match self {
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) | Expr::Room => self.clone(),
            Expr::Unary(unary, x) => Expr::Unary(*unary, to(*x)),
            Expr::Convert(x) => Expr::Convert(to(*x)),
            Expr::Binary(binary, x, y) => Expr::Binary(*binary, to(*x), to(*y)),
            Expr::Overflows(binary, x, y) => Expr::Overflows(*binary, to(*x), to(*y)),
            Expr::Compare(compare, x, y) => Expr::Compare(*compare, to(*x), to(*y)),
            Expr::Load(x, y) => Expr::Load(to(*x), to(*y)),
            Expr::Offset(x, y, ty) => Expr::Offset(to(*x), to(*y), *ty),
            Expr::Select(c, x, y) => Expr::Select(to(*c), to(*x), to(*y)),
            Expr::Call(callee, args) => Expr::Call(*callee, args.iter().map(|&arg| to(arg)).collect()),
        }
    }

    /// True if it costs next to nothing, reads no memory and always may be computed.
    pub fn is_cheap(&self) -> bool {
        match self {
            Expr::Int(_) | Expr::Real(_) | Expr::Literal(_) | Expr::Field(_) => true,
            Expr::Unary(unary, _) => *unary != Unary::Sqrt,
            Expr::Binary(binary, ..) => !matches!(binary, Binary::Div | Binary::ShortDiv | Binary::ShortRest),
            Expr::Compare(..) | Expr::Select(..) | Expr::Convert(_) | Expr::Offset(..) => true,
            Expr::Overflows(..) => true,
            Expr::Load(..) | Expr::Call(..) | Expr::Room => false,
        }
    }
}
