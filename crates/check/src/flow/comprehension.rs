//! Comprehensions: their names are their own.

use gw_syntax::{Clause, CompKind, ExprId};

use super::Walk;
use crate::value::{HostIterator, Value};

impl Walk<'_, '_> {
    /// The value of a comprehension; a generator holds tensors if its elements are some.
    pub(super) fn comprehension(&mut self, kind: CompKind, elements: &[ExprId], clauses: &[Clause]) -> Value {
        let before = self.inner.len();
        for clause in clauses {
            let over = self.expr(clause.iter);
            self.introduce(clause.target, &over);
            clause.ifs.iter().for_each(|&test| drop(self.expr(test)));
        }
        let found: Vec<Value> = elements.iter().map(|&element| self.expr(element)).collect();
        self.inner.truncate(before);
        if kind != CompKind::Generator {
            return Value::Unknown;
        }
        let holds_tensors = found.iter().any(Value::holds_tensors);
        let depth = self.function.is_some().then_some(self.depth);
        Value::Iterator(HostIterator { holds_tensors, can_be_copied: false, depth })
    }

    fn introduce(&mut self, target: ExprId, over: &Value) {
        let item = self.item_of(over);
        for name in self.bound_by(target) {
            let is_whole = super::name_of(&self.module().tree, target).is_some();
            self.inner.push((name, if is_whole { item.clone() } else { Value::Unknown }));
        }
    }
}
