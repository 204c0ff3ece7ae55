//! The parameters of a Python function, and the arguments of a call bound to them as Python binds them.

use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

/// Parameters that the arguments of a call are bound to.
#[derive(Debug)]
pub struct Parameters {
    /// The function's name.
    function: String,
    /// `inspect.Signature`, if the callable has one.
    signature: Option<Py<PyAny>>,
    /// Those that can be given by position, in order.
    positional: Vec<Parameter>,
    /// True if all can be given by position, and by name as well.
    plain: bool,
    /// The names of those that only a position can give.
    by_position_alone: Vec<Py<PyString>>,
    /// True if arguments of further names are taken.
    takes_any_name: bool,
    /// The code and the defaults that it was read from.
    made_of: Vec<Py<PyAny>>,
}

#[derive(Debug)]
struct Parameter {
    name: Py<PyString>,
    default: Option<Py<PyAny>>,
    annotation: Option<Py<PyAny>>,
}

/// The arguments of a call, bound: defaults are filled in, keywords stand where they can at their position.
pub struct Call<'py> {
    /// By position.
    pub positional: Vec<Bound<'py, PyAny>>,
    /// By name: those that have no position.
    pub keyword: Option<Bound<'py, PyDict>>,
}

/// True of a function of NumPy's, whose defaults stand for what is not given: it takes no such value in a call.
fn is_numpys(function: &Bound<'_, PyAny>) -> bool {
    let py = function.py();
    let inner = function.getattr(intern!(py, "func")).unwrap_or_else(|_| function.clone());
    let is_of = |object: &Bound<'_, PyAny>| {
        let module = object.getattr(intern!(py, "__module__")).and_then(|module| module.extract::<String>());
        module.is_ok_and(|module| module.split('.').next() == Some("numpy"))
    };
    is_of(&inner) || is_of(inner.get_type().as_any())
}

impl Parameters {
    /// Those of a callable.
    pub fn of(function: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let py = function.py();
        let name = name.to_owned();
        let made_of: Vec<_> = made_of(function)?.into_iter().map(Bound::unbind).collect();
        let signature = py.import("inspect")?.call_method1("signature", (function,));
        let Some(signature) = signature.ok().filter(|_| !is_numpys(function)) else {
            return Ok(Self {
                function: name,
                signature: None,
                positional: Vec::new(),
                plain: false,
                by_position_alone: Vec::new(),
                takes_any_name: false,
                made_of,
            });
        };
        let empty = py.import("inspect")?.getattr("Parameter")?.getattr("empty")?;
        let given = |value: Bound<'_, PyAny>| (!value.is(&empty)).then(|| value.unbind());
        let mut positional = Vec::new();
        let (mut by_position_alone, mut takes_any_name) = (Vec::new(), false);
        let mut plain = true;
        for parameter in signature.getattr("parameters")?.call_method0("values")?.try_iter()? {
            let parameter = parameter?;
            // POSITIONAL_ONLY is 0, POSITIONAL_OR_KEYWORD is 1, VAR_KEYWORD is 4.
            let kind: u8 = parameter.getattr("kind")?.extract()?;
            plain &= kind == 1;
            takes_any_name |= kind == 4;
            if kind == 0 {
                by_position_alone.push(parameter.getattr("name")?.cast_into::<PyString>()?.unbind());
            }
            if kind <= 1 {
                positional.push(Parameter {
                    name: parameter.getattr("name")?.cast_into::<PyString>()?.unbind(),
                    default: given(parameter.getattr("default")?),
                    annotation: given(parameter.getattr("annotation")?),
                });
            }
        }
        let signature = Some(signature.unbind());
        Ok(Self { function: name, signature, positional, plain, by_position_alone, takes_any_name, made_of })
    }

    /// The same of the function as it is now, if its code or its defaults are others.
    pub fn anew(&self, function: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let now = made_of(function)?;
        let same = now.len() == self.made_of.len() && now.iter().zip(&self.made_of).all(|(a, b)| a.is(b));
        if same { Ok(None) } else { Self::of(function, &self.function).map(Some) }
    }

    /// The name of the parameter at a position.
    pub fn name(&self, at: usize) -> String {
        self.positional.get(at).map_or_else(|| format!("arg{at}"), |p| p.name.to_string())
    }

    /// `inspect`'s word for how the parameter of this name is given.
    pub fn kind(&self, py: Python<'_>, name: &str, by_position: bool) -> String {
        let word = |signature: &Py<PyAny>| {
            let parameter = signature.bind(py).getattr("parameters")?.get_item(name)?;
            parameter.getattr("kind")?.getattr("name")?.extract()
        };
        let found: Option<String> = self.signature.as_ref().and_then(|signature| word(signature).ok());
        let rest = if by_position { "VAR_POSITIONAL" } else { "VAR_KEYWORD" };
        found.unwrap_or_else(|| rest.to_owned())
    }

    /// True if what stands after the colon of the parameter at a position asks for a tensor.
    pub fn wants_tensor(&self, py: Python<'_>, at: usize) -> PyResult<bool> {
        let annotation = self.positional.get(at).and_then(|p| p.annotation.as_ref());
        let Some(annotation) = annotation.map(|a| a.bind(py)) else { return Ok(false) };
        let class = py.get_type::<crate::values::tensor::Tensor>();
        Ok(annotation.is(&class) || annotation.str()?.to_string_lossy().ends_with("Tensor"))
    }

    /// True if the parameter at a position has this very default.
    pub fn is_default(&self, at: usize, value: &Bound<'_, PyAny>) -> bool {
        let default = self.positional.get(at).and_then(|p| p.default.as_ref());
        default.is_some_and(|d| d.is(value))
    }

    /// Binds the arguments of a call.
    ///
    /// # Errors
    /// Python's own `TypeError` where they do not fit.
    pub fn bind<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Call<'py>> {
        let kwargs = kwargs.filter(|k| !k.is_empty());
        if self.plain
            && args.len() <= self.positional.len()
            && let Some(positional) = self.place(args, kwargs)?
        {
            return Ok(Call { positional, keyword: None });
        }
        let Some(signature) = &self.signature else {
            return Ok(Call { positional: args.iter().collect(), keyword: kwargs.cloned() });
        };
        let further = kwargs.map(|kwargs| self.further(kwargs)).transpose()?.flatten();
        let named = further.as_ref().map_or(kwargs, |[others, _]| Some(others));
        let bound = signature.bind(args.py()).call_method("bind", args, named);
        let bound = bound.map_err(|error| self.unbound(args.py(), &error))?;
        bound.call_method0("apply_defaults")?;
        let positional = bound.getattr("args")?.cast::<PyTuple>()?.iter().collect();
        let keyword = bound.getattr("kwargs")?.cast_into::<PyDict>()?;
        if let Some([_, further]) = further {
            keyword.update(further.as_mapping())?;
        }
        Ok(Call { positional, keyword: Some(keyword).filter(|k| !k.is_empty()) })
    }

    /// The arguments by name but for those that have the names of parameters that only a position can give, and these, which go where
    /// the function takes any name: `inspect` refuses them.
    fn further<'py>(&self, kwargs: &Bound<'py, PyDict>) -> PyResult<Option<[Bound<'py, PyDict>; 2]>> {
        let py = kwargs.py();
        let is_hidden = |name: &Bound<'_, PyAny>| {
            let own = &self.by_position_alone;
            self.takes_any_name && own.iter().any(|own| own.bind(py).as_any().eq(name).unwrap_or(false))
        };
        if !kwargs.keys().iter().any(|name| is_hidden(&name)) {
            return Ok(None);
        }
        let parts = [PyDict::new(py), PyDict::new(py)];
        for (name, value) in kwargs {
            parts[usize::from(is_hidden(&name))].set_item(name, value)?;
        }
        Ok(Some(parts))
    }

    /// The error of arguments that do not fit, without what `inspect` did to find it.
    fn unbound(&self, py: Python<'_>, error: &PyErr) -> PyErr {
        PyTypeError::new_err(format!("{}() {}", self.function, error.value(py)))
    }

    /// Every parameter's value; `None` where one has none, or an argument is left over.
    fn place<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
        let py = args.py();
        let mut placed: Vec<Bound<'py, PyAny>> = args.iter().collect();
        let mut named = 0;
        for parameter in &self.positional[placed.len()..] {
            let given = match kwargs {
                Some(kwargs) => kwargs.get_item(&parameter.name)?,
                None => None,
            };
            named += usize::from(given.is_some());
            match given.or_else(|| parameter.default.as_ref().map(|d| d.bind(py).clone())) {
                Some(value) => placed.push(value),
                None => return Ok(None),
            }
        }
        Ok((kwargs.map_or(0, |k| k.len()) == named).then_some(placed))
    }
}

/// The sources of a function's parameters: its code, its defaults, and those that only a name can give.
fn made_of<'py>(function: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = function.py();
    let part = |name| function.getattr_opt(name);
    let mut parts = Vec::from_iter(part(intern!(py, "__code__"))?);
    parts.extend(part(intern!(py, "__defaults__"))?);
    if let Some(named) = part(intern!(py, "__kwdefaults__"))?
        && let Ok(named) = named.cast::<PyDict>()
    {
        parts.extend(named.iter().flat_map(|(name, value)| [name, value]));
    }
    Ok(parts)
}

/// The arguments of a call, as the interpreter gives them.
#[derive(Clone, Copy)]
pub struct Given<'a, 'py> {
    /// The object, if it is the call of a method.
    pub owner: Option<&'a Bound<'py, PyAny>>,
    /// Those by position, without the object.
    pub positional: &'a [Bound<'py, PyAny>],
    /// Those by name.
    pub keyword: Option<&'a Bound<'py, PyDict>>,
}

impl<'py> Given<'_, 'py> {
    /// Those by position, the object before them.
    pub fn all(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.owner.into_iter().chain(self.positional).collect::<Vec<_>>())
    }
}

/// The arguments of a call of a method, its object before them.
pub fn with_owner<'py>(
    owner: Option<&Bound<'py, PyAny>>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyTuple>> {
    let Some(owner) = owner else { return Ok(args.clone()) };
    PyTuple::new(args.py(), std::iter::once(owner).chain(args.as_slice()).collect::<Vec<_>>())
}
