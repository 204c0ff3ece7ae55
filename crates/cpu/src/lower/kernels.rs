//! Loop nests that fill arrays: one flat loop where every array is read in order, tiles where rows become columns, one loop per
//! axis elsewhere.

use gw_ir::ValueId;

use super::context::{Lower, Lowers};
use super::place::{At, Held, Rule, View};
use crate::loops::{Carry, Var};

impl Lower<'_> {
    /// Computes each element of `value` into `to`, which has the same lengths and overlaps nothing that is read.
    pub(super) fn fill(&mut self, to: &View, value: ValueId) -> Lowers<()> {
        let drawn = self.drawn(value)?;
        if !drawn.is_empty() {
            return self.fill_with_drawn(to, value, &drawn);
        }
        if to.dense && self.reads_in_order(value, &to.dims)? {
            let count = self.count(&to.dims);
            let work = self.elementary();
            return self.spread(&[count], work, |lower, index| {
                let element = lower.element(value, At::Flat(index[0]))?;
                lower.b.store(to.ptr, index[0], element);
                Ok(())
            });
        }
        if self.fill_by_tiles(to, value)? {
            return Ok(());
        }
        let work = self.elementary();
        self.spread(&to.dims, work, |lower, index| {
            let element = lower.element(value, At::Index(index))?;
            let number = lower.number_of(index, &to.strides);
            lower.b.store(to.ptr, number, element);
            Ok(())
        })
    }

    /// Runs `body` at each position of axes of these lengths.
    pub(super) fn nest(
        &mut self,
        dims: &[Var],
        body: impl FnOnce(&mut Self, &[Var]) -> Lowers<()>,
    ) -> Lowers<()> {
        let (index, open) = self.open_nest(dims, &[]);
        body(self, &index)?;
        self.close_nest(open, Vec::new());
        Ok(())
    }

    /// True if an axis is known to have no positions; loops over the others have no iterations then, however long
    /// they are.
    pub(super) fn is_empty(&self, dims: &[Var]) -> bool {
        dims.iter().any(|&dim| self.b.known(dim) == Some(0))
    }

    /// True if an array is known to have one element, which stands for a number.
    pub(super) fn is_single(&self, view: &View) -> bool {
        view.dims.iter().all(|&dim| self.b.known(dim) == Some(1))
    }

    /// Opens one loop per axis, but for axes of length 1, with these carries: positions, and the loops to close.
    pub(super) fn open_nest(&mut self, dims: &[Var], inits: &[Var]) -> (Vec<Var>, OpenNest) {
        self.memo.clear();
        let mut carried = inits.to_vec();
        let mut loops = Vec::new();
        let mut index = Vec::new();
        let none = if self.is_empty(dims) { Some(self.b.word(0)) } else { None };
        for &dim in dims {
            if self.b.known(dim) == Some(1) {
                index.push(self.b.word(0));
                continue;
            }
            let (carries, iv) = self.b.begin_for(&carried);
            carried = carries.iter().map(|c| c.param).collect();
            index.push(iv);
            loops.push((none.unwrap_or(dim), iv, carries));
        }
        (index, OpenNest { loops, carried })
    }

    /// Closes the loops of a nest; gives what the carries are afterwards.
    pub(super) fn close_nest(&mut self, open: OpenNest, next: Vec<Var>) -> Vec<Var> {
        self.memo.clear();
        open.loops
            .into_iter()
            .rev()
            .fold(next, |next, (stop, iv, carries)| self.b.end_for(stop, iv, carries, next))
    }

    /// True if each array that goes into an element of `value` is read in row-major order, its lengths being
    /// `dims`, or is one element.
    pub(super) fn reads_in_order(&self, value: ValueId, dims: &[Var]) -> Lowers<bool> {
        let alike =
            |own: &[Var]| own.len() == dims.len() && own.iter().zip(dims).all(|(&x, &y)| self.b.same(x, y));
        Ok(match self.held(value)? {
            Held::Scalar(_) => true,
            Held::View(view) => self.is_single(&view) || view.dense && alike(&view.dims),
            Held::Delayed(delayed) => match delayed.rule {
                Rule::Elementwise(node) => {
                    let mut in_order = alike(&delayed.dims);
                    let args = &self.graph.nodes[node].args;
                    for (at, arg) in args.iter().enumerate() {
                        let seen = args[..at].contains(arg);
                        in_order = in_order && (seen || self.reads_in_order(*arg, dims)?);
                    }
                    in_order
                }
                Rule::Moved(..) => false,
                Rule::Range(..) | Rule::Piece(..) => alike(&delayed.dims),
            },
        })
    }
}

/// Loops that are open, the outermost first.
pub(super) struct OpenNest {
    loops: Vec<(Var, Var, Vec<Carry>)>,
    /// The carries inside.
    pub(super) carried: Vec<Var>,
}
