//! Contents of files, as Python has read them: check sums of records, and strings that stand one behind the other.

use gw_runtime::Buffer;
use gw_types::{DType, Scalar, Texts};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::values::tensor::Tensor;

/// CRC-32C of bytes, masked as TFRecord files have it: turned by 15 bits, and with a constant added.
#[pyfunction]
pub fn masked_crc32c(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}

/// The strings that lie between one place of `content` and the next, as a tensor; other threads of Python's run meanwhile.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "arguments of Python's are given by value")]
pub fn texts(
    py: Python<'_>,
    places: PyReadonlyArray1<'_, i64>,
    content: PyReadonlyArray1<'_, u8>,
) -> PyResult<Tensor> {
    let (places, content) = (places.as_slice()?, content.as_slice()?);
    let made = py.detach(|| cut(places, content));
    made.map(Tensor::eager).ok_or_else(|| PyValueError::new_err("strings lie outside of what holds them"))
}

/// The strings between the places; `None` if one lies elsewhere.
fn cut(places: &[i64], content: &[u8]) -> Option<Buffer> {
    let (mut texts, mut bytes) = (Texts::default(), Vec::with_capacity(places.len() * 8));
    for pair in places.windows(2) {
        let first = usize::try_from(pair[0]).ok()?;
        let stop = usize::try_from(pair[1]).ok()?;
        Scalar::Text(texts.make(content.get(first..stop)?)).write(DType::Str, &mut bytes);
    }
    Some(Buffer::from_bytes(DType::Str, &[bytes.len() / 8], &bytes))
}
