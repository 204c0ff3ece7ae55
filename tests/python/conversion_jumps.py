"""Programs that jump and test: their converted twins must do exactly what they do."""

PROGRAMS = [
    (
        "if_else",
        """
def f(x):
    if x > 0:
        y = 1
    else:
        y = 2
    return y
""",
        [(1,), (-1,)],
    ),
    (
        "elif_chain",
        """
def f(x):
    if x == 0:
        r = 'zero'
    elif x == 1:
        r = 'one'
    elif x in (2, 3):
        r = 'few'
    else:
        r = 'many'
    return r
""",
        [(0,), (1,), (3,), (9,)],
    ),
    (
        "collatz",
        """
def f(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
""",
        [(27,), (1,)],
    ),
    (
        "early_return",
        """
def f(x):
    if x < 0:
        return 'negative'
    if x == 0:
        return 'zero'
    print('positive')
    return x
""",
        [(-1,), (0,), (5,)],
    ),
    (
        "return_on_one_path",
        """
def f(x):
    if x:
        return 1
""",
        [(0,), (1,)],
    ),
    (
        "bare_return",
        """
def f(x):
    if x:
        return
    print('on')
""",
        [(0,), (1,)],
    ),
    (
        "nested_returns",
        """
def f(a, b):
    if a:
        if b:
            return 'ab'
        print('a only')
    else:
        if b:
            return 'b'
    print('end')
    return 'none'
""",
        [(0, 0), (0, 1), (1, 0), (1, 1)],
    ),
    (
        "return_in_while",
        """
def f(n):
    i = 0
    while True:
        i += 1
        if i * i > n:
            return i
        print(i)
""",
        [(10,)],
    ),
    (
        "return_in_nested_for",
        """
def f(rows, wanted):
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x == wanted:
                return i, j
        print('row', i)
    return None
""",
        [([[1, 2], [3, 4]], 3), ([[1, 2], [3, 4]], 9)],
    ),
    (
        "return_in_loop_else",
        """
def f(xs):
    for x in xs:
        if x: break
    else:
        return 'all false'
    return x
""",
        [([0, 0],), ([0, 5],), ([],)],
    ),
    (
        "break_continue",
        """
def f(xs):
    out = []
    for x in xs:
        if x == 1:
            continue
        if x == 4:
            break
        out.append(x)
    return out
""",
        [(range(0, 10),), ([1, 1],)],
    ),
    (
        "partial_continue",
        """
def f(xs):
    out = []
    for x in xs:
        if x > 1:
            if x % 2:
                continue
            out.append('even')
        out.append(x)
        while x:
            x -= 1
            if x == 2: continue
            if x == 1: break
            out.append(-x)
        else:
            out.append('else')
    return out
""",
        [(range(0, 6),)],
    ),
    (
        "while_else",
        """
def f(n, stop):
    while n:
        n -= 1
        if n == stop:
            break
    else:
        return 'finished'
    return 'stopped'
""",
        [(5, 2), (5, 9)],
    ),
    (
        "for_else_break_in_else",
        """
def f(xs):
    for x in xs:
        for y in range(x):
            if y == 3: break
        else:
            continue
        print('found', x)
        break
    return x
""",
        [([1, 5, 7],), ([1, 2],)],
    ),
    (
        "iterator_not_advanced",
        """
def f():
    it = iter(range(10))
    for x in it:
        if x == 3:
            break
    return next(it)
""",
        [()],
    ),
    (
        "iterator_not_advanced_by_return",
        """
def g(it):
    for x in it:
        if x == 3:
            return x
def f():
    it = iter(range(10))
    g(it)
    return next(it)
""",
        [()],
    ),
    (
        "test_runs_as_often",
        """
def f(limit):
    calls = []
    def test(i):
        calls.append(i)
        return i < limit
    i = 0
    while test(i):
        i += 1
        if i == 3: break
    return calls
""",
        [(2,), (9,)],
    ),
    (
        "operands_once",
        """
def f(log):
    def v(x):
        log.append(x)
        return x
    r = v(1) < v(3) < v(2) < v(9)
    s = v(1) < v(2) <= v(2) != v(7)
    return r, s, log
""",
        [([],)],
    ),
    (
        "and_or_values",
        """
def f(a, b, c):
    return a and b or c, not a, a or b, a and b and c, (a or b) and c
""",
        [(0, 1, 2), (1, 0, 3), (1, 2, 0), ([], "", {}), ("x", "y", "z")],
    ),
    (
        "in_not_in",
        """
def f(x, xs):
    return x in xs, x not in xs, not x in xs
""",
        [(1, [1]), (2, [])],
    ),
    (
        "lazy_and",
        """
def f(xs):
    if xs and xs[0] > 1:
        return 'big'
    return 'no'
""",
        [([],), ([5],), ([0],)],
    ),
]
