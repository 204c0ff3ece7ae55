//! The laws, proved on each rule's sample.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_ir::{Graph, Op, verify};
use gw_types::{Kind, Scalar};

use super::*;

fn sample(rule: &Rule) -> Graph {
    let (params, ops) = rule.sample;
    let (_, ty) = ops.rsplit_once(" : ").expect("a sample ends with its type");
    let text = format!("func @sample({params}) -> ({ty}) {{ {ops} return %r }}");
    parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", rule.name))
}

/// Applies one rule once, where the sample ends.
struct Once<'a>(&'a Rule, usize);

impl Visit for Once<'_> {
    fn node(&mut self, walk: &mut Walk, id: NodeId, out: &mut Vec<NodeId>) {
        match patch(walk.graph, self.0, id) {
            Some(patch) => {
                self.1 += 1;
                if patch.apply(walk, id, out) {
                    out.push(id);
                }
            }
            None => out.push(id),
        }
    }
}

fn inputs(graph: &Graph, seed: &mut u64) -> Vec<Array> {
    let odd = [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e-45, 3e38, -1.5];
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *seed >> 33
    };
    let array = |&param: &gw_ir::ValueId| {
        let ty = graph.ty(param);
        let lengths = ty.shape.lengths().expect("samples have known lengths");
        let count: usize = lengths.iter().product();
        let elements = (0..count).map(|_| match ty.dtype.kind() {
            Kind::Bool => Scalar::Bool(next() % 2 == 0),
            Kind::Int => Scalar::Int([next() as i64, 0, i64::from(i32::MIN), -1][next() as usize % 4]),
            Kind::Float if next() % 2 == 0 => Scalar::Float(odd[next() as usize % odd.len()]),
            Kind::Float => Scalar::Float(f64::from(f32::from_bits(next() as u32))),
        });
        Array::new(ty.dtype, lengths, elements.collect::<Vec<_>>())
    };
    graph.params().iter().map(array).collect()
}

fn cost(graph: &Graph) -> usize {
    graph.compact().nodes.iter().filter(|(_, node)| node.op != Op::Const).count()
}

#[test]
fn each_rule_keeps_the_meaning() {
    let mut seed = 1;
    for rule in RULES.iter().copied().flatten() {
        let before = sample(rule);
        let mut after = before.clone();
        let mut once = Once(rule, 0);
        Walk::run(&mut after, &mut once);
        assert!(once.1 > 0, "{} does not apply to its sample", rule.name);
        assert_eq!(verify(&after, rule.name), Ok(()));
        assert_eq!(after.types(after.results()), before.types(before.results()), "{}", rule.name);
        crate::dce::run(&mut after);
        assert!(cost(&after) <= cost(&before), "{} makes the graph larger", rule.name);
        for _ in 0..200 {
            let inputs = inputs(&before, &mut seed);
            let [x, y] =
                [&before, &after].map(|graph| gw_eval::run(graph, &inputs).expect("samples do not fail"));
            assert!(x.results[0].same_as(&y.results[0]), "{} of {inputs:?}: {x:?} became {y:?}", rule.name);
        }
    }
}

#[test]
fn names_are_names() {
    let mut names: Vec<_> = RULES.iter().copied().flatten().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.iter().map(|rules| rules.len()).sum::<usize>());
}
