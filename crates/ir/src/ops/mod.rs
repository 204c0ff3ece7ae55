//! The op table: one row per op. Behaviour lives elsewhere, one file per aspect, one arm per op or per group of ops.
//!
//! A row says, in this order: the name in the text form and of the page, the operands, the dtypes it takes ([`Takes`]), whether its
//! results are the same everywhere ([`Exact`]), what it costs ([`Cost`]), and the verb of messages. A new op of a group needs a row, an
//! arm in `eval`, `grad` and `cpu`, a line in `stablehlo/src/rows.rs`, and a page.

#[macro_use]
mod define;
mod facts;
mod row;

pub use facts::Needs;
pub use row::{Arity, Class, Cost, Exact, Row, Takes};

define_ops! {
    /// A function of one element, which gives one of the same dtype.
    Unary(UnaryOp) Elementwise {
        /// `out[i] = -x[i]`
        Neg = "neg" (x) AnyNumbers Always Cheap "negate";
        /// `out[i] = |x[i]|`, of a complex number its distance from 0, of the type of its parts
        Abs = "abs" (x) AnyNumbers Always Cheap "take the absolute value of";
        /// `out[i] = -1, 0 or 1`
        Sign = "sign" (x) Numbers Always Cheap "take the sign of";
        /// `out[i] = e^x[i]`
        Exp = "exp" (x) Analytic Never Dear "take the exponential of";
        /// `out[i] = e^x[i] - 1`, exact near zero
        Expm1 = "expm1" (x) Analytic Never Dear "take the exponential of";
        /// `out[i] = ln x[i]`
        Log = "log" (x) Analytic Never Dear "take the logarithm of";
        /// `out[i] = log₂ x[i]`, exact of powers of two
        Log2 = "log2" (x) Analytic Never Dear "take the logarithm of";
        /// `out[i] = ln (1 + x[i])`, exact near zero
        Log1p = "log1p" (x) Analytic Never Dear "take the logarithm of";
        /// `out[i] = √x[i]`
        Sqrt = "sqrt" (x) Analytic Always Plain "take the square root of";
        /// `out[i] = 1/√x[i]`
        Rsqrt = "rsqrt" (x) Analytic Never Plain "take the square root of";
        /// Sine, of radians.
        Sin = "sin" (x) Analytic Never Dear "take the sine of";
        /// Cosine, of radians.
        Cos = "cos" (x) Analytic Never Dear "take the cosine of";
        /// Tangent, of radians.
        Tan = "tan" (x) Analytic Never Dear "take the tangent of";
        /// Inverse tangent, in radians.
        Atan = "atan" (x) Analytic Never Dear "take the inverse tangent of";
        /// Inverse sine, in radians.
        Asin = "asin" (x) Reals Never Dear "take the inverse sine of";
        /// Inverse cosine, in radians.
        Acos = "acos" (x) Reals Never Dear "take the inverse cosine of";
        /// Hyperbolic sine.
        Sinh = "sinh" (x) Reals Never Dear "take the hyperbolic sine of";
        /// Inverse hyperbolic sine.
        Asinh = "asinh" (x) Analytic Never Dear "take the inverse hyperbolic sine of";
        /// Hyperbolic tangent.
        Tanh = "tanh" (x) Analytic Never Dear "take the hyperbolic tangent of";
        /// Gauss error function.
        Erf = "erf" (x) Reals Never Dear "take the error function of";
        /// The greatest integer not above.
        Floor = "floor" (x) Floats Always Plain "round";
        /// The least integer not below.
        Ceil = "ceil" (x) Floats Always Plain "round";
        /// The nearest integer, ties to even.
        Round = "round" (x) Fields Always Plain "round";
        /// Logical not of bools, bitwise not of integers.
        Not = "not" (x) BoolsAndInts Always Cheap "invert";
        /// `out[i] = x[i]`, which no derivative goes through.
        Stop = "stop_gradient" (x) AnyNumbers Always Cheap "stop the gradient of";
    }
    /// A part of a complex number, in the type of the parts.
    Part(PartOp) Elementwise {
        /// The real part.
        Real = "real" (z) Complex Always Cheap "take the real part of";
        /// The imaginary part.
        Imag = "imag" (z) Complex Always Cheap "take the imaginary part of";
    }
    /// A question about one number.
    Test(TestOp) Elementwise {
        /// True where `x` is NaN.
        IsNan = "is_nan" (x) Fields Always Cheap "look for NaN or infinity in";
        /// True where `x` is neither NaN nor infinite.
        IsFinite = "is_finite" (x) Fields Always Cheap "look for NaN or infinity in";
    }
    /// A function of two elements of one dtype, which gives one of the same.
    Binary(BinaryOp) Elementwise {
        /// `out[i] = x[i] + y[i]`
        Add = "add" (x, y) AnyNumbers Always Cheap "add";
        /// `out[i] = x[i] - y[i]`
        Sub = "sub" (x, y) AnyNumbers Always Cheap "subtract";
        /// `out[i] = x[i] * y[i]`
        Mul = "mul" (x, y) AnyNumbers Always Cheap "multiply";
        /// `out[i] = x[i] / y[i]`, no integers
        Div = "div" (x, y) Fields Always Plain "divide";
        /// `out[i] = ⌊x[i] / y[i]⌋`; an integer zero divisor fails as `ZeroDivisionError`
        FloorDiv = "floor_div" (x, y) Numbers Always Plain "floor-divide";
        /// `out[i] = x[i] - y[i] * ⌊x[i] / y[i]⌋`, the sign of `y`; an integer zero divisor fails as `ZeroDivisionError`
        Mod = "mod" (x, y) Numbers Always Plain "take the remainder of";
        /// `out[i] = x[i] ^ y[i]`; a negative integer exponent fails as `ValueError`
        Pow = "pow" (x, y) AnyNumbers OfIntegers Dear "take the power of";
        /// The greater; NaN if either is.
        Max = "max" (x, y) Numbers Always Cheap "take the maximum of";
        /// The lesser; NaN if either is.
        Min = "min" (x, y) Numbers Always Cheap "take the minimum of";
        /// The angle of the point `(y[i], x[i])`, operands in that order.
        Atan2 = "atan2" (y, x) Floats Never Dear "take the inverse tangent of";
        /// Logical and of bools, bitwise and of integers.
        And = "and" (x, y) BoolsAndInts Always Cheap "combine the truth values or bits of";
        /// Logical or of bools, bitwise or of integers.
        Or = "or" (x, y) BoolsAndInts Always Cheap "combine the truth values or bits of";
        /// Exclusive or.
        Xor = "xor" (x, y) BoolsAndInts Always Cheap "combine the truth values or bits of";
        /// Shift left, `0 <= y < width`; other amounts give 0.
        Shl = "shl" (x, y) Ints Always Cheap "shift";
        /// Arithmetic shift right; amounts past the width act as the width less one.
        Shr = "shr" (x, y) Ints Always Cheap "shift";
        /// 64 bits that look like chance, as Threefry-2x32 makes them of a key and a counter.
        RandomBits = "random_bits" (key, counter) WideInts Always Dear "make random bits of";
    }
    /// A question about the order of two elements.
    Compare(CompareOp) Elementwise {
        /// `out[i] = x[i] == y[i]`
        Eq = "eq" (x, y) Own Always Cheap "compare";
        /// `out[i] = x[i] != y[i]`
        Ne = "ne" (x, y) Own Always Cheap "compare";
        /// `out[i] = x[i] < y[i]`
        Lt = "lt" (x, y) Ordered Always Cheap "compare";
        /// `out[i] = x[i] <= y[i]`
        Le = "le" (x, y) Ordered Always Cheap "compare";
        /// `out[i] = x[i] > y[i]`
        Gt = "gt" (x, y) Ordered Always Cheap "compare";
        /// `out[i] = x[i] >= y[i]`
        Ge = "ge" (x, y) Ordered Always Cheap "compare";
    }
    /// A function of strings.
    String(StringOp) Elementwise {
        /// `out[i] = x[i]` followed by `y[i]`, of strings
        Append = "append" (x, y) Strings Always Plain "append";
        /// The bytes of a string, counted.
        Length = "length" (x) Strings Always Plain "measure";
        /// A string with the letters of ASCII as capitals.
        Upper = "upper" (x) Strings Always Plain "change the letters of";
        /// A string with the letters of ASCII as small ones.
        Lower = "lower" (x) Strings Always Plain "change the letters of";
    }
    /// A fold of whole axes.
    Reduce(ReduceOp) Reduce {
        /// Sum over axes; of nothing 0.
        Sum = "reduce_sum" (x) AnyNumbers OfIntegers Plain "sum";
        /// Product over axes; of nothing 1.
        Prod = "reduce_prod" (x) Numbers OfIntegers Plain "take the product of";
        /// Greatest over axes; of nothing the least value of the type; NaN if any is.
        Max = "reduce_max" (x) Numbers Always Plain "find the greatest of";
        /// Least over axes; of nothing the greatest value of the type; NaN if any is.
        Min = "reduce_min" (x) Numbers Always Plain "find the least of";
        /// True if all elements are true.
        All = "reduce_all" (x) Bools Always Plain "take the truth of";
        /// True if any element is true.
        Any = "reduce_any" (x) Bools Always Plain "take the truth of";
    }
    /// Positions of elements along an axis.
    Arg(ArgOp) Reduce {
        /// Position of the first greatest element of an axis, as i64; the first NaN wins; an empty axis fails as `ValueError`.
        Max = "arg_max" (x) Numbers Always Plain "find the greatest of";
        /// Position of the first least element of an axis, as i64; the first NaN wins; an empty axis fails as `ValueError`.
        Min = "arg_min" (x) Numbers Always Plain "find the least of";
        /// Positions of the elements of the last axis in ascending order, as i64; equal ones keep theirs, NaN comes last.
        Sort = "arg_sort" (x) Numbers Always Plain "sort";
        /// Positions of the greatest elements of the last axis, from the greatest down, as i64; of equal ones the first comes
        /// first, NaN is the greatest; an axis with fewer elements fails as `ValueError`.
        Top = "arg_top" (x) Numbers Always Plain "find the greatest of";
    }
    /// A decomposition of matrices, or a solution with them.
    Matrix(MatrixOp) Matrices {
        /// The lower triangle `l` with `l @ lᵀ = x`, which is read in its lower triangle; NaN everywhere if there is none.
        Cholesky = "cholesky" (x) Own Never Plain "take apart";
        /// `a @ out = b` for a triangle, of which the other elements are not read.
        TriangularSolve = "triangular_solve" (a, b) Own Never Plain "solve with";
        /// `a @ out = b`; of a singular matrix some of it is infinite or NaN.
        Solve = "solve" (a, b) Own Never Plain "solve with";
        /// The determinant, its sign, and the logarithm of its magnitude.
        Det = "det" (x) Own Never Plain "take apart";
        /// `x = q @ r`: the rows of `r`, and next to them those of `qᵀ`.
        Qr = "qr" (x) Own Never Plain "take apart";
        /// Of a symmetric matrix the eigenvalues, ascending, and below them its eigenvectors as columns.
        Eigh = "eigh" (x) Own Never Plain "take apart";
        /// `x = u @ diag(s) @ vᵀ`: a row with the singular values, descending, below it `u`, below that `v`.
        Svd = "svd" (x) Own Never Plain "take apart";
        /// The Fourier transform along the last axis of complex numbers, whose parts are two rows; `adjoint` the inverse one,
        /// not divided by their number.
        Fft = "fft" (x) Own Never Dear "transform";
    }
    ---
    Elementwise {
        /// `out[i] = x[i] if c[i] else y[i]`
        Select = "select" (c, x, y) Own Always Cheap "choose between";
        /// A function of numbers that the graph is given, on each element; the operands broadcast.
        Foreign = "foreign" (x; args) Own Never Dear "foreign";
        /// The complex number of a real and an imaginary part.
        Complex = "complex" (re, im) Parts Always Cheap "make complex numbers of";
        /// The nearest element of another type; floats are cut toward zero and saturate, integers wrap.
        Cast = "cast" (x) Own Always Cheap "cast";
    }
    Move {
        /// The same elements in other axes.
        Reshape = "reshape" (x; dims) Own Always Plain "reshape";
        /// Repeats axes of length 1, and adds axes in front.
        Broadcast = "broadcast" (x; dims) Own Always Plain "broadcast";
        /// Permutes axes.
        Transpose = "transpose" (x) Own Always Plain "transpose";
        /// Python's `x[start:stop:step]` on each axis.
        Slice = "slice" (x; bounds) Own Always Plain "slice";
        /// Python's `x[i]` on one axis, which goes away; a negative `i` counts from the end; out of range fails as `IndexError`.
        Index = "index" (x, i) Own Always Plain "index";
        /// `out[…, j, …] = x[…, indices[j], …]` along an axis, indices as in `index`; out of range fails as `IndexError`.
        Gather = "gather" (x, indices) Own Always Plain "index";
        /// The elements of the last axis in ascending order; equal ones keep theirs, NaN comes last.
        Sort = "sort" (x) Numbers Always Plain "sort";
        /// Joins along an axis.
        Concat = "concat" (x; rest) Own Always Plain "join";
        /// Python's `x[places] = value`: x with other elements in some places; out of range fails as `IndexError`.
        Put = "put" (x, value; places) Own Always Plain "store";
    }
    Contract {
        /// Matrix product of the last two axes; the axes before them broadcast.
        Matmul = "matmul" (x, y) Own OfIntegers Plain "matrix-multiply";
        /// `out[n, i, j, o] = Σ x[n, i + a, j + b, c] * filter[a, b, c, o]`, of windows that move over the two axes in the middle.
        Conv2d = "conv2d" (x, filter) Own OfIntegers Plain "convolve";
    }
    Source {
        /// A tensor written in the graph.
        Const = "const" () Own Always Cheap "write";
        /// `start, start + step, …` up to and without `stop`, integers; a step of zero fails as `ValueError`.
        Range = "range" (start, stop, step) Own Always Plain "count in";
        /// The length of an axis, as i64.
        Dim = "dim" (x) Own Always Plain "measure";
    }
    Control {
        /// One of two regions, by a bool.
        Cond = "cond" (test; rest) Own Never Plain "branch on";
        /// Repeats a region while another gives true; the operands are the first carries.
        While = "while" (; carries) Own Never Plain "loop on";
        /// Results of a function of the graph; calls that nest deeper than there is room fail as
        /// `RecursionError`.
        Call = "call" (; args) Own Never Plain "call";
        /// Results of its region, or operands of a `leave` that ends the region sooner.
        Try = "try" () Own Never Plain "try";
    }
    Effect {
        /// Writes its operands to a stream of the host.
        Print = "print" (; values) Own Never Plain "print";
        /// Results of a function of the host.
        Host = "host_call" (; args) Own Never Plain "host_call";
        /// Fails, as the exception that it names, unless the bool is true.
        Check = "check" (ok; values) Own Never Plain "check";
        /// Ends the innermost `try` around it, which gives the values, unless the bool is true.
        Leave = "leave" (ok; values) Own Never Plain "leave";
    }
}

impl Op {
    /// The name in the graph's text form and of its page.
    pub fn text(self) -> &'static str {
        self.row().text
    }

    /// The name of a clause of its page, `mul.c1`; past the last one, that of the last one.
    pub fn clause(self, number: usize) -> &'static str {
        let names = self.row().clauses;
        names[number.min(names.len() - 1)]
    }

    /// Class of the op: the way it treats its operands' elements.
    pub fn class(self) -> Class {
        self.row().class
    }

    /// Number of operands.
    pub fn arity(self) -> Arity {
        self.row().arity
    }

    /// The operands' names; the last one of a variadic op stands for the rest.
    pub fn operands(self) -> &'static [&'static str] {
        self.row().operands
    }

    /// The dtypes that it takes.
    pub fn takes(self) -> Takes {
        self.row().takes
    }

    /// The results that are the same on every machine.
    pub fn exact(self) -> Exact {
        self.row().exact
    }

    /// The time that it takes for an element.
    pub fn cost(self) -> Cost {
        self.row().cost
    }
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
