"""Bad input: the diagnostic, its place, and that nothing is left half-built."""

import collections
import traceback
from types import SimpleNamespace

import numpy as np
import pytest

import graphwright as gw


def usable(function, *args):
    """Whether a function works after a failed call of another kind."""
    return function(*args)


def test_a_failed_trace_leaves_the_cache_usable():
    @gw.function
    def f(x, fail):
        if fail:
            raise RuntimeError("no")
        return x + 1

    with pytest.raises(RuntimeError, match="no"):
        f(gw.constant(1), True)
    assert f.experimental_get_tracing_count() == 0
    assert f(gw.constant(1), False).item() == 2
    with pytest.raises(RuntimeError, match="no"):
        f(gw.constant(1), True)
    assert f.experimental_get_tracing_count() == 1


def test_an_exception_of_a_staged_branch_that_is_caught():
    """Which branch runs is not known while the graph is built: the graph decides whether the `except` does."""

    @gw.function
    def f(x):
        y = x
        try:
            if x > 0:
                y = x + 1
                raise ValueError("k")
        except ValueError:
            y = x + 10
        return y

    assert f(gw.constant(1)).item() == 11 and f(gw.constant(-1)).item() == -1
    assert f.experimental_get_tracing_count() == 1

    @gw.function
    def g(x):
        try:
            y = {}["k"]
        except KeyError:
            y = x + 10
        return y

    assert g(gw.constant(1)).item() == 11


def test_branch_types_clash(strict_promotion):
    @gw.function
    def f(x):
        if x > 0:
            y = x
        else:
            y = gw.cast(x, gw.float32)
        return y

    with pytest.raises(TypeError, match=r"(?s)GW101.*`y`.*int32.*float32.*test_errors.*if x > 0"):
        f(gw.constant(1))


def test_a_carry_changes_type(strict_promotion):
    @gw.function
    def f(x):
        while x < 10:
            x = x + 0.5
        return x

    with pytest.raises(TypeError, match=r"(?s)GW102.*`x`.*int32.*float32"):
        f(gw.constant(1))
    assert f(gw.constant(1.0)).item() == 10


def test_objects_differ_between_branches():
    @gw.function
    def f(x):
        if x > 0:
            steps = range(1)
        else:
            steps = range(2)
        return x if len(steps) == 1 else -x

    with pytest.raises(ValueError, match="GW103.*`steps`"):
        f(gw.constant(1))


def test_a_tensor_as_a_python_bool_in_unconverted_code():
    @gw.autograph.do_not_convert
    def helper(x):
        return 1 if x > 0 else 2

    @gw.function
    def f(x):
        return helper(x)

    with pytest.raises(gw.errors.OperatorNotAllowedInGraphError, match=r"(?s)GW106.*return 1 if x > 0"):
        f(gw.constant(1))


def test_autograph_off():
    @gw.function(autograph=False)
    def f(x):
        if x > 0:
            return x
        return -x

    with pytest.raises(TypeError, match="GW106"):
        f(gw.constant(1))


def test_wrong_dtypes_and_shapes_name_the_line(strict_promotion):
    @gw.function
    def f(x, y):
        z = x * 2
        return z + y

    with pytest.raises(TypeError, match=r"(?s)GW203.*return z \+ y"):
        f(gw.constant(1), gw.constant(1.0))
    with pytest.raises(ValueError, match=r"(?s)GW202.*return z \+ y"):
        f(gw.constant([1, 2]), gw.constant([1, 2, 3]))


def test_results_that_are_no_tensors():
    @gw.function
    def f(x):
        return x, object()

    with pytest.raises(TypeError, match="GW303"):
        f(gw.constant(1))


def test_leaked_tensors():
    kept = []

    @gw.function
    def f(x):
        kept.append(SimpleNamespace(value=x + 1))
        return x

    f(gw.constant(1))
    with pytest.raises(TypeError, match="GW111.*`f`"):
        kept[0].value + 1


def test_a_tensor_leaks_out_of_a_branch():
    @gw.function
    def f(x):
        kept = collections.deque()
        if x > 0:
            kept.append(x + 1)
        else:
            kept.append(x - 1)
        return kept[0]

    with pytest.raises((TypeError, ValueError), match="GW1"):
        f(gw.constant(1))


def test_no_source():
    scope = {}
    exec("def f(x):\n    return x + 1 if x > 0 else x\n", scope)
    with (
        pytest.raises(gw.errors.ConversionError, match="GW001"),
        pytest.warns(UserWarning, match="traced as it stands"),
    ):
        gw.function(scope["f"])(gw.constant(1))


def test_a_name_that_is_not_bound():
    @gw.function
    def f(x):
        if x > 0:
            y = x
        return y

    assert f(gw.constant(1)).item() == 1
    with pytest.raises(UnboundLocalError, match="'y'"):
        f(gw.constant(-1))


def test_an_attribute_bound_in_one_branch():
    class Box:
        pass

    def fill(box, x):
        if x > 0:
            box.y = 1
        return box.y

    with pytest.raises(ValueError, match=r"(?s)GW103.*`box.y`.*if x > 0"):
        gw.function(fill)(Box(), gw.constant(-1))
    box = Box()
    box.y = 7
    assert gw.function(fill)(box, gw.constant(-1)).item() == 7


def test_run_time_errors_name_the_users_line():
    @gw.function
    def f(x, i):
        y = x * 2
        return y[i] // x[0]

    assert f(gw.constant([2, 4]), gw.constant(1)).item() == 4
    with pytest.raises(IndexError, match="2") as index:
        f(gw.constant([2, 4]), gw.constant(2))
    with pytest.raises(ZeroDivisionError) as division:
        f(gw.constant([0, 4]), gw.constant(1))
    for caught in (index, division):
        last = traceback.extract_tb(caught.value.__traceback__)[-1]
        assert (last.filename, last.name, last.line) == (__file__, "f", "return y[i] // x[0]")


def test_assertions_fail_in_the_graph():
    @gw.function
    def f(x):
        assert x > 0, "must be positive"
        return x

    assert f(gw.constant(1)).item() == 1
    with pytest.raises(AssertionError, match="must be positive"):
        f(gw.constant(-1))


def test_exceptions_show_the_users_lines_and_nothing_of_ours():
    @gw.function
    def f(x):
        if x > 0:
            y = x + 1
            for _ in gw.range(3):
                y = y + undefined_name  # noqa: F821
        else:
            y = x
        return y

    with pytest.raises(NameError) as caught:
        f(gw.constant(1))
    frames = traceback.extract_tb(caught.tb)
    assert {frame.filename for frame in frames} == {__file__}
    assert [frame.name for frame in frames][1:] == ["f"]
    assert frames[-1].line == "y = y + undefined_name  # noqa: F821"
    shown = "".join(traceback.format_exception(caught.value))
    for word in ("get_state", "set_state", "body", "if_stmt", "gw__", "_native"):
        assert word not in shown.replace(__file__, "")


def test_exceptions_that_led_to_another_show_the_users_lines_alone():
    @gw.function
    def f(x):
        try:
            if x > 0:
                x = undefined_name  # noqa: F821
        except NameError as error:
            raise ValueError("wrapped") from error
        return x

    with pytest.raises(ValueError, match="wrapped") as caught:
        f(gw.constant(1))
    frames = traceback.extract_tb(caught.value.__cause__.__traceback__)
    assert [(frame.filename, frame.line) for frame in frames] == [
        (__file__, "x = undefined_name  # noqa: F821")
    ]


def test_the_eager_cache_survives_a_misfit():
    x = gw.constant(np.ones(3))
    for _ in range(2):
        with pytest.raises(ValueError, match="GW202"):
            x + gw.constant(np.ones(4))
        np.testing.assert_array_equal((x + x).numpy(), [2, 2, 2])
