//! Matrices as products are called with them.

/// Description of a matrix to a product, as words in this order; strides are in elements.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Matrix {
    /// The first element.
    pub start: *mut u8,
    /// From one row to the next.
    pub row_stride: i64,
    /// From one column to the next.
    pub column_stride: i64,
}
