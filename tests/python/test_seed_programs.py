"""Programs in the manner of `tf.autograph`'s own guide and of a talk on its internals, with `gw` in the place of `tf`.

What TensorFlow says it does is done; what it says it cannot do is done, or refused at the user's line.
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import graphwright as tf
from three_ways import check

pytestmark = pytest.mark.usefixtures("same_graphs")


def graph(function, *args):
    """The text of a function's graph."""
    return str(tf.function(function).get_concrete_function(*args).graph)


def test_what_is_no_tensor_is_a_constant():
    def scaled(x):
        kind = 1
        return 3 * x if kind > 0 else 5 * x

    check(scaled, 2.0)
    assert "cond" not in graph(scaled, tf.constant(2.0))


def test_a_break_ends_the_loop_when_it_is_reached():
    def reached(limit):
        n = 0
        while n < 10**12:
            n += 1
            if n == limit:
                break
        return n

    check(reached, 1000)


def test_what_a_loop_changes_and_needs_flows_and_nothing_else():
    def countdown(a):
        b = 7
        c = 3
        while a > 0:
            c = a * 2
            a = a - b
        return a

    check(countdown, 30)
    assert graph(countdown, tf.constant(30)).count("while") == 1


def test_a_name_that_is_changed_in_a_branch():
    def bumped(x):
        if x > 0:
            x += 1
        return x

    check(bumped, 1)
    check(bumped, -1)


class Account:
    def __init__(self, a):
        self.a = a


def test_attributes_flow_through_branches_and_loops():
    def settle(x):
        account = Account(x)
        if account.a < 0:
            account.a = -account.a
        while account.a < 100:
            account.a = account.a * 3
        return account.a

    check(settle, -2)
    check(settle, 200)


def test_a_property_is_set_as_often_as_in_python():
    class Loud:
        def __init__(self):
            self.sets = []

        @property
        def a(self):
            return self.sets[-1] if self.sets else 0

        @a.setter
        def a(self, value):
            self.sets.append(value)

    def fill(n):
        loud = Loud()
        while loud.a < n:
            loud.a += 2
        return tuple(loud.sets)

    assert tf.autograph.to_graph(fill)(5) == fill(5) == (2, 4, 6)


def test_a_staged_branch_prints_when_it_is_taken(capsys):
    @tf.function
    def trace(flag, known):
        print("start")
        if flag:
            print("yes")
        else:
            print("no")
        if known:
            print("known")
        else:
            print("unknown")
        return 1

    trace(tf.constant(True), True)
    assert capsys.readouterr().out.split() == ["start", "known", "yes"]


def test_a_number_changed_in_the_graph_is_a_tensor():
    @tf.function
    def f(x):
        i = 0
        before = tf.is_tensor(i)
        if tf.greater(x, 0):
            i = 1
        return i, (before, tf.is_tensor(i))

    value, seen = f(tf.constant(4))
    assert int(value) == 1
    assert seen == (False, True)


def test_numpy_conditions_are_pythons():
    def f(x):
        n = np.float64(0.25)
        while n < 4:
            n = n * 2
            x = x + 1
        return x

    check(f, 1)
    assert "while" not in graph(f, tf.constant(1))


def test_lists_are_unrolled_and_stacks_are_loops(capfd):
    def listed():
        for i in [tf.constant(1), tf.constant(2), tf.constant(3)]:
            tf.print(i)
        return 0

    def stacked():
        for i in tf.stack([tf.constant(1), tf.constant(2), tf.constant(3)]):
            tf.print(i)
        return 0

    assert (graph(listed).count("print"), graph(stacked).count("print")) == (3, 1)
    tf.function(listed)()
    tf.function(stacked)()
    captured = capfd.readouterr()
    assert (captured.out + captured.err).split() == ["1", "2", "3"] * 2


def test_rows_and_ranges(capfd):
    @tf.function
    def show():
        for row in tf.constant(((1, 2), (3, 4))):
            tf.print("row:", row)
        for i in tf.range(3):
            tf.print("i:", i)
        return 0

    show()
    captured = capfd.readouterr()
    shown = (captured.out + captured.err).splitlines()
    assert shown == ["row: [1 2]", "row: [3 4]", "i: 0", "i: 1", "i: 2"]


def test_a_condition_that_becomes_a_tensor():
    def f(x):
        i = 0
        while i < 10:
            i = x + i
        return i

    check(f, 3)


def test_a_tensor_breaks_an_endless_python_loop():
    def countdown(x):
        while True:
            if x == 0:
                break
            x -= 1
        return x

    check(countdown, 5)


def test_continue_is_local_to_its_loop():
    def odd(n):
        total = 0
        for i in range(n):
            if i % 2 == 0:
                continue
            total += i
        return total

    check(odd, 8)


def test_return_leaves_loops():
    def f(n):
        i = 0
        while i < n:
            if i * i > 50:
                return i
            i += 1
        return -1

    check(f, 100)
    check(f, 3)


@pytest.mark.parametrize("x", [1.0, -1.0])
def test_a_return_in_one_branch_only(x):
    def f(x):
        if x > 0:
            return 1

    check(f, x)


def test_a_name_of_one_branch():
    def f(x):
        if x > 0:
            y = x * 2
        return y

    check(f, 2.0)
    check(f, -2.0)


def test_a_name_that_is_local_to_a_branch_needs_no_value_elsewhere():
    def f(x):
        if x > 0:
            local = x * 2
            x = local + 1
        return x

    check(f, 2.0)
    check(f, -2.0)


def test_an_attribute_of_one_branch():
    def f(x):
        account = Account(0)
        if x > 0:
            account.extra = x
        return x

    refusal = check(f, 2.0, refusal=True)
    assert "account.extra" in refusal


def test_what_is_given_a_value_early_is_never_in_doubt():
    def f(x):
        y = 0.0
        found = False
        if x > 0:
            y = x
            found = True
        return y if found else -1.0

    check(f, 2.0)
    check(f, -2.0)


def test_a_mutation_that_a_method_hides():
    class Hidden:
        def __init__(self):
            self.a = 0.0

        def change(self, x):
            self.a = x

    def f(x):
        hidden = Hidden()
        if x > 0:
            hidden.change(x)
        return hidden.a

    check(f, 2.0)
    check(f, -2.0)


def test_a_method_that_returns_what_is_new():
    class Open:
        def __init__(self):
            self.a = 0.0

        def changed(self, x):
            return self.a + x

    def f(x):
        thing = Open()
        if x > 0:
            thing.a = thing.changed(x)
        return thing.a

    check(f, 2.0)
    check(f, -2.0)


def test_lists_grow_in_python_loops_and_in_the_graph():
    def python(x):
        out = []
        for i in range(3):
            out.append(x * i)
        return out

    def staged(x):
        out = []
        for i in tf.range(x):
            out.append(i)
        return out

    check(python, 2)
    assert [item.item() for item in tf.function(staged)(tf.constant(3))] == [0, 1, 2]


def test_exceptions_in_python_flow():
    def f(x):
        items = iter([1, 2])
        total = x
        try:
            while True:
                total += next(items)
        except StopIteration:
            total = -total
        return total

    check(f, 5)


def test_a_caught_exception_of_a_branch_in_the_graph():
    def f(x):
        try:
            if x > 0:
                raise KeyError("k")
        except KeyError:
            return 1
        return 0

    check(f, 1)
    check(f, -1)


def test_a_shape_that_a_loop_changes():
    @tf.function
    def grown(n):
        a = tf.constant([1.0])
        for _ in tf.range(n):
            a = tf.concat([a, tf.constant([2.0])], 0)
        return a

    assert grown(tf.constant(3)).tolist() == [1.0, 2.0, 2.0, 2.0]


def test_a_dtype_that_a_loop_changes_names_the_variable(strict_promotion):
    @tf.function
    def f(n):
        a = tf.constant(1)
        while n > 0:
            a = tf.constant(1.5)
            n -= 1
        return a

    with pytest.raises(TypeError, match="GW102: `a`"):
        f(tf.constant(2))


class Refused(Exception):
    def __init__(self, code, reason):
        super().__init__(reason)
        self.code = code


def test_exceptions_keep_their_type_and_what_they_carry():
    @tf.function
    def f(x):
        if x.dtype == tf.float32:
            raise Refused(7, "no floats")
        return x

    with pytest.raises(Refused, match="no floats") as caught:
        f(tf.constant(1.0))
    assert caught.value.code == 7


def test_decorated_functions_are_converted_through_their_wrappers():
    def twice(function):
        @functools.wraps(function)
        def wrapper(x):
            return function(function(x))

        return wrapper

    @twice
    def bounded(x):
        if x > 10:
            return x - 10
        return x * 3

    check(bounded, 2)
    check(bounded, 15)


def test_recursion_over_structure():
    def total(tree):
        if isinstance(tree, (list, tuple)):
            return sum(total(branch) for branch in tree)
        return tree

    def f(x):
        return total([x, (x, [x, 1]), 2])

    check(f, 3)


def test_functions_that_are_not_to_be_converted():
    @tf.autograph.experimental.do_not_convert
    def left(x):
        return math.nan if x is None else x

    @tf.function(autograph=False)
    def unconverted(x):
        if x > 0:
            return x
        return -x

    def f(x):
        return left(x) + 1

    check(f, 3)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="GW106"):
        unconverted(tf.constant(1.0))


def test_the_lowered_code_can_be_read():
    def f(x):
        while x > 1:
            x = x / 2
        return x

    code = tf.autograph.to_code(f)
    assert "while_stmt" in code
    compile(code, "lowered", "exec")


def test_removing_the_decorator_changes_nothing():
    def f(x):
        total = x * 0
        for i in tf.range(4):
            if x > i:
                total += i
        return total

    for x in (0, 2, 9):
        assert int(f(tf.constant(x))) == int(tf.function(f)(tf.constant(x)))
        assert int(tf.autograph.to_graph(f)(tf.constant(x))) == int(f(tf.constant(x)))
