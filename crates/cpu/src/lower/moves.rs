//! Ops that move elements. Most only change how the same memory is read.

use gw_ir::{Attr, AxisSlice, Bound, DimArg, Node, NodeId, ValueId};
use gw_runtime::Report;

use super::context::{Lower, Lowers, broken};
use super::place::{At, Axis, Delayed, Held, Rule, View};
use crate::loops::{Binary, Compare, Range, Ty, Var};

impl Lower<'_> {
    /// A result whose elements are those of `source` at affine positions, one entry per axis of `source`.
    fn moved(&mut self, result: ValueId, source: ValueId, axes: Vec<Axis>, dims: Vec<Var>) -> Lowers<()> {
        let ty = self.ty(source);
        let held = match self.held(source)? {
            Held::View(view) => Held::View(self.moved_view(view, &axes, dims)),
            Held::Scalar(_) | Held::Delayed(_) => {
                Held::Delayed(Delayed { rule: Rule::Moved(source, axes), ty, dims })
            }
        };
        if !self.graph.ty(result).is_scalar() {
            return self.define(result, held);
        }
        self.memo.clear();
        let var = match held {
            Held::Scalar(var) => var,
            Held::View(view) => {
                let zero = self.b.word(0);
                self.b.load(ty, view.ptr, zero)
            }
            Held::Delayed(delayed) => {
                self.held[gw_base::Id::index(result)] = Some(Held::Delayed(delayed));
                self.element(result, At::Index(&[]))?
            }
        };
        self.memo.clear();
        self.define(result, Held::Scalar(var))
    }

    fn moved_view(&mut self, view: View, axes: &[Axis], dims: Vec<Var>) -> View {
        let mut offset = self.b.word(0);
        let mut strides = vec![self.b.word(0); dims.len()];
        for (axis, &stride) in axes.iter().zip(&view.strides) {
            let start = self.b.mul(axis.start, stride);
            offset = self.b.add(offset, start);
            if let Some((from, step)) = axis.from {
                strides[from] = self.b.mul(stride, step);
            }
        }
        let ptr = self.b.offset(view.ptr, offset, view.ty);
        let dense = self.is_dense(&dims, &strides);
        View { ptr, ty: view.ty, dims, strides, dense }
    }

    pub(super) fn is_dense(&mut self, dims: &[Var], strides: &[Var]) -> bool {
        let wanted = self.dense_strides(dims);
        let fits = |((&dim, &stride), &wanted): ((&Var, &Var), &Var)| {
            self.b.known(dim) == Some(1) || self.b.same(stride, wanted)
        };
        dims.iter().zip(strides).zip(&wanted).all(fits)
    }

    /// The whole of an axis that becomes axis `to` of the result.
    fn whole(&mut self, to: usize) -> Axis {
        Axis { start: self.b.word(0), from: Some((to, self.b.word(1))) }
    }

    pub(super) fn transpose(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Perm(perm) = &node.attr else { return Err(broken("a transpose without an order")) };
        let own = self.dims(node.args[0])?;
        let dims = perm.iter().map(|&axis| own[axis]).collect();
        let to = |axis: usize| perm.iter().position(|&from| from == axis).unwrap_or(axis);
        let axes = (0..own.len()).map(|axis| self.whole(to(axis))).collect();
        self.moved(node.results[0], node.args[0], axes, dims)
    }

    pub(super) fn index(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        let &Attr::Axis(axis) = &node.attr else { return Err(broken("an index without an axis")) };
        let mut dims = self.dims(node.args[0])?;
        let at = self.scalar(node.args[1])?;
        let start = self.position(at, dims[axis], self.graph.written_axis(id, axis));
        let whole = |lower: &mut Self, k: usize| match k.cmp(&axis) {
            std::cmp::Ordering::Less => lower.whole(k),
            std::cmp::Ordering::Equal => Axis { start, from: None },
            std::cmp::Ordering::Greater => lower.whole(k - 1),
        };
        let axes = (0..dims.len()).map(|k| whole(self, k)).collect();
        dims.remove(axis);
        self.moved(node.results[0], node.args[0], axes, dims)?;
        if self.reuse.copies(id) { self.set_apart(node.results[0]) } else { Ok(()) }
    }

    /// Makes a value one in memory of its own.
    fn set_apart(&mut self, value: ValueId) -> Lowers<()> {
        let (ty, dims) = (self.ty(value), self.dims(value)?);
        let ptr = self.room(Some(value), ty, &dims);
        let copy = self.dense(ptr, ty, dims);
        self.fill(&copy, value)?;
        self.define(value, Held::View(copy))
    }

    /// A position on an axis from an index that may count from the end; the run fails if it is outside.
    pub(super) fn position(&mut self, index: Var, length: Var, axis: usize) -> Var {
        let index = self.b.convert(Ty::I64, index);
        let zero = self.b.word(0);
        let negative = self.b.compare(Compare::Lt, index, zero);
        let from_end = self.b.add(index, length);
        let at = self.b.select(negative, from_end, index);
        let fitting = self.b.known(length).filter(|&length| length > 0);
        let fitting = fitting.map(|length| (Range { least: -length, most: length - 1 }, length));
        if fitting.is_none_or(|(fitting, _)| !self.b.range(index).is_in(fitting)) {
            let inside = self.b.compare(Compare::Below, at, length);
            self.guard(inside, Report::IndexOutOfRange { axis }, vec![index, length]);
        }
        if let Some((fitting, length)) = fitting {
            self.b.learn(index, fitting);
            self.b.learn(at, Range { least: 0, most: length - 1 });
        }
        at
    }

    pub(super) fn gather(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        let &Attr::Axis(axis) = &node.attr else { return Err(broken("a gather without an axis")) };
        let [source, indices, result] = [node.args[0], node.args[1], node.results[0]];
        if self.graph.ty(indices).is_scalar() {
            return self.index(id, node);
        }
        let view = self.materialise(source)?;
        let places = self.checked_positions(indices, result, view.dims[axis], axis)?;
        let own = places.dims.clone();
        let mut dims = view.dims.clone();
        dims.splice(axis..=axis, own.iter().copied());
        let ptr = self.room(Some(result), view.ty, &dims);
        let out = self.dense(ptr, view.ty, dims);
        let work = self.elementary();
        self.spread(&out.dims, work, |lower, index| {
            let inner = axis + own.len();
            let at = lower.read(&places, At::Index(&index[axis..inner]));
            let from: Vec<Var> = [&index[..axis], &[at], &index[inner..]].concat();
            let element = lower.element(source, At::Index(&from))?;
            let number = lower.number_of(index, &out.strides);
            lower.b.store(out.ptr, number, element);
            Ok(())
        })?;
        self.define(result, Held::View(out))
    }

    pub(super) fn concat(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        if self.reuse.resizes(id) {
            return self.add_rows(node);
        }
        let &Attr::Axis(axis) = &node.attr else { return Err(broken("a concat without an axis")) };
        let parts = node.args.iter().map(|&arg| self.dims(arg)).collect::<Lowers<Vec<_>>>()?;
        let mut dims = parts[0].clone();
        for part in &parts[1..] {
            for (at, (&wanted, &found)) in parts[0].iter().zip(part).enumerate() {
                if at == axis {
                    dims[axis] = self.joined_length(dims[axis], found);
                } else {
                    self.guard_length(found, wanted);
                }
            }
        }
        let (result, ty) = (node.results[0], self.ty(node.results[0]));
        let ptr = self.room(Some(result), ty, &dims);
        let out = self.dense(ptr, ty, dims);
        let mut at = self.b.word(0);
        for (&arg, part) in node.args.iter().zip(parts) {
            let offset = self.b.mul(at, out.strides[axis]);
            let ptr = self.b.offset(out.ptr, offset, ty);
            at = self.b.add(at, part[axis]);
            let dense = self.is_dense(&part, &out.strides);
            let to = View { ptr, ty, dims: part, strides: out.strides.clone(), dense };
            self.fill(&to, arg)?;
        }
        self.define(result, Held::View(out))
    }

    /// The sum of two lengths, or the greatest length where that is less: no memory holds so many elements. Elements that repeat one number
    /// may be as many as a word counts.
    fn joined_length(&mut self, x: Var, y: Var) -> Var {
        if let (Some(x), Some(y)) = (self.b.known(x), self.b.known(y)) {
            return self.b.word(x.saturating_add(y));
        }
        let (sum, none, most) = (self.b.add(x, y), self.b.word(0), self.b.word(i64::MAX));
        let is_beyond = self.b.compare(Compare::Lt, sum, none);
        self.b.select(is_beyond, most, sum)
    }

    pub(super) fn guard_length(&mut self, found: Var, wanted: Var) {
        let ok = self.b.compare(Compare::Eq, found, wanted);
        self.guard(ok, Report::WrongLength, vec![found, wanted]);
    }

    /// A length that the graph computes.
    fn length(&mut self, value: ValueId) -> Lowers<Var> {
        let length = self.scalar(value)?;
        let zero = self.b.word(0);
        let ok = self.b.compare(Compare::Ge, length, zero);
        self.guard(ok, Report::NegativeLength, vec![length]);
        Ok(length)
    }

    pub(super) fn broadcast(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Dims(wanted) = &node.attr else { return Err(broken("a broadcast without lengths")) };
        let mut dims = Vec::new();
        for dim in wanted {
            dims.push(match dim {
                DimArg::Fixed(n) => self.b.word(*n as i64),
                DimArg::Arg(at) => self.length(node.args[*at])?,
                DimArg::Rest => return Err(broken("a length of a broadcast is left over")),
            });
        }
        let own = self.dims(node.args[0])?;
        let added = dims.len() - own.len();
        let mut axes = Vec::new();
        for (k, (&own, &to)) in own.iter().zip(&dims[added..]).enumerate() {
            let one = self.b.word(1);
            let (single, equal) =
                (self.b.compare(Compare::Eq, own, one), self.b.compare(Compare::Eq, own, to));
            let ok = if self.b.same(own, to) { equal } else { self.b.or(single, equal) };
            self.guard(ok, Report::Unbroadcastable, vec![own, to]);
            let step = if self.b.same(own, to) { one } else { self.stretched(one, to, own) };
            axes.push(Axis { start: self.b.word(0), from: Some((k + added, step)) });
        }
        self.moved(node.results[0], node.args[0], axes, dims)
    }

    pub(super) fn reshape(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Dims(wanted) = &node.attr else { return Err(broken("a reshape without lengths")) };
        let (source, result) = (node.args[0], node.results[0]);
        let own = self.dims(source)?;
        let size = self.count(&own);
        let mut dims = Vec::new();
        for dim in wanted {
            dims.push(match dim {
                DimArg::Fixed(n) => Some(self.b.word(*n as i64)),
                DimArg::Arg(at) => Some(self.length(node.args[*at])?),
                DimArg::Rest => None,
            });
        }
        let given: Vec<Var> = dims.iter().flatten().copied().collect();
        let given = self.count(&given);
        let rest = if dims.contains(&None) { self.left_over(size, given)? } else { self.b.word(1) };
        let total = self.b.binary(Binary::MulSaturating, given, rest);
        let ok = self.b.compare(Compare::Eq, size, total);
        self.guard(ok, Report::Unreshapable, vec![size, total]);
        let dims: Vec<Var> = dims.into_iter().map(|dim| dim.unwrap_or(rest)).collect();
        match self.held(source)? {
            Held::Scalar(_) => return self.moved(result, source, Vec::new(), dims),
            Held::Delayed(Delayed { rule: rule @ Rule::Range(..), ty, .. }) if !dims.is_empty() => {
                return self.define(result, Held::Delayed(Delayed { rule, ty, dims }));
            }
            Held::Delayed(_) | Held::View(_) => {}
        }
        let view = self.materialise_dense(source)?;
        if dims.is_empty() {
            let zero = self.b.word(0);
            let var = self.b.load(view.ty, view.ptr, zero);
            return self.define(result, Held::Scalar(var));
        }
        let view = self.dense(view.ptr, view.ty, dims);
        self.define(result, Held::View(view))
    }

    /// `size / given`; the run fails if nothing is given.
    fn left_over(&mut self, size: Var, given: Var) -> Lowers<Var> {
        if let (Some(size), Some(given @ 1..)) = (self.b.known(size), self.b.known(given)) {
            return Ok(self.b.word(size / given));
        }
        if self.b.known(given) == Some(1) {
            return Ok(size);
        }
        let zero = self.b.word(0);
        let ok = self.b.compare(Compare::Ne, given, zero);
        self.guard(ok, Report::Unreshapable, vec![size, given]);
        Ok(self.floor_div(size, given))
    }

    pub(super) fn slice(&mut self, id: NodeId, node: &Node) -> Lowers<()> {
        if self.reuse.resizes(id) {
            return self.take_rows(node);
        }
        let Attr::Slices(slices) = &node.attr else { return Err(broken("a slice without bounds")) };
        let own = self.dims(node.args[0])?;
        let (mut axes, mut dims) = (Vec::new(), Vec::new());
        for (k, (slice, &length)) in slices.iter().zip(&own).enumerate() {
            let (start, count) = self.span(node, slice, length)?;
            let step = self.b.word(slice.step);
            axes.push(Axis { start, from: Some((k, step)) });
            dims.push(count);
        }
        self.moved(node.results[0], node.args[0], axes, dims)
    }

    /// Start of a slice on an axis and its number of elements.
    pub(super) fn span(&mut self, node: &Node, slice: &AxisSlice, length: Var) -> Lowers<(Var, Var)> {
        let up = slice.step > 0;
        let mut bound = |bound: Bound| -> Lowers<Option<Var>> {
            Ok(match bound {
                Bound::Open => None,
                Bound::Fixed(at) => Some(self.b.word(at)),
                Bound::Arg(at) => Some(self.scalar(node.args[at])?),
            })
        };
        let (start, stop) = (bound(slice.start)?, bound(slice.stop)?);
        if start.is_none() && stop.is_none() && slice.step == 1 {
            return Ok((self.b.word(0), length));
        }
        let known = |lower: &Self, var: Option<Var>| var.map_or(Some(None), |v| lower.b.known(v).map(Some));
        if let (Some(n), Some(start), Some(stop)) =
            (self.b.known(length), known(self, start), known(self, stop))
        {
            let (start, count) = AxisSlice::span(n.max(0) as usize, start, stop, slice.step);
            return Ok((self.b.word(start as i64), self.b.word(count as i64)));
        }
        let one = self.b.word(1);
        let last = self.b.sub(length, one);
        let (zero, minus) = (self.b.word(0), self.b.word(-1));
        let (low, high) = if up { (zero, length) } else { (minus, last) };
        let (first, end) = if up { (low, high) } else { (high, low) };
        let start = start.map_or(first, |at| self.clamped(at, length, low, high));
        let stop = stop.map_or(end, |at| self.clamped(at, length, low, high));
        let distance = if up { self.b.sub(stop, start) } else { self.b.sub(start, stop) };
        let stride = self.b.word(i64::try_from(slice.step.unsigned_abs()).unwrap_or(i64::MAX));
        let count = self.steps(distance, stride);
        Ok((self.extreme(Compare::Ge, start, zero), count))
    }

    /// Number of steps of a positive length that a distance takes; none if it is not positive.
    pub(super) fn steps(&mut self, distance: Var, stride: Var) -> Var {
        let (zero, one) = (self.b.word(0), self.b.word(1));
        let less = self.b.sub(distance, one);
        let whole = if self.b.known(stride).is_some() {
            self.floor_div(less, stride)
        } else {
            self.b.binary(Binary::Div, less, stride)
        };
        let count = self.b.add(whole, one);
        let any = self.b.compare(Compare::Gt, distance, zero);
        self.b.select(any, count, zero)
    }

    /// A bound as Python reads it.
    fn clamped(&mut self, at: Var, length: Var, low: Var, high: Var) -> Var {
        let zero = self.b.word(0);
        let negative = self.b.compare(Compare::Lt, at, zero);
        let from_end = self.b.add(at, length);
        let at = self.b.select(negative, from_end, at);
        let at = self.extreme(Compare::Ge, at, low);
        self.extreme(Compare::Le, at, high)
    }

    pub(super) fn range(&mut self, node: &Node) -> Lowers<()> {
        let mut word = |at: usize| -> Lowers<Var> {
            let var = self.scalar(node.args[at])?;
            Ok(self.b.convert(Ty::I64, var))
        };
        let [start, stop, step] = [word(0)?, word(1)?, word(2)?];
        let zero = self.b.word(0);
        let moves = self.b.compare(Compare::Ne, step, zero);
        self.guard(moves, Report::ZeroStep, Vec::new());
        let up = self.b.compare(Compare::Gt, step, zero);
        let [low, high] = [(start, stop), (stop, start)].map(|(a, b)| self.b.select(up, a, b));
        let any = self.b.compare(Compare::Lt, low, high);
        let distance = self.b.sub(high, low);
        let (fits, none) =
            (self.b.compare(Compare::Ge, distance, zero), self.b.compare(Compare::Ge, low, high));
        let ok = self.b.or(fits, none);
        self.guard(ok, Report::RangeTooLong, Vec::new());
        let distance = self.b.select(any, distance, zero);
        let count = self.range_steps(distance, step);
        let limit = self.b.word(i64::MAX / 8);
        let ok = self.b.compare(Compare::Le, count, limit);
        self.guard(ok, Report::RangeTooLong, Vec::new());
        let (first, step, ty) =
            (self.scalar(node.args[0])?, self.scalar(node.args[2])?, self.ty(node.results[0]));
        let delayed = Delayed { rule: Rule::Range(first, step), ty, dims: vec![count] };
        self.define(node.results[0], Held::Delayed(delayed))
    }

    fn range_steps(&mut self, distance: Var, step: Var) -> Var {
        let stride = match self.b.known(step) {
            Some(step) => self.b.word(i64::try_from(step.unsigned_abs()).unwrap_or(i64::MAX)),
            None => {
                let size = self.b.unary(crate::loops::Unary::Abs, step);
                let (zero, most) = (self.b.word(0), self.b.word(i64::MAX));
                let fits = self.b.compare(Compare::Gt, size, zero);
                self.b.select(fits, size, most)
            }
        };
        self.steps(distance, stride)
    }

    pub(super) fn dim(&mut self, node: &Node) -> Lowers<()> {
        let &Attr::Axis(axis) = &node.attr else { return Err(broken("a length without an axis")) };
        let dims = self.dims(node.args[0])?;
        self.define(node.results[0], Held::Scalar(dims[axis]))
    }
}
