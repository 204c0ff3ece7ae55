//! NumPy arrays and Python numbers as buffers, and back.

use gw_base::Code;
use gw_runtime::Buffer;
use gw_types::{DType, Scalar};
use numpy::{PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyString};

use crate::exceptions::errors;
use crate::host::lent;
use crate::session::libraries;
use crate::values::{dtype, strings};

/// A Python number; `None` for anything else. An integer beyond 64 bits is an error.
pub fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    let number = narrow_number(object);
    if number.is_none() && object.cast_exact::<PyInt>().is_ok() {
        let message = "this integer does not fit 64 bits, so it cannot become a tensor";
        let help = "use a float, or compute with Python's integers before the tensors come in";
        return Err(errors::here(object.py(), Code::IntegerTooWide, message, help));
    }
    Ok(number)
}

/// A Python number; `None` for anything else, and for an integer beyond 64 bits.
pub fn narrow_number(object: &Bound<'_, PyAny>) -> Option<Scalar> {
    if let Ok(b) = object.cast::<PyBool>() {
        return Some(Scalar::Bool(b.is_true()));
    }
    if object.cast_exact::<PyInt>().is_ok() {
        return object.extract::<i64>().ok().map(Scalar::Int);
    }
    if let Ok(x) = object.cast_exact::<PyFloat>() {
        return Some(Scalar::Float(x.value()));
    }
    let z = object.cast_exact::<PyComplex>().ok()?;
    Some(Scalar::Complex(z.real(), z.imag()))
}

/// The value of a number of a subclass of Python's own, such as a member of an `IntEnum`.
pub fn member(object: &Bound<'_, PyAny>) -> PyResult<Option<Scalar>> {
    if object.is_instance_of::<PyInt>() {
        return object.extract::<i64>().map(|i| Some(Scalar::Int(i)));
    }
    if object.is_instance_of::<PyFloat>() {
        return object.extract::<f64>().map(|x| Some(Scalar::Float(x)));
    }
    if let Ok(z) = object.cast::<PyComplex>() {
        return Ok(Some(Scalar::Complex(z.real(), z.imag())));
    }
    Ok(None)
}

/// The rows of an array.
pub fn rows(buffer: &Buffer) -> impl Iterator<Item = Buffer> + '_ {
    let lengths = buffer.lengths();
    let inner = lengths.get(1..).unwrap_or_default();
    let size = gw_types::count(inner) * buffer.dtype().size();
    let count = lengths.first().copied().unwrap_or(0);
    (0..count)
        .map(move |at| Buffer::from_bytes(buffer.dtype(), inner, &buffer.bytes()[at * size..(at + 1) * size]))
}

/// True if an object is a NumPy array.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    object.cast::<PyUntypedArray>().is_ok()
}

/// True of arrays in which a store is seen by all who hold them: NumPy's, and other libraries' that can be stored into.
pub fn is_shared(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_array(object) {
        return Ok(true);
    }
    let Some(array) = of_another_library(object)? else { return Ok(false) };
    array.getattr("flags")?.getattr("writeable")?.is_truthy()
}

/// True of a number of NumPy's.
pub fn is_number_of_numpy(object: &Bound<'_, PyAny>) -> bool {
    let class = intern!(object.py(), "generic");
    let is_generic = || object.is_instance(&object.py().import("numpy")?.getattr(class)?);
    !object.is_instance_of::<PyBool>() && is_generic().unwrap_or(false)
}

/// Refuses an array or a table of another library as an argument, whose methods a graph does not have: `std` of torch divides by one
/// less than NumPy's.
///
/// Arrays of Arrow have elements that are taken, and no methods that compute.
pub fn refuse_other_methods(object: &Bound<'_, PyAny>, is_taken: bool) -> PyResult<()> {
    if is_array(object) {
        return Ok(());
    }
    let class = object.get_type();
    let package = libraries::package_of_other_methods(&class)?;
    let Some(package) = package.filter(|package| !is_taken || *package != "pyarrow") else { return Ok(()) };
    let class = class.name()?;
    let message =
        format!("an argument is a `{class}` of {package}, and a graph takes tensors and NumPy arrays");
    let help = "give a tensor of its elements, `gw.constant(x)`, whose methods are NumPy's; of a table, column by column";
    Err(errors::here(object.py(), Code::NotATensor, message, help))
}

/// A NumPy array over the elements of another library's array, where they lie; `None` of anything else.
pub fn of_another_library<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, class) = (object.py(), object.get_type());
    if !class.hasattr(intern!(py, "__dlpack__"))? || is_array(object) {
        return Ok(None);
    }
    let array = py.import("graphwright._exchange")?.call_method1("borrowed", (object,))?;
    Ok(Some(array).filter(|array| !array.is_none()))
}

/// An array of NumPy's or of another library, or a NumPy scalar, as a buffer; `None` for anything else. Dtypes that we lack are an error.
pub fn from_numpy(object: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        refuse_own_operators(object)?;
        return from_array(array).map(Some);
    }
    let numpy = object.py().import("numpy")?;
    if object.is_instance(&numpy.getattr("generic")?)? {
        let array = numpy.call_method1("asarray", (object,))?;
        return from_array(array.cast::<PyUntypedArray>()?).map(Some);
    }
    match of_another_library(object)? {
        Some(array) => from_array(array.cast::<PyUntypedArray>()?).map(Some),
        None => Ok(None),
    }
}

/// The elements of anything that gives a NumPy array of itself, such as a column of a table; `None` of anything else.
pub fn from_columns(object: &Bound<'_, PyAny>) -> PyResult<Option<Buffer>> {
    let array = object.py().import("graphwright._exchange")?.call_method1("array_of", (object,))?;
    if array.is_none() { Ok(None) } else { from_array(array.cast::<PyUntypedArray>()?).map(Some) }
}

/// The methods by which a class of arrays computes in its own way, without their underscores; operators of two operands
/// have three forms each.
const OPERATORS: &[&str] = &[
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift",
    "rshift",
];
const METHODS: &[&str] = &[
    "neg",
    "pos",
    "abs",
    "invert",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "contains",
    "getitem",
    "setitem",
    "iter",
    "len",
    "bool",
    "float",
    "int",
    "index",
    "array_ufunc",
    "array_function",
    "array_wrap",
    "array_priority",
];

/// GW301 for an array of a class that has operators or methods of its own in place of an array's: a graph would compute with it as with any other.
fn refuse_own_operators(object: &Bound<'_, PyAny>) -> PyResult<()> {
    let (py, class) = (object.py(), object.get_type());
    if class.is(PyUntypedArray::type_object(py)) || class.is(&py.import("numpy")?.getattr("memmap")?) {
        return Ok(());
    }
    for base in class.mro() {
        if base.is(PyUntypedArray::type_object(py)) {
            break;
        }
        let names = base.getattr("__dict__")?;
        let forms = OPERATORS.iter().flat_map(|name| ["", "r", "i"].map(|form| format!("{form}{name}")));
        for name in forms.chain(METHODS.iter().map(|&name| name.to_owned())) {
            let name = format!("__{name}__");
            if names.contains(&name)? {
                return Err(own_operators(object, &name));
            }
        }
        let arrays = PyUntypedArray::type_object(py);
        for name in names.try_iter()? {
            let name = name?.cast_into::<PyString>()?;
            if !name.to_string_lossy().starts_with('_') && arrays.hasattr(&name)? {
                return Err(own_operators(object, &name.to_string_lossy()));
            }
        }
    }
    Ok(())
}

fn own_operators(object: &Bound<'_, PyAny>, name: &str) -> PyErr {
    let class = object.get_type().name().map_or_else(|_| "array".to_owned(), |name| name.to_string());
    let message = format!(
        "a `{class}` cannot become a tensor: its class has `{name}` of its own, and a tensor computes as a plain array"
    );
    let help = "give the plain array, `np.asarray(x)`, and beside it what the class adds, such as `np.ma.getmaskarray(x)`";
    errors::here(object.py(), Code::NotATensor, message, help)
}

/// The element type of an array whose elements stand in memory as ours do, or are strings or objects.
pub fn element_type(array: &Bound<'_, PyUntypedArray>) -> Option<DType> {
    let dtype = array.dtype();
    let native = dtype.is_native_byteorder().unwrap_or(true);
    match (dtype.kind(), dtype.itemsize()) {
        (b'b', 1) => Some(DType::Bool),
        (b'i', 1) => Some(DType::I8),
        (b'i', 2) => Some(DType::I16),
        (b'i', 4) => Some(DType::I32),
        (b'u', 1) => Some(DType::U8),
        (b'u', 2) => Some(DType::U16),
        (b'u', 4) => Some(DType::U32),
        (b'u', 8) => Some(DType::U64),
        (b'f', 2) => Some(DType::F16),
        (b'i', 8) => Some(DType::I64),
        (b'f', 4) => Some(DType::F32),
        (b'f', 8) => Some(DType::F64),
        (b'c', 8) => Some(DType::C64),
        (b'c', 16) => Some(DType::C128),
        (b'U' | b'S' | b'O', _) => Some(DType::Str),
        _ => None,
    }
    .filter(|_| native)
}

/// An array whose rows stand one after the other; an array turned round stands in memory as it did before.
fn contiguous<T: Number>(array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<Option<Buffer>> {
    if !array.is_c_contiguous() || !lent::is_aligned(array.as_untyped(), T::DTYPE) {
        return Ok(None);
    }
    let Ok(readonly) = array.try_readonly() else { return Ok(None) };
    let Ok(elements) = readonly.as_slice() else { return Ok(None) };
    let no_memory = || out_of_memory(elements.len(), size_of::<T>());
    Buffer::copy_of(array.shape(), elements).ok_or_else(no_memory).map(Some)
}

fn out_of_memory(count: usize, size: usize) -> PyErr {
    PyMemoryError::new_err(format!("no memory for {count} elements of {size} bytes each"))
}

/// A copy of elements that Python holds.
fn copied(dtype: DType, lengths: &[usize], bytes: &[u8]) -> PyResult<Buffer> {
    let no_memory = || out_of_memory(bytes.len() / dtype.size(), dtype.size());
    Buffer::try_from_bytes(dtype, lengths, bytes).ok_or_else(no_memory)
}

fn from_array(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    let Some(dtype) = element_type(array) else { return from_another(array) };
    match dtype {
        DType::Bool => bools_in(array),
        DType::I8 => copy_in::<i8>(array),
        DType::I16 => copy_in::<i16>(array),
        DType::U8 => copy_in::<u8>(array),
        DType::U16 => copy_in::<u16>(array),
        DType::U32 => copy_in::<u32>(array),
        DType::U64 => copy_in::<u64>(array),
        DType::F16 | DType::BF16 => halves_in(array, dtype),
        DType::I32 => copy_in::<i32>(array),
        DType::I64 => copy_in::<i64>(array),
        DType::F32 => copy_in::<f32>(array),
        DType::F64 => copy_in::<f64>(array),
        DType::C64 | DType::C128 => parts_in(array, dtype),
        DType::Str => strings::from_array(array),
    }
}

/// An array whose elements stand in memory in another way, or that we have no type for.
fn from_another(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    if array.dtype().is_native_byteorder() == Some(false) {
        let native = array.dtype().call_method1("newbyteorder", ("=",))?;
        return from_array(array.call_method1("astype", (native,))?.cast::<PyUntypedArray>()?);
    }
    let name: String = array.dtype().getattr("name")?.extract()?;
    if name == DType::BF16.python_name() {
        return halves_in(array, DType::BF16);
    }
    Err(dtype::unsupported(array.py(), &name))
}

/// An element that NumPy has in the same form.
trait Number: numpy::Element + gw_runtime::Element {}
impl Number for i8 {}
impl Number for i16 {}
impl Number for u8 {}
impl Number for u16 {}
impl Number for u32 {}
impl Number for u64 {}
impl Number for i32 {}
impl Number for i64 {}
impl Number for f32 {}
impl Number for f64 {}

fn copy_in<T: Number>(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    let array = array.cast::<PyArrayDyn<T>>()?;
    if let Some(buffer) = contiguous(array)? {
        return Ok(buffer);
    }
    if !lent::is_aligned(array.as_untyped(), T::DTYPE) {
        return copy_in::<T>(array.call_method0("copy")?.cast::<PyUntypedArray>()?);
    }
    // One element may stand for more than there is memory for.
    let no_memory = || out_of_memory(array.len(), size_of::<T>());
    lent::gathered(array.as_untyped(), T::DTYPE).ok_or_else(no_memory)
}

/// Bools by their bytes, of which a view of another array may hold any: all but zero count as true.
fn bools_in(array: &Bound<'_, PyUntypedArray>) -> PyResult<Buffer> {
    let bytes = from_array(array.call_method1("view", ("uint8",))?.cast::<PyUntypedArray>()?)?;
    let mut bools = Vec::new();
    let count = bytes.bytes().len();
    bools.try_reserve_exact(count).map_err(|_| out_of_memory(count, 1))?;
    bools.extend(bytes.bytes().iter().map(|&byte| u8::from(byte != 0)));
    copied(DType::Bool, bytes.lengths(), &bools)
}

/// Numbers of half precision by their bits.
fn halves_in(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> PyResult<Buffer> {
    let py = array.py();
    let rows = py.import("numpy")?.call_method1("asarray", (array, py.None(), "C"))?;
    let bits = from_array(rows.call_method1("view", ("uint16",))?.cast::<PyUntypedArray>()?)?;
    let lengths = bits.lengths().to_vec();
    Ok(bits.retyped(dtype, &lengths))
}

/// Complex numbers by their parts, which lie side by side in both.
fn parts_in(array: &Bound<'_, PyUntypedArray>, dtype: DType) -> PyResult<Buffer> {
    let py = array.py();
    let rows = py.import("numpy")?.call_method1("ravel", (array, "C"))?;
    let parts =
        from_array(rows.call_method1("view", (dtype.part().python_name(),))?.cast::<PyUntypedArray>()?)?;
    Ok(parts.retyped(dtype, array.shape()))
}

fn parts_out<'py>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    let part = buffer.dtype().part();
    let parts = Buffer::from_bytes(part, &[buffer.bytes().len() / part.size()], buffer.bytes());
    let flat = to_numpy(py, &parts)?.call_method1("view", (buffer.dtype().python_name(),))?;
    flat.call_method1("reshape", (buffer.lengths().to_vec(),))
}

fn halves_out<'py>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    let bits = Buffer::from_bytes(DType::U16, buffer.lengths(), buffer.bytes());
    copy_out::<u16>(py, &bits)?.call_method1("view", (dtype::numpy_type(py, buffer.dtype())?,))
}

/// A new NumPy array with the buffer's elements.
pub fn to_numpy<'py>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    match buffer.dtype() {
        DType::Bool => {
            let elements: Vec<bool> = buffer.bytes().iter().map(|&byte| byte != 0).collect();
            shaped(py, &elements, buffer.lengths())
        }
        DType::I8 => copy_out::<i8>(py, buffer),
        DType::I16 => copy_out::<i16>(py, buffer),
        DType::U8 => copy_out::<u8>(py, buffer),
        DType::U16 => copy_out::<u16>(py, buffer),
        DType::U32 => copy_out::<u32>(py, buffer),
        DType::U64 => copy_out::<u64>(py, buffer),
        DType::F16 | DType::BF16 => halves_out(py, buffer),
        DType::I32 => copy_out::<i32>(py, buffer),
        DType::I64 => copy_out::<i64>(py, buffer),
        DType::F32 => copy_out::<f32>(py, buffer),
        DType::F64 => copy_out::<f64>(py, buffer),
        DType::C64 | DType::C128 => parts_out(py, buffer),
        DType::Str => strings::to_numpy(py, buffer),
    }
}

fn copy_out<'py, T: Number>(py: Python<'py>, buffer: &Buffer) -> PyResult<Bound<'py, PyAny>> {
    shaped(py, buffer.elements::<T>().unwrap_or_default(), buffer.lengths())
}

fn shaped<'py, T: numpy::Element + Copy>(
    py: Python<'py>,
    elements: &[T],
    lengths: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let flat = numpy::PyArray1::from_slice(py, elements);
    if lengths.len() == 1 {
        return Ok(flat.into_any());
    }
    let shaped = flat.reshape(lengths.to_vec());
    if shaped.is_err() && elements.is_empty() {
        // NumPy has no array of such lengths, though it has no elements.
        return py.import("numpy")?.call_method1("empty", (lengths.to_vec(), flat.dtype()));
    }
    Ok(shaped?.into_any())
}

/// The buffer's only element.
pub fn only(buffer: &Buffer) -> Option<Scalar> {
    (buffer.bytes().len() == buffer.dtype().size()).then(|| Scalar::read(buffer.dtype(), buffer.bytes()))
}

/// A scalar as a Python number, or `bytes`.
pub fn to_python(py: Python<'_>, scalar: Scalar) -> PyResult<Bound<'_, PyAny>> {
    Ok(match scalar {
        Scalar::Bool(b) => b.into_pyobject(py)?.to_owned().into_any(),
        Scalar::Int(i) => i.into_pyobject(py)?.into_any(),
        Scalar::Nat(n) => n.into_pyobject(py)?.into_any(),
        Scalar::Float(x) => x.into_pyobject(py)?.into_any(),
        Scalar::Complex(re, im) => PyComplex::from_doubles(py, re, im).into_any(),
        Scalar::Text(text) => strings::to_python(py, text).into_any(),
    })
}
