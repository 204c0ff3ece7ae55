//! `to_type`: what in Python stands for a type.

use gw_federated::types::{Dimensions, Field};
use gw_federated::{DType, types};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PySequence, PyString, PyTuple, PyType};

use crate::federated::containers::{self, Depth, Items};
use crate::federated::python::{Container, Ty};
use crate::federated::types::{classes, element_types};
use crate::federated::{raised, structure};
use crate::values::dtype::PyDType;
use crate::values::spec::PyTensorSpec;
use crate::values::tensor::Tensor;

/// Returns the type that an object stands for.
///
/// Args:
///   obj: type, dtype, `gw.TensorSpec`, or container of them.
///
/// Returns:
///   `tff.Type`, or `None` for `None`.
///
/// Raises:
///   TypeError: the object stands for no type.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.to_type((np.int32, [("x", np.float32)])))
///   '<int32,<x=float32>>'
#[pyfunction]
#[pyo3(name = "to_type")]
pub fn to_type_object<'py>(obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    classes::handle(obj.py(), &to_type(obj)?)
}

/// Returns the type that an object stands for.
pub fn to_type(object: &Bound<'_, PyAny>) -> PyResult<Ty> {
    read(object, Depth::default())
}

fn read(object: &Bound<'_, PyAny>, depth: Depth) -> PyResult<Ty> {
    if let Some(ty) = classes::read(object) {
        return Ok(ty);
    }
    if let Some(dtype) = dtype(object)? {
        return Ok(Ty::scalar(dtype));
    }
    if let Some(ty) = dtype_and_shape(object)? {
        return Ok(ty);
    }
    let depth = depth.deeper()?;
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return from_list(object, depth);
    }
    if let Some(ty) = named_tuple_class(object)? {
        return Ok(ty);
    }
    if let Some(opened) = containers::open(object)? {
        let container = opened.container();
        return build(opened.items, container, depth);
    }
    if let Some(ty) = dataset(object, depth)? {
        return Ok(ty);
    }
    let class = object.get_type();
    Err(PyTypeError::new_err(format!("Unable to interpret an argument of type {class} as a type spec.")))
}

/// Returns the element type that an object stands for.
pub fn dtype(object: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    if let Some(dtype) = element_types::of_numpy(object)? {
        return Ok(Some(dtype));
    }
    Ok(object.cast::<PyDType>().ok().map(|dtype| from_graphs(dtype.get().0)))
}

/// Returns the element type of the language for one of graphs.
fn from_graphs(dtype: gw_types::DType) -> DType {
    match dtype {
        gw_types::DType::Bool => DType::Bool,
        gw_types::DType::I8 => DType::Int8,
        gw_types::DType::I16 => DType::Int16,
        gw_types::DType::U8 => DType::UInt8,
        gw_types::DType::U16 => DType::UInt16,
        gw_types::DType::U32 => DType::UInt32,
        gw_types::DType::U64 => DType::UInt64,
        gw_types::DType::F16 => DType::Float16,
        gw_types::DType::BF16 => DType::BFloat16,
        gw_types::DType::I32 => DType::Int32,
        gw_types::DType::I64 => DType::Int64,
        gw_types::DType::F32 => DType::Float32,
        gw_types::DType::F64 => DType::Float64,
        gw_types::DType::C64 => DType::Complex64,
        gw_types::DType::C128 => DType::Complex128,
        gw_types::DType::Str => DType::Str,
    }
}

/// Reads `(dtype, shape)` and a `TensorSpec`.
fn dtype_and_shape(object: &Bound<'_, PyAny>) -> PyResult<Option<Ty>> {
    if let Ok(spec) = object.cast::<PyTensorSpec>() {
        let spec = spec.get();
        let open = || Ty::tensor(from_graphs(spec.element), None);
        return Ok(Some(if spec.unranked { open() } else { tensor_type(spec.element, &spec.lengths) }));
    }
    let Ok(pair) = object.cast::<PyTuple>() else { return Ok(None) };
    if pair.len() != 2 {
        return Ok(None);
    }
    let Some(dtype) = dtype(&pair.get_item(0)?)? else { return Ok(None) };
    let shape = pair.get_item(1)?;
    Ok(if is_shape(&shape)? { Some(Ty::tensor(dtype, dimensions(&shape)?)) } else { None })
}

/// Returns the type of a tensor of ours.
pub fn of_tensor(object: &Bound<'_, PyAny>) -> Option<Ty> {
    let tensor = object.cast::<Tensor>().ok()?.get();
    Some(tensor_type(tensor.element(), &tensor.lengths()))
}

fn tensor_type(element: gw_types::DType, lengths: &[Option<usize>]) -> Ty {
    let size = |length: &Option<usize>| length.map(|length| i64::try_from(length).unwrap_or(i64::MAX));
    Ty::tensor(from_graphs(element), Some(lengths.iter().map(size).collect()))
}

/// Tells if an object is a sequence of sizes, or `None` for any number of them.
fn is_shape(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_none() {
        return Ok(true);
    }
    let is_text = object.is_instance_of::<PyString>();
    let Ok(sizes) = object.cast::<PySequence>() else { return Ok(false) };
    for size in sizes.try_iter()? {
        let size = size?;
        if !size.is_none() && !size.is_instance_of::<PyInt>() {
            return Ok(false);
        }
    }
    Ok(!is_text)
}

/// Reads a shape: sizes, `None` for an unknown one, or `None` for any number of them.
pub fn dimensions(shape: &Bound<'_, PyAny>) -> PyResult<Option<Dimensions>> {
    if shape.is_none() {
        return Ok(None);
    }
    let sizes = shape.try_iter()?.map(|size| size?.extract::<Option<i64>>());
    Ok(Some(sizes.collect::<PyResult<Vec<Option<i64>>>>()?.into()))
}

fn from_list(object: &Bound<'_, PyAny>, depth: Depth) -> PyResult<Ty> {
    if containers::is_named_tuple(object)? {
        let opened = containers::open(object)?;
        let container = opened.as_ref().and_then(containers::Opened::container);
        return build(opened.map(|opened| opened.items).unwrap_or_default(), container, depth);
    }
    let mut named = false;
    for item in object.try_iter()? {
        named |= structure::pair(&item?)?.is_some_and(|(name, _)| name.is_some());
    }
    let container = (!named).then(|| Container(object.get_type().unbind()));
    build(elements(object)?, container, depth)
}

/// Reads the elements of a struct type: types, pairs, a mapping, or one pair alone.
pub fn elements<'py>(object: &Bound<'py, PyAny>) -> PyResult<Items<'py>> {
    if let Some(only) = structure::pair(object)? {
        return Ok(vec![only]);
    }
    let is_list = object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>();
    if (!is_list || containers::is_named_tuple(object)?)
        && let Some(opened) = containers::open(object)?
    {
        return Ok(opened.items);
    }
    let element = |item: PyResult<Bound<'py, PyAny>>| {
        let item = item?;
        Ok(structure::pair(&item)?.unwrap_or((None, item)))
    };
    object.try_iter()?.map(element).collect()
}

/// Makes a struct type of elements.
pub fn structure_of(items: Items<'_>, container: Option<Container>) -> PyResult<Ty> {
    build(items, container, Depth::default())
}

fn build(items: Items<'_>, container: Option<Container>, depth: Depth) -> PyResult<Ty> {
    let mut fields = Vec::with_capacity(items.len());
    for (name, item) in items {
        fields.push(Field { name: name.map(Into::into), ty: read(&item, depth)? });
    }
    types::Type::structure(fields, container).map_err(raised::error)
}

/// Reads a class of named tuples whose annotations are dtypes.
fn named_tuple_class(object: &Bound<'_, PyAny>) -> PyResult<Option<Ty>> {
    let Ok(class) = object.cast::<PyType>() else { return Ok(None) };
    if !containers::is_named_tuple(object)? {
        return Ok(None);
    }
    let py = object.py();
    let mut fields = Vec::new();
    for item in class.getattr(intern!(py, "__annotations__"))?.call_method0("items")?.try_iter()? {
        let (name, annotation): (String, Bound<'_, PyAny>) = item?.extract()?;
        let ty = match to_type(&annotation) {
            Ok(ty) => ty,
            Err(_) => to_type(&py.import("numpy")?.call_method1("dtype", (annotation,))?)?,
        };
        fields.push(Field::named(name, ty));
    }
    types::Type::structure(fields, Some(Container(class.clone().unbind()))).map(Some).map_err(raised::error)
}

/// Reads a dataset as the sequence of its elements.
fn dataset(object: &Bound<'_, PyAny>, depth: Depth) -> PyResult<Option<Ty>> {
    if object.is_instance_of::<PyType>() || !containers::is_dataset(object)? {
        return Ok(None);
    }
    let element = read(&object.getattr(intern!(object.py(), "element_spec"))?, depth)?;
    Ty::sequence_of(element).map(Some).map_err(raised::error)
}
