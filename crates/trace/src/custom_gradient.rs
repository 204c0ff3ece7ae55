//! Custom gradients of the program: a function with a backward pass of its own, and one that is recomputed in the backward pass.

use gw_ir::{Attr, DimArg, FunctionId, Op, Unfit, ValueId};
use gw_types::Dim;

use crate::{Staged, Trace};

/// The cotangent of each source, if it has one.
pub type Flows = Vec<Option<ValueId>>;

/// A call that became a function of the graph.
pub struct Apart<T> {
    /// The result for the host.
    pub result: T,
    /// The values that it gave.
    pub values: Vec<ValueId>,
    /// Function of the graph that is called.
    pub function: FunctionId,
}

impl Trace {
    /// The values `given` as ones that change with the `sources` as `back` says, and with nothing else. `back` is called
    /// at once, with the cotangents of `given`, and gives those of the sources, each of the type of its source.
    ///
    /// The values that it reads from around are the residuals of the forward pass.
    ///
    /// # Errors
    /// The errors of `back`.
    pub fn with_own_way<E>(
        &self,
        name: &str,
        [sources, given]: [&[ValueId]; 2],
        back: impl FnOnce(Vec<Staged>) -> Result<Flows, E>,
    ) -> Result<Vec<Staged>, E> {
        let way = self.build(|b| b.declare(name));
        self.begin(way);
        let flows = back(self.parameters(given));
        let results =
            flows.as_ref().map_or_else(|_| Vec::new(), |flows| flows.iter().flatten().copied().collect());
        let needed = self.end(results);
        let flows = flows?;
        let reached = sources.iter().zip(&flows).filter(|(_, flow)| flow.is_some());
        let mut operands: Vec<ValueId> = reached.map(|(&source, _)| source).collect();
        operands.extend(needed);
        operands.extend(given);
        let forth = self.build(|b| b.declare(name));
        self.begin(forth);
        let params = self.parameters(&operands);
        let handed = params[operands.len() - given.len()..].iter().map(|param| param.value).collect();
        let _nothing = self.end(handed);
        let results = self.build(|b| {
            b.set_back(forth, way);
            let types = b.graph().types(given);
            b.call(forth, &operands, types)
        });
        Ok(results.into_iter().map(Staged::strong).collect())
    }

    /// Runs something as a function of the graph of its own, whose way back runs it again: what it reads from around are the
    /// parameters. `run` gives the values that are wanted of it, too; they are given as they are behind the call.
    ///
    /// # Errors
    /// The errors of `run`.
    pub fn apart<T, E>(
        &self,
        name: &str,
        run: impl FnOnce() -> Result<(T, Vec<ValueId>), E>,
    ) -> Result<Apart<T>, E> {
        let function = self.build(|b| b.declare(name));
        self.begin(function);
        let ran = run();
        let results = ran.as_ref().map_or_else(|_| Vec::new(), |(_, results)| results.clone());
        let operands = self.end(results);
        let (result, inside) = ran?;
        let values = self.build(|b| {
            let mut types = b.graph().types(&inside);
            let known: Vec<Dim> = b.graph().types(&operands).into_iter().flat_map(|ty| ty.shape.0).collect();
            let dims = types.iter_mut().flat_map(|ty| &mut ty.shape.0);
            for dim in dims.filter(|dim| dim.fixed().is_none() && !known.contains(dim)) {
                *dim = Dim::Var(b.fresh_dim());
            }
            b.call(function, &operands, types)
        });
        Ok(Apart { result, values, function })
    }

    /// Parameters of the open region that are of the types of these values.
    fn parameters(&self, like: &[ValueId]) -> Vec<Staged> {
        self.build(|b| {
            let types = b.graph().types(like);
            types.into_iter().map(|ty| Staged::strong(b.param(ty))).collect()
        })
    }

    /// A value as one with the lengths of a source, where that may have them; none where it has others.
    ///
    /// # Errors
    /// A bug of ours.
    pub fn as_long_as(&self, value: ValueId, source: ValueId) -> Result<Option<ValueId>, Unfit> {
        let [own, wanted] = [value, source].map(|value| self.ty(value));
        let mut axes = own.shape.0.iter().zip(&wanted.shape.0);
        let is_other = |(a, b): (&Dim, &Dim)| matches!((a, b), (Dim::Fixed(m), Dim::Fixed(n)) if m != n);
        if own.dtype != wanted.dtype || own.rank() != wanted.rank() || axes.any(is_other) {
            return Ok(None);
        }
        if own.shape == wanted.shape {
            return Ok(Some(value));
        }
        let source = self.lift(source).unwrap_or(source);
        self.build(|b| {
            let (mut args, mut dims) = (vec![value], Vec::with_capacity(wanted.rank()));
            for (axis, dim) in wanted.shape.0.iter().enumerate() {
                dims.push(match dim.fixed() {
                    Some(length) => DimArg::Fixed(length),
                    None => {
                        args.push(b.op(Op::Dim, Attr::Axis(axis), &[source])?);
                        DimArg::Arg(args.len() - 1)
                    }
                });
            }
            b.op_as(Op::Broadcast, Attr::Dims(dims), &args, &wanted).map(Some)
        })
    }
}
