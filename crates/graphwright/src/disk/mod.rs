//! Code on the disk, for the processes that come after this one.
//!
//! A function is traced in every process, since what it reads of the world is known only then. What comes before, its
//! conversion, depends on its text; what comes after depends on the traced graph alone. Both are kept under all that they depend
//! on.

mod conversion;
mod entry;
mod evidence;
mod folder;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use gw_cpu::Native;
use gw_ir::Graph;

use crate::config;
pub use conversion::Page;
use evidence::Evidence;
use folder::Folder;

/// Identity of this build, which separates its files from those of all others.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("GRAPHWRIGHT_FINGERPRINT"));

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

/// Contents of a file beside the code, which is known by what it depends on.
pub(crate) fn read_beside(depends_on: &[u8]) -> Option<Vec<u8>> {
    let file = folder()?.read(&entry::name(depends_on))?;
    entry::read(&file, depends_on).map(<[u8]>::to_vec)
}

/// Puts such a file there. Whether that is possible makes no difference to anything.
pub(crate) fn write_beside(depends_on: &[u8], contents: &[u8]) {
    if let Some(folder) = folder() {
        drop(folder.write(&entry::name(depends_on), &entry::write(depends_on, contents)));
    }
}

/// Path of the code of one graph in the folder; the file need not exist.
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
        let (is_brief, code) = entry::read(&file, &self.evidence.bytes)?.split_first()?;
        Some((Native::from_bytes(code, &self.evidence.places)?, *is_brief == 1))
    }

    /// Puts code there. Whether that is possible makes no difference to anything.
    pub(crate) fn put(&self, native: &Native, is_brief: bool) -> bool {
        let Some(code) = native.to_bytes(&|place| self.evidence.place(place)) else { return false };
        let kept = [&[u8::from(is_brief)], &code[..]].concat();
        self.folder.write(&self.name, &entry::write(&self.evidence.bytes, &kept)).is_ok()
    }
}
