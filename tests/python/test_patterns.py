"""A call that is compared with the graphs of earlier calls gets the graph that its trace type says."""

import gc
import math

import numpy as np
import pytest

import graphwright as gw


def traces(function, calls):
    """How many graphs there are after each of these calls, and what they gave."""
    counts, answers = [], []
    for arguments in calls:
        answers.append(float(function(*arguments)))
        counts.append(function.experimental_get_tracing_count())
    return counts, answers


@gw.function
def scaled(x, by):
    return x * by


def test_numbers_count_by_type_and_value():
    x = gw.constant(2.0)
    function = gw.function(scaled.python_function)
    calls = [(x, 1), (x, True), (x, 1.0), (x, 1), (x, True), (x, 1.0), (x, 0.0), (x, -0.0), (x, 0.0)]
    counts, answers = traces(function, calls)
    assert counts == [1, 2, 3, 3, 3, 3, 4, 5, 5]
    assert answers == [2, 2, 2, 2, 2, 2, 0, 0, 0]
    assert [math.copysign(1, answers[k]) for k in (6, 7, 8)] == [1, -1, 1]


def test_nan_is_nan_and_great_numbers_are_equal():
    x = gw.constant(2.0)
    function = gw.function(scaled.python_function)
    for number in (float("nan"), 1e308 * 10, 12345):
        function(x, number)
    before = function.experimental_get_tracing_count()
    for number in (math.nan, float("inf"), int("12345")):
        function(x, number)
    assert function.experimental_get_tracing_count() == before


def test_defaults_and_keywords_are_one_call():
    @gw.function
    def shifted(x, by=2, *, sign=1):
        return x + by * sign

    @gw.function
    def plain(x, by=2, name="a"):
        return x + by

    x = gw.constant(1.0)
    assert [float(shifted(x)), float(shifted(x, 2)), float(shifted(x, sign=-1))] == [3, 3, -1]
    assert [float(plain(x)), float(plain(x, 2)), float(plain(x, by=2)), float(plain(by=2, x=x))] == [3] * 4
    assert plain.experimental_get_tracing_count() == 1
    assert float(plain(x, 3)) == 4
    assert float(plain(x)) == 3
    with pytest.raises(TypeError):
        plain()
    with pytest.raises(TypeError):
        plain(x, 2, "a", 4)


def test_structures_are_compared_item_by_item():
    @gw.function
    def difference(parts):
        return parts["b"] - parts["a"][0]

    one, two = gw.constant(1.0), gw.constant(2.0)
    calls = [
        ({"a": [one], "b": two},),
        ({"b": one, "a": [two]},),
        ({"a": (one,), "b": two},),
        ({"a": [one, one], "b": two},),
        ({"a": [one], "b": two, "c": one},),
        ({"a": [one], "b": 2.0},),
        ({"a": [one], "b": two},),
    ]
    counts, answers = traces(difference, calls)
    # Loops run over keys in their order, so another order is another graph.
    assert counts == [1, 2, 3, 4, 5, 6, 6]
    assert answers == [1, -1, 1, 1, 1, 1, 1]


def test_arrays_are_tensors_of_their_type():
    function = gw.function(lambda x: gw.reduce_sum(x * x))
    base = np.arange(12, dtype=np.float32).reshape(3, 4)
    for array in (base, gw.constant(base), base[:, ::2], base.T, base.astype(">f4"), base.astype(np.int64)):
        wanted = float((np.asarray(array).astype(np.float64) ** 2).sum())
        assert [float(function(array)), float(function(array))] == [wanted, wanted]
    assert function.experimental_get_tracing_count() == 4
    either = gw.function(lambda x: gw.reduce_any(x))
    assert [bool(either(a)) for a in (base > 99, base > 3, base.T > 99)] == [False, True, False]


def test_the_most_specific_graph_is_used():
    @gw.function(reduce_retracing=True)
    def total(x):
        return gw.reduce_sum(x) if None in x.shape.as_list() else gw.reduce_sum(x) * 100

    ones = [gw.constant([1.0] * n) for n in (2, 3, 4, 2, 3, 4, 2)]
    assert [float(total(x)) for x in ones] == [200, 3, 4, 200, 3, 4, 200]
    assert total.experimental_get_tracing_count() == 2


def test_signed_arguments_are_cast_and_refused():
    @gw.function(input_signature=[gw.TensorSpec([None], gw.float32), gw.TensorSpec([], gw.float32)])
    def scale(x, by):
        return gw.reduce_sum(x * by)

    for n in (1, 2, 3, 2):
        assert float(scale(gw.constant([1.0] * n), gw.constant(2.0))) == 2 * n
        assert float(scale(np.ones(n, np.float32), 2)) == 2 * n
    with pytest.raises(TypeError):
        scale(gw.constant([1.0]), gw.constant(2))
    with pytest.raises(TypeError):
        scale(gw.constant([[1.0]]), gw.constant(2.0))
    assert scale.experimental_get_tracing_count() == 1


def test_one_variable_given_twice_is_another_call():
    @gw.function
    def both(a, b):
        a.assign_add(1.0)
        return a + b

    one, two = gw.Variable(1.0), gw.Variable(10.0)
    assert float(both(one, two)) == 12
    assert float(both(one, one)) == 6
    assert float(both(two, one)) == 14
    assert float(both(one, one)) == 8
    assert both.experimental_get_tracing_count() == 2


def test_another_object_at_the_same_address_is_another():
    class Scale:
        def __init__(self, by):
            self.by = by

    @gw.function
    def scale(x, scale):
        return x * scale.by

    x = gw.constant(1.0)
    for by in range(50):
        assert float(scale(x, Scale(float(by)))) == by
    gc.collect()


def test_guards_see_what_python_sees():
    class Model:
        shift = 1.0

        def __init__(self):
            self.rate = 2.0

        @gw.function
        def step(self, x):
            return x * self.rate + self.shift

    model, x = Model(), gw.constant(1.0)
    assert float(model.step(x)) == 3
    model.rate = 3.0
    assert float(model.step(x)) == 4
    Model.shift = 5.0
    assert float(model.step(x)) == 8
    model.shift = 0.0
    assert float(model.step(x)) == 3
    del model.shift
    assert float(model.step(x)) == 8
    Model.rate = property(lambda self: 10.0, lambda self, value: None)
    assert float(model.step(x)) == 15
    model.rate = 2.0
    assert float(model.step(x)) == 15


def test_attributes_in_slots_are_guarded():
    class Model:
        __slots__ = ("__weakref__", "rate")

        @gw.function
        def step(self, x):
            return x * self.rate

    model, x = Model(), gw.constant(1.0)
    for rate in (2.0, 3.0, 2.0):
        model.rate = rate
        assert float(model.step(x)) == rate


def test_forgotten_graphs_are_not_run():
    rates = {"by": 2.0}
    function = gw.function(lambda x: x * rates["by"])
    x = gw.constant(1.0)
    assert float(function(x)) == 2
    rates["by"] = 3.0
    function.cache_clear()
    assert float(function(x)) == 3
    assert function.cache_info().currsize == 1
