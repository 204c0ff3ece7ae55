"""Programs that fail, and the traceback that a graph shows of each, which is Python's: name, source, arguments, text."""

PROGRAMS = [
    (
        "a helper in a branch in a loop",
        """
        def share(total, n):
            return total // n

        def f(xs, n):
            best = 0
            for x in xs:
                if x > 1:
                    best = best + share(x, n - x)
            return best
        """,
        ([1, 2, 3], 3),
        """
          File "program.py", line 8, in f
            best = best + share(x, n - x)
                          ^^^^^^^^^^^^^^^
          File "program.py", line 2, in share
            return total // n
                   ~~~~~~^^~~
        ZeroDivisionError: integer division or modulo by zero
        """,
    ),
    (
        "nested branches",
        """
        def f(x, y):
            if x > 0:
                if y > 0:
                    return x
                else:
                    return 1 + x % (y - y)
            return y
        """,
        (1, 0),
        """
          File "program.py", line 6, in f
            return 1 + x % (y - y)
                       ~~^~~~~~~~~
        ZeroDivisionError: integer modulo by zero
        """,
    ),
    (
        "nested loops",
        """
        def f(n):
            total = 0
            while n > 0:
                k = n
                while k > -2:
                    total += n // k
                    k -= 1
                n -= 1
            return total
        """,
        (3,),
        """
          File "program.py", line 6, in f
            total += n // k
                     ~~^^~~
        ZeroDivisionError: integer division or modulo by zero
        """,
    ),
    (
        "the test of a loop",
        """
        def f(n):
            while 10 // n > 0:
                n -= 1
            return n
        """,
        (3,),
        """
          File "program.py", line 2, in f
            while 10 // n > 0:
                  ~~~^^~~
        ZeroDivisionError: integer division or modulo by zero
        """,
    ),
    (
        "a lambda and a nested function",
        """
        def f(x):
            def twice(g, v):
                if v < 100:
                    return g(g(v))
                return v
            return twice(lambda v: 10 // v, x)
        """,
        (20,),
        """
          File "program.py", line 6, in f
            return twice(lambda v: 10 // v, x)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
          File "program.py", line 4, in twice
            return g(g(v))
                   ^^^^^^^
          File "program.py", line 6, in <lambda>
            return twice(lambda v: 10 // v, x)
                                   ~~~^^~~
        ZeroDivisionError: integer division or modulo by zero
        """,
    ),
    (
        "methods",
        """
        class Shares:
            def __init__(self, of):
                self.of = of
            def __call__(self, n):
                return self.each(n)
            def each(self, n):
                return self.of // n if n < 10 else 0
        def f(x):
            shares = Shares(x)
            while x > -5:
                x = shares(x) - 1
            return x
        """,
        (1,),
        """
          File "program.py", line 11, in f
            x = shares(x) - 1
                ^^^^^^^^^
          File "program.py", line 5, in __call__
            return self.each(n)
                   ^^^^^^^^^^^^
          File "program.py", line 7, in each
            return self.of // n if n < 10 else 0
                   ~~~~~~~~^^~~
        ZeroDivisionError: integer division or modulo by zero
        """,
    ),
    (
        "an assertion",
        """
        def positive(x):
            assert x > 0, "must be positive"
            return x
        def f(x):
            if x < 10:
                return positive(x) + 1
            return x
        """,
        (-1,),
        """
          File "program.py", line 6, in f
            return positive(x) + 1
                   ^^^^^^^^^^^
          File "program.py", line 2, in positive
            assert x > 0, "must be positive"
                   ^^^^^
        AssertionError: must be positive
        """,
    ),
    (
        "an index",
        """
        def f(xs, i):
            total = 0
            while i < 10:
                total += xs[i]
                i += 1
            return total
        """,
        ([1, 2, 3], 1),
        """
          File "program.py", line 4, in f
            total += xs[i]
                     ~~^^^
        IndexError: index 3 is out of bounds for axis 0 with size 3
        """,
    ),
    (
        "a name without a value",
        """
        def f(x):
            if x > 0:
                y = 1
            return y + x
        """,
        (-1,),
        """
          File "program.py", line 4, in f
            return y + x
                   ^
        UnboundLocalError: GW105: cannot access local variable 'y' where it is not associated with a value
        """,
    ),
    (
        "a chain of comparisons",
        """
        def f(x):
            return 0 < x < 10 // (x - x) or x == 2
        """,
        (1,),
        """
          File "program.py", line 2, in f
            return 0 < x < 10 // (x - x) or x == 2
                           ~~~^^~~~~~~~~
        ZeroDivisionError: integer division or modulo by zero
        """,
    ),
    (
        "while the graph is built: a name",
        """
        def inner(x):
            if x > 0:
                for i in range(3):
                    x = x + missing
            return x
        def f(x):
            while x < 10:
                x = inner(x)
            return x
        """,
        (1,),
        """
          File "program.py", line 8, in f
            x = inner(x)
                ^^^^^^^^
          File "program.py", line 4, in inner
            x = x + missing
                    ^^^^^^^
        NameError: name 'missing' is not defined
        """,
    ),
    (
        "while the graph is built: a method and a lambda",
        """
        class Model:
            def run(self, x, step):
                if x > 0 and x < 100:
                    x = step(x) + self.bias
                return x
        def f(x):
            return Model().run(x, lambda v: v * 2)
        """,
        (1,),
        """
          File "program.py", line 7, in f
            return Model().run(x, lambda v: v * 2)
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          File "program.py", line 4, in run
            x = step(x) + self.bias
                          ^^^^^^^^^
        AttributeError: 'Model' object has no attribute 'bias'
        """,
    ),
    (
        "while the graph is built: an error with a cause",
        """
        def table(key):
            return {}[key]
        def f(x):
            try:
                table("k")
            except KeyError as error:
                raise ValueError("no table") from error
            return x
        """,
        (1,),
        """
          File "program.py", line 5, in f
            table("k")
          File "program.py", line 2, in table
            return {}[key]
                   ~~^^^^^
        KeyError: 'k'

        The above exception was the direct cause of the following exception:

        Traceback (most recent call last):
          File "program.py", line 7, in f
            raise ValueError("no table") from error
        ValueError: no table
        """,
    ),
]
