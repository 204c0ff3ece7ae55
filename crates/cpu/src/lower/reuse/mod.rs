//! Stores that need no copy: the array that a store changes is nobody else's, and nobody reads it afterwards. Rows that
//! are added behind such an array, or taken from its end, need no copy either: its memory grows.
//!
//! A *chain* is a run of values that share one piece of memory: `x`, then `put x, …`, then what a loop or branch makes of
//! that, and so on. It begins with memory of its own: the result of a store that copies, a carry that a loop begins
//! with a copy, or a parameter of the graph, which the caller copies where the memory is not lent to be changed. A value is *read late* where something that is computed only when it is needed reads it: a slice of it, a
//! sum of two arrays. Each link of a chain comes after all other reads of the value before it, the late ones too. A row
//! that would be read too late is copied where it is taken, which costs less than the array that it is taken from.

mod survey;

use gw_base::Id;
use gw_ir::{Attr, AxisSlice, Bound, Graph, NodeId, Op, RegionId, ValueId};

use survey::{Reads, Survey, Use};

/// Stores that are made in place.
#[derive(Debug, Default)]
pub(super) struct Reuse {
    puts: Vec<Found>,
    /// Rows that are added or taken in place.
    resized: Vec<NodeId>,
    carries: Vec<Carried>,
    /// Rows that are copied where they are taken.
    copied: Vec<NodeId>,
    /// Results of `try`s, by their positions, that lie in the memory of values from before.
    tries: Vec<(NodeId, usize, ValueId)>,
    /// The parameters of the graph into whose memory it stores.
    stored_into: Vec<usize>,
    /// The number of the chain that each value belongs to; 0 for none. Values of one chain lie in the same memory.
    chains: Vec<usize>,
    /// The number of chains that were begun.
    begun: usize,
}

/// A carry that its loop changes in place.
#[derive(Debug, Clone, Copy)]
struct Carried {
    node: NodeId,
    at: usize,
    how: InPlace,
}

/// Manner in which a loop changes a carry in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InPlace {
    /// It begins with a copy of the first value.
    pub(super) copies: bool,
    /// It has more or fewer rows from one iteration to the next.
    pub(super) resizes: bool,
    /// Its memory is the one of another such carry in the next iteration.
    pub(super) swaps: bool,
}

/// A store in place.
#[derive(Debug, Clone, Copy)]
struct Found {
    node: NodeId,
    /// True if the stored value is read from the array itself.
    from_itself: bool,
}

/// Fate of a value of a chain, at the end of its life in a region.
enum Fate {
    /// It is the region's result at this position.
    Yielded(usize),
    /// The next value of the chain takes its memory.
    Linked(ValueId),
    /// The chain ends.
    Ended,
}

impl Reuse {
    /// Decides for a whole graph.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut reuse = Self::default();
        let changes = |node: &gw_ir::Node| node.op == Op::Put || node.op == Op::Concat;
        if graph.nodes.iter().any(|(_, node)| changes(node)) {
            let survey = Survey::new(graph);
            reuse.chains = vec![0; graph.values.len()];
            reuse.params(&survey);
            graph.roots().into_iter().for_each(|root| reuse.region(&survey, root));
        }
        reuse
    }

    /// Answer for a store in place: true if the stored value is read from the array itself; nothing if the
    /// store is not in place.
    pub(super) fn in_place(&self, node: NodeId) -> Option<bool> {
        self.puts.iter().find(|found| found.node == node).map(|found| found.from_itself)
    }

    /// Manner in which a loop changes a carry in place, if it does.
    pub(super) fn carry(&self, node: NodeId, at: usize) -> Option<InPlace> {
        self.carries.iter().find(|carry| (carry.node, carry.at) == (node, at)).map(|carry| carry.how)
    }

    /// True if rows are added to an array or taken from it in its own memory.
    pub(super) fn resizes(&self, node: NodeId) -> bool {
        self.resized.contains(&node)
    }

    /// True if a row is copied where it is taken, since the array changes before it is read.
    pub(super) fn copies(&self, node: NodeId) -> bool {
        self.copied.contains(&node)
    }

    /// The value from before in whose memory the result of a `try` lies, if it lies in such.
    pub(super) fn lies_in(&self, node: NodeId, at: usize) -> Option<ValueId> {
        self.tries.iter().find(|found| (found.0, found.1) == (node, at)).map(|found| found.2)
    }

    /// The parameters of the graph into whose memory it stores, in ascending order.
    pub(super) fn stored_into(&self) -> &[usize] {
        &self.stored_into
    }

    /// Number of decisions, to go back to.
    fn mark(&self) -> [usize; 5] {
        [self.puts.len(), self.resized.len(), self.carries.len(), self.copied.len(), self.tries.len()]
    }

    fn go_back(&mut self, [puts, resized, carries, copied, tries]: [usize; 5]) {
        self.puts.truncate(puts);
        self.resized.truncate(resized);
        self.carries.truncate(carries);
        self.copied.truncate(copied);
        self.tries.truncate(tries);
    }

    /// Chains that begin with parameters of the graph. The host may keep what it is given, so a graph that calls it has none.
    fn params(&mut self, survey: &Survey) {
        let graph = survey.graph;
        if graph.nodes.iter().any(|(_, node)| node.op.is_of_host()) {
            return;
        }
        for (at, &param) in graph.params().iter().enumerate() {
            let ty = graph.ty(param);
            if ty.is_scalar() || !ty.dtype.is_number() {
                continue;
            }
            let before = self.mark();
            self.begun += 1;
            let _rest = self.follow(survey, param, graph.body);
            let after = self.mark();
            if after[0] > before[0] && after[1] == before[1] {
                self.stored_into.push(at);
            } else {
                // Nothing is stored, or memory would have to grow that is not the graph's.
                self.go_back(before);
            }
        }
    }

    fn region(&mut self, survey: &Survey, region: RegionId) {
        let graph = survey.graph;
        for &id in &graph.regions[region].nodes {
            let node = &graph.nodes[id];
            if node.op == Op::Put && self.in_place(id).is_none() {
                let before = self.mark();
                self.begun += 1;
                let _rest = self.follow(survey, node.results[0], region);
                if self.resized.len() > before[1] {
                    // Its memory is as large as the store needs.
                    self.go_back(before);
                }
            }
            if node.op == Op::While {
                for at in 0..node.args.len() {
                    self.begin_swap(survey, id, at, region);
                }
                for at in 0..node.args.len() {
                    self.begin_carry(survey, id, at, region);
                }
            }
            node.regions.iter().for_each(|&inner| self.region(survey, inner));
        }
    }

    /// A carry that is changed in place from a copy of its first value, and what comes after the loop.
    fn begin_carry(&mut self, survey: &Survey, id: NodeId, at: usize, region: RegionId) {
        if self.carry(id, at).is_some() {
            return;
        }
        let before = self.mark();
        self.begun += 1;
        if self.carried(survey, id, at, true) && self.mark()[..2] != before[..2] {
            let resizes = self.resized.len() > before[1];
            // Memory that grows moves, which the end of a `try` does not see.
            if resizes && self.tries.len() > before[4] {
                return self.go_back(before);
            }
            let whole = self.mark();
            let _rest = self.follow(survey, survey.graph.nodes[id].results[at], region);
            let grown = if resizes { self.tries.len() > whole[4] } else { self.resized.len() > whole[1] };
            if grown {
                // Values behind the loop cannot grow in memory that the loop does not.
                self.go_back(whole);
            }
        } else {
            self.go_back(before);
        }
    }

    /// Carries of which each is handed on as the next one, and the last one as the first one: their memory changes places, if anything
    /// is stored there. Each begins with a copy.
    fn begin_swap(&mut self, survey: &Survey, id: NodeId, at: usize, region: RegionId) {
        let before = self.mark();
        let Some(swapped) = self.swapped(survey, id, at) else { return self.go_back(before) };
        let [puts, resized, .., tries] = self.mark();
        if puts == before[0] || resized > before[1] || tries > before[4] {
            return self.go_back(before);
        }
        let how = InPlace { copies: true, resizes: false, swaps: true };
        self.carries.extend(swapped.iter().map(|&at| Carried { node: id, at, how }));
        for at in swapped {
            let whole = self.mark();
            self.begun += 1;
            let _rest = self.follow(survey, survey.graph.nodes[id].results[at], region);
            if self.resized.len() > whole[1] {
                self.go_back(whole);
            }
        }
    }

    /// The carries that change places with this one: at least two, of one type that stays. Each is followed through the body.
    fn swapped(&mut self, survey: &Survey, id: NodeId, first: usize) -> Option<Vec<usize>> {
        let (graph, node) = (survey.graph, &survey.graph.nodes[id]);
        let body = &graph.regions[node.regions[1]];
        let ty = graph.ty(body.params[first]);
        let (mut at, mut found) = (first, Vec::new());
        loop {
            let is_alike = graph.ty(body.params[at]) == ty && graph.ty(node.args[at]) == ty;
            let is_known = found.contains(&at) || self.carry(id, at).is_some();
            if !is_alike || is_known || ty.is_scalar() || graph.ty(body.results[at]) != ty {
                return None;
            }
            found.push(at);
            self.begun += 1;
            at = self.follow(survey, body.params[at], node.regions[1])?;
            if at == first {
                return (found.len() > 1).then_some(found);
            }
        }
    }

    /// Takes down the chain by which a loop hands this carry on; takes down nothing, and returns false, if
    /// there is none.
    fn carried(&mut self, survey: &Survey, id: NodeId, at: usize, copies: bool) -> bool {
        let body = survey.graph.nodes[id].regions[1];
        let param = survey.graph.regions[body].params[at];
        let before = self.mark();
        if survey.graph.ty(param).is_scalar() || self.follow(survey, param, body) != Some(at) {
            self.go_back(before);
            return false;
        }
        let resizes = self.resized.len() > before[1];
        self.carries.push(Carried { node: id, at, how: InPlace { copies, resizes, swaps: false } });
        true
    }

    /// Follows a chain through a region; gives the position of the result that it becomes, if it becomes one.
    fn follow(&mut self, survey: &Survey, from: ValueId, region: RegionId) -> Option<usize> {
        self.follow_beside(survey, from, region, &[])
    }

    /// The same, where values from around the region read the first value late.
    fn follow_beside(
        &mut self,
        survey: &Survey,
        from: ValueId,
        region: RegionId,
        readers: &[ValueId],
    ) -> Option<usize> {
        let (mut value, mut readers) = (from, readers);
        loop {
            self.chains[value.index()] = self.begun;
            match self.fate(survey, value, region, readers) {
                Fate::Yielded(at) => return Some(at),
                // All that read the value before did so before the link.
                Fate::Linked(next) => (value, readers) = (next, &[]),
                Fate::Ended => return None,
            }
        }
    }

    fn fate(&mut self, survey: &Survey, value: ValueId, region: RegionId, readers: &[ValueId]) -> Fate {
        let uses: Vec<(Use, usize)> = survey.uses_in(value, region).collect();
        let ends: Vec<usize> = uses
            .iter()
            .filter_map(|(used, _)| match used {
                Use::End(r, at) if *r == region => Some(*at),
                Use::End(..) | Use::Node(_) => None,
            })
            .collect();
        let end = survey.graph.regions[region].nodes.len();
        if let [at] = ends[..] {
            let read = self.read_before(survey, (value, readers), region, None, end);
            return read.map_or(Fate::Ended, |_| Fate::Yielded(at));
        }
        let Some(&(_, last)) = uses.iter().max_by_key(|(_, at)| *at).filter(|_| ends.is_empty()) else {
            return Fate::Ended;
        };
        let link = survey.graph.regions[region].nodes[last];
        let Some(reads) = self.read_before(survey, (value, readers), region, Some(link), last + 1) else {
            return Fate::Ended;
        };
        let also = reads.times.contains(&last);
        self.link(survey, (value, &reads.readers), link, also).map_or(Fate::Ended, Fate::Linked)
    }

    /// The reads of a value, by itself and by values from around the region, if they are all before `limit`; copies the rows of it
    /// that stand against that.
    fn read_before(
        &mut self,
        survey: &Survey,
        value: (ValueId, &[ValueId]),
        region: RegionId,
        link: Option<NodeId>,
        limit: usize,
    ) -> Option<Reads> {
        let before = self.copied.len();
        let early = |reads: &Reads| reads.times.iter().all(|&read| read < limit);
        let mut reads = survey.reads(value, region, link, &self.copied);
        if !early(&reads) {
            self.copied.extend(survey.rows(value.0, region, limit));
            reads = survey.reads(value, region, link, &self.copied);
        }
        if early(&reads) {
            return Some(reads);
        }
        self.copied.truncate(before);
        None
    }

    /// The value that takes over the memory in the last node that uses it; `also` if that node reads it otherwise too. In a branch it
    /// may be read by values from before, until it is stored into.
    fn link(
        &mut self,
        survey: &Survey,
        (value, readers): (ValueId, &[ValueId]),
        link: NodeId,
        also: bool,
    ) -> Option<ValueId> {
        let node = &survey.graph.nodes[link];
        let arguments = node.args.iter().filter(|arg| **arg == value).count();
        if node.op == Op::Put && node.args[0] == value {
            self.puts.push(Found { node: link, from_itself: also || arguments > 1 });
            return Some(node.results[0]);
        }
        if resizes(survey.graph, link, value) && arguments == 1 && !also {
            self.resized.push(link);
            return Some(node.results[0]);
        }
        if node.op == Op::While && arguments == 1 && !also && !survey.is_used_inside(value, link) {
            let at = node.args.iter().position(|arg| *arg == value)?;
            return self.carried(survey, link, at, false).then(|| node.results[at]);
        }
        if node.op == Op::Try && !also {
            return self.through_try(survey, value, link);
        }
        if node.op != Op::Cond || arguments > 0 || also {
            return None;
        }
        let before = self.mark();
        let [then, otherwise] =
            [0, 1].map(|side| self.follow_beside(survey, value, node.regions[side], readers));
        if then.is_none() || then != otherwise {
            self.go_back(before);
            return None;
        }
        then.map(|at| node.results[at])
    }

    /// The result of a `try` that lies in the memory of a value which nobody uses behind it: the body gives the chain's last
    /// value, and each `leave` one of the chain.
    fn through_try(&mut self, survey: &Survey, value: ValueId, link: NodeId) -> Option<ValueId> {
        let node = &survey.graph.nodes[link];
        let at = self.follow(survey, value, node.regions[0])?;
        if survey.graph.ty(value).is_scalar() {
            return None;
        }
        let given = |leave: &NodeId| survey.graph.nodes[*leave].args[1 + at];
        let leaves = survey.leaves.get(&link).map_or(&[][..], Vec::as_slice);
        if leaves.iter().any(|leave| self.chains[given(leave).index()] != self.begun) {
            return None;
        }
        self.tries.push((link, at, value));
        Some(node.results[at])
    }
}

/// True if a node adds rows behind an array, all of whose other lengths are known, or takes some from its
/// end.
fn resizes(graph: &Graph, node: NodeId, value: ValueId) -> bool {
    let node = &graph.nodes[node];
    let dims = &graph.ty(value).shape.0;
    let rows = !dims.is_empty() && dims[1..].iter().all(|dim| dim.fixed().is_some());
    if !rows || node.args.first() != Some(&value) {
        return false;
    }
    if let Attr::Slices(slices) = &node.attr {
        let whole = |slice: &AxisSlice| *slice == AxisSlice::ALL;
        let first = slices[0].start == Bound::Open && slices[0].step == 1;
        return node.op == Op::Slice && first && slices[1..].iter().all(whole);
    }
    node.op == Op::Concat && node.attr == Attr::Axis(0)
}
