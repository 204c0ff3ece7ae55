//! The machine that code is generated for.

use std::sync::{Arc, LazyLock};

use cranelift_codegen::isa::TargetIsa;
use cranelift_codegen::settings::{self, Configurable};

use super::simd::Vectors;
use crate::registers::Registers;

/// The machine that this process runs on, or why no code can be generated for it.
pub(super) static ISA: LazyLock<Result<Arc<dyn TargetIsa>, String>> = LazyLock::new(|| {
    let mut flags = settings::builder();
    let verifier = if cfg!(debug_assertions) { "true" } else { "false" };
    let values = [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("enable_verifier", verifier),
        ("unwind_info", "false"),
        ("enable_multi_ret_implicit_sret", "true"),
    ];
    for (name, value) in values {
        flags.set(name, value).map_err(|e| e.to_string())?;
    }
    let isa = cranelift_native::builder()?;
    isa.finish(settings::Flags::new(flags)).map_err(|e| e.to_string())
});

/// The machine that code is generated for, as text, and the bits of the registers that loops in lanes use: where either is
/// another one, code is.
pub fn target(registers: Registers) -> (&'static str, usize) {
    static TARGET: LazyLock<String> = LazyLock::new(|| {
        let described = ISA.as_ref().map(|isa| {
            let flags = isa.isa_flags();
            let flags = flags.iter().map(|flag| format!("{}={}", flag.name, flag.value_string()));
            format!("{} {}{}", isa.triple(), isa.flags(), flags.collect::<Vec<_>>().join(" "))
        });
        described.unwrap_or_default()
    });
    (&TARGET, Vectors::here(registers).map_or(128, Vectors::bits))
}
