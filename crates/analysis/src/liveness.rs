//! Liveness: the names that may still be read.
//!
//! `x = 1; if c: x = 2; print(x)` ⇒ `x` is live after the `if`, and not inside it. An exception may leave any statement
//! at any time, so what handlers read is live throughout the `try`.

use std::sync::Arc;

use gw_syntax::{Body, Expr, Function, Handler, Name, Stmt, StmtId, Tree, WithItem};
use rustc_hash::FxHashMap;

use crate::activity::of_expr;
use crate::bits::{Bits, Numbering};
use crate::{Activities, NameSet};

/// Names that may be read later, at two points of each statement.
#[derive(Debug, Clone, Default)]
pub struct Liveness {
    numbering: Arc<Numbering>,
    after: FxHashMap<StmtId, Bits>,
    inside: FxHashMap<StmtId, Bits>,
}

/// The names that are live at one point.
#[derive(Debug, Clone, Copy)]
pub struct Live<'a> {
    numbering: &'a Numbering,
    bits: &'a Bits,
}

impl Live<'_> {
    /// True if this name is live.
    pub fn contains(&self, name: &Name) -> bool {
        self.numbering.contains(self.bits, name)
    }
}

impl Liveness {
    /// Live when the statement is done.
    ///
    /// # Panics
    /// If the statement was not in the function.
    pub fn after(&self, stmt: StmtId) -> Live<'_> {
        Live { numbering: &self.numbering, bits: &self.after[&stmt] }
    }

    /// Live when a branch of an `if` or a part of a `try` begins, or when a loop is about to test or to fetch once more.
    ///
    /// # Panics
    /// If the statement is no such statement of the function.
    pub fn inside(&self, stmt: StmtId) -> Live<'_> {
        Live { numbering: &self.numbering, bits: &self.inside[&stmt] }
    }

    /// True if the statement was analysed.
    pub fn knows(&self, stmt: StmtId) -> bool {
        self.after.contains_key(&stmt)
    }
}

/// The liveness of names in a function. Nothing is live after it; names of outer scopes are not followed.
pub fn liveness(tree: &Tree, function: &Function, activities: &Activities) -> Liveness {
    let numbering = activities.numbering.clone();
    let none = numbering.none();
    let found = Liveness { numbering, ..Liveness::default() };
    let mut flow = Flow { tree, activities, found, records: true };
    let exits =
        Exits { returns: none.clone(), breaks: none.clone(), continues: none.clone(), raises: none.clone() };
    flow.body(&function.body, none, &exits);
    flow.found
}

/// Live names at the destinations of jumps.
#[derive(Clone)]
struct Exits {
    returns: Bits,
    breaks: Bits,
    continues: Bits,
    raises: Bits,
}

struct Flow<'t> {
    tree: &'t Tree,
    activities: &'t Activities,
    found: Liveness,
    /// True if results are kept: a loop's body is first followed to find the names live at its head.
    records: bool,
}

/// True if all targets of a `with` are names: they have their values before its body begins.
fn has_names(tree: &Tree, items: &[WithItem]) -> bool {
    items.len() == 1
        && items.iter().filter_map(|item| item.target).all(|target| matches!(tree[target], Expr::Name(_)))
}

fn union(mut a: Bits, b: &Bits) -> Bits {
    a.unite(b);
    a
}

impl Flow<'_> {
    fn with(&self, mut set: Bits, names: &NameSet) -> Bits {
        self.found.numbering.add(&mut set, names);
        set
    }

    fn without(&self, mut set: Bits, names: &NameSet) -> Bits {
        self.found.numbering.remove(&mut set, names);
        set
    }

    fn body(&mut self, body: &Body, after: Bits, exits: &Exits) -> Bits {
        body.iter().rev().fold(after, |after, &stmt| self.stmt(stmt, after, exits))
    }

    fn record_inside(&mut self, id: StmtId, inside: &Bits) {
        if self.records {
            self.found.inside.insert(id, inside.clone());
        }
    }

    /// Names that are live before a statement.
    fn stmt(&mut self, id: StmtId, after: Bits, exits: &Exits) -> Bits {
        if self.records {
            self.found.after.insert(id, after.clone());
        }
        let before = self.flow(id, after, exits);
        union(before, &exits.raises)
    }

    fn flow(&mut self, id: StmtId, after: Bits, exits: &Exits) -> Bits {
        let tree = self.tree;
        let header = self.activities.header(id);
        match &tree[id] {
            Stmt::Return(_) => self.with(exits.returns.clone(), &header.reads),
            Stmt::Raise { .. } => self.found.numbering.bits(&header.reads),
            Stmt::Break => exits.breaks.clone(),
            Stmt::Continue => exits.continues.clone(),
            Stmt::If { body, orelse, .. } => {
                let inside = self.body(body, after.clone(), exits);
                let inside = union(inside, &self.body(orelse, after, exits));
                self.record_inside(id, &inside);
                self.with(self.without(inside, &header.walrus), &header.reads)
            }
            Stmt::While { body, orelse, .. } => {
                let orelse = self.body(orelse, after.clone(), exits);
                let start = self.with(orelse, &header.reads);
                self.loop_(id, body, start, after, &NameSet::new(), exits)
            }
            Stmt::For { .. } => self.for_(id, after, exits),
            Stmt::With { items, body, .. } => {
                let mut inner = exits.clone();
                inner.raises.unite(&after);
                let inside = self.body(body, after.clone(), &inner);
                self.record_inside(id, &inside);
                let before = self.with(self.without(inside, &header.binds), &header.reads);
                let held_back =
                    if has_names(tree, items) { self.without(after, &header.binds) } else { after };
                union(before, &held_back)
            }
            Stmt::Match { cases, .. } => {
                let mut before = self.found.numbering.bits(&header.reads);
                for case in cases {
                    before.unite(&self.body(&case.body, after.clone(), exits));
                }
                union(before, &after)
            }
            Stmt::Try { body, handlers, orelse, finalbody, .. } => {
                self.try_(id, (body, handlers, orelse, finalbody), after, exits)
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
            | Stmt::Pass => self.with(self.without(after, &header.binds), &header.reads),
        }
    }

    fn for_(&mut self, id: StmtId, after: Bits, exits: &Exits) -> Bits {
        let tree = self.tree;
        let Stmt::For { iter, guard, body, orelse, .. } = &tree[id] else { return after };
        let mut start = self.body(orelse, after.clone(), exits);
        if let Some(guard) = *guard {
            start = self.with(start, &of_expr(tree, guard).reads);
        }
        let header = self.activities.header(id);
        if !header.stores.is_empty() {
            // A target such as `o.x` reads `o` before each iteration.
            start = self.with(start, &header.reads);
        }
        let head = self.loop_(id, body, start, after, &header.binds, exits);
        self.with(head, &of_expr(tree, *iter).reads)
    }

    /// Names that are live at a loop's head: the same before each iteration, so the least set that repeats.
    ///
    /// Names are live before a body if the body reads them, or if they are live after it and the body does
    /// not bind them. So one pass finds all that a second one would.
    fn loop_(
        &mut self,
        id: StmtId,
        body: &Body,
        start: Bits,
        after: Bits,
        targets: &NameSet,
        exits: &Exits,
    ) -> Bits {
        let mut inner = Exits { breaks: after, continues: start.clone(), ..exits.clone() };
        let records = std::mem::replace(&mut self.records, false);
        let once = self.body(body, start.clone(), &inner);
        self.records = records;
        // A handler may read the target that an iteration was given.
        let head = union(union(self.without(once, targets), &start), &exits.raises);
        if records {
            inner.continues = head.clone();
            self.body(body, head.clone(), &inner);
            self.record_inside(id, &head);
        }
        head
    }

    fn try_(
        &mut self,
        id: StmtId,
        (body, handlers, orelse, finalbody): (&Body, &[Handler], &Body, &Body),
        after: Bits,
        exits: &Exits,
    ) -> Bits {
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
            let name = handler.name.iter().cloned().collect();
            caught.raises.unite(&self.without(live, &name));
            if let Some(kind) = handler.kind {
                caught.raises = self.with(caught.raises, &of_expr(self.tree, kind).reads);
            }
        }
        let finally = done.clone();
        let orelse = self.body(orelse, done, &outside);
        let before = self.body(body, orelse.clone(), &caught);
        let before = union(before, &caught.raises);
        self.record_inside(id, &union(union(before.clone(), &orelse), &finally));
        before
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
        check_of(false, text, expected);
    }

    /// The same of the statements in its first `try`.
    #[track_caller]
    fn check_inner(text: &str, expected: Expect) {
        check_of(true, text, expected);
    }

    #[track_caller]
    fn check_of(inner: bool, text: &str, expected: Expect) {
        let tree = gw_syntax::parse(&Source::new("f.py", text)).value;
        let Stmt::FunctionDef(function) = &tree[tree.body[0]] else { panic!("not a function") };
        let live = liveness(&tree, function, &crate::activities(&tree, function));
        let names = |bits: &Bits| live.numbering.names(bits).cloned().collect::<Vec<_>>().join(" ");
        let mut out = String::new();
        let stmts = if inner {
            let Stmt::Try { body, .. } = &tree[function.body[0]] else { panic!("not a `try`") };
            body.clone()
        } else {
            function.body.clone()
        };
        let mut show = |id: StmtId| {
            let text = gw_syntax::function_to_source(&tree, id);
            let first = text.lines().next().unwrap_or("");
            let (inside, after) = (live.inside.get(&id), &live.after[&id]);
            let inside = inside.map(|inside| format!(" inside {}", names(inside)));
            let after = names(after);
            out += &format!("{first} | after {after} |{}\n", inside.unwrap_or_default());
        };
        stmts.iter().for_each(|&id| show(id));
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
                try: | after  | inside E g h print x
            "#]],
        );
    }

    #[test]
    fn handlers_see_the_target_of_a_loop() {
        check_inner(
            "def f(xs):\n try:\n  for i in xs: g(i)\n except E:\n  print(i)",
            expect![[r#"
                for i in xs: | after  | inside E g i print
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
