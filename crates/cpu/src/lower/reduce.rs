//! Reductions: loops over the axes that stay, inside them loops over those that go, with the operand's own computation
//! in the innermost.
//!
//! Floats are summed and multiplied in double precision and rounded once: the sums, the greatest and the least of long rows
//! lane by lane ([`Lanewise`]), all else in row-major order.

use gw_ir::{ArgOp, Attr, Node, ValueId};
use gw_runtime::Report;

use super::context::{Lower, Lowers, broken};
use super::place::{At, Held, View};
use super::spread::Work;
use crate::loops::{Compare, Lanewise, Stmt, Ty, Var};

/// Operation by which a reduction combines elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Product,
    Greatest,
    Least,
    All,
    Any,
}

impl Lower<'_> {
    pub(super) fn reduce(&mut self, node: &Node, fold: Fold) -> Lowers<()> {
        let Attr::Axes { axes, keep } = &node.attr else { return Err(broken("a reduction without axes")) };
        let source = node.args[0];
        if self.columns(node, fold)? || self.flags_in_memory(node, fold)? {
            return Ok(());
        }
        let own = self.dims(source)?;
        let inner: Vec<Var> = axes.iter().map(|&axis| own[axis]).collect();
        let in_order = axes.len() == own.len() && self.reads_in_order(source, &own)?;
        self.over_kept(node, axes, *keep, |lower, index| {
            let init = lower.identity(fold, lower.ty(source));
            if let Some(how) = lower.lanewise(fold, lower.ty(source)) {
                let total = match (in_order, &inner[..]) {
                    (true, _) => {
                        let count = lower.count(&inner);
                        if lower.is_long(count) {
                            Some(lower.together(how, source, (count, init), None)?)
                        } else {
                            None
                        }
                    }
                    (false, [outer @ .., last]) if lower.is_long(*last) => {
                        let (at, open) = lower.open_nest(outer, &[init]);
                        let place = |iv: Var| merged(&index, axes, &[&at[..], &[iv]].concat());
                        let so_far = (*last, open.carried[0]);
                        let next = lower.together(how, source, so_far, Some(&place))?;
                        Some(lower.close_nest(open, vec![next])[0])
                    }
                    (false, _) => None,
                };
                if let Some(total) = total {
                    return Ok(lower.b.convert(lower.ty(source), total));
                }
            }
            let (at, open) = lower.open_nest(&inner, &[init]);
            let index = merged(&index, axes, &at);
            let total = open.carried[0];
            let element = lower.element(source, At::Index(&index))?;
            let next = lower.combined(fold, total, element);
            let total = lower.close_nest(open, vec![next])[0];
            Ok(lower.b.convert(lower.ty(source), total))
        })
    }

    /// Lanewise form of a fold of elements of this type, if there is one.
    pub(super) fn lanewise(&self, fold: Fold, ty: Ty) -> Option<Lanewise> {
        let how = match fold {
            Fold::Sum => Lanewise::Sum,
            Fold::Greatest => Lanewise::Greatest,
            Fold::Least => Lanewise::Least,
            Fold::Product | Fold::All | Fold::Any => return None,
        };
        ty.is_float().then_some(how)
    }

    /// True if lanes are worth combining in the end: not if there are known to be few elements.
    pub(super) fn is_long(&self, length: Var) -> bool {
        self.b.known(length).is_none_or(|length| length >= Lanewise::LONG)
    }

    /// The elements at `place`, or all in order, taken together.
    fn together(
        &mut self,
        how: Lanewise,
        source: ValueId,
        (stop, init): (Var, Var),
        place: Option<&dyn Fn(Var) -> Vec<Var>>,
    ) -> Lowers<Var> {
        let kept = self.put_off.take();
        let kept = match kept.zip(place) {
            Some((value, _)) => self.place_for(value)?,
            None => None,
        };
        self.memo.clear();
        self.b.open();
        let iv = self.b.fresh(Ty::I64);
        let at = place.map(|place| place(iv));
        let element = match &at {
            Some(at) => self.element(source, At::Index(at))?,
            None => self.element(source, At::Flat(iv))?,
        };
        if let (Some((value, view)), Some(at)) = (&kept, &at) {
            let element = self.element(*value, At::Index(at))?;
            let number = self.number_of(at, &view.strides);
            self.b.store(view.ptr, number, element);
        }
        let body = self.b.close(vec![element]);
        self.memo.clear();
        if let Some((value, view)) = kept {
            self.held[gw_base::Id::index(value)] = Some(Held::View(view));
        }
        let out = self.b.fresh(how.total(self.b.ty(element)));
        self.b.push(Stmt::Reduce { how, iv, stop, init, body, out });
        Ok(out)
    }

    /// Memory for a value that has been put off, if it is not there after all.
    fn place_for(&mut self, value: ValueId) -> Lowers<Option<(ValueId, View)>> {
        let Held::Delayed(delayed) = self.held(value)? else { return Ok(None) };
        let ptr = self.room(Some(value), delayed.ty, &delayed.dims);
        Ok(Some((value, self.dense(ptr, delayed.ty, delayed.dims))))
    }

    pub(super) fn arg_reduce(&mut self, node: &Node) -> Lowers<()> {
        let &Attr::Axis(axis) = &node.attr else { return Err(broken("a reduction without an axis")) };
        let source = node.args[0];
        let length = self.dims(source)?[axis];
        let zero = self.b.word(0);
        let any = self.b.compare(Compare::Gt, length, zero);
        self.guard(any, Report::EmptyAxis, Vec::new());
        if self.arg_in_memory(node, axis)? {
            return Ok(());
        }
        let better = if node.op == ArgOp::Max.into() { Compare::Gt } else { Compare::Lt };
        self.over_kept(node, &[axis], false, |lower, index| {
            let zero = lower.b.word(0);
            lower.memo.clear();
            let first = lower.element(source, At::Index(&merged(&index, &[axis], &[zero])))?;
            let (at, open) = lower.open_nest(&[length], &[first, zero]);
            let [best, place] = [open.carried[0], open.carried[1]];
            let element = lower.element(source, At::Index(&merged(&index, &[axis], &at)))?;
            let wins = lower.wins(better, element, best);
            let next = vec![lower.b.select(wins, element, best), lower.b.select(wins, at[0], place)];
            Ok(lower.close_nest(open, next)[1])
        })
    }

    /// Runs `element` at each position of the axes that stay, and keeps what it gives as the node's result.
    fn over_kept(
        &mut self,
        node: &Node,
        gone: &[usize],
        keep: bool,
        element: impl FnOnce(&mut Self, Vec<Var>) -> Lowers<Var>,
    ) -> Lowers<()> {
        let (source, result) = (node.args[0], node.results[0]);
        let own = self.dims(source)?;
        let kept: Vec<Var> =
            own.iter().enumerate().filter(|(axis, _)| !gone.contains(axis)).map(|(_, &dim)| dim).collect();
        if self.graph.ty(result).is_scalar() {
            self.memo.clear();
            let value = element(self, Vec::new())?;
            self.memo.clear();
            return self.define(result, Held::Scalar(value));
        }
        let ty = self.ty(result);
        let ptr = self.room(Some(result), ty, &kept);
        let flat = self.dense(ptr, ty, kept.clone());
        let taken: Vec<Var> = gone.iter().map(|&axis| own[axis]).collect();
        let work = Work { each: self.count(&taken), cost: None, own: false };
        self.spread(&kept, work, |lower, index| {
            let value = element(lower, index.to_vec())?;
            let number = lower.number_of(index, &flat.strides);
            lower.b.store(ptr, number, value);
            Ok(())
        })?;
        self.define_kept(node, gone, keep, flat)
    }

    /// Defines the result of a node whose elements are those of axes that stay, which lie in `flat`.
    pub(super) fn define_kept(&mut self, node: &Node, gone: &[usize], keep: bool, flat: View) -> Lowers<()> {
        if !keep {
            return self.define(node.results[0], Held::View(flat));
        }
        let own = self.dims(node.args[0])?;
        let one = self.b.word(1);
        let dims = (0..own.len()).map(|axis| if gone.contains(&axis) { one } else { own[axis] }).collect();
        let view = self.dense(flat.ptr, flat.ty, dims);
        self.define(node.results[0], Held::View(view))
    }

    /// The total of no elements, in the type in which it is computed.
    pub(super) fn identity(&mut self, fold: Fold, ty: Ty) -> Var {
        let accurate = if ty.is_float() { Ty::F64 } else { ty };
        let least = |ty: Ty| if ty == Ty::I32 { i64::from(i32::MIN) } else { i64::MIN };
        match fold {
            Fold::Sum => self.number(accurate, 0),
            Fold::Product => self.number(accurate, 1),
            Fold::Greatest if ty.is_float() => self.b.real(ty, f64::NEG_INFINITY),
            Fold::Least if ty.is_float() => self.b.real(ty, f64::INFINITY),
            Fold::Greatest => self.b.int(ty, least(ty)),
            Fold::Least => self.b.int(ty, !least(ty)),
            Fold::All => self.b.int(ty, 1),
            Fold::Any => self.b.int(ty, 0),
        }
    }

    pub(super) fn combined(&mut self, fold: Fold, total: Var, element: Var) -> Var {
        let element = self.b.convert(self.b.ty(total), element);
        match fold {
            Fold::Sum => self.b.add(total, element),
            Fold::Product => self.b.mul(total, element),
            Fold::Greatest => self.extreme(Compare::Ge, total, element),
            Fold::Least => self.extreme(Compare::Le, total, element),
            Fold::All => self.b.and(total, element),
            Fold::Any => self.b.or(total, element),
        }
    }

    /// True if an element takes the place of the best so far; the first NaN wins.
    fn wins(&mut self, better: Compare, element: Var, best: Var) -> Var {
        let beats = self.b.compare(better, element, best);
        if !self.b.ty(element).is_float() {
            return beats;
        }
        let nan = self.b.compare(Compare::Ne, element, element);
        let number = self.b.compare(Compare::Eq, best, best);
        let first_nan = self.b.and(nan, number);
        self.b.or(beats, first_nan)
    }
}

/// The position in the operand: `at` on the axes that go, `kept` on the others.
pub(super) fn merged(kept: &[Var], gone: &[usize], at: &[Var]) -> Vec<Var> {
    let (mut kept, rank) = (kept.iter(), kept.len() + gone.len());
    let axis = |axis: usize| match gone.iter().position(|&g| g == axis) {
        Some(which) => Some(at[which]),
        None => kept.next().copied(),
    };
    (0..rank).filter_map(axis).collect()
}
