//! `not a and b` ⇒ `gw__.and_(gw__.not_(a), lambda: b)`; `a < b < c` ⇒ `gw__.compare(a, ('<', lambda: b), …)`.
//!
//! A single comparison stays as it is, except `in`, which Python would turn into a `bool`, `is None`, which Python would
//! answer for the object that stands for a value that may be `None`, `is` of what may be objects of which the graph decides
//! whether they are one, `==` and `<` of what may have parts: `gw__.whole(a) == b`, `gw__.ordered(a) < b`, and what compares a tuple that
//! is written there.

use gw_syntax::{BoolOp, CmpOp, Constant, Expr, ExprId, Fill, Template, Tree, UnaryOp};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::units::Reach;

static AND: Template = Template::new("$operators.and_($a, lambda: $rest)");
static OR: Template = Template::new("$operators.or_($a, lambda: $rest)");
static NOT: Template = Template::new("$operators.not_($a)");
static CONTAINS: Template = Template::new("$operators.contains($a, $rest)");
static IS_NONE: Template = Template::new("$operators.is_none($a)");
static IS: Template = Template::new("$operators.is_($a, $rest)");
static ORDERED: Template = Template::new("$operators.ordered($a)");
static WHOLE: Template = Template::new("$operators.whole($a)");
static COMPARE: Template = Template::new("$operators.compare($a)");
static LINK: Template = Template::new("$symbol, lambda: $operand");

/// Lowers the logic of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        if let Some(made) = lower(tree, names, id) {
            tree.set_expr(id, tree[made].clone());
        }
    }
}

fn lower(tree: &mut Tree, names: &Names, id: ExprId) -> Option<ExprId> {
    if let Expr::BoolOp { op, values } = &tree[id] {
        let (op, values) = (*op, values.clone());
        bool_op(tree, names, op, &values)
    } else if let Expr::UnaryOp { op: UnaryOp::Not, operand } = tree[id] {
        Some(not(tree, names, operand))
    } else if let Expr::Compare { left, rest } = &tree[id] {
        let (left, rest) = (*left, rest.clone());
        compare(tree, names, id, left, &rest)
    } else {
        None
    }
}

/// The last operand may be anything that can be a thunk, and so may all but the first.
fn bool_op(tree: &mut Tree, names: &Names, op: BoolOp, values: &[ExprId]) -> Option<ExprId> {
    let (&first, rest) = values.split_first()?;
    if rest.is_empty() {
        return Some(first);
    }
    if !rest.iter().all(|&value| can_be_thunk(tree, value)) {
        return None;
    }
    let rest = bool_op(tree, names, op, rest)?;
    let template = if op == BoolOp::And { &AND } else { &OR };
    Some(call(tree, names, template, first, Some(rest)))
}

fn not(tree: &mut Tree, names: &Names, operand: ExprId) -> ExprId {
    call(tree, names, &NOT, operand, None)
}

fn call(tree: &mut Tree, names: &Names, template: &Template, a: ExprId, rest: Option<ExprId>) -> ExprId {
    let mut span = tree.expr_span(a);
    let mut holes = vec![("operators", Fill::Name(names.operators.clone())), ("a", Fill::Expr(a))];
    if let Some(rest) = rest {
        span.end = span.end.max(tree.expr_span(rest).end);
        holes.push(("rest", Fill::Expr(rest)));
    }
    template.fill_expr(tree, span, &holes)
}

/// True if an operand of `==` or `is` may be a list, dict, set or object, as far as its text tells.
fn may_be_list(tree: &Tree, id: ExprId) -> bool {
    matches!(
        tree[id],
        Expr::Name(_)
            | Expr::Attribute { .. }
            | Expr::Subscript { .. }
            | Expr::List(_)
            | Expr::Dict(_)
            | Expr::DictComp { .. }
            | Expr::Set(_)
            | Expr::Comp { .. }
            | Expr::Call { .. }
    )
}

/// True if two operands of `is` may be one object of the graph's, as far as the text of one tells: a bool, too.
fn may_be_one(tree: &Tree, id: ExprId) -> bool {
    may_be_list(tree, id)
        || matches!(
            tree[id],
            Expr::Constant(Constant::Bool(_))
                | Expr::Compare { .. }
                | Expr::BinOp { .. }
                | Expr::BoolOp { .. }
                | Expr::UnaryOp { .. }
                | Expr::IfExp { .. }
                | Expr::Named { .. }
        )
}

fn compare(
    tree: &mut Tree,
    names: &Names,
    id: ExprId,
    left: ExprId,
    rest: &[(CmpOp, ExprId)],
) -> Option<ExprId> {
    match rest {
        [(CmpOp::In, right)] => Some(call(tree, names, &CONTAINS, left, Some(*right))),
        [(CmpOp::NotIn, right)] => {
            let contains = call(tree, names, &CONTAINS, left, Some(*right));
            Some(not(tree, names, contains))
        }
        [(CmpOp::Is, right)] if is_none(tree, *right) => Some(call(tree, names, &IS_NONE, left, None)),
        [(CmpOp::IsNot, right)] if is_none(tree, *right) => {
            let is_none = call(tree, names, &IS_NONE, left, None);
            Some(not(tree, names, is_none))
        }
        [(CmpOp::Is, right)] if is_none(tree, left) => Some(call(tree, names, &IS_NONE, *right, None)),
        [(CmpOp::IsNot, right)] if is_none(tree, left) => {
            let is_none = call(tree, names, &IS_NONE, *right, None);
            Some(not(tree, names, is_none))
        }
        [(CmpOp::Is, right)] if may_be_one(tree, left) && may_be_one(tree, *right) => {
            Some(call(tree, names, &IS, left, Some(*right)))
        }
        [(CmpOp::IsNot, right)] if may_be_one(tree, left) && may_be_one(tree, *right) => {
            let is = call(tree, names, &IS, left, Some(*right));
            Some(not(tree, names, is))
        }
        [(op, right)] if compares(*op) && may_be_list(tree, left) && may_be_list(tree, *right) => {
            let is_equality = matches!(op, CmpOp::Eq | CmpOp::NotEq);
            let left = call(tree, names, if is_equality { &WHOLE } else { &ORDERED }, left, None);
            let Expr::Compare { rest, .. } = tree[id].clone() else { return None };
            Some(tree.expr(tree.expr_span(id), Expr::Compare { left, rest }))
        }
        [(op, right)] if compares(*op) && [left, *right].into_iter().any(|side| is_tuple(tree, side)) => {
            can_be_thunk(tree, *right).then(|| chained(tree, names, left, rest))
        }
        [_] => None,
        chain if chain.iter().all(|&(_, operand)| can_be_thunk(tree, operand)) => {
            Some(chained(tree, names, left, chain))
        }
        _ => None,
    }
}

/// True for the operators that compare tuples part by part.
fn compares(op: CmpOp) -> bool {
    match op {
        CmpOp::Eq | CmpOp::NotEq | CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => true,
        CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn => false,
    }
}

fn is_tuple(tree: &Tree, id: ExprId) -> bool {
    matches!(tree[id], Expr::Tuple(_))
}

fn is_none(tree: &Tree, id: ExprId) -> bool {
    matches!(tree[id], Expr::Constant(Constant::None))
}

fn chained(tree: &mut Tree, names: &Names, left: ExprId, chain: &[(CmpOp, ExprId)]) -> ExprId {
    let made = call(tree, names, &COMPARE, left, None);
    for &(op, operand) in chain {
        let span = tree.expr_span(operand);
        let symbol = tree.expr(span, Expr::Constant(Constant::Str(op.text().to_owned())));
        let link =
            LINK.fill_expr(tree, span, &[("symbol", Fill::Expr(symbol)), ("operand", Fill::Expr(operand))]);
        if let Expr::Call { args, .. } = tree.expr_mut(made) {
            args.push(link);
        }
    }
    made
}
