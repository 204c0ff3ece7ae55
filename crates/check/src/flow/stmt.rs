//! Statements: each changes what is known of the names, or ends the path.

use gw_analysis::NameSet;
use gw_syntax::{Case, Expr, ExprId, Function, Operator, Stmt, StmtId};

use super::{Exits, Walk, name_of};
use crate::state::{Bound, Flow, Slot, meet};
use crate::value::Value;

impl Walk<'_, '_> {
    /// Follows statements one after the other; those behind the end of the path are never executed.
    pub(super) fn body(&mut self, body: &[StmtId]) {
        for &stmt in body {
            if self.state.is_none() {
                return;
            }
            if !self.spend() {
                // Nothing is known any more.
                self.state.iter_mut().for_each(|state| state.doubt_all());
                return;
            }
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        self.statement = Some(id);
        match &self.module().tree[id] {
            Stmt::FunctionDef(function) => self.definition(id, function),
            Stmt::ClassDef(class) => {
                class.each_expr(&mut |&expr| drop(self.expr(expr)));
                self.bind_name(&class.name, Value::Unknown);
            }
            Stmt::Return(value) => self.returns(*value),
            Stmt::Delete(targets) => targets.iter().for_each(|&target| self.delete(target)),
            Stmt::Assign { targets, value } => {
                let found = self.expr(*value);
                targets.iter().for_each(|&target| self.assign(target, found.clone(), Some(*value)));
            }
            Stmt::AugAssign { target, op, value } => self.augmented(*target, *op, *value),
            Stmt::AnnAssign { target, value: Some(value), .. } => {
                let found = self.expr(*value);
                self.assign(*target, found, Some(*value));
            }
            Stmt::TypeAlias { name, .. } => self.assign(*name, Value::Unknown, None),
            Stmt::For { target, iter, body, orelse, .. } => self.for_(id, *target, *iter, body, orelse),
            Stmt::While { test, body, orelse } => self.while_(id, *test, body, orelse),
            Stmt::If { test, body, orelse } => self.if_(*test, body, orelse),
            Stmt::With { items, body, .. } => self.with(items, body),
            Stmt::Match { subject, cases } => self.match_(*subject, cases),
            Stmt::Raise { exc, cause } => {
                exc.iter().chain(cause).for_each(|&expr| drop(self.expr(expr)));
                self.state = None;
            }
            Stmt::Try { body, handlers, orelse, finalbody, .. } => {
                self.try_(body, handlers, orelse, finalbody)
            }
            Stmt::Assert { test, msg } => self.assert(*test, *msg),
            Stmt::Import(names) | Stmt::ImportFrom { names, .. } => self.imported(id, names),
            Stmt::Expr(value) => self.expression_statement(*value),
            Stmt::Break => self.leave(|exits| &mut exits.breaks),
            Stmt::Continue => self.leave(|exits| &mut exits.continues),
            Stmt::AnnAssign { value: None, .. } | Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::Pass => {}
        }
    }

    fn definition(&mut self, id: StmtId, function: &Function) {
        function.decorators.iter().for_each(|&expr| drop(self.quietly(|walk| walk.expr(expr))));
        function.params.all().filter_map(|param| param.default).for_each(|expr| drop(self.expr(expr)));
        let value = Value::Function(self.module().by_stmt[&id]);
        // A function inside another one has names around it that its own text does not show.
        let is_closure = self.function.is_some();
        self.bind_name(&function.name, if is_closure { Value::Unknown } else { value });
    }

    fn imported(&mut self, id: StmtId, names: &[gw_syntax::Alias]) {
        let stmt = &self.module().tree[id];
        let from = if let Stmt::ImportFrom { module: Some(module), level: 0, .. } = stmt {
            Some(format!("{module}."))
        } else {
            matches!(stmt, Stmt::Import(_)).then(String::new)
        };
        for alias in names {
            let Some(name) = alias.binds() else {
                self.state.iter_mut().for_each(|state| state.doubt_all());
                continue;
            };
            let is_first = alias.asname.is_none() && from.as_deref() == Some("");
            let path = from
                .as_ref()
                .map(|from| if is_first { name.to_string() } else { format!("{from}{}", alias.name) });
            self.bind_name(&name, path.map_or(Value::Unknown, |path| Value::Import(path.into())));
        }
    }

    fn returns(&mut self, value: Option<ExprId>) {
        let found = value.map_or(Value::None, |value| self.expr(value));
        self.returned = Some(match self.returned.take() {
            Some(before) => before.join(&found),
            None => found,
        });
        self.state = None;
    }

    fn delete(&mut self, target: ExprId) {
        if let Some(name) = name_of(&self.module().tree, target) {
            self.read(name, target);
            if let (Some(number), Some(state)) = (self.locals.number(name), &mut self.state) {
                state.set(&self.locals, number, Slot::unbound());
            }
        } else {
            self.module().tree[target].each_expr(&mut |&child| drop(self.expr(child)));
        }
    }

    fn assert(&mut self, test: ExprId, msg: Option<ExprId>) {
        let truth = self.expr(test).truth();
        let (yes, no) = self.told_apart(test, truth);
        self.state = no;
        if let Some(msg) = msg.filter(|_| self.state.is_some()) {
            self.expr(msg);
        }
        self.state = yes;
    }

    /// A call for its effects: one that is not known may never come back.
    fn expression_statement(&mut self, value: ExprId) {
        let found = self.expr(value);
        let is_call = matches!(self.module().tree[value], Expr::Call { .. });
        if is_call && self.nested > 0 && found == Value::Unknown && !self.comes_back(value) {
            self.state.iter_mut().for_each(|state| state.doubt_absent());
        }
    }

    fn leave(&mut self, way: impl FnOnce(&mut Exits) -> &mut Flow) {
        let state = self.state.take();
        let locals = self.locals.clone();
        if let Some(exits) = self.loops.last_mut() {
            let out = way(exits);
            *out = meet(out.take(), state, &locals, &NameSet::new());
        }
    }

    /// The states in which a test has been true and false.
    pub(super) fn told_apart(&mut self, test: ExprId, truth: Option<bool>) -> (Flow, Flow) {
        self.doubt(test);
        self.parted(truth)
    }

    /// Nothing is said of names that a test may be about.
    pub(super) fn doubt(&mut self, test: ExprId) {
        let read = self.read_by(test);
        if let Some(state) = &mut self.state {
            state.doubt(&self.locals, &read);
        }
    }

    /// The states in which a test of this truth has been true and false.
    pub(super) fn parted(&mut self, truth: Option<bool>) -> (Flow, Flow) {
        let state = self.state.take();
        match truth {
            Some(true) => (state, None),
            Some(false) => (None, state),
            None => (state.clone(), state),
        }
    }

    /// True if a tensor surely decides.
    pub(super) fn is_staged(&self, test: &Value) -> bool {
        matches!(test, Value::Tensor(_))
    }

    /// Follows statements that are executed on some paths only.
    pub(super) fn branch(&mut self, body: &[StmtId]) {
        self.nested += 1;
        self.body(body);
        self.nested -= 1;
    }

    fn if_(&mut self, test: ExprId, body: &[StmtId], orelse: &[StmtId]) {
        let found = self.expr(test);
        let staged = u32::from(self.is_staged(&found));
        let read = self.read_by(test);
        let (yes, no) = self.told_apart(test, found.truth());
        self.depth += staged;
        self.state = yes;
        self.branch(body);
        let after = std::mem::replace(&mut self.state, no);
        self.branch(orelse);
        self.depth -= staged;
        self.state = meet(after, self.state.take(), &self.locals, &read);
    }

    fn match_(&mut self, subject: ExprId, cases: &[Case]) {
        self.expr(subject);
        let mut read = self.read_by(subject);
        let before = self.state.clone();
        let mut after: Flow = None;
        let mut exhaustive = false;
        for case in cases {
            self.state = before.clone();
            case.pattern.each_capture(&mut |name| self.bind_name(name, Value::Unknown));
            if let Some(guard) = case.guard {
                self.expr(guard);
                read.extend(self.read_by(guard));
            }
            self.branch(&case.body);
            after = meet(after, self.state.take(), &self.locals, &read);
            exhaustive |= case.guard.is_none() && case.pattern.is_irrefutable();
        }
        let mut rest = before.filter(|_| !exhaustive);
        // Nobody says that there are other values than those of the cases.
        rest.iter_mut().for_each(|state| state.doubt_all());
        self.state = meet(after, rest, &self.locals, &read);
    }

    fn augmented(&mut self, target: ExprId, op: Operator, value: ExprId) {
        let before = self.expr(target);
        let right = self.expr(value);
        let found = self.binary(op, &before, &right, target, value, target);
        if name_of(&self.module().tree, target).is_some() {
            self.assign(target, found, None);
        }
    }

    /// Gives a target a value.
    pub(super) fn assign(&mut self, target: ExprId, value: Value, from: Option<ExprId>) {
        let tree = &self.module().tree;
        if let Expr::Name(name) = &tree[target] {
            self.bind_name(name, value);
        } else if let Expr::Tuple(targets) | Expr::List(targets) = &tree[target] {
            self.unpack(targets, &value);
        } else if let Expr::Starred(target) = &tree[target] {
            self.assign(*target, Value::Unknown, None);
        } else if let Expr::Subscript { value: base, index } = &tree[target] {
            self.store(*base, *index, &value, from);
        } else if let Expr::Attribute { value: base, .. } = &tree[target] {
            self.expr(*base);
        }
    }

    fn unpack(&mut self, targets: &[ExprId], value: &Value) {
        let is_plain = targets.iter().all(|&target| !matches!(self.module().tree[target], Expr::Starred(_)));
        let items = value.items().filter(|items| is_plain && items.len() == targets.len()).cloned();
        let each = self.item_of(value);
        for (i, &target) in targets.iter().enumerate() {
            self.assign(target, items.as_ref().map_or_else(|| each.clone(), |items| items[i].clone()), None);
        }
    }

    /// Gives a name of the function a value; a name from elsewhere is none of its own.
    pub(super) fn bind_name(&mut self, name: &str, value: Value) {
        if let (Some(number), Some(state)) = (self.locals.number(name), &mut self.state) {
            state.set(&self.locals, number, Slot::of(value.named()));
        } else {
            self.kept_outside(name, &value);
        }
    }

    /// The value of a name, which is said to have none where it has none.
    pub(super) fn read(&mut self, name: &gw_syntax::Name, at: ExprId) -> Value {
        if let Some((_, value)) = self.inner.iter().rev().find(|(inner, _)| inner == name) {
            return value.clone();
        }
        let Some(number) = self.locals.number(name) else { return self.outer(name) };
        let Some(state) = &mut self.state else { return Value::Unknown };
        let slot = state.slot(number).clone();
        if matches!(slot.bound, Bound::No | Bound::Maybe) {
            if self.checker.quiet == 0 {
                state.set(&self.locals, number, Slot { bound: Bound::Doubt, ..slot.clone() });
            }
            self.unbound(name, at, slot.bound);
        }
        slot.value
    }

    /// A name that is not the function's own.
    fn outer(&mut self, name: &gw_syntax::Name) -> Value {
        let module = self.module();
        let mut around = self.function.and_then(|id| module.functions[id].around);
        while let Some(id) = around {
            if self.checker.locals_of(id).number(name).is_some() {
                return Value::Unknown;
            }
            around = module.functions[id].around;
        }
        self.checker.global(name)
    }
}
