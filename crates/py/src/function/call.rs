//! Calls of a function: its graph is found by comparing arguments, by their trace type, or made.

use std::sync::Arc;

use gw_base::{Code, Loc};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::exceptions::{errors, traceback};
use crate::function::concrete::CompiledTrace;
use crate::function::copies::HostCode;
use crate::function::fast_match::{Pattern, Positional};
use crate::function::kept::Asked;
use crate::function::parameters::{Call, Given};
use crate::function::signature::Signature;
use crate::function::trace_type::Arguments;
use crate::function::{Function, bind_parameters, eagerly};
use crate::host::operands;
use crate::host::skeleton::Skeleton;
use crate::host_calls::observed::{self, Observed};
use crate::host_calls::replay::{self, Ended};
use crate::host_calls::{alone, host_value};
use crate::settings::first_calls::{self, Work};
use crate::values::{array, spec};
use crate::{convert, dependencies, session};

impl Function {
    /// A call.
    pub fn call<'py>(&self, py: Python<'py>, given: Given<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.call_once(py, given);
        match answer {
            Err(error) if self.shared.options.host_code == HostCode::Run => {
                let Some(ended) = replay::ended_by(py, &error) else { return Err(error) };
                let call = self.parameters(py)?.bind(&given.all(py)?, given.keyword)?;
                self.go_on(py, &call, ended)
            }
            answer => answer,
        }
    }

    fn call_once<'py>(&self, py: Python<'py>, given: Given<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let (tracing, eagerly) = (session::is_tracing(), eagerly::functions_run_eagerly());
        alone::wait(py);
        let by_position = given.keyword.is_none_or(|k| k.is_empty());
        if observed::is_watched() && !tracing {
            // As it is a part of the graph that the function around it will have.
            return self.call_part(&self.callee(py)?, &given.all(py)?, given.keyword);
        }
        if by_position && !tracing && !eagerly {
            let positional = Positional { owner: given.owner, arguments: given.positional };
            let tensors = || self.tensors(&self.parameters(py)?.bind(&given.all(py)?, None)?);
            let take = |concrete: &CompiledTrace| concrete.take(py, positional);
            if let Some(answer) = self.traces.with_alike(take, |c, a| c.run(py, a, &tensors)) {
                return answer;
            }
        }
        let args = given.all(py)?;
        if tracing {
            return self.call_in_graph(py, given.owner, &args, given.keyword);
        }
        if eagerly {
            return self.python_function.bind(py).call(args, given.keyword);
        }
        let call = self.parameters(py)?.bind(&args, given.keyword)?;
        let tensors = || self.tensors(&call);
        if !by_position && call.keyword.is_none() {
            let positional = Positional { owner: None, arguments: &call.positional };
            let take = |concrete: &CompiledTrace| concrete.take(py, positional);
            if let Some(answer) = self.traces.with_alike(take, |c, a| c.run(py, a, &tensors)) {
                return answer;
            }
        }
        self.call_bound(py, &call, &tensors)
    }

    /// A call whose arguments are bound: its graph is found by their trace type, or made.
    fn call_bound<'py>(
        &self,
        py: Python<'py>,
        call: &Call<'py>,
        tensors: &dyn Fn() -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = self.arguments(py, call)?;
        if arguments.abstracted {
            return Err(spec::no_tensor(py));
        }
        if let Some(concrete) = self.traces.find(&Asked(py, &arguments)) {
            return concrete.run(py, arguments.inputs, tensors);
        }
        let staged = self.staged_at_second(py, call, &arguments).map_err(|e| traceback::trim(py, e))?;
        if let Some((concrete, staged)) = staged {
            return concrete.run(py, staged.inputs, tensors);
        }
        let wider = self.wider(arguments)?;
        if self.shared.options.host_code == HostCode::Run {
            return self.call_observed(py, call, wider, tensors);
        }
        // Forgets an earlier tracing, whose error somebody else got.
        let _earlier = observed::lacked_ranks();
        match self.make(py, call, &wider) {
            Ok(concrete) => {
                // Lends the arrays themselves, as later calls do: they keep what is stored before an exception.
                let given = Positional { owner: None, arguments: &call.positional };
                let taken = if call.keyword.is_none() { concrete.take(py, given) } else { None };
                let inputs = taken.unwrap_or(wider.inputs);
                let run = || concrete.run(py, inputs, tensors);
                first_calls::during(py, &self.shared.name, Work::Running, run)
            }
            // The call after this one knows what comes back.
            Err(_) if observed::lacked_ranks() => {
                self.call_in_python(py, call, &self.observations.of(&wider.parts))
            }
            Err(error) => Err(traceback::trim(py, error)),
        }
    }

    /// A call while a graph is built: what the function reads of objects of the world that it is given is guarded.
    fn call_in_graph<'py>(
        &self,
        py: Python<'py>,
        owner: Option<&Bound<'py, PyAny>>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plain = self.python_function.bind(py);
        owner.map_or(Ok(()), |owner| dependencies::met_method(plain, owner))?;
        let callee = self.callee(py)?;
        let callee = match plain.cast::<PyFunction>() {
            Ok(plain) if self.shared.options.autograph && convert::reads(plain).is_ok() => {
                dependencies::given(callee, plain)?
            }
            Ok(_) | Err(_) => callee,
        };
        self.call_part(&callee, args, kwargs)
    }

    /// A call of the converted function, with arguments as the signature wants them.
    fn call_part<'py>(
        &self,
        callee: &Bound<'py, PyAny>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if self.shared.options.signature.is_none() {
            return callee.call(args, kwargs);
        }
        let py = args.py();
        let call = self.parameters(py)?.bind(args, kwargs)?;
        self.check_count(py, &call)?;
        let admit = |(at, object): (usize, &Bound<'py, PyAny>)| match self.spec(at) {
            Some((signature, at)) => signature.admit(at, object),
            None => Ok(object.clone()),
        };
        let admitted = call.positional.iter().enumerate().map(admit).collect::<PyResult<Vec<_>>>()?;
        callee.call(PyTuple::new(py, admitted)?, call.keyword.as_ref())
    }

    /// A call for which there is no graph yet: one is made if it is known what host code gives. A call that
    /// no graph does as plain Python does stays in plain Python.
    pub(super) fn call_observed<'py>(
        &self,
        py: Python<'py>,
        call: &Call<'py>,
        arguments: Arguments,
        tensors: &dyn Fn() -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let observed = self.observations.of(&arguments.parts);
        if observed.may_trace() {
            match self.make(py, call, &arguments) {
                Ok(concrete) => return concrete.run(py, arguments.inputs, tensors),
                // The program may raise before host code that the trace has not called.
                Err(error) if error.is_instance_of::<PyException>(py) => {
                    if observed.fail() {
                        self.traces.remember(self.stays_plain(py, &error)?);
                    }
                }
                Err(error) => return Err(traceback::trim(py, error)),
            }
        }
        if let Some(Loc { file, line, .. }) = observed.unheld() {
            let name = &self.shared.name;
            let place = format!("{file}:{line}");
            self.traces.remember(format!(
                "`{name}` runs in plain Python: no graph holds an answer of host code, at {place}"
            ));
        }
        self.call_in_python(py, call, &observed)
    }

    /// A call in plain Python, which is observed.
    fn call_in_python<'py>(
        &self,
        py: Python<'py>,
        call: &Call<'py>,
        observed: &Arc<Observed>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let callee = self.callee(py)?;
        let positional = PyTuple::new(py, &call.positional)?;
        let given = observed.watch(|| callee.call(positional, call.keyword.as_ref()));
        self.as_of_graph(&given.map_err(|error| traceback::trim(py, error))?)
    }

    /// Does a call again in plain Python, from where its run ended: host code gave something of another type than was observed. The
    /// graphs go, since what host code gives decides which graph there is.
    fn go_on<'py>(&self, py: Python<'py>, call: &Call<'py>, ended: Ended) -> PyResult<Bound<'py, PyAny>> {
        self.traces.clear();
        self.traces.remember(format!("`{}` ran in plain Python: {}", self.shared.name, ended.reason(py)?));
        let wider = self.wider(self.arguments(py, call)?)?;
        let observed = self.observations.of(&wider.parts);
        ended.again(py, || self.call_in_python(py, call, &observed))
    }

    /// Says why calls stay in plain Python, by the refusal of a graph.
    fn stays_plain(&self, py: Python<'_>, error: &PyErr) -> PyResult<String> {
        let unknown = "GW126: a value of host code decides what is known only when a graph runs";
        let said = match error.value(py).str() {
            Ok(said) if !host_value::is_named(py, error) => said.to_string(),
            // The exception may hold such a value.
            Ok(_) | Err(_) => unknown.to_owned(),
        };
        let first = said.lines().next().unwrap_or_default();
        Ok(format!("`{}` runs in plain Python: {first}", self.shared.name))
    }

    /// Returns the result of plain Python as a graph would: numbers and arrays are tensors.
    fn as_of_graph<'py>(&self, returned: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = returned.py();
        let mut leaves = Vec::new();
        let skeleton = Skeleton::of(returned, &mut leaves)?;
        let numbers = self.returns_numbers();
        let one = |leaf: Py<PyAny>| {
            let object = leaf.bind(py);
            // An integer of more than 64 bits is no tensor.
            let becomes_tensor = match array::number(object) {
                Err(_) => false,
                Ok(Some(_)) => !numbers,
                Ok(None) => array::is_array(object),
            };
            if !becomes_tensor {
                return Ok(leaf);
            }
            Ok(operands::tensor(py, operands::operand(object)?)?.unbind())
        };
        let leaves = leaves.into_iter().map(one).collect::<PyResult<Vec<_>>>()?;
        skeleton.rebuild(py, &mut leaves.into_iter())
    }
}

impl Function {
    /// Pattern that arguments are compared with; `None` where they are looked at one by one.
    pub(super) fn pattern(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<Option<Pattern>> {
        let options = &self.shared.options;
        let signed = options.signature.as_ref().map(|s| s.len() + usize::from(self.bound));
        if options.follow_type_hints || signed.is_some_and(|signed| signed != call.positional.len()) {
            return Ok(None);
        }
        let is_signed = |at| self.spec(at).is_some();
        Pattern::of(call, &arguments.parts, &*self.parameters(py)?, &arguments.numbers, is_signed)
    }

    /// The tensors among the arguments of a call, in the order of the graph's parameters.
    pub(super) fn tensors<'py>(&self, call: &Call<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut found = Vec::new();
        for (at, object) in call.positional.iter().enumerate() {
            match self.spec(at) {
                Some((signature, at)) => signature.tensors(at, object, &mut found)?,
                None if self.is_hinted(at, object)? => found.push(object.clone()),
                None if self.staged_number(at, object)?.is_some() => found.push(object.clone()),
                None => found.extend(bind_parameters::tensors(std::iter::once(object.clone()))?),
            }
        }
        found.extend(bind_parameters::tensors(call.keyword.iter().map(|k| k.as_any().clone()))?);
        Ok(found)
    }

    pub(super) fn arguments(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<Arguments> {
        let mut arguments = Arguments::default();
        for (at, object) in call.positional.iter().enumerate() {
            if let Some(number) = self.staged_number(at, object)? {
                arguments.take_number(at, number);
                continue;
            }
            match self.spec(at) {
                Some((signature, at)) => signature.take(at, object, &mut arguments)?,
                None if self.is_hinted(at, object)? => arguments.take_as_tensor(object)?,
                None => arguments.take(object)?,
            }
        }
        self.check_count(py, call)?;
        if let Some(keyword) = &call.keyword {
            arguments.take(keyword)?;
        }
        Ok(arguments)
    }

    /// The input signature, if it speaks of the argument at a position, and where in it.
    pub(super) fn spec(&self, at: usize) -> Option<(&Signature, usize)> {
        let signature = self.shared.options.signature.as_ref()?;
        let at = at.checked_sub(usize::from(self.bound))?;
        (at < signature.len()).then_some((signature, at))
    }

    /// Arguments that the input signature does not speak of keep their defaults.
    pub(super) fn check_count(&self, py: Python<'_>, call: &Call<'_>) -> PyResult<()> {
        let Some(signature) = &self.shared.options.signature else { return Ok(()) };
        let first = usize::from(self.bound);
        let (wanted, found) = (signature.len() + first, call.positional.len());
        let rest = call.positional.iter().enumerate().skip(wanted);
        let parameters = self.parameters(py)?;
        let defaults = rest.into_iter().all(|(at, value)| parameters.is_default(at, value));
        if found >= wanted && defaults {
            return Ok(());
        }
        let message = format!(
            "the input signature of `{}` takes {} arguments, the call gives {}",
            self.shared.name,
            wanted - first,
            found - first.min(found)
        );
        Err(errors::here(py, Code::SignatureMismatch, message, "call with one argument per `gw.TensorSpec`"))
    }

    /// True if an argument is a number whose annotation asks for a tensor.
    pub(super) fn is_hinted(&self, at: usize, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let follow = self.shared.options.follow_type_hints && !object.is_none();
        Ok(follow && self.parameters(object.py())?.wants_tensor(object.py(), at)?)
    }

    /// With `reduce_retracing`, the arguments of a trace type that earlier ones fit too.
    pub(super) fn wider(&self, mut arguments: Arguments) -> PyResult<Arguments> {
        if self.shared.options.reduce_retracing
            && let Some(parts) = self.traces.relaxed(&arguments.parts)
        {
            arguments.parts = parts;
        }
        Ok(arguments)
    }
}
