//! The names of one function at one place of it: their values, and whether they have one.

use std::rc::Rc;
use std::sync::Arc;

use gw_analysis::NameSet;
use gw_syntax::Name;
use rustc_hash::FxHashMap;

use crate::value::Value;

/// True if a name has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// On every path.
    Yes,
    /// On no path.
    No,
    /// On some paths, and on others not.
    Maybe,
    /// The text does not say.
    Doubt,
}

impl Bound {
    fn join(self, other: Bound) -> Bound {
        match (self, other) {
            (a, b) if a == b => a,
            (Bound::Doubt, _) | (_, Bound::Doubt) => Bound::Doubt,
            (Bound::Yes | Bound::No | Bound::Maybe, Bound::Yes | Bound::No | Bound::Maybe) => Bound::Maybe,
        }
    }
}

/// Knowledge of one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its value, if it has one.
    pub value: Value,
    /// True if it has one.
    pub bound: Bound,
    /// For `Maybe`: the names that may tell on which of the paths the program is. A test of one of them may be the
    /// program's own way to find out whether this name has a value.
    pub related: Arc<NameSet>,
}

impl Slot {
    /// A name with a value.
    pub fn of(value: Value) -> Self {
        Self { value, bound: Bound::Yes, related: Arc::default() }
    }

    /// A name without one.
    pub fn unbound() -> Self {
        Self { value: Value::Unknown, bound: Bound::No, related: Arc::default() }
    }

    /// A name of which nothing is known.
    pub fn doubtful() -> Self {
        Self { value: Value::Unknown, bound: Bound::Doubt, related: Arc::default() }
    }
}

/// A function's own names, numbered.
#[derive(Debug, Default)]
pub struct Locals {
    numbers: FxHashMap<Name, usize>,
    names: Vec<Name>,
    /// Names that other functions may give a value, so that nothing is known of them.
    loose: Vec<bool>,
}

impl Locals {
    /// These names; `loose` says which of them others change.
    pub fn new(names: impl IntoIterator<Item = Name>, is_loose: impl Fn(&Name) -> bool) -> Self {
        let mut locals = Self::default();
        for name in names {
            locals.loose.push(is_loose(&name));
            locals.numbers.insert(name.clone(), locals.names.len());
            locals.names.push(name);
        }
        locals
    }

    /// The number of a name.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

/// Knowledge of every name of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    slots: Vec<Slot>,
}

impl State {
    /// No name has a value.
    pub fn unbound(locals: &Locals) -> Self {
        let slot = |&loose: &bool| if loose { Slot::doubtful() } else { Slot::unbound() };
        Self { slots: locals.loose.iter().map(slot).collect() }
    }

    /// Knowledge of a name.
    pub fn slot(&self, number: usize) -> &Slot {
        &self.slots[number]
    }

    /// Gives a name another slot.
    pub fn set(&mut self, locals: &Locals, number: usize, slot: Slot) {
        if !locals.loose[number] {
            self.slots[number] = slot;
        }
    }

    /// The join of two paths that `told` tells apart.
    pub fn join(mut self, other: State, locals: &Locals, told: &NameSet) -> State {
        let differing: Vec<usize> =
            (0..self.slots.len()).filter(|&i| self.slots[i] != other.slots[i]).collect();
        if differing.is_empty() {
            return self;
        }
        let mut related: Option<Arc<NameSet>> = None;
        for &i in &differing {
            let (mine, theirs) = (&self.slots[i], &other.slots[i]);
            let bound = mine.bound.join(theirs.bound);
            let known = |slot: &Slot| slot.bound == Bound::No;
            let value = match (known(mine), known(theirs)) {
                (true, _) => theirs.value.clone(),
                (false, true) => mine.value.clone(),
                (false, false) => mine.value.join(&theirs.value),
            };
            let names = if bound == Bound::Maybe {
                let fresh = related.get_or_insert_with(|| {
                    Arc::new(
                        told.iter()
                            .cloned()
                            .chain(differing.iter().map(|&i| locals.names[i].clone()))
                            .collect(),
                    )
                });
                union(fresh, &mine.related, &theirs.related)
            } else {
                Arc::default()
            };
            self.slots[i] = Slot { value, bound, related: names };
        }
        self
    }

    /// Nothing is said of names that a test of `read` may be about.
    pub fn doubt(&mut self, locals: &Locals, read: &NameSet) {
        for (i, slot) in self.slots.iter_mut().enumerate() {
            let is_about = |name: &Name| **name != *locals.names[i] && slot.related.contains(name);
            if slot.bound == Bound::Maybe && read.iter().any(is_about) {
                slot.bound = Bound::Doubt;
            }
        }
    }

    /// Nothing is said any more of names without a value.
    pub fn doubt_all(&mut self) {
        for slot in &mut self.slots {
            if slot.bound != Bound::Yes {
                slot.bound = Bound::Doubt;
            }
        }
    }

    /// Nothing is said of names that have no value on this path, which may end here.
    pub fn doubt_absent(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.bound == Bound::No) {
            slot.bound = Bound::Doubt;
        }
    }

    /// Nothing is known of the values of these names, whose number of values is as it was.
    pub fn forget(&mut self, numbers: impl Iterator<Item = usize>) {
        numbers.for_each(|number| self.slots[number].value = Value::Unknown);
    }

    /// The numbers of names whose slots differ.
    pub fn differing(&self, other: &State) -> Vec<usize> {
        (0..self.slots.len()).filter(|&i| self.slots[i].value != other.slots[i].value).collect()
    }
}

fn union(a: &Arc<NameSet>, b: &Arc<NameSet>, c: &Arc<NameSet>) -> Arc<NameSet> {
    if b.is_subset(a) && c.is_subset(a) {
        return a.clone();
    }
    Arc::new(a.iter().chain(b.iter()).chain(c.iter()).cloned().collect())
}

/// The state at one place; nothing where the program never comes.
pub type Flow = Option<State>;

/// The join of two paths, of which one may not exist.
pub fn meet(a: Flow, b: Flow, locals: &Rc<Locals>, told: &NameSet) -> Flow {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b, locals, told)),
        (one, None) | (None, one) => one,
    }
}
