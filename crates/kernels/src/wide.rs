//! Choice of instructions: the same loop, compiled for the widest registers that the machine has.

/// Loops over slices.
pub(crate) trait Work {
    type Output;

    /// Marked `#[inline(always)]`, so that its loops are part of a function for wide registers. A closure would be compiled once, for
    /// the registers of every machine, and be called from there; so would be what is given to `fold` and `for_each`.
    fn run(self) -> Self::Output;
}

/// Runs `work` with the widest registers that the machine has.
#[inline(always)]
pub(crate) fn wide<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw");
        if has_all {
            // SAFETY: the machine has the instructions.
            return unsafe { avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: likewise.
            return unsafe { avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn avx512<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<W: Work>(work: W) -> W::Output {
    work.run()
}
