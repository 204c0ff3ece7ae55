"""Containers around a function: what each call leaves in them, and which of them are one list, is Python's, or refused."""

import linecache
from collections import deque

import pytest

import graphwright as gw

AROUND = """
from collections import OrderedDict, deque

D = {"a": 1, "b": 2}
OD = OrderedDict(a=1)
DQ = deque([1, 2])
L, M, G, W, B = [1, 2], [], [1, 2], [1], [1, 2]
LL = [B, [3]]
DL = {"a": [1], "b": [2, 3]}


class P:
    hist = []


class Q:
    pass


p, q = P(), Q()
q.v, q.w = [0], [5]
"""
RIGHT = [
    "D['c'] = n; del D['b']",
    "D.pop('b'); D['c'] = n",
    "D['x'] = D.pop('a') + n",
    "D.clear(); D['x'] = n",
    "for k, v in list(D.items()):\n        D[k + 'x'] = v + n; del D[k]",
    "del DL['a']; DL['b'] = DL['b'] + [n]",
    "del D['a']",
    "D['a'] = n; D.pop('a')",
    "OD['c'] = n",
    "OD.update(c=n)",
    "OD.setdefault('c', n)",
    "OD['k%d' % len(OD)] = n * n\n    if len(OD) > 2: OD.popitem(last=False)",
    "DQ.appendleft(n)",
    "DQ.extendleft([n, n + 1])",
    "DQ.appendleft(n); DQ.append(n)",
    "DQ.append(n)",
    "DQ.rotate(1); DQ.append(n)",
    "DQ.popleft(); DQ.append(n)",
    "L.append(n); M.append(L)",
    "M.append(L)",
    "M.append((L, n))",
    "M.append([L, n]); L.append(n)",
    "global W\n    W = G; W.append(n)",
    "LL[-1] = [n]",
    "LL[0] = G; G.append(n)",
    "LL[0] = LL[1]; LL[1].append(n)",
    "x = LL[0]; LL[1] = x; x.append(n)",
    "D['g'] = G; G.append(n)",
    "DL['b'] = DL['a']; DL['a'].append(n)",
    "LL[0], DL['a'] = DL['a'], LL[0]; LL[0].append(n)",
    "q.v = G; G.append(n)",
    "q.v, q.w = G, G; G.append(n)",
    "q.v = {'k': G, 'n': n}",
    "global C\n    C = LL[1]; C.append(n)",
    "p.hist += [n]",
    "P.hist = B; B.append(n)",
    """try:
        x = 10 // (n - 5)
        DL['b'][0] = n if n % 2 == 0 else n + 7
    except ZeroDivisionError:
        pass
    finally:
        DL['b'] = [n]""",
    """try:
        DL['b'][0] = n if n % 2 == 0 else n + 7
    except Exception:
        pass
    else:
        del DL['b']""",
]
REORDERED = ["v = D.pop('a', 0); D['a'] = v + n", "OD['b'] = n; OD.move_to_end('a')"]

HALF = [
    "if n > 3: del DL['b']",
    "if n > 3: D['new'] = n",
    "if n > 3: D['new'] = [n]",
    "if n > 3: D['new'] = (n, 1)",
    """if n > 3:
        DL['b'][0] = n
        del DL['b']""",
    """try:
        x = 10 // (n - 5)
    except ZeroDivisionError:
        pass
    else:
        del DL['b']""",
]


def made(body):
    text = f"{AROUND}\n\ndef f(n):\n    {body}\n"
    file = f"/around/{abs(hash(body))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names


def shape(names):
    """All containers, with lists that are one under one number."""
    known = {}

    def of(value):
        if isinstance(value, (list, deque)):
            if id(value) in known:
                return "one", known[id(value)]
            known[id(value)] = len(known)
            return type(value).__name__, [of(item) for item in value]
        if isinstance(value, dict):
            return type(value).__name__, [(key, of(item)) for key, item in value.items()]
        if isinstance(value, tuple):
            return tuple(of(item) for item in value)
        return value.numpy().item() if isinstance(value, gw.Tensor) else value

    plain = {
        name: of(names[name])
        for name in ("D", "OD", "DQ", "L", "M", "G", "W", "B", "LL", "DL", "C")
        if name in names
    }
    return plain, of(vars(names["p"])), of(names["P"].hist), of(vars(names["q"]))


@pytest.mark.parametrize("body", RIGHT)
def test_each_call_leaves_what_python_leaves(body):
    python, staged = made(body), made(body)
    graph = gw.function(staged["f"])
    for n in (3, 5, 5, 1):
        wanted, found = [], []
        for call, n_or_tensor, said in ((python["f"], n, wanted), (graph, gw.constant(n), found)):
            try:
                call(n_or_tensor)
            except (KeyError, IndexError) as error:
                said.append(type(error))
        assert found == wanted
        assert shape(staged) == shape(python)


@pytest.mark.parametrize("body", REORDERED)
def test_an_order_of_keys_that_the_graph_cannot_leave_is_refused(body):
    names = made(body)
    before = shape(names)
    graph = gw.function(names["f"])
    for _ in range(2):
        with pytest.raises(
            ValueError, match="GW130: `O?D` gets a value of the graph in a call that also changes"
        ):
            graph(gw.constant(3))
        assert shape(names) == before


@pytest.mark.parametrize("body", HALF)
def test_a_key_that_is_there_after_one_branch_only_is_refused(body):
    names = made(body)
    before = shape(names)
    graph = gw.function(names["f"])
    for n in (3, 5):
        with pytest.raises(ValueError, match=r"GW103: `DL?\['.*'\].*` has a value after one branch only"):
            graph(gw.constant(n))
        assert shape(names) == before


@pytest.mark.parametrize("n", [3, 5])
def test_an_item_and_its_list_change_in_one_try(n):
    body = """try:
        DL['a'][0] = 10 // (n - 5)
    except ZeroDivisionError:
        pass
    else:
        DL['a'] = [3]"""
    python, staged = made(body), made(body)
    python["f"](n)
    gw.function(staged["f"])(gw.constant(n))
    assert shape(staged) == shape(python)


ONE = [
    "LL.append([n]); LL.append(LL[-1])",
    "x = [n]; DL['a'] = x; DL['b'] = x",
    "x = [n]; DL['a'] = x; LL.append(x)",
    "x = [n]; DL['a'] = (x, 1); LL.append(x); x.append(2)",
    "x = [1]; DL['a'] = x; LL.append(x)",
    "x = [1]; LL.append(x); LL.append(x)",
    "x = {'k': n}; DL['a'] = x; LL.append([x, x])",
    "x = [n]; y = [x]; z = [x]; DL['a'] = y; DL['b'] = z",
    "xs = [i * n for i in range(4)]; DL['a'] = xs; DL['b'] = xs",
    "t = ([n], 2); DL['a'] = t; DL['b'] = t",
    "q.v = [n]; q.w = q.v",
    "x = [n, 2]\n    if n > 3: x[0] = 7\n    DL['a'] = x; DL['b'] = x",
    "x = [n, 2]\n    if n > 3: x = [1, 2]\n    DL['a'] = x; DL['b'] = x",
]
TWO = [
    "x = [n]\n    if n > 3: DL['a'] = x\n    DL['b'] = x",
    "x = [n]\n    if n > 3: DL['a'] = x; DL['b'] = x",
    "if n > 3: DL['a'] = DL['b']",
    "x = [n]\n    for i in range(n): x = [i]\n    DL['a'] = x; DL['b'] = x",
    "x = [n, 2]; DL['a'] = x; DL['b'] = x; LL[n - 4]",
]


@pytest.mark.parametrize("body", ONE)
def test_a_structure_in_two_places_is_one(body):
    test_each_call_leaves_what_python_leaves(body)


@pytest.mark.parametrize("body", TWO)
def test_a_structure_that_a_call_would_make_twice_is_refused(body):
    names = made(body)
    before = shape(names)
    graph = gw.function(names["f"])
    for n in (3, 5):
        with pytest.raises(ValueError, match="GW122"):
            graph(gw.constant(n))
        assert shape(names) == before


@pytest.mark.parametrize(
    "body", ["x = [n]; x.append(x); DL['a'] = x", "x = {}; x['x'] = x; DL['a'] = [x, n]"]
)
def test_a_structure_in_itself_is_refused(body):
    with pytest.raises(ValueError, match="contains itself"):
        gw.function(made(body)["f"])(gw.constant(3))
