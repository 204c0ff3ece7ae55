"""Programs about names, scopes and exceptions: their converted twins must do exactly what they do."""

PROGRAMS = [
    (
        "closures_over_targets",
        """
def f():
    fs = []
    for i in range(3):
        fs.append(lambda: i)
    return [g() for g in fs], i
""",
        [()],
    ),
    (
        "closure_over_local_of_loop",
        """
def f():
    fs = []
    for i in range(3):
        t = i * 2
        def g():
            return t
        fs.append(g)
    return [g() for g in fs]
""",
        [()],
    ),
    (
        "walrus_in_test",
        """
def f(xs):
    it = iter(xs)
    while (x := next(it, None)) is not None:
        print(x)
    return x
""",
        [([1, 2],)],
    ),
    (
        "walrus_in_test_and_break",
        """
def f(xs):
    it = iter(xs)
    while (x := next(it, None)) is not None:
        if x == 2: break
        print(x)
    else:
        print('else')
    return x
""",
        [([1, 2, 3],), ([1],)],
    ),
    (
        "walrus_everywhere",
        """
def f(x):
    if (y := x + 1) > 2:
        z = [w := v for v in range(y)]
    else:
        z = (y or (w := 5)) and w if False else (w := 7)
    return y, z, w
""",
        [(1,), (5,)],
    ),
    (
        "walrus_in_conditional",
        """
def f(c):
    x = (a := 1) if c else (b := 2)
    return x, a
""",
        [(1,), (0,)],
    ),
    (
        "unbound_local",
        """
def f(c):
    if c:
        x = 1
    return x
""",
        [(1,), (0,)],
    ),
    (
        "unbound_in_branch",
        """
def f(c, d):
    if c:
        x = 1
    if d:
        return x + 1
    return 0
""",
        [(1, 1), (0, 1), (0, 0)],
    ),
    (
        "unbound_augmented",
        """
def f(c):
    if c:
        n += 1
    n = 0
    return n
""",
        [(0,), (1,)],
    ),
    (
        "unbound_after_loop",
        """
def f(xs):
    for x in xs:
        y = x
    return x, y
""",
        [([1],), ([],)],
    ),
    (
        "del_in_branch",
        """
def f(c):
    x = 1
    if c:
        del x
    return x
""",
        [(0,), (1,)],
    ),
    (
        "del_unbound",
        """
def f(c):
    if c:
        del x
    x = 1
""",
        [(0,), (1,)],
    ),
    (
        "except_name_unbinds",
        """
def f(c):
    e = 'outer'
    try:
        if c: raise ValueError('bad')
    except ValueError as e:
        if e.args:
            print(e)
    return e
""",
        [(0,), (1,)],
    ),
    (
        "locals_in_branch",
        """
def f(c):
    x = 1
    if c:
        y = 2
        return sorted(locals())
    del x
    return sorted(locals())
""",
        [(0,), (1,)],
    ),
    (
        "eval_in_branch",
        """
def f(c):
    secret = 5
    if c:
        return eval('secret + 1')
""",
        [(1,)],
    ),
    (
        "globals_in_branch",
        """
def f(c):
    if c:
        return 'f' in globals()
""",
        [(1,)],
    ),
    (
        "super_in_branch",
        """
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
""",
        [(0,), (1,)],
    ),
    (
        "private_names",
        """
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
""",
        [()],
    ),
    (
        "global_untouched",
        """
counter = 0
def f(c):
    global counter
    if c:
        counter += 1
    return counter
""",
        [(0,), (1,), (0,)],
    ),
    (
        "global_declared_in_branch",
        """
def f(c):
    if c:
        global made_here
        made_here = 5
    return 'made_here' in globals()
""",
        [(0,), (1,)],
    ),
    (
        "nonlocal",
        """
def f(c):
    n = 0
    def g(k):
        nonlocal n
        while k:
            k -= 1
            if c: n += k
        return n
    return g(4), n
""",
        [(0,), (1,)],
    ),
    (
        "user_names",
        """
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
""",
        [([0, 1, 2],), ([5, 1, 1, 2],), ([],)],
    ),
    (
        "no_number",
        """
def f(x):
    if x:
        return 1e999 - 1e999, max(x, 2)
    return -(1e999 - 1e999), max(x, 2)
""",
        [(0,), (3,)],
    ),
    (
        "defaults",
        """
def make(k):
    def f(x, y=k, *args, z=k + 1, **kw):
        if x > y:
            return x, args, z, kw
        return y, args, z, kw
    return f
f = make(3)
""",
        [(1,), (9, 1, 2)],
    ),
    (
        "with_return",
        """
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
""",
        [(0,), (1,)],
    ),
    (
        "with_swallows",
        """
import contextlib
def f(c):
    with contextlib.suppress(ZeroDivisionError):
        if c:
            return 1 // 0
        return 'fine'
    return 'swallowed'
""",
        [(0,), (1,)],
    ),
    (
        "exit_raises_after_return",
        """
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
""",
        [(0,), (1,)],
    ),
    (
        "break_in_with_in_loop",
        """
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
""",
        [(range(0, 6),), ([1],)],
    ),
    (
        "try_finally",
        """
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
""",
        [(0,), (1,), (2,)],
    ),
    (
        "finally_overrides",
        """
def f(c):
    try:
        if c: return 'try'
        raise KeyError('x')
    finally:
        return 'finally'
""",
        [(0,), (1,)],
    ),
    (
        "break_in_finally",
        """
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
""",
        [()],
    ),
    (
        "return_value_raises",
        """
def f(x):
    for attempt in range(3):
        try:
            return 10 // (x - attempt)
        except ZeroDivisionError:
            print('again', attempt)
    return 'gave up'
""",
        [(0,), (1,), (5,)],
    ),
    (
        "try_else_return",
        """
def f(x):
    try:
        y = 1 // x
        if y: return 'returned'
    except ZeroDivisionError:
        return 'caught'
    else:
        print('else')
    return 'end'
""",
        [(0,), (1,), (2,)],
    ),
    (
        "reraise",
        """
def f(c):
    try:
        raise KeyError('k')
    except KeyError:
        if c:
            raise
        print('quiet')
""",
        [(0,), (1,)],
    ),
    (
        "raise_from",
        """
def f(c):
    if c:
        raise ValueError('a') from KeyError('b')
    return 1
""",
        [(0,), (1,)],
    ),
    (
        "assert_message_lazy",
        """
def f(x):
    def message():
        print('made')
        return f'bad {x}'
    assert x > 0, message()
    assert x != 5
    return x
""",
        [(1,), (0,), (5,)],
    ),
]
