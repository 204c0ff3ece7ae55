//! The scopes that are open while a function is traced and may see what it raises: bodies of `try`, the function itself, and functions
//! of the graph. They say what becomes of an *exit*, an operation that may raise.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The kind of a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The body of a `try`.
    Body,
    /// The whole function that is traced.
    Function,
    /// A function of the graph, which tells its caller what it raises.
    Call,
}

/// A scope that may see exceptions.
pub trait ExitScope: Debug {
    /// Its kind.
    fn kind(&self) -> ScopeKind;
    /// The number of functions of the graph that are being made around it.
    fn functions(&self) -> usize;
    /// True if exits are taken down, false if they are only looked for.
    fn records(&self) -> bool;
}

/// Destination of an exit.
#[derive(Debug, PartialEq, Eq)]
pub enum Destination<'a, S> {
    /// A scope sees it that only looks for exits: it has to be traced again as a region.
    Needs(&'a Arc<S>),
    /// The innermost scope that exits leave takes it down: it or one around it sees the exception.
    Recorded(&'a Arc<S>),
    /// No scope sees it: the run fails there.
    Passes,
}

/// The open scopes of a trace.
#[derive(Debug)]
pub struct Scopes<S> {
    /// The innermost last.
    open: Mutex<Vec<Arc<S>>>,
}

impl<S> Default for Scopes<S> {
    fn default() -> Self {
        Self { open: Mutex::default() }
    }
}

impl<S: ExitScope> Scopes<S> {
    fn lock(&self) -> MutexGuard<'_, Vec<Arc<S>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if none is open.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// The open scopes, the outermost first. They are copied, since to ask one may open another.
    pub fn all(&self) -> Vec<Arc<S>> {
        self.lock().clone()
    }

    /// Runs the part of the program that is a scope.
    pub fn within<T>(&self, scope: &Arc<S>, body: impl FnOnce() -> T) -> T {
        struct Leave<'a, S: ExitScope>(&'a Scopes<S>);
        impl<S: ExitScope> Drop for Leave<'_, S> {
            fn drop(&mut self) {
                let gone = self.0.lock().pop();
                drop(gone);
            }
        }
        self.lock().push(scope.clone());
        let _leave = Leave(self);
        body()
    }

    /// The innermost scope, if exits are only looked for in it.
    pub fn looking(&self) -> Option<Arc<S>> {
        self.lock().last().filter(|scope| !scope.records()).cloned()
    }

    /// The scopes that belong to the innermost of so many functions of the graph, the innermost first.
    pub fn around(&self, functions: usize) -> Vec<Arc<S>> {
        self.lock().iter().rev().filter(|scope| scope.functions() == functions).cloned().collect()
    }

    /// True if a scope around the innermost of so many functions of the graph would see an exception of which that function does not
    /// tell.
    pub fn are_missed(&self, functions: usize, hears: impl Fn(&S) -> bool) -> bool {
        let open = self.all();
        let tells = |scope: &Arc<S>| scope.functions() == functions && scope.kind() == ScopeKind::Call;
        open.iter().any(|scope| scope.functions() < functions && hears(scope)) && !open.iter().any(tells)
    }
}

/// Destination of an exit in these scopes, the innermost first. `meets` is told of each that the exception comes to, and `sees` says
/// which of them see it.
pub fn destination<'a, S: ExitScope>(
    around: &'a [Arc<S>],
    meets: impl Fn(&S),
    sees: impl Fn(&S) -> bool,
) -> Destination<'a, S> {
    for (at, scope) in around.iter().enumerate() {
        meets(scope);
        let own = sees(scope);
        if own && !scope.records() {
            return Destination::Needs(scope);
        }
        if scope.records() && (own || around[at + 1..].iter().any(|outer| sees(outer))) {
            return Destination::Recorded(scope);
        }
    }
    Destination::Passes
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// A scope that hears exceptions of one class.
    #[derive(Debug, PartialEq, Eq)]
    struct Heard {
        class: &'static str,
        kind: ScopeKind,
        functions: usize,
        records: bool,
    }

    impl ExitScope for Heard {
        fn kind(&self) -> ScopeKind {
            self.kind
        }
        fn functions(&self) -> usize {
            self.functions
        }
        fn records(&self) -> bool {
            self.records
        }
    }

    fn body(class: &'static str, records: bool) -> Arc<Heard> {
        Arc::new(Heard { class, kind: ScopeKind::Body, functions: 0, records })
    }

    /// Checks what becomes of an exit of class `A` in bodies for these classes, the innermost first.
    #[track_caller]
    fn check(scopes: &[(&'static str, bool)], expected: Option<(usize, bool)>) {
        let scopes: Vec<_> = scopes.iter().map(|&(class, records)| body(class, records)).collect();
        let expected = match expected {
            None => Destination::Passes,
            Some((at, true)) => Destination::Recorded(&scopes[at]),
            Some((at, false)) => Destination::Needs(&scopes[at]),
        };
        assert_eq!(destination(&scopes, |_| {}, |scope| scope.class == "A"), expected);
    }

    #[test]
    fn an_exit_that_nobody_hears_passes() {
        check(&[], None);
        check(&[("B", true), ("B", false)], None);
    }

    #[test]
    fn the_scope_that_hears_it_records_or_needs_it() {
        check(&[("A", true)], Some((0, true)));
        check(&[("A", false)], Some((0, false)));
    }

    #[test]
    fn a_recording_scope_inside_records_what_an_outer_one_hears() {
        check(&[("B", true), ("A", true)], Some((0, true)));
        check(&[("B", true), ("A", false)], Some((0, true)));
    }

    #[test]
    fn a_looking_scope_inside_leaves_it_to_an_outer_one() {
        check(&[("B", false), ("A", true)], Some((1, true)));
        check(&[("B", false), ("A", false)], Some((1, false)));
    }

    #[test]
    fn scopes_are_met_until_one_takes_the_exit() {
        let scopes = [body("B", false), body("A", true), body("C", true)];
        let met = RefCell::new(Vec::new());
        destination(&scopes, |scope| met.borrow_mut().push(scope.class), |scope| scope.class == "A");
        assert_eq!(met.into_inner(), ["B", "A"]);
    }

    #[test]
    fn a_scope_is_open_while_its_part_runs_and_is_left_by_a_panic() {
        let (scopes, outer, inner) = (Scopes::default(), body("A", true), body("B", false));
        let failed = scopes.within(&outer, || {
            let within = || scopes.within(&inner, || std::panic::panic_any(scopes.all().len()));
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(within)).unwrap_err().downcast::<usize>()
        });
        assert_eq!(*failed.expect("the number of scopes"), 2);
        assert!(scopes.is_empty());
    }

    #[test]
    fn the_innermost_scope_looks() {
        let (scopes, outer, inner) = (Scopes::default(), body("A", false), body("B", true));
        assert_eq!(scopes.within(&outer, || scopes.looking()), Some(outer.clone()));
        assert_eq!(scopes.within(&outer, || scopes.within(&inner, || scopes.looking())), None);
    }

    #[test]
    fn scopes_around_belong_to_one_function_of_the_graph() {
        let (scopes, outer) = (Scopes::default(), body("A", true));
        let own = Arc::new(Heard { class: "B", kind: ScopeKind::Body, functions: 1, records: true });
        let found = scopes.within(&outer, || scopes.within(&own, || [scopes.around(0), scopes.around(1)]));
        assert_eq!(found, [vec![outer], vec![own]]);
    }

    #[test]
    fn a_function_that_tells_its_caller_is_heard() {
        let (scopes, outer) = (Scopes::default(), body("A", true));
        let hears = |scope: &Heard| scope.class == "A";
        assert!(scopes.within(&outer, || scopes.are_missed(1, hears)));
        assert!(!scopes.within(&outer, || scopes.are_missed(0, hears)));
        assert!(!scopes.within(&body("B", true), || scopes.are_missed(1, hears)));
        let call = Arc::new(Heard { class: "B", kind: ScopeKind::Call, functions: 1, records: true });
        assert!(!scopes.within(&outer, || scopes.within(&call, || scopes.are_missed(1, hears))));
    }
}
