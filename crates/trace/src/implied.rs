//! The truths that follow from the answer to a test.

use rustc_hash::FxHashSet;

use gw_ir::{BinaryOp, Op, UnaryOp, ValueId};

/// Knowledge of a bool where `test` is `truth`: `a and b` is true only if both are. Each operand is followed once,
/// in however many it takes part.
pub(crate) fn implied(
    definition: impl Fn(ValueId) -> Option<(Op, Vec<ValueId>)>,
    test: ValueId,
    truth: bool,
    value: ValueId,
) -> Option<bool> {
    let (mut next, mut seen) = (vec![(test, truth)], FxHashSet::default());
    while let Some((test, truth)) = next.pop() {
        if test == value {
            return Some(truth);
        }
        if seen.insert((test, truth)) {
            match definition(test) {
                Some((Op::Unary(UnaryOp::Not), of)) => next.push((of[0], !truth)),
                Some((Op::Binary(BinaryOp::And), of)) if truth => {
                    next.extend(of.iter().rev().map(|&of| (of, truth)))
                }
                Some((Op::Binary(BinaryOp::Or), of)) if !truth => {
                    next.extend(of.iter().rev().map(|&of| (of, truth)))
                }
                Some(_) | None => {}
            }
        }
    }
    None
}
