//! A checksum of what a NumPy array holds, by which a change in place is noticed, and a copy, by which one is taken back.

use numpy::{PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::function::held::Held;
use crate::values::array;

/// So many sums are made side by side, so that none of them waits for another.
const LANES: usize = 4;

/// An odd number whose bits are spread, by which each element is multiplied.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// No array of more bytes is copied.
const MOST_BYTES: usize = 1 << 30;

/// The elements of a NumPy array when a function that is traced met it.
#[derive(Debug)]
pub struct Elements {
    /// The array that owns the memory.
    pub array: Held,
    /// True if it was there before the graph.
    pub is_outside: bool,
    sum: u64,
    /// The elements, of an array that is to be put back if no graph is made.
    copy: Option<Py<PyAny>>,
}

impl Elements {
    /// The elements of an array with this checksum.
    pub fn of(array: &Bound<'_, PyAny>, sum: u64, is_outside: bool) -> PyResult<Self> {
        let bytes: usize = array.getattr("nbytes")?.extract()?;
        let copies = is_outside && bytes <= MOST_BYTES;
        let copy = copies.then(|| array.call_method0("copy").map(Bound::unbind)).transpose()?;
        Ok(Self { array: Held::of(array), is_outside, sum, copy })
    }

    /// Gives the array what it held, if it has changed.
    pub fn restore(&self, py: Python<'_>) -> PyResult<()> {
        let (Some(array), Some(copy)) = (self.array.get(py), &self.copy) else { return Ok(()) };
        if of(&array)? != self.sum {
            py.import("numpy")?.call_method1("copyto", (array, copy))?;
        }
        Ok(())
    }
}

/// The checksum of elements, shape and dtype. Objects count by identity.
pub fn of(array: &Bound<'_, PyAny>) -> PyResult<u64> {
    let untyped = array.cast::<PyUntypedArray>()?;
    let elements = match (untyped.dtype().kind(), untyped.dtype().itemsize()) {
        (b'f', 8) => whole::<f64>(array, |x| x.to_bits()),
        (b'f', 4) => whole::<f32>(array, |x| u64::from(x.to_bits())),
        (b'i', 8) => whole::<i64>(array, |x| x.cast_unsigned()),
        (b'i', 4) => whole::<i32>(array, |x| u64::from(x.cast_unsigned())),
        (b'u', 1) => whole::<u8>(array, u64::from),
        (b'b', 1) => whole::<bool>(array, u64::from),
        _ => None,
    };
    let elements = match elements {
        Some(sum) => sum,
        None => {
            let bytes = array.call_method0("tobytes")?;
            sum_of(bytes.cast::<PyBytes>()?.as_bytes(), u64::from)
        }
    };
    let lengths = untyped.shape().iter().map(|&length| length as u64);
    Ok(lengths.chain([untyped.dtype().hash()?.cast_unsigned() as u64]).fold(elements, step))
}

/// The sum of elements that stand one after the other in memory; none of others.
fn whole<T: numpy::Element + Copy>(array: &Bound<'_, PyAny>, bits: impl Fn(T) -> u64) -> Option<u64> {
    let array = array.cast::<PyArrayDyn<T>>().ok()?.try_readonly().ok()?;
    array.as_slice().ok().map(|elements| sum_of(elements, bits))
}

fn sum_of<T: Copy>(elements: &[T], bits: impl Fn(T) -> u64) -> u64 {
    let mut lanes = [FACTOR; LANES];
    let chunks = elements.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &element) in lanes.iter_mut().zip(chunk) {
            *lane = step(*lane, bits(element));
        }
    }
    let all = rest.iter().map(|&element| bits(element)).chain(lanes);
    all.fold(elements.len() as u64, step)
}

fn step(sum: u64, bits: u64) -> u64 {
    (sum ^ bits).wrapping_mul(FACTOR).rotate_left(29)
}

/// The array whose memory an array shows; none where nothing can change it.
pub fn owner<'py>(array: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut owner = array.clone();
    let mut can_change = false;
    loop {
        can_change |= owner.getattr("flags")?.getattr("writeable")?.is_truthy()?;
        let base = owner.getattr("base")?;
        if !array::is_array(&base) {
            let is_shared = !base.is_none() && !base.is_instance_of::<PyBytes>();
            return Ok((can_change || is_shared).then_some(owner));
        }
        owner = base;
    }
}
