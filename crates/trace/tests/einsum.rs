//! Einstein's sums against loops over all letters, with lengths that are known and with lengths that the graph finds.

use gw_eval::Array;
use gw_trace::Trace;
use gw_trace::calls::{Call, Equation, emit};
use gw_types::{DType, Scalar};

/// An array of a test.
#[derive(Debug, Clone)]
struct Numbers {
    lengths: Vec<usize>,
    elements: Vec<f64>,
}

/// Small numbers that differ, whose products and sums are exact.
fn numbers(lengths: &[usize]) -> Numbers {
    let count = lengths.iter().product::<usize>();
    Numbers {
        lengths: lengths.to_vec(),
        elements: (0..count).map(|at| ((at * 7) % 11) as f64 - 4.0).collect(),
    }
}

impl Numbers {
    /// The element at the places of the letters of its axes; an axis of length 1 has one place for all.
    fn at(&self, term: &str, places: &[(char, usize)]) -> f64 {
        let place = |letter| places.iter().find(|(known, _)| *known == letter).map_or(0, |(_, place)| *place);
        let flat = term
            .chars()
            .zip(&self.lengths)
            .fold(0, |flat, (letter, &length)| flat * length + if length == 1 { 0 } else { place(letter) });
        self.elements[flat]
    }
}

/// The sum by its definition: over all places of all letters that are not in the result.
fn by_loops(terms: &[&str], result: &str, operands: &[Numbers]) -> Vec<f64> {
    let mut letters: Vec<char> = result.chars().collect();
    let all: Vec<char> = terms.iter().flat_map(|term| term.chars()).collect();
    letters.extend(all.iter().filter(|letter| !result.contains(**letter)));
    letters.dedup();
    let mut seen = Vec::new();
    letters.retain(|letter| {
        !seen.contains(letter) && {
            seen.push(*letter);
            true
        }
    });
    let length = |letter: char| {
        let of_term = |(term, x): (&&str, &Numbers)| {
            term.chars().zip(x.lengths.clone()).filter(|(own, _)| *own == letter).map(|(_, n)| n).max()
        };
        terms.iter().zip(operands).filter_map(of_term).max().unwrap_or(1)
    };
    let lengths: Vec<_> = letters.iter().map(|&letter| length(letter)).collect();
    let kept: usize = lengths[..result.chars().count()].iter().product();
    let summed: usize = lengths[result.chars().count()..].iter().product();
    let places = |mut flat: usize| -> Vec<(char, usize)> {
        let mut places: Vec<_> = letters
            .iter()
            .zip(&lengths)
            .rev()
            .map(|(&letter, &length)| {
                let place = flat % length;
                flat /= length;
                (letter, place)
            })
            .collect();
        places.reverse();
        places
    };
    let product = |flat| {
        let places = places(flat);
        terms.iter().zip(operands).map(|(term, x)| x.at(term, &places)).product::<f64>()
    };
    (0..kept).map(|row| (0..summed).map(|at| product(row * summed + at)).sum()).collect()
}

/// The numbers that the graph gives, whose parameters have known lengths or not.
fn by_graph(text: &str, operands: &[Numbers], is_known: bool) -> Vec<f64> {
    let trace = Trace::new("f");
    let parameter = |x: &Numbers| {
        let lengths: Vec<_> = x.lengths.iter().map(|&n| is_known.then_some(n)).collect();
        trace.parameter(DType::F64, &lengths, "x")
    };
    let parameters: Vec<_> = operands.iter().map(parameter).collect();
    let ranks: Vec<_> = operands.iter().map(|x| x.lengths.len()).collect();
    let call = Call::composed(Equation::read(text, &ranks).expect("the letters fit"));
    let made = trace.build(|b| emit(&call, b, &parameters)).expect("the lengths fit");
    let graph = trace.finish(vec![made.value]);
    gw_ir::verify(&graph, "trace").expect("calls make legal graphs");
    let array = |x: &Numbers| {
        Array::new(DType::F64, x.lengths.clone(), x.elements.iter().copied().map(Scalar::Float))
    };
    let inputs: Vec<_> = operands.iter().map(array).collect();
    let outcome = gw_eval::run(&graph, &inputs).expect("nothing fails");
    outcome.results[0].elements.iter().map(|number| number.to_f64()).collect()
}

/// Compares `text` with the sum over `terms` that it stands for.
#[track_caller]
fn check(text: &str, spelled: &str, lengths: &[&[usize]]) {
    let (terms, result) = spelled.split_once("->").expect("a result");
    let terms: Vec<_> = terms.split(',').collect();
    let operands: Vec<_> = lengths.iter().map(|lengths| numbers(lengths)).collect();
    let wanted = by_loops(&terms, result, &operands);
    assert_eq!(by_graph(text, &operands, true), wanted, "{text}");
    if lengths.iter().all(|lengths| !lengths.contains(&1)) {
        assert_eq!(by_graph(text, &operands, false), wanted, "{text}, lengths found by the graph");
    }
}

#[test]
fn sums_are_those_of_loops() {
    check("ij,jk->ik", "ij,jk->ik", &[&[2, 3], &[3, 4]]);
    check("bij,bkj->bik", "bij,bkj->bik", &[&[2, 3, 4], &[2, 2, 4]]);
    check("i,j->ji", "i,j->ji", &[&[2], &[3]]);
    check("abc,cd,de->abe", "abc,cd,de->abe", &[&[2, 2, 3], &[3, 2], &[2, 4]]);
    check("ij,k->j", "ij,k->j", &[&[2, 3], &[4]]);
    check("ijk->k", "ijk->k", &[&[2, 3, 4]]);
}

#[test]
fn results_without_an_arrow_have_the_letters_that_stand_once() {
    check("ba", "ba->ab", &[&[2, 3]]);
    check("i,i", "i,i->", &[&[3], &[3]]);
    check(" j k , i j ", "jk,ij->ik", &[&[2, 3], &[4, 2]]);
    check("...ij,jk", "xyij,jk->xyik", &[&[2, 2, 3, 4], &[4, 2]]);
}

#[test]
fn letters_that_stand_twice_take_diagonals() {
    check("ii->", "ii->", &[&[3, 3]]);
    check("ii->i", "ii->i", &[&[3, 3]]);
    check("bii->b", "bii->b", &[&[2, 3, 3]]);
    check("iji,i->j", "iji,i->j", &[&[3, 2, 3], &[3]]);
    check("iii->i", "iii->i", &[&[2, 2, 2]]);
}

#[test]
fn axes_of_length_one_meet_any() {
    check("ij,jk->ik", "ij,jk->ik", &[&[2, 1], &[3, 4]]);
    check("ij,jk->ik", "ij,jk->ik", &[&[2, 3], &[1, 4]]);
    check("...ij,...jk->...ik", "xij,xjk->xik", &[&[1, 2, 3], &[4, 3, 2]]);
    check("...i,i->...", "xyi,i->xy", &[&[2, 3, 4], &[4]]);
}

#[test]
fn empty_axes_give_zeros() {
    assert_eq!(by_graph("ij,jk->ik", &[numbers(&[2, 0]), numbers(&[0, 2])], true), [0.0; 4]);
}

#[track_caller]
fn refused(text: &str, lengths: &[&[usize]], message: &str) {
    let ranks: Vec<_> = lengths.iter().map(|lengths| lengths.len()).collect();
    let known: Vec<Vec<_>> = lengths.iter().map(|x| x.iter().copied().map(Some).collect()).collect();
    let read = Equation::read(text, &ranks).and_then(|equation| equation.check(&known));
    assert_eq!(read.expect_err(text).message, message);
}

#[test]
fn equations_that_do_not_fit_are_refused() {
    let unknown = "the result of the equation 'ij->l' wants each of its letters once, and in an input";
    refused("ij -> l", &[&[2, 3]], unknown);
    refused("ij,jk", &[&[2, 3]], "the equation 'ij,jk' is of 2 tensors, and 1 are given");
    refused("ij->i", &[&[2, 3, 4]], "'ij' in the equation 'ij->i' is given a tensor of 3 axes");
    refused("ij,jk", &[&[2, 3], &[4, 5]], "axes with the letter 'j' have lengths 3 and 4");
    refused("ij,jk,ka", &[&[2, 3], &[3, 5], &[2, 2]], "axes with the letter 'k' have lengths 5 and 2");
}

#[test]
fn calls_of_other_operands_are_refused() {
    let call = Call::composed(Equation::read("ij->ji", &[2]).expect("the letters fit"));
    let trace = Trace::new("f");
    let vector = trace.parameter(DType::F64, &[Some(2)], "x");
    assert!(trace.build(|b| emit(&call, b, &[vector])).is_err());
    assert!(trace.build(|b| emit(&call, b, &[])).is_err());
}
