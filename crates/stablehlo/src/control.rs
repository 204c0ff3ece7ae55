//! Branches, loops, calls and checks.

use gw_ir::{Attr, Node, Op, RegionId};
use gw_types::DType;

use crate::functions;
use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::may_fail;
use crate::refused::{Made, Refused};

/// What a node with regions, a call or a check gives.
pub(crate) fn node(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    if let Attr::Function(function) = node.attr {
        return functions::call(to, node, args, function);
    }
    if node.op == Op::Cond {
        return cond(to, node, &args[0]);
    }
    if node.op == Op::While {
        return repeat(to, node, args);
    }
    to.require(&args[0]);
    Ok(Vec::new())
}

/// True if the status is to go through regions: it may change in them, or they are not to be run on what a failure left.
pub(crate) fn threads_status(to: &Lowering<'_>, regions: &[RegionId]) -> bool {
    to.status.is_some() || regions.iter().any(|&region| may_fail::region(to.graph, region))
}

/// `stablehlo.if`; a branch that the lengths decide stands in its place.
fn cond(to: &mut Lowering<'_>, node: &Node, test: &Item) -> Made<Vec<Item>> {
    if let Some(test) = test.known {
        return to.region(node.regions[usize::from(test == 0)], false);
    }
    let fails = node.regions.iter().any(|&region| may_fail::region(to.graph, region));
    let before = to.status.clone();
    let at = to.text.lines.len();
    // The types of the results are those of the first branch, which is written before the head that names them.
    let outer_depth = to.text.depth;
    to.text.depth += 1;
    let first = branch(to, node.regions[0], fails)?;
    let written = to.text.lines.split_off(at);
    to.text.depth = outer_depth;
    let types: Vec<Ty> = first.iter().map(|item| item.ty.clone()).collect();
    let mut results = to.text.open("stablehlo.if", &[test], "", &types);
    to.text.lines.push_str(&written);
    to.text.next_region();
    to.status.clone_from(&before);
    let second = branch(to, node.regions[1], fails)?;
    same_types(&types, &second, "the branches give arrays of different lengths")?;
    to.text.close(&[test], &results);
    to.status = if fails { results.pop() } else { before };
    Ok(results)
}

fn branch(to: &mut Lowering<'_>, region: RegionId, fails: bool) -> Made<Vec<Item>> {
    let results = to.region(region, fails)?;
    to.text.give(&results);
    Ok(results)
}

fn same_types(types: &[Ty], items: &[Item], reason: &str) -> Made<()> {
    match types.iter().zip(items).all(|(ty, item)| *ty == item.ty) {
        true => Ok(()),
        false => Err(Refused::new(reason)),
    }
}

/// `stablehlo.while`. It ends where something has failed. A test that may itself fail is made in front of the loop and at
/// the end of each turn, and is a carry: the region of a test gives nothing but its truth.
fn repeat(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    let [test, body] = [node.regions[0], node.regions[1]];
    let threads = threads_status(to, &[test, body]);
    let early = may_fail::region(to.graph, test);
    let mut start = args.to_vec();
    if early {
        let first = tested(to, test, args)?;
        start.push(first);
    }
    if threads {
        start.push(to.status());
    }
    let types: Vec<Ty> = start.iter().map(|item| item.ty.clone()).collect();
    let operands: Vec<&Item> = start.iter().collect();
    let mut results = to.text.open("stablehlo.while", &operands, "", &types);
    let outer = to.status.clone();
    test_region(to, test, &types, args.len(), [early, threads])?;
    to.text.next_region();
    body_region(to, [test, body], &types, args.len(), [early, threads])?;
    to.text.close(&operands, &results);
    to.status = if threads { results.pop() } else { outer };
    results.truncate(args.len());
    Ok(results)
}

/// What a test gives for these carries.
fn tested(to: &mut Lowering<'_>, test: RegionId, carries: &[Item]) -> Made<Item> {
    to.bind(&to.graph.regions[test].params, carries);
    let mut results = to.region(test, false)?;
    results.pop().ok_or_else(|| Refused::new("a test gives nothing"))
}

/// The carries of a region, as its parameters; the status among them is the status there.
fn carries(to: &mut Lowering<'_>, types: &[Ty], threads: bool) -> Vec<Item> {
    let params: Vec<Item> = types.iter().map(|ty| to.text.item(ty.clone())).collect();
    to.text.block(&params);
    if threads {
        to.status = params.last().cloned();
    }
    params
}

fn test_region(
    to: &mut Lowering<'_>,
    test: RegionId,
    types: &[Ty],
    own: usize,
    [early, threads]: [bool; 2],
) -> Made<()> {
    let params = carries(to, types, threads);
    let mut again = match early {
        true => params[own].clone(),
        false => tested(to, test, &params[..own])?,
    };
    if let Some(status) = params.last().filter(|_| threads) {
        let is_well = to.is_well(status);
        again = to.text.op("stablehlo.and", &[&again, &is_well], "", Ty::scalar(DType::Bool));
    }
    to.text.give(&[again]);
    Ok(())
}

fn body_region(
    to: &mut Lowering<'_>,
    [test, body]: [RegionId; 2],
    types: &[Ty],
    own: usize,
    [early, threads]: [bool; 2],
) -> Made<()> {
    let params = carries(to, types, threads);
    // A turn begins while nothing has failed.
    to.status = None;
    to.bind(&to.graph.regions[body].params, &params[..own]);
    let mut results = to.region(body, false)?;
    same_types(types, &results, "an array changes its lengths from turn to turn")?;
    let unknown: Vec<Item> = results.iter().map(|item| Item { known: None, ..item.clone() }).collect();
    if early {
        let again = tested(to, test, &unknown)?;
        results.push(again);
    }
    if threads {
        results.push(to.status());
    }
    to.text.give(&results);
    Ok(())
}
