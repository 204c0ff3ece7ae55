//! Keys of dicts and sets in the graph: the contents are a list, of pairs in the order in which their keys came or of the
//! elements of a set, and one pass compares all keys with the one that is looked for.

use std::sync::Arc;

use gw_base::{Code, Diagnostic};
use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, ReduceOp, ValueId};
use gw_types::{DType, Scalar};

use super::access::Index;
use super::elements::{elements, settled};
use super::equality::compared;
use super::heap::Heap;
use super::held::{Elements, arithmetic, number};
use super::operand::Operand;
use crate::calls::Call;
use crate::{Host, Staged, Trace};

type Held<H> = Elements<<H as Host>::Skeleton>;
type Given<H> = Operand<<H as Heap>::Constant>;

/// A part of each pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairPart {
    /// The keys.
    Keys,
    /// The values.
    Values,
    /// The pairs themselves.
    Items,
}

/// The diagnostic of a dict or set that the graph cannot hold.
pub fn table_refusal(message: impl Into<String>) -> Diagnostic {
    let help = "the keys of a dict or set in the graph are numbers or tuples of numbers, and the values of a dict are \
                tensors and numbers of one dtype and shape, or tuples of them";
    Diagnostic::new(Code::ListInGraph, message).help(help)
}

/// A part of pairs of the graph.
pub fn of_pairs<H: Heap>(host: &H, pairs: &Held<H>, part: PairPart) -> Result<Held<H>, H::Error> {
    let Some([(key, keys), (value, _)]) = host.pair(&pairs.element) else {
        return Err(host.refuse(table_refusal("the contents of a dict are no pairs")));
    };
    let (element, leaves) = match part {
        PairPart::Keys => (Arc::new(key), &pairs.leaves[..keys]),
        PairPart::Values => (Arc::new(value), &pairs.leaves[keys..]),
        PairPart::Items => (pairs.element.clone(), &pairs.leaves[..]),
    };
    Ok(Elements { element, leaves: leaves.to_vec(), ..pairs.clone() })
}

/// The position of a key among pairs, or among the elements of a set, which is -1 if it is nowhere, and the contents; nothing where
/// no key can equal it.
pub fn place<H: Heap>(
    host: &H,
    list: &H::Object,
    key: &H::Value,
    is_dict: bool,
) -> Result<Option<(Held<H>, Index)>, H::Error> {
    let held = if host.holds_rows(list) { settled(host, list)? } else { elements(host, list)? };
    let Some(held) = held else { return Ok(None) };
    let keys = if is_dict { of_pairs(host, &held, PairPart::Keys)? } else { held.clone() };
    compared(host, &keys)?;
    let (skeleton, leaves) = host.open(key)?;
    if !host.same_skeleton(&keys.element, &skeleton) {
        return Ok(None);
    }
    let mut equal: Option<Staged> = None;
    for (&rows, leaf) in keys.leaves.iter().zip(leaves) {
        let Some(leaf) = host.operand(&leaf)? else { return Ok(None) };
        if host.rank(&leaf) > 0 {
            return Err(host.refuse(table_refusal("an array is the key of a dict or set")));
        }
        let both = alike(host, [Operand::Staged(rows), leaf])?;
        let same = host.apply(&Call::binary(CompareOp::Eq), both)?;
        equal = Some(match equal {
            None => same,
            Some(equal) => {
                host.apply(&Call::binary(BinaryOp::And), vec![Operand::Staged(equal), Operand::Staged(same)])?
            }
        });
    }
    let Some(equal) = equal else { return Ok(None) };
    let at = position(host, &held, equal)?;
    Ok(Some((held, at)))
}

/// The position of a key, as [`place`]; the run fails with the key where it is nowhere.
pub fn key<H: Heap>(
    host: &H,
    list: &H::Object,
    key: &H::Value,
    is_dict: bool,
) -> Result<(Held<H>, Index), H::Error> {
    let message = || host.message_of(key);
    let Some((held, at)) = place(host, list, key, is_dict)? else {
        if host.items(list).is_empty() {
            host.lists().miss(list);
        }
        return Err(host.raise(CheckKind::Key, &message()));
    };
    let ok = is_there(host.trace(), &at);
    let (pieces, shown) = host.pieces(&message(), 1)?;
    let shown = shown.iter().map(|operand| host.stage(operand).value);
    let values: Vec<_> = std::iter::once(ok).chain(shown).collect();
    host.check(&values, CheckKind::Key, pieces, false)?;
    Ok((held, at))
}

/// True if a position that [`place`] gives is one.
pub fn is_there(trace: &Trace, at: &Index) -> ValueId {
    let at = at.value(trace);
    arithmetic(trace, Op::Compare(CompareOp::Ge), &[at, number(trace, 0)])
}

/// Two numbers in a type in which they compare as the host's do.
fn alike<H: Heap>(host: &H, both: [Given<H>; 2]) -> Result<Vec<Given<H>>, H::Error> {
    let is_float = both.iter().any(|operand| host.dtype(operand).is_float());
    let wide = if is_float { DType::F64 } else { DType::I64 };
    let cast = |operand: Given<H>| match operand {
        Operand::Staged(_) | Operand::Constant(_) if host.dtype(&operand) == wide => Ok(operand),
        Operand::Staged(_) | Operand::Constant(_) | Operand::Number(_) => {
            host.apply(&Call::Cast(wide), vec![operand]).map(Operand::Staged)
        }
    };
    both.into_iter().map(cast).collect()
}

/// The position of the only one that is true, or -1: keys differ, so a sum finds it, and of no keys too.
fn position<H: Heap>(host: &H, held: &Held<H>, equal: Staged) -> Result<Index, H::Error> {
    let trace = host.trace();
    let given = |value| Operand::Staged(Staged::strong(value));
    let one = given(number(trace, 1));
    let length = held.length(trace);
    let end = given(arithmetic(trace, Op::Binary(BinaryOp::Add), &[length, number(trace, 1)]));
    let counted = host.apply(&Call::Range(Some(DType::I64)), vec![one.clone(), end, one.clone()])?;
    let zero = Operand::Number(Scalar::Int(0));
    let marked = vec![Operand::Staged(equal), Operand::Staged(counted), zero];
    let marked = host.apply(&Call::Select, marked)?;
    let sum = Call::Reduce { op: ReduceOp::Sum, axes: None, keep: false };
    let sum = host.apply(&sum, vec![Operand::Staged(marked)])?;
    let at = host.apply(&Call::wrapping(BinaryOp::Sub), vec![Operand::Staged(sum), one])?;
    Ok(Index::Given(at))
}
