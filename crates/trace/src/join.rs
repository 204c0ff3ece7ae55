//! The type in which two leaves meet, at the end of branches or from one iteration to the next.

use gw_ir::{Attr, BinaryOp, CheckKind, CompareOp, Literal, Op, Piece, PrintFormat, Stream, ValueId};
use gw_types::{DType, Dim, DimVar, Number, Promotion, Scalar, Shape, TensorType};

use crate::kinds::Marks;
use crate::origins::is_narrow;
use crate::trace::number_of;
use crate::{Lack, Seen, Slot, Staged, Trace};

/// The type of a leaf: a tensor type, weak if it came from host numbers alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafType {
    /// The type.
    pub(crate) ty: TensorType,
    /// The kind of the numbers that it came from.
    pub(crate) weak: Option<Number>,
    /// Facts about a single number of it.
    pub(crate) marks: Marks,
}

impl Trace {
    /// Has tensors keep their kind where branches or iterations meet, as plain Python has them.
    pub fn keep_kinds(&self) {
        self.kinds.keep();
    }
}

/// Why two leaves have no common type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clash {
    /// Two element types, neither of them weak.
    DType,
    /// A number of the host's own would be rounded to be one of the library's.
    Rounds,
    /// Different numbers of axes.
    Rank,
}

impl Clash {
    /// The remedy for such a number.
    pub(crate) const ROUNDS: &str = "NumPy's number keeps its few digits, and Python's has more: round it yourself, e.g. `np.float32(0.7)`, or make \
                                    NumPy's a Python float, e.g. `float(a[i])`";
}

impl LeafType {
    /// A type of its own.
    pub(crate) fn strong(ty: TensorType) -> Self {
        Self { ty, weak: None, marks: Marks::default() }
    }

    /// The type of a leaf that the graph can hold.
    pub(crate) fn of(trace: &Trace, seen: Seen) -> Option<Self> {
        match seen {
            Seen::Staged(s) | Seen::Maybe(s, ..) => {
                Some(Self { ty: trace.ty(s.value), weak: s.weak, marks: trace.marks(s) })
            }
            Seen::Number(n) => {
                let weak = number_of(n);
                let marks = Marks { may_be_bool: weak == Number::Bool, ..Marks::default() };
                Some(Self { ty: TensorType::scalar(weak.own_dtype()), weak: Some(weak), marks })
            }
            Seen::Text(_) => Some(Self::strong(TensorType::scalar(DType::Str))),
            Seen::Unbound | Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Object => None,
        }
    }

    /// The common type of two leaves. Lengths that differ become variables. Arrays have to be of one element type: what one of the
    /// other type would do, in stores, by `~` or as an index, is not what one of the greater type does.
    pub(crate) fn join(&self, other: &Self, trace: &Trace) -> Result<Self, Clash> {
        let are_arrays = !self.ty.is_scalar() && !other.ty.is_scalar();
        if are_arrays && self.ty.dtype != other.ty.dtype {
            return Err(Clash::DType);
        }
        self.join_as(other, trace, trace.promotion())
    }

    /// The same for rows, whose elements are single numbers.
    pub(crate) fn join_rows(&self, other: &Self, trace: &Trace) -> Result<Self, Clash> {
        self.join_as(other, trace, trace.promotion())
    }

    fn join_as(&self, other: &Self, trace: &Trace, promotion: Promotion) -> Result<Self, Clash> {
        let (dtype, weak) = self.join_dtype(other, promotion)?;
        let changes = |one: &Self| one.weak.is_none() && one.ty.dtype.kind() != dtype.kind();
        if trace.kinds.are_kept() && (changes(self) || changes(other)) {
            return Err(Clash::DType);
        }
        if self.ty.rank() != other.ty.rank() {
            return Err(Clash::Rank);
        }
        let dims = self.ty.shape.0.iter().zip(&other.ty.shape.0);
        let join = |(&a, &b): (&Dim, &Dim)| if a == b { a } else { Dim::Var(fresh(trace)) };
        let marks = self.join_marks(other, dtype, trace);
        Ok(Self { ty: TensorType::new(dtype, Shape(dims.map(join).collect())), weak, marks })
    }

    fn join_marks(&self, other: &Self, dtype: DType, trace: &Trace) -> Marks {
        let mut marks = self.marks.or(other.marks);
        let may_differ = dtype.is_int() || is_narrow(dtype);
        if may_differ && self.ty.is_scalar() && self.weak.is_some() != other.weak.is_some() {
            trace.ask_library();
            marks.is_mixed |= marks.is_library && dtype.is_int();
        }
        if dtype.is_float() && self.ty.is_scalar() {
            self.join_integers(other, &mut marks, trace);
        }
        marks
    }

    /// Marks a float that is one of two leaves, of which one is an integer.
    fn join_integers(&self, other: &Self, marks: &mut Marks, trace: &Trace) {
        for leaf in [self, other].into_iter().filter(|leaf| leaf.ty.dtype.is_int()) {
            marks.may_be_int = true;
            if leaf.weak.is_none() && leaf.ty.dtype != DType::I64 {
                trace.ask_library();
                marks.may_wrap |= leaf.marks.is_library;
            }
        }
    }

    fn join_dtype(&self, other: &Self, promotion: Promotion) -> Result<(DType, Option<Number>), Clash> {
        let (a, b) = (self.ty.dtype, other.ty.dtype);
        match (self.weak, other.weak) {
            (Some(m), Some(n)) => {
                let number = m.or(n);
                let widest = [a, b].into_iter().filter(|d| d.kind() == number.kind()).max();
                Ok((widest.unwrap_or(number.own_dtype()), Some(number)))
            }
            (None, Some(n)) => Ok((promotion.join_number(a, n).ok_or(Clash::DType)?, None)),
            (Some(n), None) => Ok((promotion.join_number(b, n).ok_or(Clash::DType)?, None)),
            (None, None) => Ok((promotion.join(a, b).ok_or(Clash::DType)?, None)),
        }
    }

    /// The same type with variables of its own for every length that is not known.
    pub(crate) fn with_own_lengths(&self, trace: &Trace) -> Self {
        let own = |d: &Dim| if d.fixed().is_some() { *d } else { Dim::Var(fresh(trace)) };
        let shape = Shape(self.ty.shape.0.iter().map(own).collect());
        Self { ty: TensorType::new(self.ty.dtype, shape), weak: self.weak, marks: self.marks }
    }

    /// The same elements, any number of them; nothing if this is no row of elements.
    pub fn of_any_count(&self, trace: &Trace) -> Option<Self> {
        let mut own = self.with_own_lengths(trace);
        *own.ty.shape.0.first_mut()? = Dim::Var(fresh(trace));
        Some(own)
    }
}

impl LeafType {
    /// True if values of the other type are values of this one: their common type is this one. A tensor of another type
    /// is not: what is computed of it may be of another type too.
    pub(crate) fn covers(&self, other: &Self, trace: &Trace) -> bool {
        self.join_as(other, trace, Promotion::Strict).is_ok_and(|both| both.is_like(self))
    }

    /// True if the types are the same, but for the variables that stand for lengths.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let lengths = |ty: &TensorType| ty.shape.0.iter().map(|dim| dim.fixed()).collect::<Vec<_>>();
        self.weak == other.weak && self.ty.dtype == other.ty.dtype && lengths(&self.ty) == lengths(&other.ty)
    }

    /// True if a value can be one of this type: a host integer may be too large for it.
    pub(crate) fn holds(&self, seen: Seen) -> bool {
        match (seen, self.ty.dtype) {
            (Seen::Number(Scalar::Int(n)), dtype) if dtype.is_int() => dtype.holds(n.into()),
            (Seen::Number(Scalar::Int(n)), DType::F64) => is_exact(n),
            (Seen::Number(_) | Seen::Staged(_) | Seen::Maybe(..), _) => true,
            (Seen::Text(_) | Seen::Unbound | Seen::Nothing | Seen::Empty, _) => true,
            (Seen::Unclear | Seen::Object, _) => true,
        }
    }
}

impl LeafType {
    /// A value of this type, of which is known what that says.
    pub(crate) fn of_value(&self, trace: &Trace, value: ValueId) -> Staged {
        trace.marked.keep(value, self.marks);
        Staged { value, weak: self.weak }
    }

    /// True if a number of the host's own would be rounded, silently, to be one of the library's.
    pub(crate) fn rounds(&self, trace: &Trace, seen: Seen) -> bool {
        let dtype = self.ty.dtype;
        if self.weak.is_some() || !self.marks.is_library || !is_narrow(dtype) {
            return false;
        }
        match seen {
            Seen::Number(number @ Scalar::Float(x)) => !x.is_nan() && number.cast(dtype).to_f64() != x,
            Seen::Number(number) => number.cast(dtype).to_f64() as i128 != number.to_integer(),
            Seen::Staged(s) | Seen::Maybe(s, ..) => {
                let is_wide = trace.ty(s.value).dtype == DType::F64;
                s.weak == Some(Number::Float) && is_wide && !trace.hangs_on_carry(s.value)
            }
            Seen::Text(_) | Seen::Unbound | Seen::Nothing => false,
            Seen::Empty | Seen::Unclear | Seen::Object => false,
        }
    }
}

/// Joins two ways in which a name lacks a value, if they can be joined: a name of the user's is without a value
/// or it has the host's object for none. A returned name has that object where the function does not return.
pub(crate) fn meet_lacks(slot: &Slot, a: Option<Lack>, b: Option<Lack>) -> Result<Option<Lack>, ()> {
    match (a, b) {
        (Some(a), Some(b)) if a != b && (slot.is_users() || a.max(b) == Lack::OtherRank) => Err(()),
        (a, b) => Ok(a.max(b)),
    }
}

fn fresh(trace: &Trace) -> DimVar {
    trace.build(|b| b.fresh_dim())
}

/// The variable that a length is, if it is one.
pub(crate) fn variable_of(dim: &Dim) -> Option<DimVar> {
    match dim {
        Dim::Var(v) => Some(*v),
        Dim::Fixed(_) => None,
    }
}

/// The leaf as a value of this type, which its own type joins to, in the open region.
pub(crate) fn fit(trace: &Trace, seen: Seen, want: &LeafType) -> ValueId {
    match seen {
        Seen::Number(n) => trace.build(|b| b.constant(Literal::scalar(want.ty.dtype, n))),
        Seen::Text(text) => trace.build(|b| b.constant(Literal::scalar(want.ty.dtype, Scalar::Text(text)))),
        Seen::Staged(s) | Seen::Maybe(s, ..) => {
            keep_digits(trace, s, want.ty.dtype);
            fitting(trace, s, want)
        }
        Seen::Unbound | Seen::Nothing | Seen::Empty | Seen::Unclear | Seen::Object => absent(trace, want),
    }
}

/// The value in this type. A host integer that the graph computes, and that meets an element of an array, fails where the type of that does
/// not hold it: it would wrap silently, and the host's own would fail where it meets the array.
fn fitting(trace: &Trace, staged: Staged, want: &LeafType) -> ValueId {
    let (own, dtype) = (trace.ty(staged.value), want.ty.dtype);
    let narrows = own.is_scalar() && own.dtype == DType::I64 && dtype.is_int() && dtype != DType::I64;
    let meets = staged.weak.is_some() && want.weak.is_none();
    if !(narrows && meets) || trace.build(|b| !b.checks_overflow()) {
        return cast(trace, staged, dtype);
    }
    let cast = trace.build(|b| b.op(Op::Cast, Attr::ToChecked(dtype), &[staged.value]));
    cast.expect("a single integer is cast to a type of integers")
}

/// True if a float of 64 bits holds an integer.
fn is_exact(number: i64) -> bool {
    i128::from(number) == number as f64 as i128
}

/// An integer that is a float on another path becomes one here, too: the run fails where that would round it, for the host would
/// go on with the integer.
fn keep_digits(trace: &Trace, staged: Staged, float_dtype: DType) {
    let own = trace.ty(staged.value);
    let (Some(digits), true) = (digits(float_dtype), own.dtype.is_int() && own.is_scalar()) else { return };
    let is_small = trace.known(staged.value).is_some_and(|n| n.to_i64().unsigned_abs() <= 1 << digits);
    if bits(own.dtype) <= digits || is_small {
        return;
    }
    let text = |text: &str| Piece::Text(text.to_owned());
    let pieces = vec![
        text("the integer "),
        Piece::Operand(1),
        text(
            " is a float on another path, and a float does not hold all its digits; convert it with `float`",
        ),
    ];
    let message = PrintFormat { pieces, stream: Stream::Stderr, summarize: None };
    let made = trace.build(|b| {
        let float = b.op(Op::Cast, Attr::To(float_dtype), &[staged.value])?;
        let back = b.op(Op::Cast, Attr::To(own.dtype), &[float])?;
        let same = b.op(CompareOp::Eq, Attr::None, &[back, staged.value])?;
        // The greatest integers become a float beyond all of them, which is cut to the greatest one.
        let end = b.constant(Literal::scalar(float_dtype, Scalar::Float(2f64.powi(bits(own.dtype) as i32))));
        let fits = b.op(CompareOp::Lt, Attr::None, &[float, end])?;
        let ok = b.op(BinaryOp::And, Attr::None, &[same, fits])?;
        b.effect(
            Op::Check,
            Attr::Check { kind: CheckKind::Overflow, message, limit: true },
            &[ok, staged.value],
        )
    });
    made.expect("an integer is compared with what it becomes");
}

/// The digits of a float, in bits.
fn digits(dtype: DType) -> Option<u32> {
    let known = [(DType::F64, 53), (DType::F32, 24), (DType::F16, 11), (DType::BF16, 8)];
    known.into_iter().find_map(|(float, digits)| (float == dtype).then_some(digits))
}

/// The bits of an integer without its sign.
fn bits(dtype: DType) -> u32 {
    let all = 8 * dtype.size() as u32;
    if dtype.is_unsigned() { all } else { all - 1 }
}

pub(crate) fn cast(trace: &Trace, staged: Staged, dtype: gw_types::DType) -> ValueId {
    if trace.ty(staged.value).dtype == dtype {
        return staged.value;
    }
    let cast = trace.build(|b| b.op(Op::Cast, Attr::To(dtype), &[staged.value]));
    cast.expect("numbers are cast, and strings are joined with strings alone")
}

/// A value that nobody reads, for a name that has none: zeros, of length zero where the length is not known.
pub(crate) fn absent(trace: &Trace, want: &LeafType) -> ValueId {
    let lengths: Vec<usize> = want.ty.shape.0.iter().map(|d| d.fixed().unwrap_or(0)).collect();
    let zero = Literal::scalar(want.ty.dtype, gw_types::Scalar::Int(0));
    trace.build(|b| {
        let zero = b.constant(zero);
        let dims = lengths.into_iter().map(gw_ir::DimArg::Fixed).collect::<Vec<_>>();
        if dims.is_empty() {
            return zero;
        }
        b.op(Op::Broadcast, Attr::Dims(dims), &[zero]).expect("a scalar broadcasts to any lengths")
    })
}

/// A type in the user's words: "`int32`", "`float32` of shape [3]", "a Python `int`".
pub fn describe(ty: &TensorType, weak: Option<Number>) -> String {
    match weak {
        Some(number) => number.text().to_owned(),
        None if ty.is_scalar() => format!("`{}`", ty.dtype.python_name()),
        None => format!("`{}` of shape {}", ty.dtype.python_name(), plain_shape(&ty.shape)),
    }
}

fn plain_shape(shape: &Shape) -> String {
    let axes: Vec<_> = shape.0.iter().map(|d| d.fixed().map_or("?".to_owned(), |n| n.to_string())).collect();
    format!("[{}]", axes.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(ty: &str, weak: Option<Number>) -> LeafType {
        LeafType { ty: ty.parse().expect(ty), weak, marks: Marks::default() }
    }

    fn check(a: LeafType, b: LeafType, expected: Result<&str, Clash>) {
        check_as(Promotion::Standard, a, b, expected);
    }

    fn check_as(promotion: Promotion, a: LeafType, b: LeafType, expected: Result<&str, Clash>) {
        let trace = Trace::new("f");
        trace.set_promotion(promotion);
        assert_eq!(a.join(&b, &trace).map(|t| t.ty.to_string()), expected.map(str::to_owned));
    }

    #[test]
    fn host_numbers_take_the_tensors_type() {
        check(leaf("i32[]", Some(Number::Int)), leaf("f64[]", None), Ok("f64[]"));
        check(leaf("i64[]", None), leaf("i32[]", Some(Number::Int)), Ok("i64[]"));
        check(leaf("i64[]", Some(Number::Int)), leaf("f64[]", Some(Number::Float)), Ok("f64[]"));
    }

    #[test]
    fn types_of_their_own_meet_in_the_greater_one_or_clash() {
        check(leaf("i32[]", None), leaf("f32[]", None), Ok("f32[]"));
        check(leaf("i64[]", None), leaf("f64[]", Some(Number::Float)), Ok("f64[]"));
        check(leaf("str[]", None), leaf("f64[]", Some(Number::Float)), Err(Clash::DType));
        let strict = Promotion::Strict;
        check(leaf("i32[3]", None), leaf("f32[3]", None), Err(Clash::DType));
        check_as(strict, leaf("i32[]", None), leaf("f32[]", None), Err(Clash::DType));
        check_as(strict, leaf("i32[]", None), leaf("f32[]", Some(Number::Float)), Err(Clash::DType));
        check(leaf("f32[]", None), leaf("f32[1]", None), Err(Clash::Rank));
    }

    #[test]
    fn tensors_may_keep_their_kind() {
        let trace = Trace::new("f");
        trace.keep_kinds();
        let joins = |a: LeafType, b: LeafType| a.join(&b, &trace).is_ok();
        assert!(!joins(leaf("i64[]", None), leaf("f64[]", Some(Number::Float))));
        assert!(!joins(leaf("f32[]", None), leaf("i32[]", None)));
        assert!(!joins(leaf("bool[]", None), leaf("i32[]", Some(Number::Int))));
        assert!(joins(leaf("i32[]", None), leaf("i64[]", None)));
        assert!(joins(leaf("i64[]", Some(Number::Int)), leaf("f32[]", None)));
    }

    #[test]
    fn lengths_that_differ_become_variables() {
        check(leaf("f32[2,3]", None), leaf("f32[2,4]", None), Ok("f32[2,?0]"));
    }
}
