//! Functions that are several calls: their graphs have derivatives and are fused, and every host has them.

mod algebra;
mod borders;
mod copies;
mod einsum;
mod equation;
mod grids;
mod layouts;
mod networks;
mod norms;
mod sizes;

use gw_ir::{Builder, Unfit};

use crate::Staged;

pub use algebra::Algebra;
pub use equation::Equation;
pub use grids::Grid;
pub use layouts::{Border, Layout};
pub use networks::Network;
pub use norms::Norm;

/// A function that is several calls, without its operands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Composition {
    /// The sum of products that an equation names; one operand for each of its terms.
    Einsum(Equation),
    /// The elements repeated, turned or framed.
    Layout(Layout),
    /// Numbers at equal distances, or an identity matrix.
    Grid(Grid),
    /// A function of matrices.
    Algebra(Algebra),
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
    Layout of Layout;
    Grid of Grid;
    Algebra of Algebra;
    Network of Network;
}

impl Composition {
    /// Compares arguments with the known lengths of operands.
    pub(super) fn check(&self, lengths: &[Vec<Option<usize>>]) -> Result<(), Unfit> {
        match self {
            Self::Einsum(equation) => equation.check(lengths),
            Self::Layout(layout) => layout.check(lengths),
            Self::Grid(_) | Self::Algebra(_) | Self::Network(_) => Ok(()),
        }
    }
}

pub(super) fn emit(b: &mut Builder, composition: &Composition, args: &[Staged]) -> Result<Staged, Unfit> {
    match composition {
        Composition::Einsum(equation) => einsum::einsum(b, equation, args),
        Composition::Layout(layout) => layouts::layout(b, layout, args),
        Composition::Grid(grid) => grids::grid(b, grid, args),
        Composition::Algebra(algebra) => algebra::algebra(b, algebra, args),
        Composition::Network(network) => networks::network(b, network, args),
    }
}
