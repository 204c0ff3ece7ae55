//! A tree on its way through the passes, with the facts that passes share.

use std::collections::BTreeMap;

use gw_analysis::{Facts, Scope, identifiers};
use gw_syntax::{ExprId, StmtId, Tree};

use crate::fresh::Names;
use crate::units::{self, Reach};

/// A tree on its way through the passes.
pub struct Lowering {
    /// The tree.
    pub tree: Tree,
    /// Names that the user does not use.
    pub names: Names,
    /// The functions of the user, as they were before any pass.
    pub(crate) units: BTreeMap<StmtId, Unit>,
    /// Facts that one pass found and that still hold for the next.
    pub(crate) known: BTreeMap<StmtId, Facts>,
}

/// A function of the user's before any pass.
pub(crate) struct Unit {
    pub(crate) scope: Scope,
    pub(crate) reach: Reach,
}

impl Lowering {
    /// A tree before the first pass.
    pub fn new(tree: Tree) -> Self {
        let used = tree.body.iter().flat_map(|&stmt| identifiers(&tree, stmt)).collect();
        Self::with(tree, Names::new(used))
    }

    pub(crate) fn with(tree: Tree, names: Names) -> Self {
        let units = units::functions(&tree).into_iter().map(|id| (id, Unit::new(&tree, id))).collect();
        Self { tree, names, units, known: BTreeMap::new() }
    }

    /// The facts about a function as it now is; names that only dropped statements bound are still its own.
    pub(crate) fn facts(&self, id: StmtId) -> Facts {
        let mut facts = gw_analysis::facts(&self.tree, units::function(&self.tree, id));
        if let Some(unit) = self.units.get(&id) {
            facts.scope.locals.extend(unit.scope.locals.iter().cloned());
        }
        facts
    }

    /// The extent to which a function is lowered: passes neither add nor remove what decides that.
    pub(crate) fn reach(&self, id: StmtId) -> Reach {
        let known = self.units.get(&id).map(|unit| unit.reach);
        known.unwrap_or_else(|| units::reach(&self.tree, units::function(&self.tree, id)))
    }

    /// The functions of the user that reach at least `least`, outer ones first.
    pub(crate) fn functions(&self, least: Reach) -> Vec<StmtId> {
        let mut all = units::functions(&self.tree);
        all.retain(|&id| self.reach(id) >= least);
        all
    }

    /// The expressions evaluated by functions that reach at least `least`, children before parents.
    pub(crate) fn exprs(&self, least: Reach) -> Vec<ExprId> {
        units::exprs(&self.tree, &self.functions(least))
    }
}

impl Unit {
    fn new(tree: &Tree, id: StmtId) -> Self {
        let function = units::function(tree, id);
        Self { scope: gw_analysis::scope(tree, function), reach: units::reach(tree, function) }
    }
}
