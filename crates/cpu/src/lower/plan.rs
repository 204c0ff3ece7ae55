//! The plan of delayed arrays: they are computed inside the loops of their only consumer and never put into memory. Several
//! consumers whose elements are computed in one loop count as one.

use gw_base::Id;
use gw_ir::{Attr, Class, Graph, Literal, Needs, Node, NodeId, Op, RegionId, ValueDef, ValueId};

/// At most so many delayed values feed each other: a loop's body stays short enough for the machine's registers.
const DEEPEST: usize = 40;

/// Decision about each value.
#[derive(Debug)]
pub(super) struct Plan {
    delayed: Vec<bool>,
    consumers: Vec<Consumer>,
    loops: Vec<Loop>,
}

/// Consumer of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consumer {
    Nobody,
    /// One node, however often, in this region.
    Node(NodeId, RegionId),
    /// The end of this region.
    End(RegionId),
    Several,
}

impl Consumer {
    fn add(&mut self, by: Self) {
        *self = match *self {
            Self::Nobody => by,
            same if same == by && !matches!(by, Self::End(_)) => same,
            Self::Node(..) | Self::End(_) | Self::Several => Self::Several,
        };
    }
}

/// Loop that reads the elements of a value, each at its own position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loop {
    Nobodys,
    /// That of this node.
    Of(NodeId),
    /// Loops of several, or one that reads them otherwise.
    Others,
}

impl Plan {
    /// Decides for a whole graph.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut survey = Survey {
            graph,
            consumers: vec![Consumer::Nobody; graph.values.len()],
            staying: vec![Consumer::Nobody; graph.values.len()],
            loops: vec![Loop::Nobodys; graph.values.len()],
            regions: vec![None; graph.nodes.len()],
        };
        let roots = graph.roots();
        roots.iter().for_each(|&root| survey.region(root));
        roots.iter().for_each(|&root| survey.find_loops(root));
        let delayed = vec![false; graph.values.len()];
        let mut plan = Self { delayed, consumers: Vec::new(), loops: Vec::new() };
        let mut depths = vec![0; graph.values.len()];
        roots.iter().for_each(|&root| plan.decide(&survey, root, &mut depths));
        (plan.consumers, plan.loops) = (survey.consumers, survey.loops);
        plan
    }

    /// Decides for a region, in order; `depths` counts the delayed values that lie on the way to an element.
    fn decide(&mut self, survey: &Survey, region: RegionId, depths: &mut [usize]) {
        let graph = survey.graph;
        for node in graph.regions[region].nodes.iter().map(|&id| &graph.nodes[id]) {
            node.regions.iter().for_each(|&inner| self.decide(survey, inner, depths));
            let depth = 1 + node.args.iter().map(|arg| depths[arg.index()]).max().unwrap_or(0);
            for &result in &node.results {
                if depth <= DEEPEST && survey.is_delayed(result) {
                    self.delayed[result.index()] = true;
                    depths[result.index()] = depth;
                }
            }
        }
    }

    /// True if a value is computed where it is read.
    pub(super) fn is_delayed(&self, value: ValueId) -> bool {
        self.delayed[value.index()]
    }

    /// The node in whose loop the elements of a value are read, each at its own position, if there is no other loop.
    pub(super) fn only_loop(&self, value: ValueId) -> Option<NodeId> {
        match self.loops[value.index()] {
            Loop::Of(node) => Some(node),
            Loop::Nobodys | Loop::Others => None,
        }
    }

    /// The node that reads a value, if there is no other.
    pub(super) fn only_reader(&self, value: ValueId) -> Option<NodeId> {
        match self.consumers[value.index()] {
            Consumer::Node(reader, _) => Some(reader),
            Consumer::Nobody | Consumer::End(_) | Consumer::Several => None,
        }
    }
}

struct Survey<'g> {
    graph: &'g Graph,
    consumers: Vec<Consumer>,
    /// Those of arrays that are no `leave`s: an array that a `leave` gives is computed there, where the run seldom comes by.
    staying: Vec<Consumer>,
    loops: Vec<Loop>,
    /// The region that lists each node.
    regions: Vec<Option<RegionId>>,
}

impl Survey<'_> {
    fn region(&mut self, id: RegionId) {
        let region = &self.graph.regions[id];
        for &at in &region.nodes {
            self.regions[at.index()] = Some(id);
            let node = &self.graph.nodes[at];
            if node.op != Op::Dim {
                node.args.iter().for_each(|&arg| self.consume(arg, Consumer::Node(at, id), Some(node.op)));
            }
            node.regions.iter().for_each(|&inner| self.region(inner));
        }
        region.results.iter().for_each(|&result| self.consume(result, Consumer::End(id), None));
    }

    fn consume(&mut self, value: ValueId, by: Consumer, op: Option<Op>) {
        self.consumers[value.index()].add(by);
        if op != Some(Op::Leave) || self.graph.ty(value).is_scalar() {
            self.staying[value.index()].add(by);
        }
    }

    /// Finds the loops that read each value, the last readers first.
    fn find_loops(&mut self, id: RegionId) {
        let region = &self.graph.regions[id];
        region.results.iter().for_each(|&result| self.loops[result.index()] = Loop::Others);
        for &at in region.nodes.iter().rev() {
            let node = &self.graph.nodes[at];
            node.regions.iter().for_each(|&inner| self.find_loops(inner));
            for &arg in &node.args {
                let found = if self.reads_in_place(at, arg) { self.loop_of(at) } else { Loop::Others };
                let known = &mut self.loops[arg.index()];
                *known = if [Loop::Nobodys, found].contains(known) { found } else { Loop::Others };
            }
        }
    }

    /// True if a node beside the definer of a value computes each of its elements from that in the same
    /// place.
    fn reads_in_place(&self, at: NodeId, value: ValueId) -> bool {
        let node = &self.graph.nodes[at];
        let shape = &self.graph.ty(value).shape;
        let beside = self
            .graph
            .definer(value)
            .is_some_and(|definer| self.regions[definer.index()] == self.regions[at.index()]);
        beside
            && node.op.class() == Class::Elementwise
            && shape.lengths().is_some()
            && node.results.iter().all(|&result| self.graph.ty(result).shape == *shape)
    }

    /// The loop in which the elements of an elementwise node are computed.
    fn loop_of(&self, at: NodeId) -> Loop {
        let &[result] = &self.graph.nodes[at].results[..] else { return Loop::Others };
        match self.consumers[result.index()] {
            Consumer::Node(..) | Consumer::Several if self.is_delayed(result) => self.loops[result.index()],
            Consumer::Nobody | Consumer::Node(..) | Consumer::End(_) | Consumer::Several => Loop::Of(at),
        }
    }

    fn is_delayed(&self, value: ValueId) -> bool {
        let ValueDef::Result(definer, _) = self.graph.values[value].def else { return false };
        let node = &self.graph.nodes[definer];
        let here = self.regions[definer.index()];
        let can = match node.op.class() {
            Class::Elementwise => !may_fail(self.graph, node),
            Class::Move => node.op.is_view(),
            Class::Source => node.op == Op::Range,
            Class::Reduce | Class::Contract | Class::Matrices | Class::Control | Class::Effect => false,
        };
        can && match self.staying[value.index()] {
            Consumer::Nobody => true,
            Consumer::Node(at, region) => Some(region) == here && self.reads_once(value, at),
            Consumer::End(region) => Some(region) == here,
            Consumer::Several => is_free(node) || self.is_read_in_one_loop(value),
        }
    }

    fn is_read_in_one_loop(&self, value: ValueId) -> bool {
        matches!(self.loops[value.index()], Loop::Of(_)) && !self.graph.ty(value).is_scalar()
    }

    /// True if a node reads each element at most once, or computing it again costs next to nothing.
    fn reads_once(&self, value: ValueId, consumer: NodeId) -> bool {
        let node = &self.graph.nodes[consumer];
        let shape = &self.graph.ty(value).shape;
        match node.op.class() {
            Class::Elementwise => node.results.iter().all(|&result| self.graph.ty(result).shape == *shape),
            Class::Reduce | Class::Control | Class::Effect | Class::Source => true,
            Class::Move if node.op == Op::Put => node.args[0] == value && !node.args[1..].contains(&value),
            Class::Move => node.op != Op::Broadcast && node.op != Op::Gather,
            Class::Contract | Class::Matrices => true,
        }
    }
}

/// True if an element costs nothing and refers to numbers only, so that it may be computed again anywhere
/// below.
fn is_free(node: &Node) -> bool {
    node.op == Op::Range
}

/// True if the op may end the run: it must be computed in its place then, whoever reads it.
pub(super) fn may_fail(graph: &Graph, node: &Node) -> bool {
    if node.checked().is_some() {
        return true;
    }
    let needs = node.op.needs();
    if needs == Needs::Any {
        return false;
    }
    let Some(&second) = node.args.get(1) else { return false };
    if !graph.ty(second).dtype.is_int() {
        return false;
    }
    let Some(literal) = literal_of(graph, second) else { return true };
    !literal.scalars().all(|number| needs.holds(number.to_i64()))
}

/// The numbers that an integer is, which may be widened to the type of its register.
pub(super) fn literal_of(graph: &Graph, value: ValueId) -> Option<&Literal> {
    let node = &graph.nodes[graph.definer(value)?];
    if let Attr::Literal(literal) = &node.attr {
        return Some(literal);
    }
    let Attr::To(wide) = node.attr else { return None };
    let narrow = *node.args.first()?;
    (graph.ty(narrow).dtype.register() == wide).then(|| literal_of(graph, narrow))?
}
