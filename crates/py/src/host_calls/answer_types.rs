//! Types that a function of the host's promises to give, and the check that it does.

use gw_base::Code;
use gw_ir::HostType;
use gw_runtime::Buffer;
use gw_types::{DType, Kind, Number, Scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::skeleton::Skeleton;
use crate::host::{operands, structure};
use crate::host_calls::host_value::{self, HostValue, OfHost};
use crate::values::dtype::{self, PyDType};
use crate::values::spec::PyTensorSpec;
use crate::values::{array, strings};

/// Promised type of one result.
#[derive(Debug)]
struct Promise {
    dtype: DType,
    /// Lengths of the axes; `None` if not even their number is known.
    lengths: Option<Vec<Option<usize>>>,
    /// It is a number of Python's own.
    number: Option<Number>,
    /// It stays with the host, which gives an object of just this class.
    class: Option<Py<PyType>>,
}

/// Promised types of a call's results.
#[derive(Debug)]
pub struct Promises {
    name: String,
    /// `None` if nothing is given.
    skeleton: Option<Skeleton>,
    each: Vec<Promise>,
    /// True if what is given has to be of the promised types, and not only to fit them.
    is_exact: bool,
}

impl Promises {
    /// Of `Tout`, or of what an annotation says: specs, dtypes and Python's own classes in tuples, lists and dicts.
    pub fn of(name: &str, said: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = said.py();
        let mut leaves = Vec::new();
        let skeleton = if said.is_none() { None } else { Some(Skeleton::of(said, &mut leaves)?) };
        let each: Vec<_> =
            leaves.iter().map(|leaf| Promise::of(name, leaf.bind(py))).collect::<PyResult<_>>()?;
        let skeleton = skeleton.filter(|_| !each.is_empty());
        Ok(Self { name: name.to_owned(), skeleton, each, is_exact: false })
    }

    /// The same of types that were observed: an integer is no float, a list no tuple, and nothing is `None`.
    #[must_use]
    pub fn exact(self) -> Self {
        Self { is_exact: true, ..self }
    }

    /// True if it is not said of each result how many axes it has.
    pub fn lacks_ranks(&self) -> bool {
        self.each.iter().any(|promise| promise.lengths.is_none())
    }

    /// The same, with results of so many axes of any length where that is not said.
    #[must_use]
    pub fn of_ranks(mut self, ranks: &[usize]) -> Self {
        for (promise, &rank) in self.each.iter_mut().zip(ranks) {
            promise.lengths.get_or_insert_with(|| vec![None; rank]);
        }
        self
    }

    /// The types of the results in a graph; of each the number of axes has to be known.
    pub fn types(&self, py: Python<'_>) -> PyResult<Vec<HostType>> {
        let one = |promise: &Promise| match &promise.lengths {
            Some(lengths) => Ok(HostType { dtype: promise.dtype, lengths: lengths.clone() }),
            None => {
                let message =
                    format!("a graph has to know the number of axes that a result of `{}` has", self.name);
                let dtype = promise.dtype.python_name();
                let help = format!(
                    "write `gw.TensorSpec(shape, gw.{dtype})` in place of `gw.{dtype}`, with `None` for lengths \
                     that are not known: `gw.TensorSpec([], gw.{dtype})` is one number; or call the function once, \
                     and what comes back says it"
                );
                Err(errors::here(py, Code::HostCallRefused, message, &help))
            }
        };
        self.each.iter().map(one).collect()
    }

    /// Kinds of the results that are Python's own numbers.
    pub fn numbers(&self) -> impl Iterator<Item = Option<Number>> + '_ {
        self.each.iter().map(|promise| promise.number)
    }

    /// The results as an object of the promised structure.
    pub fn rebuild<'py>(&self, py: Python<'py>, results: Vec<Py<PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let Some(skeleton) = &self.skeleton else { return Ok(py.None().into_bound(py)) };
        let shown = |(result, promise): (Py<PyAny>, &Promise)| match &promise.class {
            Some(class) => {
                let value = HostValue::new(class.clone_ref(py), result);
                Ok(Bound::new(py, value)?.into_any().unbind())
            }
            None => Ok(result),
        };
        let results = results.into_iter().zip(&self.each).map(shown).collect::<PyResult<Vec<_>>>()?;
        skeleton.rebuild(py, &mut results.into_iter())
    }

    /// True if a result is an array of strings.
    pub fn has_texts(&self) -> bool {
        let is_array = |promise: &Promise| promise.lengths.as_ref().is_none_or(|lengths| !lengths.is_empty());
        self.each.iter().any(|promise| promise.dtype == DType::Str && is_array(promise))
    }

    /// Results that nobody looks at, of the promised types, none of which is an array of strings.
    pub fn nothing_given(&self) -> Vec<Buffer> {
        let one = |promise: &Promise| {
            let lengths = promise.lengths.iter().flatten().map(|length| length.unwrap_or(1));
            let lengths: Vec<_> = lengths.collect();
            if promise.dtype == DType::Str {
                return strings::of_text(b"");
            }
            Buffer::with_writer(promise.dtype, &lengths, |bytes| bytes.fill(0))
        };
        self.each.iter().map(one).collect()
    }

    /// Takes the returned values, if they are as promised.
    pub fn take(&self, returned: &Bound<'_, PyAny>) -> PyResult<Vec<Buffer>> {
        let given = self.given(returned)?;
        given.iter().zip(&self.each).map(|(given, promise)| self.one(given, promise)).collect()
    }

    /// The same as tensors; one that is a tensor already stays it.
    pub fn tensors<'py>(&self, returned: &Bound<'py, PyAny>) -> PyResult<Vec<Py<PyAny>>> {
        let py = returned.py();
        let tensor = |(given, promise): (&Bound<'py, PyAny>, &Promise)| {
            let buffer = self.one(given, promise)?;
            let is_one = given.is_instance_of::<crate::values::tensor::Tensor>();
            Ok(if is_one { given.clone() } else { operands::tensor(py, Operand::Tensor(buffer))? }.unbind())
        };
        self.given(returned)?.iter().zip(&self.each).map(tensor).collect()
    }

    /// True if nothing is promised.
    pub fn is_empty(&self) -> bool {
        self.each.is_empty()
    }

    /// Returned values, taken apart as promised.
    fn given<'py>(&self, returned: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let Some(skeleton) = &self.skeleton else { return self.nothing(returned) };
        let mut parts = Vec::with_capacity(self.each.len());
        if self.parts(skeleton, returned, &mut parts)? {
            return Ok(parts);
        }
        // TensorFlow takes a single result for a list of one.
        match (skeleton, &self.each[..]) {
            (Skeleton::Node(_, one), [_]) if !self.is_exact && matches!(one[..], [Skeleton::Leaf]) => {
                Ok(vec![returned.clone()])
            }
            _ => Err(self.miscounted(returned)),
        }
    }

    /// No parts, where nothing is promised.
    fn nothing<'py>(&self, returned: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if self.is_exact && !returned.is_none() {
            let kind = returned.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "`{}` gives a `{kind}` where it promises `None`",
                self.name
            )));
        }
        Ok(Vec::new())
    }

    /// True if an object has a structure; its parts are appended.
    fn parts<'py>(
        &self,
        skeleton: &Skeleton,
        object: &Bound<'py, PyAny>,
        parts: &mut Vec<Bound<'py, PyAny>>,
    ) -> PyResult<bool> {
        let Skeleton::Node(kind, wanted) = skeleton else {
            parts.push(object.clone());
            return Ok(true);
        };
        let Some((found, items)) = structure::open(object)? else { return Ok(false) };
        if items.len() != wanted.len()
            || !(!self.is_exact && kind.is_sequence() && found.is_sequence()
                || kind.same(&found, object.py()))
        {
            return Ok(false);
        }
        for (wanted, item) in wanted.iter().zip(&items) {
            if !self.parts(wanted, item, parts)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn miscounted(&self, returned: &Bound<'_, PyAny>) -> PyErr {
        let results = |count: usize| format!("{count} result{}", if count == 1 { "" } else { "s" });
        let wanted = self.each.len();
        let text = match structure::open(returned) {
            Ok(Some((_, items))) if items.len() == wanted => {
                "its results in another structure than".to_owned()
            }
            Ok(Some((_, items))) => format!("{} where", results(items.len())),
            Ok(None) | Err(_) => {
                let kind =
                    returned.get_type().name().map_or_else(|_| "object".to_owned(), |kind| kind.to_string());
                format!("a `{kind}` where")
            }
        };
        PyValueError::new_err(format!("`{}` gives {text} it promises {}", self.name, results(wanted)))
    }

    fn one(&self, given: &Bound<'_, PyAny>, promise: &Promise) -> PyResult<Buffer> {
        if let Some(class) = &promise.class {
            return self.of_host(given, class);
        }
        if let Some(number) = array::number(given)? {
            return self.number(given, number, promise);
        }
        let found = match operands::plain_operand(given)? {
            Some(Operand::Tensor(buffer)) => buffer,
            Some(Operand::Number(_) | Operand::Staged(..)) | None => self.other(given, promise)?,
        };
        let is_kind = |number: Number| number.kind() == found.dtype().kind() && found.lengths().is_empty();
        if promise.number.is_some_and(is_kind) && !self.is_exact {
            return Ok(operands::convert(&found, promise.dtype));
        }
        if found.dtype() != promise.dtype || self.is_exact && promise.number.is_some() {
            let found = promise_text(found.dtype(), Some(&known(&found)));
            return Err(PyTypeError::new_err(self.differs(&found, promise)));
        }
        if !promise.takes(found.lengths()) {
            let found = promise_text(found.dtype(), Some(&known(&found)));
            return Err(PyValueError::new_err(self.differs(&found, promise)));
        }
        Ok(found)
    }

    /// A number of Python's own, which takes the promised type if that holds it.
    fn number(&self, given: &Bound<'_, PyAny>, number: Scalar, promise: &Promise) -> PyResult<Buffer> {
        let found =
            || given.get_type().name().map_or_else(|_| String::new(), |kind| format!("a Python `{kind}`"));
        let fits = match (promise.dtype.kind(), number) {
            (Kind::Float, Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_)) => true,
            (Kind::Complex, Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_) | Scalar::Complex(..)) => {
                true
            }
            (Kind::Int, Scalar::Bool(_) | Scalar::Int(_)) => true,
            (Kind::Bool, Scalar::Bool(_)) => true,
            (Kind::Bool | Kind::Int | Kind::Float | Kind::Complex | Kind::Text, _) => false,
        };
        if !fits || self.is_exact && promise.number.is_none_or(|promised| promised.kind() != number.kind()) {
            return Err(PyTypeError::new_err(self.differs(&found(), promise)));
        }
        let is_too_great = promise.dtype.is_int() && !promise.dtype.holds(number.to_i64().into());
        if is_too_great || !promise.takes(&[]) {
            return Err(PyValueError::new_err(self.differs(&found(), promise)));
        }
        Ok(Buffer::scalar(promise.dtype, number))
    }

    /// The number of an object that stays with the host.
    fn of_host(&self, given: &Bound<'_, PyAny>, class: &Py<PyType>) -> PyResult<Buffer> {
        if !given.get_type().is(class) {
            let (found, promised) = (given.get_type().name()?, class.bind(given.py()).name()?);
            let message = format!("`{}` gives a `{found}` where it promises a `{promised}`", self.name);
            return Err(PyTypeError::new_err(message));
        }
        Ok(Buffer::scalar(DType::I64, Scalar::Int(host_value::keep(given.clone().unbind())?)))
    }

    /// Strings, and nested lists.
    fn other(&self, given: &Bound<'_, PyAny>, promise: &Promise) -> PyResult<Buffer> {
        if let Some(text) = strings::from_python(given)? {
            return Ok(text);
        }
        let is_list = given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>();
        if is_list && promise.dtype.is_number() && !has_tensor(given)? {
            return self.numbers_in(given, promise);
        }
        if is_list && let Operand::Tensor(buffer) = operands::operand(given)? {
            return Ok(buffer);
        }
        let kind = given.get_type().name()?;
        Err(PyTypeError::new_err(self.differs(&format!("a `{kind}`"), promise)))
    }

    /// Nested lists of Python's own numbers, which take the promised type if that holds them.
    fn numbers_in(&self, given: &Bound<'_, PyAny>, promise: &Promise) -> PyResult<Buffer> {
        let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
        let Some(found) = array::from_numpy(&array)? else { return Err(operands::not_a_tensor(given)) };
        let widens = match (promise.dtype.kind(), found.dtype().kind()) {
            (Kind::Float, Kind::Float | Kind::Int | Kind::Bool) => true,
            (Kind::Complex, Kind::Complex | Kind::Float | Kind::Int | Kind::Bool) => true,
            (Kind::Int, Kind::Int) => found.scalars().all(|n| promise.dtype.holds(n.to_i64().into())),
            (Kind::Int | Kind::Float | Kind::Complex | Kind::Bool | Kind::Text, _) => {
                found.lengths().contains(&0)
            }
        };
        Ok(if widens { operands::convert(&found, promise.dtype) } else { found })
    }

    fn differs(&self, found: &str, promise: &Promise) -> String {
        let promised = match promise.number {
            Some(number) => number.text().to_owned(),
            None => promise_text(promise.dtype, promise.lengths.as_deref()),
        };
        format!("`{}` gives {found} where it promises {promised}", self.name)
    }
}

impl Promise {
    fn of(name: &str, said: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = said.py();
        let of_python = |number: Number| Self {
            dtype: number.own_dtype(),
            lengths: Some(Vec::new()),
            number: Some(number),
            class: None,
        };
        if let Ok(of_host) = said.cast::<OfHost>() {
            let class = Some(of_host.get().class.clone_ref(py));
            return Ok(Self { dtype: DType::I64, lengths: Some(Vec::new()), number: None, class });
        }
        if let Ok(spec) = said.cast::<PyTensorSpec>() {
            let spec = spec.get();
            let lengths = (!spec.unranked).then(|| spec.lengths.clone());
            return Ok(Self { dtype: spec.element, lengths, number: None, class: None });
        }
        if said.is(py.get_type::<PyFloat>()) {
            return Ok(of_python(Number::Float));
        }
        if said.is(py.get_type::<PyComplex>()) {
            return Ok(of_python(Number::Complex));
        }
        if said.is(py.get_type::<PyInt>()) {
            return Ok(of_python(Number::Int));
        }
        if said.is(py.get_type::<PyBool>()) {
            return Ok(of_python(Number::Bool));
        }
        if said.is(py.get_type::<PyString>()) {
            return Ok(Self { dtype: DType::Str, lengths: Some(Vec::new()), number: None, class: None });
        }
        if !is_dtype(said)? {
            let shown = said.repr().map_or_else(|_| "an object".to_owned(), |repr| format!("`{repr}`"));
            let message = format!("{shown} does not say what `{name}` gives");
            let help = "a result is a `gw.TensorSpec`, a dtype, `float`, `int`, `bool`, `str`, or a tuple, list or dict \
                        of these; `None` is no result";
            return Err(errors::here(py, Code::HostCallRefused, message, help));
        }
        let dtype = dtype::parse(said)?;
        Ok(Self { dtype, lengths: None, number: None, class: None })
    }

    fn takes(&self, found: &[usize]) -> bool {
        self.lengths.as_ref().is_none_or(|wanted| {
            let axis =
                |(wanted, found): (&Option<usize>, &usize)| wanted.is_none_or(|wanted| wanted == *found);
            wanted.len() == found.len() && wanted.iter().zip(found).all(axis)
        })
    }
}

/// The type of what was given, with any lengths, as `Tout` says it; none if a graph does not hold it.
pub fn said<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = given.py();
    let mut leaves = Vec::new();
    if given.is_none() {
        return Ok(Some(given.clone()));
    }
    let skeleton = Skeleton::of(given, &mut leaves)?;
    let mut types = Vec::with_capacity(leaves.len());
    for leaf in leaves {
        let Some(said) = said_of(leaf.bind(py))? else { return Ok(None) };
        types.push(said.unbind());
    }
    if types.is_empty() { Ok(None) } else { skeleton.rebuild(py, &mut types.into_iter()).map(Some) }
}

/// The parts of what was given that stay with the host.
pub fn host_values<'py>(given: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut leaves = Vec::new();
    Skeleton::of(given, &mut leaves)?;
    let mut values = Vec::new();
    for leaf in leaves {
        let leaf = leaf.into_bound(given.py());
        if is_value(leaf.get_type().as_any())? {
            values.push(leaf);
        }
    }
    Ok(values)
}

fn said_of<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = given.get_type().into_any();
    let is_fraction = given.is_exact_instance_of::<PyFloat>() || given.is_exact_instance_of::<PyComplex>();
    if given.is_instance_of::<PyBool>() || is_fraction {
        return Ok(Some(class));
    }
    if given.is_exact_instance_of::<PyInt>() {
        return Ok(given.extract::<i64>().is_ok().then_some(class));
    }
    if is_value(&class)? {
        let class = given.get_type().unbind();
        return Ok(Some(Bound::new(given.py(), OfHost { class })?.into_any()));
    }
    if given.is_none() || given.is_instance_of::<PyString>() {
        return Ok(None);
    }
    let Some(Operand::Tensor(buffer)) = operands::plain_operand(given)? else { return Ok(None) };
    let spec = PyTensorSpec::of_buffer(&buffer).of_rank(buffer.lengths().len());
    Ok(Some(Bound::new(given.py(), spec)?.into_any()))
}

/// True if objects of a class are values: nobody changes them, and nothing happens when they go.
fn is_value(class: &Bound<'_, PyAny>) -> PyResult<bool> {
    class.py().import("graphwright._meanings.pure")?.getattr("VALUES")?.contains(class)
}

/// True if an object is a dtype of ours, its name, or one of NumPy's; NumPy itself takes any class for one.
fn is_dtype(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyDType>() || object.is_instance_of::<PyString>() {
        return Ok(true);
    }
    let numpy = object.py().import("numpy")?;
    if object.is_instance(&numpy.getattr("dtype")?)? {
        return Ok(true);
    }
    object.cast::<PyType>().map_or(Ok(false), |class| class.is_subclass(&numpy.getattr("generic")?))
}

/// True if a tensor is somewhere in nested lists.
fn has_tensor(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !(object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>()) {
        return Ok(object.is_instance_of::<crate::values::tensor::Tensor>());
    }
    for item in object.try_iter()? {
        if has_tensor(&item?)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn known(buffer: &Buffer) -> Vec<Option<usize>> {
    buffer.lengths().iter().map(|&n| Some(n)).collect()
}

fn promise_text(dtype: DType, lengths: Option<&[Option<usize>]>) -> String {
    let dtype = dtype.python_name();
    match lengths {
        Some(lengths) => format!("{dtype} of shape {}", crate::values::shapes::plain_shape(lengths)),
        None => dtype.to_owned(),
    }
}
