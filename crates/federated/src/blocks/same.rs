//! Equality of blocks: by structure, but a reference is equal only to itself.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use super::node::{Block, BlockKind, Element, Local};
use crate::host::{Host, Payload};
use crate::types::Type;

impl<H: Host> PartialEq for Block<H> {
    fn eq(&self, other: &Block<H>) -> bool {
        self.is(other) || (self.structural_hash() == other.structural_hash() && same(self, other))
    }
}

impl<H: Host> Eq for Block<H> {}

/// Compares two nodes: two references because of their places in a program, other blocks because of what they say.
fn same<H: Host>(one: &Block<H>, other: &Block<H>) -> bool {
    match (one.kind(), other.kind()) {
        (BlockKind::Reference(..), BlockKind::Reference(..)) => false,
        (BlockKind::Selection(source, key), BlockKind::Selection(others, other)) => {
            key == other && source == others
        }
        (BlockKind::Struct(elements), BlockKind::Struct(others)) => {
            one.ty() == other.ty() && same_values(elements.iter().zip(others))
        }
        (BlockKind::Call(function, argument), BlockKind::Call(other, others)) => {
            function == other && argument == others
        }
        (BlockKind::Lambda(parameter, result), BlockKind::Lambda(other, others)) => {
            parameter == other && result == others
        }
        (BlockKind::Block(locals, result), BlockKind::Block(other, others)) => {
            same_locals(locals, other) && result == others
        }
        (BlockKind::Intrinsic(uri), BlockKind::Intrinsic(others)) => uri == others && one.ty() == other.ty(),
        (BlockKind::Data(content), BlockKind::Data(others))
        | (BlockKind::Literal(content), BlockKind::Literal(others)) => {
            one.ty() == other.ty() && content.same(others)
        }
        (BlockKind::Compiled(leaf, name), BlockKind::Compiled(others, other_name)) => {
            name == other_name && one.ty() == other.ty() && leaf.same(others)
        }
        (BlockKind::Placement(placement), BlockKind::Placement(others)) => placement == others,
        (
            BlockKind::Reference(..)
            | BlockKind::Selection(..)
            | BlockKind::Struct(_)
            | BlockKind::Call(..)
            | BlockKind::Lambda(..)
            | BlockKind::Block(..)
            | BlockKind::Intrinsic(_)
            | BlockKind::Data(_)
            | BlockKind::Compiled(..)
            | BlockKind::Placement(_)
            | BlockKind::Literal(_),
            _,
        ) => false,
    }
}

fn same_values<'b, H: Host>(pairs: impl IntoIterator<Item = (&'b Element<H>, &'b Element<H>)>) -> bool {
    pairs.into_iter().all(|(one, other)| one.value == other.value)
}

fn same_locals<H: Host>(one: &[Local<H>], other: &[Local<H>]) -> bool {
    let same = |(one, other): (&Local<H>, &Local<H>)| one.name == other.name && one.value == other.value;
    one.len() == other.len() && one.iter().zip(other).all(same)
}

/// Returns the hash of a block of this kind and type.
pub(super) fn hash_of<H: Host>(kind: &BlockKind<H>, ty: &Type<H>) -> u64 {
    let state = &mut FxHasher::default();
    std::mem::discriminant(kind).hash(state);
    match kind {
        BlockKind::Reference(name, _) => (name, ty).hash(state),
        BlockKind::Selection(source, key) => (source, key).hash(state),
        BlockKind::Struct(elements) => {
            elements.iter().for_each(|element| element.value.hash(state));
            ty.hash(state);
        }
        BlockKind::Call(function, argument) => (function, argument).hash(state),
        BlockKind::Lambda(parameter, result) => (parameter, result).hash(state),
        BlockKind::Block(locals, result) => {
            locals.iter().for_each(|local| (&local.name, &local.value).hash(state));
            result.hash(state);
        }
        BlockKind::Intrinsic(uri) => (uri, ty).hash(state),
        BlockKind::Data(content) | BlockKind::Literal(content) => (content.hash(), ty).hash(state),
        BlockKind::Compiled(_, name) => (name, ty).hash(state),
        BlockKind::Placement(placement) => placement.hash(state),
    }
    state.finish()
}
