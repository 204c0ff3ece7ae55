//! Makes graphs, one checked op at a time.

use rustc_hash::{FxHashMap, FxHashSet};

use gw_base::{Loc, Table};
use gw_types::{DimVar, Promotion, TensorType};

use crate::{
    Attr, Function, FunctionId, Graph, HostCall, Literal, Node, NodeId, Op, Region, RegionId, Unfit, Value,
    ValueDef, ValueId, infer,
};

/// A graph under construction, with the region that ops are now added to.
#[derive(Debug)]
pub struct Builder {
    graph: Graph,
    open: Vec<RegionId>,
    /// The regions that wait for a function to be finished, the outermost function last.
    waiting: Vec<Vec<RegionId>>,
    place: Option<Loc>,
    /// True if the program's arithmetic of integer scalars is checked for overflow.
    checks_overflow: bool,
    promotion: Promotion,
    /// Elements of tensors that stand for Python's lists, and those tensors.
    items: FxHashMap<ValueId, ValueId>,
    /// Single numbers of Python's that are computed of elements of arrays.
    pythons: FxHashSet<ValueId>,
}

impl Builder {
    /// An empty graph of this name.
    pub fn new(name: impl Into<String>) -> Self {
        let mut regions = Table::new();
        let body = regions.push(Region::default());
        let graph = Graph {
            name: name.into(),
            body,
            functions: Table::new(),
            nodes: Table::new(),
            values: Table::new(),
            regions,
            places: Table::new(),
            dim_vars: 0,
        };
        let promotion = Promotion::default();
        let (waiting, items, pythons) = <(_, FxHashMap<_, _>, FxHashSet<_>)>::default();
        let open = vec![body];
        Self { graph, open, waiting, place: None, checks_overflow: false, promotion, items, pythons }
    }

    /// A graph that is there, to be gone on with: its body is open, and what it returned is forgotten.
    pub fn resume(graph: Graph) -> Self {
        let body = graph.body;
        let promotion = Promotion::default();
        let (waiting, items, pythons) = <(_, FxHashMap<_, _>, FxHashSet<_>)>::default();
        let open = vec![body];
        Self { graph, open, waiting, place: None, checks_overflow: false, promotion, items, pythons }
    }

    /// Says that a value is an item of a list of Python's, for which `rows` stand.
    pub fn set_item(&mut self, value: ValueId, rows: ValueId) {
        self.items.insert(value, rows);
    }

    /// The rows, if that was said of a value.
    pub fn rows_of_item(&self, value: ValueId) -> Option<ValueId> {
        self.items.get(&value).copied()
    }

    /// Says that a value is a number of Python's, though elements of arrays are among those that it is computed of.
    pub fn set_pythons(&mut self, value: ValueId) {
        self.pythons.insert(value);
    }

    /// True if that was said of a value.
    pub fn is_pythons(&self, value: ValueId) -> bool {
        self.pythons.contains(&value)
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The region that ops are now added to.
    pub fn region(&self) -> RegionId {
        *self.open.last().expect("the body stays open until `finish`")
    }

    /// The regions that are open now, the outermost first.
    pub fn open_regions(&self) -> &[RegionId] {
        &self.open
    }

    /// Sets the place in the user's text that the next ops come from.
    pub fn set_place(&mut self, place: Option<Loc>) {
        self.place = place;
    }

    /// From now on the program's arithmetic of integer scalars is checked for overflow, or wraps.
    pub fn set_overflow_checks(&mut self, checks: bool) {
        self.checks_overflow = checks;
    }

    /// The attribute of arithmetic that the program asks for: checked, if that is wanted and the operands are integer
    /// scalars. What the compiler computes for itself has none.
    pub fn arithmetic(&self, op: Op, args: &[ValueId]) -> Attr {
        let integers = || args.iter().all(|&arg| self.ty(arg).is_scalar() && self.ty(arg).dtype.is_checked());
        if self.checks_overflow && op.arithmetic().is_some() && integers() {
            Attr::Checked
        } else {
            Attr::None
        }
    }

    /// True if the program's arithmetic of integer scalars is checked for overflow.
    pub fn checks_overflow(&self) -> bool {
        self.checks_overflow
    }

    /// Says how tensors of different element types meet from now on. Ops take one type each: who adds them converts.
    pub fn set_promotion(&mut self, promotion: Promotion) {
        self.promotion = promotion;
    }

    /// Promotion rule for tensors of different element types.
    pub fn promotion(&self) -> Promotion {
        self.promotion
    }

    /// A dimension variable that nothing else uses.
    pub fn fresh_dim(&mut self) -> DimVar {
        self.graph.fresh_dim()
    }

    /// The type of a value.
    pub fn ty(&self, value: ValueId) -> &TensorType {
        self.graph.ty(value)
    }

    /// Gives a value the user's name, unless it has one.
    pub fn name(&mut self, value: ValueId, name: &str) {
        self.graph.values[value].name.get_or_insert_with(|| name.to_owned());
    }

    /// Adds a parameter to the open region. The variables of `ty` must come from this graph.
    pub fn param(&mut self, ty: TensorType) -> ValueId {
        self.param_of(self.region(), ty)
    }

    /// Adds a parameter to the function itself, whichever region is open.
    pub fn input(&mut self, ty: TensorType) -> ValueId {
        self.param_of(self.graph.body, ty)
    }

    /// Adds a parameter to a region.
    pub fn param_of(&mut self, region: RegionId, ty: TensorType) -> ValueId {
        let at = self.graph.regions[region].params.len();
        let value = self.value(ty, ValueDef::Param(region, at));
        self.graph.regions[region].params.push(value);
        value
    }

    /// Adds a constant.
    pub fn constant(&mut self, literal: Literal) -> ValueId {
        let ty = literal.tensor_type();
        self.node(Op::Const, Attr::Literal(literal), &[], Vec::new(), vec![ty])[0]
    }

    /// Adds an op without regions that gives one value.
    ///
    /// # Errors
    /// If the operands or attributes do not fit the op.
    pub fn op(&mut self, op: impl Into<Op>, attr: Attr, args: &[ValueId]) -> Result<ValueId, Unfit> {
        let op = op.into();
        let types = self.graph.types(args);
        let results = infer(op, &attr, &types, &mut || self.graph.fresh_dim())?;
        Ok(self.node(op, attr, args, Vec::new(), results)[0])
    }

    /// Adds an op as [`Builder::op`] does, where more is known of its lengths than follows from its operands: the result
    /// has the lengths of `wanted`, as far as the two [`fits`](crate::fits).
    ///
    /// # Errors
    /// If the operands or attributes do not fit the op.
    pub fn op_as(
        &mut self,
        op: impl Into<Op>,
        attr: Attr,
        args: &[ValueId],
        wanted: &TensorType,
    ) -> Result<ValueId, Unfit> {
        let value = self.op(op, attr, args)?;
        self.graph.values[value].ty.learn(wanted);
        Ok(value)
    }

    /// Adds a node that does the same as one that is there, with other operands, regions and names of results.
    pub fn again(&mut self, node: NodeId, args: &[ValueId], regions: Vec<RegionId>) -> Vec<ValueId> {
        let Node { op, attr, results, .. } = self.graph.nodes[node].clone();
        let types = self.graph.types(&results);
        let outside = std::mem::replace(&mut self.place, self.graph.places[node].clone());
        let made = self.node(op, attr, args, regions, types);
        self.place = outside;
        made
    }

    /// Adds an op that acts on the world.
    ///
    /// # Errors
    /// If the operands or attributes do not fit the op.
    pub fn effect(&mut self, op: Op, attr: Attr, args: &[ValueId]) -> Result<(), Unfit> {
        let types = self.graph.types(args);
        let results = infer(op, &attr, &types, &mut || self.graph.fresh_dim())?;
        self.node(op, attr, args, Vec::new(), results);
        Ok(())
    }

    /// Adds a call of a function of the host's; gives what it promises.
    ///
    /// # Errors
    /// If the operands or the promise do not fit.
    pub fn host_call(&mut self, call: HostCall, args: &[ValueId]) -> Result<Vec<ValueId>, Unfit> {
        let (attr, types) = (Attr::Host(call), self.graph.types(args));
        let results = infer(Op::Host, &attr, &types, &mut || self.graph.fresh_dim())?;
        Ok(self.node(Op::Host, attr, args, Vec::new(), results))
    }

    /// Opens a new region; ops go there until `close`.
    pub fn open(&mut self) -> RegionId {
        let region = self.graph.regions.push(Region::default());
        self.open.push(region);
        region
    }

    /// Goes back to the regions that were open, and waited, when these were asked for: what was begun since stays unfinished,
    /// and nobody uses it.
    pub fn go_back(&mut self, open: Vec<RegionId>, waiting: usize) {
        self.open = open;
        self.waiting.truncate(waiting);
    }

    /// Opens a region again, to add to its end.
    pub fn reopen(&mut self, region: RegionId) {
        self.open.push(region);
    }

    /// Closes a region that was opened again; its results stay.
    pub fn reclose(&mut self) {
        self.open.pop().expect("an open region");
    }

    /// Closes the region opened last, with its results.
    pub fn close(&mut self, results: Vec<ValueId>) -> RegionId {
        let region = self.open.pop().expect("an open region");
        self.graph.regions[region].results = results;
        region
    }

    /// Adds `cond` over two closed regions; `types` are those of the results. Judged by `verify`.
    pub fn cond(&mut self, test: ValueId, regions: [RegionId; 2], types: Vec<TensorType>) -> Vec<ValueId> {
        self.node(Op::Cond, Attr::None, &[test], regions.to_vec(), types)
    }

    /// Adds `while` over two closed regions, test and body; `types` are those of the results. Judged by `verify`.
    pub fn while_(
        &mut self,
        init: &[ValueId],
        regions: [RegionId; 2],
        types: Vec<TensorType>,
    ) -> Vec<ValueId> {
        self.node(Op::While, Attr::None, init, regions.to_vec(), types)
    }

    /// Adds a carry to a loop that is there; gives what it is in the body and behind the loop, whose types are `types`. It
    /// hands on nothing until [`Builder::hand_on`] says what.
    pub fn add_carry(&mut self, node: NodeId, init: ValueId, types: [&TensorType; 2]) -> [ValueId; 2] {
        let [test, body] = [0, 1].map(|at| self.graph.nodes[node].regions[at]);
        self.param_of(test, types[0].clone());
        let param = self.param_of(body, types[0].clone());
        let at = self.graph.nodes[node].results.len();
        let result = self.value(types[1].clone(), ValueDef::Result(node, at));
        let node = &mut self.graph.nodes[node];
        node.args.push(init);
        node.results.push(result);
        [param, result]
    }

    /// Says what a carry that was added last is after each iteration.
    pub fn hand_on(&mut self, node: NodeId, next: ValueId) {
        let body = self.graph.nodes[node].regions[1];
        self.graph.regions[body].results.push(next);
    }

    /// Adds `try` over a closed region; `types` are those of the results. Judged by `verify`.
    pub fn try_(&mut self, body: RegionId, types: Vec<TensorType>) -> Vec<ValueId> {
        self.node(Op::Try, Attr::None, &[], vec![body], types)
    }

    /// A function that can be called from now on; what it does is said by [`Builder::begin`].
    pub fn declare(&mut self, name: &str) -> FunctionId {
        let body = self.graph.regions.push(Region::default());
        self.graph.functions.push(Function { name: name.to_owned(), body, back: None })
    }

    /// Says that a function has a backward pass of its own.
    pub fn set_back(&mut self, function: FunctionId, back: FunctionId) {
        self.graph.functions[function].back = Some(back);
    }

    /// Begins to say what a function does, anew if it was said before; the regions that are open now wait until `end`.
    pub fn begin(&mut self, function: FunctionId) {
        let body = self.graph.regions.push(Region::default());
        self.graph.functions[function].body = body;
        self.waiting.push(std::mem::replace(&mut self.open, vec![body]));
    }

    /// Ends what `begin` began; the function returns `results`.
    pub fn end(&mut self, results: Vec<ValueId>) {
        self.close(results);
        self.open = self.waiting.pop().expect("a function that was begun");
    }

    /// The regions that wait for the functions that are being made, the outermost function first.
    pub fn waiting(&self) -> &[Vec<RegionId>] {
        &self.waiting
    }

    /// Adds `call`; `types` are those of the results. Judged by `verify`.
    pub fn call(&mut self, function: FunctionId, args: &[ValueId], types: Vec<TensorType>) -> Vec<ValueId> {
        self.node(Op::Call, Attr::Function(function), args, Vec::new(), types)
    }

    /// Moves the nodes of a closed region before a node of another one; `instead`: that node goes.
    pub fn move_before(&mut self, from: RegionId, region: RegionId, node: NodeId, instead: bool) {
        let moved = std::mem::take(&mut self.graph.regions[from].nodes);
        let nodes = &mut self.graph.regions[region].nodes;
        if let Some(at) = nodes.iter().position(|&id| id == node) {
            nodes.splice(at..at + usize::from(instead), moved);
        }
    }

    /// Moves some nodes of a region before a node of another one, in their order.
    pub fn lift(&mut self, nodes: &[NodeId], from: RegionId, region: RegionId, node: NodeId) {
        if nodes.is_empty() {
            return;
        }
        let apart = self.graph.regions.push(Region { nodes: nodes.to_vec(), ..Region::default() });
        self.graph.regions[from].nodes.retain(|id| !nodes.contains(id));
        self.move_before(apart, region, node, false);
    }

    /// Number of nodes in the open region.
    pub fn mark(&self) -> usize {
        self.graph.regions[self.region()].nodes.len()
    }

    /// Forgets the nodes of the open region that were added since there were so many; gives their results.
    pub fn rewind(&mut self, mark: usize) -> Vec<ValueId> {
        let region = self.region();
        let nodes = &mut self.graph.regions[region].nodes;
        let gone = nodes.split_off(mark.min(nodes.len()));
        gone.into_iter().flat_map(|node| self.graph.nodes[node].results.clone()).collect()
    }

    /// The finished graph with its results.
    pub fn finish(mut self, results: Vec<ValueId>) -> Graph {
        self.close(results);
        self.graph
    }

    fn node(
        &mut self,
        op: Op,
        attr: Attr,
        args: &[ValueId],
        regions: Vec<RegionId>,
        types: Vec<TensorType>,
    ) -> Vec<ValueId> {
        let id: NodeId = self.graph.nodes.next_id();
        let defined = types.into_iter().enumerate();
        let results: Vec<_> = defined.map(|(i, ty)| self.value(ty, ValueDef::Result(id, i))).collect();
        self.graph.nodes.push(Node { op, attr, args: args.to_vec(), regions, results: results.clone() });
        self.graph.places.push(self.place.clone());
        let region = self.region();
        self.graph.regions[region].nodes.push(id);
        results
    }

    fn value(&mut self, ty: TensorType, def: ValueDef) -> ValueId {
        self.graph.values.push(Value { ty, def, name: None })
    }
}
