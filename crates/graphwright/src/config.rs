//! The knobs, read from the environment once. Nothing else in the house reads it.

use std::path::PathBuf;
use std::sync::OnceLock;

use gw_cpu::Registers;

/// Settings that the environment gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// `GRAPHWRIGHT_EAGER_CACHE`: how many graphs of one call are kept.
    pub eager_cache: usize,
    /// `GRAPHWRIGHT_TRACES`: how many graphs a function keeps; the one used longest ago goes first.
    pub traces: usize,
    /// `GRAPHWRIGHT_VERBOSITY`: how much is logged: 0 nothing, 1 functions, 3 their lowered Python.
    pub verbosity: u8,
    /// `GRAPHWRIGHT_TIER`: which code generators make code: `1` the first alone, `2` LLVM at once, `auto` both.
    pub tier: Tier,
    /// `GRAPHWRIGHT_LANES`: at most how many bits the registers have in which the first tier's loops over arrays run: `128`,
    /// `256` or `512`.
    pub lanes: Registers,
    /// `GRAPHWRIGHT_THREADS`: how many threads work off a large loop; 0 for as many as there are processors.
    pub threads: usize,
    /// `GRAPHWRIGHT_TUNING`: whether the least work that is worth another thread is found by measuring, unless it is `0`.
    pub tunes: bool,
    /// `GRAPHWRIGHT_POOL_BYTES`: how many bytes of memory may wait for being used again; an eighth of the machine's if it does
    /// not say.
    pub pool_bytes: Option<usize>,
    /// `GRAPHWRIGHT_LLVM`: the file of LLVM's library, if not the one that Python's package `llvmlite` brings.
    pub llvm: Option<&'static str>,
    /// `GRAPHWRIGHT_TRACE_BYTES`: about how much memory the graphs of a function may take.
    pub trace_bytes: usize,
}

/// Code generators that make code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// The first alone.
    First,
    /// LLVM at once.
    Second,
    /// The first at once, and LLVM for what turns out hot.
    Auto,
}

/// The knobs as they were when first asked for.
pub fn config() -> Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    *CONFIG.get_or_init(|| Config {
        eager_cache: number("GRAPHWRIGHT_EAGER_CACHE").unwrap_or(2048),
        traces: number("GRAPHWRIGHT_TRACES").unwrap_or(1024).max(1),
        verbosity: number("GRAPHWRIGHT_VERBOSITY").unwrap_or(0),
        tier: match text("GRAPHWRIGHT_TIER").as_deref() {
            Some("2") => Tier::Second,
            Some("auto") => Tier::Auto,
            Some(_) | None => Tier::First,
        },
        lanes: match text("GRAPHWRIGHT_LANES").as_deref() {
            Some("128") => Registers::UpTo128,
            Some("256") => Registers::UpTo256,
            Some(_) | None => Registers::UpTo512,
        },
        threads: number("GRAPHWRIGHT_THREADS").unwrap_or(0),
        tunes: number::<u8>("GRAPHWRIGHT_TUNING") != Some(0),
        pool_bytes: number("GRAPHWRIGHT_POOL_BYTES"),
        llvm: text("GRAPHWRIGHT_LLVM").map(|file| &*file.leak()),
        trace_bytes: number("GRAPHWRIGHT_TRACE_BYTES").unwrap_or(1 << 28),
    })
}

/// The variables of the environment that are ours, by name.
#[allow(clippy::disallowed_methods, reason = "this file reads the environment")]
pub fn environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    let all = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let mut own: Vec<_> = all.filter(|(name, _)| name.starts_with("GRAPHWRIGHT_")).collect();
    own.sort_unstable();
    own
}

/// Bits of the vector registers that loops in lanes use here.
pub fn lanes() -> usize {
    gw_cpu::target(config().lanes).1
}

/// Folder that keeps code for other processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeFolder {
    /// `GRAPHWRIGHT_CACHE_DIR`, else the user's folder for such.
    pub path: PathBuf,
    /// `GRAPHWRIGHT_CACHE_BYTES`: about how much it may hold.
    pub bytes: u64,
}

/// Folder of kept code; none with `GRAPHWRIGHT_CACHE=0`, or if the user has no folder for caches.
pub fn code_folder() -> Option<CodeFolder> {
    let is_off = number::<u8>("GRAPHWRIGHT_CACHE") == Some(0);
    let own = |folder: PathBuf| folder.join("graphwright");
    let home = || path("HOME").map(|home| own(home.join(".cache")));
    let of_user = || path("XDG_CACHE_HOME").or_else(|| path("LOCALAPPDATA")).map(own).or_else(home);
    let named = std::env::var_os("GRAPHWRIGHT_CACHE_DIR").and_then(|path| std::path::absolute(path).ok());
    let path = (!is_off).then(|| named.or_else(of_user))??;
    Some(CodeFolder { path, bytes: number("GRAPHWRIGHT_CACHE_BYTES").unwrap_or(1 << 28) })
}

/// A folder by its whole path; others do not count, as the conventions for these variables say.
fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    text(name)?.parse().ok()
}

#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
