"""Loops whose tests bound their indices give what Python gives, and leave the array as Python does."""

from random import Random

import numpy as np
import pytest

import bounded_programs
import graphwright as gw
from array_programs import function_of, outcome


@pytest.mark.parametrize("seed", range(40))
def test_a_loop_agrees_with_python(seed):
    random = Random(seed)
    text = bounded_programs.program(random)
    plain, _ = function_of(text, f"of bounds {seed}")
    staged = gw.function(plain, roll=random.random() < 0.7)
    for _ in range(4):
        values = [random.randrange(-5, 6) for _ in range(random.choice([1, 2, 5, 8]))]
        k, x = random.randrange(-2, 7), random.randrange(-3, 4)
        array = np.array(values, random.choice(["int64", "float64"]))
        wanted = outcome(plain, [array.copy(), k, x])
        given = [array.copy(), k, x] if random.random() < 0.5 else [array.copy(), gw.constant(k, gw.int64), x]
        found = outcome(staged, given)
        if "GW1" in str(found[1]):
            continue
        assert found[0] is wanted[0], (text, values, k, x, found, wanted)
        if wanted[0] is None:
            assert [int(one) for one in found[1]] == [int(one) for one in wanted[1]], (text, values, k, x)
        np.testing.assert_array_equal(found[2][0], wanted[2][0], err_msg=f"{text} {values} {k} {x}")
