//! Check sums of records in files.

use pyo3::prelude::*;

/// CRC-32C of bytes, masked as TFRecord files have it: turned by 15 bits, and with a constant added.
#[pyfunction]
pub fn masked_crc32c(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8)
}
