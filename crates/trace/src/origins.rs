//! Origins of values: arrays, of whose elements a single number may be computed, and numbers that the host's library of arrays gave.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use gw_ir::{BinaryOp, Builder, CompareOp, Graph, Node, Op, ValueDef, ValueId};
use gw_types::{DType, Number, Scalar};

use crate::kinds::Marks;
use crate::{Staged, Trace};

/// Gives the values of which a result of a node with blocks is computed.
type Through<'a> = &'a dyn Fn(&Graph, &Node, usize) -> Vec<ValueId>;

/// The most operations that are looked at where each branch asks.
const MOST_STEPS: usize = 64;

fn through_blocks(graph: &Graph, node: &Node, at: usize) -> Vec<ValueId> {
    // Results of a branch on a bool may be this bool, which is known there.
    let given = node.args.get(at).or(node.args.first());
    // The test of a loop gives one value, which is none of the loop's.
    let blocks = node.regions.iter().map(|&region| &graph.regions[region].results);
    let blocks = blocks.filter(|results| results.len() == node.results.len());
    given.into_iter().chain(blocks.filter_map(|results| results.get(at))).copied().collect()
}

/// The same, and what leaves the body of a `try` at its exits.
fn through_exits(graph: &Graph, node: &Node, at: usize) -> Vec<ValueId> {
    let mut found = through_blocks(graph, node, at);
    let mut regions = if node.op == Op::Try { node.regions.clone() } else { Vec::new() };
    while let Some(region) = regions.pop() {
        for inner in graph.regions[region].nodes.iter().map(|&id| &graph.nodes[id]) {
            if inner.op == Op::Leave {
                found.extend(inner.args.get(at + 1));
            } else if inner.op != Op::Try {
                regions.extend(&inner.regions);
            }
        }
    }
    found
}

impl Trace {
    /// True if a value is computed of elements of arrays, by operations without blocks.
    pub fn is_of_arrays(&self, value: ValueId) -> bool {
        self.reaches_array(value, &|_, _, _| Vec::new(), usize::MAX)
    }

    /// True if a value may be computed of elements of arrays: as [`Trace::is_of_arrays`], through blocks too.
    pub fn may_be_of_arrays(&self, value: ValueId) -> bool {
        let is_one = |b: &Builder, value| !b.ty(value).is_scalar() || self.is_marked(value);
        self.reaches(value, &through_blocks, usize::MAX, &is_one)
    }

    /// True if a value may be computed of numbers of the host's library, among which elements of arrays are if it `has_library`, or if that
    /// is not known within the steps that each branch may take.
    pub(crate) fn seems_of_library(&self, value: ValueId, has_library: bool) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let is_one = |b: &Builder, value| {
            has_library && !b.ty(value).is_scalar() || self.is_marked(value) || given.contains(&value)
        };
        self.reaches(value, &through_blocks, MOST_STEPS, &is_one)
    }

    /// The same for as many steps as each branch may take: true if it is not known then.
    pub(crate) fn seems_of_arrays(&self, value: ValueId) -> bool {
        self.reaches_array(value, &through_blocks, MOST_STEPS)
    }

    /// Says that a parameter is a single number of the host's library of arrays.
    pub fn set_given(&self, value: ValueId) {
        self.given.lock().unwrap_or_else(PoisonError::into_inner).insert(value);
    }

    /// True if a value may be computed of such a number.
    pub fn may_be_of_given(&self, value: ValueId) -> bool {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        self.reaches(value, &through_blocks, usize::MAX, &|_, value| given.contains(&value))
    }

    /// Says that a parameter is a tensor, which is none of the host's library.
    pub fn set_tensor(&self, value: ValueId) {
        self.tensors.lock().unwrap_or_else(PoisonError::into_inner).insert(value);
    }

    /// True if a value is computed with such a tensor; one that only says which element is read makes no tensor of that.
    pub fn is_of_tensor(&self, value: ValueId) -> bool {
        let tensors = self.tensors.lock().unwrap_or_else(PoisonError::into_inner);
        let found = |b: &Builder| {
            let graph = b.graph();
            let (mut waiting, mut seen) = (vec![value], BTreeSet::new());
            while let Some(value) = waiting.pop() {
                if tensors.contains(&value) {
                    return true;
                }
                let ValueDef::Result(node, at) = graph.values[value].def else { continue };
                if b.is_pythons(value) || !seen.insert((node, at)) {
                    continue;
                }
                let node = &graph.nodes[node];
                let count = if node.op.is_indexed() { 1 } else { node.args.len() };
                match node.regions.is_empty() {
                    true => waiting.extend(node.args.iter().take(count)),
                    false => waiting.extend(through_blocks(graph, node, at)),
                }
            }
            false
        };
        self.build(|b| found(b))
    }

    /// True if a value with axes is among those that a value is computed of, or if there are more of them than `most`; `through`
    /// gives those of a result of a node with blocks.
    fn reaches_array(&self, value: ValueId, through: Through<'_>, most: usize) -> bool {
        self.reaches(value, through, most, &|b, value| !b.ty(value).is_scalar())
    }

    fn reaches(
        &self,
        value: ValueId,
        through: Through<'_>,
        most: usize,
        is_one: &dyn Fn(&Builder, ValueId) -> bool,
    ) -> bool {
        let found = |b: &Builder| {
            let graph = b.graph();
            let (mut waiting, mut seen) = (vec![value], BTreeSet::new());
            while let Some(value) = waiting.pop() {
                if is_one(b, value) || seen.len() > most {
                    return true;
                }
                if let ValueDef::Result(node, at) = graph.values[value].def
                    && !b.is_pythons(value)
                    && seen.insert((node, at))
                {
                    let node = &graph.nodes[node];
                    match node.regions.is_empty() {
                        true => waiting.extend(&node.args),
                        false => waiting.extend(through(graph, node, at)),
                    }
                }
            }
            false
        };
        self.build(|b| found(b))
    }
}

impl Trace {
    /// Says that some arrays of the graph are the library's, and so are their elements.
    pub fn set_has_library(&self) {
        self.marked.has_library.store(true, Ordering::Relaxed);
    }

    /// True if a value is an array of the library or computed of its arrays and numbers, as far as the graph shows; from now on the graph
    /// depends on that.
    pub fn is_of_library(&self, value: ValueId) -> bool {
        self.ask_library();
        let has_library = self.marked.has_library.load(Ordering::Relaxed);
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let is_one = |b: &Builder, value| {
            has_library && !b.ty(value).is_scalar() || self.is_marked(value) || given.contains(&value)
        };
        self.reaches(value, &through_exits, usize::MAX, &is_one)
    }

    /// True if the graph depends on which of its arrays are the library's.
    pub fn asks_library(&self) -> bool {
        self.marked.asks.load(Ordering::Relaxed)
    }

    /// True if values of the graph may be the library's.
    pub fn has_numbers_of_library(&self) -> bool {
        let has_given = || !self.given.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        self.marked.has_library.load(Ordering::Relaxed) || has_given()
    }

    /// Says that it does.
    pub(crate) fn ask_library(&self) {
        self.marked.asks.store(true, Ordering::Relaxed);
    }

    /// The marks of a value.
    pub(crate) fn marks(&self, staged: Staged) -> Marks {
        let (mut marks, ty) = (self.marked.get(staged.value), self.ty(staged.value));
        if !ty.is_scalar() || staged.weak.is_some() {
            return Marks { may_be_bool: marks.may_be_bool, ..Marks::default() };
        }
        marks.may_be_bool |= ty.dtype == DType::Bool;
        if !marks.is_library && (ty.dtype.is_int() || is_narrow(ty.dtype)) {
            let has_library = self.marked.has_library.load(Ordering::Relaxed);
            marks.is_library = self.seems_of_library(staged.value, has_library);
        }
        marks
    }

    /// True if a value is marked as a number of the library.
    pub(crate) fn is_marked(&self, value: ValueId) -> bool {
        self.marked.get(value).is_library
    }

    /// True of an integer that is the host's own on some paths and the library's on others.
    pub fn is_mixed(&self, value: ValueId) -> bool {
        self.marked.get(value).is_mixed
    }

    /// Says that an integer is one.
    pub fn set_mixed(&self, value: ValueId) {
        let marks = self.marked.get(value);
        self.marked.keep(value, Marks { is_library: true, is_mixed: true, ..marks });
    }

    /// True of a float that is an integer on some paths.
    pub fn may_be_int(&self, staged: Staged) -> bool {
        let is_open = matches!(staged.weak, Some(Number::IntOrFloat | Number::FloatOrComplex));
        is_open || staged.weak.is_none() && self.marked.get(staged.value).may_be_int
    }

    /// Says that a float is one.
    pub fn set_may_be_int(&self, value: ValueId) {
        let marks = self.marked.get(value);
        self.marked.keep(value, Marks { may_be_int: true, ..marks });
    }

    /// True of a float that is an integer of the library's on some paths, which wraps where the host's own does not.
    pub fn may_wrap(&self, value: ValueId) -> bool {
        self.marked.get(value).may_wrap
    }

    /// True of a number that a path leaves as a bool.
    pub fn may_be_bool(&self, value: ValueId) -> bool {
        self.marked.get(value).may_be_bool
    }

    /// True if the test before a loop certainly lets it run.
    pub(crate) fn certainly_runs(&self, go: ValueId) -> bool {
        let least = |value, at: usize| self.ends(value).map(|ends| ends[at]);
        match self.definition(go) {
            Some((Op::Compare(CompareOp::Lt), of)) => {
                least(of[0], 1).zip(least(of[1], 0)).is_some_and(|(most, least)| most < least)
            }
            Some((Op::Binary(BinaryOp::And), of)) => of.iter().all(|&of| self.certainly_runs(of)),
            Some(_) | None => self.known(go).is_some_and(Scalar::to_bool),
        }
    }

    /// True if a loop hands on what a value was before the iteration, without computing with it.
    pub(crate) fn hands_on(&self, result: ValueId, before: ValueId) -> bool {
        self.looking(|graph, _, _| {
            let (mut waiting, mut steps) = (vec![result], 0);
            while let Some(value) = waiting.pop() {
                steps += 1;
                if value == before || steps > MOST_STEPS {
                    return true;
                }
                let ValueDef::Result(node, at) = graph.values[value].def else { continue };
                let node = &graph.nodes[node];
                let picks =
                    [Op::Cast, Op::Select, BinaryOp::Max.into(), BinaryOp::Min.into()].contains(&node.op);
                let args = node.args.iter().filter(|_| picks);
                let blocks = node.regions.iter().filter_map(|&region| graph.regions[region].results.get(at));
                waiting.extend(args.chain(blocks));
            }
            false
        })
    }

    /// True of a value that may depend on a number which a loop carries, whose type is open while the loop is traced.
    pub(crate) fn hangs_on_carry(&self, value: ValueId) -> bool {
        self.looking(|graph, _, _| {
            let (mut waiting, mut steps) = (vec![value], 0);
            while let Some(value) = waiting.pop() {
                steps += 1;
                if steps > MOST_STEPS {
                    return true;
                }
                match graph.values[value].def {
                    ValueDef::Param(region, _) => {
                        let is_open = [DType::F64, DType::I64, DType::Bool].contains(&graph.ty(value).dtype);
                        if region != graph.body && is_open && self.counters.turns(value).is_none() {
                            return true;
                        }
                    }
                    ValueDef::Result(node, at) => {
                        let node = &graph.nodes[node];
                        waiting.extend(&node.args);
                        waiting.extend(node.regions.iter().filter_map(|&r| graph.regions[r].results.get(at)));
                    }
                }
            }
            false
        })
    }
}

/// True of a float that rounds the host's own.
pub(crate) fn is_narrow(dtype: DType) -> bool {
    dtype == DType::F32 || dtype == DType::F16
}
