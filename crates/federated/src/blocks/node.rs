//! Building blocks are immutable and shared; each knows its type.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::host::Host;
use crate::placement::Placement;
use crate::types::{Name, Type};

/// A building block. Cloning it is counting a reference.
pub struct Block<H: Host>(pub(super) Arc<Node<H>>);

/// A block with the facts about it that are asked often.
pub(super) struct Node<H: Host> {
    pub(super) kind: BlockKind<H>,
    pub(super) ty: Type<H>,
    pub(super) hash: u64,
    pub(super) depth: u32,
    pub(super) selects_names: bool,
    pub(super) slot: H::BlockSlot,
}

/// The kinds of building blocks.
pub enum BlockKind<H: Host> {
    /// A name that a function or a block around it defines; the context is for display.
    Reference(Name, Option<Arc<H::Payload>>),
    /// An element of a struct.
    Selection(Block<H>, Key),
    /// Elements, some of them named.
    Struct(Box<[Element<H>]>),
    /// A function applied to an argument or to none.
    Call(Block<H>, Option<Block<H>>),
    /// A function.
    Lambda(Option<(Name, Type<H>)>, Block<H>),
    /// Locals, each visible in those after it, and a result.
    Block(Box<[Local<H>]>, Block<H>),
    /// An operation of the language.
    Intrinsic(Name),
    /// A value that the program refers to and does not hold.
    Data(Arc<H::Payload>),
    /// A graph.
    Compiled(Arc<H::Payload>, Name),
    /// A placement.
    Placement(Placement),
    /// A constant.
    Literal(Arc<H::Payload>),
}

/// The element that a selection selects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The element of a name.
    Name(Name),
    /// The element at a position.
    Index(usize),
}

/// An element of a struct.
pub struct Element<H: Host> {
    /// The name, if there is one.
    pub name: Option<Name>,
    /// The value.
    pub value: Block<H>,
}

/// A local of a block.
pub struct Local<H: Host> {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Block<H>,
}

impl<H: Host> Block<H> {
    /// Returns the kind of the block.
    pub fn kind(&self) -> &BlockKind<H> {
        &self.0.kind
    }

    /// Returns the type of the block's value.
    pub fn ty(&self) -> &Type<H> {
        &self.0.ty
    }

    /// Returns how deeply the block is nested.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Tells if the block or a block in it selects an element by its name.
    pub fn selects_names(&self) -> bool {
        self.0.selects_names
    }

    /// Returns a hash of the structure of the block.
    pub fn structural_hash(&self) -> u64 {
        self.0.hash
    }

    /// Returns the place where the host keeps its handle of the block.
    pub fn slot(&self) -> &H::BlockSlot {
        &self.0.slot
    }

    /// Tells if two blocks are the same node.
    pub fn is(&self, other: &Block<H>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the address of the node, for tables of blocks that are alive.
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Returns the elements, if the block is a struct.
    pub fn elements(&self) -> Option<&[Element<H>]> {
        if let BlockKind::Struct(elements) = self.kind() { Some(elements) } else { None }
    }

    /// Returns the blocks that the block is made of, in their order.
    pub fn children(&self) -> Vec<&Block<H>> {
        self.kind().children()
    }
}

impl<H: Host> BlockKind<H> {
    /// Returns the blocks that a block of this kind is made of, in their order.
    pub(super) fn children(&self) -> Vec<&Block<H>> {
        match self {
            BlockKind::Selection(source, _) => vec![source],
            BlockKind::Struct(elements) => elements.iter().map(|element| &element.value).collect(),
            BlockKind::Call(function, argument) => [function].into_iter().chain(argument).collect(),
            BlockKind::Lambda(_, result) => vec![result],
            BlockKind::Block(locals, result) => {
                locals.iter().map(|local| &local.value).chain([result]).collect()
            }
            BlockKind::Reference(..)
            | BlockKind::Intrinsic(_)
            | BlockKind::Data(_)
            | BlockKind::Compiled(..)
            | BlockKind::Placement(_)
            | BlockKind::Literal(_) => Vec::new(),
        }
    }
}

impl<H: Host> Clone for Block<H> {
    fn clone(&self) -> Block<H> {
        Block(Arc::clone(&self.0))
    }
}

impl<H: Host> Clone for Element<H> {
    fn clone(&self) -> Element<H> {
        Element { name: self.name.clone(), value: self.value.clone() }
    }
}

impl<H: Host> Clone for Local<H> {
    fn clone(&self) -> Local<H> {
        Local { name: self.name.clone(), value: self.value.clone() }
    }
}

impl<H: Host> Hash for Block<H> {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.0.hash.hash(state);
    }
}
