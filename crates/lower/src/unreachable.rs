//! `return x; b` ⇒ `return x`: a jump takes no flag for what stands behind another one.
//!
//! A `yield` there makes a generator all the same, so it stays.

use std::collections::BTreeSet;

use gw_syntax::{Body, Tree};

use crate::Lowering;
use crate::jumps::never_ends;
use crate::units::{Reach, function, rewrite_bodies, set_body, suspended};

/// Drops what no path reaches.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |lowering| &mut lowering.tree, body, &mut |lowering, body| {
            reached(&lowering.tree, body)
        });
        set_body(&mut lowering.tree, id, body);
    }
}

fn reached(tree: &Tree, body: Body) -> Body {
    let Some(last) = body.iter().position(|&id| never_ends(tree, &vec![id])) else { return body };
    let (kept, rest) = body.split_at(last + 1);
    let mut yields = BTreeSet::new();
    suspended(tree, &rest.to_vec(), &mut yields);
    if yields.is_empty() { kept.to_vec() } else { body }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn what_stands_behind_a_jump_is_dropped() {
        check(
            "unreachable",
            "def f(xs):\n    for x in xs:\n        if x:\n            continue\n            break\n        else:\n            raise x\n        return 1\n    return 2\n    xs = 3\n",
            expect![[r#"
                def f(xs):
                    for x in xs:
                        if x:
                            continue
                        else:
                            raise x
                    return 2
            "#]],
        );
        check(
            "unreachable",
            "def f(x):\n    return x\n    yield\n",
            expect![[r#"
                def f(x):
                    return x
                    yield
            "#]],
        );
    }
}
