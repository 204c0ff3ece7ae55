"""Results of functions as numbers and lists of Python's."""

import graphwright as gw


def value(result):
    """The numbers in a result, lists and tuples as lists"""
    if isinstance(result, list | tuple):
        return [value(part) for part in result]
    return result.numpy().tolist() if isinstance(result, gw.Tensor) else result
