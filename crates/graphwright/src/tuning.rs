//! Choices that are measured once per machine, and kept beside the code for the processes that come after this one. They decide how fast
//! code runs, and no result (`docs/design/139-the-grain-of-threads-is-measured.md`).

use std::num::NonZero;
use std::thread::available_parallelism;

use gw_runtime::Tuning;

use crate::config::config;
use crate::disk;

/// From now on the least work of a run is that of this machine.
pub(crate) fn begin() {
    gw_runtime::tune(Tuning { read, write });
}

fn read() -> Option<usize> {
    let contents = disk::read_beside(&machine())?;
    std::str::from_utf8(&contents).ok()?.strip_prefix("grain ")?.trim_end().parse().ok()
}

fn write(multiple: usize) {
    disk::write_beside(&machine(), format!("grain {multiple}\n").as_bytes());
}

/// The machines that share a choice: several may share a folder.
fn machine() -> Vec<u8> {
    let (target, bits) = gw_cpu::target(config().lanes);
    let processors = available_parallelism().map_or(1, NonZero::get);
    format!("tuning 1\n{target}\n{bits} bits, {processors} processors").into_bytes()
}
