//! Code on the disk, for the processes that come after this one.
//!
//! A function is converted and traced in every process, since what it reads of the world is known only then. What comes after
//! depends on the traced graph alone, so its code is kept under all that is said by that graph.

mod entry;
mod evidence;
mod folder;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gw_cpu::Native;
use gw_ir::Graph;

use crate::config;
use evidence::Evidence;
use folder::Folder;

static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// From now on code is kept in the folder that the configuration names, and taken from there.
pub fn keep_code() {
    IS_WANTED.store(true, Ordering::Relaxed);
}

fn folder() -> Option<&'static Folder> {
    static FOLDER: OnceLock<Option<Folder>> = OnceLock::new();
    let open = || config::code_folder().and_then(|found| Folder::open(&found.path, found.bytes));
    if IS_WANTED.load(Ordering::Relaxed) { FOLDER.get_or_init(open).as_ref() } else { None }
}

/// Where in the folder the code of one graph is, whether it is there or not.
#[derive(Debug)]
pub(crate) struct Shelf {
    folder: &'static Folder,
    evidence: Evidence,
    name: String,
}

impl Shelf {
    /// For a graph as it was traced; none if there is no folder, or the graph is not one to keep.
    pub(crate) fn of(graph: &Graph) -> Option<Self> {
        let folder = folder()?;
        let evidence = Evidence::of(graph)?;
        let name = entry::name(&evidence.bytes);
        Some(Self { folder, evidence, name })
    }

    /// The code that is there, and whether it is brief.
    pub(crate) fn take(&self) -> Option<(Native, bool)> {
        let file = self.folder.read(&self.name)?;
        let (is_brief, code) = entry::read(&file, &self.evidence.bytes)?;
        Some((Native::from_bytes(code, &self.evidence.places)?, is_brief))
    }

    /// Puts code there. Whether that is possible makes no difference to anything.
    pub(crate) fn put(&self, native: &Native, is_brief: bool) -> bool {
        let code = native.to_bytes(&|place| self.evidence.place(place));
        let file = code.map(|code| entry::write(&self.evidence.bytes, is_brief, &code));
        file.is_some_and(|file| self.folder.write(&self.name, &file).is_ok())
    }
}
