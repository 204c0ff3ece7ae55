//! `try` and `with`: what a handler may catch is not wrong, and its body may end anywhere.

use gw_analysis::NameSet;
use gw_syntax::{Handler, StmtId, WithItem};

use super::Walk;
use crate::state::{Flow, Slot, meet};
use crate::value::Value;

impl Walk<'_, '_> {
    pub(super) fn try_(
        &mut self,
        body: &[StmtId],
        handlers: &[Handler],
        orelse: &[StmtId],
        finalbody: &[StmtId],
    ) {
        let before = self.state.clone();
        let nobody = NameSet::new();
        let caught = u32::from(!handlers.is_empty());
        self.checker.quiet += caught;
        self.branch(body);
        self.checker.quiet -= caught;
        // The body may end behind any of its statements.
        let ends = meet(before.clone(), self.state.clone(), &self.locals, &nobody);
        let interrupted = self.interrupted(ends, body);
        self.branch_if_live(orelse);
        let mut after = self.state.take();
        for handler in handlers {
            self.state = interrupted.clone();
            handler.kind.iter().for_each(|&kind| drop(self.quietly(|walk| walk.expr(kind))));
            if let Some(name) = &handler.name {
                self.bind_name(name, Value::Unknown);
            }
            self.branch(&handler.body);
            self.unbind(handler.name.as_deref());
            after = meet(after, self.state.take(), &self.locals, &nobody);
        }
        if finalbody.is_empty() {
            self.state = after;
            return;
        }
        // A `finally` comes behind whatever happened before it; nothing is said of names there.
        self.state = after.clone().or(interrupted);
        self.body(finalbody);
        self.state = self.state.take().filter(|_| after.is_some());
    }

    /// The state where a body may have ended behind any of its statements.
    fn interrupted(&self, state: Flow, body: &[StmtId]) -> Flow {
        let mut state = state?;
        let tree = &self.module().tree;
        for name in gw_analysis::of_body(tree, &body.to_vec()).binds {
            if let Some(number) = self.locals.number(&name) {
                let slot = state.slot(number);
                let bound = if slot.bound == crate::state::Bound::Yes {
                    slot.bound
                } else {
                    crate::state::Bound::Doubt
                };
                let slot = Slot { value: Value::Unknown, bound, ..slot.clone() };
                state.set(&self.locals, number, slot);
            }
        }
        Some(state)
    }

    fn branch_if_live(&mut self, body: &[StmtId]) {
        if self.state.is_some() {
            self.branch(body);
        }
    }

    fn unbind(&mut self, name: Option<&str>) {
        if let (Some(number), Some(state)) = (name.and_then(|name| self.locals.number(name)), &mut self.state)
        {
            state.set(&self.locals, number, Slot::unbound());
        }
    }

    /// A manager may swallow what its body raises, unless it is known not to.
    pub(super) fn with(&mut self, items: &[WithItem], body: &[StmtId]) {
        let mut passes = true;
        for item in items {
            let manager = self.expr(item.context);
            passes &= self.called(item.context).is_some_and(|path| PASSES.contains(&&*path));
            if let Some(target) = item.target {
                self.assign(target, manager, None);
            }
        }
        let before = self.state.clone();
        let swallows = u32::from(!passes);
        self.checker.quiet += swallows;
        self.branch(body);
        self.checker.quiet -= swallows;
        if !passes {
            let ends = meet(before, self.state.take(), &self.locals, &NameSet::new());
            self.state = self.interrupted(ends, body);
        }
    }
}

/// Managers that let every exception pass.
const PASSES: &[&str] =
    &["graphwright.GradientTape", "graphwright.name_scope", "graphwright.init_scope", "builtins.open"];
