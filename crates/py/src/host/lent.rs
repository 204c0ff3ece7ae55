//! NumPy arrays that a call lends to its graph: read where they are, and stored into where they are.
#![allow(
    unsafe_code,
    reason = "the memory is the caller's, which a call borrows as NumPy's own functions do"
)]

use gw_kernels::{CopiedAxis, copy_strided};
use gw_runtime::Buffer;
use gw_types::DType;
use numpy::npyffi::flags::NPY_ARRAY_WRITEABLE;
use numpy::{PyArrayDescrMethods, PyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::intern;
use pyo3::prelude::*;

/// A NumPy array of an element type whose lengths are `wanted`: in the caller's memory, which is lent for the call, or a copy in
/// the order of rows if its elements are spread in memory; `None` for anything else. What outlives the call is made of [`Buffer::kept`].
pub fn of_type(
    object: &Bound<'_, PyAny>,
    dtype: DType,
    wanted: impl FnOnce(&[usize]) -> bool,
) -> Option<Buffer> {
    let array = numbers_of(object, dtype).filter(|array| wanted(array.shape()))?;
    let buffer = if array.is_c_contiguous() {
        let start = start(&array).cast_const();
        // SAFETY: the caller's arguments hold the array until the call is over, and what outlives that was copied.
        unsafe { Buffer::lent(dtype, array.shape(), start) }
    } else {
        gathered(&array, dtype)?
    };
    Some(buffer).filter(|buffer| dtype != DType::Bool || has_bools(buffer))
}

/// A plain NumPy array of numbers of this type, each of which stands where one may be read.
fn numbers_of<'py>(object: &Bound<'py, PyAny>, dtype: DType) -> Option<Bound<'py, PyUntypedArray>> {
    let is = match dtype {
        DType::Str | DType::F16 | DType::BF16 => false,
        DType::Bool => is_of::<bool>(object),
        DType::I8 => is_of::<i8>(object),
        DType::I16 => is_of::<i16>(object),
        DType::U8 => is_of::<u8>(object),
        DType::U16 => is_of::<u16>(object),
        DType::U32 => is_of::<u32>(object),
        DType::U64 => is_of::<u64>(object),
        DType::I32 => is_of::<i32>(object),
        DType::I64 => is_of::<i64>(object),
        DType::F32 => is_of::<f32>(object),
        DType::F64 => is_of::<f64>(object),
        DType::C64 => is_of::<numpy::Complex32>(object),
        DType::C128 => is_of::<numpy::Complex64>(object),
    };
    plain(object).filter(|array| is && is_aligned(array, dtype)).cloned()
}

fn is_of<T: numpy::Element>(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<PyArrayDyn<T>>().is_ok()
}

/// True if each element stands where one of its type may be read.
pub fn is_aligned(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> bool {
    let alignment = dtype.part().size();
    let steps = array.strides().iter().map(|step| step.unsigned_abs());
    let is_whole = |place: usize| place.is_multiple_of(alignment);
    is_whole(start(array).addr()) && (array.is_c_contiguous() || steps.into_iter().all(is_whole))
}

/// The address of an array's first element.
fn start(array: &Bound<'_, PyUntypedArray>) -> *mut u8 {
    // SAFETY: the object is an array, whose address of data is a word of it.
    unsafe { (*array.as_array_ptr()).fields.data }.cast()
}

/// The elements of an array of numbers that are spread in memory, aligned, in the order of rows; `None` if there is no memory for them.
pub fn gathered(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> Option<Buffer> {
    let (mut axes, parts) = axes_behind(array, dtype);
    let from = start(array).cast_const();
    // SAFETY: the array's elements lie in memory from its first on, and the new memory has one for each.
    unsafe { Buffer::with_memory(dtype, array.shape(), |to| copy_strided(parts, &mut axes, to, from)) }
}

/// Puts elements into an array of the same element type and lengths whose elements are spread in memory.
fn scatter(array: &Bound<'_, PyUntypedArray>, elements: &Buffer) {
    let (mut axes, parts) = axes_behind(array, elements.dtype());
    for axis in &mut axes {
        std::mem::swap(&mut axis.to, &mut axis.from);
    }
    // SAFETY: no elements of an array that is stored into share memory, which a run does not return either.
    unsafe { copy_strided(parts, &mut axes, start(array), elements.as_ptr()) };
}

/// The axes of a copy from an array to one in the order of rows, and the bytes and number of the parts of an element.
fn axes_behind(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> (Vec<CopiedAxis>, (usize, usize)) {
    let lengths = array.shape().iter().zip(array.strides());
    let mut axes: Vec<_> = lengths.map(|(&length, &from)| CopiedAxis { length, to: 0, from }).collect();
    let mut behind = dtype.size() as isize;
    for axis in axes.iter_mut().rev() {
        axis.to = behind;
        behind = behind.saturating_mul(axis.length as isize);
    }
    (axes, (dtype.part().size(), dtype.size() / dtype.part().size()))
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
        b'b' | b'i' | b'u' | b'f' | b'c' => None,
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

/// True of an array that nobody has but the caller of this function's caller, and whose memory is nobody else's: that it becomes another
/// object is not seen.
pub fn is_alone(value: &Bound<'_, PyAny>) -> bool {
    if references(value) != 1 || !plain(value).is_some_and(is_writeable) {
        return false;
    }
    let Some(whole) = base(value) else { return false };
    // Held by the array and here.
    let is_whole = || plain(&whole).is_some() && base(&whole).is_some_and(|further| further.is_none());
    whole.is_none() || (references(&whole) == 2 && is_whole())
}

/// The object whose memory an array looks at.
fn base<'py>(array: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    array.getattr(intern!(array.py(), "base")).ok()
}

/// An array of NumPy's own class.
fn plain<'a, 'py>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, PyUntypedArray>> {
    let is_plain = object.get_type().is(PyUntypedArray::type_object(object.py()));
    object.cast::<PyUntypedArray>().ok().filter(|_| is_plain)
}

fn references(object: &Bound<'_, PyAny>) -> isize {
    // SAFETY: the object is alive.
    unsafe { pyo3::ffi::Py_REFCNT(object.as_ptr()) }
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
    let start = start(array).addr();
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
    let Some(array) = numbers_of(array, elements.dtype()) else { return false };
    if array.shape() != elements.lengths() || !is_writeable(&array) {
        return false;
    }
    if !array.is_c_contiguous() {
        scatter(&array, elements);
        return true;
    }
    let (bytes, to) = (elements.bytes(), start(&array));
    if bytes.as_ptr() != to.cast_const() {
        // SAFETY: the array holds as many bytes, which NumPy lets anybody write; the elements may lie in it, too.
        unsafe { std::ptr::copy(bytes.as_ptr(), to, bytes.len()) };
    }
    true
}
