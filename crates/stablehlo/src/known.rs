//! Integers and truth values that follow from the lengths alone.

use gw_ir::{Attr, BinaryOp, CompareOp, Node, Op, UnaryOp};
use gw_types::{Arithmetic, DType};

use crate::items::Item;

/// The result of a node of scalars, if all its operands are known and it does not fail.
pub(crate) fn result(node: &Node, args: &[Item], dtype: DType) -> Option<i64> {
    let known: Vec<i64> = args.iter().map(|item| item.known).collect::<Option<_>>()?;
    let value = match (known[..].first().copied(), known.get(1).copied(), node.op) {
        (Some(x), None, op) => of_one(op, &node.attr, x)?,
        (Some(x), Some(y), Op::Select) if known.len() == 3 => i128::from(if x != 0 { y } else { known[2] }),
        (Some(x), Some(y), op) if known.len() == 2 => of_two(op, x, y)?,
        _ => return None,
    };
    let fits = dtype == DType::Bool && (0..=1).contains(&value) || dtype.holds(value);
    fits.then(|| i64::try_from(value).ok()).flatten()
}

fn of_one(op: Op, attr: &Attr, x: i64) -> Option<i128> {
    let x = i128::from(x);
    let is_to_number = matches!(attr, Attr::To(to) | Attr::ToChecked(to) if to.is_int());
    [
        (op == Op::Unary(UnaryOp::Neg)).then(|| Arithmetic::Neg.exact(x, 0)),
        (op == Op::Unary(UnaryOp::Abs)).then(|| Arithmetic::Abs.exact(x, 0)),
        (op == Op::Cast && is_to_number).then_some(x),
    ]
    .into_iter()
    .find_map(|found| found)
}

fn of_two(op: Op, x: i64, y: i64) -> Option<i128> {
    let (wide, other) = (i128::from(x), i128::from(y));
    let truth = |truth: bool| Some(i128::from(truth));
    let rest = || wide - Arithmetic::FloorDiv.exact(wide, other) * other;
    let found = [
        (Op::Binary(BinaryOp::Add), Some(wide + other)),
        (Op::Binary(BinaryOp::Sub), Some(wide - other)),
        (Op::Binary(BinaryOp::Mul), Some(wide * other)),
        (Op::Binary(BinaryOp::FloorDiv), (y != 0).then(|| Arithmetic::FloorDiv.exact(wide, other))),
        (Op::Binary(BinaryOp::Mod), (y != 0).then(rest)),
        (Op::Binary(BinaryOp::Max), Some(wide.max(other))),
        (Op::Binary(BinaryOp::Min), Some(wide.min(other))),
        (Op::Compare(CompareOp::Eq), truth(x == y)),
        (Op::Compare(CompareOp::Ne), truth(x != y)),
        (Op::Compare(CompareOp::Lt), truth(x < y)),
        (Op::Compare(CompareOp::Le), truth(x <= y)),
        (Op::Compare(CompareOp::Gt), truth(x > y)),
        (Op::Compare(CompareOp::Ge), truth(x >= y)),
        (Op::Binary(BinaryOp::And), Some(i128::from(x & y))),
        (Op::Binary(BinaryOp::Or), Some(i128::from(x | y))),
    ];
    found.into_iter().find(|(row, _)| *row == op).and_then(|(_, value)| value)
}
