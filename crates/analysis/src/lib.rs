//! Facts about a tree, kept in tables beside it and never glued to its nodes.
//!
//! Python has no `goto`, so the flow analyses follow the statements themselves; a loop is followed to a fixpoint.
//! *Bound* means assigned, imported, defined, captured by a pattern, or deleted; *captured* means used by a nested
//! function, class, lambda or generator of the user's, which may run at any later time.

mod activities;
mod activity;
mod assigned;
mod bits;
mod liveness;
mod names;
mod reads;
mod scope;

use gw_syntax::{Function, Tree};

pub use activities::{Activities, activities};
pub use activity::{Activity, Composite, binds, of_body, of_expr, of_header, of_stmt};
pub use assigned::{Anew, Assigned, assigned};
pub use liveness::{Live, Liveness, liveness};
pub use names::NameSet;
pub use reads::{Chain, GLOBALS, IMPORTED, Parameter, Passed, Reads, Step, reads};
use scope::scope_of;
pub use scope::{Scope, identifiers, inspects_frame, is_generator, lambda_inspects_frame, scope};

/// All facts about one function.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Scope: the function's own names.
    pub scope: Scope,
    /// Activity of each of its statements.
    pub activities: Activities,
    /// Names of its own that nested functions use.
    pub captured: NameSet,
    /// Names that are read later.
    pub liveness: Liveness,
    /// Names that surely have a value.
    pub assigned: Assigned,
}

/// The facts about one function of the tree.
pub fn facts(tree: &Tree, function: &Function) -> Facts {
    let activities = activities(tree, function);
    let scope = scope_of(function, &activities.all);
    let captured = activities.all.captured.clone();
    let liveness = liveness(tree, function, &activities);
    let assigned = assigned(tree, function, &activities, &Anew::new());
    Facts { scope, activities, captured, liveness, assigned }
}
