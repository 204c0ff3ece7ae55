//! The second tier takes over while a function is run, and what is no library of LLVM's is said.

use std::path::Path;
use std::thread;

use crate::support;
use gw_cpu::{Llvm, Native, Registers, Sharing};
use gw_eval::Array;
use gw_runtime::{Buffer, Executable};
use gw_types::{DType, Scalar};

fn collatz(executable: &Executable, below: i64) -> Vec<u8> {
    let below = Buffer::scalar(DType::I64, Scalar::Int(below));
    let results = executable.run(&[&below], &mut support::Recorder::default()).expect("runs");
    results.iter().flat_map(|result| result.bytes().to_vec()).collect()
}

#[test]
fn code_changes_while_it_is_run() {
    let Some(llvm) = support::llvm() else { return };
    let graph = gw_ir::text::parse(include_str!("../../examples/scalars/collatz.gw")).expect("a graph");
    let wanted = collatz(&gw_cpu::compile(&graph).expect("compiles"), 1000);
    let native = Native::of(&graph, Registers::UpTo512, Sharing::WorthIt).expect("compiles");
    let executable = native
        .load_in_tiers(Registers::UpTo512, move || Some((llvm.clone(), graph)))
        .expect("there is memory");
    assert!(!executable.is_better());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !executable.is_better() {
                    assert_eq!(collatz(&executable, 1000), wanted);
                }
                assert_eq!(collatz(&executable, 1000), wanted);
            });
        }
    });
}

#[test]
fn what_llvm_does_not_give_is_done_without() {
    let graph = gw_ir::text::parse(include_str!("../../examples/scalars/collatz.gw")).expect("a graph");
    let (asked, was_asked) = std::sync::mpsc::channel();
    let none = move || {
        asked.send(()).expect("somebody listens");
        None
    };
    let native = Native::of(&graph, Registers::UpTo512, Sharing::WorthIt).expect("compiles");
    let executable = native.load_in_tiers(Registers::UpTo512, none).expect("there is memory");
    let wanted = collatz(&executable, 1000);
    while was_asked.try_recv().is_err() {
        assert_eq!(collatz(&executable, 1000), wanted);
    }
    assert_eq!(collatz(&executable, 1000), wanted);
    assert!(!executable.is_better());
}

#[test]
fn what_is_no_library_of_llvms_is_said() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in ["nowhere.so", "Cargo.toml", "src"] {
        assert!(Llvm::open(&here.join(file)).is_err(), "{file}");
    }
}

#[test]
fn many_graphs_are_compiled_at_once() {
    let Some(llvm) = support::llvm() else { return };
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for count in 1..12 {
                    let text = format!(
                        "func @f(%x: f32[{count}]) -> (f32[{count}]) {{\n  %y = exp %x : f32[{count}]\n  return %y\n}}\n"
                    );
                    let graph = gw_ir::text::parse(&text).expect("a graph");
                    let input = Array::new(
                        DType::F32,
                        vec![count],
                        (0..count).map(|i| Scalar::Float((i + thread) as f64 * 0.1)).collect::<Vec<_>>(),
                    );
                    let input = support::buffer(&input);
                    let [first, second] = [gw_cpu::compile(&graph), gw_cpu::compile_by(llvm, &graph, gw_cpu::Sharing::WorthIt)].map(|code| {
                        let code = code.expect("compiles");
                        let results = code.run(&[&input], &mut support::Recorder::default()).expect("runs");
                        results[0].bytes().to_vec()
                    });
                    assert_eq!(first, second);
                }
            });
        }
    });
}
