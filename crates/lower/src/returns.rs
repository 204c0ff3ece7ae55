//! `if c: return a; return b` ⇒ `if c: retval_ = a else: retval_ = b; return gw__.returned(retval_)`.
//!
//! The value is computed before the flag is set. A function whose only `return` is its last statement stays as it is.

use gw_syntax::{Body, Expr, Fill, Stmt, StmtId, Template, Tree};

use crate::Lowering;
use crate::jumps::{never_ends, returns};
use crate::skip::{Skip, set, set_flag};
use crate::units::{Reach, after_docstring, function, set_body};

static RETURN: Template = Template::new("return $operators.retval($retval)");
/// Return statement of functions in which every path returns.
static RETURNED: Template = Template::new("return $operators.returned($retval)");

/// Lowers the `return`s of every function.
pub fn run(lowering: &mut Lowering) {
    for id in lowering.functions(Reach::All) {
        lower(lowering, id);
    }
}

fn lower(lowering: &mut Lowering, id: StmtId) {
    let Lowering { tree, names, .. } = lowering;
    let body = function(tree, id).body.clone();
    let jumps = returns(tree, &body).exact;
    let Some(&last) = jumps.last() else { return };
    if jumps.len() == 1 && body.last() == Some(&last) {
        return;
    }
    let span = tree.stmt_span(last);
    let always_returns = never_ends(tree, &body);
    let retval = if runs_behind(tree, &body) { &names.retval_before } else { &names.retval };
    let (retval, of_skip) = (retval.clone(), Some(retval.clone()));
    let flag = names.do_return.clone();
    let mut skip = Skip { tree, jumps, retval: of_skip, flag, flag_used: false, falls_through: false };
    let mut body = skip.body(body, false);
    let (flag_used, falls_through) = (skip.flag_used, skip.falls_through);
    let start = after_docstring(tree, &body);
    if flag_used || falls_through {
        let head = tree.stmt_span(body[start.min(body.len() - 1)]);
        let operators = tree.name(head, &names.operators);
        let no_return = Expr::Attribute { value: operators, attr: "no_return".into() };
        body.insert(start, set(tree, head, &retval, no_return));
        if flag_used {
            body.insert(start, set_flag(tree, head, &names.do_return, false));
        }
    }
    let holes = [("operators", Fill::Name(names.operators.clone())), ("retval", Fill::Name(retval))];
    let template = if always_returns { &RETURNED } else { &RETURN };
    body.extend(template.fill(tree, span, &holes));
    set_body(tree, id, body);
}

/// True if a `finally`, or what leaves a `with`, runs behind a `return` and may change what is returned.
fn runs_behind(tree: &Tree, body: &Body) -> bool {
    body.iter().any(|&id| {
        let stmt = &tree[id];
        let mut found = false;
        if let Stmt::Try { body, handlers, orelse, finalbody, .. } = stmt
            && !finalbody.is_empty()
        {
            let parts = [body, orelse].into_iter().chain(handlers.iter().map(|handler| &handler.body));
            found = parts.into_iter().any(|part| !returns(tree, part).exact.is_empty());
        } else if let Stmt::With { body, .. } = stmt {
            found = !returns(tree, body).exact.is_empty();
        }
        if !matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            stmt.each_body(&mut |inner| found = found || runs_behind(tree, inner));
        }
        found
    })
}
