//! Tensors as the interpreter holds them.

use gw_ir::Literal;
use gw_types::{DType, Scalar, Texts};

use crate::EvalError;

/// A tensor with its elements in row-major order.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// Element type.
    pub dtype: DType,
    /// Lengths of the axes.
    pub lengths: Vec<usize>,
    /// As many as the lengths say, each a value of `dtype`.
    pub elements: Vec<Scalar>,
    /// Keeps the strings among them.
    texts: Texts,
}

impl Array {
    /// From elements, which are rounded to `dtype`; all NaNs become one. Somebody keeps the strings among them until now.
    ///
    /// # Panics
    /// If there are not as many elements as the lengths say.
    pub fn new(dtype: DType, lengths: Vec<usize>, elements: impl IntoIterator<Item = Scalar>) -> Self {
        let elements: Vec<_> = elements.into_iter().map(|element| one_nan(element.cast(dtype))).collect();
        assert_eq!(elements.len(), gw_types::count(&lengths), "elements of an array");
        let texts = if dtype == DType::Str {
            Texts::of(elements.iter().map(|element| element.to_text()))
        } else {
            Texts::default()
        };
        Self { dtype, lengths, elements, texts }
    }

    /// A single element.
    pub fn scalar(dtype: DType, value: Scalar) -> Self {
        Self::new(dtype, Vec::new(), [value])
    }

    /// The first element, of a scalar the only one; zero if there is none.
    pub fn first(&self) -> Scalar {
        self.elements.first().copied().unwrap_or(Scalar::Int(0))
    }

    /// As the graph writes it.
    pub fn to_literal(&self) -> Literal {
        Literal::from_scalars(self.dtype, self.lengths.clone(), &self.elements)
    }

    /// True if both are the same to the last bit; NaNs are the same, 0 and -0 are not.
    pub fn same_as(&self, other: &Array) -> bool {
        let same = |(x, y): (&Scalar, &Scalar)| match (x, y) {
            (Scalar::Float(x), Scalar::Float(y)) => x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
            (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
                let same = |x: &f64, y: &f64| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
                same(a, c) && same(b, d)
            }
            (x, y) => x == y,
        };
        self.dtype == other.dtype
            && self.lengths == other.lengths
            && self.elements.iter().zip(&other.elements).all(same)
    }

    /// The element at these positions.
    pub(crate) fn at(&self, index: &[usize]) -> Scalar {
        self.elements[flat(&self.lengths, index)]
    }

    /// Puts an element at these positions.
    pub(crate) fn set(&mut self, index: &[usize], element: Scalar) {
        let at = flat(&self.lengths, index);
        self.texts.keep(element.to_text());
        self.elements[at] = one_nan(element.cast(self.dtype));
    }

    /// The element of this array stretched to the axes of `index`: axes are aligned at the end, length 1 repeats.
    pub(crate) fn stretched_at(&self, index: &[usize]) -> Scalar {
        let own = &index[index.len() - self.lengths.len()..];
        let own: Vec<_> = own.iter().zip(&self.lengths).map(|(&i, &n)| if n == 1 { 0 } else { i }).collect();
        self.at(&own)
    }

    /// An array whose elements are a function of their positions.
    pub(crate) fn build(
        dtype: DType,
        lengths: Vec<usize>,
        mut element: impl FnMut(&[usize]) -> Scalar,
    ) -> Self {
        let elements: Vec<_> = indices(&lengths).map(|index| element(&index)).collect();
        Self::new(dtype, lengths, elements)
    }
}

impl From<&Literal> for Array {
    fn from(literal: &Literal) -> Self {
        Self::new(literal.dtype(), literal.lengths().to_vec(), literal.scalars())
    }
}

fn one_nan(element: Scalar) -> Scalar {
    let one = |part: f64| if part.is_nan() { f64::NAN } else { part };
    match element {
        Scalar::Float(x) => Scalar::Float(one(x)),
        Scalar::Complex(re, im) => Scalar::Complex(one(re), one(im)),
        Scalar::Bool(_) | Scalar::Int(_) | Scalar::Nat(_) | Scalar::Text(_) => element,
    }
}

/// Every position of an array of these lengths, in order.
pub(crate) fn indices(lengths: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let count = gw_types::count(lengths);
    let lengths = lengths.to_vec();
    (0..count).map(move |at| unflat(&lengths, at))
}

fn flat(lengths: &[usize], index: &[usize]) -> usize {
    lengths.iter().zip(index).fold(0, |at, (length, i)| at * length + i)
}

fn unflat(lengths: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; lengths.len()];
    for (i, length) in index.iter_mut().zip(lengths).rev() {
        *i = at % length;
        at /= length;
    }
    index
}

/// The lengths that arrays of these lengths broadcast to.
pub(crate) fn broadcast(a: &[usize], b: &[usize]) -> Result<Vec<usize>, EvalError> {
    let rank = a.len().max(b.len());
    let axis =
        |lengths: &[usize], i: usize| (i + lengths.len()).checked_sub(rank).map_or(1, |at| lengths[at]);
    let meet = |i| match (axis(a, i), axis(b, i)) {
        (m, n) if m == n => Ok(m),
        (1, n) => Ok(n),
        (m, 1) => Ok(m),
        (m, n) => Err(EvalError::shapes(format!("lengths {m} and {n} do not broadcast"))),
    };
    (0..rank).map(meet).collect()
}
