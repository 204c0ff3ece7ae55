//! Python's iterators over values of the graph: the rows of a tensor, counted, zipped, mapped, filtered or backwards.
//!
//! A `for` over one is one loop in the graph. Python's own iteration takes the items one by one, where their number is
//! known. Like Python's iterators, each gives its items once.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Code;
use gw_ir::{Attr, BinaryOp, RegionId, ValueId};
use gw_trace::{Items, Staged, Trace, items_of, progression};
use gw_types::{Dim, Number, Scalar};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::containers::lists::Followed;
use crate::exceptions::errors::{self, Failed};
use crate::host::operands;
use crate::iteration::fetch::Each;
use crate::session::{self, Tracing};
use crate::values::tensor::Tensor;

/// Source of an iterator's items.
#[derive(Debug, Clone)]
pub enum Node {
    /// The rows of a tensor.
    Rows(Arc<Py<PyAny>>),
    /// The objects of a list, and the rows of one of their attributes.
    Elements(Arc<Py<PyList>>, Arc<Py<PyAny>>),
    /// A `range` of Python's: start, step, count.
    Range(i64, i64, usize),
    /// The elements of a list.
    Followed(Arc<Followed>, Box<Node>),
    /// `enumerate(inner, start)`
    Counted(Arc<Py<PyAny>>, Box<Node>),
    /// `zip(…)`
    Zipped(Vec<Node>),
    /// `reversed(inner)`
    Backwards(Box<Node>),
    /// `map(function, …)`
    Mapped(Arc<Py<PyAny>>, Vec<Node>),
    /// `filter(test, inner)`; the test may be `None`.
    Filtered(Arc<Py<PyAny>>, Box<Node>),
    /// `(element for target in inner if test)`: what gives test and element thunk of a tuple with the item in it.
    Generated(Arc<Py<PyAny>>, Box<Node>),
}

/// A node, ready to be fetched from in the region that is open now.
pub enum Source<'a> {
    /// Numbers.
    Items(Items),
    /// Rows of a tensor, and what it held when they were counted.
    Rows(Items, &'a Py<PyAny>, ValueId),
    /// The objects of a list.
    Elements(Items, &'a Py<PyList>),
    /// A start and what is counted.
    Counted(&'a Py<PyAny>, Box<Source<'a>>),
    /// Tuples.
    Zipped(Vec<Source<'a>>),
    /// From the last to the first; how many there are, where that is known.
    Backwards(Option<i64>, Box<Source<'a>>),
    /// Results of a function.
    Mapped(&'a Py<PyAny>, Vec<Source<'a>>),
    /// Items that pass a test.
    Filtered(&'a Py<PyAny>, Box<Source<'a>>),
    /// Elements of a generator expression.
    Generated(&'a Py<PyAny>, Box<Source<'a>>),
}

/// The number of an item.
#[derive(Debug, Clone, Copy)]
pub enum Position {
    /// Known while tracing.
    Known(i64),
    /// A counter of the graph.
    Staged(ValueId),
}

/// Progress of an iterator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many items were given.
    At(usize),
    /// All were.
    Ended,
    /// A loop in the graph decided.
    Unknown,
}

/// An iterator over values of the graph.
#[pyclass(frozen, name = "StagedIterator", module = "graphwright")]
#[derive(Debug)]
pub struct Iterable {
    node: Node,
    /// The region that made it: in another one, the graph decides how often it is advanced.
    home: RegionId,
    tracing: Arc<Tracing>,
    progress: Mutex<Progress>,
}

#[pymethods]
impl Iterable {
    /// The functions that fetching an item calls.
    pub fn functions<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        self.node.functions(py)
    }

    /// True if the number of its items is known while tracing.
    pub fn is_counted(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.length(py)?.is_some())
    }

    /// True if Python has taken items of it: only what is left is given, and by itself alone.
    fn is_advanced(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.progress(py)? != Progress::At(0))
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let (py, this) = (slf.py(), slf.get());
        loop {
            let Progress::At(at) = this.progress(py)? else { return Ok(None) };
            this.check_unchanged(py)?;
            let Some(length) = this.node.length(py)? else { return Err(unknown_length(py)) };
            if at >= length {
                this.set(Progress::Ended);
                return Ok(None);
            }
            this.set(Progress::At(at + 1));
            let source = this.open(py)?;
            if let Some(item) = known_item(py, &this.tracing, &source, Position::Known(at as i64))? {
                return Ok(Some(item));
            }
        }
    }

    fn __repr__(&self) -> &'static str {
        "<an iterator over values of the graph>"
    }
}

impl Iterable {
    /// An iterator over `node` in the innermost graph.
    pub fn make(py: Python<'_>, node: Node) -> PyResult<Bound<'_, PyAny>> {
        let tracing = session::current().ok_or_else(|| errors::InternalError::new_err("no graph is open"))?;
        let home = tracing.trace.build(|b| b.region());
        let progress = Mutex::new(Progress::At(0));
        Ok(Bound::new(py, Iterable { node, home, tracing, progress })?.into_any())
    }

    /// Progress of the iterator, where it may be used: GW107 in a region that the graph may run several times or
    /// never.
    pub fn progress(&self, py: Python<'_>) -> PyResult<Progress> {
        let innermost = session::current().is_some_and(|t| Arc::ptr_eq(&t, &self.tracing));
        if !innermost || self.tracing.trace.build(|b| b.region()) != self.home {
            let message =
                "an iterator over a tensor is advanced outside the branch, loop or function that made it";
            return Err(errors::here(
                py,
                Code::TensorIterated,
                message,
                "make the iterator where it is used",
            ));
        }
        match *self.progress.lock().unwrap_or_else(PoisonError::into_inner) {
            Progress::Unknown => {
                let message = "this iterator was left by a loop of the graph, so how far it is is not known";
                Err(errors::here(
                    py,
                    Code::TensorIterated,
                    message,
                    "loop over the tensor, or make a new iterator",
                ))
            }
            known @ (Progress::At(_) | Progress::Ended) => Ok(known),
        }
    }

    /// The greatest number of its items, where that is known and none is tested.
    pub fn length(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        if self.node.tests() { Ok(None) } else { self.node.length(py) }
    }

    /// Notes how far it is.
    pub fn set(&self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// Source of its items, in the region that is open now.
    pub fn open<'a>(&'a self, py: Python<'_>) -> PyResult<Source<'a>> {
        self.node.open(py, &self.tracing)
    }

    /// Source of its items, for an iterator made of this one; `None` if it was advanced already.
    pub fn take(&self, py: Python<'_>) -> PyResult<Option<Node>> {
        if self.progress(py)? != Progress::At(0) {
            return Ok(None);
        }
        self.set(Progress::Unknown);
        Ok(Some(self.node.clone()))
    }

    /// GW130 if a list that it runs over was changed since it was made.
    pub fn check_unchanged(&self, py: Python<'_>) -> PyResult<()> {
        self.node.check_unchanged(py)
    }

    /// The graph that it belongs to.
    pub fn tracing(&self) -> &Arc<Tracing> {
        &self.tracing
    }
}

impl Position {
    /// As a value of the graph.
    pub fn value(self, trace: &Trace) -> ValueId {
        match self {
            Position::Known(k) => trace.number(Scalar::Int(k)).value,
            Position::Staged(k) => k,
        }
    }

    /// As Python sees it.
    pub fn object<'py>(self, py: Python<'py>, tracing: &Arc<Tracing>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Position::Known(k) => Ok(k.into_pyobject(py)?.into_any()),
            Position::Staged(value) => {
                let weak = Staged { value, weak: Some(Number::Int) };
                Ok(Bound::new(py, Tensor::staged(tracing.clone(), weak))?.into_any())
            }
        }
    }
}

fn unknown_length(py: Python<'_>) -> PyErr {
    let message = "Python takes the items of a tensor one by one, but how many there are is known only when the graph runs";
    errors::here(
        py,
        Code::TensorIterated,
        message,
        "loop over it with `for`, or give the axis a fixed length",
    )
}

/// The item of a number that is known; nothing where it does not pass.
fn known_item<'py>(
    py: Python<'py>,
    tracing: &Arc<Tracing>,
    source: &Source<'_>,
    k: Position,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = RefCell::new(None);
    let keep = |item: Bound<'py, PyAny>| -> Result<(), Failed> {
        found.replace(Some(item));
        Ok(())
    };
    let refuse = |_: ValueId, _: &dyn Fn() -> Result<(), Failed>| {
        let message = "how many items pass this test is known only when the graph runs";
        let help = "loop over them with `for`, or compute with all items and `gw.where`";
        Err(errors::here(py, Code::TensorIterated, message, help).into())
    };
    Each { py, tracing, guard: &refuse }.run(source, k, &keep)?;
    Ok(found.into_inner())
}

impl Node {
    /// The greatest number of its items, where that is known.
    pub fn length(&self, py: Python<'_>) -> PyResult<Option<usize>> {
        let least = |nodes: &[Node]| {
            let all = nodes.iter().map(|n| n.length(py)).collect::<PyResult<Option<Vec<_>>>>()?;
            Ok::<_, PyErr>(all.and_then(|lengths| lengths.into_iter().min()))
        };
        match self {
            Node::Rows(tensor) | Node::Elements(_, tensor) => {
                Ok(operands::operand(tensor.bind(py))?.lengths()[0])
            }
            Node::Range(_, _, count) => Ok(Some(*count)),
            Node::Zipped(inner) | Node::Mapped(_, inner) => least(inner),
            Node::Followed(_, inner) | Node::Counted(_, inner) | Node::Backwards(inner) => inner.length(py),
            Node::Filtered(_, inner) | Node::Generated(_, inner) => inner.length(py),
        }
    }

    /// The length of the axis that is iterated, where it is one axis.
    pub fn dim(&self, py: Python<'_>, tracing: &Tracing) -> PyResult<Option<Dim>> {
        Ok(match self {
            Node::Rows(tensor) | Node::Elements(_, tensor) => {
                let staged = operands::stage(tracing, &operands::operand(tensor.bind(py))?);
                tracing.trace.ty(staged.value).shape.0.first().copied()
            }
            Node::Range(_, _, count) => Some(Dim::Fixed(*count)),
            Node::Zipped(inner) | Node::Mapped(_, inner) => match inner.as_slice() {
                [first, rest @ ..] => {
                    let dim = first.dim(py, tracing)?;
                    let same = |n: &Node| Ok::<_, PyErr>(n.dim(py, tracing)? == dim);
                    if rest.iter().map(same).collect::<PyResult<Vec<_>>>()?.contains(&false) {
                        None
                    } else {
                        dim
                    }
                }
                [] => None,
            },
            Node::Followed(_, inner) | Node::Counted(_, inner) | Node::Backwards(inner) => {
                inner.dim(py, tracing)?
            }
            Node::Filtered(..) | Node::Generated(..) => None,
        })
    }

    /// True if the number of items depends on a test.
    pub fn tests(&self) -> bool {
        match self {
            Node::Filtered(..) | Node::Generated(..) => true,
            Node::Rows(_) | Node::Elements(..) | Node::Range(..) => false,
            Node::Zipped(inner) | Node::Mapped(_, inner) => inner.iter().any(Node::tests),
            Node::Followed(_, inner) | Node::Counted(_, inner) | Node::Backwards(inner) => inner.tests(),
        }
    }

    /// True if fetching an item runs code of the user's.
    pub fn runs_code(&self) -> bool {
        match self {
            Node::Filtered(..) | Node::Generated(..) | Node::Mapped(..) => true,
            Node::Rows(_) | Node::Elements(..) | Node::Range(..) => false,
            Node::Zipped(inner) => inner.iter().any(Node::runs_code),
            Node::Followed(_, inner) | Node::Counted(_, inner) | Node::Backwards(inner) => inner.runs_code(),
        }
    }

    /// The functions that fetching an item calls.
    fn functions<'py>(&self, py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
        let with = |function: &Py<PyAny>, inner: Vec<Bound<'py, PyAny>>| {
            std::iter::once(function.bind(py).clone()).chain(inner).collect()
        };
        match self {
            Node::Rows(_) | Node::Elements(..) | Node::Range(..) => Vec::new(),
            Node::Zipped(inner) => inner.iter().flat_map(|node| node.functions(py)).collect(),
            Node::Followed(_, inner) | Node::Counted(_, inner) | Node::Backwards(inner) => {
                inner.functions(py)
            }
            Node::Mapped(function, inner) => {
                with(function, inner.iter().flat_map(|node| node.functions(py)).collect())
            }
            Node::Filtered(function, inner) | Node::Generated(function, inner) => {
                with(function, inner.functions(py))
            }
        }
    }

    /// GW130 if a list among what it runs over was changed since the iterator was made.
    fn check_unchanged(&self, py: Python<'_>) -> PyResult<()> {
        match self {
            Node::Followed(list, inner) => {
                list.check(py)?;
                inner.check_unchanged(py)
            }
            Node::Rows(_) | Node::Elements(..) | Node::Range(..) => Ok(()),
            Node::Zipped(inner) | Node::Mapped(_, inner) => {
                inner.iter().try_for_each(|node| node.check_unchanged(py))
            }
            Node::Counted(_, inner) | Node::Backwards(inner) => inner.check_unchanged(py),
            Node::Filtered(_, inner) | Node::Generated(_, inner) => inner.check_unchanged(py),
        }
    }

    fn open<'a>(&'a self, py: Python<'_>, tracing: &Arc<Tracing>) -> PyResult<Source<'a>> {
        let all = |nodes: &'a [Node]| nodes.iter().map(|n| n.open(py, tracing)).collect::<PyResult<Vec<_>>>();
        let one = |node: &'a Node| node.open(py, tracing).map(Box::new);
        Ok(match self {
            Node::Rows(tensor) | Node::Elements(_, tensor) => {
                let staged = operands::stage(tracing, &operands::operand(tensor.bind(py))?);
                let without_axes = || PyTypeError::new_err("a tensor without axes cannot be iterated");
                let items = items_of(&tracing.trace, staged).ok_or_else(without_axes)?;
                if let Node::Elements(list, _) = self {
                    Source::Elements(items, list)
                } else {
                    Source::Rows(items, tensor, staged.value)
                }
            }
            Node::Range(start, step, count) => {
                Source::Items(progression(&tracing.trace, *start, *step, *count as i64))
            }
            Node::Followed(_, inner) => inner.open(py, tracing)?,
            Node::Counted(start, inner) => Source::Counted(start, one(inner)?),
            Node::Zipped(inner) => Source::Zipped(all(inner)?),
            Node::Backwards(inner) => Source::Backwards(inner.length(py)?.map(|n| n as i64), one(inner)?),
            Node::Mapped(function, inner) => Source::Mapped(function, all(inner)?),
            Node::Filtered(test, inner) => Source::Filtered(test, one(inner)?),
            Node::Generated(parts, inner) => Source::Generated(parts, one(inner)?),
        })
    }
}

impl Source<'_> {
    /// The number of items, those that do not pass a test included.
    pub fn count(&self, tracing: &Tracing) -> ValueId {
        match self {
            Source::Items(items) | Source::Rows(items, ..) | Source::Elements(items, _) => items.count,
            Source::Zipped(inner) | Source::Mapped(_, inner) => {
                let mut counts = inner.iter().map(|s| s.count(tracing));
                let first = counts.next().expect("something is zipped");
                counts.fold(first, |least, count| {
                    let made = tracing.trace.build(|b| b.op(BinaryOp::Min, Attr::None, &[least, count]));
                    made.expect("two numbers of items")
                })
            }
            Source::Counted(_, inner) | Source::Backwards(_, inner) => inner.count(tracing),
            Source::Filtered(_, inner) | Source::Generated(_, inner) => inner.count(tracing),
        }
    }
}
