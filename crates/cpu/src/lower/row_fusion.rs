//! Bands: nodes that treat each row by itself become one loop over the rows, which lowers all of them for one row.
//!
//! A *row* is what lies along the last axis, and a *band* a run of elementwise ops and of reductions of rows whose results
//! agree in all other axes. What such nodes hand each other is one row long and stays in the nearest cache; only what is
//! read behind the band is kept whole.

use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::RangeInclusive;

use gw_base::Id;
use gw_ir::{Attr, Class, Graph, Node, NodeId, Op, RegionId, ValueId};
use gw_types::DType;

use super::plan::may_fail;

/// Lengths of rows that are worth a loop for each, and of which some stay in the nearest cache.
pub(super) const ROW: RangeInclusive<usize> = 256..=16_384;

/// A run of nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Band {
    /// In the order in which they run.
    pub(super) nodes: Vec<NodeId>,
    /// Numbers and constants that stand between them and need nothing of theirs.
    pub(super) numbers: Vec<NodeId>,
    /// The lengths of all axes but the last.
    pub(super) rows: Vec<usize>,
    /// Arrays that are read row by row.
    pub(super) inputs: Vec<ValueId>,
    /// Results that are read elsewhere.
    pub(super) outputs: Vec<ValueId>,
    /// The length of the longest row.
    pub(super) longest: usize,
}

impl Band {
    /// Number of nodes of a region it stands for.
    pub(super) fn len(&self) -> usize {
        self.nodes.len() + self.numbers.len()
    }
}

/// The bands of a graph, each by its first node.
#[derive(Debug, Default)]
pub(super) struct Bands(FxHashMap<NodeId, Band>);

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

/// Reads of each value.
struct Survey<'g> {
    graph: &'g Graph,
    readers: Vec<Vec<NodeId>>,
    /// True for values that some region yields.
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

    /// Finds the values that a band reads and those that it leaves.
    fn find_ends(&self, band: &mut Band) {
        let graph = self.graph;
        let inside: FxHashSet<NodeId> = band.nodes.iter().copied().collect();
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

    /// True if long rows are passed over more than once, and at least one time to reduce them.
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
pub(super) fn rows_of(graph: &Graph, value: ValueId) -> Option<(Vec<usize>, usize)> {
    let mut lengths = graph.ty(value).shape.lengths()?;
    let last = lengths.pop()?;
    (!lengths.is_empty()).then_some((lengths, last))
}

/// True if a value has a row for each row of a band.
fn lies_in_rows(graph: &Graph, value: ValueId, rows: &[usize]) -> bool {
    rows_of(graph, value).is_some_and(|(own, _)| own == rows)
}

/// True if a value is the same for each row.
fn is_same_for_all(graph: &Graph, value: ValueId) -> bool {
    let shape = &graph.ty(value).shape;
    shape.rank() == 0
        || shape.lengths().is_some_and(|own| own[..own.len() - 1].iter().all(|&length| length == 1))
}

/// True if a node reduces the last of several axes, whose lengths are known, and keeps it.
fn reduces_rows(graph: &Graph, node: &Node) -> bool {
    let Attr::Axes { axes, keep: true } = &node.attr else { return false };
    node.op.class() == Class::Reduce
        && rows_of(graph, node.args[0]).is_some_and(|(rows, _)| axes[..] == [rows.len()])
}

/// True if a node treats each of these rows by itself, and cannot fail. Parts of complex numbers lie where those do, and whole ones
/// in pairs: neither is computed in a row of its own.
fn joins(graph: &Graph, node: &Node, rows: &[usize]) -> bool {
    let works = match node.op.class() {
        Class::Elementwise => !may_fail(graph, node) && !is_of_pairs(node.op),
        Class::Reduce => reduces_rows(graph, node),
        Class::Move | Class::Source | Class::Contract | Class::Matrices => false,
        Class::Control | Class::Effect => false,
    };
    let fits = |&arg: &ValueId| lies_in_rows(graph, arg, rows) || is_same_for_all(graph, arg);
    works
        && node.args.iter().all(fits)
        && node.results.iter().all(|&result| lies_in_rows(graph, result, rows) && is_numeric(graph, result))
}

/// True for ops between complex numbers in memory and their parts.
fn is_of_pairs(op: Op) -> bool {
    matches!(op, Op::Part(_) | Op::Complex)
}

fn is_numeric(graph: &Graph, value: ValueId) -> bool {
    graph.ty(value).dtype != DType::Str
}

/// True if a node may run before a band whose results it cannot read.
fn is_number(graph: &Graph, node: &Node) -> bool {
    let computes = node.op.class() == Class::Elementwise && !may_fail(graph, node) && !is_of_pairs(node.op);
    let number = |&result: &ValueId| graph.ty(result).is_scalar() && is_numeric(graph, result);
    node.op == Op::Const || computes && node.results.iter().all(number)
}
