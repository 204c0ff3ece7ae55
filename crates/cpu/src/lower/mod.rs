//! Graph to loops. Numbers live in variables; arrays in memory, or nowhere yet: an array that one consumer reads once
//! is *delayed* and computed inside the consumer's loops.

mod arrays;
mod bands;
mod calls;
mod choices;
mod columns;
mod control;
mod conv;
mod counters;
mod effects;
mod grow;
mod integers;
mod kernels;
mod matmul;
mod matrices;
mod moves;
mod overflow;
mod plan;
mod put;
mod reduce;
mod reuse;
mod scalars;
mod sort;
mod spread;
mod tries;

use std::collections::HashMap;

use gw_base::{Broken, Id};
use gw_ir::{FunctionId, Graph, Node, NodeId, Op, RegionId, ValueId};
use gw_runtime::{Buffer, Report, Site};
use gw_types::Dim;

use crate::loops::{Build, Func, Ty, Var, merge, outline};
use arrays::{Delayed, View};
use bands::Bands;
use control::Home;
use integers::Rest;
use plan::Plan;
use reduce::Fold;
use reuse::Reuse;
pub(crate) use spread::GRAIN;
use spread::OwnRoom;

/// A function in loops with all that it refers to.
pub(crate) struct Lowered {
    pub(crate) func: Func,
    /// The functions that it calls.
    pub(crate) functions: Vec<Func>,
    /// What works off runs of shared loops of all these.
    pub(crate) pieces: Vec<Func>,
    /// Least bytes of each slot of each of them.
    pub(crate) function_slots: Vec<Vec<usize>>,
    pub(crate) sites: Vec<Site>,
    /// Least bytes of each slot; 0 for those that grow.
    pub(crate) slots: Vec<usize>,
    pub(crate) literals: Vec<Buffer>,
    /// Words of the scratch area.
    pub(crate) scratch: usize,
}

/// Lowers a verified graph; runs of shared loops take at least so many picoseconds, and reductions are loops in lanes if these
/// are `wide`.
///
/// # Errors
/// If the graph is not legal after all.
pub(crate) fn lower(graph: &Graph, grain: i64, wide: bool) -> Result<Lowered, Broken> {
    let mut lower = Lower {
        graph,
        grain,
        wide,
        plan: Plan::new(graph),
        reuse: Reuse::new(graph),
        bands: Bands::new(graph),
        row_axes: 0,
        elements: 0,
        own: None,
        put_off: None,
        spreading: false,
        addressed: 0,
        growing: HashMap::new(),
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
        rests: HashMap::new(),
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
    let Lower { b, sites, mut slots, literals, scratch, .. } = lower;
    let (mut func, mut pieces) = (b.finish(&graph.name), Vec::new());
    merge(&mut func, None, &mut slots);
    std::iter::once(&mut func).chain(&mut functions).for_each(|func| outline(func, &mut pieces));
    Ok(Lowered { func, functions, pieces, function_slots, sites, slots, literals, scratch })
}

/// How a value of the graph is held.
#[derive(Debug, Clone)]
enum Held {
    /// A number, in a variable.
    Scalar(Var),
    /// An array in memory.
    View(View),
    /// An array that is computed where it is read.
    Delayed(Delayed),
}

struct Lower<'g> {
    graph: &'g Graph,
    /// What a run of a shared loop has to do at least, in picoseconds.
    grain: i64,
    /// Whether reductions are loops in lanes.
    wide: bool,
    plan: Plan,
    /// Which stores need no copy.
    reuse: Reuse,
    bands: Bands,
    /// So many axes in front have one position only, whatever their types say: those of the band whose row is lowered.
    row_axes: usize,
    /// About how many elements a turn of the loop computes that is lowered.
    elements: i64,
    /// The memory that each run of the loop has for itself which is lowered.
    own: Option<OwnRoom>,
    /// A row that is put into memory by the loop that reduces it.
    put_off: Option<ValueId>,
    /// Whether a loop is lowered that may be shared: loops in it are not.
    spreading: bool,
    /// How many addresses of slots have been taken.
    addressed: usize,
    /// Where the slots are whose memory values of a chain with rows added or taken share.
    growing: HashMap<ValueId, Var>,
    b: Build,
    held: Vec<Option<Held>>,
    /// How many regions were open when a value was defined, and how many are now.
    born: Vec<usize>,
    depth: usize,
    /// The functions that are called, as the program numbers them.
    functions: Vec<FunctionId>,
    /// Where the slots of the function that is lowered begin; none for those of the graph itself.
    frame: Option<Var>,
    /// The `try`s around, the innermost last.
    tries: Vec<NodeId>,
    /// Where carries of the loops around are to be put.
    homes: Vec<(ValueId, Home)>,
    /// Values that were computed right into their homes.
    housed: Vec<ValueId>,
    /// Elements that the innermost block has already computed.
    memo: Vec<(ValueId, Vec<Var>, Var)>,
    /// The rests of divisions, and how each came about.
    rests: HashMap<Var, Rest>,
    /// The node that is being lowered: it is to blame for what fails.
    node: Option<NodeId>,
    sites: Vec<Site>,
    slots: Vec<usize>,
    literals: Vec<Buffer>,
    scratch: usize,
}

type Lowers<T> = Result<T, Broken>;

fn broken(rule: impl Into<String>) -> Broken {
    Broken::new("cpu", rule)
}

impl Lower<'_> {
    fn held(&self, value: ValueId) -> Lowers<Held> {
        let held = self.held[value.index()].clone();
        held.ok_or_else(|| broken(format!("{value:?} is used before it is computed")))
    }

    fn hold(&mut self, value: ValueId, held: Held) {
        self.held[value.index()] = Some(held);
    }

    fn ty(&self, value: ValueId) -> Ty {
        Ty::of(self.graph.ty(value).dtype)
    }

    /// The variable of a number.
    fn scalar(&mut self, value: ValueId) -> Lowers<Var> {
        match self.held(value)? {
            Held::Scalar(var) => Ok(var),
            Held::View(_) | Held::Delayed(_) => Err(broken(format!("{value:?} is no scalar"))),
        }
    }

    /// A place in the code that may fail.
    fn site(&mut self, report: Report) -> usize {
        let place = self.node.and_then(|node| self.graph.places[node].clone());
        self.sites.push(Site { report, place });
        self.sites.len() - 1
    }

    /// Fails unless `ok`; the message shows the words.
    fn guard(&mut self, ok: Var, report: Report, words: Vec<Var>) {
        if self.b.known(ok) != Some(1) {
            self.scratch = self.scratch.max(words.len());
            let site = self.site(report);
            self.b.guard(ok, site, words);
        }
    }

    /// A result of a node: its lengths are those that its type knows, or the run fails. Computed now unless it is
    /// planned to be delayed.
    fn define(&mut self, value: ValueId, held: Held) -> Lowers<()> {
        let held = self.fitted(value, held);
        self.held[value.index()] = Some(held.clone());
        self.born[value.index()] = self.depth;
        let waits = self.plan.is_delayed(value) || self.put_off == Some(value);
        if matches!(held, Held::Delayed(_)) && !waits {
            self.materialise(value)?;
        }
        Ok(())
    }

    fn fitted(&mut self, value: ValueId, mut held: Held) -> Held {
        let dims = match &mut held {
            Held::Scalar(_) => return held,
            Held::View(view) => &mut view.dims,
            Held::Delayed(delayed) => &mut delayed.dims,
        };
        for (dim, wanted) in dims.iter_mut().zip(&self.graph.ty(value).shape.0).skip(self.row_axes) {
            if let Dim::Fixed(wanted) = *wanted
                && self.b.known(*dim) != Some(wanted as i64)
            {
                let wanted = self.b.word(wanted as i64);
                let ok = self.b.compare(crate::loops::Compare::Eq, *dim, wanted);
                let place = self.node.and_then(|node| self.graph.places[node].clone());
                self.sites.push(Site { report: Report::WrongLength, place });
                self.b.guard(ok, self.sites.len() - 1, vec![*dim, wanted]);
                *dim = wanted;
            }
        }
        held
    }

    /// Lowers the nodes of a region in order.
    fn region(&mut self, region: RegionId) -> Lowers<()> {
        let graph = self.graph;
        let nodes = &graph.regions[region].nodes;
        self.depth += 1;
        let mut at = 0;
        while let Some(&id) = nodes.get(at) {
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

    fn lower_node(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        match node.op {
            Op::Stop
            | Op::Neg
            | Op::Abs
            | Op::Sign
            | Op::Exp
            | Op::Expm1
            | Op::Log
            | Op::Log1p
            | Op::Sqrt => self.elementwise(id, node),
            Op::Rsqrt | Op::Sin | Op::Cos | Op::Tan | Op::Atan | Op::Tanh | Op::Erf | Op::Floor => {
                self.elementwise(id, node)
            }
            Op::Ceil | Op::Round | Op::Not | Op::IsNan | Op::IsFinite | Op::Cast => {
                self.elementwise(id, node)
            }
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::FloorDiv | Op::Mod | Op::Pow | Op::Max => {
                self.elementwise(id, node)
            }
            Op::Min | Op::Atan2 | Op::And | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Select => {
                self.elementwise(id, node)
            }
            Op::RandomBits | Op::Append | Op::Length | Op::Upper | Op::Lower => self.elementwise(id, node),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => self.elementwise(id, node),
            Op::ReduceSum => self.reduce(node, Fold::Sum),
            Op::ReduceProd => self.reduce(node, Fold::Product),
            Op::ReduceMax => self.reduce(node, Fold::Greatest),
            Op::ReduceMin => self.reduce(node, Fold::Least),
            Op::ReduceAll => self.reduce(node, Fold::All),
            Op::ReduceAny => self.reduce(node, Fold::Any),
            Op::ArgMax | Op::ArgMin => self.arg_reduce(node),
            Op::ArgSort => self.arg_sort(node),
            Op::ArgTop => self.arg_top(node),
            Op::Reshape => self.reshape(node),
            Op::Broadcast => self.broadcast(node),
            Op::Transpose => self.transpose(node),
            Op::Slice => self.slice(id, node),
            Op::Index => self.index(id, node),
            Op::Gather => self.gather(id, node),
            Op::Concat => self.concat(id, node),
            Op::Put => self.put(id, node),
            Op::Matmul => self.matmul(node),
            Op::Conv2d => self.conv2d(node),
            Op::Cholesky | Op::TriangularSolve | Op::Solve | Op::Det | Op::Qr | Op::Eigh | Op::Svd => {
                self.matrices(node)
            }
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
