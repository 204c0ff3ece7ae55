//! Objects that a program makes: branches and loops join them by their attributes, and lists of the graph hold them as these.

mod random;
mod run;

use expect_test::{Expect, expect};
use gw_trace::counted;
use gw_trace::objects::{self, Heap, Index, Walk, Walking, settled};

use crate::host::{Failed, Instance, Value};
use run::{Done, P, PARAMETERS, Q, Run, instance, int, point};

/// The attributes of `p` behind a program are these for each parameter.
#[track_caller]
fn behind(program: impl Fn(&Run) -> Done, expected: impl Fn(i64) -> [i64; 2]) {
    let run = Run::new();
    program(&run).expect("the graph can hold it");
    let found = run.results(&[run.attribute(P, "x"), run.attribute(P, "y")]);
    assert_eq!(found, PARAMETERS.map(expected));
}

/// The graph cannot hold a program, for this reason.
#[track_caller]
fn refused(program: impl Fn(&Run) -> Done, reason: Expect) {
    let run = Run::new();
    match program(&run) {
        Err(Failed::Refused(diagnostic)) => reason.assert_eq(&diagnostic.message),
        other => panic!("{other:?} is no refusal"),
    }
}

/// A list of `n` objects, `Point(i, i + i)`.
fn grown(run: &Run) -> Done {
    run.repeat(&|i| {
        run.push(point(i.clone(), run.add(&i, &i)));
        Ok(())
    })
}

/// The object at a known index of the list.
fn at(run: &Run, index: i64) -> Result<Value, Failed> {
    objects::get(&run.toy, &run.xs(), &Index::Known(index))
}

#[test]
fn a_branch_chooses_one_of_two_objects() {
    let choose = |run: &Run| {
        run.if_n(
            &|| {
                run.put(P, run.get(Q));
                Ok(())
            },
            &|| Ok(()),
        )
    };
    behind(choose, |n| if n > 2 { [3, 4] } else { [1, 2] });
}

#[test]
fn the_object_behind_a_branch_is_neither_of_the_two() {
    let run = Run::new();
    let (p, q) = (instance(&run.get(P)), instance(&run.get(Q)));
    let swap = || {
        run.toy.variables.borrow_mut().swap(P, Q);
        Ok(())
    };
    run.if_n(&swap, &|| Ok(())).expect("the graph can hold it");
    for now in [P, Q].map(|at| instance(&run.get(at))) {
        assert!(!now.is(&p) && !now.is(&q));
    }
}

#[test]
fn branches_make_objects() {
    let make = |run: &Run| {
        let made = |x: &Value| {
            run.put(P, point(x.clone(), int(7)));
            Ok(())
        };
        run.if_n(&|| made(&run.n), &|| made(&int(-1)))
    };
    behind(make, |n| [if n > 2 { n } else { -1 }, 7]);
}

#[test]
fn a_loop_carries_an_object() {
    let fibonacci = |run: &Run| {
        run.put(P, point(int(0), int(1)));
        run.repeat(&|_| {
            let (x, y) = (run.attribute(P, "x"), run.attribute(P, "y"));
            run.put(P, point(y.clone(), run.add(&x, &y)));
            Ok(())
        })
    };
    behind(fibonacci, |n| (0..n).fold([0, 1], |[x, y], _| [y, x + y]));
}

#[test]
fn objects_inside_of_objects_flow_by_theirs() {
    let outer = |a: Value, b: Value| Value::Instance(Instance::new(&[("a", a), ("b", b)]));
    let program = |run: &Run| {
        run.put(P, outer(run.get(P), Value::Tuple(vec![int(5), run.get(Q)])));
        run.if_n(
            &|| {
                run.put(P, outer(run.get(Q), Value::Tuple(vec![run.n.clone(), run.get(Q)])));
                Ok(())
            },
            &|| Ok(()),
        )?;
        let Value::Tuple(parts) = run.attribute(P, "b") else { panic!("it was a tuple") };
        run.put(P, point(instance(&run.attribute(P, "a")).get("x"), parts[0].clone()));
        Ok(())
    };
    behind(program, |n| if n > 2 { [3, n] } else { [1, 5] });
}

#[test]
fn objects_of_other_attributes_do_not_meet() {
    let other = |run: &Run| {
        let less = || {
            run.put(P, Value::Instance(Instance::new(&[("x", int(1))])));
            Ok(())
        };
        run.if_n(&less, &|| Ok(()))
    };
    refused(other, expect!["`p` is an object if the condition is true and another if it is false"]);
}

#[test]
fn an_object_from_elsewhere_stays_the_one_that_it_is() {
    let run = Run::new();
    let elsewhere = || Instance::from_elsewhere(&[("x", int(1)), ("y", int(2))]);
    let one = elsewhere();
    let put = |instance: &Instance| {
        run.put(P, Value::Instance(instance.clone()));
        Ok(())
    };
    run.if_n(&|| put(&one), &|| put(&one)).expect("it is one object on both paths");
    assert!(instance(&run.get(P)).is(&one));
    refused(
        |run| {
            let put = |instance: Instance| {
                run.put(P, Value::Instance(instance));
                Ok(())
            };
            run.if_n(&|| put(elsewhere()), &|| put(elsewhere()))
        },
        expect!["`p` is an object if the condition is true and another if it is false"],
    );
}

#[test]
fn a_list_that_grows_holds_objects() {
    let last = |run: &Run| {
        run.push(point(int(9), int(8)));
        grown(run)?;
        run.put(P, at(run, -1)?);
        Ok(())
    };
    behind(last, |n| if n > 0 { [n - 1, 2 * (n - 1)] } else { [9, 8] });
}

#[test]
fn a_list_of_objects_is_cut_turned_and_filled() {
    let program = |run: &Run| {
        run.push(point(int(9), int(8)));
        grown(run)?;
        objects::reverse(&run.toy, &run.xs())?;
        objects::insert(&run.toy, &run.xs(), &Index::Known(0), &point(int(6), int(7)))?;
        objects::set(&run.toy, &run.xs(), &Index::Known(-1), &point(run.n.clone(), int(0)))?;
        let first = objects::remove_at(&run.toy, &run.xs(), &Index::Known(0), "no object")?;
        run.put(P, point(instance(&first).get("x"), instance(&at(run, -1)?).get("x")));
        Ok(())
    };
    behind(program, |n| [6, n]);
}

#[test]
fn a_loop_over_objects_takes_them_one_by_one() {
    let sums = |run: &Run| {
        grown(run)?;
        run.put(P, point(int(0), int(0)));
        let (xs, _walking) = (run.xs(), Walking::new(&run.toy, &run.xs()));
        let Some(walk) = Walk::new(&run.toy, &xs, 0)? else { return Ok(()) };
        run.statement(&|state, slots| {
            let body = |k| {
                let Some(item) = walk.item(k)? else { return Ok(()) };
                let sum = |name| run.add(&run.attribute(P, name), &instance(&item).get(name));
                run.put(P, point(sum("x"), sum("y")));
                Ok(())
            };
            counted(&run.toy, slots, state, &|k| walk.more(k, None), &body)
        })
    };
    behind(sums, |n| {
        let sum = (0..n).sum::<i64>();
        [sum, 2 * sum]
    });
}

#[test]
fn the_changed_leaves_of_elements_are_stored() {
    let program = |run: &Run| {
        run.push(point(int(9), int(8)));
        grown(run)?;
        let (xs, _walking) = (run.xs(), Walking::new(&run.toy, &run.xs()));
        let Some(walk) = Walk::new(&run.toy, &xs, 0)? else { return Ok(()) };
        run.statement(&|state, slots| {
            let body = |k| {
                let Some(item) = walk.item(k)? else { return Ok(()) };
                let changed = point(run.add(&instance(&item).get("x"), &int(1)), int(99));
                objects::store_leaves(&run.toy, &xs, k, &changed, &[true, false])
            };
            counted(&run.toy, slots, state, &|k| walk.more(k, None), &body)
        })?;
        run.put(P, at(run, -1)?);
        Ok(())
    };
    behind(program, |n| if n > 0 { [n, 2 * (n - 1)] } else { [10, 8] });
}

#[test]
fn a_changed_element_changes_an_item_of_the_hosts() {
    let program = |run: &Run| {
        run.push(point(int(1), int(2)));
        run.push(point(int(3), int(4)));
        let xs = run.xs();
        let last = run.toy.staged(&int(1)).value;
        let leaves =
            objects::change_items(&run.toy, &xs, last, &point(run.n.clone(), int(0)), &[true, false])?;
        let x = |at: usize| leaves[at][0].clone().expect("it was changed");
        assert!(leaves.iter().all(|leaves| leaves[1].is_none()), "the other leaf was not");
        run.put(P, point(x(0), x(1)));
        Ok(())
    };
    behind(program, |n| [1, n]);
}

#[test]
fn an_object_that_a_list_holds_is_not_changed() {
    let reason = expect!["an object of a list is changed"];
    let before = |run: &Run| {
        run.push(run.get(P));
        grown(run)?;
        run.toy.assign(&instance(&run.get(P)), "x", int(5))
    };
    refused(before, reason);
    let inside = |run: &Run| {
        run.push(Value::Tuple(vec![run.get(P), int(1)]));
        settled(&run.toy, &run.xs())?;
        run.toy.assign(&instance(&run.get(P)), "x", int(5))
    };
    refused(inside, expect!["an object of a list is changed"]);
}

#[test]
fn an_object_made_of_an_element_is_not_changed() {
    let program = |run: &Run| {
        grown(run)?;
        run.toy.assign(&instance(&at(run, 0)?), "x", int(5))
    };
    refused(program, expect!["an object of a list is changed"]);
}

#[test]
fn an_object_is_changed_before_a_list_holds_it() {
    let program = |run: &Run| {
        run.toy.assign(&instance(&run.get(P)), "x", int(5))?;
        run.push(run.get(P));
        grown(run)?;
        run.put(P, at(run, 0)?);
        Ok(())
    };
    behind(program, |_| [5, 2]);
}

#[test]
fn lists_of_objects_are_not_compared() {
    let one = |run: &Run| {
        run.push(run.get(P));
        grown(run)
    };
    let asks: [fn(&Run) -> Done; 6] = [
        |run| objects::contains(&run.toy, &run.xs(), &run.get(P)).map(drop),
        |run| objects::count(&run.toy, &run.xs(), &run.get(P)).map(drop),
        |run| objects::find(&run.toy, &run.xs(), &run.get(P), &"nowhere".to_owned()).map(drop),
        |run| objects::equal(&run.toy, &run.xs(), &run.xs()).map(drop),
        |run| objects::sort(&run.toy, &run.xs(), false),
        |run| objects::place(&run.toy, &run.xs(), &run.get(P), false).map(drop),
    ];
    for ask in asks {
        refused(
            |run| {
                one(run)?;
                ask(run)
            },
            expect!["objects of a list in the graph are compared"],
        );
    }
}

#[test]
fn tuples_that_hold_objects_are_not_compared() {
    let program = |run: &Run| {
        let pair = |i: Value| Value::Tuple(vec![i, run.get(P)]);
        run.push(pair(int(1)));
        run.repeat(&|i| {
            run.push(pair(i));
            Ok(())
        })?;
        objects::contains(&run.toy, &run.xs(), &pair(int(1))).map(drop)
    };
    refused(program, expect!["objects of a list in the graph are compared"]);
}

#[test]
fn keys_of_a_dict_are_compared_and_objects_are_its_values() {
    let program = |run: &Run| {
        let pair = |i: Value| Value::Tuple(vec![i.clone(), point(i, int(1))]);
        run.push(pair(int(7)));
        run.repeat(&|i| {
            run.push(pair(i));
            Ok(())
        })?;
        let place = objects::place(&run.toy, &run.xs(), &int(7), true)?;
        let Value::Tuple(parts) = objects::get(&run.toy, &run.xs(), &place.expect("pairs").1)? else {
            panic!("it was a pair")
        };
        run.put(P, parts[1].clone());
        Ok(())
    };
    behind(program, |_| [7, 1]);
}

#[test]
fn own_equality_is_that_of_objects_alone() {
    let run = Run::new();
    let own = |value: &Value| run.toy.has_own_equality(&run.toy.open(value).expect("a value").0);
    assert!(!own(&int(1)) && !own(&Value::Tuple(vec![int(1), int(2)])));
    assert!(own(&run.get(P)) && own(&Value::Tuple(vec![int(1), run.get(Q)])));
}
