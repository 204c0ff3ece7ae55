//! Bands: nodes that treat each row by itself become one loop over the rows, which lowers all of them for one row.
//!
//! A *row* is what lies along the last axis, and a *band* a run of elementwise ops and of reductions of rows whose results
//! agree in all other axes. What such nodes hand each other is one row long and stays in the nearest cache; only what is
//! read behind the band is kept whole.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use gw_base::Id;
use gw_ir::{Attr, Class, Graph, Node, NodeId, Op, RegionId, ValueId};
use gw_types::DType;

use super::arrays::View;
use super::control::Home;
use super::plan::may_fail;
use super::spread::Work;
use super::{Held, Lower, Lowers, broken};
use crate::loops::Var;

/// Lengths of rows that are worth a loop for each, and of which some stay in the nearest cache.
const ROW: RangeInclusive<usize> = 256..=16_384;

/// A run of nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Band {
    /// In the order in which they run.
    nodes: Vec<NodeId>,
    /// Numbers and constants that stand between them and need nothing of theirs.
    numbers: Vec<NodeId>,
    /// The lengths of all axes but the last.
    rows: Vec<usize>,
    /// Arrays that are read row by row.
    inputs: Vec<ValueId>,
    /// Results that are read elsewhere.
    outputs: Vec<ValueId>,
    /// The length of the longest row.
    longest: usize,
}

impl Band {
    /// How many nodes of a region it stands for.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.numbers.len()
    }
}

/// The bands of a graph, each by its first node.
#[derive(Debug, Default)]
pub(super) struct Bands(HashMap<NodeId, Band>);

impl Bands {
    /// Finds those of a whole graph.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut bands = Self::default();
        if graph.nodes.iter().any(|(_, node)| reduces_rows(graph, node)) {
            let values = graph.values.len();
            let mut survey = Survey { graph, readers: vec![Vec::new(); values], given: vec![false; values] };
            let roots = graph.roots();
            roots.iter().for_each(|&root| survey.region(root));
            roots.iter().for_each(|&root| bands.region(&survey, root));
        }
        bands
    }

    /// The band that begins with a node.
    pub(super) fn begun_by(&self, node: NodeId) -> Option<&Band> {
        self.0.get(&node)
    }

    fn region(&mut self, survey: &Survey, region: RegionId) {
        let nodes = &survey.graph.regions[region].nodes;
        for &id in nodes {
            survey.graph.nodes[id].regions.iter().for_each(|&inner| self.region(survey, inner));
        }
        let mut at = 0;
        while at < nodes.len() {
            let band = survey.run(&nodes[at..]);
            at += band.len().max(1);
            if let Some(&first) = band.nodes.first()
                && survey.is_worth_it(&band)
            {
                self.0.insert(first, band);
            }
        }
    }
}

/// Who reads what.
struct Survey<'g> {
    graph: &'g Graph,
    readers: Vec<Vec<NodeId>>,
    /// What some region gives.
    given: Vec<bool>,
}

impl Survey<'_> {
    fn region(&mut self, id: RegionId) {
        let region = &self.graph.regions[id];
        for &at in &region.nodes {
            let node = &self.graph.nodes[at];
            node.args.iter().for_each(|arg| self.readers[arg.index()].push(at));
            node.regions.iter().for_each(|&inner| self.region(inner));
        }
        region.results.iter().for_each(|result| self.given[result.index()] = true);
    }

    /// The band that begins with the first of these nodes; it has no nodes if that is in none.
    fn run(&self, nodes: &[NodeId]) -> Band {
        let graph = self.graph;
        let mut band = Band::default();
        let first = graph.nodes[nodes[0]].results.first();
        let Some((rows, _)) = first.and_then(|&result| rows_of(graph, result)) else { return band };
        band.rows = rows;
        for &id in nodes {
            let node = &graph.nodes[id];
            if joins(graph, node, &band.rows) {
                band.nodes.push(id);
            } else if is_number(graph, node) && !band.nodes.is_empty() {
                band.numbers.push(id);
            } else {
                break;
            }
        }
        self.find_ends(&mut band);
        band
    }

    /// What a band reads and what it leaves.
    fn find_ends(&self, band: &mut Band) {
        let graph = self.graph;
        let inside: HashSet<NodeId> = band.nodes.iter().copied().collect();
        for &id in &band.nodes {
            let node = &graph.nodes[id];
            let values = node.args.iter().chain(&node.results);
            let lengths = values.filter_map(|&value| rows_of(graph, value).map(|(_, length)| length));
            band.longest = lengths.fold(band.longest, usize::max);
            for &arg in &node.args {
                let made_here = graph.definer(arg).is_some_and(|definer| inside.contains(&definer));
                if !made_here && lies_in_rows(graph, arg, &band.rows) && !band.inputs.contains(&arg) {
                    band.inputs.push(arg);
                }
            }
            let read_elsewhere = |result: &ValueId| {
                self.given[result.index()]
                    || self.readers[result.index()].iter().any(|reader| !inside.contains(reader))
            };
            band.outputs.extend(node.results.iter().copied().filter(read_elsewhere));
        }
    }

    /// Whether long rows are passed over more than once, and at least one time to reduce them.
    fn is_worth_it(&self, band: &Band) -> bool {
        let graph = self.graph;
        let long = |value: ValueId| rows_of(graph, value).is_some_and(|(_, length)| ROW.contains(&length));
        let nodes = band.nodes.iter().map(|&id| &graph.nodes[id]);
        let reductions = nodes.filter(|node| reduces_rows(graph, node) && long(node.args[0])).count();
        let kept = band.outputs.iter().filter(|&&output| long(output)).count();
        reductions >= 1 && reductions + kept >= 2 && band.rows.iter().product::<usize>() >= 2
    }
}

/// The known lengths of all axes but the last, and of that.
fn rows_of(graph: &Graph, value: ValueId) -> Option<(Vec<usize>, usize)> {
    let mut lengths = graph.ty(value).shape.lengths()?;
    let last = lengths.pop()?;
    (!lengths.is_empty()).then_some((lengths, last))
}

/// Whether a value has a row for each row of a band.
fn lies_in_rows(graph: &Graph, value: ValueId, rows: &[usize]) -> bool {
    rows_of(graph, value).is_some_and(|(own, _)| own == rows)
}

/// Whether a value is the same for each row.
fn is_same_for_all(graph: &Graph, value: ValueId) -> bool {
    let shape = &graph.ty(value).shape;
    shape.rank() == 0
        || shape.lengths().is_some_and(|own| own[..own.len() - 1].iter().all(|&length| length == 1))
}

/// Whether a node reduces the last of several axes, whose lengths are known, and keeps it.
fn reduces_rows(graph: &Graph, node: &Node) -> bool {
    let Attr::Axes { axes, keep: true } = &node.attr else { return false };
    node.op.class() == Class::Reduce
        && rows_of(graph, node.args[0]).is_some_and(|(rows, _)| axes[..] == [rows.len()])
}

/// Whether a node treats each of these rows by itself, and cannot fail.
fn joins(graph: &Graph, node: &Node, rows: &[usize]) -> bool {
    let works = match node.op.class() {
        Class::Elementwise => !may_fail(graph, node),
        Class::Reduce => reduces_rows(graph, node),
        Class::Move | Class::Source | Class::Contract | Class::Matrices => false,
        Class::Control | Class::Effect => false,
    };
    let fits = |&arg: &ValueId| lies_in_rows(graph, arg, rows) || is_same_for_all(graph, arg);
    works
        && node.args.iter().all(fits)
        && node.results.iter().all(|&result| lies_in_rows(graph, result, rows) && is_numeric(graph, result))
}

fn is_numeric(graph: &Graph, value: ValueId) -> bool {
    graph.ty(value).dtype != DType::Str
}

/// Whether a node may run before a band whose results it cannot read.
fn is_number(graph: &Graph, node: &Node) -> bool {
    let computes = node.op.class() == Class::Elementwise && !may_fail(graph, node);
    let number = |&result: &ValueId| graph.ty(result).is_scalar() && is_numeric(graph, result);
    node.op == Op::Const || computes && node.results.iter().all(number)
}

impl Lower<'_> {
    /// Lowers a band; false if an array that it reads is not in memory, and nothing has been done then.
    pub(super) fn band(&mut self, band: &Band) -> Lowers<bool> {
        if !band.inputs.iter().all(|&input| self.is_ready(input, &band.rows)) {
            return Ok(false);
        }
        self.each(&band.numbers)?;
        let mut wholes = Vec::new();
        for &input in &band.inputs {
            wholes.push((input, self.materialise(input)?));
        }
        for &output in &band.outputs {
            let lengths = self.graph.ty(output).shape.lengths().unwrap_or_default();
            let dims: Vec<Var> = lengths.iter().map(|&length| self.b.word(length as i64)).collect();
            let ptr = self.room(Some(output), self.ty(output), &dims);
            wholes.push((output, self.dense(ptr, self.ty(output), dims)));
        }
        let lengths: Vec<Var> = band.rows.iter().map(|&length| self.b.word(length as i64)).collect();
        let work = Work { each: self.b.word(band.longest as i64), cost: None, own: true };
        self.spread(&lengths, work, |lower, index| lower.one_row(band, &wholes, index))?;
        for (value, whole) in wholes {
            self.hold(value, Held::View(whole));
        }
        Ok(true)
    }

    /// Whether an array is in memory, with as many rows as its type says, or will be once the numbers are there.
    fn is_ready(&self, value: ValueId, rows: &[usize]) -> bool {
        match &self.held[value.index()] {
            None => true,
            Some(Held::View(view)) => {
                let alike = |(&dim, &length): (&Var, &usize)| self.b.known(dim) == Some(length as i64);
                view.dims.iter().zip(rows).all(alike)
            }
            Some(Held::Scalar(_) | Held::Delayed(_)) => false,
        }
    }

    fn each(&mut self, nodes: &[NodeId]) -> Lowers<()> {
        let graph = self.graph;
        for &id in nodes {
            self.node = Some(id);
            self.lower_node(id, &graph.nodes[id])?;
        }
        Ok(())
    }

    /// The band for the row at a position: what it reads are rows, and so is what it leaves.
    fn one_row(&mut self, band: &Band, wholes: &[(ValueId, View)], index: &[Var]) -> Lowers<()> {
        let outside = self.homes.len();
        let mut places = Vec::new();
        for (value, whole) in wholes {
            let row = self.row(whole, index);
            if band.inputs.contains(value) {
                self.hold(*value, Held::View(row));
            } else {
                places.push((*value, row.ptr));
                self.homes.push((*value, Home::Fixed(row.ptr)));
            }
        }
        self.row_axes = band.rows.len();
        for at in 0..band.nodes.len() {
            self.put_off = self.put_off.or_else(|| self.reduced_next(&band.nodes[at..]));
            self.each(&band.nodes[at..=at])?;
        }
        for (output, place) in places {
            if self.materialise(output)?.ptr != place {
                return Err(broken("a row is not computed in its place"));
            }
        }
        self.row_axes = 0;
        self.homes.truncate(outside);
        Ok(())
    }

    /// The result of the first of these nodes if it is to be kept, and a loop that reduces what is made of it comes next: that
    /// loop keeps it, and the row is passed over once. In narrow registers reductions are no loops in lanes.
    fn reduced_next(&self, nodes: &[NodeId]) -> Option<ValueId> {
        let graph = self.graph;
        let of = |id: NodeId| &graph.nodes[id];
        let is_long = |value: ValueId| rows_of(graph, value).is_some_and(|(_, length)| ROW.contains(&length));
        let (&first, others) = nodes.split_first()?;
        let &[made] = &of(first).results[..] else { return None };
        let kept = of(first).op.class() == Class::Elementwise && !self.plan.is_delayed(made);
        if !(kept && is_long(made) && self.ty(made).is_float() && self.wide) {
            return None;
        }
        let next = others.iter().map(|&id| of(id)).find(|node| !self.plan.is_delayed(node.results[0]))?;
        let folds = matches!(next.op, Op::ReduceSum | Op::ReduceMax | Op::ReduceMin);
        (folds && is_long(next.args[0]) && self.ty(next.args[0]) == self.ty(made)).then_some(made)
    }

    /// One row of an array, as an array of one row.
    fn row(&mut self, whole: &View, index: &[Var]) -> View {
        let (own, one) = (index.len(), self.b.word(1));
        let number = self.number_of(index, &whole.strides[..own]);
        let ptr = self.b.offset(whole.ptr, number, whole.ty);
        let dims = [&vec![one; own][..], &whole.dims[own..]].concat();
        let (length, stride) = (dims[own], whole.strides[own]);
        let dense = self.b.known(stride) == Some(1) || self.b.known(length) == Some(1);
        View { ptr, ty: whole.ty, dims, strides: whole.strides.clone(), dense }
    }
}
