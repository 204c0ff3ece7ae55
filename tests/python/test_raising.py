"""Exceptions that the graph raises and catches: in three ways, and what the callers see."""

import traceback

import numpy as np
import pytest

import graphwright as gw
from three_ways import check

VALUES = np.array([1, 2, 3])


class Mine(Exception):
    pass


class Worth(ValueError):
    def __init__(self, text, amount):
        super().__init__(text)
        self.amount = amount


def raised_by_a_branch(x):
    try:
        if x < 0:
            raise ValueError("negative")
        result = x
    except ValueError:
        result = x * 0
    return result


def in_a_loop(values, n):
    total = bad = 0
    for i in range(n):
        try:
            total += values[i]
            if total > 5:
                raise KeyError("k")
        except (IndexError, KeyError):
            bad += 1
    return total, bad


def by_the_outer(x):
    try:
        try:
            if x > 3:
                raise Mine("m", x)
            y = x
        except ValueError:
            y = 0
    except Mine as error:
        y = error.args[1] * 2
    return y


def from_a_handler(x):
    try:
        if x <= 0:
            raise OverflowError(f"bad {x}")
        y = x
    except OverflowError as error:
        print("caught", error)
        raise ValueError("no") from error
    return y


def jumps(x):
    try:
        if x > 3:
            return x
        y = 10 // x
    except ZeroDivisionError:
        return -1
    return y


def finally_inside(x):
    try:
        try:
            y = 10 // x
        finally:
            print("inner")
    except ZeroDivisionError as error:
        print("got", type(error).__name__)
        y = -1
    return y


def attributes(x):
    try:
        if x > 1:
            raise Worth("a", x)
        elif x < -1:
            raise Worth("b", x * 2)
        y = 0
    except Worth as error:
        y = error.amount
    return y


def changed_before(x):
    try:
        if x > 0:
            y = x + 1
            raise ValueError("k")
        y = x
    except ValueError:
        y = y + 10
    return y


def stores(values, k):
    total = 0
    x = values * 1
    try:
        x[k] = 5
        total += x[k + 1]
    except IndexError:
        total += x[0] + 100
    return total, x


def deep(x):
    if x > 2:
        raise Mine("deep")
    return x


def from_a_callee(x):
    result = 0
    try:
        result = 1
        result += deep(x)
        result += deep(x + 1)
    except Mine:
        result *= -1
    else:
        result += 50
    return result


def texts(x):
    try:
        if x <= 0:
            raise OverflowError(f"x is {x}")
    except OverflowError as error:
        print(str(error), f"<{error}>", error)
        x = x * 0
    return x


def while_test(x):
    count = 0
    try:
        while 10 // (x - count) > 0:
            count += 1
    except ZeroDivisionError:
        count += 100
    return count


def raises_in_finally(x):
    try:
        try:
            y = 10 // x
        finally:
            if x > 5:
                raise KeyError("f")
    except (KeyError, ZeroDivisionError):
        y = -3
    return y


def else_raises(x):
    try:
        try:
            y = x
        except ValueError:
            y = -1
        else:
            if x > 0:
                raise ValueError("else")
    except ValueError:
        y = -2
    return y


@pytest.mark.parametrize(
    ("function", "all_args"),
    [
        (raised_by_a_branch, [(1,), (-1,)]),
        (in_a_loop, [(VALUES, n) for n in (0, 2, 3, 5)]),
        (by_the_outer, [(1,), (5,)]),
        (from_a_handler, [(1,), (-5,)]),
        (jumps, [(5,), (2,), (0,)]),
        (finally_inside, [(0,), (3,)]),
        (attributes, [(-5,), (0,), (5,)]),
        (changed_before, [(1,), (-1,)]),
        (stores, [(VALUES, k) for k in (0, 1, 2, 3, -3)]),
        (from_a_callee, [(0,), (2,), (3,)]),
        (texts, [(1,), (-1,)]),
        (while_test, [(3,), (20,)]),
        (raises_in_finally, [(0,), (2,), (7,)]),
        (else_raises, [(1,), (-1,)]),
    ],
)
def test_three_ways(function, all_args):
    for args in all_args:
        check(function, *args)


def test_an_exception_of_ones_own_leaves_the_function_as_itself():
    @gw.function
    def f(x):
        if x < 0:
            raise Worth(f"too little: {x}", x * 2)
        return x

    assert f(gw.constant(3)).item() == 3
    with pytest.raises(Worth, match="^too little: -4$") as caught:
        f(gw.constant(-4))
    assert caught.value.amount.item() == -8
    with pytest.raises(Worth, match="^too little: -5$") as again:
        f(gw.constant(-5))
    assert again.value is not caught.value and caught.value.amount.item() == -8
    assert f.experimental_get_tracing_count() == 1
    lines = [entry.line for entry in traceback.extract_tb(caught.value.__traceback__)]
    assert lines[-1] == 'raise Worth(f"too little: {x}", x * 2)'


def test_a_cause_goes_with_it():
    @gw.function
    def f(x):
        try:
            assert x > 0, f"{x} is not positive"
        except AssertionError as error:
            raise RuntimeError("no") from error
        return x

    with pytest.raises(RuntimeError, match="^no$") as caught:
        f(gw.constant(-4))
    assert isinstance(caught.value.__cause__, AssertionError)
    assert str(caught.value.__cause__) == "-4 is not positive"


def test_what_was_done_before_stands():
    total = gw.Variable(0)

    class Account:
        def __init__(self):
            self.calls, self.sum = 0, 0

        def add(self, x):
            self.calls += 1
            self.sum = self.sum + x[0]
            total.assign_add(1)
            x[0] = 7
            if x[1] < 0:
                raise ValueError("negative")
            self.sum = self.sum * 2
            x[2] = 60 // x[1]

    account = Account()
    add = gw.function(account.add)
    for values, error, calls, stored, after in [
        ([1, 2, 3], None, 1, 2, [7, 2, 30]),
        ([1, -2, 3], ValueError, 2, 3, [7, -2, 3]),
        ([1, 0, 3], ZeroDivisionError, 3, 8, [7, 0, 3]),
    ]:
        x = np.array(values)
        if error is None:
            add(x)
        else:
            with pytest.raises(error):
                add(x)
        assert x.tolist() == after
        assert (int(account.calls), int(account.sum)) == (calls, stored)
        assert total.numpy() == calls


def test_a_body_that_cannot_fail_leaves_nothing_in_the_graph():
    @gw.function
    def f(x):
        order = []
        try:
            order.append(1)
            y = x * 2
        except ValueError:
            y = x
        else:
            order.append(2)
        finally:
            order.append(3)
        assert order == [1, 2, 3]
        return y

    assert "try" not in str(f.get_concrete_function(gw.TensorSpec([], gw.float64)).graph)


def test_print_in_a_body_is_printed_once(capsys):
    @gw.function
    def f(x):
        try:
            print("in the body")
            y = 10 // x
        except ZeroDivisionError:
            y = x
        return y

    f(gw.constant(2))
    assert capsys.readouterr().out == "in the body\n"
    f(gw.constant(0))
    assert capsys.readouterr().out == "in the body\n"


def test_what_a_function_of_the_graph_raises_is_caught_where_it_is_called():
    def down(n):
        assert n >= 0
        return n if n == 0 else down(n - 1)

    def f(n):
        try:
            return down(n)
        except AssertionError:
            return -1

    def within(n, k):
        q = 10 // k
        if n == 0:
            return q
        try:
            return within(n - 1, k - 1)
        except ZeroDivisionError:
            return -1

    def behind(n, k):
        if n == 0:
            return k
        try:
            r = behind(n - 1, k - 1)
        except ZeroDivisionError:
            return -1
        return r + 10 // k

    def always(n, k):
        try:
            return within(n, k)
        finally:
            print("left")

    check(f, 3)
    check(f, -3)
    for function in (within, behind, always):
        for n, k in [(3, 2), (3, 5), (1, 0), (0, 0), (0, 1)]:
            check(function, n, k)


def test_each_of_two_ways_out_raises_its_own():
    def f(a, c):
        steps = 0
        try:
            if c:
                raise KeyError("c")
            steps = 10 // a
        finally:
            print("left")
        return steps

    for a in (0, 2):
        for c in (0, 1):
            check(f, a, c)
