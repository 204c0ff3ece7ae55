"""Programs whose converted twin must do exactly what they do: (name, source, calls)."""

PROGRAMS = [
    ("if_else", "def f(x):\n    if x > 0:\n        y = 1\n    else:\n        y = 2\n    return y\n", [(1,), (-1,)]),
    ("elif_chain", """
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
""", [(0,), (1,), (3,), (9,)]),
    ("collatz", """
def f(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
""", [(27,), (1,)]),
    ("early_return", """
def f(x):
    if x < 0:
        return 'negative'
    if x == 0:
        return 'zero'
    print('positive')
    return x
""", [(-1,), (0,), (5,)]),
    ("return_on_one_path", "def f(x):\n    if x:\n        return 1\n", [(0,), (1,)]),
    ("bare_return", "def f(x):\n    if x:\n        return\n    print('on')\n", [(0,), (1,)]),
    ("nested_returns", """
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
""", [(0, 0), (0, 1), (1, 0), (1, 1)]),
    ("return_in_while", """
def f(n):
    i = 0
    while True:
        i += 1
        if i * i > n:
            return i
        print(i)
""", [(10,)]),
    ("return_in_nested_for", """
def f(rows, wanted):
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            if x == wanted:
                return i, j
        print('row', i)
    return None
""", [([[1, 2], [3, 4]], 3), ([[1, 2], [3, 4]], 9)]),
    ("return_in_loop_else", """
def f(xs):
    for x in xs:
        if x: break
    else:
        return 'all false'
    return x
""", [([0, 0],), ([0, 5],), ([],)]),
    ("break_continue", """
def f(xs):
    out = []
    for x in xs:
        if x == 1:
            continue
        if x == 4:
            break
        out.append(x)
    return out
""", [(range(10),), ([1, 1],)]),
    ("partial_continue", """
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
""", [(range(6),)]),
    ("while_else", """
def f(n, stop):
    while n:
        n -= 1
        if n == stop:
            break
    else:
        return 'finished'
    return 'stopped'
""", [(5, 2), (5, 9)]),
    ("for_else_break_in_else", """
def f(xs):
    for x in xs:
        for y in range(x):
            if y == 3: break
        else:
            continue
        print('found', x)
        break
    return x
""", [([1, 5, 7],), ([1, 2],)]),
    ("iterator_not_advanced", """
def f():
    it = iter(range(10))
    for x in it:
        if x == 3:
            break
    return next(it)
""", [()]),
    ("iterator_not_advanced_by_return", """
def g(it):
    for x in it:
        if x == 3:
            return x
def f():
    it = iter(range(10))
    g(it)
    return next(it)
""", [()]),
    ("test_runs_as_often", """
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
""", [(2,), (9,)]),
    ("operands_once", """
def f(log):
    def v(x):
        log.append(x)
        return x
    r = v(1) < v(3) < v(2) < v(9)
    s = v(1) < v(2) <= v(2) != v(7)
    return r, s, log
""", [([],)]),
    ("and_or_values", """
def f(a, b, c):
    return a and b or c, not a, a or b, a and b and c, (a or b) and c
""", [(0, 1, 2), (1, 0, 3), (1, 2, 0), ([], '', {}), ('x', 'y', 'z')]),
    ("in_not_in", "def f(x, xs):\n    return x in xs, x not in xs, not x in xs\n", [(1, [1]), (2, 'a' * 0 or [])]),
    ("lazy_and", """
def f(xs):
    if xs and xs[0] > 1:
        return 'big'
    return 'no'
""", [([],), ([5],), ([0],)]),
    ("closures_over_targets", """
def f():
    fs = []
    for i in range(3):
        fs.append(lambda: i)
    return [g() for g in fs], i
""", [()]),
    ("closure_over_local_of_loop", """
def f():
    fs = []
    for i in range(3):
        t = i * 2
        def g():
            return t
        fs.append(g)
    return [g() for g in fs]
""", [()]),
    ("walrus_in_test", """
def f(xs):
    it = iter(xs)
    while (x := next(it, None)) is not None:
        print(x)
    return x
""", [([1, 2],)]),
    ("walrus_in_test_and_break", """
def f(xs):
    it = iter(xs)
    while (x := next(it, None)) is not None:
        if x == 2: break
        print(x)
    else:
        print('else')
    return x
""", [([1, 2, 3],), ([1],)]),
    ("walrus_everywhere", """
def f(x):
    if (y := x + 1) > 2:
        z = [w := v for v in range(y)]
    else:
        z = (y or (w := 5)) and w if False else (w := 7)
    return y, z, w
""", [(1,), (5,)]),
    ("walrus_in_conditional", "def f(c):\n    x = (a := 1) if c else (b := 2)\n    return x, a\n", [(1,), (0,)]),
    ("unbound_local", "def f(c):\n    if c:\n        x = 1\n    return x\n", [(1,), (0,)]),
    ("unbound_in_branch", """
def f(c, d):
    if c:
        x = 1
    if d:
        return x + 1
    return 0
""", [(1, 1), (0, 1), (0, 0)]),
    ("unbound_augmented", """
def f(c):
    if c:
        n += 1
    n = 0
    return n
""", [(0,), (1,)]),
    ("unbound_after_loop", "def f(xs):\n    for x in xs:\n        y = x\n    return x, y\n", [([1],), ([],)]),
    ("del_in_branch", """
def f(c):
    x = 1
    if c:
        del x
    return x
""", [(0,), (1,)]),
    ("del_unbound", "def f(c):\n    if c:\n        del x\n    x = 1\n", [(0,), (1,)]),
    ("except_name_unbinds", """
def f(c):
    e = 'outer'
    try:
        if c: raise ValueError('bad')
    except ValueError as e:
        if e.args:
            print(e)
    return e
""", [(0,), (1,)]),
    ("locals_in_branch", """
def f(c):
    x = 1
    if c:
        y = 2
        return sorted(locals())
    del x
    return sorted(locals())
""", [(0,), (1,)]),
    ("eval_in_branch", "def f(c):\n    secret = 5\n    if c:\n        return eval('secret + 1')\n", [(1,)]),
    ("globals_in_branch", "def f(c):\n    if c:\n        return 'f' in globals()\n", [(1,)]),
    ("super_in_branch", """
class A:
    def m(self, x):
        return ['A', x]
class B(A):
    def m(self, x):
        if x:
            return ['B'] + super().m(x)
        y = x or super().m(2)
        return y, __class__.__name__
def f(x):
    return B().m(x)
""", [(0,), (1,)]),
    ("private_names", """
class A:
    __limit = 3
    def __step(self, n):
        return n + self.__limit
    def m(self, n):
        __local = 0
        while n < 10:
            n = self.__step(n)
            __local += 1
        self.__count = __local
        return n, self.__count, sorted(k for k in vars(self))
def f():
    return A().m(0)
""", [()]),
    ("global_untouched", """
counter = 0
def f(c):
    global counter
    if c:
        counter += 1
    return counter
""", [(0,), (1,), (0,)]),
    ("global_declared_in_branch", """
def f(c):
    if c:
        global made_here
        made_here = 5
    return 'made_here' in globals()
""", [(0,), (1,)]),
    ("nonlocal", """
def f(c):
    n = 0
    def g(k):
        nonlocal n
        while k:
            k -= 1
            if c: n += k
        return n
    return g(4), n
""", [(0,), (1,)]),
    ("user_names", """
def f(xs):
    gw__, break_, get_state, set_state, if_body, loop_body, retval_, do_return, values, item_ = range(10)
    for loop_test in xs:
        if loop_test == 2:
            break
        if loop_test == 1:
            get_state += 1
            continue
        values += loop_test
    else:
        return 'else'
    if get_state > 2:
        return gw__, break_, get_state
    return values, item_, retval_, if_body
""", [([0, 1, 2],), ([5, 1, 1, 2],), ([],)]),
    ("defaults", """
def make(k):
    def f(x, y=k, *args, z=k + 1, **kw):
        if x > y:
            return x, args, z, kw
        return y, args, z, kw
    return f
f = make(3)
""", [(1,), (9, 1, 2)]),
    ("with_return", """
import contextlib
@contextlib.contextmanager
def cm(log):
    log.append('in')
    yield 'value'
    log.append('out')
def f(c):
    log = []
    with cm(log) as v:
        if c:
            log.append(v)
            return log
        log.append('rest')
    log.append('after')
    return log
""", [(0,), (1,)]),
    ("with_swallows", """
import contextlib
def f(c):
    with contextlib.suppress(ZeroDivisionError):
        if c:
            return 1 // 0
        return 'fine'
    return 'swallowed'
""", [(0,), (1,)]),
    ("exit_raises_after_return", """
class Bad:
    def __enter__(self): pass
    def __exit__(self, *a): raise ValueError('exit')
def f(c):
    try:
        with Bad():
            if c:
                return 'never'
    except ValueError:
        pass
    return 'caught'
""", [(0,), (1,)]),
    ("break_in_with_in_loop", """
import contextlib
def f(xs):
    out = []
    for x in xs:
        with contextlib.nullcontext(x) as y:
            if y == 3: break
            if y == 1: continue
            out.append(y)
        out.append('after')
    return out
""", [(range(6),), ([1],)]),
    ("try_finally", """
def f(c):
    log = []
    try:
        if c == 1:
            return log
        if c == 2:
            raise ValueError('two')
        log.append('body')
    except ValueError as e:
        log.append(str(e))
    else:
        log.append('else')
    finally:
        log.append('finally')
    return log
""", [(0,), (1,), (2,)]),
    ("finally_overrides", """
def f(c):
    try:
        if c: return 'try'
        raise KeyError('x')
    finally:
        return 'finally'
""", [(0,), (1,)]),
    ("break_in_finally", """
def f():
    out = []
    for i in range(5):
        try:
            if i == 1: continue
            if i == 3: break
            out.append(i)
        finally:
            out.append('f')
    return out
""", [()]),
    ("return_value_raises", """
def f(x):
    for attempt in range(3):
        try:
            return 10 // (x - attempt)
        except ZeroDivisionError:
            print('again', attempt)
    return 'gave up'
""", [(0,), (1,), (5,)]),
    ("try_else_return", """
def f(x):
    try:
        y = 1 // x
        if y: return 'returned'
    except ZeroDivisionError:
        return 'caught'
    else:
        print('else')
    return 'end'
""", [(0,), (1,), (2,)]),
    ("reraise", """
def f(c):
    try:
        raise KeyError('k')
    except KeyError:
        if c:
            raise
        print('quiet')
""", [(0,), (1,)]),
    ("raise_from", """
def f(c):
    if c:
        raise ValueError('a') from KeyError('b')
    return 1
""", [(0,), (1,)]),
    ("assert_message_lazy", """
def f(x):
    def message():
        print('made')
        return f'bad {x}'
    assert x > 0, message()
    assert x != 5
    return x
""", [(1,), (0,), (5,)]),
    ("generator", """
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
""", [(10,)]),
    ("generator_stays_lazy", """
def f():
    g = (print('made', i) or i for i in range(3))
    if True:
        print('before')
    return list(g)
""", [()]),
    ("generator_sees_later_value", """
def f(c):
    k = 1
    g = (k * i for i in range(3))
    if c:
        k = 10
    return list(g)
""", [(0,), (1,)]),
    ("comprehensions", """
def f(xs):
    i = 'kept'
    a = [i * 2 if i > 1 else -i for i in xs if i and i < 9]
    b = {i: j for i, j in zip(xs, a)}
    c = {x for x in xs if not x % 2}
    return a, b, c, i
""", [([0, 1, 2, 3, 10],)]),
    ("lambdas", """
def f(x):
    g = lambda a, b=2: a if a > b else (b and -b)
    return g(x), (lambda: x)(), sorted([3, 1, 2], key=lambda v: -v if v > 1 else v)
""", [(1,), (5,)]),
    ("attribute_state", """
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
""", [(5,), (0,)]),
    ("property_fires_naturally", """
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
""", [(0,), (1,)]),
    ("item_state", """
def f(c):
    d = {'k': 1}
    a = [0, 0]
    for i in range(3):
        if c:
            d['k'] += i
            a[0] = d['k']
        a[i % 2] += 1
    return d, a
""", [(0,), (1,)]),
    ("missing_item_state", """
def f(c):
    d = {}
    if c:
        d['k'] = 1
    return d
""", [(0,), (1,)]),
    ("unpacking_targets", """
def f(pairs):
    total = 0
    for (a, b), *rest in pairs:
        total += a * b + len(rest)
    first, *others = total, 1, 2
    return total, others, a
""", [([((1, 2), 3), ((4, 5), 6, 7)],), ([],)]),
    ("match_statement", """
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
""", [(0,), ([3, 1],), ([1, 2, 3],), ({'k': 1, 'l': 2},), ('text',), (5.5,)]),
    ("annotated_in_branch", """
def f(c):
    if c:
        x: int = 1
        y: 'never evaluated'
    else:
        x: Undefined = 2
    return x
""", [(0,), (1,)]),
    ("imports_in_branch", """
def f(c):
    if c:
        import math as m
        from os.path import join
    return m.floor(2.5), join('a', 'b')
""", [(1,), (0,)]),
    ("nested_def_in_branch", """
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
""", [(0,), (1,)]),
    ("docstring_kept", "def f(c):\n    'Says what.'\n    if c:\n        return f.__doc__\n    return f.__name__, f.__qualname__\n", [(0,), (1,)]),
    ("recursion", "def f(n):\n    if n < 2:\n        return n\n    return f(n - 1) + f(n - 2)\n", [(10,)]),
    ("fstrings", """
def f(x):
    w = 6
    if x:
        return f'{x!r:>{w}} {x=} {{x}} {"a" if x > 1 else "b"}' 'tail'
    return f'{x:04d}'
""", [(0,), (1,), (2,)]),
    ("star_calls", """
def g(*args, **kw):
    return args, kw
def f(xs, d):
    if xs:
        return g(*xs, 1, k=2, **d)
    return g(**d)
""", [([1], {'a': 1}), ([], {'b': 2})]),
    ("native_loop_inside_lowered", """
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
""", [(5,)]),
    ("dead_code_binds", "def f():\n    return len\n    len = 1\n", [()]),
    ("dead_code_binds_branch", "def f(c):\n    if c:\n        return len\n        len = 1\n    return 0\n", [(0,), (1,)]),
    ("closure_rebinding", """
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
""", [()]),
    ("wrapped", """
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
""", [(0,), (9,)]),
    ("big_constants", "def f(c):\n    if c:\n        return 0xFFFFFFFFFFFFFFFFFFFF, 1e400, 2j, b'\\x00a', -0.0, ...\n    return 10**30\n", [(1,), (0,)]),
    ("chained_assignment", "def f(c):\n    if c:\n        a = b = [1]\n        a[0:1] = [2, 3]\n    else:\n        a, b = 1, 2\n    return a, b\n", [(1,), (0,)]),
    ("async_left_alone", """
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
""", [(5,)]),
    ("inner_name_hides_outer", """
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
""", [(0, 0), (1, 0), (1, 1)]),
    ("zero_iterations", "def f():\n    n = 0\n    for i in range(0):\n        n += i\n    while n:\n        n -= 1\n    return n\n", [()]),
    ("shadowed_builtin_by_dead_branch", "def f(c):\n    if c:\n        sum = 3\n    return sum([1])\n", [(0,), (1,)]),
    ("loop_target_attribute", """
class O: pass
def f():
    o = O()
    for o.x in range(3):
        if o.x == 1: break
    return o.x
""", [()]),
    ("raises_inside_nested", """
def g(x):
    if x:
        raise KeyError('deep')
def f(x):
    for i in range(2):
        if i:
            g(x)
    return i
""", [(0,), (1,)]),
]
