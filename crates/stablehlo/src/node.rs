//! One node: what its row says.

use gw_ir::Node;
use gw_types::DType;

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::rows::{Row, row};
use crate::{control, elementwise, known, reduce};

/// Writes a node; gives its results.
pub(crate) fn write(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    if let Some((value, dtype)) = known_result(to, node, args) {
        return Ok(vec![to.text.integer(value, Ty::scalar(dtype))]);
    }
    let item = match row(node.op) {
        Row::Same(name) => {
            let args = elementwise::meet(to, args)?;
            to.text.same(name, &args.iter().collect::<Vec<_>>())
        }
        Row::Compare(direction) => {
            let args = elementwise::meet(to, args)?;
            to.text.compare(direction, &args[0], &args[1])
        }
        Row::Fold(name) => reduce::fold(to, node, &args[0], name)?,
        Row::Several(write) => write(to, node, args)?,
        Row::Control => return control::node(to, node, args),
        Row::Refused(reason) => return Err(Refused::new(reason)),
    };
    Ok(vec![item])
}

fn known_result(to: &Lowering<'_>, node: &Node, args: &[Item]) -> Option<(i64, DType)> {
    let dtype = to.graph.ty(*node.results.first()?).dtype;
    Some((known::result(node, args, dtype)?, dtype))
}
