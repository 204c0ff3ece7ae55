//! `a ** b` ⇒ `gw__.power(a, b)`: a branch of the graph is traced whether or not it is taken, and a power of Python's integers
//! may have more digits than fit into memory.

use gw_syntax::{Constant, Expr, ExprId, Fill, Operator, Template, Tree, UnaryOp};

use crate::Lowering;
use crate::units::Reach;

static POWER: Template = Template::new("$operators.power($a, $b)");

/// Lowers the powers of every function, but for those to an exponent of few digits.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        let Expr::BinOp { left, op: Operator::Pow, right } = tree[id] else { continue };
        if is_small(tree, right) {
            continue;
        }
        let holes = [
            ("operators", Fill::Name(names.operators.clone())),
            ("a", Fill::Expr(left)),
            ("b", Fill::Expr(right)),
        ];
        let made = POWER.fill_expr(tree, tree.expr_span(id), &holes);
        tree.set_expr(id, tree[made].clone());
    }
}

/// So many digits of an exponent are few.
const FEW: usize = 4;

fn is_small(tree: &Tree, exponent: ExprId) -> bool {
    if let Expr::UnaryOp { op: UnaryOp::USub, operand } = tree[exponent] {
        return is_small(tree, operand);
    }
    let Expr::Constant(number) = &tree[exponent] else { return false };
    matches!(number, Constant::Float(_)) || matches!(number, Constant::Int(digits) if digits.len() <= FEW)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn powers_to_what_is_not_written() {
        check(
            "powers",
            "def f(x, n):\n    return x ** n, x ** 2, x ** -1, x ** 0.5, 2 ** 63 ** 2, 3 ** 100000\n",
            expect![[r#"
                def f(x, n):
                    return gw__.power(x, n), x**2, x**-1, x**0.5, gw__.power(2, 63**2), gw__.power(3, 100000)
            "#]],
        );
    }
}
