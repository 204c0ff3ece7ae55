//! The traces that are open on this thread, and where in the user's text Python is now.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use gw_base::{Diagnostic, Loc, Within};
use gw_runtime::Buffer;
use gw_trace::{Staged, Trace};
use gw_types::Texts;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use crate::arguments::Arguments;
use crate::asking::Natively;
use crate::convert;
use crate::generators::Consumers;
use crate::guards::Recorder;
use crate::kept::MadeObjects;
use crate::number_types::Denied;
use crate::positions::{Position, positions};
use crate::progress::Homes;
use crate::python_print::Printed;
use crate::recursion::Calls;
use crate::regions::Regions;
use crate::rolling::{Roll, Rolling};
use crate::semantics::Arrays;
use crate::served::HostSide;
use crate::tensor::Tensor;
use crate::tracked::{Capture, Variables};
use crate::tries::{self, Tries};
use crate::written::{self, is_ours};
use crate::{boxes, hidden, inherited, lists, tables};

/// Arrays up to this many bytes, and tensors of whole numbers, become constants of the graph; all others are inputs that the
/// caller adds.
const LARGEST_CONSTANT: usize = 1024;

/// One tracing of a Python function.
#[derive(Debug)]
pub struct Tracing {
    /// The graph.
    pub trace: Trace,
    /// What its branches and loops store into.
    pub regions: Regions,
    /// The lists and dicts among its arguments.
    pub arguments: Arguments,
    /// The calls that may come again.
    pub calls: Calls,
    /// The loops over generators that are being run.
    pub consumers: Consumers,
    /// The bodies of `try` that are being traced.
    pub tries: Tries,
    /// What lists they change.
    pub lists: lists::Registry,
    /// Where the iterators were made that it met.
    pub homes: Homes,
    /// The functions that Python itself calls and that ask what differs.
    pub natively: Natively,
    /// The objects of the user's classes that the function made.
    pub made_objects: MadeObjects,
    /// The attributes of these that may be their class's.
    pub inherited: inherited::Registry,
    /// What else they change without naming it.
    pub hidden: hidden::Registry,
    /// The objects of which it decides whether they are one.
    pub boxes: boxes::Registry,
    /// The dicts and sets that are in it.
    pub tables: tables::Registry,
    /// What the graph takes besides the tensors among its arguments, with the parameter that it is.
    pub captures: Mutex<Vec<(Capture, Staged)>>,
    /// What of the world outside it was made with.
    pub guards: Mutex<Recorder>,
    /// The variables met so far.
    pub variables: Mutex<Variables>,
    /// Tensors from outside that were read, with what they held.
    outside: Mutex<Vec<(Py<Tensor>, Buffer)>>,
    /// Why the graph is not the program's, although tracing goes on.
    stopped: Mutex<Option<Diagnostic>>,
    /// The first `raise` of the user's in whose place the graph raises.
    raises: Mutex<Option<Loc>>,
    /// What the program's guards were told of tensors.
    pub denied: Denied,
    /// Keeps Python's strings that may become values of the graph.
    pub texts: Mutex<Texts>,
    /// The host's side of it.
    pub host_side: HostSide,
    /// What it knows of the NumPy arrays in it.
    pub arrays: Arrays,
    /// Its loops over Python's numbers.
    pub rolling: Rolling,
    /// Texts printed while the graph was built.
    pub printed: Arc<Printed>,
    /// True if any value may be `None`.
    pub has_optional: AtomicBool,
}

impl Tracing {
    /// A tracing of a function of this name; `printed` is what tracings of the same call printed before it.
    pub fn new(name: &str, roll: Roll, printed: &Arc<Printed>) -> Arc<Self> {
        printed.begin();
        let trace = Trace::new(name);
        trace.set_promotion(graphwright::promotion::said());
        Arc::new(Self {
            trace,
            regions: Regions::default(),
            arguments: Arguments::default(),
            calls: Calls::default(),
            consumers: Consumers::default(),
            tries: Tries::default(),
            lists: lists::Registry::default(),
            homes: Homes::default(),
            natively: Natively::default(),
            made_objects: MadeObjects::default(),
            inherited: inherited::Registry::default(),
            hidden: hidden::Registry::default(),
            boxes: boxes::Registry::default(),
            tables: tables::Registry::default(),
            captures: Mutex::default(),
            guards: Mutex::default(),
            variables: Mutex::default(),
            outside: Mutex::default(),
            stopped: Mutex::default(),
            raises: Mutex::default(),
            denied: Denied::default(),
            texts: Mutex::default(),
            host_side: HostSide::default(),
            arrays: Arrays::default(),
            rolling: Rolling::new(roll),
            printed: printed.clone(),
            has_optional: AtomicBool::default(),
        })
    }

    /// A tensor that holds values, as a value of this graph.
    pub fn bring(&self, buffer: &Buffer) -> Staged {
        if let Some(known) = self.captured_tensor(buffer) {
            return known;
        }
        if buffer.bytes().len() <= LARGEST_CONSTANT {
            let literal = gw_ir::Literal::new(buffer.dtype(), buffer.lengths().to_vec(), buffer.bytes());
            return self.trace.constant(literal);
        }
        self.capture_tensor(buffer)
    }

    /// The parameter that a tensor from outside is, if it is one.
    pub fn captured_tensor(&self, buffer: &Buffer) -> Option<Staged> {
        let captures = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |c: &Capture| matches!(c, Capture::Tensor(b) if b.as_ptr() == buffer.as_ptr());
        captures.iter().find(|(c, _)| same(c)).map(|(_, known)| *known)
    }

    /// A tensor that holds values, as a parameter of this graph: one value, however often it is used.
    pub fn capture_tensor(&self, buffer: &Buffer) -> Staged {
        if let Some(known) = self.captured_tensor(buffer) {
            return known;
        }
        let mut captures = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        let lengths: Vec<_> = buffer.lengths().iter().map(|&n| Some(n)).collect();
        let staged = self.trace.capture(buffer.dtype(), &lengths);
        captures.push((Capture::Tensor(buffer.clone()), staged));
        staged
    }

    /// Remembers why the graph is not the program's; nothing that the program catches makes it one again.
    pub fn stop(&self, why: Diagnostic) {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    /// Tracing goes on from where this was all that [`Tracing::stop`] had been told.
    pub fn go_on(&self, stopped: Option<Diagnostic>) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = stopped;
    }

    /// Lets go of all objects, when nothing of it is needed any more but what is said of its values: one that got out of the
    /// function holds the tracing, which the collector does not see.
    pub fn forget(&self) {
        self.arguments.forget();
        self.calls.forget();
        self.tries.forget();
        self.hidden.forget();
        self.inherited.forget();
        self.made_objects.forget();
        let captures = std::mem::take(&mut *self.captures.lock().unwrap_or_else(PoisonError::into_inner));
        let guards = std::mem::take(&mut *self.guards.lock().unwrap_or_else(PoisonError::into_inner));
        let variables = std::mem::take(&mut *self.variables.lock().unwrap_or_else(PoisonError::into_inner));
        let served = std::mem::take(&mut *self.host_side.functions());
        drop((captures, guards, variables, served, self.outside()));
    }

    /// What [`Tracing::stop`] was told first.
    pub fn stopped(&self) -> Option<Diagnostic> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers that the graph raises in the place of this `raise` of the user's.
    pub fn set_raises(&self, at: &Loc) {
        self.raises.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| at.clone());
    }

    /// The first such `raise`.
    pub fn raises(&self) -> Option<Loc> {
        self.raises.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The tensors from outside that were read, with what they held: the graph is the program's as long as they do.
    pub fn outside(&self) -> Vec<(Py<Tensor>, Buffer)> {
        std::mem::take(&mut self.outside.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds what the caller adds, and the parameter that it is.
    pub fn add_capture(&self, capture: Capture, staged: Staged) {
        self.captures.lock().unwrap_or_else(PoisonError::into_inner).push((capture, staged));
    }

    /// What the caller adds, in the order of its parameters.
    pub fn captured(&self) -> Vec<Capture> {
        let captures = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        captures.iter().map(|(capture, _)| capture.clone()).collect()
    }
}

thread_local! {
    /// From the outermost to the innermost.
    static OPEN: RefCell<Vec<Open>> = const { RefCell::new(Vec::new()) };
    /// What the body of each loop whose statement runs said of it, the innermost last.
    static LOOPS: RefCell<Vec<LoopOptions>> = const { RefCell::new(Vec::new()) };
    static POSITIONS: RefCell<HashMap<usize, Arc<Code>>> = RefCell::new(HashMap::new());
    /// Frames of generators that run the body of a loop, each with the frame of the loop.
    static SKIPPED: RefCell<Vec<[Py<PyAny>; 2]>> = const { RefCell::new(Vec::new()) };
}

/// A tracing that is open, and the frame that called the function: it is no part of the graph's text.
struct Open {
    /// `None` where code runs outside of all of them for a while.
    tracing: Option<Arc<Tracing>>,
    outside: Option<Py<PyAny>>,
}

/// The innermost tracing of this thread.
pub fn current() -> Option<Arc<Tracing>> {
    OPEN.with_borrow(|open| open.last().and_then(|open| open.tracing.clone()))
}

/// The tracing in which the innermost one was begun.
pub fn around() -> Option<Arc<Tracing>> {
    OPEN.with_borrow(|open| open.iter().rev().nth(1).and_then(|open| open.tracing.clone()))
}

/// Whether a tracing is open on this thread.
pub fn is_tracing() -> bool {
    OPEN.with_borrow(|open| open.last().is_some_and(|open| open.tracing.is_some()))
}

/// Takes down that the innermost tracing of this thread, if there is one, read a tensor from outside.
pub fn note_outside(tensor: &Bound<'_, Tensor>, buffer: &Buffer) {
    let Some(tracing) = current() else { return };
    let mut outside = tracing.outside.lock().unwrap_or_else(PoisonError::into_inner);
    if !outside.iter().any(|(known, _)| known.is(tensor)) {
        outside.push((tensor.clone().unbind(), buffer.clone()));
        drop(outside);
        if buffer.dtype().is_float() {
            // A tape may watch it, now or at a later call: its derivative needs it as a parameter.
            tracing.capture_tensor(buffer);
        }
    }
}

/// The statement of a loop runs until this is dropped; options that its body sets are its own.
pub struct InLoop(());

/// Begins the statement of a loop.
pub fn in_loop() -> InLoop {
    LOOPS.with_borrow_mut(|loops| loops.push(LoopOptions::default()));
    InLoop(())
}

impl Drop for InLoop {
    fn drop(&mut self) {
        let _ = LOOPS.with_borrow_mut(Vec::pop);
    }
}

/// What the body of a loop may say of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoopOptions {
    /// The most iterations that it may take.
    pub most: Option<i64>,
    /// In how many levels of segments it is: the way back keeps what segments begin with, and no more.
    pub segments: usize,
}

/// What the body of the innermost loop said so far.
pub fn loop_options() -> LoopOptions {
    LOOPS.with_borrow(|loops| loops.last().copied().unwrap_or_default())
}

/// Says more.
pub fn change_loop_options(change: impl FnOnce(&mut LoopOptions)) {
    LOOPS.with_borrow_mut(|loops| loops.last_mut().map(change));
}

/// Runs `step` with `tracing` innermost.
pub fn within<T>(py: Python<'_>, tracing: &Arc<Tracing>, step: impl FnOnce() -> T) -> T {
    with_innermost(py, Some(tracing.clone()), step)
}

/// Runs `step` outside of every graph, as `gw.init_scope` does.
pub fn outside<T>(py: Python<'_>, step: impl FnOnce() -> T) -> T {
    with_innermost(py, None, step)
}

fn with_innermost<T>(py: Python<'_>, innermost: Option<Arc<Tracing>>, step: impl FnOnce() -> T) -> T {
    struct Leave;
    impl Drop for Leave {
        fn drop(&mut self) {
            leave();
        }
    }
    enter(py, innermost);
    let _leave = Leave;
    step()
}

/// Opens a tracing, or leaves all of them for a while; [`leave`] ends it.
pub fn enter(py: Python<'_>, tracing: Option<Arc<Tracing>>) {
    let open = Open { tracing, outside: top_frame(py).map(Bound::unbind) };
    OPEN.with_borrow_mut(|all| all.push(open));
}

/// Ends what [`enter`] began.
pub fn leave() {
    drop(OPEN.with_borrow_mut(Vec::pop));
    drop(POSITIONS.take());
}

/// What is known of a code object. Holds the object, so that its address stays its own.
struct Code {
    _object: Py<PyAny>,
    file: Arc<str>,
    function: Arc<str>,
    is_block: bool,
    /// The position of each instruction.
    positions: Vec<Position>,
}

/// Where in the user's text Python is now, and while a function is traced, the calls that led there from it.
pub fn place(py: Python<'_>) -> Option<Loc> {
    let tracing = is_tracing();
    let outside = OPEN.with_borrow(|open| open.last()?.outside.as_ref().map(Py::as_ptr));
    let mut entries = Vec::new();
    let mut below_is_block = false;
    let mut next = top_frame(py);
    while let Some(frame) = next {
        if outside == Some(frame.as_ptr()) && !entries.is_empty() {
            break;
        }
        let known = known_code(&frame.getattr(intern!(py, "f_code")).ok()?)?;
        next = back(&frame);
        if is_ours(py, &known.file) || written::is_made(&known.file, &known.function) {
            continue;
        }
        if !below_is_block {
            entries.push((known.function.clone(), in_frame(&frame, &known)));
        }
        if !tracing {
            break;
        }
        below_is_block = known.is_block;
    }
    let at = entries.into_iter().rev().fold(None, |caller, (function, at)| {
        Some(Loc { within: tracing.then(|| Arc::new(Within { function, caller })), ..at })
    });
    tries::note(py, at.as_ref());
    at
}

/// The frame that a frame goes back to: for the body of a loop over a generator, that of the loop.
fn back<'py>(frame: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = frame.py();
    let next = frame.getattr(intern!(py, "f_back")).ok().filter(|next| !next.is_none())?;
    let loop_of = |skipped: &[Py<PyAny>; 2]| skipped[0].is(&next).then(|| skipped[1].bind(py).clone());
    SKIPPED.with_borrow(|all| all.iter().rev().find_map(loop_of)).or(Some(next))
}

/// Runs the body of the loop that stands in a frame, for the generator that runs now.
pub fn in_loop_of<T>(frame: &Bound<'_, PyAny>, body: impl FnOnce() -> T) -> T {
    let py = frame.py();
    let Some(generator) = top_frame(py) else { return body() };
    SKIPPED.with_borrow_mut(|all| all.push([generator.unbind(), frame.clone().unbind()]));
    let result = body();
    drop(SKIPPED.with_borrow_mut(Vec::pop));
    result
}

/// The frames of the user's code that run within the function that is traced, the innermost first.
pub fn users_frames<'py>(py: Python<'py>) -> Vec<Bound<'py, PyAny>> {
    let outside = OPEN.with_borrow(|open| open.last()?.outside.as_ref().map(Py::as_ptr));
    let frames = std::iter::successors(top_frame(py), back);
    let within = frames.take_while(|frame| outside != Some(frame.as_ptr()));
    let is_users = |frame: &Bound<'py, PyAny>| {
        let code = frame.getattr(intern!(py, "f_code")).ok();
        code.and_then(|code| known_code(&code)).is_some_and(|known| !is_ours(py, &known.file))
    };
    within.filter(is_users).collect()
}

/// Where in the user's text an exception was raised: in the last frame of its traceback.
pub fn raised_at(entry: &Bound<'_, PyAny>) -> Option<Loc> {
    let code = known_code(&entry.getattr("tb_frame").ok()?.getattr("f_code").ok()?)?;
    Some(in_entry(entry, &code))
}

/// The entries of an exception's traceback, the outermost first.
pub fn entries_of<'py>(py: Python<'py>, error: &PyErr) -> Vec<Bound<'py, PyAny>> {
    let next = |entry: &Bound<'py, PyAny>| entry.getattr("tb_next").ok().filter(|next| !next.is_none());
    std::iter::successors(error.traceback(py).map(Bound::into_any), next).collect()
}

/// Where in the user's text an exception was raised that was caught here, with the calls that led there from the function
/// that is traced.
pub fn raised_within(py: Python<'_>, error: &PyErr) -> Option<Loc> {
    let mut at = place(py);
    for entry in entries_of(py, error) {
        let code = known_code(&entry.getattr("tb_frame").ok()?.getattr("f_code").ok()?)?;
        if is_ours(py, &code.file) {
            continue;
        }
        // A block of a statement is a line of the function that has the statement.
        let within = match at.as_ref().and_then(|at| at.within.as_deref()) {
            Some(within) if code.is_block => within.clone(),
            Some(_) | None => Within { function: code.function.clone(), caller: at },
        };
        let here = in_entry(&entry, &code);
        at = Some(Loc { within: Some(Arc::new(within)), ..here });
    }
    at
}

/// The frame that Python runs now.
pub fn top_frame(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    static GETFRAME: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get = GETFRAME
        .get_or_try_init(py, || Ok::<_, PyErr>(py.import("sys")?.getattr("_getframe")?.unbind()))
        .ok()?;
    get.bind(py).call0().ok()
}

fn known_code(code: &Bound<'_, PyAny>) -> Option<Arc<Code>> {
    let key = code.as_ptr() as usize;
    if let Some(known) = POSITIONS.with_borrow(|all| all.get(&key).cloned()) {
        return Some(known);
    }
    let text = |name| code.getattr(name).ok()?.extract::<String>().ok();
    let known = Arc::new(Code {
        _object: code.clone().unbind(),
        file: text("co_filename")?.into(),
        function: text("co_name")?.into(),
        is_block: convert::is_block(code).unwrap_or(false),
        positions: positions(code),
    });
    POSITIONS.with_borrow_mut(|all| all.insert(key, known.clone()));
    Some(known)
}

fn in_frame(frame: &Bound<'_, PyAny>, code: &Code) -> Loc {
    let py = frame.py();
    at_instruction(frame, intern!(py, "f_lineno"), intern!(py, "f_lasti"), code)
}

fn in_entry(entry: &Bound<'_, PyAny>, code: &Code) -> Loc {
    let py = entry.py();
    at_instruction(entry, intern!(py, "tb_lineno"), intern!(py, "tb_lasti"), code)
}

/// The place of the instruction that a frame, or an entry of a traceback, is at.
fn at_instruction(
    holder: &Bound<'_, PyAny>,
    line: &Bound<'_, PyString>,
    instruction: &Bound<'_, PyString>,
    code: &Code,
) -> Loc {
    let number = |name| holder.getattr(name).ok().and_then(|v| v.extract::<i64>().ok()).unwrap_or(-1);
    let at = usize::try_from(number(instruction)).ok().and_then(|i| code.positions.get(i / 2));
    let file = code.file.clone();
    match at {
        Some(&(Some(line), Some(end_line), Some(column), Some(end_column))) => {
            Loc { file, line, column, end_line, end_column, within: None }
        }
        _ => Loc::of_line(file, u32::try_from(number(line)).unwrap_or(1)),
    }
}
