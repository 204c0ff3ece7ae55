//! `f(self.rate * self.rates["a"])` ⇒ `self.rate`, `self.rates['a']`: what a function reads of names.
//!
//! A local name for something is that thing: after `s = self`, `for layer in s.layers: layer.w` reads `self.layers[…].w`.
//! The order of several assignments of a name is ignored: everything that is read is listed, and all that is listed may be read.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use gw_syntax::{Body, Clause, CmpOp, Constant, Expr, ExprId, FPart, Keyword, Name, Stmt, Tree};

mod handed;
mod names;

use names::{Named, Names};

/// A name, and what is read of it one after the other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain {
    /// The name.
    pub root: Name,
    /// `self.rates["a"]` reads `rates`, then `"a"`.
    pub steps: Vec<Step>,
}

/// One thing that is read of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// `.name`
    Attribute(Name),
    /// `["text"]`
    Text(Name),
    /// `[number]`
    Number(i64),
    /// Any of its items: `[index]`, `for … in`.
    Each,
    /// Any of its attributes: `getattr` with a name that is computed, `dir`.
    Any,
    /// `.get("text")`, `getenv("text")`
    Get(Name),
    /// The result of a call of it.
    Result,
    /// `.name = …`, `.name += …`, `del .name`; any of its attributes where the name is empty.
    Store(Name),
    /// Nothing yet: it is handed to a call, named otherwise, put into a container or compared by `is`. The last step.
    Given,
    /// Nothing yet, and no text shows where it is read: it is put into an attribute or an item, or into a container that is written
    /// out. The last step.
    Kept,
}

/// An argument of a call: `callee(…, given, …)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passed {
    /// Function that is called.
    pub callee: Chain,
    /// Parameter that takes the argument.
    pub to: Parameter,
    /// Argument.
    pub given: Chain,
}

/// A parameter as a call names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Parameter {
    /// By its position.
    At(usize),
    /// By its name.
    Named(Name),
}

/// Reads of names by a function, each once.
#[derive(Debug, Default)]
pub struct Reads {
    /// The chains. `x` is not listed where `x.a` is, unless it is used as a whole too.
    pub chains: Vec<Chain>,
    /// Arguments of functions that are called.
    pub passed: Vec<Passed>,
    /// The returned values.
    pub returned: Vec<Chain>,
    /// The yielded values.
    pub yielded: Vec<Chain>,
}

/// The root of what `globals()` gives.
pub const GLOBALS: &str = "globals()";

/// The beginning of the root of a module that the function itself imports.
pub const IMPORTED: &str = "import ";

/// Reads of the statements of a tree, in nested functions too. An augmented assignment reads its target.
pub fn reads(tree: &Tree) -> Reads {
    let mut search = Search::empty(tree);
    search.body(&tree.body);
    search.name_displays();
    let names = Names::of(&search.names);
    let chains = search.found.iter().flat_map(|chain| names.spelled_out(chain)).collect::<BTreeSet<_>>();
    let chains = handed::with_what_calls_hand_on(chains, &search.passed, &names);
    let is_written = |chain: &Chain| !chain.root.starts_with(handed::DISPLAY);
    let passed = search.passed.iter().flat_map(|passed| {
        let given = names.spelled_out(&passed.given).into_iter().filter(is_written);
        given.map(|given| Passed { given, ..passed.clone() })
    });
    let all = |chains: &[Chain]| {
        chains.iter().flat_map(|chain| names.spelled_out(chain)).filter(is_written).collect()
    };
    let (returned, yielded) = (all(&search.returned), all(&search.yielded));
    let chains = chains.into_iter().filter(is_written).collect();
    Reads { passed: passed.collect(), chains, returned, yielded }
}

struct Search<'t> {
    tree: &'t Tree,
    /// Attributes that are only stored into or deleted.
    stored: HashSet<ExprId>,
    found: BTreeSet<Chain>,
    passed: Vec<Passed>,
    returned: Vec<Chain>,
    yielded: Vec<Chain>,
    /// Local names, and what they stand for.
    names: BTreeSet<Named>,
    /// The parameters of functions that are made inside, by name.
    made: HashMap<Name, Vec<Name>>,
    /// Expressions without a name of which something is read: containers that are written out, choices.
    displays: RefCell<BTreeSet<ExprId>>,
    /// The number of statements around the one that is looked at.
    depth: usize,
}

impl<'t> Search<'t> {
    fn empty(tree: &'t Tree) -> Self {
        let (stored, found, passed) = (HashSet::new(), BTreeSet::new(), Vec::new());
        let (returned, yielded, names, made, displays) = Default::default();
        Self { tree, stored, found, passed, returned, yielded, names, made, displays, depth: 0 }
    }

    fn body(&mut self, body: &Body) {
        for &id in body {
            let stmt = &self.tree[id];
            self.targets(stmt);
            self.bindings(stmt);
            let hands_on =
                matches!(stmt, Stmt::Assign { .. } | Stmt::AnnAssign { .. } | Stmt::AugAssign { .. });
            stmt.each_expr(&mut |&expr| if hands_on { self.given(expr) } else { self.expr(expr) });
            self.depth += 1;
            stmt.each_body(&mut |body| self.body(body));
            self.depth -= 1;
        }
    }

    fn targets(&mut self, stmt: &Stmt) {
        if let Stmt::Assign { targets, value } = stmt {
            targets.iter().for_each(|&target| self.target(target));
            targets.iter().for_each(|&target| self.name(target, *value));
            if targets.iter().any(|&target| self.is_place(target)) {
                self.kept(*value);
            }
        } else if let Stmt::Delete(targets) = stmt {
            targets.iter().for_each(|&target| self.target(target));
        } else if let Stmt::AnnAssign { target, value, .. } = stmt {
            self.target(*target);
            value.iter().for_each(|&value| self.name(*target, value));
            if self.is_place(*target) {
                value.iter().for_each(|&value| self.kept(value));
            }
        } else if let Stmt::AugAssign { target, .. } = stmt {
            self.store(*target);
        } else if let Stmt::For { target, iter, .. } = stmt {
            self.target(*target);
            self.name_items(*target, *iter);
        } else if let Stmt::With { items, .. } = stmt {
            items.iter().filter_map(|item| item.target).for_each(|target| self.target(target));
        } else if let Stmt::Return(Some(value)) = stmt {
            self.returned.extend(self.chain(*value));
        }
    }

    fn target(&mut self, id: ExprId) {
        if let Expr::Attribute { .. } | Expr::Name(_) = &self.tree[id] {
            self.stored.insert(id);
            self.store(id);
        } else if let Expr::Tuple(items) | Expr::List(items) = &self.tree[id] {
            items.iter().for_each(|&item| self.target(item));
        } else if let Expr::Starred(inner) = &self.tree[id] {
            self.target(*inner);
        }
    }

    /// A store to an attribute runs a setter if there is one.
    fn store(&mut self, target: ExprId) {
        let Expr::Attribute { value, attr } = &self.tree[target] else { return };
        let chain = self.chain(*value);
        self.found.extend(chain.map(|chain| chain.then(Step::Store(attr.clone()))));
    }

    fn expr(&mut self, id: ExprId) {
        if self.stored.contains(&id) && matches!(self.tree[id], Expr::Name(_)) {
            return;
        }
        if !self.stored.contains(&id)
            && let Some(chain) = self.chain(id)
        {
            self.found.insert(chain);
            return self.inside(id);
        }
        self.other(id);
    }

    /// An expression whose value is handed on: what is read of it is found where it goes.
    fn given(&mut self, id: ExprId) {
        if let Expr::Tuple(items) | Expr::List(items) = &self.tree[id] {
            return items.iter().for_each(|&item| {
                self.given(item);
                self.kept(item);
            });
        }
        match self.chain(id).filter(|_| !self.stored.contains(&id)) {
            Some(chain) => {
                self.found.insert(chain.then(Step::Given));
                self.inside(id);
            }
            None => self.expr(id),
        }
    }

    /// An expression whose value is put where no text follows it.
    fn kept(&mut self, id: ExprId) {
        if let Some(chain) = self.chain(id).filter(|_| !self.stored.contains(&id)) {
            self.found.insert(chain.then(Step::Kept));
        }
    }

    /// True of an attribute or an item.
    fn is_place(&self, target: ExprId) -> bool {
        matches!(&self.tree[target], Expr::Attribute { .. } | Expr::Subscript { .. })
    }

    /// An expression that is no chain.
    fn other(&mut self, id: ExprId) {
        if let Expr::Named { target, value } = &self.tree[id] {
            self.name(*target, *value);
        } else if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &self.tree[id] {
            clauses.iter().for_each(|Clause { target, iter, .. }| self.name_items(*target, *iter));
        } else if let Expr::FString(parts) = &self.tree[id] {
            self.shown_parts(parts);
        } else if let Expr::Yield(Some(value)) = &self.tree[id] {
            self.yielded.extend(self.chain(*value));
        } else if let Expr::Call { func, args, .. } = &self.tree[id]
            && let Expr::Lambda { params, .. } = &self.tree[*func]
        {
            let names: Vec<Name> = params.args.iter().map(|param| param.name.clone()).collect();
            self.given_to(&names, args, &[]);
        } else if let Expr::Compare { rest, .. } = &self.tree[id]
            && rest.iter().all(|(op, _)| matches!(op, CmpOp::Is | CmpOp::IsNot))
        {
            return self.tree[id].each_expr(&mut |&child| self.given(child));
        } else if let Expr::Attribute { value, .. } = &self.tree[id]
            && self.stored.contains(&id)
        {
            return self.given(*value);
        }
        self.tree[id].each_expr(&mut |&child| self.expr(child));
    }

    /// Visits the expression between the brackets of a chain.
    fn inside(&mut self, id: ExprId) {
        if let Expr::Attribute { value, .. } = &self.tree[id] {
            self.inside(*value);
        } else if let Expr::Subscript { value, index } = &self.tree[id] {
            self.inside(*value);
            self.expr(*index);
        } else if let Expr::Call { func, args, keywords } = &self.tree[id] {
            self.call(*func, args, keywords);
            self.inside(*func);
            let (of, rest) = args.split_at(usize::from(!args.is_empty() && self.is_attribute(*func)));
            of.iter().for_each(|&of| self.inside(of));
            let hands_on = !self.calls_what_it_is_given(*func);
            let mut arg = |arg: ExprId| if hands_on { self.given(arg) } else { self.expr(arg) };
            rest.iter().for_each(|&of| arg(of));
            keywords.iter().for_each(|keyword| arg(keyword.value));
            if let Expr::Name(name) = &self.tree[*func] {
                self.found.insert(Chain { root: name.clone(), steps: vec![Step::Given] });
            }
        } else if self.is_display(id) {
            self.given(id);
        }
    }

    /// True if a call of this reads an attribute of its first argument.
    fn is_attribute(&self, func: ExprId) -> bool {
        matches!(&self.tree[func], Expr::Name(name) if matches!(&**name, "getattr" | "hasattr" | "type" | "vars" | "dir"))
    }

    /// True if a call of this hands its arguments to another function.
    fn calls_what_it_is_given(&self, func: ExprId) -> bool {
        let (Expr::Name(last) | Expr::Attribute { attr: last, .. }) = &self.tree[func] else { return false };
        matches!(&**last, "partial" | "map" | "filter" | "reduce")
    }

    /// The values that stand in a text.
    fn shown_parts(&mut self, parts: &[FPart]) {
        for part in parts {
            if let FPart::Field { value, format, .. } = part {
                self.shown(*value);
                format.iter().for_each(|parts| self.shown_parts(parts));
            }
        }
    }

    /// A value that is made a text.
    fn shown(&mut self, id: ExprId) {
        let Some(chain) = self.chain(id) else { return };
        for way in ["__format__", "__str__", "__repr__"] {
            self.found.insert(chain.clone().then(Step::Attribute(way.into())).then(Step::Result));
        }
    }

    fn call(&mut self, func: ExprId, args: &[ExprId], keywords: &[Keyword]) {
        if let Expr::Name(name) = &self.tree[func] {
            if matches!(&**name, "str" | "repr" | "format" | "print" | "ascii") {
                args.iter().for_each(|&arg| self.shown(arg));
            }
            if let Some(params) = self.made.get(name).cloned() {
                self.given_to(&params, args, keywords);
            }
            if let ("setattr" | "delattr", [of, attribute, ..]) = (&**name, args) {
                let attribute: Name = self.text(*attribute).unwrap_or_default().into();
                let chain = self.chain(*of);
                self.found.extend(chain.map(|chain| chain.then(Step::Store(attribute))));
            }
        }
        let Some(callee) = self.chain(func) else { return };
        let last = match callee.steps.last() {
            Some(Step::Attribute(name)) => name.clone(),
            Some(_) => "".into(),
            None => callee.root.clone(),
        };
        if let (true, [inner, rest @ ..]) = (matches!(&*last, "partial" | "map" | "filter" | "reduce"), args)
        {
            let Some(inner) = self.chain(*inner) else { return };
            let each = &*last != "partial";
            let named: &[Keyword] = if each { &[] } else { keywords };
            return self.pass(&inner, rest, named, each);
        }
        self.pass(&callee, args, keywords, false);
    }

    /// The arguments of a callee; with `each`, an item of each of the arguments.
    fn pass(&mut self, callee: &Chain, args: &[ExprId], keywords: &[Keyword], each: bool) {
        let positional = args.iter().enumerate().map(|(at, &arg)| (Parameter::At(at), arg));
        let named = keywords.iter().filter_map(|k| Some((Parameter::Named(k.name.clone()?), k.value)));
        for (to, arg) in positional.chain(named) {
            let given = self.base(arg).map(|given| if each { given.then(Step::Each) } else { given });
            self.passed.extend(given.map(|given| Passed { callee: callee.clone(), to, given }));
        }
    }

    /// The chain that ends here, if it begins with a name.
    fn chain(&self, id: ExprId) -> Option<Chain> {
        if let Expr::Attribute { value, attr } = &self.tree[id] {
            return Some(self.base(*value)?.then(Step::Attribute(attr.clone())));
        }
        if let Expr::Subscript { value, index } = &self.tree[id] {
            // An item of a slice is one of the whole.
            let base = self.base(*value)?;
            return Some(if self.is_slice(*value) { base } else { base.then(self.index(*index)) });
        }
        if let Expr::Call { func, args, .. } = &self.tree[id] {
            return self.call_chain(*func, args);
        }
        let Expr::Name(root) = &self.tree[id] else { return None };
        Some(Chain { root: root.clone(), steps: Vec::new() })
    }

    /// The chain that a call is: an attribute, an item or what the call gives.
    fn call_chain(&self, func: ExprId, args: &[ExprId]) -> Option<Chain> {
        if let Expr::Name(name) = &self.tree[func] {
            let attribute =
                |of: &ExprId, name: &str| Some(self.chain(*of)?.then(Step::Attribute(name.into())));
            match (&**name, args) {
                ("getattr" | "hasattr", [of, name, ..]) => {
                    let written = self.text(*name).map(|text| Step::Attribute(text.into()));
                    return Some(self.chain(*of)?.then(written.unwrap_or(Step::Any)));
                }
                ("dir", [of]) => return Some(self.chain(*of)?.then(Step::Any)),
                ("type", [of]) => return attribute(of, "__class__"),
                ("vars", [of]) => return attribute(of, "__dict__"),
                ("globals", []) => return Some(Chain { root: GLOBALS.into(), steps: Vec::new() }),
                (..) => {}
            }
        }
        if let (Expr::Call { func: maker, args: read, .. }, [of]) = (&self.tree[func], args)
            && let Some(steps) = self.read_by(*maker, read)
        {
            return Some(Chain { steps: [self.chain(*of)?.steps, steps].concat(), ..self.chain(*of)? });
        }
        let key = args.first().and_then(|&key| self.text(key));
        let mut chain = self.chain(func)?;
        let last = match chain.steps.last() {
            Some(Step::Attribute(name)) => name.clone(),
            Some(_) => return Some(chain.then(Step::Result)),
            None => chain.root.clone(),
        };
        match (&*last, key) {
            ("get", Some(key)) if !chain.steps.is_empty() => {
                chain.steps.pop();
                Some(chain.then(Step::Get(key.into())))
            }
            ("getenv", Some(key)) => Some(chain.then(Step::Get(key.into()))),
            (..) => Some(chain.then(Step::Result)),
        }
    }

    /// Reads of `operator.attrgetter("a.b")` and its kin in their arguments.
    fn read_by(&self, maker: ExprId, read: &[ExprId]) -> Option<Vec<Step>> {
        let (Expr::Name(name) | Expr::Attribute { attr: name, .. }) = &self.tree[maker] else { return None };
        let [first, rest @ ..] = read else { return None };
        let attributes = |path: &str| path.split('.').map(|name| Step::Attribute(name.into())).collect();
        match (&**name, self.text(*first)) {
            ("attrgetter" | "methodcaller", None) => Some(vec![Step::Any]),
            ("attrgetter", Some(_)) if !rest.is_empty() => Some(vec![Step::Any]),
            ("attrgetter", Some(path)) => Some(attributes(path)),
            ("methodcaller", Some(name)) => Some(vec![Step::Attribute(name.into()), Step::Result]),
            ("itemgetter", _) if !rest.is_empty() => Some(vec![Step::Each]),
            ("itemgetter", _) => Some(vec![self.index(*first)]),
            (..) => None,
        }
    }

    fn index(&self, id: ExprId) -> Step {
        if let Some(text) = self.text(id) {
            return Step::Text(text.into());
        }
        if let Expr::Constant(Constant::Int(digits)) = &self.tree[id] {
            return digits.parse().map_or(Step::Each, Step::Number);
        }
        Step::Each
    }

    fn is_slice(&self, id: ExprId) -> bool {
        let Expr::Subscript { index, .. } = &self.tree[id] else { return false };
        matches!(&self.tree[*index], Expr::Slice { .. })
    }

    fn text(&self, id: ExprId) -> Option<&str> {
        let Expr::Constant(Constant::Str(text)) = &self.tree[id] else { return None };
        Some(text)
    }
}

impl Chain {
    fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.root)?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Attribute(name) => write!(f, ".{name}"),
            Step::Text(text) => write!(f, "['{text}']"),
            Step::Number(number) => write!(f, "[{number}]"),
            Step::Each => f.write_str("[…]"),
            Step::Any => f.write_str(".…"),
            Step::Get(text) => write!(f, ".get('{text}')"),
            Step::Result => f.write_str("()"),
            Step::Store(name) => write!(f, ".{name}="),
            Step::Given => f.write_str("→"),
            Step::Kept => f.write_str("→|"),
        })
    }
}

#[cfg(test)]
mod tests;
