//! Expected texts: graphs in, modules or refusals out.

use expect_test::{Expect, expect};
use gw_ir::{Op, StringOp, text};

use crate::rows::{Row, row};
use crate::{Refused, lower};

fn check(graph: &str, lengths: &[&[usize]], expected: Expect) {
    let graph = text::parse(graph).expect("a graph");
    let lengths: Vec<Vec<usize>> = lengths.iter().map(|row| row.to_vec()).collect();
    let found = match lower(&graph, &lengths) {
        Ok(module) => {
            let sites: Vec<&str> = module.sites.iter().map(|site| site.op).collect();
            let sites =
                if sites.is_empty() { String::new() } else { format!("may fail: {}\n", sites.join(", ")) };
            module.text + &sites
        }
        Err(refused) => format!("{refused}\n"),
    };
    expected.assert_eq(&found);
}

const SCALED: &str = "func @scaled(%x: f32[?0,3], %k: f32[]) -> (f32[?0,3]) {
  %1 = mul %x, %k : f32[?0,3]
  return %1
}";

#[test]
fn lengths_are_those_of_the_arguments() {
    check(
        SCALED,
        &[&[2, 3], &[]],
        expect![[r#"
        module {
          func.func public @main(%v0: tensor<2x3xf32>, %v1: tensor<f32>) -> (tensor<2x3xf32>) {
            %v2 = "stablehlo.broadcast_in_dim"(%v1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x3xf32>
            %v3 = "stablehlo.multiply"(%v0, %v2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
            "func.return"(%v3) : (tensor<2x3xf32>) -> ()
          }
        }
    "#]],
    );
    check(
        SCALED,
        &[&[0, 3], &[]],
        expect![[r#"
        module {
          func.func public @main(%v0: tensor<0x3xf32>, %v1: tensor<f32>) -> (tensor<0x3xf32>) {
            %v2 = "stablehlo.broadcast_in_dim"(%v1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<0x3xf32>
            %v3 = "stablehlo.multiply"(%v0, %v2) : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
            "func.return"(%v3) : (tensor<0x3xf32>) -> ()
          }
        }
    "#]],
    );
    check(
        SCALED,
        &[&[2, 4], &[]],
        expect![[r#"
        lengths [2, 4] do not fit a parameter of shape [?0,3]
    "#]],
    );
}

#[test]
fn what_follows_from_lengths_is_computed() {
    let graph = "func @flat(%x: f32[?0,?1]) -> (f32[?2]) {
  %n = dim %x axis=0 : i64[]
  %m = dim %x axis=1 : i64[]
  %k = mul %n, %m checked : i64[]
  %1 = reshape %x, %k dims=[@1] : f32[?2]
  return %1
}";
    check(
        graph,
        &[&[2, 3]],
        expect![[r#"
            module {
              func.func public @main(%v0: tensor<2x3xf32>) -> (tensor<6xf32>) {
                %v1 = stablehlo.constant dense<2> : tensor<i64>
                %v2 = stablehlo.constant dense<3> : tensor<i64>
                %v3 = stablehlo.constant dense<6> : tensor<i64>
                %v4 = "stablehlo.reshape"(%v0) : (tensor<2x3xf32>) -> tensor<6xf32>
                "func.return"(%v4) : (tensor<6xf32>) -> ()
              }
            }
        "#]],
    );
}

#[test]
fn checked_integers_give_a_status() {
    let graph = "func @next(%n: i64[]) -> (i64[]) {
  %1 = const 1 : i64[]
  %2 = add %n, %1 checked : i64[]
  return %2
}";
    check(
        graph,
        &[&[]],
        expect![[r#"
        module {
          func.func public @main(%v0: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
            %v1 = stablehlo.constant dense<1> : tensor<i64>
            %v2 = "stablehlo.add"(%v0, %v1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
            %v3 = "stablehlo.xor"(%v0, %v2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
            %v4 = "stablehlo.xor"(%v1, %v2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
            %v5 = "stablehlo.and"(%v3, %v4) : (tensor<i64>, tensor<i64>) -> tensor<i64>
            %v6 = stablehlo.constant dense<0> : tensor<i64>
            %v7 = "stablehlo.compare"(%v5, %v6) <{comparison_direction = #stablehlo<comparison_direction GE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
            %v8 = stablehlo.constant dense<1> : tensor<i64>
            %v9 = stablehlo.constant dense<0> : tensor<i64>
            %v10 = "stablehlo.select"(%v7, %v9, %v8) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
            "func.return"(%v2, %v10) : (tensor<i64>, tensor<i64>) -> ()
          }
        }
        may fail: add
    "#]],
    );
}

#[test]
fn loops_stop_where_something_failed() {
    let graph = "func @halved(%n: i64[], %by: i64[]) -> (i64[]) {
  %0 = const 0 : i64[]
  %1 = while (%m = %n) : (i64[]) {
    %2 = gt %m, %0 : bool[]
    yield %2
  } do {
    %3 = floor_div %m, %by : i64[]
    yield %3
  }
  return %1
}";
    check(
        graph,
        &[&[], &[]],
        expect![[r#"
            module {
              func.func public @main(%v0: tensor<i64>, %v1: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
                %v2 = stablehlo.constant dense<0> : tensor<i64>
                %v3 = stablehlo.constant dense<0> : tensor<i64>
                %v4:2 = "stablehlo.while"(%v0, %v3) ({
                ^bb0(%v5: tensor<i64>, %v6: tensor<i64>):
                  %v7 = "stablehlo.compare"(%v5, %v2) <{comparison_direction = #stablehlo<comparison_direction GT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  %v8 = stablehlo.constant dense<0> : tensor<i64>
                  %v9 = "stablehlo.compare"(%v6, %v8) <{comparison_direction = #stablehlo<comparison_direction EQ>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  %v10 = "stablehlo.and"(%v7, %v9) : (tensor<i1>, tensor<i1>) -> tensor<i1>
                  "stablehlo.return"(%v10) : (tensor<i1>) -> ()
                }, {
                ^bb0(%v11: tensor<i64>, %v12: tensor<i64>):
                  %v13 = stablehlo.constant dense<0> : tensor<i64>
                  %v14 = "stablehlo.compare"(%v1, %v13) <{comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  %v15 = stablehlo.constant dense<1> : tensor<i64>
                  %v16 = stablehlo.constant dense<0> : tensor<i64>
                  %v17 = "stablehlo.select"(%v14, %v16, %v15) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
                  %v18 = stablehlo.constant dense<1> : tensor<i64>
                  %v19 = "stablehlo.select"(%v14, %v1, %v18) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
                  %v20 = "stablehlo.divide"(%v11, %v19) : (tensor<i64>, tensor<i64>) -> tensor<i64>
                  %v21 = "stablehlo.remainder"(%v11, %v19) : (tensor<i64>, tensor<i64>) -> tensor<i64>
                  %v22 = stablehlo.constant dense<0> : tensor<i64>
                  %v23 = "stablehlo.compare"(%v21, %v22) <{comparison_direction = #stablehlo<comparison_direction NE>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  %v24 = "stablehlo.compare"(%v21, %v22) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  %v25 = "stablehlo.compare"(%v19, %v22) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>}> : (tensor<i64>, tensor<i64>) -> tensor<i1>
                  %v26 = "stablehlo.xor"(%v24, %v25) : (tensor<i1>, tensor<i1>) -> tensor<i1>
                  %v27 = "stablehlo.and"(%v23, %v26) : (tensor<i1>, tensor<i1>) -> tensor<i1>
                  %v28 = stablehlo.constant dense<1> : tensor<i64>
                  %v29 = "stablehlo.subtract"(%v20, %v28) : (tensor<i64>, tensor<i64>) -> tensor<i64>
                  %v30 = "stablehlo.select"(%v27, %v29, %v20) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
                  "stablehlo.return"(%v30, %v17) : (tensor<i64>, tensor<i64>) -> ()
                }) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
                "func.return"(%v4#0, %v4#1) : (tensor<i64>, tensor<i64>) -> ()
              }
            }
            may fail: floor_div
        "#]],
    );
}

#[test]
fn branches_and_functions_keep_their_form() {
    let graph = "func @f(%t: bool[], %x: f64[]) -> (f64[]) {
  %1 = cond %t : (f64[]) {
    %2 = call @g %x : f64[]
    yield %2
  } else {
    yield %x
  }
  return %1
}
func @g(%x: f64[]) -> (f64[]) {
  %1 = neg %x : f64[]
  return %1
}";
    check(
        graph,
        &[&[], &[]],
        expect![[r#"
        module {
          func.func public @main(%v0: tensor<i1>, %v1: tensor<f64>) -> (tensor<f64>) {
            %v5 = "stablehlo.if"(%v0) ({
              %v4 = func.call @f0_g(%v1) : (tensor<f64>) -> (tensor<f64>)
              "stablehlo.return"(%v4) : (tensor<f64>) -> ()
            }, {
              "stablehlo.return"(%v1) : (tensor<f64>) -> ()
            }) : (tensor<i1>) -> tensor<f64>
            "func.return"(%v5) : (tensor<f64>) -> ()
          }
          func.func private @f0_g(%v2: tensor<f64>) -> (tensor<f64>) {
            %v3 = "stablehlo.negate"(%v2) : (tensor<f64>) -> tensor<f64>
            "func.return"(%v3) : (tensor<f64>) -> ()
          }
        }
    "#]],
    );
}

#[test]
fn what_cannot_be_said_is_refused_by_name() {
    let print = "func @f(%x: f64[]) -> () {
  print %x text=\"{0}\" to=stdout
  return
}";
    check(
        print,
        &[&[]],
        expect![[r#"
        `print`: a module cannot act on the world while it runs
    "#]],
    );
    let range = "func @f(%n: i64[]) -> (i64[?0]) {
  %0 = const 0 : i64[]
  %1 = const 1 : i64[]
  %2 = range %0, %n, %1 : i64[?0]
  return %2
}";
    check(
        range,
        &[&[]],
        expect![[r#"
        `range`: the length of a range is known only when the module runs
    "#]],
    );
    let endless = "func @f(%x: f64[]) -> (f64[]) {
  %1 = call @g %x : f64[]
  return %1
}
func @g(%x: f64[]) -> (f64[]) {
  %1 = call @g %x : f64[]
  return %1
}";
    check(
        endless,
        &[&[]],
        expect![[r#"
        `call`: a function of StableHLO cannot call itself
    "#]],
    );
}

#[test]
fn the_ops_that_are_refused_are_these() {
    let refused = Op::ALL.iter().filter(|&&op| matches!(row(op), Row::Refused(_)));
    let names: Vec<&str> = refused.map(|op| op.text()).collect();
    let expected = "real imag append length upper lower cholesky triangular_solve solve det qr eigh svd fft foreign \
                    complex print host_call";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn refusals_say_why() {
    let refused = Refused::new("StableHLO has no strings").at(Op::String(StringOp::Append), &None);
    assert_eq!(refused.to_string(), "`append`: StableHLO has no strings");
}
