//! The knobs, read from the environment once. Nothing else in the house reads it.

use std::sync::OnceLock;

/// What the environment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// `GRAPHWRIGHT_EAGER_CACHE`: how many graphs of one call are kept.
    pub eager_cache: usize,
    /// `GRAPHWRIGHT_TRACES`: how many graphs a function keeps; the one used longest ago goes first.
    pub traces: usize,
    /// `GRAPHWRIGHT_VERBOSITY`: how much is logged: 0 nothing, 1 functions, 3 their lowered Python.
    pub verbosity: u8,
    /// `GRAPHWRIGHT_TRACE_BYTES`: about how much memory the graphs of a function may take.
    pub trace_bytes: usize,
}

/// The knobs as they were when first asked for.
pub fn config() -> Config {
    static CONFIG: OnceLock<Config> = OnceLock::new();
    *CONFIG.get_or_init(|| Config {
        eager_cache: number("GRAPHWRIGHT_EAGER_CACHE").unwrap_or(2048),
        traces: number("GRAPHWRIGHT_TRACES").unwrap_or(1024).max(1),
        verbosity: number("GRAPHWRIGHT_VERBOSITY").unwrap_or(0),
        trace_bytes: number("GRAPHWRIGHT_TRACE_BYTES").unwrap_or(1 << 28),
    })
}

#[allow(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    std::env::var(name).ok()?.parse().ok()
}
