//! Functions of the host's that graphs call: `gw.py_function`, `gw.numpy_function` and what `gw.host` marks.
//!
//! A graph knows a function by its number. The functions themselves belong to the concrete function, which hands them to
//! each run; a run calls them on its own thread, where they stand in the program.

pub mod alone;
mod answer_types;
mod answering;
pub mod as_it_is;
mod ask;
pub mod by_hand;
mod cells;
mod crossing;
mod host_code;
mod host_function;
mod host_operators;
pub mod host_value;
pub mod init_scope;
pub mod marks;
pub mod memory;
pub mod observed;
pub mod opaque;
pub mod process_state;
pub mod replay;
mod serving;
pub mod shown;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use gw_base::Loc;
use gw_ir::ValueId;
use gw_runtime::Buffer;
use gw_types::{Scalar, TensorType};
use pyo3::exceptions::{PyRuntimeError, PySystemError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::effects::tracked::Capture;
use crate::host::skeleton::Skeleton;
use crate::host_calls::host_value::Keeps;
use crate::session::{Feature, FeatureSlot, Tracing};
use crate::values::array;
use crate::values::spec::PyTensorSpec;
use crate::values::tensor::{Payload, Tensor};
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

use answer_types::Promises;
use cells::Cells;
use crossing::Words;
use memory::to_array;
use observed::Observed;
use shown::Shown;

pub use ask::{printed, register};
pub use crossing::Crossings;
pub use host_code::{answer, is_about_host_value};
pub use host_function::HostFunction;
use serving::Met;
pub use serving::Serving;

/// Style in which the arguments of a call are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// As tensors.
    Tensors,
    /// As NumPy arrays, and scalars as NumPy's.
    Arrays,
    /// As plain Python would give them.
    Plain,
}

/// Location at which plain Python has observed the results of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// Nowhere: the program says what it gives.
    Nowhere,
    /// At this place.
    At(Loc),
    /// At none, since plain Python computes it again: an operator of values.
    Again,
}

/// One argument of a call, or a leaf of one.
#[derive(Debug)]
enum Leaf {
    /// The next value of the graph's.
    Tensor,
    /// The same, as a number of Python's own.
    Number,
    /// The same, as the object of the host that it is the number of.
    OfHost,
    /// A variable.
    Variable(Capture),
    /// The same object each time.
    Object(Py<PyAny>),
    /// A text with values of the graph in it.
    Text(Vec<(Leaf, Shown)>),
}

impl Leaf {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Leaf::Object(object) => visit.call(object),
            Leaf::Text(parts) => parts.iter().try_for_each(|(part, _)| part.visit(visit)),
            Leaf::Tensor | Leaf::Number | Leaf::OfHost | Leaf::Variable(_) => Ok(()),
        }
    }
}

/// The values of one call, as its leaves take them, and the tensors that were made of them.
struct Given<'py, 'a> {
    args: std::slice::Iter<'a, Buffer>,
    variables: &'a [Arc<Cell>],
    tensors: Vec<(Bound<'py, Tensor>, &'a Buffer)>,
}

impl<'a> Given<'_, 'a> {
    fn next(&mut self) -> PyResult<&'a Buffer> {
        self.args.next().ok_or_else(|| PySystemError::new_err("a call of the host gives too little"))
    }
}

/// A function that a graph calls, and how.
#[derive(Debug)]
pub struct Served {
    name: String,
    function: Py<PyAny>,
    /// Cells that it found around it when it was called while the graph was built.
    cells: Cells,
    style: Style,
    /// The positional arguments and the keyword ones; none if all are positional leaves.
    skeleton: Option<Skeleton>,
    leaves: Vec<Leaf>,
    /// The variables that the graph has assigned to before; their values follow the arguments.
    assigned: Vec<Capture>,
    promises: Arc<Promises>,
    /// The exceptions that handlers of the graph meet; none where there are no handlers.
    met: Option<Met>,
    /// Location at which plain Python has observed its results, if it promises what was observed.
    seen: Seen,
}

impl Served {
    /// Calls it with values of a graph; gives what it returns or raises.
    fn call<'py>(
        &self,
        py: Python<'py>,
        args: Vec<Buffer>,
        variables: &[Arc<Cell>],
    ) -> PyResult<PyResult<Bound<'py, PyAny>>> {
        let mut given = Given { args: args.iter(), variables, tensors: Vec::new() };
        let leaves = self.leaves.iter().map(|leaf| self.object(py, leaf, &mut given));
        let leaves = leaves.collect::<PyResult<_>>()?;
        let tensors = given.tensors;
        let returned = match self.called(py, leaves)? {
            Ok(returned) => returned,
            Err(error) => return Ok(Err(error)),
        };
        tensors.iter().try_for_each(|(tensor, was)| self.judge_stored(tensor, was))?;
        Ok(Ok(returned))
    }

    /// The object that a leaf is in one call.
    fn object<'py, 'a>(
        &self,
        py: Python<'py>,
        leaf: &Leaf,
        given: &mut Given<'py, 'a>,
    ) -> PyResult<Py<PyAny>> {
        Ok(match leaf {
            Leaf::Tensor if self.style == Style::Arrays => to_array(py, given.next()?)?,
            Leaf::Tensor => {
                let buffer = given.next()?;
                let tensor = Bound::new(py, Tensor::eager(buffer.clone()))?;
                given.tensors.push((tensor.clone(), buffer));
                tensor.into_any().unbind()
            }
            Leaf::Number => to_number(py, given.next()?)?,
            Leaf::OfHost => {
                let number = given.next()?.scalars().next().map_or(-1, Scalar::to_i64);
                host_value::kept(py, number)?
            }
            Leaf::Variable(home) => match cell_of(home, given.variables) {
                Some(cell) => Variable::of_cell(py, cell)?.unbind(),
                None => py.None(),
            },
            Leaf::Object(object) => object.clone_ref(py),
            Leaf::Text(parts) => {
                let one = |(part, shown): &(Leaf, Shown)| {
                    shown.text(self.object(py, part, given)?.bind(py)).map(Bound::unbind)
                };
                let texts = parts.iter().map(one).collect::<PyResult<Vec<_>>>()?;
                PyString::new(py, "").call_method1("join", (texts,))?.unbind()
            }
        })
    }

    /// The arguments of its calls, with `graphwright._partition._calls.Operand(k)` for the k-th value of the graph.
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let operand = py.import("graphwright._partition._calls")?.getattr("Operand")?;
        let (mut next, mut leaves) = (0.., Vec::with_capacity(self.leaves.len()));
        for leaf in &self.leaves {
            leaves.push(described_leaf(&operand, leaf, &mut next)?);
        }
        match &self.skeleton {
            Some(skeleton) => skeleton.rebuild(py, &mut leaves.into_iter()),
            None => Ok((PyTuple::new(py, leaves)?, PyDict::new(py)).into_pyobject(py)?.into_any()),
        }
    }

    /// The answer of `answering(number, name, tensors)` in its place.
    fn answer(&self, answering: &Bound<'_, PyAny>, number: usize, args: &[Buffer]) -> PyResult<Vec<Buffer>> {
        let py = answering.py();
        let tensors = args.iter().map(|arg| Bound::new(py, Tensor::eager(arg.clone())));
        let tensors = PyTuple::new(py, tensors.collect::<PyResult<Vec<_>>>()?)?;
        self.promises.take(&answering.call1((number, &*self.name, tensors))?)
    }

    /// `TypeError` or `ValueError` if it does not promise to give this.
    pub fn check_answer(&self, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        let _keeps = Keeps::begin();
        self.promises.take(answer).map(drop)
    }

    fn called<'py>(&self, py: Python<'py>, leaves: Vec<Py<PyAny>>) -> PyResult<PyResult<Bound<'py, PyAny>>> {
        let function = self.function.bind(py);
        let Some(skeleton) = &self.skeleton else { return Ok(function.call1(PyTuple::new(py, leaves)?)) };
        let (mut was, mut now) = (Vec::with_capacity(leaves.len()), Vec::with_capacity(leaves.len()));
        let both = skeleton.rebuild(py, &mut leaves.into_iter())?;
        Skeleton::of(&both, &mut was)?;
        let (args, kwargs): (Bound<'py, PyTuple>, Bound<'py, PyDict>) = both.extract()?;
        let returned = match function.call(args, Some(&kwargs)) {
            Ok(returned) => returned,
            Err(error) => return Ok(Err(error)),
        };
        Skeleton::of(&both, &mut now)?;
        match now.len() == was.len() && now.iter().zip(&was).all(|(now, was)| now.is(was)) {
            true => Ok(Ok(returned)),
            false => Err(self.stores("changes a list or dict that a graph gave it, which is a copy")),
        }
    }

    fn stores(&self, what: &str) -> PyErr {
        let remedy = "return what is new, and store it in the function that calls it";
        PyRuntimeError::new_err(format!("`{}` {what}; {remedy}", self.name))
    }

    /// A tensor that the function got is a copy: what it stores into that is seen by nobody.
    fn judge_stored(&self, tensor: &Bound<'_, Tensor>, was: &Buffer) -> PyResult<()> {
        match tensor.get().content() {
            Payload::Eager(now) if now.as_ptr() != was.as_ptr() && !was.lengths().is_empty() => {
                Err(self.stores("stores into a tensor that a graph gave it"))
            }
            Payload::Eager(_) | Payload::Staged(..) => Ok(()),
        }
    }

    /// The tracing has ended: what the function found around it stays what it was.
    fn freeze(&mut self, py: Python<'_>) -> PyResult<()> {
        let cells = std::mem::take(&mut self.cells);
        if let Some(frozen) = cells.frozen(self.function.bind(py))? {
            self.function = frozen.unbind();
        }
        Ok(())
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        self.leaves.iter().try_for_each(|leaf| leaf.visit(visit))
    }
}

/// The objects that a run of a graph keeps which calls host code; none for a graph of which the program says what is called.
pub fn keeps(served: &[Served]) -> Option<Keeps> {
    served.iter().any(|served| served.seen != Seen::Nowhere).then(Keeps::begin)
}

/// The names that functions of the graph read besides these, which they may make.
pub fn names_read_beside(
    py: Python<'_>,
    served: &[Served],
    functions: &[Py<PyAny>],
) -> PyResult<HashSet<String>> {
    if served.is_empty() {
        return Ok(HashSet::new());
    }
    let hosts = PyList::new(py, served.iter().map(|served| served.function.bind(py)))?;
    let pure = py.import("graphwright._meanings.pure")?;
    pure.call_method1("names_read", (PyList::new(py, functions)?, hosts))?.extract()
}

/// The host's side of a tracing.
#[derive(Debug, Default)]
pub struct HostSide {
    /// The functions of the host's that the graph calls.
    functions: Mutex<Vec<Served>>,
    /// The values that the program says cross between the graph and the host.
    marked: Mutex<HashSet<ValueId>>,
    /// True if the graph may not call the host.
    is_closed: AtomicBool,
    /// The observed types of host code, if the graph calls all of it.
    observed: OnceLock<Arc<Observed>>,
    /// The observed numbers of axes of results.
    of_ranks: OnceLock<Arc<Observed>>,
    /// True if a place around the function gets a single element as a tensor, which may be a number in plain Python.
    puts_scalar: AtomicBool,
}

impl Feature for HostSide {
    fn slot() -> FeatureSlot {
        FeatureSlot::HostSide
    }

    fn forget(&self) {
        let functions = std::mem::take(&mut *self.functions());
        drop(functions);
    }
}

impl Tracing {
    /// The host's side of the graph.
    pub fn host_side(&self) -> &HostSide {
        self.feature()
    }
}

impl HostSide {
    /// The functions of the host's that the graph calls.
    pub fn functions(&self) -> MutexGuard<'_, Vec<Served>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The values that the program says cross between the graph and the host.
    pub fn marked(&self) -> MutexGuard<'_, HashSet<ValueId>> {
        self.marked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if the graph may not call the host.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// The observed types of host code, if the graph calls all of it.
    pub fn observed(&self) -> Option<Arc<Observed>> {
        self.observed.get().cloned()
    }

    /// The observed numbers of axes of results.
    pub fn of_ranks(&self) -> Option<&Observed> {
        self.of_ranks.get().map(Arc::as_ref)
    }

    /// Notes the numbers of axes of results that were observed.
    pub fn know_ranks(&self, observed: Arc<Observed>) {
        // As below.
        drop(self.of_ranks.set(observed));
    }

    /// Has the graph call all host code, which gave this before.
    pub fn call_all(&self, observed: Arc<Observed>) {
        // A tracing is told once, when it begins.
        drop(self.observed.set(observed));
    }

    /// Says that a place around the function gets a single element as a tensor.
    pub fn put_scalar(&self) {
        self.puts_scalar.store(true, Ordering::Relaxed);
    }

    /// True if that was said.
    pub fn puts_scalar(&self) -> bool {
        self.puts_scalar.load(Ordering::Relaxed)
    }

    /// Forbids calls of the host.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }
}

/// The functions and types of a graph as Python is told of them.
struct Described<'a, 'py> {
    py: Python<'py>,
    functions: &'a [Served],
}

impl<'py> Words<'py> for Described<'_, 'py> {
    fn function(&self, number: usize) -> PyResult<(String, bool, Bound<'py, PyAny>)> {
        let served = &self.functions[number];
        Ok((served.name.clone(), served.style != Style::Plain, served.arguments(self.py)?))
    }

    fn spec(&self, ty: &TensorType) -> PyResult<Bound<'py, PyAny>> {
        Ok(Bound::new(self.py, PyTensorSpec::of_type(ty, None))?.into_any())
    }
}

/// The transfers between a graph and these functions, as Python is told of them.
pub fn described<'py>(
    py: Python<'py>,
    crossings: &Crossings,
    functions: &[Served],
) -> PyResult<Bound<'py, PyList>> {
    crossings.objects(py, &Described { py, functions })
}

/// A leaf of the arguments as Python is told of it; a text as the tuple of its parts.
fn described_leaf(
    operand: &Bound<'_, PyAny>,
    leaf: &Leaf,
    next: &mut std::ops::RangeFrom<usize>,
) -> PyResult<Py<PyAny>> {
    let py = operand.py();
    Ok(match leaf {
        Leaf::Tensor | Leaf::Number | Leaf::OfHost => operand.call1((next.next(),))?.unbind(),
        Leaf::Variable(_) => py.None(),
        Leaf::Object(object) => object.clone_ref(py),
        Leaf::Text(parts) => {
            let parts = parts.iter().map(|(part, _)| described_leaf(operand, part, next));
            PyTuple::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind()
        }
    })
}

/// The variable that a graph knows by its home.
fn cell_of<'a>(home: &'a Capture, variables: &'a [Arc<Cell>]) -> Option<&'a Arc<Cell>> {
    match home {
        Capture::Variable(cell) => Some(cell),
        Capture::Argument(at) => variables.get(*at),
        Capture::Tensor(_) | Capture::Location(_) => None,
    }
}

/// A number of Python's own.
fn to_number(py: Python<'_>, buffer: &Buffer) -> PyResult<Py<PyAny>> {
    let number = buffer.scalars().next().ok_or_else(|| PySystemError::new_err("a number without a value"))?;
    array::to_python(py, number).map(Bound::unbind)
}
