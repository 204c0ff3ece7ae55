//! Which names may still be read.
//!
//! `x = 1; if c: x = 2; print(x)` ⇒ `x` is live after the `if`, and not inside it. An exception may leave any statement
//! at any time, so what handlers read is live throughout the `try`.

use std::collections::BTreeMap;

use gw_syntax::{Body, Function, Handler, Stmt, StmtId, Tree};

use crate::NameSet;
use crate::activity::{of_expr, of_header};

/// Names that may be read later, at two points of each statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Liveness {
    after: BTreeMap<StmtId, NameSet>,
    inside: BTreeMap<StmtId, NameSet>,
}

impl Liveness {
    /// Live when the statement is done.
    pub fn after(&self, stmt: StmtId) -> &NameSet {
        &self.after[&stmt]
    }

    /// Live when a branch of an `if` begins, or when a loop is about to test or to fetch once more.
    pub fn inside(&self, stmt: StmtId) -> &NameSet {
        &self.inside[&stmt]
    }

    /// Whether the statement was seen at all.
    pub fn knows(&self, stmt: StmtId) -> bool {
        self.after.contains_key(&stmt)
    }
}

/// The liveness of names in a function. Nothing is live after it; names of outer scopes are not followed.
pub fn liveness(tree: &Tree, function: &Function) -> Liveness {
    let mut flow = Flow { tree, found: Liveness::default() };
    flow.body(&function.body, NameSet::new(), &Exits::default());
    flow.found
}

/// What is live where a jump goes.
#[derive(Clone, Default)]
struct Exits {
    returns: NameSet,
    breaks: NameSet,
    continues: NameSet,
    raises: NameSet,
}

struct Flow<'t> {
    tree: &'t Tree,
    found: Liveness,
}

fn union(mut a: NameSet, b: &NameSet) -> NameSet {
    a.extend(b.iter().cloned());
    a
}

fn without(mut a: NameSet, b: &NameSet) -> NameSet {
    a.retain(|name| !b.contains(name));
    a
}

impl Flow<'_> {
    fn body(&mut self, body: &Body, after: NameSet, exits: &Exits) -> NameSet {
        body.iter().rev().fold(after, |after, &stmt| self.stmt(stmt, after, exits))
    }

    /// What is live before a statement.
    fn stmt(&mut self, id: StmtId, after: NameSet, exits: &Exits) -> NameSet {
        self.found.after.insert(id, after.clone());
        let before = self.flow(id, after, exits);
        union(before, &exits.raises)
    }

    fn flow(&mut self, id: StmtId, after: NameSet, exits: &Exits) -> NameSet {
        let tree = self.tree;
        match &tree[id] {
            Stmt::Return(value) => match value {
                Some(value) => union(of_expr(tree, *value).reads, &exits.returns),
                None => exits.returns.clone(),
            },
            Stmt::Raise { .. } => of_header(tree, id).reads,
            Stmt::Break => exits.breaks.clone(),
            Stmt::Continue => exits.continues.clone(),
            Stmt::If { test, body, orelse } => {
                let inside = self.body(body, after.clone(), exits);
                let inside = union(inside, &self.body(orelse, after, exits));
                self.found.inside.insert(id, inside.clone());
                let test = of_expr(tree, *test);
                union(without(inside, &test.walrus), &test.reads)
            }
            Stmt::While { test, body, orelse } => {
                let mut start = of_expr(tree, *test).reads;
                start.extend(self.body(orelse, after.clone(), exits));
                self.loop_(id, body, start, after, &NameSet::new(), exits)
            }
            Stmt::For { .. } => self.for_(id, after, exits),
            Stmt::With { body, .. } => {
                let mut inner = exits.clone();
                inner.raises.extend(after.iter().cloned());
                let inside = self.body(body, after.clone(), &inner);
                let header = of_header(tree, id);
                union(union(without(inside, &header.binds), &header.reads), &after)
            }
            Stmt::Match { cases, .. } => {
                let mut before = of_header(tree, id).reads;
                for case in cases {
                    before.extend(self.body(&case.body, after.clone(), exits));
                }
                union(before, &after)
            }
            Stmt::Try { body, handlers, orelse, finalbody, .. } => {
                self.try_(body, handlers, orelse, finalbody, after, exits)
            }
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
            | Stmt::Pass => {
                let activity = of_header(tree, id);
                union(without(after, &activity.binds), &activity.reads)
            }
        }
    }

    fn for_(&mut self, id: StmtId, after: NameSet, exits: &Exits) -> NameSet {
        let tree = self.tree;
        let Stmt::For { iter, guard, body, orelse, .. } = &tree[id] else { return after };
        let mut start = self.body(orelse, after.clone(), exits);
        guard.iter().for_each(|&guard| start.extend(of_expr(tree, guard).reads));
        let header = of_header(tree, id);
        if !header.stores.is_empty() {
            // A target such as `o.x` reads `o` before each iteration.
            start.extend(header.reads.iter().cloned());
        }
        let head = self.loop_(id, body, start, after, &header.binds, exits);
        union(head, &of_expr(tree, *iter).reads)
    }

    /// What is live at a loop's head: the same before each iteration, so the least set that repeats.
    fn loop_(
        &mut self,
        id: StmtId,
        body: &Body,
        start: NameSet,
        after: NameSet,
        targets: &NameSet,
        exits: &Exits,
    ) -> NameSet {
        let mut head = start;
        loop {
            let inner = Exits { breaks: after.clone(), continues: head.clone(), ..exits.clone() };
            let once = self.body(body, head.clone(), &inner);
            let next = union(head.clone(), &without(once, targets));
            if next == head {
                self.found.inside.insert(id, head.clone());
                return head;
            }
            head = next;
        }
    }

    fn try_(
        &mut self,
        body: &Body,
        handlers: &[Handler],
        orelse: &Body,
        finalbody: &Body,
        after: NameSet,
        exits: &Exits,
    ) -> NameSet {
        let mut outside = exits.clone();
        let mut done = after;
        if !finalbody.is_empty() {
            // Each way out passes the `finally` body, whose facts are those of all ways together.
            let all = [&exits.returns, &exits.breaks, &exits.continues, &exits.raises];
            let all = all.into_iter().fold(done, union);
            done = self.body(finalbody, all, exits);
            outside = Exits {
                returns: done.clone(),
                breaks: done.clone(),
                continues: done.clone(),
                raises: done.clone(),
            };
        }
        let mut caught = outside.clone();
        for handler in handlers {
            let live = self.body(&handler.body, done.clone(), &outside);
            caught.raises.extend(live.into_iter().filter(|name| Some(name) != handler.name.as_ref()));
            handler.kind.iter().for_each(|&kind| caught.raises.extend(of_expr(self.tree, kind).reads));
        }
        let orelse = self.body(orelse, done, &outside);
        let before = self.body(body, orelse, &caught);
        union(before, &caught.raises)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::*;

    /// Shows what is live after and inside each compound statement of a function.
    #[track_caller]
    fn check(text: &str, expected: Expect) {
        let tree = gw_syntax::parse(&Source::new("f.py", text)).value;
        let Stmt::FunctionDef(function) = &tree[tree.body[0]] else { panic!("not a function") };
        let live = liveness(&tree, function);
        let mut out = String::new();
        let mut show = |id: StmtId| {
            let text = gw_syntax::function_to_source(&tree, id);
            let first = text.lines().next().unwrap_or("");
            let (inside, after) = (live.inside.get(&id), &live.after[&id]);
            let inside = inside
                .map(|names| format!(" inside {}", names.iter().cloned().collect::<Vec<_>>().join(" ")));
            let after = after.iter().cloned().collect::<Vec<_>>().join(" ");
            out += &format!("{first} | after {after} |{}\n", inside.unwrap_or_default());
        };
        function.body.iter().for_each(|&id| show(id));
        expected.assert_eq(&out);
    }

    #[test]
    fn the_example() {
        check(
            "def f(c):\n x = 1\n if c: x = 2\n print(x)",
            expect![[r#"
            x = 1 | after c print x |
            if c: | after print x | inside print x
            print(x) | after  |
        "#]],
        );
    }

    #[test]
    fn handlers_see_the_middle_of_a_try() {
        check(
            "def f():\n x = 0\n try:\n  x = g()\n  x = h()\n except E:\n  print(x)",
            expect![[r#"
            x = 0 | after E g h print x |
            try: | after  |
        "#]],
        );
    }

    #[test]
    fn loops_read_what_the_last_iteration_left() {
        check(
            "def f(xs):\n a = b = 0\n for x in xs:\n  t = a\n  a = b + t\n return a",
            expect![[r#"
            a = b = 0 | after a b xs |
            for x in xs: | after a | inside a b
            return a | after  |
        "#]],
        );
    }
}
