"""Results of functions as numbers and lists of Python's."""

import pytest

import graphwright as gw


def value(result):
    """The numbers in a result, lists and tuples as lists"""
    if isinstance(result, list | tuple):
        return [value(part) for part in result]
    return result.numpy().tolist() if isinstance(result, gw.Tensor) else result


def same(found, wanted):
    """True of numbers that are nearly the same, in lists of the same lengths"""
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    return not isinstance(found, list) and float(found) == pytest.approx(float(wanted), rel=1e-9)
