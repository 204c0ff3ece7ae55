//! Code as bytes: what was not written so reads as nothing, and what is read does what was written.

use gw_base::Loc;
use gw_cpu::{Native, Registers, Sharing};
use gw_ir::text::parse;
use gw_ir::{Builder, Literal};
use gw_runtime::Failure;
use gw_types::{DType, Scalar, Texts};

use crate::support::{Recorder, compare};

const SUM: &str = "func @f(%x: i32[?0]) -> (i32[]) {
  %s = reduce_sum %x axes=[0] : i32[]
  %zero = const 0 : i32[]
  %ok = gt %s, %zero : bool[]
  check %ok, %s kind=ValueError text=\"{1} is not enough\" to=stderr
  print %s text=\"sum {0}\" to=stdout
  return %s
}
";

fn bytes() -> Vec<u8> {
    let graph = parse(SUM).expect("a graph");
    let native = Native::of(&graph, Registers::UpTo128, Sharing::WorthIt).expect("code");
    native.to_bytes(&|_| Some(0)).expect("bytes")
}

#[test]
fn what_was_cut_off_reads_as_nothing() {
    let bytes = bytes();
    assert!(Native::from_bytes(&bytes, &[]).is_some());
    let step = bytes.len() / 97 + 1;
    for length in (0..bytes.len()).step_by(step).chain(bytes.len() - 9..bytes.len()) {
        assert!(Native::from_bytes(&bytes[..length], &[]).is_none(), "{length} of {}", bytes.len());
    }
    assert!(Native::from_bytes(&[&bytes[..], &[0]].concat(), &[]).is_none());
}

#[test]
fn foreign_bytes_read_as_nothing() {
    for byte in [0, 1, 7, 0xff] {
        assert!(Native::from_bytes(&vec![byte; 4096], &[]).is_none());
    }
}

#[test]
fn code_that_was_read_prints_and_fails_as_it_did() {
    let native = Native::from_bytes(&bytes(), &[]).expect("code");
    let executable = native.load().expect("memory");
    let run = |elements: Vec<i32>| {
        let mut host = Recorder::default();
        let input = gw_runtime::Buffer::from_elements(&[elements.len()], elements);
        (executable.run(&[input], &mut host), host.printed)
    };
    let (results, printed) = run(vec![1, 2]);
    assert_eq!(results.expect("a sum")[0].elements(), Some(&[3][..]));
    assert_eq!(printed[0].1, "sum 3");
    let error = run(vec![-1]).0.expect_err("a check");
    assert!(matches!(error.failure, Failure::Value));
    assert_eq!(error.message, "-1 is not enough");
}

#[test]
fn code_that_was_read_finds_its_tables() {
    for ty in ["f32", "f64"] {
        let text = format!(
            "func @f(%x: {ty}[41]) -> ({ty}[41]) {{\n  %y = pow %x, %x : {ty}[41]\n  return %y\n}}\n"
        );
        let graph = parse(&text).expect("a graph");
        let dtype = if ty == "f32" { DType::F32 } else { DType::F64 };
        let numbers: Vec<Scalar> = (0..41).map(|i| Scalar::Float(0.37 * f64::from(i))).collect();
        let given = [Registers::UpTo128, Registers::UpTo256, Registers::UpTo512].map(|registers| {
            let native = Native::of(&graph, registers, Sharing::WorthIt).expect("code");
            let bytes = native.to_bytes(&|_| Some(0)).expect("bytes");
            let executable = Native::from_bytes(&bytes, &[]).expect("code").load().expect("memory");
            let input = crate::support::buffer(&gw_eval::Array::new(dtype, vec![41], numbers.clone()));
            let results = executable.run(&[input], &mut Recorder::default()).expect("powers");
            results[0].scalars().map(Scalar::to_f64).map(f64::to_bits).collect::<Vec<_>>()
        });
        assert_eq!(given[0], given[1]);
        assert_eq!(given[0], given[2]);
        assert!((f64::from_bits(given[0][3]) - 1.11f64.powf(1.11)).abs() < 1e-6);
    }
}

#[test]
fn places_are_those_of_the_graph_that_is_read_for() {
    let text = "func @f(%x: i32[]) -> (i32[]) {\n  %y = floor_div %x, %x : i32[]\n  return %y\n}\n";
    let mut graph = parse(text).expect("a graph");
    let node = graph.regions[graph.body].nodes[0];
    graph.places[node] = Some(Loc::of_line("here.py", 1));
    let bytes = Native::of(&graph, Registers::UpTo512, Sharing::WorthIt)
        .expect("code")
        .to_bytes(&|_| Some(0))
        .expect("bytes");
    assert!(Native::from_bytes(&bytes, &[]).is_none());
    let there = Loc::of_line("there.py", 7);
    let executable =
        Native::from_bytes(&bytes, std::slice::from_ref(&there)).expect("code").load().expect("memory");
    let zero = gw_runtime::Buffer::scalar(DType::I32, Scalar::Int(0));
    let error = executable.run(&[zero], &mut Recorder::default()).expect_err("a division by zero");
    assert_eq!(error.place, Some(there));
}

#[test]
fn long_strings_are_written_by_their_bytes() {
    let mut texts = Texts::default();
    for text in ["short", "a string of more than seven bytes"] {
        let scalar = Scalar::Text(texts.make(text.as_bytes()));
        let mut b = Builder::new("f");
        let one = b.constant(Literal::scalar(DType::Str, scalar));
        let many = b.constant(Literal::from_scalars(DType::Str, vec![3], &[scalar; 3]));
        compare(&b.finish(vec![one, many]), &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
}
