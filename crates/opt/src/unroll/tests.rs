//! Loops that are written out, and loops that stay.

use expect_test::{Expect, expect};
use gw_ir::text::{parse, print};

#[track_caller]
fn check_all(before: &str, after: Expect) {
    after.assert_eq(&optimized(before));
}

#[track_caller]
fn optimized(before: &str) -> String {
    let graph = parse(before).unwrap_or_else(|error| panic!("{error}"));
    print(&crate::optimize(graph).expect("no bug"))
}

/// A loop of a carry over `%x`, whose counter goes from 0 to `end`.
fn counted(carried: &str, end: usize, body: &str) -> String {
    format!(
        "func @f(%x: {carried}) -> ({carried}) {{
          %zero = const 0 : i64[]
          %one = const 1 : i64[]
          %n = const {end} : i64[]
          %r, %i = while (%y = %x, %k = %zero) : ({carried}, i64[]) {{
            %t = lt %k, %n : bool[]
            yield %t
          }} do {{
            {body}
            %next = add %k, %one : i64[]
            yield %w, %next
          }}
          return %r
        }}"
    )
}

#[test]
fn a_loop_of_known_turns_over_an_array_is_written_out() {
    let step = "%f = cast %k to=f32 : f32[] %v = mul %y, %x : f32[100] %w = add %v, %f : f32[100]";
    check_all(
        &counted("f32[100]", 3, step),
        expect![[r#"
        func @f(%x: f32[100]) -> (f32[100]) {
          %1 = const 0.0 : f32[]
          %v = mul %x, %x : f32[100]
          %w = add %v, %1 : f32[100]
          %2 = const 1.0 : f32[]
          %v.2 = mul %w, %x : f32[100]
          %w.2 = add %v.2, %2 : f32[100]
          %3 = const 2.0 : f32[]
          %v.3 = mul %w.2, %x : f32[100]
          %w.3 = add %v.3, %3 : f32[100]
          return %w.3
        }
    "#]],
    );
    check_all(
        &counted("f32[100]", 0, step),
        expect![[r#"
        func @f(%x: f32[100]) -> (f32[100]) {
          return %x
        }
    "#]],
    );
}

#[test]
fn loops_of_numbers_of_many_turns_or_of_more_than_steps_stay() {
    let stays = |text: String| {
        let made = optimized(&text);
        assert!(made.contains("while"), "{made}");
    };
    let five = "%a = mul %y, %x : f32[100] %b = mul %a, %x : f32[100] %c = mul %b, %x : f32[100]
        %d = mul %c, %x : f32[100] %w = mul %d, %x : f32[100]";
    stays(counted("f32[]", 3, "%w = mul %y, %x : f32[]"));
    stays(counted("f32[100]", 65, "%w = mul %y, %x : f32[100]"));
    stays(counted("f32[100]", 64, five));
    stays(counted("f32[40,40]", 3, "%w = matmul %y, %x : f32[40,40]"));
}
