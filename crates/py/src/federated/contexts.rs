//! The context stack, and the context of a federated computation that is being traced.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gw_federated::tracing::Tracing;
use gw_federated::types::Name;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::federated::block_classes;
use crate::federated::python::{Block, PyHost};
use crate::federated::raised::ContextError;

thread_local! {
    static STACK: RefCell<Vec<Py<PyAny>>> = const { RefCell::new(Vec::new()) };
}

static STACKS: PyOnceLock<Py<ContextStack>> = PyOnceLock::new();
static REFUSING: PyOnceLock<Py<RuntimeErrorContext>> = PyOnceLock::new();
static DEFAULT: Mutex<Option<Py<PyAny>>> = Mutex::new(None);

/// The contexts of a thread: the one on top runs computations.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> stack = tff.framework.get_context_stack()
///   >>> with stack.install(tff.create_local_execution_context()):
///   ...     print(tff.graph_computation(lambda: 7)())
///   7
#[pyclass(frozen, module = "graphwright.federated")]
pub struct ContextStack;

/// Refuses to run computations.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> seven = tff.graph_computation(lambda: 7)
///   >>> with tff.framework.get_context_stack().install(tff.framework.RuntimeErrorContext()):
///   ...     seven()
///   Traceback (most recent call last):
///   ContextError: No default context installed.
#[pyclass(frozen, module = "graphwright.federated")]
pub struct RuntimeErrorContext;

/// Puts a context on the stack for the body of a `with` statement.
#[pyclass(frozen, module = "graphwright.federated")]
pub struct InstalledContext {
    context: Py<PyAny>,
    below: Mutex<Vec<usize>>,
}

/// The context in which a federated computation is traced: it binds blocks to symbols.
///
/// A name that an ancestor has gets a number.
///
/// Example:
///   >>> from graphwright.federated import framework as fw
///   >>> outer = fw.FederatedComputationContext(fw.get_context_stack(), "f")
///   >>> fw.FederatedComputationContext(fw.get_context_stack(), "f", outer).name
///   'f_1'
#[pyclass(frozen, module = "graphwright.federated")]
pub struct FederatedComputationContext {
    name: Name,
    parent: Option<Py<FederatedComputationContext>>,
    tracing: Mutex<Tracing<PyHost>>,
}

/// Returns the context on top of the stack.
pub fn current(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    if let Some(top) = STACK.with_borrow(|stack| stack.last().map(|context| context.clone_ref(py))) {
        return Ok(top.into_bound(py));
    }
    let default =
        DEFAULT.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|context| context.clone_ref(py));
    match default {
        Some(context) => Ok(context.into_bound(py)),
        None => {
            Ok(REFUSING.get_or_try_init(py, || Py::new(py, RuntimeErrorContext))?.bind(py).clone().into_any())
        }
    }
}

/// A context on the stack; dropping it restores the stack.
pub struct Installed(usize);

impl Installed {
    pub fn new(context: Py<PyAny>) -> Installed {
        STACK.with_borrow_mut(|stack| {
            stack.push(context);
            Installed(stack.len() - 1)
        })
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        cut(self.0);
    }
}

/// Takes the contexts above a height from the stack. They are dropped after it is no longer borrowed.
fn cut(height: usize) {
    let removed = STACK.with_borrow_mut(|stack| stack.split_off(height.min(stack.len())));
    drop(removed);
}

#[pymethods]
impl ContextStack {
    /// The context on top.
    #[getter]
    fn current<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        current(py)
    }

    /// Puts a context on top for the body of a `with`.
    ///
    /// Args:
    ///   ctx: context.
    ///
    /// Returns:
    ///   Context manager.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> with tff.framework.get_context_stack().install(tff.create_local_execution_context()):
    ///   ...     print(int(tff.graph_computation(lambda: 7)()))
    ///   7
    fn install(&self, ctx: &Bound<'_, PyAny>) -> PyResult<InstalledContext> {
        check_context(ctx)?;
        Ok(InstalledContext { context: ctx.clone().unbind(), below: Mutex::new(Vec::new()) })
    }

    /// Sets the context that runs computations where none is installed.
    ///
    /// Args:
    ///   ctx: context.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> stack = tff.framework.get_context_stack()
    ///   >>> stack.set_default_context(tff.create_local_execution_context())
    ///   >>> int(tff.graph_computation(lambda: 7)())
    ///   7
    fn set_default_context(&self, ctx: &Bound<'_, PyAny>) -> PyResult<()> {
        set_default_context(ctx)
    }
}

fn check_context(context: &Bound<'_, PyAny>) -> PyResult<()> {
    if context.hasattr("invoke")? {
        return Ok(());
    }
    let found = context.repr()?;
    Err(PyTypeError::new_err(format!(
        "Expected `ctx` to be a context with a method `invoke`, found {found}."
    )))
}

#[pymethods]
impl RuntimeErrorContext {
    #[new]
    fn new() -> RuntimeErrorContext {
        RuntimeErrorContext
    }

    /// Refuses to run a computation.
    ///
    /// Args:
    ///   comp: computation.
    ///   arg: its argument, or `None`.
    ///
    /// Returns:
    ///   Nothing: it raises.
    ///
    /// Raises:
    ///   ContextError: always.
    ///
    /// Example:
    ///   >>> import graphwright.federated as tff
    ///   >>> tff.framework.RuntimeErrorContext().invoke(tff.graph_computation(lambda: 7), None)
    ///   Traceback (most recent call last):
    ///   ContextError: No default context installed.
    fn invoke(&self, comp: &Bound<'_, PyAny>, arg: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = (comp, arg);
        Err(ContextError::new_err("No default context installed."))
    }
}

#[pymethods]
impl InstalledContext {
    fn __enter__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let installed = Installed::new(self.context.clone_ref(py));
        self.below.lock().unwrap_or_else(PoisonError::into_inner).push(installed.0);
        std::mem::forget(installed);
        self.context.bind(py).clone()
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyAny>) {
        if let Some(height) = self.below.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            cut(height);
        }
    }
}

impl FederatedComputationContext {
    /// Begins a computation inside those on top of the stack.
    pub fn begin<'py>(
        py: Python<'py>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, FederatedComputationContext>> {
        let parent = current(py)?.cast_into::<FederatedComputationContext>().ok();
        Bound::new(py, FederatedComputationContext::inside(name, parent))
    }

    fn inside(
        name: Option<&str>,
        parent: Option<Bound<'_, FederatedComputationContext>>,
    ) -> FederatedComputationContext {
        let mut ancestors = Vec::new();
        let mut ancestor = parent.clone();
        while let Some(context) = ancestor {
            ancestors.push(context.get().name.clone());
            ancestor = context.get().parent.as_ref().map(|parent| parent.bind(context.py()).clone());
        }
        let tracing = Tracing::new(name, &ancestors);
        let name = tracing.name().clone();
        FederatedComputationContext { name, parent: parent.map(Bound::unbind), tracing: Mutex::new(tracing) }
    }

    pub fn tracing(&self) -> MutexGuard<'_, Tracing<PyHost>> {
        self.tracing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Binds a block to a symbol of the computation that is being traced.
pub fn bind(py: Python<'_>, block: Block, action: &str) -> PyResult<Block> {
    let context = current(py)?;
    match context.cast::<FederatedComputationContext>() {
        Ok(context) => Ok(context.get().tracing().bind(block)),
        Err(_) => Err(ContextError::new_err(format!(
            "Values are used in a context that binds symbols, such as the body of a `federated_computation`; {action} \
             was attempted in the context {}.",
            context.repr()?
        ))),
    }
}

#[pymethods]
impl FederatedComputationContext {
    #[new]
    #[pyo3(signature = (context_stack, suggested_name=None, parent=None))]
    fn new(
        context_stack: &Bound<'_, ContextStack>,
        suggested_name: Option<&str>,
        parent: Option<Bound<'_, FederatedComputationContext>>,
    ) -> FederatedComputationContext {
        let _ = context_stack;
        FederatedComputationContext::inside(suggested_name, parent)
    }

    /// The name, which no ancestor has.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The context around this one.
    #[getter]
    fn parent<'py>(&self, py: Python<'py>) -> Option<Bound<'py, FederatedComputationContext>> {
        self.parent.as_ref().map(|parent| parent.bind(py).clone())
    }

    /// The symbols that are bound so far, with their blocks.
    #[getter]
    fn symbol_bindings<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyAny>)>> {
        let symbols: Vec<_> = self.tracing().symbols().to_vec();
        symbols
            .iter()
            .map(|local| Ok((local.name.to_string(), block_classes::handle(py, &local.value)?)))
            .collect()
    }

    /// Binds a block to a symbol and returns a reference to it.
    ///
    /// Args:
    ///   comp: building block.
    ///
    /// Returns:
    ///   `Reference`.
    ///
    /// Raises:
    ///   TypeError: the argument is no building block.
    ///
    /// Example:
    ///   >>> from graphwright.federated import framework as fw
    ///   >>> context = fw.FederatedComputationContext(fw.get_context_stack())
    ///   >>> str(context.bind_computation_to_reference(fw.Data("table 7", np.int32)))
    ///   'fc_FEDERATED_symbol_0'
    fn bind_computation_to_reference<'py>(&self, comp: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let refused =
            || PyTypeError::new_err(format!("Expected `comp` to be a block, found {}.", comp.get_type()));
        let block = block_classes::read(comp).ok_or_else(refused)?;
        let reference = self.tracing().bind(block);
        block_classes::handle(comp.py(), &reference)
    }
}

/// Returns the context stack of the current thread.
///
/// Returns:
///   `ContextStack`.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> stack = tff.framework.get_context_stack()
///   >>> type(stack.current).__name__
///   'SyncExecutionContext'
#[pyfunction]
pub fn get_context_stack(py: Python<'_>) -> PyResult<Bound<'_, ContextStack>> {
    let stack = STACKS.get_or_try_init(py, || Py::new(py, ContextStack))?;
    Ok(stack.bind(py).clone())
}

/// Sets the context that runs computations where none is installed.
///
/// Args:
///   ctx: context, which has a method `invoke`.
///
/// Returns:
///   Nothing.
///
/// Raises:
///   TypeError: the object has no method `invoke`.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.set_default_context(tff.create_local_execution_context())
///   >>> int(tff.graph_computation(lambda: 7)())
///   7
#[pyfunction]
fn set_default_context(ctx: &Bound<'_, PyAny>) -> PyResult<()> {
    check_context(ctx)?;
    let old = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner).replace(ctx.clone().unbind());
    drop(old);
    Ok(())
}

/// Removes the default context.
///
/// Returns:
///   Nothing.
///
/// Example:
///   >>> import graphwright.federated as tff
///   >>> tff.framework.set_no_default_context()
///   >>> tff.set_local_execution_context()
#[pyfunction]
fn set_no_default_context() {
    let old = DEFAULT.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(old);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<ContextStack>()?;
    module.add_class::<RuntimeErrorContext>()?;
    module.add_class::<InstalledContext>()?;
    module.add_class::<FederatedComputationContext>()?;
    module.add_function(wrap_pyfunction!(get_context_stack, module)?)?;
    module.add_function(wrap_pyfunction!(set_default_context, module)?)?;
    module.add_function(wrap_pyfunction!(set_no_default_context, module)?)
}
