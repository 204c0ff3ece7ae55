//! Eager code: each call is a graph of its own, compiled once per call and operand types.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Broken;
use gw_ir::{Builder, Unfit};
use gw_runtime::{Buffer, Executable, HostFn, RunError};
use gw_trace::Staged;
use gw_trace::calls::{Call, emit};
use gw_types::{DType, Number, Scalar, Shape, TensorType};

use crate::{compile, config};

/// One operand of an eager call.
#[derive(Debug, Clone)]
pub enum EagerArg {
    /// A tensor.
    Tensor(Buffer),
    /// A number of the host's own, which takes the other operand's type.
    Number(Scalar),
}

/// Why an eager call gives no result.
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
    args: Vec<(DType, Vec<usize>, Option<Number>)>,
}

/// The graphs of one call that were needed so far.
#[derive(Debug, Default)]
pub struct Eager {
    made: Mutex<HashMap<Key, Arc<Executable>>>,
}

impl Eager {
    /// Runs one call.
    ///
    /// # Errors
    /// If the operands do not fit, or the call fails while it runs.
    pub fn run(&self, call: &Call, args: &[EagerArg], host: &mut dyn HostFn) -> Result<Buffer, EagerError> {
        let executable = self.executable(call, args)?;
        let inputs: Vec<Buffer> = args.iter().map(buffer).collect();
        let inputs: Vec<&Buffer> = inputs.iter().collect();
        let mut results = executable.run(&inputs, host).map_err(EagerError::Run)?;
        Ok(results.remove(0))
    }

    fn executable(&self, call: &Call, args: &[EagerArg]) -> Result<Arc<Executable>, EagerError> {
        let key = Key { call: call.clone(), args: args.iter().map(signature).collect() };
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
    let mut b = Builder::new("eager");
    let params = key.args.iter().map(|(dtype, lengths, weak)| Staged {
        value: b.param(TensorType::new(*dtype, Shape::fixed(lengths))),
        weak: *weak,
    });
    let params: Vec<_> = params.collect();
    let result = emit(&key.call, &mut b, &params).map_err(EagerError::Unfit)?;
    compile(b.finish(vec![result.value])).map(|c| c.executable).map_err(EagerError::Broken)
}

fn number_of(scalar: Scalar) -> Number {
    match scalar {
        Scalar::Bool(_) => Number::Bool,
        Scalar::Int(_) => Number::Int,
        Scalar::Float(_) => Number::Float,
    }
}

fn signature(arg: &EagerArg) -> (DType, Vec<usize>, Option<Number>) {
    match arg {
        EagerArg::Tensor(t) => (t.dtype(), t.lengths().to_vec(), None),
        EagerArg::Number(n) => (number_of(*n).own_dtype(), Vec::new(), Some(number_of(*n))),
    }
}

fn buffer(arg: &EagerArg) -> Buffer {
    match arg {
        EagerArg::Tensor(t) => t.clone(),
        EagerArg::Number(n) => Buffer::scalar(number_of(*n).own_dtype(), *n),
    }
}
