//! Loops that several threads share: what they give does not depend on how many there are, what they fail with neither.

use gw_cpu::{Native, Registers, Sharing};
use gw_runtime::{Buffer, Executable, RunError};

use crate::support::{Recorder, on_threads};

fn compiled(text: &str, sharing: Sharing) -> Executable {
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let native = Native::of(&graph, Registers::UpTo512, sharing).unwrap_or_else(|broken| panic!("{broken}"));
    native.load().expect("there is memory")
}

fn floats(lengths: &[usize]) -> Buffer {
    let count = lengths.iter().product::<usize>();
    let numbers = (0..count).map(|i| ((i * 7919) % 4099) as f32 * 1e-3 - 2.0).collect();
    Buffer::from_elements::<f32>(lengths, numbers)
}

fn bytes(results: &Result<Vec<Buffer>, RunError>) -> Vec<Vec<u8>> {
    results.as_ref().expect("runs").iter().map(|b| b.bytes().to_vec()).collect()
}

/// The loops of a graph are shared, and give the same bits on all numbers of threads.
#[track_caller]
fn check(text: &str, inputs: &[Buffer]) {
    let graph = gw_ir::text::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(gw_cpu::dump_loops(&graph).contains("share"), "{}", gw_cpu::dump_loops(&graph));
    for sharing in [Sharing::WorthIt, Sharing::All] {
        let executable = compiled(text, sharing);
        let mut wanted = None;
        on_threads(|count| {
            let found = bytes(&executable.run(inputs, &mut Recorder::default()));
            assert!(*wanted.get_or_insert(found.clone()) == found, "{count} threads: {text}");
        });
    }
}

#[test]
fn elements() {
    let chain = |ty: &str| {
        format!(
            "func @f(%x: {ty}) -> ({ty}) {{
  %1 = tanh %x : {ty}
  %2 = mul %1, %x : {ty}
  %3 = exp %2 : {ty}
  return %3
}}"
        )
    };
    for lengths in [&[1_000_003][..], &[3, 200_001], &[0, 5], &[200_001, 3]] {
        let ty = format!("f32[{}]", lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(","));
        if lengths[0] > 0 {
            check(&chain(&ty), &[floats(lengths)]);
        }
        let open = if lengths.len() == 1 { "f32[?0]" } else { "f32[?0,?1]" };
        check(&chain(open), &[floats(lengths)]);
    }
}

#[test]
fn elements_that_are_moved() {
    let turned = "func @f(%x: f32[?0,?1]) -> (f32[?1,?0]) {
  %1 = transpose %x perm=[1,0] : f32[?1,?0]
  %2 = add %1, %1 : f32[?1,?0]
  return %2
}";
    check(turned, &[floats(&[700, 900])]);
    let gathered = "func @f(%x: f32[?0,?1], %at: i64[?2]) -> (f32[?2,?1]) {
  %1 = gather %x, %at axis=0 : f32[?2,?1]
  return %1
}";
    let at: Vec<i64> = (0..3000).map(|i| (i * 31) % 700).collect();
    check(gathered, &[floats(&[700, 90]), Buffer::from_elements(&[3000], at)]);
}

#[test]
fn rows() {
    let sums = "func @f(%x: f32[?0,?1]) -> (f32[?0], f32[?1]) {
  %1 = reduce_sum %x axes=[1] : f32[?0]
  %2 = reduce_max %x axes=[0] : f32[?1]
  return %1, %2
}";
    check(sums, &[floats(&[1000, 1003])]);
    let softmax = "func @f(%x: f32[300,1024]) -> (f32[300,1024]) {
  %1 = reduce_max %x axes=[1] keep : f32[300,1]
  %2 = sub %x, %1 : f32[300,1024]
  %3 = exp %2 : f32[300,1024]
  %4 = reduce_sum %3 axes=[1] keep : f32[300,1]
  %5 = div %3, %4 : f32[300,1024]
  return %5
}";
    check(softmax, &[floats(&[300, 1024])]);
    let sorted = "func @f(%x: f32[?0,?1]) -> (i64[?0,?1]) {
  %1 = arg_sort %x : i64[?0,?1]
  return %1
}";
    check(sorted, &[floats(&[200, 300])]);
}

#[test]
fn columns() {
    for (ty, kept, axis, lengths) in [
        ("f32[?0,?1]", "f32[?1]", 0, &[300, 3001][..]),
        ("f32[300,3001]", "f32[3001]", 0, &[300, 3001]),
        ("f32[450,1000]", "f32[1000]", 0, &[450, 1000]),
        ("f32[?0,?1,?2]", "f32[?0,?2]", 1, &[3, 150, 1100]),
    ] {
        let sums = format!(
            "func @f(%x: {ty}) -> ({kept}, {kept}) {{
  %1 = reduce_sum %x axes=[{axis}] : {kept}
  %2 = add %x, %x : {ty}
  %3 = reduce_sum %2 axes=[{axis}] : {kept}
  return %1, %3
}}"
        );
        check(&sums, &[floats(lengths)]);
    }
}

#[test]
fn products() {
    let product = |turned: &str| {
        format!(
            "func @f(%x: f32[?0,?1], %y: f32[?2,?3]) -> (f32[?0,?4]) {{
  %1 = matmul %x, %y{turned} : f32[?0,?4]
  return %1
}}"
        )
    };
    for [m, n, k] in [
        [300, 1, 3000],
        [300, 2, 2000],
        [145, 5, 600],
        [150, 40, 400],
        [1025, 70, 33],
        [600, 600, 3],
        [80, 900, 90],
    ] {
        check(&product(""), &[floats(&[m, k]), floats(&[k, n])]);
        check(&product(" transpose_y"), &[floats(&[m, k]), floats(&[n, k])]);
    }
}

#[test]
fn the_first_element_that_fails_is_told() {
    let text = "func @f(%x: i64[?0], %y: i64[?0]) -> (i64[?0]) {
  %1 = floor_div %x, %y : i64[?0]
  return %1
}";
    let count = 100_000;
    let [ones, mut zeros] = [1i64, 1].map(|n| vec![n; count]);
    let executable = compiled(text, Sharing::All);
    let run = |y: &Vec<i64>| {
        let inputs = [ones.clone(), y.clone()].map(|elements| Buffer::from_elements(&[count], elements));
        executable.run(&inputs, &mut Recorder::default()).map(|_| ()).map_err(|error| error.message)
    };
    on_threads(|_| assert_eq!(run(&zeros), Ok(())));
    zeros[77_777] = 0;
    let mut told = Vec::new();
    on_threads(|_| told.push(run(&zeros).expect_err("fails")));
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    let gathered = "func @f(%x: f32[?0], %at: i64[?1]) -> (f32[?1]) {
  %1 = gather %x, %at axis=0 : f32[?1]
  return %1
}";
    let executable = compiled(gathered, Sharing::All);
    let at: Vec<i64> = (0..50_000).map(|i| if i > 40_000 { i } else { i % 10 }).collect();
    on_threads(|_| {
        let inputs = [floats(&[10]), Buffer::from_elements(&[50_000], at.clone())];
        let error = executable.run(&inputs, &mut Recorder::default()).expect_err("fails");
        assert!(error.message.contains("40001"), "{}", error.message);
    });
}

#[test]
fn threads_may_come_to_loops_together() {
    let text = "func @f(%x: f32[100000], %n: i64[]) -> (f32[100000]) {
  %zero = const 0 : i64[]
  %one = const 1 : i64[]
  %i, %y = while (%k = %zero, %z = %x) : (i64[], f32[100000]) {
    %go = lt %k, %n : bool[]
    yield %go
  } do {
    %next = add %k, %one : i64[]
    %more = tanh %z : f32[100000]
    yield %next, %more
  }
  return %y
}";
    let executable = compiled(text, Sharing::All);
    let turns = |n: i64| [floats(&[100_000]), Buffer::from_elements(&[], vec![n])];
    on_threads(|_| {
        let wanted = bytes(&executable.run(&turns(20), &mut Recorder::default()));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    assert!(bytes(&executable.run(&turns(20), &mut Recorder::default())) == wanted)
                });
            }
        });
    });
}
