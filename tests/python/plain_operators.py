"""Operators that mean plain Python: what lowered code does when nothing is staged."""

import contextlib
import types

try:
    from graphwright import _native
except ImportError:
    import _native

if hasattr(_native, "convert_with"):
    raw_convert = _native.convert_with
else:
    raw_convert = _native.convert


class Missing:
    """The mark for a name without a value."""


class PlainOperators:
    no_return = object()
    missing = Missing()

    def __init__(self):
        self.states_read = 0

    def nothing(self):
        pass

    def if_stmt(self, test, body, orelse, get_state, set_state, names):
        assert isinstance(names, tuple)
        body() if test else orelse()

    def while_stmt(self, test, body, get_state, set_state, names):
        while test():
            body()

    def for_stmt(self, iterable, extra_test, body, get_state, set_state, names):
        iterator = iter(iterable)
        while extra_test is None or extra_test():
            try:
                item = next(iterator)
            except StopIteration:
                break
            body(item)

    def if_exp(self, test, body, orelse):
        return body() if test else orelse()

    def and_(self, a, rest):
        return a and rest()

    def or_(self, a, rest):
        return a or rest()

    def not_(self, a):
        return not a

    def compare(self, a, *links):
        symbols = {
            "<": lambda a, b: a < b,
            "<=": lambda a, b: a <= b,
            ">": lambda a, b: a > b,
            ">=": lambda a, b: a >= b,
            "==": lambda a, b: a == b,
            "!=": lambda a, b: a != b,
            "in": lambda a, b: a in b,
            "not in": lambda a, b: a not in b,
            "is": lambda a, b: a is b,
            "is not": lambda a, b: a is not b,
        }
        result = True
        for symbol, thunk in links:
            b = thunk()
            result = symbols[symbol](a, b)
            if not result:
                return result
            a = b
        return result

    def contains(self, item, container):
        return item in container

    def caught(self):
        pass

    def conv(self, f):
        if isinstance(f, types.FunctionType):
            if _native.is_converted(f.__code__) or f.__module__ in (
                "contextlib",
                "functools",
                "plain_operators",
            ):
                return f
            try:
                return raw_convert(f, self)
            except ValueError as error:
                if "GW001" in str(error):
                    return f
                raise
        if isinstance(f, types.MethodType) and isinstance(f.__func__, types.FunctionType):
            return types.MethodType(self.conv(f.__func__), f.__self__)
        return f

    def match_case(self, subject, count, pattern):
        return _native.operators.match_case(subject, count, pattern)

    def handled(self, kinds):
        return contextlib.nullcontext()

    def assert_(self, test, message):
        if not test:
            raise AssertionError(message()) if message is not None else AssertionError
        return True

    def text(self, *parts):
        return "".join(map(format, parts))

    def ld(self, read, name):
        try:
            value = read()
        except NameError as error:
            if error.name == name:
                text = f"cannot access local variable '{name}' where it is not associated with a value"
                raise UnboundLocalError(text) from None
            raise
        return value

    def generator(self, iterable, make, parts):
        return make(iterable)

    def keeps(self, test):
        return test

    def peek(self, read):
        try:
            return read()
        except (NameError, AttributeError, LookupError):
            return self.missing

    def holder(self, value):
        return value

    def bound(self, value):
        return value is not self.missing

    def returned(self, value):
        return value

    def retval(self, value):
        return None if value is self.no_return else value


class RoundTripOperators(PlainOperators):
    """Also writes back the state it reads, before and after each block: that must change nothing."""

    def round_trip(self, get_state, set_state, names):
        values = get_state()
        assert len(values) == len(names)
        if not any(value is self.missing for value in values):
            set_state(values)

    def if_stmt(self, test, body, orelse, get_state, set_state, names):
        self.round_trip(get_state, set_state, names)
        super().if_stmt(test, body, orelse, get_state, set_state, names)
        self.round_trip(get_state, set_state, names)

    def while_stmt(self, test, body, get_state, set_state, names):
        def again():
            body()
            self.round_trip(get_state, set_state, names)

        self.round_trip(get_state, set_state, names)
        super().while_stmt(test, again, get_state, set_state, names)

    def for_stmt(self, iterable, extra_test, body, get_state, set_state, names):
        def again(item):
            body(item)
            self.round_trip(get_state, set_state, names)

        super().for_stmt(iterable, extra_test, again, get_state, set_state, names)
