//! `f"a{x:.2f}"` ⇒ `gw__.made_text('a', gw__.field(None, x, None, '.2f'))`: a text that host code makes where the graph calls all of it.
//!
//! Texts of assertions, exceptions, `print` and arguments of calls are lowered before.

use gw_syntax::{Expr, Template};

use crate::Lowering;
use crate::told;
use crate::units::Reach;

static MADE: Template = Template::new("$operators.made_text()");

/// Lowers the f-strings of every function whose formats are known.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.exprs(Reach::Suspends) {
        let Lowering { tree, names, .. } = lowering;
        if told::may_wait(&tree[id]) {
            let made = told::made(tree, names, &MADE, &told::FIELD, id, None);
            let made: Expr = tree[made].clone();
            tree.set_expr(id, made);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn texts_that_are_no_arguments_may_be_made_by_the_host() {
        check(
            "texts",
            "def f(x, w):\n    a = f'a{x:.2f}{x!r}'\n    return f'{x:{w}}', f'known', [f'{x}']\n",
            expect![[r#"
                def f(x, w):
                    a = gw__.made_text('a', gw__.field(None, x, None, '.2f'), gw__.field(None, x, 'r', None))
                    return f"{x:{w}}", f"known", [gw__.made_text(gw__.field(None, x, None, None))]
            "#]],
        );
    }
}
