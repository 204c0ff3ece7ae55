"""f-strings that host code is given: their fields have their values when the graph calls it (`docs/guide/host-calls.md`)."""

from __future__ import annotations

import pytest

import graphwright as gw

do_not_convert = gw.autograph.experimental.do_not_convert

TOLD = []


@gw.host(returns=None)
def tell(*texts, **named):
    TOLD.append((texts, named))


@do_not_convert
def note(*texts, **named):
    TOLD.append((texts, named))


def heard(function, *arguments):
    TOLD.clear()
    function(*arguments)
    return list(TOLD)


FIELDS = [
    "{x}",
    "{x:.3f}",
    "{x!r}",
    "{x!s:>30}",
    "{x!a}",
    "{k}: {x * 2:8.2f}|{k + 1}",
    "{x=}",
    "{{}} {k}",
    "{'known'} {3:03d} {x:e}",
]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("mode", ["auto", "run"])
def test_fields_are_formatted_when_the_graph_runs(field, mode, tmp_path, monkeypatch):
    function = "tell" if mode == "auto" else "note"
    text = f"from {__name__} import note, tell\n\n\ndef f(x, k):\n    while k < 3:\n        x = x * 1.5\n"
    text += f'        {function}(f"{field}", 5, f"a{{k}}", named=f"{field}")\n        k += 1\n    return x\n'
    (tmp_path / "telling_module.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "telling_module", raising=False)
    f = __import__("telling_module").f
    staged = gw.function(f, host_code=mode)
    eager = (gw.constant(0.5), gw.constant(0))
    wanted = heard(f, *eager)
    for _ in range(3):
        assert heard(staged, *eager) == wanted
    assert staged.experimental_get_tracing_count() == 1


def test_numbers_of_python_are_shown_as_pythons():
    @gw.function(python_numbers="staged")
    def f(x, n):
        for k in range(n):
            tell(f"{k:02d} {x / 3:.2f} {x}")
            x = x + 0.5

    assert heard(f, 1.0, 2) == [(("00 0.33 1.0",), {}), (("01 0.50 1.5",), {})]


def test_fields_are_evaluated_in_order():
    items = [1]

    def f(x):
        tell(f"{items} {items.append(2)} {items} {x}")

    wanted = [(("[1] None [1, 2] 3",), {})]
    converted = gw.autograph.to_graph(f)
    assert heard(converted, 3) == wanted


@pytest.mark.parametrize("callee", ["own", "len", "str"])
def test_other_functions_get_no_text_that_waits(callee):
    def own(text):
        return 1 if isinstance(text, str) else 0

    functions = {"own": own, "len": len, "str": str}
    called = functions[callee]

    @gw.function
    def f(x):
        tell(f"{called(f'{x}')} {x}")
        return x

    with pytest.raises(TypeError, match="GW116"):
        f(gw.constant(1.0))


def test_texts_behind_a_call_inside_do_not_wait():
    @gw.host(returns=int)
    def count(text):
        TOLD.append(text)
        return len(text)

    @gw.function
    def f(x):
        long = count(f"<{x:.1f}>")
        tell(f"{long} {x:.2f}", f"{long:03d}")

    @gw.function
    def inside(x):
        tell(f"{count(f'{x}')} {x}")

    assert heard(f, gw.constant(1.0)) == ["<1.0>", (("5 1.00", "005"), {})]
    with pytest.raises(TypeError, match="GW116"):
        inside(gw.constant(1.0))


class Log:
    def __init__(self):
        self.lines = []

    @gw.host(returns=None)
    def add(self, text):
        self.lines.append(text)


def test_methods():
    log = Log()

    @gw.function
    def f(x, log):
        for _ in gw.range(2):
            x = x + 1.0
            log.add(f"{x:.1f}")
        return x

    for _ in range(2):
        f(gw.constant(1.0), log)
    assert log.lines == ["2.0", "3.0"] * 2
