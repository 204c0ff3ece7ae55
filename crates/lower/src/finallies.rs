//! `try: a() finally: if c: return x` ⇒ `try: a() except BaseException: if c: return x; raise`, and `if c: return x` behind it.
//!
//! A `finally` that jumps on some paths stands in the way of an exception and of any other end of the body. It is done in the steps
//! of `landings`: another jump out of the body is taken behind it.

use gw_syntax::{Body, Stmt, StmtId, Tree};

use crate::Lowering;
use crate::jumps::{escapes, never_ends};
use crate::landings::{self, Jump};
use crate::overrides::take_finally;

/// True for a `try` whose `finally` jumps on some paths. One that defines functions or classes cannot stand twice.
pub fn jumps(tree: &Tree, stmt: &Stmt) -> bool {
    let Stmt::Try { finalbody, is_star: false, .. } = stmt else { return false };
    escapes(tree, finalbody) && !never_ends(tree, finalbody) && !defines(tree, finalbody)
}

fn defines(tree: &Tree, body: &Body) -> bool {
    body.iter().any(|&id| {
        let mut found = matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        tree[id].each_body(&mut |body| found |= defines(tree, body));
        found
    })
}

/// The statements that stand for such a `try`, in whose body jumps leave one statement at a time.
pub fn lower(lowering: &mut Lowering, id: StmtId) -> Body {
    let tree = &mut lowering.tree;
    let Some(behind) = take_finally(tree, id) else { return vec![id] };
    let handled = tree.duplicate_body(&behind);
    let out = [vec![id], behind].concat();
    let out = Jump::ALL.into_iter().fold(out, |out, jump| landings::land(lowering, id, jump, out));
    handle(&mut lowering.tree, id, handled);
    out
}

/// Has the handler of a statement do what stands in the `finally`, and then raise what it holds.
fn handle(tree: &mut Tree, id: StmtId, mut done: Body) {
    let mut stmt = tree[id].clone();
    let Stmt::Try { handlers, .. } = &mut stmt else { return };
    done.push(tree.stmt(handlers[0].span, Stmt::Raise { exc: None, cause: None }));
    handlers[0].body = done;
    tree.set_stmt(id, stmt);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn it_stands_in_the_way_of_both_ends() {
        check(
            "landings",
            "def f(a):\n    try: a()\n    finally:\n        if a: return 1\n",
            expect![[r#"
            def f(a):
                try:
                    a()
                except BaseException:
                    if a:
                        return 1
                    raise
                if a:
                    return 1
        "#]],
        );
        check(
            "landings",
            "def f(a):\n    for i in a:\n        try:\n            if i: return i\n            a()\n        except E: continue\n        finally:\n            if a: break\n",
            expect![[r#"
                def f(a):
                    for i in a:
                        leaves_1 = False
                        leaves_ = False
                        retval_before_1 = gw__.no_return
                        try:
                            try:
                                if i:
                                    retval_before_1 = i
                                    leaves_ = True
                                else:
                                    a()
                            except E:
                                leaves_1 = True
                        except BaseException:
                            if a:
                                break
                            raise
                        if a:
                            break
                        if leaves_:
                            return retval_before_1
                        if leaves_1:
                            continue
            "#]],
        );
    }

    #[test]
    fn jumps_leave_what_stands_in_its_body_first() {
        check(
            "landings",
            "def f(a):\n    try:\n        try: return a\n        finally: a()\n    except E: a = 1\n    finally:\n        if a: return 8\n",
            expect![[r#"
                def f(a):
                    leaves_1 = False
                    retval_before_2 = gw__.no_return
                    try:
                        try:
                            leaves_ = False
                            retval_before_1 = gw__.no_return
                            try:
                                retval_before_1 = a
                                leaves_ = True
                            finally:
                                a()
                            if leaves_:
                                retval_before_2 = retval_before_1
                                leaves_1 = True
                        except E:
                            a = 1
                    except BaseException:
                        if a:
                            return 8
                        raise
                    if a:
                        return 8
                    if leaves_1:
                        return retval_before_2
            "#]],
        );
    }

    #[test]
    fn one_that_defines_functions_stays() {
        check(
            "landings",
            "def f(a):\n    try: a()\n    finally:\n        def g(): pass\n        if g(): return 1\n",
            expect![[r#"
                def f(a):
                    try:
                        a()
                    finally:
                        def g():
                            pass
                        if g():
                            return 1
            "#]],
        );
    }
}
