//! Local names and the chains that they stand for: `s = self`, `for a in m.l`, `import m`, `with c as a`, `case C(x=a)`,
//! parameters of functions that are made inside.

use std::collections::{BTreeSet, HashMap};

use gw_syntax::{Alias, Expr, ExprId, Keyword, Name, Pattern, PatternKind, Stmt};

use super::{Chain, IMPORTED, Search, Step};

/// A name, and what it stands for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    pub(super) name: Name,
    pub(super) chain: Chain,
    /// In so many containers of the function's own: `name = [chain]`.
    pub(super) inside: usize,
}

impl Named {
    /// The chain that one beginning with the name stands for.
    pub(super) fn spelled(&self, chain: &Chain) -> Option<Chain> {
        let (outer, rest) = chain.steps.split_at_checked(self.inside)?;
        let is_item =
            |step: &Step| matches!(step, Step::Each | Step::Text(_) | Step::Number(_) | Step::Get(_));
        (chain.root == self.name && outer.iter().all(is_item)).then(|| Chain {
            root: self.chain.root.clone(),
            steps: self.chain.steps.iter().chain(rest).cloned().collect(),
        })
    }
}

/// So many names for a name are followed, and so many chains made of one, which have so many steps.
const MOST_NAMES: usize = 4;
const MOST_CHAINS: usize = 64;
const MOST_STEPS: usize = 16;

/// The chains of each name: reads of something before results of calls.
pub(super) struct Names<'a>(HashMap<&'a str, Vec<&'a Named>>);

impl<'a> Names<'a> {
    pub(super) fn of(all: &'a BTreeSet<Named>) -> Self {
        let mut names: HashMap<&str, Vec<&Named>> = HashMap::new();
        for named in all {
            names.entry(&named.name).or_default().push(named);
        }
        let calls = |named: &Named| named.chain.steps.iter().filter(|step| **step == Step::Result).count();
        names
            .values_mut()
            .for_each(|all| all.sort_by_key(|named| (calls(named), &named.chain, named.inside)));
        Self(names)
    }

    /// The chain, and what it is if its root stands for something else.
    pub(super) fn spelled_out(&self, chain: &Chain) -> Vec<Chain> {
        let mut all = vec![chain.clone()];
        let mut fresh = 0..1;
        for _ in 0..MOST_NAMES {
            for at in fresh.clone() {
                let named: &[&Named] = self.0.get(&*all[at].root).map_or(&[], |named| named);
                for named in named {
                    if all.len() == MOST_CHAINS {
                        return all;
                    }
                    let longer = named.spelled(&all[at]).filter(|chain| chain.steps.len() <= MOST_STEPS);
                    all.extend(longer.filter(|chain| !all.contains(chain)));
                }
            }
            fresh = fresh.end..all.len();
        }
        all
    }
}

impl Search<'_> {
    /// The names that a statement binds, but for assignments and loops.
    pub(super) fn bindings(&mut self, stmt: &Stmt) {
        if let Stmt::With { items, .. } = stmt {
            for item in items {
                let (Some(target), Some(chain)) = (item.target, self.chain(item.context)) else { continue };
                let entered = chain.then(Step::Attribute("__enter__".into())).then(Step::Result);
                self.stands_for(target, entered);
            }
        } else if let Stmt::Match { subject, cases } = stmt {
            let Some(subject) = self.chain(*subject) else { return };
            self.found.insert(subject.clone().then(Step::Each));
            cases.iter().for_each(|case| self.matched(&case.pattern, &subject));
        } else if let Stmt::Import(aliases) = stmt {
            aliases.iter().for_each(|alias| self.imported(alias));
        } else if let Stmt::ImportFrom { module, names, level } = stmt {
            let dots = ".".repeat(*level as usize);
            let root: Name =
                format!("{IMPORTED}{dots}{}", module.as_deref().unwrap_or_default()).as_str().into();
            for Alias { name, asname, .. } in names {
                let chain = Chain { root: root.clone(), steps: vec![Step::Attribute(name.clone())] };
                self.names.insert(Named { name: asname.as_ref().unwrap_or(name).clone(), chain, inside: 0 });
            }
        } else if let Stmt::FunctionDef(function) = stmt
            && self.depth > 0
        {
            let params = function.params.posonly.iter().chain(&function.params.args);
            self.made.insert(function.name.clone(), params.map(|param| param.name.clone()).collect());
        }
    }

    /// `import a.b` binds `a`, `import a.b as c` what is behind all of it.
    fn imported(&mut self, Alias { name, asname, .. }: &Alias) {
        let first = name.split('.').next().unwrap_or_default();
        let (bound, module): (Name, &str) = match asname {
            Some(asname) => (asname.clone(), name),
            None => (first.into(), first),
        };
        let chain = Chain { root: format!("{IMPORTED}{module}").as_str().into(), steps: Vec::new() };
        self.names.insert(Named { name: bound, chain, inside: 0 });
    }

    /// The names in a pattern.
    fn matched(&mut self, pattern: &Pattern, subject: &Chain) {
        let item = || subject.clone().then(Step::Each);
        let mut names = |name: &Option<Name>, chain: Chain| {
            let named = name.iter().map(|name| Named { name: name.clone(), chain: chain.clone(), inside: 0 });
            self.names.extend(named);
        };
        match &pattern.kind {
            PatternKind::Value(_) | PatternKind::Singleton(_) => {}
            PatternKind::Star(name) => names(name, subject.clone()),
            PatternKind::As { pattern, name } => {
                names(name, subject.clone());
                pattern.iter().for_each(|pattern| self.matched(pattern, subject));
            }
            PatternKind::Sequence(parts) => parts.iter().for_each(|part| self.matched(part, &item())),
            PatternKind::Mapping { items, rest } => {
                names(rest, subject.clone());
                items.iter().for_each(|(_, part)| self.matched(part, &item()));
            }
            PatternKind::Class { args, keywords, .. } => {
                let parts = args.iter().chain(keywords.iter().map(|(_, part)| part));
                parts.for_each(|part| self.matched(part, &item()));
            }
            PatternKind::Or(parts) => parts.iter().for_each(|part| self.matched(part, subject)),
        }
    }

    /// The parameters of a function that is made inside.
    pub(super) fn given_to(&mut self, params: &[Name], args: &[ExprId], keywords: &[Keyword]) {
        let positional = params.iter().cloned().zip(args.iter().copied());
        let named = keywords.iter().filter_map(|keyword| Some((keyword.name.clone()?, keyword.value)));
        for (name, arg) in positional.chain(named) {
            let Some(chain) = self.chain(arg).filter(|chain| chain.root != name) else { continue };
            self.names.insert(Named { name, chain, inside: 0 });
        }
    }

    /// `target = value`
    pub(super) fn name(&mut self, target: ExprId, value: ExprId) {
        if let (Expr::Tuple(targets), Expr::Tuple(values)) = (&self.tree[target], &self.tree[value])
            && targets.len() == values.len()
        {
            targets.iter().zip(values).for_each(|(&target, &value)| self.name(target, value));
        } else if let Expr::IfExp { body, orelse, .. } = &self.tree[value] {
            self.name(target, *body);
            self.name(target, *orelse);
        } else if let Expr::BoolOp { values, .. } = &self.tree[value] {
            values.clone().into_iter().for_each(|value| self.name(target, value));
        } else if let Some(chain) = self.chain(value).filter(|chain| !self.is_made_of(target, chain)) {
            self.stands_for(target, chain);
        } else if let (Expr::Name(name), Expr::Lambda { params, .. }) =
            (&self.tree[target], &self.tree[value])
        {
            self.made.insert(name.clone(), params.args.iter().map(|param| param.name.clone()).collect());
        } else if let Expr::Name(name) = &self.tree[target] {
            self.holds(name, value, 1);
        }
    }

    /// `name = [value]`, in so many containers.
    pub(super) fn holds(&mut self, name: &Name, value: ExprId, inside: usize) {
        let items: Vec<ExprId> =
            if let Expr::List(items) | Expr::Tuple(items) | Expr::Set(items) = &self.tree[value] {
                items.clone()
            } else if let Expr::Dict(pairs) = &self.tree[value] {
                pairs.iter().map(|(_, value)| *value).collect()
            } else if let Expr::Comp { element, .. } = &self.tree[value] {
                vec![*element]
            } else if let Expr::DictComp { value, .. } = &self.tree[value] {
                vec![*value]
            } else {
                return;
            };
        for item in items {
            match self.chain(item) {
                Some(chain) => {
                    self.names.insert(Named { name: name.clone(), chain, inside });
                }
                None => self.holds(name, item, inside + 1),
            }
        }
    }

    /// `x = x.step()`, and results of results, which would stand for more and more.
    fn is_made_of(&self, target: ExprId, chain: &Chain) -> bool {
        let calls = chain.steps.iter().filter(|step| matches!(step, Step::Result)).count();
        calls > 1 || (calls == 1 && matches!(&self.tree[target], Expr::Name(name) if *name == chain.root))
    }

    pub(super) fn stands_for(&mut self, target: ExprId, chain: Chain) {
        if let Expr::Name(name) = &self.tree[target] {
            self.names.insert(Named { name: name.clone(), chain, inside: 0 });
        } else if let Expr::Tuple(targets) | Expr::List(targets) = &self.tree[target] {
            targets.iter().for_each(|&target| self.stands_for(target, chain.clone().then(Step::Each)));
        }
    }

    /// `for target in iter`
    pub(super) fn name_items(&mut self, target: ExprId, iter: ExprId) {
        if let Some(chain) = self.base(iter) {
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
}
