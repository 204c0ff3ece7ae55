//! Walks over blocks that replace parts of them. What is not replaced stays the same node.

use super::node::{Block, BlockKind, Element, Key, Local};
use crate::host::Host;
use crate::refusal::Refusal;
use crate::types::{Interns, Type};

/// Replaces a block, or leaves it.
pub type Replace<'f, H, E> = dyn FnMut(&Block<H>) -> Result<Option<Block<H>>, E> + 'f;

/// Replaces blocks from the leaves up; returns `None` where nothing is replaced.
///
/// # Errors
///
/// `replace` fails, or a constructor refuses a replaced part.
pub fn postorder<H: Interns, E: From<Refusal>>(
    block: &Block<H>,
    replace: &mut Replace<'_, H, E>,
) -> Result<Option<Block<H>>, E> {
    let rebuilt = rebuild(block, &mut |child| postorder(child, replace))?;
    let replaced = replace(rebuilt.as_ref().unwrap_or(block))?;
    Ok(replaced.or(rebuilt))
}

/// Replaces blocks from the root down, not going into what is replaced; returns `None` where nothing is replaced.
///
/// # Errors
///
/// `replace` fails, or a constructor refuses a replaced part.
pub fn preorder<H: Interns, E: From<Refusal>>(
    block: &Block<H>,
    replace: &mut Replace<'_, H, E>,
) -> Result<Option<Block<H>>, E> {
    match replace(block)? {
        Some(replaced) => Ok(Some(replaced)),
        None => rebuild(block, &mut |child| preorder(child, replace)),
    }
}

/// Makes a block anew of children of which some are replaced.
fn rebuild<H: Interns, E: From<Refusal>>(
    block: &Block<H>,
    replace: &mut Replace<'_, H, E>,
) -> Result<Option<Block<H>>, E> {
    match block.kind() {
        BlockKind::Selection(source, key) => match replace(source)? {
            Some(source) => Ok(Some(select(source, key)?)),
            None => Ok(None),
        },
        BlockKind::Struct(elements) => rebuild_struct(block.ty(), elements, replace),
        BlockKind::Call(function, argument) => {
            let new_function = replace(function)?;
            let new_argument = argument.as_ref().map(&mut *replace).transpose()?.flatten();
            if new_function.is_none() && new_argument.is_none() {
                return Ok(None);
            }
            let function = new_function.unwrap_or_else(|| function.clone());
            Ok(Some(Block::call(function, new_argument.or_else(|| argument.clone()))?))
        }
        BlockKind::Lambda(parameter, result) => match replace(result)? {
            Some(result) => Ok(Some(Block::lambda(parameter.clone(), result)?)),
            None => Ok(None),
        },
        BlockKind::Block(locals, result) => rebuild_block(locals, result, replace),
        BlockKind::Reference(..)
        | BlockKind::Intrinsic(_)
        | BlockKind::Data(_)
        | BlockKind::Compiled(..)
        | BlockKind::Placement(_)
        | BlockKind::Literal(_) => Ok(None),
    }
}

/// Selects an element as `key` says.
fn select<H: Interns>(source: Block<H>, key: &Key) -> Result<Block<H>, Refusal> {
    match key {
        Key::Name(name) => Block::select_name(source, name),
        Key::Index(index) => Block::select_index(source, i64::try_from(*index).unwrap_or(i64::MAX)),
    }
}

fn rebuild_struct<H: Interns, E: From<Refusal>>(
    ty: &Type<H>,
    elements: &[Element<H>],
    replace: &mut Replace<'_, H, E>,
) -> Result<Option<Block<H>>, E> {
    let mut changed = false;
    let mut rebuilt = Vec::with_capacity(elements.len());
    for element in elements {
        let value = replace(&element.value)?;
        changed |= value.is_some();
        let value = value.unwrap_or_else(|| element.value.clone());
        rebuilt.push(Element { name: element.name.clone(), value });
    }
    let container = ty.fields().and_then(|fields| fields.container.clone());
    if changed { Ok(Some(Block::structure(rebuilt, container)?)) } else { Ok(None) }
}

fn rebuild_block<H: Interns, E: From<Refusal>>(
    locals: &[Local<H>],
    result: &Block<H>,
    replace: &mut Replace<'_, H, E>,
) -> Result<Option<Block<H>>, E> {
    let mut changed = false;
    let mut rebuilt = Vec::with_capacity(locals.len());
    for local in locals {
        let value = replace(&local.value)?;
        changed |= value.is_some();
        rebuilt.push(Local { name: local.name.clone(), value: value.unwrap_or_else(|| local.value.clone()) });
    }
    let new_result = replace(result)?;
    if !changed && new_result.is_none() {
        return Ok(None);
    }
    Ok(Some(Block::with_locals(rebuilt, new_result.unwrap_or_else(|| result.clone()))?))
}

/// Replaces selections by name with selections by position.
///
/// # Errors
///
/// A constructor refuses a replaced part; none does for a block that was made by them.
pub fn selections_by_index<H: Interns>(block: &Block<H>) -> Result<Block<H>, Refusal> {
    if !block.selects_names() {
        return Ok(block.clone());
    }
    let mut by_index = |part: &Block<H>| {
        let BlockKind::Selection(source, Key::Name(name)) = part.kind() else { return Ok(None) };
        let position = source.ty().fields().and_then(|fields| fields.position(name));
        position.map(|index| select(source.clone(), &Key::Index(index))).transpose()
    };
    Ok(postorder(block, &mut by_index)?.unwrap_or_else(|| block.clone()))
}

/// Calls `visit` with each block, children before their parents.
pub fn visit<'b, H: Host>(block: &'b Block<H>, visit_one: &mut dyn FnMut(&'b Block<H>)) {
    for child in block.children() {
        visit(child, visit_one);
    }
    visit_one(block);
}
