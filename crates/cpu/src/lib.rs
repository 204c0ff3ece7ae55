//! Graph to loops to machine code: a whole graph function, loops and branches included, becomes one native function.
//!
//! Data's way: graph → `lower` (which arrays are computed where, in [`loops`]) → `jit` → `Executable`.

mod jit;
pub mod loops;
mod lower;

use gw_base::Broken;
use gw_ir::Graph;
use gw_runtime::{Executable, Program};

use crate::loops::Func;

/// Compiles a legal graph.
///
/// # Errors
/// If the graph is not legal after all, or a rule of ours is broken on the way.
pub fn compile(graph: &Graph) -> Result<Executable, Broken> {
    compile_for(graph, Registers::Widest)
}

/// The vector registers that loops in lanes may use; which they are makes no difference to any result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registers {
    /// The widest that the machine has.
    Widest,
    /// Those of 128 bits, which every machine has.
    Common,
}

/// Compiles a legal graph for these registers.
///
/// # Errors
/// As [`compile`].
pub fn compile_for(graph: &Graph, registers: Registers) -> Result<Executable, Broken> {
    let lowered = lower::lower(graph)?;
    std::iter::once(&lowered.func).chain(&lowered.functions).try_for_each(loops::verify)?;
    let object = jit::generate(&lowered.func, &lowered.functions, registers == Registers::Widest)?;
    let code = jit::load(&object, &lowered.literals)?;
    let program = Program {
        entry: code.entry,
        code: code.owner,
        params: graph.types(graph.params()),
        results: graph.types(graph.results()),
        slots: lowered.slots,
        functions: lowered.function_slots,
        scratch: lowered.scratch,
        sites: lowered.sites,
        literals: lowered.literals,
    };
    Ok(jit::executable(program))
}

/// The loops that a graph becomes, as text.
pub fn dump_loops(graph: &Graph) -> String {
    match lower::lower(graph) {
        Ok(lowered) => {
            let functions = std::iter::once(&lowered.func).chain(&lowered.functions);
            functions.map(Func::to_string).collect()
        }
        Err(broken) => broken.to_string(),
    }
}
