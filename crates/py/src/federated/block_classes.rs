//! The classes of building blocks in Python, what all of them have, and the handle of a block: one object for as long as
//! it is alive.

use gw_federated::blocks::BlockKind;
use pyo3::PyClassInitializer;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::federated::python;
use crate::federated::types::classes;

/// A building block of a computation: immutable, with a type.
///
/// Example:
///   >>> from graphwright.federated import framework as fw
///   >>> block = fw.Reference("x", np.int32)
///   >>> isinstance(block, fw.ComputationBuildingBlock), str(block.type_signature)
///   (True, 'int32')
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
    /// Equal only to itself.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> str(fw.Reference("x", np.int32))
    ///   'x'
    Reference;
    /// An element of a struct, by name or by index.
    ///
    /// Raises:
    ///   TypeError: the source is no struct.
    ///   ValueError: the struct has no such element.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> pair = fw.Reference("pair", [("a", np.int32), ("b", np.bool_)])
    ///   >>> str(fw.Selection(pair, name="b")), str(fw.Selection(pair, index=0))
    ///   ('pair.b', 'pair[0]')
    Selection;
    /// A struct of blocks, some of them named.
    ///
    /// Raises:
    ///   TypeError: an element is no block.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> str(fw.Struct([x, ("b", x)]))
    ///   '<x,b=x>'
    Struct;
    /// A function applied to an argument.
    ///
    /// Raises:
    ///   TypeError: the first block is no function, or the argument does not fit.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> same = fw.Lambda("x", np.int32, fw.Reference("x", np.int32))
    ///   >>> str(fw.Call(same, fw.Reference("y", np.int32)))
    ///   '(x -> x)(y)'
    Call;
    /// A function of one parameter or none.
    ///
    /// Raises:
    ///   TypeError: only one of the parameter's name and type is given.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> same = fw.Lambda("x", np.int32, fw.Reference("x", np.int32))
    ///   >>> str(same), str(same.type_signature)
    ///   ('(x -> x)', '(int32 -> int32)')
    Lambda;
    /// Locals, each visible in those after it, and a result.
    ///
    /// Raises:
    ///   TypeError: a local is no pair of a name and a block.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> str(fw.Block([("a", x)], fw.Reference("a", np.int32)))
    ///   '(let a=x in a)'
    Block;
    /// An operation of the language.
    ///
    /// Raises:
    ///   TypeError: the type is no instance of the template.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> at_clients = tff.FederatedType(np.int32, tff.CLIENTS)
    ///   >>> total = tff.FunctionType(at_clients, tff.FederatedType(np.int32, tff.SERVER))
    ///   >>> str(tff.framework.Intrinsic("federated_sum", total))
    ///   'federated_sum'
    Intrinsic;
    /// A value that the program refers to and does not hold.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> fw.Data("table 7", np.int32).content
    ///   'table 7'
    Data;
    /// A graph as a block: the body of a `graph_computation`.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> block = tff.graph_computation(lambda: 7).to_compiled_building_block()
    ///   >>> isinstance(block, tff.framework.CompiledComputation), str(block.type_signature)
    ///   (True, '( -> int32)')
    CompiledComputation;
    /// A placement as a value.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.framework.Placement(tff.CLIENTS).uri
    ///   'clients'
    Placement;
    /// A constant.
    ///
    /// Raises:
    ///   ValueError: the value does not fit the type.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> str(tff.framework.Literal(5, tff.TensorType(np.int32)))
    ///   '5'
    Literal;
}

#[pymethods]
impl ComputationBuildingBlock {
    /// The type of the value.
    #[getter]
    fn type_signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        classes::handle(py, self.0.ty())
    }

    /// Returns an iterator over the blocks that the block is made of.
    ///
    /// Returns:
    ///   Iterator of blocks.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> block = fw.Struct([x, ("b", x)])
    ///   >>> [str(child) for child in block.children()]
    ///   ['x', 'x']
    fn children<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let children = self.0.children().into_iter().map(|child| handle(py, child));
        PyTuple::new(py, children.collect::<PyResult<Vec<_>>>()?)?.call_method0("__iter__")
    }

    /// Returns the text on one line.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> block = fw.Struct([x, ("b", x)])
    ///   >>> block.compact_representation()
    ///   '<x,b=x>'
    fn compact_representation(&self) -> String {
        self.0.compact()
    }

    /// Returns the text with each element and each local on a line of its own.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> block = fw.Struct([x, ("b", x)])
    ///   >>> print(block.formatted_representation())
    ///   <
    ///     x,
    ///     b=x
    ///   >
    fn formatted_representation(&self) -> String {
        self.0.formatted()
    }

    /// Returns the drawing of the tree.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> block = fw.Struct([x, ("b", x)])
    ///   >>> print(block.structural_representation())
    ///   Struct
    ///   |
    ///   [Ref(x), b=Ref(x)]
    fn structural_representation(&self) -> String {
        self.0.structural()
    }

    fn __str__(&self) -> String {
        self.0.compact()
    }

    fn __repr__(&self) -> String {
        self.0.constructor()
    }

    fn __hash__(&self) -> u64 {
        self.0.structural_hash()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> Py<PyAny> {
        let equal = other.cast::<ComputationBuildingBlock>().ok().map(|other| other.get().0 == self.0);
        python::answer(other.py(), equal)
    }
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
