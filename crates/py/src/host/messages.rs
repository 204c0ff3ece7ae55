//! Texts that wait for the graph, since they show its values.

use crate::exceptions::errors;
use crate::host::checks::staged_value;
use crate::host::operand::Operand;
use crate::host::shown::Text;
use crate::host_calls::host_value;
use gw_base::Code;
use gw_ir::Piece;
use pyo3::exceptions::{PyAttributeError, PyBaseException, PyKeyError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyString, PyTuple, PyType};

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

/// The diagnostic of whatever is asked of a text that is not there yet.
pub fn unknown<T>(py: Python<'_>) -> PyResult<T> {
    let message = "the text of this exception shows a tensor of the graph, which has no value yet";
    let help = "give the exception the tensor itself, as an argument of its own, and use that";
    Err(errors::here(py, Code::TensorAsText, message, help))
}
