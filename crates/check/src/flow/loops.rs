//! Loops: followed until nothing changes, and then once more to say what is wrong.

use gw_analysis::NameSet;
use gw_syntax::{Constant, Expr, ExprId, Operator, Stmt, StmtId};
use gw_types::Dim;

use super::{Exits, Turning, Walk, name_of};
use crate::rule::{Rule, Severity};
use crate::state::{Flow, State, meet};
use crate::value::{UNKNOWN_LENGTH, Value};

/// Turns after which the values of names that still change are no longer followed.
const PATIENCE: u32 = 3;

/// Traces of which nobody complains: loops of fewer iterations are written for a few values.
const FEW: u64 = 4;

/// Turns of an unrolled loop that are worth a word.
const MANY: u64 = 1000;

impl Walk<'_, '_> {
    pub(super) fn for_(
        &mut self,
        id: StmtId,
        target: ExprId,
        iter: ExprId,
        body: &[StmtId],
        orelse: &[StmtId],
    ) {
        let over = self.expr(iter);
        if let Value::Iterator(iterator) = over {
            self.taken_from(iterator, false, iter);
        }
        let turns = turns_of(&over);
        let item = if self.is_enumeration(iter) {
            Value::Tuple([Value::Int(None), Value::Unknown].into())
        } else {
            self.item_of(&over)
        };
        let read: NameSet = self.read_by(iter).into_iter().chain(self.bound_by(target)).collect();
        if turns == Some(0) {
            return self.body(orelse);
        }
        let staged = u32::from(self.is_staged(&over));
        let head = self.settled(&read, &mut |walk| {
            walk.depth += staged;
            walk.assign(target, item.clone(), None);
            walk.branch(body);
            walk.depth -= staged;
        });
        self.state = head.clone();
        let marked = self.turning(staged == 0 && turns.is_none_or(|n| n > FEW), iter, target, &over, body);
        let before = self.checker.operations;
        self.loops.push(Exits::default());
        self.depth += staged;
        self.assign(target, item, None);
        self.branch(body);
        self.depth -= staged;
        let exits = self.loops.pop().unwrap_or_default();
        if marked {
            self.turns.pop();
        }
        if staged == 0 && self.checker.operations > before {
            self.unrolled(id, turns);
        }
        let end = meet(self.state.take(), exits.continues, &self.locals, &read);
        self.state = if turns.is_some() { end } else { meet(head, end, &self.locals, &read) };
        self.finish(orelse, exits.breaks, &read);
    }

    pub(super) fn while_(&mut self, id: StmtId, test: ExprId, body: &[StmtId], orelse: &[StmtId]) {
        let first = self.peek(test).truth();
        let read = self.read_by(test);
        self.doubt(test);
        if first == Some(false) {
            self.expr(test);
            return self.body(orelse);
        }
        let head = self.settled(&read, &mut |walk| {
            let found = walk.expr(test);
            let staged = u32::from(walk.is_staged(&found));
            let (yes, _) = walk.parted(found.truth());
            walk.state = yes;
            walk.depth += staged;
            walk.branch(body);
            walk.depth -= staged;
        });
        self.state = head;
        let marked = self.turning_while(id, body);
        let found = self.expr(test);
        let staged = u32::from(self.is_staged(&found));
        let (yes, no) = self.parted(found.truth());
        self.state = yes;
        self.loops.push(Exits::default());
        self.depth += staged;
        self.branch(body);
        self.depth -= staged;
        let exits = self.loops.pop().unwrap_or_default();
        if marked {
            self.turns.pop();
        }
        // If the first test holds, the test that fails comes behind an iteration.
        let end = meet(self.state.take(), exits.continues, &self.locals, &read);
        self.state = if first == Some(true) { end.filter(|_| no.is_some()) } else { no };
        self.finish(orelse, exits.breaks, &read);
    }

    /// The state at the head of a loop that holds in each iteration.
    fn settled(&mut self, read: &NameSet, turn: &mut dyn FnMut(&mut Self)) -> Flow {
        let mut head: State = self.state.clone()?;
        for round in 0.. {
            self.state = Some(head.clone());
            self.loops.push(Exits::default());
            self.quietly(&mut *turn);
            let exits = self.loops.pop().unwrap_or_default();
            let end = meet(self.state.take(), exits.continues, &self.locals, read);
            let Some(mut joined) = meet(Some(head.clone()), end, &self.locals, read) else { break };
            if joined == head || self.checker.budget == 0 {
                break;
            }
            if round >= PATIENCE {
                joined.forget(joined.differing(&head).into_iter());
            }
            head = joined;
        }
        Some(head)
    }

    fn finish(&mut self, orelse: &[StmtId], breaks: Flow, read: &NameSet) {
        if self.state.is_some() {
            self.branch(orelse);
        }
        self.state = meet(self.state.take(), breaks, &self.locals, read);
    }

    /// One item of what is iterated or unpacked.
    pub(super) fn item_of(&self, value: &Value) -> Value {
        if let Value::Range(_) = value {
            return Value::Int(None);
        }
        if let Some(items) = value.items() {
            return items.iter().cloned().reduce(|a, b| a.join(&b)).unwrap_or_default();
        }
        let Some(tensor) = value.tensor() else { return Value::Unknown };
        let rest = tensor.shape.as_ref().filter(|shape| shape.rank() > 0);
        Value::Tensor(tensor.shaped(rest.map(|shape| gw_types::Shape(shape.0[1..].to_vec()))))
    }

    pub(super) fn bound_by(&self, target: ExprId) -> NameSet {
        let tree = &self.module().tree;
        let mut names = NameSet::new();
        let mut waiting = vec![target];
        while let Some(expr) = waiting.pop() {
            names.extend(name_of(tree, expr).cloned());
            if let Expr::Tuple(items) | Expr::List(items) = &tree[expr] {
                waiting.extend(items);
            }
        }
        names
    }

    /// Notes a loop of Python's outside of graphs and the numbers that differ from one iteration to the next in it.
    fn turning(
        &mut self,
        is_long: bool,
        iter: ExprId,
        target: ExprId,
        over: &Value,
        body: &[StmtId],
    ) -> bool {
        let tree = &self.module().tree;
        let mut names = self.counted(body);
        if matches!(over, Value::Range(_)) {
            names.extend(name_of(tree, target).cloned());
        }
        if let (true, Expr::Tuple(targets)) = (self.is_enumeration(iter), &tree[target]) {
            names.extend(targets.first().and_then(|&first| name_of(tree, first)).cloned());
        }
        if is_long && !names.is_empty() {
            self.turns.push(Turning { at: tree.expr_span(iter), names });
        }
        is_long && self.turns.last().is_some_and(|turning| turning.at == tree.expr_span(iter))
    }

    /// `enumerate(x)`, which counts from 0.
    fn is_enumeration(&mut self, iter: ExprId) -> bool {
        let Expr::Call { args, keywords, .. } = &self.module().tree[iter] else { return false };
        let is_plain = args.len() == 1 && keywords.is_empty();
        is_plain && self.called(iter).as_deref() == Some("builtins.enumerate")
    }

    fn turning_while(&mut self, id: StmtId, body: &[StmtId]) -> bool {
        let names = self.counted(body);
        let is_counted = !names.is_empty();
        if is_counted {
            self.turns.push(Turning { at: self.module().tree.stmt_span(id), names });
        }
        is_counted
    }

    /// Names that each iteration of a body counts on: `n += 1`.
    fn counted(&self, body: &[StmtId]) -> NameSet {
        let tree = &self.module().tree;
        let step = |stmt: &StmtId| {
            let Stmt::AugAssign { target, op: Operator::Add | Operator::Sub, value } = &tree[*stmt] else {
                return None;
            };
            let is_number = matches!(&tree[*value], Expr::Constant(Constant::Int(_) | Constant::Float(_)));
            name_of(tree, *target).filter(|_| is_number).cloned()
        };
        body.iter().filter_map(step).collect()
    }

    /// Says that a loop is unrolled, where the function asks for that.
    fn unrolled(&mut self, id: StmtId, turns: Option<u64>) {
        let Some(turns) = turns.filter(|&turns| self.unrolls && turns > MANY) else { return };
        let Stmt::For { iter, .. } = &self.module().tree[id] else { return };
        self.say(
            Rule::UnrolledLoop,
            self.module().tree.expr_span(*iter),
            format!("{turns} turns of this loop are put into the graph one by one"),
            "leave out `roll=False`, or loop over `gw.range(…)`, and it is one loop of the graph".to_owned(),
            Severity::Warning,
        );
    }
}

/// The number of iterations a loop over a value has, where that is known and the value is no iterator.
fn turns_of(over: &Value) -> Option<u64> {
    if let Value::Range(turns) = over {
        return *turns;
    }
    if let Value::Str(text) = over {
        return Some(text.chars().count() as u64);
    }
    if let Some(items) = over.items() {
        return Some(items.len() as u64);
    }
    let first = over.tensor()?.shape.as_ref()?.0.first().copied().unwrap_or(UNKNOWN_LENGTH);
    if let Dim::Fixed(length) = first { Some(length as u64) } else { None }
}
