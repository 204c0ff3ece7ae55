//! Methods that run as graphs: a function per object, which goes when the object goes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyWeakrefMethods, PyWeakrefReference};

use crate::calls::by_vector::{self, Callable, Entry};
use crate::function::Function;
use crate::function::concrete_function::ConcreteFunction;
use crate::function::parameters::{Given, with_owner};

/// The functions of a method's objects, by the objects' addresses.
#[derive(Debug, Default)]
pub struct Bindings(Mutex<ByAddress>);

type ByAddress = HashMap<usize, Binding, BuildHasherDefault<AddressHasher>>;

/// An object, and its function.
type Binding = (Py<PyWeakrefReference>, Py<Function>);

/// Spreads addresses, which nobody chooses, by one product.
#[derive(Debug, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_usize(&mut self, address: usize) {
        // 2⁶⁴ divided by the golden ratio; the low bits of addresses are alike.
        self.0 = (self.0 ^ (address as u64 >> 4)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }
}

impl Bindings {
    /// The function of one object; `None` for an object to which no weak reference can be made.
    pub fn of(
        &self,
        owner: &Bound<'_, PyAny>,
        make: impl FnOnce() -> Function,
    ) -> PyResult<Option<Py<Function>>> {
        if let Some(function) = self.known(owner) {
            return Ok(Some(function));
        }
        let Ok(weak) = PyWeakrefReference::new(owner) else { return Ok(None) };
        let function = Py::new(owner.py(), make())?;
        if let Some(function) = self.known(owner) {
            // Another thread, or what the collector ran, was faster.
            return Ok(Some(function));
        }
        self.add(owner, weak.unbind(), &function);
        Ok(Some(function))
    }

    fn known(&self, owner: &Bound<'_, PyAny>) -> Option<Py<Function>> {
        let py = owner.py();
        let known = self.lock();
        let (weak, function) = known.get(&(owner.as_ptr() as usize))?;
        weak.bind(py).upgrade().is_some_and(|known| known.is(owner)).then(|| function.clone_ref(py))
    }

    /// Adds one and takes those of objects that are gone out, which go without the lock.
    fn add(&self, owner: &Bound<'_, PyAny>, weak: Py<PyWeakrefReference>, function: &Py<Function>) {
        let py = owner.py();
        // Objects that are looked up here may be about to be deleted, and are then dropped without the lock.
        let mut alive = Vec::new();
        let mut known = self.lock();
        let is_gone = |_: &usize, (weak, _): &mut Binding| {
            let object = weak.bind(py).upgrade();
            let gone = object.is_none();
            alive.extend(object);
            gone
        };
        let mut gone: Vec<Binding> = known.extract_if(is_gone).map(|(_, binding)| binding).collect();
        gone.extend(known.insert(owner.as_ptr() as usize, (weak, function.clone_ref(py))));
        drop(known);
        drop(gone);
    }

    /// Visits the Python objects that it holds, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(known) = self.0.try_lock() else { return Ok(()) };
        known.values().try_for_each(|(_, function)| visit.call(function))
    }

    /// Forgets them.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut *self.lock());
        drop(gone);
    }

    fn lock(&self) -> MutexGuard<'_, ByAddress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A method that runs as a graph, with its object.
///
/// Each object has graphs of its own, which go with it.
///
/// Example:
///   >>> class Scale:
///   ...     by = 2.0
///   ...     @gw.function
///   ...     def apply(self, x):
///   ...         return x * self.by
///   >>> scale = Scale()
///   >>> float(scale.apply(gw.constant(3.0)))
///   6.0
///   >>> type(scale.apply).__name__
///   'BoundFunction'
#[pyclass(frozen, generic, name = "BoundFunction", module = "graphwright")]
#[derive(Debug)]
pub struct BoundFunction {
    /// The way by which the interpreter calls it.
    entry: Entry,
    function: Py<Function>,
    owner: Py<PyAny>,
}

impl BoundFunction {
    /// The method of one object.
    pub fn new(function: Py<Function>, owner: &Bound<'_, PyAny>) -> Self {
        Self { entry: Entry::of::<Self>(), function, owner: owner.clone().unbind() }
    }

    /// The plain function, and the object.
    pub fn parts<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, Bound<'py, PyAny>) {
        (self.function.get().python_function(py), self.owner.bind(py).clone())
    }
}

impl Callable for BoundFunction {
    fn entry(&self) -> &Entry {
        &self.entry
    }

    fn call_short<'py>(
        &self,
        py: Python<'py>,
        positional: &[Bound<'py, PyAny>],
        keyword: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.function.get().call(py, Given { owner: Some(self.owner.bind(py)), positional, keyword })
    }
}

#[pymethods]
impl BoundFunction {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        slf: &Bound<'py, Self>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        by_vector::tell(slf);
        slf.get().call_short(slf.py(), args.as_slice(), kwargs)
    }

    /// The graph for arguments of these types: tensors, or TensorSpecs in their place.
    ///
    /// Args:
    ///   args: arguments by position without the object, tensors or `gw.TensorSpec`s in their place.
    ///   kwargs: arguments by name.
    ///
    /// Returns:
    ///   `ConcreteFunction`.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> scale.apply.get_concrete_function(gw.TensorSpec([3], gw.float32)).outputs
    ///   [TensorSpec(shape=(3,), dtype=float32, name=None)]
    #[pyo3(signature = (*args, **kwargs))]
    fn get_concrete_function<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<ConcreteFunction> {
        let args = with_owner(Some(self.owner.bind(py)), args)?;
        Function::get_concrete_function(self.function.bind(py), &args, kwargs)
    }

    /// The partition of its graph for arguments of these types; nothing runs.
    ///
    /// Args:
    ///   args: arguments by position without the object, tensors or `gw.TensorSpec`s in their place.
    ///   kwargs: arguments by name.
    ///
    /// Returns:
    ///   `gw.Partition`.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> scale.apply.partition(gw.TensorSpec([3], gw.float32)).transfers
    ///   ()
    #[pyo3(signature = (*args, **kwargs))]
    fn partition<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let args = with_owner(Some(self.owner.bind(py)), args)?;
        Function::partition(self.function.bind(py), &args, kwargs)
    }

    /// The report of its graph for these arguments, or for arguments of these types.
    ///
    /// Args:
    ///   args: arguments by position without the object, tensors or `gw.TensorSpec`s in their place.
    ///   kwargs: arguments by name.
    ///
    /// Returns:
    ///   `gw.Report`; it shows times if no argument is a mere type.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> scale.apply.report(gw.TensorSpec([3], gw.float32))
    ///   <Report of apply: 4 operations>
    #[pyo3(signature = (*args, **kwargs))]
    fn report<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let args = with_owner(Some(self.owner.bind(py)), args)?;
        Function::report(self.function.bind(py), &args, kwargs)
    }

    /// The object.
    #[getter]
    fn __self__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.owner.bind(py).clone()
    }

    /// The plain function.
    #[getter]
    fn __wrapped__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.function.get().python_function(py)
    }

    /// The parameters besides the object.
    #[getter]
    fn __signature__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (function, owner) = self.parts(py);
        let method = py.import("types")?.getattr("MethodType")?.call1((function, owner))?;
        py.import("inspect")?.call_method1("signature", (method,))
    }

    /// The number of graphs made for this object.
    ///
    /// Returns:
    ///   int.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> _ = scale.apply(gw.constant(1.0)), scale.apply(gw.constant([1.0]))
    ///   >>> scale.apply.experimental_get_tracing_count(), Scale().apply.experimental_get_tracing_count()
    ///   (2, 0)
    fn experimental_get_tracing_count(&self) -> usize {
        self.function.get().experimental_get_tracing_count()
    }

    /// The trace types that there are graphs for, one to a paragraph, as text.
    ///
    /// Returns:
    ///   str.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> _ = scale.apply(gw.constant(1.0))
    ///   >>> print(scale.apply.pretty_printed_concrete_signatures())
    ///   Input Parameters:
    ///   ...
    ///   Output Type:
    ///     TensorSpec(shape=(), dtype=float32, name=None)
    ///   Captures:
    ///     None
    fn pretty_printed_concrete_signatures(&self, py: Python<'_>) -> PyResult<String> {
        self.function.get().pretty_printed_concrete_signatures(py)
    }

    /// `(hits, misses, currsize, bytes)` of this object's graphs.
    ///
    /// Returns:
    ///   Named tuple of four ints.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> _ = scale.apply(gw.constant(1.0)), scale.apply(gw.constant(2.0))
    ///   >>> scale.apply.cache_info().hits, scale.apply.cache_info().misses
    ///   (1, 1)
    fn cache_info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.function.get().cache_info(py)
    }

    /// Forgets this object's graphs.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> _ = scale.apply(gw.constant(1.0))
    ///   >>> scale.apply.cache_clear()
    ///   >>> scale.apply.cache_info().currsize
    ///   0
    fn cache_clear(&self) {
        self.function.get().cache_clear();
    }

    /// Why calls had to make a graph, one line for each after the first.
    ///
    /// Returns:
    ///   List of str.
    ///
    /// Example:
    ///   >>> class Scale:
    ///   ...     by = 2.0
    ///   ...     @gw.function
    ///   ...     def apply(self, x):
    ///   ...         return x * self.by
    ///   >>> scale = Scale()
    ///   >>> _ = scale.apply(gw.constant(1.0)), scale.apply(gw.constant([1.0]))
    ///   >>> print(scale.apply.explain_retraces()[0])
    ///   `x` is float32 of shape (1,), before float32 of shape (): cast or reshape it to one type before the call
    fn explain_retraces(&self) -> Vec<String> {
        self.function.get().explain_retraces()
    }

    /// The plain function.
    #[getter]
    fn python_function<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.function.get().python_function(py)
    }

    /// The signature given, or `None`.
    #[getter]
    fn input_signature<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.function.get().input_signature(py)
    }
}
