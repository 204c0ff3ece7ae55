//! The vector registers that generated code may use.

/// The vector registers that loops in lanes may use: the widest that the machine has, up to a number of bits. Which they are makes
/// no difference to any result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Registers {
    /// Those that every machine has.
    UpTo128,
    /// AVX2's.
    UpTo256,
    /// AVX-512's.
    UpTo512,
}
