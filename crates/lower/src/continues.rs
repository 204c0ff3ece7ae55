//! `while t: if c: continue; rest` ⇒ `while t: if c: pass else: rest`.

use gw_syntax::{Body, Stmt, StmtId};

use crate::Lowering;
use crate::breaks::jumps_are_exact;
use crate::jumps::of_loop;
use crate::skip::{Skip, set_flag};
use crate::units::{Reach, function, head_span, rewrite_bodies, set_body};

/// Lowers the `continue`s of every loop.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::All) {
        let body = function(&lowering.tree, id).body.clone();
        let body = rewrite_bodies(lowering, |l| &mut l.tree, body, &mut |lowering, body| {
            body.iter().for_each(|&stmt| lower(lowering, stmt));
            body
        });
        set_body(&mut lowering.tree, id, body);
    }
}

fn lower(lowering: &mut Lowering, id: StmtId) {
    let mut stmt = lowering.tree[id].clone();
    if let Stmt::While { body, .. } | Stmt::For { is_async: false, body, .. } = &mut stmt {
        let jumps = of_loop(&lowering.tree, body, &|stmt| matches!(stmt, Stmt::Continue));
        let breaks = of_loop(&lowering.tree, body, &|stmt| matches!(stmt, Stmt::Break));
        let native_break = breaks.native || !breaks.exact.is_empty();
        if jumps.exact.is_empty() || native_break || !jumps_are_exact(&lowering.tree, body) {
            return;
        }
        let flag = lowering.names.fresh("continue_");
        let tree = &mut lowering.tree;
        let (taken, jumps) = (std::mem::take(body), jumps.exact);
        let mut skip = Skip { tree, jumps, retval: None, flag, flag_used: false, falls_through: false };
        let mut lowered: Body = skip.body(taken, false);
        let (flag, flag_used) = (skip.flag, skip.flag_used);
        if flag_used {
            let span = head_span(&lowering.tree, id);
            lowered.insert(0, set_flag(&mut lowering.tree, span, &flag, false));
        }
        *body = lowered;
        lowering.tree.set_stmt(id, stmt);
    }
}
