//! Choice of the code generator of a graph: the first tier, or LLVM, the second, if the user wants it and its
//! library is there: at once, or for functions that turn out hot. Graphs that LLVM refuses keep the code of
//! the first tier.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use gw_base::Broken;
use gw_cpu::{Llvm, Native, Sharing};
use gw_ir::Graph;
use gw_runtime::Executable;

use crate::config::{Tier, config};

/// Path at which the door has found LLVM's library.
static FOUND: OnceLock<PathBuf> = OnceLock::new();

/// Reason for which the second tier is not used.
static COMPLAINT: Mutex<Option<String>> = Mutex::new(None);

/// Says where LLVM's library is; what the environment says goes before.
pub fn found_library(file: PathBuf) {
    // It is found once.
    drop(FOUND.set(file));
}

/// Reason for which the second tier is not used although there is a file; this is said once.
pub fn complaint() -> Option<String> {
    COMPLAINT.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Waits for what is compiled in the background; nothing more is. To be called before the process ends.
pub fn finish() {
    gw_runtime::finish();
}

/// Number of functions that have gone over to LLVM's code while they were used.
pub fn improved() -> usize {
    gw_runtime::improved()
}

fn complain(why: String) {
    *COMPLAINT.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
}

fn file() -> Option<&'static Path> {
    let given = config().llvm.map(Path::new);
    given.or_else(|| FOUND.get().map(PathBuf::as_path))
}

/// LLVM; it is opened when it is wanted first, which takes some time and memory.
fn llvm() -> Option<Llvm> {
    static LLVM: OnceLock<Option<Llvm>> = OnceLock::new();
    let open = || {
        let file = file()?;
        let opened = Llvm::open(file);
        opened.map_err(|said| complain(format!("LLVM is not used: {}: {said}", file.display()))).ok()
    };
    LLVM.get_or_init(open).clone()
}

/// True if LLVM makes all code at once.
pub(crate) fn is_second() -> bool {
    config().tier == Tier::Second && llvm().is_some()
}

/// LLVM's code; the first tier's, if LLVM refuses.
pub(crate) fn compile_at_once(graph: &Graph) -> Result<Executable, Broken> {
    match llvm().map(|llvm| gw_cpu::compile_by(&llvm, graph, Sharing::WorthIt)) {
        Some(Ok(executable)) => return Ok(executable),
        Some(Err(broken)) => complain(format!("a graph is not compiled by LLVM: {broken}")),
        None => {}
    }
    gw_cpu::compile_for(graph, config().lanes)
}

/// Puts code in its place; `again` gives the graph that it was made of, for LLVM.
pub(crate) fn load(
    native: Native,
    again: impl FnOnce() -> Result<Graph, Broken> + Send + 'static,
) -> Result<Executable, Broken> {
    if config().tier == Tier::Auto && file().is_some() {
        native.load_in_tiers(config().lanes, || Some((llvm()?, again().ok()?)))
    } else {
        native.load()
    }
}
