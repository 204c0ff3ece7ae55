//! Replay: the answers that host code gave to a run of a graph, for plain Python that does the call again in its place.
//!
//! A run ends where host code gives something of another type than was observed. Plain Python begins the call anew, with the
//! answers that are there and without the texts that were printed, and goes on from the last of them: nothing happens twice.

use std::cell::RefCell;
use std::collections::VecDeque;

use gw_base::Loc;
use gw_runtime::Buffer;
use pyo3::prelude::*;

/// Something that a run did on the host.
#[derive(Debug)]
enum Done {
    /// The answer of a call at a place.
    Called(Loc, Py<PyAny>),
    /// The exception of a call at a place.
    Raised(Loc, PyErr),
    /// A printed text.
    Printed,
}

/// All that a run did on the host.
#[derive(Debug, Default)]
pub struct Record {
    done: VecDeque<Done>,
    /// The bytes of the answers.
    size: usize,
}

/// A run that an answer ended which is not of the observed type, and the error that says so.
#[derive(Debug)]
pub struct Ended {
    record: Record,
    error: PyErr,
}

/// More is not recorded: a longer run ends with the error.
const MOST_DONE: usize = 100_000;
const MOST_BYTES: usize = 1 << 24;

thread_local! {
    /// The run of this thread that ended last.
    static ENDED: RefCell<Option<Ended>> = const { RefCell::new(None) };
    /// The run that plain Python does again.
    static AGAIN: RefCell<Option<Ended>> = const { RefCell::new(None) };
}

impl Record {
    /// Adds the answer of a call; nothing is left if there is too much of it.
    pub fn called(mut self, place: &Loc, answer: Py<PyAny>, taken: &[Buffer]) -> Option<Self> {
        self.size += taken.iter().map(|buffer| buffer.bytes().len()).sum::<usize>();
        self.done.push_back(Done::Called(place.clone(), answer));
        self.bounded()
    }

    /// Adds the exception of a call.
    pub fn raised(mut self, place: &Loc, error: PyErr) -> Option<Self> {
        self.done.push_back(Done::Raised(place.clone(), error));
        self.bounded()
    }

    /// Adds a printed text; nothing is left if there is too much.
    pub fn printed(mut self) -> Option<Self> {
        self.done.push_back(Done::Printed);
        self.bounded()
    }

    fn bounded(self) -> Option<Self> {
        (self.done.len() <= MOST_DONE && self.size <= MOST_BYTES).then_some(self)
    }

    /// Says that the run ends with the last answer.
    pub fn end(self, error: PyErr) {
        ENDED.set(Some(Ended { record: self, error }));
    }
}

/// The run that ended with this error, if an answer ended it.
pub fn ended_by(py: Python<'_>, error: &PyErr) -> Option<Ended> {
    ENDED.take().filter(|ended| ended.error.value(py).is(error.value(py)))
}

impl Ended {
    /// Says why plain Python does the call.
    pub fn reason(&self, py: Python<'_>) -> PyResult<String> {
        match self.record.done.back() {
            Some(Done::Raised(_, error)) => {
                let class = error.get_type(py).name()?;
                Ok(format!(
                    "host code raised a `{class}` that a handler meets, and that no call had observed"
                ))
            }
            Some(Done::Called(..) | Done::Printed) | None => {
                Ok(self.error.value(py).str().map_or_else(|_| "an error".to_owned(), |said| said.to_string()))
            }
        }
    }

    /// Does the call again by `run`, which goes on where the run ended.
    ///
    /// # Errors
    /// That of `run`; the one that ended the run if plain Python takes another way than it did.
    pub fn again<T>(self, py: Python<'_>, run: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        let before = AGAIN.replace(Some(self));
        let result = run();
        match AGAIN.replace(before) {
            Some(left) if !left.record.done.is_empty() && result.is_ok() => Err(left.error.clone_ref(py)),
            Some(_) | None => result,
        }
    }
}

/// The answer or exception that a call at a place gave to the run that is done again; none if this call goes beyond it.
pub fn answer<'py>(py: Python<'py>, place: &Loc) -> PyResult<Option<PyResult<Bound<'py, PyAny>>>> {
    next(py, |done| done.at(py, place))
}

/// The same if that call is the next that the run made.
pub fn answer_if_next<'py>(py: Python<'py>, place: &Loc) -> Option<PyResult<Bound<'py, PyAny>>> {
    let done = AGAIN.with_borrow_mut(|again| {
        let done = &mut again.as_mut()?.record.done;
        match done.front()? {
            Done::Called(at, _) | Done::Raised(at, _) if at == place => done.pop_front(),
            Done::Called(..) | Done::Raised(..) | Done::Printed => None,
        }
    });
    done?.at(py, place)
}

impl Done {
    /// The outcome of a call, if it is that at this place.
    fn at<'py>(self, py: Python<'py>, place: &Loc) -> Option<PyResult<Bound<'py, PyAny>>> {
        match self {
            Done::Called(at, answer) if at == *place => Some(Ok(answer.into_bound(py))),
            Done::Raised(at, error) if at == *place => Some(Err(error)),
            Done::Called(..) | Done::Raised(..) | Done::Printed => None,
        }
    }
}

/// True if a text was printed by the run that is done again.
pub fn has_printed(py: Python<'_>) -> PyResult<bool> {
    let printed = next(py, |done| matches!(done, Done::Printed).then_some(()))?;
    Ok(printed.is_some())
}

fn next<T>(py: Python<'_>, take: impl FnOnce(Done) -> Option<T>) -> PyResult<Option<T>> {
    let error = |ended: &Ended| ended.error.clone_ref(py);
    let Some((done, error)) = AGAIN.with_borrow_mut(|again| {
        let ended = again.as_mut()?;
        Some((ended.record.done.pop_front()?, error(ended)))
    }) else {
        return Ok(None);
    };
    take(done).map(Some).ok_or(error)
}
