//! Transfers between a graph and the host, as Python is told of them: for warnings of copies and for `Function.partition`.

use std::collections::HashSet;

use gw_base::Loc;
use gw_ir::{Attr, Graph, ValueId};
use gw_opt::partition::{Call, Step, partition};
use gw_types::TensorType;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The program of the host beside one graph.
#[derive(Debug, Default)]
pub struct Crossings(Vec<Part>);

/// One step of it.
#[derive(Debug)]
enum Part {
    Call(Exchange),
    Loop(Option<Loc>, Vec<Part>),
    Branch(Option<Loc>, [Vec<Part>; 2]),
}

/// A call of a function, with what crosses for it.
#[derive(Debug)]
struct Exchange {
    number: usize,
    place: Option<Loc>,
    depth: usize,
    sent: Vec<Crossing>,
    received: Vec<Crossing>,
}

/// A value that crosses.
#[derive(Debug)]
struct Crossing {
    /// Index among the arguments or results.
    at: usize,
    ty: TensorType,
    /// The number of loops in which it crosses.
    depth: usize,
    /// True if the program says that it is meant to.
    is_marked: bool,
}

impl Crossings {
    /// Those of a graph as it was traced, where the program marked these values.
    pub fn of(graph: &Graph, marked: &HashSet<ValueId>) -> Self {
        Self(parts(graph, marked, partition(graph)))
    }

    /// True if the host is not called.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `("call", number, name, is_explicit, place, depth, arguments, sent, received)`, `("loop", place, steps)` and
    /// `("branch", place, steps, steps)`, in the order of the program.
    pub fn objects<'py>(&self, py: Python<'py>, words: &impl Words<'py>) -> PyResult<Bound<'py, PyList>> {
        objects(py, &self.0, words)
    }
}

/// The functions and types of a graph in Python's words.
pub trait Words<'py> {
    /// `(name, is_explicit, arguments)` of a function by its number; the arguments hold
    /// `graphwright._partition._calls.Operand(k)` for the k-th value of the graph.
    fn function(&self, number: usize) -> PyResult<(String, bool, Bound<'py, PyAny>)>;

    /// The spec of a type.
    fn spec(&self, ty: &TensorType) -> PyResult<Bound<'py, PyAny>>;
}

fn parts(graph: &Graph, marked: &HashSet<ValueId>, steps: Vec<Step>) -> Vec<Part> {
    let place = |node| graph.places[node].clone();
    let part = |step| match step {
        Step::Call(call) => exchange(graph, marked, &call).map(Part::Call),
        Step::Loop(node, body) => Some(Part::Loop(place(node), parts(graph, marked, body))),
        Step::Branch(node, blocks) => {
            Some(Part::Branch(place(node), blocks.map(|block| parts(graph, marked, block))))
        }
    };
    steps.into_iter().filter_map(part).collect()
}

fn exchange(graph: &Graph, marked: &HashSet<ValueId>, call: &Call) -> Option<Exchange> {
    let node = &graph.nodes[call.node];
    let Attr::Host(host) = &node.attr else { return None };
    let crossing = |values: &[ValueId], at: usize, depth: usize| Crossing {
        at,
        ty: graph.ty(values[at]).clone(),
        depth,
        is_marked: marked.contains(&values[at]),
    };
    Some(Exchange {
        number: host.number,
        place: graph.places[call.node].clone(),
        depth: call.depth,
        sent: call.sent.iter().map(|&(at, depth)| crossing(&node.args, at, depth)).collect(),
        received: call.received.iter().map(|&at| crossing(&node.results, at, call.depth)).collect(),
    })
}

fn objects<'py>(py: Python<'py>, parts: &[Part], words: &impl Words<'py>) -> PyResult<Bound<'py, PyList>> {
    let made = PyList::empty(py);
    for part in parts {
        made.append(match part {
            Part::Call(exchange) => exchange.object(py, words)?,
            Part::Loop(place, body) => {
                ("loop", span(place.as_ref()), objects(py, body, words)?).into_pyobject(py)?.into_any()
            }
            Part::Branch(place, [then, orelse]) => {
                let (then, orelse) = (objects(py, then, words)?, objects(py, orelse, words)?);
                ("branch", span(place.as_ref()), then, orelse).into_pyobject(py)?.into_any()
            }
        })?;
    }
    Ok(made)
}

/// `(file, line, column, end_line, end_column)`, lines from 1, columns from 0 in bytes.
fn span(place: Option<&Loc>) -> Option<(&str, u32, u32, u32, u32)> {
    place.map(|at| (&*at.file, at.line, at.column, at.end_line, at.end_column))
}

impl Exchange {
    fn object<'py>(&self, py: Python<'py>, words: &impl Words<'py>) -> PyResult<Bound<'py, PyAny>> {
        let values = |all: &[Crossing]| {
            let one = |c: &Crossing| Ok((c.at, words.spec(&c.ty)?, c.depth, c.is_marked));
            all.iter().map(one).collect::<PyResult<Vec<_>>>()
        };
        let (name, is_explicit, arguments) = words.function(self.number)?;
        let call = ("call", self.number, name, is_explicit, span(self.place.as_ref()), self.depth);
        let crossing = (arguments, values(&self.sent)?, values(&self.received)?);
        call.into_pyobject(py)?.add(crossing.into_pyobject(py)?)
    }
}
