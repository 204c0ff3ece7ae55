//! `graphwright.Graph`: the text of a graph, and its nodes as data.

use gw_base::Id;
use gw_ir::{Graph, ValueDef, ValueId};
use pyo3::prelude::*;

/// A graph to look at.
///
/// `str(graph)` is its text.
///
/// Example:
///   >>> @gw.function
///   ... def double(x):
///   ...     return x * 2.0
///   >>> print(double.get_concrete_function(gw.TensorSpec([], gw.float32)).graph, end="")
///   func @double(%x: f32[]) -> (f32[]) {
///     %1 = const 2.0 : f32[]
///     %2 = mul %x, %1 : f32[]
///     return %2
///   }
#[pyclass(frozen, name = "Graph", module = "graphwright")]
#[derive(Debug)]
pub struct GraphText {
    text: String,
    name: String,
    nodes: Vec<NodeDef>,
    lines: Vec<GraphLine>,
}

/// A line of the text: itself, the number of the node that begins in it, and the place of that in the user's text.
type GraphLine = (String, Option<usize>, Option<(String, u32, u32, u32, u32)>);

impl GraphText {
    /// Of a graph.
    pub fn of(graph: &Graph) -> Self {
        let name = |v: &ValueId| value_name(graph, *v);
        let node = |id: gw_ir::NodeId| {
            let node = &graph.nodes[id];
            NodeDef {
                name: node.results.first().map_or_else(|| node.op.text().to_owned(), &name),
                op: node.op.text().to_owned(),
                input: node.args.iter().map(&name).collect(),
            }
        };
        let given = graph.params().iter().map(|param| NodeDef {
            name: name(param),
            op: "Placeholder".to_owned(),
            input: Vec::new(),
        });
        let listed = graph.regions.iter().flat_map(|(_, region)| region.nodes.clone());
        Self {
            text: gw_ir::text::print(graph),
            name: graph.name.clone(),
            nodes: given.chain(listed.map(node)).collect(),
            lines: gw_ir::text::print_lines(graph).into_iter().map(|line| placed(graph, line)).collect(),
        }
    }
}

/// A line with the place of its node.
fn placed(graph: &Graph, (text, node): (String, Option<gw_ir::NodeId>)) -> GraphLine {
    let place = node.and_then(|node| graph.places[node].as_ref());
    let place = place.map(|at| (at.file.to_string(), at.line, at.column, at.end_line, at.end_column));
    (text, node.map(gw_base::Id::index), place)
}

/// The user's name for a value, or one made of what defines it.
fn value_name(graph: &Graph, value: ValueId) -> String {
    let made = || match graph.values[value].def {
        ValueDef::Result(node, _) => format!("{}_{}", graph.nodes[node].op.text(), node.index()),
        ValueDef::Param(region, at) => format!("param_{}_{at}", region.index()),
    };
    graph.values[value].name.clone().unwrap_or_else(made)
}

#[pymethods]
impl GraphText {
    /// Reads a graph from its text.
    ///
    /// Args:
    ///   text: text of a graph, as `str(graph)` gives it.
    ///
    /// Returns:
    ///   `Graph`.
    ///
    /// Raises:
    ///   ValueError: the text cannot be read; the message names the line.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> graph = double.get_concrete_function(gw.TensorSpec([], gw.float32)).graph
    ///   >>> str(gw.Graph.parse(str(graph))) == str(graph)
    ///   True
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        let graph = gw_ir::text::parse(text).map_err(|e| {
            pyo3::exceptions::PyValueError::new_err(format!("line {}: {}", e.line, e.message))
        })?;
        Ok(Self::of(&graph))
    }

    /// The graph's nodes as data, TensorFlow's `GraphDef`: its `node` lists them, those of inner regions too.
    ///
    /// Returns:
    ///   Object whose `node` is a list of nodes, each with `name`, `op` and `input`.
    ///
    /// Example:
    ///   >>> @gw.function
    ///   ... def double(x):
    ///   ...     return x * 2.0
    ///   >>> graph = double.get_concrete_function(gw.TensorSpec([], gw.float32)).graph
    ///   >>> [node.op for node in graph.as_graph_def().node]
    ///   ['Placeholder', 'const', 'mul']
    fn as_graph_def(&self) -> GraphDef {
        GraphDef { node: self.nodes.clone() }
    }

    /// The lines of the text, for `graphwright._report`.
    fn _lines(&self) -> Vec<GraphLine> {
        self.lines.clone()
    }

    /// The function's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Graph {}>", self.name)
    }
}

/// The nodes of a graph.
#[pyclass(frozen, get_all, module = "graphwright")]
#[derive(Debug)]
pub struct GraphDef {
    /// The inputs, and then all others in the order in which they run, region by region.
    node: Vec<NodeDef>,
}

/// One node of a graph.
#[pyclass(frozen, get_all, module = "graphwright")]
#[derive(Debug, Clone)]
pub struct NodeDef {
    /// That of its first result.
    name: String,
    /// The op.
    op: String,
    /// The names of the values it takes.
    input: Vec<String>,
}

#[pymethods]
impl NodeDef {
    fn __repr__(&self) -> String {
        format!("{} = {}({})", self.name, self.op, self.input.join(", "))
    }
}
