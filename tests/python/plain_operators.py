"""Operators that mean plain Python: what lowered code does when nothing is staged."""

import builtins
import contextlib
import functools
import inspect
import sys
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


class Manager:
    """What a `with` enters and leaves."""

    def __init__(self, context):
        self.context = context
        self.enter, self.exit = type(context).__enter__, type(context).__exit__


class PlainOperators:
    no_return = object()
    missing = Missing()

    def __init__(self):
        self.states_read = 0

    def nothing(self):
        pass

    def if_stmt(self, test, body, orelse, state):
        assert isinstance(state, tuple)
        body() if test else orelse()

    def while_stmt(self, test, body, state, flag=None):
        while not is_set(flag, body) and test():
            body()

    def leaves(self, test):
        return bool(test)

    def for_stmt(self, iterable, flag, body, state):
        iterator = iter(iterable)
        while not is_set(flag, body):
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

    def items(self, value):
        return value

    def each(self, value):
        return value

    def ordered(self, value):
        return value

    def whole(self, value):
        return value

    def truth(self, value):
        return value

    def set_of(self, items):
        return set(items)

    def dict_of(self, pairs):
        return dict(pairs)

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

    def is_(self, a, b):
        return a is b

    def is_none(self, value):
        return value is None

    def contains(self, item, container):
        return item in container

    def refusals(self):
        return ()

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

    def try_stmt(self, body, rest, kinds, always, state):
        rest(body)

    def run(self, outcome):
        outcome()

    def manager(self, context):
        return Manager(context)

    def with_stmt(self, manager, body, rest, target, state):
        manager.value = manager.enter(manager.context)
        rest(body)

    def entered(self, manager):
        return manager.value

    def leave(self, manager, raised):
        if raised:
            return not manager.exit(manager.context, *sys.exc_info())
        manager.exit(manager.context, None, None, None)
        return None

    def managed(self, context):
        return context

    def assert_(self, test, message):
        if not test:
            raise AssertionError(message()) if message is not None else AssertionError
        return True

    def field(self, call, value, conversion, format):
        """The text of a field."""
        convert = {None: lambda shown: shown, "r": repr, "s": str, "a": ascii}[conversion]
        return builtins.format(convert(value), format or "")

    def made_text(self, *parts):
        """The text of an f-string."""
        return "".join(parts)

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

    def outer(self, read, name, is_global):
        return read()

    def generator(self, iterable, make, parts):
        return make(iterable)

    def made(self, iterable, make, parts=None):
        return make(iterable)

    def spread(self, value, shape):
        return value

    def spread_items(self, iterable, shape):
        return iterable

    def listed(self, iterable, make, parts):
        return make(iterable)

    def keeps(self, test):
        return test

    def kept(self, iterable, parts, flat):
        for item in iterable:
            passes, element = parts((item,))
            if passes and flat:
                yield from element()
            elif passes:
                yield element()

    kept_first = kept

    def kept_list(self, iterable, parts, flat):
        return list(self.kept(iterable, parts, flat))

    def kept_set(self, iterable, parts, flat):
        return set(self.kept(iterable, parts, flat))

    def kept_dict(self, iterable, parts, flat):
        return dict(self.kept(iterable, parts, flat))

    def peek(self, read):
        try:
            return read()
        except (NameError, AttributeError, LookupError):
            return self.missing

    def holder(self, value):
        return value

    def owner(self, value, name):
        return value

    def filled(self, value):
        return value

    def stores(self, value, name):
        return value

    def stored(self):
        pass

    def bound(self, value):
        return value is not self.missing

    def returned(self, value):
        return value

    def retval(self, value):
        return None if value is self.no_return else value


def cells(names, blocks):
    """The cells that blocks share with the function around them, by the names of the variables in them."""
    blocks = [block for block in blocks if isinstance(block, types.FunctionType)]
    free = [pair for b in blocks for pair in zip(b.__code__.co_freevars, b.__closure__ or (), strict=True)]
    return [next(cell for free_name, cell in free if free_name.endswith(name)) for name in names]


def is_set(flag, block):
    """Whether the variable named `flag`, if there is one, is true in a block."""
    return flag is not None and cells([flag], [inspect.unwrap(block)])[0].cell_contents


class RoundTripOperators(PlainOperators):
    """Also writes back the state it reads, before and after each block: that must change nothing."""

    def round_trip(self, state, *blocks):
        if state and isinstance(state[0], tuple):
            names, get_state, set_state = state
            values = get_state()
            assert len(values) == len(names)
            if not any(value is self.missing for value in values):
                set_state(values)
        else:
            for cell in cells(state, blocks):
                with contextlib.suppress(ValueError):
                    cell.cell_contents = cell.cell_contents

    def if_stmt(self, test, body, orelse, state):
        self.round_trip(state, body, orelse)
        super().if_stmt(test, body, orelse, state)
        self.round_trip(state, body, orelse)

    def while_stmt(self, test, body, state, flag=None):
        @functools.wraps(body)
        def again():
            body()
            self.round_trip(state, test, body)

        self.round_trip(state, test, body)
        super().while_stmt(test, again, state, flag)

    def for_stmt(self, iterable, flag, body, state):
        @functools.wraps(body)
        def again(item):
            body(item)
            self.round_trip(state, body)

        super().for_stmt(iterable, flag, again, state)
