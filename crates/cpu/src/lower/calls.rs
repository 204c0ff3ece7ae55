//! Functions that the graph calls: each becomes a native function. Numbers and lengths pass in registers, an array by its
//! address; the caller gives each array result a slot of its own, into which the function puts it before it returns.
//!
//! A function that keeps arrays has slots of its own each time it runs: it may be running already.

use gw_ir::{Attr, FunctionId, Node, RegionId, ValueId};
use gw_runtime::Report;
use gw_types::Dim;

use super::context::{Lower, Lowers, broken};
use super::place::{Held, Home};
use crate::loops::{Callee, Expr, Field, Func, Stmt, Ty, Var, allocate_buffers, count_turns};

impl Lower<'_> {
    /// Lowers the function that is number `index` of the program; gives the sizes of its slots too.
    pub(super) fn function(&mut self, index: usize, function: FunctionId) -> Lowers<(Func, Vec<usize>)> {
        let outside = std::mem::take(&mut self.b);
        let slots = std::mem::take(&mut self.slots);
        (self.homes, self.housed, self.memo, self.rests) = Default::default();
        let body = self.graph.functions[function].body;
        let frame = self.b.fresh(Ty::Ptr);
        let enter = self.enter(frame, index);
        self.frame = Some(frame);
        let mut params = self.taken(body);
        let to = self.result_slots(body);
        params.extend(&to);
        self.region(body)?;
        self.node = None;
        let results = self.given(body, &to)?;
        let mut slots = std::mem::replace(&mut self.slots, slots);
        if !slots.is_empty() {
            let context = self.b.field(Field::Context);
            self.b.push(Stmt::Do(Callee::Leave, vec![context]));
        }
        self.frame = None;
        let inside = std::mem::replace(&mut self.b, outside);
        let ranges = inside.ranges();
        let mut func = inside.finish(&self.graph.functions[function].name);
        if !slots.is_empty() {
            func.body.splice(0..0, enter);
        }
        (func.params, func.results) = (params, results);
        allocate_buffers(&mut func, Some(frame), &mut slots);
        count_turns(&mut func, ranges);
        Ok((func, slots))
    }

    /// Prologue of a function with slots: it gets its slots, or there is no memory.
    fn enter(&mut self, frame: Var, index: usize) -> Vec<Stmt> {
        self.b.open();
        let (context, index) = (self.b.field(Field::Context), self.b.word(index as i64));
        let ok = self.b.call(Ty::Bool, Callee::Enter, vec![context, index]);
        self.guard(ok, Report::OutOfMemory, Vec::new());
        let (at, zero) = (self.b.field(Field::Activation), self.b.word(0));
        self.b.push(Stmt::Let(frame, Expr::Load(at, zero)));
        self.b.close(Vec::new()).block
    }

    /// The parameters of a function.
    fn taken(&mut self, body: RegionId) -> Vec<Var> {
        let mut params = Vec::new();
        for &param in &self.graph.regions[body].params {
            let ty = self.ty(param);
            let first = self.b.fresh(if self.graph.ty(param).is_scalar() { ty } else { Ty::Ptr });
            params.push(first);
            let held = match self.graph.ty(param).is_scalar() {
                true => Held::Scalar(first),
                false => {
                    let dims = self.lengths(param, &mut params);
                    Held::View(self.dense(first, ty, dims))
                }
            };
            self.hold(param, held);
        }
        params
    }

    /// The lengths of an array that passes between functions; those that its type does not know are new variables.
    fn lengths(&mut self, value: ValueId, passed: &mut Vec<Var>) -> Vec<Var> {
        let dims = self.graph.ty(value).shape.0.clone();
        let length = |dim: Dim| match dim {
            Dim::Fixed(n) => self.b.word(n as i64),
            Dim::Var(_) => {
                passed.push(self.b.fresh(Ty::I64));
                passed[passed.len() - 1]
            }
        };
        dims.into_iter().map(length).collect()
    }

    /// One slot of the caller's for each array that a function returns.
    fn result_slots(&mut self, body: RegionId) -> Vec<Var> {
        let arrays = self.arrays(body);
        arrays.iter().map(|_| self.b.fresh(Ty::Ptr)).collect()
    }

    /// The arrays that a function returns.
    fn arrays(&self, body: RegionId) -> Vec<ValueId> {
        let results = self.graph.regions[body].results.iter().copied();
        results.filter(|&result| !self.graph.ty(result).is_scalar()).collect()
    }

    /// Results of a function; arrays go to the slots `to`.
    fn given(&mut self, body: RegionId, to: &[Var]) -> Lowers<Vec<Var>> {
        let (mut given, mut slots) = (Vec::new(), to.iter());
        for &result in &self.graph.regions[body].results {
            match self.settled(result)? {
                Held::Scalar(var) => given.push(var),
                Held::View(view) => {
                    let slot = slots.next().ok_or_else(|| broken("a result has no slot"))?;
                    given.push(self.copied(result, &view, Home::Growing(*slot))?);
                    given.extend(self.unknown_lengths(result, &view.dims));
                }
                Held::Delayed(_) => return Err(broken("a result is not in memory")),
            }
        }
        Ok(given)
    }

    /// Those of the lengths that the type of `value` does not know.
    fn unknown_lengths(&self, value: ValueId, dims: &[Var]) -> Vec<Var> {
        let each = self.graph.ty(value).shape.0.iter().zip(dims);
        each.filter(|(dim, _)| dim.fixed().is_none()).map(|(_, &var)| var).collect()
    }

    /// `results = function(args)`
    pub(super) fn call(&mut self, node: &Node) -> Lowers<()> {
        let Attr::Function(function) = node.attr else { return Err(broken("a call without a function")) };
        let index = self.functions.iter().position(|&known| known == function);
        let index = index.ok_or_else(|| broken("a function that is not called is called"))?;
        let graph = self.graph;
        let body = graph.functions[function].body;
        let mut args = Vec::new();
        for (&arg, &param) in node.args.iter().zip(&graph.regions[body].params) {
            let held = self.settled(arg)?;
            match self.fitted(param, held) {
                Held::Scalar(var) => args.push(var),
                Held::View(view) => {
                    args.push(view.ptr);
                    args.extend(self.unknown_lengths(param, &view.dims));
                }
                Held::Delayed(_) => return Err(broken("an argument is not in memory")),
            }
        }
        for _ in self.arrays(body) {
            let slot = self.slot(0);
            args.push(self.slot_address(slot));
        }
        self.tick(None);
        let room = self.b.let_(Ty::Bool, Expr::Room);
        self.guard(room, Report::TooDeep, Vec::new());
        self.invoke(index, args, node, body)
    }

    fn invoke(&mut self, function: usize, args: Vec<Var>, node: &Node, body: RegionId) -> Lowers<()> {
        let (mut outs, mut held) = (Vec::new(), Vec::new());
        for &result in &self.graph.regions[body].results {
            let (ty, scalar) = (self.ty(result), self.graph.ty(result).is_scalar());
            let first = self.b.fresh(if scalar { ty } else { Ty::Ptr });
            outs.push(first);
            held.push(match scalar {
                true => (first, None),
                false => (first, Some((ty, self.lengths(result, &mut outs)))),
            });
        }
        self.b.push(Stmt::Invoke { function, args, outs });
        for (&result, (first, array)) in node.results.iter().zip(held) {
            let held = match array {
                None => Held::Scalar(first),
                Some((ty, dims)) => Held::View(self.dense(first, ty, dims)),
            };
            self.define(result, held)?;
        }
        Ok(())
    }
}
