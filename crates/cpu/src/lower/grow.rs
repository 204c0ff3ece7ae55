//! Arrays with more or fewer rows in the memory that they have: a slot that grows and keeps what is in it. Which arrays
//! these are is decided in `reuse`.

use gw_ir::{Attr, Node, ValueId};
use gw_runtime::Report;

use super::context::{Lower, Lowers, broken};
use super::place::{Held, View};
use super::while_::Threaded;
use crate::loops::{Arm, Binary, Callee, Compare, Stmt, Ty, Var};

impl Lower<'_> {
    /// A first value in a slot of the loop's own, and that slot. The value itself stays where it was.
    pub(super) fn growing_copy(&mut self, param: ValueId, init: ValueId) -> Lowers<(View, Var)> {
        let (ty, dims) = (self.ty(init), self.dims(init)?);
        let slot = self.slot(0);
        let slot = self.slot_address(slot);
        let ptr = self.grown(slot, ty, &dims);
        let copy = self.dense(ptr, ty, dims);
        self.fill(&copy, init)?;
        self.growing.insert(param, slot);
        Ok((copy, slot))
    }

    /// A first value whose memory becomes the loop's, and the slot that it lies in.
    pub(super) fn growing_value(&mut self, init: ValueId) -> Lowers<(View, Var)> {
        let slot = self.growing.get(&init).copied();
        let slot = slot.ok_or_else(|| broken("rows are added where no slot grows"))?;
        Ok((self.materialise(init)?, slot))
    }

    /// A carry that has more or fewer rows from one iteration to the next: where it is and how many there are.
    pub(super) fn resized_carry(
        &mut self,
        node: &Node,
        at: usize,
        (view, slot): &(View, Var),
    ) -> Lowers<Threaded> {
        let slot = *slot;
        let vars = self.b.carries(&[view.ptr, view.dims[0]]);
        let mut dims = view.dims.clone();
        dims[0] = vars[1].param;
        let during = Held::View(self.dense(vars[0].param, view.ty, dims));
        for region in &node.regions {
            self.growing.insert(self.graph.regions[*region].params[at], slot);
        }
        self.growing.insert(node.results[at], slot);
        Ok(Threaded { at, vars, during, spare: None })
    }

    /// A value that has the memory of another from now on.
    pub(super) fn grows_on(&mut self, from: ValueId, to: ValueId) {
        if let Some(&slot) = self.growing.get(&from) {
            self.growing.insert(to, slot);
        }
    }

    /// `concat` whose first operand's memory becomes the result's.
    pub(super) fn add_rows(&mut self, node: &Node) -> Lowers<()> {
        let (source, result) = (node.args[0], node.results[0]);
        let slot = self.growing.get(&source).copied();
        let slot = slot.ok_or_else(|| broken("rows are added where no slot grows"))?;
        let old = self.materialise(source)?;
        let mut dims = old.dims.clone();
        for &more in &node.args[1..] {
            let own = self.dims(more)?;
            for (&wanted, &found) in old.dims[1..].iter().zip(&own[1..]) {
                self.guard_length(found, wanted);
            }
            dims[0] = self.b.add(dims[0], own[0]);
        }
        let ptr = self.extended(slot, &old, &dims);
        let out = self.dense(ptr, old.ty, dims);
        let mut at = old.dims[0];
        for &more in &node.args[1..] {
            let own = self.dims(more)?;
            let offset = self.b.mul(at, out.strides[0]);
            let ptr = self.b.offset(out.ptr, offset, out.ty);
            at = self.b.add(at, own[0]);
            let to = self.dense(ptr, out.ty, own);
            self.fill(&to, more)?;
        }
        self.growing.insert(result, slot);
        self.define(result, Held::View(out))
    }

    /// `slice` of the first rows, in their memory.
    pub(super) fn take_rows(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Slices(slices) = &node.attr else { return Err(broken("a slice without bounds")) };
        let old = self.materialise(node.args[0])?;
        let mut dims = old.dims.clone();
        (_, dims[0]) = self.span(node, &slices[0], dims[0])?;
        let rest = self.dense(old.ptr, old.ty, dims);
        self.grows_on(node.args[0], node.results[0]);
        self.define(node.results[0], Held::View(rest))
    }

    fn bytes(&mut self, ty: Ty, dims: &[Var]) -> Var {
        let count = self.count(dims);
        let element = self.b.word(ty.size() as i64);
        self.b.binary(Binary::MulSaturating, count, element)
    }

    /// Makes a slot big enough, with what is in it; gives where it begins.
    fn extended(&mut self, slot: Var, old: &View, dims: &[Var]) -> Var {
        let size = self.bytes(old.ty, dims);
        let (zero, one) = (self.b.word(0), self.b.word(1));
        let capacity = self.b.load(Ty::I64, slot, one);
        let small = self.b.compare(Compare::Lt, capacity, size);
        self.b.open();
        let used = self.bytes(old.ty, &old.dims);
        let ok = self.b.call(Ty::Bool, Callee::Extend, vec![slot, size, used]);
        self.guard(ok, Report::OutOfMemory, Vec::new());
        let then = self.b.close(Vec::new());
        self.b.push(Stmt::If { test: small, cold: true, then, otherwise: Arm::default(), outs: Vec::new() });
        self.b.load(Ty::Ptr, slot, zero)
    }
}
