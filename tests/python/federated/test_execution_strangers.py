"""Findings of a stranger: stores into parameters, signs of zeros, exceptions with values of the graph."""

import itertools
import traceback

import numpy as np
import pytest

import federated_strangers
import graphwright.federated as tff

VECTOR = tff.TensorType(np.float32, [2])
CONTEXTS = {
    "local": tff.framework.local_executor_factory(),
    "reference": tff.framework.reference_executor_factory(),
    "composing": tff.framework.composing_executor_factory(2),
}


@pytest.fixture(params=CONTEXTS)
def context(request):
    with tff.framework.get_context_stack().install(
        tff.framework.SyncExecutionContext(CONTEXTS[request.param])
    ):
        yield request.param


@tff.graph_computation(VECTOR)
def stepped(w):
    for _ in range(2):
        w[0] = w[0] + 1.0
    return w


@tff.graph_computation(VECTOR)
def summed(w):
    return w[0] + w[1]


def values(result):
    return [np.asarray(part).tolist() for part in result]


def test_stores_into_a_parameter_stay_in_the_function(context):
    @tff.federated_computation(tff.FederatedType(VECTOR, tff.SERVER))
    def three(w):
        return tff.federated_map(stepped, w), tff.federated_map(summed, w), tff.federated_map(stepped, w)

    given = np.zeros(2, np.float32)
    assert values(three(given)) == [[2, 0], 0, [2, 0]]
    assert given.tolist() == [0, 0]
    given.flags.writeable = False
    assert values(three(given)) == [[2, 0], 0, [2, 0]]


def test_stores_at_clients_do_not_reach_what_was_broadcast(context):
    @tff.federated_computation(tff.FederatedType(VECTOR, tff.SERVER), tff.FederatedType(VECTOR, tff.CLIENTS))
    def moved(w, x):
        sent = tff.federated_broadcast(w)
        return (
            tff.federated_map(stepped, w),
            sent,
            tff.federated_sum(tff.federated_map(summed, sent)),
            tff.federated_map(stepped, x),
            x,
        )

    start, ones = np.zeros(2, np.float32), [np.ones(2, np.float32), np.zeros(2, np.float32)]
    here, sent, total, there, same = moved(start, ones)
    assert values([here, sent, total]) == [[2, 0], [0, 0], 0]
    assert (values(there), values(same)) == ([[3, 1], [2, 0]], [[1, 1], [0, 0]])
    assert values([start, *ones]) == [[0, 0], [1, 1], [0, 0]]


def test_states_of_a_process_are_not_changed_by_the_next_round(context):
    start = tff.graph_computation(lambda: np.zeros(2, np.float32))
    initialize = tff.federated_computation(lambda: tff.federated_eval(start, tff.SERVER))
    following = tff.federated_computation(
        lambda state: tff.federated_map(stepped, state), tff.FederatedType(VECTOR, tff.SERVER)
    )
    process = tff.templates.IterativeProcess(initialize, following)
    first = process.initialize()
    second = process.next(first)
    third = process.next(second)
    assert values([first, second, third]) == [[0, 0], [2, 0], [4, 0]]


def test_extremes_have_the_sign_of_the_first_zero_in_each_context():
    @tff.federated_computation(tff.FederatedType(np.float64, tff.CLIENTS))
    def extremes(x):
        return tff.federated_max(x), tff.federated_min(x)

    for case in itertools.product((0.0, -0.0, -1.0, float("nan")), repeat=3):
        found = set()
        for factory in CONTEXTS.values():
            context = tff.framework.SyncExecutionContext(factory)
            with tff.framework.get_context_stack().install(context):
                found.add(repr([float(one) for one in extremes(list(case))]))
        assert len(found) == 1, (case, found)


@pytest.mark.parametrize("fold", [False, True])
@pytest.mark.parametrize("clients", [[2], [1, 2], [1, 1, 2, 2]])
def test_an_exception_has_its_values_and_line_under_a_loop_over_clients(context, fold, clients):
    @tff.graph_computation(np.int32)
    def refused(x):
        if x == 2:
            raise KeyError("a", x)  # this line
        return x

    def run(x):
        mapped = tff.federated_map(refused, x)
        return tff.federated_sum(mapped) if fold else mapped

    computation = tff.federated_computation(run, tff.FederatedType(np.int32, tff.CLIENTS))
    with pytest.raises(KeyError) as caught:
        computation(clients)
    assert caught.value.args[0] == "a"
    assert int(caught.value.args[1]) == 2
    assert caught.value.__notes__ == [f"client {clients.index(2)}"]
    assert "# this line" in traceback.extract_tb(caught.value.__traceback__)[-1].line


def test_a_key_error_of_one_text_has_its_line(context):
    @tff.graph_computation(np.int32)
    def refused(x):
        if x == 2:
            raise KeyError("no such")  # this line
        return x

    computation = tff.federated_computation(
        lambda x: tff.federated_map(refused, x), tff.FederatedType(np.int32, tff.CLIENTS)
    )
    with pytest.raises(KeyError, match="no such") as caught:
        computation([1, 2])
    assert "# this line" in traceback.extract_tb(caught.value.__traceback__)[-1].line


@pytest.mark.parametrize("seed", range(0, 120))
def test_programs_of_a_stranger_give_what_plain_python_gives(seed):
    contexts = [tff.framework.SyncExecutionContext(CONTEXTS["reference"])] if seed % 3 == 0 else []
    what, text, why, _ = federated_strangers.run(1_000 + seed, contexts)
    assert what == "ok", (why, text)


def test_what_is_returned_on_some_paths_is_said_in_the_users_words():
    with pytest.raises(
        ValueError, match=r"`nothing` defined on line \d+ of file .*strangers.py returned `None`"
    ):

        @tff.graph_computation(np.int32)
        def nothing(x):
            x + 1

    def sometimes(x):
        if x > 0:
            return 1

    def none_sometimes(x):
        if x > 0:
            return x
        return None

    for function in (sometimes, none_sometimes):
        with pytest.raises(TypeError, match=f"`{function.__name__}` returns a value on some paths only"):
            tff.graph_computation(function, np.int32)
