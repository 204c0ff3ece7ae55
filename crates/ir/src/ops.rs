//! The op table: one row per op. Behaviour lives elsewhere, one file per aspect, one arm per row.

/// How many operands an op takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Just so many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
}

/// What an op does with its operands' elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// `out[i] = f(x[i], …)`; shapes broadcast as in NumPy.
    Elementwise,
    /// Folds whole axes.
    Reduce,
    /// Moves elements without computing on them.
    Move,
    /// Sums products.
    Contract,
    /// Takes matrices apart, or solves with them.
    Matrices,
    /// Makes elements out of scalars or nothing.
    Source,
    /// Has regions.
    Control,
    /// Acts on the world, in the order of the block.
    Effect,
}

macro_rules! define_ops {
    (@arity ($($operand:ident),*)) => {{
        const NAMES: &[&str] = &[$(stringify!($operand)),*];
        Arity::Exactly(NAMES.len())
    }};
    (@arity ($($operand:ident),*; $rest:ident)) => {{
        const NAMES: &[&str] = &[$(stringify!($operand)),*];
        Arity::AtLeast(NAMES.len())
    }};
    (@clauses $text:literal) => {
        [concat!($text, ".c0"), concat!($text, ".c1"), concat!($text, ".c2"), concat!($text, ".c3"),
         concat!($text, ".c4"), concat!($text, ".c5")]
    };
    (@operands ($($operand:ident),*)) => { &[$(stringify!($operand)),*] };
    (@operands ($($operand:ident),*; $rest:ident)) => { &[$(stringify!($operand),)* stringify!($rest)] };
    ($($(#[$doc:meta])* $name:ident = $text:literal $operands:tt $class:ident;)*) => {
        /// The operations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[$doc])* $name,)* }

        impl Op {
            /// Every op, in the table's order.
            pub const ALL: &[Op] = &[$(Op::$name,)*];
            /// The name in the graph's text form and of its page.
            pub fn text(self) -> &'static str { match self { $(Op::$name => $text,)* } }
            /// The op of this name.
            pub fn from_text(text: &str) -> Option<Op> { match text { $($text => Some(Op::$name),)* _ => None } }
            /// The name of a clause of its page, `mul.c1`; past the last one, that of the last one.
            pub fn clause(self, number: usize) -> &'static str {
                let names = match self { $(Op::$name => define_ops!(@clauses $text),)* };
                names[number.min(names.len() - 1)]
            }
            /// What it does with its operands' elements.
            pub fn class(self) -> Class { match self { $(Op::$name => Class::$class,)* } }
            /// How many operands it takes.
            pub fn arity(self) -> Arity { match self { $(Op::$name => define_ops!(@arity $operands),)* } }
            /// The operands' names; the last one of a variadic op stands for the rest.
            pub fn operands(self) -> &'static [&'static str] {
                match self { $(Op::$name => define_ops!(@operands $operands),)* }
            }
        }
    };
}

define_ops! {
    /// `out[i] = -x[i]`
    Neg = "neg" (x) Elementwise;
    /// `out[i] = |x[i]|`
    Abs = "abs" (x) Elementwise;
    /// `out[i] = -1, 0 or 1`
    Sign = "sign" (x) Elementwise;
    /// `out[i] = e^x[i]`
    Exp = "exp" (x) Elementwise;
    /// `out[i] = e^x[i] - 1`, exact near zero
    Expm1 = "expm1" (x) Elementwise;
    /// `out[i] = ln x[i]`
    Log = "log" (x) Elementwise;
    /// `out[i] = ln (1 + x[i])`, exact near zero
    Log1p = "log1p" (x) Elementwise;
    /// `out[i] = √x[i]`
    Sqrt = "sqrt" (x) Elementwise;
    /// `out[i] = 1/√x[i]`
    Rsqrt = "rsqrt" (x) Elementwise;
    /// Sine, of radians.
    Sin = "sin" (x) Elementwise;
    /// Cosine, of radians.
    Cos = "cos" (x) Elementwise;
    /// Tangent, of radians.
    Tan = "tan" (x) Elementwise;
    /// Inverse tangent, in radians.
    Atan = "atan" (x) Elementwise;
    /// Hyperbolic tangent.
    Tanh = "tanh" (x) Elementwise;
    /// Gauss error function.
    Erf = "erf" (x) Elementwise;
    /// The greatest integer not above.
    Floor = "floor" (x) Elementwise;
    /// The least integer not below.
    Ceil = "ceil" (x) Elementwise;
    /// The nearest integer, ties to even.
    Round = "round" (x) Elementwise;
    /// Logical not of bools, bitwise not of integers.
    Not = "not" (x) Elementwise;
    /// Whether it is NaN.
    IsNan = "is_nan" (x) Elementwise;
    /// Whether it is neither NaN nor infinite.
    IsFinite = "is_finite" (x) Elementwise;
    /// `out[i] = x[i] + y[i]`
    Add = "add" (x, y) Elementwise;
    /// `out[i] = x[i]` followed by `y[i]`, of strings
    Append = "append" (x, y) Elementwise;
    /// The bytes of a string, counted.
    Length = "length" (x) Elementwise;
    /// A string with the letters of ASCII as capitals.
    Upper = "upper" (x) Elementwise;
    /// A string with the letters of ASCII as small ones.
    Lower = "lower" (x) Elementwise;
    /// `out[i] = x[i] - y[i]`
    Sub = "sub" (x, y) Elementwise;
    /// `out[i] = x[i] * y[i]`
    Mul = "mul" (x, y) Elementwise;
    /// `out[i] = x[i] / y[i]`, floats only
    Div = "div" (x, y) Elementwise;
    /// `out[i] = ⌊x[i] / y[i]⌋`; an integer zero divisor fails as `ZeroDivisionError`
    FloorDiv = "floor_div" (x, y) Elementwise;
    /// `out[i] = x[i] - y[i] * ⌊x[i] / y[i]⌋`, the sign of `y`; an integer zero divisor fails as `ZeroDivisionError`
    Mod = "mod" (x, y) Elementwise;
    /// `out[i] = x[i] ^ y[i]`; a negative integer exponent fails as `ValueError`
    Pow = "pow" (x, y) Elementwise;
    /// The greater; NaN if either is.
    Max = "max" (x, y) Elementwise;
    /// The lesser; NaN if either is.
    Min = "min" (x, y) Elementwise;
    /// The angle of the point `(y[i], x[i])`, operands in that order.
    Atan2 = "atan2" (y, x) Elementwise;
    /// Logical and of bools, bitwise and of integers.
    And = "and" (x, y) Elementwise;
    /// Logical or of bools, bitwise or of integers.
    Or = "or" (x, y) Elementwise;
    /// Exclusive or.
    Xor = "xor" (x, y) Elementwise;
    /// Shift left, `0 <= y < width`; other amounts give 0.
    Shl = "shl" (x, y) Elementwise;
    /// Arithmetic shift right; amounts past the width act as the width less one.
    Shr = "shr" (x, y) Elementwise;
    /// 64 bits that look like chance, as Threefry-2x32 makes them of a key and a counter.
    RandomBits = "random_bits" (key, counter) Elementwise;
    /// `out[i] = x[i] == y[i]`
    Eq = "eq" (x, y) Elementwise;
    /// `out[i] = x[i] != y[i]`
    Ne = "ne" (x, y) Elementwise;
    /// `out[i] = x[i] < y[i]`
    Lt = "lt" (x, y) Elementwise;
    /// `out[i] = x[i] <= y[i]`
    Le = "le" (x, y) Elementwise;
    /// `out[i] = x[i] > y[i]`
    Gt = "gt" (x, y) Elementwise;
    /// `out[i] = x[i] >= y[i]`
    Ge = "ge" (x, y) Elementwise;
    /// `out[i] = x[i] if c[i] else y[i]`
    Select = "select" (c, x, y) Elementwise;
    /// A function of numbers that the graph is given, on each element; the operands broadcast.
    Foreign = "foreign" (x; args) Elementwise;
    /// The nearest element of another type; floats are cut toward zero and saturate, integers wrap.
    Cast = "cast" (x) Elementwise;
    /// `out[i] = x[i]`, which no derivative goes through.
    Stop = "stop_gradient" (x) Elementwise;

    /// Sum over axes; of nothing 0.
    ReduceSum = "reduce_sum" (x) Reduce;
    /// Product over axes; of nothing 1.
    ReduceProd = "reduce_prod" (x) Reduce;
    /// Greatest over axes; of nothing the least value of the type; NaN if any is.
    ReduceMax = "reduce_max" (x) Reduce;
    /// Least over axes; of nothing the greatest value of the type; NaN if any is.
    ReduceMin = "reduce_min" (x) Reduce;
    /// Whether all are true.
    ReduceAll = "reduce_all" (x) Reduce;
    /// Whether any is true.
    ReduceAny = "reduce_any" (x) Reduce;
    /// Position of the first greatest element of an axis, as i64; the first NaN wins; an empty axis fails as `ValueError`.
    ArgMax = "arg_max" (x) Reduce;
    /// Position of the first least element of an axis, as i64; the first NaN wins; an empty axis fails as `ValueError`.
    ArgMin = "arg_min" (x) Reduce;
    /// Positions of the elements of the last axis in ascending order, as i64; equal ones keep theirs, NaN comes last.
    ArgSort = "arg_sort" (x) Reduce;
    /// Positions of the greatest elements of the last axis, from the greatest down, as i64; of equal ones the first comes
    /// first, NaN is the greatest; an axis with fewer elements fails as `ValueError`.
    ArgTop = "arg_top" (x) Reduce;

    /// The same elements in other axes.
    Reshape = "reshape" (x; dims) Move;
    /// Repeats axes of length 1, and adds axes in front.
    Broadcast = "broadcast" (x; dims) Move;
    /// Permutes axes.
    Transpose = "transpose" (x) Move;
    /// Python's `x[start:stop:step]` on each axis.
    Slice = "slice" (x; bounds) Move;
    /// Python's `x[i]` on one axis, which goes away; a negative `i` counts from the end; out of range fails as `IndexError`.
    Index = "index" (x, i) Move;
    /// `out[…, j, …] = x[…, indices[j], …]` along an axis, indices as in `index`; out of range fails as `IndexError`.
    Gather = "gather" (x, indices) Move;
    /// Joins along an axis.
    Concat = "concat" (x; rest) Move;
    /// Python's `x[places] = value`: x with other elements in some places; out of range fails as `IndexError`.
    Put = "put" (x, value; places) Move;

    /// Matrix product of the last two axes; the axes before them broadcast.
    Matmul = "matmul" (x, y) Contract;
    /// `out[n, i, j, o] = Σ x[n, i + a, j + b, c] * filter[a, b, c, o]`, of windows that move over the two axes in the middle.
    Conv2d = "conv2d" (x, filter) Contract;

    /// The lower triangle `l` with `l @ lᵀ = x`, which is read in its lower triangle; NaN everywhere if there is none.
    Cholesky = "cholesky" (x) Matrices;
    /// `a @ out = b` for a triangle, of which the other elements are not read.
    TriangularSolve = "triangular_solve" (a, b) Matrices;
    /// `a @ out = b`; of a singular matrix some of it is infinite or NaN.
    Solve = "solve" (a, b) Matrices;
    /// The determinant, its sign, and the logarithm of its magnitude.
    Det = "det" (x) Matrices;
    /// `x = q @ r`: the rows of `r`, and next to them those of `qᵀ`.
    Qr = "qr" (x) Matrices;
    /// Of a symmetric matrix the eigenvalues, ascending, and below them its eigenvectors as columns.
    Eigh = "eigh" (x) Matrices;
    /// `x = u @ diag(s) @ vᵀ`: a row with the singular values, descending, below it `u`, below that `v`.
    Svd = "svd" (x) Matrices;

    /// A tensor written in the graph.
    Const = "const" () Source;
    /// `start, start + step, …` up to and without `stop`, integers; a step of zero fails as `ValueError`.
    Range = "range" (start, stop, step) Source;
    /// The length of an axis, as i64.
    Dim = "dim" (x) Source;

    /// One of two regions, by a bool.
    Cond = "cond" (test; rest) Control;
    /// Repeats a region while another gives true; the operands are the first carries.
    While = "while" (; carries) Control;
    /// What a function of the graph returns; calls that nest deeper than there is room fail as `RecursionError`.
    Call = "call" (; args) Control;
    /// What its region gives, or what a `leave` in it gives sooner.
    Try = "try" () Control;

    /// Writes its operands to a stream of the host.
    Print = "print" (; values) Effect;
    /// What a function of the host gives.
    Host = "host_call" (; args) Effect;
    /// Fails, as the exception that it names, unless the bool is true.
    Check = "check" (ok; values) Effect;
    /// Ends the innermost `try` around it, which gives the values, unless the bool is true.
    Leave = "leave" (ok; values) Effect;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        for &op in Op::ALL {
            assert_eq!(Op::from_text(op.text()), Some(op));
        }
    }

    #[test]
    fn operands_match_the_arity() {
        assert_eq!(Op::Select.arity(), Arity::Exactly(3));
        assert_eq!(Op::Concat.arity(), Arity::AtLeast(1));
        assert_eq!(Op::Concat.operands(), ["x", "rest"]);
    }
}
