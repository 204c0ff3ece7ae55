//! Functions of the graph on a toy language: programs whose functions call themselves, run as graphs by `gw_eval` and compared with
//! what Rust's own control flow gives.

mod attempt;
mod exceptions;
mod host;
mod nesting;
mod outlining;
mod plain;
mod recursion;
mod recursive_arguments;
mod run;
mod syntax;

use std::cell::{Cell, RefCell};

use gw_eval::Array;
use gw_ir::Graph;
use gw_trace::{Calls, Scopes, Trace};
use gw_types::{DType, Scalar};

use host::{Failure, Toy, Value};
use syntax::{Program, Statement, is_global};

/// The number of operations of the toy's `large(x)`, which make a function large.
const LARGE: usize = gw_trace::limits::LARGE;

/// The depth of calls at which the toy asks for a way on.
const MOST_DEPTH: usize = 40;

/// A graph, and the number of times that bodies of functions were traced for it.
struct Staged {
    graph: Graph,
    bodies: usize,
}

/// Stages a program whose `main` takes integers of the graph.
fn stage(text: &str) -> Result<Staged, Failure> {
    let program = Program::of(text);
    let toy = Toy {
        trace: Trace::new("main"),
        program: &program,
        frames: RefCell::default(),
        globals: RefCell::default(),
        calls: Calls::default(),
        attempts: Scopes::default(),
        bodies: Cell::new(0),
        place: RefCell::default(),
    };
    let main = program.find("main").expect("a program has a function `main`");
    let names = &program.functions[main].variables[..program.functions[main].parameters];
    let arguments = names.iter().map(|name| Value::Staged(toy.trace.parameter(DType::I64, &[], name)));
    let arguments = arguments.collect();
    let mut globals = Vec::new();
    program.functions.iter().for_each(|function| find_globals(&function.body, &mut globals));
    for name in globals {
        let zero = toy.constant(0);
        toy.globals.borrow_mut().push((name, zero));
    }
    let returned = toy.call(main, arguments)?;
    let result = run::result(&toy, &returned);
    let graph = toy.trace.finish(vec![result]);
    gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
    Ok(Staged { graph, bodies: toy.bodies.get() })
}

/// The variables of the whole program that statements assign.
fn find_globals(block: &[Statement], found: &mut Vec<String>) {
    for statement in block {
        match statement {
            Statement::Set(name, _) if is_global(name) && !found.contains(name) => found.push(name.clone()),
            Statement::If(_, then, orelse) => {
                find_globals(then, found);
                find_globals(orelse, found);
            }
            Statement::While(_, body) => find_globals(body, found),
            Statement::Try(parts) => parts.blocks().for_each(|block| find_globals(block, found)),
            Statement::Pass | Statement::Do(_) | Statement::Set(..) | Statement::Raise(_) => {}
        }
    }
}

/// Checks that the graph of a program gives for each list of arguments what plain Rust gives, and that it has so many functions.
#[track_caller]
fn check(text: &str, functions: usize, runs: &[&[i64]]) -> Staged {
    let staged = stage(text).expect("the program is staged");
    let program = Program::of(text);
    for arguments in runs {
        let inputs: Vec<Array> =
            arguments.iter().map(|&n| Array::scalar(DType::I64, Scalar::Int(n))).collect();
        let outcome = gw_eval::run(&staged.graph, &inputs);
        let found = outcome.map(|outcome| outcome.results[0].first().to_i64()).ok();
        let graph = || gw_ir::text::print(&staged.graph);
        assert_eq!(found, plain::run(&program, arguments).ok(), "main{arguments:?} of{text}\n{}", graph());
    }
    let called = gw_ir::text::print(&staged.graph).matches("\nfunc @").count();
    assert_eq!(called, functions, "functions of\n{}", gw_ir::text::print(&staged.graph));
    staged
}

/// The text of the diagnostic of a program that is refused.
#[track_caller]
fn refused(text: &str) -> String {
    match stage(text).map(|staged| gw_ir::text::print(&staged.graph)) {
        Err(Failure::Diagnosed(diagnostic)) => diagnostic.to_string(),
        Err(failure @ (Failure::Interrupt(_) | Failure::Raised(_))) => {
            panic!("{failure:?} leaves the program")
        }
        Ok(graph) => panic!("the program is staged:\n{graph}"),
    }
}
