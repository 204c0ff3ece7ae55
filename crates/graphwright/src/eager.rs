//! Eager code: each call is a graph of its own, compiled once per call and operand types.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::Broken;
use gw_ir::{BinaryOp, Builder, Graph, KnownPower, Literal, Unfit};
use gw_runtime::{Buffer, Executable, HostFn, RunError};
use gw_trace::Staged;
use gw_trace::calls::{Call, emit};
use gw_types::{DType, Number, Promotion, Scalar, Shape, TensorType};
use rustc_hash::{FxHashMap, FxHasher};

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

/// A call of operands, as a key to look up by that allocates nothing.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    call: &'a Call,
    args: &'a [EagerArg],
    promotion: Promotion,
    is_checked: bool,
    /// True if one of the operands is of bools.
    has_bools: bool,
    is_power: bool,
    /// True of a power of complex numbers, which are multiplied where the exponent is a small integer.
    is_complex_power: bool,
}

impl<'a> Asked<'a> {
    fn new(call: &'a Call, args: &'a [EagerArg]) -> Self {
        let has = |is: fn(DType) -> bool| {
            args.iter().any(|arg| matches!(arg, EagerArg::Tensor(t) if is(t.dtype())))
        };
        let is_power = *call == Call::Power || *call == Call::binary(BinaryOp::Pow);
        Self {
            call,
            args,
            promotion: promotion::said(),
            is_checked: overflow::is_checked(),
            has_bools: has(|dtype| dtype == DType::Bool),
            is_power,
            is_complex_power: is_power && has(DType::is_complex),
        }
    }

    /// The facts of each operand.
    fn facts(self) -> impl Iterator<Item = Facts<'a>> {
        self.args.iter().map(move |arg| Facts::of(arg, self))
    }

    fn hash(self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.call, self.promotion, self.is_checked).hash(&mut hasher);
        self.facts().for_each(|facts| facts.hash(&mut hasher));
        hasher.finish()
    }

    fn key(self) -> Key {
        let args = self.facts().map(Facts::into_owned).collect();
        Key { call: self.call.clone(), promotion: self.promotion, args, is_checked: self.is_checked }
    }
}

/// A call for which something was made.
#[derive(Debug)]
struct Key {
    call: Call,
    promotion: Promotion,
    args: Vec<Signature>,
    /// True if integer scalars are checked for overflow.
    is_checked: bool,
}

impl Key {
    fn is_of(&self, asked: Asked<'_>) -> bool {
        self.call == *asked.call
            && self.promotion == asked.promotion
            && self.is_checked == asked.is_checked
            && self.args.len() == asked.args.len()
            && self.args.iter().zip(asked.facts()).all(|(arg, facts)| arg.0 == facts)
    }
}

/// Facts of an operand that a graph of one call depends on.
#[derive(Debug, PartialEq, Eq, Hash, Clone)]
struct Facts<'a> {
    dtype: DType,
    lengths: Cow<'a, [usize]>,
    weak: Option<Number>,
    /// A host number that is written in the graph because its value decides the result's type, or the way to it.
    written: Option<Written>,
}

/// Such a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Written {
    /// An integer beyond 32 bits, one beside bools, a negative exponent, that of complex numbers, and one of a power with a way of its own.
    Whole(i64),
    /// The bits of a float that is the exponent of a power with a way of its own.
    Real(u64),
}

impl Written {
    fn of(number: Scalar, asked: Asked<'_>) -> Option<Self> {
        let has_way = |exponent: f64| asked.is_power && KnownPower::of(exponent).is_some();
        let is_written = |number: i64| {
            let decides_type = asked.has_bools || (number < 0 && asked.is_power);
            decides_type || asked.is_complex_power || i32::try_from(number).is_err() || has_way(number as f64)
        };
        match number {
            Scalar::Int(number) => is_written(number).then_some(Self::Whole(number)),
            Scalar::Float(number) => has_way(number).then_some(Self::Real(number.to_bits())),
            Scalar::Bool(_) | Scalar::Nat(_) | Scalar::Complex(..) | Scalar::Text(_) => None,
        }
    }

    fn literal(self) -> Literal {
        match self {
            Self::Whole(number) => Literal::scalar(DType::I64, Scalar::Int(number)),
            Self::Real(bits) => Literal::scalar(DType::F64, Scalar::Float(f64::from_bits(bits))),
        }
    }
}

/// The facts of an operand that is not there any more.
#[derive(Debug)]
struct Signature(Facts<'static>);

impl<'a> Facts<'a> {
    fn of(arg: &'a EagerArg, asked: Asked<'_>) -> Self {
        match arg {
            EagerArg::Tensor(t) => {
                Self { dtype: t.dtype(), lengths: Cow::Borrowed(t.lengths()), weak: None, written: None }
            }
            EagerArg::Number(n) => {
                let weak = number_of(*n);
                let written = Written::of(*n, asked);
                Self { dtype: weak.own_dtype(), lengths: Cow::default(), weak: Some(weak), written }
            }
        }
    }

    fn into_owned(self) -> Signature {
        Signature(Facts { lengths: Cow::Owned(self.lengths.into_owned()), ..self })
    }
}

/// Code and derivatives of calls, by the hash of the call.
#[derive(Debug)]
struct Kept<T>(Mutex<FxHashMap<u64, Made<T>>>);

/// Those of the calls of one hash, each with its call.
type Made<T> = Vec<(Key, Arc<T>)>;

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Kept<T> {
    /// The one that is kept for a call; `make` makes it where there is none.
    fn get(
        &self,
        asked: Asked<'_>,
        make: impl FnOnce(&Key) -> Result<T, EagerError>,
    ) -> Result<Arc<T>, EagerError> {
        let hash = asked.hash();
        if let Some(found) = self.find(hash, asked) {
            return Ok(found);
        }
        let key = asked.key();
        let made = Arc::new(make(&key)?);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= config::config().eager_cache {
            kept.clear();
        }
        kept.entry(hash).or_default().push((key, made.clone()));
        Ok(made)
    }

    fn find(&self, hash: u64, asked: Asked<'_>) -> Option<Arc<T>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(&hash)?.iter().find(|(key, _)| key.is_of(asked)).map(|(_, made)| made.clone())
    }
}

/// The graphs of one call that were needed so far.
#[derive(Debug, Default)]
pub struct Eager {
    made: Kept<Executable>,
    /// Those that a derivative was asked of.
    ways: Kept<Way>,
}

impl Eager {
    /// Runs one call.
    ///
    /// # Errors
    /// If the operands do not fit, or the call fails while it runs.
    pub fn run(&self, call: &Call, args: &[EagerArg], host: &mut dyn HostFn) -> Result<Buffer, EagerError> {
        let executable = self.made.get(Asked::new(call, args), build)?;
        let inputs: Vec<Buffer> = args.iter().map(buffer).collect();
        let mut results = executable.run(&inputs, host).map_err(EagerError::Run)?;
        Ok(results.remove(0))
    }

    /// The graph of a call that has been run, to ask its derivative of, and its inputs.
    ///
    /// # Errors
    /// If the operands do not fit.
    pub fn way(&self, call: &Call, args: &[EagerArg]) -> Result<(Arc<Way>, Vec<Buffer>), EagerError> {
        let made = self.ways.get(Asked::new(call, args), |key| Ok(Way::of(Optimized::of(graph_of(key)?))))?;
        Ok((made, args.iter().map(buffer).collect()))
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

fn operand(b: &mut Builder, Signature(arg): &Signature) -> Staged {
    let param = b.param(TensorType::new(arg.dtype, Shape::fixed(&arg.lengths)));
    let written = arg.written.map(|number| b.constant(number.literal()));
    Staged { value: written.unwrap_or(param), weak: arg.weak }
}

fn number_of(scalar: Scalar) -> Number {
    Number::of(scalar).expect("the host's numbers are no strings")
}

fn buffer(arg: &EagerArg) -> Buffer {
    match arg {
        EagerArg::Tensor(t) => t.clone(),
        EagerArg::Number(n) => Buffer::scalar(number_of(*n).own_dtype(), *n),
    }
}
