//! `f(self.rate * self.rates["a"])` ⇒ `self.rate`, `self.rates['a']`: what a function reads of names.
//!
//! A local name for something is that thing: after `s = self`, `for layer in s.layers: layer.w` reads `self.layers[…].w`.
//! Which of several assignments of a name comes first is not asked: what is listed may be read, what is read is listed.

use std::collections::{BTreeSet, HashSet};
use std::fmt;

use gw_syntax::{Body, Clause, Constant, Expr, ExprId, Keyword, Name, Stmt, Tree};

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
    /// Any of its items: `[index]`, `for … in`, `getattr` with a name that is computed.
    Each,
    /// `.get("text")`, `getenv("text")`
    Get(Name),
    /// What a call of it gives.
    Result,
}

/// An argument of a call: `callee(…, given, …)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passed {
    /// What is called.
    pub callee: Chain,
    /// Which of its parameters it is given to.
    pub to: Parameter,
    /// What it is given.
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

/// What a function reads of names, each once.
#[derive(Debug, Default)]
pub struct Reads {
    /// The chains. `x` is not listed where `x.a` is, unless it is used as a whole too.
    pub chains: Vec<Chain>,
    /// What is given to functions that are called.
    pub passed: Vec<Passed>,
    /// What is returned.
    pub returned: Vec<Chain>,
}

/// The root of what `globals()` gives.
pub const GLOBALS: &str = "globals()";

/// What the statements of a tree read, in nested functions too. An augmented assignment reads its target.
pub fn reads(tree: &Tree) -> Reads {
    let mut search = Search::empty(tree);
    search.body(&tree.body);
    let chains = search.found.iter().flat_map(|chain| search.spelled_out(chain)).collect::<BTreeSet<_>>();
    let passed = search.passed.iter().flat_map(|passed| {
        let given = search.spelled_out(&passed.given);
        given.into_iter().map(|given| Passed { given, ..passed.clone() })
    });
    let returned = search.returned.iter().flat_map(|chain| search.spelled_out(chain)).collect();
    Reads { passed: passed.collect(), chains: chains.into_iter().collect(), returned }
}

/// So many names for a name are followed, and so many chains made of one.
const MOST_NAMES: usize = 4;
const MOST_CHAINS: usize = 64;

struct Search<'t> {
    tree: &'t Tree,
    /// Attributes that are only stored into or deleted.
    stored: HashSet<ExprId>,
    found: BTreeSet<Chain>,
    passed: Vec<Passed>,
    returned: Vec<Chain>,
    /// Local names, and what they stand for.
    names: Vec<(Name, Chain)>,
}

impl<'t> Search<'t> {
    fn empty(tree: &'t Tree) -> Self {
        let (stored, found) = (HashSet::new(), BTreeSet::new());
        Self { tree, stored, found, passed: Vec::new(), returned: Vec::new(), names: Vec::new() }
    }

    fn body(&mut self, body: &Body) {
        for &id in body {
            let stmt = &self.tree[id];
            self.targets(stmt);
            stmt.each_expr(&mut |&expr| self.expr(expr));
            stmt.each_body(&mut |body| self.body(body));
        }
    }

    fn targets(&mut self, stmt: &Stmt) {
        if let Stmt::Assign { targets, value } = stmt {
            targets.iter().for_each(|&target| self.target(target));
            targets.iter().for_each(|&target| self.name(target, *value));
        } else if let Stmt::Delete(targets) = stmt {
            targets.iter().for_each(|&target| self.target(target));
        } else if let Stmt::AnnAssign { target, value, .. } = stmt {
            self.target(*target);
            value.iter().for_each(|&value| self.name(*target, value));
        } else if let Stmt::For { target, iter, .. } = stmt {
            self.target(*target);
            self.name_items(*target, *iter);
        } else if let Stmt::With { items, .. } = stmt {
            items.iter().filter_map(|item| item.target).for_each(|target| self.target(target));
            for item in items {
                let (Some(target), Some(chain)) = (item.target, self.chain(item.context)) else { continue };
                let entered = chain.then(Step::Attribute("__enter__".into())).then(Step::Result);
                self.stands_for(target, entered);
            }
        } else if let Stmt::Return(Some(value)) = stmt {
            self.returned.extend(self.chain(*value));
        }
    }

    fn target(&mut self, id: ExprId) {
        if let Expr::Attribute { .. } | Expr::Name(_) = &self.tree[id] {
            self.stored.insert(id);
        } else if let Expr::Tuple(items) | Expr::List(items) = &self.tree[id] {
            items.iter().for_each(|&item| self.target(item));
        } else if let Expr::Starred(inner) = &self.tree[id] {
            self.target(*inner);
        }
    }

    /// `target = value`
    fn name(&mut self, target: ExprId, value: ExprId) {
        if let (Expr::Tuple(targets), Expr::Tuple(values)) = (&self.tree[target], &self.tree[value])
            && targets.len() == values.len()
        {
            targets.iter().zip(values).for_each(|(&target, &value)| self.name(target, value));
        } else if let Expr::IfExp { body, orelse, .. } = &self.tree[value] {
            self.name(target, *body);
            self.name(target, *orelse);
        } else if let Some(chain) = self.chain(value).filter(|chain| !self.is_made_of(target, chain)) {
            self.stands_for(target, chain);
        }
    }

    /// `x = x.step()`, and results of results, which would stand for more and more.
    fn is_made_of(&self, target: ExprId, chain: &Chain) -> bool {
        let calls = chain.steps.iter().filter(|step| matches!(step, Step::Result)).count();
        calls > 1 || (calls == 1 && matches!(&self.tree[target], Expr::Name(name) if *name == chain.root))
    }

    fn stands_for(&mut self, target: ExprId, chain: Chain) {
        if let Expr::Name(name) = &self.tree[target] {
            self.names.push((name.clone(), chain));
        } else if let Expr::Tuple(targets) | Expr::List(targets) = &self.tree[target] {
            targets.iter().for_each(|&target| self.stands_for(target, chain.clone().then(Step::Each)));
        }
    }

    /// `for target in iter`
    fn name_items(&mut self, target: ExprId, iter: ExprId) {
        if let Some(chain) = self.chain(iter) {
            self.stands_for(target, chain.then(Step::Each));
        }
        let Expr::Call { func, args, .. } = &self.tree[iter] else { return };
        let parts: &[ExprId] = if let Expr::Tuple(parts) = &self.tree[target] { parts } else { &[] };
        match (&self.tree[*func], parts, &args[..]) {
            (Expr::Name(name), [_, item], [of]) if &**name == "enumerate" => self.name_items(*item, *of),
            (Expr::Name(name), _, _) if &**name == "zip" => {
                parts.iter().zip(args).for_each(|(&part, &of)| self.name_items(part, of));
            }
            (Expr::Name(_), _, [of, ..]) => self.name_items(target, *of),
            (Expr::Attribute { value, attr }, [_, item], []) if &**attr == "items" => {
                self.name_items(*item, *value);
            }
            (Expr::Attribute { value, attr }, _, []) if &**attr == "values" => {
                self.name_items(target, *value);
            }
            (..) => {}
        }
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

    /// What is no chain.
    fn other(&mut self, id: ExprId) {
        if let Expr::Named { target, value } = &self.tree[id] {
            self.name(*target, *value);
        } else if let Expr::Comp { clauses, .. } | Expr::DictComp { clauses, .. } = &self.tree[id] {
            clauses.iter().for_each(|Clause { target, iter, .. }| self.name_items(*target, *iter));
        }
        self.tree[id].each_expr(&mut |&child| self.expr(child));
    }

    /// What stands between the brackets of a chain.
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
            rest.iter().for_each(|&arg| self.expr(arg));
            keywords.iter().for_each(|keyword| self.expr(keyword.value));
            if let Expr::Name(name) = &self.tree[*func] {
                self.found.insert(Chain { root: name.clone(), steps: Vec::new() });
            }
        }
    }

    /// Whether a call of this reads an attribute of its first argument.
    fn is_attribute(&self, func: ExprId) -> bool {
        matches!(&self.tree[func], Expr::Name(name) if matches!(&**name, "getattr" | "type" | "vars"))
    }

    fn call(&mut self, func: ExprId, args: &[ExprId], keywords: &[Keyword]) {
        let Some(callee) = self.chain(func) else { return };
        let positional = args.iter().enumerate().map(|(at, &arg)| (Parameter::At(at), arg));
        let named = keywords.iter().filter_map(|k| Some((Parameter::Named(k.name.clone()?), k.value)));
        for (to, arg) in positional.chain(named) {
            let given = self.chain(arg);
            self.passed.extend(given.map(|given| Passed { callee: callee.clone(), to, given }));
        }
    }

    /// The chain that ends here, if it begins with a name.
    fn chain(&self, id: ExprId) -> Option<Chain> {
        if let Expr::Attribute { value, attr } = &self.tree[id] {
            return Some(self.chain(*value)?.then(Step::Attribute(attr.clone())));
        }
        if let Expr::Subscript { value, index } = &self.tree[id] {
            return Some(self.chain(*value)?.then(self.index(*index)));
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
                ("getattr", [of, name, ..]) => {
                    let written = self.text(*name).map(|text| Step::Attribute(text.into()));
                    return Some(self.chain(*of)?.then(written.unwrap_or(Step::Each)));
                }
                ("type", [of]) => return attribute(of, "__class__"),
                ("vars", [of]) => return attribute(of, "__dict__"),
                ("globals", []) => return Some(Chain { root: GLOBALS.into(), steps: Vec::new() }),
                (..) => {}
            }
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

    fn index(&self, id: ExprId) -> Step {
        if let Some(text) = self.text(id) {
            return Step::Text(text.into());
        }
        if let Expr::Constant(Constant::Int(digits)) = &self.tree[id] {
            return digits.parse().map_or(Step::Each, Step::Number);
        }
        Step::Each
    }

    fn text(&self, id: ExprId) -> Option<&str> {
        let Expr::Constant(Constant::Str(text)) = &self.tree[id] else { return None };
        Some(text)
    }

    /// The chain, and what it is if its root stands for something else.
    fn spelled_out(&self, chain: &Chain) -> Vec<Chain> {
        let mut all = vec![chain.clone()];
        let mut fresh = 0..1;
        for _ in 0..MOST_NAMES {
            for at in fresh.clone() {
                let of = self.names.iter().filter(|(name, _)| *name == all[at].root).map(|(_, of)| of);
                let steps = all[at].steps.clone();
                let longer = of.map(|of| Chain {
                    root: of.root.clone(),
                    steps: of.steps.iter().chain(&steps).cloned().collect(),
                });
                let longer: Vec<_> = longer.filter(|chain| !all.contains(chain)).collect();
                all.extend(longer);
            }
            fresh = fresh.end..all.len().min(MOST_CHAINS);
        }
        all
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
            Step::Get(text) => write!(f, ".get('{text}')"),
            Step::Result => f.write_str("()"),
        })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use gw_base::Source;

    use super::*;

    fn of(text: &str) -> Reads {
        reads(&gw_syntax::parse(&Source::new("f.py", text)).value)
    }

    fn check(text: &str, expected: Expect) {
        let chains: Vec<_> = of(text).chains.iter().map(Chain::to_string).collect();
        expected.assert_eq(&chains.join(" "));
    }

    #[test]
    fn the_example() {
        check("f(self.rate * self.rates[\"a\"])", expect!["f f() self.rate self.rates['a']"]);
    }

    #[test]
    fn what_is_only_stored_is_not_read() {
        check("a.x = b.y; a.z += 1; a.p.q = 1", expect!["a a.p a.z b.y"]);
        check("for a.i in b.c:\n    del a.d\nwith e.f as a.g: pass", expect!["a b.c e.f"]);
    }

    #[test]
    fn chains_begin_with_a_name() {
        check("f(x).y.z; (a.b)[c.d].e; lambda: g.h", expect!["a.b[…].e c.d f f().y.z g.h x"]);
    }

    #[test]
    fn items_are_read_by_what_stands_between_the_brackets() {
        check("a[0].b; a['k'][i]; a[-1]", expect!["a['k'][…] a[0].b a[…] i"]);
        check("getattr(a.b, 'c').d; getattr(a, n)", expect!["a.b.c.d a[…] getattr n"]);
    }

    #[test]
    fn local_names_are_what_they_stand_for() {
        check("s = self; c, d = s.x, 1; c.y", expect!["c.y s.x s.x.y self self.x self.x.y"]);
        check("for a in m.l: a.w", expect!["a.w m.l m.l[…].w"]);
        check(
            "for i, (a, b) in enumerate(m.l): b.w",
            expect!["b.w enumerate enumerate() enumerate()[…][…][…].w m.l m.l[…][…].w"],
        );
        check(
            "[v.w for k, v in d.items()]",
            expect!["d.items() d.items()[…][…] d.items()[…][…].w d[…] d[…].w k v v.w"],
        );
        check("a = b; b = a; a.x", expect!["a a.x b b.x"]);
    }

    #[test]
    fn calls_are_what_they_give() {
        check("c = get(); c.r; s.get_config().rate", expect!["c.r get get() get().r s.get_config().rate"]);
        check(
            "type(a).k; vars(a)['k']; globals()['g']",
            expect!["a.__class__.k a.__dict__['k'] globals globals()['g'] type vars"],
        );
        check(
            "d.get('a').b; os.getenv('K', e); d.get(k)",
            expect!["d.get() d.get('a').b e k os.getenv.get('K')"],
        );
        check("x = f.s(x); x = x.t()", expect!["f.s() f.s().t() x x.t()"]);
    }

    #[test]
    fn what_is_returned_is_told() {
        let returned = of("def f(self):\n    c = self.c\n    return c.d").returned;
        let shown: Vec<_> = returned.iter().map(Chain::to_string).collect();
        expect!["c.d self.c.d"].assert_eq(&shown.join(" "));
    }

    #[test]
    fn what_is_passed_is_told() {
        let passed = of("s = self\nm.helper(1, s.c, k=d)").passed;
        let show = |p: &Passed| format!("{} {:?} {}", p.callee, p.to, p.given);
        let shown: Vec<_> = passed.iter().map(show).collect();
        expect![[r#"m.helper At(1) s.c; m.helper At(1) self.c; m.helper Named("k") d"#]]
            .assert_eq(&shown.join("; "));
    }
}
