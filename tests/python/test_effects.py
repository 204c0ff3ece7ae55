"""What a call of a graph leaves around its function: attributes, globals, items and closures as Python leaves them."""

import collections
import gc
import weakref

import pytest

import graphwright as gw
from three_ways import agree, plain

counted = 0
latest = None


class Model:
    made = 0

    def __init__(self):
        self.count = 0
        self.total = 0.0
        self.best = None
        self.status = ""
        self.pair = (0, 0.0)
        self.kinds = {"odd": 0, "even": 0}

    def step(self, x):
        self.count += 1
        self.total += x
        self.status = "stepped"
        self.pair = (self.count, x)
        self.kinds["odd"] += 1
        if self.best is None or x > self.best:
            self.best = x
        return x * self.count + self.total

    def steps(self, x):
        while x > 0.0:
            self.count += 2
            self.total += x
            x -= 1.0
        return self.count

    def make(self, x):
        Model.made += 1
        return x + Model.made


def state(model):
    return {name: plain(value) for name, value in vars(model).items()}


def compare(method, values):
    """Calls the method of two objects, one natively and one as a graph; gives how many graphs were needed."""
    native, ours = Model(), Model()
    graph = gw.function(method)
    for value in values:
        expected = method(native, value)
        found = graph(ours, gw.constant(value, gw.float64))
        assert agree(plain(found), expected)
        assert agree(state(ours), state(native)), (state(ours), state(native))
        same = {name for name, value in vars(native).items() if type(value) is int}
        assert {name for name, value in vars(ours).items() if type(value) is int} == same
    return graph.experimental_get_tracing_count()


@pytest.mark.parametrize("method", [Model.step, Model.steps], ids=lambda m: m.__name__)
def test_attributes_hold_what_python_would_leave_there(method):
    assert compare(method, [1.5, 3.0, 2.0, 0.5, 4.0, 1.0]) <= 3


def test_what_others_store_between_two_calls_is_seen():
    @gw.function
    def step(model, x):
        model.count += 1
        return x * model.count

    model = Model()
    for _ in range(4):
        step(model, gw.constant(1))
    assert model.count == 4
    model.count = 10
    assert step(model, gw.constant(2)).item() == 22
    model.count = 0.5
    assert step(model, gw.constant(2.0)).item() == 3.0
    assert model.count == 1.5
    model.count = True
    assert step(model, gw.constant(2)).item() == 4
    assert model.count == 2
    assert type(model.count) is int


def test_each_object_has_its_own():
    @gw.function
    def step(model, x):
        model.total = model.total + x
        return model.total

    a, b = Model(), Model()
    for k in range(5):
        step(a, gw.constant(1.0))
        step(b, gw.constant(float(k)))
    assert (a.total.item(), b.total.item()) == (5.0, 10.0)


def test_globals_and_class_attributes():
    @gw.function
    def step(x):
        global counted, latest
        counted += 2
        Model.made += 1
        latest = x * Model.made
        return latest

    try:
        for k in range(1, 6):
            assert step(gw.constant(3)).item() == 3 * k
            assert (counted, Model.made, latest.item()) == (2 * k, k, 3 * k)
        assert step.experimental_get_tracing_count() == 3
    finally:
        reset()


def reset():
    global counted, latest
    counted, latest, Model.made = 0, None, 0


def test_variables_of_closures():
    total = 0.0

    @gw.function
    def add(x):
        nonlocal total
        total += x
        return total

    for k in range(1, 6):
        assert add(gw.constant(2.0)).item() == 2.0 * k
        assert total.item() == 2.0 * k
    assert add.experimental_get_tracing_count() == 3


def test_a_number_that_the_graph_cannot_take_stays_a_guard():
    @gw.function
    def first(model, x):
        model.count += 1
        return x[: model.count]

    model = Model()
    x = gw.constant([1, 2, 3, 4, 5])
    for k in range(1, 6):
        assert first(model, x).shape == (k,)
    assert model.count == 5


def test_what_is_made_once_is_made_once():
    @gw.function
    def scaled(model, x):
        if model.best is None:
            model.best = 3.0
        return x * model.best

    model = Model()
    for _ in range(4):
        assert scaled(model, gw.constant(2.0)).item() == 6.0
    assert model.best == 3.0
    assert scaled.experimental_get_tracing_count() == 2


def test_a_store_is_made_by_each_call():
    @gw.function
    def label(model, x):
        model.status = "seen"
        return x

    model = Model()
    for _ in range(2):
        model.status = "new"
        label(model, gw.constant(1))
        assert model.status == "seen"
    assert label.experimental_get_tracing_count() == 1


def test_what_is_appended_is_appended_by_each_call():
    history, recent = [0.5], collections.deque(maxlen=2)

    @gw.function
    def remember(x):
        history.append(x * 2)
        recent.extend([x, x + 1])
        return x

    for k in range(4):
        remember(gw.constant(float(k)))
    assert plain(history) == [0.5, 0.0, 2.0, 4.0, 6.0]
    assert plain(list(recent)) == [3.0, 4.0]
    assert remember.experimental_get_tracing_count() <= 3


def test_items_of_a_list_are_stored_by_each_call():
    last = [0, 0.0, "text"]

    @gw.function
    def remember(x):
        last[1] = x + last[0]
        last[0] = x
        return sum(last[:2])

    native = [0, 0.0, "text"]
    for k in (1, 5, 2):
        native[1] = k + native[0]
        native[0] = k
        assert remember(gw.constant(k)).item() == sum(native[:2])
        assert plain(last) == native


def test_a_dict_gets_its_keys_once():
    cache = {}

    @gw.function
    def scaled(x):
        if "rate" not in cache:
            cache["rate"] = 2.0
        cache["latest"] = x * cache["rate"]
        return cache["latest"]

    for k in (1.0, 3.0, 2.0, 5.0):
        assert scaled(gw.constant(k)).item() == 2.0 * k
        assert plain(cache) == {"rate": 2.0, "latest": 2.0 * k}


def test_a_list_that_is_read_as_a_whole_is_looked_at_by_each_call():
    history = []

    @gw.function
    def mean(x):
        history.append(x)
        return sum(history) / len(history)

    assert [mean(gw.constant(x)).item() for x in (2.0, 4.0, 9.0)] == [2.0, 3.0, 5.0]


def test_a_failed_trace_leaves_no_tensor_of_the_graph_behind():
    @gw.function
    def fail(model, x):
        model.total += x
        model.count += 1
        raise KeyError("no")

    model = Model()
    with pytest.raises(KeyError, match="no"):
        fail(model, gw.constant(1.0))
    assert (model.total.item(), model.count) == (1.0, 1)


def test_a_call_that_is_traced_only_changes_nothing():
    model = Model()
    gw.function(Model.step).get_concrete_function(model, gw.TensorSpec([], gw.float64))
    assert state(model) == state(Model())


def test_an_object_may_go_although_a_graph_changes_it():
    class Kept:
        pass

    @gw.function
    def step(model, x):
        model.seen = x
        return x

    model = Kept()
    gone = weakref.ref(model)
    step(model, gw.constant(1.0))
    del model
    gc.collect()
    assert gone() is None


def test_python_stores_before_the_graph_raises():
    @gw.function
    def checked(model, x):
        model.count += 1
        if x < 0:
            raise ValueError("negative")
        return x

    model = Model()
    for value in (1, -1, 2, -2):
        if value < 0:
            with pytest.raises(ValueError, match="negative"):
                checked(model, gw.constant(value))
        else:
            checked(model, gw.constant(value))
    assert model.count == 4


def test_what_is_stored_before_the_graph_raises_stands():
    @gw.function
    def checked(model, x):
        model.total += x
        if x < 0:
            raise ValueError("negative")
        model.total *= 2
        return x

    model = Model()
    checked(model, gw.constant(1.0))
    assert model.total.item() == 2.0
    with pytest.raises(ValueError, match="^negative$"):
        checked(model, gw.constant(-5.0))
    assert model.total.item() == -3.0
