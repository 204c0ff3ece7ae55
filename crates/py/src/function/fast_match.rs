//! Comparison of the arguments of a call with a graph's trace type: no trace type is made.
//!
//! Tensors, NumPy arrays, numbers, strings, variables, plain lists, tuples, dicts and dataclasses of them, functions, and
//! objects that count by identity are compared. A trace type with anything else in it has no pattern, and arguments that
//! are spelled in another way (a NumPy scalar for a tensor) do not match: then `key` decides.

use gw_types::{DType, Number};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyInt, PyList, PyString, PyTuple, PyType};

use crate::dependencies::guards::is_same;
use crate::function::held::Held;
use crate::function::own_type::TraceType;
use crate::function::parameters::{Call, Parameters};
use crate::function::trace_type::{Inputs, Part, is_made_anew, known_variable};
use crate::host::lent;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::host::structure::{self, Kind};
use crate::values::array;
use crate::values::semantics::Argument;
use crate::values::spec::PyTensorSpec;
use crate::values::tensor::{Payload, Tensor};
use crate::values::variable::Variable;

/// Pattern of the arguments of a graph's calls.
#[derive(Debug)]
pub struct Pattern {
    wanted: Vec<Wanted>,
    /// So many arguments have to be given; those that may follow are numbers and strings that have these defaults.
    least: usize,
    /// The number of tensors among them, unless they are omitted.
    tensors: usize,
}

/// Requirement on one value.
#[derive(Debug)]
enum Wanted {
    Tensor(DType, Box<[Option<usize>]>),
    /// A number, a string or `None`: counts by type and value.
    Literal(Py<PyAny>),
    /// A Python number that the graph takes.
    Number(Number),
    /// The variable of this number among those of the call.
    Variable(DType, Box<[Option<usize>]>, usize),
    /// This very object.
    Object(Held),
    List(Vec<Wanted>),
    Tuple(Vec<Wanted>),
    /// In the order of the walk, with the positions of the keys in the order of insertion.
    Dict(Vec<(Py<PyAny>, Wanted)>, Vec<usize>),
    /// An object of this class that has these attributes and no others.
    Fields(Py<PyType>, Vec<(Py<PyString>, Wanted)>),
    /// This very function, as long as what it was made with is the same.
    Function(Held, Made),
}

/// Parts that a function is made of, but for numbers, strings and objects that its closure holds, which are
/// compared one by one.
#[derive(Debug)]
struct Made {
    code: Py<PyAny>,
    held: Vec<Wanted>,
}

/// The arguments of a call by position, the object of a method first.
#[derive(Clone, Copy)]
pub struct Positional<'a, 'py> {
    /// The object, if it is the call of a method.
    pub owner: Option<&'a Bound<'py, PyAny>>,
    /// The arguments.
    pub arguments: &'a [Bound<'py, PyAny>],
}

impl Pattern {
    /// That of the call that a graph is made for, whose trace type is `parts`; an input signature speaks of the arguments
    /// that `is_signed`; the graph takes the Python numbers at the positions `numbers`. `None` if there is more in it than can be compared.
    pub fn of(
        call: &Call<'_>,
        parts: &[Part],
        parameters: &Parameters,
        numbers: &[usize],
        is_signed: impl Fn(usize) -> bool,
    ) -> PyResult<Option<Self>> {
        if call.keyword.is_some() {
            return Ok(None);
        }
        let types: Vec<_> = parts.iter().filter_map(Part::as_tensor).collect();
        let variables: Vec<_> = parts.iter().filter_map(Part::as_variable).collect();
        let tensors = types.len() + numbers.len();
        let mut reading = Reading { types: types.into_iter(), variables: variables.into_iter() };
        let mut wanted = Vec::with_capacity(call.positional.len());
        let mut least = 0;
        for (at, object) in call.positional.iter().enumerate() {
            let found = match () {
                () if is_signed(at) => reading.signed(object)?,
                () if numbers.contains(&at) => {
                    array::number(object)?.and_then(Number::of).map(Wanted::Number)
                }
                () => reading.wanted(object)?,
            };
            let Some(found) = found else { return Ok(None) };
            let omitted = parameters.is_default(at, object) && matches!(found, Wanted::Literal(_));
            least = if omitted { least } else { at + 1 };
            wanted.push(found);
        }
        let all = reading.types.next().is_none() && reading.variables.next().is_none();
        Ok(all.then_some(Self { wanted, least, tensors }))
    }

    /// The tensors and variables among the arguments of a call, if they match, with room for `more` tensors.
    pub fn take(&self, given: Positional<'_, '_>, more: usize) -> Option<Inputs> {
        let count = given.arguments.len() + usize::from(given.owner.is_some());
        if count < self.least || count > self.wanted.len() {
            return None;
        }
        let mut into = Inputs { buffers: Vec::with_capacity(self.tensors + more), ..Inputs::default() };
        let mut all = given.owner.into_iter().chain(given.arguments).zip(&self.wanted);
        all.all(|(object, wanted)| wanted.take(object, &mut into)).then_some(into)
    }

    /// Visits the objects that it keeps alive, for the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.wanted.iter().try_for_each(|wanted| wanted.visit(visit))
    }
}

/// A trace type as it is read beside the arguments that it was made of.
struct Reading<'a> {
    types: std::vec::IntoIter<(DType, &'a [Option<usize>])>,
    variables: std::vec::IntoIter<(DType, &'a [Option<usize>], usize)>,
}

impl Reading<'_> {
    fn tensor(&mut self) -> Option<Wanted> {
        self.types.next().map(|(dtype, lengths)| Wanted::Tensor(dtype, lengths.into()))
    }

    /// Of an argument for which the input signature has a `TensorSpec`.
    fn signed(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Option<Wanted>> {
        Ok(if structure::open(object)?.is_some() { None } else { self.tensor() })
    }

    fn wanted(&mut self, object: &Bound<'_, PyAny>) -> PyResult<Option<Wanted>> {
        if object.is_instance_of::<Variable>() {
            let next = self.variables.next();
            return Ok(next.map(|(dtype, lengths, n)| Wanted::Variable(dtype, lengths.into(), n)));
        }
        match operands::plain_operand(object)? {
            Some(Operand::Tensor(_)) => return Ok(self.tensor()),
            Some(Operand::Number(_)) => return Ok(Some(Wanted::Literal(object.clone().unbind()))),
            Some(Operand::Staged(..)) => return Ok(None),
            None => {}
        }
        if object.is_instance_of::<PyTensorSpec>() {
            return Ok(self.tensor());
        }
        if object.is_none() || object.is_exact_instance_of::<PyString>() {
            return Ok(Some(Wanted::Literal(object.clone().unbind())));
        }
        if let Some((kind, items)) = structure::open(object)? {
            return self.structure(object.py(), &kind, &items);
        }
        if let Ok(function) = object.cast::<PyFunction>() {
            let made = Made::of(function)?;
            return Ok(made.map(|made| Wanted::Function(Held::of(object), made)));
        }
        let compared =
            object.is_instance_of::<PyString>() || TraceType::of(object)?.is_some() || is_made_anew(object)?;
        Ok((!compared).then(|| Wanted::Object(Held::of(object))))
    }

    fn structure(
        &mut self,
        py: Python<'_>,
        kind: &Kind,
        items: &[Bound<'_, PyAny>],
    ) -> PyResult<Option<Wanted>> {
        let plain = match kind {
            Kind::Tuple(class) => class.is_none(),
            Kind::List | Kind::Fields(..) => true,
            Kind::Mapping(mapping) => mapping.class().is_none(),
            Kind::Optional | Kind::Table(_) | Kind::OfHost(_) | Kind::Member(_) => false,
        };
        if !plain {
            return Ok(None);
        }
        let items = items.iter().map(|item| self.wanted(item)).collect::<PyResult<Option<Vec<_>>>>()?;
        let Some(items) = items else { return Ok(None) };
        Ok(match kind {
            Kind::Tuple(_) => Some(Wanted::Tuple(items)),
            Kind::List => Some(Wanted::List(items)),
            Kind::Mapping(mapping) => {
                let keys = mapping.keys().iter().map(|key| key.clone_ref(py));
                let order = mapping.order().to_vec();
                is_sorted(py, mapping.keys()).then(|| Wanted::Dict(keys.zip(items).collect(), order))
            }
            Kind::Fields(class, names) => {
                let names = names.iter().map(|name| name.clone_ref(py));
                Some(Wanted::Fields(class.clone_ref(py), names.zip(items).collect()))
            }
            Kind::Optional | Kind::Table(_) | Kind::OfHost(_) | Kind::Member(_) => None,
        })
    }
}

impl Made {
    /// `None` where there are defaults, or where the closure holds functions or what is called like them, which hold values of
    /// their own.
    fn of(function: &Bound<'_, PyFunction>) -> PyResult<Option<Self>> {
        let Some(held) = closure(function)? else { return Ok(None) };
        if has_defaults(function)? || held.iter().any(|value| value.is_callable()) {
            return Ok(None);
        }
        let code = function.getattr(intern!(function.py(), "__code__"))?.unbind();
        let is_literal = |value: &Bound<'_, PyAny>| {
            value.is_none() || value.is_instance_of::<PyString>() || array::narrow_number(value).is_some()
        };
        let wanted = |value: Bound<'_, PyAny>| match is_literal(&value) {
            true => Wanted::Literal(value.unbind()),
            false => Wanted::Object(Held::of(&value)),
        };
        Ok(Some(Self { code, held: held.into_iter().map(wanted).collect() }))
    }

    fn is_still(&self, function: &Bound<'_, PyFunction>) -> PyResult<bool> {
        let Some(held) = closure(function)? else { return Ok(false) };
        let same_code = function.getattr(intern!(function.py(), "__code__"))?.is(&self.code);
        let mut none = Inputs::default();
        let same = |(now, was): (&Bound<'_, PyAny>, &Wanted)| was.take(now, &mut none);
        let same_values = held.len() == self.held.len() && held.iter().zip(&self.held).all(same);
        Ok(same_code && same_values && !has_defaults(function)?)
    }
}

fn has_defaults(function: &Bound<'_, PyFunction>) -> PyResult<bool> {
    let py = function.py();
    let given = |name| Ok::<_, PyErr>(!function.getattr(name)?.is_none());
    Ok(given(intern!(py, "__defaults__"))? || given(intern!(py, "__kwdefaults__"))?)
}

/// Contents of a function's cells; `None` where one is empty.
fn closure<'py>(function: &Bound<'py, PyFunction>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let py = function.py();
    let cells = function.getattr(intern!(py, "__closure__"))?;
    let Ok(cells) = cells.cast::<PyTuple>() else { return Ok(Some(Vec::new())) };
    cells.iter().map(|cell| cell.getattr_opt(intern!(py, "cell_contents")).ok().flatten()).map(Ok).collect()
}

/// True if an object has these attributes and no others, each as it is wanted.
fn take_fields(
    object: &Bound<'_, PyAny>,
    wanted: &[(Py<PyString>, Wanted)],
    into: &mut Inputs,
) -> Option<()> {
    let attributes = object.getattr(intern!(object.py(), "__dict__")).ok()?;
    let attributes = attributes.cast_exact::<PyDict>().ok()?;
    let mut take = |(name, wanted): &(Py<PyString>, Wanted)| matches!(attributes.get_item(name), Ok(Some(item)) if wanted.take(&item, into));
    (attributes.len() == wanted.len() && wanted.iter().all(&mut take)).then_some(())
}

/// True if the walk sorts these keys of a dict: then any dict that has them is walked in this order.
fn is_sorted(py: Python<'_>, keys: &[Py<PyAny>]) -> bool {
    keys.iter().all(|key| key.bind(py).is_exact_instance_of::<PyString>())
        || keys.iter().all(|key| key.bind(py).is_exact_instance_of::<PyInt>())
}

impl Wanted {
    fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self {
            Wanted::Object(held) => held.visit(visit),
            Wanted::List(items) | Wanted::Tuple(items) => items.iter().try_for_each(|item| item.visit(visit)),
            Wanted::Dict(items, _) => items.iter().try_for_each(|(_, item)| item.visit(visit)),
            Wanted::Fields(class, items) => {
                visit.call(class)?;
                items.iter().try_for_each(|(_, item)| item.visit(visit))
            }
            Wanted::Function(function, made) => {
                function.visit(visit)?;
                visit.call(&made.code)?;
                made.held.iter().try_for_each(|held| held.visit(visit))
            }
            Wanted::Tensor(..) | Wanted::Literal(_) | Wanted::Number(_) | Wanted::Variable(..) => Ok(()),
        }
    }

    /// Adds the tensors and variables in an object, if it is what is wanted.
    fn take(&self, object: &Bound<'_, PyAny>, into: &mut Inputs) -> bool {
        match self {
            Wanted::Tensor(dtype, lengths) => take_tensor(object, *dtype, lengths, into),
            Wanted::Literal(value) => is_same(value.bind(object.py()), object),
            Wanted::Number(kind) => into.take_number(object, *kind),
            Wanted::Variable(dtype, lengths, number) => take_variable(object, *dtype, lengths, *number, into),
            Wanted::Object(held) => held.is(object),
            Wanted::List(items) => object.cast_exact::<PyList>().is_ok_and(|list| {
                list.len() == items.len()
                    && items.iter().zip(list).all(|(wanted, item)| wanted.take(&item, into))
            }),
            Wanted::Tuple(items) => object.cast_exact::<PyTuple>().is_ok_and(|tuple| {
                let found = tuple.as_slice();
                found.len() == items.len()
                    && items.iter().zip(found).all(|(wanted, item)| wanted.take(item, into))
            }),
            Wanted::Dict(items, order) => {
                object.cast_exact::<PyDict>().is_ok_and(|dict| take_dict(dict, items, order, into))
            }
            Wanted::Fields(class, items) => {
                object.get_type().is(class) && take_fields(object, items, into).is_some()
            }
            Wanted::Function(function, made) => {
                let own = object.cast::<PyFunction>();
                function.is(object) && own.is_ok_and(|own| made.is_still(own).unwrap_or(false))
            }
        }
    }
}

/// The items of a dict, if its keys are these and were inserted in this order.
fn take_dict(
    dict: &Bound<'_, PyDict>,
    items: &[(Py<PyAny>, Wanted)],
    order: &[usize],
    into: &mut Inputs,
) -> bool {
    let is_key = |found: &Bound<'_, PyAny>, key: &Py<PyAny>| found.is(key) || found.eq(key).unwrap_or(false);
    if dict.len() != items.len() {
        return false;
    }
    if order.is_sorted() {
        let mut wanted = items.iter();
        return dict.iter().all(|(found, item)| {
            wanted.next().is_some_and(|(key, wanted)| is_key(&found, key) && wanted.take(&item, into))
        });
    }
    dict.iter().zip(order).all(|((found, _), &at)| is_key(&found, &items[at].0))
        && items
            .iter()
            .all(|(key, wanted)| matches!(dict.get_item(key), Ok(Some(item)) if wanted.take(&item, into)))
}

fn take_tensor(object: &Bound<'_, PyAny>, dtype: DType, wanted: &[Option<usize>], into: &mut Inputs) -> bool {
    let fits = |lengths: &[usize]| {
        wanted.len() == lengths.len() && wanted.iter().zip(lengths).all(|(w, f)| w.is_none_or(|w| w == *f))
    };
    let tensor = object.cast_exact::<Tensor>();
    let is_tensor = tensor.is_ok();
    let buffer = match tensor {
        Ok(tensor) => match tensor.get().content() {
            Payload::Eager(buffer) => Some(buffer).filter(|b| b.dtype() == dtype && fits(b.lengths())),
            Payload::Staged(..) => None,
        },
        Err(_) => lent::of_type(object, dtype, fits),
    };
    let Some(buffer) = buffer else { return false };
    into.arrays.push(if is_tensor { Argument::Tensor } else { Argument::Array });
    into.buffers.push(buffer);
    true
}

fn take_variable(
    object: &Bound<'_, PyAny>,
    dtype: DType,
    lengths: &[Option<usize>],
    number: usize,
    into: &mut Inputs,
) -> bool {
    let Ok(variable) = object.cast::<Variable>() else { return false };
    let cell = &variable.get().cell;
    if cell.dtype != dtype || !cell.is_of(lengths) {
        return false;
    }
    let known = known_variable(&into.variables, cell);
    if known.is_none() {
        into.variables.push(cell.clone());
    }
    known.unwrap_or(into.variables.len() - 1) == number
}
