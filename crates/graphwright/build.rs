//! Tells builds apart whose code may differ: by what conversion, the code generator and all that they rest on are written as.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

/// Crates whose text decides the result of a conversion, the code of a graph and the functions that code may
/// call.
const ROOMS: [&str; 13] = [
    "base/src",
    "syntax/src",
    "analysis/src",
    "lower/src",
    "py/src/convert",
    "types/src",
    "kernels/src",
    "ir/src",
    "runtime/src",
    "eval/src",
    "opt/src",
    "cpu/src",
    "graphwright/src",
];

#[allow(clippy::disallowed_methods, reason = "what cargo tells a build, no knob of the library")]
#[allow(clippy::print_stdout, reason = "this is how a build speaks to cargo")]
fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for name in ["TARGET", "PROFILE", "OPT_LEVEL", "DEBUG", "CARGO_ENCODED_RUSTFLAGS"] {
        std::env::var(name).unwrap_or_default().hash(&mut hasher);
    }
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    std::process::Command::new(rustc).arg("-vV").output()?.stdout.hash(&mut hasher);
    for room in ROOMS {
        let room = root.join("crates").join(room);
        println!("cargo::rerun-if-changed={}", room.display());
        read(&room, &mut hasher)?;
    }
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    fs::read(lock)?.hash(&mut hasher);
    println!("cargo::rustc-env=GRAPHWRIGHT_FINGERPRINT={:016x}", hasher.finish());
    Ok(())
}

/// Every file of a folder, in the order of their names.
fn read(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let mut items =
        fs::read_dir(folder)?.map(|item| item.map(|item| item.path())).collect::<Result<Vec<_>, _>>()?;
    items.sort();
    for item in items {
        item.file_name().hash(hasher);
        if item.is_dir() {
            read(&item, hasher)?;
        } else {
            fs::read(&item)?.hash(hasher);
        }
    }
    Ok(())
}
