//! Which calls of a function are alike. Those that it makes of itself with one and the same list, which is longer each time,
//! are not: none of them comes again, and tracing would not end.

use std::sync::Arc;

use gw_base::Code;
use gw_trace::Argument;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::calls::recursion::Call;
use crate::exceptions::errors;
use crate::host::PyHost;
use crate::host::skeleton::Skeleton;
use crate::optional::maybe::Maybe;
use crate::values::tensor::Tensor;

type Value = Arc<Py<PyAny>>;

/// So many calls with one list are traced one in the other.
const MOST_CALLS: usize = 5;

/// The lists among the arguments of a call, and what else it is given.
#[derive(Debug, Default)]
pub struct Growing {
    /// Their positions and addresses: what keeps a list would count as a name of it.
    lists: Vec<(usize, usize)>,
    others: Vec<Argument<Value>>,
}

impl Growing {
    /// Of a call with these arguments.
    pub fn of(host: &PyHost<'_>, args: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut growing = Self::default();
        for (at, arg) in args.iter().enumerate() {
            if arg.is_exact_instance_of::<PyList>() {
                growing.lists.push((at, arg.as_ptr() as usize));
                continue;
            }
            let mut leaves = Vec::new();
            Skeleton::of(&arg, &mut leaves)?;
            for leaf in leaves {
                growing.others.push(argument(host, &Arc::new(leaf))?);
            }
        }
        Ok(growing)
    }

    /// True if both are given the same lists, and for the rest values of the same kinds.
    fn is_like(&self, other: &Self, host: &PyHost<'_>) -> bool {
        let covers = |(a, b): (&Argument<Value>, &Argument<Value>)| a.covers(host, b);
        !self.lists.is_empty()
            && self.lists == other.lists
            && self.others.len() == other.others.len()
            && self.others.iter().zip(&other.others).all(covers)
    }

    /// An error where too many calls of one function stand in each other that are given these lists; `names` are those of
    /// its parameters.
    pub fn check(
        &self,
        open: &[Call],
        call: &Call,
        host: &PyHost<'_>,
        names: &dyn Fn() -> PyResult<Vec<String>>,
    ) -> PyResult<()> {
        let like = |other: &&Call| other.function == call.function && other.growing.is_like(self, host);
        if open.iter().filter(like).count() < MOST_CALLS {
            return Ok(());
        }
        let (at, names) = (self.lists.first().map_or(0, |(at, _)| *at), names()?);
        let name = names.get(at).map_or("a list", String::as_str);
        let message = format!("`{name}` is changed in place by a function that calls itself in the graph");
        let help =
            "write a loop that appends to the list, or give the function a tensor and return what is new";
        Err(errors::here(host.py(), Code::BranchesDisagree, message, help))
    }
}

/// The kind of a leaf of the arguments; objects that hold values stay themselves.
pub fn argument(host: &PyHost<'_>, leaf: &Value) -> PyResult<Argument<Value>> {
    let object = leaf.bind(host.py());
    let staged =
        object.cast::<Tensor>().is_ok_and(|t| t.get().is_staged()) || object.is_instance_of::<Maybe>();
    let number = crate::values::array::number(object)?.is_some();
    if staged || number { Ok(Argument::of(host, leaf)?) } else { Ok(Argument::Object(leaf.clone())) }
}

impl Call {
    /// True if it is a call of the same function with arguments of the same structure.
    pub fn is_of(&self, other: &Self, host: &PyHost<'_>) -> bool {
        self.function == other.function
            && self.heard.is(&other.heard)
            && self.skeleton.same(&other.skeleton, host.py())
    }

    /// True if both are for the same arguments, but for the lengths of arrays.
    pub fn differs_in_lengths(&self, other: &Self, host: &PyHost<'_>) -> bool {
        let alike = |(a, b): (&Argument<Value>, &Argument<Value>)| {
            a.covers(host, b) || matches!((a, b), (Argument::Value(_), Argument::Value(_)))
        };
        self.is_of(other, host) && self.arguments.iter().zip(&*other.arguments).all(alike)
    }

    /// True if a function for this call is one for the other.
    pub fn covers(&self, host: &PyHost<'_>, other: &Self) -> bool {
        self.is_of(other, host)
            && self.arguments.iter().zip(&*other.arguments).all(|(own, other)| own.covers(host, other))
    }
}
