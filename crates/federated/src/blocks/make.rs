//! Constructors of blocks, and what each of them refuses.

use std::sync::Arc;

use super::node::{Block, BlockKind, Element, Key, Local, Node};
use super::same::hash_of;
use crate::host::Host;
use crate::placement::Placement;
use crate::refusal::{Allowed, Refusal};
use crate::types::{Field, Fields, Interns, Name, Type, not_too_deep, quoted};

impl<H: Interns> Block<H> {
    /// Makes a reference to a name.
    pub fn reference(name: impl Into<Name>, ty: Type<H>, context: Option<Arc<H::Payload>>) -> Block<H> {
        leaf(BlockKind::Reference(name.into(), context), ty)
    }

    /// Makes a selection by name; refuses what is no struct and names that it does not have.
    pub fn select_name(source: Block<H>, name: &str) -> Allowed<Block<H>> {
        let fields = selectable(&source)?;
        if name.is_empty() {
            return Err(Refusal::wrong_value("The name of the selected element cannot be empty."));
        }
        let index = fields.position(name).ok_or_else(|| no_such_name(&source, fields, name))?;
        let ty = fields.elements[index].ty.clone();
        let name = fields.elements[index].name.clone().unwrap_or_else(|| name.into());
        branch(BlockKind::Selection(source, Key::Name(name)), ty)
    }

    /// Makes a selection by position; refuses what is no struct and positions that it does not have.
    pub fn select_index(source: Block<H>, index: i64) -> Allowed<Block<H>> {
        let fields = selectable(&source)?;
        let found = usize::try_from(index).ok().and_then(|at| Some((at, fields.elements.get(at)?)));
        let Some((at, field)) = found else {
            let length = fields.len();
            return Err(Refusal::wrong_value(format!(
                "The index `{index}` does not fit into the valid range in the struct type: 0..{length}"
            )));
        };
        let ty = field.ty.clone();
        branch(BlockKind::Selection(source, Key::Index(at)), ty)
    }

    /// Refuses a selection by both a name and a position, or by neither.
    pub fn refuse_selection(source: &Block<H>, both: bool) -> Allowed<Block<H>> {
        selectable(source)?;
        Err(Refusal::wrong_value(if both {
            "Cannot simultaneously specify a name and an index, choose one."
        } else {
            "Must define either a name or index, and neither was specified."
        }))
    }

    /// Makes a struct; refuses empty names, names that are reserved and names that occur twice.
    pub fn structure(elements: Vec<Element<H>>, container: Option<H::Container>) -> Allowed<Block<H>> {
        if elements.iter().any(|element| element.name.as_deref() == Some("")) {
            return Err(Refusal::wrong_value("Unexpected struct element with empty string name."));
        }
        let field =
            |element: &Element<H>| Field { name: element.name.clone(), ty: element.value.ty().clone() };
        let ty = Type::structure(elements.iter().map(field).collect(), container)?;
        branch(BlockKind::Struct(elements.into()), ty)
    }

    /// Makes a struct of unnamed elements.
    pub fn tuple(values: impl IntoIterator<Item = Block<H>>) -> Allowed<Block<H>> {
        Block::structure(values.into_iter().map(Element::unnamed).collect(), None)
    }

    /// Makes a call; refuses what is no function and arguments that do not fit its parameter.
    pub fn call(function: Block<H>, argument: Option<Block<H>>) -> Allowed<Block<H>> {
        let Some((parameter, result)) = function.ty().function() else {
            let found = function.ty();
            return Err(Refusal::wrong_type(format!(
                "Expected `fn` to have a `FunctionType`, found {found}."
            )));
        };
        check_argument(parameter, argument.as_ref())?;
        let ty = result.clone();
        branch(BlockKind::Call(function, argument), ty)
    }

    /// Makes a function.
    pub fn lambda(parameter: Option<(Name, Type<H>)>, result: Block<H>) -> Allowed<Block<H>> {
        let ty = Type::function_of(parameter.as_ref().map(|(_, ty)| ty.clone()), result.ty().clone())?;
        branch(BlockKind::Lambda(parameter, result), ty)
    }

    /// Makes a function; refuses a parameter that has only a name or only a type.
    pub fn function(name: Option<&str>, ty: Option<Type<H>>, result: Block<H>) -> Allowed<Block<H>> {
        let name = name.filter(|name| !name.is_empty());
        match (name, ty) {
            (Some(name), Some(ty)) => Block::lambda(Some((name.into(), ty)), result),
            (None, None) => Block::lambda(None, result),
            (name, ty) => Err(Refusal::wrong_type(format!(
                "A lambda expression must have either a valid parameter name and type or both parameter name and type \
                 must be `None`. `parameter_name` was {} but `parameter_type` was {}.",
                name.unwrap_or("None"),
                ty.map_or("None".to_owned(), |ty| ty.compact())
            ))),
        }
    }

    /// Makes a block of locals and a result.
    pub fn with_locals(locals: Vec<Local<H>>, result: Block<H>) -> Allowed<Block<H>> {
        let ty = result.ty().clone();
        branch(BlockKind::Block(locals.into(), result), ty)
    }

    /// Makes an intrinsic whose type is known to fit its template.
    pub fn intrinsic(uri: impl Into<Name>, ty: Type<H>) -> Block<H> {
        leaf(BlockKind::Intrinsic(uri.into()), ty)
    }

    /// Makes a block of data.
    pub fn data(content: impl Into<Arc<H::Payload>>, ty: Type<H>) -> Block<H> {
        leaf(BlockKind::Data(content.into()), ty)
    }

    /// Makes a block of a graph.
    pub fn compiled(graph: impl Into<Arc<H::Payload>>, name: impl Into<Name>, ty: Type<H>) -> Block<H> {
        leaf(BlockKind::Compiled(graph.into(), name.into()), ty)
    }

    /// Makes a placement.
    pub fn placement(placement: Placement) -> Block<H> {
        leaf(BlockKind::Placement(placement), Type::placement())
    }

    /// Makes a constant whose value is known to fit its type.
    pub fn literal(value: impl Into<Arc<H::Payload>>, ty: Type<H>) -> Block<H> {
        leaf(BlockKind::Literal(value.into()), ty)
    }
}

fn leaf<H: Host>(kind: BlockKind<H>, ty: Type<H>) -> Block<H> {
    let hash = hash_of(&kind, &ty);
    Block(Arc::new(Node { kind, ty, hash, depth: 0, selects_names: false, slot: H::BlockSlot::default() }))
}

fn branch<H: Host>(kind: BlockKind<H>, ty: Type<H>) -> Allowed<Block<H>> {
    let children = kind.children();
    not_too_deep(children.iter().map(|child| child.depth()))?;
    let depth = children.iter().map(|child| child.depth() + 1).max().unwrap_or(0);
    let by_name = matches!(kind, BlockKind::Selection(_, Key::Name(_)));
    let selects_names = by_name || children.iter().any(|child| child.selects_names());
    let hash = hash_of(&kind, &ty);
    Ok(Block(Arc::new(Node { kind, ty, hash, depth, selects_names, slot: H::BlockSlot::default() })))
}

fn selectable<H: Host>(source: &Block<H>) -> Allowed<&Fields<H>> {
    source.ty().fields().ok_or_else(|| {
        Refusal::wrong_type(format!(
            "Expected the source of selection to be a `StructType`, instead found it to be of type {}.",
            source.ty()
        ))
    })
}

fn no_such_name<H: Host>(source: &Block<H>, fields: &Fields<H>, name: &str) -> Refusal {
    let names: Vec<&Name> = fields.names().collect();
    Refusal::wrong_value(format!(
        "Error selecting named field `{name}` from type `{}`, whose only named fields are {}.",
        source.ty(),
        quoted(&names)
    ))
}

fn check_argument<H: Host>(parameter: Option<&Type<H>>, argument: Option<&Block<H>>) -> Allowed<()> {
    let message = match (parameter, argument) {
        (None, None) => return Ok(()),
        (Some(parameter), Some(argument)) if parameter.is_assignable_from(argument.ty())? => return Ok(()),
        (Some(parameter), Some(argument)) => {
            format!("Expected `arg` to be of type {parameter}, found an incompatible type {}.", argument.ty())
        }
        (Some(parameter), None) => format!("Expected `arg` to be of type {parameter}, found None."),
        (None, Some(argument)) => format!("Expected `arg` to be None, found {argument}."),
    };
    Err(Refusal::wrong_type(message))
}

impl<H: Host> Element<H> {
    /// Makes an element that has no name.
    pub fn unnamed(value: Block<H>) -> Element<H> {
        Element { name: None, value }
    }
}
