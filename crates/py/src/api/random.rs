//! Random numbers: of a seed alone, or of a generator, which counts in a variable how often it was asked. In a graph that
//! variable is one as all are, so each call of the graph, and each iteration of a loop, gives other numbers.

use std::sync::Arc;

use gw_base::Code;
use gw_ir::BinaryOp;
use gw_runtime::Buffer;
use gw_trace::calls::{Call, Item, Law};
use gw_types::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::arguments::lengths;
use super::create::exact;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::session::{self, frames};
use crate::values::dtype;
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// The seed of operations that have one of their own, where none was set for all.
const USUAL_SEED: i64 = 87_654_321;

/// Draws random numbers from a state of its own.
///
/// Example:
///   >>> generator = gw.random.Generator.from_seed(1)
///   >>> generator.normal([2]).shape
///   (2,)
#[pyclass(frozen, name = "Generator", module = "graphwright.random")]
#[derive(Debug)]
pub struct Generator {
    /// The seed, that of operations which have one of their own, and how often numbers were asked for.
    state: Variable,
}

impl Generator {
    fn new(seed: i64, usual: i64) -> Self {
        let cell = Arc::new(Cell::of("random_state", vector(&[seed, usual, 0])));
        Self { state: Variable { cell } }
    }

    /// From what the system gives of chance.
    fn by_chance(py: Python<'_>) -> PyResult<Self> {
        let bytes: [u8; 8] = py.import("os")?.call_method1("urandom", (8,))?.extract()?;
        Ok(Self::new(i64::from_le_bytes(bytes), USUAL_SEED))
    }

    /// The one that the functions of the module ask.
    fn global(py: Python<'_>) -> PyResult<&'static Self> {
        static GLOBAL: PyOnceLock<Generator> = PyOnceLock::new();
        GLOBAL.get_or_try_init(py, || Self::by_chance(py))
    }

    fn start(&self, py: Python<'_>, seed: i64) -> PyResult<()> {
        self.put(py, Operand::Tensor(vector(&[seed, seed, 0])))
    }

    fn put(&self, py: Python<'_>, state: Operand) -> PyResult<()> {
        if let Some(tracing) = session::current() {
            tracing.trace.set_place(frames::place(py));
        }
        self.state.put(state)
    }

    /// A key that was never given before, of an operation's own seed if it has one.
    fn key(&self, py: Python<'_>, seed: Option<i64>) -> PyResult<Operand> {
        let state = self.state.operand();
        let at = |at: i64| item(py, &state, at);
        let seed = match seed {
            None => at(0)?,
            Some(seed) => mixed(py, at(1)?, Operand::Tensor(Buffer::scalar(DType::I64, Scalar::Int(seed))))?,
        };
        let key = mixed(py, seed, at(2)?)?;
        let next = Operand::Tensor(vector(&[0, 0, 1]));
        self.put(py, operands::apply(py, &Call::wrapping(BinaryOp::Add), vec![state.clone(), next])?)?;
        Ok(key)
    }
}

#[pymethods]
impl Generator {
    /// Makes a generator that draws the same numbers each time the program runs.
    ///
    /// Args:
    ///   seed: int.
    ///   alg: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Generator.
    ///
    /// Example:
    ///   >>> gw.random.Generator.from_seed(1).normal([2]).shape
    ///   (2,)
    #[staticmethod]
    #[pyo3(signature = (seed, alg=None))]
    fn from_seed(seed: i64, alg: Option<&Bound<'_, PyAny>>) -> Self {
        let _ = alg;
        Self::new(seed, seed)
    }

    /// Makes a generator that draws other numbers each time the program runs.
    ///
    /// Args:
    ///   alg: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Generator.
    ///
    /// Example:
    ///   >>> gw.random.Generator.from_non_deterministic_state().normal([2]).shape
    ///   (2,)
    #[staticmethod]
    #[pyo3(signature = (alg=None))]
    fn from_non_deterministic_state(py: Python<'_>, alg: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let _ = alg;
        Self::by_chance(py)
    }

    /// The variable with its state.
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Variable::of_cell(py, &self.state.cell)
    }

    /// Restarts with a seed.
    ///
    /// Args:
    ///   seed: int.
    ///
    /// Returns:
    ///   Nothing.
    ///
    /// Example:
    ///   >>> generator = gw.random.Generator.from_seed(1)
    ///   >>> first = generator.normal([3])
    ///   >>> generator.reset_from_seed(1)
    ///   >>> bool(gw.reduce_all(generator.normal([3]) == first))
    ///   True
    fn reset_from_seed(&self, py: Python<'_>, seed: i64) -> PyResult<()> {
        self.start(py, seed)
    }

    /// Draws numbers uniformly from `[minval, maxval)`.
    ///
    /// Args:
    ///   shape: list of lengths.
    ///   minval: least value.
    ///   maxval: bound that is not reached; 1 for floats, and required for integers.
    ///   dtype: dtype; `float32` if it is `None`.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.random.Generator.from_seed(1).uniform([2], 1, 7, gw.int32).shape
    ///   (2,)
    #[pyo3(signature = (shape, minval=None, maxval=None, dtype=None, name=None))]
    fn uniform<'py>(
        &self,
        shape: &Bound<'py, PyAny>,
        minval: Option<&Bound<'py, PyAny>>,
        maxval: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        let wanted = Wanted::uniform(shape, minval, maxval, dtype)?;
        wanted.made_of(shape.py(), self.key(shape.py(), None)?)
    }

    /// Draws numbers from a normal distribution.
    ///
    /// Args:
    ///   shape: list of lengths.
    ///   mean: mean.
    ///   stddev: standard deviation.
    ///   dtype: dtype; `float32` if it is `None`.
    ///   name: accepted as in TensorFlow; has no effect.
    ///
    /// Returns:
    ///   Tensor.
    ///
    /// Example:
    ///   >>> gw.random.Generator.from_seed(1).normal([2]).shape
    ///   (2,)
    #[pyo3(signature = (shape, mean=None, stddev=None, dtype=None, name=None))]
    fn normal<'py>(
        &self,
        shape: &Bound<'py, PyAny>,
        mean: Option<&Bound<'py, PyAny>>,
        stddev: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        name: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = name;
        let wanted = Wanted::normal(shape, mean, stddev, dtype)?;
        wanted.made_of(shape.py(), self.key(shape.py(), None)?)
    }
}

/// Requested random numbers.
struct Wanted {
    call: Call,
    /// The two numbers of the distribution, and the lengths that are tensors.
    operands: Vec<Operand>,
}

impl Wanted {
    fn new(law: Law, shape: &Bound<'_, PyAny>, dtype: DType, numbers: [Operand; 2]) -> PyResult<Self> {
        let (lengths, given) = lengths(shape)?;
        let call = Call::Random { law, dtype, lengths };
        Ok(Self { call, operands: numbers.into_iter().chain(given).collect() })
    }

    fn uniform(
        shape: &Bound<'_, PyAny>,
        minval: Option<&Bound<'_, PyAny>>,
        maxval: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let dtype = self::dtype(dtype)?;
        if dtype.is_int() && maxval.is_none() {
            let message = "random integers need `maxval`";
            return Err(errors::here(shape.py(), Code::BadArgument, message, "say below what they are"));
        }
        Self::new(Law::Uniform, shape, dtype, [number(minval, 0, dtype)?, number(maxval, 1, dtype)?])
    }

    fn normal(
        shape: &Bound<'_, PyAny>,
        mean: Option<&Bound<'_, PyAny>>,
        stddev: Option<&Bound<'_, PyAny>>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let dtype = self::dtype(dtype)?;
        Self::new(Law::Normal, shape, dtype, [number(mean, 0, dtype)?, number(stddev, 1, dtype)?])
    }

    fn made_of<'py>(self, py: Python<'py>, key: Operand) -> PyResult<Bound<'py, PyAny>> {
        let operands = std::iter::once(key).chain(self.operands).collect();
        operands::tensor(py, operands::apply(py, &self.call, operands)?)
    }
}

fn vector(numbers: &[i64]) -> Buffer {
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    Buffer::from_bytes(DType::I64, &[numbers.len()], &bytes)
}

fn item(py: Python<'_>, of: &Operand, at: i64) -> PyResult<Operand> {
    operands::apply(py, &Call::Subscript(vec![Item::At(at)]), vec![of.clone()])
}

fn mixed(py: Python<'_>, key: Operand, counter: Operand) -> PyResult<Operand> {
    operands::apply(py, &Call::wrapping(BinaryOp::RandomBits), vec![key, counter])
}

fn dtype(given: Option<&Bound<'_, PyAny>>) -> PyResult<DType> {
    given.filter(|d| !d.is_none()).map_or(Ok(DType::F32), dtype::parse)
}

/// A number of a distribution, in the type of the result unless it is a tensor.
fn number(given: Option<&Bound<'_, PyAny>>, otherwise: i64, dtype: DType) -> PyResult<Operand> {
    let Some(given) = given.filter(|given| !given.is_none()) else {
        return Ok(Operand::Tensor(Buffer::scalar(dtype, Scalar::Int(otherwise))));
    };
    match operands::operand(given)? {
        Operand::Number(n) if dtype.is_number() => {
            Ok(Operand::Tensor(Buffer::scalar(dtype, exact(given.py(), n, dtype)?)))
        }
        Operand::Number(n) => Ok(Operand::Tensor(Buffer::scalar(dtype, n))),
        other @ (Operand::Tensor(_) | Operand::Staged(..)) => Ok(other),
    }
}

/// The key of a seed: two integers.
fn key_of(seed: &Bound<'_, PyAny>) -> PyResult<Operand> {
    let py = seed.py();
    let operand = operands::operand(seed)?;
    if !operand.dtype().is_int() || operand.lengths() != [Some(2)] {
        let message = "a seed must be two integers";
        return Err(errors::here(py, Code::BadArgument, message, "write `seed=[1, 2]`"));
    }
    let seed = operands::apply(py, &Call::Cast(DType::I64), vec![operand])?;
    mixed(py, item(py, &seed, 0)?, item(py, &seed, 1)?)
}

/// Draws numbers uniformly from `[minval, maxval)`, other ones at each call.
///
/// Args:
///   shape: list of lengths.
///   minval: least value.
///   maxval: bound that is not reached; 1 for floats, and required for integers.
///   dtype: dtype; `float32` if it is `None`.
///   seed: number that tells streams apart.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.random.set_seed(1)
///   >>> gw.random.uniform([2], 1, 7, gw.int32).shape
///   (2,)
///
/// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011 (Threefry).
#[pyfunction]
#[pyo3(signature = (shape, minval=None, maxval=None, dtype=None, seed=None, name=None))]
fn random_uniform<'py>(
    shape: &Bound<'py, PyAny>,
    minval: Option<&Bound<'py, PyAny>>,
    maxval: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    seed: Option<i64>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let (py, wanted) = (shape.py(), Wanted::uniform(shape, minval, maxval, dtype)?);
    wanted.made_of(py, Generator::global(py)?.key(py, seed)?)
}

/// Draws numbers from a normal distribution, other ones at each call.
///
/// Args:
///   shape: list of lengths.
///   mean: mean.
///   stddev: standard deviation.
///   dtype: dtype; `float32` if it is `None`.
///   seed: number that tells streams apart.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.random.normal([2, 3]).shape
///   (2, 3)
#[pyfunction]
#[pyo3(signature = (shape, mean=None, stddev=None, dtype=None, seed=None, name=None))]
fn random_normal<'py>(
    shape: &Bound<'py, PyAny>,
    mean: Option<&Bound<'py, PyAny>>,
    stddev: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    seed: Option<i64>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let (py, wanted) = (shape.py(), Wanted::normal(shape, mean, stddev, dtype)?);
    wanted.made_of(py, Generator::global(py)?.key(py, seed)?)
}

/// Draws numbers uniformly from `[minval, maxval)`, the same ones for the same seed.
///
/// Args:
///   shape: list of lengths.
///   seed: two integers.
///   minval: least value.
///   maxval: bound that is not reached; 1 for floats, and required for integers.
///   dtype: dtype; `float32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///   alg: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.random.stateless_uniform([2], seed=[1, 2])
///   <gw.Tensor: shape=(2,), dtype=float32, numpy=array([0.04586941, 0.5271057 ], dtype=float32)>
#[pyfunction]
#[pyo3(signature = (shape, seed, minval=None, maxval=None, dtype=None, name=None, alg=None))]
fn stateless_uniform<'py>(
    shape: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    minval: Option<&Bound<'py, PyAny>>,
    maxval: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
    alg: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = (name, alg);
    Wanted::uniform(shape, minval, maxval, dtype)?.made_of(shape.py(), key_of(seed)?)
}

/// Draws numbers from a normal distribution, the same ones for the same seed.
///
/// Args:
///   shape: list of lengths.
///   seed: two integers.
///   mean: mean.
///   stddev: standard deviation.
///   dtype: dtype; `float32` if it is `None`.
///   name: accepted as in TensorFlow; has no effect.
///   alg: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor.
///
/// Example:
///   >>> gw.random.stateless_normal([2], seed=[1, 2]).shape
///   (2,)
#[pyfunction]
#[pyo3(signature = (shape, seed, mean=None, stddev=None, dtype=None, name=None, alg=None))]
fn stateless_normal<'py>(
    shape: &Bound<'py, PyAny>,
    seed: &Bound<'py, PyAny>,
    mean: Option<&Bound<'py, PyAny>>,
    stddev: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    name: Option<&str>,
    alg: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = (name, alg);
    Wanted::normal(shape, mean, stddev, dtype)?.made_of(shape.py(), key_of(seed)?)
}

/// Shuffles the rows of a tensor, in another order at each call.
///
/// Args:
///   value: tensor with at least one axis.
///   seed: number that tells streams apart.
///   name: accepted as in TensorFlow; has no effect.
///
/// Returns:
///   Tensor of the same shape and dtype.
///
/// Example:
///   >>> sorted(gw.random.shuffle([3, 1, 2]).tolist())
///   [1, 2, 3]
#[pyfunction]
#[pyo3(signature = (value, seed=None, name=None))]
fn shuffle<'py>(
    value: &Bound<'py, PyAny>,
    seed: Option<i64>,
    name: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = name;
    let (py, value) = (value.py(), operands::operand(value)?.strong());
    if value.lengths().is_empty() {
        let message = "a tensor without axes has no rows to shuffle";
        return Err(errors::here(py, Code::WrongShape, message, "give a tensor with one axis at least"));
    }
    let key = Generator::global(py)?.key(py, seed)?;
    let count = operands::apply(py, &Call::DimOf(0, DType::I64), vec![value.clone()])?;
    let ends = [0, 1].map(|n| Operand::Tensor(Buffer::scalar(DType::I64, Scalar::Int(n))));
    let [zero, one] = ends;
    let positions = operands::apply(py, &Call::Range(None), vec![zero, count, one])?;
    let bits = mixed(py, key, positions)?;
    let order = operands::apply(py, &Call::Sort { axis: 0, descending: false, places: true }, vec![bits])?;
    operands::tensor(py, operands::apply(py, &Call::Gather { axis: 0 }, vec![value, order])?)
}

/// Restarts the functions of this module with the numbers of a seed.
///
/// Args:
///   seed: int.
///
/// Returns:
///   Nothing.
///
/// Example:
///   >>> gw.random.set_seed(7)
///   >>> first = gw.random.uniform([2])
///   >>> gw.random.set_seed(7)
///   >>> bool(gw.reduce_all(first == gw.random.uniform([2])))
///   True
#[pyfunction]
fn set_seed(py: Python<'_>, seed: i64) -> PyResult<()> {
    Generator::global(py)?.start(py, seed)
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RandomGenerator", module.py().get_type::<Generator>())?;
    module.add_function(wrap_pyfunction!(random_uniform, module)?)?;
    module.add_function(wrap_pyfunction!(random_normal, module)?)?;
    module.add_function(wrap_pyfunction!(stateless_uniform, module)?)?;
    module.add_function(wrap_pyfunction!(stateless_normal, module)?)?;
    module.add_function(wrap_pyfunction!(shuffle, module)?)?;
    module.add_function(wrap_pyfunction!(set_seed, module)?)
}
