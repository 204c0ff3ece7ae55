//! Trace types: the facts about a call's arguments that decide which graph runs.
//!
//! Tensors count by dtype and shape, numbers and strings by type and value, structures by their items, functions by code and
//! closure, objects that have a trace type of their own by that, other objects by identity.

use std::convert::Infallible;
use std::fmt::{Debug, Display};
use std::hash::Hash;

use gw_types::{DType, Number, Scalar};

/// A trace type that an object of the host gives itself; `Infallible` where the host has no such objects.
pub trait OwnType: Clone + Eq + Hash + Display + Debug {
    /// True if a graph made for `other` takes an object of this type.
    fn is_subtype_of(&self, other: &Self) -> bool;

    /// The most specific type that takes both.
    fn join(&self, other: &Self) -> Option<Self>;
}

impl OwnType for Infallible {
    fn is_subtype_of(&self, _other: &Self) -> bool {
        match *self {}
    }

    fn join(&self, _other: &Self) -> Option<Self> {
        match *self {}
    }
}

/// One part of a trace type; parts stand in the order in which arguments are walked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Part<O> {
    /// A tensor; `None` takes any length.
    Tensor(DType, Vec<Option<usize>>),
    /// `False`, `True`
    Bool(bool),
    /// A number of the host that the graph takes, whatever its value.
    Number(Number),
    /// An integer.
    Int(i64),
    /// A float, by its bits: NaN is NaN.
    Float(u64),
    /// A complex number, by the bits of its parts.
    Complex([u64; 2]),
    /// A string.
    Text(String),
    /// `None`
    None,
    /// A structure of so many items, which follow.
    Structure(Frame<O>, usize),
    /// A function, with so many values that it was made with, which follow.
    Function(usize, usize),
    /// A method; its function and its object follow.
    Method,
    /// A `functools.partial`; its function and so many arguments follow, names before those given by name.
    Partial(usize),
    /// A variable of a type; the same number for the same variable, given twice.
    Variable(DType, Vec<Option<usize>>, usize),
    /// An object that says its trace type itself.
    Own(O),
    /// Any other object, by its address.
    Object(usize),
}

/// Key that two structures must share to be of one trace type. Classes and names are known by their addresses;
/// the trace keeps them alive.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Frame<O> {
    /// A tuple, or a subclass of it.
    Tuple(Option<usize>),
    /// A list.
    List,
    /// A mapping of a class, with these keys, inserted in the order of these positions: a loop over it runs in that order.
    Mapping(Option<usize>, Vec<Part<O>>, Vec<usize>),
    /// An object of a class, with these attributes.
    Fields(usize, Vec<String>),
}

impl<O> Part<O> {
    /// The trace type that an object gave itself.
    pub fn as_own(&self) -> Option<&O> {
        let Part::Own(own) = self else { return None };
        Some(own)
    }

    /// The part of a number or a string, by its value.
    pub fn of_value(value: Scalar) -> Self {
        match value {
            Scalar::Bool(b) => Part::Bool(b),
            Scalar::Int(i) => Part::Int(i),
            Scalar::Nat(n) => Part::Int(n as i64),
            Scalar::Float(x) => Part::Float(bits(x)),
            Scalar::Complex(re, im) => Part::Complex([re, im].map(bits)),
            Scalar::Text(text) => Part::Text(text.with(|bytes| String::from_utf8_lossy(bytes).into_owned())),
        }
    }

    /// The type of a variable, and its number among those of the call.
    pub fn as_variable(&self) -> Option<(DType, &[Option<usize>], usize)> {
        let Part::Variable(dtype, lengths, number) = self else { return None };
        Some((*dtype, lengths, *number))
    }

    /// The type of a tensor.
    pub fn as_tensor(&self) -> Option<(DType, &[Option<usize>])> {
        let Part::Tensor(dtype, lengths) = self else { return None };
        Some((*dtype, lengths))
    }

    /// True if a part takes more than one trace type.
    pub fn takes_more(&self) -> bool {
        match self {
            Part::Tensor(_, lengths) => lengths.contains(&None),
            Part::Own(_) => true,
            Part::Bool(_)
            | Part::Number(_)
            | Part::Int(_)
            | Part::Float(_)
            | Part::Complex(_)
            | Part::Text(_)
            | Part::None
            | Part::Structure(..)
            | Part::Function(..)
            | Part::Method
            | Part::Partial(_)
            | Part::Variable(..)
            | Part::Object(_) => false,
        }
    }

    /// True if the parts are the same but for the value of a number.
    pub fn differs_in_number(&self, other: &Self) -> bool
    where
        O: PartialEq,
    {
        self == other
            || matches!(
                (self, other),
                (Part::Int(_), Part::Int(_))
                    | (Part::Float(_), Part::Float(_))
                    | (Part::Complex(_), Part::Complex(_))
                    | (Part::Bool(_), Part::Bool(_))
            )
    }
}

/// The bits of a number; all NaNs are one.
fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}

/// True if arguments of trace type `found` can run a graph made for `made`: `found` is the same or more specific.
pub fn fits<O: OwnType>(made: &[Part<O>], found: &[Part<O>]) -> bool {
    made.len() == found.len() && made.iter().zip(found).all(|(m, f)| part_fits(m, f))
}

fn part_fits<O: OwnType>(made: &Part<O>, found: &Part<O>) -> bool {
    match (made, found) {
        (Part::Tensor(d, wanted), Part::Tensor(e, lengths)) => {
            d == e
                && wanted.len() == lengths.len()
                && wanted.iter().zip(lengths).all(|(w, l)| w.is_none() || w == l)
        }
        (Part::Own(made), Part::Own(found)) => found.is_subtype_of(made),
        (made, found) => made == found,
    }
}

/// The most specific trace type that takes both; `None` if they differ in more than the lengths of tensors' axes.
pub fn join<O: OwnType>(a: &[Part<O>], b: &[Part<O>]) -> Option<Vec<Part<O>>> {
    if a.len() != b.len() {
        return None;
    }
    a.iter().zip(b).map(|(a, b)| join_part(a, b)).collect()
}

fn join_part<O: OwnType>(a: &Part<O>, b: &Part<O>) -> Option<Part<O>> {
    match (a, b) {
        (Part::Tensor(d, m), Part::Tensor(e, n)) if d == e && m.len() == n.len() => {
            let lengths = m.iter().zip(n).map(|(m, n)| if m == n { *m } else { None }).collect();
            Some(Part::Tensor(*d, lengths))
        }
        (Part::Own(a), Part::Own(b)) if a != b => a.join(b).map(Part::Own),
        (a, b) => (a == b).then(|| a.clone()),
    }
}
