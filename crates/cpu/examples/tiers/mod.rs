//! Code that examples measure: a graph's code in each tier that there is, of the first tier also for narrower
//! registers, with the time that it took to make.

use std::path::Path;
use std::time::Instant;

use gw_cpu::{Llvm, Registers};
use gw_ir::Graph;
use gw_runtime::Executable;

/// The code of each tier by its name, and the milliseconds that it took; the second tier is there if `LLVM_LIBRARY` said
/// where LLVM's library is when this was compiled.
pub fn codes(graph: &Graph) -> Vec<(&'static str, Executable, f64)> {
    let timed = |name: &'static str, make: &dyn Fn() -> Executable| {
        let begun = Instant::now();
        let code = make();
        (name, code, begun.elapsed().as_secs_f64() * 1e3)
    };
    let first = |registers| gw_cpu::compile_for(graph, registers).expect("compiles");
    let mut codes = vec![
        timed("tier 1", &|| first(Registers::UpTo512)),
        timed("256 bits", &|| first(Registers::UpTo256)),
        timed("128 bits", &|| first(Registers::UpTo128)),
    ];
    if let Some(path) = option_env!("LLVM_LIBRARY").filter(|path| !path.is_empty()) {
        let llvm = Llvm::open(Path::new(path)).expect("LLVM's library");
        codes.push(timed("tier 2", &|| {
            gw_cpu::compile_by(&llvm, graph, gw_cpu::Sharing::WorthIt).expect("compiles")
        }));
    }
    codes
}
