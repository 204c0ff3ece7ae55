//! Graph to loops to machine code: a whole graph function, loops and branches included, becomes one native function.
//!
//! Data's way: graph → `lower` (which arrays are computed where, in [`loops`]) → `jit` → `Executable`.

mod jit;
pub mod loops;
mod lower;
mod native;
mod portable;
mod registers;

pub use jit::llvm::Llvm;
pub use jit::target;
pub use native::Native;
pub use registers::Registers;

use gw_base::{Broken, Id};
use gw_ir::{Graph, NodeId};
use gw_runtime::{Code, Executable, Program};

use crate::jit::Functions;
use crate::loops::Func;
use crate::lower::Lowered;

/// Compiles a legal graph.
///
/// # Errors
/// If the graph is not legal after all, or a rule of ours is broken on the way.
pub fn compile(graph: &Graph) -> Result<Executable, Broken> {
    compile_for(graph, Registers::UpTo512)
}

/// Loops that several threads may share; sharing makes no difference to any result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Those that take longer than it takes to wake a thread.
    WorthIt,
    /// However little there is to do.
    All,
}

impl Sharing {
    /// Least work of a run of such a loop, in picoseconds.
    fn grain(self) -> i64 {
        match self {
            Sharing::WorthIt => lower::GRAIN,
            Sharing::All => 0,
        }
    }
}

/// Compiles a legal graph for these registers.
///
/// # Errors
/// As [`compile`].
pub fn compile_for(graph: &Graph, registers: Registers) -> Result<Executable, Broken> {
    Native::of(graph, registers, Sharing::WorthIt)?.load()
}

/// Compiles a legal graph for the profiler, which knows it by this number: the code notes the node that it works off.
///
/// # Errors
/// As [`compile`].
pub fn compile_marked(graph: &Graph, registers: Registers, number: u32) -> Result<Executable, Broken> {
    Native::marked(graph, registers, Sharing::WorthIt, Some(i64::from(number)))?.load()
}

/// Compiles a legal graph by LLVM.
///
/// # Errors
/// As [`compile`], and if the library refuses.
pub fn compile_by(llvm: &Llvm, graph: &Graph, sharing: Sharing) -> Result<Executable, Broken> {
    let (program, functions, pieces) = program(graph, lowered(graph, Registers::UpTo512, sharing, None)?);
    let literals = jit::llvm::addresses(&program.literals);
    let code =
        jit::llvm::compile(llvm, &functions, &pieces, literals).map_err(|said| Broken::new("llvm", said))?;
    Ok(jit::executable(program, code, None))
}

impl Native {
    /// The code of a legal graph for these registers.
    ///
    /// # Errors
    /// As [`compile`].
    pub fn of(graph: &Graph, registers: Registers, sharing: Sharing) -> Result<Self, Broken> {
        Self::marked(graph, registers, sharing, None)
    }

    /// The same, marked with the number of the graph if there is one.
    fn marked(
        graph: &Graph,
        registers: Registers,
        sharing: Sharing,
        marking: Option<i64>,
    ) -> Result<Self, Broken> {
        let lowered = lowered(graph, registers, sharing, marking)?;
        let all = std::iter::once(&lowered.func).chain(&lowered.functions).collect();
        let functions = Functions { all, shared: &lowered.pieces };
        let object = jit::generate(&functions, registers)?;
        Ok(Self { object, program: program(graph, lowered).0 })
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// If there is no memory for code.
    pub fn load(self) -> Result<Executable, Broken> {
        let code = jit::load(&self.object, &self.program.literals)?;
        Ok(jit::executable(self.program, code, None))
    }

    /// Puts it in its place, to be compiled once more by LLVM in the background if it turns out hot; `again` gives the
    /// library then, and the graph that this is the code of, for these registers.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_in_tiers(
        self,
        registers: Registers,
        again: impl FnOnce() -> Option<(Llvm, Graph)> + Send + 'static,
    ) -> Result<Executable, Broken> {
        let code = jit::load(&self.object, &self.program.literals)?;
        let better = move |program: &Program| {
            again().and_then(|(llvm, graph)| better(&llvm, &graph, registers, program))
        };
        Ok(jit::executable(self.program, code, Some(Box::new(better))))
    }
}

/// A graph of more variables keeps the code of the first tier: what LLVM does grows faster than they, and the process does
/// not end while it is at it.
const MOST_VARIABLES: usize = 1 << 14;

/// LLVM's code for a program whose code is there. It is lowered once more, and what comes of that has to be the same in all
/// that both share: frames, places, tensors.
fn better(llvm: &Llvm, graph: &Graph, registers: Registers, first: &Program) -> Option<Code> {
    let (again, functions, pieces) = program(graph, lowered(graph, registers, Sharing::WorthIt, None).ok()?);
    let variables: usize = functions.iter().chain(&pieces).map(|func| func.vars.len()).sum();
    if variables > MOST_VARIABLES || !portable::is_same(first, &again) {
        return None;
    }
    jit::llvm::compile(llvm, &functions, &pieces, jit::llvm::addresses(&first.literals)).ok()
}

fn lowered(
    graph: &Graph,
    registers: Registers,
    sharing: Sharing,
    marking: Option<i64>,
) -> Result<Lowered, Broken> {
    let lowered = lower::lower(graph, sharing.grain(), jit::has_wide_lanes(registers), marking)?;
    let all = std::iter::once(&lowered.func).chain(&lowered.functions).chain(&lowered.pieces);
    all.into_iter().try_for_each(loops::verify)?;
    Ok(lowered)
}

/// All of a lowered graph but its code, its functions, the graph itself the first of them, and the pieces of their loops.
fn program(graph: &Graph, lowered: Lowered) -> (Program, Vec<Func>, Vec<Func>) {
    let program = Program {
        params: graph.types(graph.params()),
        results: graph.types(graph.results()),
        slots: lowered.slots,
        functions: lowered.function_slots,
        scratch: lowered.scratch,
        sites: lowered.sites,
        literals: lowered.literals,
        flushes: graph.may_flush(),
        stored_into: lowered.stored_into,
    };
    (program, std::iter::once(lowered.func).chain(lowered.functions).collect(), lowered.pieces)
}

/// The loops that a graph becomes, as text.
pub fn dump_loops(graph: &Graph) -> String {
    match dumped(graph, None) {
        Ok(lowered) => all_of(&lowered).map(Func::to_string).collect(),
        Err(broken) => broken.to_string(),
    }
}

/// The lines of the loops that a graph becomes, each with the node whose code it is, if it is that of one.
///
/// # Errors
/// If the graph is not legal after all.
pub fn loops_of_nodes(graph: &Graph) -> Result<Vec<(Option<NodeId>, String)>, Broken> {
    let lowered = dumped(graph, Some(0))?;
    let lines = all_of(&lowered).flat_map(Func::marked_lines);
    Ok(lines.map(|(mark, line)| (mark.map(|node| NodeId::new(node as usize)), line)).collect())
}

fn dumped(graph: &Graph, marking: Option<i64>) -> Result<Lowered, Broken> {
    let wide = jit::has_wide_lanes(Registers::UpTo512);
    lower::lower(graph, Sharing::WorthIt.grain(), wide, marking)
}

fn all_of(lowered: &Lowered) -> impl Iterator<Item = &Func> {
    std::iter::once(&lowered.func).chain(&lowered.functions).chain(&lowered.pieces)
}
