//! `match s: case 0: A` ⇒ `subject_ = s; if subject_ == 0: A`; `case P(x=x)` ⇒ `case_ = gw__.match_case(subject_, 1, …)`.
//!
//! A pattern that only compares becomes a comparison; any other is given to the operator as nested tuples, which
//! answers `(fits, *captures)`. The names that it captures are bound only when the whole pattern fits, and before the
//! guard. Runs before `returns`, because it leaves `if`s behind.

use gw_analysis::{NameSet, of_body};
use gw_base::Span;
use gw_syntax::{Body, BoolOp, Case, CmpOp, Constant, Expr, ExprId, Fill, Name, Pattern, PatternKind, Stmt};
use gw_syntax::{StmtId, Template, Tree};

use crate::Lowering;
use crate::conditional::can_be_thunk;
use crate::fresh::Names;
use crate::pattern;
use crate::skip::{set, set_flag};
use crate::units::{Reach, function, rewrite_bodies, set_body};

static CASE: Template = Template::new("$operators.match_case($subject, $count, $pattern)");
static PART: Template = Template::new("$case[$index]");
static TRUTH: Template = Template::new("not not $guard");

/// Lowers the `match` statements of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::Suspends) {
        let body = function(&lowering.tree, id).body.clone();
        let activity = of_body(&lowering.tree, &body);
        let shared =
            [activity.captured, activity.globals, activity.nonlocals].into_iter().flatten().collect();
        let body = rewrite_bodies(lowering, |l| &mut l.tree, body, &mut |lowering, body| {
            body.into_iter().flat_map(|stmt| lower(lowering, &shared, stmt)).collect()
        });
        set_body(&mut lowering.tree, id, body);
    }
}

fn lower(lowering: &mut Lowering, shared: &NameSet, id: StmtId) -> Body {
    let Lowering { tree, names, .. } = lowering;
    let Stmt::Match { subject, cases } = tree[id].clone() else { return vec![id] };
    let span = tree.expr_span(subject);
    let name = names.fresh("subject_");
    let value = tree[subject].clone();
    let mut out = vec![set(tree, span, &name, value)];
    let mut rest = Body::new();
    for case in cases.into_iter().rev() {
        rest = Cases { tree, names, shared, subject: &name, span: case.pattern.span }.case(case, rest);
    }
    out.extend(rest);
    out
}

/// Context in which one case is lowered.
struct Cases<'a> {
    tree: &'a mut Tree,
    names: &'a mut Names,
    /// The names that other functions see: what a guard calls may change them.
    shared: &'a NameSet,
    subject: &'a Name,
    /// Span of the pattern.
    span: Span,
}

/// Code that tries a pattern.
struct Tried {
    /// Statements that are evaluated first.
    before: Body,
    /// Test that the pattern fits; none if it always does.
    test: Option<ExprId>,
    /// The names to bind, with where their values are.
    captures: Vec<(Name, Capture)>,
}

/// Location of a captured value.
#[derive(Clone)]
enum Capture {
    /// The subject itself.
    Subject,
    /// An item of what the operator answers.
    Part(Name, usize),
}

impl Cases<'_> {
    /// The case, with what is tried if it does not match.
    fn case(&mut self, case: Case, rest: Body) -> Body {
        let Case { pattern, guard, body } = case;
        let Tried { before: mut out, test, captures } = self.tried(&pattern);
        match (test, guard) {
            (None, None) => {
                out.extend(self.bind(&captures));
                out.extend(body);
            }
            (None, Some(guard)) => {
                out.extend(self.bind(&captures));
                out.push(self.if_(guard, body, rest));
            }
            (Some(test), None) => {
                let mut bound = self.bind(&captures);
                bound.extend(body);
                out.push(self.if_(test, bound, rest));
            }
            (Some(test), Some(guard)) if captures.is_empty() && can_be_thunk(self.tree, guard) => {
                let both = Expr::BoolOp { op: BoolOp::And, values: vec![test, guard] };
                let both = self.expr(both);
                out.push(self.if_(both, body, rest));
            }
            (Some(test), Some(guard)) => {
                out.extend(self.guarded(test, guard, &captures, body, rest));
            }
        }
        out
    }

    /// `guard_ = False; if test: x = …; guard_ = not not guard`, then `if guard_: x = …; body else: rest`.
    fn guarded(
        &mut self,
        test: ExprId,
        guard: ExprId,
        captures: &[(Name, Capture)],
        body: Body,
        rest: Body,
    ) -> Body {
        let flag = self.names.fresh("guard_");
        let walrus = gw_analysis::of_expr(self.tree, guard).walrus;
        let kept = |(name, _): &&(Name, Capture)| !walrus.contains(name) && !self.shared.contains(name);
        let kept: Vec<_> = captures.iter().filter(kept).cloned().collect();
        let guard_span = self.tree.expr_span(guard);
        let truth = TRUTH.fill_expr(self.tree, guard_span, &[("guard", Fill::Expr(guard))]);
        let truth = self.tree[truth].clone();
        let mut tried = self.bind(captures);
        tried.push(set(self.tree, guard_span, &flag, truth));
        let mut bound = self.bind(&kept);
        bound.extend(body);
        let flag_read = self.tree.name(self.span, &flag);
        vec![
            set_flag(self.tree, self.span, &flag, false),
            self.if_(test, tried, Body::new()),
            self.if_(flag_read, bound, rest),
        ]
    }

    fn tried(&mut self, pattern: &Pattern) -> Tried {
        let (inner, names) = pattern::captured_whole(pattern);
        let whole = names.into_iter().map(|name| (name, Capture::Subject)).collect();
        match inner {
            None => Tried { before: Body::new(), test: None, captures: whole },
            Some(inner) if compares_only(inner) => {
                Tried { before: Body::new(), test: Some(self.comparison(inner)), captures: whole }
            }
            Some(_) => self.by_operator(pattern),
        }
    }

    fn by_operator(&mut self, pattern: &Pattern) -> Tried {
        let case = self.names.fresh("case_");
        let slots = pattern::slots(pattern);
        let spec = pattern::spec(self.tree, pattern, &slots);
        let count = self.expr(Expr::Constant(Constant::Int(slots.len().to_string())));
        let subject = self.tree.name(self.span, self.subject);
        let holes = [
            ("operators", Fill::Name(self.names.operators.clone())),
            ("subject", Fill::Expr(subject)),
            ("count", Fill::Expr(count)),
            ("pattern", Fill::Expr(spec)),
        ];
        let call = CASE.fill_expr(self.tree, self.span, &holes);
        let call = self.tree[call].clone();
        let before = vec![set(self.tree, self.span, &case, call)];
        let test = self.part(&case, 0);
        let part = |(slot, name): (usize, Name)| (name, Capture::Part(case.clone(), slot + 1));
        Tried { before, test: Some(test), captures: slots.into_iter().enumerate().map(part).collect() }
    }

    /// `subject_ == 1 or subject_ == 2`
    fn comparison(&mut self, pattern: &Pattern) -> ExprId {
        if let PatternKind::Or(alternatives) = &pattern.kind {
            let values = alternatives.iter().map(|one| self.comparison(one)).collect();
            return self.tree.expr(pattern.span, Expr::BoolOp { op: BoolOp::Or, values });
        }
        let left = self.tree.name(pattern.span, self.subject);
        let rest = match &pattern.kind {
            PatternKind::Value(value) => vec![(CmpOp::Eq, *value)],
            PatternKind::Singleton(constant) => {
                vec![(CmpOp::Is, self.tree.expr(pattern.span, Expr::Constant(constant.clone())))]
            }
            PatternKind::Sequence(_)
            | PatternKind::Mapping { .. }
            | PatternKind::Class { .. }
            | PatternKind::Star(_)
            | PatternKind::As { .. }
            | PatternKind::Or(_) => Vec::new(),
        };
        self.tree.expr(pattern.span, Expr::Compare { left, rest })
    }

    fn bind(&mut self, captures: &[(Name, Capture)]) -> Body {
        let mut out = Body::new();
        for (name, from) in captures {
            let value = match from {
                Capture::Subject => Expr::Name(self.subject.clone()),
                Capture::Part(case, index) => {
                    let part = self.part(case, *index);
                    self.tree[part].clone()
                }
            };
            out.push(set(self.tree, self.span, name, value));
        }
        out
    }

    fn part(&mut self, case: &Name, index: usize) -> ExprId {
        let index = self.expr(Expr::Constant(Constant::Int(index.to_string())));
        let holes = [("case", Fill::Name(case.clone())), ("index", Fill::Expr(index))];
        PART.fill_expr(self.tree, self.span, &holes)
    }

    fn if_(&mut self, test: ExprId, body: Body, orelse: Body) -> StmtId {
        self.tree.stmt(self.span, Stmt::If { test, body, orelse })
    }

    fn expr(&mut self, expr: Expr) -> ExprId {
        self.tree.expr(self.span, expr)
    }
}

/// A value, or alternatives of values. `True` and `False` are not among them: a tensor may stand for them.
fn compares_only(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Value(_) | PatternKind::Singleton(Constant::None) => true,
        PatternKind::Or(alternatives) => alternatives.iter().all(compares_only),
        PatternKind::Singleton(_)
        | PatternKind::Sequence(_)
        | PatternKind::Mapping { .. }
        | PatternKind::Class { .. }
        | PatternKind::Star(_)
        | PatternKind::As { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::pass_tests::check;

    #[test]
    fn comparisons() {
        check(
            "matches",
            "def f(s):\n    match s:\n        case 0: a()\n        case 1 | None as x: b(x)\n        case _: c()\n",
            expect![[r#"
                def f(s):
                    subject_ = s
                    if subject_ == 0:
                        a()
                    elif subject_ == 1 or subject_ is None:
                        x = subject_
                        b(x)
                    else:
                        c()
            "#]],
        );
    }

    #[test]
    fn guards() {
        check(
            "matches",
            "def f(s):\n    match s:\n        case 0 if g(): a()\n        case x if x > 1: b(x)\n        case 2 | 3 as y if y > z: c(y)\n",
            expect![[r#"
                def f(s):
                    subject_ = s
                    if subject_ == 0 and g():
                        a()
                    else:
                        x = subject_
                        if x > 1:
                            b(x)
                        else:
                            guard_ = False
                            if subject_ == 2 or subject_ == 3:
                                y = subject_
                                guard_ = not not y > z
                            if guard_:
                                y = subject_
                                c(y)
            "#]],
        );
    }

    #[test]
    fn structure() {
        check(
            "matches",
            "def f(s):\n    match s:\n        case [0, *r] | {'k': r}: a(r)\n        case P(x, y=(True as t)): b(x, t)\n",
            expect![[r#"
                def f(s):
                    subject_ = s
                    case_1 = gw__.match_case(subject_, 1, ('or', ('sequence', ('value', lambda: 0), ('star', 0)), ('mapping', None, (lambda: 'k', 0))))
                    if case_1[0]:
                        r = case_1[1]
                        a(r)
                    else:
                        case_ = gw__.match_case(subject_, 2, ('class', lambda: P, (0,), (('y', ('as', ('is', True), 1)),)))
                        if case_[0]:
                            x = case_[1]
                            t = case_[2]
                            b(x, t)
            "#]],
        );
    }
}
