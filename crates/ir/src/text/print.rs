//! A graph as text.

use std::fmt::Write;

use gw_types::{DimVar, TensorType};

use super::attrs;
use super::names::{Names, is_name};
use crate::{Attr, FunctionId, Graph, Node, NodeId, Op, RegionId, ValueId};

/// The text of a legal graph: only what its body reaches, values and variables numbered in the order of the text.
pub fn print(graph: &Graph) -> String {
    Printer::new(graph, false).module()
}

/// The same, with the user's file and line as a comment after each op that has one.
pub fn print_with_places(graph: &Graph) -> String {
    Printer::new(graph, true).module()
}

/// The lines of the same text, each with the node that begins in it.
pub fn print_lines(graph: &Graph) -> Vec<(String, Option<NodeId>)> {
    let mut printer = Printer::new(graph, false);
    printer.functions();
    printer.out.lines().map(str::to_owned).zip(printer.begun).collect()
}

/// A function's name with its sign.
fn at_name(name: &str) -> String {
    match name.split('.').all(is_name) {
        true => format!("@{name}"),
        false => format!("@{}", attrs::quote(name)),
    }
}

struct Printer<'a> {
    graph: &'a Graph,
    names: Names,
    functions: Vec<(FunctionId, String)>,
    dims: Vec<DimVar>,
    places: bool,
    depth: usize,
    out: String,
    /// The node that begins in each line.
    begun: Vec<Option<NodeId>>,
}

impl<'a> Printer<'a> {
    fn new(graph: &'a Graph, places: bool) -> Self {
        Self {
            graph,
            names: Names::new(graph),
            functions: graph.named(),
            dims: Vec::new(),
            places,
            depth: 0,
            out: String::new(),
            begun: Vec::new(),
        }
    }

    fn module(mut self) -> String {
        self.functions();
        self.out
    }

    fn functions(&mut self) {
        let graph = self.graph;
        self.function(&graph.name, graph.body, None);
        for (function, name) in self.functions.clone() {
            self.function(&name, graph.functions[function].body, graph.functions[function].back);
        }
    }

    fn function_name(&self, function: FunctionId) -> String {
        let named = self.functions.iter().find(|(id, _)| *id == function);
        named.map_or_else(String::new, |(_, name)| at_name(name))
    }

    fn function(&mut self, name: &str, body: RegionId, back: Option<FunctionId>) {
        self.names = Names::new(self.graph);
        let region = &self.graph.regions[body];
        let params: Vec<_> = region.params.iter().map(|&param| self.typed(param)).collect();
        let at = self.out.len();
        self.begun.push(None);
        self.region(body, "return");
        let results = self.types(&region.results);
        let back = back.map_or_else(String::new, |back| format!(" back {}", self.function_name(back)));
        let head = format!("func {}({}) -> {results}{back} {{\n", at_name(name), params.join(", "));
        self.out.insert_str(at, &head);
        self.out.push_str("}\n");
        self.begun.push(None);
    }

    fn region(&mut self, id: RegionId, give: &str) {
        self.depth += 1;
        let region = &self.graph.regions[id];
        for &node in &region.nodes {
            self.statement(node);
        }
        let results = self.uses(&region.results);
        let space = if results.is_empty() { "" } else { " " };
        self.line(&format!("{give}{space}{results}"));
        self.depth -= 1;
    }

    fn line(&mut self, text: &str) {
        self.line_of(None, text);
    }

    fn line_of(&mut self, node: Option<NodeId>, text: &str) {
        self.begun.push(node);
        self.out.extend(std::iter::repeat_n("  ", self.depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn statement(&mut self, id: NodeId) {
        let node = &self.graph.nodes[id];
        if node.op == Op::Cond {
            return self.cond(id, node);
        }
        if node.op == Op::While {
            return self.while_(id, node);
        }
        if node.op == Op::Try {
            return self.try_(id, node);
        }
        let mut function = String::new();
        if let Attr::Function(called) = node.attr {
            function = self.function_name(called);
        }
        let operands = self.uses(&node.args);
        let attr = attrs::write(&node.attr);
        let words = [node.op.text(), &function, &operands, &attr].into_iter().filter(|text| !text.is_empty());
        self.define(id, node, &words.collect::<Vec<_>>().join(" "));
    }

    /// `results = call : types`
    fn define(&mut self, id: NodeId, node: &Node, call: &str) {
        let results = self.results(node);
        let types: Vec<_> = node.results.iter().map(|&v| self.ty(v)).collect();
        let types = if types.is_empty() { String::new() } else { format!(" : {}", types.join(", ")) };
        let place = self.place(id);
        self.line_of(Some(id), &format!("{results}{call}{types}{place}"));
    }

    fn cond(&mut self, id: NodeId, node: &Node) {
        let test = self.uses(&node.args);
        let results = self.results(node);
        let types = self.types(&node.results);
        let place = self.place(id);
        self.line_of(Some(id), &format!("{results}cond {test} : {types} {{{place}"));
        self.region(node.regions[0], "yield");
        self.line("} else {");
        self.region(node.regions[1], "yield");
        self.line("}");
    }

    fn try_(&mut self, id: NodeId, node: &Node) {
        let results = self.results(node);
        let types = self.types(&node.results);
        let place = self.place(id);
        self.line_of(Some(id), &format!("{results}try : {types} {{{place}"));
        self.region(node.regions[0], "yield");
        self.line("}");
    }

    fn while_(&mut self, id: NodeId, node: &Node) {
        let graph = self.graph;
        let [test, body] = [node.regions[0], node.regions[1]].map(|region| &graph.regions[region].params);
        let results = self.results(node);
        let types = self.types(&node.results);
        let carries: Vec<_> =
            (0..node.args.len()).map(|at| self.carry(node, test[at], body[at], at)).collect();
        let place = self.place(id);
        self.line_of(Some(id), &format!("{results}while ({}) : {types} {{{place}", carries.join(", ")));
        self.region(node.regions[0], "yield");
        let alike = test.iter().zip(body).all(|(&t, &b)| graph.ty(t) == graph.ty(b));
        match alike {
            true => {
                test.iter().zip(body).for_each(|(&t, &b)| self.share(t, b));
                self.line("} do {");
            }
            false => {
                let params: Vec<_> = body.iter().map(|&param| self.typed(param)).collect();
                self.line(&format!("}} do ({}) {{", params.join(", ")));
            }
        }
        self.region(node.regions[1], "yield");
        self.line("}");
    }

    /// `%carry = %init`, with its type where it is not that of the loop's result.
    fn carry(&mut self, node: &Node, test: ValueId, body: ValueId, at: usize) -> String {
        let graph = self.graph;
        let name = graph.values[body].name.as_deref().or(graph.values[test].name.as_deref());
        let name = self.names.give(test, name);
        let init = self.names.of(node.args[at]).to_owned();
        match graph.ty(test) == graph.ty(node.results[at]) {
            true => format!("%{name} = %{init}"),
            false => format!("%{name}: {} = %{init}", self.ty(test)),
        }
    }

    fn share(&mut self, test: ValueId, body: ValueId) {
        let name = self.names.of(test).to_owned();
        self.names.share(body, &name);
    }

    fn results(&mut self, node: &Node) -> String {
        let graph = self.graph;
        let name = |&v| format!("%{}", self.names.give(v, graph.values[v].name.as_deref()));
        let names: Vec<_> = node.results.iter().map(name).collect();
        if names.is_empty() { String::new() } else { format!("{} = ", names.join(", ")) }
    }

    fn uses(&self, values: &[ValueId]) -> String {
        let names: Vec<_> = values.iter().map(|&v| format!("%{}", self.names.of(v))).collect();
        names.join(", ")
    }

    fn typed(&mut self, value: ValueId) -> String {
        let graph = self.graph;
        let name = self.names.give(value, graph.values[value].name.as_deref());
        format!("%{name}: {}", self.ty(value))
    }

    fn types(&mut self, values: &[ValueId]) -> String {
        let types: Vec<_> = values.iter().map(|&v| self.ty(v)).collect();
        format!("({})", types.join(", "))
    }

    /// The type, with variables numbered in the order in which they are met.
    fn ty(&mut self, value: ValueId) -> String {
        let TensorType { dtype, shape } = self.graph.ty(value);
        let mut text = format!("{dtype}[");
        for (axis, dim) in shape.0.iter().enumerate() {
            let comma = if axis == 0 { "" } else { "," };
            let shown = match dim {
                gw_types::Dim::Fixed(n) => n.to_string(),
                gw_types::Dim::Var(var) => format!("?{}", self.number(*var)),
            };
            write!(text, "{comma}{shown}").expect("strings take text");
        }
        text + "]"
    }

    fn number(&mut self, var: DimVar) -> usize {
        self.dims.iter().position(|&met| met == var).unwrap_or_else(|| {
            self.dims.push(var);
            self.dims.len() - 1
        })
    }

    fn place(&self, id: NodeId) -> String {
        match &self.graph.places[id] {
            Some(loc) if self.places => format!("  # {loc}"),
            Some(_) | None => String::new(),
        }
    }
}
