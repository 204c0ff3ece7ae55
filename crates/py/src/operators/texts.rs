//! What an assertion or `print` says when the graph runs: the tensors in its text have their values only then.

use gw_base::Code;
use gw_ir::Piece;
use pyo3::exceptions::{PyAttributeError, PyBaseException, PyKeyError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::host_value::{self, HostValue};
use crate::operand::Operand;
use crate::operators::{Operators, staged_value};
use crate::print::Text;
use crate::served::shown::{Field, Shown};
use crate::{errors, session};

/// The parts of an f-string with a tensor of the graph among them.
#[pyclass(frozen, name = "text", module = "graphwright")]
#[derive(Debug)]
pub struct Message {
    parts: Py<PyTuple>,
}

impl Message {
    /// A text of these parts; what waits for the graph itself is there with its own parts.
    pub fn new(parts: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let py = parts.py();
        let mut all = Vec::new();
        for part in parts.iter() {
            match (part.cast::<Message>(), of_exception(&part)?) {
                (Ok(message), _) => all.extend(message.get().parts(py).iter()),
                (Err(_), Some(parts)) => all.extend(Self::new(&PyTuple::new(py, parts)?)?.parts(py).iter()),
                (Err(_), None) => all.push(part),
            }
        }
        Ok(Self { parts: PyTuple::new(py, all)?.unbind() })
    }

    /// The parts, in order.
    pub fn parts<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.parts.bind(py).clone()
    }
}

/// The parts of the text of an exception, if it has to wait for the graph.
pub fn of_exception<'py>(error: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let py = error.py();
    if !error.is_instance_of::<PyBaseException>() {
        return Ok(None);
    }
    let args = error.getattr("args")?.cast_into::<PyTuple>()?;
    let waits = |arg: &Bound<'py, PyAny>| {
        Ok(arg.is_instance_of::<Message>() || host_value::is_in(arg) || staged_value(arg)?.is_some())
    };
    let any = args.iter().map(|arg| waits(&arg)).collect::<PyResult<Vec<bool>>>()?.contains(&true);
    let own = error.get_type().getattr("__str__")?;
    let is = |class: Bound<'py, PyType>| Ok::<_, PyErr>(own.is(&class.getattr("__str__")?));
    if !any {
        return Ok(None);
    }
    let one = args.len() == 1;
    if is(py.get_type::<PyBaseException>())? {
        return Ok(Some(vec![if one { args.get_item(0)? } else { args.into_any() }]));
    }
    let plain = |text: &Bound<'py, PyAny>| {
        text.str().is_ok_and(|t| !t.to_string_lossy().contains(['\'', '\\', '\n']))
    };
    if !is(py.get_type::<PyKeyError>())? || !one {
        return Ok(None);
    }
    let arg = args.get_item(0)?;
    Ok(match arg.cast::<Message>() {
        Err(_) if host_value::is_in(&arg) => Some(vec![arg.call_method0("_repr")?]),
        Err(_) => Some(vec![arg]),
        Ok(message) => {
            let parts: Vec<_> = message.get().parts(py).iter().collect();
            let texts = parts.iter().filter(|part| part.is_instance_of::<PyString>());
            let quote = "'".into_pyobject(py)?.into_any();
            texts.clone().all(plain).then(|| [vec![quote.clone()], parts.clone(), vec![quote]].concat())
        }
    })
}

/// `str` while a graph is built.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct StagedStr;

#[pymethods]
impl StagedStr {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let (Ok(error), None) = (args.get_item(0), kwargs)
            && let Some(parts) = of_exception(&error)?
        {
            // The text of an exception that holds a text is that text.
            return match &parts[..] {
                [one] if host_value::is_text(one) => Ok(one.clone()),
                parts => Ok(Bound::new(py, Message::new(&PyTuple::new(py, parts)?)?)?.into_any()),
            };
        }
        let tracing = session::current().filter(|tracing| tracing.host_side().observed().is_some());
        if let (Some(_), Ok(value), 1, None) = (tracing, args.get_item(0), args.len(), kwargs)
            && (host_value::is_in(&value) || staged_value(&value)?.is_some())
        {
            let field = Field { value: value.unbind(), shown: Shown::new(Some('s'), None) };
            let message = Message::new(&PyTuple::new(py, [Bound::new(py, field)?])?)?;
            return py.get_type::<HostValue>().call_method1("_of_text", (Bound::new(py, message)?,));
        }
        py.get_type::<PyString>().call(args, kwargs)
    }
}

/// What to call in place of `function`, if that is `str` and a graph is being built.
pub fn staged<'py>(function: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = function.py();
    if !session::is_tracing() || !function.is(py.get_type::<PyString>()) {
        return Ok(None);
    }
    Ok(Some(Bound::new(py, StagedStr)?.into_any()))
}

/// What is said of whatever is asked of a text that is not there yet.
fn unknown<T>(py: Python<'_>) -> PyResult<T> {
    let message = "the text of this exception shows a tensor of the graph, which has no value yet";
    let help = "give the exception the tensor itself, as an argument of its own, and use that";
    Err(errors::here(py, Code::TensorAsText, message, help))
}

#[pymethods]
impl Message {
    fn __richcmp__(&self, py: Python<'_>, _other: &Bound<'_, PyAny>, _how: CompareOp) -> PyResult<bool> {
        unknown(py)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        unknown(py)
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        unknown(py)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        unknown(py)
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        unknown(py)
    }

    fn __getitem__(&self, py: Python<'_>, _at: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        unknown(py)
    }

    fn __contains__(&self, py: Python<'_>, _other: &Bound<'_, PyAny>) -> PyResult<bool> {
        unknown(py)
    }

    fn __mul__(&self, py: Python<'_>, _times: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        unknown(py)
    }

    fn __rmul__(&self, py: Python<'_>, _times: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        unknown(py)
    }

    fn __mod__(&self, py: Python<'_>, _shown: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        unknown(py)
    }

    fn __int__(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        unknown(py)
    }

    fn __float__(&self, py: Python<'_>) -> PyResult<f64> {
        unknown(py)
    }

    /// The methods of a text; for any other attribute Python looks itself.
    fn __getattr__(&self, name: &Bound<'_, PyString>) -> PyResult<Py<PyAny>> {
        let (py, own) = (name.py(), !name.to_string_lossy().starts_with("__"));
        if own && py.get_type::<PyString>().hasattr(name)? {
            return unknown(py);
        }
        Err(PyAttributeError::new_err(format!("'str' object has no attribute '{name}'")))
    }

    /// Two texts, one behind the other.
    fn __add__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        joined(slf.as_any(), other)
    }

    fn __radd__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        joined(other, slf.as_any())
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let mut parts = self.parts.bind(py).iter();
        parts.try_fold(String::new(), |text, part| Ok(text + &part.str()?.to_string_lossy()))
    }
}

fn joined(first: &Bound<'_, PyAny>, second: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = first.py();
    let is_text =
        |part: &Bound<'_, PyAny>| part.is_instance_of::<PyString>() || part.is_instance_of::<Message>();
    if !is_text(first) || !is_text(second) {
        return Ok(py.NotImplemented());
    }
    let message = Message::new(&PyTuple::new(py, [first, second])?)?;
    Ok(Bound::new(py, message)?.into_any().unbind())
}

#[pymethods]
impl Operators {
    /// The text that an f-string of these parts is, or its parts if it has to wait for the graph.
    #[pyo3(signature = (*parts))]
    fn text<'py>(&self, parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let py = parts.py();
        for part in parts.iter() {
            let waits = part.is_instance_of::<Message>() || of_exception(&part)?.is_some();
            if waits || staged_value(&part)?.is_some() {
                return Ok(Bound::new(py, Message::new(parts)?)?.into_any());
            }
        }
        let format = py.import("builtins")?.getattr("format")?;
        let mut text = Vec::new();
        for part in parts.iter() {
            text.push(format.call1((part,))?);
        }
        pyo3::types::PyString::new(py, "").call_method1("join", (text,))
    }
}

/// The pieces of a message and the tensors in it, which are the operands from `first` on.
pub fn message(object: &Bound<'_, PyAny>, first: usize) -> PyResult<(Vec<Piece>, Vec<Operand>)> {
    let mut text = Text::python(object.py());
    text.object(object)?;
    for piece in &mut text.pieces {
        match piece {
            Piece::Operand(at) | Piece::Python(at) => *at += first,
            Piece::Text(_) => {}
        }
    }
    Ok((text.pieces, text.operands))
}
