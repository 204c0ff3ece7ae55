//! Graph to loops. Numbers live in variables; arrays in memory, or nowhere yet: an array that one consumer reads once
//! is *delayed* and computed inside the consumer's loops.

mod arrays;
mod calls;
mod casts;
mod choices;
mod columns;
mod cond;
mod context;
mod conv;
mod counters;
mod effects;
mod entry;
mod fused_rows;
mod grow;
mod integers;
mod kernels;
mod matmul;
mod matrices;
mod moves;
mod place;
mod plan;
mod put;
mod random;
mod reduce;
mod reuse;
mod row_fusion;
mod row_kernels;
mod scalars;
mod spread;
mod transposed;
mod tries;
mod while_;

use rustc_hash::FxHashMap;

use gw_base::Broken;
use gw_ir::{ArgOp, BinaryOp, Graph, Node, NodeId, Op, ReduceOp, RegionId};
use gw_runtime::{Buffer, Site};

use crate::loops::{Build, Func, allocate_buffers, count_turns, outline};
use context::{Lower, Lowers};
use plan::Plan;
use reduce::Fold;
use reuse::Reuse;
use row_fusion::Bands;
pub(crate) use spread::GRAIN;

/// A function in loops with all that it refers to.
pub(crate) struct Lowered {
    pub(crate) func: Func,
    /// The functions that it calls.
    pub(crate) functions: Vec<Func>,
    /// Functions that execute runs of shared loops of all these.
    pub(crate) pieces: Vec<Func>,
    /// Least bytes of each slot of each of them.
    pub(crate) function_slots: Vec<Vec<usize>>,
    pub(crate) sites: Vec<Site>,
    /// Least bytes of each slot; 0 for those that grow.
    pub(crate) slots: Vec<usize>,
    pub(crate) literals: Vec<Buffer>,
    /// Words of the scratch area.
    pub(crate) scratch: usize,
    /// The parameters into whose memory the code stores.
    pub(crate) stored_into: Vec<usize>,
}

/// Lowers a verified graph; runs of shared loops take at least so many picoseconds, and reductions are loops in lanes if these
/// are `wide`; the code of each node is marked with the number of the graph if there is one.
///
/// # Errors
/// If the graph is not legal after all.
pub(crate) fn lower(graph: &Graph, grain: i64, wide: bool, marking: Option<i64>) -> Result<Lowered, Broken> {
    let known = graph.nodes.len();
    let graph = graph.in_parts();
    let graph = &*graph.in_registers();
    let mut lower = Lower {
        graph,
        known,
        marking,
        grain,
        wide,
        plan: Plan::new(graph),
        reuse: Reuse::new(graph),
        bands: Bands::new(graph),
        row_axes: 0,
        elements: 0,
        calls: None,
        of_arrays: false,
        own: None,
        put_off: None,
        spreading: false,
        addressed: 0,
        growing: FxHashMap::default(),
        b: Build::new(),
        held: vec![None; graph.values.len()],
        born: vec![0; graph.values.len()],
        depth: 0,
        functions: graph.called(),
        frame: None,
        tries: Vec::new(),
        homes: Vec::new(),
        housed: Vec::new(),
        memo: Vec::new(),
        rests: FxHashMap::default(),
        node: None,
        sites: Vec::new(),
        slots: Vec::new(),
        literals: Vec::new(),
        scratch: 2,
    };
    lower.params()?;
    lower.region(graph.body)?;
    lower.results()?;
    let (mut functions, mut function_slots) = (Vec::new(), Vec::new());
    for (index, function) in graph.called().into_iter().enumerate() {
        let (func, slots) = lower.function(index, function)?;
        functions.push(func);
        function_slots.push(slots);
    }
    let stored_into = lower.reuse.stored_into().to_vec();
    let Lower { b, sites, mut slots, literals, scratch, .. } = lower;
    let ranges = b.ranges();
    let (mut func, mut pieces) = (b.finish(&graph.name), Vec::new());
    count_turns(&mut func, ranges);
    allocate_buffers(&mut func, None, &mut slots);
    std::iter::once(&mut func).chain(&mut functions).for_each(|func| outline(func, &mut pieces));
    Ok(Lowered { func, functions, pieces, function_slots, sites, slots, literals, scratch, stored_into })
}

impl Lower<'_> {
    /// Lowers the nodes of a region in order.
    pub(super) fn region(&mut self, region: RegionId) -> Lowers<()> {
        let graph = self.graph;
        let nodes = &graph.regions[region].nodes;
        self.depth += 1;
        let mut at = 0;
        while let Some(&id) = nodes.get(at) {
            self.mark(id);
            if let Some(band) = self.bands.begun_by(id).cloned()
                && self.band(&band)?
            {
                at += band.len();
                continue;
            }
            self.node = Some(id);
            self.lower_node(id, &graph.nodes[id])?;
            at += 1;
        }
        self.depth -= 1;
        Ok(())
    }

    pub(super) fn lower_node(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        match node.op {
            Op::Binary(BinaryOp::RandomBits) if self.random_in_memory(id, node)? => Ok(()),
            Op::Cast if self.random_singles(id, node)? => Ok(()),
            Op::Unary(_) | Op::Test(_) | Op::Binary(_) | Op::Compare(_) => self.elementwise(id, node),
            Op::Cast => self.cast_of_arrays(id, node),
            Op::String(_) | Op::Select | Op::Foreign => self.elementwise(id, node),
            Op::Part(op) => self.part(op, node),
            Op::Complex => self.complex(node),
            Op::Reduce(op) => self.reduce(node, fold_of(op)),
            Op::Arg(ArgOp::Max | ArgOp::Min) => self.arg_reduce(node),
            Op::Arg(ArgOp::Sort) => self.arg_sort(node),
            Op::Arg(ArgOp::Top) => self.arg_top(node),
            Op::Reshape => self.reshape(node),
            Op::Broadcast => self.broadcast(node),
            Op::Sort => self.sort(node),
            Op::Transpose => self.transpose(node),
            Op::Slice => self.slice(id, node),
            Op::Index => self.index(id, node),
            Op::Gather => self.gather(id, node),
            Op::Concat => self.concat(id, node),
            Op::Put => self.put(id, node),
            Op::Matmul => self.matmul(node),
            Op::Conv2d => self.conv2d(node),
            Op::Matrix(op) => self.matrices(op, node),
            Op::Const => self.constant(node),
            Op::Range => self.range(node),
            Op::Dim => self.dim(node),
            Op::Cond => self.cond(node),
            Op::While => self.while_(node),
            Op::Call => self.call(node),
            Op::Try => self.try_(node),
            Op::Leave => self.leave(node),
            Op::Print => self.print(node),
            Op::Host => self.host_call(node),
            Op::Check => self.check(node),
        }
    }
}

fn fold_of(op: ReduceOp) -> Fold {
    match op {
        ReduceOp::Sum => Fold::Sum,
        ReduceOp::Prod => Fold::Product,
        ReduceOp::Max => Fold::Greatest,
        ReduceOp::Min => Fold::Least,
        ReduceOp::All => Fold::All,
        ReduceOp::Any => Fold::Any,
    }
}
