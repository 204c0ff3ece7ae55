"""Answers of graphs against those of plain Python: numbers, loops, arrays, lists, exceptions, derivatives."""

import math

import numpy as np

import graphwright as gw

#: Functions, each with the arguments that it is tried on.
CASES = []


def on(*examples):
    """Tries a function on these tuples of arguments."""

    def register(function):
        CASES.append((function, examples))
        return function

    return register


FLOATS = np.linspace(-3, 3, 1003, dtype=np.float64)
SINGLES = np.linspace(-2, 2, 517, dtype=np.float32)
WHOLE = np.arange(-40, 41, dtype=np.int64)
SMALL = np.arange(-100, 101, dtype=np.int32)
MATRIX = np.random.default_rng(7).normal(size=(37, 23))


@on((27,), (1,), (97,))
def collatz(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


@on((1071, 462), (-48, 18), (5, 0))
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@on((7, 2), (-7, 2), (7, -2), (-7, -2))
def divided(a, b):
    return a // b * 1000 + a % b


@on((7.5, 2.0), (-7.5, 2.0), (7.5, -2.0), (-0.5, 3.0))
def divided_floats(a, b):
    return a // b * 1000 + a % b


@on((12, 10), (-12, 10), (255, 1))
def bits(a, b):
    return (a & b) + 2 * (a | b) + 3 * (a ^ b) + (a << 3) + (a >> 1) + ~a


@on((2.0,), (10.0,), (1e-3,), (1e6,))
def root(x):
    guess = x
    for _ in range(60):
        guess = 0.5 * (guess + x / guess)
    return guess


@on((30,), (2,))
def primes(n):
    count = 0
    for k in range(2, n):
        for d in range(2, k):
            if k % d == 0:
                break
        else:
            count += 1
    return count


@on((12,), (1,))
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@on((0.5, 50), (-0.75, 80), (1.0, 30))
def escapes(x, most):
    z = 0.0
    for step in range(most):
        z = z * z + x
        if z > 2.0:
            return step
    return most


@on((True, False), (True, True), (False, False))
def truths(a, b):
    return (a and not b) or (b and not a)


@on((-3.7,), (2.5,), (3.5,), (0.0,))
def rounded(x):
    return int(x) + round(x) + abs(x) + math.floor(x) + math.ceil(x)


@on((0.3,), (1.5,), (2.5,))
def transcendental(x):
    return math.sin(x) + math.exp(-x) * math.log(x) + math.tanh(x) + x**2.5 + math.sqrt(x)


@on((FLOATS,), (SINGLES,))
def elementwise(x):
    return gw.tanh(x) * x + gw.exp(-x * x) - gw.sqrt(gw.abs(x))


@on((FLOATS,), (SINGLES,), (WHOLE,), (SMALL,))
def chosen(x):
    return gw.where(x > 0, x * 2, x - 1)


@on((FLOATS,), (SINGLES,), (WHOLE,), (SMALL,))
def reductions(x):
    return gw.reduce_sum(x), gw.reduce_max(x), gw.reduce_min(x)


@on((WHOLE,), (SMALL,))
def whole_numbers(x):
    return x // 7, x % 7, x * x - 3 * x


@on((FLOATS,), (SINGLES,), (SMALL,))
def added_up(x):
    total = x[0] * 0
    for item in x:
        if item < 0:
            continue
        total += item * item
    return total


@on((FLOATS,), (WHOLE,))
def largest_step(x):
    largest = x[1] - x[0]
    for i in range(1, x.shape[0]):
        largest = max(largest, x[i] - x[i - 1])
    return largest


@on((FLOATS,), (SINGLES,), (WHOLE,))
def sliced(x):
    return x[::-1][3:-4:2] + x[2]


@on((MATRIX,), (MATRIX.astype(np.float32),))
def product(a):
    return a @ gw.transpose(a)


@on((MATRIX,), (MATRIX.astype(np.float32),))
def by_axis(a):
    return gw.reduce_sum(a, axis=0), gw.reduce_max(a, axis=1), a - gw.reduce_mean(a, axis=1, keepdims=True)


@on((MATRIX,))
def softmax(a):
    weights = gw.exp(a - gw.reduce_max(a, axis=1, keepdims=True))
    return weights / gw.reduce_sum(weights, axis=1, keepdims=True)


@on((MATRIX,))
def joined(a):
    return gw.concat([a, 2 * a], axis=0), gw.reshape(a, [-1]), gw.stack([a[0], a[1]])


@on((10,), (1,))
def squares(n):
    found = []
    for i in range(n):
        found.append(i * i)
    return sum(found)


@on((20,), (3,))
def sieve(n):
    flags = [True] * 20
    count = 0
    for i in range(2, 20):
        if i < n and flags[i]:
            count += 1
            for j in range(i * i, 20, i):
                flags[j] = False
    return count


@on((3, 0), (3, 2), (-9, 4))
def caught(a, b):
    try:
        return a // b
    except ZeroDivisionError:
        return -1


@on((5,), (-5,), (0,))
def raised(n):
    try:
        if n < 0:
            raise ValueError("negative")
        result = 10 // n
    except ValueError:
        result = 100
    except ZeroDivisionError:
        result = 200
    finally:
        n = n + 1
    return result + n


@on((0,), (1,), (2,), (9,))
def matched(n):
    match n:
        case 0:
            return 10
        case 1 | 2:
            return 20 + n
        case _:
            return 30


@on((6,), (0,))
def nested(n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j % 2:
                continue
            if j > 3:
                break
            total += i * j
    return total


@on((8,), (1,))
def generated(n):
    def counted(most):
        k = 0
        while k < most:
            yield k * 3
            k += 1

    return sum(counted(n))


@on((FLOATS[:50],))
def cubic(x):
    return gw.reduce_sum(x * x * x)


#: Functions of a number, each with its derivative.
DERIVATIVES = [
    (lambda x: x * gw.sin(x), lambda x: math.sin(x) + x * math.cos(x)),
    (lambda x: gw.exp(-x * x), lambda x: -2 * x * math.exp(-x * x)),
    (lambda x: gw.log(x) / x, lambda x: (1 - math.log(x)) / x**2),
    (lambda x: gw.sqrt(x) + 1 / x, lambda x: 0.5 / math.sqrt(x) - 1 / x**2),
]


def looped(x):
    """A loop whose derivative is that of `x**5`."""
    y = x
    for _ in range(4):
        y = y * x
    return y


def flat(value):
    """Arrays of an answer."""
    return [np.asarray(item) for item in (value if isinstance(value, tuple) else (value,))]


def agree(function, arguments):
    """Two calls give what plain Python gives."""
    expected = flat(
        function(*[gw.constant(item) if isinstance(item, np.ndarray) else item for item in arguments])
    )
    staged = gw.function(function)
    for _ in range(2):
        answer = flat(staged(*[gw.constant(item) for item in arguments]))
        for got, wanted in zip(answer, expected, strict=True):
            near = 2e-4 if got.dtype == np.float32 else 1e-9
            assert np.allclose(got, wanted, rtol=near, atol=near), (function.__name__, arguments, got, wanted)


def arrays_agree():
    """Operators and reductions give what NumPy gives, in each dtype."""
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        x = (np.arange(-333, 334) / 7).astype(dtype)
        y = np.roll(x, 5) + dtype(3)
        got = gw.function(lambda x, y: (x + y, x - y, x * y, x < y, gw.maximum(x, y), gw.reduce_sum(x * y)))(
            x, y
        )
        wanted = (x + y, x - y, x * y, x < y, np.maximum(x, y), (x * y).sum(dtype=dtype))
        for one, other in zip(got, wanted, strict=True):
            assert np.allclose(np.asarray(one), other, rtol=1e-3 if dtype == np.float32 else 1e-12), dtype
    product = gw.function(lambda a: a @ gw.transpose(a))(MATRIX)
    assert np.allclose(product.numpy(), MATRIX @ MATRIX.T)


def exceptions_arrive():
    """An exception of a graph arrives as it does in Python."""
    inverse = gw.function(lambda n: 10 // n)
    assert int(inverse(gw.constant(3))) == 3
    for _ in range(2):
        try:
            inverse(gw.constant(0))
        except ZeroDivisionError:
            continue
        raise AssertionError("a division by zero gave an answer")


def main():
    """Compares all of them; returns their number."""
    for function, examples in CASES:
        for arguments in examples:
            agree(function, arguments)
    for function, derivative in DERIVATIVES:
        for x in (0.5, 2.0, 3.25):
            assert math.isclose(
                float(gw.grad(function)(gw.constant(x, gw.float64))), derivative(x), rel_tol=1e-9
            )
    assert math.isclose(float(gw.grad(looped)(gw.constant(1.5, gw.float64))), 5 * 1.5**4, rel_tol=1e-12)
    slopes = gw.grad(cubic)(gw.constant(FLOATS[:50]))
    assert np.allclose(np.asarray(slopes), 3 * FLOATS[:50] ** 2)
    arrays_agree()
    exceptions_arrive()
    return len(CASES) + len(DERIVATIVES) + 4


if __name__ == "__main__":
    print(main(), "functions agree")
