//! Dimensions, shapes, tensor types, broadcasting.

use std::fmt;
use std::str::FromStr;

use crate::DType;

/// A dimension that is known only when the graph runs. Equal variables are equal at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DimVar(pub u32);

/// The length of one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dim {
    /// Known now.
    Fixed(usize),
    /// Known when the graph runs.
    Var(DimVar),
}

impl Dim {
    /// The length, where it is known.
    pub fn fixed(self) -> Option<usize> {
        match self {
            Dim::Fixed(n) => Some(n),
            Dim::Var(_) => None,
        }
    }
}

/// The lengths of all axes; the rank is always known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Shape(pub Vec<Dim>);

impl Shape {
    /// The shape of a single element.
    pub fn scalar() -> Self {
        Self(Vec::new())
    }

    /// A shape of known lengths.
    pub fn fixed(lengths: &[usize]) -> Self {
        Self(lengths.iter().map(|&n| Dim::Fixed(n)).collect())
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// All lengths, if all are known.
    pub fn lengths(&self) -> Option<Vec<usize>> {
        self.0.iter().map(|d| d.fixed()).collect()
    }

    /// The number of elements, if it is known and a machine could hold them.
    pub fn size(&self) -> Option<usize> {
        let (mut size, mut is_empty) = (Some(1usize), false);
        for dim in &self.0 {
            let length = dim.fixed()?;
            is_empty |= length == 0;
            size = size.and_then(|size| size.checked_mul(length));
        }
        if is_empty { Some(0) } else { size }
    }
}

/// The number of elements of an array of these lengths: none where a length is 0, however great the others are.
pub fn count(lengths: &[usize]) -> usize {
    if lengths.contains(&0) { 0 } else { lengths.iter().product() }
}

/// Element type and shape.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorType {
    /// The type of each element.
    pub dtype: DType,
    /// The lengths of the axes.
    pub shape: Shape,
}

impl TensorType {
    /// A type from its parts.
    pub fn new(dtype: DType, shape: Shape) -> Self {
        Self { dtype, shape }
    }

    /// The type of a single element.
    pub fn scalar(dtype: DType) -> Self {
        Self { dtype, shape: Shape::scalar() }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Takes over what another type of the same rank knows of lengths that this one does not know.
    pub fn learn(&mut self, other: &TensorType) {
        if self.rank() != other.rank() {
            return;
        }
        for (dim, &known) in self.shape.0.iter_mut().zip(&other.shape.0) {
            if dim.fixed().is_none() {
                *dim = known;
            }
        }
    }

    /// True if it is a single element.
    pub fn is_scalar(&self) -> bool {
        self.rank() == 0
    }
}

/// Two lengths, both known and neither 1, that differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unbroadcastable(pub usize, pub usize);

/// The shape that `a` and `b` broadcast to, as in NumPy: axes are aligned at the end, length 1 stretches.
///
/// A variable that meets another variable gives `fresh()`; one that meets a known length other than 1 gives
/// that length (a run-time check decides).
pub fn broadcast(a: &Shape, b: &Shape, mut fresh: impl FnMut() -> DimVar) -> Result<Shape, Unbroadcastable> {
    let rank = a.rank().max(b.rank());
    let axis = |s: &Shape, i: usize| (i + s.rank()).checked_sub(rank).map_or(Dim::Fixed(1), |at| s.0[at]);
    (0..rank).map(|i| broadcast_dim(axis(a, i), axis(b, i), &mut fresh)).collect::<Result<_, _>>().map(Shape)
}

fn broadcast_dim(a: Dim, b: Dim, fresh: &mut impl FnMut() -> DimVar) -> Result<Dim, Unbroadcastable> {
    match (a, b) {
        (a, b) if a == b => Ok(a),
        (Dim::Fixed(1), other) | (other, Dim::Fixed(1)) => Ok(other),
        (Dim::Fixed(m), Dim::Fixed(n)) => Err(Unbroadcastable(m, n)),
        (Dim::Fixed(n), Dim::Var(_)) | (Dim::Var(_), Dim::Fixed(n)) => Ok(Dim::Fixed(n)),
        (Dim::Var(_), Dim::Var(_)) => Ok(Dim::Var(fresh())),
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dim::Fixed(n) => write!(f, "{n}"),
            Dim::Var(DimVar(v)) => write!(f, "?{v}"),
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, dim) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{dim}")?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

/// Reads `f32[?0,3]`. A bare `?` becomes a variable numbered by its axis, counted from 0.
impl FromStr for TensorType {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let (dtype, rest) = text.split_once('[').ok_or_else(|| format!("`{text}` lacks `[`"))?;
        let inside = rest.strip_suffix(']').ok_or_else(|| format!("`{text}` lacks `]`"))?;
        let axes = inside.split(',').map(str::trim).filter(|axis| !axis.is_empty());
        let dims = axes.enumerate().map(|(i, axis)| read_dim(i, axis)).collect::<Result<_, _>>()?;
        Ok(Self { dtype: dtype.trim().parse()?, shape: Shape(dims) })
    }
}

fn read_dim(axis: usize, text: &str) -> Result<Dim, String> {
    let bad = |_| format!("`{text}` is not the length of an axis");
    match text.strip_prefix('?') {
        None => text.parse().map(Dim::Fixed).map_err(bad),
        Some("") => Ok(Dim::Var(DimVar(axis as u32))),
        Some(number) => number.parse().map(|v| Dim::Var(DimVar(v))).map_err(bad),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, expected: &str) {
        let [a, b] = [a, b].map(|s| format!("f32{s}").parse::<TensorType>().expect("a type").shape);
        let found = broadcast(&a, &b, || DimVar(9));
        assert_eq!(found.map_or_else(|e| format!("{} != {}", e.0, e.1), |s| s.to_string()), expected);
    }

    #[test]
    fn shapes_broadcast_from_the_end() {
        check("[2,3]", "[3]", "[2,3]");
        check("[2,1]", "[1,3]", "[2,3]");
        check("[]", "[4]", "[4]");
        check("[2]", "[3]", "2 != 3");
    }

    #[test]
    fn variables_meet_lengths() {
        check("[?0]", "[?0]", "[?0]");
        check("[?0]", "[1]", "[?0]");
        check("[?0]", "[5]", "[5]");
        check("[?0]", "[?1]", "[?9]");
    }

    #[test]
    fn sizes_that_no_machine_holds_are_unknown() {
        assert_eq!(Shape::fixed(&[2, 3]).size(), Some(6));
        assert_eq!(Shape::fixed(&[usize::MAX, 2]).size(), None);
        assert_eq!(Shape::fixed(&[usize::MAX, 2, 0]).size(), Some(0));
        assert_eq!(count(&[usize::MAX, 2, 0]), 0);
    }

    #[test]
    fn types_read_back() {
        for text in ["f32[]", "i64[2,?0,3]", "bool[0]"] {
            assert_eq!(text.parse::<TensorType>().expect(text).to_string(), text);
        }
        assert_eq!("f32[?,3,?]".parse::<TensorType>().expect("a type").to_string(), "f32[?0,3,?2]");
    }
}
