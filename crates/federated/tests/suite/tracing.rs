//! Tracing: names, symbols, and the function that is made of them.

use gw_federated::blocks::Block;
use gw_federated::tracing::Tracing;

use super::toy::{Toy, allowed, literal, reference, ty};

#[test]
fn names_of_ancestors_are_not_taken_again() {
    let name = |suggested, ancestors: &[&str]| {
        let ancestors: Vec<_> = ancestors.iter().map(|name| (*name).into()).collect();
        Tracing::<Toy>::new(suggested, &ancestors).name().to_string()
    };
    assert_eq!(name(Some("f"), &[]), "f");
    assert_eq!(name(Some("f"), &["f"]), "f_1");
    assert_eq!(name(Some("f"), &["f", "f_1", "g"]), "f_2");
    assert_eq!(name(None, &[]), "FEDERATED");
    assert_eq!(name(Some(""), &["FEDERATED"]), "FEDERATED_1");
}

#[test]
fn symbols_become_one_block() {
    let mut tracing = Tracing::<Toy>::new(Some("f"), &[]);
    let argument = Block::reference(tracing.parameter_name(), ty("<a=int32>"), None);
    let selected = allowed(Block::select_name(argument, "a"));
    let one = tracing.bind(allowed(Block::call(reference("g", "(int32 -> int32)"), Some(selected))));
    let two = tracing.bind(allowed(Block::call(reference("g", "(int32 -> int32)"), Some(one))));
    let function = allowed(tracing.take().finish(Some(ty("<a=int32>")), two));
    assert_eq!(
        function.compact(),
        "(f_arg -> (let fc_f_symbol_0=g(f_arg[0]),fc_f_symbol_1=g(fc_f_symbol_0) in fc_f_symbol_1))"
    );
    assert_eq!(function.ty().compact(), "(<a=int32> -> int32)");
    assert!(tracing.symbols().is_empty());
}

#[test]
fn no_symbols_need_no_block() {
    let tracing = Tracing::<Toy>::new(Some("f"), &[]);
    assert_eq!(allowed(tracing.finish(None, literal("5", "int32"))).compact(), "( -> 5)");
}
