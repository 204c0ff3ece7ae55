//! `with a: with b: break` ⇒ `with a: leaves_ = False; with b: leaves_ = True; if leaves_: break`, the rest skipped.
//!
//! A jump out of a `with`, or of a `try` with a `finally`, that stands in another `with` or in the body of a `try`. Where
//! leaving the inner one raises and the outer one holds that back, the jump did not happen. So it is taken from behind
//! the inner one, which is not reached then. What `return` gives is computed where it is written.

use gw_syntax::{Body, Expr, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::finallies;
use crate::fresh::RETURNED_BEFORE;
use crate::jumps::{Jumps, escapes, of_loop, returns};
use crate::skip::{Skip, set, set_flag};
use crate::try_;
use crate::units::{Reach, function, head_span, set_body};

static TAKE: Template = Template::new("if $flag:\n    $jump");
static RETURN: Template = Template::new("return $value");

/// Lets the jumps of every function leave one such statement after the other.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::All) {
        let body = function(&lowering.tree, id).body.clone();
        let body = Walk { lowering }.body(body, Around::default());
        set_body(&mut lowering.tree, id, body);
    }
}

/// Statements around that may hold back an exception raised where an inner statement is left.
#[derive(Clone, Copy, Default)]
struct Around {
    /// Inside the function.
    function: bool,
    /// Inside the innermost loop.
    innermost_loop: bool,
}

/// A kind of jumps.
#[derive(Clone, Copy, PartialEq)]
pub enum Jump {
    /// `return`
    Return,
    /// `break`
    Break,
    /// `continue`
    Continue,
}

impl Jump {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Return, Self::Break, Self::Continue];

    /// The jumps of this kind out of some statements.
    pub fn out_of(self, tree: &Tree, body: &Body) -> Jumps {
        match self {
            Jump::Return => returns(tree, body),
            Jump::Break => of_loop(tree, body, &|stmt| matches!(stmt, Stmt::Break)),
            Jump::Continue => of_loop(tree, body, &|stmt| matches!(stmt, Stmt::Continue)),
        }
    }
}

struct Walk<'a> {
    lowering: &'a mut Lowering,
}

impl Walk<'_> {
    fn body(&mut self, body: Body, around: Around) -> Body {
        body.into_iter().flat_map(|id| self.stmt(id, around)).collect()
    }

    fn stmt(&mut self, id: StmtId, around: Around) -> Body {
        let mut stmt = self.lowering.tree[id].clone();
        if !stmt.is_compound() || matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            return vec![id];
        }
        let holding = Around { function: true, innermost_loop: true };
        let jumps = finallies::jumps(&self.lowering.tree, &stmt);
        if let Stmt::Try { body, handlers, orelse, finalbody, .. } = &mut stmt {
            let beside = if jumps { holding } else { around };
            *body = self.body(std::mem::take(body), holding);
            for handler in handlers {
                handler.body = self.body(std::mem::take(&mut handler.body), beside);
            }
            *orelse = self.body(std::mem::take(orelse), beside);
            *finalbody = self.body(std::mem::take(finalbody), around);
        } else if let Stmt::For { body, orelse, .. } | Stmt::While { body, orelse, .. } = &mut stmt {
            *body = self.body(std::mem::take(body), Around { innermost_loop: false, ..around });
            *orelse = self.body(std::mem::take(orelse), around);
        } else {
            let inside = if matches!(stmt, Stmt::With { .. }) { holding } else { around };
            stmt.each_body_mut(&mut |body| *body = self.body(std::mem::take(body), inside));
        }
        let may_raise = may_raise_when_left(&self.lowering.tree, &stmt);
        self.lowering.tree.set_stmt(id, stmt);
        if jumps {
            return finallies::lower(self.lowering, id);
        }
        let mut out = vec![id];
        for jump in Jump::ALL {
            let is_held = if jump == Jump::Return { around.function } else { around.innermost_loop };
            if may_raise && is_held {
                out = land(self.lowering, id, jump, out);
            }
        }
        out
    }
}

/// Takes the jumps of one kind out of a statement to the end of `out`, the statement with what stands around it by now.
pub fn land(lowering: &mut Lowering, id: StmtId, jump: Jump, out: Body) -> Body {
    let Lowering { tree, names, .. } = lowering;
    let found = jump.out_of(tree, &vec![id]);
    let Some(&first) = found.exact.first().filter(|_| !found.native) else { return out };
    let is_try = matches!(tree[id], Stmt::Try { .. });
    let span = if is_try { try_::head(tree, id) } else { head_span(tree, id) };
    let at = tree.stmt_span(first);
    let flag = names.fresh("leaves_");
    let value = (jump == Jump::Return).then(|| names.fresh(RETURNED_BEFORE));
    let mut before = vec![set_flag(tree, span, &flag, false)];
    if let Some(value) = &value {
        let operators = tree.name(span, &names.operators);
        let no_return = Expr::Attribute { value: operators, attr: "no_return".into() };
        before.push(set(tree, span, value, no_return));
    }
    let jumps = found.exact;
    let (flag_used, falls_through) = (true, true);
    Skip { tree, jumps, retval: value.clone(), flag: flag.clone(), flag_used, falls_through }.inside(id);
    let taken = match (jump, value) {
        (Jump::Break, _) => vec![tree.stmt(at, Stmt::Break)],
        (Jump::Continue, _) => vec![tree.stmt(at, Stmt::Continue)],
        (Jump::Return, value) => {
            let value = Fill::Name(value.unwrap_or_else(|| Name::from(RETURNED_BEFORE)));
            RETURN.fill(tree, at, &[("value", value)])
        }
    };
    let take = TAKE.fill(tree, at, &[("flag", Fill::Name(flag)), ("jump", Fill::Body(taken))]);
    [before, out, take].concat()
}

/// True if it may raise when its body has ended, and a jump can leave it.
fn may_raise_when_left(tree: &Tree, stmt: &Stmt) -> bool {
    if let Stmt::Try { finalbody, is_star, .. } = stmt {
        return !is_star && !finalbody.is_empty() && !escapes(tree, finalbody);
    }
    matches!(stmt, Stmt::With { is_async: false, items, .. } if items.len() == 1)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn jumps_leave_one_manager_after_the_other() {
        check(
            "landings",
            "def f(m, n):\n    for x in m:\n        with m:\n            with n:\n                if x: break\n                x()\n            y()\n",
            expect![[r#"
                def f(m, n):
                    for x in m:
                        with m:
                            leaves_ = False
                            with n:
                                if x:
                                    leaves_ = True
                                else:
                                    x()
                            if leaves_:
                                break
                            y()
            "#]],
        );
    }

    #[test]
    fn what_is_returned_is_computed_inside() {
        check(
            "landings",
            "def f(m, n):\n    with m:\n        try:\n            for x in n:\n                return x\n        finally:\n            n()\n",
            expect![[r#"
                def f(m, n):
                    with m:
                        leaves_ = False
                        retval_before_1 = gw__.no_return
                        try:
                            for x in n:
                                retval_before_1 = x
                                leaves_ = True
                                break
                        finally:
                            n()
                        if leaves_:
                            return retval_before_1
            "#]],
        );
    }

    #[test]
    fn where_nothing_is_held_back_nothing_is_done() {
        check(
            "landings",
            "def f(m, n):\n    with m:\n        for x in n:\n            with n: break\n    with m: return x\n",
            expect![[r#"
                def f(m, n):
                    with m:
                        for x in n:
                            with n:
                                break
                    with m:
                        return x
            "#]],
        );
    }
}
