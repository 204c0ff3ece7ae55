//! The classes of types in Python, and the handle of a type: one object for as long as it is alive.

use gw_federated::types::Kind;
use pyo3::PyClassInitializer;
use pyo3::prelude::*;

use crate::federated::python::Ty;

/// A type of the federated language.
///
/// Equal types are one object.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> types = [tff.TensorType(np.int32, [3]), tff.SequenceType(np.int32), tff.FederatedType(np.float32, tff.CLIENTS)]
///   >>> [str(each) for each in types if isinstance(each, tff.Type)]
///   ['int32[3]', 'int32*', '{float32}@CLIENTS']
#[pyclass(frozen, subclass, weakref, name = "Type", module = "graphwright.federated")]
pub struct Type(pub Ty);

/// The type of a tensor.
///
/// Raises:
///   NotImplementedError: the dtype is none of the language.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.TensorType(np.float32, [None, 3]))
///   'float32[?,3]'
#[pyclass(frozen, extends = Type, module = "graphwright.federated")]
pub struct TensorType;

/// The type of a struct of elements, some of them named.
///
/// Raises:
///   ValueError: a name is reserved or occurs twice.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.StructType([("x", np.int32), np.float32]))
///   '<x=int32,float32>'
#[pyclass(frozen, subclass, extends = Type, module = "graphwright.federated")]
pub struct StructType;

/// The type of a struct that stands for a Python container.
///
/// Raises:
///   ValueError: a name is reserved or occurs twice.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.StructWithPythonType([("x", np.int32)], dict))
///   '<x=int32>'
#[pyclass(frozen, extends = StructType, module = "graphwright.federated")]
pub struct StructWithPythonType;

/// The type of a sequence.
///
/// Raises:
///   ValueError: the element is federated, a function or a sequence.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.SequenceType(np.int32))
///   'int32*'
#[pyclass(frozen, extends = Type, module = "graphwright.federated")]
pub struct SequenceType;

/// The type of a function of one parameter or none.
///
/// Raises:
///   TypeError: an argument is no type.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.FunctionType(np.int32, np.float32))
///   '(int32 -> float32)'
#[pyclass(frozen, extends = Type, module = "graphwright.federated")]
pub struct FunctionType;

/// A type variable of a template.
///
/// Comparing it raises `TypeError`.
///
/// Raises:
///   TypeError: it is compared.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> identity = tff.FunctionType(tff.framework.AbstractType("T"), tff.framework.AbstractType("T"))
///   >>> str(identity)
///   '(T -> T)'
#[pyclass(frozen, extends = Type, module = "graphwright.federated")]
pub struct AbstractType;

/// The type of placements.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.PlacementType())
///   'placement'
#[pyclass(frozen, extends = Type, module = "graphwright.federated")]
pub struct PlacementType;

/// The type of a value at each participant of a placement.
///
/// Raises:
///   ValueError: the member is federated or a function.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> str(tff.FederatedType(np.int32, tff.CLIENTS))
///   '{int32}@CLIENTS'
#[pyclass(frozen, extends = Type, module = "graphwright.federated")]
pub struct FederatedType;

/// Returns the handle of a type.
pub fn handle<'py>(py: Python<'py>, ty: &Ty) -> PyResult<Bound<'py, PyAny>> {
    ty.slot().get_or_make(py, || make(py, ty))
}

fn make<'py>(py: Python<'py>, ty: &Ty) -> PyResult<Bound<'py, PyAny>> {
    let base = PyClassInitializer::from(Type(ty.clone()));
    match ty.kind() {
        Kind::Tensor(..) => Ok(Bound::new(py, base.add_subclass(TensorType))?.into_any()),
        Kind::Struct(fields) if fields.container.is_some() => {
            let made = base.add_subclass(StructType).add_subclass(StructWithPythonType);
            Ok(Bound::new(py, made)?.into_any())
        }
        Kind::Struct(_) => Ok(Bound::new(py, base.add_subclass(StructType))?.into_any()),
        Kind::Sequence(_) => Ok(Bound::new(py, base.add_subclass(SequenceType))?.into_any()),
        Kind::Function(..) => Ok(Bound::new(py, base.add_subclass(FunctionType))?.into_any()),
        Kind::Abstract(_) => Ok(Bound::new(py, base.add_subclass(AbstractType))?.into_any()),
        Kind::Placement => Ok(Bound::new(py, base.add_subclass(PlacementType))?.into_any()),
        Kind::Federated(_) => Ok(Bound::new(py, base.add_subclass(FederatedType))?.into_any()),
    }
}

/// Returns the handle of a type, and `None` for none.
pub fn optional<'py>(py: Python<'py>, ty: Option<&Ty>) -> PyResult<Option<Bound<'py, PyAny>>> {
    ty.map(|ty| handle(py, ty)).transpose()
}

/// Returns the type of a handle.
pub fn read(object: &Bound<'_, PyAny>) -> Option<Ty> {
    object.cast::<Type>().ok().map(|handle| handle.get().0.clone())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Type>()?;
    module.add_class::<TensorType>()?;
    module.add_class::<StructType>()?;
    module.add_class::<StructWithPythonType>()?;
    module.add_class::<SequenceType>()?;
    module.add_class::<FunctionType>()?;
    module.add_class::<AbstractType>()?;
    module.add_class::<PlacementType>()?;
    module.add_class::<FederatedType>()
}
