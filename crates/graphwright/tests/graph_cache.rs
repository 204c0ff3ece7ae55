//! The cache over a host of a few lines: its graphs are names, its arguments are parts.

use std::cell::Cell;
use std::convert::Infallible;
use std::fmt::{Display, Formatter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use gw_types::DType::{F32, I32};
use gw_types::Scalar;

use graphwright::function::explain::reason;
use graphwright::function::graph_cache::{Asking, Kept, Traces};
use graphwright::function::trace_type::{Frame, OwnType, Part, fits, join};

/// A class of the toy host: its number is that of its subclass, and zero takes all.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Class(u8);

impl Display for Class {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write!(f, "class {}", self.0)
    }
}

impl OwnType for Class {
    fn is_subtype_of(&self, other: &Self) -> bool {
        other.0 == 0 || self == other
    }

    fn join(&self, _other: &Self) -> Option<Self> {
        Some(Class(0))
    }
}

type Toy = Part<Class>;

#[derive(Debug)]
struct Graph {
    name: &'static str,
    parts: Vec<Toy>,
    number: usize,
    used: AtomicU64,
    lives: bool,
}

impl Kept for Graph {
    type Own = Class;

    fn parts(&self) -> &[Toy] {
        &self.parts
    }

    fn number(&self) -> usize {
        self.number
    }

    fn used(&self) -> &AtomicU64 {
        &self.used
    }

    fn bytes(&self) -> usize {
        self.name.len()
    }

    fn has_pattern(&self) -> bool {
        true
    }
}

/// A call; `setting` is a fact that graphs are made with besides the arguments.
struct Call {
    parts: Vec<Toy>,
    setting: &'static str,
}

impl Asking<Graph> for Call {
    type Error = String;

    fn parts(&self) -> &[Toy] {
        &self.parts
    }

    fn admits(&self, graph: &Graph) -> bool {
        graph.lives && (self.setting.is_empty() || graph.name == self.setting)
    }

    fn lives(&self, graph: &Graph) -> bool {
        graph.lives
    }

    fn wait(&self, wait: impl FnOnce() + Send) -> Result<(), String> {
        wait();
        Ok(())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn call(parts: &[Toy]) -> Call {
    Call { parts: parts.to_vec(), setting: "" }
}

fn graph(traces: &Traces<Graph>, name: &'static str, parts: &[Toy]) -> Graph {
    Graph { name, parts: parts.to_vec(), number: traces.count(), used: AtomicU64::new(0), lives: true }
}

fn make(traces: &Traces<Graph>, name: &'static str, parts: &[Toy]) -> Arc<Graph> {
    traces.make(&call(parts), || Ok(graph(traces, name, parts))).expect("nothing fails")
}

fn found(traces: &Traces<Graph>, parts: &[Toy]) -> Option<&'static str> {
    traces.find(&call(parts)).map(|graph| graph.name)
}

fn vector(length: impl Into<Option<usize>>) -> Toy {
    Part::Tensor(F32, vec![length.into()])
}

#[test]
fn a_call_finds_the_graph_of_its_trace_type() {
    let traces = Traces::new(lock);
    make(&traces, "three", &[vector(3)]);
    make(&traces, "four", &[vector(4)]);
    assert_eq!(found(&traces, &[vector(3)]), Some("three"));
    assert_eq!(found(&traces, &[vector(4)]), Some("four"));
    assert_eq!(found(&traces, &[vector(5)]), None);
    assert_eq!(found(&traces, &[vector(3), vector(3)]), None);
    let counts = traces.counts();
    assert_eq!((counts.hits, counts.misses, counts.kept, counts.bytes), (2, 2, 2, 9));
}

#[test]
fn the_most_specific_graph_runs() {
    let traces = Traces::new(lock);
    let matrix = |m: Option<usize>, n: Option<usize>| Part::Tensor(F32, vec![m, n]);
    make(&traces, "any", &[matrix(None, None)]);
    make(&traces, "two rows", &[matrix(Some(2), None)]);
    make(&traces, "three columns", &[matrix(None, Some(3))]);
    assert_eq!(found(&traces, &[matrix(Some(4), Some(4))]), Some("any"));
    assert_eq!(found(&traces, &[matrix(Some(2), Some(4))]), Some("two rows"));
    assert_eq!(found(&traces, &[matrix(Some(4), Some(3))]), Some("three columns"));
    assert_eq!(
        found(&traces, &[matrix(Some(2), Some(3))]),
        Some("two rows"),
        "the first of two that are as specific"
    );
    make(&traces, "exact", &[matrix(Some(2), Some(3))]);
    assert_eq!(found(&traces, &[matrix(Some(2), Some(3))]), Some("exact"));
}

#[test]
fn a_graph_whose_facts_hold_no_more_is_passed_over() {
    let traces = Traces::new(lock);
    let parts = vec![vector(3)];
    let asked = |setting| Call { parts: parts.clone(), setting };
    for setting in ["on", "off"] {
        let made = traces.make(&asked(setting), || Ok(graph(&traces, setting, &parts)));
        assert_eq!(made.map(|graph| graph.name), Ok(setting));
    }
    assert_eq!(traces.find(&asked("on")).map(|graph| graph.name), Some("on"));
    assert!(traces.find(&asked("other")).is_none());
}

#[test]
fn graphs_of_dead_objects_go_when_another_is_kept() {
    let traces = Traces::new(lock);
    let dead = |parts: &[Toy]| Graph { lives: false, ..graph(&traces, "dead", parts) };
    let parts = [Part::Object(1)];
    drop(traces.make(&call(&parts), || Ok(dead(&parts))));
    assert_eq!(found(&traces, &parts), None);
    make(&traces, "live", &[Part::Object(2)]);
    assert_eq!((traces.counts().kept, traces.count()), (1, 2));
}

#[test]
fn the_graph_used_longest_ago_goes_first() {
    let traces = Traces::new(lock);
    let most = graphwright::config::config().traces;
    for length in 0..most {
        make(&traces, "one of many", &[vector(length)]);
    }
    assert!(found(&traces, &[vector(0)]).is_some());
    make(&traces, "one too many", &[vector(most)]);
    assert_eq!(traces.counts().kept, most);
    assert!(found(&traces, &[vector(0)]).is_some());
    assert!(found(&traces, &[vector(1)]).is_none());
}

#[test]
fn a_graph_that_cannot_be_made_leaves_no_trace() {
    let traces = Traces::new(lock);
    let parts = [vector(3)];
    let failed = traces.make(&call(&parts), || Err("it raises".to_owned()));
    assert_eq!(failed.map(drop), Err("it raises".to_owned()));
    assert_eq!((traces.counts().kept, traces.count()), (0, 0));
    // Other threads do not wait for it either.
    thread::scope(|scope| drop(scope.spawn(|| make(&traces, "made", &[vector(3)]))));
    assert_eq!(found(&traces, &parts), Some("made"));
}

#[test]
fn threads_that_need_one_graph_make_it_once() {
    let traces = Traces::new(lock);
    let (made, start) = (AtomicU64::new(0), Barrier::new(4));
    let ask = || {
        start.wait();
        let parts = [vector(3)];
        let slowly = || {
            made.fetch_add(1, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(5));
            Ok(graph(&traces, "once", &parts))
        };
        traces.make(&call(&parts), slowly).expect("nothing fails").number
    };
    thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(ask))));
    assert_eq!((made.load(Ordering::Relaxed), traces.count()), (1, 1));
}

#[test]
fn a_function_may_be_called_while_it_is_traced() {
    let traces = Traces::new(lock);
    let depth = Cell::new(0);
    fn trace(traces: &Traces<Graph>, depth: &Cell<usize>) -> Graph {
        depth.set(depth.get() + 1);
        if depth.get() < 3 {
            drop(traces.make(&call(&[vector(3)]), || Ok(trace(traces, depth))));
        }
        graph(traces, "inner first", &[vector(3)])
    }
    drop(traces.make(&call(&[vector(3)]), || Ok(trace(&traces, &depth))));
    assert_eq!(depth.get(), 3);
}

#[test]
fn the_graphs_used_lately_are_compared_first() {
    let traces = Traces::new(lock);
    let alike = |length: usize| {
        let take = |graph: &Graph| (graph.parts == [vector(length)]).then_some(length);
        traces.with_alike(take, |graph, length| (graph.name, length))
    };
    assert_eq!(alike(0), None);
    for length in 0..5 {
        make(&traces, "plain", &[vector(length)]);
    }
    assert_eq!(alike(4), Some(("plain", 4)));
    assert_eq!(alike(0), None, "four are compared");
    assert_eq!(found(&traces, &[vector(0)]), Some("plain"));
    assert_eq!(alike(0), Some(("plain", 0)));
}

#[test]
fn a_collector_visits_graphs_that_nobody_runs() {
    let traces = Traces::new(lock);
    let visited = || {
        let mut names = Vec::new();
        let done: Result<(), Infallible> = traces.visit(|graph: &Graph| {
            names.push(graph.name);
            Ok(())
        });
        assert!(done.is_ok());
        names
    };
    let running = make(&traces, "running", &[vector(3)]);
    assert_eq!(visited(), Vec::<&str>::new());
    drop(running);
    assert_eq!(visited(), ["running"]);
}

#[test]
fn the_fifth_graph_is_warned_of() {
    let traces = Traces::new(lock);
    let notes = (1..8).map(|n| {
        make(&traces, "again", &[vector(n)]);
        traces.note("f", format!("reason {n}"), n != 2)
    });
    let warnings: Vec<_> = notes.flatten().collect();
    assert_eq!(warnings, ["`f` was traced 4 times, and each time is slow. The last: reason 4"]);
    assert_eq!(traces.reasons().len(), 7);
}

#[test]
fn lengths_that_differ_are_joined() {
    let traces = Traces::new(lock);
    make(&traces, "three", &[vector(3), Part::Own(Class(1))]);
    let wider = traces.relaxed(&[vector(4), Part::Own(Class(2))]);
    assert_eq!(wider, Some(vec![vector(None), Part::Own(Class(0))]));
    assert_eq!(traces.relaxed(&[vector(4), Part::Int(1)]), None);
    assert_eq!(join(&[vector(3)], &[Part::<Class>::Tensor(I32, vec![Some(3)])]), None);
}

#[test]
fn a_trace_type_takes_those_that_are_as_specific() {
    assert!(fits(&[vector(None)], &[vector(3)]) && !fits(&[vector(3)], &[vector(None)]));
    assert!(fits(&[Toy::Own(Class(0))], &[Part::Own(Class(7))]));
    assert!(!fits(&[Toy::Own(Class(7))], &[Part::Own(Class(0))]));
    assert!(!fits(&[Toy::Int(1)], &[Part::Int(2)]));
    assert_eq!(Toy::of_value(Scalar::Float(f64::NAN)), Part::of_value(Scalar::Float(-f64::NAN)));
    assert_ne!(Toy::of_value(Scalar::Float(0.0)), Part::of_value(Scalar::Float(-0.0)));
}

#[test]
fn numbers_alone_may_differ() {
    let traces = Traces::new(lock);
    make(&traces, "one", &[vector(3), Part::Int(1)]);
    assert!(traces.differ_in_numbers(&[vector(3), Part::Int(2)]));
    assert!(!traces.differ_in_numbers(&[vector(3), Part::Int(1)]), "it is the same");
    assert!(!traces.differ_in_numbers(&[vector(3), Part::Float(0)]));
    assert!(!traces.differ_in_numbers(&[vector(4), Part::Int(2)]));
}

fn check(before: &[Toy], now: &[Toy], expected: &str) {
    let names = |at: usize| ["x", "y"][at].to_owned();
    assert_eq!(reason(before, now, &names), expected);
}

#[test]
fn the_first_difference_is_told_with_its_remedy() {
    let pair = Part::Structure(Frame::Tuple(None), 2);
    check(
        &[vector(3)],
        &[vector(4)],
        "`x` is float32 of shape (4,), before float32 of shape (3,): pass `reduce_retracing=True`, or an \
         `input_signature` with `None` for that length",
    );
    check(
        &[pair.clone(), Part::Int(1), Part::Text("a".to_owned()), vector(1)],
        &[pair, Part::Int(1), Part::Text("b".to_owned()), vector(1)],
        "`x[1]` is \"b\", before \"a\": give it one kind of value",
    );
    check(
        &[Part::None, Part::Structure(Frame::List, 1), Part::None],
        &[Part::None, Part::Structure(Frame::List, 0)],
        "`y` has 0 items, before 1: give as many each time, or one tensor",
    );
    check(&[vector(3)], &[vector(3), Part::None], "`y` is new");
    check(
        &[vector(3), Part::None],
        &[vector(3)],
        "the call has fewer arguments than before: give all of them",
    );
    check(
        &[Toy::Own(Class(1))],
        &[Part::Own(Class(2))],
        "`x` is class 2, before class 1: give it one kind of value",
    );
}
