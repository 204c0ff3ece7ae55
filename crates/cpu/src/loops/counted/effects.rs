//! Effects of the statements of a turn: which may store, which may leave the loop, and which do nothing.

use rustc_hash::FxHashSet;

use crate::loops::{Arm, Block, Stmt, Var};

/// True if an arm ends in a failure and gives nothing.
pub(super) fn is_failure(arm: &Arm, cold: bool) -> bool {
    let fails = |stmt: &Stmt| match stmt {
        Stmt::Leave { .. } => true,
        Stmt::Guard { .. } => cold,
        Stmt::Let(..) | Stmt::Store { .. } | Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::If { .. } => false,
        Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => false,
        Stmt::Share(_) | Stmt::Mark(_) => false,
    };
    arm.block.last().is_some_and(fails) && arm.results.is_empty()
}

/// True if a turn may leave the loop.
pub(super) fn are_in(block: &Block) -> bool {
    block.iter().any(may_leave)
}

pub(super) fn may_leave(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Leave { .. } => true,
        Stmt::If { then, otherwise, .. } => are_in(&then.block) || are_in(&otherwise.block),
        Stmt::Let(..) | Stmt::Store { .. } | Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } => false,
        Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => false,
        Stmt::Share(_) | Stmt::Mark(_) => false,
    }
}

/// True if a statement may store.
pub(super) fn may_store(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Store { .. } => true,
        Stmt::If { then, otherwise, .. } => {
            [then, otherwise].iter().any(|arm| arm.block.iter().any(may_store))
        }
        Stmt::Let(..) | Stmt::Leave { .. } | Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } => false,
        Stmt::Try { .. } | Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => false,
        Stmt::Share(_) | Stmt::Mark(_) => false,
    }
}

/// True if a turn may store before it leaves.
pub(super) fn follow_a_store(block: &Block) -> bool {
    leaves_behind(block, false)
}

/// True if a block may leave behind a store of its own, or at all if something is `stored` already.
fn leaves_behind(block: &Block, mut stored: bool) -> bool {
    for stmt in block {
        let leaves = match stmt {
            Stmt::If { then, otherwise, .. } => {
                [then, otherwise].iter().any(|arm| leaves_behind(&arm.block, stored))
            }
            Stmt::Let(..) | Stmt::Store { .. } | Stmt::Leave { .. } | Stmt::Do(..) => {
                stored && may_leave(stmt)
            }
            Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::Try { .. } | Stmt::For { .. } => false,
            Stmt::Reduce { .. } | Stmt::While { .. } | Stmt::Share(_) | Stmt::Mark(_) => false,
        };
        if leaves {
            return true;
        }
        stored |= may_store(stmt);
    }
    false
}

/// Drops the definitions of a block that nothing reads.
pub(super) fn drop_unread(block: &mut Block, read: &mut FxHashSet<Var>) {
    let mut kept = Vec::new();
    for mut stmt in std::mem::take(block).into_iter().rev() {
        match &mut stmt {
            Stmt::Let(var, expr) => {
                if !read.contains(var) {
                    continue;
                }
                read.extend(expr.operands());
            }
            Stmt::Store { ptr, index, value } => read.extend([*ptr, *index, *value]),
            Stmt::If { test, then, otherwise, .. } => {
                read.insert(*test);
                for arm in [then, otherwise] {
                    read.extend(&arm.results);
                    drop_unread(&mut arm.block, read);
                }
            }
            Stmt::Leave { ok, given } => {
                read.insert(*ok);
                read.extend(given.iter());
            }
            Stmt::Do(..) | Stmt::Invoke { .. } | Stmt::Guard { .. } | Stmt::Try { .. } => {}
            Stmt::For { .. } | Stmt::Reduce { .. } | Stmt::While { .. } => {}
            Stmt::Share(_) | Stmt::Mark(_) => {}
        }
        kept.push(stmt);
    }
    kept.reverse();
    *block = kept;
}
