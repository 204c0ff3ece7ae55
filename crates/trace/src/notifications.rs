//! Notifications of a trace: who is told of nodes that are added, and which of them cannot fail where they are added.

use std::sync::Arc;

use crate::Trace;
use crate::observer::Observer;

impl Trace {
    /// Says who is told of what is added from now on; gives who was told before.
    pub fn observe(&self, observer: Option<Arc<dyn Observer>>) -> Option<Arc<dyn Observer>> {
        self.observing.replace(observer)
    }

    /// Builds ops whose indices were checked before: they raise nothing that a handler could see twice.
    pub fn with_checked_index<T>(&self, step: impl FnOnce() -> T) -> T {
        self.observing.with_checked_index(step)
    }

    /// True within that.
    pub fn is_index_checked(&self) -> bool {
        self.observing.is_index_checked()
    }
}
