//! NumPy arrays that a call lends to its graph: read where they are, and stored into where they are.
#![allow(
    unsafe_code,
    reason = "the memory is the caller's, which a call borrows as NumPy's own functions do"
)]

use gw_runtime::Buffer;
use gw_types::DType;
use numpy::npyffi::flags::NPY_ARRAY_WRITEABLE;
use numpy::{PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::prelude::*;

/// A NumPy array of an element type whose lengths are `wanted`, in the caller's memory, which is lent for the call; `None` for
/// anything else, and for arrays that are spread in memory. What outlives the call is made of [`Buffer::kept`].
pub fn of_type(
    object: &Bound<'_, PyAny>,
    dtype: DType,
    wanted: impl FnOnce(&[usize]) -> bool,
) -> Option<Buffer> {
    match dtype {
        DType::Str | DType::F16 | DType::BF16 => None,
        DType::Bool => in_place::<bool>(object, dtype, wanted).filter(has_bools),
        DType::I8 => in_place::<i8>(object, dtype, wanted),
        DType::I16 => in_place::<i16>(object, dtype, wanted),
        DType::U8 => in_place::<u8>(object, dtype, wanted),
        DType::U16 => in_place::<u16>(object, dtype, wanted),
        DType::U32 => in_place::<u32>(object, dtype, wanted),
        DType::U64 => in_place::<u64>(object, dtype, wanted),
        DType::I32 => in_place::<i32>(object, dtype, wanted),
        DType::I64 => in_place::<i64>(object, dtype, wanted),
        DType::F32 => in_place::<f32>(object, dtype, wanted),
        DType::F64 => in_place::<f64>(object, dtype, wanted),
    }
}

fn in_place<T: numpy::Element>(
    object: &Bound<'_, PyAny>,
    dtype: DType,
    wanted: impl FnOnce(&[usize]) -> bool,
) -> Option<Buffer> {
    let array = object.cast::<PyArrayDyn<T>>().ok()?;
    let is_plain = object.get_type().is(PyUntypedArray::type_object(object.py()));
    let start = array.data().cast::<u8>();
    let is_dense = array.is_c_contiguous() && start.addr().is_multiple_of(align_of::<T>());
    if !is_plain || !is_dense || !wanted(array.shape()) {
        return None;
    }
    // SAFETY: the caller's arguments hold the array until the call is over, and what outlives that was copied.
    Some(unsafe { Buffer::lent(dtype, array.shape(), start) })
}

/// True if each byte is a bool: a view of other bytes may hold any.
fn has_bools(buffer: &Buffer) -> bool {
    buffer.bytes().iter().fold(0, |all, &byte| all | byte) <= 1
}

/// The reason for which no call lends this object's memory; `None` if it is an array that a call may lend.
pub fn reason_to_copy(object: &Bound<'_, PyAny>) -> Option<&'static str> {
    let Ok(array) = object.cast::<PyUntypedArray>() else { return Some("it is of another library") };
    let dtype = array.dtype();
    match dtype.kind() {
        _ if !object.get_type().is(PyUntypedArray::type_object(object.py())) => {
            Some("its class is derived from NumPy's")
        }
        _ if !array.is_c_contiguous() => Some("its elements are spread in memory"),
        _ if dtype.is_native_byteorder() == Some(false) => Some("its bytes are in another order"),
        b'f' if dtype.itemsize() == 2 => Some("its numbers are of half precision"),
        b'b' | b'i' | b'u' | b'f' => None,
        _ => Some("its elements are no numbers of the machine"),
    }
}

/// Lets the run of a graph store into an argument's own memory, if the buffer is that.
pub fn let_change(buffer: &mut Buffer, array: &Bound<'_, PyUntypedArray>) {
    let is_its_memory = extent(array).is_some_and(|extent| extent.start == buffer.as_ptr().addr());
    if is_its_memory && is_writeable(array) {
        // SAFETY: NumPy lets anybody write there, and no other argument of the call lies there, or the call is refused.
        unsafe { buffer.let_change() };
    }
}

/// True if stores into an array are allowed.
pub fn is_writeable(array: &Bound<'_, PyUntypedArray>) -> bool {
    // SAFETY: the object is an array, whose flags are a word of it.
    let flags = unsafe { (*array.as_array_ptr()).fields.flags };
    flags & NPY_ARRAY_WRITEABLE != 0
}

/// The bytes that a dense array takes, by their addresses; `None` for one that is spread in memory.
pub fn extent(array: &Bound<'_, PyUntypedArray>) -> Option<std::ops::Range<usize>> {
    if !array.is_c_contiguous() {
        return None;
    }
    // SAFETY: the object is an array, whose address of data is a word of it.
    let start = unsafe { (*array.as_array_ptr()).fields.data }.addr();
    Some(start..start + array.len() * array.dtype().itemsize())
}

/// True if elements of an array may share memory: an axis steps over less than the axes of shorter steps take.
pub fn overlaps_itself(array: &Bound<'_, PyUntypedArray>) -> bool {
    let lengths = array.shape().iter().copied();
    let mut axes: Vec<(usize, usize)> = array
        .strides()
        .iter()
        .map(|step| step.unsigned_abs())
        .zip(lengths)
        .filter(|(_, length)| *length != 1)
        .collect();
    if axes.iter().any(|(_, length)| *length == 0) {
        return false;
    }
    axes.sort_unstable();
    let mut taken = array.dtype().itemsize();
    axes.into_iter().any(|(step, length)| {
        let overlaps = step < taken;
        taken += step * (length - 1);
        overlaps
    })
}

/// Puts elements into an array of the same element type and lengths; false if its memory is no such.
pub fn put(array: &Bound<'_, PyAny>, elements: &Buffer) -> bool {
    let lengths = elements.lengths();
    let Some(mut target) = of_type(array, elements.dtype(), |found| found == lengths) else { return false };
    let Ok(array) = array.cast::<PyUntypedArray>() else { return false };
    let_change(&mut target, array);
    if !target.may_change() {
        return false;
    }
    let bytes = elements.bytes();
    if bytes.as_ptr() == target.as_ptr() {
        return true;
    }
    // SAFETY: the array holds as many bytes; the elements may lie in it, too.
    unsafe { std::ptr::copy(bytes.as_ptr(), target.as_ptr().cast_mut(), bytes.len()) };
    true
}
