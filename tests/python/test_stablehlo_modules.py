"""Modules that the Rust rooms wrote, run by JAX: what the pages of `docs/ops` say, and random programs, against the interpreter.

`make python` writes them to `target/modules.txt` (`testkit/examples/modules.rs`).
"""

from __future__ import annotations

import ast
import re

import numpy as np
import pytest

from pages import ROOT

pytest.importorskip("jax", reason="the package `jax` is not installed")
ml_dtypes = pytest.importorskip("ml_dtypes", reason="the package `ml_dtypes` is not installed")

MODULES = ROOT / "target" / "modules.txt"
INTEGERS = {f"{sign}{bits}": np.dtype(f"{sign}{bits // 8}") for sign in "iu" for bits in (8, 16, 32, 64)}
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
DTYPES = {"bool": np.bool_, **INTEGERS, **FLOATS}

#: Of two zeros these give either.
EITHER_ZERO = {"max", "min", "reduce_max", "reduce_min", "random"}

PARTS = 8


def cases():
    text = MODULES.read_text(encoding="utf-8") if MODULES.exists() else ""
    return re.split(r"^case ", text, flags=re.MULTILINE)[1:]


def arrays(head, word):
    found = re.findall(rf"^{word} (\w+) (\[.*\]) ([0-9a-f]*)$", head, re.MULTILINE)
    return [
        np.frombuffer(bytes.fromhex(data), DTYPES[dtype]).reshape(ast.literal_eval(lengths))
        for dtype, lengths, data in found
    ]


def same(name, ours, theirs):
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape), name
    if ours.dtype.kind != "f":
        np.testing.assert_array_equal(theirs, ours, err_msg=name)
        return
    tight = not name.startswith("random")
    rtol = {2: 3e-2, 4: 1e-6 if tight else 1e-4, 8: 1e-13 if tight else 1e-9}[ours.dtype.itemsize]
    np.testing.assert_allclose(theirs, ours, rtol=rtol, atol=0, err_msg=name)
    if name.partition(":")[0] not in EITHER_ZERO:
        numbers = ~np.isnan(ours)
        np.testing.assert_array_equal(np.signbit(theirs)[numbers], np.signbit(ours)[numbers], err_msg=name)


@pytest.mark.skipif(not MODULES.exists(), reason="`target/modules.txt` has not been written")
@pytest.mark.parametrize("part", range(PARTS))
def test_modules(part):
    from graphwright.stablehlo._client import compiled

    for case in cases()[part::PARTS]:
        head, found, module = case.partition("module {")
        name = head.splitlines()[0]
        if not found:
            assert "\nrefused " in head
            continue
        results = compiled(found + module)(arrays(head, "input"))
        failed = bool(results.pop()) if "\nsites 0\n" not in head else False
        assert failed == ("\nfails " in head), name
        if not failed:
            for ours, theirs in zip(arrays(head, "result"), results, strict=True):
                same(name, ours, theirs)
