//! The rows of a band of nodes, lowered one after the other: what one node leaves of a row the next reads from the cache.

use gw_base::Id;
use gw_ir::{Class, NodeId, Op, ReduceOp, ValueId};

use super::context::{Lower, Lowers, broken};
use super::place::{Held, Home, View};
use super::row_fusion::{Band, ROW, rows_of};
use super::spread::Work;
use crate::loops::Var;

impl Lower<'_> {
    /// Lowers a band; false if an array that it reads is not in memory, and nothing has been done then.
    pub(super) fn band(&mut self, band: &Band) -> Lowers<bool> {
        if !band.inputs.iter().all(|&input| self.is_ready(input, &band.rows)) {
            return Ok(false);
        }
        self.each(&band.numbers)?;
        let mut wholes = Vec::new();
        for &input in &band.inputs {
            wholes.push((input, self.materialise(input)?));
        }
        for &output in &band.outputs {
            let lengths = self.graph.ty(output).shape.lengths().unwrap_or_default();
            let dims: Vec<Var> = lengths.iter().map(|&length| self.b.word(length as i64)).collect();
            let ptr = self.room(Some(output), self.ty(output), &dims);
            wholes.push((output, self.dense(ptr, self.ty(output), dims)));
        }
        let lengths: Vec<Var> = band.rows.iter().map(|&length| self.b.word(length as i64)).collect();
        let work = Work { each: self.b.word(band.longest as i64), cost: None, own: true };
        self.spread(&lengths, work, |lower, index| lower.one_row(band, &wholes, index))?;
        for (value, whole) in wholes {
            self.hold(value, Held::View(whole));
        }
        Ok(true)
    }

    /// True if an array is in memory, with as many rows as its type says, or will be once the numbers are there.
    fn is_ready(&self, value: ValueId, rows: &[usize]) -> bool {
        match &self.held[value.index()] {
            None => true,
            Some(Held::View(view)) => {
                let alike = |(&dim, &length): (&Var, &usize)| self.b.known(dim) == Some(length as i64);
                view.dims.iter().zip(rows).all(alike)
            }
            Some(Held::Scalar(_) | Held::Delayed(_)) => false,
        }
    }

    fn each(&mut self, nodes: &[NodeId]) -> Lowers<()> {
        let graph = self.graph;
        for &id in nodes {
            self.node = Some(id);
            self.lower_node(id, &graph.nodes[id])?;
        }
        Ok(())
    }

    /// The band for the row at a position: what it reads are rows, and so is what it leaves.
    fn one_row(&mut self, band: &Band, wholes: &[(ValueId, View)], index: &[Var]) -> Lowers<()> {
        let outside = self.homes.len();
        let mut places = Vec::new();
        for (value, whole) in wholes {
            let row = self.row(whole, index);
            if band.inputs.contains(value) {
                self.hold(*value, Held::View(row));
            } else {
                places.push((*value, row.ptr));
                self.homes.push((*value, Home::Fixed(row.ptr)));
            }
        }
        self.row_axes = band.rows.len();
        for at in 0..band.nodes.len() {
            self.put_off = self.put_off.or_else(|| self.reduced_next(&band.nodes[at..]));
            self.each(&band.nodes[at..=at])?;
        }
        for (output, place) in places {
            if self.materialise(output)?.ptr != place {
                return Err(broken("a row is not computed in its place"));
            }
        }
        self.row_axes = 0;
        self.homes.truncate(outside);
        Ok(())
    }

    /// The result of the first of these nodes if it is to be kept, and a loop over rows of the same length that reduces what is made
    /// of it comes next: that loop keeps it, and the row is passed over once. In narrow registers reductions are no loops in lanes.
    fn reduced_next(&self, nodes: &[NodeId]) -> Option<ValueId> {
        let graph = self.graph;
        let of = |id: NodeId| &graph.nodes[id];
        let length = |value: ValueId| rows_of(graph, value).map(|(_, length)| length);
        let (&first, others) = nodes.split_first()?;
        let &[made] = &of(first).results[..] else { return None };
        let kept = of(first).op.class() == Class::Elementwise && !self.plan.is_delayed(made);
        let is_long = length(made).is_some_and(|length| ROW.contains(&length));
        if !(kept && is_long && self.ty(made).is_float() && self.wide) {
            return None;
        }
        let next = others.iter().map(|&id| of(id)).find(|node| !self.plan.is_delayed(node.results[0]))?;
        let folds = if let Op::Reduce(op) = next.op { folds_in_registers(op) } else { false };
        let alike = |value: ValueId| length(value) == length(made) && self.ty(value) == self.ty(made);
        (folds && alike(next.args[0])).then_some(made)
    }

    /// One row of an array, as an array of one row.
    fn row(&mut self, whole: &View, index: &[Var]) -> View {
        let (own, one) = (index.len(), self.b.word(1));
        let number = self.number_of(index, &whole.strides[..own]);
        let ptr = self.b.offset(whole.ptr, number, whole.ty);
        let dims = [&vec![one; own][..], &whole.dims[own..]].concat();
        let (length, stride) = (dims[own], whole.strides[own]);
        let dense = self.b.known(stride) == Some(1) || self.b.known(length) == Some(1);
        View { ptr, ty: whole.ty, dims, strides: whole.strides.clone(), dense }
    }
}

/// True for folds that a row's registers hold.
fn folds_in_registers(op: ReduceOp) -> bool {
    match op {
        ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min => true,
        ReduceOp::Prod | ReduceOp::All | ReduceOp::Any => false,
    }
}
