//! Branches before and after.

use expect_test::expect;

use crate::tests::check_all;

#[test]
fn a_known_branch_is_taken() {
    check_all(
        "func @f(%x: f32[]) -> (f32[]) {
          %1 = const true : bool[]
          %2 = cond %1 : (f32[]) { %3 = exp %x : f32[] yield %3 } else { %4 = sin %x : f32[] yield %4 }
          return %2
        }",
        expect![[r#"
            func @f(%x: f32[]) -> (f32[]) {
              %1 = exp %x : f32[]
              return %1
            }
        "#]],
    );
}

#[test]
fn short_branches_become_a_choice() {
    check_all(
        "func @f(%n: i64[]) -> (i64[]) {
          %two = const 2 : i64[]
          %zero = const 0 : i64[]
          %rest = mod %n, %two : i64[]
          %even = eq %rest, %zero : bool[]
          %r = cond %even : (i64[]) {
            %half = floor_div %n, %two : i64[]
            yield %half
          } else {
            %three = const 3 : i64[]
            %one = const 1 : i64[]
            %triple = mul %n, %three : i64[]
            %next = add %triple, %one : i64[]
            yield %next
          }
          return %r
        }",
        expect![[r#"
            func @f(%n: i64[]) -> (i64[]) {
              %two = const 2 : i64[]
              %zero = const 0 : i64[]
              %rest = mod %n, %two : i64[]
              %even = eq %rest, %zero : bool[]
              %half = floor_div %n, %two : i64[]
              %three = const 3 : i64[]
              %one = const 1 : i64[]
              %triple = mul %n, %three : i64[]
              %next = add %triple, %one : i64[]
              %r = select %even, %half, %next : i64[]
              return %r
            }
        "#]],
    );
}

/// A loop over two numbers with this turn, behind the pass.
fn turned(turn: &str) -> String {
    let text = format!(
        "func @f(%n: i64[], %m: u8[], %c: bool[]) -> (i64[], u8[], bool[]) {{
          %1, %2, %3 = while (%s = %n, %t = %m, %on = %c) : (i64[], u8[], bool[]) {{
            yield %on
          }} do {{
{turn}
          }}
          return %1, %2, %3
        }}"
    );
    let mut graph = gw_ir::text::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    super::run(&mut graph);
    let text = gw_ir::text::print(&graph);
    let lines = text.lines().skip_while(|line| !line.contains("} do {")).skip(1);
    lines.take_while(|line| *line != "  }").fold(String::new(), |all, line| all + line.trim() + "\n")
}

/// Two totals that grow in the arms of a branch, of which this much is added to the first.
fn two_totals(added: &str, given: &str) -> String {
    turned(&format!(
        "%4, %5 = cond %on : (i64[], u8[]) {{
          %6 = const 1 : i64[]
          {added}
          yield {given}, %t
        }} else {{
          %8 = const 2 : u8[]
          %9 = sub %t, %8 checked : u8[]
          yield %s, %9
        }}
        yield %4, %5, %on"
    ))
}

#[test]
fn totals_that_grow_in_a_branch_grow_by_a_choice() {
    expect![[r#"
        %4 = const 1 : i64[]
        %5 = const 2 : u8[]
        %6 = const 0 : i64[]
        %7 = select %on, %4, %6 : i64[]
        %8 = add %7, %s checked : i64[]
        %9 = const 0 : u8[]
        %10 = select %on, %9, %5 : u8[]
        %11 = sub %t, %10 checked : u8[]
        yield %8, %11, %on
    "#]]
    .assert_eq(&two_totals("%7 = add %6, %s checked : i64[]", "%7"));
}

#[test]
fn totals_that_a_turn_reads_stay_in_their_branches() {
    let in_the_branch = "%a = add %6, %s checked : i64[]\n%b = neg %a : i64[]\n%7 = add %a, %b : i64[]";
    assert!(two_totals(in_the_branch, "%7").contains("cond"));
    let by_the_test = "%6 = const 2 : i64[]
        %odd = gt %s, %6 : bool[]
        %4 = cond %odd : (i64[]) {
          %7 = add %s, %6 checked : i64[]
          yield %7
        } else {
          yield %s
        }
        yield %4, %t, %on";
    assert!(turned(by_the_test).contains("cond"));
    let behind_it = "%6 = const 2 : i64[]
        %4 = cond %on : (i64[]) {
          %7 = add %s, %6 checked : i64[]
          yield %7
        } else {
          yield %s
        }
        %odd = gt %4, %6 : bool[]
        yield %4, %t, %odd";
    assert!(turned(behind_it).contains("cond"));
}

#[test]
fn branches_that_may_fail_stay() {
    check_all(
        "func @f(%n: i64[], %d: i64[], %t: bool[]) -> (i64[]) {
          %r = cond %t : (i64[]) { %q = floor_div %n, %d : i64[] yield %q } else { yield %n }
          return %r
        }",
        expect![[r#"
            func @f(%n: i64[], %d: i64[], %t: bool[]) -> (i64[]) {
              %r = cond %t : (i64[]) {
                %q = floor_div %n, %d : i64[]
                yield %q
              } else {
                yield %n
              }
              return %r
            }
        "#]],
    );
}
