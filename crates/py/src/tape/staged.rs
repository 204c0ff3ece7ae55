//! Records of a tape in a graph that is being built: from which nodes to which ones it counts, and what is watched.

use std::collections::HashSet;
use std::sync::Arc;

use gw_base::Id;
use gw_grad::{Ask, Source, gradient};
use gw_ir::{Attr, Graph, NodeId, Op, RegionId, ValueDef, ValueId};
use gw_trace::Staged;
use gw_trace::calls::Call;
use gw_types::{DType, Scalar};
use pyo3::prelude::*;

use super::no_derivative;
use crate::exceptions::errors;
use crate::host::operand::Operand;
use crate::host::operands;
use crate::session::{Tracing, frames};
use crate::values::cell as tensor;
use crate::values::variable::Variable;
use crate::values::variable_cell::Cell;

/// Record of the operations that count.
#[derive(Debug, Clone)]
pub(super) struct Record {
    tracing: Arc<Tracing>,
    /// The regions that were open when the tape was entered, and how many functions were being made.
    open: (Vec<RegionId>, usize),
    /// Nodes from the first of each pair to the second, which does not count.
    spans: Vec<(usize, usize)>,
    /// Begin of the last span that has not ended.
    since: Option<usize>,
    watched: Vec<Source>,
    /// Value that each tensor object held when it was watched first.
    objects: Vec<(Arc<tensor::Cell>, ValueId)>,
    /// Source that each variable was when it was read.
    variables: Vec<(Arc<Cell>, Source)>,
}

impl Record {
    pub fn new(tracing: Arc<Tracing>) -> Self {
        let open = tracing.trace.build(|b| (b.open_regions().to_vec(), b.waiting().len()));
        let since = Some(next_node(&tracing));
        let (spans, watched, objects, variables) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tracing, open, spans, since, watched, objects, variables }
    }

    pub fn is_of(&self, tracing: &Arc<Tracing>) -> bool {
        Arc::ptr_eq(&self.tracing, tracing)
    }

    pub fn pause(&mut self) {
        if let Some(since) = self.since.take() {
            self.spans.push((since, next_node(&self.tracing)));
        }
    }

    pub fn go_on(&mut self) {
        self.since = Some(next_node(&self.tracing));
    }

    fn source(&self, value: ValueId) -> Source {
        Source { value, since: NodeId::new(next_node(&self.tracing)) }
    }

    /// Watches a value; `object` holds it, if it is that of a tensor object.
    pub fn watch(&mut self, operand: &Operand, object: Option<&Arc<tensor::Cell>>) {
        let value = match operand {
            Operand::Staged(_, staged) => staged.value,
            Operand::Tensor(buffer) => self.tracing.capture_tensor(buffer).value,
            Operand::Number(_) => return,
        };
        let source = self.source(value);
        self.watched.push(source);
        super::note_watched(&mut self.objects, object, value);
    }

    pub fn watch_variable(&mut self, cell: &Arc<Cell>, value: ValueId) {
        let known = |(known, source): &(Arc<Cell>, Source)| Arc::ptr_eq(known, cell) && source.value == value;
        if !self.variables.iter().any(known) {
            let source = self.source(value);
            self.variables.push((cell.clone(), source));
        }
    }

    pub fn cells(&self) -> Vec<Arc<Cell>> {
        super::each_once(self.variables.iter().map(|(cell, _)| cell))
    }

    fn counts(&self, node: NodeId) -> bool {
        let at = node.index();
        self.spans.iter().any(|&(from, to)| (from..to).contains(&at))
            || self.since.is_some_and(|since| at >= since)
    }

    /// The values that a source stands for: those of a variable when it was read, that of an object when it was watched, or
    /// the tensor itself.
    fn values(&self, source: &Bound<'_, PyAny>) -> PyResult<Vec<ValueId>> {
        if let Ok(variable) = source.cast::<Variable>() {
            let cell = &variable.get().cell;
            let own = |(known, _): &&(Arc<Cell>, Source)| Arc::ptr_eq(known, cell);
            return Ok(self.variables.iter().filter(own).map(|(_, source)| source.value).collect());
        }
        if source.is_none() {
            return Ok(Vec::new());
        }
        if let Some(watched) = super::first_watched(source, &self.objects) {
            return Ok(vec![watched]);
        }
        Ok(match operands::operand(source)? {
            Operand::Staged(_, staged) => vec![staged.value],
            Operand::Tensor(buffer) => vec![self.tracing.capture_tensor(&buffer).value],
            Operand::Number(_) => Vec::new(),
        })
    }

    /// Watched sources, each value once. For a variable, all values that the tape has seen count: branches and
    /// loops hand its value on before it is read.
    fn sources(&self) -> Vec<Source> {
        let watched = self.watched.iter().filter_map(|source| {
            let value = self.tracing.trace.lift(source.value)?;
            Some(Source { value, ..*source })
        });
        let variables = self.variables.iter().filter_map(|(_, source)| match self.seen(source.value) {
            Outside::Is(value) if value == source.value => Some(*source),
            Outside::Is(value) => Some(Source { value, since: NodeId::new(0) }),
            Outside::Changes | Outside::Gone => None,
        });
        let mut all: Vec<Source> = Vec::new();
        for source in watched.chain(variables) {
            match all.iter_mut().find(|known| known.value == source.value) {
                Some(known) => known.since = known.since.min(source.since),
                None => all.push(source),
            }
        }
        all
    }

    /// The values here that a source stands for: of a variable that which was read first, since what is assigned to it
    /// later depends on that or on nothing of it, by all the names that branches and loops have for it.
    fn wanted(&self, source: &Bound<'_, PyAny>, py: Python<'_>) -> PyResult<Vec<ValueId>> {
        let mut found: Vec<ValueId> = Vec::new();
        let mut first = None;
        for value in self.values(source)? {
            match self.seen(value) {
                Outside::Is(value) => {
                    let own = self.tracing.trace.build(|b| settled(b.graph(), value));
                    if *first.get_or_insert(own) == own && !found.contains(&value) {
                        found.push(value);
                    }
                }
                Outside::Gone => {}
                Outside::Changes if found.is_empty() => return Err(changed_inside(py)),
                Outside::Changes => {}
            }
        }
        Ok(found)
    }

    /// Classifies, at this point, a value that was read. A branch or loop before the tape hands on a value of its
    /// own: nothing flows back through code that does not count.
    fn seen(&self, value: ValueId) -> Outside {
        let definer = self.tracing.trace.build(|b| b.graph().definer(value));
        match self.tracing.trace.lift(value) {
            Some(here) if definer.is_some_and(|node| !self.counts(node)) => Outside::Is(here),
            Some(_) | None => outside(&self.tracing, value, &mut HashSet::new()),
        }
    }

    /// The tape was entered here, or in a branch or loop around which no turn has ended since.
    fn judge_place(&self, py: Python<'_>) -> PyResult<()> {
        let fits = self.tracing.trace.build(|b| {
            let open = b.open_regions();
            let within = open.strip_prefix(self.open.0.as_slice());
            let is_loop = |region: &RegionId| !b.graph().regions[*region].params.is_empty();
            b.waiting().len() == self.open.1 && within.is_some_and(|inner| !inner.iter().any(is_loop))
        });
        if fits {
            return Ok(());
        }
        let message = "a derivative is asked in a loop or function of the graph, of a tape from outside it";
        let help = "enter the tape where it is asked, or ask it after the loop";
        Err(errors::here(py, gw_base::Code::NoGradient, message, help))
    }
}

fn next_node(tracing: &Tracing) -> usize {
    tracing.trace.build(|b| b.graph().nodes.len())
}

/// The cotangents of the sources.
pub(super) fn flows(
    py: Python<'_>,
    record: &Record,
    targets: &[Bound<'_, PyAny>],
    seeds: &[Option<Bound<'_, PyAny>>],
    sources: &[Bound<'_, PyAny>],
) -> PyResult<Vec<Option<Operand>>> {
    let tracing = &record.tracing;
    record.judge_place(py)?;
    let targets = targets_of(py, tracing, targets, seeds)?;
    let all = record.sources();
    let wanted = sources.iter().map(|source| record.wanted(source, py)).collect::<PyResult<Vec<_>>>()?;
    tracing.trace.set_place(frames::place(py));
    let ask = Ask { targets: &targets, sources: &all, recorded: &|node| record.counts(node) };
    // The gradient goes through the places that the forward pass went through, which were checked there.
    let flows = tracing.trace.with_checked_index(|| tracing.trace.build(|b| gradient(b, &ask)));
    let flows = flows.map_err(|stop| no_derivative(py, stop.into()))?;
    let mut found = Vec::with_capacity(sources.len());
    for values in wanted {
        let at = |value| all.iter().position(|known| known.value == value);
        let parts = values.into_iter().filter_map(at).filter_map(|at| flows[at]);
        let parts = parts.map(|flow| Operand::Staged(tracing.clone(), Staged::strong(flow)));
        found.push(summed(py, parts.collect())?);
    }
    Ok(found)
}

/// Gradient that flows back to a value that has several names.
fn summed(py: Python<'_>, parts: Vec<Operand>) -> PyResult<Option<Operand>> {
    let mut parts = parts.into_iter();
    let Some(mut sum) = parts.next() else { return Ok(None) };
    for part in parts {
        sum = operands::apply(py, &Call::wrapping(gw_ir::BinaryOp::Add), vec![sum, part])?;
    }
    Ok(Some(sum))
}

/// Value of a variable at the point where a derivative is asked.
enum Outside {
    /// This one: what loops and branches leave as they find it is one value.
    Is(ValueId),
    /// One that is made inside.
    Changes,
    /// Nothing: the body of the loop was begun anew since.
    Gone,
}

fn outside(tracing: &Tracing, value: ValueId, met: &mut HashSet<ValueId>) -> Outside {
    let value = tracing.trace.build(|b| settled(b.graph(), value));
    if let Some(here) = tracing.trace.lift(value) {
        return Outside::Is(here);
    }
    if !met.insert(value) {
        return Outside::Gone;
    }
    let Some(before) = tracing.trace.build(|b| before(b.graph(), value)) else { return Outside::Changes };
    let mut found = Outside::Gone;
    for value in before {
        found = match (outside(tracing, value, met), found) {
            (Outside::Changes, _) => return Outside::Changes,
            (Outside::Is(one), Outside::Is(other)) if one != other => return Outside::Changes,
            (Outside::Gone, found) | (found @ Outside::Is(_), _) => found,
        };
    }
    found
}

/// Value as it was before the branches and loops that give it and do not change it.
pub(super) fn settled(graph: &Graph, value: ValueId) -> ValueId {
    let ValueDef::Result(id, at) = graph.values[value].def else { return value };
    let node = &graph.nodes[id];
    let given =
        |region: &RegionId| graph.regions[*region].results.get(at).map(|&given| settled(graph, given));
    match (node.op, node.regions.as_slice()) {
        (Op::Cond, [then, other]) => match given(then) {
            Some(same) if given(other) == Some(same) => settled(graph, same),
            Some(_) | None => value,
        },
        (Op::While, [_, body]) if given(body).as_ref() == graph.regions[*body].params.get(at) => {
            settled(graph, node.args[at])
        }
        (..) => value,
    }
}

/// Values of a parameter before the first iteration of its loop, or before each call of its function.
fn before(graph: &Graph, value: ValueId) -> Option<Vec<ValueId>> {
    let ValueDef::Param(region, at) = graph.values[value].def else { return None };
    if let Some((function, _)) = graph.functions.iter().find(|(_, function)| function.body == region) {
        let calls = graph.nodes.iter().filter(|(_, node)| node.attr == Attr::Function(function));
        return Some(calls.filter_map(|(_, node)| node.args.get(at).copied()).collect());
    }
    let Some((_, node)) = graph.nodes.iter().find(|(_, node)| node.regions.contains(&region)) else {
        return Some(Vec::new());
    };
    node.args.get(at).map(|&first| vec![first])
}

/// The targets that are floats, with their cotangents: ones, where none are given.
fn targets_of(
    py: Python<'_>,
    tracing: &Arc<Tracing>,
    targets: &[Bound<'_, PyAny>],
    seeds: &[Option<Bound<'_, PyAny>>],
) -> PyResult<Vec<(ValueId, ValueId)>> {
    let mut found = Vec::with_capacity(targets.len());
    for (target, seed) in targets.iter().zip(seeds) {
        let target = operands::operand(target)?;
        if !target.dtype().is_fractional() {
            continue;
        }
        let dtype: DType = target.dtype();
        let seed = match seed {
            Some(seed) => operands::operand(seed)?,
            None => {
                let one = Operand::Number(Scalar::Float(1.0));
                operands::apply(py, &Call::FullLike(None), vec![target.clone(), one])?
            }
        };
        let seed = operands::apply(py, &Call::Cast(dtype), vec![seed])?;
        found.push((operands::stage(tracing, &target).value, operands::stage(tracing, &seed).value));
    }
    Ok(found)
}

/// A variable was read first where a loop or branch had assigned to it.
fn changed_inside(py: Python<'_>) -> PyErr {
    let message = "a variable is read under the tape after a loop or branch has assigned to it inside";
    let help = "read the variable before, or enter the tape inside the loop or branch";
    errors::here(py, gw_base::Code::NoGradient, message, help)
}
