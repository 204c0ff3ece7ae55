//! The table of types: equal types are found in it by their structure.
//!
//! The table holds types weakly. It is swept whenever it has doubled since the last sweep, so that its size is bounded by
//! the number of types that are alive, and no lock is held while a type is dropped.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use rustc_hash::{FxHashMap, FxHasher};

use super::node::{Field, Kind, Node, Parts, Type};
use crate::host::Host;

/// The types of a host that are alive.
pub struct Interner<H: Host> {
    table: Mutex<Table<H>>,
    templates: OnceLock<Box<[Type<H>]>>,
}

struct Table<H: Host> {
    types: FxHashMap<u64, Vec<Weak<Node<H>>>>,
    entries: usize,
    swept: usize,
}

/// A host that has a table of types.
pub trait Interns: Host {
    /// Returns the table.
    fn interner() -> &'static Interner<Self>;
}

const SMALL: usize = 1024;

impl<H: Host> Default for Interner<H> {
    fn default() -> Interner<H> {
        let table = Table { types: FxHashMap::default(), entries: 0, swept: SMALL };
        Interner { table: Mutex::new(table), templates: OnceLock::new() }
    }
}

impl<H: Host> Interner<H> {
    /// Returns the number of entries, dead ones among them.
    pub fn entries(&self) -> usize {
        self.lock().entries
    }

    /// Returns the templates of the intrinsics, which are made once.
    pub(crate) fn templates(&self, make: impl FnOnce() -> Box<[Type<H>]>) -> &[Type<H>] {
        self.templates.get_or_init(make)
    }

    fn lock(&self) -> MutexGuard<'_, Table<H>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the living types of one hash. They may be dropped only after the lock is released.
    fn candidates(&self, hash: u64) -> Vec<Type<H>> {
        let table = self.lock();
        let found = table.types.get(&hash).into_iter().flatten();
        found.filter_map(Weak::upgrade).map(Type).collect()
    }

    /// Returns the type of this kind, the same one for each call.
    pub(super) fn intern(&self, kind: Kind<H>) -> Type<H> {
        let hash = hash_of(&kind);
        let find = |types: Vec<Type<H>>| types.into_iter().find(|ty| same(ty.kind(), &kind));
        if let Some(found) = find(self.candidates(hash)) {
            return found;
        }
        self.insert(make(kind, hash))
    }

    fn insert(&self, made: Type<H>) -> Type<H> {
        let mut others = Vec::new();
        let mut table = self.lock();
        table.sweep();
        let bucket = table.types.entry(made.0.hash).or_default();
        others.extend(bucket.iter().filter_map(Weak::upgrade).map(Type));
        let earlier = others.iter().find(|ty| same(ty.kind(), made.kind())).cloned();
        if earlier.is_none() {
            bucket.push(Arc::downgrade(&made.0));
            table.entries += 1;
        }
        drop(table);
        earlier.unwrap_or(made)
    }
}

impl<H: Host> Table<H> {
    fn sweep(&mut self) {
        if self.entries < 2 * self.swept {
            return;
        }
        self.types.retain(|_, bucket| {
            bucket.retain(|ty| ty.strong_count() > 0);
            !bucket.is_empty()
        });
        self.types.shrink_to_fit();
        let buckets = self.types.len();
        self.entries = buckets;
        self.swept = buckets.max(SMALL);
    }
}

fn make<H: Host>(kind: Kind<H>, hash: u64) -> Type<H> {
    let mut parts = Parts::default();
    let mut depth = 0;
    let mut note = |child: &Type<H>| {
        parts = parts.with(child.parts());
        depth = depth.max(child.depth() + 1);
    };
    match &kind {
        Kind::Tensor(..) | Kind::Abstract(_) | Kind::Placement => {}
        Kind::Struct(fields) => fields.types().for_each(note),
        Kind::Sequence(element) => note(element),
        Kind::Function(parameter, result) => parameter.iter().chain([result]).for_each(note),
        Kind::Federated(federated) => note(&federated.member),
    }
    Type(Arc::new(Node { kind, hash, parts, depth, slot: H::TypeSlot::default() }))
}

fn hash_of<H: Host>(kind: &Kind<H>) -> u64 {
    let state = &mut FxHasher::default();
    std::mem::discriminant(kind).hash(state);
    match kind {
        Kind::Tensor(dtype, dimensions) => (dtype, dimensions).hash(state),
        Kind::Struct(fields) => {
            for field in &fields.elements {
                (&field.name, &field.ty).hash(state);
            }
            fields.container.hash(state);
        }
        Kind::Sequence(element) => element.hash(state),
        Kind::Function(parameter, result) => (parameter, result).hash(state),
        Kind::Abstract(label) => label.hash(state),
        Kind::Placement => {}
        Kind::Federated(federated) => {
            (&federated.member, federated.placement, federated.all_equal).hash(state);
        }
    }
    state.finish()
}

/// Compares two kinds whose inner types are interned.
fn same<H: Host>(one: &Kind<H>, other: &Kind<H>) -> bool {
    match (one, other) {
        (Kind::Tensor(dtype, dimensions), Kind::Tensor(other, others)) => {
            dtype == other && dimensions == others
        }
        (Kind::Struct(fields), Kind::Struct(others)) => {
            fields.container == others.container && same_fields(&fields.elements, &others.elements)
        }
        (Kind::Sequence(element), Kind::Sequence(other)) => element == other,
        (Kind::Function(parameter, result), Kind::Function(other, others)) => {
            parameter == other && result == others
        }
        (Kind::Abstract(label), Kind::Abstract(other)) => label == other,
        (Kind::Placement, Kind::Placement) => true,
        (Kind::Federated(one), Kind::Federated(other)) => {
            one.member == other.member && one.placement == other.placement && one.all_equal == other.all_equal
        }
        (
            Kind::Tensor(..)
            | Kind::Struct(_)
            | Kind::Sequence(_)
            | Kind::Function(..)
            | Kind::Abstract(_)
            | Kind::Placement
            | Kind::Federated(_),
            _,
        ) => false,
    }
}

fn same_fields<H: Host>(one: &[Field<H>], other: &[Field<H>]) -> bool {
    one == other
}
