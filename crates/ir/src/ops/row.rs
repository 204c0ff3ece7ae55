//! The columns of the op table: what is said of an op once, for every room that asks.

/// Number of operands that an op takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// Just so many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
}

/// Class of an op: the way it treats its operands' elements.
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

/// The dtypes that an op takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Takes {
    /// Bools.
    Bools,
    /// Integers.
    Ints,
    /// Integers of 64 bits.
    WideInts,
    /// Floats.
    Floats,
    /// Floats; an integer of the host's stands for the real number that it is.
    Reals,
    /// Floats of single and double precision, of which complex numbers are made.
    Parts,
    /// Complex numbers.
    Complex,
    /// Floats and complex numbers.
    Fields,
    /// Floats and complex numbers; an integer of the host's stands for the real number that it is.
    Analytic,
    /// Integers and floats.
    Numbers,
    /// Integers, floats and complex numbers.
    AnyNumbers,
    /// All but complex numbers, which have no order.
    Ordered,
    /// Bools and integers.
    BoolsAndInts,
    /// Strings.
    Strings,
    /// Those that the rule of its own in `infer` says.
    Own,
}

/// The results of an op that are the same on every machine to the last bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exact {
    /// All.
    Always,
    /// Those of integers: floats are added in an order of the backend's, or approximated.
    OfIntegers,
    /// None: it is approximate, or it is no function.
    Never,
}

/// The time that an op takes for an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cost {
    /// About a cycle: computing it for nothing is cheaper than a branch.
    Cheap,
    /// A few cycles, or what depends on its operands.
    Plain,
    /// Many cycles: keeping the result is cheaper than computing it again.
    Dear,
}

/// Row of the op table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The name in the graph's text form and of its page.
    pub text: &'static str,
    /// The names of the clauses of its page.
    pub(crate) clauses: [&'static str; 6],
    /// Class: the way the op treats its operands' elements.
    pub class: Class,
    /// Number of operands.
    pub arity: Arity,
    /// The operands' names; the last one of a variadic op stands for the rest.
    pub operands: &'static [&'static str],
    /// The dtypes that it takes.
    pub takes: Takes,
    /// The results that are the same everywhere.
    pub exact: Exact,
    /// The time that it takes.
    pub cost: Cost,
    /// Verb of messages, as in `cannot {verb} float32 and int32`.
    pub verb: &'static str,
}
