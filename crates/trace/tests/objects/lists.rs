//! Lists: their operations where the graph decides, in branches, in loops and behind them.

use gw_trace::objects::{Heap, is_unchanged};

use crate::program::Number::{Acc, Is, Item, Len, N};
use crate::program::Step::*;
use crate::program::{Contents, Number, Step};
use crate::runs::{self, Ended};
use crate::staged::Run;
use crate::{agree, xs};

/// A branch that the parameter decides.
fn if_n(then: Vec<Step>, orelse: Vec<Step>) -> Step {
    If(N, Is(2), then, orelse)
}

/// A list of numbers of the graph, as many as the parameter says, 0 to n - 1.
fn grown() -> Vec<Step> {
    vec![Repeat(N, vec![Append(0, Item)])]
}

#[track_caller]
fn grown_then(steps: &[Step]) {
    agree(&xs(&[]), &[grown(), steps.to_vec()].concat());
    agree(&xs(&[7]), &[grown(), steps.to_vec()].concat());
}

/// The same steps on a list of the host's, in a branch, in the body of a loop, and on a list that has grown.
#[track_caller]
fn everywhere(steps: &[Step]) {
    agree(&xs(&[3, 1, 2]), steps);
    agree(&xs(&[3, 1, 2]), &[if_n(steps.to_vec(), vec![])]);
    agree(&xs(&[3, 1, 2]), &[Repeat(N, steps.to_vec())]);
    agree(&xs(&[3, 1, 2]), &[grown(), steps.to_vec()].concat());
}

const INDICES: [Number; 5] = [Is(0), Is(1), Is(-1), Is(-2), N];

#[test]
fn a_branch_appends() {
    agree(&xs(&[1, 2]), &[if_n(vec![Append(0, N)], vec![])]);
}

#[test]
fn branches_append_different_numbers() {
    agree(&xs(&[1]), &[if_n(vec![Append(0, N), Append(0, Is(4))], vec![Append(0, Is(5))])]);
}

#[test]
fn a_branch_fills_a_list_without_elements() {
    agree(&xs(&[]), &[if_n(vec![Append(0, N)], vec![]), Add(Len(0))]);
}

#[test]
fn branches_leave_lists_of_their_own() {
    let other = |items: Vec<Number>| {
        std::iter::once(New(0)).chain(items.into_iter().map(|item| Append(0, item))).collect::<Vec<_>>()
    };
    let choices = [vec![], vec![Is(4)], vec![Is(5), N], vec![N, N, Is(1)]];
    for then in &choices {
        for orelse in &choices {
            let chosen = if_n(other(then.clone()), other(orelse.clone()));
            agree(&xs(&[1, 2]), &[chosen.clone(), Add(Len(0))]);
            agree(&xs(&[]), &[grown(), vec![chosen]].concat());
        }
        agree(&xs(&[1, 2]), &[grown(), vec![if_n(other(then.clone()), vec![])]].concat());
    }
}

#[test]
fn a_branch_empties_a_list() {
    agree(&xs(&[1, 2]), &[if_n(vec![Clear(0)], vec![]), Add(Len(0)), AddCount(0, Is(2))]);
}

#[test]
fn a_loop_fills_a_list_without_elements() {
    agree(&xs(&[]), &grown());
}

#[test]
fn a_loop_appends_to_a_list() {
    agree(&xs(&[1, 2]), &grown());
}

#[test]
fn loops_in_loops_append() {
    agree(&xs(&[]), &[Repeat(N, vec![Repeat(N, vec![Append(0, Item)]), Append(0, Acc), Add(Is(1))])]);
}

#[test]
fn a_branch_in_a_loop_appends() {
    agree(&xs(&[]), &[Repeat(N, vec![If(Item, Is(1), vec![Append(0, Item)], vec![Append(0, Is(9))])])]);
}

#[test]
fn a_loop_may_not_run_and_leave_the_list_empty() {
    agree(&xs(&[]), &[Repeat(Is(0), vec![Append(0, N)]), Add(Len(0))]);
    agree(&xs(&[]), &[Until(N, vec![Append(0, Acc)]), Add(Len(0))]);
}

#[test]
fn a_loop_until_a_number_appends_and_pops() {
    agree(&xs(&[]), &[Until(N, vec![Append(0, Acc), Append(0, Acc), Pop(0)])]);
}

#[test]
fn items_are_read_everywhere() {
    INDICES.iter().for_each(|&at| everywhere(&[AddAt(0, at)]));
}

#[test]
fn items_are_set_everywhere() {
    INDICES.iter().for_each(|&at| everywhere(&[Put(0, at, Is(8))]));
    everywhere(&[Put(0, Is(1), N)]);
    everywhere(&[Put(0, Len(1), Acc), Add(Is(1))]);
}

#[test]
fn items_are_deleted_everywhere() {
    INDICES.iter().for_each(|&at| everywhere(&[Delete(0, at)]));
}

#[test]
fn items_are_popped_everywhere() {
    INDICES.iter().for_each(|&at| everywhere(&[PopAt(0, at)]));
    everywhere(&[Pop(0)]);
    everywhere(&[AddPopped(0)]);
}

#[test]
fn items_are_inserted_everywhere() {
    [Is(0), Is(1), Is(-1)].iter().for_each(|&at| everywhere(&[Insert(0, at, Is(8))]));
    everywhere(&[Insert(0, N, N)]);
}

#[test]
fn an_index_far_off_inserts_at_an_end() {
    grown_then(&[Insert(0, Is(50), Is(8)), Insert(0, Is(-50), Is(9))]);
}

#[test]
fn lists_are_reversed_everywhere() {
    everywhere(&[Reverse(0)]);
}

#[test]
fn lists_are_sorted_everywhere() {
    everywhere(&[Append(0, N), Sort(0, false)]);
    everywhere(&[Append(0, N), Sort(0, true)]);
}

#[test]
fn elements_are_counted_everywhere() {
    everywhere(&[AddCount(0, Is(1))]);
    everywhere(&[AddCount(0, N)]);
}

#[test]
fn elements_are_looked_for_everywhere() {
    everywhere(&[AddIn(0, Is(1)), AddIn(0, N)]);
}

#[test]
fn positions_are_found_everywhere() {
    everywhere(&[AddIndex(0, Is(1))]);
    everywhere(&[AddIndex(0, N)]);
}

#[test]
fn elements_are_removed_everywhere() {
    everywhere(&[Remove(0, Is(1))]);
    everywhere(&[Remove(0, N)]);
}

#[test]
fn the_greatest_element_is_found() {
    everywhere(&[AddMax(0)]);
    grown_then(&[AddMax(0)]);
}

#[test]
fn lengths_are_known_when_the_graph_runs() {
    everywhere(&[Add(Len(0))]);
    grown_then(&[Add(Len(0)), Append(0, Len(0)), Add(Len(0))]);
}

#[test]
fn lists_are_cleared_everywhere() {
    everywhere(&[Clear(0), Add(Len(0))]);
    everywhere(&[Clear(0), Append(0, N)]);
}

#[test]
fn what_was_cleared_is_empty_for_all_operations() {
    grown_then(&[
        Clear(0),
        AddCount(0, Is(1)),
        AddIn(0, N),
        Sort(0, false),
        Reverse(0),
        Each(0, vec![Add(Item)]),
    ]);
}

#[test]
fn an_empty_list_has_no_items() {
    grown_then(&[Clear(0), AddAt(0, Is(0))]);
    grown_then(&[Clear(0), Pop(0)]);
    agree(&xs(&[]), &[AddAt(0, Is(0))]);
    agree(&xs(&[]), &[if_n(vec![AddAt(0, Is(0))], vec![])]);
    agree(&xs(&[]), &[if_n(vec![Pop(0)], vec![Append(0, N)])]);
}

#[test]
fn a_list_may_be_too_short_in_one_branch() {
    agree(&xs(&[5]), &[if_n(vec![Pop(0), Pop(0)], vec![]), AddAt(0, Is(0))]);
}

#[test]
fn lists_are_extended_by_lists() {
    everywhere(&[Append(1, N), Extend(0, 1)]);
    grown_then(&[Extend(0, 0)]);
    grown_then(&[Extend(1, 0), Append(1, Is(4)), Extend(0, 1)]);
}

#[test]
fn copies_change_apart() {
    everywhere(&[Copy(1, 0), Append(1, N), Append(0, Is(6))]);
    grown_then(&[Copy(1, 0), Pop(1), Append(0, Is(6)), AddEqual]);
}

#[test]
fn lists_are_compared_everywhere() {
    everywhere(&[AddEqual, Copy(1, 0), AddEqual, Append(1, N), AddEqual]);
    grown_then(&[AddEqual, Append(1, Is(0)), AddEqual, Clear(0), Clear(1), AddEqual]);
}

#[test]
fn names_swap_their_lists() {
    everywhere(&[Append(1, N), Swap, Append(0, Is(6))]);
    agree(&xs(&[1]), &[Repeat(N, vec![Swap, Append(0, Item)])]);
}

#[test]
fn a_name_gets_another_list_in_a_branch() {
    agree(&xs(&[1, 2]), &[if_n(vec![New(0)], vec![]), Append(0, N), Add(Len(0))]);
    agree(&xs(&[1, 2]), &[if_n(vec![New(0), Append(0, N)], vec![Append(0, Is(3))]), Add(Len(0))]);
}

#[test]
fn a_name_gets_another_list_in_each_turn() {
    agree(&xs(&[1, 2]), &[Repeat(N, vec![New(0), Append(0, Item)])]);
    agree(&xs(&[1, 2]), &[Repeat(N, vec![Copy(1, 0), New(0), Append(0, Len(1))])]);
}

#[test]
fn a_loop_runs_over_a_list_that_has_grown() {
    grown_then(&[Each(0, vec![Add(Item)])]);
    grown_then(&[Each(0, vec![Append(1, Item), If(Item, Is(1), vec![Append(1, N)], vec![])])]);
}

#[test]
fn a_loop_reaches_what_its_body_appends() {
    let body = || vec![If(Len(0), Is(8), vec![], vec![Append(0, Item)]), Add(Item)];
    grown_then(&[Each(0, body())]);
    agree(&xs(&[1, 2]), &[Each(0, body())]);
    agree(&xs(&[1, 2]), &[Each(0, vec![If(N, Len(0), vec![Append(0, N)], vec![]), Add(Item)])]);
}

#[test]
fn a_loop_skips_what_its_body_takes_out() {
    grown_then(&[Each(0, vec![Add(Item), If(Item, Is(0), vec![Delete(0, Is(0))], vec![])])]);
}

#[test]
fn loops_run_over_lists_in_loops() {
    grown_then(&[Each(0, vec![Each(0, vec![Add(Item)]), Append(1, Acc)])]);
}

#[test]
fn sums_of_what_is_popped_until_nothing_is_left() {
    grown_then(&[Let(Is(0)), Repeat(Len(0), vec![AddPopped(0)])]);
}

#[test]
fn stacks_grow_and_shrink_in_one_loop() {
    let body = vec![Append(0, Item), If(Len(0), Is(2), vec![AddPopped(0), Pop(0)], vec![])];
    agree(&xs(&[]), &[Repeat(N, body)]);
}

#[test]
fn queues_are_taken_from_in_front() {
    agree(&xs(&[4]), &[Repeat(N, vec![Append(0, Item), AddAt(0, Is(0)), Delete(0, Is(0))])]);
}

#[test]
fn two_lists_flow_through_one_loop() {
    let body = vec![If(Item, Is(1), vec![Append(0, Item)], vec![Append(1, Item)])];
    agree(&xs(&[]), &[Repeat(N, body), Extend(0, 1), AddEqual]);
}

#[test]
fn a_filter_is_a_loop_over_a_list() {
    grown_then(&[Each(0, vec![If(Item, Is(1), vec![Append(1, Item)], vec![])]), Swap]);
}

#[test]
fn an_insertion_sort_is_a_loop() {
    let body = vec![Insert(0, Is(0), Item), Sort(0, false)];
    agree(&xs(&[2]), &[Repeat(N, body)]);
}

#[test]
fn errors_of_branches_are_the_programs() {
    agree(&xs(&[1]), &[if_n(vec![AddAt(0, Is(4))], vec![Append(0, N)])]);
    agree(&xs(&[1]), &[if_n(vec![Remove(0, Is(4))], vec![Append(0, N)]), Add(Len(0))]);
    agree(&xs(&[1]), &[Repeat(N, vec![Pop(0)])]);
}

#[test]
fn many_elements_stay_rows() {
    let begins: Vec<i64> = (0..60).collect();
    agree(&xs(&begins), &[if_n(vec![Reverse(0)], vec![]), AddAt(0, Is(40))]);
}

#[test]
fn only_an_item_changes() {
    agree(&xs(&[1, 2]), &[if_n(vec![Put(0, Is(1), N)], vec![]), AddAt(0, Is(1))]);
    agree(&xs(&[1, 2]), &[Repeat(N, vec![Put(0, Is(1), Item)]), AddAt(0, Is(1))]);
}

#[test]
fn a_list_that_nobody_changes_stays_the_hosts() {
    let begins = Contents { lists: [vec![1, 2], vec![3]], ..Contents::default() };
    agree(&begins, &[if_n(vec![Append(0, N)], vec![AddAt(1, Is(0))]), Extend(1, 0)]);
}

/// A program that is refused, since a name may be of the list over which a loop runs.
#[track_caller]
fn refused(program: &[Step]) {
    let all = runs::run(program, &xs(&[0, 0]), &[0, 3]);
    let text = "the graph decides whether a list, dict or set that is changed here is the one over which a loop runs";
    assert!(all.iter().all(|ended| *ended == Ended::Refused(text.to_owned())), "{all:?}");
}

#[test]
fn a_list_that_a_loop_runs_over_is_changed_by_its_names_alone() {
    refused(&[Insert(0, N, Is(0)), Each(0, vec![Swap, Append(0, Is(1)), Pop(0), Append(1, Is(1))])]);
    refused(&[Each(0, vec![If(N, Is(1), vec![], vec![New(0)]), Append(0, Is(1))])]);
}

#[test]
fn a_name_of_a_list_that_a_loop_runs_over_may_get_another_list() {
    grown_then(&[Each(0, vec![New(0), Append(0, Item)])]);
    grown_then(&[Each(0, vec![Copy(0, 1), Append(1, Item)])]);
    agree(&xs(&[4, 5]), &[Each(0, vec![If(N, Is(1), vec![], vec![New(0)]), Add(Item)])]);
}

#[test]
fn a_list_is_unchanged_by_a_loop_that_only_reads_it() {
    let run = Run::new(&xs(&[]));
    run.steps(&grown()).expect("a list grows");
    let (list, held) = (run.list(0), run.toy.items(&run.list(0)));
    let is_unchanged_by = |body: Vec<Step>| {
        run.steps(&[Repeat(N, body)]).expect("a loop is staged");
        is_unchanged(&run.toy, &list, &held)
    };
    assert!(is_unchanged_by(vec![Add(Len(0)), If(Len(0), Is(0), vec![AddAt(0, Is(0))], vec![])]));
    assert!(!is_unchanged_by(vec![If(Item, Is(1), vec![Put(0, Is(0), Item)], vec![])]));
}
