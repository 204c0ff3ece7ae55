//! Powers of floats whose exponent is known when the graph is made: passes, backends and calls outside of graphs take the same way,
//! and so give the same bits.

/// A way to a power that takes no logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownPower {
    /// `x`
    Itself,
    /// `x * x`
    Square,
    /// `x ** 3`
    Cube,
    /// `x ** 0.5`
    Root,
    /// `1 / x`
    Reciprocal,
    /// `1 / x ** 0.5`
    ReciprocalRoot,
}

impl KnownPower {
    /// The way to the power with an exponent, if there is one.
    pub fn of(exponent: f64) -> Option<Self> {
        let ways = [
            (1.0, Self::Itself),
            (2.0, Self::Square),
            (3.0, Self::Cube),
            (0.5, Self::Root),
            (-1.0, Self::Reciprocal),
            (-0.5, Self::ReciprocalRoot),
        ];
        ways.into_iter().find(|way| way.0 == exponent).map(|way| way.1)
    }
}
