//! Arrays of a few elements in loops become their elements: `while t: s = stack([s[0] + s[1], s[1]])` ⇒ a loop that carries two
//! numbers, which code keeps in registers.
//!
//! Only where no op of the loop needs the array itself, other than to store it, so that nothing is computed twice; before
//! `hoist`, which takes what is read of arrays from outside out of the loop.

mod choice;
mod sources;

use rustc_hash::{FxHashMap, FxHashSet};

use gw_ir::{Attr, Class, DimArg, Graph, Literal, NodeId, Op, Value, ValueDef, ValueId, literal};
use gw_types::{DType, Scalar, Shape, TensorType};

use crate::walk::{Visit, Walk};
use choice::Choice;
use sources::size;

pub(crate) fn run(graph: &mut Graph) {
    Walk::run(graph, &mut Elements::default());
}

#[derive(Default)]
struct Elements {
    /// The arrays of loops that become their elements.
    taken: FxHashSet<ValueId>,
    /// Elements of arrays, where they are known.
    parts: FxHashMap<ValueId, Vec<ValueId>>,
    /// The carries of each loop that become carries of their elements.
    carries: FxHashMap<NodeId, Vec<usize>>,
}

impl Visit for Elements {
    fn before(&mut self, walk: &mut Walk, id: NodeId) {
        if walk.graph.nodes[id].op != Op::While {
            return;
        }
        let Some(choice) = Choice::new(walk, id).made() else { return };
        for &at in &choice.carries {
            for region in walk.graph.nodes[id].regions.clone() {
                let param = walk.graph.regions[region].params[at];
                let parts = (0..size(walk.graph, param)).map(|_| {
                    let at = walk.graph.regions[region].params.len();
                    let ty = TensorType::scalar(walk.graph.ty(param).dtype);
                    let part = Value { ty, def: ValueDef::Param(region, at), name: None };
                    let part = walk.graph.values.push(part);
                    walk.graph.regions[region].params.push(part);
                    part
                });
                let parts = parts.collect();
                self.parts.insert(param, parts);
            }
        }
        self.taken.extend(choice.values);
        self.carries.insert(id, choice.carries);
    }

    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        if let Some(carries) = self.carries.remove(&id) {
            return self.loop_of_parts(walk, id, &carries, out);
        }
        let results = &walk.graph.nodes[id].results;
        if let &[result] = &results[..] {
            if self.taken.contains(&result) {
                let parts = self.taken_apart(walk, id, out);
                self.parts.insert(result, parts);
                return;
            }
            if let Some(part) = self.indexed(walk.graph, id) {
                return walk.replace(result, part);
            }
        }
        for at in 0..walk.graph.nodes[id].args.len() {
            let arg = walk.graph.nodes[id].args[at];
            if self.taken.contains(&arg) {
                walk.graph.nodes[id].args[at] = self.joined(walk, arg, id, out);
            }
        }
        out.push(id);
    }
}

impl Elements {
    /// The element that `x[2]` reads, if those of `x` are known.
    fn indexed(&self, graph: &Graph, id: NodeId) -> Option<ValueId> {
        let node = &graph.nodes[id];
        if node.op != Op::Index || !graph.ty(node.results[0]).is_scalar() {
            return None;
        }
        let parts = self.parts.get(&node.args[0])?;
        let at = literal(graph, node.args[1])?.as_scalar()?.to_i64();
        let at = if at < 0 { at + parts.len() as i64 } else { at };
        parts.get(usize::try_from(at).ok()?).copied()
    }

    /// The elements of what a node of the loop gives, which runs no longer.
    fn taken_apart(&self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) -> Vec<ValueId> {
        let node = walk.graph.nodes[id].clone();
        let result = walk.graph.ty(node.results[0]).clone();
        if let Attr::Literal(literal) = &node.attr {
            return constants(walk, literal, id, out);
        }
        if node.op.class() != Class::Elementwise {
            let sources = sources::moved(walk.graph, &node).unwrap_or_default();
            let operands: Vec<Vec<ValueId>> = node
                .args
                .iter()
                .take(sources::count(&node))
                .map(|&arg| self.opened(walk, arg, id, out))
                .collect();
            return sources.into_iter().map(|(operand, element)| operands[operand][element]).collect();
        }
        let lengths = result.shape.lengths().unwrap_or_default();
        let operands: Vec<Vec<ValueId>> = node
            .args
            .iter()
            .map(|&arg| {
                let parts = self.opened(walk, arg, id, out);
                let shape = walk.graph.ty(arg).shape.lengths().unwrap_or_default();
                sources::stretched(&shape, &lengths).into_iter().map(|element| parts[element]).collect()
            })
            .collect();
        (0..lengths.iter().product::<usize>())
            .map(|element| {
                let args = operands.iter().map(|parts| parts[element]).collect();
                walk.make(node.op, node.attr.clone(), args, TensorType::scalar(result.dtype), id, out)
            })
            .collect()
    }

    /// The elements of an operand: known, those of a literal, or read where `out` ends.
    fn opened(&self, walk: &mut Walk, value: ValueId, like: NodeId, out: &mut Vec<NodeId>) -> Vec<ValueId> {
        if walk.graph.ty(value).is_scalar() {
            return vec![value];
        }
        if let Some(parts) = self.parts.get(&value) {
            return parts.clone();
        }
        if let Some(literal) = literal(walk.graph, value).cloned() {
            return constants(walk, &literal, like, out);
        }
        let (dtype, count) = (walk.graph.ty(value).dtype, size(walk.graph, value));
        let flat = reshaped(walk, value, vec![count], like, out);
        let element = |at: usize| {
            let at = walk.constant(Literal::scalar(DType::I64, Scalar::Int(at as i64)), like, out);
            walk.make(Op::Index, Attr::Axis(0), vec![flat, at], TensorType::scalar(dtype), like, out)
        };
        (0..count).map(element).collect()
    }

    /// The array of a value whose elements are known, made where `out` ends.
    fn joined(&self, walk: &mut Walk, value: ValueId, like: NodeId, out: &mut Vec<NodeId>) -> ValueId {
        let lengths = walk.graph.ty(value).shape.lengths().unwrap_or_default();
        join(walk, &self.parts[&value], lengths, like, out)
    }

    /// Runs a loop whose arrays' elements are carries of their own. The arrays' carries are handed on as they came, which
    /// nobody needs.
    fn loop_of_parts(&mut self, walk: &mut Walk, id: NodeId, carries: &[usize], out: &mut Vec<NodeId>) {
        let node = walk.graph.nodes[id].clone();
        let body = node.regions[1];
        let mut given = Vec::new();
        for &at in carries {
            let first = self.opened(walk, node.args[at], id, out);
            walk.graph.nodes[id].args.extend(first);
            let mut nodes = std::mem::take(&mut walk.graph.regions[body].nodes);
            let next = self.opened(walk, walk.resolve(walk.graph.regions[body].results[at]), id, &mut nodes);
            walk.graph.regions[body].nodes = nodes;
            walk.graph.regions[body].results.extend(next);
            let dtype = walk.graph.ty(node.results[at]).dtype;
            let parts: Vec<ValueId> = (0..size(walk.graph, node.results[at]))
                .map(|_| {
                    let def = ValueDef::Result(id, walk.graph.nodes[id].results.len());
                    let part =
                        walk.graph.values.push(Value { ty: TensorType::scalar(dtype), def, name: None });
                    walk.graph.nodes[id].results.push(part);
                    part
                })
                .collect();
            given.push((at, parts));
        }
        out.push(id);
        for (at, parts) in given {
            walk.graph.regions[body].results[at] = walk.graph.regions[body].params[at];
            let lengths = walk.graph.ty(node.results[at]).shape.lengths().unwrap_or_default();
            let array = join(walk, &parts, lengths, id, out);
            self.parts.insert(array, parts);
            walk.replace(node.results[at], array);
        }
    }
}

fn constants(walk: &mut Walk, literal: &Literal, like: NodeId, out: &mut Vec<NodeId>) -> Vec<ValueId> {
    let one = |scalar| walk.constant(Literal::scalar(literal.dtype(), scalar), like, out);
    literal.scalars().map(one).collect()
}

fn join(
    walk: &mut Walk,
    parts: &[ValueId],
    lengths: Vec<usize>,
    like: NodeId,
    out: &mut Vec<NodeId>,
) -> ValueId {
    let rows: Vec<ValueId> = parts.iter().map(|&part| reshaped(walk, part, vec![1], like, out)).collect();
    let ty = TensorType::new(walk.graph.ty(parts[0]).dtype, Shape::fixed(&[parts.len()]));
    let flat = walk.make(Op::Concat, Attr::Axis(0), rows, ty, like, out);
    reshaped(walk, flat, lengths, like, out)
}

fn reshaped(
    walk: &mut Walk,
    value: ValueId,
    lengths: Vec<usize>,
    like: NodeId,
    out: &mut Vec<NodeId>,
) -> ValueId {
    let shape = Shape::fixed(&lengths);
    if walk.graph.ty(value).shape == shape {
        return value;
    }
    let ty = TensorType::new(walk.graph.ty(value).dtype, shape);
    let dims = lengths.into_iter().map(DimArg::Fixed).collect();
    walk.make(Op::Reshape, Attr::Dims(dims), vec![value], ty, like, out)
}

#[cfg(test)]
mod tests;
