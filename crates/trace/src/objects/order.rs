//! Order of the elements of lists in the graph.

use gw_ir::{CheckKind, CompareOp, Piece as Text, ReduceOp};
use gw_types::{DType, Kind};

use super::access::Index;
use super::elements::{refused, settled};
use super::equality::compared;
use super::heap::Heap;
use super::held::Elements;
use super::operand::Operand;
use crate::calls::Call;
use crate::{Host, Staged};

type Held<H> = Elements<<H as Host>::Skeleton>;

/// The reason for which NaN is not sorted.
const NAN: &str = "GW130: NaN has no order among the numbers that are sorted; `gw.sort` puts it last";

/// `xs.sort(reverse=descending)`
pub fn sort<H: Heap>(host: &H, of: &H::Object, descending: bool) -> Result<(), H::Error> {
    let Some(held) = settled(host, of)? else { return Ok(()) };
    ordered(host, &held, descending, &[])?.put(host, of)
}

/// In order of the first leaf, those with equal ones in order of the second, and so on; in order of `ranks` if a key gives some.
pub fn ordered<H: Heap>(
    host: &H,
    held: &Held<H>,
    descending: bool,
    ranks: &[Staged],
) -> Result<Held<H>, H::Error> {
    if ranks.is_empty() {
        compared(host, held)?;
    }
    let mut all = held.clone();
    all.leaves.splice(..0, ranks.iter().copied());
    let sorted_by = if ranks.is_empty() { held.leaves.len() } else { ranks.len() };
    for at in (0..sorted_by).rev() {
        let leaf = Operand::Staged(all.leaves[at]);
        if host.rank(&leaf) != 1 {
            return Err(refused(host, "a list of arrays in the graph is sorted"));
        }
        let leaf = match host.dtype(&leaf).kind() {
            Kind::Bool => Operand::Staged(host.apply(&Call::Cast(DType::I32), vec![leaf])?),
            Kind::Int => leaf,
            Kind::Float => without_nan(host, leaf)?,
            Kind::Complex => return Err(refused(host, "a list of complex numbers in the graph is sorted")),
            Kind::Text => return Err(refused(host, "a list of strings in the graph is sorted")),
        };
        let places = host.apply(&Call::Sort { axis: 0, descending, places: true }, vec![leaf])?;
        all = all.map(host, &Call::Gather { axis: 0 }, &[Operand::Staged(places)])?;
    }
    all.leaves.drain(..ranks.len());
    Ok(all)
}

/// The host leaves NaN, and its neighbours, in an order that its comparisons happen to find: the run fails.
fn without_nan<H: Heap>(host: &H, leaf: Operand<H::Constant>) -> Result<Operand<H::Constant>, H::Error> {
    let same = Operand::Staged(host.apply(&Call::binary(CompareOp::Eq), vec![leaf.clone(), leaf.clone()])?);
    let all = Call::Reduce { op: ReduceOp::All, axes: None, keep: false };
    let ok = host.apply(&all, vec![same])?.value;
    host.check(&[ok], CheckKind::Value, vec![Text::Text(NAN.to_owned())], true)?;
    Ok(leaf)
}

/// The least or the greatest element in order; the run fails with `text` if there is none.
pub fn extreme<H: Heap>(host: &H, held: &Held<H>, greatest: bool, text: &str) -> Result<H::Value, H::Error> {
    let any = held.is_some(host.trace());
    host.check(&[any], CheckKind::Value, vec![Text::Text(text.to_owned())], false)?;
    let at = if greatest { -1 } else { 0 };
    ordered(host, held, false, &[])?.at(host, &Index::Known(at))
}
