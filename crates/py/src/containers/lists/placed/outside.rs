//! Objects that stand for elements where a statement begins whose blocks do not reach them: what they hold changes with the
//! lists, but does not flow through the statement.

use std::sync::Arc;

use gw_trace::objects;
use pyo3::prelude::*;

use super::carry::carry_back;
use super::place::{Held, Place, Seen, put};
use super::registry::Mark;
use crate::containers::list_object::ListObject;
use crate::effects::alias;
use crate::host::PyHost;
use crate::session::Tracing;

/// Those of one statement.
pub struct Outside<'py> {
    py: Python<'py>,
    tracing: Arc<Tracing>,
    mark: Mark,
    all: Vec<Waiting>,
}

/// An object, and what it held when the statement began.
struct Waiting {
    object: Py<PyAny>,
    seen: Seen,
    /// The contents of its list then.
    held: Option<Held>,
    /// The number of times that an element of the list had been changed.
    writes: usize,
}

impl<'py> Outside<'py> {
    /// Those of a statement that begins now, which `reaches` other objects.
    pub fn enter(
        py: Python<'py>,
        tracing: &Arc<Tracing>,
        reaches: impl Fn(&Bound<'py, PyAny>) -> bool,
    ) -> PyResult<Self> {
        carry_back(py, false)?;
        let waiting = |place: &Place| {
            let list = place.list.bind(py);
            let (held, writes) = (Held::of(list)?, tracing.lists().placed.writes(list));
            let seen = Seen::now(place.object.bind(py))?;
            Ok(Waiting { object: place.object.clone_ref(py), seen, held, writes })
        };
        let all = tracing.lists().placed.with(|all| {
            let outside = all.iter().filter(|place| !place.is_lost && !reaches(place.object.bind(py)));
            outside.map(waiting).collect::<PyResult<_>>()
        })?;
        Ok(Self { py, tracing: tracing.clone(), mark: tracing.lists().placed.mark(), all })
    }

    /// The statement was traced for nothing: what it reached gets back what it held by other ways.
    pub fn undo(&self) -> PyResult<()> {
        let lists = self.tracing.lists();
        lists.placed.rewind(self.mark);
        lists.placed.undo(lists.all.depth(), self.py)?;
        self.restore()
    }

    /// A statement that `repeats` puts objects into lists once more: one that was there before it enters twice.
    pub fn repeats(&self, was_there: impl Fn(&Py<PyAny>) -> bool) {
        self.tracing.lists().placed.repeats(self.mark, was_there);
    }

    /// Gives them what they held when the statement began.
    pub fn restore(&self) -> PyResult<()> {
        self.all.iter().try_for_each(|waiting| self.restore_one(waiting))
    }

    fn restore_one(&self, waiting: &Waiting) -> PyResult<()> {
        waiting.seen.put(waiting.object.bind(self.py))?;
        self.tracing.boxes().look_again(&waiting.seen.parts, self.py)
    }

    /// Gives them what their lists hold behind the statement.
    pub fn end(&self) -> PyResult<()> {
        let placed = &self.tracing.lists().placed;
        placed.with(|all| self.all.iter().try_for_each(|waiting| self.end_one(all, waiting)))
    }

    fn end_one(&self, all: &[Place], waiting: &Waiting) -> PyResult<()> {
        let (py, object) = (self.py, waiting.object.bind(self.py));
        self.restore_one(waiting)?;
        let Some(place) = all.iter().find(|place| place.object.is(object)) else { return Ok(()) };
        let list = place.list.bind(py);
        if self.tracing.lists().placed.writes(list) == waiting.writes {
            return Ok(());
        }
        if place.is_lost {
            return Err(self.tracing.boxes().changed_in_list(object));
        }
        if let Some(held) = &waiting.held
            && held.is_now(list)?
        {
            return Ok(());
        }
        let list = ListObject::new(list);
        let wanted = vec![true; waiting.seen.leaves.len()];
        let leaves =
            objects::read_leaves(&PyHost::anywhere(py, self.tracing.clone()), &list, place.at, &wanted)?;
        put(object, &mut leaves.into_iter())?;
        self.tracing.boxes().look_again(&waiting.seen.parts, py)
    }
}

/// Something that is traced to see if it can be, and may be undone.
pub struct Trial<'py> {
    boxes: alias::Mark,
    elements: Outside<'py>,
}

impl<'py> Trial<'py> {
    /// It begins.
    pub fn begin(py: Python<'py>, tracing: &Arc<Tracing>) -> PyResult<Self> {
        Ok(Self { boxes: tracing.boxes().mark(), elements: Outside::enter(py, tracing, |_| false)? })
    }

    /// Nothing of it was: what it reached gets `back` what it held.
    pub fn undo(&self, back: impl FnOnce() -> PyResult<()>) -> PyResult<()> {
        let (py, tracing) = (self.elements.py, &self.elements.tracing);
        tracing.boxes().rewind(self.boxes);
        self.elements.undo()?;
        back()?;
        tracing.lists().placed.look(tracing.boxes(), py)
    }
}
