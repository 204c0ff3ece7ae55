//! The state of lowering: the plan, what each value is held as, and the loops so far.

use rustc_hash::FxHashMap;

use gw_base::{Broken, Id};
use gw_ir::{FunctionId, Graph, NodeId, ValueId};
use gw_runtime::{Buffer, Report, Site};
use gw_types::Dim;

use super::place::{Held, Home};
use super::plan::Plan;
use super::reuse::Reuse;
use super::row_fusion::Bands;
use crate::loops::{Build, Stmt, Ty, Var};

/// A graph that is being lowered.
pub(super) struct Lower<'g> {
    pub(super) graph: &'g Graph,
    /// The number of nodes that the caller knows; those behind them are casts between registers and memory.
    pub(super) known: usize,
    /// The least work of a run of a shared loop, in picoseconds.
    pub(super) grain: i64,
    /// For the profiler: the number of the graph, whose nodes are marked where their code begins.
    pub(super) marking: Option<i64>,
    /// True if reductions are loops in lanes.
    pub(super) wide: bool,
    pub(super) plan: Plan,
    /// Stores that need no copy.
    pub(super) reuse: Reuse,
    pub(super) bands: Bands,
    /// So many axes in front have one position only, whatever their types say: those of the band whose row is lowered.
    pub(super) row_axes: usize,
    /// About how many elements an iteration of the loop computes that is lowered.
    pub(super) elements: i64,
    /// The memory that each run of the loop has for itself which is lowered.
    pub(super) own: Option<OwnRoom>,
    /// A row that is put into memory by the loop that reduces it.
    pub(super) put_off: Option<ValueId>,
    /// The count of calls by which the loop that is lowered asks the host.
    pub(super) calls: Option<ValueId>,
    /// True while elements of arrays are computed, which lanes do if they can.
    pub(super) of_arrays: bool,
    /// True while a loop is lowered that may be shared: loops in it are not.
    pub(super) spreading: bool,
    /// The number of addresses of slots that have been taken.
    pub(super) addressed: usize,
    /// Slots whose memory the values of a chain with rows added or taken share.
    pub(super) growing: FxHashMap<ValueId, Var>,
    pub(super) b: Build,
    pub(super) held: Vec<Option<Held>>,
    /// The number of regions that were open when a value was defined, and of those open now.
    pub(super) born: Vec<usize>,
    pub(super) depth: usize,
    /// The functions that are called, as the program numbers them.
    pub(super) functions: Vec<FunctionId>,
    /// Address of the slots of the function that is lowered; none for those of the graph itself.
    pub(super) frame: Option<Var>,
    /// The `try`s around, the innermost last.
    pub(super) tries: Vec<NodeId>,
    /// Locations in which carries of the loops around are to be put.
    pub(super) homes: Vec<(ValueId, Home)>,
    /// Values that were computed right into their homes.
    pub(super) housed: Vec<ValueId>,
    /// Elements that the innermost block has already computed.
    pub(super) memo: Vec<(ValueId, Vec<Var>, Var)>,
    /// The rests of divisions, and how each came about.
    pub(super) rests: FxHashMap<Var, Rest>,
    /// The node that is being lowered: it is to blame for what fails.
    pub(super) node: Option<NodeId>,
    pub(super) sites: Vec<Site>,
    pub(super) slots: Vec<usize>,
    pub(super) literals: Vec<Buffer>,
    pub(super) scratch: usize,
}

/// The memory that a run has for itself, while its body is lowered.
#[derive(Debug, Clone, Copy)]
pub(super) struct OwnRoom {
    pub(super) start: Var,
    pub(super) used: usize,
}

/// The origin of the rest of a division.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rest {
    /// By a known positive divisor, no power of two.
    Known {
        /// The dividend.
        of: Var,
        /// By what.
        divisor: i64,
    },
    /// By a divisor that nobody knows: the rest of the quotient that is cut toward zero, zero together with the floored one.
    Cut(Var),
}

pub(super) type Lowers<T> = Result<T, Broken>;

pub(super) fn broken(rule: impl Into<String>) -> Broken {
    Broken::new("cpu", rule)
}

impl Lower<'_> {
    pub(super) fn held(&self, value: ValueId) -> Lowers<Held> {
        let held = self.held[value.index()].clone();
        held.ok_or_else(|| broken(format!("{value:?} is used before it is computed")))
    }

    pub(super) fn hold(&mut self, value: ValueId, held: Held) {
        self.held[value.index()] = Some(held);
    }

    pub(super) fn ty(&self, value: ValueId) -> Ty {
        Ty::of(self.graph.ty(value).dtype)
    }

    /// Notes for the profiler that the code of a node begins.
    pub(super) fn mark(&mut self, node: NodeId) {
        if let Some(graph) = self.marking.filter(|_| node.index() < self.known) {
            self.b.push(Stmt::Mark(graph << 32 | node.index() as i64));
        }
    }

    /// The variable of a number.
    pub(super) fn scalar(&mut self, value: ValueId) -> Lowers<Var> {
        match self.held(value)? {
            Held::Scalar(var) => Ok(var),
            Held::View(_) | Held::Delayed(_) => Err(broken(format!("{value:?} is no scalar"))),
        }
    }

    /// A place in the code that may fail.
    pub(super) fn site(&mut self, report: Report) -> usize {
        let place = self.node.and_then(|node| self.graph.places[node].clone());
        self.sites.push(Site { report, place });
        self.sites.len() - 1
    }

    /// Fails unless `ok`; the message shows the words.
    pub(super) fn guard(&mut self, ok: Var, report: Report, words: Vec<Var>) {
        if self.b.known(ok) != Some(1) {
            self.scratch = self.scratch.max(words.len());
            let site = self.site(report);
            self.b.guard(ok, site, words);
        }
    }

    /// A result of a node: its lengths are those that its type knows, or the run fails. Computed now unless it is
    /// planned to be delayed.
    pub(super) fn define(&mut self, value: ValueId, held: Held) -> Lowers<()> {
        let held = self.fitted(value, held);
        self.held[value.index()] = Some(held.clone());
        self.born[value.index()] = self.depth;
        let waits = self.plan.is_delayed(value) || self.put_off == Some(value);
        if matches!(held, Held::Delayed(_)) && !waits {
            self.materialise(value)?;
        }
        Ok(())
    }

    pub(super) fn fitted(&mut self, value: ValueId, mut held: Held) -> Held {
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
}
