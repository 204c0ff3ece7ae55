//! Types are immutable and shared; equal types are the same node.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::dtype::DType;
use crate::host::Host;
use crate::placement::Placement;

/// A name of an element, a parameter or a local.
pub type Name = Arc<str>;

/// The dimensions of a tensor; `None` for an unknown one.
pub type Dimensions = Arc<[Option<i64>]>;

/// A type. Cloning it is counting a reference; equal types are one node, so comparing two is comparing two addresses.
pub struct Type<H: Host>(pub(super) Arc<Node<H>>);

/// A type with the facts about it that are asked often.
pub(super) struct Node<H: Host> {
    pub(super) kind: Kind<H>,
    pub(super) hash: u64,
    pub(super) parts: Parts,
    pub(super) depth: u32,
    pub(super) slot: H::TypeSlot,
}

/// The kinds of types.
pub enum Kind<H: Host> {
    /// A tensor; its dimensions are `None` where even their number is unknown.
    Tensor(DType, Option<Dimensions>),
    /// Elements, some of them named.
    Struct(Fields<H>),
    /// Any number of values of one type.
    Sequence(Type<H>),
    /// A function with one parameter or none.
    Function(Option<Type<H>>, Type<H>),
    /// A type variable of a template.
    Abstract(Name),
    /// The type of placements.
    Placement,
    /// A value at each participant of a placement.
    Federated(Federated<H>),
}

/// The elements of a struct type.
pub struct Fields<H: Host> {
    /// The elements in their order.
    pub elements: Box<[Field<H>]>,
    /// The class of the host's containers that the struct stands for.
    pub container: Option<H::Container>,
}

/// An element of a struct type.
pub struct Field<H: Host> {
    /// The name, if there is one.
    pub name: Option<Name>,
    /// The type.
    pub ty: Type<H>,
}

/// A federated type.
pub struct Federated<H: Host> {
    /// The type of the value at one participant.
    pub member: Type<H>,
    /// The participants.
    pub placement: Placement,
    /// The value is the same at all participants.
    pub all_equal: bool,
}

/// The kinds of types that a type contains, itself excluded, as a set of bits.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts(u8);

impl Parts {
    /// Tensors.
    pub const TENSOR: Parts = Parts(1);
    /// Structs.
    pub const STRUCT: Parts = Parts(2);
    /// Sequences.
    pub const SEQUENCE: Parts = Parts(4);
    /// Functions.
    pub const FUNCTION: Parts = Parts(8);
    /// Type variables.
    pub const ABSTRACT: Parts = Parts(16);
    /// Types of placements.
    pub const PLACEMENT: Parts = Parts(32);
    /// Federated types.
    pub const FEDERATED: Parts = Parts(64);

    /// Returns the union of two sets.
    #[must_use]
    pub const fn with(self, other: Parts) -> Parts {
        Parts(self.0 | other.0)
    }

    /// Tells if two sets share a kind.
    pub const fn meets(self, other: Parts) -> bool {
        self.0 & other.0 != 0
    }
}

impl<H: Host> Type<H> {
    /// Returns the kind of the type.
    pub fn kind(&self) -> &Kind<H> {
        &self.0.kind
    }

    /// Returns the kinds of types that are inside the type.
    pub fn inner(&self) -> Parts {
        self.0.parts
    }

    /// Returns the kinds of types that the type consists of.
    pub fn parts(&self) -> Parts {
        self.inner().with(self.kind().part())
    }

    /// Returns how deeply the type is nested.
    pub fn depth(&self) -> u32 {
        self.0.depth
    }

    /// Returns a hash of the structure of the type.
    pub fn structural_hash(&self) -> u64 {
        self.0.hash
    }

    /// Returns the place where the host keeps its handle of the type.
    pub fn slot(&self) -> &H::TypeSlot {
        &self.0.slot
    }

    /// Returns the elements, if the type is a struct.
    pub fn fields(&self) -> Option<&Fields<H>> {
        if let Kind::Struct(fields) = self.kind() { Some(fields) } else { None }
    }

    /// Returns the parameter and the result, if the type is a function's.
    pub fn function(&self) -> Option<(Option<&Type<H>>, &Type<H>)> {
        if let Kind::Function(parameter, result) = self.kind() {
            Some((parameter.as_ref(), result))
        } else {
            None
        }
    }

    /// Returns the parts of a federated type.
    pub fn federated(&self) -> Option<&Federated<H>> {
        if let Kind::Federated(federated) = self.kind() { Some(federated) } else { None }
    }

    /// Returns the type of the elements, if the type is a sequence.
    pub fn sequence(&self) -> Option<&Type<H>> {
        if let Kind::Sequence(element) = self.kind() { Some(element) } else { None }
    }

    /// Returns the types that the type is made of, in their order.
    pub fn children(&self) -> Vec<&Type<H>> {
        match self.kind() {
            Kind::Tensor(..) | Kind::Abstract(_) | Kind::Placement => Vec::new(),
            Kind::Struct(fields) => fields.types().collect(),
            Kind::Sequence(element) => vec![element],
            Kind::Function(parameter, result) => parameter.iter().chain([result]).collect(),
            Kind::Federated(federated) => vec![&federated.member],
        }
    }

    /// Returns the member of a federated type, and any other type itself.
    pub fn unplaced(&self) -> &Type<H> {
        self.federated().map_or(self, |federated| &federated.member)
    }
}

impl<H: Host> Kind<H> {
    /// Returns the kind as a set of one.
    pub fn part(&self) -> Parts {
        match self {
            Kind::Tensor(..) => Parts::TENSOR,
            Kind::Struct(_) => Parts::STRUCT,
            Kind::Sequence(_) => Parts::SEQUENCE,
            Kind::Function(..) => Parts::FUNCTION,
            Kind::Abstract(_) => Parts::ABSTRACT,
            Kind::Placement => Parts::PLACEMENT,
            Kind::Federated(_) => Parts::FEDERATED,
        }
    }
}

impl<H: Host> Fields<H> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Tells if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// Returns the types of the elements.
    pub fn types(&self) -> impl Iterator<Item = &Type<H>> {
        self.elements.iter().map(|field| &field.ty)
    }

    /// Returns the names of the elements that have one.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.elements.iter().filter_map(|field| field.name.as_ref())
    }

    /// Returns the position of the element of the name `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.elements.iter().position(|field| field.name.as_deref() == Some(name))
    }
}

impl<H: Host> Clone for Type<H> {
    fn clone(&self) -> Type<H> {
        Type(Arc::clone(&self.0))
    }
}

impl<H: Host> PartialEq for Type<H> {
    fn eq(&self, other: &Type<H>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<H: Host> Eq for Type<H> {}

impl<H: Host> Hash for Type<H> {
    fn hash<S: Hasher>(&self, state: &mut S) {
        self.0.hash.hash(state);
    }
}

impl<H: Host> Clone for Field<H> {
    fn clone(&self) -> Field<H> {
        Field { name: self.name.clone(), ty: self.ty.clone() }
    }
}

impl<H: Host> PartialEq for Field<H> {
    fn eq(&self, other: &Field<H>) -> bool {
        self.name == other.name && self.ty == other.ty
    }
}

impl<H: Host> Field<H> {
    /// Makes an element that has no name.
    pub fn unnamed(ty: Type<H>) -> Field<H> {
        Field { name: None, ty }
    }

    /// Makes a named element.
    pub fn named(name: impl Into<Name>, ty: Type<H>) -> Field<H> {
        Field { name: Some(name.into()), ty }
    }
}
