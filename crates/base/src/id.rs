//! Typed ids and dense tables keyed by them.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A small dense number that names one thing of one kind.
pub trait Id: Copy + Eq {
    /// The id of the `index`-th thing.
    fn new(index: usize) -> Self;
    /// The position of this thing in its table.
    fn index(self) -> usize;
}

/// Declares id types: `ids! { /// A node. NodeId; }`.
#[macro_export]
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);
        impl $crate::Id for $name {
            fn new(index: usize) -> Self { Self(u32::try_from(index).expect("fewer than 2^32 of one kind")) }
            fn index(self) -> usize { self.0 as usize }
        }
    )*};
}

/// One fact per thing of a kind, in the order of their ids.
#[derive(Debug, Clone, PartialEq)]
pub struct Table<I, T> {
    rows: Vec<T>,
    of: PhantomData<fn(I)>,
}

impl<I: Id, T> Table<I, T> {
    /// A table without rows.
    pub fn new() -> Self {
        Self { rows: Vec::new(), of: PhantomData }
    }

    /// Adds a row and names it.
    pub fn push(&mut self, row: T) -> I {
        self.rows.push(row);
        I::new(self.rows.len() - 1)
    }

    /// The id that the next `push` will give.
    pub fn next_id(&self) -> I {
        I::new(self.rows.len())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Rows with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.rows.iter().enumerate().map(|(i, row)| (I::new(i), row))
    }

    /// The ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.rows.len()).map(I::new)
    }

    /// The row, if there is one.
    pub fn get(&self, id: I) -> Option<&T> {
        self.rows.get(id.index())
    }
}

impl<I: Id, T> Default for Table<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.rows[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.rows[id.index()]
    }
}
