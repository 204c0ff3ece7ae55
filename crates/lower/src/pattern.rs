//! A pattern as the expression that `gw__.match_case` is given: `[0, *r]` ⇒ `('sequence', ('value', lambda: 0), ('star', 0))`.
//!
//! A number is the slot that a value is captured in; `None` fits anything. What has to be looked up stands in a thunk,
//! because Python looks it up only when it gets there.

use gw_syntax::{Constant, Expr, ExprId, Fill, Name, Pattern, PatternKind, Template, Tree};

static THUNK: Template = Template::new("lambda: $value");

/// Rest of a pattern besides its captures of the whole subject, and the names that capture the whole subject.
pub fn captured_whole(pattern: &Pattern) -> (Option<&Pattern>, Vec<Name>) {
    let PatternKind::As { pattern: inner, name } = &pattern.kind else { return (Some(pattern), Vec::new()) };
    let (inner, mut names) = match inner {
        Some(inner) => captured_whole(inner),
        None => (None, Vec::new()),
    };
    names.extend(name.clone());
    (inner, names)
}

/// The names that a pattern binds; the alternatives of one pattern bind the same ones.
pub fn slots(pattern: &Pattern) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    pattern.each_capture(&mut |name| {
        if !found.contains(name) {
            found.push(name.clone());
        }
    });
    found
}

/// The pattern as an expression.
pub fn spec(tree: &mut Tree, pattern: &Pattern, slots: &[Name]) -> ExprId {
    Spec { tree, slots }.of(pattern)
}

struct Spec<'a> {
    tree: &'a mut Tree,
    slots: &'a [Name],
}

impl Spec<'_> {
    fn of(&mut self, pattern: &Pattern) -> ExprId {
        let (kind, parts) = match &pattern.kind {
            PatternKind::Value(value) => ("value", vec![self.thunk(*value)]),
            PatternKind::Singleton(constant) => ("is", vec![self.constant(pattern, constant.clone())]),
            PatternKind::Sequence(items) => ("sequence", self.all(items)),
            PatternKind::Mapping { items, rest } => ("mapping", self.mapping(pattern, items, rest.as_ref())),
            PatternKind::Class { cls, args, keywords } => {
                ("class", self.class(pattern, *cls, args, keywords))
            }
            PatternKind::Star(name) => ("star", vec![self.slot(pattern, name.as_ref())]),
            PatternKind::As { pattern: None, name } => return self.slot(pattern, name.as_ref()),
            PatternKind::As { pattern: Some(inner), name } => {
                ("as", vec![self.of(inner), self.slot(pattern, name.as_ref())])
            }
            PatternKind::Or(alternatives) => ("or", self.all(alternatives)),
        };
        let kind = self.text(pattern, kind);
        self.tuple(pattern, [vec![kind], parts].concat())
    }

    fn all(&mut self, patterns: &[Pattern]) -> Vec<ExprId> {
        patterns.iter().map(|one| self.of(one)).collect()
    }

    /// The slot of `**rest`, then pairs of a key and a pattern.
    fn mapping(&mut self, at: &Pattern, items: &[(ExprId, Pattern)], rest: Option<&Name>) -> Vec<ExprId> {
        let mut parts = vec![self.slot(at, rest)];
        for (key, value) in items {
            let pair = vec![self.thunk(*key), self.of(value)];
            parts.push(self.tuple(value, pair));
        }
        parts
    }

    /// The class, the patterns given by position, and pairs of an attribute and a pattern.
    fn class(
        &mut self,
        at: &Pattern,
        class: ExprId,
        args: &[Pattern],
        keywords: &[(Name, Pattern)],
    ) -> Vec<ExprId> {
        let class = self.thunk(class);
        let args = self.all(args);
        let args = self.tuple(at, args);
        let mut named = Vec::new();
        for (name, value) in keywords {
            let pair = vec![self.text(value, name), self.of(value)];
            named.push(self.tuple(value, pair));
        }
        vec![class, args, self.tuple(at, named)]
    }

    fn slot(&mut self, at: &Pattern, name: Option<&Name>) -> ExprId {
        let index = name.and_then(|name| self.slots.iter().position(|slot| slot == name));
        self.constant(at, index.map_or(Constant::None, |index| Constant::Int(index.to_string())))
    }

    fn thunk(&mut self, value: ExprId) -> ExprId {
        THUNK.fill_expr(self.tree, self.tree.expr_span(value), &[("value", Fill::Expr(value))])
    }

    fn text(&mut self, at: &Pattern, text: &str) -> ExprId {
        self.constant(at, Constant::Str(text.to_owned()))
    }

    fn constant(&mut self, at: &Pattern, constant: Constant) -> ExprId {
        self.tree.expr(at.span, Expr::Constant(constant))
    }

    fn tuple(&mut self, at: &Pattern, items: Vec<ExprId>) -> ExprId {
        self.tree.expr(at.span, Expr::Tuple(items))
    }
}
