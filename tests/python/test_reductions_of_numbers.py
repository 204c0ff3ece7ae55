"""Sums, extremes and the like of lists of Python's numbers, which stay Python's numbers in the graph, or are refused."""

import itertools
import linecache

import pytest

import graphwright as gw

REDUCTIONS = (
    """
sum(l)|sum(l, 1)|sum(l) / 2|sum(l) // 1|divmod(sum(l), 2)[0]|sum(l[1:])|sum(list(l))|sum(tuple(l))|sum(set(l))
max(l)|min(l)|max(l, default=0)|max(l, key=lambda q: -q)|max(set(l))|min(l[0], l[1])|sorted(l)[0]
any(l)|all(l)|len(l)|l[0] + l[1]|l.pop()|l.index(l[0])|l.count(l[0])|dict(enumerate(l))[0]
sum(x for x in l)|sum([q * 2 for q in l])|sum(map(abs, l))|sum(filter(None, l))|round(sum(l))|int(sum(l))|str(type(sum(l)))
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

KINDS = {"int": (3, "k"), "float": (1.5, "k + 0.5"), "bool": (True, "k > 1")}

PROGRAM = """
def f(a, n):
    l = [a, a]
    for k in range(n):
        l.append({item})
    s = {reduction}
    return s, isinstance(s, int), isinstance(s, float), isinstance(s, bool), type(s) is int
"""


def program(kind, reduction, grows):
    text = PROGRAM.format(item=KINDS[kind][1], reduction=reduction)
    if not grows:
        text = text.replace("    for k in range(n):\n", "").replace(
            f"        l.append({KINDS[kind][1]})\n", ""
        )
    file = f"<{kind} {reduction} {grows}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names = {}
    exec(compile(text, file, "exec"), names)
    return names["f"]


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_of_pythons_types(kind):
    agreed, refusals = 0, []
    for reduction, grows in itertools.product(REDUCTIONS, (True, False)):
        f = program(kind, reduction, grows)
        staged = gw.function(f, python_numbers="staged")
        try:
            found = [staged(KINDS[kind][0], n) for n in (4, 4, 2)]
        except (TypeError, ValueError) as error:
            refusals.append(str(error))
            continue
        wanted = [f(KINDS[kind][0], n) for n in (4, 4, 2)]
        assert repr(found) == repr(wanted), (reduction, grows)
        agreed += 1
    assert agreed > 40
    assert all(refusal.startswith("GW1") for refusal in refusals)


@pytest.mark.parametrize("dtype", [gw.int32, gw.int64])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_of_integers_that_leave_their_type_raise(dtype, sign):
    beyond_half = sign * (2 ** (30 if dtype == gw.int32 else 62) + 1)

    def of_vector(x):
        return sum(x)

    def of_list(x):
        items = [x[0], x[0]]
        for k in x:
            if k == 0:
                items.append(k)
        return sum(items)

    for f in (of_vector, of_list):
        staged = gw.function(f)
        for _ in range(2):
            with pytest.raises(OverflowError, match="does not fit"):
                staged(gw.constant([beyond_half, beyond_half, 0], dtype))
        assert staged(gw.constant([5, 5, 0], dtype)).item() == 10
