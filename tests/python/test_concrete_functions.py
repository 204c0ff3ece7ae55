"""Concrete functions: arguments of any number of axes, their variables; functions that run as plain Python."""

from __future__ import annotations

import contextlib
import gc
import linecache
import pickle
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import graphwright as gw

ANY = gw.TensorSpec(None, gw.float32)


def test_a_signature_may_leave_the_number_of_axes_open():
    @gw.function(input_signature=[ANY])
    def doubled(x):
        return x + x

    assert doubled(2).item() == 4
    assert doubled([1.0, 2.0]).tolist() == [2.0, 4.0]
    assert doubled([[1.0]]).tolist() == [[2.0]]
    assert doubled(np.ones((3, 3), np.float32)).shape == (3, 3)
    assert doubled.experimental_get_tracing_count() == 3
    assert doubled.get_concrete_function()(gw.ones([2, 2, 2])).shape == (2, 2, 2)
    with pytest.raises(TypeError, match="takes `float32` of shape <unknown>"):
        doubled(gw.constant(1))


def test_such_a_signature_admits_in_graphs_too():
    @gw.function(input_signature=[ANY])
    def total(x):
        return gw.reduce_sum(x)

    @gw.function
    def both(x):
        return total(x) + total([x, x])

    assert both(gw.constant(2.0)).item() == 6.0
    assert both(gw.constant([1.0, 2.0])).item() == 9.0


def test_a_concrete_function_of_any_number_of_axes():
    @gw.function
    def power(a, b):
        return a**b, gw.reduce_sum(a), gw.reshape(a, [-1])

    cube = power.get_concrete_function(a=ANY, b=3)
    assert cube.structured_input_signature == ((gw.TensorSpec(None, gw.float32, "a"), 3), {})
    assert [str(spec.shape) for spec in cube.structured_outputs] == ["<unknown>", "()", "(None,)"]
    for given in (2.0, [1.0, 2.0], [[[3.0]]]):
        raised, total, flat = cube(gw.constant(given))
        assert np.array_equal(raised, np.array(given) ** 3)
        assert total.item() == np.sum(given)
        assert flat.ndim == 1
    assert cube(a=gw.constant(2.0), b=3)[0].item() == 8.0
    for wrong in ((), (gw.constant(1.0), 2), (gw.constant(1),), (gw.constant(1.0), 3, 4)):
        with pytest.raises(TypeError):
            cube(*wrong)
    assert cube(gw.constant(2.0))[0].item() == 8.0


def test_structures_may_leave_numbers_of_axes_open():
    @gw.function
    def weighted(parts, bias):
        return gw.reduce_sum(parts["x"]) * parts["w"] + bias

    concrete = weighted.get_concrete_function({"x": ANY, "w": gw.TensorSpec([])}, bias=ANY)
    given = {"x": gw.constant([[1.0, 2.0]]), "w": gw.constant(2.0)}
    assert concrete(given, gw.constant(1.0)).item() == 7.0
    assert concrete(given, gw.constant([1.0, 2.0])).tolist() == [7.0, 8.0]
    assert concrete(gw.constant(3.0), gw.constant([1.0]), gw.constant([1.0])).tolist() == [4.0]


def test_a_function_that_takes_no_number_of_axes_says_why():
    @gw.function
    def refused(x):
        return x + gw.constant("text")

    with pytest.raises(TypeError, match="GW20"):
        refused.get_concrete_function(ANY)

    class Stop(BaseException):
        pass

    tried = []

    @gw.function
    def stopped(x):
        tried.append(x.shape)
        raise Stop

    with pytest.raises(Stop):
        stopped.get_concrete_function(ANY)
    assert len(tried) == 1

    @gw.function
    def rows(x):
        return x[0]

    assert rows.get_concrete_function(ANY)(gw.constant([[1.0, 2.0]])).tolist() == [1.0, 2.0]


def test_the_unknown_shape():
    shape = ANY.shape
    assert shape == gw.TensorShape(None) == pickle.loads(pickle.dumps(shape))
    assert shape != gw.TensorShape([]) and gw.TensorShape([None]) != shape
    assert (shape.rank, shape.num_elements(), shape.is_fully_defined()) == (None, None, False)
    assert (repr(shape), repr(ANY)) == (
        "TensorShape(None)",
        "TensorSpec(shape=<unknown>, dtype=float32, name=None)",
    )
    assert gw.TensorSpec(shape, gw.float32) == ANY != gw.TensorSpec([], gw.float32)
    for asked in (len, list, gw.TensorShape.as_list):
        with pytest.raises(ValueError, match="number of axes is not known"):
            asked(shape)


def test_concrete_functions_know_their_variables():
    kept = gw.Variable(1.0, name="kept")
    fixed = gw.Variable(2.0, trainable=False, name="fixed")
    argument = gw.Variable(3.0)

    @gw.function
    def total(v, x):
        kept.assign_add(x)
        return kept * fixed + v + x

    concrete = total.get_concrete_function(argument, gw.TensorSpec([]))
    assert [v is w for v, w in zip(concrete.variables, (kept, fixed), strict=True)] == [True, True]
    assert concrete.trainable_variables[0] is kept
    assert len(concrete.trainable_variables) == len(concrete.outputs) == 1
    assert "Captures:\n  VariableSpec(shape=(), dtype=float32, name='kept')" in str(concrete)


def test_a_variable_that_nobody_holds_any_more_is_found_all_the_same():
    class Owner:
        def __init__(self):
            self.state = gw.Variable(5.0)

    owner = Owner()

    @gw.function
    def read():
        return owner.state + 1.0

    concrete = read.get_concrete_function()
    owner = None
    gc.collect()
    (variable,) = concrete.variables
    assert variable.numpy() == 5.0


def test_functions_can_run_as_plain_python():
    seen = []

    @gw.function
    def f(x):
        seen.append(x.numpy().item())
        return x + 1

    with pytest.raises(TypeError, match="GW108"):
        f(gw.constant(1))
    gw.config.run_functions_eagerly(True)
    try:
        assert gw.config.functions_run_eagerly()
        assert [f(gw.constant(n)).item() for n in (1, 2)] == [2, 3]
    finally:
        gw.config.run_functions_eagerly(False)
    assert not gw.config.functions_run_eagerly()
    assert (seen, f.experimental_get_tracing_count()) == ([1, 2], 0)


def test_graphs_that_are_there_are_left_alone_meanwhile():
    seen = []

    @gw.function
    def f(x):
        seen.append(gw.executing_eagerly())
        return x

    f(gw.constant(1))
    gw.config.run_functions_eagerly(True)
    try:
        f(gw.constant(1))
    finally:
        gw.config.run_functions_eagerly(False)
    f(gw.constant(1))
    assert (seen, f.cache_info().hits) == ([False, True], 1)


def test_methods_can_run_as_plain_python():
    class Model:
        def __init__(self):
            self.calls = 0

        @gw.function
        def __call__(self, x):
            self.calls += 1
            return x

    model = Model()
    gw.config.run_functions_eagerly(True)
    try:
        model(gw.constant(1))
        model(gw.constant(1))
    finally:
        gw.config.run_functions_eagerly(False)
    assert model.calls == 2


@pytest.mark.parametrize("use", [lambda t: t.numpy(), float, bool, lambda t: t + 1, gw.reduce_sum])
def test_a_leaked_tensor_says_where_it_was_made(use):
    kept = []

    @gw.function
    def f(x):
        y = x * 3
        kept.append(SimpleNamespace(value=y))
        return y

    f(gw.constant(2))
    leaked = kept[0].value
    with pytest.raises(gw.errors.LeakedTensorError, match=r"(?s)GW111.*`f`.*y = x \* 3\n.*made here"):
        use(leaked)
    assert (leaked.dtype, leaked.shape) == (gw.int32, ())
    assert str(leaked) == f"{leaked}" == "<gw.Tensor: shape=(), dtype=int32, in the graph of `f`>"
    assert f(gw.constant(4)).item() == 12


def test_a_leaked_argument_is_named():
    kept = []

    @gw.function
    def f(x):
        kept.append(SimpleNamespace(value=x))
        return x

    f(gw.constant(2))
    with pytest.raises(gw.errors.LeakedTensorError, match="the argument `x` of the graph of `f`"):
        f(kept[0].value)


def test_classes_of_functions_take_parameters():
    from graphwright.types.experimental import BoundFunction, Function

    assert "Function[" in str(Function[[gw.Tensor], gw.Tensor])
    assert "BoundFunction[" in str(BoundFunction[[gw.Tensor], gw.Tensor])


@pytest.mark.parametrize("bad", [{1, 2}, object, [[gw.constant(1)], {"a": {3}}], print], ids=repr)
def test_arguments_of_any_kind_are_python_s(bad):
    @gw.function
    def f(x, thing):
        return x + (1 if thing is None else 2)

    assert f(gw.constant(1), bad).item() == 3
    assert f(gw.constant(1), None).item() == 2


def test_arguments_that_fit_no_parameter_are_python_s_error():
    @gw.function
    def f(x, *, y):
        return x + y

    for args, kwargs in (((1,), {}), ((1, 2), {}), ((1,), {"y": 1, "z": 2})):
        with pytest.raises(TypeError, match=r"f\(\)"):
            f(*args, **kwargs)
    assert f(1, y=2).item() == 3


def test_a_retrace_is_explained_by_what_the_call_found():
    class Counted:
        def __init__(self):
            self.calls = 0

        @gw.function
        def __call__(self, x):
            self.calls += 1
            return x

    counted = Counted()
    for _ in range(3):
        counted(gw.constant(1))
    found = [reason.split(":")[0] for reason in counted.__call__.explain_retraces()]
    assert (counted.calls, found) == (3, ["`self.calls` is 1, before 0", "`self.calls` is 2, before 1"])


def test_structures_without_end_are_refused():
    @gw.function
    def f(x):
        return x

    @gw.function
    def endless(x):
        found = [x]
        found.append(found)
        return found

    around, inside = [], {}
    around.append(around)
    inside["a"] = (1, inside)
    deep = 1
    for _ in range(5000):
        deep = [deep]
    for thing in (around, inside, deep):
        for call in (f, f.get_concrete_function):
            with pytest.raises(ValueError, match=r"(?s)GW204.*200 levels deep.*call\(thing\)"):
                call(thing)
    with pytest.raises(ValueError, match="GW204"):
        endless(1)
    assert f(3).item() == 3
    assert f([[[1]]])[0][0][0].item() == 1


def test_a_spec_is_no_argument_of_a_call():
    @gw.function
    def f(x):
        return x

    for _ in range(2):
        with pytest.raises(TypeError, match="GW301.*`TensorSpec`"):
            f([gw.TensorSpec([])])
        f([gw.constant(1.0)])


def test_a_trace_type_has_to_be_one():
    class Odd:
        def __tf_tracing_type__(self, context):
            return 5

    with pytest.raises(ValueError, match="GW204: `__tf_tracing_type__` of `Odd` gives 5"):
        gw.function(lambda x: 1)(Odd())


NAMES = """\
class Box:
    total = 0

def down(n, x):
    return x if n <= 0 else down(n - 1, x + 1)

def f(n, x):
    held = []
    for k in range(n):
        held.append(x + k)
    try:
        assert x > 0
        Box.total += x
    except AssertionError:
        held.append(down(n, x))
    held.append({last})
    return sum(held)
"""


@pytest.mark.parametrize("last", ["x", "x if x > 1 else Box"])
def test_a_function_goes_with_its_names(last):
    """Neither a graph that was built nor one that was refused keeps objects of the program or of the tracing."""
    text, file = NAMES.format(last=last), f"<a program that ends with {last}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {"__name__": "program"}
    exec(compile(text, file, "exec"), names)
    names["f"] = function = gw.function(names["f"])
    gc.collect()
    before = sum(isinstance(thing, gw.Tensor) for thing in gc.get_objects())
    for x in (2, -2):
        refused = contextlib.nullcontext() if last == "x" else pytest.raises(ValueError, match="GW103")
        with refused:
            function(gw.constant(3), gw.constant(x))
    program = weakref.ref(names["Box"])
    assert program() is not None
    del names, function, refused
    gc.collect()
    assert program() is None
    assert sum(isinstance(thing, gw.Tensor) for thing in gc.get_objects()) == before
