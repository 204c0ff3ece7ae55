//! Equality of lists in the graph and of their elements. A container takes NaN for equal to itself, and the graph knows no
//! objects: where both sides may be NaN and may be two objects, the run fails.

use gw_ir::{BinaryOp, CheckKind, CompareOp, Op, Piece as Text, ReduceOp, UnaryOp};

use super::access::any;
use super::elements::{elements, refused, settled};
use super::heap::Heap;
use super::held::{Elements, arithmetic, number};
use super::operand::Operand;
use crate::calls::Call;
use crate::{Host, Staged};

type Held<H> = Elements<<H as Host>::Skeleton>;
type Given<H> = Operand<<H as Heap>::Constant>;
/// The elements of a list, and a bool for each.
type Found<H> = Option<(Held<H>, Given<H>)>;
/// The leaves of each item.
type Leaves<H> = Vec<Vec<<H as Host>::Value>>;

/// The reason for which the graph cannot tell if NaN is equal to NaN.
const DOUBT: &str = "GW130: NaN is in a container what it is as an object, and the graph does not know whether these two are \
                     one; test with `x != x` first";

/// The elements that equal a value; nothing where none can.
pub(super) fn found<H: Heap>(host: &H, of: &H::Object, value: &H::Value) -> Result<Found<H>, H::Error> {
    let items = leaves_of(host, of)?;
    // To look for a value is no change: the list stays as it is.
    let held = if host.holds_rows(of) { settled(host, of)? } else { elements(host, of)? };
    let Some(held) = held else { return Ok(None) };
    compared(host, &held)?;
    let (skeleton, leaves) = host.open(value)?;
    if !host.same_skeleton(&held.element, &skeleton) {
        return Ok(None);
    }
    let mut all: Option<Given<H>> = None;
    for (at, (&rows, leaf)) in held.leaves.iter().zip(leaves).enumerate() {
        if host.trace().ty(rows.value).rank() > 1 {
            return Err(refused(host, "an array is looked for in a list in the graph"));
        }
        let is_one = |item: &Vec<H::Value>| host.is_object(&item[at], &leaf);
        let one = items.as_ref().map(|items| items.iter().map(is_one).collect());
        let Some(leaf) = host.operand(&leaf)? else { return Ok(None) };
        let equal = equal_rows(host, &Operand::Staged(rows), &leaf, one)?;
        all = Some(both(host, all, equal)?);
    }
    Ok(all.map(|all| (held, all)))
}

/// `value in xs`; nothing if no element can equal it.
pub fn contains<H: Heap>(host: &H, of: &H::Object, value: &H::Value) -> Result<Option<Staged>, H::Error> {
    match found(host, of, value)? {
        None => Ok(None),
        Some((_, equal)) => host.apply(&any(), vec![equal]).map(Some),
    }
}

/// `xs == ys`; nothing if neither has elements, so that they are equal.
pub fn equal<H: Heap>(host: &H, a: &H::Object, b: &H::Object) -> Result<Option<Staged>, H::Error> {
    let trace = host.trace();
    let items = leaves_of(host, a)?.zip(leaves_of(host, b)?).filter(|(a, b)| a.len() == b.len());
    let (held, others) = (elements(host, a)?, elements(host, b)?);
    [&held, &others].into_iter().flatten().try_for_each(|held| compared(host, held))?;
    let answer = |op, x, y| Ok(Some(Staged::strong(arithmetic(trace, op, &[x, y]))));
    match (held, others) {
        (None, None) => Ok(None),
        (Some(held), None) | (None, Some(held)) => {
            let length = held.length(trace);
            answer(Op::Compare(CompareOp::Eq), length, number(trace, 0))
        }
        (Some(held), Some(others)) if host.same_skeleton(&held.element, &others.element) => {
            let lengths = [held.length(trace), others.length(trace)];
            let as_long = arithmetic(trace, Op::Compare(CompareOp::Eq), &lengths);
            let lengths = [held.length(trace), others.length(trace)];
            let least = Some(arithmetic(trace, Op::Binary(BinaryOp::Min), &lengths));
            let (held, others) = (held.cut(host, None, least)?, others.cut(host, None, least)?);
            let mut equal = Operand::Staged(Staged::strong(as_long));
            for (at, (&x, &y)) in held.leaves.iter().zip(&others.leaves).enumerate() {
                if trace.ty(x.value).rank() > 1 {
                    return Err(refused(host, "lists of arrays are compared in the graph"));
                }
                let is_one = |(a, b): (&Vec<H::Value>, &Vec<H::Value>)| host.is_object(&a[at], &b[at]);
                let one = items.as_ref().map(|(a, b)| a.iter().zip(b).map(is_one).collect());
                let same = equal_rows(host, &Operand::Staged(x), &Operand::Staged(y), one)?;
                let all = Call::Reduce { op: ReduceOp::All, axes: None, keep: false };
                let all = Operand::Staged(host.apply(&all, vec![same])?);
                equal = both(host, Some(equal), all)?;
            }
            Ok(Some(host.stage(&equal)))
        }
        (Some(_), Some(_)) => {
            let first = number(trace, 0);
            answer(Op::Compare(CompareOp::Lt), first, number(trace, 0))
        }
    }
}

/// Refuses to compare elements of which the graph holds only what they are made of.
pub(super) fn compared<H: Heap>(host: &H, held: &Held<H>) -> Result<(), H::Error> {
    if host.has_own_equality(&held.element) {
        return Err(refused(host, "objects of a list in the graph are compared"));
    }
    Ok(())
}

fn both<H: Heap>(host: &H, all: Option<Given<H>>, more: Given<H>) -> Result<Given<H>, H::Error> {
    match all {
        None => Ok(more),
        Some(all) => host.apply(&Call::binary(BinaryOp::And), vec![all, more]).map(Operand::Staged),
    }
}

/// The leaves of each item, unless rows of the graph stand among them: those are nobody's objects.
fn leaves_of<H: Heap>(host: &H, list: &H::Object) -> Result<Option<Leaves<H>>, H::Error> {
    if host.holds_rows(list) {
        return Ok(None);
    }
    let leaves = |item: H::Value| host.open(&item).map(|(_, leaves)| leaves);
    host.items(list).into_iter().map(leaves).collect::<Result<_, _>>().map(Some)
}

/// Marks rows that equal a value, or rows beside them; `one` says which are one object.
fn equal_rows<H: Heap>(
    host: &H,
    rows: &Given<H>,
    to: &Given<H>,
    one: Option<Vec<bool>>,
) -> Result<Given<H>, H::Error> {
    let equal = Operand::Staged(host.apply(&Call::binary(CompareOp::Eq), vec![rows.clone(), to.clone()])?);
    match tell_apart(host, rows, to, one)? {
        None => Ok(equal),
        Some(one) => host.apply(&Call::binary(BinaryOp::Or), vec![equal, one]).map(Operand::Staged),
    }
}

/// Lets the run fail where both may be NaN and nobody knows if they are one object; gives the places where they are.
pub fn tell_apart<H: Heap>(
    host: &H,
    a: &Given<H>,
    b: &Given<H>,
    one: Option<Vec<bool>>,
) -> Result<Option<Given<H>>, H::Error> {
    if !host.may_be_nan(a) || !host.may_be_nan(b) {
        return Ok(None);
    }
    let apply = |call, operands| host.apply(&call, operands).map(Operand::Staged);
    let one = one.map(|one| host.bools(&one));
    let nan_a = apply(Call::binary(CompareOp::Ne), vec![a.clone(), a.clone()])?;
    let nan_b = apply(Call::binary(CompareOp::Ne), vec![b.clone(), b.clone()])?;
    let mut doubt = apply(Call::binary(BinaryOp::And), vec![nan_a, nan_b])?;
    if let Some(one) = &one {
        let other = apply(Call::unary(UnaryOp::Not), vec![one.clone()])?;
        doubt = apply(Call::binary(BinaryOp::And), vec![doubt, other])?;
    }
    if host.rank(&doubt) > 0 {
        doubt = apply(any(), vec![doubt])?;
    }
    let ok = host.apply(&Call::unary(UnaryOp::Not), vec![doubt])?.value;
    host.check(&[ok], CheckKind::Value, vec![Text::Text(DOUBT.to_owned())], true)?;
    Ok(one)
}
