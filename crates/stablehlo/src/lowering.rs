//! Region by region, op by op.

use std::collections::HashMap;

use gw_ir::{FunctionId, Graph, Node, NodeId, RegionId, ValueId};
use gw_types::DType;

use crate::functions::Functions;
use crate::items::{Item, Ty, names, types};
use crate::module::{Module, Site};
use crate::refused::{Made, Refused};
use crate::writer::Writer;

/// Writes a node with its operands; gives its results.
pub(crate) type Write = fn(&mut Lowering<'_>, &Node, &[Item]) -> Made<Vec<Item>>;

/// The state while a graph is written.
pub(crate) struct Lowering<'a> {
    pub graph: &'a Graph,
    write: Write,
    pub text: Writer,
    pub values: HashMap<ValueId, Item>,
    pub sites: Vec<Site>,
    /// The status where the text stands now; none while nothing can have failed or been left.
    pub status: Option<Item>,
    /// The results of the innermost `try` of this function if it has been left; none of them where there is no `try`.
    pub kept: Vec<Item>,
    /// The number of loops around that are written iteration by iteration.
    pub unrolled: usize,
    pub functions: Functions,
    /// The functions that are being written, the outermost first.
    pub running: Vec<FunctionId>,
    /// The node that is being written.
    node: Option<NodeId>,
}

/// A place in the text, to go back to.
#[derive(Debug)]
pub(crate) struct Mark {
    lines: usize,
    depth: usize,
    sites: usize,
    status: Option<Item>,
    kept: Vec<Item>,
}

impl<'a> Lowering<'a> {
    /// `write` writes a node with these operands; it gives its results.
    pub fn new(graph: &'a Graph, write: Write) -> Self {
        Self {
            graph,
            write,
            text: Writer::default(),
            values: HashMap::new(),
            sites: Vec::new(),
            status: None,
            kept: Vec::new(),
            unrolled: 0,
            functions: Functions::default(),
            running: Vec::new(),
            node: None,
        }
    }

    /// The whole module.
    pub fn module(mut self, lengths: &[Vec<usize>]) -> Made<Module> {
        let params = &self.graph.regions[self.graph.body].params;
        if params.len() != lengths.len() {
            let message = format!("{} parameters, but the lengths of {}", params.len(), lengths.len());
            return Err(Refused::new(message));
        }
        let types =
            params.iter().zip(lengths).map(|(&param, lengths)| Ty::of_param(self.graph.ty(param), lengths));
        let types = types.collect::<Made<Vec<Ty>>>()?;
        let (main, _) = self.function("public @main", self.graph.body, types, false)?;
        let functions = self.functions.texts().concat();
        Ok(Module { text: format!("module {{\n{main}{functions}}}\n"), sites: self.sites })
    }

    /// The text of a function, and what it gives; with `threads` it takes the status as its last argument, and gives it as
    /// its last result. `@main` gives it where something may fail.
    pub fn function(
        &mut self,
        head: &str,
        body: RegionId,
        params: Vec<Ty>,
        threads: bool,
    ) -> Made<(String, Vec<Ty>)> {
        let outer_status = self.status.take();
        let outer_kept = std::mem::take(&mut self.kept);
        let outer_lines = std::mem::take(&mut self.text.lines);
        let outer_depth = std::mem::replace(&mut self.text.depth, 2);
        let mut items: Vec<Item> = params.into_iter().map(|ty| self.text.item(ty)).collect();
        self.bind(&self.graph.regions[body].params, &items);
        if threads {
            let status = self.text.item(Ty::scalar(DType::I64));
            self.status = Some(status.clone());
            items.push(status);
        }
        let is_main = self.running.is_empty();
        let mut results = self.region(body)?;
        if threads || is_main && !self.sites.is_empty() {
            results.push(self.status());
        }
        self.text.line(&format!("\"func.return\"({}) : {} -> ()", names(&results), types(&results)));
        let takes: Vec<String> = items.iter().map(|item| format!("{}: {}", item.name, item.ty)).collect();
        let lines = std::mem::replace(&mut self.text.lines, outer_lines);
        self.text.depth = outer_depth;
        self.status = outer_status;
        self.kept = outer_kept;
        let text =
            format!("  func.func {head}({}) -> {} {{\n{lines}  }}\n", takes.join(", "), types(&results));
        Ok((text, results.into_iter().map(|item| item.ty).collect()))
    }

    /// The nodes of a region; gives its results.
    pub fn region(&mut self, id: RegionId) -> Made<Vec<Item>> {
        let region = &self.graph.regions[id];
        for &node in &region.nodes {
            self.located(node)?;
        }
        Ok(self.items(&region.results))
    }

    fn located(&mut self, id: NodeId) -> Made<()> {
        let outer = self.node.replace(id);
        let done = self.node(&self.graph.nodes[id]);
        self.node = outer;
        done.map_err(|refused| refused.at(self.graph.nodes[id].op, &self.graph.places[id]))
    }

    fn node(&mut self, node: &'a Node) -> Made<()> {
        let args = self.items(&node.args);
        let items = (self.write)(self, node, &args)?;
        self.bind(&node.results, &items);
        Ok(())
    }

    /// Present end of the text.
    pub fn mark(&self) -> Mark {
        let (status, kept) = (self.status.clone(), self.kept.clone());
        let (lines, depth) = (self.text.lines.len(), self.text.depth);
        Mark { lines, depth, sites: self.sites.len(), status, kept }
    }

    /// Forgets what was written since.
    pub fn go_back(&mut self, mark: &Mark) {
        self.text.lines.truncate(mark.lines);
        self.text.depth = mark.depth;
        self.sites.truncate(mark.sites);
        self.status.clone_from(&mark.status);
        self.kept.clone_from(&mark.kept);
    }

    pub fn items(&self, values: &[ValueId]) -> Vec<Item> {
        values.iter().filter_map(|value| self.values.get(value).cloned()).collect()
    }

    pub fn bind(&mut self, values: &[ValueId], items: &[Item]) {
        self.values.extend(values.iter().copied().zip(items.iter().cloned()));
    }

    /// The status as a value.
    pub fn status(&mut self) -> Item {
        match &self.status {
            Some(status) => status.clone(),
            None => Item { known: None, ..self.text.integer(0, Ty::scalar(DType::I64)) },
        }
    }

    /// True while nothing has failed.
    pub fn is_well(&mut self, status: &Item) -> Item {
        let none = self.text.integer(0, Ty::scalar(DType::I64));
        self.text.compare("EQ", status, &none)
    }

    /// Notes a failure of the node that is being written, unless a truth value is true.
    pub fn require(&mut self, ok: &Item) {
        if ok.known == Some(1) {
            return;
        }
        let Some(id) = self.node else { return };
        let site = Site { op: self.graph.nodes[id].op.text(), place: self.graph.places[id].clone() };
        let known = self.sites.iter().position(|other| *other == site);
        let number = known.unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        });
        self.stop(ok, number as i64 + 1);
    }

    /// Gives the status a value, unless a truth value is true or it has one.
    pub fn stop(&mut self, ok: &Item, value: i64) {
        let value = self.text.integer(value, Ty::scalar(DType::I64));
        let before = self.status();
        let stopped = self.text.select(ok, &before, &value);
        self.status = Some(match self.status.clone() {
            None => stopped,
            Some(before) => {
                let is_well = self.is_well(&before);
                self.text.select(&is_well, &stopped, &before)
            }
        });
    }
}
