//! Lists, dicts, sets and objects in the graph, on a host of a few lines: each program runs in plain Rust and as a graph.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "values and steps of the toy language go to one function after the other"
)]

mod host;
mod instances;
mod lists;
mod program;
mod random;
mod runs;
mod staged;
mod tables;

use program::{Contents, Step, plain};
use runs::Ended;

/// Runs a program both ways for some parameters: both must end alike, and no graph is refused.
#[track_caller]
fn agree(begins: &Contents, program: &[Step]) {
    let parameters: Vec<i64> = (-1..6).collect();
    for (&n, ended) in parameters.iter().zip(runs::run(program, begins, &parameters)) {
        let expected = match plain(program, begins, n) {
            Ok(contents) => Ended::With(contents),
            Err(program::Stop::Raised(kind)) => Ended::Raised(kind),
            Err(program::Stop::Endless) => panic!("the program takes too long"),
        };
        assert_eq!(ended, expected, "for n = {n}\n{}", runs::graph(program, begins));
    }
}

/// A list `xs` of these numbers, and nothing else.
fn xs(items: &[i64]) -> Contents {
    Contents { lists: [items.to_vec(), Vec::new()], ..Contents::default() }
}
