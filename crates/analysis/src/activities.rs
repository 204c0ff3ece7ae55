//! The activity of each statement of one function, found once and shared by the flow analyses and by lowering.

use std::sync::Arc;

use gw_syntax::{Function, Stmt, StmtId, Tree};
use rustc_hash::FxHashMap;

use crate::activity::{Activity, of_header, of_stmt};
use crate::bits::Numbering;

/// The activities of a function's statements, as they were when the facts were found.
#[derive(Debug, Clone)]
pub struct Activities {
    rows: Arc<FxHashMap<StmtId, Row>>,
    /// Activity of all the function's statements together.
    pub all: Activity,
    pub(crate) numbering: Arc<Numbering>,
}

#[derive(Debug)]
struct Row {
    header: Activity,
    /// With the bodies of the statement; none for one without.
    whole: Option<Activity>,
}

/// The activities of the statements of a function; functions and classes nested in it count as one statement.
pub fn activities(tree: &Tree, function: &Function) -> Activities {
    let mut rows = FxHashMap::default();
    let all = of_body(tree, &function.body, &mut rows);
    let sets = [&all.reads, &all.binds, &all.captured, &all.globals, &all.nonlocals];
    let params = function.params.all().map(|param| &param.name);
    let names = sets.into_iter().flatten().chain(params).cloned().collect();
    Activities { rows: Arc::new(rows), all, numbering: Arc::new(Numbering::new(names)) }
}

fn of_body(tree: &Tree, body: &[StmtId], rows: &mut FxHashMap<StmtId, Row>) -> Activity {
    let mut all = Activity::default();
    for &id in body {
        let header = of_header(tree, id);
        all.join(&header);
        let mut whole = None;
        if !matches!(tree[id], Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            tree[id].each_body(&mut |body| {
                let inner = of_body(tree, body, rows);
                whole.get_or_insert_with(|| header.clone()).join(&inner);
            });
        }
        whole.iter().for_each(|whole| all.join(whole));
        rows.insert(id, Row { header, whole });
    }
    all
}

impl Activities {
    /// Activity of a statement by itself, without its bodies.
    ///
    /// # Panics
    /// If the statement was not in the function when the facts were found.
    pub fn header(&self, id: StmtId) -> &Activity {
        &self.rows[&id].header
    }

    /// Activity of a statement, its bodies included.
    ///
    /// # Panics
    /// As [`header`](Self::header).
    pub fn stmt(&self, id: StmtId) -> &Activity {
        let row = &self.rows[&id];
        row.whole.as_ref().unwrap_or(&row.header)
    }

    /// Activity of statements in sequence; those that were added later are analysed now.
    pub fn body(&self, tree: &Tree, body: &[StmtId]) -> Activity {
        let mut all = Activity::default();
        for &id in body {
            if self.rows.contains_key(&id) {
                all.join(self.stmt(id));
            } else {
                all.join(&of_stmt(tree, id));
            }
        }
        all
    }
}
