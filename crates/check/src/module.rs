//! A parsed file as the checker sees it: its functions, and what its global names surely are.

use std::sync::Arc;

use gw_base::{Source, Table};
use gw_syntax::{Alias, Body, Expr, ExprId, Function, Name, Stmt, StmtId, Tree};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::value::Value;

gw_base::ids! {
    /// A function of one file.
    FunctionId;
}

/// A file and the tables beside its tree.
pub struct Module<'s> {
    /// Its text.
    pub source: &'s Source,
    /// Its tree.
    pub tree: Tree,
    /// Every `def` of the file, in the order of the text.
    pub functions: Table<FunctionId, Definition>,
    /// The functions by their statements.
    pub by_stmt: FxHashMap<StmtId, FunctionId>,
    /// Global names that are bound once, at the top of the file, by an import or a `def`.
    pub fixed: FxHashMap<Name, Value>,
    /// Global names that are bound once, at the top of the file, by an assignment.
    pub constants: FxHashMap<Name, ExprId>,
    /// The number of times that the module binds each name: once, or more.
    bound: FxHashMap<Name, u32>,
    /// Global names that functions bind.
    foreign: FxHashSet<Name>,
    /// True if `from m import *` may bind any name.
    binds_everything: bool,
}

/// A `def` of the file.
pub struct Definition {
    /// Its statement.
    pub stmt: StmtId,
    /// The function that it stands in.
    pub around: Option<FunctionId>,
    /// True if it is a method: it stands in a class.
    pub in_class: bool,
}

impl<'s> Module<'s> {
    /// The tables beside a tree.
    pub fn new(source: &'s Source, tree: Tree) -> Self {
        let mut module = Self {
            source,
            tree: Tree::default(),
            functions: Table::new(),
            by_stmt: FxHashMap::default(),
            fixed: FxHashMap::default(),
            constants: FxHashMap::default(),
            bound: FxHashMap::default(),
            foreign: written_elsewhere(&tree),
            binds_everything: false,
        };
        module.collect(&tree, &tree.body, None, false);
        let mut bindings = Bindings {
            tree: &tree,
            counts: FxHashMap::default(),
            imports: FxHashMap::default(),
            everything: false,
        };
        bindings.body(&tree.body, 1);
        module.binds_everything = bindings.everything;
        module.bound = bindings.counts;
        if !module.binds_everything {
            for &stmt in &tree.body {
                module.bind(&tree, stmt);
            }
        }
        module.tree = tree;
        module
    }

    /// The function of an id.
    pub fn function(&self, id: FunctionId) -> &Function {
        let Stmt::FunctionDef(function) = &self.tree[self.functions[id].stmt] else {
            unreachable!("the table holds `def`s alone")
        };
        function
    }

    /// True if the module or one of its functions binds a global name.
    pub fn is_bound(&self, name: &Name) -> bool {
        self.binds_everything || self.bound.contains_key(name) || self.foreign.contains(name)
    }

    /// The names that the module binds, and whether functions bind them too.
    pub fn globals(&self) -> impl Iterator<Item = (&Name, bool)> {
        self.bound.keys().map(|name| (name, self.foreign.contains(name)))
    }

    fn is_single(&self, name: &Name) -> bool {
        self.bound.get(name) == Some(&1) && !self.foreign.contains(name)
    }

    fn collect(&mut self, tree: &Tree, body: &Body, around: Option<FunctionId>, in_class: bool) {
        for &stmt in body {
            let mut inside = around;
            if matches!(tree[stmt], Stmt::FunctionDef(_)) {
                let id = self.functions.push(Definition { stmt, around, in_class });
                self.by_stmt.insert(stmt, id);
                inside = Some(id);
            }
            let is_class = matches!(tree[stmt], Stmt::ClassDef(_)) || (in_class && tree[stmt].is_compound());
            tree[stmt].each_body(&mut |body| self.collect(tree, body, inside, is_class));
        }
    }

    /// Records what a statement at the top binds.
    fn bind(&mut self, tree: &Tree, stmt: StmtId) {
        let stmt_node = &tree[stmt];
        if let Stmt::Import(aliases) = stmt_node {
            aliases.iter().for_each(|alias| self.import(alias, None));
        } else if let Stmt::ImportFrom { module: Some(module), names, level: 0 } = stmt_node {
            names.iter().for_each(|alias| self.import(alias, Some(module)));
        } else if let Stmt::FunctionDef(function) = stmt_node {
            if self.is_single(&function.name) {
                self.fixed.insert(function.name.clone(), Value::Function(self.by_stmt[&stmt]));
            }
        } else if let Stmt::Assign { targets, value } = stmt_node {
            self.constant(tree, targets, *value);
        } else if let Stmt::AnnAssign { target, value: Some(value), .. } = stmt_node {
            self.constant(tree, std::slice::from_ref(target), *value);
        }
    }

    fn import(&mut self, alias: &Alias, from: Option<&Name>) {
        let Some(name) = alias.binds().filter(|name| self.is_single(name)) else { return };
        let path = imported(alias, &name, from);
        self.fixed.insert(name, Value::Import(path));
    }

    fn constant(&mut self, tree: &Tree, targets: &[ExprId], value: ExprId) {
        if let [target] = targets
            && let Expr::Name(name) = &tree[*target]
            && self.is_single(name)
        {
            self.constants.insert(name.clone(), value);
        }
    }
}

/// The path of what an import binds to a name.
fn imported(alias: &Alias, name: &Name, from: Option<&Name>) -> Arc<str> {
    match from {
        Some(module) => format!("{module}.{}", alias.name).into(),
        None if alias.asname.is_some() => alias.name.clone(),
        None => name.clone(),
    }
}

/// Counts how often the code of the module itself binds each name.
struct Bindings<'t> {
    tree: &'t Tree,
    counts: FxHashMap<Name, u32>,
    /// The target to which the first import binds each name.
    imports: FxHashMap<Name, Arc<str>>,
    /// `from m import *` may bind anything.
    everything: bool,
}

impl Bindings<'_> {
    /// `weight` is 2 in a branch or loop, which may bind a name or not.
    fn body(&mut self, body: &Body, weight: u32) {
        for &stmt in body {
            let header = gw_analysis::of_header(self.tree, stmt);
            let again = self.imported_again(stmt);
            header
                .binds
                .iter()
                .filter(|name| !again.contains(name))
                .for_each(|name| self.count(name, weight));
            if let Stmt::ImportFrom { names, .. } = &self.tree[stmt] {
                self.everything |= names.iter().any(|alias| &*alias.name == "*");
            }
            if let Stmt::Try { handlers, .. } = &self.tree[stmt] {
                let names = handlers.iter().filter_map(|handler| handler.name.as_ref());
                names.for_each(|name| self.count(name, weight));
            }
            if self.tree[stmt].is_compound() {
                self.tree[stmt].each_body(&mut |body| self.body(body, 2));
            }
        }
    }

    /// The names that an import binds to what an earlier one binds them to.
    fn imported_again(&mut self, stmt: StmtId) -> Vec<Name> {
        let (from, aliases) = if let Stmt::Import(aliases) = &self.tree[stmt] {
            (None, aliases)
        } else if let Stmt::ImportFrom { module: Some(module), names, level: 0 } = &self.tree[stmt] {
            (Some(module), names)
        } else {
            return Vec::new();
        };
        let is_again = |alias: &Alias| {
            let name = alias.binds()?;
            let path = imported(alias, &name, from);
            let known = self.imports.entry(name.clone()).or_insert_with(|| path.clone());
            let count = self.counts.get(&name).copied().unwrap_or_default();
            (count > 0 && *known == path).then_some(name)
        };
        aliases.iter().filter_map(is_again).collect()
    }

    fn count(&mut self, name: &Name, weight: u32) {
        *self.counts.entry(name.clone()).or_default() += weight;
    }
}

/// Global names that functions bind.
fn written_elsewhere(tree: &Tree) -> FxHashSet<Name> {
    let declared =
        tree.stmts().filter_map(|stmt| if let Stmt::Global(names) = stmt { Some(names) } else { None });
    declared.flatten().cloned().collect()
}
