//! Arguments of a call from Python: their trace type, and the values that a graph takes of them.
//!
//! Functions and classes are known by their addresses, which what is kept in [`Arguments::objects`] keeps alive.

use std::sync::Arc;

use graphwright::function::trace_type;
use gw_base::Code;
use gw_runtime::Buffer;
use gw_trace::calls::Call;
use gw_types::{Number, Scalar};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFrozenSet, PyFunction, PyString, PyType, PyWeakrefReference};

use crate::exceptions::errors;
use crate::function::own_type::TraceType;
use crate::host::operand::Operand;
use crate::host::structure::{self, Kind};
use crate::host::{nesting, operands};
use crate::values::array;
use crate::values::semantics::{Argument, ArrayFlags};
use crate::values::spec::PyTensorSpec;
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// One part of a trace type.
pub type Part = trace_type::Part<TraceType>;

/// Key that two structures must share to be of one trace type.
pub type Frame = trace_type::Frame<TraceType>;

/// The values that a graph takes of the arguments of a call.
#[derive(Debug, Default)]
pub struct Inputs {
    /// The tensors among them.
    pub buffers: Vec<Buffer>,
    /// Those that are NumPy arrays or numbers.
    pub arrays: ArrayFlags,
    /// The variables among them, each once.
    pub variables: Vec<Arc<Cell>>,
}

/// The arguments of one call.
#[derive(Debug, Default)]
pub struct Arguments {
    /// Their trace type.
    pub parts: Vec<Part>,
    /// Their values.
    pub inputs: Inputs,
    /// The objects that count by identity.
    pub objects: Vec<Py<PyAny>>,
    /// The positions among these of arguments, and items of arguments: the others belong to functions.
    pub given: Vec<usize>,
    /// The functions among them, by their addresses.
    pub functions: Vec<usize>,
    /// True if a spec stands for a tensor among them, so that a graph can be made but not run.
    pub abstracted: bool,
    /// The positions of the arguments that are Python numbers which the graph takes.
    pub numbers: Vec<usize>,
    /// In how many structures the object is that is taken now.
    depth: usize,
}

impl Inputs {
    /// Adds a Python number of a kind that the graph takes; `false` if the object is none.
    pub fn take_number(&mut self, object: &Bound<'_, PyAny>, kind: Number) -> bool {
        let Ok(Some(number)) = array::number(object) else { return false };
        let fits = Number::of(number) == Some(kind);
        if fits {
            self.buffers.push(Buffer::scalar(kind.own_dtype(), number));
        }
        fits
    }
}

impl Arguments {
    /// Refuses arguments that do themselves what the library does with arrays.
    pub fn refuse_other_methods(&self, py: Python<'_>) -> PyResult<()> {
        let mut given = self.given.iter().map(|&at| self.objects[at].bind(py));
        given.try_for_each(|object| array::refuse_other_methods(object, false))
    }

    /// Adds one argument.
    pub fn take(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(variable) = object.cast::<Variable>() {
            self.variable(&variable.get().cell);
            return Ok(());
        }
        match operands::plain_operand(object)? {
            Some(Operand::Tensor(buffer)) => {
                if !is_tensor(object) {
                    array::refuse_other_methods(object, true)?;
                }
                self.tensor(buffer, given(object)?);
            }
            Some(Operand::Number(number)) => self.parts.push(Part::of_value(number)),
            Some(Operand::Staged(..)) => self.object(object),
            None => return self.other(object),
        }
        Ok(())
    }

    /// Adds the argument at a position, a Python number that the graph takes.
    pub fn take_number(&mut self, at: usize, number: Scalar) {
        let Some(kind) = Number::of(number) else { return };
        self.parts.push(Part::Number(kind));
        self.inputs.buffers.push(Buffer::scalar(kind.own_dtype(), number));
        self.numbers.push(at);
    }

    /// Adds a tensor.
    pub fn tensor(&mut self, buffer: Buffer, given: Argument) {
        self.inputs.arrays.push(given);
        let lengths = buffer.lengths().iter().map(|&n| Some(n)).collect();
        self.parts.push(Part::Tensor(buffer.dtype(), lengths));
        self.inputs.buffers.push(buffer);
    }

    fn variable(&mut self, cell: &Arc<Cell>) {
        let variables = &mut self.inputs.variables;
        let number = known_variable(variables, cell).unwrap_or_else(|| {
            variables.push(cell.clone());
            variables.len() - 1
        });
        self.parts.push(Part::Variable(cell.dtype, cell.lengths(), number));
    }

    fn other(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if object.is_none() {
            self.parts.push(Part::None);
        } else if let Ok(text) = object.cast::<PyString>() {
            self.parts.push(Part::Text(text.to_string_lossy().into_owned()));
        } else if let Ok(spec) = object.cast::<PyTensorSpec>() {
            let spec = spec.get();
            self.abstracted = true;
            self.inputs.arrays.push(Argument::Tensor);
            self.parts.push(Part::Tensor(spec.element, spec.lengths.clone()));
        } else if let Ok(function) = object.cast::<PyFunction>() {
            return self.function(function);
        } else if let Some(own) = TraceType::of(object)? {
            self.parts.push(Part::Own(own));
        } else if let Some((kind, items)) = structure::open(object)? {
            let frame = self.frame(&kind)?;
            self.parts.push(Part::Structure(frame, items.len()));
            if self.depth == nesting::DEEPEST {
                return Err(nesting::too_deep(object.py()));
            }
            self.depth += 1;
            items.iter().try_for_each(|item| self.take(item))?;
            self.depth -= 1;
        } else if !self.callable(object)? {
            self.given.push(self.objects.len());
            self.object(object);
        }
        Ok(())
    }

    /// Adds a method or a partial function, which are made anew at each call and count by what they are made of.
    fn callable(&mut self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let class = object.get_type();
        let [method, partial] = callable_classes(object.py())?;
        if class.is(method) {
            self.parts.push(Part::Method);
            self.value(&object.getattr("__func__")?)?;
            self.value(&object.getattr("__self__")?)?;
        } else if class.is(partial) {
            let at = self.parts.len();
            self.parts.push(Part::Partial(0));
            self.value(&object.getattr("func")?)?;
            let (given, named) = (object.getattr("args")?, object.getattr("keywords")?);
            let named: Vec<_> =
                named.cast::<PyDict>()?.iter().flat_map(|(name, value)| [name, value]).collect();
            let given: Vec<_> = given.try_iter()?.collect::<PyResult<_>>()?;
            given.iter().chain(&named).try_for_each(|value| self.value(value))?;
            self.parts[at] = Part::Partial(given.len() + named.len());
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn object(&mut self, object: &Bound<'_, PyAny>) {
        let object = canonical(object).unwrap_or_else(|_| object.clone());
        self.parts.push(Part::Object(object.as_ptr() as usize));
        self.objects.push(object.unbind());
    }

    /// Part of a structure's trace type, which it shares with others of that type.
    pub fn frame(&mut self, kind: &Kind) -> PyResult<Frame> {
        Ok(match kind {
            Kind::Tuple(class) => Frame::Tuple(class.as_ref().map(|c| c.as_ptr() as usize)),
            Kind::List => Frame::List,
            Kind::Mapping(mapping) => {
                let mut keys = Arguments::default();
                Python::attach(|py| mapping.keys().iter().try_for_each(|key| keys.value(key.bind(py))))?;
                self.objects.append(&mut keys.objects);
                let class = mapping.class().map(|class| class.as_ptr() as usize);
                Frame::Mapping(class, keys.parts, mapping.order().to_vec())
            }
            Kind::Fields(class, names) => {
                Frame::Fields(class.as_ptr() as usize, names.iter().map(Py::to_string).collect())
            }
            Kind::Member(class) => Frame::Fields(class.as_ptr() as usize, Vec::new()),
            Kind::Optional | Kind::Table(_) | Kind::OfHost(_) => Frame::Fields(0, Vec::new()),
        })
    }

    /// A function counts by its code and by what it was made with: lambdas made anew at each call are one.
    fn function(&mut self, function: &Bound<'_, PyFunction>) -> PyResult<()> {
        let code = function.getattr("__code__")?;
        let address = code.as_ptr() as usize;
        // A function that its own closure holds counts once.
        if self.parts.iter().any(|part| matches!(part, Part::Function(known, _) if *known == address)) {
            self.object(function.as_any());
            return Ok(());
        }
        self.functions.push(function.as_ptr() as usize);
        let at = self.parts.len();
        self.parts.push(Part::Function(address, 0));
        self.objects.push(code.unbind());
        let mut count = 1;
        self.value(&function.getattr("__globals__")?)?;
        for name in ["__closure__", "__defaults__", "__kwdefaults__"] {
            let given = function.getattr(name)?;
            let values: Vec<Bound<'_, PyAny>> = match given.cast::<PyDict>() {
                Ok(named) => named.iter().flat_map(|(name, value)| [name, value]).collect(),
                Err(_) if given.is_none() => Vec::new(),
                Err(_) => given.try_iter()?.collect::<PyResult<_>>()?,
            };
            for value in values {
                count += 1;
                self.value(&value.getattr_opt("cell_contents").ok().flatten().unwrap_or(value))?;
            }
        }
        self.parts[at] = Part::Function(address, count);
        Ok(())
    }

    /// Adds what is no argument itself: numbers and strings count by value, the rest by identity.
    fn value(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        if object.is_none() {
            self.parts.push(Part::None);
        } else if let Ok(Some(number)) = array::number(object) {
            self.parts.push(Part::of_value(number));
        } else if let Ok(text) = object.cast_exact::<PyString>() {
            self.parts.push(Part::Text(text.to_string_lossy().into_owned()));
        } else if let Ok(function) = object.cast::<PyFunction>() {
            return self.function(function);
        } else if !self.callable(object)? {
            self.object(object);
        }
        Ok(())
    }

    /// Adds an argument that is to be a tensor whatever it is.
    pub fn take_as_tensor(&mut self, object: &Bound<'_, PyAny>) -> PyResult<()> {
        match operands::operand(object)?.strong() {
            Operand::Tensor(buffer) => self.tensor(buffer, given(object)?),
            Operand::Number(_) | Operand::Staged(..) => return self.take(object),
        }
        Ok(())
    }

    /// Adds an argument that a signature speaks of: cast from Python numbers, refused if it does not fit.
    pub fn take_signed(&mut self, object: &Bound<'_, PyAny>, spec: &PyTensorSpec) -> PyResult<()> {
        if let Ok(given) = object.cast::<PyTensorSpec>() {
            self.abstracted = true;
            self.inputs.arrays.push(Argument::Tensor);
            self.parts.push(Part::Tensor(given.get().element, given.get().lengths.clone()));
            return Ok(());
        }
        let operand =
            operands::operand(object).map_err(|_| mismatch(object, spec, "a value that is no tensor"))?;
        let buffer = match operand {
            Operand::Number(n) if n.kind().is_in(spec.element.kind()) => {
                operands::held(object.py(), &Buffer::scalar(n.wide_dtype(), n), spec.element)?
            }
            Operand::Tensor(buffer) if buffer.dtype() == spec.element => buffer,
            Operand::Tensor(buffer)
                if !is_tensor(object) && buffer.dtype().kind().is_in(spec.element.kind()) =>
            {
                operands::held(object.py(), &buffer, spec.element)?
            }
            other @ (Operand::Staged(..) | Operand::Tensor(_) | Operand::Number(_)) => {
                return Err(mismatch(object, spec, &operands::describe_type(&other)));
            }
        };
        let found: Vec<_> = buffer.lengths().iter().map(|&n| Some(n)).collect();
        if !spec.takes(&found) {
            return Err(mismatch(object, spec, &operands::describe_type(&Operand::Tensor(buffer))));
        }
        let wanted = if spec.unranked { vec![None; found.len()] } else { spec.lengths.clone() };
        self.parts.push(Part::Tensor(spec.element, wanted));
        self.inputs.arrays.push(given(object)?);
        self.inputs.buffers.push(buffer);
        Ok(())
    }
}

/// An argument of a function with an input signature that is called while a graph is built: what the signature takes, of
/// its element type.
pub fn admit<'py>(object: &Bound<'py, PyAny>, spec: &PyTensorSpec) -> PyResult<Bound<'py, PyAny>> {
    let operand =
        operands::operand(object).map_err(|_| mismatch(object, spec, "a value that is no tensor"))?;
    let own_type = match &operand {
        Operand::Staged(_, staged) => staged.weak.is_none(),
        Operand::Tensor(_) => is_tensor(object),
        Operand::Number(_) => false,
    };
    let (wanted, found) = (spec.element, operand.dtype());
    let takes = if own_type { found == wanted } else { found.kind().is_in(wanted.kind()) };
    if !takes || !spec.takes(&operand.lengths()) {
        return Err(mismatch(object, spec, &operands::describe_type(&operand)));
    }
    if own_type { Ok(object.clone()) } else { operands::call(object.py(), &Call::Cast(wanted), &[object]) }
}

/// An array is one in which a store is seen by all who hold it.
fn given(object: &Bound<'_, PyAny>) -> PyResult<Argument> {
    Ok(match () {
        () if is_tensor(object) => Argument::Tensor,
        () if array::is_shared(object)? => Argument::Array,
        () if array::is_number_of_numpy(object) => Argument::Number,
        () => Argument::Tensor,
    })
}

fn is_tensor(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<crate::values::tensor::Tensor>()
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

/// The number of a variable among those of a call.
pub fn known_variable(variables: &[Arc<Cell>], cell: &Arc<Cell>) -> Option<usize> {
    variables.iter().position(|known| Arc::ptr_eq(known, cell))
}

/// The first living object seen that equals this one, where its class says what is equal and hashes it; else the object.
fn canonical<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let class = object.get_type();
    let plain = py.get_type::<PyAny>().getattr("__eq__")?;
    if class.getattr("__eq__")?.is(&plain) || object.is_instance_of::<PyFrozenSet>() || object.hash().is_err()
    {
        return Ok(object.clone());
    }
    match PyWeakrefReference::new(object) {
        Ok(weak) => first_held_weakly(&class, object, &weak),
        Err(_) => first_held(&class, object),
    }
}

/// Equal objects of one class, which may go.
fn first_held_weakly<'py>(
    class: &Bound<'py, PyType>,
    object: &Bound<'py, PyAny>,
    weak: &Bound<'py, PyWeakrefReference>,
) -> PyResult<Bound<'py, PyAny>> {
    static KNOWN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = object.py();
    let make = || py.import("weakref")?.getattr("WeakKeyDictionary")?.call0();
    let known = KNOWN.get_or_try_init(py, || Ok::<_, PyErr>(make()?.unbind()))?.bind(py);
    let of_class = match known.call_method1("get", (class,))? {
        none if none.is_none() => known.call_method1("setdefault", (class, make()?))?,
        found => found,
    };
    let first = of_class.call_method1("setdefault", (object, weak))?.call0()?;
    Ok(if first.is_none() { object.clone() } else { first })
}

/// Equal objects of one class, to which no weak reference can be made.
fn first_held<'py>(class: &Bound<'py, PyType>, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    /// More are forgotten, and then count as new.
    const MOST: usize = 4096;
    static KNOWN: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let py = object.py();
    let known = KNOWN.get_or_init(py, || PyDict::new(py).unbind()).bind(py);
    if known.len() == MOST {
        known.clear();
    }
    known.call_method1("setdefault", ((class, object), object))
}

/// True if an object counts by what it is made of: a method or a partial function.
pub fn is_made_anew(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = object.get_type();
    Ok(callable_classes(object.py())?.iter().any(|c| class.is(c)))
}

/// The classes of methods and of partial functions.
pub fn callable_classes(py: Python<'_>) -> PyResult<&[Py<PyAny>; 2]> {
    static CLASSES: PyOnceLock<[Py<PyAny>; 2]> = PyOnceLock::new();
    CLASSES.get_or_try_init(py, || {
        let method = py.import("types")?.getattr("MethodType")?.unbind();
        Ok([method, py.import("functools")?.getattr("partial")?.unbind()])
    })
}
