"""Programs with functions, classes and state: their converted twins must do exactly what they do."""

PROGRAMS = [
    (
        "lambda_in_class_body",
        """
def f(c):
    k = 2
    class C:
        k = 3
        pick = staticmethod(lambda x, y=k: x and y or -1)
        table = [k for _ in range(2)]
        sign = (lambda self: 'yes' if self else 'no')
    return C.pick(c), C.table, C().sign()
""",
        [(0,), (1,)],
    ),
    (
        "generator",
        """
def numbers(n):
    i = 0
    while i < n:
        if i % 2:
            yield i
        i += 1
def f(n):
    total = 0
    for x in numbers(n):
        total += x
    return total
""",
        [(10,)],
    ),
    (
        "generator_stays_lazy",
        """
def f():
    g = (print('made', i) or i for i in range(3))
    if True:
        print('before')
    return list(g)
""",
        [()],
    ),
    (
        "generator_sees_later_value",
        """
def f(c):
    k = 1
    g = (k * i for i in range(3))
    if c:
        k = 10
    return list(g)
""",
        [(0,), (1,)],
    ),
    (
        "comprehensions",
        """
def f(xs):
    i = 'kept'
    a = [i * 2 if i > 1 else -i for i in xs if i and i < 9]
    b = {i: j for i, j in zip(xs, a)}
    c = {x for x in xs if not x % 2}
    return a, b, c, i
""",
        [([0, 1, 2, 3, 10],)],
    ),
    (
        "lambdas",
        """
def f(x):
    g = lambda a, b=2: a if a > b else (b and -b)
    return g(x), (lambda: x)(), sorted([3, 1, 2], key=lambda v: -v if v > 1 else v)
""",
        [(1,), (5,)],
    ),
    (
        "attribute_state",
        """
class Box:
    def __init__(self):
        self.n = 0
        self.items = []
    def fill(self, k):
        while self.n < k:
            self.n += 1
            if self.n % 2:
                self.items.append(self.n)
        return self.n
def f(k):
    b = Box()
    return b.fill(k), b.items
""",
        [(5,), (0,)],
    ),
    (
        "property_fires_naturally",
        """
class P:
    log = []
    @property
    def x(self):
        self.log.append('get')
        return 1
    @x.setter
    def x(self, v):
        self.log.append(('set', v))
def f(c):
    p = P()
    p.log.clear()
    if c:
        p.x = 5
    return p.log
""",
        [(0,), (1,)],
    ),
    (
        "item_state",
        """
def f(c):
    d = {'k': 1}
    a = [0, 0]
    for i in range(3):
        if c:
            d['k'] += i
            a[0] = d['k']
        a[i % 2] += 1
    return d, a
""",
        [(0,), (1,)],
    ),
    (
        "missing_item_state",
        """
def f(c):
    d = {}
    if c:
        d['k'] = 1
    return d
""",
        [(0,), (1,)],
    ),
    (
        "unpacking_targets",
        """
def f(pairs):
    total = 0
    for (a, b), *rest in pairs:
        total += a * b + len(rest)
    first, *others = total, 1, 2
    return total, others, a
""",
        [([((1, 2), 3), ((4, 5), 6, 7)],), ([],)],
    ),
    (
        "match_statement",
        """
def f(x):
    match x:
        case 0:
            return 'zero'
        case [a, b] if a > b:
            r = a
        case [a, *rest]:
            for v in rest:
                if v == 9: break
                a += v
            r = a
        case {'k': v, **others}:
            r = (v, others)
        case (str() as s) | [[s]]:
            r = s
        case _:
            return 'other'
    return r
""",
        [(0,), ([3, 1],), ([1, 2, 3],), ({"k": 1, "l": 2},), ("text",), (5.5,)],
    ),
    (
        "annotated_in_branch",
        """
def f(c):
    if c:
        x: int = 1
        y: 'never evaluated'
    else:
        x: Undefined = 2
    return x
""",
        [(0,), (1,)],
    ),
    (
        "imports_in_branch",
        """
def f(c):
    if c:
        import math as m
        from os.path import join
    return m.floor(2.5), join('a', 'b')
""",
        [(1,), (0,)],
    ),
    (
        "nested_def_in_branch",
        """
def f(c):
    if c:
        def g(x):
            if x > 1:
                return g(x - 1) * x
            return 1
        class C:
            y = 3
            def m(self):
                return C.y if self else 0
    else:
        g = lambda x: x
        C = None
    return g(4), C and C().m(), g.__qualname__, C and C.__qualname__, C and C.m.__qualname__
""",
        [(0,), (1,)],
    ),
    (
        "docstring_kept",
        """
def f(c):
    'Says what.'
    if c:
        return f.__doc__
    return f.__name__, f.__qualname__
""",
        [(0,), (1,)],
    ),
    (
        "recursion",
        """
def f(n):
    if n < 2:
        return n
    return f(n - 1) + f(n - 2)
""",
        [(10,)],
    ),
    (
        "fstrings",
        """
def f(x):
    w = 6
    if x:
        return f'{x!r:>{w}} {x=} {{x}} {"a" if x > 1 else "b"}' 'tail'
    return f'{x:04d}'
""",
        [(0,), (1,), (2,)],
    ),
    (
        "star_calls",
        """
def g(*args, **kw):
    return args, kw
def f(xs, d):
    if xs:
        return g(*xs, 1, k=2, **d)
    return g(**d)
""",
        [([1], {"a": 1}), ([], {"b": 2})],
    ),
    (
        "native_loop_inside_lowered",
        """
def f(n):
    out = []
    while n:
        n -= 1
        for i in range(n):
            try:
                if i == 2: break
            finally:
                out.append(i)
    return out
""",
        [(5,)],
    ),
    (
        "dead_code_binds",
        """
def f():
    return len
    len = 1
""",
        [()],
    ),
    (
        "dead_code_binds_branch",
        """
def f(c):
    if c:
        return len
        len = 1
    return 0
""",
        [(0,), (1,)],
    ),
    (
        "closure_rebinding",
        """
def outer():
    k = 1
    def g():
        if k > 1:
            return 'big'
        return 'small'
    a = g()
    k = 5
    return a, g()
def f():
    return outer()
""",
        [()],
    ),
    (
        "wrapped",
        """
import functools
def deco(fn):
    @functools.wraps(fn)
    def inner(*a):
        if a[0]:
            return 'wrapped', fn(*a)
        return fn(*a)
    return inner
@deco
def f(x):
    while x > 3:
        x -= 1
    return x
""",
        [(0,), (9,)],
    ),
    (
        "big_constants",
        """
def f(c):
    if c:
        return 0xFFFFFFFFFFFFFFFFFFFF, 1e400, 2j, b'\\x00a', -0.0, ...
    return 10**30
""",
        [(1,), (0,)],
    ),
    (
        "chained_assignment",
        """
def f(c):
    if c:
        a = b = [1]
        a[0:1] = [2, 3]
    else:
        a, b = 1, 2
    return a, b
""",
        [(1,), (0,)],
    ),
    (
        "async_left_alone",
        """
import asyncio
async def g(n):
    total = 0
    for i in range(n):
        if i == 3: break
        await asyncio.sleep(0)
        total += i
    return total
def f(n):
    return asyncio.run(g(n))
""",
        [(5,)],
    ),
    (
        "inner_name_hides_outer",
        """
def f(c, d):
    t = 'outer'
    print(t)
    if c:
        print('in')
        if d:
            t = 1
        else:
            t = 2
        t = [t]
        print(t)
    return c
""",
        [(0, 0), (1, 0), (1, 1)],
    ),
    (
        "zero_iterations",
        """
def f():
    n = 0
    for i in range(0):
        n += i
    while n:
        n -= 1
    return n
""",
        [()],
    ),
    (
        "shadowed_builtin_by_dead_branch",
        """
def f(c):
    if c:
        sum = 3
    return sum([1])
""",
        [(0,), (1,)],
    ),
    (
        "loop_target_attribute",
        """
class O: pass
def f():
    o = O()
    for o.x in range(3):
        if o.x == 1: break
    return o.x
""",
        [()],
    ),
    (
        "raises_inside_nested",
        """
def g(x):
    if x:
        raise KeyError('deep')
def f(x):
    for i in range(2):
        if i:
            g(x)
    return i
""",
        [(0,), (1,)],
    ),
]
