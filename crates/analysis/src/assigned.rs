//! Definite assignment: the names that surely have a value where a statement begins.
//!
//! `if c: x = 1` ⇒ after it, `x` is possibly undefined. A `with` may swallow an exception, so what its body binds is
//! not sure after it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gw_syntax::{BoolOp, Case, Constant, Expr, ExprId, Function, Handler, Name, Stmt, StmtId, Tree};
use rustc_hash::FxHashMap;

use crate::bits::{Bits, Numbering};
use crate::{Activities, NameSet};

/// Names that surely have a value when a statement begins. A statement that is never reached has no row.
#[derive(Debug, Clone, Default)]
pub struct Assigned {
    numbering: Arc<Numbering>,
    before: FxHashMap<StmtId, Bits>,
}

impl Assigned {
    /// True if the name surely has a value when the statement begins (for `while`: whenever it tests).
    pub fn surely(&self, stmt: StmtId, name: &str) -> bool {
        self.before.get(&stmt).is_none_or(|names| self.numbering.contains(names, name))
    }
}

/// Names that begin anew inside an `if`, `while` or `for`: they have no value there until it is given inside.
pub type Anew = BTreeMap<StmtId, NameSet>;

/// Definite assignment of a function's own names.
pub fn assigned(tree: &Tree, function: &Function, activities: &Activities, anew: &Anew) -> Assigned {
    let numbering = activities.numbering.clone();
    let params = numbering.bits(function.params.all().map(|param| &param.name));
    let found = Assigned { numbering, before: FxHashMap::default() };
    let mut flow = Flow { tree, activities, anew, found, breaks: Vec::new() };
    flow.body(&function.body, Some(params));
    flow.found
}

/// Names with a value; nothing where control never comes.
type State = Option<Bits>;

struct Flow<'t> {
    tree: &'t Tree,
    activities: &'t Activities,
    anew: &'t Anew,
    found: Assigned,
    /// One per loop around: what holds at all of its `break`s so far.
    breaks: Vec<State>,
}

/// State after two paths meet.
fn meet(a: State, b: State) -> State {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.intersect(&b);
            Some(a)
        }
        (one, None) | (None, one) => one,
    }
}

impl Flow<'_> {
    fn with<'n>(&self, mut state: State, names: impl IntoIterator<Item = &'n Name>) -> State {
        if let Some(set) = &mut state {
            self.found.numbering.add(set, names);
        }
        state
    }

    fn without<'n>(&self, mut state: State, names: impl IntoIterator<Item = &'n Name>) -> State {
        if let Some(set) = &mut state {
            self.found.numbering.remove(set, names);
        }
        state
    }

    fn body(&mut self, body: &[StmtId], state: State) -> State {
        body.iter().fold(state, |state, &stmt| self.stmt(stmt, state))
    }

    fn record(&mut self, id: StmtId, state: &State) {
        match state {
            Some(names) => self.found.before.insert(id, names.clone()),
            None => self.found.before.remove(&id),
        };
    }

    fn stmt(&mut self, id: StmtId, state: State) -> State {
        self.record(id, &state);
        match (self.anew.get(&id), &state) {
            (Some(anew), Some(before)) => {
                let mut kept = self.found.numbering.bits(anew);
                kept.intersect(before);
                let mut after = self.flow(id, self.without(state, anew));
                after.iter_mut().for_each(|set| set.unite(&kept));
                after
            }
            _ => self.flow(id, state),
        }
    }

    /// The state inside the blocks of a statement: a name that begins anew there has no value of what the statement is given.
    fn inside(&self, id: StmtId, state: State) -> State {
        let anew = self.anew.get(&id).into_iter().flatten();
        self.without(state, anew)
    }

    /// Names that statements delete, anywhere inside them.
    fn deletes(&self, body: &[StmtId]) -> impl Iterator<Item = &Name> {
        body.iter().flat_map(|&stmt| &self.activities.stmt(stmt).deletes)
    }

    fn flow(&mut self, id: StmtId, state: State) -> State {
        let tree = self.tree;
        let header = self.activities.header(id);
        match &tree[id] {
            Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Continue => None,
            Stmt::Break => {
                if let Some(breaks) = self.breaks.pop() {
                    self.breaks.push(meet(breaks, state));
                }
                None
            }
            Stmt::If { test, body, orelse } => {
                let state = self.with(state, &self.sure_walrus(id, *test));
                let inside = self.inside(id, state);
                let yes = self.body(body, inside.clone());
                meet(yes, self.body(orelse, inside))
            }
            Stmt::While { test, body, orelse } => {
                let head = self.without(state, self.deletes(body));
                self.record(id, &head);
                let tested = self.with(head, &self.sure_walrus(id, *test));
                let forever = matches!(&tree[*test], Expr::Constant(Constant::Bool(true)));
                let fails = if forever { None } else { tested.clone() };
                self.loop_(body, orelse, self.inside(id, tested), fails)
            }
            Stmt::For { body, orelse, .. } => {
                let head = self.without(self.with(state, &header.walrus), self.deletes(body));
                let targets = header.binds.difference(&header.walrus);
                let enters = self.with(self.inside(id, head.clone()), targets);
                self.loop_(body, orelse, enters, head)
            }
            Stmt::With { body, .. } => {
                let entered = self.with(state, &header.binds);
                let swallowed = self.without(entered.clone(), self.deletes(body));
                meet(self.body(body, entered), swallowed)
            }
            Stmt::Match { subject, cases } => {
                self.match_(self.with(state, &self.sure_walrus(id, *subject)), cases)
            }
            Stmt::Try { body, handlers, orelse, finalbody, .. } => {
                self.try_(id, body, handlers, orelse, finalbody, state)
            }
            Stmt::AnnAssign { value: None, .. } => state,
            Stmt::FunctionDef(_)
            | Stmt::ClassDef(_)
            | Stmt::Delete(_)
            | Stmt::Assign { .. }
            | Stmt::TypeAlias { .. }
            | Stmt::AugAssign { .. }
            | Stmt::AnnAssign { .. }
            | Stmt::Assert { .. }
            | Stmt::Import(_)
            | Stmt::ImportFrom { .. }
            | Stmt::Global(_)
            | Stmt::Nonlocal(_)
            | Stmt::Expr(_)
            | Stmt::Pass => self.simple(id, state),
        }
    }

    /// One of the cases, or none of them unless the last takes anything.
    fn match_(&mut self, state: State, cases: &[Case]) -> State {
        let mut after = None;
        let mut exhaustive = false;
        for case in cases {
            let mut captures = NameSet::new();
            case.pattern.each_capture(&mut |name| {
                captures.insert(name.clone());
            });
            after = meet(after, self.body(&case.body, self.with(state.clone(), &captures)));
            exhaustive |= case.guard.is_none() && case.pattern.is_irrefutable();
        }
        if exhaustive { after } else { meet(after, state) }
    }

    fn simple(&mut self, id: StmtId, state: State) -> State {
        let activity = self.activities.header(id);
        let mut state = self.with(state, activity.binds.difference(&activity.walrus));
        self.tree[id].each_expr(&mut |&expr| {
            state = self.with(state.take(), &self.sure_walrus(id, expr));
        });
        self.without(state, &activity.deletes)
    }

    /// After a loop: its test failed and `else` ran, or it was left by `break`.
    fn loop_(&mut self, body: &[StmtId], orelse: &[StmtId], enters: State, fails: State) -> State {
        self.breaks.push(None);
        self.body(body, enters);
        let broken = self.breaks.pop().flatten();
        meet(self.body(orelse, fails), broken)
    }

    fn try_(
        &mut self,
        id: StmtId,
        body: &[StmtId],
        handlers: &[Handler],
        orelse: &[StmtId],
        finalbody: &[StmtId],
        state: State,
    ) -> State {
        let thrown = self.without(state.clone(), self.deletes(body));
        let finally = self.without(state.clone(), &self.activities.stmt(id).deletes);
        let tried = self.body(body, state);
        let mut after = self.body(orelse, tried);
        for handler in handlers {
            let handled = self.body(&handler.body, self.with(thrown.clone(), &handler.name));
            after = meet(after, self.without(handled, &handler.name));
        }
        if finalbody.is_empty() {
            return after;
        }
        let cleaned = self.body(finalbody, finally)?;
        let mut after = self.without(after, self.deletes(finalbody))?;
        after.unite(&cleaned);
        Some(after)
    }

    /// The names that `:=` surely binds when an expression of this statement is evaluated.
    fn sure_walrus(&self, id: StmtId, expr: ExprId) -> NameSet {
        let mut found = NameSet::new();
        if !self.activities.header(id).walrus.is_empty() {
            sure_walrus(self.tree, expr, &mut found);
        }
        found
    }
}

fn sure_walrus(tree: &Tree, id: ExprId, found: &mut NameSet) {
    if let Expr::Named { target, .. } = &tree[id]
        && let Expr::Name(name) = &tree[*target]
    {
        found.insert(name.clone());
    }
    if let Expr::BoolOp { op: BoolOp::And | BoolOp::Or, values } = &tree[id] {
        sure_walrus(tree, values[0], found);
    } else if let Expr::IfExp { test, .. } = &tree[id] {
        sure_walrus(tree, *test, found);
    } else if let Expr::Compare { left, rest } = &tree[id] {
        sure_walrus(tree, *left, found);
        sure_walrus(tree, rest[0].1, found);
    } else if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &tree[id] {
        sure_walrus(tree, clauses[0].iter, found);
    } else if !matches!(&tree[id], Expr::Lambda { .. }) {
        tree[id].each_expr(&mut |&child| sure_walrus(tree, child, found));
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::*;

    /// Shows what is surely assigned before the last statement of a function.
    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let tree = gw_syntax::parse(&Source::new("f.py", text)).value;
        let Stmt::FunctionDef(function) = &tree[tree.body[0]] else { panic!("not a function") };
        let scope = crate::scope(&tree, function);
        let found = assigned(&tree, function, &crate::activities(&tree, function), &Anew::new());
        let last = function.body[function.body.len() - 1];
        let (sure, unsure): (Vec<_>, Vec<_>) =
            scope.locals.iter().cloned().partition(|name| found.surely(last, name));
        expected.assert_eq(&format!("sure: {}; unsure: {}", sure.join(" "), unsure.join(" ")));
    }

    #[test]
    fn branches_must_agree() {
        check("def f(c):\n if c: x = y = 1\n else: x = 2\n end()", expect!["sure: c x; unsure: y"]);
        check("def f(c):\n if c: x = 1\n else: raise E\n end()", expect!["sure: c x; unsure: "]);
    }

    #[test]
    fn loops_may_not_run() {
        check("def f(xs):\n for x in xs: y = x\n else: z = 1\n end()", expect!["sure: xs z; unsure: x y"]);
        check(
            "def f():\n while True:\n  x = 1\n  if x: break\n  y = 2\n end()",
            expect!["sure: x; unsure: y"],
        );
    }

    #[test]
    fn handlers_see_nothing_of_a_try() {
        check(
            "def f():\n try: x = 1\n except E as e: y = 2\n finally: z = 3\n end()",
            expect!["sure: z; unsure: e x y"],
        );
        check("def f():\n try: x = 1\n except E: return\n end()", expect!["sure: x; unsure: "]);
    }

    #[test]
    fn values_are_taken_away() {
        check("def f(a):\n x = 1\n del x\n with a as w: b = 1\n end()", expect!["sure: a w; unsure: b x"]);
        check("def f(a):\n if (x := a) and (y := a): pass\n end()", expect!["sure: a x; unsure: y"]);
    }
}
