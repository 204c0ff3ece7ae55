//! Lengths of axes, computed from values outside of the branch or loop that makes them: shapes are known before elements, so
//! `x[i] + state` is as long as `x` and `state` say.

use gw_base::Id;
use gw_ir::{Attr, Builder, Class, CompareOp, DimArg, Graph, Literal, Node, Op, RegionId, ValueDef, ValueId};
use gw_types::{DType, Dim, DimVar, Scalar};

use crate::Trace;

/// So many ops are looked through at most.
const DEEPEST: usize = 16;

/// A length as it can be computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Length {
    /// A number.
    Known(usize),
    /// That of an axis of a value.
    Axis(ValueId, usize),
    /// A value itself.
    Value(ValueId),
    /// Length that two lengths broadcast to.
    Met(Box<Length>, Box<Length>),
}

/// Values visible from a region: its own and those of the regions around it.
struct View<'a> {
    graph: &'a Graph,
    homes: &'a [RegionId],
    regions: &'a [RegionId],
}

impl Trace {
    /// The region that is built now.
    pub fn region(&self) -> RegionId {
        self.build(|b| b.region())
    }

    /// Expression that computes a length in an open region.
    pub fn length(&self, of: DimVar, region: RegionId) -> Option<Length> {
        self.looking(|graph, homes, open| {
            let regions = &open[..=open.iter().position(|&known| known == region)?];
            View { graph, homes, regions }.length(Dim::Var(of), 0)
        })
    }

    /// A length, computed here.
    pub fn compute(&self, length: &Length) -> ValueId {
        self.build(|b| compute(b, length))
    }
}

fn compute(b: &mut Builder, length: &Length) -> ValueId {
    let number = |b: &mut Builder, n: usize| b.constant(Literal::scalar(DType::I64, Scalar::Int(n as i64)));
    let mut op = |op: Op, attr: Attr, args: &[ValueId]| b.op(op, attr, args).expect("lengths are integers");
    match length {
        Length::Known(n) => number(b, *n),
        Length::Axis(value, axis) => op(Op::Dim, Attr::Axis(*axis), &[*value]),
        Length::Value(value) => *value,
        Length::Met(x, y) => {
            let (x, y, one) = (compute(b, x), compute(b, y), number(b, 1));
            let mut op = |op: Op, args: &[ValueId]| b.op(op, Attr::None, args).expect("lengths are integers");
            let stretches = op(Op::Compare(CompareOp::Eq), &[x, one]);
            op(Op::Select, &[stretches, y, x])
        }
    }
}

impl View<'_> {
    fn length(&self, of: Dim, depth: usize) -> Option<Length> {
        let of = match of {
            Dim::Fixed(n) => return Some(Length::Known(n)),
            Dim::Var(_) if depth == DEEPEST => return None,
            Dim::Var(of) => of,
        };
        let mut first = None;
        for value in self.graph.values.ids() {
            let shape = &self.graph.ty(value).shape.0;
            let Some(axis) = shape.iter().position(|&dim| dim == Dim::Var(of)) else { continue };
            if self.sees(value) {
                return Some(Length::Axis(value, axis));
            }
            first.get_or_insert((value, shape.len() - axis));
        }
        let (value, from_end) = first?;
        self.made_by(&self.graph.nodes[self.graph.definer(value)?], from_end, depth)
    }

    /// The length of an axis of what an op gives that is the first value with an axis so long.
    fn made_by(&self, node: &Node, from_end: usize, depth: usize) -> Option<Length> {
        if let Attr::Dims(dims) = &node.attr {
            return match dims[dims.len() - from_end] {
                DimArg::Fixed(n) => Some(Length::Known(n)),
                DimArg::Arg(at) => self.sees(node.args[at]).then_some(Length::Value(node.args[at])),
                DimArg::Rest => None,
            };
        }
        if node.op.class() != Class::Elementwise {
            return None;
        }
        let axis = |&arg: &ValueId| {
            let shape = &self.graph.ty(arg).shape.0;
            shape.len().checked_sub(from_end).map(|axis| shape[axis])
        };
        let mut lengths = node.args.iter().filter_map(axis).map(|dim| self.length(dim, depth + 1));
        let first = lengths.next()??;
        lengths.try_fold(first, |x, y| Some(Length::Met(Box::new(x), Box::new(y?))))
    }

    /// True if a value is in one of the regions, and was not taken back.
    fn sees(&self, value: ValueId) -> bool {
        let home = self.homes[value.index()];
        let is_there = || match self.graph.values[value].def {
            ValueDef::Param(..) => true,
            ValueDef::Result(node, _) => self.graph.regions[home].nodes.contains(&node),
        };
        self.regions.contains(&home) && is_there()
    }
}

#[cfg(test)]
mod tests {
    use gw_ir::{BinaryOp, UnaryOp};

    use super::*;

    #[test]
    fn a_sum_in_a_branch_is_as_long_as_its_operands_outside() {
        let trace = Trace::new("f");
        let [x, y] = ["x", "y"].map(|name| trace.parameter(DType::F32, &[None], name).value);
        let outside = trace.region();
        trace.build(|b| b.open());
        let made = trace.build(|b| {
            let sum = b.op(BinaryOp::Add, Attr::None, &[x, y]).expect("they broadcast");
            b.op(UnaryOp::Tanh, Attr::None, &[sum]).expect("a float")
        });
        let of = |value: ValueId| match trace.ty(value).shape.0[0] {
            Dim::Var(of) => trace.length(of, outside),
            Dim::Fixed(_) => None,
        };
        let [of_x, of_y] = [x, y].map(|value| Box::new(Length::Axis(value, 0)));
        assert_eq!(of(x).as_ref(), Some(&*of_x));
        assert_eq!(of(made), Some(Length::Met(of_x, of_y)));
        let range = trace.build(|b| {
            let [zero, one] = [0, 1].map(|n| b.constant(Literal::scalar(DType::I64, Scalar::Int(n))));
            b.op(Op::Range, Attr::None, &[zero, one, one]).expect("integers")
        });
        assert_eq!(of(range), None);
    }
}
