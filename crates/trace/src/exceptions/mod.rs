//! Exceptions of the program in the graph: what may fail, which `try` sees it, and what comes behind it.

mod failures;
mod fits;
mod holds;
mod inside;
mod scopes;
mod shown;
mod try_;
mod ways;

pub use failures::{
    fails_by_itself, failures_by, failures_of, first_failure, host_call, not_caught, suspects,
};
pub use holds::{Fails, is_said, never_fails};
pub(crate) use holds::{inside, length};
pub(crate) use inside::Counters;
pub use scopes::{Destination, ExitScope, ScopeKind, Scopes, destination};
pub use shown::{misfit, outside, shown};
pub use try_::{Attempt, Choosing, try_};
