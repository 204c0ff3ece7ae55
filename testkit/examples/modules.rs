//! Writes modules of StableHLO with inputs and results: every line of the pages of `docs/ops`, and random programs.
//!
//! `cargo run -p gw_testkit --example modules 300 > target/modules.txt`; `tests/python/test_stablehlo_modules.py` runs them.

use std::fs;

use gw_eval::Array;
use gw_ir::{Graph, Op};
use gw_testkit::graphs::program;
use gw_testkit::host;
use gw_testkit::pages::{Expected, read};
use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(300);
    let cases: Vec<String> = of_pages().into_iter().chain(of_programs(count)).collect();
    fs::write("target/modules.txt", cases.concat()).expect("`target` is there");
}

fn of_pages() -> Vec<String> {
    let mut cases = Vec::new();
    for op in Op::ALL {
        let path = format!("{}/../docs/ops/{}.md", env!("CARGO_MANIFEST_DIR"), op.text());
        let page = read(&fs::read_to_string(path).expect("a page")).expect("lines that can be read");
        for example in page.examples {
            let runs = !matches!(example.expected, Expected::Refused(_));
            if let Some(graph) = example.graph.ok().filter(|_| runs) {
                cases.push(case(&format!("{}:{}", op.text(), example.line), &graph, &example.inputs));
            }
        }
    }
    cases
}

fn of_programs(count: usize) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let choices = proptest::collection::vec(any::<u8>(), 0..400);
    let made = (0..count).map(|number| {
        let choices = choices.new_tree(&mut runner).expect("choices").current();
        let program = program(&choices);
        let graph = if number % 2 == 0 { Ok(program.graph) } else { gw_opt::optimize(program.graph) };
        case(&format!("random:{number}"), &graph.expect("no bug"), &program.inputs)
    });
    made.collect()
}

/// A line for the name, each input and each result, the number of sites, and the module.
fn case(name: &str, graph: &Graph, inputs: &[Array]) -> String {
    let lengths: Vec<Vec<usize>> = inputs.iter().map(|input| input.lengths.clone()).collect();
    let module = match gw_stablehlo::lower(graph, &lengths) {
        Ok(module) => module,
        Err(refused) => return format!("case {name}\nrefused {refused}\n"),
    };
    let mut lines = vec![format!("case {name}"), format!("sites {}", module.sites.len())];
    lines.extend(inputs.iter().map(|input| format!("input {}", shown(input))));
    match host::run(graph, inputs) {
        Ok(outcome) => {
            lines.extend(outcome.results.iter().map(|result| format!("result {}", shown(result))));
        }
        Err(error) => lines.push(format!("fails {error}").replace('\n', " ")),
    }
    format!("{}\n{}", lines.join("\n"), module.text)
}

/// Element type, lengths and bytes.
fn shown(array: &Array) -> String {
    let mut bytes = Vec::new();
    array.elements.iter().for_each(|element| element.write(array.dtype, &mut bytes));
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} {:?} {}", array.dtype, array.lengths, bytes.concat())
}
