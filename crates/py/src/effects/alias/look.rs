//! Objects that the variables of a statement hold at one moment of it.

use std::cell::OnceCell;
use std::collections::HashMap;

use gw_trace::Slot;
use pyo3::prelude::*;

use super::reference_counts::Names;
use super::{Aliases, Path, Same, changes_in_place, each};
use crate::host::nesting;
use crate::host::structure::{self, Kind};
use crate::session::frames;

/// The objects in the variables at one moment of a statement.
pub struct Look<'a, 'b, 'py> {
    boxes: &'b Aliases<'a, 'py>,
    /// True if the statement begins.
    begins: bool,
    /// The objects that flow as themselves; where it does not begin, those that were not met yet.
    known: HashMap<Path, Bound<'py, PyAny>>,
    /// Objects that contain the part that is looked at.
    inside: Vec<Bound<'py, PyAny>>,
    now: OnceCell<Names>,
}

impl<'a, 'b, 'py> Look<'a, 'b, 'py> {
    /// At the begin of the statement, or with the objects that flowed as themselves then.
    pub fn new(boxes: &'b Aliases<'a, 'py>, first: Option<HashMap<Path, Bound<'py, PyAny>>>) -> Self {
        let begins = first.is_none();
        Self { boxes, begins, known: first.unwrap_or_default(), inside: Vec::new(), now: OnceCell::new() }
    }

    /// The objects that flow as themselves; where the statement does not begin, those that were not met.
    pub fn known(self) -> HashMap<Path, Bound<'py, PyAny>> {
        self.known
    }

    /// Value that flows in place of a part of a variable; nothing if the part flows as it is.
    pub fn part(
        &mut self,
        path: &mut Path,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some((kind, items)) = structure::open(value)? else { return Ok(None) };
        if path.1.len() > nesting::DEEPEST {
            return Err(nesting::too_deep(value.py()));
        }
        if changes_in_place(&kind, value)? {
            if self.is_itself(path, value) {
                return Ok(Some(Bound::new(value.py(), Same(value.clone().unbind()))?.into_any()));
            }
            if self.known.contains_key(path) {
                // The statement is to be traced again.
                return Ok(None);
            }
            self.see(path, value)?;
        }
        if matches!(kind, Kind::Table(_)) {
            // The list of its contents is its own.
            return Ok(None);
        }
        let mut kept = Vec::with_capacity(items.len());
        self.inside.push(value.clone());
        let all = each(path, &items, |path, item| {
            kept.push(self.part(path, item)?);
            Ok(())
        });
        self.inside.pop();
        all?;
        if kept.iter().all(Option::is_none) {
            return Ok(None);
        }
        let items = items.into_iter().zip(kept).map(|(item, kept)| kept.unwrap_or(item)).collect();
        kind.close(value.py(), items).map(Some)
    }

    /// Takes down the objects in a value that can be changed in place.
    pub fn seen(&mut self, path: &mut Path, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let Some((kind, items)) = structure::open(value)? else { return Ok(()) };
        if changes_in_place(&kind, value)? {
            self.see(path, value)?;
        }
        if matches!(kind, Kind::Table(_)) {
            return Ok(());
        }
        self.inside.push(value.clone());
        let all = each(path, &items, |path, item| self.seen(path, item));
        self.inside.pop();
        all
    }

    /// True if an object flows as itself.
    fn is_itself(&mut self, path: &Path, value: &Bound<'py, PyAny>) -> bool {
        if self.boxes.by_value.borrow().contains(path) {
            return false;
        }
        if self.begins && self.boxes.watch.holds(value) {
            self.known.insert(path.clone(), value.clone());
            return true;
        }
        match self.known.get(path) {
            Some(known) if known.is(value) => self.known.remove(path).is_some(),
            Some(_) => false,
            None => {
                self.boxes.by_value.borrow_mut().insert(path.clone());
                false
            }
        }
    }

    /// Takes down that an object is at a place, and whether it or what it is in has another name.
    fn see(&self, path: &Path, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let names = match self.now.get() {
            Some(names) => names,
            None => {
                let now = Names::now(value.py())?;
                self.now.get_or_init(|| now)
            }
        };
        // The value of an expression has no name yet, and variables of functions of this package are not counted.
        let is_result = self.boxes.slots.get(path.0) == Some(&Slot::Result);
        let has_name = !is_result && !frames::is_ours_now(value.py());
        let mut all = self.inside.iter().chain([value]);
        let aliased = all.any(|object| names.of(object) > usize::from(has_name));
        // One that an index of the graph chose is one of those that it was chosen from.
        let chosen_from = self.boxes.tracing.lists().chosen.sources(value);
        let aliased = aliased || !chosen_from.is_empty();
        let mut seen = self.boxes.seen.borrow_mut();
        let seen = seen.entry(path.clone()).or_default();
        for object in chosen_from.into_iter().chain([value.clone()]) {
            match seen.iter_mut().find(|(known, _)| known.is(&object)) {
                Some((_, known)) => *known |= aliased,
                None => seen.push((object, aliased)),
            }
        }
        Ok(())
    }
}
