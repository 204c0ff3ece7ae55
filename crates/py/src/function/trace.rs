//! Tracing of a function: its arguments become parameters, and what it gives, stores and raises become results.

use std::sync::{Arc, OnceLock};

use graphwright::Origin;
use gw_base::{Code, Diagnostic, Loc};
use gw_ir::ValueId;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::calls::by_python;
use crate::containers::lists;
use crate::convert;
use crate::dependencies::guards::Guard;
use crate::effects::alias::Reached;
use crate::effects::location::Location;
use crate::effects::surroundings::MOST_PLACES;
use crate::effects::{Around, Effect, watch};
use crate::exceptions::tries::{self, Raises};
use crate::exceptions::{errors, raised};
use crate::function::Function;
use crate::function::bind_parameters::{Given, Stage, Written};
use crate::function::concrete::CompiledTrace;
use crate::function::copies::{self, HostCode};
use crate::function::held::Held;
use crate::function::output::{Output, at_places, check_returned};
use crate::function::parameters::Call;
use crate::function::structured::Structured;
use crate::function::trace_type::Arguments;
use crate::host::operands;
use crate::host_calls::{self, Crossings, alone, as_it_is};
use crate::iteration::loop_rolling::Rolling;
use crate::operators::python_print::Printed;
use crate::session::{self, Tracing, log};
use crate::settings::first_calls::{self, Work};
use crate::settings::traced_graphs;
use crate::tape::recording;
use crate::values::spec::PyTensorSpec;

/// Result of tracing.
struct Traced {
    output: Output,
    written: Vec<Written>,
    effects: Vec<Effect>,
    results: Vec<ValueId>,
    raises: Option<Raises>,
}

/// The exception of a function while it is traced; GW113 if its caller would see what it did to an argument before.
fn raised_by(
    py: Python<'_>,
    tracing: &Tracing,
    error: PyErr,
    check_arguments: &dyn Fn() -> PyResult<()>,
) -> PyErr {
    match (errors::code_of(py, &error), check_arguments()) {
        (None, Err(changed)) => changed,
        (Some(_), _) | (None, Ok(())) => watch::refused_before(tracing, of_lost(tracing, error, py), py),
    }
}

impl Function {
    /// A graph, and where the function made a variable if it did.
    pub(super) fn trace_once(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
        printed: &Arc<Printed>,
    ) -> PyResult<(CompiledTrace, Option<Option<Loc>>)> {
        let name = &self.shared.name;
        log::say(py, log::STEPS, || Ok(format!("building a graph of `{name}`")))?;
        let built = first_calls::during(py, name, Work::Tracing, || {
            alone::trace(py, || {
                let traced = recording::within(|| self.traced(py, call, arguments, printed));
                if !session::is_tracing() {
                    by_python::let_go(py);
                }
                let (tracing, traced) = traced?;
                let guards = if traced.is_ok() { tracing.take_guards(py) } else { Vec::new() };
                Ok::<_, PyErr>((tracing, traced, guards))
            })
        });
        if !session::is_tracing() {
            as_it_is::unwatch(py)?;
        }
        let (tracing, traced, guards) = built?;
        let made = self.compiled(py, call, arguments, &tracing, guards, traced);
        let variable_made = tracing.variable_made();
        tracing.forget();
        Ok((made?, variable_made))
    }

    /// A graph in native code.
    fn native(&self, py: Python<'_>, graph: gw_ir::Graph) -> PyResult<graphwright::Compiled> {
        let compile = || py.detach(|| graphwright::compile(graph));
        let compiled = first_calls::during(py, &self.shared.name, Work::Compiling, compile);
        let compiled = compiled.map_err(|b| errors::broken(&b))?;
        self.say_origin(py, compiled.origin)?;
        if let Some(complaint) = graphwright::tiers::complaint() {
            log::say(py, log::STEPS, || Ok(complaint))?;
        }
        Ok(compiled)
    }

    /// The graph of what was traced, compiled, with what its calls need.
    fn compiled(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
        tracing: &Arc<Tracing>,
        guards: Vec<Guard>,
        traced: PyResult<Traced>,
    ) -> PyResult<CompiledTrace> {
        let Traced { output, written, effects, results, raises } = traced.map_err(|error| {
            abandon(tracing, py);
            raised::out_of_function(error, tracing, py)
        })?;
        let ranks = tracing.ranks();
        let graph = tracing.trace.finish(results);
        traced_graphs::tell(py, &graph)?;
        let names = PyTensorSpec::of_parameters(&graph);
        let crossings = Crossings::of(&graph, &tracing.host_side().marked());
        let served = tracing.take_served(py)?;
        if !crossings.is_empty() {
            let said = self.shared.options.implicit_copies.as_deref();
            copies::judge(&host_calls::described(py, &crossings, &served)?, said)?;
        }
        let compiled = self.native(py, graph)?;
        let assigned = tracing.tracked().into_iter().filter(|t| t.assigned).map(|t| t.home).collect();
        Ok(CompiledTrace {
            number: self.traces.count(),
            used: Default::default(),
            parts: arguments.parts.clone(),
            pattern: self.pattern(py, call, arguments)?,
            objects: arguments.objects.iter().map(|o| Held::of(o.bind(py))).collect(),
            arguments: Structured::of(call, &mut names.into_iter())?,
            graph: compiled.graph,
            executable: compiled.executable.with_denormals(self.shared.options.denormals),
            marked: OnceLock::new(),
            way: Default::default(),
            ended: Default::default(),
            is_brief: compiled.is_brief,
            captured: tracing.captured(),
            assigned,
            pinned: tracing.pinned(),
            ranks,
            arrays: (tracing.arrays().matter() || tracing.trace.asks_library())
                .then(|| arguments.inputs.arrays.clone()),
            written,
            raises,
            outside: tracing.outside(),
            guards,
            overflow: self.shared.options.overflow.is_none().then(graphwright::overflow::is_checked),
            effects,
            is_done_again: tracing.host_side().observed().is_some() && tracing.tracked().is_empty(),
            names: host_calls::names_read_beside(py, &served, &tracing.functions_met(py))?,
            served,
            crossings,
            promotion: tracing.trace.promotion(),
            output,
        })
    }

    /// Traces the function; once more if what it raises has to be a result of its graph, or if arrays of NumPy's that it makes have
    /// to be ones of its graph.
    fn traced(
        &self,
        py: Python<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
        printed: &Arc<Printed>,
    ) -> PyResult<(Arc<Tracing>, PyResult<Traced>)> {
        let mut tracing = self.tracing(printed, arguments);
        let mut refused = None;
        loop {
            let traced = session::within(py, &tracing, || self.trace(py, &tracing, call, arguments));
            let needs_all = tracing.tries().needs_all();
            if !needs_all {
                let ended = match (traced, refused.take()) {
                    (Err(error), None) if tracing.arrays().could_help(py, &error) => Err(error),
                    (Err(_), Some(before)) => Ok(Err(before)),
                    (traced, _) => Ok(traced),
                };
                match ended {
                    Err(error) => refused = Some(error),
                    Ok(traced) => {
                        // Texts that an abandoned tracing was to print come from the next one.
                        session::within(py, &tracing, || tracing.printed().print(py))?;
                        return Ok((tracing, traced));
                    }
                }
            }
            abandon(&tracing, py);
            let next = self.tracing(printed, arguments);
            if needs_all {
                next.tries().catch_all(tracing.tries().spots.all(), tracing.tries().spots.lists(py));
            }
            if refused.is_some() {
                next.arrays().fill();
            }
            tracing.forget();
            tracing = next;
        }
    }

    /// A tracing that begins, with the options of the function.
    fn tracing(&self, printed: &Arc<Printed>, arguments: &Arguments) -> Arc<Tracing> {
        let options = &self.shared.options;
        printed.begin();
        let tracing = Tracing::new(&self.shared.name).with(Rolling::new(options.roll)).with(printed.clone());
        let tracing = Arc::new(tracing);
        tracing.trace.set_overflow_checks(options.checks_overflow());
        if let Some(observed) = self.observations.known(&arguments.parts) {
            tracing.host_side().know_ranks(observed);
        }
        match options.host_code {
            HostCode::Auto => {}
            HostCode::Run => {
                tracing.host_side().call_all(self.observations.of(&arguments.parts));
                tracing.trace.keep_kinds();
            }
            HostCode::Trace => tracing.homes().run_while_tracing(),
            HostCode::Refuse => tracing.host_side().close(),
        }
        tracing
    }

    fn say_origin(&self, py: Python<'_>, origin: Origin) -> PyResult<()> {
        let name = &self.shared.name;
        match origin {
            Origin::Made => Ok(()),
            Origin::Kept => log::say(py, log::STEPS, || Ok(format!("keeping the code of `{name}`"))),
            Origin::Disk => log::say(py, log::STEPS, || Ok(format!("the code of `{name}` was kept"))),
        }
    }

    /// Guards what the function reads of those of its arguments that count by identity.
    fn guard_arguments(&self, py: Python<'_>, tracing: &Tracing, call: &Call<'_>) -> PyResult<()> {
        let Ok(function) = self.python_function.bind(py).cast::<PyFunction>() else { return Ok(()) };
        if !self.shared.options.autograph || convert::is_converted(&function.getattr("__code__")?)? {
            return Ok(());
        }
        let reads = convert::reads_of_any(function)?;
        let (parameters, pairs) = (self.parameters(py)?, call.positional.iter().enumerate());
        let named = pairs.map(|(at, object)| (parameters.name(at), object.clone()));
        tracing.met_arguments(function, &reads, &named.collect::<Vec<_>>())
    }

    /// Builds the graph; what the function does to the world around it, the graph's calls do.
    fn trace(
        &self,
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<Traced> {
        let (parameters, named) = (self.parameters(py)?, call.positional.iter().enumerate());
        let named = named.map(|(at, object)| (object.clone(), parameters.name(at)));
        let keyword = call.keyword.iter().flat_map(|k| k.iter().map(|(name, o)| (o, name.to_string())));
        let named: Vec<_> = named.chain(keyword).collect();
        tracing.homes().outside(named.iter().map(|(object, _)| object.clone()))?;
        let mut around = Around::enter(tracing, &self.restless, self.python_function.bind(py), named)?;
        tracing.homes().outside(around.objects())?;
        let traced = self.trace_inside(py, tracing, call, arguments, &mut around);
        let traced = traced.and_then(|traced| check_state(py, tracing, &traced, &around).map(|()| traced));
        if tracing.tries().needs_all() {
            tracing.tries().spots.extend(around.changed());
            release(tracing, py);
            around.undo_all()?;
            tracing.recorder().restore_arrays(py)?;
            tracing.empty_caches(0, py)?;
        } else if let Err(error) = &traced {
            release(tracing, py);
            // A refused call has not begun, nor one that plain Python does or that is traced without what changes around it; what the
            // program raised comes behind what it did.
            let is_refused = errors::code_of(py, error).is_some();
            if is_refused || tracing.host_side().observed().is_some() || self.restless.is_taken() {
                around.undo_all()?;
                tracing.recorder().restore_arrays(py)?;
                tracing.empty_caches(0, py)?;
            } else {
                around.undo()?;
            }
        }
        tracing.forget_asking();
        traced
    }

    fn trace_inside(
        &self,
        py: Python<'_>,
        tracing: &Arc<Tracing>,
        call: &Call<'_>,
        arguments: &Arguments,
        around: &mut Around<'_, '_>,
    ) -> PyResult<Traced> {
        let parameters = self.parameters(py)?;
        let mut stage = Stage::new(tracing, &arguments.parts, &arguments.inputs.arrays);
        let positional = self.positional(py, &mut stage, call, arguments)?;
        let keyword = call.keyword.as_ref().map(|k| stage.argument(k.as_any(), "keyword")).transpose()?;
        let keyword = keyword.as_ref().map(|k| k.bind(py).cast::<PyDict>()).transpose()?;
        around.take()?;
        tracing.met_callable(self.python_function.bind(py))?;
        let callee = self.callee(py)?;
        tracing.know_functions(&arguments.functions);
        self.guard_arguments(py, tracing, call)?;
        let values = keyword.map(|k| k.values().iter().collect::<Vec<_>>()).unwrap_or_default();
        let all = positional.iter().map(|p| p.bind(py).clone()).chain(values);
        let given = all.map(|a| Given::of(&a)).collect::<PyResult<Vec<_>>>()?;
        given.iter().try_for_each(|one| tracing.arguments().know(&one.object()))?;
        let positional = PyTuple::new(py, positional)?;
        let returns = || convert::returns(self.python_function.bind(py));
        let check_arguments = || {
            let mut given = given.iter().enumerate();
            given.try_for_each(|(at, argument)| argument.check(tracing, &parameters.name(at)))
        };
        let call = || {
            let returned = callee.call(positional.clone(), keyword)?;
            if tracing.tries().catches_all() {
                // Behind this the function goes back to where it raises.
                check_arguments()?;
                around.check_one(true)?;
            }
            check_returned(&returned, &returns).map(|()| returned)
        };
        let world = tries::World {
            stores: &|| around.stores(),
            holds: &|object| around.watch.holds(object),
            place: &|| convert::header(self.python_function.bind(py)),
        };
        let called = tries::of_function(py, tracing, stage.tensors(py), &call, &world);
        let called = called.map_err(|error| raised_by(py, tracing, error, &check_arguments));
        let (returned, raises) = called?;
        tracing.tries().close();
        check_places(py, tracing, around)?;
        watch::check_not_caught(tracing)?;
        tracing.tries().unread.check(tracing)?;
        tracing.check_classes(py)?;
        self.check_arrays(py, tracing)?;
        around.check_one(false)?;
        tracing.boxes().close(py)?;
        check_arguments()?;
        around.guard_held()?;
        let given: Vec<_> = given.iter().map(Given::object).collect();
        let output = self.output(tracing, &returned, &given, around)?;
        Traced::of(py, output, &stage, raises, around)
    }

    /// The positional arguments of the graph.
    fn positional(
        &self,
        py: Python<'_>,
        stage: &mut Stage<'_>,
        call: &Call<'_>,
        arguments: &Arguments,
    ) -> PyResult<Vec<Py<PyAny>>> {
        let parameters = self.parameters(py)?;
        let mut positional = Vec::with_capacity(call.positional.len());
        for (at, object) in call.positional.iter().enumerate() {
            let name = parameters.name(at);
            if arguments.numbers.contains(&at) {
                positional.push(stage.number(object, &name)?);
                continue;
            }
            let wanted = match self.spec(at) {
                Some((signature, at)) => signature.spec(py, at),
                None if self.is_hinted(at, object)? => operands::tensor(py, operands::operand(object)?)?,
                None => object.clone(),
            };
            positional.push(stage.argument(&wanted, &name)?);
        }
        Ok(positional)
    }

    /// GW123 if the function changed a NumPy array from outside while it was traced.
    fn check_arrays(&self, py: Python<'_>, tracing: &Tracing) -> PyResult<()> {
        let recorder = tracing.recorder();
        let Some(path) = recorder.changed_array(py) else { return Ok(()) };
        let message = format!(
            "`{path}`, a NumPy array from outside the function, is changed in place, which its graph cannot do for later calls"
        );
        let help = "pass the array as an argument, or hold it in a `gw.Variable`";
        let found = Diagnostic::new(Code::OutsideStored, message).help(help);
        let root = path.split(['.', '[']).next().unwrap_or(path);
        let function = self.python_function.bind(py);
        let call = function.get_type().getattr("__call__")?;
        let text = if function.is_instance_of::<PyFunction>() { function } else { &call };
        let places = convert::changes(text, root);
        Err(at_places(py, found, places))
    }

    /// Structure of the returned value, with the values of the graph in it.
    fn output(
        &self,
        tracing: &Arc<Tracing>,
        returned: &Bound<'_, PyAny>,
        given: &[Bound<'_, PyAny>],
        around: &Around<'_, '_>,
    ) -> PyResult<(Output, Vec<ValueId>)> {
        let py = returned.py();
        let returns = || convert::returns(self.python_function.bind(py));
        let output = Output::of(py, tracing, returned, &returns, self.returns_numbers())?;
        tracing.lists().chosen.close(py)?;
        around.keep_lists()?;
        lists::keep_inside(tracing, returned, given)?;
        Ok(output)
    }
}

impl Traced {
    /// Behind what is returned come the results that go elsewhere.
    fn of(
        py: Python<'_>,
        (output, mut results): (Output, Vec<ValueId>),
        stage: &Stage<'_>,
        raises: Option<(Raises, Vec<ValueId>)>,
        around: &Around<'_, '_>,
    ) -> PyResult<Self> {
        let tracing = stage.tracing();
        let (written, values) = stage.written(py)?;
        if !written.is_empty() {
            raised::with_stores(tracing)?;
        }
        results.extend(values);
        let effects = around.leave(&mut results)?;
        results.extend(tracing.tracked().into_iter().filter(|t| t.assigned).map(|t| t.value.value));
        let (raises, values) = raises.map_or((None, Vec::new()), |(raises, values)| (Some(raises), values));
        results.extend(values);
        Ok(Self { output, written, effects, results, raises })
    }
}

/// Asks for another tracing where what the function raises may come before a change of a place that is not known yet; GW103 for what
/// an exception would lose.
fn check_places(py: Python<'_>, tracing: &Tracing, around: &Around<'_, '_>) -> PyResult<()> {
    let (tries, changed) = (&tracing.tries(), around.changed());
    let is_new = |spot: &Arc<Location>| spot.lasts(py) && !tries.spots.knows(spot, py);
    if changed.iter().any(is_new) && tries.spots.all().len() < MOST_PLACES && tries.may_raise(tracing) {
        tries.need_all();
    }
    if tries.catches_all() && tries.spots.find_lists(py, &|_| true) {
        tries.need_all();
    }
    if tries.needs_all() {
        return Err(errors::InternalError::new_err("a function is to be traced again"));
    }
    if tries.catches_all() {
        tries.spots.check_lists(py)?;
    }
    tries.spots.check(py)
}

/// GW126 of a function whose host code is observed, where its graph would not leave the program's state as plain Python does: where it
/// does not repeat a change, may store a tensor in place of a number, or calls host code that may read what the graph changes only
/// at its end, or change what it has read.
fn check_state(py: Python<'_>, tracing: &Tracing, traced: &Traced, around: &Around<'_, '_>) -> PyResult<()> {
    let Some(observed) = tracing.host_side().observed() else { return Ok(()) };
    if let Some(path) = around.left() {
        let message = format!("`{path}` changes in a way that a graph does not repeat");
        return Err(errors::here(py, Code::HostCallRefused, message, "change it in host code"));
    }
    if tracing.host_side().puts_scalar() || tracing.recorder().is_for_one_call() {
        let message = "a place around the function gets a tensor or what is computed once";
        return Err(errors::here(py, Code::HostCallRefused, message, "return it"));
    }
    let changes = !(traced.effects.is_empty() && traced.written.is_empty());
    let meets_reader = observed.looks_around() && changes;
    let meets_all =
        || Ok::<_, PyErr>(observed.reaches_anything() && (changes || tracing.recorder().reads_state(py)?));
    if !meets_reader && !meets_all()? {
        return Ok(());
    }
    let message = "host code may read or change the state that this function reads or changes";
    let help = "give host code what it needs as arguments";
    Err(errors::here(py, Code::HostCallRefused, message, help))
}

/// The refusal of a list of the graph that would be lost: its values are no longer those of the region that made them.
fn of_lost(tracing: &Tracing, error: PyErr, py: Python<'_>) -> PyErr {
    match errors::code_of(py, &error) {
        Some(Code::LeakedTensor) => tracing.tries().spots.check(py).err().unwrap_or(error),
        Some(_) | None => error,
    }
}

/// Ends a tracing without a graph: what it did to lists from outside is taken back.
fn abandon(tracing: &Tracing, py: Python<'_>) {
    release(tracing, py);
    drop(tracing.trace.finish(Vec::new()));
}

/// Gives lists, dicts and sets back to Python with what they held before they came into the graph.
fn release(tracing: &Tracing, py: Python<'_>) {
    // The error that ends it is the one to tell.
    drop(tracing.boxes().close(py));
    drop(tracing.lists().close(py, &|_| true, &|_| 0));
    drop(tracing.tables().close(py, &|_| 0));
}
