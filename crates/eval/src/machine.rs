//! Runs a graph, one node after the other.

use std::collections::HashMap;
use std::rc::Rc;

use gw_base::Id;
use gw_ir::{Attr, FunctionId, Graph, HostCall, HostType, Node, NodeId, Op, RegionId, Stream, ValueId};
use gw_types::{Dim, DimVar, TensorType};

use crate::{Array, EvalError, Failure, apply, format};

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// The results, in order.
    pub results: Vec<Array>,
    /// Printed text, in order.
    pub printed: Vec<(Stream, String)>,
}

/// Runs a legal graph on as many inputs as it has parameters.
///
/// # Errors
/// The first failure, with its place: inputs that do not fit the parameters, a failed check, a division by zero, …
pub fn run(graph: &Graph, inputs: &[Array]) -> Result<Outcome, EvalError> {
    let nobody = |call: &HostCall, _: &[&Array]| {
        Err(EvalError::new(Failure::Runtime, format!("nobody serves calls of `{}`", call.name)))
    };
    run_with(graph, inputs, &mut { nobody })
}

/// Function that answers calls of the host.
pub type Host<'a> = &'a mut dyn FnMut(&HostCall, &[&Array]) -> Result<Vec<Array>, EvalError>;

/// The same for a graph that calls the host.
///
/// # Errors
/// Likewise, and what the host fails with.
pub fn run_with(graph: &Graph, inputs: &[Array], host: Host) -> Result<Outcome, EvalError> {
    let values = vec![None; graph.values.len()];
    let mut machine = Machine { graph, values, printed: Vec::new(), depth: 0, host };
    let inputs: Vec<Rc<Array>> = inputs.iter().cloned().map(Rc::new).collect();
    judge_inputs(graph, &inputs)?;
    let results = machine.region(graph.body, &inputs).map_err(Stop::into_error)?;
    let results = results.into_iter().map(Rc::unwrap_or_clone).collect();
    Ok(Outcome { results, printed: machine.printed })
}

struct Machine<'a> {
    graph: &'a Graph,
    values: Vec<Option<Rc<Array>>>,
    printed: Vec<(Stream, String)>,
    /// Number of functions that are being run.
    depth: usize,
    host: Host<'a>,
}

/// Calls do not nest deeper.
const DEEPEST: usize = 2000;

/// Bytes of stack that a function may take, and what is added where there is less.
const STACK: (usize, usize) = (1 << 18, 1 << 22);

type Values = Vec<Rc<Array>>;

/// Reason for which a region does not come to its end.
enum Stop {
    Failed(EvalError),
    /// The innermost `try` gives these values.
    Left(Values),
}

impl Stop {
    fn into_error(self) -> EvalError {
        match self {
            Stop::Failed(error) => error,
            Stop::Left(_) => EvalError::new(Failure::Value, "nothing is left where a graph ends"),
        }
    }
}

impl From<EvalError> for Stop {
    fn from(error: EvalError) -> Self {
        Stop::Failed(error)
    }
}

impl Machine<'_> {
    fn region(&mut self, id: RegionId, inputs: &[Rc<Array>]) -> Result<Values, Stop> {
        let region = &self.graph.regions[id];
        self.bind(&region.params, inputs)?;
        for &node in &region.nodes {
            self.node(node)?;
        }
        Ok(self.get(&region.results))
    }

    fn node(&mut self, id: NodeId) -> Result<(), Stop> {
        let node = &self.graph.nodes[id];
        let located = |stop: Stop| match stop {
            Stop::Failed(mut error) => {
                error.place = error.place.or_else(|| self.graph.places[id].clone());
                Stop::Failed(error)
            }
            Stop::Left(values) => Stop::Left(values),
        };
        let args = self.get(&node.args);
        let results = self.results(node, args).map_err(located)?;
        self.bind(&node.results, &results).map_err(|error| located(error.into()))
    }

    fn results(&mut self, node: &Node, args: Values) -> Result<Values, Stop> {
        let operands: Vec<&Array> = args.iter().map(Rc::as_ref).collect();
        match (&node.attr, node.op) {
            (_, Op::Cond) => {
                let taken = if operands[0].first().to_bool() { 0 } else { 1 };
                self.region(node.regions[taken], &[])
            }
            (_, Op::While) => self.repeat(node, args),
            (_, Op::Try) => match self.region(node.regions[0], &[]) {
                Err(Stop::Left(values)) => Ok(values),
                ended => ended,
            },
            (_, Op::Leave) if operands[0].first().to_bool() => Ok(Vec::new()),
            (_, Op::Leave) => Err(Stop::Left(args[1..].to_vec())),
            (Attr::Function(function), _) => self.call(*function, &args),
            (Attr::Print(text), _) => {
                self.printed.push((text.stream, format(text, &operands)));
                Ok(Vec::new())
            }
            (Attr::Host(call), _) => {
                let given = (self.host)(call, &operands)?;
                judge_given(call, &given)?;
                Ok(given.into_iter().map(Rc::new).collect())
            }
            (Attr::Check { .. }, _) if operands[0].first().to_bool() => Ok(Vec::new()),
            (Attr::Check { kind, message, limit: _ }, _) => {
                Err(EvalError::new((*kind).into(), format(message, &operands)).into())
            }
            (attr, op) => Ok(vec![Rc::new(apply(op, attr, &operands)?)]),
        }
    }

    fn repeat(&mut self, node: &Node, mut carries: Values) -> Result<Values, Stop> {
        loop {
            let again = self.region(node.regions[0], &carries)?;
            if !again[0].first().to_bool() {
                return Ok(carries);
            }
            carries = self.region(node.regions[1], &carries)?;
        }
    }

    /// Runs a function with values of its own.
    fn call(&mut self, function: FunctionId, args: &[Rc<Array>]) -> Result<Values, Stop> {
        if self.depth == DEEPEST {
            return Err(EvalError::new(Failure::Recursion, "maximum recursion depth exceeded").into());
        }
        let body = self.graph.functions[function].body;
        let own = vec![None; self.values.len()];
        let outside = std::mem::replace(&mut self.values, own);
        self.depth += 1;
        let results = stacker::maybe_grow(STACK.0, STACK.1, || self.region(body, args));
        self.depth -= 1;
        self.values = outside;
        results
    }

    fn bind(&mut self, values: &[ValueId], arrays: &[Rc<Array>]) -> Result<(), EvalError> {
        for (&value, array) in values.iter().zip(arrays) {
            judge_lengths(self.graph.ty(value), array)?;
            self.values[value.index()] = Some(array.clone());
        }
        Ok(())
    }

    fn get(&self, values: &[ValueId]) -> Values {
        let get = |v: &ValueId| self.values[v.index()].clone().expect("a legal graph defines before it uses");
        values.iter().map(get).collect()
    }
}

/// The host gives what it promises.
fn judge_given(call: &HostCall, given: &[Array]) -> Result<(), EvalError> {
    let same = |(wanted, found): (&HostType, &Array)| {
        let axis = |(wanted, found): (&Option<usize>, &usize)| wanted.is_none_or(|wanted| wanted == *found);
        wanted.dtype == found.dtype
            && wanted.lengths.len() == found.lengths.len()
            && wanted.lengths.iter().zip(&found.lengths).all(axis)
    };
    if call.gives.len() == given.len() && call.gives.iter().zip(given).all(same) {
        return Ok(());
    }
    Err(EvalError::new(Failure::Type, format!("`{}` does not give what it promises", call.name)))
}

/// Lengths that the type knows are met.
fn judge_lengths(ty: &TensorType, array: &Array) -> Result<(), EvalError> {
    let axes = ty.shape.0.iter().zip(&array.lengths);
    let misfit = axes.into_iter().find(|&(dim, &n)| dim.fixed().is_some_and(|wanted| wanted != n));
    match misfit {
        Some((wanted, n)) => Err(EvalError::shapes(format!("an axis has length {n}, not {wanted}"))),
        None => Ok(()),
    }
}

/// Dtypes and ranks are those of the parameters; equal variables are equal lengths.
fn judge_inputs(graph: &Graph, inputs: &[Rc<Array>]) -> Result<(), EvalError> {
    let params = graph.params();
    if params.len() != inputs.len() {
        return Err(EvalError::shapes(format!("{} inputs for {} parameters", inputs.len(), params.len())));
    }
    let mut known: HashMap<DimVar, usize> = HashMap::new();
    for (&param, input) in params.iter().zip(inputs) {
        let ty = graph.ty(param);
        if ty.dtype != input.dtype || ty.rank() != input.lengths.len() {
            let found = format!("{} of {} axes", input.dtype.python_name(), input.lengths.len());
            return Err(EvalError::shapes(format!("an input is {found}, not {ty}")));
        }
        for (dim, &n) in ty.shape.0.iter().zip(&input.lengths) {
            let Dim::Var(var) = dim else { continue };
            let met = *known.entry(*var).or_insert(n);
            if met != n {
                return Err(EvalError::shapes(format!("lengths {met} and {n} should be equal")));
            }
        }
    }
    Ok(())
}
