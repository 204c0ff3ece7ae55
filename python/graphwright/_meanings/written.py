"""Python's functions as Python writes them; the graph runs these, converted as the user's functions are."""

from __future__ import annotations

from typing import Any

from .. import _native

# Errors name what a loop carries, so a total has the name of Python's function.


def total(items: Any, sum: Any) -> Any:
    """`sum(items, sum)`"""
    for item in items:
        sum = sum + item
    return sum


def product(items: Any, prod: Any) -> Any:
    """`math.prod(items, start=prod)`"""
    for item in items:
        prod = prod * item
    return prod


def any_true(items: Any) -> Any:
    """`any(items)`, which stops at the first that is true."""
    found = False
    for item in items:
        if item:
            found = True
            break
    return found


def all_true(items: Any) -> Any:
    """`all(items)`, which stops at the first that is not true."""
    found = True
    for item in items:
        if not item:
            found = False
            break
    return found


def among(items: Any, item: Any) -> Any:
    """`item in items` of a generator, which is asked up to the first that is equal."""
    found = False
    for one in items:
        if _native.is_same_object(one, item) or one == item:
            found = True
            break
    return found


def collected(items: Any) -> Any:
    """`list(items)`"""
    found = []
    for item in items:
        found.append(item)
    return found


def repeated(items: Any, count: Any) -> Any:
    """`items * count`, of a list"""
    found = []
    for _ in range(count):
        for item in items:
            found.append(item)
    return found


def repeated_in_place(items: Any, count: Any) -> Any:
    """`items *= count`, of a list"""
    once = items[:]
    items.clear()
    for _ in range(count):
        for item in once:
            items.append(item)
    return items


def numbered(items: Any, start: Any) -> Any:
    """`enumerate(items, start)`"""
    number = start
    for item in items:
        yield number, item
        number = number + 1


def mapped(function: Any, items: Any) -> Any:
    """`map(function, items)`"""
    for item in items:
        yield function(item)


def filtered(test: Any, items: Any) -> Any:
    """`filter(test, items)`"""
    for item in items:
        if item if test is None else test(item):
            yield item


def generated(items: Any, parts: Any) -> Any:
    """`(element() for passes, element in map(parts, items) if passes)`"""
    for item in items:
        passes, element = parts((item,))
        if passes:
            yield element()


def generated_flat(items: Any, parts: Any) -> Any:
    """The same where each element is an iterable, whose items are meant."""
    for item in items:
        passes, inner = parts((item,))
        if passes:
            yield from inner()


def kept(passes: Any, element: Any, items: Any, parts: Any, watched: Any) -> Any:
    """One item of a comprehension, and those behind it, while what is `watched` stays as it is."""
    if passes:
        yield element()
    for item in items:
        _native.check_walked(watched)
        passes, element = parts((item,))
        if passes:
            yield element()


def kept_flat(passes: Any, inner: Any, items: Any, parts: Any, watched: Any) -> Any:
    """The same where each element is an iterable, whose items are meant."""
    if passes:
        yield from inner()
    for item in items:
        _native.check_walked(watched)
        passes, inner = parts((item,))
        if passes:
            yield from inner()


def extended(found: Any, items: Any) -> Any:
    """`found.extend(items)`, and the list"""
    for item in items:
        found.append(item)
    return found


def added(found: Any, items: Any) -> Any:
    """`found.update(items)`, and the set"""
    for item in items:
        _native.check_key(item)
        found.add(item)
    return found


def filled(found: Any, pairs: Any) -> Any:
    """`found.update(pairs)`, and the dict"""
    for key, value in pairs:
        _native.check_key(key)
        found[key] = value
    return found


def first_or(items: Any, found: Any) -> Any:
    """The first item, or `found` if there is none"""
    for item in items:
        found = item
        break
    return found


def first(items: Any) -> Any:
    """The first item"""
    for item in items:
        return item
    raise StopIteration


def reduced(function: Any, items: Any, reduce: Any) -> Any:
    """`functools.reduce(function, items, reduce)`"""
    for item in items:
        reduce = function(reduce, item)
    return reduce


def round_integer(x: Any, unit: Any) -> Any:
    """The multiple of `unit` nearest to `x`; of two, the even one."""
    quotient, rest = x // unit, x % unit
    if rest * 2 > unit or (rest * 2 == unit and quotient % 2 == 1):
        quotient = quotient + 1
    return quotient * unit


def power_modulo(base: Any, exponent: Any, modulus: Any) -> Any:
    """`pow(base, exponent, modulus)`, and 1 unless the power of an inverse is asked for that there is not."""
    size = abs(modulus)
    base = base % size
    common = base * 0 + 1
    if exponent < 0:
        base, common = inverse(base, size)
        exponent = -exponent
    result = base * 0 + 1 % size
    while exponent > 0:
        if exponent % 2 == 1:
            result = product_modulo(result, base, size)
        base = product_modulo(base, base, size)
        exponent = exponent // 2
    if modulus < 0 and result != 0:
        result = result + modulus
    return result, common


def product_modulo(a: Any, b: Any, size: Any) -> Any:
    """`a * b % size` for numbers below `size`; where the product has no room, as a sum of doubles."""
    if size < 2**31:
        result = a * b % size
    else:
        result = a * 0
        while b > 0:
            if b % 2 == 1:
                result = result - (size - a) if result >= size - a else result + a
            a = a - (size - a) if a >= size - a else a + a
            b = b // 2
    return result


def inverse(base: Any, size: Any) -> Any:
    """The number by which `base` gives its common divisor with `size`, and that divisor."""
    a, b = base, size
    u, v = base * 0 + 1, base * 0
    while b != 0:
        quotient = a // b
        a, b = b, a - quotient * b
        u, v = v, u - quotient * v
    return u % size, a


def divisor(a: Any, b: Any) -> Any:
    """`math.gcd(a, b)`"""
    while b != 0:
        a, b = b, a % b
    return abs(a)


def factorial(n: Any) -> Any:
    """`math.factorial(n)`"""
    result = n * 0 + 1
    while n > 1:
        result = result * n
        n = n - 1
    return result


def next_or(own: Any, iterator: Any, default: Any) -> Any:
    """`next(iterator, default)`, where `own` is what its class does for `next`."""
    try:
        return own(iterator)
    except StopIteration:
        return default


def compared(a: Any, b: Any, operator: str) -> Any:
    """Two tuples or lists by `==`, `<` and their kin: the first parts that differ decide"""
    for x, y in zip(a, b, strict=False):
        if not _native.is_same_object(x, y) and parts_compared(x, y, "!="):
            return parts_compared(x, y, operator)
    return parts_compared(len(a), len(b), operator)


def parts_compared(x: Any, y: Any, operator: str) -> Any:
    """Two parts by an operator; they may be tuples again"""
    return _native.operators.compare(x, (operator, lambda: y))
