//! A generator of the user's as the source of a loop: while a graph is built it is run as a function that does what the
//! loop does where it yields (`convert::emitting`), so that its own loops and branches may be the graph's.
//!
//! Its statements change the variables of the loop around it, too: those are part of their state ([`consumers`]). Whoever
//! else asks, such as `next`, asks Python's generator. The generator of a context manager is run like that by its `with`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Code;
use gw_ir::RegionId;
use gw_lower::Pushed;
use gw_trace::Slot;
use pyo3::exceptions::{PyRuntimeError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyTuple};

use crate::calls::callable::callable;
use crate::containers::references;
use crate::convert;
use crate::effects::carried_arrays::Returning;
use crate::effects::places::{Places, PyState};
use crate::exceptions::errors::{self, InternalError};
use crate::host_calls::as_it_is;
use crate::iteration::consumers::{Consumer, consumers};
use crate::iteration::plain_generators::{MakesPlain, held_by};
use crate::iteration::progress;
use crate::iteration::withs::Manager;
use crate::operators::statements::branch;
use crate::operators::{Decides, decides, logic, object};
use crate::session::conv::conv;
use crate::session::top_frame::top_frame;
use crate::session::{self, Tracing, frames};

/// Set on the code of a function that makes a generator.
const GENERATOR: u32 = 0x20;

/// Names, on an `__iter__`, the generator function that stands for it in a graph.
const STAGED: &str = "_staged";

/// References to what only the call of the loop over it holds.
pub const OF_CALL: usize = 1;

/// A function that makes generators, as converted code calls it.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Makes {
    function: Py<PyAny>,
    emitting: Py<PyFunction>,
}

/// Callable for use in place of a converted function: itself, or a maker of generators that a loop of the graph
/// can ask.
pub fn made_by<'py>(
    function: Bound<'py, PyAny>,
    own: &Bound<'py, PyFunction>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    if !is_generator(own)? || !session::is_tracing() {
        return Ok(function);
    }
    let Some(emitting) = convert::pushed(own, object::the(py)?.as_any(), Pushed::Emitting)? else {
        return Ok(Bound::new(py, MakesPlain::of(function))?.into_any());
    };
    let makes = Makes { function: function.unbind(), emitting: emitting.unbind() };
    Ok(Bound::new(py, makes)?.into_any())
}

#[pymethods]
impl Makes {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plain = self.function.bind(py).call(args, kwargs)?;
        let Some(tracing) = session::current() else { return Ok(plain) };
        let made = Generator {
            plain: plain.unbind(),
            emitting: self.emitting.clone_ref(py),
            args: args.clone().unbind(),
            kwargs: kwargs.map(|kwargs| kwargs.clone().unbind()),
            home: tracing.trace.build(|b| b.region()),
            tracing,
            progress: Mutex::new(Progress::New),
            last: AtomicBool::new(false),
        };
        Ok(Bound::new(py, made)?.into_any())
    }
}

/// A generator.
#[pyclass(frozen, module = "graphwright")]
#[derive(Debug)]
pub struct Generator {
    /// Python's own.
    plain: Py<PyAny>,
    emitting: Py<PyFunction>,
    args: Py<PyTuple>,
    kwargs: Option<Py<PyDict>>,
    tracing: Arc<Tracing>,
    /// The region that made it: in another one, the graph decides how often it is asked.
    home: RegionId,
    progress: Mutex<Progress>,
    /// True if nobody asks for what the next loop leaves.
    last: AtomicBool,
}

/// Progress of a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It has not begun.
    New,
    /// Python asks it.
    Pythons,
    /// A loop has asked for all that it yields.
    Ended,
    /// A loop has asked for some of it.
    Left,
}

#[pymethods]
impl Generator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !self.is_pythons(py)? {
            return Ok(None);
        }
        match self.plain.bind(py).call_method0("__next__") {
            Err(end)
                if end.is_instance_of::<PyStopIteration>(py) && end.value(py).getattr("value")?.is_none() =>
            {
                Ok(None)
            }
            item => item.map(Some),
        }
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.is_pythons(py)?;
        self.plain.bind(py).getattr(name)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.plain.bind(py).repr()?.to_string())
    }
}

impl Generator {
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Python's own generator.
    pub fn plain<'py>(&self, py: Python<'py>) -> &Bound<'py, PyAny> {
        self.plain.bind(py)
    }

    /// True where Python asking is what the graph does each time it runs: in the region that made it, or when no graph is built.
    fn is_at_home(&self) -> bool {
        session::current().is_none_or(|tracing| {
            Arc::ptr_eq(&tracing, &self.tracing) && tracing.trace.build(|b| b.region()) == self.home
        })
    }

    /// Lets Python ask from now on; `false` if a loop has asked for all. GW107 if a loop has asked for some of it, GW503 where the
    /// graph decides how often it is asked.
    fn is_pythons(&self, py: Python<'_>) -> PyResult<bool> {
        if !self.is_at_home() {
            return Err(progress::frozen_generator(py));
        }
        let mut progress = self.lock();
        match *progress {
            Progress::New => {
                self.check_sources(py)?;
                *progress = Progress::Pythons;
                Ok(true)
            }
            Progress::Pythons => Ok(true),
            Progress::Ended => Ok(false),
            Progress::Left => {
                let message = "this generator was left by a loop, so what it has still to yield is not known";
                Err(errors::here(py, Code::TensorIterated, message, "make a new generator"))
            }
        }
    }

    /// Refuses a generator that Python runs, unconverted, where it may take items of an iterator that another region made, or
    /// sees what stands for a list, dict or optional value of the graph.
    fn check_sources(&self, py: Python<'_>) -> PyResult<()> {
        if self.sees_stand_ins(py)? {
            let message = "this asks a generator item by item while the graph is built, and the generator runs over a list, dict or \
                           set of the graph";
            let help = "loop over the generator, or make a list of its items: `list(generator)`";
            return Err(errors::here(py, Code::ListInGraph, message, help));
        }
        held_by(self.plain(py))?.iter().try_for_each(progress::may_advance)
    }

    /// True if Python's own generator may come to what stands for a list, dict or optional value of the graph.
    pub fn sees_stand_ins(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.tracing.holds_containers() && held_by(self.plain(py))?.iter().any(as_it_is::shows_stand_in))
    }

    /// True if a loop over it can run it: it has not begun, and nobody asks for what the loop leaves.
    pub fn can_emit(&self, object: &Bound<'_, Self>, stops: bool) -> PyResult<bool> {
        let innermost = session::current().is_some_and(|tracing| Arc::ptr_eq(&tracing, &self.tracing));
        let is_last = !stops
            || self.last.load(Ordering::Relaxed)
            || !consumers().is_empty()
            || references::count(object)? <= OF_CALL;
        Ok(innermost && is_last && *self.lock() == Progress::New)
    }
}

/// Generator made by a function of `graphwright._meanings.written`.
pub fn generator<'py>(name: &str, arguments: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    let written = arguments.py().import("graphwright._meanings.written")?;
    conv(&written.getattr(name)?)?.call1(arguments)
}

/// The generator that an object is, or that its class makes of it, for a loop that is the last to ask; `None` if the
/// object is iterated in another way.
#[pyfunction]
pub fn asked_last<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Generator>>> {
    let found = match object.cast::<Generator>() {
        Ok(generator) => Some(generator.clone()),
        Err(_) => made_anew(object)?,
    };
    if let Some(generator) = &found {
        generator.get().last.store(true, Ordering::Relaxed);
    }
    Ok(found)
}

/// The generator that `__iter__` of a class of the user's makes, if it is a generator function or names one that graphs ask
/// in its place, as a [`STAGED`] attribute: what iterates eagerly at the speed of its own does.
pub fn made_anew<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, Generator>>> {
    if !session::is_tracing() {
        return Ok(None);
    }
    let Some(make) = object.get_type().getattr_opt(pyo3::intern!(object.py(), "__iter__"))? else {
        return Ok(None);
    };
    let make = make.getattr_opt(STAGED)?.unwrap_or(make);
    let Ok(make) = make.cast::<PyFunction>() else { return Ok(None) };
    if !is_generator(make)? {
        return Ok(None);
    }
    Ok(conv(make.as_any())?.call1((object,))?.cast_into::<Generator>().ok())
}

fn is_generator(function: &Bound<'_, PyFunction>) -> PyResult<bool> {
    let flags: u32 =
        function.getattr(pyo3::intern!(function.py(), "__code__"))?.getattr("co_flags")?.extract()?;
    Ok(flags & GENERATOR != 0)
}

/// A loop over a generator, or a `with` whose manager is one.
#[derive(Debug)]
struct Body {
    /// Its variables, as the user knows them.
    slots: Vec<Slot>,
    /// Places of its variables.
    places: Places,
    body: Py<PyAny>,
    extra_test: Option<Py<PyAny>>,
    /// The manager of a `with`.
    manager: Option<Py<Manager>>,
    /// Last exception that its body raised.
    raised: Mutex<Option<PyErr>>,
    /// The arrays that its body returned on some paths.
    returning: Mutex<Option<Returning>>,
    /// The frame that it stands in.
    frame: Option<Py<PyAny>>,
    bodies_around: usize,
    /// True if it was its body that failed.
    failed: AtomicBool,
    /// True if it stops before the end, or may.
    stops: AtomicBool,
}

/// `for item in generator: body(item)`, while `extra_test()`.
pub fn each<'py>(
    generator: &Bound<'py, Generator>,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let py = body.py();
    let Some(test) = extra_test else { return run(generator, None, body, state) };
    let go = test.call0()?;
    if matches!(decides(&go)?, Decides::Python) {
        return if go.is_truthy()? { run(generator, extra_test, body, state) } else { Ok(()) };
    }
    let (generator, own, test) = (generator.clone().unbind(), body.clone().unbind(), test.clone().unbind());
    let (slots, places) = state.own()?;
    let all = callable(py, move |py| {
        let consumer =
            Body::new(py, (slots.clone(), places.clone_ref(py)), Some(test.bind(py)), own.bind(py));
        consumer.run(generator.bind(py))?;
        Ok(py.None())
    })?;
    branch(&go, [&all, &callable(py, |py| Ok(py.None()))?], state, &[body])
}

fn run<'py>(
    generator: &Bound<'py, Generator>,
    extra_test: Option<&Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    Body::new(body.py(), state.own()?, extra_test, body).run(generator)
}

impl Body {
    fn new(
        py: Python<'_>,
        (slots, places): (Vec<Slot>, Places),
        extra_test: Option<&Bound<'_, PyAny>>,
        body: &Bound<'_, PyAny>,
    ) -> Self {
        let frame = top_frame(py).map(Bound::unbind);
        let (body, extra_test) = (body.clone().unbind(), extra_test.map(|test| test.clone().unbind()));
        Self {
            slots,
            places,
            body,
            extra_test,
            manager: None,
            raised: Mutex::new(None),
            returning: Mutex::default(),
            frame,
            bodies_around: session::current().map_or(0, |tracing| tracing.tries().bodies()),
            failed: AtomicBool::new(false),
            stops: AtomicBool::new(false),
        }
    }

    /// Runs the generator to its end, or until the loop stops it.
    fn run(self, generator: &Bound<'_, Generator>) -> PyResult<()> {
        let (py, this) = (generator.py(), generator.get());
        if this.tracing.trace.build(|b| b.region()) != this.home {
            let message = "a generator is asked outside the branch, loop or function that made it";
            return Err(errors::here(
                py,
                Code::TensorIterated,
                message,
                "make the generator where it is used",
            ));
        }
        *this.lock() = Progress::Left;
        let consumer = Arc::new(self);
        let consumers = &this.tracing.consumers();
        consumers.lock().push(consumer.clone());
        let ran = this.emitting.bind(py).call(this.args.bind(py), this.kwargs.as_ref().map(|k| k.bind(py)));
        consumers.lock().pop();
        if !consumer.stops.load(Ordering::Relaxed) {
            *this.lock() = Progress::Ended;
        }
        match ran {
            Err(error)
                if error.is_instance_of::<PyStopIteration>(py)
                    && !consumer.failed.load(Ordering::Relaxed) =>
            {
                Err(PyRuntimeError::new_err("generator raised StopIteration"))
            }
            ran => ran.map(drop),
        }
    }

    /// Does with an item what the loop does; whether the loop stops then.
    fn does<'py>(&self, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = item.py();
        if let Some(manager) = &self.manager {
            manager.get().enters(item);
            let ran = self.body.bind(py).call0();
            let error = ran.as_ref().err().map(|error| error.clone_ref(py));
            *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = error;
            let returning = Returning::of(&self.slots, &self.places, py)?;
            *self.returning.lock().unwrap_or_else(PoisonError::into_inner) = Some(returning);
            return ran;
        }
        self.body.bind(py).call1((crate::host::operands::given(item.clone())?,))?;
        match &self.extra_test {
            None => Ok(false.into_pyobject(py)?.to_owned().into_any()),
            Some(test) => {
                let stops = logic::not(&test.bind(py).call0()?)?;
                let goes_on = stops.extract::<bool>().is_ok_and(|stops| !stops);
                self.stops.fetch_or(!goes_on, Ordering::Relaxed);
                Ok(stops)
            }
        }
    }
}

impl Consumer for Body {
    fn variables(&self) -> (&[Slot], &Places) {
        (&self.slots, &self.places)
    }

    fn blocks(&self) -> Vec<&Py<PyAny>> {
        std::iter::once(&self.body).chain(&self.extra_test).collect()
    }

    fn bodies_around(&self) -> usize {
        self.bodies_around
    }

    fn take<'py>(&self, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let taken = match &self.frame {
            Some(frame) => frames::in_loop_of(frame.bind(item.py()), || self.does(item)),
            None => self.does(item),
        };
        self.failed.store(taken.is_err(), Ordering::Relaxed);
        taken
    }
}

/// `with manager: body()`, where `generator` runs the body and gives whether it did.
pub fn manage<'py>(
    tracing: &Tracing,
    manager: &Bound<'py, Manager>,
    generator: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    body: &Bound<'py, PyAny>,
    state: &PyState<'_, 'py>,
) -> PyResult<()> {
    let py = body.py();
    let consumer = Body::new(py, state.own()?, None, body);
    let consumer = Arc::new(Body { manager: Some(manager.clone().unbind()), ..consumer });
    tracing.consumers().lock().push(consumer.clone());
    let ran = generator();
    tracing.consumers().lock().pop();
    let returning = consumer.returning.lock().unwrap_or_else(PoisonError::into_inner).take();
    let raised = consumer.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match ran {
        Ok(yielded) => match yielded.extract::<bool>() {
            Ok(true) => returning.map_or(Ok(()), |returning| returning.check(py)),
            Ok(false) => Err(PyRuntimeError::new_err("generator didn't yield")),
            Err(_) => {
                let message = "a tensor decides whether the manager of this `with` yields";
                let help = "let it yield on every path, and decide in the body of the `with`";
                Err(errors::here(py, Code::TensorIterated, message, help))
            }
        },
        // Exceptions raised by the body come from the body, whatever of the manager they passed.
        Err(error) if raised.as_ref().is_some_and(|own| own.value(py).is(error.value(py))) => {
            Err(raised.unwrap_or(error))
        }
        Err(error) if error.is_instance_of::<PyStopIteration>(py) => {
            Err(PyRuntimeError::new_err("generator raised StopIteration"))
        }
        Err(error) => Err(error),
    }
}

/// Gives what a generator yields to the loop over it; whether that stops.
pub fn give<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let nobody = || InternalError::new_err("nobody asks the generator");
    let tracing = session::current().ok_or_else(nobody)?;
    let consumer = tracing.consumers().lock().pop().ok_or_else(nobody)?;
    let taken = consumer.take(value);
    tracing.consumers().lock().push(consumer);
    taken
}
