//! The text of a whole program: its functions, what they call, and what is promised of them.

use std::collections::BTreeSet;

use super::text::{Links, Text, name};
use crate::loops::Func;

/// Of all functions: nothing unwinds, and loops may use the widest registers.
const ATTRIBUTES: &str = r#"attributes #0 = { nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512" "probe-stack"="inline-asm" }
attributes #1 = { nounwind }
attributes #2 = { nounwind willreturn memory(none) }
attributes #3 = { nounwind cold }
!0 = !{}
!1 = !{!"branch_weights", i32 4000, i32 1}
!2 = !{!"branch_weights", i32 1, i32 4000}
"#;

/// The first function, the graph itself, is `@graph`, those that it calls are `@function1` and so on.
/// Those that work off runs of shared loops are `@piece0` and so on.
pub(super) fn module(functions: &[Func], pieces: &[Func], links: &Links) -> String {
    let (mut text, mut declared) = (String::new(), BTreeSet::new());
    for at in 0..functions.len() {
        text += &function(at, functions, links, &mut declared);
    }
    for at in 0..pieces.len() {
        text += &piece(at, pieces, functions, links, &mut declared);
    }
    for declaration in declared {
        text += &declaration;
        text.push('\n');
    }
    text + ATTRIBUTES
}

/// The result type of a function: first 0 if it did not fail.
pub(super) fn result_type(func: &Func) -> String {
    let given = func.results.iter().map(|&var| format!(", {}", name(func.vars[var])));
    format!("{{ i32{} }}", given.collect::<String>())
}

fn function(at: usize, functions: &[Func], links: &Links, declared: &mut BTreeSet<String>) -> String {
    let func = &functions[at];
    let mut text = Text::new(func, functions, false, links);
    let mut params = vec!["ptr noalias %context".to_owned()];
    for &param in &func.params {
        let value = text.fresh();
        params.push(format!("{} {value}", name(func.vars[param])));
        text.set(param, value);
    }
    text.stmts(&func.body);
    text.leave();
    declared.append(&mut text.declared);
    let whose = if text.is_graph() {
        "i32 @graph".to_owned()
    } else {
        format!("internal {} @function{at}", result_type(func))
    };
    format!("define {whose}({}) #0 {{\n{}}}\n", params.join(", "), text.body())
}

/// A piece, which has the signature of [`gw_runtime::Run`].
fn piece(
    at: usize,
    pieces: &[Func],
    functions: &[Func],
    links: &Links,
    declared: &mut BTreeSet<String>,
) -> String {
    let mut text = Text::new(&pieces[at], functions, true, links);
    text.take_run();
    text.stmts(&pieces[at].body);
    text.leave();
    declared.append(&mut text.declared);
    let params = "ptr %context, ptr %given, i64 %first, i64 %count, ptr %own";
    format!("define internal void @piece{at}({params}) #0 {{\n{}}}\n", text.body())
}
