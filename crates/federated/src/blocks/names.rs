//! Names in blocks: which occur, which are bound to nothing, and new ones.

use std::collections::BTreeSet;

use super::node::{Block, BlockKind};
use super::transform::visit;
use crate::host::Host;
use crate::types::Name;

/// Returns the names that a block defines or refers to.
pub fn unique_names<H: Host>(block: &Block<H>) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    visit(block, &mut |part| match part.kind() {
        BlockKind::Reference(name, _) => _ = names.insert(name.clone()),
        BlockKind::Lambda(parameter, _) => names.extend(parameter.iter().map(|(name, _)| name.clone())),
        BlockKind::Block(locals, _) => names.extend(locals.iter().map(|local| local.name.clone())),
        BlockKind::Selection(..)
        | BlockKind::Struct(_)
        | BlockKind::Call(..)
        | BlockKind::Intrinsic(_)
        | BlockKind::Data(_)
        | BlockKind::Compiled(..)
        | BlockKind::Placement(_)
        | BlockKind::Literal(_) => {}
    });
    names
}

/// Returns the names that a block refers to and does not define around the reference.
pub fn unbound_names<H: Host>(block: &Block<H>) -> BTreeSet<Name> {
    match block.kind() {
        BlockKind::Reference(name, _) => BTreeSet::from([name.clone()]),
        BlockKind::Lambda(parameter, result) => {
            let mut names = unbound_names(result);
            parameter.iter().for_each(|(name, _)| _ = names.remove(name));
            names
        }
        BlockKind::Block(locals, result) => {
            let mut names = unbound_names(result);
            for local in locals.iter().rev() {
                names.remove(&local.name);
                names.extend(unbound_names(&local.value));
            }
            names
        }
        BlockKind::Selection(..) | BlockKind::Struct(_) | BlockKind::Call(..) => {
            block.children().into_iter().flat_map(unbound_names).collect()
        }
        BlockKind::Intrinsic(_)
        | BlockKind::Data(_)
        | BlockKind::Compiled(..)
        | BlockKind::Placement(_)
        | BlockKind::Literal(_) => BTreeSet::new(),
    }
}

/// Returns a prefix that no name of a block begins with: `_var`, or `_var` and a number.
pub fn unused_prefix<H: Host>(block: Option<&Block<H>>, wanted: &str) -> String {
    let names = block.map(unique_names).unwrap_or_default();
    let unused = |prefix: &String| !names.iter().any(|name| name.starts_with(prefix.as_str()));
    let numbered = (1..).map(|number| format!("{wanted}{number}_"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(unused).unwrap_or_default()
}
