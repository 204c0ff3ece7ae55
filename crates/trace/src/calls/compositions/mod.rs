//! Functions that are several calls: their graphs have derivatives and are fused, and every host has them.

mod einsum;
mod equation;
mod networks;
mod sizes;

use gw_ir::{Builder, Unfit};

use crate::Staged;

pub use equation::Equation;
pub use networks::Network;

/// A function that is several calls, without its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Composition {
    /// The sum of products that an equation names; one operand for each of its terms.
    Einsum(Equation),
    /// A function of neural networks.
    Network(Network),
}

macro_rules! kinds {
    ($($kind:ident of $named:ident;)*) => {
        $(impl From<$named> for Composition {
            fn from(named: $named) -> Self {
                Self::$kind(named)
            }
        })*
    };
}
kinds! {
    Einsum of Equation;
    Network of Network;
}

impl Composition {
    /// Compares arguments with the known lengths of operands.
    pub(super) fn check(&self, lengths: &[Vec<Option<usize>>]) -> Result<(), Unfit> {
        match self {
            Self::Einsum(equation) => equation.check(lengths),
            Self::Network(_) => Ok(()),
        }
    }
}

pub(super) fn emit(b: &mut Builder, composition: &Composition, args: &[Staged]) -> Result<Staged, Unfit> {
    match composition {
        Composition::Einsum(equation) => einsum::einsum(b, equation, args),
        Composition::Network(network) => networks::network(b, network, args),
    }
}
