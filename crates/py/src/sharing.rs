//! The memory that a tensor object of a graph shares with others, as NumPy arrays and their views do.

use std::sync::{Arc, OnceLock};

use gw_trace::Staged;

use crate::cell::{Cell, Origin};
use crate::host::Maybe;
use crate::semantics::Semantics;
use crate::tensor::{Payload, Tensor};
use crate::view::{Root, View};

/// What is known of the memory of a tensor object.
#[derive(Debug, Default)]
pub struct Sharing {
    /// True if its names share memory, as far as that is known.
    semantics: OnceLock<Semantics>,
    /// The array that it is a part of, with which it changes.
    view: Option<Box<View>>,
    /// The arrays of which it may be a part, where the graph decides that.
    roots: OnceLock<Box<[Root]>>,
}

impl Tensor {
    /// The same as a view, which has the semantics of its array.
    pub fn viewing(mut self, view: View) -> Self {
        self.sharing.view = Some(Box::new(view));
        self.know(Semantics::Reference);
        self
    }

    /// The array that it is a part of.
    pub fn view(&self) -> Option<&View> {
        self.sharing.view.as_deref()
    }

    /// Says of which arrays it may be a part.
    pub fn stem_from(&self, arrays: Vec<Arc<Cell>>) {
        if !arrays.is_empty() {
            self.sharing.roots.get_or_init(|| arrays.into_iter().map(Root::new).collect());
        }
    }

    /// The same as one that may be a part of these arrays, as they were.
    pub fn rooted(self, roots: &[Root]) -> Self {
        if !roots.is_empty() {
            self.sharing.roots.get_or_init(|| roots.into());
        }
        self
    }

    /// The arrays of which it may be a part, where the graph decides that.
    pub fn roots(&self) -> &[Root] {
        self.sharing.roots.get().map_or(&[], |roots| roots)
    }

    /// True if the graph decides of which array it is a part, and one of them is still there.
    pub fn may_be_part(&self) -> bool {
        self.roots().iter().any(Root::is_here)
    }

    /// True if it may be a part of an array that was stored into since.
    pub fn is_stale(&self) -> bool {
        let is_of_stale = || self.view().is_some_and(|view| view.base().get().is_stale());
        self.roots().iter().any(Root::is_stale) || is_of_stale()
    }

    /// Says which semantics it has, if nobody said so before.
    pub fn know(&self, semantics: Semantics) {
        if semantics == Semantics::Reference
            && let Payload::Staged(tracing, _) = self.made()
        {
            tracing.arrays.met();
        }
        self.sharing.semantics.get_or_init(|| semantics);
    }

    /// Which semantics it has, if somebody said so.
    pub fn known_semantics(&self) -> Option<Semantics> {
        self.sharing.semantics.get().copied()
    }

    /// Which semantics it has: value semantics where there are no arrays.
    pub fn semantics(&self) -> Semantics {
        match self.made() {
            Payload::Eager(_) => Semantics::Value,
            Payload::Staged(tracing, _) => match self.known_semantics() {
                None if tracing.arrays.are_present() => Semantics::Unknown,
                known => known.unwrap_or(Semantics::Value),
            },
        }
    }
}

impl Maybe {
    /// Says which arrays it may be, or be a part of.
    pub fn stem_from(&self, arrays: Vec<Arc<Cell>>) {
        if !arrays.is_empty() {
            self.roots.get_or_init(|| arrays.into_iter().map(Root::new).collect());
        }
    }

    /// The arrays that it may be, or be a part of.
    pub fn roots(&self) -> &[Root] {
        self.roots.get().map_or(&[], |roots| roots)
    }

    /// True if one of these was stored into since.
    pub fn is_stale(&self) -> bool {
        self.roots().iter().any(Root::is_stale)
    }

    /// The value where it has one.
    pub fn tensor(&self, staged: Staged) -> Tensor {
        Tensor::staged(self.tracing.clone(), staged).with(Origin::Doubtful).rooted(self.roots())
    }
}
