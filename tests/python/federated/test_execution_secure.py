"""Secure sums: the aggregator sees masked values, whose sum is that of the clients' values."""

from __future__ import annotations

import numpy as np
import pytest

import graphwright.federated as tff
from federated_stacks import STACKS, called

INT = np.int32
MASKED = [name for name in STACKS if name != "reference"]
VALUES = [3, 0, 7, 7, 5, 0, 1, 2, 9, 4, 4, 4]
observe_aggregation = tff.framework.observe_aggregation


def clients(member):
    return tff.FederatedType(member, tff.CLIENTS)


@tff.federated_computation(clients(INT))
def sums(x):
    return tff.federated_sum(x), tff.federated_secure_sum(x, 9), tff.federated_secure_sum_bitwidth(x, 4)


def observed(computation, *args, stack="local"):
    """The result, and what the aggregator was shown by intrinsic, in client order."""
    seen = []
    with observe_aggregation(seen.append):
        result = called(stack, computation, *args)
    found = {}
    for one in seen:
        found.setdefault(one.uri, []).append((one.client, one.value))
    assert all([client for client, _ in shown] == list(range(len(shown))) for shown in found.values())
    return result, {uri: [value for _, value in shown] for uri, shown in found.items()}


@pytest.mark.parametrize("stack", MASKED)
def test_the_aggregator_sees_no_clients_value(stack):
    result, seen = observed(sums, VALUES, stack=stack)
    assert result == (sum(VALUES),) * 3
    assert seen["federated_sum"] == VALUES
    for uri in ("federated_secure_sum", "federated_secure_sum_bitwidth"):
        shown = np.array(seen[uri], "int64")
        assert not set(VALUES) & set(shown.tolist())
        assert np.sum(shown) % 2**32 == sum(VALUES)


def test_masks_are_others_in_each_call_and_for_each_client():
    alike = [[5] * 8 for _ in range(3)]
    shown = [value for values in alike for value in observed(sums, values)[1]["federated_secure_sum"]]
    assert len(set(shown)) == 24


def test_masked_values_are_spread_over_all_numbers():
    member = tff.to_type({"a": (np.int64, [500]), "b": (INT, [500])})
    total = tff.federated_computation(lambda x: tff.federated_secure_sum(x, 1), clients(member))
    given = [{"a": np.ones(500, "int64"), "b": np.zeros(500, INT)}] * 4
    result, seen = observed(total, given)
    assert result["a"].tolist() == [4] * 500
    assert result["b"].tolist() == [0] * 500
    for value in seen["federated_secure_sum"]:
        for name, bits in (("a", 64), ("b", 32)):
            quarters = np.floor_divide(value[name], 2 ** (bits - 2))
            counts = np.bincount((quarters + 2).astype(int), minlength=4)
            assert counts.min() > 80
            assert len(set((value[name] % 4).tolist())) == 4


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 17])
def test_masks_cancel_for_any_number_of_clients(count):
    values = [number % 10 for number in range(count)]
    assert called("local", sums, values) == (sum(values),) * 3


def test_what_an_observer_raises_is_raised_by_the_call():
    def refuse(contribution):
        raise RuntimeError(f"seen {contribution.client}")

    with pytest.raises(RuntimeError, match="seen 0"), observe_aggregation(refuse):
        sums([1, 2])
    assert sums([1, 2]) == (3, 3, 3)


def test_all_kinds_of_aggregations_are_observed():
    state = tff.to_type((INT, INT))
    zero = tff.graph_computation(lambda: (np.int32(0), np.int32(0)))
    accumulate = tff.graph_computation(lambda s, x: (s[0] + x, s[1] + 1), state, INT)
    merge = tff.graph_computation(lambda a, b: (a[0] + b[0], a[1] + b[1]), state, state)
    report = tff.graph_computation(lambda s: s[0], state)
    to_float = tff.graph_computation(lambda x: x / 2, INT)

    @tff.federated_computation(clients(INT))
    def several(x):
        half = tff.federated_map(to_float, x)
        return (
            tff.federated_aggregate(x, zero(), accumulate, merge, report),
            tff.federated_min(x),
            tff.federated_mean(half),
        )

    result, seen = observed(several, [2, 4])
    assert result == (6, 2, 1.5)
    assert seen["federated_aggregate"] == seen["federated_min"] == [2, 4]
    assert seen["federated_mean"] == [1.0, 2.0]
