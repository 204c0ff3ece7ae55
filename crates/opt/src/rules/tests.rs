//! The laws, proved on each rule's sample.

use gw_eval::Array;
use gw_ir::text::parse;
use gw_ir::{Graph, Op, verify};
use gw_types::{Kind, Scalar, Text};

use super::*;

/// The sample as it stands, and with other constants and dtypes, where that is legal.
fn samples(rule: &Rule) -> Vec<Graph> {
    let (params, ops) = rule.sample;
    let (_, ty) = ops.rsplit_once(" : ").expect("a sample ends with its type");
    let text = format!("func @sample({params}) -> ({ty}) {{ {ops} return %r }}");
    let own = parse(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", rule.name));
    let texts = variants(&text).into_iter().flat_map(|text| {
        ["i32", "i64", "f32", "f64", "bool"].map(|to| text.replace("i32", to).replace("f32", to))
    });
    [own].into_iter().chain(texts.filter_map(|text| parse(&text).ok())).collect()
}

/// The text with one constant replaced.
fn variants(text: &str) -> Vec<String> {
    const OTHERS: &[&str] = &[
        "0",
        "1",
        "-1",
        "2",
        "3",
        "2147483647",
        "0.0",
        "-0.0",
        "1.0",
        "-1.0",
        "2.0",
        "0.5",
        "3.0",
        "1e-45",
        "1e30",
        "inf",
        "nan",
        "true",
        "false",
    ];
    let mut all = vec![text.to_owned()];
    for (at, _) in text.match_indices("const ") {
        let (before, rest) = text.split_at(at + "const ".len());
        let (_, after) = rest.split_once(' ').expect("a type follows a constant");
        all.extend(OTHERS.iter().map(|other| format!("{before}{other} {after}")));
    }
    all
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
            Kind::Complex => {
                let [re, im] = [0; 2].map(|_| odd[next() as usize % odd.len()]);
                Scalar::Complex(re, im)
            }
            Kind::Float if next() % 2 == 0 => Scalar::Float(odd[next() as usize % odd.len()]),
            Kind::Float => Scalar::Float(f64::from(f32::from_bits(next() as u32))),
            Kind::Text => Scalar::Text(Text::EMPTY),
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
        for (at, before) in samples(rule).into_iter().enumerate() {
            let mut after = before.clone();
            let mut once = Once(rule, 0);
            Walk::run(&mut after, &mut once);
            assert!(once.1 > 0 || at > 0, "{} does not apply to its sample", rule.name);
            if once.1 > 0 {
                prove(rule, &before, &mut after, &mut seed);
            }
        }
    }
}

fn prove(rule: &Rule, before: &Graph, after: &mut Graph, seed: &mut u64) {
    let name = rule.name;
    assert_eq!(verify(after, name), Ok(()));
    assert_eq!(after.types(after.results()), before.types(before.results()), "{name}");
    crate::dce::run(after);
    assert!(cost(after) <= cost(before), "{name} makes the graph larger");
    for _ in 0..60 {
        let inputs = inputs(before, seed);
        let [x, y] =
            [before, &*after].map(|graph| gw_eval::run(graph, &inputs).expect("samples do not fail"));
        let text = gw_ir::text::print(before);
        assert!(x.results[0].same_as(&y.results[0]), "{name} of {inputs:?}: {x:?} became {y:?}\n{text}");
    }
}

#[test]
fn names_are_names() {
    let mut names: Vec<_> = RULES.iter().copied().flatten().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.iter().map(|rules| rules.len()).sum::<usize>());
}
