//! Residuals of loops: a carry collects one row per iteration for the backward pass.

use gw_ir::{Attr, AxisSlice, BinaryOp, Bound, DimArg, NodeId, Op, RegionId, ValueId};
use gw_types::{DType, Dim, TensorType};

use crate::adjoint::Adjoint;
use crate::emit::rows_of;
use crate::scope::{Kept, Turn};
use crate::stop::Made;

/// The change of a carry from one iteration to the next.
pub(crate) enum Carry {
    /// Nothing.
    Same,
    /// It adds a number that stays the same.
    Counts(ValueId),
    /// Something else.
    Changes,
}

impl Adjoint<'_, '_> {
    /// Classifies the carry at this position.
    pub fn carry(&self, node: NodeId, at: usize) -> Carry {
        let graph = self.graph();
        let body = &graph.regions[graph.nodes[node].regions[1]];
        let (param, next) = (body.params[at], body.results[at]);
        if param == next {
            return Carry::Same;
        }
        let counts = |id: &NodeId| {
            let &[x, y] = &graph.nodes[*id].args[..] else { return None };
            let is_step = graph.ty(x).dtype.is_int() && x == param && graph.ty(x).is_scalar();
            let is_known = graph.definer(y).is_some_and(|y| graph.nodes[y].op == Op::Const);
            (graph.nodes[*id].op == BinaryOp::Add.into() && is_step && is_known).then_some(y)
        };
        graph.definer(next).as_ref().and_then(counts).map_or(Carry::Changes, Carry::Counts)
    }

    /// True if a loop can keep a value: its lengths are the same in each iteration.
    pub fn can_keep(&self, value: ValueId) -> bool {
        self.turn_of(value).is_some_and(|turn| self.row_lengths(turn, value).is_some())
    }

    /// For each length of a value that is not known: an axis of a value from before the loop that is as long.
    fn row_lengths(&self, turn: &Turn, value: ValueId) -> Option<Vec<(ValueId, usize)>> {
        let graph = self.graph();
        let unknown = graph.ty(value).shape.0.iter().filter(|dim| dim.fixed().is_none());
        let around = &graph.nodes[turn.keeper].args;
        let axis = |&value: &ValueId, dim: &Dim| {
            graph.ty(value).shape.0.iter().position(|own| own == dim).map(|axis| (value, axis))
        };
        unknown.map(|dim| around.iter().find_map(|value| axis(value, dim))).collect()
    }

    /// A value as it was in this iteration, which the loop keeps from now on.
    pub fn kept(&mut self, value: ValueId) -> Made<()> {
        let ty = self.ty(value);
        let lengths = self.turn_of(value).and_then(|turn| self.row_lengths(turn, value));
        let here = match lengths {
            Some(lengths) => self.recalled(Kept::Value(value), &ty, &lengths)?,
            None => self.piece(value, &ty)?,
        };
        self.scope().set_local(value, here);
        Ok(())
    }

    /// The same of a value that has other lengths in each iteration: a piece of the row of all its elements.
    fn piece(&mut self, value: ValueId, ty: &TensorType) -> Made<ValueId> {
        let (dims, lengths) = self.lengths(value)?;
        let mut count =
            self.integer(ty.shape.0.iter().filter_map(|dim| dim.fixed()).product::<usize>() as i64);
        for &length in &lengths {
            count = self.op(BinaryOp::Mul, [count, length])?;
        }
        let elements = self.all_turns(Kept::Elements(value), &TensorType::scalar(ty.dtype), &[])?;
        let end = self.recalled(Kept::End(value), &TensorType::scalar(DType::I64), &[])?;
        let start = self.op(BinaryOp::Sub, [end, count])?;
        let slice = AxisSlice { start: Bound::Arg(1), stop: Bound::Arg(2), step: 1 };
        let piece = self.with(Op::Slice, Attr::Slices(vec![slice]), &[elements, start, end])?;
        let args: Vec<_> = std::iter::once(piece).chain(lengths).collect();
        Ok(self.b.op_as(Op::Reshape, Attr::Dims(dims), &args, ty)?)
    }

    /// The rows of a value in all iterations, which the loop keeps from now on.
    pub fn rows(&mut self, value: ValueId) -> Made<ValueId> {
        let turn = self.turn_of(value).expect("loops keep");
        let lengths = self.row_lengths(turn, value).expect("it can be kept");
        let row = self.ty(value);
        self.all_turns(Kept::Value(value), &row, &lengths)
    }

    /// The rows of what is kept, from now on if it was not before.
    fn all_turns(&mut self, what: Kept, row: &TensorType, lengths: &[(ValueId, usize)]) -> Made<ValueId> {
        let turn = self.turn_of(what.value()).expect("loops keep").clone();
        match turn.kept(what) {
            Some(rows) => Ok(rows),
            None => self.start_to_keep(&turn, what, row, lengths),
        }
    }

    /// The length of an axis of a value of the forward pass, an i64; the value itself need not be here.
    pub fn length(&mut self, value: ValueId, axis: usize) -> Made<ValueId> {
        if let Dim::Fixed(length) = self.ty(value).shape.0[axis] {
            return Ok(self.integer(length as i64));
        }
        let is_lost = self.known(value).is_none() && self.turn_of(value).is_some() && !self.can_keep(value);
        if is_lost {
            let ty = TensorType::scalar(DType::I64);
            return self.recalled(Kept::Length(value, axis), &ty, &[]);
        }
        let here = self.primal(value)?;
        self.with(Op::Dim, Attr::Axis(axis), &[here])
    }

    /// The residual of a value in this iteration.
    fn recalled(&mut self, what: Kept, row: &TensorType, lengths: &[(ValueId, usize)]) -> Made<ValueId> {
        let rows = self.all_turns(what, row, lengths)?;
        let number = self.turn_of(what.value()).expect("loops keep").number;
        Ok(self.b.op_as(Op::Index, Attr::Axis(0), &[rows, number], row)?)
    }

    fn start_to_keep(
        &mut self,
        turn: &Turn,
        what: Kept,
        row: &TensorType,
        lengths: &[(ValueId, usize)],
    ) -> Made<ValueId> {
        let (keeper, home) = (turn.keeper, turn.home);
        let init = self.before(keeper, home, |r| r.no_rows(row, lengths))?;
        let [inside, outside] = [0, 1].map(|_| rows_of(row, Dim::Var(self.b.fresh_dim())));
        let [param, result] = self.b.add_carry(keeper, init, [&inside, &outside]);
        let value = what.value();
        let there = self.inside.get(&keeper).and_then(|inside| inside.get(&value)).copied().unwrap_or(value);
        self.at_end(keeper, |r| {
            let one = match what {
                Kept::Value(_) => r.expanded(there, 0)?,
                Kept::Length(_, axis) => {
                    let length = r.with(Op::Dim, Attr::Axis(axis), &[there])?;
                    r.expanded(length, 0)?
                }
                Kept::Elements(_) => r.with(Op::Reshape, Attr::Dims(vec![DimArg::Rest]), &[there])?,
                Kept::End(value) => {
                    let elements = turn.kept(Kept::Elements(value)).expect("the elements are kept before");
                    let end = r.with(Op::Dim, Attr::Axis(0), &[r.handed_on(keeper, elements)])?;
                    r.expanded(end, 0)?
                }
            };
            let longer = rows_of(row, Dim::Var(r.b.fresh_dim()));
            Ok(r.b.op_as(Op::Concat, Attr::Axis(0), &[param, one], &longer)?)
        })?;
        let owner = self.scopes.iter_mut().rev().find(|scope| scope.owns(value));
        owner.and_then(|scope| scope.turn.as_mut()).expect("loops keep").keep(what, result);
        Ok(result)
    }

    /// The next value of a carry in an iteration, by the loop's result.
    fn handed_on(&self, keeper: NodeId, result: ValueId) -> ValueId {
        let node = &self.graph().nodes[keeper];
        let at = node.results.iter().position(|&one| one == result).expect("a result of the loop");
        self.graph().regions[node.regions[1]].results[at]
    }

    /// The number of iterations of a loop, an i64.
    pub fn turns(&mut self, keeper: NodeId, home: RegionId) -> Made<ValueId> {
        let node = self.graph().nodes[keeper].clone();
        for at in 0..node.args.len() {
            let is_wide = self.ty(node.args[at]).dtype == DType::I64;
            if let Carry::Counts(step) = self.carry(keeper, at)
                && is_wide
                && self.is_one(step)
            {
                return self.op(BinaryOp::Sub, [node.results[at], node.args[at]]);
            }
        }
        let init = self.before(keeper, home, |r| Ok(r.integer(0)))?;
        let ty = self.ty(init);
        let [param, result] = self.b.add_carry(keeper, init, [&ty, &ty]);
        self.at_end(keeper, |r| {
            let one = r.integer(1);
            r.op(BinaryOp::Add, [param, one])
        })?;
        Ok(result)
    }

    fn is_one(&self, value: ValueId) -> bool {
        let graph = self.graph();
        let Some(node) = graph.definer(value) else { return false };
        let Attr::Literal(literal) = &graph.nodes[node].attr else { return false };
        literal.as_scalar().is_some_and(|number| number.to_i64() == 1)
    }

    /// Adds nodes in front of a node that is there.
    fn before<T>(
        &mut self,
        node: NodeId,
        region: RegionId,
        add: impl FnOnce(&mut Self) -> Made<T>,
    ) -> Made<T> {
        let apart = self.b.open();
        let made = add(self);
        self.b.close(Vec::new());
        self.b.move_before(apart, region, node, false);
        made
    }

    /// Adds nodes at the end of a loop's body; what they give is handed on by the carry that was added last.
    fn at_end(&mut self, node: NodeId, add: impl FnOnce(&mut Self) -> Made<ValueId>) -> Made<()> {
        let body = self.graph().nodes[node].regions[1];
        self.b.reopen(body);
        let made = add(self);
        self.b.reclose();
        self.b.hand_on(node, made?);
        Ok(())
    }
}
