//! Derivatives against finite differences, the first and the second, in float64, by the reference interpreter.

use gw_eval::{Array, run};
use gw_ir::text::parse;
use gw_ir::{Attr, BinaryOp, Builder, Graph, NodeId, ReduceOp, ValueId, verify};
use gw_types::{DType, Scalar};

use super::*;

mod matrices;
mod ops;
mod regions;

/// The target of the derivatives of a graph: the sum of the squares of all that it returns.
fn with_total(graph: Graph) -> (Builder, ValueId) {
    let results = graph.results().to_vec();
    let mut b = Builder::resume(graph);
    let floats: Vec<_> = results.into_iter().filter(|&v| b.ty(v).dtype.is_float()).collect();
    let total = sum_of_squares(&mut b, &floats);
    (b, total)
}

fn sum_of_squares(b: &mut Builder, values: &[ValueId]) -> ValueId {
    let mut total = b.constant(gw_ir::Literal::scalar(DType::F64, Scalar::Float(0.0)));
    for &value in values {
        let square = b.op(BinaryOp::Mul, Attr::None, &[value, value]).expect("floats");
        let axes = (0..b.ty(value).rank()).collect();
        let sum = b.op(ReduceOp::Sum, Attr::Axes { axes, keep: false }, &[square]).expect("floats");
        total = b.op(BinaryOp::Add, Attr::None, &[total, sum]).expect("floats");
    }
    total
}

fn floats_of(b: &Builder) -> Vec<ValueId> {
    let graph = b.graph();
    graph.params().iter().copied().filter(|&v| graph.ty(v).dtype.is_float()).collect()
}

/// The derivatives of a value by the parameters that are floats.
fn derivatives(b: &mut Builder, target: ValueId) -> Result<Vec<Option<ValueId>>, Stop> {
    let sources: Vec<_> =
        floats_of(b).into_iter().map(|value| Source { value, since: gw_base::Id::new(0) }).collect();
    let dtype = b.ty(target).dtype;
    let one = b.constant(gw_ir::Literal::scalar(dtype, Scalar::Float(1.0)));
    let everything = |_: NodeId| true;
    gradient(b, &Ask { targets: &[(target, one)], sources: &sources, recorded: &everything })
}

/// A graph, and the derivatives of its total: its own results are the total, then those.
fn derived(graph: Graph) -> (Graph, Graph) {
    let (mut b, total) = with_total(graph);
    let first = derivatives(&mut b, total).expect("a derivative");
    let first: Vec<_> = first.into_iter().flatten().collect();
    let results = std::iter::once(total).chain(first.iter().copied()).collect();
    let mut again = Builder::resume(b.finish(results));
    let second_total = sum_of_squares(&mut again, &first);
    let first_graph = Builder::resume(again.graph().clone()).finish({
        let mut all = vec![total];
        all.extend(&first);
        all
    });
    let second = derivatives(&mut again, second_total).expect("a second derivative");
    let results = std::iter::once(second_total).chain(second.into_iter().flatten()).collect();
    (first_graph, again.finish(results))
}

fn total_of(graph: &Graph, inputs: &[Array]) -> f64 {
    run(graph, inputs).unwrap_or_else(|error| panic!("{error:?}")).results[0].first().to_f64()
}

/// Compares what a graph says of its own first result's derivatives with finite differences of that.
#[track_caller]
fn compare(graph: &Graph, inputs: &[Array], tolerance: f64) {
    verify(graph, "grad").unwrap_or_else(|broken| panic!("{broken}\n{}", gw_ir::text::print(graph)));
    let found = run(graph, inputs).unwrap_or_else(|error| panic!("{error:?}")).results;
    let mut found = found[1..].iter();
    for at in (0..inputs.len()).filter(|&at| inputs[at].dtype.is_float()) {
        let Some(slopes) = found.next() else { return };
        assert_eq!(slopes.lengths, inputs[at].lengths, "a derivative has the shape of its source");
        for element in 0..inputs[at].elements.len() {
            let moved = |by: f64| {
                let mut inputs = inputs.to_vec();
                let old = inputs[at].elements[element].to_f64();
                inputs[at].elements[element] = Scalar::Float(old + by);
                total_of(graph, &inputs)
            };
            const STEP: f64 = 1e-5;
            let wanted = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
            let got = slopes.elements[element].to_f64();
            let scale = wanted.abs().max(got.abs()).max(1.0);
            assert!(
                (wanted - got).abs() <= tolerance * scale,
                "by input {at}, element {element}: {got}, finite differences {wanted}\n{}",
                gw_ir::text::print(graph)
            );
        }
    }
}

/// Derivatives of a graph at these inputs.
#[track_caller]
fn check(text: &str, inputs: &[Array]) {
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let (first, second) = derived(graph);
    compare(&first, inputs, 1e-5);
    compare(&second, inputs, 1e-5);
}

/// Numbers between 0.3 and 1.7 that are all different.
fn floats(lengths: &[usize]) -> Array {
    let count: usize = lengths.iter().product();
    let number = |at: usize| Scalar::Float(0.3 + 1.4 * ((at as f64 + 1.0) * 0.618_033_988_7).fract());
    Array::new(DType::F64, lengths.to_vec(), (0..count).map(number))
}

fn integers(lengths: &[usize], numbers: &[i64]) -> Array {
    Array::new(DType::I64, lengths.to_vec(), numbers.iter().map(|&n| Scalar::Int(n)))
}
