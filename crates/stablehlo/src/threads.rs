//! The values that go through regions beside the graph's own: the status, and what a `try` that has been left gives.

use gw_ir::RegionId;

use crate::items::Item;
use crate::lowering::Lowering;
use crate::may_fail;

/// The status of a `try` that has been left, until its end.
pub(crate) const LEFT: i64 = -1;

/// The values that go through some regions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threads {
    /// The status: it may change in them, or they are not to be run on what a failure left.
    pub status: bool,
    /// The values of a `leave` in them.
    kept: bool,
}

impl Threads {
    /// Through regions that run where the text stands now, one of them or all.
    pub fn through(to: &Lowering<'_>, regions: &[RegionId]) -> Self {
        let kept = regions.iter().any(|&region| may_fail::leaves(to.graph, region));
        let fails = || regions.iter().any(|&region| may_fail::fails(to.graph, region));
        Self { status: to.status.is_some() || kept || fails(), kept }
    }

    /// The values that go in, or come out, where the text stands now.
    pub fn now(self, to: &mut Lowering<'_>) -> Vec<Item> {
        let mut items = if self.kept { to.kept.clone() } else { Vec::new() };
        if self.status {
            items.push(to.status());
        }
        items
    }

    /// Takes what went through from the end of a row of items.
    pub fn take(self, to: &mut Lowering<'_>, items: &mut Vec<Item>) {
        if self.status {
            to.status = items.pop();
        }
        if self.kept {
            to.kept = items.split_off(items.len() - to.kept.len());
        }
    }
}
