//! Decision where subnormal numbers may be zeros.

use gw_types::DType;

use crate::Graph;

impl Graph {
    /// True if subnormal numbers may be zeros in it: it computes with arrays of single precision, and with nothing of double precision,
    /// whose numbers are Python's own, nor with complex numbers, whose functions are computed in it.
    pub fn may_flush(&self) -> bool {
        let types = || self.values.iter().map(|(_, value)| &value.ty);
        types().any(|ty| ty.dtype == DType::F32 && !ty.is_scalar())
            && types().all(|ty| ty.dtype != DType::F64 && !ty.dtype.is_complex())
    }
}
