"""Docstrings of public callables: a sentence, arguments, result and an example, which runs and prints what it shows.

`MISSING`, a file beside this one, lists what is not there yet; it may only shrink. `python tests/python/test_docstrings.py`
writes it anew.
"""

from __future__ import annotations

import builtins
import doctest
import importlib.util
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from website import docstrings, prose, surface

import graphwright as gw

MISSING = Path(__file__).with_name("docstrings_missing.txt")
#: Public callables; a class of Python's own under a name of ours keeps Python's docstring.
CALLABLES = {
    entry.name: entry
    for entry in surface.entries()
    if entry.kind in ("function", "class", "method")
    and not (entry.kind == "class" and entry.object.__module__ == "builtins")
}
EXAMPLES = {
    name: text
    for name, entry in CALLABLES.items()
    if (text := docstrings.parse(entry.doc).sections.get("Example"))
}

#: Packages that examples need and that need not be there, by a part of the names of what they show.
NEEDS = {
    "RayStrategy": "ray",
    "create_ray_execution_context": "ray",
    ".stablehlo.": "jax",
    "ParquetDataset": "pyarrow",
    "ArrowDataset": "pyarrow",
}

#: The object itself, which no docstring describes.
EVERYWHERE = {"self", "cls"}


def parameters(entry):
    """The names of a callable's parameters, where Python knows them."""
    try:
        found = inspect.signature(entry.object).parameters
    except (TypeError, ValueError):
        return set()
    return {name for name in found if not name.startswith("_")} - EVERYWHERE


def missing(entry):
    """The parts that a docstring lacks."""
    doc = docstrings.parse(entry.doc)
    if not re.search(r"[.!?:]$", doc.summary):
        yield "sentence"
    if entry.kind != "class":
        described = set(re.findall(r"^\*{0,2}(\w+)", doc.sections.get("Arguments", ""), re.MULTILINE))
        described |= set(
            re.findall(r"\w+", " ".join(re.findall(r"^([\w*, ]+):", doc.sections.get("Arguments", ""), re.M)))
        )
        if parameters(entry) - described:
            yield "arguments"
        if not {"Returns", "Yields"} & set(doc.sections):
            yield "returns"
    if "Example" not in doc.sections:
        yield "example"
    elif is_thin(doc.sections["Example"]):
        yield "thin"


def is_thin(example):
    """True of an example from which nobody learns: one call without output, or a question about a name or a class."""
    statements = [line[4:] for line in example.splitlines() if line.startswith((">>> ", "... "))]
    statements = [line for line in statements if not re.match(r"(import|from) ", line)]
    output = [line for line in example.splitlines() if not line.startswith((">>> ", "... "))]
    asked = r"(issubclass|isinstance|callable)\(|.*\.__name__$"
    return len(statements) == 1 and (not output or re.match(asked, statements[0]) is not None)


def lacking():
    """One line for each callable that lacks something."""
    found = {name: " ".join(missing(entry)) for name, entry in CALLABLES.items()}
    return {name: parts for name, parts in found.items() if parts}


def known():
    """The lines of the file."""
    return dict(line.split(": ", 1) for line in MISSING.read_text(encoding="utf-8").splitlines() if line)


def test_no_docstring_lacks_what_is_not_listed():
    allowed = known()
    worse = {
        name: parts
        for name, parts in lacking().items()
        if not set(parts.split()) <= set(allowed.get(name, "").split())
    }
    assert worse == {}


def test_the_list_holds_nothing_that_is_there():
    found = lacking()
    stale = {name: parts for name, parts in known().items() if name in CALLABLES and parts != found.get(name)}
    assert stale == {}, "the list may shrink: run this file"


def questions(doc):
    """Sentences of a docstring's text that begin with "What", "Whether" or "How"."""
    found = docstrings.parse(doc)
    return re.findall(
        r"(?:^|(?<=[.:] ))(?:What|Whether|How)\b[^.]*", " ".join(f"{found.summary} {found.text}".split())
    )


def test_docstrings_begin_with_a_noun_or_a_verb():
    asked = {entry.name: questions(entry.doc) for entry in surface.entries()}
    asked |= {name: questions(inspect.cleandoc(module.__doc__)) for name, module in surface.modules().items()}
    assert {name: found for name, found in asked.items() if found} == {}


def test_docstrings_say_which_noun_is_meant():
    texts = {entry.name: entry.doc for entry in surface.entries()}
    texts |= {name: inspect.cleandoc(module.__doc__) for name, module in surface.modules().items()}
    bare = {
        name: re.sub(r"^Examples?:\n(?:(?:  .*)?\n?)+", "", doc, flags=re.M) for name, doc in texts.items()
    }
    found = {name: [part for _, part in prose.nounless(doc)] for name, doc in bare.items()}
    assert {name: parts for name, parts in found.items() if parts} == {}


def test_questions_in_docstrings_are_found():
    assert questions("What it is.\n\nA text. How it\nworks: badly.") == ["What it is", "How it works: badly"]


def runs(name):
    """True if the packages are there that an example needs."""
    return all(part not in name or importlib.util.find_spec(package) for part, package in NEEDS.items())


def groups():
    """Examples by module, so that a module is one test."""
    found = {}
    for name in filter(runs, EXAMPLES):
        found.setdefault(".".join(name.split(".")[:2]) if name.count(".") > 1 else "graphwright", []).append(
            name
        )
    return found


@pytest.mark.parametrize("group", groups())
def test_examples_print_what_they_show(group, monkeypatch):
    monkeypatch.setattr(builtins, "_", None, raising=False)
    failed = []
    for name in groups()[group]:
        out = []
        names = {"gw": gw, "np": np, "__name__": "example"}
        test = doctest.DocTestParser().get_doctest(EXAMPLES[name], names, name, None, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
        runner.run(test, out=out.append)
        failed += out
    assert not failed, "".join(failed)


def test_an_example_that_prints_something_else_fails():
    test = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner().run(test, out=lambda _: None).failed == 1


@pytest.mark.parametrize(
    ("example", "thin"),
    [
        (">>> import graphwright.federated as tff\n>>> callable(tff.Type)\nTrue", True),
        (">>> gw.nest.assert_same_structure([1], [2])", True),
        (">>> gw.constant([1, -2])\n<gw.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2])>", False),
    ],
)
def test_thin_examples_are_found(example, thin):
    assert is_thin(example) is thin


def test_a_docstring_without_its_parts_is_refused():
    def bare(x):
        """Adds."""

    assert list(missing(surface.Entry("bare", bare, "function"))) == ["arguments", "returns", "example"]


@pytest.mark.parametrize("name", sorted(name for name, entry in CALLABLES.items() if entry.kind == "class"))
def test_help_shows_public_names_only(name):
    owner = CALLABLES[name].object
    assert not re.search(r"(^|\.)_", owner.__module__), f"{name} says that it is of {owner.__module__}"


@pytest.mark.parametrize("name", surface.modules())
def test_modules_list_no_imports(name):
    module = surface.modules()[name]
    offered = set(getattr(module, "__all__", ()))
    listed = {each for each in dir(module) if each[0] != "_"} - offered
    assert {each for each in listed if getattr(module, each).__name__ != f"{name}.{each}"} == set()


if __name__ == "__main__":
    MISSING.write_text("".join(f"{name}: {parts}\n" for name, parts in lacking().items()), encoding="utf-8")
