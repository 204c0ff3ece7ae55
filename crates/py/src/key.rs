//! Trace types: what of a call's arguments decides which graph runs.
//!
//! Tensors count by dtype and shape, Python numbers and strings by type and value, containers by structure, other objects
//! by identity.

use gw_base::Code;
use gw_runtime::Buffer;
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::errors;
use crate::pack::{self, Operand};
use crate::spec::PyTensorSpec;

/// One part of a trace type; parts stand in the order in which arguments are walked.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// A tensor; `None` takes any length.
    Tensor(DType, Vec<Option<usize>>),
    /// `False`, `True`
    Bool(bool),
    /// A Python integer.
    Int(i64),
    /// A Python float, by its bits: NaN is NaN.
    Float(u64),
    /// A Python string.
    Text(String),
    /// `None`
    None,
    /// A tuple of so many items, and the address of its class.
    Tuple(usize, usize),
    /// A list of so many items.
    List(usize),
    /// A dict with these keys' parts, in sorted order where they are strings.
    Dict(Vec<Part>),
    /// Any other object, by address; the trace keeps it alive.
    Object(usize),
}

impl Part {
    /// The type of a tensor.
    pub fn as_tensor(&self) -> Option<(DType, &[Option<usize>])> {
        let Part::Tensor(dtype, lengths) = self else { return None };
        Some((*dtype, lengths))
    }
}

/// The arguments of one call.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Their trace type.
    pub parts: Vec<Part>,
    /// The tensors among them.
    pub buffers: Vec<Buffer>,
    /// The objects that count by identity.
    pub objects: Vec<Py<PyAny>>,
}

impl Arguments {
    /// Adds one argument.
    pub fn take(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        match pack::plain_operand(object)? {
            Some(Operand::Tensor(buffer)) => self.tensor(buffer),
            Some(Operand::Number(number)) => self.parts.push(number_part(number)),
            Some(Operand::Staged(..)) => self.parts.push(Part::Object(object.as_ptr() as usize)),
            None => return self.other(object),
        }
        Ok(())
    }

    /// Adds a tensor.
    pub fn tensor(&mut self, buffer: Buffer) {
        let lengths = buffer.lengths().iter().map(|&n| Some(n)).collect();
        self.parts.push(Part::Tensor(buffer.dtype(), lengths));
        self.buffers.push(buffer);
    }

    fn other(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if object.is_none() {
            self.parts.push(Part::None);
        } else if let Ok(text) = object.cast::<PyString>() {
            self.parts.push(Part::Text(text.to_string_lossy().into_owned()));
        } else if let Ok(spec) = object.cast::<PyTensorSpec>() {
            let spec = spec.get();
            self.parts.push(Part::Tensor(spec.element, spec.lengths.clone()));
        } else if let Ok(tuple) = object.cast::<PyTuple>() {
            self.parts.push(Part::Tuple(tuple.len(), object.get_type().as_ptr() as usize));
            return tuple.iter().try_for_each(|item| self.take(&item));
        } else if let Ok(list) = object.cast_exact::<PyList>() {
            self.parts.push(Part::List(list.len()));
            return list.iter().try_for_each(|item| self.take(&item));
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            return self.dict(dict);
        } else {
            self.parts.push(Part::Object(object.as_ptr() as usize));
            self.objects.push(object.clone().unbind());
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut keys = Arguments::default();
        dict.keys().iter().try_for_each(|key| keys.take(&key))?;
        self.objects.append(&mut keys.objects);
        self.parts.push(Part::Dict(keys.parts));
        dict.values().iter().try_for_each(|item| self.take(&item))
    }

    /// Adds an argument that a signature speaks of: cast from Python numbers, refused if it does not fit.
    pub fn take_signed(&mut self, object: &Bound<'_, PyAny>, spec: &PyTensorSpec) -> PyResult<()> {
        if let Ok(given) = object.cast::<PyTensorSpec>() {
            self.parts.push(Part::Tensor(given.get().element, given.get().lengths.clone()));
            return Ok(());
        }
        let operand =
            pack::operand(object).map_err(|_| mismatch(object, spec, "a value that is no tensor"))?;
        let buffer = match operand {
            Operand::Number(n) if n.kind() <= spec.element.kind() => Buffer::scalar(spec.element, n),
            Operand::Tensor(buffer) if buffer.dtype() == spec.element => buffer,
            Operand::Tensor(buffer) if !is_tensor(object) && buffer.dtype().kind() <= spec.element.kind() => {
                pack::convert(&buffer, spec.element)
            }
            other @ (Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_)) => {
                return Err(mismatch(object, spec, &pack::describe_type(&other)));
            }
        };
        if !lengths_fit(&spec.lengths, buffer.lengths()) {
            return Err(mismatch(object, spec, &pack::describe_type(&Operand::Tensor(buffer))));
        }
        self.parts.push(Part::Tensor(spec.element, spec.lengths.clone()));
        self.buffers.push(buffer);
        Ok(())
    }
}

/// An argument of a function with an input signature that is called while a graph is built: what the signature takes, of
/// its element type.
pub fn admit<'py>(object: &Bound<'py, PyAny>, spec: &PyTensorSpec) -> PyResult<Bound<'py, PyAny>> {
    let operand = pack::operand(object).map_err(|_| mismatch(object, spec, "a value that is no tensor"))?;
    let own_type = match &operand {
        Operand::Staged(_, staged) => staged.weak.is_none(),
        Operand::Tensor(_) => is_tensor(object),
        Operand::Number(_) => false,
    };
    let (wanted, found) = (spec.element, operand.dtype());
    let takes = if own_type { found == wanted } else { found.kind() <= wanted.kind() };
    let lengths = operand.lengths();
    let same = |(w, f): (&Option<usize>, &Option<usize>)| w.is_none() || f.is_none() || w == f;
    if !takes || lengths.len() != spec.lengths.len() || !spec.lengths.iter().zip(&lengths).all(same) {
        return Err(mismatch(object, spec, &pack::describe_type(&operand)));
    }
    if own_type { Ok(object.clone()) } else { pack::call(object.py(), &Call::Cast(wanted), &[object]) }
}

fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<crate::tensor::Tensor>()
}

fn lengths_fit(wanted: &[Option<usize>], found: &[usize]) -> bool {
    wanted.len() == found.len() && wanted.iter().zip(found).all(|(w, f)| w.is_none_or(|w| w == *f))
}

fn mismatch(object: &Bound<'_, PyAny>, spec: &PyTensorSpec, found: &str) -> PyErr {
    let message = format!(
        "the input signature takes `{}` of shape {}, but the call gives {found}",
        spec.element.python_name(),
        spec.text()
    );
    let help = "convert the argument, or widen the signature";
    errors::here(object.py(), Code::SignatureMismatch, message, help)
}

fn number_part(number: Scalar) -> Part {
    match number {
        Scalar::Bool(b) => Part::Bool(b),
        Scalar::Int(i) => Part::Int(i),
        Scalar::Float(x) => Part::Float(if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }),
    }
}

/// Whether arguments of trace type `found` can run a graph made for `made`.
pub fn fits(made: &[Part], found: &[Part]) -> bool {
    made.len() == found.len() && made.iter().zip(found).all(|(m, f)| part_fits(m, f))
}

fn part_fits(made: &Part, found: &Part) -> bool {
    match (made, found) {
        (Part::Tensor(d, wanted), Part::Tensor(e, lengths)) => {
            d == e
                && wanted.len() == lengths.len()
                && wanted.iter().zip(lengths).all(|(w, l)| w.is_none() || w == l)
        }
        (made, found) => made == found,
    }
}
