//! The classes of building blocks in Python, and the handle of a block: one object for as long as it is alive.

use gw_federated::blocks::BlockKind;
use pyo3::PyClassInitializer;
use pyo3::prelude::*;

use crate::federated::python;

/// A building block of a computation: immutable, with a type.
///
/// Example: `block.type_signature`, `block.children()`, `str(block)`.
#[pyclass(frozen, subclass, weakref, module = "graphwright.federated")]
pub struct ComputationBuildingBlock(pub python::Block);

macro_rules! block_classes {
    ($($(#[$doc:meta])* $class:ident;)*) => {
        $(
            $(#[$doc])*
            #[pyclass(frozen, extends = ComputationBuildingBlock, module = "graphwright.federated")]
            pub struct $class;
        )*

        pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            module.add_class::<ComputationBuildingBlock>()?;
            $(module.add_class::<$class>()?;)*
            Ok(())
        }
    };
}

block_classes! {
    /// A reference to a name that a lambda or a block around it defines.
    ///
    /// Equal only to itself. Example: `Reference("x", np.int32)`.
    Reference;
    /// An element of a struct, by name or by index.
    ///
    /// `ValueError`: no such element. `TypeError`: the source is no struct. Example: `Selection(source, index=0)`.
    Selection;
    /// A struct of blocks, some of them named.
    ///
    /// `TypeError`: an element is no block. Example: `Struct([x, ("b", y)])`.
    Struct;
    /// A function applied to an argument.
    ///
    /// `TypeError`: the first block is no function, or the argument does not fit. Example: `Call(function, argument)`.
    Call;
    /// A function of one parameter or none.
    ///
    /// `TypeError`: only one of the parameter's name and type is given. Example: `Lambda("x", np.int32, body)`.
    Lambda;
    /// Locals, each visible in those after it, and a result.
    ///
    /// `TypeError`: a local is no pair of a name and a block. Example: `Block([("a", x)], result)`.
    Block;
    /// An operation of the language.
    ///
    /// `TypeError`: the type is no instance of the template. Example: `Intrinsic("federated_sum", type)`.
    Intrinsic;
    /// A value that the program refers to and does not hold.
    ///
    /// Example: `Data(content, np.int32)`.
    Data;
    /// A graph.
    ///
    /// Example: `CompiledComputation(leaf)`.
    CompiledComputation;
    /// A placement as a value.
    ///
    /// Example: `Placement(CLIENTS)`.
    Placement;
    /// A constant.
    ///
    /// `ValueError`: the value does not fit the type. Example: `Literal(5, TensorType(np.int32))`.
    Literal;
}

/// Returns the handle of a block.
pub fn handle<'py>(py: Python<'py>, block: &python::Block) -> PyResult<Bound<'py, PyAny>> {
    block.slot().get_or_make(py, || make(py, block))
}

fn make<'py>(py: Python<'py>, block: &python::Block) -> PyResult<Bound<'py, PyAny>> {
    let base = PyClassInitializer::from(ComputationBuildingBlock(block.clone()));
    match block.kind() {
        BlockKind::Reference(..) => Ok(Bound::new(py, base.add_subclass(Reference))?.into_any()),
        BlockKind::Selection(..) => Ok(Bound::new(py, base.add_subclass(Selection))?.into_any()),
        BlockKind::Struct(_) => Ok(Bound::new(py, base.add_subclass(Struct))?.into_any()),
        BlockKind::Call(..) => Ok(Bound::new(py, base.add_subclass(Call))?.into_any()),
        BlockKind::Lambda(..) => Ok(Bound::new(py, base.add_subclass(Lambda))?.into_any()),
        BlockKind::Block(..) => Ok(Bound::new(py, base.add_subclass(Block))?.into_any()),
        BlockKind::Intrinsic(_) => Ok(Bound::new(py, base.add_subclass(Intrinsic))?.into_any()),
        BlockKind::Data(_) => Ok(Bound::new(py, base.add_subclass(Data))?.into_any()),
        BlockKind::Compiled(..) => Ok(Bound::new(py, base.add_subclass(CompiledComputation))?.into_any()),
        BlockKind::Placement(_) => Ok(Bound::new(py, base.add_subclass(Placement))?.into_any()),
        BlockKind::Literal(_) => Ok(Bound::new(py, base.add_subclass(Literal))?.into_any()),
    }
}

/// Returns the block of a handle.
pub fn read(object: &Bound<'_, PyAny>) -> Option<python::Block> {
    object.cast::<ComputationBuildingBlock>().ok().map(|handle| handle.get().0.clone())
}
