//! Branches and checks; who writes loops, calls and exits.

use gw_ir::{Attr, Node, Op, RegionId};

use crate::calls;
use crate::exits;
use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::repeat::same_types;
use crate::threads::Threads;
use crate::unrolled;

/// The results of a node with regions, of a call or of a check.
pub(crate) fn node(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    if let Attr::Function(function) = node.attr {
        return calls::call(to, args, function);
    }
    let write = [
        (Op::Cond, cond as fn(&mut Lowering<'_>, &Node, &[Item]) -> Made<Vec<Item>>),
        (Op::While, unrolled::loops),
        (Op::Try, exits::attempt),
        (Op::Leave, exits::leave),
        (Op::Check, check),
    ];
    let row = write.into_iter().find(|(op, _)| *op == node.op);
    let (_, write) = row.ok_or_else(|| Refused::new("it has no regions"))?;
    write(to, node, args)
}

fn check(to: &mut Lowering<'_>, _: &Node, args: &[Item]) -> Made<Vec<Item>> {
    to.require(&args[0]);
    Ok(Vec::new())
}

/// `stablehlo.if`; a branch that the lengths decide stands in its place.
fn cond(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    let test = &args[0];
    if let Some(test) = test.known {
        return to.region(node.regions[usize::from(test == 0)]);
    }
    let threads = Threads::through(to, &node.regions);
    let before = (to.status.clone(), to.kept.clone());
    // The types of the results are those of the first branch, which is written before the head that names them.
    let at = to.text.lines.len();
    to.text.depth += 1;
    let first = branch(to, node.regions[0], threads)?;
    to.text.depth -= 1;
    let written = to.text.lines.split_off(at);
    let types: Vec<Ty> = first.iter().map(|item| item.ty.clone()).collect();
    let results = to.text.open("stablehlo.if", &[test], "", &types);
    to.text.lines.push_str(&written);
    to.text.next_region();
    (to.status, to.kept) = before;
    let second = branch(to, node.regions[1], threads)?;
    same_types(&types, &second, "the branches give arrays of different lengths")?;
    to.text.close(&[test], &results);
    let mut own = results;
    threads.take(to, &mut own);
    Ok(own)
}

fn branch(to: &mut Lowering<'_>, region: RegionId, threads: Threads) -> Made<Vec<Item>> {
    let mut results = to.region(region)?;
    results.extend(threads.now(to));
    to.text.give(&results);
    Ok(results)
}
