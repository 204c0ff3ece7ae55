//! Values and computations in Python: elements, calls, operators.

use gw_federated::values;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice, PyString, PyTuple};

use crate::federated::computation_classes::{self, Computation, ConcreteComputation, Value};
use crate::federated::contexts::{self, FederatedComputationContext};
use crate::federated::packed::Arguments;
use crate::federated::python::{self, Block, Ty};
use crate::federated::to_value::{self, Expected};
use crate::federated::types::classes;
use crate::federated::{block_classes, constants, operators, raised, structure};

/// Makes a value of a block that the language allows.
fn made(py: Python<'_>, block: gw_federated::Allowed<Block>) -> PyResult<Bound<'_, PyAny>> {
    computation_classes::value(py, block.map_err(raised::error)?)
}

/// Calls a value with an argument and binds the result.
fn call<'py>(py: Python<'py>, function: &Block, argument: Option<Block>) -> PyResult<Bound<'py, PyAny>> {
    let call = Block::call(function.clone(), argument).map_err(raised::error)?;
    computation_classes::value(py, contexts::bind(py, call, "a call")?)
}

#[pymethods]
impl Value {
    /// NumPy leaves operators to values.
    #[classattr]
    #[pyo3(name = "__array_ufunc__")]
    fn array_ufunc() -> Option<u8> {
        None
    }

    /// The type.
    #[getter]
    fn type_signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        classes::handle(py, self.0.ty())
    }

    /// The block.
    #[getter]
    fn comp<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        block_classes::handle(py, &self.0)
    }

    fn __str__(&self) -> String {
        self.0.compact()
    }

    fn __repr__(&self) -> String {
        self.0.constructor()
    }

    fn __dir__(&self) -> Vec<&str> {
        let names = values::fields_of(self.0.ty()).into_iter().flat_map(|fields| fields.names());
        ["type_signature", "comp"].into_iter().chain(names.map(|name| &**name)).collect()
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        made(py, values::attribute(&self.0, name))
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        if let Ok(name) = key.cast::<PyString>() {
            return made(py, values::attribute(&self.0, name.to_str()?));
        }
        if let Some(index) = structure::integer_key(key)? {
            return made(py, values::item(&self.0, index));
        }
        let length = values::indexable(&self.0, "getitem()").map_err(raised::error)?.len();
        let Ok(slice) = key.cast::<PySlice>() else {
            let found = key.get_type();
            return Err(PyTypeError::new_err(format!(
                "elements are selected by name, index or slice, found {found}"
            )));
        };
        let positions = slice.indices(isize::try_from(length)?)?;
        let position = |step: isize| positions.start + step * positions.step;
        let count = isize::try_from(positions.slicelength)?;
        let selected: Vec<i64> = (0..count).map(|step| position(step) as i64).collect();
        made(py, values::slice(&self.0, &selected))
    }

    fn __len__(&self) -> PyResult<usize> {
        Ok(values::indexable(&self.0, "len()").map_err(raised::error)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let length = values::indexable(&self.0, "iter()").map_err(raised::error)?.len();
        let items = (0..i64::try_from(length)?).map(|index| made(py, values::item(&self.0, index)));
        PyTuple::new(py, items.collect::<PyResult<Vec<_>>>()?)?.call_method0("__iter__")
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        values::check_callable(&self.0).map_err(raised::error)?;
        let parameter = self.0.ty().function().and_then(|(parameter, _)| parameter);
        let argument = Arguments::new(args.clone(), kwargs)?.block(parameter)?;
        call(args.py(), &self.0, argument)
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "Values of federated computations do not support boolean operations: they have no value while the \
             computation is traced. Move logic on tensors into a `graph_computation`.",
        ))
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        add(other.py(), self.0.clone(), operand(other, self.0.ty())?)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        add(other.py(), operand(other, self.0.ty())?, self.0.clone())
    }

    fn __richcmp__(slf: &Bound<'_, Value>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<bool> {
        match op {
            CompareOp::Eq => Ok(slf.is(other)),
            CompareOp::Ne => Ok(!slf.is(other)),
            CompareOp::Lt => Err(operators::unsupported("<")),
            CompareOp::Le => Err(operators::unsupported("<=")),
            CompareOp::Gt => Err(operators::unsupported(">")),
            CompareOp::Ge => Err(operators::unsupported(">=")),
        }
    }

    fn __hash__(slf: &Bound<'_, Value>) -> usize {
        slf.as_ptr().addr() >> 4
    }
}

/// Returns an operand as a value: a constant that fits the type of the other operand has that type.
fn operand(object: &Bound<'_, PyAny>, like: &Ty) -> PyResult<Block> {
    match constants::read(object)? {
        Some(_) => constants::literal(object, like).or_else(|_| to_value::plain(object)),
        None => to_value::plain(object),
    }
}

/// Adds two values and binds the sum.
fn add(py: Python<'_>, left: Block, right: Block) -> PyResult<Bound<'_, PyAny>> {
    let sum = values::add(left, right).map_err(raised::error)?;
    computation_classes::value(py, contexts::bind(py, sum, "an addition")?)
}

#[pymethods]
impl Computation {
    /// The type.
    #[getter]
    fn type_signature<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        classes::handle(py, self.0.ty())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> Py<PyAny> {
        let equal = other.cast::<Computation>().ok().map(|other| other.get().0 == self.0);
        python::answer(other.py(), equal)
    }

    fn __hash__(&self) -> u64 {
        self.0.structural_hash()
    }

    fn __str__(&self) -> String {
        self.0.compact()
    }

    fn __repr__(&self) -> String {
        format!("<ConcreteComputation {}>", self.0.ty())
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Computation>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let parameter = slf.get().0.ty().function().and_then(|(parameter, _)| parameter);
        let argument = Arguments::new(args.clone(), kwargs)?.pack(py, parameter)?;
        contexts::current(py)?.call_method1(pyo3::intern!(py, "invoke"), (slf, argument))
    }
}

#[pymethods]
impl ConcreteComputation {
    /// Makes a computation of a block of functional type.
    ///
    /// Args:
    ///   building_block: block of functional type.
    ///
    /// Returns:
    ///   `ConcreteComputation`.
    ///
    /// Raises:
    ///   TypeError: the block is of another type.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> same = fw.Lambda("x", np.int32, fw.Reference("x", np.int32))
    ///   >>> int(fw.ConcreteComputation.from_building_block(same)(7))
    ///   7
    #[staticmethod]
    fn from_building_block<'py>(building_block: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let block = to_value::plain(building_block)?;
        if block.ty().function().is_none() {
            let found = block.ty();
            return Err(PyTypeError::new_err(format!(
                "Expected `building_block` to be a function, found a {found}."
            )));
        }
        computation_classes::concrete(building_block.py(), block)
    }

    /// Returns the block of the computation.
    ///
    /// Returns:
    ///   Building block.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> @tff.federated_computation(np.int32)
    ///   ... def same(x):
    ///   ...     return x
    ///   >>> str(same.to_building_block())
    ///   '(same_arg -> same_arg)'
    fn to_building_block<'py>(slf: &Bound<'py, ConcreteComputation>) -> PyResult<Bound<'py, PyAny>> {
        block_classes::handle(slf.py(), &slf.as_super().get().0)
    }

    /// Returns the block of the computation.
    ///
    /// Returns:
    ///   Building block.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> seven = tff.graph_computation(lambda: 7)
    ///   >>> type(seven.to_compiled_building_block()).__name__
    ///   'CompiledComputation'
    fn to_compiled_building_block<'py>(slf: &Bound<'py, ConcreteComputation>) -> PyResult<Bound<'py, PyAny>> {
        ConcreteComputation::to_building_block(slf)
    }

    /// The stack whose context runs the computation.
    #[getter]
    fn context_stack<'py>(slf: &Bound<'py, ConcreteComputation>) -> PyResult<Bound<'py, PyAny>> {
        Ok(contexts::get_context_stack(slf.py())?.into_any())
    }
}

#[pymethods]
impl FederatedComputationContext {
    /// Binds a call of a computation to a symbol.
    ///
    /// Args:
    ///   comp: computation.
    ///   arg: its argument, or `None`.
    ///
    /// Returns:
    ///   `Value` that refers to the symbol.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> seven = tff.graph_computation(lambda: 7)
    ///   >>> context = tff.framework.FederatedComputationContext(tff.framework.get_context_stack())
    ///   >>> with tff.framework.get_context_stack().install(context):
    ///   ...     print(seven().type_signature, len(context.symbol_bindings))
    ///   int32 1
    fn invoke<'py>(&self, comp: &Bound<'py, PyAny>, arg: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let function = to_value::plain(comp)?;
        let Some((parameter, _)) = function.ty().function() else {
            let found = function.ty();
            return Err(raised::error(gw_federated::Refusal::wrong_value(format!(
                "Expected `comp` to be a function, found a value of type {found}."
            ))));
        };
        let expected = Expected { ty: parameter, parameter: None, zip: true };
        let argument = if arg.is_none() { None } else { Some(to_value::to_value(arg, expected)?) };
        let call = Block::call(function.clone(), argument).map_err(raised::error)?;
        let reference = self.tracing().bind(call);
        computation_classes::value(comp.py(), reference)
    }
}
