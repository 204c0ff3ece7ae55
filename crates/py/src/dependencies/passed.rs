//! Arguments of functions that are called while a graph is built: what a function reads of an object of the world that it is
//! given is guarded, however the object comes to it, by `*args`, `map` or a `key`.

use gw_lower::Passed;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple, PyType};

use crate::convert;
use crate::dependencies::guards::is_literal;
use crate::dependencies::{Roots, Text, find, is_ours, is_structure};
use crate::session::own_functions::{is_graph_function, is_graph_method};
use crate::session::{self, Tracing, libraries};

/// A converted function that guards what it reads of its arguments when it is called.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Given {
    /// Converted.
    function: Py<PyAny>,
    /// As the user knows it.
    own: Py<PyFunction>,
    /// The names of its parameters, those with a star left out.
    parameters: Vec<String>,
}

/// Gives what to call in place of a converted function: one that looks at its arguments, if it may read anything of them.
pub fn given<'py>(function: Bound<'py, PyAny>, own: &Bound<'py, PyFunction>) -> PyResult<Bound<'py, PyAny>> {
    let py = own.py();
    let parameters = if session::is_tracing() { parameters(own)?.concat() } else { Vec::new() };
    if parameters.is_empty() || (!is_inner(own)? && !reads_any(own, &parameters)?) {
        return Ok(function);
    }
    let given = Given { function: function.unbind(), own: own.clone().unbind(), parameters };
    Ok(Bound::new(py, given)?.into_any())
}

/// True of a function that a converted one makes: its code says what it reads.
fn is_inner(own: &Bound<'_, PyFunction>) -> PyResult<bool> {
    convert::is_converted(&own.getattr(intern!(own.py(), "__code__"))?)
}

/// True if the text of a function reads one of its parameters.
fn reads_any(own: &Bound<'_, PyFunction>, parameters: &[String]) -> PyResult<bool> {
    let reads = convert::reads(own)?;
    Ok(parameters.iter().any(|name| reads.chains.iter().any(|chain| *chain.root == **name)))
}

#[pymethods]
impl Given {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(tracing) = session::current() {
            let names = self.parameters.iter().map(String::as_str);
            for (name, object) in names.zip(args.iter()) {
                self.meet(py, &tracing, name, &object)?;
            }
            for (name, object) in kwargs.into_iter().flat_map(|kwargs| kwargs.iter()) {
                let name = name.to_string();
                if self.parameters.contains(&name) {
                    self.meet(py, &tracing, &name, &object)?;
                }
            }
        }
        self.function.bind(py).call(args, kwargs)
    }
}

impl Given {
    /// The function as the user knows it, whose variables are those of the converted one.
    pub fn own<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.own.bind(py).clone().into_any()
    }

    fn meet(&self, py: Python<'_>, tracing: &Tracing, name: &str, object: &Bound<'_, PyAny>) -> PyResult<()> {
        let has_code = object.is_instance_of::<PyFunction>() || object.is_instance_of::<PyType>();
        let is_plain = is_literal(object) || has_code || (is_ours(object) && !is_structure(object));
        let own = self.own.bind(py);
        if is_plain || !tracing.recorder().is_of_the_world(object) {
            return Ok(());
        }
        if !tracing.recorder().first(own.as_any(), object) {
            return Ok(());
        }
        if !is_inner(own)? {
            return tracing.met_object(own, &*convert::reads(own)?, name.to_owned(), object);
        }
        let (reads, roots) = (convert::reads_of_code(own)?, Roots::from([(name.to_owned(), object.clone())]));
        tracing.walk(&roots, &roots, Text::of(own, &reads, false))
    }
}

impl Tracing {
    /// Guards what a function of the program reads that a function of a library is given, which calls it back as it is.
    pub(super) fn called_back<'py>(
        &self,
        roots: &Roots<'py>,
        passed: &Passed,
        given: &Bound<'py, PyAny>,
    ) -> PyResult<()> {
        let (Ok(function), Some(callee)) = (given.cast::<PyFunction>(), find(roots, &passed.callee)) else {
            return Ok(());
        };
        let module = module_of(&callee);
        if module == "graphwright"
            || !libraries::is_librarys(callee.py(), &module)?
            || !libraries::is_users(given)?
        {
            return Ok(());
        }
        self.met_run(function, &[])
    }
}

/// True of an argument for a function of this package, such as what `gw.py_function` has the host call.
pub(super) fn is_given_to_us(roots: &Roots<'_>, passed: &Passed) -> bool {
    find(roots, &passed.callee).is_some_and(|callee| module_of(&callee) == "graphwright")
}

/// Functions of Python's own that look at a container and not at what it holds.
const ALONE: [&str; 6] = ["callable", "id", "isinstance", "issubclass", "len", "type"];

/// True of an argument for one of these.
pub(super) fn leaves_items_alone(roots: &Roots<'_>, passed: &Passed) -> bool {
    let name = &*passed.callee.root;
    passed.callee.steps.is_empty() && ALONE.contains(&name) && !roots.contains_key(name)
}

/// The name of the package that an object says to be of.
fn module_of(object: &Bound<'_, PyAny>) -> String {
    let module = object.getattr("__module__").and_then(|m| m.extract::<String>()).unwrap_or_default();
    module.split('.').next().unwrap_or_default().to_owned()
}

/// The names of the parameters of a function without a star: those by position, and those by name alone.
pub(super) fn parameters(function: &Bound<'_, PyFunction>) -> PyResult<[Vec<String>; 2]> {
    let code = function.getattr(intern!(function.py(), "__code__"))?;
    let count = |name: &str| code.getattr(name)?.extract::<usize>();
    let names: Vec<String> = code.getattr("co_varnames")?.extract()?;
    let (positional, named) = names.split_at(count("co_argcount")?);
    Ok([positional.to_vec(), named[..count("co_kwonlyargcount")?].to_vec()])
}

/// Functions, methods and classes, which are met where they are called.
pub(super) fn is_code(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyFunction>()
        || object.is_instance_of::<PyType>()
        || is_graph_function(object)
        || is_graph_method(object)
        || matches!(
            &*object.get_type().name().map_or_else(|_| String::new(), |name| name.to_string()),
            "method" | "partial" | "builtin_function_or_method"
        )
}
