//! Stores: an array with other elements in some places.

use gw_ir::{Attr, BinaryOp, Keep, Node, NodeId, Place, ValueId};

use super::context::{Lower, Lowers, broken};
use super::place::{At, Held, View};
use crate::loops::{Arm, Binary, Compare, Stmt, Ty, Var};

/// Positions written on one axis.
enum Along {
    /// At one position.
    One(Var),
    /// At each position of an array, whose axes the other indices share.
    Each(View),
    /// At `start + step * number` for each number of an axis of the places.
    Slice { start: Var, step: Var, axis: usize },
}

/// Positions written in an array: per axis, and the lengths of the axes of the places.
struct Places {
    along: Vec<Along>,
    picked: Vec<Var>,
}

/// Value that is stored.
enum Value {
    /// A value of the graph.
    There(ValueId),
    /// A copy of one.
    Copied(View),
}

impl Lower<'_> {
    pub(super) fn put(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        let Attr::Places { places, keep } = &node.attr else { return Err(broken("a store without places")) };
        let [source, value, result] = [node.args[0], node.args[1], node.results[0]];
        if self.graph.ty(result).is_scalar() {
            let [old, new] = [self.scalar(source)?, self.scalar(value)?];
            let kept = self.kept(*keep, old, new)?;
            return self.define(result, Held::Scalar(kept));
        }
        let dims = self.dims(source)?;
        let in_place = self.reuse.in_place(id).is_some();
        let places = self.places(node, places, &dims, in_place)?;
        self.judge_fits(&places.picked, &self.dims(value)?);
        let value = self.apart(id, value)?;
        let out = match self.reuse.in_place(id) {
            Some(_) => self.materialise(source)?,
            None => {
                let ptr = self.room(Some(result), self.ty(source), &dims);
                let out = self.dense(ptr, self.ty(source), dims);
                self.fill(&out, source)?;
                out
            }
        };
        let picked = places.picked.clone();
        self.nest(&picked, |lower, index| {
            let new = lower.new_element(&value, &places.picked, index)?;
            let to = lower.place(&places, index);
            let number = lower.number_of(&to, &out.strides);
            let kept = match keep {
                Keep::Last => new,
                Keep::Sum | Keep::Product | Keep::Least | Keep::Greatest => {
                    let old = lower.b.load(out.ty, out.ptr, number);
                    lower.kept(*keep, old, new)?
                }
            };
            lower.b.store(out.ptr, number, kept);
            Ok(())
        })?;
        if self.reuse.in_place(id).is_some() {
            self.grows_on(source, result);
        }
        self.define(result, Held::View(out))
    }

    /// Stored value, in memory of its own if it is read from the array that is changed in place.
    fn apart(&mut self, id: NodeId, value: ValueId) -> Lowers<Value> {
        if self.reuse.in_place(id) != Some(true) || matches!(self.held(value)?, Held::Scalar(_)) {
            return Ok(Value::There(value));
        }
        let (ty, dims) = (self.ty(value), self.dims(value)?);
        let ptr = self.room(None, ty, &dims);
        let copy = self.dense(ptr, ty, dims);
        self.fill(&copy, value)?;
        Ok(Value::Copied(copy))
    }

    /// The element of what is stored for the place at `index`.
    fn new_element(&mut self, value: &Value, picked: &[Var], index: &[Var]) -> Lowers<Var> {
        let view = match value {
            Value::There(value) => return self.stretched_element(*value, picked, At::Index(index)),
            Value::Copied(view) => view,
        };
        let added = picked.len() - view.dims.len();
        let axes = index[added..].iter().zip(&picked[added..]).zip(&view.dims);
        let at: Vec<Var> = axes.map(|((&i, &to), &own)| self.stretched(i, to, own)).collect();
        Ok(self.read(view, At::Index(&at)))
    }

    fn kept(&mut self, keep: Keep, old: Var, new: Var) -> Lowers<Var> {
        let ty = self.b.ty(old);
        match keep {
            Keep::Last => Ok(new),
            Keep::Sum => self.apply(BinaryOp::Add, ty, &[old, new]),
            Keep::Product => self.apply(BinaryOp::Mul, ty, &[old, new]),
            Keep::Least => self.apply(BinaryOp::Min, ty, &[old, new]),
            Keep::Greatest => self.apply(BinaryOp::Max, ty, &[old, new]),
        }
    }

    /// Positions written on the axes. Every index is judged before anything is stored.
    fn places(&mut self, node: &Node, places: &[Place], dims: &[Var], in_place: bool) -> Lowers<Places> {
        let (mut along, mut shared, mut counts) = (Vec::new(), None, Vec::new());
        for (axis, (place, &length)) in places.iter().zip(dims).enumerate() {
            along.push(match place {
                Place::At(at) if self.graph.ty(node.args[*at]).is_scalar() => {
                    let index = self.scalar(node.args[*at])?;
                    Along::One(self.position(index, length, axis))
                }
                Place::At(at) if in_place => Along::Each(self.positions(node.args[*at], length, axis)?),
                Place::At(at) => {
                    Along::Each(self.checked_positions(node.args[*at], node.results[0], length, axis)?)
                }
                Place::Slice(slice) => {
                    let (start, count) = self.span(node, slice, length)?;
                    counts.push(count);
                    Along::Slice { start, step: self.b.word(slice.step), axis: counts.len() - 1 }
                }
            });
        }
        for along in &along {
            let Along::Each(view) = along else { continue };
            let known: &Vec<Var> = shared.get_or_insert_with(|| view.dims.clone());
            let known = known.clone();
            view.dims.iter().zip(known).for_each(|(&found, wanted)| self.guard_length(found, wanted));
        }
        let shared = shared.unwrap_or_default();
        for along in &mut along {
            if let Along::Slice { axis, .. } = along {
                *axis += shared.len();
            }
        }
        Ok(Places { along, picked: [shared, counts].concat() })
    }

    /// The value's lengths are those of the places, or 1.
    fn judge_fits(&mut self, picked: &[Var], own: &[Var]) {
        for (&own, &to) in own.iter().rev().zip(picked.iter().rev()) {
            if self.b.same(own, to) || self.b.known(own) == Some(1) {
                continue;
            }
            let one = self.b.word(1);
            let single = self.b.compare(Compare::Eq, own, one);
            let equal = self.b.compare(Compare::Eq, own, to);
            let ok = self.b.or(single, equal);
            self.guard(ok, gw_runtime::Report::Unbroadcastable, vec![own, to]);
        }
    }

    /// The positions that the element of the places at `index` goes to.
    fn place(&mut self, places: &Places, index: &[Var]) -> Vec<Var> {
        let mut to = Vec::new();
        for along in &places.along {
            to.push(match along {
                Along::One(at) => *at,
                Along::Each(view) => self.read(view, At::Index(&index[..view.dims.len()])),
                Along::Slice { start, step, axis } => {
                    let offset = self.b.mul(index[*axis], *step);
                    self.b.add(*start, offset)
                }
            });
        }
        to
    }

    /// Positions on an axis from indices that may count from the end, in memory; the run fails if one is outside.
    pub(super) fn positions(&mut self, indices: ValueId, length: Var, axis: usize) -> Lowers<View> {
        let own = self.dims(indices)?;
        let ptr = self.room(None, Ty::I64, &own);
        let places = self.dense(ptr, Ty::I64, own.clone());
        self.nest(&own, |lower, index| {
            let at = lower.element(indices, At::Index(index))?;
            let at = lower.position(at, length, axis);
            let number = lower.number_of(index, &places.strides);
            lower.b.store(places.ptr, number, at);
            Ok(())
        })?;
        Ok(places)
    }

    /// As [`Lower::positions`], for a result that is in memory of its own: indices in memory that are all inside are the positions.
    pub(super) fn checked_positions(
        &mut self,
        indices: ValueId,
        result: ValueId,
        length: Var,
        axis: usize,
    ) -> Lowers<View> {
        let own = self.homes.iter().all(|(of, _)| *of != result);
        let dims = self.dims(indices)?;
        let count = self.count(&dims);
        let there = match self.held(indices)? {
            Held::View(view) if own && view.dense && view.ty == Ty::I64 && self.is_long(count) => view,
            Held::View(_) | Held::Scalar(_) | Held::Delayed(_) => {
                return self.positions(indices, length, axis);
            }
        };
        let outside = self.any_outside(&there, count, length);
        self.b.open();
        let places = self.positions(indices, length, axis)?;
        let then = self.b.close(vec![places.ptr]);
        let otherwise = Arm { block: Vec::new(), results: vec![there.ptr] };
        let ptr = self.b.fresh(Ty::Ptr);
        self.b.push(Stmt::If { test: outside, cold: true, then, otherwise, outs: vec![ptr] });
        Ok(View { ptr, ..there })
    }

    /// True if an index is below 0 or not below the length: then it, or what it leaves of the length less 1, has a sign.
    fn any_outside(&mut self, indices: &View, count: Var, length: Var) -> Var {
        let (zero, one) = (self.b.word(0), self.b.word(1));
        let last = self.b.sub(length, one);
        let signs = self.b.for_(count, &[zero], |b, iv, carries| {
            let index = b.load(Ty::I64, indices.ptr, iv);
            let left = b.sub(last, index);
            let signs = b.binary(Binary::Or, index, left);
            vec![b.binary(Binary::Or, carries[0], signs)]
        });
        self.b.compare(Compare::Lt, signs[0], zero)
    }
}
