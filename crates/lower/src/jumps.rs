//! Jumps of a body, and the choice of those that can leave their place exactly.
//!
//! A jump out of `except*` or `async with` stays native, and one out of a `try` whose `finally` jumps, which takes the place of any
//! other: most of these are gone by then (`overrides`, `finallies`). One out of a `with` that stands inside another `with` or a `try` is taken in
//! steps before this is asked (`landings`): when leaving the inner one raises and the outer one holds that back, the jump did not happen.

use std::collections::BTreeSet;

use gw_syntax::{Body, Constant, Expr, ExprId, Stmt, StmtId, Tree};

/// The jumps of one kind found in a body.
#[derive(Debug, Default)]
pub struct Jumps {
    /// Those that can be lowered.
    pub exact: BTreeSet<StmtId>,
    /// True if there are others.
    pub native: bool,
}

/// The `return`s of a function.
pub fn returns(tree: &Tree, body: &Body) -> Jumps {
    let mut found = Jumps::default();
    let wanted = |stmt: &Stmt| matches!(stmt, Stmt::Return(_));
    Search { tree, wanted: &wanted, own_only: false, found: &mut found }.body(body, Place::default());
    found
}

/// The `break`s or `continue`s, or both, that belong to the loop with this body.
pub fn of_loop(tree: &Tree, body: &Body, wanted: &dyn Fn(&Stmt) -> bool) -> Jumps {
    let mut found = Jumps::default();
    Search { tree, wanted, own_only: true, found: &mut found }.body(body, Place::default());
    found
}

/// True if control may leave these statements other than by their end or an exception.
pub fn escapes(tree: &Tree, body: &Body) -> bool {
    let jumps = of_loop(tree, body, &|stmt| matches!(stmt, Stmt::Break | Stmt::Continue));
    let returns = returns(tree, body);
    jumps.native || returns.native || !jumps.exact.is_empty() || !returns.exact.is_empty()
}

/// True if control never reaches the end of these statements.
pub fn never_ends(tree: &Tree, body: &Body) -> bool {
    body.iter().any(|&id| match &tree[id] {
        Stmt::Return(_) | Stmt::Raise { .. } | Stmt::Break | Stmt::Continue => true,
        Stmt::If { body, orelse, .. } => never_ends(tree, body) && never_ends(tree, orelse),
        Stmt::While { test, body, .. } => is_true(tree, *test) && !breaks(tree, body),
        Stmt::Try { body, handlers, orelse, finalbody, .. } => {
            let is_left = never_ends(tree, body) || never_ends(tree, orelse);
            never_ends(tree, finalbody)
                || is_left && handlers.iter().all(|handler| never_ends(tree, &handler.body))
        }
        Stmt::FunctionDef(_)
        | Stmt::ClassDef(_)
        | Stmt::Delete(_)
        | Stmt::Assign { .. }
        | Stmt::TypeAlias { .. }
        | Stmt::AugAssign { .. }
        | Stmt::AnnAssign { .. }
        | Stmt::For { .. }
        | Stmt::With { .. }
        | Stmt::Match { .. }
        | Stmt::Assert { .. }
        | Stmt::Import(_)
        | Stmt::ImportFrom { .. }
        | Stmt::Global(_)
        | Stmt::Nonlocal(_)
        | Stmt::Expr(_)
        | Stmt::Pass => false,
    })
}

/// `True` or `1`.
fn is_true(tree: &Tree, test: ExprId) -> bool {
    let Expr::Constant(constant) = &tree[test] else { return false };
    *constant == Constant::Bool(true) || *constant == Constant::Int("1".to_owned())
}

/// True if the loop with this body has a `break` of its own.
fn breaks(tree: &Tree, body: &Body) -> bool {
    let found = of_loop(tree, body, &|stmt| matches!(stmt, Stmt::Break));
    found.native || !found.exact.is_empty()
}

#[derive(Clone, Copy, Default)]
struct Place {
    /// Inside a `with` or the body of a `try`.
    protected: bool,
    /// Inside something that a jump cannot leave exactly.
    native: bool,
}

struct Search<'a> {
    tree: &'a Tree,
    wanted: &'a dyn Fn(&Stmt) -> bool,
    /// Only jumps of this loop, so not those inside inner loops.
    own_only: bool,
    found: &'a mut Jumps,
}

impl Search<'_> {
    fn body(&mut self, body: &Body, place: Place) {
        body.iter().for_each(|&stmt| self.stmt(stmt, place));
    }

    fn stmt(&mut self, id: StmtId, place: Place) {
        let stmt = &self.tree[id];
        if (self.wanted)(stmt) {
            if place.native {
                self.found.native = true;
            } else {
                self.found.exact.insert(id);
            }
        }
        let protected = Place { protected: true, ..place };
        if let Stmt::With { is_async, items, body } = stmt {
            let native = place.native || *is_async || items.len() > 1 || place.protected;
            self.body(body, Place { native, ..protected });
        } else if let Stmt::Try { body, handlers, orelse, finalbody, is_star } = stmt {
            let native = place.native || *is_star || escapes(self.tree, finalbody);
            self.body(body, Place { native, ..protected });
            handlers.iter().for_each(|handler| self.body(&handler.body, Place { native, ..place }));
            self.body(orelse, Place { native, ..place });
            self.body(finalbody, Place { native: true, ..place });
        } else if let Stmt::For { is_async, body, orelse, .. } = stmt {
            self.loop_(body, orelse, Place { native: place.native || *is_async, ..place });
        } else if let Stmt::While { body, orelse, .. } = stmt {
            self.loop_(body, orelse, place);
        } else if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            stmt.each_body(&mut |body| self.body(body, place));
        }
    }

    fn loop_(&mut self, body: &Body, orelse: &Body, place: Place) {
        if !self.own_only {
            self.body(body, place);
        }
        self.body(orelse, place);
    }
}
