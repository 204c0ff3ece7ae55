//! Loops as loops of StableHLO.

use gw_ir::{Node, RegionId};
use gw_types::DType;

use crate::items::{Item, Ty};
use crate::lowering::Lowering;
use crate::may_fail;
use crate::refused::{Made, Refused};
use crate::threads::Threads;

/// The carries of a loop: the graph's own, then its test if that is made early, then what goes through.
struct Carries {
    types: Vec<Ty>,
    own: usize,
    early: bool,
    threads: Threads,
}

/// `stablehlo.while`. It ends where something has failed or been left. A test that may itself fail is made in front of the
/// loop and at the end of each iteration, and is a carry: the region of a test gives nothing but its truth.
pub(crate) fn repeat(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    let [test, body] = [node.regions[0], node.regions[1]];
    let threads = Threads::through(to, &[test, body]);
    let early = may_fail::fails(to.graph, test) || may_fail::leaves(to.graph, test);
    let mut start = args.to_vec();
    if early {
        let first = tested(to, test, args)?;
        start.push(first);
    }
    start.extend(threads.now(to));
    let types = start.iter().map(|item| item.ty.clone()).collect();
    let carries = Carries { types, own: args.len(), early, threads };
    let operands: Vec<&Item> = start.iter().collect();
    let results = to.text.open("stablehlo.while", &operands, "", &carries.types);
    let before = to.status.clone();
    test_region(to, test, &carries)?;
    to.text.next_region();
    body_region(to, [test, body], &carries)?;
    to.text.close(&operands, &results);
    to.status = before;
    let mut own = results;
    threads.take(to, &mut own);
    own.truncate(args.len());
    Ok(own)
}

/// The answer of a test for these carries.
pub(crate) fn tested(to: &mut Lowering<'_>, test: RegionId, carries: &[Item]) -> Made<Item> {
    to.bind(&to.graph.regions[test].params, carries);
    let mut results = to.region(test)?;
    results.pop().ok_or_else(|| Refused::new("a test gives nothing"))
}

/// The head of a region: the graph's own carries, the test, and the rest where it belongs.
fn head(to: &mut Lowering<'_>, carries: &Carries) -> Vec<Item> {
    let mut params: Vec<Item> = carries.types.iter().map(|ty| to.text.item(ty.clone())).collect();
    to.text.block(&params);
    carries.threads.take(to, &mut params);
    params
}

fn test_region(to: &mut Lowering<'_>, test: RegionId, carries: &Carries) -> Made<()> {
    let params = head(to, carries);
    let status = to.status.clone();
    let mut again = match carries.early {
        true => params[carries.own].clone(),
        false => tested(to, test, &params)?,
    };
    if let Some(status) = status.filter(|_| carries.threads.status) {
        let is_well = to.is_well(&status);
        again = to.text.op("stablehlo.and", &[&again, &is_well], "", Ty::scalar(DType::Bool));
    }
    to.text.give(&[again]);
    Ok(())
}

fn body_region(to: &mut Lowering<'_>, [test, body]: [RegionId; 2], carries: &Carries) -> Made<()> {
    let params = head(to, carries);
    // An iteration begins while nothing has failed.
    to.status = None;
    to.bind(&to.graph.regions[body].params, &params[..carries.own]);
    let mut results = to.region(body)?;
    same_types(&carries.types, &results, "an array changes its lengths from turn to turn")?;
    let unknown: Vec<Item> = results.iter().map(|item| Item { known: None, ..item.clone() }).collect();
    if carries.early {
        let again = tested(to, test, &unknown)?;
        results.push(again);
    }
    results.extend(carries.threads.now(to));
    to.text.give(&results);
    Ok(())
}

/// A refusal for this reason, unless items have these types.
pub(crate) fn same_types(types: &[Ty], items: &[Item], reason: &str) -> Made<()> {
    match types.iter().zip(items).all(|(ty, item)| *ty == item.ty) {
        true => Ok(()),
        false => Err(Refused::new(reason)),
    }
}
