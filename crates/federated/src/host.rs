//! The host's share in the language: container classes, opaque payloads, and the slots where it keeps its handles.

use std::hash::Hash;

/// A value that the language carries and never looks into: a literal, a leaf, data, a context.
pub trait Payload: Send + Sync + 'static {
    /// Returns the text of the value, as it is printed in a block.
    fn text(&self) -> String;
    /// Returns the text of a constructor call that makes the value.
    fn constructor(&self) -> String;
    /// Returns a number that no other living payload has.
    fn address(&self) -> usize;
    /// Compares two payloads by their values.
    fn same(&self, other: &Self) -> bool;
    /// Returns a hash that payloads of the same value share.
    fn hash(&self) -> u64;
}

/// A host language. It chooses what containers and payloads are; the rules of the language never ask it.
pub trait Host: Sized + Send + Sync + 'static {
    /// A class of containers, such as `tuple` or a named tuple.
    type Container: Clone + Eq + Hash + Send + Sync;
    /// A literal's value, a leaf, data or a context.
    type Payload: Payload;
    /// Room for the host's handle of a type.
    type TypeSlot: Default + Send + Sync;
    /// Room for the host's handle of a block.
    type BlockSlot: Default + Send + Sync;

    /// Returns the name of a container class.
    fn container_name(container: &Self::Container) -> String;
    /// Returns the container that stands for `container` in the elements of a sequence: a list becomes a tuple.
    fn container_in_sequence(container: &Self::Container) -> Self::Container;
    /// Returns the container of named arguments.
    fn ordered_mapping() -> Self::Container;
    /// Returns the container of a plain list.
    fn plain_list() -> Self::Container;
}
