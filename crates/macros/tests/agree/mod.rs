//! The comparison of a plain function with its graph, on random inputs.

use gw_testkit::rust::{Array, Plain, Ran, ran};

/// The result of a plain function as a run of its graph would tell it; the line is not compared here.
pub trait Outcome {
    /// The value.
    type Gives: Plain + PartialEq + std::fmt::Debug;
    /// The value, or the text of the failure.
    fn told(self) -> Result<Self::Gives, String>;
}

macro_rules! outcome {
    ($($ty:ty),*) => {$(
        impl Outcome for $ty {
            type Gives = $ty;
            fn told(self) -> Result<$ty, String> {
                Ok(self)
            }
        }
        impl Outcome for Result<$ty, &'static str> {
            type Gives = $ty;
            fn told(self) -> Result<$ty, String> {
                self.map_err(str::to_owned)
            }
        }
    )*};
}

outcome!(i64, f64, bool, Vec<i64>, Vec<f64>);

/// Asserts that a graph gives what the plain function gave.
#[track_caller]
pub fn agree<O: Outcome>(plain: O, graph: &gw_ir::Graph, inputs: &[&dyn Fn() -> Array]) {
    let inputs: Vec<_> = inputs.iter().map(|input| input()).collect();
    let staged: Result<O::Gives, String> = match ran(graph, &inputs) {
        Ran::Gave(given) => Ok(given),
        Ran::Failed(text, line) => {
            assert!(line.is_some(), "a failure knows its line");
            Err(text)
        }
        Ran::Panicked(failure) => panic!("{failure:?} in the graph alone"),
    };
    assert_eq!(staged, plain.told());
}

/// Runs a function as Rust and as its graph, which is the same for all inputs.
macro_rules! same {
    ($test:ident: $function:ident($($input:ident in $strategy:expr),*)) => {
        #[test]
        fn $test() {
            let graph = $function::graph().expect("the function is staged");
            gw_ir::verify(&graph, "trace").expect("staging makes legal graphs");
            let strategy = ($($strategy,)*);
            proptest!(ProptestConfig { cases: 96, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() }, |(($($input,)*) in strategy)| {
                agree($function($($input.clone()),*), &graph, &[$(&|| $input.array()),*]);
            });
        }
    };
}

pub(crate) use same;
