//! Building blocks in Python: constructors and attributes of each kind.

use std::sync::Arc;

use gw_federated::blocks::{BlockKind, Element, Key, Local};
use gw_federated::intrinsics::check_type;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::federated::block_classes::{
    self, Block, Call, CompiledComputation, Data, Intrinsic, Lambda, Literal, Placement, Reference,
    Selection, Struct,
};
use crate::federated::python::{self, Container, Object};
use crate::federated::types::{classes, placements, to_type};
use crate::federated::{constants, definitions, raised, structure, tracing};

/// Returns the block of an argument; the error names the parameter.
fn given(object: &Bound<'_, PyAny>, parameter: &str) -> PyResult<python::Block> {
    let refused = || {
        let class = object.get_type();
        PyTypeError::new_err(format!("Expected `{parameter}` to be a building block, found {class}."))
    };
    block_classes::read(object).ok_or_else(refused)
}

/// Returns the block of a handle of any class.
fn of(handle: &Bound<'_, PyAny>) -> PyResult<python::Block> {
    given(handle, "self")
}

/// Returns the handle of a block that the language allows.
fn made<'py>(py: Python<'py>, block: gw_federated::Allowed<python::Block>) -> PyResult<Bound<'py, PyAny>> {
    block_classes::handle(py, &block.map_err(raised::error)?)
}

/// Returns the error of an attribute that the kind of a block does not have, which no handle has.
fn other_kind(block: &python::Block) -> PyErr {
    PyTypeError::new_err(format!("The block {block} is of another kind."))
}

#[pymethods]
impl Reference {
    #[new]
    #[pyo3(signature = (name, type_signature, context=None))]
    fn construct<'py>(
        name: &str,
        type_signature: &Bound<'py, PyAny>,
        context: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = type_signature.py();
        let context = context.map(|context| Arc::new(Object(context.unbind())));
        block_classes::handle(py, &python::Block::reference(name, to_type::to_type(type_signature)?, context))
    }

    /// The name.
    #[getter]
    fn name(slf: &Bound<'_, Self>) -> PyResult<String> {
        let block = of(slf)?;
        let BlockKind::Reference(name, _) = block.kind() else { return Err(other_kind(&block)) };
        Ok(name.to_string())
    }

    /// Where the name is defined, if that is known.
    #[getter]
    fn context<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let block = of(slf)?;
        let BlockKind::Reference(_, context) = block.kind() else { return Err(other_kind(&block)) };
        Ok(context.as_ref().map(|context| context.0.bind(slf.py()).clone()))
    }
}

#[pymethods]
impl Selection {
    #[new]
    #[pyo3(signature = (source, name=None, index=None))]
    fn construct<'py>(
        source: &Bound<'py, PyAny>,
        name: Option<&str>,
        index: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let block = given(source, "source")?;
        let selected = match (name, index) {
            (Some(name), None) => python::Block::select_name(block, name),
            (None, Some(index)) => python::Block::select_index(block, index),
            (None, None) | (Some(_), Some(_)) => python::Block::refuse_selection(&block, name.is_some()),
        };
        made(source.py(), selected)
    }

    /// The struct.
    #[getter]
    fn source<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Selection(source, _) = block.kind() else { return Err(other_kind(&block)) };
        block_classes::handle(slf.py(), source)
    }

    /// The name of the element, if it is selected by name.
    #[getter]
    fn name(slf: &Bound<'_, Self>) -> PyResult<Option<String>> {
        let block = of(slf)?;
        let BlockKind::Selection(_, key) = block.kind() else { return Err(other_kind(&block)) };
        Ok(if let Key::Name(name) = key { Some(name.to_string()) } else { None })
    }

    /// The position of the element, if it is selected by position.
    #[getter]
    fn index(slf: &Bound<'_, Self>) -> PyResult<Option<usize>> {
        let block = of(slf)?;
        let BlockKind::Selection(_, key) = block.kind() else { return Err(other_kind(&block)) };
        Ok(if let Key::Index(index) = key { Some(*index) } else { None })
    }

    /// Returns the position of the element.
    ///
    /// Returns:
    ///   int.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> pair = fw.Reference("pair", [("a", np.int32), ("b", np.bool_)])
    ///   >>> fw.Selection(pair, name="b").as_index()
    ///   1
    fn as_index(slf: &Bound<'_, Self>) -> PyResult<usize> {
        let block = of(slf)?;
        let BlockKind::Selection(source, key) = block.kind() else { return Err(other_kind(&block)) };
        match key {
            Key::Index(index) => Ok(*index),
            Key::Name(name) => {
                let position = source.ty().fields().and_then(|fields| fields.position(name));
                position.ok_or_else(|| other_kind(&block))
            }
        }
    }
}

/// Reads elements: blocks, and pairs of a name or `None` and a block.
fn read_elements(elements: &Bound<'_, PyAny>) -> PyResult<Vec<Element<python::PyHost>>> {
    let mut read = Vec::new();
    for element in elements.try_iter()? {
        let element = element?;
        if let Some(value) = block_classes::read(&element) {
            read.push(Element::unnamed(value));
            continue;
        }
        let pair =
            structure::pair(&element)?.and_then(|(name, value)| Some((name, block_classes::read(&value)?)));
        let Some((name, value)) = pair else {
            return Err(PyTypeError::new_err(format!("Unexpected struct element: {}.", element.repr()?)));
        };
        read.push(Element { name: name.map(Into::into), value });
    }
    Ok(read)
}

#[pymethods]
impl Struct {
    #[new]
    #[pyo3(signature = (elements, container_type=None))]
    fn construct<'py>(
        elements: &Bound<'py, PyAny>,
        container_type: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let container = container_type.map(|class| Container(class.clone().unbind()));
        made(elements.py(), python::Block::structure(read_elements(elements)?, container))
    }

    /// Returns an iterator over the names, `None` for elements without one, and blocks.
    ///
    /// Returns:
    ///   Iterator of pairs.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> x = fw.Reference("x", np.int32)
    ///   >>> block = fw.Struct([x, ("b", x)])
    ///   >>> [(name, str(value)) for name, value in block.items()]
    ///   [(None, 'x'), ('b', 'x')]
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        PyTuple::new(slf.py(), pairs(slf)?)?.call_method0("__iter__")
    }

    fn __len__(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(of(slf)?.elements().map_or(0, <[_]>::len))
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let values: Vec<_> = pairs(slf)?.into_iter().map(|(_, value)| value).collect();
        PyTuple::new(slf.py(), values)?.call_method0("__iter__")
    }

    fn __getitem__<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = key.cast::<PyString>() {
            return Struct::__getattr__(slf, name.to_str()?);
        }
        let index: usize = key.extract()?;
        let found = pairs(slf)?.into_iter().nth(index);
        let refused = || PyIndexError::new_err(format!("Element index {index} is out of range."));
        found.map(|(_, value)| value).ok_or_else(refused)
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = pairs(slf)?.into_iter().find(|(other, _)| other.as_deref() == Some(name));
        let refused = || {
            pyo3::exceptions::PyAttributeError::new_err(format!(
                "The `Struct` does not have a named field \"{name}\"."
            ))
        };
        found.map(|(_, value)| value).ok_or_else(refused)
    }
}

/// Returns the names and blocks of the elements.
fn pairs<'py>(handle: &Bound<'py, Struct>) -> PyResult<structure::Pairs<'py>> {
    Ok(structure::elements_of(handle)?.unwrap_or_default())
}

#[pymethods]
impl Call {
    #[new]
    #[pyo3(signature = (r#fn, arg=None))]
    fn construct<'py>(
        r#fn: &Bound<'py, PyAny>,
        arg: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let function = given(r#fn, "fn")?;
        let argument = arg.map(|arg| given(arg, "arg")).transpose()?;
        made(r#fn.py(), python::Block::call(function, argument))
    }

    /// The function.
    #[getter]
    fn function<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Call(function, _) = block.kind() else { return Err(other_kind(&block)) };
        block_classes::handle(slf.py(), function)
    }

    /// The argument, `None` if there is none.
    #[getter]
    fn argument<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let block = of(slf)?;
        let BlockKind::Call(_, argument) = block.kind() else { return Err(other_kind(&block)) };
        argument.as_ref().map(|argument| block_classes::handle(slf.py(), argument)).transpose()
    }
}

#[pymethods]
impl Lambda {
    #[new]
    fn construct<'py>(
        parameter_name: Option<&str>,
        parameter_type: &Bound<'py, PyAny>,
        result: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ty = (!parameter_type.is_none()).then(|| to_type::to_type(parameter_type)).transpose()?;
        made(result.py(), python::Block::function(parameter_name, ty, given(result, "result")?))
    }

    /// The name of the parameter, `None` if there is none.
    #[getter]
    fn parameter_name(slf: &Bound<'_, Self>) -> PyResult<Option<String>> {
        let block = of(slf)?;
        let BlockKind::Lambda(parameter, _) = block.kind() else { return Err(other_kind(&block)) };
        Ok(parameter.as_ref().map(|(name, _)| name.to_string()))
    }

    /// The type of the parameter, `None` if there is none.
    #[getter]
    fn parameter_type<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let block = of(slf)?;
        let BlockKind::Lambda(parameter, _) = block.kind() else { return Err(other_kind(&block)) };
        classes::optional(slf.py(), parameter.as_ref().map(|(_, ty)| ty))
    }

    /// The body.
    #[getter]
    fn result<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Lambda(_, result) = block.kind() else { return Err(other_kind(&block)) };
        block_classes::handle(slf.py(), result)
    }
}

/// Reads locals: pairs of a name and a block.
fn read_locals(locals: &Bound<'_, PyAny>) -> PyResult<Vec<Local<python::PyHost>>> {
    let mut read = Vec::new();
    for (index, local) in locals.try_iter()?.enumerate() {
        let local = local?;
        let pair = local.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
        let name =
            pair.map(|pair| pair.get_item(0)).transpose()?.and_then(|name| name.extract::<String>().ok());
        let value =
            pair.map(|pair| pair.get_item(1)).transpose()?.and_then(|value| block_classes::read(&value));
        let (Some(name), Some(value)) = (name, value) else {
            return Err(PyTypeError::new_err(format!(
                "Expected the locals to be a list of pairs of a name and a building block, but the local at position \
                 {index} is {}.",
                local.repr()?
            )));
        };
        read.push(Local { name: name.into(), value });
    }
    Ok(read)
}

#[pymethods]
impl Block {
    #[new]
    fn construct<'py>(
        local_symbols: &Bound<'py, PyAny>,
        result: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        made(result.py(), python::Block::with_locals(read_locals(local_symbols)?, given(result, "result")?))
    }

    /// The names and values of the locals.
    #[getter]
    fn locals<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let block = of(slf)?;
        let BlockKind::Block(locals, _) = block.kind() else { return Err(other_kind(&block)) };
        let pair =
            |local: &Local<_>| Ok((local.name.to_string(), block_classes::handle(slf.py(), &local.value)?));
        locals.iter().map(pair).collect()
    }

    /// The result.
    #[getter]
    fn result<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Block(_, result) = block.kind() else { return Err(other_kind(&block)) };
        block_classes::handle(slf.py(), result)
    }
}

#[pymethods]
impl Intrinsic {
    #[new]
    fn construct<'py>(uri: &str, type_signature: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let ty = to_type::to_type(type_signature)?;
        check_type(uri, &ty).map_err(raised::error)?;
        block_classes::handle(type_signature.py(), &python::Block::intrinsic(uri, ty))
    }

    /// The name of the operation.
    #[getter]
    fn uri(slf: &Bound<'_, Self>) -> PyResult<String> {
        let block = of(slf)?;
        let BlockKind::Intrinsic(uri) = block.kind() else { return Err(other_kind(&block)) };
        Ok(uri.to_string())
    }

    /// Returns the definition of the intrinsic.
    ///
    /// Returns:
    ///   `IntrinsicDef`.
    ///
    /// Raises:
    ///   ValueError: the language has no intrinsic of this name.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> at_clients = tff.FederatedType(np.int32, tff.CLIENTS)
    ///   >>> total = tff.FunctionType(at_clients, tff.FederatedType(np.int32, tff.SERVER))
    ///   >>> tff.framework.Intrinsic("federated_sum", total).intrinsic_def().name
    ///   'FEDERATED_SUM'
    fn intrinsic_def<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let uri = Intrinsic::uri(slf)?;
        let refused =
            || PyValueError::new_err(format!("Failed to retrieve definition of intrinsic with URI `{uri}`."));
        Ok(definitions::from_uri(slf.py(), &uri)?.ok_or_else(refused)?.into_any())
    }
}

#[pymethods]
impl Data {
    #[new]
    fn construct<'py>(
        content: Bound<'py, PyAny>,
        type_signature: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let block = python::Block::data(Object(content.unbind()), to_type::to_type(type_signature)?);
        block_classes::handle(type_signature.py(), &block)
    }

    /// The value.
    #[getter]
    fn content<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Data(content) = block.kind() else { return Err(other_kind(&block)) };
        Ok(content.0.bind(slf.py()).clone())
    }
}

#[pymethods]
impl CompiledComputation {
    #[new]
    #[pyo3(signature = (leaf, name=None, type_signature=None))]
    fn construct<'py>(
        leaf: &Bound<'py, PyAny>,
        name: Option<&str>,
        type_signature: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let block = match (name, type_signature) {
            (Some(name), Some(ty)) => {
                python::Block::compiled(Object(leaf.clone().unbind()), name, to_type::to_type(ty)?)
            }
            (None, _) | (_, None) => tracing::compiled(leaf)?,
        };
        block_classes::handle(leaf.py(), &block)
    }

    /// The first eight digits of the digest of the graph's text.
    #[getter]
    fn name(slf: &Bound<'_, Self>) -> PyResult<String> {
        let block = of(slf)?;
        let BlockKind::Compiled(_, name) = block.kind() else { return Err(other_kind(&block)) };
        Ok(name.to_string())
    }

    /// The graph.
    #[getter]
    fn leaf<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Compiled(leaf, _) = block.kind() else { return Err(other_kind(&block)) };
        Ok(leaf.0.bind(slf.py()).clone())
    }
}

#[pymethods]
impl Placement {
    #[new]
    fn construct<'py>(literal: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let placement = placements::read(literal, "literal")?;
        block_classes::handle(literal.py(), &python::Block::placement(placement))
    }

    /// The name of the placement.
    #[getter]
    fn uri(slf: &Bound<'_, Self>) -> PyResult<&'static str> {
        let block = of(slf)?;
        let BlockKind::Placement(placement) = block.kind() else { return Err(other_kind(&block)) };
        Ok(placement.uri())
    }
}

#[pymethods]
impl Literal {
    #[new]
    fn construct<'py>(
        value: &Bound<'py, PyAny>,
        type_signature: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        block_classes::handle(value.py(), &constants::literal(value, &to_type::to_type(type_signature)?)?)
    }

    /// The value; a text is bytes.
    #[getter]
    fn value<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let block = of(slf)?;
        let BlockKind::Literal(value) = block.kind() else { return Err(other_kind(&block)) };
        Ok(value.0.bind(slf.py()).clone())
    }
}
