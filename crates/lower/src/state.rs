//! State that flows through a block: the names it binds that matter outside it, and the attributes and items it stores into.
//!
//! `if c: x = 1; t = 2` with `x` read later ⇒ state `('x',)`; `t` stays inside. An operator finds such names in the cells
//! that the blocks share with the function. What has no cell is read and written by two functions, which stand in the
//! state too: `self.y = t` ⇒ state `(('self.y',), get_state, set_state)`.

use gw_analysis::{Activity, Facts, NameSet};
use gw_base::Span;
use gw_syntax::{Body, Constant, Expr, ExprId, Fill, Name, Stmt, StmtId, Template, Tree};

use crate::fresh::Names;

static GET: Template = Template::new("def $get_state():\n    return $state");
static SET: Template = Template::new("def $set_state($values):\n    $body");
static PEEK: Template = Template::new("$operators.peek(lambda: $read)");
/// The items of a tensor are no places of their own: what holds them is the tensor.
static HOLDER: Template = Template::new("$operators.holder($value)");
/// Items of lists do not go one by one either: what stands behind one would have its place.
static KEYED: Template = Template::new("$operators.keyed($value)");
/// An attribute that runs code of the user's is no place of its own: what flows is what the code stores into.
static FIELDS: Template = Template::new("$operators.fields($value, $name)");
static PUT: Template = Template::new("$target = $values[$index]");
/// An attribute or item that had no value has none again.
static PUT_IF: Template = Template::new(
    "if $operators.bound($values[$index]):\n    $target = $values[$index]\n\
     elif $operators.bound($operators.peek(lambda: $read)):\n    del $gone",
);
static NONLOCAL: Template = Template::new("nonlocal $names");
static GLOBAL: Template = Template::new("global $names");

/// The state of one statement.
pub struct State {
    /// Names, in the order of the alphabet, with whether they surely have a value all the time.
    simple: Vec<(Name, bool)>,
    /// Attributes and items by their text.
    composite: Vec<(String, ExprId)>,
    /// Names of the function's own that the blocks bind and that do not flow.
    pub inner: NameSet,
}

/// Facts that a block of this statement needs about the names it binds.
pub struct Block<'a> {
    /// Activity of the block.
    pub activity: &'a Activity,
    /// The state of its statement.
    pub state: &'a State,
    /// The function's facts.
    pub facts: &'a Facts,
}

/// The state of a statement whose blocks do `activity`.
pub fn state(facts: &Facts, stmt: StmtId, activity: &Activity) -> State {
    let (after, inside) = (facts.liveness.after(stmt), facts.liveness.inside(stmt));
    let own = |name: &Name| facts.scope.locals.contains(name);
    let flows = |name: &&Name| {
        !own(name) || after.contains(name) || inside.contains(name) || facts.captured.contains(*name)
    };
    let sure =
        |name: &Name| own(name) && facts.assigned.surely(stmt, name) && !activity.deletes.contains(name);
    let simple = activity.binds.iter().filter(flows).map(|name| (name.clone(), sure(name))).collect();
    let inner = activity.binds.iter().filter(|name| !flows(name)).cloned().collect();
    let fixed = activity.stores.iter().filter(|(_, store)| !activity.binds.contains(&store.root));
    let composite = fixed.map(|(text, store)| (text.clone(), store.at)).collect();
    State { simple, composite, inner }
}

impl State {
    /// Arguments of an operator: the names, and the two functions if there are places without a cell.
    pub fn argument(&self, tree: &mut Tree, names: &Names, facts: &Facts, span: Span) -> ExprId {
        let spoken = self.names(tree, span);
        if self.is_in_cells(facts) {
            return spoken;
        }
        let accessors = [&names.get_state, &names.set_state].map(|name| tree.name(span, name));
        tree.expr(span, Expr::Tuple([spoken].into_iter().chain(accessors).collect()))
    }

    /// True if every place is a variable of the function or of one around it.
    fn is_in_cells(&self, facts: &Facts) -> bool {
        self.composite.is_empty() && !self.simple.iter().any(|(name, _)| facts.scope.globals.contains(name))
    }

    fn names(&self, tree: &mut Tree, span: Span) -> ExprId {
        let simple = self.simple.iter().map(|(name, _)| name.to_string());
        let all: Vec<String> = simple.chain(self.composite.iter().map(|(text, _)| text.clone())).collect();
        let items =
            all.into_iter().map(|text| tree.expr(span, Expr::Constant(Constant::Str(text)))).collect();
        tree.expr(span, Expr::Tuple(items))
    }

    /// `get_state` and `set_state`, where they are needed.
    pub fn accessors(&self, tree: &mut Tree, names: &Names, facts: &Facts, span: Span) -> Body {
        if self.is_in_cells(facts) {
            return Body::new();
        }
        let state = self.reads(tree, names, span);
        let get = [("get_state", Fill::Name(names.get_state.clone())), ("state", Fill::Expr(state))];
        let mut out = GET.fill(tree, span, &get);
        let bound = self.simple.iter().map(|(name, _)| name.clone()).collect();
        let mut body = foreign(tree, facts, &bound, span);
        body.extend(self.writes(tree, names, span));
        let set = [
            ("set_state", Fill::Name(names.set_state.clone())),
            ("values", Fill::Name(names.values.clone())),
            ("body", Fill::Body(body)),
        ];
        out.extend(SET.fill(tree, span, &set));
        out
    }

    fn reads(&self, tree: &mut Tree, names: &Names, span: Span) -> ExprId {
        let mut items = Vec::new();
        for (name, sure) in &self.simple {
            let read = tree.name(span, name);
            items.push(if *sure { read } else { peek(tree, names, read, span) });
        }
        for &(_, at) in &self.composite {
            let read = place(tree, names, at, &HOLDER);
            items.push(peek(tree, names, read, span));
        }
        tree.expr(span, Expr::Tuple(items))
    }

    fn writes(&self, tree: &mut Tree, names: &Names, span: Span) -> Body {
        let mut out = Body::new();
        for (index, (name, _)) in self.simple.iter().enumerate() {
            let target = tree.name(span, name);
            let holes = put(tree, names, target, index, span);
            out.extend(PUT.fill(tree, span, &holes));
        }
        for (index, &(_, at)) in (self.simple.len()..).zip(&self.composite) {
            let target = tree.duplicate(at);
            let [target, value, number] = put(tree, names, target, index, span);
            let operators = ("operators", Fill::Name(names.operators.clone()));
            let read = ("read", Fill::Expr(place(tree, names, at, &KEYED)));
            let gone = ("gone", Fill::Expr(tree.duplicate(at)));
            out.extend(PUT_IF.fill(tree, span, &[target, value, number, operators, read, gone]));
        }
        out
    }
}

fn put(
    tree: &mut Tree,
    names: &Names,
    target: ExprId,
    index: usize,
    span: Span,
) -> [(&'static str, Fill); 3] {
    let index = tree.expr(span, Expr::Constant(Constant::Int(index.to_string())));
    [
        ("target", Fill::Expr(target)),
        ("values", Fill::Name(names.values.clone())),
        ("index", Fill::Expr(index)),
    ]
}

/// A read of an attribute or item, in which each item is asked of something that holds places: the last one of `holder`.
fn place(tree: &mut Tree, names: &Names, at: ExprId, holder: &'static Template) -> ExprId {
    let span = tree.expr_span(at);
    let (Expr::Attribute { value, .. } | Expr::Subscript { value, .. }) = tree[at] else {
        return tree.duplicate(at);
    };
    let value = place(tree, names, value, &HOLDER);
    let copy = tree.duplicate(at);
    let mut expr = tree[copy].clone();
    let holes = [("operators", Fill::Name(names.operators.clone())), ("value", Fill::Expr(value))];
    let held = if let Expr::Attribute { attr, .. } = &expr {
        let name = tree.expr(span, Expr::Constant(Constant::Str(attr.to_string())));
        let [operators, value] = holes;
        FIELDS.fill_expr(tree, span, &[operators, value, ("name", Fill::Expr(name))])
    } else {
        holder.fill_expr(tree, span, &holes)
    };
    if let Expr::Attribute { value, .. } | Expr::Subscript { value, .. } = &mut expr {
        *value = held;
    }
    tree.expr(span, expr)
}

fn peek(tree: &mut Tree, names: &Names, read: ExprId, span: Span) -> ExprId {
    let holes = [("operators", Fill::Name(names.operators.clone())), ("read", Fill::Expr(read))];
    PEEK.fill_expr(tree, span, &holes)
}

/// `nonlocal` and `global` for the names that belong to the function around a block.
pub fn foreign(tree: &mut Tree, facts: &Facts, bound: &NameSet, span: Span) -> Body {
    let (globals, nonlocals): (Vec<Name>, Vec<Name>) =
        bound.iter().cloned().partition(|name| facts.scope.globals.contains(name));
    let mut out = Body::new();
    for (template, names) in [(&GLOBAL, globals), (&NONLOCAL, nonlocals)] {
        if !names.is_empty() {
            out.extend(template.fill(tree, span, &[("names", Fill::Names(names))]));
        }
    }
    out
}

impl Block<'_> {
    /// A block's statements, with the declarations that make their names mean what they meant.
    pub fn body(&self, tree: &mut Tree, body: Body, span: Span) -> Body {
        let flowing = self.state.simple.iter().map(|(name, _)| name);
        let bound = flowing.filter(|name| self.activity.binds.contains(*name)).cloned().collect();
        let inner: NameSet = self.state.inner.intersection(&self.activity.binds).cloned().collect();
        let mut out = foreign(tree, self.facts, &bound, span);
        out.extend(crate::declare::missing(tree, &body, &inner, span));
        out.extend(body);
        if out.is_empty() {
            out.push(tree.stmt(span, Stmt::Pass));
        }
        out
    }
}

impl State {
    /// Lets names flow that would otherwise stay inside: a test and a body are two blocks and share what the test binds.
    pub fn keep(&mut self, names: &NameSet) {
        for name in names {
            if self.inner.remove(name) {
                self.simple.push((name.clone(), false));
            }
        }
        self.simple.sort();
    }
}
