//! Loops of the graph become those of the loop IR; arrays pass as addresses.
//!
//! A loop keeps each array carry in one of two slots of its own and puts the next value into the other: nothing that an
//! iteration may still read is overwritten. The first value is read where it is. A carry that stores alone change has one
//! place for all iterations; see `reuse`.

use gw_base::Id;
use gw_ir::{Attr, Node, NodeId, Op, Place, RegionId, ValueDef, ValueId};
use gw_runtime::Report;
use gw_types::Dim;

use super::context::{Lower, Lowers, broken};
use super::counters::{counts_calls, is_overwritten};
use super::place::{Held, Home, View};
use super::reuse::InPlace;
use crate::loops::{Arm, Binary, Callee, Carry, Compare, Field, Stmt, Ty, Var};

/// The host is asked whether to go on after so many iterations.
pub(super) const POLL_EVERY: i64 = 1 << 20;

/// So many elements of arrays count as an iteration, too.
const ELEMENTS: i64 = 64;

/// One carry of a loop of the graph, in variables of the loop IR.
pub(super) struct Threaded {
    /// Its position among the loop's operands.
    pub(super) at: usize,
    /// The value itself: a number, or an address followed by lengths that may change.
    pub(super) vars: Vec<Carry>,
    /// Carry during an iteration; an array has no strides if they change with it.
    pub(super) during: Held,
    /// For arrays that are not changed in place: the slot to fill next, and the other one.
    pub(super) spare: Option<(Home, [Carry; 2])>,
}

impl Threaded {
    /// View of the array, if the loop changes it in place.
    fn in_place(&self) -> Option<&View> {
        match &self.during {
            Held::View(view) if self.vars.is_empty() => Some(view),
            Held::View(_) | Held::Scalar(_) | Held::Delayed(_) => None,
        }
    }
}

impl Lower<'_> {
    pub(super) fn while_(&mut self, node: &Node) -> Lowers<()> {
        let id = self.node;
        let [test_region, body_region] = [node.regions[0], node.regions[1]];
        let innermost = !self.counts_elsewhere(test_region) && !self.counts_elsewhere(body_region);
        let mut threaded = Vec::new();
        for at in 0..node.args.len() {
            threaded.extend(self.threaded(id, node, at)?);
        }
        let ticks = self.b.field(Field::Ticks);
        let zero = self.b.word(0);
        let calls = innermost.then(|| counts_calls(self.graph, node)).flatten();
        let count = (innermost && calls.is_none()).then(|| {
            let begun = self.b.load(Ty::I64, ticks, zero);
            self.b.carries(&[begun])[0]
        });
        let told = self.told(node, &threaded);
        self.b.open();
        self.bind(test_region, &threaded);
        self.memo.clear();
        let around = std::mem::take(&mut self.elements);
        self.region(test_region)?;
        let again = self.scalar(self.graph.regions[test_region].results[0])?;
        let test = self.b.close(vec![again]);
        self.b.open();
        self.bind(body_region, &threaded);
        self.learn(node, &told);
        let outside = self.homes.len();
        self.give_homes(body_region, &threaded);
        let counted = calls.map(|at| self.graph.regions[body_region].params[at]);
        if let Some(calls) = counted {
            // Once for all arms and the end of the turn.
            self.one_more(calls)?;
        }
        let calls_around = std::mem::replace(&mut self.calls, counted);
        self.region(body_region)?;
        self.calls = calls_around;
        self.node = id;
        let mut next = Vec::new();
        for carry in &threaded {
            next.extend(self.next(node, body_region, carry)?);
        }
        self.homes.truncate(outside);
        if calls.is_none() {
            next.extend(self.tick(count.map(|c| c.param)));
        }
        let worth = self.worth_of_turn();
        self.elements = around;
        let body = self.b.close(next);
        self.memo.clear();
        let each = threaded.iter().flat_map(|carry| {
            let spare = carry.spare.iter().flat_map(|(_, slots)| *slots);
            carry.vars.iter().copied().chain(spare)
        });
        let carries = each.chain(count).collect();
        self.b.push(Stmt::While { carries, test, body });
        let counted = threaded.iter().find(|carry| Some(carry.at) == calls);
        let calls = counted.map(|carry| &carry.vars[..]).and_then(|vars| vars.first());
        self.store_turns([ticks, zero], count, calls.map(|calls| (calls.out, worth)));
        self.loop_results(node, threaded)
    }

    /// Hands the turns on that a loop has counted: by a count of its own, or by the number of its calls, each of which is worth so many.
    fn store_turns(&mut self, [ticks, zero]: [Var; 2], count: Option<Carry>, calls: Option<(Var, i64)>) {
        if let Some(count) = count {
            self.b.store(ticks, zero, count.out);
        }
        if let Some((calls, worth)) = calls {
            let (begun, worth) = (self.b.load(Ty::I64, ticks, zero), self.b.word(worth));
            let turns = self.b.binary(Binary::Mul, calls, worth);
            let ended = self.b.add(begun, turns);
            self.b.store(ticks, zero, ended);
        }
    }

    /// A carry, unless the loop hands it on unchanged: then it is what it was before.
    fn threaded(&mut self, id: Option<NodeId>, node: &Node, at: usize) -> Lowers<Option<Threaded>> {
        let (init, body) = (node.args[at], &self.graph.regions[node.regions[1]]);
        let (param, next) = (body.params[at], body.results[at]);
        let test_param = self.graph.regions[node.regions[0]].params[at];
        match id.and_then(|id| self.reuse.carry(id, at)) {
            Some(InPlace { copies, resizes: true, .. }) => {
                let first = if copies { self.growing_copy(param, init)? } else { self.growing_value(init)? };
                return self.resized_carry(node, at, &first).map(Some);
            }
            Some(InPlace { swaps: true, .. }) => return self.swapped_carry(param, init, at).map(Some),
            Some(InPlace { copies: true, resizes: false, .. }) => {
                let during = self.own_copy(param, init, is_overwritten(self.graph, node, at))?;
                return Ok(Some(Threaded { at, vars: Vec::new(), during, spare: None }));
            }
            Some(InPlace { .. }) | None => {}
        }
        let held = self.settled(init)?;
        let held = self.fitted(param, held);
        if id.and_then(|id| self.reuse.carry(id, at)).is_some() {
            for value in [param, test_param, node.results[at]] {
                self.grows_on(init, value);
            }
            return Ok(Some(Threaded { at, vars: Vec::new(), during: held, spare: None }));
        }
        if next == param {
            self.held[param.index()] = Some(held.clone());
            self.held[test_param.index()] = Some(held.clone());
            self.define(node.results[at], held)?;
            return Ok(None);
        }
        let view = match held {
            Held::View(view) => view,
            Held::Scalar(var) => {
                let vars = self.b.carries(&[var]);
                let during = Held::Scalar(vars[0].param);
                return Ok(Some(Threaded { at, vars, during, spare: None }));
            }
            Held::Delayed(_) => return Err(broken("a carry is not in memory")),
        };
        let mut inits = vec![view.ptr];
        let changing: Vec<bool> =
            (0..view.dims.len()).map(|axis| self.changes(init, param, next, axis)).collect();
        inits.extend(view.dims.iter().zip(&changing).filter(|(_, c)| **c).map(|(&dim, _)| dim));
        let vars = self.b.carries(&inits);
        let dims = merged_dims(&view.dims, &changing, vars[1..].iter().map(|c| c.param));
        let spare = self.spare_slots(view.ty, &dims);
        let strides = if inner_changes(&changing) { Vec::new() } else { self.dense_strides(&dims) };
        let during = Held::View(View { ptr: vars[0].param, ty: view.ty, dims, strides, dense: true });
        Ok(Some(Threaded { at, vars, during, spare: Some(spare) }))
    }

    /// A carry that begins with a copy of its first value, and whose memory is another one's in the next iteration.
    fn swapped_carry(&mut self, param: ValueId, init: ValueId, at: usize) -> Lowers<Threaded> {
        let Held::View(copy) = self.own_copy(param, init, false)? else {
            return Err(broken("an array became a number"));
        };
        let vars = self.b.carries(&[copy.ptr]);
        let during = Held::View(View { ptr: vars[0].param, ..copy });
        Ok(Threaded { at, vars, during, spare: None })
    }

    /// A first value in memory of the loop's own, which may hold anything if the loop writes all of it.
    fn own_copy(&mut self, param: ValueId, init: ValueId, is_overwritten: bool) -> Lowers<Held> {
        let (ty, dims) = (self.ty(init), self.dims(init)?);
        let ptr = self.room(None, ty, &dims);
        let copy = self.dense(ptr, ty, dims);
        if !is_overwritten {
            self.fill(&copy, init)?;
        }
        Ok(self.fitted(param, Held::View(copy)))
    }

    /// True if an axis may change its length from one iteration to the next.
    fn changes(&self, init: ValueId, param: ValueId, next: ValueId, axis: usize) -> bool {
        let dim = |value: ValueId| self.graph.ty(value).shape.0[axis];
        match dim(param) {
            Dim::Fixed(_) => false,
            Dim::Var(_) => dim(init) != dim(param) || dim(next) != dim(param),
        }
    }

    /// Two slots of the loop's own that take turns.
    fn spare_slots(&mut self, ty: Ty, dims: &[Var]) -> (Home, [Carry; 2]) {
        let size = self.known_size(ty, dims);
        let starts = [0, 1].map(|_| {
            let slot = self.slot(size.unwrap_or(0));
            if size.is_some() { self.slot_start(slot) } else { self.slot_address(slot) }
        });
        let carries = self.b.carries(&starts);
        let slots = [carries[0], carries[1]];
        let home = if size.is_some() { Home::Fixed(slots[0].param) } else { Home::Growing(slots[0].param) };
        (home, slots)
    }

    /// Holds the carries as parameters of a region of the loop, which is open now.
    fn bind(&mut self, region: RegionId, threaded: &[Threaded]) {
        for carry in threaded {
            let param = self.graph.regions[region].params[carry.at];
            let mut during = carry.during.clone();
            if let Held::View(view) = &mut during
                && view.strides.is_empty()
            {
                view.strides = self.dense_strides(&view.dims);
            }
            self.held[param.index()] = Some(during);
        }
    }

    /// Values of the body that become carries are computed right into the slots of those.
    fn give_homes(&mut self, body: RegionId, threaded: &[Threaded]) {
        let region = &self.graph.regions[body];
        let outside = self.homes.len();
        for carry in threaded {
            let next = region.results[carry.at];
            let ValueDef::Result(definer, _) = self.graph.values[next].def else { continue };
            let housed = self.homes[outside..].iter().any(|(value, _)| *value == next);
            if let (Some((home, _)), true, false) = (&carry.spare, region.nodes.contains(&definer), housed) {
                self.homes.push((next, *home));
            }
        }
    }

    /// Value of a carry in the next iteration.
    fn next(&mut self, node: &Node, body: RegionId, carry: &Threaded) -> Lowers<Vec<Var>> {
        let value = self.graph.regions[body].results[carry.at];
        if let Some(view) = carry.in_place() {
            let next = self.materialise(value)?;
            let stays = next.ptr == view.ptr;
            return if stays { Ok(Vec::new()) } else { Err(broken("a carry changes its place")) };
        }
        let Some((home, slots)) = &carry.spare else {
            if let Held::View(_) = carry.during {
                let view = self.materialise(value)?;
                let is_grown = carry.vars.len() > 1;
                let length = is_grown.then(|| view.dims[0]);
                return Ok(std::iter::once(view.ptr).chain(length).collect());
            }
            return Ok(vec![self.scalar(value)?]);
        };
        let param = self.graph.regions[body].params[carry.at];
        let view = self.materialise(value)?;
        let Held::View(view) = self.fitted(param, Held::View(view)) else {
            return Err(broken("an array became a number"));
        };
        let ptr = if self.is_at(value, *home) { view.ptr } else { self.copied(value, &view, *home)? };
        let init = node.args[carry.at];
        let changing = (0..view.dims.len())
            .filter(|&axis| self.changes(init, param, value, axis))
            .map(|axis| view.dims[axis]);
        let mut next = vec![ptr];
        next.extend(changing);
        next.extend([slots[1].param, slots[0].param]);
        Ok(next)
    }

    /// True if a value was computed right into this slot.
    fn is_at(&self, value: ValueId, home: Home) -> bool {
        let same = |other: &Home| match (other, home) {
            (Home::Fixed(x), Home::Fixed(y)) | (Home::Growing(x), Home::Growing(y)) => *x == y,
            (Home::Fixed(_), Home::Growing(_)) | (Home::Growing(_), Home::Fixed(_)) => false,
        };
        self.housed.contains(&value) && self.homes.iter().any(|(of, at)| *of == value && same(at))
    }

    pub(super) fn copied(&mut self, value: ValueId, view: &View, home: Home) -> Lowers<Var> {
        let ptr = match home {
            Home::Fixed(ptr) => ptr,
            Home::Growing(slot) => self.grown(slot, view.ty, &view.dims),
        };
        if !view.dense {
            let to = self.dense(ptr, view.ty, view.dims.clone());
            self.fill(&to, value)?;
            return Ok(ptr);
        }
        let count = self.count(&view.dims);
        let element = self.b.word(view.ty.size() as i64);
        let size = self.b.binary(Binary::Mul, count, element);
        self.b.push(Stmt::Do(Callee::Copy, vec![ptr, view.ptr, size]));
        Ok(ptr)
    }

    /// Counts an iteration, and asks the host now and then whether to go on. Innermost loops count in a variable.
    pub(super) fn tick(&mut self, count: Option<Var>) -> Option<Var> {
        let turns = self.worth_of_turn();
        let (zero, one, limit) = (self.b.word(0), self.b.word(turns), self.b.word(POLL_EVERY));
        let ticks = self.b.field(Field::Ticks);
        let before = count.unwrap_or_else(|| self.b.load(Ty::I64, ticks, zero));
        let over = self.b.compare(Compare::Ge, before, limit);
        self.b.open();
        self.ask();
        let anew = self.b.word(0);
        let then = self.b.close(vec![anew]);
        let otherwise = Arm { block: Vec::new(), results: vec![before] };
        let so_far = self.b.fresh(Ty::I64);
        self.b.push(Stmt::If { test: over, cold: true, then, otherwise, outs: vec![so_far] });
        // Counted behind the branch: the code generator would add once for the test and once more for what follows.
        let out = self.b.add(so_far, one);
        if count.is_none() {
            self.b.store(ticks, zero, out);
        }
        count.map(|_| out)
    }

    /// Number of iterations that one of the loop that is lowered counts as.
    pub(super) fn worth_of_turn(&self) -> i64 {
        (1 + self.elements / ELEMENTS).min(POLL_EVERY)
    }

    /// Asks the host whether to go on.
    pub(super) fn ask(&mut self) {
        let context = self.b.field(Field::Context);
        let ok = self.b.call(Ty::Bool, Callee::Poll, vec![context]);
        self.guard(ok, Report::Stopped, Vec::new());
    }

    fn loop_results(&mut self, node: &Node, threaded: Vec<Threaded>) -> Lowers<()> {
        for carry in threaded {
            let outs: Vec<Var> = carry.vars.iter().map(|c| c.out).collect();
            let held = match carry.during {
                Held::View(view) if outs.is_empty() => Held::View(view),
                Held::View(view) => {
                    let after = |dim: Var| carry.vars.iter().find(|c| c.param == dim).map_or(dim, |c| c.out);
                    let dims = view.dims.iter().map(|&dim| after(dim)).collect();
                    Held::View(self.dense(outs[0], view.ty, dims))
                }
                Held::Scalar(_) | Held::Delayed(_) => Held::Scalar(outs[0]),
            };
            self.define(node.results[carry.at], held)?;
        }
        Ok(())
    }

    /// True if something in a region counts turns in memory, or may have runs, which do so. What lies in an array without end, or passes one
    /// on, has none.
    fn counts_elsewhere(&self, region: RegionId) -> bool {
        self.graph.regions[region].nodes.iter().any(|&id| {
            let node = &self.graph.nodes[id];
            let unknown = |&value: &ValueId| self.graph.ty(value).shape.lengths().is_none();
            let passes_on = [Op::Cond, Op::Try, Op::Leave, Op::Index, Op::Slice, Op::Dim].contains(&node.op);
            let is_long = || node.args.iter().chain(&node.results).any(unknown);
            node.op.is_unbounded()
                || (!passes_on && !self.stores_few(id, node) && is_long())
                || node.regions.iter().any(|&inner| self.counts_elsewhere(inner))
        })
    }

    /// True of a store in place into elements whose number is known, however long the array.
    fn stores_few(&self, id: NodeId, node: &Node) -> bool {
        let Attr::Places { places, .. } = &node.attr else { return false };
        let is_known = |(axis, dim): (usize, &Dim)| match places.get(axis) {
            Some(&Place::At(at)) => self.graph.ty(node.args[at]).shape.lengths().is_some(),
            Some(Place::Slice(_)) => false,
            None => dim.fixed().is_some(),
        };
        let dims = &self.graph.ty(node.args[0]).shape.0;
        self.reuse.in_place(id).is_some() && dims.iter().enumerate().all(is_known)
    }
}

/// True if the strides of an array change from one iteration to the next: then they are known inside the loop only.
fn inner_changes(changing: &[bool]) -> bool {
    changing.iter().skip(1).any(|&changes| changes)
}

/// Lengths that change come from the carries, the others stay.
fn merged_dims(dims: &[Var], changing: &[bool], mut carried: impl Iterator<Item = Var>) -> Vec<Var> {
    let each = dims.iter().zip(changing);
    each.map(|(&dim, &changes)| if changes { carried.next().unwrap_or(dim) } else { dim }).collect()
}
