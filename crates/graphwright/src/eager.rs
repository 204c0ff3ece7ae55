//! Eager code: each call is a graph of its own, compiled once per call and operand types.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Broken;
use gw_ir::{Builder, Graph, Literal, Unfit};
use gw_runtime::{Buffer, Executable, HostFn, RunError};
use gw_trace::Staged;
use gw_trace::calls::{Call, emit};
use gw_types::{DType, Number, Promotion, Scalar, Shape, TensorType};

use crate::{Optimized, Way, config, generate, overflow, promotion};

/// One operand of an eager call.
#[derive(Debug, Clone)]
pub enum EagerArg {
    /// A tensor.
    Tensor(Buffer),
    /// A number of the host's own, which takes the other operand's type.
    Number(Scalar),
}

/// Reason for which an eager call gives no result.
#[derive(Debug)]
pub enum EagerError {
    /// The operands do not fit.
    Unfit(Unfit),
    /// It failed while it ran.
    Run(RunError),
    /// Our own bug.
    Broken(Broken),
}

#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Key {
    call: Call,
    promotion: Promotion,
    args: Vec<Signature>,
    /// True if integer scalars are checked for overflow.
    is_checked: bool,
}

impl Key {
    fn of(call: &Call, args: &[EagerArg]) -> Self {
        let bools = args.iter().any(|arg| matches!(arg, EagerArg::Tensor(t) if t.dtype() == DType::Bool));
        let is_written = |number: i64| {
            let negative_power = number < 0 && *call == Call::Power;
            bools || negative_power || i32::try_from(number).is_err()
        };
        let args = args.iter().map(|arg| signature(arg, is_written)).collect();
        let is_checked = overflow::is_checked();
        Self { call: call.clone(), promotion: promotion::said(), args, is_checked }
    }
}

/// Facts of an operand that a graph of one call depends on.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Signature {
    dtype: DType,
    lengths: Vec<usize>,
    weak: Option<Number>,
    /// A host integer that is written in the graph because its value decides the result's type: one beyond 32 bits, one
    /// beside bools, and a negative exponent.
    wide: Option<i64>,
}

/// The graphs of one call that were needed so far.
#[derive(Debug, Default)]
pub struct Eager {
    made: Mutex<HashMap<Key, Arc<Executable>>>,
    /// Those that a derivative was asked of.
    ways: Mutex<HashMap<Key, Arc<Way>>>,
}

impl Eager {
    /// Runs one call.
    ///
    /// # Errors
    /// If the operands do not fit, or the call fails while it runs.
    pub fn run(&self, call: &Call, args: &[EagerArg], host: &mut dyn HostFn) -> Result<Buffer, EagerError> {
        let executable = self.executable(call, args)?;
        let inputs: Vec<Buffer> = args.iter().map(buffer).collect();
        let mut results = executable.run(&inputs, host).map_err(EagerError::Run)?;
        Ok(results.remove(0))
    }

    /// The graph of a call that has been run, to ask its derivative of, and its inputs.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn way(&self, call: &Call, args: &[EagerArg]) -> Result<(Arc<Way>, Vec<Buffer>), EagerError> {
        let key = Key::of(call, args);
        let inputs = args.iter().map(buffer).collect();
        let mut ways = self.ways.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = ways.get(&key) {
            return Ok((found.clone(), inputs));
        }
        let made = Arc::new(Way::of(Optimized::of(graph_of(&key)?)));
        if ways.len() >= config::config().eager_cache {
            ways.clear();
        }
        ways.insert(key, made.clone());
        Ok((made, inputs))
    }

    fn executable(&self, call: &Call, args: &[EagerArg]) -> Result<Arc<Executable>, EagerError> {
        let key = Key::of(call, args);
        if let Some(found) = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(found.clone());
        }
        let made = Arc::new(build(&key)?);
        let mut cache = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.len() >= config::config().eager_cache {
            cache.clear();
        }
        cache.insert(key, made.clone());
        Ok(made)
    }
}

fn build(key: &Key) -> Result<Executable, EagerError> {
    let made = generate(graph_of(key)?).and_then(|(_, _, native, _)| native.load());
    made.map_err(EagerError::Broken)
}

fn graph_of(key: &Key) -> Result<Graph, EagerError> {
    let mut b = Builder::new("eager");
    b.set_overflow_checks(key.is_checked);
    b.set_promotion(key.promotion);
    let params: Vec<_> = key.args.iter().map(|arg| operand(&mut b, arg)).collect();
    let result = emit(&key.call, &mut b, &params).map_err(EagerError::Unfit)?;
    Ok(b.finish(vec![result.value]))
}

fn operand(b: &mut Builder, arg: &Signature) -> Staged {
    let param = b.param(TensorType::new(arg.dtype, Shape::fixed(&arg.lengths)));
    let written = arg.wide.map(|n| b.constant(Literal::scalar(DType::I64, Scalar::Int(n))));
    Staged { value: written.unwrap_or(param), weak: arg.weak }
}

fn number_of(scalar: Scalar) -> Number {
    Number::of(scalar).expect("the host's numbers are no strings")
}

fn signature(arg: &EagerArg, is_written: impl Fn(i64) -> bool) -> Signature {
    match arg {
        EagerArg::Tensor(t) => {
            Signature { dtype: t.dtype(), lengths: t.lengths().to_vec(), weak: None, wide: None }
        }
        EagerArg::Number(n) => {
            let weak = number_of(*n);
            let wide = if let Scalar::Int(i) = n { Some(*i).filter(|i| is_written(*i)) } else { None };
            Signature { dtype: weak.own_dtype(), lengths: Vec::new(), weak: Some(weak), wide }
        }
    }
}

fn buffer(arg: &EagerArg) -> Buffer {
    match arg {
        EagerArg::Tensor(t) => t.clone(),
        EagerArg::Number(n) => Buffer::scalar(number_of(*n).own_dtype(), *n),
    }
}
