//! Graph to loops to machine code: a whole graph function, loops and branches included, becomes one native function.
//!
//! Data's way: graph → `lower` (which arrays are computed where, in [`loops`]) → `jit` → `Executable`.

mod jit;
pub mod loops;
mod lower;
mod portable;

use gw_base::Broken;
use gw_ir::Graph;
use gw_runtime::{Buffer, Executable, Program, Site};
use gw_types::TensorType;

use crate::jit::Object;
use crate::loops::Func;

pub use jit::target;

/// The native code of a graph with all that belongs to it, before it is in its place in memory.
#[derive(Debug)]
pub struct Native {
    object: Object,
    params: Vec<TensorType>,
    results: Vec<TensorType>,
    slots: Vec<usize>,
    functions: Vec<Vec<usize>>,
    scratch: usize,
    sites: Vec<Site>,
    literals: Vec<Buffer>,
}

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
    Native::of(graph, registers)?.load()
}

impl Native {
    /// The code of a legal graph for these registers.
    ///
    /// # Errors
    /// As [`compile`].
    pub fn of(graph: &Graph, registers: Registers) -> Result<Self, Broken> {
        let lowered = lower::lower(graph)?;
        std::iter::once(&lowered.func).chain(&lowered.functions).try_for_each(loops::verify)?;
        Ok(Self {
            object: jit::generate(&lowered.func, &lowered.functions, registers == Registers::Widest)?,
            params: graph.types(graph.params()),
            results: graph.types(graph.results()),
            slots: lowered.slots,
            functions: lowered.function_slots,
            scratch: lowered.scratch,
            sites: lowered.sites,
            literals: lowered.literals,
        })
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// If there is no memory for code.
    pub fn load(self) -> Result<Executable, Broken> {
        let code = jit::load(&self.object, &self.literals)?;
        let program = Program {
            entry: code.entry,
            code: code.owner,
            params: self.params,
            results: self.results,
            slots: self.slots,
            functions: self.functions,
            scratch: self.scratch,
            sites: self.sites,
            literals: self.literals,
        };
        Ok(jit::executable(program))
    }
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
