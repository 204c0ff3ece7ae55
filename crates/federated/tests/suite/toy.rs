//! A toy host: containers are names, payloads are texts, and there are no handles.

use std::sync::OnceLock;

use gw_federated::blocks::{Block, Element};
use gw_federated::intrinsics::calls::Caller;
use gw_federated::packing::{Parameter, Passing, Signature};
use gw_federated::tracing::Tracing;
use gw_federated::types::{Interner, Interns, Type};
use gw_federated::{Allowed, Host, Payload, Refusal};

pub struct Toy;

pub type Ty = Type<Toy>;
pub type Toys = Block<Toy>;

#[derive(Debug, PartialEq, Eq)]
pub struct Text(pub &'static str);

impl Payload for Text {
    fn text(&self) -> String {
        self.0.to_owned()
    }

    fn constructor(&self) -> String {
        self.0.to_owned()
    }

    fn address(&self) -> usize {
        7
    }

    fn same(&self, other: &Text) -> bool {
        self == other
    }

    fn hash(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Host for Toy {
    type Container = &'static str;
    type Payload = Text;
    type TypeSlot = ();
    type BlockSlot = ();

    fn container_name(container: &&'static str) -> String {
        (*container).to_owned()
    }

    fn container_in_sequence(container: &&'static str) -> &'static str {
        if *container == "list" { "tuple" } else { container }
    }

    fn ordered_mapping() -> &'static str {
        "OrderedDict"
    }

    fn plain_list() -> &'static str {
        "list"
    }
}

static TYPES: OnceLock<Interner<Toy>> = OnceLock::new();

impl Interns for Toy {
    fn interner() -> &'static Interner<Toy> {
        TYPES.get_or_init(Interner::default)
    }
}

/// Reads a type that is known to be well formed.
#[track_caller]
pub fn ty(text: &str) -> Ty {
    Type::parse(text).unwrap_or_else(|refusal| panic!("{}", refusal.message))
}

/// Makes a reference of a type.
#[track_caller]
pub fn reference(name: &str, text: &str) -> Toys {
    Block::reference(name, ty(text), None)
}

/// Makes a literal.
#[track_caller]
pub fn literal(value: &'static str, text: &str) -> Toys {
    Block::literal(Text(value), ty(text))
}

/// Makes a struct.
#[track_caller]
pub fn structure(elements: Vec<(Option<&str>, Toys)>) -> Toys {
    let element = |(name, value): (Option<&str>, Toys)| Element { name: name.map(Into::into), value };
    allowed(Block::structure(elements.into_iter().map(element).collect(), None))
}

/// Takes what is known to be allowed.
#[track_caller]
pub fn allowed<T>(result: Allowed<T>) -> T {
    result.unwrap_or_else(|refusal| panic!("{:?}: {}", refusal.raises, refusal.message))
}

/// Returns a refusal as the text of an exception.
#[track_caller]
pub fn refused<T>(result: Allowed<T>) -> String {
    match result {
        Ok(_) => panic!("it is allowed"),
        Err(refusal) => format!("{:?}: {}", refusal.raises, refusal.message),
    }
}

/// Makes the signature of a function whose parameters are given by position or by name.
pub fn signature(names: &[&str]) -> Signature {
    let parameter = |name: &&str| Parameter { name: (*name).into(), passing: Passing::Either, default: None };
    Signature { function: "f".into(), parameters: names.iter().map(parameter).collect() }
}

/// A caller whose arguments are blocks, and who keeps the hints it was given.
pub struct Calling {
    pub arguments: Vec<Toys>,
    pub hints: Vec<String>,
    pub tracing: Tracing<Toy>,
}

impl Calling {
    pub fn with(arguments: Vec<Toys>) -> Calling {
        Calling { arguments, hints: Vec::new(), tracing: Tracing::new(Some("f"), &[]) }
    }

    /// Returns what was bound, as text.
    pub fn bound(&self) -> Vec<String> {
        self.tracing.symbols().iter().map(|local| format!("{}: {}", local.value, local.value.ty())).collect()
    }
}

impl Caller<Toy> for Calling {
    type Error = Refusal;

    fn argument(&mut self, position: usize, hint: Option<&Ty>) -> Allowed<Toys> {
        self.hints.push(hint.map_or("-".to_owned(), Type::compact));
        Ok(self.arguments[position].clone())
    }

    fn bind(&mut self, block: Toys) -> Allowed<Toys> {
        Ok(self.tracing.bind(block))
    }
}
