//! A tree as readable Python, which reads back as the same tree.

use crate::node::*;
use crate::precedence::Level;
use crate::tree::{Body, ExprId, StmtId, Tree};

/// The whole tree as Python text.
pub fn to_source(tree: &Tree) -> String {
    let mut writer = Writer { tree, out: String::new(), indent: 0 };
    tree.body.iter().for_each(|&stmt| writer.stmt(stmt));
    writer.out
}

/// One statement as Python text, a function usually.
pub fn function_to_source(tree: &Tree, stmt: StmtId) -> String {
    let mut writer = Writer { tree, out: String::new(), indent: 0 };
    writer.stmt(stmt);
    writer.out
}

/// One expression as Python text.
pub fn expr_to_source(tree: &Tree, expr: ExprId) -> String {
    let mut writer = Writer { tree, out: String::new(), indent: 0 };
    writer.expr(expr, Level::Tuple);
    writer.out
}

pub(crate) struct Writer<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) out: String,
    indent: usize,
}

impl Writer<'_> {
    fn line(&mut self, start: &str) {
        self.out.push_str(&"    ".repeat(self.indent));
        self.out.push_str(start);
    }

    /// `:` and an indented body.
    fn body(&mut self, body: &Body) {
        self.out.push_str(":\n");
        self.indent += 1;
        body.iter().for_each(|&stmt| self.stmt(stmt));
        if body.is_empty() {
            self.line("pass\n");
        }
        self.indent -= 1;
    }

    fn orelse(&mut self, body: &Body) {
        if !body.is_empty() {
            self.line("else");
            self.body(body);
        }
    }

    /// The rest of a line that ends in an expression.
    fn ending(&mut self, value: ExprId) {
        self.expr(value, Level::Tuple);
        self.out.push('\n');
    }

    fn stmt(&mut self, id: StmtId) {
        match &self.tree[id] {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Return(value) => self.word("return", *value),
            Stmt::Delete(targets) => {
                self.line("del ");
                self.list(targets);
                self.out.push('\n');
            }
            stmt @ Stmt::Assign { .. } => self.assign(stmt),
            stmt @ Stmt::TypeAlias { .. } => self.type_alias(stmt),
            Stmt::AugAssign { target, op, value } => {
                self.line("");
                self.expr(*target, Level::Atom);
                self.out.push_str(&format!(" {}= ", op.text()));
                self.ending(*value);
            }
            Stmt::AnnAssign { target, annotation, value, simple } => {
                self.annotated(*target, *annotation, *value, *simple);
            }
            stmt @ Stmt::For { .. } => self.for_(stmt),
            Stmt::While { test, body, orelse } => {
                self.line("while ");
                self.expr(*test, Level::Tuple);
                self.body(body);
                self.orelse(orelse);
            }
            Stmt::If { test, body, orelse } => self.if_("if ", *test, body, orelse),
            Stmt::With { is_async, items, body } => self.with(*is_async, items, body),
            Stmt::Match { subject, cases } => self.match_(*subject, cases),
            stmt @ Stmt::Raise { .. } => self.raise(stmt),
            stmt @ Stmt::Try { .. } => self.try_(stmt),
            stmt @ Stmt::Assert { .. } => self.assert(stmt),
            Stmt::Import(names) => {
                self.line("import ");
                self.aliases(names);
            }
            stmt @ Stmt::ImportFrom { .. } => self.import_from(stmt),
            Stmt::Global(names) => self.line(&format!("global {}\n", names.join(", "))),
            Stmt::Nonlocal(names) => self.line(&format!("nonlocal {}\n", names.join(", "))),
            Stmt::Expr(value) => self.expression(value),
            Stmt::Pass => self.line("pass\n"),
            Stmt::Break => self.line("break\n"),
            Stmt::Continue => self.line("continue\n"),
        }
    }

    fn for_(&mut self, stmt: &Stmt) {
        let Stmt::For { is_async, target, iter, guard, body, orelse } = stmt else { return };
        self.line(if *is_async { "async for " } else { "for " });
        self.target(*target);
        self.out.push_str(" in ");
        self.expr(*iter, Level::Tuple);
        self.body(body);
        if let Some(guard) = guard {
            self.indent += 1;
            self.line("# goes on while ");
            self.ending(*guard);
            self.indent -= 1;
        }
        self.orelse(orelse);
    }

    fn try_(&mut self, stmt: &Stmt) {
        let Stmt::Try { body, handlers, orelse, finalbody, is_star } = stmt else { return };
        self.line("try");
        self.body(body);
        handlers.iter().for_each(|handler| self.handler(handler, *is_star));
        self.orelse(orelse);
        if !finalbody.is_empty() {
            self.line("finally");
            self.body(finalbody);
        }
    }

    fn raise(&mut self, stmt: &Stmt) {
        let Stmt::Raise { exc, cause } = stmt else { return };
        self.line("raise");
        for (word, value) in [(" ", exc), (" from ", cause)] {
            if let Some(value) = value {
                self.out.push_str(word);
                self.expr(*value, Level::Test);
            }
        }
        self.out.push('\n');
    }

    fn assert(&mut self, stmt: &Stmt) {
        let Stmt::Assert { test, msg } = stmt else { return };
        self.line("assert ");
        self.expr(*test, Level::Test);
        if let Some(msg) = msg {
            self.out.push_str(", ");
            self.expr(*msg, Level::Test);
        }
        self.out.push('\n');
    }

    fn import_from(&mut self, stmt: &Stmt) {
        let Stmt::ImportFrom { module, names, level } = stmt else { return };
        self.line("from ");
        self.out.push_str(&".".repeat(*level as usize));
        self.out.push_str(module.as_deref().unwrap_or(""));
        self.out.push_str(" import ");
        self.aliases(names);
    }

    fn assign(&mut self, stmt: &Stmt) {
        let Stmt::Assign { targets, value } = stmt else { return };
        self.line("");
        for &target in targets {
            self.target(target);
            self.out.push_str(" = ");
        }
        self.ending(*value);
    }

    fn type_alias(&mut self, stmt: &Stmt) {
        let Stmt::TypeAlias { name, type_params, value } = stmt else { return };
        self.line("type ");
        self.expr(*name, Level::Atom);
        self.type_params(type_params);
        self.out.push_str(" = ");
        self.ending(*value);
    }

    fn expression(&mut self, value: &ExprId) {
        self.line("");
        let is_yield = matches!(self.tree[*value], Expr::Yield(_) | Expr::YieldFrom(_));
        self.expr(*value, if is_yield { Level::Any } else { Level::Tuple });
        self.out.push('\n');
    }

    fn word(&mut self, word: &str, value: Option<ExprId>) {
        self.line(word);
        match value {
            Some(value) => {
                self.out.push(' ');
                self.ending(value);
            }
            None => self.out.push('\n'),
        }
    }

    fn annotated(&mut self, target: ExprId, annotation: ExprId, value: Option<ExprId>, simple: bool) {
        self.line("");
        let parenthesized = !simple && matches!(self.tree[target], Expr::Name(_));
        if parenthesized {
            self.out.push('(');
        }
        self.expr(target, Level::Atom);
        self.out.push_str(if parenthesized { "): " } else { ": " });
        self.expr(annotation, Level::Test);
        if let Some(value) = value {
            self.out.push_str(" = ");
            self.expr(value, Level::Tuple);
        }
        self.out.push('\n');
    }

    fn if_(&mut self, word: &str, test: ExprId, body: &Body, orelse: &Body) {
        self.line(word);
        self.expr(test, Level::Tuple);
        self.body(body);
        if let [only] = orelse[..]
            && let Stmt::If { test, body, orelse } = &self.tree[only]
        {
            return self.if_("elif ", *test, body, orelse);
        }
        self.orelse(orelse);
    }

    fn with(&mut self, is_async: bool, items: &[WithItem], body: &Body) {
        self.line(if is_async { "async with " } else { "with " });
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.expr(item.context, Level::Test);
            if let Some(target) = item.target {
                self.out.push_str(" as ");
                self.expr(target, Level::Test);
            }
        }
        self.body(body);
    }

    fn match_(&mut self, subject: ExprId, cases: &[Case]) {
        self.line("match ");
        self.expr(subject, Level::Tuple);
        self.out.push_str(":\n");
        self.indent += 1;
        for case in cases {
            self.line("case ");
            self.pattern(&case.pattern, true);
            if let Some(guard) = case.guard {
                self.out.push_str(" if ");
                self.expr(guard, Level::Tuple);
            }
            self.body(&case.body);
        }
        self.indent -= 1;
    }

    fn handler(&mut self, handler: &Handler, is_star: bool) {
        self.line(if is_star { "except*" } else { "except" });
        if let Some(kind) = handler.kind {
            self.out.push(' ');
            self.expr(kind, Level::Test);
        }
        if let Some(name) = &handler.name {
            self.out.push_str(&format!(" as {name}"));
        }
        self.body(&handler.body);
    }

    fn aliases(&mut self, names: &[Alias]) {
        let one = |alias: &Alias| match &alias.asname {
            Some(asname) => format!("{} as {asname}", alias.name),
            None => alias.name.to_string(),
        };
        let text: Vec<String> = names.iter().map(one).collect();
        self.out.push_str(&text.join(", "));
        self.out.push('\n');
    }

    fn decorators(&mut self, decorators: &[ExprId]) {
        for &decorator in decorators {
            self.line("@");
            self.ending(decorator);
        }
    }

    fn function(&mut self, function: &Function) {
        self.decorators(&function.decorators);
        self.line(if function.is_async { "async def " } else { "def " });
        self.out.push_str(&function.name);
        self.type_params(&function.type_params);
        self.out.push('(');
        self.params(&function.params);
        self.out.push(')');
        if let Some(returns) = function.returns {
            self.out.push_str(" -> ");
            self.expr(returns, Level::Test);
        }
        self.body(&function.body);
    }

    fn class(&mut self, class: &Class) {
        self.decorators(&class.decorators);
        self.line(&format!("class {}", class.name));
        self.type_params(&class.type_params);
        if !class.bases.is_empty() || !class.keywords.is_empty() {
            self.out.push('(');
            self.list(&class.bases);
            for (i, keyword) in class.keywords.iter().enumerate() {
                if i + class.bases.len() > 0 {
                    self.out.push_str(", ");
                }
                self.keyword(keyword);
            }
            self.out.push(')');
        }
        self.body(&class.body);
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        for (i, param) in params.iter().enumerate() {
            self.out.push_str(if i == 0 { "[" } else { ", " });
            self.out.push_str(match param.kind {
                TypeParamKind::TypeVar => "",
                TypeParamKind::TypeVarTuple => "*",
                TypeParamKind::ParamSpec => "**",
            });
            self.out.push_str(&param.name);
            for (word, value) in [(": ", param.bound), (" = ", param.default)] {
                if let Some(value) = value {
                    self.out.push_str(word);
                    self.item(value);
                }
            }
        }
        if !params.is_empty() {
            self.out.push(']');
        }
    }

    pub(crate) fn params(&mut self, params: &Params) {
        let mut first = true;
        let mut comma = |writer: &mut Self, prefix: &str| {
            writer.out.push_str(if first { "" } else { ", " });
            writer.out.push_str(prefix);
            first = false;
        };
        for param in &params.posonly {
            comma(self, "");
            self.param(param);
        }
        if !params.posonly.is_empty() {
            comma(self, "/");
        }
        for param in &params.args {
            comma(self, "");
            self.param(param);
        }
        if let Some(param) = &params.vararg {
            comma(self, "*");
            self.param(param);
        } else if !params.kwonly.is_empty() {
            comma(self, "*");
        }
        for param in &params.kwonly {
            comma(self, "");
            self.param(param);
        }
        if let Some(param) = &params.kwarg {
            comma(self, "**");
            self.param(param);
        }
    }

    fn param(&mut self, param: &Param) {
        self.out.push_str(&param.name);
        if let Some(annotation) = param.annotation {
            self.out.push_str(": ");
            self.item(annotation);
        }
        if let Some(default) = param.default {
            self.out.push_str(if param.annotation.is_some() { " = " } else { "=" });
            self.expr(default, Level::Test);
        }
    }

    fn patterns(&mut self, patterns: &[Pattern]) {
        for (i, pattern) in patterns.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.pattern(pattern, true);
        }
    }

    /// A pattern; `loose` where `as` and `|` need no parentheses.
    fn pattern(&mut self, pattern: &Pattern, loose: bool) {
        match &pattern.kind {
            PatternKind::Value(value) => self.expr(*value, Level::Sum),
            PatternKind::Singleton(Constant::None) => self.out.push_str("None"),
            PatternKind::Singleton(constant) => {
                self.out.push_str(if *constant == Constant::Bool(true) { "True" } else { "False" });
            }
            PatternKind::Sequence(patterns) => {
                self.out.push('[');
                self.patterns(patterns);
                self.out.push(']');
            }
            PatternKind::Mapping { items, rest } => {
                self.out.push('{');
                for (key, value) in items {
                    self.expr(*key, Level::Sum);
                    self.out.push_str(": ");
                    self.pattern(value, true);
                    self.out.push_str(", ");
                }
                rest.iter().for_each(|rest| self.out.push_str(&format!("**{rest}")));
                self.out.push('}');
            }
            PatternKind::Class { cls, args, keywords } => {
                self.expr(*cls, Level::Atom);
                self.out.push('(');
                self.patterns(args);
                for (i, (name, value)) in keywords.iter().enumerate() {
                    self.out.push_str(if i + args.len() > 0 { ", " } else { "" });
                    self.out.push_str(&format!("{name}="));
                    self.pattern(value, true);
                }
                self.out.push(')');
            }
            PatternKind::Star(name) => self.out.push_str(&format!("*{}", name.as_deref().unwrap_or("_"))),
            PatternKind::As { pattern: None, name } => self.out.push_str(name.as_deref().unwrap_or("_")),
            PatternKind::As { .. } | PatternKind::Or(_) if !loose => {
                self.out.push('(');
                self.pattern(pattern, true);
                self.out.push(')');
            }
            PatternKind::As { pattern: Some(inner), name } => {
                self.pattern(inner, matches!(inner.kind, PatternKind::Or(_)));
                self.out.push_str(&format!(" as {}", name.as_deref().unwrap_or("_")));
            }
            PatternKind::Or(patterns) => {
                for (i, one) in patterns.iter().enumerate() {
                    self.out.push_str(if i > 0 { " | " } else { "" });
                    self.pattern(one, false);
                }
            }
        }
    }
}
