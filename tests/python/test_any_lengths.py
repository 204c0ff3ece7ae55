"""One graph for arrays of any lengths gives what plain Python gives, with the arguments as that leaves them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from benches.plain import cases, copied, shortened

import graphwright as gw

PROGRAMS = {
    function: given
    for function, given in cases().items()
    if any(isinstance(one, np.ndarray) for one in given)
}

PARTS = (0.05, 0.08, 0.11, 0.15, 0.15)


def outcome(run: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """The result or the class of the exception, and the arrays behind the call."""
    own = copied(given)
    try:
        result = run(*own)
    except IndexError:
        result = IndexError
    return result, [one for one in own if isinstance(one, np.ndarray)]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_arrays_of_several_lengths(function: Callable[..., Any]) -> None:
    """The last calls have lengths that their graph does not know."""
    staged = gw.function(function, roll=True, reduce_retracing=True)
    for part in PARTS:
        given = tuple(shortened(one, part) for one in PROGRAMS[function])
        (expected, left), (found, mine) = outcome(function, given), outcome(staged, given)
        if expected is IndexError:
            assert found is IndexError
        elif expected is not None:
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))
        for one, other in zip(mine, left, strict=True):
            np.testing.assert_array_equal(one, other)
    assert staged.experimental_get_tracing_count() <= 3
