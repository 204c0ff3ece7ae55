//! A function that calls itself as the last thing it does becomes a loop over its arguments:
//! `f(n, s) = s if n == 0 else f(n - 1, s + n)` ⇒ `while again: again, n, s = (False, n, s) if n == 0 else (True, n - 1, s + n)`.
//!
//! A call stands last if nothing runs behind it in its region and the function returns what it gives, in the same order; the region
//! is the function's body, or a branch of a `cond` that stands last itself. Other calls of the function stay what they are.
//!
//! The calls are counted, so that recursion without end is still a `RecursionError` at the call, though no stack ends. Arguments
//! that every call hands on unchanged are carries at first, which `carries` takes out.

mod header;
mod kept;
mod tested;

use rustc_hash::FxHashMap;

use gw_ir::{
    Attr, BinaryOp, Builder, CheckKind, CompareOp, DimArg, FunctionId, Graph, Literal, Node, NodeId, Op,
    Piece, PrintFormat, RegionId, Stream, Unfit, ValueId,
};
use gw_types::{DType, Dim, DimVar, Scalar, TensorType};

use kept::kept;
use tested::Moved;

/// More calls that follow one another are a `RecursionError`. A call takes 32 bytes of a stack at least, so that the 64 MiB on
/// which functions run at most end after two million. One more is a multiple of 2^20, after which loops ask the host whether to go
/// on: machine code makes both checks as one.
const MOST_CALLS: i64 = 10 * (1 << 20) - 1;

pub(crate) fn run(graph: &mut Graph) {
    for function in graph.called() {
        let body = graph.functions[function].body;
        let ends = Ends::of(graph, function, body, &graph.regions[body].results);
        if graph.functions[function].back.is_some() || !ends.calls() {
            continue;
        }
        let mut b = Builder::resume(graph.clone());
        // What does not fit is no graph of ours; the function stays what it is.
        if let Ok(moved) = looped(&mut b, function, &ends) {
            *graph = b.finish(graph.results().to_vec());
            moved.put(graph);
        }
    }
}

/// The ends of a function: what it does last.
enum Ends {
    /// It returns these.
    Return(Vec<ValueId>),
    /// It returns what this call of itself gives.
    Call(NodeId),
    /// Those of the two branches of a `cond`.
    Branch(NodeId, Box<[Ends; 2]>),
}

impl Ends {
    /// The ends of a region behind which the function returns these, which the region gives.
    fn of(graph: &Graph, function: FunctionId, region: RegionId, returned: &[ValueId]) -> Self {
        let last = graph.regions[region].nodes.last().copied();
        let found = last.and_then(|id| {
            let node = &graph.nodes[id];
            if node.attr == Attr::Function(function) {
                return (node.results == returned).then_some(Ends::Call(id));
            }
            let is_branch = node.op == Op::Cond;
            let place = |value| node.results.iter().position(|result| result == value);
            let places: Vec<usize> =
                returned.iter().map(place).collect::<Option<_>>().filter(|_| is_branch)?;
            let arms = [0, 1].map(|arm| {
                let given = &graph.regions[node.regions[arm]].results;
                let given: Vec<ValueId> = places.iter().map(|&at| given[at]).collect();
                Self::of(graph, function, node.regions[arm], &given)
            });
            arms.iter().any(Self::calls).then(|| Ends::Branch(id, Box::new(arms)))
        });
        found.unwrap_or_else(|| Ends::Return(returned.to_vec()))
    }

    /// True if one of them is a call.
    fn calls(&self) -> bool {
        match self {
            Ends::Return(_) => false,
            Ends::Call(_) => true,
            Ends::Branch(_, arms) => arms.iter().any(Ends::calls),
        }
    }

    /// True if one of them is none.
    fn returns(&self) -> bool {
        match self {
            Ends::Return(_) => true,
            Ends::Call(_) => false,
            Ends::Branch(_, arms) => arms.iter().any(Ends::returns),
        }
    }

    /// Arguments of each call, and what is returned where there is none.
    fn each<'a>(
        &'a self,
        graph: &'a Graph,
        calls: &mut Vec<&'a [ValueId]>,
        returns: &mut Vec<&'a [ValueId]>,
    ) {
        match self {
            Ends::Return(values) => returns.push(values),
            Ends::Call(id) => calls.push(&graph.nodes[*id].args),
            Ends::Branch(_, arms) => arms.iter().for_each(|arm| arm.each(graph, calls, returns)),
        }
    }
}

/// What is known of a function that becomes a loop.
struct Plan {
    params: Vec<ValueId>,
    /// The carry that each result of the function is when the loop ends. The first carries are the arguments, behind them are the
    /// results that are none, then the number of calls, and whether there was one.
    kept: Vec<usize>,
    /// The types of all carries but the last two.
    types: Vec<TensorType>,
    /// Lengths that differ from turn to turn.
    varying: Vec<DimVar>,
}

impl Plan {
    fn new(b: &mut Builder, params: Vec<ValueId>, returned: &[ValueId], ends: &Ends) -> Self {
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
fn opened(b: &mut Builder, mut ty: TensorType, is_open: impl Fn(DimVar) -> bool) -> TensorType {
    for dim in &mut ty.shape.0 {
        if let Dim::Var(var) = dim
            && is_open(*var)
        {
            *dim = Dim::Var(b.fresh_dim());
        }
    }
    ty
}

/// Makes the body of a function that of a loop.
fn looped(b: &mut Builder, function: FunctionId, ends: &Ends) -> Result<Moved, Unfit> {
    let body = b.graph().functions[function].body;
    let [params, returned] =
        [&b.graph().regions[body].params, &b.graph().regions[body].results].map(Vec::clone);
    if let Some((tests, rest)) = header::tests(b.graph(), body, ends) {
        let plan = Plan::new(b, params.clone(), &[], rest);
        if plan.varying.is_empty() {
            return tested::looped(b, function, &plan, (&tests, rest));
        }
    }
    let plan = Plan::new(b, params, &returned, ends);
    b.begin(function);
    let first = first_carries(b, &plan)?;
    let [number, flag] = [DType::I64, DType::Bool].map(TensorType::scalar);
    let types: Vec<TensorType> = plan.types.iter().cloned().chain([number, flag]).collect();
    let constants = Constants::new(b);
    let test = b.open();
    let again = types.iter().map(|ty| b.param(ty.clone())).last().expect("a flag");
    b.close(vec![again]);
    let others = types[plan.params.len()..].iter().map(|ty| b.param_of(body, ty.clone()));
    let carries = plan.params.iter().copied().chain(others).collect();
    b.reopen(body);
    let next = Turn { b, plan: &plan, carries, constants: &constants }.next(ends)?;
    b.close(next);
    let is_open = |at: usize, var| at >= plan.params.len() || plan.varying.contains(&var);
    let behind = types.into_iter().enumerate();
    let behind = behind.map(|(at, ty)| opened(b, ty, |var| is_open(at, var))).collect();
    let first = [&first[..], &[constants.none, constants.flags[1]]].concat();
    let results = b.while_(&first, [test, body], behind);
    b.end(plan.kept.iter().map(|&at| results[at]).collect());
    Ok(Moved::default())
}

/// The new parameters of the function, and something for each result that is not known before the loop ends.
fn first_carries(b: &mut Builder, plan: &Plan) -> Result<Vec<ValueId>, Unfit> {
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
struct Constants {
    none: ValueId,
    one: ValueId,
    most: ValueId,
    /// The flag of a turn that is the last one, and of one that is not.
    flags: [ValueId; 2],
}

impl Constants {
    fn new(b: &mut Builder) -> Self {
        let mut number = |n| b.constant(Literal::scalar(DType::I64, Scalar::Int(n)));
        let [none, one, most] = [number(0), number(1), number(MOST_CALLS)];
        let flags = [false, true].map(|flag| b.constant(Literal::scalar(DType::Bool, Scalar::Bool(flag))));
        Self { none, one, most, flags }
    }
}

/// A turn of the loop; the region that it is now at the end of is open.
struct Turn<'a> {
    b: &'a mut Builder,
    plan: &'a Plan,
    /// The carries as the turn finds them.
    carries: Vec<ValueId>,
    constants: &'a Constants,
}

impl Turn<'_> {
    /// The next carries; the last turn is counted, too.
    fn next(&mut self, ends: &Ends) -> Result<Vec<ValueId>, Unfit> {
        let (mut next, at) = (self.ends(ends)?, self.plan.types.len());
        next[at] = self.b.op(BinaryOp::Add, Attr::None, &[self.carries[at], self.constants.one])?;
        Ok(next)
    }

    /// The next carries behind an end of the open region, but for the count.
    fn ends(&mut self, ends: &Ends) -> Result<Vec<ValueId>, Unfit> {
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

    /// What the arms of a branch give; they give nothing that is the same for both.
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

#[cfg(test)]
mod tests;
