//! Dicts and sets: keys of the graph, in branches, in loops and behind them.

use crate::agree;
use crate::program::Number::{Acc, Is, Item, N};
use crate::program::Step::*;
use crate::program::{Contents, Step};

fn dict(pairs: &[(i64, i64)]) -> Contents {
    Contents { pairs: pairs.to_vec(), ..Contents::default() }
}

fn set(items: &[i64]) -> Contents {
    Contents { set: items.to_vec(), ..Contents::default() }
}

/// The same steps on a dict of the host's, in a branch, in the body of a loop, and on a dict that has grown.
#[track_caller]
fn everywhere(steps: &[Step]) {
    let begins = dict(&[(3, 30), (1, 10), (2, 20)]);
    agree(&begins, steps);
    agree(&begins, &[If(N, Is(2), steps.to_vec(), vec![])]);
    agree(&begins, &[Repeat(N, steps.to_vec())]);
    agree(&begins, &[vec![Repeat(N, vec![Store(Item, Acc), Add(Is(1))])], steps.to_vec()].concat());
}

#[track_caller]
fn set_everywhere(steps: &[Step]) {
    let begins = set(&[3, 1, 2]);
    agree(&begins, steps);
    agree(&begins, &[If(N, Is(2), steps.to_vec(), vec![])]);
    agree(&begins, &[Repeat(N, steps.to_vec())]);
    agree(&begins, &[vec![Repeat(N, vec![AddElement(Item)])], steps.to_vec()].concat());
}

#[test]
fn a_key_of_the_graph_is_stored() {
    agree(&dict(&[]), &[Store(N, Is(1))]);
    everywhere(&[Store(N, Is(5))]);
}

#[test]
fn a_key_of_the_host_is_stored() {
    everywhere(&[Store(Is(1), N)]);
    everywhere(&[Store(Is(8), N)]);
}

#[test]
fn a_second_value_takes_the_place_of_the_first() {
    everywhere(&[Store(N, Is(5)), Store(N, Is(6)), Store(Is(3), Is(7))]);
}

#[test]
fn values_are_read() {
    everywhere(&[AddValue(Is(1))]);
    everywhere(&[AddValue(N)]);
}

#[test]
fn values_that_are_not_there_have_a_default() {
    everywhere(&[AddGet(N, Is(-7))]);
    everywhere(&[AddGet(Is(9), N)]);
}

#[test]
fn keys_are_deleted() {
    everywhere(&[Forget(Is(1))]);
    everywhere(&[Forget(N)]);
}

#[test]
fn a_deleted_key_goes_to_the_end() {
    everywhere(&[Forget(Is(3)), Store(Is(3), Is(4))]);
}

#[test]
fn keys_are_looked_for() {
    everywhere(&[AddHasKey(Is(1)), AddHasKey(Is(9)), AddHasKey(N)]);
}

#[test]
fn counts_are_kept_in_a_dict() {
    let body = vec![Let(Is(1)), AddGet(Is(0), Is(0)), Store(Is(0), Acc)];
    agree(&dict(&[]), &[Repeat(N, body), AddGet(Is(0), Is(0))]);
}

#[test]
fn loops_run_over_keys_in_their_order() {
    everywhere(&[EachKey(vec![Add(Item), Append(0, Item)])]);
}

#[test]
fn loops_run_over_values_in_the_order_of_the_keys() {
    everywhere(&[EachValue(vec![Add(Item), Append(0, Item)])]);
}

#[test]
fn a_loop_over_keys_reads_values() {
    everywhere(&[EachKey(vec![AddValue(Item)])]);
}

#[test]
fn one_dict_grows_while_a_list_does() {
    agree(&dict(&[]), &[Repeat(N, vec![Store(Item, Acc), Append(0, Item), Add(Item)])]);
}

#[test]
fn a_branch_stores_a_new_key() {
    agree(&dict(&[(1, 1)]), &[If(N, Is(2), vec![Store(N, Is(3))], vec![]), AddHasKey(Is(3))]);
}

#[test]
fn branches_store_different_keys() {
    agree(&dict(&[(1, 1)]), &[If(N, Is(2), vec![Store(N, Is(3))], vec![Store(Is(7), N)]), AddHasKey(Is(7))]);
}

#[test]
fn a_key_that_is_not_there_is_the_programs_error() {
    agree(&dict(&[(1, 1)]), &[If(N, Is(2), vec![AddValue(Is(5))], vec![])]);
    agree(&dict(&[(1, 1)]), &[If(N, Is(2), vec![Forget(Is(5))], vec![Store(Is(5), N)])]);
}

#[test]
fn elements_are_added() {
    set_everywhere(&[AddElement(N)]);
    set_everywhere(&[AddElement(Is(1)), AddElement(Is(8))]);
    agree(&set(&[]), &[AddElement(N), AddElement(N)]);
}

#[test]
fn elements_are_discarded() {
    set_everywhere(&[Discard(N)]);
    set_everywhere(&[Discard(Is(1)), Discard(Is(8))]);
}

#[test]
fn elements_are_removed() {
    set_everywhere(&[RemoveElement(Is(1))]);
    set_everywhere(&[RemoveElement(N)]);
}

#[test]
fn elements_are_looked_for() {
    set_everywhere(&[AddHasElement(Is(1)), AddHasElement(Is(9)), AddHasElement(N)]);
}

#[test]
fn an_element_is_there_once() {
    set_everywhere(&[AddElement(N), AddElement(N), Discard(N), AddHasElement(N)]);
}

#[test]
fn a_loop_fills_a_set() {
    agree(&set(&[]), &[Repeat(N, vec![AddElement(Item), AddElement(Is(2))])]);
}

#[test]
fn a_sieve_is_a_loop_over_a_set() {
    agree(&set(&[0, 1, 2, 3, 4]), &[Repeat(N, vec![Discard(Item), AddHasElement(Is(3))])]);
}
