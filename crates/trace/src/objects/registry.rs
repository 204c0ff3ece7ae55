//! The lists of one trace: those that statements change, what they held before, and what their elements are.

use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gw_base::Loc;
use gw_ir::Literal;
use gw_types::{Dim, Number, TensorType};

use super::held::Elements;
use crate::{Staged, Trace};

/// The lists of one trace: `O` is a list, `V` a value of the host's, `S` the structure of one.
#[derive(Debug)]
pub struct Registry<O, V, S> {
    used: AtomicBool,
    /// Those that some statement changes.
    known: Mutex<Vec<Known<O>>>,
    /// Those that each statement reaches, the innermost last.
    reached: Mutex<Vec<Vec<ReachedList<O>>>>,
    /// Their contents before the first statement that reaches them.
    originals: Mutex<FxHashMap<O, Original<V>>>,
    /// The elements of lists that were in the graph.
    types: Mutex<FxHashMap<O, ElementType<S>>>,
    /// The lists, dicts and sets over which loops run, the innermost last.
    walked: Mutex<Vec<Walked<V>>>,
    /// The list without elements that failed because nobody knows yet what its elements are.
    untyped: Mutex<Option<O>>,
    /// The number of such failures.
    misses: AtomicUsize,
    /// The lists whose elements a branch is being asked for, the innermost last.
    asked: Mutex<Vec<O>>,
}

/// A list that a statement reaches.
#[derive(Debug, Clone)]
pub struct ReachedList<O> {
    /// The list.
    pub list: O,
    /// The text that the user would write for it.
    pub path: String,
    /// The number of variables, attributes and items that hold it.
    pub names: usize,
}

/// A list that some statement changes.
#[derive(Debug)]
struct Known<O> {
    list: O,
    /// True if it becomes longer or shorter.
    grows: bool,
    /// The first of these statements.
    place: Option<Loc>,
}

#[derive(Debug)]
struct Original<V> {
    path: String,
    held: Vec<V>,
}

/// The type of the elements of a list.
#[derive(Debug)]
struct ElementType<S> {
    element: Arc<S>,
    leaves: Vec<(TensorType, Option<Number>)>,
}

/// A list, dict or set over which a loop runs.
#[derive(Debug)]
struct Walked<V> {
    object: V,
    /// Others that may be this one, since a name of it flows by its contents, and what they held when they were made.
    copies: Vec<(V, Vec<V>)>,
}

/// A list that statements of a function changed.
#[derive(Debug)]
pub struct Changed<O, V> {
    /// The list.
    pub list: O,
    /// The text that the user would write for it.
    pub path: String,
    /// Its contents before the function.
    pub held: Vec<V>,
    /// The first statement that changes it.
    pub place: Option<Loc>,
}

impl<O, V, S> Default for Registry<O, V, S> {
    fn default() -> Self {
        Self {
            used: AtomicBool::default(),
            known: Mutex::default(),
            reached: Mutex::default(),
            originals: Mutex::default(),
            types: Mutex::default(),
            walked: Mutex::default(),
            untyped: Mutex::default(),
            misses: AtomicUsize::default(),
            asked: Mutex::default(),
        }
    }
}

impl<O: Clone + Eq + Hash, V, S> Registry<O, V, S> {
    /// True if any list is in the graph.
    pub fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Says that one is; true if it is the first.
    pub fn begin(&self) -> bool {
        !self.used.swap(true, Ordering::Relaxed)
    }

    /// Begins a statement that reaches these lists.
    pub fn open(&self, reached: Vec<ReachedList<O>>) {
        lock(&self.reached).push(reached);
    }

    /// Ends it.
    pub fn shut(&self) {
        let gone = lock(&self.reached).pop();
        drop(gone);
    }

    /// The lists that the innermost statement reaches.
    pub fn reached(&self) -> Vec<ReachedList<O>> {
        lock(&self.reached).last().cloned().unwrap_or_default()
    }

    /// The lists that the open statements reach.
    pub fn all_reached(&self) -> Vec<O> {
        let mut all: Vec<O> = Vec::new();
        for known in lock(&self.reached).iter().flatten() {
            if !all.contains(&known.list) {
                all.push(known.list.clone());
            }
        }
        all
    }

    /// Says that the innermost statement reaches a list too.
    pub fn reach(&self, list: &O, path: &str) {
        if let Some(lists) = lock(&self.reached).last_mut()
            && !lists.iter().any(|known| known.list == *list)
        {
            lists.push(ReachedList { list: list.clone(), path: path.to_owned(), names: 1 });
        }
    }

    /// The number of open statements.
    pub fn depth(&self) -> usize {
        lock(&self.reached).len()
    }

    /// The number of lists that an open statement reaches, the first of which is number one.
    pub fn count_in(&self, statement: usize) -> usize {
        statement.checked_sub(1).and_then(|at| lock(&self.reached).get(at).map(Vec::len)).unwrap_or_default()
    }

    /// True if the open statements reach a list, but for the outer ones, so many.
    pub fn is_reached_from(&self, outer: usize, list: &O) -> bool {
        lock(&self.reached).iter().skip(outer).all(|lists| lists.iter().any(|known| known.list == *list))
    }

    /// Says that the open statements reach a list, but for the outer ones, so many. Gives those that did not, counted from the
    /// outermost.
    pub fn reach_from(&self, outer: usize, list: &O, path: &str) -> Vec<usize> {
        let mut reached = lock(&self.reached);
        let lacks = |lists: &Vec<ReachedList<O>>| !lists.iter().any(|known| known.list == *list);
        let lacking = reached.iter_mut().enumerate().skip(outer).filter(|(_, lists)| lacks(lists));
        let add = |(at, lists): (usize, &mut Vec<ReachedList<O>>)| {
            lists.push(ReachedList { list: list.clone(), path: path.to_owned(), names: 1 });
            at
        };
        lacking.map(add).collect()
    }

    /// Keeps the contents of a list, unless a statement before reached it.
    pub fn remember(&self, list: &O, path: &str, held: impl FnOnce() -> Vec<V>) {
        let original = || Original { path: path.to_owned(), held: held() };
        lock(&self.originals).entry(list.clone()).or_insert_with(original);
    }

    /// Tells if a statement that changes the list makes it longer or shorter; nothing if none changes it.
    pub fn grows(&self, list: &O) -> Option<bool> {
        lock(&self.known).iter().find(|known| known.list == *list).map(|known| known.grows)
    }

    /// True if a statement changes a list that is this one.
    pub fn knows(&self, is_it: impl Fn(&O) -> bool) -> bool {
        lock(&self.known).iter().any(|known| is_it(&known.list))
    }

    /// Says that a statement changes a list.
    pub fn note(&self, list: &O, grows: bool, place: Option<Loc>) {
        let mut known = lock(&self.known);
        match known.iter_mut().find(|known| known.list == *list) {
            Some(known) => known.grows |= grows,
            None => known.push(Known { list: list.clone(), grows, place }),
        }
    }

    /// Says that the changes of a list are somebody else's affair from now on.
    pub fn forget(&self, list: &O) {
        let original = lock(&self.originals).remove(list);
        drop(original);
        let mut known = lock(&self.known);
        let gone = known.iter().position(|known| known.list == *list).map(|at| known.swap_remove(at));
        drop(known);
        drop(gone);
    }

    /// Remembers the type of the elements of a list.
    pub fn learn(&self, trace: &Trace, list: &O, held: &Elements<S>) {
        let ty = |leaf: &Staged| {
            let TensorType { dtype, mut shape } = trace.ty(leaf.value);
            shape.0[0] = Dim::Fixed(0);
            (TensorType::new(dtype, shape), leaf.weak)
        };
        let leaves = held.leaves.iter().map(ty).collect();
        let ty = ElementType { element: held.element.clone(), leaves };
        let before = lock(&self.types).insert(list.clone(), ty);
        drop(before);
    }

    /// No elements, of the type of those that the list had.
    pub fn nothing(&self, trace: &Trace, list: &O) -> Option<Elements<S>> {
        let types = lock(&self.types);
        let ElementType { element, leaves } = types.get(list)?;
        let leaf = |(ty, weak): &(TensorType, Option<Number>)| {
            let lengths = ty.shape.lengths()?;
            let literal = Literal::from_scalars(ty.dtype, lengths, &[]);
            Some(Staged { weak: *weak, ..trace.constant(literal) })
        };
        let leaves = leaves.iter().map(leaf).collect::<Option<_>>()?;
        Some(Elements { element: element.clone(), leaves, bound: None })
    }

    /// Begins a loop over a list, dict or set.
    pub(super) fn begin_walk(&self, object: V) {
        lock(&self.walked).push(Walked { object, copies: Vec::new() });
    }

    /// Ends it.
    pub(super) fn end_walk(&self) {
        let gone = lock(&self.walked).pop();
        drop(gone);
    }

    /// True if a loop runs, or may run, over an object that `is_it`.
    pub(super) fn is_walked(&self, is_it: impl Fn(&V) -> bool) -> bool {
        let is_it = &is_it;
        let walked = lock(&self.walked);
        walked.iter().any(|walk| is_it(&walk.object) || walk.copies.iter().any(|(copy, _)| is_it(copy)))
    }

    /// The objects over which loops run.
    pub fn all_walked(&self) -> Vec<V>
    where
        V: Clone,
    {
        lock(&self.walked).iter().map(|walk| walk.object.clone()).collect()
    }

    /// The number of objects that may be those over which loops run.
    pub(super) fn copies(&self) -> Vec<usize> {
        lock(&self.walked).iter().map(|walk| walk.copies.len()).collect()
    }

    /// Says that an object, which holds this, may be one over which a loop runs.
    pub(super) fn add_copy(&self, object: &V, held: &[V])
    where
        V: Clone,
    {
        for walk in lock(&self.walked).iter_mut() {
            walk.copies.push((object.clone(), held.to_vec()));
        }
    }

    /// Forgets those that were added since.
    pub(super) fn forget_copies(&self, counts: &[usize]) {
        let mut gone = Vec::new();
        for (walk, &count) in lock(&self.walked).iter_mut().zip(counts) {
            gone.extend(walk.copies.drain(count.min(walk.copies.len())..));
        }
        drop(gone);
    }

    /// Those of them, and what they held when they were made.
    pub(super) fn all_copies(&self) -> Vec<(V, Vec<V>)>
    where
        V: Clone,
    {
        lock(&self.walked).iter().flat_map(|walk| walk.copies.iter().cloned()).collect()
    }

    /// Says that a list without elements failed since nobody knows yet what its elements are.
    pub fn miss(&self, list: &O) {
        self.misses.fetch_add(1, Ordering::Relaxed);
        let before = lock(&self.untyped).replace(list.clone());
        drop(before);
    }

    /// The number of times that one did.
    pub fn misses(&self) -> usize {
        self.misses.load(Ordering::Relaxed)
    }

    /// Begins to ask a branch for the elements of the list that failed last.
    pub fn ask(&self) {
        let list = lock(&self.untyped).clone();
        lock(&self.asked).extend(list);
    }

    /// Ends it.
    pub fn asked(&self) {
        let gone = lock(&self.asked).pop();
        drop(gone);
    }

    /// True if a branch is being asked for the elements of the list that failed last, so that no branch in it has to be.
    pub fn is_asked(&self) -> bool {
        let untyped = lock(&self.untyped);
        untyped.as_ref().is_some_and(|list| lock(&self.asked).contains(list))
    }

    /// True if one did.
    pub fn has_missed(&self) -> bool {
        lock(&self.untyped).is_some()
    }

    /// The list that did since this was last asked.
    pub fn missed(&self) -> Option<O> {
        lock(&self.untyped).take()
    }

    /// Ends the function: gives the lists that its statements changed, and lets go of all others.
    pub fn close(&self) -> Vec<Changed<O, V>> {
        drop(self.missed());
        let types = std::mem::take(&mut *lock(&self.types));
        drop(types);
        let known = std::mem::take(&mut *lock(&self.known));
        let mut originals = std::mem::take(&mut *lock(&self.originals));
        let changed = |Known { list, place, .. }: Known<O>| {
            let Original { path, held } = originals.remove(&list)?;
            Some(Changed { list, path, held, place })
        };
        known.into_iter().filter_map(changed).collect()
    }
}

/// Locks what one thread at a time looks at.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
