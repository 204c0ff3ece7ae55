//! Expressions as Python text.

use crate::node::*;
use crate::precedence::{Level, level, operator};
use crate::to_source::Writer;
use crate::tree::ExprId;

impl Writer<'_> {
    /// An expression where one at least as tight as `least` can stand bare.
    pub(crate) fn expr(&mut self, id: ExprId, least: Level) {
        let expr = &self.tree[id];
        let bare = level(expr) >= least;
        if !bare {
            self.out.push('(');
        }
        self.bare(expr);
        if !bare {
            self.out.push(')');
        }
    }

    /// Expressions with commas between.
    pub(crate) fn list(&mut self, items: &[ExprId]) {
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.item(item);
        }
    }

    /// An element, argument or index: `*x` can stand here, a tuple cannot.
    pub(crate) fn item(&mut self, id: ExprId) {
        let least = if matches!(self.tree[id], Expr::Starred(_)) { Level::Tuple } else { Level::Test };
        self.expr(id, least);
    }

    fn tuple(&mut self, items: &[ExprId]) {
        self.list(items);
        if items.len() == 1 {
            self.out.push(',');
        }
    }

    fn bare(&mut self, expr: &Expr) {
        match expr {
            Expr::BoolOp { op, values } => {
                let least = level(expr).above();
                self.separated(values, &format!(" {} ", op.text()), least);
            }
            expr @ Expr::Named { .. } => self.named(expr),
            Expr::BinOp { left, op, right } => self.binary(*left, *op, *right),
            Expr::UnaryOp { op: UnaryOp::Not, operand } => {
                self.out.push_str("not ");
                self.expr(*operand, Level::Not);
            }
            Expr::UnaryOp { op, operand } => {
                self.out.push_str(op.text());
                self.expr(*operand, Level::Factor);
            }
            expr @ Expr::Lambda { .. } => self.lambda(expr),
            expr @ Expr::IfExp { .. } => self.if_exp(expr),
            Expr::Dict(items) => self.dict(items),
            Expr::Set(items) => self.enclosed("{", items, "}"),
            Expr::List(items) => self.enclosed("[", items, "]"),
            Expr::Tuple(items) if items.is_empty() => self.out.push_str("()"),
            Expr::Tuple(items) => self.tuple(items),
            expr @ Expr::Comp { .. } => self.comp(expr),
            expr @ Expr::DictComp { .. } => self.dict_comp(expr),
            Expr::Await(value) => {
                self.out.push_str("await ");
                self.expr(*value, Level::Atom);
            }
            Expr::Yield(None) => self.out.push_str("yield"),
            Expr::Yield(Some(value)) => {
                self.out.push_str("yield ");
                self.expr(*value, Level::Tuple);
            }
            Expr::YieldFrom(value) => {
                self.out.push_str("yield from ");
                self.expr(*value, Level::Test);
            }
            expr @ Expr::Compare { .. } => self.compare(expr),
            Expr::Call { func, args, keywords } => self.call(*func, args, keywords),
            Expr::FString(parts) => self.fstring(parts),
            Expr::Constant(constant) => self.out.push_str(&constant_text(constant)),
            expr @ Expr::Attribute { .. } => self.attribute(expr),
            Expr::Subscript { value, index } => {
                self.expr(*value, Level::Atom);
                self.out.push('[');
                self.index(*index);
                self.out.push(']');
            }
            Expr::Starred(value) => {
                self.out.push('*');
                self.expr(*value, Level::BitOr);
            }
            Expr::Name(name) => self.out.push_str(name),
            Expr::Slice { lower, upper, step } => self.slice(*lower, *upper, *step),
        }
    }

    fn lambda(&mut self, expr: &Expr) {
        let Expr::Lambda { params, body, .. } = expr else { return };
        self.out.push_str("lambda");
        if params.all().next().is_some() {
            self.out.push(' ');
        }
        self.params(params);
        self.out.push_str(": ");
        self.expr(*body, Level::Test);
    }

    fn if_exp(&mut self, expr: &Expr) {
        let Expr::IfExp { test, body, orelse } = expr else { return };
        self.expr(*body, Level::Or);
        self.out.push_str(" if ");
        self.expr(*test, Level::Or);
        self.out.push_str(" else ");
        self.expr(*orelse, Level::Test);
    }

    fn comp(&mut self, expr: &Expr) {
        let Expr::Comp { kind, element, clauses } = expr else { return };
        let (open, close) = match kind {
            CompKind::List => ('[', ']'),
            CompKind::Set => ('{', '}'),
            CompKind::Generator => ('(', ')'),
        };
        self.out.push(open);
        self.expr(*element, Level::Test);
        self.clauses(clauses);
        self.out.push(close);
    }

    fn dict_comp(&mut self, expr: &Expr) {
        let Expr::DictComp { key, value, clauses } = expr else { return };
        self.out.push('{');
        self.expr(*key, Level::Test);
        self.out.push_str(": ");
        self.expr(*value, Level::Test);
        self.clauses(clauses);
        self.out.push('}');
    }

    fn compare(&mut self, expr: &Expr) {
        let Expr::Compare { left, rest } = expr else { return };
        self.expr(*left, Level::BitOr);
        for (op, right) in rest {
            self.out.push_str(&format!(" {} ", op.text()));
            self.expr(*right, Level::BitOr);
        }
    }

    fn attribute(&mut self, expr: &Expr) {
        let Expr::Attribute { value, attr } = expr else { return };
        let number = matches!(self.tree[*value], Expr::Constant(Constant::Int(_) | Constant::Float(_)));
        if number {
            self.out.push('(');
        }
        self.expr(*value, Level::Atom);
        self.out.push_str(if number { ")." } else { "." });
        self.out.push_str(attr);
    }

    fn named(&mut self, expr: &Expr) {
        let Expr::Named { target, value } = expr else { return };
        self.expr(*target, Level::Atom);
        self.out.push_str(" := ");
        self.expr(*value, Level::Test);
    }

    fn separated(&mut self, items: &[ExprId], between: &str, least: Level) {
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(between);
            }
            self.expr(item, least);
        }
    }

    fn enclosed(&mut self, open: &str, items: &[ExprId], close: &str) {
        self.out.push_str(open);
        self.list(items);
        self.out.push_str(close);
    }

    fn binary(&mut self, left: ExprId, op: Operator, right: ExprId) {
        let here = operator(op);
        let power = op == Operator::Pow;
        self.expr(left, if power { Level::Await } else { here });
        self.out.push_str(&if power { "**".to_owned() } else { format!(" {} ", op.text()) });
        self.expr(right, if power { Level::Factor } else { here.above() });
    }

    fn dict(&mut self, items: &[(Option<ExprId>, ExprId)]) {
        self.out.push('{');
        for (i, (key, value)) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            match key {
                Some(key) => {
                    self.expr(*key, Level::Test);
                    self.out.push_str(": ");
                    self.expr(*value, Level::Test);
                }
                None => {
                    self.out.push_str("**");
                    self.expr(*value, Level::BitOr);
                }
            }
        }
        self.out.push('}');
    }

    fn clauses(&mut self, clauses: &[Clause]) {
        for clause in clauses {
            self.out.push_str(if clause.is_async { " async for " } else { " for " });
            self.target(clause.target);
            self.out.push_str(" in ");
            self.expr(clause.iter, Level::Or);
            for &test in &clause.ifs {
                self.out.push_str(" if ");
                self.expr(test, Level::Or);
            }
        }
    }

    /// A target of `for` or `=`: a tuple needs no parentheses here.
    pub(crate) fn target(&mut self, id: ExprId) {
        self.expr(id, if matches!(self.tree[id], Expr::Tuple(_)) { Level::Tuple } else { Level::Test });
    }

    fn call(&mut self, func: ExprId, args: &[ExprId], keywords: &[Keyword]) {
        self.expr(func, Level::Atom);
        if let ([only], []) = (args, keywords)
            && matches!(self.tree[*only], Expr::Comp { kind: CompKind::Generator, .. })
        {
            return self.expr(*only, Level::Any);
        }
        self.out.push('(');
        self.list(args);
        for (i, keyword) in keywords.iter().enumerate() {
            if i + args.len() > 0 {
                self.out.push_str(", ");
            }
            self.keyword(keyword);
        }
        self.out.push(')');
    }

    pub(crate) fn keyword(&mut self, keyword: &Keyword) {
        match &keyword.name {
            Some(name) => {
                self.out.push_str(name);
                self.out.push('=');
            }
            None => self.out.push_str("**"),
        }
        self.expr(keyword.value, Level::Test);
    }

    fn index(&mut self, id: ExprId) {
        let Expr::Tuple(items) = &self.tree[id] else { return self.index_item(id) };
        if items.is_empty() {
            return self.out.push_str("()");
        }
        for (i, &item) in items.iter().enumerate() {
            if i > 0 {
                self.out.push_str(", ");
            }
            self.index_item(item);
        }
        if items.len() == 1 {
            self.out.push(',');
        }
    }

    fn index_item(&mut self, id: ExprId) {
        if let Expr::Slice { lower, upper, step } = self.tree[id] {
            self.slice(lower, upper, step);
        } else {
            self.item(id);
        }
    }

    fn slice(&mut self, lower: Option<ExprId>, upper: Option<ExprId>, step: Option<ExprId>) {
        lower.into_iter().for_each(|id| self.expr(id, Level::Test));
        self.out.push(':');
        upper.into_iter().for_each(|id| self.expr(id, Level::Test));
        if let Some(step) = step {
            self.out.push(':');
            self.expr(step, Level::Test);
        }
    }

    fn fstring(&mut self, parts: &[FPart]) {
        self.out.push_str("f\"");
        self.fparts(parts, false);
        self.out.push('"');
    }

    /// Inside a format, braces of literal text cannot be doubled, so they are written by their code.
    fn fparts(&mut self, parts: &[FPart], in_format: bool) {
        for part in parts {
            match part {
                FPart::Literal(text) if in_format => {
                    self.out.push_str(&escape(text, '"').replace('{', "\\x7b").replace('}', "\\x7d"));
                }
                FPart::Literal(text) => {
                    self.out.push_str(&escape(text, '"').replace('{', "{{").replace('}', "}}"));
                }
                FPart::Field { value, conversion, format, .. } => {
                    self.field(*value, *conversion, format.as_deref());
                }
            }
        }
    }

    fn field(&mut self, value: ExprId, conversion: Option<char>, format: Option<&[FPart]>) {
        self.out.push('{');
        let start = self.out.len();
        let loose = matches!(self.tree[value], Expr::Lambda { .. });
        self.expr(value, if loose { Level::Or } else { Level::Test });
        if self.out[start..].starts_with('{') {
            self.out.insert(start, ' ');
        }
        if let Some(conversion) = conversion {
            self.out.push('!');
            self.out.push(conversion);
        }
        if let Some(format) = format {
            self.out.push(':');
            self.fparts(format, true);
        }
        self.out.push('}');
    }
}

/// A constant as Python writes it.
fn constant_text(constant: &Constant) -> String {
    match constant {
        Constant::None => "None".into(),
        Constant::Bool(true) => "True".into(),
        Constant::Bool(false) => "False".into(),
        Constant::Ellipsis => "...".into(),
        Constant::Int(digits) => digits.clone(),
        Constant::Float(value) => float_text(*value),
        Constant::Complex { imag, .. } => format!("{}j", float_text(*imag)),
        Constant::Str(text) => quoted(text),
        Constant::Written(text) => format!("({text})"),
        Constant::Bytes(bytes) => {
            let text: String = bytes.iter().map(|&b| escape_byte(b)).collect();
            format!("b'{text}'")
        }
    }
}

/// `1e16`, not `10000000000000000`; an overflowing literal stays one.
fn float_text(value: f64) -> String {
    if value.is_infinite() { "1e999".into() } else { format!("{value:?}") }
}

fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    format!("{quote}{}{quote}", escape(text, quote))
}

fn escape(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_control() => out.push_str(&format!("\\U{:08x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

fn escape_byte(byte: u8) -> String {
    match byte {
        b'\\' => "\\\\".into(),
        b'\'' => "\\'".into(),
        b' '..=b'~' => (byte as char).into(),
        _ => format!("\\x{byte:02x}"),
    }
}
