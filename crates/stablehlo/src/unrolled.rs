//! Loops whose iterations follow from lengths alone, iteration by iteration: their arrays may have other lengths
//! in each.

use gw_ir::Node;

use crate::items::Item;
use crate::lowering::Lowering;
use crate::refused::{Made, Refused};
use crate::repeat::{repeat, tested};

/// A loop of more iterations is not written iteration by iteration.
const MOST_TURNS: usize = 1024;

/// A text of more bytes than this for one loop is none.
const MOST_BYTES: usize = 1 << 24;

/// `while`, as a loop of StableHLO if that can be, else iteration by iteration. In a loop that is written
/// iteration by iteration those inside are too where that can be: what they count decides how the outer one goes
/// on.
pub(crate) fn loops(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Made<Vec<Item>> {
    let start = to.mark();
    if to.unrolled > 0 {
        if let Some(Ok(results)) = turns(to, node, args) {
            return Ok(results);
        }
        to.go_back(&start);
        return repeat(to, node, args);
    }
    let refused = match repeat(to, node, args) {
        Ok(results) => return Ok(results),
        Err(refused) => refused,
    };
    to.go_back(&start);
    to.unrolled += 1;
    let results = turns(to, node, args);
    to.unrolled -= 1;
    results.ok_or(refused)?
}

/// The iterations one behind the other; none where what ends the loop is not known.
fn turns(to: &mut Lowering<'_>, node: &Node, args: &[Item]) -> Option<Made<Vec<Item>>> {
    let [test, body] = [node.regions[0], node.regions[1]];
    let at = to.text.lines.len();
    let mut carries = args.to_vec();
    for _ in 0..=MOST_TURNS {
        let go = match tested(to, test, &carries) {
            Ok(go) => go.known?,
            Err(refused) => return Some(Err(refused)),
        };
        if go == 0 {
            return Some(Ok(carries));
        }
        to.bind(&to.graph.regions[body].params, &carries);
        carries = match to.region(body) {
            Ok(results) => results,
            Err(refused) => return Some(Err(refused)),
        };
        if to.text.lines.len() - at > MOST_BYTES {
            return Some(Err(Refused::new("its turns are too many to be written one by one")));
        }
    }
    None
}
