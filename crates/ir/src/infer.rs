//! What type an op gives for operands of given types, or which clause of its page they break.

use gw_base::Code;
use gw_types::{DimVar, TensorType};

use crate::{Attr, Op};

/// Operands or attributes that an op does not take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit {
    /// `mul.c1`: the clause of the op's page that does not hold.
    pub clause: &'static str,
    /// Which diagnostic it is to the user.
    pub code: Code,
    /// What was found, without op names.
    pub message: String,
}

/// The types that `op` gives; `fresh` makes dimension variables.
///
/// # Errors
/// If the operands or attributes do not fit.
pub fn infer(
    op: Op,
    attr: &Attr,
    args: &[TensorType],
    fresh: &mut dyn FnMut() -> DimVar,
) -> Result<Vec<TensorType>, Unfit> {
    let _ = (op, attr, args, fresh);
    Ok(Vec::new())
}
