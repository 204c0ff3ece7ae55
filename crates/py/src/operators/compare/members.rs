//! Answers about a member of an enumeration of which the graph decides which one it is.

use gw_base::Code;
use pyo3::basic::CompareOp;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFunction, PyTuple, PyType};

use crate::effects::attributes::in_class;
use crate::exceptions::errors;
use crate::host::members::{Member, members, position};
use crate::operators::logic::not;
use crate::optional::maybe_structure::MaybeStructure;
use crate::optional::number_types::as_number;
use crate::values::tensor::Tensor;

/// The class of a member, and its position.
fn placed<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<(Bound<'py, PyType>, Bound<'py, PyAny>)>> {
    let py = object.py();
    if let Ok(member) = object.cast::<Member>() {
        let Member { class, position } = member.get();
        return Ok(Some((class.bind(py).clone(), position.bind(py).clone())));
    }
    let Some(known) = position(object)? else { return Ok(None) };
    Ok(Some((object.get_type(), known.into_pyobject(py)?.into_any())))
}

/// A member that may be `None`: a bool that says whether it is there, and it.
fn optional<'py>(object: &Bound<'py, PyAny>) -> Option<[Bound<'py, PyAny>; 2]> {
    let parts = object.cast::<MaybeStructure>().ok()?.get().items(object.py());
    parts[1].is_instance_of::<Member>().then_some(parts)
}

/// `a is b` where the graph decides which member one of them is; nothing for other objects.
pub fn is_one<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    for (one, other) in [(a, b), (b, a)] {
        if let Some([there, member]) = optional(one) {
            if optional(other).is_some() {
                let message = "this compares two members of an enumeration that may be `None`";
                return Err(errors::here(
                    a.py(),
                    Code::BranchesDisagree,
                    message,
                    "test one of them with `is None` first",
                ));
            }
            return is_one(&member, other)?.map(|same| there.bitand(same)).transpose();
        }
    }
    if !a.is_instance_of::<Member>() && !b.is_instance_of::<Member>() {
        return Ok(None);
    }
    let same = match (placed(a)?, placed(b)?) {
        (Some((class, at)), Some((other, there))) if class.is(&other) => {
            let same = at.rich_compare(there, CompareOp::Eq)?;
            same.cast::<Tensor>()
                .map_or_else(|_| Ok(same.clone()), |same| Ok::<_, PyErr>(as_number(same)?.into_any()))?
        }
        (Some(_) | None, _) => PyBool::new(a.py(), false).to_owned().into_any(),
    };
    Ok(Some(same))
}

/// `a == b` of two members, of which the graph decides which one of them is; nothing for other objects, which may say themselves what they
/// equal.
pub fn equal<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let is_member =
        |object: &Bound<'py, PyAny>| Ok::<_, PyErr>(optional(object).is_some() || placed(object)?.is_some());
    if is_member(a)? && is_member(b)? { is_one(a, b) } else { Ok(None) }
}

/// `type(object)` of one of which the graph decides which it is, and GW120 for `id(object)`; nothing for other objects.
pub fn answer<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let [object] = args.as_slice() else { return Ok(None) };
    let Ok(member) = object.cast::<Member>() else { return Ok(None) };
    match &*function.getattr(intern!(args.py(), "__name__"))?.extract::<String>()? {
        "type" => Ok(Some(member.get().class.bind(args.py()).clone().into_any())),
        "id" => Err(unknown(args.py(), &member.get().class, "this is the identity of")),
        _ => Ok(None),
    }
}

/// The refusal of a use for which the member must be known.
fn unknown(py: Python<'_>, class: &Py<PyType>, used: &str) -> PyErr {
    let name = class.bind(py).name().map(|name| name.to_string()).unwrap_or_default();
    let message = format!("{used} a member of `{name}` of which the graph decides which one it is");
    let help = format!(
        "ask with `if state is {name}.MEMBER: …` for each, or return it and do this outside the function"
    );
    errors::here(py, Code::NoMeaning, message, &help)
}

#[pymethods]
impl Member {
    #[getter(__class__)]
    fn class<'py>(&self, py: Python<'py>) -> Bound<'py, PyType> {
        self.class.bind(py).clone()
    }

    fn __richcmp__<'py>(
        slf: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        op: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let same = equal(slf.as_any(), other)?;
        match op {
            CompareOp::Eq | CompareOp::Ne => match same {
                None => Ok(py.NotImplemented().into_bound(py)),
                Some(same) if matches!(op, CompareOp::Ne) => not(&same),
                Some(same) => Ok(same),
            },
            CompareOp::Lt | CompareOp::Le | CompareOp::Gt | CompareOp::Ge => {
                Err(unknown(py, &slf.get().class, "an order is asked of"))
            }
        }
    }

    fn __setattr__(&self, py: Python<'_>, name: &str, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(unknown(py, &self.class, &format!("the attribute `{name}` is stored into")))
    }

    #[pyo3(signature = (*_args, **_kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        Err(unknown(py, &self.class, "this calls"))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        Err(unknown(py, &self.class, "a dict or set is asked for"))
    }

    /// True, as every member of a class that does not say otherwise.
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let class = self.class.bind(py);
        match in_class(class.as_any(), intern!(py, "__bool__")) {
            Some((_, own)) if own.is_instance_of::<PyFunction>() => {
                Err(unknown(py, &self.class, "this is a test of"))
            }
            Some(_) | None => Ok(true),
        }
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        Err(unknown(py, &self.class, "this is the text of"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        self.__str__(py)
    }

    fn __format__(&self, specification: &Bound<'_, PyAny>) -> PyResult<String> {
        self.__str__(specification.py())
    }

    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, this) = (slf.py(), slf.get());
        let all = PyTuple::new(py, members(this.class.bind(py))?)?;
        let meaning = py.import("graphwright._meanings.members")?.getattr("attribute")?;
        meaning.call1((slf, &this.class, all, &this.position, name))
    }
}
