"""Variables: eager, in graphs, carried by branches and loops, made on the first call, as arguments, in modules."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import graphwright as gw
from three_ways import printed


def test_a_variable_does_what_its_tensor_does():
    v = gw.Variable([1.0, 2.0], name="w")
    assert (v.dtype, v.shape.as_list(), v.ndim, v.name, v.trainable) == (gw.float32, [2], 1, "w:0", True)
    assert (v + 1).numpy().tolist() == [2, 3]
    assert (1 - v).numpy().tolist() == [0, -1]
    assert v[1].item() == 2
    assert (v == [1.0, 3.0]).numpy().tolist() == [True, False]
    assert gw.reduce_sum(v).item() == np.sum(v) == 3
    assert [row.item() for row in v] == [1, 2]
    assert len(v) == 2
    assert "numpy=array([1., 2.]" in repr(v)


def test_assignments_give_the_variable_and_keep_its_type():
    v = gw.Variable(1)
    assert v.assign(5) is v
    assert v.assign_add(2) is v
    assert v.assign_sub(3).numpy() == 4
    with pytest.raises(ValueError, match="GW304: `Variable_.*` is `int32` of shape"):
        v.assign(1.5)
    with pytest.raises(ValueError, match="GW304"):
        v.assign([1, 2])
    assert v.numpy() == 4


def test_initial_values_may_be_made_by_a_function():
    assert gw.Variable(lambda: gw.ones([2]), dtype=gw.float64).dtype is gw.float64
    assert gw.Variable(gw.Variable(3)).numpy() == 3
    with pytest.raises(ValueError, match="initial value"):
        gw.Variable()


def test_copies_and_pickles_are_variables_of_their_own():
    v = gw.Variable([1.0])
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        other.assign([2.0])
    assert v.numpy().tolist() == [1.0]


def test_a_graph_reads_and_assigns_in_program_order():
    v, w = gw.Variable(1.0), gw.Variable(10.0)

    @gw.function
    def function(x):
        before = v + 0.0
        v.assign(w * x)
        w.assign_add(v)
        v.assign_sub(1.0)
        return before, v

    before, after = function(gw.constant(2.0))
    assert (before.item(), after.item(), v.numpy(), w.numpy()) == (1, 19, 19, 30)
    function(gw.constant(0.0))
    assert (v.numpy(), w.numpy()) == (-1, 30)
    assert function.experimental_get_tracing_count() == 1


def test_what_eager_code_assigns_the_graph_sees():
    v = gw.Variable(1)

    @gw.function
    def function():
        return v + 1

    assert function().item() == 2
    v.assign(100)
    assert function().item() == 101


def test_branches_and_loops_carry_variables():
    w, k = gw.Variable(0.0), gw.Variable(5, dtype=gw.int64)

    def program(x, w, k):
        if x > 0.0:
            w.assign_add(x)
        else:
            w.assign(-1.0)
        i = 0
        while i < k:
            w.assign_add(1.0)
            i += 1
            if w > 100.0:
                k.assign(0)
        for j in gw.range(3):
            k.assign_add(gw.cast(j, gw.int64))
        return w.assign_add(0.5) if x > 2.0 else w

    eager_w, eager_k = gw.Variable(0.0), gw.Variable(5, dtype=gw.int64)

    @gw.function
    def function(x):
        return program(x, w, k)

    for x in (2.0, -2.0, 200.0):
        ours = function(gw.constant(x))
        native = program(gw.constant(x), eager_w, eager_k)
        assert ours.item() == native.numpy()
        assert (w.numpy(), k.numpy()) == (eager_w.numpy(), eager_k.numpy())
    assert function.experimental_get_tracing_count() == 1


def test_a_branch_that_is_not_taken_assigns_nothing():
    v = gw.Variable(1)

    @gw.function
    def function(x):
        if x > 0:
            gw.print("taken", x)
            v.assign_add(1)

    _, text = printed(lambda: [function(gw.constant(x)) for x in (1, -1, 2)])
    assert text == "taken 1\ntaken 2\n"
    assert v.numpy() == 3


def test_an_assignment_whose_value_nobody_reads_still_happens():
    v = gw.Variable(0)

    @gw.function
    def function():
        v.assign_add(1)

    for _ in range(3):
        assert function() is None
    assert v.numpy() == 3


def test_what_was_assigned_before_an_error_stands():
    v = gw.Variable(0)

    @gw.function
    def function(x):
        v.assign(x)
        assert x < 5
        v.assign_add(1)
        return v

    function(gw.constant(3))
    assert v.numpy() == 4
    with pytest.raises(AssertionError):
        function(gw.constant(7))
    assert v.numpy() == 7
    assert function(gw.constant(4)).item() == 5


class Counter(gw.Module):
    def __init__(self):
        super().__init__()
        self.count = None

    @gw.function
    def __call__(self):
        if self.count is None:
            self.count = gw.Variable(0)
        return self.count.assign_add(1)


def test_a_function_may_make_a_variable_on_its_first_call():
    first, second = Counter(), Counter()
    assert [first().item(), first().item(), second().item(), first().item()] == [1, 2, 1, 3]


def test_initial_values_in_a_graph_are_worked_out_at_once():
    class Layer:
        w = None

        @gw.function
        def __call__(self, x):
            if self.w is None:
                self.w = gw.Variable(gw.ones([3, 2]) * 2.0)
            return x @ self.w

    layer = Layer()
    assert layer(gw.ones([1, 3])).numpy().tolist() == [[6, 6]]
    assert layer.w.numpy().tolist() == [[2, 2]] * 3


def test_a_variable_made_at_each_call_is_refused():
    @gw.function
    def function(x):
        v = gw.Variable(1.0)
        return v + x

    with pytest.raises(ValueError, match="GW305: `function` makes a variable each time") as refused:
        function(gw.constant(1.0))
    assert "v = gw.Variable(1.0)" in str(refused.value)


def test_variables_as_arguments_count_by_type():
    @gw.function
    def exchange(a, b):
        old = a + 0.0
        a.assign(b)
        b.assign(old)
        return a - b

    x, y, z = gw.Variable(1.0), gw.Variable(2.0), gw.Variable(3.0)
    assert exchange(x, y).item() == 1
    assert exchange(y, z).item() == 2
    assert (x.numpy(), y.numpy(), z.numpy()) == (2, 3, 1)
    assert exchange.experimental_get_tracing_count() == 1
    assert exchange(x, x).item() == 0
    assert (x.numpy(), exchange.experimental_get_tracing_count()) == (2, 2)


def test_a_variable_that_is_argument_and_captured_is_one():
    v, w = gw.Variable(1.0), gw.Variable(10.0)

    @gw.function
    def function(a):
        a.assign_add(1.0)
        return v * 100.0 + a

    assert function(w).item() == 111
    assert function(v).item() == 202
    assert function(w).item() == 212
    assert function(v).item() == 303


def test_structures_of_variables_are_arguments():
    @gw.function
    def step(params, rate):
        for p in params["layers"]:
            p.assign_sub(p * rate)

    params = {"layers": [gw.Variable(2.0), gw.Variable([4.0])]}
    step(params, gw.constant(0.5))
    assert [p.numpy().tolist() for p in params["layers"]] == [1.0, [2.0]]


def test_lengths_that_may_change():
    v = gw.Variable([1.0], shape=[None])

    @gw.function
    def grow():
        v.assign(gw.concat([v, v], 0))
        return gw.reduce_sum(v)

    assert [grow().item() for _ in range(3)] == [2, 4, 8]
    assert v.shape.as_list() == [None]
    assert v.numpy().shape == (8,)


def test_modules_know_their_variables():
    class Dense(gw.Module):
        def __init__(self, n):
            super().__init__(name=f"dense{n}")
            self.w = gw.Variable([1.0] * n)
            self.steps = gw.Variable(0, trainable=False)

    class Model(gw.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(1), {"second": Dense(2)}]
            self.again = self.layers[0].w

    model = Model()
    assert model.name == "model"
    assert [m.name for m in model.submodules] == ["dense1", "dense2"]
    assert len(model.variables) == 4
    assert sorted(len(v.numpy()) for v in model.trainable_variables) == [1, 2]
    assert [v.numpy() for v in model.non_trainable_variables] == [0, 0]


def test_init_scope_leaves_the_graph():
    seen = []

    @gw.function
    def function(x):
        with gw.init_scope():
            seen.append((gw.executing_eagerly(), (gw.constant(1) + 1).numpy()))
        seen.append(gw.executing_eagerly())
        return x

    function(1)
    function(1)
    assert seen == [(True, 2), False]


def test_variables_go_with_what_holds_them():
    v = gw.Variable(1.0)
    ref = weakref.ref(v)
    functions = [gw.function((lambda held: lambda: held + 1)(v))]
    functions[0]()
    del v, functions[0]
    gc.collect()
    assert ref() is None
