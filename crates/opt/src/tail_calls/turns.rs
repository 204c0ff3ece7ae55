//! The carries of a loop whose turns are calls, and what a turn makes of them.

use rustc_hash::FxHashMap;

use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, CompareOp, DimArg, Graph, Literal, Node, NodeId, Op, Piece,
    PrintFormat, RegionId, Stream, Unfit, ValueId,
};
use gw_types::{DType, Dim, DimVar, Scalar, TensorType};

use super::ends::Ends;
use super::kept::kept;

/// More calls that follow one another are a `RecursionError`. A call takes 32 bytes of a stack at least, so that the 64 MiB on
/// which functions run at most end after two million. One more is a multiple of 2^20, after which loops ask the host whether to go
/// on: machine code makes both checks as one.
const MOST_CALLS: i64 = 10 * (1 << 20) - 1;

/// Plan of the loop that a function becomes.
pub(super) struct Plan {
    pub(super) params: Vec<ValueId>,
    /// The carry that each result of the function is when the loop ends. The first carries are the arguments, behind them are the
    /// results that are none, then the number of calls, and whether there was one.
    pub(super) kept: Vec<usize>,
    /// The types of all carries but the last two.
    pub(super) types: Vec<TensorType>,
    /// Lengths that differ from turn to turn.
    pub(super) varying: Vec<DimVar>,
}

impl Plan {
    pub(super) fn new(b: &mut Builder, params: Vec<ValueId>, returned: &[ValueId], ends: &Ends) -> Self {
        let (mut calls, mut returns) = (Vec::new(), Vec::new());
        ends.each(b.graph(), &mut calls, &mut returns);
        let kept = kept(b.graph(), &params, returned.len(), [&calls, &returns]);
        let varying = varying(b.graph(), &params, &calls);
        let mut types = b.graph().types(&params);
        let own = returned.iter().zip(&kept).filter(|(_, kept)| **kept >= params.len());
        for ty in own.map(|(&result, _)| b.ty(result).clone()).collect::<Vec<_>>() {
            types.push(opened(b, ty, |_| true));
        }
        Self { params, kept, types, varying }
    }
}

/// Lengths of parameters that are others where the function calls itself.
fn varying(graph: &Graph, params: &[ValueId], calls: &[&[ValueId]]) -> Vec<DimVar> {
    let dims = |value: &ValueId| graph.ty(*value).shape.0.iter();
    let pairs = calls.iter().flat_map(|args| params.iter().zip(*args));
    let axes = pairs.flat_map(|(param, arg)| dims(param).zip(dims(arg)));
    axes.filter_map(|(param, arg)| match param {
        Dim::Var(var) => (param != arg).then_some(*var),
        Dim::Fixed(_) => None,
    })
    .collect()
}

/// A type whose lengths of some variables are not known any more.
pub(super) fn opened(b: &mut Builder, mut ty: TensorType, is_open: impl Fn(DimVar) -> bool) -> TensorType {
    for dim in &mut ty.shape.0 {
        if let Dim::Var(var) = dim
            && is_open(*var)
        {
            *dim = Dim::Var(b.fresh_dim());
        }
    }
    ty
}

/// The new parameters of the function, and something for each result that is not known before the loop ends.
pub(super) fn first_carries(b: &mut Builder, plan: &Plan) -> Result<Vec<ValueId>, Unfit> {
    let mut lengths: FxHashMap<DimVar, DimVar> = FxHashMap::default();
    for &var in &plan.varying {
        lengths.entry(var).or_insert_with(|| b.fresh_dim());
    }
    let mut first = Vec::new();
    for (&param, ty) in plan.params.iter().zip(&plan.types) {
        let mut ty = ty.clone();
        for dim in &mut ty.shape.0 {
            if let Dim::Var(var) = dim {
                *var = lengths.get(var).copied().unwrap_or(*var);
            }
        }
        let made = b.param(ty);
        if let Some(name) = b.graph().values[param].name.clone() {
            b.name(made, &name);
        }
        first.push(made);
    }
    for ty in &plan.types[plan.params.len()..] {
        first.push(nothing(b, ty)?);
    }
    Ok(first)
}

/// A value of a type that nobody reads, as small as there is one.
fn nothing(b: &mut Builder, ty: &TensorType) -> Result<ValueId, Unfit> {
    let zero = b.constant(Literal::scalar(ty.dtype, Scalar::Int(0)));
    if ty.is_scalar() {
        return Ok(zero);
    }
    let dims = ty.shape.0.iter().map(|dim| DimArg::Fixed(dim.fixed().unwrap_or(0)));
    b.op(Op::Broadcast, Attr::Dims(dims.collect()), &[zero])
}

/// Constants of a loop.
pub(super) struct Constants {
    pub(super) none: ValueId,
    pub(super) one: ValueId,
    pub(super) most: ValueId,
    /// The flag of a turn that is the last one, and of one that is not.
    pub(super) flags: [ValueId; 2],
}

impl Constants {
    pub(super) fn new(b: &mut Builder) -> Self {
        let mut number = |n| b.constant(Literal::scalar(DType::I64, Scalar::Int(n)));
        let [none, one, most] = [number(0), number(1), number(MOST_CALLS)];
        let flags = [false, true].map(|flag| b.constant(Literal::scalar(DType::Bool, Scalar::Bool(flag))));
        Self { none, one, most, flags }
    }
}

/// A turn of the loop; the region that it is now at the end of is open.
pub(super) struct Turn<'a> {
    pub(super) b: &'a mut Builder,
    pub(super) plan: &'a Plan,
    /// The carries as the turn finds them.
    pub(super) carries: Vec<ValueId>,
    pub(super) constants: &'a Constants,
}

impl Turn<'_> {
    /// The next carries; the last turn is counted, too.
    pub(super) fn next(&mut self, ends: &Ends) -> Result<Vec<ValueId>, Unfit> {
        let (mut next, at) = (self.ends(ends)?, self.plan.types.len());
        next[at] = self.b.op(BinaryOp::Add, Attr::None, &[self.carries[at], self.constants.one])?;
        Ok(next)
    }

    /// The next carries behind an end of the open region, but for the count.
    pub(super) fn ends(&mut self, ends: &Ends) -> Result<Vec<ValueId>, Unfit> {
        match ends {
            Ends::Return(values) => {
                let mut next = self.carries.clone();
                self.plan.kept.iter().zip(values).for_each(|(&at, &value)| next[at] = value);
                next[self.plan.types.len() + 1] = self.constants.flags[0];
                Ok(next)
            }
            Ends::Call(id) => {
                let node = self.taken(*id);
                let mut next = self.carries.clone();
                next[..node.args.len()].copy_from_slice(&node.args);
                self.checked()?;
                next[self.plan.types.len() + 1] = self.constants.flags[1];
                Ok(next)
            }
            Ends::Branch(id, arms) => {
                let node = self.taken(*id);
                let regions = [node.regions[0], node.regions[1]];
                let mut given = Vec::new();
                for (region, arm) in regions.into_iter().zip(arms.iter()) {
                    self.b.reopen(region);
                    given.push(self.ends(arm)?);
                    self.b.reclose();
                }
                Ok(self.joined(node.args[0], regions, [&given[0], &given[1]]))
            }
        }
    }

    /// Takes the last node of the open region out; what comes next has its place.
    fn taken(&mut self, id: NodeId) -> Node {
        self.b.set_place(self.b.graph().places[id].clone());
        self.b.rewind(self.b.mark() - 1);
        self.b.graph().nodes[id].clone()
    }

    /// Fails if there were too many calls.
    fn checked(&mut self) -> Result<(), Unfit> {
        let calls = self.carries[self.plan.types.len()];
        let ok = self.b.op(CompareOp::Lt, Attr::None, &[calls, self.constants.most])?;
        let text = Piece::Text("maximum recursion depth exceeded".to_owned());
        let message = PrintFormat { pieces: vec![text], stream: Stream::Stderr, summarize: None };
        let attr = Attr::Check { kind: CheckKind::Recursion, message, limit: false };
        self.b.effect(Op::Check, attr, &[ok])
    }

    /// Results of a branch; its arms give nothing that is the same for both.
    fn joined(&mut self, test: ValueId, regions: [RegionId; 2], given: [&[ValueId]; 2]) -> Vec<ValueId> {
        let differ: Vec<usize> = (0..given[0].len()).filter(|&at| given[0][at] != given[1][at]).collect();
        for (region, given) in regions.into_iter().zip(given) {
            self.b.reopen(region);
            self.b.close(differ.iter().map(|&at| given[at]).collect());
        }
        let types: Vec<TensorType> =
            differ.iter().map(|&at| self.common(given.map(|given| given[at]))).collect();
        let results = self.b.cond(test, regions, types);
        let mut joined = given[0].to_vec();
        differ.into_iter().zip(results).for_each(|(at, result)| joined[at] = result);
        joined
    }

    /// A type that two values fit.
    fn common(&mut self, values: [ValueId; 2]) -> TensorType {
        let [mut ty, other] = values.map(|value| self.b.ty(value).clone());
        for (dim, other) in ty.shape.0.iter_mut().zip(&other.shape.0) {
            if dim != other {
                *dim = Dim::Var(self.b.fresh_dim());
            }
        }
        ty
    }
}
